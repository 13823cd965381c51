//! A match as one viewer may see it, and the talk beside it.

use std::sync::Arc;

use perplex_matches::classroom::own_card::OwnCard;
use perplex_matches::correspondence::Match;
use perplex_matches::correspondence::policy::{Rights, rights};
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::time::Time;

use super::act::tell_of_talk;
use super::{Name, name_of};
use crate::app::aggregate::state_of;
use crate::app::limits::count;
use crate::app::live::Listening;
use crate::app::snapshots::CorrespondenceSnapshot;
use crate::app::talk::{self, NewMessage, line};
use crate::app::{App, AppError, Fault, NotAllowed, Viewer, invalid};
use crate::store::invited_addresses::{self, InvitedAddress};
use crate::store::journal::{self, Version};
use crate::store::own_cards::DeckOwner;
use crate::store::talk::EVERYBODY;
use crate::store::{Heads, MatchKind, accounts as account_rows, members, own_cards};

#[derive(Clone, Debug)]
pub struct Line {
    pub number: i32,
    pub at: Time,
    pub by: Name,
    /// `None` if it cannot be read.
    pub text: Option<String>,
    /// For the note to a turn: how many turns had been made, with that one.
    pub ply: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct MatchView {
    pub id: MatchId,
    pub state: Arc<Match>,
    pub rights: Rights,
    pub joined: Vec<Name>,
    pub invited: Vec<Name>,
    /// The addresses that were invited, for the maker.
    pub addresses: Vec<InvitedAddress>,
    pub maker: Name,
    pub talk: Vec<Line>,
    pub heads: Heads,
    pub link: Option<String>,
    pub version: Version,
    /// The rule cards that the viewer keeps for the match.
    pub hand: Vec<OwnCard>,
}

impl CorrespondenceSnapshot {
    /// The progress of the match, for a viewer who may see it; talk counts only for its players.
    fn heads_for(&self, viewer: Option<&Viewer>) -> Result<Heads, AppError> {
        let rights = rights(&self.state, viewer.map(|viewer| &viewer.id), false);
        if !rights.see {
            return Err(AppError::NotFound);
        }
        Ok(Heads {
            talk: if rights.talk { self.heads.talk } else { 0 },
            ..self.heads
        })
    }
}

impl App {
    /// A correspondence match as its viewer may see it, with the latest messages of its talk.
    pub async fn load_correspondence_match(
        &self,
        viewer: Option<&Viewer>,
        id: &MatchId,
        link: Option<&str>,
    ) -> Result<MatchView, AppError> {
        self.load_with_talk(viewer, id, link, i32::MAX).await
    }

    /// The same, with those of the messages that have smaller numbers than `before`.
    pub async fn load_with_talk(
        &self,
        viewer: Option<&Viewer>,
        id: &MatchId,
        link: Option<&str>,
        before: i32,
    ) -> Result<MatchView, AppError> {
        let (kept, asked) = (self.correspondence.cached(id), id.clone());
        let ring = Arc::clone(&self.ring);
        let by_link = self.way_by(id, link).await?.is_open();
        let account = viewer.map(|viewer| viewer.id.clone());
        let loaded = self
            .read(move |conn| {
                let Some(version) = journal::version(conn, &asked, MatchKind::Correspondence)?
                else {
                    return Ok(None);
                };
                let state = state_of::<Match>(conn, &asked, version.head, kept)?;
                // The match may have gone on since the head was read.
                let version = Version {
                    head: state.head,
                    ..version
                };
                let rights = rights(&state, account.as_ref(), by_link);
                if !rights.see {
                    return Ok(None);
                }
                let lines = if rights.talk && version.talk_head > 0 {
                    talk::of_players(conn, &ring, &asked, before)?
                } else {
                    Vec::new()
                };
                let keeps = rights.seat.is_some() && state.game.flexichess().is_some();
                let hand = match account.as_ref().filter(|_| keeps) {
                    Some(account) => {
                        let owner = DeckOwner::Player(account.clone(), asked.clone());
                        own_cards::of(conn, &owner)?
                    }
                    None => Vec::new(),
                };
                let addresses = if rights.withdraw {
                    invited_addresses::of_match(conn, &asked)?
                } else {
                    Vec::new()
                };
                let mut ids: Vec<AccountId> = state
                    .joined
                    .iter()
                    .map(|player| player.account.clone())
                    .chain(state.invited.iter().cloned())
                    .collect();
                if !ids.contains(&state.maker) {
                    ids.push(state.maker.clone());
                }
                let names = account_rows::names(conn, &ids)?;
                Ok::<_, AppError>(Some((
                    state,
                    version,
                    rights,
                    (lines, hand),
                    (names, addresses),
                )))
            })
            .await?;
        let (state, version, rights, (lines, hand), (names, addresses)) =
            loaded.ok_or(AppError::NotFound)?;
        self.correspondence.cache(id, &state);
        let name = |id: &AccountId| name_of(id, &names);
        Ok(MatchView {
            id: id.clone(),
            joined: state.joined.iter().map(|p| name(&p.account)).collect(),
            invited: state.invited.iter().map(&name).collect(),
            addresses,
            maker: name(&state.maker),
            talk: lines
                .into_iter()
                .map(|(line, text)| Line {
                    number: line.number,
                    at: line.at,
                    by: name(&AccountId(line.by_actor)),
                    text,
                    ply: line.event.and_then(|event| {
                        let turn = state.turns.iter().position(|(_, n)| *n == event)?;
                        Some(turn + 1)
                    }),
                })
                .collect(),
            heads: Heads {
                talk: if rights.talk { version.talk_head } else { 0 },
                ..version.into()
            },
            version,
            hand,
            link: (rights.withdraw && !state.terms.open).then(|| self.join_link(id)),
            rights,
            state,
        })
    }

    pub async fn heads(&self, viewer: Option<&Viewer>, id: &MatchId) -> Result<Heads, AppError> {
        self.correspondence_snapshot(id).await?.heads_for(viewer)
    }

    async fn correspondence_snapshot(
        &self,
        id: &MatchId,
    ) -> Result<CorrespondenceSnapshot, AppError> {
        let (state, version) = self.load(id).await?;
        let heads = version.into();
        Ok(CorrespondenceSnapshot { state, heads })
    }

    pub async fn heads_heard(
        &self,
        viewer: Option<&Viewer>,
        id: &MatchId,
        listening: &mut Listening<CorrespondenceSnapshot>,
    ) -> Result<Heads, AppError> {
        listening
            .latest(self.correspondence_snapshot(id))
            .await?
            .heads_for(viewer)
    }

    pub async fn say(&self, viewer: &Viewer, id: &MatchId, text: &str) -> Result<(), AppError> {
        viewer.require_adult_account()?;
        let text = line("text", text)?.ok_or_else(|| invalid("text", Fault::NoMessage))?;
        let (state, _) = self.load::<Match>(id).await?;
        let rights = rights(&state, Some(&viewer.id), false);
        if !rights.see {
            return Err(AppError::NotFound);
        }
        if !rights.talk {
            return Err(AppError::Forbidden(NotAllowed::TalkNotPlayer));
        }
        count(&self.limits.talk_account, &viewer.id.0)?;
        let (now, by, match_id) = (self.now(), viewer.id.clone(), id.clone());
        let event = state.head;
        let ring = Arc::clone(&self.ring);
        let (heads, mail) = self
            .write(move |conn| {
                let message = NewMessage {
                    id: &match_id,
                    channel: EVERYBODY,
                    by: by.to_string(),
                    text: &text,
                    event: None,
                    now,
                };
                let (_, talk) = talk::post(conn, &ring, message)?;
                let id = match_id;
                members::see_match(conn, &id, &by, 0, talk)?;
                let mail = tell_of_talk(conn, &id, &state, &by, now)?;
                let heads = Heads {
                    event,
                    talk,
                    door: 0,
                };
                Ok::<_, AppError>((heads, mail))
            })
            .await?;
        if mail {
            self.outbox.notify_one();
        }
        self.tell(&self.correspondence.live, id, heads);
        Ok(())
    }
}
