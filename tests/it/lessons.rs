//! Lessons of a class: seating, reports, joining by code, on SQLite and PostgreSQL.

use crate::test_app::{TestApp, account, device_of, done};
use perplex::app::team::TeamAccess;
use perplex::app::team::door::{JoinOutcome, Joiner};
use perplex::app::team::lessons::{LessonByCode, Pick};
use perplex::app::{AppError, Visitor};
use perplex_matches::id::{ClassId, MatchId};
use perplex_matches::team::Command;

mod code;
mod course;
mod door;
mod guesses;
mod report;
mod seating;

/// Acts of people in lessons.
impl TestApp {
    /// A class, with a roster if there are names, and a lesson of it.
    async fn lesson(&self, teacher: &TeamAccess, class: &str, names: &str) -> (ClassId, MatchId) {
        let teacher = account(teacher);
        let class = done(
            self.app
                .create_class(teacher, class, !names.is_empty(), names),
        )
        .await;
        let id = self.app.start_lesson(teacher, &class).await;
        (class, id.expect("a lesson"))
    }

    /// A lesson of a class of Hanna's: she, the class, the lesson and its code.
    async fn first_lesson(
        &self,
        class: &str,
        names: &str,
    ) -> (TeamAccess, ClassId, MatchId, String) {
        let teacher = self.visit("Hanna").await;
        let (class, id) = self.lesson(&teacher, class, names).await;
        let code = self.code(&teacher, &id).await;
        (teacher, class, id, code)
    }

    pub async fn code(&self, teacher: &TeamAccess, id: &MatchId) -> String {
        let lesson = self.view(teacher, id).await.lesson.expect("a lesson");
        lesson.code.expect("a code")
    }

    /// The lesson that a visitor without a name finds by a code.
    async fn lesson_by(&self, code: &str) -> Result<LessonByCode, AppError> {
        self.app.lesson_by_code(code, &Visitor::default()).await
    }

    /// A name on the list of a lesson.
    async fn pick(&self, code: &str, name: &str) -> Pick {
        let lesson = self.lesson_by(code).await.expect("a lesson");
        let pick = lesson.picks.into_iter().find(|pick| pick.name == name);
        pick.unwrap_or_else(|| panic!("no {name}"))
    }

    /// Lets a pupil pick a name, on a device of their own.
    async fn come(&self, code: &str, name: &str) -> TeamAccess {
        let pick = self.pick(code, name).await;
        self.come_as(code, &pick.id).await
    }

    /// Lets a pupil pick a name on this device; `phrase` may be empty.
    async fn join_lesson(&self, code: &str, name: &str, phrase: &str, device: &str) -> JoinOutcome {
        let comer = Joiner::Pupil(self.pick(code, name).await.id);
        let from = on(device);
        let arrival = self
            .app
            .join_lesson(code, &comer, phrase, None, &from)
            .await;
        arrival.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// As [`join_lesson`](Self::join_lesson), for a pupil who gets in by that; gives the token of the session.
    async fn comes_in(&self, code: &str, name: &str, phrase: &str, device: &str) -> String {
        match self.join_lesson(code, name, phrase, device).await {
            JoinOutcome::In(_, Some(token)) => token,
            other => panic!("{name} on {device}: {other:?}"),
        }
    }

    /// As [`join_lesson`](Self::join_lesson), for a pupil who waits for the teacher's approval.
    async fn waits(&self, code: &str, name: &str, phrase: &str, device: &str) {
        let arrival = self.join_lesson(code, name, phrase, device).await;
        assert_eq!(arrival, JoinOutcome::Waits, "{name} on {device}");
    }

    /// Starts a lesson, whatever duties are open.
    async fn starts(&self, teacher: &TeamAccess, id: &MatchId) {
        self.act(teacher, id, Command::Start { short: true }).await;
    }

    /// Lets a new pupil join a class without a list.
    async fn nickname(&self, code: &str) -> Result<TeamAccess, AppError> {
        let from = Visitor::default();
        match self
            .app
            .join_lesson(code, &Joiner::New, "", None, &from)
            .await?
        {
            JoinOutcome::In(_, Some(token)) => Ok(self.visit_with(&token).await),
            other => panic!("{other:?}"),
        }
    }

    /// Lets a signed-in pupil join.
    async fn come_back(&self, code: &str, pupil: &TeamAccess) -> Result<JoinOutcome, AppError> {
        let viewer = account(pupil);
        let comer = Joiner::Pupil(viewer.id.clone());
        let from = device_of(&viewer.id);
        self.app
            .join_lesson(code, &comer, "", Some(viewer), &from)
            .await
    }
}

/// A visitor on this device.
fn on(device: &str) -> Visitor {
    Visitor {
        browser: device.to_owned(),
        ..Visitor::default()
    }
}

/// The name of the wrong field.
fn wrong<T>(result: Result<T, AppError>) -> &'static str {
    match result {
        Err(AppError::Invalid(fields)) => fields[0].0,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was taken"),
    }
}
