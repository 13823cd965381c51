//! The page of a match, at any of its positions, and what can be done there.

use std::collections::HashSet;
use std::fmt::Write as _;

use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::http::{StatusCode, header};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::kept::KeptPages;
use super::problems::Problems;
use super::rulebook::{self, Desk, Sending};
use super::steps::{self, Progress};
use super::visit::{Fields, Post, Visit, see};
use super::{Answer, live, tries, words};
use crate::app::AppError;
use crate::app::matches::{Line, MatchView, Name};
use crate::board::{Diagram, View};
use crate::games::{self, AnyGame, Choice, Past};
use crate::play::event::MatchId;
use crate::play::{Command, Phase, Refusal};
use crate::record::{Changed, Record, pgn};
use crate::rules::{Seat, SeatName};

/// A seat and who has it.
struct Player<'a> {
    seat: &'static SeatName,
    name: Option<&'a Name>,
    is_you: bool,
    is_to_move: bool,
    has_won: bool,
}

/// A turn in the list of turns.
pub struct Played<'a> {
    /// As it is written: squares by their names or numbers, changes of a rule without their text.
    pub text: &'a str,
    /// How else it is written.
    pub also: Option<&'a str>,
    /// All of it.
    pub whole: &'a str,
    pub ply: usize,
    pub is_here: bool,
}

/// A round in the list of turns: one turn of each seat.
pub struct Round<'a> {
    pub number: usize,
    pub turns: Vec<Played<'a>>,
}

/// A step that is no place on the board.
pub struct Button {
    pub label: String,
    pub address: String,
    pub step: String,
    /// Whether it is chosen already, and could be replaced.
    pub is_chosen: bool,
}

/// What a turn is put together with; only for the player to move.
pub struct Making {
    /// The turn, if it is whole.
    pub whole: Option<String>,
    /// The steps so far, in words.
    pub steps: String,
    /// Whether it may also go on.
    pub more: bool,
    pub buttons: Vec<Button>,
    /// Where a step is taken back.
    pub undo: Option<String>,
    /// What to do, before a step is taken.
    pub hint: String,
    pub json: String,
}

/// A note or a line of talk.
struct Said<'a> {
    line: &'a Line,
    is_yours: bool,
    when: String,
    /// The turn that it came with.
    turn: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "match.html")]
struct MatchPage<'a> {
    visit: &'a Visit,
    view: &'a MatchView,
    fields: &'a Fields,
    problems: &'a Problems,
    game: String,
    key: &'a str,
    title: String,
    tone: &'static str,
    headline: String,
    hint: String,
    last: Option<String>,
    players: Vec<Player<'a>>,
    board: String,
    text: String,
    /// Which position is shown, and how many turns there are.
    ply: usize,
    of: usize,
    rounds: Vec<Round<'a>>,
    talk: Vec<Said<'a>>,
    making: Option<Making>,
    rulebook: String,
    turned_over: u8,
    place: Place<'a>,
    heads: String,
    link: Option<String>,
    free: Vec<&'static SeatName>,
    may_offer_with_turn: bool,
}

/// The address of the page, with what has to be kept from link to link.
#[derive(Clone, Copy)]
struct Place<'a> {
    id: &'a MatchId,
    turned: Option<u8>,
}

impl Place<'_> {
    fn query(self) -> String {
        self.turned
            .map_or_else(String::new, |quarters| format!("?turned={quarters}"))
    }

    fn now(self) -> String {
        format!("/match/{}{}", self.id, self.query())
    }

    fn at(self, ply: usize) -> String {
        format!("/match/{}/at/{ply}{}", self.id, self.query())
    }

    fn act(self, what: &str) -> String {
        format!("/match/{}/{what}{}", self.id, self.query())
    }

    /// The page with `steps` taken. A page for another position than the `ply`-th passes over the
    /// steps.
    fn step(self, ply: usize, steps: &[&str]) -> String {
        if steps.is_empty() {
            return self.now();
        }
        let mut address = format!("/match/{}?", self.id);
        if let Some(quarters) = self.turned {
            let _ = write!(address, "turned={quarters}&");
        }
        let _ = write!(address, "ply={ply}");
        for step in steps {
            address.push_str("&step=");
            address.push_str(&words::encode(step));
        }
        address
    }
}

impl MatchPage<'_> {
    fn is_now(&self) -> bool {
        self.ply == self.of
    }

    /// Whether it loads itself anew in a browser without scripts: while somebody waits for another's turn.
    fn reloads(&self) -> bool {
        self.tone == "theirs" && self.is_now() && !self.is_trying() && !self.problems.any()
    }

    /// Whether a turn is shown that could be sent.
    fn is_trying(&self) -> bool {
        let whole = self
            .making
            .as_ref()
            .and_then(|making| making.whole.as_ref());
        self.is_now() && whole.is_some()
    }

    fn back(&self) -> Option<String> {
        (self.ply > 0).then(|| self.place.at(self.ply - 1))
    }

    fn forward(&self) -> Option<String> {
        match self.ply + 1 {
            next if next < self.of => Some(self.place.at(next)),
            next if next == self.of => Some(self.place.now()),
            _ => None,
        }
    }

    fn address_of(&self, ply: usize) -> String {
        if ply == self.of {
            self.place.now()
        } else {
            self.place.at(ply)
        }
    }

    fn other_way(&self) -> String {
        let turned = format!("?turned={}", self.turned_over);
        if self.is_now() {
            format!("/match/{}{turned}", self.view.id)
        } else {
            format!("/match/{}/at/{}{turned}", self.view.id, self.ply)
        }
    }

    fn is_gathering(&self) -> bool {
        self.view.state.phase == Phase::Gathering
    }

    /// The seats of a match for more than two that gathers players, and who has wished for them.
    fn waiting(&self) -> Vec<(&'static SeatName, Option<&Name>, bool)> {
        let state = &*self.view.state;
        let seats = state.game.seats();
        if seats.len() < 3 || !self.is_gathering() {
            return Vec::new();
        }
        seats
            .iter()
            .map(|seat| {
                let sits = state
                    .joined
                    .iter()
                    .position(|player| player.wish.as_deref() == Some(seat.key))
                    .and_then(|index| self.view.joined.get(index));
                let is_free = self.free.iter().any(|free| free.key == seat.key);
                (seat, sits, is_free)
            })
            .collect()
    }

    /// Who has joined and takes any seat.
    fn anywhere(&self) -> Vec<&Name> {
        let joined = self.view.state.joined.iter().zip(&self.view.joined);
        joined
            .filter(|(player, _)| player.wish.is_none())
            .map(|(_, name)| name)
            .collect()
    }

    /// Where this position is on the try board.
    fn tried(&self) -> Option<String> {
        let terms = &self.view.state.terms;
        let game = &self.view.state.game;
        let mut record = Record::new(&terms.game, &terms.variant, &**game);
        record.turns.truncate(self.ply);
        tries::address_of(&record)
    }

    fn names_invited(&self) -> String {
        let names: Vec<&str> = self.view.invited.iter().map(|n| n.name.as_str()).collect();
        words::list(&names)
    }
}

/// What the page is to show beside the match itself.
struct Wanted<'a> {
    /// The position after so many turns; the present one if there is none.
    ply: Option<usize>,
    fields: &'a Fields,
    problems: &'a Problems,
}

fn seat_name(view: &MatchView, seat: Seat) -> Option<&Name> {
    view.joined.get(usize::from(seat.0))
}

/// The page. It is made without asking the database for anything more.
fn render(visit: &Visit, view: &MatchView, wanted: &Wanted) -> Answer {
    let state = &*view.state;
    let of = state.turns.len();
    let ply = wanted.ply.unwrap_or(of);
    if ply > of {
        return Err(AppError::NotFound.into());
    }
    let is_now = ply == of;
    let earlier;
    let game: &dyn AnyGame = if is_now {
        &*state.game
    } else {
        earlier = state.game.at(ply);
        &*earlier
    };
    let fields = wanted.fields;
    let given: Option<u8> = fields
        .get("turned")
        .parse()
        .ok()
        .map(|quarters: u8| quarters % 4);
    let facing = view.rights.seat.map_or(0, |seat| state.game.facing(seat));
    let turned = given.unwrap_or(facing);
    let place = Place {
        id: &view.id,
        turned: given,
    };

    let position = games::flexichess(game);
    let waits = position.is_some_and(|position| position.pending().is_some());
    // What waits for an answer is answered in the rulebook.
    let choices = if is_now && view.rights.play && !waits {
        game.choices()
    } else {
        Vec::new()
    };
    let typed: Vec<&str> = if fields.get("ply").parse() == Ok(of) {
        fields.all("step").collect()
    } else {
        Vec::new()
    };
    let diagram = game.diagram();
    let progress = steps::progress(&choices, &typed, &|step| diagram.has(step));
    let address = |steps: &[&str]| place.step(ply, steps);
    let confirm = visit.viewer.as_ref().is_none_or(|v| v.confirm_turns);
    let (board, making) = board(
        visit, game, diagram, &choices, &progress, &address, turned, ply, confirm,
    );

    let rulebook = match position.filter(|_| state.has_begun()) {
        Some(position) => rulebook::render(&Desk {
            visit,
            position,
            path: if is_now {
                format!("/match/{}", view.id)
            } else {
                format!("/match/{}/at/{ply}", view.id)
            },
            query: given
                .map(|quarters| ("turned", quarters.to_string()))
                .into_iter()
                .collect(),
            fields,
            send: if is_now && view.rights.play {
                Sending::Post(place.act("turn"), vec![("ply", of.to_string())])
            } else {
                Sending::Never
            },
            turned,
            record: Some(format!("/match/{}/changes", view.id)),
            refused: wanted.problems.at("words").is_some(),
            decides: None,
            disputed: false,
            moves: None,
        })?,
        None => String::new(),
    };
    let (tone, headline, hint) = headline(visit, view);
    let turns = state.game.turns();
    let past = state.game.past();
    let page = MatchPage {
        visit,
        view,
        fields,
        problems: wanted.problems,
        game: words::game(&state.terms),
        key: &state.terms.game,
        title: title(view),
        tone,
        headline,
        hint,
        last: ply
            .checked_sub(1)
            .and_then(|last| past.get(last))
            .map(|past| last_turn(view, past)),
        players: players(view),
        board,
        text: game.text(),
        ply,
        of,
        rounds: rounds(turns, &past, ply, visit.numbered),
        talk: view
            .talk
            .iter()
            .map(|line| Said {
                is_yours: visit.viewer.as_ref().is_some_and(|v| v.id == line.by.id),
                when: visit.when(&line.at),
                turn: line
                    .ply
                    .and_then(|ply| turns.get(ply.checked_sub(1)?))
                    .map(String::as_str),
                line,
            })
            .collect(),
        making,
        rulebook,
        turned_over: (turned + 2) % 4,
        place,
        heads: live::write(view.heads),
        link: view
            .link
            .as_ref()
            .map(|path| format!("{}{path}", visit.app.url)),
        free: free_seats(view),
        may_offer_with_turn: view.rights.offer || view.rights.answer,
    };
    wanted.problems.page(visit, &page)
}

/// The board as it is to be seen, and what a turn is put together with.
#[expect(
    clippy::too_many_arguments,
    reason = "the pieces of one page, put together in one place"
)]
pub fn board(
    visit: &Visit,
    game: &dyn AnyGame,
    diagram: Diagram,
    choices: &[Choice],
    progress: &Progress,
    address: &dyn Fn(&[&str]) -> String,
    turned: u8,
    ply: usize,
    confirm: bool,
) -> (String, Option<Making>) {
    let coordinates = visit.coordinates();
    let picture = |diagram: Diagram, title: &str, ply, chosen: &[&str], next: &[_]| {
        let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
        rulebook::squares(visit, diagram).turned(turned).svg(&View {
            title,
            coordinates,
            chosen: &chosen,
            next,
            defs: true,
            ply,
            ..View::default()
        })
    };
    let title = match ply {
        0 => "The board at the start".to_owned(),
        1 => "The board after 1 turn".to_owned(),
        ply => format!("The board after {ply} turns"),
    };
    if choices.is_empty() {
        return (picture(diagram, &title, ply, &[], &[]), None);
    }
    let (making, next) = making(
        &diagram,
        choices,
        progress,
        address,
        ply,
        confirm,
        &|step: &str| game.step_label(step),
        game.hint(),
    );
    // A turn that is whole is shown as it would be; it is not made yet, and may go on.
    let tried = progress.whole.and_then(|turn| {
        let mut after = game.boxed();
        after.play(turn).ok()?;
        Some((after.diagram(), format!("The board if you play {turn}")))
    });
    let svg = match tried {
        Some((after, title)) => {
            // What has arrived goes on, if anything does.
            let on_board = |step: &str| diagram.cells.iter().any(|cell| cell.name == step);
            let mut chosen = progress.steps.iter().rev().filter(|step| on_board(step));
            let chosen = chosen.next().copied().filter(|_| !next.is_empty());
            picture(after, &title, ply + 1, chosen.as_slice(), &next)
        }
        None => picture(diagram, &title, ply, &progress.steps, &next),
    };
    (svg, Some(making))
}

/// What a turn is put together with on a board that looks like `diagram`, and the places on it that can come
/// next, each with the address that chooses it.
#[allow(
    clippy::too_many_arguments,
    reason = "the pieces of one form, put together in one place"
)]
pub fn making(
    diagram: &Diagram,
    choices: &[Choice],
    progress: &Progress,
    address: &dyn Fn(&[&str]) -> String,
    ply: usize,
    confirm: bool,
    label: &dyn Fn(&str) -> String,
    hint: String,
) -> (Making, Vec<(String, String)>) {
    let cells: HashSet<&str> = diagram.cells.iter().map(|cell| &*cell.name).collect();
    let on_board = |step: &str| cells.contains(step);
    let json = steps::json(choices, progress, ply, confirm, |step| {
        (!on_board(step)).then(|| label(step))
    });
    let with = |before: &[&str], step: &str| {
        let mut steps = before.to_vec();
        steps.push(step);
        address(&steps)
    };
    let before = progress.steps.split_last().map_or(&[][..], |(_, b)| b);
    let button = |before: &[&str], step: &str, is_chosen: bool| Button {
        label: label(step),
        address: with(before, step),
        step: step.to_owned(),
        is_chosen,
    };
    let instead = progress
        .instead
        .iter()
        .map(|step| button(before, step, progress.steps.last() == Some(step)));
    let next = progress
        .next
        .iter()
        .filter(|step| !on_board(step))
        .map(|step| button(&progress.steps, step, false));
    let buttons = instead.chain(next).collect();
    let undo = (!progress.steps.is_empty())
        .then(|| address(&steps::before(choices, &progress.steps, &on_board)));
    let said: Vec<String> = progress
        .steps
        .iter()
        .map(|step| {
            if on_board(step) {
                (*step).to_owned()
            } else {
                label(step)
            }
        })
        .collect();
    let making = Making {
        whole: progress.whole.map(str::to_owned),
        steps: said.join(", "),
        more: !progress.next.is_empty(),
        buttons,
        undo,
        hint,
        json,
    };
    let places = progress
        .next
        .iter()
        .filter(|step| on_board(step))
        .map(|step| ((*step).to_owned(), with(&progress.steps, step)))
        .collect();
    (making, places)
}

/// Whether it is the viewer's turn, in words: a tone, a headline, and what to do next.
fn headline(visit: &Visit, view: &MatchView) -> (&'static str, String, String) {
    let state = &*view.state;
    match state.phase {
        Phase::Gathering if view.rights.refuse => (
            "yours",
            format!("{} challenges you", view.maker.name),
            "Will you play?".to_owned(),
        ),
        Phase::Gathering => (
            "waiting",
            "Waiting for players".to_owned(),
            "The match begins when everybody has joined.".to_owned(),
        ),
        Phase::Playing => {
            let (Some(seat), Some(deadline)) = (state.to_move(), state.deadline) else {
                return ("theirs", String::new(), String::new());
            };
            let left = words::left(visit.now, deadline);
            let until = visit.when(&deadline);
            let side = state.game.seats()[usize::from(seat.0)].name;
            if view.rights.play {
                let hint = format!("You play {side} and have {left} left, until {until}.");
                return ("yours", "Your turn".to_owned(), hint);
            }
            let name = seat_name(view, seat).map_or("", |name| &name.name);
            let hint = format!("{name} plays {side} and has {left} left, until {until}.");
            ("theirs", format!("{name}’s turn"), hint)
        }
        Phase::Over => {
            let Some(outcome) = state.outcome else {
                return ("over", "Called off".to_owned(), String::new());
            };
            let because = words::because(&outcome.reason.to_string());
            let Some(winner) = outcome.winner else {
                return ("over", "A draw".to_owned(), format!("Drawn {because}."));
            };
            let winners: Vec<&str> = state
                .game
                .seats()
                .iter()
                .zip(&view.joined)
                .filter(|(seat, _)| seat.side == winner)
                .map(|(_, name)| name.name.as_str())
                .collect();
            let won = format!("{} won {because}.", words::list(&winners));
            let mine = visit
                .viewer
                .as_ref()
                .and_then(|viewer| state.side_of(&viewer.id));
            match mine {
                Some(side) if side == winner => ("over", "You won".to_owned(), won),
                Some(_) => ("over", "You lost".to_owned(), won),
                None => ("over", "The match is over".to_owned(), won),
            }
        }
    }
}

fn title(view: &MatchView) -> String {
    let names: Vec<&str> = view.joined.iter().map(|name| name.name.as_str()).collect();
    match view.state.phase {
        Phase::Gathering => format!("A match with {}", view.maker.name),
        _ => names.join(" – "),
    }
}

/// What was done in a turn, a sentence.
fn last_turn(view: &MatchView, past: &Past) -> String {
    let name = seat_name(view, past.seat).map_or("", |name| &name.name);
    format!("{name} {}.", past.clause)
}

fn players(view: &MatchView) -> Vec<Player<'_>> {
    let state = &*view.state;
    if !state.has_begun() {
        return Vec::new();
    }
    let to_move = state.to_move();
    (0u8..)
        .map(Seat)
        .zip(state.game.seats())
        .map(|(seat, seat_name)| {
            let is_to_move = to_move == Some(seat);
            Player {
                seat: seat_name,
                name: self::seat_name(view, seat),
                is_you: view.rights.seat == Some(seat),
                is_to_move,
                has_won: state
                    .outcome
                    .is_some_and(|outcome| outcome.winner == Some(seat_name.side)),
            }
        })
        .collect()
}

/// The turns in rounds of one turn for each seat, beside answers and what was taken back by one; the
/// `here`-th is shown.
pub fn rounds<'a>(
    turns: &'a [String],
    past: &'a [Past],
    here: usize,
    numbered: bool,
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
            _ => whole.split(" \"").next().unwrap_or(whole),
        };
        if let Some(round) = rounds.last_mut() {
            round.turns.push(Played {
                text,
                also: past.also.first().map(String::as_str),
                whole,
                ply,
                is_here: ply == here,
            });
        }
    }
    rounds
}

fn free_seats(view: &MatchView) -> Vec<&'static SeatName> {
    if !view.rights.join {
        return Vec::new();
    }
    let free = view.state.free_seats();
    view.state
        .game
        .seats()
        .iter()
        .filter(|seat| free.contains(&seat.key))
        .collect()
}

async fn look(visit: &Visit, id: &str, wanted: &Wanted<'_>) -> Answer {
    let id = MatchId(id.to_owned());
    let view = visit.app.view(visit.viewer.as_ref(), &id, None).await?;
    render(visit, &view, wanted)
}

/// The match as it stands. A page that was made before is given again if it is still right.
pub async fn now(request: HttpRequest, id: Path<String>, fields: Fields) -> Answer {
    let id = MatchId(id.into_inner());
    let (visit, version) = Visit::at(&request, Some(&id)).await?;
    // What an address says beyond the match would be in the page.
    let keeps = request.app_data::<Data<KeptPages>>();
    let keeps = keeps.filter(|_| request.query_string().is_empty());
    if let Some(keeps) = keeps
        && let Some(html) = version.and_then(|version| keeps.find(&visit, &id, version))
    {
        return Ok(visit.html(StatusCode::OK, html));
    }
    let wanted = Wanted {
        ply: None,
        fields: &fields,
        problems: &Problems::default(),
    };
    let view = visit.app.view(visit.viewer.as_ref(), &id, None).await?;
    let (head, body) = render(&visit, &view, &wanted)?.into_parts();
    let html = body
        .try_into_bytes()
        .map_err(|_| AppError::Internal("a page without an end".to_owned()))?;
    if let Some(keeps) = keeps {
        keeps.keep(&visit, &view, &html);
    }
    Ok(head.set_body(BoxBody::new(html)))
}

/// The match as it stood after some turns.
pub async fn at(visit: Visit, path: Path<(String, usize)>, fields: Fields) -> Answer {
    let (id, ply) = path.into_inner();
    let wanted = Wanted {
        ply: Some(ply),
        fields: &fields,
        problems: &Problems::default(),
    };
    look(&visit, &id, &wanted).await
}

/// The page after something was done: the match as it stands now, or what was wrong.
async fn after(post: &Post, id: &str, query: &Fields, result: Result<(), AppError>) -> Answer {
    let turned = query.get("turned").parse::<u8>().ok();
    match result {
        Ok(()) => {
            let id = MatchId(id.to_owned());
            Ok(see(&Place { id: &id, turned }.now()))
        }
        Err(error) => {
            let problems = match error {
                // Next to the field where it was typed.
                AppError::Refused(Refusal::Turn(error)) => {
                    let field = rulebook::field(&post.fields).unwrap_or("turn");
                    Problems::of(AppError::Invalid(vec![(field, error.to_string())]))?
                }
                error => Problems::of(error)?,
            };
            let mut fields = post.fields.clone();
            if let Some(turned) = turned {
                fields = fields.with("turned", turned.to_string());
            }
            let wanted = Wanted {
                ply: None,
                fields: &fields,
                problems: &problems,
            };
            look(&post.visit, id, &wanted).await
        }
    }
}

async fn act(
    post: &Post,
    id: &str,
    link: Option<&str>,
    command: Command,
    note: &str,
) -> Result<(), AppError> {
    let Some(viewer) = &post.visit.viewer else {
        return Err(AppError::SignIn);
    };
    let id = MatchId(id.to_owned());
    post.visit.app.act(viewer, &id, link, command, note).await?;
    Ok(())
}

/// Makes a turn.
pub async fn turn(post: Post, id: Path<String>, query: Fields) -> Answer {
    let fields = &post.fields;
    let command = Command::Play {
        // A page that does not say what it saw has seen nothing.
        ply: fields.get("ply").parse().unwrap_or(usize::MAX),
        turn: rulebook::turn(fields).unwrap_or_else(|| fields.get("turn").to_owned()),
        offer: fields.has("offer"),
    };
    let result = act(&post, &id, None, command, fields.get("note")).await;
    after(&post, &id, &query, result).await
}

/// Writes to the other players.
pub async fn talk(post: Post, id: Path<String>, query: Fields) -> Answer {
    let viewer = post.visit.viewer()?;
    let match_id = MatchId(id.clone());
    let result = post
        .visit
        .app
        .say(viewer, &match_id, post.fields.get("text"))
        .await;
    after(&post, &id, &query, result).await
}

/// Offers, accepts or declines a draw.
pub async fn draw(post: Post, id: Path<String>, query: Fields) -> Answer {
    let command = match post.fields.get("do") {
        "offer" => Command::Offer,
        "accept" => Command::Accept,
        "decline" => Command::Decline,
        _ => return Err(AppError::NotFound.into()),
    };
    let result = act(&post, &id, None, command, "").await;
    after(&post, &id, &query, result).await
}

/// Gives up.
pub async fn resign(post: Post, id: Path<String>, query: Fields) -> Answer {
    let result = act(&post, &id, None, Command::Resign, "").await;
    after(&post, &id, &query, result).await
}

fn join_command(fields: &Fields) -> Command {
    Command::Join {
        wish: Some(fields.get("side"))
            .filter(|side| !side.is_empty())
            .map(str::to_owned),
        // Whether a link was shown, and a good one, is found out by the application.
        by_link: false,
    }
}

/// Joins an open match, or accepts a challenge.
pub async fn join(post: Post, id: Path<String>, query: Fields) -> Answer {
    let result = act(&post, &id, None, join_command(&post.fields), "").await;
    after(&post, &id, &query, result).await
}

/// Declines a challenge.
pub async fn refuse(post: Post, id: Path<String>, query: Fields) -> Answer {
    match act(&post, &id, None, Command::Refuse, "").await {
        Ok(()) => Ok(see("/matches?done=refused")),
        error => after(&post, &id, &query, error).await,
    }
}

/// Invites somebody by name to a match that gathers players.
pub async fn invite(post: Post, id: Path<String>, query: Fields) -> Answer {
    let viewer = post.visit.viewer()?;
    let match_id = MatchId(id.clone());
    let name = post.fields.get("invite");
    let result = post.visit.app.invite(viewer, &match_id, name).await;
    after(&post, &id, &query, result).await
}

/// The record of a match, as a file.
pub async fn record(visit: Visit, path: Path<(String, String)>) -> Answer {
    let (id, form) = path.into_inner();
    let id = MatchId(id);
    let view = visit.app.view(visit.viewer.as_ref(), &id, None).await?;
    let record = written(&visit, &view);
    let (kind, text) = match form.as_str() {
        "json" => ("application/json", record.json()),
        "pgn" => {
            let text = pgn::write(&record, &*view.state.game).ok_or(AppError::NotFound)?;
            ("application/x-chess-pgn; charset=utf-8", text)
        }
        _ => ("text/plain; charset=utf-8", record.to_string()),
    };
    let name = format!("attachment; filename=\"perplex-{id}.{form}\"");
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, kind))
        .insert_header((header::CONTENT_DISPOSITION, name))
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .body(text))
}

/// The record of a match.
fn written(visit: &Visit, view: &MatchView) -> Record {
    let state = &*view.state;
    let terms = &state.terms;
    let mut record = Record::new(&terms.game, &terms.variant, &*state.game)
        .with("match", &format!("{}/match/{}", visit.app.url, view.id))
        .with("made", &state.created.to_string())
        .with("time", &format!("{} a turn", words::days(terms.days)));
    if state.has_begun() {
        for (seat, name) in state.game.seats().iter().zip(&view.joined) {
            record = record.with(seat.name, &name.name);
        }
    }
    record.changes = told_changes(view);
    if let Some(outcome) = state.outcome {
        let result = outcome.winner.map_or("draw".to_owned(), |s| s.to_string());
        record = record
            .with("result", &result)
            .with("reason", &outcome.reason.to_string());
    }
    record
}

/// The changes of the rules, with who made them and when.
fn told_changes(view: &MatchView) -> Vec<Changed> {
    let state = &*view.state;
    let past = state.game.past();
    let all = Changed::of(&*state.game).into_iter();
    all.map(|changed| {
        let index = changed.ply.saturating_sub(1);
        let by = past.get(index).and_then(|past| seat_name(view, past.seat));
        let at = state.turns.get(index).map(|(at, _)| at.to_string());
        Changed {
            by: by.map(|name| name.name.clone()),
            at,
            ..changed
        }
    })
    .collect()
}

#[derive(Template)]
#[template(path = "changes.html")]
struct ChangesPage<'a> {
    visit: &'a Visit,
    view: &'a MatchView,
    game: String,
    title: String,
    changes: String,
    any: bool,
}

/// The record of the changes of the rules, fit for printing.
pub async fn changes(visit: Visit, id: Path<String>) -> Answer {
    let id = MatchId(id.clone());
    let view = visit.app.view(visit.viewer.as_ref(), &id, None).await?;
    let state = &*view.state;
    let changes: Vec<rulebook::Told> = told_changes(&view)
        .iter()
        .map(|changed| {
            let time = state.turns.get(changed.ply.saturating_sub(1));
            let when = time.map(|(at, _)| visit.when(at));
            rulebook::Told::of(changed, when.unwrap_or_default())
        })
        .collect();
    visit.page(&ChangesPage {
        visit: &visit,
        game: words::game(&state.terms),
        title: title(&view),
        any: !changes.is_empty(),
        changes: rulebook::told(&changes)?,
        view: &view,
    })
}

/// Calls a match off that has not begun.
pub async fn withdraw(post: Post, id: Path<String>, query: Fields) -> Answer {
    match act(&post, &id, None, Command::Withdraw, "").await {
        Ok(()) => Ok(see("/matches?done=withdrawn")),
        error => after(&post, &id, &query, error).await,
    }
}

#[derive(Template)]
#[template(path = "join.html")]
struct Invitation<'a> {
    visit: &'a Visit,
    view: &'a MatchView,
    problems: &'a Problems,
    game: String,
    days: String,
    board: String,
    free: Vec<&'static SeatName>,
}

async fn invited(visit: &Visit, id: &str, token: &str, problems: &Problems) -> Answer {
    let id = MatchId(id.to_owned());
    let viewer = visit.viewer.as_ref();
    let view = visit.app.view(viewer, &id, Some(token)).await?;
    let joined = viewer.is_some_and(|viewer| {
        view.state
            .joined
            .iter()
            .any(|player| player.account == viewer.id)
    });
    if !problems.any() && (joined || view.state.phase != Phase::Gathering) {
        return Ok(see(&format!("/match/{id}")));
    }
    let game = words::game(&view.state.terms);
    let page = Invitation {
        visit,
        problems,
        days: words::days(view.state.terms.days),
        board: view.state.game.diagram().svg(&View {
            title: &game,
            defs: true,
            ..View::default()
        }),
        game,
        free: free_seats(&view),
        view: &view,
    };
    problems.page(visit, &page)
}

/// The page that the link of a match opens.
pub async fn invitation(visit: Visit, path: Path<(String, String)>) -> Answer {
    let (id, token) = path.into_inner();
    invited(&visit, &id, &token, &Problems::default()).await
}

/// Joins with the link of a match.
pub async fn join_by_link(post: Post, path: Path<(String, String)>) -> Answer {
    let (id, token) = path.into_inner();
    let command = join_command(&post.fields);
    match act(&post, &id, Some(&token), command, "").await {
        Ok(()) => Ok(see(&format!("/match/{id}"))),
        Err(error) => invited(&post.visit, &id, &token, &Problems::of(error)?).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_belong_to_the_round_of_what_they_answer() {
        let mut game = games::find("flexichess").unwrap().setup("").unwrap();
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
        let rounds = rounds(game.turns(), &past, 3, true);
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
                        "rule * written",
                        "reject",
                        "53-37",
                        "rule * written",
                        "accept"
                    ]
                ),
                (2, vec!["63-46", "under 1", "accept"]),
                (3, vec!["62-35"]),
            ]
        );
        assert!(rounds[0].turns[2].is_here);
        assert_eq!(rounds[0].turns[2].also, Some("e4"));
        assert_eq!(rounds[0].turns[0].whole, "rule * written \"A.\"");
    }
}
