//! Which names of a lesson were taken on which device, and on which sides of the match those have been.

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

/// Whether one of these accounts, all used on one device, has been on a side where `target` is not.
pub(super) fn crosses(snapshot: &TeamSnapshot, others: &[AccountId], target: &AccountId) -> bool {
    let member = active(&snapshot.members, target);
    let side = member.and_then(|member| snapshot.state.side_of(member));
    let others = others.iter().filter(|other| *other != target);
    others
        .flat_map(|other| sides(snapshot, other))
        .any(|other| Some(other) != side)
}

/// When play begins, or sides change during play, no device keeps sessions on both sides: those that came by code go on only on
/// the side of the one who came last.
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
