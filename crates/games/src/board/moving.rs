//! A game as one SVG that plays by itself: what does not change is drawn once, and each other part is shown while it is
//! so. Its times are styles; without motion it shows the last turn.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::svg::{definitions, escape};
use super::{Diagram, Glyph};

/// Seconds for which the end is shown, beside the one that every turn has.
const PAUSE: usize = 4;

/// One state of a part: it looks so from one second to another.
struct State {
    svg: String,
    from: usize,
    to: usize,
}

/// A part of the board, by name, with its states one after the other.
struct Part {
    name: String,
    states: Vec<State>,
}

/// The parts of all `frames`, from below.
fn parts(frames: &[Diagram]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (second, frame) in frames.iter().enumerate() {
        let mut next = 0;
        for (name, svg) in frame.parts() {
            let is_it = |part: &Part| part.name == name;
            let index = match parts.get(next) {
                Some(part) if is_it(part) => next,
                _ => parts.iter().position(is_it).unwrap_or_else(|| {
                    let states = Vec::new();
                    parts.insert(next, Part { name, states });
                    next
                }),
            };
            next = index + 1;
            let states = &mut parts[index].states;
            match states.last_mut() {
                Some(state) if state.to == second && state.svg == svg => state.to += 1,
                _ => states.push(State {
                    svg,
                    from: second,
                    to: second + 1,
                }),
            }
        }
    }
    parts
}

/// The boards of `frames` one after the other, a second each, as an SVG of its own with `style`. Shown as `#still` it does
/// not move.
#[must_use]
pub fn moving(frames: &[Diagram], title: &str, style: &str) -> String {
    let Some(first) = frames.first() else {
        return String::new();
    };
    let seconds = frames.len() + PAUSE;
    let mut drawn = String::new();
    let mut lengths = BTreeSet::new();
    for State { svg, from, to } in parts(frames).into_iter().flat_map(|part| part.states) {
        let is_last = to == frames.len();
        if from == 0 && is_last {
            drawn.push_str(&svg);
            continue;
        }
        let length = if is_last { seconds - from } else { to - from };
        lengths.insert(length);
        let class = if is_last { "part end" } else { "part" };
        // A second that has passed before the beginning: all begin at once.
        let _ = write!(
            drawn,
            "<g class=\"{class}\" style=\"animation-name:for-{length};animation-delay:-{}s\">{svg}</g>",
            seconds - from
        );
    }
    let mut glyphs: Vec<&'static Glyph> = Vec::new();
    for glyph in frames.iter().flat_map(Diagram::all_glyphs) {
        if !glyphs.iter().any(|known| known.id == glyph.id) {
            glyphs.push(glyph);
        }
    }
    let (title, style) = (escape(title), escape(style));
    let (width, height) = first.size;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"still\" class=\"board {}\" \
         viewBox=\"-.12 -.12 {:.2} {:.2}\" role=\"img\" aria-label=\"{title}\"><style>{style}\
         .part{{visibility:hidden;animation:{seconds}s step-end infinite}}.end{{visibility:visible}}\
         :target .part{{animation:none!important}}\
         @media (prefers-reduced-motion:reduce){{.part{{animation:none!important}}}}",
        first.class,
        width + 0.24,
        height + 0.24,
    );
    for length in lengths {
        #[expect(clippy::cast_precision_loss, reason = "a few hundred seconds")]
        let end = length as f32 * 100.0 / seconds as f32;
        let _ = write!(
            out,
            "@keyframes for-{length}{{0%{{visibility:visible}}{end:.3}%,to{{visibility:hidden}}}}"
        );
    }
    out + "</style>" + &definitions(&glyphs) + &drawn + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::GAMES;

    /// After each turn the states that are shown are the parts of that board, in its order.
    #[test]
    fn each_second_shows_one_board() {
        for entry in GAMES {
            let mut game = entry.setup("").expect("the usual game");
            let mut frames = vec![game.diagram()];
            for number in 0..12 {
                let legal = game.legal();
                game.play(&legal[number * 7 % legal.len()]).expect("legal");
                frames.push(game.diagram());
            }
            let parts = parts(&frames);
            for (second, frame) in frames.iter().enumerate() {
                let states = parts.iter().flat_map(|part| &part.states);
                let shown = states.filter(|state| (state.from..state.to).contains(&second));
                let shown: Vec<&str> = shown.map(|state| state.svg.as_str()).collect();
                let drawn = frame.parts();
                let drawn: Vec<&str> = drawn.iter().map(|(_, svg)| svg.as_str()).collect();
                assert_eq!(shown, drawn, "{}, turn {second}", entry.card.key);
            }
            let picture = moving(&frames, "A <game>", ".a > .b {}");
            assert!(picture.contains("aria-label=\"A &lt;game&gt;\""));
            assert!(picture.contains("for-1{0%{visibility:visible}5.882%,to"));
            assert!(!picture.contains("<a "), "{}", entry.card.key);
        }
    }
}
