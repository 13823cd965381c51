//! Journeys with Flexichess: its rules are changed in the browser, by mouse, by keys, by links, and a finger drags a
//! piece.

use serde_json::{Value, json};

use super::person::{DOWN, ENTER, LEFT, Person, RIGHT, TAB, UP};
use super::site::TestSite;

/// A knight's and a camel's leaps.
const CAMEL: &str = "Knights also leap like camels.";

impl Person {
    /// Challenges a player by name to a game of Flexichess, playing White.
    async fn challenges_to_chess(&self, other: &Self) {
        self.open("/lobby").await;
        self.click("#game option[value=flexichess]").await;
        self.click("#side optgroup[data-game=flexichess] option[value=first]")
            .await;
        self.click("#by-name").await;
        self.fill("form.new #name", other.name).await;
        self.click("form.new button.main").await;
        self.sees(".headline", "Waiting for players").await;
    }

    /// Opens the editor for a kind, or for a rule in words.
    async fn edits(&self, kind: &str) {
        self.click(&format!("#kind-{kind}")).await;
        self.until("!!document.querySelector('#editor-open')").await;
    }

    /// Clicks on a choice of the editor.
    async fn picks(&self, label: &str) {
        let find = format!(
            "[...document.querySelectorAll('.chip')].find(e => e.textContent === '{label}')"
        );
        self.until(&format!("!!({find})")).await;
        self.eval(&format!("({find}).click()")).await.expect("done");
        self.until(&format!("!!({find})?.hasAttribute('aria-current')"))
            .await;
    }

    /// Waits until this is suggested as the text of the change.
    async fn suggests(&self, text: &str) {
        self.until(&format!(
            "document.querySelector('#rule-words')?.value === '{text}'"
        ))
        .await;
    }

    /// Clicks on a square of the diagram.
    async fn marks(&self, square: &str) {
        self.click(&format!("#rule-diagram [aria-label^='{square}:']"))
            .await;
    }

    /// Waits until the editor shows this movement.
    async fn has_movement(&self, betza: &str) {
        self.until(&format!(
            "document.querySelector('#rule-betza')?.value === '{betza}'"
        ))
        .await;
    }

    async fn says_rule(&self, text: &str) {
        self.fill("#rule-words", text).await;
        self.click("#rule-send").await;
    }

    async fn moves(&self, from: &str, to: &str) {
        // Places that can be chosen are visible, not only described.
        self.until(&format!(
            "getComputedStyle(document.querySelector('#board .can[data-name={from}] > path')).stroke !== 'none'"
        ))
        .await;
        self.clicks_move(from, to).await;
    }

    /// Drags a piece with a finger, on a telephone: it comes along, and the page does not scroll.
    async fn draws(&self, from: &str, to: &str) {
        let phone = json!({ "width": 390, "height": 700, "deviceScaleFactor": 1, "mobile": true });
        self.tools("Emulation.setDeviceMetricsOverride", phone)
            .await;
        self.until(&format!(
            "innerWidth === 390 && !!document.querySelector('#board .can[data-name={from}]')"
        ))
        .await;
        let places = format!(
            "document.querySelector('#board').scrollIntoView({{ behavior: 'instant', block: 'start' }}), [scrollY, \
             ...['{from}', '{to}'].flatMap((name) => {{ \
             const box = document.querySelector('#board [data-name=' + name + ']').getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})]"
        );
        let places = self.eval(&places).await.expect("two places");
        let places: Vec<f64> = serde_json::from_value(places).expect("numbers");
        let [scrolled, x, y, to_x, to_y] = places[..] else {
            panic!("{places:?}");
        };
        let touch = async |kind: &str, points: Value| {
            let touch = json!({ "type": kind, "touchPoints": points });
            self.tools("Input.dispatchTouchEvent", touch).await;
        };
        touch("touchStart", json!([{ "x": x, "y": y }])).await;
        for step in 1..=8 {
            let part = f64::from(step) / 8.0;
            let at = json!([{ "x": x + (to_x - x) * part, "y": y + (to_y - y) * part }]);
            touch("touchMove", at).await;
        }
        touch("touchEnd", json!([])).await;
        self.has_put_together(from, to).await;
        self.until(&format!("scrollY === {scrolled}")).await;
        self.tools("Emulation.clearDeviceMetricsOverride", json!({}))
            .await;
        self.click("#play").await;
    }
}

/// A match in which rules change in all three forms, one is disputed, a turn is played under another, and a piece
/// that moves in a new way gives mate.
#[tokio::test]
async fn rules_change_until_a_changed_knight_mates() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [fay, gus] = Person::all(&site, ["Fay", "Gus"], true).await;
    fay.signs_up(&site).await;
    gus.signs_up(&site).await;
    fay.challenges_to_chess(&gus).await;
    gus.accepts(&fay).await;
    fay.sees(".headline", "Your turn").await;

    // The promotions of pawns. A text of more than one line is refused, and nothing is lost.
    fay.edits("P").await;
    fay.click(".chips .chip:nth-child(2)").await;
    fay.click("#to-Q").await;
    fay.suggests("The pawn promotes to rook, bishop and knight.")
        .await;
    fay.click("#to-R").await;
    fay.suggests("The pawn promotes to bishop and knight.")
        .await;
    fay.fill("#rule-words", "Bishops or\nknights only.").await;
    fay.click("#rule-send").await;
    fay.sees("#notice", "its text is one line").await;
    fay.says_rule("Bishops or knights only.").await;
    gus.is_at(1).await;
    gus.sees(
        "#announce",
        "Fay changed a rule: “Bishops or knights only.”",
    )
    .await;
    gus.sees(".promotes", "bishop and knight only").await;

    // A rule in words is disputed, another one is accepted.
    gus.screen(390, 844, false).await;
    gus.edits("any").await;
    // What it names is pointed out first; a text that was changed then is looked at again, and none is lost.
    gus.says_rule("The king wins on Sundays.").await;
    gus.sees("#rule-hint", "This rule names the king.").await;
    gus.fill("#text", "May kings win?").await;
    gus.click("#talk-form button").await;
    gus.sees("#talk", "May kings win?").await;
    gus.suggests("The king wins on Sundays.").await;
    gus.says_rule("Black wins on Sundays.").await;
    gus.sees("#rule-hint", "This rule names Black.").await;
    gus.photograph("chess-hint").await;
    fay.fill("#text", "Are you there?").await;
    fay.click("#talk-form button").await;
    gus.sees("#talk", "Are you there?").await;
    let kept = "document.getElementById('rule-words').value === 'Black wins on Sundays.'";
    assert_eq!(gus.eval(kept).await.expect("an answer"), true);
    gus.sees("#rule-send", "Propose it all the same").await;
    // The button has kept the focus.
    gus.until("document.activeElement.id === 'rule-send'").await;
    gus.press(ENTER).await;
    gus.screen(1366, 768, false).await;
    fay.is_at(2).await;
    fay.sees(".waits", "Black wins on Sundays.").await;
    fay.sees(".waits", "This rule names Black.").await;
    let mail = site.mail(&fay.email, |mail| {
        mail.text
            .contains("Gus proposed a rule: “Black wins on Sundays.”")
    });
    let mail = mail.await;
    let quotes = mail.text.matches("Black wins on Sundays").count();
    assert_eq!(quotes, 1, "{}", mail.text);
    gus.sees(".waits", "It waits for the answer of White.")
        .await;
    fay.photograph("chess-proposal").await;
    fay.click("#dispute").await;
    gus.is_at(3).await;
    gus.sees(".headline", "Your turn").await;
    gus.sees("#announce", "Fay disputed it.").await;
    gus.edits("N").await;
    gus.click("#ideas > summary").await;
    gus.click("#in-words").await;
    gus.sees("#rule-send", "Propose").await;
    gus.says_rule("A knight may pass the turn.").await;
    fay.sees(".waits", "A knight may pass the turn.").await;
    fay.click("#accept").await;
    gus.is_at(5).await;
    fay.sees(".written", "A knight may pass the turn.").await;

    // White has the move: a change does not give the turn back.
    fay.moves("b1", "c3").await;
    gus.is_at(6).await;
    gus.draws("a7", "a6").await;
    fay.is_at(7).await;

    // The movement by mouse: a step is put there and taken away, then a camel's leap in all directions.
    fay.edits("N").await;
    fay.picks("left and right alike").await;
    fay.picks("only moves").await;
    fay.marks("1 forward").await;
    fay.has_movement("fmWN").await;
    fay.picks("not there").await;
    fay.marks("1 forward").await;
    fay.has_movement("N").await;
    fay.picks("jumps there").await;
    fay.picks("moves and captures").await;
    fay.picks("in all directions").await;
    fay.marks("3 forward 1 right").await;
    fay.has_movement("NC").await;
    fay.sees("#rule-in-words", "camel").await;
    fay.sees("#rule-preview tbody", "White").await;
    fay.photograph("chess-editor").await;
    fay.says_rule(CAMEL).await;
    gus.is_at(8).await;
    gus.sees(".card-of.changed", "camel").await;
    // The piece shows its movement.
    let hover = "document.querySelector('#board [data-name=b8]').dispatchEvent(\
                 new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }))";
    gus.eval(hover).await.expect("done");
    gus.sees(".hover-card", "camel").await;
    gus.until("document.querySelectorAll('#board .cell.reach').length > 2")
        .await;
    // So does any other on a tap, whosever it is.
    for (square, kind) in [("a1", "rook"), ("e8", "king")] {
        let tap = format!(
            "document.querySelector('#board [data-name={square}]').dispatchEvent(\
             new MouseEvent('click', {{ bubbles: true }}))"
        );
        gus.eval(&tap).await.expect("done");
        gus.sees(".hover-card", kind).await;
    }

    // A turn under rule 2, with no effect.
    gus.click(".written a").await;
    gus.sees("#under-form", "Propose to do nothing").await;
    // A turn is tapped together: a piece, then where it goes; what stands there is taken off.
    gus.click("#under-board [data-name=b8]").await;
    gus.sees("#rulebook .say", "Tap where the piece on b8 goes.")
        .await;
    gus.click("#under-board [data-name=h2]").await;
    gus.sees("#rulebook .say", "Done so far: xh2 b8h2.").await;
    gus.click("#under-back").await;
    gus.sees("#rulebook .say", "Done so far: xh2.").await;
    gus.click("#under-back").await;
    gus.sees("#under-form", "Propose to do nothing").await;
    gus.click("#under-send").await;
    fay.is_at(9).await;
    fay.sees(".waits", "A knight may pass the turn.").await;
    fay.click("#accept").await;
    gus.is_at(10).await;
    fay.moves("c3", "d5").await;
    gus.sees(".headline", "You lost").await;
    fay.sees(".headline", "You won").await;
    fay.sees(".hint", "Checkmate").await;
    fay.sees("#turns", "Nd5#").await;
    fay.photograph("chess-mate").await;

    // The record of changes, and the game as PGN, which the try board reads.
    let page = fay.path().await;
    fay.open(&format!("{page}/changes")).await;
    fay.until("document.querySelectorAll('.told > li').length === 3")
        .await;
    fay.sees(".told", "White (Fay), turn 8").await;
    fay.sees(".told", "A rule in words about the knight").await;
    fay.photograph("chess-changes").await;
    fay.open(&page).await;
    let pgn = format!("await (await fetch('{page}/record.pgn')).text()");
    let pgn = fay.eval(&pgn).await.expect("a record");
    let pgn = pgn.as_str().expect("text").to_owned();
    assert!(
        pgn.contains("[%turn rule N NC \"Knights also leap like camels.\"]"),
        "{pgn}"
    );
    assert!(pgn.contains("Nd5#\n"), "{pgn}");
    assert!(pgn.ends_with("\n1-0\n"), "{pgn}");
    fay.open("/try").await;
    fay.fill("#record", &pgn).await;
    fay.click("#paste button.main").await;
    fay.sees(".headline", "White won by checkmate").await;
    for player in [&fay, &gus] {
        player.has_no_complaints(&["status of 422"]).await;
    }
}

/// The editor on the try board: by keys alone, by typing, by ideas; and without scripts by links.
#[tokio::test]
async fn the_editor_by_keyboard_and_by_links() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let hal = Person::new(&site, "Hal", true).await;
    hal.open("/try/flexichess").await;
    let focus = "document.activeElement.id || document.activeElement.dataset.name || ''";
    let tabs_to = async |wanted: &str| {
        for _ in 0..80 {
            hal.press(TAB).await;
            let there = format!("({focus}) === '{wanted}'");
            if hal.eval(&there).await.expect("yes or no") == true {
                return;
            }
        }
        panic!("{wanted} can't be reached");
    };
    tabs_to("kind-R").await;
    hal.press(ENTER).await;
    hal.has_movement("R").await;
    // The diagram is one stop, and the arrow keys move within it.
    hal.eval("document.querySelector('.diagram').previousElementSibling.lastElementChild.focus()")
        .await
        .expect("done");
    hal.press(TAB).await;
    let at = hal.eval("document.activeElement.ariaLabel").await;
    let at = at.expect("a square");
    assert!(
        at.as_str().is_some_and(|name| name.contains("forward")),
        "{at}"
    );
    for key in [
        UP, UP, UP, UP, LEFT, LEFT, LEFT, LEFT, LEFT, LEFT, LEFT, LEFT,
    ] {
        hal.press(key).await;
    }
    hal.until("document.activeElement.ariaLabel === '4 forward 4 left: empty'")
        .await;
    // Two squares diagonally: from the corner two down, two to the right.
    for key in [DOWN, DOWN, RIGHT, RIGHT] {
        hal.press(key).await;
    }
    hal.press(ENTER).await;
    hal.has_movement("RA").await;
    hal.until("document.activeElement.ariaLabel === '2 forward 2 left: moves and captures'")
        .await;
    hal.press(' ').await;
    hal.has_movement("R").await;
    // Typed: errors show their column, right input is previewed.
    hal.writes_betza("RX").await;
    hal.sees("#rule-wrong", "column 2").await;
    hal.writes_betza("R3").await;
    hal.sees("#rule-in-words", "at most three squares").await;
    hal.until("!!document.querySelector('#rule-send')").await;
    hal.click("#ideas summary").await;
    hal.eval(
        "[...document.querySelectorAll('#ideas a')].find(a => a.textContent === 'cannon').click()",
    )
    .await
    .expect("done");
    hal.has_movement("mRcpR").await;
    hal.photograph("chess-try-editor").await;
    hal.fill("#rule-words", "Rooks are cannons.").await;
    hal.click("#rule-send").await;
    hal.sees(".headline", "Black to move").await;
    hal.sees(".card-of.changed", "rook").await;
    hal.click(".choice [value=numbers]").await;
    hal.until("!!document.querySelector('#board .numbered')")
        .await;
    hal.photograph("chess-numbered").await;
    hal.has_no_complaints(&[]).await;

    let ida = Person::new(&site, "Ida", false).await;
    ida.open("/try/flexichess").await;
    ida.edits("B").await;
    ida.click("#rule-diagram [aria-label^='1 forward:']").await;
    ida.has_movement("WB").await;
    ida.writes_betza("FC").await;
    ida.click("#betza-form button").await;
    ida.sees("#rule-in-words", "camel").await;
    ida.fill("#rule-words", "Bishops turn camels.").await;
    ida.click("#rule-send").await;
    ida.sees("#turns", "rule: “Bishops turn camels.”").await;
    // Pawns that jump over one another: the one on e2 would take the king.
    ida.edits("P").await;
    ida.writes_betza("pR").await;
    ida.click("#betza-form button").await;
    ida.sees(".refused", "your king on e8 in check").await;
    ida.sees("#rule-preview", "The king is attacked by the pawn on e2.")
        .await;
    ida.until("!document.querySelector('#rule-send')").await;
    ida.has_no_complaints(&[]).await;
}

/// An offer outlives the turn of its side, on a phone and on a wide screen; a draw is claimed at the third repetition.
#[tokio::test]
async fn a_draw_is_offered_declined_and_claimed() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [ida, jon] = Person::all(&site, ["Ida", "Jon"], true).await;
    ida.signs_up(&site).await;
    jon.signs_up(&site).await;
    ida.challenges_to_chess(&jon).await;
    jon.accepts(&ida).await;
    ida.sees(".headline", "Your turn").await;
    ida.screen(390, 844, false).await;
    jon.screen(1366, 768, false).await;

    ida.click(".ends button[value=offer]").await;
    ida.sees(".offer", "Your offer of a draw stands").await;
    jon.sees(".offer", "You are offered a draw.").await;
    ida.moves("g1", "f3").await;
    ida.is_at(1).await;
    ida.sees(".offer", "Your offer of a draw stands").await;
    jon.is_at(1).await;
    jon.sees(".offer", "To play a turn declines it.").await;
    jon.picture("draw-offered").await;
    jon.moves("g8", "f6").await;
    ida.is_at(2).await;
    ida.sees(".offer", "Jon declines your offer of a draw.")
        .await;

    let turns = [
        ("f3", "g1"),
        ("f6", "g8"),
        ("g1", "f3"),
        ("g8", "f6"),
        ("f3", "g1"),
    ];
    for (ply, (from, to)) in (3..).zip(turns) {
        let mover = if ply % 2 == 1 { &ida } else { &jon };
        assert_eq!(mover.count("label[for=offer][translate]").await, 0);
        mover.moves(from, to).await;
        for person in [&ida, &jon] {
            person.is_at(ply).await;
        }
    }
    jon.sees("label[for=offer]", "Claim a draw with Ng8").await;
    jon.picture("draw-claim-with").await;
    jon.moves("f6", "g8").await;
    ida.is_at(8).await;
    ida.sees(".offer", "This position has come up three times")
        .await;
    ida.picture("draw-claim").await;
    ida.click(".offer button[value=offer]").await;
    for person in [&ida, &jon] {
        person.sees(".headline", "A draw").await;
        person
            .sees(
                ".hint",
                "claimed it, as the same position had come up three times",
            )
            .await;
        person.has_no_complaints(&[]).await;
    }
}
