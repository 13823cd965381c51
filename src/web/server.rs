//! The HTTP server.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_service::{ServiceFactoryExt as _, fn_service, map_config};
use actix_web::dev::{AppConfig, Server};
use actix_web::rt::net::TcpStream;
use actix_web::web::Data;
use tokio::sync::watch;

use crate::app::App;
use crate::web::connections::{Connections, Watched};
use crate::web::forwarded::Proxies;
use crate::web::live::Stopping;
use crate::web::page_cache::PageCache;
use crate::web::routes::configure;

/// Seconds that open requests may take once the program is to stop.
const LAST_REQUESTS: u64 = 10;

/// The time for the head of the first request, from its first byte on, unless a test needs it to be shorter.
pub const HEAD: Duration = Duration::from_secs(15);

/// The error of a connection that never sends anything.
const NOTHING_CAME: DispatchError = DispatchError::SlowRequestTimeout;

/// The number of open files and connections that the program requests from the system.
const MOST_OPEN: u64 = 65_536;
/// Number of them that are not connections of visitors: databases, mails, the log.
const OTHER_FILES: u64 = 128;

/// The most connections at once.
fn most_connections() -> usize {
    let open = rlimit::increase_nofile_limit(MOST_OPEN).unwrap_or_else(|error| {
        tracing::warn!(%error, "the limit of open files cannot be raised");
        OTHER_FILES * 2
    });
    usize::try_from(open.saturating_sub(OTHER_FILES)).map_or(usize::MAX, |most| most.max(1))
}

/// The connection, once its first byte has come; an error if none comes, there are too many, or the program is to
/// stop. Browsers open some beforehand, and take an answer sent on them, "408", for that to their next request: so
/// these are closed without an answer.
async fn started(
    stream: TcpStream,
    connections: Arc<Connections>,
    mut stopped: watch::Receiver<bool>,
) -> Result<(Watched, Protocol, Option<SocketAddr>), DispatchError> {
    let visitor = stream.peer_addr()?;
    let open = connections.open(visitor.ip()).ok_or(NOTHING_CAME)?;
    let mut first = [0];
    tokio::select! {
        came = stream.peek(&mut first) => drop(came?),
        () = open.connection.closed() => return Err(NOTHING_CAME),
        _ = stopped.wait_for(|stop| *stop) => return Err(NOTHING_CAME),
    }
    Ok((Watched { stream, open }, Protocol::Http1, Some(visitor)))
}

/// Answers requests that come in at `listener` until `stop` is done; then it finishes the open ones and ends open
/// streams. `proxies` is the number of proxies before the program, `head` the time for the head of a first request.
///
/// # Errors
/// The listener cannot be used.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    proxies: usize,
    head: Duration,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stopping, stopped) = watch::channel(false);
    let data = Data::from(app);
    let kept = Data::new(PageCache::default());
    let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let most = most_connections();
    // The last ones are accepted to make room: idle ones are closed then.
    let connections = Connections::new(most - most / 10, proxies > 0);
    let watching = actix_web::rt::spawn({
        let (app, connections) = (Data::clone(&data), Arc::clone(&connections));
        async move {
            let watch = || Arc::clone(&connections).watch();
            app.workers().keep("connections", watch).await;
        }
    });
    let server = Server::build()
        .workers(workers)
        .max_concurrent_connections((most / workers).max(1))
        .disable_signals()
        .shutdown_timeout(LAST_REQUESTS);
    let ending = server.graceful_shutdown_signal();
    let server = server.listen("pages", listener, move || {
        let site = actix_web::App::new()
            .app_data(data.clone())
            .app_data(kept.clone())
            .app_data(Stopping(stopped.clone()))
            .app_data(Proxies(proxies))
            .configure(configure);
        let (ending, stopped) = (ending.clone(), stopped.clone());
        let requests = HttpService::build()
            .graceful_shutdown_signal(move || {
                let ending = ending.clone();
                async move { ending.notified().await }
            })
            .client_request_timeout(head)
            .on_connect_ext(|connection: &Watched, data| {
                data.insert(Arc::clone(&connection.open.connection));
            })
            .finish(map_config(site, |()| AppConfig::default()));
        let connections = Arc::clone(&connections);
        fn_service(move |stream| started(stream, Arc::clone(&connections), stopped.clone()))
            .and_then(requests)
    })?;
    let server = server.run();
    let handle = server.handle();
    let mut server = actix_web::rt::spawn(server);
    tokio::select! {
        () = stop => {}
        // It ends by itself only if it can go on no longer: so does the program, for what watches over it.
        ended = &mut server => {
            let _ = stopping.send(true);
            ended.map_err(io::Error::other)??;
            return Err(io::Error::other("ended"));
        }
    }
    // An open stream is an open request, too: it is told to end.
    let _ = stopping.send(true);
    handle.stop(true).await;
    watching.abort();
    server.await.map_err(io::Error::other)?
}
