//! One board of a match, as a part of its page, and the panel of the board that is looked at: turns, draws,
//! answers.

use std::fmt::Write as _;

use askama::Template;

use crate::app::AppError;
use crate::app::teams::TeamView;
use crate::web::answer::Failure;
use crate::web::request::RequestContext;
use crate::web::rulebook::context::{RuleEditorContext, Sending};
use crate::web::rulebook::page::Rendered;
use crate::web::team::look::{Look, Taking};
use crate::web::team::people::Dispute;
use crate::web::team::{TeamContext, log, look, people};
use crate::web::turn_form::{TurnForm, turn_form};
use crate::web::{rulebook, steps, words};
use perplex_games::board::{Diagram, Draw as _, Last, View, flexichess};
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::{Outcome, Reason, Rules as _, Side};
use perplex_matches::team::event::{Duty, What};
use perplex_matches::team::notice::{Awaited, Waiting};
use perplex_matches::team::{Flexichess, Logged, Phase, Turn};

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
    context: TeamContext<'a>,
    number: BoardNo,
    touched: i32,
    /// The other side's boardman, then the viewer's side's.
    seats: [Seat<'a>; 2],
    state: String,
    /// The result in figures, where there is little room.
    short: Option<&'static str>,
    /// What has become of the kings, once the board has ended.
    kings: Option<&'static str>,
    tone: &'static str,
    is_check: bool,
    changes: usize,
    offer: Option<Side>,
    /// The board; nothing if the viewer may not see it.
    picture: Option<String>,
    is_mine: bool,
    /// Whether it is the one with which keys and forms work.
    is_main: bool,
    /// While a piece is chosen: why the board cannot receive it, or that it can.
    verdict: Option<Result<(), String>>,
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
        None => format!("drawn {because}"),
    }
}

/// What became of the kings of a board that was decided by play; nothing where pieces were counted, as they stay there.
fn kings(outcome: Outcome) -> Option<&'static str> {
    (outcome.reason != Reason::Pieces).then_some("Both kings are off the board.")
}

/// The quarter turns by which the viewer sees the boards turned.
pub fn turned(context: TeamContext) -> u8 {
    match context.fields.get("turned").parse::<u8>() {
        Ok(quarters) => quarters / 2 % 2 * 2,
        Err(_) if context.view.rights.side == Some(Side::Second) => 2,
        Err(_) => 0,
    }
}

/// A position as a diagram, with the traces of a turn and of a transfer since.
fn diagram(board: &Board) -> Diagram {
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

/// The turn that is being put together on the board in use, if the viewer is to play there.
pub struct Choosing {
    making: TurnForm,
    next: Vec<(String, String)>,
    chosen: Vec<String>,
    /// The board as it would be after the turn, if that is whole.
    tried: Option<(String, Diagram)>,
}

/// What the viewer is to do now, on any board.
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

fn choosing(context: TeamContext, number: BoardNo, board: &Board) -> Option<Choosing> {
    if !waits(context).contains(&Waiting::Turn(number)) {
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
        .is_none_or(|v| v.confirm_turns);
    let ply = usize::try_from(board.version()).unwrap_or_default();
    let label = |step: &str| Flexichess::step_label(step);
    let hint = board.position().hint();
    let (making, next) = turn_form(
        &diagram, &choices, &progress, &address, ply, confirm, &label, hint,
    );
    let tried = progress.whole.and_then(|text| {
        let turn: Turn = board.read(text).ok()?;
        let after = board.position().clone().play(&turn).ok()?;
        Some((text.to_owned(), after.diagram(Some(&turn))))
    });
    Some(Choosing {
        making,
        next,
        chosen: progress.steps.iter().map(ToString::to_string).collect(),
        tried,
    })
}

/// The board, with what can be chosen on it. That which is in use says what is on every square; the others say it
/// all at once.
fn picture(context: TeamContext, look: &Look, number: BoardNo, board: &Board) -> String {
    let diagram = diagram(board);
    let is_in_use = look.main == number && !context.is_show() && !context.is_desk();
    let mut title = if is_in_use {
        format!("Board {number}")
    } else {
        format!("Board {number}. {}", flexichess::in_words(board.position()))
    };
    let mut chosen = Vec::new();
    let mut next = Vec::new();
    let mut shown = None;
    match &look.taking {
        Some(Taking::Any) => next = look::pieces(context, number, board),
        Some(Taking::Piece(piece)) => {
            next = look::pieces(context, number, board);
            if piece.from == number {
                chosen.push(piece.square.to_string());
            }
        }
        None if look.main == number && !context.is_desk() => {
            if let Some(choosing) = look.choosing(|| choosing(context, number, board)) {
                if let Some((turn, after)) = &choosing.tried {
                    title = format!("Board {number} if you play {turn}");
                    shown = Some(after.clone());
                } else {
                    chosen.clone_from(&choosing.chosen);
                    next.clone_from(&choosing.next);
                }
            }
        }
        None => {}
    }
    // A square that a message in the talk points at.
    if let Some((board, square)) = look::read_piece(context.fields.get("mark"))
        && board == number
    {
        chosen.push(square.to_string());
    }
    shown.unwrap_or(diagram).turned(turned(context)).svg(&View {
        title: &title,
        coordinates: context.request.coordinates(),
        small: look.large != Some(number),
        chosen: &chosen,
        next: &next,
        brief: !is_in_use,
        // What can be dragged to another board has to be found.
        named: match context.view.rights.side {
            Some(side) if context.view.rights.command => look::side_class(side),
            _ => "",
        },
        ply: usize::try_from(board.version()).unwrap_or_default(),
        ..View::default()
    })
}

/// The part of the page.
pub fn render(context: TeamContext, look: &Look, number: BoardNo) -> Result<String, Failure> {
    let view = context.view;
    let state = &*view.state;
    let (Some(board), Some(desk)) = (state.boards.board(number), state.desk(number)) else {
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
            name: member.map_or("nobody yet", |member| view.name(member)),
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
    let is_mine = look.own.contains(&number);
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
    let verdict = match &look.taking {
        Some(Taking::Piece(piece)) => {
            piece
                .receivers
                .iter()
                .find(|(to, _)| *to == number)
                .map(|(_, why_not)| match why_not {
                    Some(why) => Err(look::reason(number, why)),
                    None => Ok(()),
                })
        }
        _ => None,
    };
    let part = BoardPart {
        context,
        number,
        touched: desk.touched,
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
        offer: desk.offer.filter(|_| seen),
        picture: seen.then(|| picture(context, look, number, board)),
        is_mine,
        is_main: look.main == number,
        verdict,
    };
    Ok(part.render()?)
}

/// With a capital letter at the beginning.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[derive(Template)]
#[template(path = "team-panel.html")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a form of its own, there or not"
)]
struct Panel<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    number: BoardNo,
    touched: i32,
    version: u32,
    /// What happened last on the board.
    last: Option<String>,
    /// What there is to do, in a sentence.
    say: String,
    making: Option<&'a TurnForm>,
    may_offer: bool,
    may_claim: bool,
    may_resign: bool,
    /// The viewer's side has offered a draw.
    offered: bool,
    rulebook: String,
}

/// What was done last on a board, or taken back there.
pub fn last_on(view: &TeamView, number: BoardNo) -> Option<&Logged> {
    view.log().rev().find(|logged| {
        logged.boards.contains(&number)
            && matches!(logged.event.what, What::Line(_) | What::Back(_))
    })
}

/// The panel of the board that is looked at, nothing if none is; and whether a rule is being changed in it.
pub fn panel(context: TeamContext, look: &Look) -> Result<(String, bool), Failure> {
    let view = context.view;
    let state = &*view.state;
    let number = look.main;
    let (Some(board), Some(desk)) = (state.boards.board(number), state.desk(number)) else {
        return Ok((String::new(), false));
    };
    if look.large.is_none() || !view.rights.boards.contains(&number) {
        return Ok((String::new(), false));
    }
    let plays =
        context.at.is_none() && view.rights.play.contains(&number) && board.outcome().is_none();
    let waits = waits(context);
    let say = match (state.phase, board.outcome(), state.awaited(number)) {
        (Phase::Gathering, ..) => "The match has not begun yet.".to_owned(),
        (_, Some(outcome), _) => {
            let mut said = format!("{}.", capital(&ended(outcome)));
            if let Some(more) = kings(outcome) {
                let _ = write!(said, " {more}");
                if state.phase != Phase::Over {
                    said += " Other pieces can still be brought here and taken away.";
                }
            }
            said
        }
        (Phase::Paused, ..) => "The match is paused: nothing can be played now.".to_owned(),
        (_, None, Some(Awaited::Turn(side))) if !waits.contains(&Waiting::Turn(number)) => {
            let holder = state.team(side).duties.holder(Duty::Board(number));
            let name = holder.map_or("nobody", |member| view.name(member));
            format!("{} to move: {name}.", side_word(side))
        }
        // What waits for an answer is said in the rulebook, or above.
        _ => String::new(),
    };
    let last = last_on(view, number).map(|logged| format!("{}.", log::sentence(view, logged)));
    let rulebook = rulebook(context, look, number, board)?;
    let part = Panel {
        request: context.request,
        context,
        number,
        touched: desk.touched,
        version: board.version(),
        last,
        say,
        making: if look.taking.is_some() {
            None
        } else {
            let choosing = look.choosing(|| choosing(context, number, board));
            choosing.map(|choosing| &choosing.making)
        },
        may_offer: plays && desk.offer.is_none(),
        may_claim: waits.contains(&Waiting::Turn(number)) && board.claim().is_some(),
        offered: desk.offer.is_some() && desk.offer == view.rights.side,
        may_resign: plays,
        rulebook: rulebook.html,
    };
    Ok((part.render()?, rulebook.is_editing))
}

/// The rules of a board, and their editor where the viewer is to play.
fn rulebook(
    context: TeamContext,
    look: &Look,
    number: BoardNo,
    board: &Board,
) -> Result<Rendered, Failure> {
    let waits = waits(context);
    let turns = waits.contains(&Waiting::Turn(number)) && look.taking.is_none();
    let mut desk = rulebook_desk(context, number, board, turns);
    // It stands above the boards, with what is answered.
    desk.tells_waiting = !waits.iter().any(|one| is_up_to(*one, number));
    Ok(rulebook::page::render(&desk)?)
}

/// Whether it is for the viewer to say what becomes of what waits on a board.
fn is_up_to(waiting: Waiting, board: BoardNo) -> bool {
    [Waiting::Answer(board), Waiting::Dispute(board)].contains(&waiting)
}

fn rulebook_desk<'a>(
    context: TeamContext<'a>,
    number: BoardNo,
    board: &'a Board,
    acts: bool,
) -> RuleEditorContext<'a> {
    let mut query = vec![("board", number.to_string())];
    let kept = ["turned", "log", "channel"].into_iter();
    query.extend(
        kept.map(|name| (name, context.fields.get(name).to_owned()))
            .filter(|(_, value)| !value.is_empty()),
    );
    RuleEditorContext {
        request: context.request,
        position: board.position(),
        path: context.path(),
        is_here: context.request.is_page,
        query,
        fields: context.fields,
        send: if acts {
            Sending::Post(
                context.act_on("turn", &number),
                vec![
                    ("ply", board.version().to_string()),
                    ("event", context.view.last.to_string()),
                ],
            )
        } else {
            Sending::Never
        },
        turned: turned(context),
        record: None,
        refused: context.problems.at("words").is_some(),
        decides: Some(context.view.host_word()),
        disputed: context.view.state.awaited(number) == Some(Awaited::Decision),
        moves: Some(format!("{}/moves", context.base())),
        board: Some(number.0),
        tells_waiting: true,
    }
}

/// What waits for the viewer's answer, above the boards.
#[derive(Template)]
#[template(path = "team-answers.html")]
struct Answers<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    event: i32,
    /// Boards with what was proposed there, and the form that answers.
    proposed: Vec<String>,
    /// Boards on which a draw is offered.
    offers: Vec<BoardNo>,
    disputes: Vec<Dispute>,
}

/// The part of the page; empty if nobody waits for an answer of the viewer.
pub fn answers(context: TeamContext) -> Result<String, Failure> {
    let state = &context.view.state;
    let (mut proposed, mut offers) = (Vec::new(), Vec::new());
    for waiting in waits(context) {
        match waiting {
            Waiting::Answer(number) => {
                if let Some(board) = state.boards.board(number) {
                    let desk = rulebook_desk(context, number, board, true);
                    proposed.push(rulebook::page::waiting(&desk)?);
                }
            }
            Waiting::Offer(number) => offers.push(number),
            Waiting::Turn(_) | Waiting::Dispute(_) => {}
        }
    }
    let part = Answers {
        request: context.request,
        context,
        event: context.view.last,
        proposed,
        offers,
        disputes: people::disputes(context),
    };
    Ok(part.render()?)
}
