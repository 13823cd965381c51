//! The journal of a team match: its events, as canonical text and back.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::emblem::Emblem;
use crate::journal::{self, Author, Options, UnknownEvent, yes_or_no};
use perplex_games::perplexichess::{BoardNo, Size};
use perplex_games::rules::Side;
pub use perplex_games::rules::flexichess::Deck;
use perplex_games::rules::flexichess::side_name;

/// A member of a match: a number in the order of joining, from 1. The account or pupil behind it is known outside the
/// journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberId(pub u16);

impl Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The author of an event. [`Display`] is the text that the journal keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// The server: `server`.
    Server,
    /// The host of the match: `host`.
    Host,
    /// A member: `3`.
    Member(MemberId),
}

impl Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server => f.write_str("server"),
            Self::Host => f.write_str("host"),
            Self::Member(member) => Display::fmt(member, f),
        }
    }
}

impl FromStr for Actor {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        match text {
            "server" => Ok(Self::Server),
            "host" => Ok(Self::Host),
            number => number
                .parse()
                .map(|number| Self::Member(MemberId(number)))
                .map_err(|_| UnknownEvent(text.to_owned())),
        }
    }
}

/// One event of a match.
pub type Event = journal::Event<Actor, EventKind>;

impl Author for Actor {
    fn text(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// The boards that members of a team see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    /// Everyone sees every board.
    Open,
    /// Members who only play boards see those; strategist and agents see all.
    Rooms,
}

/// The terms that were settled before a match, and that people see before they join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The number of boards.
    pub size: Size,
    /// The time for the whole match, in seconds; `None` is without limit.
    pub seconds: Option<u32>,
    /// The boards that members see.
    pub sight: Sight,
    /// True if the host reads the talk of the teams.
    pub supervised: bool,
    /// True if the lobby lists it, and everyone may watch.
    pub listed: bool,
    /// True if the talk of the teams is shown when the match is over.
    pub reveal: bool,
    /// True if people talk in ready-made phrases only, until the host says otherwise.
    pub phrases: bool,
    /// True if members who join a team later may read its earlier talk, unless they were on the other side.
    pub history: bool,
    /// True if devices stay quiet when it becomes their reader's turn: a class room is not to chime.
    pub quiet: bool,
    /// The rule cards that boardmen are offered.
    pub deck: Deck,
}

impl Terms {
    /// The terms that hold unless others are named: no limit, every board in sight, and no other option.
    #[must_use]
    pub const fn of(size: Size) -> Self {
        Self {
            size,
            seconds: None,
            sight: Sight::Open,
            supervised: false,
            listed: false,
            reveal: false,
            phrases: false,
            history: false,
            quiet: false,
            deck: Deck::All,
        }
    }
}

/// The mode of talk. The host of the match is never bound by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TalkMode {
    /// In any words.
    Free,
    /// In ready-made phrases; see [`super::phrase`].
    Phrases,
    /// Not at all.
    Frozen,
}

impl TalkMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Free, Self::Phrases, Self::Frozen];

    /// The word that the journal and forms use.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Phrases => "phrases",
            Self::Frozen => "frozen",
        }
    }

    /// The mode called `key`.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.key() == key)
    }
}

/// A duty of a member for the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Duty {
    /// Grand strategist: `strategist`.
    Strategist,
    /// The boardman of a board: its number.
    Board(BoardNo),
}

impl Display for Duty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Strategist => f.write_str("strategist"),
            Self::Board(board) => Display::fmt(board, f),
        }
    }
}

impl FromStr for Duty {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        match text {
            "strategist" => Ok(Self::Strategist),
            number => number
                .parse()
                .map(|number| Self::Board(BoardNo(number)))
                .map_err(|_| UnknownEvent(text.to_owned())),
        }
    }
}

/// The holders of the duties in a team.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Duties {
    /// The grand strategist.
    pub strategist: Option<MemberId>,
    /// The boardmen, in the order of the boards.
    pub boards: Vec<Option<MemberId>>,
}

impl Duties {
    /// All duties vacant.
    #[must_use]
    pub fn none(size: Size) -> Self {
        Self {
            strategist: None,
            boards: vec![None; usize::from(size.boards())],
        }
    }

    /// The holder of `duty`.
    #[must_use]
    pub fn holder(&self, duty: Duty) -> Option<MemberId> {
        match duty {
            Duty::Strategist => self.strategist,
            Duty::Board(BoardNo(number)) => {
                let index = usize::from(number).checked_sub(1)?;
                *self.boards.get(index)?
            }
        }
    }

    /// The duties of `member`, the strategist's first.
    #[must_use]
    pub fn of(&self, member: MemberId) -> Vec<Duty> {
        self.all()
            .into_iter()
            .filter(|duty| self.holder(*duty) == Some(member))
            .collect()
    }

    /// Every duty, the strategist's first.
    #[must_use]
    pub fn all(&self) -> Vec<Duty> {
        let boards = (1..).zip(&self.boards);
        std::iter::once(Duty::Strategist)
            .chain(boards.map(|(number, _)| Duty::Board(BoardNo(number))))
            .collect()
    }

    /// The duties without a holder.
    #[must_use]
    pub fn vacant(&self) -> Vec<Duty> {
        self.all()
            .into_iter()
            .filter(|duty| self.holder(*duty).is_none())
            .collect()
    }

    /// Gives `duty` to `member`, or makes it vacant; its holder loses it.
    pub fn set(&mut self, duty: Duty, member: Option<MemberId>) {
        match duty {
            Duty::Strategist => self.strategist = member,
            Duty::Board(BoardNo(number)) => {
                let slot = usize::from(number)
                    .checked_sub(1)
                    .and_then(|index| self.boards.get_mut(index));
                if let Some(slot) = slot {
                    *slot = member;
                }
            }
        }
    }

    /// Exchanges all duties of `one` and `other`.
    pub fn exchange(&mut self, one: MemberId, other: MemberId) {
        let swap = |holder: &mut Option<MemberId>| {
            *holder = match *holder {
                Some(member) if member == one => Some(other),
                Some(member) if member == other => Some(one),
                holder => holder,
            };
        };
        swap(&mut self.strategist);
        self.boards.iter_mut().for_each(swap);
    }
}

impl Duties {
    /// The part that the other team may know: the boardmen.
    #[must_use]
    pub fn public(&self) -> Self {
        Self {
            strategist: None,
            ..self.clone()
        }
    }
}

/// The strategist, then the boardmen; `-` for a vacant duty.
impl Display for Duties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for holder in std::iter::once(&self.strategist).chain(&self.boards) {
            f.write_str(separator)?;
            match holder {
                Some(member) => Display::fmt(member, f)?,
                None => f.write_str("-")?,
            }
            separator = " ";
        }
        Ok(())
    }
}

/// The content of an event. [`Display`] is the canonical text that the journal keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The match was made on these terms, to be played under this version of the rules:
    /// `create size=small time=3600 sight=open supervised=no listed=yes reveal=no phrases=no rules=2`.
    Create(Terms, u16),
    /// The host has settled other terms, before the start: `terms size=medium time=2100 …`, as in `create`.
    Terms(Terms),
    /// A member joined, with a team or without: `join 3 white`, `join 3 -`.
    Join(MemberId, Option<Side>),
    /// A member goes to a team, or to none; once it is being played only the host sends people: `team 3 black`.
    Team(MemberId, Option<Side>),
    /// A member is gone, or was removed: `leave 3`.
    Leave(MemberId),
    /// The duties of a team are these from now on: `duties white 3 4 - 5`.
    Duties(Side, Duties),
    /// A member's vote stands for this one, or for none: `vote 5`, `vote -`.
    Vote(Option<MemberId>),
    /// A member was elected grand strategist; the duties follow: `elected white 5`.
    Elected(Side, MemberId),
    /// A team has this emblem, or none: `emblem white brave stars blue`, `emblem white -`.
    Emblem(Side, Option<Emblem>),
    /// The match begins: `start`.
    Start,
    /// The host calls the match off, before the start: `call-off`.
    CallOff,
    /// The host stops the play: `pause`.
    Pause,
    /// The play goes on: `resume`.
    Resume,
    /// The host lets people in again to go on with the match, or closes it until another day: `joinable yes`,
    /// `joinable no`.
    SetJoinable(bool),
    /// A line of the record: `line 1 e2e4`.
    Line(String),
    /// The side that the actor plays on this board offers a draw: `offer 1 white`.
    Offer(BoardNo, Side),
    /// The offer on this board was declined: `decline 1`.
    Decline(BoardNo),
    /// The proposal on this board was disputed: the host decides. `dispute 1`.
    Dispute(BoardNo),
    /// The host takes back the last line that is in force on this board: `take-back 2`.
    TakeBack(BoardNo),
    /// The host has set the time left, in seconds: `time 600`.
    Time(u32),
    /// An outage lasted so many seconds, and the clock stood: `away 3600`.
    Away(u32),
    /// The host has given a member another name, which is kept outside the journal: `rename 3`.
    Rename(MemberId),
    /// The host has set the mode of talk: `talk frozen`.
    Talk(TalkMode),
    /// The host has removed a message of the public talk, by its number and author: `remove-message 12 3`.
    RemoveMessage(i32, Actor),
}

impl Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "size={} time=", self.size.key())?;
        match self.seconds {
            Some(seconds) => write!(f, "{seconds}")?,
            None => f.write_str("none")?,
        }
        let sight = match self.sight {
            Sight::Open => "open",
            Sight::Rooms => "rooms",
        };
        write!(
            f,
            " sight={sight} supervised={} listed={} reveal={} phrases={}",
            yes_or_no(self.supervised),
            yes_or_no(self.listed),
            yes_or_no(self.reveal),
            yes_or_no(self.phrases)
        )?;
        // Later additions are written where they are not the default: the text of older events stays as it was.
        if self.history {
            f.write_str(" history=yes")?;
        }
        if self.quiet {
            f.write_str(" quiet=yes")?;
        }
        if self.deck != Deck::All {
            write!(f, " deck={}", self.deck.key())?;
        }
        Ok(())
    }
}

fn or_dash(value: Option<impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

impl Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(terms, rules) => write!(f, "create {terms} rules={rules}"),
            Self::Terms(terms) => write!(f, "terms {terms}"),
            Self::Join(member, team) => write!(f, "join {member} {}", or_dash(team.map(side_name))),
            Self::Team(member, team) => write!(f, "team {member} {}", or_dash(team.map(side_name))),
            Self::Leave(member) => write!(f, "leave {member}"),
            Self::Duties(side, duties) => write!(f, "duties {} {duties}", side_name(*side)),
            Self::Vote(member) => write!(f, "vote {}", or_dash(*member)),
            Self::Elected(side, member) => write!(f, "elected {} {member}", side_name(*side)),
            Self::Emblem(side, emblem) => {
                write!(f, "emblem {} {}", side_name(*side), or_dash(*emblem))
            }
            Self::Start => f.write_str("start"),
            Self::CallOff => f.write_str("call-off"),
            Self::Pause => f.write_str("pause"),
            Self::Resume => f.write_str("resume"),
            Self::SetJoinable(open) => {
                f.write_str(if *open { "joinable yes" } else { "joinable no" })
            }
            Self::Line(line) => write!(f, "line {line}"),
            Self::Offer(board, side) => write!(f, "offer {board} {}", side_name(*side)),
            Self::Decline(board) => write!(f, "decline {board}"),
            Self::Dispute(board) => write!(f, "dispute {board}"),
            Self::TakeBack(board) => write!(f, "take-back {board}"),
            Self::Time(seconds) => write!(f, "time {seconds}"),
            Self::Away(seconds) => write!(f, "away {seconds}"),
            Self::Rename(member) => write!(f, "rename {member}"),
            Self::Talk(mode) => write!(f, "talk {}", mode.key()),
            Self::RemoveMessage(message, by) => write!(f, "remove-message {message} {by}"),
        }
    }
}

impl FromStr for EventKind {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, UnknownEvent> {
        read(text).ok_or_else(|| UnknownEvent(text.to_owned()))
    }
}

fn read(text: &str) -> Option<EventKind> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    if word == "line" {
        return (!rest.is_empty()).then(|| EventKind::Line(rest.to_owned()));
    }
    let words: Vec<&str> = rest.split(' ').filter(|word| !word.is_empty()).collect();
    Some(match (word, &words[..]) {
        ("create", _) => {
            let mut options = Options::read(rest)?;
            let rules = options.rules()?;
            EventKind::Create(terms(options)?, rules)
        }
        ("terms", _) => EventKind::Terms(terms(Options::read(rest)?)?),
        ("join", [who, team]) => EventKind::Join(member(who)?, maybe(team, side)?),
        ("team", [who, team]) => EventKind::Team(member(who)?, maybe(team, side)?),
        ("leave", [who]) => EventKind::Leave(member(who)?),
        ("duties", [team, strategist, boards @ ..]) => EventKind::Duties(
            side(team)?,
            Duties {
                strategist: maybe(strategist, member)?,
                boards: boards
                    .iter()
                    .map(|word| maybe(word, member))
                    .collect::<Option<_>>()?,
            },
        ),
        ("vote", [who]) => EventKind::Vote(maybe(who, member)?),
        ("elected", [team, who]) => EventKind::Elected(side(team)?, member(who)?),
        ("emblem", [team, "-"]) => EventKind::Emblem(side(team)?, None),
        ("emblem", [team, emblem @ ..]) => {
            EventKind::Emblem(side(team)?, Some(emblem.join(" ").parse().ok()?))
        }
        ("start", []) => EventKind::Start,
        ("call-off", []) => EventKind::CallOff,
        ("pause", []) => EventKind::Pause,
        ("resume", []) => EventKind::Resume,
        ("joinable", ["yes"]) => EventKind::SetJoinable(true),
        ("joinable", ["no"]) => EventKind::SetJoinable(false),
        ("offer", [board, team]) => EventKind::Offer(number(board)?, side(team)?),
        ("decline", [board]) => EventKind::Decline(number(board)?),
        ("dispute", [board]) => EventKind::Dispute(number(board)?),
        ("take-back", [board]) => EventKind::TakeBack(number(board)?),
        ("time", [seconds]) => EventKind::Time(seconds.parse().ok()?),
        ("away", [seconds]) => EventKind::Away(seconds.parse().ok()?),
        ("rename", [who]) => EventKind::Rename(member(who)?),
        ("talk", [mode]) => EventKind::Talk(TalkMode::from_key(mode)?),
        ("remove-message", [message, by]) => {
            EventKind::RemoveMessage(message.parse().ok()?, by.parse().ok()?)
        }
        _ => return None,
    })
}

fn member(word: &str) -> Option<MemberId> {
    word.parse().ok().map(MemberId)
}

fn number(word: &str) -> Option<BoardNo> {
    word.parse().ok().map(BoardNo)
}

fn side(word: &str) -> Option<Side> {
    Side::ALL.into_iter().find(|side| side_name(*side) == word)
}

/// Reads `-` as none, and other words by `read`.
#[expect(clippy::option_option, reason = "nothing was read, and `-` was read")]
fn maybe<T>(word: &str, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if word == "-" {
        Some(None)
    } else {
        read(word).map(Some)
    }
}

fn terms(mut options: Options<'_>) -> Option<Terms> {
    let otherwise = Terms::of(options.require("size", Size::from_key)?);
    let terms = Terms {
        size: otherwise.size,
        seconds: options.take("time", otherwise.seconds, |time| match time {
            "none" => Some(None),
            seconds => seconds.parse().ok().map(Some),
        })?,
        sight: options.take("sight", otherwise.sight, |sight| match sight {
            "open" => Some(Sight::Open),
            "rooms" => Some(Sight::Rooms),
            _ => None,
        })?,
        supervised: options.flag("supervised")?,
        listed: options.flag("listed")?,
        reveal: options.flag("reveal")?,
        phrases: options.flag("phrases")?,
        history: options.flag("history")?,
        quiet: options.flag("quiet")?,
        deck: options.take("deck", otherwise.deck, Deck::from_key)?,
    };
    options.end()?;
    Some(terms)
}
