//! The clock of the machine is wrong, as the program finds it.

use perplex::store::{classes, heartbeat, matches};
use perplex_games::player::Level;
use perplex_matches::id::ClassId;

use super::*;

/// A clock that shows so many seconds more as a file says, and that fails the main thread once where another file is.
const LIBRARY: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    const char *fails = getenv("CLOCK_FAILS");
    if (clock == CLOCK_REALTIME && fails && syscall(SYS_gettid) == getpid() && unlink(fails) == 0) {
        errno = EINVAL;
        return -1;
    }
    long result = syscall(SYS_clock_gettime, clock, time);
    const char *path = getenv("CLOCK_OFF");
    FILE *file = clock == CLOCK_REALTIME && path ? fopen(path, "r") : NULL;
    if (file) {
        long off = 0;
        if (fscanf(file, "%ld", &off) == 1)
            time->tv_sec += off;
        fclose(file);
    }
    return result;
}
"#;

fn library(folder: &Path) -> PathBuf {
    let (source, made) = (folder.join("clock.c"), folder.join("clock.so"));
    fs::write(&source, LIBRARY).expect("a file");
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&made, &source])
        .status();
    assert!(compiler.expect("a C compiler").success());
    made
}

struct Machine {
    folder: Folder,
    database: Database,
    store: Store,
}

impl Machine {
    fn sets_clock(&self, off: Duration) {
        let (path, new) = (self.folder.0.join("off"), self.folder.0.join("new"));
        fs::write(&new, off.as_secs().to_string()).expect("a file");
        fs::rename(new, path).expect("a file");
    }

    /// The next time that the main thread asks what time it is, it is not told, and what asked panics.
    fn fails_once(&self) {
        let path = self.folder.0.join("fails");
        fs::write(&path, "").expect("a file");
        waits_until(|| !path.exists(), "nothing asked for the time");
    }

    fn starts(&self) -> Server {
        let mut command = program(&self.folder.0);
        command
            .arg("serve")
            .env("DATABASE_URL", self.database.url())
            .env("LD_PRELOAD", library(&self.folder.0))
            .env("CLOCK_OFF", self.folder.0.join("off"))
            .env("CLOCK_FAILS", self.folder.0.join("fails"));
        Server::run(command, &self.folder.0)
    }

    /// Waits until it has noted, after `from` and before `to`, that people can play.
    fn beats_from(&self, from: Time, to: Time) {
        let beaten = || {
            let noted = self.store.read_now(heartbeat::last);
            let noted: Result<_, StoreError> = noted;
            let at = noted.expect("the heartbeat").expect("it beats");
            from <= at && at <= to
        };
        waits_until(beaten, &format!("no heartbeat from {from} to {to}"));
    }
}

fn waits_until(is_so: impl Fn() -> bool, why: &str) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{why}");
        std::thread::sleep(AGAIN);
    }
}

/// A machine of this name on which Ann and Bea have accounts.
fn machine(name: &'static str) -> Machine {
    let database = Database::sqlite(name);
    furnish(&database, &["Ann", "Bea"], 0);
    let store = database.open();
    let folder = Folder::new(name);
    Machine {
        folder,
        database,
        store,
    }
}

/// The workers of the real program fall, one by one. Each is started anew, and `/healthz` does not say ok meanwhile.
#[test]
fn a_worker_that_falls_is_started_anew() {
    let machine = machine("fallen");
    machine.sets_clock(Duration::ZERO);
    let server = machine.starts();
    let right = || clock().now();
    machine.beats_from(right(), right() + PATIENCE);
    let health = || {
        threads().block_on(async {
            let mut visitor = Client::new(server.address);
            let status = visitor.get("/healthz").await.expect("an answer");
            (status, visitor.text())
        })
    };
    assert_eq!(health(), (200, "ok\n".to_owned()));
    let fallen = |name: &str| {
        let told = format!("started anew name=\"{name}\"");
        log_of(&machine.folder.0).contains(&told)
    };
    let start = Instant::now();
    let mut falls = 0;
    while !(fallen("mail") && fallen("deadlines")) {
        assert!(
            start.elapsed() < PATIENCE * 4,
            "{}",
            log_of(&machine.folder.0)
        );
        machine.fails_once();
        falls += 1;
        // The line of the log asks for the time, too: what starts workers anew must not be the next that is not told.
        let is_logged = || log_of(&machine.folder.0).matches("started anew").count() >= falls;
        waits_until(is_logged, "nobody started a worker anew");
        let is_said = || matches!(health(), (503, said) if said.starts_with("failed: "));
        waits_until(is_said, "nobody knows that a worker fell");
    }

    // All is done as before.
    machine.beats_from(right(), right() + PATIENCE);
    threads().block_on(async {
        let mut visitor = Client::new(server.address);
        visitor.get("/reset").await.expect("a page");
        visitor.keep_proof().expect("a form");
        let form = [("email", "ann@example.org")];
        visitor.post("/reset", &form).await.expect("sent");
    });
    let mails = machine.folder.0.join("data/mail");
    let is_there = || {
        let files = fs::read_dir(&mails).expect("the folder");
        let ends = |path: PathBuf| path.extension().is_some_and(|end| end == "eml");
        files.flatten().any(|file| ends(file.path()))
    };
    waits_until(is_there, "no mail");
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_machine_whose_clock_is_wrong_loses_nothing() {
    const OFF: Duration = days(400);
    /// Some rounds of the program's chores.
    const ROUNDS: Duration = Duration::from_secs(9);
    let machine = machine("machine");
    let kept = keep(&machine.database);
    let still = || {
        let (class, of_guest) = kept.clone();
        machine.store.read_now(move |conn| {
            let class = classes::find(conn, &class)?.is_some();
            Ok::<_, StoreError>((class, matches::find(conn, &of_guest)?.is_some()))
        })
    };
    let right = || clock().now();

    // For some seconds, while it runs: it does not even notice.
    machine.sets_clock(Duration::ZERO);
    let server = machine.starts();
    machine.beats_from(right(), right() + PATIENCE);
    machine.sets_clock(OFF);
    machine.beats_from(right() + ROUNDS, right() + PATIENCE);
    assert_eq!(still().expect("read"), (true, true));
    machine.sets_clock(Duration::ZERO);
    machine.beats_from(right() + ROUNDS, right() + PATIENCE);
    assert_eq!(server.stop().code(), Some(0));

    // From its start on: as if it had been off for so long.
    machine.sets_clock(OFF);
    let server = machine.starts();
    machine.beats_from(right() + OFF + ROUNDS, right() + OFF + PATIENCE);
    assert_eq!(still().expect("read"), (true, true));
    assert_eq!(server.stop().code(), Some(0));
    machine.sets_clock(Duration::ZERO);
    let server = machine.starts();
    machine.beats_from(right() + ROUNDS, right() + PATIENCE);
    assert_eq!(still().expect("read"), (true, true));
    assert_eq!(server.stop().code(), Some(0));
}

/// Makes a class, and a match of a guest.
fn keep(database: &Database) -> (ClassId, MatchId) {
    let app = app_on(database, clock());
    threads().block_on(async {
        done(app.make_computers()).await;
        let from = Visitor::default();
        let token = done(app.sign_in("Ann", PASSWORD, &from)).await;
        let ann = done(app.viewer(&token)).await.expect("a session");
        let class = done(app.create_class(&ann, "7B", true, "Ada")).await;
        let begun = app.play_as_guest(None, ("quixo", ""), Level::Easy, &from);
        (class, done(begun).await.id)
    })
}
