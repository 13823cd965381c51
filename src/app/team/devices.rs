//! The names of a lesson that were taken on each device, and the sides on which those members have been.

use std::collections::BTreeMap;

use perplex_games::rules::Side;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::Match;

use super::lesson::active;
use crate::app::snapshots::TeamSnapshot;
use crate::store::door::{self as rows, TakenName};
use crate::store::members::{self, MemberRow};
use crate::store::{Conn, StoreError};

/// The pupils whose names a device has taken in a lesson.
pub(super) fn on_device(taken: &[TakenName], browser: &str) -> Vec<AccountId> {
    taken
        .iter()
        .filter(|name| name.browser == browser && !browser.is_empty())
        .map(|name| name.account_id.clone())
        .collect()
}

/// The sides on which an account has been in a match.
pub(super) fn sides(snapshot: &TeamSnapshot, account: &AccountId) -> Vec<Side> {
    let mine = |row: &&MemberRow| row.account_id.as_ref() == Some(account);
    let rows = snapshot.members.iter().filter(mine);
    let members = rows.filter_map(|row| snapshot.state.members.get(&row.id()));
    members
        .flat_map(|member| member.stays.iter().map(|stay| stay.side))
        .collect()
}

/// True if one of these accounts, all used on one device, has been on a side where `target` is not.
pub(super) fn crosses(snapshot: &TeamSnapshot, others: &[AccountId], target: &AccountId) -> bool {
    let member = active(&snapshot.members, target);
    let side = member.and_then(|member| snapshot.state.side_of(member));
    let others = others.iter().filter(|other| *other != target);
    others
        .flat_map(|other| sides(snapshot, other))
        .any(|other| Some(other) != side)
}

/// Ends sessions when play begins, or sides change during play, so that no device keeps some on both sides: of
/// sessions that began by code only those on the side of the pupil who came last go on.
pub(super) fn part_sides(conn: &mut Conn, id: &MatchId, state: &Match) -> Result<(), StoreError> {
    let names = rows::taken(conn, id)?;
    let people = members::of_match(conn, id)?;
    let mut devices: BTreeMap<&str, Vec<(&AccountId, Side)>> = BTreeMap::new();
    for name in names.iter().filter(|name| !name.browser.is_empty()) {
        let member = active(&people, &name.account_id);
        if let Some(side) = member.and_then(|member| state.side_of(member)) {
            let device = devices.entry(&name.browser).or_default();
            device.push((&name.account_id, side));
        }
    }
    for device in devices.values() {
        let is_on = |one: Side| device.iter().any(|(_, side)| *side == one);
        if !(is_on(Side::First) && is_on(Side::Second)) {
            continue;
        }
        let accounts = device.iter().map(|(account, _)| (*account).clone());
        let last = rows::last_by_code(conn, id, &accounts.collect::<Vec<_>>())?;
        let goes_on = device
            .iter()
            .find(|(account, _)| Some(*account) == last.as_ref());
        for (account, side) in device {
            if goes_on.is_some_and(|(_, on)| on != side) {
                rows::end_sessions_by_code(conn, id, account)?;
            }
        }
    }
    Ok(())
}
