//! Ids: of accounts, matches and classes.

use std::fmt::{self, Display};

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
