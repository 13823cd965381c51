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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_kind() {
        for (line, kind) in [
            ("w e4 1>2", LineKind::Transfer(Side::First)),
            ("b d5 2>1", LineKind::Transfer(Side::Second)),
            ("1 e2e4", LineKind::Move),
            ("3 e7e8q", LineKind::Move),
            (
                "2 rule N NW \"as it was under the old draw\"",
                LineKind::Change,
            ),
            ("2 under 1 b1c4 xd5", LineKind::Under),
            ("1 accept", LineKind::Answer),
            ("1 reject", LineKind::Answer),
            ("1 draw", LineKind::End),
            ("1 resign black", LineKind::End),
            ("time", LineKind::Time),
        ] {
            assert_eq!(LineKind::of(line), kind, "{line}");
        }
    }
}
