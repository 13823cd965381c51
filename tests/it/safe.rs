//! Hostile input from strangers, and its cost, judged by outcome.

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use perplex::app::correspondence::Opponent;
use perplex::app::floods::MANY;
use perplex::app::queue::Party;
use perplex::app::{AppError, Visitor};
use perplex::texts::encode;
use perplex_bench::client::Client;
use perplex_games::registry;
use perplex_matches::correspondence::Command as Act;
use perplex_matches::id::AccountId;
use perplex_matches::time::hours;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::crash::Server;
use crate::pages::{everywhere, everywhere_within};
use crate::support::{Database, Folder, PATIENCE, runtime};
use crate::teams::people::{Browser, servers};
use crate::teams::{Team, terms};
use crate::test_app::{PASSWORD, TestApp, done, has, new_match};

#[test]
fn what_is_sent_compressed_is_not_unpacked() {
    everywhere(async |[here, _], _| {
        let mut window = Client::new(here.address);
        window.get("/sign-in").await.expect("a page");
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(b"login=").expect("packed");
        for _ in 0..6_000 {
            packed.write_all(&[b'a'; 10_000]).expect("packed");
        }
        let packed = packed.finish().expect("packed");
        let head = format!(
            "POST /sign-in HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            here.address,
            packed.len()
        );
        // The answer comes before the body.
        let status = window.send(head.as_bytes()).await.expect("an answer");
        assert_eq!(status, 415);
        has(&window.text(), "not compressed");
        let request = [head.as_bytes(), &packed].concat();
        let mut window = Client::new(here.address);
        assert_eq!(window.send(&request).await.expect("an answer"), 415);
    });
}

/// Five hundred guesses at once, each at another name.
#[test]
fn guesses_wait_in_a_short_queue() {
    let database = Database::sqlite("guesses");
    let test = TestApp::new(&database);
    runtime().block_on(async {
        test.admin("ann").await;
        let from = Visitor::default();
        let guessers = |word: &'static str| {
            (0..500).map(move |n| {
                let address = format!("192.0.{}.{}", n / 250, n % 250);
                let from = Visitor {
                    address,
                    ..Visitor::default()
                };
                (format!("{word}{}", n + 100), from)
            })
        };
        let guessers = |word| guessers(word).collect::<Vec<(String, Visitor)>>();
        let (adults, pupils) = (guessers("player-"), guessers("otter"));
        let guess = |(name, from)| test.app.sign_in(name, "a guess", from);
        let at_adults = join_all(adults.iter().map(|(name, from)| guess((name, from))));
        let at_pupils = join_all(pupils.iter().map(|(name, from)| guess((name, from))));
        let (at_adults, at_pupils) = tokio::join!(at_adults, at_pupils);
        let judges = |answer: &Result<_, AppError>| matches!(answer, Err(AppError::Invalid(_)));
        assert!(at_pupils.iter().all(judges), "no hash is made for these");
        let (mut judged, mut turned_away) = (0, 0);
        for answer in at_adults {
            match answer {
                Err(AppError::Invalid(_)) => judged += 1,
                Err(AppError::TooOften(seconds)) if seconds > 0 => turned_away += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!(judged >= 100, "only {judged} were judged");
        assert!(turned_away >= 100, "only {turned_away} were turned away");
        let token = test.app.sign_in("ann", PASSWORD, &from).await;
        assert!(token.is_ok(), "the queue is empty again");
    });
}

/// The most bytes of a page of the try board.
const PAGE: usize = 300_000;

/// Random turns, as many as the try board or the game allows.
fn long_game(key: &str, variant: &str) -> Vec<String> {
    let entry = registry::find(key).expect("a game");
    let mut game = entry.setup(variant).expect("a variant");
    let mut chance = StdRng::seed_from_u64(7);
    while game.turns().len() < 400 && game.turns().join("_").len() < 3_000 {
        let choices = game.choices();
        let Some(choice) = choices.choose(&mut chance) else {
            break;
        };
        let turn = choice.turn.clone();
        game.play(&turn).expect("a legal turn");
    }
    game.turns().to_vec()
}

/// The address to which the last answer leads.
fn location(window: &Client) -> String {
    let head = String::from_utf8_lossy(window.head()).into_owned();
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let mut to = lines.filter(|(name, _)| name.eq_ignore_ascii_case("location"));
    to.next().expect("a way on").1.to_owned()
}

/// The address of a link on the page at `path`.
fn led(path: &str, link: &str) -> String {
    match link.strip_prefix('?') {
        Some(query) => format!("{}?{query}", path.split('?').next().unwrap_or(path)),
        None => link.to_owned(),
    }
}

#[test]
fn a_long_game_on_the_try_board_is_a_page_of_bounded_size() {
    everywhere(async |[here, _], _| {
        let mut games: Vec<(String, Vec<String>)> = registry::GAMES
            .iter()
            .flat_map(|entry| {
                entry
                    .card
                    .variants
                    .iter()
                    .map(move |variant| (entry, variant))
            })
            .map(|(entry, variant)| {
                let (key, variant) = (entry.card.key, variant.key);
                (
                    format!("/try/{key}?variant={variant}&turns="),
                    long_game(key, variant),
                )
            })
            .collect();
        // Changes of rules, as long as allowed.
        let text = "x".repeat(70);
        let changes: Vec<String> = (0..70)
            .map(|n| format!("rule N {} \"{text}\"", ["NW", "N"][n % 2]))
            .collect();
        games.push(("/try/flexichess?turns=".to_owned(), changes));
        for (start, turns) in games {
            let mut window = Client::new(here.address);
            let address = format!("{start}{}", encode(&turns.join("_").replace('~', "~0")));
            assert_eq!(window.get(&address).await.expect("led on"), 303, "{start}");
            let path = location(&window);
            assert!(path.starts_with("/try/"), "{path}");
            assert_eq!(window.get(&path).await.expect("a page"), 200, "{path}");
            let page = window.text();
            assert!(page.len() < PAGE, "{start}: {} bytes", page.len());
            assert!(page.contains(&format!("{0} / {0}", turns.len())), "{start}");
            // Back and forth by links alone.
            for (link, shown) in [("href=\"?at=1\"", 1), ("rel=\"prev\"", turns.len() - 1)] {
                assert!(page.contains(link), "{start}: {link}");
                let status = window.get(&led(&path, &format!("?at={shown}"))).await;
                assert_eq!(status.expect("a page"), 200);
                let page = window.text();
                assert!(
                    page.contains(&format!("{shown} / {}", turns.len())),
                    "{start}"
                );
                assert!(page.len() < PAGE, "{start}: {} bytes", page.len());
            }
        }
        // The state of the editor goes along, and leads on.
        let mut window = Client::new(here.address);
        let path = "/try/flexichess/turns=e2e4";
        let status = window.get(&format!("{path}?rule=N")).await;
        assert_eq!(status.expect("a page"), 200);
        let made = "?rule=N&form=written&words=Knights+rest.&make=1";
        assert_eq!(
            window.get(&format!("{path}{made}")).await.expect("made"),
            303
        );
        let path = location(&window);
        assert!(
            path.starts_with("/try/flexichess/turns=e2e4_rule"),
            "{path}"
        );
        // A turn under a rule in words is put together in the address: whatever stands there is answered.
        let accepted = format!("{path}?turn=accept&ply=2&make=1");
        assert_eq!(window.get(&accepted).await.expect("made"), 303);
        let path = location(&window);
        for (deeds, is_read) in [
            ("xa2", true),
            ("xa2+b8c6", true),
            ("abc%C3%A9", false),
            ("xa2+%C3%A9%C3%A9b", false),
            ("a7a8%C3%A9", false),
            ("b8c6q", false),
        ] {
            let asked = format!("{path}?under=1&deeds={deeds}&lift=b8");
            assert_eq!(window.get(&asked).await.expect("a page"), 200, "{deeds}");
            let is_there = window.text().contains("id=\"under-board\"");
            assert_eq!(is_there, is_read, "{deeds}");
            let asked = format!("{path}?under=1&deeds={deeds}");
            assert_eq!(window.get(&asked).await.expect("a page"), 200, "{deeds}");
        }
        // Only a game is in the path, and all of it.
        for path in [
            "/try/quixo/1",
            "/try/quixo/at=1",
            "/try/nothing/turns=c1-a1",
        ] {
            assert_eq!(window.get(path).await.expect("nothing"), 404, "{path}");
        }
        let position = "sewse/e3s/s3e/e3s/swesw n";
        let asked = format!("/try/quixo?variant=four&position={}", encode(position));
        assert_eq!(window.get(&asked).await.expect("led on"), 303);
        let path = location(&window);
        assert!(
            !path["/try/quixo/".len()..].contains('/') && !path.contains("%2F"),
            "{path}"
        );
        assert_eq!(window.get(&path).await.expect("a page"), 200);
        has(&window.text(), "from a position");
        let wrong = "/try/quixo/position=nonsense";
        assert_eq!(window.get(wrong).await.expect("a page"), 422);
        assert!(
            window.text().contains("value=\"nonsense\""),
            "what was typed stays"
        );
    });
}

#[test]
fn the_try_board_is_bounded() {
    everywhere(async |[here, _], _| {
        let mut window = Client::new(here.address);
        let changes = ["NW", "N"].map(|moves| format!("rule+N+{moves}+%22{moves}%22"));
        let alternating = changes.join("_") + "_";
        let alternating = alternating.repeat(500);
        let long = format!("rule+*+written+%22{}%22_accept_", "x".repeat(280)).repeat(100);
        for (turns, bound) in [(&alternating, "200 times"), (&long, "at most 400 turns")] {
            let path = format!("/try/flexichess/turns={turns}?turn=e2e4");
            let status = window.get(&path).await.expect("a page");
            let page = window.text();
            assert_eq!(status, 422);
            assert!(page.len() < PAGE, "{} bytes", page.len());
            assert!(page.contains(bound), "says what the bound is");
            assert!(page.contains("value=\"e2e4\""), "keeps what was typed");
        }
        let fits = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2).join("_");
        let path = format!("/try/flexichess/turns={fits}");
        assert_eq!(window.get(&path).await.expect("a page"), 200);
    });
}

const HALF: &[u8] = b"GET /healthz HTTP/1.1\r\nHo";
const REST: &[u8] = b"st: here\r\n\r\n";

/// Half a request each, from more connections than open files are allowed at first.
#[test]
fn half_sent_requests_leave_room_for_others() {
    let folder = Folder::new("half");
    let server = Server::start_after("ulimit -Sn 100", &folder.0);
    runtime().block_on(async {
        let mut held = Vec::new();
        for _ in 0..200 {
            let mut connection = TcpStream::connect(server.address).await.expect("connected");
            connection.write_all(HALF).await.expect("sent");
            held.push(connection);
        }
        let asked = tokio::time::timeout(PATIENCE, async {
            Client::new(server.address).get("/healthz").await
        });
        let status = asked.await.expect("half requests keep others out");
        let status = status.expect("an answer");
        assert_eq!(status, 200);
    });
}

/// One network has more connections open than it may: those that carried no byte make room, and the page that listens
/// stays.
#[test]
fn idle_connections_make_room_for_others() {
    let folder = Folder::new("idle");
    let server = Server::start_after("ulimit -Sn 300; ulimit -Hn 300", &folder.0);
    runtime().block_on(async {
        let mut held = Vec::new();
        for _ in 0..400 {
            held.push(TcpStream::connect(server.address).await.expect("connected"));
        }
        let mut window = Client::new(server.address);
        let status = done(tokio::time::timeout(PATIENCE, window.get("/healthz"))).await;
        let status = status.expect("an answer");
        assert_eq!(status, 200);
        let mut first = String::new();
        let ended = held[0].read_to_string(&mut first).await;
        assert!(ended.is_err() || first.is_empty(), "closed without a word");
        // The last connection can still send a request.
        let last = held.last_mut().expect("a connection");
        last.write_all(HALF).await.expect("sent");
        last.write_all(REST).await.expect("sent");
        let mut answer = [0; 12];
        last.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200");
    });
}

#[test]
fn half_a_request_ends_and_an_early_connection_stays() {
    everywhere_within(Duration::from_secs(1), async |[here, _], _| {
        let mut early = TcpStream::connect(here.address).await.expect("connected");
        let mut half = TcpStream::connect(here.address).await.expect("connected");
        half.write_all(HALF).await.expect("sent");
        let mut said = String::new();
        let ended = half.read_to_string(&mut said);
        done(tokio::time::timeout(PATIENCE, ended))
            .await
            .expect("text");
        assert!(said.starts_with("HTTP/1.1 408 "), "{said}");

        // The other connection was silent meanwhile.
        early.write_all(HALF).await.expect("sent");
        early.write_all(REST).await.expect("sent");
        let mut answer = [0; 12];
        early.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200");
    });
}

/// The permissions of users other than the owner for a file, and for all files below it if it is a folder.
fn modes(path: &Path, found: &mut Vec<String>) {
    let meta = fs::metadata(path).expect("a file");
    let mode = meta.permissions().mode() & 0o777;
    found.push(format!("{mode:o} {}", path.display()));
    if meta.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            modes(&entry.expect("a file").path(), found);
        }
    }
}

#[test]
fn files_are_their_owners_whatever_the_umask() {
    for stood_before in [false, true] {
        let folder = Folder::new("modes");
        let data = folder.0.join("data");
        if stood_before {
            fs::create_dir(&data).expect("a folder");
            fs::set_permissions(&data, fs::Permissions::from_mode(0o777)).expect("lax");
            let mut file = fs::OpenOptions::new();
            let file = file.write(true).create(true).mode(0o666);
            file.open(data.join("perplex.sqlite")).expect("a file");
        }
        let server = Server::start_after("umask 0", &folder.0);
        runtime().block_on(async {
            let mut window = Client::new(server.address);
            window.get("/sign-up").await.expect("a page");
            window.keep_proof().expect("a form");
            let form = [
                ("name", "ann"),
                ("email", "ann@example.org"),
                ("password", PASSWORD),
            ];
            assert!(window.post("/sign-up", &form).await.expect("sent") < 400);
            let sent = || {
                let mut files = fs::read_dir(data.join("mail"))
                    .into_iter()
                    .flatten()
                    .flatten();
                files.any(|file| file.path().extension().is_some_and(|end| end == "eml"))
            };
            let start = Instant::now();
            while !sent() {
                assert!(start.elapsed() < PATIENCE, "no mail was written");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let mut found = Vec::new();
        modes(&data, &mut found);
        let of = |what: &str| found.iter().any(|line| line.contains(what));
        for file in [
            ".sqlite",
            ".sqlite-wal",
            ".sqlite-shm",
            "secret.key",
            "talk.keys",
            ".eml",
        ] {
            assert!(of(file), "{file}: {found:?}");
        }
        let private = |line: &String| line.starts_with("600 ") || line.starts_with("700 ");
        assert!(found.iter().all(private), "{found:#?}");
    }
}

#[test]
fn browsers_keep_nothing_and_take_only_our_cookies() {
    everywhere(async |[here, _], _| {
        here.admin("ann").await;
        let head = |window: &Client| String::from_utf8_lossy(window.head()).to_lowercase();
        let mut window = Client::new(here.address);
        window.get("/sign-in").await.expect("a page");
        let guest = head(&window);
        has(&guest, "set-cookie: __host-visitor=");
        for line in [
            "strict-transport-security: max-age=31536000",
            "permissions-policy: camera=()",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(guest.contains(line), "{line}: {guest}");
        }
        window.keep_proof().expect("a form");
        let fields = [("login", "ann"), ("password", PASSWORD)];
        let status = window.post("/sign-in", &fields).await.expect("an answer");
        assert_eq!(status, 303);
        // The mark of the browser outlives the session that begins with it.
        let begun = head(&window);
        let mark = begun.lines().find(|line| line.contains("__host-visitor="));
        let age = mark.and_then(|mark| {
            mark.split("max-age=")
                .nth(1)?
                .split(';')
                .next()?
                .trim()
                .parse()
                .ok()
        });
        let days: i64 = age.map_or(0, |seconds: i64| seconds / 86_400);
        assert!(days > 180, "{begun}");
        for path in ["/matches", "/account", "/admin/mail"] {
            assert_eq!(window.get(path).await.expect("a page"), 200, "{path}");
            let head = head(&window);
            assert!(head.contains("cache-control: no-store"), "{path}: {head}");
        }
        let mut link = Client::new(here.address);
        link.get("/reset/a.b.c").await.expect("a page");
        has(&head(&link), "cache-control: no-store");
    });
}

/// The addresses of what replays, draws or reads much.
fn heavy(of_match: &str, team: &str) -> Vec<String> {
    let alone = [
        "/games/flexichess",
        "/games/flexichess/cards",
        "/games/perplexichess",
        "/learn/quixo/2",
        "/lobby",
        "/player/Hanna",
        "/try",
        "/try/flexichess/turns=e2e4_e7e5",
        "/match/ID/at/1",
        "/match/ID/changes",
        "/match/ID/picture.png",
        "/match/ID/record.json",
        "/match/ID/record.pgn",
        "/match/ID/record.txt",
        "/team/ID/at/5",
        "/team/ID/board/1",
        "/team/ID/log",
        "/team/ID/moves",
        "/team/ID/people",
        "/team/ID",
    ];
    let place = |address: &str| {
        let id = if address.starts_with("/team") {
            team
        } else {
            of_match
        };
        address.replace("ID", id)
    };
    alone.map(place).to_vec()
}

#[test]
fn a_worker_that_fell_is_told_to_what_watches_over_the_server() {
    servers(async |server| {
        let mut watcher = Browser::on(&server).await;
        watcher.gets("/healthz", StatusCode::OK).await;
        server.app.workers().note("mail");
        let got = watcher.get("/healthz").await;
        assert_eq!(got.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(got.text, "failed: mail\n");
        watcher.gets("/", StatusCode::OK).await;
    });
}

#[test]
fn what_takes_long_waits_and_keeps_nobody_else_waiting() {
    servers(async |server| {
        let team = Team::new(server.clone(), terms()).await;
        let (host, ada) = (&team.host, &team.people[0]);
        let [host, ada] = [host, ada].map(|visit| visit.account.clone().expect("an account"));
        let wanted = new_match("flexichess", "", Some("first"), Opponent::Anyone);
        let id = done(server.app.create(&host, wanted)).await;
        let join = Act::Join {
            wish: None,
            by_link: false,
        };
        done(server.app.act(&ada, &id, None, join, "")).await;
        let turns = ["e2e4", "rule N NW \"Knights also step.\"", "d2d4", "e7e5"];
        for (ply, turn) in turns.into_iter().enumerate() {
            let player = if ply % 2 == 0 { &host } else { &ada };
            let play = Act::Play {
                ply,
                turn: turn.to_owned(),
                offer: false,
            };
            done(server.app.act(player, &id, None, play, "")).await;
        }
        let mut visitor = Browser::of(&server, "Hanna").await;
        let mut player = Browser::of(&server, "Ada").await;
        for path in heavy(&id.0, &team.id.0) {
            let story = async |go| {
                let is_done = Cell::new(false);
                let waits = async {
                    let got = visitor.get(&path).await;
                    is_done.set(true);
                    got
                };
                let others = async {
                    let mut other = Browser::on(&server).await;
                    player.gets(&format!("/match/{id}"), StatusCode::OK).await;
                    // Long enough for any answer that does not wait.
                    for _ in 0..20 {
                        other.gets("/healthz", StatusCode::OK).await;
                        other.gets("/sign-in", StatusCode::OK).await;
                    }
                    assert!(!is_done.get(), "{path} is answered beside the queue");
                    drop(go);
                };
                let (got, ()) = tokio::join!(waits, others);
                assert_eq!(got.status, StatusCode::OK, "{path}: {}", got.text);
            };
            while_all_draw(&server, story).await;
        }
    });
}

/// Runs `story` while all threads of the queue of pages are at work for others: until it drops what it gets.
async fn while_all_draw(server: &TestApp, story: impl AsyncFnOnce(Sender<()>)) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (go, wait) = channel();
    let wait = Arc::new(Mutex::new(wait));
    let (begins, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let accounts: Vec<_> = (0..threads).map(|n| AccountId(n.to_string())).collect();
    let busy = join_all(accounts.iter().map(|account| {
        let (wait, begins) = (Arc::clone(&wait), begins.clone());
        let work = move || {
            begins.send(()).expect("it is heard");
            wait.lock().expect("a lock").recv().is_ok()
        };
        server.app.limits.drawing.run(Party::Account(account), work)
    }));
    let story = async {
        for _ in 0..threads {
            begun.recv().await.expect("it begins");
        }
        story(go).await;
    };
    tokio::join!(busy, story);
}

#[test]
fn who_asks_for_much_is_told_to_wait() {
    servers(async |server| {
        let site = Browser::on(&server).await;
        while_all_draw(&server, async |go| {
            let mut asks: FuturesUnordered<_> = (0..150)
                .map(|_| site.asks_beside("/games/flexichess/cards"))
                .collect();
            for _ in 0..50 {
                let refused = asks.next().await.expect("an answer");
                assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS);
            }
            drop(go);
            let rest: Vec<_> = asks.collect().await;
            assert!(rest.iter().all(|status| *status == StatusCode::OK));
        })
        .await;
    });
}

#[test]
fn a_flood_is_told_to_the_admin_once() {
    servers(async |server| {
        server.admin("Hanna").await;
        let mut admin = Browser::of(&server, "Hanna").await;
        for _ in 1..MANY {
            server.app.count_refused();
        }
        // An hour later it begins anew.
        server.wait(hours(1));
        server.app.count_refused();
        admin.lacks("/admin", "Flood").await;
        for _ in 0..MANY {
            server.app.count_refused();
        }
        admin.sees("/admin", "5001 requests in an hour").await;
        server.wait(hours(1));
        admin.sees("/admin", "5001 requests in an hour").await;
    });
}

#[test]
fn forms_come_from_the_address_of_the_site_whatever_the_host() {
    servers(async |server| {
        let mut browser = Browser::on(&server).await;
        let own = server.app.url.clone();
        let (_, name) = own.split_once("://").expect("an address");
        let mut gets = async |origin: &str, host: &str| {
            let headers = [("origin", origin), ("host", host)];
            let got = browser.sends_with("/sign-in", &headers).await;
            (got.status, got.text)
        };
        for host in [name, "10.0.0.7:8080", "evil.example"] {
            let (status, page) = gets(&own, host).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{host}: {page}");
            for origin in [
                format!("http://{name}"),
                format!("{own}:8443"),
                format!("https://{host}.evil.example"),
                "http://localhost:8080".to_owned(),
                "null".to_owned(),
            ] {
                let (status, page) = gets(&origin, host).await;
                assert_eq!(status, StatusCode::FORBIDDEN, "{origin} at {host}");
                // It says where the page is to be opened.
                has(&page, &own);
            }
        }
        let (status, _) = gets("https://evil.example", "evil.example").await;
        assert_eq!(status, StatusCode::FORBIDDEN);
    });
}

#[test]
fn the_character_nul_is_refused() {
    everywhere(async |[here, _], _| {
        here.admin("ann").await;
        let mut window = Client::new(here.address);
        window.sign_in("ann", PASSWORD).await.expect("signed in");
        for path in [
            "/player/a%00b",
            "/games/%00",
            "/match/%00",
            "/team/a%00",
            "/lobby?game=%00",
            "/admin/users?q=%00",
            "/join/a/%00",
        ] {
            assert_eq!(window.get(path).await.expect("an answer"), 400, "{path}");
            assert!(window.text().contains("NUL"), "{path}");
        }
        window.get("/matches").await.expect("a page");
        window.keep_proof().expect("a form");
        let name = [("name", "a\0b")];
        let status = window.post("/account/name", &name).await.expect("sent");
        assert_eq!(status, 400);
        has(&window.text(), "NUL");
    });
}
