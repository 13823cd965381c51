//! A lesson on phones: the board comes first, all else is a sheet over it, one tap away and back.

use serde_json::{Value, json};

use super::lesson::Hand;
use super::person::{ENTER, ESCAPE, Person};
use super::site::TestSite;

const HEIGHT: u32 = 844;

const CHANGED: &str = "A rule changed on board 1";

impl Person {
    pub async fn holds_a_phone(&self) {
        self.screen(390, HEIGHT, false).await;
        let touch = json!({ "enabled": true });
        self.tools("Emulation.setTouchEmulationEnabled", touch)
            .await;
    }

    /// Waits until this sheet is open, and no other; none with an empty name.
    pub async fn has_open(&self, sheet: &str) {
        self.until(&format!(
            "String([...document.querySelectorAll('.sheet')].filter((one) => one.getClientRects().length).map((one) => one.id)) === '{sheet}'"
        ))
        .await;
    }

    async fn measures(&self, expression: &str) -> f64 {
        let measured = self.eval(expression).await;
        measured
            .as_ref()
            .ok()
            .and_then(Value::as_f64)
            .unwrap_or_else(|| panic!("{expression}: {measured:?}"))
    }

    /// Taps in the middle of an element, whatever lies there.
    async fn taps(&self, selector: &str) {
        self.until(&format!("!!document.querySelector('{selector}')"))
            .await;
        // The page hears of its scrolling in the next frame, and puts the cards of pieces away then.
        let scroll = format!(
            "(() => {{ window.stands = false;
                document.querySelector('{selector}').scrollIntoView({{ block: 'center' }});
                requestAnimationFrame(() => requestAnimationFrame(() => (window.stands = true))); }})()"
        );
        self.eval(&scroll).await.expect("scrolled");
        self.until("window.stands").await;
        let place = format!(
            "(() => {{ const one = document.querySelector('{selector}');
                const {{ x, y, width, height }} = one.getBoundingClientRect();
                return [x + width / 2, y + height / 2]; }})()"
        );
        let place = self.eval(&place).await.expect("a place");
        for kind in ["touchStart", "touchEnd"] {
            let points = if kind == "touchStart" {
                json!([{ "x": place[0], "y": place[1] }])
            } else {
                json!([])
            };
            let event = json!({ "type": kind, "touchPoints": points });
            self.tools("Input.dispatchTouchEvent", event).await;
        }
    }

    /// Checks that no board of the page moves while another pupil takes the pawn on e4 from board 3 to the others and
    /// back, a hundred transfers in all, by what the browser itself calls a layout shift.
    async fn stays_still(&self, other: &Self) {
        self.eval("scrollTo(0, 0)").await.expect("at the top");
        let observe = "(window.shifts = [], window.observer?.disconnect(),
            window.observer = new PerformanceObserver((list) => {
                const sources = list.getEntries().filter((one) => !one.hadRecentInput).flatMap((one) => one.sources);
                const boards = sources.filter(({ node }) => (node?.nodeType === 3 ? node.parentNode : node)?.closest?.('#boards'));
                window.shifts.push(...boards.map(({ node, previousRect: a, currentRect: b }) =>
                    `${node.parentNode?.className} ${node.id ?? node.data} ${node.className ?? ''}: ${a.x},${a.y},${a.width},${a.height} to ${b.x},${b.y},${b.width},${b.height}`));
            }), window.observer.observe({ type: 'layout-shift' }), true)";
        self.eval(observe).await.expect("observed");
        let transfers = "(window.sent = 0, (async () => {
            const says = (at) => {
                const talk = document.querySelector('#talk form[id^=say-form]');
                const fields = new URLSearchParams(new FormData(talk));
                fields.set('text', `Line ${at}`);
                return fetch(talk.action, { method: 'POST', body: fields });
            };
            const form = document.getElementById('transfer-form');
            const boards = ['3', '1', '2'];
            for (let at = 0; at < 99; at += 1) {
                const [from, to] = [boards[at % 3], boards[(at + 1) % 3]];
                const fields = new URLSearchParams(new FormData(form));
                for (const [name, value] of Object.entries({ take: `${from}-e4`, kind: 'P', to })) fields.set(name, value);
                const answer = await fetch(form.action, { method: 'POST', body: fields });
                if (answer.ok) window.sent += 1;
                if (at % 11 === 0) await says(at);
            }
        })(), true)";
        other.eval(transfers).await.expect("begun");
        other.until("window.sent === 99").await;
        other.forgets_requests().await;
        let seen = "document.getElementById('status').dataset.seen";
        let last = "fetch(location.href).then((answer) => answer.text()).then((text) =>
            new DOMParser().parseFromString(text, 'text/html').getElementById('status').dataset.seen)";
        let last = other
            .client
            .execute_async(
                &format!("const done = arguments[arguments.length - 1]; {last}.then(done)"),
                Vec::new(),
            )
            .await;
        let last = last.expect("a number");
        self.until(&format!("{seen} === {last}")).await;
        let shifts = self.eval("window.shifts").await.expect("a list");
        assert_eq!(shifts, json!([]), "boards moved");
        // The browser would have told.
        let push = "(document.getElementById('boards').style.marginTop = '40px')";
        self.eval(push).await.expect("pushed");
        self.until("window.shifts.length > 0").await;
        let back = "(document.getElementById('boards').style.marginTop = '')";
        self.eval(back).await.expect("back");
    }

    /// Changes a rule on board 1; `said` is what the editor makes of its movement.
    async fn changes_a_rule(&self, kind: &str, betza: &str, said: &str, words: &str) {
        self.looks_at(1).await;
        let sheet =
            "!!document.querySelector('.tm-choose a[href=\"#rulebook\"]')?.getClientRects().length";
        if self.eval(sheet).await.expect("an answer") == true {
            self.click(".tm-choose a[href='#rulebook']").await;
            self.has_open("rulebook").await;
        }
        self.click(&format!("#kind-{kind}")).await;
        self.writes_betza(betza).await;
        self.sees("#rule-in-words", said).await;
        self.fill("#rule-words", words).await;
        self.picture(&format!("rule-{kind}")).await;
        self.click("#rule-send").await;
        self.sees("#tb-1 .tb-rules", words).await;
    }

    /// Changes a rule of the board in front by a card: three taps, and nothing typed.
    async fn plays_a_card(&self, id: &str, words: &str) {
        // The bars of a browser leave that much of a small phone.
        self.screen(390, 664, false).await;
        self.click(".tm-choose a[href='#rulebook']").await;
        self.click(&format!("#card-{id}")).await;
        self.sees(".rule-card.chosen", words).await;
        // The board shows what it does, in sight above the words and the button.
        self.sees("#rule-preview", "The new rule counts for both sides")
            .await;
        self.until(
            "(() => { const edge = (one) => document.querySelector(one).getBoundingClientRect();
                const [board, card, button] = ['#board svg', '.rule-card.chosen', '#rule-send'].map(edge);
                return board.top >= 0 && board.bottom <= card.top
                    && button.bottom <= edge('#jump').top && edge('#rule-preview .counts').bottom <= button.top; })()",
        )
        .await;
        self.picture(&format!("card-{id}")).await;
        self.click("#rule-send").await;
        self.screen(390, HEIGHT, false).await;
        self.sees("#tb-1 .tb-rules", words).await;
        self.has_open("").await;
    }

    /// Is told of a changed rule by a card, finds it marked on a piece of the other side, and learns from a tap on it how
    /// it moves now.
    async fn understands(&self, headline: &str, square: &str, said: &str, words: &str) {
        self.sees("#cards h2", headline).await;
        self.sees("#cards", words).await;
        self.picture(&format!("rule-on-{square}")).await;
        self.puts_cards_away().await;
        self.looks_at(1).await;
        self.taps(&format!("#tb-1 [data-name={square}]")).await;
        self.sees(".hover-card", said).await;
        // It stays when a part of the page is fetched anew.
        let news = "document.dispatchEvent(new CustomEvent('swapped'))";
        self.eval(news).await.expect("swapped");
        self.sees(".hover-card", said).await;
        self.until("document.querySelectorAll('#board .cell.reach').length > 0")
            .await;
        let sideways = "document.documentElement.scrollWidth > innerWidth";
        assert_eq!(self.eval(sideways).await.expect("an answer"), false);
    }

    /// Puts all cards away.
    pub async fn puts_cards_away(&self) {
        while self.count("#card-ok").await > 0 {
            let before = self.value("#cards input[name=card]").await;
            let stood = self.measures("scrollY").await;
            self.click("#card-ok").await;
            self.until(&format!(
                "document.querySelector('#cards input[name=card]')?.value !== '{before}'"
            ))
            .await;
            // The page does not follow the focus, which goes to the part that had the card.
            assert!(self.measures("scrollY").await <= stood, "{}", self.name);
        }
    }
}

#[tokio::test]
async fn all_but_the_board_is_one_tap_away() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, anna, ben] = Person::all(&site, ["Tess", "Anna", "Ben"], true).await;
    teacher.signs_up(&site).await;
    let (code, _) = Hand::of(&teacher).prepares(&["Anna", "Ben"]).await;
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
        // Each has all the boards of a team.
        pupil.looks_at(1).await;
        pupil.puts_cards_away().await;
    }
    let side = "document.getElementById('match').dataset.side";
    let begins = anna.eval(side).await.expect("a side") == "first";
    let (white, black) = if begins { (&anna, &ben) } else { (&ben, &anna) };

    // The whole page is at most two screens long, and no sheet is open.
    white.has_open("").await;
    let length = white
        .measures("document.documentElement.scrollHeight")
        .await;
    assert!(
        length <= f64::from(2 * HEIGHT),
        "the page is {length} px long"
    );
    // The large board takes the width of the screen, and with both buttons is in sight at once.
    white.eval("scrollTo(0, 0)").await.expect("at the top");
    white.picture("phone-turn").await;
    let wide = white
        .measures("document.querySelector('#board svg').getBoundingClientRect().width")
        .await;
    assert!(wide >= 350.0, "the board is {wide} px wide");
    let buttons = "Math.max(...[...document.querySelectorAll('.tm-choose a')].map((one) => one.getBoundingClientRect().bottom))";
    let tabs = "document.getElementById('jump').getBoundingClientRect().top";
    assert!(white.measures(buttons).await <= white.measures(tabs).await);

    // A rule is changed in a sheet, which closes once the rule has changed.
    white
        .changes_a_rule("N", "NW", "one square straight", "Knights also step.")
        .await;
    white.has_open("").await;
    // Its picture beside the board leads to what it says.
    white.click("#tb-1 .tb-rules a").await;
    white.has_open("rulebook").await;
    white
        .until("document.getElementById('in-force').open")
        .await;
    let meaning = "document.querySelector(document.querySelector('#tb-1 .tb-rules a').hash)";
    white
        .until(&format!("{meaning}.getBoundingClientRect().top < 100"))
        .await;
    let says = format!("{meaning}.textContent.includes('one square straight')");
    assert_eq!(white.eval(&says).await.expect("an answer"), true);
    white.click(".sheet-close").await;
    white.has_open("").await;

    // The other pupil is told in a card that says the whole rule, and leaves the board and both buttons free.
    black.sees("#cards h2", "rule").await;
    black.eval("scrollTo(0, 0)").await.expect("at the top");
    black.picture("phone-card").await;
    let edge = |selector: &str, side: &str| {
        format!("document.querySelector('{selector}').getBoundingClientRect().{side}")
    };
    let card = black.measures(&edge(".tm-card", "top")).await;
    assert!(black.measures(buttons).await <= card);
    assert!(black.measures(&edge("#board svg", "bottom")).await <= card);
    let words = black.measures(&edge(".tm-card p", "bottom")).await;
    assert!(words <= black.measures(&edge(".tm-card", "bottom")).await);
    // On the smallest phone the whole board stays in sight, too, even below the offer of help.
    black.screen(390, 664, false).await;
    black
        .until("document.querySelector('.tm-hint').getClientRects().length > 0")
        .await;
    let card = black.measures(&edge(".tm-card", "top")).await;
    assert!(black.measures(&edge("#board svg", "bottom")).await <= card);
    black.screen(390, HEIGHT, false).await;
    black
        .understands(CHANGED, "b1", "one square straight", "Knights also step.")
        .await;
    black.eval("scrollTo(0, 0)").await.expect("at the top");

    // Talk: said with Enter, closed by the back button, and the page stands where it stood.
    black.eval("scrollTo(0, 60)").await.expect("a little down");
    let stood = black.measures("scrollY").await;
    black.click("#jump a[href='#talk']").await;
    black.has_open("talk").await;
    black.fill("#talk textarea", "Beware of the knights!").await;
    black.press(ENTER).await;
    black.sees("#talk .lines", "Beware of the knights!").await;
    black.has_open("talk").await;
    black.picture("phone-talk").await;
    black.client.back().await.expect("back");
    black.has_open("").await;
    assert!((black.measures("scrollY").await - stood).abs() < 1.0);

    // From sheet to sheet; a choice in one stays in it; back closes it at once.
    black.click("#jump a[href='#people']").await;
    black.has_open("people").await;
    black.click("#jump a[href='#log']").await;
    black.has_open("log").await;
    black
        .click("#log .chip[href*='b1'], #log .chip:nth-of-type(3)")
        .await;
    black.sees("#log .chip[aria-current]", "Board 1").await;
    black.has_open("log").await;
    black.client.back().await.expect("back");
    black.has_open("").await;
    // The cross, the tab itself and Escape close as well.
    for close in [".sheet-close", "#jump a[href='#log']", ""] {
        black.click("#jump a[href='#log']").await;
        black.has_open("log").await;
        if close.is_empty() {
            black.press(ESCAPE).await;
        } else {
            black.click(close).await;
        }
        black.has_open("").await;
    }
    // An entry of the log leads to the boards as they stood then.
    black.click("#jump a[href='#log']").await;
    black.has_open("log").await;
    black.click("#log .events li:last-child a").await;
    black
        .sees("#status", "This is how all boards stood then")
        .await;
    black.has_open("").await;
    black.client.back().await.expect("back");
    black.has_open("log").await;

    // A transfer takes three taps, on boards that are as wide as the screen.
    white.moves_on(2, "e2", "e4").await;
    white.puts_cards_away().await;
    white.click("#jump a[href*='take=any']").await;
    white.sees("#transfers", "Choose one of your pieces").await;
    let square = |board: u8| {
        format!(
            "document.querySelector('#tb-{board} [data-name=e4]').getBoundingClientRect().width"
        )
    };
    assert!(white.measures(&square(2)).await >= 36.0);
    white.picture("phone-take").await;
    white.taps("#tb-2 .can[data-name=e4]").await;
    white.sees("#transfers", "Where to?").await;
    assert!(white.measures(&square(3)).await >= 36.0);
    let before = "document.querySelector('.tb.takes').getBoundingClientRect().top < document.querySelector('.tb.gives').getBoundingClientRect().top";
    assert_eq!(white.eval(before).await.expect("an answer"), true);
    white.picture("phone-put").await;
    white.taps("#tb-3 [data-name=e4]").await;
    white.finds(3, "e4", "white pawn").await;
    white.has_open("").await;
    white
        .sees(
            "#cards h2",
            "You sent the pawn from board 2 to e4 on board 3",
        )
        .await;
    white.picture("phone-sent").await;
    white.click("#cards [form=card-undo]").await;
    white.finds(2, "e4", "white pawn").await;
    white.until("!document.querySelector('#cards form')").await;
    white.click("#jump a[href*='take=any']").await;
    white.taps("#tb-2 .can[data-name=e4]").await;
    white.sees("#transfers", "Where to?").await;
    white.taps("#tb-3 [data-name=e4]").await;
    white.finds(3, "e4", "white pawn").await;
    white.puts_cards_away().await;

    // Whatever others do, nothing moves under the finger.
    black.client.back().await.expect("back");
    black.has_open("").await;
    black.looks_at(1).await;
    black.puts_cards_away().await;
    black.stays_still(white).await;
    black.screen(1366, 768, false).await;
    black.stays_still(white).await;

    // On a tablet and on a laptop, in the dark, each learns as well what the other has changed.
    for pupil in [white, black] {
        pupil.screen(820, 1180, true).await;
        pupil.puts_cards_away().await;
    }
    black.looks_at(1).await;
    let words = "Knights may also step one square in any direction.";
    black.plays_a_card("knight-in-slippers", words).await;
    let headline = "Rule card on board 1: Knight in slippers";
    white
        .understands(headline, "b8", "like a king", words)
        .await;
    for pupil in [white, black] {
        pupil.screen(1366, 768, true).await;
    }
    white
        .changes_a_rule("N", "NF", "diagonally", "Knights step like ferzes.")
        .await;
    black
        .understands(CHANGED, "b1", "diagonally", "Knights step like ferzes.")
        .await;

    // What the teacher unfolds at the lower edge of the screen is in sight.
    teacher.screen(1366, 768, false).await;
    let at_the_edge = "scrollBy(0, document.querySelector('#tool-1 summary').getBoundingClientRect().bottom - innerHeight)";
    teacher.eval(at_the_edge).await.expect("scrolled");
    teacher.click("#tool-1 summary").await;
    teacher
        .until("document.querySelector('#tool-1 button').getBoundingClientRect().bottom <= innerHeight")
        .await;
    teacher
        .until("!document.querySelector('#tool-1 .control-last').getClientRects().length")
        .await;
    teacher.picture("teacher-take-back").await;

    for pupil in [white, black] {
        pupil.has_no_complaints(&[]).await;
    }
}
