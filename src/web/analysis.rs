//! The board to analyse on: both sides are played by hand. What is on it stands in the address of the page, so
//! it can be shared; nothing is stored.

use std::fmt::Write as _;

use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::games::{Listing, listings};
use crate::web::problems::Problems;
use crate::web::request::{Post, RequestContext};
use crate::web::rounds::{Round, rounds};
use crate::web::rulebook::context::{RuleEditorContext, Sending};
use crate::web::turn_form::{TurnForm, board};
use crate::web::{rulebook, steps, words};
use perplex_games::board::Variant;
use perplex_games::game::AnyGame;
use perplex_games::record::Record;
use perplex_games::registry::Entry;
use perplex_games::{record, registry};
use perplex_matches::post::event::Terms;

/// Each turn's link on the page holds all turns: this bounds the page, and servers in front take no longer addresses.
const LONGEST: usize = 8_000;
const MOST_TURNS: usize = 400;

fn too_long() -> String {
    format!(
        "The try board holds at most {MOST_TURNS} turns, and as many as fit into an address of {LONGEST} characters."
    )
}

/// How long the turn or position is in an address, with what stands before it.
fn length(text: &str) -> usize {
    words::encode(text).len() + 1
}

/// The turns as one text for an address: `c1-a1_e5-e1`. Texts of rules may hold anything.
fn join(turns: &[String]) -> String {
    let escaped: Vec<String> = turns
        .iter()
        .map(|turn| turn.replace('~', "~0").replace('_', "~1"))
        .collect();
    escaped.join("_")
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split('_')
        .filter(|turn| !turn.trim().is_empty())
        .map(|turn| turn.replace("~1", "_").replace("~0", "~"))
}

/// What is not right in an address: for each field a sentence.
type Wrong = Vec<(&'static str, String)>;

struct Analysis {
    entry: &'static Entry,
    variant: &'static Variant,
    position: Option<String>,
    game: Box<dyn AnyGame>,
    at: usize,
    turned: u8,
}

impl Analysis {
    fn read(key: &str, fields: &Fields) -> Result<(Self, Wrong), Failure> {
        let nothing = || Failure::App(AppError::NotFound);
        let entry = registry::find(key).ok_or_else(nothing)?;
        let variant = entry
            .card
            .variants
            .iter()
            .find(|variant| variant.key == fields.get("variant"))
            .ok_or_else(nothing)?;
        let mut game = entry.setup(variant.key).ok_or_else(nothing)?;
        let mut wrong = Vec::new();
        let mut position = Some(fields.get("position").trim().to_owned());
        position = position.filter(|text| !text.is_empty());
        if position
            .as_deref()
            .is_some_and(|text| length(text) > LONGEST)
        {
            wrong.push(("position", too_long()));
            position = None;
        }
        if let Some(text) = &position {
            match entry.from_position(variant.key, text) {
                Ok(started) => game = started,
                Err(error) => {
                    wrong.push(("position", error.to_string()));
                    position = None;
                }
            }
        }
        let turns = if wrong.is_empty() {
            fields.get("turns")
        } else {
            ""
        };
        let mut used = position.as_deref().map_or(0, length);
        for (number, turn) in (1..).zip(split(turns)) {
            used += length(&turn);
            let why = if number > MOST_TURNS || used > LONGEST {
                too_long()
            } else if let Err(error) = game.play(&turn) {
                format!("Turn {number} of the address: {error}")
            } else {
                continue;
            };
            wrong.push(("turns", why));
            break;
        }
        let of = game.turns().len();
        let analysis = Self {
            entry,
            variant,
            position,
            at: fields.get("at").parse().map_or(of, |at: usize| at.min(of)),
            game,
            turned: fields.get("turned").parse().map_or(0, |q: u8| q % 4),
        };
        Ok((analysis, wrong))
    }

    fn holds(&self, turns: &[String]) -> bool {
        let turns_take: usize = turns.iter().map(|turn| length(turn)).sum();
        let position_takes = self.position.as_deref().map_or(0, length);
        turns.len() <= MOST_TURNS && position_takes + turns_take <= LONGEST
    }

    fn query(&self, turns: &[String], at: usize, turned: u8) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        if !self.variant.key.is_empty() {
            query.push(("variant", self.variant.key.to_owned()));
        }
        if let Some(position) = &self.position {
            query.push(("position", position.clone()));
        }
        if !turns.is_empty() {
            query.push(("turns", join(turns)));
        }
        if at < turns.len() {
            query.push(("at", at.to_string()));
        }
        if turned > 0 {
            query.push(("turned", turned.to_string()));
        }
        query
    }

    fn address(&self, turns: &[String], at: usize, turned: u8) -> String {
        let query = self.query(turns, at, turned);
        let query = words::query(query.iter().map(|(name, value)| (*name, value.as_str())));
        format!("/try/{}{query}", self.entry.card.key)
    }

    fn at(&self, at: usize) -> String {
        self.address(self.game.turns(), at, self.turned)
    }

    /// The address after one more turn, which replaces what followed on the position shown.
    fn played(&self, turn: &str) -> Result<String, String> {
        let mut game = self.game.at(self.at);
        game.play(turn).map_err(|error| error.to_string())?;
        if !self.holds(game.turns()) {
            return Err(too_long());
        }
        Ok(self.address(game.turns(), self.at + 1, self.turned))
    }
}

#[derive(Template)]
#[template(path = "analysis/board.html")]
struct Page<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
    analysis: &'a Analysis,
    key: &'static str,
    title: String,
    headline: String,
    board: String,
    turn_form: Option<TurnForm>,
    rounds: Vec<Round<'a>>,
    of: usize,
    link: String,
    position: String,
    text: String,
    record: String,
    rulebook: String,
}

impl Page<'_> {
    fn is_now(&self) -> bool {
        self.analysis.at == self.of
    }

    fn back(&self) -> Option<String> {
        let before = self.analysis.at.checked_sub(1)?;
        let turns = &self.analysis.game.turns()[..before];
        Some(self.analysis.address(turns, before, self.analysis.turned))
    }

    fn step(&self, by: isize) -> Option<String> {
        let at = self.analysis.at.checked_add_signed(by)?;
        (at <= self.of).then(|| self.analysis.at(at))
    }

    fn other_way(&self) -> String {
        let turned = (self.analysis.turned + 2) % 4;
        let analysis = self.analysis;
        analysis.address(analysis.game.turns(), analysis.at, turned)
    }

    fn turns(&self) -> String {
        join(self.analysis.game.turns())
    }

    fn new_game(&self, variant: &Variant) -> String {
        if variant.key.is_empty() {
            format!("/try/{}", self.key)
        } else {
            format!("/try/{}?variant={}", self.key, variant.key)
        }
    }
}

fn headline(game: &dyn AnyGame) -> String {
    let seats = game.seats();
    if let Some(seat) = game.to_move() {
        let name = seats.get(usize::from(seat.0)).map_or("", |seat| seat.name);
        return format!("{name} to move");
    }
    let Some(outcome) = game.outcome() else {
        return String::new();
    };
    let because = words::because(&outcome.reason.to_string());
    let winners: Vec<&str> = seats
        .iter()
        .filter(|seat| Some(seat.side) == outcome.winner)
        .map(|seat| seat.name)
        .collect();
    if winners.is_empty() {
        return format!("A draw {because}");
    }
    format!("{} won {because}", words::list(&winners))
}

pub async fn game(request: RequestContext, key: Path<String>, fields: Fields) -> Answer {
    let (analysis, mut wrong) = Analysis::read(&key, &fields)?;
    let changed = rulebook::fields::turn(&fields).filter(|_| fields.has("make"));
    let typed = changed.as_deref().unwrap_or(fields.get("turn")).trim();
    if !typed.is_empty() && wrong.is_empty() {
        match analysis.played(typed) {
            Ok(address) => return Ok(see(&address)),
            Err(why) => wrong.push((changed.as_ref().map_or("turn", |_| "words"), why)),
        }
    }
    let of = analysis.game.turns().len();
    let shown = analysis.game.at(analysis.at);
    let position = shown.flexichess();
    let waits = position.is_some_and(|position| position.pending().is_some());
    let choices = if waits { Vec::new() } else { shown.choices() };
    let typed: Vec<&str> = if fields.get("ply").parse() == Ok(analysis.at) {
        fields.all("step").collect()
    } else {
        Vec::new()
    };
    let diagram = shown.diagram();
    let progress = steps::progress(&choices, &typed, &|step| diagram.has(step));
    // Nothing is sent here, and everything can be taken back: a turn that is whole is played.
    if let Some(turn) = progress.whole.filter(|_| progress.next.is_empty())
        && let Ok(address) = analysis.played(turn)
    {
        return Ok(see(&address));
    }
    let here = analysis.at(analysis.at);
    let step = |steps: &[&str]| {
        let mut address = here.clone();
        if !steps.is_empty() {
            let mark = if here.contains('?') { '&' } else { '?' };
            let _ = write!(address, "{mark}ply={}", analysis.at);
        }
        for step in steps {
            let _ = write!(address, "&step={}", words::encode(step));
        }
        address
    };
    let (board, turn_form) = board(
        &request,
        &*shown,
        diagram,
        &choices,
        &progress,
        &step,
        analysis.turned,
        analysis.at,
        false,
    );
    let problems = if wrong.is_empty() {
        Problems::default()
    } else {
        Problems::of(AppError::Invalid(wrong))?
    };
    let rulebook = match position {
        Some(position) => rulebook::page::render(&RuleEditorContext {
            request: &request,
            position,
            path: format!("/try/{}", analysis.entry.card.key),
            is_here: false,
            query: analysis.query(analysis.game.turns(), analysis.at, analysis.turned),
            fields: &fields,
            send: if shown.to_move().is_some() {
                Sending::Get
            } else {
                Sending::Never
            },
            turned: analysis.turned,
            record: None,
            refused: problems.at("words").is_some(),
            decides: None,
            disputed: false,
            board: None,
            tells_waiting: true,
            moves: None,
        })?,
        None => String::new(),
    };
    let record = Record {
        position: analysis.position.clone(),
        ..Record::new(
            analysis.entry.card.key,
            analysis.variant.key,
            &*analysis.game,
        )
    };
    let past = analysis.game.past();
    let page = Page {
        request: &request,
        fields: &fields,
        problems: &problems,
        key: analysis.entry.card.key,
        title: words::game(&Terms {
            game: analysis.entry.card.key.to_owned(),
            variant: analysis.variant.key.to_owned(),
            days: 1,
            open: false,
        }),
        headline: headline(&*shown),
        board,
        turn_form,
        rounds: rounds(
            analysis.game.turns(),
            &past,
            analysis.at,
            request.numbered,
            &|at| analysis.at(at),
        ),
        of,
        link: format!("{}{here}", request.app.url),
        position: shown.position(),
        text: shown.text(),
        record: record.to_string(),
        rulebook,
        analysis: &analysis,
    };
    problems.page(&request, &page)
}

#[derive(Template)]
#[template(path = "analysis/list.html")]
struct List<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
    games: Vec<Listing>,
}

fn choose(request: &RequestContext, fields: &Fields, problems: &Problems) -> Answer {
    let page = List {
        request,
        fields,
        problems,
        games: listings(),
    };
    problems.page(request, &page)
}

pub async fn list(request: RequestContext) -> Answer {
    choose(&request, &Fields::default(), &Problems::default())
}

pub async fn open(post: Post) -> Answer {
    let Post { request, fields } = post;
    let why = match record::read(fields.get("record")) {
        Ok(replayed) => match address_of(&replayed.record) {
            Some(address) => return Ok(see(&address)),
            None => too_long(),
        },
        Err(error) => error.to_string(),
    };
    let problems = Problems::of(AppError::Invalid(vec![("record", why)]))?;
    choose(&request, &fields, &problems)
}

/// Where this record stands on the try board, if it fits there.
pub fn address_of(record: &Record) -> Option<String> {
    let entry = registry::find(&record.game)?;
    let variants = entry.card.variants;
    let analysis = Analysis {
        entry,
        variant: variants.iter().find(|v| v.key == record.variant)?,
        position: record.position.clone(),
        game: entry.setup(&record.variant)?,
        at: 0,
        turned: 0,
    };
    let fits = analysis.holds(&record.turns);
    fits.then(|| analysis.address(&record.turns, record.turns.len(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_survive_an_address() {
        let turns = ["c1-a1", "rule N NW \"a_b ~1 ~0 ~ __\"", "4>"].map(str::to_owned);
        assert_eq!(split(&join(&turns)).collect::<Vec<_>>(), turns);
        assert_eq!(join(&turns[..1]), "c1-a1");
        assert_eq!(split("").count(), 0);
    }
}
