use std::sync::Arc;

use perplex_games::rules::Side;
use perplex_matches::classroom::seating::{Past, Person, stand_in};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::names;
use perplex_matches::team::event::{Actor, Duties, Event, EventKind, MemberId, Terms};
use perplex_matches::team::policy::is_public;
use perplex_matches::team::{self, Command, Happened, Logged, Match, Phase, Refusal, Who};
use perplex_matches::time::Time;

use super::lesson::LessonView;
use super::{Loaded, TeamAccess, TeamFault, devices, mail, refuse, talk};
use crate::app::aggregate::{Attempt, Attempting, Followed, Outcome, Step, StoredMatch};
use crate::app::correspondence::new_id;
use crate::app::invited::use_up;
use crate::app::limits::count;
use crate::app::memory::Matches;
use crate::app::snapshots::TeamSnapshot;
use crate::app::{App, AppError, NotAllowed, Viewer as Account, invalid};
use crate::store::invited_addresses;
use crate::store::journal::{self, NextCheck};
use crate::store::matches::{self, MatchRow};
use crate::store::members::{self, MemberRow};
use crate::store::{Conn, MatchKind, Phase as Stage, Winner, lessons as lesson_rows};

const GAME: &str = "perplexichess";
pub const LONGEST_TITLE: usize = 60;

/// Data that are written with the events of a team match but are not part of them.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct Extra {
    pub newcomer: Option<(AccountId, String)>,
    pub new_name: Option<String>,
    /// The address, as addresses are compared, by whose invitation somebody joins.
    pub invitation: Option<String>,
}

impl StoredMatch for Match {
    const KIND: MatchKind = MatchKind::Team;

    type Snapshot = TeamSnapshot;
    type Extra = Extra;

    fn matches(app: &App) -> &Matches<Self, TeamSnapshot> {
        &app.teams
    }

    fn project(&self, row: &mut MatchRow) {
        self.terms.size.key().clone_into(&mut row.variant);
        row.phase = match self.phase {
            Phase::Gathering => Stage::Gathering,
            Phase::Playing | Phase::Paused => Stage::Playing,
            Phase::Over => Stage::Over,
        };
        row.listed = is_public(&self.terms, row.class_id.is_some());
        row.deadline = self.deadline();
        row.winner = self.outcome().map(|outcome| Winner::from(outcome.winner));
        row.reason = self.outcome().map(|outcome| outcome.reason.to_string());
    }

    fn next_check(step: &Step<Self>) -> NextCheck {
        mail::next_look(&step.before, &step.after, step.now)
    }

    fn follow(conn: &mut Conn, step: &Step<Self>) -> Result<Followed, AppError> {
        let id = &step.row.id;
        if step.row.class_id.is_some() && step.row.phase == Stage::Over {
            lesson_rows::set_code(conn, id, None)?;
        }
        for event in &step.events {
            match &event.kind {
                EventKind::Join(member, _) => {
                    if let Some(address) = &step.extra.invitation {
                        use_up(conn, id, address)?;
                    }
                    let (account_id, name) = step.extra.newcomer.clone().unzip();
                    if let Some(account) = &account_id {
                        members::forget_invitation(conn, id, account)?;
                        invited_addresses::remove_of(conn, id, account)?;
                    }
                    if step.before.members.contains_key(member) {
                        members::come_back(conn, id, *member)?;
                    } else {
                        let row = MemberRow {
                            match_id: id.clone(),
                            number: i32::from(member.0),
                            account_id,
                            name: name.unwrap_or_default(),
                            active: true,
                            seat: None,
                            news_seen: 0,
                            news_kept: String::new(),
                            news_mailed: 0,
                            talk_seen: 0,
                            hand_at: None,
                        };
                        members::add(conn, &row)?;
                    }
                    talk::begin(conn, step, *member)?;
                }
                EventKind::Team(member, _) => talk::begin(conn, step, *member)?,
                EventKind::CallOff => {
                    members::forget_invitations(conn, id)?;
                    invited_addresses::clear(conn, id)?;
                }
                EventKind::Leave(member) => members::end(conn, id, *member)?,
                EventKind::Rename(member) => {
                    let name = step.extra.new_name.as_deref().unwrap_or_default();
                    members::rename(conn, id, *member, name)?;
                }
                EventKind::RemoveMessage(message, _) => {
                    talk::overwrite(conn, &step.ring, id, *message)?;
                }
                _ => {}
            }
        }
        let parts = |kind: &EventKind| {
            matches!(
                kind,
                EventKind::Start | EventKind::Resume | EventKind::Team(..)
            )
        };
        if step.row.class_id.is_some()
            && step.after.phase == Phase::Playing
            && step.events.iter().any(|event| parts(&event.kind))
        {
            devices::part_sides(conn, id, &step.after)?;
        }
        Ok(Followed {
            mail: mail::enqueue(conn, step)?,
            talk: 0,
        })
    }

    fn committed(&self, _: &App) {}
}

pub(super) fn new_row(id: MatchId, title: String, host: &AccountId, state: &Match) -> MatchRow {
    let mut row = MatchRow::new(id, MatchKind::Team, host.clone(), state.created);
    row.title = title;
    GAME.clone_into(&mut row.game);
    row.head = state.head;
    state.project(&mut row);
    row
}

impl App {
    pub async fn create_team(
        &self,
        host: &Account,
        title: &str,
        terms: Terms,
    ) -> Result<MatchId, AppError> {
        host.require_adult_account()?;
        let title = names::name(title, LONGEST_TITLE);
        let title = title.map_err(|_| invalid("title", TeamFault::Title))?;
        count(&self.limits.create_account, &host.id.0)?;
        let now = self.now();
        let events = team::create(terms, now).map_err(|refusal| refuse(refusal, false))?;
        let state = Match::replay(&events)?;
        let id = new_id();
        let row = new_row(id.clone(), title, &host.id, &state);
        self.write(move |conn| {
            matches::create(conn, &row)?;
            journal::append::<Match>(conn, &row.id, &events)?;
            Ok::<_, AppError>(())
        })
        .await?;
        Ok(id)
    }

    /// Does something in a team match, and tells the open pages. Numbers new members.
    pub async fn act_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        command: Command,
    ) -> Result<Arc<Match>, AppError> {
        self.act_naming(access, id, command, None).await
    }

    /// [`act_in_team`](Self::act_in_team) with the name for a new member.
    pub(super) async fn act_naming(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        command: Command,
        name: Option<String>,
    ) -> Result<Arc<Match>, AppError> {
        if let Some(account) = &access.account {
            account.require(|kind| command.is_for(kind))?;
            // A journal is replayed for ever. Turns are bounded by the rules.
            if !matches!(command, Command::Play { .. }) {
                count(&self.limits.acts_account, &account.id.0)?;
            }
        }
        let (asked, name) = (&command, &name);
        let attempt = || -> Attempting<'_, Match> {
            Box::pin(async move {
                let now = self.now();
                let moved = moved(asked);
                let (loaded, lesson) = self
                    .load_team(access, id, move |conn, loaded| match moved {
                        Some(_) => LessonView::read(conn, loaded, now),
                        None => Ok(None),
                    })
                    .await?;
                let state = &loaded.state;
                let current = loaded
                    .viewer
                    .member
                    .filter(|member| state.members.get(member).is_some_and(|m| m.left.is_none()));
                let command = match (asked, &access.account) {
                    (Command::Join(..), None) => return Err(AppError::SignIn),
                    (Command::Join(..), _) if current.is_some() => {
                        return Err(loaded.refuse(Refusal::TakesPart { you: true }));
                    }
                    // A former member gets the same number again.
                    (Command::Join(_, team), _) => {
                        let before = loaded.viewer.member;
                        Command::Join(before.unwrap_or_else(|| state.next_member()), *team)
                    }
                    (command, _) => (*command).clone(),
                };
                let joins = matches!(command, Command::Join(..));
                let arranges = matches!(command, Command::Team(..) | Command::Arrange(..));
                if arranges && loaded.row.class_id.is_some() && !loaded.viewer.host {
                    return Err(AppError::Forbidden(NotAllowed::TeamsInLesson));
                }
                let who = Who {
                    host: loaded.viewer.host && !joins,
                    member: current,
                };
                let first = lesson.zip(moved).and_then(|(mut lesson, moved)| {
                    lesson.add_seen(self.presence.seen(id));
                    handed_over(&loaded, &lesson, moved, now)
                });
                let decided = match first {
                    Some(first) => decide_both(state, &who, [&first, &command], now),
                    None => state.decide(&who, &command, now, rand::random()),
                };
                let events = match decided {
                    // The same command from a second click or after a lost answer: it is done already.
                    Err(Refusal::Changed(_)) if took_already(state, current, &command) => {
                        return Ok(Attempt::Already(loaded.state));
                    }
                    decided => decided.map_err(|refusal| loaded.refuse(refusal))?,
                };
                let newcomer = access.account.as_ref().filter(|_| joins);
                let newcomer = newcomer.map(|account| (account.id.clone(), account.name.clone()));
                Ok(Attempt::Decided {
                    row: Box::new(loaded.row),
                    state: loaded.state,
                    events,
                    extra: Extra {
                        newcomer,
                        new_name: name.clone(),
                        invitation: loaded.invitation.filter(|_| joins),
                    },
                })
            })
        };
        self.account_for_outage().await?;
        let Outcome { before, after } = self.carry_out(id, attempt).await?;
        if timed_out(&before, &after) && !matches!(command, Command::Stop) {
            let (loaded, ()) = self.load_team(access, id, |_, _| Ok(())).await?;
            return Err(loaded.refuse(Refusal::NotPlaying(Phase::Over)));
        }
        Ok(after)
    }
}

/// The member whom a command moves to another team or, without one, out of all teams.
const fn moved(command: &Command) -> Option<(MemberId, Option<Side>)> {
    match command {
        Command::Leave(member) => Some((*member, None)),
        Command::Team(member, to) => Some((*member, *to)),
        _ => None,
    }
}

/// The command that gives the duties of a member whom the teacher moves, in a lesson that has begun, to members who are
/// present. (A match itself does not know who is present.)
fn handed_over(
    loaded: &Loaded,
    lesson: &LessonView,
    (leaver, to): (MemberId, Option<Side>),
    now: Time,
) -> Option<Command> {
    let state = &loaded.state;
    if !loaded.viewer.host || !matches!(state.phase, Phase::Playing | Phase::Paused) {
        return None;
    }
    let side = state.side_of(leaver).filter(|side| Some(*side) != to)?;
    let team = state.team(side);
    let mut away = lesson.away(team, now);
    away.push(leaver);
    let others = without(state, side, &away);
    // Other absent members keep their duties: perhaps they come back.
    let mut after = team.duties.clone();
    for duty in team.duties.of(leaver) {
        after.set(duty, others.holder(duty));
    }
    (after != team.duties).then_some(Command::SetDuties(side, after))
}

/// The events of two commands, the second decided on what the first brings about.
fn decide_both(
    state: &Match,
    who: &Who,
    [first, second]: [&Command; 2],
    now: Time,
) -> Result<Vec<Event>, Refusal> {
    let mut events = state.decide(who, first, now, rand::random())?;
    let mut then = state.clone();
    for event in &events {
        then.apply(event)?;
    }
    events.extend(then.decide(who, second, now, rand::random())?);
    Ok(events)
}

/// The duties of a team once those of `away` have gone to members who are present; unchanged if there are none.
pub(super) fn without(state: &Match, side: Side, away: &[MemberId]) -> Duties {
    let team = state.team(side);
    let person = |id: &MemberId| Person {
        id: *id,
        side: None,
        past: Past::default(),
    };
    let people: Vec<Person> = team.members.iter().map(person).collect();
    // The proposal stays the same until something happens.
    let chance = u64::from(state.head.unsigned_abs());
    stand_in(&people, &team.duties, away, chance)
}

/// True if this very command of this member changed the board.
fn took_already(state: &Match, member: Option<MemberId>, command: &Command) -> bool {
    let member = member.map(Actor::Member);
    let (board, seen, kind, by) = match command {
        Command::Play {
            board, seen, turn, ..
        } => {
            let line = EventKind::Line(format!("{board} {turn}"));
            (*board, Some(*seen), line, member)
        }
        Command::Transfer { transfer, .. } => (
            transfer.from,
            None,
            EventKind::Line(transfer.to_string()),
            member,
        ),
        Command::TakeBack { board, seen } => (
            *board,
            Some(*seen),
            EventKind::TakeBack(*board),
            Some(Actor::Host),
        ),
        _ => return false,
    };
    // Each of these has made another version of the board.
    let mut lines = state.log.iter().filter(|logged| {
        matches!(
            logged.event.kind,
            EventKind::Line(_) | EventKind::TakeBack(_)
        ) && logged.boards.contains(&board)
    });
    let line = match seen {
        Some(seen) => lines.nth(usize::try_from(seen).unwrap_or(usize::MAX)),
        None => lines.next_back(),
    };
    // A move may have been typed in another notation than the journal's.
    let typed = |logged: &Logged| match (&logged.happened, command) {
        (Happened::Moved { san, .. }, Command::Play { turn, .. }) => turn.trim() == san,
        _ => false,
    };
    // A line that was taken back since would have to be played again.
    line.is_some_and(|logged| {
        (logged.event.kind == kind || typed(logged))
            && by == Some(logged.event.by)
            && state.is_in_force(logged)
    })
}

fn timed_out(before: &Match, after: &Match) -> bool {
    before.phase != Phase::Over
        && after.phase == Phase::Over
        && after
            .log
            .last()
            .is_some_and(|logged| logged.event.by == Actor::Server)
}
