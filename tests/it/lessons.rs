//! Lessons of a class: seating, reports, joining by code, on SQLite and PostgreSQL.

use crate::support::{Database, runtime};
use crate::test_app::TestApp;
use perplex::app::team::TeamAccess;
use perplex::app::{AppError, Viewer, Visitor};
use perplex_matches::id::ClassId;
use perplex_matches::id::MatchId;

mod code;
mod course;
mod report;
mod seating;

/// Runs `story` on every database. Stores block while they open and close: that happens outside the runtime.
fn everywhere<F: Future<Output = ()>>(story: impl Fn(TestApp) -> F) {
    for database in Database::all("lessons") {
        let server = TestApp::new(&database);
        runtime().block_on(story(server.clone()));
    }
}

/// What people of lessons do.
impl TestApp {
    /// A class, with a roster if there are names, and a lesson of it.
    async fn lesson(&self, teacher: &TeamAccess, class: &str, names: &str) -> (ClassId, MatchId) {
        let teacher = account(teacher);
        let made = self
            .app
            .create_class(teacher, class, !names.is_empty(), names);
        let class = made.await.expect("a class");
        let id = self.app.start_lesson(teacher, &class).await;
        (class, id.expect("a lesson"))
    }

    /// The code of a lesson.
    async fn code(&self, teacher: &TeamAccess, id: &MatchId) -> String {
        let lesson = self.view(teacher, id).await.lesson.expect("a lesson");
        lesson.code.expect("a code")
    }

    /// A pupil picks a name.
    async fn come(&self, code: &str, name: &str) -> TeamAccess {
        let lesson = self.app.lesson_by_code(code).await.expect("a lesson");
        let pick = lesson.picks.iter().find(|pick| pick.name == name);
        let id = &pick.unwrap_or_else(|| panic!("no {name}")).id;
        let from = Visitor::default();
        let joined = self.app.join_lesson(code, id, "", &from).await;
        let (_, token) = joined.unwrap_or_else(|error| panic!("{name}: {error}"));
        self.visit_with(&token).await
    }
}

fn account(visit: &TeamAccess) -> &Viewer {
    visit.account.as_ref().expect("signed in")
}

/// The field that an answer complains about.
fn wrong<T>(result: Result<T, AppError>) -> &'static str {
    match result {
        Err(AppError::Invalid(fields)) => fields[0].0,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was taken"),
    }
}
