use askama::Template;

use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::selection::{Selection, Taking};
use perplex_games::perplexichess::BoardNo;

struct Chosen {
    name: &'static str,
    square: String,
    from: BoardNo,
    take: String,
    kind: char,
    receivers: Vec<BoardNo>,
}

#[derive(Template)]
#[template(path = "team/parts/transfer.html")]
struct Part<'a> {
    context: TeamContext<'a>,
    taking: bool,
    chosen: Option<Chosen>,
    event: i32,
}

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
        context,
        taking: selection.taking.is_some(),
        chosen,
        event: view.last,
    };
    Ok(part.render()?)
}
