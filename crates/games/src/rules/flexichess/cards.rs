//! Rule cards: changes of the rules with a name, ready to be played.
//!
//! `card lazy-rook` is read wherever a turn is written, and stands for the change that the card says. The record keeps
//! the change, not the card: cards may be reworded without touching any match. The deck is ours; what may be changed at
//! all is what "Perplexichess rules", superpublius, allow.

use std::sync::LazyLock;

use super::{Change, Effect, Flexichess, Kind, Ruleset, Turn};
use crate::rules::{NotationError, Rules as _, TurnError};

/// A change of the rules with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleCard {
    /// The word for it in a turn, which is its name in small letters with hyphens: `lazy-rook`.
    pub id: &'static str,
    /// The name that players read: "Lazy rook".
    pub name: &'static str,
    /// The kind that it is about; the pawn if it is about promotion.
    pub kind: Kind,
    /// The new movement in Betza's notation, or `=` and the kinds to which pawns promote: `R3`, `=NB`.
    pub rule: &'static str,
    /// The change in one sentence, which is its text in the record.
    pub text: &'static str,
    /// A moment in a game when it helps.
    pub idea: &'static str,
    /// True for the few cards that beginners get.
    pub starter: bool,
}

/// The rule cards that players are offered. Any change may be made without a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deck {
    /// Every card, those of the class or of the host too: `all`.
    All,
    /// The few for beginners: `starter`.
    Starter,
    /// Those of the class or of the host alone: `own`.
    Own,
    /// No card: `none`.
    None,
}

impl Deck {
    /// Every choice, the usual one first.
    pub const CHOICES: [Self; 4] = [Self::All, Self::Starter, Self::Own, Self::None];

    /// The word that journals and forms use.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Starter => "starter",
            Self::Own => "own",
            Self::None => "none",
        }
    }

    /// The choice called `key`.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::CHOICES.into_iter().find(|deck| deck.key() == key)
    }

    /// True if the cards of a class or of a host are among them.
    #[must_use]
    pub const fn has_own(self) -> bool {
        matches!(self, Self::All | Self::Own)
    }

    /// The cards of the ordinary deck, in their order.
    pub fn cards(self) -> impl Iterator<Item = &'static RuleCard> {
        CARDS.iter().filter(move |card| match self {
            Self::All => true,
            Self::Starter => card.starter,
            Self::Own | Self::None => false,
        })
    }
}

/// All rule cards, by the kind that they are about; those about promotion are the last.
pub const CARDS: &[RuleCard] = &[
    RuleCard {
        id: "sideways-pawn",
        name: "Sideways pawn",
        kind: Kind::Pawn,
        rule: "fsmWfceFifmnD",
        text: "Pawns may also step one square to the left or right, but not capture there.",
        idea: "When your pawns are stuck nose to nose with the other side's.",
        starter: true,
    },
    RuleCard {
        id: "pawn-in-reverse",
        name: "Pawn in reverse",
        kind: Kind::Pawn,
        rule: "fbmWfceFifmnD",
        text: "Pawns may also step one square back, but not capture there.",
        idea: "When one of your pawns has run too far ahead.",
        starter: false,
    },
    RuleCard {
        id: "flying-start",
        name: "Flying start",
        kind: Kind::Pawn,
        rule: "fmWfceFifmR3",
        text: "From their starting row, pawns may go up to three squares.",
        idea: "When the game has just begun and you want space in a hurry.",
        starter: false,
    },
    RuleCard {
        id: "patient-pawn",
        name: "Patient pawn",
        kind: Kind::Pawn,
        rule: "fmWfceF",
        text: "Pawns go one square at a time, even on their first move.",
        idea: "When your pawns are already out and the other side's are still at home.",
        starter: false,
    },
    RuleCard {
        id: "topsy-turvy-pawn",
        name: "Topsy-turvy pawn",
        kind: Kind::Pawn,
        rule: "fmFfceWifmnA",
        text: "Pawns move diagonally forward and capture straight ahead.",
        idea: "When all the pawns are blocked and nothing moves any more.",
        starter: false,
    },
    RuleCard {
        id: "battering-ram",
        name: "Battering ram",
        kind: Kind::Pawn,
        rule: "fWfceFifmnD",
        text: "Pawns may also capture straight ahead.",
        idea: "When a piece stands right in front of your pawn and feels safe there.",
        starter: false,
    },
    RuleCard {
        id: "pawn-with-elbows",
        name: "Pawn with elbows",
        kind: Kind::Pawn,
        rule: "fmWfceFscWifmnD",
        text: "Pawns may also capture on the square to their left or right.",
        idea: "When something tasty stands right beside your pawn.",
        starter: false,
    },
    RuleCard {
        id: "knight-in-slippers",
        name: "Knight in slippers",
        kind: Kind::Knight,
        rule: "NK",
        text: "Knights may also step one square in any direction.",
        idea: "When your knight stands right next to the piece it wants.",
        starter: true,
    },
    RuleCard {
        id: "kangaroo-knight",
        name: "Kangaroo knight",
        kind: Kind::Knight,
        rule: "NAD",
        text: "Knights may also jump two squares straight or diagonally.",
        idea: "When your knight needs to land where knights never land.",
        starter: false,
    },
    RuleCard {
        id: "galloping-knight",
        name: "Galloping knight",
        kind: Kind::Knight,
        rule: "NN",
        text: "Knights may keep jumping the same way until something stops them.",
        idea: "When the board is nearly empty and your knights feel slow.",
        starter: false,
    },
    RuleCard {
        id: "knight-on-a-camel",
        name: "Knight on a camel",
        kind: Kind::Knight,
        rule: "C",
        text: "Knights jump three squares straight and one to the side, instead of two and one.",
        idea: "When a knight attacks two of your pieces at once.",
        starter: false,
    },
    RuleCard {
        id: "fearless-knight",
        name: "Fearless knight",
        kind: Kind::Knight,
        rule: "fhN",
        text: "Knights only jump forward, never back.",
        idea: "When a knight deep in your half is looking for a way home.",
        starter: false,
    },
    RuleCard {
        id: "jumping-bishop",
        name: "Jumping bishop",
        kind: Kind::Bishop,
        rule: "BpB",
        text: "Bishops may also jump over one piece and go on behind it.",
        idea: "When your bishops are locked in behind your own pawns.",
        starter: true,
    },
    RuleCard {
        id: "two-tone-bishop",
        name: "Two-tone bishop",
        kind: Kind::Bishop,
        rule: "BW",
        text: "Bishops may also step one square straight, onto the other colour.",
        idea: "When everything worth capturing stands on the other colour.",
        starter: true,
    },
    RuleCard {
        id: "sleepy-bishop",
        name: "Sleepy bishop",
        kind: Kind::Bishop,
        rule: "B2",
        text: "Bishops go two squares at most.",
        idea: "When a bishop is aiming at you from far away.",
        starter: false,
    },
    RuleCard {
        id: "bishop-with-a-tailwind",
        name: "Bishop with a tailwind",
        kind: Kind::Bishop,
        rule: "fBbF",
        text: "Bishops go forward as far as they like, but back only one square.",
        idea: "When your bishops are all set to charge.",
        starter: false,
    },
    RuleCard {
        id: "bishop-in-big-boots",
        name: "Bishop in big boots",
        kind: Kind::Bishop,
        rule: "R",
        text: "Bishops move straight, like rooks.",
        idea: "When your bishops have nowhere to go but the files are open.",
        starter: false,
    },
    RuleCard {
        id: "lazy-rook",
        name: "Lazy rook",
        kind: Kind::Rook,
        rule: "R3",
        text: "Rooks go three squares at most.",
        idea: "When a rook looks down a long open file at your king.",
        starter: true,
    },
    RuleCard {
        id: "dragon-rook",
        name: "Dragon rook",
        kind: Kind::Rook,
        rule: "RF",
        text: "Rooks may also step one square diagonally.",
        idea: "When your rook touches corners with the piece it wants.",
        starter: true,
    },
    RuleCard {
        id: "cannon-rook",
        name: "Cannon rook",
        kind: Kind::Rook,
        rule: "mRcpR",
        text: "Rooks move as usual, but capture only by jumping over one piece.",
        idea: "When a rook attacks you and nothing stands in between.",
        starter: false,
    },
    RuleCard {
        id: "stubborn-rook",
        name: "Stubborn rook",
        kind: Kind::Rook,
        rule: "fsR",
        text: "Rooks go forward and sideways, but never back.",
        idea: "When a rook has broken into your half and should not get out again.",
        starter: false,
    },
    RuleCard {
        id: "rook-on-stilts",
        name: "Rook on stilts",
        kind: Kind::Rook,
        rule: "RD",
        text: "Rooks may also jump two squares straight, over anything.",
        idea: "When your rook is still boxed in in its corner.",
        starter: false,
    },
    RuleCard {
        id: "queen-on-horseback",
        name: "Queen on horseback",
        kind: Kind::Queen,
        rule: "QN",
        text: "Queens may also jump like a knight.",
        idea: "When your queen is close to the other side's king.",
        starter: true,
    },
    RuleCard {
        id: "queen-in-heavy-robes",
        name: "Queen in heavy robes",
        kind: Kind::Queen,
        rule: "Q2",
        text: "Queens go two squares at most.",
        idea: "When a queen attacks you from right across the board.",
        starter: false,
    },
    RuleCard {
        id: "old-time-queen",
        name: "Old-time queen",
        kind: Kind::Queen,
        rule: "F",
        text: "Queens step just one square diagonally, as they did a thousand years ago.",
        idea: "When the other side still has its queen and yours is gone.",
        starter: false,
    },
    RuleCard {
        id: "grasshopper-queen",
        name: "Grasshopper queen",
        kind: Kind::Queen,
        rule: "gQ",
        text: "Queens move only by hopping over one piece and landing right behind it.",
        idea: "When you want everyone to start thinking all over again.",
        starter: false,
    },
    RuleCard {
        id: "peaceful-queen",
        name: "Peaceful queen",
        kind: Kind::Queen,
        rule: "mQ",
        text: "Queens move as usual, but never capture.",
        idea: "When a queen is eating its way through your pieces.",
        starter: false,
    },
    RuleCard {
        id: "one-queen-is-enough",
        name: "One queen is enough",
        kind: Kind::Pawn,
        rule: "=RBN",
        text: "Pawns promote to rooks, bishops or knights, but not to queens.",
        idea: "When you still have your queen and the other side has lost its own.",
        starter: true,
    },
    RuleCard {
        id: "small-dreams",
        name: "Small dreams",
        kind: Kind::Pawn,
        rule: "=NB",
        text: "Pawns promote to knights or bishops only.",
        idea: "When the other side's pawns are further ahead than yours.",
        starter: false,
    },
    RuleCard {
        id: "knight-school",
        name: "Knight school",
        kind: Kind::Pawn,
        rule: "=N",
        text: "Pawns promote to knights only.",
        idea: "When a pawn you cannot stop is one step from becoming a queen.",
        starter: false,
    },
];

impl RuleCard {
    /// The card with this name or id. The case of letters, spaces and hyphens do not matter.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let wanted = bare(name);
        CARDS.iter().find(|card| bare(card.id) == wanted)
    }

    /// The card whose change this is, in the card's words.
    #[must_use]
    pub fn of(change: &Change) -> Option<&'static Self> {
        let Change { effect, text } = change;
        CARDS.iter().find(|card| {
            card.text == text && Some(card.kind) == effect.kind() && card.rule == effect.notation()
        })
    }

    /// The turn that it stands for, in canonical notation: `rule R R3 "Rooks go three squares at most."`.
    #[must_use]
    pub fn turn(&self) -> String {
        let kind = self.kind.letter();
        format!("rule {kind} {} \"{}\"", self.rule, self.text)
    }
}

/// The change of a card, and the ordinary rules with it.
type Prepared = (&'static str, Change, Ruleset);

/// What all cards say, read and compiled once: pages ask of each whether it may be played.
static PREPARED: LazyLock<Vec<Prepared>> = LazyLock::new(|| {
    let prepare = |card: &'static RuleCard| {
        let change = Change::read(&card.turn()).ok()?;
        let ordinary = Ruleset::ordinary();
        let rules = match &change.effect {
            Effect::Movement(kind, movement) => ordinary.with_movement(*kind, movement.clone()),
            Effect::Promotion(_) | Effect::Written(_) => ordinary.as_ref().clone(),
        };
        Some((card.id, change, rules))
    };
    CARDS.iter().filter_map(prepare).collect()
});

impl Flexichess {
    /// The reason why a card cannot be played here, as a clause; `None` if it can. It is that of its turn.
    #[must_use]
    pub fn why_not_card(&self, card: &RuleCard) -> Option<String> {
        let found = PREPARED.iter().find(|(id, ..)| *id == card.id);
        let (_, change, rules) = found?;
        if self.pending().is_some() || self.ended || self.outcome().is_some() {
            return self.why_illegal(&Turn::Change(change.clone()));
        }
        self.why_not_effect(&change.effect, |kind, _| {
            self.rules.with_movement_of(kind, rules)
        })
    }
}

impl Change {
    /// Reads a turn that begins with `card`: the change that the card stands for.
    ///
    /// # Errors
    /// There is no such card.
    pub(super) fn read_card(turn: &str) -> Result<Self, TurnError> {
        let name = turn.split_once([' ', '\t']).map_or("", |(_, name)| name);
        let name = name.trim_start();
        let Some(card) = RuleCard::find(name) else {
            let column = turn.chars().count() - name.chars().count() + 1;
            return Err(NotationError::new(turn, column, expected(name)).into());
        };
        Self::read(&card.turn())
    }
}

/// A description of what should stand in the place of `name`, with the nearest card.
fn expected(name: &str) -> String {
    let name = bare(name);
    let nearest = CARDS
        .iter()
        .min_by_key(|card| distance(&name, &bare(card.id)));
    let example = nearest.map_or("", |card| card.id);
    format!("the name of a rule card, such as `{example}` (`perplex cards` lists them all)")
}

fn bare(name: &str) -> String {
    name.chars()
        .filter(|c| !Flexichess::SEPARATORS.contains(c))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The fewest letters to add, leave out or replace that make one text of the other (Levenshtein's distance).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in (1..).zip(one.chars()) {
        let mut corner = row[0];
        row[0] = number;
        for (at, &c) in other.iter().enumerate() {
            let replaced = corner + usize::from(c != letter);
            corner = row[at + 1];
            row[at + 1] = replaced.min(corner + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}
