//! The recipe for a new game, checked game by game: a forgotten step fails here.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use perplex_games::board::Block;
use perplex_games::game::play_all;
use perplex_games::registry::{self, Entry, GAMES};

/// Fails with the step of the recipe that `key` lacks.
fn must(done: bool, key: &str, step: u8, what: &str) {
    assert!(
        done,
        "{key}: {what} (step {step} of the recipe in crates/games/README.md)"
    );
}

#[test]
fn every_game_that_is_written_is_registered() {
    for (folder, mark, step) in [
        ("src/rules", "\nimpl Rules for ", 1),
        ("src/board", "\nimpl Render for ", 2),
    ] {
        for file in fs::read_dir(folder).expect("the source").flatten() {
            let path = file.path();
            let text = fs::read_to_string(&path).unwrap_or_default();
            let key = path.file_stem().and_then(|stem| stem.to_str());
            let key = key.unwrap_or_default();
            if !text.contains(mark) {
                continue;
            }
            let declared = fs::read_to_string(format!("{folder}.rs")).expect("the module");
            let declares = declared.contains(&format!("pub mod {key};"));
            must(
                declares,
                key,
                step,
                &format!("{folder}.rs lacks `pub mod {key};`"),
            );
            let registered = registry::find(key).is_some();
            must(registered, key, 4, "src/registry.rs lacks its line");
        }
    }
}

#[test]
fn every_game_follows_the_recipe() {
    let mut keys = HashSet::new();
    let mut pictures = HashMap::new();
    for entry in GAMES {
        let (card, key) = (entry.card, entry.card.key);
        must(keys.insert(key), key, 2, "another game has this key");
        let is_word = key.chars().all(|c| c.is_ascii_lowercase());
        must(is_word, key, 2, "a key consists of small letters");
        for (folder, step) in [("rules", 1), ("board", 2)] {
            let path = format!("src/{folder}/{key}.rs");
            must(Path::new(&path).exists(), key, step, &format!("no {path}"));
        }
        for (text, what) in [
            (card.name, "name"),
            (card.by, "author"),
            (card.source, "source"),
            (card.tagline, "tagline"),
        ] {
            must(!text.is_empty(), key, 2, &format!("its card has no {what}"));
        }
        let ordinary = card.variants.first().is_some_and(|v| v.key.is_empty());
        must(ordinary, key, 2, "the first variant is the ordinary game");
        must(
            entry.setup("no such variant").is_none(),
            key,
            1,
            "a variant that is not there is set up",
        );
        let styled = card.style.contains(&format!(".{key}"));
        must(styled, key, 3, "its style sheet says nothing of `.KEY`");

        let path = format!("tests/rules/{key}.txt");
        let vectors = fs::read_to_string(&path).unwrap_or_default();
        must(
            !vectors.is_empty(),
            key,
            5,
            &format!("no vectors in {path}"),
        );
        for what in ["perft:", "\"turns\"", "\"error\"", "\"result\":\"first\""] {
            must(
                vectors.contains(what),
                key,
                5,
                &format!("no vector in {path} has {what}"),
            );
        }
        for variant in card.variants {
            follows_the_recipe(entry, variant.key, &mut pictures);
            let named = format!("\"variant\":\"{}\"", variant.key);
            must(
                variant.key.is_empty() || vectors.contains(&named),
                key,
                5,
                &format!("no vector in {path} has {named}"),
            );
        }
    }
}

/// Checks one variant; `pictures` has the game of each picture, by name.
fn follows_the_recipe(
    entry: &Entry,
    variant: &str,
    pictures: &mut HashMap<&'static str, &'static str>,
) {
    let key = entry.card.key;
    let game = entry.setup(variant);
    let set_up = game.is_some();
    must(set_up, key, 1, &format!("there is no variant {variant:?}"));
    let Some(game) = game else { return };
    let seats: HashSet<&str> = game.seats().iter().map(|seat| seat.key).collect();
    let distinct = seats.len() == game.seats().len() && seats.len() > 1;
    must(distinct, key, 1, "its seats have one key each");
    let diagram = game.diagram();
    must(
        diagram.class == key,
        key,
        2,
        "its diagram has another class",
    );
    for piece in diagram.cells.iter().flat_map(|cell| &cell.pieces) {
        let id = piece.glyph.id;
        let owner = *pictures.entry(id).or_insert(key);
        let own = owner == key || id.starts_with("number-");
        must(own, key, 2, &format!("{owner} has a picture {id}, too"));
    }
    let shown = entry.card.rules().iter().any(|block| {
        matches!(block, Block::Example { variant: of, turns, .. } if *of == variant && !turns.is_empty())
    });
    must(
        shown,
        key,
        2,
        &format!("its rules page shows no board of {variant:?}"),
    );
}

#[test]
fn rules_pages_show_legal_games() {
    for entry in GAMES {
        for block in entry.card.rules() {
            let Block::Example { variant, turns, .. } = block else {
                continue;
            };
            let mut game = entry.setup(variant).expect("a variant");
            let played = play_all(game.as_mut(), turns, |game, turn| game.play(turn).map(drop));
            assert_eq!(played, Ok(()), "{}: {turns}", entry.card.key);
            let canonical = game.turns().join(" ");
            assert_eq!(canonical, turns, "{}", entry.card.key);
        }
    }
}
