//! The page of a match as a browser without scripts gets it: boards, turns, transfers, the log, earlier moments, the
//! projector; and the numbers and parts that scripts ask for.

use actix_web::http::StatusCode;

use super::people::{Browser, between, servers};
use super::*;

/// The field with which a form says how far the page had come.
fn event(page: &str) -> &str {
    between(page, "name=\"event\" value=\"", "\"")
}

#[test]
fn turns_are_put_together_by_links_and_nothing_typed_is_lost() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let mut bo = Browser::of(&server, "Bo").await;
        let page = bo.page(&at).await;
        has(&page, "<title>Your turn on board 1 – ");
        has(&page, "e2: white pawn");
        has(&page, "<svg");
        let first = bo.page(&format!("{at}?board=1&ply=0&step=e2")).await;
        assert!(
            first.contains("ply=0&#38;step=e2&#38;step=e4")
                || first.contains("ply=0&amp;step=e2&amp;step=e4")
        );
        let both = bo
            .page(&format!("{at}?board=1&ply=0&step=e2&step=e4"))
            .await;
        // The button calls it as the log will.
        has(&both, ">Play e4</span></button>");
        let turn = format!("{at}/turn/1?board=1");
        let fields = [("ply", "0"), ("event", event(&both)), ("turn", "e2e4")];
        assert_eq!(bo.done(&at, &turn, &fields).await, format!("{at}?board=1"));

        // A misspelt turn comes back beside the right spelling.
        let mut gus = Browser::of(&server, "Gus").await;
        let got = gus
            .refused(&at, &turn, &[("ply", "1"), ("turn", "e7e9")])
            .await;
        has(&got, "value=\"e7e9\"");

        // A transfer comes in between: the turn is refused, the page says what happened, and keeps the turn.
        let seen = gus.page(&at).await;
        let mut ada = Browser::of(&server, "Ada").await;
        let taken = [("transfer", "e4 1>2"), ("event", "1")];
        ada.done(&at, "transfer", &taken).await;
        let fields = [("ply", "1"), ("event", event(&seen)), ("turn", "d7d5")];
        let got = gus.send(&at, &turn, &fields).await;
        assert_eq!(got.status, StatusCode::CONFLICT);
        has(&got.text, "value=\"d7d5\"");
        let why = between(&got.text, "id=\"problems\"><p>", "</p>");
        assert!(
            why.starts_with("Board 1 has changed")
                && why.contains("Ada moved the pawn on e4 from board 1 to board 2.")
                && !why.contains("Bo played"),
            "{why}"
        );
        let fields = [("ply", "2"), ("turn", "d7d5")];
        gus.done(&at, &turn, &fields).await;

        // A rule by typing, an offer, and an act that is another member's.
        let rule = [("ply", "3"), ("turn", "rule N NW \"Knights step.\"")];
        bo.done(&at, &turn, &rule).await;
        bo.done(&at, "draw/1", &[("do", "offer")]).await;
        let page = gus.page(&at).await;
        // Awaited answers are above the boards.
        let (above, _) = page.split_once("id=\"boards\"").expect("boards");
        has(above, "You are offered a draw on board 1.");
        has(&page, "changed a rule on board 1: “Knights step.”");
        let got = gus
            .refused(&at, "turn/2", &[("ply", "1"), ("turn", "e7e5")])
            .await;
        assert!(
            got.contains("Another member plays board 2") || got.contains("somebody else&#39;s")
        );
    });
}

#[test]
fn a_transfer_says_where_it_can_go_and_who_came_late_what_changed() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        for (who, board, turn) in [
            (2, 1, "e2e4"),
            (3, 2, "d2d4"),
            (8, 2, "e7e5"),
            (3, 2, "d4e5"),
        ] {
            team.plays(who, board, turn).await;
        }
        let mut ada = Browser::of(&server, "Ada").await;
        let any = ada.page(&format!("{at}?take=any")).await;
        has(&any, "take=1-e4");
        has(&any, "take=3-b1");
        assert!(
            !any.contains("take=1-e1") && !any.contains("take=1-e7"),
            "no king, nothing of Black's"
        );
        let page = ada.page(&format!("{at}?take=1-e4")).await;
        assert_eq!(page.matches("Put it here").count(), 2, "{page}");
        let page = ada.page(&format!("{at}?take=1-d2")).await;
        has(&page, "Not here: a white pawn stands on d2.");
        assert_eq!(
            page.matches("Put it here").count(),
            1,
            "board 2 has room: {page}"
        );

        // The same for scripts, and only for the strategist.
        let said = ada.page(&format!("{at}/receivers?take=1-d2")).await;
        assert_eq!(
            said,
            "{\"kind\":\"P\",\"boards\":[[2,null],[3,\"a white pawn stands on d2\"]]}"
        );
        let gone = ada.page(&format!("{at}/receivers?take=1-e5")).await;
        assert_eq!(gone, "{\"kind\":null,\"boards\":[]}");
        for name in ["Bo", "Eve", "Hanna"] {
            let mut other = Browser::of(&server, name).await;
            let got = other.get(&format!("{at}/receivers?take=1-d2")).await;
            assert_eq!(got.status, StatusCode::FORBIDDEN, "{name}");
            let page = other.page(&format!("{at}?take=1-d2")).await;
            assert!(
                !page.contains("Put it here") && !page.contains("name=\"take\""),
                "{name}: {page}"
            );
        }

        // The first transfer succeeds; a second one comes too late.
        let event = event(&page).to_owned();
        let take = [
            ("take", "1-d2"),
            ("kind", "P"),
            ("to", "2"),
            ("event", &event),
        ];
        ada.done(&at, "transfer", &take).await;
        let late = [
            ("take", "1-d2"),
            ("kind", "P"),
            ("to", "3"),
            ("event", &event),
        ];
        let got = ada.send(&at, "transfer", &late).await;
        assert_eq!(got.status, StatusCode::CONFLICT);
        let why = between(&got.text, "id=\"problems\"><p>", "</p>");
        has(
            why,
            "Meanwhile: Ada moved the pawn on d2 from board 1 to board 2.",
        );
        // A square that has filled up meanwhile: the piece stays chosen.
        let full = [
            ("take", "1-e4"),
            ("kind", "P"),
            ("to", "3"),
            ("event", &event),
        ];
        team.act(4, play(3, 0, "e2e4")).await;
        let got = ada.refused(&at, "transfer", &full).await;
        has(&got, "Meanwhile: ");
        has(&got, "Dee played e4 on board 3.");
        has(
            &got,
            "The <strong>pawn</strong> on <strong>e4</strong> of board 1.",
        );
    });
}

#[test]
fn every_moment_has_an_address_and_the_log_its_filters() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        team.act(2, play(1, 0, "e2e4")).await;
        let then = team.view(7).await.last_number;
        team.act(7, play(1, 1, "e7e5")).await;
        team.act(3, play(2, 0, "d2d4")).await;
        // Others see neither the vote nor a moment after it.
        team.act(5, Command::Vote(Some(MemberId(5)))).await;
        let last = team.view(5).await.last_number;
        let mut gus = Browser::of(&server, "Gus").await;
        let page = gus.page(&format!("{at}/at/{then}")).await;
        has(&page, "This is how all boards stood then");
        has(&page, "e4: white pawn");
        has(&page, "e7: black pawn");
        lacks(&page, "d4: white pawn");
        lacks(&page, "id=\"turn-form\"");
        has(
            &page,
            &format!("href=\"{at}/at/{}\" data-key=\"ArrowLeft\"", then - 1),
        );
        let mut eve = Browser::of(&server, "Eve").await;
        for browser in [&mut gus, &mut eve] {
            let got = browser.get(&format!("{at}/at/{}", last + 1)).await;
            assert_eq!(got.status, StatusCode::NOT_FOUND);
        }
        eve.sees(&format!("{at}/at/{last}"), "You voted for Eve")
            .await;

        // The status above the boards comes along, which tells of the last turn.
        let log = |part: String| part[part.find("id=\"log\"").expect("a log")..].to_owned();
        let page = log(gus.page(&format!("{at}/log?log=2")).await);
        has(&page, "Cy played d4 on board 2");
        lacks(&page, "Bo played");
        let page = log(gus.page(&format!("{at}/log?log=people")).await);
        has(&page, "Jon joined Black");
        lacks(&page, "played");
        // Readers see who plays which board for the other team, but not who leads it.
        has(&page, "Bo now plays board 1 for White");
        lacks(&page, "Ada is now");
    });
}

#[test]
fn the_projector_shows_and_does_nothing() {
    servers(|server| async move {
        let team = Team::new(server.clone(), supervised()).await;
        team.act(2, play(1, 0, "e2e4")).await;
        let link = server.app.projector_link(&team.id, 0);
        // With or without an account, even the host's: it is the same page.
        for name in [None, Some("Hanna"), Some("Bo")] {
            let mut browser = match name {
                Some(name) => Browser::of(&server, name).await,
                None => Browser::on(&server).await,
            };
            let page = browser.page(&link).await;
            has(&page, "Bo played e4 on board 1");
            has(&page, "g2 h2 e4. Black:");
            for nothing in ["<form", "csrf", "/join/", "data-select", " href=\"/team"] {
                assert!(!page.contains(nothing), "{nothing} in {page}");
            }
            let board = browser.page(&format!("{link}/board/1")).await;
            has(&board, "g2 h2 e4. Black:");
            lacks(&board, "id=\"making\"");
            browser.sees(&format!("{link}/heads"), "&b3=").await;
        }
        let mut guest = Browser::on(&server).await;
        let wrong = link.replace("/show/", "/show/0");
        for address in [
            wrong.clone(),
            format!("{wrong}/heads"),
            format!("/team/{}", team.id),
        ] {
            assert_eq!(
                guest.get(&address).await.status,
                StatusCode::NOT_FOUND,
                "{address}"
            );
        }
    });
}

/// The newest rules stand under their board and are not said again; what was said to everybody stands for a minute.
#[test]
fn the_wall_shows_rules_teams_and_public_talk() {
    servers(|server| async move {
        let team = Team::gathered(server.clone(), terms()).await;
        let emblem = "brave stars blue".parse().expect("an emblem");
        team.act(1, Command::SetEmblem(Side::First, Some(emblem)))
            .await;
        team.lead(Command::Start { short: false }).await;
        let link = server.app.projector_link(&team.id, 0);
        let mut wall = Browser::on(&server).await;
        let under = |page: &str| {
            let of_board = page.split("class=\"show-rules\"").nth(1);
            let (list, _) = of_board
                .and_then(|list| list.split_once("</ul>"))
                .expect("a list");
            list.to_owned()
        };
        for (by, rule) in [
            (2, "rule N NW \"Knights step.\""),
            (7, "rule B BW \"Bishops step.\""),
            (2, "rule R RF \"Rooks step.\""),
        ] {
            team.plays(by, 1, rule).await;
        }
        let page = wall.page(&link).await;
        let list = under(&page);
        has(&list, "Rooks step.");
        has(&list, "Bishops step.");
        has(&list, "+1");
        lacks(&list, "Knights step.");
        assert!(list.find("Rooks") < list.find("Bishops"), "{list}");
        let told = between(&page, "id=\"events\"", "</ol>");
        has(told, "Knights step.");
        lacks(told, "Rooks step.");
        lacks(told, "Bishops step.");
        has(&page, "team-emblem");

        let aloud = |page: &str| between(page, "id=\"aloud\"", "</ul>").to_owned();
        for (who, channel, text) in [(2, 1, "a secret plan"), (2, 0, "well played")] {
            done(
                server
                    .app
                    .say_in_team(team.of(who), &team.id, channel, text),
            )
            .await;
        }
        for address in [link.clone(), format!("{link}/said")] {
            let said = aloud(&wall.page(&address).await);
            has(&said, "Bo");
            has(&said, "well played");
            lacks(&said, "secret");
        }
        done(server.app.remove_message_in_team(&team.host, &team.id, 1)).await;
        lacks(&aloud(&wall.page(&format!("{link}/said")).await), "<li");
        done(server.app.say_in_team(team.of(7), &team.id, 0, "thank you")).await;
        has(&aloud(&wall.page(&link).await), "thank you");
        server.wait(Duration::from_mins(2));
        lacks(&aloud(&wall.page(&link).await), "thank you");
        // The teams have their names at the end, too.
        for (by, board) in [(7, 1), (8, 2), (9, 3)] {
            team.act(by, Command::Resign(BoardNo(board))).await;
        }
        has(&wall.page(&link).await, "final-score");
        has(&wall.page(&link).await, "team-emblem");
        let mut hanna = Browser::of(&server, "Hanna").await;
        for address in [String::new(), "/report".to_owned()] {
            let page = hanna.page(&format!("/team/{}{address}", team.id)).await;
            has(&page, "Brave Stars</span>");
        }
    });
}

#[test]
fn in_rooms_a_boardman_sees_one_board() {
    servers(|server| async move {
        let team = Team::new(server.clone(), rooms()).await;
        let at = format!("/team/{}", team.id);
        team.act(3, play(2, 0, "d2d4")).await;
        let mut bo = Browser::of(&server, "Bo").await;
        for part in ["", "/log", "/board/2", "?board=2", "/board/2?board=2"] {
            let page = bo.page(&format!("{at}{part}")).await;
            assert!(
                !page.contains("d4: white pawn")
                    && !page.contains("h2 d4. Black:")
                    && !page.contains("played d4"),
                "{part}: {page}"
            );
        }
        let heads = bo.page(&format!("{at}/heads")).await;
        has(&heads, "&b1=");
        lacks(&heads, "&b2=");
        let mut ada = Browser::of(&server, "Ada").await;
        ada.sees(&at, "h2 d4. Black:").await;
        ada.sees(&format!("{at}?board=2"), "d4: white pawn").await;
    });
}

#[test]
fn other_duties_are_heard_of_on_every_board() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let agent = team.view(5).await;
        let mut eve = Browser::of(&server, agent.name(MemberId(5))).await;
        let (heads, first) = (format!("{at}/heads"), format!("{at}/board/1"));
        let (before, looked) = (eve.page(&heads).await, eve.page(&first).await);
        // Eve's own board is another one now, so keys no longer work on board 1.
        let give = Command::Give(Side::First, Duty::Board(BoardNo(2)), MemberId(5));
        team.act(1, give).await;
        let (after, looks) = (eve.page(&heads).await, eve.page(&first).await);
        has(&looked, "id=\"board\"");
        lacks(&looks, "id=\"board\"");
        let number = |heads: &str| between(heads, "b1=", "&").to_owned();
        assert_ne!(number(&before), number(&after), "{before} {after}");
    });
}

#[test]
fn devices_stay_quiet_where_the_host_or_their_owner_wants_it() {
    for quiet in [false, true] {
        servers(|server| async move {
            let team = Team::new(server.clone(), Terms { quiet, ..terms() }).await;
            let at = format!("/team/{}", team.id);
            let mut bo = Browser::of(&server, "Bo").await;
            assert_eq!(bo.page(&at).await.contains("data-chimes"), !quiet);
            let fields = [("zone", "UTC"), ("theme", "system")];
            bo.done("/account", "/account/preferences", &fields).await;
            bo.lacks(&at, "data-chimes").await;
        });
    }
}
