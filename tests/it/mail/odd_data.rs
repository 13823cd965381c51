//! Odd data that a mail meets when it is sent: it is a right mail, or none, and those behind it leave.

use super::*;
use perplex::app::accounts::MailSettings;
use perplex::store::accounts;
use perplex::store::mail_settings::QuietHours;
use perplex::store::preferences::Preferences;

/// The mails of the outbox that are due, leased.
async fn leased(server: &TestApp) -> Vec<MailRow> {
    let now = server.app.now();
    let store = &server.app.store;
    let leased = store.write(move |conn| outbox::lease(conn, now, now + hours(1), 100));
    done::<_, StoreError>(leased).await.concat()
}

/// Hands the rows over, and marks them: the reason for each that is not sent.
async fn handed_over(server: &TestApp, post: &Transport, rows: Vec<MailRow>) -> Vec<String> {
    let due = rows.into_iter().map(DueMail::from).collect();
    let outcomes = deliver(&server.app, post, &sender(), due).await;
    let reason = |(mail, outcome): &(DueMail, Outcome)| match outcome {
        Outcome::Sent(_) => None,
        Outcome::Needless(why) => Some(format!("{}: {why}", mail.kind())),
        outcome => panic!("{}: {outcome:?}", mail.kind()),
    };
    let reasons = outcomes.iter().filter_map(reason).collect();
    server.mark(outcomes).await;
    reasons
}

#[test]
fn a_match_that_was_deleted_meanwhile_is_not_told() {
    on_files(async |server, folder, post| {
        let ada = person(server, "Ada").await;
        server.sweep().await;
        let kinds = MailKind::ALL.into_iter().filter(|kind| match kind {
            MailKind::Match(_) | MailKind::Invitation => true,
            MailKind::Team(kind) => *kind != TeamMail::Waiting,
            MailKind::Account(_) | MailKind::ClassOffer => false,
        });
        let kinds: Vec<&str> = kinds.map(MailKind::key).collect();
        for kind in &kinds {
            server.enqueue(&ada, kind, "ada@example.org").await;
        }
        let mut rows = leased(server).await;
        assert_eq!(rows.len(), kinds.len());
        for row in &mut rows {
            row.match_id = Some(MatchId("none".to_owned()));
            row.payload = format!("{{\"from\":\"{}\"}}", ada.id);
        }
        for row in rows {
            let kind = row.kind.clone();
            let reasons = handed_over(server, post, vec![row]).await;
            assert_eq!(reasons, [format!("{kind}: the match was deleted")]);
        }
        assert!(files(&folder.0).is_empty());
        assert!(server.rows(OutboxState::Waiting).await.is_empty());
    });
}

#[test]
fn a_reader_whose_time_zone_is_gone_is_told_the_time_in_utc() {
    on_files(async |server, folder, post| {
        let (ada, ben) = (person(server, "Ada").await, person(server, "Ben").await);
        server.sweep().await;
        let quiet = MailSettings {
            quiet: Some(QuietHours { from: 1, to: 2 }),
            ..MailSettings::default()
        };
        let app = &server.app;
        done(app.set_mail(&ben, quiet)).await;
        let gone = Preferences {
            zone: "Europe/Atlantis".to_owned(),
            ..Preferences::default()
        };
        let id = ben.id.clone();
        let written = app
            .store
            .write(move |conn| accounts::set_preferences(conn, &id, &gone));
        done::<_, StoreError>(written).await;
        let wanted = quixo_with(Opponent::Named("Ben".to_owned()));
        let id = done(app.create(&ada, wanted)).await;
        done(app.act(&ben, &id, None, join(), "")).await;
        server.sweep().await;
        server.wait(hours(1));
        done(app.act(&ada, &id, None, play(0, "c1-a1"), "")).await;
        server.work(post).await;
        let [(_, mail)] = &files(&folder.0)[..] else {
            panic!("one mail")
        };
        let text = Read::from(mail.clone()).text;
        assert!(
            text.contains("until 24 November 2026, 09:30 (UTC)."),
            "{text}"
        );
    });
}

#[test]
fn seven_changed_rules_fit_into_a_mail() {
    let terms = Terms {
        game: "flexichess".to_owned(),
        variant: String::new(),
        days: 3,
        open: true,
    };
    let wish = Some("first".to_owned());
    let mut story = Story::new("Ada", "Ben");
    story.events = create(&account("a1"), terms, wish, None, START).expect("terms");
    story.join("b2");
    let long = "x".repeat(300);
    let rules = [
        "rule N NW \"Knights also step straight.\"".to_owned(),
        "rule B BW \"Bishops also step straight!\"".to_owned(),
        "rule R RF \"Rooks also step diagonally\"".to_owned(),
        format!("rule Q QN \"{long}\""),
        "rule * written \"Touch, and it moves.\"".to_owned(),
        "accept".to_owned(),
        "rule * written \"<b>Black</b> sings “la”.\"".to_owned(),
        "accept".to_owned(),
        "rule * written \"Each turn ends with a bow.\"".to_owned(),
        "accept".to_owned(),
    ];
    for rule in &rules {
        let mover = story.state().player_to_move().expect("a player").0.clone();
        story.play(&mover, rule, "");
    }
    let game = &story.state().game;
    assert_eq!(game.flexichess().expect("chess").in_force().count(), 7);
    let mail = read(&story.letter("a1", MatchMail::YourTurn));
    is_small_picture(&mail);
    for line in mail.text.lines() {
        let fits = line.chars().count() <= 78 || line.starts_with("https://");
        assert!(fits, "{}", mail.text);
    }
    let told = "You proposed a rule: “Each turn ends with a bow.”\nBen accepted it.\n\n    8 r n";
    assert!(mail.text.contains(told), "{}", mail.text);
    assert!(mail.text.contains("Rule 5: Touch, and it moves."));
    assert!(mail.html.contains("&#60;b&#62;Black"), "{}", mail.html);
    assert!(
        !mail.text.contains("..") && !mail.text.contains("!."),
        "{}",
        mail.text
    );
}
