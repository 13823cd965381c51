//! `perplex-bench flood`: the effect on others of one visitor who floods the server.
//!
//! The program runs twice, on folders of its own: one is flooded, the other is left in peace. Both are asked for
//! `/healthz` on new connections all the time, and on both two people go on playing. On the flooded one thirty pupils
//! open the code of a lesson on new tablets. All come from one address, as in a school.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use perplex::app::correspondence::{NewMatch, Opponent};
use perplex::app::team::TeamAccess;
use perplex::app::{App, Clock, Viewer};
use perplex_games::perplexichess::Size;
use perplex_games::rules::flexichess::MOST_CHANGES;
use perplex_matches::correspondence::Command;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::id::MatchId;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::client::Client;
use crate::http::{Folder, PASSWORD, Running, Sample, account, endless, make_turn, micros, told};
use crate::team::{begin, kilobytes, row};

/// The options of the measurement.
#[derive(Debug, Args)]
pub struct Flood {
    /// Seconds that each flood takes
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub seconds: u16,
}

/// The time between two requests.
const EVERY: Duration = Duration::from_millis(20);
/// The time after which an answer counts as lost.
const LOST: Duration = Duration::from_secs(10);
/// The number of turns to play at most; they end no game.
const TURNS: usize = 490;

/// One way to flood, by so many clients at once.
struct Way {
    name: &'static str,
    clients: usize,
    /// The request that each client sends again and again.
    request: Arc<Vec<u8>>,
    /// True if it waits for answers; else it holds its connection with what it has sent.
    waits: bool,
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: flood\r\n\r\n")
}

fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: flood\r\n{headers}Content-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// 60 kB that become 60 MB.
fn bomb() -> Result<Vec<u8>, String> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed
        .write_all(&vec![b'a'; 60 << 20])
        .map_err(told("gzip"))?;
    packed.finish().map_err(told("gzip"))
}

/// The ways to flood `house`; `visitor` has seen the form for signing in, `teacher` that of a class.
fn ways(house: &House, visitor: &Client, teacher: &Client) -> Result<Vec<Way>, String> {
    let half = &get("/healthz")[..20];
    let later = get("/healthz") + half;
    let login = visitor.request_with(
        "/sign-in",
        &[("login", "otter47"), ("password", "tiger banjo orange")],
    );
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].join("_") + "_";
    let way = |name, clients, request, waits| Way {
        name,
        clients,
        request: Arc::new(request),
        waits,
    };
    // Each turn changes a rule: replaying them takes long.
    let change = |n: usize| format!("rule N {} \"Knights, number {n}.\"", ["NW", "N"][n % 2]);
    let long = (0..1_800).map(change).collect::<Vec<_>>().join("\n");
    let record = format!("game: flexichess\n\n{long}\n");
    let pupil = |n: usize| format!("Pupil {n}");
    let names = (0..9_000).map(pupil).collect::<Vec<_>>().join("\n");
    let (matches, class) = (&house.flexichess, &house.class);
    Ok(vec![
        way(
            "changes of a match",
            6,
            get(&format!("{matches}/changes")).into_bytes(),
            true,
        ),
        way(
            "its record",
            20,
            get(&format!("{matches}/record.json")).into_bytes(),
            true,
        ),
        way(
            "its positions",
            20,
            get(&format!("{matches}/at/{MOST_CHANGES}")).into_bytes(),
            true,
        ),
        way(
            "records to try",
            30,
            visitor.request_with("/try", &[("record", &record)]),
            true,
        ),
        way(
            "names of pupils",
            4,
            teacher.request_with(&format!("{class}/pupils"), &[("names", &names)]),
            true,
        ),
        way("seven boards", 20, get(&house.team).into_bytes(), true),
        way(
            "rule cards",
            20,
            get("/games/flexichess/cards").into_bytes(),
            true,
        ),
        way("half requests", 1_500, half.as_bytes().to_vec(), false),
        way(
            "half requests after whole ones",
            1_500,
            later.into_bytes(),
            false,
        ),
        way("passwords", 100, login, true),
        way(
            "unpacked bodies",
            20,
            post("/sign-in", "Content-Encoding: gzip\r\n", &bomb()?),
            true,
        ),
        way(
            "long try boards",
            20,
            get(&format!("/try/flexichess/turns={}", moves.repeat(100))).into_bytes(),
            true,
        ),
        way("wrong codes", 100, get("/join/DDDDDDD").into_bytes(), true),
    ])
}

/// Floods `address` until it is aborted.
async fn flood(address: SocketAddr, way: &Way) {
    let mut clients = JoinSet::new();
    for _ in 0..way.clients {
        let (request, waits) = (Arc::clone(&way.request), way.waits);
        clients.spawn(async move {
            loop {
                let _ = one(address, &request, waits).await;
                sleep(Duration::from_millis(1)).await;
            }
        });
    }
    while clients.join_next().await.is_some() {}
}

/// One connection, until it is closed.
async fn one(address: SocketAddr, request: &[u8], waits: bool) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let mut answer = vec![0; 16_384];
    stream.write_all(request).await?;
    while stream.read(&mut answer).await? > 0 {
        // Answers are not parsed: the rest of one may still follow when the next request is sent.
        if waits && stream.try_write(request).is_err() {
            break;
        }
    }
    Ok(())
}

/// A server with a match in it, and the players.
struct House {
    program: Running,
    _folder: Folder,
    players: [Client; 2],
    path: String,
    played: usize,
    /// The code of a lesson.
    code: String,
    /// The addresses of a long match in which the rules change, of a class, and of a team match on seven boards.
    flexichess: String,
    class: String,
    team: String,
}

/// The number of pupils.
const PUPILS: usize = 30;

/// Lets thirty pupils open the code of a lesson at once; returns the number who got its page, and the time of each.
async fn pupils(address: SocketAddr, code: &str) -> (usize, Sample) {
    let mut tablets = JoinSet::new();
    for _ in 0..PUPILS {
        let path = format!("/join/{code}");
        tablets.spawn(async move {
            let begun = Instant::now();
            let mut tablet = Client::new(address);
            let opened = tablet.get("/join").await;
            let found = tablet.get(&path).await;
            let is_in = matches!((opened, found), (Ok(200), Ok(200)));
            (is_in, micros(begun))
        });
    }
    let mut sample = Sample::default();
    let mut came = 0;
    while let Some(tablet) = tablets.join_next().await {
        let (is_in, micros) = tablet.unwrap_or_default();
        came += usize::from(is_in);
        sample.micros.push(micros);
    }
    (came, sample)
}

/// A match in which each turn changes a rule, as often as may be.
async fn long_match(app: &App, players: [&Viewer; 2]) -> Result<MatchId, String> {
    let wanted = NewMatch {
        terms: Terms::of("flexichess"),
        wish: Some("first".to_owned()),
        opponent: Opponent::Anyone,
    };
    let id = app.create(players[0], wanted).await;
    let id = id.map_err(told("a match"))?;
    let join = Command::Join {
        wish: None,
        by_link: false,
    };
    let joined = app.act(players[1], &id, None, join, "").await;
    joined.map_err(told("a match"))?;
    for ply in 0..MOST_CHANGES {
        let movement = ["NW", "N"][ply % 2];
        let play = Command::Play {
            ply,
            turn: format!("rule N {movement} \"Knights, number {ply}.\""),
            offer: false,
        };
        let played = app.act(players[ply % 2], &id, None, play, "").await;
        played.map_err(told("a change of the rules"))?;
    }
    Ok(id)
}

impl House {
    fn open(parent: &Path, clock: Clock) -> Result<(Self, tokio::runtime::Runtime), String> {
        fs::create_dir_all(parent).map_err(told("a folder"))?;
        let (folder, runtime, app) = Folder::open(parent, None, clock)?;
        let made: Result<(MatchId, String, [String; 3]), String> = runtime.block_on(async {
            let (ann, bob) = (account(&app, "ann").await?, account(&app, "bob").await?);
            let wanted = NewMatch {
                terms: Terms::of("quixo"),
                wish: Some("first".to_owned()),
                opponent: Opponent::Anyone,
            };
            let id = app.create(&ann, wanted).await.map_err(told("a match"))?;
            let join = Command::Join {
                wish: None,
                by_link: false,
            };
            app.act(&bob, &id, None, join, "")
                .await
                .map_err(told("a match"))?;
            let flexichess = long_match(&app, [&ann, &bob]).await?;
            let people = [&ann, &bob].map(|account| TeamAccess {
                account: Some(account.clone()),
                ..TeamAccess::default()
            });
            let team = begin(&app, &people[0], &people, Size::Large).await?;
            let listed = app.create_class(&ann, "7c", true, "Anna\nBen").await;
            let listed = listed.map_err(told("a class"))?;
            let class = app.create_class(&ann, "7b", false, "").await;
            let class = class.map_err(told("a class"))?;
            let lesson = app.start_lesson(&ann, &class).await;
            let lesson = lesson.map_err(told("a lesson"))?;
            let access = TeamAccess {
                account: Some(ann),
                ..TeamAccess::default()
            };
            let view = app.load_team_match(&access, &lesson, None).await;
            let lesson = view.map_err(told("a lesson"))?.lesson;
            let code = lesson.and_then(|lesson| lesson.code);
            let places = [
                format!("/match/{flexichess}"),
                format!("/class/{listed}"),
                format!("/team/{team}"),
            ];
            Ok((id, code.ok_or("the lesson has no code")?, places))
        });
        drop(app);
        let (id, code, [flexichess, class, team]) = made?;
        let path = format!("/match/{id}/turn");
        let program = Running::start(&["serve"], &folder.0)?;
        let mut players = [(); 2].map(|()| Client::new(program.address));
        runtime.block_on(async {
            for (player, name) in players.iter_mut().zip(["ann", "bob"]) {
                player
                    .sign_in(name, PASSWORD)
                    .await
                    .map_err(told("sign-in"))?;
            }
            Ok::<_, String>(())
        })?;
        let house = Self {
            program,
            _folder: folder,
            players,
            path,
            played: 0,
            code,
            flexichess,
            class,
            team,
        };
        Ok((house, runtime))
    }

    /// The times of answers, and of turns.
    async fn ask(&mut self, turns: &[String], time: Duration) -> Result<[Sample; 2], String> {
        let [mut pages, mut played] = <[Sample; 2]>::default();
        let begun = Instant::now();
        let address = self.program.address;
        while begun.elapsed() < time {
            let sent = Instant::now();
            let mut visitor = Client::new(address);
            let answered = timeout(LOST, visitor.get("/healthz")).await;
            if !matches!(answered, Ok(Ok(200))) {
                return Err(format!("/healthz: {answered:?}"));
            }
            pages.micros.push(micros(sent));
            if pages.micros.len() % 10 == 0
                && let Some(turn) = turns.get(self.played)
            {
                let sent = Instant::now();
                let player = &mut self.players[self.played % 2];
                make_turn(player, &self.path, self.played, turn).await?;
                played.micros.push(micros(sent));
                self.played += 1;
            }
            sleep(EVERY).await;
        }
        Ok([pages, played])
    }
}

impl Flood {
    /// Measures, and prints a table.
    ///
    /// # Errors
    /// The step that failed.
    pub fn run(&self, output: &mut dyn Write, clock: Clock) -> Result<(), String> {
        let turns = endless(TURNS)?;
        let parent = std::env::temp_dir().join(format!("perplex-flood-{}", std::process::id()));
        let (mut flooded, runtime) = House::open(&parent.join("flooded"), clock.clone())?;
        let (mut quiet, _other) = House::open(&parent.join("quiet"), clock)?;
        let time = Duration::from_secs(self.seconds.into());
        let measured = runtime.block_on(async {
            let address = flooded.program.address;
            let mut visitor = Client::new(address);
            visitor.get("/sign-in").await.map_err(told("a page"))?;
            visitor.keep_proof().map_err(told("a page"))?;
            let mut teacher = Client::new(address);
            let signed_in = teacher.sign_in("ann", PASSWORD).await;
            signed_in.map_err(told("sign-in"))?;
            let class = teacher.get(&flooded.class).await;
            class.map_err(told("a page"))?;
            teacher.keep_proof().map_err(told("a page"))?;
            for way in ways(&flooded, &visitor, &teacher)? {
                let way = Arc::new(way);
                let running = {
                    let way = Arc::clone(&way);
                    tokio::spawn(async move { flood(address, &way).await })
                };
                // The pupils come when the flood is at its height.
                let (code, height) = (flooded.code.clone(), time / 2);
                let tablets = async {
                    sleep(height).await;
                    pupils(address, &code).await
                };
                let (there, beside, (came, mut tablets)) =
                    tokio::join!(flooded.ask(&turns, time), quiet.ask(&turns, time), tablets);
                running.abort();
                let memory = kilobytes(flooded.program.child.id(), "VmHWM:")? / 1024.0;
                writeln!(
                    output,
                    "{} ({} at once); most memory {memory:.0} MB",
                    way.name, way.clients
                )
                .map_err(told("the table"))?;
                row(
                    output,
                    &mut tablets,
                    &format!("  flooded: pupils at the code ({came} of {PUPILS})"),
                )?;
                for (name, samples) in [("flooded", there?), ("in peace", beside?)] {
                    for (what, mut sample) in ["/healthz", "turns"].into_iter().zip(samples) {
                        let count = sample.micros.len();
                        row(output, &mut sample, &format!("  {name}: {what} ({count})"))?;
                    }
                }
            }
            Ok::<_, String>(())
        });
        drop((flooded, quiet));
        let _ = fs::remove_dir_all(parent);
        measured
    }
}
