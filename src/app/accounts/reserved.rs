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
/// Are no word of a name, however it is parted.
const NO_WORD: [&str; 8] = [
    "admin",
    "admins",
    "sysadmin",
    "webmaster",
    "postmaster",
    "support",
    "staff",
    "owner",
];
/// Are no name by themselves, nor with [`FILLERS`] or a number.
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

/// Words beside which a reserved name stays what it is.
const FILLERS: [&str; 8] = ["the", "your", "our", "a", "an", "team", "site", "of"];

/// True if a name could be taken for that of a computer player.
pub(in crate::app) fn resembles_computer(name: &str) -> bool {
    skeleton(name).contains(&skeleton("computer"))
}

/// True if a name could be taken for that of the site, of one of its people or of a side.
pub(in crate::app) fn is_reserved(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.trim_end_matches(|c: char| !c.is_alphabetic());
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // All runs of words that stand side by side, as one: "Sup-port".
    let run = |from: usize, to: usize| looks(&words[from..to].concat());
    let mut runs =
        (0..words.len()).flat_map(|from| (from + 1..=words.len()).map(move |to| run(from, to)));
    let is_no_word = |run: String| NO_WORD.iter().any(|known| run == looks(known));
    let rest: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !FILLERS.contains(word))
        .collect();
    let (whole, rest) = (looks(name), looks(&rest.concat()));
    NOWHERE.iter().any(|part| whole.contains(&looks(part)))
        || runs.any(is_no_word)
        || NO_NAME
            .iter()
            .any(|known| [&whole, &rest].contains(&&looks(known)))
}

/// [`skeleton`], with what only names of the site are compared by: everyday names have these letters, too.
fn looks(name: &str) -> String {
    skeleton(name).replace("cl", "d")
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
            "The Ad-min",
            "Site Ad-min",
            "Ad-min Team",
            "The Sup-port",
            "Admiŉ",
            "Aclmin",
            "Site Owner",
            "The Host Team",
            "Team White",
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
            "Clara",
            "Dara",
            "Sup Portman",
        ] {
            assert!(!is_reserved(name), "{name}");
        }
    }
}
