//! The phrases from which members choose while the host allows nothing else. All of them are here. Pure.

use perplex_games::perplexichess::{BoardNo, Size};
use perplex_games::rules::flexichess::{Kind, Square};

/// A ready-made message. In `text`, `{board}`, `{square}` and `{piece}` are blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The word that forms use.
    pub key: &'static str,
    /// The message.
    pub text: &'static str,
}

const fn phrase(key: &'static str, text: &'static str) -> Phrase {
    Phrase { key, text }
}

/// All phrases, in groups with their headings. A square is written as a message points at it: `3:e4`.
pub const PHRASES: [(&str, &[Phrase]); 4] = [
    (
        "Plans",
        &[
            phrase("attack", "I want to attack on board {board}."),
            phrase("defend", "I want to defend on board {board}."),
            phrase("aim", "Let us aim at {board}:{square}."),
            phrase(
                "rule",
                "Let us change the rule of the {piece} on board {board}.",
            ),
            phrase("gather", "Let us bring pieces to board {board}."),
            phrase("draw", "Let us play for a draw on board {board}."),
            phrase("fast", "Let us play faster."),
        ],
    ),
    (
        "Asks",
        &[
            phrase("send", "Please send a {piece} to board {board}."),
            phrase("spare", "Can you spare a {piece} on board {board}?"),
            phrase("help", "I need help on board {board}."),
            phrase("look", "Please look at {board}:{square}."),
            phrase("what", "What shall I play on board {board}?"),
            phrase("wait", "Please wait on board {board}."),
            phrase("duty", "May I have another duty?"),
        ],
    ),
    (
        "Answers",
        &[
            phrase("yes", "Yes."),
            phrase("no", "No."),
            phrase("do", "I will do that."),
            phrase("later", "Not now, perhaps later."),
            phrase("unclear", "I do not understand."),
            phrase("careful", "Be careful on board {board}!"),
            phrase("winning", "We are winning on board {board}."),
            phrase("losing", "We are losing on board {board}."),
        ],
    ),
    (
        "Thanks",
        &[
            phrase("good-idea", "Good idea!"),
            phrase("thanks", "Thank you!"),
            phrase("well-played", "Well played!"),
            phrase("sorry", "Sorry!"),
            phrase("luck", "Good luck!"),
            phrase("good-game", "Good game!"),
        ],
    ),
];

/// The values for the blanks that a member has chosen; phrases ignore those that they have no blank for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Blanks {
    /// A board.
    pub board: Option<BoardNo>,
    /// A square.
    pub square: Option<Square>,
    /// A kind of piece.
    pub piece: Option<Kind>,
}

/// A blank of a phrase that has no value yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blank {
    /// A board of the match.
    Board,
    /// A square.
    Square,
    /// A kind of piece.
    Piece,
}

impl Phrase {
    /// The phrase called `key`.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        let mut all = PHRASES.iter().flat_map(|(_, phrases)| *phrases);
        all.find(|phrase| phrase.key == key)
    }

    /// The message, its blanks filled, in a match of this size.
    ///
    /// # Errors
    /// The blank for which a value has to be chosen first.
    pub fn said(&self, blanks: Blanks, size: Size) -> Result<String, Blank> {
        let board = blanks
            .board
            .filter(|board| (1..=size.boards()).contains(&board.0));
        let filled = [
            (
                "{board}",
                board.map(|board| board.to_string()),
                Blank::Board,
            ),
            (
                "{square}",
                blanks.square.map(|square| square.to_string()),
                Blank::Square,
            ),
            (
                "{piece}",
                blanks.piece.map(|piece| piece.name().to_owned()),
                Blank::Piece,
            ),
        ];
        let mut text = self.text.to_owned();
        for (blank, value, missing) in filled {
            if text.contains(blank) {
                text = text.replace(blank, &value.ok_or(missing)?);
            }
        }
        Ok(text)
    }

    /// The text in pieces: false and plain text, or true and the name of a blank (`board`, `square`, `piece`).
    #[must_use]
    pub fn pieces(&self) -> Vec<(bool, &'static str)> {
        let mut pieces = Vec::new();
        for (index, part) in self.text.split(['{', '}']).enumerate() {
            if !part.is_empty() {
                pieces.push((index % 2 == 1, part));
            }
        }
        pieces
    }
}
