//! The texts of mails about team matches.

use std::collections::BTreeSet;
use std::sync::Arc;

use askama::Template;

use super::page::{BOARD, Board, OPEN, TURNS, TurnLine};
use super::text::{self, ADDRESS, Line, NOTE, line, note};
use crate::app::mails;
use crate::app::mails::{AboutTeam, Invited, TeamNews};
use crate::app::team::TeamReader;
use crate::texts::in_words;
use crate::texts::news::{Announcement, announcement, called};
use crate::texts::rulebook::points_out;
use crate::texts::team::{last_on, sentence};
use crate::texts::{self, capital, full_stop, list};
use perplex_games::board::flexichess::in_letters;
use perplex_games::board::{Render as _, View};
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::Side;
use perplex_matches::team::Logged;
use perplex_matches::team::notice::Waiting;

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
    pub fn of(about: AboutTeam) -> Self {
        match about {
            AboutTeam::Invitation {
                from,
                path,
                title,
                terms,
                known,
                open,
            } => {
                // A stranger must not even be sent the words of a link by our mail.
                let is_fit = known || !text::leads_away(&title);
                Self::Invitation {
                    from: Line::name(&from),
                    path,
                    title: Line::name(if is_fit { &title } else { "" }),
                    terms: texts::team::terms(&terms, "host").join(" "),
                    known,
                    open,
                }
            }
            AboutTeam::Declined { who, title, id } => Self::Declined {
                who: match who {
                    Invited::Player(name) => Line::name(&name),
                    Invited::Address(address) => Line::new(&address, ADDRESS),
                },
                title: Line::name(&title),
                path: format!("/team/{id}"),
            },
            AboutTeam::Waiting(matches) => Self::Waiting {
                matches: matches.iter().map(Waits::of).collect(),
            },
            AboutTeam::Turn(TeamNews {
                waits,
                reader,
                news,
            }) => Self::Turn {
                waits: Waits::of(&waits),
                boards: last_turns(&reader, &waits.tasks, &news),
                points_out: pointed_out(&reader, &waits.tasks),
                pictures: pictures(&reader, &waits.tasks),
                news: announced(&reader, &news),
            },
            AboutTeam::News(TeamNews {
                waits,
                reader,
                news,
            }) => Self::News {
                waits: Waits::of(&waits),
                news: announced(&reader, &news),
            },
            AboutTeam::Talk {
                waits,
                reader,
                calls,
            } => Self::Talk {
                waits: Waits::of(&waits),
                news: calls.iter().map(|call| called(&reader, call)).collect(),
            },
        }
    }

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

fn announced(reader: &TeamReader, news: &[Arc<Logged>]) -> Vec<Announcement> {
    let news = news.iter();
    news.map(|logged| announcement(reader, logged)).collect()
}

/// The headline of the latest news, for the subject.
fn latest(news: &[Announcement]) -> Line {
    Line::new(news.last().map_or("", |one| &one.headline), NOTE)
}

impl Waits {
    fn of(waits: &mails::Waits) -> Self {
        Self {
            title: Line::name(&waits.title),
            path: format!("/team/{}", waits.id),
            what: waits
                .tasks
                .iter()
                .map(|task| texts::team::task(*task))
                .collect(),
            left: waits.left.map(in_words),
        }
    }

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

/// The boards on which something waits, seen from the reader's side with the last turn marked.
fn pictures(reader: &TeamReader, tasks: &[Waiting]) -> Vec<Board> {
    let is_second = reader.rights.side == Some(Side::Second);
    let turned = if is_second { 2 } else { 0 };
    let numbers: BTreeSet<BoardNo> = tasks.iter().map(|task| task.board()).collect();
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
fn pointed_out(reader: &TeamReader, tasks: &[Waiting]) -> String {
    let told = tasks.iter().filter_map(|task| {
        let number = task.board();
        let board = reader.state.boards.board(number)?;
        let says = points_out(board.position())?;
        Some(format!("{}: {says}", texts::team::board(number)))
    });
    told.collect::<Vec<_>>().join(" ")
}

/// The last turn on each board on which something waits, with the rules in force there, unless `news` tell it.
fn last_turns(reader: &TeamReader, tasks: &[Waiting], news: &[Arc<Logged>]) -> Vec<TurnLine> {
    let boards = tasks.iter().filter_map(|waiting| {
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
    boards.collect()
}
