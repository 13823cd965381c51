use diesel::dsl::{case_when, count_star};
use diesel::prelude::*;
use diesel::sql_types::Integer;
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::time::Time;

use super::schema::{accounts, invitations, matches, members, teachers};
use super::{Conn, MatchKind, Phase, StoreError, Winner, living, on_db, talk};

#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = matches, treat_none_as_default_value = false)]
pub struct MatchRow {
    pub id: MatchId,
    pub kind: MatchKind,
    pub title: String,
    pub game: String,
    /// The variant's key, empty for the ordinary game; of a team match the key of its size.
    pub variant: String,
    pub days: i32,
    pub phase: Phase,
    pub listed: bool,
    pub head: i32,
    pub talk_head: i32,
    /// Number of times that people in it were renamed or deleted.
    pub names: i32,
    pub ply: i32,
    pub created_by: AccountId,
    pub created_at: Time,
    pub updated_at: Time,
    pub to_move: Option<AccountId>,
    /// The time limit: of the player to move, or of a team match.
    pub deadline: Option<Time>,
    /// The time of the next check for waiting people to tell by mail.
    pub look_at: Option<Time>,
    pub winner: Option<Winner>,
    pub reason: Option<String>,
    pub class_id: Option<ClassId>,
    pub code: Option<String>,
    /// Number of changes to the access to a lesson: requests to join, answers, latecomers, links.
    pub door: i32,
    /// True if latecomers to a lesson get in without the teacher's approval.
    pub latecomers: bool,
    /// Number of times its links, for joining and for the projector, were replaced: older ones are no longer good.
    pub links: i32,
}

impl MatchRow {
    pub const fn new(
        id: MatchId,
        kind: MatchKind,
        created_by: AccountId,
        created_at: Time,
    ) -> Self {
        Self {
            id,
            kind,
            title: String::new(),
            game: String::new(),
            variant: String::new(),
            days: 0,
            phase: Phase::Gathering,
            listed: false,
            head: 0,
            talk_head: 0,
            names: 0,
            ply: 0,
            created_by,
            created_at,
            updated_at: created_at,
            to_move: None,
            deadline: None,
            look_at: None,
            winner: None,
            reason: None,
            class_id: None,
            code: None,
            door: 0,
            latecomers: false,
            links: 0,
        }
    }

    /// The hosts of a team match: all teachers of the class of a lesson, else the match's maker.
    pub fn hosts(&self, conn: &mut Conn) -> Result<Vec<AccountId>, StoreError> {
        match &self.class_id {
            Some(class) => super::classes::teacher_ids(conn, class),
            None => Ok(vec![self.created_by.clone()]),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct Tally {
    pub game: String,
    pub variant: String,
    /// The seat of the player; the registry says which side that is.
    pub seat: i32,
    pub winner: Winner,
    pub matches: i64,
}

/// Makes a match with the channels that all its people have; its `head` counts the events appended with it.
pub fn create(conn: &mut Conn, row: &MatchRow) -> Result<(), StoreError> {
    on_db!(&mut *conn, |c| diesel::insert_into(matches::table)
        .values(row)
        .execute(c))?;
    living::require(conn, &[&row.created_by])?;
    talk::make_channels(conn, &row.id, row.kind)
}

pub fn find(conn: &mut Conn, id: &MatchId) -> Result<Option<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .find(id)
        .select(MatchRow::as_select())
        .get_result(c)
        .optional())?)
}

/// Replaces the links of a match; old ones stop working.
pub fn renew_links(conn: &mut Conn, id: &MatchId) -> Result<(), StoreError> {
    on_db!(conn, |c| diesel::update(matches::table.find(id))
        .set(matches::links.eq(matches::links + 1))
        .execute(c))?;
    Ok(())
}

/// The condition "not called off": of the matches that are over, those that were played.
#[diesel::dsl::auto_type]
pub(super) fn not_called_off() -> _ {
    let over: Phase = Phase::Over;
    let going_on = matches::phase.ne(over);
    going_on.or(matches::winner.is_not_null())
}

/// The matches of a kind in the lobby, the latest first; none whose maker has deleted the account.
pub fn lobby(conn: &mut Conn, kind: MatchKind, limit: i64) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .inner_join(accounts::table)
        .filter(accounts::deleted_at.is_null())
        .filter(matches::kind.eq(kind))
        .filter(matches::listed)
        .filter(matches::phase.ne(Phase::Over))
        .order((matches::updated_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// The matches of a kind and in one of `phases` in which an account takes part: first those where it is to move, then
/// by deadline, then the latest first; none that was called off.
pub fn of_member(
    conn: &mut Conn,
    kind: MatchKind,
    account: &AccountId,
    phases: &[Phase],
    limit: i64,
) -> Result<Vec<MatchRow>, StoreError> {
    // The databases disagree on the place of NULL in an order.
    let later = |condition: bool| i32::from(condition).into_sql::<Integer>();
    Ok(on_db!(conn, |c| members::table
        .inner_join(matches::table)
        .filter(members::account_id.eq(account))
        .filter(members::active.eq(true))
        .filter(matches::kind.eq(kind))
        .filter(matches::phase.eq_any(phases))
        .filter(not_called_off())
        .order((
            case_when(matches::to_move.eq(account), later(false)).otherwise(later(true)),
            case_when(matches::deadline.is_null(), later(true)).otherwise(later(false)),
            matches::deadline,
            matches::updated_at.desc(),
            matches::id,
        ))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

pub fn of_invited(
    conn: &mut Conn,
    kind: MatchKind,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| invitations::table
        .inner_join(matches::table)
        .filter(invitations::account_id.eq(account))
        .filter(matches::kind.eq(kind))
        .filter(matches::phase.ne(Phase::Over))
        .order((matches::updated_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// The condition "hosted by this account": its own team matches, and those of the classes that it teaches.
macro_rules! hosted_by {
    ($account:expr) => {
        matches::kind.eq(MatchKind::Team).and(
            matches::class_id
                .is_null()
                .and(matches::created_by.eq($account))
                .or(matches::class_id.eq_any(
                    teachers::table
                        .filter(teachers::account_id.eq($account))
                        .select(teachers::class_id.nullable()),
                )),
        )
    };
}

pub fn of_host(
    conn: &mut Conn,
    account: &AccountId,
    limit: i64,
) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(hosted_by!(account))
        .filter(not_called_off())
        .order((matches::updated_at.desc(), matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// The unfinished matches of a kind in which an account takes part, to which it is invited, or which it hosts.
pub fn unfinished(
    conn: &mut Conn,
    kind: MatchKind,
    account: &AccountId,
) -> Result<Vec<MatchId>, StoreError> {
    let mut ids: Vec<MatchId> = on_db!(&mut *conn, |c| members::table
        .inner_join(matches::table)
        .filter(members::account_id.eq(account))
        .filter(members::active.eq(true))
        .filter(matches::kind.eq(kind))
        .filter(matches::phase.ne(Phase::Over))
        .select(matches::id)
        .load(c))?;
    ids.extend(
        of_invited(conn, kind, account, i64::MAX)?
            .into_iter()
            .map(|row| row.id),
    );
    if kind == MatchKind::Team {
        let hosted: Vec<MatchId> = on_db!(conn, |c| matches::table
            .filter(hosted_by!(account))
            .filter(matches::phase.ne(Phase::Over))
            .select(matches::id)
            .load(c))?;
        ids.extend(hosted);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

pub fn tallies(conn: &mut Conn, account: &AccountId) -> Result<Vec<Tally>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .inner_join(members::table)
        .filter(members::account_id.eq(account))
        .filter(matches::phase.eq(Phase::Over))
        .filter(matches::winner.is_not_null())
        .filter(members::seat.is_not_null())
        .group_by((
            matches::game,
            matches::variant,
            members::seat,
            matches::winner
        ))
        .order((matches::game, matches::variant, members::seat))
        .select((
            matches::game,
            matches::variant,
            members::seat.assume_not_null(),
            matches::winner.assume_not_null(),
            count_star(),
        ))
        .load(c))?)
}

pub fn overdue(
    conn: &mut Conn,
    now: Time,
    limit: i64,
) -> Result<Vec<(MatchId, MatchKind)>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::deadline.le(now))
        .order((matches::deadline, matches::id))
        .limit(limit)
        .select((matches::id, matches::kind))
        .load(c))?)
}

/// The matches in which a player can lose by time.
pub fn with_deadline(conn: &mut Conn) -> Result<Vec<(MatchId, MatchKind)>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::deadline.is_not_null())
        .order((matches::deadline, matches::id))
        .select((matches::id, matches::kind))
        .load(c))?)
}

/// The players who began matches where one of `computers` is to move, guests or those with an account; the match that
/// has waited longest comes first.
pub fn waiting_beginners(
    conn: &mut Conn,
    computers: &[AccountId],
    are_guests: bool,
    limit: i64,
) -> Result<Vec<AccountId>, StoreError> {
    let longest = diesel::dsl::min(matches::updated_at);
    let rows: Vec<(AccountId, Option<i64>)> = on_db!(conn, |c| matches::table
        .inner_join(accounts::table)
        .filter(matches::to_move.eq_any(computers))
        .filter(accounts::guest_since.is_not_null().eq(are_guests))
        .group_by(matches::created_by)
        .order(longest)
        .limit(limit)
        .select((matches::created_by, longest))
        .load(c))?;
    Ok(rows.into_iter().map(|(beginner, _)| beginner).collect())
}

/// The correspondence matches that an account began, the newest first.
pub fn begun_by(conn: &mut Conn, account: &AccountId) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::kind.eq(MatchKind::Correspondence))
        .filter(matches::created_by.eq(account))
        .order((matches::created_at.desc(), matches::id))
        .select(MatchRow::as_select())
        .load(c))?)
}

/// The matches that `beginner` began where one of `accounts` is to move; the one that has waited longest comes first.
pub fn waiting_for(
    conn: &mut Conn,
    accounts: &[AccountId],
    beginner: &AccountId,
    limit: i64,
) -> Result<Vec<MatchId>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::to_move.eq_any(accounts))
        .filter(matches::created_by.eq(beginner))
        .order((matches::updated_at, matches::id))
        .limit(limit)
        .select(matches::id)
        .load(c))?)
}

pub fn to_look_at(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<MatchRow>, StoreError> {
    Ok(on_db!(conn, |c| matches::table
        .filter(matches::look_at.le(now))
        .order((matches::look_at, matches::id))
        .limit(limit)
        .select(MatchRow::as_select())
        .load(c))?)
}

/// Claims the check of a match that is due at `now`; the next one is then at `next`. `false` if another process has
/// claimed it, or none is due any more.
pub fn claim_look(
    conn: &mut Conn,
    id: &MatchId,
    now: Time,
    next: Option<Time>,
) -> Result<bool, StoreError> {
    let claimed = on_db!(conn, |c| diesel::update(
        matches::table.find(id).filter(matches::look_at.le(now))
    )
    .set(matches::look_at.eq(next))
    .execute(c))?;
    Ok(claimed == 1)
}
