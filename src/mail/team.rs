//! Mails about team matches: their texts, and the data of each.

use std::collections::BTreeSet;
use std::slice;
use std::sync::Arc;

use askama::Template;

use super::page::{BOARD, Board, OPEN, TURNS, TurnLine};
use super::row::{
    Context, GONE, NAMED_NOWHERE, NOTHING_WAITS, OVER, Payload, SEEN, TOLD, Unsent, match_of,
    must_stand, named,
};
use super::text::{self, ADDRESS, Line, NOTE, line, note};
use crate::address;
use crate::app::AppError;
use crate::app::team::mail::{NEWS, TURN, began, waiting_by_account};
use crate::app::team::{
    Channel, TeamReader, calls_of, invitation_link, join_link, membership, own_cards, reader_for,
};
use crate::store::accounts::AccountRow;
use crate::store::matches::{self, MatchRow};
use crate::store::members::{self, MemberRow};
use crate::store::outbox::{self, MailRow};
use crate::store::{Conn, MatchKind, accounts, journal, muted_matches};
use crate::texts::in_words;
use crate::texts::news::{Announcement, announcement, called};
use crate::texts::rulebook::points_out;
use crate::texts::team::{last_on, sentence};
use crate::texts::{self, capital, full_stop, list};
use perplex_games::board::flexichess::in_letters;
use perplex_games::board::{Render as _, View};
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::Aggregate as _;
use perplex_matches::team::announce::is_mailed;
use perplex_matches::team::notice::Waiting;
use perplex_matches::team::{self, Logged, Phase};
use perplex_matches::time::Time;

/// The news of a match that a mail tells; of more it tells the latest.
const NEWS_TOLD: usize = 12;

#[derive(Clone, Debug, Template)]
pub enum TeamText {
    #[template(path = "mail/team-invitation.txt")]
    Invitation {
        from: Line,
        path: String,
        title: Line,
        terms: String,
        /// True if the receiver has an account.
        known: bool,
        /// True if visitors make accounts themselves.
        open: bool,
    },
    #[template(path = "mail/team-declined.txt")]
    Declined {
        /// The name or the address that was invited.
        who: Line,
        title: Line,
        path: String,
    },
    #[template(path = "mail/team-waiting.txt")]
    Waiting { matches: Vec<Waits> },
    #[template(path = "mail/team-turn.txt")]
    Turn {
        waits: Waits,
        /// The last turn on each of the boards, with the rules in force there.
        boards: Vec<TurnLine>,
        /// The events before that, the latest last.
        news: Vec<Announcement>,
        /// What the rules in words that wait name although their limits keep it out, or nothing.
        points_out: String,
        /// The boards on which something waits, as their reader sees them.
        pictures: Vec<Board>,
    },
    #[template(path = "mail/team-news.txt")]
    News {
        waits: Waits,
        /// The events, the latest last.
        news: Vec<Announcement>,
    },
    #[template(path = "mail/team-talk.txt")]
    Talk {
        waits: Waits,
        /// The messages that name the reader, the latest last.
        news: Vec<Announcement>,
    },
}

impl TeamText {
    /// The path of the page that the button opens.
    pub fn path(&self) -> String {
        match self {
            Self::Invitation { path, .. } | Self::Declined { path, .. } => path.clone(),
            Self::Waiting { matches } => match &matches[..] {
                [one] => one.path.clone(),
                _ => "/teams".to_owned(),
            },
            Self::Turn { waits, .. } | Self::News { waits, .. } | Self::Talk { waits, .. } => {
                waits.path.clone()
            }
        }
    }

    /// True if a mail of it says what one of `other` would.
    pub fn tells(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Turn { waits, .. }, Self::News { waits: other, .. })
            | (Self::Talk { waits, .. }, Self::Talk { waits: other, .. }) => {
                waits.path == other.path
            }
            (Self::Turn { .. } | Self::News { .. }, Self::Waiting { .. }) => true,
            _ => false,
        }
    }

    /// The news, one by one.
    pub fn lines(&self) -> Vec<TurnLine> {
        match self {
            Self::Invitation { .. } | Self::Declined { .. } => Vec::new(),
            Self::Waiting { matches } => matches.iter().map(Waits::line).collect(),
            Self::Turn { boards, news, .. } => {
                let mut told = in_lines(news);
                told.extend(boards.iter().cloned());
                told
            }
            Self::News { news, .. } | Self::Talk { news, .. } => in_lines(news),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    pub title: Line,
    pub path: String,
    pub what: Vec<String>,
    pub left: Option<String>,
}

/// The headline of the latest news, for the subject.
fn latest(news: &[Announcement]) -> Line {
    Line::new(news.last().map_or("", |one| &one.headline), NOTE)
}

impl Waits {
    /// The reader's tasks, as a clause.
    fn clause(&self) -> String {
        list(&self.what)
    }

    fn told(&self) -> String {
        let mut text = self.clause();
        if let Some(left) = &self.left {
            text.push_str("; ");
            text.push_str(left);
            text.push_str(" left in the match");
        }
        capital(&text) + "."
    }

    fn line(&self) -> TurnLine {
        TurnLine {
            turn: format!("{}: {}", self.title, self.told()),
            note: String::new(),
        }
    }
}

/// The latest news as lines; what is left out is counted.
fn in_lines(news: &[Announcement]) -> Vec<TurnLine> {
    let left_out = news.len().saturating_sub(NEWS_TOLD);
    let more = (left_out > 0).then(|| TurnLine {
        turn: format!("{left_out} more before that: “News” on the page of the match has them all."),
        note: String::new(),
    });
    let told = news[left_out..].iter().map(|one| TurnLine {
        turn: full_stop(&text::line(&one.headline, text::NOTE)),
        note: text::note(&one.detail),
    });
    more.into_iter().chain(told).collect()
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
) -> Result<TeamText, Unsent> {
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
    // A stranger must not even be sent the words of a link by our mail.
    let is_fit = known || !text::leads_away(&row.title);
    Ok(TeamText::Invitation {
        from: Line::name(&from),
        path: if known {
            join_link(&context.key, &id, row.links)
        } else {
            invitation_link(&context.key, &id, row.links, &address)
        },
        title: Line::name(if is_fit { &row.title } else { "" }),
        terms: texts::team::terms(&state.terms, "host").join(" "),
        known,
        open: context.is_open,
    })
}

/// An invitation to the team match of `row` was declined.
pub fn team_declined(conn: &mut Conn, row: &MailRow, payload: Payload) -> Result<TeamText, Unsent> {
    let id = match_of(row)?;
    let who = match &payload.email {
        Some(email) => Line::new(&address::shown(email), ADDRESS),
        None => Line::name(&named(conn, payload)?),
    };
    let (row, state) = team(conn, &id)?;
    if state.phase == Phase::Over {
        return Err(OVER);
    }
    Ok(TeamText::Declined {
        who,
        title: Line::name(&row.title),
        path: format!("/team/{id}"),
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
    fn waits(&self, now: Time) -> Waits {
        Waits {
            title: Line::name(&self.row.title),
            path: format!("/team/{}", self.row.id),
            what: self
                .waiting
                .iter()
                .map(|waiting| texts::team::task(*waiting))
                .collect(),
            left: self.reader.state.time_left(now).map(in_words),
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
    fn news(&self, since: i32) -> Vec<&Logged> {
        let reader = &self.reader;
        let known = self.member.as_ref().map_or(0, |member| {
            if self.seen_too {
                member.news_mailed
            } else {
                member.news_seen.max(member.news_mailed)
            }
        });
        let log = reader.state.log.iter().map(AsRef::as_ref);
        log.filter(|logged: &&Logged| logged.event.number >= since.max(known + 1))
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
            .collect()
    }
}

/// The boards on which something waits, seen from the reader's side with the last turn marked.
fn pictures(found: &TeamState) -> Vec<Board> {
    let reader = &found.reader;
    let is_second = reader.rights.side == Some(Side::Second);
    let turned = if is_second { 2 } else { 0 };
    let numbers: BTreeSet<BoardNo> = found.waiting.iter().map(|task| task.board()).collect();
    let boards = numbers.iter().filter_map(|number| {
        let board = reader.state.boards.board(*number)?;
        let diagram = board.position().diagram(board.last());
        let name = texts::team::board(*number);
        // The rules in force are told above.
        let mut text = in_letters(board.position(), turned);
        if numbers.len() > 1 {
            text.push_str(&name);
        }
        Some(Board {
            text,
            alt: match last_on(reader, *number) {
                Some(logged) => format!(
                    "{name}. {}",
                    full_stop(&line(&sentence(reader, logged), NOTE))
                ),
                None => name.clone(),
            },
            notes: (numbers.len() > 1).then_some(name).into_iter().collect(),
            drawing: diagram.turned(turned).svg(&View {
                coordinates: true,
                defs: true,
                brief: true,
                ..View::default()
            }),
            shown: None,
        })
    });
    boards.collect()
}

/// What the rules in words that wait for the reader name although their limits keep it out: `Board 1: This rule names …`
fn pointed_out(found: &TeamState) -> String {
    let told = found.waiting.iter().filter_map(|task| {
        let number = task.board();
        let board = found.reader.state.boards.board(number)?;
        let says = points_out(board.position())?;
        Some(format!("{}: {says}", texts::team::board(number)))
    });
    told.collect::<Vec<_>>().join(" ")
}

pub fn team_turn(conn: &mut Conn, found: TeamState, now: Time) -> Result<TeamText, Unsent> {
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
    let reader = &found.reader;
    // What waits to be told is told with it.
    let id = &found.row.id;
    let since = outbox::waits_from(conn, id, &found.account, NEWS)?;
    let news = since.map_or_else(Vec::new, |since| found.news(since));
    let boards = found.waiting.iter().filter_map(|waiting| {
        let board = waiting.board();
        let logged = last_on(reader, board)?;
        let is_told = news
            .iter()
            .any(|one| one.event.number == logged.event.number);
        let sentence = full_stop(&line(&sentence(reader, logged), NOTE));
        let rules = reader.state.boards.board(board)?.position().in_force();
        let rules: Vec<String> = rules
            .map(|rule| format!("“{}”", rule.change.text))
            .collect();
        let in_force = format!("In force on board {board}: {}", rules.join(" "));
        // A change of a rule names it itself.
        let adds_none = rules.iter().all(|rule| sentence.contains(rule));
        Some(match (is_told, adds_none) {
            (true, true) => return None,
            (true, false) => TurnLine {
                turn: line(&in_force, NOTE),
                note: String::new(),
            },
            (false, without) => TurnLine {
                turn: sentence,
                note: if without {
                    String::new()
                } else {
                    note(&in_force)
                },
            },
        })
    });
    Ok(TeamText::Turn {
        boards: boards.collect(),
        points_out: pointed_out(&found),
        pictures: pictures(&found),
        waits: found.waits(now),
        news: news
            .iter()
            .map(|logged| announcement(reader, logged))
            .collect(),
    })
}

/// The news of a team match since the event of the row that concern the reader, who has not seen them.
pub fn team_news(row: &MailRow, found: TeamState, now: Time) -> Result<TeamText, Unsent> {
    let news = found.news(row.event.unwrap_or(0));
    if news.is_empty() {
        let is_told = row.event.is_some_and(|event| event <= found.mailed());
        return Err(if is_told { TOLD } else { SEEN });
    }
    let reader = &found.reader;
    Ok(TeamText::News {
        waits: found.waits(now),
        news: news
            .iter()
            .map(|logged| announcement(reader, logged))
            .collect(),
    })
}

/// The messages of a team match since the row was written that name the reader and were not read.
pub fn team_talk(
    conn: &mut Conn,
    context: &Context,
    row: &MailRow,
    found: TeamState,
) -> Result<TeamText, Unsent> {
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
    let news: Vec<Announcement> = calls
        .iter()
        .filter(|call| call.message.at >= row.created_at)
        .map(|call| called(reader, call))
        .collect();
    if news.is_empty() {
        return Err(NAMED_NOWHERE);
    }
    Ok(TeamText::Talk {
        waits: found.waits(context.now),
        news,
    })
}

pub fn all_that_waits(
    conn: &mut Conn,
    account: &AccountRow,
    now: Time,
) -> Result<TeamText, Unsent> {
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
    Ok(TeamText::Waiting { matches })
}
