//! The source of a board's rulebook: a position, and the page that shows it.

use crate::texts;
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use crate::web::rulebook::pictures::squares;
use perplex_games::board::{Diagram, View, flexichess as draw};
use perplex_games::rules::Rules as _;
use perplex_games::rules::flexichess::{Effect, Flexichess, Pending, Turn, side_name};

pub enum Sending {
    Never,
    /// By a form to this address, with these hidden fields.
    Post(String, Vec<(&'static str, String)>),
    /// By the address of the page itself, as on the try board: nothing is kept.
    Get,
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
    /// True if it shows the awaited answer; else that is elsewhere on the page.
    pub tells_waiting: bool,
}

impl RuleEditorContext<'_> {
    pub fn acts(&self) -> bool {
        !matches!(self.send, Sending::Never)
    }

    pub fn posts(&self) -> bool {
        matches!(self.send, Sending::Post(..))
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
        squares(self.request, diagram)
            .turned(self.turned)
            .svg(&View {
                title: &title,
                coordinates: self.request.coordinates(),
                brief: true,
                ..View::default()
            })
    }

    pub fn waits(&self) -> Option<Waits> {
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

    pub fn under(&self, number: u32) -> Option<Under> {
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

pub struct Waits {
    pub by: String,
    pub answers: String,
    pub is_rule: bool,
    pub text: String,
    pub does: String,
    pub under: String,
    pub board: String,
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
    pub wrong: Option<String>,
    pub board: String,
    pub close: String,
}
