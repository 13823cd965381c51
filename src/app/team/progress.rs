//! The report of one match, and the pupils' progress over the lessons of their class.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::{Arc, PoisonError};

use super::lesson::{LESSONS, account_of};
use super::{MemberRow, TeamAccess, TeamView};
use crate::app::aggregate::state_of;
use crate::app::{App, AppError, Viewer};
use crate::store::matches::MatchRow;
use crate::store::{
    Conn, Phase as Stage, StoreError, classes as class_rows, lessons as rows, members, talk,
};
use perplex_games::rules::Side;
use perplex_matches::classroom::report::{Beside, Deeds, Report};
use perplex_matches::classroom::roster;
use perplex_matches::classroom::seating::{Earlier, Past, Task};
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::team::event::MemberId;
use perplex_matches::team::{Match, Phase};
use perplex_matches::time::Time;

/// Number of reports kept: those requested last.
pub(in crate::app) const REPORTS_KEPT: NonZeroUsize = match NonZeroUsize::new(500) {
    Some(most) => most,
    None => NonZeroUsize::MIN,
};

#[derive(Clone, Debug)]
pub struct Progress {
    pub id: AccountId,
    pub name: String,
    pub former: bool,
    pub past: Past,
    pub total: Deeds,
}

fn beside(conn: &mut Conn, id: &MatchId) -> Result<Beside, StoreError> {
    let counted = |(count, _)| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Beside {
        messages: talk::said(conn, id)?
            .into_iter()
            .map(|(member, said)| (member, counted(said)))
            .collect(),
        seen: members::seen(conn, id)?,
    })
}

pub(in crate::app) struct Lesson {
    pub state: Arc<Match>,
    members: Vec<MemberRow>,
    pub beside: Beside,
}

impl Lesson {
    pub fn read(
        conn: &mut Conn,
        row: &MatchRow,
        kept: Option<Arc<Match>>,
    ) -> Result<Self, AppError> {
        Ok(Self {
            state: state_of(conn, &row.id, row.head, kept)?,
            members: members::of_match(conn, &row.id)?,
            beside: beside(conn, &row.id)?,
        })
    }

    pub fn by_pupil(&self, report: &Report) -> BTreeMap<AccountId, Deeds> {
        let people = report.by_person(|member| account_of(&self.members, member));
        people
            .into_iter()
            .filter_map(|(account, deeds)| Some((account?, deeds)))
            .collect()
    }
}

impl App {
    /// The earlier lessons of a class, as the rotation of duties needs them.
    pub(super) async fn earlier(
        &self,
        class: &ClassId,
        except: &MatchId,
    ) -> Result<Earlier<AccountId>, AppError> {
        let mut earlier = Earlier::default();
        for by_pupil in self.held(class, Some(except)).await? {
            let lesson: Vec<(AccountId, Side, Task)> = by_pupil
                .into_iter()
                .filter_map(|(account, deeds)| Some((account, deeds.side?, deeds.task?)))
                .collect();
            earlier.add(&lesson);
        }
        Ok(earlier)
    }

    /// Each pupil's deeds in the lessons of a class that were begun, the latest lesson first.
    async fn held(
        &self,
        class: &ClassId,
        except: Option<&MatchId>,
    ) -> Result<Vec<BTreeMap<AccountId, Deeds>>, AppError> {
        let asked = class.clone();
        let rows = self
            .read(move |conn| rows::of_class(conn, &asked, LESSONS))
            .await?;
        let mut all = Vec::new();
        for row in rows {
            if row.phase == Stage::Gathering || except == Some(&row.id) {
                continue;
            }
            let (id, kept) = (row.id.clone(), self.teams.cached(&row.id));
            let lesson = self
                .read(move |conn| Lesson::read(conn, &row, kept))
                .await?;
            self.teams.cache(&id, &lesson.state);
            let report = self.reported(&id, &lesson.state, &lesson.beside, self.now());
            all.push(lesson.by_pupil(&report));
        }
        Ok(all)
    }

    /// The report of a match; that of a finished match is kept.
    fn reported(&self, id: &MatchId, state: &Match, beside: &Beside, now: Time) -> Arc<Report> {
        let kept = || self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        let over = state.phase == Phase::Over;
        if over
            && let Some((known, report)) = kept().get(id)
            && known == beside
        {
            return Arc::clone(report);
        }
        let report = Arc::new(Report::of(state, beside, now));
        if over {
            kept().put(id.clone(), (beside.clone(), Arc::clone(&report)));
        }
        report
    }

    pub async fn report(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<(TeamView, Report), AppError> {
        let view = self.hosted_team(access, id).await?;
        let asked = id.clone();
        let (beside, members) = self
            .read(move |conn| {
                let beside = beside(conn, &asked)?;
                Ok::<_, StoreError>((beside, members::of_match(conn, &asked)?))
            })
            .await?;
        let report = self.reported(id, &view.state, &beside, self.now());
        let people = report.by_person(|member| account_of(&members, member));
        let report = Report {
            people: people.into_iter().map(|(_, deeds)| deeds).collect(),
            ..Report::clone(&report)
        };
        Ok((view, report))
    }

    pub async fn progress(
        &self,
        teacher: &Viewer,
        class: &ClassId,
    ) -> Result<Vec<Progress>, AppError> {
        let (asked, by) = (class.clone(), teacher.id.clone());
        let pupils = self
            .read(move |conn| {
                class_rows::find_taught(conn, &asked, &by)?.ok_or(AppError::NotFound)?;
                Ok::<_, AppError>(class_rows::pupils_of(conn, &asked)?)
            })
            .await?;
        let mut all: HashMap<AccountId, (Past, Deeds)> = HashMap::new();
        for by_pupil in self.held(class, None).await? {
            for (account, deeds) in by_pupil {
                let entry = all.entry(account);
                let (past, total) =
                    entry.or_insert_with(|| (Past::default(), Deeds::of(deeds.member)));
                if let Some(task) = deeds.task {
                    past.add(task);
                }
                total.add(&deeds);
            }
        }
        let mut list: Vec<Progress> = pupils
            .into_iter()
            .map(|(row, _)| {
                let (past, total) = all
                    .remove(&row.account_id)
                    .unwrap_or_else(|| (Past::default(), Deeds::of(MemberId(0))));
                Progress {
                    id: row.account_id,
                    name: row.name,
                    former: row.removed_at.is_some(),
                    past,
                    total,
                }
            })
            // Of former pupils, only those who were in a lesson.
            .filter(|one| !one.former || one.past.lessons() > 0)
            .collect();
        list.sort_by_cached_key(|one| (one.former, roster::order(&one.name)));
        Ok(list)
    }
}
