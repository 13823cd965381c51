//! Cards of messages that are to the viewer. They wait behind the cards of what happened.

use askama::Template;

use crate::app::team::{Call, To};
use crate::texts::news::{Announcement, called};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::parts::talk::open;
use perplex_matches::team::announce::KEPT;

/// A message, with the words that tell it.
struct Told {
    channel: i32,
    number: i32,
    words: Announcement,
}

#[derive(Template)]
#[template(path = "team/parts/called.html")]
struct Called<'a> {
    context: TeamContext<'a>,
    heads: String,
    /// Those of the channel that was written in last, the latest first.
    shown: Vec<Told>,
    /// The number of those before.
    behind: usize,
    /// The address where the latest is answered.
    answer: String,
    /// True if the teacher wrote one of them to everybody.
    is_urgent: bool,
    /// True if they stand in the channel that is open on the page.
    is_open: bool,
}

/// The part of the page; empty if no message waits, and while an earlier moment is looked at.
pub async fn render(context: TeamContext<'_>) -> Result<String, Failure> {
    let (view, request) = (context.view, context.request);
    let calls = match context.at {
        None => request.app.team_calls(view, false).await?,
        Some(_) => Vec::new(),
    };
    let count = calls.len();
    let told = |call: &Call| Told {
        channel: call.channel,
        number: call.message.number,
        words: called(view, call),
    };
    // Those of other channels wait behind: each card is answered in its channel.
    let newest = calls.last().map(|call| call.channel);
    let together = calls.iter().filter(|call| Some(call.channel) == newest);
    let shown: Vec<&Call> = together.rev().take(KEPT).collect();
    let is_urgent = shown.iter().any(|call| call.to == To::All);
    let shown: Vec<Told> = shown.into_iter().map(told).collect();
    let html = Called {
        context,
        heads: view.heads().talk(),
        is_urgent,
        behind: count.saturating_sub(shown.len()),
        answer: shown
            .first()
            .map_or_else(String::new, |told| address(context, told.channel)),
        is_open: {
            let open = open(context).map(|channel| channel.number);
            newest.is_some() && newest == open
        },
        shown,
    };
    Ok(html.render()?)
}

/// The address of the page with this channel open.
pub fn address(context: TeamContext, channel: i32) -> String {
    let channel = channel.to_string();
    format!("{}#talk", context.address_beside(&[("channel", &channel)]))
}
