use std::sync::LazyLock;

use crate::texts::team::board_at_transfer;
use perplex_games::board::{Last, Render as _, View, flexichess};
use perplex_games::perplexichess::{BoardNo, Boards, Size};
use perplex_games::rules::flexichess::Square;

const BEFORE: [&str; 6] = ["1 e2e4", "1 e7e5", "1 f1c4", "3 e2e4", "3 d7d5", "3 e4d5"];
pub const TRANSFER: &str = "w c4 1>3";

pub struct Picture {
    pub title: String,
    pub svg: String,
    small: String,
}

pub static EXAMPLE: LazyLock<Vec<Picture>> = LazyLock::new(|| {
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
            let title = board_at_transfer(number, when);
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
