//! What mails about an account tell.

use chrono_tz::Tz;

use super::row::{Context, Payload, Unsent, missing};
use crate::address;
use crate::app::accounts::credentials;
use crate::app::lifetimes::{NEW_ADDRESS_LINK, RESET_LINK, UNDO_ADDRESS_LINK, VERIFY_LINK};
use crate::app::mail_kind::{AccountMail, Notice};
use crate::secret::hash_token;
use crate::store::accounts::AccountRow;
use crate::store::outbox::MailRow;
use crate::store::{Conn, class_offers};
use perplex_matches::id::AccountId;
use perplex_matches::time::Time;

/// Tokens are sealed just before and stored nowhere.
#[derive(Clone, Debug)]
pub enum AboutAccount {
    Verify {
        token: String,
    },
    Reset {
        token: String,
    },
    /// A visitor signed up with an address that has an account.
    KnownAddress,
    ChangeAddress {
        token: String,
    },
    /// The account's mails are to go to another address; this mail goes to the present one.
    OldAddress {
        /// `None` in rows of versions that did not keep it.
        new: Option<String>,
        token: String,
    },
    /// A security notice to the owner of an account, since the act may be another person's.
    Notice {
        notice: Notice,
        at: Time,
        zone: Tz,
        /// The User-Agent of the visitor who did it.
        agent: String,
    },
    /// A class is offered to a teacher, to share or to own.
    ClassOffer {
        from: String,
        class: String,
        owner: bool,
    },
}

pub fn about_account(
    context: &Context,
    kind: AccountMail,
    row: &MailRow,
    payload: Payload,
    account: &AccountRow,
) -> Result<AboutAccount, Unsent> {
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
        AccountMail::Verify => AboutAccount::Verify {
            token: key.seal("verify", &id.0, &state, now + VERIFY_LINK),
        },
        AccountMail::Reset => AboutAccount::Reset {
            token: key.seal("reset", &id.0, &state, now + RESET_LINK),
        },
        AccountMail::ChangeAddress => {
            let new = payload.email.unwrap_or_else(|| row.address.clone());
            AboutAccount::ChangeAddress {
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
            AboutAccount::OldAddress {
                new: payload.email.map(|new| address::shown(&new)),
                token: key.seal("undo", &subject, "", now + UNDO_ADDRESS_LINK),
            }
        }
        AccountMail::Notice(notice) => AboutAccount::Notice {
            notice: notice.with_left(payload.left),
            at: row.created_at,
            zone: account.preferences.zone(),
            agent: payload.agent,
        },
        AccountMail::KnownAddress => AboutAccount::KnownAddress,
    })
}

pub fn class_offer(
    conn: &mut Conn,
    payload: Payload,
    reader: &AccountId,
) -> Result<AboutAccount, Unsent> {
    let id = payload.class.ok_or_else(|| missing("a class"))?;
    let offers = class_offers::of_account(conn, reader)?;
    let offer = offers.into_iter().find(|(row, ..)| row.class_id.0 == id);
    let (row, class, from) =
        offer.ok_or(Unsent::Needless("the offer was answered or taken back"))?;
    Ok(AboutAccount::ClassOffer {
        from,
        class,
        owner: row.owner,
    })
}
