//! Correspondence matches: the parts that all actions share. Each action has a file of its own.

use std::collections::HashMap;

use super::{App, AppError, computer};
use crate::store::invited_addresses;
use perplex_matches::id::{AccountId, MatchId};

mod act;
mod invitations;
mod lists;
mod make;
mod seen;
mod view;

pub use super::talk::LONGEST_LINE;
pub use invitations::invitation_link;
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

/// What a visitor comes with to a match.
enum Way {
    Closed,
    /// With the link of the match.
    Link,
    /// With the link of an invitation that stands, of this address as addresses are compared.
    Invitation(String),
}

impl Way {
    const fn is_open(&self) -> bool {
        !matches!(self, Self::Closed)
    }
}

/// The letters of a match's id: none that is easily taken for another.
const ID_LETTERS: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

impl App {
    pub fn join_link(&self, id: &MatchId) -> String {
        format!("/join/{id}/{}", self.key.mac("join", &[&id.0]))
    }

    /// How far `link` opens the match.
    async fn way_by(&self, id: &MatchId, link: Option<&str>) -> Result<Way, AppError> {
        let Some(link) = link else {
            return Ok(Way::Closed);
        };
        if self.key.check("join", &[&id.0], link) {
            return Ok(Way::Link);
        }
        let asked = id.clone();
        let invited = self
            .read(move |conn| Ok::<_, AppError>(invited_addresses::of_match(conn, &asked)?))
            .await?;
        let proved = invitations::proved(&self.key, id, &invited, link);
        Ok(proved.map_or(Way::Closed, |row| Way::Invitation(row.email_key.clone())))
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
