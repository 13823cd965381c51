use askama::Template;

use crate::app::team::TeamView;
use crate::texts;
use crate::web::answer::Failure;
use crate::web::team::context::{TeamContext, address_at};

use crate::web::team::labels::side_class;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::{Happened, Logged};

const SHOWN: usize = 12;
/// Between the key of a filter and the number of skipped entries.
const AFTER: char = '.';

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
    label: String,
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
        "news" => view.prominence(logged).is_some(),
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

/// The part of the page. `whole` is the match in its present state, even if an earlier one is shown.
pub fn render(context: TeamContext, whole: &TeamView) -> Result<String, Failure> {
    let chosen = context.fields.get("log");
    let (filter, passed) = match chosen.split_once(AFTER) {
        Some((filter, passed)) => (filter, passed.parse().unwrap_or(0)),
        None => (chosen, 0),
    };
    let fitting: Vec<&Logged> = whole
        .log()
        .rev()
        .filter(|logged| fits(whole, logged, filter))
        .collect();
    let count = fitting.len();
    let unread: Vec<i32> = whole
        .cards()
        .iter()
        .map(|logged| logged.event.number)
        .collect();
    let entries = fitting
        .into_iter()
        .skip(passed)
        .take(SHOWN)
        .map(|logged| {
            let number = whole.number(logged.event.number);
            Entry {
                text: texts::team::sentence(whole, logged),
                when: context.request.when(&logged.event.at),
                address: address_at(context, whole, number),
                is_here: context.at == Some(number),
                side: side(logged).map_or("", side_class),
                unread: unread.contains(&logged.event.number),
                withdrawn: !whole.state.is_in_force(logged),
            }
        })
        .collect();
    let mut filters = vec![("all", "Everything".to_owned())];
    filters.extend(whole.viewer.member.map(|_| ("news", "News".to_owned())));
    let numbers: Vec<String> = whole
        .rights
        .boards
        .iter()
        .map(|b| b.0.to_string())
        .collect();
    filters.extend(numbers.iter().map(|n| (n.as_str(), format!("Board {n}"))));
    filters.extend([
        ("transfers", "Transfers".to_owned()),
        ("rules", "Rules".to_owned()),
        ("people", "People".to_owned()),
    ]);
    let is_chosen = |word: &str| word == filter || (word == "all" && filter.is_empty());
    let filters = filters
        .into_iter()
        .map(|(word, label)| Filter {
            label,
            address: context.address(&[("log", if word == "all" { "" } else { word })]),
            chosen: is_chosen(word),
        })
        .collect();
    let name = if filter.is_empty() { "all" } else { filter };
    let from = |passed: usize| context.address(&[("log", &format!("{name}{AFTER}{passed}"))]);
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
