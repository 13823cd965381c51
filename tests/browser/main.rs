//! Whole journeys through the real program in real browsers, with a real mail server.
//!
//! With `PERPLEX_TESTS_COMPLETE=1` it is a failure if Chromium, its driver or the mail server is missing; else the
//! journeys are skipped then. Screenshots of the pages are left in `target/screenshots`.

use std::io::Read as _;

#[path = "../support/mod.rs"]
mod support;

mod access;
mod chess;
mod contrast;
mod control;
mod crowd;
mod deck;
mod device;
mod eyes;
mod games;
mod keys;
mod lesson;
mod news;
mod person;
mod phone;
mod press;
mod proxy;
mod qr;
mod scriptless;
mod site;
mod tabs;
mod team;
mod twice;
mod typed;

use serde_json::json;

use person::{DOWN, ENTER, LEFT, Person, RIGHT, TAB, UP};
use site::{Mail, TestSite};

/// The shortest whole game: Crosses fill column e from below, Circles only take a5 to a1.
const CIRCLES: &str = "a5-a1";

/// Acts of people on the pages.
impl Person {
    async fn signs_up(&self, site: &TestSite) {
        self.open("/sign-up").await;
        self.fill("#name", self.name).await;
        self.fill("#email", &self.email).await;
        self.fill("#password", "a quiet evening").await;
        self.click("form.card button.main").await;
        self.sees("h1", "Check your e-mail").await;
        let mail = site.mail_about(&self.email, "Please confirm your address");
        let mail = mail.await;
        // The name is no word to the owner of the address before that is proved.
        assert!(mail.text.contains("Hello,"));
        self.open(mail.link("/verify/")).await;
        self.fill("#password", "a quiet evening").await;
        self.click("main form button.main").await;
        self.arrives("/matches").await;
        self.sees(".me", self.name).await;
    }

    /// Challenges a player by name to a game of Quixo, playing Crosses.
    async fn challenges(&self, other: &Self) {
        self.open("/lobby").await;
        self.click("#game option[value=quixo]").await;
        self.click("#side optgroup[data-game=quixo] option[value=first]")
            .await;
        self.click("#by-name").await;
        self.fill("form.new #name", other.name).await;
        self.click("form.new button.main").await;
        self.sees(".headline", "Waiting for players").await;
    }

    async fn accepts(&self, other: &Self) {
        self.open("/matches").await;
        self.sees(".row", other.name).await;
        self.click(".row a").await;
        self.sees(".headline", &format!("{} challenges you", other.name))
            .await;
        self.click("form[action$='/join'] button.main").await;
    }

    /// Waits until the page shows the match after so many turns.
    async fn is_at(&self, ply: usize) {
        self.until(&format!(
            "document.querySelector('#headed').dataset.ply === '{ply}'"
        ))
        .await;
    }

    /// Clicks on the places of a turn, until it can be confirmed.
    async fn clicks(&self, turn: &str) {
        let (from, to) = turn.split_once('-').expect("a turn");
        self.click(&format!("#board .can[data-name={from}]")).await;
        self.until(&format!(
            "!!document.querySelector('#board .chosen[data-name={from}]')"
        ))
        .await;
        self.click(&format!("#board .can[data-name={to}]")).await;
        self.sees("#play", turn).await;
    }

    async fn plays(&self, turn: &str, note: &str) {
        self.clicks(turn).await;
        if !note.is_empty() {
            self.fill("#note", note).await;
        }
        self.click("#play").await;
    }

    /// The place of the board that has the focus.
    async fn focused(&self) -> String {
        let name = "document.activeElement.closest('#board [data-name]')?.dataset.name ?? ''";
        let name = self.eval(name).await.expect("a name");
        name.as_str().expect("a name").to_owned()
    }

    /// Goes to a place of the board with the arrow keys.
    async fn walks_to(&self, name: &str) {
        let way = format!(
            "(() => {{ const to = document.querySelector('#board [data-name=\"{name}\"]');
                const middle = (e) => {{
                    const b = e.firstElementChild.getBoundingClientRect();
                    return [b.x + b.width / 2, b.y + b.height / 2]; }};
                const [x, y] = middle(document.activeElement), [tx, ty] = middle(to);
                return Math.abs(ty - y) > 5 ? (ty > y ? 'down' : 'up')
                    : Math.abs(tx - x) > 5 ? (tx > x ? 'right' : 'left') : ''; }})()"
        );
        for _ in 0..20 {
            let before = self.focused().await;
            assert!(!before.is_empty(), "the focus is not on the board");
            let key = match self.eval(&way).await.expect("a way").as_str() {
                Some("left") => LEFT,
                Some("right") => RIGHT,
                Some("up") => UP,
                Some("down") => DOWN,
                _ => break,
            };
            self.press(key).await;
            assert_ne!(self.focused().await, before, "an arrow key leads nowhere");
        }
        assert_eq!(self.focused().await, name);
    }

    /// Goes to the board with the tab key.
    async fn tabs_to_the_board(&self) {
        for tabs in 0.. {
            assert!(tabs < 60, "the board can't be reached");
            if !self.focused().await.is_empty() {
                break;
            }
            self.press(TAB).await;
        }
    }

    /// Makes a turn by the keyboard alone.
    async fn plays_by_keyboard(&self, turn: &str) {
        let (from, to) = turn.split_once('-').expect("a turn");
        self.tabs_to_the_board().await;
        self.walks_to(from).await;
        self.press(ENTER).await;
        self.until(&format!(
            "!!document.querySelector('#board .chosen[data-name={from}]')"
        ))
        .await;
        self.walks_to(to).await;
        self.press(ENTER).await;
        self.until("document.activeElement.id === 'play'").await;
        self.press(ENTER).await;
    }
}

/// The scene on the landing page goes on by itself, stops when it is told to, and does not begin by itself for a reader
/// who wants less motion.
async fn watches_the_scene(ada: &Person) {
    ada.sees("#scene-caption", "changes a rule").await;
    ada.sees("#scene-caption", "guards the pawn").await;
    ada.click("#scene-pause").await;
    for next in ["steps aside", "needed elsewhere", "to board 3", "checkmate"] {
        ada.sees("#scene-pause", "Play").await;
        ada.click("#scene-pause").await;
        ada.sees("#scene-caption", next).await;
        ada.click("#scene-pause").await;
    }
    // The bishop has come from board 1, and the queen is where it helps her.
    let stands = |board: u8, square: &str| {
        format!(
            "!!document.querySelector('#scene [data-board=\"{board}\"] [data-name={square}] use, #scene [data-board=\"{board}\"] use[data-name={square}]')"
        )
    };
    ada.until(&stands(3, "f7")).await;
    ada.until(&stands(3, "c4")).await;
    ada.until(&format!("!({})", stands(1, "c4"))).await;
    let reduce = json!({"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]});
    ada.tools("Emulation.setEmulatedMedia", reduce).await;
    ada.open("/").await;
    ada.sees("#scene-pause", "Play").await;
    ada.sees("#scene-caption", "changes a rule").await;
    ada.tools("Emulation.setEmulatedMedia", json!({"features": []}))
        .await;
}

async fn settle(site: &TestSite, ada: &Person, ben: &Person) {
    ada.open("/").await;
    ada.photograph("landing").await;
    watches_the_scene(ada).await;
    ada.signs_up(site).await;
    ben.signs_up(site).await;
    ada.challenges(ben).await;
    let challenge = site
        .mail(&ben.email, |mail| mail.subject.contains("challenges you"))
        .await;
    let page = format!("{}{}", site.url, ada.path().await);
    assert_eq!(challenge.link("/match/"), format!("{page}?sign-in"));
    // From here on no page is loaded again: changes come by themselves.
    ada.eval("window.kept = true").await.expect("set");
    ben.accepts(ada).await;
    ben.sees(".headline", "Ada’s turn").await;
    ben.eval("window.kept = true").await.expect("set");
    ada.sees(".headline", "Your turn").await;
}

/// Two people play a whole game: clicks, keys and notation, live, each told by mail.
#[tokio::test]
async fn two_people_play_by_correspondence() {
    let Some(mut site) = TestSite::open().await else {
        return;
    };
    let [ada, ben] = Person::all(&site, ["Ada", "Ben"], true).await;
    settle(&site, &ada, &ben).await;

    ada.plays("a1-e1", "Good luck, Ben!").await;
    ben.is_at(1).await;
    ben.sees("#announce", "Ada played a1-e1. Your turn.").await;
    ben.sees("#talk", "Good luck, Ben!").await;

    ben.plays_by_keyboard(CIRCLES).await;
    ada.is_at(2).await;

    // A turn typed by hand: a refusal gives the reason, and no typed text is lost.
    ada.click("#by-hand summary").await;
    ada.fill("#note", "By hand this time.").await;
    ada.fill("#turn", "c3-c1").await;
    ada.click("#by-hand .button").await;
    ada.sees("#notice", "c3").await;
    assert_eq!(ada.value("#note").await, "By hand this time.");
    assert_eq!(ada.value("#turn").await, "c3-c1");
    ada.fill("#turn", "A2 E2").await;
    ada.click("#by-hand .button").await;
    ben.is_at(3).await;
    ben.sees("#talk", "By hand this time.").await;

    // News do not disturb a person who is typing.
    ada.is_at(3).await;
    ada.fill("#text", "Half a sen").await;
    // Nor are steps forgotten that were taken on the board.
    ben.click("#board .can[data-name=a5]").await;
    ben.fill("#text", "Nice weather here.").await;
    ben.click("#talk-form button").await;
    ben.sees("#talk", "Nice weather here.").await;
    ada.sees("#talk", "Nice weather here.").await;
    ben.sees("#say", "Chosen: a5").await;
    ben.click("#board .can[data-name=a1]").await;
    ben.sees("#play", CIRCLES).await;
    ben.click("#play").await;
    ada.is_at(4).await;
    assert_eq!(ada.value("#text").await, "Half a sen");
    ada.fill("#text", "Half a sentence.").await;
    ada.click("#talk-form button").await;
    ben.sees("#talk", "Half a sentence.").await;

    two_tabs(&ada, &ben).await;

    ada.click("#board .can[data-name=a4]").await;
    ada.until("document.querySelectorAll('#board .can').length === 3")
        .await;
    ada.photograph("match-choosing").await;
    ada.click("#board .can[data-name=e4]").await;
    ada.sees("#play", "a4-e4").await;
    ada.photograph("match-trying").await;
    ada.click("#play").await;
    ben.is_at(7).await;
    ben.plays(CIRCLES, "").await;
    ada.is_at(8).await;
    ada.plays("a5-e5", "Thank you for the game.").await;
    ben.sees(".headline", "You lost").await;
    ben.sees("#talk", "Thank you for the game.").await;
    ada.sees(".headline", "You won").await;
    for person in [&ada, &ben] {
        person.until("window.kept === true").await;
        assert!(
            person
                .eval("!document.querySelector('#turn-form')")
                .await
                .expect("yes")
                == true
        );
    }

    let page = ben.path().await;
    steps_through(&ben).await;
    ben.photograph("match-over").await;
    check_mails(&site, &ada, &ben).await;
    photograph_pages(&ada, &ben).await;
    ben.has_no_complaints(&[]).await;
    ada.has_no_complaints(&["status of 422", "status of 409", "ERR_BLOCKED_BY_CLIENT"])
        .await;

    // Both have the match open; hearing each other shows that the streams of events are open.
    for (person, other, text) in [(&ada, &ben, "Again?"), (&ben, &ada, "Gladly.")] {
        person.open(&page).await;
        other.open(&page).await;
        other.fill("#text", text).await;
        other.click("#talk-form button").await;
        person.sees("#talk", text).await;
    }
    // Open streams do not delay the stop: they end properly, and are not cut off when its time is up.
    let mut stream = site.listen(&format!("{}/live", ada.path().await), &ada.cookies().await);
    let status = site.stop().await;
    assert!(status.success(), "{status}");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("its end");
    assert!(rest.ends_with("0\r\n\r\n"), "cut off after {rest:?}");
}

/// A second tab that hears nothing, not even from the first, shows an old position; one without a stream polls.
async fn two_tabs(ada: &Person, ben: &Person) {
    let page = ada.path().await;
    let first = ada.client.window().await.expect("a tab");
    let second = ada.client.new_window(true).await.expect("a tab").handle;
    ada.client.switch_to_window(second).await.expect("there");
    let second = ada.client.window().await.expect("a tab");
    let alone = json!({ "source": "delete window.BroadcastChannel" });
    ada.tools("Page.addScriptToEvaluateOnNewDocument", alone)
        .await;
    ada.block(&["*/match/*/live*", "*/match/*/heads*"]).await;
    ada.open(&page).await;
    ada.clicks("b1-b5").await;
    ada.fill("#note", "From the other tab.").await;
    ada.client
        .switch_to_window(first.clone())
        .await
        .expect("there");
    ada.plays("a3-e3", "").await;
    ben.is_at(5).await;
    ada.client.switch_to_window(second).await.expect("there");
    ada.sees("#play", "b1-b5").await;
    ada.click("#play").await;
    ada.sees("#notice", "The position has changed").await;
    ada.is_at(5).await;
    ada.sees(".headline", "Ben’s turn").await;

    ada.block(&["*/match/*/live*"]).await;
    ada.open(&page).await;
    ben.plays_by_keyboard(CIRCLES).await;
    ada.is_at(6).await;
    ada.sees(".headline", "Your turn").await;
    ada.client.close_window().await.expect("closed");
    ada.client.switch_to_window(first).await.expect("there");
    ada.is_at(6).await;
}

/// Every position has its address, and the arrow keys lead through them.
async fn steps_through(person: &Person) {
    let page = person.path().await;
    person
        .eval("document.activeElement.blur()")
        .await
        .expect("done");
    for (key, path, ply) in [
        (LEFT, "/at/8", "8 / 9"),
        (LEFT, "/at/7", "7 / 9"),
        (UP, "/at/0", "0 / 9"),
        (RIGHT, "/at/1", "1 / 9"),
        (DOWN, "", "9 / 9"),
    ] {
        person.press(key).await;
        person.sees("#stepper .where", ply).await;
        person.arrives(&format!("{page}{path}")).await;
    }
    person.open(&format!("{page}/at/1")).await;
    person.sees(".where", "1 / 9").await;
    person
        .until("/cross/i.test(document.querySelector('#board [data-name=e1]').ariaLabel)")
        .await;
    person.client.back().await.expect("back");
    person.sees(".where", "9 / 9").await;
}

async fn check_mails(site: &TestSite, ada: &Person, ben: &Person) {
    let lost = site.mail_about(&ben.email, "You lost: Quixo against Ada");
    let lost = lost.await;
    assert!(lost.text.contains("the line of Ada is"), "{}", lost.text);
    assert!(lost.text.contains("> Thank you for the game."));
    let won = site.mail_about(&ada.email, "You won: Quixo against Ben");
    won.await;
    // Each person gets one mail for each turn of the other.
    for (person, turns, other) in [(ada, 5, "Ben"), (ben, 4, "Ada")] {
        let subject = format!("Your turn: Quixo against {other}");
        let about_turns = |mail: &Mail| mail.subject == subject;
        let mails = site.mails_in_all(&person.email, turns, about_turns).await;
        assert_eq!(mails.len(), turns, "{mails:#?}");
    }
    // The challenge, four turns, the end: all have come before they are counted.
    let about_match = |mail: &Mail| mail.header("References").is_some();
    site.mails_in_all(&ben.email, 6, about_match).await;
    let mails = site.mails(&ben.email);
    let first = mails
        .iter()
        .find(|mail| mail.subject.starts_with("Your turn"))
        .expect("a mail");
    assert!(first.text.contains("Ada played a1-e1."), "{}", first.text);
    assert!(first.text.contains("> Good luck, Ben!"), "{}", first.text);
    let about_match = mails.iter().filter(|m| m.header("References").is_some());
    let about_match: Vec<_> = about_match.collect();
    assert_eq!(about_match.len(), 6, "{mails:#?}");
    for mail in &about_match {
        let thread = mail.header("References");
        assert_eq!(thread, first.header("References"));
        assert_eq!(thread, mail.header("In-Reply-To"));
        assert_eq!(
            mail.header("List-Unsubscribe-Post"),
            Some("List-Unsubscribe=One-Click")
        );
    }
    let ids: std::collections::HashSet<_> =
        mails.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!(ids.len(), mails.len());

    // One click in the mail program switches this kind of mail off, and no other.
    let off = first.header("List-Unsubscribe").expect("a link");
    let off = off.trim_matches(['<', '>']);
    let answer = site.post(off, "List-Unsubscribe=One-Click");
    assert_eq!(answer, "HTTP/1.1 200 OK");
    ben.open("/account").await;
    ben.until("document.querySelector('#mail-your-turn').value === 'never'")
        .await;
    ben.until("document.querySelector('#mail-game-over').value === 'at-once'")
        .await;
}

async fn photograph_pages(ada: &Person, ben: &Person) {
    ada.open("/lobby").await;
    ada.click("#anyone").await;
    ada.click("form.new button.main").await;
    ada.sees(".headline", "Waiting for players").await;
    ben.open("/lobby").await;
    ben.sees(".seeks", "Ada").await;
    for (path, name) in [
        ("/lobby", "lobby"),
        ("/matches", "matches"),
        ("/games", "games"),
        ("/games/quixo", "rules"),
        ("/player/Ada", "player"),
        ("/account", "account"),
        ("/nowhere", "error"),
    ] {
        ben.open(path).await;
        ben.photograph(name).await;
        ben.has_no_complaints(&["nowhere"]).await;
    }
}

/// A whole game by links and forms alone, in browsers that run no scripts.
#[tokio::test]
async fn all_of_it_works_without_scripts() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [cleo, dan] = Person::all(&site, ["Cleo", "Dan"], false).await;
    cleo.open("/").await;
    // One picture of the scene, in which a rule has just been changed.
    cleo.sees("#scene-caption", "changes a rule").await;
    cleo.signs_up(&site).await;
    dan.signs_up(&site).await;
    cleo.challenges(&dan).await;
    let page = cleo.path().await;
    dan.accepts(&cleo).await;
    dan.sees(".headline", "Cleo’s turn").await;
    // A page without scripts loads itself anew, and what was seen there is not mailed.
    dan.open("/games").await;

    // The first tab shows a turn while the second plays another.
    cleo.open(&page).await;
    cleo.clicks("c1-a1").await;
    let path = cleo.path().await;
    // The turn was put together by links.
    assert!(path.ends_with("?ply=0&step=c1&step=a1"), "{path}");
    let first = cleo.client.window().await.expect("a tab");
    let second = cleo.client.new_window(true).await.expect("a tab").handle;
    cleo.client.switch_to_window(second).await.expect("there");
    cleo.open(&page).await;
    cleo.clicks("e1-e5").await;
    cleo.fill("#note", "With a note.").await;
    cleo.click("#play").await;
    cleo.sees(".headline", "Dan’s turn").await;
    cleo.sees("#talk", "With a note.").await;
    cleo.open("/games").await;
    cleo.client.switch_to_window(first).await.expect("there");
    cleo.click("#play").await;
    cleo.sees("#notice", "The position has changed").await;
    cleo.is_at(1).await;
    cleo.open("/games").await;

    let mail = site.mail_about(&dan.email, "Your turn: Quixo against Cleo");
    let mail = mail.await;
    assert!(mail.text.contains("> With a note."), "{}", mail.text);
    dan.open(mail.link("/match/")).await;
    dan.click("#by-hand summary").await;
    dan.fill("#note", "Sorry.").await;
    dan.fill("#turn", "e5-e1").await;
    dan.click("#by-hand .button").await;
    dan.sees("#notice", "e5").await;
    assert_eq!(dan.value("#note").await, "Sorry.");
    dan.click("#resigning summary").await;
    dan.sees("#resigning", "You would lose this match.").await;
    dan.click("#resigning button").await;
    dan.sees(".headline", "You lost").await;
    // Dan saw it, so his mail about it may be dropped.
    let won = site.mail_about(&cleo.email, "You won: Quixo against Dan");
    let won = won.await;
    assert!(won.text.contains("gave up"), "{}", won.text);
    cleo.open(&page).await;
    cleo.sees(".headline", "You won").await;
    cleo.click("#stepper [data-key=ArrowUp]").await;
    cleo.arrives(&format!("{page}/at/0")).await;
    cleo.sees(".where", "0 / 1").await;
}
