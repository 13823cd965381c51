//! The page of a match, at any of its positions.

use std::fmt::Write as _;

use actix_web::HttpRequest;
use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use crate::app::correspondence::{Line, MatchView, Name};
use crate::app::{AppError, computer};
use crate::texts::matches::DrawNow;
use crate::texts::{self, matches, outcome, person};
use crate::web::analysis::address_of;
use crate::web::answer::Answer;
use crate::web::fields::Fields;
use crate::web::opening::{Opening, opening};
use crate::web::page_cache::PageCache;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::rounds::{Round, rounds};
use crate::web::rulebook::context::{RuleEditorContext, Sending};
use crate::web::rulebook::deck::Deck;
use crate::web::rulebook::hint::Hint;
use crate::web::rulebook::page::Rulebook;
use crate::web::rulebook::pictures::off_the_board;
use crate::web::turn_form::{TurnForm, board};
use crate::web::{live, rulebook, steps, untranslated};
use perplex_games::game::{AnyGame, PlayedTurn};
use perplex_games::player::Level;
use perplex_games::record::Record;
use perplex_games::rules::{Seat, SeatName, Side};
use perplex_matches::correspondence::Phase;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::id::MatchId;
use perplex_matches::names::isolated;

struct Player<'a> {
    seat: &'static SeatName,
    name: Option<&'a Name>,
    is_you: bool,
    is_to_move: bool,
    has_won: bool,
}

/// A player's name beside the board, at the side where they sit.
struct Beside<'a> {
    player: Player<'a>,
    /// The side of the page, clockwise from the top.
    at: &'static str,
}

/// A note or a message.
struct Said<'a> {
    line: &'a Line,
    is_yours: bool,
    when: String,
    turn: Option<&'a str>,
}

/// Messages of the players.
#[derive(Template)]
#[template(path = "matches/said.html")]
struct SaidPart<'a> {
    view: &'a MatchView,
    said: Vec<Said<'a>>,
    /// The page with the messages before them, if there are any.
    earlier: Option<String>,
}

/// The messages of a match as its page has them, or the page of earlier ones.
pub fn said(request: &RequestContext, view: &MatchView) -> Result<String, askama::Error> {
    let past = view.state.game.past();
    let said = view.talk.iter().map(|line| Said {
        is_yours: request.viewer.as_ref().is_some_and(|v| v.id == line.by.id),
        when: request.when(&line.at),
        turn: line
            .ply
            .and_then(|ply| past.get(ply.checked_sub(1)?))
            .map(|past| past.label.as_str()),
        line,
    });
    let first = view.talk.first().map(|line| line.number);
    let earlier = first.filter(|number| *number > 1);
    SaidPart {
        view,
        said: said.collect(),
        earlier: earlier.map(|number| format!("/match/{}/talk?before={number}", view.id)),
    }
    .render()
}

#[derive(Template)]
#[template(path = "matches/match.html")]
struct MatchPage<'a> {
    request: &'a RequestContext,
    view: &'a MatchView,
    fields: &'a Fields,
    problems: &'a Problems,
    game: String,
    key: &'a str,
    title: String,
    tone: &'static str,
    headline: String,
    hint: String,
    /// The time that the player to move has left.
    left: Option<String>,
    last: Option<String>,
    players: Vec<Player<'a>>,
    /// The players around the board, if there are more than two.
    around: Vec<Beside<'a>>,
    board: String,
    text: String,
    /// The number of turns before the position shown.
    ply: usize,
    of: usize,
    rounds: Vec<Round<'a>>,
    /// The messages, as HTML; empty without any.
    talk: String,
    turn_form: Option<TurnForm>,
    /// The pieces that are not on the board any more.
    gone: Vec<String>,
    rulebook: Rulebook,
    hint_at_turn: Option<Hint>,
    turned_over: u8,
    /// True if its reader chooses between our signs and the official ones.
    has_signs: bool,
    place: MatchAddress<'a>,
    heads: String,
    link: Option<String>,
    free: Vec<&'static SeatName>,
    /// The label of the choice to claim a draw with the next turn.
    claim_with: Option<String>,
    /// The reason why the player to move may claim a draw now.
    claim: Option<&'static str>,
    /// The offer of a draw that stands, or the answer to the reader's own, in a sentence.
    draw: Option<String>,
    /// Another match of a guest, in one that has not begun to be played.
    also: Option<&'a (MatchId, Level)>,
}

/// The address of the page, with the parameters kept from link to link.
#[derive(Clone, Copy)]
pub struct MatchAddress<'a> {
    pub id: &'a MatchId,
    pub turned: Option<u8>,
}

impl MatchAddress<'_> {
    fn query(self) -> String {
        self.turned
            .map_or_else(String::new, |quarters| format!("?turned={quarters}"))
    }

    pub fn now(self) -> String {
        format!("/match/{}{}", self.id, self.query())
    }

    fn at(self, ply: usize) -> String {
        format!("/match/{}/at/{ply}{}", self.id, self.query())
    }

    fn at_or_now(self, ply: usize, of: usize) -> String {
        if ply == of { self.now() } else { self.at(ply) }
    }

    fn act(self, what: &str) -> String {
        format!("/match/{}/{what}{}", self.id, self.query())
    }

    /// The address of a form that leaves the rule that is edited on the page as it is.
    fn act_beside(self, what: &str, fields: &Fields) -> String {
        format!("/match/{}/{what}{}", self.id, self.query_with(fields))
    }

    /// The page with the rule that is edited, so that it can be fetched again.
    pub fn with(self, fields: &Fields) -> String {
        format!("/match/{}{}", self.id, self.query_with(fields))
    }

    fn query_with(self, fields: &Fields) -> String {
        let turned = self.turned.map(|quarters| quarters.to_string());
        let turned = turned.iter().map(|quarters| ("turned", quarters.as_str()));
        texts::query(turned.chain(rulebook::fields::edited(fields)))
    }

    /// The page with `steps` taken. A page for another position than the `ply`-th ignores them.
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
            address.push_str(&texts::encode(step));
        }
        address
    }
}

impl MatchPage<'_> {
    fn is_now(&self) -> bool {
        self.ply == self.of
    }

    /// True if it reloads in a browser without scripts: while the viewer waits for another player's turn.
    fn reloads(&self) -> bool {
        self.tone == "theirs" && self.is_now() && !self.is_trying() && !self.problems.any()
    }

    fn is_trying(&self) -> bool {
        let whole = self
            .turn_form
            .as_ref()
            .and_then(|turn_form| turn_form.whole.as_ref());
        self.is_now() && whole.is_some()
    }

    fn path(&self) -> String {
        format!("/match/{}", self.view.id)
    }

    /// The address of the board as a picture; another one after each turn, so that nobody keeps an old one.
    fn picture(&self) -> String {
        format!("/match/{}/picture.png?after={}", self.view.id, self.of)
    }

    fn back(&self) -> Option<String> {
        (self.ply > 0).then(|| self.place.at(self.ply - 1))
    }

    fn forward(&self) -> Option<String> {
        let next = self.ply + 1;
        (next <= self.of).then(|| self.place.at_or_now(next, self.of))
    }

    fn other_way(&self) -> String {
        let turned = format!("?turned={}", self.turned_over);
        if self.is_now() {
            format!("/match/{}{turned}", self.view.id)
        } else {
            format!("/match/{}/at/{}{turned}", self.view.id, self.ply)
        }
    }

    fn is_over(&self) -> bool {
        self.view.state.phase == Phase::Over
    }

    fn is_gathering(&self) -> bool {
        self.view.state.phase == Phase::Gathering
    }

    /// The seats of a match for more than two that gathers players, with the players who wish for them.
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

    fn anywhere(&self) -> Vec<&Name> {
        let joined = self.view.state.joined.iter().zip(&self.view.joined);
        joined
            .filter(|(player, _)| player.wish.is_none())
            .map(|(_, name)| name)
            .collect()
    }

    fn analysis(&self) -> Option<String> {
        let terms = &self.view.state.terms;
        let game = &self.view.state.game;
        let mut record = Record::new(&terms.game, &terms.variant, &**game);
        record.turns.truncate(self.ply);
        address_of(&record)
    }

    /// The game and the strength of another match like this one, if it is over and was against the computer.
    fn again(&self) -> Option<(String, Level)> {
        let state = &self.view.state;
        if state.phase != Phase::Over || !self.is_now() || self.view.rights.seat.is_none() {
            return None;
        }
        let mut players = state.joined.iter();
        let computer = players.find_map(|player| computer::find(&player.account))?;
        let Terms { game, variant, .. } = &state.terms;
        Some((format!("{game}:{variant}"), computer.level))
    }

    fn names_invited(&self) -> String {
        let invited = self.view.invited.iter();
        let names: Vec<String> = invited.map(|name| isolated(person(name))).collect();
        texts::list(&names)
    }
}

/// The view of the match that the page shows.
pub struct Shown<'a> {
    /// The number of turns before the position; `None` for the present one.
    pub ply: Option<usize>,
    pub fields: &'a Fields,
    pub problems: &'a Problems,
    /// For a guest, another match of the same game that still runs, with the strength of the computer.
    pub also: Option<(MatchId, Level)>,
}

pub fn seat_name(view: &MatchView, seat: Seat) -> Option<&Name> {
    view.joined.get(usize::from(seat.0))
}

/// The page. Rendering it needs no more of the database.
fn render(request: &RequestContext, view: &MatchView, shown: &Shown) -> Answer {
    let state = &*view.state;
    let of = state.turns.len();
    let ply = shown.ply.unwrap_or(of);
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
    let fields = shown.fields;
    let given: Option<u8> = fields
        .get("turned")
        .parse()
        .ok()
        .map(|quarters: u8| quarters % 4);
    let facing = view.rights.seat.map_or(0, |seat| state.game.facing(seat));
    let turned = given.unwrap_or(facing);
    let place = MatchAddress {
        id: &view.id,
        turned: given,
    };

    let position = game.flexichess();
    let waits = position.is_some_and(|position| position.pending().is_some());
    // The rulebook has the form for awaited answers.
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
    let has_signs = !diagram.official_signs.is_empty();
    let progress = steps::progress(&choices, &typed, &|step| diagram.has(step));
    let address = |steps: &[&str]| place.step(ply, steps);
    let confirm = request
        .viewer
        .as_ref()
        .is_none_or(|v| v.preferences.confirm_turns);
    let editor = position
        .filter(|_| state.has_begun())
        .map(|position| RuleEditorContext {
            request,
            position,
            path: if is_now {
                format!("/match/{}", view.id)
            } else {
                format!("/match/{}/at/{ply}", view.id)
            },
            is_here: false,
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
            refused: shown.problems.at("words").is_some(),
            decides: None,
            disputed: false,
            board: None,
            deck: Deck::All,
            own: &[],
            hand: &view.hand,
            keeps: Some(place.act("hand")),
            new_card: None,
            tells_waiting: true,
            moves: None,
        });
    let after_change = editor.as_ref().and_then(RuleEditorContext::board_after);
    let gone = off_the_board(request, &diagram);
    let (board, turn_form) = board(
        request,
        game,
        diagram,
        &choices,
        &progress,
        &address,
        turned,
        ply,
        confirm,
        after_change,
    );

    let claims = if is_now && view.rights.play {
        game.claims()
    } else {
        Vec::new()
    };
    let turn_form = turn_form.map(|form| form.with_draws(view.rights.answer, &claims));

    let rulebook = match &editor {
        Some(editor) => rulebook::page::render(editor)?,
        None => Rulebook::default(),
    };
    let hint_at_turn = editor.as_ref().and_then(RuleEditorContext::hint_at_turn);
    let (tone, headline, hint) = headline(request, view);
    let turns = state.game.turns();
    let past = state.game.past();
    let page = MatchPage {
        request,
        view,
        fields,
        problems: shown.problems,
        game: texts::game(&state.terms),
        key: &state.terms.game,
        title: title(view),
        tone,
        headline,
        hint,
        left: state
            .deadline
            .filter(|_| state.phase == Phase::Playing)
            .map(|deadline| matches::time_left(&texts::left(request.now, deadline))),
        last: ply
            .checked_sub(1)
            .and_then(|last| past.get(last))
            .map(|past| last_turn(view, past)),
        players: players(view),
        around: around(view, turned),
        board,
        text: game.text(turned),
        ply,
        of,
        rounds: rounds(turns, &past, ply, request.numbered, &|ply| {
            place.at_or_now(ply, of)
        }),
        talk: said(request, view)?,
        turn_form,
        gone,
        rulebook,
        hint_at_turn,
        turned_over: (turned + 2) % 4,
        has_signs,
        place,
        heads: live::write(view.heads),
        link: view
            .link
            .as_ref()
            .map(|path| format!("{}{path}", request.app.url)),
        free: free_seats(view),
        claim_with: matches::claim_with(&claims, request.numbered, |turn| game.also(turn)),
        claim: state
            .game
            .claim()
            .filter(|_| view.rights.claim)
            .map(|claim| matches::claimable(claim.reason)),
        draw: draw(view),
        also: shown.also.as_ref().filter(|_| of == 0 && is_now),
    };
    shown.problems.page(request, &page)
}

/// What stands of offers of a draw, for a viewer who has none to answer.
fn draw(view: &MatchView) -> Option<String> {
    let state = &*view.state;
    let mine = view.rights.seat.map(|seat| state.game.side_of(seat));
    if state.offer.is_some() {
        let stands = matches::offer_stands(state.offer == mine, state.keeps_offers());
        return Some(stands.to_owned());
    }
    let by = &state.declined(mine?)?.by;
    let name = state.seat_of(by).and_then(|seat| seat_name(view, seat));
    let is_computer = computer::find(by).is_some();
    Some(matches::declined(name.map_or("", person), is_computer))
}

/// The state of the match for its viewer: a tone, a headline, and what to do next.
fn headline(request: &RequestContext, view: &MatchView) -> (&'static str, String, String) {
    let state = &*view.state;
    match state.phase {
        Phase::Gathering if view.rights.refuse => (
            "yours",
            matches::challenges_you(person(&view.maker)),
            matches::WILL_YOU_PLAY.to_owned(),
        ),
        Phase::Gathering => (
            "waiting",
            matches::WAITING.to_owned(),
            matches::WAITS_FOR_ALL.to_owned(),
        ),
        Phase::Playing => {
            let (Some(seat), Some(deadline)) = (state.to_move(), state.deadline) else {
                return ("theirs", String::new(), String::new());
            };
            let time = matches::TimeLeft {
                left: texts::left(request.now, deadline),
                until: request.when(&deadline),
                away: state.away,
            };
            let side = state.game.seats()[usize::from(seat.0)].name;
            let is_offered = view.rights.answer;
            if view.rights.play {
                let draw = match (is_offered, view.rights.claim) {
                    (true, _) => Some(DrawNow::Offered),
                    (_, true) => Some(DrawNow::Claimable),
                    _ => None,
                };
                let hint = matches::to_play(None, side, &time);
                return ("yours", matches::your_turn(draw).to_owned(), hint);
            }
            let name = seat_name(view, seat).map_or("", person);
            let hint = matches::to_play(Some(name), side, &time);
            ("theirs", matches::turn_of(name, is_offered), hint)
        }
        Phase::Over => {
            let Some(outcome) = state.outcome else {
                return ("over", matches::CALLED_OFF.to_owned(), String::new());
            };
            let viewer = request.viewer.as_ref();
            let mine = viewer.and_then(|viewer| state.side_of(&viewer.id));
            let hint = match (mine, outcome.winner) {
                _ if let Some(by) = &state.claimed => {
                    let is_own = viewer.is_some_and(|viewer| viewer.id == *by);
                    let name = state.seat_of(by).and_then(|seat| seat_name(view, seat));
                    let who = if is_own {
                        "you"
                    } else {
                        name.map_or("", person)
                    };
                    texts::capital(&outcome::claimed(who, outcome.reason))
                }
                (None, Some(winner)) => matches::result(outcome, &names_of(view, winner)),
                (side, _) => {
                    let others = side.map(|side| names_of(view, side.other()));
                    let why = outcome::why(outcome, mine, outcome::sides(others.as_deref()));
                    texts::capital(&why)
                }
            };
            let result = outcome::result(outcome, mine).to_owned();
            ("over", result, texts::full_stop(&hint))
        }
    }
}

/// The names of the players of a side.
fn names_of(view: &MatchView, side: Side) -> Vec<String> {
    let seats = view.state.game.seats().iter().zip(&view.joined);
    seats
        .filter(|(seat, _)| seat.side == side)
        .map(|(_, name)| person(name).to_owned())
        .collect()
}

/// A sentence about the match, as HTML that leaves its people and turns untranslated.
pub fn named(view: &MatchView, text: &str) -> String {
    let people = [&view.joined, &view.invited].into_iter().flatten();
    untranslated::named(text, people.chain([&view.maker]).map(person))
}

pub fn title(view: &MatchView) -> String {
    if view.state.phase == Phase::Gathering {
        let asked: Vec<&str> = view.invited.iter().map(person).collect();
        return matches::gathering(person(&view.maker), view.rights.withdraw, &asked);
    }
    let seats = view.state.game.seats();
    let of = |side| {
        let names = view.joined.iter().map(person).zip(seats);
        let names = names.filter(|(_, seat)| seat.side == side);
        let names: Vec<&str> = names.map(|(name, _)| name).collect();
        texts::list(&names)
    };
    let mut teams = Vec::from(Side::ALL.map(of));
    // A match that was called off may have no opponent.
    teams.retain(|names| !names.is_empty());
    teams.join(" – ")
}

fn last_turn(view: &MatchView, past: &PlayedTurn) -> String {
    let name = seat_name(view, past.seat).map_or("", person);
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
        .map(|(seat, at)| {
            let is_to_move = to_move == Some(seat);
            Player {
                seat: at,
                name: seat_name(view, seat),
                is_you: view.rights.seat == Some(seat),
                is_to_move,
                has_won: state
                    .outcome
                    .is_some_and(|outcome| outcome.winner == Some(at.side)),
            }
        })
        .collect()
}

/// The players of a game for more than two, at the sides of a board that is turned.
fn around(view: &MatchView, turned: u8) -> Vec<Beside<'_>> {
    let players = players(view);
    if players.len() < 3 {
        return Vec::new();
    }
    (0u8..)
        .map(Seat)
        .zip(players)
        .map(|(seat, player)| {
            // A board that is turned as a player sees it has that player below.
            let beyond = (6 + turned - view.state.game.facing(seat)) % 4;
            let at = ["above", "right", "below", "left"][usize::from(beyond)];
            Beside { player, at }
        })
        .collect()
}

pub fn free_seats(view: &MatchView) -> Vec<&'static SeatName> {
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

pub async fn show(request: &RequestContext, id: &str, shown: &Shown<'_>) -> Answer {
    let id = MatchId(id.to_owned());
    let view = request
        .app
        .load_correspondence_match(request.viewer.as_ref(), &id, None)
        .await?;
    render(request, &view, shown)
}

/// The match in its present state. A page that was made before is given again if it is still right.
pub async fn now(http: HttpRequest, id: Path<String>, fields: Fields) -> Answer {
    let id = MatchId(id.into_inner());
    let (request, version) = RequestContext::at(&http, Some(&id)).await?;
    // The page would contain the query: so only pages without one are kept.
    let keeps = http.app_data::<Data<PageCache>>();
    let keeps = keeps.filter(|_| http.query_string().is_empty());
    if let Some(keeps) = keeps
        && let Some(html) = version.and_then(|version| keeps.find(&request, version))
    {
        if let Some(version) = version.filter(|_| opening(&http) == Opening::ByReader) {
            let viewer = request.viewer.as_ref();
            let (head, talk) = (version.head, version.talk_head);
            request.app.note_seen(viewer, &id, head, talk).await;
        }
        return Ok(request.html(StatusCode::OK, html));
    }
    let view = request
        .app
        .load_correspondence_match(request.viewer.as_ref(), &id, None)
        .await?;
    let also = match request.guest().filter(|_| view.rights.play) {
        Some(guest) if view.state.turns.is_empty() => {
            request.app.also_running(guest, &view).await?
        }
        _ => None,
    };
    let shown = Shown {
        ply: None,
        fields: &fields,
        problems: &Problems::default(),
        also,
    };
    if opening(&http) == Opening::ByReader {
        let viewer = request.viewer.as_ref();
        let (head, talk) = (view.version.head, view.version.talk_head);
        request.app.note_seen(viewer, &id, head, talk).await;
    }
    let (head, body) = render(&request, &view, &shown)?.into_parts();
    let html = body
        .try_into_bytes()
        .map_err(|_| AppError::Internal("a page without an end".to_owned()))?;
    // Who was invited by mail, which rule cards the viewer keeps, and which other match of a guest runs may change without
    // a new version of the match.
    let changes = view.rights.withdraw
        || shown.also.is_some()
        || view.state.game.flexichess().is_some() && view.rights.play;
    if let Some(keeps) = keeps.filter(|_| !changes) {
        let until = texts::left_until(request.now, view.state.deadline);
        keeps.keep(&request, view.version, until, &html);
    }
    Ok(head.set_body(BoxBody::new(html)))
}

pub async fn at(request: RequestContext, path: Path<(String, usize)>, fields: Fields) -> Answer {
    let (id, ply) = path.into_inner();
    let shown = Shown {
        ply: Some(ply),
        fields: &fields,
        problems: &Problems::default(),
        also: None,
    };
    show(&request, &id, &shown).await
}
