//! Transfers by the grand strategist: what can receive a piece, and the transfer itself.

use actix_web::HttpResponse;
use actix_web::http::header;
use askama::Template;
use serde::Serialize;

use crate::app::AppError;
use crate::app::teams::TeamView;
use crate::web::answer::{Answer, Failure};
use crate::web::fields::Fields;
use crate::web::request::{Post, RequestContext};
use crate::web::team::look::{Look, Taking, read_piece, reason};
use crate::web::team::{TeamContext, TeamRequest, after, log};
use perplex_games::perplexichess::{BoardNo, Line, LineError, Transfer};
use perplex_matches::team::{Command, Kind, Refusal, side_name};

/// The piece that is chosen.
struct Chosen {
    name: &'static str,
    square: String,
    from: BoardNo,
    take: String,
    kind: char,
    /// The boards that can receive it; the others say why they cannot.
    receivers: Vec<BoardNo>,
}

#[derive(Template)]
#[template(path = "team-transfer.html")]
struct Part<'a> {
    request: &'a RequestContext,
    context: TeamContext<'a>,
    /// Whether a piece is to be chosen.
    taking: bool,
    chosen: Option<Chosen>,
    event: i32,
}

/// The part of the page; nothing for whoever transfers nothing.
pub fn render(context: TeamContext, look: &Look) -> Result<String, Failure> {
    let view = context.view;
    if !view.rights.command || context.at.is_some() {
        return Ok(String::new());
    }
    let chosen = match &look.taking {
        Some(Taking::Piece(piece)) => Some(Chosen {
            name: piece.kind.name(),
            square: piece.square.to_string(),
            from: piece.from,
            take: format!("{}-{}", piece.from, piece.square),
            kind: piece.kind.letter(),
            receivers: piece
                .receivers
                .iter()
                .filter(|(_, why_not)| why_not.is_none())
                .map(|(number, _)| *number)
                .collect(),
        }),
        _ => None,
    };
    let part = Part {
        request: context.request,
        context,
        taking: look.taking.is_some(),
        chosen,
        event: view.last,
    };
    Ok(part.render()?)
}

/// The part, fetched again.
pub async fn fragment(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let context = TeamContext::now(&request, &view, &fields);
    let html = render(context, &Look::of(context))?;
    request.fragment(html)
}

/// What the page is told while a piece is dragged.
#[derive(Serialize)]
struct Receivers {
    /// The kind of piece, as the form sends it; nothing if it is no longer there.
    kind: Option<char>,
    /// Each other board, and why it cannot receive the piece.
    boards: Vec<(u8, Option<String>)>,
}

/// Which boards can receive a piece, for the grand strategist who is about to take it.
pub async fn receivers(request: TeamRequest, fields: Fields) -> Answer {
    let view = request.view(None).await?;
    let Some(side) = view.rights.side.filter(|_| view.rights.command) else {
        return Err(AppError::Forbidden("Only the grand strategist transfers pieces.").into());
    };
    let found = read_piece(fields.get("take"))
        .and_then(|(from, square)| view.state.receivers(side, from, square));
    let (kind, boards) = found.unzip();
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(Receivers {
            kind: kind.map(Kind::letter),
            boards: boards
                .unwrap_or_default()
                .into_iter()
                .map(|(number, why_not)| (number.0, why_not.map(|why| reason(number, &why))))
                .collect(),
        }))
}

/// What a form says that was sent.
fn read(view: &TeamView, fields: &Fields) -> Result<Command, AppError> {
    let Some(side) = view.rights.side else {
        let why = "Only the grand strategist of a team transfers pieces.";
        return Err(AppError::Forbidden(why));
    };
    let written = fields.get("transfer").trim();
    if !written.is_empty() {
        let line = format!("{} {written}", side_name(side));
        return match view.state.boards.read(&line) {
            Ok(Line::Transfer(transfer)) => {
                let piece = view.state.boards.piece(transfer.from, transfer.square);
                let kind = piece.map_or(Kind::Pawn, |piece| piece.kind);
                Ok(Command::Transfer { transfer, kind })
            }
            Ok(_) => Err(AppError::NotFound),
            // It speaks of what was typed, without the side that was put before it.
            Err(LineError::Turn(error)) => Err(view.refuse(Refusal::NotAllowed(format!(
                "“{written}” was not understood: write the square and the boards, such as e4 1>3. ({error})"
            )))),
            Err(error) => Err(view.refuse(Refusal::Line(error))),
        };
    }
    let piece = read_piece(fields.get("take"));
    let kind = fields
        .get("kind")
        .chars()
        .next()
        .and_then(Kind::from_letter);
    let to = fields.get("to").parse().ok().map(BoardNo);
    let (Some((from, square)), Some(kind), Some(to)) = (piece, kind, to) else {
        let why = "Choose a piece first, and then the board that it goes to.";
        return Err(view.refuse(Refusal::NotAllowed(why.to_owned())));
    };
    Ok(Command::Transfer {
        transfer: Transfer {
            side,
            square,
            from,
            to,
        },
        kind,
    })
}

/// Takes a piece from one board to another.
pub async fn transfer(request: TeamRequest, post: Post, query: Fields) -> Answer {
    let view = request.view(None).await?;
    let result = match read(&view, &post.fields) {
        Ok(command) => {
            let app = &request.app;
            let acted = app.act_in_team(&request.access, &request.id, command).await;
            acted.map(|_| ())
        }
        Err(error) => Err(error),
    };
    after(&request, &post.fields, &query, result).await
}

/// What a transfer that came too late is told: the lines since the page was made.
pub fn too_late(view: &TeamView, fields: &Fields) -> Vec<String> {
    let event = fields.get("event").parse().unwrap_or(i32::MAX);
    let mut boards: Vec<BoardNo> = Vec::new();
    boards.extend(read_piece(fields.get("take")).map(|(from, _)| from));
    boards.extend(fields.get("to").parse().ok().map(BoardNo));
    log::since(view, &boards, event)
}
