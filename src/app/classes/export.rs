//! The export of a class: all that is stored about it, as JSON and as a table.

use super::super::team::progress::Lesson as Played;
use super::super::{App, AppError, Viewer};
use super::{Class, taught};
use crate::store::classes as rows;
use crate::store::own_cards::DeckOwner;
use crate::store::{accounts as account_rows, lessons as lesson_rows, own_cards};
use perplex_games::perplexichess::Score;
use perplex_games::rules::Side;
use perplex_matches::classroom::own_card::OwnCard;
use perplex_matches::classroom::report::Report;
use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::team::Phase;

#[derive(Clone, Copy)]
pub enum LessonResult {
    Open,
    LookedOn,
    Drawn,
    Won,
    Lost,
}

#[derive(Clone, Copy)]
pub enum LessonState {
    NotBegun,
    Playing,
    Paused,
    CalledOff,
    Over,
}

/// A pupil's part in a lesson.
pub struct LessonPart {
    pub lesson: String,
    pub team: Option<Side>,
    pub result: LessonResult,
    pub turns: u32,
    pub messages: u32,
}

pub struct ExportedLesson {
    pub id: String,
    pub title: String,
    pub made: String,
    pub state: LessonState,
    pub boards: Score,
    pub record: String,
}

pub struct ExportedPupil {
    pub name: String,
    pub user_name: String,
    pub in_class_since: String,
    pub left: Option<String>,
    pub lessons: Vec<LessonPart>,
}

/// `texts::tables` writes it.
pub struct ClassExport {
    pub class: Class,
    /// Their names, and true for the owner.
    pub teachers: Vec<(String, bool)>,
    pub lessons: Vec<ExportedLesson>,
    pub pupils: Vec<ExportedPupil>,
    pub rule_cards: Vec<OwnCard>,
}

impl App {
    /// All that is stored about a class that the viewer teaches: its pupils with their lessons and results. The
    /// pupils' messages are theirs: they are only counted.
    pub async fn export_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
    ) -> Result<ClassExport, AppError> {
        self.require_proof(teacher)?;
        let (teacher, id, now) = (teacher.id.clone(), id.clone(), self.now());
        self.read(move |conn| {
            let (row, _) = taught(conn, &id, &teacher)?;
            let teachers = rows::teachers_of(conn, &id)?
                .into_iter()
                .map(|(row, name)| (name, row.owner))
                .collect();
            let members = rows::pupils_of(conn, &id)?;
            let ids: Vec<AccountId> = members
                .iter()
                .map(|(pupil, _)| pupil.account_id.clone())
                .collect();
            let made = account_rows::created(conn, &ids)?;
            let mut pupils: Vec<ExportedPupil> = members
                .into_iter()
                .map(|(pupil, user_name)| ExportedPupil {
                    name: pupil.name,
                    user_name,
                    in_class_since: made
                        .get(&pupil.account_id)
                        .unwrap_or(&row.created_at)
                        .to_string(),
                    left: pupil.removed_at.map(|at| at.to_string()),
                    lessons: Vec::new(),
                })
                .collect();
            let mut lessons = Vec::new();
            for lesson in lesson_rows::all_of_class(conn, &id)? {
                let read = Played::read(conn, &lesson, None)?;
                let state = &read.state;
                let won = state.outcome().map(|outcome| outcome.winner);
                let mut deeds = read.by_pupil(&Report::of(state, &read.beside, now));
                for (pupil, account) in pupils.iter_mut().zip(&ids) {
                    let Some(deeds) = deeds.remove(account) else {
                        continue;
                    };
                    pupil.lessons.push(LessonPart {
                        lesson: lesson.id.to_string(),
                        team: deeds.side,
                        result: match (won, deeds.side) {
                            (None, _) => LessonResult::Open,
                            (Some(_), None) => LessonResult::LookedOn,
                            (Some(None), _) => LessonResult::Drawn,
                            (Some(winner), side) if winner == side => LessonResult::Won,
                            _ => LessonResult::Lost,
                        },
                        turns: deeds.turns,
                        messages: deeds.messages,
                    });
                }
                lessons.push(ExportedLesson {
                    record: format!("/team/{}/record.json", lesson.id),
                    id: lesson.id.0,
                    title: lesson.title,
                    made: lesson.created_at.to_string(),
                    state: match state.phase {
                        Phase::Gathering => LessonState::NotBegun,
                        Phase::Playing => LessonState::Playing,
                        Phase::Paused => LessonState::Paused,
                        Phase::Over if state.was_called_off() => LessonState::CalledOff,
                        Phase::Over => LessonState::Over,
                    },
                    boards: state.boards.score(),
                });
            }
            Ok::<_, AppError>(ClassExport {
                class: row.into(),
                teachers,
                lessons,
                pupils,
                rule_cards: own_cards::of(conn, &DeckOwner::Class(id))?,
            })
        })
        .await
    }
}

impl ClassExport {
    pub fn name(&self) -> &str {
        &self.class.name
    }
}
