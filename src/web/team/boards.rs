//! One board of a match, as a part of its page.

use askama::Template;

use super::Scene;
use crate::board::{Draw as _, Last, View};
use crate::perplexichess::boards::{Board, BoardNo};
use crate::perplexichess::event::Duty;
use crate::rules::{Outcome, Side};
use crate::web::Failure;
use crate::web::words;

/// Who plays a side of the board.
struct Seat<'a> {
    side: Side,
    name: &'a str,
    is_you: bool,
    is_to_move: bool,
    pieces: u32,
    won: bool,
}

#[derive(Template)]
#[template(path = "team-board.html")]
struct BoardPart<'a> {
    scene: Scene<'a>,
    number: BoardNo,
    touched: i32,
    /// The other side's boardman, then the viewer's side's.
    seats: [Seat<'a>; 2],
    state: String,
    tone: &'static str,
    changes: usize,
    /// The board; nothing if the viewer may not see it.
    picture: Option<String>,
    is_mine: bool,
}

/// White's or Black's name.
pub const fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "White",
        Side::Second => "Black",
    }
}

/// How a board or a match ended: `White won by checkmate`.
pub fn ended(outcome: Outcome) -> String {
    let because = words::because(&outcome.reason.to_string());
    match outcome.winner {
        Some(side) => format!("{} won {because}", side_word(side)),
        None => format!("Drawn {because}"),
    }
}

/// The quarter turns by which the viewer sees the boards turned.
pub fn turned(scene: Scene) -> u8 {
    match scene.fields.get("turned").parse::<u8>() {
        Ok(quarters) => quarters / 2 % 2 * 2,
        Err(_) if scene.view.rights.side == Some(Side::Second) => 2,
        Err(_) => 0,
    }
}

/// The board as it is looked at, without anything to choose.
pub fn picture(
    scene: Scene,
    number: BoardNo,
    board: &Board,
    chosen: &[String],
    next: &[(String, String)],
) -> String {
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
    diagram.turned(turned(scene)).svg(&View {
        title: &format!("Board {number}"),
        coordinates: scene.visit().coordinates(),
        chosen,
        next,
        defs: false,
    })
}

/// The part of the page.
pub fn render(scene: Scene, number: BoardNo) -> Result<String, Failure> {
    let view = scene.view;
    let state = &*view.state;
    let (Some(board), Some(desk)) = (state.boards.board(number), state.desk(number)) else {
        return Err(crate::app::AppError::NotFound.into());
    };
    let seen = view.rights.boards.contains(&number);
    let to_move = board.to_move().filter(|_| state.started.is_some() && seen);
    let bottom = if turned(scene) == 0 {
        Side::First
    } else {
        Side::Second
    };
    let seat = |side: Side| {
        let member = state.team(side).duties.holder(Duty::Board(number));
        Seat {
            side,
            name: member.map_or("nobody yet", |member| view.name(member)),
            is_you: member.is_some()
                && member == view.viewer.member
                && view.rights.side == Some(side),
            is_to_move: to_move == Some(side),
            pieces: board.position().count(side),
            won: board
                .outcome()
                .is_some_and(|outcome| outcome.winner == Some(side)),
        }
    };
    let is_mine = view
        .viewer
        .member
        .is_some_and(|member| state.boards_of(member).contains(&number));
    let (tone, words) = match (board.outcome(), to_move) {
        (Some(outcome), _) => ("over", ended(outcome)),
        (None, Some(side)) if is_mine && view.rights.side == Some(side) => {
            ("yours", "Your turn".to_owned())
        }
        (None, Some(side)) => ("theirs", format!("{} to move", side_word(side))),
        (None, None) => ("theirs", String::new()),
    };
    let part = BoardPart {
        scene,
        number,
        touched: desk.touched,
        seats: [seat(bottom.other()), seat(bottom)],
        state: words,
        tone,
        changes: board.position().changes().len(),
        picture: seen.then(|| picture(scene, number, board, &[], &[])),
        is_mine,
    };
    Ok(part.render()?)
}
