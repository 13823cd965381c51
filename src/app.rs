//! The only way in: whoever acts, by page, mail or programming interface, acts through [`App`].
//!
//! An act loads what the actor may see, decides, and writes everything that follows in one
//! transaction; then the open pages are told.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::secret::{Key, Ring};
use crate::store::{Store, StoreError};
use perplex_matches::classroom::report::{Beside, Report};
use perplex_matches::id::ClassId;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::post::{BadJournal, Match, Refusal};
use perplex_matches::team;
use perplex_matches::time::Time;

pub mod accounts;
mod arrivals;
pub mod classes;
pub mod computer;
pub mod host;
pub mod limits;
pub mod live;
pub mod matches;
pub mod teams;

/// Reads the time. `main` gives the real clock, tests give their own.
pub type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

/// The application: store, key, clock, and what is kept in memory beside them.
pub struct App {
    /// The database.
    pub store: Store,
    /// The key of the installation.
    pub key: Key,
    /// The keys that seal the talk of teams.
    pub ring: Arc<Ring>,
    /// What pages and links start with, without a slash at the end: `https://perplex.example`.
    pub url: String,
    /// Where mails are written that are not sent; `None` if they are handed to a mail server.
    pub mail_folder: Option<PathBuf>,
    /// Who wants to hear that a match changed.
    pub live: live::Live<matches::Moment>,
    /// Who wants to hear that a team match changed.
    pub team_live: live::Live<teams::Moment>,
    /// Rung when there is mail to send.
    pub outbox: Notify,
    /// Rung when a match waits for the computer.
    pub computers: Notify,
    /// How often things may be done.
    pub limits: limits::Limits,
    clock: Clock,
    arrivals: arrivals::Arrivals,
    /// States by match; each is checked against the head in the database before it is used.
    states: Mutex<HashMap<MatchId, Arc<Match>>>,
    /// The same for team matches.
    teams: Mutex<HashMap<MatchId, Arc<team::Match>>>,
    /// Where those wait who act in a team match at the same time, in this process: each decides on what the one
    /// before has done, instead of all but one deciding again.
    turnstiles: Mutex<HashMap<MatchId, Arc<tokio::sync::Mutex<()>>>>,
    /// Who did what in lessons that are over.
    reports: Mutex<HashMap<MatchId, (Beside, Arc<Report>)>>,
    presence: teams::presence::Presence,
}

/// Whether an address that pages and links start with leads every other device nowhere: it names the computer by a name
/// that it has for itself.
fn is_only_here(url: &str) -> bool {
    let place = url.split_once("://").map_or(url, |(_, place)| place);
    // Without the port, which comes after the brackets of an IPv6 address.
    let host = match place.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => host,
        _ => place,
    };
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

/// The port in an address, or what its scheme means.
fn port(url: &str) -> u16 {
    let (scheme, place) = url.split_once("://").unwrap_or(("http", url));
    let named = place
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse().ok());
    named.unwrap_or(if scheme == "https" { 443 } else { 80 })
}

/// How many states of matches are kept in memory.
const STATES_KEPT: usize = 2_000;

/// Why something was not done. Every kind has its one answer on the web; see `web`.
#[derive(Debug)]
pub enum AppError {
    /// It does not exist, or the actor may not know that it does.
    NotFound,
    /// The actor has to sign in first.
    SignIn,
    /// The actor may see it but not do it; the reason is a sentence.
    Forbidden(&'static str),
    /// The rules or the state of the match refuse it.
    Refused(Refusal),
    /// The same, in a team match, and what people call those who lead it.
    RefusedInTeam(team::Refusal, &'static str),
    /// What was filled in is not right: for each field its name and a sentence.
    Invalid(Vec<(&'static str, String)>),
    /// Too often; it can be tried again in so many seconds.
    TooOften(u64),
    /// The database.
    Store(StoreError),
    /// The journal of a match cannot be replayed.
    Journal(BadJournal),
    /// Something that should not happen.
    Internal(String),
}

impl Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("There is nothing here."),
            Self::SignIn => f.write_str("Please sign in first."),
            Self::Forbidden(why) => f.write_str(why),
            Self::Refused(refusal) => Display::fmt(refusal, f),
            Self::RefusedInTeam(refusal, host) => f.write_str(&refusal.said(host)),
            Self::Invalid(fields) => {
                let texts: Vec<&str> = fields.iter().map(|(_, text)| text.as_str()).collect();
                f.write_str(&texts.join(" "))
            }
            Self::TooOften(seconds) => {
                let wait =
                    perplex_matches::time::in_words(std::time::Duration::from_secs(*seconds));
                write!(f, "That was too often. Please try again in {wait}.")
            }
            Self::Store(error) => write!(f, "database: {error}"),
            Self::Journal(error) => Display::fmt(error, f),
            Self::Internal(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for AppError {}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<team::BadJournal> for AppError {
    fn from(error: team::BadJournal) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<BadJournal> for AppError {
    fn from(error: BadJournal) -> Self {
        Self::Journal(error)
    }
}

/// One field of a form that is not right.
pub(crate) fn invalid(field: &'static str, text: impl Into<String>) -> AppError {
    AppError::Invalid(vec![(field, text.into())])
}

impl App {
    /// Whether the address that pages show leads only this computer here, so that nobody can join a lesson from another
    /// device.
    #[must_use]
    pub fn is_only_here(&self) -> bool {
        is_only_here(&self.url)
    }

    /// The port in that address.
    #[must_use]
    pub fn port(&self) -> u16 {
        port(&self.url)
    }

    /// An application on `store`.
    #[must_use]
    pub fn new(
        store: Store,
        key: Key,
        ring: Ring,
        url: String,
        mail_folder: Option<PathBuf>,
        clock: Clock,
    ) -> Self {
        Self {
            store,
            key,
            ring: Arc::new(ring),
            url,
            mail_folder,
            live: live::Live::default(),
            team_live: live::Live::default(),
            outbox: Notify::new(),
            computers: Notify::new(),
            limits: limits::Limits::default(),
            clock,
            arrivals: arrivals::Arrivals::default(),
            states: Mutex::new(HashMap::new()),
            teams: Mutex::new(HashMap::new()),
            turnstiles: Mutex::new(HashMap::new()),
            reports: Mutex::new(HashMap::new()),
            presence: teams::presence::Presence::default(),
        }
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Time {
        (self.clock)()
    }

    fn cached(&self, id: &MatchId) -> Option<Arc<Match>> {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.get(id).cloned()
    }

    fn cache(&self, id: &MatchId, state: &Arc<Match>) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if states.len() >= STATES_KEPT && !states.contains_key(id) {
            states.clear();
        }
        let newer = states.get(id).is_some_and(|kept| kept.head > state.head);
        if !newer {
            states.insert(id.clone(), Arc::clone(state));
        }
    }
}

/// The account behind a request.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a preference of its own"
)]
#[derive(Clone, Debug)]
pub struct Viewer {
    /// Whose.
    pub id: AccountId,
    /// The name that others see.
    pub name: String,
    /// The id of the session that the request belongs to.
    pub session: String,
    /// The time zone in which times are shown.
    pub zone: chrono_tz::Tz,
    /// Whether a turn is confirmed before it is sent.
    pub confirm_turns: bool,
    /// Whether boards show their coordinates.
    pub coordinates: bool,
    /// Whether chess boards number their squares from 1 to 64 instead of naming them.
    pub numbered: bool,
    /// `light`, `dark`, or `system`.
    pub theme: String,
    /// Whether this account keeps the house.
    pub host: bool,
    /// The class, if it is a pupil.
    pub class: Option<ClassId>,
    /// The duties in team matches whose walk-through was seen, separated by commas.
    pub helped: String,
}

impl Viewer {
    /// Whether pages look the same to both: they are one account with the same wishes, be it in
    /// different sessions.
    #[must_use]
    pub fn sees_as(&self, other: &Self) -> bool {
        // A field that is added has to be thought of here.
        let Self {
            id,
            name,
            session: _,
            zone,
            confirm_turns,
            coordinates,
            numbered,
            theme,
            host,
            class,
            // Kept pages have no walk-through.
            helped: _,
        } = self;
        (id, name, zone, theme) == (&other.id, &other.name, &other.zone, &other.theme)
            && *confirm_turns == other.confirm_turns
            && *coordinates == other.coordinates
            && *numbered == other.numbered
            && *host == other.host
            && *class == other.class
    }
}

/// Where a request comes from, for limits and for the list of sessions.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    /// The network address.
    pub address: String,
    /// What the browser calls itself.
    pub agent: String,
}

#[cfg(test)]
mod tests {
    use super::{is_only_here, port};

    #[test]
    fn an_address_has_a_port() {
        for (url, expected) in [
            ("http://127.0.0.1:8391", 8391),
            ("http://[::1]:8080", 8080),
            ("http://[::1]", 80),
            ("http://localhost", 80),
            ("https://localhost", 443),
        ] {
            assert_eq!(port(url), expected, "{url}");
        }
    }

    #[test]
    fn an_address_leads_others_here_or_not() {
        for url in [
            "http://127.0.0.1:8080",
            "http://127.1.2.3",
            "http://0.0.0.0:8080",
            "http://[::1]:8080",
            "http://[::]",
            "https://localhost:8443",
            "http://Perplex.localhost",
        ] {
            assert!(is_only_here(url), "{url}");
        }
        for url in [
            "http://192.168.1.20:8080",
            "http://[fd00::20]:8080",
            "http://[2001:db8::1]",
            "https://perplex.example.org",
            "http://teacher-laptop.local:8080",
        ] {
            assert!(!is_only_here(url), "{url}");
        }
    }
}
