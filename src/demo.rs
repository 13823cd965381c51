//! `perplex demo`: a school to look round in. It fills an empty database with a class, a lesson that is being played
//! by scripted pupils, finished lessons and games, and a correspondence match of every kind; then the pupils go on by
//! themselves as long as it serves. They act through [`App`], like all players.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, IteratorRandom as _};
use rand::{RngExt as _, SeedableRng as _};

use crate::app::accounts::SignUp;
use crate::app::computer::{BUDGET, Player};
use crate::app::correspondence::{NewMatch, Opponent};
use crate::app::team::TeamAccess;
use crate::app::team::door::Joiner;
use crate::app::team::lessons::Keep;
use crate::app::{App, AppError, Viewer, Visitor};
use crate::log;
use perplex_games::perplexichess::{Board, BoardNo};
use perplex_games::player::{self, Level, Limits};
use perplex_games::registry::GAMES;
use perplex_games::rules::Side;
use perplex_matches::classroom::words;
use perplex_matches::correspondence;
use perplex_matches::id::MatchId;
use perplex_matches::team::event::{Deck, Duty, MemberId};
use perplex_matches::team::{Command, Match, Phase};

const TEACHER: &str = "Teacher";
const CLASS: &str = "Class 6b";
const PUPILS: &str = "Amir\nBella\nCarlos\nDaria\nElif\nFinn\nGrace\nHana\nIvan\nJuna\nKofi\nLena\nMilo\nNoor\nOlga\nPaul";
/// The pause of the scripted pupils between two acts.
const PACE: Duration = Duration::from_secs(3);
/// Number of acts in a finished lesson, and in a running one at its beginning.
const ACTS: u32 = 70;
const BEGUN: u32 = 25;
/// Number of turns that the teacher has made in a running correspondence match, and makes at most in a finished one.
const TURNS: usize = 3;
const MOST_TURNS: usize = 30;
/// Number of positions that a scripted pupil searches.
const LOOKS: u32 = 8;

const PUBLIC: [&str; 6] = [
    "Good luck, everybody!",
    "That was a nice one on board 2.",
    "Shall we leave board 3 alone for a while?",
    "Your knights are everywhere!",
    "Who moves on board 1?",
    "We will not trade queens today.",
];
const TEAM: [&str; 6] = [
    "Can I have a rook on my board?",
    "Watch 2:f7, please.",
    "I will change how bishops move next.",
    "Board 4 looks good for us.",
    "Please take my spare knight.",
    "They are weak on 1:e4.",
];

pub struct Demo {
    teacher: TeamAccess,
    pupils: Vec<TeamAccess>,
    class: perplex_matches::id::ClassId,
    lesson: MatchId,
    members: HashMap<MemberId, usize>,
    pub told: String,
    /// True once somebody may sign in as the first pupil, who acts no more by themselves.
    is_open: bool,
    chance: Chance,
}

/// The random source of the scripted acts, seeded alike in every demonstration, so that one shows what another
/// showed. Their secrets do not come from it.
#[derive(Default)]
struct Chance(AtomicU64);

impl Chance {
    fn rng(&self) -> StdRng {
        StdRng::seed_from_u64(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

fn told(what: &'static str) -> impl Fn(AppError) -> String {
    move |error| format!("{what}: {error}")
}

async fn arrive(app: &App, login: &str, password: &str) -> Result<TeamAccess, AppError> {
    let token = app.sign_in(login, password, &Visitor::default()).await?;
    Ok(TeamAccess {
        account: app.viewer(&token).await?,
        ..TeamAccess::default()
    })
}

fn account(access: &TeamAccess) -> Result<&Viewer, String> {
    access
        .account
        .as_ref()
        .ok_or_else(|| "not signed in".to_owned())
}

pub async fn fill(app: &Arc<App>) -> Result<Demo, String> {
    if !app.is_empty().await.map_err(told("the database"))? {
        return Err(
            "this database holds something already. A demonstration wants one of its own: name an empty folder, as in \
             PERPLEX_DATA=/tmp/perplex-demo perplex demo"
                .to_owned(),
        );
    }
    log::say("Filling the database…");
    app.make_computers()
        .await
        .map_err(told("the computer's accounts"))?;
    let password = words::phrase(&mut rand::rng());
    let teacher = SignUp {
        name: TEACHER.to_owned(),
        email: "teacher@example.org".to_owned(),
        password: password.clone(),
        ..SignUp::default()
    };
    app.create_account(teacher, true)
        .await
        .map_err(told("the teacher"))?;
    let teacher = arrive(app, TEACHER, &password)
        .await
        .map_err(told("the teacher"))?;
    let viewer = account(&teacher)?;
    let class = app
        .create_class(viewer, CLASS, true, PUPILS)
        .await
        .map_err(told("the class"))?;
    let view = app.class(viewer, &class).await.map_err(told("the class"))?;
    let mut pupils = Vec::new();
    for pupil in &view.pupils {
        let access = arrive(app, &pupil.user, &pupil.phrase).await;
        pupils.push(access.map_err(told("a pupil"))?);
    }
    let chance = Chance::default();
    correspondence_matches(app, viewer, &chance).await?;
    let mut demo = Demo {
        lesson: MatchId(String::new()),
        members: HashMap::new(),
        told: String::new(),
        is_open: false,
        chance,
        teacher,
        pupils,
        class,
    };
    for acts in [ACTS, BEGUN] {
        demo.begin(app).await?;
        for _ in 0..acts {
            demo.act(app).await?;
        }
        if acts == ACTS && demo.state(app).await?.phase != Phase::Over {
            demo.order(app, Command::Stop).await?;
        }
    }
    demo.is_open = true;
    let pupil = view.pupils.first().ok_or("the class is empty")?;
    demo.told = format!(
        "The teacher signs in as {TEACHER} with the password: {password}\n\
         A pupil, {}, signs in as {} with the pass phrase: {}\n\
         {} teaches {CLASS}; its lesson is at {}/team/{}",
        pupil.name, pupil.user, pupil.phrase, TEACHER, app.url, demo.lesson
    );
    Ok(demo)
}

async fn correspondence_matches(
    app: &Arc<App>,
    teacher: &Viewer,
    chance: &Chance,
) -> Result<(), String> {
    let mut computer = Player::new(Arc::clone(app), BUDGET.min(Duration::from_millis(50)));
    for entry in GAMES {
        for turns in [TURNS, MOST_TURNS] {
            let wanted = NewMatch {
                terms: correspondence::event::Terms {
                    game: entry.card.key.to_owned(),
                    variant: String::new(),
                    days: 3,
                    open: false,
                },
                wish: None,
                opponent: Opponent::Computer(Level::Easy),
            };
            let id = app
                .create(teacher, wanted)
                .await
                .map_err(told(entry.card.name))?;
            for _ in 0..turns {
                while computer.round().await.map_err(told("the computer"))? > 0 {}
                let state = app
                    .load_correspondence_match(Some(teacher), &id, None)
                    .await
                    .map_err(told(entry.card.name))?
                    .state;
                if state.player_to_move() != Some(&teacher.id) {
                    break;
                }
                let goes_on = turns == TURNS || state.turns.len() < MOST_TURNS;
                let command = next(&state, goes_on, chance);
                app.act(teacher, &id, None, command, "")
                    .await
                    .map_err(told(entry.card.name))?;
            }
        }
    }
    Ok(())
}

fn after_some_looks() -> impl FnMut() -> bool {
    let mut looks = 0;
    move || {
        looks += 1;
        looks > LOOKS
    }
}

fn next(state: &correspondence::Match, goes_on: bool, chance: &Chance) -> correspondence::Command {
    let mut stop = after_some_looks();
    let seed = chance.rng().random();
    let turn = state.game.suggest(Level::Easy, seed, &mut stop);
    match turn {
        Some(turn) if goes_on => correspondence::Command::Play {
            ply: state.turns.len(),
            turn,
            offer: false,
        },
        _ => correspondence::Command::Resign,
    }
}

impl Demo {
    /// Lets the pupils act for ever; when a lesson is over, the next begins.
    pub async fn run(mut self, app: Arc<App>) {
        loop {
            tokio::time::sleep(PACE).await;
            if let Err(why) = self.go_on(&app).await {
                tracing::warn!(%why, "a scripted pupil did not know what to do");
            }
        }
    }

    async fn go_on(&mut self, app: &App) -> Result<(), String> {
        // They are present, like pupils who have the page open.
        for pupil in &self.pupils {
            let heads = app.team_heads(pupil, &self.lesson).await;
            heads.map_err(told("a pupil"))?;
        }
        if self.state(app).await?.phase == Phase::Over {
            self.begin(app).await?;
        }
        self.act(app).await
    }

    async fn state(&self, app: &App) -> Result<Arc<Match>, String> {
        let view = app.load_team_match(&self.teacher, &self.lesson, None).await;
        Ok(Arc::clone(&view.map_err(told("the lesson"))?.state))
    }

    async fn order(&self, app: &App, command: Command) -> Result<(), String> {
        let done = app.act_in_team(&self.teacher, &self.lesson, command).await;
        done.map(drop).map_err(told("the lesson"))
    }

    async fn begin(&mut self, app: &App) -> Result<(), String> {
        let teacher = account(&self.teacher)?;
        self.lesson = app
            .start_lesson(teacher, &self.class)
            .await
            .map_err(told("a lesson"))?;
        let view = app.load_team_match(&self.teacher, &self.lesson, None).await;
        let lesson = view.map_err(told("a lesson"))?.lesson;
        let code = lesson
            .and_then(|lesson| lesson.code)
            .ok_or("the lesson has no code")?;
        self.members.clear();
        for (index, pupil) in self.pupils.iter().enumerate() {
            let viewer = account(pupil)?;
            let comer = Joiner::Pupil(viewer.id.clone());
            app.join_lesson(&code, &comer, "", Some(viewer), &Visitor::default())
                .await
                .map_err(told("a pupil joins"))?;
            let view = app.load_team_match(pupil, &self.lesson, None).await;
            if let Some(member) = view.map_err(told("a pupil"))?.viewer.member {
                self.members.insert(member, index);
            }
        }
        app.seat_everybody(&self.teacher, &self.lesson, Keep::Nothing)
            .await
            .map_err(told("the seats"))?;
        self.order(app, Command::Start { short: true }).await?;
        self.seat_visitor(app).await
    }

    /// Gives the pupil as whom visitors sign in a board, so that there is something to play.
    async fn seat_visitor(&self, app: &App) -> Result<(), String> {
        let state = self.state(app).await?;
        let mut members = state.members.keys().copied();
        let visitor = members.find(|member| self.is_visitor(*member));
        let visitor = visitor.filter(|visitor| state.boards_of(*visitor).is_empty());
        let Some((visitor, side)) = visitor.zip(visitor.and_then(|one| state.side_of(one))) else {
            return Ok(());
        };
        let mut duties = state.team(side).duties.all().into_iter();
        let board = duties.find(|duty| matches!(duty, Duty::Board(_)));
        let board = board.ok_or("the lesson has no boards")?;
        self.order(app, Command::Give(side, board, visitor)).await
    }

    /// True for the pupil as whom visitors sign in.
    fn is_visitor(&self, member: MemberId) -> bool {
        self.members.get(&member) == Some(&0)
    }

    async fn act(&self, app: &App) -> Result<(), String> {
        let state = self.state(app).await?;
        if state.phase != Phase::Playing {
            return Ok(());
        }
        let what: u8 = self.chance.rng().random_range(0..20);
        let done = match what {
            0..2 => self.transfer(app, &state).await?,
            2 => self.talk(app, &state).await?,
            3..5 => self.change(app, &state).await?,
            5 => self.vote(app, &state).await?,
            _ => false,
        };
        if !done {
            self.play(app, &state).await?;
        }
        Ok(())
    }

    fn pupil(&self, member: MemberId) -> Option<&TeamAccess> {
        let index = *self.members.get(&member)?;
        self.pupils
            .get(index)
            .filter(|_| index > 0 || !self.is_open)
    }

    /// Runs a member's command; `false` if it is refused, as it may be when others act, too.
    async fn does(&self, app: &App, member: MemberId, command: Command) -> Result<bool, String> {
        let Some(pupil) = self.pupil(member) else {
            return Ok(false);
        };
        match app.act_in_team(pupil, &self.lesson, command).await {
            Ok(_) => Ok(true),
            Err(AppError::RefusedInTeam(..) | AppError::Forbidden(_)) => Ok(false),
            Err(error) => Err(told("a pupil")(error)),
        }
    }

    /// A board on which a member is to move, and the member.
    fn turn_of<'a>(&self, state: &'a Match) -> Option<(BoardNo, &'a Board, MemberId)> {
        let open = state.boards.iter().filter_map(|(number, board)| {
            let team = state.team(board.to_move()?);
            Some((number, board, team.duties.holder(Duty::Board(number))?))
        });
        open.choose(&mut self.chance.rng())
    }

    async fn play(&self, app: &App, state: &Match) -> Result<bool, String> {
        let Some((number, board, member)) = self.turn_of(state) else {
            return Ok(false);
        };
        let mut stop = after_some_looks();
        let limits = Limits {
            level: Level::Easy,
            seed: self.chance.rng().random(),
            depth: Some(1),
        };
        let position = board.position();
        let turn = if position.pending().is_some() {
            "accept".to_owned()
        } else {
            let best = player::think(position, &|_| 1, &limits, &mut stop, &mut |_| ());
            match best {
                Some(best) => best.turn.to_string(),
                None => return Ok(false),
            }
        };
        let command = Command::Play {
            board: number,
            seen: board.version(),
            turn,
            offer: false,
        };
        self.does(app, member, command).await
    }

    async fn change(&self, app: &App, state: &Match) -> Result<bool, String> {
        let Some((number, board, member)) = self.turn_of(state) else {
            return Ok(false);
        };
        // By the cards that beginners get.
        let Some(card) = Deck::Starter.cards().choose(&mut self.chance.rng()) else {
            return Ok(false);
        };
        let turn = card.turn();
        if board.position().pending().is_some() || board.read(&turn).is_err() {
            return Ok(false);
        }
        let command = Command::Play {
            board: number,
            seen: board.version(),
            turn,
            offer: false,
        };
        self.does(app, member, command).await
    }

    async fn transfer(&self, app: &App, state: &Match) -> Result<bool, String> {
        let side = *[Side::First, Side::Second]
            .choose(&mut self.chance.rng())
            .unwrap_or(&Side::First);
        let strategist = state.team(side).duties.holder(Duty::Strategist);
        let transfers = state.boards.transfers(side);
        let Some((transfer, strategist)) = transfers.choose(&mut self.chance.rng()).zip(strategist)
        else {
            return Ok(false);
        };
        let Some(piece) = state.boards.piece(transfer.from, transfer.square) else {
            return Ok(false);
        };
        let command = Command::Transfer {
            transfer: *transfer,
            kind: piece.kind,
        };
        self.does(app, strategist, command).await
    }

    async fn vote(&self, app: &App, state: &Match) -> Result<bool, String> {
        let side = *[Side::First, Side::Second]
            .choose(&mut self.chance.rng())
            .unwrap_or(&Side::First);
        let leader = state.team(side).duties.holder(Duty::Strategist);
        let others: Vec<MemberId> = state
            .members
            .iter()
            .filter(|(id, member)| {
                member.team == Some(side) && member.left.is_none() && Some(**id) != leader
            })
            .map(|(id, _)| *id)
            .collect();
        let candidates = others.iter().filter(|member| !self.is_visitor(**member));
        let Some(wanted) = candidates.choose(&mut self.chance.rng()) else {
            return Ok(false);
        };
        let mut voted = false;
        for member in others.iter().take(others.len() / 2 + 1) {
            voted |= self
                .does(app, *member, Command::Vote(Some(*wanted)))
                .await?;
        }
        Ok(voted)
    }

    async fn talk(&self, app: &App, state: &Match) -> Result<bool, String> {
        let members: Vec<MemberId> = state
            .members
            .iter()
            .filter(|(_, member)| member.left.is_none())
            .map(|(id, _)| *id)
            .collect();
        let Some(member) = members.choose(&mut self.chance.rng()) else {
            return Ok(false);
        };
        let Some(pupil) = self.pupil(*member) else {
            return Ok(false);
        };
        let view = app.load_team_match(pupil, &self.lesson, None).await;
        let channels = view.map_err(told("a pupil talks"))?.channels;
        let Some(channel) = channels.choose(&mut self.chance.rng()) else {
            return Ok(false);
        };
        let texts = if channel.number == 0 { PUBLIC } else { TEAM };
        let text = texts
            .choose(&mut self.chance.rng())
            .copied()
            .unwrap_or(texts[0]);
        let said = app.say_in_team(pupil, &self.lesson, channel.number, text);
        match said.await {
            Ok(()) => Ok(true),
            // The teacher may have frozen the talk.
            Err(AppError::Forbidden(_) | AppError::Invalid(_) | AppError::TooOften(_)) => Ok(false),
            Err(error) => Err(told("a pupil")(error)),
        }
    }
}
