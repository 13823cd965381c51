use crate::texts::rulebook::how_it_moves;
use crate::web::request::RequestContext;
use perplex_games::board::{Diagram, View, flexichess as draw};
use perplex_games::rules::Side;
use perplex_games::rules::betza::Movement;
use perplex_games::rules::flexichess::Kind;

/// The sign of a rule in words.
pub const QUILL: &str = r#"<svg viewBox="0 0 20 20" aria-hidden="true" class="quill"><path d="M4 16l1-4L14 3l3 3-9 9-4 1M12 5l3 3"/></svg>"#;

/// The board with the labels and signs that its reader has chosen.
pub fn as_wished(request: &RequestContext, diagram: Diagram) -> Diagram {
    if request.numbered && diagram.class == "flexichess" {
        draw::numbered(diagram)
    } else if request.official_signs {
        diagram.with_official_signs()
    } else {
        diagram
    }
}

/// The pieces that are not on the board any more, a picture for each side that lacks some; the page holds the board.
pub fn off_the_board(request: &RequestContext, diagram: &Diagram) -> Vec<String> {
    let diagram = as_wished(request, diagram.clone());
    let rows = diagram.gone.iter().map(|gone| gone.svg(diagram.class));
    rows.collect()
}

pub fn movement_picture(movement: &Movement, kind: Kind, side: Side) -> String {
    picture_of(movement, kind, side, "", "")
}

fn picture_of(movement: &Movement, kind: Kind, side: Side, id: &str, same_as: &str) -> String {
    draw::movement(movement, kind, side).unnamed().svg(&View {
        // The text beside it describes the movement.
        title: &how_it_moves(kind),
        brief: true,
        id,
        same_as,
        ..View::default()
    })
}

/// Small pictures of movements on one page: a picture drawn before is reused. The page holds the glyphs once.
#[derive(Default)]
pub struct Pictures {
    known: Vec<(String, Kind, Side)>,
}

impl Pictures {
    pub fn movement(&mut self, movement: &Movement, kind: Kind, side: Side) -> String {
        let this = (movement.to_string(), kind, side);
        let before = self.known.iter().position(|known| *known == this);
        let id = format!("moves-{}", before.unwrap_or(self.known.len()));
        if before.is_some() {
            return picture_of(movement, kind, side, "", &id);
        }
        self.known.push(this);
        picture_of(movement, kind, side, &id, "")
    }
}
