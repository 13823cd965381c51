//! A log that cannot be written: the disk is full, the terminal was closed, or the program that read it has gone or has
//! stopped to read. All else goes on.

use std::io;

use super::*;

/// A place that the log is written to in vain.
struct Place {
    name: &'static str,
    errors: Stdio,
    /// The reader of a pipe that is never read.
    _reader: Option<io::PipeReader>,
}

fn places() -> Vec<Place> {
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let (_, broken) = io::pipe().expect("a pipe");
    let (reader, unread) = io::pipe().expect("a pipe");
    vec![
        Place {
            name: "a full disk",
            errors: full.expect("Linux has it").into(),
            _reader: None,
        },
        Place {
            name: "a reader that has gone",
            errors: broken.into(),
            _reader: None,
        },
        Place {
            name: "a reader that reads nothing",
            errors: unread.into(),
            _reader: Some(reader),
        },
    ]
}

#[test]
fn a_log_that_cannot_be_written_costs_nothing_else() {
    for place in places() {
        let name = place.name;
        let folder = Folder::new("log-lost");
        let database = Database::sqlite("log-lost");
        let matches = furnish(&database, &["Ann", "Bea"], 1);
        let (id, _) = &matches[0];
        // A mail server that is not there: the worker complains about each mail.
        let nowhere = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let smtp = format!("smtp://{}", nowhere.local_addr().expect("a port"));
        drop(nowhere);
        let mut command = program(&folder.0);
        command
            .arg("serve")
            // Enough to fill a pipe soon.
            .env("RUST_LOG", "trace")
            .env("DATABASE_URL", database.url())
            .env("SMTP_URL", smtp);
        let server = Server::run_with(command, place.errors).expect(name);
        threads().block_on(async {
            let mut ann = Client::new(server.address);
            ann.sign_in("Ann", PASSWORD).await.expect("in");
            let turns = endless(4).expect("turns");
            let mut bea = Client::new(server.address);
            bea.sign_in("Bea", PASSWORD).await.expect("in");
            for (ply, turn) in turns.iter().enumerate() {
                let player = if ply % 2 == 0 { &mut ann } else { &mut bea };
                let number = ply.to_string();
                let fields = [("ply", &*number), ("turn", turn), ("note", "")];
                let path = format!("/match/{id}/turn");
                let status = player.post(&path, &fields).await.expect("an answer");
                assert_eq!(status, 303, "{name}: {}", player.text());
            }
            for _ in 0..100 {
                assert_eq!(ann.get("/").await.expect("an answer"), 200, "{name}");
            }
            assert_eq!(ann.get("/readyz").await.expect("an answer"), 200, "{name}");
        });
        // The worker that sends mails has complained about the first, and goes on to the next.
        let store = database.open();
        let start = Instant::now();
        let all = Page {
            number: 0,
            size: 100,
        };
        let tried = || {
            let rows = store.read_now(|conn| outbox::list(conn, OutboxState::Waiting, all));
            let rows = rows.map_err(|error: StoreError| error).expect("the outbox");
            rows.iter().filter(|row| row.has_failed()).count()
        };
        while tried() < 2 {
            assert!(start.elapsed() < PATIENCE, "{name}: no mail was tried");
            std::thread::sleep(AGAIN);
        }
        threads().block_on(async {
            let mut visitor = Client::new(server.address);
            let status = visitor.get("/healthz").await.expect("an answer");
            assert_eq!((status, &*visitor.text()), (200, "ok\n"), "{name}");
        });
        assert_eq!(server.stop().code(), Some(0), "{name}");
    }
}
