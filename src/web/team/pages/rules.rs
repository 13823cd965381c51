use askama::Template;

use crate::texts::rulebook::in_short;
use crate::texts::terms::{agents, people};
use crate::web::answer::Answer;
use crate::web::request::RequestContext;
use crate::web::rulebook::pictures::movement_picture;
use crate::web::team::example::{EXAMPLE, Picture, TRANSFER};
use perplex_games::board::flexichess;
use perplex_games::perplexichess::Size;
use perplex_games::rules::Side;
use perplex_games::rules::betza::Movement;
use perplex_games::rules::flexichess::Kind;

struct SizeRow {
    key: &'static str,
    boards: u8,
    people: String,
    agents: String,
}

fn sizes() -> Vec<SizeRow> {
    let row = |size: Size| SizeRow {
        key: size.key(),
        boards: size.boards(),
        people: people(size),
        agents: agents(size),
    };
    Size::ALL.map(row).into()
}

#[derive(Template)]
#[template(path = "team/rules.html")]
struct Page<'a> {
    request: &'a RequestContext,
    sizes: Vec<SizeRow>,
    glyphs: String,
    example: &'static [Picture],
    transfer: &'static str,
}

pub async fn page(request: RequestContext) -> Answer {
    request.page(&Page {
        request: &request,
        sizes: sizes(),
        glyphs: flexichess::glyphs(),
        example: &EXAMPLE,
        transfer: TRANSFER,
    })
}

#[derive(Template)]
#[template(path = "team/rules-card.html")]
struct CardPage<'a> {
    request: &'a RequestContext,
    glyphs: String,
    sizes: Vec<SizeRow>,
    transfer: &'static [Picture],
    knight: String,
    words: String,
    kinds: Vec<(String, &'static str, &'static str)>,
}

pub async fn card(request: RequestContext) -> Answer {
    let knight = Movement::parse("NW", Kind::Knight.mover()).ok();
    let words = knight.as_ref().map(Movement::words).unwrap_or_default();
    let kinds = [
        Kind::King,
        Kind::Queen,
        Kind::Rook,
        Kind::Bishop,
        Kind::Knight,
        Kind::Pawn,
    ];
    request.page(&CardPage {
        request: &request,
        glyphs: flexichess::glyphs(),
        sizes: sizes(),
        transfer: EXAMPLE.get(2..).unwrap_or_default(),
        knight: knight.map_or_else(String::new, |movement| {
            movement_picture(&movement, Kind::Knight, Side::First)
        }),
        words,
        kinds: kinds
            .into_iter()
            .map(|kind| (flexichess::picture(kind), kind.name(), in_short(kind)))
            .collect(),
    })
}
