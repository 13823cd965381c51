//! What mails say: the templates in `templates/mail`, one for each kind, and the words for how a
//! match ended.
//!
//! A template says everything once, for the plain text and for the HTML part: its first paragraph
//! is the subject, the others are paragraphs or places: `{{ BOARD }}`, `{{ TURNS }}`, `{{ OPEN }}`
//! (a link with what it says after it), `{{ OFF }}` and `{{ ACCOUNT }}` (links of the foot).
#![allow(
    clippy::ref_binding_to_reference,
    reason = "the code that askama generates binds so"
)]

use askama::Template;

use super::scene::Scene;

/// The place of the board. Like the other places it is a control character, which other
/// people's text never holds (see [`super::text::line`]).
pub const BOARD: char = '\u{1}';
/// The place of the last turns and of the notes that came with them.
pub const TURNS: char = '\u{2}';
/// The place of the link that the mail is for.
pub const OPEN: char = '\u{3}';
/// The place of the link that switches mails of this kind off.
pub const OFF: char = '\u{4}';
/// The place of the link to the account page.
pub const ACCOUNT: char = '\u{5}';

/// What a mail says.
#[derive(Template)]
pub enum Words<'a> {
    /// The address of a new account is to be verified.
    #[template(path = "mail/verify.txt")]
    Verify {
        /// Whose account.
        reader: &'a str,
    },
    /// A new password is wanted.
    #[template(path = "mail/reset.txt")]
    Reset {
        /// Whose account.
        reader: &'a str,
    },
    /// A visitor signed up with an address that has an account.
    #[template(path = "mail/known-address.txt")]
    KnownAddress {
        /// Whose account.
        reader: &'a str,
    },
    /// The new address of an account is to be verified.
    #[template(path = "mail/change-address.txt")]
    ChangeAddress {
        /// Whose account.
        reader: &'a str,
    },
    /// Said to the address of an account that is to have another one.
    #[template(path = "mail/old-address.txt")]
    OldAddress {
        /// Whose account.
        reader: &'a str,
        /// The other address.
        new: &'a str,
    },
    /// A person without an account is invited to a match.
    #[template(path = "mail/invitation.txt")]
    Invitation {
        /// By whom.
        from: &'a str,
        /// What is played.
        game: &'a str,
        /// One sentence about it.
        tagline: &'a str,
        /// "3 days", for each turn.
        days: &'a str,
        /// Where the program runs.
        url: &'a str,
    },
    /// An invitation to a team match.
    #[template(path = "mail/team-invitation.txt")]
    TeamInvitation {
        /// Empty for a reader without an account.
        reader: &'a str,
        /// By whom.
        from: &'a str,
        /// What the host calls the match.
        title: &'a str,
        /// What was settled about it, in sentences.
        terms: &'a str,
        /// Where the program runs.
        url: &'a str,
    },
    /// See [`perplex_matches::team::notice::Kind::Waiting`].
    #[template(path = "mail/team-waiting.txt")]
    TeamWaiting {
        /// Whose account.
        reader: &'a str,
        /// Whether it is about one match.
        one: bool,
    },
    /// See [`perplex_matches::team::notice::Kind::Turn`].
    #[template(path = "mail/team-turn.txt")]
    TeamTurn {
        /// Whose account.
        reader: &'a str,
        /// What the host calls the match.
        title: &'a str,
        /// What waits there, a sentence.
        what: &'a str,
    },
    /// See [`perplex_matches::post::notice::Kind::Challenge`].
    #[template(path = "mail/challenge.txt")]
    Challenge {
        /// What is to be said about the match.
        m: &'a Scene,
    },
    /// See [`perplex_matches::post::notice::Kind::Started`].
    #[template(path = "mail/started.txt")]
    Started {
        /// What is to be said about the match.
        m: &'a Scene,
    },
    /// See [`perplex_matches::post::notice::Kind::Refused`].
    #[template(path = "mail/refused.txt")]
    Refused {
        /// What is to be said about the match.
        m: &'a Scene,
    },
    /// See [`perplex_matches::post::notice::Kind::YourTurn`].
    #[template(path = "mail/your-turn.txt")]
    YourTurn {
        /// What is to be said about the match.
        m: &'a Scene,
    },
    /// See [`perplex_matches::post::notice::Kind::DrawOffer`].
    #[template(path = "mail/draw-offer.txt")]
    DrawOffer {
        /// What is to be said about the match.
        m: &'a Scene,
    },
    /// See [`perplex_matches::post::notice::Kind::Reminder`].
    #[template(path = "mail/reminder.txt")]
    Reminder {
        /// What is to be said about the match.
        m: &'a Scene,
    },
    /// See [`perplex_matches::post::notice::Kind::GameOver`].
    #[template(path = "mail/game-over.txt")]
    GameOver {
        /// What is to be said about the match.
        m: &'a Scene,
    },
}

/// The foot of every mail.
#[derive(Template)]
#[template(path = "mail/foot.txt")]
pub struct Foot<'a> {
    /// Where the program runs.
    pub url: &'a str,
    /// What the account page calls this kind of mail, if it can be switched off.
    pub kind: Option<&'a str>,
}
