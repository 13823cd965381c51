//! The talk of a team match: its channels and their readers.

use super::list;
use super::team::{leader, side_word};
use crate::app::team::{Audience, TeamView};

/// The title of a channel for its reader.
pub fn title(view: &TeamView, audience: &Audience) -> String {
    match audience {
        Audience::Public => "Everybody".to_owned(),
        Audience::Team(side) if view.rights.side == Some(*side) => "Your team".to_owned(),
        Audience::Team(side) => format!("{}’s team", side_word(*side)),
        Audience::Private(side, people) => {
            let me = view.viewer.member;
            let names: Vec<&str> = people
                .iter()
                .filter(|id| Some(**id) != me)
                .map(|id| view.name(*id))
                .collect();
            let names = list(&names);
            if view.rights.side == Some(*side) {
                names
            } else {
                format!("{}: {names}", side_word(*side))
            }
        }
    }
}

/// The sentence about the readers of a channel.
pub fn readers(view: &TeamView, audience: &Audience) -> String {
    let terms = &view.state.terms;
    let over = view.rights.reveals;
    let word = leader(view.leader());
    let host = match (audience, terms.supervised, terms.reveal) {
        (Audience::Public, ..) => return "Everybody who sees the match reads this.".to_owned(),
        _ if over => {
            return "The match is over: as was announced, everybody who sees it reads this."
                .to_owned();
        }
        (_, true, true) => format!(" The {word} reads it, too, and after the match everybody."),
        (_, true, false) => format!(" The {word} reads it, too."),
        (_, false, true) => " After the match everybody reads it.".to_owned(),
        (_, false, false) => String::new(),
    };
    let who = match audience {
        Audience::Public => String::new(),
        Audience::Team(side) => format!("Only {}’s team reads this.", side_word(*side)),
        Audience::Private(_, people) => {
            let names: Vec<&str> = people.iter().map(|id| view.name(*id)).collect();
            format!("Only {} read this.", list(&names))
        }
    };
    format!("{who}{host}")
}

/// The recipients of a message, as the end of a sentence.
pub fn recipients(view: &TeamView, audience: &Audience) -> String {
    match audience {
        Audience::Private(..) => title(view, audience),
        Audience::Public => "everybody".to_owned(),
        Audience::Team(_) => "your team".to_owned(),
    }
}

/// The text of a message; `None` if it cannot be read.
pub fn message(text: Option<&str>) -> &str {
    text.unwrap_or("(This message cannot be read.)")
}
