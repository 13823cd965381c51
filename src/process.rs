//! The process around the code: the clock, the environment, signals. No other module reads them.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use perplex_matches::time::Time;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::Clock;
use crate::cli::Failure;
use crate::config::Config;
use crate::log;
use crate::server;

pub fn clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Time(since.map_or(0, |since| {
            i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
        }))
    })
}

pub fn config() -> Result<Config, Failure> {
    let config = Config::load(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    config.map_err(|error| Failure::Request(error.to_string()))
}

pub fn serve() -> Result<(), Failure> {
    let mut config = config()?;
    let _log = log::begin()?;
    let failed = |error: server::ServerError| Failure::Request(error.to_string());
    let listener = server::bind(&mut config).map_err(failed)?;
    // The store blocks while it opens; it is opened and dropped outside the runtime.
    let app = Arc::new(server::open(&config, clock()).map_err(failed)?);
    let served = server::serve(config, Arc::clone(&app), listener, told_to_stop());
    actix_web::rt::System::new()
        .block_on(served)
        .map_err(failed)
}

pub async fn told_to_stop() {
    let (Ok(mut term), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        tracing::error!("signals cannot be received; stop the program by killing it");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = interrupt.recv() => {}
    }
}
