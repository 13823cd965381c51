//! The page of a match, in its present state or after an event.

use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::app::team::TeamView;
use crate::texts;
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::rulebook;
use crate::web::team::context::{TeamContext, TeamRequest};
use crate::web::team::labels::side_class;
use crate::web::team::pages::{control, gathering};
use crate::web::team::parts::panel::PanelPart;
use crate::web::team::selection::{Selection, Taking, read_piece};
use crate::web::team::turn::turned;
use crate::web::team::{live, parts};
use perplex_games::board::flexichess;
use perplex_games::perplexichess::BoardNo;
use perplex_matches::team::{Phase, Refusal};

#[derive(Template)]
#[template(path = "team/play.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    whole: &'a TeamView,
    problems: &'a Problems,
    heads: String,
    door: String,
    glyphs: String,
    title: String,
    status: String,
    stopped: String,
    answers: String,
    cards: String,
    called: String,
    selection: Selection,
    boards: Vec<(BoardNo, String)>,
    help: String,
    panel: PanelPart,
    transfer: String,
    log: String,
    result: String,
    people: String,
    hand: String,
    talk: String,
    side: &'static str,
    all_alike: String,
    turned_over: String,
}

impl Page<'_> {
    fn large(&self) -> u8 {
        self.selection.large.map_or(0, |board| board.0)
    }

    fn is_over(&self) -> bool {
        self.whole.state.phase == Phase::Over
    }

    /// The start of the walk-through, or for spectators the page about the game.
    fn help_address(&self) -> String {
        parts::help::address(self.context).unwrap_or_else(|| "/games/perplexichess/card".to_owned())
    }

    /// True if the device may tell by a sound that it is the reader's turn.
    fn chimes(&self) -> bool {
        let viewer = self.context.request.viewer.as_ref();
        viewer.is_some_and(|viewer| viewer.preferences.chimes) && !self.whole.state.terms.quiet
    }

    fn is_large(&self, board: &BoardNo) -> bool {
        self.selection.large == Some(*board)
    }

    /// While a piece is taken from one board to another: whether it comes from this board, can go there, or cannot.
    fn taking(&self, number: &BoardNo) -> &'static str {
        match &self.selection.taking {
            Some(Taking::Piece(piece)) if piece.from == *number => " gives",
            Some(Taking::Piece(piece)) if piece.can_go_to(*number) => " takes",
            Some(Taking::Piece(_)) => " refuses",
            Some(Taking::Any) | None => "",
        }
    }

    fn is_own(&self, board: &BoardNo) -> bool {
        self.selection.own.contains(board)
    }
}

/// The page. `whole` is the match in its present state, even if an earlier one is shown.
async fn render(context: TeamContext<'_>, whole: &TeamView) -> Answer {
    let view = context.view;
    if context.is_control_panel() {
        return control::render(context).await;
    }
    let never_began = whole.state.phase == Phase::Gathering || whole.state.was_called_off();
    if never_began && context.at.is_none() {
        return gathering::render(context).await;
    }
    let selection = Selection::of(context);
    let turned = (turned(context) + 2) % 4;
    let page = Page {
        request: context.request,
        context,
        whole,
        problems: context.problems,
        heads: live::write(&whole.heads()),
        door: parts::door::render(context)?,
        glyphs: flexichess::glyphs(),
        title: parts::status::title(context, whole),
        status: parts::status::status(context, whole)?,
        stopped: parts::status::stopped(context, whole)?,
        answers: parts::answers::render(context)?,
        cards: parts::cards::render(context)?,
        called: parts::called::render(context).await?,
        boards: selection
            .order
            .iter()
            .map(|number| Ok((*number, parts::board::render(context, &selection, *number)?)))
            .collect::<Result<_, Failure>>()?,
        help: parts::help::render(context)?,
        panel: parts::panel::render(context, &selection)?,
        transfer: parts::transfer::render(context, &selection)?,
        log: parts::log::render(context, whole).await?,
        result: parts::result::render(context)?,
        people: parts::people::render(context)?,
        hand: parts::hand::render(context)?,
        talk: parts::talk::render(context).await?,
        side: view.rights.side.map_or("", side_class),
        all_alike: context.address(&[("board", "0")]),
        turned_over: context.address_beside(&[("turned", &turned.to_string())]),
        selection,
    };
    context.problems.page(context.request, &page)
}

pub async fn now(request: TeamRequest, fields: Fields) -> Answer {
    let view = match request.view(None).await {
        Err(Failure::App(AppError::NotFound)) if request.viewer.is_none() => {
            // The code may be another by now: it stands on the wall.
            let app = &request.app;
            if app.is_asked_anew(&request.id, &request.from).await? {
                return Ok(see("/join?done=names-anew"));
            }
            return Err(AppError::NotFound.into());
        }
        view => view?,
    };
    render(TeamContext::now(&request, &view, &fields), &view).await
}

pub async fn at(request: TeamRequest, path: Path<(String, i32)>, fields: Fields) -> Answer {
    let (_, at) = path.into_inner();
    let whole = request.view(None).await?;
    let view = request.view(Some(at)).await?;
    let context = TeamContext {
        at: Some(at),
        ..TeamContext::now(&request, &view, &fields)
    };
    render(context, &whole).await
}

pub async fn refused(request: &TeamRequest, fields: &Fields, error: AppError) -> Answer {
    let view = request.view(None).await?;
    let late = match &error {
        AppError::RefusedInTeam(Refusal::Changed(board), _) if !fields.has("take") => {
            let event = fields.get("event").parse().unwrap_or(i32::MAX);
            texts::team::since(&view, &[*board], event)
        }
        AppError::RefusedInTeam(Refusal::Changed(_) | Refusal::Line(_), _)
            if fields.has("take") =>
        {
            too_late(&view, fields)
        }
        _ => Vec::new(),
    };
    let typed = match &error {
        AppError::RefusedInTeam(Refusal::Line(_), _) => {
            let otherwise = if fields.has("turn") { "turn" } else { "" };
            rulebook::fields::field(fields).unwrap_or(otherwise)
        }
        _ => "",
    };
    let mut problems = Problems::of(error)?;
    for (field, text) in &mut problems.fields {
        if field.is_empty() {
            *field = typed;
        }
        if !late.is_empty() {
            *text = format!("{text} Meanwhile: {}", late.join(" "));
        }
    }
    let context = TeamContext {
        problems: &problems,
        ..TeamContext::now(request, &view, fields)
    };
    render(context, &view).await
}

/// The page with a form that was not carried out yet, as it points something out first.
pub async fn unsent(request: &TeamRequest, view: &TeamView, fields: &Fields) -> Answer {
    let context = TeamContext {
        problems: &Problems::unsent(),
        ..TeamContext::now(request, view, fields)
    };
    render(context, view).await
}

/// The lines played since the page was made, for a transfer that came too late.
fn too_late(view: &TeamView, fields: &Fields) -> Vec<String> {
    let event = fields.get("event").parse().unwrap_or(i32::MAX);
    let mut boards: Vec<BoardNo> = Vec::new();
    boards.extend(read_piece(fields.get("take")).map(|(from, _)| from));
    boards.extend(fields.get("to").parse().ok().map(BoardNo));
    texts::team::since(view, &boards, event)
}
