use std::net::IpAddr;

use chrono_tz::Tz;
use perplex_matches::id::{AccountId, AccountKind, ClassId, MatchId};
use perplex_matches::time::Time;

use super::{AppError, NotAllowed};
use crate::store::preferences::Preferences;

/// The name of every visitor who plays without an account; no account can have it.
pub const GUEST_NAME: &str = "Guest";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Viewer {
    pub id: AccountId,
    pub name: String,
    pub session: String,
    /// The time at which the password was last typed in this session.
    pub proved_at: Time,
    pub preferences: Preferences,
    pub is_admin: bool,
    pub class: Option<ClassId>,
    /// True for a visitor who plays without an account.
    pub is_guest: bool,
    /// The duties in team matches whose walk-through the viewer has seen, separated by commas.
    pub help_seen: String,
    /// The lesson by whose code the session began, the only one where it is good; `None` if it began with a proof.
    pub lesson: Option<MatchId>,
}

impl Viewer {
    /// Errors: the viewer is a pupil or a guest.
    pub fn require_adult_account(&self) -> Result<(), AppError> {
        self.require(|kind| kind == AccountKind::Adult)
    }

    /// Errors: what is done is not for accounts of the viewer's kind.
    pub fn require(&self, is_for: impl FnOnce(AccountKind) -> bool) -> Result<(), AppError> {
        Actor::from(self).require(is_for)
    }

    pub const fn kind(&self) -> AccountKind {
        match self.class {
            _ if self.is_guest => AccountKind::Guest,
            Some(_) => AccountKind::Pupil,
            None => AccountKind::Adult,
        }
    }

    pub fn zone(&self) -> Tz {
        self.preferences.zone()
    }
}

/// The token of a session, by the place that it stood in: a guest's session is no account's, nor the other way round.
#[derive(Clone, Debug)]
pub enum Credential {
    Account(String),
    Guest(String),
}

impl Credential {
    pub fn token(&self) -> &str {
        match self {
            Self::Account(token) | Self::Guest(token) => token,
        }
    }

    pub fn into_token(self) -> String {
        match self {
            Self::Account(token) | Self::Guest(token) => token,
        }
    }

    pub const fn is_guest(&self) -> bool {
        matches!(self, Self::Guest(_))
    }
}

/// The account that acts in a match: a person, by a session or by mail, or the computer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    pub account: AccountId,
    pub kind: AccountKind,
}

impl Actor {
    /// Errors: what is done is not for accounts of its kind.
    pub fn require(&self, is_for: impl FnOnce(AccountKind) -> bool) -> Result<(), AppError> {
        match self.kind {
            kind if is_for(kind) => Ok(()),
            AccountKind::Guest => Err(AppError::Forbidden(NotAllowed::Guest)),
            AccountKind::Pupil | AccountKind::Adult => Err(AppError::Forbidden(NotAllowed::Pupil)),
        }
    }
}

impl From<&Viewer> for Actor {
    fn from(viewer: &Viewer) -> Self {
        Self {
            account: viewer.id.clone(),
            kind: viewer.kind(),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Visitor {
    /// The network address; empty if it is not known.
    pub address: String,
    /// True if a proxy does not tell the address.
    pub is_untold: bool,
    pub agent: String,
    /// The proof that an account was signed in to on this device before; empty without.
    pub device: String,
    /// The mark that tells this browser from others, across accounts; empty without.
    pub browser: String,
    /// True if the mark is new, or the browser keeps none.
    pub is_new: bool,
    /// True if the mark was given minutes ago.
    pub is_young: bool,
    /// The account of a visitor who has played without one of their own.
    pub guest: Option<AccountId>,
    /// The pupils who are signed in on this device.
    pub signed_in: Vec<AccountId>,
    /// Those of them who gave a proof: the card or the words, not only the code of a lesson.
    pub proved: Vec<AccountId>,
    /// Those who have signed out in this browser lately.
    pub left: Vec<AccountId>,
}

/// The address, or in IPv6 its network, since one line has 2^64 addresses there.
pub fn network_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        address @ IpAddr::V4(_) => address.to_string(),
    }
}

impl Visitor {
    /// The pupils who are signed in on this device, or have signed out on it lately.
    pub fn pupils(&self) -> impl Iterator<Item = &AccountId> {
        self.signed_in.iter().chain(&self.left)
    }

    /// The key that limits count by. Visitors whose address is not told are no network: each browser counts alone, and those
    /// that have no mark yet together.
    pub fn network(&self) -> String {
        if self.is_untold && !self.is_new {
            return self.browser.clone();
        }
        let address = self.address.parse();
        address.map_or_else(|_| self.address.clone(), network_of)
    }
}

#[cfg(test)]
mod tests {
    use super::Visitor;

    #[test]
    fn one_line_is_one_network() {
        let network = |address: &str| {
            let address = address.to_owned();
            let visitor = Visitor {
                address,
                ..Visitor::default()
            };
            visitor.network()
        };
        assert_eq!(network("2001:db8:1:2::7"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::7"), network("2001:db8:1:3::7"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_ne!(network("::ffff:192.0.2.1"), network("::ffff:192.0.2.2"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    }
}
