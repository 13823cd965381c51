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
use perplex_matches::team::announce::{KEPT, Prominence, is_sent};
use perplex_matches::team::{Happened, Logged, Phase};

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

/// The card in front of a reader.
struct Front {
    card: Card,
    /// The viewer's number of its event.
    number: i32,
    /// Those of the cards that wait behind it.
    behind: Vec<i32>,
    /// The number of events that only the list of news tells.
    others: usize,
    /// Their transfer that it tells, if it can be undone.
    undo: Option<Undo>,
}

#[derive(Template)]
#[template(path = "team/parts/cards.html")]
struct Cards<'a> {
    context: TeamContext<'a>,
    front: Option<Front>,
}

impl Cards<'_> {
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
        Happened::DutiesChanged { .. } | Happened::TeamChanged { .. } => "duty",
        Happened::Elected(..) => "elected",
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
    let number = |logged: &Arc<Logged>| view.number(logged.event.number);
    let front = waiting.split_first().map(|(first, rest)| {
        let behind = &rest[..rest.len().min(KEPT - 1)];
        Ok::<_, Failure>(Front {
            card: card(context, first)?,
            number: number(first),
            behind: behind.iter().map(number).collect(),
            others: rest.len() - behind.len(),
            undo: Undo::of(context).filter(|_| is_sent(&view.viewer, first)),
        })
    });
    let cards = Cards {
        context,
        front: front.transpose()?,
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
