use askama::Template;

use crate::app::team::TeamView;
use crate::web::answer::Failure;
use crate::web::team::context::{TeamContext, address_at};
use crate::web::team::event_text;
use crate::web::team::labels::side_class;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::Logged;
use perplex_matches::team::event::{Actor, EventKind};
use perplex_matches::team::kind::LineKind;

const SHOWN: usize = 12;
/// Between the word of a filter and the number of entries that are skipped.
const AFTER: char = '.';

struct Entry {
    text: String,
    when: String,
    address: String,
    is_here: bool,
    side: &'static str,
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Play,
    Transfer,
    Rule,
    People,
    Match,
}

fn kind(event: &EventKind) -> Kind {
    match (event, event.line_kind()) {
        (_, Some(LineKind::Transfer(_))) => Kind::Transfer,
        (_, Some(LineKind::Time)) => Kind::Match,
        (_, Some(LineKind::Change | LineKind::Under | LineKind::Answer))
        | (EventKind::Dispute(_), _) => Kind::Rule,
        (_, Some(LineKind::Move | LineKind::End))
        | (EventKind::TakeBack(_) | EventKind::Offer(..) | EventKind::Decline(_), _) => Kind::Play,
        (event, None) if event.is_about_people() => Kind::People,
        (_, None) => Kind::Match,
    }
}

fn fits(logged: &Logged, filter: &str) -> bool {
    match filter {
        "transfers" => kind(&logged.event.kind) == Kind::Transfer,
        "rules" => kind(&logged.event.kind) == Kind::Rule,
        "people" => kind(&logged.event.kind) == Kind::People,
        number => match number.parse() {
            Ok(board) => logged.boards.contains(&BoardNo(board)),
            Err(_) => true,
        },
    }
}

fn side(view: &TeamView, logged: &Logged) -> Option<Side> {
    match &logged.event.kind {
        EventKind::Duties(side, _) | EventKind::Elected(side, _) | EventKind::Offer(_, side) => {
            Some(*side)
        }
        EventKind::Line(line) => match (event_text::line_parts(line).0, logged.event.by) {
            ("w", _) => Some(Side::First),
            ("b", _) => Some(Side::Second),
            (_, Actor::Member(member)) => view.state.members.get(&member)?.team,
            _ => None,
        },
        EventKind::Decline(_) | EventKind::Dispute(_) => match logged.event.by {
            Actor::Member(member) => view.state.members.get(&member)?.team,
            _ => None,
        },
        _ => None,
    }
}

/// The part of the page. `whole` is the match as it stands, whichever moment is shown.
pub fn render(context: TeamContext, whole: &TeamView) -> Result<String, Failure> {
    let chosen = context.fields.get("log");
    let (filter, passed) = match chosen.split_once(AFTER) {
        Some((filter, passed)) => (filter, passed.parse().unwrap_or(0)),
        None => (chosen, 0),
    };
    let fitting: Vec<&Logged> = whole
        .log()
        .rev()
        .filter(|logged| fits(logged, filter))
        .collect();
    let count = fitting.len();
    let entries = fitting
        .into_iter()
        .skip(passed)
        .take(SHOWN)
        .map(|logged| {
            let number = whole.number(logged.event.number);
            Entry {
                text: event_text::sentence(whole, logged),
                when: context.request.when(&logged.event.at),
                address: address_at(context, whole, number),
                is_here: context.at == Some(number),
                side: side(whole, logged).map_or("", side_class),
                withdrawn: !whole.state.is_in_force(logged),
            }
        })
        .collect();
    let mut filters = vec![("all", "Everything".to_owned())];
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
