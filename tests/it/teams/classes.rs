//! Classes: their teachers, their pupils, how pupils sign in, and what they may do.

use perplex::app::Fault;
use perplex::app::accounts::AccountFault;
use perplex::app::classes::ClassView;
use perplex::app::team::door::{JoinOutcome, Joiner};
use perplex::store::matches::{self, MatchRow};
use perplex::store::{MatchKind, StoreError, classes, journal, lessons, members, talk};
use perplex_matches::id::AccountId;
use perplex_matches::id::ClassId;
use perplex_matches::team::Match;
use perplex_matches::time::days;

use super::people::servers;
use super::*;
use crate::test_app::{
    account, device_of, done, forbidden, invalid, mails_without, not_found, proof_of, pupil_called,
};

/// A teacher with a class of these pupils.
async fn class_of(server: &TestApp, teacher: &TeamAccess, names: &str) -> ClassView {
    let teacher = account(teacher);
    let id = server.class(teacher, names).await;
    server.app.class(teacher, &id).await.expect("a class")
}

/// Signs a pupil in with the card.
async fn pupil(server: &TestApp, view: &ClassView, name: &str) -> TeamAccess {
    let pupil = pupil_called(view, name);
    let token = server
        .app
        .sign_in(&pupil.user, &pupil.phrase, &Visitor::default())
        .await;
    server.visit_with(&token.expect("signed in")).await
}

#[test]
fn pupils_sign_in_with_what_stands_on_their_cards() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let view = class_of(&server, &hanna, "Zoë\nAnna\n李雷").await;
        let names: Vec<&str> = view.pupils.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["Anna", "Zoë", "李雷"]);
        let anna = pupil(&server, &view, "Anna").await.account.expect("Anna");
        assert_eq!(anna.name, "Anna");
        assert_eq!(anna.class.as_ref(), Some(&view.class.id));
        // Case, spaces and hyphens are forgiven; another's phrase is not.
        let (user, phrase) = (&view.pupils[0].user, &view.pupils[0].phrase);
        let from = Visitor::default();
        for typed in [
            phrase.to_uppercase(),
            phrase.replace(' ', "-"),
            phrase.replace(' ', ""),
        ] {
            done(server.app.sign_in(&user.to_uppercase(), &typed, &from)).await;
        }
        for typed in [view.pupils[1].phrase.as_str(), "", "a long password"] {
            let error = server.app.sign_in(user, typed, &from).await;
            assert!(matches!(error, Err(AppError::Invalid(_))), "{typed:?}");
        }
        // Attempts are counted by pupil, never by address, which a whole school shares.
        for _ in 0..30 {
            let _ = server.app.sign_in(user, "wrong", &from).await;
        }
        let error = server.app.sign_in(user, phrase, &from).await;
        assert!(matches!(error, Err(AppError::TooOften(_))));
        for _ in 0..9 {
            for pupil in &view.pupils[1..] {
                let _ = server.app.sign_in(&pupil.user, "wrong", &from).await;
            }
        }
        pupil(&server, &view, "Zoë").await;
        pupil(&server, &view, "李雷").await;
        // The database alone reveals no phrase, and a new key seals all of them again.
        assert_eq!(server.app.rotate_talk_key().await.expect("a new key"), 3);
        pupil_still(&server, &hanna, &view.class.id, phrase).await;
    });
}

/// Checks the first pupil's phrase.
async fn pupil_still(server: &TestApp, teacher: &TeamAccess, id: &ClassId, phrase: &str) {
    let teacher = account(teacher);
    let view = server.app.class(teacher, id).await.expect("a class");
    assert_eq!(view.pupils[0].phrase, phrase);
}

#[test]
fn a_session_by_code_ends_the_same_day() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let teacher = account(&hanna);
        let id = done(server.app.create_class(teacher, "7b", false, "passed over")).await;
        let lesson = server.lesson_of(teacher, &id).await;
        let (code, tablet) = (server.code(&hanna, &lesson).await, Visitor::default());
        let came = server
            .app
            .join_lesson(&code, &Joiner::New, "", None, &tablet)
            .await;
        let Ok(JoinOutcome::In(_, Some(token))) = came else {
            panic!("{came:?}");
        };
        let view = server.app.class(teacher, &id).await.expect("a class");
        assert_eq!(view.pupils.len(), 1);
        for _ in 0..11 {
            server.wait(Duration::from_hours(1));
            assert_eq!(server.signed_in(&token).await.name, view.pupils[0].name);
        }
        server.wait(Duration::from_hours(1));
        assert!(done(server.app.viewer(&token)).await.is_none());
        // Only pupils sign in by a code, whoever calls this.
        for other in [&teacher.id, &AccountId("nobody".to_owned())] {
            let came = server.app.sign_in_by_code(&lesson, other, &tablet);
            assert_eq!(done(came).await, None);
        }
    });
}

#[test]
fn only_teachers_have_classes() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let view = class_of(&server, &hanna, "Anna, Ben").await;
        let otto = server.visit("Otto").await;
        let anna = pupil(&server, &view, "Anna").await;
        for stranger in [&otto, &anna] {
            let stranger = account(stranger);
            not_found(server.app.class(stranger, &view.class.id).await);
            assert!(done(server.app.classes(stranger)).await.is_empty());
        }
        let anna = anna.account.expect("Anna");
        forbidden(server.app.create_class(&anna, "Ours", true, "").await);
        // All errors are reported at once, with their lines; nothing is made.
        let teacher = account(&hanna);
        let error = server
            .app
            .create_class(teacher, " ", true, "Kim\nKim")
            .await;
        let Err(AppError::Invalid(fields)) = error else {
            panic!("taken")
        };
        assert_eq!(
            fields.iter().map(|(field, _)| *field).collect::<Vec<_>>(),
            ["name", "names"]
        );
        assert_eq!(server.app.classes(teacher).await.expect("a list").len(), 1);
    });
}

/// A lesson of the class that gathers, made by this teacher.
async fn lesson(server: &TestApp, class: &ClassId, teacher: &TeamAccess, terms: Terms) -> MatchId {
    let now = server.app.now();
    let events = perplex_matches::team::create(terms, now).expect("terms");
    let id = MatchId(crate::support::fresh_name("lesson"));
    let host = account(teacher).id.clone();
    let row = MatchRow {
        title: "Lesson".to_owned(),
        variant: "small".to_owned(),
        head: i32::try_from(events.len()).expect("a few"),
        class_id: Some(class.clone()),
        ..MatchRow::new(id.clone(), MatchKind::Team, host, now)
    };
    let made = server.app.store.write(move |conn| {
        matches::create(conn, &row)?;
        journal::append::<Match>(conn, &row.id, &events)
    });
    made.await.expect("a lesson");
    id
}

/// Ten pupils of a class play: five in each team, in the order of their names.
async fn played(
    server: &TestApp,
    view: &ClassView,
    teacher: &TeamAccess,
    terms: Terms,
) -> (MatchId, Vec<TeamAccess>) {
    let id = lesson(server, &view.class.id, teacher, terms).await;
    let proof = proof_of(&server.app.team_join_link(&id, 0));
    let mut people = Vec::new();
    for (number, one) in view.pupils.iter().take(10).enumerate() {
        let mut visit = pupil(server, view, &one.name).await;
        visit.link.clone_from(&proof);
        let join = Command::Join(MemberId(0), Some(side_of(number)));
        server.act(&visit, &id, join).await;
        visit.link = None;
        people.push(visit);
    }
    for (_, arrange) in arrangements() {
        server.act(teacher, &id, arrange).await;
    }
    server
        .act(teacher, &id, Command::Start { short: false })
        .await;
    (id, people)
}

const TEN: &str = "Ada,Bo,Cy,Dee,Eve,Fay,Gus,Hal,Ida,Jon";

#[test]
fn teachers_share_a_class_and_lead_its_lessons_together() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let otto = server.visit("Otto").await;
        let view = class_of(&server, &hanna, TEN).await;
        let (class, app) = (view.class.id.clone(), &server.app);
        let (id, people) = played(&server, &view, &hanna, terms()).await;
        assert_eq!(server.view(&people[0], &id).await.name(MemberId(1)), "Ada");
        not_found(server.app.load_team_match(&otto, &id, None).await);
        for wrong in ["nobody", "Hanna", &view.pupils[0].user, "Computer-easy"] {
            let error = app.offer_class(account(&hanna), &class, wrong).await;
            assert!(matches!(error, Err(AppError::Invalid(_))), "{wrong}");
        }
        server.share(account(&hanna), &class, account(&otto)).await;
        assert!(server.view(&otto, &id).await.viewer.host);
        server.act(&otto, &id, Command::Pause).await;
        server.act(&hanna, &id, Command::Resume).await;
        assert_eq!(done(app.teams(otto.account.as_ref())).await.own.len(), 1);
        // Acts of the owner only.
        forbidden(app.archive_class(account(&otto), &class, true).await);
        forbidden(app.remove_class(account(&otto), &class, "7b").await);
        let fred = server.visit("Fred").await;
        done(app.offer_class(account(&hanna), &class, "Fred")).await;
        done(app.hand_over_class(account(&hanna), &class, &account(&otto).id)).await;
        done(app.accept_class(account(&otto), &class)).await;
        // Offers of the former owner are not the new one's.
        let offers = app.class_offers(account(&fred)).await.expect("a list");
        assert_eq!(offers, []);
        not_found(app.accept_class(account(&fred), &class).await);
        forbidden(app.keep_class(account(&hanna), &class, 30).await);
        done(app.keep_class(account(&otto), &class, 30)).await;
        // The teacher who made the lesson leads it only while they share the class.
        done(app.unshare_class(account(&hanna), &class, &account(&hanna).id)).await;
        not_found(server.app.load_team_match(&hanna, &id, None).await);
        let lists = app.teams(hanna.account.as_ref()).await.expect("lists");
        assert!(lists.own.is_empty());
        let error = app
            .unshare_class(account(&otto), &class, &account(&otto).id)
            .await;
        assert!(matches!(error, Err(AppError::NotFound)), "the owner stays");
        // When the owner's account is deleted, a teacher who shares the class becomes its owner, and its lesson goes
        // on.
        server.share(account(&otto), &class, account(&hanna)).await;
        done(app.delete_account(account(&otto), "a long password")).await;
        let view = app.class(account(&hanna), &class).await.expect("a class");
        assert!(view.owner && view.teachers.len() == 1);
        assert_eq!(server.view(&hanna, &id).await.state.phase, Phase::Playing);
        // When the last teacher's account is deleted, so is the class.
        done(app.delete_account(account(&hanna), "a long password")).await;
        assert_eq!(held(&server, &class).await, 0);
    });
}

/// Number of rows of a class: itself, its teachers, pupils and lessons.
async fn held(server: &TestApp, class: &ClassId) -> usize {
    let class = class.clone();
    let counted = server.app.store.read(move |conn| {
        Ok::<_, StoreError>(
            usize::from(classes::find(conn, &class)?.is_some())
                + classes::teacher_ids(conn, &class)?.len()
                + classes::pupils_of(conn, &class)?.len()
                + lessons::all_of_class(conn, &class)?.len(),
        )
    });
    counted.await.expect("an answer")
}

#[test]
fn a_class_is_archived_kept_and_removed_with_everything() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let app = &server.app;
        let view = class_of(&server, &hanna, TEN).await;
        let class = view.class.id.clone();
        let (id, people) = played(&server, &view, &hanna, terms()).await;
        server.act(&people[1], &id, play(1, 0, "e2e4")).await;
        done(app.say_in_team(&people[0], &id, 1, "the plan")).await;
        done(app.open_channel(&people[0], &id, vec![MemberId(2)])).await;
        // Another class, which must lose nothing.
        let other = done(app.create_class(account(&hanna), "8c", true, TEN)).await;
        let other_view = app.class(account(&hanna), &other).await.expect("a class");
        let (other_id, _) = played(&server, &other_view, &hanna, terms()).await;
        server
            .act(&hanna, &other_id, Command::Team(MemberId(5), None))
            .await;
        server.act(&hanna, &other_id, Command::Stop).await;

        done(app.archive_class(account(&hanna), &class, true)).await;
        let token = app
            .sign_in(
                &view.pupils[0].user,
                &view.pupils[0].phrase,
                &Visitor::default(),
            )
            .await;
        // A pupil with the right phrase is told why it does not help.
        let Err(AppError::Invalid(why)) = token else {
            panic!("signed in");
        };
        let fault = Fault::Account(AccountFault::NoClass);
        assert_eq!(why, [("login", fault)]);
        let from = Visitor::default();
        let wrong = app.sign_in(&view.pupils[0].user, "no such words", &from);
        let Err(AppError::Invalid(why)) = wrong.await else {
            panic!("signed in");
        };
        assert!(why[0].0 == "password", "{why:?}");
        let tablet = device_of(&view.pupils[0].id);
        let came = app.sign_in_by_code(&id, &view.pupils[0].id, &tablet);
        assert_eq!(done(came).await, None);
        done(app.archive_class(account(&hanna), &class, false)).await;
        let back = pupil(&server, &view, "Ada").await;

        let exported = done(app.export_class(account(&hanna), &class)).await;
        let (json, table) = (exported.json(), exported.table());
        // A pupil who only watched has lost nothing.
        let decided = done(app.export_class(account(&hanna), &other)).await;
        let results: Vec<String> = decided
            .table()
            .into_iter()
            .map(|line| format!("{} {}", line[8], line[9]))
            .collect();
        assert_eq!(
            results.iter().filter(|one| *one == "White drawn").count(),
            4
        );
        assert!(
            results.contains(&"none looked on".to_owned()),
            "{results:?}"
        );
        for known in [
            "\"name\": \"Bo\"",
            "\"team\": \"White\"",
            "\"turns\": 1",
            "\"messages\": 1",
            "\"owner\": true",
        ] {
            assert!(json.contains(known), "{known}");
        }
        assert_eq!(table.len(), 11);
        let table = table.concat().join(",");
        for secret in ["the plan", &view.pupils[0].phrase] {
            assert!(
                !json.contains(secret) && !table.contains(secret),
                "{secret}"
            );
        }

        // A class in use is kept, whatever its age.
        for _ in 0..3 {
            server.lives(days(200)).await;
            pupil(&server, &view, "Ada").await;
            app.tick().await.expect("a tick");
        }
        // The other one was not used: it is gone, and this one is still there.
        assert_eq!(held(&server, &other).await, 0);
        not_found(app.load_team_match(&hanna, &other_id, None).await);
        assert_eq!(held(&server, &class).await, 13);
        drop(back);
        let hanna = server.visit_again("Hanna").await;
        invalid(app.remove_class(account(&hanna), &class, "7B").await);
        done(app.remove_class(account(&hanna), &class, " 7b ")).await;
        assert_eq!(held(&server, &class).await, 0);
        not_found(app.load_team_match(&hanna, &id, None).await);
        invalid(
            app.sign_in(
                &view.pupils[0].user,
                &view.pupils[0].phrase,
                &Visitor::default(),
            )
            .await,
        );
        // No table has any rows left.
        done(app.store.write(move |conn| {
            let left = talk::said(conn, &id)?.len()
                + journal::events::<Match>(conn, &id, 0)?.len()
                + members::of_match(conn, &id)?.len()
                + talk::channels_of(conn, &id)?.len()
                + talk::listeners_of(conn, &id)?.len();
            assert_eq!(left, 0);
            Ok::<_, StoreError>(())
        }))
        .await;
    });
}

#[test]
fn pupils_leave_and_come_back_and_get_new_phrases() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let (app, teacher) = (&server.app, account(&hanna));
        let view = class_of(&server, &hanna, TEN).await;
        let class = &view.class.id;
        let (id, people) = played(&server, &view, &hanna, terms()).await;
        let ada = &view.pupils[0];
        done(app.rename_pupil(teacher, class, &ada.id, "  Ada   Lovelace ")).await;
        assert_eq!(
            server.view(&people[1], &id).await.name(MemberId(1)),
            "Ada Lovelace"
        );
        for wrong in ["", "bo", &"x".repeat(41)] {
            let error = app.rename_pupil(teacher, class, &ada.id, wrong).await;
            assert!(matches!(error, Err(AppError::Invalid(_))), "{wrong:?}");
        }
        invalid(app.add_pupils(teacher, class, "Kim\nada lovelace").await);
        assert_eq!(done(app.add_pupils(teacher, class, "Kim\nLeo")).await, 2);
        // A pupil of another class does not belong to this one.
        let other = done(app.create_class(teacher, "8c", true, "Ada")).await;
        not_found(app.reset_phrase(teacher, &other, &ada.id).await);
        // A new phrase ends all access by the old one.
        let card = app.card_link(&ada.user, &ada.phrase);
        let proof = card.rsplit('/').next().expect("a proof").to_owned();
        let owner = app.card_owner(&ada.user, &proof).await.expect("a card");
        assert_eq!(owner.name, "Ada Lovelace");
        let visitor = Visitor {
            address: "192.0.2.7".to_owned(),
            agent: "A tablet".to_owned(),
            ..Visitor::default()
        };
        let token = done(app.sign_in_by_card(&owner, &visitor)).await;
        let viewer = server.signed_in(&token).await;
        // Neither the device nor the address of a pupil is stored.
        let sessions = app.sessions(&viewer).await.expect("sessions");
        assert!(
            sessions
                .iter()
                .all(|s| s.agent.is_empty() && s.address.is_empty())
        );
        done(app.reset_phrase(teacher, class, &ada.id)).await;
        assert!(app.viewer(&token).await.expect("an answer").is_none());
        not_found(app.card_owner(&ada.user, &proof).await);
        invalid(app.sign_in(&ada.user, &ada.phrase, &visitor).await);
        // A pupil who has left is out at once, and their deeds stay.
        let bo = &view.pupils[1];
        done(app.remove_pupil(teacher, class, &bo.id, true)).await;
        invalid(app.sign_in(&bo.user, &bo.phrase, &visitor).await);
        assert_eq!(server.view(&hanna, &id).await.name(MemberId(2)), "Bo");
        let now = app.class(teacher, class).await.expect("a class");
        assert_eq!((now.pupils.len(), now.former.len()), (11, 1));
        done(app.remove_pupil(teacher, class, &bo.id, false)).await;
        done(app.sign_in(&bo.user, &bo.phrase, &visitor)).await;
    });
}

#[test]
fn pupils_get_no_mail_and_are_not_found() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let app = &server.app;
        let view = class_of(&server, &hanna, TEN).await;
        let (id, people) = played(&server, &view, &hanna, over_days()).await;
        for viewer in &people {
            app.set_mail(account(viewer), mails_without(&[]))
                .await
                .expect("everything is on");
        }
        server.act(&people[1], &id, play(1, 0, "e2e4")).await;
        server
            .act(
                &people[3],
                &id,
                play(3, 0, "rule N written \"A knight may pass.\""),
            )
            .await;
        server
            .act(&people[8], &id, Command::Dispute(BoardNo(3)))
            .await;
        for _ in 0..3 {
            server.wait(days(2));
            app.tick().await.expect("a tick");
        }
        let told = server.letters().await;
        assert!(
            !told.is_empty()
                && told
                    .iter()
                    .all(|(row, _)| row.address == "Hanna@example.org")
        );
        // They are not found by their user names: not for a challenge, not for a team, not for their page.
        let user = &view.pupils[0].user;
        not_found(app.player(None, user).await);
        let monday = done(app.create_team(account(&hanna), "Monday", terms())).await;
        invalid(app.invite_to_team(&hanna, &monday, user).await);
        let hanna = server.visit_again("Hanna").await;
        invalid(app.offer_class(account(&hanna), &view.class.id, user).await);
        app.request_reset(user, &Visitor::default())
            .await
            .expect_err("no address");
        // The links of other matches lead them nowhere, and they make none.
        let link = app.team_join_link(&monday, 0);
        let by_link = TeamAccess {
            link: proof_of(&link),
            ..people[0].clone()
        };
        not_found(app.load_team_match(&by_link, &monday, None).await);
        let join = Command::Join(MemberId(0), None);
        assert!(matches!(
            server.refused(&by_link, &monday, join).await,
            AppError::NotFound
        ));
        forbidden(app.create_team(account(&people[0]), "Mine", terms()).await);
        // The admin sees no pupils either.
        let users = app.users(account(&hanna), 0).await.expect("users");
        assert_eq!(
            users
                .iter()
                .map(|user| user.name.as_str())
                .collect::<Vec<_>>(),
            ["Hanna"]
        );
    });
}
