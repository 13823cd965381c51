//! What mails about team matches tell.

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use super::row::{
    Context, GONE, NAMED_NOWHERE, NOTHING_WAITS, OVER, Payload, SEEN, TOLD, Unsent, match_of,
    must_stand, named,
};
use crate::address;
use crate::app::AppError;
use crate::app::team::mail::{NEWS, TURN, began, waiting_by_account};
use crate::app::team::{
    Call, Channel, TeamReader, calls_of, invitation_link, join_link, membership, own_cards,
    reader_for,
};
use crate::store::accounts::AccountRow;
use crate::store::matches::{self, MatchRow};
use crate::store::members::{self, MemberRow};
use crate::store::outbox::{self, MailRow};
use crate::store::{Conn, MatchKind, accounts, journal, muted_matches};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::announce::is_mailed;
use perplex_matches::team::event::Terms;
use perplex_matches::team::notice::Waiting;
use perplex_matches::team::{self, Logged, Phase};
use perplex_matches::time::Time;

#[derive(Clone, Debug)]
pub enum AboutTeam {
    Invitation {
        from: String,
        path: String,
        title: String,
        terms: Terms,
        /// True if the receiver has an account.
        known: bool,
        /// True if visitors make accounts themselves.
        open: bool,
    },
    Declined {
        who: Invited,
        title: String,
        id: MatchId,
    },
    /// All that waits for an account, in its matches over days.
    Waiting(Vec<Waits>),
    /// It is the reader's turn, or they are to answer; with the news before that.
    Turn(TeamNews),
    News(TeamNews),
    /// Messages that are to the reader, the latest last.
    Talk {
        waits: Waits,
        reader: TeamReader,
        calls: Vec<Call>,
    },
}

/// Who was invited to a team match.
#[derive(Clone, Debug)]
pub enum Invited {
    Player(String),
    Address(String),
}

/// What waits for an account in a team match.
#[derive(Clone, Debug)]
pub struct Waits {
    pub title: String,
    pub id: MatchId,
    pub tasks: Vec<Waiting>,
    /// The time left in the match, if it ends by time.
    pub left: Option<Duration>,
}

/// What happened in a team match, and what waits there.
#[derive(Clone, Debug)]
pub struct TeamNews {
    pub waits: Waits,
    pub reader: TeamReader,
    /// The events, the latest last.
    pub news: Vec<Arc<Logged>>,
}

impl AboutTeam {
    /// True if a mail of it says what one of `other` would.
    pub fn tells(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Turn(TeamNews { waits, .. }), Self::News(TeamNews { waits: other, .. }))
            | (Self::Talk { waits, .. }, Self::Talk { waits: other, .. }) => waits.id == other.id,
            (Self::Turn(_) | Self::News(_), Self::Waiting(_)) => true,
            _ => false,
        }
    }
}

fn team(conn: &mut Conn, id: &MatchId) -> Result<(MatchRow, team::Match), Unsent> {
    let row = matches::find(conn, id)?.ok_or(GONE)?;
    let state = team::Match::replay(&journal::events::<team::Match>(conn, id, 0)?)?;
    Ok((row, state))
}

/// The invitation to the team match of `row`, which is not over.
pub fn team_invitation(
    conn: &mut Conn,
    context: &Context,
    row: &MailRow,
    payload: Payload,
    known: bool,
) -> Result<AboutTeam, Unsent> {
    let id = match_of(row)?;
    let from = named(conn, payload)?;
    if !known {
        must_stand(conn, row)?;
    }
    let address = address::key(&row.address);
    let (row, state) = team(conn, &id)?;
    if state.phase == Phase::Over {
        return Err(OVER);
    }
    Ok(AboutTeam::Invitation {
        from,
        path: if known {
            join_link(&context.key, &id, row.links)
        } else {
            invitation_link(&context.key, &id, row.links, &address)
        },
        title: row.title,
        terms: state.terms,
        known,
        open: context.is_open,
    })
}

/// An invitation to the team match of `row` was declined.
pub fn team_declined(
    conn: &mut Conn,
    row: &MailRow,
    payload: Payload,
) -> Result<AboutTeam, Unsent> {
    let id = match_of(row)?;
    let who = match &payload.email {
        Some(email) => Invited::Address(address::shown(email)),
        None => Invited::Player(named(conn, payload)?),
    };
    let (row, state) = team(conn, &id)?;
    if state.phase == Phase::Over {
        return Err(OVER);
    }
    Ok(AboutTeam::Declined {
        who,
        title: row.title,
        id,
    })
}

/// A team match as the account sees it now, with its row, its membership there, and when it last touched a page of it.
pub struct TeamState {
    row: MatchRow,
    account: AccountId,
    /// The account gets a mail for each turn.
    by_turn: bool,
    /// The account wants mails of what it has seen, too.
    seen_too: bool,
    pub reader: TeamReader,
    member: Option<MemberRow>,
    touched_at: Option<Time>,
    waiting: Vec<Waiting>,
}

pub fn team_state(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountRow,
) -> Result<TeamState, Unsent> {
    let (row, state) = team(conn, id)?;
    let members = members::of_match(conn, id)?;
    let hosts = row.hosts(conn)?;
    let waiting = waiting_by_account(&hosts, &state, &members)
        .into_iter()
        .find(|(other, _)| *other == account.id);
    let member = membership(&account.id, &members).cloned();
    let touched_at = members::touched(conn, id, &account.id)?;
    let own_cards = own_cards(conn, &row, &state)?;
    Ok(TeamState {
        account: account.id.clone(),
        by_turn: !account.mail.is_off(TURN),
        seen_too: account.mail.seen_too,
        reader: reader_for(
            &account.id,
            &hosts,
            &row,
            Arc::new(state),
            members,
            own_cards,
        ),
        member,
        touched_at,
        row,
        waiting: waiting.map_or_else(Vec::new, |(_, waiting)| waiting),
    })
}

impl TeamState {
    fn told(self, news: Vec<Arc<Logged>>, now: Time) -> TeamNews {
        TeamNews {
            waits: self.waits(now),
            reader: self.reader,
            news,
        }
    }

    fn waits(&self, now: Time) -> Waits {
        Waits {
            title: self.row.title.clone(),
            id: self.row.id.clone(),
            tasks: self.waiting.clone(),
            left: self.reader.state.time_left(now),
        }
    }

    /// The last event that a mail has told.
    fn mailed(&self) -> i32 {
        self.member.as_ref().map_or(0, |member| member.news_mailed)
    }

    /// True if the reader touched no page of the match after the event.
    fn is_unseen(&self, logged: &Logged) -> bool {
        self.seen_too
            || self
                .touched_at
                .is_none_or(|touched| logged.event.at > touched)
    }

    /// The news to mail from that event on: nothing that the reader has seen on the site, or a mail has told.
    fn news(&self, since: i32) -> Vec<Arc<Logged>> {
        let reader = &self.reader;
        let known = self.member.as_ref().map_or(0, |member| {
            if self.seen_too {
                member.news_mailed
            } else {
                member.news_seen.max(member.news_mailed)
            }
        });
        let log = reader.state.log.iter();
        log.filter(|logged| logged.event.number >= since.max(known + 1))
            .filter(|logged| self.is_unseen(logged))
            .filter(|logged| {
                is_mailed(
                    &reader.state,
                    &reader.viewer,
                    &reader.rights,
                    logged,
                    self.by_turn,
                )
            })
            .cloned()
            .collect()
    }
}

pub fn team_turn(conn: &mut Conn, found: TeamState, now: Time) -> Result<AboutTeam, Unsent> {
    if found.waiting.is_empty() {
        return Err(NOTHING_WAITS);
    }
    // The row may be older than the turn: what follows joins a mail that waits.
    let state = &found.reader.state;
    let began = || {
        let tasks = found.waiting.iter();
        tasks.filter_map(|task| began(state, *task))
    };
    if began().all(|logged| logged.event.number <= found.mailed()) {
        return Err(TOLD);
    }
    if began().all(|logged| logged.event.number <= found.mailed() || !found.is_unseen(logged)) {
        return Err(SEEN);
    }
    // What waits to be told is told with it.
    let since = outbox::waits_from(conn, &found.row.id, &found.account, NEWS)?;
    let news = since.map_or_else(Vec::new, |since| found.news(since));
    Ok(AboutTeam::Turn(found.told(news, now)))
}

/// The news of a team match since the event of the row that concern the reader, who has not seen them.
pub fn team_news(row: &MailRow, found: TeamState, now: Time) -> Result<AboutTeam, Unsent> {
    let news = found.news(row.event.unwrap_or(0));
    if news.is_empty() {
        let is_told = row.event.is_some_and(|event| event <= found.mailed());
        return Err(if is_told { TOLD } else { SEEN });
    }
    Ok(AboutTeam::News(found.told(news, now)))
}

/// The messages of a team match since the row was written that name the reader and were not read.
pub fn team_talk(
    conn: &mut Conn,
    context: &Context,
    row: &MailRow,
    found: TeamState,
) -> Result<AboutTeam, Unsent> {
    let reader = &found.reader;
    let host = accounts::names(conn, slice::from_ref(&found.row.created_by))?;
    let host = host.get(&found.row.created_by).map_or("", String::as_str);
    let after = |channel: &Channel| {
        Some(if found.seen_too {
            0
        } else {
            channel.named.max(channel.head - channel.unread)
        })
    };
    let calls = calls_of(conn, &context.ring, &found.row.id, reader, host, after);
    let calls = calls.map_err(|error| match error {
        AppError::Store(error) => Unsent::Store(error),
        error => Unsent::Bad(error.to_string()),
    })?;
    let calls: Vec<Call> = calls
        .into_iter()
        .filter(|call| call.message.at >= row.created_at)
        .collect();
    if calls.is_empty() {
        return Err(NAMED_NOWHERE);
    }
    Ok(AboutTeam::Talk {
        waits: found.waits(context.now),
        reader: found.reader,
        calls,
    })
}

pub fn all_that_waits(
    conn: &mut Conn,
    account: &AccountRow,
    now: Time,
) -> Result<AboutTeam, Unsent> {
    let mut matches = Vec::new();
    for id in matches::unfinished(conn, MatchKind::Team, &account.id)? {
        let (_, state) = team(conn, &id)?;
        let is_muted = muted_matches::of_match(conn, &id)?.contains(&account.id);
        if state.terms.over_days() && !is_muted {
            let found = team_state(conn, &id, account)?;
            if !found.waiting.is_empty() {
                matches.push(found.waits(now));
            }
        }
    }
    if matches.is_empty() {
        return Err(NOTHING_WAITS);
    }
    Ok(AboutTeam::Waiting(matches))
}
