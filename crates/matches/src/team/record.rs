//! The record of a match: as text (headers, then the lines of the boards, exactly as RULES.md gives
//! them), and as one line of JSON, which `perplex referee` takes as a question. Pure.
//!
//! ```text
//! Game: perplexichess
//! Variant: small
//! White: Ada (grand strategist), Bo (board 1), Cy (boards 2 and 3)
//! Result: first
//!
//! 1 e2e4
//! w d1 1>3
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use serde::Serialize;

use super::event::{Actor, Duty, EventKind, MemberId};
use super::policy::Rights;
use super::{Logged, Match};
use crate::time::Time;
use perplex_games::rules::Side;

/// The game's key in records and for the referee.
pub const GAME: &str = "perplexichess";

/// A match to be written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    game: &'static str,
    /// The key of its size.
    variant: &'static str,
    /// The other headers, in order; written as a map.
    #[serde(serialize_with = "as_map")]
    headers: Vec<(String, String)>,
    /// The lines of the boards.
    turns: Vec<String>,
    /// The events, with their authors and times.
    events: Vec<Happened>,
}

/// An event as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Happened {
    number: i32,
    at: String,
    by: String,
    what: String,
}

fn as_map<S: serde::Serializer>(
    headers: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let map: BTreeMap<&str, &str> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    map.serialize(serializer)
}

impl Record {
    /// The record of `state` for a viewer with `rights`, with the events `shown`. `name` is the name of an actor,
    /// `duties` puts the duties of a member in words.
    pub fn new<'a>(
        state: &Match,
        rights: &Rights,
        name: impl Fn(Actor) -> String,
        duties: impl Fn(&[Duty]) -> String,
        shown: impl Iterator<Item = &'a Logged>,
    ) -> Self {
        let mut record = Self {
            game: GAME,
            variant: state.terms.size.key(),
            headers: Vec::new(),
            turns: Vec::new(),
            events: Vec::new(),
        };
        for (side, title) in [(Side::First, "white"), (Side::Second, "black")] {
            let team = state.team(side);
            let told = rights.teams[side.index()];
            let known = if told {
                team.duties.clone()
            } else {
                team.duties.public()
            };
            // The agents of another team stay unknown.
            let duties_of = |member: MemberId| {
                Some(known.of(member)).filter(|duties| told || !duties.is_empty())
            };
            let mut people: Vec<MemberId> = team.members.iter().copied().collect();
            people.sort_by_key(|member| {
                let first = duties_of(*member).and_then(|duties| duties.into_iter().next());
                let place =
                    first.and_then(|duty| team.duties.all().iter().position(|d| *d == duty));
                (place.unwrap_or(usize::MAX), *member)
            });
            let people: Vec<String> = people
                .into_iter()
                .map(|member| {
                    let name = name(Actor::Member(member));
                    match duties_of(member) {
                        Some(known) => format!("{name} ({})", duties(&known)),
                        None => name,
                    }
                })
                .collect();
            record = record.with(title, &people.join(", "));
        }
        let stamp = |at: Time| at.to_string();
        for logged in shown {
            match &logged.event.kind {
                EventKind::Line(line) if state.is_in_force(logged) => {
                    record.turns.push(line.clone());
                }
                // Votes are secret for ever.
                EventKind::Vote(_) => continue,
                _ => {}
            }
            record.events.push(Happened {
                number: logged.event.number,
                at: stamp(logged.event.at),
                by: name(logged.event.by),
                what: match &logged.event.kind {
                    EventKind::Duties(side, duties) if !rights.teams[side.index()] => {
                        EventKind::Duties(*side, duties.public()).to_string()
                    }
                    kind => kind.to_string(),
                },
            });
        }
        if let Some(outcome) = state.outcome() {
            let score = state.boards.score();
            let winner = outcome.winner.map_or("draw".to_owned(), |s| s.to_string());
            record = record
                .with("result", &winner)
                .with("reason", &outcome.reason.to_string())
                .with("score", &format!("{}:{}", score.white, score.black));
        }
        record
    }

    /// Adds a header. Control characters become spaces, and colons are dropped from the name.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let value: String = value.chars().map(plain).collect();
        let name: String = name.chars().map(plain).filter(|c| *c != ':').collect();
        self.headers
            .push((name.trim().to_lowercase(), value.trim().to_owned()));
        self
    }

    /// The record as one line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Text can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

impl Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Game: {}\nVariant: {}", self.game, self.variant)?;
        for (name, value) in &self.headers {
            let mut letters = name.chars();
            if let Some(first) = letters.next() {
                writeln!(f, "{}{}: {value}", first.to_uppercase(), letters.as_str())?;
            }
        }
        writeln!(f)?;
        self.turns.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
