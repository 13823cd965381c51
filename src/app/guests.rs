//! Guests: visitors who play the computer without an account. What they play is kept in their browser for as long as
//! their session lasts, and is removed with it.

use std::time::Duration;

use uuid::Uuid;

use super::computer;
use super::correspondence::{MatchView, NewMatch};
use super::lifetimes::GUEST_COOKIE;
use super::limits::count;
use super::{App, AppError, Fault, GUEST_NAME, NotAllowed, Viewer, Visitor, invalid};
use crate::secret::{hash_token, random_token};
use crate::store::accounts::{self as rows, AccountRow, SessionRow};
use crate::store::matches::{self, MatchRow};
use crate::store::preferences::Preferences;
use crate::store::{Phase, guests, members};
use perplex_games::player::Level;
use perplex_matches::correspondence::check_terms;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::hours;

/// Guests at a time, and matches of each: together they bound what visitors can store.
pub const MOST: i64 = 20_000;
const MOST_MATCHES: i64 = 20;
/// Guests removed at a time.
const PURGED: i64 = 100;
/// When all places are taken, guests who began this time ago and made no turn give theirs up: so many for a new one.
const IDLE: Duration = hours(1);
const IDLE_REMOVED: i64 = 10;

/// A match of a guest, and the token of their session if that is new.
pub struct Begun {
    pub id: MatchId,
    pub token: Option<String>,
}

impl App {
    /// Begins a match of a visitor against the computer; one of this game against the same strength that still runs goes
    /// on instead. `guest` is the visitor if they have played before.
    ///
    /// Errors: the game is unknown; too many visitors play, in all or on one network, or this one has played too many
    /// matches.
    pub async fn play_as_guest(
        &self,
        guest: Option<&Viewer>,
        (game, variant): (&str, &str),
        level: Level,
        visitor: &Visitor,
    ) -> Result<Begun, AppError> {
        let wanted = NewMatch::against_computer(game, variant, level);
        // No guest comes of a game that is unknown.
        check_terms(&wanted.terms).map_err(|error| invalid("terms", Fault::Terms(error)))?;
        let (id, token) = if let Some(guest) = guest {
            (guest.id.clone(), None)
        } else {
            count(&self.limits.guests_address, &visitor.network())?;
            let (id, token) = self.new_guest().await?;
            (id, Some(token))
        };
        self.guest_networks.note(&id, visitor.network());
        let asked = id.clone();
        let theirs = self
            .read(move |conn| matches::begun_by(conn, &asked))
            .await?;
        let running = self.running(&theirs, (game, variant)).await?;
        if let Some((id, _)) = running.into_iter().find(|(_, of)| *of == level) {
            return Ok(Begun { id, token });
        }
        if i64::try_from(theirs.len()).unwrap_or(i64::MAX) >= MOST_MATCHES {
            return Err(AppError::Forbidden(NotAllowed::ManyMatchesOfGuest));
        }
        let id = self.begin_match(&id, wanted).await?;
        Ok(Begun { id, token })
    }

    /// Of matches that a guest has begun those of a game that still run, each with the strength of the computer.
    async fn running(
        &self,
        theirs: &[MatchRow],
        (game, variant): (&str, &str),
    ) -> Result<Vec<(MatchId, Level)>, AppError> {
        let running = theirs
            .iter()
            .filter(|row| row.phase != Phase::Over && row.game == game && row.variant == variant);
        let ids: Vec<MatchId> = running.map(|row| row.id.clone()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let members = self.read(move |conn| members::of_matches(conn, &ids));
        let levels = members.await?.into_iter().filter_map(|member| {
            let computer = computer::find(&member.account_id?)?;
            Some((member.match_id, computer.level))
        });
        Ok(levels.collect())
    }

    /// Another match of a guest in the game of this one that still runs, with the strength of the computer.
    pub async fn also_running(
        &self,
        guest: &Viewer,
        view: &MatchView,
    ) -> Result<Option<(MatchId, Level)>, AppError> {
        let asked = guest.id.clone();
        let theirs = self
            .read(move |conn| matches::begun_by(conn, &asked))
            .await?;
        let terms = &view.state.terms;
        let running = self.running(&theirs, (&terms.game, &terms.variant)).await?;
        Ok(running.into_iter().find(|(id, _)| *id != view.id))
    }

    async fn new_guest(&self) -> Result<(AccountId, String), AppError> {
        let (now, token) = (self.now(), random_token());
        let id = AccountId(Uuid::now_v7().simple().to_string());
        let account = AccountRow {
            name: GUEST_NAME.to_owned(),
            guest_since: Some(now),
            preferences: Preferences {
                confirm_turns: false,
                ..Preferences::default()
            },
            ..AccountRow::new(id.clone(), now)
        };
        let session = SessionRow {
            id: Uuid::now_v7().simple().to_string(),
            token_hash: hash_token(&token),
            account_id: id.clone(),
            created_at: now,
            seen_at: now,
            expires_at: now + GUEST_COOKIE,
            // Nothing is stored of who it is.
            agent: String::new(),
            address: String::new(),
            proved_at: now,
            match_id: None,
        };
        let most = self.most_guests;
        if self.read(guests::count).await? >= most {
            let idle = self.read(move |conn| guests::idle(conn, now - IDLE, IDLE_REMOVED));
            self.remove_guests(&idle.await?).await;
        }
        self.write(move |conn| {
            if guests::count(conn)? >= most {
                return Err(AppError::Forbidden(NotAllowed::ManyGuests));
            }
            rows::insert(conn, &account)?;
            Ok(rows::insert_session(conn, &session)?)
        })
        .await?;
        Ok((id, token))
    }

    /// Removes guests with their matches. One failure does not stop the others.
    async fn remove_guests(&self, ids: &[AccountId]) {
        let now = self.now();
        for id in ids {
            let removed = id.clone();
            let removed = self.write(move |conn| guests::remove(conn, &removed, now));
            if let Err(error) = removed.await {
                tracing::error!(%id, %error, "a guest could not be removed");
            }
        }
    }

    /// Removes the guests whose session has ended.
    pub(super) async fn purge_guests(&self) -> Result<(), AppError> {
        let mut after = String::new();
        loop {
            let gone = self
                .read(move |conn| guests::gone(conn, &after, PURGED))
                .await?;
            self.remove_guests(&gone).await;
            let Some(AccountId(last)) = gone.into_iter().next_back() else {
                return Ok(());
            };
            after = last;
        }
    }
}
