//! What pupils ask the teacher of a lesson: to join it, who get in at once or wait for approval, with the device of each
//! name; and for help.
//!
//! A name that was taken belongs to the device that took it. From another device it takes the three words of the
//! card, or the teacher's approval; and so it does after the start, unless the teacher lets latecomers in. A device
//! that was used on one side gets no name of the other side without one of the two.

use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::event::MemberId;
use perplex_matches::team::{Phase, Refusal};

use super::devices::{crosses, on_device, sides};
use super::lesson::{Knock, MANY, active};
use super::lessons::LessonByCode;
use super::{TeamAccess, TeamFault, refuse};
use crate::app::classes::has_words;
use crate::app::correspondence::new_id;
use crate::app::lifetimes::KNOCK;
use crate::app::limits::count;
use crate::app::{App, AppError, Viewer, Visitor, invalid};
use crate::store::door::{self as rows, KnockRow, TakenName};
use crate::store::{
    Conn, MatchKind, Phase as RowPhase, StoreError, accounts, classes, matches, members,
};

const MOST_WAITING: usize = 60;
/// With so many names in a lesson without a roster, the teacher decides about new nicknames.
const ROOM: usize = 40;
/// Number of pupils who may share a device; for more names it needs the teacher's approval.
const MOST_ON_DEVICE: usize = 3;

/// A visitor who joins a lesson by its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joiner {
    Pupil(AccountId),
    /// A new pupil who gets a nickname, in a class without a roster.
    New,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinOutcome {
    /// In this lesson, with the token of the session if a new one was begun.
    In(MatchId, Option<String>),
    /// Waiting for the teacher's answer.
    Waits,
}

/// A waiting request to join, as its device sees it.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub lesson: LessonByCode,
    pub pupil: Option<AccountId>,
    pub name: Option<String>,
    pub refused: bool,
}

/// The state of a device's request to join.
#[derive(Clone, Debug)]
pub enum DoorOutcome {
    Waits(Box<Waiting>),
    In(MatchId, String),
    /// The device has no request, or no longer.
    NotWaiting,
}

/// The request to drop when too many wait, given in the order in which they came: of the network with the most, the
/// newest for the name with the most. So repeated requests push out no classmate, and those of a stranger no pupil in
/// the classroom.
fn surplus(waiting: &[KnockRow]) -> Option<&KnockRow> {
    if waiting.len() <= MOST_WAITING {
        return None;
    }
    let count = |is_same: &dyn Fn(&KnockRow) -> bool| {
        let same = waiting.iter().filter(|knock| is_same(knock));
        same.count()
    };
    // Of equal counts `max_by_key` gives the last.
    waiting.iter().max_by_key(|knock| {
        let from_there = count(&|other| other.network == knock.network);
        let for_the_name =
            count(&|other| other.network == knock.network && other.account_id == knock.account_id);
        (from_there, for_the_name)
    })
}

impl App {
    /// Lets a visitor with the code join at once, or wait for the teacher. The three words of a pupil, if given, let
    /// the visitor in.
    pub async fn join_lesson(
        &self,
        code: &str,
        comer: &Joiner,
        phrase: &str,
        viewer: Option<&Viewer>,
        visitor: &Visitor,
    ) -> Result<JoinOutcome, AppError> {
        let lobby = self.lesson_by_code(code, visitor).await?;
        let Joiner::Pupil(pupil) = comer else {
            return self.join_with_nickname(lobby, visitor).await;
        };
        // A session of another lesson proves nothing in this one.
        let me = viewer.filter(|viewer| {
            viewer.id == *pupil && viewer.lesson.as_ref().is_none_or(|id| *id == lobby.id)
        });
        if let Some(me) = me {
            if me.class.as_ref() != Some(&lobby.class) {
                return Err(invalid("pupil", TeamFault::OtherClass));
            }
            let proved = me.lesson.is_none();
            if proved {
                let session = me.session.clone();
                self.hand_name(&lobby.id, pupil, visitor, move |conn| {
                    Ok(accounts::hold_session(conn, &session)?)
                })
                .await?;
            }
            if proved || self.is_in(&lobby.id, pupil).await? {
                self.take_part(&lobby.id, me).await?;
                return Ok(JoinOutcome::In(lobby.id, None));
            }
        }
        let Some(pick) = lobby.picks.iter().find(|pick| pick.id == *pupil) else {
            return Err(invalid("pupil", TeamFault::NoPupil));
        };
        if !phrase.trim().is_empty() {
            let words = self
                .check_phrase(pupil, &pick.name, phrase, visitor)
                .await?;
            let (ring, owner) = (self.ring.clone(), pupil.clone());
            self.hand_name(&lobby.id, pupil, visitor, move |conn| {
                has_words(conn, &ring, &owner, &words)
            })
            .await?;
        } else if !self.take_name(&lobby, pupil, visitor).await? {
            self.knock(&lobby.id, Some(pupil), visitor).await?;
            return Ok(JoinOutcome::Waits);
        }
        // The device may have waited at the door before.
        self.leave_door_of(&lobby.id, visitor).await?;
        let token = self.sign_in_to(&lobby.id, pupil, visitor).await?;
        Ok(JoinOutcome::In(lobby.id, Some(token)))
    }

    async fn join_with_nickname(
        &self,
        lobby: LessonByCode,
        visitor: &Visitor,
    ) -> Result<JoinOutcome, AppError> {
        if lobby.roster {
            return Err(invalid("pupil", TeamFault::NoPupil));
        }
        let snapshot = self.team_snapshot(&lobby.id).await?;
        let (id, browser) = (lobby.id.clone(), visitor.browser.clone());
        let used = self
            .read(move |conn| Ok::<_, AppError>(rows::used_on(conn, &id, &browser)?))
            .await?;
        let mut used = used.iter().chain(visitor.pupils());
        let was_seated = used.any(|name| !sides(&snapshot, name).is_empty());
        // A visitor who asks for many nicknames soon has to ask the teacher; so has one who comes when the lesson is
        // full.
        let is_full = lobby.picks.len() >= ROOM;
        if !lobby.open
            || was_seated
            || is_full
            || count(&self.limits.nicknames, &lobby.class.0).is_err()
        {
            self.knock(&lobby.id, None, visitor).await?;
            return Ok(JoinOutcome::Waits);
        }
        let token = self.nickname(&lobby, visitor).await?;
        Ok(JoinOutcome::In(lobby.id, Some(token)))
    }

    /// Adds a new pupil with a nickname to the lesson; gives the token of the session.
    async fn nickname(&self, lobby: &LessonByCode, visitor: &Visitor) -> Result<String, AppError> {
        let pupil = self.join_by_nickname(&lobby.class).await?;
        self.hand_name(&lobby.id, &pupil, visitor, |_| Ok(true))
            .await?;
        self.sign_in_to(&lobby.id, &pupil, visitor).await
    }

    /// The three words of the pupil; fails if these are not.
    pub async fn check_phrase(
        &self,
        pupil: &AccountId,
        name: &str,
        phrase: &str,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        if let Some(words) = self.words_of(pupil, phrase, visitor).await? {
            return Ok(words);
        }
        let fault = match phrase.trim() {
            "" => TeamFault::NoPhrase,
            _ => TeamFault::WrongPhrase,
        };
        Err(invalid("phrase", fault(name.to_owned())))
    }

    async fn is_in(&self, id: &MatchId, pupil: &AccountId) -> Result<bool, AppError> {
        let snapshot = self.team_snapshot(id).await?;
        Ok(active(&snapshot.members, pupil).is_some())
    }

    /// Takes a name for a device if that needs no approval; gives whether it did. Of many devices that take a free
    /// name at once one gets it.
    async fn take_name(
        &self,
        lobby: &LessonByCode,
        pupil: &AccountId,
        visitor: &Visitor,
    ) -> Result<bool, AppError> {
        // A name that is taken and given back again and again needs the teacher's approval.
        let name = format!("{} {pupil}", lobby.id);
        if count(&self.limits.names_taken, &name).is_err() {
            return Ok(false);
        }
        let snapshot = self.team_snapshot(&lobby.id).await?;
        let row = TakenName {
            match_id: lobby.id.clone(),
            account_id: pupil.clone(),
            browser: visitor.browser.clone(),
        };
        let open = lobby.open;
        let pupils: Vec<AccountId> = visitor.pupils().cloned().collect();
        let took = self.write(move |conn| {
            let free = rows::take(conn, &row)?;
            let taken = rows::taken(conn, &row.match_id)?;
            let has = on_device(&taken, &row.browser);
            let may = if free {
                open && has.len() <= MOST_ON_DEVICE
            } else {
                has.contains(&row.account_id)
            };
            let mut used = rows::used_on(conn, &row.match_id, &row.browser)?;
            used.extend(pupils);
            if may && !crosses(&snapshot, &used, &row.account_id) {
                rows::hand(conn, &row)?;
                return Ok::<_, AppError>(true);
            }
            if free {
                rows::free(conn, &row.match_id, &row.account_id)?;
            }
            Ok(false)
        });
        let took = took.await?;
        if took {
            self.tell_of_many_names(&lobby.id, visitor).await?;
        }
        Ok(took)
    }

    /// Tells the teacher's pages of a device that has many names now.
    async fn tell_of_many_names(&self, id: &MatchId, visitor: &Visitor) -> Result<(), AppError> {
        let (asked, browser) = (id.clone(), visitor.browser.clone());
        let names = self
            .read(move |conn| Ok::<_, AppError>(on_device(&rows::taken(conn, &asked)?, &browser)))
            .await?;
        if names.len() >= MANY {
            self.notify_lesson(id, |_| Ok(())).await?;
        }
        Ok(())
    }

    /// True if names of the lesson were started anew, and this device had one and has to come in again.
    pub async fn is_asked_anew(&self, id: &MatchId, visitor: &Visitor) -> Result<bool, AppError> {
        let (id, browser) = (id.clone(), visitor.browser.clone());
        self.read(move |conn| Ok::<_, AppError>(rows::is_asked_anew(conn, &id, &browser)?))
            .await
    }

    /// Starts the names of a lesson anew that has not begun: all are free, every device that came by the code is asked
    /// for its name again, and those who are in no team are out until they come. What a device has seen of a team
    /// stays known: it gets no name of the other one without the teacher.
    pub async fn start_names_anew(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<(), AppError> {
        let view = self.hosted_team(access, id).await?;
        let lesson = view.lesson.as_ref().ok_or(AppError::NotFound)?;
        // First: whoever comes meanwhile has a name of the new start.
        let asked = id.clone();
        let free = move |conn: &mut Conn| {
            let row = matches::find(conn, &asked)?.ok_or(AppError::NotFound)?;
            if row.phase != RowPhase::Gathering {
                return Err(refuse(Refusal::HasBegun, true));
            }
            let taken = rows::taken(conn, &asked)?;
            rows::free_all(conn, &asked)?;
            Ok::<_, AppError>(taken)
        };
        let taken = self.write(free).await?;
        let snapshot = self.team_snapshot(id).await?;
        let mut gone = Vec::new();
        for name in taken {
            let (asked, pupil) = (id.clone(), name.account_id.clone());
            let came_again = move |conn: &mut Conn| {
                let taken = rows::taken(conn, &asked)?;
                Ok::<_, AppError>(taken.iter().any(|name| name.account_id == pupil))
            };
            if self.read(came_again).await? {
                continue;
            }
            let member = active(&snapshot.members, &name.account_id);
            let is_out = |member| snapshot.state.side_of(member).is_none();
            if let Some(member) = member.filter(|member| is_out(*member)) {
                match self.let_go(access, id, member).await {
                    // Gone already.
                    Ok(()) | Err(AppError::RefusedInTeam(..)) => gone.push(name.account_id),
                    Err(error) => return Err(error),
                }
            }
        }
        let (class, now) = (lesson.class.clone(), self.now());
        self.notify_lesson(id, move |conn| {
            // A nickname that no pupil goes on with takes no place in the class.
            if classes::find(conn, &class)?.is_some_and(|class| !class.roster) {
                for pupil in &gone {
                    classes::set_removed(conn, pupil, Some(now))?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Gives a pupil's name in a lesson to this device, if what gives the right to it still holds as it is written; gives
    /// whether it did.
    async fn hand_name(
        &self,
        id: &MatchId,
        pupil: &AccountId,
        visitor: &Visitor,
        holds: impl FnOnce(&mut Conn) -> Result<bool, AppError> + Send + 'static,
    ) -> Result<bool, AppError> {
        let row = TakenName {
            match_id: id.clone(),
            account_id: pupil.clone(),
            browser: visitor.browser.clone(),
        };
        let has = self
            .write(move |conn| {
                let holds = holds(conn)?;
                if holds {
                    rows::hand(conn, &row)?;
                }
                Ok::<_, AppError>(holds)
            })
            .await?;
        self.tell_of_many_names(id, visitor).await?;
        Ok(has)
    }

    /// Gives a pupil's name in a lesson to this device, if the pupil has signed in with a proof.
    pub async fn own_name(
        &self,
        id: &MatchId,
        pupil: &Viewer,
        visitor: &Visitor,
    ) -> Result<(), AppError> {
        let (Some(class), None) = (pupil.class.clone(), &pupil.lesson) else {
            return Ok(());
        };
        let (asked, me, browser) = (id.clone(), pupil.id.clone(), visitor.browser.clone());
        let is_other = self
            .read(move |conn| {
                let names = rows::taken(conn, &asked)?;
                let mut mine = names.iter().filter(|name| name.account_id == me);
                let of_class = matches::find(conn, &asked)?
                    .is_some_and(|row| row.class_id == Some(class) && row.phase != RowPhase::Over);
                Ok::<_, AppError>(of_class && !mine.any(|name| name.browser == browser))
            })
            .await?;
        if is_other {
            let session = pupil.session.clone();
            self.hand_name(id, &pupil.id, visitor, move |conn| {
                Ok(accounts::hold_session(conn, &session)?)
            })
            .await?;
        }
        Ok(())
    }

    /// Runs a change to the access to a match (requests to join, latecomers, links), and tells all open pages.
    pub(in crate::app) async fn notify_lesson(
        &self,
        id: &MatchId,
        job: impl FnOnce(&mut Conn) -> Result<(), AppError> + Send + 'static,
    ) -> Result<(), AppError> {
        let asked = id.clone();
        let heads = self
            .write(move |conn| {
                job(conn)?;
                Ok::<_, AppError>(rows::changed(conn, &asked)?)
            })
            .await?;
        self.tell(&self.teams.live, id, heads);
        Ok(())
    }

    async fn knock(
        &self,
        id: &MatchId,
        pupil: Option<&AccountId>,
        visitor: &Visitor,
    ) -> Result<(), AppError> {
        count(
            &self.limits.knocks_of_device,
            &format!("{id} {}", visitor.browser),
        )?;
        let place = format!("{id} {}", visitor.network());
        if count(&self.limits.knocks, &place).is_err() {
            self.limits.guesses.slow_down("knock", visitor).await?;
        }
        let row = KnockRow {
            id: new_id().0,
            match_id: id.clone(),
            account_id: pupil.cloned(),
            browser: visitor.browser.clone(),
            at: self.now(),
            let_in: None,
            network: self.key.mac("knock", &[&visitor.network()]),
        };
        self.notify_lesson(id, move |conn| {
            rows::take_back(conn, &row.match_id, &row.browser)?;
            rows::purge(conn, row.at - KNOCK)?;
            rows::insert(conn, &row)?;
            let waiting = rows::waiting(conn, &row.match_id, row.at - KNOCK)?;
            if let Some(surplus) = surplus(&waiting) {
                rows::take_back(conn, &row.match_id, &surplus.browser)?;
                if surplus.id == row.id {
                    return Err(invalid("pupil", TeamFault::Crowded));
                }
            }
            Ok(())
        })
        .await
    }

    /// The state of a device's request to join. A device that is let in is signed in and takes part, once.
    pub async fn at_door(&self, code: &str, visitor: &Visitor) -> Result<DoorOutcome, AppError> {
        let lesson = self.lesson_by_code(code, visitor).await?;
        let (id, browser, since) = (
            lesson.id.clone(),
            visitor.browser.clone(),
            self.now() - KNOCK,
        );
        let found = self
            .read(move |conn| rows::of_browser(conn, &id, &browser, since))
            .await?;
        let Some(knock) = found else {
            return Ok(DoorOutcome::NotWaiting);
        };
        if knock.let_in != Some(true) {
            let pupil = knock.account_id;
            let pick = |id: &AccountId| lesson.picks.iter().find(|pick| pick.id == *id);
            return Ok(DoorOutcome::Waits(Box::new(Waiting {
                name: pupil.as_ref().and_then(pick).map(|pick| pick.name.clone()),
                pupil,
                refused: knock.let_in == Some(false),
                lesson,
            })));
        }
        // The approval is used up as it gives the name: whoever gets it in between was not let in.
        let came = match &knock.account_id {
            None if self.leave_door_of(&lesson.id, visitor).await? => {
                self.nickname(&lesson, visitor).await
            }
            Some(pupil) if self.come_in(&lesson.id, pupil, visitor).await? => {
                self.sign_in_to(&lesson.id, pupil, visitor).await
            }
            _ => return Ok(DoorOutcome::NotWaiting),
        };
        if came.is_err() {
            // The teacher's approval holds for another try, if the name is still this device's.
            self.write(move |conn| {
                let holds = match &knock.account_id {
                    None => true,
                    Some(pupil) => {
                        let name = TakenName {
                            match_id: knock.match_id.clone(),
                            account_id: pupil.clone(),
                            browser: knock.browser.clone(),
                        };
                        rows::hold(conn, &name)?
                    }
                };
                if holds {
                    rows::insert(conn, &knock)?;
                }
                Ok::<_, AppError>(())
            })
            .await?;
        }
        Ok(DoorOutcome::In(lesson.id, came?))
    }

    /// Gives a name to a device that was let in with it; `false` if it no longer is.
    async fn come_in(
        &self,
        id: &MatchId,
        pupil: &AccountId,
        visitor: &Visitor,
    ) -> Result<bool, AppError> {
        let (asked, browser) = (id.clone(), visitor.browser.clone());
        let has = self
            .hand_name(id, pupil, visitor, move |conn| {
                Ok(rows::take_back(conn, &asked, &browser)?)
            })
            .await?;
        if has {
            self.notify_lesson(id, |_| Ok(())).await?;
        }
        Ok(has)
    }

    /// Takes back a device's request to join.
    pub async fn leave_door(&self, code: &str, visitor: &Visitor) -> Result<(), AppError> {
        let lesson = self.lesson_by_code(code, visitor).await?;
        self.leave_door_of(&lesson.id, visitor).await.map(drop)
    }

    async fn leave_door_of(&self, id: &MatchId, visitor: &Visitor) -> Result<bool, AppError> {
        let (asked, browser) = (id.clone(), visitor.browser.clone());
        let waited = self
            .write(move |conn| Ok::<_, AppError>(rows::take_back(conn, &asked, &browser)?))
            .await?;
        if waited {
            self.notify_lesson(id, |_| Ok(())).await?;
        }
        Ok(waited)
    }

    /// The teacher's answer to one request to join, or to `all` of them.
    pub async fn answer_door(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        which: &str,
        let_in: bool,
    ) -> Result<(), AppError> {
        let view = self.hosted_team(access, id).await?;
        let lesson = view.lesson.ok_or(AppError::NotFound)?;
        let chosen: Vec<Knock> = lesson
            .knocks
            .into_iter()
            .filter(|knock| which == "all" || knock.id == which)
            .collect();
        if let_in {
            for knock in &chosen {
                if let (Some(pupil), Some(name)) = (&knock.pupil, &knock.name) {
                    self.bring(access, id, (pupil.clone(), name.clone()))
                        .await?;
                }
            }
        }
        let (asked, chosen) = (id.clone(), chosen.into_iter().map(|knock| knock.id));
        let chosen: Vec<String> = chosen.collect();
        self.notify_lesson(id, move |conn| {
            Ok(rows::answer(conn, &asked, &chosen, let_in)?)
        })
        .await
    }

    /// Raises the viewer's hand in a lesson, or takes it down: the teacher's pages show it at once. Nobody is told of
    /// a hand that is as it was.
    pub async fn raise_hand(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        up: bool,
    ) -> Result<(), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        let is_in = |member: &MemberId| {
            let known = view.state.members.get(member);
            view.lesson.is_some() && known.is_some_and(|member| member.left.is_none())
        };
        let member = view.viewer.member.filter(is_in).ok_or(AppError::NotFound)?;
        if up && view.state.phase == Phase::Over {
            return Err(view.refuse(Refusal::NotPlaying(Phase::Over)));
        }
        if view.lesson.is_some_and(|lesson| lesson.is_hand_up == up) {
            return Ok(());
        }
        count(&self.limits.hands, &format!("{id} {member}"))?;
        self.set_hand(id, member, up).await
    }

    /// Takes down the hand of a member whom the teacher has helped.
    pub async fn lower_hand(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        member: MemberId,
    ) -> Result<(), AppError> {
        let view = self.hosted_team(access, id).await?;
        match view.lesson {
            Some(lesson) if lesson.hands.contains(&member) => {
                self.set_hand(id, member, false).await
            }
            _ => Ok(()),
        }
    }

    async fn set_hand(&self, id: &MatchId, member: MemberId, up: bool) -> Result<(), AppError> {
        let (asked, at) = (id.clone(), up.then(|| self.now()));
        self.notify_lesson(id, move |conn| {
            members::set_hand(conn, &asked, member, at)?;
            Ok(())
        })
        .await
    }

    /// Sets if latecomers get in without the teacher's approval.
    pub async fn welcome_latecomers(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        welcome: bool,
    ) -> Result<(), AppError> {
        self.hosted_team(access, id).await?;
        let asked = id.clone();
        self.notify_lesson(id, move |conn| {
            Ok(rows::set_latecomers(conn, &asked, welcome)?)
        })
        .await
    }

    /// True if a device may go on as `target` only with the three words: in a match of `target`, an account used on
    /// the device has been on the other side.
    pub async fn asks_for_words(
        &self,
        target: &AccountId,
        visitor: &Visitor,
    ) -> Result<bool, AppError> {
        let (pupil, browser) = (target.clone(), visitor.browser.clone());
        let lessons = self
            .read(move |conn| {
                let going_on = [RowPhase::Gathering, RowPhase::Playing];
                let found = matches::of_member(conn, MatchKind::Team, &pupil, &going_on, 100)?;
                found
                    .into_iter()
                    .map(|row| Ok((rows::used_on(conn, &row.id, &browser)?, row.id)))
                    .collect::<Result<Vec<_>, StoreError>>()
            })
            .await?;
        for (mut used, id) in lessons {
            let snapshot = self.team_snapshot(&id).await?;
            used.extend(visitor.pupils().cloned());
            if crosses(&snapshot, &used, target) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
