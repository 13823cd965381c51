//! Many tabs of one browser, over plain http as in a school: all are live, and forms find a connection.

use serde_json::json;

use super::person::Person;
use super::site::{SCHOOL, TestSite};

/// More than the six connections that a browser opens to a server.
const TABS: usize = 12;

#[tokio::test]
async fn twelve_tabs_are_live_and_the_first_can_send() {
    let Some(site) = TestSite::open_at(SCHOOL).await else {
        return;
    };
    let [ada, ben] = Person::all(&site, ["Ada", "Ben"], true).await;
    for person in [&ada, &ben] {
        person.signs_up(&site).await;
    }
    let secure = ada.eval("isSecureContext || 'locks' in navigator").await;
    assert_eq!(secure.expect("an answer"), false);
    let mut pages = Vec::new();
    for _ in 0..2 {
        ada.challenges(&ben).await;
        pages.push(ada.path().await);
        ben.open(pages.last().expect("a match")).await;
        ben.click("#making form[action$='/join'] button").await;
        ben.sees(".headline", "Ada’s turn").await;
    }
    // Tabs of two matches, half of them beside each other and half behind.
    let mut tabs = vec![ada.client.window().await.expect("a tab")];
    ada.open(&pages[0]).await;
    for number in 1..TABS {
        let tab = ada.client.new_window(number % 2 == 0).await;
        let tab = tab.expect("a tab").handle;
        ada.faces(&tab).await;
        ada.open(&pages[number % 2]).await;
        ada.sees(".headline", "Your turn").await;
        tabs.push(tab);
    }
    // The first sends; all the others hear of it, and show it at once when they are shown.
    ada.faces(&tabs[0]).await;
    ada.plays("a1-e1", "").await;
    ben.open(&pages[0]).await;
    ben.is_at(1).await;
    for (number, tab) in tabs
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 2 == 0)
    {
        ada.faces(tab).await;
        ada.tools("Page.bringToFront", json!({})).await;
        ada.is_at(1).await;
        println!("tab {number} has it");
    }
    // Ben's answers come into the tabs of both matches, and each tab can send.
    ben.plays(super::CIRCLES, "").await;
    ada.faces(&tabs[1]).await;
    ada.plays("a1-e1", "").await;
    ben.open(&pages[1]).await;
    ben.plays(super::CIRCLES, "").await;
    for (number, tab) in tabs.iter().enumerate() {
        ada.faces(tab).await;
        ada.tools("Page.bringToFront", json!({})).await;
        ada.is_at(2).await;
        ada.sees(".headline", "Your turn").await;
        println!("tab {number} has both");
    }
}
