//! Boards as PNG, for mails: the same drawing and the same styles as on the site's pages, in light colours on a ground
//! of their own.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroUsize;
use std::panic;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use lru::LruCache;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::roxmltree::{self, Document};
use resvg::usvg::{Options, Tree};

mod letters;
mod palette;
mod style;

/// A board as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub png: Arc<[u8]>,
    /// Its width on a page in CSS pixels; the PNG has [`DENSITY`] times as many.
    pub width: u32,
}

/// Pixels of the PNG for each CSS pixel.
const DENSITY: u32 = 2;
/// The longer side of a picture on a page, in CSS pixels.
const LONGEST: f32 = 340.0;
/// The same for a picture of several boards.
const LONGEST_OF_BOARDS: f32 = 600.0;

/// The reason why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    #[error("the drawing is not well-formed: {0}")]
    Xml(#[from] roxmltree::Error),
    #[error("the drawing has no size")]
    Size,
    #[error("the drawing is not understood: {0}")]
    Svg(#[from] resvg::usvg::Error),
    #[error("it cannot be packed: {0}")]
    Png(#[from] png::EncodingError),
    #[error("drawing it panicked")]
    Panic,
}

/// Above this many pictures, those unused for longest are dropped: some 3 MB, or 12 MB if all show several boards.
const MOST_PICTURES: NonZeroUsize = match NonZeroUsize::new(100) {
    Some(most) => most,
    None => NonZeroUsize::MIN,
};

/// The pictures by the hash of their drawing. Players, reminders and repeated attempts need the same one.
static PICTURES: LazyLock<Mutex<LruCache<u64, Picture>>> =
    LazyLock::new(|| Mutex::new(LruCache::new(MOST_PICTURES)));

/// The picture of the board `svg`, as `Diagram::svg` writes it. Drawing takes some milliseconds, so this must not be
/// called on a thread of the asynchronous runtime.
pub fn picture(svg: &str) -> Result<Picture, PictureError> {
    kept(svg, LONGEST)
}

/// The picture of a drawing of several boards; see [`picture`].
pub fn of_boards(svg: &str) -> Result<Picture, PictureError> {
    kept(svg, LONGEST_OF_BOARDS)
}

fn kept(svg: &str, longest: f32) -> Result<Picture, PictureError> {
    let pictures = || PICTURES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut hasher = DefaultHasher::new();
    svg.hash(&mut hasher);
    let key = hasher.finish();
    if let Some(picture) = pictures().get(&key) {
        return Ok(picture.clone());
    }
    // A mail leaves without its picture rather than not at all.
    let picture = panic::catch_unwind(|| draw(svg, longest)).map_err(|_| PictureError::Panic)??;
    pictures().put(key, picture.clone());
    Ok(picture)
}

/// A square drawing that needs no styles, with sides of so many pixels.
pub fn icon(svg: &str, side: u32) -> Result<Picture, PictureError> {
    let tree = Tree::from_str(svg, &Options::default())?;
    let mut pixels = Pixmap::new(side, side).ok_or(PictureError::Size)?;
    #[expect(clippy::cast_precision_loss, reason = "icons are small")]
    let scale = side as f32 / tree.size().width();
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    let pixels = pixels.take_demultiplied();
    let (pixels, _) = pixels.as_chunks();
    Ok(Picture {
        png: palette::png(pixels, (side, side))?.into(),
        width: side,
    })
}

/// The frame around a board, in board units.
const FRAME: f32 = 0.15;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "sizes are small and positive"
)]
fn draw(svg: &str, longest: f32) -> Result<Picture, PictureError> {
    let document = Document::parse(svg)?;
    let view = document.root_element().attribute("viewBox");
    let view = view.unwrap_or_default().split(' ');
    let view: Vec<f32> = view.filter_map(|number| number.parse().ok()).collect();
    let &[left, top, width, height] = view.as_slice() else {
        return Err(PictureError::Size);
    };
    let (left, top) = (left - FRAME, top - FRAME);
    let (width, height) = (width + 2.0 * FRAME, height + 2.0 * FRAME);
    let scale = longest / width.max(height);
    let pixels = |length: f32| (length * scale).round() as u32;
    let (wide, high) = (pixels(width), pixels(height));
    let ground = style::Ground {
        at: (left, top),
        size: (width, height),
        pixel: 1.0 / scale,
    };
    let tree = Tree::from_str(&style::written_out(svg, &ground)?, &Options::default())?;
    let size = (wide * DENSITY, high * DENSITY);
    let mut pixels = Pixmap::new(size.0, size.1).ok_or(PictureError::Size)?;
    let scale = scale * DENSITY as f32;
    let scale = Transform::from_scale(scale, scale);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    let pixels = pixels.take_demultiplied();
    let (pixels, _) = pixels.as_chunks();
    Ok(Picture {
        png: palette::png(pixels, size)?.into(),
        width: wide,
    })
}
