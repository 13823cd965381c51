//! A correspondence match: the mails that both players get, from the invitation of an address without an account to the end,
//! and what becomes of them while there is no mail server. They stand in `correspondence.txt`, to be read.

use super::*;
use crate::mailbox::Mailbox;
use crate::test_app::proof_of;

/// A match, and the mails so far.
struct Post<'a> {
    server: &'a TestApp,
    id: MatchId,
    ada: Viewer,
    ben: Viewer,
    mailbox: Mailbox,
}

impl Post<'_> {
    async fn act(&mut self, who: &str, command: Command, note: &str) {
        let who = if who == "Ada" { &self.ada } else { &self.ben };
        done(self.server.app.act(who, &self.id, None, command, note)).await;
        self.mailbox.deliver().await;
    }

    async fn plays(&mut self, who: &str, turn: &str, note: &str) {
        let app = &self.server.app;
        let view = done(app.load_correspondence_match(Some(&self.ada), &self.id, None)).await;
        self.act(who, play(view.state.turns.len(), turn), note)
            .await;
    }

    async fn says(&mut self, who: &str, text: &str) {
        let who = if who == "Ada" { &self.ada } else { &self.ben };
        done(self.server.app.say(who, &self.id, text)).await;
        self.mailbox.deliver().await;
    }
}

#[test]
fn each_player_is_told_by_mail_what_happens() {
    everywhere_with("mail", test_app, async |server| {
        let app = &server.app;
        let ada = person(server, "Ada").await;
        server.sweep().await;
        server.wait(hours(1));
        let mut mailbox = Mailbox::new(server);
        mailbox.says("Ada invites an address without an account, whose owner signs up and joins");
        let wanted = quixo_with(Opponent::ByMail("ben@example.org".to_owned()));
        let id = done(app.create(&ada, wanted)).await;
        mailbox.deliver().await;
        mailbox.until(5).await;
        let ben = person(server, "Ben").await;
        let join = Command::Join {
            wish: None,
            by_link: true,
        };
        let link = proof_of(&app.join_link(&id)).expect("a proof");
        done(app.act(&ben, &id, Some(&link), join, "")).await;
        mailbox.deliver().await;
        mailbox.until(6).await;
        let mut it = Post {
            server,
            id,
            ada,
            ben,
            mailbox,
        };
        it.mailbox
            .says("Both are on the site, and play every two minutes");
        for name in ["Ada", "Ben"] {
            server.sign_in_again(name).await;
        }
        server.sweep().await;
        for (who, turn, note) in [
            ("Ada", "c1-a1", "Good luck!"),
            ("Ben", "e5-e1", "Thank you."),
            ("Ada", "a1-a5", ""),
            ("Ben", "e1-e5", "I have to go, until tomorrow!"),
        ] {
            it.plays(who, turn, note).await;
            it.mailbox.pass(Duration::from_mins(2)).await;
        }
        it.mailbox.until(20).await;
        it.mailbox
            .says("Slower turns: Ada after half a day, Ben the next evening");
        it.plays("Ada", "a1-a5", "").await;
        it.mailbox.until(44).await;
        it.plays("Ben", "e1-e5", "").await;
        it.mailbox.until(46).await;
        it.mailbox
            .says("Both write; Ada offers a draw with her turn, Ben declines it and answers");
        it.says("Ben", "Are you there at the weekend?").await;
        it.mailbox.until(47).await;
        it.says("Ben", "I ask because I am away next week.").await;
        it.mailbox.until(52).await;
        it.says("Ada", "Yes, and next week, too.").await;
        let offer = Command::Play {
            ply: 6,
            turn: "b1-e1".to_owned(),
            offer: true,
        };
        it.act("Ada", offer, "").await;
        it.mailbox.until(60).await;
        it.act("Ben", Command::Decline, "").await;
        it.mailbox.until(61).await;
        it.mailbox
            .says("Ben lets 70 of 72 hours pass before his turn");
        it.mailbox.until(122).await;
        it.plays("Ben", "e5-a5", "").await;
        it.mailbox.until(123).await;
        it.mailbox.says(
            "Two days without a mail server: two turns, a message, an offer that is declined, and a turn",
        );
        it.mailbox.sends = false;
        it.plays("Ada", "c1-e1", "").await;
        it.mailbox.until(130).await;
        it.plays("Ben", "e5-a5", "Still there?").await;
        it.says("Ben", "It rains here.").await;
        it.mailbox.until(140).await;
        it.act("Ada", Command::Offer, "").await;
        it.mailbox.until(150).await;
        it.act("Ben", Command::Decline, "").await;
        it.plays("Ada", "d1-e1", "").await;
        it.mailbox.until(171).await;
        it.mailbox.sends = true;
        it.mailbox.deliver().await;
        it.mailbox.until(180).await;
        it.plays("Ben", "e5-a5", "").await;
        it.mailbox.until(181).await;
        it.mailbox.says("Ada makes no more turns, and loses");
        it.mailbox.until(300).await;
        compare("mail/correspondence.txt", &it.mailbox.mails);
    });
}
