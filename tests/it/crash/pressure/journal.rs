//! Checks of the journal afterwards: every state is sound, and each kind of deed has its count.

use perplex::store::journal;
use perplex_games::perplexichess::{Boards, Line};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Turn;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::Happened;
use perplex_matches::team::event::Event;

use super::*;
use crate::teams::rules::is_sound;

fn totals(boards: &Boards) -> [u32; 2] {
    [Side::First, Side::Second].map(|side| {
        let count =
            |(_, board): (_, &perplex_games::perplexichess::Board)| board.position().count(side);
        boards.iter().map(count).sum()
    })
}

/// Walks through the journal and checks that every state is sound, and that pieces go only by captures (and kings
/// with their board).
pub fn check_journal(events: &[Event], size: Size) -> Match {
    let state = Match::replay(events).expect("a journal");
    let mut boards = Boards::new(size);
    for logged in state.log.iter().filter(|logged| state.is_in_force(logged)) {
        let EventKind::Line(text) = &logged.event.kind else {
            continue;
        };
        let line = boards.read(text).expect("a line of the record");
        let before = totals(&boards);
        let open = boards.open().count();
        boards.take(&line);
        is_sound(&boards);
        let kings = u32::try_from(open - boards.open().count()).expect("few");
        let after = totals(&boards);
        let lost = [before[0] - after[0], before[1] - after[1]].map(|lost| {
            if matches!(line, Line::Time) {
                lost
            } else {
                lost - kings
            }
        });
        match &line {
            // The mover takes no piece of their own colour, and at most one of the other.
            Line::Turn(_, Turn::Move(_)) => assert!(lost[0] + lost[1] <= 1, "{text}"),
            // A turn under a written rule may remove pieces; no turn here does.
            _ => assert_eq!(lost, [0, 0], "{text}"),
        }
    }
    for ((_, board), (_, shown)) in boards.iter().zip(state.boards.iter()) {
        assert_eq!(board.outcome(), shown.outcome());
    }
    state
}

pub fn team_events(store: &Store, id: &MatchId) -> Vec<Event> {
    let read = store.read_now(|conn| journal::events::<Match>(conn, id, 0));
    read.map_err(|error: StoreError| error).expect("events")
}

/// Number of deeds of each kind.
pub fn deeds(state: &Match) -> BTreeMap<&'static str, usize> {
    let mut counts: BTreeMap<&'static str, usize> = [
        "transfers",
        "changes",
        "disputes",
        "decisions",
        "duties given",
        "hand-overs",
        "votes",
        "elections",
        "leavers",
        "leavers replaced",
        "latecomers",
        "taken back",
        "boards won",
    ]
    .map(|deed| (deed, 0))
    .into();
    let mut begun = false;
    let mut before: Option<&EventKind> = None;
    for logged in &state.log {
        let Event { kind, by, .. } = &logged.event;
        begun |= *kind == EventKind::Start;
        let mut count = |deed: &'static str| *counts.get_mut(deed).expect("it is counted") += 1;
        match (kind, by) {
            (EventKind::Line(_), by) => match (&logged.happened, by) {
                (Happened::Answered { .. }, Actor::Host) => count("decisions"),
                (happened, _) if happened.is_change() => count("changes"),
                (Happened::Transferred { .. }, _) => count("transfers"),
                _ => {}
            },
            (EventKind::Dispute(_), _) => count("disputes"),
            (EventKind::Duties(..), Actor::Member(_)) if begun => {
                let Happened::DutiesChanged { before, after, .. } = &logged.happened else {
                    panic!("{:?}", logged.happened);
                };
                count(if before.strategist == after.strategist {
                    "duties given"
                } else {
                    "hand-overs"
                });
            }
            (EventKind::Duties(..), Actor::Server)
                if matches!(before, Some(EventKind::Leave(_))) =>
            {
                count("leavers replaced");
            }
            (EventKind::Vote(_), _) => count("votes"),
            (EventKind::Elected(..), _) => count("elections"),
            (EventKind::Leave(_), _) => count("leavers"),
            (EventKind::Join(..), _) if begun => count("latecomers"),
            (EventKind::TakeBack(_), _) => count("taken back"),
            _ => {}
        }
        before = Some(kind);
    }
    let won = state.boards.score();
    counts.insert("boards won", usize::from(won.white + won.black));
    counts
}
