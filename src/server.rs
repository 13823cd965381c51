//! `perplex serve`: assembles the parts and runs them until it is told to stop.

use std::fs::{self, DirBuilder, DirEntry, Permissions};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::app::computer::{self, Player};
use crate::app::{App, AppError, Clock};
use crate::config::Config;
use crate::files;
use crate::log;
use crate::mail::transport::Transport;
use crate::mail::{Sender, worker};
use crate::secret::{Key, KeyRing};
use crate::store::{self, Store, StoreError};
use crate::web;
use crate::workers;

// What lies in the data folder, beside the database.
const MAIL: &str = "mail";
const KEY: &str = "secret.key";
const TALK_KEYS: &str = "talk.keys";
const TICK: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// With what to do about it.
    #[error("{0}: {1}{2}")]
    File(String, io::Error, String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    App(AppError),
    #[error("the setting {0} is not right: {1}")]
    Setting(&'static str, String),
}

/// Binds the port that pages are served at. With port 0 the system chooses one, which then goes into the settings, so
/// that links lead there.
pub fn bind(config: &mut Config) -> Result<TcpListener, ServerError> {
    let failed = |error| ServerError::Io(format!("cannot listen on {}", config.listen), error);
    let listener = TcpListener::bind(config.listen).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    config.listen = bound;
    Ok(listener)
}

/// Makes the data folder, opens the database, reads or makes the key. Blocks.
pub fn open(config: &Config, clock: Clock) -> Result<App, ServerError> {
    let folder = &config.data;
    make_private(folder).map_err(|error| {
        let what = format!("the data folder {} cannot be used", folder.display());
        ServerError::File(what, error, files::advice(folder))
    })?;
    // Before anything is written: if the database is another program's, nothing was.
    let store = Store::open(&config.database)?;
    let file = folder.join(KEY);
    let key = Key::in_file(&file).map_err(|error| {
        let what = format!("the secret key {} cannot be read or made", file.display());
        ServerError::File(what, error, files::advice(&file))
    })?;
    let mail_folder = config.smtp.is_none().then(|| folder.join(MAIL));
    let keys = folder.join(TALK_KEYS);
    let ring = KeyRing::in_file(&keys).map_err(|error| {
        let what = format!(
            "the keys of the talk in {} cannot be read or made",
            keys.display()
        );
        ServerError::File(what, error, files::advice(&keys))
    })?;
    let (url, site) = (config.origin(), config.site.clone());
    Ok(App::new(store, key, ring, url, mail_folder, site, clock))
}

/// Makes the folder if there is none. Only its owner may look into it, if it holds nothing but what is ours, and if we may
/// say so: it may be another user's, who lets us write there.
fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut holds = fs::read_dir(folder)?.peekable();
    let is_used = holds.peek().is_some();
    let is_ours = |entry: io::Result<DirEntry>| {
        let name = entry.map(|entry| entry.file_name());
        name.is_ok_and(|name| {
            let name = name.to_string_lossy();
            [MAIL, KEY, TALK_KEYS].contains(&&*name) || name.starts_with(store::FILE)
        })
    };
    if is_used && holds.all(is_ours) {
        match fs::set_permissions(folder, Permissions::from_mode(0o700)) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            done => return done,
        }
    }
    if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
        tracing::warn!(
            folder = %folder.display(),
            "others may look into the data folder, and see which files there are"
        );
    }
    Ok(())
}

/// Runs until `stop` is done: pages at `listener`, mail, deadlines. Then finishes what is in progress.
pub async fn serve(
    config: Config,
    app: Arc<App>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    let sender = Sender::new(&app.url, &config.mail_from)
        .map_err(|why| ServerError::Setting("MAIL_FROM", why))?;
    let transport = match (&config.smtp, &app.mail_folder) {
        (Some(smtp), _) => Transport::smtp(smtp, &sender.greeting)
            .map_err(|why| ServerError::Setting("SMTP_URL", why))?,
        (None, folder) => {
            let folder = folder.clone().unwrap_or_else(|| config.data.join(MAIL));
            let what = format!("the folder {} cannot be made", folder.display());
            let advice = files::advice(&folder);
            Transport::files(folder).map_err(|error| ServerError::File(what, error, advice))?
        }
    };
    app.beat().await.map_err(ServerError::App)?;
    app.make_computers().await.map_err(ServerError::App)?;
    tracing::info!(database = %config.database, data = %config.data.display(), "open");
    log::say(&format!("Perplex is at http://{}", config.listen));
    let behind_a_proxy = config.proxies > 0;
    let port = config.listen.port();
    if app.is_only_here() {
        tracing::warn!(
            url = %app.url,
            "the address that pages show leads other devices nowhere: for a class set PERPLEX_LISTEN=0.0.0.0:{port}, and \
             PERPLEX_URL=http://ADDRESS:{port} with the address of this computer in the network"
        );
    } else if config.listen.ip().is_loopback() && !behind_a_proxy {
        tracing::warn!(
            listen = %config.listen, url = %app.url,
            "no other device gets through to this address: set PERPLEX_LISTEN=0.0.0.0:{port}, or PERPLEX_PROXIES=1 if a web \
             server on this computer stands in front"
        );
    }

    let (stopping, stopped) = watch::channel(false);
    let until = |mut stopped: watch::Receiver<bool>| async move {
        let _ = stopped.wait_for(|stop| *stop).await;
    };
    let (transport, sender) = (Arc::new(transport), Arc::new(sender));
    let kept = app.workers();
    let mails = kept.keep("mail", || {
        let (transport, sender) = (Arc::clone(&transport), Arc::clone(&sender));
        worker::run(Arc::clone(&app), transport, sender, until(stopped.clone()))
    });
    let deadlines = kept.keep("deadlines", || {
        tick(Arc::clone(&app), until(stopped.clone()))
    });
    let others = kept.keep(workers::OTHERS, || {
        let (app, until) = (Arc::clone(&app), until(stopped.clone()));
        async move { app.follow(until).await }
    });
    let computers = kept.keep("computer", || {
        Player::new(Arc::clone(&app), computer::BUDGET).run(until(stopped.clone()))
    });
    let pages = async {
        let served = web::serve(Arc::clone(&app), listener, config.proxies, web::HEAD, stop).await;
        let _ = stopping.send(true);
        served
    };
    let (served, ..) = tokio::join!(pages, mails, deadlines, others, computers);
    tracing::info!("stopped");
    served.map_err(|error| ServerError::Io(format!("listening on {}", config.listen), error))
}

async fn tick(app: Arc<App>, stop: impl Future<Output = ()>) {
    let mut stop = std::pin::pin!(stop);
    loop {
        let looked = async {
            app.keep_beating().await?;
            app.tick().await
        };
        if let Err(error) = looked.await {
            tracing::error!(%error, "the deadlines could not be looked at");
        }
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(TICK) => {}
        }
    }
}
