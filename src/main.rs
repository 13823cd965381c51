//! The command line. Only here are the clock and the environment read.

use std::io::{self, BufRead as _, BufReader, IsTerminal as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Parser as _;
use perplex::app::Clock;
use perplex::app::accounts::SignUp;
use perplex::cli::{Admin, Bench, Cli, Command, Failure, TalkKey};
use perplex::config::Config;
use perplex::time::Time;
use perplex::{demo, referee, server};
use tokio::signal::unix::{SignalKind, signal};

/// A page or a turn is made of hundreds of small pieces of memory, on several threads at once.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let start = Instant::now();
    let now = || start.elapsed();
    let (stdin, mut stdout) = (io::stdin(), io::stdout());
    let done = match Cli::parse().command.unwrap_or(Command::Serve) {
        Command::Serve => serve(),
        Command::Demo => show(),
        Command::Admin(admin) => look_after(admin),
        Command::TalkKey(TalkKey::Rotate) => rotate_talk_key(),
        Command::Referee => referee::run(stdin.lock(), stdout.lock()).map_err(Failure::Io),
        Command::Perft(perft) => perft.run(&mut stdout, &now),
        Command::Ugi(ugi) => ugi.run(BufReader::new(stdin), stdout.lock(), &now),
        Command::Bench(Bench::Http(http)) => {
            http.run(&mut stdout, clock()).map_err(Failure::Request)
        }
        Command::Bench(Bench::Team(team)) => {
            team.run(&mut stdout, clock()).map_err(Failure::Request)
        }
        Command::Bench(Bench::Bare(bare)) => bare.run().map_err(Failure::Request),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our answers has had enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => {
            eprintln!("perplex: {error}");
            ExitCode::FAILURE
        }
        Err(Failure::Request(why)) => {
            eprintln!("perplex: {why}");
            ExitCode::from(2)
        }
    }
}

/// The time of day. No other code reads it.
fn clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Time(since.map_or(0, |since| {
            i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
        }))
    })
}

fn config() -> Result<Config, Failure> {
    let config = Config::load(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    config.map_err(|error| Failure::Request(error.to_string()))
}

/// Structured logs on standard error, one line each.
fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
}

fn serve() -> Result<(), Failure> {
    let mut config = config()?;
    log();
    let failed = |error: server::ServerError| Failure::Request(error.to_string());
    let listener = server::bind(&mut config).map_err(failed)?;
    // The store blocks while it opens; it is opened and dropped outside the runtime.
    let app = Arc::new(server::open(&config, clock()).map_err(failed)?);
    let served = server::serve(config, Arc::clone(&app), listener, told_to_stop());
    actix_web::rt::System::new()
        .block_on(served)
        .map_err(failed)
}

/// Waits for SIGTERM or Ctrl-C.
async fn told_to_stop() {
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

fn show() -> Result<(), Failure> {
    let mut config = config()?;
    log();
    let failed = |error: server::ServerError| Failure::Request(error.to_string());
    let listener = server::bind(&mut config).map_err(failed)?;
    let app = Arc::new(server::open(&config, clock()).map_err(failed)?);
    actix_web::rt::System::new().block_on(async {
        let demo = demo::fill(&app).await.map_err(Failure::Request)?;
        println!("{}", demo.told);
        let acting = demo.run(Arc::clone(&app));
        let served = server::serve(config, Arc::clone(&app), listener, told_to_stop());
        tokio::select! {
            () = acting => Ok(()),
            served = served => served.map_err(failed),
        }
    })
}

fn look_after(admin: Admin) -> Result<(), Failure> {
    let Admin::Create { name, email } = admin;
    let config = config()?;
    if io::stdin().is_terminal() {
        eprint!("Password: ");
    }
    let mut password = String::new();
    io::stdin().lock().read_line(&mut password)?;
    let form = SignUp {
        password: password.trim_end_matches(['\n', '\r']).to_owned(),
        name,
        email,
        zone: String::new(),
    };
    let app =
        server::open(&config, clock()).map_err(|error| Failure::Request(error.to_string()))?;
    let created = actix_web::rt::System::new().block_on(app.create_host(form.clone()));
    created.map_err(|error| Failure::Request(error.to_string()))?;
    println!(
        "Made the account {}, which may see the host's page.",
        form.name
    );
    Ok(())
}

fn rotate_talk_key() -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Request(error.to_string());
    let config = config()?;
    let app = server::open(&config, clock()).map_err(|error| failed(&error))?;
    let sealed = actix_web::rt::System::new()
        .block_on(app.rotate_talk_key())
        .map_err(|error| failed(&error))?;
    let texts = if sealed == 1 { "text" } else { "texts" };
    println!("The talk of teams has a new key; {sealed} {texts} were encrypted anew.");
    Ok(())
}
