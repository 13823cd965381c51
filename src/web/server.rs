//! The HTTP server.

use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpServer;
use actix_web::web::Data;
use tokio::sync::watch;

use crate::app::App;
use crate::web::live::Stopping;
use crate::web::page_cache::PageCache;
use crate::web::request::Proxies;
use crate::web::routes::configure;

/// How long requests in hand may take once the program is to stop, in seconds.
const LAST_REQUESTS: u64 = 10;

/// How long a connection may be open before its first request has come. Browsers open some beforehand, and take what
/// is said on them after that time, "408", for the answer to what they ask next: a script of the page was missing
/// then. They close what they do not use within less than this.
const FIRST_REQUEST: Duration = Duration::from_mins(10);

/// Answers requests that come in at `listener` until `stop` is done; then those in hand are
/// finished and open streams end. `proxies` stand before the program.
///
/// # Errors
/// The listener cannot be used.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    proxies: usize,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stopping, stopped) = watch::channel(false);
    let data = Data::from(app);
    let kept = Data::new(PageCache::default());
    let server = HttpServer::new(move || {
        actix_web::App::new()
            .app_data(data.clone())
            .app_data(kept.clone())
            .app_data(Stopping(stopped.clone()))
            .app_data(Proxies(proxies))
            .configure(configure)
    })
    .listen(listener)?
    .disable_signals()
    .shutdown_timeout(LAST_REQUESTS)
    .client_request_timeout(FIRST_REQUEST)
    .run();
    let handle = server.handle();
    let server = actix_web::rt::spawn(server);
    stop.await;
    // An open stream is a request in hand, too: it is told to end.
    let _ = stopping.send(true);
    handle.stop(true).await;
    server.await.map_err(io::Error::other)?
}
