//! Classes: their teachers, their pupils, how pupils sign in, and what they may do.

use perplex::app::classes::ClassView;
use perplex::classroom::ClassId;
use perplex::play::event::AccountId;

use super::people::houses;
use super::*;

/// A teacher with a class of these pupils.
async fn class_of(house: &House, teacher: &Visit, names: &str) -> ClassView {
    let teacher = teacher.account.as_ref().expect("signed in");
    let id = house.app.create_class(teacher, "7b", true, names).await;
    let id = id.expect("a class");
    house.app.class(teacher, &id).await.expect("a class")
}

/// Signs a pupil in with the card.
async fn pupil(house: &House, view: &ClassView, name: &str) -> Visit {
    let pupil = view.pupils.iter().find(|pupil| pupil.name == name);
    let pupil = pupil.expect("a pupil");
    let token = house
        .app
        .sign_in(&pupil.user, &pupil.phrase, &Visitor::default())
        .await;
    Visit {
        account: Some(house.viewer(&token.expect("signed in")).await),
        ..Visit::default()
    }
}

#[test]
fn pupils_sign_in_with_what_stands_on_their_cards() {
    houses(|house| async move {
        let hanna = house.person("Hanna").await;
        let view = class_of(&house, &hanna, "Zoë\nAnna\n李雷").await;
        let names: Vec<&str> = view.pupils.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["Anna", "Zoë", "李雷"]);
        let anna = pupil(&house, &view, "Anna").await.account.expect("Anna");
        assert_eq!(anna.name, "Anna");
        assert_eq!(anna.class.as_ref(), Some(&view.row.id));
        // Case, spaces and hyphens are forgiven; another's phrase is not.
        let (user, phrase) = (&view.pupils[0].user, &view.pupils[0].phrase);
        let from = Visitor::default();
        for typed in [
            phrase.to_uppercase(),
            phrase.replace(' ', "-"),
            phrase.replace(' ', ""),
        ] {
            house
                .app
                .sign_in(&user.to_uppercase(), &typed, &from)
                .await
                .expect("signed in");
        }
        for typed in [view.pupils[1].phrase.as_str(), "", "a long password"] {
            let error = house.app.sign_in(user, typed, &from).await;
            assert!(matches!(error, Err(AppError::Invalid(_))), "{typed:?}");
        }
        // Tries are counted for the person, never for the address, which a whole school shares.
        for _ in 0..30 {
            let _ = house.app.sign_in(user, "wrong", &from).await;
        }
        let error = house.app.sign_in(user, phrase, &from).await;
        assert!(matches!(error, Err(AppError::TooOften(_))));
        for _ in 0..9 {
            for pupil in &view.pupils[1..] {
                let _ = house.app.sign_in(&pupil.user, "wrong", &from).await;
            }
        }
        pupil(&house, &view, "Zoë").await;
        pupil(&house, &view, "李雷").await;
        // The database alone tells no phrase, and a new key seals all of them anew.
        assert_eq!(house.app.rotate_talk_key().await.expect("a new key"), 3);
        pupil_still(&house, &hanna, &view.row.id, phrase).await;
    });
}

/// The first pupil's phrase is this.
async fn pupil_still(house: &House, teacher: &Visit, id: &ClassId, phrase: &str) {
    let teacher = teacher.account.as_ref().expect("signed in");
    let view = house.app.class(teacher, id).await.expect("a class");
    assert_eq!(view.pupils[0].phrase, phrase);
}

#[test]
fn a_session_by_code_ends_the_same_day() {
    houses(|house| async move {
        let hanna = house.person("Hanna").await;
        let teacher = hanna.account.as_ref().expect("signed in");
        let id = house
            .app
            .create_class(teacher, "7b", false, "passed over")
            .await
            .expect("a class");
        let pupil = house.app.come_by_nickname(&id).await.expect("a pupil");
        let view = house.app.class(teacher, &id).await.expect("a class");
        assert_eq!(view.pupils.len(), 1);
        let token = house
            .app
            .sign_in_by_code(&pupil, &Visitor::default())
            .await
            .expect("a session");
        for _ in 0..11 {
            house.wait(Duration::from_hours(1));
            assert_eq!(house.viewer(&token).await.name, view.pupils[0].name);
        }
        house.wait(Duration::from_hours(1));
        assert!(house.app.viewer(&token).await.expect("an answer").is_none());
        // Who is no pupil cannot come by a code, whoever asks.
        let error = house
            .app
            .sign_in_by_code(&teacher.id, &Visitor::default())
            .await;
        assert!(matches!(error, Err(AppError::NotFound)));
        let nobody = AccountId("nobody".to_owned());
        let error = house
            .app
            .sign_in_by_code(&nobody, &Visitor::default())
            .await;
        assert!(matches!(error, Err(AppError::NotFound)));
    });
}

#[test]
fn only_teachers_have_classes() {
    houses(|house| async move {
        let hanna = house.person("Hanna").await;
        let view = class_of(&house, &hanna, "Anna, Ben").await;
        let otto = house.person("Otto").await;
        let anna = pupil(&house, &view, "Anna").await;
        for stranger in [&otto, &anna] {
            let stranger = stranger.account.as_ref().expect("signed in");
            let error = house.app.class(stranger, &view.row.id).await;
            assert!(matches!(error, Err(AppError::NotFound)));
            assert!(
                house
                    .app
                    .classes(stranger)
                    .await
                    .expect("a list")
                    .is_empty()
            );
        }
        let anna = anna.account.expect("Anna");
        let error = house.app.create_class(&anna, "Ours", true, "").await;
        assert!(matches!(error, Err(AppError::Forbidden(_))));
        // What is wrong is all said at once, with the lines; nothing is made.
        let teacher = hanna.account.as_ref().expect("signed in");
        let error = house.app.create_class(teacher, " ", true, "Kim\nKim").await;
        let Err(AppError::Invalid(fields)) = error else {
            panic!("taken")
        };
        assert_eq!(
            fields.iter().map(|(field, _)| *field).collect::<Vec<_>>(),
            ["name", "names"]
        );
        assert_eq!(house.app.classes(teacher).await.expect("a list").len(), 1);
    });
}
