//! Matches of whole teams: making, showing, acting, talking.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

use super::classes::grown;
use super::limits::count;
use super::live::{Heads, Listening};
use super::matches::{LONGEST_LINE, Name, TRIES, line, name_of, new_id};
use super::{App, AppError, Viewer as Account, invalid};
use crate::classroom::ClassId;
use crate::perplexichess::event::{Actor, Event, MemberId, TalkMode, Terms, What};
use crate::perplexichess::phrase::{Blanks, Phrase};
use crate::perplexichess::policy::{Rights, Viewer, rights, shows};
use crate::perplexichess::{self, Command, Logged, Match, Phase, Refusal, Who};
use crate::play::event::{AccountId, MatchId};
use crate::rules::Side;
use crate::store::channels::{self, ChannelRow, FIRST_PRIVATE, ListenerRow, MessageRow};
use crate::store::lessons as lesson_rows;
use crate::store::teams::{self, MemberRow, TeamRow};
use crate::store::{
    Change, Conn, Phase as Stage, StoreError, Winner, accounts as account_rows, announce,
};
use crate::time::Time;

mod host;
pub mod lessons;
pub mod mail;
pub mod presence;
pub mod progress;

use lessons::LessonView;

/// The longest title of a match, in characters.
pub const LONGEST_TITLE: usize = 60;
/// How many of the latest messages of a channel are shown.
const MESSAGES: i64 = 200;
/// How many private channels a match may have.
const MOST_CHANNELS: i32 = 200;
/// How many matches a list shows.
const LIST: i64 = 100;
/// How many messages are sealed anew in one transaction.
const RESEALED: i64 = 200;

/// Who comes to a team match: somebody who is signed in or not, and what links were shown.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// The account, if somebody is signed in.
    pub account: Option<Account>,
    /// The proof from the link that lets people join.
    pub link: Option<String>,
    /// The proof from the link of the projector.
    pub projector: Option<String>,
}

/// Whose channel it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody's.
    Public,
    /// A team's.
    Team(Side),
    /// That of these members of a team.
    Private(Side, Vec<MemberId>),
}

/// A channel that the viewer may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its number in the match.
    pub number: i32,
    /// Whose it is.
    pub audience: Audience,
    /// The number of its last message.
    pub head: i32,
    /// How many messages the viewer has not read.
    pub unread: i32,
    /// Whether the viewer may write in it.
    pub write: bool,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number in the channel, from 1.
    pub number: i32,
    /// When it was said.
    pub at: Time,
    /// By whom.
    pub by: Actor,
    /// Plain text; empty if the host has removed it.
    pub text: String,
}

/// How far a match has come for one viewer: numbers only, and only of what the viewer may see.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TeamHeads {
    /// The last event that the viewer may see.
    pub event: i32,
    /// The last one that changed what the viewer sees of people: teams, duties, the own vote, how far the match
    /// has come.
    pub people: i32,
    /// For each board that the viewer may see, its number and the last event that changed its looks.
    pub boards: Vec<(u8, i32)>,
    /// For each channel that the viewer may read, its number and head.
    pub talk: Vec<(i32, i32)>,
}

/// A team match as one viewer may see it.
#[derive(Clone, Debug)]
pub struct TeamView {
    /// Which.
    pub id: MatchId,
    /// What its host calls it.
    pub title: String,
    /// Whose match it is.
    pub host: Name,
    /// Its state, or an earlier one if that was asked for.
    pub state: Arc<Match>,
    /// The number of the last event that the viewer may see.
    pub last: i32,
    /// Who the viewer is in this match.
    pub viewer: Viewer,
    /// What the viewer may see and do.
    pub rights: Rights,
    /// The names of everybody who ever joined.
    pub names: BTreeMap<MemberId, String>,
    /// The channels that the viewer may read.
    pub channels: Vec<Channel>,
    /// Who is invited and has not answered; only for the host.
    pub invited: Vec<String>,
    /// The link that lets people join; only for the host.
    pub join_link: Option<String>,
    /// The link of the projector; only for the host.
    pub projector_link: Option<String>,
    /// What is more if it is a lesson of a class.
    pub lesson: Option<LessonView>,
}

/// A name that runs from right to left, so that what stands beside it keeps its place.
fn isolated(name: String) -> String {
    let is_from_right = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    if name.contains(is_from_right) {
        format!("\u{2068}{name}\u{2069}")
    } else {
        name
    }
}

impl TeamView {
    /// What people read for a member.
    #[must_use]
    pub fn name(&self, member: MemberId) -> &str {
        match self.names.get(&member).map_or("", String::as_str) {
            "" => "deleted player",
            name => name,
        }
    }

    /// What people read for whoever did something.
    #[must_use]
    pub fn actor(&self, actor: Actor) -> &str {
        match actor {
            Actor::Server => "Perplex",
            Actor::Host if self.lesson.is_some() => "the teacher",
            Actor::Host => "the host",
            Actor::Member(member) => self.name(member),
        }
    }

    /// What people call those who lead it: in a lesson that is somebody else than in a club.
    #[must_use]
    pub const fn host_word(&self) -> &'static str {
        if self.lesson.is_some() {
            "teacher"
        } else {
            "host"
        }
    }

    /// How far the match has come for the viewer.
    #[must_use]
    pub fn heads(&self) -> TeamHeads {
        let talk = self
            .channels
            .iter()
            .map(|channel| (channel.number, channel.head))
            .collect();
        heads_of(&self.state, &self.viewer, &self.rights, talk)
    }

    /// The events that the viewer may see, in order.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Logged> {
        self.state
            .log
            .iter()
            .map(Arc::as_ref)
            .filter(|logged| shows(&self.rights, &self.viewer, logged))
    }
}

/// A team match in a list.
#[derive(Clone, Debug)]
pub struct ListedTeam {
    /// Where it stands.
    pub row: TeamRow,
    /// Whose match it is.
    pub host: Name,
    /// The link that lets the viewer join; only for whoever is invited.
    pub link: Option<String>,
}

/// The team matches that somebody can go to, each list the latest first.
#[derive(Clone, Debug, Default)]
pub struct TeamLists {
    /// Those that anybody can look at.
    pub open: Vec<ListedTeam>,
    /// The viewer's, as host or member.
    pub own: Vec<ListedTeam>,
    /// Those to which the viewer is invited.
    pub invited: Vec<ListedTeam>,
}

/// The channels of a match, and who listens.
struct Talk {
    channels: Vec<ChannelRow>,
    listeners: Vec<ListenerRow>,
}

impl Talk {
    fn read(conn: &mut Conn, id: &MatchId) -> Result<Self, StoreError> {
        Ok(Self {
            channels: channels::channels_of(conn, id)?,
            listeners: channels::listeners_of(conn, id)?,
        })
    }
}

/// A match as it is at one moment: as much of it as its numbers need.
pub struct Moment {
    hosts: Vec<AccountId>,
    class: Option<ClassId>,
    state: Arc<Match>,
    members: Vec<MemberRow>,
    talk: Talk,
}

/// What somebody says: in own words, or by a ready-made phrase.
#[derive(Clone, Copy)]
enum Words<'a> {
    Own(&'a str),
    Phrase(&'a Phrase, Blanks),
}

/// What is read of a match for one request.
struct Loaded {
    row: TeamRow,
    state: Arc<Match>,
    members: Vec<MemberRow>,
    viewer: Viewer,
    rights: Rights,
}

/// The row that lists show.
fn projection(id: &MatchId, title: &str, host: &AccountId, state: &Match) -> TeamRow {
    let updated = state.log.last().map_or(state.created, |l| l.event.at);
    TeamRow {
        id: id.clone(),
        title: title.to_owned(),
        host: host.clone(),
        size: state.terms.size.key().to_owned(),
        phase: match state.phase {
            Phase::Gathering => Stage::Gathering,
            Phase::Playing | Phase::Paused => Stage::Playing,
            Phase::Over => Stage::Over,
        },
        listed: state.terms.listed,
        head: state.head,
        created_at: state.created,
        updated_at: updated,
        deadline: state.deadline(),
        winner: state.outcome().map(|outcome| Winner::from(outcome.winner)),
        class_id: None,
        code: None,
    }
}

/// What a message is sealed for: where it stands and who said it.
fn place(id: &MatchId, channel: i32, number: i32, by: &str) -> String {
    format!("{id} {channel} {number} {by}")
}

/// The state of a match: `kept`, brought up to date, or replayed.
pub(super) fn state_of(
    conn: &mut Conn,
    id: &MatchId,
    head: i32,
    kept: Option<Arc<Match>>,
) -> Result<Arc<Match>, AppError> {
    match kept {
        Some(state) if state.head == head => Ok(state),
        Some(state) if state.head < head => {
            let mut state = Match::clone(&state);
            for event in teams::events(conn, id, state.head)? {
                state.apply(&event)?;
            }
            Ok(Arc::new(state))
        }
        _ => Ok(Arc::new(Match::replay(&teams::events(conn, id, 0)?)?)),
    }
}

/// The channels that somebody with `rights` may read.
fn readable(
    conn: &mut Conn,
    id: &MatchId,
    viewer: &Viewer,
    rights: &Rights,
) -> Result<Vec<Channel>, StoreError> {
    Ok(readable_of(&Talk::read(conn, id)?, viewer, rights))
}

/// The same, of what was read.
fn readable_of(talk: &Talk, viewer: &Viewer, rights: &Rights) -> Vec<Channel> {
    let me = match viewer.member {
        Some(member) if rights.side.is_some() => Some(i32::from(member.0)),
        _ if viewer.host => Some(0),
        _ => None,
    };
    let mut found = Vec::new();
    for row in &talk.channels {
        let of_channel: Vec<&ListenerRow> = talk
            .listeners
            .iter()
            .filter(|l| l.channel == row.number)
            .collect();
        let side = row.team.and_then(|team| match team {
            Winner::First => Some(Side::First),
            Winner::Second => Some(Side::Second),
            Winner::Draw => None,
        });
        let own_team = side.is_some() && rights.side == side;
        let (audience, read, write) = match side {
            None => (Audience::Public, rights.public_talk, rights.speak),
            Some(side) if row.number < FIRST_PRIVATE => (
                Audience::Team(side),
                rights.team_talk[side.index()],
                own_team && rights.speak,
            ),
            Some(side) => {
                let people: Vec<MemberId> = of_channel
                    .iter()
                    .filter(|l| l.admitted)
                    .map(|l| MemberId(u16::try_from(l.member).unwrap_or(0)))
                    .collect();
                let admitted =
                    own_team && viewer.member.is_some_and(|member| people.contains(&member));
                // Whoever reads a team's talk without being in it (the host of a supervised match, everybody after
                // the end if that was announced) reads its private channels, too.
                let over_it = rights.team_talk[side.index()] && !own_team;
                let all = over_it || rights.reveals;
                let write = admitted && rights.speak;
                (Audience::Private(side, people), admitted || all, write)
            }
        };
        if !read {
            continue;
        }
        let seen = me.map_or(row.head, |me| {
            of_channel
                .iter()
                .find(|l| l.member == me)
                .map_or(0, |l| l.seen)
        });
        found.push(Channel {
            number: row.number,
            audience,
            head: row.head,
            unread: row.head - seen,
            write,
        });
    }
    found
}

impl App {
    fn kept_team(&self, id: &MatchId) -> Option<Arc<Match>> {
        let teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        teams.get(id).cloned()
    }

    /// The place where those wait who act in a match at the same time.
    fn turnstile(&self, id: &MatchId) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self
            .turnstiles
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(id) {
            // Those where nobody waits go when another comes.
            all.retain(|_, one| Arc::strong_count(one) > 1);
        }
        Arc::clone(all.entry(id.clone()).or_default())
    }

    fn keep_team(&self, id: &MatchId, state: &Arc<Match>) {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if teams.len() >= super::STATES_KEPT && !teams.contains_key(id) {
            teams.clear();
        }
        let newer = teams.get(id).is_some_and(|kept| kept.head > state.head);
        if !newer {
            teams.insert(id.clone(), Arc::clone(state));
        }
    }

    /// Makes a team match, and gives its id.
    ///
    /// # Errors
    /// A title or terms that are not right, too many matches.
    pub async fn create_team(
        &self,
        host: &Account,
        title: &str,
        terms: Terms,
    ) -> Result<MatchId, AppError> {
        grown(host)?;
        let title = title.trim().to_owned();
        if title.is_empty() || title.chars().count() > LONGEST_TITLE {
            return Err(invalid(
                "title",
                format!("Give the match a name of 1 to {LONGEST_TITLE} characters."),
            ));
        }
        count(&self.limits.create_account, &host.id.0)?;
        let now = self.now();
        let events = perplexichess::create(terms, now).map_err(|why| invalid("minutes", why))?;
        let state = Match::replay(&events)?;
        let id = new_id();
        let row = projection(&id, &title, &host.id, &state);
        let new = id.clone();
        self.store
            .write(move |conn| {
                teams::create(conn, &row)?;
                teams::append(conn, &new, &events)?;
                Ok::<_, AppError>(())
            })
            .await?;
        Ok(id)
    }

    /// The path, with its proof, that lets somebody join a team match.
    #[must_use]
    pub fn team_join_link(&self, id: &MatchId) -> String {
        format!("/team/{id}/join/{}", self.key.mac("team-join", &[&id.0]))
    }

    /// The path, with its proof, of the projector's page.
    #[must_use]
    pub fn projector_link(&self, id: &MatchId) -> String {
        format!("/team/{id}/show/{}", self.key.mac("team-show", &[&id.0]))
    }

    fn proof_is_good(&self, purpose: &str, id: &MatchId, proof: Option<&String>) -> bool {
        proof.is_some_and(|mac| self.key.check(purpose, &[&id.0], mac))
    }

    /// Reads a match for one request, and then `more` in the same moment. Whoever may not see it gets
    /// *not found*.
    async fn load_team<T: Send + 'static>(
        &self,
        visit: &Visit,
        id: &MatchId,
        more: impl FnOnce(&mut Conn, &Loaded) -> Result<T, AppError> + Send + 'static,
    ) -> Result<(Loaded, T), AppError> {
        let (kept, asked) = (self.kept_team(id), id.clone());
        let account = visit.account.clone();
        let by_link = self.proof_is_good("team-join", id, visit.link.as_ref());
        let projector = self.proof_is_good("team-show", id, visit.projector.as_ref());
        let (loaded, more) = self
            .store
            .read(move |conn| {
                let row = teams::find(conn, &asked)?.ok_or(AppError::NotFound)?;
                let state = state_of(conn, &asked, row.head, kept)?;
                let members = teams::members_of(conn, &asked)?;
                let hosts = row.hosts(conn)?;
                let by_link = by_link && of_class(account.as_ref(), row.class_id.as_ref());
                let viewer = viewer_of(account.as_ref(), &hosts, &members, by_link, projector);
                let rights = rights(&state, &viewer);
                if !rights.see || !within_class(account.as_ref(), row.class_id.as_ref()) {
                    return Err(AppError::NotFound);
                }
                let loaded = Loaded {
                    row,
                    state,
                    members,
                    viewer,
                    rights,
                };
                let more = more(conn, &loaded)?;
                Ok::<_, AppError>((loaded, more))
            })
            .await?;
        self.keep_team(id, &loaded.state);
        self.note_presence(id, &loaded.state, &loaded.viewer);
        Ok((loaded, more))
    }

    /// A team match as whoever comes may see it; with `at`, as it stood after that event.
    ///
    /// # Errors
    /// Not found, also for whoever may not see it, and for events that are not there yet.
    pub async fn team(
        &self,
        visit: &Visit,
        id: &MatchId,
        at: Option<i32>,
    ) -> Result<TeamView, AppError> {
        let asked = id.clone();
        let (loaded, (channels, earlier, host, invited, lesson)) = self
            .load_team(visit, id, move |conn, loaded| {
                let earlier = match at {
                    None => None,
                    Some(at) if (1..=last_shown(loaded)).contains(&at) => {
                        let mut events = teams::events(conn, &asked, 0)?;
                        events.retain(|event| event.number <= at);
                        Some(Arc::new(Match::replay(&events)?))
                    }
                    Some(_) => return Err(AppError::NotFound),
                };
                let mut people = vec![loaded.row.host.clone()];
                if loaded.rights.lead {
                    people.extend(teams::invited(conn, &asked)?);
                }
                let names = account_rows::names(conn, &people)?;
                let invited: Vec<String> = people[1..]
                    .iter()
                    .map(|account| name_of(account, &names).name)
                    .collect();
                let channels = readable(conn, &asked, &loaded.viewer, &loaded.rights)?;
                Ok((
                    channels,
                    earlier,
                    name_of(&loaded.row.host, &names),
                    invited,
                    LessonView::read(conn, loaded)?,
                ))
            })
            .await?;
        let mut lesson = lesson;
        if let Some(lesson) = &mut lesson
            && loaded.viewer.host
        {
            lesson.add_seen(self.presence.seen(id));
        }
        let last = last_shown(&loaded);
        let leads = loaded.viewer.host;
        Ok(TeamView {
            id: id.clone(),
            title: loaded.row.title,
            host,
            state: earlier.unwrap_or(loaded.state),
            last,
            viewer: loaded.viewer,
            rights: loaded.rights,
            names: loaded
                .members
                .into_iter()
                .map(|row| (row.id(), isolated(row.name)))
                .collect(),
            channels,
            invited,
            // Nobody but its pupils joins a lesson, and they do by its code.
            join_link: (leads && lesson.is_none()).then(|| self.team_join_link(id)),
            projector_link: leads.then(|| self.projector_link(id)),
            lesson,
        })
    }

    /// How far a match has come for whoever comes.
    ///
    /// # Errors
    /// Not found, also for whoever may not see it.
    pub async fn team_heads(&self, visit: &Visit, id: &MatchId) -> Result<TeamHeads, AppError> {
        let moment = self.team_moment(id).await?;
        let heads = self.team_heads_in(&moment, visit, id)?;
        let account = visit.account.as_ref();
        let viewer = viewer_of(account, &moment.hosts, &moment.members, false, false);
        self.note_presence(id, &moment.state, &viewer);
        Ok(heads)
    }

    /// [`team_heads`](Self::team_heads) after a change of which somebody has heard.
    ///
    /// # Errors
    /// As `team_heads`.
    pub async fn team_heads_heard(
        &self,
        visit: &Visit,
        id: &MatchId,
        listening: &mut Listening<Moment>,
    ) -> Result<TeamHeads, AppError> {
        let moment = listening.look(self.team_moment(id)).await?;
        self.team_heads_in(&moment, visit, id)
    }

    async fn team_moment(&self, id: &MatchId) -> Result<Moment, AppError> {
        let (kept, asked) = (self.kept_team(id), id.clone());
        let moment = self
            .store
            .read(move |conn| {
                let row = teams::find(conn, &asked)?.ok_or(AppError::NotFound)?;
                Ok::<_, AppError>(Moment {
                    hosts: row.hosts(conn)?,
                    class: row.class_id,
                    state: state_of(conn, &asked, row.head, kept)?,
                    members: teams::members_of(conn, &asked)?,
                    talk: Talk::read(conn, &asked)?,
                })
            })
            .await?;
        self.keep_team(id, &moment.state);
        Ok(moment)
    }

    fn team_heads_in(
        &self,
        moment: &Moment,
        visit: &Visit,
        id: &MatchId,
    ) -> Result<TeamHeads, AppError> {
        let account = visit.account.as_ref();
        let by_link = self.proof_is_good("team-join", id, visit.link.as_ref());
        let projector = self.proof_is_good("team-show", id, visit.projector.as_ref());
        let by_link = by_link && of_class(account, moment.class.as_ref());
        let viewer = viewer_of(account, &moment.hosts, &moment.members, by_link, projector);
        let rights = rights(&moment.state, &viewer);
        if !rights.see || !within_class(account, moment.class.as_ref()) {
            return Err(AppError::NotFound);
        }
        let talk = readable_of(&moment.talk, &viewer, &rights)
            .into_iter()
            .map(|channel| (channel.number, channel.head))
            .collect();
        Ok(heads_of(&moment.state, &viewer, &rights, talk))
    }

    /// Does something in a team match, and tells the open pages. The number of a new member is given here.
    ///
    /// # Errors
    /// Not found for whoever may not see it; who joins must be signed in; else what [`Match::decide`]
    /// refuses.
    pub async fn act_in_team(
        &self,
        visit: &Visit,
        id: &MatchId,
        command: Command,
    ) -> Result<Arc<Match>, AppError> {
        self.act_naming(visit, id, command, None).await
    }

    /// [`act_in_team`](Self::act_in_team), with the name that a member is given.
    async fn act_naming(
        &self,
        visit: &Visit,
        id: &MatchId,
        command: Command,
        name: Option<String>,
    ) -> Result<Arc<Match>, AppError> {
        let turnstile = self.turnstile(id);
        let _one_at_a_time = turnstile.lock().await;
        for _ in 0..TRIES {
            let (loaded, ()) = self.load_team(visit, id, |_, _| Ok(())).await?;
            let state = &loaded.state;
            let current = loaded
                .viewer
                .member
                .filter(|member| state.members.get(member).is_some_and(|m| m.left.is_none()));
            let command = match (&command, &visit.account) {
                (Command::Join(..), None) => return Err(AppError::SignIn),
                (Command::Join(..), _) if current.is_some() => {
                    let why = "You take part in this match already.";
                    return Err(Refusal::NotAllowed(why.to_owned()).into());
                }
                (Command::Join(_, team), _) => Command::Join(state.next_member(), *team),
                (command, _) => (*command).clone(),
            };
            let joins = matches!(command, Command::Join(..));
            let arranges = matches!(command, Command::Team(..) | Command::Arrange(..));
            if arranges && loaded.row.class_id.is_some() && !loaded.viewer.host {
                return Err(AppError::Forbidden(
                    "In a lesson the teacher puts the teams together.",
                ));
            }
            let who = Who {
                host: loaded.viewer.host && !joins,
                member: current,
            };
            let now = self.now();
            let events = match state.decide(&who, &command, now, rand::random()) {
                // The same once more, from a second click or a lost answer: it is taken already.
                Err(Refusal::Changed(_)) if took_already(state, current, &command) => {
                    return Ok(Arc::clone(state));
                }
                decided => decided?,
            };
            let newcomer = visit.account.as_ref().filter(|_| joins);
            let Some(after) = self
                .commit_team(id, &loaded.row, state, events, newcomer, name.clone())
                .await?
            else {
                continue;
            };
            if timed_out(state, &after) && !matches!(command, Command::Tick | Command::Stop) {
                return Err(Refusal::NotPlaying(Phase::Over).into());
            }
            return Ok(after);
        }
        Err(AppError::Internal(format!("match {id} is too busy")))
    }

    /// Writes what was decided and tells everyone; `None` if somebody else was quicker.
    async fn commit_team(
        &self,
        id: &MatchId,
        row: &TeamRow,
        state: &Arc<Match>,
        events: Vec<Event>,
        newcomer: Option<&Account>,
        new_name: Option<String>,
    ) -> Result<Option<Arc<Match>>, AppError> {
        let Some(last) = events.last() else {
            return Ok(Some(Arc::clone(state)));
        };
        let head = last.number;
        let mut after = Match::clone(state);
        for event in &events {
            after.apply(event)?;
        }
        let after = Arc::new(after);
        let (from, match_id) = (state.head, id.clone());
        let row = TeamRow {
            class_id: row.class_id.clone(),
            code: row.code.clone(),
            ..projection(id, &row.title, &row.host, &after)
        };
        let newcomer = newcomer.map(|account| (account.id.clone(), account.name.clone()));
        let now = self.now();
        let (earlier, later) = (Arc::clone(state), Arc::clone(&after));
        let ring = Arc::clone(&self.ring);
        let done = self
            .store
            .write(move |conn| {
                if !teams::advance(conn, &match_id, from, head - from)? {
                    return Ok(None);
                }
                teams::append(conn, &match_id, &events)?;
                teams::set_projection(conn, &row)?;
                if row.code.is_some() && row.phase == Stage::Over {
                    lesson_rows::set_code(conn, &match_id, None)?;
                }
                for event in &events {
                    match &event.what {
                        What::Join(member, _) => {
                            let (account_id, name) = newcomer.clone().unzip();
                            if let Some(account) = &account_id {
                                teams::forget_invitation(conn, &match_id, account)?;
                            }
                            let row = MemberRow {
                                match_id: match_id.clone(),
                                number: i32::from(member.0),
                                account_id,
                                name: name.unwrap_or_default(),
                                active: true,
                            };
                            teams::add_member(conn, &row)?;
                        }
                        What::Leave(member) => teams::end_member(conn, &match_id, *member)?,
                        What::Rename(member) => {
                            let name = new_name.as_deref().unwrap_or_default();
                            teams::rename_member(conn, &match_id, *member, name)?;
                        }
                        What::Hush(message, by) => {
                            host::overwrite(conn, &ring, &match_id, *message, *by)?;
                        }
                        _ => {}
                    }
                }
                if let Some(look) = mail::next_look(&earlier, &later, now) {
                    teams::set_look(conn, &match_id, look)?;
                }
                let mailed = mail::enqueue_turns(conn, &match_id, &row, &earlier, &later, now)?;
                let talk = all_talk(conn, &match_id)?;
                let (id, event) = (match_id, head);
                announce(conn, &Change::Team { id, event, talk })?;
                Ok::<_, AppError>(Some((talk, mailed)))
            })
            .await?;
        let Some((talk, mailed)) = done else {
            return Ok(None);
        };
        if mailed {
            self.outbox.notify_one();
        }
        self.keep_team(id, &after);
        self.team_live.tell(id, Heads { event: head, talk });
        Ok(Some(after))
    }

    /// The messages of a channel, the latest of them, for whoever may read it.
    ///
    /// # Errors
    /// Not found, also for whoever may not read it.
    pub async fn messages(
        &self,
        visit: &Visit,
        id: &MatchId,
        channel: i32,
    ) -> Result<Vec<Message>, AppError> {
        let asked = id.clone();
        let (_, rows) = self
            .load_team(visit, id, move |conn, loaded| {
                let readable = readable(conn, &asked, &loaded.viewer, &loaded.rights)?;
                if !readable.iter().any(|found| found.number == channel) {
                    return Err(AppError::NotFound);
                }
                Ok(channels::messages_of(conn, &asked, channel, MESSAGES)?)
            })
            .await?;
        rows.into_iter()
            .map(|row| {
                let sealed_for = place(id, channel, row.number, &row.by_actor);
                Ok(Message {
                    text: self.ring.open(&sealed_for, &row.sealed).ok_or_else(|| {
                        AppError::Internal(format!(
                            "message {} of channel {channel} of {id} cannot be opened: its key is missing \
                             or it was altered",
                            row.number
                        ))
                    })?,
                    by: row
                        .by_actor
                        .parse()
                        .map_err(|_| AppError::Internal(format!("{:?} spoke", row.by_actor)))?,
                    number: row.number,
                    at: row.at,
                })
            })
            .collect()
    }

    /// Says something in a channel, in own words.
    ///
    /// # Errors
    /// Not found for whoever may not read the channel; reading is not always writing, and the host may have said
    /// otherwise; an empty or too long text; too often.
    pub async fn say_in_team(
        &self,
        visit: &Visit,
        id: &MatchId,
        channel: i32,
        text: &str,
    ) -> Result<(), AppError> {
        self.post_in_team(visit, id, channel, Words::Own(text))
            .await
    }

    /// Says something in a channel, by a ready-made phrase.
    ///
    /// # Errors
    /// As [`say_in_team`](Self::say_in_team); something has to be chosen first.
    pub async fn say_phrase_in_team(
        &self,
        visit: &Visit,
        id: &MatchId,
        channel: i32,
        phrase: &Phrase,
        blanks: Blanks,
    ) -> Result<(), AppError> {
        self.post_in_team(visit, id, channel, Words::Phrase(phrase, blanks))
            .await
    }

    async fn post_in_team(
        &self,
        visit: &Visit,
        id: &MatchId,
        channel: i32,
        words: Words<'_>,
    ) -> Result<(), AppError> {
        let text = match words {
            Words::Own(text) => text,
            Words::Phrase(..) => "",
        };
        if text.trim().chars().count() > LONGEST_LINE {
            let why = format!("A message has at most {LONGEST_LINE} characters.");
            return Err(invalid("text", why));
        }
        let own = line(text)?;
        let asked = id.clone();
        let (loaded, found) = self
            .load_team(visit, id, move |conn, loaded| {
                let readable = readable(conn, &asked, &loaded.viewer, &loaded.rights)?;
                readable
                    .into_iter()
                    .find(|found| found.number == channel)
                    .ok_or(AppError::NotFound)
            })
            .await?;
        let frozen = loaded.state.talk == TalkMode::Frozen && !loaded.viewer.host;
        if !found.write {
            return Err(AppError::Forbidden(if frozen {
                "The host has stopped the talk for now. You can still read it."
            } else {
                "You may read this talk, not write in it."
            }));
        }
        let phrases_only = loaded.state.talk == TalkMode::Phrases && !loaded.viewer.host;
        let text = match words {
            Words::Own(_) if phrases_only => {
                let why = "For now the host lets you choose from the ready-made phrases only.";
                return Err(invalid("text", why));
            }
            Words::Own(_) => own.ok_or_else(|| invalid("text", "Please write something first."))?,
            Words::Phrase(phrase, blanks) => phrase
                .said(blanks, loaded.state.terms.size)
                .map_err(|why| invalid("text", why))?,
        };
        let (by, me) = match loaded
            .viewer
            .member
            .filter(|_| loaded.rights.side.is_some())
        {
            Some(member) => (Actor::Member(member), i32::from(member.0)),
            None if loaded.viewer.host => (Actor::Host, 0),
            // Somebody who has joined and has no team yet.
            None => match loaded.viewer.member {
                Some(member) => (Actor::Member(member), i32::from(member.0)),
                None => return Err(AppError::Forbidden("Only who takes part talks here.")),
            },
        };
        count(&self.limits.talk_account, &format!("{id} {by}"))?;
        let (now, ring, asked) = (self.now(), Arc::clone(&self.ring), id.clone());
        let event = loaded.state.head;
        let talk = self
            .store
            .write(move |conn| {
                let number = channels::claim(conn, &asked, channel)?.ok_or(AppError::NotFound)?;
                let by = by.to_string();
                let sealed = ring
                    .seal(&place(&asked, channel, number, &by), &text)
                    .ok_or_else(|| AppError::Internal("a text cannot be sealed".to_owned()))?;
                let row = MessageRow {
                    match_id: asked.clone(),
                    channel,
                    number,
                    at: now,
                    by_actor: by,
                    sealed,
                };
                channels::post(conn, &row)?;
                channels::mark_seen(conn, &asked, channel, me, number)?;
                let talk = all_talk(conn, &asked)?;
                let id = asked;
                announce(conn, &Change::Team { id, event, talk })?;
                Ok::<_, AppError>(talk)
            })
            .await?;
        self.team_live.tell(id, Heads { event, talk });
        Ok(())
    }

    /// Notes that whoever comes has read a channel up to message `number`.
    ///
    /// # Errors
    /// Not found, also for whoever may not read it.
    pub async fn saw_in_team(
        &self,
        visit: &Visit,
        id: &MatchId,
        channel: i32,
        number: i32,
    ) -> Result<(), AppError> {
        let asked = id.clone();
        let (loaded, unread) = self
            .load_team(visit, id, move |conn, loaded| {
                let readable = readable(conn, &asked, &loaded.viewer, &loaded.rights)?;
                readable
                    .into_iter()
                    .find(|found| found.number == channel)
                    .map(|found| found.unread > found.head - number.min(found.head))
                    .ok_or(AppError::NotFound)
            })
            .await?;
        let me = match loaded.viewer.member {
            Some(member) if loaded.rights.side.is_some() => i32::from(member.0),
            _ if loaded.viewer.host => 0,
            _ => return Ok(()),
        };
        if unread {
            let asked = id.clone();
            self.store
                .write(move |conn| channels::mark_seen(conn, &asked, channel, me, number))
                .await?;
        }
        Ok(())
    }

    /// Opens a private channel for members of the viewer's team, the viewer included, and gives its number. One
    /// that these very members have already is given instead.
    ///
    /// # Errors
    /// Not found for whoever may not see the match; not in a team, somebody of another team, nobody else, or too
    /// many channels.
    pub async fn open_channel(
        &self,
        visit: &Visit,
        id: &MatchId,
        people: Vec<MemberId>,
    ) -> Result<i32, AppError> {
        for _ in 0..TRIES {
            let asked = id.clone();
            let (loaded, known) = self
                .load_team(visit, id, move |conn, loaded| {
                    Ok(readable(conn, &asked, &loaded.viewer, &loaded.rights)?)
                })
                .await?;
            let (Some(me), Some(side)) = (loaded.viewer.member, loaded.rights.side) else {
                return Err(AppError::Forbidden(
                    "Only members of a team talk in secret.",
                ));
            };
            let team = loaded.state.team(side);
            let mut people = people.clone();
            people.push(me);
            people.sort_unstable();
            people.dedup();
            if people.len() < 2 || !people.iter().all(|member| team.members.contains(member)) {
                return Err(invalid(
                    "people",
                    "Choose at least one other member of your team.",
                ));
            }
            let same = Audience::Private(side, people.clone());
            if let Some(channel) = known.iter().find(|channel| channel.audience == same) {
                return Ok(channel.number);
            }
            if known.last().is_some_and(|last| last.number > MOST_CHANNELS) {
                return Err(AppError::Forbidden("There are too many private channels."));
            }
            count(&self.limits.talk_account, &format!("{id} {me}"))?;
            let (head, asked) = (loaded.state.head, id.clone());
            let opened = self
                .store
                .write(move |conn| {
                    if !teams::advance(conn, &asked, head, 0)? {
                        return Ok(None);
                    }
                    let winner = Winner::from(Some(side));
                    channels::open(conn, &asked, winner, &people).map(Some)
                })
                .await?;
            if let Some(number) = opened {
                return Ok(number);
            }
        }
        Err(AppError::Internal(format!("match {id} is too busy")))
    }

    /// The team matches that the viewer can go to.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn teams(&self, account: Option<&Account>) -> Result<TeamLists, AppError> {
        let account = account.map(|account| account.id.clone());
        let mut lists = self
            .store
            .read(move |conn| {
                let open = teams::lobby(conn, LIST)?;
                let (mut own, mut invited) = (Vec::new(), Vec::new());
                if let Some(account) = &account {
                    invited = teams::of_invited(conn, account, LIST)?;
                    own = teams::of_host(conn, account, LIST)?;
                    for row in teams::of_member(conn, account, LIST)? {
                        if !own.iter().any(|known| known.id == row.id) {
                            own.push(row);
                        }
                    }
                    own.sort_by_key(|row| std::cmp::Reverse(row.updated_at));
                }
                let hosts: Vec<AccountId> = open
                    .iter()
                    .chain(&own)
                    .chain(&invited)
                    .map(|row| row.host.clone())
                    .collect();
                let names: HashMap<AccountId, String> = account_rows::names(conn, &hosts)?;
                let listed = |rows: Vec<TeamRow>| -> Vec<ListedTeam> {
                    rows.into_iter()
                        .map(|row| ListedTeam {
                            host: name_of(&row.host, &names),
                            link: None,
                            row,
                        })
                        .collect()
                };
                Ok::<_, AppError>(TeamLists {
                    open: listed(open),
                    own: listed(own),
                    invited: listed(invited),
                })
            })
            .await?;
        for one in &mut lists.invited {
            one.link = Some(self.team_join_link(&one.row.id));
        }
        Ok(lists)
    }

    /// Ends the team matches whose time is up, and looks whether another process has changed the key of the
    /// talk.
    ///
    /// # Errors
    /// Only the database's; one match that fails does not stop the others.
    pub(super) async fn tick_teams(&self) -> Result<(), AppError> {
        if let Err(error) = self.ring.refresh() {
            tracing::error!(%error, "the keys of the talk cannot be read");
        }
        let now = self.now();
        let overdue = self
            .store
            .read(move |conn| teams::overdue(conn, now, LIST))
            .await?;
        for id in overdue {
            if let Err(error) = self.time_out_team(&id).await {
                tracing::error!(%id, %error, "a time limit could not be enforced");
            }
        }
        self.write_presence().await?;
        self.tell_what_waits().await?;
        self.purge_classes().await
    }

    async fn time_out_team(&self, id: &MatchId) -> Result<(), AppError> {
        for _ in 0..TRIES {
            let (kept, asked) = (self.kept_team(id), id.clone());
            let (row, state) = self
                .store
                .read(move |conn| {
                    let row = teams::find(conn, &asked)?.ok_or(AppError::NotFound)?;
                    let state = state_of(conn, &asked, row.head, kept)?;
                    Ok::<_, AppError>((row, state))
                })
                .await?;
            let events = state.decide(&Who::default(), &Command::Tick, self.now(), 0)?;
            if self
                .commit_team(id, &row, &state, events, None, None)
                .await?
                .is_some()
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Gives the talk of teams and the phrases of pupils a new key, and seals everything anew with it. Gives how many
    /// texts that were.
    ///
    /// # Errors
    /// The database's and the file's; a text that cannot be opened.
    pub async fn rotate_talk_key(&self) -> Result<usize, AppError> {
        let failed = |error: std::io::Error| {
            AppError::Internal(format!("the keys of the talk cannot be changed: {error}"))
        };
        self.ring.add().map_err(failed)?;
        let mut done = 0;
        loop {
            let ring = Arc::clone(&self.ring);
            let resealed = self
                .store
                .write(move |conn| {
                    let rows = channels::sealed_otherwise(conn, &ring.newest(), RESEALED)?;
                    let count = rows.len();
                    for row in rows {
                        let place = place(&row.match_id, row.channel, row.number, &row.by_actor);
                        let sealed = ring
                            .open(&place, &row.sealed)
                            .and_then(|text| ring.seal(&place, &text))
                            .ok_or_else(|| {
                                AppError::Internal(format!("a message cannot be opened: {place}"))
                            })?;
                        channels::reseal(conn, &MessageRow { sealed, ..row })?;
                    }
                    Ok::<_, AppError>(count)
                })
                .await?;
            if resealed == 0 {
                break;
            }
            done += resealed;
        }
        loop {
            let ring = Arc::clone(&self.ring);
            let resealed = self
                .store
                .write(move |conn| super::classes::reseal(conn, &ring, RESEALED))
                .await?;
            if resealed == 0 {
                break;
            }
            done += resealed;
        }
        self.ring.forget().map_err(failed)?;
        Ok(done)
    }
}

/// Whether somebody may come at all: a pupil to the lessons of the own class only.
fn within_class(account: Option<&Account>, class: Option<&ClassId>) -> bool {
    let of_pupil = account.and_then(|account| account.class.as_ref());
    of_pupil.is_none() || of_pupil == class
}

/// Whether a link may let somebody join: into a lesson, pupils of the class only.
fn of_class(account: Option<&Account>, class: Option<&ClassId>) -> bool {
    class.is_none() || account.and_then(|account| account.class.as_ref()) == class
}

/// Who comes, as the match knows it.
fn viewer_of(
    account: Option<&Account>,
    hosts: &[AccountId],
    members: &[MemberRow],
    by_link: bool,
    projector: bool,
) -> Viewer {
    let account = account.map(|account| &account.id);
    Viewer {
        host: account.is_some_and(|account| hosts.contains(account)),
        member: members
            .iter()
            .filter(|row| account.is_some() && row.account_id.as_ref() == account)
            .max_by_key(|row| (row.active, row.number))
            .map(MemberRow::id),
        by_link,
        projector,
    }
}

/// The number of the last event that somebody may see.
fn last_shown(loaded: &Loaded) -> i32 {
    last_seen(&loaded.state, &loaded.viewer, &loaded.rights, |_| true)
}

/// The number of the last event that is `right` and that somebody may see.
fn last_seen(
    state: &Match,
    viewer: &Viewer,
    rights: &Rights,
    right: impl Fn(&What) -> bool,
) -> i32 {
    state
        .log
        .iter()
        .rev()
        .find(|logged| right(&logged.event.what) && shows(rights, viewer, logged))
        .map_or(0, |logged| logged.event.number)
}

fn heads_of(state: &Match, viewer: &Viewer, rights: &Rights, talk: Vec<(i32, i32)>) -> TeamHeads {
    let people = last_seen(state, viewer, rights, |what| {
        // Whoever may talk differently now, or of whose talk something was removed, hears of it like this, too.
        what.is_about_people()
            || matches!(
                what,
                What::Terms(_)
                    | What::Start
                    | What::Pause
                    | What::Resume
                    | What::Talk(_)
                    | What::Hush(..)
            )
    });
    let event = last_seen(state, viewer, rights, |_| true);
    // Whoever comes to a team, or goes, or has other duties, sees every board with other eyes: another is the
    // large one then.
    let mine = |logged: &&Arc<Logged>| match (&logged.event.what, viewer.member) {
        (What::Join(id, _) | What::Team(id, _) | What::Leave(id), Some(me)) => *id == me,
        (What::Duties(_, after), Some(me)) => {
            let before = logged.before.as_ref();
            before.is_some_and(|before| before.of(me) != after.of(me))
        }
        _ => false,
    };
    let came = state.log.iter().rev().find(mine);
    let came = came.map_or(0, |logged| logged.event.number);
    TeamHeads {
        event,
        people: if state.phase == Phase::Over {
            event
        } else {
            people
        },
        boards: state
            .boards
            .numbers()
            .zip(&state.desks)
            .filter(|(number, _)| rights.boards.contains(number))
            .map(|(number, desk)| (number.0, desk.touched.max(came)))
            .collect(),
        talk,
    }
}

/// How many messages there are in all channels: a number that grows with each.
fn all_talk(conn: &mut Conn, id: &MatchId) -> Result<i32, StoreError> {
    Ok(channels::channels_of(conn, id)?
        .iter()
        .map(|channel| channel.head)
        .sum())
}

/// Whether this very command of this member is what changed the board.
fn took_already(state: &Match, member: Option<MemberId>, command: &Command) -> bool {
    let member = member.map(Actor::Member);
    let (board, seen, what, by) = match command {
        Command::Play { board, seen, turn } => {
            let line = What::Line(format!("{board} {turn}"));
            (*board, Some(*seen), line, member)
        }
        Command::Transfer { transfer, .. } => (
            transfer.from,
            None,
            What::Line(transfer.to_string()),
            member,
        ),
        Command::Back { board, seen } => {
            (*board, Some(*seen), What::Back(*board), Some(Actor::Host))
        }
        _ => return false,
    };
    // Each of these has made another version of the board.
    let mut lines = state.log.iter().filter(|logged| {
        matches!(logged.event.what, What::Line(_) | What::Back(_)) && logged.boards.contains(&board)
    });
    let line = match seen {
        Some(seen) => lines.nth(usize::try_from(seen).unwrap_or(usize::MAX)),
        None => lines.next_back(),
    };
    // What was taken back since would have to be done anew.
    line.is_some_and(|logged| {
        logged.event.what == what && by == Some(logged.event.by) && state.is_in_force(logged)
    })
}

fn timed_out(before: &Match, after: &Match) -> bool {
    before.phase != Phase::Over
        && after.phase == Phase::Over
        && after
            .log
            .last()
            .is_some_and(|logged| logged.event.by == Actor::Server)
}
