//! The kinds of mail in words.

use crate::app::accounts::Delivery;
use crate::app::mail_kind::MailKind;
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::team::notice::MailKind as TeamMail;

/// The query of a link to a page that shows its reader more when signed in: whoever is not is asked to sign in first.
pub const SIGN_IN_FIRST: &str = "sign-in";

/// The title of a kind of mail that accounts can switch off.
pub const fn title(kind: MailKind) -> Option<&'static str> {
    Some(match kind {
        MailKind::Account(_) | MailKind::Invitation => return None,
        MailKind::Match(kind) => match kind {
            MatchMail::YourTurn => "It is your turn",
            MatchMail::Reminder => "Your time for a turn is running out",
            MatchMail::GameOver => "A match of yours is over",
            MatchMail::Challenge => "A player challenges you",
            MatchMail::Started => "A match of yours begins",
            MatchMail::Refused => "Your challenge is declined",
            MatchMail::Left => "A player leaves a match of yours before it begins",
            MatchMail::DrawOffer => "You are offered a draw",
            MatchMail::DrawDeclined => "Your offer of a draw is declined",
            MatchMail::Talk => "A player writes to you in a match",
        },
        MailKind::Team(kind) => match kind {
            TeamMail::Invitation => "You are invited to a team match",
            TeamMail::Declined => "Your invitation to a team match is declined",
            TeamMail::Turn => "It is your turn on a board of a team match over days",
            TeamMail::News => "Something happens in your team match over days",
            TeamMail::Talk => "A player names you in the talk of a team match over days",
            TeamMail::Waiting => "Something still waits for you in team matches over days",
        },
        MailKind::ClassOffer => "A teacher offers you a class",
    })
}

/// The subject of a mail that tells several things, of which `first` is the most urgent.
pub fn together(first: &str, count: usize) -> String {
    match count {
        0 | 1 => first.to_owned(),
        2 => format!("{first}, and one more"),
        count => format!("{first}, and {} more", count - 1),
    }
}

/// The titles of kinds of mail, in quotation marks.
fn quoted(kinds: &[MailKind]) -> Vec<String> {
    let titles = kinds.iter().filter_map(|kind| title(*kind));
    titles.map(|title| format!("“{title}”")).collect()
}

/// Asked before kinds of mail are switched off; none for invitations to an address without an account.
pub fn switch_off(kinds: &[MailKind]) -> String {
    match &quoted(kinds)[..] {
        [] => "Do you want no more invitations at this address? They cannot be switched on again."
            .to_owned(),
        [one] => format!(
            "Do you want no more mail of the kind {one}? You can switch it on again in your account."
        ),
        many => format!(
            "Do you want no more mail of these kinds: {}? You can switch them on again in your account.",
            super::list(many)
        ),
    }
}

/// Told after kinds of mail were switched off; none for invitations to an address without an account.
pub fn switched_off(kinds: &[MailKind]) -> String {
    match &quoted(kinds)[..] {
        [] => "No more invitations will be sent to this address.".to_owned(),
        [one] => format!(
            "You will get no more mail of the kind {one}. You can switch it on again in your account."
        ),
        many => format!(
            "You will get no more mail of these kinds: {}. You can switch them on again in your account.",
            super::list(many)
        ),
    }
}

pub const fn delivery(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::AtOnce => "at once",
        Delivery::Together => "together, every few hours",
        Delivery::Daily => "once a day",
        Delivery::Never => "never",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_switched_off_has_a_title() {
        for kind in MailKind::ALL {
            assert_eq!(title(kind).is_some(), kind.is_optional(), "{kind:?}");
        }
    }
}
