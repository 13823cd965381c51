//! The page of a team match, as it stands or as it stood after an event, and turns on its boards.

use actix_web::web::Path;
use askama::Template;

use super::{Coming, Scene, after, boards, live, people, talk};
use crate::app::AppError;
use crate::perplexichess::Command;
use crate::perplexichess::boards::BoardNo;
use crate::web::problems::Problems;
use crate::web::visit::{Fields, Post, Visit};
use crate::web::{Answer, Failure};

#[derive(Template)]
#[template(path = "team.html")]
struct Page<'a> {
    visit: &'a Visit,
    scene: Scene<'a>,
    heads: String,
    boards: Vec<String>,
    people: String,
    talk: String,
}

/// The page.
async fn render(scene: Scene<'_>) -> Answer {
    let view = scene.view;
    let page = Page {
        visit: scene.visit(),
        scene,
        heads: live::write(&view.heads()),
        boards: view
            .state
            .boards
            .numbers()
            .map(|number| boards::render(scene, number))
            .collect::<Result<_, Failure>>()?,
        people: people::render(scene)?,
        talk: talk::render(scene).await?,
    };
    scene.problems.page(scene.visit(), &page)
}

/// The match as it stands.
pub async fn now(coming: Coming, fields: Fields) -> Answer {
    let view = coming.view(None).await?;
    render(Scene {
        coming: &coming,
        view: &view,
        fields: &fields,
        problems: &Problems::default(),
        at: None,
    })
    .await
}

/// The whole match as it stood after an event.
pub async fn at(coming: Coming, path: Path<(String, i32)>, fields: Fields) -> Answer {
    let (_, at) = path.into_inner();
    let view = coming.view(Some(at)).await?;
    render(Scene {
        coming: &coming,
        view: &view,
        fields: &fields,
        problems: &Problems::default(),
        at: Some(at),
    })
    .await
}

/// The page with a form that was refused.
pub async fn refused(coming: &Coming, fields: &Fields, error: AppError) -> Answer {
    let problems = Problems::of(error)?;
    let view = coming.view(None).await?;
    render(Scene {
        coming,
        view: &view,
        fields,
        problems: &problems,
        at: None,
    })
    .await
}

/// One board, fetched again.
pub async fn board(coming: Coming, path: Path<(String, u8)>, fields: Fields) -> Answer {
    let (_, number) = path.into_inner();
    let view = coming.view(None).await?;
    let html = boards::render(
        Scene {
            coming: &coming,
            view: &view,
            fields: &fields,
            problems: &Problems::default(),
            at: None,
        },
        BoardNo(number),
    )?;
    coming.visit.fragment(html)
}

/// Makes a turn on a board.
pub async fn turn(coming: Coming, post: Post, path: Path<(String, u8)>, query: Fields) -> Answer {
    let (_, board) = path.into_inner();
    let fields = &post.fields;
    let command = Command::Play {
        board: BoardNo(board),
        // A page that does not say what it saw has seen nothing.
        seen: fields.get("ply").parse().unwrap_or(u32::MAX),
        turn: fields.get("turn").to_owned(),
    };
    let app = &coming.visit.app;
    let result = app.act_in_team(&coming.who, &coming.id, command).await;
    after(&coming, fields, &query, result.map(|_| ())).await
}
