//! Lessons of a class: seating, reports, joining by code, on SQLite and PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::support::{Database, Folder, runtime};
use perplex::app::accounts::SignUp;
use perplex::app::teams::{TeamView, Visit};
use perplex::app::{App, AppError, Clock, Viewer, Visitor};
use perplex::secret::{Key, Ring};
use perplex_matches::id::ClassId;
use perplex_matches::id::MatchId;
use perplex_matches::team::Command;
use perplex_matches::time::Time;

mod code;
mod course;
mod report;
mod seating;

const START: i64 = 1_800_000_000_000_000;

/// The application with a clock that is set by hand.
#[derive(Clone)]
struct School {
    app: Arc<App>,
    time: Arc<AtomicI64>,
}

/// Runs `story` on every database. Stores block while they open and close: that happens outside the runtime.
fn everywhere<F: Future<Output = ()>>(story: impl Fn(School) -> F) {
    for database in Database::all("lessons") {
        let folder = Folder::new("ring");
        let ring = Ring::in_file(&folder.0.join("talk.keys")).expect("keys");
        let time = Arc::new(AtomicI64::new(START));
        let read = Arc::clone(&time);
        let clock: Clock = Arc::new(move || Time(read.load(Ordering::SeqCst)));
        let url = "https://perplex.example".to_owned();
        let app = App::new(database.open(), Key::new([7; 64]), ring, url, None, clock);
        let school = School {
            app: Arc::new(app),
            time,
        };
        runtime().block_on(story(school.clone()));
    }
}

impl School {
    fn wait(&self, duration: Duration) {
        let micros = i64::try_from(duration.as_micros()).expect("a short time");
        self.time.fetch_add(micros, Ordering::SeqCst);
    }

    async fn teacher(&self, name: &str) -> Visit {
        let form = SignUp {
            name: name.to_owned(),
            email: format!("{name}@example.org"),
            password: "a long password".to_owned(),
            zone: "Europe/Berlin".to_owned(),
        };
        self.app.create_host(form).await.expect("an account");
        let from = Visitor::default();
        let token = self.app.sign_in(name, "a long password", &from).await;
        self.visit(&token.expect("signed in")).await
    }

    /// A class, with a roster if there are names, and a lesson of it.
    async fn lesson(&self, teacher: &Visit, class: &str, names: &str) -> (ClassId, MatchId) {
        let teacher = account(teacher);
        let made = self
            .app
            .create_class(teacher, class, !names.is_empty(), names);
        let class = made.await.expect("a class");
        let id = self.app.start_lesson(teacher, &class).await;
        (class, id.expect("a lesson"))
    }

    async fn visit(&self, token: &str) -> Visit {
        let viewer = self.app.viewer(token).await.expect("a session");
        Visit {
            account: Some(viewer.expect("somebody")),
            ..Visit::default()
        }
    }

    async fn view(&self, visit: &Visit, id: &MatchId) -> TeamView {
        self.app.team(visit, id, None).await.expect("a match")
    }

    /// The code of a lesson.
    async fn code(&self, teacher: &Visit, id: &MatchId) -> String {
        let lesson = self.view(teacher, id).await.lesson.expect("a lesson");
        lesson.code.expect("a code")
    }

    /// Somebody picks a name.
    async fn come(&self, code: &str, name: &str) -> Visit {
        let lesson = self.app.lesson_by_code(code).await.expect("a lesson");
        let pick = lesson.picks.iter().find(|pick| pick.name == name);
        let id = &pick.unwrap_or_else(|| panic!("no {name}")).id;
        let from = Visitor::default();
        let joined = self.app.join_lesson(code, id, "", &from).await;
        let (_, token) = joined.unwrap_or_else(|error| panic!("{name}: {error}"));
        self.visit(&token).await
    }

    async fn act(&self, visit: &Visit, id: &MatchId, command: Command) {
        let done = self.app.act_in_team(visit, id, command.clone()).await;
        done.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    }
}

fn account(visit: &Visit) -> &Viewer {
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
