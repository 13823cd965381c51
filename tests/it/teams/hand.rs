//! Hands: rule cards that a player keeps for one match, and that only they see.

use actix_web::http::StatusCode;
use perplex_matches::classroom::own_card::MOST_IN_HAND;

use super::lessons::{NAMES, code_on, come, make_class};
use super::people::{Browser, between, servers};
use super::*;
use crate::test_app::{done, join, new_match};
use perplex::app::correspondence::Opponent;

const WORDS: &str = "Knights also step straight.";

/// The form of the editor for knights that move in this way.
const fn knights<'a>(betza: &'a str, words: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("rule", "N"),
        ("form", "move"),
        ("betza", betza),
        ("words", words),
    ]
}

/// The id of the first card of a hand on a page.
fn kept_on(page: &str) -> String {
    between(page, "id=\"card-kept-", "\"").to_owned()
}

#[test]
fn a_pupil_keeps_cards_for_a_lesson() {
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
        let terms = [("size", "small"), ("limit", "none"), ("sight", "open")];
        hanna.done(&lesson, "terms", &terms).await;
        hanna.done(&lesson, "seat", &[("do", "all")]).await;
        hanna.done(&lesson, "start", &[]).await;
        // Two boardmen at the move.
        let mut movers = Vec::new();
        for mut pupil in pupils {
            if pupil.page(&lesson).await.contains("id=\"kind-N\"") {
                movers.push(pupil);
            }
        }
        let mut other = movers.pop().expect("a boardman");
        let mut anna = movers.pop().expect("another");
        let edited = format!("{lesson}?rule=N&betza=NW");
        has(&anna.page(&edited).await, "id=\"rule-keep\"");

        let hand = format!("{lesson}/hand");
        anna.done(&lesson, &hand, &knights("NW", WORDS)).await;
        let page = anna.page(&lesson).await;
        has(&page, ">My knight<");
        has(&page, WORDS);
        // It stands before the others, and nobody else has it.
        let first = between(&page, "<li><a class=\"rule-card", "</li>");
        has(first, "My knight");
        for somebody in [&mut other, &mut hanna] {
            lacks(&somebody.page(&lesson).await, "My knight");
        }
        lacks(&hanna.page(&format!("{lesson}/control")).await, WORDS);

        // What is no card is not kept.
        let written = [
            ("rule", "N"),
            ("form", "written"),
            ("words", "Knights are nice."),
        ];
        for (fields, says) in [
            (&knights("N", "x")[..], "changes nothing"),
            (&knights("NX", "x"), "column"),
            (&knights("NF", ""), "text"),
            (&written, "what pawns become"),
        ] {
            has(&anna.refused(&lesson, &hand, fields).await, says);
        }
        // Nor by those who do not play.
        let keeps = knights("NW", WORDS);
        hanna
            .sends(&lesson, &hand, &keeps, StatusCode::NOT_FOUND)
            .await;

        // There are only so many.
        for _ in 1..MOST_IN_HAND {
            anna.done(&lesson, &hand, &knights("NF", "Knights step aslant."))
                .await;
        }
        has(&anna.page(&lesson).await, ">My knight 2<");
        let page = anna.refused(&lesson, &hand, &keeps).await;
        has(&page, "There are 8 cards already");

        // It is chosen and played like any card, and others read the rule, not the name.
        let page = anna.page(&lesson).await;
        let first = between(&page, "<li><a class=\"rule-card\" href=\"", "#rulebook");
        let address = first.replace("&#38;", "&");
        let chosen = anna.page(&format!("{lesson}{address}")).await;
        has(&chosen, "My knight</h3>");
        has(&chosen, "id=\"card-away\"");
        let card = kept_on(&page);
        // No hand but one's own is changed.
        other.done(&lesson, &hand, &[("away", &card)]).await;
        has(&anna.page(&lesson).await, ">My knight<");
        anna.done(&lesson, &hand, &[("away", &card)]).await;
        lacks(&anna.page(&lesson).await, ">My knight<");
        let board = between(&chosen, "/turn/", "\"");
        let mut fields = keeps.to_vec();
        fields.push(("ply", "0"));
        anna.done(&lesson, &format!("turn/{board}"), &fields).await;
        let page = other.page(&lesson).await;
        has(&page, WORDS);
        lacks(&page, "My knight");
    });
}

/// The hand of a player in a correspondence match stands on the page, though pages of matches are kept.
#[test]
fn a_hand_in_a_correspondence_match() {
    servers(|server| async move {
        let [anna, ben] = [server.admin("Anna").await, server.admin("Ben").await];
        let named = Opponent::Named(ben.name.clone());
        let wanted = new_match("flexichess", "", Some("first"), named);
        let id = server.app.create(&anna, wanted).await.expect("a match");
        done(server.app.act(&ben, &id, None, join(), "")).await;
        let [mut mover, mut other] = Browser::all(&server, ["Anna", "Ben"]).await;
        let page = format!("/match/{id}");
        has(&mover.page(&page).await, "id=\"kind-N\"");
        let hand = format!("{page}/hand");
        mover.done(&page, &hand, &knights("NW", WORDS)).await;
        let kept = mover.page(&page).await;
        has(&kept, ">My knight<");
        lacks(&other.page(&page).await, "My knight");
        mover.done(&page, &hand, &[("away", &kept_on(&kept))]).await;
        lacks(&mover.page(&page).await, "My knight");
    });
}
