use crate::web::steps;
use crate::web::team::context::TeamContext;
use crate::web::turn_form::{TurnForm, turn_form};
use perplex_games::board::{Diagram, Last, Render as _};
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::{Rules as _, Side};
use perplex_matches::team::Turn;
use perplex_matches::team::notice::Waiting;

pub fn waits(context: TeamContext) -> Vec<Waiting> {
    let view = context.view;
    if context.at.is_some() {
        return Vec::new();
    }
    let member = view.viewer.member.filter(|_| view.rights.side.is_some());
    let mut waits = member.map_or_else(Vec::new, |member| view.state.waits_for(member));
    if view.rights.lead {
        waits.extend(view.state.waits_for_host());
    }
    waits
}

pub fn turned(context: TeamContext) -> u8 {
    match context.fields.get("turned").parse::<u8>() {
        Ok(quarters) => quarters / 2 % 2 * 2,
        Err(_) if context.view.rights.side == Some(Side::Second) => 2,
        Err(_) => 0,
    }
}

pub fn diagram(board: &Board) -> Diagram {
    let mut diagram = board.position().diagram(board.last());
    if let Some(square) = board.transferred() {
        let name = square.to_string();
        if let Some(cell) = diagram.cells.iter_mut().find(|cell| cell.name == name) {
            cell.last = Some(if cell.pieces.is_empty() {
                Last::From
            } else {
                Last::To
            });
        }
    }
    diagram
}

pub struct Choosing {
    pub turn_form: TurnForm,
    pub next: Vec<(String, String)>,
    pub chosen: Vec<String>,
    pub tried: Option<Diagram>,
}

pub fn choosing(context: TeamContext, number: BoardNo, board: &Board) -> Option<Choosing> {
    let waits = waits(context);
    if !waits.contains(&Waiting::Turn(number)) {
        return None;
    }
    let diagram = diagram(board);
    let version = board.version().to_string();
    let choices = board.choices();
    let typed: Vec<&str> = if context.fields.get("ply") == version {
        context.fields.all("step").collect()
    } else {
        Vec::new()
    };
    let on_board = |step: &str| diagram.cells.iter().any(|cell| cell.name == step);
    let progress = steps::progress(&choices, &typed, &on_board);
    let shown = number.to_string();
    let address = |steps: &[&str]| {
        let mut more = vec![("board", shown.as_str())];
        if !steps.is_empty() {
            more.push(("ply", &version));
            more.extend(steps.iter().map(|step| ("step", *step)));
        }
        context.address(&more)
    };
    let confirm = context
        .request
        .viewer
        .as_ref()
        .is_none_or(|v| v.preferences.confirm_turns);
    let ply = usize::try_from(board.version()).unwrap_or_default();
    let label = |step: &str| board.position().step_label(step);
    let hint = board.position().hint();
    let (mut turn_form, next) = turn_form(
        &diagram, &choices, &progress, &address, ply, confirm, &label, hint,
    );
    let tried = progress.whole.and_then(|text| {
        let turn: Turn = board.read(text).ok()?;
        let after = board.position().clone().play(&turn).ok()?;
        turn_form.name = board.position().turn_label(&turn);
        Some(after.diagram(Some(&turn)))
    });
    let claims = progress.whole.map_or_else(Vec::new, |_| board.claims());
    let is_offered = waits.contains(&Waiting::Offer(number));
    Some(Choosing {
        turn_form: turn_form.with_draws(is_offered, &claims),
        next,
        chosen: progress.steps.iter().map(ToString::to_string).collect(),
        tried,
    })
}
