//! `perplex referee`: one JSON object a line in, one a line out, in order, until the end of input.
//! It is how bots, other servers and our own tests ask for rules. A bad line gets an error and
//! never stops it.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::games::{self, AnyGame, GAMES};
use crate::rules::{Seat, Side};

/// A question: one line of input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    game: String,
    #[serde(default)]
    variant: Option<String>,
    #[serde(default)]
    turns: Vec<String>,
    #[serde(default)]
    want: Vec<String>,
}

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
}

/// The answer to a line that could not be served.
#[derive(Debug, Serialize)]
struct Refusal {
    ok: bool,
    /// The first turn that was refused, counted from 1; absent if the line itself was not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    error: String,
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
    let json = match serve(line.trim()) {
        Ok(answer) => serde_json::to_string(&answer),
        Err(refusal) => serde_json::to_string(&refusal),
    };
    json.unwrap_or_else(|error| format!("{{\"ok\":false,\"error\":\"{error}\"}}"))
}

fn refuse(error: impl Into<String>) -> Refusal {
    Refusal {
        ok: false,
        turn: None,
        error: error.into(),
    }
}

/// What a question may ask for.
enum Want {
    Legal,
    Perft(u32),
    Position,
    Turns,
}

impl Want {
    fn read(text: &str) -> Result<Self, Refusal> {
        match text {
            "legal" => Ok(Self::Legal),
            "position" => Ok(Self::Position),
            "turns" => Ok(Self::Turns),
            _ => text
                .strip_prefix("perft:")
                .and_then(|depth| depth.parse().ok())
                .map(Self::Perft)
                .ok_or_else(|| {
                    refuse(format!(
                        "unknown want \"{text}\": it is one of legal, perft:DEPTH, position, turns"
                    ))
                }),
        }
    }
}

fn serve(line: &str) -> Result<Answer, Refusal> {
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
    let entry = games::find(&question.game).ok_or_else(|| {
        let known: Vec<&str> = GAMES.iter().map(|entry| entry.card.key).collect();
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
    for (number, turn) in (1..).zip(&question.turns) {
        game.play(turn).map_err(|error| Refusal {
            ok: false,
            turn: Some(number),
            error: error.to_string(),
        })?;
    }
    Ok(report(game.as_ref(), &wants))
}

fn report(game: &dyn AnyGame, wants: &[Want]) -> Answer {
    let outcome = game.outcome();
    let mut answer = Answer {
        ok: true,
        to_move: game
            .to_move()
            .map(|Seat(seat)| game.seats()[usize::from(seat)].key),
        result: outcome.map(|outcome| {
            outcome
                .winner
                .map_or_else(|| "draw".to_owned(), |side: Side| side.to_string())
        }),
        reason: outcome.map(|outcome| outcome.reason.to_string()),
        legal: None,
        perft: None,
        position: None,
        turns: None,
    };
    for want in wants {
        match want {
            Want::Legal => answer.legal = Some(game.legal()),
            Want::Perft(depth) => {
                answer.perft = Some((1..=*depth).map(|depth| game.perft(depth)).collect());
            }
            Want::Position => answer.position = Some(game.position()),
            Want::Turns => answer.turns = Some(game.turns().to_vec()),
        }
    }
    answer
}
