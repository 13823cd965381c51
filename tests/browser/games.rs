//! A journey for each game: turns of every kind by clicks, by keys and by notation, on a wide
//! screen and on a phone.

use perplex_games::game::Choice;
use perplex_games::lesson::{self, Step};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde_json::{Value, json};

use super::person::{ENTER, Person};
use super::site::TestSite;
use crate::support::chance::seed;

/// The way in which a turn is made.
#[derive(Clone, Copy, Debug)]
enum By {
    Clicks,
    Keys,
    Hand,
    /// Steps that are no places are taken by choosing the place before them again.
    ClicksAgain,
    /// A place is dragged to another; or, with one step only, a piece from the hand to a place.
    Dragging,
}
use By::{Clicks, ClicksAgain, Dragging, Hand, Keys};

/// A game, and the turns to make from some position of it.
struct Journey {
    name: &'static str,
    address: &'static str,
    turns: &'static [(By, &'static str)],
}

const JOURNEYS: &[Journey] = &[
    Journey {
        name: "quixo",
        address: "/try/quixo",
        turns: &[
            (Clicks, "c1-a1"),
            (Keys, "e5-e1"),
            (Dragging, "a5-a1"),
            (Hand, "e1-e5"),
        ],
    },
    Journey {
        name: "quixo-four",
        address: "/try/quixo?variant=four",
        turns: &[
            (Clicks, "c1-a1.n"),
            (Keys, "e5-e1.w"),
            (Hand, "a5-a1.s"),
            (Dragging, "d5-a5.e"),
            (ClicksAgain, "a2-e2.s"),
        ],
    },
    Journey {
        name: "quixo-four-pass",
        address: "/try/quixo?variant=four&position=sewse%2Fe3s%2Fs3e%2Fe3s%2Fswesw%20n",
        turns: &[(Clicks, "pass")],
    },
    Journey {
        name: "perplexus",
        address: "/try/perplexus",
        turns: &[
            (Dragging, "b6-h6"),
            (Clicks, "c3-i3"),
            (Keys, "a4-g4"),
            (Hand, "d2-j2"),
            (Dragging, "c5-i5"),
            (Clicks, "e1-k1"),
            (Clicks, "e6"),
            (Keys, "i3"),
            (Hand, "e5"),
            (Clicks, "6>"),
            (Keys, "6<"),
            (Hand, "1<"),
        ],
    },
    Journey {
        name: "pijersi",
        address: "/try/pijersi",
        turns: &[
            // A cube, one that builds a stack, and that stack moving on.
            (Clicks, "b7-c6"),
            (Keys, "f7-f6"),
            (Clicks, "b1-b2=d3"),
            (Keys, "g1-f2=d1"),
            // A stack by one and by two cells, and with its top moving on.
            (Keys, "b4=d5"),
            (Clicks, "f4=e4"),
            (Dragging, "d3=d2"),
            (Hand, "e4=d4-e3"),
            // The top alone, by choosing the stack again; then a capture.
            (ClicksAgain, "d5-c5"),
            (Hand, "f6=e5-d6"),
            (Clicks, "b5-c5=d6!"),
        ],
    },
    Journey {
        name: "pylyx",
        address: "/try/pylyx?turns=b2_b11_c3_c10_d4_d9_e5_e8_f6_f7_g7_g6_h8_h5_i9_i4_j10_j3",
        turns: &[
            (Clicks, "k11"),
            (Keys, "k2"),
            (Clicks, "b2-c3"),
            (Keys, "b11-a10"),
            (Dragging, "d4-c3"),
            (Hand, "a10-b11"),
            (ClicksAgain, "2c3-c8"),
            (Clicks, "c10-b11"),
            (Keys, "1c8-b7"),
            (ClicksAgain, "1b11-c12"),
            (Clicks, "e5-c3"),
            (Hand, "c12-b11"),
            (Clicks, "c3-c8"),
            (Hand, "b11-b10"),
            (Clicks, "c8-c4"),
        ],
    },
    Journey {
        name: "pylyx-small",
        address: "/try/pylyx?variant=small",
        turns: &[(Clicks, "d5"), (Keys, "e6"), (Hand, "g8")],
    },
    Journey {
        name: "pylyx-pass",
        address: "/try/pylyx?variant=small&position=1b6b1%2Fw7bw(7)%2F1b6bb%2F10%2F10%2F10%2F10%2F10%2F10%2F10%20w%207,2%203%200",
        turns: &[(Keys, "pass")],
    },
];

impl Person {
    /// The steps of a turn on the page, and whether each is a place.
    async fn steps_of(&self, turn: &str) -> Vec<(String, bool)> {
        let steps = self
            .eval(&format!(
                "(() => {{ const data = JSON.parse(document.getElementById('choices').textContent);
                const labels = new Map(data.labels);
                const turns = data.turns.map((t) => Array.isArray(t) ? t : [t.split(' ').join(''), t.split(' ')]);
                const turn = turns.find(([text]) => text === {turn:?});
                return turn && turn[1].map((step) => [step, !labels.has(step)]); }})()"
            ))
            .await
            .expect("steps");
        let steps: Option<Vec<(String, bool)>> = serde_json::from_value(steps).expect("steps");
        steps.unwrap_or_else(|| panic!("{turn} is not among the turns of the page"))
    }

    /// Waits until the page shows this step as taken, on the board or among the buttons.
    async fn has_chosen(&self, step: &str) {
        self.until(&format!(
            "!!document.querySelector('#board .chosen[data-name=\"{step}\"]') \
             || !!document.querySelector('#steps [aria-current][data-step=\"{step}\"]')"
        ))
        .await;
    }

    /// Takes the steps of a turn.
    async fn chooses(&self, turn: &str, by: By) {
        let steps = self.steps_of(turn).await;
        let place = |name: &str| format!("#board [data-name=\"{name}\"]");
        match by {
            Hand => {
                self.click("#by-hand summary").await;
                self.fill("#turn", turn).await;
                self.click("#by-hand .button").await;
            }
            Dragging if steps.len() == 1 => {
                self.drag("#board .hand", &place(&steps[0].0)).await;
            }
            _ => {
                let mut before = String::new();
                let last = steps.len() - 1;
                let mut is_lifted = false;
                for (index, (step, is_place)) in steps.iter().enumerate() {
                    let chosen = format!("#steps [aria-current][data-step=\"{step}\"]");
                    match (by, *is_place) {
                        // The page has taken this step by itself.
                        (_, false) if self.count(&chosen).await > 0 => {}
                        (Dragging, true) if !is_lifted => {
                            before.clone_from(step);
                            is_lifted = true;
                            continue;
                        }
                        (Dragging, true) => {
                            self.drag(&place(&before), &place(step)).await;
                            before.clone_from(step);
                        }
                        (Dragging, false) if before == steps[0].0 && index < last => continue,
                        (ClicksAgain, false) if index < last => {
                            for _ in 0..3 {
                                if self.count(&chosen).await > 0 {
                                    break;
                                }
                                self.click(&place(&before)).await;
                            }
                        }
                        (Keys, true) => {
                            self.tabs_to_the_board().await;
                            self.walks_to(step).await;
                            self.press(ENTER).await;
                        }
                        (Keys, false) if step.len() < 3 => {
                            self.press(step.chars().last().expect("a letter")).await;
                        }
                        (Keys, false) => {
                            let step = format!("#steps [data-step=\"{step}\"]");
                            self.tabs_to(&step).await;
                            self.press(ENTER).await;
                        }
                        (_, true) => {
                            self.click(&place(step)).await;
                            before.clone_from(step);
                        }
                        (_, false) => {
                            self.click(&format!("#steps [data-step=\"{step}\"]")).await;
                        }
                    }
                    if index < last {
                        self.has_chosen(step).await;
                    }
                }
            }
        }
    }

    /// Makes a turn on the try board, where a complete turn that can't go on is played at once.
    async fn makes(&self, turn: &str, by: By, ply: usize) {
        self.chooses(turn, by).await;
        let done = format!(
            "document.querySelector('#turns [aria-current]')?.textContent === {turn:?} \
             && document.querySelectorAll('#turns a').length === {ply} \
             && !document.querySelector('#play, #undo')"
        );
        let whole = format!("document.querySelector('#play')?.textContent === 'Play {turn}'");
        self.until(&format!("({done}) || ({whole})")).await;
        if self.eval(&whole).await.expect("yes or no") == true {
            self.click("#play").await;
        }
        self.until(&done).await;
    }

    pub async fn number(&self, expression: &str) -> u64 {
        let number = self.eval(expression).await.expect("a number");
        number.as_u64().expect("a number")
    }

    pub async fn count(&self, selector: &str) -> u64 {
        let selector = Value::from(selector);
        self.number(&format!("document.querySelectorAll({selector}).length"))
            .await
    }
}

/// A learner who takes all first lessons.
struct Learner {
    person: Person,
    by: By,
    has_scripts: bool,
}

impl Learner {
    async fn new(site: &TestSite, by: By, has_scripts: bool) -> Self {
        let person = Person::new(site, "Lea", has_scripts).await;
        let (width, height) = if matches!(by, Clicks) && has_scripts {
            (390, 664)
        } else {
            (1366, 768)
        };
        person.screen(width, height, false).await;
        Self {
            person,
            by,
            has_scripts,
        }
    }

    /// Chooses a link or a button.
    async fn goes_for(&self, selector: &str) {
        if matches!(self.by, Keys) {
            self.person.tabs_to(selector).await;
            self.person.press(ENTER).await;
        } else {
            self.person.click(selector).await;
        }
    }

    /// Takes a step on one board, in which one thing at a time can be chosen.
    async fn follows(&self) {
        let learner = &self.person;
        let done = "!!document.querySelector('.status.over')";
        // With scripts a turn is played as soon as it is whole.
        let play = if self.has_scripts { "" } else { ", #play" };
        let can = format!("#board .can, #steps .step{play}");
        let offered = format!(
            "[...document.querySelectorAll('{can}')].map((e) => e.dataset.name ?? e.dataset.step ?? e.id).join('|')"
        );
        let mut before = String::new();
        loop {
            let other = format!("{offered} !== '{before}' && {offered} !== ''");
            learner.until(&format!("({other}) || {done}")).await;
            if learner.eval(done).await.expect("yes or no") == true {
                break;
            }
            let now = learner.eval(&offered).await.expect("a name");
            now.as_str().expect("a name").clone_into(&mut before);
            assert!(!before.contains('|'), "{before}");
            let place = format!("#board .can[data-name='{before}']");
            if matches!(self.by, Keys) && learner.count(&place).await > 0 {
                learner.tabs_to_the_board().await;
                learner.walks_to(&before).await;
                learner.press(ENTER).await;
                continue;
            }
            // With its preview a place is larger than what is in sight of it.
            let look = "document.querySelector('#board .can')?.firstElementChild.scrollIntoView({ block: 'center' })";
            learner.eval(look).await.expect("in sight");
            self.goes_for(&can).await;
        }
    }

    /// Makes a turn in a puzzle on one board, until `done`.
    async fn tries(&self, turn: &str, done: &str) {
        let learner = &self.person;
        // On the phone by keys, too.
        let by = if self.has_scripts { Keys } else { Clicks };
        learner.chooses(turn, by).await;
        let whole = format!("document.querySelector('#play')?.textContent === 'Play {turn}'");
        learner.until(&format!("({whole}) || {done}")).await;
        if learner.eval(&whole).await.expect("yes or no") == true {
            self.goes_for("#play").await;
        }
        learner.until(done).await;
    }

    /// Finds the solution of a puzzle on one board, after a turn that is none.
    async fn solves(&self, step: &Step, game: &str) {
        let game = step.game(game).expect("a game");
        let choices = step.choices(&*game);
        let wrong = choices.iter().find(|choice| !step.accepts(&choice.turn));
        if let Some(wrong) = wrong {
            let refused = "document.body.textContent.includes('but it is not the one')";
            self.tries(&wrong.turn, refused).await;
        }
        let done = "!!document.querySelector('.status.over')";
        self.tries(step.accepted[0], done).await;
    }

    /// Chooses what a step on the boards of a match asks for.
    async fn chooses_on_boards(&self, step: &Step) {
        let choices = step.choices_on(&step.boards().expect("boards"));
        let is_right = |choice: &Choice| step.accepts(&choice.turn);
        let number = choices.iter().position(is_right).expect("a right choice");
        for part in &choices[number].steps {
            let link = match part.split_once(':') {
                Some((board, square)) => {
                    format!(".three > div:nth-child({board}) a[data-name='{square}']")
                }
                None if step.answers.is_empty() => format!("#choose a[href$='step={part}']"),
                None => format!("#choose a:nth-child({})", number + 1),
            };
            self.goes_for(&link).await;
        }
    }

    /// Takes each lesson from its first step to its last.
    async fn learns(&self) {
        let learner = &self.person;
        for lesson in lesson::LESSONS {
            let (key, steps) = (lesson.key, lesson.steps());
            let is_duty = !lesson.duty.is_empty();
            if matches!(self.by, Keys) {
                learner.open(&format!("/learn/{key}/1")).await;
            } else {
                let rules = if is_duty { "perplexichess" } else { key };
                learner.open(&format!("/games/{rules}")).await;
                learner.click(&format!("a[href='/learn/{key}/1']")).await;
            }
            for (number, step) in (1..).zip(&steps) {
                learner.arrives(&format!("/learn/{key}/{number}")).await;
                learner.sees("h1", step.title).await;
                println!("{:?} {} {key} {number}", self.by, self.has_scripts);
                if lesson.game.is_empty() {
                    self.chooses_on_boards(step).await;
                } else if step.is_puzzle {
                    self.solves(step, lesson.game).await;
                } else {
                    self.follows().await;
                }
                learner.sees(".status.over", step.then).await;
                if number < steps.len() {
                    self.goes_for("#next").await;
                }
            }
            if !is_duty {
                learner.sees(".play-now", "Play the computer now").await;
            }
        }
        learner.has_no_complaints(&["status of 422"]).await;
    }
}

/// Each first lesson to its end: by taps on a phone, by keys alone, and without scripts.
#[tokio::test]
async fn a_beginner_learns_each_game_and_duty() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let by_taps = Learner::new(&site, Clicks, true).await;
    let by_keys = Learner::new(&site, Keys, true).await;
    let by_links = Learner::new(&site, Clicks, false).await;
    tokio::join!(by_taps.learns(), by_keys.learns(), by_links.learns());
}

/// On a phone the boards of a first lesson are in sight together with what to do.
#[tokio::test]
async fn lessons_fit_on_a_phone() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let learner = Person::new(&site, "Lena", true).await;
    for lesson in lesson::LESSONS {
        for number in 1..=lesson.steps().len() {
            learner
                .open(&format!("/learn/{}/{number}", lesson.key))
                .await;
            for (width, height) in [(390, 664), (844, 390)] {
                // Upright the board of Perplexus is as large as fingers need it.
                if (lesson.key, width) == ("perplexus", 390) {
                    continue;
                }
                learner.screen(width, height, false).await;
                // Where an answer is chosen from buttons, those come first.
                let lowest = "Math.ceil(Math.max(...[...document.querySelectorAll(document.querySelector('#choose') ? '#choose a' : 'main .board, #steps a')].map((e) => e.getBoundingClientRect().bottom)))";
                let lowest = learner.number(lowest).await;
                let what = format!("{} {number} at {width}: {lowest}", lesson.key);
                assert!(lowest <= u64::from(height), "{what}");
            }
        }
    }
    learner.has_no_complaints(&[]).await;
}

/// From the landing page a visitor without an account is at the board after one click, and finds the match again.
#[tokio::test]
async fn a_visitor_plays_at_once() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let visitor = Person::new(&site, "Vera", true).await;
    for (game, turn) in [
        ("quixo", "c1-a1"),
        ("perplexus", "b6-h6"),
        ("pijersi", "a3-b3"),
        ("pylyx", "d5"),
        ("flexichess", "e2e4"),
    ] {
        for (width, height) in [(390, 664), (1366, 768)] {
            visitor.screen(width, height, false).await;
            visitor.open("/").await;
            let began = std::time::Instant::now();
            visitor
                .click(&format!(".by-post form:has([value={game}]) button"))
                .await;
            visitor.sees(".headline", "Your turn").await;
            println!("{game} at {width}: {} ms", began.elapsed().as_millis());
        }
        let address = visitor.path().await;
        // The moving picture on the landing page moves when it is opened alone, too.
        visitor.open(&format!("/games/{game}/moving.svg")).await;
        visitor
            .until("document.getAnimations().some((one) => one.playState === 'running')")
            .await;
        visitor.open(&address).await;
        visitor.chooses(turn, Clicks).await;
        // A turn that could go on is played by its button.
        let whole = format!("document.querySelector('#play')?.textContent === 'Play {turn}'");
        let answered = "document.querySelector('#headed').dataset.ply === '2'";
        visitor.until(&format!("({whole}) || {answered}")).await;
        if visitor.eval(&whole).await.expect("yes or no") == true {
            visitor.click("#play").await;
        }
        visitor.until(answered).await;
        visitor.sees(".headline", "Your turn").await;
        visitor.photograph(&format!("guest-{game}")).await;
        visitor.open("/").await;
        visitor
            .click(&format!(".by-post form:has([value={game}]) button"))
            .await;
        visitor.arrives(&address).await;
    }
    visitor.has_no_complaints(&[]).await;
}

/// A visitor without an account plays, signs up in the same browser, and finds the match in the account.
#[tokio::test]
async fn a_guest_signs_up_and_keeps_the_match() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let vera = Person::new(&site, "Vera", true).await;
    vera.open("/").await;
    vera.click(".by-post form:has([value=quixo]) button").await;
    vera.sees(".headline", "Your turn").await;
    let address = vera.path().await;
    vera.chooses("c1-a1", Clicks).await;
    vera.until("document.querySelector('#headed').dataset.ply === '2'")
        .await;
    vera.click("main a[href='/sign-up']").await;
    vera.arrives("/sign-up").await;
    vera.signs_up(&site).await;
    vera.click(&format!(".row a[href='{address}']")).await;
    vera.sees(".headline", "Your turn").await;
    vera.sees(".players", "Vera").await;
    vera.has_no_complaints(&[]).await;
}

async fn travel(person: &Person, journey: &Journey, only: Option<By>) {
    person.open(journey.address).await;
    let start = person.number("Number(document.querySelector('#board svg').dataset.ply ?? 0)");
    let start = usize::try_from(start.await).expect("small");
    for (ply, (by, turn)) in (start + 1..).zip(journey.turns) {
        let by = only.unwrap_or(*by);
        println!("{}: {turn} by {by:?}", journey.name);
        person.makes(turn, by, ply).await;
    }
}

/// Plays each game on the try board, without an account.
#[tokio::test]
async fn every_game_is_played_in_every_way() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let eve = Person::new(&site, "Eve", true).await;
    for (width, is_phone) in [(1280, false), (390, true)] {
        for journey in JOURNEYS {
            eve.screen(width, 900, false).await;
            travel(&eve, journey, None).await;
            if !is_phone {
                eve.photograph(journey.name).await;
            }
        }
    }
    a_finger_hits_the_squares(&eve).await;
    what_moves_is_seen_moving(&eve).await;
    what_is_tried_can_be_shared(&eve).await;
    eve.has_no_complaints(&["status of 422"]).await;

    let noah = Person::new(&site, "Noah", false).await;
    for journey in JOURNEYS {
        travel(&noah, journey, Some(Clicks)).await;
    }
}

/// The board of Perplexus is wide: on phones that are held upright it stands upright, in sight as a whole, and only
/// there.
async fn a_finger_hits_the_squares(person: &Person) {
    for (width, height, is_upright) in [
        (390, 844, true),
        (375, 667, true),
        (320, 568, true),
        (844, 390, false),
        (768, 1024, false),
    ] {
        person.screen(width, height, false).await;
        person
            .open("/try/perplexus?turns=b6-h6_c3-i3_a4-g4_d2-j2_c5-i5_e1-k1_e6")
            .await;
        let measured = person
            .eval(
                "(() => { const box = (one) => document.querySelector(one).getBoundingClientRect();
                    const [a, b] = ['d4', 'e5'].map((name) => box(`#board [data-name=${name}] .place`));
                    const far = Math.min(Math.abs(b.x - a.x), Math.abs(b.y - a.y));
                    const board = box('#board svg');
                    const letter = [...document.querySelectorAll('#board .labels text')].find((one) => one.textContent === 'm');
                    const { width, height } = letter.getBoundingClientRect();
                    return { far, isUpright: board.height > board.width, fits: board.height <= innerHeight,
                        isLevel: width < height, inside: board.left >= 0 && board.right <= innerWidth,
                        above: Math.abs(box('#board').bottom - board.bottom) < 2 }; })()",
            )
            .await
            .expect("measures");
        println!("{width}: {measured}");
        let far = measured["far"].as_f64().expect("a number");
        assert!(far >= if is_upright { 36.0 } else { 24.0 }, "{measured}");
        assert_eq!(measured["isUpright"], is_upright, "{measured}");
        assert!(!is_upright || measured["fits"] == true, "{measured}");
        for always in ["isLevel", "inside", "above"] {
            assert_eq!(measured[always], true, "{always} in {measured}");
        }
        assert!(!person.is_too_wide(width).await, "at {width}");
    }
    person.screen(390, 900, false).await;
}

/// Shuttles slide with the pieces on them, unless the viewer wants no motion.
async fn what_moves_is_seen_moving(person: &Person) {
    let address = "/try/perplexus?turns=b6-h6_c3-i3_a4-g4_d2-j2_c5-i5_e1-k1_e6";
    for (wish, moved) in [("no-preference", true), ("reduce", false)] {
        person.open(address).await;
        let media = json!({ "features": [{ "name": "prefers-reduced-motion", "value": wish }] });
        person.tools("Emulation.setEmulatedMedia", media).await;
        let count = "(() => { window.moved = []; const animate = Element.prototype.animate;
            Element.prototype.animate = function (...all) {
                window.moved.push(this.localName); return animate.apply(this, all); }; })()";
        person.eval(count).await.expect("done");
        person.makes("6>", Clicks, 8).await;
        let names = person.eval("window.moved.join(' ')").await.expect("names");
        // The shuttle, seven holes, one piece.
        let all = ["rect"]
            .into_iter()
            .chain(["g"; 8])
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(names, if moved { all } else { String::new() });
    }
    person
        .tools("Emulation.setEmulatedMedia", json!({ "features": [] }))
        .await;
}

/// By its address, and by its record; an error in a record is reported with its place.
async fn what_is_tried_can_be_shared(person: &Person) {
    person.open("/try/pylyx?variant=small&turns=d5_e6_g8").await;
    let turns = "[...document.querySelectorAll('#turns a')].map((a) => a.textContent).join(' ')";
    person.click("#take-back").await;
    person.until(&format!("{turns} === 'd5 e6'")).await;
    person.makes("b3", Clicks, 3).await;
    let link = person.value("#link").await;
    let record = person.value("#is-record").await;
    person.open("/try").await;
    person.open(&link).await;
    person.until(&format!("{turns} === 'd5 e6 b3'")).await;
    person.open("/try").await;
    person.fill("#record", &record.replace("b3", "b33")).await;
    person.click("#paste button").await;
    person.sees("#record-about", "Line 6, column 6").await;
    assert!(person.value("#record").await.contains("b33"));
    person.fill("#record", &record).await;
    person.click("#paste button").await;
    person.until(&format!("{turns} === 'd5 e6 b3'")).await;
    assert_eq!(person.value("#link").await, link);
}

/// A person plays a whole game against the computer, by clicks.
#[tokio::test]
async fn a_whole_game_against_the_computer() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let mut rng = StdRng::seed_from_u64(seed());
    let finn = Person::new(&site, "Finn", true).await;
    finn.signs_up(&site).await;
    finn.open("/lobby").await;
    finn.click("#game option[value=quixo]").await;
    finn.click("#by-computer").await;
    finn.click("#level option[value=easy]").await;
    finn.click("form.new button.main").await;
    loop {
        finn.until("!!document.querySelector('.status.yours, .status.over')")
            .await;
        if finn.count(".status.over").await > 0 {
            break;
        }
        let turns = "JSON.parse(document.getElementById('choices').textContent).turns.map((t) => Array.isArray(t) ? t[0] : t.split(' ').join(''))";
        let turns = finn.eval(turns).await.expect("turns");
        let turns: Vec<String> = serde_json::from_value(turns).expect("turns");
        let turn = turns.choose(&mut rng).expect("a turn");
        let ply = finn
            .number("Number(document.getElementById('headed').dataset.ply)")
            .await;
        finn.chooses(turn, Clicks).await;
        finn.sees("#play", &format!("Play {turn}")).await;
        finn.click("#play").await;
        finn.until(&format!(
            "Number(document.getElementById('headed').dataset.ply) > {ply}"
        ))
        .await;
    }
    finn.photograph("computer-over").await;
    finn.has_no_complaints(&[]).await;
}
