//! Joining a lesson by its code.

use std::time::Duration;

use perplex::app::Visitor;
use perplex::app::team::door::{JoinOutcome, Joiner};
use perplex::app::team::lessons::Keep;
use perplex_matches::team::Command;
use perplex_matches::team::event::MemberId;

use super::wrong;
use crate::teams::people::Browser;
use crate::test_app::{
    TestApp, account, done, everywhere, forbidden, has, not_found, pupil_called,
};

const NAMES: &str = "Anna\nBen\nCem\nDora\nEmil\nFritz\nGül\nHugo";

async fn joined(server: &TestApp) {
    let teacher = server.visit("Hanna").await;
    let (class, id) = server.lesson(&teacher, "7b", NAMES).await;
    let view = server.view(&teacher, &id).await;
    assert_eq!(view.title, "7b, 15 January");
    assert_eq!(view.state.terms.size.boards(), 3, "eight pupils");
    assert_eq!(view.state.terms.seconds, Some(35 * 60));
    assert!(view.state.terms.supervised && !view.state.terms.listed);
    assert_eq!(view.join_link, None);
    let code = server.code(&teacher, &id).await;

    // Small letters and spaces are forgiven; another code is refused.
    let typed = format!(" {} {} ", &code[..3].to_lowercase(), &code[3..]);
    let lesson = server.lesson_by(&typed).await.expect("a lesson");
    assert_eq!((lesson.picks.len(), lesson.roster), (8, true));
    for bad in ["", "HHHHH", "zzzzzz", "<b>", "HHHHHH", "HHHHHHH"] {
        assert_eq!(wrong(server.lesson_by(bad).await), "code", "{bad}");
    }

    let anna = server.come(&code, "Anna").await;
    assert_eq!(account(&anna).name, "Anna");
    let seen = server.view(&anna, &id).await;
    assert_eq!(
        seen.lesson.as_ref().expect("a lesson").code,
        None,
        "codes are the teacher's"
    );
    assert_eq!(seen.viewer.member, Some(MemberId(1)));

    // No other visitor can be Anna without the three words, whether Anna is present or not.
    let from = Visitor::default();
    assert!(server.pick(&code, "Anna").await.taken);
    server.waits(&code, "Anna", "", "").await;
    let anna_id = Joiner::Pupil(account(&anna).id.clone());
    let guessed = server
        .app
        .join_lesson(&code, &anna_id, "one two three", None, &from);
    assert_eq!(wrong(guessed.await), "phrase");
    let cards = done(server.app.class(account(&teacher), &class)).await;
    let card = pupil_called(&cards, "Anna");
    let phrase = card.phrase.to_uppercase().replace(' ', "-");
    let token = server.comes_in(&code, "Anna", &phrase, "").await;
    let other_device = server.visit_with(&token).await;
    assert_eq!(server.view(&other_device, &id).await.state.members.len(), 1);

    // A signed-in pupil gets in by one button.
    let back = server.come_back(&code, &anna).await;
    assert_eq!(back.expect("in"), JoinOutcome::In(id.clone(), None));

    // A session by code ends after half a day.
    server.wait(Duration::from_hours(13));
    assert!(server.viewer(&token).await.is_none());

    // A pupil who was taken out stays out until the teacher lets them in again.
    let ben = server.come(&code, "Ben").await;
    server.act(&teacher, &id, Command::Leave(MemberId(2))).await;
    forbidden(server.app.load_team_match(&ben, &id, None).await);
    done(
        server
            .app
            .add_to_lesson(&teacher, &id, Some(&account(&ben).id)),
    )
    .await;
    server.come_back(&code, &ben).await.expect("in");
    // From then on Ben joins and leaves like all others.
    let now = server.view(&ben, &id).await.viewer.member.expect("Ben");
    server.act(&ben, &id, Command::Leave(now)).await;
    let back = server.come_back(&code, &ben).await;
    assert!(matches!(back, Ok(JoinOutcome::In(..))), "{back:?}");

    // A wrong name is given back before it is in a team.
    let fritz = server.come(&code, "Fritz").await;
    let view = server.view(&fritz, &id).await;
    let as_fritz = view.viewer.member.expect("Fritz");
    let given_back = done(server.app.release_name(&fritz, &id)).await;
    assert_eq!(given_back, Some(code.clone()));
    let state = server.team_state(&teacher, &id).await;
    assert!(state.members[&as_fritz].left.is_some());
    assert!(!server.pick(&code, "Fritz").await.taken);
    // Teachers are not among the names to pick.
    not_found(server.app.release_name(&teacher, &id).await);

    // A name of another class is not in the list, and its pupils are sent away.
    let (_, theirs) = server.lesson(&teacher, "8c", "Zoe").await;
    let their_code = server.code(&teacher, &theirs).await;
    assert_ne!(code, their_code);
    let zoe = server.come(&their_code, "Zoe").await;
    assert_eq!(wrong(server.come_back(&code, &zoe).await), "pupil");
    let stranger = Joiner::Pupil(account(&zoe).id.clone());
    let stranger = server.app.join_lesson(&code, &stranger, "", None, &from);
    assert_eq!(wrong(stranger.await), "pupil");

    // With the match the code ends.
    for name in ["Cem", "Dora"] {
        server.come(&code, name).await;
    }
    done(server.app.seat_everybody(&teacher, &id, Keep::Nothing)).await;
    server.starts(&teacher, &id).await;
    server.act(&teacher, &id, Command::Stop).await;
    assert_eq!(wrong(server.lesson_by(&code).await), "code");
    assert!(server.app.open_lesson(&teacher, &id).await.is_err());
}

/// An address as it is typed from the wall, or with what a phone or a mail program adds to it.
async fn typed(server: &TestApp) {
    let teacher = server.visit("Hanna").await;
    let (_, id) = server.lesson(&teacher, "7b", NAMES).await;
    let code = server.code(&teacher, &id).await;
    let (small, [first, rest]) = (code.to_lowercase(), [&code[..3], &code[3..]]);
    let mut visitor = Browser::on(server).await;
    let there = format!("/join/{code}");
    for typed in [
        format!("/join/{small}"),
        format!("/join/{code}/"),
        format!("/Join/{small}//"),
        format!("//join/{first}-{rest}"),
        format!("/JOIN/{first}/{rest}"),
        format!("/join/{first}%2F{rest}"),
        format!("/join/{first}%2D{rest}"),
        format!("/join/{first}%20{rest}%20"),
        format!("/join/{first}%E2%80%93{rest}"),
        format!("/join/?code={small}"),
        format!("/Join?code={first}-{rest}"),
    ] {
        let (path, page) = visitor.follows(&typed).await;
        assert_eq!(path, there, "{typed}");
        has(&page, "Anna");
    }
    for typed in ["/join/", "/Join", "/JOIN/", "//Join//"] {
        assert_eq!(visitor.follows(typed).await.0, "/join", "{typed}");
    }
    for (typed, page) in [
        ("/sign-in/?next=%2Flobby", "/sign-in?next=%2Flobby"),
        ("/Games/quixo/", "/games/quixo"),
        ("/try/quixo/turns=c1-a1/", "/try/quixo/turns=c1-a1"),
        ("//", "/"),
    ] {
        assert_eq!(visitor.follows(typed).await.0, page, "{typed}");
    }
    // The browser sends a form again, with all its fields.
    let sent = visitor.send("/sign-in", "/sign-in/", &[]).await;
    assert_eq!((sent.status.as_u16(), &*sent.to), (308, "/sign-in"));
    for nothing in ["/nonsense/", "/Nonsense", "/\\evil.example/"] {
        let (_, page) = visitor.follows(nothing).await;
        has(&page, "Nothing here");
    }

    // A pupil who is signed in gets there, too.
    let anna = server.pick(&code, "Anna").await;
    let mut pupil = Browser::on(server).await;
    let picked = [("pupil", &*anna.id.0)];
    pupil.done(&there, &there, &picked).await;
    let (path, _) = pupil.follows(&format!("/Join/{first}/{rest}/")).await;
    assert_eq!(path, there);
}

#[test]
fn an_address_is_forgiving() {
    everywhere("typed", typed);
}

#[test]
fn pupils_join_by_a_code() {
    everywhere("lessons", joined);
}

async fn nicknamed(server: &TestApp) {
    let (teacher, _, id, code) = server.first_lesson("Club", "").await;
    let one = server.nickname(&code).await.expect("in");
    let two = server.nickname(&code).await.expect("in");
    assert_ne!(account(&one).name, account(&two).name);
    assert_eq!(account(&one).name.split(' ').count(), 2);
    let view = server.view(&teacher, &id).await;
    let names: Vec<&str> = view.names.values().map(String::as_str).collect();
    assert_eq!(names, [&account(&one).name, &account(&two).name]);
    // A class with a list has no nicknames.
    let (_, listed) = server.lesson(&teacher, "7b", NAMES).await;
    let code = server.code(&teacher, &listed).await;
    assert_eq!(wrong(server.nickname(&code).await), "pupil");
}

#[test]
fn pupils_without_a_list_get_nicknames() {
    everywhere("lessons", nicknamed);
}
