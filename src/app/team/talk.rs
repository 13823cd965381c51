//! Talk: channels, their readers, messages sealed and opened.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use perplex_games::rules::Side;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::event::{Actor, MemberId, TalkMode};
use perplex_matches::team::notice::MailKind as TeamMail;
use perplex_matches::team::phrase::{Blanks, Phrase};
use perplex_matches::team::policy::{Rights, Viewer, hears, rights};
use perplex_matches::team::{Match, Phase};
use perplex_matches::time::Time;

use super::{Loaded, TeamAccess, TeamFault, known_viewer};
use crate::app::aggregate::{MAX_ATTEMPTS, Step};
use crate::app::limits::count;
use crate::app::mail_kind::MailKind;
use crate::app::notifications::{Notification, When, notify};
use crate::app::snapshots::TalkRows;
use crate::app::talk::{self, NewMessage, line};
use crate::app::{App, AppError, Fault, NotAllowed, invalid};
use crate::secret::KeyRing;
use crate::store::talk::{self as talk_rows, EVERYBODY, FIRST_PRIVATE, ListenerRow, MessageRow};
use crate::store::{Conn, Heads, StoreError, Winner, journal};

const MOST_CHANNELS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    Public,
    Team(Side),
    Private(Side, Vec<MemberId>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub number: i32,
    pub audience: Audience,
    pub head: i32,
    pub unread: i32,
    /// The last message that named the viewer and whose card they have put away.
    pub named: i32,
    pub write: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub number: i32,
    pub at: Time,
    pub by: Actor,
    /// The last event of the match before it.
    pub event: i32,
    /// Plain text; empty if the host has removed it.
    pub text: String,
}

pub(super) fn read_talk(conn: &mut Conn, id: &MatchId) -> Result<TalkRows, StoreError> {
    Ok(TalkRows {
        channels: talk_rows::channels_of(conn, id)?,
        listeners: talk_rows::listeners_of(conn, id)?,
    })
}

/// A member's message: in their own words, or a ready-made phrase.
#[derive(Clone, Copy)]
enum Words<'a> {
    Own(&'a str),
    Phrase(&'a Phrase, Blanks),
}

pub(super) fn readable(
    conn: &mut Conn,
    id: &MatchId,
    viewer: &Viewer,
    rights: &Rights,
) -> Result<Vec<Channel>, StoreError> {
    Ok(readable_of(&read_talk(conn, id)?, viewer, rights))
}

/// The number by which a viewer is a listener of channels.
pub(super) fn listener(viewer: &Viewer, rights: &Rights) -> Option<i32> {
    match viewer.member {
        Some(member) if rights.side.is_some() => Some(i32::from(member.0)),
        _ if viewer.host => Some(0),
        _ => None,
    }
}

pub(super) fn readable_of(talk: &TalkRows, viewer: &Viewer, rights: &Rights) -> Vec<Channel> {
    let me = listener(viewer, rights);
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
                // A viewer who reads a team's talk without being in it (the host of a supervised match, everybody
                // after the end if that was announced) reads its private channels, too.
                let over_it = rights.team_talk[side.index()] && !own_team;
                let all = over_it || rights.reveals;
                let write = admitted && rights.speak;
                (Audience::Private(side, people), admitted || all, write)
            }
        };
        if !read {
            continue;
        }
        let (seen, named) = me.map_or((row.head, row.head), |me| {
            let listener = of_channel.iter().find(|l| l.member == me);
            listener.map_or((0, 0), |l| (l.seen, l.named))
        });
        found.push(Channel {
            number: row.number,
            audience,
            head: row.head,
            unread: row.head - seen,
            named,
            write,
        });
    }
    found
}

pub(super) fn find_readable(
    conn: &mut Conn,
    id: &MatchId,
    loaded: &Loaded,
    channel: i32,
) -> Result<Channel, AppError> {
    let mut readable = readable(conn, id, &loaded.viewer, &loaded.rights)?.into_iter();
    let found = readable.find(|found| found.number == channel);
    found.ok_or(AppError::NotFound)
}

/// A match and a person who may hear its talk.
#[derive(Clone, Copy)]
pub(super) struct Hearer<'a> {
    pub state: &'a Match,
    pub viewer: &'a Viewer,
    pub rights: &'a Rights,
}

impl Loaded {
    pub(super) fn hearer(&self) -> Hearer<'_> {
        Hearer {
            state: &self.state,
            viewer: &self.viewer,
            rights: &self.rights,
        }
    }
}

/// The latest messages of a channel after the one with this number, without those that the hearer may not hear.
pub(super) fn heard(
    conn: &mut Conn,
    id: &MatchId,
    by: Hearer,
    channel: &Channel,
    after: i32,
) -> Result<Vec<MessageRow>, StoreError> {
    let mut rows = talk_rows::messages_after(conn, id, channel.number, after, talk::MESSAGES)?;
    if let Audience::Team(side) | Audience::Private(side, _) = channel.audience {
        rows.retain(|row| {
            let event = said_after(row, by.state);
            hears(by.state, by.viewer, by.rights, side, event)
        });
    }
    Ok(rows)
}

/// The last event before a message.
fn said_after(row: &MessageRow, state: &Match) -> i32 {
    row.event.unwrap_or_else(|| state.head_at(row.at))
}

pub(super) fn opened(ring: &KeyRing, row: &MessageRow, state: &Match) -> Result<Message, AppError> {
    let by = row.by_actor.parse();
    Ok(Message {
        text: talk::open(ring, row)?,
        by: by.map_err(|_| AppError::Internal(format!("{:?} spoke", row.by_actor)))?,
        number: row.number,
        at: row.at,
        event: said_after(row, state),
    })
}

/// Marks a team's earlier messages as read by a member who joins it, unless the terms let newcomers read them.
pub(super) fn begin(
    conn: &mut Conn,
    step: &Step<Match>,
    member: MemberId,
) -> Result<(), StoreError> {
    let Some(side) = step.after.side_of(member) else {
        return Ok(());
    };
    let id = &step.row.id;
    let team = Some(Winner::from(Some(side)));
    for channel in talk_rows::channels_of(conn, id)? {
        if channel.team == team && channel.number < FIRST_PRIVATE && !step.after.terms.history {
            let me = i32::from(member.0);
            talk_rows::mark_seen(conn, id, channel.number, me, channel.head)?;
        }
    }
    Ok(())
}

pub(super) fn overwrite(
    conn: &mut Conn,
    ring: &KeyRing,
    id: &MatchId,
    number: i32,
) -> Result<(), AppError> {
    let row = talk_rows::message(conn, id, EVERYBODY, number)?.ok_or(AppError::NotFound)?;
    talk::overwrite(conn, ring, row, "")
}

/// Mails for those who can read a channel of a match over days. Each leaves only if a message names its reader: which
/// ones do is not written down.
fn about_talk(
    conn: &mut Conn,
    loaded: &Loaded,
    channel: i32,
    author: Option<&AccountId>,
    pause: Duration,
) -> Result<Vec<Notification>, StoreError> {
    let state = &loaded.state;
    if !state.terms.over_days() || state.phase == Phase::Gathering {
        return Ok(Vec::new());
    }
    let id = &loaded.row.id;
    let hosts = loaded.row.hosts(conn)?;
    let talk = read_talk(conn, id)?;
    let hears = |account: &AccountId| {
        let viewer = known_viewer(account, &hosts, &loaded.row, &loaded.members);
        let channels = readable_of(&talk, &viewer, &rights(state, &viewer));
        channels.iter().any(|one| one.number == channel)
    };
    let active = loaded.members.iter().filter(|member| member.active);
    let accounts: BTreeSet<&AccountId> = active
        .filter_map(|member| member.account_id.as_ref())
        .chain(&hosts)
        .filter(|account| Some(*account) != author && hears(account))
        .collect();
    let told = accounts.into_iter().map(|account| {
        // What is said next joins it.
        Notification::to_account(MailKind::Team(TeamMail::Talk), account)
            .about(id, Some(state.head))
            .when(When::Paused(pause))
            .joining(0)
    });
    Ok(told.collect())
}

impl App {
    pub async fn messages(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        channel: i32,
    ) -> Result<Vec<Message>, AppError> {
        let asked = id.clone();
        let (loaded, rows) = self
            .load_team(access, id, move |conn, loaded| {
                let found = find_readable(conn, &asked, loaded, channel)?;
                Ok(heard(conn, &asked, loaded.hearer(), &found, 0)?)
            })
            .await?;
        rows.into_iter()
            .map(|row| opened(&self.ring, &row, &loaded.state))
            .collect()
    }

    pub async fn say_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        channel: i32,
        text: &str,
    ) -> Result<(), AppError> {
        self.post_in_team(access, id, channel, Words::Own(text))
            .await
    }

    pub async fn say_phrase_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        channel: i32,
        phrase: &Phrase,
        blanks: Blanks,
    ) -> Result<(), AppError> {
        self.post_in_team(access, id, channel, Words::Phrase(phrase, blanks))
            .await
    }

    async fn post_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        channel: i32,
        words: Words<'_>,
    ) -> Result<(), AppError> {
        for attempt in 0..MAX_ATTEMPTS {
            if self
                .try_post(access, id, channel, words, attempt == 0)
                .await?
            {
                return Ok(());
            }
        }
        Err(AppError::Busy(format!("match {id}")))
    }

    /// Posts a message; `false` if something happened in the match meanwhile: its author may have been removed, or the
    /// talk stopped.
    async fn try_post(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        channel: i32,
        words: Words<'_>,
        counts: bool,
    ) -> Result<bool, AppError> {
        let text = match words {
            Words::Own(text) => text,
            Words::Phrase(..) => "",
        };
        let own = line("text", text)?;
        let asked = id.clone();
        let (loaded, found) = self
            .load_team(access, id, move |conn, loaded| {
                find_readable(conn, &asked, loaded, channel)
            })
            .await?;
        let frozen = loaded.state.talk == TalkMode::Frozen && !loaded.viewer.host;
        if !found.write {
            return Err(AppError::Forbidden(if frozen {
                NotAllowed::TalkStopped(loaded.leader())
            } else {
                NotAllowed::ReadOnly
            }));
        }
        if loaded.has_eyes_up() {
            return Err(invalid("text", TeamFault::EyesUp(loaded.leader())));
        }
        let phrases_only = loaded.state.talk == TalkMode::Phrases && !loaded.viewer.host;
        let text = match words {
            Words::Own(_) if phrases_only => {
                return Err(invalid("text", TeamFault::PhrasesOnly(loaded.leader())));
            }
            Words::Own(_) => own.ok_or_else(|| invalid("text", Fault::NoMessage))?,
            Words::Phrase(phrase, blanks) => phrase
                .said(blanks, loaded.state.terms.size)
                .map_err(|blank| invalid("text", Fault::Blank(blank)))?,
        };
        let (by, me) = match loaded
            .viewer
            .member
            .filter(|_| loaded.rights.side.is_some())
        {
            Some(member) => (Actor::Member(member), i32::from(member.0)),
            None if loaded.viewer.host => (Actor::Host, 0),
            // A member without a team yet.
            None => match loaded.viewer.member {
                Some(member) => (Actor::Member(member), i32::from(member.0)),
                None => return Err(AppError::Forbidden(NotAllowed::TalkNotMember)),
            },
        };
        if counts {
            count(&self.limits.talk_account, &format!("{id} {by}"))?;
        }
        let (now, ring, asked) = (self.now(), Arc::clone(&self.ring), id.clone());
        let event = loaded.state.head;
        let (author, pause) = (access.account.clone(), self.site.mail_pause);
        let posted = self
            .write(move |conn| {
                if !journal::hold(conn, &asked, event)? {
                    return Ok(None);
                }
                let message = NewMessage {
                    id: &asked,
                    channel,
                    by: by.to_string(),
                    text: &text,
                    event: Some(event),
                    now,
                };
                let (number, talk) = talk::post(conn, &ring, message)?;
                talk_rows::mark_seen(conn, &asked, channel, me, number)?;
                // An answer puts away the card of what is answered.
                talk_rows::put_away(conn, &asked, channel, me, number)?;
                let author = author.as_ref().map(|author| &author.id);
                let told = about_talk(conn, &loaded, channel, author, pause)?;
                let mail = notify(conn, told, now)?;
                let heads = Heads {
                    event,
                    talk,
                    door: 0,
                };
                Ok::<_, AppError>(Some((heads, mail)))
            })
            .await?;
        let Some((heads, mail)) = posted else {
            return Ok(false);
        };
        if mail {
            self.outbox.notify_one();
        }
        self.tell(&self.teams.live, id, heads);
        Ok(true)
    }

    pub async fn saw_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        channel: i32,
        number: i32,
    ) -> Result<(), AppError> {
        let asked = id.clone();
        let (loaded, found) = self
            .load_team(access, id, move |conn, loaded| {
                find_readable(conn, &asked, loaded, channel)
            })
            .await?;
        let Some(me) = listener(&loaded.viewer, &loaded.rights) else {
            return Ok(());
        };
        if found.unread > found.head - number.min(found.head) {
            let asked = id.clone();
            self.write(move |conn| talk_rows::mark_seen(conn, &asked, channel, me, number))
                .await?;
        }
        Ok(())
    }

    /// Opens a private channel for members of the viewer's team, the viewer included, and gives its number; or gives
    /// the channel that these very members have already.
    pub async fn open_channel(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        people: Vec<MemberId>,
    ) -> Result<i32, AppError> {
        for _ in 0..MAX_ATTEMPTS {
            let asked = id.clone();
            let (loaded, known) = self
                .load_team(access, id, move |conn, loaded| {
                    Ok(readable(conn, &asked, &loaded.viewer, &loaded.rights)?)
                })
                .await?;
            let (Some(me), Some(side)) = (loaded.viewer.member, loaded.rights.side) else {
                return Err(AppError::Forbidden(NotAllowed::TalkNoTeam));
            };
            let team = loaded.state.team(side);
            let mut people = people.clone();
            people.push(me);
            people.sort_unstable();
            people.dedup();
            if people.len() < 2 || !people.iter().all(|member| team.members.contains(member)) {
                return Err(invalid("people", TeamFault::NoTeammates));
            }
            let same = Audience::Private(side, people.clone());
            if let Some(channel) = known.iter().find(|channel| channel.audience == same) {
                return Ok(channel.number);
            }
            if known.len() > MOST_CHANNELS {
                return Err(AppError::Forbidden(NotAllowed::ManyChannels));
            }
            count(&self.limits.talk_account, &format!("{id} {me}"))?;
            let (head, asked) = (loaded.state.head, id.clone());
            let opened = self
                .write(move |conn| {
                    if !journal::hold(conn, &asked, head)? {
                        return Ok(None);
                    }
                    let winner = Winner::from(Some(side));
                    talk_rows::open(conn, &asked, winner, &people).map(Some)
                })
                .await?;
            if let Some(number) = opened {
                return Ok(number);
            }
        }
        Err(AppError::Busy(format!("match {id}")))
    }
}
