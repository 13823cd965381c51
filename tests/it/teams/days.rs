//! A match over days: the mails that each person gets, and what becomes of them while there is no mail server. They
//! stand in `days.txt`, to be read: neither too few nor too many.

use perplex_games::rules::flexichess::Kind;

use super::people::{Browser, servers};
use super::*;
use crate::golden::compare;
use crate::mailbox::{Mailbox, STEP};
use crate::test_app::account;
use perplex::store::outbox::OutboxState;

/// A match over days, and the mails so far.
struct Days {
    team: Team,
    mailbox: Mailbox,
}

impl Days {
    fn server(&self) -> &TestApp {
        &self.team.server
    }

    async fn act(&mut self, number: usize, command: Command) {
        let who = match number {
            0 => &self.team.host,
            number => self.team.of(number),
        };
        self.server().act(who, &self.team.id, command).await;
        self.mailbox.deliver().await;
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
        self.mailbox.deliver().await;
    }

    fn says(&mut self, what: &str) {
        self.mailbox.says(what);
    }

    async fn until(&mut self, hours: u64) {
        self.mailbox.until(hours).await;
    }
}

#[test]
fn each_person_is_told_by_mail_what_concerns_them() {
    servers(|server| async move {
        let team = Team::gathered(server.clone(), over_days()).await;
        server.wait(STEP);
        let mailbox = Mailbox::new(&server);
        let mut it = Days { team, mailbox };
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
        it.plays(4, 3, "rule P written \"White’s pawns may wait.\"")
            .await;
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
        it.mailbox.sends = false;
        it.plays(4, 3, "d2d4").await;
        it.until(50).await;
        it.plays(9, 3, "d7d5").await;
        it.act(7, Command::Offer(BoardNo(1))).await;
        it.until(60).await;
        it.act(2, Command::Decline(BoardNo(1))).await;
        it.until(88).await;
        it.mailbox.sends = true;
        it.mailbox.deliver().await;
        it.until(96).await;
        it.says("The boards end");
        it.act(7, Command::Resign(BoardNo(1))).await;
        it.until(100).await;
        it.act(8, Command::Resign(BoardNo(2))).await;
        it.until(104).await;
        it.act(4, Command::Resign(BoardNo(3))).await;
        it.until(150).await;
        compare("teams/days.txt", &it.mailbox.mails);
    });
}

#[test]
fn a_page_before_nobody_swallows_no_mail() {
    servers(|server| async move {
        let team = Team::new(server.clone(), over_days()).await;
        let home = format!("/team/{}", team.id);
        let id = account(team.of(7)).id.clone();
        let mut gus = Browser::of(&server, "Gus").await;
        let wanted = async || {
            server.wait(STEP);
            server.app.tick().await.expect("a tick");
            let rows = server.rows(OutboxState::Waiting).await.into_iter();
            let mut rows =
                rows.filter(|row| row.account_id.as_ref() == Some(&id) && row.kind == "team-turn");
            let row = rows.next().expect("a mail that waits");
            server.is_wanted(&row).await
        };
        server.wait(STEP);
        team.plays(2, 1, "e2e4").await;
        assert!(wanted().await);
        // A page that is open asks, and one without scripts loads itself anew.
        let heads = gus.page(&format!("{home}/heads")).await;
        let shows = format!("{home}/heads?after={}", texts::encode(heads.trim()));
        gus.page(&shows).await;
        let by_itself = [("Sec-Fetch-Site", "same-origin")];
        gus.opens_with(&home, &by_itself).await;
        assert!(wanted().await);
        // Somebody is there, but the page does not show it yet.
        gus.page(&format!("{home}/heads?after=event%3D1&touched=1"))
            .await;
        assert!(wanted().await);
        gus.page(&format!("{shows}&touched=1")).await;
        assert!(!wanted().await);
        team.plays(7, 1, "e7e5").await;
        server.wait(STEP);
        team.plays(2, 1, "b1c3").await;
        assert!(wanted().await);
        gus.opens(&home).await;
        assert!(!wanted().await);
    });
}
