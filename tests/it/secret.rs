//! Sealed links, and the keys of the talk.

use crate::support::Folder;
use crate::test_app::lacks;
use perplex::secret::{Key, KeyRing};
use perplex_matches::time::Time;

#[test]
fn a_seal_holds_for_its_purpose_state_and_time_only() {
    let key = Key::new([7; 64]);
    let token = key.seal("reset", "acc.with.dots", "hash", Time(100));
    assert_eq!(Key::subject(&token), Some("acc.with.dots"));
    assert!(key.open("reset", &token, "hash", Time(99)));
    assert!(!key.open("reset", &token, "hash", Time(100)));
    assert!(!key.open("reset", &token, "another", Time(99)));
    assert!(!key.open("verify", &token, "hash", Time(99)));
    assert!(!Key::new([8; 64]).open("reset", &token, "hash", Time(99)));
    let longer = token.replace(".100.", ".999.");
    assert!(!key.open("reset", &longer, "hash", Time(99)));
    assert!(!key.open("reset", "", "hash", Time(99)));
    assert!(!key.check("x", &[], ""));
}

#[test]
fn what_is_sealed_opens_in_its_place_only() {
    let ring = KeyRing::fresh();
    let sealed = ring.seal("m 1 2", "Grüße an Brett 3").unwrap();
    lacks(&sealed, "Gr");
    assert_eq!(
        ring.open("m 1 2", &sealed).as_deref(),
        Some("Grüße an Brett 3")
    );
    assert_eq!(ring.open("m 1 3", &sealed), None);
    assert_eq!(KeyRing::fresh().open("m 1 2", &sealed), None);
    let altered = format!("{}0", &sealed[..sealed.len() - 1]);
    assert!(altered == sealed || ring.open("m 1 2", &altered).is_none());
    assert_ne!(ring.seal("m 1 2", "same"), ring.seal("m 1 2", "same"));
    for broken in ["", "a:b", "a:b:c", "x:00:00", "é:é:é"] {
        assert_eq!(ring.open("m 1 2", broken), None);
    }
}

#[test]
fn another_process_may_change_the_key() {
    let folder = Folder::new("ring");
    let file = folder.0.join("talk.keys");
    let one = KeyRing::in_file(&file).unwrap();
    let other = KeyRing::in_file(&file).unwrap();
    assert_eq!(one.newest(), other.newest());
    let old = one.seal("p", "old").unwrap();
    one.add().unwrap();
    let new = one.seal("p", "new").unwrap();
    assert_eq!(other.open("p", &new).as_deref(), Some("new"));
    assert_eq!(other.open("p", &old).as_deref(), Some("old"));
    assert_eq!(one.newest(), other.newest());
    one.forget().unwrap();
    assert_eq!(one.open("p", &old).as_deref(), Some("old"));
    one.add().unwrap();
    one.forget().unwrap();
    assert_eq!(one.open("p", &old), None);
    assert_eq!(one.open("p", &new).as_deref(), Some("new"));
    // The key of another process is not forgotten by one that has not seen it.
    one.add().unwrap();
    other.add().unwrap();
    let newest = other.seal("p", "newest").unwrap();
    one.forget().unwrap();
    assert_eq!(other.open("p", &newest).as_deref(), Some("newest"));
    assert_eq!(one.open("p", &newest).as_deref(), Some("newest"));
    // Nor are the keys changed by two at once.
    let locked = one.lock().unwrap();
    let other = std::fs::File::open(&folder.0).unwrap();
    assert!(other.try_lock().is_err());
    drop(locked);
    other.try_lock().unwrap();
}

#[test]
fn a_secret_key_is_replaced_while_others_use_it() {
    let folder = Folder::new("secret");
    let file = folder.0.join("secret.key");
    // As earlier versions wrote it.
    std::fs::write(&file, [7; 64]).unwrap();
    let one = Key::in_file(&file).unwrap();
    let other = Key::in_file(&file).unwrap();
    let opens = |key: &Key, token: &str| key.open("reset", token, "hash", Time(0));
    let seal = |key: &Key| key.seal("reset", "ann", "hash", Time(1));
    let oldest = seal(&Key::new([7; 64]));
    assert_eq!(seal(&one), oldest);

    one.rotate(false).unwrap();
    let old = seal(&one);
    assert_ne!(old, oldest);
    for key in [&one, &other, &Key::in_file(&file).unwrap()] {
        assert!(opens(key, &old) && opens(key, &oldest));
    }
    other.refresh().unwrap();
    assert_eq!(seal(&other), old);

    one.rotate(true).unwrap();
    let new = seal(&one);
    one.rotate(false).unwrap();
    for key in [&one, &Key::in_file(&file).unwrap()] {
        assert!(opens(key, &new) && !opens(key, &old) && !opens(key, &oldest));
        assert_eq!(key.macs("name", &["Ann"]).len(), 4);
        assert_eq!(key.macs("name", &["Ann"])[0], key.mac("name", &["Ann"]));
        assert_eq!(
            key.macs("name", &["Ann"])[3],
            Key::new([7; 64]).mac("name", &["Ann"])
        );
    }
    for broken in ["", "seals 00", "opens", &"x".repeat(64_000)] {
        std::fs::write(&file, broken).unwrap();
        assert!(Key::in_file(&file).is_err(), "{broken:.20}");
    }
}
