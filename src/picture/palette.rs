//! PNG with a palette, a third as large as one with all its colours: boards have a few colours, and many more only on
//! the edges between them.

use std::collections::HashMap;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

/// Red, green, blue, opacity.
type Colour = [u8; 4];

/// Colours nearer to each other than this become one.
const NEAR: u32 = 150;

fn distance(one: Colour, other: Colour) -> u32 {
    let parts = one.into_iter().zip(other);
    parts.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

/// The picture of this size as PNG. Its frequent colours stay as they are; the others become the nearest of
/// those.
pub fn png(pixels: &[Colour], (width, height): (u32, u32)) -> Result<Vec<u8>, EncodingError> {
    // Each colour with its number of pixels, in the order in which they come; each run of pixels with its colour.
    let mut places: HashMap<Colour, usize> = HashMap::new();
    let mut colours: Vec<(Colour, usize)> = Vec::new();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for run in pixels.chunk_by(|one, other| one == other) {
        let place = *places.entry(run[0]).or_insert(colours.len());
        if place == colours.len() {
            colours.push((run[0], 0));
        }
        colours[place].1 += run.len();
        runs.push((place, run.len()));
    }
    let mut frequent: Vec<usize> = (0..colours.len()).collect();
    frequent.sort_by_key(|place| usize::MAX - colours[*place].1);
    let mut palette: Vec<Colour> = Vec::new();
    let mut numbers = vec![0u8; colours.len()];
    for place in frequent {
        let (colour, _) = colours[place];
        let kept = (0u8..=255).zip(&palette);
        let nearest = kept.map(|(number, kept)| (distance(colour, *kept), number));
        numbers[place] = match (nearest.min(), u8::try_from(palette.len())) {
            (Some((distance, number)), _) if distance < NEAR => number,
            (_, Ok(number)) => {
                palette.push(colour);
                number
            }
            (nearest, Err(_)) => nearest.map_or(0, |(_, number)| number),
        };
    }
    let mut numbered = Vec::with_capacity(pixels.len());
    for (place, length) in runs {
        numbered.resize(numbered.len() + length, numbers[place]);
    }
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    let solid = palette
        .iter()
        .flat_map(|[red, green, blue, _]| [*red, *green, *blue]);
    encoder.set_palette(solid.collect::<Vec<u8>>());
    encoder.set_trns(
        palette
            .iter()
            .map(|[.., opacity]| *opacity)
            .collect::<Vec<u8>>(),
    );
    encoder.set_compression(Compression::Balanced);
    encoder.set_filter(Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&numbered)?;
    writer.finish()?;
    Ok(out)
}
