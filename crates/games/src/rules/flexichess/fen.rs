//! Position texts: FEN.

use super::bits::squares;
use super::board::{Board, king_home, last_rank};
use super::kind::Kind;
use super::ruleset::Ruleset;
use super::square::{Piece, Square};
use crate::rules::cursor::{row_separator, write_run};
use crate::rules::{NotationError, Side};

/// The start of ordinary chess.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A board with its counts.
pub(super) struct Counted {
    pub(super) board: Board,
    /// Turns since the last capture, pawn move or change.
    pub(super) quiet: u32,
    /// The number of the move, counted up after Black's turn.
    pub(super) number: u32,
}

/// The rights in the order and the letters of FEN.
fn rights() -> [(char, Side, Square); 4] {
    [
        ('K', Side::First, Square::new(7, 0)),
        ('Q', Side::First, Square::new(0, 0)),
        ('k', Side::Second, Square::new(7, 7)),
        ('q', Side::Second, Square::new(0, 7)),
    ]
}

/// Writes FEN; the square of a capture in passing only where such a capture is legal now.
pub(super) fn write(board: &Board, rules: &Ruleset, quiet: u32, number: u32) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match board.piece(Square::new(file, rank)) {
                None => empty += 1,
                Some(piece) => {
                    write_run(&mut text, &mut empty);
                    text.push(piece.letter());
                }
            }
        }
        write_run(&mut text, &mut empty);
        text.push(row_separator(rank));
    }
    text.push(board.side.letter());
    text.push(' ');
    let castling: String = rights()
        .into_iter()
        .filter(|(_, _, rook)| board.castling & rook.bit() != 0)
        .map(|(letter, ..)| letter)
        .collect();
    text.push_str(if castling.is_empty() { "-" } else { &castling });
    let passed = board
        .passed
        .filter(|_| board.can_capture_in_passing(rules))
        .map_or_else(|| "-".to_owned(), |passed| passed.square.to_string());
    text + &format!(" {passed} {quiet} {number}")
}

/// Reads FEN. The two counts may be left out.
pub(super) fn read(text: &str, rules: &Ruleset) -> Result<Counted, NotationError> {
    let mut fields: Vec<(usize, &str)> = Vec::new();
    let mut column = 1;
    // A file may begin with a mark of its encoding.
    for field in text.split(|c: char| c.is_whitespace() || c == '\u{feff}') {
        if !field.is_empty() {
            fields.push((column, field));
        }
        column += field.chars().count() + 1;
    }
    let end = text.chars().count() + 1;
    let field = |index: usize| fields.get(index).copied().unwrap_or((end, ""));
    let error = |column: usize, expected: &str| Err(NotationError::new(text, column, expected));

    let mut board = Board::EMPTY;
    let (column, placement) = field(0);
    place(&mut board, text, column, placement)?;

    let (column, side) = field(1);
    board.side = match side {
        "w" => Side::First,
        "b" => Side::Second,
        _ => return error(column, "the side to move, `w` or `b`"),
    };
    for side in Side::ALL {
        let kings = board.kinds[Kind::King as usize] & board.sides[side.index()];
        if kings.count_ones() != 1 {
            return error(1, "a board where each side has one king");
        }
        let promoted =
            board.kinds[Kind::Pawn as usize] & board.sides[side.index()] & last_rank(side);
        if let Some(square) = squares(promoted).next() {
            let square = Square::from_index(square);
            return error(
                1,
                &format!("a board without a pawn on its last rank (there is one on {square})"),
            );
        }
    }

    let (column, castling) = field(2);
    if castling.is_empty() {
        return error(column, "the castling rights, of `KQkq`, or `-`");
    }
    read_castling(&mut board, text, column, castling)?;

    let (column, passed) = field(3);
    if passed != "-" {
        let letters: Vec<char> = passed.chars().collect();
        let square = |at: usize| Square::read(*letters.get(at)?, *letters.get(at + 1)?);
        board.passed = match (letters.len(), square(0), square(2)) {
            (2, Some(square), _) => board.passer(rules, square),
            // Fairy-Stockfish writes the pawn's square too.
            (4, Some(one), Some(other)) => board
                .passer_on(one, other)
                .or_else(|| board.passer_on(other, one)),
            _ => {
                return error(
                    column,
                    "the square that a pawn has just passed over, or `-`",
                );
            }
        };
        if board.passed.is_none() {
            return error(
                column,
                "a square that a pawn can just have passed over, or `-`",
            );
        }
    }

    let count = |index: usize, otherwise: u32, expected: &str| {
        let (column, word) = field(index);
        if word.is_empty() {
            return Ok(otherwise);
        }
        let digits = word.chars().take_while(char::is_ascii_digit).count();
        word.parse::<u32>()
            .ok()
            .filter(|n| *n < 1_000_000 && digits == word.len())
            .ok_or_else(|| NotationError::new(text, column, expected))
    };
    let quiet = count(4, 0, "the number of turns since a capture or a pawn's move")?;
    let number = count(5, 1, "the number of the move, from 1")?;
    if let Some(&(column, _)) = fields.get(6) {
        return error(column, "the end of the position");
    }
    if board.in_check(rules, board.side.other()) {
        return error(
            1,
            "a board where the side that is not to move is not in check",
        );
    }
    Ok(Counted {
        board,
        quiet,
        number: number.max(1),
    })
}

/// Reads the castling rights; each needs its king and rook at home.
fn read_castling(
    board: &mut Board,
    text: &str,
    column: usize,
    castling: &str,
) -> Result<(), NotationError> {
    let expected = "a castling right, `K`, `Q`, `k` or `q`, each once";
    for (column, letter) in (column..).zip(castling.chars().filter(|_| castling != "-")) {
        let right = rights().into_iter().find(|(known, ..)| *known == letter);
        let Some((_, side, rook)) = right else {
            return Err(NotationError::new(text, column, expected));
        };
        let is = |square, kind| board.piece(square) == Some(Piece { side, kind });
        if !is(king_home(side), Kind::King) || !is(rook, Kind::Rook) {
            let expected = format!("a castling right whose king and rook stand at home ({rook})");
            return Err(NotationError::new(text, column, expected));
        }
        if board.castling & rook.bit() != 0 {
            return Err(NotationError::new(text, column, expected));
        }
        board.castling |= rook.bit();
    }
    Ok(())
}

fn place(
    board: &mut Board,
    text: &str,
    column: usize,
    placement: &str,
) -> Result<(), NotationError> {
    let mut chars = (column..).zip(placement.chars());
    let end = column + placement.chars().count();
    for rank in (0..8).rev() {
        let mut file = 0;
        while file < 8 {
            let (column, c) = chars.next().unwrap_or((end, '\0'));
            let free = 8 - file;
            if let Some(run) = c.to_digit(10)
                && (1..=u32::from(free)).contains(&run)
            {
                file += u8::try_from(run).unwrap_or(free);
            } else if let Some(kind) = Kind::from_letter(c) {
                let side = if c.is_ascii_uppercase() {
                    Side::First
                } else {
                    Side::Second
                };
                board.put(Square::new(file, rank), Piece { side, kind });
                file += 1;
            } else {
                let expected =
                    format!("a piece (PNBRQK, pnbrqk) or a number of empty squares, 1 to {free}");
                return Err(NotationError::new(text, column, expected));
            }
        }
        if rank > 0 {
            match chars.next() {
                Some((_, '/')) => {}
                other => {
                    let column = other.map_or(end, |(column, _)| column);
                    return Err(NotationError::new(text, column, "`/` after a whole row"));
                }
            }
        }
    }
    match chars.next() {
        None => Ok(()),
        Some((column, _)) => Err(NotationError::new(
            text,
            column,
            "a space after the last row",
        )),
    }
}
