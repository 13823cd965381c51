//! The mails that an account wants, and their times; changed in the account, or by the links of a mail.

use super::{AccountFault, NO_INVITATIONS};
use crate::address;
use crate::app::listed::ListedMatch;
use crate::app::mail_kind::MailKind;
use crate::app::{App, AppError, Viewer, invalid};
use crate::secret::Key;
use crate::store::accounts::{self as rows, AccountRow};
use crate::store::mail_settings::{MailSettings, QuietHours};
use crate::store::matches;
use crate::store::{members, muted_matches, unwanted_mail};
use perplex_matches::id::{AccountId, MatchId};

/// The quiet hours that a form names: both hours of the day, or none.
pub fn quiet_hours(from: &str, to: &str) -> Result<Option<QuietHours>, AppError> {
    let hour = |text: &str| text.trim().parse::<u8>().ok().filter(|hour| *hour < 24);
    match (from.trim(), to.trim()) {
        ("", "") => Ok(None),
        (from, to) => match (hour(from), hour(to)) {
            (Some(from), Some(to)) if from != to => Ok(Some(QuietHours { from, to })),
            _ => Err(invalid("quiet", AccountFault::QuietHours)),
        },
    }
}

/// Without words and choices that there are not.
fn known(mut settings: MailSettings) -> MailSettings {
    settings.when.retain(|key, when| {
        MailKind::find(key).is_some_and(|kind| kind.is_optional() && kind.choices().contains(when))
    });
    settings
}

/// A match, and whether an account wants no mail about it.
#[derive(Clone, Debug)]
pub struct MailAbout {
    pub of: ListedMatch,
    pub muted: bool,
}

/// An address to which mail was refused.
#[derive(Clone, Debug)]
pub struct RefusedMail {
    pub address: String,
    /// In the words of the mail server.
    pub why: String,
}

/// The links of mails to an address end when the account has another one, or is deleted.
fn address(account: &AccountRow) -> String {
    account.email.clone().unwrap_or_default()
}

impl App {
    /// The viewer's address, if a mail server has refused mail to it, and why.
    pub async fn refused_mail(&self, viewer: &Viewer) -> Result<Option<RefusedMail>, AppError> {
        let id = viewer.id.clone();
        let refused = self.read(move |conn| rows::refusal(conn, &id)).await?;
        Ok(refused.map(|(email, why)| RefusedMail {
            address: address::shown(&email),
            why,
        }))
    }

    pub async fn set_mail(&self, viewer: &Viewer, settings: MailSettings) -> Result<(), AppError> {
        self.write_mail(viewer.id.clone(), settings).await
    }

    async fn write_mail(&self, id: AccountId, settings: MailSettings) -> Result<(), AppError> {
        let settings = known(settings);
        self.write(move |conn| rows::set_mail(conn, &id, &settings))
            .await
    }

    /// The account whose settings the link of a mail is for.
    pub async fn mail_by_link(&self, token: &str) -> Result<AccountRow, AppError> {
        self.sealed("mail-settings", token, address).await
    }

    pub async fn set_mail_by_link(
        &self,
        token: &str,
        settings: MailSettings,
    ) -> Result<(), AppError> {
        let account = self.mail_by_link(token).await?;
        self.write_mail(account.id, settings).await
    }

    /// True if an account gets mail about a match that it takes part in or hosts.
    pub async fn mail_about(
        &self,
        account: &AccountId,
        id: &MatchId,
    ) -> Result<MailAbout, AppError> {
        let (account, id) = (account.clone(), id.clone());
        self.read(move |conn| {
            let row = matches::find(conn, &id)?.ok_or(AppError::NotFound)?;
            let members = members::of_match(conn, &id)?;
            let takes_part = members
                .iter()
                .any(|member| member.active && member.account_id.as_ref() == Some(&account));
            if !takes_part && !row.hosts(conn)?.contains(&account) {
                return Err(AppError::NotFound);
            }
            let muted = muted_matches::of_match(conn, &id)?.contains(&account);
            let of = row.into();
            Ok(MailAbout { of, muted })
        })
        .await
    }

    /// Switches the mail about one match off or on.
    pub async fn set_mail_about(
        &self,
        account: &AccountId,
        id: &MatchId,
        muted: bool,
    ) -> Result<(), AppError> {
        self.mail_about(account, id).await?;
        let (account, id) = (account.clone(), id.clone());
        self.write(move |conn| muted_matches::set(conn, &id, &account, muted))
            .await
    }

    /// The kinds of mail that a link switches off; none for invitations to an address without an account.
    pub async fn mail_to_switch_off(&self, token: &str) -> Result<Vec<MailKind>, AppError> {
        if self.key.open(NO_INVITATIONS, token, "", self.now()) {
            return Ok(Vec::new());
        }
        self.account_and_kinds(token).await.map(|(_, kinds)| kinds)
    }

    /// The account, and the kinds of its mail, that a link is about.
    async fn account_and_kinds(
        &self,
        token: &str,
    ) -> Result<(AccountRow, Vec<MailKind>), AppError> {
        let account = self.sealed("mail-off", token, address).await?;
        let (_, keys) = Key::subject(token)
            .and_then(|subject| subject.split_once('/'))
            .unwrap_or_default();
        let kinds = keys.split(',').filter_map(MailKind::find);
        let kinds: Vec<MailKind> = kinds.filter(|kind| kind.is_optional()).collect();
        if kinds.is_empty() {
            return Err(AppError::NotFound);
        }
        Ok((account, kinds))
    }

    /// Switches off the mails that the link is about, and gives their kinds; none for invitations to an address
    /// without an account, which nobody can switch on again.
    pub async fn mail_off(&self, token: &str) -> Result<Vec<MailKind>, AppError> {
        if self.key.open(NO_INVITATIONS, token, "", self.now()) {
            let address = Key::subject(token).unwrap_or_default().to_owned();
            self.write(move |conn| unwanted_mail::insert(conn, &address))
                .await?;
            return Ok(Vec::new());
        }
        let (account, kinds) = self.account_and_kinds(token).await?;
        let off = |settings: MailSettings, kind: &MailKind| settings.without(kind.key());
        let settings = kinds.iter().fold(account.mail, off);
        self.write_mail(account.id, settings).await?;
        Ok(kinds)
    }
}
