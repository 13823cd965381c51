//! Failures in the background of a test: an error that the server logs, as for an answer 500, or a panic that reaches
//! no test. They fail the test in which they happen, unless it expects them.

use std::cell::RefCell;
use std::fmt::{Debug, Write as _};
use std::panic;
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::thread;

use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

thread_local! {
    /// The failures of the test that this thread works for.
    static HERE: RefCell<Weak<Failures>> = const { RefCell::new(Weak::new()) };
}

/// The failures in the background of one test. The last clone is dropped at the end of the test, and fails it.
///
/// They are those of its thread and of its runtime. The thread that writes to SQLite and those of a server with a port
/// of its own are not seen: what fails there reaches the test as an answer.
#[derive(Default)]
pub struct Failures(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    failures: Vec<String>,
    expected: Vec<&'static str>,
}

impl Failures {
    /// Those of the test that runs on this thread.
    pub fn here() -> Arc<Self> {
        static WATCHING: Once = Once::new();
        WATCHING.call_once(watch);
        HERE.with_borrow_mut(|here| {
            here.upgrade().unwrap_or_else(|| {
                let new = Arc::default();
                *here = Arc::downgrade(&new);
                new
            })
        })
    }

    /// The step that a thread takes at its start to work for this test.
    pub fn on_thread_start(self: &Arc<Self>) -> impl Fn() + Send + Sync + use<> {
        let failures = Arc::downgrade(self);
        move || HERE.set(failures.clone())
    }

    /// A failure whose text contains `text` must happen.
    pub fn expect(&self, text: &'static str) {
        self.seen(|seen| seen.expected.push(text));
    }

    fn seen<T>(&self, act: impl FnOnce(&mut Seen) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Failures {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        self.seen(|Seen { failures, expected }| {
            for text in expected.iter() {
                let has_come = failures.iter().any(|failure| failure.contains(text));
                assert!(has_come, "no failure {text:?}, only {failures:#?}");
            }
            failures.retain(|failure| !expected.iter().any(|text| failure.contains(text)));
            assert!(
                failures.is_empty(),
                "failed in the background: {failures:#?}"
            );
        });
    }
}

fn note(failure: String) {
    if let Some(here) = HERE.try_with(|here| here.borrow().upgrade()).ok().flatten() {
        here.seen(|seen| seen.failures.push(failure));
    }
}

fn watch() {
    let all = tracing_subscriber::registry().with(LevelFilter::ERROR);
    tracing::subscriber::set_global_default(all.with(Watch)).expect("the first one");
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        note(panic.to_string());
        usual(panic);
    }));
}

/// Notes the errors that are logged.
struct Watch;

impl<S: Subscriber> Layer<S> for Watch {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = event.metadata().target().to_owned();
        event.record(&mut |field: &Field, value: &dyn Debug| {
            let _ = write!(text, " {field}={value:?}");
        });
        note(text);
    }
}

mod tests {
    use std::fs;
    use std::sync::Arc;

    use perplex::secret::KeyRing;

    use crate::support::{Database, Folder};
    use crate::test_app::{TestApp, everywhere, runtime};

    /// A tick of a process whose keys have become unreadable.
    fn tick_without_keys(expected: &[&'static str]) {
        let database = Database::sqlite("keys");
        let folder = Folder::new("keys");
        let file = folder.0.join("talk.keys");
        let ring = KeyRing::in_file(&file).expect("keys");
        let test = TestApp::with(database.open(), ring, &Arc::default());
        for text in expected {
            test.expects_failure(text);
        }
        fs::write(&file, "no keys").expect("written");
        runtime().block_on(test.app.tick()).expect("a tick");
    }

    #[test]
    #[should_panic(expected = "failed in the background")]
    fn a_worker_that_fails_fails_its_test() {
        tick_without_keys(&[]);
    }

    #[test]
    fn an_expected_failure_fails_no_test() {
        tick_without_keys(&["keys of the talk"]);
    }

    #[test]
    #[should_panic(expected = "no failure \"mail\"")]
    fn an_expected_failure_must_happen() {
        tick_without_keys(&["keys of the talk", "mail"]);
    }

    #[test]
    #[should_panic(expected = "failed in the background")]
    fn a_task_that_panics_fails_its_test() {
        everywhere("task", async |_| {
            let task = tokio::spawn(async { panic!("on purpose") });
            assert!(task.await.is_err());
        });
    }
}
