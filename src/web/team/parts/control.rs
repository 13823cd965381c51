use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;

use crate::app::AppError;
use crate::app::team::presence::{Attendance, There};
use crate::texts;
use crate::texts::team::last_on;
use crate::texts::team::{boards as boards_in_words, duties_in_words};
use crate::texts::team::{duty_name, headline, side_word};
use crate::web::answer::Failure;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::{Person, gone, side_class, side_key};
use crate::web::team::parts::answers::{Dispute, disputes};
use crate::web::team::parts::board;
use crate::web::team::parts::status::{Clock, clock};
use crate::web::team::selection::Selection;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::activity::Activity;
use perplex_matches::team::event::{Duty, MemberId, TalkMode};
use perplex_matches::team::notice::Awaited;
use perplex_matches::team::{Happened, Logged, Match, Phase};
use perplex_matches::time::Time;

/// A board without an event for so long waits.
const SLOW: Duration = Duration::from_mins(4);
/// Who leads a team since then or later is marked.
const NEW: Duration = Duration::from_mins(1);
/// The query parameter with the member whose actions are shown.
pub const SELECTED_TEAMMATE: &str = "mate";

pub fn chosen(context: TeamContext) -> Option<MemberId> {
    context
        .fields
        .get(SELECTED_TEAMMATE)
        .parse()
        .ok()
        .map(MemberId)
}

const AT_THE_TOP: usize = 5;

struct Action {
    word: String,
    label: String,
}

struct MemberRow {
    id: MemberId,
    name: String,
    duties: String,
    /// True if they lead their team since a minute ago or less.
    leads_newly: bool,
    there: String,
    tone: &'static str,
    activity: Activity,
    messages: i64,
    last: Option<String>,
    address: String,
    /// The host's actions for the chosen member: those for all members would be most of the page.
    menu: Option<MemberMenu>,
}

struct MemberMenu {
    replacing: Vec<Action>,
    giving: Vec<Action>,
    moving: Vec<Target>,
}

/// A team to which a member can be moved, as the form's value.
type Target = &'static str;

struct Teamless {
    id: MemberId,
    name: String,
    moving: Vec<Target>,
}

struct TeamTable {
    side: &'static str,
    name: &'static str,
    rows: Vec<MemberRow>,
}

struct Absent {
    id: MemberId,
    name: String,
    how: String,
    duties: String,
    waits: String,
    address: String,
    replacing: Vec<Action>,
}

struct Slow {
    board: BoardNo,
    name: String,
    since: String,
}

#[derive(Template)]
#[template(path = "team/parts/control-bar.html")]
struct Status<'a> {
    context: TeamContext<'a>,
    home: String,
    headline: String,
    clock: Option<Clock>,
    modes: Vec<(TalkMode, bool)>,
    begun: bool,
    paused: bool,
    over: bool,
    open_boards: String,
    /// The board on which the host has to decide first.
    disputed: Option<BoardNo>,
}

#[derive(Template)]
#[template(path = "team/parts/control-people.html")]
struct People<'a> {
    context: TeamContext<'a>,
    here: usize,
    members: usize,
    disputes: Vec<Dispute>,
    absent: Vec<Absent>,
    more_absent: Vec<Absent>,
    slow: Vec<Slow>,
    teamless: Vec<Teamless>,
    gone: Vec<Person>,
    empty: Vec<&'static str>,
    tables: Vec<TeamTable>,
    over: bool,
    gathering: bool,
    home: String,
}

impl People<'_> {
    fn is_calm(&self) -> bool {
        self.disputes.is_empty()
            && self.absent.is_empty()
            && self.slow.is_empty()
            && self.teamless.is_empty()
            && self.empty.is_empty()
    }
}

#[derive(Template)]
#[template(path = "team/parts/control-board.html")]
struct Tool<'a> {
    context: TeamContext<'a>,
    number: BoardNo,
    touched: i32,
    version: u32,
    last: Option<String>,
    back: Option<String>,
}

struct Roster<'a> {
    context: TeamContext<'a>,
    attended: &'a Attendance,
    activity: BTreeMap<MemberId, Activity>,
}

impl Roster<'_> {
    fn state(&self) -> &Match {
        &self.context.view.state
    }

    fn now(&self) -> Time {
        self.context.request.now
    }

    fn there(&self, id: MemberId) -> There {
        There::of(self.attended.seen.get(&id).copied(), self.now())
    }

    fn people(&self) -> impl Iterator<Item = MemberId> {
        let members = self.state().members.iter();
        members
            .filter(|(_, member)| member.left.is_none())
            .map(|(id, _)| *id)
    }

    /// The members who could take over the duties of `id`: first those present, and those with the least to do.
    fn replacing(&self, id: MemberId) -> Vec<Action> {
        let state = self.state();
        let Some(side) = state.side_of(id) else {
            return Vec::new();
        };
        let team = state.team(side);
        if team.duties.of(id).is_empty() {
            return Vec::new();
        }
        let mut others: Vec<MemberId> = team.members.iter().copied().filter(|o| *o != id).collect();
        others.sort_by_key(|other| {
            let absent = self.there(*other) != There::Here;
            (absent, team.duties.of(*other).len(), *other)
        });
        others
            .into_iter()
            .map(|other| {
                let what = duties_in_words(&team.duties.of(other));
                let there = match self.there(other) {
                    There::Here => String::new(),
                    there => format!(", {}", texts::team::there(there)),
                };
                Action {
                    word: format!("replace:{id}:{other}"),
                    label: format!("{} ({what}{there})", self.context.view.name(other)),
                }
            })
            .collect()
    }

    fn moving(&self, id: MemberId) -> Vec<Target> {
        let state = self.state();
        let side = state.side_of(id);
        let targets = [
            (Some(Side::First), "white"),
            (Some(Side::Second), "black"),
            (None, "none"),
        ];
        targets
            .into_iter()
            .filter(|(to, _)| *to != side && state.phase != Phase::Over)
            .map(|(_, key)| key)
            .collect()
    }

    fn giving(&self, id: MemberId) -> Vec<Action> {
        let (view, state) = (self.context.view, self.state());
        let Some(side) = state.side_of(id) else {
            return Vec::new();
        };
        let duties = &state.team(side).duties;
        let others = duties.all().into_iter();
        others
            .filter(|duty| duties.holder(*duty) != Some(id))
            .map(|duty| {
                let holder = duties.holder(duty);
                let now = holder.map_or("vacant", |holder| view.name(holder));
                let known = holder.map_or_else(|| "-".to_owned(), |holder| holder.to_string());
                Action {
                    word: format!("give:{}:{duty}:{id}:{known}", side_key(side)),
                    label: format!("{} (now {now})", duty_name(duty)),
                }
            })
            .collect()
    }

    fn chosen(&self) -> Option<MemberId> {
        chosen(self.context)
    }

    fn choosing(&self, id: MemberId) -> String {
        let number = id.to_string();
        let is_chosen = self.chosen() == Some(id);
        self.context
            .address(&[(SELECTED_TEAMMATE, if is_chosen { "" } else { &number })])
    }

    fn menu(&self, id: MemberId) -> MemberMenu {
        let state = self.state();
        let begun = state.started.is_some() && state.phase != Phase::Over;
        MemberMenu {
            replacing: if begun {
                self.replacing(id)
            } else {
                Vec::new()
            },
            giving: if begun { self.giving(id) } else { Vec::new() },
            moving: self.moving(id),
        }
    }

    fn leads_newly(&self, id: MemberId) -> bool {
        let state = self.state();
        let is_new = |logged: &&Arc<Logged>| logged.event.at.until(self.now()) < NEW;
        let recent = state.log.iter().rev().take_while(is_new);
        let mut changes = recent.filter_map(|logged| match &logged.happened {
            Happened::DutiesChanged {
                before,
                after,
                begun: true,
                ..
            } => Some((before.strategist, after.strategist)),
            _ => None,
        });
        state.is_strategist(id)
            && changes.any(|(before, after)| after == Some(id) && before != after)
    }

    fn row(&self, id: MemberId) -> MemberRow {
        let (view, state) = (self.context.view, self.state());
        let team = state.side_of(id).map(|side| state.team(side));
        let activity = self.activity.get(&id).copied().unwrap_or_default();
        let (messages, said) = match self.attended.said.get(&id) {
            Some((count, last)) => (*count, Some(*last)),
            None => (0, None),
        };
        let last = activity.last.max(said);
        let there = self.there(id);
        MemberRow {
            id,
            name: view.name(id).to_owned(),
            duties: team.map_or_else(
                || texts::team::OUTSIDE.to_owned(),
                |team| duties_in_words(&team.duties.of(id)),
            ),
            leads_newly: self.leads_newly(id),
            there: texts::team::there(there),
            tone: match there {
                There::Here => "here",
                There::Away(_) => "away",
                There::NotYet => "not-yet",
            },
            messages,
            last: last.map(|at| match at.until(self.now()) {
                moment if moment < Duration::from_mins(1) => "now".to_owned(),
                since => texts::team::short(since),
            }),
            activity,
            address: self.choosing(id),
            menu: (self.chosen() == Some(id)).then(|| self.menu(id)),
        }
    }

    /// The absent members with a duty; those for whom a board waits come first.
    fn absent(&self) -> Vec<Absent> {
        let state = self.state();
        // In a match over days players do not sit before it all the time.
        if !matches!(state.phase, Phase::Playing | Phase::Paused) || state.terms.over_days() {
            return Vec::new();
        }
        let mut absent: Vec<(bool, Absent)> = self
            .people()
            .filter(|id| self.there(*id) != There::Here)
            .filter_map(|id| {
                let side = state.side_of(id)?;
                let duties = state.team(side).duties.of(id);
                if duties.is_empty() {
                    return None;
                }
                let waits: Vec<String> = state
                    .boards_of(id)
                    .into_iter()
                    .filter(|number| {
                        let awaited = state.awaited(*number);
                        awaited.and_then(Awaited::side) == Some(side)
                    })
                    .map(|number| number.to_string())
                    .collect();
                let found = Absent {
                    id,
                    name: self.context.view.name(id).to_owned(),
                    how: texts::team::is_there(self.there(id)),
                    duties: format!("{}: {}", side_word(side), duties_in_words(&duties)),
                    waits: texts::team::boards_wait(&waits),
                    address: self.choosing(id),
                    replacing: if self.chosen() == Some(id) {
                        self.replacing(id)
                    } else {
                        Vec::new()
                    },
                };
                Some((waits.is_empty(), found))
            })
            .collect();
        absent.sort_by_key(|(waits, found)| (*waits, found.id));
        absent.into_iter().map(|(_, found)| found).collect()
    }

    /// The boards that have waited long for a present player.
    fn slow(&self) -> Vec<Slow> {
        let state = self.state();
        if state.phase != Phase::Playing || state.terms.over_days() {
            return Vec::new();
        }
        state
            .boards
            .numbers()
            .filter_map(|number| {
                let side = state.awaited(number)?.side()?;
                let holder = state.team(side).duties.holder(Duty::Board(number))?;
                // A pause neither counts as waiting nor ends it; nor does a transfer.
                let passed = state.log.iter().rev().find(|logged| {
                    logged.boards.contains(&number)
                        && state.is_in_force(logged)
                        && logged.happened.passes_on()
                });
                let since = passed.map_or(state.created, |logged| logged.event.at);
                let waited = state.played_since(since, self.now());
                let waits = waited >= SLOW && self.there(holder) == There::Here;
                waits.then(|| Slow {
                    board: number,
                    name: self.context.view.name(holder).to_owned(),
                    since: texts::team::short(waited),
                })
            })
            .collect()
    }

    fn tables(&self) -> Vec<TeamTable> {
        let state = self.state();
        let team = |side: Side| {
            let team = state.team(side);
            let mut people: Vec<MemberId> = team.members.iter().copied().collect();
            people.sort_by_key(|id| {
                let first = team.duties.of(*id).into_iter().next();
                let all = team.duties.all();
                let place = first.and_then(|duty| all.iter().position(|one| *one == duty));
                (place.unwrap_or(usize::MAX), *id)
            });
            TeamTable {
                side: side_class(side),
                name: side_word(side),
                rows: people.into_iter().map(|id| self.row(id)).collect(),
            }
        };
        vec![team(Side::First), team(Side::Second)]
    }
}

pub fn status(context: TeamContext) -> Result<String, Failure> {
    let view = context.view;
    let state = &*view.state;
    let open: Vec<String> = state.boards.open().map(|board| board.to_string()).collect();
    let part = Status {
        context,
        home: context.request.home(),
        headline: headline(view),
        clock: clock(context),
        modes: TalkMode::ALL.map(|mode| (mode, mode == state.talk)).into(),
        begun: matches!(state.phase, Phase::Playing | Phase::Paused),
        paused: state.phase == Phase::Paused,
        over: state.phase == Phase::Over,
        open_boards: boards_in_words(&open),
        disputed: disputes(context).first().map(|dispute| dispute.board),
    };
    Ok(part.render()?)
}

pub fn people_table(context: TeamContext, attended: &Attendance) -> Result<String, Failure> {
    let state = &*context.view.state;
    let roster = Roster {
        context,
        attended,
        activity: state.activity(),
    };
    let begun = matches!(state.phase, Phase::Playing | Phase::Paused);
    let mut absent = roster.absent();
    let more_absent = absent.split_off(absent.len().min(AT_THE_TOP));
    let is_here = |id: &MemberId| roster.there(*id) == There::Here;
    let part = People {
        context,
        here: roster.people().filter(is_here).count(),
        members: roster.people().count(),
        disputes: disputes(context),
        absent,
        more_absent,
        slow: roster.slow(),
        gone: gone(context),
        teamless: roster
            .people()
            .filter(|id| begun && state.side_of(*id).is_none())
            .map(|id| Teamless {
                id,
                name: context.view.name(id).to_owned(),
                moving: roster.moving(id),
            })
            .collect(),
        empty: [Side::First, Side::Second]
            .into_iter()
            .filter(|side| begun && state.team(*side).members.is_empty())
            .map(side_word)
            .collect(),
        tables: roster.tables(),
        over: state.phase == Phase::Over,
        gathering: state.phase == Phase::Gathering,
        home: context.request.home(),
    };
    Ok(part.render()?)
}

fn tool(context: TeamContext, number: BoardNo) -> Result<String, Failure> {
    let view = context.view;
    let state = &*view.state;
    let (Some(board), Some(status)) = (state.boards.board(number), state.status(number)) else {
        return Err(AppError::NotFound.into());
    };
    // Another board may decide if it can be taken back, but this part does not hear of changes there.
    let back = state.last_line(number).filter(|_| view.rights.lead);
    let back = back.map(|line| texts::team::sentence(view, line));
    let last = last_on(view, number).map(|logged| texts::team::sentence(view, logged));
    let part = Tool {
        context,
        number,
        touched: view.number(status.touched),
        version: board.version(),
        last,
        back,
    };
    Ok(part.render()?)
}

pub fn board(
    context: TeamContext,
    selection: &Selection,
    number: BoardNo,
) -> Result<String, Failure> {
    Ok(board::render(context, selection, number)? + &tool(context, number)?)
}
