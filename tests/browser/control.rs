//! A host at the control panel, while a filter on the way swallows one page's stream of events, and another's is cut
//! off.

use super::ENTER;
use super::person::Person;
use super::proxy::{Way, proxy};
use super::site::TestSite;

#[tokio::test]
async fn a_host_keeps_order_through_filters() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [hanna, ada, ben, wall] = Person::all(&site, ["Hanna", "Ada", "Ben", "Wall"], true).await;
    for person in [&hanna, &ada, &ben] {
        person.signs_up(&site).await;
    }
    hanna.open("/teams").await;
    hanna.fill("#title", "A lesson").await;
    hanna.click("form.new button.main").await;
    let link = hanna.link("#join-link").await;
    let projector = hanna.link("#projector-link").await;
    let home = hanna.path().await;
    ada.joins(&link, "white").await;
    ben.joins(&link, "black").await;
    hanna.sees(".columns", "Ben").await;
    hanna.click("#short summary").await;
    hanna.click("#short button.main").await;
    hanna.until("!!document.querySelector('#boards')").await;
    // Where a stream gets through no page needs to poll: these two would hear nothing by polling.
    for person in [&hanna, &wall] {
        person.block(&["*/team/*/heads*"]).await;
    }
    wall.open(&projector).await;

    // Ada's stream is swallowed on its way, Ben's is cut off.
    let through = proxy(&site.url, Way::WithoutStreams);
    ada.open(&format!("{through}{home}")).await;
    ben.block(&["*/team/*/live*"]).await;
    ben.open(&home).await;
    for person in [&ada, &ben] {
        person
            .until("document.querySelectorAll('.tb').length === 3")
            .await;
    }

    // The control panel, by keys alone: eyes up, on every screen.
    hanna.open(&format!("{home}/control")).await;
    hanna.sees("#teams", "Ada").await;
    hanna.sees("#teams", "2 of 2 here").await;
    hanna.tabs_to(".control-do .large").await;
    hanna.press(ENTER).await;
    for person in [&ada, &ben, &wall, &hanna] {
        person.sees("#eyes", "Eyes up!").await;
    }
    wall.projected("team-eyes-up").await;
    ada.photograph("team-eyes-up").await;
    hanna.sees(".control-do .large", "Go on").await;
    hanna.tabs_to(".control-do .large").await;
    hanna.press(ENTER).await;
    for person in [&ada, &ben, &wall] {
        person
            .until("!document.querySelector('#eyes').textContent.trim()")
            .await;
    }

    // A move is taken back; players who saw it see it go.
    ada.moves_on(1, "e2", "e4").await;
    ben.finds(1, "e4", "white pawn").await;
    hanna.sees("#tool-1", "Ada played e4").await;
    hanna.click("#back-1 summary").await;
    hanna.click("#back-1 button").await;
    for person in [&ada, &ben] {
        person.finds(1, "e2", "white pawn").await;
    }
    hanna.sees("#tool-1", "The host took back").await;

    // Something rude is removed, and then all choose from phrases.
    ben.click("#talk .channels a:nth-child(1)").await;
    ben.fill("#talk textarea", "You smell").await;
    ben.click("form[id^=say-form] button").await;
    hanna.sees("#talk .lines", "You smell").await;
    hanna.click("#talk .removal button").await;
    hanna.sees("#talk .lines", "removed by the host").await;
    ben.sees("#talk .lines", "removed by the host").await;
    hanna.click("button[value='talk:phrases']").await;
    ben.until("!!document.querySelector('.phrases')").await;
    ben.click(".phrases #say-Thanks summary").await;
    ben.click(".phrases button[value=sorry]").await;
    hanna.sees("#talk .lines", "Sorry!").await;
    hanna.click("button[value='talk:frozen']").await;
    for person in [&ada, &ben] {
        person.sees("#talk", "The host has stopped the talk").await;
    }
    hanna.photograph("team-control").await;

    // Both pages have heard all of it by polling.
    let asked = "performance.getEntriesByType('resource').some(({ name }) => name.includes('/heads?wait='))";
    for person in [&ada, &ben] {
        person.until(asked).await;
    }
    // The end, after a question.
    hanna.click("#stopping summary").await;
    hanna.click("#stopping button").await;
    for person in [&ada, &ben] {
        person.sees("#status", "The match is drawn").await;
    }
    wall.sees(".final", "The match is drawn").await;
    hanna.has_no_complaints(&["ERR_BLOCKED_BY_CLIENT"]).await;
    ada.has_no_complaints(&[]).await;
    ben.has_no_complaints(&["ERR_BLOCKED_BY_CLIENT"]).await;
}
