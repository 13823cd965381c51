//! A database that `main` has written stays readable by all later versions: it is migrated, every journal replays to
//! its row's state, and every message and every pupil's phrase can be opened. It was filled by `perplex demo`.

use std::fs;
use std::path::Path;

use diesel::prelude::*;
use perplex::secret::KeyRing;
use perplex::store::matches::MatchRow;
use perplex::store::talk::{self, MessageRow};
use perplex::store::{
    Address, Conn, MatchKind, Phase, Store, StoreError, Winner, classes, journal, matches,
};
use perplex_matches::id::MatchId;
use perplex_matches::journal::Aggregate;
use perplex_matches::{correspondence, team};

use crate::support::Folder;

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = diesel::sql_types::Text)]
    id: MatchId,
}

fn state<M: Aggregate>(conn: &mut Conn, row: &MatchRow) -> Result<M, StoreError> {
    let events = journal::events::<M>(conn, &row.id, 0)?;
    let state = M::replay(&events).unwrap_or_else(|error| panic!("{}: {error}", row.id));
    assert_eq!(state.head(), row.head, "{}", row.id);
    Ok(state)
}

fn every_match_is_there(conn: &mut Conn, ring: &KeyRing) -> Result<[usize; 3], StoreError> {
    let ids: Vec<Id> = match &mut *conn {
        Conn::Sqlite(c) => diesel::sql_query("SELECT id FROM matches").load(c)?,
        Conn::Postgres(_) => unreachable!("it is a file"),
    };
    let (mut posts, mut teams, mut messages) = (0, 0, 0);
    for Id { id } in ids {
        let row = matches::find(conn, &id)?.expect("the row of a match");
        let winner = match row.kind {
            MatchKind::Correspondence => {
                posts += 1;
                let state: correspondence::Match = state(conn, &row)?;
                state.outcome.map(|outcome| Winner::from(outcome.winner))
            }
            MatchKind::Team => {
                teams += 1;
                let state: team::Match = state(conn, &row)?;
                state.outcome().map(|outcome| Winner::from(outcome.winner))
            }
        };
        assert_eq!(winner, row.winner, "{id}");
        assert_eq!(winner.is_some(), row.phase == Phase::Over, "{id}");
        for channel in talk::channels_of(conn, &id)? {
            for MessageRow {
                number,
                by_actor,
                sealed,
                ..
            } in talk::messages_of(conn, &id, channel.number, i64::MAX)?
            {
                let place = format!("{id} {} {number} {by_actor}", channel.number);
                assert!(ring.open(&place, &sealed).is_some(), "{place}");
                messages += 1;
            }
        }
    }
    Ok([posts, teams, messages])
}

#[test]
fn a_database_of_2026_11_22_is_read() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept");
    let folder = Folder::new("kept");
    let Address::Sqlite(file) = Address::in_folder(&folder.0) else {
        unreachable!("a folder has a file")
    };
    fs::copy(kept.join("2026-11-22.sqlite"), file).expect("the database");
    let keys = folder.0.join("talk.keys");
    fs::copy(kept.join("2026-11-22.keys"), &keys).expect("the keys");
    let ring = KeyRing::in_file(&keys).expect("the keys");
    let store = Store::open(&Address::in_folder(&folder.0)).expect("a database");
    let found = store
        .read_now(|conn| every_match_is_there(conn, &ring))
        .expect("all of it");
    assert_eq!(found, [10, 2, 4]);
    // No pupil's phrase is sealed with a lost key.
    let others = store
        .read_now(|conn| classes::sealed_otherwise(conn, &ring.newest(), 10))
        .expect("the pupils");
    assert!(others.is_empty());
}
