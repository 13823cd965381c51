//! Correspondence matches: the parts that all actions share. Each action has a file of its own.

use std::collections::HashMap;

use super::{App, computer};
use perplex_matches::id::{AccountId, MatchId};

mod act;
mod invitations;
mod lists;
mod make;
mod seen;
mod view;

pub use super::talk::LONGEST_LINE;
pub use invitations::proof as proof_of_invitation;
pub use lists::{GameResults, Listed, PlayerPage};
pub use make::{NewMatch, Opponent};
pub(super) use seen::LastSeen;
pub use view::{Line, MatchView};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub id: AccountId,
    /// `None` for an account that is gone, which has no page.
    pub name: Option<String>,
}

impl Name {
    pub fn is_computer(&self) -> bool {
        computer::find(&self.id).is_some()
    }
}

const LIST: i64 = 100;

/// The letters of a match's id: none that is easily taken for another.
const ID_LETTERS: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

impl App {
    pub fn join_link(&self, id: &MatchId) -> String {
        format!("/join/{id}/{}", self.key.mac("join", &[&id.0]))
    }

    fn link_is_good(&self, id: &MatchId, link: Option<&str>) -> bool {
        link.is_some_and(|mac| self.key.check("join", &[&id.0], mac))
    }
}

/// A new id of ten letters: 50 random bits.
pub(super) fn new_id() -> MatchId {
    let bytes: [u8; 10] = rand::random();
    MatchId(
        bytes
            .iter()
            .map(|byte| char::from(ID_LETTERS[usize::from(byte % 32)]))
            .collect(),
    )
}

pub(super) fn name_of(id: &AccountId, names: &HashMap<AccountId, String>) -> Name {
    Name {
        id: id.clone(),
        name: names.get(id).filter(|name| !name.is_empty()).cloned(),
    }
}
