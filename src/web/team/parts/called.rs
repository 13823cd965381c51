//! Cards of messages that name the viewer. They wait behind the cards of what happened.

use askama::Template;

use crate::app::team::Call;
use crate::texts::news::{Announcement, called};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::live;
use crate::web::team::parts::talk::open;

/// With more than these a reader gets one card that lists the latest of them.
const ONE_BY_ONE: usize = 4;

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
    /// The latest first if there are many.
    shown: Vec<Told>,
    /// The number of those behind the first.
    behind: usize,
    /// The address where the first is answered.
    answer: String,
    /// True if all stand in the channel that is open on the page.
    is_open: bool,
}

/// The part of the page; empty if no message waits, and while an earlier moment is looked at.
pub async fn render(context: TeamContext<'_>) -> Result<String, Failure> {
    let (view, request) = (context.view, context.request);
    let mut calls = match context.at {
        None => request.app.team_calls(view, false).await?,
        Some(_) => Vec::new(),
    };
    let count = calls.len();
    if count > ONE_BY_ONE {
        calls.reverse();
    }
    let shown = if count > ONE_BY_ONE { ONE_BY_ONE } else { 1 };
    let told = |call: &Call| Told {
        channel: call.channel,
        number: call.message.number,
        words: called(view, call.message.by, &call.message.text),
    };
    let shown: Vec<Told> = calls.iter().take(shown).map(told).collect();
    let html = Called {
        context,
        heads: live::talk(&view.heads()),
        behind: count.saturating_sub(shown.len()),
        answer: shown
            .first()
            .map_or_else(String::new, |told| address(context, told.channel)),
        is_open: {
            let open = open(context).map(|channel| channel.number);
            shown.iter().all(|told| Some(told.channel) == open)
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
