//! The scene on the landing page: some lines of a match's record, and a caption for each.

/// The lines that were played before the scene begins.
pub const BEFORE: [&str; 10] = [
    "1 e4", "1 e5", "1 Bc4", "1 Nc6", "2 d4", "2 d5", "2 Nf3", "2 Nf6", "3 e4", "3 e5",
];

/// Each line, with its headline and what it means.
pub const STEPS: [(&str, &str, &str); 9] = [
    (
        "1 Nf3",
        "Board 1: White moves a knight.",
        "Each board has a player of either team.",
    ),
    (
        "3 Qh5",
        "Board 3: White’s queen goes for the king.",
        "All boards are played at once, each at its own pace.",
    ),
    (
        "2 card knight-in-slippers",
        "Board 2: White changes a rule instead of moving.",
        "",
    ),
    (
        "3 Nc6",
        "Board 3: Black guards the pawn.",
        "The square f7 looks safe: only the queen attacks it.",
    ),
    (
        "2 Nf5",
        "Board 2: a black knight steps aside.",
        "A new rule holds at once, for both sides.",
    ),
    (
        "1 Nf6",
        "Board 1: Black moves a knight, too.",
        "White’s bishop on c4 is needed elsewhere …",
    ),
    (
        "w c4 1>3",
        "White’s strategist sends the bishop to board 3.",
        "A piece lands on the square that it left.",
    ),
    (
        "3 Qxf7",
        "Board 3: checkmate!",
        "The bishop guards the queen, so the king cannot take her.",
    ),
    (
        "2 Ne5",
        "Boards 1 and 2 are still being played.",
        "The team that wins more boards wins the match.",
    ),
];

/// The number of the steps that the page shows at first, and without scripts: a rule has just been changed.
pub const FIRST_SHOWN: usize = 3;
