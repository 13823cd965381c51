//! What mails say and how they look: one golden mail for each kind in `tests/mail`, as the
//! headers and the plain text (`KIND.txt`) and as the HTML (`KIND.html`).
//!
//! `PERPLEX_BLESS=1` writes the golden files anew.

use std::collections::BTreeMap;
use std::fs;

use chrono_tz::Tz;
use mail_parser::MessageParser;
use perplex::mail::scene::News;
use perplex::mail::{About, Letter, Sender, compose};
use perplex::play::event::{AccountId, Event, MatchId, Terms};
use perplex::play::notice::Kind;
use perplex::play::{Command, Match, create};
use perplex::secret::Key;
use perplex::time::{Time, days, hours};

/// 21 November 2026, 08:30 UTC.
const START: Time = Time(1_795_249_800_000_000);

fn account(id: &str) -> AccountId {
    AccountId(id.to_owned())
}

fn sender() -> Sender {
    Sender::new("https://perplex.example", "games@perplex.example").expect("sender")
}

/// A match by post: the people, the events so far and the notes.
struct Story {
    events: Vec<Event>,
    names: BTreeMap<AccountId, String>,
    notes: BTreeMap<i32, (AccountId, String)>,
    now: Time,
}

impl Story {
    /// Ada (a1) challenges Ben (b2) to Quixo and wants to play Crosses.
    fn new(ada: &str, ben: &str) -> Self {
        let terms = Terms {
            game: "quixo".to_owned(),
            variant: String::new(),
            days: 3,
            open: false,
        };
        let wish = Some("first".to_owned());
        let events = create(&account("a1"), terms, wish, Some(account("b2")), START);
        Self {
            events: events.expect("terms"),
            names: [("a1", ada), ("b2", ben)]
                .map(|(id, name)| (account(id), name.to_owned()))
                .into(),
            notes: BTreeMap::new(),
            now: START,
        }
    }

    fn state(&self) -> Match {
        Match::replay(&self.events).expect("a journal")
    }

    fn act(&mut self, who: &str, command: &Command) {
        self.now = self.now + hours(2);
        let state = self.state();
        let events = state.decide(Some(&account(who)), command, self.now, 0);
        self.events.extend(events.expect("allowed"));
    }

    fn join(&mut self, who: &str) {
        let command = Command::Join { wish: None, by_link: true };
        self.act(who, &command);
    }

    fn play(&mut self, who: &str, turn: &str, note: &str) {
        let ply = self.state().turns.len();
        let command = Command::Play { ply, turn: turn.to_owned(), offer: false };
        self.act(who, &command);
        if !note.is_empty() {
            let event = self.state().turns.last().expect("a turn").1;
            self.notes.insert(event, (account(who), note.to_owned()));
        }
    }

    fn letter(&self, reader: &str, kind: Kind) -> Letter {
        let event = self.events.last().expect("an event").clone();
        let id = MatchId("k3v9x0abcd".to_owned());
        let key = Key::new([7; 64]);
        let about = format!("{reader}/{}", kind.key());
        Letter {
            message_id: format!("{}.{id}.{}.{reader}", kind.key(), event.number),
            to: format!("{reader}@example.org"),
            name: self.names[&account(reader)].clone(),
            at: self.now,
            off: key.seal("mail-off", &about, "", START + days(3_650)),
            about: About::News(Box::new(News {
                kind,
                id,
                state: self.state(),
                event,
                reader: account(reader),
                zone: Tz::Europe__Berlin,
                names: self.names.clone(),
                notes: self.notes.clone(),
            })),
        }
    }
}

fn plain_letter(kind: &str, about: About) -> Letter {
    Letter {
        message_id: format!("{kind}.a1@perplex.example"),
        to: "ada@example.org".to_owned(),
        name: "Ada".to_owned(),
        at: START,
        off: String::new(),
        about,
    }
}

/// Turns with which Ada wins by five crosses in the bottom row.
const SHORT_GAME: [(&str, &str); 9] = [
    ("a1", "a1-a5"),
    ("b2", "e1-e5"),
    ("a1", "a1-a5"),
    ("b2", "e1-e5"),
    ("a1", "a1-a5"),
    ("b2", "e1-e5"),
    ("a1", "a1-a5"),
    ("b2", "e1-e5"),
    ("a1", "a1-a5"),
];

/// One letter of every kind, and some that differ within their kind.
fn letters() -> Vec<(&'static str, Letter)> {
    let key = Key::new([7; 64]);
    let token = |purpose, subject| key.seal(purpose, subject, "state", START + days(1));
    let mut letters = vec![
        ("verify", plain_letter("verify", About::Verify { token: token("verify", "a1") })),
        ("reset", plain_letter("reset", About::Reset { token: token("reset", "a1") })),
        ("known-address", plain_letter("known-address", About::KnownAddress)),
        (
            "change-address",
            plain_letter(
                "change-address",
                About::ChangeAddress { token: token("email", "a1/new+me@example.org") },
            ),
        ),
        (
            "old-address",
            plain_letter(
                "old-address",
                About::OldAddress { new: "new+me@example.org".to_owned() },
            ),
        ),
    ];
    let mut invitation = plain_letter(
        "invitation",
        About::Invitation {
            from: "Ada".to_owned(),
            id: MatchId("k3v9x0abcd".to_owned()),
            mac: key.mac("join", &["k3v9x0abcd"]),
            game: "Quixo".to_owned(),
            tagline: "Take a cube from the edge, push it back in, and make five in a row."
                .to_owned(),
            days: 3,
        },
    );
    invitation.name = String::new();
    letters.push(("invitation", invitation));

    let mut story = Story::new("Ada", "Ben");
    letters.push(("challenge", story.letter("b2", Kind::Challenge)));
    let mut refused = Story::new("Ada", "Ben");
    refused.act("b2", &Command::Refuse);
    letters.push(("refused", refused.letter("a1", Kind::Refused)));
    story.join("b2");
    letters.push(("started", story.letter("b2", Kind::Started)));
    letters.push(("your-turn-first", story.letter("a1", Kind::YourTurn)));
    story.play("a1", "c1-a1", "");
    story.play("b2", "e5-e1", "");
    story.play(
        "a1",
        "a1-a5",
        "Good luck & have fun!\n\nI haven't played this in years, so don't expect too much of me; \
         but I have read the rules <twice> by now.",
    );
    letters.push(("your-turn", story.letter("b2", Kind::YourTurn)));
    let mut offer = story.letter("b2", Kind::YourTurn);
    story.act("a1", &Command::Offer);
    letters.push(("draw-offer", story.letter("b2", Kind::DrawOffer)));
    if let (About::News(news), About::News(after)) =
        (&mut offer.about, story.letter("b2", Kind::YourTurn).about)
    {
        news.state = after.state;
    }
    letters.push(("your-turn-offer", offer));
    story.now = START + days(2) + hours(8);
    letters.push(("reminder", story.letter("b2", Kind::Reminder)));
    story.act("b2", &Command::Accept);
    letters.push(("game-over-draw", story.letter("a1", Kind::GameOver)));

    let mut story = Story::new("Ada", "Ben");
    story.join("b2");
    for (who, turn) in SHORT_GAME {
        let note = if who == "b2" { "" } else { "Ha!" };
        story.play(who, turn, note);
    }
    letters.push(("game-over-won", story.letter("a1", Kind::GameOver)));
    letters.push(("game-over-lost", story.letter("b2", Kind::GameOver)));

    let mut story = Story::new("Ada", "Ben");
    story.join("b2");
    story.play("a1", "c1-a1", "");
    story.act("b2", &Command::Resign);
    letters.push(("game-over-resigned", story.letter("b2", Kind::GameOver)));
    letters
}

/// The mail as it would go out, its random boundary blanked.
fn raw(letter: &Letter) -> String {
    let raw = compose(letter, &sender()).expect("a letter").formatted();
    let raw = String::from_utf8(raw).expect("ASCII");
    let boundary = raw.split("boundary=\"").nth(1).expect("a boundary");
    let boundary = boundary.split('"').next().expect("its end");
    raw.replace(boundary, "BOUNDARY")
}

fn golden(file: &str, found: &str) {
    let path = format!("tests/mail/{file}");
    if std::env::var_os("PERPLEX_BLESS").is_some() {
        fs::write(&path, found).expect("writable");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{path} should be (see PERPLEX_BLESS):\n{found}");
}

#[test]
fn golden_mails() {
    for (name, letter) in letters() {
        let raw = raw(&letter);
        let mail = MessageParser::default().parse(&raw).expect("a mail");
        let (headers, _) = raw.split_once("\r\n\r\n").expect("headers");
        let text = mail.body_text(0).expect("a text part");
        let headers = headers.replace("\r\n", "\n");
        golden(
            &format!("{name}.txt"),
            &format!("{headers}\n\n{}", text.replace("\r\n", "\n")),
        );
        let html = mail.body_html(0).expect("an HTML part");
        golden(&format!("{name}.html"), &html.replace("\r\n", "\n"));
    }
}
