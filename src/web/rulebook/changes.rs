use askama::Template;

use crate::texts;
use crate::web::rulebook::pictures::Pictures;
use perplex_games::record::Changed;
use perplex_games::rules::betza::Movement;
use perplex_games::rules::flexichess::Kind;

pub struct RuleChange {
    changed: Changed,
    when: String,
    title: String,
    before: Option<RuleText>,
    after: Option<RuleText>,
}

struct RuleText {
    betza: String,
    words: String,
    picture: String,
}

impl RuleChange {
    pub fn of(changed: &Changed, when: String, pictures: &mut Pictures) -> Self {
        let change = &changed.change;
        let kind = Kind::from_letter(change.subject);
        let mut effected = |notation: &str, words: &str| {
            let movement = kind.and_then(|kind| {
                let movement = Movement::parse(notation, kind.mover()).ok()?;
                Some(pictures.movement(&movement, kind, change.side))
            });
            (!words.is_empty()).then(|| RuleText {
                betza: notation.to_owned(),
                words: words.to_owned(),
                picture: movement.unwrap_or_default(),
            })
        };
        Self {
            title: texts::rulebook::title(&change.after, kind),
            before: effected(&change.before, &change.before_words),
            after: effected(&change.after, &change.after_words),
            changed: changed.clone(),
            when,
        }
    }
}

/// A change in two pictures with a sentence each, without notation.
#[derive(Template)]
#[template(path = "rulebook/figures.html")]
struct Figures<'a> {
    change: &'a RuleChange,
}

impl RuleChange {
    pub fn figures(&self) -> Result<String, askama::Error> {
        Figures { change: self }.render()
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
