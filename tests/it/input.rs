//! Whatever visitors send in addresses and forms: it is answered, by every route and from every field, and nothing
//! grows by it.

use perplex::app::correspondence::Opponent;
use perplex_bench::client::Client;

use crate::pages::{Site, everywhere};
use crate::support::routes::{address, fields, routes};
use crate::teams::terms;
use crate::test_app::{PASSWORD, account, done, join, new_match};

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
                // As many fields as a query holds, each with this value, and one with this name.
                let most = 11_000 / (value.len() + 20);
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

/// What is answered to a form or, without a path to send it to, to an address.
struct Sent {
    status: u16,
    page: String,
}

async fn sent(window: &mut Client, path: &str, fields: Option<&[(&str, &str)]>) -> Sent {
    let status = match fields {
        Some(fields) => window.post(path, fields).await,
        None => window.get(path).await,
    };
    let status = status.unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = window.text();
    Sent { status, page }
}

#[test]
fn movements_of_any_length_are_refused_wherever_they_are_typed() {
    everywhere(async |[here, _], _| {
        let visit = here.visit("ann").await;
        let ann = account(&visit);
        let class = here.class(ann, "Mia\nCem").await;
        let ben = here.admin("ben").await;
        let wanted = new_match("flexichess", "", Some("first"), Opponent::Anyone);
        let game = here.app.create(ann, wanted).await.expect("a match");
        done(here.app.act(&ben, &game, None, join(), "")).await;
        let team = here.team_match(&visit, terms()).await;
        let mut window = Client::new(here.address);
        window.sign_in("ann", PASSWORD).await.expect("signed in");
        window.get(&format!("/match/{game}")).await.expect("a page");
        window.keep_proof().expect("a form");
        let pages = [
            format!("/class/{class}"),
            format!("/class/{class}/rule-cards"),
            "/rule-cards".to_owned(),
            format!("/match/{game}"),
            format!("/team/{team}"),
            "/try/flexichess".to_owned(),
        ];
        let mut weights = Vec::new();
        for page in &pages {
            weights.push(sent(&mut window, page, None).await.page.len());
        }

        for length in [101_usize, 500, 2_000, 12_000, 54_000, 60_000] {
            let betza = "NW".repeat(length.div_ceil(2));
            let turn = format!("rule N {betza} \"x\"");
            let edited = [
                ("rule", "N"),
                ("form", "move"),
                ("betza", &*betza),
                ("words", "x"),
                ("card-name", "Long"),
                ("ply", "0"),
            ];
            let written = [("turn", &*turn), ("card-name", "Long"), ("ply", "0")];
            for form in [
                format!("/class/{class}/rule-cards"),
                "/rule-cards".to_owned(),
                format!("/match/{game}/turn"),
                format!("/match/{game}/hand"),
                format!("/team/{team}/turn/1"),
                format!("/team/{team}/hand"),
            ] {
                for fields in [&edited[..], &written] {
                    let refused = sent(&mut window, &form, Some(fields)).await;
                    let about = format!("{form} {length}: {}", refused.status);
                    assert!((400..500).contains(&refused.status), "{about}");
                    assert!(refused.page.len() < 150_000, "{about}");
                    let bound = refused.page.contains("at most");
                    // Cards are made of the editor's fields only; the match of the team has not begun.
                    let is_read = match fields[0].0 {
                        "rule" => !form.starts_with("/team"),
                        _ => form.starts_with("/match"),
                    };
                    assert!(bound || !is_read, "{about}: {}", refused.page);
                }
            }
            let record = format!("1. {turn}");
            let record = [("record", &*record)];
            let refused = sent(&mut window, "/try", Some(&record)).await;
            assert_eq!(refused.status, 422, "{length}");
            assert!(refused.page.len() < 150_000, "{length}");
            for address in [
                format!("/try/flexichess?rule=N&betza={betza}&words=x&make=1"),
                format!("/try/flexichess?rule=N&betza={betza}"),
                format!("/try/flexichess?turn=rule+N+{betza}+%22x%22"),
                format!("/try/flexichess/turns=rule-N-{betza}-%22x%22"),
                format!("/match/{game}?rule=N&betza={betza}"),
                format!("/class/{class}/rule-cards?rule=N&betza={betza}"),
                format!("/rule-cards?rule=N&betza={betza}"),
                format!("/team/{team}?rule=N&betza={betza}"),
            ] {
                let refused = sent(&mut window, &address, None).await;
                let about = format!("{} {length}: {}", &address[..30], refused.status);
                assert!(refused.status < 500, "{about}");
                assert!(
                    refused.page.len() < 250_000,
                    "{about}: {}",
                    refused.page.len()
                );
            }
        }
        for (page, weight) in pages.iter().zip(weights) {
            let now = sent(&mut window, page, None).await.page.len();
            assert!(now < weight + 500, "{page}: {weight} {now}");
        }

        // What is as long as it may be is taken: a movement, and a rule in words.
        let (betza, words) = ("NW".repeat(50), "Knights rest. ".repeat(35));
        let card = [
            ("rule", "N"),
            ("form", "move"),
            ("betza", &*betza),
            ("words", "x"),
            ("card-name", "Long"),
        ];
        let form = format!("/class/{class}/rule-cards");
        assert_eq!(sent(&mut window, &form, Some(&card)).await.status, 303);
        let rule = [
            ("rule", "N"),
            ("form", "written"),
            ("words", &*words),
            ("told", &*words),
            ("ply", "0"),
        ];
        let form = format!("/match/{game}/turn");
        assert_eq!(sent(&mut window, &form, Some(&rule)).await.status, 303);
    });
}

#[test]
fn no_query_makes_a_page_large() {
    everywhere(async |[here, _], _| {
        let parts = Parts::made(&here).await;
        let mut ann = Client::new(here.address);
        ann.sign_in("ann", PASSWORD).await.expect("signed in");
        let mut stranger = Client::new(here.address);
        let names = fields();
        let each = 11_000 / names.len();
        let all: Vec<String> = names
            .iter()
            .map(|name| {
                let value = "%22".repeat((each - name.len().min(each)) / 3);
                format!("{name}={value}")
            })
            .collect();
        let long = "b".repeat(500);
        let queries = [
            all.join("&"),
            format!(
                "rule=N&betza={}&words={long}&turn={long}&deeds={long}&card={long}",
                "NW".repeat(50)
            ),
            format!("rule=N&form=written&words={}", "%22".repeat(500)),
            format!("under=1&deeds={}", "b1c4+".repeat(190)),
            vec![format!("turn={long}"); 21].join("&"),
            vec![format!("to={long}"); 21].join("&"),
        ];
        for (pattern, method) in routes() {
            if method == "POST" || pattern.ends_with("/live") {
                continue;
            }
            let path = parts.address(&pattern, "", "");
            for window in [&mut ann, &mut stranger] {
                let plain = sent(window, &path, None).await.page.len();
                for query in &queries {
                    let page = sent(window, &format!("{path}?{query}"), None)
                        .await
                        .page
                        .len();
                    assert!(page < plain + 150_000, "{path}?{query}: {plain} {page}");
                }
            }
        }
    });
}
