//! A match in a list.

use perplex_matches::id::MatchId;
use perplex_matches::time::Time;

use crate::store::matches::MatchRow;
use crate::store::{MatchKind, Phase, Winner};

/// A match as lists show it.
#[derive(Clone, Debug)]
pub struct ListedMatch {
    pub id: MatchId,
    pub kind: MatchKind,
    pub title: String,
    pub game: String,
    /// The variant's key, empty for the ordinary game; of a team match the key of its size.
    pub variant: String,
    pub phase: Phase,
    /// `None` while it is played, or if nobody won.
    pub winner: Option<Winner>,
    /// The time limit: of the player to move, or of a team match.
    pub deadline: Option<Time>,
    pub created: Time,
    pub updated: Time,
    /// True of a lesson that can be joined with its code.
    pub has_code: bool,
}

impl From<MatchRow> for ListedMatch {
    fn from(row: MatchRow) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            title: row.title,
            game: row.game,
            variant: row.variant,
            phase: row.phase,
            winner: row.winner,
            deadline: row.deadline,
            created: row.created_at,
            updated: row.updated_at,
            has_code: row.code.is_some(),
        }
    }
}
