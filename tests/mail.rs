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
        let command = Command::Join {
            wish: None,
            by_link: true,
        };
        self.act(who, &command);
    }

    fn play(&mut self, who: &str, turn: &str, note: &str) {
        let ply = self.state().turns.len();
        let command = Command::Play {
            ply,
            turn: turn.to_owned(),
            offer: false,
        };
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
        (
            "verify",
            plain_letter(
                "verify",
                About::Verify {
                    token: token("verify", "a1"),
                },
            ),
        ),
        (
            "reset",
            plain_letter(
                "reset",
                About::Reset {
                    token: token("reset", "a1"),
                },
            ),
        ),
        (
            "known-address",
            plain_letter("known-address", About::KnownAddress),
        ),
        (
            "change-address",
            plain_letter(
                "change-address",
                About::ChangeAddress {
                    token: token("email", "a1/new+me@example.org"),
                },
            ),
        ),
        (
            "old-address",
            plain_letter(
                "old-address",
                About::OldAddress {
                    new: "new+me@example.org".to_owned(),
                },
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

/// The mail as whoever receives it reads it.
struct Read {
    raw: String,
    text: String,
    html: String,
}

fn read(letter: &Letter) -> Read {
    let raw = compose(letter, &sender()).expect("a letter").formatted();
    let raw = String::from_utf8(raw).expect("text");
    let mail = MessageParser::default().parse(&raw).expect("a mail");
    assert_eq!(mail.text_body_count(), 1);
    assert_eq!(mail.html_body_count(), 1);
    assert_eq!(mail.attachment_count(), 0);
    let text = mail
        .body_text(0)
        .expect("a text part")
        .replace("\r\n", "\n");
    let html = mail
        .body_html(0)
        .expect("an HTML part")
        .replace("\r\n", "\n");
    Read { raw, text, html }
}

impl Read {
    fn headers(&self) -> Vec<(String, String)> {
        let mail = MessageParser::default().parse(&self.raw).expect("a mail");
        mail.headers_raw()
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect()
    }

    fn header(&self, name: &str) -> Option<String> {
        let headers = self.headers();
        let mut found = headers.into_iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value);
        assert!(found.next().is_none(), "{name} stands there twice");
        value
    }
}

fn golden(file: &str, found: &str) {
    let path = format!("tests/mail/{file}");
    if std::env::var_os("PERPLEX_BLESS").is_some() {
        fs::write(&path, found).expect("writable");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == found,
        "{path} should be (see PERPLEX_BLESS):\n{found}"
    );
}

#[test]
fn golden_mails() {
    for (name, letter) in letters() {
        let mail = read(&letter);
        let (headers, _) = mail.raw.split_once("\r\n\r\n").expect("headers");
        let boundary = headers.split("boundary=\"").nth(1).expect("a boundary");
        let boundary = boundary.split('"').next().expect("its end");
        let headers = headers.replace(boundary, "BOUNDARY").replace("\r\n", "\n");
        golden(
            &format!("{name}.txt"),
            &format!("{headers}\n\n{}", mail.text),
        );
        golden(&format!("{name}.html"), &mail.html);
    }
}

#[test]
fn every_mail_is_as_it_should_be() {
    for (name, letter) in letters() {
        let mail = read(&letter);
        assert!(mail.raw.is_ascii(), "{name}");
        assert!(mail.raw.lines().all(|line| line.len() <= 998), "{name}");
        for line in mail.text.lines() {
            let wide = line.chars().count();
            assert!(wide <= 72 || line.starts_with("https://"), "{name}: {line}");
        }
        assert_eq!(
            mail.header("From").as_deref(),
            Some("Perplex <games@perplex.example>")
        );
        assert_eq!(
            mail.header("Auto-Submitted").as_deref(),
            Some("auto-generated")
        );
        let id = mail.header("Message-ID").expect("an id");
        assert!(
            id.starts_with('<') && id.ends_with("@perplex.example>"),
            "{name}: {id}"
        );
        assert!(mail.header("Date").is_some());
        // Nothing is fetched, and no style stands anywhere but in its place.
        for fetched in ["<img", "<link", "<style", "<script", "url(", "src="] {
            assert!(!mail.html.contains(fetched), "{name}: {fetched}");
        }
        assert!(
            !mail.text.contains(|c: char| c.is_control() && c != '\n'),
            "{name}"
        );
        assert!(
            !mail.html.contains(|c: char| c.is_control() && c != '\n'),
            "{name}"
        );
        let is_news = matches!(letter.about, About::News(_));
        for header in [
            "In-Reply-To",
            "References",
            "List-Unsubscribe",
            "List-Unsubscribe-Post",
        ] {
            assert_eq!(mail.header(header).is_some(), is_news, "{name}: {header}");
        }
    }
}

#[test]
fn a_match_is_one_thread_for_each_reader() {
    let mut roots: BTreeMap<String, usize> = BTreeMap::new();
    for (_, letter) in letters() {
        let mail = read(&letter);
        if let Some(root) = mail.header("References") {
            assert_eq!(mail.header("In-Reply-To").as_ref(), Some(&root));
            *roots.entry(root).or_default() += 1;
        }
    }
    let names: Vec<&str> = roots.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "<match.k3v9x0abcd.a1@perplex.example>",
            "<match.k3v9x0abcd.b2@perplex.example>"
        ]
    );
}

#[test]
fn one_click_switches_the_kind_off() {
    let mut story = Story::new("Ada", "Ben");
    story.join("b2");
    story.play("a1", "c1-a1", "");
    let mail = read(&story.letter("b2", Kind::YourTurn));
    let list = mail.header("List-Unsubscribe").expect("a link");
    let token = list
        .strip_prefix("<https://perplex.example/mail/off/")
        .and_then(|rest| rest.strip_suffix('>'))
        .expect("our link")
        .replace("%2F", "/");
    assert_eq!(Key::subject(&token), Some("b2/your-turn"));
    assert!(Key::new([7; 64]).open("mail-off", &token, "", START));
    assert_eq!(
        mail.header("List-Unsubscribe-Post").as_deref(),
        Some("List-Unsubscribe=One-Click")
    );
    let link = format!(
        "https://perplex.example/mail/off/{}",
        token.replace('/', "%2F")
    );
    assert!(mail.text.contains(&link) && mail.html.contains(&link));
}

/// Names and notes that want to be more than that.
const NASTY: [&str; 8] = [
    "Eve\r\nBcc: x@example.org",
    "Eve\nSubject: won\n\nbody",
    "Eve\" <eve@example.org>, \"",
    "=?utf-8?q?Eve=0D=0ABcc:_x?=",
    "<script>alert(1)</script><img src=x>",
    "\u{3} Open\u{1}\u{202e}evE",
    "Åsa Ñandú 李小龍 🦊👩\u{200d}🚀",
    "\n\n\u{3}",
];

#[test]
fn other_peoples_text_stays_text() {
    for name in NASTY {
        let long = name.repeat(200);
        for name in [name, &long] {
            let mut story = Story::new(name, "Ben");
            let challenge = story.letter("b2", Kind::Challenge);
            story.join("b2");
            story.play(
                "a1",
                "c1-a1",
                &format!("{name}\r\n.\r\n--BOUNDARY\r\n{long}"),
            );
            let mut own = story.letter("b2", Kind::YourTurn);
            own.name = name.to_owned();
            let invitation = About::Invitation {
                from: name.to_owned(),
                id: MatchId("k3v9x0abcd".to_owned()),
                mac: "00".to_owned(),
                game: "Quixo".to_owned(),
                tagline: "A game.".to_owned(),
                days: 1,
            };
            let letters = [
                challenge,
                story.letter("b2", Kind::YourTurn),
                own,
                plain_letter("invitation", invitation),
            ];
            for letter in letters {
                let mail = read(&letter);
                let names: Vec<String> = mail.headers().into_iter().map(|(name, _)| name).collect();
                assert!(!names.contains(&"Bcc".to_owned()), "{}", mail.raw);
                let all = [
                    "From",
                    "To",
                    "Subject",
                    "Date",
                    "Message-ID",
                    "MIME-Version",
                ];
                for header in all {
                    assert!(mail.header(header).is_some(), "{header}: {}", mail.raw);
                }
                let parsed = MessageParser::default().parse(&mail.raw).expect("a mail");
                let to = parsed.to().and_then(|to| to.as_list()).expect("To");
                assert_eq!(to.len(), 1, "{}", mail.raw);
                assert_eq!(to[0].address.as_deref(), Some(letter.to.as_str()));
                let subject = parsed.subject().expect("a subject");
                assert!(subject.chars().count() <= 150);
                assert!(!subject.contains(char::is_control) && !subject.contains('\u{202e}'));
                assert!(!mail.html.contains("<script>") && !mail.html.contains("<img"));
                assert!(
                    mail.text
                        .lines()
                        .all(|l| l.chars().count() <= 78 || l.contains("://"))
                );
                assert!(mail.raw.len() < 60_000);
                let links = mail.html.matches("<a ").count();
                assert!(links <= 3, "{}", mail.html);
            }
        }
    }
}

#[test]
fn names_of_all_scripts_are_read_as_they_are_written() {
    let name = "Åsa Ñandú 李小龍 🦊👩\u{200d}🚀";
    let mut story = Story::new(name, "Béla \"B\" Ő'Hara");
    story.join("b2");
    story.play("a1", "c1-a1", "Καλή τύχη! 頑張って");
    let mail = read(&story.letter("b2", Kind::YourTurn));
    let parsed = MessageParser::default().parse(&mail.raw).expect("a mail");
    assert_eq!(
        parsed.subject(),
        Some(format!("Your turn: Quixo against {name}").as_str())
    );
    let to = parsed.to().and_then(|to| to.first()).expect("To");
    assert_eq!(to.name.as_deref(), Some("Béla \"B\" Ő'Hara"));
    assert!(mail.text.contains("> Καλή τύχη! 頑張って"));
    assert!(mail.html.contains("Καλή τύχη! 頑張って"));
    assert!(mail.text.contains(&format!("{name} played c1-a1.")));
}

#[test]
fn a_message_id_is_well_formed_whatever_the_outbox_holds() {
    for (found, expected) in [
        ("verify.01a", "<verify.01a@perplex.example>"),
        ("<verify.01a@other.example>", "<verify.01a@other.example>"),
        ("a b\r\nBcc: <x>", "<abBccx@perplex.example>"),
    ] {
        let mut letter = plain_letter("verify", About::KnownAddress);
        letter.message_id = found.to_owned();
        assert_eq!(
            read(&letter).header("Message-ID").as_deref(),
            Some(expected)
        );
    }
}

#[test]
fn a_match_for_four_names_all() {
    let people = ["a1", "b2", "c3", "d4"];
    let terms = Terms {
        game: "quixo".to_owned(),
        variant: "four".to_owned(),
        days: 1,
        open: true,
    };
    let events = create(&account("a1"), terms, None, None, START).expect("terms");
    let mut story = Story::new("Ada", "Ben");
    story.events = events;
    story.names.insert(account("c3"), "Cleo".to_owned());
    story.names.insert(account("d4"), "Dan".to_owned());
    people[1..].iter().for_each(|who| story.join(who));
    let seated: Vec<String> = story
        .state()
        .joined
        .iter()
        .map(|p| p.account.0.clone())
        .collect();
    let turns = ["c1-a1.n", "e5-e1.e", "c1-e1.s"];
    for (who, turn) in seated.iter().zip(turns) {
        story.play(who, turn, "");
    }
    let last = &seated[3];
    let mail = read(&story.letter(last, Kind::YourTurn));
    let name = |seat: usize| story.names[&account(&seated[seat])].clone();
    let subject = mail.header("Subject").expect("a subject");
    assert_eq!(
        subject,
        format!("Your turn: Quixo against {} and {}", name(0), name(2))
    );
    for seat in 0..3 {
        assert!(
            mail.text.contains(&format!("{} played", name(seat))),
            "{}",
            mail.text
        );
    }
    assert!(
        mail.text.contains(&format!("together with {}", name(1))),
        "{}",
        mail.text
    );
    story.act(last, &Command::Resign);
    let mail = read(&story.letter(&seated[1], Kind::GameOver));
    assert!(
        mail.text.contains("You lost: your side gave up."),
        "{}",
        mail.text
    );
    let mail = read(&story.letter(&seated[0], Kind::GameOver));
    assert!(
        mail.text.contains("You won: the other side gave up."),
        "{}",
        mail.text
    );
}

#[test]
fn an_address_that_is_none_is_refused() {
    for address in [
        "",
        "ada",
        "ada@",
        "ada@example.org\r\nBcc: x@example.org",
        "a b@example.org",
    ] {
        let mut letter = plain_letter("verify", About::KnownAddress);
        letter.to = address.to_owned();
        assert!(compose(&letter, &sender()).is_err(), "{address:?}");
    }
    assert!(Sender::new("https://perplex.example", "nobody").is_err());
    let own = Sender::new("http://127.0.0.1:8080/", "Club <club@example.org>").expect("a sender");
    assert_eq!(own.from.to_string(), "Club <club@example.org>");
    assert_eq!(
        (own.host.as_str(), own.url.as_str()),
        ("localhost", "http://127.0.0.1:8080")
    );
}
