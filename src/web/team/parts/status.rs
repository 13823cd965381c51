//! The part above the boards: score, clock, the viewer's tasks, and a notice when play is stopped.

use askama::Template;

use crate::app::team::TeamView;
use crate::web::answer::Failure;
use crate::web::team::context::{TeamContext, address_at};

use crate::texts;
use crate::texts::news::{your_duties, your_duties_now};
use crate::texts::team::headline;
use crate::web::team::parts::said;
use crate::web::team::turn::waits;
use perplex_matches::team::Phase;
use perplex_matches::team::event::MemberId;

/// The notice that asks everybody to look up from the screen, while the host has stopped the play. `whole` is the
/// match in its present state, even if an earlier one is shown.
#[derive(Template)]
#[template(path = "team/parts/stopped.html")]
struct Stopped<'a> {
    context: TeamContext<'a>,
    whole: &'a TeamView,
    /// True if it leaves the boards in sight: on the wall, and for hosts, who may want to talk about them.
    band: bool,
    /// True if it lies over everything, and nothing below it can be touched: for pupils.
    covers: bool,
}

pub fn stopped(context: TeamContext, whole: &TeamView) -> Result<String, Failure> {
    let band = context.is_show() || whole.rights.order;
    let part = Stopped {
        context,
        whole,
        band,
        covers: !band && whole.viewer.member.is_some() && whole.has_eyes_up(),
    };
    Ok(part.render()?)
}

struct Stepper {
    back: Option<String>,
    first: String,
    forward: Option<String>,
    last: String,
    number: usize,
    of: usize,
}

pub struct Clock {
    pub seconds: u64,
    pub runs: bool,
    pub text: String,
}

#[derive(Template)]
#[template(path = "team/parts/status.html")]
struct Status<'a> {
    context: TeamContext<'a>,
    whole: &'a TeamView,
    shape: String,
    title: String,
    tone: &'static str,
    headline: String,
    role: String,
    clock: Option<Clock>,
    stepper: Stepper,
    /// The part for screen readers.
    said: String,
}

fn stepper(context: TeamContext, whole: &TeamView) -> Stepper {
    let numbers = whole.log().map(|logged| whole.number(logged.event.number));
    let mut numbers: Vec<i32> = numbers.collect();
    numbers.dedup();
    let here = context.at.unwrap_or(whole.last_number);
    let number = numbers.partition_point(|number| *number <= here);
    let address = |index: usize| {
        numbers
            .get(index)
            .map(|number| address_at(context, whole, *number))
    };
    Stepper {
        back: number.checked_sub(2).and_then(address),
        first: address(0).unwrap_or_default(),
        forward: address(number),
        last: address_at(context, whole, whole.last_number),
        number,
        of: numbers.len(),
    }
}

/// The clock of the match; `None` without a limit, before the start, and once it is over.
pub fn clock(context: TeamContext) -> Option<Clock> {
    let state = &*context.view.state;
    let left = state.time_left(context.request.now);
    let left = left.filter(|_| state.phase != Phase::Over)?;
    // To the second, rounded up: at zero the match is over.
    let seconds = left.as_millis().div_ceil(1000);
    let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let text = match hours {
        0 => format!("{minutes}:{:02}", seconds % 60),
        1..48 => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
        _ => texts::left(context.request.now, context.request.now + left),
    };
    Some(Clock {
        seconds,
        runs: state.phase == Phase::Playing && context.at.is_none(),
        text,
    })
}

fn role(view: &TeamView, member: MemberId) -> String {
    let state = &*view.state;
    let Some(side) = state.side_of(member) else {
        return texts::team::NO_TEAM.to_owned();
    };
    let duties = state.team(side).duties.of(member);
    match state.phase {
        Phase::Playing | Phase::Paused => your_duties_now(&duties, side, |board| {
            let board = state.boards.board(board);
            board.is_some_and(|board| board.outcome().is_some())
        }),
        _ => your_duties(&duties, side),
    }
}

/// The state of the match for the viewer, as the name of its looks, and in words.
fn state_in_words(context: TeamContext, whole: &TeamView) -> (&'static str, String) {
    // The present tasks, even if an earlier state is shown.
    let waits = texts::team::tasks(&waits(TeamContext {
        view: whole,
        at: None,
        ..context
    }));
    match whole.state.phase {
        Phase::Paused => ("paused", headline(whole)),
        Phase::Over => ("over", headline(whole)),
        Phase::Playing if !waits.is_empty() => ("yours", waits),
        // Members read their role there.
        Phase::Playing if whole.rights.side.is_some() => ("theirs", String::new()),
        _ => ("theirs", headline(whole)),
    }
}

/// The title of the page: what waits for the viewer, so that it is seen on the tab while another page is in front.
pub fn title(context: TeamContext, whole: &TeamView) -> String {
    match state_in_words(context, whole) {
        ("theirs", _) => format!("{} – Perplexichess", whole.title),
        (_, state) => format!("{state} – {}", whole.title),
    }
}

/// The part above the boards. `whole` is the match in its present state, even if an earlier one is shown.
pub fn status(context: TeamContext, whole: &TeamView) -> Result<String, Failure> {
    let state = &*whole.state;
    let rights = &whole.rights;
    let playing = rights.play.iter().map(|board| board.0);
    let shape = format!(
        "{:?} {:?} {:?} {} {:?}",
        state.phase,
        rights.side,
        playing.collect::<Vec<_>>(),
        rights.command,
        rights.boards
    );
    let (tone, headline) = state_in_words(context, whole);
    let said = said::render(context, (tone == "yours").then_some(&*headline))?;
    let part = Status {
        context,
        whole,
        shape,
        title: title(context, whole),
        tone,
        headline,
        role: whole
            .viewer
            .member
            .filter(|_| rights.side.is_some())
            .map_or(String::new(), |member| role(whole, member)),
        clock: clock(context),
        stepper: stepper(context, whole),
        said,
    };
    Ok(part.render()?)
}
