use std::fmt::Write as _;
use std::time::Duration;

use crate::app::team::TeamView;
use crate::web::team::labels::{ended, side_word};
use crate::web::words;
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::Side;
use perplex_matches::team::Logged;
use perplex_matches::team::event::{Actor, Duties, Duty, EventKind, TalkMode, Terms};

pub fn line_parts(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

fn article(noun: &str) -> String {
    format!("a {noun}")
}

fn duty(duty: Duty) -> String {
    match duty {
        Duty::Strategist => "grand strategist".to_owned(),
        Duty::Board(board) => format!("on board {board}"),
    }
}

fn duties(view: &TeamView, side: Side, before: &Duties, after: &Duties) -> String {
    let all = view.rights.teams[side.index()];
    let changed: Vec<String> = after
        .all()
        .into_iter()
        .filter(|duty| all || *duty != Duty::Strategist)
        .filter(|duty| before.holder(*duty) != after.holder(*duty))
        .map(|held| match after.holder(held) {
            Some(member) => format!("{} {}", view.name(member), duty(held)),
            None => format!("{} vacant", duty(held).trim_start_matches("on ")),
        })
        .collect();
    format!("{}: now {}", side_word(side), changed.join(", "))
}

fn quoted(line: &str) -> &str {
    match (line.find('"'), line.rfind('"')) {
        (Some(start), Some(end)) if end > start => &line[start + 1..end],
        _ => "",
    }
}

fn line(view: &TeamView, logged: &Logged, line: &str) -> String {
    let by = logged.event.by;
    let (who, host) = (view.actor(by), view.host_word());
    let (first, rest) = line_parts(line);
    match (first, by) {
        ("time", Actor::Server) => {
            return "The time was up: where a board was still open, the pieces were counted"
                .to_owned();
        }
        ("time", _) => {
            return format!(
                "The {host} ended the match: where a board was still open, the pieces were counted"
            );
        }
        ("w" | "b", _) => {
            let (square, way) = line_parts(rest);
            let (from, to) = way.split_once('>').unwrap_or_default();
            let piece = article(&logged.also);
            return format!("{who} took {piece} on {square} from board {from} to board {to}");
        }
        _ => {}
    }
    let board = first;
    let (word, more) = line_parts(rest);
    match (word, by) {
        ("rule", _)
            if rest
                .split('"')
                .next()
                .is_some_and(|p| p.contains("written")) =>
        {
            format!(
                "{who} proposed a rule for board {board}: “{}”",
                quoted(rest)
            )
        }
        ("rule", _) => {
            let what = more.split('"').next().unwrap_or_default().trim();
            format!(
                "{who} changed a rule of board {board}: “{}” ({what})",
                quoted(rest)
            )
        }
        ("under", _) => {
            let (number, deeds) = line_parts(more);
            let deeds = if deeds.is_empty() { "a pass" } else { deeds };
            format!("{who} played under rule {number} on board {board}: {deeds}")
        }
        ("accept", Actor::Host) => {
            format!("The {host} decided on board {board}: what was disputed holds")
        }
        ("reject", Actor::Host) => format!(
            "The {host} decided on board {board}: what was disputed does not hold, and the turn is taken back"
        ),
        ("accept", _) => format!("{who} accepted what was proposed on board {board}"),
        ("reject", _) => format!("{who} rejected what was proposed on board {board}"),
        ("draw", _) => format!("{who} brought about the draw on board {board}"),
        ("resign", _) => format!("{who} resigned board {board}"),
        _ if logged.also.is_empty() => format!("{who} played {rest} on board {board}"),
        _ => format!("{who} played {} on board {board}", logged.also),
    }
}

fn briefly(view: &TeamView, terms: &Terms) -> String {
    let text = terms.in_words(view.host_word()).join(" ");
    text.trim_end_matches('.').to_owned()
}

/// What happened, as a sentence without a full stop; `None` for what there is nothing to say of.
pub fn sentence(view: &TeamView, logged: &Logged) -> String {
    let (who, host) = (view.actor(logged.event.by), view.host_word());
    let mut text = match &logged.event.kind {
        EventKind::Create(..) => "The match was made".to_owned(),
        EventKind::Terms(terms) => format!("{who} settled this: {}", briefly(view, terms)),
        EventKind::Join(member, None) => format!("{} joined", view.name(*member)),
        EventKind::Join(member, Some(side)) => {
            let known = view.state.members.get(member);
            let before = known.is_some_and(|member| member.joined < logged.event.at);
            let how = if before { "came back to" } else { "joined" };
            format!("{} {how} {}", view.name(*member), side_word(*side))
        }
        EventKind::Team(member, team) => {
            let name = view.name(*member);
            match (team, logged.event.by) {
                (Some(side), Actor::Host) => {
                    format!("The {host} sent {name} to {}’s team", side_word(*side))
                }
                (None, Actor::Host) => format!("The {host} took {name} out of the teams"),
                (Some(side), _) => format!("{name} is in {}’s team", side_word(*side)),
                (None, _) => format!("{name} is in no team"),
            }
        }
        EventKind::Leave(member) if logged.event.by == Actor::Member(*member) => {
            format!("{who} left")
        }
        EventKind::Leave(member) => format!("{} was removed by {who}", view.name(*member)),
        EventKind::Duties(side, after) => match &logged.before {
            Some(before) => {
                let start = view
                    .state
                    .log
                    .iter()
                    .find(|one| one.event.kind == EventKind::Start);
                let begun = start.is_some_and(|one| one.event.number < logged.event.number);
                let by = if begun && logged.event.by == Actor::Host {
                    format!("The {host} changed duties. ")
                } else {
                    String::new()
                };
                format!("{by}{}", duties(view, *side, before, after))
            }
            None => String::new(),
        },
        EventKind::Vote(Some(member)) => format!("You voted for {}", view.name(*member)),
        EventKind::Vote(None) => "You took your vote back".to_owned(),
        EventKind::Elected(side, member) => format!(
            "{} elected {} grand strategist",
            side_word(*side),
            view.name(*member)
        ),
        EventKind::Start => "The match began".to_owned(),
        EventKind::CallOff => format!("The {host} called the match off"),
        EventKind::Pause => format!("The {host} paused the match"),
        EventKind::Resume => "The match goes on".to_owned(),
        EventKind::SetJoinable(true) => format!("The {host} lets everybody in again"),
        EventKind::SetJoinable(false) => format!("The {host} said: enough for today"),
        EventKind::Line(text) => line(view, logged, text),
        EventKind::Offer(board, _) => format!("{who} offered a draw on board {board}"),
        EventKind::Decline(board) => format!("{who} declined the draw on board {board}"),
        EventKind::Dispute(board) => {
            format!("{who} disputed what was proposed on board {board}: the {host} decides")
        }
        EventKind::TakeBack(_) => {
            let is_it = |one: &&std::sync::Arc<Logged>| Some(one.event.number) == logged.takes_back;
            let line = view.state.log.iter().find(is_it);
            let line = line.map_or(String::new(), |line| sentence(view, line));
            format!("The {host} took back: {line}")
        }
        EventKind::Time(seconds) => {
            let left = Duration::from_secs(u64::from(*seconds));
            format!(
                "The {host} changed the time: {} left",
                perplex_matches::time::in_words(left)
            )
        }
        EventKind::Away(seconds) => words::away(Duration::from_secs(u64::from(*seconds))),
        EventKind::Rename(member) => format!("The {host} gave {} this name", view.name(*member)),
        EventKind::Talk(TalkMode::Free) => format!("The {host} lets everybody talk freely"),
        EventKind::Talk(TalkMode::Phrases) => {
            format!("The {host} lets people talk in ready-made phrases only")
        }
        EventKind::Talk(TalkMode::Frozen) => format!("The {host} stopped the talk"),
        EventKind::RemoveMessage(_, Actor::Member(member)) => format!(
            "The {host} removed a message of {} from the public talk",
            view.name(*member)
        ),
        EventKind::RemoveMessage(..) => {
            format!("The {host} removed an own message from the public talk")
        }
    };
    let counts =
        view.state.is_in_force(logged) && logged.event.kind != EventKind::Line("time".to_owned());
    for number in logged.ended.iter().filter(|_| counts) {
        if let Some(outcome) = view.state.boards.board(*number).and_then(Board::outcome) {
            let _ = write!(text, ". Board {number}: {}", ended(outcome));
        }
    }
    text
}

/// The same for the projector: only what happens in the play, nothing about what a member was told or lost.
pub fn for_projector(view: &TeamView, logged: &Logged) -> Option<String> {
    match &logged.event.kind {
        EventKind::TakeBack(board) => {
            let host = view.host_word();
            Some(format!(
                "The {host} took back what was last on board {board}"
            ))
        }
        EventKind::Start
        | EventKind::Pause
        | EventKind::Resume
        | EventKind::Time(_)
        | EventKind::Away(_)
        | EventKind::Line(_)
        | EventKind::Offer(..)
        | EventKind::Decline(_)
        | EventKind::Dispute(_)
        | EventKind::Elected(..) => {
            let taken_back = !view.state.is_in_force(logged);
            (!taken_back).then(|| sentence(view, logged))
        }
        _ => None,
    }
}

/// What was done on one of `boards` after event `event`, or taken back there, in words.
pub fn since(view: &TeamView, boards: &[BoardNo], event: i32) -> Vec<String> {
    view.log()
        .filter(|logged| view.head(logged.event.number) > event)
        .filter(|logged| {
            matches!(
                logged.event.kind,
                EventKind::Line(_) | EventKind::TakeBack(_)
            )
        })
        .filter(|logged| {
            logged.boards.is_empty() || logged.boards.iter().any(|board| boards.contains(board))
        })
        .map(|logged| format!("{}.", sentence(view, logged)))
        .collect()
}

pub fn last_on(view: &TeamView, number: BoardNo) -> Option<&Logged> {
    view.log().rev().find(|logged| {
        logged.boards.contains(&number)
            && matches!(
                logged.event.kind,
                EventKind::Line(_) | EventKind::TakeBack(_)
            )
    })
}
