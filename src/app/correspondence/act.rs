//! Acts of a player in a match: decided, written with all that follows from them, and told to open pages.

use std::sync::Arc;
use std::time::Duration;

use perplex_games::rules::{Reason, Seat};
use perplex_matches::correspondence::event::{Event, EventKind};
use perplex_matches::correspondence::notice::{MailKind as MatchMail, next_reminder, notices};
use perplex_matches::correspondence::policy::rights;
use perplex_matches::correspondence::{Command, Match, Phase, Refusal};
use perplex_matches::id::{AccountId, AccountKind, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::time::Time;

use super::Way;
use crate::app::aggregate::{Attempt, Attempting, Followed, Outcome, Step, StoredMatch};
use crate::app::invited::use_up;
use crate::app::mail_kind::MailKind;
use crate::app::memory::Matches;
use crate::app::notifications::{Notification, When, notify};
use crate::app::snapshots::CorrespondenceSnapshot;
use crate::app::talk::{self, NewMessage, line};
use crate::app::{Actor, App, AppError, computer};
use crate::store::invited_addresses;
use crate::store::journal::NextCheck;
use crate::store::matches::{self, MatchRow};
use crate::store::members::{self, MemberRow};
use crate::store::talk::EVERYBODY;
use crate::store::{Conn, MatchKind, Phase as Stage, StoreError};

/// Data that are written with the events of a match but are not part of them.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct Extra {
    /// What a player says with a turn.
    note: Option<String>,
    /// The address, as addresses are compared, by whose invitation somebody joins.
    invitation: Option<String>,
}

impl StoredMatch for Match {
    const KIND: MatchKind = MatchKind::Correspondence;

    type Snapshot = CorrespondenceSnapshot;
    /// The note that goes to the players with a turn.
    type Extra = Extra;

    fn matches(app: &App) -> &Matches<Self, CorrespondenceSnapshot> {
        &app.correspondence
    }

    fn project(&self, row: &mut MatchRow) {
        row.phase = stage(self.phase);
        row.listed = self.terms.open && self.phase == Phase::Gathering;
        row.ply = i32::try_from(self.turns.len()).unwrap_or(i32::MAX);
        row.to_move = self.player_to_move().cloned();
        row.deadline = self.deadline;
        row.winner = self.outcome.map(|outcome| outcome.winner.into());
        row.reason = self.outcome.map(|outcome| outcome.reason.to_string());
    }

    fn next_check(step: &Step<Self>) -> NextCheck {
        if step.before.deadline == step.after.deadline {
            return NextCheck::Unchanged;
        }
        NextCheck::At(reminder(&step.after, step.now))
    }

    fn follow(conn: &mut Conn, step: &Step<Self>) -> Result<Followed, AppError> {
        let id = &step.row.id;
        if let Some(address) = &step.extra.invitation {
            use_up(conn, id, address)?;
        }
        if step.events.iter().any(changes_people) {
            set_people(conn, id, &step.after)?;
        }
        let mut followed = Followed {
            mail: enqueue_notices(
                conn,
                id,
                &step.after,
                &step.events,
                step.mail_pause,
                step.now,
            )?,
            talk: 0,
        };
        let first = step.events.first();
        if let Some(note) = &step.extra.note
            && let Some((number, by)) =
                first.and_then(|event| Some((event.number, event.by.as_ref()?)))
        {
            let message = NewMessage {
                id,
                channel: EVERYBODY,
                by: by.to_string(),
                text: note,
                event: Some(number),
                now: step.now,
            };
            followed.talk = talk::post(conn, &step.ring, message)?.1;
            members::see_match(conn, id, by, 0, followed.talk)?;
        }
        Ok(followed)
    }

    fn committed(&self, app: &App) {
        if waits_for_computer(self) {
            app.computers.notify_one();
        }
    }
}

impl App {
    /// Does something in a match, as `actor`, and tells the open pages. `link` is the proof from the link of the
    /// match, if the actor has it; `note` goes to the players with a turn.
    pub async fn act(
        &self,
        actor: impl Into<Actor>,
        id: &MatchId,
        link: Option<&str>,
        command: Command,
        note: &str,
    ) -> Result<Arc<Match>, AppError> {
        let actor = actor.into();
        actor.require(|kind| command.is_for(kind))?;
        let (account, is_guest) = (actor.account, actor.kind == AccountKind::Guest);
        let note = line("note", note)?;
        let note = note.filter(|_| matches!(command, Command::Play { .. }) && !is_guest);
        let (account, command, note) = (&account, &command, &note);
        let attempt = || -> Attempting<'_, Match> {
            Box::pin(async move {
                let way = self.way_by(id, link).await?;
                let by_link = way.is_open();
                let command = match command {
                    Command::Join { wish, .. } => &Command::Join {
                        wish: wish.clone(),
                        by_link,
                    },
                    command => command,
                };
                let invitation = match (command, way) {
                    (Command::Join { .. }, Way::Invitation(address)) => Some(address),
                    _ => None,
                };
                let (state, _) = self.load::<Match>(id).await?;
                if !rights(&state, Some(account), by_link).see {
                    return Err(AppError::NotFound);
                }
                let now = self.now();
                let events = match state.decide(account, command, now, rand::random()) {
                    // The same turn may have ended the match.
                    Err(Refusal::Changed | Refusal::NotPlaying(Phase::Over))
                        if took_already(&state, account, command) =>
                    {
                        return Ok(Attempt::Already(state));
                    }
                    decided => decided?,
                };
                Ok(Attempt::Decided {
                    row: Box::new(row_of(id, &state)),
                    state,
                    events,
                    extra: Extra {
                        note: note.clone(),
                        invitation,
                    },
                })
            })
        };
        self.account_for_outage().await?;
        let Outcome { before, after } = self.carry_out(id, attempt).await?;
        if before.phase == Phase::Playing && timed_out(&after) {
            return Err(AppError::Refused(Refusal::TooLate));
        }
        Ok(after)
    }
}

/// The time to remind the player to move.
fn reminder(state: &Match, now: Time) -> Option<Time> {
    next_reminder(state.deadline?, state.terms.days, now)
}

pub(super) fn row_of(id: &MatchId, state: &Match) -> MatchRow {
    let mut row = MatchRow::new(
        id.clone(),
        MatchKind::Correspondence,
        state.maker.clone(),
        state.created,
    );
    row.game.clone_from(&state.terms.game);
    row.variant.clone_from(&state.terms.variant);
    row.days = i32::from(state.terms.days);
    row.head = state.head;
    row.look_at = reminder(state, state.created);
    state.project(&mut row);
    row
}

pub(super) fn set_people(conn: &mut Conn, id: &MatchId, state: &Match) -> Result<(), StoreError> {
    let begun = state.has_begun();
    let rows: Vec<MemberRow> = (0i32..)
        .zip(&state.joined)
        .map(|(index, player)| MemberRow {
            match_id: id.clone(),
            number: index + 1,
            account_id: Some(player.account.clone()),
            name: String::new(),
            active: true,
            seat: begun.then_some(index),
            news_seen: 0,
            news_kept: String::new(),
            news_mailed: 0,
            talk_seen: 0,
            hand_at: None,
        })
        .collect();
    // A match that was called off invites no player.
    let invited: &[AccountId] = match state.phase {
        Phase::Over => &[],
        _ => &state.invited,
    };
    if state.phase != Phase::Gathering {
        invited_addresses::clear(conn, id)?;
    }
    members::set(conn, id, &rows, invited)
}

const fn stage(phase: Phase) -> Stage {
    match phase {
        Phase::Gathering => Stage::Gathering,
        Phase::Playing => Stage::Playing,
        Phase::Over => Stage::Over,
    }
}

fn changes_people(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Create(..)
            | EventKind::Invite(_)
            | EventKind::Join(_)
            | EventKind::Refuse
            | EventKind::Withdraw
            | EventKind::Leave
            | EventKind::Start(_)
    )
}

pub(super) fn enqueue_notices(
    conn: &mut Conn,
    id: &MatchId,
    after: &Match,
    events: &[Event],
    pause: Duration,
    now: Time,
) -> Result<bool, AppError> {
    let notices = notices(after, events);
    if notices.is_empty() {
        return Ok(false);
    }
    let told = notices.into_iter().map(|notice| {
        match_notification(&notice.to, id, notice.kind, notice.event).when(When::Paused(pause))
    });
    Ok(notify(conn, told.collect(), now)?)
}

fn match_notification(to: &AccountId, id: &MatchId, kind: MatchMail, event: i32) -> Notification {
    let kind = MailKind::Match(kind);
    Notification::to_account(kind, to)
        .about(id, Some(event))
        .called(format!("{}.{id}.{event}.{to}", kind.key()))
}

impl App {
    /// Reminds the player to move that time runs out; `false` if there is no mail to send.
    pub(in crate::app) async fn remind(&self, row: MatchRow) -> Result<bool, AppError> {
        let now = self.now();
        self.write(move |conn| {
            let days = u8::try_from(row.days).unwrap_or(u8::MAX);
            let next = row
                .deadline
                .and_then(|deadline| next_reminder(deadline, days, now));
            // Only one process claims it, and none does if there was a turn in between.
            if !matches::claim_look(conn, &row.id, now, next)? {
                return Ok::<_, AppError>(false);
            }
            let turn = if next.is_some() { "first" } else { "last" };
            let told = row.to_move.iter().map(|to| {
                let key = MailKind::Match(MatchMail::Reminder).key();
                match_notification(to, &row.id, MatchMail::Reminder, row.head)
                    .called(format!("{turn}-{key}.{}.{}.{to}", row.id, row.head))
                    // One about the same turn that could not be sent yet says how much is left when it is.
                    .joining(row.head)
            });
            Ok(notify(conn, told.collect(), now)?)
        })
        .await
    }
}

/// Writes the mails about a message without a turn to the other players; they leave together with what is said
/// meanwhile, and only to those who have not seen it then.
pub(super) fn tell_of_talk(
    conn: &mut Conn,
    id: &MatchId,
    state: &Match,
    by: &AccountId,
    now: Time,
) -> Result<bool, StoreError> {
    let players = state.joined.iter().map(|player| &player.account);
    let told = players.filter(|account| *account != by).map(|to| {
        let key = MailKind::Match(MatchMail::Talk).key();
        match_notification(to, id, MatchMail::Talk, state.head)
            // Two of them may be about the same event.
            .called(format!("{key}.{id}.{}.{to}.{}", state.head, now.0))
            .joining(0)
    });
    notify(conn, told.collect(), now)
}

pub(super) fn waits_for_computer(state: &Match) -> bool {
    state.player_to_move().and_then(computer::find).is_some()
}

fn timed_out(state: &Match) -> bool {
    state
        .outcome
        .is_some_and(|outcome| outcome.reason == Reason::Time)
}

/// True if the last turn on the board is this very command of this player.
fn took_already(state: &Match, actor: &AccountId, command: &Command) -> bool {
    let Command::Play { ply, turn, .. } = command else {
        return false;
    };
    let Some(Seat(seat)) = state.seat_of(actor) else {
        return false;
    };
    // Only passes that the server played can follow.
    let Some((taken, passes)) = state
        .game
        .turns()
        .get(*ply..)
        .and_then(<[String]>::split_first)
    else {
        return false;
    };
    let mut before = state.game.at(*ply);
    passes.iter().all(|turn| turn == "pass")
        && before.to_move() == Some(Seat(seat))
        && before.play(turn).ok().as_ref() == Some(taken)
}
