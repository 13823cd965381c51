//! Every route of the site is in a table: those of a class in `class.txt`, those of a team match in `lesson.txt` and
//! `access.txt`, all others in `site.txt`; `pupil.txt` has all of them once more, as a pupil gets them. A route
//! without a row gets one by itself, so a new route fails the comparison until a person has read its answers.

use std::fmt::Write as _;

use perplex::app::correspondence::Opponent;
use perplex::store::accounts;

use super::people::{Browser, Got};
use super::pupils::{card, class_of, come};
use super::*;
use crate::golden::compare;
use crate::support::routes::{address, fits, routes};
use crate::test_app::{done, new_match};

/// The routes with this beginning that none of these rows covers.
pub fn others(under: &str, rows: &[(&str, String)]) -> Vec<(String, &'static str)> {
    let is_new = |(pattern, method): &(String, &'static str)| {
        let begins = pattern == under || pattern.starts_with(&format!("{under}/"));
        let known = |(row, address): &(&str, String)| row == method && fits(pattern, address);
        begins && !rows.iter().any(known)
    };
    routes().into_iter().filter(is_new).collect()
}

/// The form to send there, if any: an empty one.
pub fn nothing(method: &str) -> Option<&'static [(&'static str, &'static str)]> {
    (method == "POST").then_some(&[])
}

/// Makes an account like Hanna's, who is an admin, but without an admin's rights.
async fn newcomer(server: &TestApp, name: &'static str) {
    let made = server.app.store.write(move |conn| {
        let mut row = accounts::find_by_name(conn, "hanna")?.expect("Hanna");
        row.id = perplex_matches::id::AccountId(name.to_lowercase());
        name.clone_into(&mut row.name);
        row.name_key = Some(name.to_lowercase());
        row.email = Some(format!("{name}@example.org"));
        row.email_key.clone_from(&row.email);
        row.is_admin = false;
        accounts::insert(conn, &row)
    });
    made.await.expect("an account");
}

#[test]
fn what_each_visitor_gets_outside_matches_and_classes() {
    alone("server", async |server| {
        // Hanna teaches the class and is an admin.
        let view = class_of(&server, "Anna\nCy").await;
        for name in ["Paula", "Otto"] {
            newcomer(&server, name).await;
        }
        let paula = server.sign_in_again("Paula").await;
        let hanna = server.sign_in_again("Hanna").await;
        let opponent = Opponent::Named("Hanna".to_owned());
        let wanted = new_match("quixo", "", None, opponent);
        let id = server.app.create(&paula, wanted).await.expect("a match");
        let mut people = Vec::new();
        let mut text = String::from(
            "What each visitor gets at every address outside classes and team matches: forms are sent without anything in them. \
             `posing` plays the computer without an account, and shows that cookie as a session's, `former` was a pupil, `other` has an account and nothing else, `player` takes part in the match by post, `admin` \
             is an admin and is invited to that match. 404 knows nothing of it, 403 may not, 422 is told what is wrong.\n\n",
        );
        let _ = write!(text, "{:<54}", "");
        let anna = card(&server, &view, "Anna");
        for (kind, name) in [
            ("guest", ""),
            ("posing", ""),
            ("former", "Cy"),
            ("pupil", "Anna"),
            ("other", "Otto"),
            ("player", "Paula"),
            ("admin", "Hanna"),
        ] {
            let _ = write!(text, "{kind:>8}");
            let mut browser = Browser::on(&server).await;
            match kind {
                "guest" => {}
                "posing" => browser = Browser::posing(&server).await,
                "former" => {
                    come(&mut browser, &card(&server, &view, name)).await;
                    let cy = &view.pupils[1].id;
                    done(server.app.remove_pupil(&hanna, &view.class.id, cy, true)).await;
                }
                "pupil" => drop(come(&mut browser, &anna).await),
                _ => browser.sign_in(name).await,
            }
            people.push((kind, name, browser));
        }
        for (pattern, method) in routes() {
            if ["/team/{id}", "/class/{class}"]
                .iter()
                .any(|under| pattern.starts_with(under))
            {
                continue;
            }
            let parts = [
                ("id", id.0.as_str()),
                ("name", "Hanna"),
                ("key", "quixo"),
                ("form", "json"),
            ];
            let path = address(&pattern, &parts);
            let _ = write!(text, "\n{method:<5}{pattern:<49}");
            for (kind, name, browser) in &mut people {
                let (Got { text: page, .. }, status) =
                    browser.ask_for(&path, nothing(method)).await;
                let _ = write!(text, "{status:>8}");
                let secret = format!(
                    "{}@example.org",
                    if *kind == "player" { "Hanna" } else { "Paula" }
                );
                assert!(
                    *kind == "admin" || !page.contains(&secret),
                    "{kind} reads an address at {path}"
                );
                // A pupil who was signed out comes back.
                let is_lost = !name.is_empty() && *kind != "former" && method == "POST";
                if is_lost && !browser.page("/classroom").await.contains(*name) {
                    match *kind {
                        "pupil" => {
                            *browser = Browser::on(&server).await;
                            come(browser, &anna).await;
                        }
                        _ => browser.sign_in(name).await,
                    }
                }
            }
        }
        text.push('\n');
        compare("teams/site.txt", &text);
    });
}
