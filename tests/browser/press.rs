//! Presses while the page renews itself under the finger: none may be lost, nor any text typed meanwhile.

use std::time::Duration;

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions, MouseActions, PointerAction};
use serde_json::json;

use super::access::said;
use super::person::{Person, SPACE};
use super::site::TestSite;

const PRESSES: u64 = 300;
/// Every second press lasts as long as that of a person who thinks; the others are as short as they get.
const LONG: Duration = Duration::from_millis(500);

/// The elements to press in turn on the control panel: buttons, links, summaries.
const PRESSED: &str = ".control button, #teams .mate-of, #talk .channels a, .control summary";

/// Counts presses, and the clicks on the pressed elements, which have no other effect. Makes the parts that are
/// fetched at intervals come all the time, each time with something new before all their content; and every third
/// time all buttons are new ones.
const RENEWING: &str = r#"(() => {
    Object.assign(window, { pressed: 0, clicked: 0, renewed: 0, aimed: null });
    const hit = ({ target }) => {
        const e = target.closest('button, a, summary');
        return e && [e.localName, e.id, e.name, e.value, e.textContent].join('|');
    };
    const press = (event) => {
        window.aimed = hit(event);
        if (window.aimed) window.pressed += 1;
    };
    addEventListener('pointerdown', press, true);
    addEventListener('keydown', (event) => event.key === ' ' && press(event), true);
    addEventListener('click', (event) => {
        if (window.aimed && hit(event) === window.aimed) window.clicked += 1;
        event.preventDefault();
        event.stopImmediatePropagation();
    }, true);
    const fetched = window.fetch;
    window.fetch = async (...all) => {
        const answer = await fetched(...all);
        const text = answer.text.bind(answer);
        answer.text = async () => {
            window.renewed += 1;
            const news = '<p class="about">News</p>'.repeat(1 + window.renewed % 3);
            const all = (await text()).replace(/(<section[^>]*>)/g, `$1${news}${window.renewed}`);
            return window.renewed % 3 ? all : all.replaceAll('<button ', '<button data-key="other" ');
        };
        return answer;
    };
    setInterval(() => document.dispatchEvent(new Event('visibilitychange')), 100);
    return true;
})()"#;

/// The middle of one of the elements to press, in sight, or its upper or lower edge.
fn aim(at: u64) -> String {
    format!(
        "(() => {{ const all = [...document.querySelectorAll({})].filter((e) => e.getClientRects().length);
            const one = all[{at} % all.length];
            one.scrollIntoView({{ block: 'center' }});
            const {{ x, width, top, bottom }} = one.getBoundingClientRect();
            return [x + width / 2, [(top + bottom) / 2, Math.ceil(top), Math.ceil(bottom) - 1][{at} % 3]]; }})()",
        json!(PRESSED)
    )
}

/// Presses there with the mouse; false if the place is out of sight by now.
async fn presses(person: &Person, (x, y): (f64, f64), long: bool) -> bool {
    let mut mouse = MouseActions::new("mouse".to_owned())
        .then(PointerAction::MoveTo {
            duration: None,
            x,
            y,
        })
        .then(PointerAction::Down { button: 0 });
    if long {
        mouse = mouse.then(PointerAction::Pause { duration: LONG });
    }
    let mouse = mouse.then(PointerAction::Up { button: 0 });
    match person.client.perform_actions(mouse).await {
        Ok(()) => true,
        Err(error) if error.to_string().contains("out of bounds") => false,
        Err(error) => panic!("a press: {error}"),
    }
}

/// Holds the space bar down on the element with the focus.
async fn holds_space(person: &Person) {
    let keys = KeyActions::new("keyboard".to_owned())
        .then(KeyAction::Down { value: SPACE })
        .then(KeyAction::Pause { duration: LONG })
        .then(KeyAction::Up { value: SPACE });
    person.client.perform_actions(keys).await.expect("a key");
}

#[tokio::test]
async fn no_press_is_lost_while_the_page_renews_itself() {
    let Some(site) = TestSite::open_with_a_class().await else {
        return;
    };
    let teacher = Person::new(&site, "Teacher", true).await;
    let password = said(&site, "with the password: ");
    teacher.signs_in("Teacher", password).await;
    let lesson = said(&site, "its lesson is at ");
    let (_, team) = lesson.split_once("/team/").expect("a lesson");
    teacher.open(&format!("/team/{team}/control")).await;
    teacher.sees("#teams", "Turns").await;
    teacher.fill("#talk textarea", "Half a sen").await;
    teacher
        .eval("document.querySelector('#talk textarea').setSelectionRange(2, 6) ?? true")
        .await
        .expect("selected");
    teacher.eval(RENEWING).await.expect("set");
    teacher.until("window.renewed > 20").await;

    // A field that is being typed in keeps its text, its selection and the focus.
    let kept = "[document.activeElement.name, document.activeElement.value,
        document.activeElement.selectionStart, document.activeElement.selectionEnd]";
    let kept = teacher.eval(kept).await.expect("a field");
    assert_eq!(kept, json!(["text", "Half a sen", 2, 6]));

    let number = async |name: &str| {
        let value = teacher.eval(&format!("window.{name}")).await;
        value.expect("a number").as_u64().expect("a number")
    };
    let mut by_mouse = 0;
    for at in 0.. {
        assert!(at < 3 * PRESSES, "only {by_mouse} presses hit something");
        if by_mouse == PRESSES {
            break;
        }
        let place = teacher.eval(&aim(at)).await.expect("a place");
        let place = (
            place[0].as_f64().expect("a number"),
            place[1].as_f64().expect("a number"),
        );
        let before = number("pressed").await;
        let is_there = presses(&teacher, place, by_mouse % 2 == 0).await;
        // The page may have changed between aiming and pressing.
        if is_there && number("pressed").await > before {
            by_mouse += 1;
        }
    }
    for at in 0..10 {
        let focus = format!("document.querySelectorAll('.control button')[{at}].focus() ?? true");
        teacher.eval(&focus).await.expect("focused");
        holds_space(&teacher).await;
    }
    let all = number("pressed").await;
    assert!(all >= PRESSES);
    assert_eq!(number("clicked").await, all, "clicks are lost");
    assert!(
        number("renewed").await > all,
        "the page does not renew itself"
    );
}
