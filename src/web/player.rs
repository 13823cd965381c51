use actix_web::web::Path;
use askama::Template;

use crate::app::correspondence::{Listed, Name, PlayerPage};
use crate::texts::{self, matches};
use crate::web::answer::Answer;
use crate::web::request::RequestContext;
use crate::web::untranslated;
use perplex_matches::correspondence::Phase;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

pub struct Row {
    pub id: MatchId,
    /// The page that it leads to.
    pub address: String,
    pub game: String,
    pub people: Vec<Name>,
    /// As HTML.
    pub state: String,
    pub detail: String,
    pub tone: &'static str,
    pub updated: Time,
    pub unread: bool,
}

impl Row {
    pub fn new(request: &RequestContext, listed: Listed) -> Self {
        let me = request.viewer.as_ref().map(|viewer| viewer.id.clone());
        Self::of(request, listed, me.as_ref())
    }

    fn of(request: &RequestContext, listed: Listed, whose: Option<&AccountId>) -> Self {
        let me = request.viewer.as_ref().map(|viewer| &viewer.id);
        let yours = me.is_some() && listed.to_move.as_ref() == me;
        let mover = listed
            .to_move
            .as_ref()
            .and_then(|id| listed.people.iter().find(|name| name.id == *id));
        let plies = matches::plies(listed.ply);
        let (tone, state) = match listed.phase {
            Phase::Gathering if listed.challenged => ("yours", matches::CHALLENGES_YOU.to_owned()),
            Phase::Gathering => ("waiting", matches::WAITING.to_owned()),
            Phase::Playing if yours => ("yours", matches::your_turn(None).to_owned()),
            Phase::Playing => (
                "theirs",
                mover.map_or_else(String::new, |name| {
                    matches::turn_of(texts::person(name), false)
                }),
            ),
            Phase::Over => (
                "over",
                matches::listed(
                    &listed,
                    me.filter(|me| whose == Some(me))
                        .filter(|me| listed.people.iter().any(|name| name.id == **me)),
                ),
            ),
        };
        let detail = match (listed.phase, listed.deadline) {
            (Phase::Playing, Some(deadline)) => {
                format!("{} left, {plies}", texts::left(request.now, deadline))
            }
            (Phase::Gathering, _) => format!("{} a turn", texts::days(listed.terms.days)),
            _ => plies,
        };
        let names = listed.people.iter().map(texts::person);
        let state = untranslated::named(&state, names);
        Self {
            game: texts::game(&listed.terms),
            people: listed
                .people
                .into_iter()
                .filter(|name| Some(&name.id) != whose)
                .collect(),
            state,
            detail,
            tone,
            updated: listed.updated,
            unread: listed.unread,
            id: listed.id.clone(),
            address: listed
                .invitation
                .unwrap_or_else(|| format!("/match/{}", listed.id)),
        }
    }

    pub fn alone(&self) -> bool {
        self.people.is_empty()
    }
}

#[derive(Template)]
#[template(path = "matches/player.html")]
struct Player<'a> {
    request: &'a RequestContext,
    name: &'a str,
    since: String,
    results: Vec<(String, i64, i64, i64)>,
    playing: Vec<Row>,
    over: Vec<Row>,
    myself: bool,
}

pub async fn player(request: RequestContext, name: Path<String>) -> Answer {
    let PlayerPage {
        name,
        since,
        results,
        playing,
        over,
    } = request.app.player(request.viewer.as_ref(), &name).await?;
    let rows = |listed: Vec<Listed>| {
        listed
            .into_iter()
            .map(|listed| {
                let person = listed
                    .people
                    .iter()
                    .find(|person| person.name.as_ref() == Some(&name));
                let id = person.map(|person| person.id.clone());
                Row::of(&request, listed, id.as_ref())
            })
            .collect()
    };
    request.page(&Player {
        request: &request,
        since: since.utc().format("%B %Y").to_string(),
        results: results
            .into_iter()
            .map(|r| {
                let game = perplex_games::registry::find(&r.game)
                    .map_or(r.game, |e| e.card.name.to_owned());
                (game, r.won, r.lost, r.drawn)
            })
            .collect(),
        playing: rows(playing),
        over: rows(over),
        myself: request
            .viewer
            .as_ref()
            .is_some_and(|viewer| viewer.name == name),
        name: &name,
    })
}
