//! Rate limits, by account or by network address. Kept in memory: a restart forgives.

use std::time::Duration;

use super::guesses::Guesses;
use super::limiter::Limiter;
use super::queue::Queue;
use super::{AppError, Clock};
use crate::address;

/// A limit: `burst` at once, then one each `seconds`.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// The name in `docs/security.md`, which says whom the limit may never stop.
    pub name: &'static str,
    pub burst: u32,
    pub seconds: u64,
}

macro_rules! limits {
    ($($(#[$meaning:meta])* $limiter:ident: $name:literal, $burst:literal, $seconds:literal;)*) => {
        pub struct Limits {
            $($(#[$meaning])* pub $limiter: Limiter,)*
            pub guesses: Guesses,
            /// Passwords that are hashed.
            pub hashing: Queue,
            /// Pages that replay, draw or read much.
            pub drawing: Queue,
        }

        pub const ALLOWANCES: &[Allowance] = &[
            $(Allowance { name: $name, burst: $burst, seconds: $seconds },)*
        ];

        impl Limits {
            pub fn new(clock: &Clock) -> Self {
                Self {
                    $($limiter: Limiter::new(clock, $burst, Duration::from_secs($seconds)),)*
                    guesses: Guesses::new(clock),
                    hashing: Queue::of_passwords(),
                    drawing: Queue::of_pages(),
                }
            }
        }
    };
}

limits! {
    sign_in_account: "sign-in, account", 10, 60;
    /// Codes of second factors.
    code_account: "code of the second factor", 10, 300;
    sign_in_address: "sign-in, network", 60, 5;
    /// Visitors of one network who begin to play without an account.
    guests_address: "guests, network", 40, 300;
    sign_up_address: "sign-up, network", 30, 60;
    /// Mails of one kind that one network or account has sent to one e-mail address.
    mail_address: "mail to an address", 5, 600;
    /// Those of all networks and accounts.
    mails_address: "mail to an address, of all", 30, 60;
    /// Challenges, invitations and offers of a class that one account sends.
    invite_account: "invitations, account", 20, 300;
    /// Those of one account to the same person.
    invite_person: "invitations to a person", 10, 600;
    /// One account's invitations to addresses, whether or not they have an account.
    invite_address: "invitations to addresses", 5, 3_600;
    talk_account: "talk", 20, 2;
    create_account: "things made", 50, 60;
    /// Other names that one account takes.
    names_account: "names of an account", 5, 86_400;
    /// What one account or pupil does in team matches, but for turns.
    acts_account: "acts in team matches", 300, 2;
    /// Devices of one network that ask to join one lesson.
    knocks: "knocks at a lesson", 60, 1;
    /// One device that asks to join one lesson.
    knocks_of_device: "knocks of a device", 5, 10;
    /// Times that one pupil raises a hand in a lesson, or takes it down.
    hands: "raised hands", 10, 10;
    /// Takings of one pupil's name in a lesson.
    names_taken: "a name taken in a lesson", 10, 20;
    /// Mails for a new password that one network asks for.
    reset_address: "new passwords, network", 30, 60;
    /// Nicknames in one class.
    nicknames: "nicknames", 35, 20;
}

impl Limits {
    /// Counts a mail of a kind that `by`, a network or an account, has sent to an address. What others have sent there, or of
    /// another kind, keeps no owner from their own.
    pub fn count_mail(&self, kind: &str, email: &str, by: &str) -> Result<(), AppError> {
        let key = format!("{kind} {}", address::key(email));
        count(&self.mail_address, &format!("{key} {by}"))?;
        count(&self.mails_address, &key)
    }
}

pub fn count(limiter: &Limiter, key: &str) -> Result<(), AppError> {
    let counted = limiter.take(key);
    counted.map_err(|wait| AppError::TooOften(wait.as_secs().max(1)))
}
