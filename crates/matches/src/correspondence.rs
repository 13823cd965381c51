//! A correspondence match: replays its events, decides commands. Pure: the time is an argument,
//! and so is chance.
//!
//! [`Match::replay`] gives the state, [`Match::decide`] turns a command into the events that
//! follow from it or a [`Refusal`], and [`Match::apply`] moves the state on by one event.

use std::time::Duration;

use crate::journal::{Aggregate, RULES, lost_since};
use crate::time::{Time, days};
use perplex_games::game::{AnyGame, PASS};
use perplex_games::registry;
use perplex_games::rules::{Outcome, Reason, Seat, Side, TurnError};

pub mod event;
pub mod notice;
pub mod policy;

use crate::id::{AccountId, AccountKind};
use event::{Event, EventKind, Terms};

/// The shortest outage for which a player gets time back.
const LEAST_AWAY: Duration = Duration::from_mins(10);
/// The most days a player may have for a turn.
pub const MOST_DAYS: u8 = 30;
/// The most unanswered invitations to a match.
pub const MOST_INVITED: usize = 8;

/// The stage of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Players are still missing.
    Gathering,
    /// It is being played.
    Playing,
    /// It was decided, or never began.
    Over,
}

/// A player who has joined, and their wish for a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The player.
    pub account: AccountId,
    /// The key of the seat; `None` takes any that is left.
    pub wish: Option<String>,
}

/// A request of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take part, in the seat with this key or in any.
    Join {
        /// The key of the seat.
        wish: Option<String>,
        /// True if the player came by the link of the match, which admits to a closed match.
        by_link: bool,
    },
    /// Ask one more person to take part.
    Invite(AccountId),
    /// Say no to a challenge.
    Refuse,
    /// Leave before the match has begun; its maker withdraws it instead.
    Leave,
    /// Call off a match that has not begun.
    Withdraw,
    /// Make a turn.
    Play {
        /// The number of turns the player has seen: the turn is refused if there were more since.
        ply: usize,
        /// The turn, in any notation that the game reads.
        turn: String,
        /// True if a draw is claimed with it, or offered if that claim is not right (FIDE 9.2.1.1, 9.3.1).
        offer: bool,
    },
    /// Claim a draw in one's own turn, or offer one if that claim is not right; accept one that the other side offers.
    Offer,
    /// Accept the draw that is on offer.
    Accept,
    /// Decline it.
    Decline,
    /// Give up.
    Resign,
}

impl Command {
    /// True if accounts of this kind may give it: guests play the match that they have begun, and pupils play lessons only.
    #[must_use]
    pub const fn is_for(&self, kind: AccountKind) -> bool {
        match kind {
            AccountKind::Adult => true,
            AccountKind::Pupil => false,
            AccountKind::Guest => matches!(
                self,
                Self::Play { .. } | Self::Offer | Self::Accept | Self::Decline | Self::Resign
            ),
        }
    }
}

/// The reason why a command was not carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{self:?}")]
pub enum Refusal {
    /// The turn was made for a position that is no longer on the board.
    Changed,
    /// The match is not being played: it has not begun, or it is over.
    NotPlaying(Phase),
    /// The time for the turn had run out before the command arrived, and the match is over.
    TooLate,
    /// Another player is to move.
    NotYourTurn,
    /// The text of the turn was misspelt, or the turn is illegal.
    Turn(TurnError),
    /// The actor does not play in this match.
    NotAPlayer,
    /// The actor is not challenged, or no longer.
    NotChallenged,
    /// A player who has joined may leave before the match begins, but not its maker; no other player may.
    CannotLeave,
    /// The maker may call off the match before it begins; no other player may.
    CannotCallOff,
    /// The maker of a match for more than two may invite some people before it begins; no other player may.
    CannotInvite,
    /// The player who is to be invited is invited already.
    InvitedAlready,
    /// The player has joined already.
    JoinedAlready {
        /// True if that player gave the command.
        you: bool,
    },
    /// The match takes no more players.
    NotGathering,
    /// The match is closed, and the actor was not invited.
    NotInvited,
    /// Another player has the seat.
    SeatTaken,
    /// No offer of a draw waits for the actor's answer.
    NoOffer,
    /// A draw is already offered.
    OfferStands,
    /// The offer was declined, and may be repeated after the next turn.
    OfferDeclined,
}

/// The reason why a match cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{self:?}")]
pub enum TermsError {
    /// No game has this key.
    NoSuchGame(String),
    /// The game has no such variant.
    NoSuchVariant {
        /// The name of the game.
        game: &'static str,
        /// The key of the variant.
        variant: String,
    },
    /// The game has no seat with this key.
    NoSuchSeat(String),
    /// A turn would have this number of days: it can have 1 to [`MOST_DAYS`].
    Days(u8),
    /// The maker challenges themselves.
    OwnChallenge,
}

/// The answer that declined an offer of a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined {
    /// The number of its event: the words, or the turn in reply.
    pub event: i32,
    /// The player who gave it.
    pub by: AccountId,
}

/// The state of a match after replaying its events.
#[derive(Clone, Debug)]
pub struct Match {
    /// The number of its last event.
    pub head: i32,
    /// The agreed terms.
    pub terms: Terms,
    /// The version of the rules that it is played under.
    pub rules: u16,
    /// The player who made it.
    pub maker: AccountId,
    /// The time of its creation.
    pub created: Time,
    /// The stage it has reached.
    pub phase: Phase,
    /// Players who were challenged and have not answered.
    pub invited: Vec<AccountId>,
    /// Players who have joined, in that order; once it has begun, in the order of the seats.
    pub joined: Vec<Joined>,
    /// The game itself.
    pub game: Box<dyn AnyGame>,
    /// The time of each turn, and the number of its event.
    pub turns: Vec<(Time, i32)>,
    /// The side whose offer of a draw stands.
    pub offer: Option<Side>,
    /// The ply at which each side last offered a draw.
    offered: [Option<usize>; 2],
    /// The event that declined the offer of a draw of each side, in words or by a turn, until that side plays.
    declined: [Option<Declined>; 2],
    /// The player who claimed the draw that ended the match.
    pub claimed: Option<AccountId>,
    /// The time at which the player to move loses.
    pub deadline: Option<Time>,
    /// Outages since the last turn, added to the deadline.
    pub away: Duration,
    /// The time of the last such addition.
    given_back: Option<Time>,
    /// The time at which the turn of the player to move began.
    turn_began: Option<Time>,
    /// The outcome; `None` also for a match that was called off.
    pub outcome: Option<Outcome>,
    /// The time of its end.
    pub ended: Option<Time>,
}

/// Checks the terms that a player wants before a match is made.
///
/// # Errors
/// The game, the variant or the number of days is wrong.
pub fn check_terms(terms: &Terms) -> Result<Box<dyn AnyGame>, TermsError> {
    game_under(terms, RULES)
}

/// The game at its start, under this version of the rules.
fn game_under(terms: &Terms, rules: u16) -> Result<Box<dyn AnyGame>, TermsError> {
    let entry = registry::find(&terms.game);
    let entry = entry.ok_or_else(|| TermsError::NoSuchGame(terms.game.clone()))?;
    if !(1..=MOST_DAYS).contains(&terms.days) {
        return Err(TermsError::Days(terms.days));
    }
    entry
        .setup_under(&terms.variant, rules)
        .ok_or_else(|| TermsError::NoSuchVariant {
            game: entry.card.name,
            variant: terms.variant.clone(),
        })
}

/// The events that make a match: it exists, its maker has joined, a player may be challenged.
///
/// # Errors
/// The terms are wrong, or do not fit the seat or the challenge.
pub fn create(
    maker: &AccountId,
    terms: Terms,
    wish: Option<String>,
    challenge: Option<AccountId>,
    now: Time,
) -> Result<Vec<Event>, TermsError> {
    let game = check_terms(&terms)?;
    if let Some(wish) = &wish
        && !game.seats().iter().any(|seat| seat.key == wish)
    {
        return Err(TermsError::NoSuchSeat(wish.clone()));
    }
    if challenge.as_ref() == Some(maker) {
        return Err(TermsError::OwnChallenge);
    }
    let whats = [EventKind::Create(terms, RULES), EventKind::Join(wish)]
        .into_iter()
        .chain(challenge.map(EventKind::Invite));
    Ok(number(0, maker, whats.collect(), now))
}

/// Numbers events after `head`.
fn number(head: i32, by: &AccountId, whats: Vec<EventKind>, at: Time) -> Vec<Event> {
    (head + 1..)
        .zip(whats)
        .map(|(number, kind)| Event {
            number,
            at,
            by: Some(by.clone()),
            kind,
        })
        .collect()
}

impl Aggregate for Match {
    type Author = Option<AccountId>;
    type EventKind = EventKind;
    type Commander = AccountId;
    type Command = Command;
    type Refusal = Refusal;

    fn begin(first: &Event) -> Result<Self, String> {
        let (EventKind::Create(terms, rules), Some(maker)) = (&first.kind, &first.by) else {
            return Err("a match begins with `create`".to_owned());
        };
        Ok(Self {
            head: first.number,
            rules: *rules,
            game: game_under(terms, *rules).map_err(|error| error.to_string())?,
            terms: terms.clone(),
            maker: maker.clone(),
            created: first.at,
            phase: Phase::Gathering,
            invited: Vec::new(),
            joined: Vec::new(),
            turns: Vec::new(),
            offer: None,
            offered: [None; 2],
            declined: [None, None],
            claimed: None,
            deadline: None,
            away: Duration::ZERO,
            given_back: None,
            turn_began: None,
            outcome: None,
            ended: None,
        })
    }

    fn head(&self) -> i32 {
        self.head
    }

    fn change(&mut self, event: &Event) -> Result<(), String> {
        let by = event.by.as_ref();
        let side = by.and_then(|account| self.side_of(account));
        match &event.kind {
            EventKind::Create(..) => return Err("a match is made only once".to_owned()),
            EventKind::Invite(account) => self.invited.push(account.clone()),
            EventKind::Join(wish) => {
                let account = by.ok_or("the server does not join")?.clone();
                self.invited.retain(|invited| *invited != account);
                self.joined.push(Joined {
                    account,
                    wish: wish.clone(),
                });
            }
            EventKind::Refuse => {
                self.invited.retain(|invited| Some(invited) != by);
                // With more than two seats another player can be asked instead.
                if self.game.seats().len() == 2 {
                    self.end(None, event.at);
                }
            }
            EventKind::Leave => self.joined.retain(|player| Some(&player.account) != by),
            EventKind::Withdraw => self.end(None, event.at),
            EventKind::Start(people) => {
                self.joined = people
                    .iter()
                    .zip(self.game.seats())
                    .map(|(account, seat)| Joined {
                        account: account.clone(),
                        wish: Some(seat.key.to_owned()),
                    })
                    .collect();
                // Players who came by the link have taken the seats of those invited.
                self.invited.clear();
                self.phase = Phase::Playing;
                self.set_deadline(event.at);
            }
            EventKind::Turn(text) => {
                if let Some(mover) = self.side_to_move() {
                    self.declined[mover.index()] = None;
                }
                // Nobody declines by a pass that the server plays.
                let is_nobodys = self.keeps_offers() && by.is_none();
                if !(is_nobodys || self.offer_outlives_turn()) {
                    self.decline(event);
                }
                self.game.play(text).map_err(|error| error.to_string())?;
                self.turns.push((event.at, event.number));
                self.set_deadline(event.at);
                if let Some(outcome) = self.game.outcome() {
                    self.end(Some(outcome), event.at);
                }
            }
            EventKind::Offer => {
                self.offer = side;
                if let Some(side) = side {
                    self.offered[side.index()] = Some(self.turns.len());
                }
            }
            EventKind::Accept => self.end(Some(Outcome::draw(Reason::Agreement)), event.at),
            EventKind::Claim => {
                let outcome = self.game.claim().ok_or("no draw can be claimed")?;
                self.claimed = by.cloned();
                self.end(Some(outcome), event.at);
            }
            EventKind::Decline => self.decline(event),
            EventKind::Resign => {
                let side = side.ok_or("only a player resigns")?;
                self.end(Some(Outcome::win(side.other(), Reason::Resign)), event.at);
            }
            EventKind::Away(seconds) => {
                let time = Duration::from_secs(u64::from(*seconds));
                self.deadline = self.deadline.map(|deadline| deadline + time);
                self.away += time;
                self.given_back = Some(event.at);
            }
            EventKind::Timeout => {
                let side = self.side_to_move().ok_or("no player is to move")?;
                self.end(Some(Outcome::win(side.other(), Reason::Time)), event.at);
            }
        }
        self.head = event.number;
        Ok(())
    }

    /// `chance` gives out the seats for which no player asked.
    fn decide_in_time(
        &self,
        actor: &AccountId,
        command: &Command,
        now: Time,
        chance: u64,
    ) -> Result<Vec<Event>, Refusal> {
        let whats = match command {
            Command::Join { wish, by_link } => {
                self.decide_join(actor, wish.as_ref(), *by_link, chance)?
            }
            Command::Invite(account) => {
                self.may_invite(actor, account)?;
                vec![EventKind::Invite(account.clone())]
            }
            Command::Refuse => {
                if !self.invited.contains(actor) || self.phase != Phase::Gathering {
                    return Err(Refusal::NotChallenged);
                }
                vec![EventKind::Refuse]
            }
            Command::Leave => {
                let joined = self.joined.iter().any(|player| player.account == *actor);
                if !joined || *actor == self.maker || self.phase != Phase::Gathering {
                    return Err(Refusal::CannotLeave);
                }
                vec![EventKind::Leave]
            }
            Command::Withdraw => {
                if *actor != self.maker || self.phase != Phase::Gathering {
                    return Err(Refusal::CannotCallOff);
                }
                vec![EventKind::Withdraw]
            }
            Command::Play { ply, turn, offer } => {
                return self.decide_play(actor, *ply, turn, *offer, now);
            }
            Command::Offer => {
                let side = self.player(actor)?;
                let claims = self.player_to_move() == Some(actor) && self.game.claim().is_some();
                vec![if claims {
                    EventKind::Claim
                } else if self.offer == Some(side.other()) {
                    EventKind::Accept
                } else {
                    self.may_offer(side, self.turns.len())?;
                    EventKind::Offer
                }]
            }
            Command::Accept | Command::Decline => {
                let side = self.player(actor)?;
                if self.offer != Some(side.other()) {
                    return Err(Refusal::NoOffer);
                }
                vec![if *command == Command::Accept {
                    EventKind::Accept
                } else {
                    EventKind::Decline
                }]
            }
            Command::Resign => {
                self.player(actor)?;
                vec![EventKind::Resign]
            }
        };
        Ok(number(self.head, actor, whats, now))
    }

    fn time_out(&self, now: Time) -> Vec<Event> {
        let is_late = self.deadline.is_some_and(|deadline| deadline <= now);
        let timeout = (self.phase == Phase::Playing && is_late).then(|| Event {
            number: self.head + 1,
            at: now,
            by: None,
            kind: EventKind::Timeout,
        });
        timeout.into_iter().collect()
    }

    fn is_time_back(event: &Event) -> bool {
        matches!(event.kind, EventKind::Away(_))
    }

    fn give_back(&self, outages: &[(Time, Time)], now: Time) -> Vec<Event> {
        let Some(began) = self.turn_began.filter(|_| self.deadline.is_some()) else {
            return Vec::new();
        };
        let from = self.given_back.map_or(began, |given| began.max(given));
        let lost = lost_since(outages, from);
        if lost < LEAST_AWAY {
            return Vec::new();
        }
        vec![Event {
            number: self.head + 1,
            at: now,
            by: None,
            kind: EventKind::Away(u32::try_from(lost.as_secs()).unwrap_or(u32::MAX)),
        }]
    }
}

impl Match {
    fn end(&mut self, outcome: Option<Outcome>, at: Time) {
        self.phase = Phase::Over;
        self.outcome = outcome;
        self.offer = None;
        self.deadline = None;
        self.ended = Some(at);
    }

    /// Ends the offer that stands. That its own side's turn ended it, as under the first version of the rules, is no answer.
    fn decline(&mut self, event: &Event) {
        let Some(side) = self.offer.take() else {
            return;
        };
        let by = event.by.clone();
        let by = by.filter(|account| self.side_of(account) == Some(side.other()));
        self.declined[side.index()] = by.map(|by| Declined {
            event: event.number,
            by,
        });
    }

    /// The answer that declined the last offer of a draw by this side, which has not played since.
    #[must_use]
    pub fn declined(&self, side: Side) -> Option<&Declined> {
        let declined = self.declined[side.index()].as_ref();
        declined.filter(|_| self.phase == Phase::Playing)
    }

    /// True if an offer of a draw stands, though the side that made it plays a turn.
    #[must_use]
    pub const fn keeps_offers(&self) -> bool {
        self.rules >= 2
    }

    fn set_deadline(&mut self, from: Time) {
        self.deadline = Some(from + days(u64::from(self.terms.days)));
        self.away = Duration::ZERO;
        self.turn_began = Some(from);
    }

    /// The seat of `account`; `None` for spectators, and before the match has begun.
    #[must_use]
    pub fn seat_of(&self, account: &AccountId) -> Option<Seat> {
        if !self.has_begun() {
            return None;
        }
        let seat = self.joined.iter().position(|p| p.account == *account)?;
        u8::try_from(seat).ok().map(Seat)
    }

    /// True once the seats were given out, even if the match is over.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.joined.len() == self.game.seats().len() && self.phase != Phase::Gathering
    }

    /// The side that `account` plays for.
    #[must_use]
    pub fn side_of(&self, account: &AccountId) -> Option<Side> {
        self.seat_of(account).map(|seat| self.game.side_of(seat))
    }

    /// The seat to move; `None` unless the match is being played.
    #[must_use]
    pub fn to_move(&self) -> Option<Seat> {
        if self.phase == Phase::Playing {
            self.game.to_move()
        } else {
            None
        }
    }

    /// The player to move.
    #[must_use]
    pub fn player_to_move(&self) -> Option<&AccountId> {
        let Seat(seat) = self.to_move()?;
        Some(&self.joined.get(usize::from(seat))?.account)
    }

    fn side_to_move(&self) -> Option<Side> {
        self.to_move().map(|seat| self.game.side_of(seat))
    }

    /// The keys of the seats that a joining player may still wish for.
    #[must_use]
    pub fn free_seats(&self) -> Vec<&'static str> {
        self.game
            .seats()
            .iter()
            .map(|seat| seat.key)
            .filter(|key| !self.joined.iter().any(|p| p.wish.as_deref() == Some(*key)))
            .collect()
    }

    /// The side of a player in a match that is being played.
    fn player(&self, actor: &AccountId) -> Result<Side, Refusal> {
        if self.phase != Phase::Playing {
            return Err(Refusal::NotPlaying(self.phase));
        }
        self.side_of(actor).ok_or(Refusal::NotAPlayer)
    }

    /// True if the offer that stands goes on standing when the side to move plays now: if it is that side's own (FIDE
    /// 9.1.2.1), or a proposal is answered, which is not yet a turn in reply. Under version 1 of the rules every turn
    /// withdrew it.
    fn offer_outlives_turn(&self) -> bool {
        let is_own = self.offer == self.side_to_move();
        self.keeps_offers() && (is_own || self.game.waits().is_some())
    }

    /// Allows each side one offer for each turn it makes, and none while an offer stands.
    fn may_offer(&self, side: Side, ply: usize) -> Result<(), Refusal> {
        if self.offer.is_some() {
            return Err(Refusal::OfferStands);
        }
        let again = self.offered[side.index()].is_some_and(|offered| ply < offered + 2);
        if again {
            return Err(Refusal::OfferDeclined);
        }
        Ok(())
    }

    /// True while the maker may invite more players: in a match for more than two that has not
    /// begun, with fewer than [`MOST_INVITED`] unanswered invitations.
    #[must_use]
    pub fn is_inviting(&self, actor: &AccountId) -> bool {
        let seats = self.game.seats().len();
        self.phase == Phase::Gathering
            && *actor == self.maker
            && seats > 2
            && self.invited.len() < MOST_INVITED
    }

    fn may_invite(&self, actor: &AccountId, account: &AccountId) -> Result<(), Refusal> {
        if !self.is_inviting(actor) {
            return Err(Refusal::CannotInvite);
        }
        if self.joined.iter().any(|player| player.account == *account) {
            return Err(Refusal::JoinedAlready { you: false });
        }
        if self.invited.contains(account) {
            return Err(Refusal::InvitedAlready);
        }
        Ok(())
    }

    fn decide_join(
        &self,
        actor: &AccountId,
        wish: Option<&String>,
        by_link: bool,
        chance: u64,
    ) -> Result<Vec<EventKind>, Refusal> {
        if self.phase != Phase::Gathering {
            return Err(Refusal::NotGathering);
        }
        if self.joined.iter().any(|player| player.account == *actor) {
            return Err(Refusal::JoinedAlready { you: true });
        }
        if !(self.terms.open || by_link || self.invited.contains(actor)) {
            return Err(Refusal::NotInvited);
        }
        if let Some(wish) = wish
            && !self.free_seats().contains(&wish.as_str())
        {
            return Err(Refusal::SeatTaken);
        }
        let mut whats = vec![EventKind::Join(wish.cloned())];
        if self.joined.len() + 1 == self.game.seats().len() {
            let mut joined = self.joined.clone();
            joined.push(Joined {
                account: actor.clone(),
                wish: wish.cloned(),
            });
            whats.push(EventKind::Start(self.seated(joined, chance)));
        }
        Ok(whats)
    }

    /// The players in the order of the seats: wishes first, chance for the rest.
    fn seated(&self, joined: Vec<Joined>, mut chance: u64) -> Vec<AccountId> {
        let (wishing, mut others): (Vec<Joined>, Vec<Joined>) =
            joined.into_iter().partition(|player| player.wish.is_some());
        self.game
            .seats()
            .iter()
            .filter_map(|seat| {
                let wished = wishing.iter().find(|p| p.wish.as_deref() == Some(seat.key));
                if let Some(player) = wished {
                    return Some(player.account.clone());
                }
                let left = u64::try_from(others.len()).unwrap_or(1).max(1);
                let pick = usize::try_from(chance % left).unwrap_or(0);
                chance /= left;
                (pick < others.len()).then(|| others.remove(pick).account)
            })
            .collect()
    }

    /// What follows from claiming or offering a draw with the turn of `side` that leads to `after`; nothing if its own
    /// offer stands already, and goes on, or after a wrong claim so soon after an offer that it cannot be another one.
    fn drawn_with_turn(
        &self,
        side: Side,
        after: &dyn AnyGame,
    ) -> Result<Option<EventKind>, Refusal> {
        if after.claim().is_some() {
            return Ok(Some(EventKind::Claim));
        }
        if self.offer == Some(side.other()) {
            return Ok(Some(EventKind::Accept));
        }
        if self.offer_outlives_turn() && self.offer == Some(side) {
            return Ok(None);
        }
        let asked = Self {
            offer: None,
            ..self.clone()
        };
        match asked.may_offer(side, self.turns.len() + 1) {
            Ok(()) => Ok(Some(EventKind::Offer)),
            // A wrong claim, after which the turn stands.
            Err(_) if !self.game.claims().is_empty() => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    fn decide_play(
        &self,
        actor: &AccountId,
        ply: usize,
        turn: &str,
        offer: bool,
        now: Time,
    ) -> Result<Vec<Event>, Refusal> {
        let side = self.player(actor)?;
        if ply != self.turns.len() {
            return Err(Refusal::Changed);
        }
        if self.player_to_move() != Some(actor) {
            return Err(Refusal::NotYourTurn);
        }
        let mut game = self.game.clone();
        let canonical = game.play(turn).map_err(Refusal::Turn)?;
        let mut whats = vec![EventKind::Turn(canonical)];
        if offer && game.outcome().is_none() {
            whats.extend(self.drawn_with_turn(side, &*game)?);
        }
        let mut events = number(self.head, actor, whats, now);
        // A pass that is the only legal turn is played by the server.
        while game.must_pass() {
            let _ = game.play(PASS);
            let number = self.head + 1 + i32::try_from(events.len()).unwrap_or(0);
            events.push(Event {
                number,
                at: now,
                by: None,
                kind: EventKind::Turn(PASS.to_owned()),
            });
        }
        Ok(events)
    }
}
