//! The database: SQLite in a file, or PostgreSQL. The only place that knows SQL.
//!
//! [`Store`] runs jobs: closures that get a [`Conn`] and call the small functions of the modules
//! below. A job that writes is one transaction; it is answered after the commit, and rolled back if it returns an
//! error or panics. A job that reads sees one moment of the database however many queries it makes.
//!
//! Rules that keep this right on both databases and with several processes:
//!
//! - A job that changes a match begins with [`journal::advance`], which writes. If it says that
//!   another process was quicker, nothing else may be done: load again, decide again.
//! - SQLite has one writer thread. It drains a queue into one `BEGIN IMMEDIATE` transaction, with a
//!   savepoint for each job, so that jobs that wait together share one flush to the disk and none
//!   meets "database is locked". PostgreSQL runs each job in a transaction of its own.
//! - A unique violation would abort PostgreSQL's transaction, and not SQLite's. The functions that
//!   may meet one use a savepoint, so that the job can go on after it on both databases.
//!
//! Queries are written once: [`on_db`] writes each out for both connections. A row that is found by
//! its key is read with `get_result`: `first` adds `LIMIT ?`, and each time that gets its value
//! SQLite plans the query anew, which takes ten times as long as to answer it.
#![allow(
    clippy::missing_errors_doc,
    reason = "all of it fails in the ways that StoreError lists; what is particular is said in words"
)]

use std::any::Any;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use diesel::backend::Backend;
use diesel::connection::{Connection, SimpleConnection, TransactionManager};
use diesel::dsl::sql;
use diesel::migration::{MigrationSource, MigrationVersion};
use diesel::sql_types::Text;
use diesel::{QueryResult, QueryableByName, RunQueryDsl, SqliteConnection};
use diesel_async::AsyncPgConnection;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use tokio::sync::mpsc;
use tokio_postgres::config::Host;
use uuid::{NoContext, Timestamp, Uuid};

use perplex_matches::time::Time;

use crate::workers::Workers;

mod changes;
mod letters;
mod pool;
mod postgres;
mod prepared;
mod schema;
mod sqlite;

pub mod accounts;
pub mod admin;
pub mod class_offers;
pub mod classes;
pub mod done_once;
pub mod door;
pub mod former_names;
pub mod guests;
pub mod heartbeat;
pub mod invited_addresses;
pub mod journal;
pub mod lessons;
pub mod living;
pub mod mail_settings;
pub mod matches;
pub mod members;
pub mod muted_matches;
pub mod old_addresses;
pub mod outbox;
pub mod own_cards;
pub mod preferences;
pub mod removal;
pub mod second_factor;
pub mod sign_up_links;
pub mod talk;
pub mod unwanted_mail;

pub use changes::{Change, Heads, heads};
pub use schema::{MatchKind, Phase, Winner};

/// Tables of the first version.
const OUR_TABLES: [&str; 6] = [
    "__diesel_schema_migrations",
    "accounts",
    "channels",
    "events",
    "matches",
    "outbox",
];
const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

pub type PgConn = AsyncConnectionWrapper<AsyncPgConnection>;

#[allow(
    missing_debug_implementations,
    reason = "diesel's connections have none"
)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are a dozen of them, and they stay where they are"
)]
pub enum Conn {
    Sqlite(SqliteConnection),
    Postgres(PgConn),
}

/// Writes an expression out for both databases: `on_db!(conn, |c| query.load(c))`.
macro_rules! on_db {
    ($conn:expr, |$c:ident| $body:expr) => {
        match $conn {
            $crate::store::Conn::Sqlite($c) => $body,
            $crate::store::Conn::Postgres($c) => $body,
        }
    };
}
pub(crate) use on_db;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

/// The file of the database in the data folder.
pub const FILE: &str = "perplex.sqlite";

/// The address of the database. [`Display`] and [`Debug`] leave the password out.
#[derive(Clone)]
pub enum Address {
    Sqlite(PathBuf),
    Postgres(Box<tokio_postgres::Config>),
}

impl Address {
    pub fn in_folder(folder: &Path) -> Self {
        Self::Sqlite(folder.join(FILE))
    }
}

/// Reads `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/NAME`. A PostgreSQL address may end in
/// `?sslmode=` `disable`, `prefer` (the default: encrypted if the server offers it) or `require`;
/// an encrypted connection always checks the server's certificate.
impl FromStr for Address {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let refuse = |why: String| {
            StoreError::Address(format!(
                "{why}; allowed are sqlite:PATH and postgres://USER:PASSWORD@HOST/NAME"
            ))
        };
        let scheme = text
            .split_once(':')
            .map(|(scheme, rest)| (scheme.to_lowercase(), rest));
        match scheme
            .as_ref()
            .map(|(scheme, rest)| (scheme.as_str(), *rest))
        {
            Some(("sqlite", path)) => {
                let path = path.strip_prefix("//").unwrap_or(path).trim_start();
                if path.is_empty() || path.ends_with('/') {
                    Err(refuse("the path of the file is missing".to_owned()))
                } else if path.starts_with(':') || path.starts_with("file:") || path.contains('?') {
                    Err(refuse(format!("{path:?} is not the path of a file")))
                } else {
                    Ok(Self::Sqlite(path.into()))
                }
            }
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                let config = tokio_postgres::Config::from_str(&format!("postgres:{rest}"))
                    .map_err(|error| refuse(chain(&error)))?;
                let has_at = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
                if config.get_hosts().iter().any(has_at) {
                    return Err(refuse(
                        "an @ in a name or password is written %40".to_owned(),
                    ));
                }
                if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
                    return Err(refuse("the host is missing".to_owned()));
                }
                Ok(Self::Postgres(Box::new(config)))
            }
            // The text after the colon may hold a password: it is not repeated.
            Some((scheme, _)) => Err(refuse(format!("{scheme:?} is no kind of database"))),
            None => Err(refuse("it does not say which kind of database".to_owned())),
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(config) => write!(
                f,
                "postgres database {:?} on {:?}",
                config
                    .get_dbname()
                    .or(config.get_user())
                    .unwrap_or_default(),
                config.get_hosts()
            ),
        }
    }
}

impl Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the address of the database is wrong: {0}")]
    Address(String),
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    #[error("{0}; it stays as it is: Perplex wants a database of its own")]
    Foreign(String),
    #[error("a newer version of Perplex has used this database (it has migration {0})")]
    Newer(String),
    #[error("the name is taken")]
    NameTaken,
    #[error("the e-mail address is taken")]
    EmailTaken,
    /// An account that a new row names was deleted in between.
    #[error("the account was deleted")]
    Deleted,
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    #[error("the database reports: {0}")]
    Database(Arc<diesel::result::Error>),
    /// The job panicked, and was rolled back.
    #[error("a database job panicked: {0}")]
    Panicked(String),
    #[error("the store is closing")]
    Stopped,
}

impl StoreError {
    /// True if the same may succeed later: the database is not reachable, or cannot write now.
    pub fn is_passing(&self) -> bool {
        use diesel::result::{DatabaseErrorKind as Kind, Error as Diesel};
        match self {
            Self::Unreachable(_) | Self::Stopped => true,
            Self::Database(error) => match error.as_ref() {
                Diesel::DatabaseError(kind, _) => matches!(
                    kind,
                    // SQLite reports a full disk like this.
                    Kind::Unknown
                        | Kind::UnableToSendCommand
                        | Kind::SerializationFailure
                        | Kind::ReadOnlyTransaction
                        | Kind::ClosedConnection
                ),
                Diesel::RollbackErrorOnCommit { .. } | Diesel::BrokenTransactionManager => true,
                _ => false,
            },
            _ => false,
        }
    }
}

impl From<diesel::result::Error> for StoreError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub number: i64,
    pub size: i64,
}

impl Page {
    const fn offset(self) -> i64 {
        self.number.saturating_mul(self.size)
    }
}

/// Number of changes that wait to be read before the database has to keep them.
const CHANGES: usize = 1024;

/// The database. Clones share it; dropping the last one ends it, after all jobs that wait.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

/// The pool is the first field: its connections are closed before the engine that drives them.
struct Inner {
    pool: pool::Pool,
    engine: Engine,
    workers: Workers,
}

enum Engine {
    Sqlite(sqlite::Writer),
    Postgres {
        driver: postgres::Driver,
        maker: postgres::Maker,
    },
}

impl Store {
    /// Opens the database and brings its tables up to date. Blocks.
    pub fn open(address: &Address) -> Result<Self, StoreError> {
        let workers = Workers::default();
        let (pool, engine) = match address {
            Address::Sqlite(path) => {
                let writer = sqlite::open(path)?;
                let engine = Engine::Sqlite(sqlite::Writer::start(path, writer, workers.clone())?);
                (pool::sqlite(path.clone()), engine)
            }
            Address::Postgres(config) => {
                let driver = postgres::Driver::start()?;
                let maker = postgres::Maker::new(config.clone(), &driver)?;
                postgres::migrate(&maker)?;
                let pool = pool::postgres(maker.clone());
                (pool, Engine::Postgres { driver, maker })
            }
        };
        Ok(Self(Arc::new(Inner {
            pool,
            engine,
            workers,
        })))
    }

    /// Where it is taken down that the thread that writes ended badly.
    pub fn workers(&self) -> &Workers {
        &self.0.workers
    }

    pub fn kind(&self) -> Kind {
        match self.0.engine {
            Engine::Sqlite(_) => Kind::Sqlite,
            Engine::Postgres { .. } => Kind::Postgres,
        }
    }

    /// Changes in the database from now on, by this process or others; nothing with SQLite, which only one process uses.
    pub fn changes(&self) -> Option<mpsc::Receiver<Change>> {
        let Engine::Postgres { driver, maker } = &self.0.engine else {
            return None;
        };
        let (sender, receiver) = mpsc::channel(CHANGES);
        driver.spawn(postgres::hear(maker.clone(), sender));
        Some(receiver)
    }

    /// Tells the other processes on the same database.
    pub async fn announce(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.look_up(move |conn| changes::announce(conn, &changes))
            .await
    }

    /// Runs a job that writes, and answers after its commit. If the answer is not awaited to its
    /// end the job is done all the same.
    pub async fn write<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        match &self.0.engine {
            Engine::Sqlite(writer) => writer
                .send(job)
                .await
                .unwrap_or_else(|_| Err(StoreError::Stopped.into())),
            Engine::Postgres { .. } => {
                let store = self.clone();
                in_background(move || store.0.pool.transaction(job)).await
            }
        }
    }

    /// Runs a job that only reads. It sees the database as it is at one moment; the database
    /// refuses its writes.
    pub async fn read<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let store = self.clone();
        in_background(move || store.read_now(job)).await
    }

    /// Looks up a few rows by their keys, each query at its own moment. On SQLite that is done here
    /// and now: it takes microseconds, less than handing it to another thread.
    pub async fn look_up<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        if let Engine::Sqlite(_) = self.0.engine
            && let Some(mut link) = self.0.pool.idle()
        {
            return caught(&mut link.conn, job);
        }
        let store = self.clone();
        in_background(move || store.0.pool.run(job)).await
    }

    /// [`read`](Self::read) for callers who may block. With PostgreSQL it panics within asynchronous code.
    pub fn read_now<T, E: From<StoreError>>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        self.0.pool.snapshot(job)
    }
}

impl Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.kind()).finish()
    }
}

pub fn version(conn: &mut Conn) -> Result<String, StoreError> {
    Ok(match conn {
        Conn::Sqlite(c) => {
            let version: String = diesel::select(sql::<Text>("sqlite_version()")).get_result(c)?;
            format!("{} {version}", Kind::Sqlite)
        }
        Conn::Postgres(c) => {
            let version: String =
                diesel::select(sql::<Text>("current_setting('server_version')")).get_result(c)?;
            format!("{} {version}", Kind::Postgres)
        }
    })
}

/// A new id: a version 7 UUID, which sorts by its time of creation.
pub fn new_id(now: Time) -> String {
    let micros = u64::try_from(now.0).unwrap_or(0);
    let nanos = u32::try_from(micros % 1_000_000 * 1000).unwrap_or(0);
    Uuid::new_v7(Timestamp::from_unix(NoContext, micros / 1_000_000, nanos)).to_string()
}

async fn in_background<T: Send + 'static, E: From<StoreError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(StoreError::Stopped.into()))
}

/// Runs a job in a transaction, or in a savepoint if a transaction is open. It is rolled back if the job fails or
/// panics.
fn transaction<T, E: From<StoreError>>(
    conn: &mut Conn,
    job: impl FnOnce(&mut Conn) -> Result<T, E>,
) -> Result<T, E> {
    let before = on_db!(&mut *conn, |c| depth(c)).map_err(StoreError::from)?;
    on_db!(&mut *conn, |c| begin(c)).map_err(StoreError::from)?;
    let result = caught(conn, job).and_then(|value| {
        on_db!(&mut *conn, |c| commit(c)).map_err(StoreError::from)?;
        Ok(value)
    });
    if result.is_err()
        && let Err(error) = on_db!(conn, |c| roll_back_to(c, before))
    {
        // The connection is broken: the pool drops it, the writer thread opens another.
        tracing::warn!(%error, "a transaction could not be rolled back");
    }
    result
}

fn caught<T, E: From<StoreError>>(
    conn: &mut Conn,
    job: impl FnOnce(&mut Conn) -> Result<T, E>,
) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(|| job(conn))).unwrap_or_else(|panic| {
        let message = said(panic.as_ref());
        tracing::error!(message, "a database job panicked");
        Err(StoreError::Panicked(message.to_owned()).into())
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("for no stated reason")
}

fn begin<C: Connection>(c: &mut C) -> QueryResult<()> {
    C::TransactionManager::begin_transaction(c)
}

fn commit<C: Connection>(c: &mut C) -> QueryResult<()> {
    C::TransactionManager::commit_transaction(c)
}

fn depth<C: Connection>(c: &mut C) -> QueryResult<u32> {
    let depth = C::TransactionManager::transaction_manager_status_mut(c).transaction_depth()?;
    Ok(depth.map_or(0, NonZeroU32::get))
}

/// Rolls back all levels opened since `before`; a job that panicked may have left savepoints.
fn roll_back_to<C: Connection>(c: &mut C, before: u32) -> QueryResult<()> {
    while depth(c)? > before {
        C::TransactionManager::rollback_transaction(c)?;
    }
    Ok(())
}

/// A row of a list of tables.
#[derive(QueryableByName)]
struct TableName {
    #[diesel(sql_type = Text)]
    name: String,
}

/// True if these are our tables: those that every version has, beside others.
fn are_ours<'a>(mut tables: impl Iterator<Item = &'a str>) -> bool {
    let mut missing = BTreeSet::from(OUR_TABLES);
    tables.any(|table| {
        missing.remove(table);
        missing.is_empty()
    })
}

/// Brings the tables up to date, unless the program is older than they are. The caller makes sure that only one
/// process does so at a time.
fn migrate<C, DB>(c: &mut C) -> Result<(), StoreError>
where
    C: MigrationHarness<DB> + SimpleConnection,
    DB: Backend,
{
    let failed = |error: Box<dyn Error + Send + Sync>| {
        StoreError::Unreachable(format!("its tables cannot be brought up to date: {error}"))
    };
    let known: Vec<MigrationVersion<'_>> = MigrationSource::<DB>::migrations(&MIGRATIONS)
        .map_err(failed)?
        .iter()
        .map(|migration| migration.name().version().as_owned())
        .collect();
    let applied = c.applied_migrations().map_err(failed)?;
    if let Some(unknown) = applied.iter().find(|version| !known.contains(version)) {
        return Err(StoreError::Newer(unknown.to_string()));
    }
    for version in c.run_pending_migrations(MIGRATIONS).map_err(failed)? {
        tracing::info!(%version, "migrated the database");
    }
    Ok(())
}

fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
