//! A person at a browser with a profile of their own, who waits until an expected state is there.

use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions, MouseActions, PointerAction};
use fantoccini::error::{CmdError, NewSessionError};
use fantoccini::wd::{PrintConfiguration, WebDriverCompatibleCommand, WindowHandle};
use fantoccini::{Client, ClientBuilder, Locator};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use url::{ParseError, Url};

use super::site::{AGAIN, PATIENCE, SCHOOL, TestSite};
use super::support::test_python;

pub const ENTER: char = '\u{e007}';
pub const TAB: char = '\u{e004}';
pub const LEFT: char = '\u{e012}';
pub const UP: char = '\u{e013}';
pub const RIGHT: char = '\u{e014}';
pub const DOWN: char = '\u{e015}';
pub const SPACE: char = ' ';
pub const ESCAPE: char = '\u{e00c}';

/// True if screenshots of all pages are wanted: `PERPLEX_PICTURES=1`. They take more time than the rest of a journey.
fn pictures() -> bool {
    std::env::var("PERPLEX_PICTURES").is_ok_and(|value| value == "1")
}

/// Prints the texts of the sheets in a PDF, without ligatures: for Python.
const READS_SHEETS: &str = "import json, sys, unicodedata, pypdf
texts = (page.extract_text() for page in pypdf.PdfReader(sys.argv[1]).pages)
print(json.dumps([unicodedata.normalize('NFKC', text) for text in texts]))";

/// The folder of the screenshots.
const SCREENSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/screenshots");

/// The faults of the visible focus: empty if there is a frame around the element with the focus, or around its place
/// on a board, on the screen, with nothing in front. From the last stop of a page to the first the focus is nowhere.
const HIDDEN_FOCUS: &str = "(() => {
    const at = document.activeElement;
    if (!at || at === document.body) return '';
    const style = getComputedStyle(at), edge = at.querySelector('.glow') ?? at.firstElementChild;
    const framed = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    const focus = getComputedStyle(document.documentElement).getPropertyValue('--focus');
    const colour = `rgb(${focus.match(/[0-9a-f]{2}/gi).map((two) => parseInt(two, 16)).join(', ')})`;
    const glows = !!edge && getComputedStyle(edge).stroke === colour;
    const shown = [...at.getClientRects()].some(({ x, y, width, height }) => {
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        return !!hit && (at.contains(hit) || hit.contains(at)); });
    return (framed || glows) && shown ? '' : `framed ${framed}, glows ${glows}, shown ${shown}: ${at.outerHTML.slice(0, 300)}`;
})()";

/// A command that only Chromium's driver knows.
#[derive(Debug)]
struct Own(&'static str, Value);

impl WebDriverCompatibleCommand for Own {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.0
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.1.to_string()))
    }
}

pub struct Person {
    pub name: &'static str,
    pub email: String,
    pub client: Client,
    url: String,
}

impl Person {
    /// Opens a browser for each of them for the first time.
    pub async fn all<const N: usize>(
        site: &TestSite,
        names: [&'static str; N],
        scripts: bool,
    ) -> [Self; N] {
        let mut people = Vec::new();
        for name in names {
            people.push(Self::new(site, name, scripts).await);
        }
        let Ok(people) = people.try_into() else {
            unreachable!("as many people as names");
        };
        people
    }

    /// Opens a browser for a person for the first time.
    pub async fn new(site: &TestSite, name: &'static str, scripts: bool) -> Self {
        // A browser that does not start is started again, without the files of the last attempt.
        for attempt in 1..=3 {
            let profile = site.profile(&format!("{name}-{attempt}"));
            let connected = Self::browser(site, &profile, scripts);
            match tokio::time::timeout(PATIENCE, connected).await {
                Ok(Ok(client)) => {
                    return Self {
                        name,
                        email: format!("{}@example.org", name.to_lowercase()),
                        client,
                        url: site.url.clone(),
                    };
                }
                Ok(Err(error)) => eprintln!("the browser of {name} did not start: {error}"),
                Err(_) => eprintln!("the browser of {name} did not start in time"),
            }
        }
        panic!("the browser of {name} did not start three times");
    }

    async fn browser(
        site: &TestSite,
        profile: &Path,
        scripts: bool,
    ) -> Result<Client, NewSessionError> {
        let options = json!({
            "binary": concat!(env!("CARGO_MANIFEST_DIR"), "/tests/chromium"),
            "args": [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--window-size=1280,900",
                format!("--host-resolver-rules=MAP {SCHOOL} 127.0.0.1"),
                format!("--blink-settings=scriptEnabled={scripts}"),
                format!("--user-data-dir={}", profile.display()),
            ],
            // Only requests are counted; events of pages would be many.
            "perfLoggingPrefs": { "enablePage": false },
        });
        let capabilities = json!({
            // A scan of a long page takes a while when the machine is busy.
            "timeouts": { "script": 300_000 },
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        });
        ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities.as_object().expect("an object").clone())
            .connect(&site.driver)
            .await
    }

    /// A person in a window of their own in this browser. The site has another name there, so the cookies are their
    /// own, too. Only the person who [faces](Self::faces) the browser acts.
    pub async fn beside(&self, name: &'static str, url: String) -> (Self, WindowHandle) {
        let window = self
            .client
            .new_window(false)
            .await
            .expect("a window")
            .handle;
        let person = Self {
            name,
            email: String::new(),
            client: self.client.clone(),
            url,
        };
        (person, window)
    }

    pub async fn faces(&self, window: &WindowHandle) {
        let turned = self.client.switch_to_window(window.clone()).await;
        turned.unwrap_or_else(|error| panic!("the window of {}: {error}", self.name));
    }

    /// Prints the page on A4 into a file; gives the text on each sheet.
    pub async fn prints(&self, name: &str) -> Vec<String> {
        let pdf = self.client.print(PrintConfiguration::default()).await;
        let pdf = pdf.expect("paper");
        std::fs::create_dir_all(SCREENSHOTS).expect("a folder");
        let file = Path::new(SCREENSHOTS).join(format!("{name}.pdf"));
        std::fs::write(&file, &pdf).expect("written");
        let read = Command::new(test_python())
            .args(["-c", READS_SHEETS])
            .arg(file)
            .output()
            .expect("Python");
        assert!(read.status.success(), "{read:?}");
        serde_json::from_slice(&read.stdout).expect("texts")
    }

    async fn give_up(&self, what: &str) -> ! {
        let address = self.client.current_url().await;
        let text = self.eval("document.body.innerText").await;
        let command = Own("se/log", json!({ "type": "browser" }));
        let complaints = self.client.issue_cmd(command).await;
        self.leave_picture("failed").await;
        panic!(
            "{}: {what}, at {address:?}; the browser says {complaints:?}:\n{}",
            self.name,
            text.as_ref()
                .ok()
                .and_then(Value::as_str)
                .unwrap_or_default()
        );
    }

    /// Repeats an attempt until it succeeds.
    pub async fn patiently<T, F>(&self, what: &str, mut try_once: impl FnMut() -> F) -> T
    where
        F: Future<Output = Result<T, String>>,
    {
        let start = Instant::now();
        loop {
            let why = match try_once().await {
                Ok(done) => return done,
                Err(why) => why,
            };
            if start.elapsed() > PATIENCE {
                self.give_up(&format!("{what}: {why}")).await;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Goes to a page: a path, or a whole address.
    pub async fn open(&self, path: &str) {
        let address = if path.starts_with('/') {
            format!("{}{path}", self.url)
        } else {
            path.to_owned()
        };
        self.client.goto(&address).await.expect("a page");
    }

    /// The path of the page, with its query.
    pub async fn path(&self) -> String {
        let url = self.client.current_url().await.expect("an address");
        let query = url.query().map_or_else(String::new, |q| format!("?{q}"));
        format!("{}{query}", url.path())
    }

    /// The value of a JavaScript expression.
    pub async fn eval(&self, expression: &str) -> Result<Value, CmdError> {
        let script = format!("return ({expression})");
        self.client.execute(&script, Vec::new()).await
    }

    /// Waits until a JavaScript expression is true.
    pub async fn until(&self, expression: &str) {
        self.patiently(expression, async || match self.eval(expression).await {
            Ok(Value::Bool(true)) => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
    }

    /// Waits until an element that matches `selector` contains `text`.
    pub async fn sees(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        let expression = format!(
            "[...document.querySelectorAll({selector})].some(e => e.textContent.includes({text}))"
        );
        self.until(&expression).await;
    }

    /// Waits until the page's path is this.
    pub async fn arrives(&self, path: &str) {
        self.until(&format!("location.pathname === {}", json!(path)))
            .await;
    }

    /// Clicks on the element that matches `selector`, once it is there.
    pub async fn click(&self, selector: &str) {
        let what = format!("click on {selector}");
        self.patiently(&what, async || {
            let element = self.client.find(Locator::Css(selector)).await;
            let clicked = match element {
                Ok(element) => element.click().await,
                Err(error) => Err(error),
            };
            let clicked = clicked.map_err(|error| error.to_string());
            // A card in the way is put away first, as people do.
            if clicked
                .as_ref()
                .is_err_and(|why| why.contains("intercepted"))
            {
                let card = self.client.find(Locator::Css("#card-ok, #call-ok")).await;
                if let Ok(card) = card {
                    let _ = card.click().await;
                }
            }
            clicked
        })
        .await;
    }

    pub async fn fill(&self, selector: &str, text: &str) {
        let what = format!("fill {selector}");
        self.patiently(&what, async || {
            let filled = async {
                let field = self.client.find(Locator::Css(selector)).await?;
                field.clear().await?;
                field.send_keys(text).await
            };
            filled.await.map_err(|error: CmdError| error.to_string())
        })
        .await;
    }

    /// Writes a movement in Betza's notation, in the part of the rule editor that is for experts.
    pub async fn writes_betza(&self, text: &str) {
        self.until("!!document.getElementById('experts')").await;
        let is_open = self.eval("document.getElementById('experts').open").await;
        if is_open.expect("an answer") == false {
            self.click("#experts > summary").await;
        }
        self.fill("#rule-betza", text).await;
    }

    /// The value of a field.
    pub async fn value(&self, selector: &str) -> String {
        let found = self
            .eval(&format!(
                "document.querySelector({}).value",
                json!(selector)
            ))
            .await;
        found.expect("a field").as_str().expect("text").to_owned()
    }

    /// Presses and releases a key.
    pub async fn press(&self, key: char) {
        let keys = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value: key })
            .then(KeyAction::Up { value: key });
        self.client.perform_actions(keys).await.expect("a key");
    }

    /// Moves the focus with the Tab key until its element matches `selector`. The focus has to be visible at every
    /// stop.
    pub async fn tabs_to(&self, selector: &str) {
        self.until(&format!("!!document.querySelector({})", json!(selector)))
            .await;
        let is_there = format!("document.activeElement.matches({})", json!(selector));
        for tabs in 0..200 {
            if self.eval(&is_there).await.expect("an answer") == Value::Bool(true) {
                self.holds(selector).await;
                return;
            }
            self.press(TAB).await;
            let hidden = self.eval(HIDDEN_FOCUS).await.expect("text");
            assert_eq!(
                hidden, "",
                "{}, {tabs} tabs on the way to {selector}",
                self.name
            );
        }
        panic!("{} does not come to {selector} by keys", self.name);
    }

    /// Waits until the element that matches `selector` has the focus, visibly.
    pub async fn holds(&self, selector: &str) {
        self.focus_is(&format!(
            "document.activeElement.matches({})",
            json!(selector)
        ))
        .await;
    }

    /// Waits until the focus is inside an element that matches `selector`, visibly.
    pub async fn stays_in(&self, selector: &str) {
        self.focus_is(&format!(
            "!!document.activeElement.closest({})",
            json!(selector)
        ))
        .await;
    }

    async fn focus_is(&self, there: &str) {
        let wrong =
            format!("{there} ? {HIDDEN_FOCUS} : document.activeElement.outerHTML.slice(0, 300)");
        self.patiently(there, async || match self.eval(&wrong).await {
            Ok(Value::String(wrong)) if wrong.is_empty() => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
    }

    /// Drags with the mouse from the element of one selector to that of another.
    pub async fn drag(&self, from: &str, to: &str) {
        let find = async |selector: &str| {
            let found = self.client.find(Locator::Css(selector)).await;
            found.unwrap_or_else(|error| panic!("{selector}: {error}"))
        };
        let (from, to) = (find(from).await, find(to).await);
        let go = |element, x| PointerAction::MoveToElement {
            element,
            duration: None,
            x,
            y: 0.0,
        };
        let mouse = MouseActions::new("mouse".to_owned())
            .then(go(from, 0.0))
            .then(PointerAction::Down { button: 0 })
            .then(go(to.clone(), 2.0))
            .then(go(to, 0.0))
            .then(PointerAction::Up { button: 0 });
        self.client.perform_actions(mouse).await.expect("a drag");
    }

    /// Clicks twice, half a second apart, as people do when nothing seems to happen.
    pub async fn clicks_twice(&self, selector: &str) {
        let show =
            format!("document.querySelector({selector:?})?.scrollIntoView({{ block: 'center' }})");
        self.eval(&show).await.expect("a page");
        let element = self.client.find(Locator::Css(selector)).await;
        let mut mouse = MouseActions::new("mouse".to_owned()).then(PointerAction::MoveToElement {
            element: element.unwrap_or_else(|error| panic!("{selector}: {error}")),
            duration: None,
            x: 0.0,
            y: 0.0,
        });
        for _ in 0..2 {
            mouse = mouse
                .then(PointerAction::Down { button: 0 })
                .then(PointerAction::Up { button: 0 })
                .then(PointerAction::Pause {
                    duration: Duration::from_millis(500),
                });
        }
        self.client.perform_actions(mouse).await.expect("clicks");
    }

    /// Sends a command of Chromium's developer tools protocol.
    pub async fn tools(&self, command: &str, parameters: Value) {
        let body = json!({ "cmd": command, "params": parameters });
        let done = self.client.issue_cmd(Own("goog/cdp/execute", body)).await;
        done.unwrap_or_else(|error| panic!("{command}: {error}"));
    }

    /// The cookies of the page, as in a request.
    pub async fn cookies(&self) -> String {
        let cookies = self.client.get_all_cookies().await.expect("cookies");
        let cookies = cookies
            .iter()
            .map(|cookie| format!("{}={}", cookie.name(), cookie.value()));
        cookies.collect::<Vec<_>>().join("; ")
    }

    /// Keeps the browser from fetching addresses.
    pub async fn block(&self, addresses: &[&str]) {
        self.tools("Network.enable", json!({})).await;
        self.tools("Network.setBlockedURLs", json!({ "urls": addresses }))
            .await;
    }

    /// Forgets the requests that the test itself has made by a script.
    pub async fn forgets_requests(&self) {
        let command = Own("se/log", json!({ "type": "performance" }));
        self.client.issue_cmd(command).await.expect("the log");
    }

    /// Fails if a page in this browser has made the same request more than ten times within a second, by whatever way.
    /// What a person does makes some; a page that makes four untouched complains of itself (`request.js`).
    async fn asks_for_nothing_often(&self) {
        let command = Own("se/log", json!({ "type": "performance" }));
        let entries = self.client.issue_cmd(command).await.expect("the log");
        let mut times: HashMap<String, Vec<f64>> = HashMap::new();
        for entry in entries.as_array().expect("a list") {
            let entry: Value =
                serde_json::from_str(entry["message"].as_str().expect("text")).expect("JSON");
            let (page, message) = (&entry["webview"], &entry["message"]);
            let (sent, request) = (&message["params"], &message["params"]["request"]);
            let is_own = ["Fetch", "XHR", "EventSource", "Document"]
                .iter()
                .any(|kind| sent["type"] == *kind);
            if message["method"] == "Network.requestWillBeSent" && is_own {
                let what = [
                    page,
                    &request["method"],
                    &request["url"],
                    &request["postData"],
                ];
                let what = what.map(Value::to_string).join(" ");
                let time = sent["timestamp"].as_f64().expect("seconds");
                times.entry(what).or_default().push(time);
            }
        }
        for (what, times) in times {
            let often = times.windows(11).find(|many| many[10] - many[0] < 1.0);
            assert!(often.is_none(), "{}: {what}: {often:?}", self.name);
        }
    }

    /// Fails if the browser has complained about a page, except about `expected`, or has asked for something often.
    pub async fn has_no_complaints(&self, expected: &[&str]) {
        self.asks_for_nothing_often().await;
        let command = Own("se/log", json!({ "type": "browser" }));
        let entries = self.client.issue_cmd(command).await.expect("the log");
        let unexpected: Vec<&Value> = entries
            .as_array()
            .expect("a list")
            .iter()
            .filter(|entry| {
                let message = entry["message"].as_str().unwrap_or_default();
                // A poll, or a stream, may be refused or cut off when its subject ends, which pages handle; an error
                // of the server is a complaint all the same.
                let polls = ["/heads", "/live"]
                    .iter()
                    .any(|part| message.contains(part));
                let is_poll =
                    entry["source"] == "network" && polls && !message.contains("status of 5");
                // Notices, of cleared storage for one, are no complaints.
                entry["level"] != "INFO"
                    && !is_poll
                    && !expected.iter().any(|text| message.contains(text))
            })
            .collect();
        assert!(unexpected.is_empty(), "{}: {unexpected:#?}", self.name);
    }

    /// Sets the size of the window, and the dark theme of the system.
    pub async fn screen(&self, width: u32, height: u32, dark: bool) {
        let scale = if width < 600 { 2 } else { 1 };
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false
        });
        self.tools("Emulation.setDeviceMetricsOverride", screen)
            .await;
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({
            "features": [{ "name": "prefers-color-scheme", "value": scheme }]
        });
        self.tools("Emulation.setEmulatedMedia", media).await;
    }

    /// Takes a screenshot of the page, if they are wanted.
    pub async fn picture(&self, name: &str) {
        if pictures() {
            self.leave_picture(name).await;
        }
    }

    async fn leave_picture(&self, name: &str) {
        std::fs::create_dir_all(SCREENSHOTS).expect("a folder");
        let file = Path::new(SCREENSHOTS).join(format!("{name}.png"));
        if let Ok(picture) = self.client.screenshot().await {
            std::fs::write(file, picture).expect("written");
        }
    }

    /// Takes screenshots of the page as projectors show it. All of it has to fit; boards are of one size, and the rules under
    /// them are read from the last row.
    pub async fn projected(&self, name: &str) {
        let boards = "(() => { const sizes = (which) => [...document.querySelectorAll(which)].map((one) => one.getBoundingClientRect()); \
            const boards = new Set(sizes('.tb .board-box').map((box) => `${Math.round(box.width)} ${Math.round(box.height)}`)); \
            const low = sizes('.show-rules li').filter((card) => card.height < .09 * innerHeight); \
            return [boards.size < 2, low.length]; })()";
        for (width, height) in [(1920, 1080), (1280, 720), (3840, 2160)] {
            self.screen(width, height, false).await;
            let size =
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]";
            let size = self.eval(size).await.expect("numbers");
            assert_eq!(size, json!([width, height]), "{name}");
            let boards = self.eval(boards).await.expect("facts");
            assert_eq!(boards, json!([true, 0]), "{name} at {width}");
            self.picture(&format!("{name}-{width}")).await;
        }
        self.tools("Emulation.clearDeviceMetricsOverride", json!({}))
            .await;
    }

    /// Takes screenshots of the page on a phone and on a wide screen, in light and in dark. It has to fit into narrow
    /// screens.
    pub async fn photograph(&self, name: &str) {
        self.tools("Emulation.setScrollbarsHidden", json!({ "hidden": true }))
            .await;
        for width in [320, 390] {
            self.screen(width, 800, false).await;
            let wide = self.eval("document.documentElement.scrollWidth").await;
            let wide = wide.expect("a number").as_u64().expect("a number");
            if wide > u64::from(width) {
                let which = "[...document.querySelectorAll('main *, header *, footer *')]\
                    .filter(e => e.getBoundingClientRect().right > innerWidth + 1)\
                    .map(e => `${e.tagName}.${e.getAttribute('class')}`).join(' ')";
                let which = self.eval(which).await;
                self.give_up(&format!("{name} is {wide} wide at {width}: {which:?}"))
                    .await;
            }
        }
        let sizes = [(390, "phone"), (1280, "wide")];
        for (width, size) in sizes.into_iter().filter(|_| pictures()) {
            for (dark, look) in [(false, "light"), (true, "dark")] {
                self.screen(width, 800, dark).await;
                let high = self.eval("document.documentElement.scrollHeight").await;
                let high = high.expect("a number").as_u64().expect("a number");
                let high = u32::try_from(high).expect("small").clamp(800, 6000);
                self.screen(width, high, dark).await;
                self.until("document.getAnimations().every(a => a.playState !== 'running')")
                    .await;
                self.picture(&format!("{name}-{size}-{look}")).await;
            }
        }
        self.tools("Emulation.clearDeviceMetricsOverride", json!({}))
            .await;
        self.tools("Emulation.setEmulatedMedia", json!({ "features": [] }))
            .await;
        // The page knows how wide it is again only some time later.
        self.until("innerWidth > 390 && matchMedia(`(width: ${innerWidth}px)`).matches")
            .await;
    }

    /// Plays a move on the board in use, by clicks.
    pub async fn clicks_move(&self, from: &str, to: &str) {
        self.click(&format!("#board .can[data-name={from}]")).await;
        self.until(&format!(
            "!!document.querySelector('#board .chosen[data-name={from}]')"
        ))
        .await;
        self.click(&format!("#board .can[data-name={to}]")).await;
        self.has_put_together(from, to).await;
        self.click("#play").await;
    }

    /// Waits until this move can be played; its button has the name that the log will give it.
    pub async fn has_put_together(&self, from: &str, to: &str) {
        let turn = "document.querySelector('#turn-form [type=hidden][name=turn]')";
        self.until(&format!(
            "{turn}?.value.startsWith('{from}{to}') && !!document.getElementById('play')"
        ))
        .await;
    }
}
