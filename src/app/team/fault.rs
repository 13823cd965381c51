use super::Leader;
use perplex_games::rules::TurnError;

/// The fault of a field in a form about team matches and lessons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamFault {
    Title,
    NoSize,
    TimeLimit,
    TimeLeft,
    NameTaken,
    InvitesComputer,
    TakesPart,
    InvitedAlready,
    DutiesChanged,
    NoTransfer,
    /// A transfer in writing that was not understood.
    Transfer(String, TurnError),
    /// Only ready-made phrases are allowed, by a host of this name.
    PhrasesOnly(Leader),
    /// The teacher wants everybody to look up.
    EyesUp(Leader),
    NoTeammates,
    /// It cannot be the code of a lesson.
    CodeForm,
    UnknownCode,
    OtherClass,
    NoPupil,
    NoPhrase(String),
    WrongPhrase(String),
    /// Too many devices wait for one name.
    Crowded,
}
