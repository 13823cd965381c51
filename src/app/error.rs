use std::fmt::{self, Display};

use perplex_matches::classroom::roster::{NameError, WrongName};
use perplex_matches::correspondence::{Refusal, TermsError};
use perplex_matches::journal::BadJournal;
use perplex_matches::team;
use perplex_matches::team::phrase::Blank;

use super::accounts::AccountFault;
use super::classes::ClassFault;
use super::team::{Leader, TeamFault};
use crate::store::StoreError;

/// The reasons why something was not done. Each has its one answer on the web, and its words in `texts`.
#[derive(Debug)]
pub enum AppError {
    /// It does not exist, or the actor may not know that it does.
    NotFound,
    SignIn,
    Forbidden(NotAllowed),
    /// The password is right; this proof of it goes on with the code of the second factor.
    CodeWanted(String),
    /// The password was typed too long ago for a dangerous action.
    ProveAgain,
    Refused(Refusal),
    /// A refusal in a team match, and the name for those who lead it.
    RefusedInTeam(team::Refusal, Leader),
    /// Form fields with wrong values: for each its name and the fault.
    Invalid(Vec<(&'static str, Fault)>),
    /// Too many attempts; the next one may come after so many seconds.
    TooOften(u64),
    /// So many others acted on the same thing at once that every attempt came too late; it is named for the log.
    Busy(String),
    Store(StoreError),
    Journal(BadJournal),
    Internal(String),
}

/// The fault of a form field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Account(AccountFault),
    Class(ClassFault),
    Team(TeamFault),
    LongMessage,
    NoMessage,
    /// The terms of a correspondence match are wrong.
    Terms(TermsError),
    Name(NameError),
    /// A name in a list is wrong.
    Listed(WrongName),
    /// Something is still to be chosen for a ready-made phrase.
    Blank(Blank),
}

/// The reasons why the actor may not do something, or not now. A text is the name for those who lead a team match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    Pupil,
    /// The mailed link was used, or is too old.
    OldLink,
    /// The password was typed too long ago for the code of the second factor.
    LateCode,
    SecondFactorIsOff,
    SecondFactorIsOn,
    SignUpClosed,
    /// The link is not that of an invitation that is still good.
    NotInvited,
    /// Accounts are not made by invitation.
    NoInvitations,
    NotOwner,
    ManyClasses,
    ClassFull,
    ClassArchived,
    LeftLesson,
    LeftMatch,
    NotHost(Leader),
    InviteNotHost(Leader),
    TeamsInLesson,
    Transfer,
    TalkStopped(Leader),
    ReadOnly,
    TalkNotMember,
    TalkNotPlayer,
    TalkNoTeam,
    ManyChannels,
    /// The record shows all boards.
    RecordNotYet,
}

impl AppError {
    /// True if the same may succeed later, without anybody's help.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Store(error) => error.is_passing(),
            Self::Busy(_) => true,
            _ => false,
        }
    }
}

/// For logs.
impl Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("not found"),
            Self::SignIn => f.write_str("not signed in"),
            Self::Forbidden(why) => write!(f, "not allowed: {why:?}"),
            Self::CodeWanted(_) => f.write_str("no code"),
            Self::ProveAgain => f.write_str("no proof"),
            Self::Refused(refusal) => write!(f, "refused: {refusal}"),
            Self::RefusedInTeam(refusal, _) => write!(f, "refused: {refusal}"),
            Self::Invalid(fields) => write!(f, "invalid: {fields:?}"),
            Self::TooOften(seconds) => write!(f, "too often: {seconds} s"),
            Self::Busy(what) => write!(f, "{what} is too busy"),
            Self::Store(error) => write!(f, "database: {error}"),
            Self::Journal(error) => Display::fmt(error, f),
            Self::Internal(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for AppError {}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<BadJournal> for AppError {
    fn from(error: BadJournal) -> Self {
        Self::Journal(error)
    }
}

impl From<AccountFault> for Fault {
    fn from(fault: AccountFault) -> Self {
        Self::Account(fault)
    }
}

impl From<ClassFault> for Fault {
    fn from(fault: ClassFault) -> Self {
        Self::Class(fault)
    }
}

impl From<TeamFault> for Fault {
    fn from(fault: TeamFault) -> Self {
        Self::Team(fault)
    }
}

pub fn invalid(field: &'static str, fault: impl Into<Fault>) -> AppError {
    AppError::Invalid(vec![(field, fault.into())])
}
