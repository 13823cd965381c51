//! A lesson in which no browser runs a script: the teacher's control panel and the pupils' boards are pages of links
//! and forms.

use fantoccini::wd::WindowHandle;

use super::lesson::Hand;
use super::person::Person;
use super::site::TestSite;

const NAMES: [&str; 4] = ["Anna", "Ben", "Cem", "Dora"];

/// The pupils, each in a window of one browser.
struct Class(Vec<(Person, WindowHandle)>);

impl Class {
    /// The pupil for whom `expression` is true on a page, and who then faces it.
    async fn who(&self, page: &str, expression: &str) -> &Person {
        for (person, window) in &self.0 {
            person.faces(window).await;
            person.open(page).await;
            person.until("!!document.querySelector('#boards')").await;
            if person.eval(expression).await.expect("an answer") == true {
                return person;
            }
        }
        panic!("no person with {expression} at {page}");
    }

    /// Waits until all see this on a page.
    async fn all_see(&self, page: &str, selector: &str, text: &str) {
        for (person, window) in &self.0 {
            person.faces(window).await;
            person.open(page).await;
            person.sees(selector, text).await;
        }
    }
}

#[tokio::test]
async fn a_lesson_needs_no_scripts() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, room] = Person::all(&site, ["Tess", "Room"], false).await;
    teacher.signs_up(&site).await;

    // A class of three, and two more; all but Zoe, who only tries the card, come with the code.
    let (code, _) = Hand::of(&teacher).prepares(&NAMES[..3]).await;
    let lesson = teacher.path().await;
    let lesson = lesson.split('?').next().expect("a path").to_owned();
    teacher.click(".by a[href^='/class/']").await;
    let more = format!("{}\nZoe", NAMES[3]);
    teacher.fill("#add textarea", &more).await;
    teacher.click("#add button").await;
    teacher.sees("#h-pupils", "5 pupils").await;
    // The cards, as a camera sees them: each signs its pupil in.
    teacher.click("p.tools a[href$='/cards']").await;
    teacher.sees(".id-card", NAMES[3]).await;
    let cards = teacher.reads_cards(NAMES.len() + 1).await;
    assert_eq!(cards.len(), NAMES.len() + 1, "{cards:?}");
    let mut of_zoe = None;
    for card in &cards {
        assert!(card.starts_with(&format!("{}/card/", site.url)), "{card}");
        room.open(card).await;
        room.sees("h1", "You are").await;
        let name = room.eval("document.querySelector('h1 bdi').textContent");
        let name = name.await.expect("a name");
        if name == "Zoe" {
            of_zoe = Some(card);
        } else {
            assert!(NAMES.contains(&name.as_str().expect("text")));
        }
    }
    room.open(of_zoe.expect("a card")).await;
    room.click("main form button.main").await;
    room.sees("main .lead", "You are").await;
    let mut class = Vec::new();
    for (number, name) in NAMES.into_iter().enumerate() {
        let seat = format!("seat{number}.localhost");
        let url = site.url.replace("127.0.0.1", &seat);
        let (person, window) = room.beside(name, url).await;
        person.faces(&window).await;
        person.comes_in(&code).await;
        class.push((person, window));
    }
    let mut class = Class(class);

    // The lobby. Before typing, the page is told not to reload itself.
    let still = format!("{lesson}?still=1");
    teacher.open(&still).await;
    teacher.sees("#h-seats", "4 in the lesson").await;
    teacher.click("#settings > summary").await;
    teacher.fill("#settings #minutes", "30").await;
    teacher.click("#settings button.main").await;
    teacher.sees("#settings summary", "30 minutes").await;
    teacher.click(".begin button[value=all]").await;
    teacher
        .until("!document.querySelector(\".begin form[action*='/start'] button\").disabled")
        .await;
    // A pupil is put elsewhere: a name, then a place.
    let white =
        "document.querySelector(\"li[data-place='white:strategist'] .chip\").dataset.member";
    let before = teacher.eval(white).await.expect("a number");
    teacher
        .click("li[data-place='black:strategist'] .chip")
        .await;
    teacher.sees(".chosen", "now choose a place").await;
    teacher.click("button[value='white:strategist']").await;
    teacher.until(&format!("{white} !== {before}")).await;
    teacher.click(".begin form[action*='/start'] button").await;
    // The teacher is at the control panel then.
    teacher
        .until(&format!("location.pathname === '{lesson}/control'"))
        .await;

    // A pupil makes a turn, by links; the others find it.
    let board = format!("{lesson}?board=1&still=1");
    let can = "!!document.querySelector('#board .can[data-name=e2]')";
    let first = class.who(&board, can).await;
    first.click("#board .can[data-name=e2]").await;
    first
        .until("!!document.querySelector('#board .chosen[data-name=e2]')")
        .await;
    first.click("#board .can[data-name=e4]").await;
    first.sees("#play", "Play e4").await;
    first.click("#play").await;
    first.sees("#log", "played e4").await;
    // Another proposes a rule in words, which is disputed.
    let asked = "!!document.querySelector('#turn')";
    let second = class.who(&board, asked).await;
    // Looks at a rule card on the board, which stays in sight on a phone, and thinks better of it.
    second.screen(390, 844, false).await;
    second
        .click(".rulebook a[href*='card=jumping-bishop']")
        .await;
    second
        .sees(
            "#rule-preview",
            "The new rule counts for both sides: 2 of your pieces and 2 of theirs",
        )
        .await;
    assert_eq!(second.count("#board .last.moved").await, 4);
    second
        .until(
            "(() => { const board = document.querySelector('#board svg').getBoundingClientRect();
                const card = document.querySelector('.rule-card.chosen').getBoundingClientRect();
                return board.top >= 0 && card.top >= board.bottom && card.top + 200 < innerHeight; })()",
        )
        .await;
    second.click(".rule-card.chosen a[data-edit]").await;
    second
        .until("!document.querySelector('#rule-preview')")
        .await;
    // What the rule names is pointed out first, in sight, with the text.
    second.open(&format!("{board}&rule=*&form=written")).await;
    second.fill("#rule-words", "White may pass.").await;
    second
        .eval("document.getElementById('rule-send').scrollIntoView({ block: 'center' })")
        .await
        .expect("above the tabs");
    second.click("#rule-send").await;
    second.sees("#rule-hint", "This rule names White.").await;
    second
        .until(
            "(() => { const { top, bottom } = document.getElementById('rule-hint').getBoundingClientRect();
                return top >= 0 && bottom <= innerHeight; })()",
        )
        .await;
    second.sees("#rule-words", "White may pass.").await;
    second.sees("#rule-send", "Propose it all the same").await;
    second.click("#rule-send").await;
    second.screen(1366, 768, false).await;
    second.sees("#log", "White may pass.").await;
    let asked = "!!document.querySelector('.waits [value=dispute]')";
    let first = class.who(&board, asked).await;
    first.click(".waits [value=dispute]").await;
    first.sees("#log", "disputes").await;

    // The control panel.
    let control = format!("{lesson}/control?still=1");
    teacher.open(&control).await;
    teacher.sees("#needs", "Disputed on board 1").await;
    teacher.sees("#needs", "This rule names White.").await;
    teacher.click("#needs button[value='holds:1']").await;
    teacher.sees("#needs", "All is well").await;
    class.all_see(&board, "#log", "said yes to").await;
    // Eyes up. An untouched page reloads itself.
    let (pupil, window) = &class.0[0];
    pupil.faces(window).await;
    pupil.open(&lesson).await;
    teacher.click("#status button[value=pause]").await;
    teacher.sees("#eyes", "nothing can be played").await;
    pupil.sees("#eyes", "Eyes up!").await;
    teacher.click("#status button[value=resume]").await;
    teacher.sees("#status", "Eyes up!").await;
    // The talk is stopped, and free again.
    teacher.click("button[value='talk:frozen']").await;
    teacher
        .until("document.querySelector(\"button[value='talk:frozen']\").ariaPressed === 'true'")
        .await;
    class
        .all_see(&board, "#talk", "The teacher has stopped the talk")
        .await;
    teacher.click("button[value='talk:free']").await;
    teacher
        .until("document.querySelector(\"button[value='talk:free']\").ariaPressed === 'true'")
        .await;
    let (pupil, window) = &class.0[0];
    pupil.faces(window).await;
    pupil.open(&board).await;
    pupil.fill("#talk textarea", "Good luck!").await;
    pupil.click("form[id^=say-form] button").await;
    pupil.sees("#talk .lines", "Good luck!").await;

    // People: another name, another team, another duty, out.
    let (member, _) = teacher.mate("Dora").await;
    let menu = teacher.menu_of(&member).await;
    teacher.fill(&format!("#name-{member}"), "Dorothea").await;
    teacher.click(&format!("{menu} .renaming button")).await;
    teacher.mate("Dorothea").await;
    let side = format!("document.querySelector('#mate-{member}').closest('table').className");
    let was = teacher.eval(&side).await.expect("a side");
    teacher.menu_of(&member).await;
    teacher
        .click(&format!(
            "{menu} form[action*='/team'] > .menu > button[name=side]"
        ))
        .await;
    teacher.until(&format!("{side} !== {was}")).await;
    let (_, before) = teacher.mate("Dorothea").await;
    teacher.menu_of(&member).await;
    teacher
        .click(&format!("{menu} button[value^='give:']"))
        .await;
    teacher
        .until(&format!(
            "document.querySelector('#mate-{member} .about').textContent !== '{before}'"
        ))
        .await;
    teacher.removes("Dorothea").await;
    teacher.sees("#teams", "of 3 here").await;
    let (out, window) = class.0.pop().expect("Dora");
    out.faces(&window).await;
    out.open(&lesson).await;
    out.sees("main", "your teacher can let you in again.").await;

    // A line is taken back; the time is set, and the end comes.
    let back = "document.querySelector('#tool-1 .control-last').textContent";
    let last = teacher.eval(back).await.expect("text");
    teacher.unfolds("#back-1", "button").await;
    teacher.until(&format!("{back} !== {last}")).await;
    let left = "Number(document.querySelector('#clock').dataset.left)";
    let before = teacher.eval(left).await.expect("seconds");
    teacher.click("#status button[value='more:300']").await;
    teacher.until(&format!("{left} > {before} + 100")).await;
    teacher.fill("#status #minutes", "many").await;
    teacher.click("#status button[value=left]").await;
    teacher.sees("#notice", "how many minutes").await;
    teacher.fill("#status #minutes", "20").await;
    teacher.click("#status button[value=left]").await;
    teacher.until(&format!("{left} <= 1200")).await;
    teacher.unfolds("#stopping", "button").await;
    teacher.sees("#needs", "It is over").await;
    class
        .all_see(&lesson, "#status", "The match is drawn")
        .await;
    teacher.click("#status a[href$='/report']").await;
    teacher.sees("main", "Who did what").await;
    teacher.sees("main", "Anna").await;
}
