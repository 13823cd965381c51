//! The record of the changes of the rules, in words.

use askama::Template;

use super::Pictures;
use perplex_games::record::Changed;
use perplex_games::rules::betza::Movement;
use perplex_games::rules::flexichess::Kind;

/// A change of the rules in the record of them.
pub struct Told {
    changed: Changed,
    when: String,
    title: String,
    /// What was in force before it and what is after it: notation, words, a picture.
    before: Option<Effected>,
    after: Option<Effected>,
}

/// One side of a change.
struct Effected {
    betza: String,
    words: String,
    picture: String,
}

impl Told {
    /// With its pictures. `when` is the moment as the visitor writes it.
    pub fn of(changed: &Changed, when: String, pictures: &mut Pictures) -> Self {
        let change = &changed.change;
        let kind = Kind::from_letter(change.subject);
        let mut effected = |notation: &str, words: &str| {
            let movement = kind.and_then(|kind| {
                let movement = Movement::parse(notation, kind.mover()).ok()?;
                Some(pictures.movement(&movement, kind, change.side))
            });
            (!words.is_empty()).then(|| Effected {
                betza: notation.to_owned(),
                words: words.to_owned(),
                picture: movement.unwrap_or_default(),
            })
        };
        let name = kind.map_or("", Kind::name);
        Self {
            title: match (change.after.as_str(), name) {
                ("written", "") => "A rule in words".to_owned(),
                ("written", name) => format!("A rule in words about the {name}"),
                (after, _) if after.starts_with('=') => "What pawns become".to_owned(),
                (_, name) => format!("How the {name} moves"),
            },
            before: effected(&change.before, &change.before_words),
            after: effected(&change.after, &change.after_words),
            changed: changed.clone(),
            when,
        }
    }
}

#[derive(Template)]
#[template(path = "told.html")]
struct AllTold<'a> {
    changes: &'a [Told],
}

/// The record of the changes of a board, each with its effect in words and pictures.
///
/// # Errors
/// The template cannot be filled in.
pub fn told(changes: &[Told]) -> Result<String, askama::Error> {
    AllTold { changes }.render()
}
