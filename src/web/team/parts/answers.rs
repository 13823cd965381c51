//! Questions that wait for the viewer’s answer, above the boards.

use askama::Template;

use crate::texts::rulebook::points_out;
use crate::texts::team::{side_word, under_rule};
use crate::web::answer::Failure;
use crate::web::rulebook;
use crate::web::team::context::TeamContext;
use crate::web::team::parts::panel;
use crate::web::team::turn::waits;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::flexichess::Pending;
use perplex_matches::team::notice::Waiting;

#[derive(Template)]
#[template(path = "team/parts/answers.html")]
struct Answers<'a> {
    context: TeamContext<'a>,
    event: i32,
    proposed: Vec<String>,
    offers: Vec<BoardNo>,
    disputes: Vec<Dispute>,
}

/// The part of the page; empty if no answer of the viewer is awaited.
pub fn render(context: TeamContext) -> Result<String, Failure> {
    let state = &context.view.state;
    let (mut proposed, mut offers) = (Vec::new(), Vec::new());
    for waiting in waits(context) {
        match waiting {
            Waiting::Answer(number) => {
                if let Some(board) = state.boards.board(number) {
                    let editor = panel::rule_editor(context, number, board, true);
                    proposed.push(rulebook::page::waiting(&editor)?);
                }
            }
            Waiting::Offer(number) => offers.push(number),
            Waiting::Turn(_) | Waiting::Claim(_) | Waiting::Dispute(_) => {}
        }
    }
    let part = Answers {
        context,
        event: context.view.last,
        proposed,
        offers,
        disputes: disputes(context),
    };
    Ok(part.render()?)
}

pub struct Dispute {
    pub board: BoardNo,
    pub by: &'static str,
    pub text: String,
    /// True if it is a rule in words, not a turn under one.
    pub is_rule: bool,
    /// What the rule names although its limits keep it out, in words.
    pub points_out: Option<String>,
}

pub fn disputes(context: TeamContext) -> Vec<Dispute> {
    let state = &context.view.state;
    if !context.view.rights.lead || context.at.is_some() {
        return Vec::new();
    }
    state
        .boards
        .iter()
        .filter(|(number, _)| state.status(*number).is_some_and(|status| status.disputed))
        .filter_map(|(board, found)| {
            let position = found.position();
            let pending = position.pending()?;
            let text = match pending {
                Pending::Rule(change) => change.text.clone(),
                Pending::Turn(under) => {
                    let rule = position
                        .changes()
                        .iter()
                        .find(|recorded| recorded.number == under.number)
                        .map_or_else(String::new, |recorded| recorded.change.text.clone());
                    under_rule(&under.to_string(), &rule)
                }
            };
            Some(Dispute {
                board,
                by: side_word(position.side()),
                text,
                is_rule: matches!(pending, Pending::Rule(_)),
                points_out: points_out(position),
            })
        })
        .collect()
}
