//! Lessons: matches of a class, which pupils join by a code, and in which duties rotate.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::act::{Extra, new_row, without};
use super::lesson::{LESSONS, account_of, active, current, fresh_code};
use super::view::must_host;
use super::{JOIN, MemberRow, TeamAccess, TeamFault, TeamView, find, membership, proof, refuse};
use crate::app::aggregate::{Attempt, Attempting, MAX_ATTEMPTS};
use crate::app::correspondence::new_id;
use crate::app::guesses::Secret;
use crate::app::limits::count;
use crate::app::listed::ListedMatch;
use crate::app::{App, AppError, NotAllowed, Viewer, Visitor, invalid};
use crate::store::matches;
use crate::store::{
    Phase as RowPhase, StoreError, classes as class_rows, door, journal, lessons as rows, members,
};
use perplex_games::rules::Side;
use perplex_matches::classroom::seating::{Earlier, Past, Person, Proposal, seat};
use perplex_matches::classroom::words;
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::event::{Duties, MemberId, Terms};
use perplex_matches::team::lineup::Team;
use perplex_matches::team::{self, Command, Match, Phase};

const SECONDS: u32 = 35 * 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    Nothing,
    Teams,
    /// The teams and the members' duties: only vacant ones are filled.
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    pub id: AccountId,
    pub name: String,
    /// True if a device has this name already.
    pub taken: bool,
}

#[derive(Clone, Debug)]
pub struct LessonByCode {
    pub id: MatchId,
    pub class: ClassId,
    pub class_name: String,
    /// True if pupils pick their names from a list; else they get a nickname, and pick only to come back.
    pub roster: bool,
    /// True if a pupil who joins now gets in without the teacher's approval.
    pub open: bool,
    pub picks: Vec<Pick>,
}

#[derive(Clone, Debug)]
pub struct StandIn {
    pub side: Side,
    pub absent: Vec<MemberId>,
    pub before: Duties,
    pub after: Duties,
}

/// `title`, with a number if it is taken: `4b, 22 November, 2nd`.
fn distinct(title: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = |number: usize| {
        let ending = match (number % 10, number % 100) {
            (1, n) if n != 11 => "st",
            (2, n) if n != 12 => "nd",
            (3, n) if n != 13 => "rd",
            _ => "th",
        };
        format!("{title}, {number}{ending}")
    };
    if !is_taken(&title) {
        return title;
    }
    // One number more than there are lessons is free at the latest.
    let mut numbers = (2..).map(numbered);
    numbers.find(|title| !is_taken(title)).unwrap_or_default()
}

impl App {
    pub async fn start_lesson(
        &self,
        teacher: &Viewer,
        class: &ClassId,
    ) -> Result<MatchId, AppError> {
        let (asked, by) = (class.clone(), teacher.id.clone());
        let (row, pupils) = self
            .read(move |conn| {
                let (row, _) =
                    class_rows::find_taught(conn, &asked, &by)?.ok_or(AppError::NotFound)?;
                Ok::<_, AppError>((row, current(conn, &asked)?.len()))
            })
            .await?;
        if row.archived_at.is_some() {
            return Err(AppError::Forbidden(NotAllowed::ClassArchived));
        }
        count(&self.limits.create_account, &teacher.id.0)?;
        let now = self.now();
        let terms = Terms {
            seconds: Some(SECONDS),
            supervised: true,
            ..Terms::of(Proposal::best(pupils).size)
        };
        let events = team::create(terms, now).map_err(|refusal| refuse(refusal, true))?;
        let state = Match::replay(&events)?;
        let day = DateTime::from_timestamp_micros(now.0).unwrap_or_default();
        let day = day.with_timezone(&teacher.zone()).format("%-d %B");
        let id = new_id();
        let title = format!("{}, {day}", row.name);
        let mut made = new_row(id.clone(), title.clone(), &teacher.id, &state);
        made.class_id = Some(row.id.clone());
        let new = id.clone();
        self.write(move |conn| {
            made.code = Some(fresh_code(conn)?);
            let others = rows::of_class(conn, &row.id, LESSONS)?;
            made.title = distinct(title, |title| others.iter().any(|row| row.title == title));
            matches::create(conn, &made)?;
            journal::append::<Match>(conn, &new, &events)?;
            class_rows::touch(conn, &row.id, now)?;
            Ok::<_, AppError>(())
        })
        .await?;
        Ok(id)
    }

    pub async fn lessons(
        &self,
        teacher: &Viewer,
        class: &ClassId,
    ) -> Result<Vec<ListedMatch>, AppError> {
        let (class, teacher) = (class.clone(), teacher.id.clone());
        self.read(move |conn| {
            class_rows::find_taught(conn, &class, &teacher)?.ok_or(AppError::NotFound)?;
            let lessons = rows::of_class(conn, &class, LESSONS)?;
            Ok::<_, AppError>(lessons.into_iter().map(ListedMatch::from).collect())
        })
        .await
    }

    /// The lesson that has this code. Wrong codes are counted.
    pub async fn lesson_by_code(
        &self,
        code: &str,
        visitor: &Visitor,
    ) -> Result<LessonByCode, AppError> {
        let unknown = || invalid("code", TeamFault::UnknownCode);
        let code = words::read_code(code);
        let guess = Secret::Code(code.as_deref().unwrap_or_default());
        let guess = self.limits.guesses.enter(visitor, guess).await?;
        let code = code.ok_or_else(unknown)?;
        let found = self
            .read(move |conn| {
                let Some(row) = rows::by_code(conn, &code)? else {
                    return Ok(None);
                };
                let class = match &row.class_id {
                    Some(class) => class_rows::find(conn, class)?,
                    None => None,
                };
                let Some(class) = class.filter(|class| class.archived_at.is_none()) else {
                    return Ok(None);
                };
                let members = members::of_match(conn, &row.id)?;
                let names = door::taken(conn, &row.id)?;
                let taken = |id: &AccountId| names.iter().any(|name| name.account_id == *id);
                let picks = current(conn, &class.id)?
                    .into_iter()
                    .map(|(id, name)| (active(&members, &id), id, name))
                    .filter(|(member, _, _)| class.roster || member.is_some())
                    .map(|(_, id, name)| Pick {
                        taken: taken(&id),
                        id,
                        name,
                    })
                    .collect();
                Ok::<_, StoreError>(Some(LessonByCode {
                    open: row.phase == RowPhase::Gathering || row.latecomers,
                    id: row.id,
                    class: class.id,
                    class_name: class.name,
                    roster: class.roster,
                    picks,
                }))
            })
            .await?
            .ok_or_else(unknown)?;
        guess.was_right();
        Ok(found)
    }

    /// Undoes the pick of a wrong name: if its pupil has been in no team, the name is free again. Gives the code of
    /// the lesson, for picking once more. The caller has to end the session.
    pub async fn release_name(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<Option<String>, AppError> {
        let (loaded, ()) = self.load_team(access, id, |_, _| Ok(())).await?;
        let member = loaded.viewer.member.ok_or(AppError::NotFound)?;
        if loaded.row.class_id.is_none() {
            return Err(AppError::NotFound);
        }
        let seated = |member: &team::Member| !member.stays.is_empty();
        if loaded.state.phase == Phase::Gathering
            && !loaded.state.members.get(&member).is_some_and(seated)
        {
            self.act_in_team(access, id, Command::Leave(member)).await?;
            if let Some(pupil) = account_of(&loaded.members, member) {
                let id = id.clone();
                let class = loaded.row.class_id.clone();
                let now = self.now();
                self.write(move |conn| {
                    door::free(conn, &id, &pupil)?;
                    // A nickname that no pupil goes on with takes no place in the class.
                    let class = class
                        .map(|class| class_rows::find(conn, &class))
                        .transpose()?;
                    if class.flatten().is_some_and(|class| !class.roster) {
                        class_rows::set_removed(conn, &pupil, Some(now))?;
                    }
                    Ok::<_, AppError>(())
                })
                .await?;
            }
        }
        Ok(loaded.row.code)
    }

    /// Signs in a pupil who takes part from now on; gives the token of the session. The caller has made sure that the
    /// pupil may.
    pub(super) async fn sign_in_to(
        &self,
        id: &MatchId,
        pupil: &AccountId,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        let Some(token) = self.sign_in_by_code(id, pupil, visitor).await? else {
            return Err(invalid("pupil", TeamFault::NoPupil));
        };
        let taken = match self.viewer(&token).await? {
            Some(viewer) => self.take_part(id, &viewer).await,
            None => Err(AppError::NotFound),
        };
        if let Err(error) = taken {
            self.end_session_with(&token).await?;
            return Err(error);
        }
        Ok(token)
    }

    pub(super) async fn take_part(&self, id: &MatchId, pupil: &Viewer) -> Result<(), AppError> {
        let asked = id.clone();
        let links = self
            .read(move |conn| Ok::<_, AppError>(find(conn, &asked)?.links))
            .await?;
        let access = TeamAccess {
            account: Some(pupil.clone()),
            link: Some(proof(&self.key, JOIN, id, links)),
            ..TeamAccess::default()
        };
        for _ in 0..MAX_ATTEMPTS {
            let (loaded, ()) = self.load_team(&access, id, |_, _| Ok(())).await?;
            if let Some(member) = active(&loaded.members, &pupil.id) {
                let (id, now) = (id.clone(), self.now());
                self.write(move |conn| members::set_seen(conn, &id, &[member], now))
                    .await?;
                return Ok(());
            }
            let before = membership(&pupil.id, &loaded.members);
            if before.is_some_and(|row| loaded.state.was_removed(row.id())) {
                return Err(AppError::Forbidden(NotAllowed::TakenOut));
            }
            let join = Command::Join(MemberId(0), None);
            if let Err(error) = self.act_in_team(&access, id, join).await {
                let (again, ()) = self.load_team(&access, id, |_, _| Ok(())).await?;
                // Another visitor with this very name may have been quicker.
                if active(&again.members, &pupil.id).is_none() {
                    return Err(error);
                }
            }
        }
        Err(AppError::Busy(format!("lesson {id}")))
    }

    /// Puts a pupil who has not joined, or all of them, into the teacher's lesson, to be seated beforehand.
    pub async fn add_to_lesson(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        pupil: Option<&AccountId>,
    ) -> Result<(), AppError> {
        let view = self.hosted_team(access, id).await?;
        let missing = view.lesson.map(|lesson| lesson.missing).unwrap_or_default();
        let wanted: Vec<(AccountId, String)> = missing
            .into_iter()
            .filter(|(one, _)| pupil.is_none_or(|pupil| pupil == one))
            .collect();
        for newcomer in wanted {
            self.bring(access, id, newcomer).await?;
        }
        Ok(())
    }

    pub(super) async fn bring(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        newcomer: (AccountId, String),
    ) -> Result<(), AppError> {
        let newcomer = &newcomer;
        let attempt = || -> Attempting<'_, Match> {
            Box::pin(async move {
                let (loaded, ()) = self.load_team(access, id, |_, _| Ok(())).await?;
                if active(&loaded.members, &newcomer.0).is_some() {
                    return Ok(Attempt::Already(loaded.state));
                }
                let who = team::Who {
                    host: loaded.viewer.host,
                    member: None,
                };
                let mut rows = loaded.members.iter();
                let before = rows.find(|row| row.account_id.as_ref() == Some(&newcomer.0));
                let command = if let Some(before) = before {
                    Command::LetBack(before.id())
                } else {
                    Command::Join(loaded.state.next_member(), None)
                };
                let decided = loaded.state.decide(&who, &command, self.now(), 0);
                Ok(Attempt::Decided {
                    events: decided.map_err(|refusal| loaded.refuse(refusal))?,
                    row: Box::new(loaded.row),
                    state: loaded.state,
                    extra: Extra {
                        newcomer: Some(newcomer.clone()),
                        ..Extra::default()
                    },
                })
            })
        };
        self.account_for_outage().await?;
        self.carry_out(id, attempt).await.map(drop)
    }

    /// Takes a member out who may come back, as if by themselves: whom the teacher takes out comes back only by the
    /// teacher.
    pub(super) async fn let_go(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        member: MemberId,
    ) -> Result<(), AppError> {
        let attempt = || -> Attempting<'_, Match> {
            Box::pin(async move {
                let (loaded, ()) = self.load_team(access, id, |_, _| Ok(())).await?;
                let who = team::Who {
                    host: false,
                    member: Some(member),
                };
                let command = Command::Leave(member);
                let decided = loaded.state.decide(&who, &command, self.now(), 0);
                Ok(Attempt::Decided {
                    events: decided.map_err(|refusal| loaded.refuse(refusal))?,
                    row: Box::new(loaded.row),
                    state: loaded.state,
                    extra: Extra::default(),
                })
            })
        };
        self.account_for_outage().await?;
        self.carry_out(id, attempt).await.map(drop)
    }

    pub async fn seat_everybody(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        keep: Keep,
    ) -> Result<(), AppError> {
        let (loaded, ()) = self.load_team(access, id, |_, _| Ok(())).await?;
        must_host(&loaded.viewer, loaded.row.class_id.is_some())?;
        let earlier = match &loaded.row.class_id {
            Some(class) => self.earlier(class, id).await?,
            None => Earlier::default(),
        };
        let accounts = accounts_of(&loaded.members);
        let state = &loaded.state;
        // Teams that are too large for the size can't be kept.
        let most = Team::most(state.terms.size).unwrap_or(usize::MAX);
        let crowded = state.teams.iter().any(|team| team.members.len() > most);
        let keep = if crowded { Keep::Nothing } else { keep };
        let people: Vec<Person> = state
            .members
            .iter()
            .filter(|(_, member)| member.left.is_none())
            .map(|(id, member)| Person {
                id: *id,
                side: member.team.filter(|_| keep != Keep::Nothing),
                past: accounts
                    .get(id)
                    .map_or(Past::default(), |one| earlier.past(one)),
            })
            .collect();
        let size = state.terms.size;
        let duties = [Side::First, Side::Second].map(|side| {
            if keep == Keep::All {
                state.team(side).duties.clone()
            } else {
                Duties::none(size)
            }
        });
        let together =
            |one: MemberId, other: MemberId| match (accounts.get(&one), accounts.get(&other)) {
                (Some(one), Some(other)) => earlier.together(one, other),
                _ => 0,
            };
        let seating = seat(size, &people, duties, together, rand::random());
        let sides = seating.sides.into_iter().collect();
        let command = Command::Seat(sides, seating.duties);
        self.act_in_team(access, id, command).await?;
        Ok(())
    }

    pub fn stand_ins(&self, view: &TeamView) -> Vec<StandIn> {
        let Some(lesson) = &view.lesson else {
            return Vec::new();
        };
        let now = self.now();
        [Side::First, Side::Second]
            .into_iter()
            .filter_map(|side| {
                let team = view.state.team(side);
                let away = lesson.away(team, now);
                let after = without(&view.state, side, &away);
                (after != team.duties).then(|| StandIn {
                    side,
                    absent: away
                        .into_iter()
                        .filter(|id| !team.duties.of(*id).is_empty())
                        .collect(),
                    before: team.duties.clone(),
                    after,
                })
            })
            .collect()
    }

    pub async fn replace_absent(&self, access: &TeamAccess, id: &MatchId) -> Result<(), AppError> {
        let view = self.hosted_team(access, id).await?;
        for one in self.stand_ins(&view) {
            let command = Command::SetDuties(one.side, one.after);
            self.act_in_team(access, id, command).await?;
        }
        Ok(())
    }

    pub async fn open_lesson(&self, access: &TeamAccess, id: &MatchId) -> Result<(), AppError> {
        let view = self.hosted_team(access, id).await?;
        if view.state.phase == Phase::Over {
            return Err(view.refuse(team::Refusal::NotPlaying(Phase::Over)));
        }
        let Some(lesson) = view.lesson else {
            return Err(AppError::NotFound);
        };
        let (asked, now) = (id.clone(), self.now());
        self.write(move |conn| {
            let code = fresh_code(conn)?;
            rows::set_code(conn, &asked, Some(&code))?;
            class_rows::touch(conn, &lesson.class, now)?;
            Ok::<_, AppError>(())
        })
        .await?;
        self.act_in_team(access, id, Command::SetJoinable(true))
            .await?;
        Ok(())
    }

    /// Ends a lesson for the day: it is paused, keeps the time that is left, and cannot be joined until it goes on.
    pub async fn close_lesson(&self, access: &TeamAccess, id: &MatchId) -> Result<(), AppError> {
        let view = self.hosted_team(access, id).await?;
        if view.lesson.is_none() {
            return Err(AppError::NotFound);
        }
        // First, so that a page that hears of the pause finds that it cannot be joined.
        let lesson = id.clone();
        self.write(move |conn| {
            members::lower_hands(conn, &lesson)?;
            Ok::<_, AppError>(rows::set_code(conn, &lesson, None)?)
        })
        .await?;
        // If its time ran out meanwhile, there is nothing left to pause.
        if view.state.phase != Phase::Over {
            self.act_in_team(access, id, Command::SetJoinable(false))
                .await?;
        }
        Ok(())
    }
}

fn accounts_of(members: &[MemberRow]) -> BTreeMap<MemberId, AccountId> {
    members
        .iter()
        .filter_map(|row| Some((row.id(), row.account_id.clone()?)))
        .collect()
}
