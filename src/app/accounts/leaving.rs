//! Deleting an account, and what becomes of its matches and classes.

use super::typed::Typed;
use crate::app::team::TeamAccess;
use crate::app::{App, AppError, Viewer, classes};
use crate::store::{MatchKind, accounts as rows, former_names, matches};
use perplex_matches::correspondence::{Command, Phase};
use perplex_matches::id::MatchId;
use perplex_matches::team::{Command as TeamCommand, Phase as TeamPhase};

impl App {
    /// Deletes the viewer's account. Running matches are resigned or called off; finished ones stay, under "deleted
    /// player".
    pub async fn delete_account(
        &self,
        viewer: &Viewer,
        typed: impl Into<Typed<'_>>,
    ) -> Result<(), AppError> {
        self.row_proved(viewer, "password", typed.into()).await?;
        let id = viewer.id.clone();
        let running = self
            .read(move |conn| matches::unfinished(conn, MatchKind::Correspondence, &id))
            .await?;
        for id in running {
            self.leave(viewer, &id).await?;
        }
        self.leave_teams(viewer).await?;
        let (id, now) = (viewer.id.clone(), self.now());
        let former = self.former_name(&self.row(viewer).await?.name, None);
        self.write(move |conn| {
            classes::leave_classes(conn, &id)?;
            // Else the next visitor could pass for whoever has just left.
            former_names::keep(conn, &former, &id, now)?;
            Ok::<_, AppError>(rows::delete(conn, &id, now)?)
        })
        .await
    }

    /// Takes the viewer out of all team matches. A match that the viewer hosts ends if it is being played, as no
    /// other person could decide a dispute in it, and is called off if it has not begun.
    async fn leave_teams(&self, viewer: &Viewer) -> Result<(), AppError> {
        let id = viewer.id.clone();
        let unfinished = self
            .read(move |conn| matches::unfinished(conn, MatchKind::Team, &id))
            .await?;
        let access = TeamAccess {
            account: Some(viewer.clone()),
            ..TeamAccess::default()
        };
        for id in unfinished {
            let view = match self.load_team_match(&access, &id, None).await {
                Ok(view) => view,
                // Invited to a match that only its link shows: an invitation goes with the account.
                Err(AppError::NotFound | AppError::Forbidden(_)) => {
                    self.decline_team(&access, &id).await?;
                    continue;
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
                continue;
            };
            match self.act_in_team(&access, &id, command).await {
                // It ended in between, or the host has removed the viewer.
                Ok(_) | Err(AppError::RefusedInTeam(..)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
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
