//! Deeds that every run needs and has not seen yet, done on purpose by those who can.

use perplex_games::rules::Side;
use perplex_matches::team::event::Duty;
use rand::seq::IndexedRandom as _;

use super::people::{Attempt, CHANGES, WRITTEN, challenger};
use super::*;

/// A member's act that makes a missing deed happen; `None` if that is up to others.
pub fn deed(view: &TeamView, missing: &BTreeSet<&str>, rng: &mut StdRng) -> Option<Attempt> {
    let ways: Vec<Attempt> = missing
        .iter()
        .filter_map(|deed| towards(view, deed, rng))
        .collect();
    let number = rng.random_range(0..ways.len().max(1));
    ways.into_iter().nth(number)
}

fn towards(view: &TeamView, deed: &str, rng: &mut StdRng) -> Option<Attempt> {
    let state = &view.state;
    let me = view.viewer.member?;
    let side = view.rights.side?;
    let team = state.team(side);
    let is_strategist = team.duties.strategist == Some(me);
    let is_leaver = |duty| team.duties.holder(duty) == Some(me) && !is_strategist;
    // The boards on which it is this member's turn.
    let boards = state.boards_of(me);
    let mut waiting = boards.iter().filter_map(|number| {
        let board = state.boards.board(*number)?;
        (board.to_move() == Some(side)).then_some((*number, board))
    });
    match deed {
        // In the initial position no piece has an empty square elsewhere: then a player moves first.
        "transfers" if state.boards.transfers(side).is_empty() => {
            waiting.find_map(|(number, board)| {
                let turn = board.legal().choose(rng)?.to_string();
                Some(Attempt::turn(view, number, board.version(), turn))
            })
        }
        "transfers" if is_strategist => Attempt::transfer(view, side, rng),
        "duties given" | "hand-overs" if is_strategist => {
            let agents: Vec<_> = team.members.iter().filter(|id| **id != me).collect();
            let to = **agents.choose(rng)?;
            let duty = if deed == "hand-overs" {
                Duty::Strategist
            } else {
                let mut others = team.duties.all().into_iter();
                others.find(|duty| !team.duties.of(me).contains(duty))?
            };
            Some(Attempt::give(view, side, duty, to))
        }
        // All members of one team agree.
        "votes" | "elections" if !is_strategist && side == Side::First => {
            Some(Attempt::vote(view, challenger(team)?))
        }
        "changes" => waiting.find_map(|(number, board)| {
            let text = CHANGES.iter().find(|text| board.read(text).is_ok())?;
            Some(Attempt::turn(
                view,
                number,
                board.version(),
                (*text).to_owned(),
            ))
        }),
        // A rule in words may be disputed, and the host decides the dispute.
        "disputes" | "decisions" => waiting.find_map(|(number, board)| {
            if board.position().pending().is_some() {
                return Some(Attempt::dispute(view, number));
            }
            board.read(WRITTEN).ok()?;
            Some(Attempt::turn(
                view,
                number,
                board.version(),
                WRITTEN.to_owned(),
            ))
        }),
        // A member leaves, whose duty falls to another member, and whom the host lets back.
        "leavers" | "leavers replaced" if is_leaver(Duty::Board(BoardNo(1))) => {
            Some(Attempt::leave(view, me))
        }
        "latecomers" if is_leaver(Duty::Board(BoardNo(2))) => {
            let is_gone = state.members.values().any(|member| member.left.is_some());
            (!is_gone).then(|| Attempt::leave(view, me))
        }
        "boards won" => waiting
            .next()
            .filter(|_| side == Side::First)
            .map(|(number, _)| Attempt::resign(view, number)),
        _ => None,
    }
}

/// An act of the host that makes a missing deed happen.
pub fn host_deed(view: &TeamView, missing: &BTreeSet<&str>) -> Option<String> {
    let state = &view.state;
    if missing.contains("latecomers") {
        let mut members = state.members.iter();
        if let Some((gone, _)) = members.find(|(_, member)| member.left.is_some()) {
            return Some(format!("let-back:{gone}"));
        }
    }
    if !missing.contains("taken back") {
        return None;
    }
    // The last line of the match is the last on every board that it is about.
    let last = state.log.iter().rev().find(|logged| {
        matches!(logged.event.kind, EventKind::Line(_)) && state.is_in_force(logged)
    })?;
    let number = *last.boards.first()?;
    let board = state.boards.board(number)?;
    Some(format!("back:{number}:{}", board.version()))
}
