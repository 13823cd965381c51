//! Statements that are prepared only once.
//!
//! Diesel prepares updates anew each time, since their type does not say which columns they set, and lists of keys,
//! since it does not say how many there are. On SQLite that takes ten times as long as running them. The statements
//! here are found again by their text. Use them only where there are few texts: none is ever dropped from the cache.

use diesel::associations::HasTable;
use diesel::backend::Backend;
use diesel::query_builder::{
    AsChangeset, AstPass, IntoUpdateTarget, Query, QueryFragment, QueryId,
};
use diesel::{QueryResult, QuerySource, RunQueryDsl};

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

pub(super) struct Update<From, Set, Where> {
    from: From,
    set: Set,
    condition: Where,
}

/// Sets these columns in these rows, as [`diesel::update`] does. The columns are always the same ones.
pub(super) fn update<T, C>(
    rows: T,
    set: C,
) -> Update<<T::Table as QuerySource>::FromClause, C::Changeset, T::WhereClause>
where
    T: IntoUpdateTarget,
    C: AsChangeset<Target = <T as HasTable>::Table>,
{
    let target = rows.into_update_target();
    Update {
        from: target.table.from_clause(),
        set: set.as_changeset(),
        condition: target.where_clause,
    }
}

impl<From, Set, Where> QueryId for Update<From, Set, Where> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB, From, Set, Where> QueryFragment<DB> for Update<From, Set, Where>
where
    DB: Backend,
    From: QueryFragment<DB>,
    Set: QueryFragment<DB>,
    Where: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.set.walk_ast(out.reborrow())?;
        self.condition.walk_ast(out)
    }
}

impl<From, Set, Where, C> RunQueryDsl<C> for Update<From, Set, Where> {}
