//! Changes of the rules, and turns under a written rule: their parts and their notation.

use std::fmt::{self, Display};

use super::kind::{Kind, Promotions};
use super::named::Named;
use super::square::Square;
use crate::rules::betza::Movement;
use crate::rules::{IllegalTurn, NotationError, RuleChange, Side, TurnError};

/// The longest text of a change, in characters (code points).
pub const TEXT_LIMIT: usize = 500;
/// The most characters of a movement's notation, from version 2 of the rules on.
pub const MOST_NOTATION: usize = 100;

/// The effect of a change of the rules.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A kind moves in this way from now on.
    Movement(Kind, Movement),
    /// Pawns promote to these from now on.
    Promotion(Promotions),
    /// A rule in words, about one kind or none.
    Written(Option<Kind>),
}

impl Effect {
    /// The rule in words, `pawns promote to knight, bishop`; `None` for a rule that is in words itself.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        match self {
            Self::Movement(kind, movement) => {
                Some(format!("the {} {}", kind.name(), movement.words()))
            }
            Self::Promotion(set) => {
                let kinds: Vec<&str> = set.kinds().map(Kind::name).collect();
                Some(format!("pawns promote to {}", kinds.join(", ")))
            }
            Self::Written(_) => None,
        }
    }

    /// The rule in notation, without the kind that it is about: `NW`, `=NB`, `written`.
    #[must_use]
    pub fn notation(&self) -> String {
        match self {
            Self::Movement(_, movement) => movement.to_string(),
            Self::Promotion(set) => format!("={set}"),
            Self::Written(_) => "written".to_owned(),
        }
    }

    /// The letter of the kind that it is about; `*` for none.
    fn subject(&self) -> char {
        self.kind().map_or('*', Kind::letter)
    }

    /// The kind that it is about; `None` for a rule in words about none.
    #[must_use]
    pub const fn kind(&self) -> Option<Kind> {
        match self {
            Self::Movement(kind, _) => Some(*kind),
            Self::Promotion(_) => Some(Kind::Pawn),
            Self::Written(kind) => *kind,
        }
    }
}

impl Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.subject(), self.notation())
    }
}

/// A change of the rules, as a player makes it.
#[derive(Clone, Debug)]
pub struct Change {
    /// The rule that it changes, and its new form.
    pub effect: Effect,
    /// The change in the player's words: one line of at most [`TEXT_LIMIT`] characters.
    pub text: String,
}

impl PartialEq for Change {
    /// The same turn: the same notation.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.effect.to_string() == other.effect.to_string()
    }
}

impl Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} \"{}\"", self.effect, self.text)
    }
}

/// A change that took effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its number on this board, from 1.
    pub number: u32,
    /// The side that made it.
    pub side: Side,
    /// The move number of its turn.
    pub turn: u32,
    /// The change as the player made it.
    pub change: Change,
    /// The rule whose place it took; `None` for a written rule, which adds something.
    pub before: Option<Effect>,
    /// True if a later change has replaced it.
    pub replaced: bool,
}

impl Recorded {
    /// The change as records tell it.
    pub(super) fn rule_change(&self) -> RuleChange {
        let effect = &self.change.effect;
        let before = self.before.as_ref();
        RuleChange {
            number: self.number,
            side: self.side,
            turn: self.turn,
            subject: effect.subject(),
            before: before.map(Effect::notation).unwrap_or_default(),
            after: effect.notation(),
            before_words: before.and_then(Effect::words).unwrap_or_default(),
            after_words: effect.words().unwrap_or_default(),
            text: self.change.text.clone(),
            replaced: self.replaced,
        }
    }
}

/// A piece moved or removed by a turn under a written rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deed {
    /// A piece goes to an empty square; a pawn that reaches its last rank promotes.
    Move(Square, Square, Option<Kind>),
    /// The piece on this square is removed.
    Remove(Square),
}

impl Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(from, to, None) => write!(f, "{from}{to}"),
            Self::Move(from, to, Some(kind)) => {
                write!(f, "{from}{to}{}", kind.letter().to_ascii_lowercase())
            }
            Self::Remove(square) => write!(f, "x{square}"),
        }
    }
}

/// A turn under written rule `number`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Under {
    /// The number of the written rule.
    pub number: u32,
    /// The deeds, in order; none to pass.
    pub deeds: Vec<Deed>,
}

impl Under {
    /// The deeds in notation: `b1c4 xd5`, or `pass`.
    #[must_use]
    pub fn done(&self) -> String {
        if self.deeds.is_empty() {
            return "pass".to_owned();
        }
        let deeds: Vec<String> = self.deeds.iter().map(ToString::to_string).collect();
        deeds.join(" ")
    }
}

impl Display for Under {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "under {}", self.number)?;
        self.deeds.iter().try_for_each(|deed| write!(f, " {deed}"))
    }
}

/// The words of a turn, with their places.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    /// The next word and its column; the empty word at the end.
    fn next(&mut self) -> (&'a str, usize) {
        let rest = &self.text[self.at..];
        let skipped = rest.len() - rest.trim_start().len();
        let start = self.at + skipped;
        let rest = &self.text[start..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at = start + end;
        (&rest[..end], self.column(start))
    }

    fn column(&self, byte: usize) -> usize {
        self.text[..byte].chars().count() + 1
    }
}

/// Reads the letters of a promotion set that stand in `text` from character `offset` on.
pub(super) fn promotions(
    text: &str,
    offset: usize,
    letters: &str,
) -> Result<Promotions, NotationError> {
    let mut kinds = Vec::new();
    let expected = "a kind to which pawns may promote: Q, R, B or N, each once, at least one";
    for (at, c) in letters.chars().enumerate() {
        match Kind::from_letter(c) {
            Some(kind) if Promotions::ALL.has(kind) && !kinds.contains(&kind) => kinds.push(kind),
            _ => return Err(NotationError::new(text, offset + at + 1, expected)),
        }
    }
    Promotions::new(&kinds)
        .ok_or_else(|| NotationError::new(text, offset + letters.chars().count() + 1, expected))
}

/// The reason why `word` is no subject of a change, if it is known.
fn refused_subject(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    match lower.as_str() {
        "k" | "king" | "kings" => return Some("the king's movement is never changed"),
        "castling" | "castle" | "o-o" | "o-o-o" | "0-0" | "0-0-0" => {
            return Some("castling is never changed");
        }
        "check" | "checkmate" | "mate" | "stalemate" | "+" | "#" => {
            return Some("what check, checkmate and stalemate are is never changed");
        }
        "white" | "black" | "w" => {
            return Some("a change holds for both colours, never for one only");
        }
        _ => {}
    }
    let mut letters = lower.chars();
    let first = letters.next()?;
    let rest = letters.as_str();
    let kinds = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| Kind::from_letter(c).is_some() || matches!(c, ',' | '+' | '/' | '&'))
    };
    if matches!(first, 'w' | 'b')
        && rest.chars().count() == 1
        && word.chars().next().is_some_and(char::is_lowercase)
        && kinds(rest)
    {
        return Some("a change holds for both colours, never for one only");
    }
    (kinds(&lower) && word.chars().count() > 1)
        .then_some("a change is of one kind of piece, never of more than one")
}

impl Change {
    /// What a written rule names although its limits keep it out; `None` for a change that the program enforces.
    #[must_use]
    pub fn named(&self) -> Option<Named> {
        match self.effect {
            Effect::Written(kind) => Some(Named::of(kind, &self.text)),
            Effect::Movement(..) | Effect::Promotion(_) => None,
        }
    }

    /// Reads a turn that begins with `rule`.
    ///
    /// # Errors
    /// Misspelt, or refused in every position.
    pub fn read(turn: &str) -> Result<Self, TurnError> {
        let refuse = |why: &str| Err(IllegalTurn::new(turn.trim(), why).into());
        let quote = turn.find('"').unwrap_or(turn.len());
        let mut words = Words {
            text: &turn[..quote],
            at: 0,
        };
        words.next();
        let notation = |column, expected: &str| NotationError::new(turn, column, expected);
        let (subject, column) = words.next();
        let mut letters = subject.chars();
        let kind = letters.next().and_then(Kind::from_letter);
        if subject != "*" {
            if let Some(why) = refused_subject(subject) {
                return refuse(why);
            }
            if kind.is_none() || letters.next().is_some() {
                let expected = "the kind that changes: P, N, B, R or Q (or `*` for a written rule)";
                return Err(notation(column, expected).into());
            }
        }
        let (what, column) = words.next();
        let effect = match (kind, what) {
            (_, "") => {
                let expected = match kind {
                    None => "`written` and the rule's text between quotation marks",
                    Some(Kind::Pawn) => {
                        "the new movement in Betza's notation (`-`: cannot move), `=` and a promotion set, or `written`"
                    }
                    Some(_) => {
                        "the new movement in Betza's notation (`-`: cannot move), or `written`"
                    }
                };
                return Err(notation(column, expected).into());
            }
            (_, what) if what.eq_ignore_ascii_case("written") => Effect::Written(kind),
            (None, _) => {
                return Err(
                    notation(column, "`written`: a change of a movement names its kind").into(),
                );
            }
            (Some(kind), what) => match what.strip_prefix('=') {
                Some(letters) if kind == Kind::Pawn => {
                    Effect::Promotion(promotions(turn, column, letters)?)
                }
                Some(_) => return refuse("only pawns promote: a promotion set is `rule P =…`"),
                None => {
                    // `rule N B "…"` gives knights the bishop's movement; a third kind, as in `rule N B R`, is refused below.
                    let movement = Movement::parse(what, kind.mover()).map_err(|error| {
                        NotationError::new(turn, column + error.column - 1, error.expected)
                    })?;
                    Effect::Movement(kind, movement)
                }
            },
        };
        let (more, column) = words.next();
        if !more.is_empty() {
            if let Effect::Movement(..) = &effect
                && quote < turn.len()
                && what.chars().count() == 1
                && Kind::from_letter(what.chars().next().unwrap_or('-')).is_some()
            {
                return refuse("a change is of one kind of piece, never of more than one");
            }
            return Err(notation(column, "the change's text between quotation marks").into());
        }
        Ok(Self {
            effect,
            text: read_text(turn, quote)?,
        })
    }
}

/// True for a character that has no place in a text: records hold one event a line.
fn is_unfit(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Reads the text between the quotation mark at byte `quote` and the last one.
fn read_text(turn: &str, quote: usize) -> Result<String, TurnError> {
    let refuse = |why: &str| Err(IllegalTurn::new(turn.trim(), why).into());
    let notation = |column, expected: &str| NotationError::new(turn, column, expected);
    let Some(text) = turn[quote..].strip_prefix('"') else {
        return refuse("a change has a text, between quotation marks, that says it in words");
    };
    let Some(end) = text.rfind('"') else {
        let column = turn.chars().count() + 1;
        return Err(notation(column, "a quotation mark after the text").into());
    };
    let after = &text[end + 1..];
    if !after.trim().is_empty() {
        let spaces = after.len() - after.trim_start().len();
        let column = turn[..turn.len() - after.len() + spaces].chars().count() + 1;
        return Err(notation(column, "the end of the turn").into());
    }
    let text = &text[..end];
    if text.trim().is_empty() {
        return refuse("a change has a text that says it in words, and this one is empty");
    }
    if let Some((at, found)) = (1..).zip(text.chars()).find(|(_, c)| is_unfit(*c)) {
        let what = if matches!(
            found,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        ) {
            "a line break"
        } else {
            "a control character"
        };
        let plain: String = turn
            .trim()
            .chars()
            .map(|c| if is_unfit(c) { ' ' } else { c })
            .collect();
        let why = format!("its text is one line, and {what} stands in it as character {at}");
        return Err(IllegalTurn::new(plain, why).into());
    }
    let length = text.chars().count();
    if length > TEXT_LIMIT {
        return refuse(&format!(
            "its text has {length} characters, and at most {TEXT_LIMIT} are allowed"
        ));
    }
    Ok(text.to_owned())
}

impl Under {
    /// Reads a turn that begins with `under`.
    ///
    /// # Errors
    /// The column, and what may stand there.
    pub fn read(turn: &str) -> Result<Self, NotationError> {
        let mut words = Words { text: turn, at: 0 };
        words.next();
        let (number, column) = words.next();
        let number = number
            .parse()
            .map_err(|_| NotationError::new(turn, column, "the number of the written rule"))?;
        let mut deeds = Vec::new();
        loop {
            let (word, column) = words.next();
            if word.is_empty() {
                return Ok(Self { number, deeds });
            }
            deeds.push(
                deed(word)
                    .map_err(|(at, expected)| NotationError::new(turn, column + at, expected))?,
            );
        }
    }
}

/// Reads `b1c4`, `b7b8q` or `xd5`; an error is a place in the word and a description of what may stand there.
fn deed(word: &str) -> Result<Deed, (usize, &'static str)> {
    let chars: Vec<char> = word.chars().collect();
    let square = |at: usize| match (chars.get(at), chars.get(at + 1)) {
        (Some(&file), _) if !('a'..='h').contains(&file.to_ascii_lowercase()) => {
            Err((at, "a square (`b1c4` moves a piece, `xd5` removes one)"))
        }
        (Some(&file), Some(&rank)) => Square::read(file, rank).ok_or((at + 1, "a row, `1` to `8`")),
        (None, _) => Err((at, "the square where the piece goes")),
        (_, None) => Err((at + 1, "a row, `1` to `8`")),
    };
    if matches!(chars.first(), Some('x' | 'X')) {
        let square = square(1)?;
        return match chars.get(3) {
            None => Ok(Deed::Remove(square)),
            Some(_) => Err((3, "a space or the end of the turn")),
        };
    }
    let from = square(0)?;
    let dash = usize::from(chars.get(2) == Some(&'-'));
    let to = square(2 + dash)?;
    let equals = usize::from(chars.get(4 + dash) == Some(&'='));
    let at = 4 + dash + equals;
    let promotion = match chars.get(at) {
        None if equals == 0 => None,
        Some(&c) => match Kind::from_letter(c) {
            Some(kind) if Promotions::ALL.has(kind) => Some(kind),
            _ => {
                return Err((
                    at,
                    "what the pawn becomes (q, r, b or n), or the end of the turn",
                ));
            }
        },
        None => return Err((at, "what the pawn becomes: q, r, b or n")),
    };
    match chars.get(at + 1) {
        Some(_) if promotion.is_some() => Err((at + 1, "a space or the end of the turn")),
        _ => Ok(Deed::Move(from, to, promotion)),
    }
}

/// The reason why a deed cannot be done, as a clause that begins with the deed.
pub(super) fn why_not(deed: Deed, why: impl Display) -> String {
    format!("`{deed}` cannot be done: {why}")
}
