//! Who did what: the report of one match, and what pupils did over the lessons of their class.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

use super::lessons::LESSONS;
use super::{MemberRow, TeamView, Visit, state_of};
use crate::app::{App, AppError, Viewer};
use crate::classroom::report::{Beside, Deeds, Report};
use crate::classroom::seating::{Earlier, Past, Task};
use crate::classroom::{ClassId, roster};
use crate::perplexichess::event::{Actor, MemberId};
use crate::perplexichess::{Match, Phase};
use crate::play::event::{AccountId, MatchId};
use crate::rules::Side;
use crate::store::{
    Conn, Phase as Stage, StoreError, channels, classes as class_rows, lessons as rows, teams,
};
use crate::time::Time;

/// How many reports are kept in memory.
const REPORTS_KEPT: usize = 500;

/// What a pupil did over the lessons of a class.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The pupil.
    pub id: AccountId,
    /// What the class calls them.
    pub name: String,
    /// Whether the pupil has left the class.
    pub former: bool,
    /// How often there was which duty.
    pub past: Past,
    /// Everything that was done, added up.
    pub total: Deeds,
}

/// What a report needs beside the log.
fn beside(conn: &mut Conn, id: &MatchId) -> Result<Beside, StoreError> {
    let messages = channels::counts(conn, id)?
        .into_iter()
        .filter_map(|(by, count, _)| match by.parse() {
            Ok(Actor::Member(member)) => Some((member, u32::try_from(count).unwrap_or(u32::MAX))),
            _ => None,
        })
        .collect();
    Ok(Beside {
        messages,
        seen: teams::seen(conn, id)?.into_iter().collect(),
    })
}

/// A lesson that was begun, with what its members did.
struct Held {
    members: Vec<MemberRow>,
    report: Report,
}

impl Held {
    /// What each pupil did: whoever left and came back is one.
    fn by_pupil(&self) -> BTreeMap<AccountId, Deeds> {
        let mut found: BTreeMap<AccountId, Deeds> = BTreeMap::new();
        for deeds in &self.report.people {
            let row = self.members.iter().find(|row| row.id() == deeds.member);
            let Some(account) = row.and_then(|row| row.account_id.clone()) else {
                continue;
            };
            found
                .entry(account)
                .and_modify(|known| known.add(deeds))
                .or_insert_with(|| deeds.clone());
        }
        found
    }
}

impl App {
    /// The earlier lessons of a class, as far as the rotation of duties is concerned.
    pub(super) async fn earlier(
        &self,
        class: &ClassId,
        except: &MatchId,
    ) -> Result<Earlier<AccountId>, AppError> {
        let mut earlier = Earlier::default();
        for held in self.held(class, Some(except)).await? {
            let lesson: Vec<(AccountId, Side, Task)> = held
                .by_pupil()
                .into_iter()
                .filter_map(|(account, deeds)| Some((account, deeds.side?, deeds.task?)))
                .collect();
            earlier.add(&lesson);
        }
        Ok(earlier)
    }

    /// The lessons of a class that were begun, the latest first.
    async fn held(&self, class: &ClassId, except: Option<&MatchId>) -> Result<Vec<Held>, AppError> {
        let asked = class.clone();
        let rows = self
            .store
            .read(move |conn| rows::of_class(conn, &asked, LESSONS))
            .await?;
        let mut all = Vec::new();
        for row in rows {
            if row.phase == Stage::Gathering || except == Some(&row.id) {
                continue;
            }
            let (kept, now) = (self.kept_team(&row.id), self.now());
            let (id, state, members, beside) = self
                .store
                .read(move |conn| {
                    let state = state_of(conn, &row.id, row.head, kept)?;
                    let members = teams::members_of(conn, &row.id)?;
                    let beside = beside(conn, &row.id)?;
                    Ok::<_, AppError>((row.id, state, members, beside))
                })
                .await?;
            self.keep_team(&id, &state);
            let report = self.reported(&id, &state, &beside, now);
            all.push(Held { members, report });
        }
        Ok(all)
    }

    /// The report of a match; that of one that is over is kept.
    fn reported(&self, id: &MatchId, state: &Match, beside: &Beside, now: Time) -> Report {
        if state.phase != Phase::Over {
            return Report::of(state, beside, now);
        }
        let mut kept = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(id) {
            Some((known, report)) if *known == *beside => Report::clone(report),
            _ => {
                let report = Arc::new(Report::of(state, beside, now));
                if kept.len() >= REPORTS_KEPT {
                    kept.clear();
                }
                kept.insert(id.clone(), (beside.clone(), Arc::clone(&report)));
                Report::clone(&report)
            }
        }
    }

    /// Who did what in a match; for its host.
    ///
    /// # Errors
    /// Not found for whoever may not see the match; only the host reads that.
    pub async fn report(
        &self,
        visit: &Visit,
        id: &MatchId,
    ) -> Result<(TeamView, Report), AppError> {
        let view = self.taught_lesson(visit, id).await?;
        let asked = id.clone();
        let beside = self.store.read(move |conn| beside(conn, &asked)).await?;
        let report = self.reported(id, &view.state, &beside, self.now());
        Ok((view, report))
    }

    /// What each pupil of a class that the viewer teaches did over its lessons, by name.
    ///
    /// # Errors
    /// Not found for whoever does not teach the class.
    pub async fn progress(
        &self,
        teacher: &Viewer,
        class: &ClassId,
    ) -> Result<Vec<Progress>, AppError> {
        let (asked, by) = (class.clone(), teacher.id.clone());
        let pupils = self
            .store
            .read(move |conn| {
                class_rows::find_taught(conn, &asked, &by)?.ok_or(AppError::NotFound)?;
                Ok::<_, AppError>(class_rows::pupils_of(conn, &asked)?)
            })
            .await?;
        let mut all: HashMap<AccountId, (Past, Deeds)> = HashMap::new();
        for held in self.held(class, None).await? {
            for (account, deeds) in held.by_pupil() {
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
            // Of those who have left, whoever was in a lesson.
            .filter(|one| !one.former || one.past.lessons() > 0)
            .collect();
        list.sort_by_cached_key(|one| (one.former, roster::key(&one.name)));
        Ok(list)
    }
}
