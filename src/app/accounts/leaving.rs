//! Deleting an account, and what becomes of its matches and classes.

use super::typed::Typed;
use crate::app::team::TeamAccess;
use crate::app::{App, AppError, Viewer, classes};
use crate::store::matches::unfinished;
use crate::store::{MatchKind, accounts as rows, former_names, living};
use perplex_matches::correspondence::{Command, Phase};
use perplex_matches::id::MatchId;
use perplex_matches::team::{Command as TeamCommand, Phase as TeamPhase};

/// The number of times that an account is taken out of its matches before it is deleted all the same.
const ATTEMPTS: u32 = 5;

impl App {
    /// Deletes the viewer's account. Running matches are resigned or called off; finished ones stay, under "deleted
    /// player".
    pub async fn delete_account(
        &self,
        viewer: &Viewer,
        typed: impl Into<Typed<'_>>,
    ) -> Result<(), AppError> {
        let account = self.row_proved(viewer, "password", typed.into()).await?;
        // A request that came before may take the account into a match meanwhile.
        for attempt in 1..=ATTEMPTS {
            let mut stays = Vec::new();
            for id in self.unfinished(viewer, MatchKind::Correspondence).await? {
                self.leave(viewer, &id).await?;
            }
            for id in self.unfinished(viewer, MatchKind::Team).await? {
                if !self.leave_team(viewer, &id).await? {
                    stays.push(id);
                }
            }
            let (account, now) = (account.clone(), self.now());
            let former = self.former_name(&account.name, None);
            let is_gone = self.write(move |conn| {
                living::hold(conn, &account.id)?;
                // The owner may have got the account back since the password was checked.
                if !rows::hold(conn, &account)? {
                    return Err(AppError::SignIn);
                }
                if attempt < ATTEMPTS {
                    let mut left = unfinished(conn, MatchKind::Correspondence, &account.id)?;
                    left.extend(unfinished(conn, MatchKind::Team, &account.id)?);
                    if left.iter().any(|id| !stays.contains(id)) {
                        return Ok(false);
                    }
                }
                classes::leave_classes(conn, &account.id)?;
                // Else the next visitor could pass for whoever has just left.
                former_names::keep(conn, &former, &account.id, now)?;
                rows::delete(conn, &account.id, now)?;
                Ok::<_, AppError>(true)
            });
            if is_gone.await? {
                break;
            }
        }
        Ok(())
    }

    async fn unfinished(&self, viewer: &Viewer, kind: MatchKind) -> Result<Vec<MatchId>, AppError> {
        let id = viewer.id.clone();
        self.read(move |conn| unfinished(conn, kind, &id)).await
    }

    /// Takes the viewer out of a team match; `false` if it goes on with the viewer's class. A match that the viewer hosts
    /// ends if it is being played, as no other person could decide a dispute in it, and is called off if it has not begun.
    async fn leave_team(&self, viewer: &Viewer, id: &MatchId) -> Result<bool, AppError> {
        let access = TeamAccess {
            account: Some(viewer.clone()),
            ..TeamAccess::default()
        };
        let view = match self.load_team_match(&access, id, None).await {
            Ok(view) => view,
            // Invited to a match that only its link shows: an invitation goes with the account.
            Err(AppError::NotFound | AppError::Forbidden(_)) => {
                self.decline_team(&access, id).await?;
                return Ok(true);
            }
            Err(error) => return Err(error),
        };
        let begun = view.state.phase != TeamPhase::Gathering;
        let alone = view.viewer.host && view.lesson.is_none();
        let command = if alone && begun {
            Some(TeamCommand::Stop)
        } else if alone {
            Some(TeamCommand::CallOff)
        } else {
            let member = view.viewer.member.filter(|_| view.rights.leave);
            member.map(TeamCommand::Leave)
        };
        let Some(command) = command else {
            return Ok(false);
        };
        match self.act_in_team(&access, id, command).await {
            // It ended in between, or the host has removed the viewer.
            Ok(_) | Err(AppError::RefusedInTeam(..)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn leave(&self, viewer: &Viewer, id: &MatchId) -> Result<(), AppError> {
        let state = self
            .load_correspondence_match(Some(viewer), id, None)
            .await?
            .state;
        let command = match state.phase {
            Phase::Playing => Command::Resign,
            Phase::Gathering if state.maker == viewer.id => Command::Withdraw,
            Phase::Gathering if state.invited.contains(&viewer.id) => Command::Refuse,
            Phase::Gathering => Command::Leave,
            Phase::Over => return Ok(()),
        };
        match self.act(viewer, id, None, command, "").await {
            // It ended in between.
            Ok(_) | Err(AppError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
