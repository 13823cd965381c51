//! Making a team match and acting in it: deciding, committing, telling; and the end of the time.

use std::sync::{Arc, PoisonError};

use super::talk::all_talk;
use super::{LIST, Visit, host, mail, state_of};
use crate::app::classes::grown;
use crate::app::limits::count;
use crate::app::live::Heads;
use crate::app::matches::{TRIES, new_id};
use crate::app::{App, AppError, Viewer as Account, invalid};
use crate::store::lessons as lesson_rows;
use crate::store::teams::{self, MemberRow, TeamRow};
use crate::store::{Change, Phase as Stage, Winner, announce};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::event::{Actor, Event, MemberId, Terms, What};
use perplex_matches::team::{self, Command, Match, Phase, Refusal, Who};

/// The longest title of a match, in characters.
pub const LONGEST_TITLE: usize = 60;

/// The row that lists show.
pub(super) fn projection(id: &MatchId, title: &str, host: &AccountId, state: &Match) -> TeamRow {
    let updated = state.log.last().map_or(state.created, |l| l.event.at);
    TeamRow {
        id: id.clone(),
        title: title.to_owned(),
        host: host.clone(),
        size: state.terms.size.key().to_owned(),
        phase: match state.phase {
            Phase::Gathering => Stage::Gathering,
            Phase::Playing | Phase::Paused => Stage::Playing,
            Phase::Over => Stage::Over,
        },
        listed: state.terms.listed,
        head: state.head,
        created_at: state.created,
        updated_at: updated,
        deadline: state.deadline(),
        winner: state.outcome().map(|outcome| Winner::from(outcome.winner)),
        class_id: None,
        code: None,
    }
}

impl App {
    /// The place where those wait who act in a match at the same time.
    fn turnstile(&self, id: &MatchId) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self
            .turnstiles
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(id) {
            // Those where nobody waits go when another comes.
            all.retain(|_, one| Arc::strong_count(one) > 1);
        }
        Arc::clone(all.entry(id.clone()).or_default())
    }

    /// Makes a team match, and gives its id.
    ///
    /// # Errors
    /// A title or terms that are not right, too many matches.
    pub async fn create_team(
        &self,
        host: &Account,
        title: &str,
        terms: Terms,
    ) -> Result<MatchId, AppError> {
        grown(host)?;
        let title = title.trim().to_owned();
        if title.is_empty() || title.chars().count() > LONGEST_TITLE {
            return Err(invalid(
                "title",
                format!("Give the match a name of 1 to {LONGEST_TITLE} characters."),
            ));
        }
        count(&self.limits.create_account, &host.id.0)?;
        let now = self.now();
        let events = team::create(terms, now).map_err(|why| invalid("minutes", why))?;
        let state = Match::replay(&events)?;
        let id = new_id();
        let row = projection(&id, &title, &host.id, &state);
        let new = id.clone();
        self.store
            .write(move |conn| {
                teams::create(conn, &row)?;
                teams::append(conn, &new, &events)?;
                Ok::<_, AppError>(())
            })
            .await?;
        Ok(id)
    }

    /// Does something in a team match, and tells the open pages. The number of a new member is given here.
    ///
    /// # Errors
    /// Not found for whoever may not see it; who joins must be signed in; else what [`Match::decide`]
    /// refuses.
    pub async fn act_in_team(
        &self,
        visit: &Visit,
        id: &MatchId,
        command: Command,
    ) -> Result<Arc<Match>, AppError> {
        match command {
            Command::Leave(member) => self.hand_over(visit, id, member, None).await?,
            Command::Team(member, to) => self.hand_over(visit, id, member, to).await?,
            _ => {}
        }
        self.act_naming(visit, id, command, None).await
    }

    /// [`act_in_team`](Self::act_in_team), with the name that a member is given.
    pub(super) async fn act_naming(
        &self,
        visit: &Visit,
        id: &MatchId,
        command: Command,
        name: Option<String>,
    ) -> Result<Arc<Match>, AppError> {
        let turnstile = self.turnstile(id);
        let _one_at_a_time = turnstile.lock().await;
        for _ in 0..TRIES {
            let (loaded, ()) = self.load_team(visit, id, |_, _| Ok(())).await?;
            let state = &loaded.state;
            let current = loaded
                .viewer
                .member
                .filter(|member| state.members.get(member).is_some_and(|m| m.left.is_none()));
            let command = match (&command, &visit.account) {
                (Command::Join(..), None) => return Err(AppError::SignIn),
                (Command::Join(..), _) if current.is_some() => {
                    let why = "You take part in this match already.";
                    return Err(loaded.refuse(Refusal::NotAllowed(why.to_owned())));
                }
                (Command::Join(_, team), _) => Command::Join(state.next_member(), *team),
                (command, _) => (*command).clone(),
            };
            let joins = matches!(command, Command::Join(..));
            let arranges = matches!(command, Command::Team(..) | Command::Arrange(..));
            if arranges && loaded.row.class_id.is_some() && !loaded.viewer.host {
                return Err(AppError::Forbidden(
                    "In a lesson the teacher puts the teams together.",
                ));
            }
            let who = Who {
                host: loaded.viewer.host && !joins,
                member: current,
            };
            let now = self.now();
            let events = match state.decide(&who, &command, now, rand::random()) {
                // The same once more, from a second click or a lost answer: it is taken already.
                Err(Refusal::Changed(_)) if took_already(state, current, &command) => {
                    return Ok(Arc::clone(state));
                }
                decided => decided.map_err(|refusal| loaded.refuse(refusal))?,
            };
            let newcomer = visit.account.as_ref().filter(|_| joins);
            let newcomer = newcomer.map(|account| (account.id.clone(), account.name.clone()));
            let Some(after) = self
                .commit_team(id, &loaded.row, state, events, newcomer, name.clone())
                .await?
            else {
                continue;
            };
            if timed_out(state, &after) && !matches!(command, Command::Tick | Command::Stop) {
                return Err(loaded.refuse(Refusal::NotPlaying(Phase::Over)));
            }
            return Ok(after);
        }
        Err(AppError::Internal(format!("match {id} is too busy")))
    }

    /// Writes what was decided and tells everyone; `None` if somebody else was quicker. `newcomer` is whoever joins with
    /// it, by account and name, `new_name` what a member is called from now on.
    pub(super) async fn commit_team(
        &self,
        id: &MatchId,
        row: &TeamRow,
        state: &Arc<Match>,
        events: Vec<Event>,
        newcomer: Option<(AccountId, String)>,
        new_name: Option<String>,
    ) -> Result<Option<Arc<Match>>, AppError> {
        let Some(last) = events.last() else {
            return Ok(Some(Arc::clone(state)));
        };
        let head = last.number;
        let mut after = Match::clone(state);
        for event in &events {
            after.apply(event)?;
        }
        let after = Arc::new(after);
        let (from, match_id) = (state.head, id.clone());
        let row = TeamRow {
            class_id: row.class_id.clone(),
            code: row.code.clone(),
            ..projection(id, &row.title, &row.host, &after)
        };
        let now = self.now();
        let (earlier, later) = (Arc::clone(state), Arc::clone(&after));
        let ring = Arc::clone(&self.ring);
        let done = self
            .store
            .write(move |conn| {
                if !teams::advance(conn, &match_id, from, head - from)? {
                    return Ok(None);
                }
                teams::append(conn, &match_id, &events)?;
                teams::set_projection(conn, &row)?;
                if row.class_id.is_some() && row.phase == Stage::Over {
                    lesson_rows::set_code(conn, &match_id, None)?;
                }
                for event in &events {
                    match &event.what {
                        What::Join(member, _) => {
                            let (account_id, name) = newcomer.clone().unzip();
                            if let Some(account) = &account_id {
                                teams::forget_invitation(conn, &match_id, account)?;
                            }
                            let row = MemberRow {
                                match_id: match_id.clone(),
                                number: i32::from(member.0),
                                account_id,
                                name: name.unwrap_or_default(),
                                active: true,
                            };
                            teams::add_member(conn, &row)?;
                        }
                        What::CallOff => teams::forget_invitations(conn, &match_id)?,
                        What::Leave(member) => teams::end_member(conn, &match_id, *member)?,
                        What::Rename(member) => {
                            let name = new_name.as_deref().unwrap_or_default();
                            teams::rename_member(conn, &match_id, *member, name)?;
                        }
                        What::Hush(message, by) => {
                            host::overwrite(conn, &ring, &match_id, *message, *by)?;
                        }
                        _ => {}
                    }
                }
                if let Some(look) = mail::next_look(&earlier, &later, now) {
                    teams::set_look(conn, &match_id, look)?;
                }
                let mailed = mail::enqueue_turns(conn, &match_id, &row, &earlier, &later, now)?;
                let talk = all_talk(conn, &match_id)?;
                let (id, event) = (match_id, head);
                announce(conn, &Change::Team { id, event, talk })?;
                Ok::<_, AppError>(Some((talk, mailed)))
            })
            .await?;
        let Some((talk, mailed)) = done else {
            return Ok(None);
        };
        if mailed {
            self.outbox.notify_one();
        }
        self.keep_team(id, &after);
        self.team_live.tell(id, Heads { event: head, talk });
        Ok(Some(after))
    }

    /// What has to be done for team matches now and then: ends those whose time is up, writes who was there, tells by
    /// mail what waits, removes classes that nobody uses, and looks whether another process has changed the key of
    /// the talk.
    ///
    /// # Errors
    /// Only the database's; one match that fails does not stop the others.
    pub(in crate::app) async fn tick_teams(&self) -> Result<(), AppError> {
        if let Err(error) = self.ring.refresh() {
            tracing::error!(%error, "the keys of the talk cannot be read");
        }
        let now = self.now();
        let overdue = self
            .store
            .read(move |conn| teams::overdue(conn, now, LIST))
            .await?;
        for id in overdue {
            if let Err(error) = self.time_out_team(&id).await {
                tracing::error!(%id, %error, "a time limit could not be enforced");
            }
        }
        self.write_presence().await?;
        self.tell_what_waits().await?;
        self.purge_classes().await
    }

    async fn time_out_team(&self, id: &MatchId) -> Result<(), AppError> {
        for _ in 0..TRIES {
            let (kept, asked) = (self.kept_team(id), id.clone());
            let (row, state) = self
                .store
                .read(move |conn| {
                    let row = teams::find(conn, &asked)?.ok_or(AppError::NotFound)?;
                    let state = state_of(conn, &asked, row.head, kept)?;
                    Ok::<_, AppError>((row, state))
                })
                .await?;
            let events = state
                .decide(&Who::default(), &Command::Tick, self.now(), 0)
                .map_err(|refusal| AppError::Internal(refusal.to_string()))?;
            if self
                .commit_team(id, &row, &state, events, None, None)
                .await?
                .is_some()
            {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Whether this very command of this member is what changed the board.
fn took_already(state: &Match, member: Option<MemberId>, command: &Command) -> bool {
    let member = member.map(Actor::Member);
    let (board, seen, what, by) = match command {
        Command::Play { board, seen, turn } => {
            let line = What::Line(format!("{board} {turn}"));
            (*board, Some(*seen), line, member)
        }
        Command::Transfer { transfer, .. } => (
            transfer.from,
            None,
            What::Line(transfer.to_string()),
            member,
        ),
        Command::Back { board, seen } => {
            (*board, Some(*seen), What::Back(*board), Some(Actor::Host))
        }
        _ => return false,
    };
    // Each of these has made another version of the board.
    let mut lines = state.log.iter().filter(|logged| {
        matches!(logged.event.what, What::Line(_) | What::Back(_)) && logged.boards.contains(&board)
    });
    let line = match seen {
        Some(seen) => lines.nth(usize::try_from(seen).unwrap_or(usize::MAX)),
        None => lines.next_back(),
    };
    // What was taken back since would have to be done anew.
    line.is_some_and(|logged| {
        logged.event.what == what && by == Some(logged.event.by) && state.is_in_force(logged)
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
