//! A match that its host calls off before it begins: what each person sees then, and what is gone.

use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::Match;

use super::lessons::{code_on, come, make_class};
use super::people::{Browser, between, servers};
use super::*;
use crate::test_app::{done, not_found};

#[test]
fn a_match_that_was_called_off_is_in_no_list_and_waits_for_no_one() {
    servers(|server| async move {
        let app = &server.app;
        let hanna = server.visit("Hanna").await;
        let account = hanna.account.clone().expect("signed in");
        let listed = Terms {
            listed: true,
            reveal: true,
            ..terms()
        };
        let id = done(app.create_team(&account, "Monday", listed)).await;
        let (ada, bo) = (server.visit("Ada").await, server.visit("Bo").await);
        let join = Command::Join(MemberId(0), Some(Side::First));
        server.act(&ada, &id, join.clone()).await;
        done(app.say_in_team(&ada, &id, 1, "the white plan")).await;
        server.letters().await;
        for to in ["Bo", "new@example.org"] {
            app.invite_to_team(&hanna, &id, to).await.expect("invited");
        }

        // Only the host may do that.
        for visit in [&ada, &bo] {
            server
                .refuses(visit, &id, Command::CallOff, "Only the host")
                .await;
        }
        let mut lobby = Browser::of(&server, "Ada").await;
        let home = format!("/team/{id}");
        let heads = |page: &str| between(page, "data-heads=\"", "\"").to_owned();
        let before = heads(&lobby.page(&home).await);
        let mut host = Browser::of(&server, "Hanna").await;
        let page = host.page(&home).await;
        has(&page, "Call the match off");
        has(&page, "Yes, call it off");
        let lead = format!("{home}/lead");
        let to = host.done(&home, &lead, &[("do", "call-off")]).await;
        assert_eq!(to, home);

        // The lobby hears of it, and shows it; so do the link and the projector, in plain words.
        let page = lobby.page(&home).await;
        assert_ne!(heads(&page), before);
        let said = "Hanna, the host, called this match off.";
        has(&page, said);
        lacks(&page, "Leave the match");
        lobby.sees(&format!("{home}/gather"), said).await;
        let page = host.page(&home).await;
        has(&page, "You called this match off.");
        lacks(&page, "join-link");
        let mut stranger = Browser::on(&server).await;
        let link = app.team_join_link(&id, 0);
        assert_eq!(stranger.get(&link).await.to, home);
        stranger.sees(&home, said).await;
        let wall = stranger.page(&app.projector_link(&id, 0)).await;
        has(&wall, "The host called the match off");
        lacks(&wall, "final-score");
        let log = host.page(&format!("{home}/log")).await;
        has(&log, "The host called the match off");
        assert_eq!(host.get(&format!("{home}/control")).await.to, home);

        // It is in no list, invites no player, sends no mail, and no act is possible in it any more.
        for visit in [&hanna, &ada, &bo] {
            let lists = app.teams(visit.account.as_ref()).await.expect("lists");
            let found = [lists.open, lists.own, lists.invited].map(|list| list.len());
            assert_eq!(found, [0, 0, 0]);
        }
        let mails = server.letters().await;
        assert_eq!(mails.len(), 2);
        for (row, about) in mails {
            assert!(about.is_none(), "{} gets {about:?}", row.address);
        }
        for (visit, command) in [
            (&bo, join),
            (&ada, Command::Leave(MemberId(1))),
            (&hanna, Command::Start { short: true }),
            (&hanna, Command::CallOff),
        ] {
            let refused = server.refused(visit, &id, command).await;
            assert_eq!(
                texts::refusal::error(&refused),
                "The host has called this match off."
            );
        }
        // Talk that was to be revealed after the end stays secret in a match that never began.
        not_found(app.messages(&bo, &id, 1).await);

        // It is in the journal, which replays.
        let view = server.view(&hanna, &id).await;
        let events: Vec<_> = view.state.log.iter().map(|one| one.event.clone()).collect();
        assert_eq!(
            events.last().map(|event| &event.kind),
            Some(&EventKind::CallOff)
        );
        let again = Match::replay(&events).expect("a journal");
        assert!(again.was_called_off() && again.outcome().is_none());

        // A host who deletes their account calls off matches that have not begun.
        let next = done(app.create_team(&account, "Tuesday", listed)).await;
        done(app.delete_account(&account, "a long password")).await;
        assert!(server.view(&ada, &next).await.state.was_called_off());
    });
}

#[test]
fn a_match_that_has_begun_is_ended_not_called_off() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        server
            .refuses(&team.host, &team.id, Command::CallOff, "has begun")
            .await;
    });
}

#[test]
fn a_lesson_is_called_off_and_its_code_is_gone() {
    servers(|server| async move {
        server.visit("Hanna").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let class = make_class(&mut hanna).await;
        let lesson = hanna.done(&class, "lesson", &[]).await;
        let code = code_on(&hanna.page(&lesson).await);
        let mut anna = come(&server, &code, "Anna").await;
        anna.sees(&lesson, "You are in, Anna").await;

        let lead = format!("{lesson}/lead");
        anna.refused(&lesson, &lead, &[("do", "call-off")]).await;
        hanna.sees(&lesson, "Call the lesson off").await;
        hanna.done(&lesson, &lead, &[("do", "call-off")]).await;

        let page = anna.page(&lesson).await;
        has(&page, "Your teacher called this lesson off.");
        hanna.sees(&lesson, "Back to 7b").await;
        assert_eq!(hanna.get(&format!("{lesson}/lesson")).await.to, lesson);
        let mut late = Browser::on(&server).await;
        let got = late.get(&format!("/join/{code}")).await;
        has(&got.text, "No lesson has this code now");
        // It is in no list, and does not count as a pupil's lesson.
        let page = hanna.page(&class).await;
        assert!(!page.contains(&lesson), "{page}");
        assert!(!anna.page("/me").await.contains(&lesson));
        hanna.sees(&class, "Start a lesson").await;
        // It gets no new code.
        let again = hanna.send(&class, &format!("{lesson}/open"), &[]).await;
        assert_eq!(again.to, lesson);
        hanna.lacks(&lesson, "class=\"code\"").await;
    });
}

#[test]
fn a_match_of_the_other_kind_is_not_found() {
    everywhere(async |servers| {
        let server = &servers.server;
        let host = server.visit("Hanna").await;
        let account = host.account.clone().expect("signed in");
        let id = server.team_match(&host, terms()).await;
        not_found(
            server
                .app
                .load_correspondence_match(Some(&account), &id, None)
                .await,
        );
        not_found(server.app.heads(Some(&account), &id).await);
    });
}
