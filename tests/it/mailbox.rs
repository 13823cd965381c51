//! The mails that people get as time passes, in lines to be read: neither too few nor too many.

use std::fmt::Write as _;
use std::time::Duration;

use mail_parser::MessageParser;
use perplex::app::mails::Outcome;
use perplex::mail::{Message, Sender, compose};
use perplex_matches::time::{Time, hours};

use crate::golden::HEADING;
use crate::test_app::{TestApp, done};

/// The steps in which time passes.
pub const STEP: Duration = Duration::from_mins(10);
/// Lines that say no more than that there is a button.
const BUTTONS: [&str; 8] = [
    "Go to the match:",
    "Answer there:",
    "Make your turn:",
    "Look at the match:",
    "See the whole match:",
    "Answer the offer:",
    "Accept or decline:",
    "See the invitation:",
];

pub struct Mailbox {
    server: TestApp,
    begun: Time,
    /// The mails so far, and those that were not sent with the reason.
    pub mails: String,
    /// False while the mail server is out.
    pub sends: bool,
}

impl Mailbox {
    pub fn new(server: &TestApp) -> Self {
        Self {
            server: server.clone(),
            begun: server.app.now(),
            mails: String::new(),
            sends: true,
        }
    }

    pub fn says(&mut self, what: &str) {
        let _ = writeln!(self.mails, "{HEADING}{what}");
    }

    /// Sends the mails that are due now.
    pub async fn deliver(&mut self) {
        while self.sends && self.deliver_some().await {}
    }

    /// Sends those that are leased now, one to each person; `false` if there are none.
    async fn deliver_some(&mut self) -> bool {
        let app = &self.server.app;
        let now = app.now();
        let (mut mails, mut marked) = (Vec::new(), Vec::new());
        for due in self.server.lease().await {
            let (mail, outcomes) = done(app.read_mails(due.clone())).await;
            let mut unsent = Vec::new();
            for (one, outcome) in due.iter().zip(&outcomes) {
                match outcome {
                    Outcome::Sent(_) => {}
                    Outcome::Needless(why) => unsent.push((one.kind().to_owned(), *why)),
                    outcome => panic!("{outcome:?}"),
                }
            }
            mails.push((due[0].address().to_owned(), mail, unsent));
            marked.extend(due.into_iter().zip(outcomes));
        }
        self.server.mark(marked).await;
        let are_there = !mails.is_empty();
        mails.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let sender = Sender::new("https://perplex.example", "games@perplex.example").expect("one");
        for (address, mail, unsent) in mails {
            let hours = self.begun.until(now).as_secs() / 3_600;
            let minutes = self.begun.until(now).as_secs() / 60 % 60;
            let who = address.split('@').next().unwrap_or_default();
            let who = format!("{hours:3}:{minutes:02} {who:5}");
            if let Some(mail) = mail {
                let mail = compose(&Message::of(mail), &sender)
                    .expect("a mail")
                    .formatted();
                let mail = MessageParser::default()
                    .parse(&mail)
                    .expect("a mail")
                    .into_owned();
                let _ = writeln!(self.mails, "{who} {}", mail.subject().unwrap_or_default());
                let text = mail.body_text(0).unwrap_or_default().replace("\r\n", "\n");
                // Between the greeting and the foot, without boards.
                let is_told = |line: &&str| {
                    !line.trim().is_empty()
                        && !line.starts_with("https://")
                        && !line.starts_with("    ")
                        && !BUTTONS.contains(line)
                };
                let body = text.split("\n-- \n").next().unwrap_or_default();
                for line in body.lines().skip(2).filter(is_told) {
                    let _ = writeln!(self.mails, "             | {line}");
                }
            }
            for (kind, why) in unsent {
                let _ = writeln!(self.mails, "{who} ({kind}: {why})");
            }
        }
        are_there
    }

    /// Lets some time pass, and sends what is due then.
    pub async fn pass(&mut self, time: Duration) {
        self.server.wait(time);
        self.server.app.tick().await.expect("a tick");
        self.deliver().await;
    }

    /// Lets time pass, until so many hours after the beginning.
    pub async fn until(&mut self, after: u64) {
        let then = self.begun + hours(after);
        while self.server.app.now() < then {
            self.pass(STEP).await;
        }
    }
}
