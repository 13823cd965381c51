//! The highlights of a match that is over: its rule of the day and its best transfer. Pure.

use super::{Happened, Logged};
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::flexichess::{Effect, Kind};
use perplex_games::rules::{Outcome, Reason, Side};

/// The highlights of a match; each is missing if nothing of its kind happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Highlights<'a> {
    /// The changed movement under which its kind moved most often, the kind, and how often it did.
    pub rule: Option<(&'a Logged, Kind, usize)>,
    /// The transfer to a board that its side won by play, with the fewest moves from there to the end, and their number.
    pub transfer: Option<(&'a Logged, usize)>,
}

/// The number of moves on a board, of one kind or of all, until `stops`.
fn moves(
    later: &[&Logged],
    board: BoardNo,
    kind: Option<Kind>,
    stops: impl Fn(&Logged) -> bool,
) -> usize {
    let until = later.iter().take_while(|logged| !stops(logged));
    let moves = until.filter(|logged| match &logged.happened {
        Happened::Moved {
            board: on,
            kind: moved,
            ..
        } => *on == board && kind.is_none_or(|kind| kind == *moved),
        _ => false,
    });
    moves.count()
}

/// True if the event decided a board for a side by play, not by counting its pieces.
fn wins(logged: &Logged, board: BoardNo, side: Side) -> bool {
    let won = |(ended, outcome): &(BoardNo, Outcome)| {
        *ended == board && outcome.winner == Some(side) && outcome.reason != Reason::Pieces
    };
    logged.ended.iter().any(won)
}

/// The highlights of the events in force, in their order.
#[must_use]
pub fn highlights<'a>(log: &[&'a Logged]) -> Highlights<'a> {
    let mut found = Highlights {
        rule: None,
        transfer: None,
    };
    for (index, logged) in log.iter().enumerate() {
        let later = &log[index + 1..];
        match &logged.happened {
            Happened::RuleChanged(board, change) => {
                let Effect::Movement(kind, _) = &change.effect else {
                    continue;
                };
                let replaces = |later: &Logged| match &later.happened {
                    Happened::RuleChanged(on, change) => {
                        let same =
                            matches!(&change.effect, Effect::Movement(other, _) if other == kind);
                        on == board && same
                    }
                    _ => false,
                };
                let count = moves(later, *board, Some(*kind), replaces);
                if count > found.rule.map_or(0, |(.., most)| most) {
                    found.rule = Some((logged, *kind, count));
                }
            }
            Happened::Transferred { transfer, .. } => {
                let is_end = |later: &Logged| wins(later, transfer.to, transfer.side);
                if !std::iter::once(logged).chain(later).any(|one| is_end(one)) {
                    continue;
                }
                // The move that decides the board counts.
                let count = if is_end(logged) {
                    0
                } else {
                    moves(later, transfer.to, None, is_end) + 1
                };
                if found.transfer.is_none_or(|(_, fewest)| count < fewest) {
                    found.transfer = Some((logged, count));
                }
            }
            _ => {}
        }
    }
    found
}
