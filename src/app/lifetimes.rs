//! Lifetimes of sessions, links and proofs. `docs/security.md` says what each carries, and what ends it earlier.

use std::time::Duration;

use perplex_matches::time::{days, hours};

pub use crate::store::old_addresses::OLD_ADDRESS_DAYS;

use super::accounts::{DEVICE_DAYS, FORMER_NAME, LONGEST_SESSION_DAYS, PROVED, SESSION_DAYS};

/// A session of a pupil who came by the code of a lesson.
pub const BY_CODE: Duration = hours(12);
/// A guest's session, unused while the server was there: with it ends all that the guest has played.
pub const GUEST: Duration = days(30);
/// The time for which the browser keeps a guest's session, and the server at most: it does not know how long it will be
/// off.
pub const GUEST_COOKIE: Duration = days(365);
/// A device's wait to be let into a lesson.
pub const KNOCK: Duration = Duration::from_mins(15);
/// Links in mails.
pub const VERIFY_LINK: Duration = days(7);
pub const RESET_LINK: Duration = hours(2);
pub const NEW_ADDRESS_LINK: Duration = days(1);
pub const UNDO_ADDRESS_LINK: Duration = days(7);
/// Links that change which mails come.
pub const MAIL_SETTINGS_LINK: Duration = days(3_650);
/// An invitation to make an account.
pub const INVITATION: Duration = days(7);
/// A sign-up whose mail can be sent again, to a corrected address, too.
pub const SIGN_UP_RECEIPT: Duration = days(1);

/// An invitation of an address to a match.
pub const INVITED_ADDRESS: Duration = days(30);

/// All lifetimes, by their names in the documentation.
pub const ALL: [(&str, Duration); 16] = [
    ("session, unused", days(SESSION_DAYS)),
    ("session, however used", days(LONGEST_SESSION_DAYS)),
    ("session by the code of a lesson", BY_CODE),
    ("guest, unused", GUEST),
    ("password just typed", PROVED),
    ("known device", days(DEVICE_DAYS)),
    ("knock at the door", KNOCK),
    ("link that proves an address", VERIFY_LINK),
    ("link for a new password", RESET_LINK),
    ("link for a new address", NEW_ADDRESS_LINK),
    ("link that undoes a new address", UNDO_ADDRESS_LINK),
    ("link to the settings for mail", MAIL_SETTINGS_LINK),
    ("invitation to sign up", INVITATION),
    ("receipt of a sign-up", SIGN_UP_RECEIPT),
    ("invitation to a match by mail", INVITED_ADDRESS),
    (
        "name of an account that was deleted or renamed",
        FORMER_NAME,
    ),
];
