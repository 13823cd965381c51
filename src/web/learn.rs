//! First lessons: a game, or a duty in a match, learned step by step on its boards, and puzzles. The address says the step;
//! nothing is stored.

mod boards;
mod place;

use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::texts::{self, matches};
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::learn::place::Place;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::steps;
use crate::web::turn_form::{TurnForm, board};
use perplex_games::board::Card;
use perplex_games::lesson::{self, Step};
use perplex_games::registry;

#[derive(Template)]
#[template(path = "games/learn.html")]
struct Page<'a> {
    request: &'a RequestContext,
    problems: &'a Problems,
    card: &'static Card,
    place: &'a Place,
    step: &'a Step,
    board: String,
    turn_form: Option<TurnForm>,
    /// True if the turn that was asked for was made.
    done: bool,
}

pub async fn step(request: RequestContext, path: Path<(String, usize)>, fields: Fields) -> Answer {
    let nothing = || Failure::App(AppError::NotFound);
    let (key, number) = path.into_inner();
    let lesson = lesson::find(&key).ok_or_else(nothing)?;
    let all = lesson.steps();
    let step = number.checked_sub(1).and_then(|index| all.get(index));
    let step = step.ok_or_else(nothing)?;
    let place = Place {
        lesson,
        number,
        of: all.len(),
    };
    if lesson.game.is_empty() {
        return boards::step(&request, &fields, &place, step);
    }
    let entry = registry::find(lesson.game).ok_or_else(nothing)?;
    let mut game = step.game(lesson.game).ok_or_else(nothing)?;

    let mut done = false;
    let mut problems = Problems::default();
    let typed = fields.get("turn").trim();
    if !typed.is_empty() {
        let mut after = game.boxed();
        let wrong = match after.play(typed) {
            Ok(turn) if step.accepts(&turn) || step.accepts(typed) => None,
            Ok(_) => Some(matches::NOT_THAT_ONE.to_owned()),
            Err(error) => Some(error.to_string()),
        };
        match wrong {
            None => {
                done = true;
                game = after;
            }
            Some(why) => problems = Problems::told(vec![("turn", why)]),
        }
    }
    let choices = if done {
        Vec::new()
    } else {
        step.choices(&*game)
    };
    let ply = game.turns().len();
    let taken: Vec<&str> = if fields.get("ply").parse() == Ok(ply) {
        fields.all("step").collect()
    } else {
        Vec::new()
    };
    let diagram = game.diagram();
    let progress = steps::progress(&choices, &taken, &|step| diagram.has(step));
    let here = place.here();
    if let Some(turn) = progress.whole.filter(|_| progress.next.is_empty()) {
        return Ok(see(&format!("{here}{}", texts::query([("turn", turn)]))));
    }
    let after = |steps: &[&str]| {
        let ply = ply.to_string();
        let steps = steps.iter().map(|step| ("step", *step));
        match steps.len() {
            0 => here.clone(),
            _ => format!(
                "{here}{}",
                texts::query([("ply", &*ply)].into_iter().chain(steps))
            ),
        }
    };
    // The learner sits where the player to move does.
    let before = step.game(lesson.game);
    let facing = before.and_then(|before| before.to_move());
    let turned = facing.map_or(0, |seat| game.facing(seat));
    let (board, mut turn_form) = board(
        &request, &*game, diagram, &choices, &progress, &after, turned, ply, false, None,
    );
    if let Some(turn_form) = turn_form.as_mut().filter(|_| !step.is_puzzle) {
        // The step itself says what to choose.
        turn_form.hint.clear();
    }
    let page = Page {
        request: &request,
        problems: &problems,
        card: entry.card,
        place: &place,
        step,
        board,
        turn_form,
        done,
    };
    problems.page(&request, &page)
}
