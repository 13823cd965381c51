//! The settings that describe an installation to its visitors.

use std::time::Duration;

/// The way in which visitors get an account. Pupils need none: they join lessons by the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUpMode {
    /// Visitors make accounts by themselves.
    #[default]
    Open,
    /// With a link that an admin has made.
    Invite,
    /// Visitors make none: an admin makes accounts on the command line.
    Closed,
}

#[derive(Clone, Debug)]
pub struct Site {
    pub sign_up: SignUpMode,
    /// The address for questions to the people who run the site: mail or web.
    pub contact: Option<String>,
    /// The address of the source of the running program.
    pub source: Option<String>,
    /// The time that a mail about a match waits for a reader who is on the site: most see the news there, and answer.
    pub mail_pause: Duration,
}

impl Default for Site {
    fn default() -> Self {
        Self {
            sign_up: SignUpMode::default(),
            contact: None,
            source: None,
            mail_pause: Duration::from_mins(5),
        }
    }
}

impl Site {
    /// The address for a link to the contact.
    pub fn contact_link(&self) -> Option<String> {
        let contact = self.contact.as_ref()?;
        let is_mail = contact.contains('@') && !contact.contains("://");
        Some(if is_mail {
            format!("mailto:{contact}")
        } else {
            contact.clone()
        })
    }

    /// The address of the source link in the foot of every page.
    pub fn source_link(&self) -> &str {
        self.source.as_deref().unwrap_or("/privacy#source")
    }
}
