//! What the owner of an account types before what is dangerous.

/// The password, and a code if there is a second factor.
#[derive(Clone, Copy)]
pub struct Typed<'a> {
    pub password: &'a str,
    pub code: &'a str,
}

impl<'a> From<&'a str> for Typed<'a> {
    fn from(password: &'a str) -> Self {
        Self { password, code: "" }
    }
}
