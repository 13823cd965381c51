use actix_web::HttpResponse;
use actix_web::http::header;
use serde::Serialize;

use crate::app::team::TeamView;
use crate::app::team::presence::Attendance;
use crate::app::{AppError, NotAllowed};
use crate::texts::team::reason_here;
use crate::web::answer::{Answer, Failure};
use crate::web::fields::Fields;
use crate::web::team::context::{AskedBoard, TeamContext, TeamRequest};
use crate::web::team::parts;
use crate::web::team::parts::status::stopped;
use crate::web::team::selection::{Selection, read_piece};
use perplex_matches::team::Kind;

async fn part(
    request: &TeamRequest,
    fields: &Fields,
    render: impl FnOnce(TeamContext) -> Result<String, Failure>,
) -> Answer {
    let view = request.view(None).await?;
    request.fragment(render(TeamContext::now(request, &view, fields))?)
}

pub async fn board(request: TeamRequest, AskedBoard(number): AskedBoard, fields: Fields) -> Answer {
    part(&request, &fields, |context| {
        let selection = Selection::of(context);
        let mut html = parts::board::render(context, &selection, number)?;
        if selection.main == number && !context.is_show() {
            html += &parts::panel::render(context, &selection)?.html;
        }
        Ok(html)
    })
    .await
}

pub async fn log(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let html = parts::status::status(context, &view)? + &stopped(context, &view)?;
    let html = html + &parts::answers::render(context)? + &parts::cards::render(context)?;
    request.fragment(html + &parts::log::render(context, &view).await?)
}

pub async fn transfer(request: TeamRequest, fields: Fields) -> Answer {
    part(&request, &fields, |context| {
        parts::transfer::render(context, &Selection::of(context))
    })
    .await
}

#[derive(Serialize)]
struct Receivers {
    kind: Option<char>,
    boards: Vec<(u8, Option<String>)>,
}

/// The boards that can receive a piece, for the grand strategist who is about to take it.
pub async fn receivers(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let Some(side) = view.rights.side.filter(|_| view.rights.command) else {
        return Err(AppError::Forbidden(NotAllowed::Transfer).into());
    };
    let found = read_piece(fields.get("take"))
        .and_then(|(from, square)| view.state.receivers(side, from, square));
    let (kind, boards) = found.unzip();
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(Receivers {
            kind: kind.map(Kind::letter),
            boards: boards
                .unwrap_or_default()
                .into_iter()
                .map(|(number, why_not)| (number.0, why_not.map(|why| reason_here(number, &why))))
                .collect(),
        }))
}

pub async fn people(request: TeamRequest, fields: Fields) -> Answer {
    part(&request, &fields, |context| {
        Ok(parts::people::render(context)? + &parts::hand::render(context)?)
    })
    .await
}

pub async fn door(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    if view.lesson.is_none() || !view.rights.lead {
        return Err(AppError::NotFound.into());
    }
    let context = TeamContext::now(&request, &view, &fields);
    request.fragment(parts::door::render(context)?)
}

pub async fn talk(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let mut html = parts::talk::render(context).await? + &parts::called::render(context).await?;
    // Messages to the reader stand in the list of news.
    if parts::log::shows_news(context) {
        html += &parts::log::render(context, &view).await?;
    }
    request.fragment(html)
}

pub async fn gathering(request: TeamRequest, fields: Fields) -> Answer {
    part(&request, &fields, parts::gathering::render).await
}

pub async fn result(request: TeamRequest, fields: Fields) -> Answer {
    part(&request, &fields, parts::result::render).await
}

pub async fn projector_result(request: TeamRequest, fields: Fields) -> Answer {
    part(&request, &fields, parts::result::render_projected).await
}

pub async fn projector_lobby(request: TeamRequest, fields: Fields) -> Answer {
    part(&request, &fields, parts::entrance::render_lobby).await
}

pub async fn projector_bar(request: TeamRequest, fields: Fields) -> Answer {
    part(&request, &fields, |context| {
        let html = parts::projector::status(context)? + &stopped(context, context.view)?;
        Ok(html + &parts::cards::render_for_wall(context)?)
    })
    .await
}

pub async fn projector_talk(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    request.fragment(parts::projector::talk(context).await?)
}

pub async fn attended(request: &TeamRequest) -> Result<(TeamView, Attendance), Failure> {
    let app = &request.app;
    Ok(app.attended_team(&request.access, &request.id).await?)
}

pub async fn led(request: &TeamRequest) -> Result<TeamView, Failure> {
    let view = request.view(None).await?;
    if view.rights.order {
        Ok(view)
    } else {
        Err(AppError::NotFound.into())
    }
}

pub async fn control_bar(request: TeamRequest, fields: Fields) -> Answer {
    let view = led(&request).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let html = parts::control::status(context)? + &stopped(context, &view)?;
    let said = parts::said::render(context, None)?;
    request.fragment(html + &said + &parts::cards::render(context)?)
}

/// The people, fetched again: also at intervals, since no event says that a member goes.
pub async fn control_people(request: TeamRequest, fields: Fields) -> Answer {
    let (view, there) = attended(&request).await?;
    let context = TeamContext::now(&request, &view, &fields);
    request.fragment(parts::control::people_table(context, &there)?)
}

pub async fn control_board(
    request: TeamRequest,
    AskedBoard(number): AskedBoard,
    fields: Fields,
) -> Answer {
    let view = led(&request).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let html = parts::control::board(context, &Selection::of(context), number)?;
    request.fragment(html)
}

pub async fn control_talk(request: TeamRequest, fields: Fields) -> Answer {
    let view = led(&request).await?;
    let context = TeamContext::now(&request, &view, &fields);
    request.fragment(parts::talk::render(context).await? + &parts::called::render(context).await?)
}
