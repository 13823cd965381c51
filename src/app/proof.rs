//! The proof in each form that one of our own pages was made for whoever sends it.
//!
//! It belongs to the account, not to one of its sessions: what was typed before its writer signed out and in again is
//! still theirs to send.

use super::{App, once};

const PURPOSE: &str = "csrf";
/// Microseconds.
const DAY: i64 = 86_400_000_000;

impl App {
    /// The proof for the forms of a page that is made today for `who`: an account or a browser.
    pub fn proof(&self, who: &str) -> String {
        let day = self.today().to_string();
        let seal = self.key.mac(PURPOSE, &[who, &day]);
        format!("{day}.{seal}")
    }

    /// True if `proof` was made for `who`, and not so long ago that no page stands open.
    pub fn is_proof(&self, who: &str, proof: &str) -> bool {
        let Some((day, seal)) = proof.split_once('.') else {
            return false;
        };
        let age = day.parse().map(|day: i64| self.today().saturating_sub(day));
        age.is_ok_and(|age| age <= once::KEPT_DAYS) && self.key.check(PURPOSE, &[who, day], seal)
    }

    fn today(&self) -> i64 {
        self.now().0.div_euclid(DAY)
    }
}
