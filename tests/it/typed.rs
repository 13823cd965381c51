//! What was typed stays, when somebody has signed in or out since the page was opened.

use actix_web::http::StatusCode;
use perplex_matches::time::days;

use crate::teams::people::{Browser, between, servers};
use crate::test_app::{TestApp, done, has};

const LETTER: &str = "Dear Ben, thank you for the game. <b>I</b> enjoyed it.\nHanna";
/// As a page shows it.
const SHOWN: &str =
    "Dear Ben, thank you for the game. &#60;b&#62;I&#60;/b&#62; enjoyed it.\nHanna</textarea>";
const PASSWORD: &str = "a long password";

/// The fields of the form to send again on a page, with their values.
fn carried(page: &str) -> Vec<(String, String)> {
    let form = between(page, "<form class=\"card\"", "</form>");
    let fields = form.split("name=\"").skip(1).map(|field| {
        let (name, rest) = field.split_once('"').expect("its end");
        let value = match rest.split_once("</textarea>") {
            Some((text, _)) if !rest.starts_with(" value=") => {
                text.split_once(">\n").expect("a text").1
            }
            _ if rest.starts_with(" value=") => between(rest, "value=\"", "\""),
            _ => "",
        };
        let value = value.replace("&#60;", "<").replace("&#62;", ">");
        (name.to_owned(), value.replace("&#38;", "&"))
    });
    fields.collect()
}

/// Presses the button of a page with a form to send again.
async fn sends_again(browser: &mut Browser, page: &str, to: &str) -> String {
    let fields = carried(page);
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .filter(|(name, _)| name != "csrf")
        .map(|(name, value)| (&**name, &**value))
        .collect();
    has(page, &format!("action=\"{to}\""));
    let got = browser.sends_old(page, to, &fields).await;
    assert_eq!(got.status, StatusCode::SEE_OTHER, "{}", got.text);
    got.to
}

/// A match of Hanna and Ben.
async fn playing(server: &TestApp, browser: &mut Browser) -> String {
    let challenge = [
        ("game", "quixo"),
        ("opponent", "name"),
        ("name", "Ben"),
        ("days", "3"),
    ];
    let home = browser.done("/lobby", "/matches", &challenge).await;
    let mut ben = Browser::of(server, "Ben").await;
    ben.done(&home, "join", &[("side", "")]).await;
    home
}

#[test]
fn a_new_session_of_the_same_account_sends_it() {
    servers(async |server| {
        server.admin("Hanna").await;
        server.visit("Ben").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let home = playing(&server, &mut hanna).await;
        let to = format!("{home}/talk");
        let opened = hanna.page(&home).await;
        hanna.done(&home, "/sign-out", &[]).await;
        hanna.sign_in("Hanna").await;
        let got = hanna.sends_old(&opened, &to, &[("text", LETTER)]).await;
        assert_eq!(got.status, StatusCode::SEE_OTHER, "{}", got.text);
        hanna.sees(&home, "thank you for the game").await;

        // After a new password of another window, which ends all other sessions.
        let mut other = Browser::of(&server, "Hanna").await;
        let new = "a quiet evening in may";
        let change = [("old", PASSWORD), ("password", new)];
        other.done("/account", "/account/password", &change).await;
        let got = hanna.sends_old(&opened, &to, &[("text", LETTER)]).await;
        assert_eq!(got.status, StatusCode::FORBIDDEN);
        hanna
            .done(
                "/sign-in",
                "/sign-in",
                &[("login", "Hanna"), ("password", new)],
            )
            .await;
        let got = hanna
            .sends_old(&opened, &to, &[("text", "Once more")])
            .await;
        assert_eq!(got.status, StatusCode::SEE_OTHER, "{}", got.text);
        hanna.sees(&home, "Once more").await;

        // As long as a page may stand open, and no longer.
        server.lives(days(30)).await;
        let got = hanna.sends_old(&opened, &to, &[("text", "Late")]).await;
        assert_eq!(got.status, StatusCode::SEE_OTHER, "{}", got.text);
        server.lives(days(1)).await;
        let got = hanna.sends_old(&opened, &to, &[("text", "Too late")]).await;
        assert_eq!(got.status, StatusCode::FORBIDDEN);
    });
}

#[test]
fn a_form_of_somebody_who_is_signed_out_comes_back_and_is_sent_after_signing_in() {
    servers(async |server| {
        let admin = server.admin("Hanna").await;
        server.visit("Ben").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let home = playing(&server, &mut hanna).await;
        let to = format!("{home}/talk");
        let opened = hanna.page(&home).await;
        let classes = hanna.page("/classes").await;
        hanna.done(&home, "/sign-out", &[]).await;

        let letter = [("text", LETTER), ("extra", "a&b")];
        let back = hanna.sends_old(&opened, &to, &letter).await;
        assert_eq!(back.status, StatusCode::FORBIDDEN);
        has(&back.text, SHOWN);
        has(&back.text, "Send it again");
        has(&back.text, "Sign in in another window");
        has(
            &back.text,
            &format!("/sign-in?next={}", home.replace('/', "%2F")),
        );
        // Pressed too early, it is there again.
        let early = hanna.sends_old(&back.text, &to, &letter).await;
        assert_eq!(early.status, StatusCode::FORBIDDEN);
        has(&early.text, SHOWN);
        // A class with its names, too.
        let names: Vec<String> = (0..28).map(|pupil| format!("Pupil {pupil}")).collect();
        let names = names.join("\n");
        let class = [("name", "7B"), ("names", &*names)];
        let list = hanna.sends_old(&classes, "/classes", &class).await;
        assert_eq!(list.status, StatusCode::FORBIDDEN);

        hanna.sign_in("Hanna").await;
        // The page was made for somebody who is signed out, so the form comes back once more, and can be sent.
        let got = hanna.sends_old(&early.text, &to, &letter).await;
        assert_eq!(got.status, StatusCode::FORBIDDEN);
        has(&got.text, "Send it as Hanna");
        sends_again(&mut hanna, &got.text, &to).await;
        hanna.sees(&home, "thank you for the game").await;
        let got = hanna.sends_old(&list.text, "/classes", &class).await;
        sends_again(&mut hanna, &got.text, "/classes").await;
        let classes = done(server.app.classes(&admin)).await;
        assert_eq!(classes.len(), 1);
        let class = done(server.app.class(&admin, &classes[0].0.id)).await;
        assert_eq!(class.pupils.len(), 28);
    });
}

#[test]
fn somebody_else_is_asked_whether_they_send_it() {
    servers(async |server| {
        server.admin("Hanna").await;
        server.visit("Ben").await;
        let mut browser = Browser::of(&server, "Hanna").await;
        let home = playing(&server, &mut browser).await;
        let to = format!("{home}/talk");
        let opened = browser.page(&home).await;
        browser.done(&home, "/sign-out", &[]).await;
        browser.sign_in("Ben").await;
        let back = browser.sends_old(&opened, &to, &[("text", LETTER)]).await;
        assert_eq!(back.status, StatusCode::FORBIDDEN);
        has(&back.text, SHOWN);
        has(&back.text, "You are signed in as Ben now");
        browser.lacks(&home, "thank you").await;
        sends_again(&mut browser, &back.text, &to).await;
        browser.sees(&home, "thank you").await;
    });
}

#[test]
fn no_password_is_in_a_page_and_no_other_site_gets_a_form_sent() {
    servers(async |server| {
        server.admin("Hanna").await;
        server.visit("Ben").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let home = playing(&server, &mut hanna).await;
        let opened = hanna.page("/account").await;
        hanna.done("/account", "/sign-out", &[]).await;
        hanna.sign_in("Ben").await;
        for (to, fields) in [
            (
                "/account/password",
                &[("old", "my old secret"), ("new", "my new secret")][..],
            ),
            ("/account/delete", &[("password", "my old secret")]),
            ("/prove", &[("proof", "my old secret"), ("text", LETTER)]),
        ] {
            let got = hanna.sends_old(&opened, to, fields).await;
            assert_eq!(got.status, StatusCode::FORBIDDEN, "{to}");
            assert!(!got.text.contains("secret"), "{to}: {}", got.text);
            has(&got.text, "type=\"password\"");
        }
        // Another site, or who knows which, gets no button to be pressed; the text is not lost.
        for headers in [
            &[][..],
            &[("Sec-Fetch-Site", "cross-site")],
            &[("Origin", "https://evil.example")],
        ] {
            let got = hanna
                .sends_forged(&format!("{home}/talk"), &[("text", LETTER)], headers)
                .await;
            assert_eq!(got.status, StatusCode::FORBIDDEN, "{headers:?}");
            has(&got.text, SHOWN);
            assert!(!got.text.contains("<form class=\"card\""), "{}", got.text);
        }
    });
}
