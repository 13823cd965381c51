//! Matches by post: making, showing, acting.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;

use super::accounts::name_key;
use super::classes::grown;
use super::computer::{self, Computer};
use super::limits::count;
use super::live::{Heads, Listening};
use super::{App, AppError, Viewer, invalid};
use crate::games;
use crate::play::event::{AccountId, Event, MatchId, Terms};
use crate::play::notice::{Kind, notices};
use crate::play::policy::{Rights, rights};
use crate::play::{self, Command, Match, Phase, Refusal};
use crate::player::Level;
use crate::rules::Seat;
use crate::store::accounts::Receiver;
use crate::store::journal::{self, MatchRow, PlayerRow, Version};
use crate::store::{
    Change, Conn, Phase as Stage, Role, StoreError, Winner, accounts as account_rows, announce,
    outbox, talk,
};
use crate::time::{Time, hours};

/// Who is to be the opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Whoever comes to the lobby.
    Anyone,
    /// The player with this name.
    Named(String),
    /// Whoever is given the link.
    ByLink,
    /// Whoever reads mail at this address.
    ByMail(String),
    /// The computer, at this strength, in all other seats.
    Computer(Level),
}

/// A match to be made.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// Game, variant, days; whether it is open follows from the opponent.
    pub terms: Terms,
    /// The key of the seat that its maker takes; `None` leaves it to chance.
    pub wish: Option<String>,
    /// Who is to be the opponent.
    pub opponent: Opponent,
}

/// A name to show, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Whose.
    pub id: AccountId,
    /// "deleted player" for an account that is gone.
    pub name: String,
    /// Whether there is a page about this player.
    pub linked: bool,
}

impl Name {
    /// Whether it is the computer.
    #[must_use]
    pub fn is_computer(&self) -> bool {
        computer::find(&self.id).is_some()
    }
}

/// A line of the players' talk.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number in the match, from 1.
    pub number: i32,
    /// When it was written.
    pub at: Time,
    /// By whom.
    pub by: Name,
    /// Plain text.
    pub text: String,
    /// How many turns had been made with the one that it came with, if it is the note to a turn.
    pub ply: Option<usize>,
}

/// A match as one viewer may see it.
#[derive(Clone, Debug)]
pub struct MatchView {
    /// Which.
    pub id: MatchId,
    /// Its state.
    pub state: Arc<Match>,
    /// What the viewer may do.
    pub rights: Rights,
    /// The names of the people who joined, in the order of [`Match::joined`].
    pub joined: Vec<Name>,
    /// The names of those who are challenged.
    pub invited: Vec<Name>,
    /// The name of its maker.
    pub maker: Name,
    /// The talk; empty for those who may not read it.
    pub talk: Vec<Line>,
    /// How far it has come, for live updates.
    pub heads: Heads,
    /// The link that lets somebody join; only for those who may hand it on.
    pub link: Option<String>,
    /// What it depends on.
    pub version: Version,
}

/// A match as it is at one moment.
#[derive(Clone, Debug)]
pub struct Moment {
    state: Arc<Match>,
    heads: Heads,
}

impl Moment {
    /// How far it has come for whoever may see it; talk counts only for its players.
    fn heads_for(&self, viewer: Option<&Viewer>) -> Result<Heads, AppError> {
        let rights = rights(&self.state, viewer.map(|viewer| &viewer.id), false);
        if !rights.see {
            return Err(AppError::NotFound);
        }
        Ok(Heads {
            talk: if rights.talk { self.heads.talk } else { 0 },
            ..self.heads
        })
    }
}

/// A match in a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Which.
    pub id: MatchId,
    /// Game, variant, days.
    pub terms: Terms,
    /// Its people: in the order of the seats once it has begun.
    pub people: Vec<Name>,
    /// `gathering`, `playing`, `over`.
    pub phase: crate::play::Phase,
    /// How many turns were made.
    pub ply: i32,
    /// Who is to move.
    pub to_move: Option<AccountId>,
    /// When the player to move loses on time.
    pub deadline: Option<Time>,
    /// Who won; nothing while it is played or if it was called off.
    pub winner: Option<Winner>,
    /// The word for why it ended.
    pub reason: Option<String>,
    /// When something last happened in it.
    pub updated: Time,
    /// Whether the viewer is challenged to it and has not answered.
    pub challenged: bool,
}

/// A player's results in one game.
#[derive(Clone, Debug)]
pub struct GameResults {
    /// The game's key.
    pub game: String,
    /// Matches won.
    pub won: i64,
    /// Matches lost.
    pub lost: i64,
    /// Matches drawn.
    pub drawn: i64,
}

/// What the page about a player shows.
#[derive(Clone, Debug)]
pub struct PlayerPage {
    /// The name, as its owner writes it.
    pub name: String,
    /// When the account was made.
    pub since: Time,
    /// Results by game.
    pub results: Vec<GameResults>,
    /// Matches that are being played.
    pub playing: Vec<Listed>,
    /// The latest finished matches.
    pub over: Vec<Listed>,
}

/// The longest line of talk and the longest note, in characters.
pub const LONGEST_LINE: usize = 1_000;
/// How often a decision is made again when somebody else was quicker.
pub(super) const TRIES: u32 = 50;
/// How many matches a list shows.
const LIST: i64 = 100;

/// The letters of a match's id: none that are easily taken for another.
const ID_LETTERS: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

/// A new id of ten letters: 50 random bits.
pub(super) fn new_id() -> MatchId {
    let bytes: [u8; 10] = rand::random();
    MatchId(
        bytes
            .iter()
            .map(|byte| char::from(ID_LETTERS[usize::from(byte % 32)]))
            .collect(),
    )
}

/// A line of talk or a note, as it is kept.
pub(super) fn line(text: &str) -> Result<Option<String>, AppError> {
    let text = text.trim().replace("\r\n", "\n");
    if text.chars().count() > LONGEST_LINE {
        return Err(invalid(
            "note",
            format!("A message has at most {LONGEST_LINE} characters; please shorten it."),
        ));
    }
    Ok((!text.is_empty()).then_some(text))
}

/// What the tables show of a state: the row of the match, and its people.
fn projection(
    id: &MatchId,
    state: &Match,
    talk_head: i32,
    now: Time,
) -> (MatchRow, Vec<PlayerRow>) {
    let remind_at = state
        .deadline
        .filter(|_| state.terms.days > 1)
        .map(|deadline| deadline - hours(24));
    let row = MatchRow {
        id: id.clone(),
        game: state.terms.game.clone(),
        variant: state.terms.variant.clone(),
        days: i32::from(state.terms.days),
        phase: stage(state.phase),
        listed: state.terms.open && state.phase == Phase::Gathering,
        head: state.head,
        ply: i32::try_from(state.turns.len()).unwrap_or(i32::MAX),
        talk_head,
        created_by: state.maker.clone(),
        created_at: state.created,
        updated_at: now,
        to_move: state.player_to_move().cloned(),
        deadline: state.deadline,
        remind_at,
        winner: state.outcome.map(|outcome| outcome.winner.into()),
        reason: state.outcome.map(|outcome| outcome.reason.to_string()),
    };
    let begun = state.has_begun();
    let joined = (0i32..).zip(&state.joined).map(|(seat, player)| PlayerRow {
        match_id: id.clone(),
        account_id: player.account.clone(),
        seen_talk: 0,
        role: if begun { Role::Seated } else { Role::Joined },
        seat: begun.then_some(seat),
    });
    let invited = state.invited.iter().map(|account| PlayerRow {
        match_id: id.clone(),
        account_id: account.clone(),
        seen_talk: 0,
        role: Role::Invited,
        seat: None,
    });
    (row, joined.chain(invited).collect())
}

/// A phase as the tables write it.
const fn stage(phase: Phase) -> Stage {
    match phase {
        Phase::Gathering => Stage::Gathering,
        Phase::Playing => Stage::Playing,
        Phase::Over => Stage::Over,
    }
}

/// Writes `events`, which led from head `from` to `after`, with all that follows from them, and says
/// how far the match has come at least. `None` if somebody else was quicker; then nothing is written.
fn write_events(
    conn: &mut Conn,
    id: &MatchId,
    from: i32,
    events: &[Event],
    after: &Match,
    note: Option<&str>,
    now: Time,
) -> Result<Option<Heads>, AppError> {
    let (row, people) = projection(id, after, 0, now);
    // The first statement of the transaction writes: it is what keeps two acts apart.
    if !journal::advance(conn, from, &row)? {
        return Ok(None);
    }
    journal::append(conn, id, events)?;
    if events.iter().any(changes_people) {
        journal::set_players(conn, id, &people)?;
    }
    let mut heads = Heads {
        event: after.head,
        talk: 0,
    };
    if let Some(note) = note
        && let Some(event) = events.first()
        && let Some(by) = &event.by
    {
        let number = talk::post(conn, id, by, note, Some(event.number), now)?;
        heads.talk = number.unwrap_or(0);
    }
    enqueue_notices(conn, id, after, events, now)?;
    Ok(Some(heads))
}

/// Whether the event changes who belongs to a match.
fn changes_people(event: &Event) -> bool {
    use play::event::What;
    matches!(
        event.what,
        What::Create(_)
            | What::Invite(_)
            | What::Join(_)
            | What::Refuse
            | What::Leave
            | What::Start(_)
    )
}

fn enqueue_notices(
    conn: &mut Conn,
    id: &MatchId,
    after: &Match,
    events: &[Event],
    now: Time,
) -> Result<(), AppError> {
    let notices = notices(after, events);
    if notices.is_empty() {
        return Ok(());
    }
    let ids: Vec<AccountId> = notices.iter().map(|notice| notice.to.clone()).collect();
    let receivers = account_rows::receivers(conn, &ids)?;
    let by_computer = events
        .iter()
        .any(|event| event.by.as_ref().and_then(computer::find).is_some());
    let mails: Vec<outbox::NewMail> = notices
        .into_iter()
        .filter_map(|notice| {
            let receiver = receivers.iter().find(|receiver| receiver.id == notice.to)?;
            let mut mail = match_mail(receiver, id, notice.kind, notice.event, now)?;
            if by_computer && notice.kind == Kind::YourTurn {
                mail.due_at = now + computer::MAIL_PAUSE;
            }
            Some(mail)
        })
        .collect();
    Ok(outbox::enqueue(conn, &mails, now)?)
}

/// The mail to `receiver`, unless that kind is switched off.
fn match_mail(
    receiver: &Receiver,
    id: &MatchId,
    kind: Kind,
    event: i32,
    now: Time,
) -> Option<outbox::NewMail> {
    Some(outbox::NewMail {
        kind: kind.key().to_owned(),
        account_id: Some(receiver.id.clone()),
        address: receiver.address_for(kind.key())?.to_owned(),
        match_id: Some(id.clone()),
        team_id: None,
        event: Some(event),
        payload: "{}".to_owned(),
        due_at: now,
        message_id: format!("{}.{id}.{event}.{}", kind.key(), receiver.id),
    })
}

impl App {
    /// Makes a match.
    ///
    /// # Errors
    /// Terms that are not right, nobody with that name, too many matches or invitations.
    pub async fn create(&self, viewer: &Viewer, wanted: NewMatch) -> Result<MatchId, AppError> {
        grown(viewer)?;
        count(&self.limits.create_account, &viewer.id.0)?;
        let now = self.now();
        let mut terms = wanted.terms;
        terms.open = wanted.opponent == Opponent::Anyone;
        let mut challenge = None;
        let mut mail_to = None;
        let mut computers: Vec<&Computer> = Vec::new();
        match &wanted.opponent {
            Opponent::Anyone | Opponent::ByLink => {}
            Opponent::Named(name) => {
                let account = self.player_called("opponent", name).await?;
                match computer::find(&account) {
                    Some(computer) => computers.push(computer),
                    None => challenge = Some(account),
                }
            }
            Opponent::Computer(level) => computers.extend(computer::of_level(*level)),
            Opponent::ByMail(address) => {
                let address = address.trim().to_owned();
                super::accounts::check_email(&address)
                    .map_err(|error| invalid("opponent", error.to_string()))?;
                count(&self.limits.invite_account, &viewer.id.0)?;
                count(&self.limits.mail_address, &address.to_lowercase())?;
                mail_to = Some(address);
            }
        }
        let mut events = play::create(&viewer.id, terms, wanted.wish, challenge, now)
            .map_err(|why| invalid("terms", why))?;
        let mut state = Match::replay(&events)?;
        let wanting = state.game.seats().len() - state.joined.len();
        for computer in computers.into_iter().take(wanting) {
            let join = Command::Join {
                wish: None,
                by_link: true,
            };
            let joined = state.decide(Some(&computer.id), &join, now, rand::random())?;
            for event in &joined {
                state.apply(event)?;
            }
            events.extend(joined);
        }
        let state = state;
        let waits = waits_for_computer(&state);
        let id = new_id();
        let invitation = mail_to.map(|address| outbox::NewMail {
            match_id: Some(id.clone()),
            ..super::accounts::account_mail(
                "invitation",
                None,
                &address,
                &json!({ "from": viewer.id.0 }),
                now,
            )
        });
        let new = id.clone();
        self.store
            .write(move |conn| {
                let (row, people) = projection(&new, &state, 0, now);
                journal::create(conn, &row)?;
                journal::append(conn, &new, &events)?;
                journal::set_players(conn, &new, &people)?;
                enqueue_notices(conn, &new, &state, &events, now)?;
                outbox::enqueue(conn, &invitation.into_iter().collect::<Vec<_>>(), now)?;
                Ok::<_, AppError>(())
            })
            .await?;
        self.outbox.notify_one();
        if waits {
            self.computers.notify_one();
        }
        Ok(id)
    }

    /// The account of the player called `name`, which was typed into `field`.
    pub(super) async fn player_called(
        &self,
        field: &'static str,
        name: &str,
    ) -> Result<AccountId, AppError> {
        let key = name_key(name.trim());
        let found = self
            .store
            .read(move |conn| account_rows::find_by_name(conn, &key))
            .await?;
        let found =
            found.filter(|account| account.verified_at.is_some() && account.class_id.is_none());
        let account = found.ok_or_else(|| {
            let why = format!("There is no player called \"{}\".", name.trim());
            invalid(field, why)
        })?;
        Ok(account.id)
    }

    /// Invites the player called `name` to a match that still gathers players. The computer
    /// comes at once.
    ///
    /// # Errors
    /// Nobody has this name; it is not for the viewer to do; too many invitations.
    pub async fn invite(&self, viewer: &Viewer, id: &MatchId, name: &str) -> Result<(), AppError> {
        let account = self.player_called("invite", name).await?;
        let (state, _) = self.load(id).await?;
        if !rights(&state, Some(&viewer.id), false).see {
            return Err(AppError::NotFound);
        }
        count(&self.limits.invite_account, &viewer.id.0)?;
        let command = Command::Invite(account.clone());
        self.act(viewer, id, None, command, "").await?;
        match computer::find(&account) {
            Some(computer) => self.join_computer(computer, id).await,
            None => Ok(()),
        }
    }

    /// The state of a match: from memory if the database has not gone on since.
    pub(super) async fn load(&self, id: &MatchId) -> Result<(Arc<Match>, Heads), AppError> {
        let (kept, asked) = (self.cached(id), id.clone());
        let version = self
            .store
            .look_up(move |conn| journal::version(conn, &asked))
            .await?
            .ok_or(AppError::NotFound)?;
        let asked = id.clone();
        if let Some(state) = kept.as_ref().filter(|kept| kept.head == version.head) {
            return Ok((Arc::clone(state), version.into()));
        }
        let (state, version) = self
            .store
            .read(move |conn| load(conn, &asked, kept))
            .await?
            .ok_or(AppError::NotFound)?;
        self.cache(id, &state);
        Ok((state, version.into()))
    }

    /// The path, with its proof, that lets somebody join a match.
    #[must_use]
    pub fn join_link(&self, id: &MatchId) -> String {
        format!("/join/{id}/{}", self.key.mac("join", &[&id.0]))
    }

    fn link_is_good(&self, id: &MatchId, link: Option<&str>) -> bool {
        link.is_some_and(|mac| self.key.check("join", &[&id.0], mac))
    }

    /// Does something in a match, as `viewer`, and tells the open pages. `link` is the proof from
    /// the link of the match, if it was shown; `note` goes to the players with a turn.
    ///
    /// # Errors
    /// Not found for whoever may not see it; else what [`Match::decide`] refuses.
    pub async fn act(
        &self,
        viewer: &Viewer,
        id: &MatchId,
        link: Option<&str>,
        command: Command,
        note: &str,
    ) -> Result<Arc<Match>, AppError> {
        grown(viewer)?;
        let by_link = self.link_is_good(id, link);
        let command = match command {
            Command::Join { wish, .. } => Command::Join { wish, by_link },
            command => command,
        };
        let note = line(note)?;
        for _ in 0..TRIES {
            let (state, _) = self.load(id).await?;
            if !rights(&state, Some(&viewer.id), by_link).see {
                return Err(AppError::NotFound);
            }
            let now = self.now();
            let events = match state.decide(Some(&viewer.id), &command, now, rand::random()) {
                // The same turn once more, from a second click or a lost answer: it is taken
                // already. It may have ended the match.
                Err(Refusal::Changed | Refusal::NotPlaying(Phase::Over))
                    if took_already(&state, &viewer.id, &command) =>
                {
                    return Ok(state);
                }
                decided => decided?,
            };
            let note = note
                .clone()
                .filter(|_| matches!(command, Command::Play { .. }));
            let Some(after) = self.commit(id, &state, events, note, now).await? else {
                continue;
            };
            if timed_out(&after) && !matches!(command, Command::Tick) {
                return Err(AppError::Refused(Refusal::NotAllowed(
                    "The time for this turn had run out before it arrived. The match is over.",
                )));
            }
            return Ok(after);
        }
        Err(AppError::Internal(format!("match {id} is too busy")))
    }

    /// Writes what was decided and tells everyone; `None` if somebody else was quicker.
    async fn commit(
        &self,
        id: &MatchId,
        state: &Arc<Match>,
        events: Vec<Event>,
        note: Option<String>,
        now: Time,
    ) -> Result<Option<Arc<Match>>, AppError> {
        if events.is_empty() {
            return Ok(Some(Arc::clone(state)));
        }
        let mut after = Match::clone(state);
        for event in &events {
            after.apply(event)?;
        }
        let after = Arc::new(after);
        let (from, written, match_id) = (state.head, Arc::clone(&after), id.clone());
        let done = self
            .store
            .write(move |conn| {
                let heads = write_events(
                    conn,
                    &match_id,
                    from,
                    &events,
                    &written,
                    note.as_deref(),
                    now,
                )?;
                if let Some(Heads { event, talk }) = heads {
                    let id = match_id;
                    announce(conn, &Change::Match { id, event, talk })?;
                }
                Ok::<_, AppError>(heads)
            })
            .await?;
        let Some(heads) = done else {
            return Ok(None);
        };
        self.cache(id, &after);
        self.live.tell(id, heads);
        self.outbox.notify_one();
        if waits_for_computer(&after) {
            self.computers.notify_one();
        }
        Ok(Some(after))
    }

    /// A match as `viewer` may see it.
    ///
    /// # Errors
    /// Not found, also for whoever may not see it.
    pub async fn view(
        &self,
        viewer: Option<&Viewer>,
        id: &MatchId,
        link: Option<&str>,
    ) -> Result<MatchView, AppError> {
        let (kept, asked) = (self.cached(id), id.clone());
        let by_link = self.link_is_good(id, link);
        let account = viewer.map(|viewer| viewer.id.clone());
        let loaded = self
            .store
            .read(move |conn| {
                let Some((state, version)) = load(conn, &asked, kept)? else {
                    return Ok(None);
                };
                let rights = rights(&state, account.as_ref(), by_link);
                if !rights.see {
                    return Ok(None);
                }
                let lines = if rights.talk && version.talk_head > 0 {
                    talk::list(conn, &asked, 0)?
                } else {
                    Vec::new()
                };
                let mut ids: Vec<AccountId> = state
                    .joined
                    .iter()
                    .map(|player| player.account.clone())
                    .chain(state.invited.iter().cloned())
                    .collect();
                if !ids.contains(&state.maker) {
                    ids.push(state.maker.clone());
                }
                let names = account_rows::names(conn, &ids)?;
                Ok::<_, AppError>(Some((state, version, rights, lines, names)))
            })
            .await?;
        let (state, version, rights, lines, names) = loaded.ok_or(AppError::NotFound)?;
        self.cache(id, &state);
        let name = |id: &AccountId| name_of(id, &names);
        Ok(MatchView {
            id: id.clone(),
            joined: state.joined.iter().map(|p| name(&p.account)).collect(),
            invited: state.invited.iter().map(&name).collect(),
            maker: name(&state.maker),
            talk: lines
                .into_iter()
                .map(|line| Line {
                    number: line.number,
                    at: line.at,
                    by: name(&line.by_account),
                    text: line.text,
                    ply: line.event.and_then(|event| {
                        let turn = state.turns.iter().position(|(_, n)| *n == event)?;
                        Some(turn + 1)
                    }),
                })
                .collect(),
            heads: Heads {
                event: version.head,
                talk: if rights.talk { version.talk_head } else { 0 },
            },
            version,
            link: (rights.withdraw && !state.terms.open).then(|| self.join_link(id)),
            rights,
            state,
        })
    }

    /// How far a match has come, for whoever may see it; talk counts only for its players.
    ///
    /// # Errors
    /// Not found, also for whoever may not see it.
    pub async fn heads(&self, viewer: Option<&Viewer>, id: &MatchId) -> Result<Heads, AppError> {
        self.moment(id).await?.heads_for(viewer)
    }

    async fn moment(&self, id: &MatchId) -> Result<Moment, AppError> {
        let (state, heads) = self.load(id).await?;
        Ok(Moment { state, heads })
    }

    /// [`heads`](Self::heads) after a change of which somebody has heard.
    ///
    /// # Errors
    /// As `heads`.
    pub async fn heads_heard(
        &self,
        viewer: Option<&Viewer>,
        id: &MatchId,
        listening: &mut Listening<Moment>,
    ) -> Result<Heads, AppError> {
        listening.look(self.moment(id)).await?.heads_for(viewer)
    }

    /// Says something to the other players.
    ///
    /// # Errors
    /// Not found for whoever may not see it; not a player; an empty or too long line; too often.
    pub async fn say(&self, viewer: &Viewer, id: &MatchId, text: &str) -> Result<(), AppError> {
        let text = line(text)?.ok_or_else(|| invalid("text", "Please write something first."))?;
        let (state, _) = self.load(id).await?;
        let rights = rights(&state, Some(&viewer.id), false);
        if !rights.see {
            return Err(AppError::NotFound);
        }
        if !rights.talk {
            return Err(AppError::Forbidden(
                "Only the players of a match talk here.",
            ));
        }
        count(&self.limits.talk_account, &viewer.id.0)?;
        let (now, by, match_id) = (self.now(), viewer.id.clone(), id.clone());
        let event = state.head;
        let number = self
            .store
            .write(move |conn| {
                let number = talk::post(conn, &match_id, &by, &text, None, now)?;
                if let Some(talk) = number {
                    let id = match_id;
                    announce(conn, &Change::Match { id, event, talk })?;
                }
                Ok::<_, StoreError>(number)
            })
            .await?
            .ok_or(AppError::NotFound)?;
        self.live.tell(
            id,
            Heads {
                event,
                talk: number,
            },
        );
        Ok(())
    }

    /// The matches that anyone can join, the newest first.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn lobby(&self, viewer: Option<&Viewer>) -> Result<Vec<Listed>, AppError> {
        let viewer = viewer.map(|viewer| viewer.id.clone());
        self.store
            .read(move |conn| {
                let rows = journal::lobby(conn, LIST)?;
                listed(conn, rows, viewer.as_ref())
            })
            .await
    }

    /// The viewer's matches: where it is the viewer's turn first, then by deadline, then those that
    /// are over.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn mine(&self, viewer: &Viewer) -> Result<Vec<Listed>, AppError> {
        let viewer = viewer.id.clone();
        self.store
            .read(move |conn| {
                let mut rows = of_account(conn, &viewer, Stage::Gathering)?;
                rows.extend(of_account(conn, &viewer, Stage::Playing)?);
                rows.extend(of_account(conn, &viewer, Stage::Over)?);
                listed(conn, rows, Some(&viewer))
            })
            .await
    }

    /// The page about the player called `name`.
    ///
    /// # Errors
    /// Not found.
    pub async fn player(&self, _: Option<&Viewer>, name: &str) -> Result<PlayerPage, AppError> {
        let key = name_key(name);
        self.store
            .read(move |conn| {
                let account = account_rows::find_by_name(conn, &key)?
                    .filter(|account| account.verified_at.is_some())
                    .ok_or(AppError::NotFound)?;
                let playing = of_account(conn, &account.id, Stage::Playing)?;
                let over = of_account(conn, &account.id, Stage::Over)?
                    .into_iter()
                    // What was called off was never public.
                    .filter(|row| row.winner.is_some())
                    .collect();
                Ok(PlayerPage {
                    results: results(journal::tallies(conn, &account.id)?),
                    playing: listed(conn, playing, None)?,
                    over: listed(conn, over, None)?,
                    name: account.name,
                    since: account.created_at,
                })
            })
            .await
    }

    /// Does what is due at the present time: players whose days ran out lose, reminders go out.
    ///
    /// # Errors
    /// Only the database's; one match that fails does not stop the others.
    pub async fn tick(&self) -> Result<(), AppError> {
        let now = self.now();
        let (overdue, to_remind) = self
            .store
            .read(move |conn| {
                Ok::<_, StoreError>((
                    journal::overdue(conn, now, LIST)?,
                    journal::to_remind(conn, now, LIST)?,
                ))
            })
            .await?;
        for id in overdue {
            if let Err(error) = self.time_out(&id).await {
                tracing::error!(%id, %error, "a deadline could not be enforced");
            }
        }
        for row in to_remind {
            let id = row.id.clone();
            if let Err(error) = self.remind(row).await {
                tracing::error!(%id, %error, "a reminder could not be written");
            }
        }
        self.tick_teams().await
    }

    async fn time_out(&self, id: &MatchId) -> Result<(), AppError> {
        for _ in 0..TRIES {
            let (state, _) = self.load(id).await?;
            let now = self.now();
            let events = state.decide(None, &Command::Tick, now, 0)?;
            if self.commit(id, &state, events, None, now).await?.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn remind(&self, row: MatchRow) -> Result<(), AppError> {
        let now = self.now();
        let sent = self
            .store
            .write(move |conn| {
                let (Some(remind_at), Some(account)) = (row.remind_at, row.to_move) else {
                    return Ok(false);
                };
                // Claimed by one process only, and not at all if there was a turn in between.
                if !journal::claim_reminder(conn, &row.id, remind_at)? {
                    return Ok(false);
                }
                let receivers = account_rows::receivers(conn, &[account])?;
                let mails: Vec<_> = receivers
                    .iter()
                    .filter_map(|to| match_mail(to, &row.id, Kind::Reminder, row.head, now))
                    .collect();
                outbox::enqueue(conn, &mails, now)?;
                Ok::<_, AppError>(true)
            })
            .await?;
        if sent {
            self.outbox.notify_one();
        }
        Ok(())
    }
}

/// Loads the state of a match and how far it has come. `kept` is used if it is up to date, and
/// brought up to date with the events that it lacks if not.
///
/// # Errors
/// The database's, and a journal that cannot be replayed.
pub fn load(
    conn: &mut Conn,
    id: &MatchId,
    kept: Option<Arc<Match>>,
) -> Result<Option<(Arc<Match>, Version)>, AppError> {
    let Some(version) = journal::version(conn, id)? else {
        return Ok(None);
    };
    let state = match kept {
        Some(state) if state.head == version.head => state,
        Some(state) if state.head < version.head => {
            let mut state = Match::clone(&state);
            for event in journal::events(conn, id, state.head)? {
                state.apply(&event)?;
            }
            Arc::new(state)
        }
        _ => Arc::new(Match::replay(&journal::events(conn, id, 0)?)?),
    };
    // The events may have gone on since the head was read.
    let version = Version {
        head: state.head,
        ..version
    };
    Ok(Some((state, version)))
}

fn of_account(
    conn: &mut Conn,
    account: &AccountId,
    stage: Stage,
) -> Result<Vec<MatchRow>, StoreError> {
    let rows = journal::of_account(conn, account, &[stage], LIST)?;
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// Results by game, from the counts by variant, seat and winner.
fn results(tallies: Vec<journal::Tally>) -> Vec<GameResults> {
    let mut results: Vec<GameResults> = Vec::new();
    for tally in tallies {
        let side = games::find(&tally.game)
            .and_then(|entry| entry.setup(&tally.variant))
            .and_then(|game| {
                let seat = usize::try_from(tally.seat).ok()?;
                Some(game.seats().get(seat)?.side)
            });
        let index = results.iter().position(|known| known.game == tally.game);
        let index = index.unwrap_or_else(|| {
            results.push(GameResults {
                game: tally.game.clone(),
                won: 0,
                lost: 0,
                drawn: 0,
            });
            results.len() - 1
        });
        let counter = match tally.winner {
            Winner::Draw => &mut results[index].drawn,
            winner if side.map(|side| Winner::from(Some(side))) == Some(winner) => {
                &mut results[index].won
            }
            _ => &mut results[index].lost,
        };
        *counter += tally.matches;
    }
    results
}

/// Whether the computer is to move.
fn waits_for_computer(state: &Match) -> bool {
    state.player_to_move().and_then(computer::find).is_some()
}

fn timed_out(state: &Match) -> bool {
    state
        .outcome
        .is_some_and(|outcome| outcome.reason == crate::rules::Reason::Time)
}

/// Whether the last turn on the board is this very command of this player.
fn took_already(state: &Match, actor: &AccountId, command: &Command) -> bool {
    let Command::Play { ply, turn, .. } = command else {
        return false;
    };
    let Some(Seat(seat)) = state.seat_of(actor) else {
        return false;
    };
    // What follows can only be passes that the server played.
    let Some((taken, passes)) = state
        .game
        .turns()
        .get(*ply..)
        .and_then(<[String]>::split_first)
    else {
        return false;
    };
    let mut before = state.game.at(*ply);
    passes.iter().all(|turn| turn == "pass")
        && before.to_move() == Some(Seat(seat))
        && before.play(turn).ok().as_ref() == Some(taken)
}

pub(super) fn name_of(id: &AccountId, names: &HashMap<AccountId, String>) -> Name {
    let name = names.get(id).cloned().unwrap_or_default();
    let linked = !name.is_empty();
    Name {
        id: id.clone(),
        name: if linked {
            name
        } else {
            "deleted player".to_owned()
        },
        linked,
    }
}

/// Rows of matches as lists show them.
fn listed(
    conn: &mut Conn,
    rows: Vec<MatchRow>,
    viewer: Option<&AccountId>,
) -> Result<Vec<Listed>, AppError> {
    let ids: Vec<MatchId> = rows.iter().map(|row| row.id.clone()).collect();
    let mut people: HashMap<MatchId, Vec<PlayerRow>> = HashMap::new();
    for player in journal::players_of(conn, &ids)? {
        people
            .entry(player.match_id.clone())
            .or_default()
            .push(player);
    }
    let mut accounts: Vec<AccountId> = people
        .values()
        .flatten()
        .map(|player| player.account_id.clone())
        .collect();
    accounts.sort();
    accounts.dedup();
    let names = account_rows::names(conn, &accounts)?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let mut players = people.remove(&row.id).unwrap_or_default();
            players.sort_by_key(|player| player.seat);
            let challenged = players
                .iter()
                .any(|player| player.role == Role::Invited && Some(&player.account_id) == viewer);
            Listed {
                people: players
                    .iter()
                    .filter(|player| player.role != Role::Invited)
                    .map(|player| name_of(&player.account_id, &names))
                    .collect(),
                challenged,
                terms: Terms {
                    game: row.game,
                    variant: row.variant,
                    days: u8::try_from(row.days).unwrap_or(play::MOST_DAYS),
                    open: row.listed,
                },
                id: row.id,
                phase: match row.phase {
                    Stage::Gathering => Phase::Gathering,
                    Stage::Playing => Phase::Playing,
                    Stage::Over => Phase::Over,
                },
                ply: row.ply,
                to_move: row.to_move,
                deadline: row.deadline,
                winner: row.winner,
                reason: row.reason,
                updated: row.updated_at,
            }
        })
        .collect())
}
