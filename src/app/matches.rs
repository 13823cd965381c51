//! Matches by post: what everything about them shares. Each job has a file of its own.

use std::collections::HashMap;
use std::sync::Arc;

use super::computer;
use super::live::Heads;
use super::{App, AppError, invalid};
use crate::store::Conn;
use crate::store::journal::{self, Version};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::post::Match;

mod act;
mod deadlines;
mod lists;
mod make;
mod view;

pub use lists::{GameResults, Listed, PlayerPage};
pub use make::{NewMatch, Opponent};
pub use view::{Line, MatchView, Moment};

/// A name to show, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Whose.
    pub id: AccountId,
    /// "deleted player" for an account that is gone.
    pub name: String,
    /// Whether there is a page about this player.
    pub linked: bool,
}

impl Name {
    /// Whether it is the computer.
    #[must_use]
    pub fn is_computer(&self) -> bool {
        computer::find(&self.id).is_some()
    }
}

/// The longest line of talk and the longest note, in characters.
pub const LONGEST_LINE: usize = 1_000;

/// How often a decision is made again when somebody else was quicker.
pub(super) const TRIES: u32 = 50;

/// How many matches a list shows.
const LIST: i64 = 100;

/// The letters of a match's id: none that are easily taken for another.
const ID_LETTERS: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

impl App {
    /// The state of a match: from memory if the database has not gone on since.
    pub(super) async fn load(&self, id: &MatchId) -> Result<(Arc<Match>, Heads), AppError> {
        let (kept, asked) = (self.cached(id), id.clone());
        let version = self
            .store
            .look_up(move |conn| journal::version(conn, &asked))
            .await?
            .ok_or(AppError::NotFound)?;
        let asked = id.clone();
        if let Some(state) = kept.as_ref().filter(|kept| kept.head == version.head) {
            return Ok((Arc::clone(state), version.into()));
        }
        let (state, version) = self
            .store
            .read(move |conn| load(conn, &asked, kept))
            .await?
            .ok_or(AppError::NotFound)?;
        self.cache(id, &state);
        Ok((state, version.into()))
    }

    /// The path, with its proof, that lets somebody join a match.
    #[must_use]
    pub fn join_link(&self, id: &MatchId) -> String {
        format!("/join/{id}/{}", self.key.mac("join", &[&id.0]))
    }

    fn link_is_good(&self, id: &MatchId, link: Option<&str>) -> bool {
        link.is_some_and(|mac| self.key.check("join", &[&id.0], mac))
    }
}

/// A new id of ten letters: 50 random bits.
pub(super) fn new_id() -> MatchId {
    let bytes: [u8; 10] = rand::random();
    MatchId(
        bytes
            .iter()
            .map(|byte| char::from(ID_LETTERS[usize::from(byte % 32)]))
            .collect(),
    )
}

/// A line of talk or a note, as it is kept.
pub(super) fn line(text: &str) -> Result<Option<String>, AppError> {
    let text = text.trim().replace("\r\n", "\n");
    if text.chars().count() > LONGEST_LINE {
        return Err(invalid(
            "note",
            format!("A message has at most {LONGEST_LINE} characters; please shorten it."),
        ));
    }
    Ok((!text.is_empty()).then_some(text))
}

/// Loads the state of a match and how far it has come. `kept` is used if it is up to date, and
/// brought up to date with the events that it lacks if not.
///
/// # Errors
/// The database's, and a journal that cannot be replayed.
pub fn load(
    conn: &mut Conn,
    id: &MatchId,
    kept: Option<Arc<Match>>,
) -> Result<Option<(Arc<Match>, Version)>, AppError> {
    let Some(version) = journal::version(conn, id)? else {
        return Ok(None);
    };
    let state = match kept {
        Some(state) if state.head == version.head => state,
        Some(state) if state.head < version.head => {
            let mut state = Match::clone(&state);
            for event in journal::events(conn, id, state.head)? {
                state.apply(&event)?;
            }
            Arc::new(state)
        }
        _ => Arc::new(Match::replay(&journal::events(conn, id, 0)?)?),
    };
    // The events may have gone on since the head was read.
    let version = Version {
        head: state.head,
        ..version
    };
    Ok(Some((state, version)))
}

pub(super) fn name_of(id: &AccountId, names: &HashMap<AccountId, String>) -> Name {
    let name = names.get(id).cloned().unwrap_or_default();
    let linked = !name.is_empty();
    Name {
        id: id.clone(),
        name: if linked {
            name
        } else {
            "deleted player".to_owned()
        },
        linked,
    }
}
