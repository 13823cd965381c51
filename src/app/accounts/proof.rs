//! What was typed once more before something dangerous.

use super::typed::Typed;
use crate::app::{App, AppError, Viewer};
use crate::store::accounts::{self as rows, AccountRow};

impl App {
    /// The row of the viewer's account, if what was typed is right; `field` is that of the password.
    pub(super) async fn row_proved(
        &self,
        viewer: &Viewer,
        field: &'static str,
        typed: Typed<'_>,
    ) -> Result<AccountRow, AppError> {
        let account = self.row_with(viewer, field, typed.password).await?;
        self.use_code_of(&account, typed.code).await?;
        Ok(account)
    }

    /// Checks the password once more, and a code if there is a second factor, for dangerous actions.
    pub async fn prove(
        &self,
        viewer: &Viewer,
        typed: impl Into<Typed<'_>>,
    ) -> Result<(), AppError> {
        viewer.require_adult_account()?;
        self.row_proved(viewer, "proof", typed.into()).await?;
        let (session, now) = (viewer.session.clone(), self.now());
        self.write(move |conn| rows::prove_session(conn, &session, now))
            .await
    }
}
