use std::fmt::{self, Display};

use perplex_matches::classroom::roster::{NameError, WrongName};
use perplex_matches::correspondence::{Refusal, TermsError};
use perplex_matches::journal::BadJournal;
use perplex_matches::team::phrase::Blank;
use perplex_matches::{team, time};

use crate::store::StoreError;

/// The reasons why something was not done. Each has its one answer on the web; see `web`.
#[derive(Debug)]
pub enum AppError {
    /// It does not exist, or the actor may not know that it does.
    NotFound,
    SignIn,
    Forbidden(&'static str),
    /// The password is right; this proof of it goes on with the code of the second factor.
    CodeWanted(String),
    /// The password was typed too long ago for a dangerous action.
    ProveAgain,
    Refused(Refusal),
    /// A refusal in a team match, and the name for those who lead it.
    RefusedInTeam(team::Refusal, &'static str),
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
    /// A sentence.
    Told(String),
    /// The terms of a correspondence match are wrong.
    Terms(TermsError),
    Name(NameError),
    /// A name in a list is wrong.
    Listed(WrongName),
    /// Something is still to be chosen for a ready-made phrase.
    Blank(Blank),
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

impl Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("There is nothing here."),
            Self::SignIn => f.write_str("Please sign in first."),
            Self::Forbidden(why) => f.write_str(why),
            Self::CodeWanted(_) => f.write_str("Please type the code of your second factor."),
            Self::ProveAgain => f.write_str("Please type your password once more."),
            // For logs; `texts` has the words for readers.
            Self::Refused(refusal) => write!(f, "refused: {refusal}"),
            Self::RefusedInTeam(refusal, _) => write!(f, "refused: {refusal}"),
            Self::Invalid(fields) => {
                let faults: Vec<String> = fields.iter().map(|(_, one)| one.to_string()).collect();
                f.write_str(&faults.join(" "))
            }
            Self::TooOften(seconds) => {
                let wait = time::in_words(std::time::Duration::from_secs(*seconds));
                write!(f, "That was too often. Please try again in {wait}.")
            }
            Self::Busy(what) => write!(f, "{what} is too busy"),
            Self::Store(error) => write!(f, "database: {error}"),
            Self::Journal(error) => Display::fmt(error, f),
            Self::Internal(error) => f.write_str(error),
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(text) => f.write_str(text),
            // For logs, as above.
            fault => write!(f, "{fault:?}"),
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

pub fn invalid(field: &'static str, text: impl Into<String>) -> AppError {
    wrong(field, Fault::Told(text.into()))
}

pub fn wrong(field: &'static str, fault: Fault) -> AppError {
    AppError::Invalid(vec![(field, fault)])
}
