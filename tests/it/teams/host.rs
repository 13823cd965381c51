//! The host's acts during a match: taking back, the time, the talk, names, teams.

use perplex::texts::team::duties_in_words;
use perplex_games::perplexichess::Line;
use perplex_games::rules::Rules as _;
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::Span;
use perplex_matches::team::event::TalkMode;
use perplex_matches::team::policy::{Viewer as Looks, rights};
use perplex_matches::team::record::Record;

use super::rules::{HOST, NOW, Table, member, started};
use super::*;

impl Table {
    fn version(&self, board: u8) -> u32 {
        version(&self.state, board)
    }

    fn fen(&self, board: u8) -> String {
        let board = self.state.boards.board(BoardNo(board)).expect("a board");
        board.position().position()
    }

    /// Lets the host take back the last line on a board.
    fn takes_back(&mut self, board: u8) {
        let (seen, number) = (self.version(board), BoardNo(board));
        self.does(
            HOST,
            &Command::TakeBack {
                board: number,
                seen,
            },
        );
        assert_eq!(self.version(board), seen + 1);
        assert_eq!(
            self.state.status(number).expect("there").touched,
            self.state.head
        );
        self.is_as_if_nothing_had_been_taken_back();
    }

    fn transfers(&mut self, who: u16, text: &str, kind: Kind) {
        let Line::Transfer(transfer) = self.state.boards.read(text).expect("possible") else {
            unreachable!()
        };
        self.does(member(who), &Command::Transfer { transfer, kind });
    }

    /// The lines of the record.
    fn record(&self) -> String {
        let name = |actor: Actor| actor.to_string();
        let log = self.state.log.iter().map(Arc::as_ref);
        let host = Looks {
            host: true,
            ..Looks::default()
        };
        let rights = rights(&self.state, &host);
        let record = Record::new(&self.state, &rights, name, duties_in_words, log).to_string();
        record.split_once("\n\n").expect("a record").1.to_owned()
    }
}

const BOARD: [BoardNo; 4] = [BoardNo(0), BoardNo(1), BoardNo(2), BoardNo(3)];

#[test]
fn the_last_line_is_taken_back() {
    let mut table = started(Sight::Open);
    let start = table.fen(1);
    let nothing = Command::TakeBack {
        board: BOARD[1],
        seen: 0,
    };
    table.refuses(HOST, &nothing, "Nothing has been played");
    table.does(member(2), &play(1, 0, "e2e4"));
    let after = table.fen(1);
    let back = Command::TakeBack {
        board: BOARD[1],
        seen: 1,
    };
    table.refuses(member(2), &back, "Only the host");
    table.takes_back(1);
    assert_eq!(table.fen(1), start);
    assert_eq!(table.record(), "");
    // A second click finds another version.
    table.refuses(HOST, &back, "has changed");
    // So do acts of members who saw the board as it was, or as it is now and was before.
    table.refuses(member(7), &play(1, 1, "e7e5"), "has changed");
    table.refuses(member(2), &play(1, 0, "e2e4"), "has changed");
    table.does(member(2), &play(1, 2, "e2e4"));
    assert_eq!(table.fen(1), after);
    table.does(member(7), &play(1, 3, "e7e5"));
    table.does(member(3), &play(2, 0, "d2d4"));
    // The other board stays as it is.
    table.takes_back(1);
    assert_eq!((table.fen(1), table.version(2)), (after, 1));
    assert_eq!(table.record(), "1 e2e4\n2 d2d4\n");
    let again = Match::replay(&table.journal).expect("a journal");
    assert_eq!(
        (again.statuses, again.log),
        (table.state.statuses.clone(), table.state.log.clone())
    );
}

#[test]
fn offers_and_disputes_go_and_come_with_what_is_taken_back() {
    let mut table = started(Sight::Open);
    let offer = |table: &Table, board: u8| {
        table
            .state
            .status(BOARD[usize::from(board)])
            .expect("there")
            .offer
    };
    // Black's offer was made before White's move, which declined it: it stands again.
    table.does(member(7), &Command::Offer(BOARD[1]));
    table.does(member(2), &play(1, 0, "e2e4"));
    assert_eq!(offer(&table, 1), None);
    table.takes_back(1);
    assert_eq!(offer(&table, 1), Some(Side::Second));
    // An offer made after the move goes with it.
    table.does(member(2), &play(1, 2, "e2e4"));
    table.does(member(2), &Command::Offer(BOARD[1]));
    table.takes_back(1);
    assert_eq!(offer(&table, 1), Some(Side::Second));
    let accept = Command::AcceptDraw(BOARD[1]);
    table.refuses(member(7), &accept, "no draw offer");
    // The host's decision is taken back: the dispute waits again.
    let rule = "rule N written \"A knight may pass.\"";
    table.does(member(3), &play(2, 0, rule));
    table.does(member(8), &Command::Dispute(BOARD[2]));
    table.does(HOST, &Command::Decide(BOARD[2], true));
    let status = |table: &Table| table.state.status(BOARD[2]).expect("there").clone();
    let makers = |table: &Table| -> Vec<String> {
        let made = table.state.changes_made(BOARD[2]);
        made.map(|logged| logged.event.by.to_string()).collect()
    };
    assert_eq!(makers(&table), ["3"]);
    table.takes_back(2);
    assert!(status(&table).disputed && makers(&table).is_empty());
    table.does(HOST, &Command::Decide(BOARD[2], true));
    assert_eq!(makers(&table), ["3"]);
    // And the proposal itself: no question waits any more.
    table.takes_back(2);
    table.takes_back(2);
    assert!(!status(&table).disputed);
    table.refuses(
        HOST,
        &Command::Decide(BOARD[2], true),
        "Nothing is disputed",
    );
    table.does(member(3), &play(2, table.version(2), "d2d4"));
}

#[test]
fn a_transfer_is_taken_back_from_both_boards() {
    let mut table = started(Sight::Open);
    table.does(member(2), &play(1, 0, "e2e4"));
    table.does(member(7), &play(1, 1, "e7e5"));
    table.transfers(1, "w e4 1>3", Kind::Pawn);
    table.does(member(4), &play(3, 1, "d2d4"));
    // On board 3 more has happened since.
    let back = Command::TakeBack {
        board: BOARD[1],
        seen: 3,
    };
    let why = table.refusal(HOST, &back);
    has(&why, "board 3");
    has(&why, "first");
    table.takes_back(3);
    let versions = [table.version(1), table.version(3)];
    table.takes_back(1);
    assert_eq!(
        [table.version(1), table.version(3)],
        versions.map(|version| version + 1)
    );
    assert_eq!(
        table.state.status(BOARD[3]).expect("there").touched,
        table.state.head
    );
    assert_eq!(table.record(), "1 e2e4\n1 e7e5\n");
    let read = table.state.boards.read("w e4 1>3");
    assert!(read.is_ok(), "{read:?}");
}

#[test]
fn the_end_of_a_board_is_taken_back_unless_it_ended_the_match() {
    let mut table = started(Sight::Open);
    // Resigned, drawn, and mated.
    table.does(member(2), &Command::Resign(BOARD[1]));
    table.does(member(3), &Command::Offer(BOARD[2]));
    table.does(member(8), &Command::AcceptDraw(BOARD[2]));
    for (seen, turn) in (0..).zip(["f2f3", "e7e5", "g2g4"]) {
        let who = if seen % 2 == 0 { 4 } else { 9 };
        table.does(member(who), &play(3, seen, turn));
    }
    let before = table.fen(3);
    for board in 1..=2 {
        table.takes_back(board);
        let found = table.state.boards.board(BoardNo(board)).expect("there");
        assert_eq!(
            (found.outcome(), found.to_move()),
            (None, Some(Side::First))
        );
    }
    table.does(member(9), &play(3, 3, "d8h4"));
    assert_eq!(table.state.boards.score().black, 1);
    table.takes_back(3);
    assert_eq!(
        (table.fen(3), table.state.boards.score().black),
        (before, 0)
    );
    // When all have ended, it is over.
    table.does(member(9), &play(3, 5, "d8h4"));
    table.does(member(2), &Command::Resign(BOARD[1]));
    table.does(member(3), &Command::Resign(BOARD[2]));
    assert_eq!(table.state.phase, Phase::Over);
    for board in 1..=3_u8 {
        let seen = table.version(board);
        let back = Command::TakeBack {
            board: BoardNo(board),
            seen,
        };
        table.refuses(HOST, &back, "over");
    }
}

#[test]
fn the_clock_stands_while_nobody_can_play() {
    let minutes = |minutes: i64| Time(NOW.0 + minutes * 60_000_000);
    let mut table = started(Sight::Open);
    let give_back = |table: &mut Table, since, until| {
        let events = table.state.give_back(&[(since, until)], until);
        for event in &events {
            table.state.apply(event).expect("it follows");
        }
        events.len()
    };
    let left = |table: &Table, now| table.state.time_left(now).expect("a limit").as_secs();
    assert_eq!(left(&table, minutes(10)), 3_000);
    assert_eq!(give_back(&mut table, minutes(10), minutes(40)), 1);
    assert_eq!(left(&table, minutes(40)), 3_000);
    assert_eq!(give_back(&mut table, minutes(10), minutes(40)), 0, "once");
    assert_eq!(table.state.deadline(), Some(minutes(90)));
    // A stopped clock loses nothing.
    table
        .try_to(HOST, &Command::Pause, minutes(50), 0)
        .expect("paused");
    assert_eq!(give_back(&mut table, minutes(51), minutes(55)), 0);
    table
        .try_to(HOST, &Command::Resume, minutes(60), 0)
        .expect("goes on");
    // It went on just after a note that people could play.
    assert_eq!(give_back(&mut table, minutes(59), minutes(70)), 1);
    assert_eq!(left(&table, minutes(70)), 2_400);
}

#[test]
fn the_time_is_extended_and_cut() {
    let mut table = started(Sight::Open);
    let left = |table: &Table| table.state.time_left(NOW).expect("a limit").as_secs();
    let more = |seconds: i32| Command::Time(Span::More(seconds));
    table.does(HOST, &more(600));
    assert_eq!(left(&table), 4_200);
    table.does(HOST, &more(-300));
    table.does(HOST, &Command::Pause);
    table.does(HOST, &Command::Time(Span::Left(90)));
    assert_eq!((left(&table), table.state.deadline()), (90, None));
    // Cutting the time ends no match.
    for span in [Span::More(-90), Span::More(-300), Span::Left(0)] {
        table.refuses(HOST, &Command::Time(span), "Nothing would be left");
    }
    table.refuses(HOST, &Command::Time(Span::Left(u32::MAX)), "60 days");
    table.refuses(member(1), &more(60), "Only the host");
    let later = Time(NOW.0 + 1_000_000_000);
    table
        .try_to(HOST, &Command::Resume, later, 0)
        .expect("goes on");
    assert_eq!(table.state.deadline(), Some(Time(later.0 + 90_000_000)));
    // A match without a limit is given one, in figures only.
    let mut endless = Table::new(over_days());
    for number in 1..=2 {
        let side = if number == 1 {
            Side::First
        } else {
            Side::Second
        };
        endless.does(member(number), &Command::Join(MemberId(number), Some(side)));
    }
    endless.refuses(HOST, &Command::Time(Span::Left(60)), "not begun");
    endless.does(HOST, &Command::Start { short: true });
    endless.refuses(HOST, &more(60), "no time limit");
    endless.does(HOST, &Command::Time(Span::Left(60)));
    assert_eq!(left(&endless), 60);
}

#[test]
fn people_are_moved_and_replaced() {
    let mut table = started(Sight::Open);
    let duties = |table: &Table, side: Side| table.state.team(side).duties.to_string();
    let touched =
        |table: &Table, board: usize| table.state.status(BOARD[board]).expect("there").touched;
    // Bo of board 1 goes to Black: Eve, the agent, takes over, and both see the boards anew.
    let go = Command::Team(MemberId(2), Some(Side::Second));
    for who in [1, 2, 6] {
        table.refuses(member(who), &go, "Only the host");
    }
    table.does(HOST, &go);
    assert_eq!(
        (duties(&table, Side::First), duties(&table, Side::Second)),
        ("1 5 3 4".to_owned(), "6 7 8 9".to_owned())
    );
    assert_eq!(touched(&table, 1), table.state.head);
    assert!(touched(&table, 2) < table.state.head - 1);
    // To no team, and back.
    table.does(HOST, &Command::Team(MemberId(7), None));
    assert_eq!(duties(&table, Side::Second), "6 2 8 9");
    assert_eq!(table.state.side_of(MemberId(7)), None);
    table.does(HOST, &Command::Team(MemberId(7), Some(Side::First)));
    // A small team has six members at most.
    table.does(member(11), &Command::Join(MemberId(11), Some(Side::First)));
    let full = Command::Team(MemberId(10), Some(Side::First));
    table.refuses(HOST, &full, "full");
    // Dee is absent: Gus, an agent now, takes board 3; the absent get nothing in return.
    table.does(HOST, &Command::Replace(MemberId(4), MemberId(7)));
    assert_eq!(duties(&table, Side::First), "1 5 3 7");
    // Short-handed, a member with a board takes a second one.
    table.does(HOST, &Command::Replace(MemberId(7), MemberId(3)));
    assert_eq!(duties(&table, Side::First), "1 5 3 3");
    for (absent, by, why) in [
        (4, 7, "nothing to take over"),
        (3, 8, "same team"),
        (3, 3, "Another member"),
    ] {
        let replace = Command::Replace(MemberId(absent), MemberId(by));
        table.refuses(HOST, &replace, why);
        table.refuses(member(1), &replace, "Only the host");
    }
}

#[test]
fn what_the_host_does_all_may_know() {
    let mut table = started(Sight::Open);
    let looks = |number: u16| Looks {
        member: Some(MemberId(number)),
        ..Looks::default()
    };
    assert!(rights(&table.state, &looks(2)).speak);
    table.refuses(member(2), &Command::Talk(TalkMode::Frozen), "Only the host");
    table.does(HOST, &Command::Talk(TalkMode::Frozen));
    assert!(!rights(&table.state, &looks(2)).speak);
    let host = Looks {
        host: true,
        ..Looks::default()
    };
    assert!(rights(&table.state, &host).speak);
    table.does(HOST, &Command::Rename(MemberId(2)));
    // The renamed member plays board 1, so that board counts as changed.
    assert_eq!(
        table.state.status(BOARD[1]).expect("there").touched,
        table.state.head
    );
    let removal = Command::RemoveMessage(3, Actor::Member(MemberId(2)));
    table.does(HOST, &removal);
    let head = table.state.head;
    table.does(HOST, &removal);
    assert_eq!(table.state.head, head);
    // The host keeps order after the end, too.
    table.does(HOST, &Command::Stop);
    table.does(HOST, &Command::Talk(TalkMode::Phrases));
    table.does(HOST, &Command::Rename(MemberId(3)));
    let what: Vec<String> = table
        .journal
        .iter()
        .map(|event| event.kind.to_string())
        .collect();
    assert_eq!(
        what[what.len() - 6..],
        [
            "talk frozen",
            "rename 2",
            "remove-message 3 2",
            "line time",
            "talk phrases",
            "rename 3"
        ]
    );
    let phrases = Table::new(Terms {
        phrases: true,
        ..terms()
    });
    assert_eq!(phrases.state.talk, TalkMode::Phrases);
}

#[test]
fn a_pause_is_no_waiting_and_ends_none() {
    let mut table = started(Sight::Open);
    let minutes = |count: u64| NOW + Duration::from_mins(count);
    for (command, at) in [(Command::Pause, 3), (Command::Resume, 10)] {
        table.try_to(HOST, &command, minutes(at), 0).expect("led");
    }
    for (since, played) in [(0, 5), (1, 4), (5, 2), (11, 1)] {
        let found = table.state.played_since(minutes(since), minutes(12));
        assert_eq!(found, Duration::from_mins(played), "since {since}");
    }
}
