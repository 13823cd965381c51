//! Whether everybody can use the pages: a scan for what keeps people out (axe-core), room for large text and narrow
//! screens, weight, and a journey by keyboard alone.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::house::House;
use super::person::{ENTER, Person, TAB, UP};
use super::{ALONE, RIGHT};

/// How many bytes a page may weigh with everything that it loads, uncompressed.
const MOST: u64 = 150_000;
/// What holds more pictures than that: long rules with many boards, the editor of a movement with its 81 squares.
const HEAVY: [&str; 4] = [
    "/games/perplexus",
    "/games/pijersi",
    "/games/pylyx",
    "betza=",
];

/// The scanner; `None` if it is missing and that is allowed.
fn axe() -> Option<String> {
    let file = std::env::var("TEST_AXE").ok();
    let text = file.and_then(|file| std::fs::read_to_string(file).ok());
    if text.is_none() {
        let is_complete = std::env::var_os("PERPLEX_TESTS_COMPLETE").is_some();
        assert!(!is_complete, "TEST_AXE names no axe.min.js");
        eprintln!("left out: TEST_AXE names no axe.min.js; tests/run fetches it");
    }
    text
}

impl Person {
    /// What the scanner finds on the page as it is shown now.
    async fn scanned(&self, axe: &str) -> Vec<String> {
        // Colours on their way from one theme to the other are neither.
        self.until("document.getAnimations().every(a => a.playState !== 'running')")
            .await;
        self.client.execute(axe, Vec::new()).await.expect("axe");
        let script = "const done = arguments[arguments.length - 1]; \
            const said = (v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' and ')}`; \
            axe.run(document, { resultTypes: ['violations'] }).then((r) => done(r.violations.map(said)), (e) => done([String(e)]))";
        let found = self.client.execute_async(script, Vec::new()).await;
        let found: Vec<String> = serde_json::from_value(found.expect("a list")).expect("texts");
        found
    }

    /// Whether the page is wider than the screen.
    async fn is_too_wide(&self, width: u32) -> bool {
        let wide = self.eval("document.documentElement.scrollWidth").await;
        wide.expect("a number").as_u64().expect("a number") > u64::from(width)
    }

    /// Looks at a page in every way; adds what is wrong with it.
    async fn examines(&self, path: &str, axe: &str, wrong: &mut String) {
        self.open(path).await;
        let bytes =
            "performance.getEntries().reduce((all, e) => all + (e.decodedBodySize ?? 0), 0)";
        let bytes = self.eval(bytes).await.expect("a number");
        let bytes = bytes.as_f64().expect("a number");
        if bytes > MOST as f64 && !HEAVY.iter().any(|heavy| path.contains(heavy)) {
            let _ = writeln!(wrong, "{path} weighs {bytes} bytes");
        }
        for (width, dark) in [(1280, false), (390, true)] {
            self.screen(width, 900, dark).await;
            for found in self.scanned(axe).await {
                let _ = writeln!(wrong, "{path}, {width} wide, dark: {dark}: {found}");
            }
        }
        for (width, size) in [(320, ""), (1280, "200%")] {
            self.screen(width, 900, false).await;
            let script = format!("document.documentElement.style.fontSize = '{size}'");
            self.client
                .execute(&script, Vec::new())
                .await
                .expect("done");
            if self.is_too_wide(width).await {
                let _ = writeln!(wrong, "{path} scrolls sideways at {width}, text {size}");
            }
        }
    }

    /// Goes from place to place with the Tab key until what has the focus fits `selector`.
    async fn tabs_to(&self, selector: &str) {
        self.until(&format!("!!document.querySelector({})", json!(selector)))
            .await;
        let is_there = format!("document.activeElement.matches({})", json!(selector));
        for _ in 0..150 {
            if self.eval(&is_there).await.expect("an answer") == Value::Bool(true) {
                return;
            }
            self.press(TAB).await;
        }
        panic!("{} does not come to {selector} by keys", self.name);
    }

    /// Types into what has the focus.
    async fn types(&self, text: &str) {
        let field = self.client.active_element().await.expect("a field");
        field.send_keys(text).await.expect("typed");
    }
}

/// A match of six people by short-handed start; gives the paths of the one that has begun and of another that gathers.
async fn teams(ada: &Person, ben: &Person) -> [String; 2] {
    let mut paths = Vec::new();
    for begins in [true, false] {
        ada.open("/teams").await;
        ada.fill("#title", "Owls against Foxes").await;
        ada.click("#size-large").await;
        ada.click("form.new button.main").await;
        ada.until("!!document.querySelector('#join-link')").await;
        let link = ada.value("#join-link").await;
        ada.click("button[name=side][value=white]").await;
        ben.open(&link).await;
        ben.click("button[name=side][value=black]").await;
        ada.sees(".columns", "Ben").await;
        let path = ada.path().await;
        if begins {
            ada.click("form[action*='/deal'] button").await;
            ada.sees(".columns", "Ada").await;
            ada.click("#short summary").await;
            ada.click("#short button.main").await;
            ada.until("!!document.querySelector('#boards')").await;
        }
        paths.push(path);
    }
    paths.try_into().expect("two")
}

#[tokio::test]
async fn every_page_is_for_everybody() {
    let _alone = ALONE.lock().await;
    let Some(axe) = axe() else {
        return;
    };
    let Some(house) = House::open() else {
        return;
    };
    let guest = Person::new(&house, "Guest", true).await;
    let ada = Person::new(&house, "Ada", true).await;
    let ben = Person::new(&house, "Ben", true).await;
    ada.signs_up(&house).await;
    ben.signs_up(&house).await;
    let [team, gathering] = teams(&ada, &ben).await;
    let projector = ada.value("#projector-link").await;
    ada.challenges(&ben).await;
    let page = ada.path().await;
    ben.accepts(&ada).await;

    let mut wrong = String::new();
    let games = ["quixo", "perplexus", "pijersi", "pylyx", "flexichess"];
    let games = games
        .iter()
        .flat_map(|game| [format!("/games/{game}"), format!("/try/{game}")]);
    let others = [
        "/",
        "/games",
        "/games/perplexichess",
        "/games/perplexichess/card",
        "/try",
        "/lobby",
        "/teams",
        "/sign-in",
        "/sign-up",
        "/reset",
        "/nowhere",
    ];
    for path in games.chain(others.map(str::to_owned)) {
        guest.examines(&path, &axe, &mut wrong).await;
    }
    guest.examines(&projector, &axe, &mut wrong).await;
    let mut paths: BTreeSet<String> = [
        "",
        "?board=2",
        "?board=1&rule=N&betza=NW",
        "?take=any",
        "/at/4",
        "/record",
        "/moves",
    ]
    .map(|rest| format!("{team}{rest}"))
    .into();
    paths.extend(
        ["strategist-2", "boardman-3", "agent-2", "host-1"]
            .map(|step| format!("{team}?help={step}")),
    );
    paths.extend([gathering, page.clone(), format!("{page}/at/0")]);
    paths.extend(["/matches", "/account", "/lobby", "/teams", "/player/Ben"].map(str::to_owned));
    for path in &paths {
        ada.examines(path, &axe, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Signing in, the walk-through, a move, and a line of talk, with nothing but keys.
#[tokio::test]
async fn a_team_match_is_played_by_keys_alone() {
    let _alone = ALONE.lock().await;
    let Some(house) = House::open() else {
        return;
    };
    let ada = Person::new(&house, "Ada", true).await;
    let ben = Person::new(&house, "Ben", true).await;
    ada.signs_up(&house).await;
    ben.signs_up(&house).await;
    let [team, _] = teams(&ada, &ben).await;

    // Another day, from the first page on.
    ada.client.delete_all_cookies().await.expect("gone");
    ada.open("/").await;
    ada.tabs_to("nav a[href='/sign-in']").await;
    ada.press(ENTER).await;
    ada.arrives("/sign-in").await;
    ada.tabs_to("#login").await;
    ada.types("Ada").await;
    ada.tabs_to("#password").await;
    ada.types("a quiet evening").await;
    ada.press(ENTER).await;
    ada.sees(".me", "Ada").await;
    ada.tabs_to("nav a[href='/teams']").await;
    ada.press(ENTER).await;
    ada.arrives("/teams").await;
    ada.tabs_to(&format!(".row a[href^='{team}']")).await;
    ada.press(ENTER).await;
    ada.arrives(&team).await;

    // The walk-through is there for whoever comes for the first time, and then no longer.
    ada.sees("#help h2", "step 1 of").await;
    ada.tabs_to("#help-next").await;
    ada.press(ENTER).await;
    ada.sees("#help h2", "step 2 of").await;
    ada.eval("document.body.focus()").await.expect("done");
    while ada.count("#help:not(.none)").await > 0 {
        let topic = ada.value("#help input[name=duty]").await;
        ada.tabs_to("#help-done").await;
        ada.press(ENTER).await;
        ada.until(&format!(
            "document.querySelector('#help input[name=duty]')?.value !== '{topic}'"
        ))
        .await;
    }

    // One of Ada's boards: its pawn in front of the king.
    ada.until("!!document.querySelector('.tb.own')").await;
    ada.tabs_to(".tb.own h2 a").await;
    ada.press(ENTER).await;
    ada.until("!!document.querySelector('.tb.own.large #board [data-name=a2].can')")
        .await;
    ada.tabs_to("#board a[data-name]").await;
    for _ in 0..8 {
        if ada
            .eval("document.activeElement.dataset.name")
            .await
            .expect("a name")
            == json!("e2")
        {
            break;
        }
        ada.press(RIGHT).await;
    }
    ada.press(ENTER).await;
    ada.until("!!document.querySelector('#board .chosen[data-name=e2]')")
        .await;
    ada.press(UP).await;
    ada.press(UP).await;
    ada.press(ENTER).await;
    ada.sees("#play", "e2e4").await;
    ada.until("document.activeElement.id === 'play'").await;
    ada.press(ENTER).await;
    ada.sees("#log", "Ada played e4").await;

    ada.tabs_to("#talk textarea").await;
    ada.types("Good luck!").await;
    ada.tabs_to("form[id^=say-form] button").await;
    ada.press(ENTER).await;
    ada.sees("#talk .lines", "Good luck!").await;

    // The walk-through can be had again.
    ada.tabs_to("#help-open").await;
    ada.press(ENTER).await;
    ada.sees("#help h2", "step 1 of").await;
}
