//! Refusals in words: why something was not done. `host` is the word for the host: a club has a host, a lesson a
//! teacher.

use std::time::Duration;

use crate::texts::{capital, full_stop, in_words};
use perplex_games::registry;
use perplex_games::rules::Side;
use perplex_matches::classroom::own_card::NoCard;
use perplex_matches::classroom::roster::{LONGEST, ListFault, MOST_NAMES, WrongName};
use perplex_matches::correspondence::{self, MOST_DAYS, TermsError};
use perplex_matches::names::NameError;
use perplex_matches::team::command::MOST_TAKE_BACKS;
use perplex_matches::team::lineup::Gap;
use perplex_matches::team::phrase::Blank;
use perplex_matches::team::{self, HostAction, SECONDS};

use super::team::{NOT_BEGUN, missing, paused, side_word};
use crate::app::accounts::{
    AccountFault, LONGEST_EMAIL, LONGEST_NAME, LONGEST_PASSWORD, SHORTEST_PASSWORD,
};
use crate::app::classes::{self, ClassFault, MOST_PUPILS};
use crate::app::talk::LONGEST_LINE;
use crate::app::team::{LONGEST_TITLE, TeamFault};
use crate::app::{AppError, Fault, NotAllowed};
use crate::texts::team::leader;

pub const NOT_FOUND: &str = "There is nothing here.";
/// Told about a form without the proof that it came from one of our pages.
pub const FORGED: &str = "This form is no longer current, perhaps because you signed in or out in another window. \
                          Please go back, load the page again and send it once more.";
/// The title of a page that shows such a form again.
pub const NOT_SENT: &str = "Not sent yet";

/// Told above a form that is shown again since its page was opened before somebody signed in or out here; `name` is that of
/// the account that is signed in now, if one is.
pub fn not_sent(name: Option<&str>) -> String {
    match name {
        Some(name) => format!(
            "You are signed in as {name} now, and this page was opened before. Nothing that was written is lost: it waits \
             here, and can be sent again as {name}."
        ),
        None => "You are not signed in any more, or this page is very old. Nothing that you wrote is lost: it waits here. \
                 Sign in in another window, then come back here and send it again."
            .to_owned(),
    }
}

/// The button under it.
pub fn send_again(name: Option<&str>) -> String {
    name.map_or_else(
        || "Send it again".to_owned(),
        |name| format!("Send it as {name}"),
    )
}

/// Told about a form that was sent from a page at another address than `own`, that of this installation.
pub fn elsewhere(own: &str) -> String {
    format!(
        "Perplex takes forms from its own address only, which is {own}. Please open the page there and send it once \
         more. If you are there already, tell the admin: PERPLEX_URL has to be the address that everybody uses, and the log \
         says what came instead."
    )
}

/// Told about a form from a browser that sent no cookie back; `own` is the address of this installation.
pub fn no_cookies(own: &str) -> String {
    let http = match own.split_once("https://") {
        Some(_) => format!(" If the address of this page begins with http:, open {own} instead."),
        None => String::new(),
    };
    format!(
        "Your browser did not send back the cookie of this page, without which Perplex takes no form. Please allow cookies \
         for this site, then load the page again and send it once more.{http}"
    )
}

/// Told about a text with the character NUL.
pub const NUL: &str = "There is a character in this that can't be shown (NUL). Please take it out.";

/// Told about a text that nobody can have typed; `field` is the name of its field, empty for an address or a whole form.
pub fn too_long(field: &str, most: usize) -> String {
    if field.is_empty() {
        return "This is longer than anything that can be sent here. Please go back and shorten it.".to_owned();
    }
    format!(
        "What was typed in the field “{field}” is too long: it can have at most {most} characters. Nothing was changed. \
         Please go back and shorten it."
    )
}

const OFFER_DECLINED: &str =
    "Your offer was declined. You can offer a draw again after your next turn.";
const INVITED_ALREADY: &str = "This player is invited already.";

pub fn error(error: &AppError) -> String {
    match error {
        AppError::Refused(refusal) => correspondence(refusal),
        AppError::RefusedInTeam(refusal, by) => team(refusal, leader(*by)),
        AppError::Invalid(fields) => {
            let faults: Vec<String> = fields.iter().map(|(_, one)| fault(one)).collect();
            faults.join(" ")
        }
        AppError::NotFound => NOT_FOUND.to_owned(),
        AppError::SignIn => "Please sign in first.".to_owned(),
        AppError::Forbidden(why) => not_allowed(*why),
        AppError::CodeWanted(_) => "Please type the code of your second factor.".to_owned(),
        AppError::ProveAgain => "Please type your password once more.".to_owned(),
        AppError::TooOften(seconds) => {
            let wait = in_words(Duration::from_secs(*seconds));
            format!("That was too often. Please try again in {wait}.")
        }
        // Readers get the words for the status.
        AppError::Busy(_) | AppError::Store(_) | AppError::Journal(_) | AppError::Internal(_) => {
            error.to_string()
        }
    }
}

fn not_allowed(why: NotAllowed) -> String {
    let sentence = match why {
        NotAllowed::Pupil => "This part of Perplex is not for pupils.",
        NotAllowed::Guest => {
            "As a guest you play the computer. For everything else make an account."
        }
        NotAllowed::ManyGuests => {
            "Too many visitors play without an account just now. Try again later, or make an account."
        }
        NotAllowed::ManyMatchesOfGuest => {
            "You have played as many matches as a guest can. Make an account to go on."
        }
        NotAllowed::OldLink => {
            "This link is no longer good: it was used, or it is too old. Please ask for a new one."
        }
        NotAllowed::AccountGone => "That account has just been deleted.",
        NotAllowed::LateCode => "That took too long. Please type your password once more.",
        NotAllowed::SecondFactorIsOff => "The second factor is switched off.",
        NotAllowed::SecondFactorIsOn => "The second factor is switched on already.",
        NotAllowed::SignUpClosed => "On this site only its admins make accounts.",
        NotAllowed::NotInvited => {
            "On this site accounts are made by invitation, and this is not the link of one that is still good."
        }
        NotAllowed::NoInvitations => "Accounts are not made by invitation here.",
        NotAllowed::NotOwner => "Only the owner of the class can do this.",
        NotAllowed::ManyClasses => {
            "You have very many classes. Remove or leave one that you no longer need first."
        }
        NotAllowed::ClassFull => "This class is full.",
        NotAllowed::ClassArchived => "This class is archived. Take it out of the archive first.",
        NotAllowed::LeftLesson => {
            "You are not in this lesson any more. Your teacher can let you in again."
        }
        NotAllowed::TakenOut => {
            "If that was a mistake, ask: your teacher can let you in again. Until then you can practise: under “Games”."
        }
        NotAllowed::LeftMatch => {
            "You are not in this match any more. Its host can let you in again."
        }
        NotAllowed::NotHost(by) => {
            return format!("Only the {} of the match does that.", leader(by));
        }
        NotAllowed::InviteNotHost(by) => {
            let host = leader(by);
            return format!("Only the {host} invites people, and only until the match is over.");
        }
        NotAllowed::TeamsInLesson => "In a lesson the teacher puts the teams together.",
        NotAllowed::Transfer => return team(&team::Refusal::OnlyStrategistTransfers, ""),
        NotAllowed::TalkStopped(by) => {
            let host = leader(by);
            return format!("The {host} has stopped the talk for now. You can still read it.");
        }
        NotAllowed::ReadOnly => "You may read this talk, not write in it.",
        NotAllowed::TalkNotMember => "Only members talk here.",
        NotAllowed::TalkNotPlayer => "Only the players of a match talk here.",
        NotAllowed::TalkNoTeam => "Only members of a team talk in secret.",
        NotAllowed::ManyChannels => "There are too many private channels.",
        NotAllowed::RecordNotYet => {
            "You see some of the boards only; the record is there when the match is over."
        }
    };
    sentence.to_owned()
}

pub fn fault(fault: &Fault) -> String {
    match fault {
        Fault::Account(fault) => account_fault(fault),
        Fault::Class(fault) => class_fault(fault),
        Fault::Team(fault) => team_fault(fault),
        Fault::LongMessage => {
            format!("A message has at most {LONGEST_LINE} characters; please shorten it.")
        }
        Fault::NoMessage => "Please write something first.".to_owned(),
        Fault::Terms(error) => terms(error),
        Fault::Name(error) => format!("This name {}.", name(*error)),
        Fault::Listed(wrong) => wrong_name(wrong),
        Fault::Card(why) => no_card(why),
        Fault::Blank(blank) => unfilled(*blank).to_owned(),
    }
}

fn no_card(why: &NoCard) -> String {
    match why {
        NoCard::Name(error) => {
            format!("Give the card another name: this one {}.", name(*error))
        }
        NoCard::Taken(name) => format!("There is a card called “{name}” already."),
        NoCard::Turn(error) => capital(&full_stop(&error.to_string())),
        NoCard::NoChange => "A card is about how a piece moves, or what pawns become.".to_owned(),
        NoCard::Many(most) => {
            format!("There are {most} cards already, and no more fit. Remove one first.")
        }
    }
}

fn account_fault(fault: &AccountFault) -> String {
    let sentence = match fault {
        AccountFault::Name => {
            return format!(
                "A name has 2 to {LONGEST_NAME} letters, digits, spaces, hyphens, underscores or apostrophes, and \
                 starts with a letter. A full stop ends a word, as in “Dr. Weber”."
            );
        }
        AccountFault::NameOfComputer => {
            "This name could be taken for the computer's; please choose another."
        }
        AccountFault::NameReserved => {
            "This name could be taken for that of this site, its people or a side; please choose another."
        }
        AccountFault::NameTaken => "This name is taken; please choose another.",
        AccountFault::Email => {
            "This is not an e-mail address; it should look like ada@example.org."
        }
        AccountFault::EmailLetters => {
            "This address has letters before the @ to which mail cannot be sent from here. Please take one in plain letters, \
             such as ada@example.org; after the @ all letters are good."
        }
        AccountFault::EmailTaken => "This address has an account already.",
        AccountFault::PasswordLength => {
            return format!(
                "A password has at least {SHORTEST_PASSWORD} characters (and at most {LONGEST_PASSWORD})."
            );
        }
        AccountFault::EasyPassword => {
            "This is easy to guess: it is common, or like your name or address. Three or four words that have nothing \
             to do with each other are a good password."
        }
        AccountFault::LongLogin => {
            return format!(
                "A name has at most {LONGEST_NAME} characters, an e-mail address at most {LONGEST_EMAIL}."
            );
        }
        AccountFault::LongPassword => {
            return format!("A password has at most {LONGEST_PASSWORD} characters.");
        }
        AccountFault::NotYourPassword => "This is not your password.",
        AccountFault::NotFirstPassword => {
            "This is not the password that was chosen when the account was made."
        }
        AccountFault::Mismatch { by_user_name: true } => {
            "User name and pass phrase do not match. Both are on your card."
        }
        AccountFault::Mismatch {
            by_user_name: false,
        } => {
            "Name (or e-mail address) and password do not match. Is your account new? Then open the link in \
             our mail first."
        }
        AccountFault::NoClass => {
            "You are not in a class that goes on: perhaps yours is in the archive. Ask your teacher."
        }
        AccountFault::NotConfirmed => {
            "Your e-mail address is not confirmed yet. We have sent you the link once more."
        }
        AccountFault::CodeForm { recovery: true } => {
            "Type the six digits that your app shows now, or the twelve of a recovery code."
        }
        AccountFault::CodeForm { recovery: false } => "Type the six digits that your app shows.",
        AccountFault::WrongCode => {
            "This code is not right, or was used before. Wait for the next one in your app."
        }
        AccountFault::TimeZone => "This time zone is not known; it should look like Europe/Berlin.",
        AccountFault::QuietHours => {
            "Choose the hour at which the quiet begins and another at which it ends, or none of both."
        }
        AccountFault::Theme => "The theme is light, dark or system.",
        AccountFault::NoAccount(name) => return format!("There is no account {name}."),
        AccountFault::NoPlayer(name) => return format!("There is no player called “{name}”."),
    };
    sentence.to_owned()
}

fn class_fault(fault: &ClassFault) -> String {
    match fault {
        ClassFault::Name => format!(
            "Give the class a name of 1 to {} characters that can all be seen.",
            classes::LONGEST_NAME
        ),
        ClassFault::NoNames => "Type at least one name.".to_owned(),
        ClassFault::NameTaken(name) => format!("There is a “{name}” in the class already."),
        ClassFault::ManyPupils => {
            format!("A class has at most {MOST_PUPILS} pupils, former ones included.")
        }
        ClassFault::KeepDays => "Choose one of the times that are offered.".to_owned(),
        ClassFault::Confirm(name) => format!("Type “{name}” to confirm."),
        ClassFault::TeachesAlready(name) => format!("{name} teaches this class already."),
        ClassFault::OfferedAlready(name) => {
            format!("You are already waiting for {name} to accept.")
        }
        ClassFault::ManyOffers => {
            "You are waiting for very many people to accept. Take one of these offers back first."
                .to_owned()
        }
    }
}

fn team_fault(fault: &TeamFault) -> String {
    let sentence = match fault {
        TeamFault::Title => {
            return format!(
                "Give the match a name of 1 to {LONGEST_TITLE} characters that can all be seen."
            );
        }
        TeamFault::NoSize => "Please choose how many boards.",
        TeamFault::TimeLimit => "Please write the time limit as a number of minutes, such as 60.",
        TeamFault::TimeLeft => "Please write how many minutes are left, such as 20.",
        TeamFault::NameTaken => "Another person in this match has this name already.",
        TeamFault::InvitesComputer => "The computer does not play team matches.",
        TeamFault::TakesPart => "This player takes part already.",
        TeamFault::InvitedAlready => INVITED_ALREADY,
        TeamFault::DutiesChanged => {
            "The duties have changed since you looked at them. This is how they are now."
        }
        TeamFault::NoTransfer => "Choose a piece first, and then the board that it goes to.",
        TeamFault::Transfer(written, error) => {
            return format!(
                "“{written}” was not understood: write the square and the boards, such as e4 1>3. ({error})"
            );
        }
        TeamFault::PhrasesOnly(by) => {
            let host = leader(*by);
            return format!("For now the {host} lets you choose from the ready-made phrases only.");
        }
        TeamFault::EyesUp(by) => {
            let host = leader(*by);
            return format!("Eyes up! You can write again when your {host} lets the match go on.");
        }
        TeamFault::NoTeammates => "Choose at least one other member of your team.",
        TeamFault::CodeForm => {
            "No lesson has this code. Please compare it with the wall, letter by letter. It has seven letters and \
             digits."
        }
        TeamFault::UnknownCode => {
            "No lesson has this code now. Look at the board again, or ask your teacher."
        }
        TeamFault::OtherClass => "This is a lesson of another class.",
        TeamFault::NoPupil => "Please pick your name.",
        TeamFault::NoPhrase(name) => {
            return format!("Please write the three words of {name}.");
        }
        TeamFault::WrongPhrase(name) => {
            return format!("These are not the three words of {name}.");
        }
        TeamFault::Crowded => "Too many devices are waiting for this name. Ask your teacher.",
    };
    sentence.to_owned()
}

pub fn correspondence(refusal: &correspondence::Refusal) -> String {
    use correspondence::{Phase, Refusal};
    let sentence = match refusal {
        Refusal::Changed => {
            "The position has changed since you looked at it. This is how it stands now."
        }
        Refusal::NotPlaying(Phase::Gathering) => NOT_BEGUN,
        Refusal::NotPlaying(Phase::Playing | Phase::Over) => "The match is over.",
        Refusal::TooLate => {
            "The time for this turn had run out before it arrived. The match is over."
        }
        Refusal::NotYourTurn => "It is not your turn.",
        Refusal::Turn(error) => return error.to_string(),
        Refusal::NotAPlayer => "You don't play in this match.",
        Refusal::NotChallenged => "You are not challenged to this match, or no longer.",
        Refusal::CannotLeave => {
            "Only a player who has joined can leave, and only before the match begins."
        }
        Refusal::CannotCallOff => {
            "Only a match that has not begun can be called off, by the player who made it."
        }
        Refusal::CannotInvite => {
            "Only the player who made a match for more than two can invite people, a few at a time, until it begins."
        }
        Refusal::InvitedAlready => INVITED_ALREADY,
        Refusal::JoinedAlready { you: false } => "This player has joined already.",
        Refusal::JoinedAlready { you: true } => "You have joined this match already.",
        Refusal::NotGathering => "This match is no longer looking for players.",
        Refusal::NotInvited => "You were not invited to this match.",
        Refusal::SeatTaken => "This seat is taken.",
        Refusal::NoOffer => "There is no draw offer.",
        Refusal::OfferStands => "A draw is already offered.",
        Refusal::OfferDeclined => OFFER_DECLINED,
    };
    sentence.to_owned()
}

fn terms(error: &TermsError) -> String {
    match error {
        TermsError::NoSuchGame(key) => {
            let known: Vec<&str> = registry::GAMES.iter().map(|game| game.card.key).collect();
            let known = known.join(", ");
            format!("There is no game called \"{key}\"; choose one of {known}.")
        }
        TermsError::NoSuchVariant { game, variant } => {
            format!("{game} has no variant called \"{variant}\".")
        }
        TermsError::NoSuchSeat(key) => {
            format!("There is no seat called \"{key}\" in this game.")
        }
        TermsError::Days(days) => format!("A turn can have 1 to {MOST_DAYS} days, not {days}."),
        TermsError::OwnChallenge => "You can't challenge yourself.".to_owned(),
    }
}

fn name(error: NameError) -> String {
    match error {
        NameError::Unseen => "has a character that cannot be shown".to_owned(),
        NameError::Empty => "is empty".to_owned(),
        NameError::Blank => {
            "has nothing in it that can be seen: it needs a letter, a digit or another sign"
                .to_owned()
        }
        NameError::TooLong(long) => format!("has {long} characters; {LONGEST} are the most"),
    }
}

fn wrong_name(wrong: &WrongName) -> String {
    let (line, wrong_name) = (wrong.line, &wrong.name);
    match wrong.fault {
        ListFault::Name(error) => {
            let letters = wrong_name.chars().filter(|c| !c.is_control());
            let shown: String = letters.take(20).collect();
            format!("Line {line}: “{shown}…” {}.", name(error))
        }
        ListFault::Known => format!("Line {line}: there is a “{wrong_name}” in the class already."),
        ListFault::Again(first) => format!(
            "There is already a “{wrong_name}” in line {first}. Add an initial in line {line}."
        ),
        ListFault::TooMany => format!(
            "Line {line}: the list is longer than any class. Please send at most {MOST_NAMES} names at once."
        ),
    }
}

const fn unfilled(blank: Blank) -> &'static str {
    match blank {
        Blank::Board => "Please choose a board first.",
        Blank::Square => "Please choose a square first.",
        Blank::Piece => "Please choose a piece first.",
    }
}

pub fn team(refusal: &team::Refusal, host: &str) -> String {
    use team::{Phase, Refusal};
    let most_days = SECONDS.end() / 86_400;
    let sentence = match refusal {
        Refusal::Changed(board) => {
            return format!(
                "Board {board} has changed since you looked at it. This is how it stands now."
            );
        }
        Refusal::NotPlaying(Phase::Gathering) => NOT_BEGUN,
        Refusal::NotPlaying(Phase::Paused) => {
            return paused(host);
        }
        Refusal::NotPlaying(Phase::Playing | Phase::Over) => "The match is over.",
        Refusal::CalledOff => return format!("The {host} has called this match off."),
        Refusal::Line(error) => return error.to_string(),
        Refusal::Contradiction(error) => return error.to_string(),

        Refusal::OnlyHost(action) => return format!("Only the {host} {}.", host_action(*action)),
        Refusal::OnlyMembers => "Only those who take part can do that.",
        Refusal::OnlyForYourself => "You can do that for yourself only.",
        Refusal::OnlyTheTeam => {
            return format!("A team arranges its duties itself, or the {host} does.");
        }
        Refusal::OnlyStrategistTransfers => "Only the grand strategist of a team transfers pieces.",
        Refusal::OnlyStrategistGives => "Only the grand strategist gives duties.",
        Refusal::OnlyStrategistChooses => "Only the grand strategist of a team chooses its emblem.",
        Refusal::SignTaken => "The other team has this sign. Please choose another one.",

        Refusal::NoSuchMember => "There is no such member.",
        Refusal::NoSuchDuty => "There is no such duty.",
        Refusal::NoSuchBoard(board) => return format!("There is no board {board}."),

        Refusal::HasBegun => "The match has begun: that was settled before the start.",
        Refusal::NotPaused => "The match is not paused.",
        Refusal::TimeLimit => {
            return format!(
                "A match can last from a minute to {most_days} days, or be without a limit."
            );
        }
        Refusal::NoTimeLimit => "This match has no time limit. Say how much time is left.",
        Refusal::NoTimeLeft => {
            "Nothing would be left of the time. If you want to end the match, end it."
        }
        Refusal::TooMuchTimeLeft => return format!("At most {most_days} days can be left."),
        Refusal::EmptyTeam => "Both teams need a member before the match can start.",
        Refusal::TooManyPeople(size) => {
            return format!(
                "There are too many people in a team for {} boards. Choose more boards.",
                size.boards()
            );
        }
        Refusal::ShortHanded(gaps) => return short_handed(gaps),

        Refusal::TakesPart { you: false } => "This member takes part already.",
        Refusal::TakesPart { you: true } => "You take part in this match already.",
        Refusal::MatchFull => "There is no more room in this match.",
        Refusal::TeamFull { size, most } => {
            return format!(
                "This team is full: in a match on {} boards a team has at most {most} members.",
                size.boards()
            );
        }
        Refusal::FormerMember => {
            return format!("You were in this match before. The {host} can let you come back.");
        }
        Refusal::NoTeam => "You are in no team.",
        Refusal::NotInTeam => "Only a member of the team can have a duty in it.",
        Refusal::HasDuty => "This member has that duty already.",
        Refusal::VacantDuty => "Every duty needs a member.",
        Refusal::ReplaceWithoutTeam => "Only a member of a team can be replaced.",
        Refusal::ReplaceByStranger => "Another member of the same team takes over.",
        Refusal::ReplaceWithoutDuty => "There is nothing to take over: an agent has no duty.",
        Refusal::VoteOfStrategist => "The grand strategist has no vote.",
        Refusal::VoteForStranger => "You can vote for a member of your team only.",
        Refusal::VoteForStrategist => "This member is grand strategist already.",

        Refusal::NotYourBoard(board) => return format!("Another member plays board {board}."),
        Refusal::BoardEnded(board) => return format!("Board {board} has ended."),
        Refusal::NotYourTurn => "It is the other side's turn on this board.",
        Refusal::Disputed => {
            return format!("What was proposed here is disputed: the {host} decides first.");
        }
        Refusal::DisputedAlready => {
            return format!("It is disputed already: the {host} decides.");
        }
        Refusal::OnlyDisputed => {
            return format!(
                "You can accept it or dispute it. If it is disputed, the {host} decides."
            );
        }
        Refusal::NothingToAnswer => "There is nothing to answer here.",
        Refusal::NothingDisputed => "Nothing is disputed on this board.",
        Refusal::NoOffer => "There is no draw offer on this board.",
        Refusal::OfferStands => "You have already offered a draw.",
        Refusal::OfferDeclined => OFFER_DECLINED,
        Refusal::Full => {
            "So much has happened in this match that only turns, and what ends it, are possible now."
        }
        Refusal::TookBackMuch => {
            return format!("At most {MOST_TAKE_BACKS} lines are taken back in a match.");
        }
        Refusal::NothingToTakeBack(board) => {
            return format!("Nothing has been played on board {board} yet.");
        }
        Refusal::TakeBackOther { board, other } => {
            return format!(
                "The last thing on board {board} is a transfer that touched board {other}, too, where more has \
                 happened since. Take that back first."
            );
        }
    };
    sentence.to_owned()
}

const fn host_action(action: HostAction) -> &'static str {
    match action {
        HostAction::LetBack => "lets people come back",
        HostAction::Send => "sends people to another team once the match has begun",
        HostAction::Deal => "deals out teams and duties",
        HostAction::Settle => "settles that",
        HostAction::Seat => "seats everybody",
        HostAction::Place => "puts people in their places",
        HostAction::SetDuties => "gives out all duties anew",
        HostAction::Start => "starts the match",
        HostAction::Decide => "decides what is disputed",
        HostAction::Pause => "stops the play",
        HostAction::Resume => "lets it go on",
        HostAction::SetJoinable => "says when the match goes on",
        HostAction::Stop => "ends the match",
        HostAction::CallOff => "calls the match off",
        HostAction::TakeBack => "takes something back",
        HostAction::Time => "sets the time",
        HostAction::Rename => "gives people other names",
        HostAction::Talk => "says how people talk",
        HostAction::RemoveMessage => "removes messages",
        HostAction::Replace => "replaces people",
    }
}

fn short_handed(gaps: &[Vec<Gap>; 2]) -> String {
    let teams = Side::ALL.into_iter().zip(gaps);
    let needs: Vec<String> = teams
        .filter(|(_, gaps)| !gaps.is_empty())
        .map(|(side, gaps)| format!("{} needs {}", side_word(side), missing(gaps).join(", ")))
        .collect();
    format!(
        "{}. You can start short-handed: then some have several duties.",
        needs.join("; ")
    )
}
