//! Rules in words that name what their limits keep out, in correspondence matches and on the try board: their writers see
//! it before they send them, and those who answer, too.

use actix_web::http::StatusCode;
use perplex::app::correspondence::Opponent;
use perplex::texts::rulebook::points_out_to_writer;
use perplex_games::rules::flexichess::Change;

use crate::teams::people::{Browser, servers};
use crate::test_app::{done, has, join, lacks, new_match};

const TEXT: &str = "Black’s pawns and rooks may give checkmate.";
const SAYS: &str = "This rule names Black, checkmate, pawns and rooks. A rule holds for both colours alike, \
                    leaves checkmate as it is and is about one kind of piece only";

#[test]
fn a_sentence_points_out_what_a_rule_names() {
    for (rule, says) in [
        ("rule N written \"A knight may pass.\"", None),
        ("rule N NW \"White’s knights also step.\"", None),
        (
            "rule N written \"White passes.\"",
            Some(
                "This rule names White. A rule holds for both colours alike, so the other side may dispute it.",
            ),
        ),
        (
            "rule N written \"Pawns rest.\"",
            Some(
                "This rule names knights and pawns. A rule is about one kind of piece only, so the other side may dispute it.",
            ),
        ),
        (
            "rule * written \"No check, no mate; the king sleeps.\"",
            Some(
                "This rule names check, checkmate and the king. A rule leaves check, checkmate and the king as they are, so the other side may dispute it.",
            ),
        ),
    ] {
        let change = Change::read(rule).expect("a change");
        assert_eq!(points_out_to_writer(&change).as_deref(), says, "{rule}");
    }
}

#[test]
fn players_see_what_a_rule_names_before_they_send_and_answer_it() {
    servers(|server| async move {
        let ann = server.admin("Ann").await;
        let bob = server.admin("Bob").await;
        let chess = new_match(
            "flexichess",
            "",
            Some("first"),
            Opponent::Named("Bob".to_owned()),
        );
        let id = done(server.app.create(&ann, chess)).await;
        done(server.app.act(&bob, &id, None, join(), "")).await;
        let [mut ann, mut bob] = Browser::all(&server, ["Ann", "Bob"]).await;
        let home = format!("/match/{id}");
        let rule = [
            ("rule", "*"),
            ("form", "written"),
            ("words", TEXT),
            ("ply", "0"),
        ];
        let page = ann.refused(&home, "turn", &rule).await;
        has(&page, SAYS);
        has(&page, "so the other side may dispute it.");
        has(
            &page,
            &format!("aria-describedby=\"rule-hint\">{TEXT}</textarea>"),
        );
        has(&page, "Propose it all the same");
        let turn = format!("rule * written \"{TEXT}\"");
        let written = [("turn", &*turn), ("note", "Hello, Bob!"), ("ply", "0")];
        let page = ann.refused(&home, "turn", &written).await;
        has(&page, SAYS);
        has(&page, "Play it all the same");
        has(&page, "Hello, Bob!</textarea>");
        // The opponent’s are refused as ever.
        lacks(&bob.refused(&home, "turn", &rule).await, "This rule names");
        bob.lacks(&home, TEXT).await;
        ann.done(&home, "turn", &[&rule[..], &[("told", TEXT)]].concat())
            .await;
        bob.sees(&home, &format!("{SAYS}.")).await;
        let answered = [("turn", "accept"), ("ply", "1")];
        bob.done(&home, "turn", &answered).await;
        bob.lacks(&home, "This rule names").await;
    });
}

#[test]
fn the_try_board_points_it_out_too() {
    servers(|server| async move {
        let mut visitor = Browser::on(&server).await;
        let form = "/try/flexichess?rule=N&form=written&words=The+king+rests.&make=1";
        let got = visitor.get(form).await;
        assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
        has(
            &got.text,
            "This rule names the king. A rule leaves the king as it is,",
        );
        has(&got.text, "The king rests.</textarea>");
        let got = visitor.get(&format!("{form}&told=The+king+rests.")).await;
        assert_eq!(got.status, StatusCode::SEE_OTHER);
        visitor
            .sees(
                &got.to,
                "This rule names the king. A rule leaves the king as it is.",
            )
            .await;
        let turn = "/try/flexichess?turn=rule+N+written+%22Kings+rest.%22";
        let got = visitor.get(turn).await;
        assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
        has(&got.text, "Play it all the same");
        let got = visitor.get(&format!("{turn}&told=Kings+rest.")).await;
        assert_eq!(got.status, StatusCode::SEE_OTHER);
    });
}
