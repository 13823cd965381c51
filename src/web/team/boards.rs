//! One board of a match, as a part of its page, and the panel of the board that is looked at: turns, draws,
//! answers.

use askama::Template;

use super::look::{self, Look, Taking};
use super::{Scene, log};
use crate::app::AppError;
use crate::app::teams::TeamView;
use crate::board::{Diagram, Draw as _, Last, View, flexichess};
use crate::perplexichess::boards::{Board, BoardNo};
use crate::perplexichess::event::{Duty, What};
use crate::perplexichess::{Flexichess, Logged, Phase, Turn};
use crate::rules::{Outcome, Rules as _, Side};
use crate::web::matches::{Making, making};
use crate::web::rulebook::{self, Desk, Sending};
use crate::web::visit::Visit;
use crate::web::{Failure, steps, words};

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
    /// The result in figures, where there is little room.
    short: Option<&'static str>,
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

/// The quarter turns by which the viewer sees the boards turned.
pub fn turned(scene: Scene) -> u8 {
    match scene.fields.get("turned").parse::<u8>() {
        Ok(quarters) => quarters / 2 % 2 * 2,
        Err(_) if scene.view.rights.side == Some(Side::Second) => 2,
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
    making: Making,
    next: Vec<(String, String)>,
    chosen: Vec<String>,
    /// The board as it would be after the turn, if that is whole.
    tried: Option<(String, Diagram)>,
}

/// Whether the viewer is to play, or to answer, on a board now.
fn is_to_act(scene: Scene, number: BoardNo, board: &Board) -> bool {
    let view = scene.view;
    scene.at.is_none()
        && view.rights.play.contains(&number)
        && board.to_move().is_some()
        && board.to_move() == view.rights.side
}

fn choosing(scene: Scene, number: BoardNo, board: &Board) -> Option<Choosing> {
    if !is_to_act(scene, number, board) || board.position().pending().is_some() {
        return None;
    }
    let diagram = diagram(board);
    let version = board.version().to_string();
    let choices = board.choices();
    let typed: Vec<&str> = if scene.fields.get("ply") == version {
        scene.fields.all("step").collect()
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
        scene.address(&more)
    };
    let confirm = scene
        .visit()
        .viewer
        .as_ref()
        .is_none_or(|v| v.confirm_turns);
    let ply = usize::try_from(board.version()).unwrap_or_default();
    let label = |step: &str| Flexichess::step_label(step);
    let hint = board.position().hint();
    let (making, next) = making(
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
fn picture(scene: Scene, look: &Look, number: BoardNo, board: &Board) -> String {
    let diagram = diagram(board);
    let is_in_use = look.main == number && !scene.is_show() && !scene.is_desk();
    let mut title = if is_in_use {
        format!("Board {number}")
    } else {
        format!("Board {number}. {}", flexichess::in_words(board.position()))
    };
    let mut chosen = Vec::new();
    let mut next = Vec::new();
    let mut shown = None;
    match &look.taking {
        Some(Taking::Any) => next = look::pieces(scene, number, board),
        Some(Taking::Piece(piece)) => {
            next = look::pieces(scene, number, board);
            if piece.from == number {
                chosen.push(piece.square.to_string());
            }
        }
        None if look.main == number && !scene.is_desk() => {
            if let Some(choosing) = look.choosing(|| choosing(scene, number, board)) {
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
    if let Some((board, square)) = super::look::read_piece(scene.fields.get("mark"))
        && board == number
    {
        chosen.push(square.to_string());
    }
    shown.unwrap_or(diagram).turned(turned(scene)).svg(&View {
        title: &title,
        coordinates: look.large == Some(number) && scene.visit().coordinates(),
        chosen: &chosen,
        next: &next,
        brief: !is_in_use,
        // What can be dragged to another board has to be found.
        named: match scene.view.rights.side {
            Some(side) if scene.view.rights.command => look::side_class(side),
            _ => "",
        },
        ply: usize::try_from(board.version()).unwrap_or_default(),
        ..View::default()
    })
}

/// The part of the page.
pub fn render(scene: Scene, look: &Look, number: BoardNo) -> Result<String, Failure> {
    let view = scene.view;
    let state = &*view.state;
    let (Some(board), Some(desk)) = (state.boards.board(number), state.desk(number)) else {
        return Err(AppError::NotFound.into());
    };
    let seen = view.rights.boards.contains(&number);
    let to_move = board.to_move().filter(|_| state.started.is_some() && seen);
    let bottom = match turned(scene) {
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
            is_to_move: to_move == Some(side),
            pieces: board.position().count(side),
            won: board
                .outcome()
                .is_some_and(|outcome| outcome.winner == Some(side)),
        }
    };
    let is_mine = look.own.contains(&number);
    let waits = board.position().pending().is_some();
    let (tone, words) = match (board.outcome(), to_move) {
        (Some(outcome), _) => ("over", capital(&ended(outcome))),
        (None, Some(_)) if desk.disputed => ("theirs", format!("The {} decides", view.host_word())),
        (None, Some(_)) if is_to_act(scene, number, board) && waits => {
            ("yours", "Your answer".to_owned())
        }
        (None, Some(_)) if is_to_act(scene, number, board) => ("yours", "Your turn".to_owned()),
        (None, Some(side)) if waits => ("theirs", format!("{} answers", side_word(side))),
        (None, Some(side)) => ("theirs", format!("{} to move", side_word(side))),
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
        scene,
        number,
        touched: desk.touched,
        seats: [seat(bottom.other()), seat(bottom)],
        state: words,
        short: board.outcome().map(|outcome| match outcome.winner {
            Some(Side::First) => "1–0",
            Some(Side::Second) => "0–1",
            None => "½–½",
        }),
        tone,
        is_check: board.outcome().is_none() && seen && board.position().is_check(),
        changes: board.position().changes().len(),
        offer: desk.offer.filter(|_| seen),
        picture: seen.then(|| picture(scene, look, number, board)),
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
    visit: &'a Visit,
    scene: Scene<'a>,
    number: BoardNo,
    touched: i32,
    version: u32,
    /// What happened last on the board.
    last: Option<String>,
    /// What there is to do, in a sentence.
    say: String,
    making: Option<&'a Making>,
    /// The other side offers a draw.
    offered: bool,
    may_offer: bool,
    may_claim: bool,
    may_resign: bool,
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
pub fn panel(scene: Scene, look: &Look) -> Result<(String, bool), Failure> {
    let view = scene.view;
    let state = &*view.state;
    let number = look.main;
    let (Some(board), Some(desk)) = (state.boards.board(number), state.desk(number)) else {
        return Ok((String::new(), false));
    };
    if look.large.is_none() || !view.rights.boards.contains(&number) {
        return Ok((String::new(), false));
    }
    let plays =
        scene.at.is_none() && view.rights.play.contains(&number) && board.outcome().is_none();
    let mine = view.rights.side;
    let to_act = is_to_act(scene, number, board);
    let waits = board.position().pending().is_some();
    let other = desk.offer.is_some() && desk.offer != mine;
    let say = match (state.phase, board.outcome(), board.to_move()) {
        (Phase::Gathering, ..) => "The match has not begun yet.".to_owned(),
        (_, Some(outcome), _) => format!("{}.", capital(&ended(outcome))),
        (Phase::Paused, ..) => "The match is paused: nothing can be played now.".to_owned(),
        // What waits for an answer is said in the rulebook.
        (_, None, Some(_)) if to_act || waits => String::new(),
        (_, None, Some(side)) => {
            let holder = state.team(side).duties.holder(Duty::Board(number));
            let name = holder.map_or("nobody", |member| view.name(member));
            format!("{} to move: {name}.", side_word(side))
        }
        (_, None, None) => String::new(),
    };
    let last = last_on(view, number).map(|logged| format!("{}.", log::sentence(view, logged)));
    let rulebook = rulebook(scene, look, number, board)?;
    let part = Panel {
        visit: scene.visit(),
        scene,
        number,
        touched: desk.touched,
        version: board.version(),
        last,
        say,
        making: if look.taking.is_some() {
            None
        } else {
            let choosing = look.choosing(|| choosing(scene, number, board));
            choosing.map(|choosing| &choosing.making)
        },
        offered: plays && other,
        may_offer: plays && desk.offer.is_none(),
        may_claim: plays && to_act && board.claim().is_some(),
        may_resign: plays,
        rulebook: rulebook.html,
    };
    Ok((part.render()?, rulebook.is_editing))
}

/// The rules of a board, and their editor where the viewer is to play.
fn rulebook(
    scene: Scene,
    look: &Look,
    number: BoardNo,
    board: &Board,
) -> Result<rulebook::Rendered, Failure> {
    let disputed = scene
        .view
        .state
        .desk(number)
        .is_some_and(|desk| desk.disputed);
    let acts = is_to_act(scene, number, board) && !disputed && look.taking.is_none();
    let mut query = vec![("board", number.to_string())];
    let kept = ["turned", "log", "channel"].into_iter();
    query.extend(
        kept.map(|name| (name, scene.fields.get(name).to_owned()))
            .filter(|(_, value)| !value.is_empty()),
    );
    let rendered = rulebook::render(&Desk {
        visit: scene.visit(),
        position: board.position(),
        path: scene.path(),
        is_here: scene.coming.is_page,
        query,
        fields: scene.fields,
        send: if acts {
            Sending::Post(
                scene.act_on("turn", &number),
                vec![
                    ("ply", board.version().to_string()),
                    ("event", scene.view.last.to_string()),
                ],
            )
        } else {
            Sending::Never
        },
        turned: turned(scene),
        record: None,
        refused: scene.problems.at("words").is_some(),
        decides: Some(scene.view.host_word()),
        disputed,
        moves: Some(format!("{}/moves", scene.base())),
    })?;
    Ok(rendered)
}
