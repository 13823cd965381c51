//! The walk-through of a duty for a member who has it for the first time: a few steps with a picture each, in the
//! panel beside or below the boards. The address holds the step; the account holds the topics that were seen.

use askama::Template;

use crate::texts::help::{EXAMPLE, Step, Topic};
use crate::web::answer::Failure;
use crate::web::request::RequestContext;
use crate::web::rulebook::pictures::movement_picture;
use crate::web::team::context::TeamContext;
use crate::web::team::example::transferred;
use perplex_games::board::{Last, Render as _, View};
use perplex_games::perplexichess::{BoardNo, Boards, Size};
use perplex_games::rules::Side;
use perplex_games::rules::betza::Movement;
use perplex_games::rules::flexichess::Kind;
use perplex_matches::team::Phase;
use perplex_matches::team::event::Duty;

#[derive(Clone, Copy)]
enum Picture {
    Board(
        &'static [&'static str],
        &'static [&'static str],
        &'static [&'static str],
    ),
    Knight(&'static str),
    Transfer,
    Three,
}

const STRATEGIST: &[Picture] = &[
    Picture::Three,
    Picture::Transfer,
    Picture::Board(&["e2e4", "e7e5"], &[], &[]),
    Picture::Board(&["e2e4", "e7e5", "g1f3"], &["e5"], &[]),
];

const BOARDMAN: &[Picture] = &[
    Picture::Board(&[], &[], &[]),
    Picture::Board(&[], &["e2"], &["e3", "e4"]),
    Picture::Knight("NW"),
    Picture::Transfer,
    Picture::Board(&["f2f3", "e7e5", "g2g4", "d8h4"], &["e1"], &[]),
];

const AGENT: &[Picture] = &[
    Picture::Three,
    Picture::Board(&["e2e4"], &["e4"], &[]),
    Picture::Transfer,
    Picture::Board(&["e2e4", "e7e5", "g1f3"], &[], &[]),
];

const TEACHER: &[Picture] = &[
    Picture::Three,
    Picture::Board(&[], &[], &[]),
    Picture::Board(&["e2e4"], &[], &[]),
    Picture::Knight("NW"),
    Picture::Transfer,
];

const HOST: &[Picture] = &[
    Picture::Three,
    Picture::Board(&[], &[], &[]),
    Picture::Board(&["e2e4"], &[], &[]),
    Picture::Knight("NW"),
    Picture::Transfer,
];

impl Topic {
    const ALL: [Self; 5] = [
        Self::Strategist,
        Self::Boardman,
        Self::Agent,
        Self::Host,
        Self::Teacher,
    ];

    pub const fn key(self) -> &'static str {
        match self {
            Self::Strategist => "strategist",
            Self::Boardman => "boardman",
            Self::Agent => "agent",
            Self::Host => "host",
            Self::Teacher => "teacher",
        }
    }

    /// The pictures of the steps, in the order of their texts.
    const fn pictures(self) -> &'static [Picture] {
        match self {
            Self::Strategist => STRATEGIST,
            Self::Boardman => BOARDMAN,
            Self::Agent => AGENT,
            Self::Host => HOST,
            Self::Teacher => TEACHER,
        }
    }

    pub fn of(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.key() == key)
    }
}

/// The viewer's duties in the match, the most urgent first.
fn topics(context: TeamContext) -> Vec<Topic> {
    let view = context.view;
    let state = &view.state;
    let mut topics = Vec::new();
    if state.phase != Phase::Gathering
        && let (Some(member), Some(side)) = (view.viewer.member, view.rights.side)
    {
        let duties = state.team(side).duties.of(member);
        if duties.contains(&Duty::Strategist) {
            topics.push(Topic::Strategist);
        }
        if duties.iter().any(|duty| matches!(duty, Duty::Board(_))) {
            topics.push(Topic::Boardman);
        }
        if duties.is_empty() {
            topics.push(Topic::Agent);
        }
    }
    if view.viewer.host {
        topics.push(if view.lesson.is_some() {
            Topic::Teacher
        } else {
            Topic::Host
        });
    }
    topics
}

fn shown(context: TeamContext) -> Option<(Topic, usize)> {
    let asked = context.fields.get("help");
    if let Some((topic, step)) = asked.split_once('-') {
        let topic = Topic::of(topic)?;
        let step = step.parse::<usize>().ok()?.checked_sub(1)?;
        return Some((topic, step.min(topic.steps().len() - 1)));
    }
    let viewer = context.request.viewer.as_ref()?;
    if !asked.is_empty() || context.at.is_some() || context.view.state.phase == Phase::Over {
        return None;
    }
    let is_seen = |topic: &Topic| viewer.help_seen.split(',').any(|seen| seen == topic.key());
    let topic = topics(context).into_iter().find(|topic| !is_seen(topic))?;
    Some((topic, first(context, topic)))
}

/// The first step: the host of a match that has begun needs no help with beginning it.
fn first(context: TeamContext, topic: Topic) -> usize {
    match topic {
        Topic::Host | Topic::Teacher if context.view.state.phase != Phase::Gathering => 3,
        _ => 0,
    }
}

fn step_address(context: TeamContext, topic: Topic, step: usize) -> String {
    let shown = format!("{}-{}", topic.key(), step + 1);
    context.address_beside(&[("help", &shown)]) + "#help"
}

/// The start of the walk-through of the viewer's duty; `None` for spectators.
pub fn address(context: TeamContext) -> Option<String> {
    let topic = topics(context).into_iter().next()?;
    Some(step_address(context, topic, first(context, topic)))
}

fn board(moves: &[&str], chosen: &[&str], to: &[&str]) -> String {
    let mut boards = Boards::new(Size::Small);
    for turn in moves {
        if let Ok(line) = boards.read(&format!("1 {turn}")) {
            boards.take(&line);
        }
    }
    let Some(board) = boards.board(BoardNo(1)) else {
        return String::new();
    };
    let mut diagram = board.position().diagram(board.last());
    for cell in &mut diagram.cells {
        if to.contains(&&*cell.name) {
            cell.last = Some(Last::To);
        }
    }
    let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
    diagram.svg(&View {
        // The text beside it describes the picture.
        title: EXAMPLE,
        chosen: &chosen,
        brief: true,
        ..View::default()
    })
}

fn pictures(picture: Picture) -> Vec<String> {
    match picture {
        Picture::Board(moves, chosen, to) => vec![board(moves, chosen, to)],
        Picture::Three => {
            let moves = ["e2e4", "d2d4", "g1f3"];
            moves.iter().map(|turn| board(&[turn], &[], &[])).collect()
        }
        Picture::Knight(notation) => Movement::parse(notation, Kind::Knight.mover())
            .map(|movement| movement_picture(&movement, Kind::Knight, Side::First))
            .into_iter()
            .collect(),
        Picture::Transfer => transferred(),
    }
}

#[derive(Template)]
#[template(path = "team/parts/help.html")]
struct Part<'a> {
    request: &'a RequestContext,
    shown: Option<Shown>,
}

struct Shown {
    title: &'static str,
    number: usize,
    of: usize,
    about: &'static str,
    text: &'static str,
    pictures: Vec<String>,
    back: Option<String>,
    next: Option<String>,
    key: &'static str,
    done: String,
}

pub fn render(context: TeamContext) -> Result<String, Failure> {
    let shown = shown(context).and_then(|(topic, index)| {
        let steps = topic.steps();
        let Step { about, text } = steps.get(index)?;
        let picture = topic.pictures().get(index)?;
        Some(Shown {
            title: topic.title(),
            number: index + 1,
            of: steps.len(),
            about,
            text,
            pictures: pictures(*picture),
            back: index
                .checked_sub(1)
                .map(|before| step_address(context, topic, before)),
            next: (index + 1 < steps.len()).then(|| step_address(context, topic, index + 1)),
            key: topic.key(),
            done: format!("{}/help{}", context.base(), context.query(&[("help", "")])),
        })
    });
    let part = Part {
        request: context.request,
        shown,
    };
    Ok(part.render()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_its_picture() {
        for topic in Topic::ALL {
            assert_eq!(Topic::of(topic.key()), Some(topic));
            assert_eq!(topic.pictures().len(), topic.steps().len(), "{topic:?}");
            for (step, picture) in topic.steps().iter().zip(topic.pictures()) {
                let about = step.about;
                let pictures = pictures(*picture);
                assert!(!pictures.is_empty(), "{about}");
                assert!(pictures.iter().all(|svg| svg.starts_with("<svg")));
            }
        }
    }

    #[test]
    fn the_pictures_are_of_legal_games() {
        for picture in Topic::ALL.iter().flat_map(|topic| topic.pictures()) {
            if let Picture::Board(moves, ..) = picture {
                let mut boards = Boards::new(Size::Small);
                for turn in *moves {
                    let line = boards.read(&format!("1 {turn}")).expect("a legal turn");
                    boards.take(&line);
                }
            }
        }
    }
}
