//! The teachers of a class: it is offered to another teacher, to share or to own, and nothing changes before they
//! accept.

use serde_json::json;

use super::super::{App, AppError, NotAllowed, Viewer, computer, invalid};
use super::manage::{owned, renew_lessons};
use super::{ClassFault, MOST_CLASSES};
use crate::app::accounts::AccountFault;
use crate::app::mail_kind::MailKind;
use crate::app::notifications::{Notification, notify};
use crate::store::Conn;
use crate::store::accounts::{self as account_rows, AccountRow};
use crate::store::class_offers::{self, OfferRow};
use crate::store::classes::{self as rows, TeacherRow};
use perplex_matches::id::{AccountId, ClassId};
use perplex_matches::time::Time;

/// Number of offers of one class that may wait for an answer.
const MOST_OFFERS: usize = 20;

/// A class that is offered to the viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassOffer {
    pub id: ClassId,
    pub name: String,
    /// Its owner, who offers it.
    pub from: String,
    /// True if it is offered to own, false if to share.
    pub owner: bool,
}

/// Writes an offer and its mail; an offer that is there already is not written again.
fn offer(conn: &mut Conn, row: &OfferRow, now: Time) -> Result<(), AppError> {
    if !class_offers::insert(conn, row)? {
        return Ok(());
    }
    let told = Notification::to_account(MailKind::ClassOffer, &row.account_id)
        .with(json!({ "class": row.class_id.0 }));
    notify(conn, vec![told], now)?;
    Ok(())
}

fn is_teacher(account: &AccountRow) -> bool {
    account.verified_at.is_some()
        && account.class_id.is_none()
        && computer::find(&account.id).is_none()
}

impl App {
    /// Offers a class to the teacher of this name, to share it.
    pub async fn offer_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        name: &str,
    ) -> Result<(), AppError> {
        self.require_proof(teacher)?;
        let (name, now) = (name.trim().to_owned(), self.now());
        let asked = name.clone();
        let found = self
            .read(move |conn| account_rows::find_by_name(conn, &asked))
            .await?
            .filter(is_teacher);
        if let Some(other) = &found {
            self.count_invitation(&teacher.id, &other.id)?;
        }
        self.change_owned(teacher, id, move |conn, row| {
            let Some(other) = found else {
                return Err(invalid("teacher", AccountFault::NoPlayer(name)));
            };
            if rows::find_taught(conn, &row.id, &other.id)?.is_some() {
                return Err(invalid("teacher", ClassFault::TeachesAlready(other.name)));
            }
            let waiting = class_offers::of_class(conn, &row.id)?;
            if waiting
                .iter()
                .any(|(offer, _)| offer.account_id == other.id)
            {
                return Err(invalid("teacher", ClassFault::OfferedAlready(other.name)));
            }
            if waiting.len() >= MOST_OFFERS {
                return Err(invalid("teacher", ClassFault::ManyOffers));
            }
            let row = OfferRow {
                class_id: row.id,
                account_id: other.id,
                owner: false,
            };
            offer(conn, &row, now)
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }

    /// Offers the ownership of a class to a teacher who shares it already.
    pub async fn hand_over_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        other: &AccountId,
    ) -> Result<(), AppError> {
        self.require_proof(teacher)?;
        let (other, now) = (other.clone(), self.now());
        self.count_invitation(&teacher.id, &other)?;
        self.change_owned(teacher, id, move |conn, row| {
            let (_, theirs) =
                rows::find_taught(conn, &row.id, &other)?.ok_or(AppError::NotFound)?;
            if theirs.owner {
                return Ok(());
            }
            let row = OfferRow {
                class_id: row.id,
                account_id: other,
                owner: true,
            };
            offer(conn, &row, now)
        })
        .await?;
        self.outbox.notify_one();
        Ok(())
    }

    pub async fn take_back_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        other: &AccountId,
    ) -> Result<(), AppError> {
        let other = other.clone();
        self.change_owned(teacher, id, move |conn, row| {
            let offer = class_offers::take(conn, &row.id, &other)?;
            offer.map(drop).ok_or(AppError::NotFound)
        })
        .await
    }

    /// The classes that are offered to the viewer.
    pub async fn class_offers(&self, viewer: &Viewer) -> Result<Vec<ClassOffer>, AppError> {
        let id = viewer.id.clone();
        let found = self
            .read(move |conn| class_offers::of_account(conn, &id))
            .await?;
        let offers = found.into_iter().map(|(row, name, from)| ClassOffer {
            id: row.class_id,
            name,
            from,
            owner: row.owner,
        });
        Ok(offers.collect())
    }

    pub async fn accept_class(&self, viewer: &Viewer, id: &ClassId) -> Result<(), AppError> {
        viewer.require_adult_account()?;
        let (me, id, now) = (viewer.id.clone(), id.clone(), self.now());
        self.write(move |conn| {
            let offer = class_offers::take(conn, &id, &me)?.ok_or(AppError::NotFound)?;
            if offer.owner {
                rows::set_owner(conn, &id, &me)?;
            } else {
                if rows::of_teacher(conn, &me)?.len() >= MOST_CLASSES {
                    return Err(AppError::Forbidden(NotAllowed::ManyClasses));
                }
                let sharing = TeacherRow {
                    class_id: id.clone(),
                    account_id: me,
                    owner: false,
                };
                rows::add_teacher(conn, &sharing)?;
            }
            Ok(rows::touch(conn, &id, now)?)
        })
        .await
    }

    pub async fn decline_class(&self, viewer: &Viewer, id: &ClassId) -> Result<(), AppError> {
        let (me, id) = (viewer.id.clone(), id.clone());
        self.write(move |conn| {
            let offer = class_offers::take(conn, &id, &me)?;
            offer.map(drop).ok_or(AppError::NotFound)
        })
        .await
    }

    /// Ends the share of a teacher in a class: the owner may do that, and the teacher who shares it.
    pub async fn unshare_class(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        other: &AccountId,
    ) -> Result<(), AppError> {
        self.require_proof(teacher)?;
        let (me, other) = (teacher.id.clone(), other.clone());
        let lessons = self.change_class(teacher, id, move |conn, row| {
            if me != other {
                owned(conn, &row.id, &me)?;
            }
            if !rows::remove_teacher(conn, &row.id, &other)? {
                return Err(AppError::NotFound);
            }
            class_offers::take(conn, &row.id, &other)?;
            renew_lessons(conn, &row.id)
        });
        for lesson in lessons.await? {
            self.notify_lesson(&lesson.id, |_| Ok(())).await?;
        }
        Ok(())
    }
}
