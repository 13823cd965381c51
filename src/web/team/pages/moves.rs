//! The present movements: every kind of piece whose movement was changed, on every board that the viewer sees, on one
//! page that can be printed.

use askama::Template;

use crate::texts;
use crate::web::answer::Answer;
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::rulebook::kinds::{Card, cards};
use crate::web::team::context::{TeamContext, TeamRequest};
use perplex_games::board::flexichess;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::flexichess::{Effect, Promotions};

struct Changed {
    number: BoardNo,
    cards: Vec<Card>,
    promotions: Option<String>,
    written: Vec<(u32, String)>,
}

#[derive(Template)]
#[template(path = "team/moves.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    glyphs: String,
    boards: Vec<Changed>,
    plain: String,
}

pub async fn page(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let (mut boards, mut plain) = (Vec::new(), Vec::new());
    let all = view
        .rights
        .boards
        .iter()
        .filter_map(|number| {
            let position = view.state.boards.board(*number)?.position();
            let mut cards = cards(position);
            cards.retain(|card| card.changed);
            let promotions = position.rules().promotions();
            Some(Changed {
                number: *number,
                cards,
                promotions: (promotions != Promotions::ALL).then(|| promotions.to_string()),
                written: position
                    .changes()
                    .iter()
                    .filter(|change| matches!(change.change.effect, Effect::Written(_)))
                    .map(|change| (change.number, change.change.text.clone()))
                    .collect(),
            })
        })
        .collect::<Vec<Changed>>();
    for board in all {
        if board.cards.is_empty() && board.promotions.is_none() && board.written.is_empty() {
            plain.push(board.number.to_string());
        } else {
            boards.push(board);
        }
    }
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    request.page(&Page {
        request: &request,
        context,
        glyphs: flexichess::glyphs(),
        boards,
        plain: texts::list(&plain),
    })
}
