//! PostgreSQL: connections in Rust throughout, TLS included, and the threads that drive them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::{RunQueryDsl as _, sql_query};
use diesel_async::AsyncPgConnection;
use futures_util::{StreamExt as _, stream};
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::changes::{CHANNEL, Change};
use super::{Conn, PgConn, StoreError, TableName, are_ours, chain, letters};

const CONNECT: Duration = Duration::from_secs(10);
/// The silence after which the other end is asked if it is still there.
const KEEPALIVE: Duration = Duration::from_mins(1);
/// The time between two checks that the listening connection is still alive.
const ASK_EVERY: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(500);
const LISTENER: &str = "perplex listener";
/// The lock that a migrating process holds: any number that no other program uses.
const MIGRATING: i64 = 0x7065_7270_6c65_7801;

/// The threads on which the connections live, apart from those that serve pages.
pub(super) struct Driver(Option<Runtime>);

impl Driver {
    pub fn start() -> Result<Self, StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| StoreError::Unreachable(error.to_string()))?;
        Ok(Self(Some(runtime)))
    }
}

impl Driver {
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.0 {
            runtime.spawn(task);
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // Waiting for the threads is not allowed in asynchronous code, where this may happen.
            runtime.shutdown_background();
        }
    }
}

#[derive(Clone)]
pub(super) struct Maker {
    config: Box<Config>,
    tls: MakeRustlsConnect,
    runtime: Handle,
}

impl Maker {
    pub fn new(mut config: Box<Config>, driver: &Driver) -> Result<Self, StoreError> {
        let runtime = driver
            .0
            .as_ref()
            .ok_or(StoreError::Stopped)?
            .handle()
            .clone();
        config.keepalives_idle(KEEPALIVE);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("perplex");
        }
        Ok(Self {
            config,
            tls: tls()?,
            runtime,
        })
    }

    /// Makes a connection. Must not be called in asynchronous code.
    /// The flag is set once it is closed.
    pub fn connect(&self) -> Result<(Conn, Arc<AtomicBool>), StoreError> {
        let closed = Arc::new(AtomicBool::new(false));
        let conn = self.runtime.block_on(self.drive(Arc::clone(&closed)))?;
        // The wrapper waits for its answers on the runtime in which it is made.
        let _inside = self.runtime.enter();
        Ok((Conn::Postgres(PgConn::from(conn)), closed))
    }

    async fn attend(&self, changes: &mpsc::Sender<Change>) -> Result<(), String> {
        let mut config = self.config.clone();
        config.application_name(LISTENER);
        let failed = |error: tokio_postgres::Error| chain(&error);
        let (client, mut connection) = config.connect(self.tls.clone()).await.map_err(failed)?;
        let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
        let hear = async {
            while let Some(message) = messages.next().await {
                if let AsyncMessage::Notification(told) = message.map_err(failed)? {
                    let Ok(change) = told.payload().parse();
                    let _ = changes.send(change).await;
                }
            }
            Err("it was closed".to_owned())
        };
        let ask = async {
            let listen = format!("LISTEN {CHANNEL}");
            client.batch_execute(&listen).await.map_err(failed)?;
            // Changes announced before were not heard.
            let _ = changes.send(Change::Missed).await;
            loop {
                tokio::select! {
                    () = changes.closed() => return Ok(()),
                    () = sleep(ASK_EVERY) => {}
                }
                // A connection that hears nothing may be dead.
                let asked = timeout(CONNECT, client.batch_execute("")).await;
                asked.map_err(|_| "it does not answer")?.map_err(failed)?;
            }
        };
        tokio::select! { ended = hear => ended, ended = ask => ended }
    }

    async fn drive(&self, closed: Arc<AtomicBool>) -> Result<AsyncPgConnection, StoreError> {
        let (client, connection) = self
            .config
            .connect(self.tls.clone())
            .await
            .map_err(|error| StoreError::Unreachable(hint(chain(&error))))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(error = chain(&error), "lost a connection to the database");
            }
            closed.store(true, Ordering::Relaxed);
        });
        AsyncPgConnection::try_from(client)
            .await
            .map_err(|error| StoreError::Unreachable(error.to_string()))
    }
}

/// Listens to announced changes while there is a receiver; over one connection after the other, if they break.
pub(super) async fn hear(maker: Maker, changes: mpsc::Sender<Change>) {
    while !changes.is_closed() {
        if let Err(error) = maker.attend(&changes).await {
            tracing::warn!(error, "other processes are not heard; trying again");
            sleep(PAUSE).await;
        }
    }
}

/// Brings the tables up to date; of several processes that start at once, one after the other does so.
pub(super) fn migrate(maker: &Maker) -> Result<(), StoreError> {
    let mut conn = maker.connect()?.0;
    if let Conn::Postgres(c) = &mut conn {
        c.batch_execute(&format!("SELECT pg_advisory_lock({MIGRATING})"))?;
        let tables: Vec<TableName> = sql_query(
            "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()",
        )
        .load(c)?;
        if !tables.is_empty() && !are_ours(tables.iter().map(|table| &*table.name)) {
            return Err(StoreError::Foreign(
                "the database holds another program's tables".to_owned(),
            ));
        }
        super::migrate(c)?;
    }
    letters::bring_up_to_date(&mut conn)?;
    if let Conn::Postgres(c) = &mut conn {
        c.batch_execute(&format!("SELECT pg_advisory_unlock({MIGRATING})"))?;
    }
    Ok(())
}

/// The TLS settings: certificates must be signed by an authority that browsers trust.
fn tls() -> Result<MakeRustlsConnect, StoreError> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Unreachable(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn hint(why: String) -> String {
    if why.contains("certificate") {
        why + " (for a server on this machine, add ?sslmode=disable to the address)"
    } else {
        why
    }
}
