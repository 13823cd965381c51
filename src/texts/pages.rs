//! Pages with a message of their own, and pages in place of one that failed.

use std::fmt::Display;

use super::refusal::NOT_FOUND;

pub struct Message {
    pub title: &'static str,
    pub text: &'static str,
    /// The label of its button, if it has one.
    pub button: Option<&'static str>,
}

pub const RESET_REQUESTED: Message = Message {
    title: "Check your e-mail",
    text: "If there is an account with this address, a link for a new password is on its way.",
    button: None,
};

pub const NEW_ADDRESS: Message = Message {
    title: "Your new address",
    text: "From now on, mail will go to this address.",
    button: Some("Confirm my new address"),
};

/// For a link that is not good; for others the text names the kinds, see [`super::mail::switch_off`].
pub const LESS_MAIL: Message = Message {
    title: "Less mail",
    text: "Do you want no more mail of this kind? With an account you can switch it on again there.",
    button: Some("Switch it off"),
};

/// The title over [`super::mail::switched_off`].
pub const SWITCHED_OFF: &str = "Switched off";

pub const NO_CARD: Message = Message {
    title: "This card is no longer good",
    text: "Perhaps there is a newer one, or your class is in the archive. Ask your teacher.",
    button: None,
};

pub const NO_LINK: Message = Message {
    title: "This link is no longer good",
    text: "Perhaps the match was called off, or its links were made anew. The link in an invitation mail is good for 30 days, for one player, until it \
           is withdrawn or declined. Ask whoever invited you for a new one.",
    button: None,
};

/// The description of the picture on a card.
pub fn card_code(name: &str) -> String {
    format!("QR code that signs {name} in")
}

/// The title of a page in place of one that failed, by its HTTP status.
pub const fn failed(status: u16) -> &'static str {
    match status {
        403 => "This can't be done",
        404 => "Nothing here",
        429 => "A little slower, please",
        500.. => "Something broke",
        _ => "This was not understood",
    }
}

/// The title for a pupil whom the teacher has taken out of a lesson.
pub const TAKEN_OUT: &str = "Your teacher has taken you out of this lesson";

/// The reason of a failure that has no words of its own, by its HTTP status.
pub const fn why_failed(status: u16) -> &'static str {
    match status {
        404 => NOT_FOUND,
        405 => "This page can't be used in this way.",
        413 => "That was too long.",
        415 => {
            "Only forms can be sent here (application/x-www-form-urlencoded), and not compressed."
        }
        500.. => "That is our fault, not yours. Nothing was changed. Please try again in a moment.",
        _ => "The request was not complete. Please go back and try again.",
    }
}

/// The text about a failure of ours; `number` is that of the request.
pub fn broken(status: u16, number: impl Display) -> String {
    format!(
        "{} If it happens again, tell the people who run this site the number {number}.",
        why_failed(status)
    )
}
