//! Secret talk over time: a member who joins, leaves, is removed, comes back or is sent to the other side reads only
//! what was said while they belonged to a team.

use std::collections::BTreeSet;

use super::people::{Browser, servers};
use super::*;
use crate::support::routes::{address, routes};
use crate::test_app::{done, not_found, proof_of};

const WHITE: i32 = 1;
const BLACK: i32 = 2;

async fn say(team: &Team, who: usize, channel: i32, text: &str) {
    let app = &team.server.app;
    done(app.say_in_team(team.of(who), &team.id, channel, text)).await;
    team.server.wait(Duration::from_secs(5));
}

/// The same person, who has opened the link of the match.
fn with_link(server: &TestApp, id: &MatchId, visit: &TeamAccess) -> TeamAccess {
    let link = server.app.team_join_link(id, 0);
    TeamAccess {
        link: proof_of(&link),
        ..visit.clone()
    }
}

#[test]
fn who_leaves_comes_back_to_the_same_side_only() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, id) = (&team.server, &team.id);
        say(&team, 1, WHITE, "white before").await;
        say(&team, 6, BLACK, "black before").await;
        let eve = with_link(server, id, team.of(5));
        server.act(&eve, id, Command::Leave(MemberId(5))).await;
        say(&team, 1, WHITE, "white meanwhile").await;
        // They join neither the other side nor their own by the link.
        for side in [None, Some(Side::First), Some(Side::Second)] {
            server
                .refuses(
                    &eve,
                    id,
                    Command::Join(MemberId(0), side),
                    "can let you come back",
                )
                .await;
        }
        assert_eq!(overheard(server, &eve, id).await, set(&[]));
        // Only the host lets people back, and to the team that they left.
        server
            .refused(&eve, id, Command::LetBack(MemberId(5)))
            .await;
        team.refused(6, Command::LetBack(MemberId(5))).await;
        team.lead(Command::LetBack(MemberId(5))).await;
        let view = servers.other.view(&eve, id).await;
        assert_eq!(view.viewer.member, Some(MemberId(5)));
        assert_eq!(view.rights.side, Some(Side::First));
        say(&team, 1, WHITE, "white after").await;
        let heard = overheard(&servers.other, &eve, id).await;
        assert_eq!(heard, set(&["white before", "white after"]));
        // A member whom the host removed has no other way in.
        team.lead(Command::Leave(MemberId(10))).await;
        let jon = with_link(server, id, team.of(10));
        server
            .refused(&jon, id, Command::Join(MemberId(0), Some(Side::First)))
            .await;
        assert_eq!(overheard(server, &jon, id).await, set(&[]));
    });
}

#[test]
fn who_joins_later_reads_from_then_on() {
    for history in [false, true] {
        everywhere(async |servers| {
            let team = Team::new(servers.server.clone(), Terms { history, ..terms() }).await;
            let (server, id) = (&team.server, &team.id);
            say(&team, 1, WHITE, "white before").await;
            say(&team, 6, BLACK, "black before").await;
            let kim = with_link(server, id, &server.visit("Kim").await);
            let join = Command::Join(MemberId(0), Some(Side::First));
            server.act(&kim, id, join).await;
            let unread = |view: &TeamView| {
                let mut channels = view.channels.iter();
                channels
                    .find(|channel| channel.number == WHITE)
                    .map(|channel| channel.unread)
            };
            let view = server.view(&kim, id).await;
            assert_eq!(unread(&view), Some(i32::from(history)));
            say(&team, 1, WHITE, "white after").await;
            let before: &[&str] = if history { &["white before"] } else { &[] };
            let heard = overheard(server, &kim, id).await;
            assert_eq!(heard, set(&[before, &["white after"]].concat()));
            // Sent to the other side by the host: earlier talk there stays hidden, whatever the terms say.
            let number = view.viewer.member.expect("a member");
            let over = Command::Team(number, Some(Side::Second));
            team.lead(over).await;
            assert_eq!(overheard(server, &kim, id).await, set(&[]));
            say(&team, 6, BLACK, "black after").await;
            assert_eq!(overheard(server, &kim, id).await, set(&["black after"]));
            // And back: they read what they heard there before, and not what was said meanwhile.
            say(&team, 1, WHITE, "white meanwhile").await;
            let back = Command::Team(number, Some(Side::First));
            team.lead(back).await;
            assert_eq!(overheard(server, &kim, id).await, set(&["white after"]));
        });
    }
}

#[test]
fn an_account_has_one_number_however_often_it_comes() {
    everywhere(async |servers| {
        let server = &servers.server;
        let host = server.visit("Hanna").await;
        let id = server.team_match(&host, terms()).await;
        let ada = with_link(server, &id, &server.visit("Ada").await);
        for side in [Side::First, Side::Second].into_iter().cycle().take(10) {
            // Before the start people join, leave and choose their side freely.
            server
                .act(&ada, &id, Command::Join(MemberId(0), Some(side)))
                .await;
            let view = server.view(&ada, &id).await;
            assert_eq!(view.viewer.member, Some(MemberId(1)));
            assert_eq!(view.rights.side, Some(side));
            server.act(&ada, &id, Command::Leave(MemberId(1))).await;
        }
        assert_eq!(server.view(&host, &id).await.state.members.len(), 1);
    });
}

/// A link got into the wrong hands: new links replace it, and the old ones no longer work.
#[test]
fn links_are_made_anew() {
    everywhere(async |servers| {
        let server = &servers.server;
        let host = server.visit("Hanna").await;
        let id = server.team_match(&host, Terms::of(Size::Small)).await;
        let stranger = server.visit("Otto").await;
        let old = with_link(server, &id, &stranger);
        assert!(server.app.load_team_match(&old, &id, None).await.is_ok());
        let show = |view: &TeamView| TeamAccess {
            projector: view
                .projector_link
                .as_ref()
                .and_then(|link| link.rsplit('/').next())
                .map(str::to_owned),
            ..TeamAccess::default()
        };
        let wall = show(&server.view(&host, &id).await);
        assert!(server.app.team_heads(&wall, &id).await.is_ok());
        // A page that is open on the wall.
        let mut listening = server.app.teams.live.listen(&id);
        let heard = server
            .app
            .team_heads_heard(&wall, &id, &mut listening)
            .await;
        assert!(heard.is_ok());

        // Only the host may do that.
        for other in [&old, &wall] {
            not_found(server.app.renew_team_links(other, &id).await);
        }
        done(server.app.renew_team_links(&host, &id)).await;
        listening.changed().await;
        not_found(
            server
                .app
                .team_heads_heard(&wall, &id, &mut listening)
                .await,
        );
        for access in [&old, &wall] {
            not_found(server.app.load_team_match(access, &id, None).await);
        }
        let view = server.view(&host, &id).await;
        let link = view.join_link.clone().expect("a link");
        let new = TeamAccess {
            link: proof_of(&link),
            ..stranger
        };
        assert!(server.app.load_team_match(&new, &id, None).await.is_ok());
        assert!(
            server
                .app
                .load_team_match(&show(&view), &id, None)
                .await
                .is_ok()
        );
        server
            .act(&new, &id, Command::Join(MemberId(0), None))
            .await;
    });
}

/// All of a match that a browser can fetch, as text: without the proofs of forms, which are the viewer's.
async fn all_of(browser: &mut Browser, id: &MatchId) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (pattern, method) in routes() {
        // A stream has the same content as `heads`.
        if method != "GET" || !pattern.starts_with("/team/{id}") || pattern.ends_with("/live") {
            continue;
        }
        for form in ["json", "txt"] {
            let path = address(&pattern, &[("id", &id.0), ("form", form)]);
            let got = browser.glance(&path).await;
            found.push((path, format!("{} {}", got.status, got.text)));
        }
    }
    assert!(found.len() > 40, "only {} addresses", found.len());
    found
}

#[test]
fn a_vote_and_a_private_channel_change_nothing_for_others() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let (id, app) = (&team.id, &server.app);
        let mut others = vec![
            Browser::of(&server, "Jon").await,
            Browser::of(&server, "Fay").await,
            Browser::of(&server, "Gus").await,
            Browser::of(&server, "Cy").await,
        ];
        let mut before = Vec::new();
        for browser in &mut others {
            // Talk that this fetching shows counts as read from now on.
            all_of(browser, id).await;
            before.push(all_of(browser, id).await);
        }
        team.act(2, Command::Vote(Some(MemberId(4)))).await;
        let channel = done(app.open_channel(team.of(2), id, vec![MemberId(5)])).await;
        say(&team, 2, channel, "between us").await;
        server.set(Time(START));
        for (browser, before) in others.iter_mut().zip(before) {
            let after = all_of(browser, id).await;
            for ((path, before), (_, after)) in before.into_iter().zip(after) {
                assert!(before == after, "{path}: {before}\n\n{after}");
            }
        }
    });
}

/// A viewer's numbers of the events of a match, in addresses and on live pages.
async fn numbers(server: &TestApp, who: &TeamAccess, id: &MatchId) -> (Vec<i32>, i32) {
    let view = server.view(who, id).await;
    let events = view.log().map(|logged| view.number(logged.event.number));
    let mut numbers: Vec<i32> = events.collect();
    numbers.dedup();
    let heads = server.app.team_heads(who, id).await.expect("heads");
    (numbers, heads.event)
}

/// Votes, elections and duties of White, with turns that all see in between: Black's numbers have no gaps.
#[test]
fn what_is_secret_leaves_no_gap() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, id) = (&team.server, &team.id);
        let (_, begun) = numbers(server, team.of(6), id).await;
        // Three of five: Dee leads White, who then moves an agent.
        for voter in [1, 2, 3, 5] {
            let vote = Command::Vote(Some(MemberId(4)));
            let _ = server.app.act_in_team(team.of(voter), id, vote).await;
        }
        let view = team.view(1).await;
        let led = view.state.team(Side::First).duties.strategist;
        assert_eq!(led, Some(MemberId(4)));
        let kinds = view.state.log.iter().map(|logged| &logged.event.kind);
        let votes = kinds.filter(|kind| matches!(kind, EventKind::Vote(_)));
        assert!(votes.count() >= 3);
        let turn = play(1, 0, "e2e4");
        let boardman = view.state.team(Side::First).duties.boards[0].expect("a boardman");
        team.act(boardman.0.into(), turn).await;

        let (_, now) = numbers(server, team.of(6), id).await;
        assert!(now > begun);
        for who in [&team.host, team.of(1), team.of(6)] {
            let (numbers, head) = numbers(&servers.other, who, id).await;
            let last = i32::try_from(numbers.len()).expect("few");
            assert_eq!(numbers, (1..=last).collect::<Vec<i32>>());
            let own = server.view(who, id).await;
            let votes = own
                .log()
                .filter(|logged| matches!(logged.event.kind, EventKind::Vote(_)));
            assert_eq!(head, last + i32::try_from(votes.count()).expect("few"));
            for at in [1, last / 2, last] {
                let then = done(server.app.load_team_match(who, id, Some(at))).await;
                assert_eq!(then.number(then.state.head), at);
            }
            for none in [0, last + 1] {
                not_found(server.app.load_team_match(who, id, Some(none)).await);
            }
        }
        // Nor do the numbers of channels reveal how many others there are.
        let open = async |one: usize, other: u16| {
            done(
                server
                    .app
                    .open_channel(team.of(one), id, vec![MemberId(other)]),
            )
            .await
        };
        let [first, second, third] = [open(1, 2).await, open(2, 3).await, open(1, 3).await];
        assert!(first.abs_diff(second) > 1 && second.abs_diff(third) > 1);
    });
}

#[test]
fn in_rooms_no_answer_about_transfers_tells_what_stands_elsewhere() {
    servers(|server| async move {
        let team = Team::new(server.clone(), rooms()).await;
        let at = format!("/team/{}", team.id);
        let mut bo = Browser::of(&server, "Bo").await;
        // A pawn is on e2 of board 3, and nothing on e5.
        let mut said = Vec::new();
        for square in ["e2", "e5"] {
            let written = format!("{square} 3>2");
            let taken = format!("3-{square}");
            let mut answers = Vec::new();
            for form in [
                vec![("transfer", written.as_str())],
                vec![("take", taken.as_str()), ("kind", "P"), ("to", "2")],
            ] {
                let got = bo.send(&at, "transfer", &form).await;
                assert!(got.status.is_client_error(), "{}", got.text);
                answers.push(got.text);
            }
            for part in ["", "/transfer", "/board/1", "/receivers"] {
                answers.push(bo.get(&format!("{at}{part}?take={taken}")).await.text);
            }
            let answers = answers.join("\n").replace(&taken, "TAKEN");
            let answers = answers.replace(&format!("{square} 3"), "SQUARE 3");
            said.push(answers);
        }
        let lines = |said: &str| said.lines().map(str::to_owned).collect::<Vec<_>>();
        for (one, other) in lines(&said[0]).iter().zip(&lines(&said[1])) {
            assert_eq!(one, other);
        }
        assert_eq!(said[0].len(), said[1].len());
    });
}

/// Who leads a team, and who has which duty, is known to it alone: others cannot find it by asking for changes of what
/// they believe.
#[test]
fn nobody_guesses_the_duties_of_the_other_team() {
    servers(|server| async move {
        let team = Team::new(server.clone(), terms()).await;
        let at = format!("/team/{}", team.id);
        let duties = ["1 2 3 4", "5 2 3 4", "2 1 3 4"];
        for name in ["Gus", "Fay", "Bo"] {
            let mut browser = Browser::of(&server, name).await;
            let mut answers = BTreeSet::new();
            for (known, after) in ["1", "5", "-"].into_iter().zip(duties) {
                let word = format!("give:white:strategist:2:{known}");
                let got = browser.send(&at, "lead", &[("do", &word)]).await;
                assert!(got.status.is_client_error(), "{name}: {}", got.text);
                answers.insert(got.text.replace(&word, ""));
                let form = [
                    ("side", "white"),
                    ("duty", "strategist"),
                    ("to", "2"),
                    ("after", after),
                ];
                let got = browser.send(&at, "give", &form).await;
                assert!(got.status.is_client_error(), "{name}: {}", got.text);
                answers.insert(got.text.replace(after, ""));
            }
            let told: Vec<bool> = answers
                .iter()
                .map(|text| text.contains("Only the grand strategist gives duties."))
                .collect();
            assert!(told.iter().all(|is_told| *is_told), "{name}: {answers:?}");
        }
    });
}
