//! The transfer that is being put together.

use askama::Template;

use crate::web::answer::Failure;
use crate::web::request::RequestContext;
use crate::web::team::context::TeamContext;
use crate::web::team::selection::{Selection, Taking};
use perplex_games::perplexichess::BoardNo;

struct Chosen {
    name: &'static str,
    square: String,
    from: BoardNo,
    take: String,
    kind: char,
    /// The boards that can receive it; the others say why they cannot.
    receivers: Vec<BoardNo>,
}

#[derive(Template)]
#[template(path = "team/parts/transfer.html")]
struct Part<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    taking: bool,
    chosen: Option<Chosen>,
    event: i32,
}

/// The part of the page; empty for those who may not transfer.
pub fn render(context: TeamContext, selection: &Selection) -> Result<String, Failure> {
    let view = context.view;
    if !view.rights.command || context.at.is_some() {
        return Ok(String::new());
    }
    let chosen = match &selection.taking {
        Some(Taking::Piece(piece)) => Some(Chosen {
            name: piece.kind.name(),
            square: piece.square.to_string(),
            from: piece.from,
            take: format!("{}-{}", piece.from, piece.square),
            kind: piece.kind.letter(),
            receivers: piece
                .receivers
                .iter()
                .filter(|(_, why_not)| why_not.is_none())
                .map(|(number, _)| *number)
                .collect(),
        }),
        _ => None,
    };
    let part = Part {
        request: context.request,
        context,
        taking: selection.taking.is_some(),
        chosen,
        event: view.last,
    };
    Ok(part.render()?)
}
