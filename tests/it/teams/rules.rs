//! Perplexichess without a database: random matches whose every state is sound.
//!
//! The chance is that of `support::chance`: the same in every run but the longer one.

use perplex::texts;
use perplex_games::perplexichess::{BoardNo, Boards, Size, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Square;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::event::{
    Actor, Duty, Event, EventKind, MemberId, Sight, TalkMode, Terms,
};
use perplex_matches::team::notice::{Awaited, Waiting};
use perplex_matches::team::policy::{Viewer, rights};
use perplex_matches::team::{Command, Match, Phase, Span, Who, create};
use perplex_matches::time::Time;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::play;
use crate::support::chance::seed;
use crate::test_app::has;

const CHANGES: &[&str] = &[
    "rule N NW \"Knights also step.\"",
    "rule N N \"Knights as ever.\"",
    "rule B K \"Bishops step.\"",
    "rule R R3 \"Rooks tire.\"",
    "rule Q QN \"Amazons.\"",
    "rule P fmWfcF \"No double step.\"",
    "rule P =NB \"Minor pieces only.\"",
    "rule * written \"Anyone may pass.\"",
];

/// A turn to try on a board: a legal move, now and then a change or an answer.
fn some_turn(boards: &Boards, number: BoardNo, rng: &mut StdRng) -> Option<String> {
    let board = boards.board(number)?;
    if board.position().pending().is_some() {
        let answer = if rng.random_bool(0.5) {
            "accept"
        } else {
            "reject"
        };
        return Some(answer.to_owned());
    }
    if rng.random_bool(0.1) {
        return CHANGES.choose(rng).map(|text| (*text).to_owned());
    }
    Some(board.legal().choose(rng)?.to_string())
}

/// Number of pieces of each side on all boards.
fn totals(boards: &Boards) -> [u32; 2] {
    [Side::First, Side::Second].map(|side| {
        boards
            .iter()
            .map(|(_, board)| board.position().count(side))
            .sum()
    })
}

pub fn positions(boards: &Boards) -> Vec<String> {
    boards
        .iter()
        .map(|(_, board)| {
            use perplex_games::rules::Rules as _;
            format!("{} {:?}", board.position().position(), board.outcome())
        })
        .collect()
}

/// The one invariant: the king of the side that is not to move is not in check. Seen from outside: no
/// piece of the side to move reaches it.
pub fn is_sound(boards: &Boards) {
    for (number, board) in boards.iter() {
        let position = board.position();
        let mover = position.side();
        let Some(king) = position.king(mover.other()) else {
            continue;
        };
        let attacker = Square::all().find(|square| {
            position
                .piece(*square)
                .is_some_and(|piece| piece.side == mover)
                && position.reach(*square).contains(&king)
        });
        assert_eq!(attacker, None, "board {number}: {:?}", positions(boards));
    }
}

#[test]
fn random_records() {
    let mut rng = StdRng::seed_from_u64(seed());
    let (mut lines, mut transfers, mut mates) = (0, 0, 0);
    for size in [Size::Small, Size::Medium, Size::Large].repeat(3) {
        let mut boards = Boards::new(size);
        let mut record = Vec::new();
        while boards.outcome().is_none() && record.len() < 600 {
            let number = BoardNo(rng.random_range(1..=size.boards()));
            let side = if rng.random_bool(0.5) {
                Side::First
            } else {
                Side::Second
            };
            let text = match rng.random_range(0..10) {
                0..3 => boards
                    .transfers(side)
                    .choose(&mut rng)
                    .map(ToString::to_string),
                3 if rng.random_bool(0.03) => Some(format!("{number} resign")),
                _ => some_turn(&boards, number, &mut rng).map(|turn| format!("{number} {turn}")),
            };
            let Some(text) = text else { continue };
            // A change may be refused; a legal move or transfer never is.
            let line = match boards.read(&text) {
                Ok(line) => line,
                Err(error) => {
                    assert!(
                        text.contains("rule") || text.contains("resign"),
                        "{text}: {error}"
                    );
                    continue;
                }
            };
            let before = totals(&boards);
            boards.take(&line);
            is_sound(&boards);
            let after = totals(&boards);
            let ended = boards.iter().filter(|(_, b)| b.outcome().is_some()).count();
            let text = line.to_string();
            if text.starts_with(['w', 'b']) {
                transfers += 1;
            }
            // Only a capture takes a piece, and only an end of a board the two kings.
            let lost = before[0] + before[1] - after[0] - after[1];
            assert!(lost <= 1 + 4, "{text}: {before:?} {after:?}");
            if !text.starts_with(['w', 'b']) || ended == 0 {
                assert!(lost <= 3, "{text}: {before:?} {after:?}");
            }
            record.push(text);
        }
        if boards.outcome().is_none() {
            let time = boards.read("time").expect("it is being played");
            boards.take(&time);
            record.push("time".to_owned());
        }
        assert!(boards.outcome().is_some());
        mates += boards.score().white + boards.score().black;
        lines += record.len();
        // The record is complete.
        let mut again = Boards::new(size);
        for text in &record {
            let line = again.read(text).expect("a line of the record");
            assert_eq!(line.to_string(), *text);
            again.take(&line);
        }
        assert_eq!(positions(&again), positions(&boards));
        assert_eq!(again.outcome(), boards.outcome());
    }
    println!("{lines} lines, {transfers} transfers, {mates} boards won");
    assert!(transfers > 50, "only {transfers} transfers");
}

#[test]
fn transfers_are_those_that_are_not_refused() {
    let mut rng = StdRng::seed_from_u64(seed());
    let mut boards = Boards::new(Size::Small);
    for _ in 0..120 {
        for side in [Side::First, Side::Second] {
            let offered = boards.transfers(side);
            for square in Square::all() {
                for from in boards.numbers() {
                    for to in boards.numbers() {
                        let transfer = Transfer {
                            side,
                            square,
                            from,
                            to,
                        };
                        let possible = boards.read(&transfer.to_string()).is_ok();
                        assert_eq!(possible, offered.contains(&transfer), "{transfer}");
                    }
                }
            }
        }
        let number = BoardNo(rng.random_range(1..=3));
        let text = if rng.random_bool(0.3) {
            boards
                .transfers(Side::First)
                .choose(&mut rng)
                .map(ToString::to_string)
        } else {
            some_turn(&boards, number, &mut rng).map(|turn| format!("{number} {turn}"))
        };
        if let Some(line) = text.and_then(|text| boards.read(&text).ok()) {
            boards.take(&line);
        }
        if boards.outcome().is_some() {
            boards = Boards::new(Size::Small);
        }
    }
}

/// RULES.md, Transfers: squares are read as `e4` or as 1 to 64.
#[test]
fn squares_of_transfers_have_names_or_numbers() {
    let mut boards = Boards::new(Size::Small);
    let opened = boards.read("3 e2e4").expect("a turn");
    boards.take(&opened);
    for written in ["w 53 1>3", "w 53  1 3", "w e2 1>3"] {
        let read = boards.read(written).map(|line| line.to_string());
        assert_eq!(read.ok().as_deref(), Some("w e2 1>3"), "{written}");
    }
    for (wrong, column) in [
        ("w 65 1>3", 3),
        ("w 0 1>3", 3),
        ("w 037 1>3", 3),
        ("w 371>3", 3),
        ("w 37 9>3", 6),
    ] {
        let error = boards.read(wrong).expect_err(wrong).to_string();
        assert!(
            error.contains(&format!("column {column}")),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn arbitrary_lines_never_panic() {
    let mut rng = StdRng::seed_from_u64(seed());
    let boards = Boards::new(Size::Medium);
    let parts = [
        "1",
        "6",
        "0",
        "w",
        "b",
        "W",
        "e4",
        "e2",
        "37",
        "1>3",
        "1",
        ">",
        "time",
        "draw",
        "resign",
        "white",
        "rule",
        "N",
        "\"",
        "accept",
        "under",
        "é",
        "\u{1f600}",
        " ",
        "  ",
        "e2e4",
    ];
    for _ in 0..20_000 {
        let words: Vec<&str> = (0..rng.random_range(0..6))
            .filter_map(|_| parts.choose(&mut rng).copied())
            .collect();
        let separator = if rng.random_bool(0.7) { " " } else { "" };
        if let Ok(line) = boards.read(&words.join(separator)) {
            let mut after = boards.clone();
            after.take(&line);
            assert_eq!(boards.read(&line.to_string()).expect("canonical"), line);
        }
    }
}

pub const NOW: Time = Time(1_800_000_000_000_000);

pub fn terms(size: Size, sight: Sight) -> Terms {
    Terms {
        seconds: Some(3_600),
        sight,
        ..Terms::of(size)
    }
}

/// A match and its journal.
pub struct Table {
    pub state: Match,
    pub journal: Vec<Event>,
}

impl Table {
    pub fn new(terms: Terms) -> Self {
        let journal = create(terms, NOW).expect("a match");
        Self {
            state: Match::replay(&journal).expect("a state"),
            journal,
        }
    }

    /// Runs a command that is taken.
    pub fn does(&mut self, who: Who, command: &Command) {
        let done = self.try_to(who, command, NOW, 0);
        done.unwrap_or_else(|why| panic!("{command:?}: {why}"));
    }

    /// The words in which a command is refused.
    pub fn refusal(&mut self, who: Who, command: &Command) -> String {
        let head = self.state.head;
        let why = self.try_to(who, command, NOW, 0);
        let why = why.expect_err("it should be refused");
        assert_eq!(self.state.head, head);
        why
    }

    /// Checks that a command is refused in these words.
    pub fn refuses(&mut self, who: Who, command: &Command, says: &str) {
        has(&self.refusal(who, command), says);
    }

    pub fn try_to(
        &mut self,
        who: Who,
        command: &Command,
        now: Time,
        chance: u64,
    ) -> Result<(), String> {
        let events = self
            .state
            .decide(&who, command, now, chance)
            .map_err(|refusal| texts::refusal::team(&refusal, "host"))?;
        for event in events {
            // Through the text of the journal, as the database would.
            let kind: EventKind = event.kind.to_string().parse().expect("an event");
            assert_eq!(kind, event.kind);
            self.state.apply(&event).expect("an event that follows");
            self.journal.push(event);
        }
        Ok(())
    }

    /// Checks that the boards and the sentences about them follow from the lines in force: lines that were taken back
    /// leave no trace.
    pub fn is_as_if_nothing_had_been_taken_back(&self) {
        let in_force = self.state.log.iter().filter(|logged| {
            self.state.is_in_force(logged) && !matches!(logged.event.kind, EventKind::TakeBack(_))
        });
        let events: Vec<Event> = (1..)
            .zip(in_force)
            .map(|(number, logged)| Event {
                number,
                ..logged.event.clone()
            })
            .collect();
        let plain = Match::replay(&events).expect("a journal without what was taken back");
        assert_eq!(positions(&plain.boards), positions(&self.state.boards));
        let statuses = |state: &Match| -> Vec<_> {
            let boards = state.boards.numbers().zip(&state.statuses);
            boards
                .map(|(board, status)| {
                    let made = state.changes_made(board);
                    let made = made.map(|logged| (logged.event.by, logged.event.kind.clone()));
                    (status.offer, status.disputed, made.collect::<Vec<_>>())
                })
                .collect()
        };
        assert_eq!(statuses(&plain), statuses(&self.state));
        assert_eq!(plain.boards.outcome(), self.state.boards.outcome());
    }
}

pub fn member(number: u16) -> Who {
    Who {
        host: false,
        member: Some(MemberId(number)),
    }
}

pub const HOST: Who = Who {
    host: true,
    member: None,
};

#[test]
fn random_matches() {
    let mut rng = StdRng::seed_from_u64(seed());
    let (mut done, mut refused, mut elections, mut backs) = (0, 0, 0, 0);
    for round in 0..6 {
        let size = Size::ALL[round % 3];
        let mut table = Table::new(terms(size, Sight::Open));
        let wanted = usize::from(size.boards()) * 2 + 6;
        for number in 1..=u16::try_from(wanted).expect("few") {
            let join = Command::Join(MemberId(number), None);
            table.does(member(number), &join);
        }
        table
            .try_to(HOST, &Command::Deal, NOW, rng.random())
            .expect("dealt");
        table.does(HOST, &Command::Start { short: round > 2 });
        for step in 0..1_500 {
            let now = Time(NOW.0 + step * 1_000_000);
            let state = &table.state;
            if state.phase == Phase::Over {
                break;
            }
            let anyone = MemberId(rng.random_range(1..=state.next_member().0));
            let other = MemberId(rng.random_range(1..=state.next_member().0));
            let who = Who {
                host: rng.random_bool(0.05),
                member: Some(anyone),
            };
            let board = BoardNo(rng.random_range(1..=size.boards()));
            let side = if rng.random_bool(0.5) {
                Side::First
            } else {
                Side::Second
            };
            let command = match rng.random_range(0..40) {
                0 => Command::Vote(Some(other)),
                1..4 => Command::Vote(state.team(side).agents().next()),
                4 => Command::Leave(anyone),
                5 => Command::Join(state.next_member(), None),
                6 => Command::Give(side, Duty::Board(board), other),
                7 => Command::Give(side, Duty::Strategist, other),
                8 => Command::Pause,
                9..11 => Command::Resume,
                11 => Command::Offer(board),
                12 => Command::AcceptDraw(board),
                13 => Command::Decline(board),
                14 => Command::Dispute(board),
                15..18 => Command::Decide(board, rng.random_bool(0.5)),
                18 if rng.random_bool(0.1) => Command::Resign(board),
                18 if rng.random_bool(0.5) => {
                    let mode = *TalkMode::ALL.choose(&mut rng).expect("modes");
                    match rng.random_range(0..6) {
                        0 => Command::Talk(mode),
                        1 => Command::Time(Span::More(rng.random_range(-300..300))),
                        2 => Command::Rename(other),
                        3 => Command::RemoveMessage(rng.random_range(1..5), Actor::Member(other)),
                        4 => Command::Team(other, rng.random_bool(0.7).then_some(side)),
                        _ => Command::Replace(anyone, other),
                    }
                }
                18 => Command::TakeBack {
                    board,
                    seen: state.boards.board(board).expect("a board").version(),
                },
                19..26 => {
                    let found = state.boards.transfers(side).choose(&mut rng).copied();
                    match found {
                        Some(transfer) => Command::Transfer {
                            transfer,
                            kind: state
                                .boards
                                .piece(transfer.from, transfer.square)
                                .expect("a piece")
                                .kind,
                        },
                        None => Command::Vote(None),
                    }
                }
                _ => Command::Play {
                    board,
                    seen: state.boards.board(board).expect("a board").version(),
                    turn: some_turn(&state.boards, board, &mut rng).unwrap_or_default(),
                    offer: rng.random_bool(0.1),
                },
            };
            // Often a member with the right to do it.
            let who = match &command {
                Command::Play { board, .. } if rng.random_bool(0.9) => Who {
                    host: false,
                    member: state
                        .boards
                        .board(*board)
                        .and_then(perplex_games::perplexichess::Board::to_move)
                        .and_then(|side| state.team(side).duties.holder(Duty::Board(*board))),
                },
                Command::Transfer { transfer, .. } if rng.random_bool(0.9) => Who {
                    host: false,
                    member: state.team(transfer.side).duties.strategist,
                },
                Command::Resume
                | Command::Decide(..)
                | Command::TakeBack { .. }
                | Command::Talk(_)
                | Command::Time(_)
                | Command::Rename(_)
                | Command::RemoveMessage(..)
                | Command::Team(..)
                | Command::Replace(..) => HOST,
                _ => who,
            };
            let versions = |state: &Match| -> Vec<u32> {
                state.boards.iter().map(|(_, b)| b.version()).collect()
            };
            let before = versions(&table.state);
            match table.try_to(who, &command, now, rng.random()) {
                Ok(()) => {
                    done += 1;
                    if matches!(command, Command::TakeBack { .. }) {
                        backs += 1;
                        if backs % 32 == 0 {
                            table.is_as_if_nothing_had_been_taken_back();
                        }
                    }
                }
                Err(_) => refused += 1,
            }
            let state = &table.state;
            // No page can take a board for its earlier state, whatever was done or taken back.
            for ((now, before), status) in versions(state).iter().zip(before).zip(&state.statuses) {
                // A draw may be claimed with a turn.
                let is_later = *now > before && *now <= before + 2;
                assert!(*now == before || (is_later && status.touched == state.head));
            }
            is_sound(&state.boards);
            for side in [Side::First, Side::Second] {
                let team = state.team(side);
                let holders: Vec<Option<MemberId>> = team
                    .duties
                    .all()
                    .into_iter()
                    .map(|duty| team.duties.holder(duty))
                    .collect();
                if team.members.is_empty() {
                    assert!(holders.iter().all(Option::is_none));
                } else {
                    assert!(
                        holders.iter().flatten().count() == holders.len()
                            && holders.iter().flatten().all(|id| team.members.contains(id)),
                        "{holders:?} of {:?}",
                        team.members
                    );
                }
                assert_eq!(
                    team.elected(),
                    None,
                    "a member is elected and nothing follows"
                );
            }
        }
        let late = Time(NOW.0 + 100_000 * 1_000_000);
        if table.state.phase == Phase::Paused {
            table
                .try_to(HOST, &Command::Resume, late, 0)
                .expect("goes on");
        }
        let late = Time(late.0 + 3_600 * 1_000_000);
        if table.state.phase != Phase::Over {
            table
                .try_to(member(1), &Command::Resign(BoardNo(1)), late, 0)
                .expect("the time is up, whatever is commanded");
        }
        assert_eq!(table.state.phase, Phase::Over);
        elections += table
            .journal
            .iter()
            .filter(|event| matches!(event.kind, EventKind::Elected(..)))
            .count();
        let again = Match::replay(&table.journal).expect("a journal");
        assert_eq!(positions(&again.boards), positions(&table.state.boards));
        assert_eq!(again.teams, table.state.teams);
        assert_eq!(again.statuses, table.state.statuses);
        // The lines in force alone are a record for the referee.
        let mut boards = Boards::new(size);
        for logged in again.log.iter().filter(|logged| again.is_in_force(logged)) {
            if let EventKind::Line(text) = &logged.event.kind {
                let line = boards.read(text).expect("a line");
                boards.take(&line);
            }
        }
        assert_eq!(boards.outcome(), again.outcome());
        table.is_as_if_nothing_had_been_taken_back();
    }
    println!("{done} done, {refused} refused, {elections} elections, {backs} taken back");
    assert!(
        done > 1_000 && elections > 0 && backs > 0,
        "{done} {elections} {backs}"
    );
}

pub fn started(sight: Sight) -> Table {
    let mut table = Table::new(terms(Size::Small, sight));
    for number in 1..=10 {
        let side = if number <= 5 {
            Side::First
        } else {
            Side::Second
        };
        let join = Command::Join(MemberId(number), Some(side));
        table.does(member(number), &join);
    }
    for (side, first) in [(Side::First, 1), (Side::Second, 6)] {
        let duties = (1..=3).map(|board| Duty::Board(BoardNo(board)));
        for (number, duty) in (first..).zip(std::iter::once(Duty::Strategist).chain(duties)) {
            let arrange = Command::Arrange(side, duty, Some(MemberId(number)));
            table.does(member(first), &arrange);
        }
    }
    let start = Command::Start { short: false };
    table.does(HOST, &start);
    table
}

#[test]
fn each_duty_does_its_own() {
    let mut table = started(Sight::Open);
    // Only its boardman plays a board.
    for who in [1, 3, 5, 6] {
        table.refuses(member(who), &play(1, 0, "e2e4"), "Another member plays");
    }
    table.refuses(member(7), &play(1, 0, "e7e5"), "turn");
    table.does(member(2), &play(1, 0, "e4"));
    // A turn for an older state of the board is told so.
    table.refuses(member(7), &play(1, 0, "e7e5"), "changed");
    // Only the strategist transfers.
    let transfer = |text: &str, table: &Table| {
        let perplex_games::perplexichess::Line::Transfer(transfer) =
            table.state.boards.read(text).expect("possible")
        else {
            unreachable!()
        };
        Command::Transfer {
            transfer,
            kind: perplex_games::rules::flexichess::Kind::Pawn,
        }
    };
    let command = transfer("w e4 1>3", &table);
    for who in [2, 5, 6] {
        table.refuses(member(who), &command, "strategist");
    }
    table.does(member(1), &command);
    // Written rules are accepted or disputed; the host decides.
    table.does(
        member(7),
        &play(1, 2, "rule N written \"A knight may pass.\""),
    );
    let awaited = |table: &Table| {
        let all = [2, 7].map(|who| table.state.waits_for(MemberId(who)));
        (table.state.awaited(BoardNo(1)), all.concat())
    };
    let answer = Waiting::Answer(BoardNo(1));
    let asked = (Some(Awaited::Answer(Side::First)), vec![answer]);
    assert_eq!(awaited(&table), asked);
    table.refuses(member(2), &play(1, 3, "d2d4"), "first answers");
    table.refuses(member(2), &play(1, 3, "reject"), "dispute");
    table.refuses(
        member(7),
        &Command::Dispute(BoardNo(1)),
        "nothing to answer",
    );
    table.does(member(2), &Command::Dispute(BoardNo(1)));
    assert_eq!(awaited(&table), (Some(Awaited::Decision), vec![]));
    table.refuses(member(2), &play(1, 3, "accept"), "host decides");
    table.refuses(member(2), &Command::Decide(BoardNo(1), true), "host");
    table.does(HOST, &Command::Decide(BoardNo(1), true));
    let turn = Waiting::Turn(BoardNo(1));
    let next = (Some(Awaited::Turn(Side::First)), vec![turn]);
    assert_eq!(awaited(&table), next);
    let made = table.state.changes_made(BoardNo(1));
    let makers: Vec<String> = made.map(|logged| logged.event.by.to_string()).collect();
    assert_eq!(makers, ["7"]);
    // Draws are agreed on by the two boardmen.
    table.does(member(3), &Command::Offer(BoardNo(2)));
    table.refuses(member(3), &Command::AcceptDraw(BoardNo(2)), "no draw offer");
    table.does(member(8), &Command::AcceptDraw(BoardNo(2)));
    table.refuses(member(8), &Command::Resign(BoardNo(2)), "ended");
    // A vote is for a member of the voter's own team; the incumbent has none.
    table.refuses(member(1), &Command::Vote(Some(MemberId(2))), "no vote");
    table.refuses(member(2), &Command::Vote(Some(MemberId(7))), "your team");
    for who in [2, 3, 4] {
        assert_eq!(
            table.state.team(Side::First).duties.strategist,
            Some(MemberId(1))
        );
        table.does(member(who), &Command::Vote(Some(MemberId(5))));
    }
    let duties = &table.state.team(Side::First).duties;
    assert_eq!(duties.to_string(), "5 2 3 4");
    assert_eq!(table.state.team(Side::First).vote_of(MemberId(2)), None);
    // Pauses: nothing is played, the clock stands.
    let later = Time(NOW.0 + 60_000_000);
    table
        .try_to(HOST, &Command::Pause, later, 0)
        .expect("paused");
    table.refuses(member(4), &play(3, 1, "d2d4"), "paused");
    let much_later = Time(NOW.0 + 10_000 * 1_000_000);
    assert_eq!(
        table
            .state
            .time_left(much_later)
            .expect("a limit")
            .as_secs(),
        3_540
    );
    table
        .try_to(HOST, &Command::Resume, much_later, 0)
        .expect("goes on");
    let end = Time(much_later.0 + 3_540 * 1_000_000);
    assert_eq!(table.state.deadline(), Some(end));
    assert_eq!(table.state.time_out(Time(end.0 - 1)), []);
    assert_eq!(table.state.time_out(end).len(), 1);
    table
        .try_to(HOST, &Command::Pause, end, 0)
        .expect("the end, whatever is asked for");
    assert_eq!(table.state.phase, Phase::Over);
    let score = table.state.boards.score();
    assert_eq!((score.white, score.black, score.drawn), (1, 1, 1));
}

#[test]
fn visitors_see_listed_matches_but_no_lesson() {
    for listed in [true, false] {
        let terms = Terms {
            listed,
            ..terms(Size::Small, Sight::Open)
        };
        let table = Table::new(terms);
        let sees = |in_lesson| {
            let visitor = Viewer {
                in_lesson,
                ..Viewer::default()
            };
            rights(&table.state, &visitor).see
        };
        assert_eq!([sees(false), sees(true)], [listed, false]);
    }
}

#[test]
fn rooms_hide_the_other_boards() {
    let table = started(Sight::Rooms);
    let boards = |viewer: Viewer| -> Vec<u8> {
        rights(&table.state, &viewer)
            .boards
            .iter()
            .map(|b| b.0)
            .collect()
    };
    let of = |number| Viewer {
        member: Some(MemberId(number)),
        ..Viewer::default()
    };
    assert_eq!(boards(of(1)), [1, 2, 3]);
    assert_eq!(boards(of(3)), [2]);
    assert_eq!(boards(of(5)), [1, 2, 3]);
    let host = Viewer {
        host: true,
        ..Viewer::default()
    };
    let projector = Viewer {
        projector: true,
        ..Viewer::default()
    };
    let by_link = Viewer {
        by_link: true,
        ..Viewer::default()
    };
    assert_eq!(boards(host), [1, 2, 3]);
    assert_eq!(boards(projector), [1, 2, 3]);
    assert!(boards(by_link).is_empty());
    assert!(!rights(&table.state, &Viewer::default()).see);
    // No member reads the talk of the other team, nor does the host.
    for (viewer, talk) in [
        (of(1), [true, false]),
        (of(7), [false, true]),
        (host, [false, false]),
        (projector, [false, false]),
    ] {
        assert_eq!(rights(&table.state, &viewer).team_talk, talk);
    }
}
