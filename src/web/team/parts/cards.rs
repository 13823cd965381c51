//! Cards: what concerns the viewer is shown at once, one after the other, until they put it away.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;

use crate::texts::full_stop;
use crate::texts::news::announcement;
use crate::texts::team::for_projector;
use crate::web::answer::Failure;
use crate::web::rulebook::changes::Figures;
use crate::web::rulebook::pictures::Pictures;
use crate::web::team::context::TeamContext;
use crate::web::team::parts::transfer::Undo;
use perplex_games::rules::flexichess::Recorded;
use perplex_matches::team::announce::{Prominence, is_sent};
use perplex_matches::team::{Happened, Logged, Phase};

/// With more than these a reader gets one card that lists them.
const ONE_BY_ONE: usize = 4;
/// The entries of such a card; the list of news has all.
const LISTED: usize = 6;
/// The time for which the projector shows a card; its style sheet has the same.
const ON_THE_WALL: Duration = Duration::from_secs(10);

struct Card {
    headline: String,
    detail: String,
    /// Pictures of a rule before and after its change; else empty.
    figures: String,
    /// The looks of the card.
    group: &'static str,
}

/// The card in front of a reader, or the reason why there is none.
enum Shown {
    Nothing,
    /// A card, the headlines of earlier ones that are put away with it, and the number of those that wait behind it.
    One(Card, Vec<String>, usize),
    /// A list of headlines, the latest first, of so many events.
    Many(Vec<String>, usize),
}

#[derive(Template)]
#[template(path = "team/parts/cards.html")]
struct Cards<'a> {
    context: TeamContext<'a>,
    seen: i32,
    /// The event up to which cards are put away with this one, by the viewer's numbers.
    event: i32,
    shown: Shown,
    /// The viewer's transfer that the card tells, if it can be undone.
    undo: Option<Undo>,
}

impl Cards<'_> {
    const fn is_empty(&self) -> bool {
        matches!(self.shown, Shown::Nothing)
    }

    /// The address of the list of news; the control panel has none of its own.
    fn news(&self) -> String {
        if self.context.is_control_panel() {
            format!("{}?log=news#log", self.context.request.home())
        } else {
            format!("{}#log", self.context.address_beside(&[("log", "news")]))
        }
    }
}

const fn group(happened: &Happened) -> &'static str {
    match happened {
        Happened::RuleChanged(..)
        | Happened::RuleProposed(..)
        | Happened::PlayedUnder(..)
        | Happened::Answered { .. }
        | Happened::Disputed(_) => "rule",
        Happened::Transferred { .. } => "transfer",
        Happened::DutiesChanged { .. } | Happened::Elected(..) | Happened::TeamChanged { .. } => {
            "duty"
        }
        _ => "other",
    }
}

/// The change of a movement that an event made, if it is still known on its board.
fn recorded<'a>(context: TeamContext<'a>, logged: &Logged) -> Option<&'a Recorded> {
    let Happened::RuleChanged(number, _) = &logged.happened else {
        return None;
    };
    let state = &context.view.state;
    let changes = state.boards.board(*number)?.position().changes();
    let (change, _) = changes
        .iter()
        .zip(state.changes_made(*number))
        .find(|(_, made)| made.event.number == logged.event.number)?;
    Some(change)
}

fn card(context: TeamContext, logged: &Logged) -> Result<Card, Failure> {
    let told = announcement(context.view, logged);
    let figures = recorded(context, logged)
        .map(|recorded| Figures::of(recorded, &mut Pictures::default()).render());
    Ok(Card {
        headline: told.headline,
        detail: told.detail,
        figures: figures.transpose()?.unwrap_or_default(),
        group: group(&logged.happened),
    })
}

/// The part of the page; empty if nothing is to be shown, and while an earlier moment is looked at.
pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let waiting = if context.at.is_none() {
        view.cards()
    } else {
        &[]
    };
    let (last, shown) = match waiting {
        [.., last] if waiting.len() > ONE_BY_ONE && !is_sent(&view.viewer, last) => {
            // What the reader did themselves did not happen while they were away.
            let others = waiting.iter().rev();
            let mut latest: Vec<&Arc<Logged>> = others
                .filter(|logged| !is_sent(&view.viewer, logged))
                .collect();
            let count = latest.len();
            latest.sort_by_key(|logged| !view.is_personal(logged));
            let latest = latest.into_iter().take(LISTED);
            let headlines = latest.map(|logged| announcement(view, logged).headline);
            (Some(last), Shown::Many(headlines.collect(), count))
        }
        _ => {
            // What the reader just did comes first, then what is about them or their board.
            let sent = waiting
                .iter()
                .position(|logged| is_sent(&view.viewer, logged));
            let personal = || waiting.iter().position(|logged| view.is_personal(logged));
            let (earlier, rest) = waiting.split_at(sent.or_else(personal).unwrap_or(0));
            let headlines = earlier[earlier.len().saturating_sub(LISTED)..]
                .iter()
                .map(|logged| announcement(view, logged).headline);
            let shown = match rest {
                [first, behind @ ..] => {
                    Shown::One(card(context, first)?, headlines.collect(), behind.len())
                }
                [] => Shown::Nothing,
            };
            (rest.first(), shown)
        }
    };
    let tells_sent = matches!(shown, Shown::One(..))
        && waiting.iter().any(|logged| is_sent(&view.viewer, logged));
    let cards = Cards {
        context,
        seen: view.last,
        event: last.map_or(0, |logged| view.number(logged.event.number)),
        shown,
        undo: Undo::of(context).filter(|_| tells_sent),
    };
    Ok(cards.render()?)
}

#[derive(Template)]
#[template(path = "team/parts/wall-card.html")]
struct WallCard<'a> {
    context: TeamContext<'a>,
    event: i32,
    card: Option<Card>,
}

/// The card of the projector, for a short time after what it tells; it disappears by itself.
pub fn render_for_wall(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let now = context.request.app.now();
    let is_new = |logged: &&Logged| logged.event.at.until(now) < ON_THE_WALL;
    let told = match view.state.phase {
        // Nothing lies over the result.
        Phase::Over => None,
        _ => view
            .log()
            .rev()
            .take_while(is_new)
            .filter(|logged| view.prominence(logged) == Some(Prominence::Card))
            .find_map(|logged| Some((logged, for_projector(view, logged)?))),
    };
    let shown = told.map(|(logged, detail)| {
        let card = card(context, logged)?;
        let detail = full_stop(&detail);
        Ok::<_, Failure>((logged.event.number, Card { detail, ..card }))
    });
    let (event, card) = shown.transpose()?.unzip();
    let html = WallCard {
        context,
        event: event.map_or(0, |event| view.number(event)),
        card,
    };
    Ok(html.render()?)
}
