//! A team match under pressure: forty people act at random at once, through the pages, while each has an open
//! live page; then the journal, the pages and what was acknowledged have to agree.
//!
//! `PERPLEX_PRESSURE_SECONDS=60` says how long (20 otherwise); the seed of a run is printed.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use perplex::app::Viewer;
use perplex::app::teams::{TeamView, Visit};
use perplex::perplexichess::boards::{BoardNo, Boards, Line, Size};
use perplex::perplexichess::event::{Actor, Duty, Event, MemberId, Sight, Terms, What};
use perplex::perplexichess::team::Team;
use perplex::perplexichess::{Command as Do, Match, Phase, side_name};
use perplex::play::event::MatchId;
use perplex::rules::Side;
use perplex::rules::flexichess::{Square, Turn};
use perplex::store::teams;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::*;

const PEOPLE: usize = 40;

const CHANGES: &[&str] = &[
    "rule N NW \"Knights also step.\"",
    "rule N N \"Knights as ever.\"",
    "rule B BW \"Bishops step.\"",
    "rule R R3 \"Rooks tire.\"",
    "rule Q QN \"Amazons.\"",
    "rule P =NB \"Minor pieces only.\"",
];
/// The other boardman, and if need be the host, has a say in these.
const WRITTEN: &str = "rule * written \"Anyone may pass.\"";
/// Boards are given up only as long as so many go on.
const OPEN: usize = 5;

/// What was asked for, and what came of it.
#[derive(Default)]
struct Asked {
    /// Lines of the record that were acknowledged, by member: how often.
    acknowledged: BTreeMap<(u16, String), usize>,
    /// Lines of which nobody knows whether they were taken.
    unknown: BTreeMap<(u16, String), usize>,
    /// How many requests were answered, by status.
    answers: BTreeMap<u16, usize>,
}

/// Everything that those who act share.
struct Scene {
    app: App,
    id: MatchId,
    servers: Mutex<Vec<SocketAddr>>,
    asked: Mutex<Asked>,
    stop: AtomicBool,
    /// When events were seen on live pages, after their commit, in microseconds.
    delays: Mutex<Vec<(i32, Time)>>,
}

impl Scene {
    fn server(&self, number: usize) -> SocketAddr {
        let servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        servers[number % servers.len()]
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    async fn view(&self, visit: &Visit) -> TeamView {
        let view = self.app.team(visit, &self.id, None).await;
        view.expect("the match is listed")
    }
}

fn names() -> Vec<String> {
    (0..=PEOPLE)
        .map(|number| format!("Player{number}"))
        .collect()
}

/// The accounts and the match: the last of the people is its host.
async fn furnish_team(app: &App) -> (MatchId, Vec<Visit>) {
    let mut people = Vec::new();
    for name in names() {
        let form = SignUp {
            email: format!("{name}@example.org"),
            password: PASSWORD.to_owned(),
            zone: String::new(),
            name: name.clone(),
        };
        app.create_host(form).await.expect("new");
        let from = Visitor::default();
        let token = app.sign_in(&name, PASSWORD, &from).await.expect("in");
        let viewer: Viewer = app.viewer(&token).await.expect("read").expect("a session");
        people.push(Visit {
            account: Some(viewer),
            ..Visit::default()
        });
    }
    let host = people[PEOPLE].account.clone().expect("signed in");
    let terms = Terms {
        size: Size::Large,
        seconds: Some(7_200),
        sight: Sight::Open,
        supervised: false,
        listed: true,
        reveal: false,
        phrases: false,
    };
    let id = app
        .create_team(&host, "Pressure", terms)
        .await
        .expect("new");
    let act = async |who: &Visit, command: Do| {
        app.act_in_team(who, &id, command).await.expect("possible");
    };
    let nobody = MemberId(0);
    for person in &people[..PEOPLE] {
        act(person, Do::Join(nobody, None)).await;
    }
    act(&people[PEOPLE], Do::Deal).await;
    act(&people[PEOPLE], Do::Start { short: false }).await;
    (id, people)
}

/// Whom the members of a team want for their strategist: always the same until that is done.
fn challenger(team: &Team) -> Option<MemberId> {
    let incumbent = team.duties.strategist;
    // Whoever leads hands the challenge on to the next in the row, and the last to the first.
    let next = team
        .members
        .iter()
        .find(|member| Some(**member) > incumbent);
    let first = || {
        team.members
            .iter()
            .find(|member| Some(**member) != incumbent)
    };
    next.or_else(first).copied()
}

/// What somebody may try now: where it is sent, with what, and the line of the record that should come of it.
struct Attempt {
    path: String,
    fields: Vec<(&'static str, String)>,
    line: Option<String>,
}

fn attempt(view: &TeamView, rng: &mut StdRng) -> Option<Attempt> {
    let id = &view.id;
    let state = &view.state;
    let me = view.viewer.member?;
    let Some(side) = view.rights.side else {
        let fields = vec![("side", String::new())];
        return Some(Attempt {
            path: format!("/team/{id}/join"),
            fields,
            line: None,
        });
    };
    let team = state.team(side);
    let strategist = team.duties.strategist == Some(me);
    let other = |rng: &mut StdRng| {
        let members: Vec<_> = team.members.iter().copied().collect();
        members.choose(rng).copied()
    };
    let plain = |path: &str, fields: Vec<(&'static str, String)>| Attempt {
        path: format!("/team/{id}/{path}"),
        fields,
        line: None,
    };
    match rng.random_range(0..100) {
        0..8 if !strategist => {
            // Not everybody is of one mind, and some change it.
            let choice = if rng.random_bool(0.8) {
                challenger(team)?
            } else {
                other(rng)?
            };
            Some(plain("vote", vec![("vote", choice.to_string())]))
        }
        8 if rng.random_bool(0.3) => Some(plain("leave", vec![("member", me.to_string())])),
        9..14 => Some(plain(
            "talk/0",
            vec![("text", "Hello to everybody.".to_owned())],
        )),
        14..18 => {
            let channel = side.index() + 1;
            let text = vec![("text", format!("Only for us at 3:e4, {me}."))];
            Some(plain(&format!("talk/{channel}"), text))
        }
        18..28 if strategist => {
            let duty = if rng.random_bool(0.4) {
                Duty::Strategist
            } else {
                *team.duties.all().choose(rng)?
            };
            let to = other(rng)?;
            let fields = vec![
                ("side", side_name(side).to_owned()),
                ("duty", duty.to_string()),
                ("to", to.to_string()),
                ("after", team.given(duty, to).to_string()),
            ];
            Some(plain("give", fields))
        }
        28..75 if strategist => {
            let transfer = *state.boards.transfers(side).choose(rng)?;
            let kind = state.boards.piece(transfer.from, transfer.square)?.kind;
            let fields = vec![
                ("take", format!("{}-{}", transfer.from, transfer.square)),
                ("kind", kind.letter().to_string()),
                ("to", transfer.to.to_string()),
            ];
            Some(Attempt {
                line: Some(transfer.to_string()),
                ..plain("transfer", fields)
            })
        }
        _ => {
            let number = *state.boards_of(me).choose(rng)?;
            let board = state.boards.board(number)?;
            if board.to_move() != Some(side) {
                return None;
            }
            if board.position().pending().is_some() {
                if rng.random_bool(0.5) {
                    let fields = vec![("turn", "dispute".to_owned())];
                    return Some(plain(&format!("turn/{number}"), fields));
                }
                return Some(turn(view, number, board.version(), "accept".to_owned()));
            }
            if rng.random_bool(0.03) && state.boards.open().count() > OPEN {
                return Some(Attempt {
                    line: Some(format!("{number} resign")),
                    ..plain(&format!("resign/{number}"), Vec::new())
                });
            }
            let text = match rng.random_range(0..10) {
                0 => WRITTEN.to_owned(),
                1 => (*CHANGES.choose(rng)?).to_owned(),
                _ => board.legal().choose(rng)?.to_string(),
            };
            Some(turn(view, number, board.version(), text))
        }
    }
}

fn turn(view: &TeamView, board: BoardNo, seen: u32, text: String) -> Attempt {
    Attempt {
        path: format!("/team/{}/turn/{board}", view.id),
        line: Some(format!("{board} {text}")),
        fields: vec![("ply", seen.to_string()), ("turn", text)],
    }
}

/// Acts at random until the end, with a connection of its own.
async fn act(scene: Arc<Scene>, number: usize, visit: Visit, mut client: Client, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut requests = number;
    while !scene.stopped() {
        let view = scene.view(&visit).await;
        if view.state.phase == Phase::Over {
            return;
        }
        let pause = rng.random_range(5..40);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        requests += 1;
        client = client.another_at(scene.server(requests));
        if rng.random_bool(0.1) {
            let page = client.get(&format!("/team/{}", scene.id)).await;
            if let Ok(status) = page {
                *scene.asked().answers.entry(status).or_default() += 1;
            }
            continue;
        }
        let Some(attempt) = attempt(&view, &mut rng) else {
            // Whoever has nothing to do looks on for a while.
            let pause = rng.random_range(100..400);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            continue;
        };
        let fields: Vec<(&str, &str)> = attempt
            .fields
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let answer = client.post(&attempt.path, &fields).await;
        let member = view.viewer.member.map_or(0, |member| member.0);
        let mut asked = scene.asked();
        match (answer, attempt.line) {
            (Ok(303), Some(line)) => *asked.acknowledged.entry((member, line)).or_default() += 1,
            (Err(_), Some(line)) => *asked.unknown.entry((member, line)).or_default() += 1,
            (Ok(status), _) => *asked.answers.entry(status).or_default() += 1,
            (Err(_), None) => {}
        }
    }
}

/// The host decides what is disputed, and now and then does something of what hosts can do.
async fn lead(scene: Arc<Scene>, visit: Visit, mut client: Client, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let path = format!("/team/{}/lead", scene.id);
    let mut requests = 0;
    while !scene.stopped() {
        requests += 1;
        client = client.another_at(scene.server(requests));
        let view = scene.view(&visit).await;
        let disputed = (1_u8..)
            .zip(&view.state.desks)
            .find(|(_, desk)| desk.disputed);
        let deed = match disputed {
            Some((number, _)) if rng.random_bool(0.5) => format!("holds:{number}"),
            Some((number, _)) => format!("falls:{number}"),
            None if view.state.phase == Phase::Paused => "resume".to_owned(),
            None => host_deed(&view, &mut rng).unwrap_or_default(),
        };
        if let Some(member) = deed.strip_prefix("move:") {
            let side = *["white", "black"].choose(&mut rng).expect("two");
            let path = format!("/team/{}/desk/team", scene.id);
            let fields = [("member", member), ("side", side)];
            let _ = client.post(&path, &fields).await;
        } else if !deed.is_empty() {
            let _ = client.post(&path, &[("do", &deed)]).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What a host may do when nothing waits: take back, move and replace people, change the time and the talk.
fn host_deed(view: &TeamView, rng: &mut StdRng) -> Option<String> {
    let state = &view.state;
    let members: Vec<_> = state.members.keys().copied().collect();
    let one = members.choose(rng)?;
    Some(match rng.random_range(0..200) {
        0 => "pause".to_owned(),
        1..20 => {
            let number = BoardNo(rng.random_range(1..=7));
            let board = state.boards.board(number)?;
            format!("back:{number}:{}", board.version())
        }
        20..24 => "more:300".to_owned(),
        24..28 => "more:-240".to_owned(),
        28..30 => "talk:frozen".to_owned(),
        30..32 => "talk:phrases".to_owned(),
        32..40 => "talk:free".to_owned(),
        40..44 => format!("replace:{one}:{}", members.choose(rng)?),
        44..48 => format!("move:{one}"),
        _ => String::new(),
    })
}

/// What a live page shows.
#[derive(Default)]
struct Page {
    /// The numbers of what was fetched last.
    numbers: String,
    /// The boards, as they were fetched last.
    boards: BTreeMap<String, String>,
}

fn value<'a>(numbers: &'a str, name: &str) -> Option<&'a str> {
    numbers
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}

/// A live page: hears what is new and fetches it, and comes back when it is cut off.
async fn follow(scene: Arc<Scene>, number: usize, client: Client, page: Arc<Mutex<Page>>) {
    let (tell, told) = watch::channel(String::new());
    let hears = async {
        let mut tries = number;
        loop {
            let address = scene.server(tries);
            tries += 1;
            let _ = hear(&scene, &client.another_at(address), address, &tell).await;
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::join!(hears, fetch(&scene, number, client.another(), told, &page));
}

/// Listens to a stream until it ends, and tells the latest numbers.
async fn hear(
    scene: &Scene,
    client: &Client,
    address: SocketAddr,
    tell: &watch::Sender<String>,
) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let path = format!("/team/{}/live", scene.id);
    stream.write_all(&client.request_for(&path)).await?;
    let mut buffer = Vec::new();
    loop {
        if stream.read_buf(&mut buffer).await? == 0 {
            return Ok(());
        }
        while let Some(end) = buffer.windows(2).position(|two| two == b"\n\n") {
            let text = String::from_utf8_lossy(&buffer[..end]).into_owned();
            buffer.drain(..end + 2);
            let Some(numbers) = text.lines().find_map(|line| line.strip_prefix("data: ")) else {
                continue;
            };
            // What a stream says first is not news.
            let is_news = !tell.borrow().is_empty();
            if let Some(event) = value(numbers, "event").and_then(|n| n.parse().ok())
                && is_news
            {
                let now = clock()();
                let mut delays = scene.delays.lock().unwrap_or_else(PoisonError::into_inner);
                delays.push((event, now));
            }
            tell.send_replace(numbers.to_owned());
        }
    }
}

/// Fetches what is old, as pages do: whatever was told meanwhile is fetched together.
async fn fetch(
    scene: &Scene,
    number: usize,
    mut client: Client,
    mut told: watch::Receiver<String>,
    page: &Mutex<Page>,
) {
    let mut tries = number;
    while told.changed().await.is_ok() {
        let numbers = told.borrow_and_update().clone();
        for board in 1..=7 {
            let name = format!("b{board}");
            let is_old = {
                let known = page.lock().unwrap_or_else(PoisonError::into_inner);
                value(&numbers, &name) != value(&known.numbers, &name)
            };
            let path = format!("/team/{}/board/{board}", scene.id);
            while is_old {
                match client.get(&path).await {
                    Ok(status) => {
                        assert_eq!(status, 200, "board {board}: {}", client.text());
                        let text = client.text();
                        let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
                        page.boards.insert(name, text);
                        break;
                    }
                    // Its server is gone.
                    Err(_) => {
                        tries += 1;
                        client = client.another_at(scene.server(tries));
                        tokio::time::sleep(AGAIN).await;
                    }
                }
            }
        }
        page.lock().unwrap_or_else(PoisonError::into_inner).numbers = numbers;
    }
}

/// The king of the side that is not to move is never in check.
fn is_sound(boards: &Boards) {
    for (number, board) in boards.iter() {
        let position = board.position();
        let mover = position.side();
        let Some(king) = position.king(mover.other()) else {
            continue;
        };
        let attacked = Square::all().any(|square| {
            position
                .piece(square)
                .is_some_and(|piece| piece.side == mover)
                && position.reach(square).contains(&king)
        });
        assert!(!attacked, "board {number}");
    }
}

fn totals(boards: &Boards) -> [u32; 2] {
    [Side::First, Side::Second].map(|side| {
        let count =
            |(_, board): (_, &perplex::perplexichess::boards::Board)| board.position().count(side);
        boards.iter().map(count).sum()
    })
}

/// Walks through the journal: every state is sound, and pieces go by captures only (and kings with their board).
fn check_journal(events: &[Event], size: Size) -> Match {
    let state = Match::replay(events).expect("a journal");
    let mut boards = Boards::new(size);
    for logged in state.log.iter().filter(|logged| state.is_in_force(logged)) {
        let What::Line(text) = &logged.event.what else {
            continue;
        };
        let line = boards.read(text).expect("a line of the record");
        let before = totals(&boards);
        let open = boards.open().count();
        boards.take(&line);
        is_sound(&boards);
        let kings = u32::try_from(open - boards.open().count()).expect("few");
        let after = totals(&boards);
        let lost = [before[0] - after[0], before[1] - after[1]].map(|lost| {
            if matches!(line, Line::Time) {
                lost
            } else {
                lost - kings
            }
        });
        match &line {
            // The mover takes nothing of the own colour, and one piece of the other at most.
            Line::Turn(_, Turn::Move(_)) => assert!(lost[0] + lost[1] <= 1, "{text}"),
            // A turn under a written rule may remove what it says; nobody here does.
            _ => assert_eq!(lost, [0, 0], "{text}"),
        }
    }
    for ((_, board), (_, shown)) in boards.iter().zip(state.boards.iter()) {
        assert_eq!(board.outcome(), shown.outcome());
    }
    state
}

fn team_events(store: &Store, id: &MatchId) -> Vec<Event> {
    let read = store.read_now(|conn| teams::events(conn, id, 0));
    read.map_err(|error: StoreError| error).expect("events")
}

/// How often what happened.
fn deeds(state: &Match) -> BTreeMap<&'static str, usize> {
    let mut counts: BTreeMap<&'static str, usize> = [
        "transfers",
        "changes",
        "disputes",
        "decisions",
        "duties given",
        "hand-overs",
        "votes",
        "elections",
        "leavers",
        "leavers replaced",
        "latecomers",
        "taken back",
        "boards won",
    ]
    .map(|deed| (deed, 0))
    .into();
    let mut begun = false;
    let mut before: Option<&What> = None;
    for logged in &state.log {
        let Event { what, by, .. } = &logged.event;
        begun |= *what == What::Start;
        let mut count = |deed: &'static str| *counts.get_mut(deed).expect("it is counted") += 1;
        match (what, by) {
            (What::Line(line), Actor::Host)
                if line.contains("accept") || line.contains("reject") =>
            {
                count("decisions");
            }
            (What::Line(line), _) if line.contains("rule") => count("changes"),
            (What::Line(line), _) if line.starts_with(['w', 'b']) => count("transfers"),
            (What::Dispute(_), _) => count("disputes"),
            (What::Duties(_, after), Actor::Member(_)) if begun => {
                let had = logged.before.as_ref().and_then(|duties| duties.strategist);
                count(if had == after.strategist {
                    "duties given"
                } else {
                    "hand-overs"
                });
            }
            (What::Duties(..), Actor::Server) if matches!(before, Some(What::Leave(_))) => {
                count("leavers replaced");
            }
            (What::Vote(_), _) => count("votes"),
            (What::Elected(..), _) => count("elections"),
            (What::Leave(_), _) => count("leavers"),
            (What::Join(..), _) if begun => count("latecomers"),
            (What::Back(_), _) => count("taken back"),
            _ => {}
        }
        before = Some(what);
    }
    let won = state.boards.score();
    counts.insert("boards won", usize::from(won.white + won.black));
    counts
}

/// One run: `processes` servers on a database; with several, one is killed in the middle.
fn pressure(database: &Database, processes: usize) {
    let seconds: u64 = std::env::var("PERPLEX_PRESSURE_SECONDS")
        .map_or(20, |text| text.parse().expect("a number of seconds"));
    let seed: u64 = std::env::var("PERPLEX_SEED").map_or_else(
        |_| rand::rng().random(),
        |seed| seed.parse().expect("PERPLEX_SEED is a number"),
    );
    println!("PERPLEX_SEED={seed}");
    let folder = Folder::new("pressure");
    let settings = [("DATABASE_URL", database.url())];
    let mut servers: Vec<Server> = (0..processes)
        .map(|_| Server::start(&folder.0, &settings))
        .collect();
    let store = database.open();
    let app = App::new(
        store.clone(),
        Key::new([7; 64]),
        Ring::fresh(),
        String::new(),
        None,
        clock(),
    );
    let runtime = runtime();
    let scene = runtime.block_on(async {
        let (id, people) = furnish_team(&app).await;
        let scene = Arc::new(Scene {
            app,
            id,
            servers: Mutex::new(servers.iter().map(|server| server.address).collect()),
            asked: Mutex::default(),
            stop: AtomicBool::new(false),
            delays: Mutex::default(),
        });
        let names = names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let clients = sign_in(servers[0].address, &names).await;
        let mut actors = JoinSet::new();
        let mut followers = JoinSet::new();
        let mut pages = Vec::new();
        for (number, (client, visit)) in clients.iter().zip(&people).enumerate() {
            let page = Arc::new(Mutex::new(Page::default()));
            let follower = follow(
                Arc::clone(&scene),
                number,
                client.another(),
                Arc::clone(&page),
            );
            followers.spawn(follower);
            pages.push(page);
            let mine = seed.wrapping_add(u64::try_from(number).expect("few"));
            let (scene, visit, client) = (Arc::clone(&scene), visit.clone(), client.another());
            if number < PEOPLE {
                actors.spawn(act(scene, number, visit, client, mine));
            } else {
                actors.spawn(lead(scene, visit, client, mine));
            }
        }
        let half = Duration::from_secs(seconds) / 2;
        tokio::time::sleep(half).await;
        if servers.len() > 1 {
            let gone = servers.remove(0);
            let mut known = scene.servers.lock().unwrap_or_else(PoisonError::into_inner);
            known.remove(0);
            gone.kill();
        }
        tokio::time::sleep(half).await;
        // Longer if something has not happened yet.
        let start = Instant::now();
        loop {
            let deeds = deeds(&scene.view(&people[PEOPLE]).await.state);
            if deeds.values().all(|count| *count > 0) {
                break;
            }
            assert!(
                start.elapsed() < 2 * PATIENCE,
                "something never happened: {deeds:?}"
            );
            tokio::time::sleep(10 * AGAIN).await;
        }
        scene.stop.store(true, Ordering::SeqCst);
        while let Some(ended) = actors.join_next().await {
            ended.expect("nobody who acts panics");
        }

        // Every live page comes to the same numbers as a page that is opened now, and shows the same.
        let start = Instant::now();
        for (number, page) in pages.iter().enumerate() {
            let mut client = clients[number].another_at(scene.server(0));
            loop {
                client
                    .get(&format!("/team/{}/heads", scene.id))
                    .await
                    .expect("heads");
                let now = client.text();
                let known = page
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .numbers
                    .clone();
                if known == now {
                    break;
                }
                assert!(
                    start.elapsed() < PATIENCE,
                    "page {number} is at {known}, not at {now}: {:?}",
                    followers.try_join_next()
                );
                tokio::time::sleep(AGAIN).await;
            }
            let boards = page
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .boards
                .clone();
            assert_eq!(boards.len(), 7);
            for (name, shown) in boards {
                let path = format!("/team/{}/board/{}", scene.id, &name[1..]);
                client.get(&path).await.expect("a board");
                // What is done with a board says how much of the match had been seen.
                let now = client.text();
                let board = |text: &str| text.split("<section").next().unwrap_or("").to_owned();
                let (now, shown) = (board(&now), board(&shown));
                let same = now
                    .bytes()
                    .zip(shown.bytes())
                    .take_while(|(a, b)| a == b)
                    .count();
                let around = |text: &str| -> String {
                    text.chars()
                        .skip(same.saturating_sub(100))
                        .take(300)
                        .collect()
                };
                assert!(
                    now == shown,
                    "page {number}, {name}: {}\nand opened now: {}",
                    around(&shown),
                    around(&now)
                );
            }
        }
        followers.abort_all();
        while followers.join_next().await.is_some() {}
        drop(actors);
        scene
    });
    check_log(&folder.0);

    let events = team_events(&store, &scene.id);
    let replayed = check_journal(&events, Size::Large);
    // What was acknowledged is there, as often as it was acknowledged; what nobody knows of may be there.
    let mut taken: BTreeMap<(u16, String), usize> = BTreeMap::new();
    for event in &events {
        if let (What::Line(text), Actor::Member(member)) = (&event.what, event.by) {
            // Whose side resigned is said where the other one was to move.
            let text = match text.split_once(" resign") {
                Some((board, _)) => format!("{board} resign"),
                None => text.clone(),
            };
            *taken.entry((member.0, text)).or_default() += 1;
        }
    }
    let asked = scene.asked();
    for (key, count) in &asked.acknowledged {
        let there = taken.get(key).copied().unwrap_or(0);
        let unknown = asked.unknown.get(key).copied().unwrap_or(0);
        assert!(
            (*count..=*count + unknown).contains(&there),
            "{key:?}: acknowledged {count} times, taken {there} times"
        );
    }
    let known: usize = asked.acknowledged.values().sum();
    let unknown: usize = asked.unknown.values().sum();
    let all: usize = taken.values().sum();
    assert!(
        (known..=known + unknown).contains(&all),
        "{known} {unknown} {all}"
    );
    // How long it took until live pages heard of an event.
    let at: BTreeMap<i32, Time> = events
        .iter()
        .map(|event| (event.number, event.at))
        .collect();
    let mut delays: Vec<i64> = {
        let seen = scene.delays.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter()
            .filter_map(|(number, seen)| Some(seen.0 - at.get(number)?.0))
            .collect()
    };
    delays.sort_unstable();
    let within = |percent: usize| delays.get(delays.len().saturating_sub(1) * percent / 100);
    println!(
        "{}, {processes} processes, {seconds} s: {} events, {all} lines; {:?}; other answers {:?}; {unknown} \
         unanswered; on a live page after p50 {:?} us, p99 {:?} us",
        database.url().split(':').next().unwrap_or_default(),
        events.len(),
        deeds(&replayed),
        asked.answers,
        within(50),
        within(99),
    );
    drop(asked);
    drop(servers);
    // The store is closed outside the runtime.
    drop(runtime);
    drop(Arc::try_unwrap(scene).map_err(|_| "somebody still acts"));
}

#[test]
fn forty_people_on_seven_boards() {
    for database in Database::all("pressure") {
        pressure(&database, 1);
    }
}

#[test]
fn two_processes_and_one_is_killed() {
    let Some(database) = Database::postgres("pressure") else {
        return;
    };
    pressure(&database, 2);
}
