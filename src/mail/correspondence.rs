//! The texts of mails about correspondence matches.
#![allow(
    clippy::ref_binding_to_reference,
    reason = "the code that askama generates binds so"
)]

use std::time::Duration;

use askama::Template;

use super::page::{BOARD, Board, OPEN, TURNS, TurnLine};
use super::text::{self, Line};
use crate::app::computer::find;
use crate::app::mails;
use crate::app::mails::MatchNews;
use crate::texts::in_words;
use crate::texts::matches::{board_in_mail, claimable, declined, offer_stands};
use crate::texts::outcome::{claimed, result, sides, verdict, why};
use crate::texts::rulebook::points_out;
use crate::texts::talk::message;
use crate::texts::{DELETED, away, days, full_stop, list};
use perplex_games::board::View;
use perplex_games::game::PlayedTurn;
use perplex_games::registry;
use perplex_games::rules::{Seat, Side};
use perplex_matches::correspondence::event::EventKind;
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::correspondence::{Declined, Phase};
use perplex_matches::id::AccountId;
use perplex_matches::time::hours;

/// The texts about a match, one for each kind.
#[derive(Template)]
enum MatchText<'a> {
    #[template(path = "mail/challenge.txt")]
    Challenge { m: &'a MatchSummary },
    #[template(path = "mail/started.txt")]
    Started { m: &'a MatchSummary },
    #[template(path = "mail/refused.txt")]
    Refused { m: &'a MatchSummary },
    #[template(path = "mail/left.txt")]
    Left { m: &'a MatchSummary },
    #[template(path = "mail/draw-declined.txt")]
    DrawDeclined { m: &'a MatchSummary },
    #[template(path = "mail/talk.txt")]
    Talk { m: &'a MatchSummary },
    #[template(path = "mail/your-turn.txt")]
    YourTurn { m: &'a MatchSummary },
    #[template(path = "mail/draw-offer.txt")]
    DrawOffer { m: &'a MatchSummary },
    #[template(path = "mail/reminder.txt")]
    Reminder { m: &'a MatchSummary },
    #[template(path = "mail/game-over.txt")]
    GameOver { m: &'a MatchSummary },
}

impl<'a> MatchText<'a> {
    const fn of(kind: MatchMail, m: &'a MatchSummary) -> Self {
        match kind {
            MatchMail::Challenge => Self::Challenge { m },
            MatchMail::Started => Self::Started { m },
            MatchMail::Refused => Self::Refused { m },
            MatchMail::Left => Self::Left { m },
            MatchMail::DrawDeclined => Self::DrawDeclined { m },
            MatchMail::Talk => Self::Talk { m },
            MatchMail::YourTurn => Self::YourTurn { m },
            MatchMail::DrawOffer => Self::DrawOffer { m },
            MatchMail::Reminder => Self::Reminder { m },
            MatchMail::GameOver => Self::GameOver { m },
        }
    }
}

/// An invitation to a match, to an address that may have no account.
#[derive(Clone, Debug, Template)]
#[template(path = "mail/invitation.txt")]
pub struct Invitation {
    pub from: Line,
    pub path: String,
    pub game: String,
    pub tagline: String,
    /// "3 days", for each turn.
    pub days: String,
    /// True if visitors make accounts themselves.
    pub open: bool,
}

impl Invitation {
    pub fn of(invitation: mails::Invitation) -> Self {
        let card = registry::find(&invitation.game).map(|entry| entry.card);
        Self {
            from: Line::name(&invitation.from),
            path: invitation.path,
            game: card.map_or("a game", |card| card.name).to_owned(),
            tagline: card.map_or("", |card| card.tagline).to_owned(),
            days: days(invitation.days),
            open: invitation.open,
        }
    }
}

const TURNS_TOLD: usize = 6;

/// The news of a match, in words.
#[derive(Clone, Debug)]
pub struct News(pub MatchNews);

/// The parts of a mail about a match. All names are one bounded line, fit for a header.
#[derive(Clone, Debug, Default)]
struct MatchSummary {
    game: String,
    /// The variant, if it isn't the ordinary game: " (for four, in two teams)".
    variant: String,
    /// A sentence about an outage, or empty.
    away: String,
    /// "3 days", for each turn.
    days: String,
    /// The seats, as far as they are settled before the match begins: a sentence or empty.
    seating: String,
    opponents: String,
    partners: String,
    seat: String,
    actor: String,
    /// True if the match waits for players.
    gathers: bool,
    /// The authors of the messages.
    writers: String,
    mover: String,
    mine: bool,
    made: usize,
    /// The time the reader has left: "3 days"; empty if there is no deadline or it has passed.
    left: String,
    deadline: String,
    /// The questions that wait for an answer, in sentences; empty if there are none.
    waits: String,
    /// What a rule in words that waits names although its limits keep it out, or nothing.
    points_out: String,
    offer: bool,
    offerer: String,
    /// That the reader's own offer of a draw was declined, or stands, or that a draw can be claimed: sentences, or empty.
    draw: String,
    /// "You won", "You lost" or "A draw".
    result: &'static str,
    verdict: String,
}

impl News {
    fn name(&self, account: &AccountId) -> String {
        let name = self.0.names.get(account).map_or("", String::as_str);
        match text::line(name, text::NAME) {
            name if name.is_empty() => DELETED.to_owned(),
            name => name,
        }
    }

    /// The people of the match other than the reader, and, once it has begun, only those on `side`.
    fn people(&self, side: Option<Side>) -> Vec<String> {
        let mut people: Vec<&AccountId> = self.0.state.joined.iter().map(|p| &p.account).collect();
        if !self.0.state.has_begun() {
            people.extend(&self.0.state.invited);
        }
        people
            .into_iter()
            .filter(|account| **account != self.0.reader)
            .filter(|account| side.is_none() || self.0.state.side_of(account) == side)
            .map(|account| self.name(account))
            .collect()
    }

    /// The player who made the turn.
    fn mover(&self, turn: &PlayedTurn) -> Option<&AccountId> {
        let Seat(seat) = turn.seat;
        let player = self.0.state.joined.get(usize::from(seat));
        player.map(|player| &player.account)
    }

    /// The turn of `mover` in a sentence, its clause in at most `most` characters.
    fn turn(&self, mover: &AccountId, turn: &PlayedTurn, most: usize) -> String {
        let who = if *mover == self.0.reader {
            "You".to_owned()
        } else {
            self.name(mover)
        };
        full_stop(&format!("{who} {}", text::line(&turn.clause, most)))
    }

    /// The board as its reader sees it on the page, with the last turn marked.
    pub fn board(&self) -> Board {
        let game = &self.0.state.game;
        let seat = self.0.state.seat_of(&self.0.reader);
        let turned = seat.map_or(0, |seat| game.facing(seat));
        let diagram = if self.0.official_signs {
            game.diagram().with_official_signs()
        } else {
            game.diagram()
        };
        let drawing = diagram.turned(turned).svg(&View {
            coordinates: true,
            defs: true,
            brief: true,
            ..View::default()
        });
        let seat = seat.and_then(|Seat(seat)| game.seats().get(usize::from(seat)));
        let past = game.past();
        let last = past
            .last()
            .and_then(|turn| Some(self.turn(self.mover(turn)?, turn, 200)));
        Board {
            text: game.text(turned),
            alt: board_in_mail(seat.map(|seat| seat.name), last.as_deref()),
            notes: game.notes(),
            drawing,
            shown: None,
        }
    }

    /// The turns since the reader's last one (at least one), after the reader's proposal if the first answers it, with
    /// the others' notes.
    fn turns(&self) -> Vec<TurnLine> {
        let mut told = Vec::new();
        let mut is_answered = false;
        for (ply, past) in self.0.state.game.past().iter().enumerate().rev() {
            let Some(mover) = self.mover(past) else {
                break;
            };
            let is_before = *mover == self.0.reader && !told.is_empty();
            if told.len() == TURNS_TOLD || (is_before && !is_answered) {
                break;
            }
            let turn = self.turn(mover, past, 600);
            let event = self.0.state.turns.get(ply).map(|(_, event)| *event);
            told.push(TurnLine {
                turn,
                note: event.map_or_else(String::new, |event| self.note(event)),
            });
            if is_before {
                break;
            }
            is_answered = past.answers;
        }
        told.reverse();
        // A note with an event other than a turn, such as an offer or a resignation.
        if !matches!(self.0.event.kind, EventKind::Turn(_)) {
            let note = self.note(self.0.event.number);
            if !note.is_empty() {
                let writer = self.0.event.by.as_ref().map(|by| self.name(by));
                told.push(TurnLine {
                    turn: format!("{} writes:", writer.unwrap_or_default()),
                    note,
                });
            }
        }
        told
    }

    /// What else the reader, who is on this side, is to know of draws.
    fn draw(&self, mine: Option<Side>) -> String {
        let state = &self.0.state;
        let is_to_move = state.player_to_move() == Some(&self.0.reader);
        let claim = state.game.claim().filter(|_| is_to_move);
        let claim = claim.map(|claim| claimable(claim.reason).to_owned());
        let answer = mine.and_then(|mine| {
            if state.offer == Some(mine) {
                return Some(offer_stands(true, state.keeps_offers()).to_owned());
            }
            let Declined { event, by } = state.declined(mine)?;
            // Another mail tells who declined it in words.
            let by_turn = state.turns.iter().any(|(_, number)| number == event);
            by_turn.then(|| declined(&self.name(by), find(by).is_some()))
        });
        let told: Vec<String> = answer.into_iter().chain(claim).collect();
        told.join(" ")
    }

    fn writers(&self) -> Vec<String> {
        let mut writers: Vec<&AccountId> = Vec::new();
        for (by, _) in &self.0.said {
            if !writers.contains(&by) {
                writers.push(by);
            }
        }
        writers.into_iter().map(|by| self.name(by)).collect()
    }

    /// The messages, those of one author in a row together.
    fn said(&self) -> Vec<TurnLine> {
        let mut told: Vec<TurnLine> = Vec::new();
        for (by, said) in &self.0.said {
            let (turn, message) = (
                format!("{} writes:", self.name(by)),
                text::note(message(said.as_deref())),
            );
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
        match self.0.notes.get(&event) {
            Some((by, note)) if *by != self.0.reader => text::note(message(note.as_deref())),
            _ => String::new(),
        }
    }

    /// The filled template of its kind.
    pub fn render(&self) -> askama::Result<String> {
        MatchText::of(self.0.kind, &self.summary()).render()
    }

    /// The path of the page that the button opens.
    pub fn path(&self) -> String {
        format!("/match/{}", self.0.id)
    }

    /// The news, one by one: messages, or the turns since the reader's last, the youngest last.
    pub fn lines(&self) -> Vec<TurnLine> {
        match self.0.kind {
            MatchMail::Talk => self.said(),
            _ => self.turns(),
        }
    }

    fn seating(&self) -> String {
        if self.0.state.phase != Phase::Gathering {
            return String::new();
        }
        let maker = &self.0.state.maker;
        let wish = self
            .0
            .state
            .joined
            .iter()
            .find(|player| player.account == *maker)
            .and_then(|player| player.wish.as_deref());
        let seats = self.0.state.game.seats();
        match wish.and_then(|wish| seats.iter().find(|seat| seat.key == wish)) {
            Some(seat) => format!("{} plays {}.", self.name(maker), seat.name),
            None => "Who plays first is left to chance.".to_owned(),
        }
    }

    fn summary(&self) -> MatchSummary {
        let (state, now) = (&self.0.state, self.0.at);
        let entry = registry::find(&state.terms.game);
        let variant = entry
            .and_then(|entry| {
                let variants = entry.card.variants.iter();
                variants
                    .filter(|variant| !variant.key.is_empty())
                    .find(|variant| variant.key == state.terms.variant)
            })
            .map(|variant| format!(" ({})", variant.name));
        let mine = state.side_of(&self.0.reader);
        let opponents = self.people(mine.map(Side::other));
        let partners = mine.map(|side| self.people(Some(side)));
        let seat = state
            .seat_of(&self.0.reader)
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
            let why = match &state.claimed {
                Some(by) if *by == self.0.reader => claimed("you", outcome.reason),
                Some(by) => claimed(&self.name(by), outcome.reason),
                None => why(outcome, mine, names),
            };
            (result(outcome, mine), verdict(outcome, mine, &why))
        });
        let offering = state.offer.filter(|offer| Some(*offer) != mine);
        MatchSummary {
            game: entry
                .map_or(state.terms.game.as_str(), |entry| entry.card.name)
                .to_owned(),
            variant: variant.unwrap_or_default(),
            days: days(state.terms.days),
            seating: self.seating(),
            opponents: list(&opponents),
            partners: list(&partners.unwrap_or_default()),
            seat: seat.map_or("", |seat| seat.name).to_owned(),
            actor: if self.0.address.is_empty() {
                named(self.0.event.by.as_ref())
            } else {
                text::line(&self.0.address, text::ADDRESS)
            },
            gathers: state.phase == Phase::Gathering,
            writers: list(&self.writers()),
            mover: named(mover),
            mine: mover == Some(&self.0.reader),
            made: state.turns.len(),
            left: left.unwrap_or_default(),
            deadline: deadline.map_or_else(String::new, |time| time.local(self.0.zone)),
            away: if self.0.away.is_zero() {
                String::new()
            } else {
                full_stop(&away(self.0.away))
            },
            waits: state
                .game
                .waits()
                .map_or_else(String::new, |waits| text::line(&waits, 900)),
            points_out: state
                .game
                .flexichess()
                .and_then(points_out)
                .unwrap_or_default(),
            draw: self.draw(mine),
            offer: offering.is_some(),
            offerer: match (offering, opponents.as_slice()) {
                (Some(_), [one]) => one.clone(),
                _ => "The other side".to_owned(),
            },
            result,
            verdict,
        }
    }
}
