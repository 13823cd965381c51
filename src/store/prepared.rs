//! Statements that are prepared once.

use diesel::backend::Backend;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

/// A statement that each connection prepares once and finds again by its text. Diesel prepares updates anew each
/// time, since their type does not say which columns they set, and lists of keys, since it does not say how
/// many there are; on SQLite that takes ten times as long as to carry one out. Only for statements of few texts:
/// what is kept is never forgotten.
pub(super) struct Prepared<T>(pub T);

impl<T> QueryId for Prepared<T> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend, T: QueryFragment<DB>> QueryFragment<DB> for Prepared<T> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<T: Query> Query for Prepared<T> {
    type SqlType = T::SqlType;
}

impl<T, C> RunQueryDsl<C> for Prepared<T> {}
