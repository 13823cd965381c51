use crate::app::team::TeamView;
use crate::web::fields::Fields;
use crate::web::team::context::TeamContext;
use crate::web::words;
use perplex_games::perplexichess::Board;
use perplex_games::rules::{Outcome, Reason, Side};
use perplex_matches::team::Phase;
use perplex_matches::team::event::{Actor, Duty, MemberId};

pub const fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "White",
        Side::Second => "Black",
    }
}

/// How a board or a match ended: `White won by checkmate`.
pub fn ended(outcome: Outcome) -> String {
    let because = words::because(&outcome.reason.to_string());
    match outcome.winner {
        Some(side) => format!("{} won {because}", side_word(side)),
        None => format!("drawn {because}"),
    }
}

/// What became of the kings of a board that was decided by play; nothing where pieces were counted, as they stay there.
pub fn kings(outcome: Outcome) -> Option<&'static str> {
    (outcome.reason != Reason::Pieces).then_some("Both kings are off the board.")
}

pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

pub const fn side_class(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

pub fn read_side(word: &str) -> Option<Side> {
    match word {
        "white" => Some(Side::First),
        "black" => Some(Side::Second),
        _ => None,
    }
}

pub const fn side_key(side: Side) -> &'static str {
    match side {
        Side::First => "white",
        Side::Second => "black",
    }
}

#[derive(Clone)]
pub struct Person {
    pub id: MemberId,
    pub name: String,
    pub is_you: bool,
}

impl Person {
    pub fn new(context: TeamContext, id: MemberId) -> Self {
        Self {
            id,
            name: context.view.name(id).to_owned(),
            is_you: context.view.viewer.member == Some(id),
        }
    }
}

/// Who has left a club's match, or was removed; a teacher lets pupils in from the class.
pub fn gone(context: TeamContext) -> Vec<Person> {
    if context.view.lesson.is_some() {
        return Vec::new();
    }
    let members = context.view.state.members.iter();
    members
        .filter(|(_, member)| member.left.is_some())
        .map(|(id, _)| Person::new(context, *id))
        .collect()
}

pub fn teamless(context: TeamContext) -> Vec<Person> {
    let members = context.view.state.members.iter();
    members
        .filter(|(_, member)| member.left.is_none() && member.team.is_none())
        .map(|(id, _)| Person::new(context, *id))
        .collect()
}

pub fn how(board: &Board) -> String {
    let ended = board.outcome().map(|outcome| capital(&ended(outcome)));
    ended.unwrap_or_else(|| "Not decided yet".to_owned())
}

pub fn duty_name(duty: Duty) -> String {
    match duty {
        Duty::Strategist => "Grand strategist".to_owned(),
        Duty::Board(board) => format!("Board {board}"),
    }
}

pub fn read_member(fields: &Fields, name: &str) -> MemberId {
    MemberId(fields.get(name).parse().unwrap_or(0))
}

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

pub fn actor_name(view: &TeamView, actor: Actor) -> String {
    match actor {
        Actor::Host => format!("{} ({})", view.host.name, view.host_word()),
        actor => view.actor(actor).to_owned(),
    }
}
