use std::sync::Arc;

use askama::Template;

use crate::app::AppError;
use crate::texts;
use crate::texts::team::left_there;
use crate::web::answer::Failure;
use crate::web::rulebook::kinds::anchor;
use crate::web::rulebook::pictures::{QUILL, movement_picture};
use crate::web::team::context::TeamContext;
use crate::web::team::parts::panel;
use crate::web::team::selection::{self, Selection, Taking, read_piece};
use crate::web::team::turn::{choosing, diagram, turned, waits};
use perplex_games::board::{Render as _, View, flexichess};
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Effect, Flexichess, Recorded};
use perplex_matches::team::event::Duty;
use perplex_matches::team::notice::{Awaited, Waiting};
use perplex_matches::team::{Logged, Phase};

struct Seat<'a> {
    side: Side,
    name: &'a str,
    is_you: bool,
    is_to_move: bool,
    pieces: u32,
    won: bool,
    /// The pieces that are not on the board any more, as a picture.
    gone: Option<String>,
}

/// A changed rule that is in force on a board.
struct InForce {
    /// The movement, the pieces that pawns become, or the sign for a rule in words.
    picture: String,
    /// The rule in the words of the player who made it.
    text: String,
    /// The part of the rulebook that says what it means.
    anchor: String,
}

#[derive(Template)]
#[template(path = "team/parts/board.html")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a mark or a form of its own, there or not"
)]
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
    /// On the wall the newest ones, the newest first.
    rules: Vec<InForce>,
    /// The number of those that the wall has no room for.
    more: usize,
    offer: Option<Side>,
    picture: Option<String>,
    is_mine: bool,
    is_main: bool,
    /// The viewer may move or change a rule there.
    chooses: bool,
    /// While a piece is chosen: `Ok` if the board can receive it, or the reason why not.
    verdict: Option<Result<(), String>>,
}

/// The number of rules that stand under each board of the wall, large enough for the last row.
pub const fn on_the_wall(boards: usize) -> usize {
    if boards > 5 { 1 } else { 2 }
}

/// The changed rules that are in force, the first one first.
fn in_force(position: &Flexichess) -> Vec<InForce> {
    let picture = |effect: &Effect| match effect {
        Effect::Movement(kind, movement) => {
            movement_picture(movement, *kind, Side::First) + &flexichess::picture(*kind)
        }
        Effect::Promotion(set) => set.kinds().map(flexichess::picture).collect(),
        Effect::Written(_) => QUILL.to_owned(),
    };
    let in_force = position.in_force().map(|Recorded { change, .. }| InForce {
        picture: picture(&change.effect),
        anchor: match &change.effect {
            Effect::Movement(kind, _) => anchor(*kind),
            Effect::Promotion(_) => "in-force".to_owned(),
            Effect::Written(_) => "in-words".to_owned(),
        },
        text: change.text.clone(),
    });
    in_force.collect()
}

/// The position in which a board was decided, as long as the viewer has not put away the card that tells it: so the
/// mate is seen before the kings go. The wall keeps it until a piece is transferred.
fn just_decided<'a>(
    context: TeamContext,
    number: BoardNo,
    board: &'a Board,
) -> Option<&'a Flexichess> {
    let ended = |logged: &Arc<Logged>| logged.ended.iter().any(|(board, _)| *board == number);
    let is_news = context.at.is_none() && context.view.cards().iter().any(ended);
    let is_shown = is_news || context.is_show();
    board.decided().filter(|_| is_shown)
}

/// The board, with its squares that can be chosen. The one in use describes every square; the others have one
/// description.
fn picture(context: TeamContext, selection: &Selection, number: BoardNo, board: &Board) -> String {
    let decided = just_decided(context, number, board);
    let diagram = match decided {
        Some(position) => position.diagram(board.last()),
        None => diagram(board),
    };
    let is_in_use = selection.main == number && !context.is_show() && !context.is_control_panel();
    let mut title = if is_in_use {
        texts::team::board(number)
    } else {
        let position = decided.unwrap_or(board.position());
        texts::team::board_in_words(number, &flexichess::in_words(position))
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
                if let Some(after) = &choosing.tried {
                    title = texts::team::board_if(number, &choosing.turn_form.name);
                    shown = Some(after.clone());
                } else {
                    chosen.clone_from(&choosing.chosen);
                    next.clone_from(&choosing.next);
                }
            }
            if shown.is_none()
                && let Some(after) = panel::board_after_change(context, selection, number, board)
            {
                title = texts::team::board_after_change(number);
                shown = Some(after);
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
    // Small boards beside a large one tell nothing beside what is on them.
    let is_told = seen && selection.large.is_none_or(|large| large == number);
    let is_played_here = !context.is_show() && !context.is_control_panel();
    let gone = (is_told && is_played_here).then(|| flexichess::gone(board.position()));
    let seat = |side: Side| {
        let gone = gone.iter().flatten().find(|gone| gone.side == side);
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
            gone: gone.map(|gone| gone.svg(Flexichess::CARD.key)),
        }
    };
    let is_mine = selection.own.contains(&number);
    let waits = waits(context);
    let asked = match awaited {
        Some(Awaited::Turn(_)) => waits.contains(&Waiting::Turn(number)),
        Some(Awaited::Answer(_)) => waits.contains(&Waiting::Answer(number)),
        Some(Awaited::Decision) => waits.contains(&Waiting::Dispute(number)),
        None => false,
    };
    let tone = match board.outcome() {
        Some(_) => "over",
        None if asked => "yours",
        None => "theirs",
    };
    let verdict = match &selection.taking {
        Some(Taking::Piece(piece)) => {
            piece
                .receivers
                .iter()
                .find(|(to, _)| *to == number)
                .map(|(_, why_not)| match why_not {
                    Some(why) => Err(texts::team::reason_here(number, why)),
                    None => Ok(()),
                })
        }
        _ => None,
    };
    let mut rules = in_force(board.position());
    let changes = rules.len();
    if context.is_show() {
        rules.reverse();
        rules.truncate(on_the_wall(selection.order.len()));
    }
    let decided = just_decided(context, number, board);
    let part = BoardPart {
        context,
        number,
        touched: view.number(status.touched),
        seats: [seat(bottom.other()), seat(bottom)],
        state: match board.outcome().filter(|_| context.is_show()) {
            // In one line, so that all boards of the wall are of one size; the log beside them says how it ended.
            Some(outcome) => texts::team::ended_in_short(outcome),
            None => texts::team::board_state(view, board.outcome(), awaited, asked),
        },
        short: board.outcome().map(|outcome| match outcome.winner {
            Some(Side::First) => "1–0",
            Some(Side::Second) => "0–1",
            None => "½–½",
        }),
        kings: board
            .outcome()
            .filter(|_| decided.is_none() && !context.is_show())
            .and_then(|outcome| left_there(outcome, state.phase == Phase::Over)),
        tone: if decided.is_some() {
            "over decided"
        } else {
            tone
        },
        is_check: board.outcome().is_none() && seen && board.position().is_check(),
        changes,
        more: changes - rules.len(),
        rules: if is_told { rules } else { Vec::new() },
        offer: status.offer.filter(|_| seen),
        picture: seen.then(|| picture(context, selection, number, board)),
        is_mine,
        is_main: selection.main == number,
        chooses: selection.large == Some(number)
            && selection.taking.is_none()
            && waits.contains(&Waiting::Turn(number))
            && is_played_here,
        verdict,
    };
    Ok(part.render()?)
}
