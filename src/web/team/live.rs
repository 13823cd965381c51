//! The numbers of a team match, for open pages: one stream a page, with numbers only, never the content.

use std::fmt::Write as _;

use actix_web::HttpRequest;

use crate::app::live::Listening;
use crate::app::snapshots::TeamSnapshot;
use crate::app::team::TeamHeads;
use crate::web::answer::{Answer, Failure};
use crate::web::live::{Numbers, Pieces, answer, follow, once};
use crate::web::request::RequestContext;
use crate::web::team::context::TeamRequest;

impl Numbers for TeamRequest {
    type Snapshot = TeamSnapshot;

    fn request(&self) -> &RequestContext {
        &self.request
    }

    async fn now(&self) -> Result<String, Failure> {
        let heads = self.request.app.team_heads(&self.access, &self.id).await?;
        Ok(write(&heads))
    }

    async fn heard(&self, changes: &mut Listening<TeamSnapshot>) -> Result<String, Failure> {
        let app = &self.request.app;
        let heads = app
            .team_heads_heard(&self.access, &self.id, changes)
            .await?;
        Ok(write(&heads))
    }

    async fn touched(&self, shown: &str, now: &str) {
        if let Some(account) = self.access.account.as_ref().filter(|_| shown == now) {
            self.request.app.note_touched(&self.id, account);
        }
    }
}

/// The numbers in the form of a query: `event=12&people=9&talk=9_0.3_1.5&hand=down&b1=12&b2=4`. A part of the page names the
/// one that it depends on.
pub fn write(heads: &TeamHeads) -> String {
    let mut text = format!(
        "event={}&people={}&talk={}",
        heads.event,
        heads.people,
        heads.talk()
    );
    if let Some(up) = heads.hand {
        let _ = write!(text, "&hand={}", hand(up));
    }
    if let Some(door) = heads.door {
        let _ = write!(text, "&door={door}");
    }
    for (board, event) in &heads.boards {
        let _ = write!(text, "&b{board}={event}");
    }
    text
}

/// The word for a hand that is up, or is not.
pub const fn hand(up: bool) -> &'static str {
    if up { "up" } else { "down" }
}

pub async fn heads(request: TeamRequest, http: HttpRequest) -> Answer {
    let listen = || request.app.teams.live.listen(&request.id);
    once(&request, listen, &http).await
}

pub async fn stream(request: TeamRequest, http: HttpRequest) -> Answer {
    let from = request.request.clone();
    Ok(answer(&from, &http, pieces_of(request, "").await?))
}

/// The stream of a match; its numbers come after `name`, if that is not empty.
pub async fn pieces_of(request: TeamRequest, name: &str) -> Result<Pieces, Failure> {
    // Listening begins before reading: no news in between is missed.
    let changes = request.app.teams.live.listen(&request.id);
    follow(request, changes, name).await
}
