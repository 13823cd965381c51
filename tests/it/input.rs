//! Whatever visitors send in addresses and forms: it is answered, by every route and from every field, and nothing
//! grows by it.

use perplex::app::correspondence::Opponent;
use perplex_bench::client::Client;

use crate::pages::{Site, everywhere};
use crate::support::routes::{address, fields, routes};
use crate::teams::terms;
use crate::test_app::{PASSWORD, account, new_match};

/// The parts of addresses that lead somewhere, by their names in routes.
struct Parts(Vec<(&'static str, String)>);

impl Parts {
    /// A match of each kind, a class with a lesson, and whatever else is there.
    async fn made(here: &Site) -> Self {
        let visit = here.visit("ann").await;
        let ann = account(&visit);
        here.admin("ben").await;
        let wanted = new_match("quixo", "", None, Opponent::Named("ben".to_owned()));
        let id = here.app.create(ann, wanted).await.expect("a match");
        let team = here.team_match(&visit, terms()).await;
        let class = here.class(ann, "Mia\nCem").await;
        let lesson = here.lesson_of(ann, &class).await;
        let code = here
            .view(&visit, &lesson)
            .await
            .lesson
            .expect("a lesson")
            .code;
        let view = here.app.class(ann, &class).await.expect("a class");
        Self(vec![
            ("match", id.to_string()),
            ("team", team.to_string()),
            ("class", class.to_string()),
            ("pupil", view.pupils[0].id.to_string()),
            ("user", view.pupils[0].user.clone()),
            ("code", code.expect("a code")),
            ("key", "quixo".to_owned()),
            ("name", "ann".to_owned()),
            ("form", "txt".to_owned()),
            ("game", "turns=c1-a1".to_owned()),
        ])
    }

    /// The address of this route, where `name` is `value`.
    fn address(&self, pattern: &str, name: &str, value: &str) -> String {
        let kind = pattern.split('/').nth(1).unwrap_or_default();
        let id = self.0.iter().find(|(known, _)| *known == kind);
        let mut parts = vec![(name, value)];
        parts.extend(id.map(|(_, id)| ("id", id.as_str())));
        parts.extend(self.0.iter().map(|(name, is)| (*name, is.as_str())));
        address(pattern, &parts)
    }
}

/// The names of the variable parts of a route.
fn parts_of(pattern: &str) -> impl Iterator<Item = &str> {
    let parts = pattern.split('{').skip(1);
    parts.filter_map(|part| part.split(['}', ':']).next())
}

/// Parts of addresses that lead nowhere, encoded as browsers or attackers would.
fn hostile() -> Vec<String> {
    let mut all = [
        "%0a",
        "%0d%0aSet-Cookie:%20a=b",
        "a%00b",
        "%7f%9f%ff",
        "%c3%28",
        "%",
        "%zz",
        "%2f%2fevil.example%2f..",
        "..%2f..%5c",
        "%E2%80%AE%F0%9F%A6%A6%C3%A9",
        "%22%3E%3Cscript%3E%7B%7B",
        "-1",
        "99999999999999999999",
    ]
    .map(str::to_owned)
    .to_vec();
    all.push("%F0%9F%A6%A6".repeat(1_000));
    all
}

/// Requests an address: the answer is no failure, and leads nowhere but to a page of this site.
async fn answered(window: &mut Client, path: &str, form: bool) {
    let status = if form {
        window.post(path, &[]).await
    } else {
        window.get(path).await
    };
    let status = status.unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(status < 500, "{path}: {status}");
    let head = String::from_utf8_lossy(window.head()).to_lowercase();
    assert!(!head.contains("set-cookie: a=b"), "{path}: {head}");
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    for (_, to) in lines.filter(|(name, _)| *name == "location") {
        assert!(
            to.starts_with(['/', '?']) && !to.starts_with("//"),
            "{path}: {to}"
        );
    }
}

#[test]
fn no_part_of_an_address_breaks_an_answer() {
    everywhere(async |[here, _], _| {
        let parts = Parts::made(&here).await;
        let mut ann = Client::new(here.address);
        ann.sign_in("ann", PASSWORD).await.expect("signed in");
        let mut stranger = Client::new(here.address);
        stranger.get("/sign-in").await.expect("a page");
        stranger.keep_proof().expect("a form");
        let query = fields();
        for (pattern, method) in routes() {
            let form = method == "POST";
            for value in hostile() {
                for part in parts_of(&pattern) {
                    let path = parts.address(&pattern, part, &value);
                    answered(&mut ann, &path, form).await;
                    answered(&mut stranger, &path, form).await;
                }
                // Streams have no end, and forms without a part in their address may end the session.
                if form || pattern.ends_with("/live") {
                    continue;
                }
                let path = parts.address(&pattern, "", "");
                // As many fields as a line of a request holds, each with this value, and one with this name.
                let most = 60_000 / (value.len() + 20);
                let pairs = query
                    .iter()
                    .take(most)
                    .map(|name| format!("{name}={value}"));
                let pairs: Vec<String> = pairs.chain([format!("{value}=1")]).collect();
                answered(&mut ann, &format!("{path}?{}", pairs.join("&")), form).await;
                answered(&mut ann, &format!("{path}?turns=a&{value}=1"), form).await;
            }
        }
    });
}
