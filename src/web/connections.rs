//! The connections of visitors, and their limits.
//!
//! A connection is idle when the server has answered all its requests, and no byte of a new one has come. When there
//! are too many, from one network or in all, those that have been idle longest are closed first, then those that have
//! been sending one request for long, and last those that a page listens on: the page reconnects. Whatever the
//! number, a request that takes too long to arrive, or an answer that is not read, is given up after a while.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use actix_web::HttpRequest;
use actix_web::rt::net::TcpStream;
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

use crate::app::network_of;

/// The time that a connection may be open with no data coming or going. Browsers open some beforehand.
const SILENT: Duration = Duration::from_mins(5);
/// The longest time from the first byte of a request to the first byte of its answer, and the longest time that an
/// answer may wait to be read. Pages that ask for news wait for half of that.
const STUCK: Duration = Duration::from_mins(1);
/// After this time an unanswered request may be an incomplete one.
const HALF: Duration = Duration::from_secs(5);
const SECOND: Duration = Duration::from_secs(1);
/// Seconds between two checks.
const EVERY: u64 = 5;

/// The most connections of one network, whatever the system allows: a whole school is one.
const OF_ONE_NETWORK: usize = 4_096;

type Network = HashMap<u64, Arc<Connection>>;

/// Seconds since the start, from 1: exact enough here, and cheap, as each byte that comes needs the time.
type Clock = Arc<AtomicU64>;

pub struct Connections {
    clock: Clock,
    most: usize,
    /// The most connections of one network; behind a proxy all come from one.
    most_of_one: usize,
    count: AtomicUsize,
    next: AtomicU64,
    networks: Mutex<HashMap<String, Network>>,
}

/// The kinds of connections that may be closed, from the last to the first to go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Followed,
    Stuck,
    Idle,
}

/// The state of one connection. Times are those of the clock; 0 means never.
pub struct Connection {
    clock: Clock,
    opened: AtomicU64,
    /// The time when a byte last came or went.
    last: AtomicU64,
    /// The start of the request that is not answered yet.
    asked: AtomicU64,
    /// The time since which an answer waits to be read.
    unread: AtomicU64,
    /// Number of answers that go on for as long as a page is open.
    followed: AtomicUsize,
    ended: AtomicBool,
    waker: AtomicWaker,
    end: Notify,
}

/// An open connection: closed when dropped.
pub struct Open {
    all: Arc<Connections>,
    network: String,
    id: u64,
    pub connection: Arc<Connection>,
}

/// An answer that goes on for as long as a page is open.
pub struct Following(Option<Arc<Connection>>);

impl Connection {
    fn new(clock: &Clock) -> Self {
        let now = clock.load(Relaxed);
        Self {
            clock: Arc::clone(clock),
            opened: AtomicU64::new(now),
            last: AtomicU64::new(now),
            asked: AtomicU64::new(0),
            unread: AtomicU64::new(0),
            followed: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            waker: AtomicWaker::new(),
            end: Notify::new(),
        }
    }

    fn now(&self) -> u64 {
        self.clock.load(Relaxed)
    }

    fn read(&self) {
        let now = self.now();
        self.last.store(now, Relaxed);
        let _ = self.asked.compare_exchange(0, now, Relaxed, Relaxed);
    }

    fn written(&self) {
        self.last.store(self.now(), Relaxed);
        self.asked.store(0, Relaxed);
        self.unread.store(0, Relaxed);
    }

    fn is_full(&self) {
        let _ = self
            .unread
            .compare_exchange(0, self.now(), Relaxed, Relaxed);
    }

    fn since(&self, when: &AtomicU64) -> Option<Duration> {
        let then = when.load(Relaxed);
        (then > 0).then(|| Duration::from_secs(self.now().saturating_sub(then)))
    }

    fn is_lost(&self) -> bool {
        let lasts = |when, most| self.since(when).is_some_and(|since| since > most);
        let waits = lasts(&self.asked, STUCK) && self.followed.load(Relaxed) == 0;
        waits || lasts(&self.unread, STUCK) || lasts(&self.last, SILENT)
    }

    /// The connection's rank for closing, and the time that it has been in that state. `None`: it must stay.
    fn idleness(&self) -> Option<(Rank, Duration)> {
        let (asked, unread) = (self.since(&self.asked), self.since(&self.unread));
        if self.followed.load(Relaxed) > 0 {
            // A page whose stream ends reconnects.
            return Some((Rank::Followed, self.since(&self.opened)?));
        }
        match asked.max(unread) {
            None => Some((Rank::Idle, self.since(&self.last)?)),
            Some(stuck) => (stuck > HALF).then_some((Rank::Stuck, stuck)),
        }
    }

    fn close(&self) {
        self.ended.store(true, Relaxed);
        self.waker.wake();
        self.end.notify_one();
    }

    /// Waits until the connection is to be closed.
    pub async fn closed(&self) {
        if !self.ended.load(Relaxed) {
            self.end.notified().await;
        }
    }

    fn check(&self, cx: &Context<'_>) -> io::Result<()> {
        self.waker.register(cx.waker());
        if self.ended.load(Relaxed) {
            return Err(ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }
}

impl Connections {
    /// `proxied`: all visitors come through a proxy, which has to make sure that none takes too many.
    pub fn new(most: usize, proxied: bool) -> Arc<Self> {
        let most_of_one = if proxied {
            most
        } else {
            (most / 2).clamp(1, OF_ONE_NETWORK)
        };
        Arc::new(Self {
            clock: Arc::new(AtomicU64::new(1)),
            most,
            most_of_one,
            count: AtomicUsize::new(0),
            next: AtomicU64::new(0),
            networks: Mutex::default(),
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<String, Network>) -> T) -> T {
        change(&mut self.networks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Closes a twentieth of the connections that may go, of one network or of all, but at least one, the first in
    /// rank first. Gives whether there was one.
    fn shed(&self, networks: &mut HashMap<String, Network>, of_one: Option<&str>) -> bool {
        let concerned = networks
            .iter()
            .filter(|(network, _)| of_one.is_none_or(|one| one == *network));
        let mut idle = Vec::new();
        for (network, connections) in concerned {
            let can_go = connections
                .iter()
                .filter_map(|(id, one)| Some((one.idleness()?, network.as_str(), *id)));
            idle.extend(can_go);
        }
        idle.sort_unstable_by_key(|(idleness, _, id)| (Reverse(*idleness), *id));
        idle.truncate((idle.len() / 20).max(1));
        let chosen: Vec<(String, u64)> = idle
            .iter()
            .map(|(_, network, id)| ((*network).to_owned(), *id))
            .collect();
        for (network, id) in &chosen {
            // It no longer counts, though it takes a moment to close.
            if let Some(one) = self.forget(networks, network, *id) {
                one.close();
            }
        }
        !chosen.is_empty()
    }

    fn forget(
        &self,
        networks: &mut HashMap<String, Network>,
        network: &str,
        id: u64,
    ) -> Option<Arc<Connection>> {
        let of_one = networks.get_mut(network)?;
        let gone = of_one.remove(&id)?;
        if of_one.is_empty() {
            networks.remove(network);
        }
        self.count.fetch_sub(1, Relaxed);
        Some(gone)
    }

    /// Adds a connection from `address`; `None` if there are too many, and all of them must stay.
    pub fn open(self: &Arc<Self>, address: IpAddr) -> Option<Open> {
        let network = network_of(address);
        self.with(|networks| {
            let of_one = networks.get(&network).map_or(0, HashMap::len);
            if of_one >= self.most_of_one && !self.shed(networks, Some(&network)) {
                return None;
            }
            if self.count.load(Relaxed) >= self.most && !self.shed(networks, None) {
                return None;
            }
            let id = self.next.fetch_add(1, Relaxed);
            let connection = Arc::new(Connection::new(&self.clock));
            let of_one = networks.entry(network.clone()).or_default();
            of_one.insert(id, Arc::clone(&connection));
            self.count.fetch_add(1, Relaxed);
            Some(Open {
                all: Arc::clone(self),
                network,
                id,
                connection,
            })
        })
    }

    /// Keeps the clock, and closes connections that take too long, from now on.
    pub async fn watch(self: Arc<Self>) {
        let (begun, before) = (Instant::now(), self.clock.load(Relaxed));
        loop {
            tokio::time::sleep(SECOND).await;
            let now = before + begun.elapsed().as_secs();
            self.clock.store(now, Relaxed);
            if !now.is_multiple_of(EVERY) {
                continue;
            }
            self.with(|networks| {
                for one in networks.values().flat_map(HashMap::values) {
                    if one.is_lost() {
                        one.close();
                    }
                }
            });
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.all.with(|networks| {
            self.all.forget(networks, &self.network, self.id);
        });
    }
}

impl Following {
    /// Marks the answer to this request as one that goes on for as long as a page is open.
    pub fn of(http: &HttpRequest) -> Self {
        let connection = http.conn_data::<Arc<Connection>>().cloned();
        if let Some(connection) = &connection {
            connection.followed.fetch_add(1, Relaxed);
        }
        Self(connection)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        if let Some(connection) = &self.0 {
            connection.followed.fetch_sub(1, Relaxed);
        }
    }
}

/// A stream that notes the bytes that come and go.
pub struct Watched {
    pub stream: TcpStream,
    pub open: Open,
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.open.connection.check(cx)?;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.open.connection.read();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.open.connection.check(cx)?;
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        match &written {
            Poll::Ready(Ok(_)) => self.open.connection.written(),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.open.connection.is_full(),
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advance(clock: &Clock, time: Duration) {
        clock.fetch_add(time.as_secs(), Relaxed);
    }

    /// An incomplete request on a connection that has had answers before.
    #[test]
    fn what_takes_too_long_is_given_up() {
        let clock = Arc::new(AtomicU64::new(1));
        let connection = Connection::new(&clock);
        for _ in 0..3 {
            connection.read();
            advance(&clock, STUCK);
            connection.written();
            assert!(!connection.is_lost(), "slow is not lost");
        }
        connection.read();
        advance(&clock, STUCK / 2);
        connection.read();
        assert!(!connection.is_lost());
        advance(&clock, STUCK / 2 + SECOND);
        assert!(connection.is_lost(), "byte by byte is not faster");
        connection.followed.fetch_add(1, Relaxed);
        assert!(!connection.is_lost(), "a page waits for news");
        connection.is_full();
        advance(&clock, STUCK + SECOND);
        assert!(connection.is_lost(), "and does not read them");
        connection.written();
        assert!(!connection.is_lost());
        advance(&clock, SILENT + SECOND);
        assert!(connection.is_lost(), "it has gone silent");
    }

    #[test]
    fn idle_ones_make_room() {
        let all = Connections::new(20, false);
        let here = "192.0.2.1".parse().expect("an address");
        let open = || all.open(here);
        let [follows, asks, half, older, newer] = [(); 5].map(|()| open().expect("room"));
        let rest: Vec<_> = (5..10).map(|_| open().expect("room")).collect();
        follows.connection.followed.fetch_add(1, Relaxed);
        half.connection.read();
        for one in rest.iter().chain([&newer]) {
            advance(&all.clock, HALF + SECOND);
            one.connection.written();
        }
        asks.connection.read();
        let closed = |open: &Open| open.connection.ended.load(Relaxed);

        // The network is full: the oldest idle connection goes.
        let more = open().expect("room was made");
        assert!(closed(&older));
        drop(older);
        let again = open().expect("room was made");
        assert!(closed(&rest[0]) && !closed(&rest[1]));
        // When none is idle the incomplete request goes, and then the page that has listened longest.
        for one in rest.iter().chain([&newer, &more, &again]) {
            one.connection.followed.fetch_add(1, Relaxed);
        }
        let last = open().expect("room was made");
        assert!(closed(&half) && !closed(&asks) && !closed(&follows));
        last.connection.read();
        let other = open().expect("room was made");
        assert!(closed(&follows) && !closed(&asks) && !closed(&newer));
        other.connection.read();
        // Another network has room.
        let there = "2001:db8::1".parse().expect("an address");
        assert!(all.open(there).is_some());
    }
}
