//! The web: routes, and the one mapping of errors to answers.
//!
//! A handler is thin: it reads what was asked ([`visit::RequestContext`], [`visit::Post`]), lets [`App`]
//! act or look, and fills in a template. Whatever goes wrong is a [`Failure`]; the layer in
//! [`outer`] turns it into a page, with the status of [`Failure::status_code`] and nothing that
//! would help an attacker. Forms that are refused come back filled in; see [`problems`].

use std::fmt::{self, Display};
use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpResponse, HttpServer, ResponseError};
use tokio::sync::watch;

use crate::app::{App, AppError};
use perplex_matches::post::Refusal;

mod account;
mod assets;
mod class;
mod games;
mod home;
mod host;
mod kept;
mod lesson;
mod live;
mod lobby;
mod matches;
mod outer;
mod player;
mod problems;
mod pupil;
mod qr;
mod rulebook;
mod sign;
mod steps;
mod table;
mod team;
mod tries;
mod visit;
mod words;

/// What a handler gives.
pub type Answer = Result<HttpResponse, Failure>;

/// Why a request was not answered as asked.
#[derive(Debug)]
pub enum Failure {
    /// The application says no.
    App(AppError),
    /// A form without its proof that it came from one of our pages.
    Forged,
    /// A page that could not be filled in.
    Template(askama::Error),
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App(error) => Display::fmt(error, f),
            Self::Forged => f.write_str(
                "This form is no longer current, perhaps because you signed in or out in another \
                 window. Please go back, load the page again and send it once more.",
            ),
            Self::Template(error) => write!(f, "template: {error}"),
        }
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        Self::App(error)
    }
}

impl From<askama::Error> for Failure {
    fn from(error: askama::Error) -> Self {
        Self::Template(error)
    }
}

/// The status that answers an error of the application.
fn status_of(error: &AppError) -> StatusCode {
    match error {
        AppError::NotFound => StatusCode::NOT_FOUND,
        AppError::SignIn => StatusCode::SEE_OTHER,
        AppError::Forbidden(_) => StatusCode::FORBIDDEN,
        AppError::Refused(Refusal::Changed)
        | AppError::RefusedInTeam(perplex_matches::team::Refusal::Changed(_), _) => {
            StatusCode::CONFLICT
        }
        AppError::Refused(_) | AppError::RefusedInTeam(..) | AppError::Invalid(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        AppError::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
        AppError::Store(_) | AppError::Journal(_) | AppError::Internal(_) => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::App(error) => status_of(error),
            Self::Forged => StatusCode::FORBIDDEN,
            Self::Template(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// An empty answer: [`outer::pages`] knows the visitor and fills it in.
    fn error_response(&self) -> HttpResponse<BoxBody> {
        HttpResponse::new(self.status_code())
    }
}

/// Whether the program is stopping, for answers that would otherwise go on for ever.
#[derive(Clone)]
struct Stopping(watch::Receiver<bool>);

/// All routes, with everything around them. The [`Data`] of the [`App`] has to be there.
pub fn configure(cfg: &mut ServiceConfig) {
    // The first is the innermost.
    let all = web::scope("")
        .app_data(web::FormConfig::default().limit(64 * 1024))
        .configure(routes)
        .default_service(web::to(home::nothing))
        .wrap(from_fn(outer::pages))
        .wrap(from_fn(outer::headers))
        .wrap(Compress::default())
        .wrap(from_fn(outer::log));
    cfg.service(all);
}

/// The map of the site. What is secret in a path is called `token`: then it is not logged.
fn routes(cfg: &mut ServiceConfig) {
    use web::{get, post};
    // Routes are tried in this order: what is asked for most comes first.
    cfg.route("/match/{id}", get().to(matches::now))
        .route("/", get().to(home::landing))
        .route("/healthz", get().to(home::health))
        .route("/robots.txt", get().to(home::robots))
        .route("/theme", post().to(home::theme))
        .route("/squares", post().to(home::squares))
        .route("/static/{hash}/{name}", get().to(assets::serve))
        // Games
        .route("/games", get().to(games::list))
        .route("/games/perplexichess", get().to(team::rules::page))
        .route("/games/{key}", get().to(games::rules))
        .route("/try", get().to(tries::list))
        .route("/try", post().to(tries::open))
        .route("/try/{key}", get().to(tries::game))
        // Matches
        .route("/lobby", get().to(lobby::lobby))
        .route("/matches", get().to(lobby::mine))
        .route("/matches", post().to(lobby::create))
        .route("/match/{id}/at/{ply}", get().to(matches::at))
        .route(
            "/match/{id}/record.{form:txt|json|pgn}",
            get().to(matches::record::record),
        )
        .route("/match/{id}/changes", get().to(matches::record::changes))
        .route("/match/{id}/invite", post().to(matches::acts::invite))
        .route("/match/{id}/turn", post().to(matches::acts::turn))
        .route("/match/{id}/talk", post().to(matches::acts::talk))
        .route("/match/{id}/draw", post().to(matches::acts::draw))
        .route("/match/{id}/resign", post().to(matches::acts::resign))
        .route("/match/{id}/join", post().to(matches::acts::join))
        .route("/match/{id}/refuse", post().to(matches::acts::refuse))
        .route("/match/{id}/withdraw", post().to(matches::acts::withdraw))
        .route("/match/{id}/live", get().to(live::stream))
        .route("/match/{id}/heads", get().to(live::heads))
        .route(
            "/join/{id}/{token}",
            get().to(matches::invitation::invitation),
        )
        .route(
            "/join/{id}/{token}",
            post().to(matches::invitation::join_by_link),
        )
        .route("/player/{name}", get().to(player::player))
        // TeamRequest and going
        .route("/sign-in", get().to(sign::sign_in_form))
        .route("/sign-in", post().to(sign::sign_in))
        .route("/sign-up", get().to(sign::sign_up_form))
        .route("/sign-up", post().to(sign::sign_up))
        .route("/sign-out", post().to(sign::sign_out))
        .route("/reset", get().to(sign::ask_reset_form))
        .route("/reset", post().to(sign::ask_reset))
        // The links in mails. A token may contain slashes.
        .route("/reset/{token:.+}", get().to(sign::reset_form))
        .route("/reset/{token:.+}", post().to(sign::reset))
        .route("/verify/{token:.+}", get().to(sign::verify_form))
        .route("/verify/{token:.+}", post().to(sign::verify))
        .route("/email/{token:.+}", get().to(sign::confirm_email_form))
        .route("/email/{token:.+}", post().to(sign::confirm_email))
        .route("/mail/off/{token:.+}", get().to(sign::mail_off_form))
        .route("/mail/off/{token:.+}", post().to(sign::mail_off))
        // The account
        .route("/account", get().to(account::account))
        .route("/account/name", post().to(account::name))
        .route("/account/password", post().to(account::password))
        .route("/account/email", post().to(account::email))
        .route("/account/preferences", post().to(account::preferences))
        .route("/account/mail", post().to(account::mail))
        .route("/account/sessions", post().to(account::sessions))
        .route("/account/delete", post().to(account::delete))
        // The house
        .route("/host", get().to(host::status))
        .route("/host/mail", get().to(host::outbox))
        .route("/host/mail/retry", post().to(host::retry))
        .route("/host/users", get().to(host::users))
        .route("/host/files", get().to(host::files))
        .route("/host/files/{name}", get().to(host::file));
    class::routes(cfg);
    pupil::routes(cfg);
    team::routes(cfg);
    lesson::routes(cfg);
}

/// How long requests in hand may take once the program is to stop, in seconds.
const LAST_REQUESTS: u64 = 10;

/// How long a connection may be open before its first request has come. Browsers open some beforehand, and take what
/// is said on them after that time, "408", for the answer to what they ask next: a script of the page was missing
/// then. They close what they do not use within less than this.
const FIRST_REQUEST: Duration = Duration::from_mins(10);

/// Answers requests that come in at `listener` until `stop` is done; then those in hand are
/// finished and open streams end. `proxies` stand before the program.
///
/// # Errors
/// The listener cannot be used.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    proxies: usize,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stopping, stopped) = watch::channel(false);
    let data = Data::from(app);
    let kept = Data::new(kept::PageCache::default());
    let server = HttpServer::new(move || {
        actix_web::App::new()
            .app_data(data.clone())
            .app_data(kept.clone())
            .app_data(Stopping(stopped.clone()))
            .app_data(visit::Proxies(proxies))
            .configure(configure)
    })
    .listen(listener)?
    .disable_signals()
    .shutdown_timeout(LAST_REQUESTS)
    .client_request_timeout(FIRST_REQUEST)
    .run();
    let handle = server.handle();
    let server = actix_web::rt::spawn(server);
    stop.await;
    // An open stream is a request in hand, too: it is told to end.
    let _ = stopping.send(true);
    handle.stop(true).await;
    server.await.map_err(io::Error::other)?
}
