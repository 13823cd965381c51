//! Words for readers: dates and times, lists of names, results, events. Pages, mails and the projector use the same
//! functions, so that their wording agrees.

pub mod help;
pub mod mail;
pub mod matches;
pub mod news;
pub mod outcome;
pub mod pages;
pub mod refusal;
pub mod rulebook;
pub mod scene;
pub mod tables;
pub mod talk;
pub mod team;
pub mod terms;

use std::time::Duration;

use chrono_tz::Tz;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::correspondence::Name;
use crate::app::team::lesson::Wants;
use perplex_games::registry;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::time::Time;

/// The sentence about a time in which no player could act.
pub fn away(time: Duration) -> String {
    let time = in_words(time);
    format!("Perplex could not be reached for {time}; nobody lost time by it")
}

/// The characters that a part of an address holds unencoded: letters, digits and the four marks that RFC 3986 leaves
/// unreserved.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A part of an address, with all characters encoded that could have a meaning there.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// The query of an address: `?name=value&…`; empty without pairs.
pub fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = String::new();
    for (name, value) in pairs {
        query.push(if query.is_empty() { '?' } else { '&' });
        query += &encode(name);
        query.push('=');
        query += &encode(value);
    }
    query
}

/// A point in time: `today, 08:30`, `21 November, 08:30`, `21 November 2026, 08:30`.
pub fn moment(time: Time, zone: Tz, now: Time) -> String {
    let (then, today) = (
        time.utc().with_timezone(&zone),
        now.utc().with_timezone(&zone),
    );
    let format = if then.date_naive() == today.date_naive() {
        "today, %H:%M"
    } else if then.format("%Y").to_string() == today.format("%Y").to_string() {
        "%-d %B, %H:%M"
    } else {
        "%-d %B %Y, %H:%M"
    };
    then.format(format).to_string()
}

/// A point in time for printed and stored pages: `21 November 2026, 08:30`.
pub fn dated(time: Time, zone: Tz) -> String {
    let then = time.utc().with_timezone(&zone);
    then.format("%-d %B %Y, %H:%M").to_string()
}

/// A point in time of an event that began at `begun`, which is dated: `08:30` on that day, else `22 November, 08:30`.
pub fn during(time: Time, begun: Option<Time>, zone: Tz) -> String {
    let [then, day] = [time, begun.unwrap_or(time)].map(|time| time.utc().with_timezone(&zone));
    let is_same = then.date_naive() == day.date_naive();
    let format = if is_same { "%H:%M" } else { "%-d %B, %H:%M" };
    then.format(format).to_string()
}

pub fn left(now: Time, deadline: Time) -> String {
    in_words(now.until(deadline))
}

/// The time from which [`left`] and [`moment`] may give another text. All zones begin their days with a minute.
pub fn left_until(now: Time, deadline: Option<Time>) -> Time {
    const MINUTE: i64 = 60_000_000;
    let next = Time(now.0 - now.0.rem_euclid(MINUTE) + MINUTE);
    match deadline {
        // Whole minutes are counted: the text changes just after a whole number of them is left.
        Some(deadline) if now < deadline => next.min(Time(
            deadline.0 - (deadline.0 - now.0) / MINUTE * MINUTE + 1,
        )),
        _ => next,
    }
}

/// A length of time as people say it, rounded down: "2 days 3 hours", "5 hours", "1 minute".
pub fn in_words(duration: Duration) -> String {
    let count = |number: u64, unit: &str| {
        let plural = if number == 1 { "" } else { "s" };
        format!("{number} {unit}{plural}")
    };
    let minutes = duration.as_secs() / 60;
    let hours = minutes / 60;
    match (minutes, hours / 24, hours % 24) {
        (0, ..) => "less than a minute".to_owned(),
        (1..=119, ..) => count(minutes, "minute"),
        (_, 0 | 1, _) => count(hours, "hour"),
        (_, days, 0) => count(days, "day"),
        (_, days, hours) => format!("{} {}", count(days, "day"), count(hours, "hour")),
    }
}

pub fn days(days: u8) -> String {
    match days {
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

/// The time for which a class is kept.
pub fn kept_for(days: i32) -> String {
    match days {
        365 => "a year".to_owned(),
        730 => "two years".to_owned(),
        days => format!("{days} days"),
    }
}

pub fn pupils(count: usize) -> String {
    match count {
        1 => "1 pupil".to_owned(),
        count => format!("{count} pupils"),
    }
}

/// The label of a theme on the switch.
pub fn theme(key: &str) -> &'static str {
    match key {
        "light" => "Light",
        "dark" => "Dark",
        _ => "System",
    }
}

/// The beginning of a paragraph in the rules of a game that settles what its author left open.
pub const RULING: &str = "Our ruling.";

/// The game of a match with its variant: `Quixo`, `Quixo for four, in two teams`.
pub fn game(terms: &Terms) -> String {
    game_called(&terms.game, &terms.variant)
}

/// The game with this key, and its variant.
pub fn game_called(game: &str, variant: &str) -> String {
    let Some(entry) = registry::find(game) else {
        return game.to_owned();
    };
    let variants = entry.card.variants;
    match variants.iter().find(|one| one.key == variant) {
        Some(variant) if !variant.key.is_empty() => {
            format!("{} {}", entry.card.name, variant.name)
        }
        _ => entry.card.name.to_owned(),
    }
}

/// Stands for the name of an account that is gone.
pub const DELETED: &str = "deleted player";

/// The name of a person in a match.
pub fn person(name: &Name) -> &str {
    name.name.as_deref().unwrap_or(DELETED)
}

/// A browser's name in short: `Firefox on Linux`; `None` if it is not a known one.
fn known_browser(agent: &str) -> Option<String> {
    // The order matters: most of them name some of the others, too.
    const BROWSERS: [(&str, &str); 6] = [
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chromium/", "Chromium"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 6] = [
        ("Android", "Android"),
        ("iPhone", "an iPhone"),
        ("iPad", "an iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "a Mac"),
        ("Linux", "Linux"),
    ];
    let find = |known: &[(&str, &'static str)]| {
        let found = known.iter().find(|(mark, _)| agent.contains(mark));
        found.map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
        (Some(name), None) | (None, Some(name)) => Some(name.to_owned()),
        (None, None) => None,
    }
}

/// The text for a browser in a list of sessions.
pub fn browser(agent: &str) -> String {
    known_browser(agent).unwrap_or_else(|| match agent {
        "" => "An unknown browser".to_owned(),
        agent => agent.chars().take(60).collect(),
    })
}

/// The browser as mails name it. An unknown name is not repeated: its sender may be a stranger.
pub fn browser_in_mail(agent: &str) -> String {
    known_browser(agent).unwrap_or_else(|| "an unknown browser".to_owned())
}

/// The rest of a sentence that begins with the pupil who asks to join a lesson.
pub const fn wants(wants: Wants) -> &'static str {
    match wants {
        Wants::Nickname => "wants to come in and gets a nickname.",
        Wants::OtherDevice => "wants to come in on another device.",
        Wants::ToComeLate => "comes late.",
        Wants::DeviceOfOtherTeam => "wants to come in on a device of the other team.",
    }
}

/// What a teacher is told before the start of a device that has taken these names.
pub fn many_names<S: AsRef<str>>(names: &[S]) -> String {
    format!(
        "One device has taken {} names: {}.",
        names.len(),
        list(names)
    )
}

/// A list of names: `Ada`, `Ada and Bo`, `Ada, Bo and Cy`.
pub fn list<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// A sentence with its full stop, unless it ends with one, perhaps within quotation marks.
pub fn full_stop(text: &str) -> String {
    let is_whole = text
        .trim_end_matches(['”', '"'])
        .ends_with(['.', '!', '?', '…']);
    format!("{text}{}", if is_whole { "" } else { "." })
}

/// `text` with a capital at its beginning.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// The notice on a page after an action, by the word in the page's address.
pub fn done(key: &str) -> Option<&'static str> {
    Some(match key {
        "name" => "Your name is changed.",
        "password" => "Your password is changed, and your other sessions have ended.",
        "email" => {
            "We have sent a link to the new address. The old one stays until you use the link."
        }
        "old-email" => {
            "Your address stays, and your new password is set. You can sign in with it now."
        }
        "new-email" => "Your new address is confirmed.",
        "names-read" => "Nothing is saved yet. This is how your list was read: please check it.",
        "preferences" => "Your preferences are saved.",
        "mail" => "Saved: this is the mail you will get.",
        "sessions" => "The session has ended.",
        "sessions-others" => "You are signed out everywhere else.",
        "second-factor-off" => "The second factor is switched off: your password is enough again.",
        "user-second-factor" => "The second factor is switched off, and its owner is told by mail.",
        "deleted" => "Your account is deleted. Thank you for having played here.",
        "sign-up-again" => "The mail is sent once more.",
        "reset" => "Your new password is set. You can sign in with it now.",
        "withdrawn" => "The match is called off.",
        "refused" => "You have declined the challenge.",
        "class-made" => "The class is made.",
        "class-name" => "The name is changed.",
        "class-keep" => "Saved.",
        "class-archived" => "The class is in the archive. You can bring it back at any time.",
        "class-back" => "The class is back, and its pupils can sign in again.",
        "class-share" => {
            "It is offered. Until it is accepted, nothing of the class is seen by anybody else."
        }
        "class-take-back" => "The offer is taken back.",
        "class-accepted" => "You teach the class from now on.",
        "class-declined" => "You have declined the class.",
        "class-unshare" => "The sharing has ended.",
        "class-hand-over" => "It is offered. You own the class until it is accepted.",
        "class-left" => "You no longer teach that class.",
        "class-removed" => "The class is removed, with everything it held.",
        "pupils-added" => "They are in the class. Their cards are ready to print.",
        "card-made" => "The card is made: players are offered it from now on.",
        "card-changed" => {
            "The card is changed. Rules that were made with it before stay as they were."
        }
        "card-removed" => "The card is removed. Rules that were made with it stay.",
        "pupil-renamed" => "The name is changed, in the lessons, too.",
        "pupil-left" => "The pupil has left the class, and can no longer sign in.",
        "pupil-back" => "The pupil is back in the class. The old card is good again.",
        "phrase" => "This is the new card. The old one is no longer good.",
        "retry" => "The mail will be tried again now.",
        "names-anew" => {
            "All names start anew: type the code on the wall once more, and take your name."
        }
        "mail-removed" => "The mail is removed. It will not be sent.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_short_names() {
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        assert_eq!(known_browser(firefox).as_deref(), Some("Firefox on Linux"));
        let phone = "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) \
                     Chrome/150.0 Mobile Safari/537.36";
        assert_eq!(known_browser(phone).as_deref(), Some("Chrome on Android"));
        assert_eq!(known_browser("curl/8.0"), None);
    }

    #[test]
    fn a_match_that_waits_is_called_by_the_others() {
        let gathering = matches::gathering;
        assert_eq!(gathering("Ada", false, &["Bo"]), "A match with Ada");
        assert_eq!(gathering("Ada", true, &["Bo"]), "A match with Bo");
        assert_eq!(gathering("Ada", true, &[]), "Your new match");
    }

    #[test]
    fn a_full_stop_stands_once() {
        for (text, whole) in [
            ("Ada joined", "Ada joined."),
            ("Ada says: “Knights step.”", "Ada says: “Knights step.”"),
            ("Ada says: “Knights step”", "Ada says: “Knights step”."),
        ] {
            assert_eq!(full_stop(text), whole);
        }
    }

    #[test]
    fn addresses_are_encoded() {
        assert_eq!(encode("c1"), "c1");
        assert_eq!(encode("4> é/?&"), "4%3E%20%C3%A9%2F%3F%26");
    }

    #[test]
    fn unknown_browsers_are_shown_as_they_are() {
        assert_eq!(browser("curl/8.0"), "curl/8.0");
        assert_eq!(browser(""), "An unknown browser");
    }

    #[test]
    fn what_is_kept_says_its_day() {
        let zone = chrono_tz::Europe::Berlin;
        // Half past eleven in the evening, in summer.
        let begun = Time(1_784_496_600_000_000);
        assert_eq!(dated(begun, zone), "19 July 2026, 23:30");
        let hour = |hours: i64| Time(begun.0 + hours * 3_600_000_000);
        assert_eq!(during(hour(0), Some(begun), zone), "23:30");
        assert_eq!(during(hour(1), Some(begun), zone), "20 July, 00:30");
    }

    #[test]
    fn times_are_right_until_they_change() {
        let minute = 60_000_000;
        for (now, deadline) in [
            (90, 100),
            (90, 3_600),
            (7_201, 180_000),
            (59, 119),
            (60, 60),
        ] {
            let now = Time(1_800_000_000_000_000 + now * 1_000_000 + 7);
            let deadline = Time(1_800_000_000_000_000 + deadline * 1_000_000);
            let until = left_until(now, Some(deadline));
            assert!(now < until && until.0 <= now.0 + minute);
            let before = Time(until.0 - 1);
            assert_eq!(left(now, deadline), left(before, deadline));
            assert_eq!(now.0 / minute, before.0 / minute);
            let changes = now.0 / minute != until.0 / minute
                || (deadline.0 - before.0).div_euclid(minute)
                    != (deadline.0 - until.0).div_euclid(minute);
            assert!(changes, "{now:?} {until:?}");
        }
    }

    #[test]
    fn names_are_listed() {
        assert_eq!(list::<&str>(&[]), "");
        assert_eq!(list(&["Ada"]), "Ada");
        assert_eq!(list(&["Ada", "Bo", "Cy"]), "Ada, Bo and Cy");
    }
}
