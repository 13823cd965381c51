//! Putting a turn together step by step. The possible next steps follow from the texts of the legal turns alone, the
//! same way for every game: here, and in the browser (`static/steps.js`).

use std::collections::HashSet;

use serde::Serialize;

use perplex_games::game::Choice;

#[derive(Debug, Default, PartialEq)]
pub struct Progress<'a> {
    pub steps: Vec<&'a str>,
    pub whole: Option<&'a str>,
    pub next: Vec<&'a str>,
    /// The last step and its alternatives, if that step is no place on the board and has any.
    pub instead: Vec<&'a str>,
}

/// The progress after `steps`. Steps that lead nowhere are dropped. If only steps can follow that are no places, and
/// none of them ends the turn, the first is taken: another can replace it.
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

/// The steps without the last one taken by hand: the state after taking that step back.
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

#[derive(Serialize)]
struct Data<'a> {
    ply: usize,
    confirm: bool,
    steps: &'a [&'a str],
    turns: Vec<Listed<'a>>,
    labels: Vec<(&'a str, String)>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Listed<'a> {
    /// The steps separated by spaces, if the turn's text is the same without them: there may be a hundred of these.
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

/// The choices as JSON that is safe inside a `<script>`.
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
    // Strings and numbers always serialize.
    serde_json::to_string(&data)
        .unwrap_or_default()
        .replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use perplex_games::registry::GAMES;
    use serde::Deserialize;

    use super::*;

    fn choice(turn: &str, steps: &[&str]) -> Choice {
        Choice {
            turn: turn.to_owned(),
            steps: steps.iter().map(ToString::to_string).collect(),
        }
    }

    /// Handwritten cases in a table; a step is a place unless it is one digit or begins with a dot.
    #[derive(Deserialize)]
    struct Case {
        turns: Vec<(String, Vec<String>)>,
        steps: Vec<String>,
        walked: Walked,
    }

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Walked {
        steps: Vec<String>,
        whole: Option<String>,
        next: Vec<String>,
        instead: Vec<String>,
        before: Vec<String>,
    }

    fn walked(choices: &[Choice], steps: &[&str], is_place: &dyn Fn(&str) -> bool) -> Walked {
        let owned = |steps: &[&str]| steps.iter().map(ToString::to_string).collect();
        let found = progress(choices, steps, is_place);
        Walked {
            before: owned(&before(choices, &found.steps, is_place)),
            steps: owned(&found.steps),
            whole: found.whole.map(str::to_owned),
            next: owned(&found.next),
            instead: owned(&found.instead),
        }
    }

    /// The steps that `static/turns.js` takes, computed by Node; `None` if Node is not installed.
    ///
    /// The script is handed over as text, named a module by its address: a `.js` file that stands beside no `package.json`
    /// is one for a new Node only, and Debian's is older.
    fn walked_by_script(cases: &serde_json::Value) -> Option<Vec<Walked>> {
        const SCRIPT: &str = r#"
            import { readFileSync } from "node:fs";
            const text = readFileSync(process.argv[1], "utf8");
            const { Turns } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
            const cases = JSON.parse(readFileSync(0, "utf8"));
            const walk = ([all, others, taken]) => {
              const turns = new Turns(all, new Map(others.map((step) => [step, step])));
              const steps = turns.extended(taken);
              const whole = turns.whole(steps)?.[0] ?? null;
              const next = [...turns.after(steps)];
              return { steps, whole, next, instead: turns.instead(steps), before: turns.before(steps) };
            };
            console.log(JSON.stringify(cases.map(walk)));
        "#;
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/static/turns.js");
        let node = Command::new("node")
            .args(["--input-type=module", "--eval", SCRIPT, file])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut node) = node else {
            assert!(
                std::env::var_os("PERPLEX_TESTS_COMPLETE").is_none(),
                "no node"
            );
            return None;
        };
        let text = cases.to_string();
        let mut input = node.stdin.take().expect("its input");
        input.write_all(text.as_bytes()).expect("what it reads");
        drop(input);
        let output = node.wait_with_output().expect("its output");
        assert!(output.status.success());
        Some(serde_json::from_slice(&output.stdout).expect("what it walked"))
    }

    #[test]
    fn links_and_the_browser_walk_the_same_steps() {
        let (mut cases, mut expected) = (Vec::new(), Vec::new());
        let mut add = |choices: &[Choice], steps: &[&str], is_place: &dyn Fn(&str) -> bool| {
            let walked = walked(choices, steps, is_place);
            let turns: Vec<_> = choices.iter().map(|c| (&c.turn, &c.steps)).collect();
            let all: HashSet<&String> = choices.iter().flat_map(|c| &c.steps).collect();
            let others: Vec<_> = all.into_iter().filter(|step| !is_place(step)).collect();
            cases.push(serde_json::json!([turns, others, steps]));
            expected.push(walked);
            expected.len() - 1
        };
        let table = include_str!("../../tests/steps.json");
        let table: Vec<Case> = serde_json::from_str(table).expect("the table");
        let by_hand: Vec<(usize, Walked)> = table
            .into_iter()
            .map(|case| {
                let turns = case.turns.into_iter();
                let choices: Vec<_> = turns.map(|(turn, steps)| Choice { turn, steps }).collect();
                let steps: Vec<&str> = case.steps.iter().map(String::as_str).collect();
                let is_place = |step: &str| step.len() > 1 && !step.starts_with('.');
                (add(&choices, &steps, &is_place), case.walked)
            })
            .collect();
        for entry in GAMES {
            let game = entry.setup("").expect("a game");
            let (choices, diagram) = (game.choices(), game.diagram());
            for choice in choices.iter().step_by(choices.len().div_ceil(12)) {
                for length in 0..=choice.steps.len() {
                    let steps: Vec<&str> =
                        choice.steps[..length].iter().map(String::as_str).collect();
                    add(&choices, &steps, &|step| diagram.has(step));
                }
            }
        }
        for (index, walked) in &by_hand {
            assert_eq!(expected[*index], *walked, "{}", cases[*index]);
        }
        if let Some(found) = walked_by_script(&serde_json::Value::Array(cases.clone())) {
            for ((case, expected), found) in cases.iter().zip(&expected).zip(&found) {
                assert_eq!(found, expected, "{case}");
            }
        }
    }

    #[test]
    fn steps_that_lead_nowhere_are_forgotten() {
        let choices = [choice("a1-b1", &["a1", "b1"])];
        let progress = |steps: &[&str]| progress(&choices, steps, &|_| true);
        assert_eq!(progress(&["z9"]), progress(&[]));
        assert_eq!(
            super::progress(&[], &["z9"], &|_| true),
            Progress::default()
        );
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
