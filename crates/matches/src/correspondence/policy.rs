//! Rights in a correspondence match, as one value that pages, mails and the programming interface
//! all ask for.

use super::{Match, Phase};
use crate::id::AccountId;
use perplex_games::rules::{Seat, Side};

/// The rights of one viewer in one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rights {
    /// See that the match exists, its people, board and record.
    pub see: bool,
    /// Read and write the talk of the players.
    pub talk: bool,
    /// The viewer's seat.
    pub seat: Option<Seat>,
    /// Make a turn now.
    pub play: bool,
    /// Take part in a match that is gathering.
    pub join: bool,
    /// Ask more people by name to take part.
    pub invite: bool,
    /// Say no to a challenge.
    pub refuse: bool,
    /// Leave before the match begins.
    pub leave: bool,
    /// Call the match off; hand on its link.
    pub withdraw: bool,
    /// Resign.
    pub resign: bool,
    /// Claim the draw that the position allows to claim.
    pub claim: bool,
    /// Offer a draw.
    pub offer: bool,
    /// Offer a draw with the turn to play now, or agree to the one on offer.
    pub offer_with_turn: bool,
    /// Accept or decline the draw on offer.
    pub answer: bool,
}

/// The rights of `viewer` (`None`: a guest). `by_link` is true if the viewer has shown the link of
/// the match.
#[must_use]
pub fn rights(state: &Match, viewer: Option<&AccountId>, by_link: bool) -> Rights {
    let gathering = state.phase == Phase::Gathering;
    let public = state.has_begun() || (gathering && state.terms.open);
    let Some(viewer) = viewer else {
        return Rights {
            see: public || by_link,
            ..Rights::default()
        };
    };
    let joined = state.joined.iter().any(|player| player.account == *viewer);
    let invited = state.invited.contains(viewer);
    let side: Option<Side> = state.side_of(viewer);
    let playing = side.is_some() && state.phase == Phase::Playing;
    let play = playing && state.player_to_move() == Some(viewer);
    let claim = play && state.game.claim().is_some();
    let may_offer =
        |ply| side.is_some_and(|side: Side| state.may_offer(side, ply).is_ok()) && playing;
    let answer = playing && state.offer.is_some() && state.offer == side.map(Side::other);
    Rights {
        see: public || by_link || joined || invited,
        talk: joined && state.has_begun(),
        seat: state.seat_of(viewer),
        play,
        join: gathering && !joined && (state.terms.open || by_link || invited),
        invite: state.is_inviting(viewer),
        refuse: gathering && invited,
        leave: gathering && joined && *viewer != state.maker,
        withdraw: gathering && *viewer == state.maker,
        resign: playing,
        claim,
        offer: !claim && may_offer(state.turns.len()),
        offer_with_turn: play && (answer || may_offer(state.turns.len() + 1)),
        answer,
    }
}
