use askama::Template;

use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::selection::{Selection, Taking};
use perplex_games::perplexichess::{BoardNo, Transfer};
use perplex_games::rules::flexichess::Kind;

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
    /// The viewer's last transfer with its piece, which can be taken back by another.
    undo: Option<Undo>,
    event: i32,
}

struct Undo {
    transfer: Transfer,
    kind: Kind,
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
        undo: view
            .viewer
            .member
            .and_then(|member| view.state.to_undo(member))
            .map(|(transfer, kind)| Undo { transfer, kind }),
        event: view.last,
    };
    Ok(part.render()?)
}
