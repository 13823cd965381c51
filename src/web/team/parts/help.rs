//! The walk-through of a duty for a member who has it for the first time: a few steps with a picture each, in the
//! panel beside or below the boards. The address holds the step; the account holds the topics that were seen.

use askama::Template;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Strategist,
    Boardman,
    Agent,
    Host,
    Teacher,
}

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

struct Step(&'static str, &'static str, Picture);

const STRATEGIST: &[Step] = &[
    Step(
        "You lead your team",
        "You see all boards of your team at once. Tap a board to make it large. “All alike” makes them all the \
         same size again. Letters and digits beside a board name its squares: 3:e4 is e4 on board 3.",
        Picture::Three,
    ),
    Step(
        "Take a piece to another board",
        "Drag one of your pieces to another board, or press “Choose a piece”. It lands on the same square, which \
         must be empty there. Kings stay at home. You may do this at any time, as often as you like.",
        Picture::Transfer,
    ),
    Step(
        "Give duties",
        "Under “People” you can give a member of your team another duty. The two members then swap.",
        Picture::Board(&["e2e4", "e7e5"], &[], &[]),
    ),
    Step(
        "Listen to your team",
        "Talk with everybody. If more than half of the others vote for another member, that member leads the team \
         at once.",
        Picture::Board(&["e2e4", "e7e5", "g1f3"], &["e5"], &[]),
    ),
];

const BOARDMAN: &[Step] = &[
    Step(
        "This is your board",
        "You alone of your team play here. Take your time: the other boards do not wait for you. \
         Your board has a star.",
        Picture::Board(&[], &[], &[]),
    ),
    Step(
        "Move a piece",
        "Tap a piece, then the square where it should go. Look at it, then press “Play”. You can drag the piece, \
         too, or use the arrow keys and Enter.",
        Picture::Board(&[], &["e2"], &["e3", "e4"]),
    ),
    Step(
        "Or change a rule",
        "Instead of moving you may change how one kind of piece moves. Under “Change a rule” tap the kind, tap the \
         squares that it shall reach, and say your rule in words. It counts at once, for both sides. Here knights may step \
         one square, too.",
        Picture::Knight("NW"),
    ),
    Step(
        "Pieces can travel",
        "Your grand strategist can bring you a piece from another board, or take one of yours away. Ask for help in \
         the talk of your team.",
        Picture::Transfer,
    ),
    Step(
        "How it ends",
        "If the king cannot escape, that is checkmate, and the board is won. Both kings go off it; its other pieces can \
         still travel. When the time is up, the side with more \
         pieces wins a board. The team with more boards wins the match.",
        Picture::Board(&["f2f3", "e7e5", "g2g4", "d8h4"], &["e1"], &[]),
    ),
];

const AGENT: &[Step] = &[
    Step(
        "You are your team’s eyes",
        "Agents play no board, but they see them all. Look for good moves, for dangers, and for pieces that are free \
         to travel.",
        Picture::Three,
    ),
    Step(
        "Show what you see",
        "Write 3:e4 in the talk, and a reader who taps it sees the square e4 on board 3. \
         Write a name, and its owner is shown a card.",
        Picture::Board(&["e2e4"], &["e4"], &[]),
    ),
    Step(
        "Plan and bargain",
        "You can talk in secret with some of your team, and in public with the other team: make plans, make deals, \
         change your mind. Stay kind.",
        Picture::Transfer,
    ),
    Step(
        "Be ready",
        "Your grand strategist can give you a board at any time. And you have a secret vote: under “People” your \
         team can elect another member to lead.",
        Picture::Board(&["e2e4", "e7e5", "g1f3"], &[], &[]),
    ),
];

const WHILE_THEY_PLAY: Step = Step(
    "While they play",
    "Open the control panel: what needs you stands at the top. “Eyes up!” stops the play and says so on every screen. \
         You can take a turn back, replace a member in two clicks, change the time, and hold the talk to ready-made \
         phrases. When two players do not agree whether a rule in words holds, you decide.",
    Picture::Knight("NW"),
);

const TEACHER: &[Step] = &[
    Step(
        "Bring everybody in",
        "Show the code: “Open the projector page” makes it as large as the wall. Pupils type it, or point a camera at \
         the picture, and pick their names. They appear on this page as they come.",
        Picture::Three,
    ),
    Step(
        "Give everybody a place",
        "“Seat everyone” makes two teams and gives out the duties, so that over some lessons everybody has each of them. \
         To change a place drag the name, or tap it and then “Here”.",
        Picture::Board(&[], &[], &[]),
    ),
    Step(
        "Start",
        "“Start” begins the match on all screens. A pupil who comes late types the code and joins the smaller team. Pupils \
         need not know chess well: everybody gets a walk-through like this one.",
        Picture::Board(&["e2e4"], &[], &[]),
    ),
    WHILE_THEY_PLAY,
    Step(
        "When the bell rings",
        "“End for today” keeps the match for the next lesson. When it is over there are a report to print, the replay \
         of every move, and the progress of the class.",
        Picture::Transfer,
    ),
];

const HOST: &[Step] = &[
    Step(
        "Bring everybody in",
        "Show the code for joining on the wall, or share the link. The names appear on this page as people come.",
        Picture::Three,
    ),
    Step(
        "Give everybody a duty",
        "The teams can choose by themselves, you can do it, or the program deals the duties out.",
        Picture::Board(&[], &[], &[]),
    ),
    Step(
        "Start",
        "Press “Start the match”. If people are missing you can start short-handed: then some of them play two \
         boards. Players need not know chess well: everybody gets a walk-through like this one. If nothing comes of it, \
         you can call the match off.",
        Picture::Board(&["e2e4"], &[], &[]),
    ),
    WHILE_THEY_PLAY,
    Step(
        "On the wall, and afterwards",
        "The projector’s link shows all boards on a big screen. Afterwards the whole match can be played back, and \
         printed as a record.",
        Picture::Transfer,
    ),
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

    const fn steps(self) -> &'static [Step] {
        match self {
            Self::Strategist => STRATEGIST,
            Self::Boardman => BOARDMAN,
            Self::Agent => AGENT,
            Self::Host => HOST,
            Self::Teacher => TEACHER,
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Strategist => "You are the grand strategist",
            Self::Boardman => "You are a boardman",
            Self::Agent => "You are an agent",
            Self::Host => "You are the host",
            Self::Teacher => "You lead this lesson",
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
    context.address(&[("help", &shown)]) + "#help"
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
        title: "A board as an example",
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
        let Step(about, text, picture) = steps.get(index)?;
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
            for Step(about, _, picture) in topic.steps() {
                let pictures = pictures(*picture);
                assert!(!pictures.is_empty(), "{about}");
                assert!(pictures.iter().all(|svg| svg.starts_with("<svg")));
            }
        }
    }

    #[test]
    fn the_pictures_are_of_legal_games() {
        for Step(about, _, picture) in Topic::ALL.iter().flat_map(|topic| topic.steps()) {
            if let Picture::Board(moves, ..) = picture {
                let mut boards = Boards::new(Size::Small);
                for turn in *moves {
                    let line = boards.read(&format!("1 {turn}")).expect(about);
                    boards.take(&line);
                }
            }
        }
    }
}
