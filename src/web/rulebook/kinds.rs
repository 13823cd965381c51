use crate::texts;
use crate::web::rulebook::pictures::movement_picture;
use perplex_games::board::flexichess as draw;
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Flexichess, Kind, Promotions};

pub struct Card {
    pub glyph: &'static str,
    pub name: &'static str,
    pub piece: String,
    pub changed: bool,
    pub betza: String,
    pub words: String,
    pub picture: String,
}

pub fn names(set: Promotions) -> String {
    let names: Vec<&str> = set.kinds().map(Kind::name).collect();
    texts::list(&names)
}

pub fn cards(position: &Flexichess) -> Vec<Card> {
    let rules = position.rules();
    let changeable = Kind::CHANGEABLE.into_iter().filter_map(|kind| {
        let movement = rules.movement(kind)?;
        Some(Card {
            glyph: draw::glyph_name(kind),
            name: kind.name(),
            piece: draw::picture(kind),
            changed: !rules.is_ordinary(kind),
            betza: movement.to_string(),
            words: movement.words(),
            picture: if rules.is_ordinary(kind) {
                String::new()
            } else {
                movement_picture(movement, kind, Side::First)
            },
        })
    });
    changeable.collect()
}
