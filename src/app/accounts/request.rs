//! The session of a request, its account, and how far the requested match has come.

use super::{LONGEST_SESSION_DAYS, SESSION_DAYS};
use crate::app::lifetimes::GUEST_COOKIE;
use crate::app::{App, AppError, Credential, Viewer};
use crate::secret::hash_token;
use crate::store::accounts::{self as rows, LiveSession, SignedIn};
use crate::store::journal::{self, Version};
use crate::store::{MatchKind, StoreError, classes};
use perplex_matches::id::MatchId;
use perplex_matches::time::{Time, days};

impl App {
    /// The account behind the token of a session, if the session is good.
    pub async fn viewer(&self, token: &str) -> Result<Option<Viewer>, AppError> {
        let credential = Credential::Account(token.to_owned());
        Ok(self.resolve_session(Some(&credential), None).await?.0)
    }

    /// True if the session with this token has not ended; the check does not count as use of it.
    pub async fn session_is_good(&self, token: &str) -> Result<bool, AppError> {
        let (hash, now) = (hash_token(token), self.now());
        self.store
            .look_up(move |conn| {
                let found = rows::find_session(conn, &hash, None, now)?;
                Ok::<_, AppError>(found.is_some())
            })
            .await
    }

    /// All that a request has to look up: the account behind the token, if its session is good, and how far the match
    /// has come, if there is one with this id. It does not check that the account may see the match.
    pub async fn resolve_session(
        &self,
        credential: Option<&Credential>,
        id: Option<&MatchId>,
    ) -> Result<(Option<Viewer>, Option<Version>), AppError> {
        let hash = credential.map(|credential| hash_token(credential.token()));
        let (is_guest, id) = (credential.is_some_and(Credential::is_guest), id.cloned());
        if hash.is_none() && id.is_none() {
            return Ok((None, None));
        }
        let now = self.now();
        let (session, version) = self
            .store
            .look_up(move |conn| {
                let come = match hash {
                    Some(hash) => rows::find_session(conn, &hash, id.as_ref(), now)?,
                    None => None,
                };
                let come =
                    come.filter(|(_, account, ..)| account.guest_since.is_some() == is_guest);
                if let Some((session, account, called, version)) = come {
                    return Ok((Some((session, account, called)), version));
                }
                let version = match id {
                    Some(id) => journal::version(conn, &id, MatchKind::Correspondence)?,
                    None => None,
                };
                Ok::<_, StoreError>((None, version))
            })
            .await?;
        let viewer = match session {
            Some((session, account, called)) => {
                Some(self.seen(&session, account, called, now).await?)
            }
            None => None,
        };
        Ok((viewer, version))
    }

    /// The viewer of a session; notes that the session is in use.
    async fn seen(
        &self,
        session: &LiveSession,
        account: SignedIn,
        called: Option<String>,
        now: Time,
    ) -> Result<Viewer, AppError> {
        if session.seen_at + std::time::Duration::from_mins(10) < now {
            let (id, address) = (session.id.clone(), session.address.clone());
            let until = if account.guest_since.is_some() {
                now + GUEST_COOKIE
            } else if session.match_id.is_none() {
                (now + days(SESSION_DAYS)).min(session.created_at + days(LONGEST_SESSION_DAYS))
            } else {
                session.expires_at
            };
            let class = account.class_id.clone();
            self.store
                .write(move |conn| {
                    rows::touch_session(conn, &id, &address, now, until)?;
                    match class {
                        Some(class) => classes::touch(conn, &class, now),
                        None => Ok(()),
                    }
                })
                .await?;
        }
        Ok(Viewer {
            id: account.id,
            // The name that the class gives a pupil: others never read the user name.
            name: called.unwrap_or(account.name),
            session: session.id.clone(),
            proved_at: session.proved_at,
            preferences: account.preferences,
            is_admin: account.is_admin,
            class: account.class_id,
            is_guest: account.guest_since.is_some(),
            help_seen: account.help_seen,
            lesson: session.match_id.clone(),
        })
    }
}
