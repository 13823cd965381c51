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
use super::{Answer, Stopping};
use crate::app::live::Heads;
use crate::play::event::MatchId;

/// How often a stream says that it is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The numbers, once: for browsers whose streams do not get through.
pub async fn heads(visit: Visit, id: Path<String>) -> Answer {
    let id = MatchId(id.into_inner());
    let heads = visit.app.heads(visit.viewer.as_ref(), &id).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(write(heads)))
}

/// How numbers are written: `event.talk`.
pub fn write(heads: Heads) -> String {
    format!("{}.{}", heads.event, heads.talk)
}

fn read(text: &str) -> Option<Heads> {
    let (event, talk) = text.split_once('.')?;
    Some(Heads {
        event: event.parse().ok()?,
        talk: talk.parse().ok()?,
    })
}

struct Listener {
    visit: Visit,
    id: MatchId,
    changes: watch::Receiver<Heads>,
    stopping: Option<watch::Receiver<bool>>,
    heartbeat: Interval,
    /// What the page knows.
    known: Heads,
    /// Whether to look before waiting.
    look: bool,
}

/// A stream of the numbers, from those on that the page does not know yet.
pub async fn stream(visit: Visit, id: Path<String>, query: Fields, request: HttpRequest) -> Answer {
    let id = MatchId(id.into_inner());
    // Listening begins before looking: what comes in between is not missed.
    let changes = visit.app.live.listen(&id);
    let now = visit.app.heads(visit.viewer.as_ref(), &id).await?;
    let known = request
        .headers()
        .get("last-event-id")
        .and_then(|value| value.to_str().ok())
        .and_then(read)
        .or_else(|| read(query.get("after")))
        .unwrap_or(now);
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let listener = Listener {
        visit,
        id,
        changes,
        stopping: request
            .app_data::<Stopping>()
            .map(|stopping| stopping.0.clone()),
        heartbeat,
        known,
        look: true,
    };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/event-stream"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Neither we nor a proxy may hold it back to make it smaller.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(stream::unfold(listener, Listener::next)))
}

impl Listener {
    /// The next piece of the stream; `None` ends it, and the browser comes back.
    async fn next(mut self) -> Option<(Result<Bytes, actix_web::Error>, Self)> {
        loop {
            if self.look {
                self.look = false;
                let viewer = self.visit.viewer.as_ref();
                // It is asked for anew each time, since rights may change, too.
                let heads = self.visit.app.heads(viewer, &self.id).await.ok()?;
                if heads != self.known {
                    self.known = heads;
                    let heads = write(heads);
                    let event = format!("id: {heads}\ndata: {heads}\n\n");
                    return Some((Ok(event.into()), self));
                }
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
                changed = self.changes.changed() => {
                    changed.ok()?;
                    self.look = true;
                }
                _ = self.heartbeat.tick() => {
                    return Some((Ok(Bytes::from_static(b": still here\n\n")), self));
                }
                () = stopping => return None,
            }
        }
    }
}
