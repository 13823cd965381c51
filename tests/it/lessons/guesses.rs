//! Guesses at the codes of lessons and the three words of pupils: the guesser is stopped, and no other.

use std::time::Duration;

use perplex::app::classes::Pupil;
use perplex::app::team::TeamAccess;
use perplex::app::{AppError, Visitor};
use perplex_matches::id::ClassId;

use super::{on, wrong};
use crate::test_app::{TestApp, account, done, everywhere};

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
    let tries = futures_util::future::join_all((0..9).map(|_| look(&code, &one))).await;
    assert_eq!(tries.iter().filter(|tried| tried.is_ok()).count(), 3);
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
