//! The command line: what may be said, and the commands that need neither database nor network.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use perplex_games::game::{self, AnyGame};
use perplex_games::registry::{self, Entry, GAMES};
use perplex_games::ugi;

/// Perplexichess for whole teams, and five unusual board games by correspondence.
///
/// Without a command it serves, as `perplex serve` does.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
pub struct Cli {
    /// The command; without one it serves.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const REFEREE_HELP: &str = r#"A question, and its answer:
  {"game":"quixo","turns":["c1-a1"],"want":["perft:2"]}
  {"ok":true,"to_move":"second","result":null,"reason":null,"perft":[42,1752]}
Wanted may be any of legal, perft:DEPTH, position and turns. A line may also give
the variant of a game and, for flexichess, "fen" and "rules" to start from."#;

/// The commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run Perplex: its pages, its mail and its deadlines
    ///
    /// Nothing has to be set. It makes its data folder, its SQLite database and its secret key,
    /// listens on 127.0.0.1:8080 and prints the address. SIGTERM or Ctrl-C finishes the requests
    /// in hand and ends it.
    #[command(after_help = SETTINGS)]
    Serve,
    /// Show Perplex with a class at play: fills an empty database, then serves it
    ///
    /// Makes a teacher, a class of pupils, a lesson on five boards in which scripted pupils act by themselves, a lesson
    /// that is over, and correspondence matches of every kind; prints who can sign in, and how. A database that holds
    /// anything is left alone. The settings are those of `perplex serve`.
    #[command(after_help = SETTINGS)]
    Demo,
    /// Look after the accounts of admins
    #[command(subcommand)]
    Admin(Admin),
    /// Look after the accounts of others
    #[command(subcommand)]
    Account(Account),
    /// Look after the keys with which the talk of teams and the phrases of pupils are encrypted
    #[command(subcommand)]
    TalkKey(TalkKey),
    /// Look after the key with which links, pupils' cards and cookies are signed
    #[command(subcommand)]
    SecretKey(SecretKey),
    /// Look at the mails that are sent
    #[command(subcommand)]
    Mail(Mail),
    /// Answer questions about the rules: one JSON object a line in, one a line out
    ///
    /// A bad line gets an error as its answer; the referee goes on until the end of input.
    #[command(after_long_help = REFEREE_HELP)]
    Referee,
    /// List the rule cards, one JSON object a line
    ///
    /// A card is a change of the rules with a name: `card lazy-rook` is read wherever a turn of Flexichess or
    /// Perplexichess is written. The rule is the kind's new movement in Betza's notation, or = and the kinds to which
    /// pawns promote.
    Cards,
    /// Count the sequences of legal turns, depth by depth, on one thread
    ///
    /// Prints a line for each depth: depth, count, seconds, counts per second, separated by tabs.
    Perft(Perft),
    /// Play as an engine: the Universal Game Interface on standard input and output
    ///
    /// Understands ugi, isready, setoption, uginewgame, position, go (movetime, depth, nodes,
    /// p1time …, infinite, perft DEPTH), query, stop and quit; a chess program may say uci as well.
    Ugi(Ugi),
}

/// The text below the help of `serve`.
const SETTINGS: &str = "\
Settings, from the environment or, with the names in brackets, from a TOML file:
  PERPLEX_CONFIG   the TOML file
  PERPLEX_DATA     [data] the data folder; ./data
  PERPLEX_LISTEN   [listen] address and port; 127.0.0.1:8080
  PERPLEX_URL      [url] what links and QR codes start with, such as https://perplex.example.org
  PERPLEX_PROXIES  [proxies] how many proxies stand in front and add to X-Forwarded-For; 0
  PERPLEX_SIGN_UP  [sign_up] who makes accounts: open (all visitors), invite (those whom an
                   admin gives a link), closed (admins, by `perplex account create`); open
  PERPLEX_CONTACT  [contact] an address of mail or of the web, for the page about privacy
  PERPLEX_SOURCE   [source] where the source of this version is had, if it was changed
  DATABASE_URL     [database_url] sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME;
                   perplex.sqlite in the data folder
  SMTP_URL         [smtp_url] smtp://USER:PASSWORD@HOST:PORT?tls=required or smtps://…;
                   without it mails are written as files into the data folder
  MAIL_FROM        [mail_from] the sender, such as Perplex <perplex@example.org>
  MAIL_PAUSE       [mail_pause] minutes that a mail about a match waits for a reader who is on the site: 5
  RUST_LOG         what is logged: error, warn, info (the default), debug";

/// Looking after the accounts of admins.
#[derive(Debug, Subcommand)]
pub enum Admin {
    /// Make an account that may see the admin page; its address counts as confirmed
    ///
    /// The password is read from the first line of standard input. The settings are those of
    /// `perplex serve`.
    #[command(after_help = SETTINGS)]
    Create(NewAccount),
    /// Switch the second factor of an account off, whose owner has lost device and recovery codes
    ///
    /// A mail tells the owner. The settings are those of `perplex serve`.
    #[command(after_help = SETTINGS)]
    SecondFactorOff {
        /// The name of the account
        #[arg(long)]
        name: String,
    },
}

/// Looking after the accounts of those who are no admins.
#[derive(Debug, Subcommand)]
pub enum Account {
    /// Make an account, also where visitors cannot; its address counts as confirmed
    ///
    /// The password is read from the first line of standard input. The settings are those of
    /// `perplex serve`.
    #[command(after_help = SETTINGS)]
    Create(NewAccount),
}

/// Whose account is made.
#[derive(Debug, Args)]
pub struct NewAccount {
    /// The name that others see
    #[arg(long)]
    pub name: String,
    /// Where mail goes
    #[arg(long)]
    pub email: String,
}

/// Looking after the keys that seal.
#[derive(Debug, Subcommand)]
pub enum TalkKey {
    /// Make a new key, encrypt everything anew with it, and forget keys that nothing needs any more
    ///
    /// Messages of teams and pass phrases of pupils are sealed; the keys are in talk.keys in the data folder. A program that is running goes on with the new key. The
    /// settings are those of `perplex serve`.
    #[command(after_help = SETTINGS)]
    Rotate,
}

/// Looking after the key that signs.
#[derive(Debug, Subcommand)]
pub enum SecretKey {
    /// Sign with a new key from now on
    ///
    /// The keys are in secret.key in the data folder. What the old one signed stays good: sign-ins, links in mails,
    /// invitations, pupils' cards. A program that is running goes on with the new key within a minute. The settings are those
    /// of `perplex serve`.
    #[command(after_help = SETTINGS)]
    Rotate {
        /// What was signed before is good no longer: after somebody else has seen the key
        ///
        /// Everybody signs in again, pupils' cards have to be printed anew, links in mails and invitations to matches end. Recovery
        /// codes, and the wish of a stranger to get no invitations, stay.
        #[arg(long)]
        revoke: bool,
    },
}

/// Looking at mails.
#[derive(Debug, Subcommand)]
pub enum Mail {
    /// Write a mail of every kind into a folder, to look at in a browser: open its index.html
    ///
    /// Each mail stands there as it is sent (.eml), and as HTML with its boards as PNG beside it. Nothing has to be set, and
    /// nothing is sent: the mails tell of matches that are played for them in a database that is thrown away.
    Preview {
        /// The folder: a new one, or an empty one
        folder: PathBuf,
    },
}

/// The game, and the position to start from.
#[derive(Debug, Args)]
pub struct Perft {
    /// The game
    #[arg(value_parser = game)]
    pub game: &'static Entry,
    /// How many turns deep
    pub depth: u32,
    /// A variant of the game, such as `four` or `small`
    #[arg(long, default_value = "", hide_default_value = true)]
    pub variant: String,
    /// Turns to play first, separated by spaces: "c1-a1 e5-a5"
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub turns: String,
    /// The position to start from, as `position` of the referee writes it
    #[arg(long)]
    pub fen: Option<String>,
    /// Rules in force from the start, in games whose rules change: N=NW,B=-
    #[arg(long, value_delimiter = ',', value_parser = rule, value_name = "KIND=MOVEMENT")]
    pub rules: Vec<(String, String)>,
}

/// The game to play.
#[derive(Debug, Args)]
pub struct Ugi {
    /// The game
    #[arg(value_parser = game)]
    pub game: &'static Entry,
    /// A variant of the game, such as `four` or `small`
    #[arg(long, default_value = "", hide_default_value = true)]
    pub variant: String,
}

fn game(key: &str) -> Result<&'static Entry, String> {
    registry::find(key).ok_or_else(|| {
        let known: Vec<&str> = GAMES.iter().map(|entry| entry.card.key).collect();
        format!("it is one of {}", known.join(", "))
    })
}

fn rule(text: &str) -> Result<(String, String), String> {
    let (kind, movement) = text
        .split_once('=')
        .ok_or("a rule is written KIND=MOVEMENT, such as N=NW")?;
    Ok((kind.to_owned(), movement.to_owned()))
}

fn setup(entry: &'static Entry, variant: &str) -> Result<Box<dyn AnyGame>, String> {
    entry.setup(variant).ok_or_else(|| {
        let known: Vec<&str> = entry.card.variants.iter().map(|v| v.key).collect();
        let name = entry.card.name;
        match known.as_slice() {
            [""] => format!("{name} has no variants"),
            _ => format!(
                "{name} has no variant \"{variant}\": it is one of \"{}\"",
                known.join("\", \"")
            ),
        }
    })
}

impl Perft {
    /// The game to count from.
    fn start(&self) -> Result<Box<dyn AnyGame>, String> {
        let mut game = setup(self.game, &self.variant)?;
        if self.fen.is_some() || !self.rules.is_empty() {
            let position = self.fen.clone().unwrap_or_else(|| game.position());
            game = self
                .game
                .from_position_with(&self.variant, &position, &self.rules)
                .map_err(|error| error.to_string())?;
        }
        game::play_all(game.as_mut(), &self.turns, |game, turn| {
            game.play(turn).map(drop)
        })
        .map_err(|(number, error)| format!("turn {number}: {error}"))?;
        Ok(game)
    }

    /// Counts, and prints a line for each depth.
    ///
    /// # Errors
    /// The position that was asked for does not exist, or writing failed.
    pub fn run(&self, output: &mut dyn Write, now: &dyn Fn() -> Duration) -> Result<(), Failure> {
        let game = self.start()?;
        for depth in 1..=self.depth {
            let start = now();
            let count = game.perft(depth);
            let time = now().saturating_sub(start);
            let rate = u128::from(count) * 1_000_000_000 / time.as_nanos().max(1);
            writeln!(
                output,
                "{depth}\t{count}\t{:.6}\t{rate}",
                time.as_secs_f64()
            )?;
            output.flush()?;
        }
        Ok(())
    }
}

impl Ugi {
    /// Talks until `quit` or the end of input.
    ///
    /// # Errors
    /// There is no such variant, or writing failed.
    pub fn run(
        &self,
        input: impl io::BufRead + Send + 'static,
        output: impl Write,
        now: &dyn Fn() -> Duration,
    ) -> Result<(), Failure> {
        setup(self.game, &self.variant)?;
        Ok(ugi::run(self.game, &self.variant, input, output, now)?)
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The request makes no sense; the sentence says what would.
    Request(String),
    /// Reading or writing failed.
    Io(io::Error),
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::Request(text)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
