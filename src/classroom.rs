//! A class at play: what needs no database. Words for names and phrases, names out of what was pasted, who sits
//! where in a lesson, and who did what in it.

use std::fmt::{self, Display};

use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;

pub mod report;
pub mod roster;
pub mod seating;
pub mod words;

/// Which class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = diesel::sql_types::Text)]
pub struct ClassId(pub String);

impl Display for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
