//! Live pages: a stream of numbers (server-sent events) that say how far a match has come. What
//! is new is fetched through the ordinary pages, so nothing secret can leak here.

use std::future::pending;
use std::time::Duration;

use actix_web::http::header;
use actix_web::web::{Bytes, Path};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::visit::{Fields, Visit};
use super::{Answer, Failure, Stopping};
use crate::app::live::{Heads, Listening};
use crate::app::matches::Moment;
use crate::play::event::MatchId;

/// How often a stream says that it is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Where the numbers of a page come from. They are asked for anew each time, since rights may change, too.
pub trait Numbers {
    /// What is read once for all who listen.
    type Moment;

    /// They, as the page is told.
    async fn now(&self) -> Result<String, Failure>;

    /// They, after a change was heard of.
    async fn heard(&self, changes: &mut Listening<Self::Moment>) -> Result<String, Failure>;
}

/// A match by post, and who looks at it.
struct Post {
    visit: Visit,
    id: MatchId,
}

impl Numbers for Post {
    type Moment = Moment;

    async fn now(&self) -> Result<String, Failure> {
        let viewer = self.visit.viewer.as_ref();
        Ok(write(self.visit.app.heads(viewer, &self.id).await?))
    }

    async fn heard(&self, changes: &mut Listening<Moment>) -> Result<String, Failure> {
        let (app, viewer) = (&self.visit.app, self.visit.viewer.as_ref());
        Ok(write(app.heads_heard(viewer, &self.id, changes).await?))
    }
}

/// How numbers are written: `event.talk`.
pub fn write(heads: Heads) -> String {
    format!("{}.{}", heads.event, heads.talk)
}

/// The numbers, once: for browsers whose streams do not get through.
pub async fn heads(visit: Visit, id: Path<String>) -> Answer {
    let id = MatchId(id.into_inner());
    once(&Post { visit, id }).await
}

/// A stream of the numbers, from those on that the page does not know yet.
pub async fn stream(visit: Visit, id: Path<String>, request: HttpRequest) -> Answer {
    let id = MatchId(id.into_inner());
    // Listening begins before looking: what comes in between is not missed.
    let changes = visit.app.live.listen(&id);
    follow(Post { visit, id }, changes, &request).await
}

/// Answers with the numbers.
pub async fn once(numbers: &impl Numbers) -> Answer {
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(numbers.now().await?))
}

struct Listener<N: Numbers> {
    numbers: N,
    changes: Listening<N::Moment>,
    stopping: Option<watch::Receiver<bool>>,
    heartbeat: Interval,
    /// What the page knows.
    known: String,
    /// What it is to be told at once.
    now: Option<String>,
}

/// Answers with a stream of `numbers`, which may be others after each of `changes`.
pub async fn follow<N: Numbers + 'static>(
    numbers: N,
    changes: Listening<N::Moment>,
    request: &HttpRequest,
) -> Answer {
    let now = numbers.now().await?;
    let query = Fields::of_query(request);
    let known = request
        .headers()
        .get("last-event-id")
        .and_then(|value| value.to_str().ok())
        .or_else(|| Some(query.get("after")).filter(|known| !known.is_empty()))
        .map_or_else(|| now.clone(), str::to_owned);
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = Listener {
        numbers,
        changes,
        stopping: request
            .app_data::<Stopping>()
            .map(|stopping| stopping.0.clone()),
        heartbeat,
        known,
        now: Some(now),
    };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/event-stream"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Neither we nor a proxy may hold it back to make it smaller.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(stream::unfold(listener, Listener::next)))
}

impl<N: Numbers> Listener<N> {
    /// The next piece of the stream; `None` ends it, and the browser comes back.
    async fn next(mut self) -> Option<(Result<Bytes, actix_web::Error>, Self)> {
        loop {
            if let Some(now) = self.now.take()
                && now != self.known
            {
                let event = format!("id: {now}\ndata: {now}\n\n");
                self.known = now;
                return Some((Ok(event.into()), self));
            }
            let stopping = async {
                match &mut self.stopping {
                    Some(stopping) => {
                        let _ = stopping.wait_for(|stopping| *stopping).await;
                    }
                    None => pending().await,
                }
            };
            tokio::select! {
                () = self.changes.changed() => {
                    self.now = Some(self.numbers.heard(&mut self.changes).await.ok()?);
                }
                _ = self.heartbeat.tick() => {
                    return Some((Ok(Bytes::from_static(b": still here\n\n")), self));
                }
                () = stopping => return None,
            }
        }
    }
}
