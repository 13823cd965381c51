//! The store, on every database.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::sql_types::Integer;
use diesel::{Connection as _, RunQueryDsl, SqliteConnection};
use futures_util::FutureExt;
use perplex::store::accounts::{self, AccountRow, SessionRow};
use perplex::store::heartbeat;
use perplex::store::journal::{self, NextCheck};
use perplex::store::mail_settings::MailSettings;
use perplex::store::matches::{self, MatchRow, Tally};
use perplex::store::members::{self, MemberRow};
use perplex::store::outbox::{self, AfterFailure, Counts, MailRow, NewMail, OutboxState, Urgency};
use perplex::store::preferences::Preferences;
use perplex::store::talk::{self, EVERYBODY, MessageRow};
use perplex::store::{
    Address, Change, Conn, Heads, MatchKind, Page, Phase, Store, StoreError, Winner, admin, new_id,
    version,
};
use perplex_matches::correspondence::Match;
use perplex_matches::correspondence::event::{Event, EventKind, Terms};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::{Time, days, hours};

use crate::support::{Database, Folder, PATIENCE, on_server, runtime};
use crate::test_app::{ALL, has, lacks};

const NOW: Time = Time(1_800_000_000_000_000);

fn everywhere(test: impl Fn(&Database)) {
    for database in Database::all("store") {
        test(&database);
    }
}

/// Runs a job and expects it to succeed.
fn write<T: Send + 'static>(
    store: &Store,
    job: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
) -> T {
    write_now(store, job).unwrap()
}

/// Blocks until the job is answered.
fn write_now<T, E>(
    store: &Store,
    job: impl FnOnce(&mut Conn) -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    runtime().block_on(store.write(job))
}

fn read<T>(store: &Store, job: impl FnOnce(&mut Conn) -> Result<T, StoreError>) -> T {
    store.read_now(job).unwrap()
}

pub fn execute(conn: &mut Conn, sql: &str) -> Result<usize, StoreError> {
    Ok(match conn {
        Conn::Sqlite(c) => diesel::sql_query(sql).execute(c)?,
        Conn::Postgres(c) => diesel::sql_query(sql).execute(c)?,
    })
}

fn id(name: &str) -> AccountId {
    AccountId(name.to_owned())
}

fn match_id(text: &str) -> MatchId {
    MatchId(text.to_owned())
}

fn account(name: &str) -> AccountRow {
    AccountRow {
        name: name.to_owned(),
        name_key: Some(name.to_lowercase()),
        email: Some(format!("{name}@example.org")),
        email_key: Some(format!("{}@example.org", name.to_lowercase())),
        password: "$argon2id$".to_owned(),
        ..AccountRow::new(id(name), NOW)
    }
}

fn gathering(key: &str, by: &str) -> MatchRow {
    MatchRow {
        game: "quixo".to_owned(),
        days: 3,
        listed: true,
        head: 1,
        ..MatchRow::new(match_id(key), MatchKind::Correspondence, id(by), NOW)
    }
}

fn playing(key: &str, to_move: &str, deadline: Time) -> MatchRow {
    MatchRow {
        phase: Phase::Playing,
        listed: false,
        to_move: Some(id(to_move)),
        deadline: Some(deadline),
        look_at: Some(deadline - hours(24)),
        ..gathering(key, to_move)
    }
}

/// The match "m" at an event.
fn at(head: i32) -> MatchRow {
    MatchRow {
        head,
        ..gathering("m", "ada")
    }
}

/// The numbers of a match's last event and last message.
fn come_to(conn: &mut Conn, key: &str) -> Result<Option<(i32, i32)>, StoreError> {
    let version = journal::version(conn, &match_id(key), MatchKind::Correspondence)?;
    Ok(version.map(|version| (version.head, version.talk_head)))
}

fn over(key: &str, winner: Winner, at: Time) -> MatchRow {
    MatchRow {
        phase: Phase::Over,
        listed: false,
        updated_at: at,
        winner: Some(winner),
        reason: Some("line".to_owned()),
        ..gathering(key, "ada")
    }
}

fn seated(key: &str, account: &str, seat: i32) -> MemberRow {
    MemberRow {
        match_id: match_id(key),
        number: seat + 1,
        account_id: Some(id(account)),
        name: String::new(),
        active: true,
        seat: Some(seat),
        news_seen: 0,
        news_kept: String::new(),
        news_mailed: 0,
        talk_seen: 0,
        hand_at: None,
    }
}

fn event(number: i32, kind: EventKind) -> Event {
    Event {
        number,
        at: NOW,
        by: Some(id("ada")),
        kind,
    }
}

/// Makes the accounts `ada` and `bob`, and a match `m` that `ada` made.
fn furnish(store: &Store) {
    write(store, |conn| {
        accounts::insert(conn, &account("ada"))?;
        accounts::insert(conn, &account("bob"))?;
        matches::create(conn, &gathering("m", "ada"))
    });
}

fn mail(name: &str, due_at: Time) -> NewMail {
    NewMail {
        kind: "turn".to_owned(),
        account_id: None,
        address: format!("{name}@example.org"),
        match_id: None,
        event: None,
        payload: "{}".to_owned(),
        due_at,
        message_id: format!("<{name}@perplex>"),
        urgency: Urgency::Soon,
    }
}

#[test]
fn a_database_of_an_earlier_version_gets_its_id() {
    let database = Database::sqlite("earlier");
    let Address::Sqlite(path) = &database.address else {
        unreachable!("it is SQLite")
    };
    let account = account("ann");
    let kept = account.clone();
    write(&database.open(), move |conn| {
        accounts::insert(conn, &account)
    });
    let raw = |sql: &str| {
        let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        conn.batch_execute(sql).unwrap();
        conn
    };
    drop(raw("PRAGMA application_id = 0;"));
    let store = database.open();
    let found = read(&store, move |conn| accounts::find(conn, &kept.id));
    assert_eq!(found.unwrap().name, "ann");
    let id = sql::<Integer>("(SELECT application_id FROM pragma_application_id)");
    let id: i32 = diesel::select(id).get_result(&mut raw("")).unwrap();
    assert_eq!(id.to_be_bytes(), *b"Prpx");
    // Killed early, it had all its tables in the log beside it.
    let folder = Folder::new("killed");
    let file = folder.0.join("old.sqlite");
    let mut old = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    old.batch_execute("PRAGMA journal_mode = WAL; BEGIN;")
        .unwrap();
    for table in [
        "__diesel_schema_migrations",
        "accounts",
        "channels",
        "events",
        "matches",
        "outbox",
    ] {
        old.batch_execute(&format!("CREATE TABLE {table} (id);"))
            .unwrap();
    }
    old.batch_execute("COMMIT;").unwrap();
    let error = Store::open(&Address::Sqlite(file)).unwrap_err();
    assert!(!matches!(error, StoreError::Foreign(_)), "{error}");
}

/// The log is copied into the file page by page; a kill may come after the first, which says how many there are.
#[test]
fn a_file_that_a_kill_left_half_written_is_opened() {
    let (before, after) = (Folder::new("whole"), Folder::new("half"));
    let store = Store::open(&Address::in_folder(&before.0)).expect("a database");
    write(&store, |conn| accounts::insert(conn, &account("ann")));
    let mut file = fs::read(before.0.join("perplex.sqlite")).expect("a file");
    let log = fs::read(before.0.join("perplex.sqlite-wal")).expect("a log");
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes[..4].try_into().expect("four bytes"));
    let size = usize::try_from(number(&log[8..])).expect("a size");
    let mut frames = log[32..].chunks_exact(24 + size);
    let first = frames.rfind(|frame| number(frame) == 1);
    file[..size].copy_from_slice(&first.expect("the first page")[24..]);
    let pages = usize::try_from(number(&file[28..])).expect("pages");
    assert!(pages * size > file.len(), "{pages} pages of {size} bytes");
    fs::write(after.0.join("perplex.sqlite"), file).expect("a file");
    fs::write(after.0.join("perplex.sqlite-wal"), log).expect("a log");

    let again = Store::open(&Address::in_folder(&after.0)).expect("a database");
    let found = read(&again, |conn| accounts::find(conn, &id("ann")));
    assert!(found.is_some());
}

#[test]
fn tables_of_another_program_are_left_alone() {
    let Some(database) = Database::postgres("theirs") else {
        return;
    };
    let (server, name) = database.server.clone().unwrap();
    on_server(&server, &format!("CREATE DATABASE {name}_2"));
    let mut config = server.clone();
    config.dbname(format!("{name}_2"));
    on_server(&config, "CREATE TABLE accounts (id INTEGER)");
    let address = Address::Postgres(Box::new(config.clone()));
    let error = Store::open(&address).unwrap_err();
    assert!(matches!(error, StoreError::Foreign(_)), "{error}");
    // Alone, it is ours.
    on_server(
        &config,
        "ALTER TABLE accounts RENAME TO others; DROP TABLE others",
    );
    drop(Store::open(&address).unwrap());
    drop(Store::open(&address).unwrap());
    on_server(&server, &format!("DROP DATABASE {name}_2 WITH (FORCE)"));
}

#[test]
fn addresses() {
    for text in [
        "",
        "data",
        "perplex.sqlite",
        "sqlit:perplex.sqlite",
        "sqlite:",
        "sqlite://",
        "sqlite:data/",
        "sqlite::memory:",
        "sqlite:file:x",
        "sqlite:perplex.sqlite?mode=ro",
        "postgre://u:hunter2@host/name",
        "postgres:host/name",
        "postgres://",
        "postgres://u:hunter2@host/name?sslmode=maybe",
        "postgres://u:hunter2@host:port/name",
        "mysql://host/name",
    ] {
        let error = text.parse::<Address>().unwrap_err();
        assert!(matches!(error, StoreError::Address(_)), "{text}");
        let said = error.to_string();
        has(&said, "sqlite:PATH and postgres://");
        lacks(&said, "hunter2");
    }
    for (text, path) in [
        ("sqlite:data/x.sqlite", "data/x.sqlite"),
        ("sqlite:/srv/x", "/srv/x"),
        ("sqlite:///srv/x", "/srv/x"),
    ] {
        let Address::Sqlite(found) = text.parse().unwrap() else {
            panic!("{text}");
        };
        assert_eq!(found, PathBuf::from(path));
    }
    let address: Address = "postgresql://u:hunter2@host/name".parse().unwrap();
    assert!(matches!(address, Address::Postgres(_)));
    lacks(&format!("{address} {address:?}"), "hunter2");
}

#[test]
fn what_cannot_be_opened_is_said_at_once() {
    let folder = Database::sqlite("store");
    let Address::Sqlite(path) = &folder.address else {
        unreachable!()
    };
    let nowhere = path.with_file_name("missing").join("x.sqlite");
    let error = Store::open(&Address::Sqlite(nowhere.clone())).unwrap_err();
    assert!(matches!(error, StoreError::Unreachable(_)), "{error}");
    assert!(!nowhere.exists());

    let text = path.with_file_name("letter.txt");
    std::fs::write(&text, "Dear Ada, this is no database at all.".repeat(100)).unwrap();
    let error = Store::open(&Address::Sqlite(text)).unwrap_err();
    assert!(error.to_string().contains("not a database"), "{error}");

    let refused: Address = "postgres://u@127.0.0.1:1/x".parse().unwrap();
    let error = Store::open(&refused).unwrap_err();
    assert!(matches!(error, StoreError::Unreachable(_)), "{error}");

    // The tests' server has no certificate: connections that must be encrypted fail.
    if let Some(database) = Database::postgres("store")
        && let Address::Postgres(config) = &database.address
    {
        let mut config = config.clone();
        config.ssl_mode(tokio_postgres::config::SslMode::Require);
        let error = Store::open(&Address::Postgres(config)).unwrap_err();
        assert!(matches!(error, StoreError::Unreachable(_)), "{error}");
    }
}

#[test]
fn several_processes_may_start_at_once_and_again() {
    everywhere(|database| {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| database.open());
            }
        });
        let store = database.open();
        furnish(&store);
        let kind = store.kind();
        let said = read(&store, version);
        assert!(said.starts_with(&format!("{kind} ")), "{said}");
        drop(store);
        let found = read(&database.open(), |conn| accounts::find(conn, &id("ada")));
        assert_eq!(found, Some(account("ada")));
    });
}

#[test]
fn a_newer_database_is_refused() {
    everywhere(|database| {
        write(&database.open(), |conn| {
            execute(
                conn,
                "INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101')",
            )
        });
        let error = Store::open(&database.address).unwrap_err();
        assert!(matches!(error, StoreError::Newer(_)), "{error}");
    });
}

#[test]
fn of_eight_who_advance_one_does() {
    everywhere(|database| {
        // Two stores on one database stand for two processes.
        let stores = [database.open(), database.open()];
        furnish(&stores[0]);
        for round in 1..=25 {
            let taken: Vec<bool> = thread::scope(|scope| {
                let clients: Vec<_> = (0..8)
                    .map(|client| {
                        let store = &stores[client % 2];
                        scope.spawn(move || {
                            write(store, move |conn| {
                                let taken = journal::advance(
                                    conn,
                                    round,
                                    &at(round + 1),
                                    NextCheck::Unchanged,
                                )?;
                                if taken {
                                    let turn = EventKind::Turn(format!("by {client}"));
                                    let event = event(round + 1, turn);
                                    journal::append::<Match>(conn, &match_id("m"), &[event])?;
                                }
                                Ok(taken)
                            })
                        })
                    })
                    .collect();
                clients
                    .into_iter()
                    .map(|client| client.join().unwrap())
                    .collect()
            });
            assert_eq!(taken.iter().filter(|&&taken| taken).count(), 1);
        }
        let events = read(&stores[0], |conn| {
            journal::events::<Match>(conn, &match_id("m"), 0)
        });
        let numbers: Vec<i32> = events.iter().map(|event| event.number).collect();
        assert_eq!(numbers, (2..=26).collect::<Vec<_>>());
        let none = write(&stores[1], |conn| {
            journal::advance(
                conn,
                0,
                &MatchRow {
                    id: match_id("x"),
                    ..at(1)
                },
                NextCheck::Unchanged,
            )
        });
        assert!(!none);
    });
}

#[test]
fn an_answer_comes_after_its_commit() {
    everywhere(|database| {
        let store = database.open();
        thread::scope(|scope| {
            for client in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    for round in 0..20 {
                        let name = format!("c{client}r{round}");
                        let row = account(&name);
                        let result = write_now(store, move |conn| {
                            accounts::insert(conn, &row)?;
                            if round % 4 == 3 {
                                return Err(StoreError::Corrupt("changed my mind".to_owned()));
                            }
                            Ok(())
                        });
                        let found = read(store, |conn| accounts::find(conn, &id(&name)));
                        assert_eq!(result.is_ok(), found.is_some(), "{name}");
                        assert_eq!(result.is_err(), round % 4 == 3);
                    }
                });
            }
        });
    });
}

#[test]
fn a_panic_ends_its_own_job_only() {
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        thread::scope(|scope| {
            for client in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    for round in 0..20 {
                        let name = format!("c{client}r{round}");
                        let row = account(&name);
                        let result = write_now(store, move |conn| -> Result<(), StoreError> {
                            accounts::insert(conn, &row)?;
                            assert!(round % 5 != 2, "as planned");
                            Ok(())
                        });
                        assert_eq!(
                            matches!(result, Err(StoreError::Panicked(_))),
                            round % 5 == 2
                        );
                        let found = read(store, |conn| accounts::find(conn, &id(&name)));
                        assert_eq!(result.is_ok(), found.is_some());
                    }
                });
            }
        });
        let result = store.read_now(|_| -> Result<(), StoreError> { panic!("as planned") });
        assert!(matches!(result, Err(StoreError::Panicked(why)) if why == "as planned"));
        // A panic within a savepoint leaves that open.
        let result = write_now(&store, |conn| -> Result<(), StoreError> {
            accounts::set_mail(
                conn,
                &id("ada"),
                &MailSettings::default().without("your-turn"),
            )?;
            match conn {
                Conn::Sqlite(c) => diesel::Connection::transaction(c, |_| panic!("as planned")),
                Conn::Postgres(c) => diesel::Connection::transaction(c, |_| panic!("as planned")),
            }
        });
        assert!(matches!(result, Err(StoreError::Panicked(_))));
        write(&store, |conn| {
            let ada = accounts::find(conn, &id("ada"))?.expect("Ada");
            accounts::set_password(conn, &ada, "x")
        });
        let ada = read(&store, |conn| accounts::find(conn, &id("ada"))).unwrap();
        assert_eq!((ada.mail, &*ada.password), (MailSettings::default(), "x"));
    });
}

#[test]
fn a_job_goes_on_after_a_name_is_taken() {
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        write(&store, |conn| {
            let same_name = AccountRow {
                id: id("other"),
                email_key: Some("other@example.org".to_owned()),
                ..account("Ada")
            };
            let same_email = AccountRow {
                id: id("other"),
                name_key: Some("other".to_owned()),
                ..account("Ada")
            };
            let cyd = account("cyd");
            let email = |conn: &mut Conn, email: &str, key: &str| {
                accounts::set_email(conn, &cyd, email, key, NOW).map(|set| assert!(set))
            };
            let results = [
                accounts::insert(conn, &same_name),
                accounts::insert(conn, &same_email),
                accounts::insert(conn, &account("cyd")),
                accounts::set_name(conn, &id("cyd"), "ADA", "ada"),
                email(conn, "ADA@x", "ada@example.org"),
                accounts::set_name(conn, &id("cyd"), "Cydney", "cydney"),
                email(conn, "C@x", "c@x"),
            ];
            assert!(
                matches!(
                    results,
                    [
                        Err(StoreError::NameTaken),
                        Err(StoreError::EmailTaken),
                        Ok(()),
                        Err(StoreError::NameTaken),
                        Err(StoreError::EmailTaken),
                        Ok(()),
                        Ok(()),
                    ]
                ),
                "{results:?}"
            );
            Ok(())
        });
        let cyd = read(&store, |conn| accounts::find_by_name(conn, "cydney")).unwrap();
        assert_eq!(cyd.name, "Cydney");
        assert_eq!(cyd.verified_at, Some(NOW));
        // Any other constraint stays the error that it is.
        let again = write_now(&store, |conn| {
            let row = AccountRow {
                name_key: None,
                email_key: None,
                ..account("ada")
            };
            accounts::insert(conn, &row)
        });
        assert!(matches!(again, Err(StoreError::Database(_))), "{again:?}");
    });
}

#[test]
fn a_read_sees_one_moment_and_writes_nothing() {
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        let heads = read(&store, |conn| {
            let before = come_to(conn, "m")?;
            write(&store, |conn| {
                journal::advance(conn, 1, &at(2), NextCheck::Unchanged)
            });
            Ok((before, come_to(conn, "m")?))
        });
        assert_eq!(heads, (Some((1, 0)), Some((1, 0))));
        let head = read(&store, |conn| come_to(conn, "m"));
        assert_eq!(head, Some((2, 0)));
        let refused =
            store.read_now(|conn| journal::advance(conn, 2, &at(3), NextCheck::Unchanged));
        assert!(matches!(refused, Err(StoreError::Database(_))));
        let head = read(&store, |conn| come_to(conn, "m"));
        assert_eq!(head, Some((2, 0)));
    });
}

#[test]
fn closing_finishes_what_waits() {
    // PostgreSQL has no queue of ours: jobs that wait for a thread belong to the runtime.
    let database = Database::sqlite("store");
    let store = database.open();
    runtime().block_on(async {
        for number in 0..100 {
            let row = account(&format!("a{number}"));
            // Started, but not awaited.
            let asked = store
                .write(move |conn| accounts::insert(conn, &row))
                .now_or_never();
            assert!(asked.is_none_or(|result| result.is_ok()));
        }
        drop(store);
    });
    let store = database.open();
    let counts = read(&store, |conn| admin::counts(conn, NOW));
    assert_eq!(counts.accounts, 100);
}

#[test]
fn a_job_may_hold_the_last_clone() {
    let database = Database::sqlite("store");
    let store = database.open();
    let clone = store.clone();
    let (go, wait) = std::sync::mpsc::channel();
    let asked = store
        .write(move |conn| {
            wait.recv().unwrap();
            drop(clone);
            accounts::insert(conn, &account("ada"))
        })
        .now_or_never();
    assert!(asked.is_none());
    drop(store);
    go.send(()).unwrap();
    let store = database.open();
    let start = Instant::now();
    while read(&store, |conn| accounts::find(conn, &id("ada"))).is_none() {
        assert!(start.elapsed() < PATIENCE, "the account is not written");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_lost_connection_is_replaced() {
    let Some(database) = Database::postgres("store") else {
        return;
    };
    let store = database.open();
    furnish(&store);
    let (server, name) = database.server.as_ref().expect("it is on a server");
    let kill =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    // Once the store has had time to hear of it, nothing fails; that time depends on the machine.
    let mut pause = Duration::from_millis(10);
    loop {
        on_server(server, &kill);
        thread::sleep(pause);
        let moved = write_now(&store, |conn| {
            journal::advance(conn, 1, &at(2), NextCheck::Unchanged)
        });
        let Err(error) = moved else {
            break;
        };
        assert!(
            4 * pause < PATIENCE,
            "{pause:?} after a connection was lost it is still used: {error:?}"
        );
        // Each of its connections may fail once; the next round begins with one that is good.
        let since = Instant::now();
        while let Err(error) = write_now(&store, |conn| execute(conn, "SELECT 1")) {
            assert!(since.elapsed() < PATIENCE, "still lost: {error:?}");
        }
        pause *= 2;
    }
    let ended = write_now(&store, |conn| {
        execute(conn, "SELECT pg_terminate_backend(pg_backend_pid())")?;
        journal::advance(conn, 2, &at(3), NextCheck::Unchanged)
    });
    assert!(matches!(ended, Err(StoreError::Database(_))), "{ended:?}");
    let head = read(&store, |conn| come_to(conn, "m"));
    assert_eq!(head, Some((2, 0)));
}

#[test]
fn asynchronous_jobs_are_answered() {
    everywhere(|database| {
        let store = database.open();
        runtime().block_on(async {
            let jobs = (0..64).map(|number| {
                let row = account(&format!("a{number}"));
                store.write(move |conn| accounts::insert(conn, &row))
            });
            for result in futures_util::future::join_all(jobs).await {
                result.unwrap();
            }
            let counts = store.read(|conn| admin::counts(conn, NOW)).await.unwrap();
            assert_eq!(counts.accounts, 64);
            let error: Result<(), StoreError> = store.read(|_| Err(StoreError::NameTaken)).await;
            assert!(matches!(error, Err(StoreError::NameTaken)));
        });
    });
}

#[test]
fn a_match_keeps_its_journal() {
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        let written = vec![
            event(
                1,
                EventKind::Create(
                    Terms {
                        game: "quixo".to_owned(),
                        variant: String::new(),
                        days: 3,
                        open: true,
                    },
                    1,
                ),
            ),
            Event {
                by: None,
                ..event(2, EventKind::Start(vec![id("ada"), id("bob")]))
            },
            event(3, EventKind::Turn("c1-a1".to_owned())),
        ];
        let events = written.clone();
        let stands = MatchRow {
            head: 3,
            ply: 1,
            winner: Some(Winner::Draw),
            reason: Some("agreement".to_owned()),
            ..playing("m", "bob", NOW + hours(72))
        };
        let row = stands.clone();
        write(&store, move |conn| {
            assert!(journal::advance(conn, 1, &row, NextCheck::At(row.look_at))?);
            journal::append::<Match>(conn, &match_id("m"), &events)?;
            journal::append::<Match>(conn, &match_id("m"), &[])
        });
        read(&store, |conn| {
            assert_eq!(journal::events::<Match>(conn, &match_id("m"), 0)?, written);
            assert_eq!(
                journal::events::<Match>(conn, &match_id("m"), 2)?,
                written[2..]
            );
            assert_eq!(matches::find(conn, &match_id("x"))?, None);
            assert_eq!(come_to(conn, "x")?, None);
            let expected = MatchRow {
                created_by: id("ada"),
                ..stands
            };
            assert_eq!(matches::find(conn, &match_id("m"))?, Some(expected));
            Ok(())
        });
        write(&store, |conn| {
            execute(conn, "UPDATE events SET what = 'dance' WHERE number = 2")
        });
        let error = store
            .read_now(|conn| journal::events::<Match>(conn, &match_id("m"), 0))
            .unwrap_err();
        assert!(error.to_string().contains("match m, event 2"), "{error}");
    });
}

#[test]
fn members_and_invitations_are_replaced() {
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        write(&store, |conn| {
            let m = match_id("m");
            let waiting = MemberRow {
                seat: None,
                ..seated("m", "ada", 0)
            };
            members::set(conn, &m, std::slice::from_ref(&waiting), &[id("bob")])?;
            assert_eq!(members::of_match(conn, &m)?, [waiting]);
            assert_eq!(members::invited(conn, &m)?, [id("bob")]);
            // The players swap seats.
            let both = [seated("m", "bob", 0), seated("m", "ada", 1)];
            members::set(conn, &m, &both, &[])?;
            assert_eq!(members::of_match(conn, &m)?, both);
            assert_eq!(members::invited(conn, &m)?, []);
            members::set(conn, &m, &both[..1], &[])?;
            assert_eq!(members::of_match(conn, &m)?, both[..1]);
            Ok(())
        });
    });
}

/// Eleven matches of `ada` and `bob` in all phases; numbers are hours after [`NOW`].
fn furnish_lists(store: &Store) {
    furnish(store);
    let later = |n| NOW + hours(n);
    write(store, move |conn| {
        let newer = MatchRow {
            updated_at: later(1),
            ..gathering("newer", "bob")
        };
        let hidden = MatchRow {
            listed: false,
            ..gathering("hidden", "bob")
        };
        let called_off = MatchRow {
            winner: None,
            ..over("off", Winner::Draw, later(9))
        };
        let four = MatchRow {
            variant: "four".to_owned(),
            ..over("four", Winner::Second, later(4))
        };
        for row in [
            newer,
            hidden,
            playing("theirs", "bob", later(1)),
            playing("mine2", "ada", later(60)),
            playing("mine1", "ada", later(50)),
            over("won", Winner::First, later(1)),
            over("won2", Winner::First, later(2)),
            over("drawn", Winner::Draw, later(3)),
            four,
            called_off,
        ] {
            matches::create(conn, &row)?;
            if row.phase != Phase::Gathering {
                let key = &row.id.0;
                let players = [seated(key, "ada", 0), seated(key, "bob", 1)];
                members::set(conn, &row.id, &players, &[])?;
            }
        }
        let waiting = MemberRow {
            seat: None,
            ..seated("m", "ada", 0)
        };
        members::set(conn, &match_id("m"), &[waiting], &[id("bob")])
    });
}

#[test]
fn lists_of_matches() {
    let later = |n| NOW + hours(n);
    everywhere(|database| {
        let store = database.open();
        furnish_lists(&store);
        let keys =
            |rows: Vec<MatchRow>| -> Vec<String> { rows.into_iter().map(|row| row.id.0).collect() };
        read(&store, |conn| {
            let kind = MatchKind::Correspondence;
            assert_eq!(keys(matches::lobby(conn, kind, 10)?), ["newer", "m"]);
            assert_eq!(keys(matches::lobby(conn, kind, 1)?), ["newer"]);
            assert_eq!(keys(matches::lobby(conn, MatchKind::Team, 10)?), [""; 0]);
            let running = &[Phase::Playing, Phase::Gathering];
            assert_eq!(
                keys(matches::of_member(conn, kind, &id("ada"), running, 10)?),
                ["mine1", "mine2", "theirs", "m"]
            );
            assert_eq!(
                keys(matches::of_member(
                    conn,
                    kind,
                    &id("ada"),
                    &[Phase::Over],
                    10
                )?),
                ["four", "drawn", "won2", "won"]
            );
            assert_eq!(
                keys(matches::of_invited(conn, kind, &id("bob"), 10)?),
                ["m"]
            );
            assert_eq!(
                matches::unfinished(conn, kind, &id("bob"))?,
                ["m", "mine1", "mine2", "theirs"].map(match_id)
            );
            assert_eq!(members::of_matches(conn, &[])?, []);
            let some = [match_id("won"), match_id("m")];
            let who: Vec<_> = members::of_matches(conn, &some)?
                .into_iter()
                .map(|member| (member.match_id.0, member.account_id.unwrap().0))
                .collect();
            let expected = [("m", "ada"), ("won", "ada"), ("won", "bob")];
            assert_eq!(who, expected.map(|(m, a)| (m.to_owned(), a.to_owned())));

            let mut tallies = matches::tallies(conn, &id("ada"))?;
            tallies.sort_by_key(|tally| (tally.variant.clone(), tally.winner.word()));
            let tally = |variant: &str, winner, matches| Tally {
                game: "quixo".to_owned(),
                variant: variant.to_owned(),
                seat: 0,
                winner,
                matches,
            };
            assert_eq!(
                tallies,
                [
                    tally("", Winner::Draw, 1),
                    tally("", Winner::First, 2),
                    tally("four", Winner::Second, 1),
                ]
            );

            let overdue = |conn: &mut Conn, at, limit| -> Result<Vec<String>, StoreError> {
                let found = matches::overdue(conn, at, limit)?;
                Ok(found.into_iter().map(|(id, _)| id.0).collect())
            };
            assert_eq!(overdue(conn, NOW, 9)?, [""; 0]);
            assert_eq!(overdue(conn, later(1), 9)?, ["theirs"]);
            assert_eq!(overdue(conn, later(60), 2)?, ["theirs", "mine1"]);
            assert_eq!(
                keys(matches::to_look_at(conn, later(26), 9)?),
                ["theirs", "mine1"]
            );
            let counts = admin::counts(conn, NOW)?;
            assert_eq!(
                (counts.gathering, counts.playing, counts.over, counts.events),
                (3, 3, 5, 0)
            );
            Ok(())
        });
    });
}

#[test]
fn a_reminder_is_claimed_once() {
    everywhere(|database| {
        let store = database.open();
        furnish_lists(&store);
        let due = NOW + hours(50 - 24);
        let claimed = write(&store, move |conn| {
            let m = match_id("mine1");
            Ok([
                matches::claim_look(conn, &m, due - hours(1), None)?,
                matches::claim_look(conn, &m, due, None)?,
                matches::claim_look(conn, &m, due, None)?,
            ])
        });
        assert_eq!(claimed, [false, true, false]);
    });
}

#[test]
fn messages_are_numbered_without_gaps() {
    everywhere(|database| {
        let stores = [database.open(), database.open()];
        furnish(&stores[0]);
        thread::scope(|scope| {
            for client in 0..6 {
                let store = &stores[client % 2];
                scope.spawn(move || {
                    for _ in 0..5 {
                        write(store, |conn| said(conn, "m").map(drop));
                    }
                });
            }
        });
        read(&stores[0], |conn| {
            let messages = talk::messages_of(conn, &match_id("m"), EVERYBODY, 100)?;
            let numbers: Vec<i32> = messages.iter().map(|message| message.number).collect();
            assert_eq!(numbers, (1..=30).collect::<Vec<_>>());
            assert_eq!(messages[0].event, Some(1));
            assert_eq!(
                talk::messages_of(conn, &match_id("m"), EVERYBODY, 2)?,
                messages[28..]
            );
            assert_eq!(come_to(conn, "m")?, Some((1, 30)));
            Ok(())
        });
        assert_eq!(write(&stores[0], |conn| said(conn, "x")), None);
    });
}

/// Writes a message in a match, and gives its number.
fn said(conn: &mut Conn, key: &str) -> Result<Option<i32>, StoreError> {
    let Some((number, _)) = talk::claim(conn, &match_id(key), EVERYBODY)? else {
        return Ok(None);
    };
    let row = MessageRow {
        match_id: match_id(key),
        channel: EVERYBODY,
        number,
        at: NOW,
        by_actor: "bob".to_owned(),
        sealed: "sealed".to_owned(),
        event: Some(1),
    };
    talk::post(conn, &row)?;
    Ok(Some(number))
}

#[test]
fn a_mail_is_leased_to_one_worker() {
    everywhere(|database| {
        let stores = [database.open(), database.open()];
        let mails: Vec<NewMail> = (0..60).map(|n| mail(&format!("m{n}"), NOW)).collect();
        write(&stores[0], move |conn| {
            outbox::enqueue(conn, &[], NOW)?;
            outbox::enqueue(conn, &mails, NOW)?;
            outbox::enqueue(conn, &[mail("later", NOW + hours(1))], NOW)
        });
        let until = NOW + hours(2);
        let leased: Vec<String> = thread::scope(|scope| {
            let workers: Vec<_> = (0..6)
                .map(|worker| {
                    let store = &stores[worker % 2];
                    scope.spawn(move || {
                        let mut mine = Vec::new();
                        loop {
                            let got = write(store, move |conn| outbox::lease(conn, NOW, until, 3));
                            let due =
                                read(store, |conn| outbox::list(conn, OutboxState::Waiting, ALL));
                            let free = due
                                .iter()
                                .filter(|row| row.due_at <= NOW && row.leased_until.is_none());
                            if got.is_empty() && free.count() == 0 {
                                break mine;
                            }
                            for row in got.into_iter().flatten() {
                                assert_eq!((row.attempts, row.leased_until), (1, Some(until)));
                                mine.push(row.id);
                            }
                        }
                    })
                })
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().unwrap())
                .collect()
        });
        assert_eq!(leased.len(), 60);
        assert_eq!(leased.iter().collect::<HashSet<_>>().len(), 60);
        // Their workers died: when the leases are over they are due again.
        let again = write(&stores[0], move |conn| {
            outbox::lease(conn, until, until + hours(1), 100)
        });
        assert_eq!(again.len(), 61);
        assert!(again.iter().flatten().any(|row| row.attempts == 2));
    });
}

#[test]
fn urgent_mails_leave_first() {
    everywhere(|database| {
        let store = database.open();
        let urgent = |urgency, name: &str, at: i64| NewMail {
            urgency,
            ..mail(name, Time(at))
        };
        // What can wait is overtaken only by what is due within six hours after it.
        let ago = |time: u64| (NOW - hours(time)).0;
        let mails = [
            urgent(Urgency::Later, "news", ago(20)),
            urgent(Urgency::Later, "other-news", ago(19)),
            urgent(Urgency::Soon, "third-turn", ago(12)),
            urgent(Urgency::Soon, "turn", ago(21)),
            urgent(Urgency::Soon, "next-turn", ago(15)),
            urgent(Urgency::Now, "not-yet", NOW.0 + 1),
            urgent(Urgency::Now, "link", ago(1)),
        ];
        write(&store, move |conn| {
            outbox::enqueue(conn, &mails, NOW)?;
            let mut sent = Vec::new();
            loop {
                let leased = outbox::lease(conn, NOW, NOW + hours(1), 1)?;
                let Some(row) = leased.into_iter().flatten().next() else {
                    break;
                };
                sent.push(row.address.trim_end_matches("@example.org").to_owned());
            }
            let order = [
                "link",
                "turn",
                "next-turn",
                "news",
                "other-news",
                "third-turn",
            ];
            assert_eq!(sent, order);
            Ok(())
        });
    });
}

/// Mails that are due for one reader leave together, and hold up no other reader's; a link that they wait for leaves by
/// itself.
#[test]
fn mails_to_one_reader_leave_together() {
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        let to_ada = |n: i64, urgency| NewMail {
            account_id: Some(id("ada")),
            urgency,
            ..mail(&format!("ada{n}"), Time(n))
        };
        let mails = [
            to_ada(0, Urgency::Later),
            to_ada(1, Urgency::Soon),
            to_ada(2, Urgency::Soon),
            to_ada(3, Urgency::Now),
            to_ada(NOW.0 + 1, Urgency::Soon),
            mail("bob", NOW),
        ];
        let until = NOW + hours(1);
        let addresses = |groups: &[Vec<MailRow>]| -> Vec<String> {
            let name = |row: &MailRow| row.address.replace("@example.org", "");
            let names = |group: &Vec<MailRow>| group.iter().map(name).collect::<Vec<_>>().join(" ");
            let mut groups: Vec<String> = groups.iter().map(names).collect();
            groups.sort();
            groups
        };
        write(&store, move |conn| {
            outbox::enqueue(conn, &mails, NOW)?;
            let first = outbox::lease(conn, NOW, until, 4)?;
            assert_eq!(addresses(&first), ["ada1 ada2 ada0", "ada3", "bob"]);
            // The next one waits for those in hand.
            let now = Time(NOW.0 + 1);
            assert_eq!(outbox::lease(conn, now, until, 4)?, [[]; 0]);
            for row in first.iter().flatten() {
                outbox::sent(conn, &row.id, NOW)?;
            }
            assert_eq!(outbox::lease(conn, now, until, 4)?.len(), 1);
            Ok(())
        });
    });
}

#[test]
fn a_mail_is_sent_tried_again_or_given_up() {
    let later = |n| NOW + hours(n);
    everywhere(|database| {
        let store = database.open();
        write(&store, move |conn| {
            let mails = ["a", "b", "c"].map(|name| mail(name, NOW));
            outbox::enqueue(conn, &mails, NOW)?;
            let rows = outbox::lease(conn, NOW, later(1), 9)?.concat();
            let id_of = |name: &str| {
                let row = rows
                    .iter()
                    .find(|row| row.address == format!("{name}@example.org"));
                row.unwrap().id.clone()
            };
            let [a, b, c] = ["a", "b", "c"].map(id_of);
            outbox::sent(conn, &a, NOW)?;
            outbox::failed(conn, &b, "greylisted", AfterFailure::Again(later(2)))?;
            outbox::failed(conn, &c, "no such user", AfterFailure::Dead(NOW))?;
            let counts = Counts {
                waiting: 1,
                sent: 1,
                dead: 1,
            };
            assert_eq!(outbox::counts(conn)?, counts);
            assert_eq!(admin::counts(conn, NOW)?.mails, counts);
            assert_eq!(outbox::lease(conn, later(1), later(2), 9)?, [[]; 0]);
            let dead = outbox::list(conn, OutboxState::Dead, ALL)?;
            assert_eq!(dead[0].error.as_deref(), Some("no such user"));
            assert_eq!(outbox::list(conn, OutboxState::Sent, ALL)?[0].id, a);
            assert!(!outbox::retry(conn, &a, later(1))?);
            assert!(!outbox::remove(conn, &a)?);
            assert!(outbox::retry(conn, &c, later(1))?);
            let waiting = outbox::list(conn, OutboxState::Waiting, ALL)?;
            assert_eq!([&waiting[0].id, &waiting[1].id], [&c, &b]);
            let second = Page { number: 1, size: 1 };
            assert_eq!(outbox::list(conn, OutboxState::Waiting, second)?[0].id, b);
            let due = outbox::lease(conn, later(2), later(3), 9)?.concat();
            let tries: Vec<_> = due.iter().map(|row| (&row.id, row.attempts)).collect();
            assert_eq!(tries, [(&c, 1), (&b, 2)]);
            // One that waits after a failure is tried again as well, but none that is in hand.
            assert!(!outbox::retry(conn, &b, later(2))?);
            assert!(!outbox::remove(conn, &b)?);
            outbox::failed(conn, &b, "busy", AfterFailure::Again(later(9)))?;
            assert!(outbox::retry(conn, &b, later(2))?);
            let due = outbox::lease(conn, later(2), later(3), 9)?.concat();
            assert_eq!(due.len(), 1);
            // What has failed can be removed, too.
            outbox::failed(conn, &b, "no such user", AfterFailure::Dead(NOW))?;
            assert!(outbox::list(conn, OutboxState::Dead, ALL)?[0].has_failed());
            assert!(outbox::remove(conn, &b)?);
            assert!(!outbox::remove(conn, &b)?);
            assert_eq!(outbox::counts(conn)?.dead, 0);
            assert_eq!(outbox::purge_done(conn, NOW)?, 0);
            assert_eq!(outbox::purge_done(conn, later(1))?, 1);
            assert_eq!(outbox::counts(conn)?.sent, 0);
            Ok(())
        });
    });
}

#[test]
fn accounts_change_and_go() {
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        write(&store, |conn| {
            let ada = id("ada");
            let likes = Preferences {
                zone: "Asia/Tokyo".to_owned(),
                confirm_turns: false,
                numbered: true,
                theme: "dark".to_owned(),
                ..Preferences::default()
            };
            accounts::set_preferences(conn, &ada, &likes)?;
            let mail = MailSettings::default().without("turn").without("reminder");
            accounts::set_mail(conn, &ada, &mail)?;
            let expected = AccountRow {
                preferences: likes,
                mail,
                ..account("ada")
            };
            let found = accounts::find_by_email(conn, "ada@example.org")?;
            assert_eq!(found.as_ref(), Some(&expected));
            lacks(&format!("{found:?}"), "argon2");

            accounts::delete(conn, &ada, NOW)?;
            let gone = accounts::find(conn, &ada)?.unwrap();
            assert_eq!((gone.name.as_str(), gone.password.as_str()), ("", ""));
            assert_eq!((gone.email, gone.deleted_at), (None, Some(NOW)));
            assert_eq!(accounts::find_by_name(conn, "ada")?, None);
            let listed = accounts::list(conn, ALL)?;
            assert_eq!(listed, [account("bob")]);
            let names = accounts::names(conn, &[id("ada"), id("bob"), id("eve")])?;
            assert_eq!(names.len(), 2);
            assert_eq!(names[&id("bob")], "bob");
            assert_eq!(names[&id("ada")], "");
            // The name is free again.
            accounts::set_name(conn, &id("bob"), "Ada", "ada")
        });
    });
}

#[test]
fn sessions_begin_and_end() {
    let later = |n| NOW + hours(n);
    let session = move |key: &str, expires_at| SessionRow {
        id: key.to_owned(),
        token_hash: format!("hash of {key}"),
        account_id: id("ada"),
        created_at: NOW,
        seen_at: NOW,
        expires_at,
        agent: "Firefox".to_owned(),
        address: "::1".to_owned(),
        match_id: None,
        proved_at: NOW,
    };
    everywhere(|database| {
        let store = database.open();
        furnish(&store);
        write(&store, move |conn| {
            let ada = id("ada");
            for key in ["a", "b", "c", "d"] {
                accounts::insert_session(conn, &session(key, later(2)))?;
            }
            accounts::insert_session(conn, &session("old", NOW))?;
            let (a, signed_in, called, version) =
                accounts::find_session(conn, "hash of a", None, NOW)?.unwrap();
            assert_eq!(
                (a.id.as_str(), a.seen_at, a.address.as_str()),
                ("a", NOW, "::1")
            );
            assert_eq!(
                (signed_in.id, signed_in.name),
                (ada.clone(), account("ada").name)
            );
            assert_eq!((called, version), (None, None));
            assert_eq!(
                accounts::find_session(conn, "hash of old", None, NOW)?,
                None
            );
            assert_eq!(accounts::find_session(conn, "a", None, NOW)?, None);

            let soon = NOW + Duration::from_mins(1);
            accounts::touch_session(conn, "a", "::2", soon, later(9))?;
            let (a, ..) = accounts::find_session(conn, "hash of a", None, NOW)?.unwrap();
            assert_eq!(a.seen_at, NOW);
            accounts::touch_session(conn, "a", "::2", later(1), later(9))?;
            let list = accounts::sessions(conn, &ada, later(1))?;
            assert_eq!((list.len(), list[0].id.as_str()), (4, "a"));
            assert_eq!(
                (list[0].seen_at, list[0].address.as_str()),
                (later(1), "::2")
            );
            assert_eq!(list[0].expires_at, later(9));

            assert!(!accounts::end_session(conn, &id("bob"), "b")?);
            assert!(accounts::end_session(conn, &ada, "b")?);
            let tomorrow = NOW + days(1);
            heartbeat::beat(conn, NOW)?;
            heartbeat::beat(conn, tomorrow)?;
            let past = heartbeat::past(conn, tomorrow)?.expect("an ordinary time");
            assert_eq!(accounts::purge_sessions(conn, &past, days(30))?, 1);
            assert_eq!(accounts::end_other_sessions(conn, &ada, "c")?, 2);
            assert_eq!(admin::counts(conn, NOW)?.sessions, 1);
            accounts::delete(conn, &ada, NOW)?;
            assert_eq!(accounts::sessions(conn, &ada, NOW)?, []);
            Ok(())
        });
    });
}

#[test]
fn ids_sort_by_time() {
    let ids = [0, 1, 500, 100_000].map(|ms| new_id(NOW + Duration::from_millis(ms)));
    assert!(ids.is_sorted(), "{ids:?}");
    assert_eq!(ids[0].len(), 36);
    assert_ne!(new_id(NOW), new_id(NOW));
}

#[test]
fn changes_are_read_as_they_are_told() {
    let id = match_id("abcdefghij");
    let told = [
        Change::Match {
            id,
            heads: Heads {
                event: 42,
                talk: 7,
                door: 1,
            },
        },
        Change::Missed,
    ];
    for change in told {
        assert_eq!(change.to_string().parse(), Ok(change));
    }
    for strange in [
        "",
        "match",
        "match a 1",
        "match a b 1",
        "match a 1 1",
        "class a 1 1 1",
        "match a 1 1 1 1",
    ] {
        assert_eq!(strange.parse(), Ok(Change::Missed), "{strange:?}");
    }
}
