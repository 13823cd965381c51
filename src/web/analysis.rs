//! The board for analysis: the visitor plays both sides. The page's address holds the game, so it can be shared;
//! nothing is stored.
//!
//! The game is in the path (`/try/quixo/turns=c1-a1_e5-e1`), and the view of it in the query: so each of the many
//! links of a page is only a query (`?at=1`), and a page grows with its turns, not with their square.

use std::fmt::Write as _;

use actix_web::web::Path;
use askama::Template;

use crate::app::AppError;
use crate::texts::{self, matches};
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::games::{Listing, listings};
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::rounds::{Round, rounds};
use crate::web::rulebook::context::{RuleEditorContext, Sending};
use crate::web::rulebook::deck::Deck;
use crate::web::rulebook::hint::{self, Hint};
use crate::web::rulebook::page::Rulebook;
use crate::web::rulebook::pictures::off_the_board;
use crate::web::submission::Submission;
use crate::web::turn_form::{TurnForm, board};
use crate::web::{rulebook, steps};
use perplex_games::board::Variant;
use perplex_games::game::AnyGame;
use perplex_games::record::Record;
use perplex_games::registry::Entry;
use perplex_games::{record, registry};
use perplex_matches::correspondence::event::Terms;

/// Web servers in front take no longer addresses.
const LONGEST: usize = 8_000;
const MOST_TURNS: usize = 400;

/// The length of the turn or position in an address, with the separator before it.
fn length(text: &str) -> usize {
    texts::encode(text).len() + 1
}

/// A text escaped for a path, where servers in front take a slash, encoded or not, for one of the path.
fn escape(text: &str) -> String {
    text.replace('~', "~0")
        .replace('_', "~1")
        .replace('/', "~2")
}

fn unescape(text: &str) -> String {
    text.replace("~2", "/")
        .replace("~1", "_")
        .replace("~0", "~")
}

/// The turns as one text for an address: `c1-a1_e5-e1`, escaped, since texts of rules may hold any character.
fn join(turns: &[String]) -> String {
    let escaped: Vec<String> = turns.iter().map(|turn| escape(turn)).collect();
    escaped.join("_")
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split('_')
        .filter(|turn| !turn.trim().is_empty())
        .map(unescape)
}

/// The field in the query for the first game of a text with several.
pub const FIRST: &str = "first";

/// The fields in the path of an address; all others are in its query.
const GAME: [&str; 3] = ["variant", "position", "turns"];

/// The game in the path of an address; `kept` is the path as it came.
fn game_in_path(kept: &str) -> Result<Fields, Failure> {
    let fields = Fields::of_game(kept);
    if fields.is_empty() || !fields.has_only(&GAME) {
        return Err(Failure::App(AppError::NotFound));
    }
    if !fields.has("position") {
        return Ok(fields);
    }
    let position = unescape(fields.get("position"));
    Ok(fields.replaced("position", position))
}

/// The path of a game on the try board.
fn path_of(key: &str, variant: &str, position: Option<&str>, turns: &str) -> String {
    let position = position.map(escape).unwrap_or_default();
    let parts = [
        ("variant", variant),
        ("position", &*position),
        ("turns", turns),
    ];
    let parts = parts.into_iter().filter(|(_, value)| !value.is_empty());
    match &*texts::query(parts) {
        "" => format!("/try/{key}"),
        query => format!("/try/{key}/{}", &query[1..]),
    }
}

/// The errors in an address: for each field a sentence.
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
    fn read(key: &str, kept: &Fields, fields: &Fields) -> Result<(Self, Wrong), Failure> {
        let nothing = || Failure::App(AppError::NotFound);
        let entry = registry::find(key).ok_or_else(nothing)?;
        let variant = entry
            .card
            .variants
            .iter()
            .find(|variant| variant.key == kept.get("variant"))
            .ok_or_else(nothing)?;
        let mut game = entry.setup(variant.key).ok_or_else(nothing)?;
        let mut wrong = Vec::new();
        let mut position = Some(kept.get("position").trim().to_owned());
        position = position.filter(|text| !text.is_empty());
        if position
            .as_deref()
            .is_some_and(|text| length(text) > LONGEST)
        {
            wrong.push(("position", matches::too_long(MOST_TURNS, LONGEST)));
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
            kept.get("turns")
        } else {
            ""
        };
        let mut used = position.as_deref().map_or(0, length);
        for (number, turn) in (1..).zip(split(turns)) {
            used += length(&turn);
            let why = if number > MOST_TURNS || used > LONGEST {
                matches::too_long(MOST_TURNS, LONGEST)
            } else if let Err(error) = game.play(&turn) {
                matches::wrong_turn(number, &error.to_string())
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

    fn path(&self, turns: &[String]) -> String {
        let position = self.position.as_deref();
        path_of(
            self.entry.card.key,
            self.variant.key,
            position,
            &join(turns),
        )
    }

    /// The part of the query that says how this game is shown.
    fn query(&self, at: usize, turned: u8) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        if at < self.game.turns().len() {
            query.push(("at", at.to_string()));
        }
        if turned > 0 {
            query.push(("turned", turned.to_string()));
        }
        query
    }

    /// The link to a view of this game, from a page of it.
    fn link_to(&self, at: usize, turned: u8) -> String {
        let query = self.query(at, turned);
        match texts::query(query.iter().map(|(name, value)| (*name, value.as_str()))) {
            query if query.is_empty() => "?".to_owned(),
            query => query,
        }
    }

    fn at(&self, at: usize) -> String {
        self.link_to(at, self.turned)
    }

    /// The address after these turns, all of them shown.
    fn address(&self, turns: &[String]) -> String {
        let path = self.path(turns);
        match self.turned {
            0 => path,
            turned => format!("{path}?turned={turned}"),
        }
    }

    /// The address after one more turn, which replaces those after the position shown.
    fn played(&self, turn: &str) -> Result<String, String> {
        let mut game = self.game.at(self.at);
        game.play(turn).map_err(|error| error.to_string())?;
        if !self.holds(game.turns()) {
            return Err(matches::too_long(MOST_TURNS, LONGEST));
        }
        Ok(self.address(game.turns()))
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
    /// The pieces that are not on the board any more.
    gone: Vec<String>,
    rounds: Vec<Round<'a>>,
    of: usize,
    path: String,
    /// The position as sent, if it is wrong.
    sent_position: &'a str,
    link: String,
    position: String,
    text: String,
    record: String,
    rulebook: Rulebook,
    hint_at_turn: Option<Hint>,
    /// True if its reader chooses between our signs and the official ones.
    has_signs: bool,
}

impl Page<'_> {
    fn is_now(&self) -> bool {
        self.analysis.at == self.of
    }

    fn back(&self) -> Option<String> {
        let before = self.analysis.at.checked_sub(1)?;
        Some(self.analysis.address(&self.analysis.game.turns()[..before]))
    }

    fn step(&self, by: isize) -> Option<String> {
        let at = self.analysis.at.checked_add_signed(by)?;
        (at <= self.of).then(|| self.analysis.at(at))
    }

    fn other_way(&self) -> String {
        let turned = (self.analysis.turned + 2) % 4;
        self.analysis.link_to(self.analysis.at, turned)
    }

    fn new_game(&self, variant: &Variant) -> String {
        path_of(self.key, variant.key, None, "")
    }
}

fn headline(game: &dyn AnyGame) -> String {
    let seats = game.seats();
    if let Some(seat) = game.to_move() {
        let name = seats.get(usize::from(seat.0)).map_or("", |seat| seat.name);
        return matches::to_move(name);
    }
    let Some(outcome) = game.outcome() else {
        return String::new();
    };
    let winners: Vec<String> = seats
        .iter()
        .filter(|seat| Some(seat.side) == outcome.winner)
        .map(|seat| seat.name.to_owned())
        .collect();
    matches::result(outcome, &winners)
}

/// Redirects a game in the query, as forms send it and as addresses once had it, to its path.
pub async fn start(request: RequestContext, key: Path<String>, fields: Fields) -> Answer {
    if !GAME.iter().any(|name| fields.has(name)) {
        return game(request, key.into_inner(), Fields::default(), fields);
    }
    let entry = registry::find(&key).ok_or(AppError::NotFound)?;
    let position = Some(fields.get("position").trim());
    let turns: Vec<String> = split(fields.get("turns")).collect();
    let path = path_of(
        entry.card.key,
        fields.get("variant"),
        position,
        &join(&turns),
    );
    let looked = fields.iter().filter(|(name, _)| !GAME.contains(&&**name));
    let query = texts::query(looked.map(|(name, value)| (&**name, &**value)));
    Ok(see(&format!("{path}{query}")))
}

pub async fn kept(request: RequestContext, path: Path<(String, String)>, fields: Fields) -> Answer {
    let (key, _) = path.into_inner();
    // The path as it came: decoded, a separator could not be told from an escaped one.
    let whole = request.path.split('?').next().unwrap_or_default();
    let kept = game_in_path(whole.splitn(4, '/').nth(3).unwrap_or_default())?;
    game(request, key, kept, fields)
}

fn game(request: RequestContext, key: String, kept: Fields, fields: Fields) -> Answer {
    let (analysis, mut wrong) = Analysis::read(&key, &kept, &fields)?;
    let changed = rulebook::fields::turn(&fields).filter(|_| fields.has("make"));
    let typed = changed.as_deref().unwrap_or(fields.get("turn")).trim();
    let of = analysis.game.turns().len();
    let shown = analysis.game.at(analysis.at);
    let position = shown.flexichess();
    let is_unseen =
        !typed.is_empty() && position.is_some_and(|position| hint::is_unseen(position, &fields));
    if !typed.is_empty() && wrong.is_empty() && !is_unseen {
        match analysis.played(typed) {
            Ok(address) => return Ok(see(&address)),
            Err(why) => wrong.push((changed.as_ref().map_or("turn", |_| "words"), why)),
        }
    }
    let waits = position.is_some_and(|position| position.pending().is_some());
    let choices = if waits { Vec::new() } else { shown.choices() };
    let typed: Vec<&str> = if fields.get("ply").parse() == Ok(analysis.at) {
        fields.all("step").collect()
    } else {
        Vec::new()
    };
    let diagram = shown.diagram();
    let has_signs = !diagram.official_signs.is_empty();
    let progress = steps::progress(&choices, &typed, &|step| diagram.has(step));
    // No turn is sent here, and all can be taken back: a complete turn is played at once.
    if let Some(turn) = progress.whole.filter(|_| progress.next.is_empty())
        && let Ok(address) = analysis.played(turn)
    {
        return Ok(see(&address));
    }
    let here = analysis.at(analysis.at);
    let step = |steps: &[&str]| {
        let mut address = here.clone();
        if !steps.is_empty() {
            let mark = if here.len() > 1 { "&" } else { "" };
            let _ = write!(address, "{mark}ply={}", analysis.at);
        }
        for step in steps {
            let _ = write!(address, "&step={}", texts::encode(step));
        }
        address
    };
    let problems = if wrong.is_empty() && !is_unseen {
        Problems::default()
    } else {
        Problems::told(wrong)
    };
    let path = analysis.path(analysis.game.turns());
    let editor = position.map(|position| RuleEditorContext {
        request: &request,
        position,
        path: path.clone(),
        is_here: true,
        query: analysis.query(analysis.at, analysis.turned),
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
        deck: Deck::All,
        own: &[],
        hand: &[],
        keeps: None,
        new_card: None,
        tells_waiting: true,
        moves: None,
    });
    let after_change = editor.as_ref().and_then(RuleEditorContext::board_after);
    let gone = off_the_board(&request, &diagram);
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
        after_change,
    );
    let rulebook = match &editor {
        Some(editor) => rulebook::page::render(editor)?,
        None => Rulebook::default(),
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
        title: texts::game(&Terms {
            game: analysis.entry.card.key.to_owned(),
            variant: analysis.variant.key.to_owned(),
            days: 1,
            open: false,
        }),
        headline: headline(&*shown),
        has_signs,
        board,
        turn_form,
        gone,
        rounds: rounds(
            analysis.game.turns(),
            &past,
            analysis.at,
            request.numbered,
            &|at| analysis.at(at),
        ),
        of,
        sent_position: kept.get("position"),
        link: format!("{}{path}{}", request.app.url, here.trim_end_matches('?')),
        path,
        position: shown.position(),
        text: shown.text(analysis.turned),
        record: record.to_string(),
        rulebook,
        hint_at_turn: editor.as_ref().and_then(RuleEditorContext::hint_at_turn),
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

pub async fn open(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let text = fields.get("record");
    let why = match record::read(text) {
        Err(_) if text.trim().is_empty() => matches::NO_RECORD.to_owned(),
        Ok(replayed) => match address_of(&replayed.record) {
            Some(address) if replayed.is_first => {
                return Ok(see(&format!("{address}?{FIRST}=yes")));
            }
            Some(address) => return Ok(see(&address)),
            None => matches::too_long(MOST_TURNS, LONGEST),
        },
        Err(error) => error.to_string(),
    };
    let problems = Problems::told(vec![("record", why)]);
    choose(&request, &fields, &problems)
}

/// The address of this record on the try board, if it fits there.
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
    fits.then(|| analysis.address(&record.turns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_survive_an_address() {
        let turns = ["c1-a1", "rule N NW \"a_b ~1 ~0 ~2 ~ / __\"", "4>"].map(str::to_owned);
        assert_eq!(split(&join(&turns)).collect::<Vec<_>>(), turns);
        assert_eq!(join(&turns[..1]), "c1-a1");
        assert_eq!(split("").count(), 0);
    }
}
