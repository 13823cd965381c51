//! The rulebook as a part of its page.

use askama::Template;

use crate::texts;
use crate::web::fields::Fields;
use crate::web::problems::Problems;
use crate::web::request::RequestContext;
use crate::web::rulebook::context::{NewCard, RuleEditorContext, Sending, Under, Waits, Written};
use crate::web::rulebook::deck::{ChosenCard, DeckCard};
use crate::web::rulebook::editor::{Editor, Form, KindChip};
use crate::web::rulebook::kinds::{self, Card};
use perplex_games::rules::Rules as _;
use perplex_games::rules::flexichess::{Deck, Flexichess, Promotions};

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
    waits: String,
    free: bool,
    kinds: Vec<KindChip>,
    editor: Option<Editor>,
    chosen: Option<ChosenCard<'a>>,
    /// The cards that may be chosen: none while one is, or a change is made by hand.
    deck: Vec<DeckCard<'a>>,
    under: Option<Under>,
    reach: String,
    cards: Vec<Card>,
    promotions: String,
    promotions_changed: bool,
    written: Vec<Written>,
    any_changed: bool,
}

impl Waiting<'_> {
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

    /// True if the forms of the change stand first: for pawns, and once it is no movement.
    fn chooses_form(&self) -> bool {
        self.editor.as_ref().is_some_and(|editor| {
            editor.forms.len() > 2 || (editor.forms.len() > 1 && editor.form != Form::Move)
        })
    }

    /// True if the program enforces the change that is edited.
    fn is_enforced(&self) -> bool {
        let editor = self.editor.as_ref();
        editor.is_some_and(|editor| editor.form != Form::Written)
    }

    fn on_board(&self) -> OnBoard {
        let shows = |editor: &Editor| editor.shown.is_some();
        match &self.editor {
            Some(_) if self.has_card() => OnBoard::Card,
            Some(editor) if shows(editor) && self.is_enforced() => OnBoard::Change,
            _ => OnBoard::Nothing,
        }
    }

    fn has_card(&self) -> bool {
        self.chosen.is_some()
    }

    fn offers_all(&self) -> bool {
        self.context.deck == Deck::All
    }

    fn changed(&self) -> usize {
        self.context.position.changes().len()
    }
}

/// The editor that makes a card, on the board of the start.
pub fn card_maker(
    request: &RequestContext,
    path: String,
    fields: &Fields,
    problems: &Problems,
) -> Result<String, askama::Error> {
    let Some(start) = Flexichess::setup("") else {
        return Ok(String::new());
    };
    // The card that is changed, and its name.
    let names = ["edit", "card-name"]
        .into_iter()
        .filter(|_| fields.has("edit"));
    let query: Vec<(&'static str, String)> = names
        .map(|name| (name, fields.get(name).to_owned()))
        .collect();
    let hidden = query.iter().take(1).cloned().collect();
    let rulebook = render(&RuleEditorContext {
        request,
        position: &start,
        path: path.clone(),
        is_here: true,
        query,
        fields,
        send: Sending::Post(path, hidden),
        turned: 0,
        record: None,
        moves: None,
        refused: problems.at("words").is_some(),
        decides: None,
        disputed: false,
        board: None,
        deck: Deck::None,
        own: &[],
        hand: &[],
        keeps: None,
        new_card: Some(NewCard {
            is_known: fields.has("edit"),
            name: fields.get("card-name"),
            wrong_name: problems.at("card-name"),
            wrong_words: problems.at("words"),
        }),
        tells_waiting: false,
    })?;
    Ok(rulebook.html)
}

/// What the board shows of a change that is not made yet.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum OnBoard {
    #[default]
    Nothing,
    Change,
    /// The change of a card: it is looked at beside the board, which stays in sight.
    Card,
}

impl OnBoard {
    /// The classes of the page.
    pub const fn classes(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Change => " shows-change",
            Self::Card => " shows-change shows-card",
        }
    }
}

/// A rulebook as HTML.
#[derive(Default)]
pub struct Rulebook {
    pub html: String,
    pub on_board: OnBoard,
}

pub fn render(context: &RuleEditorContext) -> Result<Rulebook, askama::Error> {
    let position = context.position;
    let free = context.is_free();
    let fields = context.fields;
    let editor = if free { context.editor() } else { None };
    let deck = if free && editor.is_none() && !fields.has("under") {
        context.deck()
    } else {
        Vec::new()
    };
    let page = Page {
        request: context.request,
        chosen: editor
            .as_ref()
            .and_then(|editor| context.chosen_card(editor)),
        deck,
        waits: if context.tells_waiting {
            waiting(context)?
        } else {
            String::new()
        },
        free,
        kinds: if free { context.kinds() } else { Vec::new() },
        editor,
        under: fields
            .get("under")
            .parse()
            .ok()
            .filter(|_| free)
            .and_then(|number| context.under(number)),
        cards: kinds::cards(position),
        reach: kinds::reach(position),
        promotions: texts::rulebook::kinds(position.rules().promotions()),
        promotions_changed: position.rules().promotions() != Promotions::ALL,
        written: context.written(),
        any_changed: !position.changes().is_empty() || !position.rules().differences().is_empty(),
        context,
    };
    Ok(Rulebook {
        html: page.render()?,
        on_board: page.on_board(),
    })
}

/// The answer that a board waits for, with the form for the player who is to answer; empty if there is none.
pub fn waiting(context: &RuleEditorContext) -> Result<String, askama::Error> {
    let request = context.request;
    let page = context.waits().map(|waits| Waiting {
        request,
        context,
        waits,
    });
    page.map_or(Ok(String::new()), |page| page.render())
}
