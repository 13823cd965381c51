//! `perplex referee`: one JSON object a line in, one a line out, in order, until the end of input.
//! Bots, other servers and our own tests ask for rules this way. A bad line gets an error and never
//! stops it.
//!
//! ```
//! use perplex_games::referee;
//!
//! let answer = referee::answer(r#"{"game":"quixo","want":["perft:2"]}"#);
//! assert!(answer.contains(r#""perft":[44,1836]"#));
//! let answer = referee::answer(r#"{"game":"quixo","turns":["c3-a3"]}"#);
//! assert!(answer.starts_with(r#"{"ok":false,"turn":1,"error":"c3-a3 is not legal"#));
//! ```

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use serde::Serialize;

use crate::game::AnyGame;
use crate::registry::{self, GAMES};
use crate::rules::{NotationError, Outcome, Reason, Seat, Side};

mod cards;
mod question;
mod team;

pub use cards::list_cards;
use question::{Question, Refusal, Want, outcome_words, refuse};

/// The answer to a question about a game; the fields that were not wanted are left out.
#[derive(Debug, Serialize)]
struct Answer {
    ok: bool,
    to_move: Option<&'static str>,
    result: Option<String>,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    perft: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<BTreeMap<String, String>>,
}

/// Answers every line of `input` on `output`.
///
/// # Errors
/// Only those of reading and writing.
pub fn run(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        writeln!(output, "{}", answer(&String::from_utf8_lossy(&line)))?;
        output.flush()?;
    }
}

/// The answer to one line, as one line of JSON.
#[must_use]
pub fn answer(line: &str) -> String {
    let json = match question(line.trim()) {
        Ok((question, wants)) if question.game == TEAM_GAME => {
            to_json(team::serve(&question, &wants))
        }
        Ok((question, wants)) => to_json(serve(question, &wants)),
        Err(refusal) => serde_json::to_string(&refusal),
    };
    json.unwrap_or_else(|error| format!("{{\"ok\":false,\"error\":\"{error}\"}}"))
}

fn to_json<T: Serialize>(answer: Result<T, Refusal>) -> serde_json::Result<String> {
    match answer {
        Ok(answer) => serde_json::to_string(&answer),
        Err(refusal) => serde_json::to_string(&refusal),
    }
}

/// The game whose matches have several boards; it is not in the registry.
const TEAM_GAME: &str = "perplexichess";

/// Reads the question in a line.
fn question(line: &str) -> Result<(Question, Vec<Want>), Refusal> {
    if line.is_empty() {
        return Err(refuse("the line is blank: a JSON object should stand here"));
    }
    let question: Question = serde_json::from_str(line)
        .map_err(|error| refuse(format!("the line is not understood: {error}")))?;
    let wants = question
        .want
        .iter()
        .map(|want| Want::read(want))
        .collect::<Result<Vec<_>, _>>()?;
    Ok((question, wants))
}

fn serve(question: Question, wants: &[Want]) -> Result<Answer, Refusal> {
    let entry = registry::find(&question.game).ok_or_else(|| {
        let known: Vec<&str> = GAMES
            .iter()
            .map(|entry| entry.card.key)
            .chain([TEAM_GAME])
            .collect();
        refuse(format!(
            "unknown game \"{}\": it is one of {}",
            question.game,
            known.join(", ")
        ))
    })?;
    let variant = question.variant.unwrap_or_default();
    let mut game = entry.setup(&variant).ok_or_else(|| {
        let known: Vec<&str> = entry.card.variants.iter().map(|v| v.key).collect();
        refuse(format!(
            "{} has no variant \"{variant}\": it is one of \"{}\"",
            entry.card.name,
            known.join("\", \"")
        ))
    })?;
    if question.fen.is_some() || !question.rules.is_empty() {
        let fen = question.fen.unwrap_or_else(|| game.position());
        let rules: Vec<(String, String)> = question.rules.into_iter().collect();
        game = entry
            .from_position_with(&variant, &fen, &rules)
            .map_err(|error: NotationError| refuse(error.to_string()))?;
    }
    let mut session = Session {
        game,
        record: Vec::new(),
        offered: None,
        ended: None,
    };
    for (number, turn) in (1..).zip(&question.turns) {
        session.take(turn).map_err(|error| Refusal {
            ok: false,
            turn: Some(number),
            error,
        })?;
    }
    Ok(report(&session, wants))
}

/// A game with the actions of its players beside turns: resign, offer a draw, agree to one.
struct Session {
    game: Box<dyn AnyGame>,
    record: Vec<String>,
    /// The side that has offered a draw. A turn of the other side declines it, but for an answer to a proposal.
    offered: Option<Side>,
    ended: Option<Outcome>,
}

impl Session {
    fn outcome(&self) -> Option<Outcome> {
        self.ended.or_else(|| self.game.outcome())
    }

    /// Takes a turn or an action.
    fn take(&mut self, text: &str) -> Result<(), String> {
        let words = text.trim().to_lowercase();
        if let (Some(outcome), Some(_)) = (self.outcome(), self.ended) {
            return Err(format!(
                "{} is not legal: the game is over ({})",
                text.trim(),
                outcome.reason
            ));
        }
        let going_on = self.game.outcome().is_none();
        if going_on && let Some(who) = words.strip_prefix("resign") {
            let side = self.resigning(who.trim()).ok_or_else(|| {
                format!(
                    "\"{}\" is not understood: `resign` is the side to move, or the side is named: \
                     `resign first`, `resign black`",
                    text.trim()
                )
            })?;
            self.ended = Some(Outcome::win(side.other(), Reason::Resign));
            self.record.push(words);
        } else if going_on && words == "draw" {
            // A draw that may be claimed is; else it is offered, and a second `draw` agrees.
            self.ended = self
                .game
                .claim()
                .or_else(|| self.offered.map(|_| Outcome::draw(Reason::Agreement)));
            self.offered = self.game.side_to_move();
            self.record.push(words);
        } else {
            let stands = self.offered == self.game.side_to_move() || self.game.waits().is_some();
            match self.game.play(text) {
                Ok(turn) => {
                    self.offered = self.offered.filter(|_| stands);
                    self.record.push(turn);
                }
                Err(_) if going_on && words == "accept" && self.offered.is_some() => {
                    self.ended = Some(Outcome::draw(Reason::Agreement));
                    self.record.push(words);
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    /// The side that resigns, named by itself or by its seat; an empty text is the side to move.
    fn resigning(&self, who: &str) -> Option<Side> {
        if who.is_empty() {
            return self.game.side_to_move();
        }
        who.parse().ok().or_else(|| {
            let seats = self.game.seats();
            seats
                .iter()
                .find(|seat| seat.key == who || seat.name.to_lowercase() == who)
                .map(|seat| seat.side)
        })
    }
}

fn report(session: &Session, wants: &[Want]) -> Answer {
    let game = session.game.as_ref();
    let over = session.outcome().is_some();
    let [result, reason] = outcome_words(session.outcome());
    let state = game.state();
    let mut answer = Answer {
        ok: true,
        to_move: game
            .to_move()
            .filter(|_| !over)
            .map(|Seat(seat)| game.seats()[usize::from(seat)].key),
        result,
        reason,
        legal: None,
        perft: None,
        position: state.is_some().then(|| game.position()),
        turns: None,
        check: state.as_ref().map(|state| state.check),
        rules: state.map(|state| state.rules.into_iter().collect()),
    };
    for want in wants {
        match want {
            Want::Legal if session.ended.is_some() => answer.legal = Some(Vec::new()),
            Want::Legal => answer.legal = Some(game.legal()),
            Want::Perft(depth) if session.ended.is_some() => {
                answer.perft = Some((1..=*depth).map(|_| 0).collect());
            }
            Want::Perft(depth) => {
                answer.perft = Some((1..=*depth).map(|depth| game.perft(depth)).collect());
            }
            Want::Position => answer.position = Some(game.position()),
            Want::Turns => answer.turns = Some(session.record.clone()),
        }
    }
    answer
}
