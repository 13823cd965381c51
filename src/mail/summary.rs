//! The summary of a match for a mail: from its state and its people to words.

use crate::texts::outcome::{result, sides, verdict};
use crate::texts::{away, full_stop, list};
use std::collections::BTreeMap;
use std::time::Duration;

use chrono_tz::Tz;

use super::text;
use perplex_games::registry;
use perplex_games::rules::{Seat, Side};
use perplex_matches::correspondence::event::{Event, EventKind};
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::correspondence::{Match, Phase};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::{Time, hours, in_words};

const TURNS_TOLD: usize = 6;

#[derive(Clone, Debug)]
pub struct News {
    pub kind: MatchMail,
    pub id: MatchId,
    pub state: Match,
    pub event: Event,
    pub reader: AccountId,
    pub zone: Tz,
    pub names: BTreeMap<AccountId, String>,
    /// The time in which no player could act, since the reader's last turn.
    pub away: Duration,
    /// The messages that the reader has not seen, each with its author; only in mails about talk.
    pub said: Vec<(AccountId, String)>,
    /// The notes that came with events: by the number of the event, the author and the text.
    pub notes: BTreeMap<i32, (AccountId, String)>,
}

pub fn days(days: u8) -> String {
    match days {
        1 => "one day".to_owned(),
        days => format!("{days} days"),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnLine {
    /// "Ada played c1-a1."
    pub turn: String,
    pub note: String,
}

/// The parts of a mail about a match. All names are one bounded line, fit for a header.
#[derive(Clone, Debug, Default)]
pub struct MatchSummary {
    pub reader: String,
    pub game: String,
    /// The variant, if it isn't the ordinary game: " (for four, in two teams)".
    pub variant: String,
    /// A sentence about an outage, or empty.
    pub away: String,
    /// "3 days", for each turn.
    pub days: String,
    /// The seats, as far as they are settled before the match begins: a sentence or empty.
    pub seating: String,
    pub opponents: String,
    pub partners: String,
    pub seat: String,
    pub actor: String,
    /// The authors of the messages.
    pub writers: String,
    pub mover: String,
    pub mine: bool,
    pub made: usize,
    /// The turns since the reader's last, the youngest last.
    pub turns: Vec<TurnLine>,
    /// The time the reader has left: "3 days"; empty if there is no deadline or it has passed.
    pub left: String,
    pub deadline: String,
    /// The questions that wait for an answer, in sentences; empty if there are none.
    pub waits: String,
    pub offer: bool,
    pub offerer: String,
    /// "You won", "You lost" or "A draw".
    pub result: &'static str,
    pub verdict: String,
    pub board: String,
}

impl News {
    fn name(&self, account: &AccountId) -> String {
        let name = self.names.get(account).map_or("", String::as_str);
        match text::line(name, text::NAME) {
            name if name.is_empty() => "deleted player".to_owned(),
            name => name,
        }
    }

    /// The people of the match other than the reader, and, once it has begun, only those on `side`.
    fn people(&self, side: Option<Side>) -> Vec<String> {
        let mut people: Vec<&AccountId> = self.state.joined.iter().map(|p| &p.account).collect();
        if !self.state.has_begun() {
            people.extend(&self.state.invited);
        }
        people
            .into_iter()
            .filter(|account| **account != self.reader)
            .filter(|account| side.is_none() || self.state.side_of(account) == side)
            .map(|account| self.name(account))
            .collect()
    }

    /// The turns since the reader's last one (at least one), with the others' notes.
    fn turns(&self) -> Vec<TurnLine> {
        let mut told = Vec::new();
        for (ply, past) in self.state.game.past().iter().enumerate().rev() {
            let Seat(seat) = past.seat;
            let Some(mover) = self.state.joined.get(usize::from(seat)) else {
                break;
            };
            let mover = &mover.account;
            if told.len() == TURNS_TOLD || (*mover == self.reader && !told.is_empty()) {
                break;
            }
            let who = if *mover == self.reader {
                "You".to_owned()
            } else {
                self.name(mover)
            };
            let turn = format!("{who} {}.", text::line(&past.clause, 600));
            let event = self.state.turns.get(ply).map(|(_, event)| *event);
            told.push(TurnLine {
                turn,
                note: event.map_or_else(String::new, |event| self.note(event)),
            });
        }
        told.reverse();
        // A note with an event other than a turn, such as an offer or a resignation.
        if !matches!(self.event.kind, EventKind::Turn(_)) {
            let note = self.note(self.event.number);
            if !note.is_empty() {
                let writer = self.event.by.as_ref().map(|by| self.name(by));
                told.push(TurnLine {
                    turn: format!("{} writes:", writer.unwrap_or_default()),
                    note,
                });
            }
        }
        told
    }

    fn writers(&self) -> Vec<String> {
        let mut writers: Vec<&AccountId> = Vec::new();
        for (by, _) in &self.said {
            if !writers.contains(&by) {
                writers.push(by);
            }
        }
        writers.into_iter().map(|by| self.name(by)).collect()
    }

    /// The messages, those of one author in a row together.
    fn said(&self) -> Vec<TurnLine> {
        let mut told: Vec<TurnLine> = Vec::new();
        for (by, message) in &self.said {
            let (turn, message) = (format!("{} writes:", self.name(by)), text::note(message));
            match told.last_mut().filter(|last| last.turn == turn) {
                Some(last) => last.note = format!("{}\n{message}", last.note),
                None => told.push(TurnLine {
                    turn,
                    note: message,
                }),
            }
        }
        told
    }

    fn note(&self, event: i32) -> String {
        match self.notes.get(&event) {
            Some((by, note)) if *by != self.reader => text::note(note),
            _ => String::new(),
        }
    }

    fn seating(&self) -> String {
        if self.state.phase != Phase::Gathering {
            return String::new();
        }
        let maker = &self.state.maker;
        let wish = self
            .state
            .joined
            .iter()
            .find(|player| player.account == *maker)
            .and_then(|player| player.wish.as_deref());
        let seats = self.state.game.seats();
        match wish.and_then(|wish| seats.iter().find(|seat| seat.key == wish)) {
            Some(seat) => format!("{} plays {}.", self.name(maker), seat.name),
            None => "Who plays first is left to chance.".to_owned(),
        }
    }

    pub fn summary(&self, now: Time) -> MatchSummary {
        let state = &self.state;
        let entry = registry::find(&state.terms.game);
        let variant = entry
            .and_then(|entry| {
                let variants = entry.card.variants.iter();
                variants
                    .filter(|variant| !variant.key.is_empty())
                    .find(|variant| variant.key == state.terms.variant)
            })
            .map(|variant| format!(" ({})", variant.name));
        let mine = state.side_of(&self.reader);
        let opponents = self.people(mine.map(Side::other));
        let partners = mine.map(|side| self.people(Some(side)));
        let seat = state
            .seat_of(&self.reader)
            .and_then(|Seat(seat)| state.game.seats().get(usize::from(seat)));
        let mover = state.player_to_move();
        let named = |account: Option<&AccountId>| {
            account.map_or_else(String::new, |account| self.name(account))
        };
        // The mail goes out a little after the event: three days should not become "2 days" by that.
        let slack = |left: Duration| {
            if left > hours(1) {
                left + Duration::from_mins(10)
            } else {
                left
            }
        };
        let deadline = state.deadline;
        let left = deadline
            .map(|deadline| now.until(deadline))
            .filter(|left| !left.is_zero())
            .map(|left| in_words(slack(left)));
        let (result, verdict) = state.outcome.map_or(("Over", String::new()), |outcome| {
            let names = sides(seat.is_some().then_some(&opponents[..]));
            (result(outcome, mine), verdict(outcome, mine, names))
        });
        let offering = state.offer.filter(|offer| Some(*offer) != mine);
        MatchSummary {
            reader: self.name(&self.reader),
            game: entry
                .map_or(state.terms.game.as_str(), |entry| entry.card.name)
                .to_owned(),
            variant: variant.unwrap_or_default(),
            days: days(state.terms.days),
            seating: self.seating(),
            opponents: list(&opponents),
            partners: list(&partners.unwrap_or_default()),
            seat: seat.map_or("", |seat| seat.name).to_owned(),
            actor: named(self.event.by.as_ref()),
            writers: list(&self.writers()),
            mover: named(mover),
            mine: mover == Some(&self.reader),
            made: state.turns.len(),
            turns: match self.kind {
                MatchMail::Talk => self.said(),
                _ => self.turns(),
            },
            left: left.unwrap_or_default(),
            deadline: deadline.map_or_else(String::new, |time| time.local(self.zone)),
            away: if self.away.is_zero() {
                String::new()
            } else {
                full_stop(&away(self.away))
            },
            waits: state
                .game
                .waits()
                .map_or_else(String::new, |waits| text::line(&waits, 900)),
            offer: offering.is_some(),
            offerer: match (offering, opponents.as_slice()) {
                (Some(_), [one]) => one.clone(),
                _ => "The other side".to_owned(),
            },
            result,
            verdict,
            board: state.game.text(),
        }
    }
}
