//! A pool of connections: for reading from SQLite, and for all use of PostgreSQL.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diesel::connection::{Connection, SimpleConnection, TransactionManager};
use diesel::r2d2::{self, ManageConnection, NopErrorHandler, PooledConnection};

use super::{Conn, StoreError, caught, on_db, postgres, sqlite, transaction};

/// Number of readers of SQLite at once. More would not be faster: it is all in memory.
const READERS: u32 = 8;
/// Number of connections to PostgreSQL at most. A server takes 100 by default.
const CONNECTIONS: u32 = 16;
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Link {
    pub conn: Conn,
    /// Set when the connection is of no more use: by its driver, or by a job that could not end.
    pub closed: Arc<AtomicBool>,
}

pub(super) enum Maker {
    Sqlite(PathBuf),
    Postgres(postgres::Maker),
}

impl ManageConnection for Maker {
    type Connection = Link;
    type Error = StoreError;

    fn connect(&self) -> Result<Link, StoreError> {
        let made = match self {
            Self::Sqlite(path) => {
                sqlite::connect(path, sqlite::READ_ONLY).map(|c| (Conn::Sqlite(c), Arc::default()))
            }
            Self::Postgres(maker) => maker.connect(),
        };
        made.map(|(conn, closed)| Link { conn, closed })
            .inspect_err(|error| tracing::warn!(%error, "no connection to the database"))
    }

    /// Does not ask the server: a closed connection is known already.
    fn is_valid(&self, link: &mut Link) -> Result<(), StoreError> {
        if link.closed.load(Ordering::Relaxed) {
            Err(StoreError::Unreachable(
                "the connection was closed".to_owned(),
            ))
        } else {
            Ok(())
        }
    }

    fn has_broken(&self, link: &mut Link) -> bool {
        fn unfinished<C: Connection>(c: &mut C) -> bool {
            C::TransactionManager::is_broken_transaction_manager(c)
        }
        link.closed.load(Ordering::Relaxed) || on_db!(&mut link.conn, |c| unfinished(c))
    }
}

pub(super) struct Pool(r2d2::Pool<Maker>);

pub(super) fn sqlite(path: PathBuf) -> Pool {
    pool(Maker::Sqlite(path), READERS)
}

pub(super) fn postgres(maker: postgres::Maker) -> Pool {
    pool(Maker::Postgres(maker), CONNECTIONS)
}

fn pool(maker: Maker, size: u32) -> Pool {
    Pool(
        r2d2::Pool::builder()
            .max_size(size)
            .min_idle(Some(1))
            .connection_timeout(PATIENCE)
            .error_handler(Box::new(NopErrorHandler))
            .build_unchecked(maker),
    )
}

impl Pool {
    fn link(&self) -> Result<PooledConnection<Maker>, StoreError> {
        self.0
            .get()
            .map_err(|error| StoreError::Unreachable(error.to_string()))
    }

    pub fn idle(&self) -> Option<PooledConnection<Maker>> {
        self.0.try_get()
    }

    pub fn run<T, E>(&self, job: impl FnOnce(&mut Conn) -> Result<T, E>) -> Result<T, E>
    where
        E: From<StoreError>,
    {
        caught(&mut self.link()?.conn, job)
    }

    pub fn transaction<T, E>(&self, job: impl FnOnce(&mut Conn) -> Result<T, E>) -> Result<T, E>
    where
        E: From<StoreError>,
    {
        transaction(&mut self.link()?.conn, job)
    }

    pub fn snapshot<T, E>(&self, job: impl FnOnce(&mut Conn) -> Result<T, E>) -> Result<T, E>
    where
        E: From<StoreError>,
    {
        let mut link = self.link()?;
        let begin = match link.conn {
            Conn::Sqlite(_) => "BEGIN",
            Conn::Postgres(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        on_db!(&mut link.conn, |c| c.batch_execute(begin)).map_err(StoreError::from)?;
        let result = caught(&mut link.conn, job);
        if let Err(error) = on_db!(&mut link.conn, |c| c.batch_execute("ROLLBACK")) {
            tracing::warn!(%error, "a reading transaction could not be ended");
            link.closed.store(true, Ordering::Relaxed);
        }
        result
    }
}
