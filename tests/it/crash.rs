//! The real program under pressure: killed in the middle of a stream of turns, sent the same turn by many at once,
//! told to stop, and started with wrong settings.

mod clock;
mod folder;
mod log;
mod nginx;
mod outbox_steps;
mod outside;
mod pressure;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::store::execute;
use crate::support::{Database, Folder, PATIENCE, Sink};
use crate::test_app::{done, has, lacks, quixo_with, threads};
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use mail_parser::MessageParser;
use perplex::app::accounts::SignUp;
use perplex::app::correspondence::Opponent;
use perplex::app::{App, Clock, Visitor};
use perplex::process::clock;
use perplex::secret::{Key, KeyRing};
use perplex::store::outbox::{self, OutboxState};
use perplex::store::{Address, Page, Store, StoreError, journal};
use perplex_bench::client::Client;
use perplex_bench::http::endless;
use perplex_matches::correspondence::event::{Event, EventKind};
use perplex_matches::correspondence::{Command as Act, Match, Phase};
use perplex_matches::id::MatchId;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::time::{Time, days, hours};
use tokio::task::JoinSet;

const PASSWORD: &str = "correct horse";
const AGAIN: Duration = Duration::from_millis(20);

fn program(folder: &Path) -> Command {
    program_by(Command::new(env!("CARGO_BIN_EXE_perplex")), folder)
}

fn program_by(mut command: Command, folder: &Path) -> Command {
    for setting in perplex::config::NAMES {
        command.env_remove(setting);
    }
    command
        .env_remove("RUST_LOG")
        .env("PERPLEX_DATA", folder.join("data"))
        .env("PERPLEX_LISTEN", "127.0.0.1:0")
        .current_dir(folder);
    command
}

/// The program at work; killed when it is dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts it in `folder`, which keeps its data and its log.
    fn start(folder: &Path, settings: &[(&str, String)]) -> Self {
        let mut command = program(folder);
        let settings = settings.iter().map(|(name, value)| (name, value));
        command.arg("serve").envs(settings);
        Self::run(command, folder)
    }

    /// Starts it after the shell has done `first`.
    pub fn start_after(first: &str, folder: &Path) -> Self {
        let mut command = program_by(Command::new("sh"), folder);
        let serve = format!("{first}; exec {} serve", env!("CARGO_BIN_EXE_perplex"));
        command.args(["-c", &serve]);
        Self::run(command, folder)
    }

    fn run(command: Command, folder: &Path) -> Self {
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("log"));
        Self::run_with(command, log.expect("a log").into())
            .unwrap_or_else(|line| panic!("{line:?}: {}", log_of(folder)))
    }

    /// Starts it with this for its log. The reader of its output goes away once it knows the address.
    /// Errors: what it says instead of its address.
    fn run_with(mut command: Command, log: Stdio) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut line).expect("its output");
        let address = line.trim().rsplit("http://").next().expect("some");
        match address.parse() {
            Ok(address) => Ok(Self { child, address }),
            Err(_) => Err(line),
        }
    }

    /// Ends it at once, whatever it is doing.
    fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    fn send(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill").success());
    }

    /// Asks it to stop, and waits until it has.
    fn stop(mut self) -> ExitStatus {
        self.send("-TERM");
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not stop");
            std::thread::sleep(AGAIN);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn log_of(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}

/// Checks that no error was logged, and no lock was met.
fn check_log(folder: &Path) {
    let log = log_of(folder);
    for bad in [
        "database is locked",
        "panicked",
        " ERROR ",
        "status=500",
        "status=503",
    ] {
        let line = log.lines().find(|line| line.contains(bad));
        assert_eq!(line, None);
    }
    assert!(log.contains("request"), "the log holds no requests");
}

/// Makes people of these names, with proved addresses, and `matches` matches of each with the next, the last with the
/// first. The first in each pair plays first.
fn furnish(database: &Database, names: &[&str], matches: usize) -> Vec<(MatchId, [usize; 2])> {
    furnish_by(database, names, matches, clock())
}

/// An application on the database, as if no program were there.
fn app_on(database: &Database, clock: Clock) -> App {
    App::new(
        database.open(),
        Key::new([7; 64]),
        KeyRing::fresh(),
        String::new(),
        None,
        // A mail leaves at once, as if nobody were on the site.
        perplex::site::Site {
            mail_pause: Duration::ZERO,
            ..perplex::site::Site::default()
        },
        clock,
    )
}

/// [`furnish`] at another time, which is also the last time when people could play.
fn furnish_by(
    database: &Database,
    names: &[&str],
    matches: usize,
    clock: Clock,
) -> Vec<(MatchId, [usize; 2])> {
    let app = app_on(database, clock);
    threads().block_on(async {
        app.beat().await.expect("it can be written");
        let mut people = Vec::new();
        for name in names {
            let form = SignUp {
                name: (*name).to_owned(),
                email: format!("{name}@example.org"),
                password: PASSWORD.to_owned(),
                zone: String::new(),
                ..SignUp::default()
            };
            app.create_account(form, true).await.expect("new");
            let from = Visitor::default();
            let token = app.sign_in(name, PASSWORD, &from).await.expect("in");
            people.push(app.viewer(&token).await.expect("read").expect("a session"));
        }
        let mut made = Vec::new();
        for first in 0..people.len() {
            let second = (first + 1) % people.len();
            for _ in 0..matches {
                let wanted = quixo_with(Opponent::Named(names[second].to_owned()));
                let id = app.create(&people[first], wanted).await.expect("new");
                let join = Act::Join {
                    wish: None,
                    by_link: false,
                };
                done(app.act(&people[second], &id, None, join, "")).await;
                made.push((id, [first, second]));
            }
        }
        made
    })
}

/// All of them, signed in.
async fn sign_in(address: SocketAddr, names: &[&str]) -> Vec<Client> {
    let mut clients = Vec::new();
    for name in names {
        let mut client = Client::new(address);
        client.sign_in(name, PASSWORD).await.expect("in");
        clients.push(client);
    }
    clients
}

fn events(store: &Store, id: &MatchId) -> Vec<Event> {
    let read = store.read_now(|conn| journal::events::<Match>(conn, id, 0));
    read.map_err(|error: StoreError| error).expect("events")
}

/// Plays one match for both sides until it breaks off; counts the acknowledged turns, in all and here.
async fn stream(
    mut players: [Client; 2],
    id: MatchId,
    turns: Arc<Vec<String>>,
    mut ply: usize,
    all: Arc<AtomicUsize>,
) -> (MatchId, usize) {
    let path = format!("/match/{id}/turn");
    while let Some(turn) = turns.get(ply) {
        let fields = [("ply", &*ply.to_string()), ("turn", turn), ("note", "")];
        match players[ply % 2].post(&path, &fields).await {
            Ok(303) => {
                ply += 1;
                all.fetch_add(1, Ordering::SeqCst);
            }
            Ok(status) => panic!("{id}, turn {ply}: {status}: {}", players[ply % 2].text()),
            // This turn may or may not have been taken.
            Err(_) => break,
        }
    }
    (id, ply)
}

#[test]
fn what_was_acknowledged_survives_and_no_mail_is_missing() {
    let names = ["Ann", "Bea", "Cat", "Dan"];
    let turns = Arc::new(endless(150).expect("turns"));
    for database in Database::all("crash") {
        let Some(sink) = Sink::start(&[], &[]) else {
            return;
        };
        let folder = Folder::new("crashes");
        let settings = [("DATABASE_URL", database.url()), ("SMTP_URL", sink.url())];
        let matches = furnish(&database, &names, 2);
        let mut plies: BTreeMap<MatchId, usize> =
            matches.iter().map(|(id, _)| (id.clone(), 0)).collect();

        // Killed twice; the third time it is told to stop in the middle of play.
        for round in 0..3 {
            let server = Server::start(&folder.0, &settings);
            let runtime = threads();
            let taken = Arc::new(AtomicUsize::new(0));
            let mut streams = runtime.block_on(async {
                let people = sign_in(server.address, &names).await;
                let mut streams = JoinSet::new();
                for (id, players) in &matches {
                    let players = players.map(|player| people[player].another());
                    let (turns, taken) = (Arc::clone(&turns), Arc::clone(&taken));
                    streams.spawn(stream(players, id.clone(), turns, plies[id], taken));
                }
                streams
            });
            let start = Instant::now();
            while taken.load(Ordering::SeqCst) < 60 {
                assert!(start.elapsed() < PATIENCE, "{}", log_of(&folder.0));
                std::thread::sleep(Duration::from_millis(1));
            }
            if round < 2 {
                server.kill();
            } else {
                assert_eq!(server.stop().code(), Some(0));
            }
            let acknowledged = runtime.block_on(async {
                let mut all = BTreeMap::new();
                while let Some(done) = streams.join_next().await {
                    all.extend([done.expect("no panic")]);
                }
                all
            });
            // All acknowledged turns are there, in order; at most the one under way came after them.
            let store = database.open();
            for (id, acknowledged) in acknowledged {
                let state = Match::replay(&events(&store, &id)).expect("a journal");
                let there = state.game.turns();
                assert!(there.len() == acknowledged || there.len() == acknowledged + 1);
                assert_eq!(there, &turns[..there.len()]);
                plies.insert(id, there.len());
            }
            let leased = runtime.block_on(store.write(|conn| {
                // As if the five minutes had passed for which the dead program had leased them, and for which mails wait
                // while their readers are on the site.
                execute(
                    conn,
                    "UPDATE outbox SET leased_until = NULL, due_at = created_at WHERE sent_at IS NULL",
                )
            }));
            leased.expect("the outbox");
        }

        let server = Server::start(&folder.0, &settings);
        let store = database.open();
        let all = Page {
            number: 0,
            size: 100_000,
        };
        let tray = |tray| {
            let rows = store.read_now(|conn| outbox::list(conn, tray, all));
            rows.map_err(|error: StoreError| error).expect("the outbox")
        };
        let start = Instant::now();
        while !tray(OutboxState::Waiting).is_empty() {
            assert!(
                start.elapsed() < PATIENCE,
                "{:?}",
                tray(OutboxState::Waiting)
            );
            std::thread::sleep(AGAIN);
        }
        assert_eq!(tray(OutboxState::Dead), []);
        let mut arrived: HashSet<String> = HashSet::new();
        // What was due for one reader at once is one mail: its reader and its text.
        let mut together: Vec<(Vec<String>, String)> = Vec::new();
        for mail in sink.taken() {
            let parsed = MessageParser::default().parse(&mail.data).expect("a mail");
            let id = parsed.message_id().expect("an id");
            if id.starts_with("together-") {
                together.push((
                    mail.to.clone(),
                    parsed.body_text(0).expect("a text").into_owned(),
                ));
            }
            arrived.insert(id.split('@').next().unwrap_or_default().to_owned());
        }
        let done: BTreeMap<String, (Option<String>, String)> = tray(OutboxState::Sent)
            .into_iter()
            .map(|row| (row.message_id, (row.error, row.address)))
            .collect();
        let mut wanted = 0;
        for (id, _) in &matches {
            let events = events(&store, id);
            let last = Match::replay(&events).expect("a journal").turns;
            let (_, last) = *last.last().expect("a turn");
            for event in &events {
                if !matches!(event.kind, EventKind::Turn(_)) {
                    continue;
                }
                let until = usize::try_from(event.number).expect("a number");
                let state = Match::replay(&events[..until]).expect("a journal");
                let next = state.player_to_move().expect("it goes on");
                let mail = format!("your-turn.{id}.{}.{next}", event.number);
                let (error, address) = done
                    .get(&mail)
                    .unwrap_or_else(|| panic!("{mail} is missing"));
                let link = format!("/match/{id}");
                let is_told = together
                    .iter()
                    .any(|(to, text)| to.contains(address) && text.contains(&link));
                // Those of turns that were answered before they left are not sent.
                let is_past =
                    error.as_deref() == Some("not sent: there was a turn in the meantime");
                assert!(
                    arrived.contains(&mail)
                        || (error.is_none() && is_told)
                        || (is_past && event.number < last),
                    "{mail} did not arrive: {error:?}"
                );
                wanted += 1;
            }
        }
        assert!(wanted >= 180, "{wanted}");
        assert_eq!(server.stop().code(), Some(0));
        drop(store);
        check_log(&folder.0);
    }
}

#[test]
fn eight_browsers_send_the_same_turn_at_once() {
    for database in Database::all("browsers") {
        let folder = Folder::new("browsers");
        let names = ["Ann", "Bea"];
        let matches = furnish(&database, &names, 1);
        let (id, players) = &matches[0];
        let server = Server::start(&folder.0, &[("DATABASE_URL", database.url())]);
        let path = format!("/match/{id}/turn");
        threads().block_on(async {
            let people = sign_in(server.address, &names).await;
            for ply in 0..8 {
                let legal = state_of(&database, id).game.legal();
                // In alternation they send the same and different ones.
                let is_same = ply % 4 < 2;
                let mut browsers = JoinSet::new();
                for number in 0..8 {
                    let mut browser = people[players[ply % 2]].another();
                    let turn = legal[if is_same { 0 } else { number }].clone();
                    let path = path.clone();
                    browsers.spawn(async move {
                        // All have a connection before one sends.
                        browser.get("/healthz").await.expect("healthy");
                        let fields = [("ply", &*ply.to_string()), ("turn", &*turn), ("note", "")];
                        let status = browser.post(&path, &fields).await.expect("an answer");
                        (status, browser.text())
                    });
                }
                let mut taken = 0;
                for (status, text) in browsers.join_all().await {
                    match status {
                        303 => taken += 1,
                        409 => assert!(text.contains("The position has changed"), "{text}"),
                        status => panic!("{status}: {text}"),
                    }
                }
                assert_eq!(taken, if is_same { 8 } else { 1 });
                let after = state_of(&database, id);
                assert_eq!(after.turns.len(), ply + 1);
            }
        });
        assert_eq!(server.stop().code(), Some(0));
        check_log(&folder.0);
    }
}

/// The state of a match as the database has it now.
fn state_of(database: &Database, id: &MatchId) -> Match {
    tokio::task::block_in_place(|| {
        let store = database.open();
        Match::replay(&events(&store, id)).expect("a journal")
    })
}

#[test]
fn it_starts_from_nothing_and_stops_when_told() {
    let folder = Folder::new("stops");
    let mut create = program(&folder.0)
        .args([
            "admin",
            "create",
            "--name",
            "Host",
            "--email",
            "host@example.org",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut input = create.stdin.take().expect("piped");
    writeln!(input, "{PASSWORD}").expect("written");
    drop(input);
    let created = create.wait_with_output().expect("ended");
    assert!(created.status.success());
    has(&String::from_utf8_lossy(&created.stdout), "Host");

    let server = Server::start(&folder.0, &[]);
    assert!(folder.0.join("data/perplex.sqlite").exists());
    let mut stays = threads().block_on(async {
        let mut host = Client::new(server.address);
        assert_eq!(host.get("/healthz").await.expect("an answer"), 200);
        assert_eq!(host.text(), "ok\n");
        assert_eq!(host.get("/readyz").await.expect("an answer"), 200);
        assert_eq!(host.get("/admin").await.expect("an answer"), 303);
        host.sign_in("Host", PASSWORD).await.expect("in");
        assert_eq!(host.get("/admin").await.expect("an answer"), 200);
        assert_eq!(host.get("/nowhere").await.expect("an answer"), 404);
        // A connection that stays open without an open request does not delay it.
        host
    });
    assert_eq!(server.stop().code(), Some(0));
    threads()
        .block_on(async { stays.get("/healthz").await })
        .expect_err("it has gone");
    check_log(&folder.0);
    assert!(!log_of(&folder.0).contains(PASSWORD));
}

fn refused(folder: &Path, settings: &[(&str, &str)]) -> String {
    let output: Output = program(folder)
        .arg("serve")
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{settings:?}: {said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    said
}

#[test]
fn a_mistyped_database_address_is_refused_and_makes_no_file() {
    let folder = Folder::new("mistyped");
    for (url, part) in [
        ("perplex.db", "sqlite:PATH"),
        ("sqlit:perplex.db", "\"sqlit\" is no kind of database"),
        ("sqlite:", "the path of the file is missing"),
        ("sqlite::memory:", "is not the path of a file"),
        (
            "postgre://ann:secret@127.0.0.1/perplex",
            "\"postgre\" is no kind of database",
        ),
        ("postgres:/127.0.0.1/perplex", "is no kind of database"),
        (
            "mysql://127.0.0.1/perplex",
            "\"mysql\" is no kind of database",
        ),
    ] {
        let said = refused(&folder.0, &[("DATABASE_URL", url)]);
        has(&said, "DATABASE_URL (in the environment)");
        has(&said, part);
        lacks(&said, "secret");
        assert_eq!(
            fs::read_dir(&folder.0).expect("a folder").count(),
            0,
            "{url}"
        );
    }
    // A folder that does not exist is not made for it either.
    let url = format!("sqlite:{}/no/such/perplex.sqlite", folder.0.display());
    let said = refused(&folder.0, &[("DATABASE_URL", &url)]);
    has(&said, "no/such/perplex.sqlite");
    assert!(!folder.0.join("no").exists());
    // No server answers there.
    let url = "postgres://ann:secret@127.0.0.1:1/perplex";
    let said = refused(&folder.0, &[("DATABASE_URL", url)]);
    has(&said, "cannot be reached");
    lacks(&said, "secret");
}

/// All that is in a folder: names, modes, times and bytes.
fn contents_of(folder: &Path) -> BTreeMap<PathBuf, (u32, SystemTime, Vec<u8>)> {
    let mut state = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let meta = fs::symlink_metadata(&path).expect("a file");
        let bytes = if meta.is_file() {
            fs::read(&path).expect("a file")
        } else {
            Vec::new()
        };
        if meta.is_dir() {
            state.extend(contents_of(&path));
        }
        let changed = meta.modified().expect("a time");
        state.insert(path, (meta.permissions().mode(), changed, bytes));
    }
    state
}

/// Another program's database.
fn foreign(path: &Path, sql: &str) -> SqliteConnection {
    let path = path.to_str().expect("UTF-8");
    let mut conn = SqliteConnection::establish(path).expect("a database");
    conn.batch_execute(sql).expect("SQL");
    conn
}

#[test]
fn what_is_not_ours_stays_as_it_is() {
    let folder = Folder::new("foreign");
    let place = folder.0.join("theirs");
    fs::create_dir_all(place.join("folder")).expect("a folder");
    fs::write(place.join("passwd"), "root:x:0:0:root:/root:/bin/sh\n").expect("a file");
    fs::write(
        place.join("long"),
        "SQLite format 3 is a nice thing. ".repeat(500),
    )
    .expect("a file");
    fs::write(place.join("nothing"), "").expect("a file");
    // As of a Diesel program with tables like ours, of one with an id of its own, and of one that is running.
    let tables = "CREATE TABLE __diesel_schema_migrations (version); CREATE TABLE accounts (id); \
                  CREATE TABLE matches (id);";
    drop(foreign(&place.join("diesel"), tables));
    let all = "CREATE TABLE events (id); CREATE TABLE channels (id); CREATE TABLE outbox (id);";
    let named = format!("PRAGMA application_id = 252006673; {tables} {all}");
    drop(foreign(&place.join("named"), &named));
    let running = "PRAGMA journal_mode = WAL; CREATE TABLE notes (text);";
    let running = foreign(&place.join("running"), running);
    symlink(place.join("passwd"), place.join("link")).expect("a link");
    symlink(place.join("nowhere"), place.join("lost")).expect("a link");
    for file in [
        "passwd", "long", "nothing", "diesel", "named", "running", "folder",
    ] {
        fs::set_permissions(place.join(file), fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    let before = contents_of(&place);
    for (file, why) in [
        ("passwd", "is not a database"),
        ("link", "is not a database"),
        ("long", "is not a database"),
        ("nothing", "is empty, and was not made by Perplex"),
        ("diesel", "but another program's"),
        ("named", "but another program's"),
        ("running", "but another program's"),
        ("folder", "is no file"),
        ("lost", "leads nowhere"),
    ] {
        let url = format!("sqlite:{}", place.join(file).display());
        let said = refused(&folder.0, &[("DATABASE_URL", &url)]);
        has(&said, why);
        has(&said, &place.join(file).display().to_string());
        assert_eq!(contents_of(&place), before, "{file}");
        // No key was made for it.
        let made = fs::read_dir(folder.0.join("data")).expect("a folder");
        assert_eq!(made.count(), 0, "{file}");
    }
    drop(running);
}

#[test]
fn a_folder_of_others_keeps_its_mode() {
    let folder = Folder::new("lent");
    let data = folder.0.join("data");
    fs::create_dir(&data).expect("a folder");
    let mode = || fs::metadata(&data).expect("a folder").permissions().mode() & 0o777;
    for (file, content) in [("letter.txt", "Dear Ann"), ("secret.key", "not a key")] {
        fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).expect("a mode");
        fs::write(data.join(file), content).expect("a file");
        fs::set_permissions(data.join(file), fs::Permissions::from_mode(0o644)).expect("a mode");
        if file == "letter.txt" {
            // Twice: with its own files in it, it is still another's.
            for _ in 0..2 {
                Server::start(&folder.0, &[]).kill();
                assert_eq!(mode(), 0o755);
            }
            has(&log_of(&folder.0), "others may look into the data folder");
            fs::remove_file(data.join("secret.key")).expect("ours");
        } else {
            has(&refused(&folder.0, &[]), "secret.key");
        }
        assert_eq!(mode(), 0o755);
        let kept = fs::metadata(data.join(file)).expect("a file");
        assert_eq!(kept.permissions().mode() & 0o777, 0o644, "{file}");
        assert_eq!(fs::read_to_string(data.join(file)).expect("text"), content);
    }
}

/// Plays one match for both sides, each turn again until it is acknowledged, until `stop`.
async fn play_on(
    mut players: [Client; 2],
    id: MatchId,
    turns: Arc<Vec<String>>,
    [taken, turned_away]: [Arc<AtomicUsize>; 2],
    stop: Arc<AtomicBool>,
) -> (MatchId, usize) {
    let path = format!("/match/{id}/turn");
    let mut ply = 0;
    while !stop.load(Ordering::SeqCst) {
        let (turn, number) = (&turns[ply], ply.to_string());
        let fields = [("ply", &*number), ("turn", turn), ("note", "a note")];
        let player = &mut players[ply % 2];
        match player.post(&path, &fields).await {
            Ok(303) => {
                ply += 1;
                taken.fetch_add(1, Ordering::SeqCst);
            }
            Ok(503) => {
                let page = player.text();
                for kept in [turn, "a note", "Send it again"] {
                    assert!(page.contains(kept), "{kept} is lost: {page}");
                }
                turned_away.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(AGAIN).await;
            }
            other => panic!("{id}, turn {ply}: {other:?}: {}", player.text()),
        }
    }
    (id, ply)
}

/// Waits for a condition in the real program.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !holds().await {
        assert!(start.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(AGAIN).await;
    }
    start.elapsed()
}

/// The program with its data on a disk of a few megabytes, which only it sees.
fn on_a_small_disk(folder: &Path) -> Option<Server> {
    let mut command = program_by(Command::new("unshare"), folder);
    let can = Command::new("unshare").args(["-rm", "true"]).output();
    if !can.is_ok_and(|done| done.status.success()) {
        println!("skipped: this system lets nobody mount a disk of one's own");
        return None;
    }
    let first =
        "mkdir data && mount -t tmpfs -o size=12m small data && cp seed.sqlite data/perplex.sqlite";
    let serve = format!("{first} && exec {} serve", env!("CARGO_BIN_EXE_perplex"));
    command.args(["-rm", "sh", "-c", &serve]);
    Some(Server::run(command, folder))
}

#[test]
fn a_full_disk_loses_nothing_and_it_goes_on_when_there_is_room() {
    let names = ["Ann", "Bea", "Cat", "Dan"];
    let turns = Arc::new(endless(990).expect("turns"));
    let database = Database::sqlite("full");
    let matches = furnish(&database, &names, 8);
    let folder = Folder::new("full-disk");
    let file = database.url().replace("sqlite:", "");
    fs::copy(file, folder.0.join("seed.sqlite")).expect("a copy");
    let Some(server) = on_a_small_disk(&folder.0) else {
        return;
    };
    // The disk as the program sees it.
    let disk = format!("/proc/{}/root{}", server.child.id(), folder.0.display());
    let disk = Path::new(&disk).join("data");
    threads()
        .block_on(async {
            let people = sign_in(server.address, &names).await;
            let counts = [Arc::default(), Arc::default()];
            let [taken, turned_away]: &[Arc<AtomicUsize>; 2] = &counts;
            let stop = Arc::new(AtomicBool::new(false));
            let mut streams = JoinSet::new();
            for (id, players) in &matches {
                let players = players.map(|player| people[player].another());
                let (turns, stop) = (Arc::clone(&turns), Arc::clone(&stop));
                streams.spawn(play_on(players, id.clone(), turns, counts.clone(), stop));
            }
            let count = |counter: &Arc<AtomicUsize>| counter.load(Ordering::SeqCst);
            until("they play", async || count(taken) >= 60).await;
            let (begun, before) = (Instant::now(), count(taken));
            until("they play on", async || count(taken) >= before + 200).await;
            let (taken_then, time) = (count(taken) - before, begun.elapsed());
            println!(
                "{taken_then} turns in {} ms before the disk is full",
                time.as_millis()
            );

            // The disk is full: down to the last byte.
            let mut filler = fs::File::create(disk.join("filler")).expect("a file");
            for size in [1 << 16, 1 << 12, 1] {
                while filler.write_all(&vec![0; size]).is_ok() {}
            }
            until("turns are turned away", async || count(turned_away) >= 40).await;
            let mut looks = people[0].another();
            until("it is not ready", async || {
                looks.get("/readyz").await.expect("an answer") == 503
            })
            .await;
            assert_eq!(looks.get("/healthz").await.expect("an answer"), 200);
            let page = format!("/match/{}", matches[0].0);
            assert_eq!(looks.get(&page).await.expect("an answer"), 200);

            // Then it has room again.
            drop(filler);
            fs::remove_file(disk.join("filler")).expect("removed");
            let before = count(taken);
            let back = until("they play on", async || count(taken) > before).await;
            println!("service came back after {} ms", back.as_millis());
            until("they play on", async || count(taken) > before + 60).await;
            until("it is ready", async || {
                looks.get("/readyz").await.expect("an answer") == 200
            })
            .await;
            stop.store(true, Ordering::SeqCst);
            let mut acknowledged = Vec::new();
            while let Some(done) = streams.join_next().await {
                acknowledged.push(done.expect("no panic"));
            }
            // Both files as they are at one moment.
            server.send("-STOP");
            for name in ["perplex.sqlite", "perplex.sqlite-wal"] {
                fs::copy(disk.join(name), folder.0.join(name)).expect("a copy");
            }
            server.send("-CONT");
            acknowledged
        })
        .into_iter()
        .for_each(|(id, plies)| {
            let store = Store::open(&Address::in_folder(&folder.0)).expect("a database");
            let state = Match::replay(&events(&store, &id)).expect("a journal");
            assert_eq!(state.game.turns(), &turns[..plies]);
        });
    assert_eq!(server.stop().code(), Some(0));
    lacks(&log_of(&folder.0), "panicked");
}

/// A day and an hour without a server, and one that is killed again and again while it gives the time back.
#[test]
fn nobody_loses_by_time_in_which_there_was_no_server() {
    const AWAY: Duration = hours(25);
    let names = ["Ann", "Bea", "Cat", "Dan"];
    for database in Database::all("away") {
        let folder = Folder::new("away");
        let real = clock();
        let then = Clock::never_set(move || real.now() - AWAY);
        // Turns have three days; all but the last hour had passed when the server went.
        let began = {
            let then = then.clone();
            Clock::never_set(move || then.now() - days(3) + hours(1))
        };
        let matches = furnish_by(&database, &names, 10, began);
        let store = database.open();
        let beat = then.now().0;
        let noted = store
            .write(move |conn| execute(conn, &format!("UPDATE heartbeat SET beat_at = {beat}")));
        threads().block_on(noted).expect("noted");
        let deadline = |id: &MatchId| {
            let state = Match::replay(&events(&store, id)).expect("a journal");
            assert_eq!(state.phase, Phase::Playing);
            state.deadline.expect("a deadline")
        };
        let before: Vec<Time> = matches.iter().map(|(id, _)| deadline(id)).collect();
        let settings = [("DATABASE_URL", database.url())];
        for millis in [30, 60, 90, 120] {
            let mut command = program(&folder.0);
            command.arg("serve").envs(settings.clone());
            let output = Stdio::null;
            let mut child = command
                .stdout(output())
                .stderr(output())
                .spawn()
                .expect("it");
            std::thread::sleep(Duration::from_millis(millis));
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
        let server = Server::start(&folder.0, &settings);
        for ((id, players), before) in matches.iter().zip(before) {
            // Lists tell when somebody last acted, not when the server came back.
            let asked = id.clone();
            let row = store.read(move |conn| perplex::store::matches::find(conn, &asked));
            let row: Result<_, StoreError> = threads().block_on(row);
            let updated = row.expect("read").expect("a match").updated_at;
            assert!(updated < Time(beat), "{updated:?}");
            let moved = before.until(deadline(id));
            assert!(moved >= AWAY && moved < AWAY + PATIENCE, "{moved:?}");
            let events = events(&store, id);
            let given = events
                .iter()
                .filter(|event| matches!(event.kind, EventKind::Away(_)));
            assert_eq!(given.count(), 1);
            assert_eq!(players.len(), 2);
        }
        // And the turn that was due is taken.
        threads().block_on(async {
            let (id, players) = &matches[0];
            let people = sign_in(server.address, &names).await;
            let mut first = people[players[0]].another();
            let page = format!("/match/{id}");
            assert_eq!(first.get(&page).await.expect("an answer"), 200);
            has(&first.text(), "could not be reached for 25 hours");
            let turns = endless(1).expect("turns");
            let fields = [("ply", "0"), ("turn", &*turns[0]), ("note", "")];
            let status = first.post(&format!("{page}/turn"), &fields).await;
            assert_eq!(status.expect("an answer"), 303, "{}", first.text());
        });
        assert_eq!(server.stop().code(), Some(0));
        drop(store);
        check_log(&folder.0);
    }
}

#[test]
fn a_mail_server_that_hangs_does_not_keep_it_from_stopping() {
    let hangs = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = hangs.local_addr().expect("bound");
    let folder = Folder::new("hangs");
    let database = Database::sqlite("hangs");
    furnish(&database, &["Ann", "Bea"], 1);
    let smtp = format!("smtp://{address}");
    let server = Server::start(
        &folder.0,
        &[("DATABASE_URL", database.url()), ("SMTP_URL", smtp)],
    );
    // It has come to send a mail, and is never greeted.
    let (connection, _) = hangs.accept().expect("a connection");
    let start = Instant::now();
    assert_eq!(server.stop().code(), Some(0));
    println!("stopped after {} ms", start.elapsed().as_millis());
    has(
        &log_of(&folder.0),
        "the mails in hand are sent after the next start",
    );
    drop(connection);
}
