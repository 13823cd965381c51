//! A class at full speed: pupils with open pages act by requests of their own, as fast as twenty do in ten minutes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use fantoccini::Client as Browser;
use perplex_bench::client::Client;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use url::form_urlencoded::Serializer;

use super::person::Person;
use super::site::TestSite;
use crate::support::chance::seed;

/// Number of deeds, and of each kind at least.
const DEEDS: usize = 90;
const EACH: usize = 4;
/// Number of attempts at most: deeds that come too late are refused.
const TRIES: usize = 3_000;
/// One after the other, so that pages have changes to show all the time.
const PACE: Duration = Duration::from_millis(120);

const RULES: [&str; 5] = [
    "rule N NW \"Knights also step.\"",
    "rule B BW \"Bishops step aside.\"",
    "rule R RF \"Rooks also step askew.\"",
    "rule N N \"Knights are knights again.\"",
    "rule Q QN \"Queens leap.\"",
];
const LINES: [&str; 4] = [
    "Look at 3:e4!",
    "Shall we take a knight there?",
    "Well played.",
    "Ein Bauer fehlt uns \u{2013} wer hilft?",
];

/// A pupil's requests, with the session of the pupil's page.
pub struct Pupil {
    at: SocketAddr,
    head: String,
    proof: String,
    page: String,
}

impl Pupil {
    /// The pupil as whom a browser is signed in.
    pub async fn of(browser: &Browser, site: &TestSite) -> Self {
        let cookie = browser.get_named_cookie("session").await;
        let host = site.url.trim_start_matches("http://");
        Self {
            at: host.parse().expect("an address"),
            head: format!(
                "Host: {host}\r\nCookie: session={}\r\n",
                cookie.expect("a session").value()
            ),
            proof: String::new(),
            page: String::new(),
        }
    }

    /// Sends a request on a connection of its own; gives the status and the text.
    async fn asks(&self, request: &str) -> (u16, String) {
        let mut client = Client::new(self.at);
        let status = client.send(request.as_bytes()).await;
        (status.expect("an answer"), client.text())
    }

    /// Fetches a page.
    async fn looks(&mut self, path: &str) {
        let request = format!("GET {path} HTTP/1.1\r\n{}\r\n", self.head);
        let (status, page) = self.asks(&request).await;
        assert_eq!(status, 200, "{path}");
        self.page = page;
        let proof = self.after("name=\"csrf\" value=\"");
        self.proof = proof.map(str::to_owned).expect("a form");
    }

    /// The text on the page after these words, up to the next quotation mark.
    fn after(&self, words: &str) -> Option<&str> {
        self.page.split_once(words)?.1.split('"').next()
    }

    /// All texts after these words, each up to the next `end`.
    fn all_after(&self, words: &str, end: char) -> Vec<String> {
        let found = self.page.split(words).skip(1);
        found
            .filter_map(|rest| Some(rest.split(end).next()?.to_owned()))
            .collect()
    }

    /// Sends a form. Gives whether it succeeded; a refused one came too late.
    async fn sends(&mut self, path: &str, fields: &[(&str, &str)]) -> bool {
        let mut form = Serializer::new(String::new());
        form.append_pair("csrf", &self.proof);
        let form = form.extend_pairs(fields).finish();
        let request = format!(
            "POST {path} HTTP/1.1\r\n{}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            self.head,
            form.len()
        );
        let (status, page) = self.asks(&request).await;
        match status {
            303 => true,
            409 | 422 => false,
            status => panic!("{path} {fields:?}: {status}\n{page}"),
        }
    }

    /// Makes a turn, or changes a rule, if it is the pupil's turn.
    async fn plays(&mut self, home: &str, rule: bool, dice: &mut StdRng) -> bool {
        let Some(choices) = self.page.split_once("id=\"choices\">") else {
            return false;
        };
        let choices = choices.1.split("</script>").next().expect("its end");
        let choices: Value = serde_json::from_str(choices).expect("JSON");
        let turns = choices["turns"].as_array().expect("turns");
        let turn = if rule {
            RULES.choose(dice).map(|rule| (*rule).to_owned())
        } else {
            // The turns of chess are given by their steps.
            let steps = turns.choose(dice).and_then(Value::as_str);
            steps.map(|steps| steps.replace(' ', ""))
        };
        let board = self
            .after(&format!("action=\"{home}/turn/"))
            .map(str::to_owned);
        let board = board.expect("a board");
        let board = board.split('?').next().expect("its number");
        let known = |name| {
            self.after(&format!("name=\"{name}\" value=\""))
                .map(str::to_owned)
        };
        let (ply, event) = (
            known("ply").expect("a ply"),
            known("event").expect("an event"),
        );
        let Some(turn) = turn else {
            return false;
        };
        let fields = [("turn", turn.as_str()), ("ply", &ply), ("event", &event)];
        self.sends(&format!("{home}/turn/{board}"), &fields).await
    }

    /// Moves a piece from one board to another, as a strategist does.
    async fn transfers(&mut self, home: &str, dice: &mut StdRng) -> bool {
        if !self.page.contains(" data-command") {
            return false;
        }
        self.looks(&format!("{home}?take=any")).await;
        let pieces = self.all_after("take=", '"');
        let pieces: Vec<_> = pieces
            .into_iter()
            .filter_map(|piece| piece.split('&').next().map(str::to_owned))
            .filter(|piece| piece.contains('-'))
            .collect();
        let Some(take) = pieces.choose(dice) else {
            return false;
        };
        self.looks(&format!("{home}?take={take}")).await;
        let targets = self.all_after("name=\"to\" value=\"", '"');
        let (Some(to), Some(kind), Some(event)) = (
            targets.choose(dice),
            self.after("name=\"kind\" value=\"").map(str::to_owned),
            self.after("name=\"event\" value=\"").map(str::to_owned),
        ) else {
            return false;
        };
        let fields = [
            ("take", take.as_str()),
            ("kind", &kind),
            ("to", to),
            ("event", &event),
        ];
        self.sends(&format!("{home}/transfer"), &fields).await
    }

    /// Gives a member of the team a board, as a strategist does.
    async fn hands_over(&mut self, home: &str, dice: &mut StdRng) -> bool {
        let sides = ["white", "black"];
        let Some(side) = sides
            .into_iter()
            .find(|side| self.page.contains(&format!("id=\"duty-{side}\"")))
        else {
            return false;
        };
        let (_, choice) = self
            .page
            .split_once(&format!("id=\"to-{side}\""))
            .expect("people");
        let choice = choice.split("</select>").next().expect("its end");
        let people: Vec<_> = choice.split("value=\"").skip(1).collect();
        let to = people.choose(dice).and_then(|one| one.split('"').next());
        let (to, duty) = (
            to.expect("a member").to_owned(),
            dice.random_range(1..=7).to_string(),
        );
        self.looks(&format!("{home}?side={side}&duty={duty}&to={to}"))
            .await;
        let Some(after) = self.after("name=\"after\" value=\"").map(str::to_owned) else {
            return false;
        };
        let fields = [
            ("side", side),
            ("duty", &duty),
            ("to", &to),
            ("after", &after),
        ];
        self.sends(&format!("{home}/give"), &fields).await
    }

    async fn talks(&mut self, home: &str, dice: &mut StdRng) -> bool {
        let team = if self.page.contains("data-side=\"first\"") {
            1
        } else {
            2
        };
        let channel = [0, team].choose(dice).copied().expect("a channel");
        let line = LINES.choose(dice).expect("a line");
        self.sends(&format!("{home}/talk/{channel}"), &[("text", line)])
            .await
    }
}

/// Ten minutes of a lesson in some tens of seconds.
pub async fn ten_minutes(pupils: &mut [Pupil], home: &str) {
    let dice = &mut StdRng::seed_from_u64(seed());
    let kinds = ["turn", "rule", "transfer", "talk", "hand-over"];
    let mut done: BTreeMap<&str, usize> = kinds.into_iter().map(|kind| (kind, 0)).collect();
    let mut refused = 0;
    for pupil in pupils.iter_mut() {
        pupil.looks(home).await;
    }
    let mut pace = tokio::time::interval(PACE);
    for tried in 0.. {
        let enough = done.values().sum::<usize>() >= DEEDS;
        if enough && done.values().all(|count| *count >= EACH) {
            break;
        }
        assert!(tried < TRIES, "only {done:?}");
        let kind = match dice.random_range(0..100) {
            0..54 => "turn",
            54..66 => "rule",
            66..82 => "transfer",
            82..92 => "talk",
            _ => "hand-over",
        };
        // Only strategists may do some of it; their pages show who they are.
        let commands = ["transfer", "hand-over"].contains(&kind);
        let able = |pupil: &&mut Pupil| !commands || pupil.page.contains(" data-command");
        let mut able: Vec<_> = pupils.iter_mut().filter(able).collect();
        if able.is_empty() {
            // Both have got a board in exchange since their pages were fetched.
            for pupil in pupils.iter_mut() {
                pupil.looks(home).await;
            }
            continue;
        }
        let number = dice.random_range(0..able.len());
        let pupil = &mut *able[number];
        pupil.looks(home).await;
        let took = match kind {
            "transfer" => pupil.transfers(home, dice).await,
            "talk" => pupil.talks(home, dice).await,
            "hand-over" => pupil.hands_over(home, dice).await,
            _ => pupil.plays(home, kind == "rule", dice).await,
        };
        if took {
            *done.entry(kind).or_default() += 1;
            pace.tick().await;
        } else {
            refused += 1;
        }
    }
    println!("the crowd did {done:?}; {refused} times there was nothing to do, or it was refused");
}

/// The differences from a fresh page, in words and pieces, except for texts that change with time.
const STALE: &str = "const done = arguments[arguments.length - 1]; \
    const said = (part) => { \
        const copy = part.cloneNode(true); \
        for (const passing of copy.querySelectorAll('#clock, time, .unread, .there, .members td:last-child')) passing.remove(); \
        const pieces = [...copy.querySelectorAll('use')].map((use) => ['href', 'x', 'y'].map((name) => use.getAttribute(name))); \
        return copy.textContent.replace(/\\s+/g, ' ') + pieces.sort().join(); }; \
    const parts = (page) => [...page.querySelectorAll('[data-of]')].filter(({ id }) => id !== 'needs'); \
    fetch(location.href).then((answer) => answer.text()).then((text) => { \
        const fresh = new DOMParser().parseFromString(text, 'text/html'); \
        const ids = (page) => parts(page).map(({ id }) => id).join(); \
        const old = parts(fresh).filter((part) => { \
            const here = document.getElementById(part.id); \
            return !here || said(here) !== said(part); }); \
        const both = ({ id }) => `${id}: ${said(document.getElementById(id) ?? document.body)} is ${said(fresh.getElementById(id))}`; \
        done(old.map(both).join(' and ').slice(0, 2000) + (ids(fresh) === ids(document) ? '' : ' other parts')); \
    }, (error) => done(String(error)));";

impl Person {
    /// Waits until the page shows the same as a fresh one.
    pub async fn is_as_fresh(&self) {
        self.patiently("a page like a fresh one", async || {
            match self.client.execute_async(STALE, Vec::new()).await {
                Ok(Value::String(old)) if old.is_empty() => Ok(()),
                other => Err(format!("{other:?}")),
            }
        })
        .await;
    }
}
