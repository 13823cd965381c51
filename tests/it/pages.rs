//! The page of a match is never older than the match, for every visitor, in each of two processes on one database,
//! though rendered pages are cached. See `support` for the databases.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::support::{Database, PATIENCE, unmarked};
use crate::teams::terms;
use crate::test_app::{PASSWORD, TestApp, done, has, join, new_match, play};
use perplex::app::accounts::Preferences;
use perplex::app::correspondence::Opponent;
use perplex::app::{Viewer, Visitor};
use perplex::store::Kind;
use perplex::web;
use perplex_bench::client::Client;
use perplex_matches::correspondence::Command;
use perplex_matches::id::MatchId;
use perplex_matches::time::days;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// In the middle of a minute.
const START: i64 = 1_800_000_030_000_000;

/// A process that serves pages: a store, a memory and a port of its own.
pub struct Site {
    test: TestApp,
    pub address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl std::ops::Deref for Site {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.test
    }
}

impl Site {
    fn open(database: &Database, time: &Arc<AtomicI64>, head: Duration) -> Self {
        // A store of PostgreSQL may not be opened in asynchronous code.
        let store = std::thread::scope(|scope| scope.spawn(|| database.open()).join());
        let test = TestApp::with(store.expect("a store"), database.ring(), time);
        let app = Arc::clone(&test.app);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("a port");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = Arc::clone(&app);
        actix_web::rt::spawn(async move {
            let stop = async {
                let _ = stopped.await;
            };
            done(web::serve(served, listener, 0, head, stop)).await;
        });
        let following = Arc::clone(&app);
        actix_web::rt::spawn(async move { following.follow(std::future::pending()).await });
        Self {
            test,
            address,
            _stop: stop,
        }
    }

    async fn create(&self, viewer: &Viewer, game: &str, opponent: &str) -> MatchId {
        let opponent = Opponent::Named(opponent.to_owned());
        let wanted = new_match(game, "", Some("first"), opponent);
        self.app.create(viewer, wanted).await.expect("a match")
    }
}

/// A person who has the same match open at both servers.
struct Reader {
    name: &'static str,
    windows: Vec<Client>,
}

impl Reader {
    /// A guest with one cookie for both servers.
    async fn guest(servers: &[Site]) -> Self {
        let mut window = Client::new(servers[0].address);
        window.get("/").await.expect("a cookie");
        Self {
            name: "a guest",
            windows: vec![window.another_at(servers[1].address), window],
        }
    }

    /// A reader with one session: the servers share their accounts and their key.
    async fn signed_in(name: &'static str, servers: &[Site]) -> Self {
        let mut window = Client::new(servers[0].address);
        window.sign_in(name, PASSWORD).await.expect(name);
        Self {
            name,
            windows: vec![window.another_at(servers[1].address), window],
        }
    }

    /// The page, which is the same at both servers, whether rendered or cached.
    async fn page(&mut self, id: &MatchId) -> String {
        let mut pages = Vec::new();
        for _ in 0..2 {
            for window in &mut self.windows {
                let status = window.get(&format!("/match/{id}")).await.expect("a page");
                pages.push((status, unmarked(&window.text())));
            }
        }
        let (status, page) = pages.swap_remove(0);
        assert_eq!(status, 200, "{}", self.name);
        for other in &pages {
            assert!(
                *other == (200, page.clone()),
                "{}: {page}\n{other:?}",
                self.name
            );
        }
        page
    }

    async fn sees(&mut self, id: &MatchId, what: &str) {
        let page = self.page(id).await;
        assert!(
            page.contains(what),
            "{} sees no {what:?}: {page}",
            self.name
        );
    }

    async fn sees_nothing_of(&mut self, id: &MatchId, what: &str) {
        let page = self.page(id).await;
        assert!(!page.contains(what), "{} sees {what:?}: {page}", self.name);
    }

    async fn status(&mut self, id: &MatchId) -> [u16; 2] {
        let mut statuses = [0; 2];
        for (status, window) in statuses.iter_mut().zip(&mut self.windows) {
            *status = window.get(&format!("/match/{id}")).await.expect("a page");
        }
        statuses
    }
}

/// The stream of numbers for an open page.
struct Stream {
    connection: TcpStream,
    text: String,
}

impl Stream {
    async fn open(server: &Site, window: &Client, path: &str) -> Self {
        let mut connection = TcpStream::connect(server.address).await.expect("a server");
        let request = window.request_for(path);
        connection.write_all(&request).await.expect("sent");
        Self {
            connection,
            text: String::new(),
        }
    }

    /// The next numbers.
    async fn next(&mut self) -> String {
        loop {
            if let Some((before, after)) = self.text.split_once("\n\n")
                && let Some((_, numbers)) = before.split_once("\ndata: ")
            {
                let numbers = numbers.to_owned();
                let after = after.to_owned();
                self.text = after;
                return numbers;
            }
            let mut bytes = [0; 1024];
            let read = done(tokio::time::timeout(
                PATIENCE,
                self.connection.read(&mut bytes),
            ))
            .await
            .expect("an open stream");
            assert!(read > 0, "the stream has ended after {:?}", self.text);
            self.text += std::str::from_utf8(&bytes[..read]).expect("text");
        }
    }
}

impl Stream {
    /// Waits for its last piece, after which the connection is free for other requests.
    async fn ends(&mut self) {
        while !self.text.ends_with("\r\n0\r\n\r\n") {
            let mut bytes = [0; 1024];
            let read = tokio::time::timeout(PATIENCE, self.connection.read(&mut bytes));
            let read = read
                .await
                .expect("its last piece comes")
                .expect("a connection");
            assert!(read > 0, "it ends as it should");
            self.text += std::str::from_utf8(&bytes[..read]).expect("text");
        }
    }
}

pub fn everywhere(test: impl AsyncFn([Site; 2], Arc<AtomicI64>)) {
    everywhere_within(web::HEAD, test);
}

/// The same, on servers that wait for `head` for the head of a first request.
pub fn everywhere_within(head: Duration, test: impl AsyncFn([Site; 2], Arc<AtomicI64>)) {
    for database in Database::all("pages") {
        actix_web::rt::System::new().block_on(async {
            let time = Arc::new(AtomicI64::new(START));
            let servers = [(); 2].map(|()| Site::open(&database, &time, head));
            test(servers, time).await;
        });
    }
}

#[test]
fn four_names_stand_around_the_board() {
    everywhere(async |servers, _| {
        let [here, _] = &servers;
        let ann = here.admin("ann").await;
        let wanted = new_match("quixo", "four", Some("north"), Opponent::Anyone);
        let id = here.app.create(&ann, wanted).await.expect("a match");
        for (name, seat) in [("ben", "south"), ("cem", "east"), ("dora", "west")] {
            let player = here.admin(name).await;
            let join = Command::Join {
                wish: Some(seat.to_owned()),
                by_link: false,
            };
            done(here.app.act(&player, &id, None, join, "")).await;
        }
        let mut guest = Reader::guest(&servers).await;
        let mut dora = Reader::signed_in("dora", &servers).await;
        guest.sees(&id, "ann and ben – cem and dora").await;
        let beside = |class: &str, name: &str| {
            format!("<span class=\"{class}\" aria-hidden=\"true\">{name}</span>")
        };
        guest.sees(&id, &beside("above first to-move", "ann")).await;
        guest.sees(&id, &beside("right second", "cem")).await;
        // Dora sits on the left, and has the board turned to her.
        guest.sees(&id, &beside("left second", "dora")).await;
        dora.sees(&id, &beside("below second", "dora")).await;
        dora.sees(&id, &beside("left first to-move", "ann")).await;
    });
}

#[test]
fn captured_cubes_stand_beside_the_board() {
    everywhere(async |servers, _| {
        let [here, _] = &servers;
        let ann = here.admin("ann").await;
        let ben = here.admin("ben").await;
        let wanted = new_match("pijersi", "", Some("first"), Opponent::Anyone);
        let id = here.app.create(&ann, wanted).await.expect("a match");
        done(here.app.act(&ben, &id, None, join(), "")).await;
        let mut guest = Reader::guest(&servers).await;
        done(here.app.act(&ann, &id, None, play(0, "b6-b7=d6"), "")).await;
        guest.sees_nothing_of(&id, "Off the board").await;
        done(here.app.act(&ben, &id, None, play(1, "g5-f5=d6!"), "")).await;
        guest.sees(&id, "aria-label=\"White’s rock, paper\"").await;
    });
}

#[test]
fn pages_are_never_old() {
    everywhere(async |servers, time| {
        let [here, there] = &servers;
        let ann = here.admin("ann").await;
        let bob = here.admin("barnaby").await;
        here.admin("cid").await;
        let id = here.create(&ann, "quixo", "barnaby").await;
        done(here.app.act(&bob, &id, None, join(), "")).await;

        let mut first = Reader::signed_in("ann", &servers).await;
        let mut second = Reader::signed_in("barnaby", &servers).await;
        let mut other = Reader::signed_in("cid", &servers).await;
        let mut guest = Reader::guest(&servers).await;

        // Before the first event: all have the page cached.
        first.sees(&id, "Your turn").await;
        for reader in [&mut second, &mut other, &mut guest] {
            reader.sees(&id, "ann’s turn").await;
            reader.sees_nothing_of(&id, "Your turn").await;
        }

        // A turn at one server is seen at both; the note only by the players.
        let note = "NOTE of a player";
        done(here.app.act(&ann, &id, None, play(0, "c1-a1"), note)).await;
        second.sees(&id, "Your turn").await;
        for reader in [&mut first, &mut other, &mut guest] {
            reader.sees(&id, "barnaby’s turn").await;
        }
        for reader in [&mut first, &mut second] {
            reader.sees(&id, "ann played c1-a1.").await;
            reader.sees(&id, note).await;
        }
        // Talk alone, at the other server.
        done(there.app.say(&bob, &id, "WORDS to a player")).await;
        for secret in [note, "WORDS to a player"] {
            for reader in [&mut first, &mut second] {
                reader.sees(&id, secret).await;
            }
            for reader in [&mut other, &mut guest] {
                reader.sees_nothing_of(&id, secret).await;
            }
        }

        // Time goes on: the player's three days become less, minute by minute.
        second.sees(&id, "have 3 days left").await;
        time.fetch_add(1, Ordering::SeqCst);
        second.sees(&id, "have 2 days 23 hours left").await;
        time.fetch_add(60_000_000, Ordering::SeqCst);
        second.sees(&id, "have 2 days 23 hours left").await;
        let day = i64::try_from(days(2).as_micros()).expect("short");
        time.fetch_add(day, Ordering::SeqCst);
        second.sees(&id, "have 23 hours left").await;
        other
            .sees(&id, "barnaby plays Circles and has 23 hours left")
            .await;
        // The clock is set right.
        time.store(START, Ordering::SeqCst);
        second.sees(&id, "have 3 days left").await;

        // A new name changes the page for all; preferences change it for their owner only.
        there.app.set_name(&bob, "Robert").await.expect("free");
        for reader in [&mut first, &mut second, &mut other, &mut guest] {
            reader.sees(&id, "Robert").await;
            reader.sees_nothing_of(&id, "barnaby").await;
        }
        let likes = Preferences {
            theme: "dark".to_owned(),
            ..Preferences::default()
        };
        first.sees(&id, "data-theme=\"system\"").await;
        done(there.app.set_preferences(&ann, likes)).await;
        first.sees(&id, "data-theme=\"dark\"").await;
        second.sees(&id, "data-theme=\"system\"").await;

        // The end.
        done(there.app.act(&bob, &id, None, Command::Resign, "")).await;
        first.sees(&id, "You won").await;
        second.sees(&id, "You lost").await;
        guest.sees(&id, "The match is over").await;
        done(there.app.delete_account(&bob, PASSWORD)).await;
        for reader in [&mut first, &mut other, &mut guest, &mut second] {
            reader.sees(&id, "deleted player").await;
            reader.sees_nothing_of(&id, "Robert").await;
        }
        // That session has no account any more.
        second.sees_nothing_of(&id, note).await;
    });
}

#[test]
fn pages_belong_to_sessions() {
    everywhere(async |servers, _| {
        let [here, there] = &servers;
        let ann = here.admin("ann").await;
        let bob = here.admin("barnaby").await;
        let id = here.create(&ann, "quixo", "barnaby").await;
        let mut guest = Reader::guest(&servers).await;
        let mut first = Reader::signed_in("ann", &servers).await;
        let mut again = Reader::signed_in("ann", &servers).await;
        let mut second = Reader::signed_in("barnaby", &servers).await;

        // Others see nothing of a match between two people, though its page is cached for those two.
        first.sees(&id, "Call the match off").await;
        second.sees(&id, "ann challenges you").await;
        assert_eq!(guest.status(&id).await, [404, 404]);
        second.sees(&id, "ann challenges you").await;
        done(there.app.act(&bob, &id, None, join(), "")).await;
        guest.sees(&id, "ann’s turn").await;

        // Two sessions of one account: the same page, and either sends its forms. Other accounts have other proofs.
        let (one, two) = (first.page(&id).await, again.page(&id).await);
        let proof = |page: &str| {
            let (_, rest) = page.split_once("name=\"csrf\" value=\"").expect("a form");
            rest.split_once('"').expect("its end").0.to_owned()
        };
        assert_eq!(one, two);
        assert_ne!(proof(&one), proof(&second.page(&id).await));
        let path = format!("/match/{id}/turn");
        let turn = [("ply", "0"), ("turn", "c1-a1")];
        for (window, status) in [(&mut again.windows[1], 303), (&mut first.windows[0], 303)] {
            window.get(&format!("/match/{id}")).await.expect("a page");
            window.keep_proof().expect("a form");
            assert_eq!(window.post(&path, &turn).await.expect("sent"), status);
        }
        let mut strangers = Client::new(here.address);
        strangers.get("/").await.expect("a page");
        assert_eq!(strangers.post(&path, &turn).await.expect("sent"), 403);

        // Guests see the same, with their own preferences.
        let chess = here.create(&ann, "flexichess", "barnaby").await;
        done(here.app.act(&bob, &chess, None, join(), "")).await;
        let mut wishful = Reader::guest(&servers).await;
        guest
            .sees(&chess, "value=\"numbers\" aria-pressed=\"false\"")
            .await;
        for window in &mut wishful.windows {
            done(window.get(&format!("/match/{chess}"))).await;
            window.keep_proof().expect("a form");
            let squares = [("squares", "numbers"), ("next", "/")];
            assert_eq!(window.post("/squares", &squares).await.expect("sent"), 303);
        }
        wishful
            .sees(&chess, "value=\"numbers\" aria-pressed=\"true\"")
            .await;
        guest
            .sees(&chess, "value=\"numbers\" aria-pressed=\"false\"")
            .await;
        let cubes = here.create(&ann, "pijersi", "barnaby").await;
        done(here.app.act(&bob, &cubes, None, join(), "")).await;
        wishful.sees(&cubes, "#pijersi-wise").await;
        for window in &mut wishful.windows {
            let signs = [("signs", "official"), ("next", "/")];
            assert_eq!(window.post("/signs", &signs).await.expect("sent"), 303);
        }
        wishful.sees(&cubes, "#pijersi-loop").await;
        guest.sees(&cubes, "#pijersi-wise").await;

        // A session that is ended, at either server, is over with the next request.
        done(here.app.act(&bob, &id, None, Command::Offer, "")).await;
        here.app.say(&bob, &id, "WORDS").await.expect("said");
        again.sees(&id, "WORDS").await;
        // `person` began one, the readers two.
        there.app.end_other_sessions(&ann).await.expect("ended");
        for reader in [&mut first, &mut again] {
            reader.sees(&id, "Sign in").await;
            reader.sees_nothing_of(&id, "WORDS").await;
        }
        second.sees(&id, "WORDS").await;
    });
}

/// A match by correspondence of Ann and Barnaby, a team match, both made by Ann, and a window in which she is signed in.
async fn two_matches(here: &Site) -> ([Viewer; 2], MatchId, MatchId, Client) {
    let ann = here.admin("ann").await;
    let bob = here.admin("barnaby").await;
    let post = here.create(&ann, "quixo", "barnaby").await;
    let team = done(here.app.create_team(&ann, "Monday", terms())).await;
    let mut window = Client::new(here.address);
    window.sign_in("ann", PASSWORD).await.expect("signed in");
    ([ann, bob], post, team, window)
}

/// Sessions are ended at the other server.
#[test]
fn a_stream_ends_soon_after_its_session() {
    everywhere(async |servers, _| {
        let [here, there] = &servers;
        let ([ann, bob], post, team, window) = two_matches(here).await;
        let mut kept = Client::new(here.address);
        kept.sign_in("barnaby", PASSWORD).await.expect("signed in");
        let mut streams = Vec::new();
        for path in [format!("/match/{post}/live"), format!("/team/{team}/live")] {
            let mut stream = Stream::open(here, &window, &path).await;
            stream.next().await;
            streams.push(stream);
        }
        let mut other = Stream::open(here, &kept, &format!("/match/{post}/live")).await;
        other.next().await;
        let visitor = Visitor::default();
        done(
            there
                .app
                .set_password(&ann, PASSWORD, "four words no one has", &visitor),
        )
        .await;
        for mut stream in streams {
            stream.ends().await;
        }
        // Others' streams go on.
        done(here.app.act(&bob, &post, None, join(), "")).await;
        other.next().await;
    });
}

/// A page that is asked for many times over costs no more than one.
#[test]
fn one_stream_tells_of_each_page_once() {
    everywhere(async |servers, _| {
        let [here, _] = &servers;
        let ([ann, bob], post, team, window) = two_matches(here).await;
        let (post_page, team_page) = (format!("/match/{post}"), format!("/team/{team}"));
        let asked = format!("of={post_page}&of={team_page}&of=/match/none&").repeat(8);
        let mut stream = Stream::open(here, &window, &format!("/live?{asked}")).await;
        let told = [
            stream.next().await,
            stream.next().await,
            stream.next().await,
        ];
        // The last one may not be seen: it has no numbers.
        for page in [&post_page, &team_page, "/match/none "] {
            let of_page = told.iter().filter(|told| told.starts_with(page));
            assert_eq!(of_page.count(), 1, "{page}: {told:?}");
        }
        // The next news are of the one page that has some, once.
        done(here.app.act(&bob, &post, None, join(), "")).await;
        let begun = stream.next().await;
        assert!(begun.starts_with(&post_page), "{begun}");
        done(here.app.act(&ann, &post, None, play(0, "c1-a1"), "")).await;
        assert_ne!(stream.next().await, begun);
    });
}

#[test]
fn streams_tell_of_every_house() {
    everywhere(async |servers, _| {
        let [here, there] = &servers;
        let ann = here.admin("ann").await;
        let bob = here.admin("barnaby").await;
        let id = here.create(&ann, "quixo", "barnaby").await;
        let begun = done(here.app.act(&bob, &id, None, join(), "")).await.head;
        let [reader, guest] = [
            Reader::signed_in("ann", &servers).await,
            Reader::guest(&servers).await,
        ];
        // Only one process uses SQLite: there both use the same server.
        let other = match here.app.store.kind() {
            Kind::Sqlite => here,
            Kind::Postgres => there,
        };
        let path = format!("/match/{id}/live");
        let mut player = Stream::open(other, &reader.windows[0], &path).await;
        let mut watching = Stream::open(other, &guest.windows[0], &path).await;
        for stream in [&mut player, &mut watching] {
            assert_eq!(stream.next().await, format!("{begun}.0"));
        }
        let turns = ["c1-a1", "c5-a5", "d1-a1", "d5-a5"];
        for (ply, turn) in turns.into_iter().enumerate() {
            // The player hears of each; a spectator hears nothing of the talk.
            let before = begun + i32::try_from(ply).expect("few");
            let who = [&ann, &bob][ply % 2];
            here.app.say(who, &id, "WORDS").await.expect("said");
            assert_eq!(player.next().await, format!("{before}.{}", ply + 1));
            done(here.app.act(who, &id, None, play(ply, turn), "")).await;
            assert_eq!(player.next().await, format!("{}.{}", before + 1, ply + 1));
            assert_eq!(watching.next().await, format!("{}.0", before + 1));
        }
    });
}

/// The answer to `curl -I`: the same head as with the page, and no page.
#[test]
fn the_head_of_a_page_is_told_by_itself() {
    everywhere(async |servers, _| {
        for (path, status) in [("/", 200), ("/games/quixo", 200), ("/nowhere", 404)] {
            let mut stream = TcpStream::connect(servers[0].address).await.expect("there");
            let request = format!("HEAD {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await.expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("an answer");
            let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
            assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
            has(head, "content-type: text/html");
            assert_eq!(body, "", "{path}");
        }
    });
}

#[test]
fn draws_are_told_on_the_page() {
    everywhere(async |servers, _| {
        let [here, _] = &servers;
        let ann = here.admin("ann").await;
        let bob = here.admin("barnaby").await;
        let id = here.create(&ann, "flexichess", "barnaby").await;
        done(here.app.act(&bob, &id, None, join(), "")).await;
        let mut first = Reader::signed_in("ann", &servers).await;
        let mut second = Reader::signed_in("barnaby", &servers).await;
        let mut guest = Reader::guest(&servers).await;

        // An offer outlives the turn of its side, and a turn in reply declines it.
        done(here.app.act(&ann, &id, None, Command::Offer, "")).await;
        let stands = "Your offer of a draw stands, until it is answered";
        first.sees(&id, stands).await;
        guest.sees(&id, "A draw is on offer.").await;
        second.sees(&id, "You are offered a draw.").await;
        done(here.app.act(&ann, &id, None, play(0, "Nf3"), "")).await;
        first.sees(&id, stands).await;
        second.sees(&id, "To play a turn declines it.").await;
        second.sees(&id, "Your turn; a draw is offered").await;
        second.sees_nothing_of(&id, "Offer a draw with it").await;
        let declines = ", decline the draw</span></button>";
        second
            .sees(&MatchId(format!("{id}?ply=1&step=e7&step=e5")), declines)
            .await;
        done(here.app.act(&bob, &id, None, play(1, "Nf6"), "")).await;
        first.sees(&id, "declines your offer of a draw.").await;
        second.sees_nothing_of(&id, "of a draw").await;

        // The page names the turns with which a draw can be claimed, and then says that one can.
        let turns = ["Ng1", "Ng8", "Nf3", "Nf6", "Ng1"];
        for (ply, turn) in (2..).zip(turns) {
            let who = if ply % 2 == 0 { &ann } else { &bob };
            second.sees_nothing_of(&id, "laim").await;
            done(here.app.act(who, &id, None, play(ply, turn), "")).await;
        }
        second.sees(&id, "Claim a draw with Ng8, or offer").await;
        first.sees_nothing_of(&id, "laim").await;
        // A turn that is put together says what becomes of a draw with it.
        let tried = |from, to| MatchId(format!("{id}?ply=7&step={from}&step={to}"));
        let claims = "Claim a draw with it</button>";
        second.sees(&tried("f6", "g8"), claims).await;
        second
            .sees_nothing_of(&tried("f6", "g8"), "offer one")
            .await;
        second
            .sees(&tried("e7", "e5"), "Offer a draw with it")
            .await;
        second.sees_nothing_of(&tried("e7", "e5"), "laim").await;
        second
            .sees_nothing_of(&tried("e7", "e5"), "decline the draw")
            .await;
        done(here.app.act(&bob, &id, None, play(7, "Ng8"), "")).await;
        let claimable = "This position has come up three times: you can claim a draw.";
        first.sees(&id, claimable).await;
        first.sees(&id, "Claim the draw").await;
        first.sees(&id, "Your turn; you can claim a draw").await;
        for reader in [&mut second, &mut guest] {
            reader.sees_nothing_of(&id, "laim").await;
        }
        done(here.app.act(&ann, &id, None, Command::Offer, "")).await;
        let why = "claimed it, as the same position had come up three times";
        first.sees(&id, &format!("You {why}")).await;
        for reader in [&mut second, &mut guest] {
            reader.sees(&id, why).await;
        }
    });
}
