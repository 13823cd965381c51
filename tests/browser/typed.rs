//! What was typed stays, when somebody signs in or out in another tab.

use fantoccini::wd::WindowHandle;

use super::access::said;
use super::person::Person;
use super::site::TestSite;

const LETTER: &str = "Thank you for the game, I enjoyed it very much.";

/// A browser with a page in one tab and another to sign in and out.
struct Tabs<'a> {
    person: &'a Person,
    page: WindowHandle,
    other: WindowHandle,
}

impl<'a> Tabs<'a> {
    async fn of(person: &'a Person) -> Self {
        let page = person.client.window().await.expect("a tab");
        let other = person.client.new_window(true).await.expect("a tab").handle;
        person.faces(&page).await;
        Self {
            person,
            page,
            other,
        }
    }

    async fn signs_out(&self) {
        self.person.faces(&self.other).await;
        self.person.open("/account").await;
        self.person.click("form[action='/sign-out'] button").await;
        self.person
            .until("!!document.querySelector('a.me[href^=\"/sign-in\"]')")
            .await;
        self.person.faces(&self.page).await;
    }

    async fn signs_in(&self, login: &str, password: &str) {
        self.person.faces(&self.other).await;
        self.person.signs_in(login, password).await;
        self.person.faces(&self.page).await;
    }
}

/// A letter in the talk of a match, which scripts send.
#[tokio::test]
async fn a_letter_stays_when_its_writer_signs_out_elsewhere() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [ada, ben] = Person::all(&site, ["Ada", "Ben"], true).await;
    for person in [&ada, &ben] {
        person.signs_up(&site).await;
    }
    ada.challenges(&ben).await;
    let page = ada.path().await;
    ben.accepts(&ada).await;
    let tabs = Tabs::of(&ada).await;
    for width in [390, 1366] {
        ada.screen(width, 800, false).await;
        ada.open(&page).await;
        let letter = format!("{LETTER} {width}");
        ada.fill("#talk-form [name=text]", &letter).await;
        tabs.signs_out().await;
        ada.click("#talk-form button").await;
        ada.sees("#notice", "You are not signed in any more").await;
        assert_eq!(ada.value("#talk-form [name=text]").await, letter);
        assert_eq!(ada.path().await, page);
        ada.picture(&format!("typed-{width}")).await;
        tabs.signs_in("Ada", "a quiet evening").await;
        ada.click("#talk-form button").await;
        ada.sees("#talk", &letter).await;

        // Somebody else at the same computer.
        ada.fill("#talk-form [name=text]", "Anna wrote this").await;
        tabs.signs_out().await;
        tabs.signs_in("Ben", "a quiet evening").await;
        ada.click("#talk-form button").await;
        ada.sees("#notice", "You are signed in as Ben now").await;
        assert_eq!(ada.value("#talk-form [name=text]").await, "Anna wrote this");
        ada.click("#talk-form button").await;
        ada.sees("#talk .yours:last-child .about", "Ben").await;
        tabs.signs_out().await;
        tabs.signs_in("Ada", "a quiet evening").await;
    }
}

/// The names of a new class, which the browser sends itself.
#[tokio::test]
async fn a_list_of_names_stays_with_and_without_scripts() {
    let Some(site) = TestSite::open_with_a_class().await else {
        return;
    };
    let password = said(&site, "with the password: ");
    let names: Vec<String> = (1..=28).map(|pupil| format!("Pupil {pupil}")).collect();
    let names = names.join("\n");
    for (name, scripts) in [("Scripts", true), ("Plain", false)] {
        let teacher = Person::new(&site, name, scripts).await;
        teacher.signs_in("Teacher", password).await;
        let tabs = Tabs::of(&teacher).await;
        for width in [390, 1366] {
            teacher.screen(width, 800, false).await;
            teacher.open("/classes").await;
            teacher
                .fill("form[action='/classes'] [name=name]", "7B")
                .await;
            teacher
                .fill("form[action='/classes'] textarea", &names)
                .await;
            tabs.signs_out().await;
            teacher.click("form[action='/classes'] button.main").await;
            teacher.sees("h1", "Not sent yet").await;
            teacher
                .sees(".lead", "You are not signed in any more")
                .await;
            assert!(!teacher.is_too_wide(width).await, "at {width}");
            teacher.picture(&format!("again-{name}-{width}")).await;
            tabs.signs_in("Teacher", password).await;
            teacher.click("form.card button.main").await;
            teacher.sees(".lead", "You are signed in as Teacher").await;
            assert_eq!(teacher.value("[name=names]").await.trim(), names.trim());
            teacher.click("form.card button.main").await;
            teacher.sees("#h-pupils", "28 pupils").await;
        }
    }
}
