//! Flexichess: chess whose rules change as it is played; the rules of one Perplexichess board.
//! Sources: the FIDE laws of chess; "Perplexichess rules", superpublius.
//!
//! On a turn a player makes a move or changes a rule. [`Ruleset`] holds the rules in force, compiled into tables;
//! `board` finds the legal moves by them; `change` reads changes and turns under a written rule, `cards` has changes with a
//! name; `named` finds what a written rule names although its limits keep it out; `notation` reads and writes moves; `fen`
//! the position's text; `transfer` has the changes that a Perplexichess match makes to a board from outside.
//!
//! ```
//! use perplex_games::rules::flexichess::Flexichess;
//! use perplex_games::rules::{ChangingRules, Rules};
//!
//! let mut position = Flexichess::setup("").expect("the game");
//! for turn in ["rule N NW \"Knights also step.\"", "e7e5", "b1c3"] {
//!     let turn = position.read(turn)?;
//!     position.play_unchecked(&turn);
//! }
//! assert_eq!(position.state().rules, [("N".to_owned(), "NW".to_owned())]);
//! assert!(position.position().starts_with("rnbqkbnr/pppp1ppp/8/4p3"));
//! # Ok::<(), perplex_games::rules::TurnError>(())
//! ```

use std::fmt::{self, Display};
use std::sync::Arc;

use super::betza::Movement;
use super::{
    ChangingRules, Evaluate, NotationError, OtherNotation, Outcome, Reason, RuleChange, Rules,
    Seat, Side, State, TurnError, VERSION,
};

mod bits;
mod board;
mod cards;
mod change;
mod estimate;
mod fen;
mod kind;
mod named;
mod notation;
mod preview;
mod ruleset;
mod square;
mod transfer;

use board::{Action, Board, Special};
pub use cards::{CARDS, Deck, RuleCard};
pub use change::{Change, Deed, Effect, MOST_NOTATION, Recorded, TEXT_LIMIT, Under};
pub use fen::START;
pub use kind::{Kind, Promotions};
pub use named::{Fixed, Named};
pub use preview::{Preview, Reach};
pub use ruleset::Ruleset;
pub use square::{Piece, Square, side_name};

/// The quiet turns that draw the game: 75 of each side.
const QUIET_LIMIT: u32 = 150;
/// The quiet turns after which a player may claim the draw: 50 of each side.
const QUIET_CLAIM: u32 = 100;
/// The number of times that a position has to arise before a player may claim a draw.
const REPETITION_CLAIM: u32 = 3;

/// The most changes of the rules on a board, from version 2 of the rules on.
pub const MOST_CHANGES: usize = 200;

/// A turn of Flexichess.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// A move: `e2e4`, `e7e8q`, `e1g1`.
    Move(Move),
    /// A change of the rules: `rule N NW "Knights also step."`.
    Change(Change),
    /// A turn under a written rule: `under 1 b1c4 xd5`.
    Under(Under),
    /// The answer to a written rule, or to a turn under one: it holds.
    Accept,
    /// The answer: it does not hold, and the turn is taken back.
    Reject,
}

/// A move in coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The square that the piece leaves.
    pub from: Square,
    /// The square that it reaches.
    pub to: Square,
    /// The kind that a pawn becomes.
    pub promotion: Option<Kind>,
}

impl From<Action> for Move {
    fn from(action: Action) -> Self {
        Self {
            from: action.from,
            to: action.to,
            promotion: action.promotion(),
        }
    }
}

impl Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(kind) => write!(f, "{}", kind.letter().to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}

impl Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(movement) => Display::fmt(movement, f),
            Self::Change(change) => Display::fmt(change, f),
            Self::Under(under) => Display::fmt(under, f),
            Self::Accept => f.write_str("accept"),
            Self::Reject => f.write_str("reject"),
        }
    }
}

/// A proposal that waits for the other side's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Pending {
    /// A written rule.
    Rule(Change),
    /// A turn under a written rule.
    Turn(Under),
}

/// A position of Flexichess.
#[derive(Clone, Debug, PartialEq)]
pub struct Flexichess {
    board: Board,
    rules: Arc<Ruleset>,
    /// Changes that took effect, in order.
    changes: Arc<Vec<Recorded>>,
    /// Turns since the last capture, pawn's move, change or transfer.
    quiet: u32,
    /// The number of the move.
    number: u32,
    /// The number of times that the count of repetitions has begun anew.
    epoch: u32,
    pending: Option<Pending>,
    /// True if the last turn was rejected: the position is the one before it, not a new one.
    taken_back: bool,
    /// True once the board has ended (Perplexichess).
    ended: bool,
    /// The version of the rules.
    version: u16,
}

/// The common part of two positions that are the same for the rule of repetition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    board: Board,
    epoch: u32,
}

impl Flexichess {
    fn new(counted: &fen::Counted, rules: Arc<Ruleset>) -> Self {
        Self {
            board: counted.board,
            rules,
            changes: Arc::default(),
            quiet: counted.quiet,
            number: counted.number,
            epoch: 0,
            pending: None,
            taken_back: false,
            ended: false,
            version: VERSION,
        }
    }

    /// Reads FEN for a board where `rules` are in force.
    ///
    /// # Errors
    /// The column, and what may stand there.
    pub fn from_fen(text: &str, rules: Arc<Ruleset>) -> Result<Self, NotationError> {
        Ok(Self::new(&fen::read(text, &rules)?, rules))
    }

    /// The rules in force.
    #[must_use]
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// The changes that took effect, in order.
    #[must_use]
    pub fn changes(&self) -> &[Recorded] {
        &self.changes
    }

    /// The changes that make a difference now: not replaced by a later one, and not back to the ordinary rule.
    pub fn in_force(&self) -> impl Iterator<Item = &Recorded> {
        let matters = |change: &&Recorded| match &change.change.effect {
            Effect::Movement(kind, _) => !self.rules().is_ordinary(*kind),
            Effect::Promotion(set) => *set != Promotions::ALL,
            Effect::Written(_) => true,
        };
        let latest = self.changes.iter().filter(|change| !change.replaced);
        latest.filter(matters)
    }

    /// The proposal that waits for an answer; neither side moves meanwhile.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        self.pending.as_ref()
    }

    /// The piece on `square`.
    #[must_use]
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.board.piece(square)
    }

    /// True if a legal move takes a piece.
    #[must_use]
    pub fn captures(&self, movement: Move) -> bool {
        let Move {
            from,
            to,
            promotion,
        } = movement;
        let action = self.board.action(&self.rules, from, to, promotion);
        action.is_some_and(|action| self.takes(action))
    }

    /// True if an action takes a piece.
    fn takes(&self, action: Action) -> bool {
        match action.special {
            Special::Castle => false,
            Special::Passing => true,
            Special::None | Special::Promotion(_) => self.piece(action.to).is_some(),
        }
    }

    /// The number of a side's pieces, kings and pawns included.
    #[must_use]
    pub fn count(&self, side: Side) -> u32 {
        self.board.sides[side.index()].count_ones()
    }

    /// The side whose turn it is on the board, even if the other has to answer a proposal first.
    #[must_use]
    pub fn side(&self) -> Side {
        self.board.side
    }

    /// True if the king of the side to move is attacked by the rules in force.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.board.in_check(&self.rules, self.board.side)
    }

    /// The pieces that give check.
    #[must_use]
    pub fn checkers(&self) -> Vec<Square> {
        self.board.checkers(&self.rules)
    }

    /// The square of a side's king.
    #[must_use]
    pub fn king(&self, side: Side) -> Option<Square> {
        self.board.king(side).map(Square::from_index)
    }

    /// The legal moves; none while a proposal waits for its answer.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        self.actions().into_iter().map(Move::from).collect()
    }

    fn actions(&self) -> Vec<Action> {
        if self.pending.is_some() || self.ended {
            return Vec::new();
        }
        self.board.moves(&self.rules)
    }

    /// The squares that the piece on `square` reaches by the rules in force, on either side's turn and even if that
    /// would leave its king in check.
    #[must_use]
    pub fn reach(&self, square: Square) -> Vec<Square> {
        bits::squares(self.board.reach(&self.rules, square))
            .map(Square::from_index)
            .collect()
    }

    /// The reason why a change is refused here; `None` if it is not.
    fn why_not_change(&self, change: &Change) -> Option<String> {
        if let Some(why) = self
            .why_too_much(&change.effect)
            .filter(|_| self.version >= 2)
        {
            return Some(why);
        }
        self.why_not_effect(&change.effect, |kind, movement| {
            self.rules.with_movement(kind, movement.clone())
        })
    }

    /// The reason why version 2 of the rules takes a change no more; `None` if it does.
    fn why_too_much(&self, effect: &Effect) -> Option<String> {
        if self.changes.len() >= MOST_CHANGES {
            return Some(format!(
                "the rules of this board have been changed {MOST_CHANGES} times, which is the most: play a move"
            ));
        }
        let Effect::Movement(_, movement) = effect else {
            return None;
        };
        let length = movement.to_string().chars().count();
        (length > MOST_NOTATION).then(|| {
            format!("its movement has {length} characters, and at most {MOST_NOTATION} are allowed")
        })
    }

    /// As [`why_not_change`](Self::why_not_change); `ruled` gives the rules with another movement.
    fn why_not_effect(
        &self,
        effect: &Effect,
        ruled: impl FnOnce(Kind, &Movement) -> Ruleset,
    ) -> Option<String> {
        let rules = match effect {
            Effect::Movement(kind, movement) => {
                let Some(now) = self.rules.movement(*kind) else {
                    return Some("the king's movement is never changed".to_owned());
                };
                if now == movement {
                    return Some(format!(
                        "it changes nothing: the {} already moves so ({now})",
                        kind.name()
                    ));
                }
                Arc::new(ruled(*kind, movement))
            }
            Effect::Promotion(set) => {
                if *set == self.rules.promotions() {
                    return Some(format!(
                        "it changes nothing: pawns already promote to these ({set})"
                    ));
                }
                self.rules.clone()
            }
            Effect::Written(Some(Kind::King)) => {
                return Some("the king's movement is never changed".to_owned());
            }
            Effect::Written(_) => self.rules.clone(),
        };
        let side = self.board.side;
        self.board.in_check(&rules, side).then(|| {
            let king = self
                .king(side)
                .map_or_else(String::new, |at| at.to_string());
            if self.is_check() {
                format!("the king on {king} is in check and would stay so")
            } else {
                format!("it would leave your king on {king} in check")
            }
        })
    }

    /// The position while a turn under a written rule is put together: its deeds are done, and the same side goes on.
    ///
    /// # Errors
    /// The reason why a deed cannot be done, as a clause. A king in check is none: a later deed may help.
    pub fn draft(&self, under: &Under) -> Result<Self, String> {
        let (board, _) = self.carry_out(under)?;
        Ok(Self {
            board,
            ..self.clone()
        })
    }

    /// Carries out a turn under a written rule, and ends it; returns the board, and true if a pawn moved or a piece was
    /// removed.
    fn finish(&self, under: &Under) -> Result<(Board, bool), String> {
        let (mut board, progress) = self.carry_out(under)?;
        if board.in_check(&self.rules, board.side) {
            return Err("it would leave your king in check".to_owned());
        }
        board.side = board.side.other();
        Ok((board, progress))
    }

    /// Does the deeds of a turn under a written rule, one after the other.
    fn carry_out(&self, under: &Under) -> Result<(Board, bool), String> {
        let mut board = self.board;
        let mut progress = false;
        board.passed = None;
        for &deed in &under.deeds {
            let (from, to) = match deed {
                Deed::Move(from, to, _) => (from, Some(to)),
                Deed::Remove(from) => (from, None),
            };
            let Some(piece) = board.piece(from) else {
                return Err(change::why_not(deed, format!("{from} is empty")));
            };
            if piece.kind == Kind::King {
                let why = "kings are never moved or removed under a written rule";
                return Err(change::why_not(deed, why));
            }
            progress |= piece.kind == Kind::Pawn || to.is_none();
            let Deed::Move(_, to, promotion) = deed else {
                board.clear(from);
                continue;
            };
            if board.piece(to).is_some() {
                let why = format!("{to} is not empty (remove what stands there first: `x{to}`)");
                return Err(change::why_not(deed, why));
            }
            let promotes = piece.kind == Kind::Pawn && board::last_rank(piece.side) & to.bit() != 0;
            let kind = match (promotes, promotion) {
                (false, None) => piece.kind,
                (true, Some(kind)) if self.rules.promotions().has(kind) => kind,
                (true, _) => {
                    return Err(change::why_not(deed, self.must_promote(from, to)));
                }
                (false, Some(_)) => {
                    let why = "only a pawn that reaches its last rank becomes something else";
                    return Err(change::why_not(deed, why));
                }
            };
            board.clear(from);
            board.put(to, Piece { kind, ..piece });
        }
        Ok((board, progress))
    }

    fn must_promote(&self, from: Square, to: Square) -> String {
        let ways: Vec<String> = self
            .rules
            .promotions()
            .kinds()
            .map(|kind| {
                let promotion = Some(kind);
                format!(
                    "`{}`",
                    Move {
                        from,
                        to,
                        promotion
                    }
                )
            })
            .collect();
        format!("the pawn promotes there: {}", ways.join(", "))
    }

    fn why_not_under(&self, under: &Under) -> Option<String> {
        let index = usize::try_from(under.number).ok()?.checked_sub(1);
        match index.and_then(|index| self.changes.get(index)) {
            None => Some(format!(
                "no change of this board has the number {}",
                under.number
            )),
            Some(recorded) if !matches!(recorded.change.effect, Effect::Written(_)) => {
                Some(format!("change {} is not a written rule", under.number))
            }
            Some(_) => self.finish(under).err(),
        }
    }

    fn why_answer_first(&self, pending: &Pending) -> String {
        let what = match pending {
            Pending::Rule(change) => change.to_string(),
            Pending::Turn(under) => under.to_string(),
        };
        format!(
            "{} first answers `{what}`: `accept` or `reject`",
            self.board.side.other().white_or_black()
        )
    }

    fn why_not_move(&self, movement: Move) -> Option<String> {
        let Move {
            from,
            to,
            promotion,
        } = movement;
        let side = self.board.side;
        let Some(piece) = self.board.piece(from) else {
            return Some(format!("there is no piece on {from}"));
        };
        if piece.side != side {
            return Some(format!(
                "the {} on {from} is the other side's",
                piece.kind.name()
            ));
        }
        let actions = self.actions();
        let same = |action: &&Action| action.from == from && action.to == to;
        if actions.iter().any(|action| Move::from(*action) == movement) {
            return None;
        }
        if actions.iter().any(|action| same(&action)) {
            return Some(match promotion {
                Some(_) if piece.kind != Kind::Pawn => "only pawns promote".to_owned(),
                Some(kind) if board::last_rank(side) & to.bit() != 0 => format!(
                    "pawns do not promote to {}s; {}",
                    kind.name(),
                    self.must_promote(from, to)
                ),
                Some(_) => "a pawn promotes on its last rank only".to_owned(),
                None => self.must_promote(from, to),
            });
        }
        let action = self.board.action(&self.rules, from, to, promotion)?;
        if action.special == Special::Castle {
            return Some(self.why_not_castle(to));
        }
        if self.board.piece(to).is_some_and(|there| there.side == side) {
            return Some(format!("one of your pieces is on {to}"));
        }
        let reaches = self.board.reach_now(&self.rules, from) & to.bit() != 0;
        if reaches {
            return Some(if self.is_check() {
                "the king would still be in check".to_owned()
            } else {
                "it would leave your king in check".to_owned()
            });
        }
        let how = self.rules.movement(piece.kind).map_or_else(
            || "steps one square".to_owned(),
            |movement| format!("{} ({movement})", movement.words()),
        );
        Some(format!(
            "the {} on {from} cannot go to {to}: it {how}",
            piece.kind.name()
        ))
    }

    fn why_not_castle(&self, to: Square) -> String {
        let side = self.board.side;
        let home = board::king_home(side);
        let rook = Square::new(if to.file() > home.file() { 7 } else { 0 }, home.rank());
        if to.rank() != home.rank() || self.board.castling & rook.bit() == 0 {
            return "castling needs a king and a rook that have not moved".to_owned();
        }
        let way = bits::tables().between[home.index()][rook.index()];
        if way & self.board.occupied() != 0 {
            return "castling needs empty squares between king and rook".to_owned();
        }
        "castling needs a king who is not in check, passes no attacked square and reaches none"
            .to_owned()
    }

    fn next_turn(&mut self) {
        if self.board.side == Side::First {
            self.number = self.number.saturating_add(1);
        }
    }

    /// True if the king of the side that is not to move is safe.
    fn is_sound(&self) -> bool {
        !self.board.in_check(&self.rules, self.board.side.other())
    }

    fn record(&mut self, change: &Change, before: Option<Effect>) {
        let changes = Arc::make_mut(&mut self.changes);
        for earlier in changes.iter_mut() {
            earlier.replaced |= match (&earlier.change.effect, &change.effect) {
                (Effect::Movement(one, _), Effect::Movement(other, _)) => one == other,
                (Effect::Promotion(_), Effect::Promotion(_)) => true,
                _ => false,
            };
        }
        changes.push(Recorded {
            number: u32::try_from(changes.len() + 1).unwrap_or(u32::MAX),
            side: self.board.side,
            turn: self.number,
            change: change.clone(),
            before,
            replaced: false,
        });
        self.quiet = 0;
        self.epoch += 1;
        self.board.passed = None;
    }

    /// Puts a change into force, and passes the turn.
    fn take_effect(&mut self, change: &Change) {
        let before = match &change.effect {
            Effect::Movement(kind, movement) => {
                let before = self.rules.movement(*kind).cloned();
                self.rules = Arc::new(self.rules.with_movement(*kind, movement.clone()));
                before.map(|before| Effect::Movement(*kind, before))
            }
            Effect::Promotion(set) => {
                let before = self.rules.promotions();
                self.rules = Arc::new(self.rules.with_promotions(*set));
                Some(Effect::Promotion(before))
            }
            Effect::Written(_) => None,
        };
        self.record(change, before);
        self.board.side = self.board.side.other();
        self.next_turn();
    }

    fn answer(&mut self, holds: bool) {
        match (self.pending.take(), holds) {
            (Some(Pending::Rule(change)), true) => self.take_effect(&change),
            (Some(Pending::Turn(under)), true) => {
                if let Ok((board, progress)) = self.finish(&under) {
                    self.board = board;
                    self.quiet = if progress { 0 } else { self.quiet + 1 };
                    self.next_turn();
                }
            }
            _ => self.taken_back = true,
        }
    }

    fn make(&mut self, movement: Move) {
        let Move {
            from,
            to,
            promotion,
        } = movement;
        let Some(action) = self.board.action(&self.rules, from, to, promotion) else {
            return;
        };
        let pieces = self.board.occupied().count_ones();
        self.board.play(&self.rules, action);
        let captured = self.board.occupied().count_ones() < pieces;
        self.quiet = if captured || action.kind == Kind::Pawn {
            0
        } else {
            self.quiet + 1
        };
        self.next_turn();
    }
}

impl Rules for Flexichess {
    type Turn = Turn;
    type Key = Key;

    const REPETITIONS: u32 = 5;

    fn setup(variant: &str) -> Option<Self> {
        if !variant.is_empty() {
            return None;
        }
        Self::from_fen(START, Ruleset::ordinary()).ok()
    }

    fn under(self, version: u16) -> Self {
        Self { version, ..self }
    }

    fn to_move(&self) -> Seat {
        match self.pending {
            None => self.board.side.seat(),
            Some(_) => self.board.side.other().seat(),
        }
    }

    /// The legal moves: changes of the rules, turns under a written rule and answers are not listed.
    fn legal(&self) -> Vec<Turn> {
        self.moves().into_iter().map(Turn::Move).collect()
    }

    fn why_illegal(&self, turn: &Turn) -> Option<String> {
        if self.ended || self.outcome().is_some() {
            return Some("the game is over".to_owned());
        }
        match (turn, &self.pending) {
            (Turn::Accept | Turn::Reject, None) => {
                Some("there is nothing that waits for an answer".to_owned())
            }
            (Turn::Accept | Turn::Reject, Some(_)) => None,
            (_, Some(pending)) => Some(self.why_answer_first(pending)),
            (Turn::Move(movement), None) => self.why_not_move(*movement),
            (Turn::Change(change), None) => self.why_not_change(change),
            (Turn::Under(under), None) => self.why_not_under(under),
        }
    }

    fn play_unchecked(&mut self, turn: &Turn) {
        self.taken_back = false;
        match turn {
            Turn::Move(movement) => self.make(*movement),
            Turn::Change(change) => match change.effect {
                Effect::Written(_) => self.pending = Some(Pending::Rule(change.clone())),
                _ => self.take_effect(change),
            },
            Turn::Under(under) => self.pending = Some(Pending::Turn(under.clone())),
            Turn::Accept => self.answer(true),
            Turn::Reject => self.answer(false),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.pending.is_some() || self.ended {
            return None;
        }
        if self.board.count(&self.rules, bits::tables()) > 0 {
            return None;
        }
        Some(if self.is_check() {
            Outcome::win(self.board.side.other(), Reason::Checkmate)
        } else {
            Outcome::draw(Reason::Stalemate)
        })
    }

    fn key(&self) -> Key {
        let mut board = self.board;
        if !board.can_capture_in_passing(&self.rules) {
            board.passed = None;
        }
        Key {
            board,
            epoch: self.epoch,
        }
    }

    fn position(&self) -> String {
        fen::write(&self.board, &self.rules, self.quiet, self.number)
    }

    fn from_position(variant: &str, text: &str) -> Result<Self, NotationError> {
        Self::from_position_with(variant, text, &[])
    }

    fn count_draw(&self) -> Option<Outcome> {
        (self.quiet >= QUIET_LIMIT && self.pending.is_none())
            .then(|| Outcome::draw(Reason::NoProgress))
    }

    fn changing(&self) -> Option<&dyn ChangingRules<Turn = Turn>> {
        Some(self)
    }

    fn steps(&self, turn: &Turn) -> Vec<String> {
        match turn {
            Turn::Move(movement) => [movement.from.to_string(), movement.to.to_string()]
                .into_iter()
                .chain(movement.promotion.map(|kind| format!("={}", kind.letter())))
                .collect(),
            other => vec![other.to_string()],
        }
    }

    fn read(&self, text: &str) -> Result<Turn, TurnError> {
        self.read_turn(text)
    }

    fn perft(&self, depth: u32) -> u64 {
        if self.pending.is_some() || self.ended {
            return u64::from(depth == 0);
        }
        self.board.perft(&self.rules, bits::tables(), depth)
    }
}

impl ChangingRules for Flexichess {
    type Turn = Turn;

    fn from_position_with(
        variant: &str,
        text: &str,
        rules: &[(String, String)],
    ) -> Result<Self, NotationError> {
        if !variant.is_empty() {
            return Err(NotationError::new(
                variant,
                1,
                "nothing: there are no variants",
            ));
        }
        let rules = if rules.is_empty() {
            Ruleset::ordinary()
        } else {
            let list = rules
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_str()));
            Arc::new(Ruleset::from_differences(list)?)
        };
        Self::from_fen(text, rules)
    }

    fn state(&self) -> State {
        State {
            check: self.is_check(),
            rules: self.rules.differences(),
        }
    }

    fn changes(&self) -> Vec<RuleChange> {
        self.changes.iter().map(Recorded::rule_change).collect()
    }

    fn count(&self) -> usize {
        self.changes.len()
    }

    fn answers(&self) -> Vec<Turn> {
        if self.ended || self.pending.is_none() {
            return Vec::new();
        }
        vec![Turn::Accept, Turn::Reject]
    }

    fn waits(&self) -> Option<String> {
        let by = self.board.side.white_or_black();
        let then = format!(
            "You accept it, or dispute it; then it is taken back, and {by} plays another turn."
        );
        Some(match self.pending.as_ref()? {
            // The turn says which.
            Pending::Rule(_) => format!("{by} proposes a rule in words. {then}"),
            Pending::Turn(under) => {
                let number = usize::try_from(under.number).unwrap_or(usize::MAX);
                let rule = number
                    .checked_sub(1)
                    .and_then(|index| self.changes.get(index));
                let text = rule.map_or("", |rule| rule.change.text.as_str());
                format!("{by} plays under rule {number}: “{text}”. {then}")
            }
        })
    }

    fn arises(&self) -> bool {
        self.pending.is_none() && !self.taken_back
    }

    fn claim(&self, times: u32) -> Option<Outcome> {
        if self.pending.is_some() || self.ended {
            None
        } else if times >= REPETITION_CLAIM {
            Some(Outcome::draw(Reason::Repetition))
        } else if self.quiet >= QUIET_CLAIM {
            Some(Outcome::draw(Reason::NoProgress))
        } else {
            None
        }
    }

    fn clause(&self, turn: &Turn) -> String {
        match turn {
            Turn::Move(movement) => format!("played {}", self.san(*movement)),
            Turn::Change(change) => match change.effect {
                Effect::Written(_) => format!("proposed a rule: “{}”", change.text),
                _ => format!("changed a rule: “{}”", change.text),
            },
            Turn::Under(under) => {
                format!("played under rule {}: {}", under.number, under.done())
            }
            Turn::Accept => "accepted it".to_owned(),
            Turn::Reject => "disputed it".to_owned(),
        }
    }
}

impl Evaluate for Flexichess {
    fn estimate(&self) -> i32 {
        self.board.estimate(&self.rules)
    }

    fn loud(&self) -> Vec<Turn> {
        let occupied = self.board.occupied();
        let mut actions = self.actions();
        actions.retain(|action| {
            let promotes = matches!(action.special, Special::Promotion(Kind::Queen));
            let captures = occupied & action.to.bit() != 0 && action.promotion().is_none();
            promotes || (captures && action.special != Special::Castle)
        });
        actions
            .into_iter()
            .map(|action| Turn::Move(action.into()))
            .collect()
    }
}

impl OtherNotation for Flexichess {
    /// SAN, and numbered squares.
    fn also(&self, turn: &Turn) -> Vec<String> {
        match turn {
            Turn::Move(movement) => vec![self.san(*movement), Self::numbered(*movement)],
            _ => Vec::new(),
        }
    }
}
