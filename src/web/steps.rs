//! Putting a turn together step by step. What can come next follows from the texts of the legal
//! turns alone, the same way for every game: here, and in the browser (`static/steps.js`).

use std::collections::HashSet;

use serde::Serialize;

use perplex_games::registry::Choice;

#[derive(Debug, Default, PartialEq)]
pub struct Progress<'a> {
    pub steps: Vec<&'a str>,
    pub whole: Option<&'a str>,
    /// What can come next, each once.
    pub next: Vec<&'a str>,
    /// Where the last step is no place on the board and there are others instead of it: it and these.
    pub instead: Vec<&'a str>,
}

/// What `steps` lead to. Steps that lead nowhere are forgotten. Where only steps can follow that
/// are no places, and none of them ends the turn, the first is taken: another can replace it.
pub fn progress<'a>(
    choices: &'a [Choice],
    steps: &[&str],
    is_place: &dyn Fn(&str) -> bool,
) -> Progress<'a> {
    let mut progress = follow(choices, steps);
    while let [first, ..] = progress.next[..]
        && !progress.steps.is_empty()
        && progress.whole.is_none()
        && !progress.next.iter().any(|next| is_place(next))
    {
        let with = |next| {
            let mut steps = progress.steps.clone();
            steps.push(next);
            follow(choices, &steps)
        };
        if progress.next.iter().any(|next| with(next).whole.is_some()) {
            break;
        }
        progress = with(first);
    }
    if let Some((last, before)) = progress.steps.split_last()
        && !is_place(last)
    {
        let instead = follow(choices, before).next;
        if instead.len() > 1 && !instead.iter().any(|step| is_place(step)) {
            progress.instead = instead;
        }
    }
    progress
}

/// The steps without the last one that was taken by hand: where a step is taken back.
pub fn before<'a>(
    choices: &'a [Choice],
    steps: &[&'a str],
    is_place: &dyn Fn(&str) -> bool,
) -> Vec<&'a str> {
    let mut before = steps;
    while let Some((_, fewer)) = before.split_last() {
        before = fewer;
        if progress(choices, before, is_place).steps.len() < steps.len() {
            break;
        }
    }
    before.to_vec()
}

fn follow<'a>(choices: &'a [Choice], steps: &[&str]) -> Progress<'a> {
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
        return follow(choices, &[]);
    }
    progress
}

/// What the browser needs for putting turns together.
#[derive(Serialize)]
struct Data<'a> {
    ply: usize,
    /// Whether a turn is confirmed before it is sent.
    confirm: bool,
    steps: &'a [&'a str],
    turns: Vec<Listed<'a>>,
    /// What the buttons say for steps that are no places on the board.
    labels: Vec<(&'a str, String)>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Listed<'a> {
    /// Its steps with spaces between them, where its text is the same without: there may be a hundred of these.
    Steps(String),
    Both(&'a str, &'a [String]),
}

impl<'a> Listed<'a> {
    fn of(choice: &'a Choice) -> Self {
        if choice.turn == choice.steps.concat() && !choice.turn.contains(' ') {
            Self::Steps(choice.steps.join(" "))
        } else {
            Self::Both(&choice.turn, &choice.steps)
        }
    }
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
        turns: choices.iter().map(Listed::of).collect(),
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
        let progress = |steps: &[&str]| progress(&choices, steps, &|_| true);
        let start = progress(&[]);
        assert_eq!((start.whole, start.next), (None, vec!["a1", "a2"]));
        let both = progress(&["a1", "b1"]);
        assert_eq!((both.whole, both.next), (Some("a1-b1"), vec!["c1"]));
        let end = progress(&["a1", "b1", "c1"]);
        assert_eq!((end.whole, end.next), (Some("a1-b1-c1"), vec![]));
        assert_eq!(progress(&["z9"]), progress(&[]));
        assert_eq!(
            super::progress(&[], &["z9"], &|_| true),
            Progress::default()
        );
        assert_eq!(before(&choices, &["a1", "b1"], &|_| true), ["a1"]);
    }

    #[test]
    fn the_first_of_several_ways_is_taken_until_another_is_chosen() {
        let choices = [
            choice("3a1-b1", &["a1", "3", "b1"]),
            choice("2a1-c1", &["a1", "2", "c1"]),
            choice("d1-e1.n", &["d1", "e1", ".n"]),
            choice("d1-e1.s", &["d1", "e1", ".s"]),
        ];
        let is_place = |step: &str| step.len() == 2 && !step.starts_with('.');
        let first = progress(&choices, &["a1"], &is_place);
        assert_eq!((first.steps, first.next), (vec!["a1", "3"], vec!["b1"]));
        assert_eq!(first.instead, ["3", "2"]);
        let other = progress(&choices, &["a1", "2"], &is_place);
        assert_eq!((other.next, other.instead), (vec!["c1"], vec!["3", "2"]));
        assert!(before(&choices, &["a1", "2"], &is_place).is_empty());
        assert_eq!(before(&choices, &["a1", "2", "c1"], &is_place), ["a1", "2"]);
        // What ends the turn is never taken by itself.
        let dots = progress(&choices, &["d1", "e1"], &is_place);
        assert_eq!((dots.steps.len(), dots.next), (2, vec![".n", ".s"]));
        assert!(dots.instead.is_empty());
    }

    #[test]
    fn the_json_can_stand_in_a_page() {
        let choices = [choice("</script>", &["4<", ".n"])];
        let text = json(
            &choices,
            &progress(&choices, &[], &|_| true),
            3,
            true,
            |step| step.strip_prefix('.').map(|dot| format!("dot {dot}")),
        );
        assert!(!text.contains('<'), "{text}");
        assert!(text.contains(r#""labels":[[".n","dot n"]]"#), "{text}");
        let choices = [choice("e2e4", &["e2", "e4"]), choice("a-b", &["a", "b"])];
        let progress = progress(&choices, &[], &|_| true);
        let text = json(&choices, &progress, 0, true, |_| None);
        let turns = r#""turns":["e2 e4",["a-b",["a","b"]]]"#;
        assert!(text.contains(turns), "{text}");
    }
}
