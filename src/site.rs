//! What the people who run an installation say of it.

/// How visitors get an account. Pupils need none: they come to lessons by the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUpMode {
    /// All by themselves.
    #[default]
    Open,
    /// With a link that an admin has made.
    Invite,
    /// Not at all: an admin makes accounts on the command line.
    Closed,
}

#[derive(Clone, Debug, Default)]
pub struct Site {
    pub sign_up: SignUpMode,
    /// Where its people are asked things: an address of mail, or of the web.
    pub contact: Option<String>,
    /// Where the source of what runs here is had.
    pub source: Option<String>,
}

impl Site {
    /// Where a link to the contact leads.
    pub fn contact_link(&self) -> Option<String> {
        let contact = self.contact.as_ref()?;
        let is_mail = contact.contains('@') && !contact.contains("://");
        Some(if is_mail {
            format!("mailto:{contact}")
        } else {
            contact.clone()
        })
    }

    /// Where the foot of every page leads for the source.
    pub fn source_link(&self) -> &str {
        self.source.as_deref().unwrap_or("/privacy#source")
    }
}
