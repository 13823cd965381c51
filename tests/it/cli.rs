//! The built program, driven over pipes: the referee, UGI, perft and the help.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::{Folder, PATIENCE, test_python};
use crate::test_app::has;
use mail_parser::MessageParser;
use perplex::app::mail_kind::MailKind;
use perplex_games::record::{self, Record, pgn};
use perplex_games::registry::{self, GAMES};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

fn perplex(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perplex"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    let mut command = perplex(arguments);
    command.stdin(Stdio::null()).output().expect("it runs")
}

fn stdout(arguments: &[&str]) -> String {
    let output = output(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// A conversation, line by line.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    /// The program's lines of output, until it ends.
    output: Receiver<String>,
}

impl Talk {
    fn new(arguments: &[&str]) -> Self {
        let mut child = perplex(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let (said, output) = channel();
        let mut lines = BufReader::new(child.stdout.take().expect("its output"));
        thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).expect("lines") > 0 {
                if said.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            output,
            child,
        }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("not ended");
        writeln!(input, "{line}").expect("it listens");
    }

    fn hear(&mut self) -> String {
        let line = self.output.recv_timeout(PATIENCE);
        let line = line.expect("it says nothing more, or nothing for minutes");
        assert!(line.ends_with('\n'), "its last words are {line:?}");
        line.trim_end().to_owned()
    }

    /// The processor time that it has used: the machine's other work does not count.
    fn worked(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.expect("it runs");
        // The name of the program, in brackets, may have spaces. What comes 11 and 12 fields after the state is in
        // hundredths of a second.
        let (_, fields) = stat.rsplit_once(") ").expect("fields");
        let ticks = fields.split(' ').skip(11).take(2);
        let ticks: u64 = ticks
            .map(|field| field.parse::<u64>().expect("ticks"))
            .sum();
        Duration::from_millis(10 * ticks)
    }

    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.hear()
    }

    /// The lines up to one that starts with `last`.
    fn hear_until(&mut self, last: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.hear());
            if lines.last().is_some_and(|line| line.starts_with(last)) {
                return lines;
            }
        }
    }

    /// The move that `go` with `limits` gives, and the lines before it.
    fn go(&mut self, limits: &str) -> (String, Vec<String>) {
        self.say(&format!("go {limits}"));
        let mut lines = self.hear_until("bestmove ");
        let best = lines.pop().expect("bestmove");
        (best["bestmove ".len()..].to_owned(), lines)
    }

    fn end(mut self) {
        drop(self.input.take());
        let rest: String = self.output.iter().collect();
        assert_eq!(rest, "");
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn referee() {
    let mut talk = Talk::new(&["referee"]);
    let mut ask = |question: &str| json_of(&talk.ask(question));
    let question = r#"{"game":"quixo","turns":["c1-a1"],"want":["perft:2"]}"#;
    let first = json!({
        "ok": true, "to_move": "second", "result": null, "reason": null, "perft": [42, 1752]
    });
    assert_eq!(ask(question), first);
    for bad in [
        "",
        "   ",
        "{",
        "quixo",
        "[]",
        r#"{"game":"chequers"}"#,
        r#"{"game":"quixo","want":["tea"]}"#,
        r#"{"game":"quixo","variant":"six"}"#,
        "\u{1f600}\u{0}",
    ] {
        let answer = ask(bad);
        assert_eq!(answer["ok"], false, "{bad}: {answer}");
        assert_eq!(answer.get("turn"), None, "{bad}: {answer}");
        assert!(answer["error"].is_string(), "{bad}: {answer}");
    }
    let answer = ask(r#"{"game":"quixo","turns":["c1-a1","c3-a3"]}"#);
    assert_eq!((&answer["ok"], &answer["turn"]), (&json!(false), &json!(2)));
    // It is as fresh as at the start.
    assert_eq!(ask(question), first);
    talk.end();
}

fn json_of(answer: &str) -> Value {
    serde_json::from_str(answer).expect("the referee answers in JSON")
}

#[test]
fn referee_reads_bytes_that_are_no_text() {
    let mut talk = Talk::new(&["referee"]);
    let input = talk.input.as_mut().expect("not ended");
    input.write_all(b"\xff\xfe{\n").expect("it listens");
    assert!(talk.hear().starts_with(r#"{"ok":false"#));
    talk.say(r#"{"game":"quixo"}"#);
    assert!(talk.hear().starts_with(r#"{"ok":true"#));
    talk.end();
}

#[test]
fn cards() {
    let deck = stdout(&["cards"]);
    let lazy = r#"{"card":"lazy-rook","name":"Lazy rook","kind":"R","rule":"R3","text":"Rooks go three squares at most."}"#;
    assert!(deck.lines().any(|line| line == lazy), "{deck}");
    let promotion = r#""kind":"P","rule":"=N","text":"Pawns promote to knights only."}"#;
    has(&deck, promotion);
}

#[test]
fn ugi_session() {
    let mut talk = Talk::new(&["ugi", "quixo"]);
    talk.say("ugi");
    let lines = talk.hear_until("ugiok");
    assert!(lines[0].starts_with("id name Perplex "), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    assert!(
        lines[2..lines.len() - 1]
            .iter()
            .all(|line| line.starts_with("option name ")),
        "{lines:?}"
    );
    assert_eq!(talk.ask("isready"), "readyok");
    talk.say("uginewgame");
    talk.say("position startpos moves c1-a1 e5a5");
    assert_eq!(talk.ask("query fen"), "response o4/5/5/5/x4 x");
    assert_eq!(talk.ask("query p1turn"), "response true");
    assert_eq!(talk.ask("query gameover"), "response false");
    assert_eq!(talk.ask("query result"), "response none");
    assert_eq!(talk.ask("query islegal a1-e1"), "response true");
    assert_eq!(talk.ask("query islegal a5-e5"), "response false");
    assert_eq!(talk.ask("query islegal"), "response false");

    // Bad lines change nothing.
    for bad in [
        "",
        "castle",
        "go quickly",
        "go movetime",
        "go perft x",
        "query colour",
        "position",
        "position startpos moves c1-a1 c3-a3",
        "position startpos c1-a1",
        "position fen 5/5/5/5/x5 x",
        "setoption Level hard",
        "setoption name Level value genius",
        "setoption name Variant value six",
    ] {
        let answer = talk.ask(bad);
        assert!(answer.starts_with("info error "), "{bad}: {answer}");
    }
    has(
        &talk.ask("position startpos moves c1-a1 c3-a3"),
        "move 2: c3-a3 is not legal",
    );
    assert_eq!(talk.ask("query fen"), "response o4/5/5/5/x4 x");

    // Four crosses in a row: any level wins at once.
    for level in ["easy", "medium", "hard"] {
        talk.say(&format!("setoption name Level value {level}"));
        talk.say("position fen 5/5/ooo2/5/xxxx1 x");
        let (turn, told) = talk.go("depth 3");
        assert!(told.iter().all(|line| line.starts_with("info depth ")));
        talk.say(&format!("position fen 5/5/ooo2/5/xxxx1 x moves {turn}"));
        assert_eq!(talk.ask("query result"), "response p1win");
        assert_eq!(talk.ask("query gameover"), "response true");
        assert_eq!(talk.go("movetime 50").0, "(none)");
    }
    talk.say("setoption name Variant value four");
    assert_eq!(talk.ask("query fen"), "response 5/5/5/5/5 n");
    talk.say("quit");
    talk.end();
}

#[test]
fn ugi_thinks_within_its_time() {
    for entry in GAMES {
        let mut talk = Talk::new(&["ugi", entry.card.key]);
        talk.say("position startpos");
        for limits in ["movetime 150", "p1time 3000 p2time 3000 p1inc 50 p2inc 50"] {
            let before = talk.worked();
            let (turn, told) = talk.go(limits);
            let worked = talk.worked().saturating_sub(before);
            assert!(worked < Duration::from_secs(2), "{limits}: {worked:?}");
            assert!(!told.is_empty());
            let legal = talk.ask(&format!("query islegal {turn}"));
            assert_eq!(legal, "response true", "{}: {turn}", entry.card.key);
        }
        talk.say("quit");
        talk.end();
    }
}

#[test]
fn ugi_hears_during_a_search() {
    let mut talk = Talk::new(&["ugi", "quixo"]);
    talk.say("position startpos");
    talk.say("go infinite");
    std::thread::sleep(Duration::from_millis(50));
    talk.say("isready");
    talk.hear_until("readyok");
    talk.say("stop");
    talk.hear_until("bestmove ");
    // Input during a search that ends by itself waits for its end, in order.
    talk.say("go movetime 100");
    talk.say("position startpos moves c1-a1");
    talk.say("query fen");
    talk.hear_until("bestmove ");
    assert_eq!(talk.hear(), "response 5/5/5/5/x4 o");
    // To quit ends it at once, with an answer.
    talk.say("go movetime 60000");
    talk.say("quit");
    talk.hear_until("bestmove ");
    talk.end();

    // The end of input ends an infinite search too.
    let mut talk = Talk::new(&["ugi", "quixo"]);
    talk.say("go infinite");
    drop(talk.input.take());
    talk.hear_until("bestmove ");
    talk.end();
}

#[test]
fn ugi_counts() {
    for entry in GAMES {
        let mut talk = Talk::new(&["ugi", entry.card.key]);
        talk.say("go perft 2");
        let lines = talk.hear_until("Nodes searched: ");
        let (total, counts) = lines.split_last().expect("lines");
        let counted: u64 = counts
            .iter()
            .filter_map(|line| line.split_once(": "))
            .map(|(_, count)| count.parse::<u64>().expect("a count"))
            .sum();
        let game = entry.setup("").expect("the ordinary game");
        assert_eq!(counted, game.perft(2), "{}", entry.card.key);
        assert_eq!(*total, format!("Nodes searched: {counted}"));
        // Each is a turn that can be read again.
        for line in counts.iter().filter(|line| !line.is_empty()).take(5) {
            let (turn, _) = line.split_once(": ").expect("a turn");
            assert!(!turn.contains(' '), "{turn}");
            assert_eq!(talk.ask(&format!("query islegal {turn}")), "response true");
        }
        talk.say("quit");
        talk.end();
    }
}

/// A game of the computer against itself, by a script: it ends, and every turn is legal.
#[test]
fn ugi_plays_a_game() {
    let mut talk = Talk::new(&["ugi", "quixo"]);
    talk.say("setoption name Level value easy");
    let mut record = String::new();
    for turns in 0.. {
        assert!(turns < 2000, "it does not end");
        let moves = if record.is_empty() { "" } else { " moves" };
        talk.say(&format!("position startpos{moves}{record}"));
        let even = turns % 2 == 0;
        if talk.ask("query gameover") == "response true" {
            break;
        }
        assert_eq!(talk.ask("query p1turn"), format!("response {even}"));
        talk.say(&format!("setoption name Seed value {turns}"));
        let (turn, _) = talk.go("nodes 500");
        record = format!("{record} {turn}");
    }
    assert_ne!(talk.ask("query result"), "response none");
    talk.say("quit");
    talk.end();
}

#[test]
fn ugi_spells_pijersi_as_its_engines_do() {
    let mut talk = Talk::new(&["ugi", "pijersi"]);
    talk.say("position startpos moves a4b5c4");
    let fen = "s-p-r-s-p-r-/p-r-s-wwr-s-p-/6/7/3SR2/P-S-R-WW1R-P-/R-P-S-1P-S- b 1 1";
    assert_eq!(talk.ask("query fen"), format!("response {fen}"));
    talk.say(&format!("position fen {fen} moves f4e4e4"));
    assert_eq!(talk.ask("query p1turn"), "response true");
    talk.say("position startpos");
    let (turn, _) = talk.go("depth 1");
    assert!(!turn.contains(['-', '=', '!']), "{turn}");
    assert_eq!(talk.ask("query islegal a4-b5=c4"), "response true");
    talk.say("quit");
    talk.end();
}

#[test]
fn chess_programs_say_uci() {
    let mut talk = Talk::new(&["ugi", "flexichess"]);
    talk.say("uci");
    talk.hear_until("uciok");
    talk.say("ucinewgame");
    talk.say("position startpos moves e2e4 e7e5");
    assert_eq!(talk.go("wtime 1000 btime 1000 winc 10 binc 10").0.len(), 4);
    // Mate in one.
    talk.say("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    assert_eq!(talk.go("depth 4").0, "a1a8");
    // Changes of the rules, as one word and with their spaces.
    talk.say(r#"position startpos moves e2e4 rule_N_NW_"Knights_also_step." e4e5 b8b7"#);
    assert!(talk.hear().starts_with("info error move 4: "));
    talk.say(r#"position startpos moves e2e4 rule N NW "Knights also step." d2d4 g8f6"#);
    let knight = "rnbqkb1r/pppppppp/5n2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 3";
    assert_eq!(talk.ask("query fen"), format!("response {knight}"));
    talk.say("quit");
    talk.end();
}

#[test]
fn perft() {
    let lines = stdout(&["perft", "quixo", "3"]);
    let rows: Vec<Vec<&str>> = lines.lines().map(|l| l.split('\t').collect()).collect();
    let counts: Vec<(&str, &str)> = rows.iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(counts, [("1", "44"), ("2", "1836"), ("3", "76596")]);
    for row in &rows {
        assert_eq!(row.len(), 4, "{row:?}");
        assert!(row[2].parse::<f64>().is_ok_and(|seconds| seconds >= 0.0));
        assert!(row[3].parse::<u64>().is_ok_and(|rate| rate > 0));
    }

    let count = |arguments: &[&str]| -> String {
        let lines = stdout(arguments);
        let last = lines.lines().last().expect("a line");
        last.split('\t').nth(1).expect("a count").to_owned()
    };
    assert_eq!(count(&["perft", "quixo", "2", "--variant", "four"]), "7344");
    assert_eq!(count(&["perft", "quixo", "2", "--turns", "c1-a1"]), "1752");
    let fen = "5/5/5/5/x4 o";
    assert_eq!(count(&["perft", "quixo", "2", "--fen", fen]), "1752");
    assert_eq!(stdout(&["perft", "quixo", "0"]), "");
    assert_eq!(count(&["perft", "flexichess", "2"]), "400");
    let rules = ["perft", "flexichess", "3", "--rules", "N=NW,B=-"];
    let list = [("N", "NW"), ("B", "-")].map(|(kind, to)| (kind.to_owned(), to.to_owned()));
    let chess = registry::find("flexichess").expect("Flexichess");
    let start = chess.setup("").expect("the ordinary game").position();
    let game = chess.from_position_with("", &start, &list).expect("rules");
    assert_eq!(count(&rules), game.perft(3).to_string());
    assert_ne!(count(&rules), "8902", "the count of ordinary chess");
}

#[test]
fn requests_that_make_no_sense() {
    for (arguments, says) in [
        (&["perft", "chequers", "1"][..], "quixo"),
        (&["perft", "quixo", "one"], "invalid value"),
        (&["perft", "quixo", "1", "--variant", "six"], "no variant"),
        (
            &["perft", "quixo", "1", "--turns", "c1-a1 c3-a3"],
            "turn 2: c3-a3 is not legal",
        ),
        (
            &["perft", "quixo", "1", "--fen", "5/5"],
            "is not understood",
        ),
        (&["perft", "quixo", "1", "--rules", "N"], "KIND=MOVEMENT"),
        (&["perft", "quixo", "1", "--rules", "N=NW"], "never change"),
        (&["ugi", "quixo", "--variant", "six"], "no variant"),
        (&["fly"], "unrecognized subcommand"),
    ] {
        let output = output(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
}

/// Runs `tests/other_chess.py` with python-chess; `None` without it.
fn python_chess(arguments: &[&str], input: &str) -> Option<String> {
    let python = test_python();
    let found = Command::new(&python).args(["-c", "import chess"]).output();
    if !found.is_ok_and(|found| found.status.success()) {
        let is_complete = std::env::var_os("PERPLEX_TESTS_COMPLETE").is_some();
        assert!(!is_complete, "{python} has no python-chess");
        eprintln!("left out: {python} has no python-chess; see TEST_PYTHON");
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/other_chess.py");
    let mut child = Command::new(python)
        .arg(script)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("its input");
    // It answers while it still listens.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()).expect("it listens"));
        child.wait_with_output().expect("it ends")
    });
    assert!(output.status.success(), "{}", output.status);
    Some(String::from_utf8(output.stdout).expect("text"))
}

/// Games of chess without rule changes are PGN that python-chess reads, move for move; in games with them it still
/// sees headers and moves.
#[test]
fn other_programs_read_our_records() {
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let entry = registry::find("flexichess").expect("a game");
    let mut games = Vec::new();
    let mut text = String::new();
    for number in 0..40 {
        let fen = "8/PPP4k/8/8/8/8/4Kppp/8 b - - 4 7";
        let position = (number % 4 == 0).then(|| fen.to_owned());
        let mut game = match &position {
            None => entry.setup("").expect("chess"),
            Some(fen) => entry.from_position("", fen).expect("a position"),
        };
        for _ in 0..rng.random_range(1..160) {
            let legal = game.legal();
            let Some(turn) = legal.choose(&mut rng) else {
                break;
            };
            game.play(turn).expect("legal");
        }
        let record = Record {
            position,
            ..Record::new("flexichess", "", &*game)
        }
        .with("white", "Ada of Ávila");
        let pgn = pgn::write(&record, &*game).expect("PGN");
        let read = record::read(&pgn).unwrap_or_else(|error| panic!("{error}\n{pgn}"));
        assert_eq!(read.record.turns, record.turns, "{pgn}");
        text += &pgn;
        text.push('\n');
        games.push(game);
    }
    let mut game = entry.setup("").expect("chess");
    for turn in ["e4", "e5", "rule Q QN \"Queens {also} leap.\"", "a6", "Nf3"] {
        game.play(turn).expect("legal");
    }
    let record = Record::new("flexichess", "", &*game);
    text += &pgn::write(&record, &*game).expect("PGN");
    // After rules in words that are disputed and accepted, and turns under them, the rest is read, too.
    let mut game = entry.setup("").expect("chess");
    for turn in [
        "e4",
        "e5",
        "rule * written \"Nobody sighs.\"",
        "reject",
        "Nf3",
        "rule * written \"A pawn may pass.\"",
        "accept",
        "under 1 a2a3",
        "accept",
        "rule * written \"Nobody laughs.\"",
        "reject",
        "a6",
        "Bc4",
    ] {
        game.play(turn).expect("legal");
    }
    let record = Record::new("flexichess", "", &*game);
    text.push('\n');
    text += &pgn::write(&record, &*game).expect("PGN");
    let Some(answer) = python_chess(&["pgn"], &text) else {
        return;
    };
    let answers: Vec<Value> = answer
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(answers.len(), games.len() + 2);
    for (answer, game) in answers.iter().zip(&games) {
        assert_eq!(answer["errors"], json!([]), "{answer}");
        assert_eq!(answer["moves"], json!(game.turns()), "{answer}");
        assert_eq!(answer["fen"], json!(game.position()), "{answer}");
        assert_eq!(answer["white"], "Ada of Ávila");
    }
    let changed = &answers[games.len()];
    assert_eq!(changed["errors"], json!([]), "{changed}");
    assert_eq!(
        changed["moves"],
        json!(["e2e4", "e7e5", "0000", "a7a6", "g1f3"])
    );
    let disputed = &answers[games.len() + 1];
    assert_eq!(disputed["errors"], json!([]), "{disputed}");
    assert_eq!(
        disputed["moves"],
        json!(["e2e4", "e7e5", "g1f3", "0000", "0000", "a7a6", "f1c4"])
    );
}

/// A game as other programs write it, with tokens put in, left out and misspelt.
fn garbled(rng: &mut StdRng) -> String {
    const TOKENS: [&str; 33] = [
        "--",
        "$3",
        "(d4)",
        "(1. d4 d5)",
        "{x}",
        "{",
        "}",
        "(",
        ")",
        ";x\n",
        "1.",
        "2.",
        "3...",
        "*",
        "1-0",
        "½-½",
        "1/2",
        "N",
        "=",
        "+-",
        "e.p.",
        "Qxg2",
        "e4",
        "e5",
        "Nf3",
        "O-O",
        "!",
        "?!",
        "%",
        "[",
        "]",
        "h8(Q)",
        "[Event \"2\"]",
    ];
    let entry = registry::find("flexichess").expect("a game");
    let mut game = entry.setup("").expect("chess");
    for _ in 0..rng.random_range(1..12) {
        let legal = game.legal();
        let Some(turn) = legal.choose(rng) else {
            break;
        };
        game.play(turn).expect("legal");
    }
    let mut words: Vec<String> = Vec::new();
    if rng.random_bool(0.3) {
        words.push("[Event \"x\"]\n\n".to_owned());
    }
    for (ply, past) in game.past().into_iter().enumerate() {
        if ply % 2 == 0 {
            words.push(format!("{}.", ply / 2 + 1));
        }
        words.push(past.also[0].clone());
    }
    words.push("*".to_owned());
    for _ in 0..rng.random_range(0..4) {
        let at = rng.random_range(0..words.len());
        match rng.random_range(0..4) {
            0 => words.insert(at, (*TOKENS.choose(rng).expect("some")).to_owned()),
            1 => words[at].push_str(TOKENS.choose(rng).expect("some")),
            2 if words.len() > 1 => drop(words.remove(at)),
            _ => drop(words[at].pop()),
        }
    }
    words.join(" ")
}

/// What is read of a garbled PGN is the game that python-chess reads, too, unless that complains.
#[test]
fn no_garbled_pgn_opens_as_another_game() {
    let is_long = std::env::var("PERPLEX_LONG").is_ok_and(|value| value == "1");
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let mut opened = Vec::new();
    let mut input = String::new();
    for _ in 0..if is_long { 1_000_000 } else { 2_000 } {
        let text = garbled(&mut rng);
        if let Ok(read) = record::read(&text) {
            input += &json!(text).to_string();
            input.push('\n');
            opened.push((text, read.record.turns));
        }
    }
    let Some(answer) = python_chess(&["texts"], &input) else {
        return;
    };
    let answers: Vec<(Vec<String>, bool)> = answer
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(answers.len(), opened.len());
    for ((text, turns), (moves, complains)) in opened.iter().zip(&answers) {
        // It passes over what follows a tag on its line, and gets lost in variations with illegal moves.
        let has_more = |line: &str| line.starts_with('[') && !line.trim_end().ends_with(']');
        let is_lost = moves.is_empty() && text.contains('[') || text.lines().any(has_more);
        assert!(
            *complains || is_lost || turns == moves,
            "{text}\n{turns:?}\n{moves:?}"
        );
    }
    println!("{} of them were read", opened.len());
}

/// python-chess drives the computer player by the Universal Chess Interface.
#[test]
fn other_programs_play_with_ours() {
    let program = env!("CARGO_BIN_EXE_perplex");
    let Some(answer) = python_chess(&["uci", program], "") else {
        return;
    };
    let lines: Vec<&str> = answer.lines().collect();
    assert!(lines[0].ends_with(" 5"), "{answer}");
    assert_eq!(lines[1], "a1a8", "{answer}");
}

#[test]
fn the_talk_gets_a_new_key() {
    let folder = Folder::new("talk-key");
    let keys = folder.0.join("talk.keys");
    let rotate = || {
        let output = perplex(&["talk-key", "rotate"])
            .env_remove("DATABASE_URL")
            .env("PERPLEX_DATA", &folder.0)
            .output()
            .expect("the program");
        assert!(output.status.success(), "{output:?}");
        let told = String::from_utf8(output.stdout).expect("text");
        has(&told, "0 texts");
        std::fs::read(&keys).expect("the keys")
    };
    assert_ne!(rotate(), rotate());
}

#[test]
fn the_installation_gets_a_new_secret_key() {
    let folder = Folder::new("secret-key");
    let rotate = |revoke: &[&str]| {
        let output = perplex(&[&["secret-key", "rotate"], revoke].concat())
            .env_remove("DATABASE_URL")
            .env("PERPLEX_DATA", &folder.0)
            .output()
            .expect("the program");
        assert!(output.status.success(), "{output:?}");
        let key = std::fs::read_to_string(folder.0.join("secret.key")).expect("the key");
        let told = String::from_utf8(output.stdout).expect("text");
        (told, key.lines().next().expect("a line").to_owned())
    };
    let (told, first) = rotate(&[]);
    has(&told, "stays good");
    let (told, second) = rotate(&["--revoke"]);
    has(&told, "good no longer");
    assert_ne!(first, second);
}

#[test]
fn help() {
    let help = stdout(&["--help"]);
    for command in [
        "referee",
        "cards",
        "perft",
        "ugi",
        "talk-key",
        "secret-key",
        "mail",
    ] {
        has(&help, command);
        assert!(!stdout(&[command, "--help"]).is_empty());
    }
    assert!(stdout(&["--version"]).starts_with("perplex "));
}

/// `perplex mail preview` writes every kind of mail, and nothing else, without any setting.
#[test]
fn every_kind_of_mail_can_be_looked_at() {
    let place = Folder::new("mail-preview");
    let folder = place.0.join("mails");
    let write = |folder: &Path| {
        let mut command = perplex(&["mail", "preview"]);
        for setting in perplex::config::NAMES {
            command.env_remove(setting);
        }
        command
            .arg(folder)
            .current_dir(&place.0)
            .env("TMPDIR", &place.0)
            .output()
            .expect("it runs")
    };
    let output = write(&folder);
    assert!(output.status.success(), "{output:?}");
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
        names.map(|name| name.expect("text")).collect()
    };
    assert_eq!(names(&place.0), ["mails"]);
    let names = names(&folder);
    let named = |ending: &'static str| {
        names
            .iter()
            .filter_map(move |name| name.strip_suffix(ending))
    };
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    let index = read("index.html");
    let mut kinds = BTreeSet::new();
    for name in named(".eml") {
        let mail = fs::read(folder.join(format!("{name}.eml"))).expect("a file");
        let mail = MessageParser::default().parse(&mail).expect("a mail");
        let id = mail.message_id().expect("an id");
        let kind = MailKind::ALL.iter().find(|kind| {
            let rest = id.strip_prefix("first-").or(id.strip_prefix("last-"));
            rest.unwrap_or(id).starts_with(&format!("{}.", kind.key()))
        });
        kinds.extend(kind.map(|kind| kind.key()));
        assert!(!mail.subject().expect("a subject").is_empty(), "{name}");
        assert!(!mail.body_text(0).expect("text").is_empty(), "{name}");
        let html = read(&format!("{name}.html"));
        assert!(html.contains("Hello") && !html.contains("cid:"), "{name}");
        let shown: Vec<&str> = html.split("src=\"").skip(1).collect();
        assert_eq!(shown.len(), mail.attachment_count(), "{name}");
        for rest in shown {
            let picture = rest.split('"').next().expect("its end");
            let picture = fs::read(folder.join(picture)).expect("a picture");
            assert!(picture.starts_with(b"\x89PNG"), "{name}");
        }
        has(&index, &format!("href=\"{name}.html\""));
    }
    let forgotten: Vec<&str> = MailKind::ALL
        .iter()
        .map(|kind| kind.key())
        .filter(|key| !kinds.contains(key))
        .collect();
    assert!(
        forgotten.is_empty(),
        "no mail of the kinds {forgotten:?}: see src/preview/stories.rs"
    );
    for entry in GAMES {
        let board = format!("-your-turn-{}", entry.card.key);
        assert!(
            named("-1.png").any(|name| name.ends_with(&board)),
            "{board}"
        );
    }
    assert!(named("-1.png").any(|name| name.contains("-team-turn")));

    let again = write(&folder);
    assert_eq!(again.status.code(), Some(2));
    has(
        &String::from_utf8_lossy(&again.stderr),
        "holds something already",
    );
}

/// `perplex demo` fills an empty database and serves it, and leaves one that holds data alone.
#[test]
fn a_demonstration_wants_a_database_of_its_own() {
    let folder = std::env::temp_dir().join(format!("perplex-demo-{}", std::process::id()));
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perplex"));
        for setting in perplex::config::NAMES {
            command.env_remove(setting);
        }
        command
            .arg("demo")
            .env("PERPLEX_DATA", &folder)
            .env("PERPLEX_LISTEN", "127.0.0.1:0")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program")
    };
    let mut child = start();
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let mut said = String::new();
    while !said.contains("Perplex is at ") && output.read_line(&mut said).expect("text") > 0 {}
    let _ = child.kill();
    let ended = child.wait_with_output().expect("an end");
    assert!(
        said.contains("Perplex is at ")
            && said.contains("The teacher signs in as Teacher with the password: ")
            && said.contains("signs in as ")
            && said.contains("with the pass phrase: "),
        "{said}{}",
        String::from_utf8_lossy(&ended.stderr)
    );

    let again = start().wait_with_output().expect("an end");
    assert_eq!(again.status.code(), Some(2));
    let why = String::from_utf8_lossy(&again.stderr);
    has(&why, "holds something already");
    std::fs::remove_dir_all(&folder).expect("removed");
}
