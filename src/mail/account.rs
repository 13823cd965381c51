//! Mails about an account: their texts, and the data of each.

use askama::Template;

use super::page::OPEN;
use super::row::{Context, Payload, Unsent, missing};
use super::text::{ADDRESS, Line};
use crate::address;
use crate::app::accounts::credentials;
use crate::app::lifetimes::{NEW_ADDRESS_LINK, RESET_LINK, UNDO_ADDRESS_LINK, VERIFY_LINK};
use crate::app::mail_kind::{AccountMail, Notice};
use crate::secret::hash_token;
use crate::store::accounts::AccountRow;
use crate::store::outbox::MailRow;
use crate::store::{Conn, class_offers};
use crate::texts::{browser_in_mail, encode};
use perplex_matches::id::AccountId;

/// The texts, with what they say. Tokens are sealed just before and stored nowhere.
#[derive(Clone, Debug, Template)]
pub enum AccountText {
    #[template(path = "mail/verify.txt")]
    Verify { token: String },
    #[template(path = "mail/reset.txt")]
    Reset { token: String },
    /// A visitor signed up with an address that has an account.
    #[template(path = "mail/known-address.txt")]
    KnownAddress,
    #[template(path = "mail/change-address.txt")]
    ChangeAddress { token: String },
    /// The account's mails are to go to another address; this mail goes to the present one.
    #[template(path = "mail/old-address.txt")]
    OldAddress { new: Line, token: String },
    /// A security notice to the owner of an account, since the act may be another person's.
    #[template(path = "mail/notice.txt")]
    Notice {
        notice: Notice,
        when: String,
        browser: String,
    },
    /// A class is offered to a teacher, to share or to own.
    #[template(path = "mail/class-offer.txt")]
    ClassOffer {
        from: Line,
        class: Line,
        owner: bool,
    },
}

impl AccountText {
    /// The path of the page that the button opens.
    pub fn path(&self) -> String {
        let sealed = |path: &str, token: &str| format!("/{path}/{}", encode(token));
        match self {
            Self::Verify { token } => sealed("verify", token),
            Self::Reset { token } => sealed("reset", token),
            Self::KnownAddress => "/account".to_owned(),
            Self::ChangeAddress { token } => sealed("email", token),
            Self::OldAddress { token, .. } => sealed("old-address", token),
            Self::Notice { .. } => "/reset".to_owned(),
            Self::ClassOffer { .. } => "/classes".to_owned(),
        }
    }
}

pub fn about_account(
    context: &Context,
    kind: AccountMail,
    row: &MailRow,
    payload: Payload,
    account: &AccountRow,
) -> Result<AccountText, Unsent> {
    let (key, now) = (&context.key, context.now);
    // The account as it must still be, for a link to be good.
    let state = credentials(account);
    if matches!(kind, AccountMail::Reset | AccountMail::ChangeAddress)
        && hash_token(&state) != payload.state
    {
        return Err(Unsent::Needless(
            "the password or the address is another now",
        ));
    }
    let id = &account.id;
    Ok(match kind {
        AccountMail::Verify => AccountText::Verify {
            token: key.seal("verify", &id.0, &state, now + VERIFY_LINK),
        },
        AccountMail::Reset => AccountText::Reset {
            token: key.seal("reset", &id.0, &state, now + RESET_LINK),
        },
        AccountMail::ChangeAddress => {
            let new = payload.email.unwrap_or_else(|| row.address.clone());
            AccountText::ChangeAddress {
                token: key.seal(
                    "email",
                    &format!("{id}/{new}"),
                    &state,
                    now + NEW_ADDRESS_LINK,
                ),
            }
        }
        AccountMail::OldAddress => {
            let subject = format!("{id}/{}", payload.undo);
            AccountText::OldAddress {
                new: Line::new(
                    &payload
                        .email
                        .map_or_else(|| "another address".to_owned(), |new| address::shown(&new)),
                    ADDRESS,
                ),
                token: key.seal("undo", &subject, "", now + UNDO_ADDRESS_LINK),
            }
        }
        AccountMail::Notice(notice) => AccountText::Notice {
            notice: notice.with_left(payload.left),
            when: row.created_at.local(account.preferences.zone()),
            browser: browser_in_mail(&payload.agent),
        },
        AccountMail::KnownAddress => AccountText::KnownAddress,
    })
}

pub fn class_offer(
    conn: &mut Conn,
    payload: Payload,
    reader: &AccountId,
) -> Result<AccountText, Unsent> {
    let id = payload.class.ok_or_else(|| missing("a class"))?;
    let offers = class_offers::of_account(conn, reader)?;
    let offer = offers.into_iter().find(|(row, ..)| row.class_id.0 == id);
    let (row, class, from) =
        offer.ok_or(Unsent::Needless("the offer was answered or taken back"))?;
    Ok(AccountText::ClassOffer {
        from: Line::name(&from),
        class: Line::name(&class),
        owner: row.owner,
    })
}
