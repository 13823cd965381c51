//! The ways to an account: open to all visitors, by an admin's link, or made by admins only.

use perplex::app::Visitor;
use perplex::app::accounts::SignUp;
use perplex::app::correspondence::Opponent;
use perplex::mail::{Sender, compose};
use perplex::site::{SignUpMode, Site};
use perplex_matches::time::days;

use crate::support::Database;
use crate::teams::people::{Browser, between};
use crate::test_app::{
    PASSWORD, TestApp, done, forbidden, has, lacks, quixo_with, runtime, sign_up_form,
};

fn on_sites(sign_up: SignUpMode, story: impl AsyncFn(TestApp)) {
    for database in Database::all("sign_up") {
        let test = TestApp::on(
            &database,
            Site {
                sign_up,
                contact: Some("ask@example.org".to_owned()),
                source: Some("https://example.org/perplex".to_owned()),
                ..Site::default()
            },
        );
        runtime().block_on(story(test));
    }
}

const FORM: [(&str, &str); 3] = [
    ("name", "Bea"),
    ("email", "bea@example.org"),
    ("password", PASSWORD),
];

/// Checks that no page leads a visitor to a form that is not there, and that the form is refused.
async fn offers_no_form(test: &TestApp, says: &str) {
    let mut visitor = Browser::on(test).await;
    for path in ["/", "/sign-in", "/lobby", "/teams"] {
        let page = visitor.page(path).await;
        assert!(!page.contains("Make an account"), "{path}: {page}");
    }
    let page = visitor.page("/sign-up").await;
    has(&page, says);
    has(&page, "href=\"mailto:ask@example.org\"");
    assert!(
        page.contains("href=\"https://example.org/perplex\""),
        "{page}"
    );
    let page = visitor.page("/privacy").await;
    has(&page, "href=\"mailto:ask@example.org\"");
    lacks(&page, "name=\"password\"");
    let got = visitor.send("/sign-up", "/sign-up", &FORM).await;
    assert_eq!(got.status, 403, "{}", got.text);
    has(&got.text, says);
    assert!(test.take_rows().await.is_empty());
}

#[test]
fn a_closed_site_says_who_makes_accounts() {
    on_sites(SignUpMode::Closed, async |test| {
        offers_no_form(&test, "only its admins make accounts").await;
        let admin = test.admin("Ann").await;
        forbidden(test.app.invite_to_sign_up(&admin).await);
        // An admin makes one.
        done(test.app.create_account(sign_up_form("bea"), false)).await;
        let from = Visitor::default();
        let session = test.app.sign_in("bea", PASSWORD, &from).await;
        let bea = test.signed_in(&session.expect("signed in")).await;
        assert!(!bea.is_admin);
    });
}

#[test]
fn an_invitation_makes_one_account() {
    on_sites(SignUpMode::Invite, async |test| {
        offers_no_form(&test, "made by invitation").await;
        test.admin("Ann").await;
        let mut admin = Browser::of(&test, "Ann").await;
        let page = admin.send("/admin/users", "/admin/users/invite", &[]).await;
        let link = between(&page.text, "value=\"https://perplex.example", "\"").to_owned();
        assert!(link.starts_with("/sign-up/"), "{link}");
        assert!(
            !admin.page("/admin/users").await.contains(&link),
            "it is shown once"
        );

        let mut visitor = Browser::on(&test).await;
        let wrong = [FORM[0], FORM[1], ("password", "short")];
        let got = visitor.send(&link, &link, &wrong).await;
        assert_eq!(got.status, 422, "{}", got.text);
        has(&got.text, "value=\"bea@example.org\"");
        let got = visitor.send(&link, &link, &FORM).await;
        assert_eq!(got.status, 200, "{}", got.text);
        let token = test.token("verify").await;
        let from = Visitor::default();
        let session = test.app.verify(&token, PASSWORD, &from).await;
        assert_eq!(test.signed_in(&session.expect("good")).await.name, "Bea");

        // It is good once.
        let mut other = Browser::on(&test).await;
        other.sees(&link, "was used").await;
        let second = SignUp {
            link: link["/sign-up/".len()..].to_owned(),
            ..sign_up_form("Cy")
        };
        forbidden(test.app.sign_up(second.clone(), &from).await);

        // It is good for seven days, for any visitor.
        let page = admin.send("/admin/users", "/admin/users/invite", &[]).await;
        let link = between(&page.text, "value=\"https://perplex.example", "\"").to_owned();
        test.wait(days(7));
        other.sees(&link, "older than that").await;
        let late = SignUp {
            link: link["/sign-up/".len()..].to_owned(),
            ..second
        };
        forbidden(test.app.sign_up(late, &from).await);
    });
}

#[test]
fn mails_to_strangers_promise_no_account_where_there_is_none() {
    let sender = Sender::new("https://perplex.example", "games@perplex.example").expect("ours");
    // Who has an account, got it from an admin where visitors make none themselves.
    for (mode, promised) in [(SignUpMode::Open, true), (SignUpMode::Closed, false)] {
        on_sites(SignUpMode::Open, async |mut test| {
            let ann = test.person("Ann").await;
            std::sync::Arc::get_mut(&mut test.app)
                .expect("alone")
                .site
                .sign_up = mode;
            let invited = quixo_with(Opponent::ByMail("bea@example.org".to_owned()));
            done(test.app.create(&ann, invited)).await;
            let mail = test.mail(&test.take_rows().await[0]).await;
            let mail = compose(&mail, &sender).expect("a mail").formatted();
            let mail = String::from_utf8(mail).expect("text");
            assert_eq!(mail.contains("You make a free account"), promised, "{mail}");
        });
    }
}

#[test]
fn every_page_leads_to_privacy_and_source() {
    on_sites(SignUpMode::Open, async |mut test| {
        std::sync::Arc::get_mut(&mut test.app).expect("alone").site = Site::default();
        let mut visitor = Browser::on(&test).await;
        for path in ["/", "/sign-up", "/try/quixo", "/teams", "/join"] {
            let page = visitor.page(path).await;
            assert!(page.contains("href=\"/privacy\""), "{path}: {page}");
            assert!(page.contains("href=\"/privacy#source\""), "{path}: {page}");
        }
        let page = visitor.page("/privacy").await;
        has(&page, "id=\"source\"");
        has(&page, "id=\"contact\"");
        has(&page, "the people who run this site");
    });
}
