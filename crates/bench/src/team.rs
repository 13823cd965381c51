//! `perplex-bench team`: the delay until an event of a team match is on all its live pages, the open streams that one
//! process bears, and the time for the page of seven boards.
//!
//! It starts the program on a folder of its own and visits it over the network of this machine; the program and its
//! visitors share the processors. A delay begins when a turn is sent, so that it includes deciding and committing; the
//! limit beside it is the time for as many answers of the same size from a bare handler.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::client::Client;
use crate::http::{
    Folder, PASSWORD, Running, Sample, account, in_turn, make_turn, micros, pages, told,
};
use perplex::app::team::TeamAccess;
use perplex::app::{App, Clock};
use perplex_games::perplexichess::{Boards, Line, Size};
use perplex_games::rules::Side;
use perplex_matches::id::MatchId;
use perplex_matches::team::event::{Duty, MemberId, Terms};
use perplex_matches::team::{Command, Match};

/// The number of people in the class.
const CLASS: usize = 40;
/// The number of matches that an account may make at once, with something to spare.
const MADE_EACH: usize = 40;

/// The options of the measurement.
#[derive(Debug, Args)]
pub struct Team {
    /// Turns made while the class watches
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(10..=500))]
    pub turns: u16,
    /// Streams open at once
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u16).range(40..=4_000))]
    pub streams: u16,
    /// Seconds in which each of them gets an event a second
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub seconds: u16,
}

/// Turns of White and Black in a match, in the order in which they can be made: the board, its version before,
/// the turn.
struct Script(Vec<(u8, u32, Side, String)>);

impl Script {
    /// Turns on the boards in turn that end none of them.
    fn new(size: Size, turns: usize) -> Result<Self, String> {
        let mut boards = Boards::new(size);
        let mut script = Vec::new();
        while script.len() < turns {
            let before = script.len();
            for number in boards.numbers() {
                let Some(board) = boards.board(number) else {
                    continue;
                };
                let legal = board.legal();
                let next = in_turn(&legal, script.len()).find_map(|turn| {
                    let mut after = boards.clone();
                    after.take(&Line::Turn(number, turn.clone()));
                    let open = after.board(number)?.outcome().is_none();
                    open.then(|| (turn.to_string(), after))
                });
                if let (Some((turn, after)), Some(side)) = (next, board.to_move()) {
                    script.push((number.0, board.version(), side, turn));
                    boards = after;
                }
            }
            if script.len() == before {
                return Err("the boards cannot be kept going".to_owned());
            }
        }
        script.truncate(turns);
        Ok(Self(script))
    }
}

/// A match of `host` that has begun, with these members.
pub(crate) async fn begin(
    app: &App,
    host: &TeamAccess,
    people: &[TeamAccess],
    size: Size,
) -> Result<MatchId, String> {
    let terms = Terms {
        listed: true,
        ..Terms::of(size)
    };
    let account = host.account.as_ref().ok_or("not signed in")?;
    let id = app
        .create_team(account, "Bench", terms)
        .await
        .map_err(told("a match"))?;
    for (number, person) in people.iter().enumerate() {
        let side = if number % 2 == 0 {
            Side::First
        } else {
            Side::Second
        };
        let join = Command::Join(MemberId(0), Some(side));
        app.act_in_team(person, &id, join)
            .await
            .map_err(told("a member"))?;
    }
    for command in [Command::Deal, Command::Start { short: true }] {
        app.act_in_team(host, &id, command)
            .await
            .map_err(told("a match"))?;
    }
    Ok(id)
}

/// Listens to the stream of a match, and sends its numbers with their times.
async fn listen(
    client: Client,
    address: SocketAddr,
    path: String,
    heard: UnboundedSender<(String, Instant)>,
) -> Result<(), String> {
    let mut stream = TcpStream::connect(address)
        .await
        .map_err(told("a stream"))?;
    let request = client.request_for(&path);
    stream.write_all(&request).await.map_err(told("a stream"))?;
    let mut buffer = Vec::with_capacity(1024);
    loop {
        if stream
            .read_buf(&mut buffer)
            .await
            .map_err(told("a stream"))?
            == 0
        {
            return Err("a stream has ended".to_owned());
        }
        let now = Instant::now();
        while let Some(end) = buffer.windows(2).position(|two| two == b"\n\n") {
            let text = String::from_utf8_lossy(&buffer[..end]).into_owned();
            buffer.drain(..end + 2);
            let numbers = text.lines().find_map(|line| line.strip_prefix("data: "));
            if let Some(numbers) = numbers
                && heard.send((numbers.to_owned(), now)).is_err()
            {
                return Ok(());
            }
        }
    }
}

/// The number of the last event in `numbers`.
fn event(numbers: &str) -> i32 {
    numbers
        .split('&')
        .find_map(|pair| pair.strip_prefix("event="))
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

/// A figure of a process in kilobytes, from the system.
pub(crate) fn kilobytes(process: u32, name: &str) -> Result<f64, String> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))
        .map_err(told("how much memory it uses is told on Linux only"))?;
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix(name)?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .ok_or_else(|| format!("no {name}"))
}

/// The class: its match, its members signed in.
struct Class {
    id: MatchId,
    clients: Vec<Client>,
    state: Arc<Match>,
    script: Script,
}

impl Class {
    /// The number of the client of a side's boardman.
    fn boardman(&self, side: Side, board: u8) -> Result<usize, String> {
        let duty = Duty::Board(perplex_games::perplexichess::BoardNo(board));
        self.state
            .team(side)
            .duties
            .holder(duty)
            .map(|member| usize::from(member.0) - 1)
            .ok_or_else(|| format!("board {board} has no boardman"))
    }
}

impl Team {
    /// Measures, and prints a table.
    ///
    /// # Errors
    /// The step that failed.
    pub fn run(&self, output: &mut dyn Write, clock: Clock) -> Result<(), String> {
        let (folder, runtime, app) = Folder::open(&std::env::temp_dir(), None, clock)?;
        let matches = usize::from(self.streams).div_ceil(CLASS);
        let (id, state, small) = runtime.block_on(async {
            let mut people = Vec::new();
            for number in 0..CLASS {
                people.push(TeamAccess {
                    account: Some(account(&app, &format!("bench-{number}")).await?),
                    ..TeamAccess::default()
                });
            }
            let id = begin(&app, &people[0], &people, Size::Large).await?;
            let view = app
                .load_team_match(&people[0], &id, None)
                .await
                .map_err(told("the match"))?;
            let mut small = Vec::new();
            for number in 0..matches {
                let host = &people[2 + number / MADE_EACH];
                small.push(begin(&app, host, &people[..2], Size::Small).await?);
            }
            Ok::<_, String>((id, Arc::clone(&view.state), small))
        })?;
        drop(app);
        let program = Running::start(&["serve"], &folder.0)?;
        runtime.block_on(async {
            let mut clients = Vec::new();
            for number in 0..CLASS {
                let mut client = Client::new(program.address);
                let name = format!("bench-{number}");
                let signed_in = client.sign_in(&name, PASSWORD).await;
                signed_in.map_err(told("sign-in"))?;
                clients.push(client);
            }
            let mut class = Class {
                id,
                clients,
                state,
                script: Script::new(Size::Large, usize::from(self.turns))?,
            };
            self.class(output, &folder, &program, &mut class).await?;
            self.page(output, &folder, &mut class).await?;
            self.streams(output, &program, &class, &small).await
        })
    }

    /// An event on all live pages of a class: the numbers, and then the board that has changed.
    async fn class(
        &self,
        output: &mut dyn Write,
        folder: &Folder,
        program: &Running,
        class: &mut Class,
    ) -> Result<(), String> {
        let mut listeners = JoinSet::new();
        let (tell, mut heard) = unbounded_channel();
        for client in &class.clients {
            let path = format!("/team/{}/live", class.id);
            listeners.spawn(listen(
                client.another(),
                program.address,
                path,
                tell.clone(),
            ));
        }
        drop(tell);
        let mut numbers = all(&mut heard, CLASS).await?;
        let mut readers: Vec<Client> = class.clients.iter().map(Client::another).collect();
        let [mut told_all, mut shown_all, mut limit] = <[Sample; 3]>::default();
        let mut bare = None;
        for (board, version, side, turn) in &class.script.0 {
            let who = class.boardman(*side, *board)?;
            let path = format!("/team/{}/turn/{board}", class.id);
            let sent = Instant::now();
            let made = make_turn(&mut class.clients[who], &path, version, turn);
            let (made, told_by) = tokio::join!(made, all(&mut heard, CLASS));
            made?;
            let now = told_by?;
            if event(&now) <= event(&numbers) {
                return Err(format!("{now} came after {numbers}"));
            }
            numbers = now;
            told_all.micros.push(micros(sent));
            // All readers fetch the board that has changed.
            let path = format!("/team/{}/board/{board}", class.id);
            fetch(&mut readers, &path).await?;
            shown_all.micros.push(micros(sent));
            // The same from the bare handler.
            if bare.is_none() {
                bare = Some(Running::bare(&readers[0], CLASS, folder)?);
            }
            if let Some((_, clients)) = &mut bare {
                let sent = Instant::now();
                fetch(clients, &path).await?;
                limit.micros.push(micros(sent));
            }
        }
        listeners.abort_all();
        let turns = class.script.0.len();
        for (sample, name) in [
            (
                &mut told_all,
                format!("{turns} turns: told to {CLASS} live pages"),
            ),
            (
                &mut shown_all,
                format!("  and the board fetched by all {CLASS}"),
            ),
            (
                &mut limit,
                format!("  {CLASS} such boards from a bare handler"),
            ),
        ] {
            row(output, sample, &name)?;
        }
        writeln!(output, "  (aim: on all pages within 50 ms, p99)\n").map_err(told("the table"))
    }

    /// The page of seven boards, for a viewer who sees them all.
    async fn page(
        &self,
        output: &mut dyn Write,
        folder: &Folder,
        class: &mut Class,
    ) -> Result<(), String> {
        let path = format!("/team/{}", class.id);
        let mut reader = class.clients[0].another();
        let status = reader.get(&path).await.map_err(told("a page"))?;
        let bytes = reader.body().len();
        if status != 200 {
            return Err(format!("the page was answered with {status}"));
        }
        let (_bare, mut visitor) = Running::bare(&reader, 1, folder)?;
        let time = Duration::from_secs(2);
        let mut page = pages(&mut vec![reader.another()], &path, time).await?;
        let mut limit = pages(&mut visitor, &path, time).await?;
        row(
            output,
            &mut page,
            &format!("page of 7 boards, {bytes} bytes, one after another"),
        )?;
        row(output, &mut limit, "  the same bytes from a bare handler")?;
        writeln!(output, "  (aim: under 3 ms)\n").map_err(told("the table"))
    }

    /// Many open streams, each with an event a second.
    async fn streams(
        &self,
        output: &mut dyn Write,
        program: &Running,
        class: &Class,
        matches: &[MatchId],
    ) -> Result<(), String> {
        let process = program.child.id();
        let before = kilobytes(process, "VmRSS:")?;
        let streams = usize::from(self.streams);
        let mut listeners = JoinSet::new();
        let mut ears = Vec::new();
        for (number, id) in matches.iter().enumerate() {
            let (tell, mut heard) = unbounded_channel();
            let here = CLASS.min(streams - number * CLASS);
            for _ in 0..here {
                let path = format!("/team/{id}/live");
                let guest = Client::new(program.address);
                listeners.spawn(listen(guest, program.address, path, tell.clone()));
            }
            all(&mut heard, here).await?;
            ears.push((heard, here));
        }
        let open = kilobytes(process, "VmRSS:")?;
        let script = Arc::new(Script::new(Size::Small, usize::from(self.seconds))?.0);
        let mut players = JoinSet::new();
        let count = u32::try_from(matches.len()).unwrap_or(1);
        for ((number, id), (mut heard, here)) in (0_u32..).zip(matches).zip(ears) {
            let script = Arc::clone(&script);
            let mut pair = [class.clients[0].another(), class.clients[1].another()];
            let id = id.clone();
            players.spawn(async move {
                let mut sample = Sample::default();
                // Each match has its own moment in the second.
                tokio::time::sleep(Duration::from_secs(1) * number / count).await;
                let mut tick = tokio::time::interval(Duration::from_secs(1));
                for (board, version, side, turn) in script.iter() {
                    tick.tick().await;
                    let path = format!("/team/{id}/turn/{board}");
                    let sent = Instant::now();
                    let made = make_turn(&mut pair[side.index()], &path, version, turn);
                    let (made, times) = tokio::join!(made, times(&mut heard, here));
                    made?;
                    sample.micros.extend(times?.into_iter().map(|time| {
                        u32::try_from(time.saturating_duration_since(sent).as_micros())
                            .unwrap_or(u32::MAX)
                    }));
                }
                Ok::<_, String>(sample)
            });
        }
        let mut sample = Sample::default();
        while let Some(done) = players.join_next().await {
            sample
                .micros
                .extend(done.map_err(told("a player"))??.micros);
        }
        let after = kilobytes(process, "VmRSS:")?;
        listeners.abort_all();
        let seconds = self.seconds;
        row(
            output,
            &mut sample,
            &format!("{streams} streams, an event a second each, {seconds} s"),
        )?;
        let each = |now: f64| (now - before) / f64::from(self.streams);
        writeln!(
            output,
            "  memory for each: {:.1} KiB when opened, {:.1} KiB after that (aim: p99 under 250 ms, under 40 KiB)",
            each(open),
            each(after)
        )
        .map_err(told("the table"))
    }
}

pub(crate) fn row(output: &mut dyn Write, sample: &mut Sample, name: &str) -> Result<(), String> {
    sample.micros.sort_unstable();
    writeln!(
        output,
        "{name:<52} p50 {:>7.2} ms  p99 {:>7.2} ms  most {:>7.2} ms",
        sample.within(50),
        sample.within(99),
        sample.within(100)
    )
    .map_err(told("the table"))
}

/// Waits until all of so many listeners have heard something new; returns the numbers that the last one heard.
async fn all(
    heard: &mut UnboundedReceiver<(String, Instant)>,
    listeners: usize,
) -> Result<String, String> {
    let mut last = String::new();
    for _ in 0..listeners {
        let (numbers, _) = heard.recv().await.ok_or("all streams have ended")?;
        last = numbers;
    }
    Ok(last)
}

/// The same; returns the times at which they heard it.
async fn times(
    heard: &mut UnboundedReceiver<(String, Instant)>,
    listeners: usize,
) -> Result<Vec<Instant>, String> {
    let mut times = Vec::with_capacity(listeners);
    for _ in 0..listeners {
        times.push(heard.recv().await.ok_or("all streams have ended")?.1);
    }
    Ok(times)
}

/// Lets all readers fetch the same at once.
async fn fetch(readers: &mut Vec<Client>, path: &str) -> Result<(), String> {
    let mut fetching = JoinSet::new();
    for mut reader in readers.drain(..) {
        let request = reader.request_for(path);
        fetching.spawn(async move {
            let status = reader.send(&request).await.map_err(told("a board"))?;
            if status == 200 {
                Ok(reader)
            } else {
                Err(format!("a board was answered with {status}"))
            }
        });
    }
    while let Some(done) = fetching.join_next().await {
        readers.push(done.map_err(told("a reader"))??);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_kept_going() {
        let script = Script::new(Size::Small, 60).expect("turns");
        assert_eq!(script.0.len(), 60);
    }

    #[test]
    fn the_event_is_found_among_the_numbers() {
        assert_eq!(event("event=12&people=9&talk=0.3_1.5&b1=12"), 12);
        assert_eq!(event("people=9"), 0);
    }
}
