//! News of a team match: what a card says to its reader, in a headline and a sentence.

use super::team::{
    deed, ended, headline, proposal_before, proposes_rule, sent, sentence, side_word,
};
use super::{capital, full_stop};
use crate::app::team::{Call, TeamReader, To};
use crate::texts::team::boards as boards_in_words;
use crate::texts::team::leader;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::announce::{is_sent, is_welcome};
use perplex_matches::team::event::{Actor, Duty};
use perplex_matches::team::{Change, Happened, Logged, RuleCard};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    pub headline: String,
    /// Empty if the headline says it all.
    pub detail: String,
}

/// The duties of a member of a team, said to them: `You play board 2 for White`.
pub fn your_duties(duties: &[Duty], side: Side) -> String {
    let team = side_word(side);
    let boards = duties.iter().filter(|duty| **duty != Duty::Strategist);
    let boards: Vec<String> = boards.map(Duty::to_string).collect();
    let played = boards_in_words(&boards);
    match (duties.contains(&Duty::Strategist), boards.is_empty()) {
        (false, true) => format!("You are an agent for {team}"),
        (true, true) => format!("You are {team}’s grand strategist"),
        (false, false) => format!("You play {played} for {team}"),
        (true, false) => format!("You are {team}’s grand strategist, and play {played}"),
    }
}

/// The duties of a member while the match is played, said to them: of their boards those that have not ended, or else
/// what they can do now.
pub fn your_duties_now(duties: &[Duty], side: Side, has_ended: impl Fn(BoardNo) -> bool) -> String {
    let ends = |duty: &Duty| matches!(duty, Duty::Board(board) if has_ended(*board));
    let (ended, left): (Vec<Duty>, Vec<Duty>) = duties.iter().partition(|duty| ends(duty));
    if ended.is_empty() || !left.is_empty() {
        return your_duties(&left, side);
    }
    let boards: Vec<String> = ended.iter().map(Duty::to_string).collect();
    let are = if boards.len() == 1 { "is" } else { "are" };
    capital(&format!(
        "{} {are} over: talk with your team, or ask for another board",
        boards_in_words(&boards)
    ))
}

/// The name of the card whose change this is, in the card's words: of the ordinary deck, of the class or of the host.
fn name_of_card<'a>(view: &'a TeamReader, change: &Change) -> Option<&'a str> {
    let mut own = view.own_cards.iter();
    let own = own.find(|card| card.change == *change);
    let printed = RuleCard::of(change).map(|card| card.name);
    printed.or(own.map(|card| &*card.name))
}

/// An event as it is told to a reader: a headline of a few words, and details.
pub fn announcement(view: &TeamReader, logged: &Logged) -> Announcement {
    let me = view.viewer.member;
    let mine = me.map_or_else(Vec::new, |me| view.state.boards_of(me));
    let plays = |board: BoardNo| mine.contains(&board);
    let told = full_stop(&sentence(view, logged));
    if view.state.is_decided_with(logged) && !logged.ended.is_empty() {
        return Announcement {
            headline: headline(view),
            detail: told,
        };
    }
    if let [(board, outcome), ..] = logged.ended[..] {
        let over = logged.ended.iter().any(|(board, _)| plays(*board));
        let goes_on = mine
            .iter()
            .any(|board| view.state.awaited(*board).is_some());
        return Announcement {
            headline: format!("Board {board}: {}", ended(outcome)),
            detail: if over && !goes_on {
                let done = "Your board is done: help your team. Talk with them, or ask your grand strategist for another \
                            board.";
                match logged.happened {
                    // What does not show on the board.
                    Happened::Drawn { .. } | Happened::Resigned(..) => {
                        format!("{} {done}", full_stop(&deed(view, logged)))
                    }
                    _ => done.to_owned(),
                }
            } else if logged.ended.len() == 1 {
                full_stop(&deed(view, logged))
            } else {
                told
            },
        };
    }
    let headline = match &logged.happened {
        _ if logged.declined.is_some() && logged.declined == view.rights.side => {
            match logged.boards.iter().find(|board| plays(**board)) {
                Some(board) => format!("Your draw offer on board {board} was declined"),
                None => capital(told.trim_end_matches('.')),
            }
        }
        Happened::RuleChanged(board, change) => match name_of_card(view, change) {
            Some(name) => format!("Rule card on board {board}: {name}"),
            None => format!("A rule changed on board {board}"),
        },
        Happened::RuleProposed(board, _) => format!("A rule is proposed on board {board}"),
        Happened::PlayedUnder(board, _) => {
            format!("A turn under a written rule on board {board}")
        }
        Happened::Answered { board, accepted } => {
            let proposal = proposal_before(view, *board, logged);
            let yours = plays(*board) && proposal.is_some_and(|it| it.side == view.rights.side);
            let is_rule = proposal.is_none_or(proposes_rule);
            match (yours, accepted, is_rule) {
                (true, true, true) => format!("Your rule is in force on board {board}"),
                (true, true, false) => format!("Your turn on board {board} counts"),
                (true, false, true) => format!("Your rule was turned down on board {board}"),
                (true, false, false) => format!("Your turn on board {board} is taken back"),
                (false, true, true) => format!("Board {board}: a new rule is in force"),
                (false, true, false) => format!("Board {board}: the turn counts"),
                (false, false, true) => format!("Board {board}: no new rule"),
                (false, false, false) => format!("Board {board}: the turn is taken back"),
            }
        }
        Happened::Disputed(board) if view.viewer.host => format!("Please decide on board {board}"),
        Happened::Disputed(board) => {
            format!("Board {board}: the {} decides", leader(view.leader()))
        }
        Happened::Transferred { transfer, kind, .. } if is_sent(&view.viewer, logged) => {
            return Announcement {
                headline: sent(transfer, kind.name()),
                detail: String::new(),
            };
        }
        Happened::Transferred {
            transfer,
            kind,
            undoes,
        } => {
            let (side, kind) = (side_word(transfer.side).to_lowercase(), kind.name());
            match (undoes, plays(transfer.to), plays(transfer.from)) {
                (true, true, _) => {
                    format!(
                        "Undone: the {side} {kind} is back on your board {}",
                        transfer.to
                    )
                }
                (true, false, true) => format!(
                    "Undone: the {side} {kind} has left your board {} again",
                    transfer.from
                ),
                (true, false, false) => {
                    format!("Undone: the {side} {kind} is back on board {}", transfer.to)
                }
                (false, true, _) => {
                    format!("A {side} {kind} arrived on your board {}", transfer.to)
                }
                (false, false, true) => {
                    format!("A {side} {kind} left your board {}", transfer.from)
                }
                (false, false, false) => format!(
                    "A {side} {kind} moved from board {} to board {}",
                    transfer.from, transfer.to
                ),
            }
        }
        Happened::DutiesChanged {
            side,
            before,
            after,
            ..
        } => match me.filter(|me| before.of(*me) != after.of(*me)) {
            Some(me) => format!("{} now", your_duties(&after.of(me), *side)),
            None => format!("{}: duties changed", side_word(*side)),
        },
        Happened::Elected(side, member) if me == Some(*member) => {
            format!("{} now", your_duties(&[Duty::Strategist], *side))
        }
        Happened::Elected(side, member) => {
            format!(
                "{} is {}’s grand strategist now",
                view.name(*member),
                side_word(*side)
            )
        }
        Happened::TeamChanged { side, .. } | Happened::Joined { side, .. }
            if is_welcome(&view.state, &view.viewer, logged) =>
        {
            return welcome(view, *side);
        }
        Happened::TeamChanged { member, side, .. } if me == Some(*member) => match side {
            Some(side) => format!("You are in {}’s team now", side_word(*side)),
            None => "You are in no team now".to_owned(),
        },
        Happened::TakenBack(board, line) => match &line.happened {
            Happened::Transferred { transfer, .. } => format!(
                "A transfer was taken back: {}",
                boards_in_words(&[transfer.from.to_string(), transfer.to.to_string()])
            ),
            _ => format!("A turn on board {board} was taken back"),
        },
        Happened::DrawDeclined(board) => format!("Your draw offer on board {board} was declined"),
        Happened::Renamed(member) if me == Some(*member) => {
            format!("Your name here is {} now", view.name(*member))
        }
        Happened::MessageRemoved(Actor::Member(member)) if me == Some(*member) => {
            "One of your messages was removed".to_owned()
        }
        Happened::Started => {
            let duties = me.and_then(|me| {
                let side = view.state.side_of(me)?;
                Some(your_duties(&view.state.team(side).duties.of(me), side))
            });
            return Announcement {
                headline: told.trim_end_matches('.').to_owned(),
                detail: duties.map_or_else(String::new, |duties| full_stop(&duties)),
            };
        }
        Happened::TimeSet(0..=60) => "One minute left!".to_owned(),
        _ => {
            return Announcement {
                headline: capital(told.trim_end_matches('.')),
                detail: String::new(),
            };
        }
    };
    Announcement {
        headline,
        detail: told,
    }
}

/// What a latecomer is told: what they can do now, and what to try first.
fn welcome(view: &TeamReader, side: Option<Side>) -> Announcement {
    let team = side.map_or("", side_word);
    let duties = view.viewer.member.zip(side);
    let duties = duties.map_or_else(Vec::new, |(me, side)| view.state.team(side).duties.of(me));
    let detail = match (duties.is_empty(), side) {
        (true, _) => "You are an agent: you look at the boards, talk with your team, and vote. Try this first: tap a board, and \
                      look for the pieces with a mark, whose rule was changed; then say hello under “Talk”."
            .to_owned(),
        (false, Some(side)) => full_stop(&your_duties(&duties, side)),
        (false, None) => String::new(),
    };
    Announcement {
        headline: format!("Welcome to {team}’s team"),
        detail,
    }
}

/// The characters of a message that a card shows.
const BEGINNING: usize = 160;

/// A message that is to its reader, as it is told to them.
pub fn called(view: &TeamReader, call: &Call) -> Announcement {
    let text = call
        .message
        .text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let detail = match text.char_indices().nth(BEGINNING) {
        Some((end, _)) => {
            let begins = &text[..end];
            let word = begins.rfind(' ').filter(|at| *at > end / 2);
            format!("“{}…”", &begins[..word.unwrap_or(end)])
        }
        None => format!("“{text}”"),
    };
    let author = capital(view.actor(call.message.by));
    let headline = match call.to {
        To::Named => format!("{author} wrote to you"),
        To::Few => format!("{author} wrote to you in secret"),
        To::All => format!("{author} wrote to everybody"),
    };
    Announcement { headline, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ended_board_is_no_duty_any_more() {
        let ended = |board: BoardNo| board.0 > 2;
        let now = |duties: &[Duty]| your_duties_now(duties, Side::First, ended);
        let board = |number| Duty::Board(BoardNo(number));
        assert_eq!(now(&[]), "You are an agent for White");
        assert_eq!(now(&[board(2)]), "You play board 2 for White");
        assert_eq!(now(&[board(2), board(3)]), "You play board 2 for White");
        assert_eq!(
            now(&[board(3)]),
            "Board 3 is over: talk with your team, or ask for another board"
        );
        assert_eq!(
            now(&[board(3), board(4)]),
            "Boards 3 and 4 are over: talk with your team, or ask for another board"
        );
        assert_eq!(
            now(&[Duty::Strategist, board(3)]),
            "You are White’s grand strategist"
        );
    }
}
