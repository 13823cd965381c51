use askama::Template;

use crate::app::AppError;
use crate::texts::capital;
use crate::texts::team::{ended, kings, side_word};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::selection::{self, Selection, Taking, read_piece};
use crate::web::team::turn::{choosing, diagram, turned, waits};
use perplex_games::board::{View, flexichess};
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::Side;
use perplex_matches::team::event::Duty;
use perplex_matches::team::notice::{Awaited, Waiting};

struct Seat<'a> {
    side: Side,
    name: &'a str,
    is_you: bool,
    is_to_move: bool,
    pieces: u32,
    won: bool,
}

#[derive(Template)]
#[template(path = "team/parts/board.html")]
struct BoardPart<'a> {
    context: TeamContext<'a>,
    number: BoardNo,
    touched: i32,
    /// The other side's boardman, then the viewer's side's.
    seats: [Seat<'a>; 2],
    state: String,
    short: Option<&'static str>,
    kings: Option<&'static str>,
    tone: &'static str,
    is_check: bool,
    changes: usize,
    offer: Option<Side>,
    picture: Option<String>,
    is_mine: bool,
    is_main: bool,
    /// While a piece is chosen: `Ok` if the board can receive it, or the reason why not.
    verdict: Option<Result<(), String>>,
}

/// The board, with its squares that can be chosen. The one in use describes every square; the others have one
/// description.
fn picture(context: TeamContext, selection: &Selection, number: BoardNo, board: &Board) -> String {
    let diagram = diagram(board);
    let is_in_use = selection.main == number && !context.is_show() && !context.is_control_panel();
    let mut title = if is_in_use {
        format!("Board {number}")
    } else {
        format!("Board {number}. {}", flexichess::in_words(board.position()))
    };
    let mut chosen = Vec::new();
    let mut next = Vec::new();
    let mut shown = None;
    match &selection.taking {
        Some(Taking::Any) => next = selection::pieces(context, number, board),
        // Where it stands, and where it would land.
        Some(Taking::Piece(piece)) if piece.from == number || piece.can_go_to(number) => {
            chosen.push(piece.square.to_string());
            if piece.from == number {
                next = selection::pieces(context, number, board);
            }
        }
        None if selection.main == number && !context.is_control_panel() => {
            if let Some(choosing) = selection.choosing(|| choosing(context, number, board)) {
                if let Some((turn, after)) = &choosing.tried {
                    title = format!("Board {number} if you play {turn}");
                    shown = Some(after.clone());
                } else {
                    chosen.clone_from(&choosing.chosen);
                    next.clone_from(&choosing.next);
                }
            }
        }
        Some(Taking::Piece(_)) | None => {}
    }
    // A square to which a message in the talk refers.
    if let Some((board, square)) = read_piece(context.fields.get("mark"))
        && board == number
    {
        chosen.push(square.to_string());
    }
    shown.unwrap_or(diagram).turned(turned(context)).svg(&View {
        title: &title,
        coordinates: context.request.coordinates(),
        small: selection.large != Some(number),
        chosen: &chosen,
        next: &next,
        brief: !is_in_use,
        ply: usize::try_from(board.version()).unwrap_or_default(),
        ..View::default()
    })
}

pub fn render(
    context: TeamContext,
    selection: &Selection,
    number: BoardNo,
) -> Result<String, Failure> {
    let view = context.view;
    let state = &*view.state;
    let (Some(board), Some(status)) = (state.boards.board(number), state.status(number)) else {
        return Err(AppError::NotFound.into());
    };
    let seen = view.rights.boards.contains(&number);
    let awaited = state.awaited(number).filter(|_| seen);
    let bottom = match turned(context) {
        0 => Side::First,
        _ => Side::Second,
    };
    let seat = |side: Side| {
        let member = state.team(side).duties.holder(Duty::Board(number));
        Seat {
            side,
            name: member.map_or("vacant", |member| view.name(member)),
            is_you: member.is_some()
                && member == view.viewer.member
                && view.rights.side == Some(side),
            is_to_move: awaited.and_then(Awaited::side) == Some(side),
            pieces: board.position().count(side),
            won: board
                .outcome()
                .is_some_and(|outcome| outcome.winner == Some(side)),
        }
    };
    let is_mine = selection.own.contains(&number);
    let waits = waits(context);
    let (tone, words) = match (board.outcome(), awaited) {
        (Some(outcome), _) => ("over", capital(&ended(outcome))),
        (None, Some(Awaited::Turn(_))) if waits.contains(&Waiting::Turn(number)) => {
            ("yours", "Your turn".to_owned())
        }
        (None, Some(Awaited::Answer(_))) if waits.contains(&Waiting::Answer(number)) => {
            ("yours", "Your answer".to_owned())
        }
        (None, Some(Awaited::Decision)) if waits.contains(&Waiting::Dispute(number)) => {
            ("yours", "You decide".to_owned())
        }
        (None, Some(Awaited::Turn(side))) => ("theirs", format!("{} to move", side_word(side))),
        (None, Some(Awaited::Answer(side))) => ("theirs", format!("{} answers", side_word(side))),
        (None, Some(Awaited::Decision)) => ("theirs", format!("The {} decides", view.host_word())),
        (None, None) => ("theirs", String::new()),
    };
    let verdict = match &selection.taking {
        Some(Taking::Piece(piece)) => {
            piece
                .receivers
                .iter()
                .find(|(to, _)| *to == number)
                .map(|(_, why_not)| match why_not {
                    Some(why) => Err(selection::reason(number, why)),
                    None => Ok(()),
                })
        }
        _ => None,
    };
    let part = BoardPart {
        context,
        number,
        touched: view.number(status.touched),
        seats: [seat(bottom.other()), seat(bottom)],
        state: words,
        short: board.outcome().map(|outcome| match outcome.winner {
            Some(Side::First) => "1–0",
            Some(Side::Second) => "0–1",
            None => "½–½",
        }),
        kings: board.outcome().and_then(kings),
        tone,
        is_check: board.outcome().is_none() && seen && board.position().is_check(),
        changes: board.position().changes().len(),
        offer: status.offer.filter(|_| seen),
        picture: seen.then(|| picture(context, selection, number, board)),
        is_mine,
        is_main: selection.main == number,
        verdict,
    };
    Ok(part.render()?)
}
