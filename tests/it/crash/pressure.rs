//! A team match under pressure: forty people act at random at once, through the pages, while each has an open live
//! page; then the journal, the pages and the acknowledged acts have to agree.
//!
//! `PERPLEX_PRESSURE_SECONDS=60` sets the duration. Deeds that every run needs are not left to chance: missing ones
//! are done on purpose, by those who can, and at the end all other acts rest until they are done.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use perplex::app::Viewer;
use perplex::app::team::{TeamAccess, TeamView};
use perplex_games::perplexichess::{BoardNo, Size};
use perplex_matches::id::MatchId;
use perplex_matches::team::event::{Actor, EventKind, MemberId, Terms};
use perplex_matches::team::{Command as Do, Match, Phase};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::*;
use crate::support::chance::{is_long, seed};
use crate::test_app::done;

#[path = "pressure/journal.rs"]
mod journal;
#[path = "pressure/pages.rs"]
mod pages;
#[path = "pressure/people.rs"]
mod people;
#[path = "pressure/purpose.rs"]
mod purpose;

use journal::{check_journal, deeds, team_events};
use pages::{Page, follow};
use people::{act, lead};

const PEOPLE: usize = 40;
/// Seconds of pressure in every run, and in the longer one.
const SHORT: u64 = 8;
const LONG: u64 = 60;

/// The requests and their answers.
#[derive(Default)]
struct Asked {
    /// Lines of the record that were acknowledged, by member, with their number.
    acknowledged: BTreeMap<(u16, String), usize>,
    /// Lines that may or may not have been taken.
    unknown: BTreeMap<(u16, String), usize>,
    /// Number of answers by status.
    answers: BTreeMap<u16, usize>,
}

/// The state that all actors share.
struct Scene {
    app: App,
    id: MatchId,
    servers: Mutex<Vec<SocketAddr>>,
    asked: Mutex<Asked>,
    stop: AtomicBool,
    /// True once all random acts have stopped.
    ending: AtomicBool,
    /// The deeds that no member has done yet.
    missing: Mutex<BTreeSet<&'static str>>,
    /// The times, in microseconds, when events were seen on live pages, after their commit.
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

    fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    fn missing(&self) -> BTreeSet<&'static str> {
        let missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        missing.clone()
    }

    /// Looks for missing deeds, until `end`, or until none is missing.
    async fn look_for_deeds(&self, visit: &TeamAccess, end: Instant, is_enough: bool) {
        while Instant::now() < end {
            let missing: BTreeSet<&'static str> = deeds(&self.view(visit).await.state)
                .into_iter()
                .filter_map(|(deed, count)| (count == 0).then_some(deed))
                .collect();
            let is_done = missing.is_empty();
            *self.missing.lock().unwrap_or_else(PoisonError::into_inner) = missing;
            if is_done && is_enough {
                return;
            }
            tokio::time::sleep(5 * AGAIN).await;
        }
    }

    async fn view(&self, visit: &TeamAccess) -> TeamView {
        done(self.app.load_team_match(visit, &self.id, None)).await
    }
}

fn names() -> Vec<String> {
    (0..=PEOPLE)
        .map(|number| format!("Player{number}"))
        .collect()
}

/// The accounts and the match: the last of the people is its host.
async fn furnish_team(app: &App) -> (MatchId, Vec<TeamAccess>) {
    let mut people = Vec::new();
    for name in names() {
        let form = SignUp {
            email: format!("{name}@example.org"),
            password: PASSWORD.to_owned(),
            zone: String::new(),
            name: name.clone(),
            ..SignUp::default()
        };
        app.create_account(form, true).await.expect("new");
        let from = Visitor::default();
        let token = app.sign_in(&name, PASSWORD, &from).await.expect("in");
        let viewer: Viewer = app.viewer(&token).await.expect("read").expect("a session");
        people.push(TeamAccess {
            account: Some(viewer),
            ..TeamAccess::default()
        });
    }
    let host = people[PEOPLE].account.clone().expect("signed in");
    let terms = Terms {
        seconds: Some(7_200),
        listed: true,
        ..Terms::of(Size::Large)
    };
    let id = done(app.create_team(&host, "Pressure", terms)).await;
    let act = async |who: &TeamAccess, command: Do| {
        app.act_in_team(who, &id, command).await.expect("possible");
    };
    let no_member = MemberId(0);
    for person in &people[..PEOPLE] {
        act(person, Do::Join(no_member, None)).await;
    }
    act(&people[PEOPLE], Do::Deal).await;
    act(&people[PEOPLE], Do::Start { short: false }).await;
    (id, people)
}

/// One run: `processes` servers on a database; with several, one is killed in the middle.
fn pressure(database: &Database, processes: usize) {
    let seconds: u64 = std::env::var("PERPLEX_PRESSURE_SECONDS").map_or_else(
        |_| if is_long() { LONG } else { SHORT },
        |text| text.parse().expect("a number of seconds"),
    );
    let seed = seed();
    let folder = Folder::new("pressure");
    let settings = [("DATABASE_URL", database.url())];
    let mut servers: Vec<Server> = (0..processes)
        .map(|_| Server::start(&folder.0, &settings))
        .collect();
    let store = database.open();
    let app = App::new(
        store.clone(),
        Key::new([7; 64]),
        KeyRing::fresh(),
        String::new(),
        None,
        perplex::site::Site::default(),
        clock(),
    );
    let runtime = threads();
    let scene = runtime.block_on(async {
        let (id, people) = furnish_team(&app).await;
        let scene = Arc::new(Scene {
            app,
            id,
            servers: Mutex::new(servers.iter().map(|server| server.address).collect()),
            asked: Mutex::default(),
            stop: AtomicBool::new(false),
            ending: AtomicBool::new(false),
            missing: Mutex::default(),
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
        let (host, half) = (&people[PEOPLE], Duration::from_secs(seconds) / 2);
        scene
            .look_for_deeds(host, Instant::now() + half, false)
            .await;
        if servers.len() > 1 {
            let gone = servers.remove(0);
            let mut known = scene.servers.lock().unwrap_or_else(PoisonError::into_inner);
            known.remove(0);
            gone.kill();
        }
        scene
            .look_for_deeds(host, Instant::now() + half, false)
            .await;
        println!("missing after the time: {:?}", scene.missing());
        scene.ending.store(true, Ordering::SeqCst);
        scene
            .look_for_deeds(host, Instant::now() + PATIENCE, true)
            .await;
        let missing = scene.missing();
        assert!(
            missing.is_empty(),
            "done on purpose, and yet it did not happen: {missing:?}"
        );
        scene.stop.store(true, Ordering::SeqCst);
        while let Some(ended) = actors.join_next().await {
            ended.expect("no person who acts panics");
        }

        // Every live page comes to the same numbers and content as a page opened now.
        let start = Instant::now();
        for (number, page) in pages.iter().enumerate() {
            let mut client = clients[number].another_at(scene.server(0));
            loop {
                done(client.get(&format!("/team/{}/heads", scene.id))).await;
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
                // The forms below a board carry the number of events seen, so only the board itself is compared.
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
    // Acknowledged lines are there, as often as they were acknowledged; unknown ones may be there.
    let mut taken: BTreeMap<(u16, String), usize> = BTreeMap::new();
    for event in &events {
        if let (EventKind::Line(text), Actor::Member(member)) = (&event.kind, event.by) {
            // A resignation names its side where the other one was to move.
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
    // The delays until live pages heard of an event.
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
    drop(Arc::try_unwrap(scene).map_err(|_| "a person still acts"));
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
