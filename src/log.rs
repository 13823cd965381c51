//! The log, on standard error. It is best effort: a disk that is full, a terminal that was closed, or a reader that has
//! gone or no longer reads, costs lines of the log and nothing else.

use std::io::{self, IsTerminal as _, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tracing::Metadata;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The log target of the audit trail: each line gives the actor, the address, the action and its outcome.
pub const AUDIT: &str = "perplex::audit";

/// Lines that wait to be written at most.
const ROOM: usize = 8_192;
/// Lines that wait while others than those of the audit trail are added. So much noise crowds out none of those.
const ROOM_FOR_ALL: usize = ROOM / 2;
/// The time that the end of the program waits for the last lines.
const PARTING: Duration = Duration::from_secs(1);

enum Entry {
    Line(Vec<u8>),
    /// Answered once all before it is written.
    Flush(SyncSender<()>),
}

/// Hands lines to the thread that writes them, and waits for nothing.
#[derive(Clone)]
struct Lines {
    queue: SyncSender<Entry>,
    count: Arc<Count>,
    /// The number of waiting lines from which on one is lost.
    room: usize,
}

#[derive(Default)]
struct Count {
    waiting: AtomicUsize,
    lost: AtomicUsize,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> Self {
        let room = if line.target() == AUDIT {
            ROOM
        } else {
            ROOM_FOR_ALL
        };
        Self {
            room,
            ..self.clone()
        }
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let Count { waiting, lost } = &*self.count;
        if waiting.fetch_add(1, Ordering::Relaxed) >= self.room
            || self.queue.try_send(Entry::Line(line.to_vec())).is_err()
        {
            waiting.fetch_sub(1, Ordering::Relaxed);
            lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_lines(mut output: impl Write, queue: &Receiver<Entry>, count: &Count) {
    let Count { waiting, lost } = count;
    for entry in queue {
        match entry {
            Entry::Line(line) => {
                waiting.fetch_sub(1, Ordering::Relaxed);
                let missing = lost.swap(0, Ordering::Relaxed);
                let told = match missing {
                    0 => String::new(),
                    lines => format!("{lines} lines of the log could not be written\n"),
                };
                let written = output.write_all(&[told.as_bytes(), &line].concat());
                if written.is_err() {
                    lost.fetch_add(missing + 1, Ordering::Relaxed);
                }
            }
            Entry::Flush(done) => {
                let _ = output.flush();
                let _ = done.send(());
            }
        }
    }
}

fn lines(output: impl Write + Send + 'static) -> io::Result<Lines> {
    let (queue, entries) = sync_channel(ROOM);
    let count = Arc::new(Count::default());
    let kept = Arc::clone(&count);
    thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_lines(output, &entries, &kept))?;
    Ok(Lines {
        queue,
        count,
        room: ROOM_FOR_ALL,
    })
}

/// The log of this process. Its last lines are written when this is dropped.
pub struct Log(Lines);

impl Drop for Log {
    fn drop(&mut self) {
        let (done, written) = sync_channel(1);
        if self.0.queue.try_send(Entry::Flush(done)).is_ok() {
            let _ = written.recv_timeout(PARTING);
        }
    }
}

/// Begins the log, of panics, too.
///
/// # Errors
/// There is no thread for it.
pub fn begin() -> io::Result<Log> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = lines(io::stderr())?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(lines.clone())
        .with_ansi(io::stderr().is_terminal())
        .init();
    panic::set_hook(Box::new(|panicked| {
        let thread = thread::current();
        let trace = std::backtrace::Backtrace::capture();
        tracing::error!(thread = thread.name(), %trace, "{panicked}");
    }));
    Ok(Log(lines))
}

/// Says something on standard output, if it is there.
pub fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

    use super::{AUDIT, Entry, Lines, ROOM, ROOM_FOR_ALL, lines};

    /// An output that takes each write when it is told to, and fails if it is told so.
    struct Output {
        may: Receiver<bool>,
        written: Sender<String>,
    }

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.may.recv().unwrap_or(true) {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.written.send(text).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn output() -> (Lines, Sender<bool>, Receiver<String>) {
        let ((allow, may), (written, read)) = (channel(), channel());
        let lines = lines(Output { may, written }).expect("a thread");
        (lines, allow, read)
    }

    fn flush(lines: &Lines) {
        let (done, written) = sync_channel(1);
        lines.queue.send(Entry::Flush(done)).expect("the thread");
        written.recv().expect("the thread");
    }

    #[test]
    fn an_output_that_fails_costs_lines_and_says_how_many() {
        let (mut lines, allow, read) = output();
        for may in [false, false, true] {
            allow.send(may).expect("the thread");
        }
        for line in ["one\n", "two\n", "three\n"] {
            lines.write_all(line.as_bytes()).expect("best effort");
        }
        flush(&lines);
        drop(lines);
        let all: String = read.iter().collect();
        assert_eq!(all, "2 lines of the log could not be written\nthree\n");
    }

    #[test]
    fn an_output_that_takes_nothing_holds_up_nobody() {
        let (mut lines, allow, read) = output();
        for _ in 0..2 * ROOM {
            lines.write_all(b"line\n").expect("best effort");
        }
        drop(allow);
        flush(&lines);
        lines.write_all(b"last\n").expect("best effort");
        flush(&lines);
        drop(lines);
        let all: Vec<String> = read.iter().collect();
        assert!(all.len() < ROOM_FOR_ALL + 5, "{}", all.len());
        assert_eq!(all.last().map(String::as_str), Some("last\n"));
        let lost = |line: &&String| line.contains("lines of the log could not be written");
        assert!(
            all.iter().any(|line| lost(&line)),
            "it says that lines are missing"
        );
    }

    #[test]
    fn noise_crowds_out_no_line_of_the_audit_trail() {
        let (lines, allow, read) = output();
        let kept = lines.clone();
        let log = tracing_subscriber::fmt().with_writer(lines).finish();
        tracing::subscriber::with_default(log, || {
            for _ in 0..ROOM {
                tracing::info!("noise");
            }
            tracing::info!(target: AUDIT, "an act");
        });
        drop(allow);
        flush(&kept);
        drop(kept);
        assert!(read.iter().any(|line| line.contains("an act")));
    }
}
