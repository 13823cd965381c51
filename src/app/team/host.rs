//! Acts of the host of a team match that also change data outside the journal: names, and public messages that are
//! removed.

use perplex_matches::classroom::roster;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::names::{self, isolated};
use perplex_matches::team::Command;
use perplex_matches::team::event::MemberId;

use super::lesson::account_of;
use super::{TeamAccess, TeamFault};
use crate::app::accounts::check_not_reserved;
use crate::app::{App, AppError, Fault, invalid};
use crate::store::talk::{self as talk_rows, EVERYBODY};
use crate::store::{matches, members};

impl App {
    /// Gives a member another name in this match, and a pupil everywhere in the class; does nothing if the name is
    /// the same.
    pub async fn rename_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        member: MemberId,
        name: &str,
    ) -> Result<(), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        let mut name = name.to_owned();
        if view.rights.order {
            // Forms have a name as it is displayed, with the marks that isolate its text direction: it is read without.
            name = roster::name(&name).map_err(|error| invalid("name", Fault::Name(error)))?;
            check_not_reserved(&name)?;
            // As the match displays it, so that it can be compared with the names there.
            let shown = isolated(&name);
            let key = names::key(&shown);
            let taken =
                |(id, known): (&MemberId, &String)| *id != member && names::key(known) == key;
            if view.names.iter().any(taken) {
                return Err(invalid("name", TeamFault::NameTaken));
            }
            if view.names.get(&member) == Some(&shown) {
                return Ok(());
            }
            if let (Some(lesson), Some(teacher)) = (&view.lesson, &access.account)
                && let Some(pupil) = self.pupil_behind(id, member).await?
            {
                self.rename_pupil(teacher, &lesson.class, &pupil, &name)
                    .await?;
            }
        }
        self.act_naming(access, id, Command::Rename(member), Some(name))
            .await
            .map(|_| ())
    }

    /// Replaces the links of a match: visitors who have only the old ones neither join nor watch, and pages that were
    /// opened with them end.
    pub async fn renew_team_links(
        &self,
        access: &TeamAccess,
        id: &MatchId,
    ) -> Result<(), AppError> {
        let view = self.load_team_match(access, id, None).await?;
        if !view.viewer.host {
            return Err(AppError::NotFound);
        }
        let asked = id.clone();
        self.notify_lesson(id, move |conn| Ok(matches::renew_links(conn, &asked)?))
            .await
    }

    async fn pupil_behind(
        &self,
        id: &MatchId,
        member: MemberId,
    ) -> Result<Option<AccountId>, AppError> {
        let id = id.clone();
        let members = self.read(move |conn| members::of_match(conn, &id)).await?;
        Ok(account_of(&members, member))
    }

    pub async fn remove_message_in_team(
        &self,
        access: &TeamAccess,
        id: &MatchId,
        number: i32,
    ) -> Result<(), AppError> {
        let asked = id.clone();
        let (_, row) = self
            .load_team(access, id, move |conn, _| {
                Ok(talk_rows::message(conn, &asked, EVERYBODY, number)?)
            })
            .await?;
        let by = row.ok_or(AppError::NotFound)?.by_actor;
        let by = by
            .parse()
            .map_err(|_| AppError::Internal(format!("{by:?} spoke")))?;
        self.act_in_team(access, id, Command::RemoveMessage(number, by))
            .await
            .map(|_| ())
    }
}
