use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::upsert::excluded;
use perplex_matches::id::{AccountId, MatchId};
use perplex_matches::team::announce::Told;
use perplex_matches::team::event::MemberId;
use perplex_matches::time::Time;

use super::prepared::Prepared;
use super::schema::{host_news, invitations, matches, members};
use super::{Conn, Phase, StoreError, living, on_db};

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = members, treat_none_as_default_value = false)]
pub struct MemberRow {
    pub match_id: MatchId,
    pub number: i32,
    /// `None` once the account's class is removed.
    pub account_id: Option<AccountId>,
    /// The name in a team match; empty once deleted.
    pub name: String,
    pub active: bool,
    /// The seat in a correspondence match, from 0 in the order of play, once it began.
    pub seat: Option<i32>,
    /// The last event that was seen: of a team match, whose card was put away; of a correspondence match, on its page.
    #[diesel(skip_insertion)]
    pub news_seen: i32,
    /// The events up to that one whose cards wait nevertheless: numbers with spaces between.
    #[diesel(skip_insertion)]
    pub news_kept: String,
    /// The last event of a team match that a mail told.
    #[diesel(skip_insertion)]
    pub news_mailed: i32,
    /// The number of messages of a correspondence match that were seen.
    #[diesel(skip_insertion)]
    pub talk_seen: i32,
    /// Since when the member of a lesson asks its teacher for help.
    #[diesel(skip_insertion)]
    pub hand_at: Option<Time>,
}

impl MemberRow {
    /// The number in the journal of a team match.
    pub fn id(&self) -> MemberId {
        member_id(self.number)
    }

    /// What a member of a team match has been told.
    pub fn news(&self) -> Told {
        news(self.news_seen, &self.news_kept)
    }
}

fn news(seen: i32, kept: &str) -> Told {
    let kept = kept.split(' ').filter_map(|number| number.parse().ok());
    Told {
        seen,
        kept: kept.collect(),
    }
}

fn written(kept: &[i32]) -> String {
    let numbers: Vec<String> = kept.iter().map(i32::to_string).collect();
    numbers.join(" ")
}

fn member_id(number: i32) -> MemberId {
    MemberId(u16::try_from(number).unwrap_or(0))
}

pub fn of_match(conn: &mut Conn, id: &MatchId) -> Result<Vec<MemberRow>, StoreError> {
    Ok(on_db!(conn, |c| members::table
        .filter(members::match_id.eq(id))
        .order(members::number)
        .select(MemberRow::as_select())
        .load(c))?)
}

pub fn of_matches(conn: &mut Conn, ids: &[MatchId]) -> Result<Vec<MemberRow>, StoreError> {
    Ok(on_db!(conn, |c| Prepared(
        members::table
            .filter(members::match_id.eq_any(ids))
            .order((members::match_id, members::number))
            .select(MemberRow::as_select())
    )
    .load(c))?)
}

/// The accounts that take part in a match, or are invited to it.
fn known(conn: &mut Conn, id: &MatchId) -> Result<Vec<AccountId>, StoreError> {
    let members: Vec<Option<AccountId>> = on_db!(&mut *conn, |c| members::table
        .filter(members::match_id.eq(id))
        .select(members::account_id)
        .load(c))?;
    let invited: Vec<AccountId> = on_db!(conn, |c| invitations::table
        .filter(invitations::match_id.eq(id))
        .select(invitations::account_id)
        .load(c))?;
    Ok(members.into_iter().flatten().chain(invited).collect())
}

/// Sets the members of a correspondence match and its invited players: these, and no others.
pub fn set(
    conn: &mut Conn,
    id: &MatchId,
    rows: &[MemberRow],
    invited: &[AccountId],
) -> Result<(), StoreError> {
    let known = known(conn, id)?;
    // First those who have left or have other numbers: a match holds an account only once.
    let staying: Vec<i32> = rows.iter().map(|row| row.number).collect();
    on_db!(&mut *conn, |c| diesel::update(
        members::table.filter(members::match_id.eq(id))
    )
    .set(members::active.eq(false))
    .execute(c))?;
    on_db!(&mut *conn, |c| diesel::delete(
        members::table
            .filter(members::match_id.eq(id))
            .filter(members::number.ne_all(staying))
    )
    .execute(c))?;
    on_db!(&mut *conn, |c| diesel::insert_into(members::table)
        .values(rows)
        .on_conflict((members::match_id, members::number))
        .do_update()
        .set((
            members::account_id.eq(excluded(members::account_id)),
            members::active.eq(excluded(members::active)),
            members::seat.eq(excluded(members::seat)),
        ))
        .execute(c))?;
    forget_invitations(conn, id)?;
    for account in invited {
        invite_known(conn, id, account)?;
    }
    let joined = rows.iter().filter_map(|row| row.account_id.as_ref());
    let new = joined
        .chain(invited)
        .filter(|account| !known.contains(account));
    living::require(conn, &new.collect::<Vec<_>>())
}

pub fn add(conn: &mut Conn, row: &MemberRow) -> Result<(), StoreError> {
    on_db!(&mut *conn, |c| diesel::insert_into(members::table)
        .values(row)
        .execute(c))?;
    living::require(conn, &row.account_id.iter().collect::<Vec<_>>())
}

pub fn end(conn: &mut Conn, id: &MatchId, member: MemberId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.find((id, i32::from(member.0)))
    )
    .set(members::active.eq(false))
    .execute(c))?;
    Ok(())
}

/// Makes a member who had left active again, not seen since, with the hand down.
pub fn come_back(conn: &mut Conn, id: &MatchId, member: MemberId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.find((id, i32::from(member.0)))
    )
    .set((
        members::active.eq(true),
        members::seen_at.eq(None::<Time>),
        members::hand_at.eq(None::<Time>),
    ))
    .execute(c))?;
    Ok(())
}

/// Who is shown cards in a team match: a member, or a host who is none.
#[derive(Clone, Debug)]
pub enum Reader {
    Member(MemberId),
    Host(AccountId),
}

/// Changes what a reader of a team match has been told.
pub fn see_news(
    conn: &mut Conn,
    id: &MatchId,
    reader: &Reader,
    change: impl FnOnce(Told) -> Told,
) -> Result<(), StoreError> {
    match reader {
        Reader::Member(member) => {
            let row = members::table.find((id, i32::from(member.0)));
            let known: Option<(i32, String)> = on_db!(&mut *conn, |c| row
                .select((members::news_seen, members::news_kept))
                .get_result(c)
                .optional())?;
            let Some((seen, kept)) = known else {
                return Ok(());
            };
            let now = change(news(seen, &kept));
            on_db!(conn, |c| diesel::update(row)
                .set((
                    members::news_seen.eq(now.seen),
                    members::news_kept.eq(written(&now.kept)),
                ))
                .execute(c))?;
        }
        Reader::Host(host) => {
            let now = change(host_news(conn, id, host)?);
            let row = (
                host_news::seen.eq(now.seen),
                host_news::kept.eq(written(&now.kept)),
            );
            on_db!(conn, |c| diesel::insert_into(host_news::table)
                .values((
                    host_news::match_id.eq(id),
                    host_news::account_id.eq(host),
                    row.clone()
                ))
                .on_conflict((host_news::match_id, host_news::account_id))
                .do_update()
                .set(row)
                .execute(c))?;
        }
    }
    Ok(())
}

/// What a host of a team match who is no member has been told.
pub fn host_news(conn: &mut Conn, id: &MatchId, host: &AccountId) -> Result<Told, StoreError> {
    let row: Option<(i32, String)> = on_db!(conn, |c| host_news::table
        .find((id, host))
        .select((host_news::seen, host_news::kept))
        .get_result(c)
        .optional())?;
    Ok(row.map_or_else(Told::default, |(seen, kept)| news(seen, &kept)))
}

/// Notes that a mail told an account what happened in a team match until this event.
pub fn mail_news(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
    event: i32,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table
            .filter(members::match_id.eq(id))
            .filter(members::account_id.eq(account))
            .filter(members::news_mailed.lt(event))
    )
    .set(members::news_mailed.eq(event))
    .execute(c))?;
    Ok(())
}

/// Notes that a player has seen a correspondence match as it is after this event, and so many of its messages.
pub fn see_match(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
    event: i32,
    talk: i32,
) -> Result<(), StoreError> {
    let of_player = || {
        members::table
            .filter(members::match_id.eq(id))
            .filter(members::account_id.eq(account))
    };
    on_db!(&mut *conn, |c| diesel::update(
        of_player().filter(members::news_seen.lt(event))
    )
    .set(members::news_seen.eq(event))
    .execute(c))?;
    on_db!(conn, |c| diesel::update(
        of_player().filter(members::talk_seen.lt(talk))
    )
    .set(members::talk_seen.eq(talk))
    .execute(c))?;
    Ok(())
}

/// True if a player has seen a correspondence match as it is after this event, or later.
pub fn has_seen(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
    event: i32,
) -> Result<bool, StoreError> {
    let rows = members::table
        .filter(members::match_id.eq(id))
        .filter(members::account_id.eq(account))
        .filter(members::news_seen.ge(event));
    Ok(on_db!(conn, |c| diesel::select(diesel::dsl::exists(rows))
        .get_result(c))?)
}

pub fn seen(conn: &mut Conn, id: &MatchId) -> Result<BTreeMap<MemberId, Time>, StoreError> {
    let rows: Vec<(i32, Option<Time>)> = on_db!(conn, |c| members::table
        .filter(members::match_id.eq(id))
        .select((members::number, members::seen_at))
        .load(c))?;
    Ok(rows
        .into_iter()
        .filter_map(|(number, at)| Some((member_id(number), at?)))
        .collect())
}

pub fn set_seen(
    conn: &mut Conn,
    id: &MatchId,
    people: &[MemberId],
    at: Time,
) -> Result<(), StoreError> {
    let numbers: Vec<i32> = people.iter().map(|member| i32::from(member.0)).collect();
    on_db!(conn, |c| diesel::update(
        members::table
            .filter(members::match_id.eq(id))
            .filter(members::number.eq_any(&numbers))
    )
    .set(members::seen_at.eq(at))
    .execute(c))?;
    Ok(())
}

/// When the member of an account had a page of the match before them that they had just touched.
pub fn touched(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
) -> Result<Option<Time>, StoreError> {
    let touched: Option<Option<Time>> = on_db!(conn, |c| members::table
        .filter(members::match_id.eq(id))
        .filter(members::account_id.eq(account))
        .select(members::touched_at)
        .first(c)
        .optional())?;
    Ok(touched.flatten())
}

pub fn set_touched(
    conn: &mut Conn,
    id: &MatchId,
    accounts: &[AccountId],
    at: Time,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table
            .filter(members::match_id.eq(id))
            .filter(members::account_id.eq_any(accounts))
    )
    .set(members::touched_at.eq(at))
    .execute(c))?;
    Ok(())
}

/// Notes since when a member asks for help, or that the member does not. Who asks already has waited since then.
pub fn set_hand(
    conn: &mut Conn,
    id: &MatchId,
    member: MemberId,
    at: Option<Time>,
) -> Result<(), StoreError> {
    let row = members::table
        .filter(members::match_id.eq(id))
        .filter(members::number.eq(i32::from(member.0)));
    match at {
        None => on_db!(conn, |c| diesel::update(row)
            .set(members::hand_at.eq(None::<Time>))
            .execute(c))?,
        Some(at) => on_db!(conn, |c| diesel::update(
            row.filter(members::hand_at.is_null())
        )
        .set(members::hand_at.eq(at))
        .execute(c))?,
    };
    Ok(())
}

/// Takes all hands in a match down.
pub fn lower_hands(conn: &mut Conn, id: &MatchId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.filter(members::match_id.eq(id))
    )
    .set(members::hand_at.eq(None::<Time>))
    .execute(c))?;
    Ok(())
}

/// Notes the owner of this account as absent from all matches where a page asked later than `until`: gives the
/// matches that are not over.
pub fn set_gone(
    conn: &mut Conn,
    account: &AccountId,
    until: Time,
) -> Result<Vec<(MatchId, MemberId)>, StoreError> {
    let rows: Vec<(MatchId, i32)> = on_db!(&mut *conn, |c| members::table
        .inner_join(matches::table)
        .filter(members::account_id.eq(account))
        .filter(members::active.eq(true))
        .filter(matches::phase.ne(Phase::Over))
        .select((members::match_id, members::number))
        .load(c))?;
    for (id, number) in &rows {
        on_db!(&mut *conn, |c| diesel::update(
            members::table
                .find((id, number))
                .filter(members::seen_at.gt(until))
        )
        .set(members::seen_at.eq(until))
        .execute(c))?;
    }
    Ok(rows
        .into_iter()
        .map(|(id, number)| (id, member_id(number)))
        .collect())
}

pub fn rename(
    conn: &mut Conn,
    id: &MatchId,
    member: MemberId,
    name: &str,
) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(
        members::table.find((id, i32::from(member.0)))
    )
    .set(members::name.eq(name))
    .execute(c))?;
    Ok(())
}

/// Gives the members of a renamed account the new name; pages of all its matches are out of date.
pub fn rename_account(conn: &mut Conn, account: &AccountId, name: &str) -> Result<(), StoreError> {
    on_db!(&mut *conn, |c| diesel::update(
        members::table.filter(members::account_id.eq(account))
    )
    .set(members::name.eq(name))
    .execute(c))?;
    // The maker of a correspondence match takes part in it; a host need not.
    on_db!(conn, |c| diesel::update(
        matches::table.filter(
            matches::id
                .eq_any(
                    members::table
                        .filter(members::account_id.eq(account))
                        .select(members::match_id)
                )
                .or(matches::created_by.eq(account))
        )
    )
    .set(matches::names.eq(matches::names + 1))
    .execute(c))?;
    Ok(())
}

/// Removes the names of a deleted account's members, and its invitations.
pub fn forget_account(conn: &mut Conn, account: &AccountId) -> Result<(), StoreError> {
    rename_account(conn, account, "")?;
    on_db!(conn, |c| diesel::delete(
        invitations::table.filter(invitations::account_id.eq(account))
    )
    .execute(c))?;
    Ok(())
}

pub fn invite(conn: &mut Conn, id: &MatchId, account: &AccountId) -> Result<bool, StoreError> {
    let is_new = invite_known(conn, id, account)?;
    living::require(conn, &[account])?;
    Ok(is_new)
}

fn invite_known(conn: &mut Conn, id: &MatchId, account: &AccountId) -> Result<bool, StoreError> {
    let values = (
        invitations::match_id.eq(id),
        invitations::account_id.eq(account),
    );
    let written = on_db!(conn, |c| diesel::insert_into(invitations::table)
        .values(values)
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(written == 1)
}

/// Forgets the invitation of an account; `false` if it had none.
pub fn forget_invitation(
    conn: &mut Conn,
    id: &MatchId,
    account: &AccountId,
) -> Result<bool, StoreError> {
    let forgotten = on_db!(conn, |c| diesel::delete(
        invitations::table.find((account, id))
    )
    .execute(c))?;
    Ok(forgotten > 0)
}

pub fn forget_invitations(conn: &mut Conn, id: &MatchId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::delete(
        invitations::table.filter(invitations::match_id.eq(id))
    )
    .execute(c))?;
    Ok(())
}

pub fn invited(conn: &mut Conn, id: &MatchId) -> Result<Vec<AccountId>, StoreError> {
    Ok(on_db!(conn, |c| invitations::table
        .filter(invitations::match_id.eq(id))
        .order(invitations::account_id)
        .select(invitations::account_id)
        .load(c))?)
}
