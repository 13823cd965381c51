//! Perplexichess: the rules of whole matches, and the application on SQLite and PostgreSQL.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use crate::support::{Database, PATIENCE};
use crate::test_app::{
    START, TestApp, done, everywhere_with, forbidden, has, invalid, lacks, not_found, proof_of,
    runtime,
};
use perplex::app::team::{Audience, TeamAccess, TeamView};
use perplex::app::{AppError, Viewer, Visitor};
use perplex::secret::KeyRing;
use perplex::store::talk::channels_of;
use perplex::texts;
use perplex_games::perplexichess::{BoardNo, Line, Size, Transfer};
use perplex_games::rules::Side;
use perplex_games::rules::flexichess::Kind;
use perplex_matches::id::MatchId;
use perplex_matches::team::event::{Actor, Duty, EventKind, MemberId, Sight, Terms};
use perplex_matches::team::{Command, Match, Phase, Refusal};
use perplex_matches::time::Time;

mod access;
mod called_off;
mod classes;
mod control;
mod days;
mod hand;
mod host;
pub mod lessons;
mod news;
mod pages;
pub mod people;
mod pupils;
mod routes;
pub mod rules;
mod secrets;
mod weight;
mod words;

/// The processes on one database: two with the same keys, and one of a thief who has only the database.
#[derive(Clone)]
struct Servers {
    server: TestApp,
    other: TestApp,
    thief: TestApp,
}

/// Runs `story` on every database.
fn everywhere(story: impl AsyncFn(&Servers)) {
    let open = |database: &Database| {
        let time = Arc::new(AtomicI64::new(START));
        Servers {
            server: TestApp::with(database.open(), database.ring(), &time),
            other: TestApp::with(database.open(), database.ring(), &time),
            thief: TestApp::with(database.open(), KeyRing::fresh(), &time),
        }
    };
    everywhere_with("teams", open, story);
}

/// Runs `story` on one process and SQLite, in the runtime that serves pages.
fn alone(what: &str, story: impl AsyncFnOnce(TestApp)) {
    let database = Database::sqlite(what);
    let time = Arc::new(AtomicI64::new(START));
    let server = TestApp::with(database.open(), KeyRing::fresh(), &time);
    runtime().block_on(story(server.clone()));
}

pub fn terms() -> Terms {
    Terms {
        seconds: Some(3_600),
        ..Terms::of(Size::Small)
    }
}

/// In which members see only what is on their boards.
fn rooms() -> Terms {
    Terms {
        sight: Sight::Rooms,
        ..terms()
    }
}

/// In which no time runs.
fn over_days() -> Terms {
    Terms {
        seconds: None,
        ..terms()
    }
}

/// In which the host reads the talk of the teams.
fn supervised() -> Terms {
    Terms {
        supervised: true,
        ..terms()
    }
}

fn play(board: u8, seen: u32, turn: &str) -> Command {
    Command::Play {
        board: BoardNo(board),
        seen,
        turn: turn.to_owned(),
        offer: false,
    }
}

fn transfer(side: Side, square: (char, char), from: u8, to: u8, kind: Kind) -> Command {
    Command::Transfer {
        transfer: Transfer {
            side,
            square: perplex_games::rules::flexichess::Square::read(square.0, square.1)
                .expect("a square"),
            from: BoardNo(from),
            to: BoardNo(to),
        },
        kind,
    }
}

/// Of ten people the first five play White.
fn side_of(number: usize) -> Side {
    if number < 5 {
        Side::First
    } else {
        Side::Second
    }
}

/// The commands that give ten people their duties, each with the number of the member: in each team a strategist and
/// three boardmen.
fn arrangements() -> Vec<(usize, Command)> {
    let mut all = Vec::new();
    for (side, first) in [(Side::First, 1), (Side::Second, 6)] {
        let boards = (1..=3).map(|board| Duty::Board(BoardNo(board)));
        for (number, duty) in (first..).zip(std::iter::once(Duty::Strategist).chain(boards)) {
            let arrange = Command::Arrange(side, duty, Some(MemberId(number)));
            all.push((usize::from(number), arrange));
        }
    }
    all
}

/// The number of changes of a board.
fn version(state: &Match, board: u8) -> u32 {
    let board = state.boards.board(BoardNo(board)).expect("a board");
    board.version()
}

/// A small match that has begun: the host, White's five (strategist, three boardmen, an agent) and Black's.
pub struct Team {
    server: TestApp,
    pub id: MatchId,
    pub host: TeamAccess,
    pub people: Vec<TeamAccess>,
}

impl Team {
    pub async fn new(server: TestApp, terms: Terms) -> Self {
        let team = Self::gathered(server, terms).await;
        team.lead(Command::Start { short: false }).await;
        team
    }

    /// All have joined and have their duties; the match has not begun.
    async fn gathered(server: TestApp, terms: Terms) -> Self {
        let host = server.visit("Hanna").await;
        let id = server.team_match(&host, terms).await;
        let proof = proof_of(&server.app.team_join_link(&id, 0));
        let names = [
            "Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon",
        ];
        let mut people = Vec::new();
        for (number, name) in names.into_iter().enumerate() {
            let mut visit = server.visit(name).await;
            let join = Command::Join(MemberId(0), Some(side_of(number)));
            // Without the link it is not found.
            let unknown = server.refused(&visit, &id, join.clone()).await;
            assert!(matches!(unknown, AppError::NotFound) || terms.listed);
            visit.link.clone_from(&proof);
            server.act(&visit, &id, join).await;
            // Members need no link any more.
            visit.link = None;
            people.push(visit);
        }
        for (number, arrange) in arrangements() {
            server.act(&people[number - 1], &id, arrange).await;
        }
        Self {
            server,
            id,
            host,
            people,
        }
    }

    /// Member `number`, from 1.
    fn of(&self, number: usize) -> &TeamAccess {
        &self.people[number - 1]
    }

    /// Runs a command of a member.
    async fn act(&self, number: usize, command: Command) {
        self.server.act(self.of(number), &self.id, command).await;
    }

    /// Plays a turn on a board as it stands.
    async fn plays(&self, number: usize, board: u8, turn: &str) {
        let view = self.view(number).await;
        let seen = version(&view.state, board);
        self.act(number, play(board, seen, turn)).await;
    }

    /// Runs a command of the host.
    async fn lead(&self, command: Command) {
        self.server.act(&self.host, &self.id, command).await;
    }

    async fn refused(&self, number: usize, command: Command) -> AppError {
        let visit = self.of(number);
        self.server.refused(visit, &self.id, command).await
    }

    /// Checks that a member's command is refused in these words.
    async fn refuses(&self, number: usize, command: Command, says: &str) {
        let visit = self.of(number);
        self.server.refuses(visit, &self.id, command, says).await;
    }

    /// The match as a member sees it.
    async fn view(&self, number: usize) -> TeamView {
        self.server.view(self.of(number), &self.id).await
    }
}

#[test]
fn a_match_is_played_to_its_end() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let id = &team.id;
        // Fool's mate on board 1: White's boardman is Bo, Black's is Gus.
        let mate = ["f2f3", "e7e5", "g2g4", "d8h4"];
        for (seen, turn) in (0..).zip(mate) {
            let who = if seen % 2 == 0 { 2 } else { 7 };
            team.act(who, play(1, seen, turn)).await;
        }
        let view = team.view(1).await;
        assert_eq!(view.state.boards.score().black, 1);
        // Black's strategist brings the queen to board 2; Bo hears that board 1 has ended.
        let queen = transfer(Side::Second, ('h', '4'), 1, 2, Kind::Queen);
        team.refuses(7, queen.clone(), "strategist").await;
        team.act(6, queen).await;
        team.refuses(2, play(1, 5, "a2a3"), "ended").await;
        // A turn for a board that has changed is refused gently, naming the board.
        let error = team.refused(3, play(2, 0, "e2e4")).await;
        assert!(matches!(
            error,
            AppError::RefusedInTeam(Refusal::Changed(BoardNo(2)), _)
        ));
        team.act(3, play(2, 1, "g2g3")).await;
        team.act(9, Command::Resign(BoardNo(3))).await;
        team.act(8, Command::Offer(BoardNo(2))).await;
        team.act(3, Command::AcceptDraw(BoardNo(2))).await;
        let view = team.view(1).await;
        assert_eq!(view.state.phase, Phase::Over);
        let outcome = view.state.outcome().expect("over");
        assert_eq!(
            (outcome.winner, outcome.reason.to_string()),
            (None, "boards".to_owned())
        );
        // Another process reads the same from the journal, and any moment of it.
        let other = &servers.other;
        let again = other.view(team.of(6), id).await;
        assert_eq!(again.state.head, view.state.head);
        assert_eq!(again.state.log, view.state.log);
        let earlier = done(other.app.load_team_match(team.of(6), id, Some(20))).await;
        assert_eq!(earlier.state.head, 20);
        not_found(other.app.load_team_match(team.of(6), id, Some(1_000)).await);
    });
}

#[test]
fn the_time_runs_out_with_no_one_there() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, id) = (&team.server, &team.id);
        team.act(2, play(1, 0, "e2e4")).await;
        team.act(1, transfer(Side::First, ('e', '4'), 1, 3, Kind::Pawn))
            .await;
        server.wait(Duration::from_mins(30));
        team.lead(Command::Pause).await;
        server.wait(Duration::from_hours(5));
        server.app.tick().await.expect("a tick");
        assert_eq!(server.view(&team.host, id).await.state.phase, Phase::Paused);
        team.lead(Command::Resume).await;
        server.wait(Duration::from_secs(1_799));
        // By a process that had no request before, to the second.
        servers.other.app.tick().await.expect("a tick");
        assert_eq!(
            servers.other.view(&team.host, id).await.state.phase,
            Phase::Playing
        );
        server.wait(Duration::from_secs(1));
        servers.other.app.tick().await.expect("a tick");
        let view = server.view(&team.host, id).await;
        assert_eq!(view.state.phase, Phase::Over);
        let score = view.state.boards.score();
        assert_eq!((score.white, score.black, score.drawn), (1, 1, 1));
        // A player who comes too late is told so.
        server.wait(Duration::from_secs(10));
        team.refuses(7, play(1, 2, "e7e5"), "over").await;
    });
}

#[test]
fn of_many_at_once_one_is_first() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, id) = (&team.server, &team.id);
        // Two processes, the same turn eight times, and a transfer that takes the pawn away.
        let other = &servers.other;
        team.act(2, play(1, 0, "e2e4")).await;
        team.act(7, play(1, 1, "e7e5")).await;
        let bo = team.of(2);
        let apps = [&server.app, &other.app];
        let turns = (0..8).map(|n| apps[n % 2].act_in_team(bo, id, play(1, 2, "d2d4")));
        let ada = team.of(1);
        let pawn = transfer(Side::First, ('e', '4'), 1, 2, Kind::Pawn);
        let moves = (0..8).map(|n| apps[n % 2].act_in_team(ada, id, pawn.clone()));
        let (turns, moves) = futures_util::future::join(
            futures_util::future::join_all(turns),
            futures_util::future::join_all(moves),
        )
        .await;
        let taken = turns.iter().filter(|done| done.is_ok()).count();
        let moved = moves.iter().filter(|done| done.is_ok()).count();
        // The same turn again counts as taken, not as refused; the turn or the transfer may have been first.
        assert_eq!(moved, 8);
        assert!(taken == 8 || taken == 0, "{taken}");
        let taken = taken / 8;
        for error in turns.into_iter().chain(moves).filter_map(Result::err) {
            assert!(matches!(error, AppError::RefusedInTeam(..)), "{error}");
        }
        let (one, two) = (server.view(ada, id).await, other.view(ada, id).await);
        assert_eq!(one.state.log, two.state.log);
        let lines = one
            .log()
            .filter(|l| matches!(l.event.kind, EventKind::Line(_)));
        assert_eq!(lines.count(), 3 + taken);
    });
}

/// Every text of talk that a person can read, in all possible channels.
async fn overheard(server: &TestApp, visit: &TeamAccess, id: &MatchId) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    // All existing channels, whoever may read them.
    let asked = id.clone();
    let channels = server.app.store.read(move |conn| channels_of(conn, &asked));
    for channel in channels.await.expect("channels") {
        match server.app.messages(visit, id, channel.number).await {
            Ok(messages) => texts.extend(messages.into_iter().map(|message| message.text)),
            Err(AppError::NotFound) => {}
            Err(error) => panic!("{error}"),
        }
    }
    texts
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The result that is read once for all listeners gives each the same as a reading for this listener alone.
async fn all_hear_what_they_see(team: &Team) {
    let app = &team.server.app;
    let stranger = TeamAccess::default();
    for visit in team.people.iter().chain([&team.host, &stranger]) {
        let mut listening = app.teams.live.listen(&team.id);
        let heard = app.team_heads_heard(visit, &team.id, &mut listening).await;
        let seen = app.team_heads(visit, &team.id).await;
        assert_eq!(heard.ok(), seen.ok());
    }
}

#[test]
fn processes_tell_each_other() {
    let Some(database) = Database::postgres("tell") else {
        return;
    };
    let time = Arc::new(AtomicI64::new(START));
    let [here, there] = [(); 2].map(|()| TestApp::with(database.open(), database.ring(), &time));
    runtime().block_on(async {
        let team = Team::new(here, terms()).await;
        let app = Arc::clone(&there.app);
        let following = tokio::spawn(async move { app.follow(std::future::pending()).await });
        let (visit, id) = (team.of(2), &team.id);
        let mut listening = there.app.teams.live.listen(id);
        team.server.act(visit, id, play(1, 0, "e2e4")).await;
        done(team.server.app.say_in_team(visit, id, 1, "hello")).await;
        let expected = team.server.app.team_heads(visit, id).await.expect("heads");
        let waiting = async {
            loop {
                let heard = there.app.team_heads_heard(visit, id, &mut listening).await;
                if heard.expect("seen") == expected {
                    return;
                }
                listening.changed().await;
            }
        };
        done(tokio::time::timeout(PATIENCE, waiting)).await;
        following.abort();
    });
}

#[test]
fn secret_talk_stays_secret() {
    everywhere(async |servers| secrets(servers, false).await);
}

#[test]
fn a_supervised_match_is_read_by_its_host_only() {
    everywhere(async |servers| secrets(servers, true).await);
}

async fn secrets(servers: &Servers, supervised: bool) {
    let mut settled = terms();
    settled.supervised = supervised;
    let team = Team::new(servers.server.clone(), settled).await;
    let (server, id) = (&team.server, &team.id);
    let say = |visit: &TeamAccess, channel: i32, text: &str| {
        let (visit, text) = (visit.clone(), text.to_owned());
        async move {
            server
                .app
                .say_in_team(&visit, id, channel, &text)
                .await
                .unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    };
    say(team.of(1), 0, "public").await;
    say(team.of(1), 1, "white").await;
    say(team.of(6), 2, "black").await;
    let secret = done(server.app.open_channel(team.of(2), id, vec![MemberId(3)])).await;
    say(team.of(3), secret, "plot").await;
    // The same people get the same channel again.
    let again = server
        .app
        .open_channel(team.of(3), id, vec![MemberId(2)])
        .await;
    assert_eq!(again.expect("a channel"), secret);
    assert_eq!(
        overheard(server, team.of(2), id).await,
        set(&["public", "white", "plot"])
    );
    assert_eq!(
        overheard(server, team.of(1), id).await,
        set(&["public", "white"])
    );
    assert_eq!(
        overheard(server, team.of(7), id).await,
        set(&["public", "black"])
    );
    let host = overheard(server, &team.host, id).await;
    if supervised {
        assert_eq!(host, set(&["public", "white", "black", "plot"]));
    } else {
        assert_eq!(host, set(&["public"]));
    }
    // Members do not write in channels that they may only read, or not even read.
    for (who, channel) in [(7, 1), (7, secret), (1, secret), (2, 2)] {
        let tried = server.app.say_in_team(team.of(who), id, channel, "x").await;
        assert!(matches!(tried, Err(AppError::NotFound)), "{who} {channel}");
        let tried = server.app.saw_in_team(team.of(who), id, channel, 1).await;
        assert!(matches!(tried, Err(AppError::NotFound)), "{who} {channel}");
    }
    let tried = server.app.say_in_team(&team.host, id, 1, "x").await;
    assert!(tried.is_err());
    all_hear_what_they_see(&team).await;
    // No number reveals it: neither the messages nor the channels.
    let before = server.app.team_heads(team.of(7), id).await.expect("heads");
    say(team.of(3), secret, "more").await;
    say(team.of(3), 1, "more white").await;
    done(server.app.open_channel(team.of(2), id, vec![MemberId(4)])).await;
    team.act(2, Command::Vote(Some(MemberId(5)))).await;
    let after = server.app.team_heads(team.of(7), id).await.expect("heads");
    assert_eq!(before, after);
    let view = team.view(7).await;
    assert!(view.channels.iter().all(|channel| matches!(
        channel.audience,
        Audience::Public | Audience::Team(Side::Second)
    )));
    assert!(
        view.log()
            .all(|l| !matches!(l.event.kind, EventKind::Vote(_)))
    );
    // A channel is for members of one team.
    invalid(
        server
            .app
            .open_channel(team.of(2), id, vec![MemberId(7)])
            .await,
    );
    // A member who leaves a team loses its talk.
    team.act(2, Command::Leave(MemberId(2))).await;
    all_hear_what_they_see(&team).await;
    for channel in [1, secret] {
        forbidden(server.app.messages(team.of(2), id, channel).await);
    }
}

#[test]
fn talk_is_sealed_in_the_database() {
    everywhere(async |servers| {
        let server = &servers.server;
        let host = server.visit("Hanna").await;
        let id = server.team_match(&host, terms()).await;
        let mut texts = Vec::new();
        for number in 0..12 {
            let text = format!("attack at dawn {number}");
            done(server.app.say_in_team(&host, &id, 0, &text)).await;
            texts.push(text);
        }
        let said = |messages: Vec<perplex::app::team::Message>| -> Vec<String> {
            messages.into_iter().map(|message| message.text).collect()
        };
        let other = &servers.other;
        let rows = done(server.app.store.read({
            let id = id.clone();
            move |conn| perplex::store::talk::messages_of(conn, &id, 0, 100)
        }))
        .await;
        assert!(rows.iter().all(|row| !row.sealed.contains("dawn")));
        assert_eq!(server.app.rotate_talk_key().await.expect("a new key"), 12);
        assert_eq!(
            said(server.app.messages(&host, &id, 0).await.expect("talk")),
            texts
        );
        assert_eq!(
            said(other.app.messages(&host, &id, 0).await.expect("talk")),
            texts
        );
        // Without the keys it is not readable.
        assert!(servers.thief.app.messages(&host, &id, 0).await.is_err());
    });
}

#[test]
fn a_member_who_leaves_is_replaced_and_may_come_back() {
    everywhere(async |servers| {
        let team = Team::new(servers.server.clone(), terms()).await;
        let (server, id) = (&team.server, &team.id);
        team.act(2, Command::Leave(MemberId(2))).await;
        // Eve, the agent, has Bo's board.
        team.act(5, play(1, 0, "e2e4")).await;
        // A former member is told so.
        forbidden(server.app.load_team_match(team.of(2), id, None).await);
        let mut bo = team.of(2).clone();
        bo.link = proof_of(&server.app.team_join_link(id, 0));
        server
            .refuses(
                &bo,
                id,
                Command::Join(MemberId(0), None),
                "host can let you",
            )
            .await;
        let back = Command::LetBack(MemberId(2));
        team.lead(back.clone()).await;
        server.refuses(&team.host, id, back, "already").await;
        let view = team.view(2).await;
        assert_eq!(view.viewer.member, Some(MemberId(2)));
        assert_eq!(view.rights.side, Some(Side::First));
        assert_eq!(view.actor(Actor::Member(MemberId(2))), "Bo");
        // Full is full: a small team has at most six.
        for name in ["Kim", "Lou"] {
            let mut late = server.visit(name).await;
            late.link.clone_from(&bo.link);
            let join = Command::Join(MemberId(0), Some(Side::First));
            if name == "Kim" {
                server.act(&late, id, join).await;
            } else {
                server.refuses(&late, id, join, "full").await;
            }
        }
        // A guest signs in first.
        let guest = TeamAccess {
            link: bo.link.clone(),
            ..TeamAccess::default()
        };
        let join = Command::Join(MemberId(0), None);
        assert!(matches!(
            server.refused(&guest, id, join).await,
            AppError::SignIn
        ));
        assert!(Line::Time.boards().is_empty());
    });
}

#[test]
fn who_acts_without_end_waits_and_goes_on_with_turns() {
    everywhere(async |Servers { server, .. }| {
        let host = server.visit("Hanna").await;
        let id = server.team_match(&host, terms()).await;
        let mut ben = server.visit("Ben").await;
        ben.link = proof_of(&server.app.team_join_link(&id, 0));
        let join = Command::Join(MemberId(0), Some(Side::First));
        server.act(&ben, &id, join).await;
        let mut acts = 1;
        loop {
            let side = Side::ALL[acts % 2];
            let changes = Command::Team(MemberId(1), Some(side));
            match server.app.act_in_team(&ben, &id, changes).await {
                Ok(_) => acts += 1,
                Err(AppError::TooOften(_)) => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(acts, 300);
        // Others go on, and so do turns.
        server.act(&host, &id, Command::SetJoinable(false)).await;
        let turn = Command::Play {
            board: BoardNo(1),
            seen: 0,
            turn: "e4".to_owned(),
            offer: false,
        };
        let refused = server.refused(&ben, &id, turn).await;
        assert!(!matches!(refused, AppError::TooOften(_)), "{refused}");
    });
}
