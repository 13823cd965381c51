use askama::Template;

use crate::app::team::{Call, TeamView};
use crate::texts;
use crate::web::answer::Failure;
use crate::web::team::context::{TeamContext, address_at};
use crate::web::team::labels::side_class;
use crate::web::team::parts;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::{Happened, Logged};
use perplex_matches::time::Time;

const SHOWN: usize = 12;
/// Between the key of a filter and the number of skipped entries.
const AFTER: char = '.';
/// The filter that shows what concerns the viewer.
const NEWS: &str = "news";

struct Entry {
    text: String,
    when: String,
    address: String,
    is_here: bool,
    side: &'static str,
    unread: bool,
    withdrawn: bool,
}

struct Filter {
    key: String,
    address: String,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "team/parts/log.html")]
struct Log<'a> {
    context: TeamContext<'a>,
    entries: Vec<Entry>,
    filters: Vec<Filter>,
    seen: i32,
    earlier: Option<String>,
    later: Option<String>,
}

fn fits(view: &TeamView, logged: &Logged, filter: &str) -> bool {
    let happened = &logged.happened;
    match filter {
        NEWS => view.prominence(logged).is_some(),
        "transfers" => happened.is_transfer(),
        "rules" => {
            happened.is_change()
                || matches!(
                    happened,
                    Happened::PlayedUnder(..) | Happened::Answered { .. } | Happened::Disputed(_)
                )
        }
        "people" => happened.is_about_people(),
        number => match number.parse() {
            Ok(board) => logged.boards.contains(&BoardNo(board)),
            Err(_) => true,
        },
    }
}

/// The entry of a message that is to the viewer. It leads to its channel.
fn called(context: TeamContext, whole: &TeamView, call: &Call) -> Entry {
    let told = texts::news::called(whole, call);
    Entry {
        text: format!("{}: {}", told.headline, told.detail),
        when: context.request.when(&call.message.at),
        address: parts::called::address(context, call.channel),
        is_here: false,
        side: "",
        unread: call.waits,
        withdrawn: false,
    }
}

/// The side whose colour marks an entry.
fn side(logged: &Logged) -> Option<Side> {
    match &logged.happened {
        Happened::DutiesChanged { side, .. }
        | Happened::Elected(side, _)
        | Happened::DrawOffered(_, side) => Some(*side),
        Happened::Transferred { transfer, .. } => Some(transfer.side),
        Happened::TakenBack(..) => None,
        happened if !happened.boards().is_empty() => logged.side,
        _ => None,
    }
}

/// The entries that the log shows, and the number of entries that are passed over.
fn chosen(context: TeamContext<'_>) -> (&str, usize) {
    let chosen = context.fields.get("log");
    match chosen.split_once(AFTER) {
        Some((filter, passed)) => (filter, passed.parse().unwrap_or(0)),
        None => (chosen, 0),
    }
}

/// True if the list of news is open.
pub fn shows_news(context: TeamContext) -> bool {
    chosen(context).0 == NEWS
}

/// A line of the log before it is put into words.
enum Line<'a> {
    Event(&'a Logged),
    /// A message that names the viewer; only among the news.
    Call(&'a Call),
}

impl Line<'_> {
    const fn at(&self) -> Time {
        match self {
            Self::Event(logged) => logged.event.at,
            Self::Call(call) => call.message.at,
        }
    }
}

/// The part of the page. `whole` is the match in its present state, even if an earlier one is shown.
pub async fn render(context: TeamContext<'_>, whole: &TeamView) -> Result<String, Failure> {
    let (filter, passed) = chosen(context);
    let request = context.request;
    let calls = if shows_news(context) {
        request.app.team_calls(whole, true).await?
    } else {
        Vec::new()
    };
    let events = whole.log().filter(|logged| fits(whole, logged, filter));
    let mut fitting: Vec<Line> = events.map(Line::Event).collect();
    fitting.extend(calls.iter().map(Line::Call));
    fitting.sort_by_key(Line::at);
    let count = fitting.len();
    let entries = fitting
        .into_iter()
        .rev()
        .skip(passed)
        .take(SHOWN)
        .map(|line| {
            let logged = match line {
                Line::Event(logged) => logged,
                Line::Call(call) => return called(context, whole, call),
            };
            let number = whole.number(logged.event.number);
            Entry {
                text: texts::team::sentence(whole, logged),
                when: context.request.when(&logged.event.at),
                address: address_at(context, whole, number),
                is_here: context.at == Some(number),
                side: side(logged).map_or("", side_class),
                unread: whole.is_unread(logged),
                withdrawn: !whole.state.is_in_force(logged),
            }
        })
        .collect();
    let mut filters = vec!["all".to_owned()];
    if whole.viewer.member.is_some() || whole.viewer.host {
        filters.push(NEWS.to_owned());
    }
    filters.extend(whole.rights.boards.iter().map(|board| board.0.to_string()));
    filters.extend(["transfers", "rules", "people"].map(str::to_owned));
    let is_chosen = |word: &str| word == filter || (word == "all" && filter.is_empty());
    let filters = filters
        .into_iter()
        .map(|key| Filter {
            address: context.address_beside(&[("log", if key == "all" { "" } else { &key })]),
            chosen: is_chosen(&key),
            key,
        })
        .collect();
    let name = if filter.is_empty() { "all" } else { filter };
    let from =
        |passed: usize| context.address_beside(&[("log", &format!("{name}{AFTER}{passed}"))]);
    let log = Log {
        context,
        entries,
        filters,
        seen: whole.last,
        earlier: (passed.saturating_add(SHOWN) < count).then(|| from(passed + SHOWN)),
        later: (passed > 0).then(|| from(passed.saturating_sub(SHOWN))),
    };
    Ok(log.render()?)
}
