//! Offers that need the receiver's consent: classes, and invitations by mail.

use perplex::app::correspondence::Opponent;
use perplex::app::team::TeamAccess;
use perplex::app::{AppError, Viewer, Visitor};
use perplex::mail::account::AccountText;
use perplex::mail::{About, Message, Sender, compose};
use perplex::store::outbox::MailRow;
use perplex_matches::id::ClassId;

use crate::teams::people::{Browser, servers};
use crate::teams::terms;
use crate::test_app::{PASSWORD, TestApp, account, done, has, lacks, not_found, quixo_with};

/// A class of Hanna, who is signed in here.
async fn class_of_hanna(server: &TestApp) -> (ClassId, Browser) {
    let hanna = server.admin("Hanna").await;
    let class = server.class(&hanna, "Anna\nBen").await;
    (class, Browser::of(server, "Hanna").await)
}

#[test]
fn a_class_is_seen_by_another_teacher_only_once_they_accept() {
    servers(|server| async move {
        let (class, mut hanna) = class_of_hanna(&server).await;
        let otto = server.admin("Otto").await;
        let mut other = Browser::of(&server, "Otto").await;
        let settings = format!("/class/{class}/settings");
        let to = |what: &str| format!("/class/{class}/{what}");

        let got = hanna
            .send(&settings, &to("share"), &[("teacher", "nobody")])
            .await;
        assert_eq!(got.status, 422);
        has(&got.text, "There is no player called");
        assert!(
            got.text.contains("value=\"nobody\""),
            "what was typed stays"
        );
        let got = hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        assert_eq!(got.status, 303, "{}", got.text);
        let page = hanna.page(&settings).await;
        has(&page, "waiting for Otto to accept");
        let got = hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        has(&got.text, "You are already waiting for Otto to accept");

        let rows = server.take_rows().await;
        let [mail] = &rows[..] else {
            panic!("one mail: {rows:?}")
        };
        assert_eq!(mail.address, "Otto@example.org");
        let About::Account(AccountText::ClassOffer {
            from,
            class: name,
            owner,
        }) = server.about(mail).await
        else {
            panic!("{mail:?}")
        };
        assert_eq!(
            (from.as_str(), name.as_str(), owner),
            ("Hanna", "7b", false)
        );

        // The class itself is not there yet, only the offer.
        for path in [
            format!("/class/{class}"),
            settings.clone(),
            to("cards"),
            to("export.json"),
        ] {
            assert_eq!(other.get(&path).await.status, 404, "{path}");
        }
        other.sees("/matches", "offers you a class").await;
        let list = other.page("/classes").await;
        has(&list, "Offered to you");
        has(&list, "Hanna would like to share it");
        lacks(&list, "class=\"row yours\"");

        // An offer that was taken back is gone for good: its buttons, and its mail.
        let back = [("account", otto.id.0.as_str())];
        assert_eq!(
            hanna.send(&settings, &to("take-back"), &back).await.status,
            303
        );
        assert!(!server.is_wanted(mail).await);
        assert_eq!(other.send("/classes", &to("accept"), &[]).await.status, 404);
        assert_eq!(
            other.send("/classes", &to("decline"), &[]).await.status,
            404
        );
        other.lacks("/classes", "Offered to you").await;

        // So is a declined one; and it may be offered again.
        hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        assert_eq!(
            other.send("/classes", &to("decline"), &[]).await.status,
            303
        );
        hanna.lacks(&settings, "waiting for Otto").await;
        assert_eq!(other.get(&settings).await.status, 404);
        hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        let got = other.send("/classes", &to("accept"), &[]).await;
        assert!(got.to.starts_with(&format!("/class/{class}")), "{}", got.to);
        other.sees(&format!("/class/{class}"), "Anna").await;
        other.lacks("/matches", "offers you a class").await;
    });
}

#[test]
fn a_class_has_another_owner_only_once_they_accept() {
    servers(|server| async move {
        let (class, mut hanna) = class_of_hanna(&server).await;
        let owner = server.sign_in_again("Hanna").await;
        let [otto, paul] = [server.admin("Otto").await, server.admin("Paul").await];
        for other in [&otto, &paul] {
            server.share(&owner, &class, other).await;
        }
        let settings = format!("/class/{class}/settings");
        let to = |what: &str| format!("/class/{class}/{what}");
        for other in [&otto, &paul] {
            let asked = [("account", other.id.0.as_str())];
            let got = hanna.send(&settings, &to("hand-over"), &asked).await;
            assert_eq!(got.status, 303, "{}", got.text);
        }
        assert!(done(server.app.class(&owner, &class)).await.owner);
        let keep = server.app.keep_class(&otto, &class, 30).await;
        assert!(matches!(keep, Err(AppError::Forbidden(_))), "not yet");
        let mut window = Browser::of(&server, "Otto").await;
        window
            .sees("/classes", "Hanna would like you to own it")
            .await;
        window.send("/classes", &to("accept"), &[]).await;
        assert!(done(server.app.class(&otto, &class)).await.owner);
        assert!(!done(server.app.class(&owner, &class)).await.owner);
        // Hanna's offer is no longer hers to give.
        assert!(done(server.app.class_offers(&paul)).await.is_empty());
        not_found(server.app.accept_class(&paul, &class).await);

        // A teacher who no longer shares it has no valid link and no code of its lessons.
        let lesson = server.lesson_of(&otto, &class).await;
        let known = async |who: &Viewer| {
            let access = TeamAccess {
                account: Some(who.clone()),
                ..TeamAccess::default()
            };
            let view = done(server.app.load_team_match(&access, &lesson, None)).await;
            let link = view.projector_link.expect("a link");
            let code = view.lesson.expect("a lesson").code.expect("a code");
            (link, code)
        };
        let (link, code) = known(&paul).await;
        let mut window = Browser::on(&server).await;
        assert_eq!(window.get(&link).await.status, 200);
        done(server.app.unshare_class(&otto, &class, &paul.id)).await;
        assert_eq!(window.get(&link).await.status, 404);
        let from = Visitor::default();
        assert!(server.app.lesson_by_code(&code, &from).await.is_err());
        let (link, code) = known(&otto).await;
        assert_eq!(window.get(&link).await.status, 200);
        assert!(server.app.lesson_by_code(&code, &from).await.is_ok());
        server.share(&otto, &class, &paul).await;

        // A teacher who no longer shares it cannot own it either, and a deleted account takes its offers along.
        done(server.app.hand_over_class(&otto, &class, &paul.id)).await;
        done(server.app.unshare_class(&otto, &class, &paul.id)).await;
        not_found(server.app.accept_class(&paul, &class).await);
        done(server.app.offer_class(&otto, &class, "Paul")).await;
        done(server.app.delete_account(&paul, PASSWORD)).await;
        let view = server.app.class(&otto, &class).await.expect("a class");
        assert!(view.offers.is_empty());
        // A class that is offered can be removed.
        server.admin("Rita").await;
        done(server.app.offer_class(&otto, &class, "Rita")).await;
        done(server.app.remove_class(&otto, &class, "7b")).await;
    });
}

/// The mail of the outbox, as it goes out.
async fn mail(server: &TestApp, row: &MailRow) -> (Message, String) {
    let message = server.mail(row).await;
    let sender = Sender::new("https://perplex.example", "games@perplex.example").expect("ours");
    let text = compose(&message, &sender).expect("a mail").formatted();
    (message, String::from_utf8(text).expect("text"))
}

#[test]
fn a_stranger_ends_all_invitations_with_one_click() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let id = server.team_match(&hanna, terms()).await;
        let app = &server.app;
        done(app.invite_to_team(&hanna, &id, "Zoe@example.org")).await;
        let rows = server.take_rows().await;
        let (message, text) = mail(&server, &rows[0]).await;
        has(
            &text,
            "List-Unsubscribe: <https://perplex.example/mail/off/",
        );
        has(&text, "List-Unsubscribe-Post: List-Unsubscribe=One-Click");
        has(&text, "No more invitations to this address");

        // Mail programs do it by themselves: without cookies, by one form.
        let mut zoe = Browser::on(&server).await;
        let link = format!("/mail/off/{}", message.off.token().expect("a link"));
        // Programs that follow links change nothing: the page asks.
        zoe.sees(&link, "Do you want no more invitations at this address?")
            .await;
        done(app.invite_to_team(&hanna, &id, "zoe@example.org")).await;
        assert!(server.is_wanted(&server.take_rows().await[0]).await);
        let got = zoe.ask_for(&link, Some(&[])).await.0;
        assert_eq!(got.status, 200, "{}", got.text);
        has(
            &got.text,
            "No more invitations will be sent to this address",
        );

        // No invitation goes out any more, from any host and for any game.
        let ivan = server.admin("Ivan").await;
        let said = app.invite_to_team(&hanna, &id, "zoe@example.org").await;
        said.expect("the answer is the same");
        let by_mail = Opponent::ByMail("ZOE@example.org".to_owned());
        app.create(&ivan, quixo_with(by_mail))
            .await
            .expect("the answer is the same");
        let rows = server.take_rows().await;
        assert_eq!(rows.len(), 2, "{rows:?}");
        for row in &rows {
            assert!(!server.is_wanted(row).await, "{row:?}");
        }
        // A visitor who signs up is told what belongs to an account.
        done(app.invite_to_team(&hanna, &id, "yan@example.org")).await;
        let rows = server.take_rows().await;
        assert!(server.is_wanted(&rows[0]).await, "another address");
    });
}

#[test]
fn mails_to_strangers_lead_nowhere_else_and_are_few() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let host = account(&hanna);
        let app = &server.app;
        for (title, stays) in [
            ("Win at http://evil.example", false),
            ("Win at EVIL.example now", false),
            ("mail me@evil.example", false),
            ("Class 7b, spring 2.0", true),
        ] {
            let id = done(app.create_team(host, title, terms())).await;
            done(app.invite_to_team(&hanna, &id, "zoe@example.org")).await;
            let rows = server.take_rows().await;
            let (_, text) = mail(&server, &rows[0]).await;
            assert!(!text.to_lowercase().contains("evil"), "{text}");
            assert_eq!(text.contains(title), stays, "{text}");
            has(&text, "Hanna invites you to a team match");
        }
        // The fifth, and no sixth within the hour, wherever it goes.
        let id = server.team_match(&hanna, terms()).await;
        done(app.invite_to_team(&hanna, &id, "yan@example.org")).await;
        let sixth = app.invite_to_team(&hanna, &id, "xia@example.org").await;
        assert!(matches!(sixth, Err(AppError::TooOften(_))), "{sixth:?}");
    });
}
