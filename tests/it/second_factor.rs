//! The protection of an account beside its password: the second factor, the end of sessions, the password once more
//! before dangerous actions, and mails to the owner.

use std::time::Duration;

use actix_web::http::StatusCode;
use perplex::app::accounts::{Setup, Typed};
use perplex::app::{AppError, Viewer, Visitor};
use perplex::mail::About;
use perplex::mail::account::AccountText;
use perplex::store::StoreError;
use perplex::store::{accounts, second_factor};
use perplex_matches::id::ClassId;
use perplex_matches::time::days;
use totp_rs::{Builder, Secret};

use crate::teams::people::{Browser, between, servers};
use crate::test_app::{
    PASSWORD, TestApp, done, everywhere, forbidden, gone, has, here, not_found, too_often, wrong,
};

const NEW: &str = "violet kettle under rain";
const STEP: Duration = Duration::from_secs(30);

/// The code that an app with this secret shows `steps` later than now.
fn shown(server: &TestApp, secret: &str, steps: i64) -> String {
    let secret = Secret::try_from_base32(secret).expect("a secret");
    let app = Builder::new().with_secret(secret).build().expect("an app");
    let now = server.app.now().0 / 1_000_000 + steps * 30;
    app.generate(u64::try_from(now).expect("after 1970"))
        .to_string()
}

/// The right password, and a code.
const fn typed(code: &str) -> Typed<'_> {
    Typed {
        password: PASSWORD,
        code,
    }
}

/// The proof that the right password was typed.
fn half_way(result: Result<String, AppError>) -> String {
    match result {
        Err(AppError::CodeWanted(proof)) => proof,
        other => panic!("no code was wanted: {other:?}"),
    }
}

impl TestApp {
    /// Switches the second factor on; gives the app's setup, the new token, and the recovery codes.
    pub async fn protected(&self, viewer: &Viewer) -> (Setup, String, Vec<String>) {
        let (setup, from) = (self.app.set_up_second_factor(viewer, ""), here());
        let setup = setup.expect("begun");
        let code = shown(self, &setup.secret, 0);
        let on = self
            .app
            .switch_second_factor_on(viewer, PASSWORD, &setup, &code, &from);
        let (token, codes) = on.await.expect("on");
        self.wait(STEP);
        (setup, token, codes)
    }

    async fn password_of(&self, name: &str, password: &str) -> String {
        half_way(self.app.sign_in(name, password, &here()).await)
    }
}

#[test]
fn a_second_factor_asks_for_a_code_beside_the_password() {
    everywhere("second_factor", async |server| {
        let (app, from) = (&server.app, here());
        let ann = server.person("Ann").await;
        let phone = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let before = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let ann_before = server.signed_in(&before).await;
        // The secret that the form carries is the same, and good for this account only.
        let setup = app.set_up_second_factor(&ann, "").expect("begun");
        let again = app.set_up_second_factor(&ann, &setup.sealed);
        assert_eq!(again.expect("as before").secret, setup.secret);
        let bea = server.person("Bea").await;
        assert!(app.set_up_second_factor(&bea, &setup.sealed).is_err());
        server.take_rows().await;
        // Neither a wrong password nor a wrong code switches it on.
        let code = shown(server, &setup.secret, 0);
        let late = shown(server, &setup.secret, -3);
        for (password, code, field) in [
            ("wrong horse", code.as_str(), "password"),
            (PASSWORD, late.as_str(), "code"),
            (PASSWORD, "12345", "code"),
            (PASSWORD, "1234-5678-9012", "code"),
        ] {
            let on = app.switch_second_factor_on(&ann_before, password, &setup, code, &from);
            assert_eq!(wrong(on.await), [field], "{password} {code}");
        }
        assert!(app.second_factor(&ann).await.expect("a look").is_none());

        let on = app.switch_second_factor_on(&ann_before, PASSWORD, &setup, &code, &from);
        let (token, codes) = on.await.expect("on");
        assert_eq!(codes.len(), 10);
        // The session has another token, and the others have ended.
        assert!(server.viewer(&before).await.is_none());
        assert!(server.viewer(&phone).await.is_none());
        let ann = server.signed_in(&token).await;
        assert_eq!(ann.session, ann_before.session);
        assert_eq!(server.mails().await, ["second-factor-on Ann"]);

        // The code that switched it on is used.
        let proof = server.password_of("Ann", PASSWORD).await;
        assert_eq!(
            wrong(app.sign_in_with_code(&proof, &code, &here()).await),
            ["code"]
        );
        // An app may be a step ahead; then the codes before are no longer good, either.
        let ahead = shown(server, &setup.secret, 1);
        let (before, after) = ahead.split_at(3);
        let spaced = format!(" {before} {after} ");
        let session = app.sign_in_with_code(&proof, &spaced, &here()).await;
        assert_eq!(server.signed_in(&session.expect("in")).await.id, ann.id);
        for steps in [-1, 0, 1, 2] {
            let code = shown(server, &setup.secret, steps);
            let refused = app.sign_in_with_code(&proof, &code, &here()).await;
            assert_eq!(wrong(refused), ["code"], "{steps}");
        }
        server.wait(STEP * 3);
        // Or behind.
        let behind = shown(server, &setup.secret, -1);
        done(app.sign_in_with_code(&proof, &behind, &here())).await;
        // Proofs of the password are good for ten minutes, and no other link is one.
        server.wait(Duration::from_mins(10));
        let code = shown(server, &setup.secret, 0);
        gone(app.sign_in_with_code(&proof, &code, &here()).await);
        gone(app.sign_in_with_code("", &code, &here()).await);
        gone(
            app.sign_in_with_code(&app.device(&ann.id).await.expect("a proof"), &code, &here())
                .await,
        );
    });
}

#[test]
fn recovery_codes_are_good_once() {
    everywhere("recovery", async |server| {
        let (app, from) = (&server.app, here());
        let ann = server.person("Ann").await;
        let (setup, token, codes) = server.protected(&ann).await;
        let ann = server.signed_in(&token).await;
        server.take_rows().await;
        let proof = server.password_of("Ann", PASSWORD).await;
        done(app.sign_in_with_code(&proof, &codes[0], &here())).await;
        let rows = server.take_rows().await;
        assert!(matches!(
            server.about(&rows[0]).await,
            About::Account(AccountText::Notice { browser, .. }) if browser == "an unknown browser"
        ));
        assert_eq!(rows[0].kind, "recovery-code");
        let used = app.sign_in_with_code(&proof, &codes[0], &here()).await;
        assert_eq!(wrong(used), ["code"]);
        let left = app.second_factor(&ann).await.expect("a look").expect("on");
        assert_eq!(left.recovery, 9);
        // They are not stored as they are typed.
        let stored = app
            .store
            .read(move |conn| second_factor::find(conn, &ann.id));
        let stored: Result<_, StoreError> = stored.await;
        let sealed = stored.expect("a read").expect("a row").secret;
        assert!(!sealed.contains(&setup.secret));

        // New ones end the old ones; both need password and code.
        let ann = server.signed_in(&token).await;
        let code = shown(server, &setup.secret, 0);
        let refused = app.renew_recovery_codes(&ann, "wrong horse", &code).await;
        assert_eq!(wrong(refused), ["password"]);
        let refused = app.renew_recovery_codes(&ann, PASSWORD, "000000").await;
        assert_eq!(wrong(refused), ["code"]);
        let new = done(app.renew_recovery_codes(&ann, PASSWORD, &code)).await;
        let old = app.sign_in_with_code(&proof, &codes[1], &here()).await;
        assert_eq!(wrong(old), ["code"]);
        done(app.sign_in_with_code(&proof, &new[0], &here())).await;
        server.take_rows().await;

        // A new password leaves the second factor on, and ends proofs of the old password.
        done(app.request_reset("ann@example.org", &here())).await;
        let reset = server.token("reset").await;
        app.reset(&reset, NEW, &here()).await.expect("a good link");
        gone(app.sign_in_with_code(&proof, &new[1], &here()).await);
        let proof = server.password_of("Ann", NEW).await;
        let token = app.sign_in_with_code(&proof, &new[1], &here()).await;
        let ann = server.signed_in(&token.expect("in")).await;
        assert_eq!(
            server.mails().await,
            ["new-password Ann", "recovery-code Ann"]
        );

        // Once it is switched off, with password and code, the password is enough.
        let off = app.switch_second_factor_off(&ann, NEW, &codes[2], &from);
        assert_eq!(wrong(off.await), ["code"]);
        done(app.switch_second_factor_off(&ann, NEW, &new[2], &from)).await;
        assert_eq!(server.mails().await, ["second-factor-off Ann"]);
        app.sign_in("Ann", NEW, &here()).await.expect("in");
        let off = app.switch_second_factor_off(&ann, NEW, &new[3], &from);
        forbidden(off.await);
    });
}

#[test]
fn codes_are_guessed_slowly_and_outlast_new_keys() {
    everywhere("guessed_codes", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (setup, ..) = server.protected(&ann).await;
        app.rotate_talk_key().await.expect("a new key");
        app.rotate_talk_key().await.expect("a new key");
        let proof = server.password_of("Ann", PASSWORD).await;
        let mut guesses = 0;
        while !too_often(app.sign_in_with_code(&proof, "000000", &here()).await) {
            guesses += 1;
        }
        assert_eq!(guesses, 10);
        // A device that is known has attempts of its own.
        let code = shown(server, &setup.secret, 0);
        assert!(too_often(
            app.sign_in_with_code(&proof, &code, &here()).await
        ));
        let device = Visitor {
            device: app.device(&ann.id).await.expect("a proof"),
            ..here()
        };
        let token = app.sign_in_with_code(&proof, &code, &device).await;
        let ann = server.signed_in(&token.expect("in")).await;
        // A deleted account leaves no trace of it.
        server.wait(STEP);
        let code = shown(server, &setup.secret, 0);
        app.delete_account(&ann, typed(&code)).await.expect("hers");
        let rows = app.store.read(move |conn| {
            let row = second_factor::find(conn, &ann.id)?;
            Ok::<_, StoreError>((
                row.is_none(),
                second_factor::count_recovery_codes(conn, &ann.id)?,
            ))
        });
        assert_eq!(rows.await.expect("a read"), (true, 0));
    });
}

#[test]
fn what_is_dangerous_asks_for_a_code_too() {
    everywhere("dangerous", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (setup, token, _) = server.protected(&ann).await;
        let ann = server.signed_in(&token).await;
        let email = "new@example.org";
        assert_eq!(wrong(app.delete_account(&ann, PASSWORD).await), ["code"]);
        assert_eq!(
            wrong(app.request_email(&ann, email, PASSWORD).await),
            ["code"]
        );
        assert_eq!(wrong(app.prove(&ann, PASSWORD).await), ["code"]);
        // A wrong password uses no code up, and a code is good once.
        let code = shown(server, &setup.secret, 0);
        let mistyped = Typed {
            password: "wrong horse",
            code: &code,
        };
        assert_eq!(
            wrong(app.delete_account(&ann, mistyped).await),
            ["password"]
        );
        done(app.request_email(&ann, email, typed(&code))).await;
        assert_eq!(wrong(app.prove(&ann, typed(&code)).await), ["code"]);
        server.wait(STEP);
        let code = shown(server, &setup.secret, 0);
        done(app.prove(&ann, typed(&code))).await;
        server.wait(STEP);
        let code = shown(server, &setup.secret, 0);
        done(app.delete_account(&ann, typed(&code))).await;
    });
}

#[test]
fn old_devices_are_no_store_of_guesses() {
    everywhere("old_devices", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        // A thief has copied the cookies of twenty browsers in which Ann was signed in.
        let copied = async |count: usize| {
            let mut devices = Vec::new();
            for _ in 0..count {
                devices.push(Visitor {
                    device: app.device(&ann.id).await.expect("a proof"),
                    ..here()
                });
            }
            devices
        };
        let first = copied(20).await;
        // All these devices together have the guesses of one.
        let mut guesses = 0;
        for device in &first {
            while !too_often(app.sign_in("Ann", "wrong horse", device).await) {
                guesses += 1;
            }
        }
        assert_eq!(guesses, 10);
        // That keeps Ann out of no other device.
        let token = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let ann = server.signed_in(&token).await;

        // Ann switches a second factor on. The thief, who has heard her password, has a stranger's guesses at codes,
        // on whichever of these devices.
        let (_, token, codes) = server.protected(&ann).await;
        let proof = server.password_of("Ann", PASSWORD).await;
        let mut guesses = 0;
        for device in first.iter().chain([&here()]) {
            while !too_often(app.sign_in_with_code(&proof, "000000", device).await) {
                guesses += 1;
            }
        }
        assert_eq!(guesses, 10);
        // That keeps Ann out of no device on which she has signed in since; those share their guesses, too.
        let hers = copied(20).await;
        done(app.sign_in_with_code(&proof, &codes[0], &hers[0])).await;
        let mut guesses = 0;
        for device in &hers {
            while !too_often(app.sign_in_with_code(&proof, "000000", device).await) {
                guesses += 1;
            }
        }
        assert_eq!(guesses, 9);

        // With a new password each device from before it is a stranger's.
        let ann = server.signed_in(&token).await;
        done(app.set_password(&ann, PASSWORD, NEW, &here())).await;
        while !too_often(app.sign_in("Ann", "wrong horse", &here()).await) {}
        for device in first.iter().chain(&hers) {
            assert!(too_often(app.sign_in("Ann", NEW, device).await));
        }
    });
}

/// A thief who reads Ann's mail sets one new password after the other: her second factor is guessed at no more often.
#[test]
fn a_new_password_by_mail_brings_no_fresh_guesses_at_codes() {
    servers(|server| async move {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (_, token, codes) = server.protected(&ann).await;
        let hers = Visitor {
            device: app.device(&ann.id).await.expect("a proof"),
            ..here()
        };
        server.take_rows().await;
        let mut guesses = 0;
        let passwords = [NEW, PASSWORD, NEW, PASSWORD];
        for password in passwords {
            let mut thief = Browser::on(&server).await;
            done(app.request_reset("ann@example.org", &here())).await;
            let link = format!("/reset/{}", server.token("reset").await);
            thief.done(&link, &link, &[("password", password)]).await;
            let form = [("login", "Ann"), ("password", password)];
            let to = thief.done("/sign-in", "/sign-in", &form).await;
            has(&to, "/sign-in/code");
            let wrong = [("code", "000000")];
            loop {
                let got = thief.send(&to, "/sign-in/code", &wrong).await;
                if got.status == StatusCode::TOO_MANY_REQUESTS {
                    break;
                }
                assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
                guesses += 1;
            }
            server.take_rows().await;
        }
        assert_eq!(guesses, 10);
        // Where Ann has entered a code she gets in, although her password is another.
        assert!(server.viewer(&token).await.is_none());
        let proof = server.password_of("Ann", PASSWORD).await;
        let guess = app.sign_in_with_code(&proof, &codes[0], &here()).await;
        assert!(too_often(guess));
        done(app.sign_in_with_code(&proof, &codes[0], &hers)).await;
        // Also after a new password that she set there by mail.
        server.wait(Duration::from_mins(10));
        done(app.request_reset("ann@example.org", &here())).await;
        let link = server.token("reset").await;
        let account = done(app.reset(&link, NEW, &hers)).await;
        let device = app.device_by_mail(&account, &hers).await;
        let hers = Visitor {
            device: device.expect("a proof"),
            ..here()
        };
        let proof = server.password_of("Ann", NEW).await;
        done(app.sign_in_with_code(&proof, &codes[1], &hers)).await;
    });
}

#[test]
fn sessions_share_their_guesses_at_codes() {
    everywhere("guesses_of_sessions", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (_, token, codes) = server.protected(&ann).await;
        let first = server.signed_in(&token).await;
        let proof = server.password_of("Ann", PASSWORD).await;
        let token = done(app.sign_in_with_code(&proof, &codes[0], &here())).await;
        let second = server.signed_in(&token).await;
        let mut guesses = 0;
        for viewer in [&first, &second] {
            while !too_often(app.renew_recovery_codes(viewer, PASSWORD, "000000").await) {
                guesses += 1;
            }
            // Those at the password are another matter.
            server.wait(Duration::from_secs(1));
        }
        assert_eq!(guesses, 10);
        // Nor does another way of asking for a code bring more.
        let from = here();
        let off = async || {
            app.switch_second_factor_off(&second, PASSWORD, &codes[1], &from)
                .await
        };
        assert!(too_often(off().await));
        server.wait(Duration::from_mins(10));
        done(off()).await;
    });
}

#[test]
fn a_session_that_has_ended_switches_no_second_factor_on() {
    everywhere("ended_session", async |server| {
        let (app, from) = (&server.app, here());
        let ann = server.person("Ann").await;
        // A thief's form is on its way when Ann signs out everywhere else.
        let thief = server.sign_in_again("Ann").await;
        let setup = app.set_up_second_factor(&thief, "").expect("begun");
        app.end_other_sessions(&ann).await.expect("hers");
        let code = shown(server, &setup.secret, 0);
        let on = app.switch_second_factor_on(&thief, PASSWORD, &setup, &code, &from);
        assert!(matches!(on.await, Err(AppError::SignIn)));
        assert!(app.second_factor(&ann).await.expect("a look").is_none());
        app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
    });
}

#[test]
fn the_old_address_ends_a_thiefs_second_factor() {
    everywhere("undo_factor", async |server| {
        let (app, from) = (&server.app, here());
        server.person("Ann").await;
        // A thief takes Ann's account to another address, and locks it with a second factor.
        let thief = server.sign_in_again("Ann").await;
        let (link, undo) = server.ask_for(&thief, "thief@example.org").await;
        app.confirm_email(&link, Some(&thief)).await.expect("good");
        let (_, token, codes) = server.protected(&thief).await;
        server.take_rows().await;
        server.wait(days(2));
        // With the link at her old address and a password of her own Ann is in, and is told that no code is needed.
        app.undo_email(&undo, NEW, &from).await.expect("good");
        assert_eq!(
            server.mails().await,
            ["new-password Ann", "second-factor-off Ann"]
        );
        let back = app.sign_in("Ann", NEW, &here()).await.expect("no code");
        let ann = server.signed_in(&back).await;
        assert!(server.viewer(&token).await.is_none());

        // A second factor that was on before a thief asked for another address stays: the thief had no part in it,
        // and a mailbox alone must not open what it guards.
        let setup = app.set_up_second_factor(&ann, "").expect("begun");
        let code = shown(server, &setup.secret, 0);
        let on = app.switch_second_factor_on(&ann, NEW, &setup, &code, &from);
        let (token, own) = on.await.expect("on");
        let ann = server.signed_in(&token).await;
        done(app.set_password(&ann, NEW, PASSWORD, &from)).await;
        let asked = server.ask_with(&ann, "thief@example.org", typed(&own[1]));
        let (_, undo) = asked.await;
        app.undo_email(&undo, NEW, &from).await.expect("good");
        let proof = server.password_of("Ann", NEW).await;
        let refused = app.sign_in_with_code(&proof, &codes[1], &here()).await;
        assert_eq!(wrong(refused), ["code"]);
        done(app.sign_in_with_code(&proof, &own[0], &here())).await;
    });
}

#[test]
fn an_admin_switches_a_lost_second_factor_off() {
    everywhere("lost_factor", async |server| {
        let app = &server.app;
        let hanna = server.admin("Hanna").await;
        let ann = server.person("Ann").await;
        server.protected(&ann).await;
        server.take_rows().await;
        let bea = server.person("Bea").await;
        not_found(app.remove_second_factor_of(&bea, &ann.id).await);
        let users = app.users(&hanna, 0).await.expect("a list");
        let protected: Vec<&str> = users
            .iter()
            .filter(|user| user.has_second_factor)
            .map(|user| user.name.as_str())
            .collect();
        assert_eq!(protected, ["Ann"]);
        let hanna = server
            .signed_in(&app.sign_in("Hanna", PASSWORD, &here()).await.expect("in"))
            .await;
        done(app.remove_second_factor_of(&hanna, &ann.id)).await;
        assert_eq!(server.mails().await, ["second-factor-removed Ann"]);
        app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        // From the command line, too.
        let off = app.remove_second_factor_by_name("ann").await;
        assert!(!off.expect("an answer"));
        server.protected(&ann).await;
        assert!(app.remove_second_factor_by_name("ann").await.expect("off"));
        let nobody = app.remove_second_factor_by_name("nobody").await;
        assert_eq!(wrong(nobody), ["name"]);
    });
}

#[test]
fn sessions_get_new_tokens_and_end_after_half_a_year() {
    everywhere("tokens", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let token = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let other = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let viewer = server.signed_in(&token).await;
        let new = done(app.set_password(&viewer, PASSWORD, NEW, &here())).await;
        for old in [&token, &other] {
            assert!(server.viewer(old).await.is_none());
        }
        let viewer = server.signed_in(&new).await;
        assert_eq!(app.sessions(&viewer).await.expect("hers").len(), 1);
        // However it is used.
        for _ in 0..5 {
            server.wait(days(35));
            assert!(server.viewer(&new).await.is_some());
        }
        server.lives(days(5)).await;
        assert!(server.viewer(&new).await.is_none());
        server.lives(days(1)).await;
        app.tick().await.expect("a tick");
        let rows = app
            .store
            .read(move |conn| accounts::sessions(conn, &ann.id, perplex_matches::time::Time(0)));
        let rows: Result<_, StoreError> = rows.await;
        assert!(rows.expect("a read").is_empty());
    });
}

#[test]
fn owners_hear_of_sign_ins_on_new_devices() {
    everywhere("new_devices", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let firefox = Visitor {
            agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
                .to_owned(),
            ..here()
        };
        // Right after signing up there is no device that would be known.
        app.sign_in("Ann", PASSWORD, &firefox).await.expect("in");
        assert_eq!(server.take_rows().await, []);
        server.wait(days(1));
        let known = Visitor {
            device: app.device(&ann.id).await.expect("a proof"),
            ..firefox.clone()
        };
        app.sign_in("Ann", PASSWORD, &known).await.expect("in");
        assert_eq!(server.take_rows().await, []);
        app.sign_in("Ann", PASSWORD, &firefox).await.expect("in");
        let rows = server.take_rows().await;
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].address, "Ann@example.org");
        let About::Account(AccountText::Notice { browser, when, .. }) =
            server.about(&rows[0]).await
        else {
            panic!("another mail: {}", rows[0].kind);
        };
        assert_eq!(browser, "Firefox on Linux");
        has(&when, "2027");
    });
}

/// The secret as the page shows it to be typed.
fn typed_secret(page: &str) -> String {
    let groups = between(page, "<code class=\"secret\">", "</code>");
    let groups = groups.replace("<span>", "").replace("</span>", "");
    groups.replace(' ', "")
}

/// A field of a form on a page.
fn field<'a>(page: &'a str, name: &str) -> &'a str {
    between(page, &format!("name=\"{name}\" value=\""), "\"")
}

#[test]
fn signing_in_takes_two_pages() {
    servers(|server| async move {
        server.person("Ann").await;
        let mut ann = Browser::on(&server).await;
        ann.sign_in("Ann").await;
        let page = ann.page("/account/second-factor").await;
        let sealed = field(&page, "secret").to_owned();
        let secret = typed_secret(&page);
        has(&page, "<svg class=\"qr\"");
        let place = "/account/second-factor";
        let on = "/account/second-factor/on";
        // A refused form comes back with the same secret.
        let form = [
            ("secret", sealed.as_str()),
            ("password", PASSWORD),
            ("code", "12"),
        ];
        let refused = ann.refused(place, on, &form).await;
        assert_eq!(typed_secret(&refused), secret);
        let code = shown(&server, &secret, 0);
        let form = [
            ("secret", sealed.as_str()),
            ("password", PASSWORD),
            ("code", &code),
        ];
        let got = ann.send(place, on, &form).await;
        assert_eq!(got.status, StatusCode::OK);
        assert_eq!(got.text.matches("<li><code>").count(), 10);
        // The session goes on, and so do the forms of this very page.
        let recovery = between(&got.text, "<li><code>", "</code>").to_owned();
        ann.sees("/account", "It is on since").await;
        ann.sees(place, "10 recovery codes left").await;

        // In another browser the password leads to the code, and the code to the page that was wanted.
        let mut other = Browser::on(&server).await;
        let form = [
            ("login", "Ann"),
            ("password", PASSWORD),
            ("next", "/account"),
        ];
        let to = other.done("/sign-in", "/sign-in", &form).await;
        assert_eq!(to, "/sign-in/code?next=%2Faccount");
        assert_eq!(other.get("/account").await.status, StatusCode::SEE_OTHER);
        let page = other.page(&to).await;
        has(&page, "autocomplete=\"one-time-code\"");
        let form = [("code", "000000"), ("next", "/account")];
        let refused = other.refused(&to, "/sign-in/code", &form).await;
        assert_eq!(field(&refused, "next"), "/account");
        let form = [("code", recovery.as_str()), ("next", "/account")];
        assert_eq!(other.done(&to, "/sign-in/code", &form).await, "/account");
        other.sees("/account", "It is on since").await;
        // Sessions show which is this one, and end everywhere else.
        let page = ann.page("/account").await;
        assert_eq!(page.matches("<em>this one</em>").count(), 1);
        assert_eq!(page.matches("last used").count(), 2);
        let form = [("session", "others")];
        let to = ann.done("/account", "/account/sessions", &form).await;
        ann.sees(&to, "signed out everywhere else").await;
        assert_eq!(other.get("/account").await.status, StatusCode::SEE_OTHER);
        // A changed password gives this session another token.
        let form = [("old", PASSWORD), ("password", NEW)];
        let to = ann.done("/account", "/account/password", &form).await;
        ann.sees(&to, "Your password is changed").await;
        // Off again.
        server.wait(STEP);
        let code = shown(&server, &secret, 0);
        let form = [("password", NEW), ("code", code.as_str())];
        let to = ann.done(place, "/account/second-factor/off", &form).await;
        ann.sees(&to, "is switched off").await;
    });
}

#[test]
fn a_device_stays_known_where_its_account_gets_new_credentials() {
    servers(|server| async move {
        let app = &server.app;
        server.person("Ann").await;
        let mut ann = Browser::of(&server, "Ann").await;
        while !too_often(app.sign_in("Ann", "wrong horse", &here()).await) {}
        let sign_in = async |ann: &mut Browser, password: &str| {
            ann.done("/account", "/sign-out", &[]).await;
            let form = [("login", "Ann"), ("password", password)];
            ann.done("/sign-in", "/sign-in", &form).await
        };
        // A new password.
        let form = [("old", PASSWORD), ("password", NEW)];
        ann.done("/account", "/account/password", &form).await;
        assert_eq!(sign_in(&mut ann, NEW).await, "/matches");
        // A second factor.
        let place = "/account/second-factor";
        let page = ann.page(place).await;
        let (sealed, secret) = (field(&page, "secret").to_owned(), typed_secret(&page));
        let code = shown(&server, &secret, 0);
        let form = [
            ("secret", sealed.as_str()),
            ("password", NEW),
            ("code", &code),
        ];
        ann.send(place, "/account/second-factor/on", &form).await;
        server.wait(STEP);
        let to = sign_in(&mut ann, NEW).await;
        let code = shown(&server, &secret, 0);
        let form = [("code", code.as_str())];
        assert_eq!(ann.done(&to, "/sign-in/code", &form).await, "/matches");
        // None again.
        server.wait(STEP);
        let code = shown(&server, &secret, 0);
        let form = [("password", NEW), ("code", code.as_str())];
        ann.done(place, "/account/second-factor/off", &form).await;
        assert_eq!(sign_in(&mut ann, NEW).await, "/matches");
    });
}

#[test]
fn what_is_dangerous_asks_for_the_password_once_more() {
    servers(|server| async move {
        let app = &server.app;
        let admin = server.admin("Hanna").await;
        let class = app.create_class(&admin, "7b", true, "Anna\nBo").await;
        let class: ClassId = class.expect("a class");
        let (home, settings) = (
            format!("/class/{class}"),
            format!("/class/{class}/settings"),
        );
        let cards = format!("{home}/cards");
        let mut hanna = Browser::on(&server).await;
        hanna.sign_in("Hanna").await;
        // For a quarter of an hour the sign-in is good for it.
        server.wait(Duration::from_mins(14));
        hanna.page(&cards).await;
        server.wait(Duration::from_mins(1));
        // A page needs the password once more, and then opens.
        let asked = hanna.get(&format!("{cards}?pupil=")).await;
        assert_eq!(asked.status, StatusCode::FORBIDDEN);
        has(&asked.text, "type your password once more");
        let to = field(&asked.text, "proof-to").to_owned();
        assert_eq!(
            (field(&asked.text, "proof-for"), to.as_str()),
            ("get", format!("{cards}?pupil=").as_str())
        );
        assert!(
            !hanna
                .page(&home)
                .await
                .contains(&app.class(&admin, &class).await.expect("it").pupils[0].phrase)
        );
        // Nothing is lost by a wrong password.
        let remove = format!("{home}/remove");
        let asked = hanna
            .send(&settings, &remove, &[("typed", "7b \"x\"")])
            .await;
        assert_eq!(asked.status, StatusCode::FORBIDDEN);
        let form = [
            ("proof-for", "post"),
            ("proof-to", remove.as_str()),
            ("typed", "7b \"x\""),
            ("proof", "wrong horse"),
        ];
        let refused = hanna.refused("/account", "/prove", &form).await;
        for page in [&asked.text, &refused] {
            assert_eq!(field(page, "proof-for"), "post");
            assert_eq!(field(page, "proof-to"), remove);
            assert_eq!(field(page, "typed"), "7b &#34;x&#34;");
            // The page's own fields are not carried along.
            assert_eq!(page.matches("name=\"proof\"").count(), 1);
        }
        assert!(hanna.get(&cards).await.status == StatusCode::FORBIDDEN);
        // The right one sends the same form again.
        let form = form.map(|(name, value)| (name, if name == "proof" { PASSWORD } else { value }));
        let sent = hanna.send("/account", "/prove", &form).await;
        assert_eq!(
            (sent.status, sent.to),
            (StatusCode::TEMPORARY_REDIRECT, remove.clone())
        );
        let got = hanna.refused(&settings, &remove, &form).await;
        has(&got, "value=\"7b &#34;x&#34;\"");
        hanna.page(&cards).await;
        // The form leads to no other site.
        let form = [
            ("proof-for", "get"),
            ("proof-to", "//evil.example"),
            ("proof", PASSWORD),
        ];
        assert_eq!(hanna.done("/account", "/prove", &form).await, "/");

        // All dangerous actions need it.
        server.wait(Duration::from_mins(15));
        for (from, to) in [
            (&settings, format!("{home}/share")),
            (&settings, format!("{home}/hand-over")),
            (&settings, remove),
            (&settings, format!("{home}/archive")),
            (&settings, format!("{home}/keep")),
            (&settings, format!("{home}/unshare")),
            (&settings, "/admin/mail/retry".to_owned()),
            (&settings, "/admin/mail/remove".to_owned()),
            (&settings, "/admin/users/second-factor".to_owned()),
            (&settings, "/admin/users/invite".to_owned()),
        ] {
            let got = hanna.send(from, &to, &[]).await;
            assert!(got.text.contains("type your password once more"), "{to}");
        }
        // The links in mails on disk open every account.
        for path in ["/admin/files", "/admin/files/some.eml"] {
            let got = hanna.get(path).await;
            assert!(got.text.contains("type your password once more"), "{path}");
        }
        for page in [
            cards,
            format!("{home}/export.csv"),
            format!("{home}/export.json"),
        ] {
            let got = hanna.get(&page).await;
            assert!(got.text.contains("type your password once more"), "{page}");
        }
        // A teacher who is no admin does not find these pages.
        server.person("Otto").await;
        let mut otto = Browser::of(&server, "Otto").await;
        server.wait(Duration::from_mins(15));
        let got = otto.send("/account", "/admin/mail/retry", &[]).await;
        assert_eq!(got.status, StatusCode::NOT_FOUND);
    });
}

#[test]
fn a_new_secret_key_ends_nothing_and_a_revoked_one_ends_what_it_signed() {
    servers(async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (_, _, codes) = server.protected(&ann).await;
        server.person("Bo").await;
        server.person("Cyd").await;
        let mut bo = Browser::of(&server, "Bo").await;
        app.key.rotate(false).expect("a new key");
        // Pages and sessions of before are good.
        bo.done("/account", "/account/name", &[("name", "Bob")])
            .await;
        let proof = server.password_of("Ann", PASSWORD).await;
        app.key.rotate(false).expect("a new key");
        let token = app.sign_in_with_code(&proof, &codes[0], &here()).await;
        token.expect("both are good");

        let proof = server.password_of("Ann", PASSWORD).await;
        app.key.rotate(true).expect("a new key");
        let late = app.sign_in_with_code(&proof, &codes[1], &here()).await;
        assert!(late.is_err());
        assert!(bo.get("/account").await.status.is_redirection());
        // What is kept as a hash is found.
        let proof = server.password_of("Ann", PASSWORD).await;
        let token = app.sign_in_with_code(&proof, &codes[1], &here()).await;
        token.expect("the code is good");
        let mut cyd = Browser::of(&server, "Cyd").await;
        let name = [("name", "Bo")];
        has(
            &cyd.refused("/account", "/account/name", &name).await,
            "taken",
        );
    });
}

#[test]
fn a_new_password_is_no_proof_where_there_is_a_second_factor() {
    everywhere("password_no_proof", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let (_, token, _) = server.protected(&ann).await;
        let ben = server.person("Ben").await;
        server.wait(Duration::from_mins(20));
        let ann = server.signed_in(&token).await;
        let token = app.set_password(&ann, PASSWORD, NEW, &here()).await;
        let ann = server.signed_in(&token.expect("changed")).await;
        assert!(!app.is_proved(&ann));
        let token = app.set_password(&ben, PASSWORD, NEW, &here()).await;
        let ben = server.signed_in(&token.expect("changed")).await;
        assert!(app.is_proved(&ben));
    });
}
