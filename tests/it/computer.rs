//! The computer as an opponent, and matches for more than two, through the application, on every available database.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::support::Database;
use crate::support::chance::seed;
use crate::test_app::{self, ALL, TestApp, done, invalid, new_match, not_found, play};
use perplex::app::accounts::SignUp;
use perplex::app::computer::{self, Player};
use perplex::app::correspondence::Opponent;
use perplex::app::{AppError, Clock, Credential, Viewer, Visitor};
use perplex::store::accounts;
use perplex::store::outbox::{self, OutboxState};
use perplex_games::player::Level;
use perplex_games::registry::GAMES;
use perplex_games::rules::{Reason, Seat, Side};
use perplex_matches::correspondence::{Command, Match, Phase, Refusal};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::{Time, days};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

/// Runs `story` on every database, in a process that has the computers' accounts.
fn everywhere(what: &str, story: impl AsyncFn(&TestApp)) {
    test_app::everywhere(what, async |server| {
        done(server.app.make_computers()).await;
        story(server).await;
    });
}

impl TestApp {
    async fn state_for(&self, viewer: &Viewer, id: &MatchId) -> Arc<Match> {
        done(self.app.load_correspondence_match(Some(viewer), id, None))
            .await
            .state
    }

    /// The mails written since the last call, as kind and name, sorted.
    async fn new_mails(&self, seen: &mut HashSet<String>) -> Vec<(String, String)> {
        let people = done(self.app.store.read(|conn| {
            let mails = outbox::list(conn, OutboxState::Waiting, ALL)?;
            let ids: Vec<AccountId> = mails.iter().filter_map(|m| m.account_id.clone()).collect();
            let names = accounts::names(conn, &ids)?;
            let all: Vec<_> = mails
                .into_iter()
                .map(|mail| {
                    let name = mail.account_id.and_then(|id| names.get(&id).cloned());
                    (mail.id, mail.kind, name.unwrap_or_default())
                })
                .collect();
            Ok::<_, perplex::store::StoreError>(all)
        }))
        .await;
        let mut new: Vec<(String, String)> = people
            .into_iter()
            .filter(|(id, ..)| seen.insert(id.clone()))
            .map(|(_, kind, name)| (kind, name))
            .collect();
        new.sort();
        new
    }
}

fn mails(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned()))
        .collect()
}

#[test]
fn the_computer_plays_every_game_to_its_end() {
    let seed = seed();
    everywhere("computer", async |server| {
        let mut rng = StdRng::seed_from_u64(seed);
        // A second start finds what the first made.
        server.app.make_computers().await.expect("accounts");
        let ada = server.admin("Ada").await;
        let mut player = Player::new(Arc::clone(&server.app), Duration::from_millis(50));
        for entry in GAMES {
            for variant in entry.card.variants {
                let wanted = new_match(
                    entry.card.key,
                    variant.key,
                    None,
                    Opponent::Computer(Level::Easy),
                );
                let id = server.app.create(&ada, wanted).await.expect("a match");
                let mut state = server.state_for(&ada, &id).await;
                assert_eq!(state.phase, Phase::Playing, "it begins at once");
                while state.phase == Phase::Playing {
                    if state.player_to_move() == Some(&ada.id) {
                        let choices = state.game.choices();
                        let turn = choices.choose(&mut rng).expect("a turn").turn.clone();
                        let command = play(state.turns.len(), &turn);
                        server.acts(&ada, &id, command).await;
                        // Long games are cut short.
                        if state.turns.len() > 240 {
                            server.acts(&ada, &id, Command::Resign).await;
                        }
                    } else {
                        let made = player.round().await.expect("a round");
                        assert_eq!(made, 1, "{} {}", entry.card.key, variant.key);
                    }
                    state = server.state_for(&ada, &id).await;
                }
                assert_eq!(player.round().await.expect("a round"), 0);
                println!(
                    "{} {}: {} turns, {:?}",
                    entry.card.key,
                    variant.key,
                    state.turns.len(),
                    state.outcome
                );
            }
        }
    });
}

async fn many_matches_of_one(server: &TestApp) {
    let [ada, bo] = [server.admin("Ada").await, server.admin("Bo").await];
    let against_computer = async |player: &Viewer| {
        let wanted = new_match("quixo", "", Some("second"), Opponent::Computer(Level::Easy));
        server.app.create(player, wanted).await.expect("a match")
    };
    for _ in 0..24 {
        against_computer(&ada).await;
    }
    let his = against_computer(&bo).await;
    let mut player = Player::new(Arc::clone(&server.app), computer::BUDGET);
    // The next round has a turn for each of the two.
    assert_eq!(player.round().await.expect("a round"), 2);
    assert_eq!(server.state_for(&bo, &his).await.turns.len(), 1);
    let mut turns = 2;
    while player.round().await.expect("a round") > 0 {
        turns += 1;
    }
    assert_eq!(turns, 25);
}

#[test]
fn who_plays_many_matches_keeps_nobody_waiting() {
    everywhere("turns", many_matches_of_one);
}

/// Forty guests of one network and two others wait: those with an account come first, the networks of guests take
/// turns, and one round answers as many as it can in the time of one budget.
#[test]
fn guests_keep_nobody_waiting() {
    const BUDGET: Duration = Duration::from_millis(500);
    let open = |database: &Database| {
        let time = Arc::new(AtomicI64::new(test_app::START));
        let read = Arc::clone(&time);
        // Each look at the clock takes a millisecond.
        let clock = Clock::never_set(move || Time(read.fetch_add(1_000, Ordering::SeqCst)));
        TestApp::with_clock(database.open(), database.ring(), &time, clock)
    };
    test_app::everywhere_with("fair", open, async |server| {
        done(server.app.make_computers()).await;
        let guest_of = async |network: &str| {
            let from = Visitor {
                address: network.to_owned(),
                ..Visitor::default()
            };
            let game = ("quixo", "");
            let begun = done(server.app.play_as_guest(None, game, Level::Hard, &from)).await;
            let credential = Credential::Guest(begun.token.expect("a new guest"));
            let session = server.app.resolve_session(Some(&credential), None);
            let guest = done(session).await.0.expect("a guest");
            server.acts(&guest, &begun.id, play(0, "c1-a1")).await;
            begun.id
        };
        let mut crowd = Vec::new();
        for _ in 0..40 {
            crowd.push(guest_of("192.0.2.1").await);
        }
        let other = guest_of("192.0.2.2").await;
        let ada = server.admin("Ada").await;
        let wanted = new_match("quixo", "", Some("second"), Opponent::Computer(Level::Hard));
        let hers = done(server.app.create(&ada, wanted)).await;
        let turns = async |id: &MatchId| {
            let view = server.app.load_correspondence_match(None, id, None);
            done(view).await.state.turns.len()
        };
        let mut player = Player::new(Arc::clone(&server.app), BUDGET);
        let before = server.app.now();
        assert_eq!(done(player.round()).await, 16);
        let took = before.until(server.app.now());
        assert!(took < BUDGET * 2, "{took:?}");
        assert_eq!(turns(&hers).await, 1);
        assert_eq!(turns(&other).await, 2);
        // The others of the crowd follow within two rounds more, behind whoever has come since.
        let newcomer = guest_of("192.0.2.3").await;
        assert_eq!(done(player.round()).await, 16);
        assert_eq!(turns(&newcomer).await, 2);
        assert_eq!(done(player.round()).await, 11);
        for id in crowd {
            assert_eq!(turns(&id).await, 2);
        }
    });
}

#[test]
fn two_workers_make_a_turn_once_and_a_restart_goes_on() {
    everywhere("computer", async |server| {
        let ada = server.admin("Ada").await;
        let wanted = new_match(
            "quixo",
            "",
            Some("second"),
            Opponent::Computer(Level::Medium),
        );
        let id = server.app.create(&ada, wanted).await.expect("a match");
        let mut one = Player::new(Arc::clone(&server.app), Duration::from_millis(50));
        let mut other = Player::new(Arc::clone(&server.app), Duration::from_millis(50));
        let (one, other) = futures_util::future::join(one.round(), other.round()).await;
        // Both may have thought of the same turn: the same turn twice is taken once.
        assert!((1..=2).contains(&(one.expect("a round") + other.expect("a round"))));
        let state = server.state_for(&ada, &id).await;
        assert_eq!(state.turns.len(), 1);
        // The next mail waits, in case that an answer comes from the browser.
        let mut seen = HashSet::new();
        let told = server.new_mails(&mut seen).await;
        assert_eq!(
            told.last(),
            Some(&("your-turn".to_owned(), "Ada".to_owned()))
        );
        assert!(told.iter().all(|(_, name)| name == "Ada"), "{told:?}");
    });
}

#[test]
fn no_one_signs_in_as_the_computer_or_takes_its_name() {
    everywhere("computer", async |server| {
        let name = &computer::of_level(Level::Easy).next().expect("one").name;
        for password in ["", " ", "computer"] {
            invalid(
                server
                    .app
                    .sign_in(name, password, &Visitor::default())
                    .await,
            );
        }
        let form = SignUp {
            name: "C0mputer-easy".to_owned(),
            email: "eve@example.org".to_owned(),
            password: "a long password".to_owned(),
            zone: String::new(),
            ..SignUp::default()
        };
        invalid(server.app.sign_up(form, &Visitor::default()).await);
        // It can be challenged by its name, too, and accepts.
        let ada = server.admin("Ada").await;
        let wanted = new_match("pijersi", "", None, Opponent::Named(name.clone()));
        let id = server.app.create(&ada, wanted).await.expect("a match");
        assert_eq!(server.state_for(&ada, &id).await.phase, Phase::Playing);
    });
}

#[test]
fn four_come_together_and_a_timeout_loses_for_the_team() {
    everywhere("four", async |server| {
        let mut people = Vec::new();
        for name in ["Ada", "Bo", "Cy", "Di", "Eve"] {
            people.push(server.admin(name).await);
        }
        let [ada, bo, cy, di, eve] = &people[..] else {
            unreachable!()
        };
        let mut seen = HashSet::new();
        let wanted = new_match(
            "quixo",
            "four",
            Some("north"),
            Opponent::Named("Bo".to_owned()),
        );
        let id = server.app.create(ada, wanted).await.expect("a match");
        assert_eq!(
            server.new_mails(&mut seen).await,
            mails(&[("challenge", "Bo")])
        );

        // A refusal does not end it, and only its maker invites further people.
        server.acts(bo, &id, Command::Refuse).await;
        assert_eq!(server.state_for(ada, &id).await.phase, Phase::Gathering);
        assert_eq!(
            server.new_mails(&mut seen).await,
            mails(&[("refused", "Ada")])
        );
        not_found(server.app.invite(eve, &id, "Eve").await);
        for name in ["Cy", "Di"] {
            server.app.invite(ada, &id, name).await.expect("invited");
        }
        assert_eq!(
            server.new_mails(&mut seen).await,
            mails(&[("challenge", "Cy"), ("challenge", "Di")])
        );
        for (name, expected) in [
            ("Cy", Refusal::InvitedAlready),
            ("Ada", Refusal::JoinedAlready { you: false }),
        ] {
            let invited = server.app.invite(ada, &id, name).await;
            assert!(matches!(invited, Err(AppError::Refused(refusal)) if refusal == expected));
        }
        invalid(server.app.invite(ada, &id, "Nobody").await);
        let join = |wish: &str| Command::Join {
            wish: Some(wish.to_owned()),
            by_link: false,
        };
        server.acts(cy, &id, join("west")).await;
        let taken = server.app.act(di, &id, None, join("west"), "").await;
        assert!(matches!(taken, Err(AppError::Refused(_))));
        server.acts(di, &id, join("south")).await;
        assert!(matches!(
            server.app.invite(cy, &id, "Eve").await,
            Err(AppError::Refused(_))
        ));
        assert_eq!(server.new_mails(&mut seen).await, mails(&[]));
        // The last seat is the computer's, which comes at once.
        done(server.app.invite(ada, &id, "computer-easy")).await;
        let state = server.state_for(ada, &id).await;
        assert_eq!(state.phase, Phase::Playing);
        assert_eq!(state.seat_of(&ada.id), Some(Seat(0)));
        assert_eq!(state.seat_of(&di.id), Some(Seat(2)));
        assert_eq!(state.seat_of(&cy.id), Some(Seat(3)));
        assert_eq!(
            server.new_mails(&mut seen).await,
            mails(&[("started", "Cy"), ("started", "Di"), ("your-turn", "Ada")])
        );

        let play = play(0, "c1-a1.n");
        server.acts(ada, &id, play).await;
        assert_eq!(
            server.new_mails(&mut seen).await,
            mails(&[]),
            "the computer gets none"
        );
        let mut player = Player::new(Arc::clone(&server.app), Duration::from_millis(50));
        assert_eq!(player.round().await.expect("a round"), 1);
        assert_eq!(
            server.new_mails(&mut seen).await,
            mails(&[("your-turn", "Di")])
        );

        // South lets the time run out: North and South have lost.
        server.wait(days(3));
        server.app.tick().await.expect("a tick");
        let state = server.state_for(ada, &id).await;
        let outcome = state.outcome.expect("it is over");
        assert_eq!(
            (outcome.winner, outcome.reason),
            (Some(Side::Second), Reason::Time)
        );
        assert_eq!(
            server.new_mails(&mut seen).await,
            mails(&[
                ("game-over", "Ada"),
                ("game-over", "Cy"),
                ("game-over", "Di")
            ])
        );
    });
}
