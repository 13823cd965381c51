use std::fmt::{self, Display};

use perplex_matches::correspondence::{Refusal, TermsError};
use perplex_matches::journal::BadJournal;
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
    /// A correspondence match that cannot be made.
    Terms(TermsError),
    /// Form fields with wrong values: for each its name and a sentence.
    Invalid(Vec<(&'static str, String)>),
    /// Too many attempts; the next one may come after so many seconds.
    TooOften(u64),
    /// So many others acted on the same thing at once that every attempt came too late; it is named for the log.
    Busy(String),
    Store(StoreError),
    Journal(BadJournal),
    Internal(String),
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
            Self::Terms(error) => write!(f, "wrong terms: {error}"),
            Self::Invalid(fields) => {
                let texts: Vec<&str> = fields.iter().map(|(_, text)| text.as_str()).collect();
                f.write_str(&texts.join(" "))
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

impl From<TermsError> for AppError {
    fn from(error: TermsError) -> Self {
        Self::Terms(error)
    }
}

impl From<BadJournal> for AppError {
    fn from(error: BadJournal) -> Self {
        Self::Journal(error)
    }
}

pub fn invalid(field: &'static str, text: impl Into<String>) -> AppError {
    AppError::Invalid(vec![(field, text.into())])
}
