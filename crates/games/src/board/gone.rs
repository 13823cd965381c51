//! The pieces of a side that are not on the board any more, in a row beside it.

use std::fmt::Write as _;

use super::svg::escape;
use super::{Glyph, Piece};
use crate::rules::Side;

/// The pieces of one side that are not on the board any more: captured, promoted, or moved to another board.
#[derive(Clone, Debug)]
pub struct Gone {
    /// The side that they belong to.
    pub side: Side,
    /// Their pictures in a row, the centre of the first one at 0, in squares.
    pub pieces: Vec<Piece>,
    /// The pieces in words: `White’s queen, 2 pawns`.
    pub says: String,
}

/// The distance between two kinds.
const NEXT: f32 = 0.86;

impl Gone {
    /// The pieces of `side`: of each kind their number, its name, and the glyphs of one piece from the bottom up, each
    /// with its place and size. Those of a kind lie one over the other, `pitch` apart. `None` if there are none.
    pub(super) fn new<G>(
        side: Side,
        pitch: f32,
        kinds: impl IntoIterator<Item = (usize, &'static str, G)>,
    ) -> Option<Self>
    where
        G: IntoIterator<Item = (&'static Glyph, (f32, f32), f32)> + Clone,
    {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut words = Vec::new();
        let mut x = 0.0;
        for (number, name, glyphs) in kinds.into_iter().filter(|(number, ..)| *number > 0) {
            if !words.is_empty() {
                x += NEXT - pitch;
            }
            for _ in 0..number {
                let glyphs = glyphs.clone().into_iter();
                pieces.extend(glyphs.map(|(glyph, at, size)| {
                    Piece::new(glyph, side.key(), (x + at.0, at.1), size)
                }));
                x += pitch;
            }
            words.push(match number {
                1 => name.to_owned(),
                many if name.ends_with('s') => format!("{many} {name}"),
                many => format!("{many} {name}s"),
            });
        }
        (!pieces.is_empty()).then(|| Self {
            side,
            pieces,
            says: format!("{}’s {}", side.white_or_black(), words.join(", ")),
        })
    }

    /// The row as one SVG element of the class `off`, for a page that has the glyphs; `class` is that of the board.
    #[must_use]
    pub fn svg(&self, class: &str) -> String {
        let last = self.pieces.iter().map(|piece| piece.at.0);
        let width = last.fold(0.0, f32::max) + 1.0;
        let mut out = format!(
            "<svg class=\"board off {class}\" viewBox=\"-.5 -.5 {width:.2} 1\" role=\"img\" aria-label=\"{}\">",
            escape(&self.says)
        );
        for piece in &self.pieces {
            piece.write(&mut out, (0.0, 0.0), None);
        }
        out.push_str("</svg>");
        out
    }
}

/// The pieces of both sides that are not on the board any more, as a sentence; `None` if all are there.
#[must_use]
pub fn off_the_board(gone: &[Gone]) -> Option<String> {
    let mut sides = gone.iter();
    let mut text = format!("Off the board: {}", sides.next()?.says);
    for side in sides {
        let _ = write!(text, "; {}", side.says);
    }
    text.push('.');
    Some(text)
}
