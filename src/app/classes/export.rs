//! A class to take away: all that is held about it, as JSON and as a table.

use serde_json::{Value, json};

use super::super::team::progress::Lesson as Played;
use super::super::{App, AppError, Viewer};
use super::taught;
use crate::store::classes::{self as rows, ClassRow, PupilRow};
use crate::store::{accounts as account_rows, lessons as lesson_rows};
use perplex_games::rules::Side;
use perplex_matches::classroom::report::Report;
use perplex_matches::id::AccountId;
use perplex_matches::id::ClassId;
use perplex_matches::team::Phase;
use perplex_matches::time::Time;

struct Part {
    lesson: usize,
    team: &'static str,
    result: &'static str,
    turns: u32,
    messages: u32,
}

struct Lesson {
    id: String,
    title: String,
    created: Time,
    phase: &'static str,
    score: String,
}

/// All that is held about a class.
pub struct ClassExport {
    row: ClassRow,
    teachers: Vec<(String, bool)>,
    lessons: Vec<Lesson>,
    pupils: Vec<(PupilRow, String, Time, Vec<Part>)>,
}

impl App {
    /// All that is held about a class that the viewer teaches: its pupils with their lessons and results. What they
    /// wrote to each other is theirs: it is counted only.
    /// Errors: not found, also if the viewer does not teach it.
    pub async fn export_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
    ) -> Result<ClassExport, AppError> {
        let (teacher, id, now) = (teacher.id.clone(), id.clone(), self.now());
        self.store
            .read(move |conn| {
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
                let mut pupils: Vec<(PupilRow, String, Time, Vec<Part>)> = members
                    .into_iter()
                    .map(|(pupil, user)| {
                        let since = made.get(&pupil.account_id);
                        let since = since.copied().unwrap_or(row.created_at);
                        (pupil, user, since, Vec::new())
                    })
                    .collect();
                let mut lessons = Vec::new();
                for lesson in lesson_rows::all_of_class(conn, &id)? {
                    let read = Played::read(conn, &lesson, None)?;
                    let state = &read.state;
                    let won = state.outcome().map(|outcome| outcome.winner);
                    let mut deeds = read.by_pupil(&Report::of(state, &read.beside, now));
                    for (pupil, .., parts) in &mut pupils {
                        let Some(deeds) = deeds.remove(&pupil.account_id) else {
                            continue;
                        };
                        parts.push(Part {
                            lesson: lessons.len(),
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
                        id: lesson.id.0,
                        title: lesson.title,
                        created: lesson.created_at,
                        phase: match state.phase {
                            Phase::Gathering => "not begun",
                            Phase::Playing => "being played",
                            Phase::Paused => "paused",
                            Phase::Over if state.was_called_off() => "called off",
                            Phase::Over => "over",
                        },
                        score: format!(
                            "White {}, Black {}, drawn {}",
                            score.white, score.black, score.drawn
                        ),
                    });
                }
                Ok(ClassExport {
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
    #[must_use]
    pub fn name(&self) -> &str {
        &self.row.name
    }

    /// As JSON. Pass phrases are not in it: they are keys, not records.
    #[must_use]
    pub fn json(&self) -> String {
        let lessons: Vec<Value> = self
            .lessons
            .iter()
            .map(|lesson| {
                json!({
                    "id": lesson.id,
                    "title": lesson.title,
                    "made": lesson.created.to_string(),
                    "state": lesson.phase,
                    "boards": lesson.score,
                    "record": format!("/team/{}/record.json", lesson.id),
                })
            })
            .collect();
        let pupils: Vec<Value> = self
            .pupils
            .iter()
            .map(|(pupil, user, since, parts)| {
                let parts: Vec<Value> = parts
                    .iter()
                    .map(|part| {
                        json!({
                            "lesson": self.lessons[part.lesson].id,
                            "team": part.team,
                            "result": part.result,
                            "turns": part.turns,
                            "messages": part.messages,
                        })
                    })
                    .collect();
                json!({
                    "name": pupil.name,
                    "user_name": user,
                    "in_class_since": since.to_string(),
                    "left": pupil.removed_at.map(|at| at.to_string()),
                    "lessons": parts,
                })
            })
            .collect();
        let teachers: Vec<Value> = self
            .teachers
            .iter()
            .map(|(name, owner)| json!({ "name": name, "owner": owner }))
            .collect();
        let all = json!({
            "class": self.row.name,
            "pupils_pick_names": self.row.roster,
            "made": self.row.created_at.to_string(),
            "last_used": self.row.used_at.to_string(),
            "kept_days_without_use": self.row.keep_days,
            "archived": self.row.archived_at.map(|at| at.to_string()),
            "teachers": teachers,
            "lessons": lessons,
            "pupils": pupils,
        });
        format!("{all:#}\n")
    }

    /// As a table, its head first: a line for each lesson of each pupil.
    #[must_use]
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
        for (pupil, user, since, parts) in &self.pupils {
            let left = pupil.removed_at.map(|at| at.to_string());
            let line = |rest: [String; 8]| {
                let [title, made, state, boards, team, result, turns, messages] = rest;
                [
                    pupil.name.clone(),
                    user.clone(),
                    since.to_string(),
                    left.clone().unwrap_or_default(),
                    title,
                    made,
                    state,
                    boards,
                    team,
                    result,
                    turns,
                    messages,
                ]
            };
            if parts.is_empty() {
                table.push(line(Default::default()));
            }
            table.extend(parts.iter().map(|part| {
                let lesson = &self.lessons[part.lesson];
                line([
                    lesson.title.clone(),
                    lesson.created.to_string(),
                    lesson.phase.to_owned(),
                    lesson.score.clone(),
                    part.team.to_owned(),
                    part.result.to_owned(),
                    part.turns.to_string(),
                    part.messages.to_string(),
                ])
            }));
        }
        table
    }
}
