//! The page of a team match, as it stands or as it stood after an event, and what boardmen do on it.

use std::fmt::Write as _;

use actix_web::HttpRequest;
use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::app::teams::TeamView;
use crate::web::answer::{Answer, Failure};
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::team::look::{Look, side_class};
use crate::web::team::{
    TeamContext, TeamRequest, after, boards, desk, gather, help, live, log, people, record, talk,
    transfer,
};
use crate::web::{rulebook, words};
use perplex_games::board::flexichess;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::event::MemberId;
use perplex_matches::team::notice::Waiting;
use perplex_matches::team::record::{boards_in_words, duties_in_words};
use perplex_matches::team::{Command, Phase, Refusal};

/// That everybody is to look up from the screen, while the host has stopped the play. `whole` is the match as it stands,
/// whichever moment is shown.
#[derive(Template)]
#[template(path = "team-eyes.html")]
struct Eyes<'a> {
    context: TeamContext<'a>,
    whole: &'a TeamView,
    /// It leaves the boards in sight: on the wall and for whoever leads, who may want to speak about them.
    band: bool,
}

/// The part that says so, over the boards or above them.
pub fn eyes(context: TeamContext, whole: &TeamView) -> Result<String, Failure> {
    let band = context.is_show() || whole.rights.order;
    let part = Eyes {
        context,
        whole,
        band,
    };
    Ok(part.render()?)
}

/// Where one steps to from the event that is shown.
struct Stepper {
    back: Option<String>,
    first: String,
    forward: Option<String>,
    last: String,
    /// Which of the events this is, and how many there are.
    number: usize,
    of: usize,
}

/// What is left of the time for the match.
pub struct Clock {
    pub seconds: u64,
    pub runs: bool,
    pub text: String,
}

#[derive(Template)]
#[template(path = "team-status.html")]
struct Status<'a> {
    context: TeamContext<'a>,
    whole: &'a TeamView,
    shape: String,
    tone: &'static str,
    headline: String,
    role: String,
    clock: Option<Clock>,
    stepper: Stepper,
    /// What a screen reader is told: the last thing that concerns the viewer.
    announce: String,
}

/// What stands beside the boards, and is nothing to whoever thinks about a rule or a transfer.
const BESIDE: &[(&str, &str, &str)] = &[
    ("log", "Log", "event"),
    ("people", "People", "people"),
    ("talk", "Talk", "talk"),
];

#[derive(Template)]
#[template(path = "team.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    whole: &'a TeamView,
    problems: &'a Problems,
    heads: String,
    glyphs: String,
    status: String,
    eyes: String,
    answers: String,
    look: Look,
    boards: Vec<(BoardNo, String)>,
    help: String,
    panel: String,
    transfer: String,
    log: String,
    result: String,
    people: String,
    talk: String,
    /// What is left out while a rule is being changed or a piece taken, so that the page stays light: name, title, and what number tells
    /// that it is old.
    left_out: &'static [(&'static str, &'static str, &'static str)],
    side: &'static str,
    /// Where the boards are seen all alike, turned the other way, and where a piece is chosen.
    all_alike: String,
    turned_over: String,
}

impl Page<'_> {
    fn large(&self) -> u8 {
        self.look.large.map_or(0, |board| board.0)
    }

    fn is_over(&self) -> bool {
        self.whole.state.phase == Phase::Over
    }

    /// Where the walk-through begins, or where those who only look on read about the game.
    fn help_address(&self) -> String {
        help::address(self.context).unwrap_or_else(|| "/games/perplexichess/card".to_owned())
    }

    fn is_large(&self, board: &BoardNo) -> bool {
        self.look.large == Some(*board)
    }

    fn is_own(&self, board: &BoardNo) -> bool {
        self.look.own.contains(board)
    }
}

/// The address of the match after an event, or as it stands if that is the last.
pub fn address_at(context: TeamContext, whole: &TeamView, number: i32) -> String {
    let base = context.base();
    let query = context.query(&[]);
    if number == whole.last {
        format!("{base}{query}")
    } else {
        format!("{base}/at/{number}{query}")
    }
}

fn stepper(context: TeamContext, whole: &TeamView) -> Stepper {
    let numbers: Vec<i32> = whole.log().map(|logged| logged.event.number).collect();
    let here = context.at.unwrap_or(whole.last);
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
        last: address_at(context, whole, whole.last),
        number,
        of: numbers.len(),
    }
}

/// The clock of the match; nothing without a limit, before the start, and once it is over.
pub fn clock(context: TeamContext) -> Option<Clock> {
    let state = &*context.view.state;
    let left = state.time_left(context.request.now);
    let left = left.filter(|_| state.phase != Phase::Over)?;
    // To the second, rounded up: at nought it is over.
    let seconds = left.as_millis().div_ceil(1000);
    let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let text = match hours {
        0 => format!("{minutes}:{:02}", seconds % 60),
        1..48 => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
        _ => words::left(context.request.now, context.request.now + left),
    };
    Some(Clock {
        seconds,
        runs: state.phase == Phase::Playing && context.at.is_none(),
        text,
    })
}

/// What the match is doing, in a few words.
pub fn headline(view: &TeamView) -> String {
    let state = &*view.state;
    match (state.phase, state.outcome()) {
        (Phase::Gathering, _) => "The match has not begun".to_owned(),
        (Phase::Paused, _) => format!("Paused by the {}", view.host_word()),
        (Phase::Over, None) => format!("The {} called the match off", view.host_word()),
        (Phase::Over, Some(outcome)) => {
            let score = state.boards.score();
            let (white, black) = (score.white, score.black);
            match outcome.winner {
                Some(Side::First) => format!("White won the match, {white} to {black}"),
                Some(Side::Second) => format!("Black won the match, {black} to {white}"),
                None => format!("The match is drawn, {white} to {black}"),
            }
        }
        _ => "The match is being played".to_owned(),
    }
}

/// What the viewer does in the match.
fn role(view: &TeamView, member: MemberId) -> String {
    let state = &*view.state;
    let Some(side) = state.side_of(member) else {
        return "You are in no team yet".to_owned();
    };
    let duties = duties_in_words(&state.team(side).duties.of(member));
    // Whoever plays boards is their boardman.
    let duties = duties.replacen("board", "boardman of board", 1);
    format!("{}: you are {duties}", boards::side_word(side))
}

/// What somebody is to do, in a few words; empty if that is nothing.
fn awaited_in_words(waits: &[Waiting]) -> String {
    let mut kinds = [
        ("your turn on", Vec::new()),
        ("your answer on", Vec::new()),
        ("a draw is offered on", Vec::new()),
        ("you decide on", Vec::new()),
    ];
    for waiting in waits {
        let (kind, board) = match waiting {
            Waiting::Turn(board) => (0, board),
            Waiting::Answer(board) => (1, board),
            Waiting::Offer(board) => (2, board),
            Waiting::Dispute(board) => (3, board),
        };
        kinds[kind].1.push(board.to_string());
    }
    let clauses: Vec<String> = kinds
        .into_iter()
        .filter(|(_, boards)| !boards.is_empty())
        .map(|(what, boards)| format!("{what} {}", boards_in_words(&boards)))
        .collect();
    boards::capital(&clauses.join("; "))
}

/// What stands above the boards. `whole` is the match as it stands, whichever moment is shown.
pub fn status(context: TeamContext, whole: &TeamView) -> Result<String, Failure> {
    let view = context.view;
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
    // What waits now, whichever moment is shown.
    let waits = awaited_in_words(&boards::waits(TeamContext {
        view: whole,
        at: None,
        ..context
    }));
    let (tone, headline) = match (state.phase, &*waits) {
        (Phase::Paused, _) => ("paused", headline(whole)),
        (Phase::Over, _) => ("over", headline(whole)),
        (Phase::Playing, waits) if !waits.is_empty() => ("yours", waits.to_owned()),
        // Whoever takes part reads there what for.
        (Phase::Playing, _) if rights.side.is_some() => ("theirs", String::new()),
        _ => ("theirs", headline(whole)),
    };
    let concerns = |boards: &[BoardNo]| {
        rights.play.is_empty()
            || boards.is_empty()
            || boards.iter().any(|board| rights.play.contains(board))
    };
    let last = view.log().rev().find(|logged| concerns(&logged.boards));
    let mut announce = last.map_or(String::new(), |logged| {
        format!("{}.", log::sentence(view, logged))
    });
    if tone == "yours" {
        let _ = write!(announce, " {headline}.");
    }
    let part = Status {
        context,
        whole,
        shape,
        tone,
        headline,
        role: whole
            .viewer
            .member
            .filter(|_| rights.side.is_some())
            .map_or(String::new(), |member| role(whole, member)),
        clock: clock(context),
        stepper: stepper(context, whole),
        announce,
    };
    Ok(part.render()?)
}

/// The page. `whole` is the match as it stands, whichever moment is shown.
async fn render(context: TeamContext<'_>, whole: &TeamView) -> Answer {
    let view = context.view;
    if context.is_desk() {
        return desk::render(context).await;
    }
    let never_began = whole.state.phase == Phase::Gathering || whole.state.was_called_off();
    if never_began && context.at.is_none() {
        return gather::render(context).await;
    }
    let look = Look::of(context);
    let turned = (boards::turned(context) + 2) % 4;
    let (panel, is_editing) = boards::panel(context, &look)?;
    // One thing at a time: both come with much to click on.
    let is_brief = is_editing || look.taking.is_some();
    let page = Page {
        request: context.request,
        context,
        whole,
        problems: context.problems,
        heads: live::write(&whole.heads()),
        glyphs: flexichess::glyphs(),
        status: status(context, whole)?,
        eyes: eyes(context, whole)?,
        answers: boards::answers(context)?,
        boards: look
            .order
            .iter()
            .map(|number| Ok((*number, boards::render(context, &look, *number)?)))
            .collect::<Result<_, Failure>>()?,
        help: help::render(context, is_brief)?,
        panel,
        transfer: transfer::render(context, &look)?,
        log: if is_brief {
            String::new()
        } else {
            log::render(context, whole)?
        },
        result: record::render(context)?,
        people: if is_brief {
            String::new()
        } else {
            people::render(context)?
        },
        talk: if is_brief {
            String::new()
        } else {
            talk::render(context).await?
        },
        left_out: if is_brief { BESIDE } else { &[] },
        side: view.rights.side.map_or("", side_class),
        all_alike: context.address(&[("board", "0")]),
        turned_over: context.address(&[("turned", &turned.to_string())]),
        look,
    };
    context.problems.page(context.request, &page)
}

/// The match as it stands.
pub async fn now(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    render(TeamContext::now(&request, &view, &fields), &view).await
}

/// The whole match as it stood after an event.
pub async fn at(request: TeamRequest, path: Path<(String, i32)>, fields: Fields) -> Answer {
    let (_, at) = path.into_inner();
    let whole = request.view(None).await?;
    let view = request.view(Some(at)).await?;
    let context = TeamContext {
        at: Some(at),
        ..TeamContext::now(&request, &view, &fields)
    };
    render(context, &whole).await
}

/// The page with a form that was refused.
pub async fn refused(request: &TeamRequest, fields: &Fields, error: AppError) -> Answer {
    let view = request.view(None).await?;
    let late = match &error {
        AppError::RefusedInTeam(Refusal::Changed(board), _) if !fields.has("take") => {
            let event = fields.get("event").parse().unwrap_or(i32::MAX);
            log::since(&view, &[*board], event)
        }
        AppError::RefusedInTeam(Refusal::Changed(_) | Refusal::Line(_), _)
            if fields.has("take") =>
        {
            transfer::too_late(&view, fields)
        }
        _ => Vec::new(),
    };
    let typed = match &error {
        AppError::RefusedInTeam(Refusal::Line(_), _) => {
            let otherwise = if fields.has("turn") { "turn" } else { "" };
            rulebook::fields::field(fields).unwrap_or(otherwise)
        }
        _ => "",
    };
    let mut problems = Problems::of(error)?;
    for (field, text) in &mut problems.fields {
        if field.is_empty() {
            *field = typed;
        }
        if !late.is_empty() {
            *text = format!("{text} Meanwhile: {}", late.join(" "));
        }
    }
    let context = TeamContext {
        problems: &problems,
        ..TeamContext::now(request, &view, fields)
    };
    render(context, &view).await
}

/// One board, fetched again; with its panel if it is the one that is looked at.
pub async fn board(request: TeamRequest, http: HttpRequest, fields: Fields) -> Answer {
    let number = http.match_info().get("board").and_then(|n| n.parse().ok());
    let number = BoardNo(number.ok_or(AppError::NotFound)?);
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let look = Look::of(context);
    let mut html = boards::render(context, &look, number)?;
    if look.main == number && !context.is_show() {
        html += &boards::panel(context, &look)?.0;
    }
    request.fragment(html)
}

/// Does something on a board and answers with the page.
async fn act(
    request: &TeamRequest,
    post: &Post,
    query: &Fields,
    command: Result<Command, AppError>,
) -> Answer {
    let result = match command {
        Ok(command) => {
            let app = &request.app;
            let acted = app.act_in_team(&request.access, &request.id, command).await;
            acted.map(|_| ())
        }
        Err(error) => Err(error),
    };
    after(request, &post.fields, query, result).await
}

/// Makes a turn on a board, or answers what waits there.
pub async fn turn(
    request: TeamRequest,
    post: Post,
    path: Path<(String, u8)>,
    query: Fields,
) -> Answer {
    let board = BoardNo(path.1);
    let fields = &post.fields;
    let command = match fields.get("turn") {
        "dispute" => Command::Dispute(board),
        turn => Command::Play {
            board,
            // A page that does not say what it saw has seen nothing.
            seen: fields.get("ply").parse().unwrap_or(u32::MAX),
            turn: rulebook::fields::turn(fields).unwrap_or_else(|| turn.to_owned()),
        },
    };
    act(&request, &post, &query, Ok(command)).await
}

/// Offers, claims, accepts or declines a draw.
pub async fn draw(
    request: TeamRequest,
    post: Post,
    path: Path<(String, u8)>,
    query: Fields,
) -> Answer {
    let board = BoardNo(path.1);
    let command = match post.fields.get("do") {
        "offer" => Ok(Command::Offer(board)),
        "accept" => Ok(Command::AcceptDraw(board)),
        "decline" => Ok(Command::Decline(board)),
        _ => Err(AppError::NotFound),
    };
    act(&request, &post, &query, command).await
}

/// Gives up a board.
pub async fn resign(
    request: TeamRequest,
    post: Post,
    path: Path<(String, u8)>,
    query: Fields,
) -> Answer {
    let command = Command::Resign(BoardNo(path.1));
    act(&request, &post, &query, Ok(command)).await
}
