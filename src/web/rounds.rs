//! The list of turns, in rounds.

use perplex_games::game::PlayedTurn;
use perplex_games::rules::Seat;

pub struct Played<'a> {
    /// Its name: squares as the reader wants them.
    pub text: &'a str,
    /// The same in canonical notation.
    pub whole: &'a str,
    pub address: String,
    pub is_here: bool,
}

pub struct Round<'a> {
    pub number: usize,
    pub turns: Vec<Played<'a>>,
}

/// The turns in rounds of one turn for each seat, not counting answers and the turns that they take back; the `here`-th
/// is shown.
pub fn rounds<'a>(
    turns: &'a [String],
    past: &'a [PlayedTurn],
    here: usize,
    numbered: bool,
    address: &dyn Fn(usize) -> String,
) -> Vec<Round<'a>> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut last: Option<Seat> = None;
    for (ply, (whole, past)) in (1..).zip(turns.iter().zip(past)) {
        // The same seat plays again only where its turn was taken back.
        let goes_on = past.answers || last.is_some_and(|last| past.seat >= last);
        if !goes_on || rounds.is_empty() {
            rounds.push(Round {
                number: rounds.len() + 1,
                turns: Vec::new(),
            });
        }
        if !past.answers {
            last = Some(past.seat);
        }
        let text = match past.also.get(1) {
            Some(numbers) if numbered => numbers,
            _ => &past.label,
        };
        if let Some(round) = rounds.last_mut() {
            round.turns.push(Played {
                text,
                whole,
                address: address(ply),
                is_here: ply == here,
            });
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use perplex_games::registry;

    #[test]
    fn answers_belong_to_the_round_of_what_they_answer() {
        let mut game = registry::find("flexichess").unwrap().setup("").unwrap();
        for turn in [
            "rule * written \"A.\"",
            "reject",
            "e2e4",
            "rule * written \"B.\"",
            "accept",
            "g1f3",
            "under 1",
            "accept",
            "f1c4",
        ] {
            game.play(turn).unwrap();
        }
        let past = game.past();
        let rounds = rounds(game.turns(), &past, 3, true, &|_| String::new());
        let told: Vec<(usize, Vec<&str>)> = rounds
            .iter()
            .map(|round| {
                let texts = round.turns.iter().map(|turn| turn.text);
                (round.number, texts.collect())
            })
            .collect();
        assert_eq!(
            told,
            [
                (
                    1,
                    vec![
                        "rule in words: “A.”",
                        "disputed",
                        "53-37",
                        "rule in words: “B.”",
                        "accepted"
                    ]
                ),
                (2, vec!["63-46", "under rule 1: pass", "accepted"]),
                (3, vec!["62-35"]),
            ]
        );
        assert!(rounds[0].turns[2].is_here);
        assert_eq!(rounds[0].turns[2].whole, "e2e4");
        assert_eq!(rounds[0].turns[0].whole, "rule * written \"A.\"");
    }
}
