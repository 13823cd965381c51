//! The referee's answers about whole matches of Perplexichess.

use std::collections::BTreeMap;

use serde::Serialize;

use super::question::{Question, Refusal, Want, outcome_words, refuse};
use crate::perplexichess::{Boards, Size, Transfer};
use crate::rules::{Rules, Side};

/// The answer to a question about a match; the fields that were not wanted are left out.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    ok: bool,
    result: Option<String>,
    reason: Option<String>,
    score: Score,
    boards: Vec<BoardAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transfers: Option<Transfers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<String>>,
}

#[derive(Debug, Serialize)]
struct Score {
    white: u8,
    black: u8,
    drawn: u8,
}

#[derive(Debug, Serialize)]
struct BoardAnswer {
    to_move: Option<String>,
    result: Option<String>,
    reason: Option<String>,
    check: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    rules: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<Vec<String>>,
}

#[derive(Debug, Serialize)]
struct Transfers {
    white: Vec<String>,
    black: Vec<String>,
}

pub(super) fn serve(question: &Question, wants: &[Want]) -> Result<Answer, Refusal> {
    let sizes = || Size::ALL.map(Size::key).join(", ");
    let Some(variant) = question.variant.as_deref() else {
        return Err(refuse(format!(
            "perplexichess needs a \"variant\": it is one of {}",
            sizes()
        )));
    };
    let size = Size::from_key(variant).ok_or_else(|| {
        refuse(format!(
            "perplexichess has no variant \"{variant}\": it is one of {}",
            sizes()
        ))
    })?;
    if question.fen.is_some() || !question.rules.is_empty() {
        return Err(refuse(
            "perplexichess always starts from the ordinary position: leave \"fen\" and \"rules\" out",
        ));
    }
    if wants.iter().any(|want| matches!(want, Want::Perft(_))) {
        return Err(refuse("perft is not counted for perplexichess"));
    }
    let mut boards = Boards::new(size);
    let mut record = Vec::new();
    for (number, text) in (1..).zip(&question.turns) {
        let line = boards.read(text).map_err(|error| Refusal {
            ok: false,
            turn: Some(number),
            error: error.to_string(),
        })?;
        record.push(line.to_string());
        boards.take(&line);
    }
    Ok(report(&boards, record, wants))
}

fn report(boards: &Boards, record: Vec<String>, wants: &[Want]) -> Answer {
    let [result, reason] = outcome_words(boards.outcome());
    let score = boards.score();
    let wants_legal = wants.iter().any(|want| matches!(want, Want::Legal));
    let wants_position = wants.iter().any(|want| matches!(want, Want::Position));
    let transfers = |side| {
        let mut texts: Vec<String> = boards
            .transfers(side)
            .into_iter()
            .map(Transfer::short)
            .collect();
        texts.sort_unstable();
        texts
    };
    Answer {
        ok: true,
        result,
        reason,
        score: Score {
            white: score.white,
            black: score.black,
            drawn: score.drawn,
        },
        boards: boards
            .iter()
            .map(|(_, board)| {
                let position = board.position();
                let [result, reason] = outcome_words(board.outcome());
                BoardAnswer {
                    to_move: board.to_move().map(|side| side.to_string()),
                    result,
                    reason,
                    check: position.is_check(),
                    position: wants_position.then(|| position.position()),
                    rules: position.rules().differences().into_iter().collect(),
                    legal: wants_legal.then(|| {
                        let mut legal: Vec<String> =
                            board.legal().iter().map(ToString::to_string).collect();
                        legal.sort_unstable();
                        legal
                    }),
                }
            })
            .collect(),
        transfers: wants_legal.then(|| Transfers {
            white: transfers(Side::First),
            black: transfers(Side::Second),
        }),
        turns: wants
            .iter()
            .any(|want| matches!(want, Want::Turns))
            .then_some(record),
    }
}
