//! Reads PGN. What the standard lets a reader pass over is passed over; everything else that is not understood is
//! refused with its place, so that no game opens as another one.
//!
//! | Token | What becomes of it |
//! |---|---|
//! | `[Name "value"]` | a header; `FEN` is the position, `SetUp` has to fit it, `Variant` has to be chess |
//! | `{…}`, `;…`, `%…` at the beginning of a line | passed over; `[%turn …]` in braces is a turn |
//! | `(…)` | passed over, with all that is nested in it |
//! | `12.`, `12...`, `12`, `...` | has to be the number of the move that follows, and its side |
//! | `Nf3`, `exd6`, `O-O`, `h8=Q`, `h8Q`, `h8(Q)`, `e2e4` | a move |
//! | `$14`, `!`, `?!`, `+-`, `±`, `=`, `∞`, `N`, `e.p.`, `ep`, alone or after a move | passed over |
//! | `--`, `Z0`, `<>`, `@@@@` | a turn that is no move, if a comment follows that says which; otherwise refused |
//! | `1-0`, `0-1`, `1/2-1/2`, `½-½`, `1/2`, `1:0`, `*` … | the end of the game |

use super::super::data::{Record, RecordError, Replayed};
use super::{GAME, turn_of};
use crate::rules::Side;

/// The words that mean a turn that is no move.
const NULL: &[&str] = &["--", "Z0", "z0", "<>", "@@@@"];
const RESULTS: &[&str] = &[
    "*",
    "1-0",
    "0-1",
    "1/2-1/2",
    "½-½",
    "1/2",
    "½",
    "1:0",
    "0:1",
    "1/2:1/2",
    "½:½",
    "1–0",
    "0–1",
    "½–½",
    "1/2–1/2",
];
/// Judgements of a position, the longest first.
const JUDGED: &[&str] = &[
    "+/-", "-/+", "+/=", "=/+", "+-", "-+", "+=", "=+", "==", "±", "∓", "⩲", "⩱", "∞", "=",
];
/// Judgements of a move, and other signs that stand after one.
const SIGNS: &[char] = &[
    '!', '?', '‼', '⁇', '⁈', '⁉', '□', '⊙', '⟳', '↑', '→', '⇆', '⨀', '○', '△',
];
/// Words of annotators beside a move: a novelty, en passant.
const REMARKS: &[&str] = &["N", "e.p.", "e.p", "ep.", "ep"];
/// Values of the tag `Variant` for chess.
const CHESS: &[&str] = &[
    "",
    "?",
    "chess",
    "standard",
    "normal",
    "fromposition",
    "flexichess",
];

/// True if `text` looks like PGN: it begins with a tag, a comment, the number of a move, or a move.
pub fn is_pgn(text: &str) -> bool {
    let text = text.trim_start();
    let Some(first) = text.chars().next() else {
        return false;
    };
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_move = || {
        let start = Record {
            game: GAME.to_owned(),
            ..Record::default()
        };
        Replayed::start(start).is_ok_and(|mut start| start.play(judged(word).0, "").is_ok())
    };
    "[{;%".contains(first) || first.is_ascii_digit() || RESULTS.contains(&word) || is_move()
}

/// Walks through a text and knows its place.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    has_tags: bool,
}

/// The commands in a comment that say a turn: the place there, and what follows the name.
fn commands(comment: &str) -> impl Iterator<Item = (usize, &str)> {
    let marks = comment.match_indices("[%turn");
    marks.filter_map(|(at, mark)| {
        let turn = comment[at + mark.len()..].strip_prefix(char::is_whitespace)?;
        Some((at, turn))
    })
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, to: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(to).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn wrong(&self, at: usize, why: impl Into<String>) -> RecordError {
        RecordError::at(self.text, at, why.into())
    }

    /// True at the beginning of a line.
    fn begins_line(&self) -> bool {
        let before = self.text[..self.at].chars().next_back();
        before.is_none_or(|c| c == '\n')
    }

    /// The text of the comment that begins here with `{`, and its place.
    fn comment(&mut self) -> Result<(usize, &'a str), RecordError> {
        let begin = self.at;
        self.at += 1;
        let inside = self.skip(|c| c == '}');
        if self.rest().is_empty() {
            let why = "this comment has no end: `}` is missing";
            return Err(self.wrong(begin, why));
        }
        self.at += 1;
        Ok((begin + 1, inside))
    }

    /// Passes over the variation that begins here with `(`.
    fn variation(&mut self) -> Result<(), RecordError> {
        let mut open = Vec::new();
        loop {
            match self.rest().chars().next() {
                Some('(') => {
                    open.push(self.at);
                    self.at += 1;
                }
                Some(')') => {
                    open.pop();
                    self.at += 1;
                }
                Some('{') => drop(self.comment()?),
                Some(';') => drop(self.skip(|c| c == '\n')),
                Some('%') if self.begins_line() => drop(self.skip(|c| c == '\n')),
                Some(other) => self.at += other.len_utf8(),
                None => {
                    let begin = open.pop().unwrap_or(self.at);
                    let why = "this variation has no end: `)` is missing";
                    return Err(self.wrong(begin, why));
                }
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// The tag that begins here with `[`: name and value.
    fn tag(&mut self) -> Result<(&'a str, String), RecordError> {
        let begin = self.at;
        let wrong = |reader: &Self| reader.wrong(begin, "a tag is written `[Name \"value\"]`");
        self.at += 1;
        let name = self.skip(|c| c == '"' || c == ']').trim();
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_-+#=:".contains(c));
        let Some(rest) = self.rest().strip_prefix('"').filter(|_| is_name) else {
            return Err(wrong(self));
        };
        let mut rest = rest.char_indices();
        let mut value = String::new();
        loop {
            match rest.next() {
                Some((_, '\\')) => value.extend(rest.next().map(|(_, c)| c)),
                Some((offset, '"')) => {
                    self.at += offset + 2;
                    break;
                }
                Some((_, c)) => value.push(c),
                None => return Err(wrong(self)),
            }
        }
        self.skip(|c| !c.is_whitespace());
        if !self.rest().starts_with(']') {
            return Err(wrong(self));
        }
        self.at += 1;
        Ok((name, value))
    }

    /// All tags with the comments among them, as the beginning of a record; and the place of the tag with the position.
    fn tags(&mut self) -> Result<(Record, usize), RecordError> {
        let mut record = Record {
            game: GAME.to_owned(),
            ..Record::default()
        };
        let mut fen = 0;
        let mut setup = None;
        loop {
            self.skip(|c| !c.is_whitespace());
            let begin = self.at;
            match self.rest().chars().next() {
                Some('[') => {}
                Some(';') => {
                    self.skip(|c| c == '\n');
                    continue;
                }
                Some('%') if self.begins_line() => {
                    self.skip(|c| c == '\n');
                    continue;
                }
                Some('{') => {
                    let (_, comment) = self.comment()?;
                    if commands(comment).next().is_none() {
                        continue;
                    }
                    // The game begins with a turn that is no move.
                    self.at = begin;
                    break;
                }
                _ => break,
            }
            let (name, value) = self.tag()?;
            self.has_tags = true;
            match name.to_ascii_lowercase().as_str() {
                "fen" if record.position.is_some() => {
                    return Err(self.wrong(begin, "there are two tags `FEN`"));
                }
                "fen" => {
                    fen = begin;
                    record.position = Some(value);
                }
                "setup" => setup = Some((begin, value)),
                "variant" => {
                    let plain: String = value.chars().filter(|c| c.is_alphanumeric()).collect();
                    if !CHESS.contains(&plain.to_lowercase().as_str()) {
                        let why = format!("this is a game of {value}, and only chess is read here");
                        return Err(self.wrong(begin, why));
                    }
                }
                _ if value != "?" => record = record.with(name, &value),
                _ => {}
            }
        }
        let has_position = record.position.is_some();
        match setup {
            Some((begin, value)) if value.trim() == "0" && has_position => {
                let why =
                    "`SetUp \"0\"` says that the game begins as usual, but there is a tag `FEN`";
                Err(self.wrong(begin, why))
            }
            Some((begin, value)) if value.trim() == "1" && !has_position => {
                let why =
                    "`SetUp \"1\"` says that the game begins elsewhere, but there is no tag `FEN`";
                Err(self.wrong(begin, why))
            }
            _ => Ok((record, fen)),
        }
    }
}

/// A word without what annotators write after it, and true if nothing of that was misspelt.
fn judged(word: &str) -> (&str, bool) {
    let (mut word, nags) = match word.split_once('$') {
        Some((word, nags)) => (word, Some(nags)),
        None => (word, None),
    };
    let is_number = |nag: &str| {
        let nag = nag.trim_end_matches(SIGNS);
        !nag.is_empty() && nag.chars().all(|c| c.is_ascii_digit())
    };
    let understood = nags.is_none_or(|nags| nags.split('$').all(is_number));
    loop {
        let signs = word.trim_end_matches(SIGNS);
        // `+` after a move is check, and `=` before a letter a promotion.
        let shorter = JUDGED.iter().find_map(|sign| signs.strip_suffix(sign));
        let remark = REMARKS.iter().skip(1).find_map(|end| {
            let rest = signs.strip_suffix(end)?;
            rest.ends_with(|c: char| c.is_ascii_digit()).then_some(rest)
        });
        let next = shorter.or(remark).unwrap_or(signs);
        if next == word {
            return (word, understood);
        }
        word = next;
    }
}

/// True if a word may be a move. People may type `nf3` or `53-37`, but other programs would read another move, or none.
fn is_move(word: &str) -> bool {
    word.starts_with(|c| "KQRBNPabcdefghO0".contains(c))
        && !word.ends_with(['-', ':', '/', '='])
        && !word.contains("--")
        && word
            .chars()
            .all(|c| "KQRBNPabcdefgh0123456789x=+#-:/qrnO".contains(c))
}

/// The number of a move at the beginning of a word, its dots, and the rest: `3.e4`, `3...`, `3`, `...`. `0-0` is
/// castling.
fn number(word: &str) -> Option<(&str, &str, &str)> {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &word[..word.len() - rest.len()];
    let bare = rest.trim_start_matches(['.', '…']);
    let dots = &rest[..rest.len() - bare.len()];
    let is_number = !dots.is_empty() || rest.is_empty();
    is_number.then_some((digits, dots, bare))
}

/// The number of the move that is to follow in this game, and the side.
fn next_move(replayed: &Replayed) -> (String, Option<Side>) {
    let position = replayed.game.position();
    let number = position.split(' ').nth(5).unwrap_or_default().to_owned();
    (number, replayed.game.side_to_move())
}

/// Reads the first game of a PGN: its main line, with turns in comments where rules change.
///
/// # Errors
/// The first place that is not understood, or the first move that is not legal.
pub fn read(text: &str) -> Result<Replayed, RecordError> {
    let mut reader = Reader {
        text,
        at: 0,
        has_tags: false,
    };
    let (record, fen) = reader.tags()?;
    let mut replayed = Replayed::start(record).map_err(|(_, why)| reader.wrong(fen, why))?;
    let play = |replayed: &mut Replayed, at: usize, turn: &str| {
        replayed.play(turn, "").map_err(|(inside, why)| {
            let place = text[at..].char_indices().nth(inside);
            let at = at + place.map_or(0, |(offset, _)| offset);
            RecordError::at(text, at, why)
        })
    };
    // The place of a turn that is no move, until the comment that says which it is.
    let mut null = None;
    let mut ended = false;
    loop {
        reader.skip(|c| !c.is_whitespace());
        let begin = reader.at;
        let first = reader.rest().chars().next();
        if let Some(at) = null
            && !matches!(first, Some('{' | '$'))
        {
            let why = "a null move is no turn of chess; where a rule changes, a comment after it says so: \
                       `-- {[%turn rule N NW \"Knights also step.\"]}`";
            return Err(reader.wrong(at, why));
        }
        match first {
            None => break,
            Some('[') => {
                // The next game.
                let begins = reader.begins_line();
                let is_tag = reader.tag().is_ok();
                let line = reader.rest().lines().next().unwrap_or_default().trim();
                if !is_tag || !begins || !(line.is_empty() || line.starts_with('[')) {
                    let why = "`[` begins the tags of another game, on a line of their own";
                    return Err(reader.wrong(begin, why));
                }
                if !ended && replayed.record.turns.is_empty() {
                    let why = "`[` begins the tags of another game, but this one has no move yet";
                    return Err(reader.wrong(begin, why));
                }
                replayed.is_first = true;
                break;
            }
            Some('{') => {
                let (start, comment) = reader.comment()?;
                for (at, turn) in commands(comment) {
                    let Some(end) = turn.find(']') else {
                        let why = "this command has no end: `]` is missing";
                        return Err(reader.wrong(start + at, why));
                    };
                    let place = start + comment.len() - turn.len();
                    play(&mut replayed, place, &turn_of(&turn[..end]))?;
                    null = None;
                }
            }
            Some(';') => drop(reader.skip(|c| c == '\n')),
            Some('%') if reader.begins_line() => drop(reader.skip(|c| c == '\n')),
            Some(_) if ended => {
                let why = "nothing follows the result but another game, which begins with its tags";
                return Err(reader.wrong(begin, why));
            }
            Some('(') if replayed.record.turns.is_empty() => {
                let why = "a variation follows the move that it could replace";
                return Err(reader.wrong(begin, why));
            }
            Some('(') => reader.variation()?,
            Some(_) => {
                let mut word = reader.skip(|c| c.is_whitespace() || "{}();[]".contains(c));
                let mut promoted = String::new();
                // `h8(Q)`: the variation of one letter that is glued to a move is what it promotes to.
                if let Some(rest) = reader.rest().strip_prefix('(')
                    && let Some((kind, _)) = rest.split_once(')')
                    && matches!(kind.as_bytes(), [letter] if letter.is_ascii_alphabetic())
                    && word.ends_with(['1', '8'])
                {
                    promoted = format!("{word}={kind}");
                    reader.at += kind.len() + 2;
                    let signs = reader.skip(|c| c.is_whitespace() || "{}();[]".contains(c));
                    promoted += signs;
                    word = &text[begin..reader.at];
                }
                if word.is_empty() {
                    let why = format!("`{}` has no beginning", &text[begin..=begin]);
                    return Err(reader.wrong(begin, why));
                }
                let written = if promoted.is_empty() {
                    word
                } else {
                    promoted.as_str()
                };
                if RESULTS.contains(&written) {
                    ended = true;
                    continue;
                }
                let (digits, dots, bare) = number(written).unwrap_or(("", "", written));
                let (expected, side) = next_move(&replayed);
                if !digits.is_empty() && digits.trim_start_matches('0') != expected {
                    let why = format!("move {expected} should follow here, not move {digits}");
                    return Err(reader.wrong(begin, why));
                }
                if dots.len() > 1 && side == Some(Side::First) {
                    let why =
                        format!("`{digits}{dots}` says that Black is to move, but it is White");
                    return Err(reader.wrong(begin, why));
                }
                let at = begin + written.len() - bare.len();
                let (turn, understood) = judged(bare);
                if !understood {
                    let why = format!("`{bare}` is not understood: `$` is followed by a number");
                    return Err(reader.wrong(at, why));
                }
                if turn.is_empty() || REMARKS.contains(&turn.trim_end_matches(['+', '#'])) {
                    continue;
                }
                if NULL.contains(&turn) {
                    null = Some(at);
                    continue;
                }
                if !is_move(turn) {
                    let why = format!(
                        "`{bare}` is not understood: a move is written `Nf3`, `exd5`, `e8=Q` or `O-O`"
                    );
                    return Err(reader.wrong(at, why));
                }
                play(&mut replayed, at, turn)?;
            }
        }
    }
    if !reader.has_tags && !ended && replayed.record.turns.is_empty() {
        return Err(reader.wrong(0, "there is no move here"));
    }
    Ok(replayed.finish())
}
