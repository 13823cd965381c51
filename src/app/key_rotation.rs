//! A new key for all that is sealed: talk, pupils' phrases, second factors.

use std::sync::Arc;

use super::accounts::second_factor;
use super::{App, AppError, classes, talk};
use crate::store::talk as rows;

/// Texts that are sealed again in one transaction.
const RESEALED: i64 = 200;

impl App {
    /// Makes a new key for the talk of teams, pupils' phrases and second factors, and seals everything again with it.
    /// Gives the number of texts.
    pub async fn rotate_talk_key(&self) -> Result<usize, AppError> {
        let failed = |error: std::io::Error| {
            AppError::Internal(format!("the keys of the talk cannot be changed: {error}"))
        };
        // Another rotation at this time would forget the key of this one.
        let _locked = self.ring.lock().map_err(failed)?;
        self.ring.add().map_err(failed)?;
        let mut done = 0;
        loop {
            let ring = Arc::clone(&self.ring);
            let resealed = self
                .write(move |conn| {
                    let rows = rows::sealed_otherwise(conn, &ring.newest(), RESEALED)?;
                    let count = rows.len();
                    for row in rows {
                        let text = talk::open(&ring, &row)?;
                        talk::overwrite(conn, &ring, row, &text)?;
                    }
                    let phrases = classes::reseal(conn, &ring, RESEALED)?;
                    let factors = second_factor::reseal(conn, &ring, RESEALED)?;
                    Ok::<_, AppError>(count + phrases + factors)
                })
                .await?;
            if resealed == 0 {
                break;
            }
            done += resealed;
        }
        self.ring.forget().map_err(failed)?;
        Ok(done)
    }
}
