//! Decisions of correspondence matches: `policy::rights` says exactly what `Match::decide` allows,
//! for every kind of person in every phase and along random matches of every game; and the decided
//! events replay to the same state.

use std::time::Duration;

use perplex_games::registry::GAMES;
use perplex_games::rules::flexichess::CARDS;
use perplex_games::rules::{Reason, Seat, Side, TurnError};
use perplex_matches::correspondence::event::{Event, EventKind, Terms};
use perplex_matches::correspondence::notice::{MailKind, Stale, notices};
use perplex_matches::correspondence::policy::{Rights, rights};
use perplex_matches::correspondence::{
    Command, MOST_DAYS, Match, Phase, Refusal, TermsError, check_terms, create,
};
use perplex_matches::id::AccountId;
use perplex_matches::journal::Aggregate;
use perplex_matches::time::{Time, days};

const START: Time = Time(1_800_000_000_000_000);

fn id(name: &str) -> AccountId {
    AccountId(name.to_owned())
}

fn terms(game: &str, variant: &str, open: bool) -> Terms {
    Terms {
        variant: variant.to_owned(),
        open,
        ..Terms::of(game)
    }
}

fn join(wish: Option<&str>, by_link: bool) -> Command {
    Command::Join {
        wish: wish.map(str::to_owned),
        by_link,
    }
}

fn play(ply: usize, turn: &str, offer: bool) -> Command {
    Command::Play {
        ply,
        turn: turn.to_owned(),
        offer,
    }
}

/// A match and its journal.
#[derive(Clone)]
struct Story {
    events: Vec<Event>,
    state: Match,
}

impl Story {
    fn new(terms: Terms, challenge: Option<&str>) -> Self {
        let first = Some("first".to_owned()).filter(|_| terms.variant.is_empty());
        let events = create(&id("ann"), terms, first, challenge.map(id), START).expect("terms");
        let state = Match::replay(&events).expect("a journal");
        Self { events, state }
    }

    /// Does something that is allowed.
    fn act(mut self, who: &str, command: &Command) -> Self {
        let events = self.state.decide(&id(who), command, START, 0);
        for event in events.expect("allowed") {
            self.state.apply(&event).expect("what was decided follows");
            self.events.push(event);
        }
        self
    }

    fn turn(self, who: &str, turn: &str) -> Self {
        let ply = self.state.turns.len();
        self.act(who, &play(ply, turn, false))
    }
}

/// Every phase of a match of two, and the gathering of one of four, by name.
fn phases() -> Vec<(&'static str, Story)> {
    let open = Story::new(terms("quixo", "", true), None);
    let closed = Story::new(terms("quixo", "", false), None);
    let challenge = Story::new(terms("quixo", "", false), Some("bea"));
    let playing = challenge.clone().act("bea", &join(None, false));
    let played = playing.clone().turn("ann", "c1-a1");
    let offered = played.clone().act("ann", &Command::Offer);
    let declined = offered.clone().act("bea", &Command::Decline);
    let won = (0..4)
        .fold(playing.clone(), |story, _| {
            story.turn("ann", "a1-a5").turn("bea", "e1-e5")
        })
        .turn("ann", "a1-a5");
    let four = Story::new(terms("quixo", "four", true), None).act("bea", &join(None, false));
    let four_playing = four
        .clone()
        .act("cat", &join(None, false))
        .act("dan", &join(None, false));
    let chess = Story::new(terms("flexichess", "", false), Some("bea"));
    let claimable = (0..2).fold(chess.act("bea", &join(None, false)), |story, _| {
        let out = story.turn("ann", "Nf3").turn("bea", "Nf6");
        out.turn("ann", "Ng1").turn("bea", "Ng8")
    });
    vec![
        ("open, gathering", open.clone()),
        ("open, called off", open.act("ann", &Command::Withdraw)),
        ("closed, gathering", closed.clone()),
        ("closed, called off", closed.act("ann", &Command::Withdraw)),
        ("challenge", challenge.clone()),
        (
            "challenge, called off",
            challenge.clone().act("ann", &Command::Withdraw),
        ),
        (
            "challenge, declined",
            challenge.clone().act("bea", &Command::Refuse),
        ),
        (
            "challenge, taken by link",
            challenge.act("cat", &join(None, true)),
        ),
        ("begun", playing.clone()),
        ("after a turn", played),
        ("draw on offer", offered.clone()),
        ("draw declined", declined.clone()),
        (
            "draw on offer after one was declined",
            declined.turn("bea", "e1-a1").act("bea", &Command::Offer),
        ),
        (
            "draw on offer, and played on",
            playing
                .clone()
                .act("ann", &Command::Offer)
                .turn("ann", "c1-a1"),
        ),
        ("drawn", offered.act("bea", &Command::Accept)),
        ("draw to claim", claimable),
        ("resigned", playing.act("bea", &Command::Resign)),
        ("won", won),
        ("four, gathering", four.clone()),
        (
            "four, one has left",
            four.clone().act("bea", &Command::Leave),
        ),
        ("four, begun", four_playing),
        ("four, called off", four.act("ann", &Command::Withdraw)),
    ]
}

/// The rights as `decide` grants them, asked one by one.
fn allowed(state: &Match, who: &AccountId, by_link: bool) -> Rights {
    let may = |command: &Command| state.decide(who, command, START, 7).is_ok();
    let follows = |command: &Command, kind: &EventKind| {
        let events = state.decide(who, command, START, 7);
        events.is_ok_and(|events| events.iter().any(|event| event.kind == *kind))
    };
    let ply = state.turns.len();
    // Without a legal turn, `decide` refuses the empty text.
    let turn = state.game.legal().into_iter().next().unwrap_or_default();
    let answer = may(&Command::Accept);
    assert_eq!(answer, may(&Command::Decline));
    let by = rights(state, Some(who), by_link);
    Rights {
        // These are not commands.
        see: by.see,
        talk: by.talk,
        seat: state.seat_of(who),
        play: may(&play(ply, &turn, false)),
        join: may(&join(None, by_link)),
        invite: may(&Command::Invite(id("zoe"))),
        refuse: may(&Command::Refuse),
        leave: may(&Command::Leave),
        withdraw: may(&Command::Withdraw),
        resign: may(&Command::Resign),
        claim: follows(&Command::Offer, &EventKind::Claim),
        offer: follows(&Command::Offer, &EventKind::Offer),
        // A turn that ends the game offers nothing.
        offer_with_turn: by.play && {
            let mut turns = state.game.legal().into_iter();
            turns.any(|turn| {
                let drawn = [EventKind::Offer, EventKind::Accept];
                let play = play(ply, &turn, true);
                drawn.iter().any(|kind| follows(&play, kind))
            })
        },
        answer,
    }
}

/// Checks the relations between a viewer's rights in any state.
fn check_rights(place: &str, state: &Match, who: &AccountId, by_link: bool) {
    let rights = rights(state, Some(who), by_link);
    let place = format!("{place}: {who}, link {by_link}");
    assert_eq!(rights, allowed(state, who, by_link), "{place}");
    let nothing = Rights {
        see: rights.see,
        ..Rights::default()
    };
    assert!(rights.see || rights == nothing, "{place}: done unseen");
    assert!(!rights.talk || rights.seat.is_some(), "{place}: talk");
    // A player who may play and may offer a draw can offer it with the turn, too, unless the turn
    // ends the game.
    if rights.play && rights.offer {
        let turn = &state.game.legal()[0];
        let offered = state.decide(who, &play(state.turns.len(), turn, true), START, 0);
        let events = offered.unwrap_or_else(|refusal| panic!("{place}: {refusal}"));
        let mut after = state.clone();
        for event in &events {
            after.apply(event).expect("what was decided follows");
        }
        let offers = events.iter().any(|event| event.kind == EventKind::Offer);
        assert_eq!(offers, after.phase == Phase::Playing, "{place}");
    }
}

#[test]
fn rights_say_what_decide_allows() {
    for (place, story) in phases() {
        for who in ["ann", "bea", "cat", "eve"] {
            for by_link in [false, true] {
                check_rights(place, &story.state, &id(who), by_link);
            }
        }
        for by_link in [false, true] {
            let guest = rights(&story.state, None, by_link);
            let stranger = rights(&story.state, Some(&id("eve")), by_link);
            assert_eq!(guest.see, stranger.see, "{place}");
            let only_seeing = Rights {
                see: guest.see,
                ..Rights::default()
            };
            assert_eq!(guest, only_seeing, "{place}");
        }
        // The server does nothing before a deadline.
        assert_eq!(story.state.time_out(START), [], "{place}");
    }
}

/// The rights of people in a few phases, in words: `rights` is not only consistent but right.
#[test]
fn rights_by_phase() {
    let can = |place: &str, who: &str| {
        let (who, by_link) = match who.strip_suffix(" by link") {
            Some(who) => (who, true),
            None => (who, false),
        };
        let phases = phases();
        let (_, story) = phases.iter().find(|(name, _)| *name == place).expect(place);
        let rights = rights(&story.state, Some(&id(who)), by_link);
        let all = [
            ("see", rights.see),
            ("talk", rights.talk),
            ("seat", rights.seat.is_some()),
            ("play", rights.play),
            ("join", rights.join),
            ("refuse", rights.refuse),
            ("leave", rights.leave),
            ("withdraw", rights.withdraw),
            ("resign", rights.resign),
            ("offer", rights.offer),
            ("answer", rights.answer),
        ];
        all.iter()
            .filter_map(|(name, has)| has.then_some(*name))
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (place, who, expected) in [
        ("open, gathering", "ann", "see withdraw"),
        ("open, gathering", "eve", "see join"),
        ("open, called off", "ann", "see"),
        ("open, called off", "eve", ""),
        ("closed, gathering", "eve", ""),
        ("closed, gathering", "eve by link", "see join"),
        ("challenge", "ann by link", "see withdraw"),
        ("challenge", "bea", "see join refuse"),
        ("challenge", "eve", ""),
        ("challenge, called off", "bea", "see"),
        ("challenge, declined", "ann", "see"),
        ("challenge, declined", "bea", ""),
        ("challenge, taken by link", "bea", "see"),
        ("begun", "ann", "see talk seat play resign offer"),
        ("begun", "bea", "see talk seat resign offer"),
        ("begun", "eve by link", "see"),
        ("after a turn", "bea", "see talk seat play resign offer"),
        ("draw on offer", "ann", "see talk seat resign"),
        ("draw on offer", "bea", "see talk seat play resign answer"),
        ("draw declined", "ann", "see talk seat resign"),
        ("drawn", "ann", "see talk seat"),
        ("won", "bea", "see talk seat"),
        ("won", "eve", "see"),
        ("four, gathering", "bea", "see leave"),
        ("four, gathering", "ann", "see withdraw"),
        ("four, one has left", "bea", "see join"),
    ] {
        assert_eq!(can(place, who), expected, "{place}: {who}");
    }
}

#[test]
fn refusals_say_why() {
    let phases = phases();
    let state = |place: &str| {
        let found = phases.iter().find(|(name, _)| *name == place);
        &found.expect(place).1.state
    };
    let refused = |place: &str, who: &str, command: &Command| {
        let decided = state(place).decide(&id(who), command, START, 0);
        decided.expect_err(place)
    };
    let turn = play(0, "c1-a1", false);
    for (place, who, command, expected) in [
        (
            "open, gathering",
            "ann",
            &turn,
            Refusal::NotPlaying(Phase::Gathering),
        ),
        ("won", "ann", &turn, Refusal::NotPlaying(Phase::Over)),
        ("begun", "bea", &turn, Refusal::NotYourTurn),
        ("after a turn", "ann", &turn, Refusal::Changed),
        ("after a turn", "bea", &turn, Refusal::Changed),
    ] {
        assert_eq!(refused(place, who, command), expected, "{place}: {who}");
    }
    let ahead = play(7, "c1-a1", false);
    assert_eq!(refused("begun", "ann", &ahead), Refusal::Changed);
    for wrong in ["c3-a3", "c1-a2", "x", "", "c1-a1 c1-a1"] {
        let refusal = refused("begun", "ann", &play(0, wrong, false));
        assert!(matches!(refusal, Refusal::Turn(_)), "{wrong}: {refusal}");
    }
    for (place, who, command, expected) in [
        ("begun", "eve", turn.clone(), Refusal::NotAPlayer),
        ("begun", "eve", Command::Resign, Refusal::NotAPlayer),
        ("begun", "eve", Command::Offer, Refusal::NotAPlayer),
        ("begun", "eve", join(None, true), Refusal::NotGathering),
        ("begun", "ann", Command::Withdraw, Refusal::CannotCallOff),
        ("begun", "ann", Command::Leave, Refusal::CannotLeave),
        ("begun", "ann", Command::Accept, Refusal::NoOffer),
        ("draw on offer", "ann", Command::Accept, Refusal::NoOffer),
        ("draw on offer", "ann", Command::Offer, Refusal::OfferStands),
        (
            "draw declined",
            "ann",
            Command::Offer,
            Refusal::OfferDeclined,
        ),
        (
            "challenge",
            "ann",
            join(None, true),
            Refusal::JoinedAlready { you: true },
        ),
        ("challenge", "eve", join(None, false), Refusal::NotInvited),
        ("challenge", "eve", Command::Refuse, Refusal::NotChallenged),
        (
            "challenge",
            "bea",
            join(Some("first"), false),
            Refusal::SeatTaken,
        ),
        (
            "challenge",
            "bea",
            join(Some("third"), false),
            Refusal::SeatTaken,
        ),
        (
            "challenge",
            "ann",
            Command::Invite(id("eve")),
            Refusal::CannotInvite,
        ),
    ] {
        assert_eq!(refused(place, who, &command), expected, "{place}: {who}");
    }
}

#[test]
fn the_journal_keeps_the_change_and_not_the_card() {
    let story = Story::new(terms("flexichess", "", false), Some("bea"))
        .act("bea", &join(None, false))
        .turn("ann", "card lazy-rook");
    let last = story.events.last().expect("a turn");
    assert_eq!(
        last.kind.to_string(),
        "turn rule R R3 \"Rooks go three squares at most.\""
    );
}

/// A journal as it is read back from its text.
fn read_back(events: &[Event]) -> Vec<Event> {
    let read = events.iter().map(|event| Event {
        kind: event.kind.to_string().parse().expect("reads back"),
        ..event.clone()
    });
    read.collect()
}

/// Wherever a match stands, a card is refused with a reason, or its journal replays to the position after it.
#[test]
fn every_card_replays_from_the_journal() {
    let seed = 20_261_126;
    let mut chance = Chance(seed);
    let mut played = [0; 2];
    for round in 0..200 {
        let mut story =
            Story::new(terms("flexichess", "", false), Some("bea")).act("bea", &join(None, false));
        for _ in 0..chance.below(40) {
            let Some(who) = story.state.player_to_move().cloned() else {
                break;
            };
            let legal = story.state.game.legal();
            let turn = legal[chance.below(legal.len())].clone();
            story = story.turn(&who.0, &turn);
        }
        let Some(who) = story.state.player_to_move().cloned() else {
            continue;
        };
        let replayed = Match::replay(&read_back(&story.events)).expect("a journal");
        let ply = story.state.turns.len();
        for card in CARDS {
            let place = format!("{} in round {round}, seed {seed}", card.id);
            let command = play(ply, &format!("card {}", card.id), false);
            let new = match story.state.decide(&who, &command, START, 0) {
                Ok(new) => new,
                Err(Refusal::Turn(TurnError::Illegal(illegal))) => {
                    assert!(!illegal.why.is_empty(), "{place}");
                    continue;
                }
                Err(other) => panic!("{place}: {other:?}"),
            };
            let after = |state: &Match, events: &[Event]| {
                let mut state = state.clone();
                for event in events {
                    state.apply(event).expect("what was decided follows");
                }
                state
            };
            let (told, read) = (
                after(&story.state, &new),
                after(&replayed, &read_back(&new)),
            );
            assert_eq!(told.game.position(), read.game.position(), "{place}");
            assert_ne!(told.game.position(), replayed.game.position(), "{place}");
            assert_eq!(told.turns, read.turns, "{place}");
            let text = new[0].kind.to_string();
            assert_eq!(text, format!("turn {}", card.turn()), "{place}");
            played[ply % 2] += 1;
        }
    }
    assert!(played.iter().all(|&count| count > 1_000), "{played:?}");
}

#[test]
fn a_draw_is_offered_again_after_a_turn() {
    let phases = phases();
    let declined = phases.iter().find(|(name, _)| *name == "draw declined");
    let story = declined.expect("a phase").1.clone().turn("bea", "e1-a1");
    let turn = |story: &Story| story.state.game.legal()[0].clone();
    let next = turn(&story);
    let story = story.turn("ann", &next);
    let rights = rights(&story.state, Some(&id("ann")), false);
    assert!(rights.offer);
    // A turn declines the standing offer.
    let story = story.act("ann", &Command::Offer);
    assert_eq!(story.state.offer, Some(Side::First));
    let next = turn(&story);
    let story = story.turn("bea", &next);
    assert_eq!(story.state.offer, None);
}

#[test]
fn whatever_comes_after_the_deadline_finds_it_passed() {
    let late = START + days(3);
    let just = late - Duration::from_micros(1);
    for (place, story) in phases() {
        let state = &story.state;
        if state.phase != Phase::Playing {
            assert_eq!(state.deadline, None, "{place}");
            assert_eq!(state.time_out(late), [], "{place}");
            continue;
        }
        let side = |who: &AccountId| state.side_of(who);
        let loser = state.player_to_move().and_then(side).expect("a side");
        assert_eq!(state.time_out(just), []);
        let timeout = Event {
            number: state.head + 1,
            at: late,
            by: None,
            kind: EventKind::Timeout,
        };
        assert_eq!(
            state.time_out(late),
            std::slice::from_ref(&timeout),
            "{place}"
        );
        let turn = state.game.legal()[0].clone();
        for (who, command) in [
            ("ann", play(state.turns.len(), &turn, false)),
            ("bea", play(state.turns.len(), &turn, false)),
            ("ann", Command::Resign),
            ("bea", Command::Accept),
        ] {
            let decided = state.decide(&id(who), &command, late, 0);
            assert_eq!(decided, Ok(vec![timeout.clone()]), "{place}");
        }
        let mut after = state.clone();
        after.apply(&timeout).expect("it follows");
        let outcome = after.outcome.expect("an outcome");
        assert_eq!(outcome.reason, Reason::Time, "{place}");
        assert_eq!(outcome.winner, Some(loser.other()), "{place}");
        assert_eq!(after.time_out(late), []);
    }
}

#[test]
fn time_in_which_nobody_could_play_is_given_back_once() {
    let moment = |hours: u64| START + Duration::from_secs(hours * 3_600);
    for (place, mut story) in phases() {
        let state = &mut story.state;
        let deadline = state.deadline;
        let short = moment(30) + Duration::from_mins(9);
        assert_eq!(
            state.give_back(&[(moment(30), short)], short),
            [],
            "{place}"
        );
        let first = (moment(30), moment(54));
        let given = state.give_back(&[first], moment(55));
        if state.phase != Phase::Playing {
            assert_eq!(given, [], "{place}");
            continue;
        }
        let [event] = given.as_slice() else {
            panic!("{place}: {given:?}");
        };
        assert_eq!(event.kind, EventKind::Away(86_400), "{place}");
        state.apply(event).expect("it follows");
        assert_eq!(state.deadline, deadline.map(|then| then + days(1)));
        assert_eq!(state.away, days(1));
        assert_eq!(state.give_back(&[first], moment(55)), [], "{place}");
        // A second outage follows while the first is still being given back elsewhere.
        let both = [first, (moment(60), moment(84))];
        for event in state.give_back(&both, moment(84)) {
            state.apply(&event).expect("it follows");
        }
        assert_eq!(state.away, days(2), "{place}");
        let turn = play(state.turns.len(), &state.game.legal()[0].clone(), false);
        let who = state.player_to_move().expect("a player").clone();
        for event in state.decide(&who, &turn, moment(85), 0).expect("in time") {
            state.apply(&event).expect("it follows");
        }
        assert_eq!(state.away, Duration::ZERO, "{place}");
        // The time of the next player began after both.
        assert_eq!(state.give_back(&both, moment(86)), [], "{place}");
    }
}

/// Two outages, neither given back yet: one event gives back both.
#[test]
fn all_times_are_given_back_together() {
    let (_, story) = phases()
        .into_iter()
        .find(|(_, story)| story.state.phase == Phase::Playing)
        .expect("one that is played");
    let hour = |hours: u64| START + Duration::from_secs(hours * 3_600);
    let given = story
        .state
        .give_back(&[(hour(30), hour(31)), (hour(31), hour(33))], hour(34));
    assert_eq!(given[0].kind, EventKind::Away(3 * 3_600));
}

#[test]
fn bad_terms_are_refused() {
    let for_days = |days| Terms {
        days,
        ..terms("quixo", "", true)
    };
    let no_variant = TermsError::NoSuchVariant {
        game: "Quixo",
        variant: "five".to_owned(),
    };
    for (wanted, expected) in [
        (
            terms("chess", "", true),
            TermsError::NoSuchGame("chess".to_owned()),
        ),
        (terms("quixo", "five", true), no_variant),
        (for_days(0), TermsError::Days(0)),
        (for_days(MOST_DAYS + 1), TermsError::Days(MOST_DAYS + 1)),
    ] {
        assert_eq!(check_terms(&wanted).expect_err("not right"), expected);
    }
    let made = |wish: Option<&str>, challenge: Option<&str>| {
        let wish = wish.map(str::to_owned);
        create(&id("ann"), for_days(3), wish, challenge.map(id), START)
    };
    let north = TermsError::NoSuchSeat("north".to_owned());
    assert_eq!(made(Some("north"), None), Err(north));
    assert_eq!(made(None, Some("ann")), Err(TermsError::OwnChallenge));
}

#[test]
fn journals_that_this_version_never_wrote_are_refused() {
    let story = &phases().pop().expect("one").1;
    assert!(Match::replay(&[]).is_err());
    assert!(Match::replay(&story.events[1..]).is_err());
    let mut gap = story.events.clone();
    gap.remove(1);
    assert!(Match::replay(&gap).is_err());
    let mut twice = story.events.clone();
    let again = twice[0].clone();
    twice.push(Event {
        number: story.state.head + 1,
        ..again
    });
    assert!(Match::replay(&twice).is_err());
}

/// Pseudo-random numbers from a seed: splitmix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).expect("small")).expect("small")
    }
}

/// A command that a person might try.
fn attempt(state: &Match, chance: &mut Chance) -> Command {
    let ply = state.turns.len();
    match chance.below(24) {
        0 => Command::Offer,
        1 => Command::Accept,
        2 => Command::Decline,
        3 if chance.below(8) == 0 => Command::Resign,
        4 if chance.below(4) == 0 => Command::Withdraw,
        5 if chance.below(4) == 0 => Command::Refuse,
        6 => Command::Leave,
        7..=9 => join(None, chance.below(2) == 0),
        10 => play(ply + 1, "pass", false),
        11 => play(ply, "nonsense", true),
        _ => {
            let legal = state.game.legal();
            let turn = match legal.len() {
                0 => String::new(),
                some => legal[chance.below(some)].clone(),
            };
            play(ply, &turn, chance.below(6) == 0)
        }
    }
}

#[test]
fn random_matches_of_every_game_replay_and_keep_to_the_rights() {
    let seed = 20_261_121;
    let mut chance = Chance(seed);
    let people = ["ann", "bea", "cat", "dan", "eve"];
    let mut over = 0;
    for entry in GAMES {
        for variant in entry.card.variants {
            for round in 0..6 {
                let place = format!("{} {} {round}, seed {seed}", entry.card.key, variant.key);
                let challenge = Some(id("bea")).filter(|_| round % 2 == 1);
                let terms = terms(entry.card.key, variant.key, round % 3 == 0);
                let mut events = create(&id("ann"), terms, None, challenge, START).expect("terms");
                let mut state = Match::replay(&events).expect("a journal");
                for step in 0..160 {
                    let who = id(people[chance.below(people.len())]);
                    let command = attempt(&state, &mut chance);
                    let decided = state.decide(&who, &command, START, chance.next());
                    let Ok(new) = decided else { continue };
                    let before = state.clone();
                    for event in &new {
                        state.apply(event).expect("what was decided follows");
                    }
                    check_notices(&place, &before, &state, &new);
                    events.extend(new);
                    if step % 8 == 0 {
                        check_rights(&place, &state, &who, step % 16 == 0);
                    }
                }
                // The journal as text and back gives the same state.
                let read = read_back(&events);
                assert_eq!(read, events, "{place}");
                let replayed = Match::replay(&read).expect("a journal");
                assert_eq!(replayed.game.position(), state.game.position(), "{place}");
                let facts = |state: &Match| {
                    (
                        state.head,
                        state.phase,
                        (state.joined.clone(), state.invited.clone()),
                        (state.turns.clone(), state.offer),
                        (state.deadline, state.outcome, state.ended),
                    )
                };
                assert_eq!(facts(&replayed), facts(&state), "{place}");
                over += usize::from(state.outcome.is_some());
            }
        }
    }
    assert!(over > 5, "hardly any match ended: {over}");
}

/// Checks the mails: at most one each, only to people of the match, always to the player to move
/// after another player's turn, and to everyone at the end.
fn check_notices(place: &str, before: &Match, after: &Match, events: &[Event]) {
    let notices = notices(after, events);
    let actor = events.first().and_then(|event| event.by.clone());
    for (number, notice) in notices.iter().enumerate() {
        let again = notices[..number].iter().any(|n| n.to == notice.to);
        assert!(!again, "{place}: two mails to {}", notice.to);
        let known = after
            .joined
            .iter()
            .any(|player| player.account == notice.to);
        assert!(known || after.invited.contains(&notice.to), "{place}");
        let stale = notice
            .kind
            .why_stale(after, notice.event, &notice.to, START);
        assert_eq!(stale, None, "{place}: {notice:?}");
    }
    let kind_to = |who: &AccountId| notices.iter().find(|n| n.to == *who).map(|n| n.kind);
    let turned = events
        .iter()
        .any(|event| matches!(event.kind, EventKind::Turn(_) | EventKind::Start(_)));
    if let Some(next) = after.player_to_move()
        && turned
        && (Some(next) != actor.as_ref() || before.phase == Phase::Gathering)
    {
        assert_eq!(kind_to(next), Some(MailKind::YourTurn), "{place}");
    }
    if after.phase == Phase::Over && before.phase == Phase::Playing {
        for player in &after.joined {
            assert_eq!(
                kind_to(&player.account),
                Some(MailKind::GameOver),
                "{place}"
            );
        }
    }
}

#[test]
fn a_mail_holds_until_something_else_is_true() {
    let (ann, bea) = (id("ann"), id("bea"));
    let stale = |kind: MailKind, story: &Story, event: i32, reader: &AccountId| {
        kind.why_stale(&story.state, event, reader, START)
    };
    let asked = Story::new(terms("quixo", "", false), Some("bea"));
    let head = asked.state.head;
    assert_eq!(stale(MailKind::Challenge, &asked, head, &bea), None);
    let refused = asked.clone().act("bea", &Command::Refuse);
    let answered = Some(Stale::Answered);
    assert_eq!(stale(MailKind::Challenge, &refused, head, &bea), answered);
    assert_eq!(
        stale(MailKind::Refused, &refused, refused.state.head, &ann),
        None
    );
    let begun = asked.act("bea", &join(None, false));
    assert_eq!(stale(MailKind::Challenge, &begun, head, &bea), answered);

    // Ann's turn, which Bea's offer of a draw does not end, but Ann's turn does.
    let first = begun.state.head;
    assert_eq!(stale(MailKind::YourTurn, &begun, first, &ann), None);
    assert_eq!(stale(MailKind::Started, &begun, first, &bea), None);
    let offered = begun.act("bea", &Command::Offer);
    let offer = offered.state.head;
    assert_eq!(stale(MailKind::YourTurn, &offered, first, &ann), None);
    assert_eq!(stale(MailKind::DrawOffer, &offered, offer, &ann), None);
    let played = offered.turn("ann", "c1-a1");
    let turn = played.state.head;
    let past = Some(Stale::Played);
    assert_eq!(stale(MailKind::YourTurn, &played, first, &ann), past);
    assert_eq!(stale(MailKind::Started, &played, first, &bea), past);
    assert_eq!(
        stale(MailKind::DrawOffer, &played, offer, &ann),
        Some(Stale::OfferGone)
    );
    assert_eq!(stale(MailKind::YourTurn, &played, turn, &bea), None);
    // It is Ann's turn again, and the mail about her first turn still does not hold.
    let again = played.turn("bea", "c5-a5");
    assert_eq!(stale(MailKind::YourTurn, &again, first, &ann), past);
    let head = again.state.head;
    assert_eq!(stale(MailKind::Reminder, &again, head, &ann), None);
    assert_eq!(stale(MailKind::Reminder, &again, head, &bea), past);
    let late = MailKind::Reminder.why_stale(&again.state, head, &ann, START + days(8));
    assert_eq!(late, Some(Stale::TimeUp));

    let over = again.act("ann", &Command::Resign);
    for kind in [MailKind::YourTurn, MailKind::Started, MailKind::Reminder] {
        assert_eq!(stale(kind, &over, head, &ann), Some(Stale::Over));
    }
    assert_eq!(
        stale(MailKind::GameOver, &over, over.state.head, &bea),
        None
    );
}

#[test]
fn wishes_are_kept_and_chance_seats_the_rest() {
    let mut seen = [false; 2];
    for chance in 0..8 {
        let events = create(&id("ann"), terms("quixo", "", true), None, None, START);
        let state = Match::replay(&events.expect("terms")).expect("a journal");
        let started = state.decide(&id("bea"), &join(None, false), START, chance);
        let mut state = state;
        for event in started.expect("allowed") {
            state.apply(&event).expect("it follows");
        }
        let Seat(seat) = state.seat_of(&id("ann")).expect("a seat");
        seen[usize::from(seat)] = true;
        let wished = Story::new(terms("quixo", "", true), None).state;
        assert_eq!(wished.free_seats(), ["second"]);
        let started = wished.decide(&id("bea"), &join(None, false), START, chance);
        let kind = &started.expect("allowed")[1].kind;
        assert_eq!(*kind, EventKind::Start(vec![id("ann"), id("bea")]));
    }
    assert_eq!(seen, [true, true]);
}
