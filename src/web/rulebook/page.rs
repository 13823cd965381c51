//! The rules of a Flexichess board on its page: which are in force, the editor that changes them, turns
//! under a written rule, and answers to what waits for one.
//!
//! It is one part of a page, whichever page that is: it takes a position and the address of the page, and
//! everything that is being edited stands in that address. So it works by links and forms alone; the
//! script (`static/rulebook.js`) only fetches what the links lead to without loading the page anew.

use askama::Template;

use crate::web::request::RequestContext;
use crate::web::rulebook::context::{RuleEditorContext, Under, Waits, Written};
use crate::web::rulebook::editor::Form;
use crate::web::rulebook::editor::{Editor, KindChip};
use crate::web::rulebook::kinds;
use crate::web::rulebook::kinds::Card;
use perplex_games::rules::flexichess::Promotions;

/// What waits for an answer, with the form for the player who is to answer.
#[derive(Template)]
#[template(path = "rulebook/waits.html")]
struct Waiting<'a> {
    request: &'a RequestContext,
    context: &'a RuleEditorContext<'a>,
    waits: Waits,
}

#[derive(Template)]
#[template(path = "rulebook/rulebook.html")]
struct Page<'a> {
    request: &'a RequestContext,
    context: &'a RuleEditorContext<'a>,
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

impl Waiting<'_> {
    fn disputed(&self) -> String {
        match self.context.decides {
            Some(host) => format!("then the {host} decides"),
            None => format!(
                "then it does not hold, and {} plays another turn",
                self.waits.by
            ),
        }
    }

    fn dispute(&self) -> &'static str {
        if self.context.decides.is_some() {
            "dispute"
        } else {
            "reject"
        }
    }
}

impl Page<'_> {
    fn refused(&self) -> bool {
        self.context.refused
    }

    fn changed(&self) -> usize {
        self.context.position.changes().len()
    }
}

/// The rules of a board as they stand on its page.
#[derive(Default)]
pub struct Rendered {
    pub html: String,
    pub is_editing: bool,
}

/// The rulebook of a board, as a part of its page.
///
/// # Errors
/// The template cannot be filled in.
pub fn render(context: &RuleEditorContext) -> Result<Rendered, askama::Error> {
    let position = context.position;
    let free = context.acts() && position.pending().is_none();
    let fields = context.fields;
    let page = Page {
        request: context.request,
        waits: if context.tells_waiting {
            waiting(context)?
        } else {
            String::new()
        },
        free,
        kinds: if free { context.kinds() } else { Vec::new() },
        editor: if free { context.editor() } else { None },
        under: fields
            .get("under")
            .parse()
            .ok()
            .filter(|_| free)
            .and_then(|number| context.under(number)),
        cards: kinds::cards(position),
        promotions: kinds::names(position.rules().promotions()),
        promotions_changed: position.rules().promotions() != Promotions::ALL,
        written: context.written(),
        any_changed: !position.changes().is_empty() || !position.rules().differences().is_empty(),
        context,
    };
    Ok(Rendered {
        html: page.render()?,
        is_editing: page.editor.is_some(),
    })
}

/// What waits for an answer on a board, with the form for the player who is to answer; empty if nothing does.
///
/// # Errors
/// The template cannot be filled in.
pub fn waiting(context: &RuleEditorContext) -> Result<String, askama::Error> {
    let request = context.request;
    let page = context.waits().map(|waits| Waiting {
        request,
        context,
        waits,
    });
    page.map_or(Ok(String::new()), |page| page.render())
}
