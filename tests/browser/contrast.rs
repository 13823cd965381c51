//! What is chosen or current, and whose it is, where the system's colours replace ours; and the links at the top of a
//! narrow screen.

use serde_json::json;

use super::access::said;
use super::person::Person;
use super::site::TestSite;

/// The pairs on the page, of something that is chosen or current and something beside it that is not, that only colours
/// tell apart; how many pairs there are.
const ALIKE: &str = "(() => {
    const told = (e) => { const s = getComputedStyle(e);
        return [s.outlineStyle, s.outlineWidth, s.textDecorationLine, s.fontWeight, s.borderBottomWidth].join(); };
    const seen = (e) => e.getClientRects().length > 0 && e !== document.activeElement;
    const alike = []; let pairs = 0;
    for (const one of document.querySelectorAll('[aria-current], [aria-pressed=true]')) {
        const kin = [...one.parentElement.parentElement.querySelectorAll(one.localName)];
        const other = kin.find((e) => seen(e) && e.className === one.className && !e.matches('[aria-current], [aria-pressed=true]'));
        if (!other || !seen(one)) continue;
        pairs += 1;
        if (told(one) === told(other)) alike.push(one.outerHTML.slice(0, 120));
    }
    return [alike, pairs];
})()";

/// The marks of White and Black on the page whose shape is the same.
const MARKS: &str = "(() => {
    const mark = (e, part) => { const s = getComputedStyle(e, part); return [s.borderRadius, s.forcedColorAdjust].join(); };
    const kinds = [['.S > .tb-dot', null], ['.tb-seat.S', '::before'], ['.members.S caption', '::before'],
        ['.column.S h3', '::before'], ['.players .S .seat', '::before']];
    const alike = []; let pairs = 0;
    for (const [selector, part] of kinds) {
        const [first, second] = ['first', 'second'].map((side) => document.querySelector(selector.replace('S', side)));
        if (!first || !second) continue;
        pairs += 1;
        if (mark(first, part) === mark(second, part)) alike.push(selector);
    }
    return [alike, pairs];
})()";

/// The links at the top that are cut, or beside the screen.
const CUT: &str = "[...document.querySelectorAll('.top a')].filter((e) => {
    const { left, right, width } = e.getBoundingClientRect();
    const within = e.closest('.links') ?? e;
    return left < 0 || right > innerWidth + .5 || width < 1 || e.scrollWidth > e.clientWidth + 1 || within.scrollWidth > within.clientWidth + 1;
}).map((e) => e.textContent)";

#[tokio::test]
async fn no_colour_tells_alone_and_no_link_is_cut() {
    let Some(site) = TestSite::open_with_a_class().await else {
        return;
    };
    let teacher = Person::new(&site, "Teacher", true).await;
    let password = said(&site, "with the password: ");
    teacher.signs_in("Teacher", password).await;
    let (_, lesson) = said(&site, "its lesson is at ")
        .split_once("/team/")
        .expect("a lesson");
    let team = format!("/team/{lesson}");
    let control = format!("{team}/control");
    for width in [390, 1366] {
        teacher.screen(width, 800, false).await;
        let forced = json!({ "features": [{ "name": "forced-colors", "value": "active" }] });
        teacher.tools("Emulation.setEmulatedMedia", forced).await;
        for (path, choices, marks) in [
            ("/matches", 1, 0),
            ("/learn/quixo/1", 1, 0),
            (control.as_str(), 2, 3),
            (team.as_str(), 1, 2),
        ] {
            teacher.open(path).await;
            let in_force = teacher
                .eval("matchMedia('(forced-colors: active)').matches")
                .await;
            assert_eq!(in_force.expect("an answer"), true);
            for (what, least) in [(ALIKE, choices), (MARKS, marks)] {
                let found = teacher.eval(what).await.expect("a list");
                assert_eq!(found[0], json!([]), "{path} at {width}");
                assert!(
                    found[1].as_u64() >= Some(least),
                    "{path} at {width}: {found}"
                );
            }
            teacher
                .picture(&format!("forced-{width}-{}", path.len()))
                .await;
        }
    }

    // A long name is no reason to hide a link.
    teacher.open("/account").await;
    teacher.fill("#name", "Maximiliane-Charlotte").await;
    teacher.click("form[action='/account/name'] button").await;
    teacher.sees(".me", "Maximiliane-Charlotte").await;
    for width in [320, 390, 1366] {
        teacher.screen(width, 800, false).await;
        for path in ["/matches", "/admin"] {
            teacher.open(path).await;
            let cut = teacher.eval(CUT).await.expect("a list");
            assert_eq!(cut, json!([]), "{path} at {width}");
            assert!(!teacher.is_too_wide(width).await, "{path} at {width}");
        }
    }
}
