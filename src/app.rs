//! The application: pages, mails and other programs act only through [`App`].

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use argon2::Argon2;
use lru::LruCache;
use perplex_matches::classroom::report::{Beside, Report};
use perplex_matches::id::MatchId;
use perplex_matches::time::Time;
use tokio::sync::Notify;

use crate::secret::{Key, KeyRing};
use crate::site::Site;
use crate::store::{Conn, Store, StoreError};
use crate::workers::Workers;
use memory::Matches;
use snapshots::{CorrespondenceSnapshot, TeamSnapshot};

pub mod accounts;
pub mod admin;
mod aggregate;
pub mod classes;
mod clock;
pub mod computer;
pub mod correspondence;
mod deadlines;
mod error;
pub mod floods;
pub mod guesses;
pub mod guests;
mod heartbeat;
mod invited;
mod key_rotation;
pub mod lifetimes;
mod limiter;
pub mod limits;
pub mod listed;
pub mod live;
pub mod mail_kind;
pub mod mails;
mod memory;
mod notifications;
pub mod once;
mod others;
mod own_address;
pub mod own_cards;
mod proof;
pub mod queue;
pub mod snapshots;
pub mod talk;
pub mod team;
mod viewer;

pub use crate::store::journal::Version;
pub use crate::store::{Heads, MatchKind, Phase, Winner};
pub use clock::Clock;
pub use error::{AppError, Fault, NotAllowed, invalid};
pub use viewer::{Actor, Credential, GUEST_NAME, Viewer, Visitor, network_of};

pub struct App {
    pub store: Store,
    pub key: Key,
    pub ring: Arc<KeyRing>,
    /// The beginning of all links to pages, without a slash at the end: `https://perplex.example`.
    pub url: String,
    pub mail_folder: Option<PathBuf>,
    /// The mail server has said that it takes addresses with letters beyond ASCII before the @ (SMTPUTF8).
    mail_takes_letters: AtomicBool,
    pub site: Site,
    pub correspondence: Matches<perplex_matches::correspondence::Match, CorrespondenceSnapshot>,
    pub teams: Matches<perplex_matches::team::Match, TeamSnapshot>,
    /// Notified when there is mail to send.
    pub outbox: Notify,
    /// Notified when a match waits for the computer.
    pub computers: Notify,
    pub limits: limits::Limits,
    guest_networks: computer::GuestNetworks,
    /// Guests at a time; tests have fewer.
    pub most_guests: i64,
    /// The hasher of passwords: argon2id with the parameters that OWASP recommends. Tests take cheaper ones.
    pub argon2: Argon2<'static>,
    clock: Clock,
    /// The reports of lessons that are over.
    reports: Mutex<LruCache<MatchId, (Beside, Arc<Report>)>>,
    presence: team::presence::Presence,
    touches: team::presence::Presence<perplex_matches::id::AccountId>,
    heartbeat: heartbeat::Heartbeat,
    floods: floods::Floods,
    others: Arc<others::Others>,
    last_seen: correspondence::LastSeen,
    waiting: once::Waiting,
}

impl App {
    pub fn new(
        store: Store,
        key: Key,
        ring: KeyRing,
        url: String,
        mail_folder: Option<PathBuf>,
        site: Site,
        clock: Clock,
    ) -> Self {
        Self {
            store,
            key,
            ring: Arc::new(ring),
            url,
            mail_folder,
            mail_takes_letters: AtomicBool::new(false),
            site,
            correspondence: Matches::default(),
            teams: Matches::default(),
            outbox: Notify::new(),
            computers: Notify::new(),
            limits: limits::Limits::new(&clock),
            guest_networks: computer::GuestNetworks::default(),
            most_guests: guests::MOST,
            argon2: Argon2::default(),
            clock,
            reports: Mutex::new(LruCache::new(team::progress::REPORTS_KEPT)),
            presence: team::presence::Presence::default(),
            touches: team::presence::Presence::default(),
            heartbeat: heartbeat::Heartbeat::default(),
            floods: floods::Floods::default(),
            others: Arc::default(),
            last_seen: correspondence::LastSeen::default(),
            waiting: once::Waiting::default(),
        }
    }

    /// What goes on beside the requests, the thread that writes included.
    pub fn workers(&self) -> &Workers {
        self.store.workers()
    }

    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// [`Store::write`] with the error of the application.
    async fn write<T: Send + 'static, E: From<StoreError> + Into<AppError> + Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, AppError> {
        self.store.write(job).await.map_err(Into::into)
    }

    /// [`Store::read`] with the error of the application.
    async fn read<T: Send + 'static, E: From<StoreError> + Into<AppError> + Send + 'static>(
        &self,
        job: impl FnOnce(&mut Conn) -> Result<T, E> + Send + 'static,
    ) -> Result<T, AppError> {
        self.store.read(job).await.map_err(Into::into)
    }
}
