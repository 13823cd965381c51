//! Joining a lesson: what one person can learn over time, by names, devices and the teacher's approval.

use std::collections::BTreeSet;
use std::slice;
use std::time::Duration;

use perplex::app::team::TeamAccess;
use perplex::app::team::door::{DoorOutcome, JoinOutcome, Joiner};
use perplex::app::team::lessons::Keep;
use perplex::app::{AppError, Visitor};
use perplex::texts::wants;
use perplex_games::rules::Side;
use perplex_matches::id::{ClassId, MatchId};
use perplex_matches::team::Command;

use super::{on, wrong};
use crate::test_app::{TestApp, account, done, everywhere, not_found, pupil_called};

const NAMES: &str = "Anna\nBen\nCem\nDora\nEmil\nFritz\nGül\nMia";

/// The teacher's view of the requests to join.
async fn knocks(server: &TestApp, teacher: &TeamAccess, id: &MatchId) -> Vec<String> {
    let lesson = server.view(teacher, id).await.lesson.expect("a lesson");
    let told = lesson.knocks.into_iter().map(|knock| {
        let name = knock.name.unwrap_or_else(|| "Somebody".to_owned());
        format!("{name} {}", wants(knock.wants))
    });
    told.collect()
}

/// The pupil who is signed in by the answer to a request to join, or an error: true if it was refused.
async fn at_door(server: &TestApp, code: &str, device: &str) -> Result<TeamAccess, bool> {
    match server.app.at_door(code, &on(device)).await.expect("asked") {
        DoorOutcome::In(_, token) => Ok(server.visit_with(&token).await),
        DoorOutcome::Waits(waiting) => Err(waiting.refused),
        DoorOutcome::NotWaiting => panic!("{device} stands at no door"),
    }
}

fn is_in(arrival: &JoinOutcome) -> bool {
    matches!(arrival, JoinOutcome::In(..))
}

/// A lesson with six seated pupils, and a seat for Mia, who has not joined.
async fn seated(server: &TestApp) -> (TeamAccess, MatchId, String) {
    let (teacher, _, id, code) = server.first_lesson("7b", NAMES).await;
    for name in ["Anna", "Ben", "Cem", "Dora", "Emil", "Fritz"] {
        let device = format!("{name}’s tablet");
        assert!(is_in(&server.join_lesson(&code, name, "", &device).await));
    }
    let mia = server.pick(&code, "Mia").await.id;
    done(server.app.add_to_lesson(&teacher, &id, Some(&mia))).await;
    done(server.app.seat_everybody(&teacher, &id, Keep::Nothing)).await;
    (teacher, id, code)
}

/// As [`seated`], and the lesson has begun.
async fn begun(server: &TestApp) -> (TeamAccess, MatchId, String) {
    let (teacher, id, code) = seated(server).await;
    server.starts(&teacher, &id).await;
    (teacher, id, code)
}

/// The names on a side.
async fn on_side(server: &TestApp, teacher: &TeamAccess, id: &MatchId, side: Side) -> Vec<String> {
    let view = server.view(teacher, id).await;
    let people = view.state.team(side).members.iter();
    people.map(|member| view.name(*member).to_owned()).collect()
}

/// Names of absent pupils cannot be picked after the start, however often a pupil tries: that needs the teacher's
/// approval or the three words.
async fn picked_names(server: &TestApp) {
    let (teacher, id, code) = begun(server).await;

    // Ben wants to read what Mia's side says: on his own tablet, on a fresh one, signed out.
    for device in ["Ben’s tablet", "a tablet from the shelf"] {
        server.waits(&code, "Mia", "", device).await;
        assert_eq!(at_door(server, &code, device).await.err(), Some(false));
    }
    assert_eq!(
        knocks(server, &teacher, &id).await,
        ["Mia comes late.", "Mia comes late."]
    );
    done(server.app.answer_door(&teacher, &id, "all", false)).await;
    assert_eq!(
        at_door(server, &code, "Ben’s tablet").await.err(),
        Some(true)
    );
    assert!(knocks(server, &teacher, &id).await.is_empty());

    // Mia comes, and knows the words.
    let class = lesson_class(server, &teacher, &id).await;
    let cards = done(server.app.class(account(&teacher), &class))
        .await
        .pupils;
    let words = |name: &str| {
        let card = cards.iter().find(|pupil| pupil.name == name);
        card.expect("on the list").phrase.clone()
    };
    let token = server
        .comes_in(&code, "Mia", &words("Mia"), "Mia’s tablet")
        .await;
    let mia = server.visit_with(&token).await;
    assert!(server.view(&mia, &id).await.rights.side.is_some());

    // The tablet dies: another one needs the teacher's approval, and then the old one has no name.
    server.waits(&code, "Mia", "", "spare").await;
    assert_eq!(
        knocks(server, &teacher, &id).await,
        ["Mia wants to come in on another device."]
    );
    done(server.app.answer_door(&teacher, &id, "all", true)).await;
    let spare = at_door(server, &code, "spare").await.expect("in");
    assert_eq!(account(&spare).id, account(&mia).id);
    assert!(server.viewer(&token).await.is_none());
    // The approval is good once, and for that device.
    let twice = done(server.app.at_door(&code, &on("spare"))).await;
    assert!(matches!(twice, DoorOutcome::NotWaiting), "{twice:?}");
    let other = server.app.at_door(&code, &on("Mia’s tablet")).await;
    assert!(matches!(other, Ok(DoorOutcome::NotWaiting)), "{other:?}");
    // Signing out frees the name only for this device.
    done(
        server
            .app
            .sign_out(&server.comes_in(&code, "Mia", "", "spare").await),
    )
    .await;
    server.waits(&code, "Mia", "", "Ben’s tablet").await;

    // A device of one side gets no name of the other.
    let white = on_side(server, &teacher, &id, Side::First).await;
    let black = on_side(server, &teacher, &id, Side::Second).await;
    let (mate, rival) = (&white[0], &black[0]);
    let device = format!("{mate}’s tablet");
    assert!(
        is_in(&server.join_lesson(&code, mate, "", &device).await),
        "its own"
    );
    server.waits(&code, rival, "", &device).await;

    // Nor does it once a rival who came by a card has signed out on it.
    let from = Visitor {
        signed_in: vec![server.pick(&code, rival).await.id],
        ..on(&device)
    };
    let comer = Joiner::Pupil(server.pick(&code, mate).await.id);
    let back = server.app.join_lesson(&code, &comer, "", None, &from).await;
    assert_eq!(back.expect("at the door"), JoinOutcome::Waits);

    // Latecomers.
    server.waits(&code, "Gül", "", "Gül’s tablet").await;
    done(server.app.welcome_latecomers(&teacher, &id, true)).await;
    assert!(is_in(
        &server.join_lesson(&code, "Gül", "", "Gül’s tablet").await
    ));
    // Only the teacher may decide.
    let gul = server.come_back(&code, &spare).await;
    assert!(gul.is_ok());
    for result in [
        server.app.welcome_latecomers(&spare, &id, true).await,
        server.app.answer_door(&spare, &id, "all", true).await,
    ] {
        assert!(matches!(result, Err(AppError::Forbidden(_))), "{result:?}");
    }
}

#[test]
fn names_belong_to_devices() {
    everywhere("lessons", picked_names);
}

/// The code of the next lesson, with a name that is free there, leads nowhere else: not to the talk of the pupil's
/// team in the running lesson.
async fn next_lesson(server: &TestApp) {
    let (teacher, id, code) = seated(server).await;
    let annas = server.comes_in(&code, "Anna", "", "Anna’s tablet").await;
    server.starts(&teacher, &id).await;
    let class = lesson_class(server, &teacher, &id).await;
    let next = server.lesson_of(account(&teacher), &class).await;
    let next_code = server.code(&teacher, &next).await;

    let token = server
        .comes_in(&next_code, "Anna", "", "Ben’s tablet")
        .await;
    let thief = server.visit_with(&token).await;
    assert!(server.view(&thief, &next).await.viewer.member.is_some());
    not_found(server.app.load_team_match(&thief, &id, None).await);
    not_found(server.app.team_heads(&thief, &id).await);
    let home = done(server.app.pupil_home(account(&thief))).await;
    let listed: Vec<_> = home.lessons.iter().map(|row| &row.id).collect();
    assert_eq!(listed, [&next]);
    // Nor does it let the pupil into the other lesson.
    let back = server.come_back(&code, &thief).await.expect("an answer");
    assert_eq!(back, JoinOutcome::Waits);

    // Anna is in as before.
    let anna = server.visit_with(&annas).await;
    assert!(server.view(&anna, &id).await.rights.side.is_some());
}

#[test]
fn the_code_of_the_next_lesson_opens_no_other() {
    everywhere("lessons", next_lesson);
}

/// A pupil signs out on a shared tablet; the next user is not that pupil, however the first had signed in.
async fn shared_tablet(server: &TestApp) {
    let (teacher, id, code) = seated(server).await;
    let class = lesson_class(server, &teacher, &id).await;
    let cards = done(server.app.class(account(&teacher), &class))
        .await
        .pupils;
    let anna = cards.iter().find(|pupil| pupil.name == "Anna");
    let anna = anna.expect("on the list");
    let shared = on("the shared tablet");
    let by_words = done(server.app.sign_in(&anna.user, &anna.phrase, &shared)).await;
    // While Anna is signed in, the name belongs to the tablet.
    let by_name = server.comes_in(&code, "Anna", "", &shared.browser).await;
    for token in [by_name, by_words] {
        done(server.app.leave_device(&token, &shared)).await;
        server.waits(&code, "Anna", "", &shared.browser).await;
        let words = server
            .join_lesson(&code, "Anna", &anna.phrase, &shared.browser)
            .await;
        assert!(is_in(&words), "the words open the door again");
    }
}

#[test]
fn signing_out_leaves_the_name_to_no_device() {
    everywhere("lessons", shared_tablet);
}

/// A classmate has taken a name; with a new card for its owner the classmate's tablet loses it.
async fn new_card(server: &TestApp) {
    let (teacher, _, id, code) = server.first_lesson("7b", NAMES).await;
    let token = server.comes_in(&code, "Mia", "", "Ben’s tablet").await;
    let class = lesson_class(server, &teacher, &id).await;
    let mia = server.pick(&code, "Mia").await.id;
    done(server.app.reset_phrase(account(&teacher), &class, &mia)).await;
    assert!(server.viewer(&token).await.is_none());
    server.waits(&code, "Mia", "", "Ben’s tablet").await;
}

/// The teacher has approved a device that has not come back yet; after a new card it gets in no more.
async fn new_card_at_the_door(server: &TestApp) {
    let (teacher, id, code) = begun(server).await;
    server.waits(&code, "Mia", "", "a tablet").await;
    done(server.app.answer_door(&teacher, &id, "all", true)).await;
    let class = lesson_class(server, &teacher, &id).await;
    let mia = server.pick(&code, "Mia").await.id;
    done(server.app.reset_phrase(account(&teacher), &class, &mia)).await;
    let at_door = server.app.at_door(&code, &on("a tablet")).await;
    assert!(
        matches!(at_door, Ok(DoorOutcome::NotWaiting)),
        "{at_door:?}"
    );
}

#[test]
fn a_new_card_ends_what_the_teacher_has_let_in() {
    everywhere("lessons", new_card_at_the_door);
}

/// Repeated requests to join stop only the device that sends them.
async fn knocking_devices(server: &TestApp) {
    let (_, _, code) = begun(server).await;
    let gul = Joiner::Pupil(server.pick(&code, "Gül").await.id);
    for device in 0..20 {
        let from = on(&format!("tablet {device}"));
        for knock in 0..6 {
            let came = server.app.join_lesson(&code, &gul, "", None, &from).await;
            assert_eq!(
                matches!(came, Err(AppError::TooOften(_))),
                knock == 5,
                "{came:?}"
            );
        }
    }
    server.waits(&code, "Mia", "", "Mia’s tablet").await;
}

#[test]
fn who_knocks_again_and_again_keeps_nobody_from_the_door() {
    everywhere("lessons", knocking_devices);
}

/// A stranger who has the code asks to join under all names, from many browsers; pupils in the classroom, which has
/// another network, still reach the teacher.
async fn strangers_at_the_door(server: &TestApp) {
    let (_, _, code) = begun(server).await;
    let names = ["Mia", "Gül"];
    for number in 0..80 {
        let pupil = Joiner::Pupil(server.pick(&code, names[number % 2]).await.id);
        let from = Visitor {
            address: "203.0.113.7".to_owned(),
            ..on(&format!("stranger {number}"))
        };
        // Whether one of them waits is no matter.
        let _ = server.app.join_lesson(&code, &pupil, "", None, &from).await;
    }
    for (name, tablet) in names.into_iter().zip(["one", "another"]) {
        let pupil = Joiner::Pupil(server.pick(&code, name).await.id);
        let from = Visitor {
            address: "198.51.100.9".to_owned(),
            ..on(tablet)
        };
        let came = server.app.join_lesson(&code, &pupil, "", None, &from).await;
        assert_eq!(came.expect("at the door"), JoinOutcome::Waits);
    }
    for tablet in ["one", "another"] {
        assert_eq!(at_door(server, &code, tablet).await.err(), Some(false));
    }
}

#[test]
fn strangers_push_out_no_pupil_of_the_classroom() {
    everywhere("lessons", strangers_at_the_door);
}

/// A name is taken and given back again and again: after a while it needs the teacher's approval.
async fn to_and_fro(server: &TestApp) {
    let (_, _, id, code) = server.first_lesson("7b", NAMES).await;
    for number in 0..=10 {
        let device = format!("window {number}");
        match server.join_lesson(&code, "Mia", "", &device).await {
            JoinOutcome::In(_, Some(token)) if number < 10 => {
                let mia = server.visit_with(&token).await;
                done(server.app.release_name(&mia, &id)).await;
            }
            JoinOutcome::Waits if number == 10 => {}
            other => panic!("{number}: {other:?}"),
        }
    }
}

#[test]
fn a_name_that_goes_to_and_fro_is_the_teachers_to_give() {
    everywhere("lessons", to_and_fro);
}

/// A nickname that is given back takes no place in the class.
async fn nickname_given_back(server: &TestApp) {
    let (teacher, class, id, code) = server.first_lesson("Club", "").await;
    for _ in 0..5 {
        let pupil = server.nickname(&code).await.expect("in");
        done(server.app.release_name(&pupil, &id)).await;
    }
    let view = server.app.class(account(&teacher), &class).await;
    assert_eq!(view.expect("a class").pupils.len(), 0);
}

#[test]
fn a_nickname_that_is_given_back_takes_no_place() {
    everywhere("lessons", nickname_given_back);
}

/// A pupil who came by the code of a lesson that is over is told no other code.
async fn after_the_lesson(server: &TestApp) {
    let (teacher, class, id, code) = server.first_lesson("7b", NAMES).await;
    let mia = server.come(&code, "Mia").await;
    server.act(&teacher, &id, Command::CallOff).await;
    server.lesson_of(account(&teacher), &class).await;
    let home = server.app.pupil_home(account(&mia)).await;
    assert_eq!(home.expect("a home").now, None);
}

#[test]
fn the_code_of_the_next_lesson_is_told_to_no_session_of_the_last() {
    everywhere("lessons", after_the_lesson);
}

#[test]
fn a_new_card_takes_the_name_from_all_devices() {
    everywhere("lessons", new_card);
}

/// Repeated requests to join, with one browser after the other, push out no waiting classmate.
async fn many_knocks(server: &TestApp) {
    let (teacher, id, code) = begun(server).await;
    server.waits(&code, "Mia", "", "Mia’s tablet").await;
    let gul = Joiner::Pupil(server.pick(&code, "Gül").await.id);
    for number in 0..80 {
        server.wait(Duration::from_secs(1));
        let from = Visitor {
            address: format!("192.0.2.{number}"),
            ..on(&format!("browser {number}"))
        };
        let knock = server.app.join_lesson(&code, &gul, "", None, &from).await;
        match knock {
            Ok(JoinOutcome::Waits) => assert!(number < 59, "{number}"),
            other => assert_eq!(wrong(other), "pupil"),
        }
    }
    let knocks = knocks(server, &teacher, &id).await;
    assert_eq!(knocks.len(), 60);
    assert_eq!(knocks[0], "Mia comes late.");
    assert_eq!(
        at_door(server, &code, "Mia’s tablet").await.err(),
        Some(false)
    );
}

#[test]
fn many_knocks_push_out_no_classmate() {
    everywhere("lessons", many_knocks);
}

/// The class of a lesson.
async fn lesson_class(server: &TestApp, teacher: &TeamAccess, id: &MatchId) -> ClassId {
    let lesson = server.view(teacher, id).await.lesson;
    lesson.expect("a lesson").class
}

/// Before the start: a pupil picks an absent classmate's name, sees a team, and gives the name back.
async fn given_back(server: &TestApp) {
    let (teacher, id, code) = seated(server).await;
    let token = server.comes_in(&code, "Mia", "", "Gül’s tablet").await;
    let mia = server.visit_with(&token).await;
    assert!(server.view(&mia, &id).await.rights.side.is_some());
    let released = server.app.release_name(&mia, &id).await;
    assert_eq!(released.expect("signed out"), Some(code.clone()));
    server.app.sign_out(&token).await.expect("out");
    // Mia is still in her team, and the device that has seen its talk does not join as another.
    let view = server.view(&teacher, &id).await;
    let there = |name: &String| view.names.values().any(|known| known == name);
    assert!(there(&"Mia".to_owned()));
    server.waits(&code, "Gül", "", "Gül’s tablet").await;
    assert_eq!(
        knocks(server, &teacher, &id).await,
        ["Gül wants to come in on a device of the other team."]
    );
    // Nor is Mia locked out for long.
    server.waits(&code, "Mia", "", "Mia’s tablet").await;
    done(server.app.answer_door(&teacher, &id, "all", true)).await;
    assert!(at_door(server, &code, "Mia’s tablet").await.is_ok());
}

#[test]
fn a_name_that_has_seen_a_team_is_not_given_back() {
    everywhere("lessons", given_back);
}

/// Ben was Mia in an earlier lesson of the day, where it did no harm. In the next one she has a seat.
async fn earlier_today(server: &TestApp) {
    let (teacher, class, _, code) = server.first_lesson("7b", NAMES).await;
    let token = server.comes_in(&code, "Mia", "", "Ben’s tablet").await;
    let second = server.lesson_of(account(&teacher), &class).await;
    let mia = server.pick(&code, "Mia").await.id;
    done(server.app.add_to_lesson(&teacher, &second, Some(&mia))).await;
    let ben = server.visit_with(&token).await;
    not_found(server.app.load_team_match(&ben, &second, None).await);
}

#[test]
fn a_place_is_laid_out_for_nobody_who_had_the_name_before() {
    everywhere("lessons", earlier_today);
}

/// Ten devices take one free name at once: exactly one gets it.
async fn ten_at_once(server: &TestApp) {
    let (teacher, _, id, code) = server.first_lesson("7b", NAMES).await;
    let comer = Joiner::Pupil(server.pick(&code, "Anna").await.id);
    let devices: Vec<Visitor> = (0..10).map(|n| on(&format!("tablet {n}"))).collect();
    let all = devices
        .iter()
        .map(|device| server.app.join_lesson(&code, &comer, "", None, device));
    let arrivals = futures_util::future::join_all(all).await;
    let came: Vec<&JoinOutcome> = arrivals.iter().flatten().filter(|one| is_in(one)).collect();
    assert_eq!(came.len(), 1, "{arrivals:?}");
    assert_eq!(knocks(server, &teacher, &id).await.len(), 9);
    let JoinOutcome::In(_, Some(token)) = came[0] else {
        panic!("no session");
    };
    assert!(server.app.viewer(token).await.expect("asked").is_some());
}

#[test]
fn one_device_gets_a_free_name() {
    everywhere("lessons", ten_at_once);
}

/// One guest asks for nickname after nickname.
async fn flood(server: &TestApp) {
    let (teacher, class, id, code) = server.first_lesson("Club", "").await;
    let mut names = BTreeSet::new();
    let mut waiting = 0;
    for number in 0..110 {
        let from = on(&format!("window {number}"));
        match server
            .app
            .join_lesson(&code, &Joiner::New, "", None, &from)
            .await
        {
            Ok(JoinOutcome::In(_, Some(token))) => {
                let viewer = server.app.viewer(&token).await.expect("asked");
                names.insert(viewer.expect("signed in").name);
            }
            Ok(JoinOutcome::Waits) => waiting += 1,
            Err(AppError::Invalid(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(names.len(), 35);
    assert!(waiting >= 60, "{waiting}");
    assert_eq!(knocks(server, &teacher, &id).await.len(), 60);
    // With patience the visitor fills a lesson, but not a class.
    for number in 110..130 {
        server.wait(Duration::from_secs(21));
        let from = on(&format!("window {number}"));
        match server
            .app
            .join_lesson(&code, &Joiner::New, "", None, &from)
            .await
        {
            Ok(JoinOutcome::In(_, Some(token))) => {
                let viewer = server.app.viewer(&token).await.expect("asked");
                names.insert(viewer.expect("signed in").name);
            }
            Ok(JoinOutcome::Waits) | Err(AppError::Invalid(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(names.len(), 40);
    // Real pupils get in by the teacher's approval.
    done(server.app.answer_door(&teacher, &id, "all", false)).await;
    let real_device = Visitor {
        address: "192.0.2.7".to_owned(),
        ..on("real")
    };
    let real = server
        .app
        .join_lesson(&code, &Joiner::New, "", None, &real_device);
    assert_eq!(real.await.expect("at the door"), JoinOutcome::Waits);
    assert_eq!(
        knocks(server, &teacher, &id).await,
        ["Somebody wants to come in and gets a nickname."]
    );
    done(server.app.answer_door(&teacher, &id, "all", true)).await;
    assert!(at_door(server, &code, "real").await.is_ok());
    // Removing pupils frees their places.
    let before = done(server.app.class(account(&teacher), &class))
        .await
        .pupils;
    for pupil in &before {
        done(
            server
                .app
                .remove_pupil(account(&teacher), &class, &pupil.id, true),
        )
        .await;
    }
    let picks = server.lesson_by(&code).await.expect("a lesson").picks;
    assert!(picks.is_empty());
    let late = Joiner::Pupil(before[0].id.clone());
    let late_device = on("late");
    let late = server.app.join_lesson(&code, &late, "", None, &late_device);
    assert_eq!(wrong(late.await), "pupil");
}

#[test]
fn one_guest_does_not_fill_a_class() {
    everywhere("lessons", flood);
}

/// The user name and the words of a pupil's card.
async fn card(
    server: &TestApp,
    teacher: &TeamAccess,
    id: &MatchId,
    name: &str,
) -> (String, String) {
    let class = lesson_class(server, teacher, id).await;
    let class = done(server.app.class(account(teacher), &class)).await;
    let pupil = pupil_called(&class, name);
    (pupil.user.clone(), pupil.phrase.clone())
}

/// The teacher has added all pupils. A pupil who signs in by the words has the name from then on, though no device
/// picked it.
async fn by_words(server: &TestApp) {
    let (teacher, _, id, code) = server.first_lesson("7b", NAMES).await;
    done(server.app.add_to_lesson(&teacher, &id, None)).await;
    let (user, words) = card(server, &teacher, &id, "Fritz").await;
    let own = on("Fritz’s tablet");
    let token = done(server.app.sign_in(&user, &words, &own)).await;
    server.waits(&code, "Fritz", "", "Ben’s tablet").await;

    // The other way round: Ben is Emil before Emil joins, by the words or with a session of yesterday.
    for yesterday in [false, true] {
        let name = if yesterday { "Dora" } else { "Emil" };
        let (user, words) = card(server, &teacher, &id, name).await;
        let from = on(&format!("{name}’s tablet"));
        let mut session = String::new();
        if yesterday {
            session = done(server.app.sign_in(&user, &words, &from)).await;
            // The lesson of today begins.
            done(server.app.close_lesson(&teacher, &id)).await;
        }
        let (_, today) = if yesterday {
            let class = lesson_class(server, &teacher, &id).await;
            let today = server.app.start_lesson(account(&teacher), &class).await;
            (class, today.expect("a lesson"))
        } else {
            (lesson_class(server, &teacher, &id).await, id.clone())
        };
        let code = server.code(&teacher, &today).await;
        let device = format!("Ben’s tablet for {name}");
        let impostor = server.comes_in(&code, name, "", &device).await;
        if yesterday {
            let owner = server.visit_with(&session).await;
            done(server.app.own_name(&today, account(&owner), &from)).await;
        } else {
            done(server.app.sign_in(&user, &words, &from)).await;
        }
        assert!(server.viewer(&impostor).await.is_none());
        server.waits(&code, name, "", &device).await;
    }
    assert!(server.app.viewer(&token).await.expect("asked").is_some());
}

#[test]
fn who_signs_in_by_the_words_has_the_name() {
    everywhere("lessons", by_words);
}

/// A pupil who waits to be let in and then types the words is in, and no longer on the teacher's list.
async fn in_by_words(server: &TestApp) {
    let (teacher, _, id, code) = server.first_lesson("7b", NAMES).await;
    server.comes_in(&code, "Anna", "", "Ben’s tablet").await;
    server.waits(&code, "Anna", "", "Anna’s tablet").await;
    assert_eq!(knocks(server, &teacher, &id).await.len(), 1);
    let (_, words) = card(server, &teacher, &id, "Anna").await;
    server
        .comes_in(&code, "Anna", &words, "Anna’s tablet")
        .await;
    assert!(knocks(server, &teacher, &id).await.is_empty());
    // Nor who signs in with them.
    server.waits(&code, "Anna", "", "Fritz’s tablet").await;
    let (user, words) = card(server, &teacher, &id, "Fritz").await;
    done(server.app.sign_in(&user, &words, &on("Fritz’s tablet"))).await;
    assert!(knocks(server, &teacher, &id).await.is_empty());
}

#[test]
fn who_comes_in_by_the_words_waits_no_longer() {
    everywhere("lessons", in_by_words);
}

/// A device takes names for three pupils, and no more; when play begins it has none on both sides.
async fn many_names(server: &TestApp) {
    let (teacher, _, id, code) = server.first_lesson("7b", NAMES).await;
    let mut tokens = Vec::new();
    for name in ["Anna", "Ben", "Cem"] {
        let token = server.comes_in(&code, name, "", "one tablet").await;
        tokens.push((name, token));
        server.wait(std::time::Duration::from_secs(1));
    }
    server.waits(&code, "Dora", "", "one tablet").await;
    for name in ["Dora", "Emil", "Fritz", "Gül", "Mia"] {
        let device = format!("{name}’s tablet");
        assert!(
            is_in(&server.join_lesson(&code, name, "", &device).await),
            "{name}"
        );
    }
    done(server.app.seat_everybody(&teacher, &id, Keep::Nothing)).await;
    // Cem, who came last, plays with one of the others or alone: the tablet stays on Cem's side.
    let member = |view: &perplex::app::team::TeamView, name: &str| {
        let found = view.names.iter().find(|(_, known)| *known == name);
        *found.expect("a member").0
    };
    let view = server.view(&teacher, &id).await;
    for (name, side) in [
        ("Anna", Side::First),
        ("Ben", Side::First),
        ("Cem", Side::Second),
    ] {
        let to = Command::Team(member(&view, name), Some(side));
        let _ = server.app.act_in_team(&teacher, &id, to).await;
    }
    server.starts(&teacher, &id).await;
    let view = server.view(&teacher, &id).await;
    let side = |name: &str| view.state.side_of(member(&view, name));
    for (name, token) in &tokens {
        let goes_on = server.app.viewer(token).await.expect("asked").is_some();
        assert_eq!(goes_on, side(name) == side("Cem"), "{name}");
    }
    assert_ne!(side("Anna"), side("Cem"), "this would show nothing");
}

#[test]
fn a_device_takes_few_names_and_sits_on_one_side() {
    everywhere("lessons", many_names);
}

/// Going on as another pupil across teams needs the words, by every way round.
async fn round_about(server: &TestApp) {
    let (teacher, id, code) = seated(server).await;
    let white = on_side(server, &teacher, &id, Side::First).await;
    let black = on_side(server, &teacher, &id, Side::Second).await;
    let absent = server.pick(&code, "Gül").await.id;
    let pupil = async |name: &String| server.pick(&code, name).await.id;
    let (white, black) = (pupil(&white[0]).await, pupil(&black[0]).await);
    let asks = async |target, pupils: &[_]| {
        let from = Visitor {
            left: pupils.to_vec(),
            ..Visitor::default()
        };
        done(server.app.asks_for_words(target, &from)).await
    };
    assert!(asks(&black, slice::from_ref(&white)).await);
    assert!(!asks(&absent, slice::from_ref(&white)).await);
    assert!(asks(&black, &[absent.clone(), white, black.clone()]).await);
    assert!(!asks(&black, slice::from_ref(&black)).await);
}

#[test]
fn an_absent_pupil_is_no_way_to_the_other_side() {
    everywhere("lessons", round_about);
}

/// Requests from one device, however many, keep no other from joining.
async fn knocking(server: &TestApp) {
    let (teacher, id, code) = seated(server).await;
    let anna = Joiner::Pupil(server.pick(&code, "Anna").await.id);
    let mut knocked = 0;
    for number in 0..500 {
        let junk = on(&format!("junk {number}"));
        match server.app.join_lesson(&code, &anna, "", None, &junk).await {
            Ok(JoinOutcome::Waits) => knocked += 1,
            Err(AppError::Invalid(_)) => break,
            other => panic!("{other:?}"),
        }
        server.wait(std::time::Duration::from_millis(10));
    }
    assert!((60..500).contains(&knocked), "{knocked}");
    // A free name, the right words, and a request from elsewhere.
    assert!(is_in(
        &server.join_lesson(&code, "Gül", "", "Gül’s tablet").await
    ));
    let (_, words) = card(server, &teacher, &id, "Ben").await;
    assert!(is_in(
        &server.join_lesson(&code, "Ben", &words, "a phone").await
    ));
    let elsewhere = Visitor {
        address: "192.0.2.7".to_owned(),
        ..on("Cem’s phone")
    };
    let cem = Joiner::Pupil(server.pick(&code, "Cem").await.id);
    let cem = server
        .app
        .join_lesson(&code, &cem, "", None, &elsewhere)
        .await;
    assert_eq!(cem.expect("at the door"), JoinOutcome::Waits);
    let waiting = knocks(server, &teacher, &id).await;
    assert_eq!(waiting.len(), 60);
    assert_eq!(waiting[59], "Cem wants to come in on another device.");
}

#[test]
fn the_door_is_not_filled_by_one() {
    everywhere("lessons", knocking);
}
