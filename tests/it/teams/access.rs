//! The rights in a team match: every address and every command, for every kind of person, in every phase, as one
//! table: `access.txt`, which people read and this test compares.

use std::fmt::Write as _;

use perplex_games::rules::flexichess::Square;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::event::{Event, TalkMode};
use perplex_matches::team::{Span, Who, create};

use super::people::Browser;
use super::routes::{nothing, others};
use super::*;
use crate::golden::compare;
use crate::support::routes::address;
use crate::test_app::done;

/// The kinds of people: their name in the table, their number in the match, and whether they are the host.
const PEOPLE: [(&str, Option<u16>, bool); 10] = [
    ("guest", None, false),
    ("w-strat", Some(1), false),
    ("w-board1", Some(2), false),
    ("w-board2", Some(3), false),
    ("w-agent", Some(5), false),
    ("b-strat", Some(6), false),
    ("b-board1", Some(7), false),
    ("b-agent", Some(10), false),
    ("former", Some(11), false),
    ("host", None, true),
];

const HOST: Who = Who {
    host: true,
    member: None,
};

fn member(number: u16) -> Who {
    Who {
        host: false,
        member: Some(MemberId(number)),
    }
}

/// The command of a person, who may be a member; `None` if it makes no sense.
type Make<'a> = Box<dyn Fn(Option<MemberId>) -> Option<Command> + 'a>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Gathering,
    Playing,
    Paused,
    Over,
    CalledOff,
}

struct Table(Match);

impl Table {
    fn act(&mut self, who: Who, command: &Command) {
        let events = self.0.decide(&who, command, Time(START), 7);
        for event in events.unwrap_or_else(|error| panic!("{command:?}: {error}")) {
            self.0.apply(&event).expect("it follows");
        }
    }

    /// Two teams of five, and a member who has left, in this phase.
    fn new(phase: Stage) -> Self {
        let events: Vec<Event> = create(terms(), Time(START)).expect("a match");
        let mut table = Self(Match::replay(&events).expect("a state"));
        for number in 1..=11 {
            let side = if number <= 5 || number == 11 {
                Side::First
            } else {
                Side::Second
            };
            let join = Command::Join(MemberId(number), Some(side));
            table.act(member(number), &join);
        }
        table.act(member(11), &Command::Leave(MemberId(11)));
        for (side, first) in [(Side::First, 1), (Side::Second, 6)] {
            let boards = (1..=3).map(|board| Duty::Board(BoardNo(board)));
            for (number, duty) in (first..).zip(std::iter::once(Duty::Strategist).chain(boards)) {
                table.act(HOST, &Command::Arrange(side, duty, Some(MemberId(number))));
            }
        }
        if phase == Stage::CalledOff {
            table.act(HOST, &Command::CallOff);
        }
        if matches!(phase, Stage::Gathering | Stage::CalledOff) {
            return table;
        }
        table.act(HOST, &Command::Start { short: false });
        // On board 2 Black has to answer a draw and a rule; on board 3 a rule is disputed.
        let rule = "rule N written \"A knight may pass.\"";
        table.act(member(2), &play(1, 0, "e2e4"));
        table.act(member(3), &Command::Offer(BoardNo(2)));
        table.act(member(4), &play(3, 0, rule));
        table.act(member(9), &Command::Dispute(BoardNo(3)));
        match phase {
            Stage::Paused => table.act(HOST, &Command::Pause),
            Stage::Over => table.act(HOST, &Command::Stop),
            _ => {}
        }
        table
    }
}

fn phases() -> [(&'static str, Stage); 5] {
    [
        ("gathering", Stage::Gathering),
        ("playing", Stage::Playing),
        ("paused", Stage::Paused),
        ("over", Stage::Over),
        ("called off", Stage::CalledOff),
    ]
}

#[test]
fn who_may_do_what() {
    let mut text = String::from(
        "What everybody may do, by phase: `yes`, `-` for what changes nothing, `no`, `time` for what is not possible \
         in this phase.\n",
    );
    for (name, phase) in phases() {
        let table = Table::new(phase);
        let state = &table.0;
        let _ = write!(text, "\n{name:<34}");
        for (person, ..) in PEOPLE {
            let _ = write!(text, "{person:>10}");
        }
        text.push('\n');
        let seen = |board: u8| version(state, board);
        let pawn = Transfer {
            side: Side::First,
            square: Square::read('e', '4').expect("a square"),
            from: BoardNo(1),
            to: BoardNo(3),
        };
        let strategist = Duty::Strategist;
        let always = |command: Command| -> Make { Box::new(move |_| Some(command.clone())) };
        let rows: Vec<(&str, Make)> = vec![
            (
                "join",
                Box::new(|_| Some(Command::Join(state.next_member(), None))),
            ),
            ("leave", Box::new(|me| Some(Command::Leave(me?)))),
            ("remove White's agent", always(Command::Leave(MemberId(5)))),
            (
                "go to Black",
                Box::new(|me| Some(Command::Team(me?, Some(Side::Second)))),
            ),
            (
                "send White's agent to Black",
                always(Command::Team(MemberId(5), Some(Side::Second))),
            ),
            (
                "arrange White's strategist",
                always(Command::Arrange(Side::First, strategist, Some(MemberId(5)))),
            ),
            (
                "choose White's emblem",
                always(Command::SetEmblem(
                    Side::First,
                    "brave stars blue".parse().ok(),
                )),
            ),
            ("deal", always(Command::Deal)),
            ("start short-handed", always(Command::Start { short: true })),
            (
                "play Black's turn on board 1",
                always(play(1, seen(1), "e7e5")),
            ),
            (
                "play White's turn on board 2",
                always(play(2, seen(2), "d2d4")),
            ),
            (
                "transfer a white pawn",
                always(Command::Transfer {
                    transfer: pawn,
                    kind: Kind::Pawn,
                }),
            ),
            (
                "offer a draw on board 1",
                always(Command::Offer(BoardNo(1))),
            ),
            (
                "accept the draw on board 2",
                always(Command::AcceptDraw(BoardNo(2))),
            ),
            (
                "decline the draw on board 2",
                always(Command::Decline(BoardNo(2))),
            ),
            ("resign board 1", always(Command::Resign(BoardNo(1)))),
            ("dispute on board 3", always(Command::Dispute(BoardNo(3)))),
            (
                "decide on board 3",
                always(Command::Decide(BoardNo(3), true)),
            ),
            (
                "give White's board 1 to the agent",
                always(Command::Give(
                    Side::First,
                    Duty::Board(BoardNo(1)),
                    MemberId(5),
                )),
            ),
            (
                "give White's strategist's duty",
                always(Command::Give(Side::First, strategist, MemberId(5))),
            ),
            (
                "vote for White's agent",
                always(Command::Vote(Some(MemberId(5)))),
            ),
            ("pause", always(Command::Pause)),
            ("go on", always(Command::Resume)),
            ("enough for today", always(Command::SetJoinable(false))),
            ("let everybody in again", always(Command::SetJoinable(true))),
            ("end", always(Command::Stop)),
            ("call off", always(Command::CallOff)),
            (
                "take back on board 1",
                always(Command::TakeBack {
                    board: BoardNo(1),
                    seen: seen(1),
                }),
            ),
            ("five minutes more", always(Command::Time(Span::More(300)))),
            (
                "call White's agent Eva",
                always(Command::Rename(MemberId(5))),
            ),
            ("freeze the talk", always(Command::Talk(TalkMode::Frozen))),
            (
                "remove a message of White's agent",
                always(Command::RemoveMessage(1, Actor::Member(MemberId(5)))),
            ),
            (
                "replace White's board 1",
                always(Command::Replace(MemberId(2), MemberId(5))),
            ),
        ];
        for (row, command) in rows {
            let _ = write!(text, "{row:<34}");
            for (_, number, host) in PEOPLE {
                let me = number.map(MemberId);
                // To the application a member who has left is a stranger.
                let current = me.filter(|_| number != Some(11));
                let joins = row == "join";
                let who = Who {
                    host: host && !joins,
                    member: current,
                };
                let answer = match command(current) {
                    None => "",
                    // A person who takes part already is refused before the match decides.
                    Some(_) if joins && current.is_some() => "no",
                    Some(command) => match state.decide(&who, &command, Time(START), 7) {
                        Ok(events) if events.is_empty() => "-",
                        Ok(_) => "yes",
                        Err(Refusal::NotPlaying(_) | Refusal::CalledOff) => "time",
                        Err(_) => "no",
                    },
                };
                let _ = write!(text, "{answer:>10}");
            }
            text.push('\n');
        }
    }
    compare("teams/commands.txt", &text.replace(" \n", "\n"));
}

/// The addresses of pages; `ID`, `JOIN` and `SHOW` stand for the match and the proofs of its links.
const ADDRESSES: [&str; 28] = [
    "/team/ID",
    "/team/ID/at/5",
    "/team/ID/heads",
    "/team/ID/board/1",
    "/team/ID/board/2",
    "/team/ID/log",
    "/team/ID/people",
    "/team/ID/transfer",
    "/team/ID/receivers?take=1-a2",
    "/team/ID/gather",
    "/team/ID/result",
    "/team/ID/record",
    "/team/ID/record.txt",
    "/team/ID/record.json",
    "/team/ID/talk?channel=0",
    "/team/ID/talk?channel=1",
    "/team/ID/talk?channel=2",
    "/team/ID/talk?channel=PRIVATE",
    "/team/ID/control",
    "/team/ID/control/log",
    "/team/ID/control/members",
    "/team/ID/control/board/2",
    "/team/ID/control/talk?channel=1",
    "/team/ID/control/heads",
    "/team/ID/join/JOIN",
    "/team/ID/show/SHOW",
    "/team/ID/show/SHOW/board/1",
    "/team/ID/show/SHOW/log",
];

/// Texts that must be on no page of people who may not read them.
const SECRETS: [(&str, &str); 4] = [
    ("W", "the white plan"),
    ("B", "the black plan"),
    ("P", "the plot of two"),
    ("V", "Your vote is for"),
];

#[test]
fn who_may_see_what() {
    let mut text = String::from(
        "What everybody gets at every address, and for every form sent with nothing in it, by phase, in a match with rooms that stands in no list: the status; then \
         what of these it tells: W White's talk, B Black's, P that of a private channel of White's strategist and its boardman \
         of board 1, 1 and 2 the position of these boards. Of White's team were `former`, who left while people gathered, `removed`, \
         whom the host removed, `moved`, whom the host sent to Black, and `back`, who left and was let back. `other` has an \
         account and nothing else, `posing` plays the computer without an account and shows that cookie as a session's.\n",
    );
    for supervised in [false, true] {
        for (name, phase) in phases() {
            let supervised_too = if supervised { ", supervised" } else { "" };
            let _ = write!(text, "\n{:<34}", format!("{name}{supervised_too}"));
            let database = Database::sqlite("access");
            let time = Arc::new(AtomicI64::new(START));
            let server = TestApp::with(database.open(), KeyRing::fresh(), &time);
            runtime().block_on(matrix(&server, supervised, phase, &mut text));
        }
    }
    compare("teams/access.txt", &text.replace(" \n", "\n"));
}

async fn matrix(server: &TestApp, supervised: bool, phase: Stage, text: &mut String) {
    let mut settled = terms();
    settled.supervised = supervised;
    settled.sight = Sight::Rooms;
    let host = server.visit("Hanna").await;
    let id = server.team_match(&host, settled).await;
    let proof = |link: String| link.rsplit('/').next().unwrap_or_default().to_owned();
    let join = proof(server.app.team_join_link(&id, 0));
    let show = proof(server.app.projector_link(&id, 0));
    let names = [
        "Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim",
    ];
    let mut people = Vec::new();
    for (number, name) in names.into_iter().enumerate() {
        let mut visit = server.visit(name).await;
        visit.link = Some(join.clone());
        let join = Command::Join(MemberId(0), Some(side_of(number % 10)));
        server.act(&visit, &id, join).await;
        people.push(visit);
    }
    server.visit("Otto").await;
    for (_, arrange) in arrangements() {
        server.act(&host, &id, arrange).await;
    }
    let say = async |who: usize, channel: i32, text: &str| {
        done(server.app.say_in_team(&people[who - 1], &id, channel, text)).await;
    };
    say(1, 1, SECRETS[0].1).await;
    say(6, 2, SECRETS[1].1).await;
    let channel = done(server.app.open_channel(&people[0], &id, vec![MemberId(2)])).await;
    say(1, channel, SECRETS[2].1).await;
    server
        .act(&people[10], &id, Command::Leave(MemberId(11)))
        .await;
    // A team has room for one more at a time.
    let joins = async |name: &str| {
        let mut visit = server.visit(name).await;
        visit.link = Some(join.clone());
        let joining = Command::Join(MemberId(0), Some(Side::First));
        server.act(&visit, &id, joining).await;
        say(1, 1, SECRETS[0].1).await;
        visit
    };
    joins("Lea").await;
    if !matches!(phase, Stage::Gathering | Stage::CalledOff) {
        server
            .act(&host, &id, Command::Start { short: false })
            .await;
        server.act(&people[1], &id, play(1, 0, "e2e4")).await;
        server.act(&people[2], &id, play(2, 0, "g1h3")).await;
    }
    let leave = |number| Command::Leave(MemberId(number));
    server.act(&host, &id, leave(12)).await;
    joins("Max").await;
    let moves = Command::Team(MemberId(13), Some(Side::Second));
    server.act(&host, &id, moves).await;
    let nia = joins("Nia").await;
    server.act(&nia, &id, leave(14)).await;
    let back = Command::LetBack(MemberId(14));
    server.act(&host, &id, back).await;
    match phase {
        Stage::Paused => server.act(&host, &id, Command::Pause).await,
        Stage::Over => server.act(&host, &id, Command::Stop).await,
        Stage::CalledOff => server.act(&host, &id, Command::CallOff).await,
        _ => {}
    }
    let who = [
        ("guest", ""),
        ("posing", ""),
        ("by-link", ""),
        ("other", "Otto"),
        ("w-strat", "Ada"),
        ("w-board1", "Bo"),
        ("w-board2", "Cy"),
        ("w-agent", "Eve"),
        ("b-strat", "Fay"),
        ("b-board1", "Gus"),
        ("former", "Kim"),
        ("removed", "Lea"),
        ("moved", "Max"),
        ("back", "Nia"),
        ("host", "Hanna"),
    ];
    let mut browsers = Vec::new();
    for (kind, name) in who {
        let _ = write!(text, "{kind:>10}");
        let mut browser = match (kind, name) {
            ("posing", _) => Browser::posing(server).await,
            (_, "") => Browser::on(server).await,
            _ => Browser::of(server, name).await,
        };
        if kind == "by-link" {
            browser.get(&format!("/team/{id}/join/{join}")).await;
        }
        browsers.push(browser);
    }
    text.push('\n');
    let known = ADDRESSES.map(|address| ("GET", address.to_owned()));
    let rest = others("/team/{id}", &known);
    let parts = |pattern: &str, id, join, show| {
        let token = if pattern.contains("/show/") {
            show
        } else {
            join
        };
        // No board has this number.
        address(
            pattern,
            &[
                ("id", id),
                ("token", token),
                ("board", "9"),
                ("form", "json"),
            ],
        )
    };
    // Reading the talk changes nothing there.
    let looks = rest
        .iter()
        .filter(|(_, method)| *method == "GET" && !supervised);
    let looks = looks.map(|(pattern, _)| parts(pattern, "ID", "JOIN", "SHOW"));
    for address in ADDRESSES.map(str::to_owned).into_iter().chain(looks) {
        let _ = write!(text, "{address:<34}");
        let path = address
            .replace("PRIVATE", &channel.to_string())
            .replace("ID", &id.0)
            .replace("JOIN", &join)
            .replace("SHOW", &show);
        for browser in &mut browsers {
            let got = browser.glance(&path).await;
            let mut cell = got.status.as_u16().to_string();
            for (letter, secret) in SECRETS {
                if got.text.contains(secret) {
                    cell += letter;
                }
            }
            // A large board describes each square, a small one all at once.
            for (number, square, brief) in [
                ("1", "e4: white pawn", "h2 e4. Black:"),
                ("2", "h3: white knight", "knights b1 h3"),
            ] {
                let title = format!("Board {number}. White:");
                let mut titles = got.text.split(title.as_str()).skip(1);
                let small =
                    titles.any(|rest| rest.split(['"', '<']).next().unwrap_or("").contains(brief));
                if small || got.text.contains(square) {
                    cell += number;
                }
            }
            let _ = write!(text, "{cell:>10}");
        }
        text.push('\n');
    }
    // Forms with an effect on later ones come last.
    if supervised {
        return;
    }
    let last = [
        "/seat",
        "/stand-in",
        "/deal",
        "/join",
        "/join/{token}",
        "/start",
        "/links",
    ];
    let mut forms: Vec<_> = rest
        .into_iter()
        .filter(|(_, method)| *method == "POST")
        .collect();
    forms.sort_by_key(|(pattern, _)| last.iter().position(|end| pattern.ends_with(end)));
    for (pattern, method) in forms {
        let shown = parts(&pattern, "ID", "JOIN", "SHOW");
        let _ = write!(text, "{:<34}", format!("{method} {shown}"));
        let path = parts(&pattern, &id.0, &join, &show);
        for browser in &mut browsers {
            let (_, status) = browser.ask_for(&path, nothing(method)).await;
            let _ = write!(text, "{:>10}", status.replace("sign in", "sign-in"));
        }
        text.push('\n');
    }
}
