//! The application of one process, shared by all tests of it.

use std::fmt::Debug;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use argon2::{Algorithm, Argon2, Params, Version};
use perplex::app::accounts::SignUp;
use perplex::app::classes::{ClassView, Pupil};
use perplex::app::correspondence::{NewMatch, Opponent};
use perplex::app::mails::{DueMail, Outcome};
use perplex::app::team::door::{JoinOutcome, Joiner};
use perplex::app::team::{TeamAccess, TeamView};
use perplex::app::{App, AppError, Clock, Viewer, Visitor};
use perplex::mail::account::AccountText;
use perplex::mail::{About, Message};
use perplex::secret::{Key, KeyRing};
use perplex::site::Site;
use perplex::store::heartbeat;
use perplex::store::mail_settings::MailSettings;
use perplex::store::outbox::{self, MailRow, OutboxState};
use perplex::store::{Page, Store, StoreError};
use perplex::texts;
use perplex_matches::correspondence;
use perplex_matches::id::{AccountId, ClassId, MatchId};
use perplex_matches::team::event::Terms;
use perplex_matches::team::{Command, Match};
use perplex_matches::time::Time;

use crate::failures::Failures;
use crate::support::Database;

/// The time at which tests begin.
pub const START: i64 = 1_800_000_000_000_000;
/// The password of all test accounts.
pub const PASSWORD: &str = "a long password";

/// A page that holds all that a test makes.
pub const ALL: Page = Page {
    number: 0,
    size: 1_000,
};

/// The result of an act that must succeed. If it fails, the error and the line of the test are told.
#[track_caller]
pub fn done<T, E: Debug>(act: impl Future<Output = Result<T, E>>) -> impl Future<Output = T> {
    let line = Location::caller();
    async move {
        act.await
            .unwrap_or_else(|error| panic!("{line}: {error:?}"))
    }
}

/// Checks that `part` is in the text.
#[track_caller]
pub fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in {text}");
}

/// Checks that `part` is not in the text.
#[track_caller]
pub fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "{part:?} in {text}");
}

/// The names of the wrong fields.
#[track_caller]
pub fn wrong<T>(result: Result<T, AppError>) -> Vec<&'static str> {
    match result {
        Err(AppError::Invalid(fields)) => fields.into_iter().map(|(field, _)| field).collect(),
        Err(error) => panic!("another error: {error:?}"),
        Ok(_) => panic!("taken"),
    }
}

/// Why a command in a correspondence match was refused.
#[track_caller]
pub fn refusal<T>(result: Result<T, AppError>) -> correspondence::Refusal {
    match result {
        Err(AppError::Refused(refusal)) => refusal,
        Err(error) => panic!("another error: {error:?}"),
        Ok(_) => panic!("taken"),
    }
}

/// Checks that a mailed link was refused.
#[track_caller]
pub fn gone<T>(result: Result<T, AppError>) {
    forbidden(result);
}

/// Checks that it is not there, or hidden.
#[track_caller]
pub fn not_found<T>(result: Result<T, AppError>) {
    let error = result.err();
    assert!(matches!(error, Some(AppError::NotFound)), "{error:?}");
}

/// Checks that the right to it is missing.
#[track_caller]
pub fn forbidden<T>(result: Result<T, AppError>) {
    let error = result.err();
    assert!(matches!(error, Some(AppError::Forbidden(_))), "{error:?}");
}

/// Checks that a form was refused.
#[track_caller]
pub fn invalid<T>(result: Result<T, AppError>) {
    let error = result.err();
    assert!(matches!(error, Some(AppError::Invalid(_))), "{error:?}");
}

/// True if there were too many tries.
pub fn too_often<T>(result: Result<T, AppError>) -> bool {
    matches!(result, Err(AppError::TooOften(seconds)) if seconds > 0)
}

/// A runtime with threads for what is spawned, whose failures are those of the test on this thread.
pub fn threads() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .on_thread_start(Failures::here().on_thread_start())
        .build()
        .expect("a runtime")
}

/// As [`threads`], to serve pages.
pub fn runtime() -> actix_web::rt::SystemRunner {
    actix_web::rt::System::with_tokio_rt(threads)
}

/// Runs `story` on every database, with what `open` makes of it. Stores block while they open and close: that happens
/// outside the runtime.
pub fn everywhere_with<T>(what: &str, open: impl Fn(&Database) -> T, story: impl AsyncFn(&T)) {
    for database in Database::all(what) {
        let _failures = Failures::here();
        let opened = open(&database);
        runtime().block_on(story(&opened));
    }
}

/// Runs `story` on every database, with one process.
pub fn everywhere(what: &str, story: impl AsyncFn(&TestApp)) {
    everywhere_with(what, TestApp::new, story);
}

/// The fastest password hashing that argon2 allows: test accounts need no protection.
pub fn cheap_hashing() -> Argon2<'static> {
    let least = Params::new(Params::MIN_M_COST, 1, 1, None);
    let least = least.expect("parameters that argon2 takes");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, least)
}

/// A process that runs the application: its own store and memory, and a clock that the test sets.
#[derive(Clone)]
pub struct TestApp {
    pub app: Arc<App>,
    pub time: Arc<AtomicI64>,
    /// A failure in the background must not stay unseen.
    failures: Arc<Failures>,
}

impl TestApp {
    /// An application with the keys that all processes on the database share. The store blocks while it opens and
    /// closes: make and drop this outside a runtime.
    pub fn new(database: &Database) -> Self {
        let time = Arc::new(AtomicI64::new(START));
        Self::with(database.open(), database.ring(), &time)
    }

    pub fn with(store: Store, ring: KeyRing, time: &Arc<AtomicI64>) -> Self {
        let read = Arc::clone(time);
        let clock = Clock::never_set(move || Time(read.load(Ordering::SeqCst)));
        Self::with_clock(store, ring, time, clock)
    }

    /// An application with a clock that does more than show `time`.
    pub fn with_clock(store: Store, ring: KeyRing, time: &Arc<AtomicI64>, clock: Clock) -> Self {
        let url = "https://perplex.example".to_owned();
        let site = Site::default();
        let mut app = App::new(store, Key::new([7; 64]), ring, url, None, site, clock);
        app.argon2 = cheap_hashing();
        app.limits.guesses.pause = Duration::from_millis(60);
        Self {
            app: Arc::new(app),
            time: Arc::clone(time),
            failures: Failures::here(),
        }
    }

    /// Lets a failure in the background whose text contains `text` happen; it must happen.
    pub fn expects_failure(&self, text: &'static str) {
        self.failures.expect(text);
    }

    /// An application for this site.
    pub fn on(database: &Database, site: Site) -> Self {
        let mut test = Self::new(database);
        let app = Arc::get_mut(&mut test.app);
        app.expect("no one else has it yet").site = site;
        test
    }

    pub fn wait(&self, duration: Duration) {
        let micros = i64::try_from(duration.as_micros()).expect("a short time");
        self.time.fetch_add(micros, Ordering::SeqCst);
    }

    /// As [`wait`](Self::wait), with a server that was there all the time.
    pub async fn lives(&self, duration: Duration) {
        for duration in [Duration::ZERO, duration] {
            self.wait(duration);
            let now = self.app.now();
            let beaten = self.app.store.write(move |conn| heartbeat::beat(conn, now));
            let _: Option<Time> = done::<_, StoreError>(beaten).await;
        }
    }

    pub fn set(&self, time: Time) {
        self.time.store(time.0, Ordering::SeqCst);
    }

    /// The viewer of this session, if it has not ended.
    pub async fn viewer(&self, token: &str) -> Option<Viewer> {
        self.app.viewer(token).await.expect("the database")
    }

    pub async fn signed_in(&self, token: &str) -> Viewer {
        self.viewer(token).await.expect("a session")
    }

    /// A new admin, signed in: the shortest way to an account, since it needs no mail.
    pub async fn admin(&self, name: &str) -> Viewer {
        let form = sign_up_form(name);
        done(self.app.create_account(form, true)).await;
        self.sign_in_again(name).await
    }

    /// As [`admin`](Self::admin), for team matches.
    pub async fn visit(&self, name: &str) -> TeamAccess {
        visit_of(self.admin(name).await)
    }

    /// Lets a pupil join a lesson by its code, on a device of their own.
    pub async fn come_as(&self, code: &str, pupil: &AccountId) -> TeamAccess {
        let comer = Joiner::Pupil(pupil.clone());
        let from = device_of(pupil);
        match self.app.join_lesson(code, &comer, "", None, &from).await {
            Ok(JoinOutcome::In(_, Some(token))) => self.visit_with(&token).await,
            other => panic!("{pupil}: {other:?}"),
        }
    }

    /// The viewer of this session, for team matches.
    pub async fn visit_with(&self, token: &str) -> TeamAccess {
        visit_of(self.signed_in(token).await)
    }

    /// The viewer of another session of this account.
    pub async fn sign_in_again(&self, name: &str) -> Viewer {
        let token = done(self.app.sign_in(name, PASSWORD, &here())).await;
        self.signed_in(&token).await
    }

    /// As [`sign_in_again`](Self::sign_in_again), for team matches.
    pub async fn visit_again(&self, name: &str) -> TeamAccess {
        visit_of(self.sign_in_again(name).await)
    }

    /// A new account, made as players do: with its address proved by mail.
    pub async fn sign_up(&self, form: SignUp) -> Viewer {
        let from = Visitor::default();
        let password = form.password.clone();
        self.app.sign_up(form, &from).await.expect("signed up");
        let token = self.token("verify").await;
        let session = self.app.verify(&token, &password, &from).await;
        self.signed_in(&session.expect("a good link")).await
    }

    /// A class with these pupils.
    pub async fn class(&self, teacher: &Viewer, names: &str) -> ClassId {
        done(self.app.create_class(teacher, "7b", true, names)).await
    }

    /// A lesson of the class.
    pub async fn lesson_of(&self, teacher: &Viewer, class: &ClassId) -> MatchId {
        done(self.app.start_lesson(teacher, class)).await
    }

    /// Lets `other` share a class of `owner`.
    pub async fn share(&self, owner: &Viewer, class: &ClassId, other: &Viewer) {
        done(self.app.offer_class(owner, class, &other.name)).await;
        self.app.accept_class(other, class).await.expect("accepted");
    }

    pub async fn rows(&self, tray: OutboxState) -> Vec<MailRow> {
        let read = self
            .app
            .store
            .read(move |conn| outbox::list(conn, tray, ALL));
        let rows: Result<_, StoreError> = read.await;
        rows.expect("the outbox")
    }

    /// The mails written since the last call, each due within three hours and not tried yet; marks them as sent.
    pub async fn take_rows(&self) -> Vec<MailRow> {
        let now = self.app.now();
        let rows = self.rows(OutboxState::Waiting).await;
        for row in &rows {
            assert_eq!((row.attempts, row.leased_until), (0, None));
            let latest = now + Duration::from_hours(3);
            assert!(row.due_at <= latest, "{} is not due", row.kind);
        }
        self.mark_sent(&rows).await;
        rows
    }

    /// The waiting mails with their subjects, none if it is needless; marks them as sent.
    pub async fn letters(&self) -> Vec<(MailRow, Option<About>)> {
        let rows = self.rows(OutboxState::Waiting).await;
        self.mark_sent(&rows).await;
        let mut letters = Vec::new();
        for row in rows {
            let loaded = self.load(&row).await;
            letters.push((row, loaded.ok().map(|mail| mail.about)));
        }
        letters
    }

    /// Leases all mails that are due.
    pub async fn lease(&self) -> Vec<Vec<DueMail>> {
        let lease = Duration::from_mins(5);
        done(self.app.mark_and_lease(Vec::new(), 1_000, lease)).await
    }

    /// Writes what became of mails.
    pub async fn mark(&self, mails: Vec<(DueMail, Outcome)>) {
        let leased = done(self.app.mark_and_lease(mails, 0, Duration::ZERO)).await;
        assert!(leased.is_empty());
    }

    async fn mark_sent(&self, rows: &[MailRow]) {
        let now = self.app.now();
        let ids: Vec<_> = rows.iter().map(|row| row.id.clone()).collect();
        let sent = self.app.store.write(move |conn| {
            for id in &ids {
                outbox::sent(conn, id, now)?;
            }
            Ok::<_, StoreError>(())
        });
        sent.await.expect("the outbox");
    }

    pub async fn mail(&self, row: &MailRow) -> Message {
        self.load(row).await.expect("a mail that is needed")
    }

    /// The subject of a mail.
    pub async fn about(&self, row: &MailRow) -> About {
        self.mail(row).await.about
    }

    /// The address to which a mail is sent.
    pub async fn goes_to(&self, row: &MailRow) -> String {
        self.mail(row).await.to
    }

    /// True if the news of a mail still hold.
    pub async fn is_wanted(&self, row: &MailRow) -> bool {
        self.load(row).await.is_ok()
    }

    /// The mail of a row, or the reason why it is needless.
    async fn load(&self, row: &MailRow) -> Result<Message, &'static str> {
        let due = vec![DueMail::from(row.clone())];
        match done(self.app.read_mails(due)).await {
            (Some(mail), _) => Ok(Message::of(mail)),
            (None, outcomes) => match outcomes[0] {
                Outcome::Needless(why) => Err(why),
                ref outcome => panic!("{outcome:?}"),
            },
        }
    }

    /// The token in the only mail written since the last call, which must be of this kind.
    pub async fn token(&self, kind: &str) -> String {
        let rows = self.take_rows().await;
        let row = rows.iter().find(|row| row.kind == kind);
        let row = row.unwrap_or_else(|| panic!("no mail of the kind {kind}: {rows:?}"));
        self.token_in(row).await
    }

    pub async fn token_in(&self, row: &MailRow) -> String {
        match self.about(row).await {
            About::Account(
                AccountText::Verify { token }
                | AccountText::Reset { token }
                | AccountText::ChangeAddress { token }
                | AccountText::OldAddress { token, .. },
            ) => token,
            _ => panic!("no token in {}", row.kind),
        }
    }

    /// Runs a command in a team match.
    pub async fn act(&self, visit: &TeamAccess, id: &MatchId, command: Command) {
        let done = self.app.act_in_team(visit, id, command.clone()).await;
        done.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    }

    pub async fn refused(&self, visit: &TeamAccess, id: &MatchId, command: Command) -> AppError {
        match self.app.act_in_team(visit, id, command.clone()).await {
            Ok(_) => panic!("{command:?} was taken"),
            Err(error) => error,
        }
    }

    /// Checks that a command is refused in these words.
    pub async fn refuses(&self, visit: &TeamAccess, id: &MatchId, command: Command, says: &str) {
        let error = self.refused(visit, id, command).await;
        has(&texts::refusal::error(&error), says);
    }

    pub async fn team_match(&self, host: &TeamAccess, terms: Terms) -> MatchId {
        done(self.app.create_team(account(host), "Monday", terms)).await
    }

    pub async fn view(&self, visit: &TeamAccess, id: &MatchId) -> TeamView {
        done(self.app.load_team_match(visit, id, None)).await
    }

    pub async fn team_state(&self, visit: &TeamAccess, id: &MatchId) -> Arc<Match> {
        Arc::clone(&self.view(visit, id).await.state)
    }
}

/// Settings with which these kinds of mail do not come.
pub fn mails_without(kinds: &[&str]) -> MailSettings {
    let settings = MailSettings::default();
    kinds
        .iter()
        .fold(settings, |settings, kind| settings.without(kind))
}

pub fn visit_of(viewer: Viewer) -> TeamAccess {
    TeamAccess {
        account: Some(viewer),
        ..TeamAccess::default()
    }
}

/// A match of `game` with three days a turn; `wish` is the seat that its maker wants.
pub fn new_match(game: &str, variant: &str, wish: Option<&str>, opponent: Opponent) -> NewMatch {
    NewMatch {
        terms: correspondence::event::Terms {
            game: game.to_owned(),
            variant: variant.to_owned(),
            days: 3,
            open: false,
        },
        wish: wish.map(str::to_owned),
        opponent,
    }
}

/// Quixo for two; its maker plays first.
pub fn quixo_with(opponent: Opponent) -> NewMatch {
    new_match("quixo", "", Some("first"), opponent)
}

/// A visitor without a session.
pub fn here() -> Visitor {
    Visitor {
        address: "::1".to_owned(),
        agent: "test".to_owned(),
        ..Visitor::default()
    }
}

/// Takes a place in a match.
pub fn join() -> correspondence::Command {
    correspondence::Command::Join {
        wish: None,
        by_link: false,
    }
}

/// Plays this turn, which follows `ply` others.
pub fn play(ply: usize, turn: &str) -> correspondence::Command {
    correspondence::Command::Play {
        ply,
        turn: turn.to_owned(),
        offer: false,
    }
}

pub fn sign_up_form(name: &str) -> SignUp {
    SignUp {
        name: name.to_owned(),
        email: format!("{name}@example.org"),
        password: PASSWORD.to_owned(),
        zone: "Europe/Berlin".to_owned(),
        ..SignUp::default()
    }
}

/// The account that visits.
pub fn account(visit: &TeamAccess) -> &Viewer {
    visit.account.as_ref().expect("signed in")
}

/// The pupil of a class with this name.
pub fn pupil_called<'a>(class: &'a ClassView, name: &str) -> &'a Pupil {
    let found = class.pupils.iter().find(|pupil| pupil.name == name);
    found.unwrap_or_else(|| panic!("no pupil {name}"))
}

/// The proof at the end of a link.
pub fn proof_of(link: &str) -> Option<String> {
    link.rsplit('/').next().map(str::to_owned)
}

/// A device that only one person uses.
pub fn device_of(account: &AccountId) -> Visitor {
    Visitor {
        browser: account.0.clone(),
        ..Visitor::default()
    }
}
