//! Letters: names, passwords and addresses are the same however they are typed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use argon2::password_hash::PasswordHasher as _;
use perplex::app::accounts::{NO_INVITATIONS, SignUp, unwanted};
use perplex::app::correspondence::Opponent;
use perplex::app::{AppError, Viewer};
use perplex::mail::{self, Sender, Transport};
use perplex::store::accounts::AccountRow;
use perplex::store::outbox::OutboxState;
use perplex::store::{Conn, StoreError, accounts, invited_addresses};
use perplex::texts::refusal;

use crate::support::{Database, Folder, PATIENCE, runtime};
use crate::teams::terms;
use crate::test_app::{
    PASSWORD, TestApp, account, done, everywhere, has, here, quixo_with, sign_up_form, too_often,
    wrong,
};

impl TestApp {
    /// An account that a version before this one has made: its name was compared in small letters.
    async fn made_before(&self, name: &'static str, email: &str) -> Viewer {
        let form = SignUp {
            email: email.to_owned(),
            ..sign_up_form("Otto")
        };
        done(self.app.create_account(form, false)).await;
        let viewer = self.sign_in_again("Otto").await;
        let id = viewer.id.clone();
        let named = self
            .app
            .store
            .write(move |conn| accounts::set_name(conn, &id, name, &name.to_lowercase()));
        done::<(), StoreError>(named).await;
        viewer
    }
}

#[test]
fn a_name_is_one_however_it_is_typed() {
    everywhere("letters", async |server| {
        let app = &server.app;
        let zoe = SignUp {
            email: "zoe@example.org".to_owned(),
            ..sign_up_form(" Zoe\u{308}  \u{200b}Weiß\u{ad}")
        };
        let zoe = server.sign_up(zoe).await;
        assert_eq!(zoe.name, "Zoë Weiß");
        for typed in [
            "Zoë Weiß",
            "ZOË WEISS",
            "zoe\u{308} weiss",
            "\u{feff}Zoë\u{a0}Weiß ",
            "Ｚｏë Weiß",
        ] {
            assert_eq!(server.sign_in_again(typed).await.id, zoe.id, "{typed:?}");
            assert_eq!(done(app.player(None, typed)).await.name, "Zoë Weiß");
        }
        let other = SignUp {
            email: "other@example.org".to_owned(),
            ..sign_up_form("ZOE\u{308} WEISS")
        };
        assert_eq!(wrong(app.sign_up(other, &here()).await), ["name"]);
        let ben = server.admin("Ben").await;
        assert_eq!(wrong(app.set_name(&ben, "Zoë We\u{ad}iss").await), ["name"]);
    });
}

#[test]
fn a_name_needs_something_that_shows() {
    everywhere("letters", async |server| {
        let visit = server.visit("ann").await;
        let ann = account(&visit);
        let class = server.class(ann, "Mia").await;
        let mia = done(server.app.class(ann, &class)).await.pupils[0]
            .id
            .clone();
        let renamed = server
            .app
            .rename_pupil(ann, &class, &mia, "\u{3164}\u{200b}");
        let error = renamed.await.expect_err("it shows nothing");
        has(&refusal::error(&error), "nothing in it that can be seen");
        let team = server.team_match(&visit, terms()).await;
        for text in [
            "\u{200b}",
            "\u{3164} \u{2800}",
            "\u{200d}",
            "\u{ad}\n\u{fe0f}",
        ] {
            let said = server.app.say_in_team(&visit, &team, 0, text).await;
            assert_eq!(wrong(said), ["text"], "{text:?}");
        }
        done(server.app.say_in_team(&visit, &team, 0, "👩\u{200d}🚀")).await;
    });
}

#[test]
fn guesses_count_together_however_the_name_is_typed() {
    everywhere("letters", async |server| {
        server.admin("Ann").await;
        let mut last = false;
        for number in 0..11 {
            let login = format!("A{}nn", "\u{200b}".repeat(number));
            let tried = server
                .app
                .sign_in(&login, "not her password", &here())
                .await;
            last = too_often(tried);
        }
        assert!(last, "each form has guesses of its own");
    });
}

#[test]
fn names_that_collide_already_stay() {
    for database in Database::all("letters") {
        let before = TestApp::new(&database);
        let [weiss, sharp, tall] = runtime().block_on(async {
            let weiss = before.made_before("Weiss", "weiss@example.org").await;
            let sharp = before.made_before("Weiß", "sharp@example.org").await;
            let tall = before.made_before("Groß", "tall@example.org").await;
            [weiss.id, sharp.id, tall.id]
        });
        drop(before);
        let now = TestApp::new(&database);
        runtime().block_on(async {
            for (typed, id) in [
                ("Weiss", &weiss),
                ("WEISS", &weiss),
                ("Weiß", &sharp),
                ("weiß", &sharp),
                ("Groß", &tall),
                ("GROSS", &tall),
                ("gross", &tall),
            ] {
                assert_eq!(now.sign_in_again(typed).await.id, *id, "{typed}");
            }
            for name in ["Weiß", "Weiss", "Gross"] {
                let form = SignUp {
                    email: "other@example.org".to_owned(),
                    ..sign_up_form(name)
                };
                let made: Result<(), AppError> = now.app.create_account(form, false).await;
                assert_eq!(wrong(made), ["name"], "{name}");
            }
            // Once the other is gone, the name is found in any form.
            let viewer = now.sign_in_again("Weiss").await;
            done(now.app.delete_account(&viewer, PASSWORD)).await;
        });
        drop(now);
        let later = TestApp::new(&database);
        runtime().block_on(async {
            assert_eq!(later.sign_in_again("WEISS").await.id, sharp);
        });
    }
}

/// A password whose accents are typed in parts, as some keyboards do, and composed, as others do.
const PARTS: &str = "ru\u{308}de go\u{308}tter tra\u{308}umen";
const COMPOSED: &str = "rüde götter träumen";

#[test]
fn a_password_is_one_from_every_keyboard() {
    everywhere("letters", async |server| {
        let app = &server.app;
        for (name, chosen, typed) in [("Ann", PARTS, COMPOSED), ("Ben", COMPOSED, PARTS)] {
            let form = SignUp {
                password: chosen.to_owned(),
                ..sign_up_form(name)
            };
            let viewer = server.sign_up(form).await;
            for password in [typed, chosen] {
                done(app.sign_in(name, password, &here())).await;
                done(app.prove(&viewer, password)).await;
            }
        }
        // It is as long as it looks.
        let short = SignUp {
            password: "u\u{308}o\u{308}a\u{308}u\u{308}o\u{308}".to_owned(),
            ..sign_up_form("Cem")
        };
        assert_eq!(wrong(app.sign_up(short, &here()).await), ["password"]);
    });
}

#[test]
fn a_hash_from_before_is_good_once_more_and_renewed() {
    everywhere("letters", async |server| {
        let app = &server.app;
        let hash = async || -> String {
            let read = |conn: &mut Conn| accounts::find_by_name(conn, "Ann");
            let read: Option<AccountRow> = done::<_, StoreError>(app.store.read(read)).await;
            read.expect("Ann").password
        };
        let viewer = server.admin("Ann").await;
        for in_session in [false, true] {
            // As it was typed.
            let made = app.argon2.hash_password(PARTS.as_bytes());
            let before = made.expect("a hash").to_string();
            let set = before.clone();
            let written = app.store.write(move |conn| {
                let account = accounts::find_by_name(conn, "Ann")?.expect("Ann");
                accounts::set_password(conn, &account, &set)
            });
            assert!(done::<_, StoreError>(written).await);
            for password in [COMPOSED, "cafe\u{301} something else"] {
                let refused = app.sign_in("Ann", password, &here()).await;
                assert_eq!(wrong(refused), ["password"]);
                assert_eq!(hash().await, before);
            }
            if in_session {
                done(app.prove(&viewer, PARTS)).await;
            } else {
                done(app.sign_in("Ann", PARTS, &here())).await;
            }
            assert_ne!(hash().await, before);
            for password in [COMPOSED, PARTS] {
                done(app.sign_in("Ann", password, &here())).await;
            }
        }
    });
}

#[test]
fn a_domain_is_one_in_letters_and_in_ascii() {
    everywhere("letters", async |server| {
        let app = &server.app;
        let form = SignUp {
            email: " Ada@Scha\u{308}ch.example".to_owned(),
            ..sign_up_form("Ada")
        };
        let from = here();
        done(app.sign_up(form, &from)).await;
        let rows = server.rows(OutboxState::Waiting).await;
        assert_eq!(rows[0].address, "Ada@xn--schch-ira.example");
        let token = server.token("verify").await;
        let session = done(app.verify(&token, PASSWORD, &from)).await;
        let ada = server.signed_in(&session).await;
        for typed in [
            "ada@schäch.example",
            "ADA@SCHÄCH.EXAMPLE",
            "ada@xn--schch-ira.example",
            "ada@scha\u{308}ch.example",
        ] {
            assert_eq!(server.sign_in_again(typed).await.id, ada.id, "{typed}");
            let other = SignUp {
                email: typed.to_owned(),
                ..sign_up_form("Bea")
            };
            assert_eq!(wrong(app.create_account(other, false).await), ["email"]);
        }
        assert_eq!(done(app.account(&ada)).await.email, "Ada@schäch.example");
        // An invitation finds the account, in whichever form it was sent; a stranger who wants none gets none.
        let bob = server.admin("Bob").await;
        let invited = quixo_with(Opponent::ByMail("ada@SCHÄCH.example".to_owned()));
        done(app.create(&bob, invited)).await;
        let kept = unwanted(&app.key, "ada@schäch.example");
        assert_eq!(kept, unwanted(&app.key, "Ada@xn--schch-ira.example"));
        // As it was compared before.
        let before = app.key.mac(NO_INVITATIONS, &["ada@schäch.example"]);
        assert!(kept.contains(&before));
        assert_eq!(done(app.mine(&ada)).await.len(), 1);
    });
}

#[test]
fn addresses_to_which_no_mail_can_go_are_refused() {
    everywhere("letters", async |server| {
        let app = &server.app;
        let form = |email: &str| SignUp {
            email: email.to_owned(),
            ..sign_up_form("Jo")
        };
        for email in ["anna@[127.0.0.1]", "anna@[IPv6:::1]", "anna@127.0.0.1"] {
            assert_eq!(wrong(app.sign_up(form(email), &here()).await), ["email"]);
        }
        let ann = server.admin("Ann").await;
        let asked = || app.request_email(&ann, "jörg@example.org", PASSWORD);
        let refused = app.sign_up(form("jörg@example.org"), &here()).await;
        let error = refused.expect_err("no server takes it");
        has(&refusal::error(&error), "letters before the @");
        assert_eq!(wrong(asked().await), ["email"]);
        app.note_mail_server(true);
        done(asked()).await;
        done(app.sign_up(form("jo\u{308}rg@example.org"), &here())).await;
        let rows = server.rows(OutboxState::Waiting).await;
        assert!(
            rows.iter()
                .any(|row| row.kind == "verify" && row.address == "jörg@example.org")
        );
        app.note_mail_server(false);
        assert_eq!(wrong(asked().await), ["email"]);
    });
}

/// A mail server that says this of itself, and takes no mail. Gives its address.
fn mail_server(offers: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = listener.local_addr().expect("a place");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            let lines = BufReader::new(stream.try_clone().expect("a copy")).lines();
            stream.write_all(b"220 here\r\n").expect("a client");
            for line in lines.map_while(Result::ok) {
                let answer = match &line[..4] {
                    "EHLO" => format!("250-here\r\n{offers}250 8BITMIME\r\n"),
                    _ => "221 bye\r\n".to_owned(),
                };
                let _ = stream.write_all(answer.as_bytes());
            }
        }
    });
    format!("smtp://{place}")
}

#[test]
fn the_mail_server_says_which_letters_it_takes() {
    everywhere("letters", async |server| {
        let sender = Sender::new("https://perplex.example", "perplex@example.org");
        let sender = Arc::new(sender.expect("a sender"));
        let post = |offers| {
            let at = mail_server(offers).parse().expect("an address");
            Transport::smtp(&at, "perplex.example").expect("a mail server")
        };
        assert!(!done(post("").takes_letters()).await);
        let folder = Folder::new("letters");
        let files = Transport::files(folder.0.clone()).expect("a folder");
        assert!(!done(files.takes_letters()).await);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let worker = tokio::spawn(mail::run(
            Arc::clone(&server.app),
            Arc::new(post("250-SMTPUTF8\r\n")),
            sender,
            async move {
                let _ = stopped.await;
            },
        ));
        let start = Instant::now();
        let ann = server.admin("Ann").await;
        let asked = || server.app.request_email(&ann, "jörg@example.org", PASSWORD);
        while asked().await.is_err() {
            assert!(start.elapsed() < PATIENCE, "it was not asked");
            server.wait(Duration::from_hours(1));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.send(()).expect("it runs");
        worker.await.expect("it ends well");
    });
}

#[test]
fn addresses_that_collide_already_stay() {
    for database in Database::all("letters") {
        let before = TestApp::new(&database);
        let [plain, letters, alone] = runtime().block_on(async {
            let mut made = Vec::new();
            for (name, email) in [
                ("Ann", "ada@xn--schch-ira.example"),
                ("Ben", "ada@schäch.example"),
                ("Cem", "cem@schäch.example"),
            ] {
                let viewer = before.admin(name).await;
                let (id, now) = (viewer.id.clone(), before.app.now());
                let moved = before.app.store.write(move |conn| {
                    let account = accounts::find(conn, &id)?.expect("the account");
                    accounts::set_email(conn, &account, email, email, now)
                });
                assert!(done::<_, StoreError>(moved).await);
                made.push(viewer);
            }
            let invited = quixo_with(Opponent::ByMail("dana@example.org".to_owned()));
            let id = done(before.app.create(&made[0], invited)).await;
            let put = before.app.store.write(move |conn| {
                let mut row = invited_addresses::of_match(conn, &id)?.remove(0);
                row.email = "cem@schäch.example".to_owned();
                row.email_key.clone_from(&row.email);
                invited_addresses::put(conn, &row)
            });
            done::<(), StoreError>(put).await;
            [&made[0], &made[1], &made[2]].map(|viewer| viewer.id.clone())
        });
        drop(before);
        let now = TestApp::new(&database);
        runtime().block_on(async {
            for (typed, id) in [
                ("ada@xn--schch-ira.example", &plain),
                ("ada@schäch.example", &letters),
                ("cem@schäch.example", &alone),
                ("cem@xn--schch-ira.example", &alone),
            ] {
                assert_eq!(now.sign_in_again(typed).await.id, *id, "{typed}");
            }
            let cem = now.sign_in_again("Cem").await;
            assert_eq!(done(now.app.mine(&cem)).await.len(), 1);
        });
    }
}
