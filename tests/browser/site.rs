//! A site for browsers: the real program, a real mail server and a driver for browsers, each a process of its own
//! that ends with the site.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::{Connection as _, SimpleConnection as _};
use diesel::sqlite::SqliteConnection;
use mail_parser::MessageParser;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Limits the journeys at a time: each mostly waits, but browsers are heavy.
static PLACES: Semaphore = Semaphore::const_new(3);

/// Number of sites so far.
static NUMBER: AtomicU32 = AtomicU32::new(0);

pub use super::support::PATIENCE;
use super::support::test_python;
/// The environment variable of browsers with the journey's folder.
const JOURNEY: &str = "PERPLEX_JOURNEY";

/// A folder as a prefix of the paths in it, so that none is a prefix of another's name.
fn inside(folder: &Path) -> String {
    format!("{}/", folder.display())
}

/// A name that browsers find on this machine, and that is not one by which a machine calls itself: what they offer only over
/// https, or to pages of their own machine, is missing there.
pub const SCHOOL: &str = "school.test";

/// The pause between two attempts.
pub const AGAIN: Duration = Duration::from_millis(40);

/// A process and all that it starts; killed when dropped.
struct Process(Child);

impl Process {
    /// Starts `command` and reads its output up to the line that contains `sign`; gives that output.
    fn start(command: &mut Command, sign: &str) -> (Self, String) {
        // Chromium's driver ends at once if its random IPv4 port is taken for IPv6.
        let found = (0..3).find_map(|_| Self::started(command, sign));
        found.unwrap_or_else(|| panic!("{command:?} has ended three times"))
    }

    /// As [`start`](Self::start), but one attempt; `None` if it has ended.
    fn started(command: &mut Command, sign: &str) -> Option<(Self, String)> {
        let child = command.stdout(Stdio::piped()).process_group(0).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let process = Self(child);
        let mut said = String::new();
        loop {
            let before = said.len();
            let read = output.read_line(&mut said).expect("text");
            if read == 0 {
                eprintln!("{command:?} has ended: {said}");
                return None;
            }
            if said[before..].contains(sign) {
                break;
            }
        }
        // A process that writes to a pipe without a reader stops sooner or later.
        thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        Some((process, said.trim_end().to_owned()))
    }

    /// Sends a signal to the process, or to the whole group.
    fn signal(&self, signal: &str, whole: bool) {
        let group = if whole { "-" } else { "" };
        let to = format!("{group}{}", self.0.id());
        let sent = Command::new("kill").args([signal, "--", &to]).output();
        assert!(sent.is_ok(), "{sent:?}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The whole group: browsers outlive their driver.
        self.signal("-KILL", true);
        let _ = self.0.wait();
    }
}

/// The processes with `what` in their arguments or their environment, in whichever group they are.
fn processes_with(what: &str) -> Vec<u32> {
    let own = std::process::id();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id| *id != own)
        .filter(|id| {
            let holds = |file: &str| {
                let text = fs::read(format!("/proc/{id}/{file}")).unwrap_or_default();
                String::from_utf8_lossy(&text).contains(what)
            };
            holds("cmdline") || holds("environ")
        })
        .collect()
}

/// A mail that has arrived.
#[derive(Debug)]
pub struct Mail {
    pub to: String,
    pub subject: String,
    pub text: String,
    headers: Vec<(String, String)>,
}

impl Mail {
    fn read(line: &str) -> Self {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let raw = line["data"].as_str().expect("text");
        let mail = MessageParser::default().parse(raw).expect("a mail");
        let headers = mail
            .headers_raw()
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
        Self {
            to: line["to"][0].as_str().expect("an address").to_owned(),
            subject: mail.subject().expect("a subject").to_owned(),
            text: mail.body_text(0).expect("a text part").into_owned(),
            headers: headers.collect(),
        }
    }

    /// A header as it was sent.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// The first link whose path begins with `path`.
    pub fn link(&self, path: &str) -> &str {
        let mut words = self.text.split_ascii_whitespace();
        let link = words.find(|word| word.starts_with("http://") && word.contains(path));
        link.unwrap_or_else(|| panic!("no link to {path}: {self:?}"))
    }
}

/// The running program with its mail server, and a driver for browsers.
pub struct TestSite {
    /// The beginning of its addresses.
    pub url: String,
    /// The program's output until it served.
    pub said: String,
    /// The address of the driver of browsers.
    pub driver: String,
    folder: PathBuf,
    driver_process: Process,
    server: Process,
    /// True if the program may log errors.
    may_fail: AtomicBool,
    _mail: Process,
    _place: SemaphorePermit<'static>,
}

impl TestSite {
    /// Opens a site; `None` if this machine lacks something and that is allowed.
    pub async fn open() -> Option<Self> {
        Self::open_to("serve", None).await
    }

    /// Opens a site under this name.
    pub async fn open_at(name: &str) -> Option<Self> {
        Self::open_to("serve", Some(name)).await
    }

    /// Opens a site with a class at play.
    pub async fn open_with_a_class() -> Option<Self> {
        Self::open_to("demo", None).await
    }

    async fn open_to(what: &str, host: Option<&str>) -> Option<Self> {
        let place = PLACES.acquire().await.expect("it is never closed");
        let python = test_python();
        let tools = [
            ("chromedriver", vec!["--version"]),
            ("chromium", vec!["--version"]),
            (python.as_str(), vec!["-c", "import aiosmtpd, pypdf"]),
        ];
        for (tool, arguments) in tools {
            let found = Command::new(tool).args(&arguments).output();
            if !found.is_ok_and(|found| found.status.success()) {
                let lacking = format!("left out: {tool} {} does not work", arguments.join(" "));
                let is_complete = std::env::var_os("PERPLEX_TESTS_COMPLETE").is_some();
                assert!(!is_complete, "{lacking}");
                eprintln!("{lacking}");
                return None;
            }
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("perplex-browser-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("a new folder");

        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/smtp_sink.py");
        let mut sink = Command::new(&python);
        sink.arg(script).arg(folder.join("mails"));
        // It serves until its input ends.
        let (mail, port) = Process::start(sink.stdin(Stdio::piped()), "");

        let log = fs::File::create(folder.join("log")).expect("a log");
        let mut server = Command::new(env!("CARGO_BIN_EXE_perplex"));
        for setting in perplex::config::NAMES {
            server.env_remove(setting);
        }
        server
            .arg(what)
            .env("PERPLEX_LISTEN", "127.0.0.1:0")
            .env("PERPLEX_DATA", folder.join("data"))
            // The journeys read each mail at once.
            .env("MAIL_PAUSE", "0")
            .env("SMTP_URL", format!("smtp://127.0.0.1:{port}"))
            .stderr(log);
        let named = host.map(|host| {
            let free = TcpListener::bind("127.0.0.1:0").expect("a port");
            let port = free.local_addr().expect("bound").port();
            (port, format!("http://{host}:{port}"))
        });
        if let Some((port, url)) = &named {
            server
                .env("PERPLEX_LISTEN", format!("127.0.0.1:{port}"))
                .env("PERPLEX_URL", url);
        }
        let (server, said) = Process::start(&mut server, "Perplex is at ");
        let url = said.rsplit(' ').next().expect("an address").to_owned();
        let url = named.map_or(url, |(_, url)| url);

        let mut driver = Command::new("chromedriver");
        // The mark by which all processes of a browser are found again.
        driver.arg("--port=0").env(JOURNEY, inside(&folder));
        let (driver_process, line) = Process::start(&mut driver, "successfully on port");
        let port = line
            .trim_end_matches('.')
            .rsplit(' ')
            .next()
            .expect("a port");
        Some(Self {
            url,
            said,
            driver: format!("http://127.0.0.1:{port}"),
            folder,
            driver_process,
            server,
            may_fail: AtomicBool::new(false),
            _mail: mail,
            _place: place,
        })
    }

    /// Keeps the program from saving anything until the result is dropped. It may log errors.
    pub fn saves_nothing(&self) -> SqliteConnection {
        self.may_fail.store(true, Ordering::Relaxed);
        let file = self.folder.join("data/perplex.sqlite");
        let file = file.to_str().expect("UTF-8");
        let mut conn = SqliteConnection::establish(file).expect("the database");
        conn.batch_execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
            .expect("locked");
        conn
    }

    /// A folder for a browser's profile.
    pub fn profile(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// All mails that have arrived at `address`, in their order.
    pub fn mails(&self, address: &str) -> Vec<Mail> {
        let all = fs::read_to_string(self.folder.join("mails")).unwrap_or_default();
        let whole = all.rfind('\n').map_or("", |end| &all[..end]);
        let mails = whole.lines().map(Mail::read);
        mails.filter(|mail| mail.to == address).collect()
    }

    /// The mail to `address` for which `right` is true, once it has come.
    pub async fn mail(&self, address: &str, right: impl Fn(&Mail) -> bool) -> Mail {
        let start = Instant::now();
        loop {
            let mails = self.mails(address);
            assert!(
                start.elapsed() < PATIENCE || mails.iter().any(&right),
                "the mail to {address} does not come, only {mails:#?}"
            );
            if let Some(found) = mails.into_iter().find(&right) {
                return found;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// The mails to `address` for which `right` is true, once at least so many have come.
    pub async fn mails_in_all(
        &self,
        address: &str,
        count: usize,
        right: impl Fn(&Mail) -> bool,
    ) -> Vec<Mail> {
        let start = Instant::now();
        loop {
            let all = self.mails(address);
            if all.iter().filter(|mail| right(mail)).count() >= count {
                return all.into_iter().filter(|mail| right(mail)).collect();
            }
            assert!(
                start.elapsed() < PATIENCE,
                "{count} mails to {address} do not come, only {all:#?}"
            );
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// The mail to `address` with this subject, once it has come.
    pub async fn mail_about(&self, address: &str, subject: &str) -> Mail {
        self.mail(address, |mail| mail.subject == subject).await
    }

    /// Posts to an address of the site as a mail program does: without a cookie. Gives the
    /// answer's first line.
    pub fn post(&self, link: &str, body: &str) -> String {
        let host = self.url.trim_start_matches("http://");
        let path = link.strip_prefix(&self.url).expect("our link");
        let mut stream = TcpStream::connect(host).expect("a connection");
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// Opens a stream of events like a browser with these cookies; it has sent something already.
    pub fn listen(&self, path: &str, cookies: &str) -> TcpStream {
        let host = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookies}\r\n\r\n"
        )
        .expect("sent");
        let mut said = String::new();
        while !said.contains("data: ") {
            let mut bytes = [0; 1024];
            let read = stream.read(&mut bytes).expect("the stream says something");
            assert!(read > 0, "no stream: {said}");
            said += &String::from_utf8_lossy(&bytes[..read]);
        }
        stream
    }

    /// Asks the program to stop, and waits until it has.
    pub async fn stop(&mut self) -> ExitStatus {
        let start = Instant::now();
        self.server.signal("-TERM", false);
        loop {
            if let Some(status) = self.server.0.try_wait().expect("a child") {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not stop");
            tokio::time::sleep(AGAIN).await;
        }
    }
}

impl Drop for TestSite {
    /// Fails if the program has logged an error or a panic.
    fn drop(&mut self) {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        if thread::panicking() {
            let last = log.lines().rev().take(40).collect::<Vec<_>>();
            let last: Vec<_> = last.into_iter().rev().collect();
            eprintln!("the end of the server's log:\n{}", last.join("\n"));
        }
        // Browsers write into their profiles until they end.
        self.driver_process.signal("-KILL", true);
        // Chromium takes some of its processes out of the group.
        let start = Instant::now();
        loop {
            let left = processes_with(&inside(&self.folder));
            if left.is_empty() {
                break;
            }
            for id in left {
                let _ = Command::new("kill")
                    .args(["-KILL", &id.to_string()])
                    .output();
            }
            if start.elapsed() > PATIENCE {
                eprintln!("a browser outlives its journey: {}", self.folder.display());
                break;
            }
            thread::sleep(AGAIN);
        }
        let gone = fs::remove_dir_all(&self.folder);
        if let Err(error) = gone {
            eprintln!("{}: {error}", self.folder.display());
        }
        let is_bad = |line: &&str| line.contains(" ERROR ") || line.contains("panicked at");
        let failures: Vec<&str> = log.lines().filter(is_bad).collect();
        let is_right = failures.is_empty() || *self.may_fail.get_mut() || thread::panicking();
        assert!(is_right, "failed in the background: {failures:#?}");
    }
}
