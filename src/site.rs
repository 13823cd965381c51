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
}
