//! Team matches in words: sides, duties, boards, results, terms; `events` has what happened.

use std::time::Duration;

use super::outcome::{self, because};
use super::{DELETED, capital, list, person};
use crate::app;
use crate::app::Winner;
use crate::app::team::Leader;
use crate::app::team::presence::There;
use crate::app::team::{TeamReader, TeamView};
use crate::texts::in_words;
use perplex_games::perplexichess::{Board, BoardNo, NoTransfer, Transfer};
use perplex_games::rules::{Outcome, Reason, Side};
use perplex_matches::classroom::seating::{Fit, Proposal};
use perplex_matches::team::emblem::Emblem;
use perplex_matches::team::event::{Actor, Deck, Duties, Duty, MemberId, Sight, Terms};
use perplex_matches::team::lineup::{Gap, Team};
use perplex_matches::team::notice::{Awaited, Waiting};
use perplex_matches::team::{Happened, Match, Phase};

mod events;

pub use events::{
    best, deed, for_projector, last_on, proposal_before, proposes_rule, sentence, since,
};

impl TeamReader {
    pub fn name(&self, member: MemberId) -> &str {
        match self.names.get(&member).map_or("", String::as_str) {
            "" => DELETED,
            name => name,
        }
    }

    pub fn actor(&self, actor: Actor) -> &str {
        match actor {
            Actor::Server => "Perplex",
            Actor::Host if self.is_lesson => "the teacher",
            Actor::Host => "the host",
            Actor::Member(member) => self.name(member),
        }
    }
}

pub const fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "White",
        Side::Second => "Black",
    }
}

/// The name of a team that chose an emblem: `Brave Stars`.
pub fn team_name(emblem: Emblem) -> String {
    format!("{} {}", capital(emblem.word), capital(emblem.sign))
}

/// A side with the name of its team: `The Brave Stars (White)`.
fn side_and_team(team: &Team, side: Side) -> String {
    let side = side_word(side);
    team.emblem.map_or_else(
        || side.to_owned(),
        |emblem| format!("The {} ({side})", team_name(emblem)),
    )
}

/// The gaps of a team: `a grand strategist`, `boardmen for boards 2 and 3`.
pub fn missing(gaps: &[Gap]) -> Vec<String> {
    gaps.iter().map(gap).collect()
}

fn gap(gap: &Gap) -> String {
    match gap {
        Gap::Strategist => "a grand strategist".to_owned(),
        Gap::Boardmen(boards) => {
            let boards: Vec<String> = boards.iter().map(ToString::to_string).collect();
            match &boards[..] {
                [one] => format!("a boardman for board {one}"),
                several => format!("boardmen for boards {}", list(several)),
            }
        }
        Gap::Shared => "a different person for each duty".to_owned(),
        Gap::FewerAgents(1) => "an agent".to_owned(),
        Gap::FewerAgents(fewest) => format!("{fewest} agents"),
        Gap::MoreAgents(most) => format!("fewer agents (at most {most})"),
    }
}

/// The difference between two sets of duties in words: `Bo takes board 2, Ada becomes agent`.
pub fn swap(before: &Duties, after: &Duties, name: impl Fn(MemberId) -> String) -> String {
    let mut people: Vec<MemberId> = Vec::new();
    for duty in after.all() {
        for holder in [after.holder(duty), before.holder(duty)] {
            people.extend(holder.filter(|_| after.holder(duty) != before.holder(duty)));
        }
    }
    let mut told: Vec<MemberId> = Vec::new();
    let mut clauses = Vec::new();
    for person in people {
        if told.contains(&person) {
            continue;
        }
        told.push(person);
        let duties = after.of(person);
        let verb = match duties.first() {
            Some(Duty::Board(_)) => "takes",
            _ => "becomes",
        };
        let words = duties_in_words(&duties);
        clauses.push(format!("{} {verb} {words}", name(person)));
    }
    clauses.join(", ")
}

/// The fit of a size for so many people, in a sentence.
pub fn proposal(proposal: &Proposal) -> String {
    let boards = proposal.size.boards();
    let teams = match (proposal.people / 2, proposal.people % 2) {
        (half, 0) => format!("two teams of {half}"),
        (half, _) => format!("teams of {half} and {}", half + 1),
    };
    match proposal.fit {
        Fit::Full => format!("{boards} boards, {teams}: everybody has a duty or is an agent."),
        Fit::NoAgent => format!(
            "{boards} boards, {teams}: every duty has a member, but a team has no agent to step in."
        ),
        Fit::Short(1) => {
            format!("{boards} boards, {teams}: short-handed by one, so one member has two duties.")
        }
        Fit::Short(lacking) => format!(
            "{boards} boards, {teams}: short-handed by {lacking}, so some have several duties."
        ),
        Fit::Crowded(1) => {
            format!("{boards} boards: one too many, who finds no place and looks on.")
        }
        Fit::Crowded(over) => {
            format!("{boards} boards: {over} too many, who find no place and look on.")
        }
        Fit::Empty => {
            let (fewest, _) = proposal.size.agents();
            let least = 2 * (1 + usize::from(boards) + fewest);
            let people = match Team::most(proposal.size) {
                Some(most) => format!("{least} to {}", 2 * most),
                None => format!("{least} or more"),
            };
            format!("{boards} boards: best for {people} people, and possible from two on.")
        }
    }
}

/// A transfer in the words said to the strategist who made it, without a full stop.
pub fn sent(transfer: &Transfer, kind: &str) -> String {
    let Transfer {
        square, from, to, ..
    } = transfer;
    format!("You sent the {kind} from board {from} to {square} on board {to}")
}

/// The result of a board or a match: `White won by checkmate`, `a draw by agreement`.
pub fn ended(outcome: Outcome) -> String {
    outcome::ended(outcome.winner.map(side_word), because(outcome.reason))
}

/// The result of a board in the fewest words: it says who won, not how.
pub fn ended_in_short(outcome: Outcome) -> String {
    let winner = outcome.winner.map(side_word);
    winner.map_or_else(|| "Drawn".to_owned(), |winner| format!("{winner} won"))
}

/// The sentence about the pieces of a board that was decided by play; `None` if they were counted, as all stay then.
pub fn left_there(outcome: Outcome, is_match_over: bool) -> Option<&'static str> {
    match (outcome.reason, is_match_over) {
        (Reason::Pieces, _) => None,
        (_, true) => Some("Both kings are off the board."),
        (_, false) => {
            Some("Both kings are off the board; its other pieces can still be sent elsewhere.")
        }
    }
}

pub fn how(board: &Board) -> String {
    let ended = board.outcome().map(|outcome| capital(&ended(outcome)));
    ended.unwrap_or_else(|| "Not decided yet".to_owned())
}

/// What asks everybody to look up, large.
pub const EYES_UP: &str = "Eyes up!";

/// Why a match rests for a moment.
pub fn stopped(leader: &str) -> String {
    format!("The {leader} has stopped the play for a moment.")
}

/// The word for the person who leads a match.
pub const fn leader(leader: Leader) -> &'static str {
    match leader {
        Leader::Host => "host",
        Leader::Teacher => "teacher",
    }
}

/// Boards in a row: "board 1", "boards 1, 2 and 5".
pub fn boards(boards: &[String]) -> String {
    match boards {
        [] => String::new(),
        [one] => format!("board {one}"),
        [most @ .., last] => format!("boards {} and {last}", most.join(", ")),
    }
}

/// The duties of a member: "grand strategist and board 2", "agent".
/// The rest of a sentence that begins with the member of a lesson who asks its teacher for help.
pub fn raised_hand(state: &Match, member: MemberId) -> String {
    let side = state.side_of(member);
    let duties = side.map(|side| state.team(side).duties.of(member));
    let duties = duties.map_or_else(|| OUTSIDE.to_owned(), |duties| duties_in_words(&duties));
    format!("asks for help ({duties})")
}

pub fn duties_in_words(duties: &[Duty]) -> String {
    let numbers: Vec<String> = duties
        .iter()
        .filter(|duty| **duty != Duty::Strategist)
        .map(Duty::to_string)
        .collect();
    let strategist = duties.contains(&Duty::Strategist);
    match (strategist, &numbers[..]) {
        (false, []) => "agent".to_owned(),
        (true, []) => "grand strategist".to_owned(),
        (false, numbers) => boards(numbers),
        (true, numbers) => format!("grand strategist and {}", boards(numbers)),
    }
}

/// Whether a member is there, in a table.
pub fn there(there: There) -> String {
    match there {
        There::Here => "here".to_owned(),
        There::Away(since) => format!("away {}", short(since)),
        There::NotYet => "not yet".to_owned(),
    }
}

/// Whether a member is there, as the rest of a sentence that begins with them.
pub fn is_there(there: There) -> String {
    match there {
        There::NotYet => "has not come yet".to_owned(),
        other => format!("is {}", self::there(other)),
    }
}

/// A length of time in a table.
pub fn short(duration: Duration) -> String {
    let minutes = duration.as_secs() / 60;
    match minutes {
        0 => "1 min".to_owned(),
        1..120 => format!("{minutes} min"),
        120..2880 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    }
}

/// The boards that wait for a member; empty without boards.
pub fn boards_wait(waiting: &[String]) -> String {
    match (waiting, boards(waiting)) {
        ([], _) => String::new(),
        ([_], board) => format!("{board} waits"),
        (_, boards) => format!("{boards} wait"),
    }
}

/// Told instead of the duties of a member who is in neither team.
pub const OUTSIDE: &str = "no team";

/// The reason why a board cannot receive a piece, for a place that names the board already.
pub fn reason_here(here: BoardNo, reason: &NoTransfer) -> String {
    match reason {
        NoTransfer::On { board, why } if *board == here => why.clone(),
        _ => reason.to_string(),
    }
}

/// The label of a button that sends a piece to another board.
pub fn to_board(number: BoardNo) -> String {
    format!("To board {number}")
}

/// The title of a board.
pub fn board(number: BoardNo) -> String {
    format!("Board {number}")
}

/// The title of a board whose picture is not described square by square: `position` is it in words.
pub fn board_in_words(number: BoardNo, position: &str) -> String {
    format!("Board {number}. {position}")
}

/// The title of a board with a turn that is not played yet.
pub fn board_if(number: BoardNo, turn: &str) -> String {
    format!("Board {number} if you play {turn}")
}

/// The title of a board with a change of a rule that is not made yet.
pub fn board_after_change(number: BoardNo) -> String {
    format!("Board {number} after the change")
}

/// The title of a board in the example of a transfer; `when` is `before` or `after`.
pub fn board_at_transfer(number: u8, when: &str) -> String {
    format!("Board {number} {when} the transfer")
}

/// The state of a board for a reader, who is `asked` if the board waits for them.
pub fn board_state(
    view: &TeamReader,
    outcome: Option<Outcome>,
    awaited: Option<Awaited>,
    asked: bool,
) -> String {
    match (outcome, awaited) {
        (Some(outcome), _) => capital(&ended(outcome)),
        (None, Some(Awaited::Turn(_))) if asked => "Your turn".to_owned(),
        (None, Some(Awaited::Answer(_))) if asked => "Your answer".to_owned(),
        (None, Some(Awaited::Decision)) if asked => "You decide".to_owned(),
        (None, Some(Awaited::Turn(side))) => format!("{} to move", side_word(side)),
        (None, Some(Awaited::Answer(side))) => format!("{} answers", side_word(side)),
        (None, Some(Awaited::Decision)) => format!("The {} decides", leader(view.leader())),
        (None, None) => String::new(),
    }
}

pub const NOT_BEGUN: &str = "The match has not begun yet.";

pub fn paused(host: &str) -> String {
    format!("The match is paused: nothing can be played until the {host} goes on.")
}

pub const NO_TEAM: &str = "You are in no team yet";

/// The sentences about a board that ended.
pub fn board_ended(outcome: Outcome, is_match_over: bool) -> String {
    let ended = capital(&ended(outcome));
    match left_there(outcome, is_match_over) {
        None => format!("{ended}."),
        Some(left) => format!("{ended}. {left}"),
    }
}

/// The sentence about the player to move on a board; `None` if it is vacant.
pub fn to_move(side: Side, player: Option<&str>) -> String {
    format!(
        "{} to move: {}.",
        side_word(side),
        player.unwrap_or("vacant")
    )
}

/// A task of the reader, as a clause.
pub fn task(waiting: Waiting) -> String {
    match waiting {
        Waiting::Turn(board) => format!("it is your turn on board {board}"),
        Waiting::Answer(board) => format!("your answer is wanted on board {board}"),
        Waiting::Offer(board) => format!("you are offered a draw on board {board}"),
        Waiting::Claim(board) => format!("you can claim a draw on board {board}"),
        Waiting::Dispute(board) => format!("you are to decide a dispute on board {board}"),
    }
}

/// The reader's tasks in a few words; empty if there are none.
pub fn tasks(waits: &[Waiting]) -> String {
    let mut kinds = [
        ("your turn on", Vec::new()),
        ("your answer on", Vec::new()),
        ("a draw is offered on", Vec::new()),
        ("you can claim a draw on", Vec::new()),
        ("you decide on", Vec::new()),
    ];
    for waiting in waits {
        let (kind, board) = match waiting {
            Waiting::Turn(board) => (0, board),
            Waiting::Answer(board) => (1, board),
            Waiting::Offer(board) => (2, board),
            Waiting::Claim(board) => (3, board),
            Waiting::Dispute(board) => (4, board),
        };
        kinds[kind].1.push(board.to_string());
    }
    let clauses: Vec<String> = kinds
        .into_iter()
        .filter(|(_, waiting)| !waiting.is_empty())
        .map(|(what, waiting)| format!("{what} {}", boards(&waiting)))
        .collect();
    capital(&clauses.join("; "))
}

/// The reason why the match is over; empty if it is not.
pub fn why_over(view: &TeamReader) -> String {
    let state = &view.state;
    let mut log = state.log.iter().rev();
    let stop = log.find(|logged| logged.happened == Happened::TimeUp);
    match state.outcome().map(|outcome| outcome.reason) {
        Some(Reason::Time) => match stop.map(|logged| logged.event.by) {
            Some(Actor::Host) => format!("The {} ended the match.", leader(view.leader())),
            _ => "The time was up.".to_owned(),
        },
        Some(_) => "All boards ended.".to_owned(),
        None => String::new(),
    }
}

/// A turn under a written rule, as it is disputed.
pub fn under_rule(turn: &str, rule: &str) -> String {
    format!("{turn}, by the rule: {rule}")
}

/// The duties that a member had in a match.
pub fn held(duties: &[Duty], side: Option<Side>, was_agent: bool) -> String {
    match side {
        Some(_) if was_agent && !duties.is_empty() => {
            format!("{}; agent at times", duties_in_words(duties))
        }
        Some(_) => duties_in_words(duties),
        None => "looked on".to_owned(),
    }
}

/// The description of a lesson's code as a picture.
pub fn code(link: &str) -> String {
    format!("A code to point a camera at; it leads to {link}")
}

/// The time limit of a match in its record.
pub fn limit(seconds: Option<u32>) -> String {
    match seconds {
        Some(seconds) => in_words(Duration::from_secs(seconds.into())),
        None => "no limit".to_owned(),
    }
}

/// The state of a match in a list.
pub const fn listed(phase: app::Phase, winner: Option<Winner>) -> &'static str {
    match (phase, winner) {
        (app::Phase::Gathering, _) => "Gathering",
        (app::Phase::Playing, _) => "Being played",
        (app::Phase::Over, Some(Winner::First)) => "White won",
        (app::Phase::Over, Some(Winner::Second)) => "Black won",
        (app::Phase::Over, _) => "Drawn",
    }
}

pub fn duty_name(duty: Duty) -> String {
    match duty {
        Duty::Strategist => "Grand strategist".to_owned(),
        Duty::Board(board) => format!("Board {board}"),
    }
}

pub fn headline(view: &TeamReader) -> String {
    let state = &*view.state;
    match (state.phase, state.outcome()) {
        (Phase::Gathering, _) => "The match has not begun".to_owned(),
        (Phase::Paused, _) => format!("Paused by the {}", leader(view.leader())),
        (Phase::Over, None) => format!("The {} called the match off", leader(view.leader())),
        (Phase::Over, Some(outcome)) => {
            let score = state.boards.score();
            let (white, black) = (score.white, score.black);
            let winner = |side| side_and_team(state.team(side), side);
            match outcome.winner {
                Some(side @ Side::First) => {
                    format!("{} won the match, {white} to {black}", winner(side))
                }
                Some(side @ Side::Second) => {
                    format!("{} won the match, {black} to {white}", winner(side))
                }
                None => format!("The match is drawn, {white} to {black}"),
            }
        }
        _ => "The match is being played".to_owned(),
    }
}

/// The score with the names of the teams: `White 2 : 1 Brave Stars`.
pub fn score(state: &Match) -> String {
    let name = |side| {
        let emblem = state.team(side).emblem;
        emblem.map_or_else(|| side_word(side).to_owned(), team_name)
    };
    let score = state.boards.score();
    format!(
        "{} {} : {} {}",
        name(Side::First),
        score.white,
        score.black,
        name(Side::Second)
    )
}

/// The match in a line, where a link to it is shared.
pub fn shared(view: &TeamReader) -> String {
    format!("A team match of Perplexichess. {}.", headline(view))
}

pub fn actor_name(view: &TeamView, actor: Actor) -> String {
    match actor {
        Actor::Host => format!("{} ({})", person(&view.host), leader(view.leader())),
        actor => view.actor(actor).to_owned(),
    }
}

/// The terms in sentences, as people read them before joining. `host` is the word for the host.
pub fn terms(terms: &Terms, host: &str) -> Vec<String> {
    let boards = terms.size.boards();
    let time = match terms.seconds {
        None => "There is no time limit.".to_owned(),
        Some(seconds) => format!(
            "The whole match lasts {} at most.",
            in_words(Duration::from_secs(u64::from(seconds)))
        ),
    };
    let sight = match terms.sight {
        Sight::Open => "Everybody sees every board.",
        Sight::Rooms => {
            "Those who play a board see that board only; strategists and agents see all."
        }
    };
    let supervised = if terms.supervised {
        format!("The match is supervised: the {host} can read what the teams say among themselves.")
    } else {
        format!(
            "Only the members of a team read what they say among themselves; the {host} does not."
        )
    };
    let reveal = if terms.reveal {
        "When the match is over, everybody who may see it can read the teams’ talk."
    } else {
        "The teams’ talk stays secret after the match."
    };
    let phrases = terms.phrases.then(|| {
        format!("To begin with, people talk in ready-made phrases only, until the {host} says otherwise.")
    });
    let deck = match terms.deck {
        Deck::All => None,
        Deck::Starter => {
            Some("Of the rule cards, players are offered those for beginners.".to_owned())
        }
        Deck::Own => Some(format!(
            "Of the rule cards, players are offered those that the {host} made."
        )),
        Deck::None => {
            Some("Players are offered no rule cards: they make their own rules.".to_owned())
        }
    };
    let history = if terms.history {
        "Latecomers can read what was said before they joined, unless they were on the other side."
    } else {
        "Latecomers see only what is said after they join."
    };
    [
        format!(
            "Two teams play on {boards} boards at once ({}).",
            terms.size.key()
        ),
        time,
        sight.to_owned(),
        supervised,
        history.to_owned(),
        reveal.to_owned(),
    ]
    .into_iter()
    .chain(phrases)
    .chain(deck)
    .collect()
}
