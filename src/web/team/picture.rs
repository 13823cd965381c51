//! The boards of a match as one drawing, for links that are shared.

use std::fmt::Write as _;

use crate::app::team::TeamView;
use crate::texts;
use crate::web::team::scene::diagram_to_show;
use perplex_games::board::{View, escape, flexichess};

/// The side of a board, with the space beside it, in squares.
const PLACE: f32 = 8.8;
/// The height of the line above the boards.
const LINE: f32 = 1.6;

/// The score, and under it the boards that the viewer may see; `None` if there are none.
#[expect(clippy::cast_precision_loss, reason = "seven boards at most")]
pub fn drawing(view: &TeamView) -> Option<String> {
    let state = &*view.state;
    let numbers = &view.rights.boards;
    let boards = numbers
        .iter()
        .filter_map(|number| state.boards.board(*number));
    let boards: Vec<String> = boards
        .map(|board| {
            diagram_to_show(board).svg(&View {
                brief: true,
                ..View::default()
            })
        })
        .collect();
    let columns = match boards.len() {
        0 => return None,
        count @ 1..=3 => count,
        count => count.div_ceil(2),
    };
    let rows: Vec<&[String]> = boards.chunks(columns).collect();
    let width = columns as f32 * PLACE;
    let height = LINE + rows.len() as f32 * PLACE - 0.4;
    let mut out = format!(
        "<svg class=\"flexichess\" viewBox=\"0 0 {width:.2} {height:.2}\">{}<text class=\"score\" x=\"{:.2}\" \
         y=\".7\">{}</text>",
        flexichess::glyphs(),
        width / 2.0,
        escape(&texts::team::score(state)),
    );
    for (row, boards) in rows.iter().enumerate() {
        let left = (columns - boards.len()) as f32 * PLACE / 2.0 + 0.4;
        let y = LINE + row as f32 * PLACE;
        for (column, board) in boards.iter().enumerate() {
            let x = left + column as f32 * PLACE;
            let _ = write!(out, "<g transform=\"translate({x:.2} {y:.2})\">{board}</g>");
        }
    }
    Some(out + "</svg>")
}
