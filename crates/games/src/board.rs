//! Boards: a [`Diagram`] describes a board without a format; [`svg`] writes it as SVG. Each game's file in `board/`
//! turns a position into a diagram and into plain text.
//!
//! Lengths are in board units: a square of an ordinary board is 1 wide. `x` runs to the right,
//! `y` downwards, as in SVG. Colours come from the style sheet by class, so that light, dark and
//! print need no other drawing.
//!
//! ```
//! use perplex_games::board::Render;
//! use perplex_games::rules::Rules;
//! use perplex_games::rules::quixo::Quixo;
//!
//! let position = Quixo::setup("").expect("the game for two");
//! let diagram = position.diagram(None);
//! assert_eq!(diagram.cells.len(), 25);
//! assert!(diagram.has("c1"));
//! assert!(position.text(0).ends_with("  a b c d e\n"));
//! // East sees it from the right.
//! assert!(position.text(1).starts_with("a "));
//! ```

use crate::rules::flexichess::Flexichess;
use crate::rules::{Rules, Seat};

pub mod flexichess;
mod gone;
mod hand;
mod moving;
pub mod perplexus;
pub mod pijersi;
pub mod pylyx;
pub mod quixo;
mod svg;

pub use gone::{Gone, off_the_board};
pub use moving::moving;
pub use svg::{View, escape};

/// The description of a game: names, credits, variants, rules page.
#[derive(Debug)]
pub struct Card {
    /// The word in addresses, records and the referee: `quixo`.
    pub key: &'static str,
    /// The game's name as people read it: `Quixo`.
    pub name: &'static str,
    /// Author and year, as far as they are known: `Thierry Chapeau, 1995`.
    pub by: &'static str,
    /// The place where the rules were published, and their licence if it is to be named.
    pub source: &'static str,
    /// One sentence on what the game is about.
    pub tagline: &'static str,
    /// The style sheet of the board, in CSS. Everything in it is below `.board.KEY`, or has a class that
    /// only this game uses. Colours are written `light-dark(day, night)`.
    pub style: &'static str,
    /// The variants, the ordinary game (with the empty key) first.
    pub variants: &'static [Variant],
    /// The rules page, a [`Block`] on each line. `# ` begins a heading, `! ` a ruling, `>` an example: the key of its
    /// variant, its turns, and on the next line its caption. Everything else is text.
    pub page: &'static str,
}

impl Card {
    /// The rules page from its first block to its last.
    #[must_use]
    pub fn rules(&self) -> Vec<Block> {
        let mut lines = self.page.lines().filter(|line| !line.is_empty());
        let mut blocks = Vec::new();
        while let Some(line) = lines.next() {
            blocks.push(if let Some(text) = line.strip_prefix("# ") {
                Block::Heading(text)
            } else if let Some(text) = line.strip_prefix("! ") {
                Block::Ruling(text)
            } else if let Some(example) = line.strip_prefix('>') {
                let (variant, turns) = example.split_once(' ').unwrap_or((example, ""));
                Block::Example {
                    variant,
                    turns,
                    caption: lines.next().unwrap_or_default(),
                }
            } else {
                Block::Text(line)
            });
        }
        blocks
    }
}

/// A way of playing a game that is chosen before it starts: a board size, a number of players.
#[derive(Debug)]
pub struct Variant {
    /// The word used by records and the referee; empty for the ordinary game.
    pub key: &'static str,
    /// The name that people read: "for four".
    pub name: &'static str,
}

impl Variant {
    const fn new(key: &'static str, name: &'static str) -> Self {
        Self { key, name }
    }
}

/// A piece of a rules page.
#[derive(Debug)]
pub enum Block {
    /// A heading of the page, in plain text.
    Heading(&'static str),
    /// A paragraph of the published rules, in our words and in plain text.
    Text(&'static str),
    /// A paragraph that settles what the published rules leave open; shown as ours.
    Ruling(&'static str),
    /// A board: the position after `turns` (separated by single spaces) from the start of
    /// `variant`, the last turn marked.
    Example {
        /// The key of the variant that is played.
        variant: &'static str,
        /// The turns, in canonical notation.
        turns: &'static str,
        /// The line below the board.
        caption: &'static str,
    },
}

/// The look of a game, and its texts. [`Rules`] know nothing of this.
pub trait Render: Rules {
    /// Names, credits, variants and the rules page.
    const CARD: Card;

    /// The board, with the traces of the last turn if one is given.
    fn diagram(&self, last: Option<&Self::Turn>) -> Diagram;
    /// The board as plain text for mails and terminals: lines of at most 72 characters, with
    /// coordinates and everything off the board (hands, hints), without the side to move. The board is turned clockwise
    /// by `turned` quarter turns, like [`Diagram::turned`]; one of hexagons only by half turns.
    fn text(&self, turned: u8) -> String;
    /// The parts of the position that are not drawn, such as changed rules: the lines of [`Render::text`] that a
    /// picture needs, too.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The quarter turns (clockwise) by which the board is turned for the player in `seat`.
    fn facing(&self, seat: Seat) -> u8 {
        2 * seat.0
    }

    /// The options of the side to move, in a sentence or two.
    fn hint(&self) -> String;

    /// The position if it is one of Flexichess; see `AnyGame::flexichess`.
    fn flexichess(&self) -> Option<&Flexichess> {
        None
    }

    /// The label of a button for `step`, where the step is no place on the board.
    fn step_label(&self, step: &str) -> String {
        step.to_owned()
    }

    /// The name of a legal turn, as players write it.
    fn turn_label(&self, turn: &Self::Turn) -> String {
        turn.to_string()
    }
}

/// A board as shapes, cells and labels, without a format: [`Diagram::svg`] and others write it.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// A class for the style sheet: the game's key.
    pub class: &'static str,
    /// Width and height of the playing area. Coordinates outside stand in a margin of 0.5,
    /// which is there only on their sides.
    pub size: (f32, f32),
    /// The shapes below the cells: frames, shuttles. Drawn first, in order.
    pub shapes: Vec<Shape>,
    /// The places that have a name. Drawn in order.
    pub cells: Vec<Cell>,
    /// Coordinates around the board.
    pub labels: Vec<Label>,
    /// True if the coordinates stand in the corners of the squares at the left and the lower edge, however the board
    /// is turned, and not beside it.
    pub labels_within: bool,
    /// The picture of all its places, empty, which also fits the board turned by half: with it the board can be drawn
    /// in brief.
    pub ground: Option<&'static Glyph>,
    /// The classes of cells that cannot be seen while nothing is on them: pictures leave them out.
    pub unseen: &'static [&'static str],
    /// The shapes that choosing a cell would put on the board, by the cell's name: shown while the pointer is on the
    /// cell.
    pub previews: Vec<(String, Shape)>,
    /// The pieces of each side that are not on the board any more, for the sides that lack some, in games in which pieces
    /// leave the board.
    pub gone: Vec<Gone>,
    /// The official signs of the game where ours are others, each after ours: readers choose between them.
    pub official_signs: &'static [[&'static Glyph; 2]],
}

/// A distance: to the right and down.
pub type Way = (f32, f32);

/// An outline without a name.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Classes for the style sheet.
    pub class: &'static str,
    /// Its centre.
    pub at: (f32, f32),
    /// Its form.
    pub outline: Outline,
    /// Its place before the last turn, from its place now; none if it did not move.
    pub came: Option<Way>,
}

impl Shape {
    const fn new(class: &'static str, at: (f32, f32), outline: Outline) -> Self {
        Self {
            class,
            at,
            outline,
            came: None,
        }
    }
}

/// The form of a cell or shape, around its centre.
#[derive(Clone, Copy, Debug)]
pub enum Outline {
    /// A rectangle with rounded corners: width, height, radius.
    Rect(f32, f32, f32),
    /// A hexagon with a corner at the top: the distance from its centre to a corner.
    Hex(f32),
    /// A circle: its radius.
    Circle(f32),
    /// An arrow head that points right (turned by that many quarter turns clockwise): its size.
    Arrow(f32, u8),
}

/// A place on the board that turns can name.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The step that choosing it means: `c1`, `4>`.
    pub name: String,
    /// Its centre.
    pub at: (f32, f32),
    /// Its form.
    pub outline: Outline,
    /// Classes for the style sheet.
    pub class: &'static str,
    /// The pieces on it, from the bottom up.
    pub pieces: Vec<Piece>,
    /// The pieces on it in words for a screen reader: "cross"; empty for nothing.
    pub says: String,
    /// The trace of the last turn here, if any.
    pub last: Option<Last>,
}

/// The trace that the last turn left on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// Something left from here.
    From,
    /// Something arrived here.
    To,
    /// Something was pushed or carried along.
    Moved,
    /// Something was captured here.
    Captured,
}

/// A picture of a piece, drawn in a box from -0.5 to 0.5.
#[derive(Debug)]
pub struct Glyph {
    /// Its name, unique in the program: `quixo-cross`.
    pub id: &'static str,
    /// SVG elements without colours of their own: only classes.
    pub svg: &'static str,
}

/// A picture on a cell: a piece, or a mark such as a number.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The picture.
    pub glyph: &'static Glyph,
    /// Classes for the style sheet, such as `first` or `second`.
    pub class: &'static str,
    /// Its centre, from the centre of the cell.
    pub at: (f32, f32),
    /// Its size; 1 fills a square of 1.
    pub size: f32,
    /// Quarter turns clockwise; `None` stands upright however the board is turned.
    pub turned: Option<u8>,
    /// Its place before the last turn, from its place now; none if it did not move.
    pub came: Option<Way>,
}

impl Piece {
    /// An upright piece that did not move.
    const fn new(glyph: &'static Glyph, class: &'static str, at: (f32, f32), size: f32) -> Self {
        Self {
            glyph,
            class,
            at,
            size,
            turned: None,
            came: None,
        }
    }
}

/// A text on the board or beside it: a coordinate.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its centre.
    pub at: (f32, f32),
    /// The text: `a`, `12`.
    pub text: String,
    /// Its class for the style sheet, by the square that it stands on; empty beside the board.
    pub class: &'static str,
}

impl Label {
    /// The letters of `cols` columns below the board, whose lower edge is at `bottom`, and the numbers
    /// of `rows` rows at its left.
    fn grid(cols: u8, rows: u8, bottom: f32) -> Vec<Self> {
        let out = 0.28;
        let along = |i: u8| f32::from(i) + 0.5;
        let columns = (0..cols).map(|col| Self {
            at: (along(col), bottom + out),
            text: char::from(b'a' + col).to_string(),
            class: "",
        });
        let rows = (0..rows).map(|row| Self {
            at: (-out, bottom - along(row)),
            text: (row + 1).to_string(),
            class: "",
        });
        columns.chain(rows).collect()
    }

    /// A label on a square of a board whose lower left square is dark: `out` is its centre, from that of the square.
    fn on_square((x, y): (f32, f32), out: (f32, f32), text: String) -> Self {
        let is_dark = (x.floor() + y.floor()) % 2.0 > 0.0;
        Self {
            at: (x + out.0, y + out.1),
            text,
            class: if is_dark { "on-dark" } else { "on-light" },
        }
    }

    /// The letter of a square in its lower left corner if it is in the lowest row, and its number in the upper one if
    /// it is in the first column.
    fn within(cell: &Cell, height: f32) -> impl Iterator<Item = Self> {
        let mut name = cell.name.chars();
        let (letter, number) = (name.next(), name.next());
        let letter = letter
            .filter(|_| cell.at.1 > height - 1.0)
            .map(|letter| Self::on_square(cell.at, (-0.4, 0.37), letter.to_string()));
        let number = number
            .filter(|_| cell.at.0 < 1.0)
            .map(|number| Self::on_square(cell.at, (-0.4, -0.36), number.to_string()));
        letter.into_iter().chain(number)
    }
}

impl Diagram {
    /// The diagram as a picture only: its places cannot be found by their names.
    #[must_use]
    pub fn unnamed(mut self) -> Self {
        for cell in &mut self.cells {
            cell.name.clear();
        }
        self
    }

    /// The diagram with the game's official signs.
    #[must_use]
    pub fn with_official_signs(mut self) -> Self {
        let on_board = self.cells.iter_mut().flat_map(|cell| &mut cell.pieces);
        let gone = self.gone.iter_mut().flat_map(|gone| &mut gone.pieces);
        for piece in on_board.chain(gone) {
            let mut signs = self.official_signs.iter();
            if let Some([_, official]) = signs.find(|[ours, _]| ours.id == piece.glyph.id) {
                piece.glyph = official;
            }
        }
        self
    }

    /// The board turned clockwise by `quarters` quarter turns. Boards that are not square look
    /// right only after half turns.
    #[must_use]
    pub fn turned(mut self, quarters: u8) -> Self {
        for _ in 0..quarters % 4 {
            let (width, height) = self.size;
            let turn = |(x, y): (f32, f32)| (height - y, x);
            let turn_way = |(x, y): (f32, f32)| (-y, x);
            let previews = self.previews.iter_mut().map(|(_, shape)| shape);
            for shape in self.shapes.iter_mut().chain(previews) {
                shape.at = turn(shape.at);
                shape.outline = shape.outline.turned();
                shape.came = shape.came.map(turn_way);
            }
            for cell in &mut self.cells {
                cell.at = turn(cell.at);
                cell.outline = cell.outline.turned();
                for piece in &mut cell.pieces {
                    piece.came = piece.came.map(turn_way);
                    if let Some(quarter) = &mut piece.turned {
                        piece.at = turn_way(piece.at);
                        *quarter = (*quarter + 1) % 4;
                    }
                }
            }
            for label in &mut self.labels {
                label.at = turn(label.at);
            }
            self.size = (height, width);
        }
        self
    }

    /// The pieces and their places in words: `cross: c1 e1; circle: e3`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut places: Vec<(&str, String)> = Vec::new();
        for cell in self.cells.iter().filter(|cell| !cell.says.is_empty()) {
            match places.iter_mut().find(|(says, _)| *says == cell.says) {
                Some((_, names)) => {
                    names.push(' ');
                    names.push_str(&cell.name);
                }
                None => places.push((&cell.says, cell.name.clone())),
            }
        }
        let words: Vec<String> = places
            .iter()
            .map(|(says, names)| format!("{says}: {names}"))
            .collect();
        words.join("; ")
    }

    /// True if a cell is called `name`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.cells.iter().any(|cell| cell.name == name)
    }
}

impl Cell {
    /// Its name, and the pieces on it: `c1: cross`.
    #[must_use]
    pub fn label(&self) -> String {
        let says = match self.says.as_str() {
            "" => "empty",
            says => says,
        };
        format!("{}: {says}", self.name)
    }
}

impl Outline {
    fn turned(self) -> Self {
        match self {
            Self::Rect(width, height, radius) => Self::Rect(height, width, radius),
            Self::Arrow(size, quarters) => Self::Arrow(size, (quarters + 1) % 4),
            Self::Hex(_) | Self::Circle(_) => self,
        }
    }
}
