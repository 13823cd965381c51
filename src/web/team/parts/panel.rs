use askama::Template;

use crate::texts;
use crate::texts::team::last_on;
use crate::web::answer::Failure;
use crate::web::rulebook;
use crate::web::rulebook::context::{RuleEditorContext, Sending};
use crate::web::rulebook::hint::Hint;
use crate::web::rulebook::page::{OnBoard, Rulebook};
use crate::web::team::context::TeamContext;
use crate::web::team::selection::Selection;
use crate::web::team::turn::{choosing, turned, waits};
use crate::web::turn_form::TurnForm;
use perplex_games::board::Diagram;
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::OtherNotation as _;
use perplex_matches::team::Phase;
use perplex_matches::team::event::Duty;
use perplex_matches::team::notice::{Awaited, Waiting};

#[derive(Template)]
#[template(path = "team/parts/panel.html")]
struct Panel<'a> {
    context: TeamContext<'a>,
    number: BoardNo,
    touched: i32,
    version: u32,
    last: Option<String>,
    say: String,
    turn_form: Option<&'a TurnForm>,
    may_offer: bool,
    /// The draw that the boardman to move may claim now, and the label of the choice to claim one with a turn.
    claim: Option<&'static str>,
    claim_with: Option<String>,
    may_resign: bool,
    offered: bool,
    rulebook: Rulebook,
    hint_at_turn: Option<Hint>,
}

/// The panel of a board as HTML.
#[derive(Default)]
pub struct PanelPart {
    pub html: String,
    pub on_board: OnBoard,
}

/// The panel of the selected board, empty if there is none.
pub fn render(context: TeamContext, selection: &Selection) -> Result<PanelPart, Failure> {
    let view = context.view;
    let state = &*view.state;
    let number = selection.main;
    let (Some(board), Some(status)) = (state.boards.board(number), state.status(number)) else {
        return Ok(PanelPart::default());
    };
    if selection.large.is_none() || !view.rights.boards.contains(&number) {
        return Ok(PanelPart::default());
    }
    let plays =
        context.at.is_none() && view.rights.play.contains(&number) && board.outcome().is_none();
    let waits = waits(context);
    let is_to_move = waits.contains(&Waiting::Turn(number));
    let say = match (state.phase, board.outcome(), state.awaited(number)) {
        (Phase::Gathering, ..) => texts::team::NOT_BEGUN.to_owned(),
        (_, Some(outcome), _) => texts::team::board_ended(outcome, state.phase == Phase::Over),
        (Phase::Paused, ..) => texts::team::paused(texts::team::leader(context.view.leader())),
        (_, None, Some(Awaited::Turn(side))) if !waits.contains(&Waiting::Turn(number)) => {
            let holder = state.team(side).duties.holder(Duty::Board(number));
            texts::team::to_move(side, holder.map(|member| view.name(member)))
        }
        // The rulebook, or the part above, says which answer is awaited.
        _ => String::new(),
    };
    let last =
        last_on(view, number).map(|logged| texts::full_stop(&texts::team::sentence(view, logged)));
    let rulebook = rulebook(context, selection, number, board)?;
    let may_change = may_change(context, selection, number);
    let hint_at_turn = rule_editor(context, number, board, may_change).hint_at_turn();
    let part = Panel {
        context,
        number,
        touched: view.number(status.touched),
        version: board.version(),
        last,
        say,
        turn_form: if selection.taking.is_some() {
            None
        } else {
            let choosing = selection.choosing(|| choosing(context, number, board));
            choosing.map(|choosing| &choosing.turn_form)
        },
        may_offer: plays
            && view.rights.side.is_some_and(|side| status.may_offer(side))
            && !(is_to_move && board.claim().is_some()),
        claim: board
            .claim()
            .filter(|_| is_to_move)
            .map(|claim| texts::matches::claimable(claim.reason)),
        claim_with: if is_to_move {
            let position = board.position();
            texts::matches::claim_with(&board.claims(), context.request.numbered, |turn| {
                position.also(turn)
            })
        } else {
            None
        },
        offered: status.offer.is_some() && status.offer == view.rights.side,
        may_resign: plays,
        rulebook,
        hint_at_turn,
    };
    Ok(PanelPart {
        html: part.render()?,
        on_board: part.rulebook.on_board,
    })
}

fn rulebook(
    context: TeamContext,
    selection: &Selection,
    number: BoardNo,
    board: &Board,
) -> Result<Rulebook, Failure> {
    let waits = waits(context);
    let mut editor = rule_editor(
        context,
        number,
        board,
        may_change(context, selection, number),
    );
    // That is above the boards, with the other answers.
    editor.tells_waiting = !waits.iter().any(|one| is_up_to(*one, number));
    Ok(rulebook::page::render(&editor)?)
}

fn may_change(context: TeamContext, selection: &Selection, number: BoardNo) -> bool {
    waits(context).contains(&Waiting::Turn(number)) && selection.taking.is_none()
}

/// The large board as it would be after the change that the viewer edits.
pub fn board_after_change(
    context: TeamContext,
    selection: &Selection,
    number: BoardNo,
    board: &Board,
) -> Option<Diagram> {
    let is_edited = selection.large == Some(number) && may_change(context, selection, number);
    is_edited.then(|| rule_editor(context, number, board, true).board_after())?
}

fn is_up_to(waiting: Waiting, board: BoardNo) -> bool {
    [Waiting::Answer(board), Waiting::Dispute(board)].contains(&waiting)
}

pub fn rule_editor<'a>(
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
        decides: Some(texts::team::leader(context.view.leader())),
        disputed: context.view.state.awaited(number) == Some(Awaited::Decision),
        moves: Some(format!("{}/moves", context.base())),
        board: Some(number.0),
        deck: context.view.state.terms.deck,
        own: &context.view.own_cards,
        hand: &context.view.hand,
        keeps: Some(context.act("hand")),
        new_card: None,
        tells_waiting: true,
    }
}
