//! The name for those who lead a match, in refusals: a club has a host, a lesson a teacher.

use std::collections::BTreeMap;

use perplex::app::team::lessons::Keep;
use perplex_matches::team::Span;
use perplex_matches::team::event::{Duties, TalkMode};

use super::*;
use crate::test_app::done;

/// Provokes all possible refusals to the boardmen of the first board, and to no others; gives their texts.
async fn refused(
    server: &TestApp,
    host: &TeamAccess,
    id: &MatchId,
    [white, black]: [&TeamAccess; 2],
) -> Vec<String> {
    let board = BoardNo(1);
    let mut told = Vec::new();
    let mut no = async |visit: &TeamAccess, command: Command| {
        told.push(texts::refusal::error(
            &server.refused(visit, id, command).await,
        ));
    };
    let terms = server.view(host, id).await.state.terms;
    let other = server.view(black, id).await.viewer.member;
    let other = other.expect("a member");
    for command in [
        Command::Pause,
        Command::Resume,
        Command::Stop,
        Command::CallOff,
        Command::Deal,
        Command::Start { short: true },
        Command::Settle(terms),
        Command::Seat(
            Vec::new(),
            [Duties::none(terms.size), Duties::none(terms.size)],
        ),
        Command::SetDuties(Side::First, Duties::none(terms.size)),
        Command::Decide(board, true),
        Command::TakeBack { board, seen: 0 },
        Command::Time(Span::More(60)),
        Command::Rename(other),
        Command::Talk(TalkMode::Frozen),
        Command::RemoveMessage(1, Actor::Host),
        Command::Replace(other, MemberId(2)),
        Command::Team(other, None),
        Command::Leave(other),
    ] {
        no(white, command).await;
    }
    // A rule in words needs an answer, and is disputed once.
    let rule = play(1, 0, "rule N written \"Knights may rest.\"");
    server.act(white, id, rule).await;
    no(black, play(1, 1, "reject")).await;
    server.act(black, id, Command::Dispute(board)).await;
    no(black, Command::Dispute(board)).await;
    no(black, play(1, 1, "accept")).await;
    server.act(host, id, Command::Decide(board, false)).await;
    server.act(host, id, Command::Pause).await;
    no(white, play(1, 2, "e2e4")).await;
    // Refusals that come from outside the match's own rules.
    let app = &server.app;
    for mode in [TalkMode::Phrases, TalkMode::Frozen] {
        server.act(host, id, Command::Talk(mode)).await;
        let said = app.say_in_team(white, id, 0, "Hello!").await;
        told.push(texts::refusal::error(&said.expect_err("held back")));
    }
    let seated = app.seat_everybody(white, id, Keep::Nothing).await;
    told.push(texts::refusal::error(&seated.expect_err("not theirs")));
    let invited = app.invite_to_team(white, id, "Zoe").await;
    told.push(texts::refusal::error(&invited.expect_err("not theirs")));
    told
}

/// Checks the refusals for these two words.
fn has_only(told: &[String], word: &str, other: &str) {
    assert!(told.iter().all(|text| !text.contains(other)), "{told:#?}");
    let speaks = told.iter().filter(|text| text.contains(word)).count();
    assert!(speaks > 18, "{speaks} say {word}: {told:#?}");
}

/// A lesson with eight pupils, and its members.
async fn lesson(server: &TestApp, hanna: &TeamAccess) -> (MatchId, BTreeMap<MemberId, TeamAccess>) {
    let teacher = hanna.account.clone().expect("signed in");
    let names = "Anna\nBen\nCem\nDora\nEmil\nFritz\nGina\nHugo";
    let app = &server.app;
    let class = done(app.create_class(&teacher, "7b", true, names)).await;
    let id = app.start_lesson(&teacher, &class).await.expect("a lesson");
    let view = server.view(hanna, &id).await;
    let code = view.lesson.and_then(|lesson| lesson.code).expect("a code");
    let mut pupils = BTreeMap::new();
    for pupil in app.class(&teacher, &class).await.expect("it").pupils {
        let visit = server.come_as(&code, &pupil.id).await;
        let member = server.view(&visit, &id).await.viewer.member;
        pupils.insert(member.expect("a member"), visit);
    }
    (id, pupils)
}

#[test]
fn a_lesson_has_a_teacher_and_a_club_a_host() {
    let database = Database::sqlite("words");
    let time = Arc::new(AtomicI64::new(START));
    let server = TestApp::with(database.open(), KeyRing::fresh(), &time);
    runtime().block_on(async {
        let team = Team::new(server.clone(), terms()).await;
        let told = refused(&server, &team.host, &team.id, [team.of(2), team.of(7)]).await;
        has_only(&told, "host", "teacher");

        let hanna = &team.host;
        let (id, pupils) = lesson(&server, hanna).await;
        done(server.app.seat_everybody(hanna, &id, Keep::Nothing)).await;
        server.act(hanna, &id, Command::Start { short: true }).await;
        let state = server.team_state(hanna, &id).await;
        let boardmen = [Side::First, Side::Second].map(|side| {
            let holder = state.team(side).duties.holder(Duty::Board(BoardNo(1)));
            &pupils[&holder.expect("a member")]
        });
        let told = refused(&server, hanna, &id, boardmen).await;
        has_only(&told, "teacher", "host");

        // And one that never begins.
        let zoe = server.visit("Zoe").await;
        let (id, pupils) = lesson(&server, &zoe).await;
        server.act(&zoe, &id, Command::CallOff).await;
        let (member, pupil) = pupils.first_key_value().expect("a member");
        let off = server.refused(pupil, &id, Command::Leave(*member)).await;
        assert_eq!(
            texts::refusal::error(&off),
            "The teacher has called this match off."
        );
    });
}
