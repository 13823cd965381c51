use crate::web::fields::Fields;
use crate::web::team::context::TeamContext;
use perplex_games::rules::Side;
use perplex_matches::team::event::MemberId;

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

/// A member in the plan of seats.
pub struct SeatedMember {
    pub id: MemberId,
    pub name: String,
    pub here: bool,
    pub chosen: bool,
    pub address: String,
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

/// The members who have left a club's match, or were removed; empty in a lesson, where the teacher lets pupils in
/// from the class.
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

pub fn read_member(fields: &Fields, name: &str) -> MemberId {
    MemberId(fields.get(name).parse().unwrap_or(0))
}
