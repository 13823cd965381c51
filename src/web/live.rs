//! Live pages: a stream of numbers (server-sent events) that say how far a match has come. The news are fetched
//! through the ordinary pages, so no secret can leak here.
//!
//! Where streams do not get through, a page asks for the numbers, and the answer waits until there are new ones. A
//! stream sends the numbers at once, whatever the page knows: a silent one is held back on its way.

use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use actix_web::http::header;
use actix_web::web::{Bytes, Path};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream::{self, LocalBoxStream, Stream, StreamExt as _};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};

use crate::app::Heads;
use crate::app::live::Listening;
use crate::app::snapshots::CorrespondenceSnapshot;
use crate::web::answer::{Answer, Failure};
use crate::web::connections::Following;
use crate::web::fields::Fields;
use crate::web::request::RequestContext;
use perplex_matches::id::MatchId;

/// True while the program stops, for answers that would otherwise go on for ever.
#[derive(Clone)]
pub struct Stopping(pub watch::Receiver<bool>);

const HEARTBEAT: Duration = Duration::from_secs(15);
const LONGEST: u64 = 25;
/// The time between two checks that the session of an answer that goes on has not ended.
const SESSION: Duration = Duration::from_secs(3);

/// The source of a page's numbers. They are read again each time, since rights may change, too.
pub trait Numbers {
    type Snapshot;

    fn request(&self) -> &RequestContext;

    async fn now(&self) -> Result<String, Failure>;

    async fn heard(&self, changes: &mut Listening<Self::Snapshot>) -> Result<String, Failure>;

    /// Notes that the page shows the match as it is by the numbers `shown`, to a reader who has just touched it; `now`
    /// are the present ones.
    async fn touched(&self, shown: &str, now: &str);
}

struct CorrespondenceNumbers {
    request: RequestContext,
    id: MatchId,
}

impl Numbers for CorrespondenceNumbers {
    type Snapshot = CorrespondenceSnapshot;

    fn request(&self) -> &RequestContext {
        &self.request
    }

    async fn now(&self) -> Result<String, Failure> {
        let viewer = self.request.viewer.as_ref();
        Ok(write(self.request.app.heads(viewer, &self.id).await?))
    }

    async fn heard(
        &self,
        changes: &mut Listening<CorrespondenceSnapshot>,
    ) -> Result<String, Failure> {
        let (app, viewer) = (&self.request.app, self.request.viewer.as_ref());
        Ok(write(app.heads_heard(viewer, &self.id, changes).await?))
    }

    async fn touched(&self, shown: &str, _: &str) {
        let (app, viewer) = (&self.request.app, self.request.viewer.as_ref());
        let shown = shown.split_once('.');
        let shown = shown.and_then(|(event, talk)| Some((event.parse().ok()?, talk.parse().ok()?)));
        if let Some((event, talk)) = shown {
            app.note_seen(viewer, &self.id, event, talk).await;
        }
    }
}

pub fn write(heads: Heads) -> String {
    format!("{}.{}", heads.event, heads.talk)
}

/// Sends the numbers once: for browsers whose streams do not get through.
pub async fn heads(request: RequestContext, id: Path<String>, http: HttpRequest) -> Answer {
    let id = MatchId(id.into_inner());
    let app = request.app.clone();
    let listen = || app.correspondence.live.listen(&id);
    let numbers = CorrespondenceNumbers {
        request,
        id: id.clone(),
    };
    once(&numbers, listen, &http).await
}

pub async fn stream(request: RequestContext, id: Path<String>, http: HttpRequest) -> Answer {
    let pieces = pieces_of(request.clone(), MatchId(id.into_inner()), "");
    Ok(answer(&request, &http, pieces.await?))
}

/// The stream of a match; its numbers come after `name`, if that is not empty.
pub async fn pieces_of(
    request: RequestContext,
    id: MatchId,
    name: &str,
) -> Result<Pieces, Failure> {
    // Listening begins before reading: no news in between is missed.
    let changes = request.app.correspondence.live.listen(&id);
    follow(CorrespondenceNumbers { request, id }, changes, name).await
}

/// Answers with the numbers. With `wait` in the query the answer comes as soon as they differ from `after`, at the
/// latest after so many seconds or when the program stops.
pub async fn once<N: Numbers>(
    numbers: &N,
    listen: impl FnOnce() -> Listening<N::Snapshot>,
    http: &HttpRequest,
) -> Answer {
    let query = Fields::of_query(http);
    let wait = query.get("wait").parse().unwrap_or(0).min(LONGEST);
    // Listening begins before reading: no news in between is missed.
    let changes = (wait > 0).then(listen);
    let _following = Following::of(http);
    let mut now = numbers.now().await?;
    let known = query.get("after");
    // A page asks as long as it is in front, and tells what it shows; it may be in front of nobody.
    if query.has("touched") {
        numbers.touched(known, &now).await;
    }
    if let Some(mut changes) = changes {
        let mut end = pin!(sleep(Duration::from_secs(wait)));
        let mut stopping = stopping(http);
        let mut session = session();
        while now == known {
            tokio::select! {
                _ = session.tick() => {
                    if !numbers.request().is_still_signed_in().await {
                        break;
                    }
                }
                () = changes.changed() => now = numbers.heard(&mut changes).await?,
                () = &mut end => break,
                () = stopped(&mut stopping) => break,
            }
        }
    }
    Ok(told(now))
}

/// The answer with these numbers.
pub fn told(numbers: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(numbers)
}

/// Ticks when it is time to check the session: of many answers that begin together at different times.
fn session() -> Interval {
    every(SESSION)
}

fn every(time: Duration) -> Interval {
    let first = Instant::now() + time.mul_f32(rand::random_range(0.5..1.0));
    let mut ticks = interval_at(first, time);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

fn stopping(http: &HttpRequest) -> Option<watch::Receiver<bool>> {
    let stopping = http.app_data::<Stopping>();
    stopping.map(|stopping| stopping.0.clone())
}

async fn stopped(stopping: &mut Option<watch::Receiver<bool>>) {
    match stopping {
        Some(stopping) => {
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
        None => pending().await,
    }
}

/// The numbers that a stream sends, piece by piece.
pub type Pieces = LocalBoxStream<'static, Bytes>;

/// A stream of one connection, whatever number of matches it is about.
struct Connection {
    request: RequestContext,
    pieces: Pieces,
    stopping: Option<watch::Receiver<bool>>,
    heartbeat: Interval,
    session: Interval,
    _following: Following,
}

impl Connection {
    /// The next piece; `None` ends the stream, and the browser reconnects.
    async fn next(mut self) -> Option<(Result<Bytes, actix_web::Error>, Self)> {
        loop {
            tokio::select! {
                piece = self.pieces.next() => return piece.map(|piece| (Ok(piece), self)),
                _ = self.session.tick() => {
                    if !self.request.is_still_signed_in().await {
                        return None;
                    }
                }
                _ = self.heartbeat.tick() => {
                    return Some((Ok(Bytes::from_static(b": still here\n\n")), self));
                }
                () = stopped(&mut self.stopping) => return None,
            }
        }
    }
}

/// The answer that sends these pieces until the session of the request ends.
pub fn answer(
    request: &RequestContext,
    http: &HttpRequest,
    pieces: impl Stream<Item = Bytes> + 'static,
) -> HttpResponse {
    let connection = Connection {
        request: request.clone(),
        pieces: pieces.boxed_local(),
        stopping: stopping(http),
        heartbeat: every(HEARTBEAT),
        session: session(),
        _following: Following::of(http),
    };
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/event-stream"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Neither we nor a proxy may hold it back to compress it.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(stream::unfold(connection, Connection::next))
}

struct Listener<N: Numbers> {
    /// The beginning of each line of numbers.
    begins: String,
    numbers: N,
    changes: Listening<N::Snapshot>,
    known: String,
    now: Option<String>,
}

pub async fn follow<N: Numbers + 'static>(
    numbers: N,
    changes: Listening<N::Snapshot>,
    name: &str,
) -> Result<Pieces, Failure> {
    let now = numbers.now().await?;
    let listener = Listener {
        begins: match name {
            "" => "data: ".to_owned(),
            name => format!("data: {name} "),
        },
        numbers,
        changes,
        known: String::new(),
        now: Some(now),
    };
    Ok(stream::unfold(listener, Listener::next).boxed_local())
}

impl<N: Numbers> Listener<N> {
    /// The next numbers; `None` if they may no longer be seen.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        loop {
            if let Some(now) = self.now.take()
                && now != self.known
            {
                let event = format!("{}{now}\n\n", self.begins);
                self.known = now;
                return Some((event.into(), self));
            }
            self.changes.changed().await;
            self.now = Some(self.numbers.heard(&mut self.changes).await.ok()?);
        }
    }
}
