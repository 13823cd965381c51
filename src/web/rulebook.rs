//! The rules of a Flexichess board on its page: which are in force, the editor that changes them, turns
//! under a written rule, and answers to what waits for one.
//!
//! It is one part of a page, whichever page that is: it takes a position and the address of the page, and
//! everything that is being edited stands in that address. So it works by links and forms alone; the
//! script (`static/rulebook.js`) only fetches what the links lead to without loading the page anew.

use std::fmt::Write as _;

use askama::Template;

use super::visit::{Fields, RequestContext};
use super::words;
use perplex_games::board::{Diagram, View, flexichess as draw};
use perplex_games::rules::betza::Movement;
use perplex_games::rules::flexichess::{
    Effect, Flexichess, Kind, Pending, Promotions, Turn, side_name,
};
use perplex_games::rules::{Rules as _, Side};

mod editor;
mod told;

use editor::{Editor, Form, KindChip};
pub use told::{Told, told};

/// How a turn is sent from the page.
pub enum Sending {
    /// Not at all: somebody else is to move, or the visitor only looks on.
    Never,
    /// By a form to this address, with these hidden fields.
    Post(String, Vec<(&'static str, String)>),
    /// By the address of the page itself, as on the try board: nothing is kept.
    Get,
}

/// A board's rulebook, and the page it stands on.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else about the page"
)]
pub struct Desk<'a> {
    pub request: &'a RequestContext,
    pub position: &'a Flexichess,
    /// The path of the page.
    pub path: String,
    /// Whether links to it need no path, as the browser is there.
    pub is_here: bool,
    /// What its query keeps from link to link, beside what is edited.
    pub query: Vec<(&'static str, String)>,
    /// What the query says, or a form that was refused.
    pub fields: &'a Fields,
    pub send: Sending,
    /// How the board is turned.
    pub turned: u8,
    /// Where the record of all changes is.
    pub record: Option<String>,
    /// Where all changed movements are on one page.
    pub moves: Option<String>,
    /// Whether a change was just refused.
    pub refused: bool,
    /// What those are called who decide what is disputed, if anybody does; else a dispute takes the turn back.
    pub decides: Option<&'static str>,
    /// Whether that host has to decide now.
    pub disputed: bool,
    /// The number of the board, where there are several on the page.
    pub board: Option<u8>,
    /// Whether it says what waits for an answer; else that stands elsewhere on the page.
    pub tells_waiting: bool,
}

/// The turn that a form of the rulebook means; `None` if the fields are not from one.
pub fn turn(fields: &Fields) -> Option<String> {
    let number = fields.get("under");
    if !number.is_empty() {
        let turn = format!("under {number} {}", fields.get("deeds"));
        return Some(turn.trim().to_owned());
    }
    let rule = fields.get("rule");
    if rule.is_empty() {
        return None;
    }
    let effect = match fields.get("form") {
        "promote" => format!("={}", fields.all("to").collect::<String>()),
        "written" => "written".to_owned(),
        _ => fields.get("betza").trim().to_owned(),
    };
    Some(format!("rule {rule} {effect} \"{}\"", fields.get("words")))
}

/// The field that a refused turn of the rulebook is about; `None` if it was not from there.
pub fn field(fields: &Fields) -> Option<&'static str> {
    if fields.has("under") {
        Some("deeds")
    } else {
        fields.has("rule").then_some("words")
    }
}

/// What waits for an answer.
struct Waits {
    /// Who made it.
    by: String,
    /// Who answers.
    answers: String,
    is_rule: bool,
    /// The words of a rule.
    text: String,
    /// What a turn under a rule does.
    does: String,
    /// The rule that it is played under.
    under: String,
    /// The board after it.
    board: String,
}

/// A kind as it moves now.
pub struct Card {
    glyph: &'static str,
    pub name: &'static str,
    pub piece: String,
    pub changed: bool,
    pub betza: String,
    pub words: String,
    /// How it moves; only if that was changed.
    pub picture: String,
}

/// A written rule in force.
struct Written {
    number: u32,
    text: String,
    /// Where a turn is made under it.
    address: String,
}

/// A turn under a written rule that is being entered.
struct Under {
    number: u32,
    text: String,
    deeds: String,
    /// What is wrong with it.
    wrong: Option<String>,
    board: String,
    close: String,
}

/// What waits for an answer, with the form that gives it to whoever is to answer.
#[derive(Template)]
#[template(path = "rulebook-waits.html")]
struct Waiting<'a> {
    request: &'a RequestContext,
    desk: &'a Desk<'a>,
    waits: Waits,
}

#[derive(Template)]
#[template(path = "rulebook.html")]
struct Page<'a> {
    request: &'a RequestContext,
    desk: &'a Desk<'a>,
    /// What waits for an answer, if anything does.
    waits: String,
    /// Whether a rule can be changed now, or played under.
    free: bool,
    kinds: Vec<KindChip>,
    editor: Option<Editor>,
    under: Option<Under>,
    cards: Vec<Card>,
    promotions: String,
    promotions_changed: bool,
    written: Vec<Written>,
    any_changed: bool,
}

impl Desk<'_> {
    /// Whether turns are sent from here now.
    fn acts(&self) -> bool {
        !matches!(self.send, Sending::Never)
    }

    fn posts(&self) -> bool {
        matches!(self.send, Sending::Post(..))
    }

    /// Where a form that makes a turn is sent to.
    fn action(&self) -> &str {
        match &self.send {
            Sending::Post(action, _) => action,
            _ => &self.path,
        }
    }

    /// The hidden fields of such a form.
    fn hidden(&self) -> Vec<(&'static str, String)> {
        match &self.send {
            Sending::Never => Vec::new(),
            Sending::Post(_, hidden) => hidden.clone(),
            Sending::Get => {
                let mut hidden = self.query.clone();
                hidden.push(("make", "1".to_owned()));
                hidden
            }
        }
    }

    /// What ids end with, so that those of several boards differ.
    fn tag(&self) -> String {
        self.board
            .map_or(String::new(), |board| format!("-{board}"))
    }
}

impl Waiting<'_> {
    /// What follows a dispute.
    fn disputed(&self) -> String {
        match self.desk.decides {
            Some(host) => format!("then the {host} decides"),
            None => format!(
                "then it does not hold, and {} plays another turn",
                self.waits.by
            ),
        }
    }

    /// The turn that disputes.
    fn dispute(&self) -> &'static str {
        if self.desk.decides.is_some() {
            "dispute"
        } else {
            "reject"
        }
    }
}

impl Page<'_> {
    /// Whether a text was refused.
    fn refused(&self) -> bool {
        self.desk.refused
    }

    fn changed(&self) -> usize {
        self.desk.position.changes().len()
    }
}

/// What the pictures here are made of: a page that has some holds it once.
pub use draw::glyphs;

/// The diagram as the visitor likes its squares to be called.
pub fn squares(request: &RequestContext, diagram: Diagram) -> Diagram {
    if request.numbered && diagram.class == "flexichess" {
        draw::numbered(diagram)
    } else {
        diagram
    }
}

/// A small picture of how a movement goes. The page holds [`glyphs`].
pub fn movement_picture(movement: &Movement, kind: Kind, side: Side) -> String {
    picture_of(movement, kind, side, "", "")
}

fn picture_of(movement: &Movement, kind: Kind, side: Side, id: &str, same_as: &str) -> String {
    draw::movement(movement, kind, side).svg(&View {
        // How that is stands beside it, in words.
        title: &format!("How the {} moves", kind.name()),
        brief: true,
        id,
        same_as,
        ..View::default()
    })
}

/// Small pictures of movements on one page: what is there already is shown again. The page holds [`glyphs`].
#[derive(Default)]
pub struct Pictures {
    known: Vec<(String, Kind, Side)>,
}

impl Pictures {
    /// How a movement goes.
    pub fn movement(&mut self, movement: &Movement, kind: Kind, side: Side) -> String {
        let this = (movement.to_string(), kind, side);
        let before = self.known.iter().position(|known| *known == this);
        let id = format!("moves-{}", before.unwrap_or(self.known.len()));
        if before.is_some() {
            return picture_of(movement, kind, side, "", &id);
        }
        self.known.push(this);
        picture_of(movement, kind, side, &id, "")
    }
}

/// The rules of a board as they stand on its page.
#[derive(Default)]
pub struct Rendered {
    pub html: String,
    /// Whether a rule is being changed there.
    pub is_editing: bool,
}

/// The rulebook of a board, as a part of its page.
///
/// # Errors
/// The template cannot be filled in.
pub fn render(desk: &Desk) -> Result<Rendered, askama::Error> {
    let position = desk.position;
    let free = desk.acts() && position.pending().is_none();
    let fields = desk.fields;
    let page = Page {
        request: desk.request,
        waits: if desk.tells_waiting {
            waiting(desk)?
        } else {
            String::new()
        },
        free,
        kinds: if free { desk.kinds() } else { Vec::new() },
        editor: if free { desk.editor() } else { None },
        under: fields
            .get("under")
            .parse()
            .ok()
            .filter(|_| free)
            .and_then(|number| desk.under(number)),
        cards: cards(position),
        promotions: names(position.rules().promotions()),
        promotions_changed: position.rules().promotions() != Promotions::ALL,
        written: desk.written(),
        any_changed: !position.changes().is_empty() || !position.rules().differences().is_empty(),
        desk,
    };
    Ok(Rendered {
        html: page.render()?,
        is_editing: page.editor.is_some(),
    })
}

/// What waits for an answer on a board, with the form for whoever is to answer; empty if nothing does.
///
/// # Errors
/// The template cannot be filled in.
pub fn waiting(desk: &Desk) -> Result<String, askama::Error> {
    let request = desk.request;
    let page = desk.waits().map(|waits| Waiting {
        request,
        desk,
        waits,
    });
    page.map_or(Ok(String::new()), |page| page.render())
}

/// The names of the kinds in a promotion set.
fn names(set: Promotions) -> String {
    let names: Vec<&str> = set.kinds().map(Kind::name).collect();
    words::list(&names)
}

/// How all kinds but the king move.
pub fn cards(position: &Flexichess) -> Vec<Card> {
    let rules = position.rules();
    let changeable = Kind::CHANGEABLE.into_iter().filter_map(|kind| {
        let movement = rules.movement(kind)?;
        Some(Card {
            glyph: draw::glyph_name(kind),
            name: kind.name(),
            piece: draw::picture(kind),
            changed: !rules.is_ordinary(kind),
            betza: movement.to_string(),
            words: movement.words(),
            picture: if rules.is_ordinary(kind) {
                String::new()
            } else {
                movement_picture(movement, kind, Side::First)
            },
        })
    });
    changeable.collect()
}

impl Desk<'_> {
    /// The query of the page with `more` in it.
    fn query(&self, more: &[(&str, &str)]) -> String {
        let kept = self
            .query
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        let mut query = String::new();
        for (name, value) in kept.chain(more.iter().copied()) {
            let mark = if query.is_empty() { '?' } else { '&' };
            let _ = write!(query, "{mark}{name}={}", words::encode(value));
        }
        query
    }

    /// The address of the page with `more` in its query.
    fn address(&self, more: &[(&str, &str)]) -> String {
        let query = self.query(more);
        if self.is_here && !query.is_empty() {
            query + "#rulebook"
        } else {
            format!("{}{query}#rulebook", self.path)
        }
    }

    fn board(&self, diagram: Diagram, title: &str) -> String {
        let title = format!("{title}. {}", diagram.in_words());
        squares(self.request, diagram)
            .turned(self.turned)
            .svg(&View {
                title: &title,
                coordinates: self.request.coordinates(),
                brief: true,
                ..View::default()
            })
    }

    fn waits(&self) -> Option<Waits> {
        let pending = self.position.pending()?;
        let by = self.position.side();
        let capital = |side| {
            let name = side_name(side);
            name[..1].to_uppercase() + &name[1..]
        };
        let after = self.position.clone().play(&Turn::Accept).ok()?;
        let (text, does, under) = match pending {
            Pending::Rule(change) => (change.text.clone(), String::new(), String::new()),
            Pending::Turn(under) => {
                let does: Vec<String> = under.deeds.iter().map(ToString::to_string).collect();
                let rule = self
                    .position
                    .changes()
                    .iter()
                    .find(|recorded| recorded.number == under.number)
                    .map(|recorded| recorded.change.text.clone());
                let does = if does.is_empty() {
                    "pass".to_owned()
                } else {
                    does.join(" ")
                };
                let under = format!("{}: “{}”", under.number, rule.unwrap_or_default());
                (String::new(), does, under)
            }
        };
        let is_rule = matches!(pending, Pending::Rule(_));
        Some(Waits {
            by: capital(by),
            answers: capital(by.other()),
            is_rule,
            text,
            does,
            under,
            board: if is_rule {
                String::new()
            } else {
                self.board(
                    draw::after(&after, self.position),
                    "The board if this is accepted",
                )
            },
        })
    }

    fn written(&self) -> Vec<Written> {
        let is_written = |effect: &Effect| matches!(effect, Effect::Written(_));
        self.position
            .changes()
            .iter()
            .filter(|recorded| is_written(&recorded.change.effect))
            .map(|recorded| Written {
                number: recorded.number,
                text: recorded.change.text.clone(),
                address: self.address(&[("under", &recorded.number.to_string())]),
            })
            .collect()
    }

    fn under(&self, number: u32) -> Option<Under> {
        let mut written = self.written().into_iter();
        let rule = written.find(|rule| rule.number == number)?;
        let deeds = self.fields.get("deeds").trim().to_owned();
        let (wrong, board) = if self.fields.has("deeds") {
            let text = format!("under {number} {deeds}");
            let accepted = self.position.read(text.trim()).map(|turn| {
                let proposed = self.position.clone().play(&turn);
                proposed.and_then(|position| position.play(&Turn::Accept))
            });
            match accepted {
                Ok(Ok(after)) => {
                    let diagram = draw::after(&after, self.position);
                    let title = "The board if this is accepted";
                    (None, self.board(diagram, title))
                }
                Ok(Err(error)) => (Some(error.error.to_string()), String::new()),
                Err(error) => (Some(error.to_string()), String::new()),
            }
        } else {
            (None, String::new())
        };
        Some(Under {
            number,
            text: rule.text,
            deeds,
            wrong,
            board,
            close: self.address(&[]),
        })
    }
}
