use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::app::correspondence::MatchView;
use crate::texts;
use crate::web::answer::{Answer, file};
use crate::web::fields::Fields;
use crate::web::matches::page::{said, seat_name, title};
use crate::web::pager::Pager;
use crate::web::request::RequestContext;
use crate::web::rulebook;
use crate::web::rulebook::changes::{ON_A_PAGE, RuleChange};
use crate::web::rulebook::pictures::Pictures;
use perplex_games::record::{Changed, Record, pgn, transcript};
use perplex_matches::id::MatchId;

pub async fn record(request: RequestContext, path: Path<(String, String)>) -> Answer {
    let (id, form) = path.into_inner();
    let id = MatchId(id);
    let view = request
        .app
        .load_correspondence_match(request.viewer.as_ref(), &id, None)
        .await?;
    let record = written(&request, &view);
    let (kind, text) = match form.as_str() {
        "json" => ("application/json", record.json()),
        "pgn" => {
            let text = pgn::write(&record, &*view.state.game).ok_or(AppError::NotFound)?;
            ("application/x-chess-pgn; charset=utf-8", text)
        }
        "pijersi.txt" => {
            let text = transcript::write(&record).ok_or(AppError::NotFound)?;
            ("text/plain; charset=utf-8", text)
        }
        _ => ("text/plain; charset=utf-8", record.to_string()),
    };
    let name = format!("perplex-{id}.{form}");
    Ok(file(kind, &name, "private, no-cache", text))
}

fn written(request: &RequestContext, view: &MatchView) -> Record {
    let state = &*view.state;
    let terms = &state.terms;
    let mut record = Record::new(&terms.game, &terms.variant, &*state.game)
        .with("match", &format!("{}/match/{}", request.app.url, view.id))
        .with("made", &state.created.to_string())
        .with("time", &format!("{} a turn", texts::days(terms.days)));
    if state.has_begun() {
        for (seat, name) in state.game.seats().iter().zip(&view.joined) {
            record = record.with(seat.name, texts::person(name));
        }
    }
    record.changes = told_changes(view);
    if let Some(outcome) = state.outcome {
        let result = outcome.winner.map_or("draw".to_owned(), |s| s.to_string());
        record = record
            .with("result", &result)
            .with("reason", &outcome.reason.to_string());
    }
    record
}

fn told_changes(view: &MatchView) -> Vec<Changed> {
    let state = &*view.state;
    let past = state.game.past();
    let all = Changed::of(&*state.game).into_iter();
    all.map(|changed| {
        let index = changed.ply.saturating_sub(1);
        let by = past.get(index).and_then(|past| seat_name(view, past.seat));
        let at = state.turns.get(index).map(|(at, _)| at.to_string());
        Changed {
            by: by.map(|name| texts::person(name).to_owned()),
            at,
            ..changed
        }
    })
    .collect()
}

#[derive(Template)]
#[template(path = "matches/changes.html")]
struct ChangesPage<'a> {
    request: &'a RequestContext,
    view: &'a MatchView,
    game: String,
    title: String,
    changes: String,
    any: bool,
    pager: Pager,
}

pub async fn changes(request: RequestContext, id: Path<String>, fields: Fields) -> Answer {
    let id = MatchId(id.clone());
    let view = request
        .app
        .load_correspondence_match(request.viewer.as_ref(), &id, None)
        .await?;
    let state = &*view.state;
    let mut pictures = Pictures::default();
    let all = rulebook::changes::recorded(&*state.game);
    let address = format!("/match/{}/changes", view.id);
    let pager = Pager::of(&fields, address, all.len(), ON_A_PAGE);
    let changes: Vec<RuleChange> = pager
        .cut(all.iter().zip(told_changes(&view)))
        .map(|(recorded, changed)| {
            let time = state.turns.get(changed.ply.saturating_sub(1));
            let when = time.map(|(at, _)| request.dated(*at));
            RuleChange::of(recorded, changed, when.unwrap_or_default(), &mut pictures)
        })
        .collect();
    request.page(&ChangesPage {
        request: &request,
        game: texts::game(&state.terms),
        title: title(&view),
        any: !changes.is_empty(),
        changes: rulebook::changes::list(&changes)?,
        pager,
        view: &view,
    })
}

#[derive(Template)]
#[template(path = "matches/talk.html")]
struct TalkPage<'a> {
    request: &'a RequestContext,
    view: &'a MatchView,
    game: String,
    title: String,
    said: String,
}

/// Messages of the players that are no longer on the page of the match.
pub async fn talk(request: RequestContext, id: Path<String>, fields: Fields) -> Answer {
    let before = fields.get("before").parse().unwrap_or(i32::MAX);
    let id = MatchId(id.clone());
    let view = request
        .app
        .load_with_talk(request.viewer.as_ref(), &id, None, before)
        .await?;
    if !view.rights.talk {
        return Err(AppError::NotFound.into());
    }
    request.page(&TalkPage {
        request: &request,
        game: texts::game(&view.state.terms),
        title: title(&view),
        said: said(&request, &view)?,
        view: &view,
    })
}
