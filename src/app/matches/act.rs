//! What somebody does in a match: decided, written with all that follows from it, told.

use std::sync::Arc;

use super::{TRIES, line};
use crate::app::classes::grown;
use crate::app::computer;
use crate::app::live::Heads;
use crate::app::{App, AppError, Viewer};
use crate::store::accounts::{self as account_rows, Receiver};
use crate::store::journal::{self, MatchRow, PlayerRow};
use crate::store::{Change, Conn, Phase as Stage, Role, announce, outbox, talk};
use perplex_games::rules::{Reason, Seat};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::post::event::{Event, What};
use perplex_matches::post::notice::{Kind, notices};
use perplex_matches::post::policy::rights;
use perplex_matches::post::{Command, Match, Phase, Refusal};
use perplex_matches::time::{Time, hours};

impl App {
    /// Does something in a match, as `viewer`, and tells the open pages. `link` is the proof from
    /// the link of the match, if it was shown; `note` goes to the players with a turn.
    ///
    /// # Errors
    /// Not found for whoever may not see it; else what [`Match::decide`] refuses.
    pub async fn act(
        &self,
        viewer: &Viewer,
        id: &MatchId,
        link: Option<&str>,
        command: Command,
        note: &str,
    ) -> Result<Arc<Match>, AppError> {
        grown(viewer)?;
        let by_link = self.link_is_good(id, link);
        let command = match command {
            Command::Join { wish, .. } => Command::Join { wish, by_link },
            command => command,
        };
        let note = line(note)?;
        for _ in 0..TRIES {
            let (state, _) = self.load(id).await?;
            if !rights(&state, Some(&viewer.id), by_link).see {
                return Err(AppError::NotFound);
            }
            let now = self.now();
            let events = match state.decide(Some(&viewer.id), &command, now, rand::random()) {
                // The same turn once more, from a second click or a lost answer: it is taken
                // already. It may have ended the match.
                Err(Refusal::Changed | Refusal::NotPlaying(Phase::Over))
                    if took_already(&state, &viewer.id, &command) =>
                {
                    return Ok(state);
                }
                decided => decided?,
            };
            let note = note
                .clone()
                .filter(|_| matches!(command, Command::Play { .. }));
            let Some(after) = self.commit(id, &state, events, note, now).await? else {
                continue;
            };
            if timed_out(&after) && !matches!(command, Command::Tick) {
                return Err(AppError::Refused(Refusal::NotAllowed(
                    "The time for this turn had run out before it arrived. The match is over.",
                )));
            }
            return Ok(after);
        }
        Err(AppError::Internal(format!("match {id} is too busy")))
    }

    /// Writes what was decided and tells everyone; `None` if somebody else was quicker.
    pub(super) async fn commit(
        &self,
        id: &MatchId,
        state: &Arc<Match>,
        events: Vec<Event>,
        note: Option<String>,
        now: Time,
    ) -> Result<Option<Arc<Match>>, AppError> {
        if events.is_empty() {
            return Ok(Some(Arc::clone(state)));
        }
        let mut after = Match::clone(state);
        for event in &events {
            after.apply(event)?;
        }
        let after = Arc::new(after);
        let (from, written, match_id) = (state.head, Arc::clone(&after), id.clone());
        let done = self
            .store
            .write(move |conn| {
                let heads = write_events(
                    conn,
                    &match_id,
                    from,
                    &events,
                    &written,
                    note.as_deref(),
                    now,
                )?;
                if let Some(Heads { event, talk }) = heads {
                    let id = match_id;
                    announce(conn, &Change::Match { id, event, talk })?;
                }
                Ok::<_, AppError>(heads)
            })
            .await?;
        let Some(heads) = done else {
            return Ok(None);
        };
        self.cache(id, &after);
        self.live.tell(id, heads);
        self.outbox.notify_one();
        if waits_for_computer(&after) {
            self.computers.notify_one();
        }
        Ok(Some(after))
    }
}

/// What the tables show of a state: the row of the match, and its people.
pub(super) fn projection(
    id: &MatchId,
    state: &Match,
    talk_head: i32,
    now: Time,
) -> (MatchRow, Vec<PlayerRow>) {
    let remind_at = state
        .deadline
        .filter(|_| state.terms.days > 1)
        .map(|deadline| deadline - hours(24));
    let row = MatchRow {
        id: id.clone(),
        game: state.terms.game.clone(),
        variant: state.terms.variant.clone(),
        days: i32::from(state.terms.days),
        phase: stage(state.phase),
        listed: state.terms.open && state.phase == Phase::Gathering,
        head: state.head,
        ply: i32::try_from(state.turns.len()).unwrap_or(i32::MAX),
        talk_head,
        created_by: state.maker.clone(),
        created_at: state.created,
        updated_at: now,
        to_move: state.player_to_move().cloned(),
        deadline: state.deadline,
        remind_at,
        winner: state.outcome.map(|outcome| outcome.winner.into()),
        reason: state.outcome.map(|outcome| outcome.reason.to_string()),
    };
    let begun = state.has_begun();
    let joined = (0i32..).zip(&state.joined).map(|(seat, player)| PlayerRow {
        match_id: id.clone(),
        account_id: player.account.clone(),
        seen_talk: 0,
        role: if begun { Role::Seated } else { Role::Joined },
        seat: begun.then_some(seat),
    });
    let invited = state.invited.iter().map(|account| PlayerRow {
        match_id: id.clone(),
        account_id: account.clone(),
        seen_talk: 0,
        role: Role::Invited,
        seat: None,
    });
    (row, joined.chain(invited).collect())
}

/// A phase as the tables write it.
const fn stage(phase: Phase) -> Stage {
    match phase {
        Phase::Gathering => Stage::Gathering,
        Phase::Playing => Stage::Playing,
        Phase::Over => Stage::Over,
    }
}

/// Writes `events`, which led from head `from` to `after`, with all that follows from them, and says
/// how far the match has come at least. `None` if somebody else was quicker; then nothing is written.
fn write_events(
    conn: &mut Conn,
    id: &MatchId,
    from: i32,
    events: &[Event],
    after: &Match,
    note: Option<&str>,
    now: Time,
) -> Result<Option<Heads>, AppError> {
    let (row, people) = projection(id, after, 0, now);
    // The first statement of the transaction writes: it is what keeps two acts apart.
    if !journal::advance(conn, from, &row)? {
        return Ok(None);
    }
    journal::append(conn, id, events)?;
    if events.iter().any(changes_people) {
        journal::set_players(conn, id, &people)?;
    }
    let mut heads = Heads {
        event: after.head,
        talk: 0,
    };
    if let Some(note) = note
        && let Some(event) = events.first()
        && let Some(by) = &event.by
    {
        let number = talk::post(conn, id, by, note, Some(event.number), now)?;
        heads.talk = number.unwrap_or(0);
    }
    enqueue_notices(conn, id, after, events, now)?;
    Ok(Some(heads))
}

/// Whether the event changes who belongs to a match.
fn changes_people(event: &Event) -> bool {
    matches!(
        event.what,
        What::Create(_)
            | What::Invite(_)
            | What::Join(_)
            | What::Refuse
            | What::Leave
            | What::Start(_)
    )
}

pub(super) fn enqueue_notices(
    conn: &mut Conn,
    id: &MatchId,
    after: &Match,
    events: &[Event],
    now: Time,
) -> Result<(), AppError> {
    let notices = notices(after, events);
    if notices.is_empty() {
        return Ok(());
    }
    let ids: Vec<AccountId> = notices.iter().map(|notice| notice.to.clone()).collect();
    let receivers = account_rows::receivers(conn, &ids)?;
    let by_computer = events
        .iter()
        .any(|event| event.by.as_ref().and_then(computer::find).is_some());
    let mails: Vec<outbox::NewMail> = notices
        .into_iter()
        .filter_map(|notice| {
            let receiver = receivers.iter().find(|receiver| receiver.id == notice.to)?;
            let mut mail = match_mail(receiver, id, notice.kind, notice.event, now)?;
            if by_computer && notice.kind == Kind::YourTurn {
                mail.due_at = now + computer::MAIL_PAUSE;
            }
            Some(mail)
        })
        .collect();
    Ok(outbox::enqueue(conn, &mails, now)?)
}

/// The mail to `receiver`, unless that kind is switched off.
pub(super) fn match_mail(
    receiver: &Receiver,
    id: &MatchId,
    kind: Kind,
    event: i32,
    now: Time,
) -> Option<outbox::NewMail> {
    Some(outbox::NewMail {
        kind: kind.key().to_owned(),
        account_id: Some(receiver.id.clone()),
        address: receiver.address_for(kind.key())?.to_owned(),
        match_id: Some(id.clone()),
        team_id: None,
        event: Some(event),
        payload: "{}".to_owned(),
        due_at: now,
        message_id: format!("{}.{id}.{event}.{}", kind.key(), receiver.id),
    })
}

/// Whether the computer is to move.
pub(super) fn waits_for_computer(state: &Match) -> bool {
    state.player_to_move().and_then(computer::find).is_some()
}

fn timed_out(state: &Match) -> bool {
    state
        .outcome
        .is_some_and(|outcome| outcome.reason == Reason::Time)
}

/// Whether the last turn on the board is this very command of this player.
fn took_already(state: &Match, actor: &AccountId, command: &Command) -> bool {
    let Command::Play { ply, turn, .. } = command else {
        return false;
    };
    let Some(Seat(seat)) = state.seat_of(actor) else {
        return false;
    };
    // What follows can only be passes that the server played.
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
