//! Accessibility of the pages: a scan for barriers (axe-core), room for large text and narrow screens, and weight.

use std::fmt::Write as _;

use serde_json::json;

use super::person::Person;
use super::site::TestSite;
use super::support::pages::{self, addresses, is_no_page};
use super::support::routes::{fits, routes};

/// The most bytes over the wire for a page with all that it loads.
const MOST: f64 = 60.0 * 1024.0;

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
    /// The scanner's findings on the page as shown now.
    async fn scanned(&self, axe: &str, what: &str) -> Vec<String> {
        // During the change from one theme to the other, colours are those of neither.
        self.until("document.getAnimations().every(a => a.playState !== 'running')")
            .await;
        self.client.execute(axe, Vec::new()).await.expect("axe");
        let script = "const done = arguments[arguments.length - 1]; \
            const what = WHAT; \
            const said = (v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' and ')}`; \
            axe.run(document, what).then((r) => done(r.violations.map(said)), (e) => done([String(e)]))";
        let script = script.replace("WHAT", what);
        let found = self.client.execute_async(&script, Vec::new()).await;
        let found: Vec<String> = serde_json::from_value(found.expect("a list")).expect("texts");
        found
    }

    /// Examines pages one after the other; gives their faults.
    async fn examine_all(&self, paths: &[String], axe: &str) -> String {
        let mut wrong = String::new();
        for path in paths {
            self.examines(path, axe, &mut wrong).await;
        }
        wrong
    }

    /// True if the page is wider than the screen.
    pub async fn is_too_wide(&self, width: u32) -> bool {
        let wide = self.eval("document.documentElement.scrollWidth").await;
        wide.expect("a number").as_u64().expect("a number") > u64::from(width)
    }

    /// Examines a page in every way; adds its faults.
    async fn examines(&self, path: &str, axe: &str, wrong: &mut String) {
        self.open(path).await;
        let bytes =
            "performance.getEntries().reduce((all, e) => all + (e.encodedBodySize ?? 0), 0)";
        let bytes = self.eval(bytes).await.expect("a number");
        let bytes = bytes.as_f64().expect("a number");
        if bytes > MOST {
            let _ = writeln!(wrong, "{path} weighs {bytes} bytes");
        }
        // Colours depend on light and dark, all else on the width.
        let all = "{ resultTypes: ['violations'] }";
        let colours = "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }";
        for (width, dark, what) in [
            (1280, true, colours),
            (1280, false, all),
            (390, false, colours),
            (390, true, all),
        ] {
            self.screen(width, 900, dark).await;
            // What has just come in is not seen half.
            let scheme = if dark { "dark" } else { "light" };
            let features = json!({ "features": [
                { "name": "prefers-color-scheme", "value": scheme },
                { "name": "prefers-reduced-motion", "value": "reduce" },
            ] });
            self.tools("Emulation.setEmulatedMedia", features).await;
            for found in self.scanned(axe, what).await {
                let _ = writeln!(wrong, "{path}, {width} wide, dark: {dark}: {found}");
            }
        }
        // Projectors are wider than that.
        let narrow = if path.contains("/show/") { 1280 } else { 320 };
        for (width, size) in [(narrow, ""), (1280, "200%")] {
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

    /// Signs in with the form.
    pub async fn signs_in(&self, login: &str, password: &str) {
        self.open("/sign-in").await;
        self.fill("#login", login).await;
        self.fill("#password", password).await;
        self.click("main form button.main").await;
        self.until("location.pathname !== '/sign-in'").await;
    }

    /// The address of a link.
    async fn link_to(&self, selector: &str) -> String {
        self.until(&format!("!!document.querySelector({})", json!(selector)))
            .await;
        let path = format!(
            "(({{ pathname, search }}) => pathname + search)(document.querySelector({}))",
            json!(selector)
        );
        let path = self.eval(&path).await.expect("a link");
        path.as_str().expect("text").to_owned()
    }
}

/// The rest of the program's line after `after`.
pub fn said<'a>(site: &'a TestSite, after: &str) -> &'a str {
    let (_, rest) = site.said.split_once(after).expect(after);
    rest.lines().next().unwrap_or(rest).trim()
}

/// A teacher and a pupil visit all pages of a school at play, and a guest those that are open to all.
#[tokio::test]
async fn every_page_is_for_all_people() {
    let Some(axe) = axe() else {
        return;
    };
    let Some(site) = TestSite::open_with_a_class().await else {
        return;
    };
    let [guest, teacher, pupil] = Person::all(&site, ["Guest", "Teacher", "Pupil"], true).await;
    teacher
        .signs_in("Teacher", said(&site, "with the password: "))
        .await;
    let (_, user) = said(&site, "A pupil, ")
        .split_once("signs in as ")
        .expect("a name");
    let user = user.split(' ').next().expect("a name");
    pupil
        .signs_in(user, said(&site, "with the pass phrase: "))
        .await;
    let (_, lesson) = said(&site, "its lesson is at ")
        .split_once("/team/")
        .expect("a lesson");
    let team = format!("/team/{lesson}");

    // The class, a lesson that gathers, and the codes of both.
    teacher.open("/classes").await;
    let class = teacher.link_to("main a[href^='/class/']").await;
    teacher.open(&class).await;
    teacher.click("form[action$='/lesson'] button").await;
    teacher
        .until("location.pathname.startsWith('/team/')")
        .await;
    let gathering = teacher.path().await;
    teacher.open(&gathering).await;
    let projector = teacher.link_to("a[href*='/show/']").await;
    let code = teacher.reads_code().await;
    // The guest comes late to the running lesson, and waits for approval.
    teacher.open(&format!("{team}/lesson")).await;
    let late = teacher.reads_code().await;
    guest.open(&format!("/join/{late}")).await;
    guest.click(".picks button:nth-of-type(1)").await;
    guest.sees("#waiting", "Your teacher sees").await;
    // Links to a team match, to a correspondence match, and out of the talk; and the words on a card.
    teacher.open("/teams").await;
    teacher.fill("#title", "An evening").await;
    teacher.click("form.new button.main").await;
    let to_team = teacher.link("#join-link").await;
    teacher.open("/lobby").await;
    teacher.click("#by-link").await;
    teacher.click("form.new button.main").await;
    let to_game = teacher.link("#link").await;
    let by_link = teacher.path().await;
    pupil.open(&team).await;
    pupil
        .fill("#talk textarea", "See https://example.org/")
        .await;
    pupil.click("form[id^=say-form] button").await;
    let away = pupil.link_to("#talk a.away").await;
    teacher.open(&format!("{class}/cards")).await;
    let card = teacher.reads_cards(1).await.swap_remove(0);
    teacher.open("/matches").await;
    let mut rows = Vec::new();
    for row in [1, 2] {
        let link = format!("li.row:nth-of-type({row}) a");
        rows.push(teacher.link_to(&link).await);
    }
    let path = |link: &str| link.replace(&site.url, "");
    let id = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let parts = [
        ("class", id(&class)),
        ("lesson", lesson.to_owned()),
        ("gathering", id(&gathering)),
        ("match", id(&by_link)),
        ("code", code),
        ("late", late),
    ];
    let links = [
        (pages::PROJECTOR, projector),
        (pages::TO_TEAM, path(&to_team)),
        (pages::TO_GAME, path(&to_game)),
        (pages::CARD, path(&card)),
        (pages::AWAY, away),
    ];
    let open = addresses(pages::GUEST, &parts, &links);
    let mut paths = addresses(pages::TEACHER, &parts, &links);
    paths.extend(rows);
    let own = addresses(pages::PUPIL, &parts, &links);
    // No page is left out.
    let all = [&open[..], &paths, &own].concat();
    for (pattern, method) in routes() {
        let looked = all.iter().any(|path| fits(&pattern, path));
        assert!(
            looked || method == "POST" || is_no_page(&pattern),
            "{pattern} was not looked at"
        );
    }
    // One after the other: three scans at once would only wait for each other.
    let mut wrong = guest.examine_all(&open, &axe).await;
    wrong += &teacher.examine_all(&paths, &axe).await;
    wrong += &pupil.examine_all(&own, &axe).await;
    assert!(wrong.is_empty(), "{wrong}");
}
