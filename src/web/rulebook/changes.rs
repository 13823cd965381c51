use askama::Template;

use crate::texts;
use crate::web::rulebook::pictures::Pictures;
use perplex_games::game::AnyGame;
use perplex_games::record::Changed;
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Effect, Flexichess, Recorded};

/// A change in two pictures with a sentence each, without notation.
#[derive(Template)]
#[template(path = "rulebook/figures.html")]
pub struct Figures {
    before: Option<RuleText>,
    after: Option<RuleText>,
}

struct RuleText {
    betza: String,
    words: String,
    picture: String,
}

impl RuleText {
    fn of(effect: &Effect, side: Side, pictures: &mut Pictures) -> Option<Self> {
        Some(Self {
            betza: effect.notation(),
            words: effect.words()?,
            picture: match effect {
                Effect::Movement(kind, movement) => pictures.movement(movement, *kind, side),
                Effect::Promotion(_) | Effect::Written(_) => String::new(),
            },
        })
    }
}

impl Figures {
    pub fn of(recorded: &Recorded, pictures: &mut Pictures) -> Self {
        let mut told = |effect| RuleText::of(effect, recorded.side, pictures);
        Self {
            before: recorded.before.as_ref().and_then(&mut told),
            after: told(&recorded.change.effect),
        }
    }
}

/// The changes that took effect in a game, as its position keeps them; none in a game whose rules do not change.
pub fn recorded(game: &dyn AnyGame) -> &[Recorded] {
    game.flexichess().map_or(&[], Flexichess::changes)
}

/// Changes on a page: each has two pictures.
pub const ON_A_PAGE: usize = 30;

/// A change on a page that lists them, with who made it and when.
pub struct RuleChange {
    title: String,
    figures: Figures,
    changed: Changed,
    when: String,
}

impl RuleChange {
    pub fn of(
        recorded: &Recorded,
        changed: Changed,
        when: String,
        pictures: &mut Pictures,
    ) -> Self {
        Self {
            title: texts::rulebook::title(&recorded.change.effect),
            figures: Figures::of(recorded, pictures),
            changed,
            when,
        }
    }
}

#[derive(Template)]
#[template(path = "rulebook/changes.html")]
struct RuleChanges<'a> {
    changes: &'a [RuleChange],
}

pub fn list(changes: &[RuleChange]) -> Result<String, askama::Error> {
    RuleChanges { changes }.render()
}
