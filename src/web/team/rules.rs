//! The rules page of Perplexichess.

use std::sync::LazyLock;

use askama::Template;

use crate::web::answer::Answer;
use crate::web::request::RequestContext;
use crate::web::rulebook::pictures::movement_picture;
use crate::web::team::make::{SizeChoice, sizes};
use perplex_games::board::{Draw as _, Last, View, flexichess};
use perplex_games::perplexichess::{BoardNo, Boards, Size};
use perplex_games::rules::Side;
use perplex_games::rules::betza::Movement;
use perplex_games::rules::flexichess::{Kind, Square};

/// What is played before the example of a transfer, and the transfer.
const BEFORE: [&str; 6] = ["1 e2e4", "1 e7e5", "1 f1c4", "3 e2e4", "3 d7d5", "3 e4d5"];
const TRANSFER: &str = "w c4 1>3";

/// A board in the example.
struct Picture {
    title: String,
    svg: String,
    /// The same for where words beside it tell what it shows.
    small: String,
}

/// The boards of the example: 1 and 3 before the transfer, and after it.
static EXAMPLE: LazyLock<Vec<Picture>> = LazyLock::new(|| {
    let mut boards = Boards::new(Size::Small);
    let take = |boards: &mut Boards, line: &str| {
        if let Ok(line) = boards.read(line) {
            boards.take(&line);
        }
    };
    for line in BEFORE {
        take(&mut boards, line);
    }
    let mut pictures = both(&boards, "before");
    take(&mut boards, TRANSFER);
    pictures.extend(both(&boards, "after"));
    pictures
});

/// A transfer in two pictures: the board that a piece leaves, and the one that it comes to, as they are afterwards.
pub fn transferred() -> Vec<String> {
    let after = EXAMPLE.iter().skip(2);
    after.map(|picture| picture.small.clone()).collect()
}

fn both(boards: &Boards, when: &str) -> Vec<Picture> {
    let square = Square::read('c', '4');
    [1, 3]
        .into_iter()
        .filter_map(|number| {
            let board = boards.board(BoardNo(number))?;
            let mut diagram = board.position().diagram(None);
            let marked = square.map(|square| square.to_string());
            for cell in &mut diagram.cells {
                if Some(&cell.name) == marked.as_ref() {
                    cell.last = Some(if cell.pieces.is_empty() {
                        Last::From
                    } else {
                        Last::To
                    });
                }
            }
            let title = format!("Board {number} {when} the transfer");
            let small = diagram.svg(&View {
                title: &title,
                brief: true,
                ..View::default()
            });
            let svg = diagram.svg(&View {
                title: &format!("{title}. {}", flexichess::in_words(board.position())),
                coordinates: true,
                brief: true,
                ..View::default()
            });
            Some(Picture { title, svg, small })
        })
        .collect()
}

#[derive(Template)]
#[template(path = "team-rules.html")]
struct Page<'a> {
    request: &'a RequestContext,
    sizes: Vec<SizeChoice>,
    glyphs: String,
    example: &'static [Picture],
    transfer: &'static str,
}

/// The page.
pub async fn page(request: RequestContext) -> Answer {
    request.page(&Page {
        request: &request,
        sizes: sizes(),
        glyphs: flexichess::glyphs(),
        example: &EXAMPLE,
        transfer: TRANSFER,
    })
}

#[derive(Template)]
#[template(path = "team-card.html")]
struct CardPage<'a> {
    request: &'a RequestContext,
    glyphs: String,
    sizes: Vec<SizeChoice>,
    /// The boards of the example after the transfer.
    transfer: &'static [Picture],
    /// A changed movement, in a picture and in words.
    knight: String,
    words: String,
    /// How pieces move in ordinary chess: picture, name, words.
    kinds: Vec<(String, &'static str, &'static str)>,
}

/// The rules on one page, to be printed.
pub async fn card(request: RequestContext) -> Answer {
    let knight = Movement::parse("NW", Kind::Knight.mover()).ok();
    let words = knight.as_ref().map(Movement::words).unwrap_or_default();
    let kinds = [
        (Kind::King, "one square in any direction"),
        (Kind::Queen, "any number of squares, straight or diagonally"),
        (Kind::Rook, "any number of squares straight"),
        (Kind::Bishop, "any number of squares diagonally"),
        (
            Kind::Knight,
            "two squares straight and one aside, over others, too",
        ),
        (
            Kind::Pawn,
            "one square forward (two from its first place); captures one square diagonally forward; on the last rank it becomes another piece",
        ),
    ];
    request.page(&CardPage {
        request: &request,
        glyphs: flexichess::glyphs(),
        sizes: sizes(),
        transfer: EXAMPLE.get(2..).unwrap_or_default(),
        knight: knight.map_or_else(String::new, |movement| {
            movement_picture(&movement, Kind::Knight, Side::First)
        }),
        words,
        kinds: kinds
            .into_iter()
            .map(|(kind, how)| (flexichess::picture(kind), kind.name(), how))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_can_be_played() {
        let mut boards = Boards::new(Size::Small);
        for line in BEFORE.iter().chain([&TRANSFER]) {
            let line = boards.read(line).unwrap();
            boards.take(&line);
        }
        assert_eq!(EXAMPLE.len(), 4);
    }
}
