//! The networks of guests who play the computer, so that those take turns. They are kept in memory only: nothing is stored
//! of where a guest is. Guests of before a restart count as one network.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;
use perplex_matches::id::AccountId;

const KEPT: NonZeroUsize = NonZeroUsize::new(20_000).expect("not zero");

pub struct GuestNetworks(Mutex<LruCache<AccountId, String>>);

impl Default for GuestNetworks {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT)))
    }
}

impl GuestNetworks {
    pub fn note(&self, guest: &AccountId, network: String) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.put(guest.clone(), network);
    }

    fn of(&self, guest: &AccountId) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.peek(guest).cloned().unwrap_or_default()
    }
}

/// The networks whose guests the computer has answered, with the number of the answer.
pub(super) struct Served {
    last: LruCache<String, u64>,
    answers: u64,
}

impl Default for Served {
    fn default() -> Self {
        Self {
            last: LruCache::new(KEPT),
            answers: 0,
        }
    }
}

impl Served {
    /// Puts guests, who come in the order in which they began to wait, in that in which they get an answer: the networks
    /// take turns, that first which got none for longest.
    pub(super) fn in_turn(
        &self,
        guests: Vec<AccountId>,
        networks: &GuestNetworks,
    ) -> Vec<(AccountId, String)> {
        let mut before: HashMap<String, usize> = HashMap::new();
        let mut guests: Vec<_> = guests
            .into_iter()
            .map(|guest| {
                let network = networks.of(&guest);
                let count = before.entry(network.clone()).or_default();
                *count += 1;
                let last = self.last.peek(&network).copied();
                ((*count, last), (guest, network))
            })
            .collect();
        guests.sort_by_key(|(turn, _)| *turn);
        guests.into_iter().map(|(_, guest)| guest).collect()
    }

    pub(super) fn note(&mut self, network: String) {
        self.answers += 1;
        self.last.put(network, self.answers);
    }
}
