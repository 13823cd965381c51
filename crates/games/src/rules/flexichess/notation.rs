//! Turns read and written: coordinates, standard algebraic notation (SAN), numbered squares.

use std::str::FromStr;

use super::board::{Action, Special, king_home};
use super::kind::Kind;
use super::{Change, Flexichess, Move, Square, Turn, Under};
use crate::rules::{IllegalTurn, NotationError, Rules, TurnError, nearest};

/// Legal turns that an error names.
const NEAREST: usize = 4;

impl FromStr for Turn {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let turn = match words(text) {
            Ok(Some(turn)) => turn,
            Ok(None) => Turn::Move(coordinates(text)?),
            Err(TurnError::Notation(error)) => return Err(error),
            Err(TurnError::Illegal(error)) => return Err(NotationError::new(text, 6, error.why)),
        };
        if turn.to_string() == text {
            Ok(turn)
        } else {
            let same = turn.to_string();
            let at = text
                .chars()
                .zip(same.chars())
                .take_while(|(a, b)| a == b)
                .count();
            Err(NotationError::new(
                text,
                at + 1,
                format!("written as in `{same}`"),
            ))
        }
    }
}

/// Reads the turns that begin with a word; `None` for a text that may be a move.
fn words(text: &str) -> Result<Option<Turn>, TurnError> {
    let text = text.trim();
    let word = text.split([' ', '\t', '"']).next().unwrap_or("");
    Ok(Some(match word.to_lowercase().as_str() {
        "rule" => Turn::Change(Change::read(text)?),
        "card" => Turn::Change(Change::read_card(text)?),
        "under" => Turn::Under(Under::read(text)?),
        "accept" if word.len() == text.len() => Turn::Accept,
        "reject" if word.len() == text.len() => Turn::Reject,
        _ => return Ok(None),
    }))
}

/// Reads a move in canonical notation, and nothing else.
fn coordinates(text: &str) -> Result<Move, NotationError> {
    let chars: Vec<char> = text.chars().collect();
    let square = |at: usize| {
        let small = chars.get(at).filter(|c| ('a'..='h').contains(*c));
        let Some(&file) = small else {
            return Err(NotationError::new(
                text,
                at + 1,
                "a column, `a` to `h` (a move is written `e2e4`, `Nf3` or `53-37`)",
            ));
        };
        chars
            .get(at + 1)
            .and_then(|&rank| Square::read(file, rank))
            .ok_or_else(|| NotationError::new(text, at + 2, "a row, `1` to `8`"))
    };
    let (from, to) = (square(0)?, square(2)?);
    let promotion = match chars.get(4) {
        None => None,
        Some(c @ ('q' | 'r' | 'b' | 'n')) => Kind::from_letter(*c),
        Some(_) => {
            let expected = "the end of the move, or what a pawn becomes: `q`, `r`, `b` or `n`";
            return Err(NotationError::new(text, 5, expected));
        }
    };
    if chars.len() > 5 {
        return Err(NotationError::new(text, 6, "the end of the move"));
    }
    Ok(Move {
        from,
        to,
        promotion,
    })
}

/// The parts of a move that a text names.
#[derive(Clone, Copy, Debug, Default)]
struct Pattern {
    kind: Option<Kind>,
    from: Option<Square>,
    file: Option<u8>,
    rank: Option<u8>,
    to: Option<Square>,
    promotion: Option<Kind>,
    castle: Option<bool>,
}

impl Pattern {
    /// Where the piece stands, if the text says so: ` on the b-file`.
    fn origin(&self) -> String {
        let file = self.file.map(|file| char::from(b'a' + file));
        match (file, self.rank) {
            (None, None) => String::new(),
            (Some(file), None) => format!(" on the {file}-file"),
            (None, Some(rank)) => format!(" on rank {}", rank + 1),
            (Some(file), Some(rank)) => format!(" on {file}{}", rank + 1),
        }
    }

    fn fits(&self, action: Action) -> bool {
        let promotion = match (self.promotion, action.promotion()) {
            (None, _) => true,
            (wanted, found) => wanted == found,
        };
        let castle = match self.castle {
            None => true,
            Some(short) => action.special == Special::Castle && (action.to > action.from) == short,
        };
        self.kind.is_none_or(|kind| kind == action.kind)
            && self.from.is_none_or(|from| from == action.from)
            && self.file.is_none_or(|file| file == action.from.file())
            && self.rank.is_none_or(|rank| rank == action.from.rank())
            && self.to.is_none_or(|to| to == action.to)
            && promotion
            && castle
    }

    /// The move, if the text names both its squares.
    fn complete(&self) -> Option<Move> {
        Some(Move {
            from: self.from?,
            to: self.to?,
            promotion: self.promotion,
        })
    }
}

/// Reads the promotion at the end of a move: `q`, `=Q`, `(Q)`; of any kind, since a king is refused by the rules.
#[expect(clippy::option_option)] // no reading; nothing said; a kind
fn promotion(rest: &[char]) -> Option<Option<Kind>> {
    let letter = match rest {
        [] => return Some(None),
        [c] | ['=' | '/', c] | ['(', c, ')'] => *c,
        _ => return None,
    };
    Kind::from_letter(letter).map(Some)
}

/// The text without separators, signs of check and remarks.
fn bare(text: &str) -> Vec<char> {
    let text = text.trim();
    let end = text
        .trim_end_matches(['+', '#', '!', '?'])
        .trim_end()
        .trim_end_matches("e.p.")
        .trim_end();
    end.chars()
        .filter(|c| !matches!(c, '-' | ':' | ' ' | '\t' | '\u{2013}' | '\u{2010}'))
        .collect()
}

/// The readings of a text as a move, the preferred ones first.
fn patterns(text: &str) -> Vec<Vec<Pattern>> {
    let chars = bare(text);
    let zeros: String = chars
        .iter()
        .map(|c| if matches!(c, 'o' | 'O') { '0' } else { *c })
        .collect();
    match zeros.as_str() {
        "00" | "000" => {
            return vec![vec![Pattern {
                castle: Some(zeros.len() == 2),
                ..Pattern::default()
            }]];
        }
        _ => {}
    }
    let mut stages = vec![from_coordinates(&chars).into_iter().collect::<Vec<_>>()];
    stages.push(san(&chars, true).into_iter().collect());
    let mut loose: Vec<Pattern> = san(&chars, false).into_iter().collect();
    loose.extend(san_small_kind(&chars));
    stages.push(loose);
    stages.push(from_numbers(text, &chars));
    stages
}

/// `e2e4`, `E2xE4`, `e7e8=Q`.
fn from_coordinates(chars: &[char]) -> Option<Pattern> {
    let (file, rank) = (chars.first()?, chars.get(1)?);
    let from = Square::read(*file, *rank)?;
    let takes = usize::from(matches!(chars.get(2), Some('x' | 'X')));
    let to = Square::read(*chars.get(2 + takes)?, *chars.get(3 + takes)?)?;
    Some(Pattern {
        from: Some(from),
        to: Some(to),
        promotion: promotion(&chars[4 + takes..])?,
        ..Pattern::default()
    })
}

/// `Nf3`, `Nbd2`, `exd5`, `e8=Q`; a kind is a capital letter, a column a small one if `strict`.
fn san(chars: &[char], strict: bool) -> Option<Pattern> {
    let mut rest = chars;
    let mut kind = Kind::Pawn;
    if let Some((&c, more)) = rest.split_first()
        && c.is_ascii_uppercase()
        && let Some(named) = Kind::from_letter(c)
        && (strict || c != 'B')
    {
        kind = named;
        rest = more;
    }
    san_rest(kind, rest, strict)
}

/// `nf3`, `bc4`: the kind's letter is small.
fn san_small_kind(chars: &[char]) -> Option<Pattern> {
    let (&c, rest) = chars.split_first()?;
    san_rest(Kind::from_letter(c)?, rest, false)
}

fn san_rest(kind: Kind, chars: &[char], strict: bool) -> Option<Pattern> {
    let is_file = |c: char| {
        let small = if strict { c } else { c.to_ascii_lowercase() };
        ('a'..='h').contains(&small)
    };
    // The last square of the text is the goal of the piece.
    let at = (0..chars.len().checked_sub(1)?)
        .rev()
        .find(|&at| is_file(chars[at]) && matches!(chars[at + 1], '1'..='8'))?;
    let to = Square::read(chars[at], chars[at + 1])?;
    let promotion = promotion(&chars[at + 2..])?;
    let mut before = &chars[..at];
    if let Some((&('x' | 'X'), less)) = before.split_last() {
        before = less;
    }
    let (file, rank) = match before {
        [] => (None, None),
        [file] if is_file(*file) => (Some(*file), None),
        [rank @ '1'..='8'] => (None, Some(*rank)),
        [file, rank @ '1'..='8'] if is_file(*file) => (Some(*file), Some(*rank)),
        _ => return None,
    };
    let number = |c: char, first: u8| {
        u8::try_from(c.to_ascii_lowercase())
            .ok()
            .map(|c| c.wrapping_sub(first))
    };
    Some(Pattern {
        kind: Some(kind),
        file: file.and_then(|c| number(c, b'a')),
        rank: rank.and_then(|c| number(c, b'1')),
        to: Some(to),
        promotion,
        ..Pattern::default()
    })
}

/// Numbered squares, `53-37`. Without a separator every way of parting the digits is a reading.
fn from_numbers(text: &str, chars: &[char]) -> Vec<Pattern> {
    let end = chars
        .iter()
        .position(|c| !c.is_ascii_digit())
        .unwrap_or(chars.len());
    let digits: String = chars[..end].iter().collect();
    if !(2..=4).contains(&digits.len()) {
        return Vec::new();
    }
    let Some(promotion) = promotion(&chars[end..]) else {
        return Vec::new();
    };
    let square = |digits: &str| {
        let number = digits.parse().ok().filter(|_| !digits.starts_with('0'));
        number.and_then(Square::from_number)
    };
    let first = text.trim().chars().take_while(char::is_ascii_digit).count();
    let parted = first < digits.len();
    (1..digits.len())
        .filter(|&at| at <= 2 && (!parted || at == first))
        .filter_map(|at| {
            Some(Pattern {
                from: Some(square(&digits[..at])?),
                to: Some(square(&digits[at..])?),
                promotion,
                ..Pattern::default()
            })
        })
        .collect()
}

impl Flexichess {
    /// Reads a turn: in canonical notation, or as people write it.
    pub(super) fn read_turn(&self, text: &str) -> Result<Turn, TurnError> {
        let illegal = |turn: &Turn, why: String| {
            let near = match turn {
                Turn::Move(movement) => nearest(&movement.to_string(), &self.texts()),
                _ => Vec::new(),
            };
            TurnError::Illegal(IllegalTurn {
                nearest: near,
                ..IllegalTurn::new(turn, why)
            })
        };
        let turn = match words(text)? {
            Some(turn) => turn,
            None => match self.read_move(text) {
                Ok(movement) => Turn::Move(movement),
                Err(TurnError::Notation(mut error)) => {
                    if error.nearest.is_empty() {
                        error.nearest = nearest(&text.trim().to_lowercase(), &self.texts());
                    }
                    return Err(error.into());
                }
                Err(error) => return Err(error),
            },
        };
        match self.why_illegal(&turn) {
            None => Ok(turn),
            Some(why) => Err(illegal(&turn, why)),
        }
    }

    /// The legal moves in canonical notation, sorted.
    fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.moves().iter().map(ToString::to_string).collect();
        texts.sort_unstable();
        texts
    }

    /// The move that a text means; it may be illegal where the text names both its squares.
    fn read_move(&self, text: &str) -> Result<Move, TurnError> {
        let text = text.trim();
        let actions = self.actions();
        let mut named: Option<Move> = None;
        let mut understood = None;
        for stage in patterns(text) {
            let mut found: Vec<Move> = Vec::new();
            for pattern in &stage {
                let fitting = actions.iter().filter(|action| pattern.fits(**action));
                found.extend(fitting.map(|action| Move::from(*action)));
                named = named.or(pattern.complete());
                understood = understood.or(Some(*pattern));
            }
            found.sort_by_key(ToString::to_string);
            found.dedup();
            match found.as_slice() {
                [] => {}
                [only] => return Ok(*only),
                several => {
                    // Only the promotion is missing: that is a matter of the rules.
                    let first = several[0];
                    let is_one = |m: &Move| (m.from, m.to) == (first.from, first.to);
                    if several.iter().all(is_one) {
                        return Ok(Move {
                            promotion: None,
                            ..first
                        });
                    }
                    let expected = "one of the moves it could mean, written in full";
                    let column = text.chars().count() + 1;
                    return Err(NotationError {
                        nearest: several
                            .iter()
                            .take(NEAREST)
                            .map(ToString::to_string)
                            .collect(),
                        ..NotationError::new(text, column, expected)
                    }
                    .into());
                }
            }
        }
        if let Some(named) = named {
            return Ok(named);
        }
        if let Some(pattern) = understood {
            return Err(self.no_such_move(text, &pattern).into());
        }
        match coordinates(text) {
            Ok(movement) => Ok(movement),
            Err(error) => Err(error.into()),
        }
    }

    fn no_such_move(&self, text: &str, pattern: &Pattern) -> IllegalTurn {
        if let Some(pending) = &self.pending {
            return IllegalTurn::new(text, self.why_answer_first(pending));
        }
        let instead = |movement: Move, why| IllegalTurn {
            nearest: nearest(&movement.to_string(), &self.texts()),
            ..IllegalTurn::new(text, why)
        };
        if let Some(short) = pattern.castle {
            let from = king_home(self.side());
            let to = Square::new(if short { 6 } else { 2 }, from.rank());
            let king = self.piece(from).filter(|piece| piece.kind == Kind::King);
            let why = match king {
                Some(_) => self.why_not_castle(to),
                None => "castling needs a king and a rook that have not moved".to_owned(),
            };
            let promotion = None;
            let movement = Move {
                from,
                to,
                promotion,
            };
            return instead(movement, why);
        }
        if let Some(movement) = self.meant(pattern)
            && let Some(why) = self.why_illegal(&Turn::Move(movement))
        {
            return instead(movement, why);
        }
        let kind = pattern.kind.unwrap_or(Kind::Pawn);
        let to = pattern
            .to
            .map_or_else(String::new, |to| format!(" go to {to}"));
        IllegalTurn {
            nearest: self.ways(kind, pattern.to),
            ..IllegalTurn::new(
                text,
                format!("no {}{} can{to} here", kind.name(), pattern.origin()),
            )
        }
    }

    /// A few legal moves of a kind of piece, if possible to a square.
    fn ways(&self, kind: Kind, to: Option<Square>) -> Vec<String> {
        let mut ways = self.actions();
        ways.retain(|action| action.kind == kind);
        let arrives = |action: &Action| Some(action.to) == to;
        if ways.iter().any(arrives) {
            ways.retain(arrives);
        }
        let mut ways: Vec<String> = ways
            .into_iter()
            .map(|action| Move::from(action).to_string())
            .collect();
        ways.sort_unstable();
        ways.truncate(NEAREST);
        ways
    }

    /// The illegal move that a pattern most probably means: of a piece that would go there but for the rest of the rules,
    /// or of the only piece of that kind.
    fn meant(&self, pattern: &Pattern) -> Option<Move> {
        let (kind, to) = (pattern.kind?, pattern.to?);
        let is_meant = |from: &Square| {
            let piece = self.piece(*from);
            piece.is_some_and(|piece| piece.kind == kind && piece.side == self.side())
                && pattern.file.is_none_or(|file| file == from.file())
                && pattern.rank.is_none_or(|rank| rank == from.rank())
        };
        let all: Vec<Square> = Square::all().filter(is_meant).collect();
        let actions = self.actions();
        let goes = |from: &&Square| {
            let mut ways = actions.iter();
            ways.any(|action| action.from == **from && action.to == to)
                || self.board.reach_now(&self.rules, **from) & to.bit() != 0
        };
        let only = || match all.as_slice() {
            [only] => Some(only),
            _ => None,
        };
        let from = all.iter().find(goes).or_else(only)?;
        Some(Move {
            from: *from,
            to,
            promotion: pattern.promotion,
        })
    }

    /// A legal move in standard algebraic notation: `Nf3`, `exd5`, `O-O`, `e8=Q+`.
    #[must_use]
    pub fn san(&self, movement: Move) -> String {
        let actions = self.actions();
        let Some(action) = actions
            .iter()
            .find(|action| Move::from(**action) == movement)
        else {
            return movement.to_string();
        };
        let mut text = match (action.special, action.kind) {
            (Special::Castle, _) if action.to > action.from => "O-O".to_owned(),
            (Special::Castle, _) => "O-O-O".to_owned(),
            (_, kind) => {
                let takes = self.takes(*action);
                let mut text = match kind {
                    Kind::Pawn => String::new(),
                    kind => kind.letter().to_string(),
                };
                text += &Self::origin(*action, &actions, takes);
                if takes {
                    text.push('x');
                }
                text + &action.to.to_string()
            }
        };
        if let Some(kind) = action.promotion() {
            text.push('=');
            text.push(kind.letter());
        }
        let mut after = self.clone();
        after.play_unchecked(&Turn::Move(movement));
        if after.is_check() {
            text.push(if after.outcome().is_some() { '#' } else { '+' });
        }
        text
    }

    /// The part of SAN for the square that a piece comes from.
    fn origin(action: Action, actions: &[Action], takes: bool) -> String {
        let (from, square) = (action.from, action.from.to_string());
        let (file, rank) = square.split_at(1);
        let rivals: Vec<Square> = actions
            .iter()
            .filter(|other| {
                other.kind == action.kind && other.to == action.to && other.from != from
            })
            .map(|other| other.from)
            .collect();
        let pawn_takes = action.kind == Kind::Pawn && takes;
        if rivals.is_empty() && !pawn_takes {
            return String::new();
        }
        if rivals.iter().all(|rival| rival.file() != from.file()) {
            file.to_owned()
        } else if !pawn_takes && rivals.iter().all(|rival| rival.rank() != from.rank()) {
            rank.to_owned()
        } else {
            square
        }
    }

    /// A move with numbered squares, as the Perplexichess rules write it: `53-37`.
    #[must_use]
    pub fn numbered(movement: Move) -> String {
        let text = format!("{}-{}", movement.from.number(), movement.to.number());
        match movement.promotion {
            Some(kind) => format!("{text}={}", kind.letter()),
            None => text,
        }
    }
}
