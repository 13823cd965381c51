//! The source of a board's rulebook: a position, and the page that shows it.

use crate::texts;
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::rulebook::hint::Hint;
use crate::web::rulebook::pictures::as_wished;
use perplex_games::board::{Diagram, View, flexichess as draw};
use perplex_games::rules::Rules as _;
use perplex_games::rules::flexichess::{
    self, Deck, Effect, Flexichess, Kind, Pending, Square, Turn,
};
use perplex_matches::classroom::own_card::OwnCard;

pub enum Sending {
    Never,
    /// By a form to this address, with these hidden fields.
    Post(String, Vec<(&'static str, String)>),
    /// By the address of the page itself, as on the try board: nothing is kept.
    Get,
}

/// A card that is made or changed: its name as it was typed, and the errors of its fields.
pub struct NewCard<'a> {
    /// True if it is changed.
    pub is_known: bool,
    pub name: &'a str,
    pub wrong_name: Option<&'a str>,
    pub wrong_words: Option<&'a str>,
}

/// A board's rulebook, and the page that shows it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else about the page"
)]
pub struct RuleEditorContext<'a> {
    pub request: &'a RequestContext,
    pub position: &'a Flexichess,
    pub path: String,
    /// True if links to that page need no path, as the browser is there.
    pub is_here: bool,
    /// The query parameters that the page keeps from link to link, beside the edited ones.
    pub query: Vec<(&'static str, String)>,
    /// The fields of the query, or of a refused form.
    pub fields: &'a Fields,
    pub send: Sending,
    pub turned: u8,
    pub record: Option<String>,
    pub moves: Option<String>,
    pub refused: bool,
    /// The name for the host who decides disputes; without a host a dispute takes the turn back.
    pub decides: Option<&'static str>,
    pub disputed: bool,
    pub board: Option<u8>,
    /// The rule cards that are offered.
    pub deck: Deck,
    /// The cards of the class.
    pub own: &'a [OwnCard],
    /// The cards that the viewer keeps for the match.
    pub hand: &'a [OwnCard],
    /// The address that keeps a card for the match, or puts one away; `None` where there is no hand.
    pub keeps: Option<String>,
    /// The card that is made, instead of a turn.
    pub new_card: Option<NewCard<'a>>,
    /// True if it shows the awaited answer; else that is elsewhere on the page.
    pub tells_waiting: bool,
}

impl RuleEditorContext<'_> {
    pub fn acts(&self) -> bool {
        !matches!(self.send, Sending::Never)
    }

    /// True if a turn may be put together: no answer is awaited.
    pub fn is_free(&self) -> bool {
        self.acts() && self.position.pending().is_none()
    }

    pub fn posts(&self) -> bool {
        matches!(self.send, Sending::Post(..))
    }

    /// True if the form is sent without loading the page anew.
    pub fn swaps(&self) -> bool {
        self.posts() && self.new_card.is_none()
    }

    pub fn action(&self) -> &str {
        match &self.send {
            Sending::Post(action, _) => action,
            _ => &self.path,
        }
    }

    pub fn hidden(&self) -> Vec<(&'static str, String)> {
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

    /// The ending of ids, so that those of several boards differ.
    pub fn tag(&self) -> String {
        self.board
            .map_or(String::new(), |board| format!("-{board}"))
    }

    /// The page's address without its edit parameters.
    pub fn closed(&self) -> String {
        match self.new_card {
            Some(_) => format!("{}#rulebook", self.path),
            None => self.address(&[]),
        }
    }

    pub fn query(&self, more: &[(&str, &str)]) -> String {
        let kept = self
            .query
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        texts::query(kept.chain(more.iter().copied()))
    }

    pub fn address(&self, more: &[(&str, &str)]) -> String {
        let query = self.query(more);
        if self.is_here && !query.is_empty() {
            query + "#rulebook"
        } else {
            format!("{}{query}#rulebook", self.path)
        }
    }

    pub fn board(&self, diagram: Diagram, title: &str) -> String {
        let title = format!("{title}. {}", diagram.in_words());
        as_wished(self.request, diagram)
            .turned(self.turned)
            .svg(&View {
                title: &title,
                coordinates: self.request.coordinates(),
                brief: true,
                ..View::default()
            })
    }

    /// The hint about the rule that is written in the field for turns.
    pub fn hint_at_turn(&self) -> Option<Hint> {
        let turn = self.fields.get("turn");
        Hint::of(self.position, turn).filter(|_| self.acts())
    }

    pub fn waits(&self) -> Option<Waits> {
        let pending = self.position.pending()?;
        let by = self.position.side();
        let after = self.position.clone().play(&Turn::Accept).ok()?;
        let (text, does, under) = match pending {
            Pending::Rule(change) => (change.text.clone(), String::new(), String::new()),
            Pending::Turn(under) => {
                let rule = self
                    .position
                    .changes()
                    .iter()
                    .find(|recorded| recorded.number == under.number)
                    .map(|recorded| recorded.change.text.clone());
                let done = under.done();
                let under = format!("{}: “{}”", under.number, rule.unwrap_or_default());
                (String::new(), done, under)
            }
        };
        let is_rule = matches!(pending, Pending::Rule(_));
        Some(Waits {
            by: by.white_or_black(),
            answers: by.other().white_or_black(),
            is_rule,
            points_out: texts::rulebook::points_out(self.position),
            text,
            does,
            under,
            boards: if is_rule {
                Default::default()
            } else {
                let board = |shown: &Flexichess, title: &str| {
                    self.board(draw::after(shown, self.position), title)
                };
                [
                    board(self.position, texts::rulebook::NOW),
                    board(&after, texts::rulebook::IF_ACCEPTED),
                ]
            },
        })
    }

    pub fn written(&self) -> Vec<Written> {
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

    /// The turn under a written rule that is being put together: its deeds, and the piece that was tapped last.
    pub fn under(&self, number: u32) -> Option<Under> {
        let mut written = self.written().into_iter();
        let rule = written.find(|rule| rule.number == number)?;
        let deeds = self.fields.get("deeds").split_whitespace();
        let deeds: Vec<&str> = deeds.collect();
        let text = |deeds: &[&str]| format!("under {number} {}", deeds.join(" "));
        // The position after these deeds, done from `position` on.
        let draft = |position: &Flexichess, deeds: &[&str]| {
            let under = flexichess::Under::read(text(deeds).trim()).ok()?;
            position.draft(&under).ok()
        };
        let address = |deeds: &[&str], more: &[(&str, &str)]| {
            let number = number.to_string();
            let deeds = deeds.join(" ");
            let mut fields = vec![("under", &*number)];
            if !deeds.is_empty() {
                fields.push(("deeds", &deeds));
            }
            fields.extend(more);
            self.address(&fields)
        };
        let proposed = self.position.read(text(&deeds).trim());
        let proposed = proposed
            .map_err(|error| error.to_string())
            .and_then(|turn| {
                let after = self.position.clone().play(&turn);
                after.map_err(|error| error.error.to_string())
            });
        let lifted = Square::all().find(|square| square.to_string() == self.fields.get("lift"));
        let lifted_name = lifted.map(|square| square.to_string());
        let now = draft(self.position, &deeds);
        let board = now.as_ref().map_or_else(String::new, |now| {
            let mut next = Vec::new();
            for square in Square::all() {
                let name = square.to_string();
                let can_lift = draft(now, &[&format!("x{name}")]).is_some();
                let side_on = |square| now.piece(square).map(|piece| piece.side);
                let leads_to = if lifted == Some(square) {
                    Some(address(&deeds, &[]))
                } else if let Some(from) = lifted.filter(|from| side_on(*from) != side_on(square)) {
                    // What stands there is taken off first. A pawn that promotes becomes the first kind that it may.
                    let taken = can_lift.then(|| format!("x{name}"));
                    let kinds = ["", "q", "r", "b", "n"];
                    let mut ways = kinds.iter().map(|kind| {
                        let goes = format!("{from}{name}{kind}");
                        let way: Vec<&str> = taken.as_deref().into_iter().chain([&*goes]).collect();
                        draft(now, &way).map(|_| address(&with(&deeds, &way), &[]))
                    });
                    ways.find_map(|way| way)
                } else {
                    can_lift.then(|| address(&deeds, &[("lift", &name)]))
                };
                next.extend(leads_to.map(|address| (name, address)));
            }
            let diagram = draw::after(now, self.position);
            let title = texts::rulebook::board_so_far(&diagram.in_words());
            as_wished(self.request, diagram)
                .turned(self.turned)
                .svg(&View {
                    title: &title,
                    coordinates: self.request.coordinates(),
                    chosen: lifted_name.as_slice(),
                    next: &next,
                    brief: true,
                    ..View::default()
                })
        });
        let off = lifted.map(|from| format!("x{from}"));
        let off = off.as_deref().zip(now.as_ref()).and_then(|(off, now)| {
            draft(now, &[off])?;
            Some(address(&with(&deeds, &[off]), &[]))
        });
        // What was drafted is deeds, and those with five letters are promotions.
        let others = match (&now, lifted, deeds.split_last()) {
            (Some(_), None, Some((last, before))) if last.len() == 5 => {
                let kinds = Kind::ALL.into_iter().filter_map(|kind| {
                    let letter = kind.letter().to_ascii_lowercase();
                    let other = format!("{}{letter}", &last[..4]);
                    let way = with(before, &[&other]);
                    (other != *last && draft(self.position, &way).is_some())
                        .then(|| (kind.name(), address(&way, &[])))
                });
                kinds.collect()
            }
            _ => Vec::new(),
        };
        Some(Under {
            number,
            text: rule.text,
            is_ready: lifted.is_none() && proposed.is_ok(),
            // Nothing is wrong before anything was done.
            wrong: proposed.err().filter(|_| self.fields.has("deeds")),
            board,
            off,
            back: deeds.split_last().map(|(_, before)| address(before, &[])),
            others,
            lifted: lifted_name,
            deeds: deeds.join(" "),
            close: self.address(&[]),
        })
    }
}

/// The deeds, and these after them.
fn with<'a>(deeds: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [deeds, more].concat()
}

pub struct Waits {
    pub by: &'static str,
    pub answers: &'static str,
    pub is_rule: bool,
    /// What the rule names although its limits keep it out, in words.
    pub points_out: Option<String>,
    pub text: String,
    pub does: String,
    pub under: String,
    /// The board before and after a turn under a rule; empty for a rule.
    pub boards: [String; 2],
}

pub struct Written {
    pub number: u32,
    pub text: String,
    pub address: String,
}

pub struct Under {
    pub number: u32,
    pub text: String,
    pub deeds: String,
    /// The square of the piece that was tapped.
    pub lifted: Option<String>,
    /// True if it can be proposed as it is.
    pub is_ready: bool,
    pub wrong: Option<String>,
    /// With places to tap; empty if the deeds make no sense.
    pub board: String,
    /// The address at which the tapped piece is taken off the board.
    pub off: Option<String>,
    /// The address without the last deed.
    pub back: Option<String>,
    /// The other kinds that a pawn may become, and their addresses.
    pub others: Vec<(&'static str, String)>,
    pub close: String,
}
