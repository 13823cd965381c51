//! The surroundings of tests: databases and folders that are removed when dropped, and a mail server.
//!
//! Every test runs on SQLite in a temporary folder, and on PostgreSQL in a database of its own if `TEST_POSTGRES_URL`
//! names a server where one may be made. With `PERPLEX_TESTS_COMPLETE=1` it is a failure if it does not.
#![allow(dead_code, reason = "each test binary uses its part of it")]

pub mod chance;
pub mod pages;
pub mod routes;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use perplex::secret::KeyRing;
use perplex::store::{Address, Store};
use tokio_postgres::{Config, NoTls};

/// The longest wait. Tests wait for conditions, never for a time, so a long limit costs nothing.
pub const PATIENCE: Duration = Duration::from_mins(3);

/// True if all that a test needs must be there: `PERPLEX_TESTS_COMPLETE=1`.
pub fn complete() -> bool {
    std::env::var("PERPLEX_TESTS_COMPLETE").is_ok_and(|value| value == "1")
}

/// A page without the marks for translators, which `untranslated` looks at: as people read it.
pub fn unmarked(html: &str) -> String {
    let mut text = html.to_owned();
    for element in ["span", "bdi"] {
        let (kept, end) = (
            format!("<{element} translate=\"no\">"),
            format!("</{element}>"),
        );
        let mut pieces = text.split(&kept);
        let mut without = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            without += &piece.replacen(&end, "", 1);
        }
        text = without;
    }
    text.replace(" translate=\"no\"", "")
        .replace(" translate=\"yes\"", "")
}

/// A unique name.
pub fn fresh_name(what: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("perplex_{what}_{}_{number}", std::process::id())
}

/// A folder, removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(what: &str) -> Self {
        let folder = std::env::temp_dir().join(fresh_name(what));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A new, empty database, removed when dropped.
pub struct Database {
    pub address: Address,
    /// The folder of the SQLite file and of the files that programs on the database share.
    folder: Folder,
    /// The server that holds it, and its name there.
    pub server: Option<(Config, String)>,
}

impl Database {
    pub fn sqlite(what: &str) -> Self {
        let folder = Folder::new(what);
        Self {
            address: Address::in_folder(&folder.0),
            folder,
            server: None,
        }
    }

    /// A database in the server that `TEST_POSTGRES_URL` names, if it is set.
    pub fn postgres(what: &str) -> Option<Self> {
        let Ok(url) = std::env::var("TEST_POSTGRES_URL") else {
            assert!(!complete(), "TEST_POSTGRES_URL is not set");
            return None;
        };
        let server: Config = url.parse().expect("TEST_POSTGRES_URL");
        let name = fresh_name(what);
        let template = template(&server);
        on_server(
            &server,
            &format!("CREATE DATABASE {name} TEMPLATE {template}"),
        );
        let mut config = server.clone();
        config.dbname(&name);
        Some(Self {
            address: Address::Postgres(Box::new(config)),
            folder: Folder::new(what),
            server: Some((server, name)),
        })
    }

    /// One database of every available kind.
    pub fn all(what: &str) -> Vec<Self> {
        let mut all = vec![Self::sqlite(what)];
        all.extend(Self::postgres(what));
        all
    }

    /// The value of `DATABASE_URL` for it.
    pub fn url(&self) -> String {
        match (&self.address, &self.server) {
            (Address::Sqlite(file), _) => format!("sqlite:{}", file.display()),
            (Address::Postgres(_), Some((_, name))) => {
                let url = std::env::var("TEST_POSTGRES_URL").expect("it was there before");
                let (server, _) = url.rsplit_once('/').expect("the address of a database");
                format!("{server}/{name}")
            }
            (Address::Postgres(_), None) => unreachable!("it was made in a server"),
        }
    }

    /// The keys with which all programs on the database seal talk.
    pub fn ring(&self) -> KeyRing {
        KeyRing::in_file(&self.folder.0.join("talk.keys")).expect("keys")
    }

    pub fn open(&self) -> Store {
        Store::open(&self.address).expect("a database")
    }
}

/// The database that this process copies for all its others on the server: with tables, and empty.
fn template(server: &Config) -> &'static str {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let name = fresh_name("template");
        on_server(server, &format!("CREATE DATABASE {name}"));
        let mut config = server.clone();
        config.dbname(&name);
        drop(Store::open(&Address::Postgres(Box::new(config))).expect("a database"));
        name
    })
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some((server, name)) = &self.server {
            on_server(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
}

pub fn on_server(server: &Config, sql: &str) {
    runtime().block_on(async {
        let (client, connection) = server.connect(NoTls).await.expect("PostgreSQL");
        tokio::spawn(connection);
        client.batch_execute(sql).await.expect("SQL");
    });
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// A mail that the mail server accepted.
#[derive(Debug, serde::Deserialize)]
pub struct Taken {
    pub from: String,
    pub to: Vec<String>,
    pub data: String,
}

/// The Python with the packages of `tests/requirements.txt`: `TEST_PYTHON`.
pub fn test_python() -> String {
    std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// A real mail server (`smtp_sink.py`) that accepts every mail and delivers none; stopped when dropped.
pub struct Sink {
    child: Child,
    folder: Folder,
    pub port: u16,
}

impl Sink {
    /// A server that answers 550 for the addresses in `refuse`, and once for each in `later`: with what stands after
    /// its `=`, or 451. `TEST_PYTHON` names
    /// a Python that has aiosmtpd; `None` without one.
    pub fn start(refuse: &[&str], later: &[&str]) -> Option<Self> {
        let folder = Folder::new("sink");
        let python = test_python();
        let mut command = Command::new(&python);
        command
            .arg("tests/smtp_sink.py")
            .arg(folder.0.join("mails"));
        for address in refuse {
            command.args(["--refuse", address]);
        }
        for address in later {
            command.args(["--later", address]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("TEST_PYTHON");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut line).expect("its output");
        let Ok(port) = line.trim().parse() else {
            let _ = child.wait();
            assert!(!complete(), "{python} has no aiosmtpd");
            eprintln!("left out: {python} has no aiosmtpd; see TEST_PYTHON");
            return None;
        };
        Some(Self {
            child,
            folder,
            port,
        })
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// The mails accepted so far.
    pub fn taken(&self) -> Vec<Taken> {
        let text = fs::read_to_string(self.folder.0.join("mails")).unwrap_or_default();
        text.split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // It stops when its standard input ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
