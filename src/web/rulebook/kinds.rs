use crate::texts;
use crate::web::rulebook::pictures::movement_picture;
use perplex_games::board::flexichess as draw;
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Flexichess, Kind, Square};

pub struct Card {
    pub glyph: &'static str,
    pub name: &'static str,
    pub piece: String,
    pub changed: bool,
    pub words: String,
    pub picture: String,
}

/// The id of what a rulebook says of a kind.
pub fn anchor(kind: Kind) -> String {
    format!("now-{}", draw::glyph_name(kind))
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
            words: movement.words(),
            picture: if rules.is_ordinary(kind) {
                String::new()
            } else {
                movement_picture(movement, kind, Side::First)
            },
        })
    });
    let king = Card {
        glyph: draw::glyph_name(Kind::King),
        name: Kind::King.name(),
        piece: draw::picture(Kind::King),
        changed: false,
        words: texts::rulebook::KING.to_owned(),
        picture: String::new(),
    };
    changeable.chain([king]).collect()
}

/// The squares that each piece could go to, for scripts: `b8:a6,c6 g8:f6,h6`.
pub fn reach(position: &Flexichess) -> String {
    let pieces = Square::all().filter(|square| position.piece(*square).is_some());
    let each = pieces.filter_map(|from| {
        let to = position.reach(from);
        let names: Vec<String> = to.iter().map(Square::to_string).collect();
        (!names.is_empty()).then(|| format!("{from}:{}", names.join(",")))
    });
    each.collect::<Vec<_>>().join(" ")
}
