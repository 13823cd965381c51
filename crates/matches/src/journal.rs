//! The contract of both kinds of match: a match is its journal, a list of numbered events whose text never changes its
//! meaning, and replaying them gives its state.
//!
//! Event text is a word and its arguments. Arguments that may grow (terms, options) are written as `name=value`
//! ([`Options`]): one that an earlier version did not know has a default, so later versions read everything that
//! earlier ones wrote. A match records the version of the rules that it is played under ([`RULES`]).

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use crate::id::AccountId;
use crate::time::Time;

/// The version of the rules that new matches are played under. When a rule changes, the number grows, and matches with
/// a lower one go on under the rules that they began with.
pub const RULES: u16 = perplex_games::rules::VERSION;

/// One event of a match: `A` is its author, `K` its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<A, K> {
    /// Its number in the match, from 1 without gaps.
    pub number: i32,
    /// The time at which the server took it.
    pub at: Time,
    /// The author.
    pub by: A,
    /// The content.
    pub kind: K,
}

/// The events of one kind of match.
pub type EventOf<M> = Event<<M as Aggregate>::Author, <M as Aggregate>::EventKind>;

/// The author of an event, as the journal writes it.
pub trait Author: Clone + Send + Sync + 'static {
    /// The text that the journal keeps.
    fn text(&self) -> String;

    /// Reads what [`text`](Self::text) wrote; `None` for anything else.
    fn read(text: &str) -> Option<Self>;
}

/// An account by its id, or `server`.
impl Author for Option<AccountId> {
    fn text(&self) -> String {
        self.as_ref()
            .map_or_else(|| "server".to_owned(), ToString::to_string)
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "" => None,
            "server" => Some(None),
            id => Some(Some(AccountId(id.to_owned()))),
        }
    }
}

/// A kind of match: commands are decided into events, and events change the state. Pure.
pub trait Aggregate: Clone + Send + Sync + 'static {
    /// The author of an event.
    type Author: Author;
    /// The content of an event; its text is what the journal keeps.
    type EventKind: Clone + Display + FromStr<Err = UnknownEvent> + Send + Sync + 'static;
    /// The person who gives a command.
    type Commander: ?Sized;
    /// The command.
    type Command;
    /// The reason why a command was not carried out.
    type Refusal;

    /// The state after the first event of a journal.
    ///
    /// # Errors
    /// A sentence: no match begins like this.
    fn begin(first: &EventOf<Self>) -> Result<Self, String>;

    /// The number of the last event.
    fn head(&self) -> i32;

    /// Moves the state on by the next event; use [`apply`](Self::apply), which checks its number.
    ///
    /// # Errors
    /// A sentence: the event cannot follow here.
    fn change(&mut self, event: &EventOf<Self>) -> Result<(), String>;

    /// The events that follow from `command` while there is time; use [`decide`](Self::decide).
    ///
    /// # Errors
    /// A refusal, which changes nothing.
    fn decide_in_time(
        &self,
        who: &Self::Commander,
        command: &Self::Command,
        now: Time,
        chance: u64,
    ) -> Result<Vec<EventOf<Self>>, Self::Refusal>;

    /// The events that time brings: the end of a player's time, or of the match's. Often none.
    fn time_out(&self, now: Time) -> Vec<EventOf<Self>>;

    /// The events that give back the time of `outages` (start and end, in order of time): each once, however often this
    /// is called. Often none, as where no time runs.
    fn give_back(&self, outages: &[(Time, Time)], now: Time) -> Vec<EventOf<Self>>;

    /// True for an event of [`give_back`](Self::give_back).
    fn is_time_back(event: &EventOf<Self>) -> bool;

    /// The events that follow from `command`, given by `who` at `now`; `chance` is a random number. When time has run
    /// out, its end follows instead, whatever the command.
    ///
    /// # Errors
    /// A refusal, which changes nothing.
    fn decide(
        &self,
        who: &Self::Commander,
        command: &Self::Command,
        now: Time,
        chance: u64,
    ) -> Result<Vec<EventOf<Self>>, Self::Refusal> {
        let timeout = self.time_out(now);
        if timeout.is_empty() {
            self.decide_in_time(who, command, now, chance)
        } else {
            Ok(timeout)
        }
    }

    /// Moves the state on by one event.
    ///
    /// # Errors
    /// The event cannot follow here.
    fn apply(&mut self, event: &EventOf<Self>) -> Result<(), BadJournal> {
        let next = self.head() + 1;
        let changed = if event.number == next {
            self.change(event)
        } else {
            Err(format!("{next} should follow"))
        };
        changed.map_err(|why| BadJournal {
            number: event.number,
            why,
        })
    }

    /// The state after `events`, which start with number 1.
    ///
    /// # Errors
    /// An event that cannot follow on those before it.
    fn replay(events: &[EventOf<Self>]) -> Result<Self, BadJournal> {
        let bad = |why: String| BadJournal { number: 1, why };
        let (first, rest) = events
            .split_first()
            .ok_or_else(|| bad("there is none".to_owned()))?;
        if first.number != 1 {
            return Err(bad(format!("the journal begins with {}", first.number)));
        }
        let mut state = Self::begin(first).map_err(bad)?;
        for event in rest {
            state.apply(event)?;
        }
        Ok(state)
    }
}

/// A journal that cannot be replayed: an event that this version would never have written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {number} of the journal: {why}")]
pub struct BadJournal {
    /// The number of the event.
    pub number: i32,
    /// The fault.
    pub why: String,
}

/// A text in the journal that names no event: this version never wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal holds an event that is not understood: {0}")]
pub struct UnknownEvent(pub String);

/// The options of an event while they are read: words of the form `name=value`, in any order.
#[derive(Debug)]
pub struct Options<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Options<'a> {
    /// Splits the words; `None` if one has no `=`, or a name occurs twice.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Self> {
        let mut options = BTreeMap::new();
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=')?;
            if options.insert(name, value).is_some() {
                return None;
            }
        }
        Some(Self(options))
    }

    /// The value called `name`, as `read` understands it, or `default` if there is none; `None` if `read` does not
    /// understand it.
    pub fn take<T>(
        &mut self,
        name: &str,
        default: T,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        match self.0.remove(name) {
            Some(value) => read(value),
            None => Some(default),
        }
    }

    /// The value called `name`, which has no default.
    pub fn require<T>(&mut self, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        read(self.0.remove(name)?)
    }

    /// The flag called `name`: `yes` or `no`, and false if it is not there.
    pub fn flag(&mut self, name: &str) -> Option<bool> {
        self.take(name, false, |value| match value {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        })
    }

    /// The version of the rules, called `rules`; `None` for one that this program does not know.
    pub fn rules(&mut self) -> Option<u16> {
        self.take("rules", 1, |value| {
            let version = value.parse().ok()?;
            (1..=RULES).contains(&version).then_some(version)
        })
    }

    /// Ends the reading; `None` if an option is left, which a later version must have written.
    #[must_use]
    pub fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// The text of a flag of [`Options`].
#[must_use]
pub const fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// The part of `outages` after `from`: earlier ones were given back already, or cost no player time.
#[must_use]
pub(crate) fn lost_since(outages: &[(Time, Time)], from: Time) -> Duration {
    let lost = |(since, until): &(Time, Time)| from.max(*since).until(*until);
    outages.iter().map(lost).sum()
}
