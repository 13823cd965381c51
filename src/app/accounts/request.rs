//! The session of a request, its account, and how far the match has come that is asked for.

use std::sync::Arc;

use super::SESSION_DAYS;
use crate::app::session_cache::{ResolvedSession, SessionKey};
use crate::app::{App, AppError, Viewer};
use crate::secret::hash_token;
use crate::store::accounts::{self as rows, LiveSession, SignedIn};
use crate::store::journal::{self, Version};
use crate::store::{MatchKind, StoreError, classes};
use perplex_matches::id::MatchId;
use perplex_matches::time::{Time, days};

impl App {
    /// The account behind the token of a session, if the session is good.
    pub async fn viewer(&self, token: &str) -> Result<Option<Viewer>, AppError> {
        Ok(self.resolve_session(Some(token), None).await?.0)
    }

    /// The account behind the token of a session, if there is a good one, and how far a match has
    /// come, if there is such a match: all that a request has to look up. Whether
    /// the match may be seen is not said.
    pub async fn resolve_session(
        &self,
        token: Option<&str>,
        id: Option<&MatchId>,
    ) -> Result<(Option<Viewer>, Option<Version>), AppError> {
        let key: SessionKey = (token.map(hash_token), id.cloned());
        if key == SessionKey::default() {
            return Ok((None, None));
        }
        let now = self.now();
        let data_version = self.store.data_version();
        let known = data_version.and_then(|version| self.sessions.find(version, &key));
        let resolved = if let Some(known) = known {
            known
        } else {
            let looked_up = Arc::new(self.look_up_session(&key, now).await?);
            if let Some(version) = data_version {
                self.sessions.keep(version, key, &looked_up);
            }
            looked_up
        };
        let lasting = |found: &&(LiveSession, _, _)| found.0.expires_at > now;
        let viewer = match resolved.session.as_ref().filter(lasting) {
            Some((session, account, called)) => {
                Some(self.seen(session, account, called.as_ref(), now).await?)
            }
            None => None,
        };
        Ok((viewer, resolved.version))
    }

    async fn look_up_session(
        &self,
        key: &SessionKey,
        now: Time,
    ) -> Result<ResolvedSession, StoreError> {
        let (hash, id) = key.clone();
        self.store
            .look_up(move |conn| {
                if let Some(hash) = hash
                    && let Some((session, account, called, version)) =
                        rows::find_session(conn, &hash, id.as_ref(), now)?
                {
                    return Ok(ResolvedSession {
                        session: Some((session, account, called)),
                        version,
                    });
                }
                let version = match id {
                    Some(id) => journal::version(conn, &id, MatchKind::Correspondence)?,
                    None => None,
                };
                let session = None;
                Ok(ResolvedSession { session, version })
            })
            .await
    }

    /// The viewer in a session, which is noted to be in use.
    async fn seen(
        &self,
        session: &LiveSession,
        account: &SignedIn,
        called: Option<&String>,
        now: Time,
    ) -> Result<Viewer, AppError> {
        if session.seen_at + std::time::Duration::from_mins(10) < now {
            let (id, address) = (session.id.clone(), session.address.clone());
            let until = if session.renews {
                now + days(SESSION_DAYS)
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
            id: account.id.clone(),
            // What the class calls a pupil: others never read the user name.
            name: called.unwrap_or(&account.name).clone(),
            session: session.id.clone(),
            preferences: account.preferences.clone(),
            is_admin: account.is_admin,
            class: account.class_id.clone(),
            help_seen: account.help_seen.clone(),
        })
    }
}
