//! The export of a class: all that is stored about it, as JSON and as a table.

use serde::Serialize;
use serde_json::{Value, json};

use super::super::team::progress::Lesson as Played;
use super::super::{App, AppError, Viewer};
use super::taught;
use crate::store::classes::{self as rows, ClassRow};
use crate::store::{accounts as account_rows, lessons as lesson_rows};
use perplex_games::rules::Side;
use perplex_matches::classroom::report::Report;
use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::team::Phase;

#[derive(Serialize)]
struct Part {
    lesson: String,
    team: &'static str,
    result: &'static str,
    turns: u32,
    messages: u32,
}

#[derive(Serialize)]
struct Lesson {
    id: String,
    title: String,
    made: String,
    state: &'static str,
    boards: String,
    record: String,
}

#[derive(Serialize)]
struct ExportedPupil {
    name: String,
    user_name: String,
    in_class_since: String,
    left: Option<String>,
    lessons: Vec<Part>,
}

pub struct ClassExport {
    row: ClassRow,
    teachers: Vec<Value>,
    lessons: Vec<Lesson>,
    pupils: Vec<ExportedPupil>,
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
                .map(|(row, name)| json!({ "name": name, "owner": row.owner }))
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
                    pupil.lessons.push(Part {
                        lesson: lesson.id.to_string(),
                        team: match deeds.side {
                            Some(Side::First) => "White",
                            Some(Side::Second) => "Black",
                            None => "none",
                        },
                        result: match (won, deeds.side) {
                            (None, _) => "not decided",
                            (Some(_), None) => "looked on",
                            (Some(None), _) => "drawn",
                            (Some(winner), side) if winner == side => "won",
                            _ => "lost",
                        },
                        turns: deeds.turns,
                        messages: deeds.messages,
                    });
                }
                let score = state.boards.score();
                lessons.push(Lesson {
                    record: format!("/team/{}/record.json", lesson.id),
                    id: lesson.id.0,
                    title: lesson.title,
                    made: lesson.created_at.to_string(),
                    state: match state.phase {
                        Phase::Gathering => "not begun",
                        Phase::Playing => "being played",
                        Phase::Paused => "paused",
                        Phase::Over if state.was_called_off() => "called off",
                        Phase::Over => "over",
                    },
                    boards: format!(
                        "White {}, Black {}, drawn {}",
                        score.white, score.black, score.drawn
                    ),
                });
            }
            Ok::<_, AppError>(ClassExport {
                row,
                teachers,
                lessons,
                pupils,
            })
        })
        .await
    }
}

impl ClassExport {
    pub fn name(&self) -> &str {
        &self.row.name
    }

    /// The export as JSON, without pass phrases: they are keys, not records.
    pub fn json(&self) -> String {
        let all = json!({
            "class": self.row.name,
            "pupils_pick_names": self.row.roster,
            "made": self.row.created_at.to_string(),
            "last_used": self.row.used_at.to_string(),
            "kept_days_without_use": self.row.keep_days,
            "archived": self.row.archived_at.map(|at| at.to_string()),
            "teachers": self.teachers,
            "lessons": self.lessons,
            "pupils": self.pupils,
        });
        format!("{all:#}\n")
    }

    pub fn table(&self) -> Vec<[String; 12]> {
        const HEAD: [&str; 12] = [
            "pupil",
            "user name",
            "in class since",
            "left",
            "lesson",
            "made",
            "state",
            "boards",
            "team",
            "result",
            "turns",
            "messages",
        ];
        let mut table = vec![HEAD.map(str::to_owned)];
        for pupil in &self.pupils {
            let line = |rest: [&str; 8]| {
                let left = pupil.left.as_deref().unwrap_or_default();
                let [lesson, made, state, boards, team, result, turns, messages] = rest;
                [
                    &pupil.name,
                    &pupil.user_name,
                    &pupil.in_class_since,
                    left,
                    lesson,
                    made,
                    state,
                    boards,
                    team,
                    result,
                    turns,
                    messages,
                ]
                .map(str::to_owned)
            };
            if pupil.lessons.is_empty() {
                table.push(line([""; 8]));
            }
            for part in &pupil.lessons {
                let lesson = self.lessons.iter().find(|lesson| lesson.id == part.lesson);
                table.extend(lesson.map(|lesson| {
                    let (turns, messages) = (part.turns.to_string(), part.messages.to_string());
                    line([
                        &lesson.title,
                        &lesson.made,
                        lesson.state,
                        &lesson.boards,
                        part.team,
                        part.result,
                        &turns,
                        &messages,
                    ])
                }));
            }
        }
        table
    }
}
