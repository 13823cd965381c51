//! A teacher gets a class only by accepting it.

use perplex::app::{AppError, Visitor};
use perplex::mail::About;
use perplex_matches::id::ClassId;

use crate::teams::people::{Browser, servers};
use crate::test_app::{PASSWORD, TestApp};

/// A class of Hanna, who is signed in here.
async fn class_of_hanna(server: &TestApp) -> (ClassId, Browser) {
    let hanna = server.admin("Hanna").await;
    let class = server.app.create_class(&hanna, "7b", true, "Anna\nBen");
    let class = class.await.expect("a class");
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
        assert!(
            got.text.contains("There is no player called"),
            "{}",
            got.text
        );
        assert!(
            got.text.contains("value=\"nobody\""),
            "what was typed stays"
        );
        let got = hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        assert_eq!(got.status, 303, "{}", got.text);
        let page = hanna.page(&settings).await;
        assert!(page.contains("waiting for Otto to accept"), "{page}");
        let got = hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        assert!(got.text.contains("You wait for Otto to accept already"));

        let rows = server.take_rows().await;
        let [mail] = &rows[..] else {
            panic!("one mail: {rows:?}")
        };
        assert_eq!(mail.address, "Otto@example.org");
        let About::ClassOffer {
            from,
            class: name,
            owner,
        } = server.about(mail).await
        else {
            panic!("{mail:?}")
        };
        assert_eq!((&*from, &*name, owner), ("Hanna", "7b", false));

        // Nothing of the class is there yet, but the offer.
        for path in [
            format!("/class/{class}"),
            settings.clone(),
            to("cards"),
            to("export.json"),
        ] {
            assert_eq!(other.get(&path).await.status, 404, "{path}");
        }
        assert!(other.page("/matches").await.contains("offers you a class"));
        let list = other.page("/classes").await;
        assert!(list.contains("Offered to you") && list.contains("Hanna would like to share it"));
        assert!(!list.contains("class=\"row yours\""), "{list}");

        // Taken back, it is gone for good: its buttons, and its mail.
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
        assert!(!other.page("/classes").await.contains("Offered to you"));

        // Declined, too; and it may be offered again.
        hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        assert_eq!(
            other.send("/classes", &to("decline"), &[]).await.status,
            303
        );
        assert!(!hanna.page(&settings).await.contains("waiting for Otto"));
        assert_eq!(other.get(&settings).await.status, 404);
        hanna
            .send(&settings, &to("share"), &[("teacher", "Otto")])
            .await;
        let got = other.send("/classes", &to("accept"), &[]).await;
        assert!(got.to.starts_with(&format!("/class/{class}")), "{}", got.to);
        assert!(
            other
                .page(&format!("/class/{class}"))
                .await
                .contains("Anna")
        );
        assert!(!other.page("/matches").await.contains("offers you a class"));
    });
}

#[test]
fn a_class_has_another_owner_only_once_they_accept() {
    servers(|server| async move {
        let (class, mut hanna) = class_of_hanna(&server).await;
        let from = Visitor::default();
        let owner = server.app.sign_in("Hanna", PASSWORD, &from);
        let owner = server.signed_in(&owner.await.expect("signed in")).await;
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
        assert!(
            server
                .app
                .class(&owner, &class)
                .await
                .expect("a class")
                .owner
        );
        let keep = server.app.keep_class(&otto, &class, 30).await;
        assert!(matches!(keep, Err(AppError::Forbidden(_))), "not yet");
        let mut window = Browser::of(&server, "Otto").await;
        let list = window.page("/classes").await;
        assert!(list.contains("Hanna would like you to own it"), "{list}");
        window.send("/classes", &to("accept"), &[]).await;
        assert!(
            server
                .app
                .class(&otto, &class)
                .await
                .expect("a class")
                .owner
        );
        assert!(
            !server
                .app
                .class(&owner, &class)
                .await
                .expect("a class")
                .owner
        );
        // What Hanna offered is not hers to give any more.
        assert!(
            server
                .app
                .class_offers(&paul)
                .await
                .expect("offers")
                .is_empty()
        );
        let late = server.app.accept_class(&paul, &class).await;
        assert!(matches!(late, Err(AppError::NotFound)));

        // Who no longer shares it cannot own it either, and an account that goes takes its offers along.
        let asked = server.app.hand_over_class(&otto, &class, &paul.id);
        asked.await.expect("offered");
        let ended = server.app.unshare_class(&otto, &class, &paul.id);
        ended.await.expect("ended");
        let late = server.app.accept_class(&paul, &class).await;
        assert!(matches!(late, Err(AppError::NotFound)));
        let asked = server.app.offer_class(&otto, &class, "Paul");
        asked.await.expect("offered");
        let gone = server.app.delete_account(&paul, PASSWORD);
        gone.await.expect("deleted");
        let view = server.app.class(&otto, &class).await.expect("a class");
        assert!(view.offers.is_empty());
        // A class that is offered can be removed.
        server.admin("Rita").await;
        let asked = server.app.offer_class(&otto, &class, "Rita");
        asked.await.expect("offered");
        let removed = server.app.remove_class(&otto, &class, "7b");
        removed.await.expect("removed");
    });
}
