//! The pupils' part of the site, rights about a class, cards and shared devices, as a browser gets them.

use std::fmt::Write as _;

use actix_web::http::StatusCode;
use perplex::app::classes::ClassView;

use super::people::{Browser, Deed, between, servers};
use super::routes::{nothing, others};
use super::*;
use crate::golden::compare;
use crate::support::routes::{address, routes};
use crate::test_app::{account, done, not_found, pupil_called};

/// A class of the teacher called Hanna, and its view.
pub async fn class_of(server: &TestApp, names: &str) -> ClassView {
    let hanna = server.visit("Hanna").await.account.expect("signed in");
    let id = server
        .app
        .create_class(&hanna, "Seventh", true, names)
        .await;
    done(server.app.class(&hanna, &id.expect("a class"))).await
}

/// The path of a pupil's card.
pub fn card(server: &TestApp, view: &ClassView, name: &str) -> String {
    let pupil = pupil_called(view, name);
    server.app.card_link(&pupil.user, &pupil.phrase)
}

/// Signs a pupil in with a card.
pub async fn come(browser: &mut Browser, card: &str) -> String {
    browser.done(card, card, &[]).await
}

#[test]
fn where_pupils_may_be() {
    alone("pupils", async |server| {
        let view = class_of(&server, "Anna\nBen").await;
        let host = server.visit("Otto").await;
        let host = account(&host);
        // A team match that all may watch.
        let listed = Terms {
            listed: true,
            ..terms()
        };
        let match_id = done(server.app.create_team(host, "Open", listed)).await;
        let mut anna = Browser::on(&server).await;
        come(&mut anna, &card(&server, &view, "Anna")).await;
        let mut text = String::from(
            "What a pupil gets at every address of the site, pages and forms: 403 is everything that is not for pupils. \
             The match, the class and the player of these addresses are others'; forms are sent without anything in them.\n\n",
        );
        for (pattern, method) in routes() {
            let id = if pattern.starts_with("/team/") {
                &match_id.0
            } else {
                "1"
            };
            let parts = [
                ("id", id),
                ("class", view.class.id.0.as_str()),
                ("pupil", view.pupils[1].id.0.as_str()),
                ("name", "Otto"),
                ("key", "quixo"),
                ("form", "json"),
                ("code", "HHHHHH"),
            ];
            let path = address(&pattern, &parts);
            let got = if method == "POST" {
                anna.send("/classroom", &path, &[]).await
            } else {
                anna.get(&path).await
            };
            let _ = writeln!(text, "{method:<5}{pattern:<54}{}", got.status.as_u16());
            assert!(
                !got.text.contains("Otto@example.org")
                    && !got.text.contains(&view.pupils[1].phrase)
            );
            if !anna.page("/classroom").await.contains("Playing as") {
                anna = Browser::on(&server).await;
                come(&mut anna, &card(&server, &view, "Anna")).await;
            }
        }
        compare("teams/pupil.txt", &text);
        // None of that had an effect.
        not_found(server.app.class(host, &view.class.id).await);
        let lists = server.app.teams(None).await.expect("lists");
        assert_eq!(lists.open.len(), 1);
    });
}

/// The requests about a class: the address, and the fields of a form. A viewer who may do it gets 200, 303, or the
/// errors in the fields.
const DEEDS: [Deed; 23] = [
    ("", None),
    ("/cards", None),
    ("/cards?pupil=BEN", None),
    ("/settings", None),
    ("/export.json", None),
    ("/export.csv", None),
    ("/pupils", Some(&[("names", "Ben")])),
    ("/pupil/BEN/name", Some(&[("name", "Ben")])),
    ("/pupil/BEN/phrase", Some(&[])),
    ("/pupil/BEN/leave", Some(&[])),
    ("/pupil/BEN/return", Some(&[])),
    ("/name", Some(&[("name", "Seventh")])),
    ("/keep", Some(&[("days", "365")])),
    ("/share", Some(&[("teacher", "nobody")])),
    ("/unshare", Some(&[("account", "nobody")])),
    ("/hand-over", Some(&[("account", "nobody")])),
    ("/take-back", Some(&[("account", "nobody")])),
    ("/accept", Some(&[])),
    ("/decline", Some(&[])),
    ("/archive", Some(&[("archived", "yes")])),
    ("/archive", Some(&[("archived", "no")])),
    ("/remove", Some(&[("typed", "not its name")])),
    ("/remove", Some(&[("typed", "")])),
];

#[test]
fn who_may_do_what_with_a_class() {
    alone("class_access", async |server| {
        let view = class_of(&server, "Anna\nBen\nCy").await;
        let hanna = server.sign_in_again("Hanna").await;
        let class = &view.class.id;
        server.visit("Otto").await;
        for name in ["Coco", "Fred"] {
            let other = server.visit(name).await.account.expect("signed in");
            server.share(&hanna, class, &other).await;
        }
        let shared = server.app.class(&hanna, class).await.expect("a class");
        let fred = shared
            .teachers
            .iter()
            .find(|teacher| teacher.name == "Fred")
            .expect("Fred");
        done(server.app.unshare_class(&hanna, class, &fred.id)).await;
        let mut people = Vec::new();
        let mut text = String::from(
            "Who may do what with a class: the status that each gets. 404 knows nothing of the class, 403 may not, 422 is told what \
             is wrong. `posing` plays the computer without an account, and shows that cookie as a session's; `former` has left the class; `fred` shared it once; `otto` has an account and nothing else.\n\n",
        );
        let _ = write!(text, "{:<28}", "");
        for kind in [
            "guest", "posing", "pupil", "former", "otto", "fred", "co", "owner",
        ] {
            let _ = write!(text, "{kind:>8}");
            let mut browser = Browser::on(&server).await;
            match kind {
                "posing" => browser = Browser::posing(&server).await,
                "pupil" => drop(come(&mut browser, &card(&server, &view, "Anna")).await),
                "former" => {
                    come(&mut browser, &card(&server, &view, "Cy")).await;
                    let cy = &view.pupils[2].id;
                    done(server.app.remove_pupil(&hanna, class, cy, true)).await;
                }
                "otto" => browser.sign_in("Otto").await,
                "fred" => browser.sign_in("Fred").await,
                "co" => browser.sign_in("Coco").await,
                "owner" => browser.sign_in("Hanna").await,
                _ => {}
            }
            people.push(browser);
        }
        for (deed, form) in DEEDS {
            let shown = match form {
                Some(_) => format!("POST {deed}"),
                None => format!("GET  {deed}"),
            };
            let _ = write!(text, "\n{shown:<28}");
            let path = format!("/class/{class}{deed}").replace("BEN", &view.pupils[1].id.0);
            for (number, browser) in people.iter_mut().enumerate() {
                let taught = number >= 6;
                let (got, status) = browser.ask_for(&path, form).await;
                let _ = write!(text, "{status:>8}");
                // A viewer who may not know of the class reads nothing about it but what they typed.
                let mut told = got.text;
                for (_, typed) in form.unwrap_or_default() {
                    told = told.replace(&format!("\n{typed}</textarea>"), "");
                }
                let knows = told.contains("Ben") || told.contains("Seventh");
                assert!(!knows || taught, "{path}");
            }
        }
        // All other routes about a class.
        let known = DEEDS.map(|(deed, form)| {
            (
                if form.is_some() { "POST" } else { "GET" },
                format!("/class/1{deed}"),
            )
        });
        for (pattern, method) in others("/class/{class}", &known) {
            let path = address(&pattern, &[("class", &class.0), ("form", "json")]);
            let _ = write!(
                text,
                "\n{:<28}",
                format!("{method:<5}{}", &pattern["/class/{class}".len()..])
            );
            for browser in &mut people {
                let (_, status) = browser.ask_for(&path, nothing(method)).await;
                let _ = write!(text, "{status:>8}");
            }
        }
        text.push('\n');
        compare("teams/class.txt", &text);
    });
}

#[test]
fn a_card_opens_the_site_and_a_device_is_shared() {
    servers(|server| async move {
        let view = class_of(&server, "Anna\nBen\nCy").await;
        let mut browser = Browser::on(&server).await;
        let anna = card(&server, &view, "Anna");
        browser.sees(&anna, "You are Anna").await;
        assert_eq!(come(&mut browser, &anna).await, "/me");
        browser
            .sees("/me", "Hello, <span dir=\"auto\">Anna</span>")
            .await;
        // Other people's pages are not for her, and another pupil's card is not good.
        let broken = format!("{}0", &anna[..anna.len() - 1]);
        let other = if broken == anna {
            format!("{}1", &anna[..anna.len() - 1])
        } else {
            broken
        };
        assert_eq!(browser.get(&other).await.status, StatusCode::NOT_FOUND);
        assert_eq!(browser.get("/lobby").await.status, StatusCode::FORBIDDEN);
        // Ben signs in on the same device, with the words on the card; Cy with the card itself.
        let ben = &view.pupils[1];
        let fields = [
            ("login", ben.user.as_str()),
            ("password", ben.phrase.as_str()),
        ];
        assert_eq!(
            browser
                .done("/sign-in?other=yes", "/sign-in", &fields)
                .await,
            "/me"
        );
        come(&mut browser, &card(&server, &view, "Cy")).await;
        let page = browser.page("/me").await;
        for there in ["Playing as Cy", "Switch to Ben", "Switch to Anna"] {
            assert!(page.contains(there), "{there}");
        }
        let switch = |page: &str, name: &str| {
            let (before, _) = page
                .split_once(&format!("Switch to {name}"))
                .expect("a switch");
            let (_, value) = before.rsplit_once("value=\"").expect("a value");
            value.split('"').next().expect("its end").to_owned()
        };
        let session = switch(&page, "Anna");
        assert_eq!(
            browser
                .done("/me", "/switch", &[("session", &session)])
                .await,
            "/me"
        );
        let page = browser.page("/me").await;
        has(&page, "Playing as Anna");
        has(&page, "Switch to Cy");
        // One signs out, the others stay.
        let got = browser.send("/me", "/sign-out", &[]).await;
        assert!(got.clears, "the next on this device finds nothing kept");
        let page = browser.page("/games").await;
        has(&page, "Who plays?");
        lacks(&page, "Anna");
        // The card's link may be in the history: from now on it needs the words, too.
        browser
            .sees(&anna, "You have signed out on this device")
            .await;
        for (words, status) in [("", 422), ("cat dog sun", 422)] {
            let got = browser.send(&anna, &anna, &[("phrase", words)]).await;
            assert_eq!(got.status.as_u16(), status, "{words}");
        }
        let words = [("phrase", view.pupils[0].phrase.as_str())];
        assert_eq!(browser.done(&anna, &anna, &words).await, "/me");
        // However often a pupil signs in and out there, none of the others is forgotten.
        for _ in 0..25 {
            browser.send("/me", "/sign-out", &[]).await;
            assert_eq!(browser.done(&anna, &anna, &words).await, "/me");
        }
        browser.send("/me", "/sign-out", &[]).await;
        let session = switch(&page, "Ben");
        browser
            .done("/games", "/switch", &[("session", &session)])
            .await;
        browser.sees("/me", "Playing as Ben").await;
        // A teacher who signs in is never kept in the background behind a pupil.
        let fields = [("login", "Hanna"), ("password", "a long password")];
        assert_eq!(
            browser
                .done("/sign-in?other=yes", "/sign-in", &fields)
                .await,
            "/matches"
        );
        let page = browser.page("/classes").await;
        has(&page, "Switch to Ben");
        let session = switch(&page, "Ben");
        browser
            .done("/classes", "/switch", &[("session", &session)])
            .await;
        let page = browser.page("/me").await;
        lacks(&page, "Hanna");
        has(&page, "Switch to Cy");
        let hanna = server.sign_in_again("Hanna").await;
        assert_eq!(
            done(server.app.sessions(&hanna))
                .await
                .iter()
                .filter(|s| s.id != hanna.session)
                .count(),
            1
        );
        browser
            .done("/me", "/sign-out", &[("everybody", "yes")])
            .await;
        let page = browser.page("/games").await;
        lacks(&page, "Who plays?");
        has(&page, "Sign in");
        let ben = server
            .signed_in(
                &done(
                    server
                        .app
                        .sign_in(&ben.user, &ben.phrase, &Visitor::default()),
                )
                .await,
            )
            .await;
        assert_eq!(server.app.sessions(&ben).await.expect("sessions").len(), 1);
    });
}

#[test]
fn what_was_typed_is_not_lost() {
    servers(|server| async move {
        server.visit("Hanna").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let fields = [
            ("name", "7b"),
            ("roster", "yes"),
            ("names", "Anna\nBen\nanna"),
        ];
        let got = hanna.refused("/classes", "/classes", &fields).await;
        for kept in [
            "value=\"7b\"",
            "Anna\nBen\nanna</textarea>",
            "in line 1. Add an initial in line 3.",
        ] {
            assert!(got.contains(kept), "{kept}");
        }
        let fields = [("name", "7b"), ("roster", "yes"), ("names", "Anna\nBen")];
        let class = hanna.done("/classes", "/classes", &fields).await;
        let class = class.split('?').next().expect("a path").to_owned();
        let page = hanna.page(&class).await;
        has(&page, "2 pupils");
        let add = format!("{class}/pupils");
        let got = hanna.send(&class, &add, &[("names", "Kim\nBEN")]).await;
        has(&got.text, "Kim\nBEN</textarea>");
        has(&got.text, "Line 2: ");
        let to = hanna.done(&class, &add, &[("names", "Kim")]).await;
        hanna.sees(&to, "3 pupils").await;
        let cards = hanna.page(&format!("{class}/cards")).await;
        assert_eq!(cards.matches("class=\"id-card\"").count(), 3);
        assert_eq!(cards.matches("<svg class=\"qr\"").count(), 3);
        let got = hanna.get(&format!("{class}/export.csv")).await;
        assert_eq!(got.text.lines().count(), 4);
    });
}

#[test]
fn a_pasted_list_is_shown_before_it_is_taken() {
    servers(|server| async move {
        server.visit("Hanna").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let fields = |names| [("name", "7b"), ("roster", "yes"), ("names", names)];
        let pasted = "1. Yıldız, Anna\n2. Kaya, Ben";
        let got = hanna.send("/classes", "/classes", &fields(pasted)).await;
        assert_eq!(got.status, StatusCode::OK);
        for said in [
            "Anna Yıldız\nBen Kaya</textarea>",
            "2 pupils, one a line",
            "value=\"7b\"",
        ] {
            assert!(got.text.contains(said), "{said}");
        }
        let classes = hanna.page("/classes").await;
        assert!(
            classes.contains("Your first lesson"),
            "nothing is saved yet"
        );
        let corrected = "Anna Yıldız\nBen K";
        let class = hanna.done("/classes", "/classes", &fields(corrected)).await;
        let class = class.split('?').next().expect("a path").to_owned();
        hanna.sees(&class, "Ben K").await;
        let add = format!("{class}/pupils");
        let got = hanna
            .send(&class, &add, &[("names", "Cem, Dora; Emil")])
            .await;
        has(&got.text, "Cem\nDora\nEmil</textarea>");
        has(&got.text, "3 pupils, one");
        let to = hanna
            .done(&class, &add, &[("names", "Cem\r\nDora\r\nEmil\r\n")])
            .await;
        hanna.sees(&to, "5 pupils").await;
        // What was looked at is what is made, and nothing of it is read in another way.
        let got = hanna
            .send(&class, &add, &[("names", "van der Berg, Sophie")])
            .await;
        has(&got.text, "van der Berg\nSophie</textarea>");
        let shown = "van der Berg\nSophie";
        has(&got.text, &format!("name=\"read\" value=\"{shown}\""));
        let looked_at = [("names", "van der Berg, Sophie\r\nFinn"), ("read", shown)];
        let to = hanna.done(&class, &add, &looked_at).await;
        hanna.sees(&to, "7 pupils").await;
        hanna.sees(&class, "van der Berg, Sophie").await;
        // Of a wrong line nothing is lost, the mark included.
        let wrong = [("names", "Berg, Sophie\nFinn"), ("read", shown)];
        let got = hanna.send(&class, &add, &wrong).await;
        has(&got.text, "Berg, Sophie\nFinn</textarea>");
        has(&got.text, "Line 2: ");
        has(&got.text, &format!("name=\"read\" value=\"{shown}\""));
        // Another list that is pasted over it is looked at first.
        let other = [("names", "Gina, Hugo, Ida"), ("read", shown)];
        let got = hanna.send(&class, &add, &other).await;
        has(&got.text, "Gina\nHugo\nIda</textarea>");
    });
}

/// A pupil in the background is no session: the words are needed, whatever is done to the cookies.
#[test]
fn no_cookie_stands_for_another() {
    alone("renamed_cookies", async |server| {
        let view = class_of(&server, "Anna\nBen").await;
        let mut browser = Browser::on(&server).await;
        come(&mut browser, &card(&server, &view, "Anna")).await;
        come(&mut browser, &card(&server, &view, "Ben")).await;
        browser.sees("/me", "Ben").await;
        browser.renames_cookie("__Host-others", "__Host-session");
        assert_ne!(browser.get("/me").await.status, StatusCode::OK);
    });
}

/// The names used on a device belong to its mark. Whoever deletes the mark has none of the pupils in the background.
#[test]
fn a_browser_without_its_mark_has_no_others() {
    alone("lost_mark", async |server| {
        let view = class_of(&server, "Anna\nBen").await;
        let mut browser = Browser::on(&server).await;
        come(&mut browser, &card(&server, &view, "Anna")).await;
        come(&mut browser, &card(&server, &view, "Ben")).await;
        let page = browser.page("/me").await;
        has(&page, "Switch to Anna");
        let session = between(&page, "name=\"session\" value=\"", "\"").to_owned();
        browser.loses_cookie("__Host-session");
        browser.loses_cookie("__Host-visitor");
        browser
            .send("/games", "/switch", &[("session", &session)])
            .await;
        assert_ne!(browser.get("/me").await.status, StatusCode::OK);
    });
}
