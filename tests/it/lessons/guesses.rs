//! Guesses at the codes of lessons and the three words of pupils: the guesser is stopped, and no other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::Either;
use perplex::app::classes::Pupil;
use perplex::app::team::TeamAccess;
use perplex::app::{AppError, Visitor};
use perplex_matches::id::ClassId;

use super::{on, wrong};
use crate::support::{Database, PATIENCE};
use crate::test_app::{TestApp, account, done, everywhere, everywhere_with};

const NAMES: &str = "Anna\nBen\nCem\nDora\nEmil\nFritz\nGül\nHugo";

/// A visitor on a new device. All come from one address, as from a school.
fn fresh(device: usize) -> Visitor {
    on(&format!("device {device}"))
}

fn too_often<T>(tried: &Result<T, AppError>) -> bool {
    matches!(tried, Err(AppError::TooOften(seconds)) if *seconds > 0)
}

async fn codes(server: &TestApp) {
    let (_, _, _, code) = server.first_lesson("7b", NAMES).await;
    let look = async |code: &str, from: &Visitor| server.app.lesson_by_code(code, from).await;
    let wrong_code = if code == "DDDDDDD" {
        "HHHHHHH"
    } else {
        "DDDDDDD"
    };

    // One device guesses: after twenty wrong ones it waits, and no other.
    let guesser = on("a tablet");
    for _ in 0..1_000 {
        look(&code, &guesser)
            .await
            .expect("right ones cost nothing");
    }
    for _ in 0..20 {
        assert_eq!(wrong(look(wrong_code, &guesser).await), "code");
    }
    assert!(too_often(&look(wrong_code, &guesser).await));
    assert!(
        too_often(&look(&code, &guesser).await),
        "it guesses no more"
    );
    look(&code, &on("another")).await.expect("a lesson");
    server.wait(Duration::from_secs(11));
    look(&code, &guesser).await.expect("a lesson");

    // A guesser whose device is always new: all others from its address get in, if a little later.
    for device in 0..300 {
        assert_eq!(wrong(look(wrong_code, &fresh(device)).await), "code");
    }
    let pupils: Vec<Visitor> = (1_000..1_090).map(fresh).collect();
    let at_once = pupils.iter().map(|from| look(&code, from));
    let at_once = futures_util::future::join_all(at_once).await;
    assert!(at_once.iter().all(Result::is_ok), "slowed, never refused");
    // Of browsers without a mark at most sixty wait; the others come again with one, and then have places of their
    // own.
    let unmarked = |device| Visitor {
        is_new: true,
        ..fresh(device)
    };
    let guests: Vec<Visitor> = (3_000..3_090).map(unmarked).collect();
    let guests = guests.iter().map(|from| look(wrong_code, from));
    let pupils = pupils.iter().map(|from| look(&code, from));
    let (guests, pupils) = tokio::join!(
        futures_util::future::join_all(guests),
        futures_util::future::join_all(pupils)
    );
    assert_eq!(guests.iter().filter(|tried| too_often(tried)).count(), 30);
    assert!(pupils.iter().all(Result::is_ok), "beside a guest’s ninety");
    // However many browsers an attacker makes up, one that was here before finds a place.
    let made_up = |device| Visitor {
        is_young: true,
        ..fresh(device)
    };
    let crowd: Vec<Visitor> = (4_000..4_810).map(made_up).collect();
    let crowd = crowd.iter().map(|from| look(wrong_code, from));
    let old = on("a tablet of last week");
    let (crowd, found) = tokio::join!(futures_util::future::join_all(crowd), look(&code, &old));
    assert_eq!(crowd.iter().filter(|tried| too_often(tried)).count(), 10);
    found.expect("a lesson");
    // And one browser has three places.
    let one = on("one that sends again and again");
    let tries = futures_util::future::join_all((0..9).map(|_| look(wrong_code, &one))).await;
    assert_eq!(tries.iter().filter(|tried| !too_often(tried)).count(), 3);
    // A browser that has been here before does not wait in that queue, and other addresses are not affected.
    let anna = server.pick(&code, "Anna").await.id;
    let known = Visitor {
        proved: vec![anna.clone()],
        ..on("Anna’s phone")
    };
    let left = Visitor {
        left: vec![anna],
        ..on("a tablet that Anna has left")
    };
    let elsewhere = Visitor {
        address: "192.0.2.7".to_owned(),
        ..Visitor::default()
    };
    let visitors: Vec<Visitor> = (2_000..2_060).map(fresh).collect();
    let queue = futures_util::future::join_all(visitors.iter().map(|from| look(&code, from)));
    let beside = async {
        // The next user of a device that Anna has left uses up that device's guesses, and none of Anna's.
        for _ in 0..20 {
            assert_eq!(wrong(look(wrong_code, &left).await), "code");
        }
        assert!(too_often(&look(&code, &left).await));
        look(&code, &known).await.expect("a lesson");
        look(&code, &elsewhere).await.expect("a lesson");
    };
    let (queue, ()) = tokio::join!(queue, beside);
    assert!(queue.iter().all(Result::is_ok));
}

#[test]
fn who_guesses_codes_is_stopped_and_none_beside() {
    everywhere("lessons", codes);
}

/// A visitor on a new device of one of the networks of an attacker, or of a school.
fn from(network: usize, device: usize) -> Visitor {
    Visitor {
        address: format!("192.0.2.{network}"),
        browser: format!("{network} {device}"),
        ..Visitor::default()
    }
}

/// From very many networks codes are tried no faster than from some: above the ceiling each has its share, and those
/// who exceed it wait in one line. A class that begins at that time does not feel it.
async fn ceiling(server: &TestApp) {
    const NETWORKS: usize = 25;
    const SCHOOL: usize = 200;
    let hanna = server.visit("Hanna").await;
    let (_, lesson) = server.lesson(&hanna, "7b", NAMES).await;
    let code = server.code(&hanna, &lesson).await;
    let (_, lesson) = server.lesson(&hanna, "8a", NAMES).await;
    let other = server.code(&hanna, &lesson).await;
    let wrong_code = "DDDDDDD";
    let look = async |code: &str, from: &Visitor| server.app.lesson_by_code(code, from).await;
    let is_looked_at = async |from: &Visitor| {
        let tried = look(wrong_code, from).await;
        assert!(!too_often(&tried));
        assert_eq!(wrong(tried), "code");
    };
    // The teacher has opened the page at home, and a pupil is signed in since the last lesson.
    let teacher = from(199, 0);
    look(&code, &teacher).await.expect("a lesson");
    let pupil = Visitor {
        signed_in: vec![server.pick(&code, "Anna").await.id],
        ..from(0, 1_000)
    };
    // Below the ceiling nothing is slow.
    for network in 0..NETWORKS {
        for device in 0..40 {
            is_looked_at(&from(network, device)).await;
        }
    }
    let looked_at = AtomicUsize::new(0);
    let attack = futures_util::future::join_all((0..NETWORKS * 100).map(async |number| {
        is_looked_at(&from(number % NETWORKS, 100 + number)).await;
        looked_at.fetch_add(1, Ordering::SeqCst);
    }));
    let class = async {
        // Their shares are spent; what else they try waits, for longer than this test.
        while looked_at.load(Ordering::SeqCst) < NETWORKS * 20 {
            tokio::task::yield_now().await;
        }
        // Thirty pupils type the code, and many of them a wrong one before.
        for device in 0..30 {
            for _ in 0..device % 3 {
                is_looked_at(&from(SCHOOL, device)).await;
            }
            look(&code, &from(SCHOOL, device)).await.expect("a lesson");
        }
        // A guesser in the school spends what is left of its share: the class goes on to come in.
        for device in 0..30 {
            is_looked_at(&from(SCHOOL, 500 + device)).await;
        }
        look(&code, &from(SCHOOL, 31)).await.expect("a lesson");
        // Known to the device, in whatever network it is now.
        let away = Visitor {
            address: "192.0.2.0".to_owned(),
            ..teacher
        };
        look(&code, &away).await.expect("a lesson");
        // A pupil who is signed in has a share, although the network has none.
        look(&other, &pupil).await.expect("a lesson");
        assert_eq!(looked_at.load(Ordering::SeqCst), NETWORKS * 20);
    };
    let class = std::pin::pin!(class);
    let attack = std::pin::pin!(attack);
    let both = futures_util::future::select(class, attack);
    let ended = tokio::time::timeout(PATIENCE, both).await;
    let ended = ended.expect("a class does not wait for an attacker");
    assert!(matches!(ended, Either::Left(_)), "all were looked at");
    // When the attack is over, the ceiling is soon out of reach.
    server.wait(Duration::from_mins(20));
    is_looked_at(&from(0, 9_999)).await;
}

#[test]
fn many_networks_guess_no_faster_than_some() {
    let open = |database: &Database| {
        let mut server = TestApp::new(database);
        let app = Arc::get_mut(&mut server.app);
        // A guess that is made to wait waits for longer than the test.
        app.expect("no one else has it yet").limits.guesses.pause = 2 * PATIENCE;
        server
    };
    everywhere_with("lessons", open, ceiling);
}

async fn pupils(server: &TestApp, teacher: &TeamAccess, class: &ClassId) -> Vec<Pupil> {
    done(server.app.class(account(teacher), class)).await.pupils
}

async fn phrases(server: &TestApp) {
    let teacher = server.visit("Hanna").await;
    let (attacked, _) = server.lesson(&teacher, "7b", NAMES).await;
    let (quiet, _) = server.lesson(&teacher, "8a", NAMES).await;
    let (attacked, quiet) = (
        pupils(server, &teacher, &attacked).await,
        pupils(server, &teacher, &quiet).await,
    );
    let sign_in = async |pupil: &Pupil, phrase: &str, from: &Visitor| {
        server.app.sign_in(&pupil.user, phrase, from).await
    };
    // Ten at one pupil, from ever new devices: that pupil's words wait, no other's.
    let [anna, ben, others @ ..] = attacked.as_slice() else {
        panic!("pupils");
    };
    for device in 0..10 {
        let guess = sign_in(anna, "one two three", &fresh(device)).await;
        assert_eq!(wrong(guess), "password");
    }
    assert!(too_often(&sign_in(anna, &anna.phrase, &fresh(10)).await));
    let own = Visitor {
        proved: vec![anna.id.clone()],
        ..on("Anna’s phone")
    };
    sign_in(anna, &anna.phrase, &own)
        .await
        .expect("on the own phone");
    sign_in(ben, &ben.phrase, &fresh(11)).await.expect("Ben");
    // And guesses at all pupils of one class, from elsewhere: pupils who know their words get in all the same.
    for (device, pupil) in others.iter().cycle().take(50).enumerate() {
        let from = Visitor {
            address: "192.0.2.7".to_owned(),
            ..fresh(100 + device)
        };
        let guess = sign_in(pupil, "one two three", &from).await;
        assert_eq!(wrong(guess), "password");
    }
    sign_in(ben, &ben.phrase, &fresh(12)).await.expect("Ben");
    for (device, pupil) in quiet.iter().enumerate() {
        let from = fresh(200 + device);
        done(sign_in(pupil, &pupil.phrase, &from)).await;
    }
}

/// A name that was only picked, or was left on a device, does not evade the limits on its words.
async fn picked_names_prove_nothing(server: &TestApp) {
    let teacher = server.visit("Hanna").await;
    let (class, _) = server.lesson(&teacher, "7b", NAMES).await;
    let class = pupils(server, &teacher, &class).await;
    let anna = &class[0];
    let mut looked_at = 0;
    for device in 0..40 {
        let from = Visitor {
            signed_in: vec![anna.id.clone()],
            left: vec![anna.id.clone()],
            ..fresh(device)
        };
        let guess = server.app.sign_in(&anna.user, "one two three", &from).await;
        looked_at += usize::from(!too_often(&guess));
    }
    assert_eq!(looked_at, 10);
}

#[test]
fn a_picked_name_is_no_proof() {
    everywhere("lessons", picked_names_prove_nothing);
}

#[test]
fn who_guesses_words_is_stopped_and_no_class_beside() {
    everywhere("lessons", phrases);
}
