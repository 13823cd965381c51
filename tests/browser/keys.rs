//! A pupil's whole lesson by keys alone, from the code to signing out. The focus is visible at every stop, and stays
//! there when others make the page change, and near to it when the pupil's own act removes the element that had it.

use serde_json::json;

use super::lesson::Hand;
use super::person::{ENTER, Person, SPACE};
use super::site::TestSite;

impl Person {
    /// Types into the element with the focus.
    async fn types(&self, text: &str) {
        // Key by key: the field may be replaced meanwhile, and the focus with it.
        for key in text.chars() {
            self.press(key).await;
        }
    }

    /// Moves the focus to a place on the large board, by Tab and then by the arrow keys, and chooses it.
    async fn picks_place(&self, name: &str) {
        self.tabs_to("#board [data-name]").await;
        self.walks_to(name).await;
        self.holds(&format!("#board [data-name={name}]")).await;
        self.press(ENTER).await;
    }

    /// Moves the focus to a button or a link, and presses the key.
    async fn goes_for(&self, selector: &str, key: char) {
        self.tabs_to(selector).await;
        self.press(key).await;
    }
}

#[tokio::test]
async fn a_pupil_needs_no_more_than_keys() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, anna, ben] = Person::all(&site, ["Tess", "Anna", "Ben"], true).await;
    // Her window is the one in front.
    anna.tools(
        "Emulation.setFocusEmulationEnabled",
        json!({ "enabled": true }),
    )
    .await;
    teacher.signs_up(&site).await;
    let (code, _) = Hand::of(&teacher).prepares(&["Anna", "Ben"]).await;

    // In by the code: its field has the focus already.
    anna.open("/join").await;
    anna.holds("#code").await;
    anna.types(&code.to_lowercase()).await;
    anna.press(ENTER).await;
    anna.sees(".picks button:nth-of-type(1)", "Anna").await;
    anna.goes_for(".picks button:nth-of-type(1)", SPACE).await;
    anna.sees("#gather", "You are in, Anna").await;
    // In the lobby, while others join and are seated.
    let about = "#gather a[href='/games/perplexichess']";
    anna.tabs_to(about).await;
    ben.comes_in(&code).await;
    anna.sees("#gather", "Ben").await;
    anna.holds(about).await;
    teacher.sees("#h-seats", "2 in the lesson").await;
    teacher.click(".begin button[value=all]").await;
    anna.sees("#gather", "The match begins when your teacher starts it")
        .await;
    anna.holds(about).await;
    teacher.click(".begin form[action*='/start'] button").await;
    for person in [&anna, &ben] {
        person.until("!!document.querySelector('#boards')").await;
    }
    let lesson = anna.path().await;
    let side = anna.eval("document.getElementById('match').dataset.side");
    let is_white = side.await.expect("a side") == "first";
    let (from, to, answer) = if is_white {
        ("e2", "e4", ("e7", "e5"))
    } else {
        ben.moves_on(1, "d2", "d4").await;
        anna.finds(1, "d4", "white pawn").await;
        ("e7", "e5", ("d4", "d5"))
    };
    let pawn = if is_white { "white pawn" } else { "black pawn" };

    // The walk-through, closed once for each duty.
    anna.sees("#help h2", "step 1 of").await;
    anna.goes_for("#help-next", ENTER).await;
    anna.sees("#help h2", "step 2 of").await;
    anna.stays_in("#panel").await;
    while anna.count("#help:not(.none)").await > 0 {
        let topic = anna.value("#help input[name=duty]").await;
        anna.goes_for("#help-done", SPACE).await;
        anna.until(&format!(
            "document.querySelector('#help input[name=duty]')?.value !== '{topic}'"
        ))
        .await;
        anna.stays_in("#panel").await;
    }

    // A turn on her own board. The focus stays there, also when the answer comes.
    anna.goes_for(".tb.own h2 a[data-select='1']", ENTER).await;
    anna.until("!!document.querySelector('#tb-1.large #board')")
        .await;
    anna.picks_place(from).await;
    anna.until(&format!(
        "!!document.querySelector('#board .chosen[data-name={from}]')"
    ))
    .await;
    anna.walks_to(to).await;
    anna.press(ENTER).await;
    anna.holds("#play").await;
    anna.press(SPACE).await;
    anna.sees("#log", "Anna played").await;
    anna.stays_in("#board").await;
    let place = anna.focused().await;
    ben.moves_on(1, answer.0, answer.1).await;
    anna.sees("#log", "Ben played").await;
    anna.until("document.title.startsWith('Your turn on ')")
        .await;
    anna.holds(&format!("#board [data-name={place}]")).await;

    // The pawn goes to board 2.
    anna.goes_for("#take", ENTER).await;
    anna.sees("#transfers", "Choose one of your pieces").await;
    anna.stays_in("#transfers").await;
    anna.picks_place(to).await;
    anna.sees("#transfers", "Where to?").await;
    anna.holds(&format!("#board [data-name={to}]")).await;
    anna.goes_for("#transfers button[value='2']", SPACE).await;
    anna.finds(2, to, pawn).await;
    anna.finds(1, to, "empty").await;
    anna.stays_in("#transfers").await;

    // Half a sentence; then another member writes.
    anna.goes_for("#talk .channels a:nth-child(1)", ENTER).await;
    anna.until("document.querySelector('#talk .channels a').hasAttribute('aria-current')")
        .await;
    anna.tabs_to("#talk textarea").await;
    anna.types("Good ").await;
    ben.click("#talk .channels a:nth-child(1)").await;
    ben.until("document.querySelector('#talk .channels a').hasAttribute('aria-current')")
        .await;
    ben.fill("#talk textarea", "Hello, Anna").await;
    ben.click("form[id^=say-form] button").await;
    anna.sees("#talk .lines", "Hello, Anna").await;
    anna.holds("#talk textarea").await;
    anna.types("luck, Ben!").await;
    anna.press(ENTER).await;
    ben.sees("#talk .lines", "Good luck, Ben!").await;
    anna.sees("#talk .lines", "Good luck, Ben!").await;
    anna.holds("#talk textarea").await;
    // From now on with phrases only.
    teacher.open(&format!("{lesson}/control")).await;
    teacher.click("button[value='talk:phrases']").await;
    anna.until("!!document.querySelector('.phrases')").await;
    anna.stays_in("#talk").await;
    anna.goes_for(".phrases #say-Thanks summary", ENTER).await;
    anna.goes_for(".phrases button[value=sorry]", SPACE).await;
    anna.sees("#talk .lines", "Sorry!").await;
    anna.holds(".phrases button[value=sorry]").await;

    // All rules on one page, and back.
    anna.goes_for("#help-open", ENTER).await;
    anna.sees("#help h2", "step 1 of").await;
    while anna.count("#help-next").await > 0 {
        let step = anna.eval("document.querySelector('#help h2').textContent");
        let step = step.await.expect("text");
        anna.goes_for("#help-next", ENTER).await;
        anna.until(&format!(
            "document.querySelector('#help h2').textContent !== {step}"
        ))
        .await;
        anna.stays_in("#help").await;
    }
    anna.goes_for("#help a[href='/games/perplexichess/card']", ENTER)
        .await;
    anna.arrives("/games/perplexichess/card").await;
    anna.goes_for("nav a[href='/me']", ENTER).await;
    anna.arrives("/me").await;
    anna.goes_for("main a.large[href^='/team/']", ENTER).await;
    anna.arrives(&lesson).await;

    // A draw is offered and declined on one board, offered and accepted on another.
    anna.goes_for("[data-select='1']", ENTER).await;
    anna.sees("#making h2", "Board 1").await;
    let offer = "document.querySelector('#making button[value=offer]').click()";
    ben.eval(offer).await.expect("offered");
    anna.goes_for(".offer button[value=decline]", SPACE).await;
    anna.until("!document.querySelector('.offer')").await;
    anna.stays_in("#making, #board").await;
    anna.goes_for("[data-select='2']", ENTER).await;
    anna.sees("#making h2", "Board 2").await;
    anna.goes_for("#making button[value=offer]", SPACE).await;
    anna.sees("#making", "Your offer of a draw stands").await;
    anna.stays_in("#making").await;
    ben.click("[data-select='2']").await;
    ben.until("!!document.querySelector('.offer button[value=accept]')")
        .await;
    let accept = "document.querySelector('.offer button[value=accept]').click()";
    ben.eval(accept).await.expect("accepted");
    anna.sees("#tb-2 .tb-state", "A draw").await;

    // Out.
    anna.goes_for(".who summary", ENTER).await;
    anna.goes_for(".who form[action='/sign-out'] button", SPACE)
        .await;
    anna.sees("nav", "Sign in").await;
    anna.has_no_complaints(&[]).await;
}

/// A visitor plays a rule card against the computer, by correspondence and with keys alone.
#[tokio::test]
async fn a_card_is_played_with_keys() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [gus] = Person::all(&site, ["Gus"], true).await;
    gus.open("/games/flexichess").await;
    gus.goes_for(".play-now button", ENTER).await;
    gus.sees("#rulebook h2", "Change a rule instead of moving")
        .await;
    gus.goes_for("#card-lazy-rook", ENTER).await;
    gus.sees(".rule-card.chosen h3", "Lazy rook").await;
    gus.sees("#rule-preview", "The new rule counts for both sides")
        .await;
    gus.stays_in(".rule-card.chosen, #rulebook").await;
    gus.goes_for("#rule-send", ENTER).await;
    // It is made, and the computer has answered.
    gus.sees("#turns", "rule: “Rooks go three squares at most.”")
        .await;
    gus.sees("#headed", "Your turn").await;
    gus.until("!document.querySelector('.rule-card.chosen')")
        .await;
    gus.has_no_complaints(&[]).await;
}
