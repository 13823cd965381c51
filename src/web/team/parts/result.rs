use askama::Template;

use crate::app::team::TeamView;
use crate::texts::team::{ended, headline};
use crate::texts::{self, capital};
use crate::web::answer::Failure;
use crate::web::rulebook::pictures::movement_picture;
use crate::web::team::context::TeamContext;
use crate::web::team::parts::emblem;
use perplex_games::board::{Render as _, View};
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::flexichess::Effect;
use perplex_games::rules::{Reason, Side};
use perplex_matches::team::{Happened, Logged, Phase};

struct Ended {
    board: BoardNo,
    address: String,
    how: String,
    counted: Option<[u32; 2]>,
    side: &'static str,
}

/// The highlights of the match.
struct Best {
    title: &'static str,
    text: String,
    /// The movement of a rule; else empty.
    picture: String,
}

fn best(view: &TeamView) -> Vec<Best> {
    let picture = |logged: &Logged| match &logged.happened {
        Happened::RuleChanged(_, change) => match &change.effect {
            Effect::Movement(kind, movement) => movement_picture(movement, *kind, Side::First),
            _ => String::new(),
        },
        _ => String::new(),
    };
    texts::team::best(view)
        .into_iter()
        .map(|(title, text, logged)| Best {
            title,
            text,
            picture: picture(logged),
        })
        .collect()
}

#[derive(Template)]
#[template(path = "team/parts/result.html")]
struct Outcome<'a> {
    context: TeamContext<'a>,
    over: bool,
    headline: String,
    /// The badges and names of White's team and Black's.
    teams: [String; 2],
    why: String,
    ended: Vec<Ended>,
    best: Vec<Best>,
    report: bool,
    record: bool,
}

impl Outcome<'_> {
    /// True if the viewer gets mail about the match.
    fn is_mailed(&self) -> bool {
        let (view, viewer) = (self.context.view, &self.context.request.viewer);
        view.state.terms.over_days()
            && view.state.phase != Phase::Over
            && (view.viewer.member.is_some() || view.viewer.host)
            && viewer.as_ref().is_some_and(|viewer| viewer.class.is_none())
    }
}

#[derive(Template)]
#[template(path = "team/parts/projector-result.html")]
struct Projected<'a> {
    context: TeamContext<'a>,
    headline: String,
    /// The badges and names of White's team and Black's.
    teams: [String; 2],
    why: String,
    ended: Vec<(Ended, String)>,
    best: Vec<Best>,
}

/// A board as it stands, or as it stood when it was decided.
pub fn last_picture(number: BoardNo, board: &Board) -> String {
    let view = View {
        title: &texts::team::board(number),
        coordinates: false,
        ..View::default()
    };
    let position = board.decided().unwrap_or(board.position());
    position.diagram(board.last()).svg(&view)
}

pub fn render_projected(context: TeamContext) -> Result<String, Failure> {
    let boards = &context.view.state.boards;
    let part = Projected {
        context,
        headline: headline(context.view),
        teams: Side::ALL.map(|side| emblem::shown(context, side)),
        why: texts::team::why_over(context.view),
        best: best(context.view),
        ended: boards_ended(context)
            .into_iter()
            .map(|one| {
                let board = boards.board(one.board);
                let picture = board.map(|board| last_picture(one.board, board));
                (one, picture.unwrap_or_default())
            })
            .collect(),
    };
    Ok(part.render()?)
}

fn boards_ended(context: TeamContext) -> Vec<Ended> {
    let state = &context.view.state;
    state
        .boards
        .iter()
        .filter_map(|(number, board)| {
            let outcome = board.outcome()?;
            let count = |side| board.position().count(side);
            Some(Ended {
                board: number,
                address: context.address(&[("board", number.to_string().as_str())]),
                how: capital(&ended(outcome)),
                counted: (outcome.reason == Reason::Pieces)
                    .then(|| [count(Side::First), count(Side::Second)]),
                side: match outcome.winner {
                    Some(Side::First) => "first",
                    Some(Side::Second) => "second",
                    None => "drawn",
                },
            })
        })
        .collect()
}

/// True if the viewer may download the record of a match: they see all of it.
pub fn may_take(view: &TeamView) -> bool {
    view.rights.boards.len() == usize::from(view.state.terms.size.boards())
}

pub fn render(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let over = view.state.phase == Phase::Over;
    let part = Outcome {
        context,
        over,
        headline: headline(view),
        teams: Side::ALL.map(|side| emblem::shown(context, side)),
        why: texts::team::why_over(view),
        ended: if over {
            boards_ended(context)
        } else {
            Vec::new()
        },
        best: if over { best(view) } else { Vec::new() },
        report: over && view.viewer.host,
        record: may_take(view),
    };
    Ok(part.render()?)
}
