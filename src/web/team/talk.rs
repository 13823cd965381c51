//! The talk of a match.

use askama::Template;

use super::{Coming, Scene};
use crate::web::visit::Fields;
use crate::web::{Answer, Failure};

#[derive(Template)]
#[template(path = "team-talk.html")]
struct Talk<'a> {
    scene: Scene<'a>,
    heads: String,
}

/// The part of the page.
#[expect(clippy::unused_async, reason = "messages are read from the database")]
pub async fn render(scene: Scene<'_>) -> Result<String, Failure> {
    let heads = super::live::talk(&scene.view.heads());
    Ok(Talk { scene, heads }.render()?)
}

/// The part, fetched again.
pub async fn fragment(coming: Coming, fields: Fields) -> Answer {
    let view = coming.view(None).await?;
    let scene = Scene::now(&coming, &view, &fields);
    coming.visit.fragment(render(scene).await?)
}
