use perplex_games::rules::{Outcome, Reason, Side};

/// The result of a match, for a player on the side `mine`: "You won: Ada gave up." `us` and `them` are the names of
/// the two sides: "you" or "your side", a name or "the other side".
pub fn verdict(outcome: Outcome, mine: Option<Side>, us: &str, them: &str) -> String {
    let Some(winner) = outcome.winner else {
        return match why_drawn(outcome.reason) {
            "" => "It is a draw.".to_owned(),
            why => format!("It is a draw: {why}."),
        };
    };
    let won = mine == Some(winner);
    let why = match outcome.reason {
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
    };
    let word = if won { "You won" } else { "You lost" };
    format!("{word}: {why}.")
}

const fn why_drawn(reason: Reason) -> &'static str {
    match reason {
        Reason::Agreement => "both sides agreed on it",
        Reason::Repetition => "the same position came up too often",
        Reason::NoCapture => "nothing was captured for too long",
        Reason::NoProgress => "there was no progress for too long",
        Reason::Passes => "both sides passed",
        Reason::Stalemate => "stalemate",
        Reason::Line => "both sides have a line",
        Reason::Time => "the time is over",
        _ => "",
    }
}
