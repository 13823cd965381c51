//! The program is killed between every two steps of a mail's way out, by a mail server that stops in the conversation at
//! the step. What it does after its next start shows that the mail is not lost, and is the same mail.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use mail_parser::MessageParser;
use perplex::store::outbox::{MailRow, OutboxState};
use perplex::store::{Store, StoreError};

use super::{AGAIN, PATIENCE, Page, Server, check_log, furnish, outbox, sign_in};
use crate::store::execute;
use crate::support::{Database, Folder};
use crate::test_app::threads;

/// The steps of a mail, after each of which the program is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It is leased and composed, and the mail server is reached.
    Connected,
    Greeted,
    Sender,
    Receiver,
    Begun,
    /// The mail server has the mail, and has not answered.
    Handed,
    /// The answer is there, and nothing can be written: the mail is not marked.
    Answered,
    Marked,
}

const STEPS: [Step; 8] = [
    Step::Connected,
    Step::Greeted,
    Step::Sender,
    Step::Receiver,
    Step::Begun,
    Step::Handed,
    Step::Answered,
    Step::Marked,
];

/// A conversation with the program that sends a mail.
struct Conversation {
    connection: TcpStream,
    /// The mail, once it is handed over.
    mail: String,
}

/// The next line; `None` where the program has ended, or says that there is no mail.
fn line(lines: &mut impl io::BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    match lines.read_line(&mut line) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(None),
        read => {
            read.map(|_| Some(line).filter(|line| !line.is_empty() && !line.starts_with("QUIT")))
        }
    }
}

impl Conversation {
    /// Answers the program that asks after its start what the server takes.
    fn about_nothing(server: &TcpListener) -> io::Result<()> {
        loop {
            let (mut connection, _) = server.accept()?;
            connection.set_read_timeout(Some(PATIENCE))?;
            let mut lines = BufReader::new(connection.try_clone()?);
            write!(connection, "220 ready\r\n")?;
            // A program that was killed may have left a connection.
            if line(&mut lines)?.is_some() {
                write!(connection, "250 hello\r\n")?;
                assert_eq!(line(&mut lines)?, None, "a mail");
                return Ok(());
            }
        }
    }

    /// Waits for the program with a mail, and answers it up to `step`; what it says then has no answer.
    fn until(step: Step, server: &TcpListener) -> io::Result<Self> {
        loop {
            if let Some(conversation) = Self::next(step, server)? {
                return Ok(conversation);
            }
        }
    }

    fn next(step: Step, server: &TcpListener) -> io::Result<Option<Self>> {
        let (connection, _) = server.accept()?;
        connection.set_read_timeout(Some(PATIENCE))?;
        let mut lines = BufReader::new(connection.try_clone()?);
        let mut conversation = Self {
            connection,
            mail: String::new(),
        };
        let answers = [
            (Step::Connected, "220 ready"),
            (Step::Greeted, "250 hello"),
            (Step::Sender, "250 go on"),
            (Step::Receiver, "250 go on"),
            (Step::Begun, "354 go on"),
        ];
        for (reached, answer) in answers {
            if step == reached {
                return Ok(Some(conversation));
            }
            conversation.say(answer)?;
            if reached != Step::Begun && line(&mut lines)?.is_none() {
                return Ok(None);
            }
        }
        while !conversation.mail.ends_with("\r\n.\r\n") {
            lines.read_line(&mut conversation.mail)?;
        }
        if matches!(step, Step::Marked) {
            conversation.take()?;
        }
        Ok(Some(conversation))
    }

    fn say(&mut self, answer: &str) -> io::Result<()> {
        write!(self.connection, "{answer}\r\n")
    }

    fn take(&mut self) -> io::Result<()> {
        self.say("250 taken")
    }

    fn message_id(&self) -> String {
        let mail = MessageParser::default().parse(&self.mail).expect("a mail");
        let id = mail.message_id().expect("an id");
        id.split('@').next().unwrap_or_default().to_owned()
    }
}

/// The newest mail in this state.
fn newest(store: &Store, state: OutboxState) -> Option<MailRow> {
    let all = Page {
        number: 0,
        size: 1_000,
    };
    let rows = store.read_now(|conn| outbox::list(conn, state, all));
    let rows = rows.map_err(|error: StoreError| error);
    let rows = rows.expect("the outbox").into_iter();
    rows.max_by_key(|row| row.created_at)
}

fn wait_until_sent(store: &Store, id: &str) {
    let start = std::time::Instant::now();
    while newest(store, OutboxState::Sent).is_none_or(|row| row.id != id) {
        assert!(start.elapsed() < PATIENCE, "{id} is not marked");
        std::thread::sleep(AGAIN);
    }
}

/// Runs `act` while no other process can write to the outbox.
fn while_locked(store: &Store, act: impl FnOnce()) {
    let (locked, is_locked) = mpsc::channel();
    let (unlock, unlocked) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let holds = store.write(move |conn| {
                execute(conn, "UPDATE outbox SET attempts = attempts")?;
                let _ = locked.send(());
                let _ = unlocked.recv();
                Ok::<_, StoreError>(())
            });
            threads().block_on(holds).expect("the outbox");
        });
        is_locked.recv().expect("locked");
        act();
        drop(unlock);
    });
}

#[test]
fn killed_after_each_step_it_sends_the_same_mail_and_loses_none() {
    for database in Database::all("steps") {
        let folder = Folder::new("steps");
        furnish(&database, &["Ann"], 0);
        let store = database.open();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let smtp = format!("smtp://{}", listener.local_addr().expect("bound"));
        let settings = [("DATABASE_URL", database.url()), ("SMTP_URL", smtp)];
        // Ann asks for a link by mail.
        let ask = |server: &Server| {
            threads().block_on(async {
                let mut people = sign_in(server.address, &["Ann"]).await;
                let form = [("email", "Ann@example.org")];
                assert_eq!(people[0].post("/reset", &form).await.expect("asked"), 200);
            });
        };
        for step in STEPS {
            let server = Server::start(&folder.0, &settings);
            Conversation::about_nothing(&listener).expect("asked");
            ask(&server);
            let held = Conversation::until(step, &listener);
            let mut held = held.unwrap_or_else(|error| panic!("{step:?}: {error}"));
            let row = if step == Step::Marked {
                let start = std::time::Instant::now();
                while newest(&store, OutboxState::Waiting).is_some() {
                    assert!(start.elapsed() < PATIENCE, "it is not marked");
                    std::thread::sleep(AGAIN);
                }
                newest(&store, OutboxState::Sent)
            } else {
                newest(&store, OutboxState::Waiting)
            };
            let row = row.unwrap_or_else(|| panic!("{step:?}: no mail"));
            assert_eq!(row.attempts, 1, "{step:?}");
            if step == Step::Answered {
                while_locked(&store, || {
                    held.take().expect("answered");
                    server.kill();
                });
            } else {
                server.kill();
            }
            if step != Step::Marked {
                let row = newest(&store, OutboxState::Waiting).expect("not marked");
                assert!(row.leased_until.is_some(), "{step:?}");
            }
            if matches!(step, Step::Handed | Step::Answered | Step::Marked) {
                assert_eq!(held.message_id(), row.message_id);
            }
            drop(held);

            // As if the five minutes had passed for which the dead program had leased it.
            let free = store.write(|conn| execute(conn, "UPDATE outbox SET leased_until = NULL"));
            threads().block_on(free).expect("the outbox");
            let server = Server::start(&folder.0, &settings);
            let next = if step == Step::Marked {
                // It is not sent again: the next mail is another.
                ask(&server);
                newest(&store, OutboxState::Waiting)
            } else {
                Some(row)
            };
            let again = Conversation::until(Step::Marked, &listener);
            let again = again.unwrap_or_else(|error| panic!("{step:?}: {error}"));
            let next = next.expect("a mail");
            assert_eq!(again.message_id(), next.message_id, "{step:?}");
            assert!(again.mail.contains("\r\nTo: Ann <Ann@example.org>\r\n"));
            wait_until_sent(&store, &next.id);
            assert!(newest(&store, OutboxState::Waiting).is_none());
            drop(again);
            assert_eq!(server.stop().code(), Some(0));
        }
        assert!(newest(&store, OutboxState::Dead).is_none());
        drop(store);
        check_log(&folder.0);
    }
}
