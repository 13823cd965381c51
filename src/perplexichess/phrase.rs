//! The phrases from which members choose while the host lets them say nothing else. All of them are here. Pure.

use super::boards::{BoardNo, Size};
use crate::rules::flexichess::{Kind, Square};

/// What a phrase is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What somebody is going to do.
    Plans,
    /// What somebody would like to have.
    Asks,
    /// What is said to that.
    Answers,
    /// Being kind to each other.
    Thanks,
}

impl Group {
    /// All groups, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Plans, Self::Asks, Self::Answers, Self::Thanks];

    /// What people read.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Plans => "Plans",
            Self::Asks => "Asks",
            Self::Answers => "Answers",
            Self::Thanks => "Thanks",
        }
    }
}

/// Something that can be said. In `text`, `{board}`, `{square}` and `{piece}` are blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The word that forms use.
    pub key: &'static str,
    /// What it is for.
    pub group: Group,
    /// What is said.
    pub text: &'static str,
}

const fn phrase(key: &'static str, group: Group, text: &'static str) -> Phrase {
    Phrase { key, group, text }
}

/// Everything that can be said. A square is written as a message points at it: `3:e4`.
pub const PHRASES: [Phrase; 28] = [
    phrase("attack", Group::Plans, "I want to attack on board {board}."),
    phrase("defend", Group::Plans, "I want to defend on board {board}."),
    phrase("aim", Group::Plans, "Let us aim at {board}:{square}."),
    phrase(
        "rule",
        Group::Plans,
        "Let us change the rule of the {piece} on board {board}.",
    ),
    phrase(
        "gather",
        Group::Plans,
        "Let us bring pieces to board {board}.",
    ),
    phrase(
        "draw",
        Group::Plans,
        "Let us play for a draw on board {board}.",
    ),
    phrase("fast", Group::Plans, "Let us play faster."),
    phrase(
        "send",
        Group::Asks,
        "Please send a {piece} to board {board}.",
    ),
    phrase(
        "spare",
        Group::Asks,
        "Can you spare a {piece} on board {board}?",
    ),
    phrase("help", Group::Asks, "I need help on board {board}."),
    phrase("look", Group::Asks, "Please look at {board}:{square}."),
    phrase("what", Group::Asks, "What shall I play on board {board}?"),
    phrase("wait", Group::Asks, "Please wait on board {board}."),
    phrase("duty", Group::Asks, "May I have another duty?"),
    phrase("yes", Group::Answers, "Yes."),
    phrase("no", Group::Answers, "No."),
    phrase("do", Group::Answers, "I will do that."),
    phrase("later", Group::Answers, "Not now, perhaps later."),
    phrase("unclear", Group::Answers, "I do not understand."),
    phrase("careful", Group::Answers, "Be careful on board {board}!"),
    phrase(
        "winning",
        Group::Answers,
        "We are winning on board {board}.",
    ),
    phrase("losing", Group::Answers, "We are losing on board {board}."),
    phrase("good-idea", Group::Thanks, "Good idea!"),
    phrase("thanks", Group::Thanks, "Thank you!"),
    phrase("well-played", Group::Thanks, "Well played!"),
    phrase("sorry", Group::Thanks, "Sorry!"),
    phrase("luck", Group::Thanks, "Good luck!"),
    phrase("good-game", Group::Thanks, "Good game!"),
];

/// What somebody has filled into the blanks; phrases that lack a blank do not mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Blanks {
    /// A board.
    pub board: Option<BoardNo>,
    /// A square.
    pub square: Option<Square>,
    /// A kind of piece.
    pub piece: Option<Kind>,
}

impl Phrase {
    /// The phrase called `key`.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        PHRASES.iter().find(|phrase| phrase.key == key)
    }

    /// What is said in a match of this size.
    ///
    /// # Errors
    /// What has to be chosen first, a sentence.
    pub fn said(&self, blanks: Blanks, size: Size) -> Result<String, &'static str> {
        let board = blanks
            .board
            .filter(|board| (1..=size.boards()).contains(&board.0));
        let filled = [
            (
                "{board}",
                board.map(|board| board.to_string()),
                "Please choose a board first.",
            ),
            (
                "{square}",
                blanks.square.map(|square| square.to_string()),
                "Please choose a square first.",
            ),
            (
                "{piece}",
                blanks.piece.map(|piece| piece.name().to_owned()),
                "Please choose a piece first.",
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

    /// The text in pieces: what stands there, and the names of the blanks between (`board`, `square`, `piece`).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_is_whole() {
        let all = Blanks {
            board: Some(BoardNo(3)),
            square: Square::read('e', '4'),
            piece: Some(Kind::Knight),
        };
        for phrase in &PHRASES {
            assert_eq!(
                Phrase::find(phrase.key),
                Some(phrase),
                "two are called {}",
                phrase.key
            );
            let said = phrase.said(all, Size::Small).expect("nothing is missing");
            assert!(!said.contains(['{', '}']), "{said}");
            let pieces: String = phrase
                .pieces()
                .into_iter()
                .map(|(blank, text)| match (blank, text) {
                    (false, text) => text,
                    (true, "board") => "3",
                    (true, "square") => "e4",
                    (true, "piece") => "knight",
                    (true, other) => panic!("{other}"),
                })
                .collect();
            assert_eq!(pieces, said);
        }
    }

    #[test]
    fn blanks_are_asked_for() {
        let send = Phrase::find("send").expect("a phrase");
        let mut blanks = Blanks::default();
        assert!(
            send.said(blanks, Size::Small)
                .expect_err("no board")
                .contains("board")
        );
        blanks.board = Some(BoardNo(4));
        assert!(
            send.said(blanks, Size::Small)
                .expect_err("too few boards")
                .contains("board")
        );
        assert!(
            send.said(blanks, Size::Medium)
                .expect_err("no piece")
                .contains("piece")
        );
        blanks.piece = Some(Kind::Rook);
        assert_eq!(
            send.said(blanks, Size::Medium).as_deref(),
            Ok("Please send a rook to board 4.")
        );
        assert_eq!(
            Phrase::find("well-played")
                .and_then(|one| one.said(Blanks::default(), Size::Small).ok())
                .as_deref(),
            Some("Well played!")
        );
        assert_eq!(Phrase::find("rude"), None);
    }
}
