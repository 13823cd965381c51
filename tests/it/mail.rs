//! The text and the look of mails: `mail/mails.txt` has each kind of mail as the headers and the plain text, and as
//! the HTML. See `golden` for how to rewrite it.
//!
//! And their way out: from the outbox, on both databases, as files and through a real mail server that refuses some.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::golden::{HEADING, compare};
use crate::support::{Database, Folder, PATIENCE, Sink};
use crate::teams::people::Browser;
use crate::test_app::{
    PASSWORD, TestApp, done, everywhere_with, has, join, mails_without, play, quixo_with,
    sign_up_form,
};
use chrono_tz::Tz;
use mail_parser::{MessageParser, MimeHeaders as _};
use perplex::app::accounts::SignUp;
use perplex::app::correspondence::{NewMatch, Opponent};
use perplex::app::mail_kind::{MailKind, Notice};
use perplex::app::mails::{DueMail, MatchNews, Off, Outcome};
use perplex::app::team::join_link;
use perplex::app::{Viewer, Visitor};
use perplex::mail::account::AccountText;
use perplex::mail::correspondence::{Invitation, News};
use perplex::mail::page::TurnLine;
use perplex::mail::settings::MailServer;
use perplex::mail::team::{TeamText, Waits};
use perplex::mail::text::Line;
use perplex::mail::worker::deliver;
use perplex::mail::{self, About, Message, Sender, Transport, compose, text};
use perplex::picture::picture;
use perplex::secret::Key;
use perplex::store::StoreError;
use perplex::store::outbox::{self, MailRow, NewMail, OutboxState, Urgency};
use perplex::texts::days as days_in_words;
use perplex::texts::news::Announcement;
use perplex_games::board::View;
use perplex_games::registry::GAMES;
use perplex_matches::correspondence::event::{Event, Terms};
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::correspondence::{Command, Match, create};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::notice::MailKind as TeamMail;
use perplex_matches::time::{Time, days, hours};

mod correspondence;
mod links;
mod odd_data;

/// 21 November 2026, 08:30 UTC.
const START: Time = Time(1_795_249_800_000_000);

fn account(id: &str) -> AccountId {
    AccountId(id.to_owned())
}

fn sender() -> Sender {
    Sender::new("https://perplex.example", "games@perplex.example").expect("sender")
}

/// A correspondence match: the people, the events so far and the notes.
struct Story {
    events: Vec<Event>,
    names: BTreeMap<AccountId, String>,
    notes: BTreeMap<i32, (AccountId, Option<String>)>,
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
        let events = state.decide(&account(who), command, self.now, 0);
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
        self.act(who, &play(ply, turn));
        if !note.is_empty() {
            let event = self.state().turns.last().expect("a turn").1;
            self.notes
                .insert(event, (account(who), Some(note.to_owned())));
        }
    }

    fn letter(&self, reader: &str, kind: MatchMail) -> Message {
        let event = self.events.last().expect("an event").clone();
        let id = MatchId("k3v9x0abcd".to_owned());
        let key = Key::new([7; 64]);
        let word = MailKind::Match(kind).key();
        let about = format!("{reader}/{word}");
        Message {
            message_id: format!("{word}.{id}.{}.{reader}", event.number),
            to: format!("{reader}@example.org"),
            name: self.names[&account(reader)].clone(),
            at: self.now,
            thread: Some(format!("match.{id}.{reader}")),
            off: off_kind(
                MailKind::Match(kind),
                key.seal("mail-off", &about, "", START + days(3_650)),
            ),
            about: About::Match(Box::new(News(MatchNews {
                kind,
                at: self.now,
                id,
                state: self.state(),
                event,
                reader: account(reader),
                zone: Tz::Europe__Berlin,
                official_signs: false,
                away: Duration::ZERO,
                said: Vec::new(),
                address: String::new(),
                names: self.names.clone(),
                notes: self.notes.clone(),
            }))),
        }
    }
}

fn off_kind(kind: MailKind, token: String) -> Off {
    let key = Key::new([7; 64]);
    Off::Kinds {
        kinds: vec![kind],
        token,
        settings: key.seal("mail-settings", "a1", "", START + days(3_650)),
        about: None,
    }
}

fn plain_letter(kind: &str, about: About) -> Message {
    Message {
        message_id: format!("{kind}.a1@perplex.example"),
        to: "ada@example.org".to_owned(),
        name: "Ada".to_owned(),
        at: START,
        thread: None,
        off: Off::Never,
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

/// One mail of every kind about accounts.
fn letters_about_accounts() -> Vec<(&'static str, Message)> {
    let key = Key::new([7; 64]);
    let token = |purpose, subject| key.seal(purpose, subject, "state", START + days(1));
    let mut letters = vec![
        (
            "verify",
            plain_letter(
                "verify",
                About::Account(AccountText::Verify {
                    token: token("verify", "a1"),
                }),
            ),
        ),
        (
            "reset",
            plain_letter(
                "reset",
                About::Account(AccountText::Reset {
                    token: token("reset", "a1"),
                }),
            ),
        ),
        (
            "known-address",
            plain_letter("known-address", About::Account(AccountText::KnownAddress)),
        ),
        (
            "change-address",
            plain_letter(
                "change-address",
                About::Account(AccountText::ChangeAddress {
                    token: token("email", "a1/new+me@example.org"),
                }),
            ),
        ),
        (
            "old-address",
            plain_letter(
                "old-address",
                About::Account(AccountText::OldAddress {
                    new: Line::new("new+me@example.org", 254),
                    token: token("undo", "a1/u1"),
                }),
            ),
        ),
    ];
    let notices = [
        ("signed-in", Notice::SignedIn),
        ("new-password", Notice::NewPassword),
        ("second-factor-on", Notice::SecondFactorOn),
        ("second-factor-off", Notice::SecondFactorOff),
        ("second-factor-removed", Notice::SecondFactorRemoved),
        ("recovery-code", Notice::RecoveryCode { left: 9 }),
    ];
    letters.extend(notices.map(|(kind, notice)| {
        let about = About::Account(AccountText::Notice {
            notice,
            when: START.local(Tz::Europe__Berlin),
            browser: "Firefox on Linux".to_owned(),
        });
        (kind, plain_letter(kind, about))
    }));
    let mut invitation = plain_letter(
        "invitation",
        About::Invitation(Invitation {
            from: Line::name("Ada"),
            path: format!("/join/k3v9x0abcd/{}", key.mac("join", &["k3v9x0abcd"])),
            game: "Quixo".to_owned(),
            tagline: "Take a cube from the edge, push it back in, and make five in a row."
                .to_owned(),
            days: days_in_words(3),
            open: true,
        }),
    );
    invitation.name = String::new();
    invitation.off = Off::Invitations(token("no-invitations", "0123456789abcdef01234567"));
    letters.push(("invitation", invitation));
    letters
}

/// One mail of every kind about team matches.
fn letters_about_teams() -> Vec<(&'static str, Message)> {
    let key = Key::new([7; 64]);
    let off = |kind: &str| {
        let token = key.seal("mail-off", &format!("a1/{kind}"), "", START + days(3_650));
        off_kind(MailKind::find(kind).expect("a kind"), token)
    };
    let invitation = |known| {
        About::Team(TeamText::Invitation {
            from: Line::name("Hanna"),
            path: join_link(&key, &MatchId("k3v9x0abcd".to_owned()), 0),
            title: Line::name("Class 7b against 7c"),
            terms: "Two teams play on 3 boards at once (small). There is no time limit.".to_owned(),
            known,
            open: true,
        })
    };
    let mut known = plain_letter("team-invitation", invitation(true));
    known.off = off("team-invitation");
    let mut stranger = plain_letter("team-invitation-stranger", invitation(false));
    stranger.name = String::new();
    let address = "0123456789abcdef01234567";
    stranger.off = Off::Invitations(key.seal("no-invitations", address, "", START + days(3_650)));
    let monday = Waits {
        title: Line::name("Monday"),
        path: "/team/k3v9x0abcd".to_owned(),
        what: vec![
            "it is your turn on board 2".to_owned(),
            "your answer is wanted on board 3".to_owned(),
        ],
        left: Some("2 days".to_owned()),
    };
    let other = Waits {
        title: Line::name("Chess club"),
        path: "/team/x0abcdk3v9".to_owned(),
        what: vec!["you are to decide a dispute on board 1".to_owned()],
        left: None,
    };
    let thread = Some("match.k3v9x0abcd.a1".to_owned());
    let boards = vec![
        TurnLine {
            turn: "Gus played e5 on board 2.".to_owned(),
            note: String::new(),
        },
        TurnLine {
            turn: "Hal proposed a rule for board 3: “Pawns may wait.”".to_owned(),
            note: "In force on board 3: “Knights also step.” “The queen is tired.”".to_owned(),
        },
    ];
    let waits = monday.clone();
    let mut turn = plain_letter(
        "team-turn",
        About::Team(TeamText::Turn {
            waits,
            boards,
            news: Vec::new(),
            points_out: "Board 2: This rule names White. A rule holds for both colours alike."
                .to_owned(),
            pictures: Vec::new(),
        }),
    );
    turn.off = off("team-turn");
    turn.thread.clone_from(&thread);
    let one = |headline: &str, detail: &str| Announcement {
        headline: headline.to_owned(),
        detail: detail.to_owned(),
    };
    let waits = Waits {
        what: Vec::new(),
        ..monday.clone()
    };
    let began = vec![one("The match began", "You play board 2 for White.")];
    let mut began = plain_letter(
        "team-news",
        About::Team(TeamText::News { waits, news: began }),
    );
    began.off = off("team-news");
    began.thread.clone_from(&thread);
    let many = (1..=11).map(|n| one(&format!("A rule changed on board {n}"), ""));
    let last = [
        one(
            "A white pawn arrived on your board 2",
            "Ada moved the pawn on e4 from board 1 to board 2.",
        ),
        one(
            "Board 3: White won by resignation",
            "Hal resigned board 3. Board 3: White won by resignation.",
        ),
    ];
    let news = many.chain(last).collect();
    let waits = monday.clone();
    let mut news = plain_letter("team-news", About::Team(TeamText::News { waits, news }));
    news.off = off("team-news");
    news.thread = thread;
    let matches = vec![monday, other];
    let mut waiting = plain_letter("team-waiting", About::Team(TeamText::Waiting { matches }));
    waiting.off = off("team-waiting");
    let offer = |owner| {
        let about = About::Account(AccountText::ClassOffer {
            from: Line::name("Hanna"),
            class: Line::name("7b"),
            owner,
        });
        let mut letter = plain_letter("class-offer", about);
        letter.off = off("class-offer");
        letter
    };
    let declined = TeamText::Declined {
        who: Line::name("Gus"),
        title: Line::name("Monday"),
        path: "/team/k3v9x0abcd".to_owned(),
    };
    let mut declined = plain_letter("team-declined", About::Team(declined));
    declined.off = off("team-declined");
    vec![
        ("team-declined", declined),
        ("class-offer", offer(false)),
        ("class-offer-to-own", offer(true)),
        ("team-invitation", known),
        ("team-invitation-stranger", stranger),
        ("team-news", began),
        ("team-news-many", news),
        ("team-turn", turn),
        ("team-waiting", waiting),
    ]
}

/// One mail of every kind, and some variants of the same kind.
fn letters() -> Vec<(&'static str, Message)> {
    let mut letters = letters_about_accounts();
    letters.extend(letters_about_teams());
    let mut story = Story::new("Ada", "Ben");
    letters.push(("challenge", story.letter("b2", MatchMail::Challenge)));
    let mut refused = Story::new("Ada", "Ben");
    refused.act("b2", &Command::Refuse);
    letters.push(("refused", refused.letter("a1", MatchMail::Refused)));
    story.join("b2");
    letters.push(("started", story.letter("b2", MatchMail::Started)));
    letters.push(("your-turn-first", story.letter("a1", MatchMail::YourTurn)));
    story.play("a1", "c1-a1", "");
    story.play("b2", "e5-e1", "");
    story.play(
        "a1",
        "a1-a5",
        "Good luck & have fun!\n\nI haven't played this in years, so don't expect too much of me; \
         but I have read the rules <twice> by now.",
    );
    letters.push(("your-turn", story.letter("b2", MatchMail::YourTurn)));
    let mut offer = story.letter("b2", MatchMail::YourTurn);
    story.act("a1", &Command::Offer);
    letters.push(("draw-offer", story.letter("b2", MatchMail::DrawOffer)));
    if let (About::Match(news), About::Match(after)) = (
        &mut offer.about,
        story.letter("b2", MatchMail::YourTurn).about,
    ) {
        news.0.state = after.0.state;
    }
    letters.push(("your-turn-offer", offer));
    let mut more = Story::new("Ada", "Ben");
    let mut left = more.letter("a1", MatchMail::Left);
    if let About::Match(news) = &mut left.about {
        news.0.event.by = Some(account("b2"));
    }
    letters.push(("left", left));
    more.join("b2");
    more.act("b2", &Command::Offer);
    more.act("a1", &Command::Decline);
    letters.push(("draw-declined", more.letter("b2", MatchMail::DrawDeclined)));
    let mut talk = more.letter("b2", MatchMail::Talk);
    let mut after_outage = more.letter("a1", MatchMail::Reminder);
    if let (About::Match(talk), About::Match(reminder)) = (&mut talk.about, &mut after_outage.about)
    {
        let said = [
            "Nice to play you again!",
            "Next week I am away,\nbut I have a <phone>.",
        ];
        talk.0.said = said
            .map(|text| (account("a1"), Some(text.to_owned())))
            .into();
        reminder.0.away = hours(25);
    }
    let turn = story.letter("b2", MatchMail::YourTurn);
    letters.push((
        "together",
        Message {
            message_id: format!("together-{}", turn.message_id),
            thread: None,
            about: About::Together(vec![turn.about.clone(), talk.about.clone()]),
            ..turn
        },
    ));
    letters.push(("talk", talk));
    letters.push(("reminder-after-outage", after_outage));
    story.now = START + days(2) + hours(8);
    letters.push(("reminder", story.letter("b2", MatchMail::Reminder)));
    story.act("b2", &Command::Accept);
    letters.push(("game-over-draw", story.letter("a1", MatchMail::GameOver)));

    let mut story = Story::new("Ada", "Ben");
    story.join("b2");
    for (who, turn) in SHORT_GAME {
        let note = if who == "b2" { "" } else { "Ha!" };
        story.play(who, turn, note);
    }
    letters.push(("game-over-won", story.letter("a1", MatchMail::GameOver)));
    letters.push(("game-over-lost", story.letter("b2", MatchMail::GameOver)));

    let mut story = Story::new("Ada", "Ben");
    story.join("b2");
    story.play("a1", "c1-a1", "");
    story.act("b2", &Command::Resign);
    letters.push((
        "game-over-resigned",
        story.letter("b2", MatchMail::GameOver),
    ));
    letters
}

/// The mail as its receiver reads it.
struct Read {
    raw: String,
    text: String,
    html: String,
    /// The pictures that go with it: the Content-ID and the PNG of each.
    pictures: Vec<(String, Vec<u8>)>,
}

fn read(letter: &Message) -> Read {
    let raw = compose(letter, &sender()).expect("a letter").formatted();
    Read::from(String::from_utf8(raw).expect("text"))
}

impl Read {
    fn from(raw: String) -> Self {
        let mail = MessageParser::default().parse(&raw).expect("a mail");
        assert_eq!(mail.text_body_count(), 1);
        assert_eq!(mail.html_body_count(), 1);
        let pictures: Vec<(String, Vec<u8>)> = mail
            .attachments()
            .map(|part| {
                let kind = part.content_type().expect("a type");
                assert_eq!((kind.ctype(), kind.subtype()), ("image", Some("png")));
                let disposition = part.content_disposition().expect("a disposition");
                assert!(disposition.is_inline());
                let id = part.content_id().expect("an id").to_owned();
                (id, part.contents().to_vec())
            })
            .collect();
        let text = mail
            .body_text(0)
            .expect("a text part")
            .replace("\r\n", "\n");
        let html = mail
            .body_html(0)
            .expect("an HTML part")
            .replace("\r\n", "\n");
        for (id, _) in &pictures {
            assert_eq!(
                html.matches(&format!("src=\"cid:{id}\"")).count(),
                1,
                "{html}"
            );
        }
        assert_eq!(html.matches("<img").count(), pictures.len(), "{html}");
        Self {
            raw,
            text,
            html,
            pictures,
        }
    }

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

/// The HTML of a mail in two parts: the frame that all mails share, with `TITLE` and `BODY` in it, and its own
/// content.
fn apart(html: &str) -> (String, String) {
    let parts = || {
        let (head, rest) = html.split_once("<title>")?;
        let (title, rest) = rest.split_once("</title>")?;
        let start = rest.find("<div style=\"max-width")?;
        let start = start + rest[start..].find('\n')? + 1;
        let end = rest.rfind("</div>\n</body>")?;
        let frame = format!(
            "{head}<title>TITLE</title>{}BODY{}",
            &rest[..start],
            &rest[end..]
        );
        let own = format!("<title>{title}</title>\n{}", &rest[start..end]);
        Some((frame, own))
    };
    parts().unwrap_or_else(|| panic!("no frame: {html}"))
}

#[test]
fn golden_mails() {
    let mut frame: Option<String> = None;
    let mut found = String::new();
    for (name, letter) in letters() {
        let mail = read(&letter);
        let (headers, _) = mail.raw.split_once("\r\n\r\n").expect("headers");
        let boundary = headers.split("boundary=\"").nth(1).expect("a boundary");
        let boundary = boundary.split('"').next().expect("its end");
        let headers = headers.replace(boundary, "BOUNDARY").replace("\r\n", "\n");
        let (around, own) = apart(&mail.html);
        let frame = frame.get_or_insert_with(|| {
            found = format!("{HEADING}the frame of all, HTML\n{around}\n");
            around.clone()
        });
        assert_eq!(around, *frame, "{name} has another frame");
        let _ = writeln!(found, "{HEADING}{name}, text\n{headers}\n\n{}", mail.text);
        let _ = writeln!(found, "{HEADING}{name}, HTML\n{own}");
    }
    compare("mail/mails.txt", &found);
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
        // Nothing is loaded, and styles are only inline.
        let html = mail.html.replace("<img src=\"cid:", "");
        for fetched in ["<img", "<link", "<style", "<script", "url(", "src="] {
            assert!(!html.contains(fetched), "{name}: {fetched}");
        }
        assert!(
            !mail.text.contains(|c: char| c.is_control() && c != '\n'),
            "{name}"
        );
        assert!(
            !mail.html.contains(|c: char| c.is_control() && c != '\n'),
            "{name}"
        );
        let is_in_thread = letter.thread.is_some();
        for header in ["In-Reply-To", "References"] {
            assert_eq!(
                mail.header(header).is_some(),
                is_in_thread,
                "{name}: {header}"
            );
        }
        for header in ["List-Unsubscribe", "List-Unsubscribe-Post"] {
            let can = letter.off.token().is_some();
            assert_eq!(mail.header(header).is_some(), can, "{name}: {header}");
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
    let mail = read(&story.letter("b2", MatchMail::YourTurn));
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

/// Names and notes that try to be more than text.
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
            let challenge = story.letter("b2", MatchMail::Challenge);
            story.join("b2");
            story.play(
                "a1",
                "c1-a1",
                &format!("{name}\r\n.\r\n--BOUNDARY\r\n{long}"),
            );
            let mut own = story.letter("b2", MatchMail::YourTurn);
            own.name = name.to_owned();
            let invitation = About::Invitation(Invitation {
                from: Line::name(name),
                path: "/join/k3v9x0abcd/00".to_owned(),
                game: "Quixo".to_owned(),
                tagline: "A game.".to_owned(),
                days: days_in_words(1),
                open: true,
            });
            let letters = [
                challenge,
                story.letter("b2", MatchMail::YourTurn),
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
                assert!(!mail.html.contains("<script>") && !mail.html.contains("<img src=x"));
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
    let mail = read(&story.letter("b2", MatchMail::YourTurn));
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

/// The words beside a name that is written from right to left stay where they are; a note is written as its author wrote it.
#[test]
fn names_from_right_to_left_keep_their_place() {
    let mut story = Story::new("محمد", "דוד בן-עמי");
    story.join("b2");
    story.play("a1", "c1-a1", "שלום 3");
    let mail = read(&story.letter("b2", MatchMail::YourTurn));
    let parsed = MessageParser::default().parse(&mail.raw).expect("a mail");
    let subject = "Your turn: Quixo against \u{2068}محمد\u{2069}";
    assert_eq!(parsed.subject(), Some(subject));
    for text in [&mail.text, &mail.html] {
        has(text, "Hello \u{2068}דוד בן-עמי\u{2069},");
        has(text, "\u{2068}محمد\u{2069} played c1-a1.");
    }
    has(&mail.text, "> שלום 3");
    has(&mail.html, "dir=\"auto\">שלום 3<");
}

#[test]
fn a_message_id_is_well_formed_whatever_the_outbox_holds() {
    for (found, expected) in [
        ("verify.01a", "<verify.01a@perplex.example>"),
        ("<verify.01a@other.example>", "<verify.01a@other.example>"),
        ("a b\r\nBcc: <x>", "<abBccx@perplex.example>"),
    ] {
        let mut letter = plain_letter("verify", About::Account(AccountText::KnownAddress));
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
    let mail = read(&story.letter(last, MatchMail::YourTurn));
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
    let mail = read(&story.letter(&seated[1], MatchMail::GameOver));
    assert!(
        mail.text.contains("You lost: your side gave up."),
        "{}",
        mail.text
    );
    let mail = read(&story.letter(&seated[0], MatchMail::GameOver));
    assert!(
        mail.text.contains("You won: the other side gave up."),
        "{}",
        mail.text
    );
}

/// The width and the height of a PNG, which is whole.
fn size_of(picture: &[u8]) -> (u32, u32) {
    assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
    let mut reader = png::Decoder::new(Cursor::new(picture))
        .read_info()
        .expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("pixels");
    (frame.width, frame.height)
}

/// The mail shows one board, in a picture that phones have room for.
fn is_small_picture(mail: &Read) {
    let [(_, picture)] = mail.pictures.as_slice() else {
        panic!("{} pictures: {}", mail.pictures.len(), mail.html);
    };
    let (width, height) = size_of(picture);
    assert_eq!(width.max(height), 680, "{width} × {height}");
    assert!(picture.len() <= 40_000, "{} bytes", picture.len());
    let shown = width / 2;
    let style = format!("width:100%;max-width:{shown}px;height:auto");
    assert!(mail.html.contains(&style), "{}", mail.html);
    assert!(
        mail.html.contains("alt=\"The board: you play"),
        "{}",
        mail.html
    );
    assert!(!mail.html.contains("<pre"), "{}", mail.html);
}

#[test]
fn pictures_stay_small_through_a_game() {
    for entry in GAMES {
        for variant in entry.card.variants {
            let mut game = entry.setup(variant.key).expect("a variant");
            for number in 0..60 {
                let turns = game.legal();
                if turns.is_empty() {
                    break;
                }
                let turn = &turns[(number * 7_919 + 3) % turns.len()];
                game.play(turn).expect("legal");
                if number % 20 == 19 {
                    let svg = game.diagram().svg(&View {
                        coordinates: true,
                        defs: true,
                        brief: true,
                        ..View::default()
                    });
                    let bytes = picture(&svg).expect("a picture").png.len();
                    let key = entry.card.key;
                    assert!(bytes <= 40_000, "{key} {}: {bytes} bytes", variant.key);
                }
            }
        }
    }
}

#[test]
fn a_picture_shows_the_board_from_its_readers_side() {
    let mut story = Story::new("Ada", "Ben");
    let terms = Terms {
        game: "pijersi".to_owned(),
        variant: String::new(),
        days: 3,
        open: true,
    };
    story.events = create(&account("a1"), terms, None, None, START).expect("terms");
    story.join("b2");
    let picture = |story: &Story, reader| read(&story.letter(reader, MatchMail::GameOver)).pictures;
    assert_ne!(picture(&story, "a1")[0].1, picture(&story, "b2")[0].1);
    let state = story.state();
    let mover = state.player_to_move().expect("a player").0.clone();
    let before = picture(&story, &mover);
    story.play(&mover, &state.game.legal()[0], "");
    let mail = read(&story.letter(&mover, MatchMail::GameOver));
    assert_ne!(before[0].1, mail.pictures[0].1);
    let clause = &story.state().game.past()[0].clause;
    let alt = format!("alt=\"The board: you play White. You {clause}.\"");
    assert!(mail.html.contains(&alt), "{}", mail.html);
}

#[test]
fn several_boards_in_one_mail_are_pictures_only() {
    let mut story = Story::new("Ada", "Ben");
    story.join("b2");
    story.play("a1", "c1-a1", "");
    let turn = story.letter("b2", MatchMail::YourTurn);
    let mail = read(&Message {
        about: About::Together(vec![turn.about.clone(); 8]),
        ..turn
    });
    assert_eq!(mail.pictures.len(), 6);
    assert!(!mail.html.contains("<pre"), "{}", mail.html);
    assert!(!mail.text.contains("a b c d e"), "{}", mail.text);
}

#[test]
fn every_game_fits_into_a_mail() {
    for entry in GAMES {
        for variant in entry.card.variants {
            let terms = Terms {
                game: entry.card.key.to_owned(),
                variant: variant.key.to_owned(),
                days: 30,
                open: true,
            };
            let mut story = Story::new("Ada", "Ben");
            story.events = create(&account("a1"), terms, None, None, START).expect("terms");
            for number in 1..story.state().game.seats().len() {
                let who = format!("p{number}");
                story.names.insert(account(&who), who.to_uppercase());
                story.join(&who);
            }
            for _ in 0..6 {
                let state = story.state();
                let (Some(mover), turns) = (state.player_to_move(), state.game.legal()) else {
                    break;
                };
                story.play(&mover.0, &turns[turns.len() / 2], "");
            }
            let state = story.state();
            let Some(mover) = state.player_to_move() else {
                continue;
            };
            let mail = read(&story.letter(&mover.0, MatchMail::YourTurn));
            is_small_picture(&mail);
            for note in state.game.notes() {
                assert!(mail.html.contains(&note), "{}", mail.html);
            }
            let seat = state.seat_of(mover).expect("a seat");
            let text = state.game.text(state.game.facing(seat));
            for line in text.trim_end().lines() {
                assert!(mail.text.contains(line.trim_end()), "{}", mail.text);
            }
            for line in mail.text.lines() {
                let fits = line.chars().count() <= 78 || line.starts_with("https://");
                assert!(fits, "{}", mail.text);
            }
            if let Some(folder) = std::env::var_os("PERPLEX_MAILS") {
                let name = format!("{}{}.html", entry.card.key, variant.key);
                fs::write(Path::new(&folder).join(name), &mail.html).expect("writable");
            }
        }
    }
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
        let mut letter = plain_letter("verify", About::Account(AccountText::KnownAddress));
        letter.to = address.to_owned();
        assert!(compose(&letter, &sender()).is_err(), "{address:?}");
    }
    for from in ["nobody", "a@[192.0.2.1]"] {
        assert!(
            Sender::new("https://perplex.example", from).is_err(),
            "{from}"
        );
    }
    let own = Sender::new("http://127.0.0.1:8080/", "Club <club@example.org>").expect("a sender");
    assert_eq!(own.from.to_string(), "Club <club@example.org>");
    assert_eq!(
        (own.domain.as_str(), own.url.as_str()),
        ("example.org", "http://127.0.0.1:8080")
    );
}

/// The mail server at an address.
fn server_at(url: &str) -> MailServer {
    url.parse().unwrap_or_else(|why| panic!("{url}: {why}"))
}

#[test]
fn ids_are_of_the_sender_and_greetings_of_a_name_that_others_know() {
    for (url, from, domain, greeting) in [
        (
            "https://perplex.example",
            "a@mail.example",
            "mail.example",
            "perplex.example",
        ),
        (
            "http://192.168.1.20:8080",
            "a@mail.example",
            "mail.example",
            "mail.example",
        ),
        (
            "http://[2001:db8::20]:8080",
            "A <a@m\u{fc}ll.example>",
            "xn--mll-hoa.example",
            "xn--mll-hoa.example",
        ),
        (
            "http://127.0.0.1:8080",
            "a@mail.example",
            "mail.example",
            "mail.example",
        ),
        (
            "http://localhost:8080",
            "a@mail.example",
            "mail.example",
            "mail.example",
        ),
        (
            "http://laptop.local",
            "a@mail.example",
            "mail.example",
            "mail.example",
        ),
        (
            "http://192.168.1.20:8080",
            "a@localhost",
            "localhost",
            "[192.168.1.20]",
        ),
        (
            "http://[2001:db8::20]:8080",
            "a@localhost",
            "localhost",
            "[IPv6:2001:db8::20]",
        ),
        (
            "http://0.0.0.0:8080",
            "a@localhost",
            "localhost",
            "[127.0.0.1]",
        ),
        ("http://localhost", "a@localhost", "localhost", "localhost"),
    ] {
        let own = Sender::new(url, from).expect("a sender");
        assert_eq!(
            (&*own.domain, &*own.greeting),
            (domain, greeting),
            "{url} {from}"
        );
        let mut letter = plain_letter("verify", About::Account(AccountText::KnownAddress));
        letter.message_id = "verify.a1".to_owned();
        let mail = compose(&letter, &own).expect("a mail").formatted();
        let text = String::from_utf8_lossy(&mail).into_owned();
        let id = text.lines().find(|line| line.starts_with("Message-ID:"));
        assert!(
            id.is_some_and(|id| id.ends_with(&format!("@{domain}>"))),
            "{id:?}"
        );
    }
}

#[test]
fn a_name_with_a_comma_is_one_sender() {
    for (from, name) in [
        (
            "\"Perplex, the club\" <a@mail.example>",
            "Perplex, the club",
        ),
        (
            "St. Mary's chess club <a@mail.example>",
            "St. Mary's chess club",
        ),
        ("<a@mail.example>", "Perplex"),
        ("a@mail.example", "Perplex"),
    ] {
        let own = Sender::new("https://perplex.example", from).expect("a sender");
        let letter = plain_letter("verify", About::Account(AccountText::KnownAddress));
        let mail = compose(&letter, &own).expect("a mail").formatted();
        let mail = MessageParser::default().parse(&mail).expect("a mail");
        let senders = mail.from().expect("a sender").clone().into_list();
        let [only] = &senders[..] else {
            panic!("{from}: {senders:?}")
        };
        assert_eq!(only.name.as_deref(), Some(name), "{from}");
        assert_eq!(only.address.as_deref(), Some("a@mail.example"), "{from}");
    }
}

/// A test application on the day of the golden mails.
fn test_app(database: &Database) -> TestApp {
    let server = TestApp::new(database);
    server.set(START);
    server
}

/// Runs `story` on every database, with a folder that gets the mails.
fn on_files(story: impl AsyncFn(&TestApp, &Folder, &Transport)) {
    everywhere_with("mail", test_app, async |server| {
        let folder = Folder::new("mails");
        let post = Transport::files(folder.0.clone()).expect("a folder");
        story(server, &folder, &post).await;
    });
}

/// Runs `story` on every database, with a mail server that refuses these addresses, those in `later` once, and with
/// Ada, who has been sent all mails so far. Without a mail server it does nothing.
fn on_sink(
    refuse: &[&str],
    later: &[&str],
    story: impl AsyncFn(&TestApp, &Sink, &Transport, &Viewer),
) {
    everywhere_with("mail", test_app, async |server| {
        let Some(sink) = Sink::start(refuse, later) else {
            return;
        };
        let post =
            Transport::smtp(&server_at(&sink.url()), "perplex.example").expect("a mail server");
        let ada = person(server, "Ada").await;
        server.sweep().await;
        story(server, &sink, &post, &ada).await;
    });
}

/// A player whose address is in small letters.
async fn person(server: &TestApp, name: &str) -> Viewer {
    let email = format!("{}@example.org", name.to_lowercase());
    let form = SignUp {
        email,
        ..sign_up_form(name)
    };
    server.sign_up(form).await
}

impl TestApp {
    /// Marks the mails so far as sent.
    async fn sweep(&self) {
        for row in self.rows(OutboxState::Waiting).await {
            let store = &self.app.store;
            let sent = store.write(move |conn| outbox::sent(conn, &row.id, START));
            done::<(), StoreError>(sent).await;
        }
    }

    /// Puts a mail about an account into the outbox.
    async fn enqueue(&self, to: &Viewer, kind: &str, address: &str) {
        let now = self.app.now();
        let mail = NewMail {
            kind: kind.to_owned(),
            account_id: Some(to.id.clone()),
            address: address.to_owned(),
            match_id: None,
            event: None,
            payload: "{}".to_owned(),
            due_at: now,
            message_id: format!("{kind}.{}", address.split('@').next().unwrap_or_default()),
            urgency: Urgency::Now,
        };
        let store = &self.app.store;
        let written = store.write(move |conn| outbox::enqueue(conn, &[mail], now));
        done::<(), StoreError>(written).await;
        self.app.outbox.notify_one();
    }

    /// Lets a worker send until no mail is due.
    async fn work(&self, post: &Transport) {
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let worker = tokio::spawn(mail::run(
            Arc::clone(&self.app),
            post.clone().into(),
            sender().into(),
            async move {
                let _ = stopped.await;
            },
        ));
        let start = Instant::now();
        loop {
            let now = self.app.now();
            let waiting = self.rows(OutboxState::Waiting).await;
            if waiting.iter().all(|row| row.due_at > now) {
                break;
            }
            assert!(start.elapsed() < PATIENCE, "not sent: {waiting:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.send(()).expect("it runs");
        worker.await.expect("it ends well");
    }
}

/// The files in `folder`, in the order of their names: the name and the text of each mail.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let entry = entry.expect("a file");
            let mail = fs::read(entry.path()).expect("readable");
            let mail = MessageParser::default()
                .parse(&mail)
                .expect("a mail")
                .into_owned();
            let text = mail
                .body_text(0)
                .expect("a text part")
                .replace("\r\n", "\n");
            let kind = entry.file_name().into_string().expect("a name");
            let has_board = ["your-turn", "reminder", "game-over"]
                .iter()
                .any(|word| kind.contains(word));
            assert_eq!(mail.attachment_count(), usize::from(has_board), "{kind}");
            (kind, text)
        })
        .collect();
    files.sort_unstable();
    files
}

/// The token in the link to `path`, as a browser would send it.
fn token(text: &str, path: &str) -> String {
    let start = format!("https://perplex.example/{path}/");
    let token = text.split(&start).nth(1).expect("a link");
    let token = token.lines().next().expect("its end");
    token
        .replace("%2F", "/")
        .replace("%40", "@")
        .replace("%2B", "+")
}

#[test]
fn the_links_in_mails_work() {
    on_files(async |server, folder, post| {
        let app = &server.app;
        let visitor = Visitor::default();
        let mailed = || files(&folder.0).pop().expect("a mail").1;
        let form = SignUp {
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
            password: PASSWORD.to_owned(),
            zone: "Europe/Berlin".to_owned(),
            ..SignUp::default()
        };
        done(app.sign_up(form.clone(), &visitor)).await;
        server.work(post).await;
        // What anybody has typed as a name is no word to the owner of the address.
        let greeting = mailed();
        assert!(
            greeting.contains("Hello,") && !greeting.contains("Ada"),
            "{greeting}"
        );
        let session = done(app.verify(&token(&greeting, "verify"), PASSWORD, &visitor)).await;
        let ada = done(app.viewer(&session)).await.expect("signed in");

        server.wait(hours(1));
        let again = SignUp {
            name: "Another".to_owned(),
            ..form
        };
        app.sign_up(again, &visitor).await.expect("said nothing");
        server.work(post).await;
        assert!(
            mailed().contains("You already have an account"),
            "{}",
            mailed()
        );

        server.wait(hours(1));
        let new = "ada+new@example.org";
        done(app.request_email(&ada, new, PASSWORD)).await;
        server.work(post).await;
        let mails = files(&folder.0);
        let told = mails.iter().find(|(name, _)| name.contains("old-address"));
        // Whoever asked has typed it: it leads nowhere.
        has(&told.expect("told").1, "ada+new @ example. org");
        let link = mails
            .iter()
            .find(|(name, _)| name.contains("change-address"));
        done(app.confirm_email(&token(&link.expect("asked").1, "email"), Some(&ada))).await;
        assert_eq!(app.account(&ada).await.expect("read").email, new);

        server.wait(hours(1));
        app.request_reset(new, &visitor).await.expect("asked");
        server.work(post).await;
        let reset = token(&mailed(), "reset");
        server.wait(hours(1));
        done(app.reset(&reset, "another password", &Visitor::default())).await;
        assert!(
            app.reset(&reset, "once more", &Visitor::default())
                .await
                .is_err()
        );
        assert_eq!(files(&folder.0).len(), 5);
        assert!(server.rows(OutboxState::Dead).await.is_empty());
    });
}

#[test]
fn a_match_is_told_by_mail() {
    on_files(async |server, folder, post| {
        let app = &server.app;
        let (ada, ben) = (person(server, "Ada").await, person(server, "Ben").await);
        server.sweep().await;
        let mut wanted = quixo_with(Opponent::Named("Ben".to_owned()));
        let id = app.create(&ada, wanted.clone()).await.expect("made");
        server.wait(hours(1));
        server.work(post).await;
        app.act(&ben, &id, None, join(), "").await.expect("joined");
        server.work(post).await;
        server.wait(hours(1));
        let turn = play(0, "c1-a1");
        done(app.act(&ada, &id, None, turn, "Good luck!")).await;
        server.work(post).await;
        server.wait(hours(60));
        app.tick().await.expect("ticked");
        server.work(post).await;
        server.wait(hours(1));
        done(app.act(&ben, &id, None, Command::Resign, "Sorry!")).await;
        server.work(post).await;
        server.wait(hours(1));
        wanted.opponent = Opponent::ByMail("cleo@example.org".to_owned());
        let other = app.create(&ada, wanted).await.expect("made");
        server.work(post).await;

        let mails = files(&folder.0);
        let kinds: Vec<&str> = mails
            .iter()
            .map(|(name, _)| name.splitn(3, '-').nth(2).expect("a kind"))
            .map(|rest| rest.rsplit_once('-').expect("a hash").0)
            .collect();
        let expected = [
            "challenge",
            "your-turn",
            "your-turn",
            "reminder",
            "game-over",
            "game-over",
            "invitation",
        ];
        assert_eq!(kinds, expected);
        assert!(
            mails[2].1.contains("Ada played c1-a1.\n\n> Good luck!\n"),
            "{}",
            mails[2].1
        );
        assert!(
            mails[2].1.contains("24 November 2026, 11:30 (CET)"),
            "{}",
            mails[2].1
        );
        assert!(
            mails[3].1.contains("You have 12 hours left"),
            "{}",
            mails[3].1
        );
        let won = mails[4..6]
            .iter()
            .find(|(_, text)| text.starts_with("Hello Ada"));
        let won = &won.expect("told").1;
        assert!(won.contains("You won: Ben gave up."), "{won}");
        let link = token(&mails[6].1, "join");
        let link = format!("/join/{link}");
        assert_ne!(link, app.join_link(&other));
        Browser::on(server)
            .await
            .sees(&link, "invites you to a match")
            .await;
        let off = token(&mails[2].1, "mail/off");
        let link = format!("/mail/off/{off}");
        let mut reader = Browser::on(server).await;
        // The page asks; only its button switches anything off.
        reader
            .sees(&link, "Do you want no more mail of the kind “")
            .await;
        let off_for = async || {
            let mail = done(app.account(&ben)).await.mail;
            mail.is_off(MailKind::Match(MatchMail::YourTurn).key())
        };
        assert!(!off_for().await);
        let off = app.mail_off(&off).await;
        assert!(off_for().await);
        assert_eq!(
            off.expect("a good link"),
            [MailKind::Match(MatchMail::YourTurn)]
        );
    });
}

#[test]
fn what_is_not_needed_is_not_sent() {
    on_files(async |server, folder, post| {
        let app = &server.app;
        let ada = person(server, "Ada").await;
        let (ben, cleo) = (person(server, "Ben").await, person(server, "Cleo").await);
        server.sweep().await;
        let wanted = |name: &str| NewMatch {
            wish: Some("second".to_owned()),
            ..quixo_with(Opponent::Named(name.to_owned()))
        };
        app.create(&ada, wanted("Ben")).await.expect("made");
        app.create(&ada, wanted("Cleo")).await.expect("made");
        let off = mails_without(&["challenge"]);
        app.set_mail(&ben, off).await.expect("switched off");
        app.delete_account(&cleo, PASSWORD).await.expect("deleted");
        server.wait(hours(1));
        server.work(post).await;
        let told: Vec<String> = files(&folder.0).into_iter().map(|(name, _)| name).collect();
        assert!(
            told.iter().all(|name| !name.contains("challenge")),
            "{told:?}"
        );
        let rows = server.rows(OutboxState::Sent).await;
        let errors: Vec<&str> = rows
            .iter()
            .filter(|row| row.kind == "challenge")
            .filter_map(|row| row.error.as_deref())
            .collect();
        // The other one went with the account.
        assert_eq!(errors, ["not sent: mails of this kind are switched off"]);
    });
}

#[test]
fn after_an_outage_no_mail_says_what_is_past() {
    on_files(async |server, _, post| {
        let app = &server.app;
        let ada = person(server, "Ada").await;
        let (ben, cleo) = (person(server, "Ben").await, person(server, "Cleo").await);
        server.sweep().await;
        let wanted = |name: &str| NewMatch {
            wish: Some("first".to_owned()),
            ..quixo_with(Opponent::Named(name.to_owned()))
        };
        let mut ids = Vec::new();
        for name in ["Ben", "Ben", "Cleo", "Cleo"] {
            ids.push(app.create(&ada, wanted(name)).await.expect("made"));
        }
        let [over, going, refused, asked] = &ids[..] else {
            panic!("four matches");
        };
        let act = async |who: &Viewer, id: &MatchId, command: Command| {
            server.wait(hours(1));
            app.act(who, id, None, command, "").await.expect("done");
        };
        for id in [over, going] {
            act(&ben, id, join()).await;
            act(&ada, id, play(0, "c1-a1")).await;
            act(&ben, id, Command::Offer).await;
            act(&ben, id, play(1, "c5-a5")).await;
        }
        act(&ada, over, Command::Resign).await;
        act(&cleo, refused, Command::Refuse).await;
        server.wait(hours(48));

        // Only now there is a mail server.
        server.work(post).await;
        let mut told: Vec<(String, String)> = server
            .rows(OutboxState::Sent)
            .await
            .into_iter()
            .filter(|row| row.match_id.is_some())
            .map(|row| {
                let outcome = row.error.unwrap_or_else(|| "sent".to_owned());
                (format!("{} {}", row.address, row.kind), outcome)
            })
            .collect();
        told.sort_unstable();
        let mut told: Vec<(&str, &str)> = told
            .iter()
            .map(|(what, how)| (what.as_str(), how.as_str()))
            .collect();
        told.dedup();
        let answered = "not sent: the challenge was answered or taken back";
        let past = "not sent: there was a turn in the meantime";
        let end = "not sent: the match is over";
        assert_eq!(
            told,
            [
                (
                    "ada@example.org draw-offer",
                    "not sent: the mail that leaves with it tells it"
                ),
                ("ada@example.org draw-offer", end),
                ("ada@example.org game-over", "sent"),
                ("ada@example.org refused", "sent"),
                ("ada@example.org your-turn", end),
                ("ada@example.org your-turn", past),
                ("ada@example.org your-turn", "sent"),
                ("ben@example.org challenge", answered),
                ("ben@example.org game-over", "sent"),
                ("ben@example.org your-turn", end),
                ("ben@example.org your-turn", past),
                ("cleo@example.org challenge", answered),
                ("cleo@example.org challenge", "sent"),
            ]
        );
        let _ = asked;
    });
}

#[test]
fn what_is_seen_on_the_site_is_not_mailed() {
    on_files(async |server, folder, post| {
        let app = &server.app;
        let (ada, ben) = (person(server, "Ada").await, person(server, "Ben").await);
        let mut browser = Browser::of(server, "Ben").await;
        server.sweep().await;
        let minutes = |minutes| server.wait(Duration::from_mins(minutes));
        let sent = || -> Vec<String> {
            let names = files(&folder.0).into_iter().map(|(_, text)| text);
            names
                .filter_map(|text| text.lines().next().map(str::to_owned))
                .collect()
        };
        let id = done(app.create(&ada, quixo_with(Opponent::Named("Ben".to_owned())))).await;
        let act = async |who: &Viewer, command: Command| {
            app.act(who, &id, None, command, "").await.expect("done");
        };
        let last_about_turns = async || {
            let rows = server.rows(OutboxState::Waiting).await.into_iter();
            let row = rows
                .filter(|row| row.kind == "your-turn")
                .max_by_key(|row| row.event);
            row.expect("a mail that waits")
        };

        // Both are on the site, and answer within minutes: only the last turn is left to tell.
        minutes(2);
        act(&ben, join()).await;
        server.work(post).await;
        minutes(2);
        act(&ada, play(0, "c1-a1")).await;
        server.work(post).await;
        minutes(2);
        act(&ben, play(1, "c5-a5")).await;
        server.work(post).await;
        assert_eq!(sent(), [""; 0]);
        minutes(6);
        server.work(post).await;
        assert_eq!(sent(), ["Hello Ada,"]);

        // A page that a script fetches may be behind another window, and one that loads itself anew, or is fetched
        // beforehand, before nobody; one that is opened is seen.
        let page = format!("/match/{id}");
        browser.opens("/").await;
        act(&ada, play(2, "d1-a1")).await;
        let row = last_about_turns().await;
        assert!(row.due_at > app.now());
        browser.get(&page).await;
        for by_itself in [
            ("Sec-Fetch-Site", "same-origin"),
            ("Sec-Purpose", "prefetch"),
        ] {
            browser.opens_with(&page, &[by_itself]).await;
        }
        assert!(server.is_wanted(&row).await);
        browser.opens(&page).await;
        assert!(!server.is_wanted(&row).await);
        // A page that is open in front asks, and says what it shows, and whether somebody is there.
        act(&ben, play(3, "d5-a5")).await;
        act(&ada, play(4, "e1-a1")).await;
        let row = last_about_turns().await;
        let event = row.event.expect("an event");
        browser
            .get(&format!("{page}/heads?after={}.0&touched=1", event - 1))
            .await;
        assert!(server.is_wanted(&row).await);
        browser.get(&format!("{page}/heads?after={event}.0")).await;
        assert!(server.is_wanted(&row).await);
        let shows = format!("{page}/heads?after={event}.0&touched=1");
        browser.get(&shows).await;
        assert!(!server.is_wanted(&row).await);
        minutes(6);
        server.work(post).await;
        assert_eq!(sent(), ["Hello Ada,"]);

        // Those who are away are told at once.
        server.wait(hours(1));
        act(&ben, play(5, "e5-a5")).await;
        server.work(post).await;
        assert_eq!(sent(), ["Hello Ada,", "Hello Ada,"]);
    });
}

#[test]
fn a_refused_address_does_not_stop_the_others() {
    on_sink(
        &["nobody@example.org"],
        &[],
        async |server, sink, post, ada| {
            for address in [
                "nobody@example.org",
                "no address",
                "one@example.org",
                "two@example.org",
                "three@example.org",
            ] {
                server.enqueue(ada, "known-address", address).await;
            }
            server.enqueue(ada, "unheard-of", "four@example.org").await;
            server.work(post).await;
            let mut to: Vec<String> = sink.taken().into_iter().flat_map(|mail| mail.to).collect();
            to.sort_unstable();
            assert_eq!(
                to,
                ["one@example.org", "three@example.org", "two@example.org"]
            );
            let dead = server.rows(OutboxState::Dead).await;
            let error = |address: &str| {
                let row = dead
                    .iter()
                    .find(|row| row.address == address)
                    .expect("dead");
                (row.attempts, row.error.clone().expect("an error"))
            };
            assert_eq!(dead.len(), 3);
            let (tries, why) = error("nobody@example.org");
            assert!(
                tries == 1 && why.contains("550") && why.contains("Nobody"),
                "{why}"
            );
            assert!(error("no address").1.contains("not a mail address"));
            assert!(error("four@example.org").1.contains("unheard-of"));
            // An admin removes one, and has another tried again.
            server.admin("Host").await;
            let mut admin = Browser::of(server, "Host").await;
            let page = "/admin/mail?state=dead";
            let bad = |address: &str| {
                let mut rows = dead.iter();
                let row = rows.find(|row| row.address == address);
                row.expect("dead").id.clone()
            };
            let form = [("mail", &*bad("no address")), ("state", "dead")];
            let got = admin.send(page, "/admin/mail/remove", &form).await;
            assert_eq!(got.to, "/admin/mail?state=dead&done=mail-removed");
            admin.lacks(page, "no address").await;
            admin.sees(page, "nobody@example.org").await;
            let form = [("mail", &*bad("nobody@example.org"))];
            let got = admin.send(page, "/admin/mail/retry", &form).await;
            assert_eq!(got.to, "/admin/mail?state=waiting&done=retry");
            admin.lacks(page, "nobody@example.org").await;
            assert_eq!(server.rows(OutboxState::Dead).await.len(), 1);
        },
    );
}

#[test]
fn a_reader_whose_address_is_refused_is_told_on_the_site() {
    let refused = ["ada@example.org", "nobody@example.org"];
    on_sink(&refused, &[], async |server, _, post, ada| {
        const SAYS: &str = "<strong>Mail to ada@example.org was refused.</strong>";
        let mut browser = Browser::of(server, "Ada").await;
        server.sweep().await;
        // What the mail program cannot make says nothing of the address.
        server.enqueue(ada, "unheard-of", "ada@example.org").await;
        server.work(post).await;
        browser.lacks("/matches", SAYS).await;
        server
            .enqueue(ada, "known-address", "ada@example.org")
            .await;
        server.work(post).await;
        for page in ["/matches", "/account"] {
            browser.sees(page, SAYS).await;
            browser.sees(page, "Nobody here has this address").await;
        }
        browser.sees("/matches", "href=\"/account#h-email\"").await;
        // A mail to another address says nothing of this one, nor that it is refused.
        for other in ["nobody@example.org", "two@example.org"] {
            server.enqueue(ada, "known-address", other).await;
            server.work(post).await;
            browser.sees("/matches", SAYS).await;
        }
        // One that gets through ends it.
        let folder = Folder::new("taken");
        let takes_all = Transport::files(folder.0.clone()).expect("a folder");
        server
            .enqueue(ada, "known-address", "ada@example.org")
            .await;
        server.work(&takes_all).await;
        for page in ["/matches", "/account"] {
            browser.lacks(page, SAYS).await;
        }
        // So does another address.
        server
            .enqueue(ada, "known-address", "ada@example.org")
            .await;
        server.work(post).await;
        browser.sees("/matches", SAYS).await;
        let app = &server.app;
        done(app.request_email(ada, "right@example.org", PASSWORD)).await;
        let rows = server.take_rows().await;
        let row = rows.iter().find(|row| row.kind == "change-address");
        let token = server.token_in(row.expect("a mail")).await;
        done(app.confirm_email(&token, Some(ada))).await;
        assert!(done(app.refused_mail(ada)).await.is_none());

        // An inviter is told, too, until the invitation is sent again.
        let mut inviter = Browser::of(server, "Ada").await;
        server.sweep().await;
        let wanted = quixo_with(Opponent::ByMail("nobody@example.org".to_owned()));
        let id = app.create(ada, wanted).await.expect("made");
        let page = format!("/match/{id}");
        inviter.lacks(&page, "could not be delivered").await;
        server.work(post).await;
        inviter.sees(&page, "could not be delivered").await;
        let again = [("address", "nobody@example.org"), ("do", "again")];
        let got = inviter
            .send(&page, &format!("{page}/address"), &again)
            .await;
        assert_eq!(got.status, 303, "{}", got.text);
        inviter.lacks(&page, "could not be delivered").await;
    });
}

#[test]
fn a_mail_server_gets_the_picture() {
    on_sink(&[], &[], async |server, sink, post, ada| {
        let ben = person(server, "Ben").await;
        server.sweep().await;
        let wanted = quixo_with(Opponent::Named("Ben".to_owned()));
        let app = &server.app;
        let id = app.create(ada, wanted).await.expect("made");
        app.act(&ben, &id, None, join(), "").await.expect("joined");
        server.wait(hours(1));
        done(app.act(ada, &id, None, play(0, "c1-a1"), "")).await;
        server.work(post).await;
        let taken = sink.taken();
        let mail = taken.last().expect("a mail");
        assert_eq!(mail.to, ["ben@example.org"]);
        is_small_picture(&Read::from(mail.data.clone()));
    });
}

/// The server is busy, or will not pass on mail of ours: the admin has to repair that, and no reader.
#[test]
fn a_mail_that_was_put_off_is_sent_later() {
    const ADA: &str = "ada@example.org";
    for (answer, code) in [("", "451"), ("=554 5.7.1 Relay access denied", "554")] {
        let later = format!("{ADA}{answer}");
        on_sink(&[], &[&later], async |server, sink, post, ada| {
            let mut browser = Browser::of(server, "Ada").await;
            server.sweep().await;
            server.enqueue(ada, "known-address", ADA).await;
            server.work(post).await;
            assert!(sink.taken().is_empty());
            browser.lacks("/matches", "was refused").await;
            let [row] = &server.rows(OutboxState::Waiting).await[..] else {
                panic!("one row")
            };
            let error = row.error.as_deref();
            assert!(error.is_some_and(|error| error.contains(code)), "{error:?}");
            let pause = server.app.now().until(row.due_at);
            assert!(pause >= Duration::from_secs(48) && pause <= Duration::from_secs(72));
            server.wait(pause);
            server.work(post).await;
            let [mail] = &sink.taken()[..] else {
                panic!(
                    "one mail: {:?} {:?}",
                    sink.taken(),
                    server.rows(OutboxState::Waiting).await
                )
            };
            assert_eq!(mail.to, [ADA]);
            assert_eq!(mail.from, "games@perplex.example");
            let [row] = &server.rows(OutboxState::Sent).await[..1] else {
                panic!("one row")
            };
            assert_eq!((row.attempts, row.error.as_deref()), (2, None));
        });
    }
}

#[test]
fn without_a_mail_server_mails_wait_for_three_days() {
    everywhere_with("mail", test_app, async |server| {
        // No program listens there.
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("bound").port();
        drop(free);
        let url = format!("smtp://127.0.0.1:{port}");
        let post = Transport::smtp(&server_at(&url), "localhost").expect("an address");
        let ada = person(server, "Ada").await;
        server.sweep().await;
        server
            .enqueue(&ada, "known-address", "ada@example.org")
            .await;
        let mut tries = 0;
        let start = server.app.now();
        loop {
            server.work(&post).await;
            let waiting = server.rows(OutboxState::Waiting).await;
            let Some(row) = waiting.first() else { break };
            tries += 1;
            assert_eq!(row.attempts, tries);
            server.wait(server.app.now().until(row.due_at));
        }
        let [dead] = &server.rows(OutboxState::Dead).await[..] else {
            panic!("one row")
        };
        assert_eq!(dead.attempts, 9);
        let waited = start.until(dead.dead_at.expect("given up"));
        assert!(waited > hours(48) && waited < hours(84), "{waited:?}");
    });
}

#[test]
fn a_crash_between_sending_and_marking_repeats_the_mail_under_its_id() {
    on_sink(&[], &[], async |server, sink, post, ada| {
        server
            .enqueue(ada, "known-address", "ada@example.org")
            .await;
        // The steps of a worker up to its death.
        let app = &server.app;
        let lease = || app.mark_and_lease(Vec::new(), 10, hours(1));
        let due = done(lease()).await.concat();
        assert_eq!(due.len(), 1);
        let sent = deliver(app, post, &sender(), due).await;
        assert_eq!(sent[0].1, Outcome::Sent(None));
        // Until the lease is over no other worker sends it.
        assert!(done(lease()).await.is_empty());
        server.wait(hours(1));
        server.work(post).await;
        let ids: Vec<String> = sink
            .taken()
            .iter()
            .map(|mail| {
                let mail = MessageParser::default().parse(&mail.data).expect("a mail");
                mail.message_id().expect("an id").to_owned()
            })
            .collect();
        assert_eq!(ids, ["known-address.ada@perplex.example"; 2]);
        assert!(server.rows(OutboxState::Waiting).await.is_empty());
        // Sent mails are kept for a while.
        assert!(!server.rows(OutboxState::Sent).await.is_empty());
        server.lives(days(32)).await;
        server.work(post).await;
        assert!(server.rows(OutboxState::Sent).await.is_empty());
    });
}

#[test]
fn two_workers_send_every_mail_once() {
    on_sink(&[], &[], async |server, sink, post, ada| {
        for number in 0..30 {
            let address = format!("reader{number:02}@example.org");
            server.enqueue(ada, "known-address", &address).await;
        }
        tokio::join!(server.work(post), server.work(post));
        let mut to: Vec<String> = sink.taken().into_iter().flat_map(|mail| mail.to).collect();
        to.sort_unstable();
        let expected: Vec<String> = (0..30)
            .map(|number| format!("reader{number:02}@example.org"))
            .collect();
        assert_eq!(to, expected);
    });
}

#[tokio::test]
async fn addresses_of_mail_servers() {
    for url in [
        "smtp://localhost:2525",
        "smtp://mail.example.org",
        "smtp://u:p@localhost",
        "smtp://u:p@[::1]:25",
        "smtp://u:p%40@mail.example.org?tls=required",
        "smtp://u:p@mail.example.org:25/me.example.org?tls=opportunistic",
        "smtp://u:p@mail.example.org?tls=none",
        "smtps://u:p@mail.example.org:465",
        "SMTP://mail.example.org",
        "smtps://u:%2F%3F%23%25,+&@mail.example.org",
    ] {
        assert!(
            Transport::smtp(&server_at(url), "localhost").is_ok(),
            "{url}"
        );
    }
    for url in [
        "",
        "mail.example.org",
        "http://mail.example.org",
        "smtp://",
        "smtp://u:hunter2@mail.example.org",
        "smtp://u:hunter2@localhost.example.org",
        "smtp://u:hunter2@mail.example.org?tls=maybe",
        "smtps://u:hunter2@mail.example.org?tls=none",
        "smtp://u:hunter2@mail.example.org:port?tls=required",
        "smtps://u:hunter2/@mail.example.org",
        "smtps://u:hunter2?@mail.example.org",
        "smtps://u:hunter2#@mail.example.org",
        "smtps://u:hunter2%@mail.example.org",
        "smtps://u:hunter2%ff@mail.example.org",
        "smtps://hunter2@mail.example.org",
        "smtps://mail.example.org#hunter2",
    ] {
        let error = url.parse::<MailServer>().unwrap_err();
        assert!(!error.contains("hunter2"), "{error}");
    }
    let server = server_at("smtps://me%40here:%2F%3f%23%25%20a+b@[2001:db8::1]");
    let login = ("me@here".to_owned(), "/?#% a+b".to_owned());
    assert_eq!(server.login, Some(login));
    assert_eq!((&*server.host, server.port), ("2001:db8::1", 465));
    assert!(!format!("{server} {server:?}").contains("me@here"));
    let server = server_at("smtp://mail.m\u{fc}ll.example?tls=required");
    assert_eq!(
        (&*server.host, server.port),
        ("mail.xn--mll-hoa.example", 587)
    );
}

#[test]
fn names_are_one_bounded_line() {
    assert_eq!(text::line("Eve\r\nBcc: x", text::NAME), "Eve Bcc: x");
    assert_eq!(
        text::line(" A\u{202e}d\u{0}a\u{2028} ", text::NAME),
        "A d a"
    );
    assert_eq!(text::line("=?utf-8?q?x?=", text::NAME), "= ?utf-8?q?x?=");
    assert_eq!(text::line(&"x".repeat(99), 10), "xxxxxxxxx…");
    assert_eq!(text::line("José 🦊 李", text::NAME), "José 🦊 李");
}

#[test]
fn notes_keep_their_lines() {
    assert_eq!(text::note("one\r\ntwo\rthree\n\n"), "one\ntwo\nthree");
    assert!(text::note(&"a\n".repeat(500)).lines().count() <= 40);
    assert!(text::note(&"a".repeat(5_000)).chars().count() <= text::NOTE);
}

#[test]
fn lines_are_wrapped() {
    let lines = text::wrap(&"word ".repeat(60), "> ");
    assert!(
        lines
            .lines()
            .all(|l| l.chars().count() <= text::WIDTH && l.starts_with("> word"))
    );
    let lines = text::wrap(&"x".repeat(200), "");
    assert!(lines.lines().all(|l| l.chars().count() <= text::WIDTH));
    let lines = text::wrap(&"李".repeat(100), "  ");
    // Each of these letters takes two columns, and the indent two.
    assert!(
        lines
            .lines()
            .all(|l| 2 + 2 * l.trim_start().chars().count() <= text::WIDTH)
    );
    let address = format!("https://{}", "x".repeat(100));
    assert_eq!(text::wrap(&address, ""), format!("{address}\n"));
    assert_eq!(text::wrap("a\n\nb", "> "), "> a\n>\n> b\n");
}
