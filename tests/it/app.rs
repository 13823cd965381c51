//! The application, on both databases, with a clock that the test sets: accounts, correspondence matches from every
//! way of making one to every way of ending, mails about them, and many people at once. See `support` for the source
//! of the databases.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use crate::store::execute;
use crate::support::{Database, PATIENCE};
use crate::test_app::{
    PASSWORD, START, TestApp, done, everywhere, forbidden, gone, has, here, join, mails_without,
    new_match, not_found, play, quixo_with, refusal, sign_up_form as form, threads, too_often,
    wrong,
};
use perplex::app::accounts::{SESSION_DAYS, SignUp};
use perplex::app::correspondence::{LONGEST_LINE, MatchView, Opponent};
use perplex::app::live::Listening;
use perplex::app::snapshots::CorrespondenceSnapshot;
use perplex::app::{AppError, Clock, Viewer, Visitor};
use perplex::mail::About;
use perplex::mail::account::AccountText;
use perplex::mail::correspondence::Invitation;
use perplex::store::outbox::MailRow;
use perplex::store::{Heads, Store, StoreError, accounts, heartbeat, journal};
use perplex_games::rules::{Reason, Seat, Side};
use perplex_matches::correspondence::event::{Event, EventKind};
use perplex_matches::correspondence::{Command, Match, Phase, Refusal};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::time::{Time, days, hours};
use tokio::task::JoinSet;

/// Turns with which the first player wins by five crosses in the bottom row.
const SHORT_GAME: [&str; 9] = [
    "a1-a5", "e1-e5", "a1-a5", "e1-e5", "a1-a5", "e1-e5", "a1-a5", "e1-e5", "a1-a5",
];

/// Acts of players.
impl TestApp {
    /// The mails written since the last call, as `kind to-name` in alphabetical order.
    pub async fn mails(&self) -> Vec<String> {
        let mut mails: Vec<String> = self
            .take_rows()
            .await
            .iter()
            .map(|row| {
                let name = row.address.split('@').next().unwrap_or_default();
                format!("{} {name}", row.kind)
            })
            .collect();
        mails.sort();
        mails
    }

    async fn mails_but_talk(&self) -> Vec<String> {
        let mut mails = self.mails().await;
        mails.retain(|mail| !mail.starts_with("talk "));
        mails
    }

    pub async fn person(&self, name: &str) -> Viewer {
        self.sign_up(form(name)).await
    }

    pub async fn people<const N: usize>(&self, names: [&str; N]) -> [Viewer; N] {
        let mut people = Vec::new();
        for name in names {
            people.push(self.person(name).await);
        }
        people.try_into().expect("as many")
    }

    /// A match that has begun, in which `first` plays first.
    pub async fn game(&self, first: &Viewer, second: &Viewer) -> MatchId {
        let named = Opponent::Named(second.name.clone());
        let id = done(self.app.create(first, quixo_with(named))).await;
        self.acts(second, &id, join()).await;
        self.take_rows().await;
        id
    }

    /// A match that is made.
    async fn makes(&self, who: &Viewer, opponent: Opponent) -> MatchId {
        done(self.app.create(who, quixo_with(opponent))).await
    }

    /// A match that this viewer may see.
    async fn seen(&self, who: Option<&Viewer>, id: &MatchId) -> MatchView {
        done(self.app.load_correspondence_match(who, id, None)).await
    }

    /// A command that is accepted.
    pub async fn acts(&self, who: &Viewer, id: &MatchId, command: Command) -> Arc<Match> {
        done(self.tries(who, id, command)).await
    }

    /// A command that may be refused.
    pub async fn tries(
        &self,
        who: &Viewer,
        id: &MatchId,
        command: Command,
    ) -> Result<Arc<Match>, AppError> {
        self.app.act(who, id, None, command, "").await
    }

    pub async fn play(
        &self,
        who: &Viewer,
        id: &MatchId,
        ply: usize,
        turn: &str,
    ) -> Result<Arc<Match>, AppError> {
        self.tries(who, id, play(ply, turn)).await
    }

    /// A turn for a position that has changed.
    async fn comes_late(&self, who: &Viewer, id: &MatchId, ply: usize, turn: &str) {
        let played = self.play(who, id, ply, turn).await;
        assert_eq!(refusal(played), Refusal::Changed);
    }

    /// The mail address of an account.
    async fn address_of(&self, who: &Viewer) -> String {
        done(self.app.account(who)).await.email
    }

    async fn state(&self, id: &MatchId) -> Match {
        Match::replay(&self.events(id).await).expect("a journal")
    }

    async fn events(&self, id: &MatchId) -> Vec<Event> {
        let id = id.clone();
        let read = self
            .app
            .store
            .read(move |conn| journal::events::<Match>(conn, &id, 0));
        read.await
            .map_err(|error: StoreError| error)
            .expect("events")
    }

    /// Changes one row behind the app's back.
    async fn execute(&self, sql: String) {
        let changed = self.app.store.write(move |conn| execute(conn, &sql)).await;
        assert_eq!(changed.expect("it can be written"), 1);
    }

    async fn tick(&self) {
        self.app.tick().await.expect("a tick");
    }
}

/// The outcome of a match that is over.
fn outcome_of(state: &Match) -> (Option<Side>, Reason) {
    let outcome = state.outcome.as_ref().expect("decided");
    (outcome.winner, outcome.reason)
}

// -- Accounts ------------------------------------------------------------------------------------

#[test]
fn an_account_is_made_and_its_address_proved() {
    everywhere("sign_up", async |server| {
        let app = &server.app;
        app.sign_up(form("Ann"), &here()).await.expect("new");
        assert_eq!(server.mails().await, ["verify Ann"]);
        // The right password of an account that was not proved yet sends the link again.
        let unproved = app.sign_in("ann@example.org", PASSWORD, &here()).await;
        assert_eq!(wrong(unproved), ["login"]);
        // The name is not its own yet.
        let unproved = app.sign_in("Ann", PASSWORD, &here()).await;
        assert_eq!(wrong(unproved), ["password"]);
        let token = server.token("verify").await;
        gone(app.reset(&token, "another password", &here()).await);
        for bad in ["", "x", "a.b.c", &token[1..], &format!("{token}0")] {
            gone(app.verify(bad, PASSWORD, &here()).await);
        }
        let session = done(app.verify(&token, PASSWORD, &here())).await;
        let ann = server.viewer(&session).await.expect("a session");
        assert_eq!((ann.name.as_str(), ann.is_admin), ("Ann", false));
        assert_eq!(ann.zone(), chrono_tz::Tz::Europe__Berlin);
        // It signs in, so it is good only once.
        gone(app.verify(&token, PASSWORD, &here()).await);

        for login in ["Ann", "ann", " ANN ", "ann@EXAMPLE.org"] {
            let token = app.sign_in(login, PASSWORD, &here()).await.expect(login);
            assert_eq!(server.viewer(&token).await.expect(login).id, ann.id);
        }
        assert_eq!(server.mails().await, [""; 0]);
        assert!(server.viewer("").await.is_none());
        assert!(server.viewer("0123").await.is_none());

        // A link that is too old, and one from before the address was signed up with again.
        app.sign_up(form("Bea"), &here()).await.expect("new");
        let old = server.token("verify").await;
        server.wait(days(7));
        gone(app.verify(&old, PASSWORD, &here()).await);
        let other = SignUp {
            name: "Beatrix".to_owned(),
            password: "another password".to_owned(),
            ..form("Bea")
        };
        app.sign_up(other, &here()).await.expect("not proved yet");
        let token = server.token("verify").await;
        gone(app.verify(&old, PASSWORD, &here()).await);
        let session = done(app.verify(&token, "another password", &here())).await;
        let bea = server.viewer(&session).await.expect("a session");
        assert_eq!(bea.name, "Beatrix");
    });
}

#[test]
fn answers_do_not_tell_whether_an_address_is_known() {
    everywhere("silent", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        // A sign-up with her address under another name: the same answer, another mail.
        let again = SignUp {
            email: "ANN@example.org".to_owned(),
            ..form("Somebody")
        };
        app.sign_up(again, &here()).await.expect("the same answer");
        assert_eq!(server.mails().await, ["known-address ANN"]);
        app.sign_in("Somebody", PASSWORD, &here())
            .await
            .expect_err("nobody");
        // A new password.
        app.request_reset("nobody@example.org", &here())
            .await
            .expect("the same answer");
        assert_eq!(server.mails().await, [""; 0]);
        app.request_reset("Ann@example.org", &here())
            .await
            .expect("the same answer");
        assert_eq!(server.mails().await, ["reset Ann"]);
        // Signing in: a wrong password and an unknown name look the same.
        let answers = [
            app.sign_in("Ann", "wrong horse", &here()).await,
            app.sign_in("ann@example.org", "wrong horse", &here()).await,
            app.sign_in("Nobody", PASSWORD, &here()).await,
            app.sign_in("nobody@example.org", PASSWORD, &here()).await,
        ]
        .map(|answer| format!("{:?}", answer.expect_err("not signed in")));
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        // A change of address to a known one.
        server.person("Bea").await;
        app.request_email(&ann, "bea@example.org", PASSWORD)
            .await
            .expect("the same answer");
        assert_eq!(
            server.mails().await,
            ["known-address bea", "old-address Ann"]
        );
        // A name that was asked for with a known address is as free as one that was asked for with another.
        for address in ["Ann@example.org", "new@example.org"] {
            for email in [address, "mine@example.org"] {
                let wished = SignUp {
                    email: email.to_owned(),
                    ..form("Free")
                };
                app.sign_up(wished, &here()).await.expect("the same answer");
            }
        }
        server.take_rows().await;
        // Nor does a taken name tell whose address it is.
        for email in ["ann@example.org", "new@example.org"] {
            let taken = SignUp {
                email: email.to_owned(),
                ..form("Ann")
            };
            assert_eq!(wrong(app.sign_up(taken, &here()).await), ["name"]);
        }
        // All errors of a form are reported at once; a taken name is no secret.
        let all_wrong = SignUp {
            name: "1".to_owned(),
            email: "ann".to_owned(),
            password: "short".to_owned(),
            zone: String::new(),
            ..SignUp::default()
        };
        let said = wrong(app.sign_up(all_wrong, &here()).await);
        assert_eq!(said, ["name", "email", "password"]);
        let taken = SignUp {
            name: "ANN".to_owned(),
            ..form("Cat")
        };
        assert_eq!(wrong(app.sign_up(taken, &here()).await), ["name"]);
        assert_eq!(server.mails().await, [""; 0]);
    });
}

#[test]
fn a_password_is_reset_and_changed() {
    everywhere("reset", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        let other = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        done(app.request_reset("ann@example.org", &here())).await;
        let old = server.token("reset").await;
        server.wait(hours(2));
        gone(app.reset(&old, "another password", &here()).await);
        done(app.request_reset("ann@example.org", &here())).await;
        let token = server.token("reset").await;
        assert_eq!(
            wrong(app.reset(&token, "short", &here()).await),
            ["password"]
        );
        gone(app.verify(&token, PASSWORD, &here()).await);
        gone(app.confirm_email(&token, None).await);
        done(app.reset(&token, "another password", &here())).await;
        gone(app.reset(&token, "yet another password", &here()).await);
        // All sessions have ended.
        assert!(server.viewer(&other).await.is_none());
        assert_eq!(
            wrong(app.sign_in("Ann", PASSWORD, &here()).await),
            ["password"]
        );
        let token = done(app.sign_in("Ann", "another password", &here())).await;
        let elsewhere = done(app.sign_in("Ann", "another password", &here())).await;
        let viewer = server.viewer(&token).await.expect("a session");
        assert_eq!(viewer.id, ann.id);

        assert_eq!(
            wrong(
                app.set_password(&viewer, "wrong one", "a brand new password", &here())
                    .await
            ),
            ["old"]
        );
        let new =
            done(app.set_password(&viewer, "another password", "a brand new password", &here()))
                .await;
        assert!(server.viewer(&new).await.is_some());
        assert!(server.viewer(&elsewhere).await.is_none());
        // The reset proves the address as well.
        app.sign_up(form("Bea"), &here()).await.expect("new");
        server.take_rows().await;
        done(app.request_reset("bea@example.org", &here())).await;
        let token = server.token("reset").await;
        done(app.reset(&token, "another password", &here())).await;
        done(app.sign_in("Bea", "another password", &here())).await;
    });
}

#[test]
fn an_address_is_changed_by_the_link_to_the_new_one() {
    everywhere("address", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let denied = app
            .request_email(&ann, "new@example.org", "wrong horse")
            .await;
        assert_eq!(wrong(denied), ["password"]);
        let nonsense = app.request_email(&ann, "nonsense", PASSWORD).await;
        assert_eq!(wrong(nonsense), ["email"]);
        done(app.request_email(&ann, "new@example.org", PASSWORD)).await;
        let rows = server.take_rows().await;
        let mut to: Vec<_> = rows
            .iter()
            .map(|row| (row.kind.as_str(), row.address.as_str()))
            .collect();
        to.sort_unstable();
        assert_eq!(
            to,
            [
                ("change-address", "new@example.org"),
                ("old-address", "Ann@example.org")
            ]
        );
        let change = rows
            .iter()
            .find(|row| row.kind == "change-address")
            .expect("sent");
        let About::Account(AccountText::ChangeAddress { token }) = server.about(change).await
        else {
            panic!("no token");
        };
        done(app.request_reset("ann@example.org", &here())).await;
        let reset = server.token("reset").await;
        // Until then nothing changes.
        assert_eq!(server.address_of(&ann).await, "Ann@example.org");
        gone(app.verify(&token, PASSWORD, &here()).await);
        // A mail that waits goes to the address that the account has when it is sent.
        let id = server.game(&ann, &bea).await;
        server.play(&ann, &id, 0, "c1-a1").await.expect("her turn");
        server.take_rows().await;
        server.play(&bea, &id, 1, "e1-e5").await.expect("her turn");
        let rows = server.take_rows().await;
        let row = rows
            .iter()
            .find(|row| row.kind == "your-turn")
            .expect("hers");
        assert_eq!(row.match_id.as_ref(), Some(&id));
        assert_eq!(server.goes_to(row).await, "Ann@example.org");
        done(app.confirm_email(&token, Some(&ann))).await;
        assert_eq!(server.goes_to(row).await, "new@example.org");
        assert_eq!(server.address_of(&ann).await, "new@example.org");
        gone(app.confirm_email(&token, None).await);
        // A link in the old mailbox is void.
        gone(app.reset(&reset, "another password", &here()).await);
        done(app.sign_in("new@example.org", PASSWORD, &here())).await;

        // Too late.
        done(app.request_email(&ann, "newer@example.org", PASSWORD)).await;
        let late = server.token("change-address").await;
        server.wait(days(1));
        gone(app.confirm_email(&late, None).await);
        // Another account was quicker.
        done(app.request_email(&ann, "both@example.org", PASSWORD)).await;
        let hers = server.token("change-address").await;
        done(app.request_email(&bea, "both@example.org", PASSWORD)).await;
        let other = server.token("change-address").await;
        app.confirm_email(&other, None).await.expect("a good link");
        assert_eq!(wrong(app.confirm_email(&hers, None).await), ["email"]);
        assert_eq!(server.address_of(&ann).await, "new@example.org");
        // Mail about matches goes to the new address.
        let id = server.game(&bea, &ann).await;
        server.play(&bea, &id, 0, "a1-a5").await.expect("a turn");
        assert_eq!(server.mails().await, ["your-turn new"]);
    });
}

#[test]
fn names_and_preferences_are_changed() {
    everywhere("settings", async |server| {
        let app = &server.app;
        let [ann, _] = server.people(["Ann", "Bea"]).await;
        assert_eq!(wrong(app.set_name(&ann, "bea").await), ["name"]);
        assert_eq!(wrong(app.set_name(&ann, "a").await), ["name"]);
        for bad in [
            "evil.com",
            "Ann.B",
            "Ann@home",
            "Ann/B",
            "1Ann",
            "Com puter",
            "\u{410}nna",
        ] {
            assert_eq!(wrong(app.set_name(&ann, bad).await), ["name"], "{bad}");
        }
        for good in ["Dr. Weber", "Jörg O'Hara-Łuczak", "Ann B."] {
            app.set_name(&ann, good).await.expect(good);
            let login = good.to_lowercase();
            app.sign_in(&login, PASSWORD, &here()).await.expect("in");
            assert_eq!(app.player(None, &login).await.expect("a page").name, good);
        }
        app.set_name(&ann, "ANN").await.expect("her own");
        app.set_name(&ann, "Anna").await.expect("free");
        app.sign_in("anna", PASSWORD, &here()).await.expect("in");
        not_found(app.player(None, "Ann").await);
        assert_eq!(app.player(None, "ANNA").await.expect("a page").name, "Anna");
        let likes = |zone: &str, theme: &str| perplex::app::accounts::Preferences {
            zone: zone.to_owned(),
            numbered: true,
            confirm_turns: false,
            theme: theme.to_owned(),
            ..Default::default()
        };
        assert_eq!(
            wrong(app.set_preferences(&ann, likes("Mars", "dark")).await),
            ["zone"]
        );
        assert_eq!(
            wrong(app.set_preferences(&ann, likes("UTC", "pink")).await),
            ["theme"]
        );
        done(app.set_preferences(&ann, likes("Asia/Tokyo", "dark"))).await;
        let token = app.sign_in("anna", PASSWORD, &here()).await.expect("in");
        let anna = server.viewer(&token).await.expect("a session");
        assert_eq!(anna.zone(), chrono_tz::Tz::Asia__Tokyo);
        assert_eq!(
            (
                anna.preferences.confirm_turns,
                anna.preferences.coordinates,
                anna.preferences.numbered,
                anna.preferences.theme.as_str()
            ),
            (false, true, true, "dark")
        );
    });
}

#[test]
fn sessions_are_listed_end_and_run_out() {
    everywhere("sessions", async |server| {
        let app = &server.app;
        server.person("Ann").await;
        let phone = Visitor {
            address: "::2".to_owned(),
            agent: "phone".to_owned(),
            ..Visitor::default()
        };
        let control = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        let pocket = app.sign_in("Ann", PASSWORD, &phone).await.expect("in");
        let ann = server.viewer(&control).await.expect("a session");
        let sessions = app.sessions(&ann).await.expect("hers");
        assert_eq!(sessions.len(), 3);
        assert_eq!(
            sessions
                .iter()
                .filter(|session| session.id == ann.session)
                .count(),
            1
        );
        let other = sessions
            .iter()
            .find(|session| session.agent == "phone")
            .expect("listed");
        // No account ends another's session.
        let bea = server.person("Bea").await;
        app.end_session(&bea, &other.id).await.expect("left alone");
        assert!(server.viewer(&pocket).await.is_some());
        app.end_session(&ann, &other.id).await.expect("ended");
        assert!(server.viewer(&pocket).await.is_none());
        app.end_other_sessions(&ann).await.expect("ended");
        assert_eq!(app.sessions(&ann).await.expect("hers").len(), 1);
        // Using it keeps it; not using it ends it.
        server.wait(days(SESSION_DAYS - 1));
        assert!(server.viewer(&control).await.is_some());
        server.wait(days(SESSION_DAYS - 1));
        assert!(server.viewer(&control).await.is_some());
        server.wait(days(SESSION_DAYS));
        assert!(server.viewer(&control).await.is_none());
        server.lives(days(1)).await;
        // The server removes ended sessions, with their addresses and agents.
        let rows = async || {
            let (store, id) = (&app.store, ann.id.clone());
            done(store.read(move |conn| accounts::sessions(conn, &id, Time(0))))
                .await
                .len()
        };
        assert_eq!(rows().await, 1);
        app.tick().await.expect("a tick");
        assert_eq!(rows().await, 0);
        let control = app.sign_in("Ann", PASSWORD, &here()).await.expect("in");
        app.sign_out(&control).await.expect("out");
        assert!(server.viewer(&control).await.is_none());
    });
}

#[test]
fn a_deleted_player_stays_in_finished_matches_only() {
    everywhere("deleted", async |server| {
        let app = &server.app;
        let [ann, bea, cat] = server.people(["Ann", "Bea", "Cat"]).await;
        let finished = server.game(&ann, &bea).await;
        server.acts(&bea, &finished, Command::Resign).await;
        let running = server.game(&bea, &ann).await;
        let seek = server.makes(&ann, Opponent::Anyone).await;
        let challenged = server.makes(&bea, Opponent::Named("Ann".to_owned())).await;
        let four = new_match("quixo", "four", None, Opponent::Anyone);
        let four = app.create(&bea, four).await.expect("new");
        server.acts(&ann, &four, join()).await;
        server.take_rows().await;

        assert_eq!(
            wrong(app.delete_account(&ann, "wrong horse").await),
            ["password"]
        );
        app.delete_account(&ann, PASSWORD).await.expect("hers");
        let mails = server.mails().await;
        // Nothing goes to who has no address any more.
        let told = ["game-over Bea", "left Bea", "refused Bea"];
        assert_eq!(mails, told);

        let state = server.state(&running).await;
        assert_eq!(outcome_of(&state), (Some(Side::First), Reason::Resign));
        assert_eq!(server.state(&seek).await.outcome, None);
        assert_eq!(server.state(&seek).await.phase, Phase::Over);
        assert_eq!(server.state(&challenged).await.phase, Phase::Over);
        assert_eq!(server.state(&four).await.joined.len(), 1);
        not_found(app.load_correspondence_match(Some(&cat), &seek, None).await);

        let view = server.seen(Some(&cat), &finished).await;
        let names: Vec<_> = view
            .joined
            .iter()
            .map(|name| name.name.as_deref())
            .collect();
        assert_eq!(names, [None, Some("Bea")]);
        let winner = view.state.outcome.expect("decided").winner;
        assert_eq!(winner, Some(Side::First));
        let page = app.player(None, "Bea").await.expect("a page");
        assert_eq!((page.results[0].won, page.results[0].lost), (1, 1));
        not_found(app.player(None, "Ann").await);
        wrong(app.sign_in("Ann", PASSWORD, &here()).await);
        wrong(
            app.create(&bea, quixo_with(Opponent::Named("Ann".to_owned())))
                .await,
        );
        // The address is free again, and the name for nobody else.
        let name = app.sign_up(form("Ann"), &here()).await;
        assert_eq!(wrong(name), ["name"]);
        let again = SignUp {
            name: "Another".to_owned(),
            ..form("Ann")
        };
        let again = server.sign_up(again).await;
        assert_ne!(again.id, ann.id);
        assert_eq!(app.mine(&again).await.expect("hers").len(), 0);
    });
}

#[test]
fn two_who_sign_up_at_once_are_both_answered() {
    everywhere("rivals", async |server| {
        for round in 0..4 {
            let mut both = JoinSet::new();
            for rival in 0..2 {
                let app = Arc::clone(&server.app);
                // The same name, the same address, or both, as from a double click.
                let form = SignUp {
                    name: if round == 1 {
                        format!("R{rival}x{round}")
                    } else {
                        format!("Rx{round}")
                    },
                    email: if round == 2 {
                        format!("r{rival}x{round}@example.org")
                    } else {
                        format!("r{round}@example.org")
                    },
                    ..form("R")
                };
                both.spawn(async move { app.sign_up(form, &here()).await });
            }
            // The name belongs to the one who proves an address first.
            for result in both.join_all().await {
                result.unwrap_or_else(|error| panic!("{round}: {error}"));
            }
        }
    });
}

#[test]
fn limits_hold() {
    everywhere("limits", async |server| {
        let app = &server.app;
        let ann = server.person("Ann").await;
        // Ten attempts at one account; another account is not touched by it.
        for _ in 0..10 {
            assert_eq!(
                wrong(app.sign_in("Ann", "wrong horse", &here()).await),
                ["password"]
            );
        }
        assert!(too_often(app.sign_in("ann", PASSWORD, &here()).await));
        let other = app.sign_in("Bea", PASSWORD, &here()).await;
        assert_eq!(wrong(other), ["password"]);
        // Five mails to one address, whether it is known or not.
        for address in ["nobody@example.org", "Cat@example.org"] {
            for _ in 0..5 {
                app.request_reset(address, &here()).await.expect("sent");
            }
            assert!(too_often(app.request_reset(address, &here()).await));
            assert!(too_often(
                app.request_reset(&address.to_uppercase(), &here()).await
            ));
        }
        // They keep nobody from signing up, which has mails of its own.
        for _ in 0..5 {
            app.sign_up(form("Cat"), &here()).await.expect("sent");
        }
        assert!(too_often(app.sign_up(form("Cat"), &here()).await));
        server.take_rows().await;
        // Invitations by mail.
        let mut sent = 0;
        for number in 0..30 {
            let to = Opponent::ByMail(format!("x{number}@example.org"));
            match app.create(&ann, quixo_with(to)).await {
                Ok(_) => sent += 1,
                result => assert!(too_often(result)),
            }
        }
        assert_eq!(sent, 5);
        assert_eq!(server.mails().await.len(), 5);
        // Matches.
        let mut made = 0;
        for _ in 0..30 {
            match app.create(&ann, quixo_with(Opponent::ByLink)).await {
                Ok(_) => made += 1,
                result => assert!(too_often(result)),
            }
        }
        assert_eq!(made, 20, "50 with those before");
        // Talk.
        let bea = server.person("Bea").await;
        let id = server.makes(&bea, Opponent::Named("Ann".to_owned())).await;
        server.acts(&ann, &id, join()).await;
        let mut said = 0;
        for _ in 0..25 {
            match app.say(&ann, &id, "hello").await {
                Ok(()) => said += 1,
                result => assert!(too_often(result)),
            }
        }
        assert!((20..25).contains(&said), "{said}");
        app.say(&bea, &id, "hello")
            .await
            .expect("not limited by another's talk");
    });
}

// -- Matches -------------------------------------------------------------------------------------

#[test]
fn matches_are_made_in_four_ways() {
    everywhere("ways", async |server| {
        let app = &server.app;
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;

        // Open to all, in the lobby.
        let open = server.makes(&ann, Opponent::Anyone).await;
        assert_eq!(server.mails().await, [""; 0]);
        let lobby = app.lobby(None).await.expect("the lobby");
        assert_eq!(lobby.len(), 1);
        assert_eq!(
            (&lobby[0].id, lobby[0].people[0].name.as_deref()),
            (&open, Some("Ann"))
        );
        let view = server.seen(Some(&eve), &open).await;
        assert!(
            view.rights.join
                && view.link.is_none()
                && view.heads
                    == Heads {
                        event: 2,
                        ..Heads::default()
                    }
        );
        app.load_correspondence_match(None, &open, None)
            .await
            .expect("open to guests");
        assert_eq!(
            refusal(server.tries(&ann, &open, join()).await),
            Refusal::JoinedAlready { you: true }
        );
        server.acts(&bea, &open, join()).await;
        assert_eq!(server.mails().await, ["your-turn Ann"]);
        assert_eq!(app.lobby(None).await.expect("the lobby").len(), 0);
        assert_eq!(
            refusal(server.tries(&eve, &open, join()).await),
            Refusal::NotGathering
        );

        // A challenge by name: only the two players see it.
        let named = Opponent::Named(" bea ".to_owned());
        let challenge = app.create(&ann, quixo_with(named)).await.expect("new");
        assert_eq!(server.mails().await, ["challenge Bea"]);
        assert_eq!(app.lobby(Some(&bea)).await.expect("the lobby").len(), 0);
        for stranger in [Some(&eve), None] {
            not_found(
                app.load_correspondence_match(stranger, &challenge, None)
                    .await,
            );
            not_found(
                app.load_correspondence_match(stranger, &challenge, Some("0123"))
                    .await,
            );
            not_found(app.heads(stranger, &challenge).await);
        }
        for command in [
            join(),
            Command::Refuse,
            Command::Withdraw,
            Command::Resign,
            play(0, "a1-a5"),
        ] {
            not_found(server.tries(&eve, &challenge, command).await);
        }
        not_found(app.say(&eve, &challenge, "hello").await);
        let mine = app.mine(&bea).await.expect("hers");
        assert!(
            mine.iter()
                .any(|listed| listed.id == challenge && listed.challenged)
        );
        // Declined: the maker hears of it, and it is over.
        let declined = server.acts(&bea, &challenge, Command::Refuse).await;
        assert_eq!((declined.phase, declined.outcome), (Phase::Over, None));
        assert_eq!(server.mails().await, ["refused Ann"]);
        not_found(server.tries(&bea, &challenge, join()).await);
        assert_eq!(
            refusal(server.tries(&ann, &challenge, Command::Withdraw).await),
            Refusal::CannotCallOff
        );
        for (opponent, field) in [
            (Opponent::Named("Nobody".to_owned()), "opponent"),
            (Opponent::Named("Ann".to_owned()), "terms"),
            (Opponent::ByMail("nonsense".to_owned()), "opponent"),
        ] {
            assert_eq!(wrong(app.create(&ann, quixo_with(opponent)).await), [field]);
        }

        // Withdrawn: it can no longer be accepted.
        let withdrawn = server.makes(&ann, Opponent::Named("Bea".to_owned())).await;
        server.take_rows().await;
        assert_eq!(
            refusal(server.tries(&bea, &withdrawn, Command::Withdraw).await),
            Refusal::CannotCallOff
        );
        server.acts(&ann, &withdrawn, Command::Withdraw).await;
        assert_eq!(server.mails().await, [""; 0]);
        assert_eq!(
            refusal(server.tries(&bea, &withdrawn, join()).await),
            Refusal::NotGathering
        );
        assert_eq!(
            refusal(server.tries(&bea, &withdrawn, Command::Refuse).await),
            Refusal::NotChallenged
        );

        // By a link, which only its maker can hand on.
        let by_link = server.makes(&ann, Opponent::ByLink).await;
        assert_eq!(server.mails().await, [""; 0]);
        let link = server
            .seen(Some(&ann), &by_link)
            .await
            .link
            .expect("a link");
        let proof = link.rsplit('/').next().expect("a proof");
        assert_eq!(link, format!("/join/{by_link}/{proof}"));
        let other_proof = app
            .join_link(&open)
            .rsplit('/')
            .next()
            .expect("a proof")
            .to_owned();
        not_found(
            app.load_correspondence_match(Some(&bea), &by_link, Some(&other_proof))
                .await,
        );
        app.load_correspondence_match(None, &by_link, Some(proof))
            .await
            .expect("shown the link");
        let view = app
            .load_correspondence_match(Some(&bea), &by_link, Some(proof))
            .await
            .expect("shown the link");
        assert!(view.rights.join && view.link.is_none());
        not_found(server.tries(&bea, &by_link, join()).await);
        let forged = Command::Join {
            wish: None,
            by_link: true,
        };
        not_found(server.tries(&bea, &by_link, forged).await);
        app.act(&bea, &by_link, Some(proof), join(), "")
            .await
            .expect("shown the link");
        assert_eq!(server.mails().await, ["your-turn Ann"]);
        assert!(
            app.act(&eve, &by_link, Some(proof), join(), "")
                .await
                .is_err()
        );

        // By mail to an address without an account.
        let by_mail = Opponent::ByMail("Dan@example.org".to_owned());
        let by_mail = app.create(&ann, quixo_with(by_mail)).await.expect("new");
        let rows = server.take_rows().await;
        assert_eq!((rows.len(), rows[0].account_id.as_ref()), (1, None));
        let About::Invitation(Invitation { from, path, .. }) = server.about(&rows[0]).await else {
            panic!("no invitation");
        };
        assert_eq!(from.as_str(), "Ann");
        // It is the invitation's own, which is used up by whoever joins, and not the link of the match.
        let link = path.as_str();
        assert_ne!(link, app.join_link(&by_mail));
        let dan = server.person("Dan").await;
        let wish = Command::Join {
            wish: Some("second".to_owned()),
            by_link: false,
        };
        done(app.act(&dan, &by_mail, link.rsplit('/').next(), wish, "")).await;
        assert_eq!(server.mails().await, ["your-turn Ann"]);
        assert_eq!(server.state(&by_mail).await.seat_of(&dan.id), Some(Seat(1)));

        // A visitor with the link of a challenge takes the place of the challenged player.
        let shared = server.makes(&ann, Opponent::Named("Bea".to_owned())).await;
        let link = app.join_link(&shared);
        app.act(&eve, &shared, link.rsplit('/').next(), join(), "")
            .await
            .expect("shown the link");
        server.take_rows().await;
        assert_eq!(
            refusal(server.tries(&bea, &shared, Command::Refuse).await),
            Refusal::NotChallenged
        );
        assert_eq!(server.state(&shared).await.phase, Phase::Playing);
        assert!(
            done(app.mine(&bea))
                .await
                .iter()
                .all(|listed| listed.id != shared)
        );
    });
}

#[test]
fn an_invitation_belongs_to_its_address() {
    everywhere("invitations", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let asks = async |address: &str| {
            let to = Opponent::ByMail(address.to_owned());
            let id = app.create(&ann, quixo_with(to)).await.expect("new");
            let mut rows = server.take_rows().await;
            (id, rows.pop().expect("a mail"))
        };
        let asked = async |id: &MatchId| {
            let view = done(app.load_correspondence_match(Some(&ann), id, None)).await;
            let asked = view.addresses.into_iter();
            asked
                .map(|one| (one.email, one.declined))
                .collect::<Vec<_>>()
        };
        let waits_for = async |viewer: &Viewer| {
            let mine = done(app.mine(viewer)).await.into_iter();
            let waiting = mine.filter(|one| one.invitation.is_some() && one.challenged);
            waiting.map(|one| one.id).collect::<Vec<_>>()
        };

        // It waits for whoever has the address or gets it, and nobody else sees it.
        let (id, _) = asks("DAN@example.org").await;
        assert_eq!(asked(&id).await, [("DAN@example.org".to_owned(), false)]);
        let dan = server.person("Dan").await;
        assert_eq!(waits_for(&dan).await, slice::from_ref(&id));
        assert!(waits_for(&bea).await.is_empty());
        // It is declined with the account, and may be sent again.
        done(app.decline_invitation(Some(&bea), &id, "")).await;
        assert_eq!(asked(&id).await, [("DAN@example.org".to_owned(), false)]);
        done(app.decline_invitation(Some(&dan), &id, "")).await;
        assert_eq!(asked(&id).await, [("DAN@example.org".to_owned(), true)]);
        assert!(waits_for(&dan).await.is_empty());
        let [told] = &server.take_rows().await[..] else {
            panic!("one mail")
        };
        assert_eq!(
            (&*told.kind, &*told.address),
            ("refused", "Ann@example.org")
        );
        let About::Match(news) = server.about(told).await else {
            panic!("no news")
        };
        let text = news.render().expect("a text");
        has(&text, "DAN@example.org declines: Quixo");
        has(&text, "The match still waits");
        // Once is enough.
        done(app.decline_invitation(Some(&dan), &id, "")).await;
        assert_eq!(server.take_rows().await, []);
        done(app.invite_address(&ann, &id, "dan@example.org")).await;
        let again = server.take_rows().await;
        assert!(server.is_wanted(&again[0]).await);
        assert_eq!(waits_for(&dan).await, slice::from_ref(&id));
        // Once the match has begun, the addresses are forgotten.
        let mut mine = done(app.mine(&dan)).await;
        let link = mine.remove(0).invitation.expect("a link");
        done(app.act(&dan, &id, link.rsplit('/').next(), join(), "")).await;
        server.take_rows().await;
        assert!(asked(&id).await.is_empty() && waits_for(&dan).await.is_empty());

        // Without an account the mail is the proof.
        let (id, mail) = asks("zoe@example.org").await;
        let About::Invitation(Invitation { path, .. }) = server.about(&mail).await else {
            panic!("no invitation");
        };
        let (_, proof) = path.rsplit_once('/').expect("a proof");
        for (proof, declined) in [("", false), ("0123", false), (proof, true)] {
            done(app.decline_invitation(None, &id, proof)).await;
            assert_eq!(asked(&id).await, [("zoe@example.org".to_owned(), declined)]);
        }
        assert_eq!(server.take_rows().await.len(), 1);
        let old = id;

        // What is withdrawn is not sent. Only the maker of the match invites and withdraws.
        let (id, mail) = asks("eve@example.org").await;
        for result in [
            app.invite_address(&bea, &id, "eve@example.org").await,
            app.withdraw_address(&bea, &id, "eve@example.org").await,
        ] {
            not_found(result);
        }
        assert!(server.is_wanted(&mail).await);
        done(app.withdraw_address(&ann, &id, "EVE@example.org")).await;
        assert!(!server.is_wanted(&mail).await && asked(&id).await.is_empty());
        let eve = server.person("Eve").await;
        assert!(waits_for(&eve).await.is_empty());
        // An account that is deleted takes its address along.
        done(app.invite_address(&ann, &id, "eve@example.org")).await;
        assert_eq!(waits_for(&eve).await, slice::from_ref(&id));
        done(app.delete_account(&eve, PASSWORD)).await;
        assert!(asked(&id).await.is_empty());
        // Nor is an address kept for long.
        server.lives(days(31)).await;
        app.tick().await.expect("ticked");
        assert!(asked(&old).await.is_empty());
    });
}

/// The link in a mail is good as long as its invitation stands, and brings one player: it is not the link of the match.
#[test]
fn a_mailed_link_ends_with_its_invitation() {
    everywhere("invitation_links", async |server| {
        let app = &server.app;
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;
        let opens = async |id: &MatchId, proof: &str| {
            let seen = app.load_correspondence_match(None, id, Some(proof)).await;
            let joins = app.act(&eve, id, Some(proof), join(), "").await;
            assert_eq!(seen.is_ok(), joins.is_ok(), "{joins:?}");
            seen.is_ok()
        };
        let ends: [(&str, _); 3] = [("withdrawn", 0), ("declined", 1), ("30 days old", 2)];
        for (what, way) in ends {
            let to = Opponent::ByMail("dan@example.org".to_owned());
            let id = app.create(&ann, quixo_with(to)).await.expect("new");
            let mail = server.take_rows().await.pop().expect("a mail");
            let About::Invitation(Invitation { path, .. }) = server.about(&mail).await else {
                panic!("no invitation");
            };
            let (_, proof) = path.rsplit_once('/').expect("a proof");
            // It opens one match.
            let other = server.makes(&ann, Opponent::ByLink).await;
            assert!(!opens(&other, proof).await);
            let seen = app.load_correspondence_match(None, &id, Some(proof)).await;
            assert!(seen.expect("the invited one").link.is_none());
            match way {
                0 => done(app.withdraw_address(&ann, &id, "dan@example.org")).await,
                1 => done(app.decline_invitation(None, &id, proof)).await,
                _ => {
                    server.lives(days(31)).await;
                    app.tick().await.expect("ticked");
                }
            }
            assert!(!opens(&id, proof).await, "{what}");
            // Invited again, the address has the same link; the link of the match was good all the time.
            done(app.invite_address(&ann, &id, "dan@example.org")).await;
            let seen = app.load_correspondence_match(None, &id, Some(proof)).await;
            assert!(seen.is_ok(), "{what}");
            let link = app.join_link(&id);
            assert!(opens(&id, link.rsplit('/').next().expect("a proof")).await);
            server.take_rows().await;
        }

        // With four seats an invitation brings one of them.
        let to = Opponent::ByMail("dan@example.org".to_owned());
        let four = new_match("quixo", "four", None, to);
        let id = app.create(&ann, four).await.expect("new");
        let mail = server.take_rows().await.pop().expect("a mail");
        let About::Invitation(Invitation { path, .. }) = server.about(&mail).await else {
            panic!("no invitation");
        };
        let (_, proof) = path.rsplit_once('/').expect("a proof");
        done(app.act(&bea, &id, Some(proof), join(), "")).await;
        assert!(!opens(&id, proof).await, "used up");
        let view = done(app.load_correspondence_match(Some(&ann), &id, None)).await;
        assert_eq!((view.joined.len(), view.addresses.len()), (2, 0));
    });
}

#[test]
fn a_whole_game_is_played_and_both_are_told() {
    everywhere("game", async |server| {
        let app = &server.app;
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;
        let challenge = Opponent::Named("Bea".to_owned());
        let mut wanted = quixo_with(challenge);
        wanted.wish = Some("second".to_owned());
        let id = app.create(&ann, wanted).await.expect("new");
        server.take_rows().await;
        let listening = app.correspondence.live.listen(&id);
        // Bea accepts and is to move: that is in her mail, too.
        server.acts(&bea, &id, join()).await;
        assert_eq!(server.mails().await, ["started Ann", "your-turn Bea"]);
        let players = [&bea, &ann];
        for (ply, turn) in SHORT_GAME.into_iter().enumerate() {
            server.wait(hours(1));
            let (who, other) = (players[ply % 2], players[(ply + 1) % 2]);
            assert_eq!(
                refusal(server.play(other, &id, ply, turn).await),
                Refusal::NotYourTurn
            );
            assert!(matches!(
                refusal(server.play(who, &id, ply, "c3-a3").await),
                Refusal::Turn(_)
            ));
            assert_eq!(
                refusal(server.play(&eve, &id, ply, turn).await),
                Refusal::NotAPlayer
            );
            let after = server.play(who, &id, ply, turn).await.expect("legal");
            assert_eq!(after.turns.len(), ply + 1);
            assert_eq!(listening.heads().event, after.head);
            let told = server.mails().await;
            if ply == 8 {
                assert_eq!(told, ["game-over Ann", "game-over Bea"]);
            } else {
                assert_eq!(told, [format!("your-turn {}", other.name)]);
                let mine = app.mine(other).await.expect("theirs");
                assert_eq!(mine[0].to_move.as_ref(), Some(&other.id));
                assert_eq!(mine[0].deadline, Some(app.now() + days(3)));
            }
        }
        let state = server.state(&id).await;
        assert_eq!(state.phase, Phase::Over);
        assert_eq!(outcome_of(&state), (Some(Side::First), Reason::Line));
        // The winning turn once more, from a second click, is taken already; any other is late.
        server
            .play(&bea, &id, 8, "a1-a5")
            .await
            .expect("taken already");
        let late = server.play(&bea, &id, 8, "b1-b5").await;
        assert_eq!(refusal(late), Refusal::NotPlaying(Phase::Over));
        assert_eq!(server.state(&id).await.head, state.head);
        assert_eq!(server.mails().await, [""; 0]);
        for (name, won, lost) in [("Ann", 0, 1), ("Bea", 1, 0)] {
            let page = app.player(None, name).await.expect("a page");
            assert_eq!((page.results[0].won, page.results[0].lost), (won, lost));
            assert_eq!((page.playing.len(), page.over.len()), (0, 1));
        }
    });
}

#[test]
fn an_old_position_is_refused_and_the_same_turn_twice_taken_once() {
    everywhere("twice", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let id = server.game(&ann, &bea).await;
        let note = "Good luck!";
        done(app.act(&ann, &id, None, play(0, "c1-a1"), note)).await;
        let head = server.state(&id).await.head;
        // A second click, in the same or another spelling.
        for spelling in ["c1-a1", " C1-A1 "] {
            let again = app.act(&ann, &id, None, play(0, spelling), note).await;
            assert_eq!(again.expect("taken already").head, head);
        }
        assert_eq!(server.seen(Some(&ann), &id).await.talk.len(), 1);
        // Another turn for that position, or another's.
        server.comes_late(&ann, &id, 0, "c1-e1").await;
        server.comes_late(&bea, &id, 0, "c1-a1").await;
        server.comes_late(&bea, &id, 5, "c1-a1").await;
        server.play(&bea, &id, 1, "e1-e5").await.expect("legal");
        // Long ago.
        server.comes_late(&ann, &id, 0, "c1-a1").await;
        assert_eq!(server.state(&id).await.turns.len(), 2);
        assert_eq!(server.mails().await, ["your-turn Ann", "your-turn Bea"]);
    });
}

#[test]
fn draws_are_offered_accepted_and_declined() {
    everywhere("draws", async |server| {
        let app = &server.app;
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;
        let id = server.game(&ann, &bea).await;
        assert_eq!(
            refusal(server.tries(&eve, &id, Command::Offer).await),
            Refusal::NotAPlayer
        );
        assert_eq!(
            refusal(server.tries(&bea, &id, Command::Accept).await),
            Refusal::NoOffer
        );
        server.acts(&ann, &id, Command::Offer).await;
        assert_eq!(server.mails().await, ["draw-offer Bea"]);
        assert_eq!(
            refusal(server.tries(&ann, &id, Command::Accept).await),
            Refusal::NoOffer
        );
        assert_eq!(
            refusal(server.tries(&eve, &id, Command::Accept).await),
            Refusal::NotAPlayer
        );
        let view = server.seen(Some(&bea), &id).await;
        assert!(view.rights.answer && !view.rights.offer);
        server.acts(&bea, &id, Command::Decline).await;
        assert_eq!(server.mails().await, ["draw-declined Ann"]);
        assert_eq!(
            refusal(server.tries(&ann, &id, Command::Offer).await),
            Refusal::OfferDeclined
        );
        // With a turn: one mail says both.
        server.play(&ann, &id, 0, "c1-a1").await.expect("legal");
        server.take_rows().await;
        let with_offer = Command::Play {
            ply: 1,
            turn: "e1-e5".to_owned(),
            offer: true,
        };
        server.acts(&bea, &id, with_offer).await;
        let rows = server.take_rows().await;
        let events = server.events(&id).await;
        assert_eq!(events.last().expect("some").kind, EventKind::Offer);
        assert_eq!((rows.len(), rows[0].kind.as_str()), (1, "your-turn"));
        assert_eq!(rows[0].event, Some(events.last().expect("some").number));
        let over = server.acts(&ann, &id, Command::Accept).await;
        assert_eq!(outcome_of(&over), (None, Reason::Agreement));
        assert_eq!(server.mails().await, ["game-over Ann", "game-over Bea"]);
        let page = app.player(None, "Ann").await.expect("a page");
        assert_eq!(page.results[0].drawn, 1);
    });
}

#[test]
fn a_player_resigns_at_any_time() {
    everywhere("resigns", async |server| {
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;
        let id = server.game(&ann, &bea).await;
        assert_eq!(
            refusal(server.tries(&eve, &id, Command::Resign).await),
            Refusal::NotAPlayer
        );
        let over = server.acts(&bea, &id, Command::Resign).await;
        assert_eq!(outcome_of(&over), (Some(Side::First), Reason::Resign));
        assert_eq!(server.mails().await, ["game-over Ann", "game-over Bea"]);
        for command in [
            Command::Resign,
            Command::Offer,
            Command::Accept,
            play(0, "a1-a5"),
        ] {
            let late = server.tries(&ann, &id, command).await;
            assert_eq!(refusal(late), Refusal::NotPlaying(Phase::Over));
        }
    });
}

#[test]
fn talk_is_for_the_players() {
    everywhere("talk", async |server| {
        let app = &server.app;
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;
        let id = server.game(&ann, &bea).await;
        done(app.act(
            &ann,
            &id,
            None,
            play(0, "c1-a1"),
            " Good luck!\r\n<b>bold</b> ",
        ))
        .await;
        app.say(&bea, &id, "Thanks!").await.expect("a player");
        let view = server.seen(Some(&bea), &id).await;
        let lines: Vec<_> = view
            .talk
            .iter()
            .map(|line| {
                (
                    line.number,
                    line.by.name.as_deref().unwrap_or_default(),
                    line.text.as_deref().unwrap_or("lost"),
                    line.ply,
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                (1, "Ann", "Good luck!\n<b>bold</b>", Some(1)),
                (2, "Bea", "Thanks!", None)
            ]
        );
        let head = view.state.head;
        assert_eq!(
            view.heads,
            Heads {
                event: head,
                talk: 2,
                door: 0,
            }
        );
        assert_eq!(app.heads(Some(&ann), &id).await.expect("hers").talk, 2);
        // A third person sees the match but none of the talk, not even that there is some.
        for stranger in [Some(&eve), None] {
            let view = server.seen(stranger, &id).await;
            assert!(view.talk.is_empty() && !view.rights.talk);
            assert_eq!(
                view.heads,
                Heads {
                    event: head,
                    ..Heads::default()
                }
            );
            assert_eq!(app.heads(stranger, &id).await.expect("public").talk, 0);
        }
        forbidden(app.say(&eve, &id, "Hello").await);
        assert_eq!(wrong(app.say(&ann, &id, " \n ").await), ["text"]);
        let long = "é".repeat(LONGEST_LINE);
        app.say(&ann, &id, &long).await.expect("as long as may be");
        wrong(app.say(&ann, &id, &format!("{long}é")).await);
        wrong(
            app.act(&bea, &id, None, play(1, "e1-e5"), &format!("{long}é"))
                .await,
        );
        assert_eq!(server.state(&id).await.turns.len(), 1);
        // A note that came with a refused turn is not stored.
        assert!(
            app.act(&bea, &id, None, play(1, "c3-a3"), "lost")
                .await
                .is_err()
        );
        assert_eq!(server.seen(Some(&ann), &id).await.talk.len(), 3);
        // Of a long talk the page has the latest messages, and another one those before.
        for number in 0..220 {
            server.wait(Duration::from_secs(2));
            let said = format!("Line {number}\u{202e}\u{200b}!");
            done(app.say(&ann, &id, &said)).await;
        }
        let view = server.seen(Some(&ann), &id).await;
        assert_eq!(view.talk.len(), 200);
        assert_eq!(view.talk[199].text.as_deref(), Some("Line 219!"));
        let first = view.talk[0].number;
        let before = done(app.load_with_talk(Some(&bea), &id, None, first)).await;
        let numbers: Vec<i32> = before.talk.iter().map(|line| line.number).collect();
        assert_eq!(numbers, (1..first).collect::<Vec<_>>());
        // Before a match begins there is no opponent to talk to.
        let seek = server.makes(&ann, Opponent::Anyone).await;
        forbidden(app.say(&ann, &seek, "Hello").await);
    });
}

#[test]
fn kinds_of_mail_that_are_switched_off_are_not_written() {
    everywhere("off", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let off = mails_without(&["your-turn", "game-over", "challenge", "nonsense"]);
        app.set_mail(&bea, off).await.expect("hers");
        let off = mails_without(&["your-turn", "game-over", "challenge"]);
        assert_eq!(app.account(&bea).await.expect("hers").mail, off);
        let id = server.makes(&ann, Opponent::Named("Bea".to_owned())).await;
        assert_eq!(server.mails().await, [""; 0]);
        server.acts(&bea, &id, join()).await;
        assert_eq!(server.mails().await, ["your-turn Ann"]);
        server.play(&ann, &id, 0, "a1-a5").await.expect("legal");
        assert_eq!(server.mails().await, [""; 0]);
        server.play(&bea, &id, 1, "e1-e5").await.expect("legal");
        assert_eq!(server.mails().await, ["your-turn Ann"]);
        // Mails that are not switched off still come; the link in a mail adds to those that are.
        server.acts(&ann, &id, Command::Offer).await;
        assert_eq!(server.mails().await, ["draw-offer Bea"]);
        let subject = format!("{}/draw-offer", bea.id);
        let address = app.account(&bea).await.expect("hers").email;
        let until = app.now() + days(1);
        let token = app.key.seal("mail-off", &subject, &address, until);
        app.mail_off(&token).await.expect("a good link");
        app.mail_off(&token).await.expect("as often as one likes");
        gone(app.mail_off(&token.replace("draw-offer", "reminder")).await);
        let off = off.without("draw-offer");
        assert_eq!(app.account(&bea).await.expect("hers").mail, off);
        server.acts(&ann, &id, Command::Resign).await;
        assert_eq!(server.mails().await, ["game-over Ann"]);
        app.set_mail(&bea, mails_without(&[])).await.expect("hers");
        server.game(&bea, &ann).await;
    });
}

// -- Time ----------------------------------------------------------------------------------------

#[test]
fn days_run_out_by_the_clock_alone() {
    everywhere("timeout", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let id = server.game(&ann, &bea).await;
        server.wait(days(2));
        server.play(&ann, &id, 0, "c1-a1").await.expect("in time");
        let deadline = server.state(&id).await.deadline.expect("one");
        assert_eq!(deadline, app.now() + days(3));
        server.take_rows().await;
        server.set(deadline - Duration::from_micros(1));
        server.tick().await;
        assert_eq!(server.state(&id).await.phase, Phase::Playing);
        assert_eq!(server.mails().await, ["reminder Bea"]);
        server.set(deadline);
        server.tick().await;
        let state = server.state(&id).await;
        assert_eq!(outcome_of(&state), (Some(Side::First), Reason::Time));
        assert_eq!(server.mails().await, ["game-over Ann", "game-over Bea"]);
        server.tick().await;
        assert_eq!(server.state(&id).await.head, state.head);
        let late = server.play(&bea, &id, 1, "e1-e5").await;
        assert_eq!(refusal(late), Refusal::NotPlaying(Phase::Over));
        assert_eq!(server.mails().await, [""; 0]);
    });
}

#[test]
fn a_turn_that_comes_too_late_loses() {
    everywhere("late", async |server| {
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;
        // No tick has seen it yet.
        for (who, command) in [
            (&ann, play(0, "c1-a1")),
            (&bea, Command::Resign),
            (&eve, Command::Offer),
        ] {
            let id = server.game(&ann, &bea).await;
            server.wait(days(3));
            assert_eq!(
                refusal(server.tries(who, &id, command).await),
                Refusal::TooLate
            );
            let events = server.events(&id).await;
            assert_eq!(events.last().expect("some").kind, EventKind::Timeout);
            assert_eq!(server.state(&id).await.turns.len(), 0);
            assert_eq!(server.mails().await, ["game-over Ann", "game-over Bea"]);
            server.tick().await;
            assert_eq!(server.events(&id).await, events);
            assert_eq!(server.mails().await, [""; 0]);
        }
    });
}

#[test]
fn a_name_belongs_to_who_proves_an_address_first() {
    everywhere("names", async |server| {
        let mut people = Vec::new();
        for number in 1..=3 {
            let wished = SignUp {
                email: format!("free{number}@example.org"),
                ..form("Free")
            };
            server.app.sign_up(wished, &here()).await.expect("made");
            people.push(server.token("verify").await);
        }
        let mut names = Vec::new();
        for token in people.iter().rev() {
            let session = server.app.verify(token, PASSWORD, &here()).await;
            let viewer = server.signed_in(&session.expect("in")).await;
            names.push((
                viewer.name.clone(),
                server.app.account(&viewer).await.expect("hers").email,
            ));
        }
        let expected = [("Free", 3), ("Free 2", 2), ("Free 3", 1)];
        let expected =
            expected.map(|(name, number)| (name.to_owned(), format!("free{number}@example.org")));
        assert_eq!(names, expected);
    });
}

#[test]
fn what_is_said_without_a_turn_is_told_to_those_who_have_not_seen_it() {
    everywhere("talk_mail", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let id = server.game(&ann, &bea).await;
        server.take_rows().await;
        let unread = async |who: &Viewer| app.mine(who).await.expect("a list")[0].unread;
        let said = async |text: &str| app.say(&bea, &id, text).await.expect("a player");
        let told = async |row: &MailRow| match server.about(row).await {
            About::Match(news) => {
                let said = news.0.said.into_iter().filter_map(|(_, text)| text);
                said.collect::<Vec<String>>()
            }
            other => panic!("{other:?}"),
        };
        assert!(!unread(&ann).await);
        said("Hello!").await;
        server.wait(Duration::from_mins(10));
        said("How are you?").await;
        assert!(
            unread(&ann).await && !unread(&bea).await,
            "only Ann has not read it"
        );
        // Both messages are one mail, three hours after the first.
        let rows = server.take_rows().await;
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!(
            (row.kind.as_str(), row.account_id.as_ref()),
            ("talk", Some(&ann.id))
        );
        assert_eq!(row.due_at, app.now() + Duration::from_mins(170));
        assert_eq!(told(row).await, ["Hello!", "How are you?"]);
        // Who has it before their eyes gets no mail; a later message is told by itself.
        let head = server.state(&id).await.head;
        server.seen(Some(&ann), &id).await;
        app.note_seen(Some(&ann), &id, head, 2).await;
        assert!(!unread(&ann).await);
        assert!(!server.is_wanted(row).await);
        // What was mailed is not mailed again, even if she has not come.
        said("Are you there?").await;
        assert_eq!(told(&server.take_rows().await[0]).await, ["Are you there?"]);
        server.wait(Duration::from_mins(61));
        said("Ann?").await;
        assert_eq!(told(&server.take_rows().await[0]).await, ["Ann?"]);
        server.wait(Duration::from_mins(1));
        said("Are you there?").await;
        assert!(unread(&ann).await);
        let rows = server.take_rows().await;
        assert_eq!(told(&rows[0]).await, ["Are you there?"]);
        // A note with a turn is told with the turn, and not again.
        server.play(&ann, &id, 0, "c1-a1").await.expect("her turn");
        let kinds: Vec<String> = server
            .take_rows()
            .await
            .into_iter()
            .map(|row| row.kind)
            .collect();
        assert_eq!(kinds, ["your-turn"]);
    });
}

#[test]
fn who_offered_a_draw_hears_that_it_is_declined_and_who_made_a_match_that_one_left() {
    everywhere("declined", async |server| {
        let [ann, bea, eve] = server.people(["Ann", "Bea", "Eve"]).await;
        let id = server.game(&ann, &bea).await;
        server.take_rows().await;
        for (who, command) in [(&bea, Command::Offer), (&ann, Command::Decline)] {
            server.acts(who, &id, command).await;
        }
        assert_eq!(
            server.mails().await,
            ["draw-declined Bea", "draw-offer Ann"]
        );
        let four = new_match("quixo", "four", None, Opponent::Anyone);
        let four = server.app.create(&ann, four).await.expect("new");
        for command in [join(), Command::Leave] {
            server.acts(&eve, &four, command).await;
        }
        assert_eq!(server.mails().await, ["left Ann"]);
    });
}

#[test]
fn reminders_come_when_a_fifth_and_a_twentieth_of_the_time_is_left() {
    everywhere("reminder", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let id = server.game(&ann, &bea).await;
        // Of three days, 14 hours and 24 minutes.
        server.wait(hours(57));
        server.tick().await;
        assert_eq!(server.mails().await, [""; 0]);
        server.wait(hours(1));
        server.tick().await;
        server.tick().await;
        assert_eq!(server.mails().await, ["reminder Ann"]);
        // An act that leaves the deadline alone causes no other reminder.
        server.acts(&bea, &id, Command::Offer).await;
        assert_eq!(server.mails().await, ["draw-offer Ann"]);
        done(app.say(&bea, &id, "Are you there?")).await;
        server.wait(hours(1));
        server.tick().await;
        assert_eq!(server.mails().await, ["talk Ann"]);
        server.wait(hours(10));
        server.tick().await;
        server.tick().await;
        assert_eq!(server.mails().await, ["reminder Ann"]);
        // The next turn has its own, unless it is made before.
        server.play(&ann, &id, 0, "c1-a1").await.expect("in time");
        server.take_rows().await;
        let first = hours(72) * 4 / 5;
        server.wait(first.saturating_sub(Duration::from_micros(1)));
        server.tick().await;
        assert_eq!(server.mails().await, [""; 0]);
        server.play(&bea, &id, 1, "e1-e5").await.expect("in time");
        server.wait(Duration::from_micros(1));
        server.tick().await;
        assert_eq!(server.mails().await, ["your-turn Ann"]);
        // An offer before the reminder is due does not swallow it.
        server.acts(&ann, &id, Command::Offer).await;
        server.wait(hours(58));
        done(app.set_mail(&bea, mails_without(&["reminder"]))).await;
        server.tick().await;
        assert_eq!(server.mails().await, ["draw-offer Bea", "reminder Ann"]);
        // A match with one day for a turn has them, too; if both are due, it is one.
        let mut quick = quixo_with(Opponent::Named("Bea".to_owned()));
        quick.terms.days = 1;
        let quick = app.create(&ann, quick).await.expect("new");
        server.acts(&bea, &quick, join()).await;
        server.take_rows().await;
        server.wait(hours(23));
        server.tick().await;
        let mails = server.mails().await;
        let reminders = mails.iter().filter(|mail| mail.starts_with("reminder"));
        assert_eq!(reminders.count(), 1, "{mails:?}");
    });
}

#[test]
fn everything_is_there_after_a_restart() {
    for database in Database::all("restart") {
        let server = TestApp::new(&database);
        let (people, id, other) = threads().block_on(async {
            let people = server.people(["Ann", "Bea"]).await;
            let [ann, bea] = &people;
            let id = server.game(ann, bea).await;
            let other = server.game(bea, ann).await;
            server.play(ann, &id, 0, "c1-a1").await.expect("legal");
            (people, id, other)
        });
        let session = threads().block_on(server.app.sign_in("Ann", PASSWORD, &here()));
        let session = session.expect("in");
        let time = server.app.now();
        drop(server);

        let server = TestApp::new(&database);
        server.set(time);
        let [ann, bea] = &people;
        threads().block_on(async {
            assert_eq!(server.viewer(&session).await.expect("a session").id, ann.id);
            assert_eq!(server.mails().await, ["your-turn Bea"]);
            server
                .play(ann, &id, 0, "c1-a1")
                .await
                .expect("taken already");
            server.play(bea, &id, 1, "e1-e5").await.expect("legal");
            assert_eq!(server.state(&id).await.turns.len(), 2);
            server.take_rows().await;
        });
        drop(server);

        // Days pass with no process running at all; two hours before the second deadline one is.
        let server = TestApp::new(&database);
        server.set(time + days(4));
        threads().block_on(async {
            server.tick().await;
            for id in [&id, &other] {
                let state = server.state(id).await;
                assert_eq!(state.outcome.expect("decided").reason, Reason::Time);
            }
            let over = [
                "game-over Ann",
                "game-over Ann",
                "game-over Bea",
                "game-over Bea",
            ];
            // A player who has lost on time is not reminded.
            assert_eq!(server.mails().await, over);
        });
    }
}

#[test]
fn a_broken_match_keeps_no_time_from_the_others() {
    for database in Database::all("broken") {
        let server = TestApp::new(&database);
        let (good, time) = threads().block_on(async {
            server.app.beat().await.expect("it can be written");
            let [ann, bea] = server.people(["Ann", "Bea"]).await;
            let broken = server.game(&ann, &bea).await;
            let good = server.game(&ann, &bea).await;
            let damage = "UPDATE events SET what = 'dance' WHERE number = 1 AND match_id =";
            server.execute(format!("{damage} '{broken}'")).await;
            (good, server.app.now())
        });
        drop(server);

        // No cache hides the broken match.
        let server = TestApp::new(&database);
        server.expects_failure("time could not be given back");
        server.expects_failure("a deadline could not be enforced");
        server.set(time + hours(1));
        threads().block_on(async {
            server.app.beat().await.expect("one of them is broken");
            let deadline = time + days(3) + hours(1);
            assert_eq!(server.state(&good).await.deadline, Some(deadline));
            // Time that passes now is no outage.
            for _ in 0..3 {
                server.wait(Duration::from_secs(15));
                server.app.keep_beating().await.expect("noted");
            }
            let pending = server.app.store.read(heartbeat::pending).await;
            assert_eq!(pending.expect("read"), []);
            assert_eq!(server.state(&good).await.deadline, Some(deadline));
            // The hour is given back, so the match ends by time. People could play until then.
            server.set(deadline);
            let noted = format!("UPDATE heartbeat SET beat_at = {}", deadline.0);
            server.execute(noted).await;
            server.tick().await;
            let outcome = server.state(&good).await.outcome.expect("decided");
            assert_eq!(outcome.reason, Reason::Time);
        });
    }
}

/// Two processes whose clocks are five minutes apart: no second of that counts as an outage, and a real outage is
/// given back once.
#[test]
fn clocks_that_differ_make_no_outage() {
    const APART: Duration = Duration::from_mins(5);
    for database in Database::all("apart") {
        let servers = [TestApp::new(&database), TestApp::new(&database)];
        threads().block_on(async {
            let start = servers[0].app.now();
            servers[1].set(start - APART);
            for server in &servers {
                server.app.beat().await.expect("it can be written");
            }
            let [ann, bea] = servers[0].people(["Ann", "Bea"]).await;
            let id = servers[0].game(&ann, &bea).await;
            let deadline = async || servers[0].state(&id).await.deadline.expect("one");
            let before = deadline().await;
            let beats = async |times: usize| {
                for _ in 0..times {
                    for server in &servers {
                        server.wait(Duration::from_secs(5));
                        server.app.keep_beating().await.expect("noted");
                    }
                }
            };
            beats(150).await;
            assert_eq!(deadline().await, before);
            for server in &servers {
                server.wait(hours(2));
            }
            for server in servers.iter().rev() {
                server.app.keep_beating().await.expect("noted");
            }
            let given = before.until(deadline().await);
            // The rest, as much as the clocks differ, is too short to count.
            let off = (given + APART).abs_diff(hours(2));
            assert!(off <= Duration::from_secs(10), "{given:?}");
            let after = deadline().await;
            beats(150).await;
            assert_eq!(deadline().await, after);
        });
    }
}

/// While the database takes no note, one request a second tries; the others get its error at once.
#[test]
fn a_failure_to_note_is_shared_for_a_second() {
    everywhere("shared", async |server| {
        let app = &server.app;
        app.beat().await.expect("it can be written");
        let rename = async |from: &'static str, to: &'static str| {
            let sql = format!("ALTER TABLE {from} RENAME TO {to}");
            done(app.store.write(move |conn| execute(conn, &sql))).await;
        };
        server.wait(Duration::from_secs(5));
        app.is_ready().await.expect("it is noted");
        rename("heartbeat", "elsewhere").await;
        app.is_ready().await.expect("noted a moment ago");
        server.wait(Duration::from_secs(5));
        let failed = app.is_ready().await.expect_err("it cannot be noted");
        assert!(matches!(failed, AppError::Store(_)), "{failed}");
        rename("elsewhere", "heartbeat").await;
        server.wait(Duration::from_millis(900));
        let told = app.is_ready().await.expect_err("the failure is shared");
        assert_eq!(told.to_string(), failed.to_string());
        server.wait(Duration::from_millis(100));
        app.is_ready().await.expect("it is noted again");
    });
}

// -- At once -------------------------------------------------------------------------------------

#[test]
fn eight_send_the_same_turn_at_once() {
    everywhere("eight", async |server| {
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let id = server.game(&ann, &bea).await;
        let players = [&ann, &bea];
        for ply in 0..6 {
            let who = players[ply % 2];
            let legal = server.state(&id).await.game.legal();
            // In every second round they send different turns.
            let turns: Vec<String> = (0..8)
                .map(|client| legal[if ply % 4 < 2 { 0 } else { client }].clone())
                .collect();
            let before = server.events(&id).await.len();
            let mut clients = JoinSet::new();
            for turn in turns.clone() {
                let (app, who, id) = (Arc::clone(&server.app), who.clone(), id.clone());
                clients.spawn(async move {
                    let result = app.act(&who, &id, None, play(ply, &turn), &turn).await;
                    (turn, result)
                });
            }
            let results = clients.join_all().await;
            let events = server.events(&id).await;
            assert_eq!(events.len(), before + 1, "{events:?}");
            let EventKind::Turn(taken) = &events[before].kind else {
                panic!("{events:?}");
            };
            for (turn, result) in results {
                if turn == *taken {
                    result.expect("taken, or taken already");
                } else {
                    assert_eq!(refusal(result), Refusal::Changed);
                }
            }
            // One note, one mail.
            let talk = done(server.app.load_correspondence_match(Some(who), &id, None))
                .await
                .talk;
            assert_eq!(
                (talk.len(), talk[ply].text.as_deref()),
                (ply + 1, Some(taken.as_str()))
            );
            assert_eq!(server.mails().await.len(), 1);
        }
    });
}

#[test]
fn eight_matches_go_on_in_parallel() {
    everywhere("parallel", async |server| {
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let mut ids = HashSet::new();
        for _ in 0..8 {
            ids.insert(server.game(&ann, &bea).await);
        }
        let mut matches = JoinSet::new();
        for id in ids.clone() {
            let (app, players) = (Arc::clone(&server.app), [ann.clone(), bea.clone()]);
            matches.spawn(async move {
                for (ply, turn) in SHORT_GAME.into_iter().enumerate() {
                    let who = &players[ply % 2];
                    app.act(who, &id, None, play(ply, turn), "")
                        .await
                        .expect(turn);
                    app.say(&players[(ply + 1) % 2], &id, "!").await.ok();
                    done(app.load_correspondence_match(Some(who), &id, None)).await;
                }
            });
        }
        matches.join_all().await;
        for id in &ids {
            assert_eq!(
                server.state(id).await.outcome.expect("decided").reason,
                Reason::Line
            );
        }
        assert_eq!(ids.len(), 8);
        assert_eq!(server.mails_but_talk().await.len(), 8 * (8 + 2));
        let page = server.app.player(None, "Ann").await.expect("a page");
        assert_eq!(page.results[0].won, 8);
    });
}

#[test]
fn eight_join_one_open_match() {
    everywhere("rush", async |server| {
        let names = ["Ann", "P1", "P2", "P3", "P4", "P5", "P6", "P7"];
        let [ann, others @ ..] = server.people(names).await;
        for variant in ["", "four"] {
            let wanted = new_match("quixo", variant, None, Opponent::Anyone);
            let id = server.app.create(&ann, wanted).await.expect("new");
            let mut clients = JoinSet::new();
            for who in others.clone() {
                let (app, id) = (Arc::clone(&server.app), id.clone());
                clients.spawn(async move { app.act(&who, &id, None, join(), "").await });
            }
            let joined = clients
                .join_all()
                .await
                .into_iter()
                .filter(|result| match result {
                    Ok(_) => true,
                    Err(AppError::Refused(Refusal::NotGathering)) => false,
                    Err(error) => panic!("{error:?}"),
                });
            let state = server.state(&id).await;
            assert_eq!(joined.count() + 1, state.game.seats().len());
            assert_eq!(
                (state.phase, state.joined.len()),
                (Phase::Playing, state.game.seats().len())
            );
            assert_eq!(
                server.mails().await.len(),
                state.game.seats().len() - 1
                    + usize::from(
                        // The last player who joined is told only if it is their turn at once.
                        state.player_to_move()
                            == server.events(&id).await.last().expect("some").by.as_ref()
                    )
            );
        }
    });
}

/// A turn and the timeout at the same instant: time goes on with every reading of the clock, so that the deadline
/// passes while both are under way.
#[test]
fn a_turn_and_the_timeout_never_both_win() {
    for database in Database::all("instant") {
        let time = Arc::new(AtomicI64::new(START));
        let pace = Arc::new(AtomicI64::new(0));
        let (read, step) = (Arc::clone(&time), Arc::clone(&pace));
        let clock = Clock::never_set(move || {
            Time(read.fetch_add(step.load(Ordering::SeqCst), Ordering::SeqCst))
        });
        let server = TestApp::with_clock(database.open(), database.ring(), &time, clock);
        threads().block_on(async {
            let [ann, bea] = server.people(["Ann", "Bea"]).await;
            let mut turns = 0;
            for round in 0..24 {
                pace.store(0, Ordering::SeqCst);
                let id = server.game(&ann, &bea).await;
                let deadline = server.state(&id).await.deadline.expect("one");
                server.set(deadline - Duration::from_micros(round % 8));
                pace.store(1, Ordering::SeqCst);
                let (app, player, here) = (Arc::clone(&server.app), ann.clone(), id.clone());
                let turn = tokio::spawn(async move {
                    app.act(&player, &here, None, play(0, "c1-a1"), "").await
                });
                let app = Arc::clone(&server.app);
                let tick = tokio::spawn(async move { app.tick().await });
                let turn = turn.await.expect("no panic");
                tick.await.expect("no panic").expect("a tick");
                server.tick().await;
                let last = server.events(&id).await.split_off(5);
                match (&turn, last.as_slice()) {
                    // In time, and the next deadline is days away.
                    (Ok(_), [event]) => {
                        assert_eq!(event.kind, EventKind::Turn("c1-a1".to_owned()));
                        assert!(event.at < deadline);
                        turns += 1;
                    }
                    (Err(AppError::Refused(_)), [event]) => {
                        assert_eq!(event.kind, EventKind::Timeout);
                        assert!(event.at >= deadline);
                    }
                    other => panic!("{other:?}"),
                }
                // One mail to Bea; to Ann only if she has lost.
                // The first tick may have come just in time to remind her, and earlier matches of
                // this test go on.
                let mut mails = server.take_rows().await;
                mails.retain(|mail| mail.match_id.as_ref() == Some(&id) && mail.kind != "reminder");
                assert_eq!(mails.len(), if turn.is_ok() { 1 } else { 2 }, "{mails:?}");
            }
            assert!(turns < 24, "the timeout never came first");
        });
    }
}

/// Two processes on one database, each with its own memory, race through a match: there is one
/// order, and both see it.
#[test]
fn two_processes_agree_on_one_order() {
    for database in Database::all("processes") {
        let servers = [TestApp::new(&database), TestApp::new(&database)];
        threads().block_on(async {
            let [ann, bea] = servers[0].people(["Ann", "Bea"]).await;
            let players = [&ann, &bea];
            let id = servers[0].game(&ann, &bea).await;
            // Too few turns for a win, whatever is played.
            for ply in 0..8 {
                let legal = servers[0].state(&id).await.game.legal();
                let mut clients = JoinSet::new();
                for client in 0..8 {
                    let app = Arc::clone(&servers[client % 2].app);
                    let (who, here) = (players[ply % 2].clone(), id.clone());
                    // Varied, since a position that comes up three times ends the match.
                    let turn = legal[(client + 7 * ply) % legal.len()].clone();
                    clients.spawn(async move {
                        let result = app.act(&who, &here, None, play(ply, &turn), "").await;
                        (turn, result)
                    });
                    // Talk in between moves the head of the talk, and nothing else.
                    let (app, id) = (Arc::clone(&servers[client % 2].app), id.clone());
                    let who = players[client % 2].clone();
                    clients.spawn(async move {
                        if client < 2 {
                            let said = app.say(&who, &id, "!").await;
                            assert!(said.is_ok() || too_often(said));
                        }
                        (String::new(), Err(AppError::Refused(Refusal::Changed)))
                    });
                }
                let results = clients.join_all().await;
                let taken: Vec<_> = results
                    .iter()
                    .filter(|(_, result)| result.is_ok())
                    .collect();
                for (_, result) in &results {
                    let gentle = matches!(result, Ok(_) | Err(AppError::Refused(Refusal::Changed)));
                    assert!(gentle, "{result:?}");
                }
                let state = servers[0].state(&id).await;
                assert_eq!(state.turns.len(), ply + 1);
                let last = state.game.turns().last().expect("some");
                assert!(!taken.is_empty() && taken.iter().all(|(turn, _)| turn == last));
                for server in &servers {
                    let view =
                        done(server.app.load_correspondence_match(Some(&ann), &id, None)).await;
                    assert_eq!(view.state.head, state.head);
                    assert_eq!(view.state.game.position(), state.game.position());
                    assert_eq!(i32::try_from(view.talk.len()), Ok(view.heads.talk));
                }
                assert_eq!(servers[ply % 2].mails_but_talk().await.len(), 1);
            }
            // Both enforce the same deadline; it passes once.
            for server in &servers {
                server.wait(days(3));
            }
            let mut ticks = JoinSet::new();
            for server in &servers {
                let app = Arc::clone(&server.app);
                ticks.spawn(async move { app.tick().await });
            }
            for tick in ticks.join_all().await {
                tick.expect("a tick");
            }
            let events = servers[0].events(&id).await;
            let timeouts = events
                .iter()
                .filter(|event| event.kind == EventKind::Timeout);
            assert_eq!(timeouts.count(), 1);
            assert_eq!(servers[1].mails().await, ["game-over Ann", "game-over Bea"]);
        });
        drop(servers);
    }
}

/// Two processes remind of the same deadline once.
#[test]
fn two_processes_remind_once() {
    for database in Database::all("remind") {
        let servers = [TestApp::new(&database), TestApp::new(&database)];
        threads().block_on(async {
            let [ann, bea] = servers[0].people(["Ann", "Bea"]).await;
            for _ in 0..5 {
                servers[0].game(&ann, &bea).await;
            }
            for server in &servers {
                server.wait(hours(60));
            }
            let mut ticks = JoinSet::new();
            for server in servers.iter().chain(&servers) {
                let app = Arc::clone(&server.app);
                ticks.spawn(async move { app.tick().await });
            }
            for tick in ticks.join_all().await {
                tick.expect("a tick");
            }
            assert_eq!(servers[0].mails().await, ["reminder Ann"; 5]);
        });
    }
}

/// The data left in a deleted account's row; its id still leads to it.
#[test]
fn nothing_personal_stays_of_a_deleted_account() {
    everywhere("personal", async |server| {
        let ann = server.person("Ann").await;
        done(server.app.delete_account(&ann, PASSWORD)).await;
        let id: AccountId = ann.id.clone();
        let row = server.app.store.read(move |conn| accounts::find(conn, &id));
        let row = row
            .await
            .map_err(|error: StoreError| error)
            .expect("read")
            .expect("a row");
        assert_eq!(
            (row.name.as_str(), row.email, row.password.as_str()),
            ("", None, "")
        );
    });
}

/// Many tasks use the store at once, and none of them meets a lock.
#[test]
fn many_write_at_once_and_none_meets_a_lock() {
    for database in Database::all("locks") {
        let stores: [Store; 2] = [database.open(), database.open()];
        let server = TestApp::new(&database);
        threads().block_on(async {
            let ann = server.person("Ann").await;
            let mut writers = JoinSet::new();
            for number in 0..64 {
                let (store, id) = (stores[number % 2].clone(), ann.id.clone());
                writers.spawn(async move {
                    for _ in 0..8 {
                        let (reads, id) = (store.clone(), id.clone());
                        let writes = id.clone();
                        store
                            .write(move |conn| {
                                accounts::set_mail(conn, &writes, &mails_without(&[]))
                            })
                            .await?;
                        reads.read(move |conn| accounts::find(conn, &id)).await?;
                    }
                    Ok::<_, StoreError>(())
                });
            }
            for written in writers.join_all().await {
                written.expect("no lock");
            }
        });
        drop(stores);
    }
}

/// Waits until a listener hears that the match has come to `event` and `talk`, and no further.
async fn hears(
    server: &TestApp,
    viewer: Option<&Viewer>,
    id: &MatchId,
    listening: &mut Listening<CorrespondenceSnapshot>,
    (event, talk): (i32, i32),
) {
    let waiting = async {
        loop {
            let heads = server.app.heads_heard(viewer, id, listening).await;
            if heads.expect("seen")
                == (Heads {
                    event,
                    talk,
                    door: 0,
                })
            {
                return;
            }
            listening.changed().await;
        }
    };
    let heard = tokio::time::timeout(PATIENCE, waiting).await;
    heard.unwrap_or_else(|_| panic!("{event}.{talk} is not heard"));
}

#[test]
fn processes_on_one_database_tell_each_other() {
    let Some(database) = Database::postgres("processes") else {
        return;
    };
    let here = TestApp::new(&database);
    let there = TestApp::new(&database);
    threads().block_on(async {
        let [ann, bea, eve] = here.people(["Ann", "Bea", "Eve"]).await;
        let id = here.game(&ann, &bea).await;
        let begun = here.state(&id).await.head;
        let app = Arc::clone(&there.app);
        let following = tokio::spawn(async move { app.follow(std::future::pending()).await });
        let mut player = there.app.correspondence.live.listen(&id);
        let mut other = there.app.correspondence.live.listen(&id);

        here.play(&ann, &id, 0, "c1-a1").await.expect("a turn");
        hears(&there, Some(&bea), &id, &mut player, (begun + 1, 0)).await;
        hears(&there, Some(&eve), &id, &mut other, (begun + 1, 0)).await;
        // Only the players hear of talk.
        here.app.say(&ann, &id, "hello").await.expect("said");
        hears(&there, Some(&bea), &id, &mut player, (begun + 1, 1)).await;
        hears(&there, Some(&eve), &id, &mut other, (begun + 1, 0)).await;
        hears(&there, None, &id, &mut other, (begun + 1, 0)).await;

        // The listening connection is cut again and again, while events happen.
        let url = database.url();
        let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
        let (client, connection) = connected.expect("PostgreSQL");
        let driving = tokio::spawn(connection);
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                   WHERE application_name = 'perplex listener' AND datname = current_database()";
        for line in 2..5 {
            let start = Instant::now();
            loop {
                let cut: i64 = client.query_one(cut, &[]).await.expect("SQL").get(0);
                if cut > 0 {
                    break;
                }
                assert!(
                    start.elapsed() < PATIENCE,
                    "there is no connection that hears to cut before line {line}"
                );
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            here.app.say(&bea, &id, "still there?").await.expect("said");
            hears(&there, Some(&ann), &id, &mut player, (begun + 1, line)).await;
        }
        // A process that dies after its commit says nothing: the next look finds what it did.
        let commit = "UPDATE matches SET talk_head = talk_head + 1 WHERE id = $1";
        client.execute(commit, &[&id.0]).await.expect("SQL");
        hears(&there, Some(&ann), &id, &mut player, (begun + 1, 5)).await;
        following.abort();
        drop(client);
        driving.await.expect("ended").expect("closed");
    });
}
