//! Rule cards: made by a teacher for a class and played in its lesson, invented on a phone without typing, and printed.

use perplex_games::rules::flexichess::{CARDS, RuleCard};
use serde_json::json;

use super::lesson::Hand;
use super::person::Person;
use super::site::TestSite;

/// The most taps from a board to a rule of a child's own, which is looked at and then played.
const MOST_TAPS: usize = 8;

/// From the board to a rule of one's own, kept as a card, looked at on the board, and played.
const INVENTS: [&str; 6] = [
    ".tm-choose a[href='#rulebook']",
    "#kind-B",
    "nav[aria-label='It also moves like'] a",
    "#rule-keep",
    "[id^=card-kept-]",
    "#rule-send",
];

/// The cards of which something does not fit on the paper.
const TOO_LONG: &str = "[...document.querySelectorAll('.printed-cards li')]
    .filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.id)";

#[tokio::test]
async fn a_class_plays_with_cards_of_its_own() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, anna, ben] = Person::all(&site, ["Tess", "Anna", "Ben"], true).await;
    teacher.signs_up(&site).await;
    let (code, _) = Hand::of(&teacher).prepares(&["Anna", "Ben"]).await;
    let lesson = teacher.path().await;

    // The teacher makes a card for the class.
    teacher.click(".by a[href^='/class/']").await;
    teacher.click("p.tools a[href$='/rule-cards']").await;
    teacher.click("#kind-N").await;
    teacher
        .click("nav[aria-label='It also moves like'] a")
        .await;
    teacher.sees("#rule-preview", "counts for both sides").await;
    teacher.fill("#card-name", "House horse").await;
    teacher.click("#rule-send").await;
    teacher.sees(".printed-cards h2", "House horse").await;
    // Its name had a slip.
    teacher.click(".tries a[href*='edit=']").await;
    teacher.fill("#card-name", "Horse of the house").await;
    teacher.click("#rule-send").await;
    teacher
        .sees(".printed-cards h2", "Horse of the house")
        .await;

    teacher.open(&lesson).await;
    for pupil in [&anna, &ben] {
        pupil.holds_a_phone().await;
        pupil.comes_in(&code).await;
    }
    teacher.sees("#h-seats", "2 in the lesson").await;
    teacher.click(".begin button[value=all]").await;
    anna.sees("#gather", "The match begins when your teacher starts it")
        .await;
    teacher.click(".begin form[action*='/start'] button").await;
    for pupil in [&anna, &ben] {
        pupil.until("!!document.querySelector('#boards')").await;
        pupil.looks_at(1).await;
        pupil.puts_cards_away().await;
    }
    let side = "document.getElementById('match').dataset.side";
    let begins = anna.eval(side).await.expect("a side") == "first";
    let (white, black) = if begins { (&anna, &ben) } else { (&ben, &anna) };

    // A rule of one's own, with nothing typed.
    assert!(INVENTS.len() <= MOST_TAPS);
    for tap in INVENTS {
        white.click(tap).await;
    }
    white.sees("#tb-1 .tb-rules", "The bishop").await;
    white.has_open("").await;

    // The card of the class, which is told by its name.
    black.sees("#cards h2", "A rule changed on board 1").await;
    black.puts_cards_away().await;
    black.click(INVENTS[0]).await;
    black.click("[id^=card-own-]").await;
    black.sees(".rule-card.chosen", "Horse of the house").await;
    black.picture("card-of-a-class").await;
    black.click("#rule-send").await;
    white
        .sees("#cards h2", "Rule card on board 1: Horse of the house")
        .await;

    for pupil in [white, black] {
        pupil.has_no_complaints(&[]).await;
    }
}

#[tokio::test]
async fn the_deck_is_printed_eight_cards_on_a_sheet() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [reader] = Person::all(&site, ["Rita"], true).await;
    reader.open("/games/flexichess/cards").await;
    let sheets = reader.prints("rule-cards").await;
    let dealt: Vec<&[RuleCard]> = CARDS.chunks(8).collect();
    assert_eq!(sheets.len(), dealt.len(), "{sheets:?}");
    for (sheet, cards) in sheets.iter().zip(dealt) {
        // Lines end where the paper does.
        let sheet = sheet.split_whitespace().collect::<Vec<_>>().join(" ");
        for card in cards {
            for part in [card.name, card.text, card.idea] {
                assert!(sheet.contains(part), "{part:?} in {sheet}");
            }
        }
    }
    // Each is whole, at the width of the paper.
    reader.screen(718, 1000, false).await;
    let paper = json!({ "media": "print" });
    reader.tools("Emulation.setEmulatedMedia", paper).await;
    assert_eq!(reader.count(".printed-cards li .about:empty").await, 0);
    assert_eq!(reader.eval(TOO_LONG).await.expect("a list"), json!([]));
}
