//! The registry of games. Above this module nothing names a game.

use crate::board::{Card, Render};
use crate::game::{AnyGame, Game};
use crate::rules::{
    ChangingRules, Evaluate, NotationError, OtherNotation, VERSION, flexichess::Flexichess,
    perplexus::Perplexus, pijersi::Pijersi, pylyx::Pylyx, quixo::Quixo,
};

/// Every game, one line each.
pub static GAMES: &[Entry] = &[
    entry::<Quixo>(),
    entry::<Perplexus>(),
    entry::<Pijersi>(),
    entry::<Pylyx>(),
    changing::<Flexichess>(),
];

/// The game called `key`, such as `quixo`.
#[must_use]
pub fn find(key: &str) -> Option<&'static Entry> {
    GAMES.iter().find(|entry| entry.card.key == key)
}

/// A registered game.
#[derive(Debug)]
pub struct Entry {
    /// Names, credits, variants and the rules page.
    pub card: &'static Card,
    setup: fn(&str, u16) -> Option<Box<dyn AnyGame>>,
    from_position: fn(&str, &str) -> Started,
    from_position_with: Option<StartWith>,
}

/// Variant, position text, rules that differ from those of the start.
type StartWith = fn(&str, &str, &[(String, String)]) -> Started;
type Started = Result<Box<dyn AnyGame>, NotationError>;

impl Entry {
    /// A new game of `variant`; `None` if there is no such variant.
    #[must_use]
    pub fn setup(&self, variant: &str) -> Option<Box<dyn AnyGame>> {
        self.setup_under(variant, VERSION)
    }

    /// The same, under this version of the rules.
    #[must_use]
    pub fn setup_under(&self, variant: &str, version: u16) -> Option<Box<dyn AnyGame>> {
        (self.setup)(variant, version)
    }

    /// A game of `variant` that starts from a position text.
    ///
    /// # Errors
    /// The place in the text that was not understood.
    pub fn from_position(
        &self,
        variant: &str,
        text: &str,
    ) -> Result<Box<dyn AnyGame>, NotationError> {
        // Pasted lines end with a line break.
        (self.from_position)(variant, text.trim_end())
    }

    /// A game of `variant` that starts from a position text with other rules in force; see
    /// [`ChangingRules::from_position_with`].
    ///
    /// # Errors
    /// The place in the text that was not understood; any rule where the rules never change.
    pub fn from_position_with(
        &self,
        variant: &str,
        text: &str,
        rules: &[(String, String)],
    ) -> Result<Box<dyn AnyGame>, NotationError> {
        match (self.from_position_with, rules.first()) {
            (_, None) => self.from_position(variant, text),
            (Some(read), _) => read(variant, text.trim_end(), rules),
            (None, Some((key, _))) => {
                let expected = "left out: the rules of this game never change";
                Err(NotationError::new(key, 1, expected))
            }
        }
    }
}

const fn entry<R: Render + Evaluate + OtherNotation>() -> Entry {
    Entry {
        card: &R::CARD,
        setup: |variant, version| Some(Box::new(Game::under(R::setup(variant)?, version))),
        from_position: |variant, text| Ok(Box::new(Game::new(R::from_position(variant, text)?))),
        from_position_with: None,
    }
}

/// An entry for a game whose rules change.
const fn changing<R: Render + Evaluate + OtherNotation + ChangingRules>() -> Entry {
    Entry {
        from_position_with: Some(|variant, text, rules| {
            let start = R::from_position_with(variant, text, rules)?;
            Ok(Box::new(Game::new(start)))
        }),
        ..entry::<R>()
    }
}
