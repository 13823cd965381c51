use super::*;

fn reached(text: &str) -> Vec<Offset> {
    let mut all: Vec<Offset> = Movement::parse(text, Mover::Pawn)
        .unwrap_or_else(|error| panic!("{error}"))
        .marks()
        .map(|mark| mark.offset)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[track_caller]
fn same(a: &str, b: &str, expected: bool) {
    let parse = |text| Movement::parse(text, Mover::Pawn).expect("a movement");
    assert_eq!(parse(a) == parse(b), expected, "{a} and {b}");
}

#[test]
fn directions() {
    assert_eq!(reached("lfN"), [(-1, 2)]);
    assert_eq!(reached("flN"), [(-2, 1)]);
    assert_eq!(reached("hrN"), [(-2, 1), (-1, -2), (1, 2), (2, -1)]);
    assert_eq!(reached("ffrrN"), [(-1, 2), (1, 2), (2, -1), (2, 1)]);
    assert_eq!(reached("fsN"), [(-2, 1), (2, 1)]);
    assert_eq!(reached("lvC"), [(-1, -3), (-1, 3)]);
    assert_eq!(reached("fhZ").len(), 4);
    assert_eq!(reached("fK"), reached("fWfF"));
    assert_eq!(reached("fbK").len(), 6);
    assert_eq!(reached("vK").len(), 6);
    assert_eq!(reached("flA"), [(-2, 2)]);
    assert_eq!(reached("fsD"), [(-2, 0), (0, 2), (2, 0)]);
}

#[test]
fn the_same_however_spelt() {
    same("WW", "R", true);
    same("R0", "R", true);
    same("R8", "R", true);
    same("FF", "B", true);
    same("RB", "Q", true);
    same("WF", "K", true);
    same("K0", "Q", true);
    same("NN", "N3", true);
    same("NN", "N2", false);
    same("WnD", "R2", true);
    same("WD", "R2", false);
    same("DnD", "D", true);
    same("NnN", "N", true);
    same("nN", "N", false);
    same("cRmR", "R", true);
    same("mcR", "R", true);
    same("RpR", "RpRD", true);
    same("pR", "gR", false);
    same("pRgR", "pR", true);
    same("fmWfceFifmnD", "ifmnDfceFfmW", true);
    same("fmWfcF", "fmWfceF", false);
    same("fmWfmnDifmnD", "fmR2", true);
    same("L", "C", true);
    same("-", "", true);
    same("fmWibmD", "fmW", true);
}

#[test]
fn refused_with_the_column() {
    for (text, column) in [
        ("X", 1),
        ("RR", 2),
        ("NNN", 3),
        ("nN2", 3),
        ("nNN", 3),
        ("NN2", 3),
        ("WW3", 3),
        ("pR3", 3),
        ("pN", 2),
        ("nR", 2),
        ("D2", 2),
        ("flK", 1),
        ("fsF", 1),
        ("lvB", 1),
        ("hW", 1),
        ("hN", 1),
        ("fmfW", 3),
        ("mmW", 2),
        ("N-", 2),
        ("m", 2),
        ("iW", 2),
        ("icmW", 2),
        ("W10", 3),
        ("pgR", 2),
    ] {
        let error = Movement::parse(text, Mover::Pawn).expect_err(text);
        assert_eq!(error.column, column, "{error}");
    }
    for text in ["imW", "ceF"] {
        Movement::parse(text, Mover::Piece).expect_err(text);
    }
}

#[test]
fn canonical_order_and_words() {
    let canon = |text| {
        Movement::parse(text, Mover::Pawn)
            .expect("a movement")
            .to_string()
    };
    assert_eq!(canon("mfW"), "fmW");
    assert_eq!(canon("ecfFnmfiD"), "fceFifmnD");
    assert_eq!(canon("pcR"), "cpR");
    assert_eq!(canon(""), "-");
    let words = |text| {
        Movement::parse(text, Mover::Pawn)
            .expect("a movement")
            .words()
    };
    assert_eq!(
        words("fmWfceFifmnD"),
        "moves one square straight forward, or two squares straight forward, if the square between is \
         empty, from the second rank only; captures one square diagonally forward, in passing too"
    );
    assert_eq!(
        words("mR2cN"),
        "moves like a rook, at most two squares; captures like a knight"
    );
    assert_eq!(words("NW"), "moves like a knight, or one square straight");
    assert_eq!(words("-"), "can't move");
}
