//! `perplex-bench mail`: the mails a second that leave the outbox, how soon an urgent one leaves when very many wait, and
//! the time to draw a board.
//!
//! The mail server is a bare one in this process that takes everything. The limit beside the outbox is lettre alone with
//! the same pool of connections, which sends the very same mail as often; both take turns.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use lettre::{AsyncTransport as _, Message as Email};
use perplex::app::{App, Clock};
use perplex::mail::{self, Sender, Transport};
use perplex::picture::picture;
use perplex::store::accounts::{self, AccountRow};
use perplex::store::outbox::{self, NewMail, Urgency};
use perplex::store::{StoreError, new_id};
use perplex_games::board::View;
use perplex_games::registry::GAMES;
use perplex_matches::id::AccountId;
use perplex_matches::time::Time;
use rand::seq::IndexedRandom as _;
use rand::{SeedableRng as _, rngs::StdRng};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::http::{Folder, Sample, told};
use crate::team::kilobytes;

/// The connections that the outbox has at once.
const AT_ONCE: usize = 4;
/// Rows that are written in one transaction.
const CHUNK: usize = 1_000;
const URGENT: &str = "urgent@example.org";
/// Positions of each game that are drawn, and turns between two of them.
const POSITIONS: usize = 40;
const TURNS: usize = 3;

/// The options of the measurement.
#[derive(Debug, Args)]
pub struct Mail {
    /// Mails sent in each round
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub mails: u32,
    /// Rounds; outbox and limit take turns
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub rounds: u16,
    /// Mails that wait when an urgent one comes
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub waiting: u32,
    /// The parent of the data folder
    #[arg(long)]
    pub folder: Option<PathBuf>,
}

/// A mail server that takes everything, and tells to whom.
struct Sink {
    address: SocketAddr,
    taken: UnboundedReceiver<String>,
}

impl Sink {
    async fn at(address: SocketAddr) -> Result<Self, String> {
        let listener = TcpListener::bind(address).await.map_err(told("no port"))?;
        let address = listener.local_addr().map_err(told("no port"))?;
        let (tell, taken) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(take(stream, tell.clone()));
            }
        });
        Ok(Self { address, taken })
    }

    /// Waits until so many mails were taken.
    async fn takes(&mut self, count: usize) {
        for _ in 0..count {
            self.taken.recv().await;
        }
    }

    fn transport(&self) -> Result<Transport, String> {
        Transport::smtp(&format!("smtp://{}", self.address).parse()?, "localhost")
    }
}

/// Takes the mails of one connection.
async fn take(stream: TcpStream, tell: UnboundedSender<String>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (input, mut output) = stream.into_split();
    let mut input = BufReader::new(input);
    output.write_all(b"220 sink\r\n").await?;
    let (mut line, mut to) = (String::new(), String::new());
    loop {
        line.clear();
        if input.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let answer = match line.get(..4) {
            Some("RCPT") => {
                let address = line.split(['<', '>']).nth(1);
                to = address.unwrap_or_default().to_owned();
                "250 ok\r\n"
            }
            Some("DATA") => {
                output.write_all(b"354 go on\r\n").await?;
                while line != ".\r\n" {
                    line.clear();
                    if input.read_line(&mut line).await? == 0 {
                        return Ok(());
                    }
                }
                // Those who waited for it may have left.
                let _ = tell.send(std::mem::take(&mut to));
                "250 taken\r\n"
            }
            Some("QUIT") => {
                output.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "250 ok\r\n",
        };
        output.write_all(answer.as_bytes()).await?;
    }
}

fn mail(to: &AccountId, address: &str, urgency: Urgency, now: Time) -> NewMail {
    NewMail {
        kind: "known-address".to_owned(),
        account_id: Some(to.clone()),
        address: address.to_owned(),
        match_id: None,
        event: None,
        payload: "{}".to_owned(),
        due_at: now,
        message_id: format!("bench.{}", new_id(now)),
        urgency,
    }
}

/// Writes so many mails, each to an account of its own.
async fn fill(app: &App, count: usize, urgency: Urgency) -> Result<(), String> {
    for first in (0..count).step_by(CHUNK) {
        let now = app.now();
        let written = app.store.write(move |conn| {
            let mut mails = Vec::with_capacity(CHUNK);
            for number in first..count.min(first + CHUNK) {
                let id = AccountId(new_id(now));
                let address = format!("reader{number}.{id}@example.org");
                let row = AccountRow {
                    name: format!("Reader {number}"),
                    email: Some(address.clone()),
                    email_key: Some(address.clone()),
                    verified_at: Some(now),
                    ..AccountRow::new(id.clone(), now)
                };
                accounts::insert(conn, &row)?;
                mails.push(mail(&id, &address, urgency, now));
            }
            outbox::enqueue(conn, &mails, now)
        });
        written
            .await
            .map_err(|error: StoreError| format!("no mails: {error}"))?;
    }
    Ok(())
}

/// Runs the worker of the outbox until `until` is done.
async fn working<T>(
    app: &Arc<App>,
    transport: Transport,
    until: impl Future<Output = T>,
) -> Result<T, String> {
    let sender = Sender::new("https://perplex.example", "games@perplex.example")?;
    let (stop, stopped) = oneshot::channel::<()>();
    let worker = tokio::spawn(mail::run(
        Arc::clone(app),
        transport.into(),
        sender.into(),
        async {
            let _ = stopped.await;
        },
    ));
    let done = until.await;
    drop(stop);
    worker.await.map_err(told("the worker"))?;
    Ok(done)
}

/// Sends `email` so often with lettre alone.
async fn bare(transport: &Transport, email: &Email, count: usize) -> Result<(), String> {
    let Transport::Smtp(server) = transport else {
        return Err("no mail server".to_owned());
    };
    let mut tasks = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (server, email) = (server.clone(), email.clone());
        tasks.spawn(async move {
            for _ in 0..count / AT_ONCE {
                server.connections.send(email.clone()).await?;
            }
            Ok::<_, lettre::transport::smtp::Error>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.map_err(told("a task"))?.map_err(told("lettre"))?;
    }
    Ok(())
}

impl Mail {
    /// Measures, and prints a table.
    ///
    /// # Errors
    /// The reason why something could not be measured.
    pub fn run(&self, output: &mut dyn Write, clock: Clock) -> Result<(), String> {
        let parent = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let (_folder, runtime, app) = Folder::open(&parent, None, clock)?;
        let app = Arc::new(app);
        pictures(output)?;
        runtime.block_on(self.throughput(output, &app))?;
        runtime.block_on(self.backlog(output, &app))
    }

    async fn throughput(&self, output: &mut dyn Write, app: &Arc<App>) -> Result<(), String> {
        let mut sink = Sink::at(([127, 0, 0, 1], 0).into()).await?;
        let transport = sink.transport()?;
        let count = self.mails as usize / AT_ONCE * AT_ONCE;
        let email = Email::builder()
            .from(
                "games@perplex.example"
                    .parse()
                    .map_err(told("an address"))?,
            )
            .to("ada@example.org".parse().map_err(told("an address"))?)
            .subject("You already have an account")
            // As long as the mails beside it.
            .body("A line of some sixty characters stands here forty-five times.\r\n".repeat(45))
            .map_err(told("a mail"))?;
        let (mut ours, mut limit) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..self.rounds {
            fill(app, count, Urgency::Now).await?;
            let start = Instant::now();
            working(app, transport.clone(), sink.takes(count)).await?;
            ours += start.elapsed();
            let start = Instant::now();
            bare(&transport, &email, count).await?;
            limit += start.elapsed();
            sink.takes(count).await;
        }
        let all = f64::from(self.rounds) * f64::from(u32::try_from(count).unwrap_or(0));
        let (ours, limit) = (all / ours.as_secs_f64(), all / limit.as_secs_f64());
        writeln!(
            output,
            "outbox {ours:.0} mails/s, lettre alone {limit:.0} mails/s: {:.2} (aim: 0.80)",
            ours / limit
        )
        .map_err(told("the table"))
    }

    /// The mail server is away while very many mails wait; an urgent one comes when it is back.
    async fn backlog(&self, output: &mut dyn Write, app: &Arc<App>) -> Result<(), String> {
        // No program listens there any more after this.
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).map_err(told("no port"))?;
        let away = free.local_addr().map_err(told("no port"))?;
        drop(free);
        fill(app, self.waiting as usize, Urgency::Soon).await?;
        let process = std::process::id();
        let transport = Transport::smtp(&format!("smtp://{away}").parse()?, "localhost")?;
        let measured = working(app, transport, async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            let mut sink = Sink::at(away).await?;
            let now = app.now();
            let id = AccountId(new_id(now));
            let urgent = mail(&id, URGENT, Urgency::Now, now);
            let row = AccountRow {
                email: Some(URGENT.to_owned()),
                email_key: Some(URGENT.to_owned()),
                verified_at: Some(now),
                ..AccountRow::new(id, now)
            };
            let start = Instant::now();
            let written = app.store.write(move |conn| {
                accounts::insert(conn, &row)?;
                outbox::enqueue(conn, &[urgent], now)
            });
            written
                .await
                .map_err(|error: StoreError| format!("no mail: {error}"))?;
            app.outbox.notify_one();
            let mut before = 0;
            while sink.taken.recv().await.is_some_and(|to| to != URGENT) {
                before += 1;
            }
            Ok::<_, String>((start.elapsed(), before))
        });
        let (time, before) = measured.await??;
        let memory = kilobytes(process, "VmHWM:")? / 1024.0;
        writeln!(
            output,
            "{} mails wait; an urgent one leaves after {:.0} ms and {before} others (aim: 1000 ms); most memory {memory:.0} \
             MB (aim: 200 MB)",
            self.waiting,
            time.as_secs_f64() * 1_000.0
        )
        .map_err(told("the table"))
    }
}

/// The time that this thread has had a processor: other programs take none of it.
fn worked() -> Result<Duration, String> {
    let times = fs::read_to_string("/proc/thread-self/schedstat")
        .map_err(told("the time of a thread is told on Linux only"))?;
    let time = times.split_whitespace().next();
    let time = time.and_then(|nanos| nanos.parse().ok());
    time.map(Duration::from_nanos)
        .ok_or_else(|| "no time".to_owned())
}

/// The time to draw boards of each game after random turns.
fn pictures(output: &mut dyn Write) -> Result<(), String> {
    let mut chance = StdRng::seed_from_u64(1);
    for entry in GAMES {
        for variant in entry.card.variants {
            let new = || entry.setup(variant.key).ok_or("no such game");
            let mut game = new()?;
            let mut sample = Sample::default();
            while sample.micros.len() < POSITIONS {
                for _ in 0..TURNS {
                    match game.legal().choose(&mut chance) {
                        Some(turn) => game.play(turn).map(drop).map_err(told("a turn"))?,
                        None => game = new()?,
                    }
                }
                let board = game.diagram().svg(&View {
                    coordinates: true,
                    defs: true,
                    brief: true,
                    ..View::default()
                });
                let start = worked()?;
                picture(&board).map_err(told("a picture"))?;
                let time = worked()?.saturating_sub(start);
                let micros = u32::try_from(time.as_micros());
                sample.micros.push(micros.unwrap_or(u32::MAX));
                sample.time += time;
            }
            let name = format!("{} {} (aim: 15 ms)", entry.card.name, variant.key);
            sample.row(output, &name, "pictures/s")?;
        }
    }
    Ok(())
}
