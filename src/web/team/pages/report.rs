//! The report of a match for its host: its result, the written changes, each member's deeds. A page of one to three
//! printed sheets, and a table as CSV.

use std::fmt::Display;

use askama::Template;

use crate::app::team::TeamView;
use crate::texts;
use crate::web::answer::Answer;
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::rulebook::pictures::movement_picture;
use crate::web::table;
use crate::web::team::context::{TeamContext, TeamRequest};
use crate::web::team::parts::emblem;
use crate::web::team::parts::result::last_picture;

use crate::texts::capital;
use crate::texts::team::{headline, how, side_word};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Effect;
use perplex_matches::classroom::report::{Deeds, Report};
use perplex_matches::classroom::roster;
use perplex_matches::team::event::Duty;

struct BoardRow {
    number: u8,
    picture: String,
    how: String,
    counted: [u32; 2],
    side: &'static str,
}

struct Changed {
    /// How the kind moves by it; empty for other changes.
    picture: String,
    board: u8,
    number: u32,
    text: String,
    then: String,
    who: String,
    when: String,
    replaced: bool,
}

struct MemberRow {
    name: String,
    team: String,
    duties: String,
    deeds: Deeds,
    /// The share of the busiest member's number, in tenths.
    tenths: u32,
}

impl MemberRow {
    /// What the member did, in the order of the columns of the page and of the table.
    fn counted(&self) -> [u64; 8] {
        let deeds = &self.deeds;
        [
            deeds.turns.into(),
            deeds.captures.into(),
            deeds.changes.into(),
            deeds.transfers.into(),
            deeds.votes.into(),
            deeds.offers.into(),
            deeds.messages.into(),
            deeds.minutes(),
        ]
    }
}

#[derive(Template)]
#[template(path = "team/report.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    headline: String,
    /// The badges and names of White's team and Black's.
    teams: [String; 2],
    terms: Vec<String>,
    started: Option<String>,
    finished: Option<String>,
    played: String,
    boards: Vec<BoardRow>,
    changes: Vec<Changed>,
    transfers: Vec<(String, String)>,
    transferred: [u32; 2],
    lines: Vec<MemberRow>,
}

fn held(deeds: &Deeds) -> String {
    let mut held: Vec<Duty> = deeds.held.clone();
    held.sort_by_key(|duty| match duty {
        Duty::Strategist => 0,
        Duty::Board(board) => board.0,
    });
    texts::team::held(&held, deeds.side, deeds.was_agent)
}

fn lines(view: &TeamView, report: &Report) -> Vec<MemberRow> {
    let most = report
        .people
        .iter()
        .map(Deeds::acts)
        .max()
        .unwrap_or(0)
        .max(1);
    let mut lines: Vec<MemberRow> = report
        .people
        .iter()
        .map(|deeds| MemberRow {
            name: view.name(deeds.member).to_owned(),
            team: deeds
                .side
                .map_or(String::new(), |side| side_word(side).to_owned()),
            duties: held(deeds),
            tenths: (deeds.acts() * 10).div_ceil(most),
            deeds: deeds.clone(),
        })
        .collect();
    lines.sort_by_cached_key(|line| {
        let side = line.deeds.side.map_or(2, Side::index);
        (side, roster::order(&line.name))
    });
    lines
}

pub async fn page(request: TeamRequest, fields: Fields) -> Answer {
    let (view, report) = request.app.report(&request.access, &request.id).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let state = &view.state;
    let request = &request;
    let boards = state
        .boards
        .iter()
        .map(|(number, board)| BoardRow {
            number: number.0,
            picture: last_picture(number, board),
            how: how(board),
            counted: [Side::First, Side::Second].map(|side| board.position().count(side)),
            side: match board.outcome().map(|outcome| outcome.winner) {
                Some(Some(Side::First)) => "first",
                Some(Some(Side::Second)) => "second",
                _ => "drawn",
            },
        })
        .collect();
    let changes = report
        .changes
        .iter()
        .filter_map(|changed| {
            let board = state.boards.board(changed.board)?;
            let mut recorded = board.position().changes().iter();
            let recorded = recorded.find(|recorded| recorded.number == changed.number)?;
            let picture = match &changed.change.effect {
                Effect::Movement(kind, movement) => movement_picture(movement, *kind, Side::First),
                _ => String::new(),
            };
            Some(Changed {
                picture,
                board: changed.board.0,
                number: changed.number,
                text: changed.change.text.clone(),
                then: capital(&changed.change.effect.words().unwrap_or_default()),
                who: changed
                    .made
                    .map_or(String::new(), |(by, _)| view.actor(by).to_owned()),
                when: changed
                    .made
                    .map_or(String::new(), |(_, at)| request.during(at, state.started)),
                replaced: recorded.replaced,
            })
        })
        .collect();
    let stay = state.transfers();
    let page = Page {
        request,
        context,
        headline: headline(&view),
        teams: Side::ALL.map(|side| emblem::shown(context, side)),
        terms: texts::team::terms(&state.terms, texts::team::leader(view.leader())),
        started: state.started.map(|at| request.dated(at)),
        finished: state.ended.map(|at| request.dated(at)),
        played: texts::in_words(report.played),
        boards,
        changes,
        transfers: view
            .log()
            .filter(|logged| stay.contains(&logged.event.number))
            .map(|logged| {
                let text = texts::team::sentence(&view, logged);
                (text, request.during(logged.event.at, state.started))
            })
            .collect(),
        transferred: report.transfers,
        lines: lines(&view, &report),
    };
    request.page(&page)
}

pub async fn csv(request: TeamRequest) -> Answer {
    let (view, report) = request.app.report(&request.access, &request.id).await?;
    let head = format!("{}\r\n", texts::tables::REPORT);
    let lines = lines(&view, &report).into_iter().map(|line| {
        let counted = line.counted();
        let mut cells: Vec<&dyn Display> = vec![&line.name, &line.team, &line.duties];
        cells.extend(counted.iter().map(|number| number as &dyn Display));
        table::line(&cells)
    });
    let lines = std::iter::once(head).chain(lines);
    Ok(table::file(&format!("lesson-{}.csv", request.id), lines))
}
