//! What a line of the record is about, as its words say, without the boards that it takes to read it. Pure.

use super::event::EventKind;
use perplex_games::rules::Side;

/// What a line of the record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A piece of this side changes boards.
    Transfer(Side),
    /// A piece moves.
    Move,
    /// A rule is changed.
    Change,
    /// A turn under a written rule.
    Under,
    /// What was proposed is accepted or rejected.
    Answer,
    /// A draw, or a member resigns.
    End,
    /// The end of the whole match.
    Time,
}

impl LineKind {
    /// The kind of a line in canonical notation, as the journal keeps it.
    #[must_use]
    pub fn of(line: &str) -> Self {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("w"), _) => Self::Transfer(Side::First),
            (Some("b"), _) => Self::Transfer(Side::Second),
            (_, Some("rule")) => Self::Change,
            (_, Some("under")) => Self::Under,
            (_, Some("accept" | "reject")) => Self::Answer,
            (_, Some("draw" | "resign")) => Self::End,
            (_, None) => Self::Time,
            _ => Self::Move,
        }
    }

    /// Whether it is a turn of its own: a move, a change of the rules, or a turn under a written rule.
    #[must_use]
    pub fn is_turn(self) -> bool {
        matches!(self, Self::Move | Self::Change | Self::Under)
    }
}

impl EventKind {
    /// What the line is about, if it is one.
    #[must_use]
    pub fn line_kind(&self) -> Option<LineKind> {
        match self {
            Self::Line(line) => Some(LineKind::of(line)),
            _ => None,
        }
    }

    /// Whether it is a piece that changes boards.
    #[must_use]
    pub fn is_transfer(&self) -> bool {
        matches!(self.line_kind(), Some(LineKind::Transfer(_)))
    }
}
