//! The colours of boards, by figures: what is written and what is drawn stands out from its ground (WCAG 2.2), and what
//! means different things is told apart by people who see fewer colours, too (Machado, Oliveira and Fernandes 2009).
//! In light and in dark; `cargo test palette -- --nocapture` shows the lowest figures.

use std::collections::BTreeMap;

use perplex_games::registry;

/// Each line: a kind, a game, a colour or several of which one is enough, and the grounds on which it lies or from
/// which it is told. `a@.4/b` is `a`, four tenths opaque, on `b`; a class is the first colour of its rule.
const PAIRS: &str = "
text quixo frame-ink frame
mark quixo cross top lifted moved moved-lifted arrived
mark quixo ring top lifted moved moved-lifted arrived
mark quixo choice top lifted moved arrived
mark quixo trace frame well
mark quixo .won-line|.won-edge top moved arrived
sides quixo cross ring
tint quixo top lifted moved arrived
tint quixo arrived moved
tint quixo lifted moved-lifted
text perplexus frame-ink frame
text perplexus text paper
mark perplexus white|white-edge shuttle-first shuttle-second moved-first moved-second paper
mark perplexus black|black-edge shuttle-first shuttle-second moved-first moved-second paper
mark perplexus white-ink white
mark perplexus black-ink black
mark perplexus shuttle-first|shuttle-edge groove/field-first groove/field-second
mark perplexus shuttle-second|shuttle-edge groove/field-first groove/field-second
mark perplexus handle|handle-ink groove/field-first groove/field-second
mark perplexus handle-ink handle
mark perplexus choice shuttle-first shuttle-second moved-first moved-second handle@.4/groove/field-first handle@.4/groove/field-second
mark perplexus .won-line|.won-edge shuttle-first shuttle-second moved-first moved-second
sides perplexus white black
sides perplexus shuttle-first shuttle-second
tint perplexus shuttle-first moved-first trace hole-lit/shuttle-first
tint perplexus shuttle-second moved-second trace hole-lit/shuttle-second
tint perplexus hole/shuttle-first hole-lit/shuttle-first
tint perplexus hole/shuttle-second hole-lit/shuttle-second
tint perplexus groove/field-first handle@.4/groove/field-first trace@.4/groove/field-first
tint perplexus groove/field-second handle@.4/groove/field-second trace@.4/groove/field-second
text pijersi pj-name paper
text pijersi pj-number pj-cell pj-number-edge
mark pijersi pj-white|pj-white-edge pj-cell pj-goal pj-lift pj-over pj-last pj-left pj-hit
mark pijersi pj-black|pj-black-side pj-cell pj-goal pj-lift pj-over pj-last pj-left pj-hit
mark pijersi pj-white-ink pj-white pj-white-low
mark pijersi pj-black-ink pj-black pj-black-low
mark pijersi pj-mark pj-cell pj-goal pj-last pj-left pj-hit
sides pijersi pj-white pj-black
tint pijersi pj-cell pj-lift pj-last pj-left pj-hit
tint pijersi pj-goal pj-lift pj-last pj-left pj-hit
tint pijersi pj-last pj-left pj-hit
text pylyx text paper
text pylyx white-ink white
text pylyx black-ink black
mark pylyx white|white-edge central-light central-dark rim-light rim-dark trace@.6/central-light trace@.6/rim-dark paper
mark pylyx black|black-edge central-light central-dark rim-light rim-dark trace@.6/central-light trace@.6/rim-dark paper
mark pylyx mark central-light central-dark rim-light rim-dark
sides pylyx white black
tint pylyx central-light trace@.6/central-light trace@.42/central-light lift/central-light free/central-light
tint pylyx central-dark trace@.6/central-dark trace@.42/central-dark lift/central-dark free/central-dark
tint pylyx rim-light trace@.6/rim-light trace@.42/rim-light lift/rim-light
tint pylyx rim-dark trace@.6/rim-dark trace@.42/rim-dark lift/rim-dark
text flexichess chess-on-light chess-light
text flexichess chess-on-dark chess-dark
mark flexichess chess-white|chess-white-line chess-light chess-dark chess-last@.62/chess-light chess-last@.62/chess-dark chess-hit@.6/chess-light chess-hit@.6/chess-dark
mark flexichess chess-black|chess-black-line chess-light chess-dark chess-last@.62/chess-light chess-last@.62/chess-dark chess-hit@.6/chess-light chess-hit@.6/chess-dark
mark flexichess .chess-goal|.chess-rim chess-light chess-dark chess-last@.62/chess-light chess-last@.62/chess-dark
mark flexichess accent|.chess-rim chess-light chess-dark
sides flexichess chess-white chess-black
tint flexichess chess-light chess-dark chess-last@.62/chess-light chess-last@.46/chess-light chess-hit@.6/chess-light
tint flexichess chess-dark chess-last@.62/chess-dark chess-last@.46/chess-dark chess-hit@.6/chess-dark
tint flexichess chess-last@.62/chess-light chess-hit@.6/chess-light
tint flexichess chess-last@.62/chess-dark chess-hit@.6/chess-dark
";

type Colour = [f64; 3];
type Matrix = [[f64; 3]; 3];

const SEEN_AS: [(&str, Matrix); 4] = [
    ("all", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// The least that is enough: contrast of text and of marks, distance (in `OKLab`, times 100) of sides and of tints.
fn needed(kind: &str) -> f64 {
    match kind {
        "text" => 4.5,
        "mark" => 3.0,
        "sides" => 10.0,
        "tint" => 5.0,
        other => panic!("no kind is called {other}"),
    }
}

#[test]
fn boards_are_legible_to_all() {
    let mut lowest: BTreeMap<(&str, &str), (f64, String)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in PAIRS.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let mut word = || words.next().expect(line);
        let (kind, game, ours) = (word(), word(), word());
        let ours: Vec<&str> = ours.split('|').collect();
        for ground in words {
            for is_dark in [false, true] {
                let ours = ours.iter().map(|ours| layered(game, ours, is_dark));
                let ground_colour = layered(game, ground, is_dark);
                let (figure, eyes) = if matches!(kind, "text" | "mark") {
                    let contrasts = ours.map(|ours| contrast(ours, ground_colour));
                    (contrasts.fold(0.0, f64::max), "")
                } else {
                    ours.flat_map(|ours| {
                        SEEN_AS.map(|(eyes, seen)| (distance(ours, ground_colour, &seen), eyes))
                    })
                    .min_by(|a, b| a.0.total_cmp(&b.0))
                    .expect("a colour")
                };
                let theme = if is_dark { "dark" } else { "light" };
                let said = format!("{figure:.2} {line:.40}… on {ground}, {theme} {eyes}");
                if figure < needed(kind) {
                    wrong.push(said.clone());
                }
                let low = lowest
                    .entry((kind, game))
                    .or_insert((f64::MAX, String::new()));
                if figure < low.0 {
                    *low = (figure, said);
                }
            }
        }
    }
    for ((kind, _), (_, said)) in &lowest {
        println!("{kind} (at least {}): {said}", needed(kind));
    }
    assert!(wrong.is_empty(), "too low:\n{}", wrong.join("\n"));
}

/// A colour on others, as it is seen.
fn layered(game: &str, layers: &str, is_dark: bool) -> Colour {
    let mut seen = [0.0; 3];
    for layer in layers.rsplit('/') {
        let (name, opacity) = layer.split_once('@').unwrap_or((layer, "1"));
        let [red, green, blue, alpha] = named(game, name, is_dark);
        let opacity = alpha * opacity.parse::<f64>().expect(layers);
        for (below, above) in seen.iter_mut().zip([red, green, blue]) {
            *below = opacity * above + (1.0 - opacity) * *below;
        }
    }
    seen
}

/// The colour of a custom property or of a class, in the style of the game or of the site.
fn named(game: &str, name: &str, is_dark: bool) -> [f64; 4] {
    let card = &registry::find(game).expect(game).card;
    let key = match name.strip_prefix('.') {
        Some(class) => format!(".{class} {{"),
        None => format!("--{name}:"),
    };
    let sheets = [card.style, include_str!("../../static/style.css")];
    let found = sheets.iter().find_map(|sheet| sheet.split_once(&key));
    let (_, rest) = found.unwrap_or_else(|| panic!("{game} has no {name}"));
    let rule = rest.split(['}', '\n']).next().unwrap_or_default();
    let colours: Vec<&str> = rule
        .split([' ', '(', ')', ',', ';'])
        .filter_map(|word| word.strip_prefix('#'))
        .collect();
    let both = rule.split_once("light-dark(").is_some();
    let hex = colours[usize::from(both && is_dark)];
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    let whole: Vec<u32> = match digits.len() {
        3 | 4 => digits.iter().map(|digit| digit * 17).collect(),
        _ => digits
            .chunks(2)
            .map(|pair| pair[0] * 16 + pair[1])
            .collect(),
    };
    let part = |at: usize| f64::from(whole.get(at).copied().unwrap_or(255)) / 255.0;
    [part(0), part(1), part(2), part(3)]
}

fn linear(colour: Colour) -> Colour {
    colour.map(|part| {
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn times(matrix: &Matrix, colour: Colour) -> Colour {
    matrix.map(|row| {
        row.iter()
            .zip(colour)
            .map(|(factor, part)| factor * part)
            .sum()
    })
}

fn contrast(one: Colour, other: Colour) -> f64 {
    let luminance = |colour| {
        let [red, green, blue] = linear(colour);
        0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
    };
    let (one, other): (f64, f64) = (luminance(one), luminance(other));
    one.max(other) / one.min(other)
}

/// The distance of two colours in `OKLab`, times 100, to eyes that see like that.
fn distance(one: Colour, other: Colour, seen: &Matrix) -> f64 {
    let lab = |colour| {
        let seen = times(seen, linear(colour)).map(|part| part.clamp(0.0, 1.0));
        let cones = [
            [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
            [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
            [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
        ];
        let lab = [
            [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
            [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
            [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
        ];
        times(&lab, times(&cones, seen).map(f64::cbrt))
    };
    let apart = lab(one).into_iter().zip(lab(other));
    100.0 * apart.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn figures_are_those_of_the_books() {
    let [white, grey, black] = [[1.0; 3], [0.466_666_67; 3], [0.0; 3]];
    assert!((contrast(white, black) - 21.0).abs() < 0.01);
    // #777 on white is the classic that just fails.
    assert!((contrast(white, grey) - 4.48).abs() < 0.01);
    assert!((distance(white, black, &SEEN_AS[0].1) - 100.0).abs() < 0.1);
    // Red and green of one lightness are far apart, but not to all.
    let (red, green) = ([0.75, 0.33, 0.2], [0.4, 0.5, 0.1]);
    let [all, _, fewer, _] = SEEN_AS.map(|(_, seen)| distance(red, green, &seen));
    assert!(fewer < all / 2.0, "{fewer} of {all}");
}
