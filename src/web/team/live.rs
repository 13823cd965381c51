//! The numbers of a team match, for open pages: one stream a page, which says only what is new, never what
//! it is.

use std::fmt::Write as _;

use actix_web::HttpRequest;

use super::Coming;
use crate::app::live::Listening;
use crate::app::snapshots::TeamSnapshot;
use crate::app::teams::TeamHeads;
use crate::web::live::{Numbers, follow, once};
use crate::web::{Answer, Failure};

impl Numbers for Coming {
    type Snapshot = TeamSnapshot;

    async fn now(&self) -> Result<String, Failure> {
        let heads = self.visit.app.team_heads(&self.who, &self.id).await?;
        Ok(write(&heads))
    }

    async fn heard(&self, changes: &mut Listening<TeamSnapshot>) -> Result<String, Failure> {
        let app = &self.visit.app;
        let heads = app.team_heads_heard(&self.who, &self.id, changes).await?;
        Ok(write(&heads))
    }
}

/// How the numbers are written, as the query of an address is: `event=12&people=9&talk=9_0.3_1.5&b1=12&b2=4`. A part
/// of the page names the one that it stands for.
pub fn write(heads: &TeamHeads) -> String {
    let mut text = format!(
        "event={}&people={}&talk={}",
        heads.event,
        heads.people,
        talk(heads)
    );
    for (board, event) in &heads.boards {
        let _ = write!(text, "&b{board}={event}");
    }
    text
}

/// What stands for all the talk that a viewer may read, and for the people to talk with.
pub fn talk(heads: &TeamHeads) -> String {
    let mut text = heads.people.to_string();
    for (channel, head) in &heads.talk {
        let _ = write!(text, "_{channel}.{head}");
    }
    text
}

/// The numbers, once: for browsers whose streams do not get through.
pub async fn heads(coming: Coming, request: HttpRequest) -> Answer {
    let listen = || coming.visit.app.teams.live.listen(&coming.id);
    once(&coming, listen, &request).await
}

/// A stream of the numbers.
pub async fn stream(coming: Coming, request: HttpRequest) -> Answer {
    // Listening begins before looking: what comes in between is not missed.
    let changes = coming.visit.app.teams.live.listen(&coming.id);
    follow(coming, changes, &request).await
}
