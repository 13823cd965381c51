//! Ids: of accounts, matches and classes.

use std::fmt::{self, Display};

/// The kinds of account; a command says which of them may give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountKind {
    /// An account with an address and a password, or the computer's.
    Adult,
    /// A pupil, an account of a class.
    Pupil,
    /// A visitor who plays the computer without having made an account.
    Guest,
}

/// A newtype of `String` that is shown as its text.
macro_rules! ids {
    ($($(#[$about:meta])* $id:ident;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "diesel", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
        #[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Text))]
        pub struct $id(pub String);

        impl Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// The id of an account, a UUID v7.
    AccountId;
    /// The id of a match, as in its address: ten small letters and digits.
    MatchId;
    /// The id of a class, a UUID v7.
    ClassId;
}
