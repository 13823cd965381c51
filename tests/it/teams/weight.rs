//! The weight of pages over the wire, compressed as they are sent: a class of thirty on seven boards, every rule
//! changed, two hundred turns played, and much talk.

use std::collections::BTreeMap;

use perplex::app::team::lessons::Keep;
use perplex_games::rules::Rules as _;
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use perplex_matches::team::Match;

use super::people::Browser;
use super::*;
use crate::support::chance::seed;
use crate::test_app::done;

/// The most bytes of the first page that a browser opens, with all files it links to, and of any later one.
const FIRST: usize = 60 * 1024;
const LATER: usize = 20 * 1024;
/// Number of pupils in the class, and of turns that they play.
const PUPILS: usize = 30;
const TURNS: usize = 200;
/// The new movements of the kinds that can be changed.
const RULES: [&str; 4] = ["N NW", "B BW", "R RF", "Q QN"];

/// The site's files that a page or a file names.
fn linked(text: &str) -> BTreeSet<String> {
    let named = [
        "href=\"",
        "src=\"",
        "data-moments=\"",
        "url(",
        "from \"",
        "import \"",
    ]
    .into_iter();
    named
        .flat_map(|before| text.split(before).skip(1))
        .filter_map(|rest| {
            let name = rest.split(['"', ')']).next()?;
            let is_file = ["/static/", "/scene/", "./"]
                .iter()
                .any(|start| name.starts_with(start));
            is_file.then(|| name.to_owned())
        })
        .collect()
}

/// The weight of a page over the wire: all it loads in a fresh browser, and the page by itself.
struct Weight {
    path: String,
    first: usize,
    later: usize,
}

/// The weights of pages and files so far.
#[derive(Default)]
struct Scales {
    files: BTreeMap<String, (usize, String)>,
    found: Vec<Weight>,
}

impl Scales {
    async fn weigh(&mut self, browser: &mut Browser, path: &str) {
        let (later, page) = browser.weigh(path).await;
        let mut left: Vec<String> = linked(&page).into_iter().collect();
        let mut needed = BTreeSet::new();
        while let Some(file) = left.pop() {
            if !needed.insert(file.clone()) {
                continue;
            }
            if !self.files.contains_key(&file) {
                self.files.insert(file.clone(), browser.weigh(&file).await);
            }
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            let named = linked(&self.files[&file].1).into_iter();
            left.extend(named.map(|name| match name.strip_prefix("./") {
                Some(name) => format!("{folder}/{name}"),
                None => name,
            }));
        }
        assert!(needed.len() > 2, "{path} links nothing: {needed:?}");
        let files: usize = needed.iter().map(|file| self.files[file].0).sum();
        self.found.push(Weight {
            path: path.to_owned(),
            first: later + files,
            later,
        });
    }
}

/// A lesson in full swing.
struct Swing {
    server: TestApp,
    class: String,
    id: MatchId,
    hanna: TeamAccess,
    pupils: BTreeMap<MemberId, Pupil>,
}

/// A pupil who takes part, with user name and phrase.
struct Pupil {
    visit: TeamAccess,
    card: (String, String),
}

impl Swing {
    async fn new(server: TestApp) -> Self {
        let hanna = server.visit("Hanna").await;
        let teacher = hanna.account.clone().expect("signed in");
        // Long, and from right to left.
        let names: Vec<String> = (1..=PUPILS)
            .map(|n| match n % 3 {
                0 => format!("Maximiliane Charlotte {n}"),
                1 => format!("عبد الرحمن {n}"),
                _ => format!("Kim {n}"),
            })
            .collect();
        let class = done(
            server
                .app
                .create_class(&teacher, "Class 7b", true, &names.join("\n")),
        )
        .await;
        let id = server.lesson_of(&teacher, &class).await;
        let code = server
            .view(&hanna, &id)
            .await
            .lesson
            .and_then(|lesson| lesson.code);
        let code = code.expect("a code");
        let mut pupils = BTreeMap::new();
        for pupil in server.app.class(&teacher, &class).await.expect("it").pupils {
            let visit = server.come_as(&code, &pupil.id).await;
            let member = server
                .view(&visit, &id)
                .await
                .viewer
                .member
                .expect("a member");
            let card = (pupil.user, pupil.phrase);
            pupils.insert(member, Pupil { visit, card });
        }
        done(server.app.seat_everybody(&hanna, &id, Keep::Nothing)).await;
        server
            .act(&hanna, &id, Command::Start { short: false })
            .await;
        Self {
            server,
            class: class.0,
            id,
            hanna,
            pupils,
        }
    }

    async fn state(&self) -> Arc<Match> {
        self.server.team_state(&self.hanna, &self.id).await
    }

    /// The pupil with a duty.
    async fn who(&self, side: Side, duty: Duty) -> &Pupil {
        let state = self.state().await;
        let holder = state.team(side).duties.holder(duty).expect("a member");
        &self.pupils[&holder]
    }

    /// Changes all kinds on every board, then plays random moves.
    async fn play(&self, rng: &mut StdRng) {
        let boards: Vec<BoardNo> = self.state().await.boards.numbers().collect();
        let mut sides = Vec::new();
        for number in &boards {
            let mut both = Vec::new();
            for side in [Side::First, Side::Second] {
                both.push(self.who(side, Duty::Board(*number)).await);
            }
            sides.push(both);
        }
        for turn in 0..TURNS {
            let at = turn % boards.len();
            let state = self.state().await;
            let Some(board) = state.boards.board(boards[at]) else {
                continue;
            };
            let Some(side) = board.to_move() else {
                continue;
            };
            let rule = RULES.get(turn / boards.len()).map(|rule| {
                format!("rule {rule} \"This is how it goes from now on, until somebody has another idea.\"")
            });
            let rule = rule.filter(|rule| board.read(rule).is_ok());
            // No captures, so that the boards stay full.
            let moves = board.position().legal();
            let quiet: Vec<String> = moves
                .iter()
                .filter(|turn| {
                    let after = board.position().clone().play(turn);
                    after.is_ok_and(|after| {
                        after.count(side.other()) == board.position().count(side.other())
                    })
                })
                .map(ToString::to_string)
                .collect();
            let Some(turn) = rule.or_else(|| quiet.choose(rng).cloned()) else {
                continue;
            };
            let command = Command::Play {
                board: boards[at],
                seen: board.version(),
                turn,
                offer: false,
            };
            self.server
                .act(&sides[at][side.index()].visit, &self.id, command)
                .await;
        }
    }

    async fn talk(&self, rng: &mut StdRng) {
        for _ in 0..120 {
            let number = rng.random_range(0..self.pupils.len());
            let pupil = self.pupils.values().nth(number).expect("a member");
            let channel = rng.random_range(0..2) * if rng.random() { 1 } else { 2 };
            let text = "Please watch 3:e4, and bring me a knight if you can spare one!";
            // Some channels are not for all.
            let said = self
                .server
                .app
                .say_in_team(&pupil.visit, &self.id, channel, text)
                .await;
            assert!(
                matches!(
                    said,
                    Ok(()) | Err(AppError::NotFound | AppError::TooOften(_))
                ),
                "{said:?}"
            );
            self.server.wait(Duration::from_secs(2));
        }
    }
}

#[test]
fn no_page_of_a_lesson_weighs_more_than_it_may() {
    let seed = seed();
    let database = Database::sqlite("weight");
    let time = Arc::new(AtomicI64::new(START));
    let server = TestApp::with(database.open(), KeyRing::fresh(), &time);
    runtime().block_on(async {
        let mut rng = StdRng::seed_from_u64(seed);
        let swing = Swing::new(server).await;
        swing.play(&mut rng).await;
        swing.talk(&mut rng).await;
        let team = format!("/team/{}", swing.id);
        let class = format!("/class/{}", swing.class);
        let mut scales = Scales::default();
        let mut hanna = Browser::of(&swing.server, "Hanna").await;
        let view = swing.server.view(&swing.hanna, &swing.id).await;
        assert!(view.state.log.len() > TURNS);
        for path in [
            "",
            "?help=host-4",
            "?help=host-5",
            "?board=3",
            "?board=0",
            "?log=all.120",
            "/at/100",
            "/control",
            "/control?mate=2",
            "/lesson",
            "/report",
            "/record",
            "/moves",
        ] {
            scales.weigh(&mut hanna, &format!("{team}{path}")).await;
        }
        for path in ["", "/cards", "/settings", "/progress"] {
            scales.weigh(&mut hanna, &format!("{class}{path}")).await;
        }
        scales
            .weigh(&mut hanna, view.projector_link.as_ref().expect("a link"))
            .await;
        let state = &view.state;
        let waiting = state.boards.numbers().find(|number| {
            let board = state.boards.board(*number);
            board.is_some_and(|board| board.to_move().is_some())
        });
        let number = waiting.expect("a board that goes on");
        let side = state
            .boards
            .board(number)
            .and_then(perplex_games::perplexichess::Board::to_move);
        let side = side.expect("a side");
        let strategist = swing.who(side, Duty::Strategist).await;
        let boardman = swing.who(side, Duty::Board(number)).await;
        for (pupil, paths) in [
            (
                boardman,
                vec![
                    "?help=boardman-3".to_owned(),
                    "?help=boardman-4".to_owned(),
                    format!("?board={number}"),
                    format!("?board={number}&rule=N&betza=NWFDAHGCZ"),
                    format!("?board={number}&rule=P&betza=fmWfceFifmnDfN"),
                    format!("?board={number}&rule=Q&betza=RBNZpQ&help=boardman-4"),
                ],
            ),
            (
                strategist,
                vec![
                    "?help=strategist-2".to_owned(),
                    "?take=any".to_owned(),
                    "?take=1-b1&board=2".to_owned(),
                ],
            ),
        ] {
            let mut browser = Browser::on(&swing.server).await;
            let (user, phrase) = &pupil.card;
            let card = [("login", user.as_str()), ("password", phrase.as_str())];
            browser.done("/sign-in", "/sign-in", &card).await;
            for path in paths {
                scales.weigh(&mut browser, &format!("{team}{path}")).await;
            }
        }
        let mut guest = Browser::on(&swing.server).await;
        for path in [
            "/",
            "/games",
            "/games/quixo",
            "/games/perplexus",
            "/games/pijersi",
            "/games/pylyx",
            "/games/flexichess",
            "/games/flexichess/cards",
            "/games/perplexichess",
            "/games/perplexichess/card",
            "/try/quixo",
            "/try/perplexus",
            "/try/pijersi",
            "/try/pylyx",
            "/try/flexichess",
            "/try/flexichess?rule=N&betza=NWFDAHGCZ",
            "/classroom",
            "/classroom/lesson",
            "/classroom/pupils",
            "/join",
        ] {
            scales.weigh(&mut guest, path).await;
        }
        let mut found = scales.found;
        found.sort_by_key(|weight| std::cmp::Reverse(weight.later));
        for Weight { path, first, later } in &found {
            println!("{later:6}, at first {first:6}: {path}");
        }
        found.retain(|weight| weight.first > FIRST || weight.later > LATER);
        let heavy: Vec<&str> = found.iter().map(|weight| &*weight.path).collect();
        assert!(heavy.is_empty(), "too heavy: {heavy:?}");
    });
}
