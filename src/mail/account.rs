//! The texts of mails about an account.

use askama::Template;

use super::page::OPEN;
use super::text::{ADDRESS, Line};
use crate::app::mail_kind::Notice;
use crate::app::mails::AboutAccount;
use crate::texts::{browser_in_mail, encode};

/// The texts, with what they say.
#[derive(Clone, Debug, Template)]
pub enum AccountText {
    #[template(path = "mail/verify.txt")]
    Verify { token: String },
    #[template(path = "mail/reset.txt")]
    Reset { token: String },
    /// A visitor signed up with an address that has an account.
    #[template(path = "mail/known-address.txt")]
    KnownAddress,
    #[template(path = "mail/change-address.txt")]
    ChangeAddress { token: String },
    /// The account's mails are to go to another address; this mail goes to the present one.
    #[template(path = "mail/old-address.txt")]
    OldAddress { new: Line, token: String },
    /// A security notice to the owner of an account, since the act may be another person's.
    #[template(path = "mail/notice.txt")]
    Notice {
        notice: Notice,
        when: String,
        browser: String,
    },
    /// A class is offered to a teacher, to share or to own.
    #[template(path = "mail/class-offer.txt")]
    ClassOffer {
        from: Line,
        class: Line,
        owner: bool,
    },
}

impl AccountText {
    pub fn of(about: AboutAccount) -> Self {
        match about {
            AboutAccount::Verify { token } => Self::Verify { token },
            AboutAccount::Reset { token } => Self::Reset { token },
            AboutAccount::KnownAddress => Self::KnownAddress,
            AboutAccount::ChangeAddress { token } => Self::ChangeAddress { token },
            AboutAccount::OldAddress { new, token } => Self::OldAddress {
                new: Line::new(new.as_deref().unwrap_or("another address"), ADDRESS),
                token,
            },
            AboutAccount::Notice {
                notice,
                at,
                zone,
                agent,
            } => Self::Notice {
                notice,
                when: at.local(zone),
                browser: browser_in_mail(&agent),
            },
            AboutAccount::ClassOffer { from, class, owner } => Self::ClassOffer {
                from: Line::name(&from),
                class: Line::name(&class),
                owner,
            },
        }
    }

    /// The path of the page that the button opens.
    pub fn path(&self) -> String {
        let sealed = |path: &str, token: &str| format!("/{path}/{}", encode(token));
        match self {
            Self::Verify { token } => sealed("verify", token),
            Self::Reset { token } => sealed("reset", token),
            Self::KnownAddress => "/account".to_owned(),
            Self::ChangeAddress { token } => sealed("email", token),
            Self::OldAddress { token, .. } => sealed("old-address", token),
            Self::Notice { .. } => "/reset".to_owned(),
            Self::ClassOffer { .. } => "/classes".to_owned(),
        }
    }
}
