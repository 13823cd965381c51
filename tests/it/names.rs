//! The names that people give to things: each field asks the same function.

use perplex::app::AppError;
use perplex_games::rules::Side;
use perplex_matches::team::Command;
use perplex_matches::team::event::MemberId;

use crate::teams::terms;
use crate::test_app::{account, done, everywhere, proof_of, wrong};

/// Of each kind that is not seen one.
const UNSEEN: &str = "\0\u{7}\u{ad}\u{34f}\u{200b}\u{200d}\u{200e}\u{202e}\u{2060}\u{2068}\u{2069}\u{2800}\u{3164}\u{fe0f}\
    \u{ffa0}\u{fffc}\u{1d159}\u{e0041}\u{115f}";

#[test]
fn nothing_that_is_not_seen_is_in_a_name() {
    everywhere("names", async |server| {
        let visit = server.visit("ann").await;
        let ann = account(&visit);
        let app = &server.app;
        let class = server.class(ann, "Mia\nCem").await;
        let pupil = done(app.class(ann, &class)).await.pupils[0].id.clone();
        let team = server.team_match(&visit, terms()).await;
        let mut ben = server.visit("ben").await;
        ben.link = proof_of(&app.team_join_link(&team, 0));
        let join = Command::Join(MemberId(0), Some(Side::First));
        server.act(&ben, &team, join).await;
        let deck = done(app.host_deck(ann)).await;
        // What shows nothing is no name; nor is what others see as a box.
        let boxes = ["\u{e000}", "Li\u{e000}sa", "Li\u{378}sa", "Lisa\u{10fffd}"];
        let blank = UNSEEN.chars().map(|c| c.to_string());
        for name in blank.chain(boxes.map(str::to_owned)) {
            let refused = |taken: Result<(), AppError>, field: &str| {
                assert_eq!(wrong(taken), [field], "{name:?}");
            };
            let title = app.create_team(ann, &name, terms()).await;
            refused(title.map(drop), "title");
            let made = app.create_class(ann, &name, false, "").await;
            refused(made.map(drop), "name");
            refused(app.rename_class(ann, &class, &name).await, "name");
            let more = app.add_pupils(ann, &class, &name).await;
            refused(more.map(drop), "names");
            refused(app.rename_pupil(ann, &class, &pupil, &name).await, "name");
            let member = app.rename_in_team(&visit, &team, MemberId(1), &name);
            refused(member.await, "name");
            refused(app.set_name(ann, &name).await, "name");
            let card = app.add_own_card(&deck, &name, "rule N NW \"x\"").await;
            refused(card, "card-name");
        }
        // Around and within a name it is left out.
        let name = format!("{UNSEEN}Li{UNSEEN}sa{UNSEEN} {UNSEEN}");
        let titled = done(app.create_team(ann, &name, terms())).await;
        let view = server.view(&visit, &titled).await;
        assert_eq!(view.title, "Lisa");
        let other = done(app.create_class(ann, &name, true, &name)).await;
        let read = done(app.class(ann, &other)).await;
        assert_eq!((&*read.class.name, &*read.pupils[0].name), ("Lisa", "Lisa"));
        done(app.rename_class(ann, &class, &name)).await;
        done(app.rename_pupil(ann, &class, &pupil, &name)).await;
        let again = app.add_pupils(ann, &class, "LI\u{200b}SA").await;
        assert_eq!(wrong(again), ["names"]);
        let read = done(app.class(ann, &class)).await;
        assert_eq!(read.class.name, "Lisa");
        assert!(read.pupils.iter().any(|pupil| pupil.name == "Lisa"));
        done(app.rename_in_team(&visit, &team, MemberId(1), &name)).await;
        let view = server.view(&visit, &team).await;
        assert_eq!(view.names[&MemberId(1)], "Lisa");
        done(app.set_name(ann, &name)).await;
        assert_eq!(done(app.account(ann)).await.name, "Lisa");
        done(app.add_own_card(&deck, &name, "rule N NW \"x\"")).await;
        assert_eq!(done(app.host_deck(ann)).await.cards[0].name, "Lisa");
    });
}
