#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser as _;
use perplex::app::AppError;
use perplex::app::accounts::SignUp;
use perplex::cli::{Account, Admin, Cli, Command, Failure, Mail, NewAccount, SecretKey, TalkKey};
use perplex::preview::{self, Preview};
use perplex::process::{clock, close, config, serve, told_to_stop};
use perplex::texts::refusal;
use perplex::{demo, log, server};
use perplex_games::referee;

/// A page or a turn is made of hundreds of small allocations, on several threads at once.
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
        Command::Account(Account::Create(new)) => make_account(new, false),
        Command::TalkKey(TalkKey::Rotate) => rotate_talk_key(),
        Command::SecretKey(SecretKey::Rotate { revoke }) => rotate_secret_key(revoke),
        Command::Mail(Mail::Preview { folder }) => preview_mail(&folder),
        Command::Referee => referee::run(stdin.lock(), stdout.lock()).map_err(Failure::Io),
        Command::Cards => referee::list_cards(stdout.lock()).map_err(Failure::Io),
        Command::Perft(perft) => perft.run(&mut stdout, &now),
        Command::Ugi(ugi) => ugi.run(BufReader::new(stdin), stdout.lock(), &now),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output has closed it.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => {
            complain(&error);
            ExitCode::FAILURE
        }
        Err(Failure::Request(why)) => {
            complain(&why);
            ExitCode::from(2)
        }
    }
}

/// Says why it failed, if anyone is there to hear.
fn complain(why: &dyn Display) {
    let _ = writeln!(io::stderr(), "perplex: {why}");
}

fn show() -> Result<(), Failure> {
    let mut config = config()?;
    let _log = log::begin()?;
    let failed = |error: server::ServerError| Failure::Request(error.to_string());
    let listener = server::bind(&mut config).map_err(failed)?;
    let app = Arc::new(server::open(&config, clock()).map_err(failed)?);
    let ended = actix_web::rt::System::new().block_on(async {
        let demo = demo::fill(&app).await.map_err(Failure::Request)?;
        log::say(&demo.told);
        let acting = demo.run(Arc::clone(&app));
        let served = server::serve(config, Arc::clone(&app), listener, told_to_stop());
        tokio::select! {
            () = acting => Ok(()),
            served = served => served.map_err(failed),
        }
    });
    close(app);
    ended
}

fn preview_mail(folder: &Path) -> Result<(), Failure> {
    preview::make_folder(folder)?;
    let mut preview = Preview::new(clock().now())?;
    actix_web::rt::System::new().block_on(preview.fill())?;
    let count = preview.write_to(folder)?;
    let index = folder.join("index.html");
    writeln!(
        io::stdout(),
        "Wrote {count} mails; {} lists them.",
        index.display()
    )?;
    Ok(())
}

fn look_after(admin: Admin) -> Result<(), Failure> {
    match admin {
        Admin::Create(new) => make_account(new, true),
        Admin::SecondFactorOff { name } => switch_second_factor_off(&name),
    }
}

fn refused(error: AppError) -> Failure {
    Failure::Request(refusal::error(&error))
}

fn switch_second_factor_off(name: &str) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Request(error.to_string());
    let config = config()?;
    let app = server::open(&config, clock()).map_err(|error| failed(&error))?;
    let was_on = actix_web::rt::System::new()
        .block_on(app.remove_second_factor_by_name(name))
        .map_err(refused)?;
    if was_on {
        writeln!(
            io::stdout(),
            "The second factor of {name} is off; a mail tells the owner."
        )?;
    } else {
        writeln!(io::stdout(), "{name} has no second factor.")?;
    }
    Ok(())
}

fn make_account(new: NewAccount, is_admin: bool) -> Result<(), Failure> {
    let NewAccount { name, email } = new;
    let config = config()?;
    if io::stdin().is_terminal() {
        write!(io::stderr(), "Password: ")?;
    }
    let mut password = String::new();
    io::stdin().lock().read_line(&mut password)?;
    let form = SignUp {
        password: password.trim_end_matches(['\n', '\r']).to_owned(),
        name,
        email,
        ..SignUp::default()
    };
    let app =
        server::open(&config, clock()).map_err(|error| Failure::Request(error.to_string()))?;
    let created = actix_web::rt::System::new().block_on(app.create_account(form.clone(), is_admin));
    created.map_err(refused)?;
    let which = if is_admin {
        ", which may see the admin page"
    } else {
        ""
    };
    writeln!(io::stdout(), "Made the account {}{which}.", form.name)?;
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
    writeln!(
        io::stdout(),
        "The talk of teams has a new key; {sealed} {texts} were encrypted anew."
    )?;
    Ok(())
}

fn rotate_secret_key(revoke: bool) -> Result<(), Failure> {
    let app = server::open(&config()?, clock());
    let app = app.map_err(|error| Failure::Request(error.to_string()))?;
    app.key.rotate(revoke)?;
    let signed = if revoke {
        "is good no longer: everybody signs in again, and pupils' cards have to be printed anew"
    } else {
        "stays good"
    };
    writeln!(
        io::stdout(),
        "There is a new secret key. What was signed before {signed}."
    )?;
    Ok(())
}
