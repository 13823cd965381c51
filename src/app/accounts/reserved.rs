//! Names that no visitor gets: those of the site and of its people, and for a while those that accounts had.

use std::time::Duration;

use perplex_matches::id::AccountId;
use perplex_matches::names::skeleton;
use perplex_matches::time::days;

use super::{AccountFault, App, AppError, invalid};
use crate::app::GUEST_NAME;
use crate::store::former_names::FormerName;

/// How long no other account gets the name of one that was deleted or renamed.
pub const FORMER_NAME: Duration = days(90);

/// What hashes of such names are for.
const FORMER: &str = "former-name";

/// Stand in no name.
const NOWHERE: [&str; 4] = ["perplex", "computer", "administrator", "moderator"];
/// Are no word of a name.
const NO_WORD: [&str; 7] = [
    "admin",
    "admins",
    "sysadmin",
    "webmaster",
    "postmaster",
    "support",
    "staff",
];
/// Are no name by themselves, with an article or a number neither.
const NO_NAME: [&str; 25] = [
    "host",
    "teacher",
    "white",
    "black",
    "team white",
    "team black",
    "player",
    "deleted player",
    "opponent",
    "spectator",
    "visitor",
    "member",
    "pupil",
    "strategist",
    "grand strategist",
    "boardman",
    "agent",
    "referee",
    "system",
    "root",
    "nobody",
    "anonymous",
    "you",
    "everybody",
    GUEST_NAME,
];

/// True if a name could be taken for that of a computer player.
pub(in crate::app) fn resembles_computer(name: &str) -> bool {
    skeleton(name).contains(&skeleton("computer"))
}

/// True if a name could be taken for that of the site, of one of its people or of a side.
pub(in crate::app) fn is_reserved(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.trim_end_matches(|c: char| !c.is_alphabetic());
    let words = || {
        let words = name.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty())
    };
    let plain = skeleton(name);
    let articles = ["the", "your", "our", "a", "an"];
    let first = words().next().unwrap_or_default();
    let without_article = if articles.contains(&first) {
        skeleton(words().skip(1).collect::<String>().as_str())
    } else {
        plain.clone()
    };
    NOWHERE.iter().any(|part| plain.contains(&skeleton(part)))
        || words().any(|word| {
            NO_WORD
                .iter()
                .any(|known| skeleton(word) == skeleton(known))
        })
        || NO_WORD.iter().any(|known| plain == skeleton(known))
        || NO_NAME
            .iter()
            .any(|known| [&plain, &without_article].contains(&&skeleton(known)))
}

/// Refuses a name of the site. Only its admin, on the command line, makes an account that is called so.
pub(in crate::app) fn check_not_reserved(name: &str) -> Result<(), AppError> {
    if is_reserved(name) {
        return Err(invalid("name", AccountFault::NameReserved));
    }
    Ok(())
}

impl App {
    /// The hashes under which a name may be kept once its account has it no longer.
    pub(super) fn hashes_of_name(&self, name: &str) -> Vec<String> {
        self.key.macs(FORMER, &[&skeleton(name)])
    }

    /// The name of an account that has another one from now on, or none (`account` is `None`).
    pub(super) fn former_name(&self, name: &str, account: Option<AccountId>) -> FormerName {
        FormerName {
            name_hash: self.key.mac(FORMER, &[&skeleton(name)]),
            account_id: account,
            until: self.now() + FORMER_NAME,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_site_are_reserved() {
        for name in [
            "Perplex",
            "PERPLEX",
            "Perp-Lex",
            "P e r p l e x",
            "Pérplex",
            "Perp1ex",
            "PerpIex",
            "Perplexichess",
            "The Perplex Team",
            "Реrрlех",
            "Admin",
            "admin 2",
            "4dmin",
            "Site Admin",
            "Adrnin",
            "Ad-min",
            "Administrator",
            "The host",
            "Your host",
            "Host",
            "H0st",
            "HOST 7",
            "The teacher",
            "Teacher",
            "White",
            "BLACK",
            "Wh1te",
            "B1ack",
            "The Computer",
            "C0MPUTER-1",
            "Kom-puter",
            "Cornputer",
            "Moderator",
            "Support",
            "Perplex Support",
            "Guest",
            "Deleted player",
            "deleted-player",
            "You",
        ] {
            assert!(is_reserved(name), "{name}");
        }
        for name in [
            "Ada",
            "Hostetter",
            "Ben White",
            "Whitney",
            "Blackwell",
            "Badminton fan",
            "Compote",
            "Putter",
            "Anna Teacher-Lee",
            "Perry Plex",
            "Guesten",
            "Theo",
            "Otto Wei",
            "Annika",
        ] {
            assert!(!is_reserved(name), "{name}");
        }
    }
}
