//! A second factor: a code from an app (RFC 6238) that is asked for beside the password, and the recovery codes that
//! replace a lost device.
//!
//! During the setup nothing is stored: the form carries the secret, sealed for the account.

use std::time::Duration;

use totp_rs::{Builder, Secret, Totp};

use super::{AccountFault, Tried, credentials, gone};
use crate::app::limits::count;
use crate::app::mail_kind::Notice;
use crate::app::notifications::notify;
use crate::app::{App, AppError, NotAllowed, Viewer, Visitor, invalid};
use crate::secret::{Key, KeyRing, hash_token, random_token};
use crate::store::Conn;
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::second_factor::{self as factors, SecondFactorRow};
use perplex_matches::id::AccountId;
use perplex_matches::time::Time;

/// Number of recovery codes that an account gets.
pub const RECOVERY_CODES: usize = 10;
const RECOVERY_DIGITS: usize = 12;
/// What the hashes of recovery codes are for.
const RECOVERY: &str = "recovery";
const CODE_DIGITS: usize = 6;
/// The time in which a visitor who has typed the right password must enter the code.
pub const HALF_WAY: Duration = Duration::from_mins(10);

/// The second factor as the owner of its account sees it.
#[derive(Clone, Debug)]
pub struct SecondFactor {
    pub since: Time,
    /// Number of recovery codes left.
    pub recovery: i64,
}

/// A second factor that is being set up.
#[derive(Clone)]
pub struct Setup {
    /// The secret in the form that is typed into an app.
    pub secret: String,
    /// The content of the QR code.
    pub link: String,
    /// The secret in the form that the page's form carries.
    pub sealed: String,
}

/// A code as typed.
enum Code {
    App(String),
    Recovery(String),
}

impl Code {
    fn read(text: &str) -> Result<Self, AppError> {
        let code: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '-')
            .collect();
        let is_number = code.bytes().all(|b| b.is_ascii_digit());
        match code.len() {
            CODE_DIGITS if is_number => Ok(Self::App(code)),
            RECOVERY_DIGITS if is_number => Ok(Self::Recovery(code)),
            _ => Err(invalid("code", AccountFault::CodeForm { recovery: true })),
        }
    }
}

/// The kind of code that was used up.
enum Used {
    App,
    /// With the number of codes left.
    Recovery(i64),
}

fn not_the_code() -> AppError {
    invalid("code", AccountFault::WrongCode)
}

/// The context that an account's secret is sealed for.
fn place(account: &AccountId) -> String {
    format!("second factor {account}")
}

fn seal(ring: &KeyRing, account: &AccountId, secret: &str) -> Result<String, AppError> {
    ring.seal(&place(account), secret)
        .ok_or_else(|| AppError::Internal("a second factor cannot be sealed".to_owned()))
}

fn open(ring: &KeyRing, row: &SecondFactorRow) -> Result<String, AppError> {
    let id = &row.account_id;
    ring.open(&place(id), &row.secret).ok_or_else(|| {
        AppError::Internal(format!(
            "the second factor of account {id} cannot be opened: its key is missing or it was altered"
        ))
    })
}

/// Seals again, with the current key, at most `limit` secrets that an older key has sealed; gives their number.
pub(in crate::app) fn reseal(
    conn: &mut Conn,
    ring: &KeyRing,
    limit: i64,
) -> Result<usize, AppError> {
    let found = factors::sealed_otherwise(conn, &ring.newest(), limit)?;
    for row in &found {
        let sealed = seal(ring, &row.account_id, &open(ring, row)?)?;
        factors::set_secret(conn, &row.account_id, &sealed)?;
    }
    Ok(found.len())
}

/// The maker and checker of codes, with the settings that all apps understand: SHA-1, six digits and 30 seconds. A
/// code is good for one step before and after its own.
fn totp(secret: &str) -> Result<Totp, AppError> {
    let failed = |error: &dyn std::fmt::Display| AppError::Internal(format!("a secret: {error}"));
    let secret = Secret::try_from_base32(secret).map_err(|error| failed(&error))?;
    Builder::new()
        .with_secret(secret)
        .build()
        .map_err(|error| failed(&error))
}

/// The time step that a code belongs to.
fn step(secret: &str, code: &str, now: Time) -> Result<i64, AppError> {
    let seconds = u64::try_from(now.0 / 1_000_000).unwrap_or(0);
    let step = totp(secret)?.check(code, seconds);
    step.and_then(|step| i64::try_from(step).ok())
        .ok_or_else(not_the_code)
}

/// Replaces the account's recovery codes; gives the new ones as they are typed, `1234-5678-9012`.
fn new_recovery_codes(
    conn: &mut Conn,
    key: &Key,
    account: &AccountId,
) -> Result<Vec<String>, AppError> {
    let codes: Vec<String> = (0..RECOVERY_CODES)
        .map(|_| {
            let number = rand::random_range(0..1_000_000_000_000_u64);
            format!("{number:0RECOVERY_DIGITS$}")
        })
        .collect();
    let hashes: Vec<String> = codes
        .iter()
        .map(|code| key.mac(RECOVERY, &[&account.0, code]))
        .collect();
    factors::set_recovery_codes(conn, account, &hashes)?;
    let typed = |code: &String| format!("{}-{}-{}", &code[..4], &code[4..8], &code[8..]);
    Ok(codes.iter().map(typed).collect())
}

/// The keys that codes are checked with.
#[derive(Clone)]
struct Keys {
    key: Key,
    ring: std::sync::Arc<KeyRing>,
}

impl Keys {
    /// Uses a code up.
    fn use_code(
        &self,
        conn: &mut Conn,
        account: &AccountId,
        code: &Code,
        now: Time,
    ) -> Result<Used, AppError> {
        let row = factors::find(conn, account)?.ok_or_else(is_off)?;
        match code {
            Code::App(code) => {
                let step = step(&open(&self.ring, &row)?, code, now)?;
                if !factors::use_step(conn, account, step)? {
                    return Err(not_the_code());
                }
                Ok(Used::App)
            }
            Code::Recovery(code) => {
                let hashes = self.key.macs(RECOVERY, &[&account.0, code]);
                if !factors::use_recovery_code(conn, account, &hashes)? {
                    return Err(not_the_code());
                }
                Ok(Used::Recovery(factors::count_recovery_codes(
                    conn, account,
                )?))
            }
        }
    }
}

fn is_off() -> AppError {
    AppError::Forbidden(NotAllowed::SecondFactorIsOff)
}

impl App {
    fn keys(&self) -> Keys {
        Keys {
            key: self.key.clone(),
            ring: self.ring.clone(),
        }
    }

    /// The viewer's second factor, if it is on.
    pub async fn second_factor(&self, viewer: &Viewer) -> Result<Option<SecondFactor>, AppError> {
        let id = viewer.id.clone();
        self.read(move |conn| {
            let Some(row) = factors::find(conn, &id)? else {
                return Ok(None);
            };
            Ok::<_, AppError>(Some(SecondFactor {
                since: row.created_at,
                recovery: factors::count_recovery_codes(conn, &id)?,
            }))
        })
        .await
    }

    /// Begins the setup of a second factor: with a new secret, or with the one that a form carried.
    pub fn set_up_second_factor(&self, viewer: &Viewer, sealed: &str) -> Result<Setup, AppError> {
        viewer.require_adult_account()?;
        let secret = if sealed.is_empty() {
            Secret::from(rand::random::<[u8; 20]>()).to_base32()
        } else {
            self.ring
                .open(&place(&viewer.id), sealed)
                .ok_or_else(gone)?
        };
        Ok(Setup {
            sealed: seal(&self.ring, &viewer.id, &secret)?,
            link: format!(
                "otpauth://totp/Perplex:{}?secret={secret}&issuer=Perplex",
                viewer.name
            ),
            secret,
        })
    }

    /// Switches the second factor on that was set up, once its first code is right. Ends the other sessions, which
    /// began without it. Gives this session's new token, and the recovery codes.
    pub async fn switch_second_factor_on(
        &self,
        viewer: &Viewer,
        password: &str,
        setup: &Setup,
        code: &str,
        visitor: &Visitor,
    ) -> Result<(String, Vec<String>), AppError> {
        let account = self.row_with(viewer, "password", password).await?;
        let Code::App(code) = Code::read(code)? else {
            return Err(invalid("code", AccountFault::CodeForm { recovery: false }));
        };
        let now = self.now();
        let row = SecondFactorRow {
            account_id: account.id.clone(),
            secret: setup.sealed.clone(),
            last_step: step(&setup.secret, &code, now)?,
            created_at: now,
        };
        let mail = Notice::SecondFactorOn.to(&account, visitor);
        let (key, session, token) = (self.key.clone(), viewer.session.clone(), random_token());
        let hash = hash_token(&token);
        let codes = self
            .write(move |conn| {
                // First: a session that ends at this moment switches nothing on, and none begins by the password alone.
                if !rows::hold(conn, &account)?
                    || !rows::renew_session(conn, &session, &hash, Some(now))?
                {
                    return Err(AppError::SignIn);
                }
                if !factors::insert(conn, &row)? {
                    return Err(AppError::Forbidden(NotAllowed::SecondFactorIsOn));
                }
                let codes = new_recovery_codes(conn, &key, &account.id)?;
                rows::end_other_sessions(conn, &account.id, &session)?;
                notify(conn, vec![mail], now)?;
                Ok(codes)
            })
            .await?;
        self.outbox.notify_one();
        Ok((token, codes))
    }

    /// Counts a guess at a code, wherever one is asked for. `entered` is true where a code of this second factor was
    /// entered before: on such a device, or in a session, none of which is older than the second factor.
    fn count_code(&self, factor: &SecondFactorRow, entered: bool) -> Result<(), AppError> {
        let tried = if entered {
            Tried::CodeWhereOneWasEntered
        } else {
            Tried::Code
        };
        let tried = tried(&factor.account_id, factor.created_at);
        count(&self.limits.code_account, &tried.key())
    }

    /// Uses up a code of an account that has a second factor; without one, nothing is asked for.
    pub(super) async fn use_code_of(
        &self,
        account: &AccountRow,
        code: &str,
    ) -> Result<(), AppError> {
        let Some(factor) = self.factor_of(account).await? else {
            return Ok(());
        };
        let code = Code::read(code)?;
        self.count_code(&factor, true)?;
        let (keys, id, now) = (self.keys(), account.id.clone(), self.now());
        self.write(move |conn| keys.use_code(conn, &id, &code, now))
            .await?;
        Ok(())
    }

    /// Changes the viewer's second factor, which needs the password and a code.
    async fn with_code<T: Send + 'static>(
        &self,
        viewer: &Viewer,
        password: &str,
        code: &str,
        change: impl FnOnce(&mut Conn, &AccountRow) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let code = Code::read(code);
        let account = self.row_with(viewer, "password", password).await?;
        let code = code?;
        self.count_code(&self.factor_of(&account).await?.ok_or_else(is_off)?, true)?;
        let (keys, now) = (self.keys(), self.now());
        self.write(move |conn| {
            // The owner may have got the account back since the password was checked.
            if !rows::hold(conn, &account)? {
                return Err(AppError::SignIn);
            }
            keys.use_code(conn, &account.id, &code, now)?;
            change(conn, &account)
        })
        .await
    }

    /// Replaces the recovery codes by ten new ones.
    pub async fn renew_recovery_codes(
        &self,
        viewer: &Viewer,
        password: &str,
        code: &str,
    ) -> Result<Vec<String>, AppError> {
        let key = self.key.clone();
        self.with_code(viewer, password, code, move |conn, account| {
            new_recovery_codes(conn, &key, &account.id)
        })
        .await
    }

    pub async fn switch_second_factor_off(
        &self,
        viewer: &Viewer,
        password: &str,
        code: &str,
        visitor: &Visitor,
    ) -> Result<(), AppError> {
        let (visitor, now) = (visitor.clone(), self.now());
        self.with_code(viewer, password, code, move |conn, account| {
            factors::forget(conn, &account.id)?;
            let mail = Notice::SecondFactorOff.to(account, &visitor);
            notify(conn, vec![mail], now)?;
            Ok(())
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Switches off the second factor of an owner who has lost device and recovery codes, and tells the owner;
    /// `false` if it was off. The caller has made sure that an admin wants it.
    pub(in crate::app) async fn remove_second_factor(
        &self,
        account: AccountRow,
    ) -> Result<bool, AppError> {
        let now = self.now();
        let removed = self
            .write(move |conn| {
                let removed = factors::forget(conn, &account.id)?;
                if removed {
                    let mail = Notice::SecondFactorRemoved.to(&account, &Visitor::default());
                    notify(conn, vec![mail], now)?;
                }
                Ok::<_, AppError>(removed)
            })
            .await?;
        self.outbox.notify_one();
        Ok(removed)
    }

    async fn factor_of(&self, account: &AccountRow) -> Result<Option<SecondFactorRow>, AppError> {
        let id = account.id.clone();
        self.read(move |conn| Ok::<_, AppError>(factors::find(conn, &id)?))
            .await
    }

    /// A token that proves the right password was typed; `None` if the account has no second factor.
    pub(super) async fn half_way(&self, account: &AccountRow) -> Result<Option<String>, AppError> {
        let until = self.now() + HALF_WAY;
        Ok(self.factor_of(account).await?.map(|_| {
            self.key
                .seal("code", &account.id.0, &credentials(account), until)
        }))
    }

    /// Signs in with the code that was asked for after the password; gives the token of the new session.
    pub async fn sign_in_with_code(
        &self,
        half_way: &str,
        code: &str,
        visitor: &Visitor,
    ) -> Result<String, AppError> {
        let account =
            self.sealed("code", half_way, credentials)
                .await
                .map_err(|error| match error {
                    AppError::Forbidden(_) => AppError::Forbidden(NotAllowed::LateCode),
                    error => error,
                })?;
        let code = Code::read(code)?;
        let factor = self.factor_of(&account).await?.ok_or_else(is_off)?;
        self.count_code(&factor, self.code_was_entered(visitor, &factor))?;
        let (keys, now) = (self.keys(), self.now());
        let (owner, from) = (account.clone(), visitor.clone());
        self.write(move |conn| {
            if let Used::Recovery(left) = keys.use_code(conn, &owner.id, &code, now)? {
                let mail = Notice::RecoveryCode { left }.to(&owner, &from);
                notify(conn, vec![mail], now)?;
            }
            Ok::<_, AppError>(())
        })
        .await?;
        self.outbox.notify_one();
        let begun = self.welcome(&account, true, visitor).await?;
        begun.ok_or(AppError::Forbidden(NotAllowed::LateCode))
    }
}
