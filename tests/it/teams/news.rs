//! Cards: what concerns a member is shown until they put it away, on each of their devices; "News" keeps it.

use std::time::Duration;

use super::people::{Browser, between, servers};
use perplex_matches::team::Span;

use super::*;

/// The card on a page; empty without one.
fn card(page: &str) -> &str {
    let (_, part) = page.split_once("id=\"cards\"").expect("the part");
    let (part, _) = part.split_once("</section>").expect("its end");
    part.split_once("<form").map_or("", |(_, card)| card)
}

/// The fields of the card of a page, and the values of each.
fn fields(card: &str) -> Vec<(&str, String)> {
    let values = |name: &'static str| {
        let field = format!("name=\"{name}\" value=\"");
        let found = card.split(&field).skip(1);
        let value = |rest: &str| rest.split('"').next().unwrap_or_default().to_owned();
        found
            .map(move |rest| (name, value(rest)))
            .collect::<Vec<_>>()
    };
    ["card", "event", "keep"]
        .into_iter()
        .flat_map(values)
        .collect()
}

/// Sends the form of a card, as it stood on a page.
async fn send(browser: &mut Browser, at: &str, page: &str) {
    let fields = fields(card(page));
    let sent: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    browser.done(at, &format!("{at}/news"), &sent).await;
}

/// Puts the card of a page away.
async fn put_away(browser: &mut Browser, at: &str) {
    let page = browser.page(at).await;
    send(browser, at, &page).await;
}

#[test]
fn a_card_stays_until_it_is_put_away() {
    for sight in [Sight::Open, Sight::Rooms] {
        servers(|server| async move {
            let team = Team::new(server.clone(), Terms { sight, ..terms() }).await;
            let at = format!("/team/{}", team.id);
            team.act(2, play(1, 0, "e2e4")).await;
            let rule = "rule N NW \"Knights step.\"";
            team.act(7, play(1, 1, rule)).await;

            let mut bo = Browser::of(&server, "Bo").await;
            let page = bo.page(&at).await;
            let shown = card(&page);
            has(shown, "A rule changed on board 1");
            has(shown, "“Knights step.”");
            let both = ["Before:", "Now:"].map(|word| shown.contains(word));
            assert_eq!(both, [true, true], "{shown}");
            assert!(!shown.contains("NW"), "no notation: {shown}");
            let mut ada = Browser::of(&server, "Ada").await;
            assert!(card(&ada.page(&at).await).contains("A rule changed on board 1"));
            // The player who did it knows; the player of another board has it among the news, if they may see it.
            let mut gus = Browser::of(&server, "Gus").await;
            assert_eq!(card(&gus.page(&at).await), "");
            let mut cy = Browser::of(&server, "Cy").await;
            assert_eq!(card(&cy.page(&at).await), "");
            let news = cy.page(&format!("{at}?log=news")).await;
            assert_eq!(news.contains("Knights step."), sight == Sight::Open);

            // Put away on one device it is away on another, and stands in the news.
            put_away(&mut bo, &at).await;
            let mut elsewhere = Browser::of(&server, "Bo").await;
            assert_eq!(card(&elsewhere.page(&at).await), "");
            let news = elsewhere.page(&format!("{at}?log=news")).await;
            has(&news, "Knights step.");
            assert!(card(&ada.page(&at).await).contains("A rule changed on board 1"));
            // A number that is not known yet puts away what there is, and nothing that comes later.
            let ahead = [("event", "2000000000")];
            ada.done(&at, "news", &ahead).await;
            assert_eq!(card(&ada.page(&at).await), "");
            team.act(2, play(1, 2, "b1c3")).await;
            let again = "rule B BW \"Bishops step.\"";
            team.act(7, play(1, 3, again)).await;
            assert!(card(&ada.page(&at).await).contains("“Bishops step.”"));
        });
    }
}

/// The announcements for screen readers on a page, entry by entry.
fn said(page: &str) -> Vec<&str> {
    let list = between(page, "id=\"announce\"", "</ul>");
    let entries = list.split("<li").skip(1);
    entries.map(|entry| between(entry, ">", "<")).collect()
}

#[test]
fn screen_readers_hear_each_thing_once() {
    servers(|server| async move {
        let rooms = Terms {
            sight: Sight::Rooms,
            ..terms()
        };
        let team = Team::new(server.clone(), rooms).await;
        let at = format!("/team/{}", team.id);
        let [mut bo, mut cy, mut hanna] = Browser::all(&server, ["Bo", "Cy", "Hanna"]).await;
        team.act(2, play(1, 0, "e2e4")).await;
        team.act(7, play(1, 1, "rule * written \"Nobody sighs.\""))
            .await;
        team.act(2, Command::Dispute(BoardNo(1))).await;
        let page = bo.page(&at).await;
        let entries = said(&page);
        let proposed = entries
            .iter()
            .filter(|entry| entry.contains("Nobody sighs."));
        assert_eq!(proposed.count(), 1, "{entries:?}");
        assert!(
            entries.iter().any(|entry| entry.contains("e4")),
            "{entries:?}"
        );
        let keys = page.matches("data-key=\"said-").count();
        assert!(keys >= entries.len() - 1, "{entries:?}");
        // The host is asked to decide; another board stays in its room.
        let page = hanna.page(&format!("{at}/control")).await;
        let asked = said(&page);
        assert!(
            asked
                .iter()
                .any(|entry| entry.contains("Please decide on board 1")),
            "{asked:?}"
        );
        let page = cy.page(&at).await;
        let others = said(&page);
        assert!(
            others.iter().all(|entry| !entry.contains("Nobody sighs.")),
            "{others:?}"
        );
    });
}

#[test]
fn three_cards_wait_and_the_others_are_news() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let rules = ["N NW", "N NF", "N ND", "B BW", "B BD"];
        let moves = ["e2e4", "b1c3", "c3b1", "b1c3", "c3b1"];
        for (ply, (turn, rule)) in (0..).step_by(2).zip(moves.iter().zip(rules)) {
            team.act(2, play(1, ply, turn)).await;
            let rule = format!("rule {rule} \"Now {rule}.\"");
            team.act(7, play(1, ply + 1, &rule)).await;
            server.wait(Duration::from_secs(10));
        }
        let [mut bo, mut other] = [
            Browser::of(&server, "Bo").await,
            Browser::of(&server, "Bo").await,
        ];
        let first = bo.page(&at).await;
        has(card(&first), "“Now B BD.”");
        has(card(&first), "2 more");
        has(card(&first), "2 others are under “News”");
        let news = bo.page(&format!("{at}?log=news")).await;
        assert_eq!(news.matches(">new<").count(), 5);
        // One after the other; what comes meanwhile is in front.
        send(&mut bo, &at, &first).await;
        let second = bo.page(&at).await;
        has(card(&second), "“Now B BW.”");
        has(card(&second), "1 more");
        lacks(card(&second), "under “News”");
        team.act(2, play(1, 10, "b1c3")).await;
        team.act(7, play(1, 11, "rule R RF \"Now R RF.\"")).await;
        has(card(&bo.page(&at).await), "“Now R RF.”");
        // Another page that still shows an earlier one brings nothing back.
        send(&mut other, &at, &first).await;
        for rule in ["R RF", "B BW", "N ND"] {
            let page = bo.page(&at).await;
            has(card(&page), &format!("“Now {rule}.”"));
            send(&mut bo, &at, &page).await;
        }
        for page in [&first, &second] {
            send(&mut other, &at, page).await;
            assert_eq!(card(&bo.page(&at).await), "");
        }
        let news = bo.page(&format!("{at}?log=news")).await;
        assert_eq!(news.matches(">new<").count(), 0);
    });
}

#[test]
fn what_one_has_just_done_can_be_undone_in_front_of_the_news() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        team.act(4, play(3, 0, "e2e4")).await;
        let pawn = transfer(Side::First, ('e', '4'), 3, 1, Kind::Pawn);
        team.act(1, pawn).await;
        let time = Command::Time(Span::Left(900));
        team.lead(time).await;
        let mut ada = Browser::of(&server, "Ada").await;
        let page = ada.page(&at).await;
        has(
            card(&page),
            "<h2>You sent the pawn from board 3 to e4 on board 1",
        );
        has(card(&page), ">Undo<");
        put_away(&mut ada, &at).await;
        let page = ada.page(&at).await;
        has(card(&page), "The host changed the time");
        lacks(card(&page), ">Undo<");
    });
}

#[test]
fn a_host_decides_first_and_is_asked_no_longer_then() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let control = format!("/team/{}/control", team.id);
        team.act(2, play(1, 0, "rule * written \"Nobody sighs.\""))
            .await;
        team.act(7, Command::Dispute(BoardNo(1))).await;
        team.act(3, Command::Resign(BoardNo(2))).await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        has(
            card(&hanna.page(&control).await),
            "Please decide on board 1",
        );
        team.lead(Command::Decide(BoardNo(1), true)).await;
        let page = hanna.page(&control).await;
        lacks(card(&page), "Please decide");
        has(card(&page), "board 2");
        // The players of the board are told the decision, and not that it is awaited.
        let mut bo = Browser::of(&server, "Bo").await;
        let page = bo.page(&format!("/team/{}", team.id)).await;
        lacks(card(&page), "decides");
        has(card(&page), "board 1");
    });
}

/// A mate on another board, and a rule of a team mate, are told to the whole team; who played against it has no card. A
/// rule is told to agents of the other team, too: they look at all boards.
#[test]
fn team_mates_are_told() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let rule = "rule N NW \"Knights step.\"";
        team.act(2, play(1, 0, rule)).await;
        for (name, is_told) in [
            ("Cy", true),
            ("Bo", false),
            ("Gus", true),
            ("Hal", false),
            ("Jon", true),
        ] {
            let page = Browser::of(&server, name).await.page(&at).await;
            let told = card(&page).contains("A rule changed on board 1");
            assert_eq!(told, is_told, "{name}: {}", card(&page));
        }
        team.act(8, Command::Resign(BoardNo(2))).await;
        for name in ["Bo", "Cy"] {
            let page = Browser::of(&server, name).await.page(&at).await;
            has(card(&page), "<h2>Board 2: White won");
        }
        // To Gus the rule on his own board comes first.
        let page = Browser::of(&server, "Gus").await.page(&at).await;
        has(card(&page), "1 more");
    });
}

/// A host is told of an election, and the control panel marks the new strategist for a minute.
#[test]
fn a_host_sees_an_election() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let control = format!("/team/{}/control", team.id);
        let mark = "<span class=\"tag new\">new</span>";
        let mut hanna = Browser::of(&server, "Hanna").await;
        lacks(&hanna.page(&control).await, mark);
        for voter in [2, 3, 5] {
            team.act(voter, Command::Vote(Some(MemberId(5)))).await;
        }
        let page = hanna.page(&control).await;
        has(card(&page), "is White’s grand strategist now");
        assert_eq!(page.matches(mark).count(), 1, "{page}");
        server.wait(Duration::from_mins(2));
        lacks(&hanna.page(&control).await, mark);
    });
}

/// A piece that is taken, and a rule that is edited, stay while something else is done on the page.
#[test]
fn what_is_begun_stays() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        team.act(2, play(1, 0, "e2e4")).await;
        team.act(7, play(1, 1, "rule N NW \"Knights step.\"")).await;
        let [mut ada, mut bo] = Browser::all(&server, ["Ada", "Bo"]).await;
        let rule = "?board=1&rule=B&form=move&betza=BW";
        for (browser, begun, shown) in [
            (&mut bo, rule, "id=\"editor-open\""),
            (&mut ada, "?take=1-a2", "id=\"targets\""),
        ] {
            let page = browser.page(&format!("{at}{begun}")).await;
            has(&page, shown);
            let query = begun.replace('&', "&#38;");
            for what in ["news", "talk/1"] {
                has(&page, &format!("action=\"{at}/{what}{query}\""));
            }
            has(&page, &format!("{query}&#38;log=news"));
            let event = between(card(&page), "name=\"event\" value=\"", "\"").to_owned();
            let sent = [("event", event.as_str())];
            let to = browser.done(&at, &format!("{at}/news{begun}"), &sent).await;
            let page = browser.page(&to).await;
            assert_eq!(card(&page), "");
            has(&page, shown);
            // What was refused comes back beside it.
            let page = browser
                .refused(&at, &format!("{at}/talk/1{begun}"), &[("text", " ")])
                .await;
            has(&page, shown);
        }
    });
}

/// The part of a page with a board.
fn board_of(page: &str, number: u8) -> &str {
    let (_, part) = page
        .split_once(&format!("id=\"part-{number}\""))
        .expect("it");
    part.split_once("</article>").expect("its end").0
}

#[test]
fn the_mate_is_seen_until_its_card_is_put_away() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let mate = ["f2f3", "e7e5", "g2g4", "d8h4"];
        for (seen, turn) in (0..).zip(mate) {
            let who = if seen % 2 == 0 { 2 } else { 7 };
            team.act(who, play(1, seen, turn)).await;
        }
        let king = "href=\"#K\" class=\"first\"";
        let gone = "Both kings are off the board";
        let mut bo = Browser::of(&server, "Bo").await;
        let page = bo.page(&at).await;
        assert!(
            card(&page).contains("Board 1: Black won by checkmate"),
            "{page}"
        );
        let board = board_of(&page, 1);
        has(board, king);
        lacks(board, gone);
        put_away(&mut bo, &at).await;
        let page = bo.page(&at).await;
        let board = board_of(&page, 1);
        lacks(board, king);
        has(board, gone);
        // The queen that gave mate changes boards: then there is nothing more to see.
        let mut gus = Browser::of(&server, "Gus").await;
        assert!(board_of(&gus.page(&at).await, 1).contains(king));
        let queen = transfer(Side::Second, ('h', '4'), 1, 2, Kind::Queen);
        team.act(6, queen).await;
        assert!(!board_of(&gus.page(&at).await, 1).contains(king));
    });
}

#[test]
fn a_transfer_is_undone_until_anything_else_happens_on_its_boards() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let (at, id) = (format!("/team/{}", team.id), &team.id);
        let undo = "id=\"undo\"";
        team.act(2, play(1, 0, "e2e4")).await;
        let pawn = || transfer(Side::First, ('e', '4'), 1, 2, Kind::Pawn);
        team.act(1, pawn()).await;
        let mut ada = Browser::of(&server, "Ada").await;
        let page = ada.page(&at).await;
        has(&page, undo);
        let sent = "You sent the pawn from board 1 to e4 on board 2";
        has(&page, &format!("{sent}."));
        // A card says so at once, and undoes it, too.
        let from_card = "form=\"card-undo\" name=\"to\" value=\"1\"";
        has(card(&page), sent);
        has(card(&page), from_card);
        let mut bo = Browser::of(&server, "Bo").await;
        assert!(!bo.page(&at).await.contains(undo), "it is the strategist's");
        let back = [("take", "2-e4"), ("kind", "P"), ("to", "1")];
        ada.done(&at, "transfer", &back).await;
        let state = server.team_state(team.of(1), id).await;
        let square = perplex_games::rules::flexichess::Square::read('e', '4').expect("a square");
        assert!(state.boards.piece(BoardNo(1), square).is_some());
        let page = ada.page(&at).await;
        lacks(&page, undo);
        assert_eq!(card(&page), "", "what undoes is not undone");
        // One card for who missed both.
        let page = bo.page(&at).await;
        has(&page, "Undone: the white pawn is back on your board 1");
        has(
            &page,
            "Ada undid the transfer: the pawn on e4 is back on board 1.",
        );
        lacks(card(&page), "left your board 1");
        // A turn on one of the boards ends it.
        team.act(1, pawn()).await;
        ada.sees(&at, undo).await;
        team.plays(3, 2, "a2a3").await;
        let page = ada.page(&at).await;
        lacks(&page, undo);
        lacks(card(&page), from_card);
        has(card(&page), sent);
        put_away(&mut ada, &at).await;
        assert_eq!(card(&ada.page(&at).await), "");
    });
}

#[test]
fn the_rules_in_force_stand_at_their_board() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let changes = [
            "rule N NW \"Knights step.\"",
            "rule P =N \"Only knights.\"",
            "rule N N \"Knights tire.\"",
        ];
        for (seen, turn) in (0..).zip(changes) {
            let who = if seen % 2 == 0 { 2 } else { 7 };
            team.act(who, play(1, seen, turn)).await;
            let mut bo = Browser::of(&server, "Bo").await;
            let page = bo.page(&at).await;
            let strip =
                |number| between(board_of(&page, number), "class=\"tb-rules\"", "</ul>").to_owned();
            let strip = strip(1);
            // The knight moves as ever again: that is no changed rule any more.
            let is_there = ["Knights step.", "Only knights.", "Knights tire."]
                .map(|text| strip.contains(text));
            assert_eq!(
                is_there,
                [
                    [true, false, false],
                    [true, true, false],
                    [false, true, false]
                ][seen as usize]
            );
            lacks(board_of(&page, 2), "tb-rules");
        }
    });
}

#[test]
fn pieces_off_the_board_stand_beside_its_players() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        team.act(2, play(1, 0, "e2e4")).await;
        team.act(7, play(1, 1, "d7d5")).await;
        let mut bo = Browser::of(&server, "Bo").await;
        lacks(&bo.page(&at).await, "Off the board");
        team.act(2, play(1, 2, "e4d5")).await;
        let gone = |side: &str| format!("aria-label=\"{side}’s pawn\"");
        let page = bo.page(&at).await;
        has(board_of(&page, 1), &gone("Black"));
        lacks(&page, &gone("White"));
        let then = team.view(1).await.last_number;
        // A pawn that changed boards is gone from one; the other does not lack any.
        team.act(1, transfer(Side::First, ('d', '5'), 1, 2, Kind::Pawn))
            .await;
        let mut ada = Browser::of(&server, "Ada").await;
        let page = ada.page(&at).await;
        has(board_of(&page, 1), &gone("White"));
        lacks(board_of(&page, 2), "Off the board");
        // It stands as it was then at earlier events.
        let page = ada.page(&format!("{at}/at/{then}")).await;
        has(board_of(&page, 1), &gone("Black"));
        lacks(&page, &gone("White"));
    });
}

/// The card of a message on a page; empty without one.
fn call(page: &str) -> &str {
    let (_, part) = page.split_once("id=\"called\"").expect("the part");
    let (part, _) = part.split_once("</section>").expect("its end");
    part.split_once("<form").map_or("", |(_, card)| card)
}

#[test]
fn talk_that_names_its_reader_is_a_card() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let (at, id) = (format!("/team/{}", team.id), &team.id);
        let say = async |number: usize, channel: i32, text: &str| {
            server.wait(Duration::from_secs(1));
            done(server.app.say_in_team(team.of(number), id, channel, text)).await;
        };
        let private = server.app.open_channel(team.of(1), id, vec![MemberId(2)]);
        let private = done(private).await;
        say(1, 1, "bo, take the knight on e4!").await;
        say(1, private, "Bo and Cy, secretly").await;
        say(6, 2, "Bo must not hear this").await;
        say(2, 0, "I am Bo").await;

        // Who answers in a channel has seen what is there, and nobody is called by themselves.
        let mut bo = Browser::of(&server, "Bo").await;
        let page = bo.page(&at).await;
        let shown = call(&page);
        assert!(shown.contains("Ada wrote to you"), "{shown}");
        // The newest is in front.
        assert!(shown.contains("“Bo and Cy, secretly”"), "{shown}");
        assert!(!shown.contains("e4!"), "{shown}");
        assert!(shown.contains("1 more"), "{shown}");
        // The secret channel is not Cy's, and the team's is not Black's.
        for other in ["Cy", "Gus"] {
            let mut other = Browser::of(&server, other).await;
            assert_eq!(call(&other.page(&at).await), "");
            let news = other.page(&format!("{at}?log=news")).await;
            assert!(!news.contains("wrote to you"), "{news}");
        }

        // Reading the channel leaves the card; it is put away once, for all devices, and stays in the news.
        let page = bo.page(&format!("{at}?channel=1")).await;
        assert!(call(&page).contains("secretly"));
        // In the talk it is marked, for its reader alone.
        let mark = "<span class=\"tag\">to you</span>";
        assert_eq!(page.matches(mark).count(), 1);
        let page_of_ada = Browser::of(&server, "Ada").await.page(&at).await;
        lacks(&page_of_ada, mark);
        let sent = [("event", "0"), ("call", "1.1"), ("call", "2.1")];
        bo.done(&at, &format!("{at}/news"), &sent[..2]).await;
        let mut elsewhere = Browser::of(&server, "Bo").await;
        let page = elsewhere.page(&format!("{at}?log=news")).await;
        assert!(call(&page).contains("secretly"), "{}", call(&page));
        let list = &page[page.find("id=\"log\"").expect("news")..];
        let list = &list[..list.find("</section>").expect("their end")];
        assert_eq!(list.matches("wrote to you").count(), 2, "{list}");
        assert_eq!(list.matches(">new<").count(), 1, "{list}");
        say(2, private, "Yes!").await;
        assert_eq!(call(&bo.page(&at).await), "");
        // What is said in secret is to each who hears it, named or not, until they read it.
        let mut ada = Browser::of(&server, "Ada").await;
        let page = ada.page(&at).await;
        has(call(&page), "Bo wrote to you in secret");
        has(call(&page), "“Yes!”");
        ada.page(&format!("{at}?channel={private}")).await;
        assert_eq!(call(&ada.page(&at).await), "");
        // Of a channel of others nothing is put away.
        let refused = server.app.put_away_calls(team.of(2), id, 2, 1).await;
        assert!(matches!(refused, Err(AppError::NotFound)), "{refused:?}");

        // What the host removes is withdrawn; a member who comes later hears nothing of it.
        say(7, 0, "Bo is rude").await;
        assert!(call(&bo.page(&at).await).contains("Bo is rude"));
        done(server.app.remove_message_in_team(&team.host, id, 2)).await;
        assert_eq!(call(&bo.page(&at).await), "");
        // Several of a channel are one card.
        for text in ["Bo!", "Bo?", "Hey Bo", "Bo, now", "Bo, please"] {
            say(8, 0, text).await;
        }
        let page = bo.page(&at).await;
        assert!(
            call(&page).contains("<h2>Messages to you</h2>"),
            "{}",
            call(&page)
        );
        assert_eq!(call(&page).matches("<li").count(), 3, "{}", call(&page));
        assert!(call(&page).contains("2 more"), "{}", call(&page));
    });
}

#[test]
fn a_host_gets_cards_at_the_control_panel() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let (at, id) = (format!("/team/{}", team.id), &team.id);
        let control = format!("{at}/control");
        let mut hanna = Browser::of(&server, "Hanna").await;
        assert_eq!(card(&hanna.page(&control).await), "");
        let rule = "rule * written \"Nobody sighs.\"";
        server.act(team.of(2), id, play(1, 0, rule)).await;
        let dispute = Command::Dispute(BoardNo(1));
        server.act(team.of(7), id, dispute).await;
        for page in [&control, &at] {
            let page = hanna.page(page).await;
            let shown = card(&page).to_owned();
            assert!(shown.contains("Please decide on board 1"), "{shown}");
        }
        put_away(&mut hanna, &control).await;
        assert_eq!(card(&hanna.page(&control).await), "");
        server
            .act(team.of(8), id, Command::Resign(BoardNo(2)))
            .await;
        let page = hanna.page(&control).await;
        assert!(
            card(&page).contains("Board 2: White won"),
            "{}",
            card(&page)
        );
        let news = hanna.page(&format!("{at}?log=news")).await;
        assert!(news.contains(">new<"), "{news}");
        done(
            server
                .app
                .say_in_team(team.of(3), id, 0, "Please come, hanna"),
        )
        .await;
        let page = hanna.page(&control).await;
        assert!(call(&page).contains("Cy wrote to you"), "{}", call(&page));
        // Members and their hosts put away cards each for themselves.
        let mut ada = Browser::of(&server, "Ada").await;
        assert!(!card(&ada.page(&at).await).is_empty());
        // What she does herself makes no card, and what others have ended at last does.
        put_away(&mut hanna, &control).await;
        let time = Command::Time(Span::Left(600));
        server.act(&team.host, id, time).await;
        assert_eq!(card(&hanna.page(&control).await), "");
    });
}
