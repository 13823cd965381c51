use std::sync::Arc;

use super::act::{enqueue_notices, row_of, set_people};
use super::new_id;
use crate::app::accounts::AccountFault;
use crate::app::aggregate::StoredMatch as _;
use crate::app::computer::{self, Computer};
use crate::app::limits::count;
use crate::app::mail_kind::MailKind;
use crate::app::{App, AppError, Fault, Viewer, invalid};
use crate::store::{accounts as account_rows, journal, matches};
use perplex_games::player::Level;
use perplex_games::registry;
use perplex_matches::correspondence::MOST_DAYS;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::correspondence::policy::rights;
use perplex_matches::correspondence::{self, Command, Match};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::journal::Aggregate as _;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opponent {
    Anyone,
    Named(String),
    ByLink,
    ByMail(String),
    Computer(Level),
}

#[derive(Clone, Debug)]
pub struct NewMatch {
    pub terms: Terms,
    /// The key of the seat that its maker takes; `None` leaves it to chance.
    pub wish: Option<String>,
    pub opponent: Opponent,
}

impl NewMatch {
    /// A match to be played at once, with as much time as there is; its maker moves first.
    pub fn against_computer(game: &str, variant: &str, level: Level) -> Self {
        let setup = registry::find(game).and_then(|entry| entry.setup(variant));
        let first = setup.and_then(|game| game.seats().first());
        Self {
            terms: Terms {
                game: game.to_owned(),
                variant: variant.to_owned(),
                days: MOST_DAYS,
                open: false,
            },
            wish: first.map(|seat| seat.key.to_owned()),
            opponent: Opponent::Computer(level),
        }
    }
}

impl App {
    pub async fn create(&self, viewer: &Viewer, wanted: NewMatch) -> Result<MatchId, AppError> {
        viewer.require_adult_account()?;
        self.begin_match(&viewer.id, wanted).await
    }

    /// Makes a match in the name of an account.
    pub(in crate::app) async fn begin_match(
        &self,
        maker: &AccountId,
        wanted: NewMatch,
    ) -> Result<MatchId, AppError> {
        count(&self.limits.create_account, &maker.0)?;
        let now = self.now();
        let id = new_id();
        let mut terms = wanted.terms;
        terms.open = wanted.opponent == Opponent::Anyone;
        let mut challenge = None;
        let mut invitation = None;
        let mut computers: Vec<&Computer> = Vec::new();
        match &wanted.opponent {
            Opponent::Anyone | Opponent::ByLink => {}
            Opponent::Named(name) => {
                let account = self.player_called("opponent", name).await?;
                match computer::find(&account) {
                    Some(computer) => computers.push(computer),
                    None => challenge = Some(account),
                }
            }
            Opponent::Computer(level) => computers.extend(computer::of_level(*level)),
            Opponent::ByMail(address) => {
                invitation = Some(self.invitation_to(
                    maker,
                    &id,
                    MailKind::Invitation,
                    "opponent",
                    address,
                )?);
            }
        }
        let challenged = challenge.clone();
        let mut events = correspondence::create(maker, terms, wanted.wish, challenged, now)
            .map_err(|error| invalid("terms", Fault::Terms(error)))?;
        if let Some(account) = &challenge {
            self.count_invitation(maker, account)?;
        }
        let mut state = Match::replay(&events)?;
        let wanting = state.game.seats().len() - state.joined.len();
        for computer in computers.into_iter().take(wanting) {
            let join = Command::Join {
                wish: None,
                by_link: true,
            };
            let joined = state.decide(&computer.id, &join, now, rand::random())?;
            for event in &joined {
                state.apply(event)?;
            }
            events.extend(joined);
        }
        let state = Arc::new(state);
        let (new, written) = (id.clone(), Arc::clone(&state));
        let pause = self.site.mail_pause;
        self.write(move |conn| {
            matches::create(conn, &row_of(&new, &written))?;
            journal::append::<Match>(conn, &new, &events)?;
            set_people(conn, &new, &written)?;
            enqueue_notices(conn, &new, &written, &events, pause, now)?;
            if let Some(invitation) = invitation {
                invitation.write(conn, now)?;
            }
            Ok::<_, AppError>(())
        })
        .await?;
        self.outbox.notify_one();
        state.committed(self);
        Ok(id)
    }

    pub(in crate::app) async fn player_called(
        &self,
        field: &'static str,
        name: &str,
    ) -> Result<AccountId, AppError> {
        let asked = name.to_owned();
        let found = self
            .read(move |conn| account_rows::find_by_name(conn, &asked))
            .await?;
        let found =
            found.filter(|account| account.verified_at.is_some() && account.class_id.is_none());
        let unknown = || invalid(field, AccountFault::NoPlayer(name.trim().to_owned()));
        Ok(found.ok_or_else(unknown)?.id)
    }

    /// Invites the player called `name` to a match that still gathers players. The computer joins at once.
    pub async fn invite(&self, viewer: &Viewer, id: &MatchId, name: &str) -> Result<(), AppError> {
        let account = self.player_called("invite", name).await?;
        let (state, _) = self.load::<Match>(id).await?;
        if !rights(&state, Some(&viewer.id), false).see {
            return Err(AppError::NotFound);
        }
        let computer = computer::find(&account);
        if computer.is_none() {
            self.count_invitation(&viewer.id, &account)?;
        }
        let command = Command::Invite(account);
        self.act(viewer, id, None, command, "").await?;
        match computer {
            Some(computer) => self.join_computer(computer, id).await,
            None => Ok(()),
        }
    }
}
