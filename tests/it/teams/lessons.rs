//! Lessons as a browser gets them: from a new class to the first move, and everybody's rights in a lesson.

use std::fmt::Write as _;
use std::time::Duration;

use super::people::{Browser, Deed, between, servers};
use super::routes::others;
use super::*;
use crate::golden::compare;
use crate::support::routes::address;
use crate::test_app::{PASSWORD, done, pupil_called};
use actix_web::http::StatusCode;
use perplex::app::team::door::{JoinOutcome, Joiner};
use perplex_matches::id::ClassId;

pub const NAMES: &str = "Anna\nBen\nCem\nDora\nEmil\nFritz\nGina\nHugo\nIda\nJona\nKim\nLea\nMax\nNora\nOle\nPaula\n\
                     Quirin\nRosa\nSami\nTheo";

/// The code on the teacher's page.
pub fn code_on(page: &str) -> String {
    let halves = between(page, "<p class=\"code\"><span>", "</p>");
    let letters = halves.replace("</span> <span>", "").replace("</span>", "");
    assert_eq!(letters.len(), 7, "{letters}");
    letters
}

/// Lets a pupil pick a name on a device without a session.
pub async fn come(server: &TestApp, code: &str, name: &str) -> Browser {
    let mut browser = Browser::on(server).await;
    let at = browser
        .get(&format!("/join?code={}", code.to_lowercase()))
        .await
        .to;
    assert_eq!(at, format!("/join/{code}"));
    let to = pick(&mut browser, &at, name).await;
    assert!(to.starts_with("/team/"), "{to}");
    browser
}

/// Picks a name on the page at `join`; gives the address to which that leads.
async fn pick(browser: &mut Browser, join: &str, name: &str) -> String {
    let page = browser.page(join).await;
    let marked = [format!("\">{name}<"), format!("\">{name} <")];
    let found = marked.iter().find_map(|mark| page.split_once(mark));
    let (before, _) = found.expect("the name");
    let pupil = before.rsplit('"').next().expect("an id").to_owned();
    browser.done(join, join, &[("pupil", &pupil)]).await
}

/// Makes a class of pupils with [`NAMES`]; gives its address.
pub async fn make_class(teacher: &mut Browser) -> String {
    let fields = [("name", "7b"), ("roster", "yes"), ("names", NAMES)];
    let class = teacher.done("/classes", "/classes", &fields).await;
    class.split('?').next().expect("a path").to_owned()
}

/// A teacher makes rule cards for a class, which its lessons offer.
#[test]
fn a_class_has_cards_of_its_own() {
    servers(|server| async move {
        server.visit("Hanna").await;
        server.visit("Otto").await;
        let [mut hanna, mut otto] = Browser::all(&server, ["Hanna", "Otto"]).await;
        let class = make_class(&mut hanna).await;
        let cards = format!("{class}/rule-cards");
        let card = |name, rule, words| {
            [
                ("rule", "N"),
                ("form", "move"),
                ("betza", rule),
                ("words", words),
                ("card-name", name),
            ]
        };
        let words = "Knights also step straight.";
        hanna.sees(&cards, "Make a card").await;
        hanna
            .done(&cards, &cards, &card("Step horse", "NW", words))
            .await;
        let page = hanna.page(&cards).await;
        has(&page, ">Step horse<");
        has(&page, words);
        // What is no card comes back as it was typed.
        let written = [
            ("rule", "N"),
            ("form", "written"),
            ("words", "Knights are nice."),
            ("card-name", "Nice horse"),
        ];
        for (fields, says) in [
            (
                &card("step HORSE", "NF", "x")[..],
                "called “step HORSE” already",
            ),
            (&card("Lazy rook", "NF", "x"), "called “Lazy rook” already"),
            (&card("", "NF", "x"), "is empty"),
            (&card("Plain horse", "N", "x"), "changes nothing"),
            (&card("Odd horse", "NX", "x"), "column"),
            (&card("Mute horse", "NF", ""), "text"),
            (&written, "what pawns become"),
        ] {
            let page = hanna.refused(&cards, &cards, fields).await;
            has(&page, says);
        }
        // Another teacher finds nothing.
        otto.gets(&cards, StatusCode::NOT_FOUND).await;
        otto.sends(
            "/classes",
            &cards,
            &card("My horse", "NF", "x"),
            StatusCode::NOT_FOUND,
        )
        .await;
        // In a lesson the boardman at the move is offered it, and plays it.
        let lesson = hanna.done(&class, "lesson", &[]).await;
        let code = code_on(&hanna.page(&lesson).await);
        let mut pupils = Vec::new();
        for name in NAMES.lines().take(8) {
            pupils.push(come(&server, &code, name).await);
        }
        let deck = |key| {
            [
                ("size", "small"),
                ("limit", "none"),
                ("deck", key),
                ("sight", "open"),
            ]
        };
        hanna.done(&lesson, "terms", &deck("own")).await;
        hanna.done(&lesson, "seat", &[("do", "all")]).await;
        hanna.done(&lesson, "start", &[]).await;
        // The three boardmen at the move, and no other card to any of them.
        let mut offered = Vec::new();
        for (index, pupil) in pupils.iter_mut().enumerate() {
            let page = pupil.page(&lesson).await;
            let count = page.matches("<li><a class=\"rule-card").count();
            offered.extend(vec![index; count]);
        }
        assert_eq!(offered.len(), 3);
        let pupil = &mut pupils[offered[0]];
        let page = pupil.page(&lesson).await;
        let address = between(&page, "<li><a class=\"rule-card\" href=\"", "#rulebook");
        let address = address.replace("&#38;", "&");
        let chosen = pupil.page(&format!("{lesson}{address}")).await;
        has(&chosen, "Step horse</h3>");
        let board = between(&chosen, "/turn/", "\"");
        let mut fields = card("", "NW", words).to_vec();
        fields.push(("ply", "0"));
        pupil.done(&lesson, &format!("turn/{board}"), &fields).await;
        hanna.sees(&format!("{lesson}/control"), words).await;
        // It is told by its name, to the boardman who waits and on the wall.
        let number = board.split('?').next().expect("a number");
        let headline = format!("Rule card on board {number}: Step horse");
        let mut told = 0;
        for pupil in &mut pupils {
            told += usize::from(pupil.page(&lesson).await.contains(&headline));
        }
        assert!(told > 0, "{headline}");
        let page = hanna.page(&lesson).await;
        let wall = between(&page, &format!("{lesson}/show/"), "\"").to_owned();
        hanna
            .sees(&format!("{lesson}/show/{wall}"), &headline)
            .await;
        // It is changed: who has it chosen plays what they were shown.
        let id = between(&hanna.page(&cards).await, "name=\"card\" value=\"", "\"").to_owned();
        let link = format!("{cards}?edit={id}&#38;card-name=Step%20horse&#38;rule=N&#38;betza=NW");
        has(&hanna.page(&cards).await, &link);
        let editor = hanna.page(&link.replace("&#38;", "&")).await;
        has(&editor, "Change the card “Step horse”");
        has(&editor, &format!("name=\"edit\" value=\"{id}\""));
        let edit = |name, id| {
            let mut fields = card(name, "NF", "Knights also step aslant.").to_vec();
            fields.push(("edit", id));
            fields
        };
        let page = hanna.refused(&cards, &cards, &edit("Lazy rook", &id)).await;
        has(&page, "called “Lazy rook” already");
        for (fields, browser) in [
            (edit("Slow horse", &id), &mut otto),
            (edit("Slow horse", "none"), &mut hanna),
        ] {
            browser
                .sends("/classes", &cards, &fields, StatusCode::NOT_FOUND)
                .await;
        }
        let done = hanna.done(&cards, &cards, &edit("Slow horse", &id)).await;
        has(&hanna.page(&done).await, ">Slow horse<");
        lacks(&hanna.page(&cards).await, "Step horse");
        let late = &mut pupils[offered[1]];
        let page = late.page(&lesson).await;
        has(&page, "Slow horse");
        let board = between(&page, "/turn/", "\"");
        late.done(&lesson, &format!("turn/{board}"), &fields).await;
        let number = board.split('?').next().expect("a number");
        let played = format!("changed a rule on board {number}: “{words}”");
        hanna.sees(&format!("{lesson}/control"), &played).await;
        // It is removed.
        let remove = format!("{cards}/remove");
        hanna.done(&cards, &remove, &[("card", &id)]).await;
        lacks(&hanna.page(&cards).await, "Step horse");
    });
}

/// A pupil whom the teacher took out of a lesson learns no code of it from the session that is left on the device.
#[test]
fn who_was_taken_out_is_told_no_code() {
    servers(|server| async move {
        server.visit("Hanna").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let class = make_class(&mut hanna).await;
        let lesson = hanna.done(&class, "lesson", &[]).await;
        let code = code_on(&hanna.page(&lesson).await);
        let mut anna = come(&server, &code, "Anna").await;
        let other = "/sign-in?other=yes";
        assert_eq!(anna.get(other).await.to, format!("/join/{code}"));
        hanna.done(&lesson, "leave", &[("member", "1")]).await;
        assert_eq!(anna.get(other).await.to, "");
    });
}

/// The teacher alone sees who raised a hand, and who did first, until one of the two takes it down.
#[test]
fn a_raised_hand_is_seen_by_the_teacher() {
    servers(|server| async move {
        server.visit("Hanna").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let class = make_class(&mut hanna).await;
        let lesson = hanna.done(&class, "lesson", &[]).await;
        let code = code_on(&hanna.page(&lesson).await);
        let mut pupils = Vec::new();
        for name in NAMES.lines().take(8) {
            pupils.push(come(&server, &code, name).await);
        }
        let [seat, start, door, raise, control] =
            ["seat", "start", "door", "raise", "control"].map(|at| format!("{lesson}/{at}"));
        // Before the start, too.
        let [first, ..] = &mut pupils[..] else {
            unreachable!()
        };
        first.done(&lesson, &raise, &[("up", "yes")]).await;
        first.sees(&lesson, "Your hand is up").await;
        has(&hanna.page(&lesson).await, "asks for help");
        first.done(&lesson, &raise, &[("up", "no")]).await;
        hanna.done(&lesson, &seat, &[("do", "all")]).await;
        hanna.done(&lesson, &start, &[("short", "yes")]).await;
        lacks(&hanna.page(&control).await, "asks for help");
        let [anna, ben, cem, ..] = &mut pupils[..] else {
            unreachable!()
        };
        let heads = format!("{lesson}/heads");
        for pupil in [&mut *ben, &mut *anna] {
            pupil.sees(&lesson, "Raise your hand").await;
            has(&pupil.page(&heads).await, "hand=down");
            pupil.done(&lesson, &raise, &[("up", "yes")]).await;
            pupil.sees(&lesson, "Your hand is up").await;
            has(&pupil.page(&heads).await, "hand=up");
            server.wait(Duration::from_secs(9));
        }
        // Who asks again has waited all the time.
        ben.done(&lesson, &raise, &[("up", "yes")]).await;
        let page = hanna.page(&control).await;
        let place = |name| page.find(&format!("{name}</strong> asks for help ("));
        assert!(place("Ben").is_some() && place("Ben") < place("Anna"));
        for other in [&mut *cem, &mut *anna] {
            lacks(&other.page(&lesson).await, "asks for help");
            let got = other.send(&lesson, &door, &[("do", "hand:2")]).await;
            assert!(!got.status.is_success() && got.to.is_empty());
        }
        let first = between(&page, "value=\"hand:", "\"").to_owned();
        let helped = format!("hand:{first}");
        hanna.done(&control, &door, &[("do", &helped)]).await;
        ben.sees(&lesson, "Raise your hand").await;
        let page = hanna.page(&control).await;
        lacks(&page, "Ben</strong> asks");
        has(&page, "Anna</strong> asks");
        anna.done(&lesson, &raise, &[("up", "no")]).await;
        lacks(&hanna.page(&control).await, "asks for help");
        // A press that changes nothing is told to nobody; one pupil's presses are counted, up and down.
        let before = hanna.page(&heads).await;
        anna.done(&lesson, &raise, &[("up", "no")]).await;
        hanna.done(&control, &door, &[("do", &helped)]).await;
        assert_eq!(hanna.page(&heads).await, before);
        let mut presses = 0;
        while anna
            .send(&lesson, &raise, &[("up", ["yes", "no"][presses % 2])])
            .await
            .status
            .is_redirection()
        {
            presses += 1;
            assert!(presses < 20, "a pupil's presses are counted");
        }
        server.wait(Duration::from_mins(2));
        // Who was taken out comes back with the hand down, and so do all on the next day.
        for pupil in [&mut *anna, &mut *ben] {
            pupil.done(&lesson, &raise, &[("up", "yes")]).await;
        }
        hanna.done(&lesson, "leave", &[("member", &first)]).await;
        let page = hanna.page(&control).await;
        lacks(&page, "Ben</strong> asks");
        has(&page, "Anna</strong> asks");
        hanna.done(&lesson, "add", &[("pupil", "all")]).await;
        ben.sees(&lesson, "Raise your hand").await;
        hanna.done(&lesson, "close", &[]).await;
        let now = format!("{lesson}/lesson");
        hanna.done(&now, &format!("{lesson}/open"), &[]).await;
        lacks(&hanna.page(&control).await, "asks for help");
        // What the teacher writes to everybody is a card of each pupil, until they put it away.
        let to_all = format!("{control}/talk/0");
        hanna
            .done(&control, &to_all, &[("text", "Look at board 2")])
            .await;
        for pupil in [&mut *ben, &mut *anna] {
            let page = pupil.page(&lesson).await;
            let card = page.split("id=\"called\"").nth(1).expect("a card");
            let card = card.split("</section>").next().unwrap_or_default();
            has(&page, "urgent\" id=\"called\"");
            has(card, "The teacher wrote to everybody");
            has(card, "“Look at board 2”");
            let call = between(card, "name=\"call\" value=\"", "\"").to_owned();
            let put_away = format!("{lesson}/news");
            pupil.done(&lesson, &put_away, &[("call", &call)]).await;
            lacks(&pupil.page(&lesson).await, "wrote to everybody");
        }
        // Nobody asks when it is over.
        hanna.done(&lesson, "lead", &[("do", "stop")]).await;
        let got = ben.refused(&lesson, &raise, &[("up", "yes")]).await;
        has(&got, "over");
        lacks(&hanna.page(&control).await, "asks for help");
    });
}

/// Before the start one device takes name after name: the teacher is told, and starts names anew.
#[test]
fn a_device_with_many_names_is_told_and_names_start_anew() {
    servers(|server| async move {
        server.visit("Hanna").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        let class = make_class(&mut hanna).await;
        let lesson = hanna.done(&class, "lesson", &[]).await;
        let page = hanna.page(&lesson).await;
        let code = code_on(&page);
        let wall = between(
            &page,
            "<a class=\"button\" href=\"https://perplex.example",
            "\"",
        );
        let mut projector = Browser::on(&server).await;
        let join = format!("/join/{code}");
        // Two share a tablet, which is nothing to tell of.
        let mut joker = come(&server, &code, "Anna").await;
        pick(&mut joker, &join, "Ben").await;
        let mut dora = come(&server, &code, "Dora").await;
        dora.sees(&lesson, "You are in, Dora").await;
        hanna.lacks(&lesson, "One device").await;
        pick(&mut joker, &join, "Cem").await;
        let told = "One device has taken 3 names: Anna, Ben and Cem.";
        for place in [lesson.clone(), format!("{lesson}/door")] {
            hanna.sees(&place, told).await;
        }
        // The wall and the pupils hear nothing of it, nor do they start anything.
        for browser in [&mut joker, &mut dora] {
            browser.lacks(&lesson, "One device").await;
            let anew = [("do", "names:anew")];
            let to = format!("{lesson}/door");
            let got = browser.send(&lesson, &to, &anew).await;
            assert!(got.status.is_client_error(), "{}", got.status);
        }
        projector.lacks(wall, "One device").await;
        hanna.done(&lesson, "door", &[("do", "names:anew")]).await;
        // All are asked again, and nobody has a name.
        hanna.lacks(&lesson, "One device").await;
        let host = server.visit_again("Hanna").await;
        let id = MatchId(lesson.replace("/team/", ""));
        let view = server.view(&host, &id).await;
        let mut members = view.state.members.values();
        assert!(members.all(|member| member.left.is_some()));
        for browser in [&mut joker, &mut dora] {
            let to = browser.get(&lesson).await.to;
            assert_eq!(to, "/join?done=names-anew");
            browser.sees(&to, "All names start anew").await;
        }
        let mut stranger = Browser::on(&server).await;
        stranger.gets(&lesson, StatusCode::NOT_FOUND).await;
        for name in ["Anna", "Ben", "Cem"] {
            come(&server, &code, name).await.sees(&lesson, name).await;
        }
        pick(&mut dora, &join, "Dora").await;
        dora.sees(&lesson, "You are in, Dora").await;
        // A device that was in one team, and has seen its talk, gets no name of the other one by that.
        hanna.done(&lesson, "seat", &[("keep", "")]).await;
        hanna.done(&lesson, "door", &[("do", "names:anew")]).await;
        let waits = format!("/wait/{code}");
        let view = server.view(&host, &id).await;
        let side = |name: &str| {
            let of_name = view.names.iter().filter(|(_, known)| *known == name);
            let mut sides = of_name.filter_map(|(member, _)| view.state.side_of(*member));
            sides.next().expect("a team")
        };
        let mut others = ["Anna", "Ben", "Cem"].into_iter();
        let other = others.find(|name| side(name) != side("Dora"));
        let other = other.expect("of the other team");
        assert_eq!(pick(&mut dora, &join, other).await, waits);
        assert_eq!(pick(&mut dora, &join, "Dora").await, lesson);
        // Once it has begun nothing is started anew.
        hanna.done(&lesson, "start", &[("short", "yes")]).await;
        hanna
            .refused(&lesson, &format!("{lesson}/door"), &[("do", "names:anew")])
            .await;
    });
}

/// From nothing to the first move: at most twelve actions of the teacher. Each click counts, and each field that is
/// typed or pasted into.
#[test]
fn from_a_new_class_to_the_first_move() {
    servers(|server| async move {
        server.visit("Hanna").await;
        let mut hanna = Browser::of(&server, "Hanna").await;
        // 1: "Classes" in the page's head. 2: its name. 3: the names, pasted. 4: "Make the class".
        let class = make_class(&mut hanna).await;
        hanna.sees(&class, "Start a lesson").await;
        // 5: "Start a lesson".
        let lesson = hanna.done(&class, "lesson", &[]).await;
        let page = hanna.page(&lesson).await;
        let code = code_on(&page);
        has(&page, "perplex.example/join");
        has(&page, "<svg class=\"qr\"");
        // 6: "Open the projector page".
        let wall = between(
            &page,
            "<a class=\"button\" href=\"https://perplex.example",
            "\"",
        )
        .to_owned();
        let mut projector = Browser::on(&server).await;
        assert_eq!(code_on(&projector.page(&wall).await), code);
        // The pupils come; the lobby fills.
        let mut pupils = Vec::new();
        for name in NAMES.lines() {
            pupils.push(come(&server, &code, name).await);
        }
        projector
            .sees(&format!("{wall}/lobby"), "20 are here")
            .await;
        let waiting = pupils[0].page(&lesson).await;
        has(&waiting, "You are in, Anna");
        lacks(&waiting, "Seat everyone");
        // Who shares the device picks a name, as Anna did.
        let other = pupils[0].get("/sign-in?other=yes").await;
        assert_eq!(other.to, format!("/join/{code}"));
        // Seven boards were proposed for twenty names, and twenty came: nothing to change.
        let page = hanna.page(&lesson).await;
        has(&page, "20 in the lesson");
        has(&page, "7 boards, two teams of 10");
        lacks(&page, "Change to");
        // 7: "Seat everyone". 8: "Start".
        let seat = format!("{lesson}/seat");
        hanna.done(&lesson, &seat, &[("do", "all")]).await;
        // The wall says who plays which board, and not who leads a team: the other team reads it, too.
        let lobby = projector.page(&format!("{wall}/lobby")).await;
        assert_eq!(lobby.matches("<dt>Board ").count(), 14, "{lobby}");
        lacks(&lobby, "strategist");
        lacks(&lobby, "Agent");
        assert!(NAMES.lines().all(|name| lobby.contains(name)) && !lobby.contains("are here"));
        let page = hanna.page(&lesson).await;
        lacks(&page, "At full strength");
        assert!(
            pupils[0]
                .page(&lesson)
                .await
                .contains("The match begins when your teacher starts it")
        );
        // Those who lead a team choose its emblem, which the wall shows, and not whose choice it was.
        let mut leaders = 0;
        for pupil in &mut pupils {
            let page = pupil.page(&lesson).await;
            if page.contains("choose its name and emblem") {
                let side = between(&page, "id=\"emblem-", "\"").to_owned();
                let sign = ["stars", "moons"][leaders];
                let fields = [
                    ("side", &*side),
                    ("word", "brave"),
                    ("sign", sign),
                    ("colour", "blue"),
                ];
                let emblem = format!("{lesson}/emblem");
                pupil.done(&lesson, &emblem, &fields).await;
                leaders += 1;
            }
        }
        assert_eq!(leaders, 2);
        let lobby = projector.page(&format!("{wall}/lobby")).await;
        has(&lobby, "Brave Stars");
        has(&lobby, "Brave Moons");
        lacks(&lobby, "strategist");
        let start = format!("{lesson}/start");
        hanna.done(&lesson, &start, &[("short", "yes")]).await;
        // The first move is a pupil's: eight actions of the teacher.
        let view = server.app.teams(None).await.expect("lists");
        assert!(view.open.is_empty(), "lessons stand in no list");
        let mut moved = false;
        for pupil in &mut pupils {
            let page = pupil.page(&lesson).await;
            if page.contains("Your turn on board") {
                let board = between(&page, "<strong>Your turn on board ", "<")
                    .trim()
                    .to_owned();
                let turn = format!("{lesson}/turn/{board}");
                let fields = [("turn", "e2e4"), ("ply", "0"), ("event", "0")];
                pupil.done(&lesson, &turn, &fields).await;
                moved = true;
                break;
            }
        }
        assert!(moved);
        // Latecomers read the code on the wall; after the end it is gone.
        assert!(projector.page(&wall).await.contains(&code));
        // The lesson ends for today, and goes on in the next hour: the wall gathers all pupils again, and then shows
        // the boards.
        hanna.done(&lesson, "close", &[]).await;
        let wall_now = projector.page(&wall).await;
        assert!(wall_now.contains("End for today") && !wall_now.contains(&code));
        // It cannot just be resumed: then no pupil could get in.
        let control = hanna.page(&format!("{lesson}/control")).await;
        has(&control, "Go on with it…");
        lacks(&control, "value=\"resume\"");
        server.wait(Duration::from_mins(2));
        let now = format!("{lesson}/lesson");
        hanna.done(&now, &format!("{lesson}/open"), &[]).await;
        let absent = "no member of this team is here";
        assert_eq!(hanna.page(&now).await.matches(absent).count(), 2);
        let page = projector.page(&wall).await;
        let code = code_on(&page);
        has(&page, "0 are here");
        has(&page, "data-shape=\"Paused true\"");
        lacks(&page, "Eyes up!");
        lacks(&page, "tb-1");
        // Anna has another tablet today: it needs the approval of the teacher, who sees the request on every page.
        let mut back = Browser::on(&server).await;
        let join = format!("/join/{code}");
        let wait = pick(&mut back, &join, "Anna").await;
        assert_eq!(wait, format!("/wait/{code}"));
        let page = back.page(&wait).await;
        has(&page, "Your teacher sees that you want to come in");
        let knock = "Anna</strong> wants to come in on another device.";
        for place in [&lesson, &now, &format!("{lesson}/control")] {
            assert!(hanna.page(place).await.contains(knock), "{place}");
        }
        let door = format!("{lesson}/door");
        hanna.done(&lesson, &door, &[("do", "no:all")]).await;
        back.sees(&wait, "has said no for now").await;
        assert_eq!(pick(&mut back, &join, "Anna").await, wait);
        hanna.done(&lesson, &door, &[("do", "in:all")]).await;
        assert_eq!(back.get(&wait).await.to, lesson);
        back.sees(&lesson, "Welcome back").await;
        assert_eq!(hanna.page(&now).await.matches(absent).count(), 1);
        let here = projector.page(&format!("{wall}/lobby")).await;
        has(&here, "1 is here");
        has(&here, "Anna");
        lacks(&here, "Ben");
        hanna.done(&now, &format!("{lesson}/go-on"), &[]).await;
        let page = projector.page(&wall).await;
        assert!(page.contains("tb-1") && page.contains(&code) && !page.contains("show-code"));
        hanna.done(&lesson, "lead", &[("do", "stop")]).await;
        let ended = projector.page(&wall).await;
        assert!(!ended.contains(&code) && ended.contains("final-score"));
        let report = hanna.page(&format!("{lesson}/report")).await;
        has(&report, "Who did what");
        has(&report, "Rules changed in writing");
        let table = hanna.page(&format!("{lesson}/report.csv")).await;
        assert_eq!(table.lines().count(), 21);
        assert!(
            table.lines().any(|line| line.contains(",1,0,0,0,0,0,0,")),
            "one turn"
        );
        hanna.sees(&format!("{class}/progress"), "Theo").await;
        hanna.sees(&class, "/report").await;
        // A refused settings form comes back with the typed values.
        let next = hanna.done(&class, "lesson", &[]).await;
        // Two lessons of a day have different names; before pupils join, each size gives its numbers of people.
        let page = hanna.page(&next).await;
        has(&page, ", 2nd</h1>");
        has(&page, "3 boards: best for 8 to 12 people");
        has(&page, "Next: show");
        let fields = [
            ("size", "medium"),
            ("limit", "minutes"),
            ("minutes", "soon"),
            ("sight", "rooms"),
            ("supervised", "no"),
            ("reveal", "yes"),
            ("phrases", "yes"),
        ];
        let got = hanna.refused(&next, "terms", &fields).await;
        for kept in [
            "value=\"soon\"",
            "id=\"size-medium\" name=\"size\" value=\"medium\" checked",
            "value=\"rooms\" checked",
            "id=\"phrases-yes\" name=\"phrases\" value=\"yes\" checked",
        ] {
            assert!(got.contains(kept), "{kept}");
        }
    });
}

/// One tablet, three pupils: handed on freely within a team, and with the three words across teams.
#[test]
fn a_tablet_is_handed_on() {
    servers(|server| async move {
        let host = server.visit("Hanna").await;
        let account = host.account.clone().expect("signed in");
        let names = "Anna\nBen\nCy\nDee";
        let class = server.class(&account, names).await;
        let id = server.lesson_of(&account, &class).await;
        let view = server.view(&host, &id).await;
        let code = view.lesson.and_then(|lesson| lesson.code).expect("a code");
        let lesson = format!("/team/{id}");
        let mut tablet = Browser::on(&server).await;
        let pupils = server.app.class(&account, &class).await.expect("it").pupils;
        for pupil in &pupils {
            let card = server.app.card_link(&pupil.user, &pupil.phrase);
            tablet.done(&card, &card, &[]).await;
            let join = format!("/join/{code}");
            assert_eq!(tablet.done(&join, &join, &[("pupil", "me")]).await, lesson);
        }
        // No pupil has a team yet.
        let session = |page: &str, name: &str| {
            let (before, _) = page.split_once(&format!("Switch to {name}"))?;
            let (_, value) = before.rsplit_once("value=\"").expect("a value");
            Some(value.split('"').next().expect("its end").to_owned())
        };
        let page = tablet.page("/me").await;
        let anna = session(&page, "Anna").expect("a switch");
        let to = tablet.done("/me", "/switch", &[("session", &anna)]).await;
        assert_eq!(to, lesson);
        let sides: Vec<(MemberId, Option<Side>)> = [Side::First, Side::First, Side::Second]
            .into_iter()
            .zip(1..)
            .map(|(side, number)| (MemberId(number), Some(side)))
            .collect();
        for (member, side) in sides.iter().take(2) {
            server.act(&host, &id, Command::Team(*member, *side)).await;
        }
        // Anna and Ben are both White.
        let page = tablet.page("/me").await;
        let ben = session(&page, "Ben").expect("a switch");
        let to = tablet.done("/me", "/switch", &[("session", &ben)]).await;
        assert_eq!(to, lesson);
        // Cy is Black, and has to give the words.
        let (cy, black) = sides[2];
        server.act(&host, &id, Command::Team(cy, black)).await;
        let page = tablet.page("/me").await;
        let cy = session(&page, "Cy").expect("a switch");
        let asked = [("session", cy.as_str())];
        let got = tablet.send("/me", "/switch", &asked).await;
        has(&got.text, "Are you Cy?");
        let page = tablet.page("/me").await;
        has(&page, "Playing as Ben");
        let guess = [("session", cy.as_str()), ("phrase", "cat dog sun")];
        let got = tablet.send("/me", "/switch", &guess).await;
        has(&got.text, "These are not the three words of");
        let words = pupils[2].phrase.as_str();
        let right = [("session", cy.as_str()), ("phrase", words)];
        assert_eq!(tablet.done("/me", "/switch", &right).await, lesson);
        // The next user of the tablet, after all have signed out, is signed in as no pupil.
        tablet.send("/me", "/sign-out", &[]).await;
        let page = tablet.page("/games").await;
        let ben = session(&page, "Ben").expect("a switch");
        let got = tablet.send("/games", "/switch", &[("session", &ben)]).await;
        has(&got.text, "Are you Ben?");
    });
}

/// Anna is signed in by the card since yesterday; another device takes the name by the code, until Anna opens the
/// lesson.
#[test]
fn a_card_has_the_name_as_soon_as_the_lesson_is_opened() {
    servers(|server| async move {
        let host = server.visit("Hanna").await;
        let account = host.account.clone().expect("signed in");
        let class = server.class(&account, "Anna\nBen").await;
        let anna = server.app.class(&account, &class).await.expect("it");
        let anna = pupil_called(&anna, "Anna");
        let mut tablet = Browser::on(&server).await;
        let card = server.app.card_link(&anna.user, &anna.phrase);
        tablet.done(&card, &card, &[]).await;

        let id = server.lesson_of(&account, &class).await;
        done(server.app.add_to_lesson(&host, &id, None)).await;
        let code = server.code(&host, &id).await;
        let comer = Joiner::Pupil(anna.id.clone());
        let other = Visitor {
            browser: "another tablet".to_owned(),
            ..Visitor::default()
        };
        let came = server
            .app
            .join_lesson(&code, &comer, "", None, &other)
            .await;
        let Ok(JoinOutcome::In(_, Some(impostor))) = came else {
            panic!("a name that nobody has taken");
        };
        assert!(server.app.viewer(&impostor).await.expect("asked").is_some());
        tablet.page(&format!("/team/{id}")).await;
        assert!(server.app.viewer(&impostor).await.expect("asked").is_none());
        let again = server
            .app
            .join_lesson(&code, &comer, "", None, &other)
            .await;
        assert_eq!(again.expect("at the door"), JoinOutcome::Waits);
        tablet.page(&format!("/team/{id}")).await;
    });
}

/// The requests about a lesson: the address after `/team/ID` (or of its class), and the fields of a form.
const DEEDS: [Deed; 19] = [
    ("", None),
    ("/gather", None),
    ("/lesson", None),
    ("/report", None),
    ("/report.csv", None),
    ("class/progress", None),
    ("class/progress.csv", None),
    ("/terms", Some(&[("size", "small"), ("minutes", "soon")])),
    ("/size", Some(&[("size", "small")])),
    ("/seat", Some(&[("do", "rest")])),
    ("/place", Some(&[("member", "1"), ("place", "none")])),
    ("/add", Some(&[("pupil", "nobody")])),
    ("/team", Some(&[("member", "1"), ("side", "white")])),
    ("/join", Some(&[("side", "")])),
    ("/stand-in", Some(&[])),
    ("/go-on", Some(&[])),
    ("/close", Some(&[])),
    ("/open", Some(&[])),
    ("class/lesson", Some(&[])),
];

/// A pupil who comes by the code of a new lesson of the class.
async fn come_elsewhere(
    server: &TestApp,
    owner: &mut Browser,
    teacher: &Viewer,
    class: &ClassId,
    name: &str,
) -> Browser {
    let other = server.app.start_lesson(teacher, class).await;
    let path = format!("/team/{}", other.expect("a lesson"));
    let code = code_on(&owner.page(&path).await);
    come(server, &code, name).await
}

#[test]
fn who_may_do_what_in_a_lesson() {
    alone("lesson_access", async |server| {
        for name in ["Hanna", "Otto"] {
            server.visit(name).await;
        }
        let coco = server.visit("Coco").await.account.expect("signed in");
        let hanna = server.sign_in_again("Hanna").await;
        let class = server.class(&hanna, "Anna\nBen\nCy\nDee\nEva\nFay").await;
        let other = done(server.app.create_class(&hanna, "8c", true, "Zoe")).await;
        server.share(&hanna, &class, &coco).await;
        let mut owner = Browser::of(&server, "Hanna").await;
        let earlier = come_elsewhere(&server, &mut owner, &hanna, &class, "Anna").await;
        let id = server.lesson_of(&hanna, &class).await;
        let theirs = server.lesson_of(&hanna, &other).await;
        let code = code_on(&owner.page(&format!("/team/{id}")).await);
        let their_code = code_on(&owner.page(&format!("/team/{theirs}")).await);
        let anna = come(&server, &code, "Anna").await;
        let ben = come(&server, &code, "Ben").await;
        let former = come(&server, &code, "Cy").await;
        let recard = come(&server, &code, "Eva").await;
        let handed = come(&server, &code, "Fay").await;
        let zoe = come(&server, &their_code, "Zoe").await;
        let view = server.app.class(&hanna, &class).await.expect("a class");
        let cy = pupil_called(&view, "Cy");
        done(server.app.remove_pupil(&hanna, &class, &cy.id, true)).await;
        // Eva gets a new card: the device that has her name loses it.
        let eva = pupil_called(&view, "Eva");
        done(server.app.reset_phrase(&hanna, &class, &eva.id)).await;
        // Fay takes her name back, on another device, with her words.
        let fay = pupil_called(&view, "Fay");
        let mut elsewhere = Browser::on(&server).await;
        let join = format!("/join/{code}");
        let words = [("pupil", fay.id.0.as_str()), ("phrase", &fay.phrase)];
        elsewhere.done(&join, &join, &words).await;
        // Dee has a card, and did not join.
        let dee = pupil_called(&view, "Dee");
        let card = server.app.card_link(&dee.user, &dee.phrase);
        let mut away = Browser::on(&server).await;
        away.done(&card, &card, &[]).await;
        // Ben was taken out of the lesson.
        let host = TeamAccess {
            account: Some(hanna.clone()),
            ..TeamAccess::default()
        };
        server.act(&host, &id, Command::Leave(MemberId(2))).await;
        let next = come_elsewhere(&server, &mut owner, &hanna, &class, "Anna").await;
        let mut left = come_elsewhere(&server, &mut owner, &hanna, &class, "Ben").await;
        left.done("/me", "/sign-out", &[]).await;
        let mut people = [
            ("guest", Browser::on(&server).await),
            ("posing", Browser::posing(&server).await),
            ("pupil", anna),
            ("earlier", earlier),
            ("next", next),
            ("left", left),
            ("recard", recard),
            ("handed", handed),
            ("out", ben),
            ("away", away),
            ("former", former),
            ("other", zoe),
            ("otto", Browser::of(&server, "Otto").await),
            ("co", Browser::of(&server, "Coco").await),
            ("owner", owner),
        ];
        let mut text = String::from(
            "Who may do what in a lesson: the status that each gets. 404 knows nothing of it, 403 may not, 422 is told what is \
             wrong or that it is not the time. `pupil` takes part, `out` was taken out, `away` is of the class and did not come, \
             `former` has left the class, `earlier` and `next` are `pupil` by the codes of other lessons of the class, `left` came by such a code \
             and has signed out, `recard` is a device whose pupil has got a new card since, `handed` one whose pupil came in with the words on \
             another, `other` is a pupil of another class, `otto` has an account and nothing else, `posing` plays the computer without an \
             account and shows that cookie as a session's.\n",
        );
        for phase in ["gathering", "playing", "paused", "over"] {
            if phase == "playing" {
                let dee = pupil_called(&view, "Dee");
                done(server.app.add_to_lesson(&host, &id, Some(&dee.id))).await;
                let keep = perplex::app::team::lessons::Keep::Nothing;
                done(server.app.seat_everybody(&host, &id, keep)).await;
                server.act(&host, &id, Command::Start { short: true }).await;
                // From here on `away` has a seat, and is still absent.
            }
            match phase {
                "paused" => server.act(&host, &id, Command::Pause).await,
                "over" => server.act(&host, &id, Command::Stop).await,
                _ => {}
            }
            let _ = write!(text, "\n{phase:<46}");
            for (kind, _) in &people {
                let _ = write!(text, "{kind:>8}");
            }
            let known = DEEDS.map(|(deed, form)| {
                (
                    if form.is_some() { "POST" } else { "GET" },
                    format!("/team/1{deed}"),
                )
            });
            // Acts that depend on the random duties are in `access.txt`, where duties are fixed.
            let mut rest = others("/team/{id}", &known);
            // `/not-me` ends the session; `lessons/code.rs` tries it.
            rest.retain(|(pattern, _)| {
                !["/deal", "/receivers", "/vote", "/not-me"]
                    .iter()
                    .any(|end| pattern.ends_with(end))
            });
            let rest: Vec<(String, bool)> = rest
                .into_iter()
                .map(|(pattern, method)| {
                    (pattern["/team/{id}".len()..].to_owned(), method == "POST")
                })
                .collect();
            let rest = rest
                .iter()
                .map(|(deed, posts)| (deed.as_str(), posts.then_some(&[][..])));
            for (deed, form) in DEEDS.into_iter().chain(rest) {
                let method = if form.is_some() { "POST" } else { "GET " };
                let _ = write!(text, "\n{:<46}", format!("{method} {deed}"));
                let path = match deed.strip_prefix("class") {
                    Some(rest) => format!("/class/{class}{rest}"),
                    None => format!(
                        "/team/{id}{}",
                        address(deed, &[("board", "9"), ("channel", "0"), ("form", "json")])
                    ),
                };
                for (kind, browser) in &mut people {
                    let (got, status) = browser.ask_for(&path, form).await;
                    let _ = write!(text, "{status:>8}");
                    // `earlier` and `next` are Anna: their own name is on every page.
                    let may_know =
                        ["pupil", "earlier", "next", "away", "co", "owner"].contains(kind);
                    assert!(
                        may_know || !got.text.contains("Anna"),
                        "{kind} reads a name at {path}"
                    );
                    let has_code = got.text.contains(&format!("<span>{}</span>", &code[..3]));
                    assert!(
                        !has_code || ["co", "owner"].contains(kind),
                        "{kind} reads the code at {path}"
                    );
                }
                // The teachers' acts are undone, so that each line begins alike.
                match (phase, server.view(&host, &id).await.state.phase) {
                    ("playing", Phase::Paused) => server.act(&host, &id, Command::Resume).await,
                    ("paused", Phase::Playing) => server.act(&host, &id, Command::Pause).await,
                    _ => {}
                }
            }
            text.push('\n');
        }
        compare("teams/lesson.txt", &text);
    });
}

/// A teacher who signs in while a lesson is held goes to it: to the lobby, then to the control panel; after it, to their
/// matches, as everybody.
#[test]
fn a_teacher_who_signs_in_lands_at_the_lesson() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await.account.expect("signed in");
        let class = server.class(&hanna, "Anna\nBen").await;
        let form = [("login", "Hanna"), ("password", PASSWORD)];
        let lands = async || {
            Browser::on(&server)
                .await
                .done("/sign-in", "/sign-in", &form)
                .await
        };
        assert_eq!(lands().await, "/matches");
        let id = server.app.start_lesson(&hanna, &class).await;
        let lesson = format!("/team/{}", id.expect("a lesson"));
        assert_eq!(lands().await, lesson);
        let mut teacher = Browser::of(&server, "Hanna").await;
        let code = code_on(&teacher.page(&lesson).await);
        for name in ["Anna", "Ben"] {
            come(&server, &code, name).await;
        }
        teacher.done(&lesson, "seat", &[("do", "all")]).await;
        teacher.done(&lesson, "start", &[("short", "yes")]).await;
        assert_eq!(lands().await, format!("{lesson}/control"));
        // Whoever came for something else gets that.
        let next = [
            ("next", "/classes"),
            ("login", "Hanna"),
            ("password", PASSWORD),
        ];
        let to = Browser::on(&server)
            .await
            .done("/sign-in?next=/classes", "/sign-in", &next)
            .await;
        assert_eq!(to, "/classes");
        server.wait(Duration::from_hours(3));
        assert_eq!(lands().await, "/matches");
    });
}
