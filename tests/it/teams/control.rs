//! The host's control and other means of keeping order, as browsers without scripts get them; presence; long polls.

use std::time::Instant;

use actix_web::http::StatusCode;
use perplex_games::rules::flexichess::Square;
use perplex_matches::team::event::TalkMode;
use perplex_matches::team::phrase::{Blanks, Phrase};

use super::people::{Browser, between, servers};
use super::*;
use crate::test_app::{done, invalid, not_found};

/// The messages of a channel, as a person may read them.
async fn said(server: &TestApp, visit: &TeamAccess, id: &MatchId, channel: i32) -> Vec<String> {
    let messages = server.app.messages(visit, id, channel).await.expect("read");
    messages.into_iter().map(|message| message.text).collect()
}

#[test]
fn talk_is_held_to_phrases_and_stopped() {
    everywhere(async |servers| {
        let phrases = Terms {
            phrases: true,
            ..terms()
        };
        let team = Team::new(servers.server.clone(), phrases).await;
        let (server, id) = (&team.server, &team.id);
        let say = async |who: &TeamAccess, channel: i32| {
            server.app.say_in_team(who, id, channel, "Own words").await
        };
        let speak = async |who: &TeamAccess, channel: i32, blanks: Blanks| {
            let send = Phrase::find("send").expect("a phrase");
            server
                .app
                .say_phrase_in_team(who, id, channel, send, blanks)
                .await
        };
        let whole = Blanks {
            board: Some(BoardNo(2)),
            piece: Some(Kind::Knight),
            ..Blanks::default()
        };
        let private = done(server.app.open_channel(team.of(1), id, vec![MemberId(2)])).await;
        // In every channel; the host is free.
        for channel in [0, 1, private] {
            let error = say(team.of(2), channel).await.expect_err("phrases only");
            has(&texts::refusal::error(&error), "phrases");
            speak(team.of(2), channel, whole).await.expect("a phrase");
            let heard = said(server, team.of(1), id, channel).await;
            assert_eq!(heard, ["Please send a knight to board 2."]);
        }
        invalid(speak(team.of(2), 1, Blanks::default()).await);
        say(&team.host, 0).await.expect("the host");
        // Every page that shows talk hears of the change.
        let talk = async |who: &TeamAccess| {
            let heads = server.app.team_heads(who, id).await.expect("heads");
            (heads.people, heads.talk)
        };
        for mode in [TalkMode::Frozen, TalkMode::Free, TalkMode::Phrases] {
            let before = talk(team.of(6)).await;
            team.lead(Command::Talk(mode)).await;
            assert_ne!(talk(team.of(6)).await, before);
            all_hear_what_they_see(&team).await;
            let own = say(team.of(2), 1).await;
            let phrase = speak(team.of(2), 1, whole).await;
            assert_eq!(own.is_ok(), mode == TalkMode::Free, "{mode:?}");
            assert_eq!(phrase.is_ok(), mode != TalkMode::Frozen, "{mode:?}");
            say(&team.host, 0).await.expect("the host");
        }
    });
}

#[test]
fn what_is_removed_is_gone_and_names_are_changed() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, id) = (&team.server, &team.id);
        for (who, text) in [(2, "something rude"), (3, "Be nice!")] {
            done(server.app.say_in_team(team.of(who), id, 0, text)).await;
        }
        let removal = server.app.remove_message_in_team(team.of(1), id, 1).await;
        assert!(
            matches!(removal, Err(AppError::RefusedInTeam(..))),
            "{removal:?}"
        );
        not_found(server.app.remove_message_in_team(&team.host, id, 9).await);
        let before = server.app.team_heads(team.of(7), id).await.expect("heads");
        for _ in 0..2 {
            done(server.app.remove_message_in_team(&team.host, id, 1)).await;
        }
        let after = server.app.team_heads(team.of(7), id).await.expect("heads");
        assert_eq!(after.event, before.event + 1);
        assert!(after.people > before.people);
        // Other processes do not show the text either, and the keys can still be changed.
        for server in [server, &servers.other] {
            assert_eq!(said(server, team.of(7), id, 0).await, ["", "Be nice!"]);
        }
        server.app.rotate_talk_key().await.expect("new keys");
        assert_eq!(said(server, team.of(7), id, 0).await, ["", "Be nice!"]);

        let rename = async |who: &TeamAccess, name: &str| {
            server.app.rename_in_team(who, id, MemberId(2), name).await
        };
        assert!(rename(team.of(1), "Robert").await.is_err());
        for (name, why) in [
            ("", "is empty"),
            (" cy ", "already"),
            (&"x".repeat(41), "41 characters"),
        ] {
            let error = rename(&team.host, name).await.expect_err("refused");
            has(&texts::refusal::error(&error), why);
        }
        done(rename(&team.host, "  Robert   the Kind ")).await;
        let view = servers.other.view(team.of(6), id).await;
        assert_eq!(view.name(MemberId(2)), "Robert the Kind");
        let event = view.state.log.last().expect("an event").event.clone();
        assert_eq!(event.kind.to_string(), "rename 2");
        // The same name again changes nothing, however it is written.
        rename(&team.host, "Robert the Kind").await.expect("done");
        assert_eq!(team.view(6).await.state.head, view.state.head);
        for name in ["محمد", "محمد", "\u{2068}محمد\u{2069}"] {
            rename(&team.host, name).await.expect("done");
        }
        let after = team.view(6).await.state.head;
        assert_eq!(after, view.state.head + 1);
        let other = server
            .app
            .rename_in_team(&team.host, id, MemberId(3), "محمد")
            .await;
        let error = other.expect_err("two of one name");
        has(&texts::refusal::error(&error), "already");
        // Characters that change the direction of writing are no part of a name.
        rename(&team.host, "A\u{202E}nna").await.expect("done");
        let renamed = team.view(6).await;
        assert_eq!(renamed.name(MemberId(2)), "Anna");
    });
}

#[test]
fn a_second_click_takes_nothing_else_back() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, id) = (&team.server, &team.id);
        team.act(2, play(1, 0, "e2e4")).await;
        team.act(7, play(1, 1, "e7e5")).await;
        let back = Command::TakeBack {
            board: BoardNo(1),
            seen: 2,
        };
        // Twice on one process and once on another: one line goes.
        for process in [server, server, &servers.other] {
            process.act(&team.host, id, back.clone()).await;
        }
        let view = servers.other.view(team.of(2), id).await;
        let board = view.state.boards.board(BoardNo(1)).expect("a board");
        assert_eq!((board.version(), board.to_move()), (3, Some(Side::Second)));
        // A turn that was sent twice and taken back in between does not count as done.
        team.refuses(7, play(1, 1, "e7e5"), "changed").await;
        team.act(7, play(1, 3, "e7e5")).await;
        team.act(7, play(1, 3, "e7e5")).await;
        let view = team.view(2).await;
        let lines = view.state.log.iter().filter(|logged| {
            matches!(logged.event.kind, EventKind::Line(_)) && view.state.is_in_force(logged)
        });
        assert_eq!(lines.count(), 2);
        // Typed in another notation it is the same turn, too.
        team.act(2, play(1, 4, "Nf3")).await;
        team.act(2, play(1, 4, "Nf3")).await;
        team.refuses(2, play(1, 4, "Nc3"), "changed").await;
    });
}

#[test]
fn pages_that_ask_say_who_is_there() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, other, id) = (&team.server, &servers.other, &team.id);
        let seen = async |process: &TestApp, number: u16| {
            let attended = process.app.attended_team(&team.host, id).await;
            attended
                .expect("the host")
                .1
                .seen
                .get(&MemberId(number))
                .copied()
        };
        server.wait(Duration::from_secs(100));
        let before = seen(server, 2).await;
        let now = server.app.now();
        server.app.team_heads(team.of(2), id).await.expect("heads");
        assert_eq!(seen(server, 2).await, Some(now));
        // Another process knows only once it is written.
        assert_eq!(seen(other, 2).await.max(before), before);
        server.app.tick().await.expect("a tick");
        assert_eq!(seen(other, 2).await, Some(now));
        assert!(seen(other, 3).await < Some(now));
        // A stream says nothing about presence.
        server.wait(Duration::from_secs(100));
        let mut listening = server.app.teams.live.listen(id);
        done(server.app.team_heads_heard(team.of(2), id, &mut listening)).await;
        assert_eq!(seen(server, 2).await, Some(now));
        // Only the host may know it.
        for visit in [team.of(1), team.of(6), &TeamAccess::default()] {
            not_found(server.app.attended_team(visit, id).await);
        }
        let (_, attended) = done(server.app.attended_team(&team.host, id)).await;
        assert!(attended.said.is_empty());
        done(server.app.say_in_team(team.of(4), id, 1, "secret")).await;
        let (_, attended) = done(server.app.attended_team(&team.host, id)).await;
        assert_eq!(attended.said.get(&MemberId(4)).map(|said| said.0), Some(1));
    });
}

#[test]
fn the_host_leads_from_the_control_panel() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let (home, id) = (format!("/team/{}", team.id), &team.id);
        let control = format!("{home}/control");
        team.act(2, play(1, 0, "e2e4")).await;
        let [mut hanna, mut bo] = Browser::all(&server, ["Hanna", "Bo"]).await;
        let mut wall = Browser::on(&server).await;
        let projector = server.app.projector_link(id, 0);
        for address in [
            control.clone(),
            format!("{control}/members"),
            format!("{control}/board/1"),
        ] {
            assert_eq!(bo.get(&address).await.status, StatusCode::NOT_FOUND);
        }
        let lead = format!("{control}/lead");
        let page = hanna.page(&control).await;
        has(&page, "Bo played e4 on board 1.");
        has(&page, "back:1:1");
        // All screens show it, and only while play is stopped.
        bo.lacks(&home, "Eyes up!").await;
        assert_eq!(
            hanna.done(&control, &lead, &[("do", "pause")]).await,
            control
        );
        for page in [
            bo.page(&home).await,
            bo.page(&format!("{home}/log")).await,
            wall.page(&projector).await,
            wall.page(&format!("{projector}/log")).await,
        ] {
            has(&page, "Eyes up!");
        }
        // Where people talk about the boards they stay in sight.
        for (page, is_band) in [
            (bo.page(&home).await, false),
            (hanna.page(&control).await, true),
            (wall.page(&projector).await, true),
        ] {
            assert_eq!(page.contains("class=\"eyes band\""), is_band, "{page}");
        }
        hanna.done(&control, &lead, &[("do", "resume")]).await;
        bo.lacks(&home, "Eyes up!").await;
        // A refusal leads to the control panel, too.
        let refused = hanna.send(&control, &lead, &[("do", "back:1:0")]).await;
        assert_eq!(refused.status, StatusCode::CONFLICT);
        has(&refused.text, "Board 1 has changed");
        has(&refused.text, "id=\"needs\"");
        hanna
            .refused(&control, &lead, &[("do", "left"), ("minutes", "many")])
            .await;
        let unknown = hanna.send(&control, &lead, &[("do", "dance")]).await;
        assert_eq!(unknown.status, StatusCode::NOT_FOUND);
        for (deed, more) in [
            ("back:1:1", vec![]),
            ("talk:phrases", vec![]),
            ("more:300", vec![]),
            ("left", vec![("minutes", "50")]),
            ("replace:2:5", vec![]),
            ("give:white:2:2:3", vec![]),
        ] {
            let mut fields = vec![("do", deed)];
            fields.extend(more);
            assert_eq!(
                hanna.done(&control, &lead, &fields).await,
                control,
                "{deed}"
            );
        }
        // Another member has the duty by now.
        let late = hanna
            .send(&control, &lead, &[("do", "give:white:2:4:3")])
            .await;
        has(&late.text, "The duties have changed");
        let fields = [("member", "4"), ("side", "none")];
        hanna.done(&control, "team", &fields).await;
        let fields = [("member", "6"), ("name", "Fabienne")];
        hanna.done(&control, "rename", &fields).await;
        hanna.done(&control, "leave", &[("member", "10")]).await;
        let page = hanna.page(&format!("{control}/members")).await;
        for told in ["Dee is in no team", "Fabienne"] {
            assert!(page.contains(told), "{told}: {page}");
        }
        let mut log = String::new();
        for passed in [0, 12, 24, 36] {
            log += &bo.page(&format!("{home}/log?log=all.{passed}")).await;
        }
        for told in [
            "Bo played e4 on board 1 <em>(taken back)</em>",
            "The host took back: Bo played e4 on board 1",
            "The host lets people talk in ready-made phrases only",
            "The host changed the time: 50 minutes left",
            "The host changed duties. Eve now plays board 1 for White",
            "The host took Dee out of the teams",
            "The host gave Fabienne this name",
            "Jon was removed by the host",
        ] {
            assert!(log.contains(told), "{told}: {log}");
        }
        // The record holds only lines in force.
        hanna.lacks(&format!("{home}/record.txt"), "1 e2e4").await;
        // So does the report.
        team.act(5, play(1, 2, "e2e4")).await;
        let pawn = Transfer {
            side: Side::First,
            square: Square::read('e', '4').expect("a square"),
            from: BoardNo(1),
            to: BoardNo(2),
        };
        let transfer = Command::Transfer {
            transfer: pawn,
            kind: Kind::Pawn,
        };
        team.act(1, transfer).await;
        let report = hanna.page(&format!("{home}/report")).await;
        has(&report, "White 1, Black 0");
        has(&report, "to board 2");
        // A later line on board 2 is in the way; board 1, which has not changed, shows the same as before.
        let part = format!("{control}/board/1");
        let before = hanna.page(&part).await;
        let view = server.view(&team.host, id).await;
        let second = (1..=5).find(|number| {
            let boards = view.state.boards_of(MemberId(*number));
            boards.contains(&BoardNo(2))
        });
        let second = usize::from(second.expect("a member"));
        let seen = version(&view.state, 2);
        team.act(second, play(2, seen, "d2d4")).await;
        assert_eq!(hanna.page(&part).await, before);
        let refused = hanna.refused(&control, &lead, &[("do", "back:1:4")]).await;
        has(&refused, "Take that back first.");
        let seen = seen + 1;
        let back = format!("back:2:{seen}");
        hanna.done(&control, &lead, &[("do", &back)]).await;
        hanna.done(&control, &lead, &[("do", "back:1:4")]).await;
        let report = hanna.page(&format!("{home}/report")).await;
        has(&report, "White 0, Black 0");
        lacks(&report, "to board 2");
        // The wall embarrasses no pupil.
        let shown = wall.page(&projector).await;
        let events = between(&shown, "id=\"events\"", "</ol>");
        has(events, "The host took back what was last on board 1");
        for kept in ["removed", "took back: ", "this name", "out of the teams"] {
            assert!(!shown.contains(kept), "{kept}: {shown}");
        }
    });
}

#[test]
fn phrases_are_said_by_buttons() {
    servers(|server| async move {
        let team = Team::new(
            server.clone(),
            Terms {
                phrases: true,
                ..terms()
            },
        )
        .await;
        let (home, id) = (format!("/team/{}", team.id), &team.id);
        let mut cy = Browser::of(&server, "Cy").await;
        let page = cy.page(&home).await;
        let form = between(&page, "<form class=\"phrases\"", "</form>");
        // The member's own board is chosen already.
        has(form, "<option value=\"2\" selected>");
        lacks(form, "<textarea");
        let talk = format!("{home}/talk/1");
        let send = [
            ("phrase", "send"),
            ("on", "3"),
            ("piece", "N"),
            ("square", ""),
        ];
        cy.done(&home, &talk, &send).await;
        let look = [("phrase", "look"), ("on", "1"), ("square", "e4")];
        cy.done(&home, &talk, &look).await;
        let texts = said(&server, team.of(1), id, 1).await;
        assert_eq!(
            texts,
            ["Please send a knight to board 3.", "Please look at 1:e4."]
        );
        for (fields, status) in [
            (
                vec![("phrase", "send"), ("on", "3")],
                StatusCode::UNPROCESSABLE_ENTITY,
            ),
            (vec![("phrase", "rude"), ("on", "3")], StatusCode::NOT_FOUND),
            (
                vec![("text", "Own words")],
                StatusCode::UNPROCESSABLE_ENTITY,
            ),
        ] {
            let got = cy.send(&home, &talk, &fields).await;
            assert_eq!(got.status, status, "{fields:?}");
        }
        assert_eq!(said(&server, team.of(1), id, 1).await.len(), 2);
        // The host removes messages with one click, and only in the public talk.
        cy.done(&home, "talk/0", &[("phrase", "sorry")]).await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let page = hanna.page(&format!("{home}/talk?channel=0")).await;
        has(&page, "aria-label=\"Remove this message of Cy\"");
        cy.lacks(&format!("{home}/talk?channel=0"), "Remove this")
            .await;
        let removal = format!("{home}/remove-message");
        cy.refused(&home, &removal, &[("message", "1")]).await;
        hanna.done(&home, &removal, &[("message", "1")]).await;
        let page = cy.page(&format!("{home}/talk?channel=0")).await;
        has(&page, "removed by the host");
        lacks(&page, "\"text\">Sorry!");
        let log = cy.page(&format!("{home}/log")).await;
        has(
            &log,
            "The host removed a message of Cy from the public talk",
        );
        // Stopped: there is no form, but a reason.
        team.lead(Command::Talk(TalkMode::Frozen)).await;
        let page = cy.page(&home).await;
        has(&page, "The host has stopped the talk");
        lacks(&page, "class=\"phrases\"");
        let refused = cy.send(&home, &talk, &[("phrase", "yes")]).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
    });
}

#[test]
fn pages_without_scripts_load_themselves_anew() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let home = format!("/team/{}", team.id);
        let mut bo = Browser::of(&server, "Bo").await;
        let reloads = |page: &str| page.contains("http-equiv=\"refresh\"");
        for (query, anew) in [
            ("", true),
            ("?board=2&channel=0", true),
            // A field is being filled in, or the viewer turned it off, or sees an earlier state.
            ("?ply=0&step=e2", false),
            ("?take=1-e2", false),
            ("?still=1", false),
            ("/at/3", false),
        ] {
            let page = bo.page(&format!("{home}{query}")).await;
            assert_eq!(reloads(&page), anew, "{query}");
        }
        let refused = bo
            .send(&home, "turn/1", &[("ply", "0"), ("turn", "e9")])
            .await;
        assert!(!reloads(&refused.text));
        let mut hanna = Browser::of(&server, "Hanna").await;
        assert!(reloads(&hanna.page(&format!("{home}/control")).await));
        team.lead(Command::Stop).await;
        assert!(!reloads(&bo.page(&home).await));
    });
}

#[test]
fn an_answer_waits_until_there_is_something_new() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let home = format!("/team/{}", team.id);
        let mut bo = Browser::of(&server, "Bo").await;
        let now = bo.page(&format!("{home}/heads")).await;
        let query = |numbers: &str| numbers.replace('&', "%26").replace('=', "%3D");
        // With other numbers the answer comes at once; with the present ones it comes with the next event.
        let asked = format!("{home}/heads?wait=20&after=nothing");
        assert_eq!(bo.page(&asked).await, now);
        // The answer comes well before the time is up; if the machine stood still for so long, another event shows
        // it.
        let begun = Instant::now();
        let mut deeds = [Command::Pause, Command::Resume].into_iter().cycle();
        let told = loop {
            let now = bo.page(&format!("{home}/heads")).await;
            let wait = format!("{home}/heads?wait=20&after={}", query(&now));
            let deed = deeds.next().expect("they go on");
            let act = async {
                tokio::task::yield_now().await;
                team.lead(deed).await;
            };
            let start = Instant::now();
            let (told, ()) = futures_util::future::join(bo.page(&wait), act).await;
            assert_ne!(told, now);
            if start.elapsed() < Duration::from_secs(15) {
                break told;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "answers come only when their time is up"
            );
        };
        assert_eq!(told, bo.page(&format!("{home}/heads")).await);
        // Without an event the same numbers come when the time is up.
        let wait = format!("{home}/heads?wait=1&after={}", query(&told));
        assert_eq!(bo.page(&wait).await, told);
        // A visitor who may not see the match does not wait.
        let mut guest = Browser::on(&server).await;
        let hidden = guest.get(&format!("{home}/heads?wait=20&after=x")).await;
        assert_eq!(hidden.status, StatusCode::NOT_FOUND);
    });
}

#[test]
fn a_board_waits_however_often_pieces_change_boards() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let home = format!("/team/{}", team.id);
        let mut gus = Browser::of(&server, "Gus").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        team.plays(2, 1, "e2e4").await;
        let mut after = async |minutes: u64| {
            server.wait(Duration::from_mins(minutes));
            gus.page(&format!("{home}/heads?touched=1")).await;
            hanna.page(&format!("{home}/control")).await
        };
        let waits = "Board 1 has waited for";
        lacks(&after(1).await, waits);
        has(&after(4).await, waits);
        team.act(1, transfer(Side::First, ('e', '4'), 1, 2, Kind::Pawn))
            .await;
        has(&after(1).await, waits);
        team.plays(7, 1, "e7e5").await;
        lacks(&after(1).await, waits);
    });
}
