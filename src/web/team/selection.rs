//! The selection on the page of a match: the large board, and the piece that is about to change boards.

use std::cell::OnceCell;

use crate::web::team::context::TeamContext;
use crate::web::team::turn::Choosing;
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_matches::team::{Kind, Receiver, Square};

pub enum Taking {
    Any,
    Piece(Piece),
}

pub struct Piece {
    pub from: BoardNo,
    pub square: Square,
    pub kind: Kind,
    pub receivers: Vec<Receiver>,
}

impl Piece {
    /// True if this board can take the piece.
    pub fn can_go_to(&self, board: BoardNo) -> bool {
        let mut receivers = self.receivers.iter();
        receivers.any(|(to, why_not)| *to == board && why_not.is_none())
    }
}

pub struct Selection {
    /// The large board; without one all have the same size.
    pub large: Option<BoardNo>,
    /// The board to which keys and forms apply: the large one, or the first.
    pub main: BoardNo,
    pub own: Vec<BoardNo>,
    /// The boards in the order of the page: the viewer's own first.
    pub order: Vec<BoardNo>,
    pub taking: Option<Taking>,
    /// The turn that is being put together on the main board, once it was requested.
    choosing: OnceCell<Option<Choosing>>,
}

/// The address of a piece: `1-e4`.
pub fn read_piece(text: &str) -> Option<(BoardNo, Square)> {
    let (from, square) = text.split_once('-')?;
    let mut chars = square.chars();
    let square = Square::read(chars.next()?, chars.next()?)?;
    let from = from.parse().ok().map(BoardNo)?;
    chars.next().is_none().then_some((from, square))
}

impl Selection {
    pub fn of(context: TeamContext) -> Self {
        let view = context.view;
        let state = &*view.state;
        let own = match view.viewer.member {
            Some(member) if view.rights.side.is_some() => state.boards_of(member),
            _ => Vec::new(),
        };
        let mut order = own.clone();
        order.extend(state.boards.numbers().filter(|board| !own.contains(board)));
        let leads = view.leads_team();
        let seen = |number: &BoardNo| view.rights.boards.contains(number);
        let large = match context.fields.get("board") {
            // A player sees their own board large; a grand strategist sees all.
            "" => own.first().copied().filter(|_| !leads),
            number => number.parse().ok().map(BoardNo).filter(seen),
        };
        let main = large
            .or_else(|| order.iter().copied().find(seen))
            .unwrap_or(BoardNo(1));
        Self {
            large,
            main,
            own,
            order,
            taking: Self::taking(context),
            choosing: OnceCell::new(),
        }
    }

    /// The turn that is being put together on the main board: worked out once, for the board and its panel.
    pub fn choosing(&self, find: impl FnOnce() -> Option<Choosing>) -> Option<&Choosing> {
        self.choosing.get_or_init(find).as_ref()
    }

    fn taking(context: TeamContext) -> Option<Taking> {
        let view = context.view;
        let take = context.take();
        // Others do not see all boards.
        let may = view.leads_team() && !take.is_empty();
        let side = view.rights.side.filter(|_| may)?;
        let piece = read_piece(take).and_then(|(from, square)| {
            let (kind, receivers) = view.state.receivers(side, from, square)?;
            Some(Piece {
                from,
                square,
                kind,
                receivers,
            })
        });
        Some(piece.map_or(Taking::Any, Taking::Piece))
    }
}

pub fn pieces(context: TeamContext, number: BoardNo, board: &Board) -> Vec<(String, String)> {
    let side = context.view.rights.side;
    let position = board.position();
    let mine = |square: &Square| {
        position
            .piece(*square)
            .is_some_and(|piece| Some(piece.side) == side && piece.kind != Kind::King)
    };
    Square::all()
        .filter(mine)
        .map(|square| {
            let take = format!("{number}-{square}");
            (square.to_string(), context.address(&[("take", &take)]))
        })
        .collect()
}
