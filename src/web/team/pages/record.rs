use actix_web::web::Path;
use askama::Template;

use crate::app::team::TeamView;
use crate::app::{AppError, NotAllowed};
use crate::texts;
use crate::texts::team::duties_in_words;
use crate::texts::team::{headline, how, side_word};
use crate::web::answer::{self, Answer, Failure};
use crate::web::fields::Fields;
use crate::web::pager::Pager;
use crate::web::request::RequestContext;
use crate::web::rulebook::changes::{ON_A_PAGE, RuleChange, list};
use crate::web::rulebook::pictures::Pictures;
use crate::web::team::context::{TeamContext, TeamRequest};
use crate::web::team::labels::Person;
use crate::web::team::parts::result::may_take;
use perplex_games::board::{Render as _, View, flexichess};
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::record::Changed;
use perplex_games::rules::{ChangingRules, Side};
use perplex_matches::team::event::{EventKind, MemberId};
use perplex_matches::team::record::Record;
use perplex_matches::team::{Happened, Logged, side_name};

fn written(request: &RequestContext, view: &TeamView) -> Record {
    let state = &view.state;
    let time = texts::team::limit(state.terms.seconds);
    let name = |actor| texts::team::actor_name(view, actor);
    let mut record = Record::new(state, &view.rights, name, duties_in_words, view.log())
        .with("match", &format!("{}/team/{}", request.app.url, view.id))
        .with("title", &view.title)
        .with("host", texts::person(&view.host))
        .with("time", &time)
        .with("made", &state.created.to_string());
    for (name, moment) in [("started", state.started), ("ended", state.ended)] {
        if let Some(moment) = moment {
            record = record.with(name, &moment.to_string());
        }
    }
    record
}

async fn whole(request: &TeamRequest) -> Result<TeamView, Failure> {
    let view = request.view(None).await?;
    if may_take(&view) {
        Ok(view)
    } else {
        Err(AppError::Forbidden(NotAllowed::RecordNotYet).into())
    }
}

pub async fn file(request: TeamRequest, path: Path<(String, String)>) -> Answer {
    let (id, form) = path.into_inner();
    let view = whole(&request).await?;
    let record = written(&request, &view);
    let (kind, text) = match form.as_str() {
        "json" => ("application/json", record.json()),
        _ => ("text/plain; charset=utf-8", record.to_string()),
    };
    let name = format!("perplexichess-{id}.{form}");
    Ok(answer::file(kind, &name, "private, no-store", text))
}

struct Turn {
    number: usize,
    text: String,
    who: String,
}

struct BoardSheet {
    board: BoardNo,
    how: String,
    picture: String,
    counted: [u32; 2],
    changes: String,
    turns: Vec<Turn>,
}

struct Deeds {
    person: Person,
    team: String,
    duties: String,
    turns: usize,
    changes: usize,
    transfers: usize,
}

struct Entry {
    number: i32,
    text: String,
    when: String,
}

#[derive(Template)]
#[template(path = "team/record.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    glyphs: String,
    headline: String,
    terms: Vec<String>,
    started: Option<String>,
    finished: Option<String>,
    boards: Vec<BoardSheet>,
    transfers: Vec<Entry>,
    others: Vec<Entry>,
    deeds: Vec<Deeds>,
    /// Of the changes of the rules, on every board.
    pager: Pager,
}

/// True for a turn on board `number` itself: no transfer, and no end of the match.
fn is_turn_on(logged: &Logged, number: BoardNo) -> bool {
    matches!(logged.event.kind, EventKind::Line(_))
        && !logged.happened.is_transfer()
        && logged.boards == [number]
}

/// A turn in the notation of its board's sheet.
fn turn_text(happened: &Happened) -> String {
    match happened {
        Happened::Moved { san, .. } => san.clone(),
        Happened::RuleChanged(_, change) | Happened::RuleProposed(_, change) => change.to_string(),
        Happened::PlayedUnder(_, under) => under.to_string(),
        Happened::Answered { accepted: true, .. } => "accept".to_owned(),
        Happened::Answered { .. } => "reject".to_owned(),
        Happened::Drawn { .. } => "draw".to_owned(),
        Happened::Resigned(_, None) => "resign".to_owned(),
        Happened::Resigned(_, Some(side)) => format!("resign {}", side_name(*side)),
        _ => String::new(),
    }
}

fn sheet(
    context: TeamContext,
    number: BoardNo,
    board: &Board,
    (pager, pictures): (&Pager, &mut Pictures),
) -> Result<BoardSheet, Failure> {
    let view = context.view;
    let events: Vec<&Logged> = view
        .log()
        .filter(|logged| is_turn_on(logged, number) && view.state.is_in_force(logged))
        .collect();
    let position = board.position();
    let all = ChangingRules::changes(position)
        .into_iter()
        .zip(position.changes())
        .zip(view.state.changes_made(number));
    let changes: Vec<RuleChange> = pager
        .cut(all)
        .map(|((change, recorded), made)| {
            let (by, at) = (made.event.by, made.event.at);
            let is_it = |logged: &&Logged| logged.event.number == made.event.number;
            let ply = events.iter().position(is_it).map_or(0, |index| index + 1);
            let changed = Changed {
                change,
                ply,
                by: Some(texts::team::actor_name(view, by)),
                at: Some(at.to_string()),
            };
            RuleChange::of(
                recorded,
                changed,
                context.request.during(at, view.state.started),
                pictures,
            )
        })
        .collect();
    let title = texts::team::board_in_words(number, &flexichess::in_words(board.position()));
    Ok(BoardSheet {
        board: number,
        how: how(board),
        picture: board.position().diagram(board.last()).svg(&View {
            title: &title,
            coordinates: true,
            brief: true,
            ..View::default()
        }),
        counted: [Side::First, Side::Second].map(|side| board.position().count(side)),
        changes: list(&changes)?,
        turns: events
            .iter()
            .enumerate()
            .map(|(index, logged)| Turn {
                number: index + 1,
                text: turn_text(&logged.happened),
                who: texts::team::actor_name(view, logged.event.by),
            })
            .collect(),
    })
}

fn deeds(context: TeamContext) -> Vec<Deeds> {
    let view = context.view;
    let state = &view.state;
    let activity = state.activity();
    // Members who never were in a team did nothing.
    let team_of = |id: MemberId| state.members.get(&id).and_then(|member| member.team);
    state
        .members
        .keys()
        .filter_map(|id| Some((*id, team_of(*id)?)))
        .map(|(id, side)| {
            let done = activity.get(&id).copied().unwrap_or_default();
            let left = state.members.get(&id).is_some_and(|m| m.left.is_some());
            let duties = &state.team(side).duties;
            let told = view.rights.teams[side.index()];
            let known = if told {
                duties.of(id)
            } else {
                duties.public().of(id)
            };
            Deeds {
                person: Person::new(context, id),
                team: side_word(side).to_owned(),
                duties: if left {
                    "left".to_owned()
                } else if told || !known.is_empty() {
                    duties_in_words(&known)
                } else {
                    String::new()
                },
                turns: done.turns,
                changes: done.changes,
                transfers: done.transfers,
            }
        })
        .collect()
}

pub async fn page(request: TeamRequest, fields: Fields) -> Answer {
    let view = whole(&request).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let state = &view.state;
    let request = &request;
    let told = |logged: &Logged| Entry {
        number: view.number(logged.event.number),
        text: texts::team::sentence(&view, logged),
        when: request.during(logged.event.at, state.started),
    };
    let mut pictures = Pictures::default();
    let longest = state.boards.iter();
    let longest = longest.map(|(_, board)| board.position().changes().len());
    let address = format!("/team/{}/record", view.id);
    let pager = Pager::of(&fields, address, longest.max().unwrap_or(0), ON_A_PAGE);
    let page = Page {
        request,
        context,
        glyphs: flexichess::glyphs(),
        headline: headline(&view),
        terms: texts::team::terms(&state.terms, texts::team::leader(view.leader())),
        started: state.started.map(|at| request.dated(at)),
        finished: state.ended.map(|at| request.dated(at)),
        boards: state
            .boards
            .iter()
            .map(|(number, board)| sheet(context, number, board, (&pager, &mut pictures)))
            .collect::<Result<_, Failure>>()?,
        transfers: view
            .log()
            .filter(|logged| logged.happened.is_transfer() && state.is_in_force(logged))
            .map(told)
            .collect(),
        others: view
            .log()
            // Votes stay secret for ever.
            .filter(|logged| match logged.event.kind {
                EventKind::Vote(_) => false,
                EventKind::TakeBack(_) => true,
                _ => logged.boards.is_empty(),
            })
            .map(told)
            .collect(),
        deeds: deeds(context),
        pager,
    };
    request.page(&page)
}
