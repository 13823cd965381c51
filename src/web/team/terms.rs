//! The terms of a match in its forms.

use crate::web::fields::Fields;
use perplex_games::perplexichess::Size;
use perplex_matches::team::event::{Sight, Terms};
use perplex_matches::team::lineup::Team;

pub struct SizeChoice {
    pub key: &'static str,
    pub boards: u8,
    /// How many people a team needs: `4 to 6`, `9 or more`.
    pub people: String,
    pub agents: String,
}

pub fn sizes() -> Vec<SizeChoice> {
    Size::ALL
        .into_iter()
        .map(|size| {
            let (fewest, most) = size.agents();
            let duties = 1 + usize::from(size.boards());
            let (people, agents) = match (Team::most(size), most) {
                (Some(all), Some(agents)) => (
                    format!("{} to {all}", duties + fewest),
                    format!("{fewest} to {agents}"),
                ),
                _ => (
                    format!("{} or more", duties + fewest),
                    format!("{fewest} or more"),
                ),
            };
            SizeChoice {
                key: size.key(),
                boards: size.boards(),
                people,
                agents,
            }
        })
        .collect()
}

pub fn terms(fields: &Fields) -> Result<Terms, (&'static str, String)> {
    let size = Size::from_key(fields.get("size"))
        .ok_or(("size", "Please choose how many boards.".to_owned()))?;
    let seconds = match (fields.get("limit"), fields.get("minutes").trim()) {
        ("none", _) => None,
        (_, minutes) => {
            let minutes: Option<u32> = minutes.parse().ok();
            let seconds = minutes.and_then(|minutes| minutes.checked_mul(60));
            let wrong = "Please write the time limit as a number of minutes, such as 60.";
            Some(seconds.ok_or(("minutes", wrong.to_owned()))?)
        }
    };
    Ok(Terms {
        size,
        seconds,
        sight: if fields.get("sight") == "rooms" {
            Sight::Rooms
        } else {
            Sight::Open
        },
        supervised: fields.get("supervised") == "yes",
        listed: fields.get("listed") == "yes",
        reveal: fields.get("reveal") == "yes",
        phrases: fields.get("phrases") == "yes",
    })
}
