use actix_web::web::Path;
use askama::Template;

use crate::app::Phase;
use crate::app::team::{ListedTeam, TeamAccess as Who, TeamLists};
use crate::texts;
use crate::web::answer::{Answer, see};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use crate::web::team::terms::{TermsForm, terms};
use perplex_games::perplexichess::Size;
use perplex_matches::id::MatchId;

struct Row {
    address: String,
    id: MatchId,
    title: String,
    state: &'static str,
    boards: u8,
    host: String,
    left: Option<String>,
    updated: String,
    tone: &'static str,
    invited: bool,
}

impl Row {
    fn new(request: &RequestContext, listed: ListedTeam) -> Self {
        let row = listed.of;
        let boards = Size::from_key(&row.variant).map_or(0, Size::boards);
        let tone = match row.phase {
            Phase::Gathering => "waiting",
            Phase::Playing => "theirs",
            Phase::Over => "over",
        };
        Self {
            invited: listed.link.is_some(),
            address: listed.link.unwrap_or_else(|| format!("/team/{}", row.id)),
            title: row.title,
            state: texts::team::listed(row.phase, row.winner),
            boards,
            host: texts::person(&listed.host).to_owned(),
            left: row
                .deadline
                .map(|deadline| texts::left(request.now, deadline)),
            updated: request.when(&row.updated),
            tone,
            id: row.id,
        }
    }
}

#[derive(Template)]
#[template(path = "team/list.html")]
struct Page<'a> {
    request: &'a RequestContext,
    invited: Vec<Row>,
    own: Vec<Row>,
    open: Vec<Row>,
    terms: String,
    fields: &'a Fields,
    problems: &'a Problems,
}

async fn page(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let TeamLists { open, own, invited } = request.app.teams(request.viewer.as_ref()).await?;
    let known: Vec<MatchId> = own.iter().map(|listed| listed.of.id.clone()).collect();
    let rows = |list: Vec<ListedTeam>| -> Vec<Row> {
        list.into_iter()
            .map(|listed| Row::new(request, listed))
            .collect()
    };
    let page = Page {
        request,
        invited: rows(invited),
        own: rows(own),
        open: rows(open)
            .into_iter()
            .filter(|row| !known.contains(&row.id))
            .collect(),
        terms: TermsForm::of_club(fields, problems).render()?,
        fields,
        problems,
    };
    problems.page(request, &page)
}

pub async fn list(request: RequestContext, fields: Fields) -> Answer {
    page(&request, &fields, &Problems::default()).await
}

pub async fn create(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let viewer = request.viewer()?;
    let made = match terms(&fields) {
        Ok(terms) => {
            request
                .app
                .create_team(viewer, fields.get("title"), terms)
                .await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(id) => Ok(see(&format!("/team/{id}"))),
        Err(error) => page(&request, &fields, &Problems::of(error)?).await,
    }
}

pub async fn decline(post: Submission, id: Path<String>) -> Answer {
    let who = Who {
        account: post.request.viewer.clone(),
        ..Who::default()
    };
    let id = MatchId(id.into_inner());
    post.request.app.decline_team(&who, &id).await?;
    Ok(see("/teams"))
}
