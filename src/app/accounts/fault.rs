/// The fault of a field in a form about accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountFault {
    Name,
    NameOfComputer,
    /// It could be taken for a name of the site or of one of its people.
    NameReserved,
    NameTaken,
    Email,
    /// It has letters before the @ that the mail server does not take.
    EmailLetters,
    EmailTaken,
    PasswordLength,
    EasyPassword,
    LongLogin,
    LongPassword,
    NotYourPassword,
    /// It is not the password that was chosen when the account was made.
    NotFirstPassword,
    /// Name and password do not belong together.
    Mismatch {
        by_user_name: bool,
    },
    /// The classes of the pupil are in the archive.
    NoClass,
    NotConfirmed,
    /// It is no code of the app, nor, where that would do, a recovery code.
    CodeForm {
        recovery: bool,
    },
    WrongCode,
    TimeZone,
    Theme,
    /// Only one hour, one that is none, or the same twice.
    QuietHours,
    NoAccount(String),
    NoPlayer(String),
}
