//! Signing in and out, with all that belongs to it: second factors, pupils' three words, their names in lessons,
//! presence.

use super::{AccountFault, Tried, check_typed};
use crate::address;
use crate::app::classes::{CardOwner, has_words};
use crate::app::guesses::Secret;
use crate::app::limits::count;
use crate::app::mail_kind::{AccountMail, MailKind};
use crate::app::notifications::Notification;
use crate::app::queue::Party;
use crate::app::{App, AppError, Visitor, invalid};
use crate::log::AUDIT;
use crate::store::accounts as rows;
use crate::store::door;
use crate::store::{Conn, classes};
use perplex_matches::classroom::words::is_user_name;
use perplex_matches::id::AccountId;
use perplex_matches::names;

impl App {
    /// Signs in with a name or an e-mail address; gives the token of the new session.
    /// Errors: [`AppError::CodeWanted`] if the account has a second factor; wrong name, address or password (the
    /// error does not say which); an address that is not proved yet, in which case the mail is sent once more; too
    /// many attempts.
    pub async fn sign_in(
        &self,
        login: &str,
        password: &str,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        check_typed("login", login)?;
        check_typed("password", password)?;
        let found = login.to_owned();
        let name = names::key(login);
        let by_address = name.contains('@');
        // Guesses are counted together, in whichever way the name is typed.
        let login = if by_address {
            address::key(login)
        } else {
            name
        };
        let account = self
            .read(move |conn| {
                if by_address {
                    rows::find_by_email(conn, &found)
                } else {
                    rows::find_by_name(conn, &found)
                }
            })
            .await?;
        let known_since = match &account {
            Some(account) => self.known_since(visitor, account).await?,
            None => None,
        };
        let pupil = account
            .as_ref()
            .filter(|account| account.class_id.is_some());
        // A whole school has one address: misspelt names of pupils are limited by the name alone. Pupils' phrases are
        // counted where they are checked.
        let by_user_name = is_user_name(&login);
        let is_stranger = known_since.is_none() && !by_user_name;
        if pupil.is_none() && (account.is_some() || !by_user_name) {
            let tried = known_since.map_or(Tried::Login(&login), Tried::Known);
            count(&self.limits.sign_in_account, &tried.key())?;
        }
        // A school's pupils and its teachers have one address: guesses of others there make them wait, no more.
        if is_stranger && count(&self.limits.sign_in_address, &visitor.network()).is_err() {
            self.limits.guesses.slow_down("sign-in", visitor).await?;
        }
        let tried = account
            .as_ref()
            .map(|account| (account.id.clone(), pupil.is_some()));
        let known = if let Some(pupil) = pupil {
            let words = self.words_of(&pupil.id, password, visitor).await?;
            if words.is_some() && !self.may_come(&pupil.id).await? {
                return Err(invalid("login", AccountFault::NoClass));
            }
            if let Some(words) = words {
                let begun = self.start_session_with(&pupil.id, words, visitor).await?;
                let mismatch = AccountFault::Mismatch { by_user_name };
                return begun.ok_or_else(|| invalid("password", mismatch));
            }
            None
        } else if account.is_none() && by_user_name {
            // User names are not secret, and have no hash that takes long.
            let wrong = Secret::Code(&login);
            let _wrong = self.limits.guesses.enter(visitor, wrong).await?;
            None
        } else {
            // A known device does not wait in the queue of its network.
            let own = tried.as_ref().filter(|_| !is_stranger);
            let network = visitor.network();
            let hasher = own.map_or(Party::Network(&network), |(id, _)| Party::Account(id));
            self.known_by(hasher, password, account).await?
        };
        if let (Some((id, is_pupil)), None) = (&tried, &known) {
            let from = if *is_pupil { "" } else { &visitor.address };
            tracing::info!(target: AUDIT, who = %id, from, deed = "session", outcome = "wrong password");
        }
        let Some(account) = known else {
            return Err(invalid("password", AccountFault::Mismatch { by_user_name }));
        };
        if account.verified_at.is_some() {
            if let Some(proof) = self.half_way(&account).await? {
                return Err(AppError::CodeWanted(proof));
            }
            let begun = self.welcome(&account, false, visitor).await?;
            let mismatch = AccountFault::Mismatch { by_user_name };
            return begun.ok_or_else(|| invalid("password", mismatch));
        }
        let email = account.email.clone().unwrap_or_default();
        self.limits
            .count_mail("sign-in", &email, &visitor.network())?;
        let kind = MailKind::Account(AccountMail::Verify);
        self.send(Notification::to_address(kind, Some(&account.id), &email))
            .await?;
        Err(invalid("login", AccountFault::NotConfirmed))
    }

    /// Signs in the owner of a card.
    /// Errors: the card is no longer good ([`AppError::NotFound`]).
    pub async fn sign_in_by_card(
        &self,
        owner: &CardOwner,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        let words = owner.words.clone();
        let begun = self.start_session_with(&owner.id, words, visitor).await?;
        begun.ok_or(AppError::NotFound)
    }

    /// Starts the session of a pupil who gave these words. The pupil's names in lessons belong to this device from then on.
    async fn start_session_with(
        &self,
        pupil: &AccountId,
        words: String,
        visitor: &Visitor,
    ) -> Result<Option<String>, AppError> {
        let (ring, owner, browser) = (self.ring.clone(), pupil.clone(), visitor.browser.clone());
        let holds = move |conn: &mut Conn| {
            let has = has_words(conn, &ring, &owner, &words)?;
            let class = classes::of_pupil(conn, &owner)?.filter(|_| has);
            Ok(class
                .map(|class| door::hand_all(conn, &owner, &class, &browser))
                .transpose()?)
        };
        let Some((token, left)) = self.start_session(pupil, visitor, None, holds).await? else {
            return Ok(None);
        };
        for lesson in left {
            self.notify_lesson(&lesson, |_| Ok(())).await?;
        }
        Ok(Some(token))
    }

    /// Ends the session with this token. Team matches stop counting it as present.
    pub async fn sign_out(&self, token: &str) -> Result<(), AppError> {
        match self.end_session_with(token).await? {
            Some(account) => self.note_absence(account).await,
            None => Ok(()),
        }
    }

    /// As [`sign_out`](Self::sign_out), for a person who leaves the device to the next one: the names that the pupil
    /// took on it in lessons no longer belong to any device.
    pub async fn leave_device(&self, token: &str, visitor: &Visitor) -> Result<(), AppError> {
        if let Some(viewer) = self.viewer(token).await?
            && viewer.class.is_some()
        {
            let browser = visitor.browser.clone();
            self.write(move |conn| door::disown(conn, &viewer.id, Some(&browser)))
                .await?;
        }
        self.sign_out(token).await
    }
}
