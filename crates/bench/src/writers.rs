//! `perplex-bench writers`: turns a second on one PostgreSQL by so many players at once, beside bare commits by as many
//! in the same run, and for what the database's connections wait meanwhile.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use perplex::app::{App, Clock, Viewer};
use perplex::store::{Conn, StoreError, journal};
use perplex_matches::correspondence::Command;
use tokio::task::JoinSet;

use crate::http::{Folder, Pair, Sample, Seeded, endless, micros, seed, told};

/// Players at once.
const WRITERS: [usize; 3] = [1, 8, 32];
/// Turns made in one match.
const TURNS: usize = 60;
/// More matches are made, as for so many more players: one alone is quick.
const SPARE: usize = 16;
/// The time between two looks at what connections wait for.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// The options of the measurement.
#[derive(Debug, Args)]
pub struct Writers {
    /// The address of an empty PostgreSQL database: `postgres://name@host/database`
    #[arg(long)]
    pub database: String,
    /// Seconds for each measurement
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub seconds: u32,
}

#[derive(QueryableByName)]
struct Waits {
    #[diesel(sql_type = Text)]
    what: String,
    #[diesel(sql_type = BigInt)]
    connections: i64,
}

/// What the connections of this database wait for now.
fn waits(conn: &mut Conn) -> Result<Vec<Waits>, StoreError> {
    let statement = "SELECT coalesce(wait_event_type || ' ' || wait_event, 'nothing') AS what, count(*) AS connections \
                     FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' \
                     AND pid <> pg_backend_pid() GROUP BY 1";
    match conn {
        Conn::Postgres(c) => Ok(sql_query(statement).load(c)?),
        Conn::Sqlite(_) => Ok(Vec::new()),
    }
}

/// Counts what connections wait for, until `done`.
async fn look(app: Arc<App>, done: Arc<AtomicBool>) -> Result<BTreeMap<String, i64>, String> {
    let mut seen = BTreeMap::new();
    while !done.load(Ordering::Relaxed) {
        let now = app.store.look_up(waits).await.map_err(told("the waits"))?;
        for Waits { what, connections } in now {
            *seen.entry(what).or_default() += connections;
        }
        tokio::time::sleep(SAMPLE_INTERVAL).await;
    }
    Ok(seen)
}

/// Plays both sides of matches of its own for this time, or until there are no more of them.
async fn plays(
    app: Arc<App>,
    people: Arc<Vec<Viewer>>,
    pairs: Vec<Pair>,
    turns: Arc<Vec<String>>,
    time: Duration,
) -> Result<Vec<u32>, String> {
    let start = Instant::now();
    let mut all = Vec::new();
    for pair in &pairs {
        for (ply, turn) in turns.iter().enumerate() {
            if start.elapsed() > time {
                return Ok(all);
            }
            let play = Command::Play {
                ply,
                turn: turn.clone(),
                offer: false,
            };
            let sent = Instant::now();
            let who = &people[pair.players[ply % 2]];
            let made = app.act(who, &pair.id, None, play, "").await;
            made.map_err(told("a turn"))?;
            all.push(micros(sent));
        }
    }
    Err("there were too few matches for this time".to_owned())
}

/// Commits a change of one row over and over.
async fn commits(app: Arc<App>, pair: Pair, time: Duration) -> Result<Vec<u32>, String> {
    let start = Instant::now();
    let mut all = Vec::new();
    while start.elapsed() < time {
        let (sent, id) = (Instant::now(), pair.id.clone());
        let held = app.store.write(move |conn| journal::hold(conn, &id, 3));
        held.await
            .map_err(|error: StoreError| format!("a commit: {error}"))?;
        all.push(micros(sent));
    }
    Ok(all)
}

async fn gather(mut running: JoinSet<Result<Vec<u32>, String>>) -> Result<Sample, String> {
    let start = Instant::now();
    let mut sample = Sample::default();
    while let Some(done) = running.join_next().await {
        sample.micros.extend(done.map_err(told("a player"))??);
    }
    sample.time = start.elapsed();
    Ok(sample)
}

impl Writers {
    /// Measures, and prints a table.
    ///
    /// # Errors
    /// The step that failed.
    pub fn run(&self, output: &mut dyn Write, clock: Clock) -> Result<(), String> {
        let database = Some(self.database.as_str());
        let (_folder, runtime, app) = Folder::open(&std::env::temp_dir(), database, clock)?;
        runtime.block_on(self.measure(output, &Arc::new(app)))
    }

    async fn measure(&self, output: &mut dyn Write, app: &Arc<App>) -> Result<(), String> {
        let time = Duration::from_secs(self.seconds.into());
        let turns = Arc::new(endless(TURNS)?);
        for writers in WRITERS {
            let Seeded { people, pairs, .. } = seed(app, writers + SPARE, &[]).await?;
            let people = Arc::new(people);
            let each = pairs.len() / writers;
            let mut pairs = pairs.into_iter();
            let mut limit = JoinSet::new();
            for pair in pairs.by_ref().take(writers) {
                limit.spawn(commits(Arc::clone(app), pair, time));
            }
            let mut limit = gather(limit).await?;
            let done = Arc::new(AtomicBool::new(false));
            let looking = tokio::spawn(look(Arc::clone(app), Arc::clone(&done)));
            let mut players = JoinSet::new();
            for _ in 0..writers {
                let own: Vec<Pair> = pairs.by_ref().take(each - 1).collect();
                let (app, people, turns) =
                    (Arc::clone(app), Arc::clone(&people), Arc::clone(&turns));
                players.spawn(plays(app, people, own, turns, time));
            }
            let made = gather(players).await;
            done.store(true, Ordering::Relaxed);
            let mut made = made?;
            made.row(output, &format!("turns, {writers} at once"), "turns/s")?;
            limit.row(output, "  bare commits of one row", "commits/s")?;
            let mut seen: Vec<(String, i64)> = looking
                .await
                .map_err(told("the waits"))??
                .into_iter()
                .collect();
            seen.sort_by_key(|(_, count)| -count);
            let all: i64 = seen.iter().map(|(_, count)| count).sum();
            let told_of: Vec<String> = seen
                .iter()
                .take(4)
                .map(|(what, count)| format!("{what} {} %", count * 100 / all.max(1)))
                .collect();
            writeln!(output, "  connections wait for: {}", told_of.join(", "))
                .map_err(told("the table"))?;
        }
        Ok(())
    }
}
