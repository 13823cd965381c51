//! A match at one moment: the result read once for all its listeners.

use std::sync::Arc;

use perplex_matches::id::AccountId;
use perplex_matches::{correspondence, team};

use crate::store::Heads;
use crate::store::invited_addresses::InvitedAddress;
use crate::store::matches::MatchRow;
use crate::store::members::MemberRow;
use crate::store::talk::{ChannelRow, ListenerRow};

pub struct CorrespondenceSnapshot {
    pub state: Arc<correspondence::Match>,
    pub heads: Heads,
}

pub struct TeamSnapshot {
    pub row: MatchRow,
    pub hosts: Vec<AccountId>,
    pub state: Arc<team::Match>,
    pub members: Vec<MemberRow>,
    pub invited: Vec<InvitedAddress>,
    pub talk: TalkRows,
}

pub struct TalkRows {
    pub channels: Vec<ChannelRow>,
    pub listeners: Vec<ListenerRow>,
}
