//! The rules of a Flexichess board on its page: which are in force, the editor that changes them, turns
//! under a written rule, and answers to what waits for one.
//!
//! It is one part of a page, whichever page that is: it takes a position and the address of the page, and
//! everything that is being edited stands in that address. So it works by links and forms alone; the
//! script (`static/rulebook.js`) only fetches what the links lead to without loading the page anew.

use std::fmt::Write as _;

use askama::Template;

use super::visit::{Fields, Visit};
use super::words;
use crate::board::{Diagram, View, flexichess as draw};
use crate::record::Changed;
use crate::rules::betza::{Brush, Mirror, Movement, Offset, Purpose, Way, ideas};
use crate::rules::flexichess::{
    Effect, Flexichess, Kind, Pending, Preview, Promotions, Square, Turn, side_name,
};
use crate::rules::{Rules as _, Side};

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
    pub visit: &'a Visit,
    pub position: &'a Flexichess,
    /// The path of the page.
    pub path: String,
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

/// Something that can be chosen.
struct Chip {
    label: String,
    address: String,
    chosen: bool,
}

/// A kind of piece that can be chosen.
struct KindChip {
    letter: char,
    name: &'static str,
    picture: String,
    changed: bool,
    address: String,
    chosen: bool,
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

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Move,
    Promote,
    Written,
}

impl Form {
    const fn key(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Promote => "promote",
            Self::Written => "written",
        }
    }
}

/// A row of the table of what each side could do.
struct Row {
    side: &'static str,
    now: String,
    after: String,
    gained: usize,
    lost: usize,
}

/// What a change would do.
struct Shown {
    refused: Option<String>,
    says: Vec<String>,
    rows: Vec<Row>,
    board: String,
    lit: bool,
}

/// The editor, opened.
struct Editor {
    letter: char,
    name: &'static str,
    form: Form,
    forms: Vec<Chip>,
    /// The movement as it stands in the field.
    betza: String,
    /// Why it is not understood, or why a click put nothing there.
    wrong: Option<String>,
    words: String,
    ways: Vec<Chip>,
    purposes: Vec<Chip>,
    mirrors: Vec<Chip>,
    picture: String,
    shelf: Vec<Chip>,
    /// Letter, name, whether it is in the set.
    promotions: Vec<(char, &'static str, bool)>,
    shown: Option<Shown>,
    /// The change in short: `N NW`.
    change: String,
    /// Whether it can be sent.
    ready: bool,
    text: String,
    /// Fields that a form for another look at it keeps.
    kept: Vec<(&'static str, String)>,
    /// Fields that a form which sends it has, too.
    sent: Vec<(&'static str, String)>,
    close: String,
}

#[derive(Template)]
#[template(path = "rulebook.html")]
struct Page<'a> {
    visit: &'a Visit,
    desk: &'a Desk<'a>,
    waits: Option<Waits>,
    kinds: Vec<KindChip>,
    editor: Option<Editor>,
    under: Option<Under>,
    cards: Vec<Card>,
    promotions: String,
    promotions_changed: bool,
    written: Vec<Written>,
    any_changed: bool,
}

impl Page<'_> {
    /// Whether turns are sent from here now.
    fn acts(&self) -> bool {
        !matches!(self.desk.send, Sending::Never)
    }

    fn posts(&self) -> bool {
        matches!(self.desk.send, Sending::Post(..))
    }

    /// Where a form that makes a turn is sent to.
    fn action(&self) -> &str {
        match &self.desk.send {
            Sending::Post(action, _) => action,
            _ => &self.desk.path,
        }
    }

    /// The hidden fields of such a form.
    fn hidden(&self) -> Vec<(&'static str, String)> {
        match &self.desk.send {
            Sending::Never => Vec::new(),
            Sending::Post(_, hidden) => hidden.clone(),
            Sending::Get => {
                let mut hidden = self.desk.query.clone();
                hidden.push(("make", "1".to_owned()));
                hidden
            }
        }
    }

    /// What follows a dispute.
    fn disputed(&self, by: &str) -> String {
        match self.desk.decides {
            Some(host) => format!("then the {host} decides"),
            None => format!("then it does not hold, and {by} plays another turn"),
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
pub fn squares(visit: &Visit, diagram: Diagram) -> Diagram {
    if visit.numbered && diagram.class == "flexichess" {
        draw::numbered(diagram)
    } else {
        diagram
    }
}

/// A small picture of how a movement goes. The page holds [`glyphs`].
pub fn movement_picture(movement: &Movement, kind: Kind, side: Side) -> String {
    draw::movement(movement, kind, side).svg(&View {
        // How that is stands beside it, in words.
        title: &format!("How the {} moves", kind.name()),
        brief: true,
        ..View::default()
    })
}

/// Reads one of a list of words; the first if it is none of them.
fn chosen<T: Copy>(all: &[(T, &str, &str)], key: &str) -> T {
    all.iter()
        .find(|(_, known, _)| *known == key)
        .unwrap_or(&all[0])
        .0
}

/// The word of one of them.
fn key_of<T: PartialEq>(all: &[(T, &str, &str)], this: T) -> String {
    let found = all.iter().find(|(known, ..)| *known == this);
    found.map_or_else(String::new, |(_, key, _)| (*key).to_owned())
}

/// The rulebook of a board, as a part of its page.
///
/// # Errors
/// The template cannot be filled in.
pub fn render(desk: &Desk) -> Result<String, askama::Error> {
    let position = desk.position;
    let acts = !matches!(desk.send, Sending::Never);
    let free = acts && position.pending().is_none();
    let fields = desk.fields;
    let page = Page {
        visit: desk.visit,
        waits: desk.waits(),
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
    page.render()
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
    /// The address of the page with `more` in its query.
    fn address(&self, more: &[(&str, &str)]) -> String {
        let kept = self
            .query
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        let mut address = self.path.clone();
        let all = kept.chain(more.iter().copied());
        for (index, (name, value)) in all.enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            let _ = write!(address, "{mark}{name}={}", words::encode(value));
        }
        address + "#rulebook"
    }

    fn board(&self, diagram: Diagram, title: &str) -> String {
        let title = format!("{title}. {}", diagram.in_words());
        squares(self.visit, diagram).turned(self.turned).svg(&View {
            title: &title,
            coordinates: self.visit.coordinates(),
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

    fn kinds(&self) -> Vec<KindChip> {
        let rule = self.fields.get("rule");
        Kind::CHANGEABLE
            .into_iter()
            .map(|kind| {
                let letter = kind.letter();
                KindChip {
                    letter,
                    name: kind.name(),
                    picture: draw::picture(kind),
                    changed: !self.position.rules().is_ordinary(kind),
                    address: self.address(&[("rule", letter.encode_utf8(&mut [0; 4]))]),
                    chosen: rule == letter.to_string(),
                }
            })
            .collect()
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

    fn editor(&self) -> Option<Editor> {
        let fields = self.fields;
        let rule = fields.get("rule");
        let mut letters = rule.chars();
        let kind = letters
            .next()
            .and_then(Kind::from_letter)
            .filter(|kind| Kind::CHANGEABLE.contains(kind));
        if letters.next().is_some() || (kind.is_none() && rule != "*") {
            return None;
        }
        let form = match (kind, fields.get("form")) {
            (None, _) | (_, "written") => Form::Written,
            (Some(Kind::Pawn), "promote") => Form::Promote,
            _ => Form::Move,
        };
        let letter = kind.map_or('*', Kind::letter);
        let subject = letter.to_string();
        let forms = [
            (Form::Move, "How it moves", kind.is_some()),
            (Form::Promote, "What it becomes", kind == Some(Kind::Pawn)),
            (Form::Written, "A rule in words", kind.is_some()),
        ];
        let mut editor = Editor {
            letter,
            name: kind.map_or("", Kind::name),
            form,
            forms: forms
                .into_iter()
                .filter(|(.., is_there)| *is_there)
                .map(|(this, label, _)| Chip {
                    label: label.to_owned(),
                    address: self.address(&[("rule", &subject), ("form", this.key())]),
                    chosen: this == form,
                })
                .collect(),
            betza: String::new(),
            wrong: None,
            words: String::new(),
            ways: Vec::new(),
            purposes: Vec::new(),
            mirrors: Vec::new(),
            picture: String::new(),
            shelf: Vec::new(),
            promotions: Vec::new(),
            shown: None,
            change: String::new(),
            ready: false,
            text: fields.get("words").to_owned(),
            kept: Vec::new(),
            sent: vec![("rule", subject.clone()), ("form", form.key().to_owned())],
            close: self.address(&[]),
        };
        match (form, kind) {
            (Form::Move, Some(kind)) => self.edit_movement(&mut editor, kind)?,
            (Form::Promote, _) => self.edit_promotions(&mut editor),
            _ => {
                let shown = self.position.preview(&Effect::Written(kind));
                editor.change = format!("{subject} written");
                editor.ready = shown.refused.is_none();
                editor.shown = shown.refused.as_ref().map(|_| self.shown(&shown, None));
            }
        }
        Some(editor)
    }

    /// What is being edited: the text in the field, the movement it says or why it says none, and why a
    /// click put nothing there.
    fn edited(
        &self,
        kind: Kind,
        now: &Movement,
    ) -> (String, Result<Movement, String>, Option<String>) {
        let typed = self.fields.get("betza").trim();
        let (text, parsed) = match (self.fields.has("betza"), typed) {
            (false, _) => (now.to_string(), Ok(now.clone())),
            (true, "") => {
                let why = "A movement is missing here; - is one that goes nowhere.";
                (String::new(), Err(why.to_owned()))
            }
            (true, typed) => {
                let parsed = Movement::parse(typed, kind.mover());
                (typed.to_owned(), parsed.map_err(|error| error.to_string()))
            }
        };
        match (offset(self.fields.get("click")), &parsed) {
            (Some(offset), Ok(movement)) => match movement.clicked(offset, self.brush(kind)) {
                Ok(after) => (after.to_string(), Ok(after), None),
                Err(why) => (text, parsed, Some(format!("Not there: {why}."))),
            },
            _ => (text, parsed, None),
        }
    }

    fn brush(&self, kind: Kind) -> Brush {
        let purposes: Vec<_> = Purpose::of(kind.mover()).collect();
        let mirror = self.fields.get("mirror");
        Brush {
            way: chosen(&Way::ALL, self.fields.get("way")),
            purpose: chosen(&purposes, self.fields.get("for")),
            // Pawns go one way.
            mirror: match (mirror, kind) {
                ("", Kind::Pawn) => Mirror::Sides,
                _ => chosen(&Mirror::ALL, mirror),
            },
        }
    }

    fn edit_movement(&self, editor: &mut Editor, kind: Kind) -> Option<()> {
        let now = self.position.rules().movement(kind)?;
        let (text, parsed, not_there) = self.edited(kind, now);
        let brush = self.brush(kind);
        let purposes: Vec<_> = Purpose::of(kind.mover()).collect();
        // What is as it would be anyway is left out: 81 squares have it in their addresses.
        let first_mirror = match kind {
            Kind::Pawn => Mirror::Sides,
            _ => Mirror::ALL[0].0,
        };
        let kept = [
            ("rule", editor.letter.to_string(), true),
            (
                "way",
                key_of(&Way::ALL, brush.way),
                brush.way != Way::ALL[0].0,
            ),
            (
                "for",
                key_of(&purposes, brush.purpose),
                brush.purpose != purposes[0].0,
            ),
            (
                "mirror",
                key_of(&Mirror::ALL, brush.mirror),
                brush.mirror != first_mirror,
            ),
        ];
        let kept: Vec<(&'static str, String)> = kept
            .into_iter()
            .filter(|(.., is_other)| *is_other)
            .map(|(name, value, _)| (name, value))
            .collect();
        let address = |more: &[(&str, &str)]| {
            let changed = |name: &str| more.iter().any(|(other, _)| *other == name);
            let betza = ("betza", text.as_str());
            let mut all: Vec<(&str, &str)> = kept
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .chain([betza])
                .filter(|(name, _)| !changed(name))
                .collect();
            all.extend(more);
            self.address(&all)
        };
        let chip = |name: &str, key: &str, label: &str, chosen: bool| Chip {
            label: label.to_owned(),
            address: address(&[(name, key)]),
            chosen,
        };
        editor.ways = Way::ALL
            .iter()
            .map(|(way, key, label)| chip("way", key, label, *way == brush.way))
            .collect();
        editor.purposes = purposes
            .iter()
            .map(|(purpose, key, label)| chip("for", key, label, *purpose == brush.purpose))
            .collect();
        editor.mirrors = Mirror::ALL
            .iter()
            .map(|(mirror, key, label)| chip("mirror", key, label, *mirror == brush.mirror))
            .collect();
        let movement = parsed.as_ref().unwrap_or(now);
        editor.shelf = ideas(movement, kind.mover())
            .into_iter()
            .map(|idea| Chip {
                label: idea.name.to_owned(),
                address: address(&[("betza", &idea.movement.to_string())]),
                chosen: false,
            })
            .collect();
        let next: Vec<(String, String)> = if parsed.is_ok() {
            draw::movement_squares()
                .map(|(name, (dx, dy))| (name, address(&[("click", &format!("{dx},{dy}"))])))
                .collect()
        } else {
            Vec::new()
        };
        editor.picture = draw::movement(movement, kind, self.position.side()).svg(&View {
            title: &format!("How the {} would move; forward is up", kind.name()),
            next: &next,
            ..View::default()
        });
        editor.words = movement.words();
        editor.change = format!("{} {text}", editor.letter);
        editor.kept = self.query.iter().cloned().chain(kept.clone()).collect();
        editor.sent.push(("betza", text.clone()));
        match &parsed {
            Ok(movement) if movement == now => {}
            Ok(movement) => {
                let effect = Effect::Movement(kind, movement.clone());
                let preview = self.position.preview(&effect);
                editor.ready = preview.refused.is_none();
                editor.shown = Some(self.shown(&preview, Some(kind)));
            }
            Err(_) => {}
        }
        editor.wrong = parsed.err().or(not_there);
        editor.betza = text;
        Some(())
    }

    fn edit_promotions(&self, editor: &mut Editor) {
        let now = self.position.rules().promotions();
        let given: Vec<Kind> = self
            .fields
            .all("to")
            .flat_map(str::chars)
            .filter_map(Kind::from_letter)
            .collect();
        let set = if self.fields.has("to") || self.fields.has("set") {
            Promotions::new(&given)
        } else {
            Some(now)
        };
        editor.promotions = Promotions::ALL
            .kinds()
            .map(|kind| {
                let is_in = set.is_some_and(|set| set.has(kind));
                (kind.letter(), kind.name(), is_in)
            })
            .collect();
        editor.kept.clone_from(&self.query);
        editor.kept.extend([
            ("rule", "P".to_owned()),
            ("form", Form::Promote.key().to_owned()),
            ("set", "1".to_owned()),
        ]);
        let Some(set) = set else {
            editor.wrong = Some("Pawns promote to something: choose at least one.".to_owned());
            return;
        };
        editor.words = format!("promotes to {}", names(set));
        editor.change = format!("P ={set}");
        editor.sent.push(("to", set.to_string()));
        if set != now {
            let preview = self.position.preview(&Effect::Promotion(set));
            editor.ready = preview.refused.is_none();
            editor.shown = Some(self.shown(&preview, None));
        }
    }

    fn shown(&self, preview: &Preview, kind: Option<Kind>) -> Shown {
        let mut says = Vec::new();
        let gives: Vec<String> = preview
            .checkers
            .iter()
            .filter_map(|&square| {
                let piece = preview.after.piece(square)?;
                Some(format!("the {} on {square}", piece.kind.name()))
            })
            .collect();
        let gives: Vec<&str> = gives.iter().map(String::as_str).collect();
        let other = side_name(preview.after.side());
        if let Some(outcome) = preview.outcome {
            says.push(match outcome.winner {
                Some(_) => format!(
                    "It is checkmate by {}: the game would end.",
                    words::list(&gives)
                ),
                None => "It is stalemate: the game would end in a draw.".to_owned(),
            });
        } else if !gives.is_empty() && preview.refused.is_none() {
            let verb = if gives.len() == 1 { "gives" } else { "give" };
            let gives = words::list(&gives);
            says.push(format!("It gives check to {other}: {gives} {verb} it."));
        } else if !gives.is_empty() {
            says.push(format!("The king is attacked by {}.", words::list(&gives)));
        }
        let count = |count: Option<u32>| count.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let rows = [(0, "White"), (1, "Black")]
            .map(|(index, side): (usize, _)| {
                let reach = &preview.reach[index];
                let [now, after] = preview.moves[index];
                let new =
                    |a: &[Square], b: &[Square]| a.iter().filter(|at| !b.contains(at)).count();
                Row {
                    side,
                    now: count(now),
                    after: count(after),
                    gained: new(&reach.after, &reach.now),
                    lost: new(&reach.now, &reach.after),
                }
            })
            .into();
        Shown {
            refused: preview.refused.clone(),
            says,
            rows,
            board: self.board(draw::preview(preview), "The board after the change"),
            lit: kind.is_some(),
        }
    }
}

/// A change of the rules in the record of them.
pub struct Told {
    changed: Changed,
    when: String,
    title: String,
    /// What was in force before it and what is after it: notation, words, a picture.
    before: Option<Effected>,
    after: Option<Effected>,
}

/// One side of a change.
struct Effected {
    betza: String,
    words: String,
    picture: String,
}

impl Told {
    /// With its pictures. `when` is the moment as the visitor writes it.
    pub fn of(changed: &Changed, when: String) -> Self {
        let change = &changed.change;
        let kind = Kind::from_letter(change.subject);
        let effected = |notation: &str, words: &str| {
            let movement = kind.and_then(|kind| {
                let movement = Movement::parse(notation, kind.mover()).ok()?;
                Some(movement_picture(&movement, kind, change.side))
            });
            (!words.is_empty()).then(|| Effected {
                betza: notation.to_owned(),
                words: words.to_owned(),
                picture: movement.unwrap_or_default(),
            })
        };
        let name = kind.map_or("", Kind::name);
        Self {
            title: match (change.after.as_str(), name) {
                ("written", "") => "A rule in words".to_owned(),
                ("written", name) => format!("A rule in words about the {name}"),
                (after, _) if after.starts_with('=') => "What pawns become".to_owned(),
                (_, name) => format!("How the {name} moves"),
            },
            before: effected(&change.before, &change.before_words),
            after: effected(&change.after, &change.after_words),
            changed: changed.clone(),
            when,
        }
    }
}

#[derive(Template)]
#[template(path = "told.html")]
struct AllTold<'a> {
    changes: &'a [Told],
}

/// The record of the changes of a board, each with its effect in words and pictures.
///
/// # Errors
/// The template cannot be filled in.
pub fn told(changes: &[Told]) -> Result<String, askama::Error> {
    AllTold { changes }.render()
}

/// The square of a diagram that was clicked: `1,-2`.
fn offset(text: &str) -> Option<Offset> {
    let (dx, dy) = text.split_once(',')?;
    let offset = (dx.parse().ok()?, dy.parse().ok()?);
    let known = draw::movement_squares().any(|(_, square)| square == offset);
    known.then_some(offset)
}
