//! What happened in a team match, in sentences for its readers.

use std::time::Duration;

use super::{ended, leader, side_word, team_name};
use crate::app::team::TeamReader;
use crate::texts::{away, capital, full_stop, in_words, list};
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::event::{Actor, Duties, Duty, EventKind, TalkMode, Terms};
use perplex_matches::team::highlights::highlights;
use perplex_matches::team::{Happened, Logged};

/// The sentence for an event and the boards that ended with it, without a full stop.
pub fn sentence(view: &TeamReader, logged: &Logged) -> String {
    let mut text = deed(view, logged);
    if logged.declined.is_some() {
        text.push_str(", which declines the draw");
    }
    // The end of the match ends all boards that were open: the result says how.
    let all_at_once = logged.happened == Happened::TimeUp;
    for (number, outcome) in logged.ended.iter().filter(|_| !all_at_once) {
        text = format!("{} Board {number}: {}", full_stop(&text), ended(*outcome));
    }
    text
}

/// The sentence for an event alone, without a full stop.
pub fn deed(view: &TeamReader, logged: &Logged) -> String {
    let by = logged.event.by;
    let (who, host) = (view.actor(by), leader(view.leader()));
    let text = match &logged.happened {
        Happened::Made => "The match was made".to_owned(),
        Happened::TermsSettled(terms) => format!("{who} settled this: {}", briefly(view, terms)),
        Happened::Joined {
            member, side: None, ..
        } => format!("{} joined", view.name(*member)),
        Happened::Joined {
            member,
            side: Some(side),
            again,
        } => {
            let how = if *again { "came back to" } else { "joined" };
            format!("{} {how} {}", view.name(*member), side_word(*side))
        }
        Happened::TeamChanged { member, side, .. } => {
            let name = view.name(*member);
            match (side, by) {
                (Some(side), Actor::Host) => {
                    format!("The {host} sent {name} to {}’s team", side_word(*side))
                }
                (None, Actor::Host) => format!("The {host} took {name} out of the teams"),
                (Some(side), _) => format!("{name} is in {}’s team", side_word(*side)),
                (None, _) => format!("{name} is in no team"),
            }
        }
        Happened::Left(member) if by == Actor::Member(*member) => format!("{who} left"),
        Happened::Left(member) => format!("{} was removed by {who}", view.name(*member)),
        Happened::DutiesChanged {
            side,
            before,
            after,
            begun,
        } => {
            let changed = duties(view, *side, before, after);
            if *begun && by == Actor::Host {
                format!("The {host} changed duties. {changed}")
            } else {
                changed
            }
        }
        Happened::Voted(Some(member)) => format!("You voted for {}", view.name(*member)),
        Happened::Voted(None) => "You took your vote back".to_owned(),
        Happened::Elected(side, member) => format!(
            "{} elected {} grand strategist",
            side_word(*side),
            view.name(*member)
        ),
        // Who chose it leads the team, and that is for the team to know.
        Happened::EmblemSet(side, Some(emblem)) => {
            format!(
                "{}’s team is the {} now",
                side_word(*side),
                team_name(*emblem)
            )
        }
        Happened::EmblemSet(side, None) => {
            format!("{}’s team has no emblem now", side_word(*side))
        }
        Happened::Started => "The match began".to_owned(),
        Happened::CalledOff => format!("The {host} called the match off"),
        Happened::Paused => format!("The {host} paused the match"),
        Happened::Resumed => "The match goes on".to_owned(),
        Happened::JoinableSet(true) => format!("The {host} lets everybody in again"),
        Happened::JoinableSet(false) => format!("The {host} said: enough for today"),
        Happened::Moved { board, san, .. } => format!("{who} played {san} on board {board}"),
        Happened::RuleChanged(board, change) => {
            format!("{who} changed a rule on board {board}: “{}”", change.text)
        }
        Happened::RuleProposed(board, change) => {
            format!("{who} proposed a rule for board {board}: “{}”", change.text)
        }
        Happened::PlayedUnder(board, under) => {
            let deeds = match under.deeds[..] {
                [] => "a pass".to_owned(),
                _ => under.done(),
            };
            let number = under.number;
            format!("{who} played under rule {number} on board {board}: {deeds}")
        }
        Happened::Answered { board, accepted } => {
            let (author, proposed) = proposed(view, *board, logged);
            match (accepted, by) {
                (true, Actor::Host) => {
                    format!("The {host} said yes to {proposed} on board {board}")
                }
                (false, Actor::Host) => format!(
                    "The {host} said no to {proposed} on board {board}. {author} plays again"
                ),
                (true, _) => format!("{who} accepted {proposed} on board {board}"),
                (false, _) => format!("{who} said no to {proposed} on board {board}"),
            }
        }
        Happened::Drawn { board, accepted } => {
            let how = if *accepted { "accepted" } else { "claimed" };
            format!("{who} {how} the draw on board {board}")
        }
        Happened::Resigned(board, _) => format!("{who} resigned board {board}"),
        Happened::Transferred {
            transfer,
            kind,
            undoes: true,
        } => format!(
            "{who} undid the transfer: the {} on {} is back on board {}",
            kind.name(),
            transfer.square,
            transfer.to
        ),
        Happened::Transferred { transfer, kind, .. } => format!(
            "{who} moved the {} on {} from board {} to board {}",
            kind.name(),
            transfer.square,
            transfer.from,
            transfer.to
        ),
        Happened::TimeUp if by == Actor::Server => {
            "The time was up: where a board was still open, the pieces were counted".to_owned()
        }
        Happened::TimeUp => format!(
            "The {host} ended the match: where a board was still open, the pieces were counted"
        ),
        Happened::DrawOffered(board, _) => format!("{who} offered a draw on board {board}"),
        Happened::DrawDeclined(board) => format!("{who} declined the draw on board {board}"),
        Happened::Disputed(board) => {
            let (_, proposed) = proposed(view, *board, logged);
            if view.viewer.host {
                format!("{who} disputes {proposed} on board {board}. You decide")
            } else {
                format!("{who} disputes {proposed} on board {board}: the {host} decides")
            }
        }
        Happened::TakenBack(_, line) => format!("The {host} took back: {}", sentence(view, line)),
        Happened::TimeSet(seconds) => {
            let left = in_words(Duration::from_secs(u64::from(*seconds)));
            format!("The {host} changed the time: {left} left")
        }
        Happened::Away(seconds) => away(Duration::from_secs(u64::from(*seconds))),
        Happened::Renamed(member) => format!("The {host} gave {} this name", view.name(*member)),
        Happened::TalkSet(TalkMode::Free) => format!("The {host} lets everybody talk freely"),
        Happened::TalkSet(TalkMode::Phrases) => {
            format!("The {host} lets people talk in ready-made phrases only")
        }
        Happened::TalkSet(TalkMode::Frozen) => format!("The {host} stopped the talk"),
        Happened::MessageRemoved(Actor::Member(member)) => format!(
            "The {host} removed a message of {} from the public talk",
            view.name(*member)
        ),
        Happened::MessageRemoved(_) => {
            format!("The {host} removed one of their own messages from the public talk")
        }
    };
    capital(&text)
}

/// The event that proposed what an event answers or disputes.
pub fn proposal_before<'a>(
    view: &'a TeamReader,
    board: BoardNo,
    after: &Logged,
) -> Option<&'a Logged> {
    let log = &view.state.log;
    let before = log.partition_point(|logged| logged.event.number < after.event.number);
    let mut earlier = log[..before].iter().rev();
    let proposal = earlier.find(|logged| {
        matches!(&logged.happened, Happened::RuleProposed(on, _) | Happened::PlayedUnder(on, _) if *on == board)
    });
    proposal.map(AsRef::as_ref)
}

/// True if a rule was proposed, and not a turn under one.
pub fn proposes_rule(proposal: &Logged) -> bool {
    matches!(proposal.happened, Happened::RuleProposed(..))
}

/// The author of what an event answers or disputes, and what it was: “Lea’s rule”.
fn proposed(view: &TeamReader, board: BoardNo, after: &Logged) -> (String, String) {
    let proposal = proposal_before(view, board, after);
    let Some(proposal) = proposal else {
        return ("The player".to_owned(), "what was proposed".to_owned());
    };
    let author = view.actor(proposal.event.by);
    let what = if proposes_rule(proposal) {
        "rule"
    } else {
        "turn"
    };
    (capital(author), format!("{author}’s {what}"))
}

/// The sentence for the projector: only events of the play, none about a single member.
pub fn for_projector(view: &TeamReader, logged: &Logged) -> Option<String> {
    let is_play = |happened: &Happened| {
        !happened.boards().is_empty()
            || matches!(
                happened,
                Happened::Started
                    | Happened::Paused
                    | Happened::Resumed
                    | Happened::TimeSet(_)
                    | Happened::TimeUp
                    | Happened::Away(_)
                    | Happened::Elected(..)
            )
    };
    match &logged.happened {
        Happened::TakenBack(board, _) => Some(format!(
            "The {} took back what was last on board {board}",
            leader(view.leader())
        )),
        happened => {
            let shown = is_play(happened) && view.state.is_in_force(logged);
            shown.then(|| sentence(view, logged))
        }
    }
}

/// The sentences for lines and take-backs on one of `boards` after event `event`.
pub fn since(view: &TeamReader, boards: &[BoardNo], event: i32) -> Vec<String> {
    view.log()
        .filter(|logged| view.head(logged.event.number) > event)
        .filter(|logged| is_on_boards(logged))
        .filter(|logged| {
            logged.boards.is_empty() || logged.boards.iter().any(|board| boards.contains(board))
        })
        .map(|logged| full_stop(&sentence(view, logged)))
        .collect()
}

/// True for events that changed positions: a line of the record, or taking one back.
fn is_on_boards(logged: &Logged) -> bool {
    matches!(
        logged.event.kind,
        EventKind::Line(_) | EventKind::TakeBack(_)
    )
}

/// The highlights of a match that is over: a title, a sentence, and the event.
pub fn best(view: &TeamReader) -> Vec<(&'static str, String, &Logged)> {
    let in_force: Vec<&Logged> = view
        .log()
        .filter(|logged| view.state.is_in_force(logged))
        .collect();
    let found = highlights(&in_force);
    let mut told = Vec::new();
    if let Some((logged, kind, count)) = found.rule
        && let Happened::RuleChanged(board, change) = &logged.happened
    {
        let times = match count {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            count => format!("{count} times"),
        };
        let who = view.actor(logged.event.by);
        let text = format!(
            "{who} on board {board}: “{}” The {} moved {times} under it.",
            full_stop(&change.text),
            kind.name()
        );
        told.push(("Rule of the day", text, logged));
    }
    if let Some((logged, count)) = found.transfer
        && let Happened::Transferred { transfer, .. } = &logged.happened
    {
        let side = side_word(transfer.side);
        let when = match count {
            0 => "at once".to_owned(),
            1 => "with the next turn".to_owned(),
            count => format!("{count} turns later"),
        };
        let text = format!("{}, and {side} won there {when}.", sentence(view, logged));
        told.push(("Transfer of the day", text, logged));
    }
    told
}

pub fn last_on(view: &TeamReader, number: BoardNo) -> Option<&Logged> {
    view.log()
        .rev()
        .find(|logged| logged.boards.contains(&number) && is_on_boards(logged))
}

/// The changes of a team's duties: "Eve now plays board 1 for White and Bo is now White's grand strategist".
fn duties(view: &TeamReader, side: Side, before: &Duties, after: &Duties) -> String {
    let all = view.rights.teams[side.index()];
    let team = side_word(side);
    let changed: Vec<String> = after
        .all()
        .into_iter()
        .filter(|duty| all || *duty != Duty::Strategist)
        .filter(|duty| before.holder(*duty) != after.holder(*duty))
        .map(
            |duty| match (duty, after.holder(duty).map(|member| view.name(member))) {
                (Duty::Board(board), Some(name)) => {
                    format!("{name} now plays board {board} for {team}")
                }
                (Duty::Board(board), None) => format!("{team}’s board {board} is vacant now"),
                (Duty::Strategist, Some(name)) => {
                    format!("{name} is now {team}’s grand strategist")
                }
                (Duty::Strategist, None) => format!("{team} has no grand strategist now"),
            },
        )
        .collect();
    list(&changed)
}

fn briefly(view: &TeamReader, terms: &Terms) -> String {
    let text = super::terms(terms, leader(view.leader())).join(" ");
    text.trim_end_matches('.').to_owned()
}
