//! A machine whose clock is wrong for a while, and a server that was off for long: nothing is deleted by that, and
//! nobody is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use perplex::app::Clock;
use perplex::store::{StoreError, accounts, classes, guests, matches};
use perplex_games::player::Level;
use perplex_matches::id::{ClassId, MatchId};
use perplex_matches::time::{Time, days, hours};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::support::{Database, chance::seed};
use crate::test_app::{self, ALL, START, TestApp, done, everywhere, here, sign_up_form, too_often};

/// What stands for its time only.
struct Kept {
    class: ClassId,
    of_guest: MatchId,
}

impl Kept {
    async fn new(server: &TestApp) -> Self {
        let app = &server.app;
        done(app.beat()).await;
        done(app.make_computers()).await;
        let hanna = server.admin("Hanna").await;
        let class = done(app.create_class(&hanna, "7B", true, "Ada\nBen")).await;
        let visitor = here();
        let begun = app.play_as_guest(None, ("quixo", ""), Level::Easy, &visitor);
        let of_guest = done(begun).await.id;
        app.sign_up(sign_up_form("Cem"), &here())
            .await
            .expect("told");
        Self { class, of_guest }
    }

    /// Does the chores of time, and says how much is still there: the class, its pupils, the match of the guest, the
    /// guest, and the account that nobody has confirmed.
    async fn left(&self, server: &TestApp) -> [usize; 5] {
        done(server.app.keep_beating()).await;
        done(server.app.tick()).await;
        let (class, of_guest) = (self.class.clone(), self.of_guest.clone());
        let read = server.app.store.read(move |conn| {
            let rows = accounts::list(conn, ALL)?;
            Ok::<_, StoreError>([
                usize::from(classes::find(conn, &class)?.is_some()),
                classes::pupils_of(conn, &class)?.len(),
                usize::from(matches::find(conn, &of_guest)?.is_some()),
                usize::try_from(guests::count(conn)?).expect("a number"),
                rows.iter().filter(|row| row.name == "Cem").count(),
            ])
        });
        done(read).await
    }
}

const ALL_OF_IT: [usize; 5] = [1, 2, 1, 1, 1];

#[test]
fn a_clock_that_was_wrong_has_deleted_nothing() {
    everywhere("wrong_clock", async |server| {
        let kept = Kept::new(server).await;
        server.lives(hours(2)).await;
        assert_eq!(kept.left(server).await, ALL_OF_IT);
        let right = server.app.now();
        // However long it stands, and whatever is done meanwhile.
        server.set(right + days(400));
        for _ in 0..3 {
            assert_eq!(kept.left(server).await, ALL_OF_IT);
            server.lives(days(1)).await;
        }
        assert_eq!(kept.left(server).await, ALL_OF_IT);
        server.set(right + days(3));
        assert_eq!(kept.left(server).await, ALL_OF_IT);
        server.lives(days(1)).await;
        assert_eq!(kept.left(server).await, ALL_OF_IT);
    });
}

#[test]
fn a_clock_that_jumps_about_deletes_nothing() {
    everywhere("jumping_clock", async |server| {
        let mut chance = StdRng::seed_from_u64(seed());
        let kept = Kept::new(server).await;
        server.lives(hours(2)).await;
        // What passes is less than the shortest time for which any of it is kept.
        for jump in 0..40 {
            let off: i64 = chance.random_range(-500..500) * 86_400_000_000;
            server.time.fetch_add(off, Ordering::SeqCst);
            assert_eq!(kept.left(server).await, ALL_OF_IT, "{jump}");
            let hours_passed = chance.random_range(0..4);
            server.lives(hours(hours_passed)).await;
            assert_eq!(kept.left(server).await, ALL_OF_IT, "{jump}");
        }
    });
}

#[test]
fn a_server_that_was_off_for_a_year_has_deleted_nothing() {
    everywhere("off_for_long", async |server| {
        let kept = Kept::new(server).await;
        server.lives(days(3)).await;
        server.wait(days(400));
        assert_eq!(kept.left(server).await, ALL_OF_IT);
        server.lives(days(4)).await;
        assert_eq!(kept.left(server).await, ALL_OF_IT);
        // The time in which it was there counts, and all of it stands a day longer.
        server.lives(days(1)).await;
        done(server.app.tick()).await;
        server.wait(Duration::from_secs(1));
        assert_eq!(kept.left(server).await, [1, 2, 1, 1, 0]);
        server.lives(days(23)).await;
        assert_eq!(kept.left(server).await, [1, 2, 0, 0, 0]);
        server.lives(days(334)).await;
        assert_eq!(kept.left(server).await, [1, 2, 0, 0, 0]);
        server.lives(days(1)).await;
        assert_eq!(kept.left(server).await, [0; 5]);
    });
}

#[test]
fn nothing_is_deleted_within_an_hour_of_a_jump() {
    everywhere("after_a_jump", async |server| {
        let kept = Kept::new(server).await;
        server.lives(days(9)).await;
        // Cem's time is over; but what time it is has just been found out.
        for minutes in [-60, 120] {
            server
                .time
                .fetch_add(minutes * 60_000_000, Ordering::SeqCst);
            assert_eq!(kept.left(server).await, ALL_OF_IT);
            server.lives(Duration::from_mins(59)).await;
            assert_eq!(kept.left(server).await, ALL_OF_IT);
        }
        server.lives(Duration::from_mins(1)).await;
        assert_eq!(kept.left(server).await, [1, 2, 1, 1, 0]);
    });
}

/// A process whose clock is a year ahead works on the same database as one whose clock is right.
#[test]
fn one_wrong_clock_among_two_deletes_nothing() {
    for database in Database::all("two_clocks") {
        let server = TestApp::new(&database);
        let wrong = TestApp::new(&database);
        test_app::runtime().block_on(async {
            let kept = Kept::new(&server).await;
            server.lives(hours(2)).await;
            for _ in 0..20 {
                wrong.set(server.app.now() + days(400));
                assert_eq!(kept.left(&wrong).await, ALL_OF_IT);
                server.wait(Duration::from_mins(7));
                assert_eq!(kept.left(&server).await, ALL_OF_IT);
            }
        });
    }
}

#[test]
fn a_clock_that_is_set_back_keeps_nobody_out() {
    for database in Database::all("set_back") {
        let (passed, off) = (Arc::new(AtomicI64::new(START)), Arc::new(AtomicI64::new(0)));
        let steady = Arc::clone(&passed);
        let (time, ahead) = (Arc::clone(&passed), Arc::clone(&off));
        let clock = Clock::new(
            move || Time(time.load(Ordering::SeqCst) + ahead.load(Ordering::SeqCst)),
            move || Time(0).until(Time(steady.load(Ordering::SeqCst))),
        );
        let server = TestApp::with_clock(database.open(), database.ring(), &passed, clock);
        test_app::runtime().block_on(async {
            let app = &server.app;
            server.admin("Ann").await;
            off.store(3_600_000_000, Ordering::SeqCst);
            let wrong = async || app.sign_in("Ann", "not her password", &here()).await;
            while !too_often(wrong().await) {}
            off.store(0, Ordering::SeqCst);
            // As long as if the clock had been right.
            server.wait(Duration::from_mins(1));
            server.sign_in_again("Ann").await;
        });
    }
}
