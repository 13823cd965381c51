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
        assert!(page.contains("<title>Your turn on board 1 – "), "{page}");
        assert!(
            page.contains("e2: white pawn") && page.contains("<svg"),
            "{page}"
        );
        let first = bo.page(&format!("{at}?board=1&ply=0&step=e2")).await;
        assert!(
            first.contains("ply=0&#38;step=e2&#38;step=e4")
                || first.contains("ply=0&amp;step=e2&amp;step=e4")
        );
        let both = bo
            .page(&format!("{at}?board=1&ply=0&step=e2&step=e4"))
            .await;
        assert!(both.contains("Play e2e4"), "{both}");
        let turn = format!("{at}/turn/1?board=1");
        let fields = [("ply", "0"), ("event", event(&both)), ("turn", "e2e4")];
        assert_eq!(bo.done(&at, &turn, &fields).await, format!("{at}?board=1"));

        // A misspelt turn comes back beside the right spelling.
        let mut gus = Browser::of(&server, "Gus").await;
        let got = gus
            .send(&at, &turn, &[("ply", "1"), ("turn", "e7e9")])
            .await;
        assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(got.text.contains("value=\"e7e9\""), "{}", got.text);

        // A transfer comes in between: the turn is refused, the page says what happened, and keeps the turn.
        let seen = gus.page(&at).await;
        let mut ada = Browser::of(&server, "Ada").await;
        let taken = [("transfer", "e4 1>2"), ("event", "1")];
        ada.done(&at, &format!("{at}/transfer"), &taken).await;
        let fields = [("ply", "1"), ("event", event(&seen)), ("turn", "d7d5")];
        let got = gus.send(&at, &turn, &fields).await;
        assert_eq!(got.status, StatusCode::CONFLICT);
        assert!(got.text.contains("value=\"d7d5\""), "{}", got.text);
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
        bo.done(&at, &format!("{at}/draw/1"), &[("do", "offer")])
            .await;
        let page = gus.page(&at).await;
        // Awaited answers are above the boards.
        let (above, _) = page.split_once("id=\"boards\"").expect("boards");
        assert!(
            above.contains("You are offered a draw on board 1."),
            "{above}"
        );
        assert!(
            page.contains("changed a rule on board 1: “Knights step.”"),
            "{page}"
        );
        let got = gus
            .send(
                &at,
                &format!("{at}/turn/2"),
                &[("ply", "1"), ("turn", "e7e5")],
            )
            .await;
        assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(
            got.text.contains("Another member plays board 2")
                || got.text.contains("somebody else&#39;s")
        );
    });
}

#[test]
fn a_transfer_says_where_it_can_go_and_who_came_late_what_changed() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let id = &team.id;
        for (who, board, turn) in [
            (2, 1, "e2e4"),
            (3, 2, "d2d4"),
            (8, 2, "e7e5"),
            (3, 2, "d4e5"),
        ] {
            let view = server.view(team.of(who), id).await;
            let seen = view
                .state
                .boards
                .board(BoardNo(board))
                .expect("a board")
                .version();
            server.act(team.of(who), id, play(board, seen, turn)).await;
        }
        let mut ada = Browser::of(&server, "Ada").await;
        let any = ada.page(&format!("{at}?take=any")).await;
        assert!(
            any.contains("take=1-e4") && any.contains("take=3-b1"),
            "{any}"
        );
        assert!(
            !any.contains("take=1-e1") && !any.contains("take=1-e7"),
            "no king, nothing of Black's"
        );
        let page = ada.page(&format!("{at}?take=1-e4")).await;
        assert_eq!(page.matches("Put it here").count(), 2, "{page}");
        let page = ada.page(&format!("{at}?take=1-d2")).await;
        assert!(
            page.contains("Not here: a white pawn stands on d2."),
            "{page}"
        );
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
        ada.done(&at, &format!("{at}/transfer"), &take).await;
        let late = [
            ("take", "1-d2"),
            ("kind", "P"),
            ("to", "3"),
            ("event", &event),
        ];
        let got = ada.send(&at, &format!("{at}/transfer"), &late).await;
        assert_eq!(got.status, StatusCode::CONFLICT);
        let why = between(&got.text, "id=\"problems\"><p>", "</p>");
        assert!(
            why.contains("Meanwhile: Ada moved the pawn on d2 from board 1 to board 2."),
            "{why}"
        );
        // A square that has filled up meanwhile: the piece stays chosen.
        let full = [
            ("take", "1-e4"),
            ("kind", "P"),
            ("to", "3"),
            ("event", &event),
        ];
        server.act(team.of(4), id, play(3, 0, "e2e4")).await;
        let got = ada.send(&at, &format!("{at}/transfer"), &full).await;
        assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(
            got.text.contains("Meanwhile: ") && got.text.contains("Dee played e4 on board 3."),
            "{}",
            got.text
        );
        assert!(
            got.text
                .contains("The <strong>pawn</strong> on <strong>e4</strong> of board 1."),
            "{}",
            got.text
        );
    });
}

#[test]
fn every_moment_has_an_address_and_the_log_its_filters() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let (at, id) = (format!("/team/{}", team.id), &team.id);
        server.act(team.of(2), id, play(1, 0, "e2e4")).await;
        let then = server.view(team.of(7), id).await.last_number;
        server.act(team.of(7), id, play(1, 1, "e7e5")).await;
        server.act(team.of(3), id, play(2, 0, "d2d4")).await;
        // Others see neither the vote nor a moment after it.
        server
            .act(team.of(5), id, Command::Vote(Some(MemberId(5))))
            .await;
        let last = server.view(team.of(5), id).await.last_number;
        let mut gus = Browser::of(&server, "Gus").await;
        let page = gus.page(&format!("{at}/at/{then}")).await;
        assert!(page.contains("This is how all boards stood then"), "{page}");
        assert!(
            page.contains("e4: white pawn") && page.contains("e7: black pawn"),
            "{page}"
        );
        assert!(
            !page.contains("d4: white pawn") && !page.contains("id=\"turn-form\""),
            "{page}"
        );
        assert!(
            page.contains(&format!(
                "href=\"{at}/at/{}\" data-key=\"ArrowLeft\"",
                then - 1
            )),
            "{page}"
        );
        let mut eve = Browser::of(&server, "Eve").await;
        for browser in [&mut gus, &mut eve] {
            let got = browser.get(&format!("{at}/at/{}", last + 1)).await;
            assert_eq!(got.status, StatusCode::NOT_FOUND);
        }
        let present = eve.page(&format!("{at}/at/{last}")).await;
        assert!(present.contains("You voted for Eve"));

        // The status above the boards comes along, which tells of the last turn.
        let log = |part: String| part[part.find("id=\"log\"").expect("a log")..].to_owned();
        let page = log(gus.page(&format!("{at}/log?log=2")).await);
        assert!(
            page.contains("Cy played d4 on board 2") && !page.contains("Bo played"),
            "{page}"
        );
        let page = log(gus.page(&format!("{at}/log?log=people")).await);
        assert!(
            page.contains("Jon joined Black") && !page.contains("played"),
            "{page}"
        );
        // Readers see who plays which board for the other team, but not who leads it.
        assert!(page.contains("Bo now plays board 1 for White"), "{page}");
        assert!(!page.contains("Ada is now"), "{page}");
    });
}

#[test]
fn the_projector_shows_and_does_nothing() {
    servers(|server| async move {
        let team = Team::new(
            server.clone(),
            Terms {
                supervised: true,
                ..terms()
            },
        )
        .await;
        server.act(team.of(2), &team.id, play(1, 0, "e2e4")).await;
        let link = server.app.projector_link(&team.id, 0);
        // With or without an account, even the host's: it is the same page.
        for name in [None, Some("Hanna"), Some("Bo")] {
            let mut browser = match name {
                Some(name) => Browser::of(&server, name).await,
                None => Browser::on(&server).await,
            };
            let page = browser.page(&link).await;
            assert!(
                page.contains("Bo played e4 on board 1") && page.contains("g2 h2 e4. Black:"),
                "{page}"
            );
            for nothing in ["<form", "csrf", "/join/", "data-select", " href=\"/team"] {
                assert!(!page.contains(nothing), "{nothing} in {page}");
            }
            let board = browser.page(&format!("{link}/board/1")).await;
            assert!(
                board.contains("g2 h2 e4. Black:") && !board.contains("id=\"making\""),
                "{board}"
            );
            assert!(
                browser
                    .page(&format!("{link}/heads"))
                    .await
                    .contains("&b3=")
            );
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

#[test]
fn in_rooms_a_boardman_sees_one_board() {
    servers(|server| async move {
        let rooms = Terms {
            sight: Sight::Rooms,
            ..terms()
        };
        let team = Team::new(server.clone(), rooms).await;
        let (at, id) = (format!("/team/{}", team.id), &team.id);
        server.act(team.of(3), id, play(2, 0, "d2d4")).await;
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
        assert!(heads.contains("&b1=") && !heads.contains("&b2="), "{heads}");
        let mut ada = Browser::of(&server, "Ada").await;
        assert!(ada.page(&at).await.contains("h2 d4. Black:"));
        let large = ada.page(&format!("{at}?board=2")).await;
        assert!(large.contains("d4: white pawn"));
    });
}

#[test]
fn other_duties_are_heard_of_on_every_board() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let (at, id) = (format!("/team/{}", team.id), &team.id);
        let agent = team.server.view(team.of(5), id).await;
        let mut eve = Browser::of(&server, agent.name(MemberId(5))).await;
        let (heads, first) = (format!("{at}/heads"), format!("{at}/board/1"));
        let (before, looked) = (eve.page(&heads).await, eve.page(&first).await);
        // Eve's own board is another one now, so keys no longer work on board 1.
        let give = Command::Give(Side::First, Duty::Board(BoardNo(2)), MemberId(5));
        server.act(team.of(1), id, give).await;
        let (after, looks) = (eve.page(&heads).await, eve.page(&first).await);
        assert!(looked.contains("id=\"board\"") && !looks.contains("id=\"board\""));
        let number = |heads: &str| between(heads, "b1=", "&").to_owned();
        assert_ne!(number(&before), number(&after), "{before} {after}");
    });
}

#[test]
fn devices_stay_quiet_where_the_host_or_their_owner_wants_it() {
    for quiet in [false, true] {
        servers(|server| async move {
            let terms = Terms { quiet, ..terms() };
            let team = Team::new(server.clone(), terms).await;
            let at = format!("/team/{}", team.id);
            let mut bo = Browser::of(&server, "Bo").await;
            assert_eq!(bo.page(&at).await.contains("data-chimes"), !quiet);
            let fields = [("zone", "UTC"), ("theme", "system")];
            bo.done("/account", "/account/preferences", &fields).await;
            assert!(!bo.page(&at).await.contains("data-chimes"));
        });
    }
}
