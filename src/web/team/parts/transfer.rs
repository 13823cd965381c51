use askama::Template;

use crate::texts::full_stop;
use crate::texts::team::sent;
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
    undo: Option<Undo>,
    event: i32,
}

/// The viewer's last transfer, which another one takes back.
pub struct Undo {
    pub transfer: Transfer,
    pub kind: Kind,
    /// The transfer in words.
    pub sent: String,
}

impl Undo {
    /// The transfer that the viewer can undo now.
    pub fn of(context: TeamContext) -> Option<Self> {
        let view = context.view;
        let (transfer, kind) = view.state.to_undo(view.viewer.member?)?;
        Some(Self {
            transfer,
            kind,
            sent: full_stop(&sent(&transfer, kind.name())),
        })
    }
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
        undo: Undo::of(context),
        event: view.last,
    };
    Ok(part.render()?)
}
