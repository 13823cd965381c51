//! A step of a lesson on all boards of a small match: a transfer, a square that is shown to the team, or a question. Every
//! choice is a link.

use askama::Template;

use crate::app::AppError;
use crate::texts::{self, matches};
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::learn::place::Place;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::rulebook::pictures::as_wished;
use crate::web::steps;
use crate::web::team::scene::diagram_to_show;
use perplex_games::board::{View, flexichess};
use perplex_games::lesson::{self, Step};
use perplex_games::perplexichess::{Board, BoardNo};

/// A choice that is no square.
struct Button {
    label: String,
    address: String,
}

#[derive(Template)]
#[template(path = "games/learn-boards.html")]
struct Page<'a> {
    request: &'a RequestContext,
    problems: &'a Problems,
    place: &'a Place,
    step: &'a Step,
    glyphs: String,
    boards: Vec<(BoardNo, String)>,
    buttons: Vec<Button>,
    /// The address without a piece chosen, if one is.
    undo: Option<String>,
    done: bool,
}

/// The steps of a choice that are squares of a board: "c4" of `1:c4`.
fn on_board(number: BoardNo, step: &str) -> Option<&str> {
    let (board, square) = step.split_once(':')?;
    (board == number.to_string()).then_some(square)
}

pub fn step(request: &RequestContext, fields: &Fields, place: &Place, step: &Step) -> Answer {
    let mut boards = step.boards().ok_or(Failure::App(AppError::NotFound))?;
    let all = step.choices_on(&boards);
    let typed = fields.get("turn");
    let known = all.iter().any(|choice| choice.turn == typed);
    let done = known && step.accepts(typed);
    let problems = match (typed, done) {
        ("", _) | (_, true) => Problems::default(),
        _ => Problems::told(vec![("turn", matches::NOT_THAT_CHOICE.to_owned())]),
    };
    if done
        && let Some(line) = lesson::transfer(typed)
        && let Ok(line) = boards.read(&line)
    {
        boards.take(&line);
    }
    let taken: Vec<&str> = fields.all("step").collect();
    let choices = if done { Vec::new() } else { all };
    let progress = steps::progress(&choices, &taken, &|step| step.contains(':'));
    let here = place.here();
    if let Some(turn) = progress.whole {
        return Ok(see(&format!("{here}{}", texts::query([("turn", turn)]))));
    }
    let after = |step: &str| {
        let steps = progress.steps.iter().copied().chain([step]);
        format!("{here}{}", texts::query(steps.map(|step| ("step", step))))
    };
    let drawn = |number: BoardNo, board: &Board| {
        let squares_of = |steps: &[&str]| -> Vec<String> {
            let squares = steps.iter().filter_map(|step| on_board(number, step));
            squares.map(str::to_owned).collect()
        };
        let mut chosen = squares_of(&progress.steps);
        if done {
            chosen.extend(
                on_board(number, typed)
                    .filter(|square| square.len() == 2)
                    .map(str::to_owned),
            );
        }
        let next: Vec<(String, String)> = progress
            .next
            .iter()
            .filter_map(|step| Some((on_board(number, step)?.to_owned(), after(step))))
            .collect();
        let diagram = diagram_to_show(board);
        let title = format!(
            "{}. {}",
            texts::team::board(number),
            flexichess::in_words(board.position())
        );
        as_wished(request, diagram).svg(&View {
            title: &title,
            coordinates: request.coordinates(),
            small: true,
            chosen: &chosen,
            next: &next,
            brief: true,
            ..View::default()
        })
    };
    let buttons = progress.next.iter().filter(|step| !step.contains(':'));
    let buttons = buttons.map(|step| Button {
        label: match step.parse() {
            Ok(number) => texts::team::to_board(BoardNo(number)),
            Err(_) => (*step).to_owned(),
        },
        address: after(step),
    });
    let page = Page {
        request,
        problems: &problems,
        place,
        step,
        glyphs: flexichess::glyphs(),
        boards: boards
            .iter()
            .map(|(number, board)| (number, drawn(number, board)))
            .collect(),
        buttons: buttons.collect(),
        undo: (!progress.steps.is_empty()).then(|| here.clone()),
        done,
    };
    problems.page(request, &page)
}
