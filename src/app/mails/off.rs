//! Links that end mails.

use crate::app::mail_kind::MailKind;
use perplex_matches::id::MatchId;

/// The way to get no more mails like one, with the token of its link.
#[derive(Clone, Debug)]
pub enum Off {
    Never,
    /// Switches off mails of these kinds.
    Kinds {
        kinds: Vec<MailKind>,
        token: String,
        /// The token of the link to all settings.
        settings: String,
        /// The match that the mail is about, whose mails alone can end, too.
        about: Option<MatchId>,
    },
    /// Ends all invitations to an address without an account.
    Invitations(String),
}

impl Off {
    pub fn token(&self) -> Option<&str> {
        match self {
            Self::Never => None,
            Self::Kinds { token, .. } | Self::Invitations(token) => Some(token),
        }
    }
}
