//! The times at which mails come: those that are due for one reader together, and as each account wants it.

use std::collections::BTreeMap;
use std::time::Duration;

use actix_web::http::StatusCode;
use mail_parser::MessageParser;
use perplex::app::accounts::{MailSettings, Preferences};
use perplex::app::correspondence::Opponent;
use perplex::app::mails::{Failure, Off};
use perplex::app::{App, Viewer};
use perplex::mail::{Message, Sender, compose};
use perplex::store::mail_settings::{Delivery, QuietHours};
use perplex::store::outbox::OutboxState;
use perplex::texts;
use perplex_matches::correspondence::Command;
use perplex_matches::id::MatchId;
use perplex_matches::time::hours;

use crate::teams::people::Browser;
use crate::test_app::{
    PASSWORD, TestApp, done, everywhere, gone, has, here, lacks, not_found, quixo_with,
};

/// The mails that are due, each as its reader's name, its subject and its text; they count as sent.
async fn posted(server: &TestApp) -> Vec<(String, String)> {
    tried(server, Ok(())).await
}

/// The mails that are due, as the server for mail takes them or not.
async fn tried(server: &TestApp, taken: Result<(), Failure>) -> Vec<(String, String)> {
    let (mut sent, mut marked) = (Vec::new(), Vec::new());
    for due in server.lease().await {
        let (mail, outcomes) = done(server.app.read_mails(due.clone())).await;
        sent.extend(mail.map(Message::of));
        let outcomes = outcomes.into_iter().map(|outcome| outcome.after(&taken));
        marked.extend(due.into_iter().zip(outcomes));
    }
    server.mark(marked).await;
    let sender = Sender::new("https://perplex.example", "games@perplex.example").expect("ours");
    let mut posted: Vec<(String, String)> = sent
        .into_iter()
        .map(|message| {
            let mail = compose(&message, &sender).expect("a mail").formatted();
            let mail = MessageParser::default()
                .parse(&mail)
                .expect("a mail")
                .into_owned();
            let subject = mail.subject().expect("a subject").to_owned();
            let text = mail.body_text(0).expect("a text").into_owned();
            (format!("{}: {subject}", message.name), text)
        })
        .collect();
    posted.sort();
    posted
}

/// The links of mails to an address that an account has no more change nothing: it may be another person's by now.
#[test]
fn links_of_old_mails_end_with_the_address() {
    everywhere("old_links", async |server| {
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        server.take_rows().await;
        let challenge = quixo_with(Opponent::Named("Ann".to_owned()));
        done(server.app.create(&bea, challenge)).await;
        let rows = server.take_rows().await;
        let Off::Kinds {
            token, settings, ..
        } = server.mail(&rows[0]).await.off
        else {
            panic!("no links in {}", rows[0].kind);
        };
        let (confirm, undo) = server.ask_for(&ann, "new@example.org").await;
        done(server.app.confirm_email(&confirm, Some(&ann))).await;
        gone(server.app.mail_to_switch_off(&token).await);
        gone(server.app.mail_off(&token).await);
        gone(server.app.mail_by_link(&settings).await);
        let mut browser = Browser::on(server).await;
        let one_click = format!("/mail/off/{token}");
        let form = [("List-Unsubscribe", "One-Click")];
        browser
            .sends("/", &one_click, &form, StatusCode::FORBIDDEN)
            .await;
        let mail = done(server.app.account(&ann)).await.mail;
        assert_eq!(mail, MailSettings::default());
        // They are good again with the address.
        done(server.app.undo_email(&undo, PASSWORD, &here())).await;
        done(server.app.mail_off(&token)).await;
    });
}

async fn subjects(server: &TestApp) -> Vec<String> {
    posted(server)
        .await
        .into_iter()
        .map(|(subject, _)| subject)
        .collect()
}

fn chosen(kind: &str, when: Delivery) -> MailSettings {
    MailSettings {
        when: BTreeMap::from([(kind.to_owned(), when)]),
        ..MailSettings::default()
    }
}

#[test]
fn what_is_due_for_one_reader_is_one_mail() {
    everywhere("one_mail", async |server| {
        let [ann, bea, cleo] = server.people(["Ann", "Bea", "Cleo"]).await;
        let first = server.game(&ann, &bea).await;
        let second = server.game(&cleo, &bea).await;
        server.take_rows().await;
        server.wait(hours(1));
        // As after an outage: both wait, and what else is said of them.
        server.play(&ann, &first, 0, "a1-a5").await.expect("legal");
        server.wait(Duration::from_secs(1));
        server
            .play(&cleo, &second, 0, "c1-a1")
            .await
            .expect("legal");
        server.acts(&cleo, &second, Command::Offer).await;
        let mails = posted(server).await;
        let [(subject, text)] = &mails[..] else {
            panic!("{mails:?}")
        };
        assert_eq!(subject, "Bea: Your turn: Quixo against Ann, and one more");
        has(text, "Your turn: Quixo against Cleo\r\n=====");
        has(
            text,
            "Cleo offers a draw. If you make a turn, you decline it.",
        );
        has(
            text,
            &format!("https://perplex.example/match/{first}?sign-in"),
        );
        has(text, &format!("https://perplex.example/match/{second}"));
        has(text, "No more mails of this kind");
        assert!(subjects(server).await.is_empty());
        // By itself it is the mail that it always was.
        server.acts(&ann, &first, Command::Offer).await;
        let [(subject, text)] = &posted(server).await[..] else {
            panic!("one mail")
        };
        assert_eq!(subject, "Bea: Ann offers a draw: Quixo");
        lacks(text, "====");
    });
}

#[test]
fn what_an_outage_held_back_leaves_as_one_mail() {
    everywhere("held_back", async |server| {
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        let ids = [
            server.game(&ann, &bea).await,
            server.game(&ann, &bea).await,
            server.game(&ann, &bea).await,
        ];
        server.take_rows().await;
        server.wait(hours(1));
        let down = || Err(Failure::Later("no server".to_owned()));
        // Each has failed more often than the next.
        for id in &ids {
            server.play(&ann, id, 0, "a1-a5").await.expect("legal");
            server.acts(&ann, id, Command::Offer).await;
            for _ in 0..2 {
                tried(server, down()).await;
                server.wait(Duration::from_mins(70));
            }
        }
        tried(server, down()).await;
        // What a turn's mail would have told is not done with, as long as that mail has not left.
        for row in server.rows(OutboxState::Sent).await {
            let why = row.error.unwrap_or_default();
            assert!(!why.contains("leaves with it"), "{}: {why}", row.kind);
        }
        // The first that goes out takes the others along.
        let mut mails = Vec::new();
        let is_told = |id: &MatchId, mails: &[(String, String)]| {
            let address = format!("https://perplex.example/match/{id}");
            mails.iter().any(|(_, text)| text.contains(&address))
        };
        while mails.is_empty() {
            server.wait(Duration::from_mins(1));
            mails = posted(server).await;
        }
        mails.extend(posted(server).await);
        assert!(ids.iter().all(|id| is_told(id, &mails)), "{mails:#?}");
        assert!(mails.len() <= 2, "{mails:#?}");
        server.wait(hours(24));
        assert!(subjects(server).await.is_empty());
    });
}

#[test]
fn a_link_of_a_mail_leads_through_the_sign_in() {
    everywhere("links", async |server| {
        let [ann, _] = server.people(["Ann", "Bea"]).await;
        let wanted = quixo_with(Opponent::Named("Bea".to_owned()));
        let id = done(server.app.create(&ann, wanted)).await;
        // Bea is no longer on the site.
        server.wait(hours(1));
        let mails = posted(server).await;
        let link = format!("/match/{id}?sign-in");
        has(&mails[0].1, &format!("https://perplex.example{link}"));
        let mut visitor = Browser::on(server).await;
        // What is there and what is not are answered alike.
        for (at, page) in [
            (link.as_str(), format!("/match/{id}")),
            (
                "/match/nothing-here?sign-in",
                "/match/nothing-here".to_owned(),
            ),
            (
                "/team/nothing-here?sign-in",
                "/team/nothing-here".to_owned(),
            ),
        ] {
            let got = visitor.get(at).await;
            assert_eq!(
                got.to,
                format!("/sign-in?next={}", texts::encode(&page)),
                "{at}"
            );
        }
        let sign_in = visitor.get(&link).await.to;
        visitor.sees(&sign_in, "the page that you came for").await;
        // So does the link in the header of a page, and that of the sign-in itself.
        visitor
            .sees("/games", "href=\"/sign-in?next=%2Fgames\"")
            .await;
        visitor.sees("/", "href=\"/sign-in\"").await;
        let form = [
            ("login", "Bea"),
            ("password", PASSWORD),
            ("next", &*format!("/match/{id}")),
        ];
        let to = visitor.done(&sign_in, "/sign-in", &form).await;
        assert_eq!(to, format!("/match/{id}"));
        assert_eq!(visitor.get(&link).await.to, to);
    });
}

#[test]
fn a_match_can_be_muted() {
    everywhere("muted", async |server| {
        let [ann, bea] = server.people(["Ann", "Bea"]).await;
        server.take_rows().await;
        server.wait(hours(1));
        // Who is only challenged takes no part yet.
        let challenge = quixo_with(Opponent::Named("Bea".to_owned()));
        done(server.app.create(&ann, challenge)).await;
        let [(_, text)] = &posted(server).await[..] else {
            panic!("a challenge")
        };
        has(text, "All your settings for mail");
        let ids = [server.game(&ann, &bea).await, server.game(&ann, &bea).await];
        server.take_rows().await;
        server.wait(hours(1));
        let turn = "Bea: Your turn: Quixo against Ann";
        server.play(&ann, &ids[0], 0, "a1-a5").await.expect("legal");
        // By the link of a mail, without signing in.
        let [(subject, text)] = &posted(server).await[..] else {
            panic!("one mail")
        };
        assert_eq!(subject, turn);
        has(text, "No mail about this match, and all other settings");
        let link = text
            .lines()
            .find(|line| line.contains("/mail/settings/"))
            .expect("a link");
        let link = link.strip_prefix("https://perplex.example").expect("ours");
        let mut visitor = Browser::on(server).await;
        let page = visitor.page(link).await;
        has(&page, "comes as your settings say");
        let (path, _) = link.split_once('?').expect("a match");
        visitor
            .done(link, path, &[("match", &ids[0].0), ("mute", "yes")])
            .await;
        has(&visitor.page(link).await, "You get no mail about");
        // The other match goes on being told, and what waited is dropped.
        server.acts(&bea, &ids[0], Command::Offer).await;
        server.play(&bea, &ids[0], 1, "c5-a5").await.expect("legal");
        assert_eq!(subjects(server).await.len(), 1);
        server.play(&ann, &ids[0], 2, "a1-a5").await.expect("legal");
        server.play(&ann, &ids[1], 0, "a1-a5").await.expect("legal");
        assert_eq!(subjects(server).await, [turn]);
        // In the match it is taken back; only who takes part finds it.
        let about = format!("/mail/match/{}", ids[0]);
        let mut bea = Browser::of(server, "Bea").await;
        has(&bea.page(&format!("/match/{}", ids[0])).await, &about);
        bea.done(&about, &about, &[("mute", "no")]).await;
        lacks(&bea.page(&about).await, "You get no mail");
        let cleo = server.person("Cleo").await;
        not_found(server.app.mail_about(&cleo.id, &ids[0]).await);
        server.wait(hours(1));
        server.acts(&ann, &ids[0], Command::Offer).await;
        assert_eq!(subjects(server).await, ["Bea: Ann offers a draw: Quixo"]);
    });
}

/// Sets when Bea gets mails, and has Ann make a turn against her.
async fn ann_plays(server: &TestApp, settings: MailSettings) -> [Viewer; 2] {
    let [ann, bea] = server.people(["Ann", "Bea"]).await;
    let id = server.game(&ann, &bea).await;
    let app: &App = &server.app;
    let zone = Preferences {
        zone: "Europe/Berlin".to_owned(),
        ..Preferences::default()
    };
    done(app.set_preferences(&bea, zone)).await;
    done(app.set_mail(&bea, settings)).await;
    server.take_rows().await;
    // Nobody is on the site any more.
    server.wait(hours(1));
    server.play(&ann, &id, 0, "a1-a5").await.expect("legal");
    [ann, bea]
}

#[test]
fn a_kind_comes_as_its_reader_wants_it() {
    let turn = "Bea: Your turn: Quixo against Ann";
    // It is ten o'clock in Berlin.
    let cases = [
        (chosen("your-turn", Delivery::AtOnce), 0),
        (chosen("your-turn", Delivery::Together), 3),
        (chosen("your-turn", Delivery::Daily), 22),
        (
            MailSettings {
                quiet: Some(QuietHours { from: 9, to: 12 }),
                ..MailSettings::default()
            },
            2,
        ),
    ];
    for (settings, after) in cases {
        everywhere("wanted", async |server| {
            ann_plays(server, settings.clone()).await;
            for hour in 0..after {
                let mails = subjects(server).await;
                assert!(mails.is_empty(), "{settings:?}, hour {hour}: {mails:?}");
                server.wait(hours(1));
            }
            assert_eq!(subjects(server).await, [turn], "{settings:?}");
        });
    }
    everywhere("unwanted", async |server| {
        ann_plays(server, chosen("your-turn", Delivery::Never)).await;
        assert!(server.take_rows().await.is_empty());
    });
}

#[test]
fn a_mail_that_is_late_waits_for_the_end_of_the_night() {
    everywhere("late", async |server| {
        let [_, bea] = ann_plays(server, MailSettings::default()).await;
        // The mail was due before the night; the mail server is there again in it.
        let night = MailSettings {
            quiet: Some(QuietHours { from: 9, to: 12 }),
            ..MailSettings::default()
        };
        done(server.app.set_mail(&bea, night)).await;
        assert!(subjects(server).await.is_empty());
        server.wait(hours(2));
        assert_eq!(subjects(server).await.len(), 1);
    });
}

#[test]
fn the_link_of_a_mail_leads_to_the_settings() {
    everywhere("settings_link", async |server| {
        ann_plays(server, MailSettings::default()).await;
        let mails = posted(server).await;
        let (_, text) = &mails[0];
        let (_, link) = text
            .split_once(
                "No mail about this match, and all other settings:\r\nhttps://perplex.example",
            )
            .expect("the link");
        let link = link.split_whitespace().next().expect("an address");
        let mut visitor = Browser::on(server).await;
        let page = visitor.page(link).await;
        has(&page, "Mail to Bea");
        has(&page, "It is your turn");
        // What was chosen stays where one hour is missing.
        let wrong = [
            ("your-turn", "daily"),
            ("talk", "never"),
            ("quiet-from", "22"),
        ];
        let page = visitor.refused(link, link, &wrong).await;
        has(&page, "Choose the hour at which the quiet begins");
        has(&page, "<option value=\"22\" selected>");
        has(&page, "<option value=\"daily\" selected>");
        let right = [
            ("your-turn", "daily"),
            ("talk", "never"),
            ("reminder", "daily"),
            ("quiet-from", "22"),
            ("quiet-to", "7"),
            ("seen-too", "on"),
        ];
        visitor.done(link, link, &right).await;
        let bea = server.sign_in_again("Bea").await;
        let expected = MailSettings {
            quiet: Some(QuietHours { from: 22, to: 7 }),
            seen_too: true,
            ..chosen("your-turn", Delivery::Daily).without("talk")
        };
        assert_eq!(done(server.app.account(&bea)).await.mail, expected);
        let (path, _) = link.split_once('?').expect("a match");
        let token = path.rsplit('/').next().expect("a token");
        gone(server.app.mail_by_link(&token.replace('a', "b")).await);
        // The link goes with the address.
        done(server.app.mail_by_link(token)).await;
        done(server.app.delete_account(&bea, PASSWORD)).await;
        gone(server.app.mail_by_link(token).await);
    });
}

#[test]
fn who_wants_it_is_told_what_was_seen() {
    for (seen_too, told) in [(false, 0), (true, 1)] {
        everywhere("seen_too", async |server| {
            let settings = MailSettings {
                seen_too,
                ..chosen("your-turn", Delivery::Together)
            };
            let [_, bea] = ann_plays(server, settings).await;
            let id = done(server.app.mine(&bea)).await[0].id.clone();
            server.app.note_seen(Some(&bea), &id, i32::MAX, 0).await;
            server.wait(hours(3));
            assert_eq!(subjects(server).await.len(), told, "{seen_too}");
        });
    }
}
