//! Visitors who play the computer without an account.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use perplex::app::computer::Player;
use perplex::app::correspondence::Opponent;
use perplex::app::guests::Begun;
use perplex::app::{AppError, Credential, NotAllowed, Visitor};
use perplex::store::members::{self, MemberRow};
use perplex::store::{StoreError, accounts, guests, matches};
use perplex_games::player::Level;
use perplex_games::registry::GAMES;
use perplex_games::rules::Side;
use perplex_matches::id::MatchId;
use perplex_matches::team::Command;
use perplex_matches::team::event::{MemberId, Terms};
use perplex_matches::time::days;

use crate::support::Database;
use crate::teams::people::{Browser, servers};
use crate::teams::terms;
use crate::test_app::{
    ALL, PASSWORD, TestApp, done, everywhere_with, has, play, quixo_with, sign_up_form, too_often,
    wrong,
};

/// The match to which a form leads.
fn id_of(path: &str) -> MatchId {
    MatchId(path.strip_prefix("/match/").expect("a match").to_owned())
}

/// Makes the visitor begin a match of a game; gives its address.
async fn begins(visitor: &mut Browser, game: &str) -> String {
    let page = format!("/games/{game}");
    let form = [("game", game), ("level", "easy")];
    visitor.done(&page, "/play", &form).await
}

fn with_computers(story: impl AsyncFn(TestApp)) {
    servers(|server| async {
        done(server.app.make_computers()).await;
        story(server).await;
    });
}

#[test]
fn a_visitor_plays_every_game_at_once() {
    with_computers(async |server| {
        let mut visitor = Browser::on(&server).await;
        let mut player = Player::new(Arc::clone(&server.app), Duration::from_millis(50));
        for entry in GAMES {
            let path = begins(&mut visitor, entry.card.key).await;
            visitor.sees(&path, "Your turn").await;
            let id = id_of(&path);
            let view = server.app.load_correspondence_match(None, &id, None);
            let state = done(view).await.state;
            let turn = state.game.choices()[0].turn.clone();
            assert_eq!(state.turns.len(), 0);
            let form = [("ply", "0"), ("turn", turn.as_str()), ("note", "Hello?")];
            visitor.done(&path, "turn", &form).await;
            done(player.round()).await;
            visitor.sees(&path, "Your turn").await;
            // Nobody would read it.
            visitor.lacks(&path, "Hello?").await;
            // The same game leads to the match that runs.
            assert_eq!(begins(&mut visitor, entry.card.key).await, path);
        }
        // Another strength is another match, and its page leads to the one that runs.
        let page = "/games/quixo";
        let easy = begins(&mut visitor, "quixo").await;
        let hard = [("game", "quixo"), ("level", "hard")];
        let other = visitor.done(page, "/play", &hard).await;
        assert_ne!(other, easy);
        visitor.sees(&other, "against the easy computer").await;
        visitor.sees(&other, &format!("href=\"{easy}\"")).await;
        visitor.lacks(&easy, "This is a new match").await;
        assert_eq!(visitor.done(page, "/play", &hard).await, other);
        assert_eq!(begins(&mut visitor, "quixo").await, easy);
        // No mail is written to someone without an address.
        assert!(server.take_rows().await.is_empty());
    });
}

#[test]
fn a_guest_is_a_visitor_everywhere_else() {
    with_computers(async |server| {
        let ada = server.sign_up(sign_up_form("Ada")).await;
        let open = done(server.app.create(&ada, quixo_with(Opponent::Anyone))).await;
        let own = done(
            server
                .app
                .create(&ada, quixo_with(Opponent::Computer(Level::Easy))),
        )
        .await;
        let mut guest = Browser::on(&server).await;
        let mut other = Browser::on(&server).await;
        let path = begins(&mut guest, "quixo").await;
        for page in ["/matches", "/account", "/classes", "/admin"] {
            let got = guest.get(page).await;
            assert!(got.to.starts_with("/sign-in"), "{page}: {}", got.text);
        }
        guest.sees("/", "Join with a code").await;
        guest.sees(&path, "Make an account").await;
        guest.lacks(&path, "Sign out").await;
        guest.lacks(&path, "id=\"note\"").await;
        guest.lacks(&path, "id=\"talk\"").await;
        // Of other people's matches guests see what visitors see, and take part in none.
        let open = format!("/match/{open}");
        let status = StatusCode::FORBIDDEN;
        guest
            .sends(&open, &format!("{open}/join"), &[], status)
            .await;
        guest
            .sends(&path, &format!("{path}/talk"), &[("text", "Hello")], status)
            .await;
        guest
            .sends(
                &path,
                &format!("{path}/invite"),
                &[("invite", "Ada")],
                status,
            )
            .await;
        let turn = [("ply", "0"), ("turn", "c1-a1")];
        let own = format!("/match/{own}");
        guest.refused(&own, &format!("{own}/turn"), &turn).await;
        // Nor does another visitor play for the guest.
        let got = other
            .send("/games/quixo", &format!("{path}/turn"), &turn)
            .await;
        assert!(got.to.starts_with("/sign-in"), "{}", got.text);
        // The name of guests is no account's.
        let from = Visitor::default();
        let taken = server.app.sign_up(sign_up_form("guest"), &from);
        assert_eq!(wrong(taken.await), ["name"]);
        let rows = server.app.store.read(|conn| accounts::list(conn, ALL));
        let rows = done(rows).await;
        assert!(rows.iter().all(|row| row.name != "Guest"), "{rows:?}");
        // Whoever signs in in the same browser is themselves.
        guest.sign_in("Ada").await;
        guest.sees("/matches", "Ada").await;
        guest.sees(&path, "Guest").await;
        guest.lacks(&path, "Your turn").await;
    });
}

#[test]
fn a_guest_is_no_account_by_any_cookie() {
    with_computers(async |server| {
        let host = server.visit("Hanna").await;
        let listed = Terms {
            listed: true,
            ..terms()
        };
        let listed = server.team_match(&host, listed).await;
        let team = format!("/team/{listed}");
        // As an earlier version signed it: without the name of the cookie.
        let from = Visitor::default();
        let play = server
            .app
            .play_as_guest(None, ("quixo", ""), Level::Easy, &from);
        let Begun { id, token } = done(play).await;
        let token = token.expect("a new guest");
        let begun = done(server.app.store.read(move |conn| matches::find(conn, &id))).await;
        let id = begun.expect("a match").created_by;
        let mut old = Browser::on(&server).await;
        old.shows_old_cookie(&server, "__Host-session", &token);
        let mut own = Browser::on(&server).await;
        own.shows_old_cookie(&server, "__Host-guest", &token);
        // Where it belongs, the old one is still good.
        own.sees("/games/quixo", "csrf").await;
        for mut guest in [Browser::posing(&server).await, old, own] {
            for page in ["/matches", "/account", "/classes"] {
                let got = guest.get(page).await;
                assert!(got.to.starts_with("/sign-in"), "{page}: {}", got.text);
            }
            for (form, fields) in [
                ("join", &[("side", "first")][..]),
                ("talk", &[("text", "Hello"), ("channel", "0")]),
                ("leave", &[]),
            ] {
                let got = guest
                    .send("/games/quixo", &format!("{team}/{form}"), fields)
                    .await;
                let is_refused = got.status.is_client_error() || got.to.starts_with("/sign-in");
                assert!(is_refused, "{form}: {} {}", got.status, got.to);
            }
        }
        // Nor by a command, whatever led to it.
        let mut visit = server.visit("Otto").await;
        let account = visit.account.as_mut().expect("an account");
        account.id = id;
        account.is_guest = true;
        let join = Command::Join(MemberId(0), Some(Side::First));
        let error = server.refused(&visit, &listed, join).await;
        assert!(matches!(error, AppError::Forbidden(NotAllowed::Guest)));
        assert!(server.team_state(&host, &listed).await.members.is_empty());
    });
}

#[test]
fn a_guest_who_came_into_a_match_of_others_holds_up_no_removal() {
    with_computers(async |server| {
        let host = server.visit("Hanna").await;
        let team = server.team_match(&host, terms()).await;
        // More than are removed at a time; an earlier version let them in.
        let mut played = Vec::new();
        for number in 1..=120 {
            let from = Visitor {
                address: format!("10.0.{number}.1"),
                ..Visitor::default()
            };
            let play = server
                .app
                .play_as_guest(None, ("quixo", ""), Level::Easy, &from);
            let begun = done(play).await;
            let (id, team) = (begun.id.clone(), team.clone());
            let joins = server.app.store.write(move |conn| {
                let guest = matches::find(conn, &id)?.expect("a match").created_by;
                let row = MemberRow {
                    match_id: team,
                    number,
                    account_id: Some(guest),
                    name: "Guest".to_owned(),
                    active: true,
                    seat: None,
                    news_seen: 0,
                    news_kept: String::new(),
                    news_mailed: 0,
                    talk_seen: 0,
                    hand_at: None,
                };
                // The last one played as guests do.
                if number < 120 {
                    members::add(conn, &row)?;
                }
                Ok::<_, StoreError>(())
            });
            done(joins).await;
            played.push(begun.id);
        }
        server.lives(days(31)).await;
        done(server.app.tick()).await;
        for id in played {
            let found = server.app.store.read(move |conn| matches::find(conn, &id));
            assert!(done(found).await.is_none());
        }
        let left = done(server.app.store.read(guests::count)).await;
        assert_eq!(left, 0, "all have gone");
    });
}

#[test]
fn who_signs_up_takes_along_what_they_played() {
    with_computers(async |server| {
        for (name, in_the_same_browser) in [("Bea", true), ("Cem", false)] {
            let mut guest = Browser::on(&server).await;
            let path = begins(&mut guest, "quixo").await;
            let turn = [("ply", "0"), ("turn", "c1-a1")];
            guest.done(&path, "turn", &turn).await;
            let email = format!("{name}@example.org");
            let form = [("name", name), ("email", &email), ("password", PASSWORD)];
            let got = guest.send("/sign-up", "/sign-up", &form).await;
            has(&got.text, "Open it in this browser");
            // The mail alone changes nothing.
            guest.sees(&path, "Guest").await;
            let link = format!("/verify/{}", server.token("verify").await);
            let password = [("password", PASSWORD)];
            let mut elsewhere = Browser::on(&server).await;
            let browser = if in_the_same_browser {
                &mut guest
            } else {
                &mut elsewhere
            };
            browser.done(&link, &link, &password).await;
            let list = browser.page("/matches").await;
            assert_eq!(list.contains(&path), in_the_same_browser, "{list}");
            if in_the_same_browser {
                browser.sees(&path, &format!("/player/{name}")).await;
                browser.lacks(&path, "Guest").await;
                browser.done("/account", "/sign-out", &[]).await;
                // The guest's cookie is no way into the account.
                browser.lacks(&path, "Your turn").await;
                browser.lacks(&path, "id=\"talk\"").await;
                let got = browser
                    .send("/games/quixo", &format!("{path}/resign"), &[])
                    .await;
                assert!(got.to.starts_with("/sign-in"), "{}", got.text);
                browser.sign_in(name).await;
                browser.sees("/matches", &path).await;
            } else {
                guest.sees(&path, "Guest").await;
            }
            // The link is good once.
            let again = [("password", PASSWORD)];
            elsewhere
                .sends(&link, &link, &again, StatusCode::FORBIDDEN)
                .await;
        }
    });
}

#[test]
fn guests_go_after_thirty_days_with_all_they_played() {
    with_computers(async |server| {
        let mut guest = Browser::on(&server).await;
        let path = begins(&mut guest, "quixo").await;
        server.lives(days(20)).await;
        guest.sees(&path, "Your turn").await;
        server.lives(days(20)).await;
        done(server.app.tick()).await;
        // It was used in between.
        let id = id_of(&path);
        let known = async || {
            let id = id.clone();
            done(server.app.store.read(move |conn| matches::find(conn, &id))).await
        };
        assert!(known().await.is_some());
        server.lives(days(11)).await;
        done(server.app.tick()).await;
        assert!(known().await.is_none());
        guest.gets(&path, StatusCode::NOT_FOUND).await;
        // The browser begins anew, with a cookie that is nobody's any more.
        let next = begins(&mut guest, "quixo").await;
        assert_ne!(next, path);
        guest.sees(&next, "Your turn").await;
    });
}

#[test]
fn one_network_cannot_make_guests_without_end() {
    for database in Database::all("guests") {
        let server = TestApp::new(&database);
        crate::test_app::runtime().block_on(async {
            done(server.app.make_computers()).await;
            let here = crate::test_app::here();
            let mut begun = 0;
            loop {
                let play = server
                    .app
                    .play_as_guest(None, ("quixo", ""), Level::Easy, &here);
                match play.await {
                    Ok(_) => begun += 1,
                    Err(AppError::TooOften(_)) => break,
                    Err(error) => panic!("{error:?}"),
                }
                assert!(begun < 100, "no limit");
            }
            // A whole class plays from behind one address.
            assert!(begun >= 30, "{begun}");
            let elsewhere = Visitor::default();
            let unknown = server
                .app
                .play_as_guest(None, ("chess", ""), Level::Easy, &elsewhere);
            assert_eq!(wrong(unknown.await.map(|begun| begun.id)), ["terms"]);
            assert!(too_often(
                server
                    .app
                    .play_as_guest(None, ("quixo", ""), Level::Easy, &here)
                    .await
                    .map(|begun| begun.id)
            ));
        });
    }
}

/// Visitors who took all places and never made a turn keep others out for an hour, and not for thirty days.
#[test]
fn guests_who_never_played_make_room() {
    let open = |database: &Database| {
        let mut server = TestApp::new(database);
        let app = Arc::get_mut(&mut server.app);
        app.expect("no one else has it yet").most_guests = 6;
        server
    };
    everywhere_with("room", open, async |server| {
        done(server.app.make_computers()).await;
        let begins = async || {
            let from = Visitor::default();
            let game = ("quixo", "");
            let play = server.app.play_as_guest(None, game, Level::Easy, &from);
            play.await
        };
        let mut plays = Vec::new();
        for number in 0..6 {
            let begun = done(begins()).await;
            if number % 3 == 0 {
                let token = begun.token.expect("a new guest");
                let credential = Credential::Guest(token);
                let session = server.app.resolve_session(Some(&credential), None);
                let guest = done(session).await.0.expect("a guest");
                let turn = play(0, "c1-a1");
                done(server.app.act(&guest, &begun.id, None, turn, "")).await;
                plays.push(begun.id);
            }
        }
        let is_full = async || {
            let refused = begins().await.map(|begun| begun.id);
            matches!(refused, Err(AppError::Forbidden(NotAllowed::ManyGuests)))
        };
        assert!(is_full().await);
        server.wait(Duration::from_mins(59));
        assert!(is_full().await);
        server.wait(Duration::from_mins(2));
        for _ in 0..4 {
            done(begins()).await;
        }
        // Those who play keep theirs, and so have those who have just come.
        assert!(is_full().await);
        for id in plays {
            let read = server.app.store.read(move |conn| matches::find(conn, &id));
            assert!(done(read).await.is_some());
        }
    });
}
