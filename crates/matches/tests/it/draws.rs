//! Draws between two players, by correspondence and on a team's board: claims, offers that meet, the life of an offer.

use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::rules::{Reason, Rules as _, Side};
use perplex_matches::correspondence;
use perplex_matches::id::AccountId;
use perplex_matches::journal::{Aggregate, EventOf};
use perplex_matches::team::event::MemberId;
use perplex_matches::team::happened::Happened;
use perplex_matches::team::{self, Who};
use perplex_matches::time::Time;

use super::length::{match_of, team_match_of};

const BOARD: BoardNo = BoardNo(1);
const WHITE: Side = Side::First;
const BLACK: Side = Side::Second;

/// What a player does.
enum Deed<'a> {
    Offer,
    Accept,
    Decline,
    /// A turn, and true if a draw is claimed or offered with it.
    Play(&'a str, bool),
}

use Deed::{Accept, Decline, Offer, Play};

/// A game of Flexichess in a match.
trait Played: Sized {
    /// The match in which knights have gone out and back for so many turns.
    fn after(rules: u16, turns: usize) -> Self;
    /// Does something that is allowed, and gives what follows from it: `turn`, `offer`, `decline`, `draw`.
    fn does(&mut self, side: Side, deed: &Deed) -> Vec<&'static str>;
    fn offer(&self) -> Option<Side>;
    fn drawn(&self) -> Option<Reason>;
    /// The moves since a capture or a move of a pawn, and the legal turns.
    fn quiet(&self) -> (u32, Vec<String>);
    fn claims(&self) -> bool;
}

fn apply<M: Aggregate>(state: &mut M, events: &[EventOf<M>]) -> Vec<&'static str> {
    let words = ["turn", "offer", "decline", "draw"];
    let mut all = Vec::new();
    for event in events {
        state.apply(event).expect("what was decided follows");
        let text = event.kind.to_string();
        let word = match text.split(' ').next() {
            Some("accept" | "claim") => "draw",
            Some("line") if text == "line 1 draw" => "draw",
            Some("line") => "turn",
            word => words
                .into_iter()
                .find(|known| Some(*known) == word)
                .unwrap_or_else(|| panic!("{text}")),
        };
        all.push(word);
    }
    all
}

fn quiet_moves(fen: &str) -> u32 {
    let field = fen.split(' ').nth(4).expect("a count");
    field.parse().expect("a number")
}

impl Played for correspondence::Match {
    fn after(rules: u16, turns: usize) -> Self {
        match_of(rules, turns).expect("a journal")
    }

    fn does(&mut self, side: Side, deed: &Deed) -> Vec<&'static str> {
        use correspondence::Command;
        let command = match *deed {
            Offer => Command::Offer,
            Accept => Command::Accept,
            Decline => Command::Decline,
            Play(turn, offer) => Command::Play {
                ply: self.turns.len(),
                turn: turn.to_owned(),
                offer,
            },
        };
        let who = AccountId(["ann", "ben"][side.index()].to_owned());
        let events = self.decide(&who, &command, Time(0), 0).expect("allowed");
        apply(self, &events)
    }

    fn offer(&self) -> Option<Side> {
        self.offer
    }

    fn drawn(&self) -> Option<Reason> {
        let outcome = self.outcome?;
        assert_eq!(outcome.winner, None);
        Some(outcome.reason)
    }

    fn quiet(&self) -> (u32, Vec<String>) {
        (quiet_moves(&self.game.position()), self.game.legal())
    }

    fn claims(&self) -> bool {
        self.game.claim().is_some()
    }
}

fn board(state: &team::Match) -> &Board {
    state.boards.board(BOARD).expect("a board")
}

/// The boardman of a side.
fn boardman(side: Side) -> Who {
    Who {
        host: false,
        member: Some(MemberId([1, 2][side.index()])),
    }
}

impl Played for team::Match {
    fn after(rules: u16, turns: usize) -> Self {
        team_match_of(rules, turns).expect("a journal")
    }

    fn does(&mut self, side: Side, deed: &Deed) -> Vec<&'static str> {
        use team::Command;
        let command = match *deed {
            Offer => Command::Offer(BOARD),
            Accept => Command::AcceptDraw(BOARD),
            Decline => Command::Decline(BOARD),
            Play(turn, offer) => Command::Play {
                board: BOARD,
                seen: board(self).version(),
                turn: turn.to_owned(),
                offer,
            },
        };
        let events = self.decide(&boardman(side), &command, Time(0), 0);
        apply(self, &events.expect("allowed"))
    }

    fn offer(&self) -> Option<Side> {
        self.status(BOARD)?.offer
    }

    fn drawn(&self) -> Option<Reason> {
        let outcome = board(self).outcome()?;
        assert_eq!(outcome.winner, None);
        // The log says the same.
        let agreed = self.log.iter().find_map(|logged| match logged.happened {
            Happened::Drawn { accepted, .. } => Some(accepted),
            _ => None,
        });
        assert_eq!(agreed, Some(outcome.reason == Reason::Agreement));
        Some(outcome.reason)
    }

    fn quiet(&self) -> (u32, Vec<String>) {
        let legal = board(self).legal();
        let mut legal: Vec<String> = legal.iter().map(ToString::to_string).collect();
        legal.sort_unstable();
        (quiet_moves(&board(self).position().position()), legal)
    }

    fn claims(&self) -> bool {
        board(self).claim().is_some()
    }
}

fn right_claims<M: Played + Clone>() {
    // Claims hold in matches that began before there were any by correspondence.
    for rules in [1, 2] {
        // The first position for the third time, with White to move.
        let mut state = M::after(rules, 8);
        assert_eq!(state.does(BLACK, &Offer), ["offer"], "not his turn");
        assert_eq!(state.does(WHITE, &Offer), ["draw"]);
        assert_eq!(state.drawn(), Some(Reason::Repetition));

        // Shortly after an offer.
        let mut state = M::after(rules, 6);
        assert_eq!(state.does(WHITE, &Play("f3g1", true)), ["turn", "offer"]);
        assert_eq!(state.does(BLACK, &Decline), ["decline"]);
        assert_eq!(state.does(BLACK, &Play("f6g8", false)), ["turn"]);
        assert_eq!(state.does(WHITE, &Offer), ["draw"]);
        assert_eq!(state.drawn(), Some(Reason::Repetition));

        // With the turn that brings it about; the one before it is an offer.
        let mut state = M::after(rules, 6);
        assert_eq!(state.does(WHITE, &Play("f3g1", true)), ["turn", "offer"]);
        assert_eq!(state.does(BLACK, &Play("f6g8", true)), ["turn", "draw"]);
        assert_eq!(state.drawn(), Some(Reason::Repetition));
    }
}

/// Plays until nothing has been captured, and no pawn has moved, for so many moves of both sides.
fn plays_quietly<M: Played + Clone>(until: u32) -> (M, Side) {
    let mut state = M::after(2, 0);
    let mut chance = 20_261_129_u64;
    println!("the seed is {chance}");
    let mut mover = WHITE;
    loop {
        let (quiet, legal) = state.quiet();
        if quiet == until {
            return (state, mover);
        }
        let mut next = None;
        for _ in 0..200 {
            chance = chance
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = usize::try_from(chance >> 33).expect("small") % legal.len();
            let mut tried = state.clone();
            tried.does(mover, &Play(&legal[at], false));
            let goes_on = tried.drawn().is_none() && !tried.quiet().1.is_empty();
            let is_due = quiet + 1 >= 100;
            if goes_on && tried.quiet().0 == quiet + 1 && tried.claims() == is_due {
                next = Some(tried);
                break;
            }
        }
        state = next.expect("a quiet turn");
        mover = mover.other();
    }
}

fn fifty_moves<M: Played + Clone>() {
    let (mut state, mover) = plays_quietly::<M>(100);
    assert_eq!(state.does(mover, &Offer), ["draw"]);
    assert_eq!(state.drawn(), Some(Reason::NoProgress));

    let (state, mover) = plays_quietly::<M>(99);
    let (_, legal) = state.quiet();
    let mut reasons = Vec::new();
    for turn in legal {
        let mut tried = state.clone();
        let follows = tried.does(mover, &Play(&turn, true));
        let is_quiet = tried.quiet().0 == 100 || tried.drawn().is_some();
        assert_eq!(
            follows[1],
            if is_quiet { "draw" } else { "offer" },
            "{turn}"
        );
        reasons.extend(tried.drawn());
    }
    assert!(reasons.contains(&Reason::NoProgress));
}

fn life_of_offers<M: Played + Clone>() {
    // It stands after the turn of the side that made it, until the other side plays.
    let mut state = M::after(2, 0);
    assert_eq!(state.does(WHITE, &Offer), ["offer"]);
    // To offer again with the turn adds nothing.
    assert_eq!(state.does(WHITE, &Play("e2e4", true)), ["turn"]);
    assert_eq!(state.offer(), Some(WHITE));
    let mut accepted = state.clone();
    assert_eq!(accepted.does(BLACK, &Accept), ["draw"]);
    assert_eq!(accepted.drawn(), Some(Reason::Agreement));
    assert_eq!(state.does(BLACK, &Play("e7e5", false)), ["turn"]);
    assert_eq!(state.offer(), None);

    // An answer to a proposal is no turn in reply.
    let mut state = M::after(2, 0);
    let proposal = "rule N written \"A knight may pass.\"";
    assert_eq!(state.does(WHITE, &Play(proposal, true)), ["turn", "offer"]);
    assert_eq!(state.does(BLACK, &Play("accept", false)), ["turn"]);
    assert_eq!(state.offer(), Some(WHITE));
    assert_eq!(state.does(BLACK, &Play("e7e5", false)), ["turn"]);
    assert_eq!(state.offer(), None);

    // A wrong claim is no other offer so soon after one; the turn stands.
    let mut state = M::after(2, 7);
    assert_eq!(state.does(BLACK, &Offer), ["offer"]);
    assert_eq!(state.does(WHITE, &Decline), ["decline"]);
    let follows = state.does(BLACK, &Play("e7e5", true));
    assert_eq!(follows[0], "turn");
    assert_eq!(state.drawn(), None);

    // Under version 1 every turn withdrew it.
    let mut state = M::after(1, 0);
    assert_eq!(state.does(WHITE, &Offer), ["offer"]);
    assert_eq!(state.does(WHITE, &Play("e2e4", false)), ["turn"]);
    assert_eq!(state.offer(), None);
}

fn offers_that_meet<M: Played + Clone>() {
    for rules in [1, 2] {
        let mut state = M::after(rules, 0);
        assert_eq!(state.does(BLACK, &Offer), ["offer"]);
        assert_eq!(state.does(WHITE, &Offer), ["draw"]);
        assert_eq!(state.drawn(), Some(Reason::Agreement));

        let mut state = M::after(rules, 0);
        assert_eq!(state.does(WHITE, &Play("e2e4", true)), ["turn", "offer"]);
        assert_eq!(state.does(BLACK, &Play("e7e5", true)), ["turn", "draw"]);
        assert_eq!(state.drawn(), Some(Reason::Agreement));
    }
}

#[test]
fn a_claim_that_is_right_ends_the_game() {
    right_claims::<correspondence::Match>();
    right_claims::<team::Match>();
    fifty_moves::<correspondence::Match>();
    fifty_moves::<team::Match>();
}

#[test]
fn an_offer_outlives_the_turn_of_its_side() {
    life_of_offers::<correspondence::Match>();
    life_of_offers::<team::Match>();
    // The side is told until it plays again.
    let mut state = correspondence::Match::after(2, 0);
    state.does(WHITE, &Play("e2e4", true));
    assert_eq!(state.declined(WHITE), None);
    state.does(BLACK, &Play("e7e5", false));
    let [white, black] = [WHITE, BLACK].map(|side| state.declined(side));
    assert_eq!(white.map(|declined| declined.event), Some(state.head));
    assert_eq!(white.map(|declined| &*declined.by.0), Some("ben"));
    assert_eq!(black, None);
    state.does(WHITE, &Play("d2d4", false));
    assert_eq!(state.declined(WHITE), None);
    // One's own turn is no answer, even where it ends the offer.
    let mut state = correspondence::Match::after(1, 0);
    state.does(WHITE, &Offer);
    state.does(WHITE, &Play("e2e4", false));
    assert_eq!((state.offer, state.declined(WHITE)), (None, None));
    // Nor is a pass that the server plays.
    let mut state = correspondence::Match::after(2, 0);
    state.does(BLACK, &Offer);
    let pass = correspondence::event::Event {
        number: state.head + 1,
        at: Time(0),
        by: None,
        kind: "turn e2e4".parse().expect("an event"),
    };
    state.apply(&pass).expect("a turn");
    assert_eq!((state.offer, state.declined(BLACK)), (Some(BLACK), None));
}

#[test]
fn an_offer_that_was_declined_stays_so_after_the_turn_before_it_is_taken_back() {
    let mut state = team::Match::after(2, 0);
    state.does(WHITE, &Offer);
    state.does(WHITE, &Play("e2e4", false));
    let take_back = |state: &mut team::Match| {
        let host = Who {
            host: true,
            member: None,
        };
        let seen = board(state).version();
        let command = team::Command::TakeBack { board: BOARD, seen };
        let events = state.decide(&host, &command, Time(0), 0).expect("allowed");
        for event in &events {
            state.apply(event).expect("what was decided follows");
        }
    };
    let mut goes_on = state.clone();
    take_back(&mut goes_on);
    assert_eq!(goes_on.offer(), Some(WHITE));
    state.does(BLACK, &Decline);
    take_back(&mut state);
    assert_eq!(state.offer(), None);
    // An offer that is taken back takes its answer with it.
    state.does(WHITE, &Play("e2e4", true));
    state.does(BLACK, &Decline);
    take_back(&mut state);
    assert_eq!(state.offer(), None);
    assert_eq!(
        state.does(WHITE, &Play("e2e4", true)),
        ["turn", "offer"],
        "it may be made again"
    );
}

#[test]
fn a_board_is_offered_a_draw_once_a_turn() {
    let mut state = team::Match::after(2, 0);
    let last = |state: &team::Match| state.log.last().expect("a line").declined;
    state.does(WHITE, &Offer);
    state.does(BLACK, &Decline);
    assert_eq!(last(&state), None, "declined in words");
    let again = state.decide(&boardman(WHITE), &team::Command::Offer(BOARD), Time(0), 0);
    assert_eq!(again, Err(team::Refusal::OfferDeclined));
    state.does(WHITE, &Play("e2e4", false));
    assert_eq!(state.does(WHITE, &Offer), ["offer"]);
    // The other side's turn declines it, and the log has that.
    state.does(BLACK, &Play("e7e5", false));
    assert_eq!((state.offer(), last(&state)), (None, Some(WHITE)));
    // One's own turn declines nothing.
    state.does(BLACK, &Offer);
    state.does(WHITE, &Play("d2d4", false));
    assert_eq!(last(&state), Some(BLACK));
    let mut state = team::Match::after(2, 0);
    state.does(WHITE, &Offer);
    state.does(WHITE, &Play("e2e4", false));
    assert_eq!((state.offer(), last(&state)), (Some(WHITE), None));
    let mut state = team::Match::after(1, 0);
    state.does(WHITE, &Offer);
    state.does(WHITE, &Play("e2e4", false));
    assert_eq!((state.offer(), last(&state)), (None, None));
}

#[test]
fn who_claimed_a_draw_is_known() {
    let mut state = correspondence::Match::after(2, 8);
    state.does(WHITE, &Offer);
    assert_eq!(state.claimed, Some(AccountId("ann".to_owned())));
    let mut state = correspondence::Match::after(2, 1);
    state.does(WHITE, &Offer);
    state.does(BLACK, &Accept);
    assert_eq!(state.claimed, None);
}

#[test]
fn two_offers_that_meet_are_an_agreement() {
    offers_that_meet::<correspondence::Match>();
    offers_that_meet::<team::Match>();
}
