//! The scene on the landing page: a minute of a match on three boards, played and drawn by the code of every match.
//! The page has one moment of it; `static/scene.js` fetches all of them and goes on.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Path;
use askama::Template;

use crate::secret::hash_token;
use crate::texts;
use crate::texts::scene::{BEFORE, FIRST_SHOWN, STEPS};
use crate::web::rulebook::pictures::movement_picture;
use crate::web::team::turn::diagram;
use perplex_games::board::{Diagram, Render as _, View, flexichess};
use perplex_games::perplexichess::{Board, BoardNo, Boards, Line, Size, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::{Effect, RuleCard, Turn};

/// A rule card that was just played.
#[derive(Clone)]
struct Played {
    card: &'static RuleCard,
    picture: String,
}

/// One moment: the boards that changed, and the words about it.
#[derive(Clone, Default)]
struct Moment {
    boards: Vec<(BoardNo, String)>,
    headline: &'static str,
    detail: &'static str,
    played: Option<Played>,
    /// The piece that changed boards.
    transfer: Option<Transfer>,
}

/// The moments of the scene; the first has all boards as they stood before it.
static MOMENTS: LazyLock<Vec<Moment>> = LazyLock::new(|| play().unwrap_or_default());

/// The board with its last turn; one that has ended, as it stood then, with its kings.
pub fn diagram_to_show(board: &Board) -> Diagram {
    match board.decided() {
        Some(position) => position.diagram(board.last()),
        None => diagram(board),
    }
}

fn drawn(number: BoardNo, board: &Board) -> String {
    diagram_to_show(board).svg(&View {
        title: &texts::team::board(number),
        brief: true,
        ..View::default()
    })
}

/// The boards with these numbers, drawn.
fn all_drawn(
    boards: &Boards,
    numbers: impl IntoIterator<Item = BoardNo>,
) -> Vec<(BoardNo, String)> {
    let drawn = |number| Some((number, drawn(number, boards.board(number)?)));
    numbers.into_iter().filter_map(drawn).collect()
}

/// The rule card that `line` played; `None` for a line that is no change of a movement by card.
fn played(line: &Line) -> Option<Played> {
    let Line::Turn(_, turn) = line else {
        return None;
    };
    let Turn::Change(change) = turn else {
        return None;
    };
    let Effect::Movement(kind, movement) = &change.effect else {
        return None;
    };
    Some(Played {
        card: RuleCard::of(change)?,
        picture: movement_picture(movement, *kind, Side::First),
    })
}

/// Plays the scene; `None` if one of its lines is not possible.
fn play() -> Option<Vec<Moment>> {
    let mut boards = Boards::new(Size::Small);
    for line in BEFORE {
        let line = boards.read(line).ok()?;
        boards.take(&line);
    }
    let mut moments = vec![Moment {
        boards: all_drawn(&boards, boards.numbers()),
        ..Moment::default()
    }];
    for (line, headline, detail) in STEPS {
        let line = boards.read(line).ok()?;
        boards.take(&line);
        moments.push(Moment {
            boards: all_drawn(&boards, line.boards()),
            headline,
            detail,
            played: played(&line),
            transfer: match line {
                Line::Transfer(transfer) => Some(transfer),
                _ => None,
            },
        });
    }
    Some(moments)
}

#[derive(Template)]
#[template(path = "landing/moments.html")]
struct Moments<'a> {
    moments: &'a [Moment],
}

/// All moments as HTML, and the address that they have as long as they stay the same.
static ALL: LazyLock<(String, String)> = LazyLock::new(|| {
    let html = Moments { moments: &MOMENTS }.render().unwrap_or_default();
    let address = format!("/scene/{}", &hash_token(&html)[..12]);
    (html, address)
});

/// All moments, for the script.
pub async fn moments(path: Path<String>) -> HttpResponse {
    let (html, address) = &*ALL;
    // A page of an older version may ask for moments that have changed since.
    let keep = if address.ends_with(path.as_str()) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    HttpResponse::Ok()
        .content_type(header::ContentType::html())
        .insert_header((header::CACHE_CONTROL, keep))
        .body(html.as_str())
}

/// The scene as the page shows it at first, and without scripts.
#[derive(Template)]
#[template(path = "landing/scene.html")]
pub struct Scene {
    glyphs: String,
    moment: Moment,
    /// The number of the moment.
    number: usize,
    /// The address of all moments.
    moments: &'static str,
}

impl Scene {
    pub fn new() -> Self {
        let mut moment = MOMENTS.get(FIRST_SHOWN).cloned().unwrap_or_default();
        let so_far = MOMENTS.iter().take(FIRST_SHOWN + 1);
        let mut boards: Vec<(BoardNo, String)> = Vec::new();
        for (number, picture) in so_far.flat_map(|moment| &moment.boards) {
            boards.retain(|(known, _)| known != number);
            boards.push((*number, picture.clone()));
        }
        boards.sort_by_key(|(number, _)| *number);
        moment.boards = boards;
        Self {
            glyphs: flexichess::glyphs(),
            moment,
            number: FIRST_SHOWN,
            moments: &ALL.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_scene_is_possible() {
        let moments = play().expect("lines that can be played");
        assert_eq!(moments.len(), STEPS.len() + 1);
        assert!(moments[FIRST_SHOWN].played.is_some());
        assert!(moments.iter().any(|moment| moment.transfer.is_some()));
    }
}
