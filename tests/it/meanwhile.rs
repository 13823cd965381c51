//! What was checked may not be so any more when it is done: a password is changed while a sign-in waits, an account is
//! deleted while it is taken into a match.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use perplex::app::accounts::SignUp;
use perplex::app::correspondence::Opponent;
use perplex::app::{AppError, NotAllowed, Viewer, Visitor};
use perplex::store::journal::{self, NextCheck};
use perplex::store::outbox::OutboxState;
use perplex::store::{Conn, MatchKind, StoreError, accounts, matches, second_factor};
use perplex_matches::id::AccountId;
use perplex_matches::team::event::{Actor, Event, EventKind, MemberId, TalkMode};
use perplex_matches::team::{Command, Match};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, yield_now};

use crate::teams::{Team, terms};
use crate::test_app::{
    PASSWORD, TestApp, account, done, everywhere, here, join, not_found, pupil_called, quixo_with,
    sign_up_form, too_often, visit_of, wrong,
};

/// A change to the database that is written, and done when it is let go.
struct Held {
    go: Sender<()>,
    written: JoinHandle<Result<(), StoreError>>,
}

impl Held {
    async fn new(
        server: &TestApp,
        job: impl FnOnce(&mut Conn) -> Result<(), StoreError> + Send + 'static,
    ) -> Self {
        let (begun, has_begun) = oneshot::channel();
        let (go, may_go) = channel();
        let store = server.app.store.clone();
        let written = tokio::spawn(async move {
            store
                .write(move |conn| {
                    job(conn)?;
                    let _ = begun.send(());
                    let _ = may_go.recv();
                    Ok(())
                })
                .await
        });
        has_begun.await.expect("a job that begins");
        Self { go, written }
    }

    async fn lets_go(self) {
        self.go.send(()).expect("it waits");
        self.written.await.expect("a job").expect("written");
    }
}

impl TestApp {
    /// Signs Ann in with her password while `job` is being written: she must not get in, and have no session.
    async fn is_kept_out_during(
        &self,
        ann: &Viewer,
        job: impl FnOnce(&mut Conn) -> Result<(), StoreError> + Send + 'static,
    ) {
        // The tenth attempt is the last for a while: so it shows when it was counted, which is after the account was
        // read.
        for _ in 0..9 {
            wrong(self.app.sign_in("Ann", "wrong horse", &here()).await);
        }
        let held = Held::new(self, job).await;
        let app = Arc::clone(&self.app);
        let coming = tokio::spawn(async move { app.sign_in("Ann", PASSWORD, &here()).await });
        let counted = || !self.app.limits.sign_in_account.wait("login ann").is_zero();
        while !counted() && !coming.is_finished() {
            yield_now().await;
        }
        assert!(counted(), "another key of the limiter");
        held.lets_go().await;
        assert!(coming.await.expect("an answer").is_err());
        assert_eq!(done(self.app.sessions(ann)).await, []);
    }
}

#[test]
fn no_sign_in_outlives_its_password() {
    everywhere("old_password", async |server| {
        let ann = server.person("Ann").await;
        let id = ann.id.clone();
        let changes = move |conn: &mut Conn| {
            let row = accounts::find(conn, &id)?.expect("Ann");
            assert!(accounts::set_password(conn, &row, "another hash")?);
            accounts::end_all_sessions(conn, &id)?;
            Ok(())
        };
        server.is_kept_out_during(&ann, changes).await;
    });
}

#[test]
fn no_sign_in_outlives_its_account() {
    everywhere("old_account", async |server| {
        let ann = server.person("Ann").await;
        let (id, now) = (ann.id.clone(), server.app.now());
        let deletes = move |conn: &mut Conn| accounts::delete(conn, &id, now);
        server.is_kept_out_during(&ann, deletes).await;
    });
}

/// By the card, and by a name in a lesson: with whatever ended before the session began.
#[test]
fn no_sign_in_outlives_a_pupils_words() {
    everywhere("old_words", async |server| {
        let app = &server.app;
        let hanna = server.visit("Hanna").await;
        let teacher = account(&hanna);
        let class = server.class(teacher, "Ada\nBo\nCy").await;
        let lesson = server.lesson_of(teacher, &class).await;
        let code = server.code(&hanna, &lesson).await;
        let view = done(app.class(teacher, &class)).await;
        let owner = async |name: &str| {
            let pupil = pupil_called(&view, name);
            let card = app.card_link(&pupil.user, &pupil.phrase);
            let proof = card.rsplit('/').next().expect("a proof");
            done(app.card_owner(&pupil.user, proof)).await
        };
        let (ada, bo, cy) = (owner("Ada").await, owner("Bo").await, owner("Cy").await);
        let tablet = Visitor {
            browser: "a tablet".to_owned(),
            ..Visitor::default()
        };
        // Ada's words are changed, Bo has left, and at last the class is archived.
        done(app.sign_in_by_card(&ada, &tablet)).await;
        assert!(
            done(app.sign_in_by_code(&lesson, &ada.id, &tablet))
                .await
                .is_some()
        );
        done(app.reset_phrase(teacher, &class, &ada.id)).await;
        not_found(app.sign_in_by_card(&ada, &tablet).await);
        assert_eq!(
            done(app.sign_in_by_code(&lesson, &ada.id, &tablet)).await,
            None
        );
        done(app.sign_in_by_card(&bo, &tablet)).await;
        done(app.remove_pupil(teacher, &class, &bo.id, true)).await;
        not_found(app.sign_in_by_card(&bo, &tablet).await);
        assert_eq!(
            done(app.sign_in_by_code(&lesson, &bo.id, &tablet)).await,
            None
        );
        let _in = server.come_as(&code, &cy.id).await;
        // The tablet never had Cy's name.
        assert_eq!(
            done(app.sign_in_by_code(&lesson, &cy.id, &tablet)).await,
            None
        );
        done(app.archive_class(teacher, &class, true)).await;
        not_found(app.sign_in_by_card(&cy, &tablet).await);
    });
}

/// The name that it would have had is nobody's.
#[test]
fn a_deleted_account_is_not_renamed() {
    everywhere("deleted_renamed", async |server| {
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        // The fifth change is the last for a while: so it shows when it was counted, which is after the account was read.
        for name in ["Anna", "Anne", "Annie", "Annika"] {
            done(server.app.set_name(&ann, name)).await;
        }
        let (id, now) = (ann.id.clone(), server.app.now());
        let deletes = move |conn: &mut Conn| accounts::delete(conn, &id, now);
        let held = Held::new(server, deletes).await;
        let (app, renamed) = (Arc::clone(&server.app), ann.clone());
        let renames = tokio::spawn(async move { app.set_name(&renamed, "Zed").await });
        while server.app.limits.names_account.wait(&ann.id.0).is_zero() {
            assert!(!renames.is_finished(), "not counted");
            yield_now().await;
        }
        held.lets_go().await;
        let renamed = renames.await.expect("an answer");
        assert!(matches!(renamed, Err(AppError::SignIn)), "{renamed:?}");
        done(server.app.set_name(&bea, "Zed")).await;
    });
}

/// A message that was sent before the host stopped the talk, and comes after, is refused.
#[test]
fn nothing_is_said_after_the_talk_was_stopped() {
    everywhere("talk_stopped", async |server| {
        let team = Team::new(server.clone(), terms()).await;
        let (id, ada) = (team.id.clone(), team.people[0].clone());
        let channel = 1;
        // The twentieth message is the last for a while: so it shows when it was counted, which is after the match was
        // read.
        for _ in 0..19 {
            done(server.app.say_in_team(&ada, &id, channel, "hello")).await;
        }
        let (stopped, now) = (id.clone(), server.app.now());
        let stops = move |conn: &mut Conn| {
            let mut row = matches::find(conn, &stopped)?.expect("the match");
            let head = row.head;
            row.head += 1;
            assert!(journal::advance(conn, head, &row, NextCheck::Unchanged)?);
            let event = Event {
                number: row.head,
                at: now,
                by: Actor::Host,
                kind: EventKind::Talk(TalkMode::Frozen),
            };
            journal::append::<Match>(conn, &stopped, &[event])
        };
        let held = Held::new(server, stops).await;
        let (app, said_at, by) = (Arc::clone(&server.app), id.clone(), ada.clone());
        let said =
            tokio::spawn(async move { app.say_in_team(&by, &said_at, channel, "late").await });
        let key = format!("{id} 1");
        while server.app.limits.talk_account.wait(&key).is_zero() {
            assert!(!said.is_finished(), "not counted");
            yield_now().await;
        }
        held.lets_go().await;
        let said = said.await.expect("an answer");
        assert!(matches!(said, Err(AppError::Forbidden(_))), "{said:?}");
        let talk = done(server.app.messages(&ada, &id, channel)).await;
        assert!(
            talk.iter().all(|message| message.text != "late"),
            "{talk:?}"
        );
    });
}

/// Requests that began before an account was deleted take it into nothing.
#[test]
fn a_deleted_account_comes_into_nothing() {
    everywhere("deleted_comes", async |server| {
        let app = &server.app;
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let open = done(app.create(&bea, quixo_with(Opponent::Anyone))).await;
        let hosted = done(app.create_team(&bea, "Monday", terms())).await;
        let deck = done(app.host_deck(&ann)).await;
        done(app.delete_account(&ann, PASSWORD)).await;
        let is_gone =
            |error: AppError| matches!(error, AppError::Forbidden(NotAllowed::AccountGone));
        let lobby = quixo_with(Opponent::Anyone);
        assert!(is_gone(app.create(&ann, lobby).await.expect_err("gone")));
        assert!(is_gone(
            app.act(&ann, &open, None, join(), "")
                .await
                .expect_err("gone")
        ));
        assert!(is_gone(
            app.create_team(&ann, "Monday", terms())
                .await
                .expect_err("gone")
        ));
        assert!(is_gone(
            app.create_class(&ann, "7b", true, "Ada")
                .await
                .expect_err("gone")
        ));
        let card = app.add_own_card(&deck, "Step", "rule N NW \"Knights step.\"");
        assert!(is_gone(card.await.expect_err("gone")));
        let visit = visit_of(ann);
        let joins = Command::Join(MemberId(0), None);
        assert!(app.act_in_team(&visit, &hosted, joins).await.is_err());
        let view = server.view(&server.visit_again("Bea").await, &hosted).await;
        assert!(view.state.members.is_empty(), "{:?}", view.state.members);
    });
}

/// An account is deleted while it signs in, challenges and joins: nothing of it stays, whatever came first.
#[test]
fn nothing_unfinished_stays_of_a_deleted_account() {
    everywhere("deleted_stays", async |server| {
        for round in 0..8 {
            let ann = server.admin(&format!("ann{round}")).await;
            let mut acts = Vec::new();
            for act in 0..6 {
                let (app, ann) = (Arc::clone(&server.app), ann.clone());
                acts.push(tokio::spawn(async move {
                    // Some of them come too late, and are refused.
                    match act % 3 {
                        0 => drop(app.create(&ann, quixo_with(Opponent::Anyone)).await),
                        1 => drop(app.create_team(&ann, "Monday", terms()).await),
                        _ => drop(app.sign_in(&ann.name, PASSWORD, &here()).await),
                    }
                }));
            }
            done(server.app.delete_account(&ann, PASSWORD)).await;
            for act in acts {
                act.await.expect("an answer");
            }
            let id = ann.id.clone();
            let left = server.app.store.read(move |conn| {
                let mut left = matches::unfinished(conn, MatchKind::Correspondence, &id)?;
                left.extend(matches::unfinished(conn, MatchKind::Team, &id)?);
                Ok::<_, StoreError>(left)
            });
            assert_eq!(left.await.expect("read"), [], "round {round}");
            assert_eq!(done(server.app.sessions(&ann)).await, [], "round {round}");
        }
    });
}

/// The second factor is switched on in another session while the password alone is being checked.
#[test]
fn no_sign_in_by_the_password_alone_outlives_a_new_second_factor() {
    everywhere("new_factor", async |server| {
        let ann = server.person("Ann").await;
        let id: AccountId = ann.id.clone();
        let now = server.app.now();
        let switches_on = move |conn: &mut Conn| {
            let row = accounts::find(conn, &id)?.expect("Ann");
            assert!(accounts::hold(conn, &row)?);
            let factor = second_factor::SecondFactorRow {
                account_id: id.clone(),
                secret: "sealed".to_owned(),
                last_step: 0,
                created_at: now,
            };
            assert!(second_factor::insert(conn, &factor)?);
            accounts::end_all_sessions(conn, &id)?;
            Ok(())
        };
        server.is_kept_out_during(&ann, switches_on).await;
    });
}

#[test]
fn no_mail_stays_of_a_deleted_account() {
    everywhere("mail_of_deleted", async |server| {
        let [ann, _] = server.people(["Ann", "Bea"]).await;
        let named = Opponent::Named("Bea".to_owned());
        done(server.app.create(&ann, quixo_with(named))).await;
        done(server.app.request_reset("ann@example.org", &here())).await;
        let addressed = async || {
            let mut found = Vec::new();
            for tray in [OutboxState::Waiting, OutboxState::Sent, OutboxState::Dead] {
                let rows = server.rows(tray).await;
                found.extend(rows.into_iter().map(|row| row.address.to_lowercase()));
            }
            found
        };
        let to = |address: &str, found: &[String]| found.iter().any(|to| to == address);
        let before = addressed().await;
        assert!(to("ann@example.org", &before) && to("bea@example.org", &before));
        done(server.app.delete_account(&ann, PASSWORD)).await;
        let after = addressed().await;
        assert!(!to("ann@example.org", &after), "{after:?}");
        assert!(to("bea@example.org", &after), "{after:?}");
    });
}

/// Neither resets nor sign-ups that a stranger has mailed to an address keep its owner from signing up.
#[test]
fn strangers_use_up_nobodys_mails() {
    everywhere("mails_used_up", async |server| {
        let app = &server.app;
        let stranger = Visitor {
            address: "192.0.2.9".to_owned(),
            ..Visitor::default()
        };
        let form = || sign_up_form("Ann");
        while !too_often(app.request_reset(&form().email, &stranger).await) {}
        let theirs = SignUp {
            name: "Eve".to_owned(),
            ..form()
        };
        while !too_often(app.sign_up(theirs.clone(), &stranger).await.map(drop)) {}
        server.take_rows().await;
        done(app.sign_up(form(), &here())).await;
        let token = server.token("verify").await;
        done(app.verify(&token, &form().password, &here())).await;
        done(app.request_reset(&form().email, &here())).await;
    });
}
