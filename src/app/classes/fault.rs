/// The fault of a field in a form about classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassFault {
    Name,
    NoNames,
    NameTaken(String),
    ManyPupils,
    KeepDays,
    /// The name of the class is to be typed, so that it is not removed by mistake.
    Confirm(String),
    TeachesAlready(String),
    OfferedAlready(String),
    ManyOffers,
}
