//! The names that people give to things: each field asks the same function.

use perplex::app::AppError;
use perplex_games::rules::Side;
use perplex_matches::team::Command;
use perplex_matches::team::event::MemberId;

use crate::teams::terms;
use crate::test_app::{account, done, everywhere, proof_of, wrong};

/// Of each kind that is not seen one.
const UNSEEN: &str = "\u{7}\u{ad}\u{34f}\u{200b}\u{200d}\u{200e}\u{202e}\u{2060}\u{2069}\u{2800}\u{3164}\u{e000}\u{fe0f}\
    \u{ffa0}\u{fffc}\u{1d159}\u{e0041}\u{10fffd}\u{378}\u{115f}";

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
        for c in UNSEEN.chars() {
            for name in [
                c.to_string(),
                format!("Li{c}sa"),
                format!("{c}Lisa"),
                format!("Lisa{c}"),
            ] {
                let about = format!("{:x} {name:?}", u32::from(c));
                let refused = |taken: Result<(), AppError>, field: &str| {
                    assert_eq!(wrong(taken), [field], "{about}");
                };
                let title = app.create_team(ann, &name, terms()).await;
                refused(title.map(drop), "title");
                let made = app.create_class(ann, &name, false, "").await;
                refused(made.map(drop), "name");
                refused(app.rename_class(ann, &class, &name).await, "name");
                let listed = app.create_class(ann, "8c", true, &name).await;
                refused(listed.map(drop), "names");
                let more = app.add_pupils(ann, &class, &name).await;
                refused(more.map(drop), "names");
                refused(app.rename_pupil(ann, &class, &pupil, &name).await, "name");
                // Forms have names with the marks around them that isolate their direction.
                if c != '\u{2069}' {
                    let member = app.rename_in_team(&visit, &team, MemberId(1), &name);
                    refused(member.await, "name");
                }
                refused(app.set_name(ann, &name).await, "name");
                let deck = done(app.host_deck(ann)).await;
                refused(
                    app.add_own_card(&deck, &name, "rule N NW \"x\"").await,
                    "card-name",
                );
            }
        }
    });
}
