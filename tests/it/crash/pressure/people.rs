//! The people of the match: the acts that each may try, at random, and their results.

use perplex_games::rules::Side;
use perplex_matches::team::event::{Duty, MemberId};
use perplex_matches::team::lineup::Team;
use perplex_matches::team::side_name;
use rand::seq::IndexedRandom as _;

use super::*;

pub const CHANGES: &[&str] = &[
    "rule N NW \"Knights also step.\"",
    "rule N N \"Knights as ever.\"",
    "rule B BW \"Bishops step.\"",
    "rule R R3 \"Rooks tire.\"",
    "rule Q QN \"Amazons.\"",
    "rule P =NB \"Minor pieces only.\"",
];
/// A rule that needs the answer of the other boardman and perhaps of the host.
pub const WRITTEN: &str = "rule * written \"Anyone may pass.\"";
/// Boards are given up only while more than so many go on.
const OPEN: usize = 5;

/// The member whom a team wants for strategist: always the same until that is done.
pub fn challenger(team: &Team) -> Option<MemberId> {
    let incumbent = team.duties.strategist;
    // The strategist is followed by the next member in the row, and the last by the first.
    let next = team
        .members
        .iter()
        .find(|member| Some(**member) > incumbent);
    let first = || {
        team.members
            .iter()
            .find(|member| Some(**member) != incumbent)
    };
    next.or_else(first).copied()
}

/// An act that a person may try now: address, form, and the line of the record that should come of it.
pub struct Attempt {
    path: String,
    fields: Vec<(&'static str, String)>,
    line: Option<String>,
}

impl Attempt {
    /// An attempt that leaves no line.
    pub fn plain(view: &TeamView, path: &str, fields: Vec<(&'static str, String)>) -> Self {
        Self {
            path: format!("/team/{}/{path}", view.id),
            fields,
            line: None,
        }
    }

    pub fn vote(view: &TeamView, choice: MemberId) -> Self {
        Self::plain(view, "vote", vec![("vote", choice.to_string())])
    }

    pub fn leave(view: &TeamView, me: MemberId) -> Self {
        Self::plain(view, "leave", vec![("member", me.to_string())])
    }

    /// The strategist of a team gives a duty, if the change is still the one that the page shows.
    pub fn give(view: &TeamView, side: Side, duty: Duty, to: MemberId) -> Self {
        let after = view.state.team(side).given(duty, to);
        let fields = vec![
            ("side", side_name(side).to_owned()),
            ("duty", duty.to_string()),
            ("to", to.to_string()),
            ("after", after.to_string()),
        ];
        Self::plain(view, "give", fields)
    }

    /// Any transfer that a team may make.
    pub fn transfer(view: &TeamView, side: Side, rng: &mut StdRng) -> Option<Self> {
        let boards = &view.state.boards;
        let transfer = *boards.transfers(side).choose(rng)?;
        let kind = boards.piece(transfer.from, transfer.square)?.kind;
        let fields = vec![
            ("take", format!("{}-{}", transfer.from, transfer.square)),
            ("kind", kind.letter().to_string()),
            ("to", transfer.to.to_string()),
        ];
        Some(Self {
            line: Some(transfer.to_string()),
            ..Self::plain(view, "transfer", fields)
        })
    }

    pub fn turn(view: &TeamView, board: BoardNo, seen: u32, text: String) -> Self {
        Self {
            line: Some(format!("{board} {text}")),
            ..Self::plain(
                view,
                &format!("turn/{board}"),
                vec![("ply", seen.to_string()), ("turn", text)],
            )
        }
    }

    pub fn dispute(view: &TeamView, board: BoardNo) -> Self {
        let fields = vec![("turn", "dispute".to_owned())];
        Self::plain(view, &format!("turn/{board}"), fields)
    }

    pub fn resign(view: &TeamView, board: BoardNo) -> Self {
        Self {
            line: Some(format!("{board} resign")),
            ..Self::plain(view, &format!("resign/{board}"), Vec::new())
        }
    }
}

fn attempt(view: &TeamView, rng: &mut StdRng) -> Option<Attempt> {
    let state = &view.state;
    let me = view.viewer.member?;
    let Some(side) = view.rights.side else {
        return Some(Attempt::plain(view, "join", vec![("side", String::new())]));
    };
    let team = state.team(side);
    let strategist = team.duties.strategist == Some(me);
    let other = |rng: &mut StdRng| {
        let members: Vec<_> = team.members.iter().copied().collect();
        members.choose(rng).copied()
    };
    match rng.random_range(0..100) {
        0..5 if !strategist => {
            // Not all agree, and some change their minds.
            let choice = if rng.random_bool(0.8) {
                challenger(team)?
            } else {
                other(rng)?
            };
            Some(Attempt::vote(view, choice))
        }
        5 if rng.random_bool(0.4) => Some(Attempt::leave(view, me)),
        6..9 => {
            let text = vec![("text", "Hello to everybody.".to_owned())];
            Some(Attempt::plain(view, "talk/0", text))
        }
        9..12 => {
            let channel = side.index() + 1;
            let text = vec![("text", format!("Only for us at 3:e4, {me}."))];
            Some(Attempt::plain(view, &format!("talk/{channel}"), text))
        }
        12..24 if strategist => {
            let duty = if rng.random_bool(0.4) {
                Duty::Strategist
            } else {
                *team.duties.all().choose(rng)?
            };
            Some(Attempt::give(view, side, duty, other(rng)?))
        }
        24..75 if strategist => Attempt::transfer(view, side, rng),
        _ => {
            let number = *state.boards_of(me).choose(rng)?;
            let board = state.boards.board(number)?;
            if board.to_move() != Some(side) {
                return None;
            }
            if board.position().pending().is_some() {
                if rng.random_bool(0.7) {
                    return Some(Attempt::dispute(view, number));
                }
                let accept = "accept".to_owned();
                return Some(Attempt::turn(view, number, board.version(), accept));
            }
            if rng.random_bool(0.03) && state.boards.open().count() > OPEN {
                return Some(Attempt::resign(view, number));
            }
            let text = match rng.random_range(0..10) {
                0..2 => WRITTEN.to_owned(),
                2 => (*CHANGES.choose(rng)?).to_owned(),
                _ => board.legal().choose(rng)?.to_string(),
            };
            Some(Attempt::turn(view, number, board.version(), text))
        }
    }
}

/// Acts at random until the end, with a connection of its own; does some missing deeds on purpose.
pub async fn act(
    scene: Arc<Scene>,
    number: usize,
    visit: TeamAccess,
    mut client: Client,
    seed: u64,
) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut requests = number;
    while !scene.stopped() {
        let view = scene.view(&visit).await;
        if view.state.phase == Phase::Over {
            return;
        }
        let pause = rng.random_range(5..40);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        requests += 1;
        client = client.another_at(scene.server(requests));
        if rng.random_bool(0.1) {
            let page = client.get(&format!("/team/{}", scene.id)).await;
            if let Ok(status) = page {
                *scene.asked().answers.entry(status).or_default() += 1;
            }
            continue;
        }
        let missing = scene.missing();
        let deed = if scene.is_ending() || rng.random_bool(0.2) {
            purpose::deed(&view, &missing, &mut rng)
        } else {
            None
        };
        let attempt = match deed {
            None if !scene.is_ending() => attempt(&view, &mut rng),
            deed => deed,
        };
        let Some(attempt) = attempt else {
            // A member without a task watches for a while.
            let pause = rng.random_range(100..400);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            continue;
        };
        let fields: Vec<(&str, &str)> = attempt
            .fields
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let answer = client.post(&attempt.path, &fields).await;
        let member = view.viewer.member.map_or(0, |member| member.0);
        let mut asked = scene.asked();
        match (answer, attempt.line) {
            (Ok(303), Some(line)) => *asked.acknowledged.entry((member, line)).or_default() += 1,
            (Err(_), Some(line)) => *asked.unknown.entry((member, line)).or_default() += 1,
            (Ok(status), _) => *asked.answers.entry(status).or_default() += 1,
            (Err(_), None) => {}
        }
    }
}

/// Decides disputes as the host, and now and then does another of the host's acts.
pub async fn lead(scene: Arc<Scene>, visit: TeamAccess, mut client: Client, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let path = format!("/team/{}/lead", scene.id);
    let mut requests = 0;
    while !scene.stopped() {
        requests += 1;
        client = client.another_at(scene.server(requests));
        let view = scene.view(&visit).await;
        let disputed = (1_u8..)
            .zip(&view.state.statuses)
            .find(|(_, status)| status.disputed);
        let missing = scene.missing();
        // Even if disputes come faster than decisions, other acts get their turn.
        let deed = match disputed {
            Some((number, _)) if rng.random_bool(0.4) => format!("holds:{number}"),
            Some((number, _)) if rng.random_bool(0.7) => format!("falls:{number}"),
            _ if view.state.phase == Phase::Paused => "resume".to_owned(),
            _ => {
                let deed = purpose::host_deed(&view, &missing);
                let deed = deed.filter(|_| scene.is_ending() || rng.random_bool(0.2));
                match deed {
                    None if !scene.is_ending() => host_deed(&view, &mut rng).unwrap_or_default(),
                    deed => deed.unwrap_or_default(),
                }
            }
        };
        if let Some(member) = deed.strip_prefix("move:") {
            let side = *["white", "black"].choose(&mut rng).expect("two");
            let path = format!("/team/{}/control/team", scene.id);
            let fields = [("member", member), ("side", side)];
            let _ = client.post(&path, &fields).await;
        } else if !deed.is_empty() {
            let _ = client.post(&path, &[("do", &deed)]).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A host's act when nothing waits: take back, move and replace people, change the time and the talk.
fn host_deed(view: &TeamView, rng: &mut StdRng) -> Option<String> {
    let state = &view.state;
    let members: Vec<_> = state.members.keys().copied().collect();
    let one = members.choose(rng)?;
    Some(match rng.random_range(0..200) {
        0 => "pause".to_owned(),
        1..50 => {
            let number = BoardNo(rng.random_range(1..=7));
            let board = state.boards.board(number)?;
            format!("back:{number}:{}", board.version())
        }
        50..54 => "more:300".to_owned(),
        54..58 => "more:-240".to_owned(),
        58..60 => "talk:frozen".to_owned(),
        60..62 => "talk:phrases".to_owned(),
        62..70 => "talk:free".to_owned(),
        70..74 => format!("replace:{one}:{}", members.choose(rng)?),
        74..78 => format!("move:{one}"),
        78..140 => {
            let mut gone = state
                .members
                .iter()
                .filter(|(_, member)| member.left.is_some());
            format!("let-back:{}", gone.next()?.0)
        }
        _ => String::new(),
    })
}
