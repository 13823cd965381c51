//! Correspondence matches and the try board in words: the state for a reader, the titles of pictures.

use std::time::Duration;

use super::outcome::{because, ended};
use super::{away, capital, list, person};
use crate::app::Winner;
use crate::app::correspondence::{Listed, Name};
use perplex_games::rules::{Outcome, Reason, Side};
use perplex_matches::id::AccountId;

pub const WAITING: &str = "Waiting for players";
pub const WAITS_FOR_ALL: &str = "The match begins when everybody has joined.";
pub const CHALLENGES_YOU: &str = "Challenges you";
pub const WILL_YOU_PLAY: &str = "Will you play?";
pub const CALLED_OFF: &str = "Called off";

pub fn challenges_you(name: &str) -> String {
    format!("{name} challenges you")
}

/// What a player may do about a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawNow {
    /// Accept or decline it.
    Offered,
    Claimable,
}

/// The headline for the player to move.
pub const fn your_turn(draw: Option<DrawNow>) -> &'static str {
    match draw {
        None => "Your turn",
        Some(DrawNow::Offered) => "Your turn; a draw is offered",
        Some(DrawNow::Claimable) => "Your turn; you can claim a draw",
    }
}

/// The headline for all others; the reader may be offered a draw meanwhile.
pub fn turn_of(name: &str, is_offered: bool) -> String {
    if is_offered {
        format!("{name}’s turn; you are offered a draw")
    } else {
        format!("{name}’s turn")
    }
}

/// The title of a match that waits for players: for its maker, by those who were `asked`.
pub fn gathering(maker: &str, is_own: bool, asked: &[&str]) -> String {
    match (is_own, asked) {
        (false, _) => format!("A match with {maker}"),
        (true, []) => "Your new match".to_owned(),
        (true, asked) => format!("A match with {}", list(asked)),
    }
}

pub fn plies(ply: i32) -> String {
    match ply {
        0 => "no turns yet".to_owned(),
        1 => "1 turn".to_owned(),
        ply => format!("{ply} turns"),
    }
}

/// The time that the player to move has; `left` and `until` as [`super::left`] and [`super::moment`] give them, and
/// the time in which no player could act.
pub struct TimeLeft {
    pub left: String,
    pub until: String,
    pub away: Duration,
}

/// The answer to a legal turn that does not solve a puzzle.
pub const NOT_THAT_ONE: &str = "That turn is legal, but it is not the one. Try again.";

/// The answer to a choice on several boards, or to a question, that is not the right one.
pub const NOT_THAT_CHOICE: &str = "That is not the one. Try again.";

/// The reason why a draw can be claimed, to the player to move.
pub const fn claimable(reason: Reason) -> &'static str {
    match reason {
        Reason::NoProgress => {
            "For 50 moves nothing was captured and no pawn moved: you can claim a draw."
        }
        _ => "This position has come up three times: you can claim a draw.",
    }
}

/// Turns that a choice names.
const NAMED: usize = 4;

/// The label of the choice to claim a draw with one of these legal turns, whose other notations `also` gives; none
/// without turns. With any other turn it offers one.
pub fn claim_with<Turn: ToString>(
    turns: &[Turn],
    numbered: bool,
    also: impl Fn(&Turn) -> Vec<String>,
) -> Option<String> {
    let named = |turn: &Turn| {
        let mut names = also(turn).into_iter();
        names
            .nth(usize::from(numbered))
            .unwrap_or_else(|| turn.to_string())
    };
    match turns {
        [] => None,
        few if few.len() <= NAMED => {
            let named: Vec<String> = few.iter().map(named).collect();
            Some(format!(
                "Claim a draw with {}, or offer one with another turn",
                named.join(" or ")
            ))
        }
        _ => Some("Claim a draw with it, or offer one if it is no claim".to_owned()),
    }
}

/// A draw on offer, to its reader: the side that offers it is theirs or not, and its next turn lets it stand or not.
pub const fn offer_stands(is_own: bool, outlives: bool) -> &'static str {
    match (is_own, outlives) {
        (true, true) => {
            "Your offer of a draw stands, until it is answered or a turn is played in reply."
        }
        (true, false) => "Your offer of a draw stands, until it is answered or a turn is played.",
        (false, _) => "A draw is on offer.",
    }
}

/// The answer of `name` to the reader's offer of a draw.
pub fn declined(name: &str, is_computer: bool) -> String {
    if is_computer {
        format!("{name} declines the draw: it likes its own position better.")
    } else {
        format!("{name} declines your offer of a draw.")
    }
}

/// The time that is left, where there is room for no more.
pub fn time_left(left: &str) -> String {
    format!("{left} left")
}

/// The side and the time of the player to move; `None` is the reader.
pub fn to_play(name: Option<&str>, side: &str, time: &TimeLeft) -> String {
    let TimeLeft { left, until, .. } = time;
    let away = match time.away {
        Duration::ZERO => String::new(),
        time => format!(" {}.", away(time)),
    };
    match name {
        None => format!("You play {side} and have {left} left, until {until}.{away}"),
        Some(name) => format!("{name} plays {side} and has {left} left, until {until}.{away}"),
    }
}

/// The result of a game for readers who did not play in it.
pub fn result(outcome: Outcome, winners: &[String]) -> String {
    let because = because(outcome.reason);
    match outcome.winner {
        None => capital(&ended(None, because)),
        Some(_) => ended(Some(&list(winners)), because),
    }
}

/// The result in a list of matches, for the player `me` if that is given.
pub fn listed(listed: &Listed, me: Option<&AccountId>) -> String {
    let because = listed.reason.map_or("", because);
    let side = match listed.winner {
        None => return CALLED_OFF.to_owned(),
        Some(Winner::Draw) => return capital(&ended(None, because)),
        Some(Winner::First) => Side::First,
        Some(Winner::Second) => Side::Second,
    };
    let won = winners(listed, side);
    match me {
        Some(me) if won.iter().any(|name| name.id == *me) => ended(Some("You"), because),
        Some(_) => format!("You lost {because}"),
        None => {
            let names: Vec<&str> = won.into_iter().map(person).collect();
            ended(Some(&list(&names)), because)
        }
    }
}

fn winners(listed: &Listed, side: Side) -> Vec<&Name> {
    let seats = perplex_games::registry::find(&listed.terms.game)
        .and_then(|entry| entry.setup(&listed.terms.variant))
        .map(|game| game.seats())
        .unwrap_or_default();
    seats
        .iter()
        .zip(&listed.people)
        .filter(|(seat, _)| seat.side == side)
        .map(|(_, name)| name)
        .collect()
}

pub fn to_move(side: &str) -> String {
    format!("{side} to move")
}

/// The title of a picture of a whole game.
pub fn game_in_turns(name: &str, turns: usize) -> String {
    match turns {
        1 => format!("A game of {name}, 1 turn"),
        turns => format!("A game of {name}, {turns} turns"),
    }
}

/// The title of the picture of a position.
pub fn board_after(ply: usize) -> String {
    match ply {
        0 => "The board at the start".to_owned(),
        1 => "The board after 1 turn".to_owned(),
        ply => format!("The board after {ply} turns"),
    }
}

/// The words in place of the picture of a position in a mail to the player in `seat`, with the last turn as a sentence.
pub fn board_in_mail(seat: Option<&str>, last: Option<&str>) -> String {
    let seat = seat.map_or_else(String::new, |seat| format!(": you play {seat}"));
    let last = last.map_or_else(String::new, |last| format!(" {last}"));
    format!("The board{seat}.{last}")
}

/// The title of the picture of a position with a turn that is not played yet.
pub fn board_if(turn: &str) -> String {
    format!("The board if you play {turn}")
}

/// Told about a game that is too long for its address.
pub fn too_long(turns: usize, characters: usize) -> String {
    format!(
        "The try board holds at most {turns} turns, and as many as fit into an address of {characters} characters."
    )
}

/// Told where no record was pasted.
pub const NO_RECORD: &str = "Paste the record here first.";

/// What the try board is for; or that it shows the first game of several in a text.
pub const fn try_board(is_first: bool) -> &'static str {
    if is_first {
        "This is the first game of your text. Paste another one by itself to see it."
    } else {
        "You play all sides here, and can take everything back."
    }
}

/// Told about a turn in an address of the try board.
pub fn wrong_turn(number: usize, why: &str) -> String {
    format!("Turn {number} of the address: {why}")
}
