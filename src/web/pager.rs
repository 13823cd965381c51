//! Long lists, a page at a time.

use askama::Template;

use crate::web::fields::Fields;

/// Which page of a list is shown, from 1, and the links to those beside it.
#[derive(Template)]
#[template(path = "pager.html")]
pub struct Pager {
    page: usize,
    pages: usize,
    size: usize,
    address: String,
}

impl Pager {
    /// The page that the field `page` names of a list of `length` at `address`, with `size` on a page.
    pub fn of(fields: &Fields, address: String, length: usize, size: usize) -> Self {
        let pages = length.div_ceil(size).max(1);
        let asked = fields.get("page").parse().unwrap_or(1);
        Self {
            page: asked.clamp(1, pages),
            pages,
            size,
            address,
        }
    }

    /// What is on the page, of everything.
    pub fn cut<T>(&self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        all.skip((self.page - 1) * self.size).take(self.size)
    }
}
