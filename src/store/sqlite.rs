//! SQLite: the setup of a connection, and the one thread that writes.

use std::fmt::Display;
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use diesel::connection::{AnsiTransactionManager, Connection, SimpleConnection};
use diesel::sql_types::Integer;
use diesel::{QueryResult, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use tokio::sync::oneshot;
use url::Url;
use uuid::Uuid;

use super::prepared::Prepared;
use super::{
    Conn, FILE, OUR_TABLES, StoreError, TableName, are_ours, caught, commit, letters, migrate,
    on_db, roll_back_to,
};
use crate::files;
use crate::workers::Workers;

/// Number of jobs that share a commit at most.
const BATCH: usize = 256;

/// The setup of a connection that only reads.
pub(super) const READ_ONLY: &str = "PRAGMA query_only = ON;";

/// The setup of the connection that writes: a commit that was answered survives a power cut. The rollback data of
/// savepoints stay in memory.
const DURABLE: &str =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;";

/// The time for which a lock of another program is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sets a connection up. SQLite does not wait when two programs switch a new file to WAL: one of them is refused at
/// once, and tries again.
fn set_up(conn: &mut SqliteConnection, pragmas: &str) -> QueryResult<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let done = conn.batch_execute(pragmas);
        let is_locked = matches!(&done, Err(error) if error.to_string() == "database is locked");
        if !is_locked || Instant::now() > until {
            return done;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Opens the file, and sets it up with `pragmas` beside those that every connection needs.
pub(super) fn connect(path: &Path, pragmas: &str) -> Result<SqliteConnection, StoreError> {
    let unreachable = |why: &dyn Display| unreachable(path, why);
    let text = path
        .to_str()
        .ok_or_else(|| unreachable(&"the path is not UTF-8"))?;
    let mut conn = SqliteConnection::establish(text).map_err(|error| unreachable(&error))?;
    let patience = PATIENCE.as_millis();
    let pragmas = format!("PRAGMA busy_timeout = {patience}; PRAGMA foreign_keys = ON; {pragmas}");
    set_up(&mut conn, &pragmas).map_err(|error| unreachable(&error))?;
    Ok(conn)
}

/// In the header of our files, so that no other program's file is taken for one: “Prpx”.
const APPLICATION_ID: i32 = 0x5072_7078;

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = Integer)]
    application_id: i32,
}

/// What lies at the path of a database.
enum Found {
    Nothing,
    /// A file of the name that we give, without content.
    Empty,
    Ours,
}

/// Looks what is there, and changes nothing. Files of versions that put no id into the header are known by their tables.
fn look(path: &Path) -> Result<Found, StoreError> {
    let unreachable = |why: &dyn Display| unreachable(path, why);
    let foreign = |why| Err(StoreError::Foreign(format!("{} {why}", path.display())));
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match fs::symlink_metadata(path) {
                Ok(_) => foreign("is a link that leads nowhere"),
                Err(_) => Ok(Found::Nothing),
            };
        }
        Err(error) => return Err(unreachable(&error)),
    };
    if !meta.is_file() {
        return foreign("is no file, and so not a database");
    }
    if meta.len() == 0 {
        return match path.file_name() {
            Some(name) if name == FILE => Ok(Found::Empty),
            _ => foreign("is empty, and was not made by Perplex"),
        };
    }
    let address = fs::canonicalize(path)
        .ok()
        .and_then(|whole| Url::from_file_path(whole).ok())
        .ok_or_else(|| unreachable(&"the path cannot be read"))?;
    // Read as it lies there, without locks and files beside it. SQLite does so itself: to close the file would end
    // the locks that this process has on it.
    let mut conn = SqliteConnection::establish(&format!("{address}?mode=ro&immutable=1"))
        .map_err(|error| unreachable(&error))?;
    // Of a file that a kill left half written, with the rest in the log beside it, the header alone can be read.
    let _ = conn.batch_execute("PRAGMA writable_schema = ON;");
    let Ok(Id { application_id }) = sql_query("PRAGMA application_id").get_result(&mut conn) else {
        return foreign("is not a database");
    };
    if application_id == APPLICATION_ID {
        return Ok(Found::Ours);
    }
    let tables = sql_query("SELECT name FROM sqlite_master WHERE type = 'table'");
    let tables: QueryResult<Vec<TableName>> = tables.load(&mut conn);
    let has_ours = tables.is_ok_and(|tables| are_ours(tables.iter().map(|table| &*table.name)));
    if application_id == 0 && (has_ours || has_ours_in_log(path)) {
        return Ok(Found::Ours);
    }
    foreign("is not a database of Perplex, but another program's")
}

/// True if the log beside the file makes our tables: after a kill, all of them may be there. To let SQLite read the
/// log would leave marks beside a file that may be another program's.
fn has_ours_in_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = fs::read(log).unwrap_or_default();
    let makes = |table: &&str| {
        let made = format!("CREATE TABLE {table}");
        log.windows(made.len()).any(|part| part == made.as_bytes())
    };
    OUR_TABLES.iter().all(makes)
}

fn unreachable(path: &Path, why: &dyn Display) -> StoreError {
    StoreError::Unreachable(format!("{}: {why}{}", path.display(), files::advice(path)))
}

/// Makes the file of a database, readable only for its owner. It appears with its id or not at all, and replaces
/// nothing.
fn make(path: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| unreachable(path, &error);
    tracing::info!(path = %path.display(), "making a new database");
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.tmp", Uuid::now_v7()));
    let partial = Path::new(&partial);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    drop(options.open(partial).map_err(failed)?);
    let made = connect(
        partial,
        &format!("PRAGMA application_id = {APPLICATION_ID};"),
    );
    let put = made.map(|conn| {
        drop(conn);
        files::put(partial, path)
    });
    let _ = fs::remove_file(partial);
    match put? {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done.map_err(failed),
    }
}

/// Only the owner may read the file, and those that SQLite puts beside it. Files of another owner, and file systems that keep
/// no rights, stay as they are.
fn keep_private(path: &Path) -> io::Result<()> {
    for tail in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(tail);
        match fs::set_permissions(file, Permissions::from_mode(0o600)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                tracing::warn!(%error, path = %path.display(), "others may be able to read the database");
                break;
            }
            done => done?,
        }
    }
    Ok(())
}

/// Opens the file for writing and brings its tables up to date. What is not ours stays as it is.
pub(super) fn open(path: &Path) -> Result<Conn, StoreError> {
    if matches!(look(path)?, Found::Nothing) {
        make(path)?;
        // Another program may have been quicker.
        look(path)?;
    }
    keep_private(path).map_err(|error| unreachable(path, &error))?;
    let mut conn = Conn::Sqlite(connect(path, DURABLE)?);
    match bring_up_to_date(&mut conn) {
        // A file that may only be read is opened all the same.
        Err(StoreError::Database(error)) if !files::advice(path).is_empty() => {
            Err(unreachable(path, &error))
        }
        done => done.map(|()| conn),
    }
}

fn bring_up_to_date(conn: &mut Conn) -> Result<(), StoreError> {
    if let Conn::Sqlite(c) = conn {
        AnsiTransactionManager::begin_transaction_sql(c, "BEGIN IMMEDIATE")?;
        c.batch_execute(&format!("PRAGMA application_id = {APPLICATION_ID};"))?;
        migrate(c)?;
    }
    letters::bring_up_to_date(conn)?;
    Ok(on_db!(conn, |c| commit(c))?)
}

/// A job in the writer's queue.
trait Task: Send {
    /// Does the work in a savepoint and keeps its result. An error means that nothing of the batch may be kept.
    fn run(&mut self, conn: &mut Conn) -> Result<(), StoreError>;
    /// Sends the result to the waiting caller, if the commit succeeded; else the commit's error.
    fn answer(self: Box<Self>, commit: Result<(), StoreError>);
}

struct Job<T, E, F> {
    work: Option<F>,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Task for Job<T, E, F>
where
    T: Send,
    E: From<StoreError> + Send,
    F: FnOnce(&mut Conn) -> Result<T, E> + Send,
{
    fn run(&mut self, conn: &mut Conn) -> Result<(), StoreError> {
        if let Some(work) = self.work.take() {
            self.result = Some(in_savepoint(conn, work)?);
        }
        Ok(())
    }

    fn answer(self: Box<Self>, commit: Result<(), StoreError>) {
        let result = match (commit, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(StoreError::Stopped.into()),
            (Err(error), _) => Err(error.into()),
        };
        // The caller may have gone.
        let _ = self.reply.send(result);
    }
}

/// The thread that writes. Dropping it waits for all jobs in the queue.
pub(super) struct Writer {
    queue: Option<Sender<Box<dyn Task>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread with an open connection to the file at `path`.
    pub fn start(path: &Path, conn: Conn, workers: Workers) -> Result<Self, StoreError> {
        let (queue, jobs) = channel();
        let path = path.to_owned();
        let thread = thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || keep_draining(&jobs, &path, conn, &workers))
            .map_err(|error| StoreError::Unreachable(format!("no thread to write: {error}")))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
        })
    }

    /// Puts a job into the queue. Its answer comes after the commit; there is none if the thread
    /// is gone.
    pub fn send<T, E>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T, E> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, E>>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Job {
            work: Some(work),
            result: None,
            reply,
        };
        if let Some(queue) = &self.queue {
            // If the thread is gone the job is dropped, and its answer with it.
            let _ = queue.send(Box::new(job));
        }
        answer
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take()
            // A job may own the last clone of the store.
            && thread.thread().id() != thread::current().id()
            && thread.join().is_err()
        {
            tracing::error!("the thread that writes had died");
        }
    }
}

/// [`drain`], begun anew with a connection of its own if it panics: jobs that were in hand then are not answered.
fn keep_draining(queue: &Receiver<Box<dyn Task>>, path: &Path, conn: Conn, workers: &Workers) {
    let mut conn = Some(conn);
    loop {
        let drained = panic::catch_unwind(AssertUnwindSafe(|| drain(queue, path, conn.take())));
        if drained.is_ok() {
            return;
        }
        tracing::error!("the thread that writes failed, and goes on");
        workers.note("database");
    }
}

/// Commits all waiting jobs together, until the queue is closed and empty.
fn drain(queue: &Receiver<Box<dyn Task>>, path: &Path, mut conn: Option<Conn>) {
    while let Ok(first) = queue.recv() {
        let mut batch = vec![first];
        batch.extend(queue.try_iter().take(BATCH - 1));
        let outcome =
            open_again(&mut conn, path).and_then(|conn| commit_together(conn, &mut batch));
        if let Err(error) = &outcome {
            tracing::error!(%error, jobs = batch.len(), "nothing could be written");
            // Closing the connection rolls back whatever is still open.
            conn = None;
        }
        for task in batch {
            task.answer(outcome.clone());
        }
    }
}

/// The connection, opened if there is none.
fn open_again<'a>(conn: &'a mut Option<Conn>, path: &Path) -> Result<&'a mut Conn, StoreError> {
    let open = match conn.take() {
        Some(open) => open,
        None => Conn::Sqlite(connect(path, DURABLE)?),
    };
    Ok(conn.insert(open))
}

/// Runs a job of a batch; it is rolled back if it fails or panics. Does the same as [`super::transaction`] within a
/// transaction, but with statements that are prepared once. Fails itself if the database gave up the whole batch, as
/// SQLite does when the disk is full.
fn in_savepoint<T, E>(
    conn: &mut Conn,
    job: impl FnOnce(&mut Conn) -> Result<T, E>,
) -> Result<Result<T, E>, StoreError>
where
    E: From<StoreError>,
{
    say(conn, "SAVEPOINT job")?;
    let result = caught(conn, job);
    if result.is_err() {
        // A job that panicked may have left savepoints of its own.
        on_db!(&mut *conn, |c| roll_back_to(c, 1))?;
        say(conn, "ROLLBACK TO job")?;
    }
    say(conn, "RELEASE job")?;
    Ok(result)
}

/// Executes one of a few statements.
fn say(conn: &mut Conn, statement: &'static str) -> QueryResult<()> {
    on_db!(conn, |c| Prepared(sql_query(statement)).execute(c))?;
    Ok(())
}

fn commit_together(conn: &mut Conn, batch: &mut [Box<dyn Task>]) -> Result<(), StoreError> {
    if let Conn::Sqlite(c) = conn {
        AnsiTransactionManager::begin_transaction_sql(c, "BEGIN IMMEDIATE")?;
    }
    for task in batch {
        task.run(conn)?;
    }
    if let Conn::Sqlite(c) = conn {
        commit(c)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job that kills whoever answers it.
    struct Deadly;

    impl Task for Deadly {
        fn run(&mut self, _: &mut Conn) -> Result<(), StoreError> {
            Ok(())
        }

        fn answer(self: Box<Self>, _: Result<(), StoreError>) {
            panic!("a bug in the thread that writes");
        }
    }

    #[test]
    fn the_thread_that_writes_outlives_a_bug_of_its_own() {
        let folder = std::env::temp_dir().join(format!("perplex-writer-{}", Uuid::now_v7()));
        fs::create_dir(&folder).expect("a folder");
        let path = folder.join(FILE);
        let (conn, workers) = (open(&path).expect("a database"), Workers::default());
        let writer = Writer::start(&path, conn, workers.clone()).expect("a thread");
        let queue = writer.queue.as_ref().expect("it runs");
        queue.send(Box::new(Deadly)).expect("it runs");
        let ask = || writer.send(super::super::version).blocking_recv();
        // What waited together with the deadly one went with it.
        let _ = ask();
        for _ in 0..3 {
            let version = ask().expect("it runs");
            assert!(version.is_ok_and(|version| version.starts_with("SQLite")));
        }
        assert_eq!(workers.fallen(), Some("database"));
        drop(writer);
        fs::remove_dir_all(&folder).expect("our folder");
    }
}
