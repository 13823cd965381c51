//! The rehearsal of a lesson: a teacher who has never seen it, twenty pupils from one address, a projector; streams of
//! events are blocked for half of the pupils.

use fantoccini::wd::WindowHandle;
use serde_json::json;

use super::crowd;
use super::person::Person;
use super::site::TestSite;

const PUPILS: [&str; 20] = [
    "Amir", "Bela", "Carla", "Dina", "Emil", "Finn", "Greta", "Hugo", "Ines", "Jona", "Kian",
    "Lia", "Mara", "Nils", "Olga", "Paul", "Rosa", "Sami", "Tilda", "Uma",
];

/// The teacher's actions: each click counts, and each field that is filled in.
pub struct Hand<'a> {
    person: &'a Person,
    actions: u32,
}

impl<'a> Hand<'a> {
    pub fn of(person: &'a Person) -> Self {
        Self { person, actions: 0 }
    }

    async fn clicks(&mut self, selector: &str) {
        self.actions += 1;
        self.person.click(selector).await;
    }

    async fn fills(&mut self, selector: &str, text: &str) {
        self.actions += 1;
        self.person.fill(selector, text).await;
    }

    /// From a new class to the lobby; gives the code and the projector's address.
    pub async fn prepares(&mut self, names: &[&str]) -> (String, String) {
        self.clicks("header nav a[href='/classes']").await;
        self.fills("#name", "Class 7b").await;
        self.fills("#names", &names.join("\n")).await;
        self.clicks("#new button.main").await;
        self.person
            .sees("#h-pupils", &format!("{} pupils", names.len()))
            .await;
        self.clicks("#lessons button.main").await;
        self.person.sees("#h-code", "Pupils go to").await;
        let said = async |expression| {
            let said = self.person.eval(expression).await.expect("an answer");
            said.as_str().expect("text").trim().to_owned()
        };
        let code = said("document.querySelector('.entrance .code').textContent").await;
        let wall = said("document.querySelector('.entrance .actions a').href").await;
        (code, wall)
    }
}

impl Person {
    /// Reads the code of a lesson from its teacher's page.
    pub async fn reads_code(&self) -> String {
        let code = "document.querySelector('.entrance .code').textContent.replaceAll(' ', '')";
        let code = self.eval(code).await.expect("a code");
        code.as_str().expect("text").to_owned()
    }

    /// Joins with the code and picks their own name.
    pub async fn comes_in(&self, code: &str) {
        self.open("/join").await;
        self.fill("#code", code).await;
        self.click("main form button.main").await;
        self.sees(".picks button", self.name).await;
        let pick = format!(
            "[...document.querySelectorAll('.picks button')].findIndex(b => b.textContent.trim() === {})",
            json!(self.name)
        );
        let pick = self.eval(&pick).await.expect("a number");
        let pick = pick.as_i64().expect("a number") + 1;
        self.click(&format!(".picks button:nth-of-type({pick})"))
            .await;
        self.sees("#gather", &format!("You are in, {}", self.name))
            .await;
    }

    /// Opens folded details, and presses a button there.
    pub async fn unfolds(&self, details: &str, button: &str) {
        self.click(&format!("{details} > summary")).await;
        self.click(&format!("{details} {button}")).await;
    }

    /// The menu of a pupil on the control panel, opened.
    pub async fn menu_of(&self, member: &str) -> String {
        let menu = format!("#mate-{member}-menu");
        let is_open = format!("!!document.querySelector('{menu}')");
        if self.eval(&is_open).await.expect("an answer") != true {
            self.click(&format!("#mate-{member}")).await;
            self.until(&is_open).await;
        }
        menu
    }

    /// The number of a pupil on the control panel, and the text beside the name.
    pub async fn mate(&self, name: &str) -> (String, String) {
        let mate = |what: &str| {
            format!(
                "(([...document.querySelectorAll('#teams a[id^=mate-]')]\
                 .find((one) => one.querySelector('.mate').textContent === '{name}'))?.{what} ?? '')"
            )
        };
        self.until(&format!("{} !== ''", mate("id"))).await;
        let id = self.eval(&mate("id")).await.expect("an id");
        let id = id.as_str().expect("text").replace("mate-", "");
        let does = self
            .eval(&mate("querySelector('.about').textContent"))
            .await;
        (id, does.expect("duties").as_str().expect("text").to_owned())
    }

    /// Removes a pupil from the match, at the control panel.
    pub async fn removes(&self, name: &str) {
        let (member, _) = self.mate(name).await;
        self.menu_of(&member).await;
        // The list renews itself at intervals: a click of the mouse can fall between.
        self.click(&format!("#removing-{member} > summary")).await;
        let button = format!("document.querySelector('#removing-{member} button')");
        self.until(&format!("!!{button}")).await;
        self.eval(&format!("{button}.click()")).await.expect("done");
    }
}

/// A pupil, and the window on which the pupil plays.
struct Pupil {
    person: Person,
    window: WindowHandle,
}

impl Pupil {
    async fn faces(&self) -> &Person {
        self.person.faces(&self.window).await;
        &self.person
    }
}

/// The pupils, each in a window.
struct Room(Vec<Pupil>);

impl Room {
    /// Lets the pupils join with the code. Every second device gets no streams of events.
    async fn come(browser: &Person, site: &TestSite, code: &str) -> Self {
        let mut pupils = Vec::new();
        for (number, name) in PUPILS.into_iter().enumerate() {
            let url = site
                .url
                .replace("127.0.0.1", &format!("seat{number}.localhost"));
            let (person, window) = browser.beside(name, url).await;
            let pupil = Pupil { person, window };
            let person = pupil.faces().await;
            if number % 2 == 1 {
                person.block(&["*/team/*/live*"]).await;
            }
            person.comes_in(code).await;
            pupils.push(pupil);
        }
        Self(pupils)
    }

    async fn pupil(&self, name: &str) -> &Person {
        let pupil = self.0.iter().find(|pupil| pupil.person.name == name);
        pupil
            .unwrap_or_else(|| panic!("no pupil {name}"))
            .faces()
            .await
    }

    /// Waits until all see this, with streams of events or without.
    async fn all_see(&self, selector: &str, text: &str) {
        for pupil in &self.0 {
            pupil.faces().await.sees(selector, text).await;
        }
    }
}

/// The name of the pupil in a seat of the plan: `white:1`.
async fn at_place(teacher: &Person, place: &str) -> String {
    let name = format!(
        "document.querySelector('.seats li[data-place={}] .chip').firstChild.textContent.trim()",
        json!(place)
    );
    let name = teacher.eval(&name).await.expect("a name");
    name.as_str().expect("a name").to_owned()
}

#[tokio::test]
async fn a_lesson_is_rehearsed() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let [teacher, wall, browser] = Person::all(&site, ["Tess", "Wall", "Room"], true).await;
    teacher.signs_up(&site).await;

    // From "new class" to the first move.
    let mut hand = Hand::of(&teacher);
    let (code, projector) = hand.prepares(&PUPILS).await;
    hand.actions += 1;
    wall.open(&projector).await;
    wall.sees("main", &code).await;
    let room = Room::come(&browser, &site, &code).await;
    teacher.sees("#h-seats", "20 in the lesson").await;
    wall.sees("main", "Uma").await;
    // A camera reads the way in, on the teacher's screen and on the wall.
    teacher
        .shows_the_way_in(&site, &code.replace(' ', ""))
        .await;
    wall.shows_the_way_in(&site, &code.replace(' ', "")).await;
    teacher.photograph("lesson-lobby").await;
    wall.projected("lesson-wall").await;
    hand.clicks(".begin button[value=all]").await;
    teacher
        .until("!document.querySelector('.seats .vacant')")
        .await;
    teacher.photograph("lesson-seated").await;
    let white = at_place(&teacher, "white:1").await;
    let black = at_place(&teacher, "black:1").await;
    let second = at_place(&teacher, "white:2").await;
    let path = teacher.path().await;
    let lesson = path
        .split('?')
        .next()
        .expect("a path")
        .trim_end_matches("/lesson")
        .to_owned();
    hand.clicks(".begin form[action*='/start'] button").await;
    // The teacher goes on at the control panel.
    teacher.arrives(&format!("{lesson}/control")).await;
    let person = room.pupil(&white).await;
    person.until("!!document.querySelector('#boards')").await;
    // On a phone: the button that plays the turn is in reach, and the board stays in sight.
    person.screen(390, 844, false).await;
    person.looks_at(1).await;
    person.click("#board .can[data-name=e2]").await;
    person.click("#board .can[data-name=e4]").await;
    person.sees("#play", "Play e4").await;
    let in_sight =
        "document.querySelector('#board [data-name=e4]').getBoundingClientRect().top > 0";
    assert_eq!(person.eval(in_sight).await.expect("an answer"), true);
    person.click("#play").await;
    person
        .tools("Emulation.clearDeviceMetricsOverride", json!({}))
        .await;
    assert!(hand.actions <= 12, "{} actions", hand.actions);
    println!(
        "{} actions of the teacher before the first move",
        hand.actions
    );

    // All boards are live for all, also where streams do not get through.
    for pupil in &room.0 {
        pupil.faces().await.finds(1, "e4", "white pawn").await;
    }
    wall.finds(1, "e4", "white pawn").await;
    room.pupil(&white).await.photograph("lesson-pupil").await;

    // Who raises a hand is on the teacher's page, until it is taken down there.
    let person = room.pupil(&white).await;
    person.click("#hand button").await;
    person.sees("#hand", "Your hand is up").await;
    teacher.sees("#door", "asks for help").await;
    teacher.click("#door .hand button").await;
    teacher
        .until("!document.querySelector('#door .hand')")
        .await;
    person.sees("#hand", "Raise your hand").await;

    // A rule in words is disputed, and the teacher decides.
    let person = room.pupil(&black).await;
    person
        .fill("#turn", "rule N written \"A knight may pass.\"")
        .await;
    person.click("#turn ~ button").await;
    let person = room.pupil(&white).await;
    person.click(".waits [value=dispute]").await;
    teacher.sees("#needs", "Disputed on board 1").await;
    teacher.photograph("lesson-control").await;
    teacher.click("#needs button[value='holds:1']").await;
    room.pupil(&black).await.sees("#log", "said yes to").await;

    // Eyes up: every screen says so.
    teacher.click("#status button[value=pause]").await;
    room.all_see("#eyes", "Eyes up!").await;
    wall.sees("main", "Eyes up!").await;
    wall.projected("lesson-eyes").await;
    room.pupil(&white)
        .await
        .photograph("lesson-eyes-pupil")
        .await;
    teacher.click("#status button[value=resume]").await;
    teacher
        .until("!!document.querySelector('#status button[value=pause]')")
        .await;

    // A pupil drops out, and is replaced in two clicks.
    let gone = room
        .0
        .iter()
        .position(|pupil| pupil.person.name == second)
        .expect("a pupil");
    room.0[gone]
        .faces()
        .await
        .client
        .close_window()
        .await
        .expect("closed");
    let mate = format!(
        "[...document.querySelectorAll('#teams a[id^=mate-]')]\
            .find(d => d.querySelector('.mate').textContent === {}).id",
        json!(second)
    );
    let mate = teacher.eval(&mate).await.expect("an id");
    let mate = mate.as_str().expect("an id");
    teacher.click(&format!("#{mate}")).await;
    teacher
        .click(&format!("#{mate}-menu .menu button[name=do]"))
        .await;
    let mut room = room;
    room.0.remove(gone);
    let duty = format!("document.querySelector('#{mate} .about').textContent.includes('board 2')");
    teacher.until(&format!("!({duty})")).await;

    // Ten minutes of play, compressed, while every page stays open; then all show the same as a fresh page.
    let mut hands = Vec::new();
    for pupil in &room.0 {
        hands.push(crowd::Pupil::of(&pupil.faces().await.client, &site).await);
    }
    crowd::ten_minutes(&mut hands, &lesson).await;
    for pupil in &room.0 {
        pupil.faces().await.is_as_fresh().await;
    }
    teacher.is_as_fresh().await;
    wall.is_as_fresh().await;
    teacher.photograph("lesson-control-busy").await;
    wall.projected("lesson-wall-busy").await;
    room.pupil(&white)
        .await
        .photograph("lesson-pupil-busy")
        .await;

    // Time runs out; boards are counted.
    teacher.fill("#status #minutes", "1").await;
    teacher.click("#status button[value=left]").await;
    room.pupil(&white).await.sees("#clock", "0:").await;
    teacher.sees("#needs", "It is over").await;
    wall.sees("#ended", "Board 1").await;
    wall.projected("lesson-result").await;
    let result = "document.querySelector('#status').textContent.match(/(White|Black) won the match, \\d to \\d|The match is drawn/)?.[0]";
    let person = room.pupil(&white).await;
    person.until(&format!("!!{result}")).await;
    let result = person.eval(result).await.expect("text");
    room.all_see("#status", result.as_str().expect("text"))
        .await;

    // The report, on the screen and on paper.
    teacher.open(&format!("{lesson}/report")).await;
    teacher.sees("main", "A knight may pass.").await;
    teacher.sees("main", &white).await;
    teacher.photograph("lesson-report").await;
    let sheets = teacher.prints("lesson-report").await;
    assert!((1..=3).contains(&sheets.len()), "{sheets:?}");
    let paper = sheets.join(" ");
    assert!(paper.contains("A knight may pass."), "{paper}");
}
