//! `perplex-bench http`: the speed at which the running program gives the page of a match, and takes turns.
//!
//! It starts the program on a folder of its own with accounts and matches in it, visits it over
//! kept connections, and measures the limits between the rounds: a bare handler in a process of
//! the same kind (the same server with as many threads) that gives the very same answer to the very
//! same requests, and commits of one row in the same database file. All processes share the machine
//! with the visitors, here as there.

use std::fmt::Display;
use std::fs;
use std::io::{BufRead as _, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{App as Site, HttpResponse, HttpServer, web};
use clap::Args;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, RunQueryDsl as _, SqliteConnection};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::client::Client;
use perplex::app::accounts::SignUp;
use perplex::app::correspondence::{NewMatch, Opponent};
use perplex::app::{App, Clock, Viewer, Visitor};
use perplex::config::Config;
use perplex::server;
use perplex::store::Address;
use perplex_games::registry;
use perplex_matches::correspondence::Command;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::id::MatchId;

/// The number of turns in the match whose page is fetched.
const TURNS_SEEN: usize = 20;
/// The most turns in a match, so that matches stay as long as usual.
const TURNS: usize = 60;
/// The number of matches for each client that makes turns.
const MATCHES_EACH: usize = 8;
/// The number of matches that an account makes: fewer than the application allows at once.
const MADE_EACH: usize = 40;
pub(crate) const PASSWORD: &str = "bench bench";

/// The options of the measurement.
#[derive(Debug, Args)]
pub struct Http {
    /// Clients that make turns at once, each in matches of its own
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub clients: u16,
    /// Connections that fetch pages at once
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub readers: u16,
    /// Seconds that each of the measurements of a round takes
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    pub seconds: f64,
    /// Rounds; measurements and their limits take turns
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub rounds: u16,
    /// The parent of the data folder, on the disk that is meant; the system's folder for temporary files may lie in
    /// memory
    #[arg(long)]
    pub folder: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.1..=600.0).contains(&seconds) => Ok(seconds),
        _ => Err("it is a number of seconds, 0.1 to 600".to_owned()),
    }
}

/// The bare handler: a fixed answer and nothing else.
#[derive(Debug, Args)]
pub struct Bare {
    /// A file with the answer, headers and all
    #[arg(long)]
    pub answer: PathBuf,
}

impl Bare {
    /// Gives its answer to everyone until it is killed.
    ///
    /// # Errors
    /// It cannot listen.
    pub fn run(&self) -> Result<(), String> {
        let answer = fs::read(&self.answer).map_err(told("no answer"))?;
        let bad = || format!("{} holds no answer", self.answer.display());
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = answer.split_at(end.ok_or_else(bad)? + 4);
        let body = web::Bytes::copy_from_slice(body);
        let mut headers = Vec::new();
        for line in std::str::from_utf8(head).map_err(|_| bad())?.lines() {
            // These two are the server's own.
            if let Some((name, value)) = line.split_once(": ")
                && !["content-length", "date"].contains(&name)
            {
                let name = HeaderName::try_from(name).map_err(|_| bad())?;
                headers.push((name, HeaderValue::try_from(value).map_err(|_| bad())?));
            }
        }
        let listener = TcpListener::bind("127.0.0.1:0").map_err(told("no port"))?;
        let address = listener.local_addr().map_err(told("no port"))?;
        println!("Bare is at http://{address}");
        actix_web::rt::System::new()
            .block_on(async {
                HttpServer::new(move || {
                    let (headers, body) = (headers.clone(), body.clone());
                    let answer = move || {
                        let mut answer = HttpResponse::Ok();
                        for header in &headers {
                            answer.insert_header(header.clone());
                        }
                        let answer = answer.body(body.clone());
                        async move { answer }
                    };
                    Site::new().default_service(web::to(answer))
                })
                .listen(listener)?
                .run()
                .await
            })
            .map_err(told("the bare handler has ended"))
    }
}

pub(crate) fn told<E: Display>(what: &str) -> impl Fn(E) -> String {
    move |error| format!("{what}: {error}")
}

/// A process of this program, killed when it is dropped.
pub(crate) struct Running {
    pub child: Child,
    pub address: SocketAddr,
}

impl Running {
    pub fn start(arguments: &[&str], folder: &Path) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(told("this program is not found"))?;
        let mut process = Process::new(program);
        // Settings of the real site do not apply here.
        for name in perplex::config::NAMES {
            process.env_remove(name);
        }
        let mut child = process
            .args(arguments)
            .env("PERPLEX_DATA", folder)
            .env("PERPLEX_LISTEN", "127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(told("the program does not start"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let address = line
            .rsplit("http://")
            .next()
            .and_then(|address| address.trim().parse().ok());
        let Some(address) = address else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("the program said {line:?} instead of its address"));
        };
        Ok(Self { child, address })
    }
}

impl Running {
    /// A handler that gives the last answer of `client`, and so many visitors of it.
    pub fn bare(
        client: &Client,
        visitors: usize,
        folder: &Folder,
    ) -> Result<(Self, Vec<Client>), String> {
        let file = folder.0.join("answer");
        fs::write(&file, [client.head(), client.body()].concat()).map_err(told("a file"))?;
        let running = Self::start(&["bare", "--answer", &file.to_string_lossy()], &folder.0)?;
        let visitor = || client.another_at(running.address);
        let visitors = std::iter::repeat_with(visitor).take(visitors).collect();
        Ok((running, visitors))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder with the data, gone when it is dropped.
pub(crate) struct Folder(pub PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    /// Makes the folder in `parent`, and opens the application on it, or on the database with this address.
    pub fn open(
        parent: &Path,
        database: Option<&str>,
        clock: Clock,
    ) -> Result<(Self, Runtime, App), String> {
        let folder = Self(parent.join(format!("perplex-bench-{}", std::process::id())));
        let data = folder.0.as_os_str();
        let config = Config::load(|name| match name {
            "PERPLEX_DATA" => Some(data.to_owned()),
            "DATABASE_URL" => database.map(Into::into),
            _ => None,
        })
        .map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(told("no runtime"))?;
        // The store is opened and closed outside the runtime.
        let app = server::open(&config, clock).map_err(|error| error.to_string())?;
        Ok((folder, runtime, app))
    }
}

/// A measurement: the time of each request, and the time of all.
#[derive(Default)]
pub(crate) struct Sample {
    pub micros: Vec<u32>,
    pub time: Duration,
}

impl Sample {
    fn add(&mut self, other: Self) {
        self.micros.extend(other.micros);
        self.time += other.time;
    }

    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
    pub fn rate(&self) -> f64 {
        self.micros.len() as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// The time within which `percent` percent were done, in milliseconds. The times are sorted.
    pub fn within(&self, percent: usize) -> f64 {
        let last = self.micros.len().saturating_sub(1);
        let micros = self.micros.get(last * percent / 100).copied();
        f64::from(micros.unwrap_or(0)) / 1000.0
    }

    pub fn row(&mut self, output: &mut dyn Write, name: &str, what: &str) -> Result<(), String> {
        self.micros.sort_unstable();
        writeln!(
            output,
            "{name:<44} {:>9.0} {what:<9} p50 {:>7.2} ms  p99 {:>7.2} ms",
            self.rate(),
            self.within(50),
            self.within(99)
        )
        .map_err(told("the table"))
    }
}

pub(crate) fn micros(since: Instant) -> u32 {
    u32::try_from(since.elapsed().as_micros()).unwrap_or(u32::MAX)
}

/// A match and its two players, by the numbers of their clients.
pub(crate) struct Pair {
    pub id: MatchId,
    pub players: [usize; 2],
}

/// The accounts and matches that are made before the measurement.
pub(crate) struct Seeded {
    pub people: Vec<Viewer>,
    names: Vec<String>,
    pub pairs: Vec<Pair>,
    /// The match whose page is fetched.
    seen: Pair,
}

/// All `legal` turns, from a place that depends on `number`: not always from the same corner of the board.
pub(crate) fn in_turn<T>(legal: &[T], number: usize) -> impl Iterator<Item = &T> {
    let (before, after) = legal.split_at(number * 7 % legal.len().max(1));
    after.iter().chain(before)
}

/// Turns of Quixo that do not end the game, so that a match can go on for this many.
///
/// # Errors
/// There is no such game any more.
pub fn endless(turns: usize) -> Result<Vec<String>, String> {
    let entry = registry::find("quixo").ok_or("there is no Quixo")?;
    let mut game = entry.setup("").ok_or("there is no Quixo for two")?;
    for number in 0..turns {
        let legal = game.legal();
        let next = in_turn(&legal, number).find_map(|turn| {
            let mut after = game.clone();
            after.play(turn).ok()?;
            after.outcome().is_none().then_some(after)
        });
        game = next.ok_or("a game could not be kept going")?;
    }
    Ok(game.turns().to_vec())
}

/// A new account, signed in.
pub(crate) async fn account(app: &App, name: &str) -> Result<Viewer, String> {
    let form = SignUp {
        name: name.to_owned(),
        email: format!("{name}@example.org"),
        password: PASSWORD.to_owned(),
        zone: String::new(),
        ..SignUp::default()
    };
    app.create_account(form, true)
        .await
        .map_err(told("an account"))?;
    let from = Visitor::default();
    let token = app.sign_in(name, PASSWORD, &from).await;
    let viewer = app.viewer(&token.map_err(told("a session"))?).await;
    let viewer = viewer.map_err(told("a session"))?;
    viewer.ok_or_else(|| "a session is not good".to_owned())
}

pub(crate) async fn seed(app: &App, clients: usize, turns: &[String]) -> Result<Seeded, String> {
    let matches = clients * MATCHES_EACH + 1;
    let mut people: Vec<Viewer> = Vec::new();
    let mut names = Vec::new();
    for number in 0..(matches / MADE_EACH + 2) {
        let name = format!("bench-{clients}-{number}");
        people.push(account(app, &name).await?);
        names.push(name);
    }
    let mut pairs = Vec::new();
    for number in 0..matches {
        let players = [number % people.len(), (number + 1) % people.len()];
        let wanted = NewMatch {
            terms: Terms::of("quixo"),
            wish: Some("first".to_owned()),
            opponent: Opponent::Anyone,
        };
        let [first, second] = players.map(|player| &people[player]);
        let id = app.create(first, wanted).await.map_err(told("a match"))?;
        let join = Command::Join {
            wish: None,
            by_link: false,
        };
        app.act(second, &id, None, join, "")
            .await
            .map_err(told("a match"))?;
        pairs.push(Pair { id, players });
    }
    let seen = pairs.pop().ok_or("no match")?;
    for (ply, turn) in turns.iter().take(TURNS_SEEN).enumerate() {
        let who = &people[seen.players[ply % 2]];
        let play = Command::Play {
            ply,
            turn: turn.clone(),
            offer: false,
        };
        app.act(who, &seen.id, None, play, "")
            .await
            .map_err(told("a turn"))?;
    }
    Ok(Seeded {
        people,
        names,
        pairs,
        seen,
    })
}

/// Gathers the measurements of the running clients since `start`, and puts the clients `back`.
async fn gather<T: 'static>(
    mut running: JoinSet<Result<(T, Vec<u32>), String>>,
    back: &mut Vec<T>,
    start: Instant,
) -> Result<Sample, String> {
    let mut sample = Sample::default();
    while let Some(done) = running.join_next().await {
        let (one, micros) = done.map_err(told("a client"))??;
        sample.micros.extend(micros);
        back.push(one);
    }
    sample.time = start.elapsed();
    Ok(sample)
}

/// Sends the same request over and over, on each connection, for this time.
pub(crate) async fn pages(
    clients: &mut Vec<Client>,
    path: &str,
    time: Duration,
) -> Result<Sample, String> {
    let start = Instant::now();
    let mut readers = JoinSet::new();
    for mut client in clients.drain(..) {
        let request = client.request_for(path);
        readers.spawn(async move {
            let mut micros = Vec::new();
            while start.elapsed() < time {
                let sent = Instant::now();
                let status = client.send(&request).await.map_err(told("a page"))?;
                if status != 200 {
                    return Err(format!("a page was answered with {status}"));
                }
                micros.push(self::micros(sent));
            }
            Ok((client, micros))
        });
    }
    gather(readers, clients, start).await
}

/// Makes a turn on a board of this version.
pub(crate) async fn make_turn(
    client: &mut Client,
    path: &str,
    version: impl Display,
    turn: &str,
) -> Result<(), String> {
    let fields = [("ply", &*version.to_string()), ("turn", turn)];
    let status = client.post(path, &fields).await;
    match status.map_err(told("a turn"))? {
        303 => Ok(()),
        status => Err(format!("{turn} was answered with {status}")),
    }
}

/// A client that makes turns for both sides of some matches, one after the other.
struct Mover {
    /// A connection for each account.
    clients: Vec<Client>,
    pairs: Vec<Pair>,
    ply: usize,
}

impl Mover {
    async fn turn(&mut self, turns: &[String]) -> Result<bool, String> {
        if self.ply == TURNS {
            self.pairs.pop();
            self.ply = 0;
        }
        let Some(pair) = self.pairs.last() else {
            return Ok(false);
        };
        let client = &mut self.clients[pair.players[self.ply % 2]];
        let path = format!("/match/{}/turn", pair.id);
        make_turn(client, &path, self.ply, &turns[self.ply]).await?;
        self.ply += 1;
        Ok(true)
    }
}

/// Lets all clients make turns for this time, or until one has no match left.
async fn moves(
    movers: &mut Vec<Mover>,
    turns: &Arc<Vec<String>>,
    time: Duration,
) -> Result<Sample, String> {
    let start = Instant::now();
    let enough = Arc::new(AtomicBool::new(false));
    let mut running = JoinSet::new();
    for mut mover in movers.drain(..) {
        let (turns, enough) = (Arc::clone(turns), Arc::clone(&enough));
        running.spawn(async move {
            let mut micros = Vec::new();
            while start.elapsed() < time && !enough.load(Ordering::Relaxed) {
                let sent = Instant::now();
                if mover.turn(&turns).await? {
                    micros.push(self::micros(sent));
                } else {
                    enough.store(true, Ordering::Relaxed);
                }
            }
            Ok((mover, micros))
        });
    }
    gather(running, movers, start).await
}

mod table {
    diesel::table! {
        bench_rows (number) {
            number -> BigInt,
            text -> Text,
        }
    }
}

/// Commits of one row, each a transaction of its own, durable as the program's own are.
fn commits(file: &Path, time: Duration) -> Result<Sample, String> {
    use diesel::ExpressionMethods as _;
    use table::bench_rows;

    let failed = told::<diesel::result::Error>("a bare commit");
    let mut conn =
        SqliteConnection::establish(&file.to_string_lossy()).map_err(told("the database"))?;
    conn.batch_execute(
        "PRAGMA busy_timeout = 10000; PRAGMA synchronous = FULL; \
         CREATE TABLE IF NOT EXISTS bench_rows (number INTEGER PRIMARY KEY, text TEXT NOT NULL);",
    )
    .map_err(&failed)?;
    let mut sample = Sample::default();
    let start = Instant::now();
    while start.elapsed() < time {
        let sent = Instant::now();
        diesel::insert_into(bench_rows::table)
            .values(bench_rows::text.eq("turn c1-a1 by a player at some time"))
            .execute(&mut conn)
            .map_err(&failed)?;
        sample.micros.push(micros(sent));
    }
    sample.time = start.elapsed();
    Ok(sample)
}

impl Http {
    /// Measures, and prints a table.
    ///
    /// # Errors
    /// The step that failed.
    pub fn run(&self, output: &mut dyn Write, clock: Clock) -> Result<(), String> {
        let parent = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let (folder, runtime, app) = Folder::open(&parent, None, clock)?;
        let turns = Arc::new(endless(TURNS)?);
        let seeded = runtime.block_on(seed(&app, usize::from(self.clients), &turns))?;
        drop(app);
        let program = Running::start(&["serve"], &folder.0)?;
        runtime.block_on(self.measure(output, &folder, &program, seeded, &turns))
    }

    async fn measure(
        &self,
        output: &mut dyn Write,
        folder: &Folder,
        program: &Running,
        seeded: Seeded,
        turns: &Arc<Vec<String>>,
    ) -> Result<(), String> {
        let time = Duration::from_secs_f64(self.seconds);
        let mut people = Vec::new();
        for name in &seeded.names {
            let mut client = Client::new(program.address);
            let signed_in = client.sign_in(name, PASSWORD).await;
            signed_in.map_err(told("sign-in"))?;
            people.push(client);
        }

        // The page as the player to move sees it, with all legal turns in it.
        let path = format!("/match/{}", seeded.seen.id);
        let reader = &mut people[seeded.seen.players[TURNS_SEEN % 2]];
        let status = reader.get(&path).await.map_err(told("a page"))?;
        let bytes = reader.body().len();
        if status != 200 || bytes < 4096 {
            return Err(format!(
                "the page of the match was answered with {status}, {bytes} bytes"
            ));
        }
        let (bare, mut bare_readers) = Running::bare(reader, self.readers.into(), folder)?;
        let mut readers: Vec<Client> = (0..self.readers).map(|_| reader.another()).collect();
        // With a query the program makes the page anew each time.
        let anew_path = format!("{path}?turned=0");
        let [mut page, mut anew, mut limit] = <[Sample; 3]>::default();
        for _ in 0..self.rounds {
            limit.add(pages(&mut bare_readers, &path, time).await?);
            page.add(pages(&mut readers, &path, time).await?);
            anew.add(pages(&mut readers, &anew_path, time).await?);
        }
        drop(bare);
        let connections = self.readers;
        page.row(
            output,
            &format!("match page, {bytes} bytes, {connections} connections"),
            "pages/s",
        )?;
        anew.row(output, "  made anew each time", "pages/s")?;
        limit.row(output, "bare handler, the same bytes", "pages/s")?;
        let lines = |error| told("the table")(error);
        writeln!(
            output,
            "{:<44} {:>9.2} (aim: 0.5 or more; made anew {:.2})\n",
            "  ratio",
            page.rate() / limit.rate(),
            anew.rate() / limit.rate()
        )
        .map_err(lines)?;

        let Address::Sqlite(file) = Address::in_folder(&folder.0) else {
            return Err("the folder has no SQLite database".to_owned());
        };
        let mut movers: Vec<Mover> = Vec::new();
        let mut pairs = seeded.pairs;
        for _ in 0..self.clients {
            movers.push(Mover {
                clients: people.iter().map(Client::another).collect(),
                pairs: pairs.split_off(pairs.len().saturating_sub(MATCHES_EACH)),
                ply: 0,
            });
        }
        let (mut made, mut limit) = (Sample::default(), Sample::default());
        for _ in 0..self.rounds {
            let file = file.clone();
            let bare = tokio::task::spawn_blocking(move || commits(&file, time));
            limit.add(bare.await.map_err(told("bare commits"))??);
            made.add(moves(&mut movers, turns, time).await?);
        }
        let clients = self.clients;
        made.row(
            output,
            &format!("durable moves by HTTP, {clients} clients"),
            "moves/s",
        )?;
        limit.row(output, "bare commits of one row, same file", "commits/s")?;
        writeln!(
            output,
            "{:<44} {:>9.2} (aim: 0.5 or more)",
            "  ratio",
            made.rate() / limit.rate()
        )
        .map_err(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_kept_going() {
        let turns = endless(TURNS).expect("turns");
        assert_eq!(turns.len(), TURNS);
    }

    #[test]
    fn rates_and_percentiles() {
        let sample = Sample {
            micros: (1..=200).map(|n| n * 1000).collect(),
            time: Duration::from_secs(2),
        };
        assert!((sample.rate() - 100.0).abs() < 1e-9);
        assert!((sample.within(50) - 100.0).abs() < 1e-9);
        assert!((sample.within(99) - 198.0).abs() < 1e-9);
    }
}
