//! One stream for all pages of a browser: it has six connections to a server, and a form needs one, too.

use std::collections::BTreeSet;

use actix_web::HttpRequest;
use actix_web::web::Bytes;
use futures_util::stream::{StreamExt as _, once, select_all};

use crate::web::answer::{Answer, Failure};
use crate::web::fields::Fields;
use crate::web::live::{self, Pieces};
use crate::web::request::RequestContext;
use crate::web::team;
use crate::web::team::context::TeamRequest;
use perplex_matches::id::MatchId;

/// The most pages that share one stream. Others ask.
const MOST: usize = 32;

/// The numbers of the matches in the query, each after the beginning of the addresses of its page: `of=/match/ID`,
/// `of=/team/ID/control`. A match that the visitor may not see, or no longer, is told without numbers.
pub async fn stream(request: RequestContext, http: HttpRequest) -> Answer {
    let query = Fields::of_query(&http);
    // Each once, however often it is asked for.
    let homes: BTreeSet<&str> = query.all("of").take(MOST).collect();
    let mut all = Vec::new();
    for home in homes {
        let end = Bytes::from(format!("data: {home} \n\n"));
        let end = once(async { end });
        all.push(match pieces(&request, home).await {
            Ok(pieces) => pieces.chain(end).boxed_local(),
            Err(_) => end.boxed_local(),
        });
    }
    Ok(live::answer(&request, &http, select_all(all)))
}

async fn pieces(request: &RequestContext, home: &str) -> Result<Pieces, Failure> {
    let request = request.clone();
    if let Some(id) = home.strip_prefix("/match/") {
        return live::pieces_of(request, MatchId(id.to_owned()), home).await;
    }
    let request = TeamRequest::at(request, home)?;
    team::live::pieces_of(request, home).await
}
