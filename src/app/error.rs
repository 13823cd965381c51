use perplex_matches::classroom::own_card::NoCard;
use perplex_matches::classroom::roster::WrongName;
use perplex_matches::correspondence::{Refusal, TermsError};
use perplex_matches::journal::BadJournal;
use perplex_matches::names::NameError;
use perplex_matches::team;
use perplex_matches::team::phrase::Blank;

use super::accounts::AccountFault;
use super::classes::ClassFault;
use super::team::{Leader, TeamFault};
use crate::store::StoreError;

/// The reasons why something was not done. Each has its one answer on the web, and its words in `texts`.
///
/// Displayed, it is for logs.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// It does not exist, or the actor may not know that it does.
    #[error("not found")]
    NotFound,
    #[error("not signed in")]
    SignIn,
    #[error("not allowed: {0:?}")]
    Forbidden(NotAllowed),
    /// The password is right; this proof of it goes on with the code of the second factor.
    #[error("no code")]
    CodeWanted(String),
    /// The password was typed too long ago for a dangerous action.
    #[error("no proof")]
    ProveAgain,
    #[error("refused: {0}")]
    Refused(#[from] Refusal),
    /// A refusal in a team match, and the name for those who lead it.
    #[error("refused: {0}")]
    RefusedInTeam(team::Refusal, Leader),
    /// Form fields with wrong values: for each its name and the fault.
    #[error("invalid: {0:?}")]
    Invalid(Vec<(&'static str, Fault)>),
    /// Too many attempts; the next one may come after so many seconds.
    #[error("too often: {0} s")]
    TooOften(u64),
    /// So many others acted on the same thing at once that every attempt came too late; it is named for the log.
    #[error("{0} is too busy")]
    Busy(String),
    #[error("database: {0}")]
    Store(StoreError),
    #[error(transparent)]
    Journal(#[from] BadJournal),
    #[error("{0}")]
    Internal(String),
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Deleted => Self::Forbidden(NotAllowed::AccountGone),
            error => Self::Store(error),
        }
    }
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
    /// A rule card cannot be made.
    Card(NoCard),
    /// Something is still to be chosen for a ready-made phrase.
    Blank(Blank),
}

/// The reasons why the actor may not do something, or not now. A text is the name for those who lead a team match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    Pupil,
    /// A visitor who plays without an account.
    Guest,
    /// Too many visitors play without an account.
    ManyGuests,
    ManyMatchesOfGuest,
    /// The mailed link was used, or is too old.
    OldLink,
    /// The password was typed too long ago for the code of the second factor.
    LateCode,
    /// The account, the actor's or another one, was deleted in between.
    AccountGone,
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
    /// The teacher has taken the pupil out of the lesson.
    TakenOut,
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
