//! Each kind of news in one lesson: who is shown a card, who finds it under “News”, who hears nothing of it, and what
//! the wall tells. The table of `crates/matches/tests/it/announce.txt`, as the screens have it.

use fantoccini::wd::WindowHandle;
use serde_json::{Value, json};

use super::lesson::Hand;
use super::person::Person;
use super::site::TestSite;

const PUPILS: [&str; 10] = [
    "Amir", "Bela", "Carla", "Dina", "Emil", "Finn", "Greta", "Hugo", "Ines", "Jona",
];

/// The places of the readers in the plan of seats, in the order of the table's columns. The grand strategists, who play
/// boards 1 and 2, and who plays none.
const PLACES: [&str; 8] = [
    "white:strategist",
    "white:1",
    "white:2",
    "white:agent",
    "black:strategist",
    "black:1",
    "black:2",
    "black:agent",
];
const WL: usize = 0;
const W1: usize = 1;
const WA: usize = 3;
const B1: usize = 5;
const B2: usize = 6;
const BA: usize = 7;

const PARSED: &str = "const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');
    const done = arguments[arguments.length - 1];
    const home = document.getElementById('match').dataset.home;";

impl Person {
    async fn answers(&self, script: &str) -> Value {
        let script = format!(
            "{PARSED} (async () => {{ {script} }})().then(done, (error) => done(String(error)))"
        );
        let answer = self.client.execute_async(&script, Vec::new()).await;
        answer.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Sends a form of the match as its page has it, with these fields, without clicking through the page.
    async fn does(&self, deed: &str, fields: Value) {
        let script = format!(
            "const [deed, given] = {};
            const page = parsed(await (await fetch(`${{home}}?board=${{deed.split('/')[1] ?? ''}}`)).text());
            const forms = [...page.querySelectorAll('form[method=post]')];
            const form = forms.find((one) => one.getAttribute('action').split('?')[0] === `${{home}}/${{deed}}`);
            const fields = new URLSearchParams();
            for (const one of (form ?? forms[0]).querySelectorAll(form ? '[type=hidden]' : '[name=csrf]')) fields.set(one.name, one.value);
            for (const [name, value] of Object.entries(given)) fields.set(name, value);
            const answer = await fetch(`${{home}}/${{deed}}`, {{ method: 'POST', body: fields }});
            return answer.ok ? '' : `${{answer.status}} ${{parsed(await answer.text()).querySelector('.wrong, .notice')?.textContent}}`;",
            json!([deed, fields])
        );
        assert_eq!(self.answers(&script).await, "", "{}: {deed}", self.name);
    }

    /// Waits until the page is as the server has it now; gives the headline of its card, and the latest of the news.
    async fn is_told(&self) -> (String, String) {
        let script = "const page = parsed(await (await fetch(`${home.replace('/control', '')}?log=news`)).text());
            const number = (at) => Number(at.getElementById('cards').dataset.seen);
            for (let tries = 0; number(document) < number(page) && tries < 400; tries += 1)
                await new Promise((on) => setTimeout(on, 25));
            return [document.querySelector('#cards h2')?.textContent ?? '',
                page.querySelector('#log .events li .text')?.textContent ?? ''];";
        let told = self.answers(script).await;
        let text = |at: usize| {
            told[at]
                .as_str()
                .unwrap_or_else(|| panic!("{told}"))
                .to_owned()
        };
        (text(0), text(1))
    }

    /// Puts away all cards, one after the other.
    pub async fn puts_cards_by(&self) {
        let next = "document.querySelector('#cards form')?.dataset.key ?? ''";
        loop {
            let shown = self.eval(next).await.expect("a key");
            if shown == "" {
                return;
            }
            let ok = "document.getElementById('card-ok')?.click()";
            self.eval(ok).await.expect("a button");
            self.until(&format!("({next}) !== {shown}")).await;
        }
    }
}

/// A reader at a screen of their own.
struct Reader {
    person: Person,
    window: Option<WindowHandle>,
    id: String,
}

impl Reader {
    async fn faces(&self) -> &Person {
        if let Some(window) = &self.window {
            self.person.faces(window).await;
        }
        &self.person
    }
}

struct Screens {
    /// The pupils of [`PLACES`], and then the teacher.
    readers: Vec<Reader>,
    wall: Person,
}

impl Screens {
    async fn does(&self, who: usize, deed: &str, fields: Value) {
        self.readers[who].faces().await.does(deed, fields).await;
    }

    async fn teacher(&self) -> &Person {
        self.readers[PLACES.len()].faces().await
    }

    fn name(&self, who: usize) -> &str {
        self.readers[who].person.name
    }

    /// The news that the readers get of the last event, and the wall at last: `C` a card with one of these headlines,
    /// `n` an entry of the news with this text, `-` neither.
    async fn tell(&self, columns: &str, headlines: &[&str], news: &str) {
        let expected: Vec<char> = columns.chars().filter(|c| !c.is_whitespace()).collect();
        let mut found = String::new();
        let mut cards = Vec::new();
        let is_one = |card: &str| headlines.iter().any(|headline| card.contains(headline));
        // First: it disappears.
        if expected[9] == 'C' {
            let any = json!(headlines);
            self.wall
                .until(&format!("{any}.some((one) => document.querySelector('#wall-card h2')?.textContent.includes(one))"))
                .await;
        }
        let wall = "document.querySelector('#wall-card h2')?.textContent ?? ''";
        let wall = self.wall.eval(wall).await.expect("text");
        for reader in &self.readers {
            let person = reader.faces().await;
            let (card, latest) = person.is_told().await;
            found.push(match (card.as_str(), latest.contains(news)) {
                ("", true) => 'n',
                ("", false) => '-',
                (card, _) if is_one(card) => 'C',
                _ => '?',
            });
            if !card.is_empty() {
                person.puts_cards_by().await;
                cards.push(format!("{}: {card}", person.name));
            }
        }
        found.push(if is_one(wall.as_str().expect("text")) {
            'C'
        } else {
            '-'
        });
        let expected: String = expected.into_iter().collect();
        assert_eq!(found, expected, "{headlines:?}: {cards:?}, the wall {wall}");
    }
}

/// The lesson, seated and begun.
async fn begun(site: &TestSite) -> Screens {
    let [teacher, wall, browser] = Person::all(site, ["Tess", "Wall", "Room"], true).await;
    teacher.signs_up(site).await;
    let (code, projector) = Hand::of(&teacher).prepares(&PUPILS).await;
    wall.open(&projector).await;
    let mut pupils = Vec::new();
    for (number, name) in PUPILS.into_iter().enumerate() {
        let url = site
            .url
            .replace("127.0.0.1", &format!("seat{number}.localhost"));
        let (person, window) = browser.beside(name, url).await;
        person.faces(&window).await;
        person.comes_in(&code).await;
        pupils.push((person, window));
    }
    teacher.sees("#h-seats", "10 in the lesson").await;
    teacher.click(".begin button[value=all]").await;
    teacher
        .until("!document.querySelector('.seats .vacant')")
        .await;
    let mut readers = Vec::new();
    for place in PLACES {
        // The column of a team is the place of its agents, and holds the others.
        let chip = format!(
            "[...document.querySelectorAll('.seats .chip')].find((one) => one.closest('[data-place]').dataset.place === '{place}')"
        );
        let said = teacher
            .eval(&format!(
                "[{chip}.dataset.member, {chip}.querySelector('bdi').textContent]"
            ))
            .await
            .unwrap_or_else(|error| panic!("{place}: {error}"));
        let of = |(person, _): &(Person, WindowHandle)| said[1] == person.name;
        let (person, window) = pupils.swap_remove(pupils.iter().position(of).expect("a pupil"));
        readers.push(Reader {
            person,
            window: Some(window),
            id: said[0].as_str().expect("a number").to_owned(),
        });
    }
    teacher.click(".begin form[action*='/start'] button").await;
    teacher.sees("#status", "Eyes up!").await;
    for reader in &readers {
        let person = reader.faces().await;
        person.until("!!document.querySelector('#boards')").await;
    }
    wall.sees("#boards", "Board 1").await;
    readers.push(Reader {
        person: teacher,
        window: None,
        id: String::new(),
    });
    Screens { readers, wall }
}

#[tokio::test]
async fn each_kind_of_news_reaches_whom_it_concerns() {
    let Some(site) = TestSite::open().await else {
        return;
    };
    let room = begun(&site).await;
    let turn = |turn: &str| json!({ "turn": turn });
    let host = PLACES.len();

    // Rules: changed, written, disputed and decided, accepted.
    room.does(W1, "turn/1", turn("e2e4")).await;
    room.tell("---- ---- - -", &["e4"], "e4").await;
    room.does(B1, "turn/1", turn("rule N NW \"Knights step.\""))
        .await;
    room.tell(
        "CCnC C-CC n C",
        &["A rule changed on board 1"],
        "Knights step.",
    )
    .await;
    room.does(W1, "turn/1", turn("rule * written \"Nobody sighs.\""))
        .await;
    room.tell(
        "C-nn Cnnn n C",
        &["A rule is proposed on board 1"],
        "sighs.",
    )
    .await;
    let person = room.readers[B1].faces().await;
    person.sees("#answers", "Nobody sighs.").await;
    room.does(B1, "turn/1", turn("dispute")).await;
    let decides = ["Board 1: the teacher decides", "Please decide on board 1"];
    room.tell("CCnn C-nn C C", &decides, "disputes").await;
    room.does(host, "lead", json!({ "do": "falls:1" })).await;
    let falls = [
        "Board 1: no new rule",
        "Your rule was turned down on board 1",
    ];
    room.tell("CCnn CCnn - C", &falls, "The teacher said no to")
        .await;
    room.does(W1, "turn/1", turn("d2d4")).await;
    room.tell("---- ---- - -", &["d4"], "d4").await;
    room.does(B1, "turn/1", turn("rule P written \"Pawns rest.\""))
        .await;
    room.tell("Cnnn C-nn n C", &["A rule is proposed on board 1"], "rest.")
        .await;
    room.does(W1, "turn/1", turn("accept")).await;
    let holds = [
        "Board 1: a new rule is in force",
        "Your rule is in force on board 1",
    ];
    room.tell("C-nn CCnn n C", &holds, "accepted").await;

    // Pieces that go to another board and back; draws; what the teacher takes back.
    let transfer = |text: &str| json!({ "transfer": text });
    room.does(WL, "transfer", transfer("e4 1>2")).await;
    let arrived = [
        "A white pawn arrived on your board 2",
        "A white pawn left your board 1",
        "A white pawn moved",
        "You sent the pawn from board 1 to e4 on board 2",
    ];
    room.tell("CCCn CCCn n C", &arrived, "from board 1 to board 2")
        .await;
    room.does(WL, "transfer", transfer("e4 2>1")).await;
    room.tell(
        "-CCn CCCn n C",
        &["Undone: the white pawn"],
        "undid the transfer",
    )
    .await;
    room.does(B1, "draw/1", json!({ "do": "offer" })).await;
    room.tell("nnnn n-nn n -", &["draw"], "offered a draw")
        .await;
    let person = room.readers[W1].faces().await;
    person
        .sees("#answers", "You are offered a draw on board 1")
        .await;
    room.does(W1, "draw/1", json!({ "do": "decline" })).await;
    room.tell(
        "n-nn nCnn n -",
        &["Your draw offer on board 1 was declined"],
        "declined",
    )
    .await;
    let teacher = room.teacher().await;
    let back = "[...document.querySelectorAll('#tb-1 button')].find((one) => one.value.startsWith('back:')).value";
    let back = teacher.eval(back).await.expect("a button");
    room.does(host, "lead", json!({ "do": back })).await;
    room.tell("CCnn CCnn - C", &["taken back"], "took back")
        .await;

    // People: a duty given and given back, an election.
    let id = |who: usize| room.readers[who].id.clone();
    for (to, from) in [(WA, W1), (W1, WA)] {
        let gives = format!("give:white:1:{}:{}", id(to), id(from));
        room.does(host, "lead", json!({ "do": gives })).await;
        let duties = [
            "You play board 1 for White now",
            "You are an agent for White now",
        ];
        room.tell("nCnC nnnn - -", &duties, "duties").await;
    }
    // Who plays board 3 is none of the readers, and votes as well.
    for who in [B1, BA] {
        room.does(who, "vote", json!({ "vote": id(B2) })).await;
        room.tell("---- ---- - -", &["vote"], "voted for nobody")
            .await;
    }
    room.does(B2, "vote", json!({ "vote": id(B2) })).await;
    let elected = [
        format!("{} is Black’s grand strategist now", room.name(B2)),
        "You are Black’s grand strategist now".to_owned(),
        "You play board 2 for Black now".to_owned(),
    ];
    let elected: Vec<&str> = elected.iter().map(String::as_str).collect();
    room.tell("nnnn CCCC C -", &elected, "").await;

    // What the teacher says to all; and talk that names a pupil.
    room.does(host, "lead", json!({ "do": "pause" })).await;
    room.tell("nnnn nnnn - -", &["paused"], "paused").await;
    for reader in &room.readers {
        reader.faces().await.sees("#eyes", "Eyes up!").await;
    }
    room.wall.sees("main", "Eyes up!").await;
    room.does(host, "lead", json!({ "do": "resume" })).await;
    room.tell("nnnn nnnn - -", &["goes on"], "goes on").await;
    let minutes = json!({ "do": "left", "minutes": "20" });
    room.does(host, "lead", minutes).await;
    room.tell("CCCC CCCC - C", &["changed the time"], "changed the time")
        .await;
    let said = format!("Well played, {}!", room.name(B1).to_lowercase());
    room.does(W1, "talk/0", json!({ "text": said })).await;
    let person = room.readers[B1].faces().await;
    let wrote = format!("{} wrote to you", room.name(W1));
    person.sees("#called h2", &wrote).await;
    person.sees("#called p", &said).await;
    person.picture("news-called").await;
    person.click("#call-ok").await;
    person.until("!document.getElementById('call-ok')").await;
    for reader in room.readers.iter().filter(|one| one.id != id(B1)) {
        let person = reader.faces().await;
        let talk = "document.querySelector('#talk .channels').textContent.includes('unread')
            || document.getElementById('talk').textContent.includes('Well played')";
        // Who has said it has read it.
        if reader.id != id(W1) {
            person.until(talk).await;
        }
        assert_eq!(person.count("#called form").await, 0, "{}", person.name);
    }

    // A board ends, and the match.
    room.does(B1, "resign/1", json!({})).await;
    room.tell("CCCC CCCC C C", &["Board 1: White won"], "resigned board 1")
        .await;
    room.does(host, "lead", json!({ "do": "stop" })).await;
    room.tell(
        "CCCC CCCC - -",
        &["White won the match", "drawn"],
        "ended the match",
    )
    .await;
    room.wall.sees("#ended", "match").await;
    for reader in &room.readers {
        reader.faces().await.has_no_complaints(&[]).await;
    }
}
