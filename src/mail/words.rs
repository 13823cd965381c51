//! The text of mails: the templates in `templates/mail`, one for each kind, and the words for the result of a match.
//!
//! A template has each text once, for the plain text and for the HTML part: its first paragraph is the subject, the
//! others are paragraphs or places: `{{ BOARD }}`, `{{ TURNS }}`, `{{ OPEN }}` (a link with the text after it), `{{
//! OFF }}` and `{{ ACCOUNT }}` (links of the foot).
#![allow(
    clippy::ref_binding_to_reference,
    reason = "the code that askama generates binds so"
)]

use askama::Template;

use super::summary::MatchSummary;
use crate::app::mail_kind::Notice;

/// The place of the board. Like the other places it is a control character, which other
/// people's text never holds (see [`super::text::line`]).
pub const BOARD: char = '\u{1}';
pub const TURNS: char = '\u{2}';
pub const OPEN: char = '\u{3}';
pub const OFF: char = '\u{4}';
pub const ACCOUNT: char = '\u{5}';

#[derive(Template)]
pub enum Words<'a> {
    #[template(path = "mail/verify.txt")]
    Verify { reader: &'a str },
    #[template(path = "mail/reset.txt")]
    Reset { reader: &'a str },
    #[template(path = "mail/known-address.txt")]
    KnownAddress { reader: &'a str },
    #[template(path = "mail/change-address.txt")]
    ChangeAddress { reader: &'a str },
    #[template(path = "mail/old-address.txt")]
    OldAddress { reader: &'a str, new: String },
    #[template(path = "mail/notice.txt")]
    Notice {
        reader: &'a str,
        notice: Notice,
        when: &'a str,
        browser: &'a str,
    },
    #[template(path = "mail/invitation.txt")]
    Invitation {
        from: String,
        game: &'a str,
        tagline: &'a str,
        days: String,
        url: &'a str,
        open: bool,
    },
    #[template(path = "mail/team-invitation.txt")]
    TeamInvitation {
        reader: &'a str,
        from: String,
        title: String,
        terms: &'a str,
        url: &'a str,
        open: bool,
    },
    #[template(path = "mail/team-waiting.txt")]
    TeamWaiting { reader: &'a str, one: bool },
    #[template(path = "mail/team-turn.txt")]
    TeamTurn {
        reader: &'a str,
        title: String,
        subject: String,
        what: String,
        left: &'a Option<String>,
    },
    #[template(path = "mail/team-news.txt")]
    TeamNews {
        reader: &'a str,
        title: String,
        /// The headline of the latest news.
        latest: String,
        more: bool,
        waits: Option<String>,
    },
    #[template(path = "mail/class-offer.txt")]
    ClassOffer {
        reader: &'a str,
        from: String,
        class: String,
        owner: bool,
        url: &'a str,
    },
    #[template(path = "mail/challenge.txt")]
    Challenge { m: &'a MatchSummary },
    #[template(path = "mail/started.txt")]
    Started { m: &'a MatchSummary },
    #[template(path = "mail/refused.txt")]
    Refused { m: &'a MatchSummary },
    #[template(path = "mail/left.txt")]
    Left { m: &'a MatchSummary },
    #[template(path = "mail/draw-declined.txt")]
    DrawDeclined { m: &'a MatchSummary },
    #[template(path = "mail/talk.txt")]
    Talk { m: &'a MatchSummary },
    #[template(path = "mail/your-turn.txt")]
    YourTurn { m: &'a MatchSummary },
    #[template(path = "mail/draw-offer.txt")]
    DrawOffer { m: &'a MatchSummary },
    #[template(path = "mail/reminder.txt")]
    Reminder { m: &'a MatchSummary },
    #[template(path = "mail/game-over.txt")]
    GameOver { m: &'a MatchSummary },
}

#[derive(Template)]
#[template(path = "mail/foot.txt")]
pub struct Foot<'a> {
    pub url: &'a str,
    /// The name of this kind of mail on the account page, if it can be switched off.
    pub kind: Option<&'a str>,
    /// True if the reader has no account, and can end all invitations.
    pub stranger: bool,
}
