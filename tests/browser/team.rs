//! A team match from its gathering to a 2:1 end, in six browsers: White's strategist, boardman and agent, Black's
//! strategist and boardman, and the projector, which is not signed in.

use fantoccini::actions::{InputSource as _, MouseActions, PointerAction};
use serde_json::{Value, json};

use super::person::Person;
use super::site::TestSite;
use super::support::unmarked;

/// A message between two members of a team.
const SECRET: &str = "Ada dithers, let us make Cleo strategist";
/// A message in the talk of White's team.
const TEAM: &str = "Watch f7 on board 1, please: 1:f7";

/// Holds the editor of rules back on its way, but no news, until it is let go.
const SLOW_EDITOR: &str = "(() => {
    const fetched = window.fetch;
    window.held = [];
    window.letGo = () => {
        window.fetch = fetched;
        for (const go of window.held) go();
        return true;
    };
    window.fetch = async (...all) => {
        const isEditor = all[0].includes('rule=') && !all[0].includes('unseen');
        if (isEditor) await new Promise((go) => window.held.push(go));
        return fetched(...all);
    };
    return true;
})()";

/// Holds what the server answered for the news back, until it is let go, and notes whether a card comes after that.
const SLOW_NEWS: &str = "(() => {
    const fetched = window.fetch;
    window.held = [];
    window.letGo = () => {
        window.fetch = fetched;
        window.cardCame = false;
        const came = () => (window.cardCame ||= !!document.querySelector('#cards form'));
        new MutationObserver(came).observe(document.body, { childList: true, subtree: true });
        for (const go of window.held) go();
        return true;
    };
    window.fetch = async (...all) => {
        const answer = await fetched(...all);
        if (all[0].includes('/log')) await new Promise((go) => window.held.push(go));
        return answer;
    };
    return true;
})()";

impl Person {
    /// Opens the link of the match and joins a team.
    pub async fn joins(&self, link: &str, side: &str) {
        self.open(link).await;
        self.click(&format!("button[name=side][value={side}]"))
            .await;
    }

    async fn takes(&self, duty: &str) {
        self.click(&format!("button[aria-label='I take: {duty}']"))
            .await;
        self.until(&format!(
            "!!document.querySelector(\"button[aria-label='Give up: {duty}']\")"
        ))
        .await;
    }

    /// Makes a board the large one.
    pub async fn looks_at(&self, board: u8) {
        self.click(&format!("[data-select='{board}']")).await;
        self.until(&format!(
            "!!document.querySelector('#tb-{board}.large #board') && \
             document.querySelector('#making h2')?.textContent === 'Board {board}' && \
             document.querySelector('#jump [href=\"#making\"]').textContent === 'Board {board}'"
        ))
        .await;
    }

    /// Plays a move on a board, by clicks.
    pub async fn moves_on(&self, board: u8, from: &str, to: &str) {
        self.looks_at(board).await;
        self.clicks_move(from, to).await;
    }

    /// Waits until a piece is on a square of a board, or none is, by the text for screen readers: square by square on
    /// the board in use, all at once on the others.
    pub async fn finds(&self, board: u8, square: &str, piece: &str) {
        self.until(&format!(
            "(() => {{ const svg = document.querySelector('#tb-{board} .board-box svg'); \
             const label = (what) => what?.getAttribute('aria-label') ?? ''; \
             const place = svg.querySelector('a[data-name={square}]'); \
             if (place) return label(place).startsWith('{square}: {piece}'); \
             const sides = label(svg).split('Black:'); \
             const stands = (part) => part.split(/[ .:]/).includes('{square}'); \
             if ('{piece}' === 'empty') return !sides.some((side) => side.split(',').some(stands)); \
             const [side, kind] = '{piece}'.split(' '); \
             return sides[side === 'white' ? 0 : 1].split(',').some((part) => part.includes(kind) && stands(part)); }})()"
        ))
        .await;
    }

    /// Counts from now on how often the device tells that it has become its reader's turn; pages that are new stay
    /// quiet.
    async fn chimes_are_counted(&self) {
        self.until("performance.now() > 3000").await;
        let count = "window.chimed = 0, navigator.vibrate = () => ++window.chimed > 0";
        self.eval(count).await.expect("counted");
    }

    /// Waits until no card is shown.
    pub async fn has_no_card(&self) {
        self.until("!document.querySelector('#cards form')").await;
    }

    async fn middle(&self, selector: &str) -> (f64, f64) {
        let middle = format!(
            "(({{x, y, width, height}}) => [x + width / 2, y + height / 2])\
             (document.querySelector({}).getBoundingClientRect())",
            json!(selector)
        );
        let middle = self.eval(&middle).await.expect("a place");
        let number = |index: usize| middle[index].as_f64().expect("a number");
        (number(0), number(1))
    }

    async fn mouse(&self, actions: Vec<PointerAction>) {
        let mouse = MouseActions::new("mouse".to_owned());
        let mouse = actions.into_iter().fold(mouse, MouseActions::then);
        self.client.perform_actions(mouse).await.expect("a mouse");
    }

    /// Takes a piece with the mouse and holds it over another board, until that shows its answer.
    async fn holds_over(&self, square: (u8, &str), board: u8) {
        let (from, name) = square;
        self.eval("scrollTo(0, 0)").await.expect("done");
        let start = self.middle(&format!("#tb-{from} [data-name={name}]")).await;
        let end = self.middle(&format!("#tb-{board} .board-box svg")).await;
        let to = |(x, y): (f64, f64)| PointerAction::MoveTo {
            duration: None,
            x,
            y,
        };
        let half = (start.0.midpoint(end.0), start.1.midpoint(end.1));
        let down = PointerAction::Down {
            button: fantoccini::actions::MOUSE_BUTTON_LEFT,
        };
        self.mouse(vec![to(start), down, to(half), to(end)]).await;
        self.until(&format!(
            "!!document.querySelector('#tb-{board} .tb-drop').textContent"
        ))
        .await;
    }

    async fn lets_go(&self) {
        self.mouse(vec![PointerAction::Up {
            button: fantoccini::actions::MOUSE_BUTTON_LEFT,
        }])
        .await;
    }

    /// All that the page and its parts contain now, fetched again, and all that the stream has sent.
    async fn everything(&self) -> String {
        let script = "const done = arguments[arguments.length - 1]; \
            const home = document.getElementById('match').dataset.home; \
            const parts = ['', '/heads', '/people', '/talk', '/log', '/board/1', '/board/2', '/board/3', \
                '/transfer', '/record.txt', '/record.json'].map(part => home + part); \
            Promise.all(parts.map(part => fetch(part).then(a => a.text()))) \
                .then(texts => done(texts.join('') + document.documentElement.outerHTML + heard.join('')))";
        let text = self.client.execute_async(script, Vec::new()).await;
        unmarked(text.expect("texts").as_str().expect("text"))
    }

    /// Listens to the stream of the page, beside the page itself.
    async fn listens(&self) {
        self.client
            .execute(
                "window.heard = []; \
                 const home = document.getElementById('match').dataset.home; \
                 window.ear = new EventSource(`${home}/live`); \
                 ear.onmessage = event => heard.push(event.data); \
                 window.listening = false; ear.onopen = () => { listening = true; }",
                Vec::new(),
            )
            .await
            .expect("a stream");
        self.until("listening").await;
    }

    /// The value of a field with a link.
    pub async fn link(&self, field: &str) -> String {
        self.until(&format!("!!document.querySelector('{field}')"))
            .await;
        self.value(field).await
    }
}

#[tokio::test]
async fn a_small_team_match_is_played_to_its_end() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [ada, ben, cleo, dora, emil, wall] =
        Person::all(&site, ["Ada", "Ben", "Cleo", "Dora", "Emil", "Wall"], true).await;
    for person in [&ada, &ben, &cleo, &dora, &emil] {
        person.signs_up(&site).await;
    }

    // Gathering: Ada is host, and White's strategist. Cleo comes late.
    ada.open("/teams").await;
    ada.fill("#title", "Owls against Foxes").await;
    ada.click("form.new button.main").await;
    let link = ada.link("#join-link").await;
    let projector = ada.link("#projector-link").await;
    ada.click("button[name=side][value=white]").await;
    ada.takes("Grand strategist").await;
    ben.joins(&link, "white").await;
    ben.takes("Board 1").await;
    dora.joins(&link, "black").await;
    dora.takes("Grand strategist").await;
    emil.joins(&link, "black").await;
    emil.takes("Board 1").await;
    ada.sees(".columns", "Emil").await;
    ada.click("#short summary").await;
    ada.click("#short button.main").await;
    for person in [&ada, &ben, &dora, &emil] {
        person.until("!!document.querySelector('#boards')").await;
    }
    cleo.joins(&link, "white").await;
    wall.open(&projector).await;
    for person in [&ada, &ben, &cleo, &dora, &emil, &wall] {
        person
            .until("document.querySelectorAll('.tb').length === 3")
            .await;
    }
    ada.sees("#log", "Cleo joined White").await;
    for person in [&ada, &dora, &emil, &wall] {
        person.listens().await;
    }

    // Secret talk of Ben and Cleo, and talk of White's team.
    ben.click("#whisper summary").await;
    ben.click("#with-5").await;
    ben.click("#whisper button").await;
    ben.sees("#talk .readers", "Cleo").await;
    ben.fill("#talk textarea", SECRET).await;
    ben.click("form[id^=say-form] button").await;
    ben.sees("#talk .lines", SECRET).await;
    cleo.click("#talk .channels a:last-child").await;
    cleo.sees("#talk .lines", SECRET).await;
    ada.click("#talk .channels a:nth-child(2)").await;
    ada.sees("#talk .readers", "Only White’s team").await;
    ada.fill("#talk textarea", TEAM).await;
    ada.click("form[id^=say-form] button").await;
    ada.sees("#talk .lines", "Watch f7").await;

    // Messages out of sight are counted until they were on the screen.
    let up = "(scrollTo(0, 0), document.getElementById('panel').scrollTop = 0)";
    ada.eval(up).await.expect("done");
    ben.click("#talk .channels a:nth-child(2)").await;
    ben.sees("#talk .readers", "Only White’s team").await;
    ben.fill("#talk textarea", "I watch it.").await;
    ben.click("form[id^=say-form] button").await;
    ada.until("document.getElementById('unread').textContent === '1'")
        .await;
    ada.eval("document.querySelector('#talk .scroll').scrollIntoView()")
        .await
        .expect("done");
    ada.until("document.getElementById('unread').hidden").await;

    // A move and a change of a rule on board 1.
    emil.looks_at(1).await;
    emil.chimes_are_counted().await;
    ben.moves_on(1, "e2", "e4").await;
    emil.until("window.chimed === 1").await;
    for person in [&ada, &cleo, &dora, &emil, &wall] {
        person.finds(1, "e4", "white pawn").await;
    }
    emil.click("#kind-N").await;
    emil.writes_betza("NW").await;
    emil.sees("#rule-in-words", "one square straight").await;
    emil.fill("#rule-words", "Knights also step.").await;
    emil.click("#rule-send").await;
    for person in [&ada, &ben, &cleo, &dora, &wall] {
        person.sees("#tb-1 .tb-mark.changed", "1").await;
    }
    wall.sees(".show-rules", "Knights also step.").await;
    wall.sees("#wall-card h2", "A rule changed on board 1")
        .await;
    wall.projected("team-projector-card").await;
    // Everyone whom it concerns gets a card, until they put it away: the opponent on that board and both strategists.
    for person in [&ada, &ben, &dora] {
        person.sees("#cards h2", "A rule changed on board 1").await;
        person.sees("#cards", "Knights also step.").await;
        person
            .until("document.querySelectorAll('#cards figure svg').length === 2")
            .await;
    }
    ben.photograph("team-card").await;
    // Cards that are put away, talk, and what the log shows leave a rule that is being written as it is.
    // Neither does news that comes while the editor is on its way.
    ben.eval(SLOW_EDITOR).await.expect("set");
    ben.eval("document.querySelector('#kind-any').click()")
        .await
        .expect("clicked");
    ben.until("window.held.length === 1").await;
    ada.fill("#talk textarea", "Which one?").await;
    ada.click("form[id^=say-form] button").await;
    ben.sees("#talk", "Which one?").await;
    ben.eval("window.letGo()").await.expect("let go");
    ben.fill("#rule-words", "Anyone may pass.").await;
    ben.until("location.search.includes('rule=')").await;
    ada.press(super::person::ESCAPE).await;
    cleo.sees("#cards h2", "Welcome to White’s team").await;
    for person in [&ben, &cleo, &dora] {
        person.click("#card-ok").await;
    }
    // An agent of the other team looks at all boards.
    cleo.sees("#cards h2", "A rule changed on board 1").await;
    cleo.click("#card-ok").await;
    for person in [&ada, &ben, &cleo, &dora, &emil] {
        person.has_no_card().await;
    }
    ben.click("#log .chips a[href*='log=news']").await;
    ben.sees("#log .events", "Emil changed a rule on board 1")
        .await;
    ben.fill("#talk textarea", "What a rule!").await;
    ben.click("form[id^=say-form] button").await;
    ben.sees("#talk", "What a rule!").await;
    ben.until("document.querySelector('#rule-words')?.value === 'Anyone may pass.'")
        .await;
    ben.eval("document.querySelector('#editor-open > .actions a, #rule-form .actions a').click()")
        .await
        .expect("cancelled");
    ben.until("!document.querySelector('#editor-open')").await;

    // A race: Ada holds the pawn over board 2 while Ben moves it. Her drag goes on, and the server says what changed.
    ada.holds_over((1, "e4"), 2).await;
    ada.sees("#tb-2 .tb-drop", "Can go here").await;
    ben.moves_on(1, "e4", "e5").await;
    ada.finds(1, "e5", "white pawn").await;
    ada.until(
        "document.body.classList.contains('dragging') && !!document.querySelector('.carried')",
    )
    .await;
    ada.lets_go().await;
    ada.sees("#notice", "Board 1 has changed since you looked at it")
        .await;
    ada.sees("#notice", "Ben played e5 on board 1").await;
    dora.finds(2, "e4", "empty").await;
    // By the mouse again, and this time the pawn is there.
    ada.holds_over((1, "e5"), 3).await;
    ada.sees("#tb-2 .tb-drop", "Can go here").await;
    ada.lets_go().await;
    for person in [&ada, &ben, &cleo, &dora, &emil, &wall] {
        person.finds(3, "e5", "white pawn").await;
        person.finds(1, "e5", "empty").await;
    }
    // The boardmen of board 3 and the other strategist are told of the transfer, and each of several cards waits.
    for person in [&ben, &dora, &emil] {
        person.sees("#cards h2", "white pawn").await;
    }
    emil.sees("#cards h2", "A white pawn left your board 1")
        .await;
    ada.photograph("team-strategist").await;
    ben.photograph("team-boardman").await;

    // Board 2 is Black's by the fool's mate; Dora takes a pawn from there to board 1, by two clicks.
    // A card that she puts away does not come back with news from before that come later.
    dora.eval(SLOW_NEWS).await.expect("set");
    ben.moves_on(2, "f2", "f3").await;
    dora.until("window.held.length > 0").await;
    dora.puts_cards_by().await;
    dora.eval("window.letGo()").await.expect("let go");
    emil.moves_on(2, "e7", "e5").await;
    dora.finds(2, "e5", "black pawn").await;
    let came = dora.eval("window.cardCame").await.expect("known");
    assert_eq!(came, false, "a card came back");
    dora.click("#take").await;
    dora.click("#tb-2 .can[data-name=e5]").await;
    dora.sees("#tb-3 .tb-verdict", "Not here: a white pawn stands on e5")
        .await;
    dora.photograph("team-transfer").await;
    dora.click("#tb-1 .tb-verdict button").await;
    dora.finds(1, "e5", "black pawn").await;
    ben.finds(2, "e5", "empty").await;
    ben.moves_on(2, "g2", "g4").await;
    emil.moves_on(2, "d8", "h4").await;
    wall.until("document.querySelector('#tb-2 .tb-long').textContent === 'Black won'")
        .await;
    let heads = "[...document.querySelectorAll('.tb-head')].map((one) => Math.round(one.getBoundingClientRect().height))";
    wall.until(&format!("new Set({heads}).size === 1")).await;

    // White elects Cleo, who takes over everything that Ada did.
    for person in [&ben, &cleo] {
        person.click("#election button[value='5']").await;
    }
    ada.sees("#log", "White elected Cleo grand strategist")
        .await;
    ada.until("!document.getElementById('match').hasAttribute('data-command')")
        .await;
    cleo.until("document.getElementById('match').hasAttribute('data-command')")
        .await;
    cleo.sees(".tm-role", "grand strategist, and play board 3")
        .await;

    // Board 1 is White's by mate, board 3 by resignation.
    for (person, from, to) in [
        (&emil, "a7", "a6"),
        (&ben, "f1", "c4"),
        (&emil, "a6", "a5"),
        (&ben, "d1", "h5"),
        (&emil, "a5", "a4"),
        (&ben, "h5", "f7"),
    ] {
        person.moves_on(1, from, to).await;
    }
    dora.looks_at(3).await;
    dora.click("#resigning summary").await;
    dora.click("#resigning button").await;
    for person in [&ada, &ben, &cleo, &dora, &emil] {
        person.sees("#status", "White won the match, 2 to 1").await;
    }
    wall.sees(".final", "White won the match, 2 to 1").await;

    // Step back through the whole match, by keys.
    cleo.eval("document.activeElement.blur()")
        .await
        .expect("done");
    cleo.press(super::person::UP).await;
    cleo.finds(1, "e2", "white pawn").await;
    cleo.sees("#status", "This is how all boards stood then")
        .await;
    cleo.press(super::person::DOWN).await;
    cleo.finds(1, "f7", "white queen").await;

    // Others never got a word of it: not on the page, not in its parts, not in the stream.
    for person in [&dora, &emil, &wall] {
        let all = person.everything().await;
        assert!(
            !all.contains(SECRET) && !all.contains("Watch f7"),
            "{}",
            person.name
        );
    }
    let all = ada.everything().await;
    assert!(!all.contains(SECRET) && all.contains("Watch f7"));
    let heard = dora.eval("heard").await.expect("a list");
    // Nor a number of it: each stream says how far the public talk and that of Black's team have come.
    let talk = |said: &Value| {
        let said = said.as_str().expect("text");
        let part = said.split('&').find_map(|part| part.strip_prefix("talk="));
        part.and_then(|part| part.split_once('_'))
            .map(|(_, talk)| talk.to_owned())
    };
    let told: Vec<_> = heard.as_array().expect("a list").iter().map(talk).collect();
    assert!(
        told.len() > 3 && told.iter().all(|one| one.as_deref() == Some("0.0_2.0")),
        "{told:?}"
    );

    wall.projected("team-projector").await;
    cleo.photograph("team-over").await;
    let late = ["the server responded with a status of 409"];
    for person in [&ada, &ben, &cleo, &dora, &emil] {
        person.has_no_complaints(&late).await;
    }
    // It asked for pages that the wall does not have.
    wall.has_no_complaints(&["the server responded with a status of 404"])
        .await;
}
