//! A match over days: the mails that each person gets, and what becomes of them while there is no mail server. They
//! stand in `days.txt`, to be read: neither too few nor too many.

use std::fmt::Write as _;

use mail_parser::MessageParser;
use perplex::mail::row::Context;
use perplex::mail::worker::{Outcome, mark, together};
use perplex::mail::{Sender, compose};
use perplex::store::StoreError;
use perplex::store::outbox;
use perplex_games::rules::flexichess::Kind;

use super::people::servers;
use super::*;
use crate::golden::{HEADING, compare};

/// The steps in which time passes.
const STEP: Duration = Duration::from_mins(10);

/// A match over days, and the mails so far.
struct Days {
    team: Team,
    begun: Time,
    mails: String,
    /// False while the mail server is out.
    sends: bool,
}

impl Days {
    fn server(&self) -> &TestApp {
        &self.team.server
    }

    /// Sends the mails that are due now.
    async fn deliver(&mut self) {
        while self.sends && self.deliver_some().await {}
    }

    /// Sends those that are leased now, one to each person; `false` if there are none.
    async fn deliver_some(&mut self) -> bool {
        let app = &self.server().app;
        let (context, now) = (Context::of(app), app.now());
        let taken = app.store.write(move |conn| {
            let mut mails = Vec::new();
            for rows in outbox::lease(conn, now, now + Duration::from_mins(5), 1_000)? {
                let (message, outcomes) = together(conn, &context, &rows);
                let mut unsent = Vec::new();
                for (row, outcome) in rows.iter().zip(outcomes) {
                    match &outcome {
                        Outcome::Sent(_) => {}
                        Outcome::Needless(why) => unsent.push((row.kind.clone(), *why)),
                        outcome => panic!("{outcome:?}"),
                    }
                    mark(conn, row, outcome, now)?;
                }
                mails.push((rows[0].address.clone(), message, unsent));
            }
            Ok::<_, StoreError>(mails)
        });
        let mut mails = taken.await.expect("the outbox");
        let are_there = !mails.is_empty();
        mails.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let sender = Sender::new("https://perplex.example", "games@perplex.example").expect("one");
        for (address, message, unsent) in mails {
            let hours = self.begun.until(now).as_secs() / 3_600;
            let minutes = self.begun.until(now).as_secs() / 60 % 60;
            let who = address.split('@').next().unwrap_or_default();
            let who = format!("{hours:3}:{minutes:02} {who:5}");
            if let Some((_, letter)) = message {
                let mail = compose(&letter, &sender).expect("a mail").formatted();
                let mail = MessageParser::default()
                    .parse(&mail)
                    .expect("a mail")
                    .into_owned();
                let _ = writeln!(self.mails, "{who} {}", mail.subject().unwrap_or_default());
                let text = mail.body_text(0).unwrap_or_default().replace("\r\n", "\n");
                // Between the greeting and the foot.
                let is_told = |line: &&str| {
                    !line.trim().is_empty()
                        && !line.starts_with("https://")
                        && !["Go to the match:", "Answer there:"].contains(line)
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

    /// Lets time pass, until so many hours after the beginning.
    async fn until(&mut self, hours: u64) {
        let then = self.begun + perplex_matches::time::hours(hours);
        while self.server().app.now() < then {
            self.server().wait(STEP);
            self.server().app.beat().await.expect("a beat");
            self.server().app.tick().await.expect("a tick");
            self.deliver().await;
        }
    }

    async fn act(&mut self, number: usize, command: Command) {
        let who = match number {
            0 => &self.team.host,
            number => self.team.of(number),
        };
        self.server().act(who, &self.team.id, command).await;
        self.deliver().await;
    }

    async fn plays(&mut self, number: usize, board: u8, turn: &str) {
        let state = self
            .server()
            .team_state(&self.team.host, &self.team.id)
            .await;
        let seen = state
            .boards
            .board(BoardNo(board))
            .expect("a board")
            .version();
        self.act(number, play(board, seen, turn)).await;
    }

    async fn speaks(&mut self, number: usize, channel: i32, text: &str) {
        let (who, id) = (self.team.of(number), &self.team.id);
        done(self.server().app.say_in_team(who, id, channel, text)).await;
        self.deliver().await;
    }

    fn says(&mut self, what: &str) {
        let _ = writeln!(self.mails, "{HEADING}{what}");
    }
}

#[test]
fn each_person_is_told_by_mail_what_concerns_them() {
    servers(|server| async move {
        let team = Team::gathered(server.clone(), over_days()).await;
        server.wait(STEP);
        let begun = server.app.now();
        let mut it = Days {
            team,
            begun,
            mails: String::new(),
            sends: true,
        };
        it.says("The match begins; Bo moves after an hour");
        it.act(0, Command::Start { short: false }).await;
        it.until(1).await;
        it.plays(2, 1, "e2e4").await;
        it.says("A rule is changed, and a piece is transferred");
        it.until(2).await;
        it.plays(7, 1, "rule N NW \"Knights also step.\"").await;
        it.until(3).await;
        let pawn = transfer(Side::First, ('e', '4'), 1, 3, Kind::Pawn);
        it.act(1, pawn).await;
        it.until(8).await;
        it.says("Bo answers; Dee proposes a written rule, Ida disputes it, Hanna decides");
        it.plays(2, 1, "b1c3").await;
        it.until(10).await;
        it.plays(4, 3, "rule P written \"Pawns may wait.\"").await;
        it.until(12).await;
        it.act(9, Command::Dispute(BoardNo(3))).await;
        it.until(20).await;
        it.act(0, Command::Decide(BoardNo(3), false)).await;
        it.until(24).await;
        it.says("Bo names Ada and Dee in their team’s talk, Gus all of Fay, Bo and Hanna before everybody; Dee reads it");
        it.speaks(2, 1, "Ada, may I have your bishop? Dee has one, too.")
            .await;
        it.speaks(7, 0, "Good luck, Fay! Is Bo asleep, Hanna?")
            .await;
        it.speaks(2, 0, "No, Gus.").await;
        let (dee, id) = (it.team.of(4), &it.team.id);
        done(it.server().app.saw_in_team(dee, id, 1, 1)).await;
        it.until(30).await;
        it.says("Eve becomes boardman of board 2");
        it.act(
            1,
            Command::Give(Side::First, Duty::Board(BoardNo(2)), MemberId(5)),
        )
        .await;
        it.until(40).await;
        it.says("Two days without a mail server: Dee moves, Ida answers, and a draw is offered and declined");
        it.sends = false;
        it.plays(4, 3, "d2d4").await;
        it.until(50).await;
        it.plays(9, 3, "d7d5").await;
        it.act(7, Command::Offer(BoardNo(1))).await;
        it.until(60).await;
        it.act(2, Command::Decline(BoardNo(1))).await;
        it.until(88).await;
        it.sends = true;
        it.deliver().await;
        it.until(96).await;
        it.says("The boards end");
        it.act(7, Command::Resign(BoardNo(1))).await;
        it.until(100).await;
        it.act(8, Command::Resign(BoardNo(2))).await;
        it.until(104).await;
        it.act(4, Command::Resign(BoardNo(3))).await;
        it.until(150).await;
        compare("teams/days.txt", &it.mails);
    });
}
