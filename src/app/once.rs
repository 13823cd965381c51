//! Forms that make something carry a number that is good once: sent twice, as by a second press on a slow line, they make
//! it once, and the second leads to what the first made.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use perplex_matches::id::AccountId;
use perplex_matches::time::days;

use super::{App, AppError};
use crate::secret::random_token;
use crate::store::done_once::{self as rows, Claim};

/// As long as a page may stand until its form is sent.
pub(super) const KEPT: Duration = days(KEPT_DAYS.unsigned_abs());
pub(super) const KEPT_DAYS: i64 = 30;
const PURPOSE: &str = "once";
/// The time between two looks whether the first form is done.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Forms of one account that wait for their first at once.
const OF_ONE: usize = 3;
/// Seconds until one that found them waiting may come.
const SHORTER: u64 = 1;

/// How many forms of each account wait for their first.
#[derive(Default)]
pub struct Waiting(Mutex<HashMap<AccountId, usize>>);

/// The place of a form that waits.
struct Place<'a> {
    of: &'a Waiting,
    who: &'a AccountId,
}

impl Waiting {
    fn place<'a>(&'a self, who: &'a AccountId) -> Result<Place<'a>, AppError> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let many = waiting.entry(who.clone()).or_default();
        if *many >= OF_ONE {
            return Err(AppError::TooOften(SHORTER));
        }
        *many += 1;
        Ok(Place { of: self, who })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(many) = waiting.get_mut(self.who) {
            *many -= 1;
            if *many == 0 {
                waiting.remove(self.who);
            }
        }
    }
}

/// What becomes of a form with a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Once {
    /// Its number is none that this visitor got, so nothing is known of it.
    Unknown,
    /// It is the first, and counts under this key until [`App::end_once`].
    First(String),
    /// The first led to this page.
    Done(String),
}

impl App {
    /// A number for a form of `who`, good once. Visitors make nothing that is worth one.
    pub fn once(&self, who: &AccountId) -> String {
        let number = random_token();
        let seal = self.key.mac(PURPOSE, &[&who.0, &number]);
        format!("{number}.{seal}")
    }

    /// Takes a form with a number; waits as long as the first with it is at work.
    ///
    /// # Errors
    /// The database's, and [`AppError::TooOften`] if others wait already.
    pub async fn begin_once(&self, who: &AccountId, number: &str) -> Result<Once, AppError> {
        let is_ours = number
            .split_once('.')
            .is_some_and(|(number, seal)| self.key.check(PURPOSE, &[&who.0, number], seal));
        if !is_ours {
            return Ok(Once::Unknown);
        }
        let key = crate::secret::hash_token(number);
        let mut place = None;
        loop {
            let (asked, now) = (key.clone(), self.now());
            match self
                .write(move |conn| rows::claim(conn, &asked, now))
                .await?
            {
                Claim::First => return Ok(Once::First(key)),
                Claim::Done(page) => return Ok(Once::Done(page)),
                Claim::AtWork if place.is_none() => place = Some(self.waiting.place(who)?),
                Claim::AtWork => tokio::time::sleep(CHECK_INTERVAL).await,
            }
        }
    }

    /// The first form with a number has led to a page, or has made nothing.
    ///
    /// # Errors
    /// The database's.
    pub async fn end_once(&self, key: String, page: Option<String>) -> Result<(), AppError> {
        self.write(move |conn| match page {
            Some(page) => rows::done(conn, &key, &page),
            None => rows::give_back(conn, &key),
        })
        .await
    }
}
