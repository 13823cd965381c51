//! From mails that are due to what they tell now. Secrets are made here and stored nowhere.

use super::about_account::{about_account, class_offer};
use super::about_match::{invitation, match_news};
use super::about_team::{
    all_that_waits, team_declined, team_invitation, team_news, team_state, team_talk, team_turn,
};
use super::row::{Context, Payload, TOLD, Unsent, match_of, missing};
use super::{Content, DueMail, Failure, Mail, Off, Outcome};
use crate::app::accounts::{NO_INVITATIONS, unwanted};
use crate::app::lifetimes::MAIL_SETTINGS_LINK;
use crate::app::mail_kind::{AccountMail, MailKind};
use crate::app::notifications::out_of_quiet;
use crate::app::{App, AppError};
use crate::store::accounts::AccountRow;
use crate::store::outbox::MailRow;
use crate::store::{Conn, StoreError, accounts, muted_matches, unwanted_mail};
use perplex_matches::correspondence::notice::MailKind as MatchMail;
use perplex_matches::team::notice::MailKind as TeamMail;

impl App {
    /// What mails that were leased together tell as one mail, and what becomes of each once that is sent.
    pub async fn read_mails(
        &self,
        mails: Vec<DueMail>,
    ) -> Result<(Option<Mail>, Vec<Outcome>), AppError> {
        let context = Context::of(self);
        self.read(move |conn| Ok::<_, StoreError>(together(conn, &context, &mails)))
            .await
    }
}

/// True if it is about a match that its reader takes part in, whose mails alone can be switched off.
const fn can_be_muted(kind: MailKind) -> bool {
    match kind {
        MailKind::Match(kind) => !matches!(kind, MatchMail::Challenge),
        MailKind::Team(kind) => !matches!(kind, TeamMail::Invitation | TeamMail::Waiting),
        MailKind::Account(_) | MailKind::Invitation | MailKind::ClassOffer => false,
    }
}

/// What a mail tells, and the last event of a team match until which it tells its reader what happened.
fn load(conn: &mut Conn, context: &Context, row: &MailRow) -> Result<(Mail, Option<i32>), Unsent> {
    let (key, now) = (&context.key, context.now);
    let payload: Payload = serde_json::from_str(&row.payload)
        .map_err(|error| Unsent::Bad(format!("the payload is not understood: {error}")))?;
    let kind = MailKind::find(&row.kind)
        .ok_or_else(|| Unsent::Bad(format!("no kind of mail is called {}", row.kind)))?;
    let account = match &row.account_id {
        Some(id) => match accounts::find(conn, id)? {
            Some(account) if account.deleted_at.is_none() => Some(account),
            _ => return Err(Unsent::Needless("the account was deleted")),
        },
        None => None,
    };
    let off = match &account {
        Some(account) if kind.is_optional() => {
            if account.mail.is_off(&row.kind) {
                return Err(Unsent::Needless("mails of this kind are switched off"));
            }
            if let Some(id) = &row.match_id
                && muted_matches::of_match(conn, id)?.contains(&account.id)
            {
                return Err(Unsent::Needless(
                    "its reader wants no mail about this match",
                ));
            }
            let awake = out_of_quiet(now, account.mail.quiet, account.preferences.zone());
            if awake > now {
                return Err(Unsent::Quiet(awake));
            }
            context.off(
                &account.id,
                account.email.as_deref().unwrap_or_default(),
                vec![kind],
                row.match_id.clone().filter(|_| can_be_muted(kind)),
            )
        }
        None if kind.is_to_strangers() => {
            let forms = unwanted(key, &row.address);
            if unwanted_mail::is_there(conn, &forms)? {
                return Err(Unsent::Needless("this address wants no invitations"));
            }
            let address = forms.first().map_or("", String::as_str);
            Off::Invitations(key.seal(NO_INVITATIONS, address, "", now + MAIL_SETTINGS_LINK))
        }
        _ => Off::Never,
    };
    // What is not about the account itself goes to the address that it has now: the one that it had may be another
    // person's.
    let to = match (kind, &account) {
        (MailKind::Account(_), _) | (_, None) => row.address.clone(),
        (_, Some(account)) => account
            .email
            .clone()
            .ok_or(Unsent::Needless("the account has no address"))?,
    };
    // What was typed at a sign-up, or by whoever moves an account to another's address, is no word to its owner.
    let is_proved = |account: &&AccountRow| {
        account.verified_at.is_some() && kind != MailKind::Account(AccountMail::ChangeAddress)
    };
    let name = account
        .as_ref()
        .filter(is_proved)
        .map_or_else(String::new, |account| account.name.clone());
    let mut told = None;
    let content = match (kind, account) {
        (MailKind::Invitation, _) => Content::Invitation(invitation(conn, context, row, payload)?),
        (MailKind::Team(TeamMail::Invitation), account) => {
            let known = account.is_some();
            Content::Team(team_invitation(conn, context, row, payload, known)?)
        }
        (_, None) => return Err(missing("an account")),
        (MailKind::Team(TeamMail::Declined), _) => {
            Content::Team(team_declined(conn, row, payload)?)
        }
        (MailKind::Match(kind), Some(reader)) => Content::Match(Box::new(match_news(
            conn, context, row, kind, &reader, payload,
        )?)),
        (MailKind::Team(TeamMail::Waiting), Some(reader)) => {
            if accounts::has_waiting_mail(conn, &reader.id, row.created_at)? {
                return Err(TOLD);
            }
            Content::Team(all_that_waits(conn, &reader, now)?)
        }
        (MailKind::Team(kind @ (TeamMail::Turn | TeamMail::News)), Some(reader)) => {
            let found = team_state(conn, &match_of(row)?, &reader)?;
            told = Some(found.reader.state.head);
            Content::Team(match kind {
                TeamMail::Turn => team_turn(conn, found, now)?,
                _ => team_news(row, found, now)?,
            })
        }
        (MailKind::Team(TeamMail::Talk), Some(reader)) => {
            let found = team_state(conn, &match_of(row)?, &reader)?;
            Content::Team(team_talk(conn, context, row, found)?)
        }
        (MailKind::ClassOffer, Some(reader)) => {
            Content::Account(class_offer(conn, payload, &reader.id)?)
        }
        (MailKind::Account(kind), Some(account)) => {
            Content::Account(about_account(context, kind, row, payload, &account)?)
        }
    };
    let is_about_one = !matches!(kind, MailKind::Team(TeamMail::Waiting));
    let thread = row.match_id.as_ref().filter(|_| is_about_one);
    let thread = thread.zip(row.account_id.as_ref());
    let mail = Mail {
        kind: kind.key(),
        thread: thread.map(|(id, account)| format!("match.{id}.{account}")),
        message_id: row.message_id.clone(),
        to,
        name,
        at: now,
        off,
        content,
    };
    Ok((mail, told))
}

/// The mail of those that were leased together, and the outcome of each once it is sent.
fn together(conn: &mut Conn, context: &Context, mails: &[DueMail]) -> (Option<Mail>, Vec<Outcome>) {
    let loaded: Vec<Result<(Mail, Option<i32>), Unsent>> = mails
        .iter()
        .map(|DueMail(row)| load(conn, context, row))
        .collect();
    let contents: Vec<Option<&Content>> = loaded
        .iter()
        .map(|one| one.as_ref().ok().map(|(mail, _)| &mail.content))
        .collect();
    let is_told = |number: usize| {
        let others = contents
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number);
        let mut others = others.filter_map(|(other, content)| Some((other, (*content)?)));
        contents[number].is_some_and(|one| {
            others.any(|(other, told)| told.tells(one) && (!one.tells(told) || other < number))
        })
    };
    let told: Vec<bool> = (0..mails.len()).map(is_told).collect();
    let mut parts = Vec::new();
    let outcomes = loaded.into_iter().zip(told).zip(mails).map(
        |((loaded, is_told), DueMail(row))| match loaded {
            Ok(_) if is_told => Outcome::TOLD_BESIDE,
            Ok((mail, told)) => {
                parts.push((row, mail));
                Outcome::Sent(told)
            }
            Err(Unsent::Needless(why)) => Outcome::Needless(why),
            Err(Unsent::Quiet(until)) => Outcome::Postponed(until),
            Err(Unsent::Store(error)) => Outcome::Failed(Failure::Later(error.to_string())),
            Err(Unsent::Bad(why)) => Outcome::Failed(Failure::Bad(why)),
        },
    );
    let outcomes = outcomes.collect();
    (one_of(parts, context), outcomes)
}

/// The one mail of these. Several are to the same account, and belong to no thread.
fn one_of(mut parts: Vec<(&MailRow, Mail)>, context: &Context) -> Option<Mail> {
    if parts.len() == 1 {
        return parts.pop().map(|(_, mail)| mail);
    }
    let mut kinds: Vec<MailKind> = Vec::new();
    for kind in parts
        .iter()
        .filter_map(|(row, _)| MailKind::find(&row.kind))
    {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let (row, first) = parts.first()?;
    let together = Mail {
        kind: "together",
        message_id: format!("together-{}", first.message_id),
        off: context.off(row.account_id.as_ref()?, &first.to, kinds, None),
        thread: None,
        ..first.clone()
    };
    let contents = parts.into_iter().map(|(_, mail)| mail.content).collect();
    let content = Content::Together(contents);
    Some(Mail {
        content,
        ..together
    })
}
