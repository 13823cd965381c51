//! The limits of a thief of a password or of a mailbox, or of a guesser, and how the owner gets the account back.

use std::sync::Arc;
use std::time::Duration;

use crate::test_app::{
    ALL, PASSWORD, TestApp, done, everywhere, gone, has, here, sign_up_form as form, too_often,
    wrong,
};
use perplex::app::accounts::SignUp;
use perplex::app::accounts::Typed;
use perplex::app::{Viewer, Visitor};
use perplex::store::accounts;
use perplex::texts::refusal::error;
use perplex_matches::time::days;
use tokio::task::JoinSet;

const NEW: &str = "violet kettle under rain";

impl TestApp {
    /// Asks for another address; gives the links mailed there, and to the account's present address.
    pub async fn ask_for(&self, viewer: &Viewer, email: &str) -> (String, String) {
        self.ask_with(viewer, email, PASSWORD).await
    }

    /// As [`ask_for`](Self::ask_for), for an account with a second factor.
    pub async fn ask_with(
        &self,
        viewer: &Viewer,
        email: &str,
        typed: impl Into<Typed<'_>>,
    ) -> (String, String) {
        self.wait(Duration::from_secs(1));
        done(self.app.request_email(viewer, email, typed)).await;
        let rows = self.take_rows().await;
        let link = async |kind: &str| {
            let row = rows.iter().find(|row| row.kind == kind).expect(kind);
            self.token_in(row).await
        };
        (link("change-address").await, link("old-address").await)
    }

    async fn email_of(&self, viewer: &Viewer) -> String {
        self.app.account(viewer).await.expect("an account").email
    }
}

#[test]
fn a_new_password_or_address_ends_all_links_and_all_other_sessions() {
    everywhere("links_end", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let reset = async || {
            done(app.request_reset("ann@example.org", &here())).await;
        };
        // A thief who knows the password asks for another address; Ann resets the password.
        let thief = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let (link, _) = server
            .ask_for(&server.signed_in(&thief).await, "thief@example.org")
            .await;
        reset().await;
        let token = server.token("reset").await;
        // Mails about earlier requests are no longer written after it.
        reset().await;
        done(app.reset(&token, PASSWORD, &here())).await;
        gone(app.confirm_email(&link, None).await);
        assert_eq!(server.email_of(&ann).await, "Ann@example.org");
        let late = server.take_rows().await;
        let late = late.iter().find(|row| row.kind == "reset").expect("asked");
        assert!(!server.is_wanted(late).await);

        // A password that was changed in the account does the same.
        let ann = server.sign_in_again("Ann").await;
        let (link, _) = server.ask_for(&ann, "thief@example.org").await;
        reset().await;
        let token = server.token("reset").await;
        done(app.set_password(&ann, PASSWORD, NEW, &here())).await;
        done(app.set_password(&ann, NEW, PASSWORD, &here())).await;
        gone(app.confirm_email(&link, None).await);
        gone(app.reset(&token, NEW, &here()).await);

        // So does a new address; the session in which it is confirmed goes on.
        let other = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let (first, _) = server.ask_for(&ann, "first@example.org").await;
        let (second, _) = server.ask_for(&ann, "second@example.org").await;
        app.confirm_email(&second, Some(&ann)).await.expect("good");
        gone(app.confirm_email(&first, Some(&ann)).await);
        assert!(server.viewer(&other).await.is_none());
        assert_eq!(app.sessions(&ann).await.expect("hers").len(), 1);
        // Confirmed elsewhere, all end.
        let (third, _) = server.ask_for(&ann, "third@example.org").await;
        app.confirm_email(&third, None).await.expect("good");
        assert_eq!(app.sessions(&ann).await.expect("hers").len(), 0);
    });
}

#[test]
fn a_thief_does_not_take_back_an_account_that_was_recovered() {
    everywhere("taken_back", async |server| {
        let (app, from) = (&server.app, here());
        let ann = server.person("Ann").await;
        // A thief takes the account from one address to another; in a session of her own Ann brings it back by the settings.
        let moves = async |viewer: &Viewer, email: &str| {
            let (link, undo) = server.ask_for(viewer, email).await;
            app.confirm_email(&link, Some(viewer)).await.expect("good");
            undo
        };
        let anns = moves(&ann, "thief@example.org").await;
        let thiefs = moves(&ann, "den@example.org").await;
        let late = moves(&ann, "ANN@example.org").await;
        for undo in [&thiefs, &late, &anns] {
            gone(app.undo_email(undo, NEW, &from).await);
        }
        assert_eq!(server.email_of(&ann).await, "ANN@example.org");

        // The same long after the theft, when the link to her address has run out.
        moves(&ann, "thief@example.org").await;
        server.wait(days(40));
        let ann = server.sign_in_again("Ann").await;
        let thiefs = moves(&ann, "ann@example.org").await;
        let (_, token, _) = server.protected(&ann).await;
        gone(app.undo_email(&thiefs, NEW, &from).await);
        let ann = server.signed_in(&token).await;
        assert!(app.second_factor(&ann).await.expect("a look").is_some());
    });
}

#[test]
fn the_old_address_undoes_a_new_one() {
    everywhere("undo", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        // A thief takes the account to one address, then on to another, and changes the password.
        let thief = server.sign_in_again("Ann").await;
        let (link, undo) = server.ask_for(&thief, "thief@example.org").await;
        app.confirm_email(&link, Some(&thief)).await.expect("good");
        let (link, thiefs) = server.ask_for(&thief, "den@example.org").await;
        app.confirm_email(&link, Some(&thief)).await.expect("good");
        let (pending, _) = server.ask_for(&thief, "cave@example.org").await;
        done(app.set_password(&thief, PASSWORD, "seventeen tin whistles", &here())).await;
        // And keeps the old address busy with an account that never proves it.
        let mut squatter = form("Ann2");
        squatter.email = "ann@example.org".to_owned();
        app.sign_up(squatter, &here()).await.expect("new");
        let squatters = server.token("verify").await;

        assert_eq!(
            wrong(app.undo_email(&undo, "short", &here()).await),
            ["password"]
        );
        gone(app.undo_email(&undo[1..], NEW, &here()).await);
        gone(app.reset(&undo, NEW, &here()).await);
        // Six days later Ann reads her mail.
        server.wait(days(6));
        done(app.undo_email(&undo, NEW, &here())).await;
        assert_eq!(server.email_of(&ann).await, "Ann@example.org");
        assert_eq!(app.sessions(&ann).await.expect("hers").len(), 0);
        // Once; and nothing that the thief has is good any more.
        gone(app.undo_email(&undo, PASSWORD, &here()).await);
        gone(app.undo_email(&thiefs, PASSWORD, &here()).await);
        gone(app.confirm_email(&pending, None).await);
        gone(app.verify(&squatters, PASSWORD, &here()).await);
        for (login, password) in [
            ("Ann", PASSWORD),
            ("Ann", "seventeen tin whistles"),
            ("den@example.org", NEW),
        ] {
            let result = app.sign_in(login, password, &here()).await;
            assert_eq!(wrong(result), ["password"], "{login}");
        }
        let back = app.sign_in("ann@example.org", NEW, &here()).await;
        let back = server.signed_in(&back.expect("in")).await;
        assert_eq!(back.id, ann.id);
    });
}

#[test]
fn the_thief_does_not_undo_what_came_before() {
    everywhere("undo_later", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (link, undo) = server.ask_for(&ann, "thief@example.org").await;
        app.confirm_email(&link, Some(&ann)).await.expect("good");
        let (link, thiefs) = server.ask_for(&ann, "den@example.org").await;
        app.confirm_email(&link, Some(&ann)).await.expect("good");
        // The later link leaves the earlier one good.
        done(app.undo_email(&thiefs, PASSWORD, &here())).await;
        app.undo_email(&undo, NEW, &here()).await.expect("good");
        assert_eq!(server.email_of(&ann).await, "Ann@example.org");
        // Before the new address is confirmed it works as well, and not after 7 days.
        let ann = app.sign_in("Ann", NEW, &here()).await.expect("in");
        let ann = server.signed_in(&ann).await;
        done(app.set_password(&ann, NEW, PASSWORD, &here())).await;
        let (link, undo) = server.ask_for(&ann, "thief@example.org").await;
        done(app.undo_email(&undo, PASSWORD, &here())).await;
        gone(app.confirm_email(&link, None).await);
        let ann = server.sign_in_again("Ann").await;
        let (_, undo) = server.ask_for(&ann, "thief@example.org").await;
        server.wait(days(7));
        gone(app.undo_email(&undo, NEW, &here()).await);
    });
}

#[test]
fn a_mailed_link_is_used_once_by_many_at_once() {
    everywhere("once", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (_, undo) = server.ask_for(&ann, "new@example.org").await;
        for is_reset in [false, true] {
            let token = if is_reset {
                done(app.request_reset("ann@example.org", &here())).await;
                server.token("reset").await
            } else {
                undo.clone()
            };
            let mut all = JoinSet::new();
            for number in 0..15 {
                let (app, token) = (Arc::clone(app), token.clone());
                all.spawn(async move {
                    let password = format!("{NEW} {number}");
                    let used = if is_reset {
                        app.reset(&token, &password, &here()).await
                    } else {
                        app.undo_email(&token, &password, &here()).await
                    };
                    used.map(|_| password)
                });
            }
            let (used, refused): (Vec<_>, Vec<_>) =
                all.join_all().await.into_iter().partition(Result::is_ok);
            assert_eq!(used.len(), 1);
            for result in refused {
                gone(result);
            }
            for password in used.into_iter().flatten() {
                app.sign_in("Ann", &password, &here()).await.expect("in");
            }
        }
    });
}

#[test]
fn wrong_guesses_of_strangers_do_not_keep_the_owner_out() {
    everywhere("lock_out", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        server.person("Bea").await;
        let stranger = here();
        for login in ["Ann", "ann@example.org"] {
            while !too_often(app.sign_in(login, "wrong horse", &stranger).await) {}
        }
        // A device on which Ann was signed in, from the same network.
        let device = Visitor {
            device: app.device(&ann.id).await.expect("a proof"),
            ..here()
        };
        app.sign_in("Ann", PASSWORD, &device).await.expect("in");
        // It has no more attempts than a stranger, and only for Ann's account.
        for _ in 0..9 {
            let guess = app.sign_in("Ann", "wrong horse", &device).await;
            assert_eq!(wrong(guess), ["password"]);
        }
        assert!(too_often(app.sign_in("Ann", PASSWORD, &device).await));
        for forged in [device.device.replace(&ann.id.0, "x"), ann.id.0.clone()] {
            let device = Visitor {
                device: forged,
                ..here()
            };
            assert!(too_often(app.sign_in("Ann", PASSWORD, &device).await));
        }
        // Where she is signed in she changes the password.
        done(app.set_password(&ann, PASSWORD, NEW, &here())).await;
        // A mailed link makes a device known.
        done(app.request_reset("ann@example.org", &stranger)).await;
        let token = server.token("reset").await;
        let account = done(app.reset(&token, PASSWORD, &here())).await;
        let device = Visitor {
            device: app.device(&account).await.expect("a proof"),
            ..here()
        };
        app.sign_in("Ann", PASSWORD, &device).await.expect("in");
        // A year later it is a stranger's again: strangers' attempts have recovered, and are used up again.
        server.wait(days(365));
        while !too_often(app.sign_in("Ann", "wrong horse", &stranger).await) {}
        assert!(too_often(app.sign_in("Ann", PASSWORD, &device).await));
    });
}

#[test]
fn mails_that_others_ask_for_keep_no_owner_from_a_new_password() {
    everywhere("resets", async |server| {
        server.person("Ann").await;
        for number in 0..40 {
            let address = format!("nobody-{number}@example.org");
            // Slower, and not refused.
            done(server.app.request_reset(&address, &here())).await;
        }
        // Nor is this one refused.
        done(server.app.request_reset("ann@example.org", &here())).await;
        server.token("reset").await;
    });
}

#[test]
fn an_account_keeps_its_newest_sessions() {
    everywhere("sessions", async |server| {
        let ann = server.person("Ann").await;
        let mut tokens = Vec::new();
        for _ in 0..60 {
            server.wait(Duration::from_secs(61));
            let token = server.app.sign_in("Ann", PASSWORD, &here()).await;
            tokens.push(token.expect("in"));
        }
        assert_eq!(server.app.sessions(&ann).await.expect("sessions").len(), 50);
        let last = tokens.pop().expect("one");
        assert!(server.viewer(&last).await.is_some());
    });
}

#[test]
fn wrong_guesses_at_a_school_keep_no_teacher_out() {
    everywhere("school", async |server| {
        let app = &server.app;
        server.person("Ann").await;
        // A pupil guesses names, from the address that all have there.
        for number in 0..70 {
            let login = format!("Somebody-{number}");
            let refused = app.sign_in(&login, "wrong horse", &here()).await;
            assert_eq!(wrong(refused), ["password"]);
        }
        // A teacher comes to a computer that is new to her.
        app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
    });
}

#[test]
fn opening_the_mail_makes_no_strangers_password_good() {
    everywhere("stranger", async |server| {
        let app = &server.app;
        // A stranger signs up with Ann's address; Ann follows the link in her mail.
        app.sign_up(form("Ann"), &here()).await.expect("new");
        let link = server.token("verify").await;
        for guess in ["", "a long passwort"] {
            let refused = app.verify(&link, guess, &here()).await;
            assert_eq!(wrong(refused), ["password"]);
        }
        assert_eq!(
            wrong(app.sign_in("ann@example.org", PASSWORD, &here()).await),
            ["login"]
        );
        server.take_rows().await;
        // With a password of her own the account is hers, and the stranger's is void.
        done(app.request_reset("ann@example.org", &here())).await;
        let reset = server.token("reset").await;
        app.reset(&reset, NEW, &here()).await.expect("a good link");
        gone(app.verify(&link, PASSWORD, &here()).await);
        assert_eq!(
            wrong(app.sign_in("Ann", PASSWORD, &here()).await),
            ["password"]
        );
        let ann = app.sign_in("Ann", NEW, &here()).await.expect("in");
        // Nor does signing up once more with an address that is proved.
        let again = SignUp {
            name: "Another".to_owned(),
            ..form("Ann")
        };
        app.sign_up(again, &here()).await.expect("no answer");
        let stranger = app.sign_in("Ann", PASSWORD, &here()).await;
        assert_eq!(wrong(stranger), ["password"]);
        assert!(server.viewer(&ann).await.is_some());
    });
}

#[test]
fn passwords_that_are_easy_to_guess_are_refused() {
    everywhere("guessable", async |server| {
        let app = &server.app;
        let sign_up = async |password: &str| {
            let form = SignUp {
                name: "Ada-Lovelace".to_owned(),
                email: "countess@example.org".to_owned(),
                password: password.to_owned(),
                ..form("Ada")
            };
            app.sign_up(form, &here()).await
        };
        for easy in [
            "password",
            "Password123!",
            "12345678",
            "qwertyuiop",
            "iloveyou2",
            "summer2026",
            "ada-lovelace",
            "AdaLovelace1",
            "countess@example.org",
            "Perplexichess1",
            &"a".repeat(200),
        ] {
            let refused = sign_up(easy).await.expect_err(easy);
            assert_eq!(wrong::<()>(Err(refused)), ["password"], "{easy}");
        }
        let error = error(&sign_up("sunshine").await.expect_err("easy"));
        has(&error, "Three or four words");
        for good in [NEW, "Tr0ub4dor&3", &format!("{NEW} ").repeat(8)] {
            sign_up(good).await.expect(good);
        }
        server.take_rows().await;
        let ann = server.person("Ann").await;
        let refused = app
            .set_password(&ann, PASSWORD, "Ann@Example.org1", &here())
            .await;
        assert_eq!(wrong(refused), ["password"]);
    });
}

#[test]
fn an_address_is_its_owners_whoever_signed_up_with_it() {
    everywhere("squatter", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let cy = server.person("Cy").await;
        let squat = async |name: &str| {
            let mut squatter = form(name);
            squatter.email = "new@example.org".to_owned();
            app.sign_up(squatter, &here()).await.expect("new");
            server.token("verify").await
        };
        // A stranger signs up with Ann's other address, and never confirms it. She moves her account there.
        let squatters = squat("Bea").await;
        let (link, _) = server.ask_for(&ann, "new@example.org").await;
        app.confirm_email(&link, Some(&ann)).await.expect("hers");
        assert_eq!(server.email_of(&ann).await, "new@example.org");
        // The stranger's account is gone, and its name is free.
        gone(app.verify(&squatters, PASSWORD, &here()).await);
        server.person("Bea").await;

        // Nor does it help to come between the request and the confirmation.
        let (link, _) = server.ask_for(&ann, "ann@example.org").await;
        app.confirm_email(&link, Some(&ann)).await.expect("back");
        let (link, _) = server.ask_for(&ann, "new@example.org").await;
        squat("Otto").await;
        app.confirm_email(&link, Some(&ann)).await.expect("hers");

        // The owner of a confirmed address gets a mail, and no account moves there.
        done(app.request_email(&cy, "new@example.org", PASSWORD)).await;
        let rows = server.take_rows().await;
        assert!(rows.iter().any(|row| row.kind == "known-address"));
        assert!(rows.iter().all(|row| row.kind != "change-address"));
        let (link, _) = server.ask_for(&cy, "third@example.org").await;
        let mut third = form("Dora");
        third.email = "third@example.org".to_owned();
        server.sign_up(third).await;
        assert_eq!(wrong(app.confirm_email(&link, Some(&cy)).await), ["email"]);
    });
}

#[test]
fn what_is_too_long_to_be_right_is_refused_and_forgotten() {
    everywhere("too_long", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let long = "a".repeat(60_000);
        let address = format!("{long}@example.org");
        // However often: the attempts do not count, so no trace of them is kept.
        for _ in 0..100 {
            for login in [&long, &address] {
                let refused = app.sign_in(login, PASSWORD, &here()).await;
                assert_eq!(wrong(refused), ["login"]);
            }
            let refused = app.sign_in("Ann", &long, &here()).await;
            assert_eq!(wrong(refused), ["password"]);
            assert_eq!(wrong(app.prove(&ann, long.as_str()).await), ["proof"]);
            let refused = app.request_reset(&address, &here()).await;
            assert_eq!(wrong(refused), ["email"]);
            let long = SignUp {
                name: long.clone(),
                email: address.clone(),
                password: long.clone(),
                ..form("Bea")
            };
            let refused = app.sign_up(long, &here()).await;
            assert_eq!(wrong(refused), ["name", "email", "password"]);
        }
        // The answers say what is allowed.
        for (login, password, right) in [
            (long.as_str(), PASSWORD, "at most 254"),
            ("Ann", &long, "at most 200"),
        ] {
            let refused = app.sign_in(login, password, &here()).await;
            let error = error(&refused.expect_err("too long"));
            assert!(error.contains(right), "{error:.300}");
        }
        app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
    });
}

#[test]
fn names_of_the_site_and_of_those_who_left_are_reserved() {
    everywhere("reserved_names", async |server| {
        let app = &server.app;
        let ann = server.admin("AnnBerg").await;
        let taken = async |name: &str| wrong(app.sign_up(form(name), &here()).await);
        for name in [
            "Perplex",
            "The host",
            "Admin",
            "The teacher",
            "White",
            "B1ack",
            "Mod-erator",
            "Támara Support",
        ] {
            assert_eq!(wrong(app.set_name(&ann, name).await), ["name"], "{name}");
            assert!(taken(name).await.contains(&"name"), "{name}");
        }

        // A name that is given up is kept from all others, and goes back to its account.
        done(app.set_name(&ann, "Zoe")).await;
        let ben = server.admin("Ben").await;
        for name in ["AnnBerg", "ann berg", "Ánn-Berg", "Ann Berg"] {
            assert_eq!(wrong(app.set_name(&ben, name).await), ["name"], "{name}");
            assert!(taken(name).await.contains(&"name"), "{name}");
        }
        done(app.set_name(&ann, "AnnBerg")).await;
        done(app.set_name(&ann, "Zoe")).await;

        // Who looks like one who has left does not get the name by giving up their own.
        let eve = server.admin("Zo3").await;
        // So is that of a deleted account.
        done(app.delete_account(&ann, PASSWORD)).await;
        done(app.set_name(&eve, "Carl")).await;
        assert_eq!(wrong(app.set_name(&eve, "Zoe").await), ["name"]);
        for name in ["AnnBerg", "Zoe", "zoë", "Z0e"] {
            assert_eq!(wrong(app.set_name(&ben, name).await), ["name"], "{name}");
            assert!(taken(name).await.contains(&"name"), "{name}");
        }
        server.lives(days(91)).await;
        done(app.tick()).await;
        let ben = server.sign_in_again("Ben").await;
        done(app.set_name(&ben, "Zoe")).await;
    });
}

#[test]
fn an_account_takes_few_other_names() {
    everywhere("many_names", async |server| {
        let app = &server.app;
        let ann = server.admin("Ann").await;
        for number in 1..=5 {
            done(app.set_name(&ann, &format!("Ann {number}"))).await;
        }
        // Not to change it costs nothing, and nor does a name that is refused.
        done(app.set_name(&ann, "Ann 5")).await;
        assert_eq!(wrong(app.set_name(&ann, "Admin").await), ["name"]);
        assert!(too_often(app.set_name(&ann, "Ann 6").await));
        let ben = server.admin("Ben").await;
        assert_eq!(wrong(app.set_name(&ben, "Ann 3").await), ["name"]);
        done(app.set_name(&ben, "Ann 6")).await;
        server.wait(days(1));
        let ann = server.sign_in_again("Ann 5").await;
        done(app.set_name(&ann, "Ann 7")).await;
    });
}

#[test]
fn a_sign_up_that_nobody_confirms_is_forgotten() {
    everywhere("unconfirmed", async |server| {
        let app = &server.app;
        let ann = server.admin("Ann").await;
        app.sign_up(form("Ben"), &here()).await.expect("told");
        let there = async || {
            let rows = app.store.read(|conn| accounts::list(conn, ALL));
            let rows = done(rows).await;
            rows.iter().filter(|row| row.email.is_some()).count()
        };
        server.lives(days(6)).await;
        done(app.tick()).await;
        assert_eq!(there().await, 2);
        // A new link is good for as long.
        app.sign_up(form("Ben"), &here()).await.expect("told");
        server.lives(days(6)).await;
        done(app.tick()).await;
        assert_eq!(there().await, 2);
        server.lives(days(3)).await;
        done(app.tick()).await;
        assert_eq!(there().await, 1);
        drop(ann);
    });
}
