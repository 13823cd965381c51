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

/// The form of the page after a sign-up, filled in: sends the mail to this address.
fn again<'a>(page: &'a str, email: &'a str) -> [(&'a str, &'a str); 3] {
    let receipt = between(page, "name=\"receipt\" value=\"", "\"");
    let name = between(page, "name=\"name\" value=\"", "\"");
    [("receipt", receipt), ("name", name), ("email", email)]
}

const AGAIN: &str = "/sign-up/again";

#[test]
fn a_mistyped_address_is_corrected_on_the_page_after_the_sign_up() {
    on_sites(SignUpMode::Open, async |test| {
        let mut visitor = Browser::on(&test).await;
        let form = [FORM[0], ("email", "bea@exampel.org"), FORM[2]];
        let first = visitor.send("/sign-up", "/sign-up", &form).await;
        assert_eq!(first.status, 200, "{}", first.text);
        has(&first.text, "<b>bea@exampel.org</b>");
        for secret in [PASSWORD, "argon2"] {
            assert!(!first.text.contains(secret), "{}", first.text);
        }
        let old = test.token("verify").await;

        let got = visitor
            .send("/sign-up", AGAIN, &again(&first.text, "bea.example.org"))
            .await;
        assert_eq!(got.status, 422, "{}", got.text);
        has(&got.text, "value=\"bea.example.org\"");
        let page = visitor
            .send("/sign-up", AGAIN, &again(&got.text, " bea@example.org "))
            .await;
        assert_eq!(page.status, 200, "{}", page.text);
        has(&page.text, "sent once more");
        has(&page.text, "<b>bea@example.org</b>");
        let rows = test.take_rows().await;
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].address, "bea@example.org");
        let token = test.token_in(&rows[0]).await;

        // The mail to the mistyped address opens nothing; that to the right one does, with the first password.
        let from = Visitor::default();
        forbidden(test.app.verify(&old, PASSWORD, &from).await);
        let session = test.app.verify(&token, PASSWORD, &from).await;
        assert_eq!(test.signed_in(&session.expect("good")).await.name, "Bea");

        // If another has got the name meanwhile, it can be changed there, too.
        let other = [("name", "Cy"), ("email", "cy@example.org"), FORM[2]];
        let mut slow = Browser::on(&test).await;
        let page = slow.send("/sign-up", "/sign-up", &other).await;
        test.take_rows().await;
        test.person("Cy").await;
        let got = slow
            .send("/sign-up", AGAIN, &again(&page.text, "cy@example.net"))
            .await;
        assert_eq!(got.status, 422, "{}", got.text);
        has(&got.text, "<label for=\"name\">");
        let mut fields = again(&page.text, "cy@example.net");
        fields[1].1 = "Cyril";
        let got = slow.send("/sign-up", AGAIN, &fields).await;
        assert_eq!(got.status, 200, "{}", got.text);
        test.take_rows().await;

        // A receipt is good for a day, and only as it was given.
        for receipt in ["", "1", &fields[0].1.replace(['0', '1'], "2")] {
            let forged = test
                .app
                .sign_up_again(receipt, ("Cyril", "cy@example.net"), &from);
            forbidden(forged.await);
        }
        test.wait(days(1));
        let late = test
            .app
            .sign_up_again(fields[0].1, ("Cyril", "cy@example.net"), &from);
        forbidden(late.await);
        assert!(test.take_rows().await.is_empty());
    });
}

#[test]
fn sending_again_is_limited_and_does_not_tell_whether_an_address_is_known() {
    on_sites(SignUpMode::Open, async |test| {
        test.person("Ann").await;
        let mut answers = Vec::new();
        for (address, kind) in [
            ("ann@example.org", "known-address"),
            ("bea@example.org", "verify"),
        ] {
            let mut visitor = Browser::on(&test).await;
            let form = [FORM[0], ("email", address), FORM[2]];
            let mut got = visitor.send("/sign-up", "/sign-up", &form).await;
            let mut seen = Vec::new();
            while got.status == 200 {
                let rows = test.take_rows().await;
                let kinds: Vec<_> = rows.iter().map(|row| row.kind.as_str()).collect();
                assert_eq!(kinds, [kind]);
                let page = got.text.clone();
                got = visitor
                    .send("/sign-up", AGAIN, &again(&page, address))
                    .await;
                let receipt = again(&page, address)[0].1.to_owned();
                let proof = between(&page, "name=\"csrf\" value=\"", "\"").to_owned();
                seen.push(
                    page.replace(&receipt, "RECEIPT")
                        .replace(&proof, "PROOF")
                        .replace(address, "ADDRESS"),
                );
            }
            assert_eq!(got.status, 429, "{}", got.text);
            assert!(seen.len() >= 3);
            // She has had one mail already.
            seen.truncate(3);
            assert!(test.take_rows().await.is_empty());
            answers.push((seen, again(&got.text, address)[0].1.len()));
        }
        assert!(answers[0] == answers[1], "{answers:?}");
    });
}

#[test]
fn with_an_invitation_an_address_is_corrected_and_still_one_account_is_made() {
    on_sites(SignUpMode::Invite, async |test| {
        test.admin("Ann").await;
        let mut admin = Browser::of(&test, "Ann").await;
        // The address of the first form has an account, or none: the rest is the same.
        for (number, first) in ["ann@example.org", "bea@exampel.org"]
            .into_iter()
            .enumerate()
        {
            let page = admin.send("/admin/users", "/admin/users/invite", &[]).await;
            let link = between(&page.text, "value=\"https://perplex.example", "\"").to_owned();
            let mut visitor = Browser::on(&test).await;
            let name = ["Bea", "Cy"][number];
            let form = [("name", name), ("email", first), FORM[2]];
            let first = visitor.send(&link, &link, &form).await;
            assert_eq!(first.status, 200, "{}", first.text);
            test.take_rows().await;
            let [one, two, three] =
                ["one", "two", "three"].map(|word| format!("{word}{number}@example.org"));
            let send = async |visitor: &mut Browser, page: &str, to: &str| {
                visitor.send("/sign-up", AGAIN, &again(page, to)).await
            };
            let second = send(&mut visitor, &first.text, &one).await;
            assert_eq!(second.status, 200, "{}", second.text);
            let old = test.token("verify").await;
            // Each receipt is good once.
            let got = send(&mut visitor, &first.text, &three).await;
            assert_eq!(got.status, 403, "{}", got.text);
            let third = send(&mut visitor, &second.text, &two).await;
            assert_eq!(third.status, 200, "{}", third.text);
            let token = test.token("verify").await;
            let from = Visitor::default();
            forbidden(test.app.verify(&old, PASSWORD, &from).await);
            done(test.app.verify(&token, PASSWORD, &from)).await;
            let got = send(&mut visitor, &third.text, &three).await;
            assert_eq!(got.status, 403, "{}", got.text);
            assert!(test.take_rows().await.is_empty());
        }
    });
}
