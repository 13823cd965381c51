//! The editor of a change: the kind of piece, its movement or promotions, the wording, and the effect.

use crate::texts;
use crate::web::rulebook::context::RuleEditorContext;
use crate::web::rulebook::fields::written_turn;
use crate::web::rulebook::hint::Hint;
use perplex_games::board::{Diagram, View, flexichess as draw};
use perplex_games::rules::Side;
use perplex_games::rules::betza::{Brush, Mirror, Movement, Offset, Purpose, Way, ideas};
use perplex_games::rules::flexichess::{Effect, Kind, MOST_NOTATION, Preview, Promotions, Square};

pub struct Chip {
    pub label: String,
    pub address: String,
    pub chosen: bool,
}

pub struct KindChip {
    pub letter: char,
    pub name: &'static str,
    pub picture: String,
    pub changed: bool,
    pub address: String,
    pub chosen: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Move,
    Promote,
    Written,
}

impl Form {
    pub const fn key(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Promote => "promote",
            Self::Written => "written",
        }
    }
}

pub struct FormChip {
    pub form: Form,
    pub address: String,
    pub chosen: bool,
}

pub struct Row {
    pub side: &'static str,
    pub now: String,
    pub after: String,
    pub gained: usize,
    pub lost: usize,
}

pub struct Shown {
    pub refused: Option<String>,
    pub says: Option<String>,
    /// The number of pieces that could move differently, of either side.
    pub counts: Option<String>,
    pub rows: Vec<Row>,
    pub board: String,
    pub lit: bool,
}

pub struct Editor {
    pub letter: char,
    pub name: &'static str,
    pub form: Form,
    pub forms: Vec<FormChip>,
    pub betza: String,
    pub wrong: Option<String>,
    pub words: String,
    pub ways: Vec<Chip>,
    /// Ways that are not in sight at first.
    pub rare_ways: Vec<Chip>,
    pub purposes: Vec<Chip>,
    pub mirrors: Vec<Chip>,
    pub picture: String,
    /// The squares of the picture, row by row: each with its text, and its offset, as [`offset`] reads it.
    pub squares: Vec<(String, String)>,
    /// Movements to add to the present one.
    pub also: Vec<Chip>,
    /// Movements to put in its place.
    pub instead: Vec<Chip>,
    /// True if a choice is made that is not in sight at first.
    pub is_fine: bool,
    pub promotions: Vec<(char, &'static str, bool)>,
    pub shown: Option<Shown>,
    pub ready: bool,
    pub text: String,
    pub hint: Option<Hint>,
    pub kept: Vec<(&'static str, String)>,
    pub sent: Vec<(&'static str, String)>,
    pub close: String,
}

/// The ways to a square that are in sight at first.
const PLAIN: [Way; 4] = [Way::Leap, Way::Slide, Way::Ride, Way::Never];

fn chosen<T: Copy>(all: &[(T, &str, &str)], key: &str) -> T {
    all.iter()
        .find(|(_, known, _)| *known == key)
        .unwrap_or(&all[0])
        .0
}

fn key_of<T: PartialEq>(all: &[(T, &str, &str)], this: T) -> String {
    let found = all.iter().find(|(known, ..)| *known == this);
    found.map_or_else(String::new, |(_, key, _)| (*key).to_owned())
}

impl RuleEditorContext<'_> {
    pub fn kinds(&self) -> Vec<KindChip> {
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

    /// The kind that is edited, and what of it; a rule in words may be about no kind.
    fn subject(&self) -> Option<(Option<Kind>, Form)> {
        let rule = self.fields.get("rule");
        let mut letters = rule.chars();
        let kind = letters
            .next()
            .and_then(Kind::from_letter)
            .filter(|kind| Kind::CHANGEABLE.contains(kind));
        if letters.next().is_some() || (kind.is_none() && rule != "*") {
            return None;
        }
        let form = match (kind, self.fields.get("form")) {
            (None, _) | (_, "written") => Form::Written,
            (Some(Kind::Pawn), "promote") => Form::Promote,
            _ => Form::Move,
        };
        Some((kind, form))
    }

    /// The board as it would be after the change that is edited; `None` while there is none, and for rules in words.
    pub fn board_after(&self) -> Option<Diagram> {
        if !self.is_free() {
            return None;
        }
        let effect = match self.subject()? {
            (Some(kind), Form::Move) => {
                let now = self.position.rules().movement(kind)?;
                let (_, edited, _) = self.edited(kind, now);
                let edited = edited.ok().filter(|edited| edited != now)?;
                Effect::Movement(kind, edited)
            }
            (_, Form::Promote) => {
                let now = self.position.rules().promotions();
                Effect::Promotion(self.promotions().filter(|set| *set != now)?)
            }
            _ => return None,
        };
        Some(draw::preview(&self.position.preview(&effect)))
    }

    pub fn editor(&self) -> Option<Editor> {
        let fields = self.fields;
        let (kind, form) = self.subject()?;
        let letter = kind.map_or('*', Kind::letter);
        let subject = letter.to_string();
        let forms = [
            (Form::Move, kind.is_some()),
            (Form::Promote, kind == Some(Kind::Pawn)),
            (Form::Written, kind.is_some() && self.new_card.is_none()),
        ];
        let mut editor = Editor {
            letter,
            name: kind.map_or("", Kind::name),
            form,
            forms: forms
                .into_iter()
                .filter(|(_, is_there)| *is_there)
                .map(|(this, _)| FormChip {
                    form: this,
                    address: self.address(&[("rule", &subject), ("form", this.key())]),
                    chosen: this == form,
                })
                .collect(),
            betza: String::new(),
            wrong: None,
            words: String::new(),
            ways: Vec::new(),
            rare_ways: Vec::new(),
            purposes: Vec::new(),
            mirrors: Vec::new(),
            picture: String::new(),
            squares: Vec::new(),
            also: Vec::new(),
            instead: Vec::new(),
            is_fine: false,
            promotions: Vec::new(),
            shown: None,
            ready: false,
            text: fields.get("words").to_owned(),
            hint: None,
            kept: Vec::new(),
            sent: vec![("rule", subject.clone()), ("form", form.key().to_owned())],
            close: self.closed(),
        };
        match (form, kind) {
            (Form::Move, Some(kind)) => self.edit_movement(&mut editor, kind)?,
            (Form::Promote, _) => self.edit_promotions(&mut editor),
            _ => {
                let shown = self.position.preview(&Effect::Written(kind));
                editor.ready = shown.refused.is_none();
                editor.hint = Hint::of(self.position, &written_turn(fields));
                editor.shown = shown.refused.as_ref().map(|_| self.shown(&shown, None));
            }
        }
        Some(editor)
    }

    /// The state of the edit: the text in the field, its movement or the reason why it has none, and the reason why a
    /// click had no effect.
    fn edited(
        &self,
        kind: Kind,
        now: &Movement,
    ) -> (String, Result<Movement, String>, Option<String>) {
        let typed = self.fields.get("betza").trim();
        let (text, parsed) = match (self.fields.has("betza"), typed) {
            (false, _) => (now.to_string(), Ok(now.clone())),
            (true, "") => (String::new(), Err(texts::rulebook::NO_MOVEMENT.to_owned())),
            (true, typed) => {
                let parsed = Movement::parse(typed, kind.mover());
                (typed.to_owned(), parsed.map_err(|error| error.to_string()))
            }
        };
        match (offset(self.fields.get("click")), &parsed) {
            (Some(offset), Ok(movement)) => match movement.clicked(offset, self.brush(kind)) {
                Ok(after) if after.to_string().len() > MOST_NOTATION => (
                    text,
                    parsed,
                    Some(texts::rulebook::MOVEMENT_IS_FULL.to_owned()),
                ),
                Ok(after) => (after.to_string(), Ok(after), None),
                Err(why) => (text, parsed, Some(texts::rulebook::not_there(why))),
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
            // Pawns have one direction.
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
        // Default values are left out.
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
        let (plain, rare): (Vec<_>, Vec<_>) =
            Way::ALL.iter().partition(|(way, ..)| PLAIN.contains(way));
        let ways = |ways: Vec<&(Way, &str, &str)>| -> Vec<Chip> {
            let chips = ways.into_iter();
            chips
                .map(|(way, key, label)| chip("way", key, label, *way == brush.way))
                .collect()
        };
        editor.ways = ways(plain);
        editor.rare_ways = ways(rare);
        editor.purposes = purposes
            .iter()
            .map(|(purpose, key, label)| chip("for", key, label, *purpose == brush.purpose))
            .collect();
        editor.mirrors = Mirror::ALL
            .iter()
            .map(|(mirror, key, label)| chip("mirror", key, label, *mirror == brush.mirror))
            .collect();
        let movement = parsed.as_ref().unwrap_or(now);
        for idea in ideas(movement, kind.mover()) {
            let notation = idea.movement.to_string();
            if notation.len() > MOST_NOTATION {
                continue;
            }
            let chips = if idea.also {
                &mut editor.also
            } else {
                &mut editor.instead
            };
            chips.push(Chip {
                label: idea.name.to_owned(),
                address: address(&[("betza", &notation)]),
                chosen: false,
            });
        }
        let diagram = draw::movement(movement, kind, self.position.side());
        if parsed.is_ok() {
            editor.squares = draw::movement_squares(&diagram)
                .map(|(label, (dx, dy))| (label, format!("{dx},{dy}")))
                .collect();
        }
        editor.picture = diagram.unnamed().svg(&View {
            title: &texts::rulebook::how_it_would_move(kind),
            brief: true,
            ..View::default()
        });
        editor.words = movement.words();
        if !self.fields.has("words") {
            editor.text = texts::rulebook::suggested(kind, &editor.words);
        }
        editor.is_fine = !PLAIN.contains(&brush.way)
            || brush.purpose != purposes[0].0
            || brush.mirror != first_mirror;
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

    /// The kinds that are ticked; `None` if there is none.
    fn promotions(&self) -> Option<Promotions> {
        if !self.fields.has("to") && !self.fields.has("set") {
            return Some(self.position.rules().promotions());
        }
        let letters = self.fields.all("to").flat_map(str::chars);
        let given: Vec<Kind> = letters.filter_map(Kind::from_letter).collect();
        Promotions::new(&given)
    }

    fn edit_promotions(&self, editor: &mut Editor) {
        let now = self.position.rules().promotions();
        let set = self.promotions();
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
            editor.wrong = Some(texts::rulebook::NO_PROMOTION.to_owned());
            return;
        };
        editor.words = texts::rulebook::promotes(set);
        if !self.fields.has("words") {
            editor.text = texts::rulebook::suggested(Kind::Pawn, &editor.words);
        }
        editor.sent.push(("to", set.to_string()));
        if set != now {
            let preview = self.position.preview(&Effect::Promotion(set));
            editor.ready = preview.refused.is_none();
            editor.shown = Some(self.shown(&preview, None));
        }
    }

    fn shown(&self, preview: &Preview, kind: Option<Kind>) -> Shown {
        let count = |count: Option<u32>| count.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let rows = [Side::First, Side::Second]
            .map(|side| {
                let index = side.index();
                let reach = &preview.reach[index];
                let [now, after] = preview.moves[index];
                let new =
                    |a: &[Square], b: &[Square]| a.iter().filter(|at| !b.contains(at)).count();
                Row {
                    side: texts::team::side_word(side),
                    now: count(now),
                    after: count(after),
                    gained: new(&reach.after, &reach.now),
                    lost: new(&reach.now, &reach.after),
                }
            })
            .into();
        Shown {
            refused: preview.refused.clone(),
            says: texts::rulebook::check(preview),
            counts: preview.refused.is_none().then(|| {
                let you = self.posts() && self.new_card.is_none();
                let you = you.then(|| self.position.side());
                texts::rulebook::counts_for_both(preview, you)
            }),
            rows,
            board: self.board(draw::preview(preview), texts::rulebook::AFTER_CHANGE),
            lit: kind.is_some(),
        }
    }
}

/// The offset of the diagram's square that was clicked: `1,-2`.
fn offset(text: &str) -> Option<Offset> {
    let (dx, dy) = text.split_once(',')?;
    let offset = (dx.parse().ok()?, dy.parse().ok()?);
    draw::is_on_diagram(offset).then_some(offset)
}
