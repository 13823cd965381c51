//! Team matches: their routes, who comes to them, and what all their pages share.
//!
//! A page of a match is made of parts, each with an address of its own, which open pages fetch again when
//! the numbers of `live` say that they are old: [`TeamContext`] is what a part is made from.

use std::fmt::Write as _;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;

use actix_web::cookie::time::Duration;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::web::ServiceConfig;
use actix_web::{FromRequest, HttpRequest, HttpResponse};

use crate::app::teams::TeamView;
use crate::app::{AppError, teams};
use crate::web::answer::{Answer, Failure, see};
use crate::web::fields::Fields;
use crate::web::problems::{NONE, Problems};
use crate::web::request::RequestContext;
use crate::web::words;
use perplex_games::perplexichess::BoardNo;
use perplex_matches::id::MatchId;
use perplex_matches::team::Phase;

mod boards;
mod desk;
mod gather;
mod help;
mod lesson;
mod live;
mod log;
mod look;
mod make;
mod moves;
mod page;
mod people;
mod record;
mod report;
pub mod rules;
mod show;
mod talk;
mod transfer;

/// The cookie that remembers the proof of a match's link for joining, for the pages of that match.
const JOIN: &str = "join";

/// What the query of an address keeps from link to link: the large board, how boards are turned, what the log
/// shows, the channel that is open, the step of the walk-through, whether the page stays as it is in a browser without
/// scripts. No field of a form has one of these names.
const STICKY_PARAMS: [&str; 6] = ["board", "turned", "log", "channel", "help", "still"];
/// The pages of a match at their own addresses.
const PAGES: [&str; 3] = ["/team/{id}", "/team/{id}/at/{event}", "/team/{id}/desk"];

/// The map of the pages of team matches. What is secret in a path is called `token`: then it is not logged.
pub fn routes(cfg: &mut ServiceConfig) {
    use actix_web::web::{get, post};
    // The match
    cfg.route("/team/{id}", get().to(page::now))
        .route("/team/{id}/at/{event}", get().to(page::at))
        .route("/team/{id}/live", get().to(live::stream))
        .route("/team/{id}/heads", get().to(live::heads))
        .route("/team/{id}/board/{board}", get().to(page::board))
        .route("/team/{id}/log", get().to(log::fragment))
        .route("/team/{id}/transfer", get().to(transfer::fragment))
        .route("/team/{id}/receivers", get().to(transfer::receivers))
        .route("/team/{id}/people", get().to(people::fragment))
        .route("/team/{id}/talk", get().to(talk::fragment))
        .route("/team/{id}/turn/{board}", post().to(page::turn))
        .route("/team/{id}/draw/{board}", post().to(page::draw))
        .route("/team/{id}/resign/{board}", post().to(page::resign))
        .route("/team/{id}/transfer", post().to(transfer::transfer))
        // The projector
        .route("/team/{id}/show/{token}", get().to(show::page))
        .route("/team/{id}/show/{token}/live", get().to(live::stream))
        .route("/team/{id}/show/{token}/heads", get().to(live::heads))
        .route("/team/{id}/show/{token}/log", get().to(show::fragment))
        .route(
            "/team/{id}/show/{token}/ended",
            get().to(record::projected_fragment),
        )
        .route(
            "/team/{id}/show/{token}/board/{board}",
            get().to(page::board),
        );
    // Around the boards
    desk::routes(cfg);
    gather::routes(cfg);
    lesson::routes(cfg);
    report::routes(cfg);
    people::routes(cfg);
    talk::routes(cfg);
    record::routes(cfg);
    cfg.route("/team/{id}/help", post().to(help::seen))
        .route("/team/{id}/moves", get().to(moves::page))
        .route("/games/perplexichess/card", get().to(rules::card));
    cfg.route("/teams", get().to(make::list))
        .route("/teams", post().to(make::create))
        .route("/team/{id}/decline", post().to(make::decline));
}

/// Somebody who comes to a team match: who, and what links were shown. The projector's page is nobody's: on
/// it an account counts for nothing.
pub struct TeamRequest {
    /// The visitor.
    pub request: RequestContext,
    /// The match.
    pub id: MatchId,
    /// What the application is asked with.
    pub access: teams::Visit,
    /// What the addresses of the page's parts begin with: `/team/ID`, that with `/desk`, or the projector's link.
    pub base: String,
    /// Whether it is the host's desk.
    pub is_desk: bool,
    /// Whether what is asked for is a page of the match at its own address: then the browser knows the path of links
    /// that lead to the same page, and there are hundreds of them.
    is_page: bool,
}

impl FromRequest for TeamRequest {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(http: &HttpRequest, _: &mut Payload) -> Self::Future {
        let http = http.clone();
        Box::pin(async move {
            let request = RequestContext::of(&http).await?;
            let path = http.match_info();
            let id = MatchId(path.get("id").unwrap_or_default().to_owned());
            let token = path.get("token").map(str::to_owned);
            let pattern = http.match_pattern().unwrap_or_default();
            if pattern.starts_with("/team/{id}/show/") {
                // For a pupil there are the lessons of the own class, and whatever is shown on the wall.
                if request.is_pupil() {
                    return Err(AppError::NotFound.into());
                }
                let base = format!("/team/{id}/show/{}", token.as_deref().unwrap_or_default());
                let access = teams::Visit {
                    projector: token,
                    ..teams::Visit::default()
                };
                return Ok(Self {
                    request,
                    id,
                    access,
                    base,
                    is_desk: false,
                    is_page: false,
                });
            }
            let remembered = || http.cookie(JOIN).map(|cookie| cookie.value().to_owned());
            let access = teams::Visit {
                account: request.viewer.clone(),
                link: token.or_else(remembered),
                projector: None,
            };
            let is_desk = pattern.starts_with("/team/{id}/desk");
            let base = format!("/team/{id}{}", if is_desk { "/desk" } else { "" });
            let is_page = http.method() == Method::GET && PAGES.contains(&pattern.as_str());
            Ok(Self {
                request,
                id,
                access,
                base,
                is_desk,
                is_page,
            })
        })
    }
}

impl Deref for TeamRequest {
    type Target = RequestContext;

    fn deref(&self) -> &RequestContext {
        &self.request
    }
}

impl TeamRequest {
    /// The match as whoever comes may see it.
    pub async fn view(&self, at: Option<i32>) -> Result<TeamView, Failure> {
        Ok(self.request.app.team(&self.access, &self.id, at).await?)
    }

    /// The address of the match's own page.
    pub fn home(&self) -> String {
        format!("/team/{}", self.id)
    }

    /// Remembers the link that was shown, for the other pages of this match. It is a proof, and is looked
    /// at anew each time.
    pub fn remember(&self, response: &mut HttpResponse) {
        let Some(proof) = &self.access.link else {
            return;
        };
        let mut cookie = self.request.cookie(JOIN, proof, Duration::days(30));
        cookie.set_path(self.base.clone());
        // Only a cookie that is no valid header is refused.
        let _ = response.add_cookie(&cookie);
    }
}

/// What a page in a browser without scripts does by itself.
pub struct Reloading {
    /// It stays as it is, as somebody wished.
    pub still: bool,
    /// The address where it is the other way.
    pub other: String,
}

/// What a part of a page is made from.
#[derive(Clone, Copy)]
pub struct TeamContext<'a> {
    /// Who comes.
    pub request: &'a TeamRequest,
    /// The match as it is to be seen.
    pub view: &'a TeamView,
    /// What the address says, or a form that was refused.
    pub fields: &'a Fields,
    /// What was wrong with that form.
    pub problems: &'a Problems,
    /// The event after which the match is shown, if not as it stands.
    pub at: Option<i32>,
}

impl<'a> TeamContext<'a> {
    /// The match as it stands, with nothing wrong.
    pub fn now(request: &'a TeamRequest, view: &'a TeamView, fields: &'a Fields) -> Self {
        Self {
            request,
            view,
            fields,
            problems: &NONE,
            at: None,
        }
    }

    /// How a page loads itself anew in a browser without scripts, if it does at all: not once it is over, and not
    /// while something is being filled in.
    pub fn reloading(&self) -> Option<Reloading> {
        let goes_on = self.at.is_none() && self.view.state.phase != Phase::Over;
        if !goes_on || self.problems.any() || !self.fields.has_only(&STICKY_PARAMS) {
            return None;
        }
        let still = self.fields.has("still");
        Some(Reloading {
            still,
            other: self.address(&[("still", if still { "" } else { "1" })]),
        })
    }

    /// Whether this is the projector's page, where there is nothing to do.
    pub fn is_show(&self) -> bool {
        self.request.access.projector.is_some()
    }

    /// Where the match's pages are: `/team/ID`.
    pub fn base(&self) -> &'a str {
        &self.request.base
    }

    /// Whether this is the host's desk.
    pub fn is_desk(&self) -> bool {
        self.request.is_desk
    }

    /// The address of the page with `more` in its query; an empty value takes a name out of it.
    pub fn address(&self, more: &[(&str, &str)]) -> String {
        let query = self.query(more);
        if self.request.is_page && !query.is_empty() {
            query
        } else {
            self.path() + &query
        }
    }

    /// The piece that is about to change boards, for whoever may take one.
    pub fn take(&self) -> &'a str {
        if self.view.rights.command && self.at.is_none() {
            self.fields.get("take")
        } else {
            ""
        }
    }

    /// The address of the page as it is looked at.
    pub fn here(&self) -> String {
        self.address(&[("take", self.take())])
    }

    /// The address where another board is the large one.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates have references"
    )]
    pub fn select(&self, board: &BoardNo) -> String {
        if self.request.is_desk {
            return format!("{}?board={board}", self.request.home());
        }
        let board = board.to_string();
        self.address(&[("board", &board), ("take", self.take())])
    }

    /// The path of the page.
    pub fn path(&self) -> String {
        match self.at {
            Some(at) => format!("{}/at/{at}", self.base()),
            None => self.base().to_owned(),
        }
    }

    /// The address to which a form is sent, with what the page keeps: `turn/3`.
    pub fn act(&self, what: &str) -> String {
        format!("{}/{what}{}", self.base(), self.query(&[]))
    }

    /// The same for something that is done on a board.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates have references"
    )]
    pub fn act_on(&self, what: &str, board: &BoardNo) -> String {
        self.act(&format!("{what}/{board}"))
    }

    /// What the query keeps, for forms that are sent by the address.
    pub fn kept(&self) -> Vec<(&'static str, String)> {
        STICKY_PARAMS
            .iter()
            .map(|name| (*name, self.fields.get(name).to_owned()))
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    /// What the query keeps, with `more`.
    pub fn query(&self, more: &[(&str, &str)]) -> String {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for name in STICKY_PARAMS {
            if !more.iter().any(|(known, _)| *known == name) {
                pairs.push((name, self.fields.get(name)));
            }
        }
        pairs.extend(more);
        let mut query = String::new();
        for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
            let mark = if query.is_empty() { '?' } else { '&' };
            let _ = write!(query, "{mark}{name}={}", words::encode(value));
        }
        query
    }
}

/// The page after something was done: the match as it stands now, or what was wrong, with everything that
/// was typed. `query` is that of the address to which the form was sent.
pub async fn after(
    request: &TeamRequest,
    typed: &Fields,
    query: &Fields,
    result: Result<(), AppError>,
) -> Answer {
    let mut fields = typed.clone();
    for name in STICKY_PARAMS {
        fields = fields.with(name, query.get(name));
    }
    match result {
        Ok(()) => {
            let mut address = request.base.clone();
            for name in STICKY_PARAMS
                .iter()
                .filter(|name| !query.get(name).is_empty())
            {
                let mark = if address.contains('?') { '&' } else { '?' };
                let _ = write!(address, "{mark}{name}={}", words::encode(query.get(name)));
            }
            Ok(see(&address))
        }
        Err(error) => page::refused(request, &fields, error).await,
    }
}
