//! The course of a lesson: seating, beginning, end of the hour, another day, report and progress.

use std::collections::BTreeSet;
use std::time::Duration;

use perplex::app::team::LessonAsks;
use perplex::app::team::lessons::Keep;
use perplex::store::Phase as Stage;
use perplex::texts;
use perplex_games::perplexichess::{BoardNo, Size};
use perplex_games::rules::Side;
use perplex_matches::classroom::report::Deeds;
use perplex_matches::classroom::seating::Task;
use perplex_matches::id::MatchId;
use perplex_matches::team::Place;
use perplex_matches::team::event::{Duties, Duty, MemberId};
use perplex_matches::team::{Command, Phase};

use super::{TeamAccess, wrong};
use crate::teams::lessons::come;
use crate::teams::people::Browser;
use crate::test_app::{TestApp, account, done, everywhere, forbidden, has, lacks, not_found};
use actix_web::http::StatusCode;

const NAMES: [&str; 10] = [
    "Anna", "Ben", "Cem", "Dora", "Emil", "Fritz", "Gina", "Hugo", "Ida", "Jona",
];

/// The member who has a duty.
async fn holder(
    server: &TestApp,
    teacher: &TeamAccess,
    id: &MatchId,
    side: Side,
    duty: Duty,
) -> Option<MemberId> {
    let view = server.view(teacher, id).await;
    view.state.team(side).duties.holder(duty)
}

async fn course(server: &TestApp) {
    let teacher = server.visit("Hanna").await;
    let app = &server.app;
    let class = done(app.create_class(account(&teacher), "7b", true, &NAMES.join("\n"))).await;
    let id = done(app.start_lesson(account(&teacher), &class)).await;
    let code = server.code(&teacher, &id).await;
    let mut pupils = Vec::new();
    for name in &NAMES[..8] {
        pupils.push(server.come(&code, name).await);
    }
    // The teacher sees who has not joined, and may seat them beforehand.
    let lesson = server.view(&teacher, &id).await.lesson.expect("a lesson");
    let missing: Vec<&str> = lesson
        .missing
        .iter()
        .map(|(_, name)| name.as_str())
        .collect();
    assert_eq!(missing, ["Ida", "Jona"]);
    let ida = lesson.missing[0].0.clone();
    done(app.add_to_lesson(&teacher, &id, Some(&ida))).await;
    done(app.seat_everybody(&teacher, &id, Keep::Nothing)).await;
    let view = server.view(&teacher, &id).await;
    let sizes = [0, 1].map(|index| view.state.teams[index].members.len());
    assert_eq!(sizes.iter().sum::<usize>(), 9);
    assert!(sizes[0].abs_diff(sizes[1]) == 1);
    assert!(view.state.missing().iter().all(Vec::is_empty));
    let lesson = view.lesson.as_ref().expect("a lesson");
    assert!(lesson.is_online(MemberId(1), app.now()));
    assert!(
        !lesson.is_online(MemberId(9), app.now()),
        "seated, and not here"
    );

    // Pupils arrange no duties, and seat no pupils.
    let strategist = Command::Arrange(Side::First, Duty::Strategist, Some(MemberId(1)));
    for command in [strategist, Command::Team(MemberId(1), None)] {
        forbidden(app.act_in_team(&pupils[0], &id, command).await);
    }
    assert!(
        app.seat_everybody(&pupils[0], &id, Keep::Nothing)
            .await
            .is_err()
    );
    assert!(app.report(&pupils[0], &id).await.is_err());
    assert!(app.close_lesson(&pupils[0], &id).await.is_err());

    // Placing: within a team duties are swapped, and across teams people are.
    let (white, black) = (Side::First, Side::Second);
    let board = |number| Duty::Board(BoardNo(number));
    let one = holder(server, &teacher, &id, white, board(1))
        .await
        .expect("a member");
    let two = holder(server, &teacher, &id, white, board(2))
        .await
        .expect("a member");
    let put = |who, place| server.act(&teacher, &id, Command::Place(who, place));
    put(one, Place::Duty(white, board(2))).await;
    assert_eq!(
        holder(server, &teacher, &id, white, board(1)).await,
        Some(two)
    );
    assert_eq!(
        holder(server, &teacher, &id, white, board(2)).await,
        Some(one)
    );
    let three = holder(server, &teacher, &id, black, board(3))
        .await
        .expect("a member");
    put(one, Place::Duty(black, board(3))).await;
    assert_eq!(
        holder(server, &teacher, &id, white, board(2)).await,
        Some(three)
    );
    assert_eq!(
        holder(server, &teacher, &id, black, board(3)).await,
        Some(one)
    );
    put(one, Place::Nowhere).await;
    assert_eq!(holder(server, &teacher, &id, black, board(3)).await, None);
    done(app.seat_everybody(&teacher, &id, Keep::All)).await;
    assert!(
        holder(server, &teacher, &id, black, board(3))
            .await
            .is_some()
    );
    assert_eq!(
        holder(server, &teacher, &id, white, board(2)).await,
        Some(three)
    );

    // Other settings: two boards more, and back; duties on boards that go are gone.
    let terms = server.view(&teacher, &id).await.state.terms;
    let larger = perplex_matches::team::event::Terms {
        size: Size::Medium,
        seconds: Some(600),
        ..terms
    };
    server.act(&teacher, &id, Command::Settle(larger)).await;
    assert_eq!(holder(server, &teacher, &id, white, board(5)).await, None);
    put(three, Place::Duty(white, board(5))).await;
    server.act(&teacher, &id, Command::Settle(terms)).await;
    let state = server.team_state(&teacher, &id).await;
    assert_eq!(state.boards.iter().count(), 3);
    assert_eq!(state.team(white).duties.of(three), []);
    let endless = perplex_matches::team::event::Terms {
        seconds: Some(1),
        ..terms
    };
    assert!(
        app.act_in_team(&teacher, &id, Command::Settle(endless))
            .await
            .is_err()
    );
    done(app.seat_everybody(&teacher, &id, Keep::Nothing)).await;

    // The first move, and the end of the hour.
    server.starts(&teacher, &id).await;
    done(app.welcome_latecomers(&teacher, &id, true)).await;
    assert!(
        app.act_in_team(&teacher, &id, Command::Settle(larger))
            .await
            .is_err()
    );
    let player = holder(server, &teacher, &id, white, board(1))
        .await
        .expect("a member");
    // Ida is not here, and does not move.
    let player = match pupils.get(usize::from(player.0) - 1) {
        Some(pupil) => pupil.clone(),
        None => server.come(&code, "Ida").await,
    };
    let e4 = Command::Play {
        board: BoardNo(1),
        seen: 0,
        turn: "e2e4".to_owned(),
        offer: false,
    };
    server.act(&player, &id, e4).await;
    server.wait(Duration::from_mins(20));
    app.close_lesson(&teacher, &id).await.expect("the bell");
    let view = server.view(&teacher, &id).await;
    assert_eq!(view.state.phase, Phase::Paused);
    assert_eq!(view.lesson.expect("a lesson").code, None);
    assert!(server.lesson_by(&code).await.is_err());

    // Another day: a new code, the same teams, and no time lost.
    server.wait(Duration::from_hours(48));
    app.open_lesson(&teacher, &id).await.expect("open");
    let new = server.code(&teacher, &id).await;
    assert_ne!(new, code);
    let left = server.view(&teacher, &id).await.state.time_left(app.now());
    assert_eq!(left, Some(Duration::from_mins(15)));
    for name in &NAMES[..6] {
        server.come(&new, name).await;
    }
    let view = server.view(&teacher, &id).await;
    assert_eq!(
        view.state.members.len(),
        9,
        "they come back as who they were"
    );
    assert!(!app.stand_ins(&view).is_empty());
    app.replace_absent(&teacher, &id).await.expect("replaced");
    let view = server.view(&teacher, &id).await;
    let here: BTreeSet<MemberId> = (1..=6).map(MemberId).collect();
    for side in [white, black] {
        let team = view.state.team(side);
        assert!(team.duties.vacant().is_empty());
        let all_away = team.members.is_disjoint(&here);
        for duty in team.duties.all() {
            let holder = team.duties.holder(duty).expect("a member");
            assert!(all_away || here.contains(&holder), "{holder} is not here");
        }
    }
    // Jona is new and joins the smaller team.
    server.come(&new, "Jona").await;
    server.act(&teacher, &id, Command::Resume).await;
    server.act(&teacher, &id, Command::Stop).await;

    let (view, report) = app.report(&teacher, &id).await.expect("a report");
    assert_eq!(view.state.phase, Phase::Over);
    assert_eq!(report.people.len(), 10);
    assert_eq!(
        report.people.iter().map(|deeds| deeds.turns).sum::<u32>(),
        1
    );
    assert_eq!(report.played, Duration::from_mins(20));
    let progress = done(app.progress(account(&teacher), &class)).await;
    let names: Vec<&str> = progress.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, NAMES);
    assert!(progress.iter().all(|one| one.past.lessons() == 1));
    let first: BTreeSet<MemberId> = report
        .tasks()
        .filter(|(_, _, task)| *task == Task::Strategist)
        .map(|(id, _, _)| id)
        .collect();
    assert!(first.len() >= 2);

    // The next lesson has other strategists.
    let next = done(app.start_lesson(account(&teacher), &class)).await;
    app.add_to_lesson(&teacher, &next, None).await.expect("all");
    done(app.seat_everybody(&teacher, &next, Keep::Nothing)).await;
    let view = server.view(&teacher, &next).await;
    // The members of the first lesson joined in the order of the list.
    let earlier: Vec<&str> = first
        .iter()
        .map(|id| names[usize::from(id.0) - 1])
        .collect();
    for side in [white, black] {
        let strategist = view.state.team(side).duties.strategist.expect("one");
        assert!(
            !earlier.contains(&view.name(strategist)),
            "{}",
            view.name(strategist)
        );
    }
    let lessons = done(app.lessons(account(&teacher), &class)).await;
    assert_eq!(lessons.len(), 2);
    let phases: Vec<Stage> = lessons.iter().map(|lesson| lesson.phase).collect();
    assert_eq!(phases, [Stage::Gathering, Stage::Over]);

    // No other teacher sees them.
    let other = server.visit("Otto").await;
    not_found(app.lessons(account(&other), &class).await);
    not_found(app.progress(account(&other), &class).await);
    not_found(app.start_lesson(account(&other), &class).await);
    not_found(app.report(&other, &id).await);
}

/// A pupil who is taken out hands over to one who is present; names and reports agree on all pages.
async fn people_go(server: &TestApp) {
    let (teacher, class, id, code) = server.first_lesson("7b", &NAMES.join("\n")).await;
    let app = &server.app;
    app.add_to_lesson(&teacher, &id, None).await.expect("all");
    let (white, black) = (Side::First, Side::Second);
    let sides = (1..=10).map(|number| {
        let side = if number <= 6 { white } else { black };
        (MemberId(number), Some(side))
    });
    let duties = |numbers: [u16; 4]| Duties {
        strategist: Some(MemberId(numbers[0])),
        boards: numbers[1..]
            .iter()
            .map(|number| Some(MemberId(*number)))
            .collect(),
    };
    let seat = Command::Seat(
        sides.collect(),
        [duties([1, 2, 3, 4]), duties([7, 8, 9, 10])],
    );
    server.act(&teacher, &id, seat).await;
    server.starts(&teacher, &id).await;
    done(app.welcome_latecomers(&teacher, &id, true)).await;
    // Emil, the first of the agents, never joined; Fritz is present.
    let fritz = server.come(&code, "Fritz").await;
    let ben = server.come(&code, "Ben").await;
    let board = Duty::Board(BoardNo(1));
    assert_eq!(
        holder(server, &teacher, &id, white, board).await,
        Some(MemberId(2))
    );
    server.wait(Duration::from_mins(4));
    for pupil in [&fritz, &ben] {
        server.view(pupil, &id).await;
    }
    // Presence is written at intervals.
    app.tick().await.expect("a tick");
    server.act(&teacher, &id, Command::Leave(MemberId(2))).await;
    assert_eq!(
        holder(server, &teacher, &id, white, board).await,
        Some(MemberId(6))
    );
    // Absent members have lost no duty.
    let three = Duty::Board(BoardNo(3));
    assert_eq!(
        holder(server, &teacher, &id, white, three).await,
        Some(MemberId(4))
    );
    // The same when a pupil is sent to the other team; if no pupil is present, the match decides.
    server
        .act(&teacher, &id, Command::Team(MemberId(6), Some(black)))
        .await;
    assert!(
        holder(server, &teacher, &id, white, board)
            .await
            .is_some_and(|now| now != MemberId(6))
    );
    let again = Command::Team(MemberId(6), Some(black));
    server.act(&teacher, &id, again).await;

    // Ben is let in again: one person, in the report and in the progress.
    done(app.add_to_lesson(&teacher, &id, Some(&account(&ben).id))).await;
    let state = server.team_state(&teacher, &id).await;
    assert_eq!(state.side_of(MemberId(2)), Some(white));
    let ben = server.come(&code, "Ben").await;
    server.wait(Duration::from_mins(3));
    server.view(&ben, &id).await;
    app.tick().await.expect("a tick");
    // Another name at the control panel is another name in the class.
    let taken = app.rename_in_team(&teacher, &id, MemberId(2), "Anna");
    assert_eq!(wrong(taken.await), "name");
    done(app.rename_in_team(&teacher, &id, MemberId(2), "Benno")).await;
    server.act(&teacher, &id, Command::Stop).await;
    let (view, report) = app.report(&teacher, &id).await.expect("a report");
    assert_eq!(report.people.len(), 10);
    let progress = app.progress(account(&teacher), &class).await;
    for one in progress.expect("progress") {
        let same = |deeds: &&Deeds| view.name(deeds.member) == one.name;
        let deeds = report.people.iter().find(same);
        let deeds = deeds.unwrap_or_else(|| panic!("{} is not in the report", one.name));
        assert_eq!(
            (deeds.minutes(), deeds.turns),
            (one.total.minutes(), one.total.turns)
        );
        if one.name == "Benno" {
            assert_eq!(deeds.minutes(), 7);
        }
    }
}

#[test]
fn who_goes_hands_over_to_a_pupil_who_is_there() {
    everywhere("lessons", people_go);
}

#[test]
fn a_lesson_from_the_first_button_to_the_report() {
    everywhere("lessons", course);
}

/// While the teacher has everybody look up no pupil writes, and pages beside the lesson hear of it. Whoever practises there
/// is not absent.
#[test]
fn pupils_look_up_and_are_called_back() {
    everywhere("look_up", async |server| {
        let (hanna, _, id, code) = server.first_lesson("7b", "Anna\nBen").await;
        let [anna, ben] = [
            server.come(&code, "Anna").await,
            server.come(&code, "Ben").await,
        ];
        let asks = async || done(server.app.lesson_asks(account(&anna), &id)).await;
        let speaks = async |who: &TeamAccess| server.app.say_in_team(who, &id, 0, "Hello").await;
        assert_eq!(asks().await, LessonAsks::Wait);
        for (member, side) in [(1, Side::First), (2, Side::Second)] {
            let seat = Command::Team(MemberId(member), Some(side));
            server.act(&hanna, &id, seat).await;
        }
        server.starts(&hanna, &id).await;
        assert_eq!(asks().await, LessonAsks::Play);
        done(speaks(&anna)).await;
        server.act(&hanna, &id, Command::Pause).await;
        assert_eq!(asks().await, LessonAsks::EyesUp);
        for pupil in [&anna, &ben] {
            let error = speaks(pupil).await.expect_err("nobody writes");
            has(&texts::refusal::error(&error), "Eyes up!");
        }
        done(speaks(&hanna)).await;
        server.act(&hanna, &id, Command::Resume).await;
        assert_eq!(asks().await, LessonAsks::Play);
        done(speaks(&ben)).await;
        // Ben was last heard of when he wrote; Anna's page beside the lesson asks.
        server.lives(Duration::from_mins(5)).await;
        asks().await;
        let seen = server
            .view(&hanna, &id)
            .await
            .lesson
            .expect("a lesson")
            .seen;
        assert_eq!(seen.get(&MemberId(1)), Some(&server.app.now()));
        // Nobody else's page hears of it.
        let [eve] = server.people(["Eve"]).await;
        let asked = done(server.app.lesson_asks(&eve, &id)).await;
        assert_eq!(asked, LessonAsks::Nothing);
    });
}

/// Whom the teacher takes out reads a friendly page, and stands in nobody else's log. Who comes late is welcomed.
#[test]
fn pupils_come_late_and_are_taken_out() {
    everywhere("come_and_go", async |server| {
        let (hanna, _, id, code) = server.first_lesson("7b", "Anna\nBen\nCem").await;
        let mut pupils = Vec::new();
        for name in ["Anna", "Ben", "Cem"] {
            pupils.push(come(server, &code, name).await);
        }
        let [anna, ben, cem] = &mut pupils[..] else {
            panic!("three pupils")
        };
        let seat = async |member: u16, side: Side| {
            let seat = Command::Team(MemberId(member), Some(side));
            server.act(&hanna, &id, seat).await;
        };
        seat(1, Side::First).await;
        seat(2, Side::Second).await;
        server.starts(&hanna, &id).await;
        let at = format!("/team/{id}");
        let log = format!("{at}/log?log=all");
        lacks(&anna.page(&at).await, "Welcome to");

        server.lives(Duration::from_mins(1)).await;
        seat(3, Side::First).await;
        let page = cem.page(&at).await;
        has(&page, "<h2>Welcome to White’s team</h2>");
        has(&page, "You are an agent");
        has(&page, "say hello under “Talk”");
        for other in [&mut *anna, &mut *ben] {
            lacks(&other.page(&at).await, "Welcome to");
        }

        let heads = format!("{at}/heads");
        let before = anna.page(&heads).await;
        server.act(&hanna, &id, Command::Leave(MemberId(3))).await;
        // Pages of others hear that somebody went, and not who, or by whom.
        assert_ne!(anna.page(&heads).await, before);
        let got = cem.get(&at).await;
        assert_eq!(got.status, StatusCode::FORBIDDEN);
        has(
            &got.text,
            "<h1>Your teacher has taken you out of this lesson</h1>",
        );
        has(&got.text, "your teacher can let you in again");
        has(&got.text, ">Try again</a>");
        for other in [&mut *anna, &mut *ben] {
            lacks(&other.page(&log).await, "was removed");
            lacks(&other.page(&at).await, "was removed");
        }
        let mut teacher = Browser::of(server, "Hanna").await;
        has(&teacher.page(&log).await, "was removed by the teacher");
        server.act(&hanna, &id, Command::LetBack(MemberId(3))).await;
        has(&cem.page(&at).await, "id=\"boards\"");
    });
}
