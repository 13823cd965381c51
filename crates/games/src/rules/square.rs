//! The squares of boards in columns and rows.

use std::fmt::{self, Display};

/// A square; its text is `a1` at the bottom left. Squares above each other are `WIDTH` numbers apart, which
/// is at least the number of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square<const WIDTH: u8>(pub(super) u8);

impl<const WIDTH: u8> Square<WIDTH> {
    /// The square in column `col` and row `row`, both counted from 0.
    #[must_use]
    pub const fn new(col: u8, row: u8) -> Self {
        Self(row * WIDTH + col)
    }

    /// The column, from 0 (a).
    #[must_use]
    pub const fn col(self) -> u8 {
        self.0 % WIDTH
    }

    /// The row, from 0 at the bottom.
    #[must_use]
    pub const fn row(self) -> u8 {
        self.0 / WIDTH
    }
}

impl<const WIDTH: u8> Display for Square<WIDTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.col()), self.row() + 1)
    }
}
