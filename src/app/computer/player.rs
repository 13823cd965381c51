//! The worker that makes the computer's turns, through [`App::act`] like all players.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use perplex_games::player::{Limits, Score, Thought};
use perplex_matches::correspondence::{Command, Match, Refusal};
use perplex_matches::id::{AccountId, MatchId};

use super::networks::Served;
use super::{ALL, Computer, find};
use crate::app::{App, AppError};
use crate::store::{StoreError, matches};

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Answers in one round, and those of guests among them while so many wait.
const AT_A_TIME: usize = 16;
const OF_GUESTS: usize = 4;
/// Guests among whom those of a round are chosen: the ones that have waited longest.
const GUESTS: i64 = 2_000;
/// The parts of a round that one answer gets.
const PARTS_OF_ACCOUNT: u32 = 3;
const PARTS_OF_GUEST: u32 = 1;
/// The time that a match rests after an error.
const REST: Duration = Duration::from_mins(5);
/// However slowly the clock goes, the search ends after this many times 128 positions.
const MOST_LOOKS: u32 = 40_000;

impl App {
    pub(in crate::app) async fn join_computer(
        &self,
        computer: &Computer,
        id: &MatchId,
    ) -> Result<(), AppError> {
        let join = Command::Join {
            wish: None,
            by_link: false,
        };
        self.act(computer.actor(), id, None, join, "").await?;
        Ok(())
    }
}

pub struct Player {
    app: Arc<App>,
    budget: Duration,
    /// Matches that rest after an error, and until when.
    resting: HashMap<MatchId, Duration>,
    served: Served,
}

/// A match that waits for the computer, and the network of the guest who began it.
struct Waiting {
    id: MatchId,
    network: Option<String>,
}

impl Waiting {
    const fn parts(&self) -> u32 {
        if self.network.is_some() {
            PARTS_OF_GUEST
        } else {
            PARTS_OF_ACCOUNT
        }
    }
}

impl Player {
    pub fn new(app: Arc<App>, budget: Duration) -> Self {
        Self {
            app,
            budget,
            resting: HashMap::new(),
            served: Served::default(),
        }
    }

    /// Makes turns until `stop` is done. A turn that is being thought about then is made after the next start.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let app = Arc::clone(&self.app);
        loop {
            let round = async {
                match self.round().await {
                    Ok(made) => made > 0,
                    Err(error) => {
                        tracing::error!(%error, "the computer cannot look for its matches");
                        false
                    }
                }
            };
            let more = tokio::select! {
                () = &mut stop => return,
                more = round => more,
            };
            if more {
                continue;
            }
            tokio::select! {
                () = &mut stop => return,
                () = app.computers.notified() => {}
                () = tokio::time::sleep(CHECK_INTERVAL) => {}
            }
        }
    }

    /// Makes a turn in some of the matches that wait for the computer: one for each player who began them, those with an
    /// account before guests, whose networks take turns. Together they get the time of one budget: so nobody waits long,
    /// and the computer thinks less the more are waiting. Gives the number of turns made.
    /// Errors: the database's; a match with an error rests, and the others go on.
    pub async fn round(&mut self) -> Result<usize, AppError> {
        let now = self.app.clock.steady();
        self.resting.retain(|_, until| *until > now);
        let next = self.waiting().await?;
        let parts: u32 = next.iter().map(Waiting::parts).sum();
        let mut made = 0;
        for waiting in next {
            let budget = self.budget * waiting.parts() / parts;
            match self.answer(&waiting.id, budget).await {
                Ok(true) => made += 1,
                Ok(false) => {}
                Err(error) => {
                    let id = waiting.id;
                    tracing::error!(%id, %error, "the computer cannot make its turn");
                    self.resting.insert(id, now + REST);
                }
            }
            if let Some(network) = waiting.network {
                self.served.note(network);
            }
        }
        Ok(made)
    }

    /// The matches that get an answer in the next round.
    async fn waiting(&self) -> Result<Vec<Waiting>, AppError> {
        let awake = AT_A_TIME + self.resting.len();
        let most = i64::try_from(awake).unwrap_or(i64::MAX);
        let ids = || -> Vec<AccountId> { ALL.iter().map(|one| one.id.clone()).collect() };
        let computers = ids();
        let (accounts, guests) = self
            .app
            .read(move |conn| {
                Ok::<_, StoreError>((
                    matches::waiting_beginners(conn, &computers, false, most)?,
                    matches::waiting_beginners(conn, &computers, true, GUESTS)?,
                ))
            })
            .await?;
        let guests = self.served.in_turn(guests, &self.app.guest_networks);
        let guests = guests.into_iter().take(awake);
        let guests = guests.map(|(guest, network)| (guest, Some(network)));
        let beginners = accounts.into_iter().map(|one| (one, None)).chain(guests);
        let beginners: Vec<_> = beginners.collect();
        // One more than rest is enough to find one that does not.
        let of_one = i64::try_from(self.resting.len() + 1).unwrap_or(i64::MAX);
        let computers = ids();
        let waiting = self
            .app
            .read(move |conn| {
                let of_each = beginners.into_iter().map(|(beginner, network)| {
                    let theirs = matches::waiting_for(conn, &computers, &beginner, of_one)?;
                    Ok::<_, StoreError>((theirs, network))
                });
                of_each.collect::<Result<Vec<_>, StoreError>>()
            })
            .await?;
        let next = waiting.into_iter().filter_map(|(theirs, network)| {
            let mut theirs = theirs.into_iter();
            let id = theirs.find(|id| !self.resting.contains_key(id))?;
            Some(Waiting { id, network })
        });
        let (mut guests, mut next): (Vec<_>, Vec<_>) = next.partition(|one| one.network.is_some());
        next.truncate(AT_A_TIME - OF_GUESTS.min(guests.len()));
        guests.truncate(AT_A_TIME - next.len());
        next.append(&mut guests);
        Ok(next)
    }

    async fn answer(&self, id: &MatchId, budget: Duration) -> Result<bool, AppError> {
        let (state, _) = self.app.load::<Match>(id).await?;
        let Some(computer) = state.player_to_move().and_then(find) else {
            return Ok(false);
        };
        let (game, level) = (state.game.clone(), computer.level);
        let clock = self.app.clock.clone();
        let until = clock.steady() + budget;
        let mut looks = 0;
        let mut stop = move || {
            looks += 1;
            looks > MOST_LOOKS || clock.steady() >= until
        };
        let limits = Limits {
            level,
            seed: rand::random(),
            depth: None,
        };
        let thought =
            tokio::task::spawn_blocking(move || game.think(&limits, &mut stop, &mut |_| ()));
        let thought = thought
            .await
            .map_err(|error| AppError::Internal(error.to_string()))?
            .ok_or_else(|| AppError::Internal("there is nothing to play".to_owned()))?;
        // A draw may have been offered meanwhile.
        let (now, _) = self.app.load::<Match>(id).await?;
        if now.turns.len() != state.turns.len() {
            return Ok(false);
        }
        let command = command(&now, thought);
        let actor = computer.actor();
        match self.app.act(actor, id, None, command, "").await {
            Ok(_) => Ok(true),
            // Another process was quicker, the match is over, or the time had run out.
            Err(AppError::Refused(refusal)) if !matches!(refusal, Refusal::Turn(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The act of the computer, which is to move and has thought this. Where it sees no better than a draw, it claims or
/// accepts one; otherwise it plays, which declines an offer. Its answer to a proposal is none to an offer.
fn command(state: &Match, thought: Thought<String>) -> Command {
    let hopes = match thought.score {
        Score::Wins(_) => true,
        Score::Estimate(value) => value > 0,
        Score::Loses(_) => false,
    };
    let ply = state.turns.len();
    if !hopes && state.game.waits().is_none() {
        let side = state.game.side_to_move();
        if state.game.claim().is_some() {
            return Command::Offer;
        }
        if state.offer.is_some() && state.offer != side {
            return Command::Accept;
        }
        if let Some(turn) = state.game.claims().into_iter().next() {
            let offer = true;
            return Command::Play { ply, turn, offer };
        }
    }
    Command::Play {
        ply,
        turn: thought.turn,
        offer: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perplex_matches::correspondence::event::Event;
    use perplex_matches::journal::Aggregate as _;
    use perplex_matches::time::Time;

    /// A match of chess in which White has played these turns with Black, and then perhaps offered a draw.
    fn state(turns: &[&str], offers: bool) -> Match {
        let begin = [
            "create game=flexichess days=3 open=no rules=2",
            "join first",
            "join any",
            "start ann ben",
        ];
        let begin = ["ann", "ann", "ben", "ben"]
            .into_iter()
            .zip(begin.map(str::to_owned));
        let players = ["ann", "ben"].into_iter().cycle();
        let turns = players.zip(turns.iter().map(|turn| format!("turn {turn}")));
        let offer = offers.then(|| ("ann", "offer".to_owned()));
        let events = (1..).zip(begin.chain(turns).chain(offer));
        let events = events.map(|(number, (by, text))| Event {
            number,
            at: Time(0),
            by: Some(AccountId(by.to_owned())),
            kind: text.parse().expect("an event"),
        });
        Match::replay(&events.collect::<Vec<_>>()).expect("a journal")
    }

    #[test]
    fn it_draws_where_it_sees_nothing_better() {
        let out_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
        let proposed = ["rule * written \"A pawn may pass.\""];
        let plays = |turn: &str, offer| {
            let turn = turn.to_owned();
            move |ply| Command::Play { ply, turn, offer }
        };
        let offered = state(&["e2e4"], true);
        let claimable = state(&out_and_back, false);
        let nearly = state(&out_and_back[..7], false);
        let asked = state(&proposed, true);
        for (state, score, expected) in [
            (&offered, Score::Estimate(-5), Command::Accept),
            (&offered, Score::Estimate(0), Command::Accept),
            (&offered, Score::Loses(4), Command::Accept),
            (&offered, Score::Estimate(1), plays("best", false)(1)),
            (&offered, Score::Wins(3), plays("best", false)(1)),
            (&claimable, Score::Estimate(0), Command::Offer),
            (&claimable, Score::Estimate(90), plays("best", false)(8)),
            (&nearly, Score::Estimate(-90), plays("f6g8", true)(7)),
            (&nearly, Score::Wins(1), plays("best", false)(7)),
            (&asked, Score::Estimate(0), plays("best", false)(1)),
        ] {
            let thought = Thought {
                turn: "best".to_owned(),
                score,
                depth: 1,
                positions: 1,
            };
            assert_eq!(command(state, thought), expected, "{score:?}");
        }
    }
}
