//! The lobby, where players make and find matches, and the list of the viewer's own.

use askama::Template;

use crate::app::accounts::RefusedMail;
use crate::app::correspondence::{NewMatch, Opponent};
use crate::texts;
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::player::Row;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use perplex_games::player::Level;
use perplex_games::registry::GAMES;
use perplex_games::rules::SeatName;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::correspondence::{MOST_DAYS, Phase};

struct GameOption {
    /// `quixo`, `quixo:four`.
    key: String,
    name: String,
    seats: &'static [SeatName],
}

fn options() -> Vec<GameOption> {
    GAMES
        .iter()
        .flat_map(|entry| {
            entry.card.variants.iter().filter_map(|variant| {
                let is_main = variant.key.is_empty();
                Some(GameOption {
                    key: if is_main {
                        entry.card.key.to_owned()
                    } else {
                        format!("{}:{}", entry.card.key, variant.key)
                    },
                    name: if is_main && entry.card.variants.len() == 1 {
                        entry.card.name.to_owned()
                    } else {
                        format!("{} {}", entry.card.name, variant.name)
                    },
                    seats: entry.setup(variant.key)?.seats(),
                })
            })
        })
        .collect()
}

#[derive(Template)]
#[template(path = "matches/lobby.html")]
struct Lobby<'a> {
    request: &'a RequestContext,
    seeks: Vec<Row>,
    options: Vec<GameOption>,
    fields: &'a Fields,
    problems: &'a Problems,
}

impl Lobby<'_> {
    fn chosen(&self, name: &str, value: &str, otherwise: &str) -> bool {
        let typed = self.fields.get(name);
        let chosen = if typed.is_empty() { otherwise } else { typed };
        chosen == value
    }

    fn day_choices(&self) -> impl Iterator<Item = (u8, String, bool)> {
        let typed = self.fields.get("days").parse().unwrap_or(3);
        (1..=MOST_DAYS).map(move |days| (days, texts::days(days), days == typed))
    }
}

async fn page(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let seeks = request.app.lobby(request.viewer.as_ref()).await?;
    let page = Lobby {
        request,
        seeks: seeks
            .into_iter()
            .map(|seek| Row::new(request, seek))
            .collect(),
        options: options(),
        fields,
        problems,
    };
    problems.page(request, &page)
}

pub async fn lobby(request: RequestContext, fields: Fields) -> Answer {
    page(&request, &fields, &Problems::default()).await
}

pub async fn create(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let viewer = request.viewer()?;
    let (game, variant) = fields
        .get("game")
        .split_once(':')
        .unwrap_or((fields.get("game"), ""));
    let opponent = match fields.get("opponent") {
        "name" => Opponent::Named(fields.get("name").trim().to_owned()),
        "link" => Opponent::ByLink,
        "computer" => Opponent::Computer(fields.get("level").parse().unwrap_or(Level::Medium)),
        "email" => Opponent::ByMail(fields.get("email").trim().to_owned()),
        _ => Opponent::Anyone,
    };
    let wanted = NewMatch {
        terms: Terms {
            game: game.to_owned(),
            variant: variant.to_owned(),
            days: fields.get("days").parse().unwrap_or(0),
            open: opponent == Opponent::Anyone,
        },
        wish: Some(fields.get("side"))
            .filter(|side| !side.is_empty())
            .map(str::to_owned),
        opponent,
    };
    match request.app.create(viewer, wanted).await {
        Ok(id) => Ok(see(&format!("/match/{id}"))),
        Err(error) => page(&request, &fields, &Problems::of(error)?).await,
    }
}

/// Begins a match against the computer: of an account, or of a visitor who has none.
pub async fn play(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let game = fields.get("game");
    let (game, variant) = game.split_once(':').unwrap_or((game, ""));
    let level = fields.get("level").parse().unwrap_or(Level::Easy);
    let app = &request.app;
    let Some(viewer) = request.account() else {
        let begun = app
            .play_as_guest(request.guest(), (game, variant), level, &request.from)
            .await?;
        let mut response = see(&format!("/match/{}", begun.id));
        if let Some(token) = begun.token {
            let _ = response.add_cookie(&request.guest_cookie(&token));
        }
        return Ok(response);
    };
    let wanted = NewMatch::against_computer(game, variant, level);
    let id = app.create(viewer, wanted).await?;
    Ok(see(&format!("/match/{id}")))
}

#[derive(Template)]
#[template(path = "matches/mine.html")]
struct Mine<'a> {
    request: &'a RequestContext,
    turns: Vec<Row>,
    challenges: Vec<Row>,
    theirs: Vec<Row>,
    waiting: Vec<Row>,
    over: Vec<Row>,
    /// True if a class is offered to the viewer.
    offered: bool,
    refused: Option<RefusedMail>,
    done: Option<&'static str>,
}

impl Mine<'_> {
    fn nothing(&self) -> bool {
        [
            &self.turns,
            &self.challenges,
            &self.theirs,
            &self.waiting,
            &self.over,
        ]
        .iter()
        .all(|rows| rows.is_empty())
    }
}

pub async fn mine(request: RequestContext, fields: Fields) -> Answer {
    let viewer = request.viewer()?;
    let mut mine = request.app.mine(viewer).await?;
    // The one with the least time left comes first; of finished ones the one that changed last.
    mine.sort_by_key(|m| (m.deadline.map_or(i64::MAX, |d| d.0), -m.updated.0));
    let mut page = Mine {
        request: &request,
        turns: Vec::new(),
        challenges: Vec::new(),
        theirs: Vec::new(),
        waiting: Vec::new(),
        over: Vec::new(),
        offered: !request.app.class_offers(viewer).await?.is_empty(),
        refused: request.app.refused_mail(viewer).await?,
        done: texts::done(fields.get("done")),
    };
    for listed in mine {
        let list = match listed.phase {
            Phase::Playing if listed.to_move.as_ref() == Some(&viewer.id) => &mut page.turns,
            Phase::Playing => &mut page.theirs,
            Phase::Gathering if listed.challenged => &mut page.challenges,
            Phase::Gathering => &mut page.waiting,
            Phase::Over => &mut page.over,
        };
        list.push(Row::new(&request, listed));
    }
    request.page(&page)
}
