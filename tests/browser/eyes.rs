//! Pupils notice what the teacher wants, wherever they are: "Eyes up!" lies over everything, and practice calls back.

use super::device::{begins, gathered};
use super::person::Person;
use super::site::TestSite;

/// True if all that can be pressed on the screen is below the notice; otherwise what is not.
const COVERED: &str = "(() => { \
    const eyes = document.querySelector('.eyes.covers'); \
    const places = [.05, .25, .5, .75, .97].flatMap((x) => [.03, .3, .5, .7, .98].map((y) => [x * document.documentElement.clientWidth, y * document.documentElement.clientHeight])); \
    const open = places.map(([x, y]) => document.elementFromPoint(x, y)).filter((at) => !eyes?.contains(at)); \
    return open.length ? open.map((at) => at?.outerHTML.slice(0, 200)) : eyes.textContent.includes('Eyes up!'); \
    })()";

#[tokio::test]
async fn eyes_up_lies_over_everything_and_loses_nothing() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, anna, ben] = Person::all(&site, ["Tess", "Anna", "Ben"], true).await;
    gathered(&teacher, [&anna, &ben], &site).await;
    // Who practises on another page is led to the boards, and is no absent pupil meanwhile.
    ben.open("/learn/quixo/1").await;
    ben.until(
        "performance.getEntriesByType('resource').some((one) => one.name.includes('/me/called'))",
    )
    .await;
    begins(&teacher).await;
    for pupil in [&anna, &ben] {
        pupil.until("!!document.querySelector('#boards')").await;
    }
    let lesson = anna.path().await;
    assert_eq!(ben.path().await, lesson);
    teacher.open(&format!("{lesson}/control")).await;
    teacher.sees("#teams", "2 of 3 here").await;

    let text = "#talk textarea";
    for (width, height, part) in [
        (390, 664, "talk"),
        (390, 664, "people"),
        (820, 1180, "talk"),
        (1366, 768, "talk"),
    ] {
        anna.screen(width, height, false).await;
        anna.open(&lesson).await;
        anna.until("!!document.querySelector('#talk textarea')")
            .await;
        if width < 1024 {
            anna.click(&format!("#jump a[href$='#{part}']")).await;
        }
        if part == "talk" {
            anna.fill(text, "Half a word").await;
        }
        teacher.click("#status button[value=pause]").await;
        anna.until(COVERED).await;
        anna.picture(&format!("eyes-up-{part}-{width}")).await;
        // Neither keys nor the focus reach what lies below.
        anna.until("!document.activeElement.matches('textarea, button, a, input')")
            .await;
        anna.press('x').await;
        anna.press(super::TAB).await;
        anna.until("!document.activeElement.matches('textarea, button, a, input')")
            .await;
        // Whoever practises then sees it, too.
        ben.open("/learn/quixo/1").await;
        ben.until(COVERED).await;
        teacher.click("#status button[value=resume]").await;
        anna.until("!document.querySelector('.eyes > *') && !document.querySelector('[inert]')")
            .await;
        ben.until("!document.querySelector('.eyes') && !document.querySelector('[inert]')")
            .await;
        if part == "talk" {
            assert_eq!(anna.value(text).await, "Half a word", "at {width}");
            anna.holds(text).await;
        }
    }
}

/// A rule that waits for an answer is the notice itself: its words, its limits and the buttons are in sight where the
/// player stands, on every screen.
#[tokio::test]
async fn a_proposed_rule_is_answered_where_one_stands() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [hanna, white, black] = Person::all(&site, ["Hanna", "Ada", "Ben"], true).await;
    for person in [&hanna, &white, &black] {
        person.signs_up(&site).await;
    }
    hanna.open("/teams").await;
    hanna.fill("#title", "A proposal").await;
    hanna.click("form.new button.main").await;
    let link = hanna.link("#join-link").await;
    white.joins(&link, "white").await;
    black.joins(&link, "black").await;
    hanna.sees(".columns", "Ben").await;
    hanna.click("#short summary").await;
    hanna.click("#short button.main").await;
    for player in [&white, &black] {
        player.until("!!document.querySelector('#boards')").await;
    }
    let mut players = [(&white, &black, "N"), (&black, &white, "B")]
        .into_iter()
        .cycle();
    for (width, height) in [(390, 664), (390, 844), (820, 1180), (1366, 768)] {
        let (proposes, answers, piece) = players.next().expect("for ever");
        answers.screen(width, height, false).await;
        proposes.looks_at(1).await;
        proposes
            .fill("#turn", &format!("rule {piece} written \"It may pass.\""))
            .await;
        proposes.click("#turn ~ button").await;
        answers.sees(".answers", "It may pass.").await;
        for part in [
            "blockquote",
            ".limits",
            "button[value=accept]",
            "button[value=dispute]",
        ] {
            let in_sight = format!(
                "(() => {{ const box = document.querySelector('.answers {part}').getBoundingClientRect(); \
                 return box.top >= 0 && box.bottom <= innerHeight; }})()"
            );
            answers.until(&in_sight).await;
        }
        answers.picture(&format!("proposal-{width}-{height}")).await;
        answers.click(".answers button[value=accept]").await;
        answers
            .until("!document.querySelector('.answers > *')")
            .await;
    }
}
