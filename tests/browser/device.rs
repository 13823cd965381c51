//! Tablets of a school: one that has slept, and one that several pupils share.

use serde_json::json;

use super::lesson::Hand;
use super::person::Person;
use super::site::TestSite;

/// Two hours later the tablet wakes: its requests from here on are recorded.
const WAKES: &str = "window.asked = []; \
    const ask = window.fetch; \
    window.fetch = (...what) => { asked.push(String(what[0])); return ask(...what); }; \
    const now = Date.now; \
    Date.now = () => now() + 2 * 3600 * 1000;";

impl Person {
    /// Connects the browser, or disconnects it.
    async fn connects(&self, connected: bool) {
        self.tools("Network.enable", json!({})).await;
        let conditions = json!({
            "offline": !connected, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1
        });
        self.tools("Network.emulateNetworkConditions", conditions)
            .await;
    }

    /// Comes in as another pupil on this device: picks the name, and types the words on the card.
    async fn hands_on_to(&self, name: &str, phrase: &str) {
        self.click(".who summary").await;
        self.click(".who a[href^='/sign-in']").await;
        let button = format!(
            "[...document.querySelectorAll('.picks button')].find((one) => one.textContent.startsWith('{name}'))"
        );
        self.until(&format!("!!{button}")).await;
        self.eval(&format!("{button}.click()")).await.expect("done");
        self.fill("#phrase", phrase).await;
        self.click("main form.card button").await;
    }

    /// Goes on as another pupil who is signed in on this device; if the device was the other team's, with the three
    /// words.
    async fn turns_to(&self, name: &str, words: &str) {
        self.click(".who summary").await;
        let button = format!(
            "[...document.querySelectorAll('.who button[name=session]')].find((one) => one.textContent === 'Switch to {name}')"
        );
        self.until(&format!("!!{button}")).await;
        self.eval(&format!("{button}.click()")).await.expect("done");
        self.until(&format!(
            "!!document.querySelector('#phrase') || document.querySelector('.who summary').textContent.includes('{name}')"
        ))
        .await;
        if self.count("#phrase").await > 0 {
            self.fill("#phrase", words).await;
            self.click("main form button.main").await;
        }
        self.sees(".who summary", name).await;
    }
}

/// A lesson of three that has begun; gives its address.
async fn begun(teacher: &Person, pupils: [&Person; 2], site: &TestSite) -> String {
    gathered(teacher, pupils, site).await;
    begins(teacher).await;
    for person in pupils {
        person.until("!!document.querySelector('#boards')").await;
    }
    pupils[0].path().await
}

/// A lesson of three that waits for its beginning: two have come.
pub async fn gathered(teacher: &Person, pupils: [&Person; 2], site: &TestSite) {
    teacher.signs_up(site).await;
    let names = [pupils[0].name, pupils[1].name, "Cem"];
    let (code, _) = Hand::of(teacher).prepares(&names).await;
    for pupil in pupils {
        pupil.comes_in(&code).await;
    }
    teacher.sees("#h-seats", "2 in the lesson").await;
    teacher.click("#absent > summary").await;
    teacher.click("#absent button").await;
    teacher.sees("#h-seats", "3 in the lesson").await;
}

/// All are seated, and the lesson begins.
pub async fn begins(teacher: &Person) {
    teacher.click(".begin button[value=all]").await;
    let start = ".begin form[action*='/start'] button";
    teacher
        .until(&format!("!document.querySelector(\"{start}\").disabled"))
        .await;
    teacher.click(start).await;
    teacher.sees("#h-teams", "People").await;
}

#[tokio::test]
async fn a_tablet_that_slept_asks_once() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, streamed, blocked] = Person::all(&site, ["Tess", "Anna", "Ben"], true).await;
    blocked.block(&["*/team/*/live*"]).await;
    let lesson = begun(&teacher, [&streamed, &blocked], &site).await;
    teacher.open(&format!("{lesson}/control")).await;
    for pupil in [&streamed, &blocked] {
        pupil.connects(false).await;
    }
    // Meanwhile there are more changes than a page would fetch part by part.
    teacher.click("#status button[value=pause]").await;
    teacher.sees("#eyes", "nothing can be played").await;
    teacher.click("#status button[value='more:300']").await;
    teacher.click("button[value='talk:frozen']").await;
    teacher
        .until("document.querySelector(\"button[value='talk:frozen']\").ariaPressed === 'true'")
        .await;
    for pupil in [&streamed, &blocked] {
        assert_eq!(pupil.count("#eyes p").await, 0, "{} is asleep", pupil.name);
        pupil.client.execute(WAKES, Vec::new()).await.expect("done");
        pupil.connects(true).await;
        pupil
            .eval("document.dispatchEvent(new Event('visibilitychange'))")
            .await
            .expect("done");
        pupil.sees("#eyes", "Eyes up!").await;
        pupil
            .sees("#talk", "The teacher has stopped the talk")
            .await;
        pupil.is_as_fresh().await;
        // Listening does not count, nor do this test's own requests, which have the whole address.
        let asked = "asked.filter((one) => one.startsWith('/') && !/\\/(heads|live)\\b/.test(one))";
        let asked = pupil.eval(asked).await.expect("a list");
        let asked: Vec<String> = serde_json::from_value(asked).expect("a list");
        // The page once, and a part only if there was a change since.
        let (page, parts): (Vec<&str>, Vec<&str>) = asked
            .iter()
            .map(|one| one.split('?').next().unwrap_or_default())
            .partition(|path| *path == lesson);
        assert_eq!(page.len(), 1, "{} asks for {asked:?}", pupil.name);
        let numbers = "fetch(location.pathname + '/heads').then((answer) => answer.text()).then((now) => now.trim())";
        let numbers = pupil.eval(numbers).await.expect("numbers");
        let known = "document.getElementById('match').dataset.heads";
        let known = pupil.eval(known).await.expect("numbers");
        assert!(
            parts.is_empty() || numbers != known,
            "{} asks for {parts:?}, though nothing has happened",
            pupil.name
        );
    }
    // A pupil who is taken out is told so, without a request.
    for pupil in [&streamed, &blocked] {
        teacher.removes(pupil.name).await;
        pupil
            .sees("main", "Your teacher has taken you out of this lesson")
            .await;
    }
    for pupil in [&streamed, &blocked] {
        teacher.unfolds("#outside", "button").await;
        teacher.mate(pupil.name).await;
        pupil.click("main .actions a.main").await;
        pupil.until("!!document.querySelector('#boards')").await;
    }
}

#[tokio::test]
async fn a_device_is_handed_on() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, anna, ben] = Person::all(&site, ["Tess", "Anna", "Ben"], true).await;
    let lesson = begun(&teacher, [&anna, &ben], &site).await;
    teacher.open("/classes").await;
    teacher.click("main a[href^='/class/']").await;
    teacher.click("p.tools a[href$='/cards']").await;
    let card = async |name: &str| {
        let card = format!(
            "[...document.querySelectorAll('.id-card')].find((card) => card.querySelector('.name').textContent === '{name}')\
                ?.querySelectorAll('dd')[1].textContent ?? ''"
        );
        teacher.until(&format!("({card}) !== ''")).await;
        let text = teacher.eval(&card).await.expect("text");
        text.as_str().expect("text").to_owned()
    };

    // Cem has no device, and Ben comes to Anna's, too.
    for name in ["Cem", "Ben"] {
        anna.hands_on_to(name, &card(name).await).await;
        anna.arrives(&lesson).await;
        anna.sees(".who summary", name).await;
        anna.sees("#people .tag", "you").await;
    }
    let you = "document.querySelector('#people .holder:has(.tag)').textContent";
    // Each finds their own place at the boards, and no pupil is signed out.
    for name in ["Anna", "Cem", "Ben", "Anna"] {
        anna.turns_to(name, &card(name).await).await;
        anna.arrives(&lesson).await;
        anna.until(&format!("{you}.includes('{name}')")).await;
        anna.is_as_fresh().await;
    }
    // Ben’s own device came by the code alone: since the words were typed elsewhere, it is signed out.
    ben.open(&lesson).await;
    ben.until("!document.querySelector('#people .tag')").await;
    // One leaves the device; the others are still there.
    anna.click(".who summary").await;
    anna.click(".who form[action='/sign-out'] button:not([name])")
        .await;
    anna.sees(".who summary", "Who plays?").await;
    anna.turns_to("Cem", &card("Cem").await).await;
    anna.arrives(&lesson).await;
    anna.until(&format!("{you}.includes('Cem')")).await;
    // Signing out on a shared device clears the browser's storage; the browser reports that, but not as a complaint.
    anna.has_no_complaints(&[]).await;
}

/// A tablet dies in the middle of the lesson: on another one the name needs the teacher's approval, and no more.
#[tokio::test]
async fn a_dead_tablet_locks_nobody_out() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, anna, ben, spare] =
        Person::all(&site, ["Tess", "Anna", "Ben", "Spare"], true).await;
    let lesson = begun(&teacher, [&anna, &ben], &site).await;
    teacher.open(&format!("{lesson}/lesson")).await;
    let code = teacher.reads_code().await;
    teacher.open(&format!("{lesson}/control")).await;
    let picks = async |name: &str| {
        spare.open(&format!("/join/{code}")).await;
        let button = format!(
            "[...document.querySelectorAll('.picks button')].find((one) => one.textContent.startsWith('{name}'))"
        );
        spare.until(&format!("!!{button}")).await;
        let click = format!("{button}.click()");
        spare.eval(&click).await.expect("done");
        spare.sees("#waiting", "Your teacher sees").await;
    };
    // The field for the code is in sight on a small phone.
    spare.screen(390, 664, false).await;
    spare.open("/").await;
    let bottom = "document.getElementById('code').getBoundingClientRect().bottom <= innerHeight";
    spare.until(bottom).await;
    let top = "document.getElementById('boards').getBoundingClientRect().top + scrollY";
    let before = teacher.eval(top).await.expect("a place");
    // Ben’s tablet is dead; a stranger would not get in.
    picks("Ben").await;
    spare.photograph("door-pupil").await;
    let told = "Ben wants to come in on another device.";
    teacher.sees("#door", told).await;
    // The boards of the control panel stay where they were.
    assert_eq!(teacher.eval(top).await.expect("a place"), before);
    teacher.photograph("door-control").await;
    teacher.click("#door button[value^='no:']").await;
    spare.sees("#waiting", "has said no for now").await;
    spare.photograph("door-refused").await;
    spare.click("#waiting button").await;
    teacher.sees("#door", told).await;
    // On the page of the match as well.
    teacher.open(&lesson).await;
    teacher.sees("#door", told).await;
    teacher.photograph("door-match").await;
    teacher.click("#door button[value^='in:']").await;
    spare.arrives(&lesson).await;
    spare.sees(".who summary", "Ben").await;
    teacher
        .until("!document.querySelector('#door .knock')")
        .await;
    // Latecomers wait, until the teacher lets them in without approval.
    teacher.open(&format!("{lesson}/control")).await;
    teacher
        .sees("#door", "Latecomers wait until you let them in.")
        .await;
    teacher.click("#door button[value='late:in']").await;
    teacher.sees("#door", "Latecomers come in at once.").await;
    for person in [&teacher, &spare] {
        person.has_no_complaints(&[]).await;
    }
}

/// The server can save nothing for a while: input stays, and is sent again by itself; without scripts nothing is lost
/// either.
#[tokio::test]
async fn what_cannot_be_saved_is_sent_again() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [finn, nell] = [
        Person::new(&site, "Finn", true).await,
        Person::new(&site, "Nell", false).await,
    ];
    let says = "Perplex can’t save that right now. Stay on this page: it is sent again by itself.";
    for person in [&finn, &nell] {
        person.signs_up(&site).await;
        person.open("/lobby").await;
        person.click("#game option[value=quixo]").await;
        person.click("#by-computer").await;
        person.click("#level option[value=easy]").await;
        person.click("form.new button.main").await;
        person.sees(".status", "Your turn").await;
    }
    // If the computer begins, it has made its turn by now.
    let ply = async |person: &Person| {
        let ply = "Number(document.getElementById('headed').dataset.ply)";
        person.number(ply).await
    };
    let before = ply(&finn).await;
    // After each choice the page comes anew: then there is a place to choose, or a whole turn to play.
    let next = "document.getElementById('play') ? '' : \
        document.querySelector('#board a.can[data-name]')?.dataset.name";
    loop {
        finn.until(&format!("({next}) !== undefined")).await;
        match finn.eval(next).await.expect("an answer").as_str() {
            Some("") => break,
            Some(name) => finn.click(&format!("#board [data-name='{name}']")).await,
            None => {}
        }
    }
    let turn = finn
        .eval("document.getElementById('play').textContent")
        .await;
    let lock = site.saves_nothing();
    finn.click("#play").await;
    finn.sees("#notice", says).await;
    finn.photograph("cannot-save").await;
    // The chosen turn is still there.
    finn.sees("#play", turn.expect("a turn").as_str().expect("text"))
        .await;
    finn.fill("#text", "Good luck to both of us").await;
    finn.click("#talk-form button").await;
    nell.fill("#text", "Good luck to both of us").await;
    nell.click("#talk-form button").await;
    nell.sees("h1", "One moment, please").await;
    nell.photograph("cannot-save-scriptless").await;
    assert_eq!(nell.value("textarea").await, "Good luck to both of us");
    let value = finn.value("#text").await;
    assert_eq!(value, "Good luck to both of us");
    drop(lock);
    finn.until(&format!(
        "Number(document.getElementById('headed').dataset.ply) > {before}"
    ))
    .await;
    finn.sees("#talk", "Good luck to both of us").await;
    finn.until("document.getElementById('text').value === ''")
        .await;
    assert_eq!(finn.count("#talk li").await, 1);
    assert_eq!(finn.count("#notice .bad").await, 0);
    nell.click("main form button").await;
    nell.sees("#talk", "Good luck to both of us").await;
    finn.has_no_complaints(&["503"]).await;
}
