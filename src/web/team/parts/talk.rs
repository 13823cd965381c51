use std::ops::Range;

use askama::Template;

use crate::app::AppError;
use crate::app::team::{Audience, Channel, Message};
use crate::texts;
use crate::web::answer::Failure;
use crate::web::opening::Opening;
use crate::web::team::context::TeamContext;
use crate::web::team::labels::Person;
use perplex_games::perplexichess::BoardNo;
use perplex_games::rules::flexichess::{Kind, Square};
use perplex_matches::team::event::{Actor, TalkMode};
use perplex_matches::team::phrase::{PHRASES, Phrase};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// No target: plain text.
    Nowhere,
    Board(BoardNo, Option<Square>),
    Away,
}

pub fn pieces(text: &str, boards: u8) -> Vec<(Range<usize>, Points)> {
    let mut found: Vec<(Range<usize>, Points)> = Vec::new();
    let mut done = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let begins = text[..at]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_alphanumeric());
        let piece = begins
            .then(|| away(rest).or_else(|| mention(rest, boards)))
            .flatten();
        if let Some((length, points)) = piece {
            if done < at {
                found.push((done..at, Points::Nowhere));
            }
            found.push((at..at + length, points));
            at += length;
            done = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    if done < text.len() {
        found.push((done..text.len(), Points::Nowhere));
    }
    found
}

fn away(text: &str) -> Option<(usize, Points)> {
    let lower: String = text.chars().take(8).collect::<String>().to_lowercase();
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| lower.starts_with(scheme))?;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let address = text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '"', '>']);
    (address.len() > scheme.len()).then_some((address.len(), Points::Away))
}

/// A board or a square of one at the beginning of `text`: `3:e4`, `board 3`.
fn mention(text: &str, boards: u8) -> Option<(usize, Points)> {
    let number = |c: char| {
        let number = u8::try_from(c.to_digit(10)?).ok()?;
        (1..=boards).contains(&number).then_some(BoardNo(number))
    };
    let ends = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    let chars: Vec<char> = text.chars().take(7).collect();
    if let [board, ':', file, rank, ..] = chars[..]
        && let (Some(board), Some(square)) =
            (number(board), Square::read(file.to_ascii_lowercase(), rank))
        && ends(&text[4..])
    {
        return Some((4, Points::Board(board, Some(square))));
    }
    let word: String = chars.iter().take(6).collect();
    if word.eq_ignore_ascii_case("board ")
        && let Some(board) = chars.get(6).copied().and_then(number)
        && ends(&text[7..])
    {
        return Some((7, Points::Board(board, None)));
    }
    None
}

struct Shown<'a> {
    text: &'a str,
    points: Option<(String, BoardNo, Option<Square>)>,
    away: Option<String>,
}

struct Said<'a> {
    number: i32,
    who: String,
    is_yours: bool,
    time: String,
    when: String,
    shown: Vec<Shown<'a>>,
    removed: bool,
    /// It names the viewer.
    is_to_you: bool,
}

struct Book {
    groups: [(&'static str, &'static [Phrase]); 4],
    boards: Vec<(u8, bool)>,
    kinds: Vec<(char, &'static str, bool)>,
    squares: Vec<(String, bool)>,
}

fn book(context: TeamContext) -> Book {
    let view = context.view;
    let chosen = context.fields.get("on").parse().ok().map(BoardNo);
    let own = || view.state.boards_of(view.viewer.member?).into_iter().next();
    let board = chosen.or_else(own);
    let is = |name: &str, value: &str| context.fields.get(name) == value;
    Book {
        groups: PHRASES,
        boards: view
            .state
            .boards
            .numbers()
            .map(|number| (number.0, Some(number) == board))
            .collect(),
        kinds: Kind::ALL
            .into_iter()
            .map(|kind| {
                let letter = kind.letter();
                (letter, kind.name(), is("piece", &letter.to_string()))
            })
            .collect(),
        squares: Square::all()
            .map(|square| {
                let name = square.to_string();
                let chosen = is("square", &name);
                (name, chosen)
            })
            .collect(),
    }
}

struct Tab {
    address: String,
    title: String,
    unread: i32,
    is_open: bool,
}

const SHOWN: usize = 10;

#[derive(Template)]
#[template(path = "team/parts/talk.html")]
struct Talk<'a> {
    context: TeamContext<'a>,
    heads: String,
    tabs: Vec<Tab>,
    channel: i32,
    title: String,
    to: String,
    readers: String,
    write: bool,
    frozen: bool,
    book: Option<Book>,
    may_remove: bool,
    say: String,
    earlier: Option<String>,
    later: Option<String>,
    said: Vec<Said<'a>>,
    others: Vec<Person>,
    unread: i32,
}

/// The channel that the address names, or else the one that the viewer needs most.
pub fn open(context: TeamContext<'_>) -> Option<&Channel> {
    let channels = &context.view.channels;
    let asked = context.fields.get("channel").parse().ok();
    channels
        .iter()
        .find(|channel| Some(channel.number) == asked)
        .or_else(|| {
            channels.iter().find(|channel| {
                matches!(channel.audience, Audience::Team(side)
                    if context.view.rights.side == Some(side))
            })
        })
        .or(channels.first())
}

fn shown<'a>(context: TeamContext, channel: i32, message: &'a Message) -> Vec<Shown<'a>> {
    let mut links = 0;
    pieces(&message.text, context.view.state.terms.size.boards())
        .into_iter()
        .map(|(range, points)| {
            let mut shown = Shown {
                text: &message.text[range],
                points: None,
                away: None,
            };
            match points {
                Points::Board(board, square) if context.view.rights.boards.contains(&board) => {
                    let number = board.to_string();
                    let mark =
                        square.map_or_else(String::new, |square| format!("{board}-{square}"));
                    let more = [("board", number.as_str()), ("mark", mark.as_str())];
                    let address = format!("{}#part-{board}", context.address(&more));
                    shown.points = Some((address, board, square));
                }
                Points::Away => {
                    let base = context.base();
                    let number = message.number;
                    shown.away = Some(format!("{base}/talk/{channel}/{number}/link/{links}"));
                    links += 1;
                }
                _ => {}
            }
            shown
        })
        .collect()
}

/// The part of the page. The messages shown count as read if the address names the channel, as after a click, unless
/// it says that the part may be out of sight. Scripts say so when they fetch news, and ask again when the part is on
/// the screen.
pub async fn render(context: TeamContext<'_>) -> Result<String, Failure> {
    let view = context.view;
    let Some(channel) = open(context) else {
        return Err(AppError::NotFound.into());
    };
    let (app, request) = (&context.request.app, context.request);
    // A page that loads itself anew may be in front of nobody.
    let by_itself = context.request.opening == Opening::ByItself;
    let reads = context.fields.has("channel") && !context.fields.has("unseen") && !by_itself;
    let messages = app
        .messages(&request.access, &request.id, channel.number)
        .await?;
    if let Some(last) = messages.last().filter(|_| reads && channel.unread > 0) {
        app.saw_in_team(&request.access, &request.id, channel.number, last.number)
            .await?;
    }
    let is_yours = |by: Actor| match by {
        Actor::Member(member) => Some(member) == view.viewer.member,
        Actor::Host => view.viewer.host,
        Actor::Server => false,
    };
    let passed = context.fields.get("said").parse().unwrap_or(0);
    let last = messages.len().saturating_sub(passed);
    let first = last.saturating_sub(SHOWN);
    let from = |passed: usize| {
        let passed = (passed > 0).then(|| passed.to_string());
        let address = context.address_beside(&[("said", passed.as_deref().unwrap_or_default())]);
        format!("{address}#talk")
    };
    let said = messages[first..last]
        .iter()
        .map(|message| Said {
            number: message.number,
            who: texts::team::actor_name(view, message.by),
            is_yours: is_yours(message.by),
            time: message.at.to_string(),
            when: context.request.when(&message.at),
            shown: shown(context, channel.number, message),
            removed: message.text.is_empty(),
            is_to_you: view.is_named_in(message),
        })
        .collect();
    let tabs: Vec<Tab> = view
        .channels
        .iter()
        .map(|tab| Tab {
            address: format!(
                "{}#talk",
                context.address_beside(&[("channel", tab.number.to_string().as_str())])
            ),
            title: texts::talk::title(view, &tab.audience),
            unread: if reads && tab.number == channel.number {
                0
            } else {
                tab.unread
            },
            is_open: tab.number == channel.number,
        })
        .collect();
    let others = match view.rights.side {
        Some(side) => view
            .state
            .team(side)
            .members
            .iter()
            .filter(|id| Some(**id) != view.viewer.member)
            .map(|id| Person::new(context, *id))
            .collect(),
        None => Vec::new(),
    };
    let html = Talk {
        context,
        heads: view.heads().talk(),
        unread: tabs.iter().map(|tab| tab.unread).sum(),
        tabs,
        channel: channel.number,
        to: texts::talk::recipients(view, &channel.audience),
        title: texts::talk::title(view, &channel.audience),
        readers: texts::talk::readers(view, &channel.audience),
        write: channel.write,
        frozen: view.state.talk == TalkMode::Frozen && view.rights.leave && !view.rights.speak,
        book: (channel.write && view.state.talk == TalkMode::Phrases && !view.viewer.host)
            .then(|| book(context)),
        may_remove: channel.audience == Audience::Public
            && view.rights.order
            && context.at.is_none(),
        say: context.act_beside(&format!("talk/{}", channel.number)),
        said,
        earlier: (first > 0).then(|| from(passed + SHOWN)),
        later: (passed > 0).then(|| from(passed.saturating_sub(SHOWN))),
        others,
    };
    Ok(html.render()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a text on three boards, each with a mark for its target.
    fn told(text: &str) -> Vec<String> {
        let found = pieces(text, 3);
        let whole: String = found
            .iter()
            .map(|(range, _)| &text[range.clone()])
            .collect();
        assert_eq!(whole, text);
        found
            .into_iter()
            .map(|(range, points)| match points {
                Points::Nowhere => text[range].to_owned(),
                Points::Board(board, square) => {
                    let square = square.map_or_else(String::new, |square| square.to_string());
                    format!("<{board}{square}>")
                }
                Points::Away => format!("[{}]", &text[range]),
            })
            .collect()
    }

    #[test]
    fn boards_and_squares_are_pointed_at() {
        assert_eq!(told("look at 3:e4!"), ["look at ", "<3e4>", "!"]);
        assert_eq!(
            told("2:H8 and Board 1, bo"),
            ["<2h8>", " and ", "<1>", ", bo"]
        );
        for plain in [
            "4:e4", "3:e9", "13:e4", "3:e44", "é3:e4", "board 4", "board 12", "at 3:e", "🦊",
        ] {
            assert_eq!(told(plain), [plain]);
        }
        assert_eq!(told("(1:a1)"), ["(", "<1a1>", ")"]);
    }

    #[test]
    fn links_are_found_and_nothing_else() {
        assert_eq!(
            told("see https://a.example/x?y=1."),
            ["see ", "[https://a.example/x?y=1]", "."]
        );
        assert_eq!(told("HTTP://A.example"), ["[HTTP://A.example]"]);
        assert_eq!(
            told("(http://é.example/3:e4)"),
            ["(", "[http://é.example/3:e4]", ")"]
        );
        for plain in ["https://", "javascript:alert(1)", "xhttp://a", "ftp://a"] {
            assert_eq!(told(plain), [plain]);
        }
    }
}
