//! The pupils of a class, for its teachers, and how pupils sign in.

use super::super::team::lesson::{active, current};
use super::super::{App, AppError, Fault, NotAllowed, Viewer, Visitor, invalid};
use super::{ClassFault, MOST_PUPILS, add_pupils, given, open, read_names, seal};
use crate::app::guesses::Secret;
use crate::app::lifetimes::BY_CODE;
use crate::app::listed::ListedMatch;
use crate::secret::{KeyRing, hash_token};
use crate::store::classes::{self as rows, ClassRow, PupilRow};
use crate::store::door::{self, TakenName};
use crate::store::matches;
use crate::store::{
    Conn, MatchKind, Phase, StoreError,
    accounts::{self as account_rows, PupilSession},
    lessons as lesson_rows, members,
};
use perplex_matches::classroom::{roster, words};
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::names::key;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardOwner {
    pub id: AccountId,
    pub name: String,
    pub class: String,
    /// Those of the card.
    pub(in crate::app) words: String,
}

#[derive(Clone, Debug, Default)]
pub struct PupilHome {
    pub class: String,
    pub user: String,
    pub lessons: Vec<ListedMatch>,
    pub now: Option<Running>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    Mine(MatchId),
    Open(String),
}

impl Running {
    pub fn path(&self) -> String {
        match self {
            Self::Mine(id) => format!("/team/{id}"),
            Self::Open(code) => format!("/join/{code}"),
        }
    }
}

fn pupil_of(conn: &mut Conn, class: &ClassId, pupil: &AccountId) -> Result<PupilRow, AppError> {
    let found = rows::find_pupil(conn, pupil)?;
    let found = found.filter(|(_, of)| of == class);
    Ok(found.ok_or(AppError::NotFound)?.0)
}

/// A pupil with the class, if the pupil may sign in: has not left, and the class is not archived.
fn may_come(
    conn: &mut Conn,
    pupil: &AccountId,
) -> Result<Option<(PupilRow, ClassRow)>, StoreError> {
    let Some((row, class)) = rows::find_pupil(conn, pupil)? else {
        return Ok(None);
    };
    let class = rows::find(conn, &class)?.filter(|class| class.archived_at.is_none());
    Ok(class
        .filter(|_| row.removed_at.is_none())
        .map(|class| (row, class)))
}

/// As [`may_come`]; what it gives stays so until the transaction ends.
fn hold_pupil(conn: &mut Conn, pupil: &AccountId) -> Result<Option<PupilRow>, StoreError> {
    if let Some(class) = rows::of_pupil(conn, pupil)? {
        rows::hold(conn, &class)?;
    }
    rows::hold_pupil(conn, pupil)?;
    Ok(may_come(conn, pupil)?.map(|(row, _)| row))
}

/// True if these are, word for word, the words of a pupil who may sign in, as they stay until the transaction ends.
pub(in crate::app) fn has_words(
    conn: &mut Conn,
    ring: &KeyRing,
    pupil: &AccountId,
    words: &str,
) -> Result<bool, AppError> {
    let row = hold_pupil(conn, pupil)?;
    let has = row.map(|row| Ok::<_, AppError>(open(ring, &row)? == words));
    has.unwrap_or(Ok(false))
}

impl App {
    pub async fn add_pupils(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        names: &str,
    ) -> Result<usize, AppError> {
        let (names, zone) = (names.to_owned(), teacher.preferences.zone.clone());
        let (ring, now) = (self.ring.clone(), self.now());
        self.change_class(teacher, id, move |conn, row| {
            let names = read_names(&names, &given(conn, &row.id)?)?;
            if names.is_empty() {
                return Err(invalid("names", ClassFault::NoNames));
            }
            Ok(add_pupils(conn, &ring, &row.id, &zone, names, now)?.len())
        })
        .await
    }

    pub async fn rename_pupil(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        pupil: &AccountId,
        name: &str,
    ) -> Result<(), AppError> {
        let (pupil, name) = (pupil.clone(), name.to_owned());
        self.change_class(teacher, id, move |conn, row| {
            let known = pupil_of(conn, &row.id, &pupil)?;
            let name = roster::name(&name).map_err(|error| invalid("name", Fault::Name(error)))?;
            let same = key(&name);
            let mut taken = given(conn, &row.id)?.into_iter();
            if same != key(&known.name) && taken.any(|other| key(&other) == same) {
                return Err(invalid("name", ClassFault::NameTaken(name)));
            }
            rows::set_pupil_name(conn, &pupil, &name)?;
            Ok(members::rename_account(conn, &pupil, &name)?)
        })
        .await
    }

    /// Gives a pupil another phrase. The card with the old one is no longer good; all sessions of the pupil end, and
    /// no device keeps the pupil's name.
    pub async fn reset_phrase(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        pupil: &AccountId,
    ) -> Result<(), AppError> {
        let (pupil, ring) = (pupil.clone(), self.ring.clone());
        self.change_class(teacher, id, move |conn, row| {
            pupil_of(conn, &row.id, &pupil)?;
            let sealed = seal(&ring, &pupil, &words::phrase(&mut rand::rng()))?;
            rows::set_phrase(conn, &pupil, &sealed)?;
            account_rows::end_all_sessions(conn, &pupil)?;
            door::take_back_for(conn, &pupil)?;
            Ok(door::disown(conn, &pupil, None)?)
        })
        .await
    }

    pub async fn remove_pupil(
        &self,
        teacher: &Viewer,
        id: &ClassId,
        pupil: &AccountId,
        removed: bool,
    ) -> Result<(), AppError> {
        let (pupil, now) = (pupil.clone(), self.now());
        self.change_class(teacher, id, move |conn, row| {
            pupil_of(conn, &row.id, &pupil)?;
            rows::set_removed(conn, &pupil, removed.then_some(now))?;
            if removed {
                account_rows::end_all_sessions(conn, &pupil)?;
                door::take_back_for(conn, &pupil)?;
            }
            Ok(())
        })
        .await
    }

    /// The three words of the pupil, if they were typed as `phrase`. Wrong ones are counted.
    pub async fn words_of(
        &self,
        pupil: &AccountId,
        phrase: &str,
        visitor: &Visitor,
    ) -> Result<Option<String>, AppError> {
        let found = || {
            let asked = pupil.clone();
            self.read(move |conn| Ok::<_, AppError>(rows::find_pupil(conn, &asked)?))
        };
        let Some((_, class)) = found().await? else {
            return Ok(None);
        };
        let guess = Secret::Words(pupil, &class);
        let guess = self.limits.guesses.enter(visitor, guess).await?;
        // The guess may have waited, and the pupil got other words.
        let Some((row, _)) = found().await? else {
            return Ok(None);
        };
        let words = open(&self.ring, &row)?;
        let is_right = words::same_phrase(&words, phrase);
        if is_right {
            guess.was_right();
        }
        Ok(is_right.then_some(words))
    }

    pub async fn may_come(&self, pupil: &AccountId) -> Result<bool, AppError> {
        let pupil = pupil.clone();
        let found = self.read(move |conn| may_come(conn, &pupil));
        Ok(found.await?.is_some())
    }

    /// The path that signs a pupil in, with its proof: it is good as long as the phrase is.
    pub fn card_link(&self, user: &str, phrase: &str) -> String {
        format!("/card/{user}/{}", self.key.mac("card", &[user, phrase]))
    }

    pub async fn card_owner(&self, user: &str, proof: &str) -> Result<CardOwner, AppError> {
        let user = user.to_owned();
        let (user, (pupil, class)) = self
            .read(move |conn| {
                let Some(account) = account_rows::find_by_name(conn, &user)? else {
                    return Ok(None);
                };
                let found = may_come(conn, &account.id)?;
                Ok::<_, StoreError>(found.map(|found| (account.name, found)))
            })
            .await?
            .ok_or(AppError::NotFound)?;
        let phrase = open(&self.ring, &pupil)?;
        if !self.key.check("card", &[&user, &phrase], proof) {
            return Err(AppError::NotFound);
        }
        Ok(CardOwner {
            id: pupil.account_id,
            name: pupil.name,
            class: class.name,
            words: phrase,
        })
    }

    /// Signs in a pupil who came by the code of a lesson, for that lesson alone and for some hours; gives the token
    /// of the session, or `None` if this device no longer has the pupil's name there.
    pub async fn sign_in_by_code(
        &self,
        lesson: &MatchId,
        pupil: &AccountId,
        visitor: &Visitor,
    ) -> Result<Option<String>, AppError> {
        let name = TakenName {
            match_id: lesson.clone(),
            account_id: pupil.clone(),
            browser: visitor.browser.clone(),
        };
        let holds = move |conn: &mut Conn| {
            let may_come = hold_pupil(conn, &name.account_id)?.is_some();
            Ok((may_come && door::hold(conn, &name)?).then_some(()))
        };
        let until = self.now() + BY_CODE;
        let lesson = Some((lesson.clone(), until));
        let begun = self.start_session(pupil, visitor, lesson, holds).await?;
        Ok(begun.map(|(token, ())| token))
    }

    /// Adds a new pupil with a nickname to a class without a roster; gives the account.
    pub async fn join_by_nickname(&self, class: &ClassId) -> Result<AccountId, AppError> {
        let (class, ring, now) = (class.clone(), self.ring.clone(), self.now());
        self.write(move |conn| {
            rows::find(conn, &class)?
                .filter(|row| !row.roster && row.archived_at.is_none())
                .ok_or(AppError::NotFound)?;
            let taken = given(conn, &class)?;
            if current(conn, &class)?.len() >= MOST_PUPILS {
                return Err(AppError::Forbidden(NotAllowed::ClassFull));
            }
            let name = words::nickname(&mut rand::rng(), &taken);
            let owner = rows::teacher_ids(conn, &class)?.into_iter().next();
            let zone = match owner {
                Some(owner) => {
                    account_rows::find(conn, &owner)?.map(|account| account.preferences.zone)
                }
                None => None,
            };
            let zone = zone.unwrap_or_else(|| "UTC".to_owned());
            let made = add_pupils(conn, &ring, &class, &zone, vec![name], now)?;
            made.into_iter().next().ok_or(AppError::NotFound)
        })
        .await
    }

    pub async fn pupil_home(&self, viewer: &Viewer) -> Result<PupilHome, AppError> {
        let class = viewer.class.clone().ok_or(AppError::NotFound)?;
        let (me, only) = (viewer.id.clone(), viewer.lesson.clone());
        self.read(move |conn| {
            let row = rows::find(conn, &class)?.ok_or(AppError::NotFound)?;
            let account = account_rows::find(conn, &me)?.ok_or(AppError::NotFound)?;
            let mut lessons = matches::of_member(conn, MatchKind::Team, &me, Phase::ALL, 100)?;
            lessons.retain(|row| only.as_ref().is_none_or(|only| *only == row.id));
            lessons.sort_by_key(|row| std::cmp::Reverse(row.updated_at));
            let mine = lessons.iter().find(|row| row.phase != Phase::Over);
            let now = match mine {
                Some(row) => Some(Running::Mine(row.id.clone())),
                // A pupil who came by the code of one lesson is told of no other.
                None if only.is_some() => None,
                None => lesson_rows::open_code(conn, &class)?.map(Running::Open),
            };
            Ok::<_, AppError>(PupilHome {
                class: row.name,
                user: account.name,
                lessons: lessons.into_iter().map(ListedMatch::from).collect(),
                now,
            })
        })
        .await
    }

    /// The code of the lesson in which another pupil of this device would pick a name now. A pupil who came by the code
    /// of one lesson is told of no other, and of its present code only while they take part.
    pub async fn code_for_another(&self, viewer: &Viewer) -> Result<Option<String>, AppError> {
        let Some(class) = viewer.class.clone() else {
            return Ok(None);
        };
        let (me, only) = (viewer.id.clone(), viewer.lesson.clone());
        self.read(move |conn| match only {
            Some(lesson) => {
                if active(&members::of_match(conn, &lesson)?, &me).is_none() {
                    return Ok(None);
                }
                Ok(matches::find(conn, &lesson)?.and_then(|row| row.code))
            }
            None => Ok::<_, AppError>(lesson_rows::open_code(conn, &class)?),
        })
        .await
    }

    /// The pupils of those of these tokens whose sessions are good, in this order, with the token.
    pub async fn pupils_on_device(
        &self,
        tokens: Vec<String>,
    ) -> Result<Vec<(String, PupilSession)>, AppError> {
        let hashes: Vec<String> = tokens.iter().map(|token| hash_token(token)).collect();
        let (asked, now) = (hashes.clone(), self.now());
        let mut found = self
            .store
            .look_up(move |conn| account_rows::pupils_on_device(conn, &asked, now))
            .await?;
        Ok(tokens
            .into_iter()
            .zip(hashes)
            .filter_map(|(token, hash)| {
                let at = found.iter().position(|row| row.token_hash == hash)?;
                Some((token, found.swap_remove(at)))
            })
            .collect())
    }
}
