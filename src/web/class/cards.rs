use askama::Template;

use crate::app::AppError;
use crate::texts;
use crate::web::answer::{Answer, Failure};
use crate::web::class::place::Place;
use crate::web::fields::Fields;
use crate::web::qr;
use crate::web::request::RequestContext;

const ON_A_SHEET: usize = 10;

struct Card {
    name: String,
    user: String,
    phrase: String,
    code: String,
}

#[derive(Template)]
#[template(path = "class/cards.html")]
struct CardsPage<'a> {
    request: &'a RequestContext,
    class: String,
    place: &'a Place,
    sheets: Vec<Vec<Card>>,
    address: String,
    done: Option<&'static str>,
}

impl CardsPage<'_> {
    fn count(&self) -> usize {
        self.sheets.iter().map(Vec::len).sum()
    }
}

pub async fn page(request: RequestContext, place: Place, fields: Fields) -> Answer {
    let viewer = request.viewer()?;
    let view = request.app.cards(viewer, &place.class).await?;
    let one = fields.get("pupil");
    let mut cards = Vec::new();
    for pupil in view.pupils {
        if !one.is_empty() && pupil.id.0 != one {
            continue;
        }
        let path = request.app.card_link(&pupil.user, &pupil.phrase);
        let label = texts::pages::card_code(&pupil.name);
        cards.push(Card {
            code: qr::svg(&format!("{}{path}", request.app.url), &label),
            name: pupil.name,
            user: pupil.user,
            phrase: pupil.phrase,
        });
    }
    if cards.is_empty() && !one.is_empty() {
        return Err(Failure::App(AppError::NotFound));
    }
    let mut sheets = Vec::new();
    while !cards.is_empty() {
        let rest = cards.split_off(cards.len().min(ON_A_SHEET));
        sheets.push(std::mem::replace(&mut cards, rest));
    }
    request.page(&CardsPage {
        request: &request,
        class: view.class.name,
        place: &place,
        sheets,
        address: request.typed("/sign-in"),
        done: texts::done(fields.get("done")),
    })
}
