//! The words of tables that are downloaded: headings and states.

use serde_json::{Value, json};

use super::team::side_word;
use crate::app::classes::{ClassExport, ExportedLesson, LessonPart, LessonResult, LessonState};

/// The headings of the progress of a class.
pub const PROGRESS: &str = "name,lessons,strategist,boardman,agent,turns,captures,rule changes,transfers,votes,offers,messages,minutes";
/// The headings of the report of a match.
pub const REPORT: &str =
    "name,team,duties,turns,captures,rule changes,transfers,votes,offers,messages,minutes";

const fn result(result: LessonResult) -> &'static str {
    match result {
        LessonResult::Open => "not decided",
        LessonResult::LookedOn => "looked on",
        LessonResult::Drawn => "drawn",
        LessonResult::Won => "won",
        LessonResult::Lost => "lost",
    }
}

const fn state(state: LessonState) -> &'static str {
    match state {
        LessonState::NotBegun => "not begun",
        LessonState::Playing => "being played",
        LessonState::Paused => "paused",
        LessonState::CalledOff => "called off",
        LessonState::Over => "over",
    }
}

fn team(part: &LessonPart) -> &'static str {
    part.team.map_or("none", side_word)
}

fn boards(lesson: &ExportedLesson) -> String {
    let score = lesson.boards;
    format!(
        "White {}, Black {}, drawn {}",
        score.white, score.black, score.drawn
    )
}

impl ClassExport {
    /// The export as JSON, without pass phrases: they are keys, not records.
    pub fn json(&self) -> String {
        let lesson = |lesson: &ExportedLesson| {
            json!({
                "id": lesson.id,
                "title": lesson.title,
                "made": lesson.made,
                "state": state(lesson.state),
                "boards": boards(lesson),
                "record": lesson.record,
            })
        };
        let part = |part: &LessonPart| {
            json!({
                "lesson": part.lesson,
                "team": team(part),
                "result": result(part.result),
                "turns": part.turns,
                "messages": part.messages,
            })
        };
        let lessons: Vec<Value> = self.lessons.iter().map(lesson).collect();
        let pupils = self.pupils.iter().map(|pupil| {
            json!({
                "name": pupil.name,
                "user_name": pupil.user_name,
                "in_class_since": pupil.in_class_since,
                "left": pupil.left,
                "lessons": pupil.lessons.iter().map(part).collect::<Vec<_>>(),
            })
        });
        let pupils: Vec<Value> = pupils.collect();
        let teachers = self
            .teachers
            .iter()
            .map(|(name, is_owner)| json!({ "name": name, "owner": is_owner }));
        let teachers: Vec<Value> = teachers.collect();
        let cards = self.rule_cards.iter();
        let cards = cards.map(|card| json!({ "name": card.name, "turn": card.change.to_string() }));
        let cards: Vec<Value> = cards.collect();
        let all = json!({
            "class": self.class.name,
            "pupils_pick_names": self.class.roster,
            "made": self.class.created.to_string(),
            "last_used": self.class.used.to_string(),
            "kept_days_without_use": self.class.keep_days,
            "archived": self.class.archived.map(|at| at.to_string()),
            "teachers": teachers,
            "rule_cards": cards,
            "lessons": lessons,
            "pupils": pupils,
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
                        state(lesson.state),
                        &boards(lesson),
                        team(part),
                        result(part.result),
                        &turns,
                        &messages,
                    ])
                }));
            }
        }
        table
    }
}
