use actix_web::web::Path;
use askama::Template;

use crate::app::correspondence::MatchView;
use crate::texts;
use crate::web::answer::{Answer, see};
use crate::web::matches::commands::{act, join_command};
use crate::web::matches::page::free_seats;
use crate::web::message::or_no_link;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use perplex_games::board::View;
use perplex_games::rules::SeatName;
use perplex_matches::correspondence::Phase;
use perplex_matches::id::MatchId;

#[derive(Template)]
#[template(path = "matches/invitation.html")]
struct Invitation<'a> {
    request: &'a RequestContext,
    view: &'a MatchView,
    problems: &'a Problems,
    game: String,
    days: String,
    board: String,
    free: Vec<&'static SeatName>,
    /// True if the invitation is the visitor's own.
    declines: bool,
}

async fn invited(request: &RequestContext, id: &str, token: &str, problems: &Problems) -> Answer {
    let id = MatchId(id.to_owned());
    let viewer = request.viewer.as_ref();
    let view = request
        .app
        .load_correspondence_match(viewer, &id, Some(token))
        .await?;
    let joined = viewer.is_some_and(|viewer| {
        view.state
            .joined
            .iter()
            .any(|player| player.account == viewer.id)
    });
    if !problems.any() && (joined || view.state.phase != Phase::Gathering) {
        return Ok(see(&format!("/match/{id}")));
    }
    let own = request.app.invitation_of(viewer, &id, token).await?;
    let game = texts::game(&view.state.terms);
    let page = Invitation {
        request,
        problems,
        days: texts::days(view.state.terms.days),
        board: view.state.game.diagram().svg(&View {
            title: &game,
            defs: true,
            ..View::default()
        }),
        game,
        free: free_seats(&view),
        declines: own.is_some(),
        view: &view,
    };
    problems.page(request, &page)
}

pub async fn invitation(request: RequestContext, path: Path<(String, String)>) -> Answer {
    let (id, token) = path.into_inner();
    let answer = invited(&request, &id, &token, &Problems::default()).await;
    or_no_link(&request, answer)
}

/// Declines the invitation; the account or the mail proves whose it is.
pub async fn decline(post: Submission, path: Path<(String, String)>) -> Answer {
    let (id, token) = path.into_inner();
    let Submission { request, .. } = post;
    let (viewer, id) = (request.viewer.as_ref(), MatchId(id));
    request.app.decline_invitation(viewer, &id, &token).await?;
    let home = if viewer.is_some() { "/matches" } else { "/" };
    Ok(see(&format!("{home}?done=refused")))
}

pub async fn join_by_link(post: Submission, path: Path<(String, String)>) -> Answer {
    let (id, token) = path.into_inner();
    let command = join_command(&post.fields);
    let answer = match act(&post, &id, Some(&token), command, "").await {
        Ok(()) => Ok(see(&format!("/match/{id}"))),
        Err(error) => match Problems::of(error) {
            Ok(problems) => invited(&post.request, &id, &token, &problems).await,
            Err(failure) => Err(failure),
        },
    };
    or_no_link(&post.request, answer)
}
