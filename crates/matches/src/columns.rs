//! Times and ids as columns of a database: a time is a `BigInt`, an id a `Text`.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Text};

use crate::id::{AccountId, ClassId, MatchId};
use crate::time::Time;

impl<DB: Backend> ToSql<BigInt, DB> for Time
where
    i64: ToSql<BigInt, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.to_sql(out)
    }
}

impl<DB: Backend> FromSql<BigInt, DB> for Time
where
    i64: FromSql<BigInt, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        i64::from_sql(bytes).map(Self)
    }
}

/// Stores a newtype of `String` as its text.
macro_rules! id_columns {
    ($($id:ident),*) => {$(
        impl<DB: Backend> ToSql<Text, DB> for $id
        where
            String: ToSql<Text, DB>,
        {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
                self.0.to_sql(out)
            }
        }

        impl<DB: Backend> FromSql<Text, DB> for $id
        where
            String: FromSql<Text, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
                String::from_sql(bytes).map(Self)
            }
        }
    )*};
}

id_columns!(AccountId, ClassId, MatchId);
