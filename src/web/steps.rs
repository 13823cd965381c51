//! Putting a turn together step by step. What can come next follows from the texts of the legal
//! turns alone, the same way for every game: here, and in the browser (`static/steps.js`).

use std::collections::HashSet;

use serde::Serialize;

use crate::games::Choice;

/// How far a turn has been put together.
#[derive(Debug, Default, PartialEq)]
pub struct Progress<'a> {
    /// The steps so far.
    pub steps: Vec<&'a str>,
    /// The turn that they make.
    pub whole: Option<&'a str>,
    /// What can come next, each once.
    pub next: Vec<&'a str>,
}

/// What `steps` lead to. Steps that lead nowhere are forgotten.
pub fn progress<'a>(choices: &'a [Choice], steps: &[&str]) -> Progress<'a> {
    let mut progress = Progress::default();
    let mut seen = HashSet::new();
    for choice in choices {
        if steps.len() > choice.steps.len() || !choice.steps.iter().zip(steps).all(|(a, b)| a == b)
        {
            continue;
        }
        if progress.steps.is_empty() {
            progress.steps = choice.steps[..steps.len()]
                .iter()
                .map(String::as_str)
                .collect();
        }
        match choice.steps.get(steps.len()) {
            None => progress.whole = Some(&choice.turn),
            Some(next) => {
                if seen.insert(next.as_str()) {
                    progress.next.push(next);
                }
            }
        }
    }
    if progress.whole.is_none() && progress.next.is_empty() && !steps.is_empty() {
        return self::progress(choices, &[]);
    }
    progress
}

/// What the browser needs for putting turns together.
#[derive(Serialize)]
struct Data<'a> {
    /// How many turns were made.
    ply: usize,
    /// Whether a turn is confirmed before it is sent.
    confirm: bool,
    /// The steps so far.
    steps: &'a [&'a str],
    /// Each turn: its text, then its steps.
    turns: Vec<(&'a str, &'a [String])>,
    /// What the buttons say for steps that are no places on the board.
    labels: Vec<(&'a str, String)>,
}

/// The choices as JSON that can stand inside a `<script>`.
pub fn json(
    choices: &[Choice],
    progress: &Progress,
    ply: usize,
    confirm: bool,
    label: impl Fn(&str) -> Option<String>,
) -> String {
    let mut seen = HashSet::new();
    let labels = choices
        .iter()
        .flat_map(|choice| &choice.steps)
        .filter(|step| seen.insert(step.as_str()))
        .filter_map(|step| Some((step.as_str(), label(step)?)))
        .collect();
    let data = Data {
        ply,
        confirm,
        steps: &progress.steps,
        turns: choices
            .iter()
            .map(|choice| (choice.turn.as_str(), choice.steps.as_slice()))
            .collect(),
        labels,
    };
    // Strings and numbers are always written.
    serde_json::to_string(&data)
        .unwrap_or_default()
        .replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(turn: &str, steps: &[&str]) -> Choice {
        Choice {
            turn: turn.to_owned(),
            steps: steps.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn a_turn_is_put_together_and_may_go_on() {
        let choices = [
            choice("a1-b1", &["a1", "b1"]),
            choice("a1-b1-c1", &["a1", "b1", "c1"]),
            choice("a2-b1", &["a2", "b1"]),
        ];
        let start = progress(&choices, &[]);
        assert_eq!((start.whole, start.next), (None, vec!["a1", "a2"]));
        let both = progress(&choices, &["a1", "b1"]);
        assert_eq!((both.whole, both.next), (Some("a1-b1"), vec!["c1"]));
        let end = progress(&choices, &["a1", "b1", "c1"]);
        assert_eq!((end.whole, end.next), (Some("a1-b1-c1"), vec![]));
        assert_eq!(progress(&choices, &["z9"]), progress(&choices, &[]));
        assert_eq!(progress(&[], &["z9"]), Progress::default());
    }

    #[test]
    fn the_json_can_stand_in_a_page() {
        let choices = [choice("</script>", &["4<", ".n"])];
        let text = json(&choices, &progress(&choices, &[]), 3, true, |step| {
            step.strip_prefix('.').map(|dot| format!("dot {dot}"))
        });
        assert!(!text.contains('<'), "{text}");
        assert!(text.contains(r#""labels":[[".n","dot n"]]"#), "{text}");
    }
}
