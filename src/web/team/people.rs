//! The people of a match: teams, duties, the election.

use askama::Template;

use super::{Coming, Scene};
use crate::web::visit::Fields;
use crate::web::{Answer, Failure};

#[derive(Template)]
#[template(path = "team-people.html")]
struct People<'a> {
    scene: Scene<'a>,
}

/// The part of the page.
pub fn render(scene: Scene) -> Result<String, Failure> {
    Ok(People { scene }.render()?)
}

/// The part, fetched again.
pub async fn fragment(coming: Coming, fields: Fields) -> Answer {
    let view = coming.view(None).await?;
    let html = render(Scene::now(&coming, &view, &fields))?;
    coming.visit.fragment(html)
}
