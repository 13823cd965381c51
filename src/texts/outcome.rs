//! The result of a game, in words.

use perplex_games::rules::{Outcome, Reason, Side};

/// The reason as the end of a sentence such as "Ada won".
pub const fn because(reason: Reason) -> &'static str {
    match reason {
        Reason::Line => "by a line",
        Reason::Goal => "by a goal",
        Reason::Stack => "by a stack",
        Reason::Stalled => "since one side could not move",
        Reason::NoCapture => "after too many turns without a capture",
        Reason::Repetition => "by repetition",
        Reason::NoProgress => "after too many turns without progress",
        Reason::Length => "after 1,000 turns",
        Reason::Passes => "after two passes",
        Reason::Checkmate => "by checkmate",
        Reason::Stalemate => "by stalemate",
        Reason::Agreement => "by agreement",
        Reason::Resign => "by resignation",
        Reason::Time => "on time",
        Reason::Pieces => "by the count of pieces",
        Reason::Boards => "by the count of boards",
    }
}

/// The result of a game: `White won by checkmate`, or without winners `a draw by stalemate`.
pub fn ended(winners: Option<&str>, because: &str) -> String {
    match winners {
        Some(winners) => format!("{winners} won {because}"),
        None => format!("a draw {because}"),
    }
}

/// The result for a reader on the side `mine`, if they are on one.
pub fn result(outcome: Outcome, mine: Option<Side>) -> &'static str {
    match (outcome.winner, mine) {
        (None, _) => "A draw",
        (Some(_), None) => "The match is over",
        (Some(winner), Some(mine)) if winner == mine => "You won",
        (Some(_), Some(_)) => "You lost",
    }
}

/// The names of the reader's side and the other in a sentence; `opponents` are those of a reader who plays.
pub fn sides(opponents: Option<&[String]>) -> (&str, &str) {
    match opponents {
        Some([one]) => ("you", one),
        _ => ("your side", "the other side"),
    }
}

/// The result of a match and its reason `why`, for a player on the side `mine`: "You won: Ada gave up." See [`why`].
pub fn verdict(outcome: Outcome, mine: Option<Side>, why: &str) -> String {
    let word = match outcome.winner {
        None => "It is a draw",
        Some(_) => result(outcome, mine),
    };
    if why.is_empty() {
        format!("{word}.")
    } else {
        format!("{word}: {why}.")
    }
}

/// The reason of a draw that was claimed, as a clause; `who` is "you" or a name.
pub fn claimed(who: &str, reason: Reason) -> String {
    let right = match reason {
        Reason::NoProgress => "for 50 moves nothing was captured and no pawn moved",
        _ => "the same position had come up three times",
    };
    format!("{who} claimed it, as {right}")
}

/// The reason of a result as a clause, for a player on the side `mine`: "Ada gave up"; empty if it says no more than
/// the result. `us` and `them` are as [`sides`] gives them.
pub fn why(outcome: Outcome, mine: Option<Side>, (us, them): (&str, &str)) -> String {
    let won = match outcome.winner {
        None => return why_drawn(outcome.reason).to_owned(),
        winner => winner == mine,
    };
    match outcome.reason {
        Reason::Line if won => "your line is complete".to_owned(),
        Reason::Line => format!("the line of {them} is complete"),
        Reason::Goal if won => "a piece of yours stands on the other back row".to_owned(),
        Reason::Goal => format!("a piece of {them} stands on your back row"),
        Reason::Stack if won => "all your checkers stand in one stack".to_owned(),
        Reason::Stack => format!("all checkers of {them} stand in one stack"),
        Reason::Stalled if won => format!("{them} could make no turn"),
        Reason::Stalled => format!("{us} could make no turn"),
        Reason::Resign if won => format!("{them} gave up"),
        Reason::Resign => format!("{us} gave up"),
        Reason::Time if won => format!("{them} ran out of time"),
        Reason::Time => format!("{us} ran out of time"),
        Reason::Checkmate => "checkmate".to_owned(),
        Reason::Pieces => "more pieces on the board".to_owned(),
        Reason::Boards => "more boards".to_owned(),
        _ => why_drawn(outcome.reason).to_owned(),
    }
}

const fn why_drawn(reason: Reason) -> &'static str {
    match reason {
        Reason::Agreement => "both sides agreed on it",
        Reason::Repetition => "the same position came up too often",
        Reason::NoCapture => "nothing was captured for too long",
        Reason::NoProgress => "there was no progress for too long",
        Reason::Length => "the game had 1,000 turns",
        Reason::Passes => "both sides passed",
        Reason::Stalemate => "stalemate",
        Reason::Line => "both sides have a line",
        Reason::Time => "the time is over",
        _ => "",
    }
}
