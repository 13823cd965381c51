//! The mails that one person makes another get: neither by asking again and again, nor by doing something and undoing
//! it, is a mailbox filled.

use std::time::Duration;

use actix_web::http::StatusCode;
use perplex::app::Viewer;
use perplex::app::correspondence::Opponent;
use perplex::store::outbox::OutboxState;
use perplex_matches::correspondence::Command;
use perplex_matches::time::hours;

use crate::mailbox::Mailbox;
use crate::teams::people::{Browser, servers};
use crate::teams::terms;
use crate::test_app::{
    TestApp, account, done, everywhere, has, join, new_match, quixo_with, sign_up_form, too_often,
};

impl TestApp {
    /// Number of mails that were written to an account.
    async fn written_to(&self, who: &Viewer) -> usize {
        let waiting = self.rows(OutboxState::Waiting).await;
        let sent = self.rows(OutboxState::Sent).await;
        let all = waiting.iter().chain(&sent);
        all.filter(|row| row.account_id.as_ref() == Some(&who.id))
            .count()
    }

    async fn challenges(&self, from: &Viewer, to: &str) -> bool {
        let made = self
            .app
            .create(from, quixo_with(Opponent::Named(to.to_owned())));
        let made = made.await;
        let is_done = made.is_ok();
        assert!(is_done || too_often(made));
        is_done
    }
}

/// Invitations of each kind, again and again: few reach the same person, whichever way they take.
#[test]
fn one_account_invites_the_same_person_a_few_times() {
    everywhere("invitations", async |server| {
        server.admin("Ann").await;
        let mut people = Vec::new();
        for name in ["Bea", "Cem", "Dora"] {
            people.push(server.sign_up(sign_up_form(name)).await);
        }
        let teacher = server.sign_in_again("Ann").await;
        let class = server.class(&teacher, "Max\nMoritz").await;
        for (number, other) in people.iter().enumerate() {
            // Hours have passed: what is dangerous needs the password again.
            let host = server.visit_again("Ann").await;
            let ann = account(&host);
            let before = server.written_to(other).await;
            for _ in 0..50 {
                match number {
                    0 => {
                        server.challenges(ann, &other.name).await;
                    }
                    1 => {
                        let id = server.team_match(&host, terms()).await;
                        let invited = server.app.invite_to_team(&host, &id, &other.name).await;
                        assert!(invited.is_ok() || too_often(invited));
                    }
                    _ => {
                        let offered = server.app.offer_class(ann, &class, &other.name).await;
                        if offered.is_ok() {
                            let taken = server.app.take_back_class(ann, &class, &other.id);
                            done(taken).await;
                        } else {
                            assert!(too_often(offered));
                        }
                    }
                }
                server.wait(Duration::from_secs(1));
            }
            assert_eq!(
                server.written_to(other).await - before,
                10,
                "{}",
                other.name
            );
            // The other ways are closed, too, and open to others.
            assert!(!server.challenges(ann, &other.name).await);
            let last = people.iter().rfind(|one| one.id != other.id);
            assert!(server.challenges(last.expect("one"), &other.name).await);
            server.wait(Duration::from_mins(20));
            assert!(server.challenges(ann, &other.name).await);
            server.wait(hours(2));
        }
    });
}

#[test]
fn a_challenge_too_many_keeps_what_was_typed() {
    servers(|server| async move {
        server.admin("Ann").await;
        server.sign_up(sign_up_form("Bea")).await;
        let mut ann = Browser::of(&server, "Ann").await;
        let form = [
            ("game", "pijersi"),
            ("days", "5"),
            ("opponent", "name"),
            ("name", "Bea"),
        ];
        for _ in 0..10 {
            ann.done("/lobby", "/matches", &form).await;
        }
        let got = ann.send("/lobby", "/matches", &form).await;
        assert_eq!(got.status, StatusCode::TOO_MANY_REQUESTS);
        has(&got.text, "That was too often. Please try again in");
        has(&got.text, "name=\"name\" value=\"Bea\"");
        has(&got.text, "<option value=\"pijersi\" selected>");
        has(&got.text, "<option value=\"5\" selected>");
    });
}

/// A player who joins and leaves again and again makes a mail each time; most of them leave as one.
#[test]
fn what_is_done_and_undone_fills_no_mailbox() {
    everywhere("undone", async |server| {
        let ann = server.sign_up(sign_up_form("Ann")).await;
        let eve = server.sign_up(sign_up_form("Eve")).await;
        server.wait(hours(2));
        let four = new_match("quixo", "four", None, Opponent::Anyone);
        let id = done(server.app.create(&ann, four)).await;
        let mut mailbox = Mailbox::new(server);
        for _ in 0..60 {
            for command in [join(), Command::Leave] {
                done(server.app.act(&eve, &id, None, command, "")).await;
            }
            mailbox.pass(Duration::from_secs(20)).await;
        }
        let mails = |mailbox: &Mailbox| {
            let lines = mailbox.mails.lines();
            lines.filter(|line| line.contains(" Ann ")).count()
        };
        assert_eq!(mails(&mailbox), 10, "{}", mailbox.mails);
        mailbox.pass(hours(1)).await;
        assert_eq!(mails(&mailbox), 11, "{}", mailbox.mails);
        // And then a mail comes at once again.
        mailbox.pass(hours(1)).await;
        for command in [join(), Command::Leave] {
            done(server.app.act(&eve, &id, None, command, "")).await;
        }
        mailbox.deliver().await;
        assert_eq!(mails(&mailbox), 12, "{}", mailbox.mails);
    });
}
