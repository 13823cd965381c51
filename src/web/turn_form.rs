//! The form in which a player puts a turn together, on any board: links and buttons, and the same steps for the
//! script.

use std::collections::HashSet;

use crate::texts::{self, matches};
use crate::web::request::RequestContext;
use crate::web::rulebook::pictures::as_wished;
use crate::web::steps::{self, Progress};
use perplex_games::board::{Diagram, View};
use perplex_games::game::{AnyGame, Choice};

pub struct Button {
    pub label: String,
    pub address: String,
    pub step: String,
    pub is_chosen: bool,
}

pub struct TurnForm {
    pub whole: Option<String>,
    /// The name of the whole turn on its button.
    pub name: String,
    pub steps: String,
    pub more: bool,
    pub buttons: Vec<Button>,
    pub undo: Option<String>,
    pub hint: String,
    pub json: String,
    /// The whole turn declines a draw that is offered.
    pub declines: bool,
    /// With the whole turn a draw can be claimed.
    pub claims: bool,
}

impl TurnForm {
    /// The same where a draw `is_offered` to the player, and one can be claimed with these turns.
    #[must_use]
    pub fn with_draws<Turn: ToString>(self, is_offered: bool, claims: &[Turn]) -> Self {
        let whole = self.whole.as_ref();
        let claims =
            whole.is_some_and(|whole| claims.iter().any(|turn| turn.to_string() == *whole));
        Self {
            declines: is_offered && whole.is_some(),
            claims,
            ..self
        }
    }
}

/// The board, and the form for a turn on it; `after_change` is the board after the change of a rule that is edited.
#[expect(
    clippy::too_many_arguments,
    reason = "the pieces of one page, put together in one place"
)]
pub fn board(
    request: &RequestContext,
    game: &dyn AnyGame,
    diagram: Diagram,
    choices: &[Choice],
    progress: &Progress,
    address: &dyn Fn(&[&str]) -> String,
    turned: u8,
    ply: usize,
    confirm: bool,
    after_change: Option<Diagram>,
) -> (String, Option<TurnForm>) {
    let coordinates = request.coordinates();
    let picture = |diagram: Diagram, title: &str, ply, chosen: &[&str], next: &[_]| {
        let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
        as_wished(request, diagram).turned(turned).svg(&View {
            title,
            coordinates,
            chosen: &chosen,
            next,
            defs: true,
            ply,
            ..View::default()
        })
    };
    let title = match after_change {
        Some(_) => texts::rulebook::AFTER_CHANGE.to_owned(),
        None => matches::board_after(ply),
    };
    let diagram = after_change.unwrap_or(diagram);
    if choices.is_empty() {
        return (picture(diagram, &title, ply, &[], &[]), None);
    }
    let (mut turn_form, next) = turn_form(
        &diagram,
        choices,
        progress,
        address,
        ply,
        confirm,
        &|step: &str| game.step_label(step),
        game.hint(),
    );
    if let Some(turn) = progress.whole {
        turn_form.name = game.turn_label(turn);
    }
    // A complete turn is shown as it would be; it is not made yet, and may go on.
    let tried = progress.whole.and_then(|turn| {
        let mut after = game.boxed();
        after.play(turn).ok()?;
        Some((after.diagram(), matches::board_if(&turn_form.name)))
    });
    let svg = match tried {
        Some((after, title)) => {
            // A piece that has arrived can go on, if further steps are possible.
            let on_board = |step: &str| diagram.cells.iter().any(|cell| cell.name == step);
            let mut chosen = progress.steps.iter().rev().filter(|step| on_board(step));
            let chosen = chosen.next().copied().filter(|_| !next.is_empty());
            picture(after, &title, ply + 1, chosen.as_slice(), &next)
        }
        None => picture(diagram, &title, ply, &progress.steps, &next),
    };
    (svg, Some(turn_form))
}

/// The form for a turn on a board that looks like `diagram`, and the places on it that can come next, each with the
/// address that chooses it.
#[allow(
    clippy::too_many_arguments,
    reason = "the pieces of one form, put together in one place"
)]
pub fn turn_form(
    diagram: &Diagram,
    choices: &[Choice],
    progress: &Progress,
    address: &dyn Fn(&[&str]) -> String,
    ply: usize,
    confirm: bool,
    label: &dyn Fn(&str) -> String,
    hint: String,
) -> (TurnForm, Vec<(String, String)>) {
    let cells: HashSet<&str> = diagram.cells.iter().map(|cell| &*cell.name).collect();
    let on_board = |step: &str| cells.contains(step);
    let json = steps::json(choices, progress, ply, confirm, |step| {
        (!on_board(step)).then(|| label(step))
    });
    let with = |before: &[&str], step: &str| {
        let mut steps = before.to_vec();
        steps.push(step);
        address(&steps)
    };
    let before = progress.steps.split_last().map_or(&[][..], |(_, b)| b);
    let button = |before: &[&str], step: &str, is_chosen: bool| Button {
        label: label(step),
        address: with(before, step),
        step: step.to_owned(),
        is_chosen,
    };
    let instead = progress
        .instead
        .iter()
        .map(|step| button(before, step, progress.steps.last() == Some(step)));
    let next = progress
        .next
        .iter()
        .filter(|step| !on_board(step))
        .map(|step| button(&progress.steps, step, false));
    let buttons = instead.chain(next).collect();
    let undo = (!progress.steps.is_empty())
        .then(|| address(&steps::before(choices, &progress.steps, &on_board)));
    let said: Vec<String> = progress
        .steps
        .iter()
        .map(|step| {
            if on_board(step) {
                (*step).to_owned()
            } else {
                label(step)
            }
        })
        .collect();
    let turn_form = TurnForm {
        whole: progress.whole.map(str::to_owned),
        name: progress.whole.unwrap_or_default().to_owned(),
        steps: said.join(", "),
        more: !progress.next.is_empty(),
        buttons,
        undo,
        hint,
        json,
        declines: false,
        claims: false,
    };
    let places = progress
        .next
        .iter()
        .filter(|step| on_board(step))
        .map(|step| ((*step).to_owned(), with(&progress.steps, step)))
        .collect();
    (turn_form, places)
}
