//! Changes of rules in words: what they are about, and what they do to a position.

use super::list;
use super::team::side_word;
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{
    Change, Effect, Fixed, Flexichess, Kind, Named, Pending, Preview, Promotions, side_name,
};
use perplex_matches::classroom::own_card::OwnCard;

/// The words for the movement of a king, which no rule changes.
pub const KING: &str = "moves one square in any direction, and may castle";

/// The moves of a kind under the ordinary rules, on the sheet with all rules.
pub const fn in_short(kind: Kind) -> &'static str {
    match kind {
        Kind::King => "one square in any direction",
        Kind::Queen => "any number of squares, straight or diagonally",
        Kind::Rook => "any number of squares straight",
        Kind::Bishop => "any number of squares diagonally",
        Kind::Knight => "two squares straight and one aside, over others, too",
        Kind::Pawn => {
            "one square forward (two from its first place); captures one square diagonally forward; on the last rank it becomes another piece"
        }
    }
}

/// The limits of all changes, which the program cannot read out of words: whoever writes, answers or decides judges them.
pub const LIMITS: &str = "A rule is about one kind of piece, holds for both colours alike, and leaves the king, check, mate and stalemate as they are.";

/// Points out what the rule in words that waits for its answer names although its limits keep it out; `None` if nothing.
pub fn points_out(position: &Flexichess) -> Option<String> {
    let Pending::Rule(change) = position.pending()? else {
        return None;
    };
    pointed_out(&change.named()?).map(|says| format!("{says}."))
}

/// Points out the same to the writer of a rule, before it is sent.
pub fn points_out_to_writer(rule: &Change) -> Option<String> {
    pointed_out(&rule.named()?).map(|says| format!("{says}, so the other side may dispute it."))
}

fn pointed_out(named: &Named) -> Option<String> {
    if named.is_empty() {
        return None;
    }
    let colours = named.colours.iter().map(|side| side_word(*side).to_owned());
    let fixed: Vec<&str> = named.fixed.iter().map(|fixed| fixed_name(*fixed)).collect();
    let kinds = named.kinds.iter().map(|kind| format!("{}s", kind.name()));
    let names: Vec<String> = colours
        .chain(fixed.iter().map(ToString::to_string))
        .chain(kinds)
        .collect();
    let mut limits = Vec::new();
    if !named.colours.is_empty() {
        limits.push("holds for both colours alike".to_owned());
    }
    if let [one] = fixed[..] {
        limits.push(format!("leaves {one} as it is"));
    } else if !fixed.is_empty() {
        limits.push(format!("leaves {} as they are", list(&fixed)));
    }
    if !named.kinds.is_empty() {
        limits.push("is about one kind of piece only".to_owned());
    }
    let (names, limits) = (list(&names), list(&limits));
    Some(format!("This rule names {names}. A rule {limits}"))
}

const fn fixed_name(fixed: Fixed) -> &'static str {
    match fixed {
        Fixed::King => "the king",
        Fixed::Check => "check",
        Fixed::Checkmate => "checkmate",
        Fixed::Stalemate => "stalemate",
    }
}

pub const NOW: &str = "The board now";
pub const IF_ACCEPTED: &str = "The board if this is accepted";
pub const AFTER_CHANGE: &str = "The board after the change";

pub const NO_MOVEMENT: &str = "A movement is missing here; - is one that goes nowhere.";
pub const NO_PROMOTION: &str = "Pawns promote to something: choose at least one.";
pub const IN_FORCE: &str = "this rule is in force already";

pub fn kinds(set: Promotions) -> String {
    let names: Vec<&str> = set.kinds().map(Kind::name).collect();
    list(&names)
}

pub fn promotes(set: Promotions) -> String {
    format!("promotes to {}", kinds(set))
}

pub fn how_it_moves(kind: Kind) -> String {
    format!("How the {} moves", kind.name())
}

pub fn how_it_would_move(kind: Kind) -> String {
    format!("How the {} would move; forward is up", kind.name())
}

/// The text of a change for the record, until the player words it; `words` say how the kind moves.
pub fn suggested(kind: Kind, words: &str) -> String {
    format!("The {} {words}.", kind.name())
}

/// The name of a card that a player keeps, unlike those of the others: "My knight", "My knight 2".
pub fn name_of_card(kind: Option<Kind>, others: &[OwnCard]) -> String {
    let name = format!("My {}", kind.map_or("rule", Kind::name));
    let numbered = (2..=others.len() + 1).map(|number| format!("{name} {number}"));
    let is_free = |name: &String| others.iter().all(|card| card.name != *name);
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(is_free).unwrap_or(name)
}

/// The title of a change.
pub fn title(effect: &Effect) -> String {
    match effect {
        Effect::Movement(kind, _) => how_it_moves(*kind),
        Effect::Promotion(_) => "What pawns become".to_owned(),
        Effect::Written(Some(kind)) => format!("A rule in words about the {}", kind.name()),
        Effect::Written(None) => "A rule in words".to_owned(),
    }
}

/// The reason why a click on the diagram had no effect.
pub fn not_there(why: &str) -> String {
    format!("Not there: {why}.")
}

/// Tells why a click had no effect: the movement is full.
pub const MOVEMENT_IS_FULL: &str =
    "A movement is written in at most 100 characters: this one takes no more.";

/// The title of the picture of a turn under a written rule, as far as it was put together; `board` is in words.
pub fn board_so_far(board: &str) -> String {
    format!("The board with what is done so far. {board}")
}

/// Tells that a change is for both sides, and the number of pieces that could move differently after it. Where one side is
/// not the reader's, `you` is `None`.
pub fn counts_for_both(preview: &Preview, you: Option<Side>) -> String {
    let [white, black] = preview.differ.each_ref().map(Vec::len);
    let [first, second] = match you {
        None => [
            format!("{white} of White’s pieces"),
            format!("{black} of Black’s"),
        ],
        Some(side) => {
            let (yours, theirs) = match side {
                Side::First => (white, black),
                Side::Second => (black, white),
            };
            [
                format!("{yours} of your pieces"),
                format!("{theirs} of theirs"),
            ]
        }
    };
    let both = "The new rule counts for both sides";
    if white + black == 0 {
        format!("{both}. Right now no piece could move differently.")
    } else {
        format!("{both}: {first} and {second} could move differently now.")
    }
}

/// The check, checkmate or stalemate that a change would give.
pub fn check(preview: &Preview) -> Option<String> {
    let checkers: Vec<String> = preview
        .checkers
        .iter()
        .filter_map(|&square| {
            let piece = preview.after.piece(square)?;
            Some(format!("the {} on {square}", piece.kind.name()))
        })
        .collect();
    let gives = list(&checkers);
    if let Some(outcome) = preview.outcome {
        return Some(match outcome.winner {
            Some(_) => format!("It is checkmate by {gives}: the game would end."),
            None => "It is stalemate: the game would end in a draw.".to_owned(),
        });
    }
    if checkers.is_empty() {
        return None;
    }
    if preview.refused.is_some() {
        return Some(format!("The king is attacked by {gives}."));
    }
    let other = side_name(preview.after.side());
    let verb = if checkers.len() == 1 { "gives" } else { "give" };
    Some(format!("It gives check to {other}: {gives} {verb} it."))
}
