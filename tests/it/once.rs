//! Forms that make something, sent twice.

use std::pin::pin;

use actix_web::http::StatusCode;
use futures_util::StreamExt as _;
use futures_util::future::poll_immediate;
use futures_util::stream::FuturesUnordered;
use perplex::app::once::Once;
use perplex::app::{AppError, Viewer};
use perplex::store::outbox::OutboxState;

use crate::teams::people::{Browser, between, servers};
use crate::test_app::{TestApp, done};

/// The number in the form for `to` on a page.
async fn number(browser: &mut Browser, page: &str, to: &str) -> String {
    let page = browser.page(page).await;
    let form = between(&page, &format!("action=\"{to}\""), "</form>").to_owned();
    between(&form, "name=\"once\" value=\"", "\"").to_owned()
}

async fn classes(server: &TestApp, hanna: &Viewer) -> usize {
    done(server.app.classes(hanna)).await.len()
}

#[test]
fn a_form_that_is_sent_twice_makes_it_once() {
    servers(async |server| {
        let hanna = server.admin("Hanna").await;
        server.admin("Bea").await;
        let mut browser = Browser::of(&server, "Hanna").await;
        let once = number(&mut browser, "/classes", "/classes").await;
        let class = [("name", "7B"), ("names", "Ada\nBen"), ("once", &*once)];

        // What was wrong is sent again.
        let wrong = [("name", ""), ("names", "Ada"), ("once", &*once)];
        let got = browser.send("/classes", "/classes", &wrong).await;
        assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);

        let first = browser.done("/classes", "/classes", &class).await;
        for _ in 0..3 {
            assert_eq!(browser.done("/classes", "/classes", &class).await, first);
        }
        assert_eq!(classes(&server, &hanna).await, 1);
        // In a new session, too.
        let mut other = Browser::of(&server, "Hanna").await;
        assert_eq!(other.done("/classes", "/classes", &class).await, first);
        assert_eq!(classes(&server, &hanna).await, 1);
        // Another number makes another one, and the number of somebody else is none.
        let next = number(&mut browser, "/classes", "/classes").await;
        let class = [("name", "7C"), ("names", "Ada"), ("once", &*next)];
        let second = browser.done("/classes", "/classes", &class).await;
        assert_ne!(second, first);
        let mut bea = Browser::of(&server, "Bea").await;
        let hers = bea.done("/classes", "/classes", &class).await;
        assert!(hers != first && hers != second);

        // So it is with lessons, and with challenges and their mails.
        let (page, _) = first.split_once('?').expect("what was done");
        let to = format!("{page}/lesson");
        let once = number(&mut browser, page, &to).await;
        let lessons = [
            browser.done(page, &to, &[("once", &*once)]).await,
            browser.done(page, &to, &[("once", &*once)]).await,
        ];
        assert_eq!(lessons[0], lessons[1]);
        server.take_rows().await;
        let once = number(&mut browser, "/lobby", "/matches").await;
        let challenge = [
            ("game", "quixo"),
            ("opponent", "name"),
            ("name", "Bea"),
            ("days", "3"),
            ("once", &*once),
        ];
        let matches = [
            browser.done("/lobby", "/matches", &challenge).await,
            browser.done("/lobby", "/matches", &challenge).await,
        ];
        assert_eq!(matches[0], matches[1]);
        assert_eq!(server.rows(OutboxState::Waiting).await.len(), 1);
    });
}

/// A browser drops its first request when the button is pressed again: at any moment of it.
#[test]
fn a_second_press_waits_for_what_the_first_makes() {
    servers(async |server| {
        let hanna = server.admin("Hanna").await;
        let [mut first, mut second, mut third] = Browser::all(&server, ["Hanna"; 3]).await;
        for moments in 0..20 {
            let once = number(&mut first, "/classes", "/classes").await;
            let class = [("name", "7B"), ("names", "Ada"), ("once", &*once)];
            {
                let mut press = pin!(first.send("/classes", "/classes", &class));
                for _ in 0..moments * 3 {
                    if poll_immediate(press.as_mut()).await.is_some() {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
            let (one, other) = tokio::join!(
                second.done("/classes", "/classes", &class),
                third.done("/classes", "/classes", &class)
            );
            assert_eq!(one, other, "after {moments}");
            assert_eq!(classes(&server, &hanna).await, moments + 1);
        }
    });
}

#[test]
fn numbers_are_for_accounts_and_for_forms_that_make_something() {
    servers(async |server| {
        let hanna = server.admin("Hanna").await;
        let mut browser = Browser::of(&server, "Hanna").await;
        let once = number(&mut browser, "/classes", "/classes").await;
        for to in ["/matches", "/teams"] {
            let theme = [("theme", "dark"), ("next", to), ("once", &*once)];
            assert_eq!(browser.done("/classes", "/theme", &theme).await, to);
        }
        let class = [("name", "7B"), ("names", "Ada"), ("once", &*once)];
        browser.done("/classes", "/classes", &class).await;
        assert_eq!(classes(&server, &hanna).await, 1);

        // A visitor gets none by sending one.
        let mut visitor = Browser::on(&server).await;
        visitor.page("/sign-in").await;
        let old = browser.page("/classes").await;
        let got = visitor.sends_old(&old, "/sign-in", &class).await;
        assert_eq!(got.status, StatusCode::FORBIDDEN);
        assert!(!got.text.contains("name=\"once\""), "{}", got.text);
    });
}

#[test]
fn few_presses_wait_for_the_first() {
    servers(async |server| {
        let hanna = server.admin("Hanna").await;
        let number = server.app.once(&hanna.id);
        let press = async || server.app.begin_once(&hanna.id, &number).await;
        let Ok(Once::First(key)) = press().await else {
            panic!("it is the first");
        };
        let mut waiting = FuturesUnordered::new();
        for _ in 0..6 {
            waiting.push(press());
        }
        for _ in 0..3 {
            let refused = waiting.next().await.expect("an answer");
            assert!(matches!(refused, Err(AppError::TooOften(_))), "{refused:?}");
        }
        done(server.app.end_once(key, Some("/made".to_owned()))).await;
        let made = waiting.collect::<Vec<_>>().await;
        assert_eq!(made.len(), 3);
        for one in made {
            assert_eq!(one.expect("an answer"), Once::Done("/made".to_owned()));
        }
    });
}
