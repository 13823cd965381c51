//! First lessons: each to its end, by links alone, as without scripts.

use std::fmt::Write as _;

use actix_web::http::StatusCode;
use perplex_games::lesson;
use perplex_games::registry::GAMES;

use crate::teams::people::{Browser, servers};
use crate::test_app::{has, lacks};

#[test]
fn every_lesson_goes_to_its_end() {
    servers(|server| async move {
        let mut visitor = Browser::on(&server).await;
        for entry in GAMES {
            let key = entry.card.key;
            let rules = visitor.page(&format!("/games/{key}")).await;
            let learn = format!("href=\"/learn/{key}/1\"");
            assert_eq!(rules.contains(&learn), lesson::find(key).is_some(), "{key}");
        }
        let rules = visitor.page("/games/perplexichess").await;
        for lesson in lesson::duties() {
            has(&rules, &format!("href=\"/learn/{}/1\"", lesson.key));
        }
        for lesson in lesson::LESSONS {
            let (key, steps) = (lesson.key, lesson.steps());
            for (number, step) in (1..).zip(&steps) {
                let path = format!("/learn/{key}/{number}");
                let page = visitor.page(&path).await;
                has(&page, step.title);
                lacks(&page, "status over");
                let game = step.game(lesson.game);
                let choices = match &game {
                    Some(game) => step.choices(&**game),
                    None => step.choices_on(&step.boards().expect("boards")),
                };
                // The first step of the turn is a link on the board.
                let asked = choices.iter().find(|one| step.accepts(&one.turn));
                let asked = asked.expect("a turn");
                let encode = perplex::texts::encode;
                has(&page, &format!("step={}", encode(&asked.steps[0])));
                let mut query =
                    game.map_or_else(String::new, |game| format!("&ply={}", game.turns().len()));
                for taken in &asked.steps {
                    let _ = write!(query, "&step={}", encode(taken));
                }
                let mut got = visitor.get(&format!("{path}?{}", &query[1..])).await;
                let turn = format!("{path}?turn={}", encode(&asked.turn));
                if got.to == turn {
                    got = visitor.get(&turn).await;
                } else {
                    // It could go on: a button plays it.
                    has(&got.text, &format!("Play {}", asked.turn));
                    got = visitor.get(&turn).await;
                }
                assert_eq!(got.status, StatusCode::OK, "{turn}");
                has(&got.text, "status over");
                let next = format!("href=\"/learn/{key}/{}\"", number + 1);
                assert_eq!(got.text.contains(&next), number < steps.len(), "{path}");
                if let Some(other) = choices.iter().find(|one| !step.accepts(&one.turn)) {
                    let other = encode(&other.turn);
                    let got = visitor.get(&format!("{path}?turn={other}")).await;
                    assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
                    has(&got.text, "Try again");
                } else {
                    assert!(!step.is_puzzle, "{path}");
                }
                let got = visitor.get(&format!("{path}?turn=nonsense")).await;
                assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
            }
            let beyond = format!("/learn/{key}/{}", steps.len() + 1);
            visitor.gets(&beyond, StatusCode::NOT_FOUND).await;
        }
        visitor.gets("/learn/chess/1", StatusCode::NOT_FOUND).await;
    });
}
