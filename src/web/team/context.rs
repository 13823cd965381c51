//! A request about a match: its viewer, the match, and the frame: page of the match, control panel or projector.

use std::future::{Future, Ready, ready};
use std::ops::Deref;
use std::pin::Pin;

use actix_web::cookie::time::Duration;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{FromRequest, HttpRequest, HttpResponse};

use crate::app::AppError;
use crate::app::team::{TeamAccess, TeamView};
use crate::texts;
use crate::web::answer::Failure;
use crate::web::beside::Asked;
use crate::web::fields::Fields;
use crate::web::opening::{Opening, opening};
use crate::web::problems::{NONE, Problems};
use crate::web::request::RequestContext;
use crate::web::rulebook;
use crate::web::untranslated;
use perplex_games::perplexichess::BoardNo;
use perplex_matches::id::MatchId;
use perplex_matches::team::Phase;
use perplex_matches::team::event::MemberId;
use perplex_matches::team::policy::{Viewer, rights};

/// The cookie that keeps the proof of a match's link for joining, for the pages of that match.
const JOIN: &str = "join";

/// The query parameters that an address keeps from link to link: the large board, how boards are turned, what the log
/// shows, the open channel, the step of the walk-through, and whether the page reloads in a browser without scripts.
/// No field of a form has one of these names.
pub const STICKY_PARAMS: [&str; 6] = ["board", "turned", "log", "channel", "help", "still"];
/// The pages of a match at their own addresses.
const PAGES: [&str; 3] = ["/team/{id}", "/team/{id}/at/{event}", "/team/{id}/control"];

/// A request about a team match: its viewer, and the links it brought. The projector's page belongs to no account:
/// there, accounts do not count.
#[derive(Clone)]
pub struct TeamRequest {
    pub request: RequestContext,
    pub id: MatchId,
    pub access: TeamAccess,
    /// The beginning of the addresses of the page's parts: `/team/ID`, that with `/control`, or the projector's link.
    pub base: String,
    pub is_control_panel: bool,
    /// True for a page of the match at its own address: then links to the same page, of which there are hundreds,
    /// need no path.
    pub is_page: bool,
    pub opening: Opening,
}

impl Asked for TeamRequest {
    fn asked(&self) -> &RequestContext {
        &self.request
    }
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
                // Pupils see the lessons of their own class, and whatever is shown on the wall.
                if request.is_pupil() {
                    return Err(AppError::NotFound.into());
                }
                let base = format!("/team/{id}/show/{}", token.as_deref().unwrap_or_default());
                let access = TeamAccess {
                    projector: token,
                    ..TeamAccess::default()
                };
                return Ok(Self {
                    request,
                    id,
                    access,
                    base,
                    is_control_panel: false,
                    is_page: false,
                    opening: Opening::Unknown,
                });
            }
            let remembered = || http.cookie(JOIN).map(|cookie| cookie.value().to_owned());
            let opening = opening(&http);
            let shows_past = pattern.starts_with("/team/{id}/at/");
            let opens = opening == Opening::ByReader && !shows_past;
            let access = TeamAccess {
                account: request.viewer.clone(),
                link: token.or_else(remembered),
                projector: None,
                is_unattended: !opens && http.method() != Method::POST,
            };
            let is_control_panel = pattern.starts_with("/team/{id}/control");
            let base = format!(
                "/team/{id}{}",
                if is_control_panel { "/control" } else { "" }
            );
            let is_page = http.method() == Method::GET && PAGES.contains(&pattern.as_str());
            if let Some(pupil) = request.viewer.as_ref().filter(|_| is_page) {
                request.app.own_name(&id, pupil, &request.from).await?;
            }
            Ok(Self {
                request,
                id,
                access,
                base,
                is_control_panel,
                is_page,
                opening,
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
    /// A request about the match whose pages have addresses that begin like this: `/team/ID/control`. The visitor brings
    /// no link but that of the projector.
    pub fn at(request: RequestContext, base: &str) -> Result<Self, Failure> {
        let parts: Vec<&str> = base.split('/').collect();
        let (id, token, is_control_panel) = match parts[..] {
            ["", "team", id] => (id, None, false),
            ["", "team", id, "control"] => (id, None, true),
            ["", "team", id, "show", token] if !request.is_pupil() => (id, Some(token), false),
            _ => return Err(AppError::NotFound.into()),
        };
        let account = request.viewer.clone().filter(|_| token.is_none());
        Ok(Self {
            access: TeamAccess {
                account,
                link: None,
                projector: token.map(str::to_owned),
                is_unattended: true,
            },
            request,
            id: MatchId(id.to_owned()),
            base: base.to_owned(),
            is_control_panel,
            is_page: false,
            opening: Opening::Unknown,
        })
    }

    pub async fn view(&self, at: Option<i32>) -> Result<TeamView, Failure> {
        Ok(self
            .request
            .app
            .load_team_match(&self.access, &self.id, at)
            .await?)
    }

    pub fn home(&self) -> String {
        format!("/team/{}", self.id)
    }

    /// Keeps the link that the visitor brought, for the other pages of this match. It is a proof, and is checked
    /// again each time.
    pub fn remember(&self, response: &mut HttpResponse) {
        let Some(proof) = &self.access.link else {
            return;
        };
        let mut cookie = self.request.cookie(JOIN, proof, Duration::days(30));
        // It belongs to one path, and `__Host-` cookies belong to all.
        cookie.set_name(JOIN);
        cookie.set_path(self.base.clone());
        // Only a cookie that is no valid header is refused.
        let _ = response.add_cookie(&cookie);
    }
}

pub struct Reloading {
    pub still: bool,
    pub other: String,
}

#[derive(Clone, Copy)]
pub struct TeamContext<'a> {
    pub request: &'a TeamRequest,
    pub view: &'a TeamView,
    pub fields: &'a Fields,
    pub problems: &'a Problems,
    /// The event after which the match is shown; `None` for its present state.
    pub at: Option<i32>,
}

impl<'a> TeamContext<'a> {
    pub fn now(request: &'a TeamRequest, view: &'a TeamView, fields: &'a Fields) -> Self {
        Self {
            request,
            view,
            fields,
            problems: &NONE,
            at: None,
        }
    }

    /// A sentence about the match, as HTML that leaves its people and turns untranslated.
    pub fn named(&self, text: &str) -> String {
        let members = self.view.names.values().map(String::as_str);
        untranslated::named(text, members.chain([texts::person(&self.view.host)]))
    }

    /// The viewer as a member who has not left.
    pub fn you(&self) -> Option<MemberId> {
        let member = self.view.viewer.member?;
        let current = self.view.state.members.get(&member)?.left.is_none();
        current.then_some(member)
    }

    pub fn link(&self, path: Option<&String>) -> Option<String> {
        path.map(|path| format!("{}{path}", self.request.app.url))
    }

    /// The way a page reloads in a browser without scripts, if at all: not once it is over, and not while a form
    /// is being filled in.
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

    /// The address of the picture that a link to the match shows where it is shared, if it is public: another one after
    /// each event. Empty if visitors see no boards.
    pub fn picture(&self) -> String {
        let visitor = Viewer {
            in_lesson: self.view.is_lesson,
            ..Viewer::default()
        };
        let seen = rights(&self.view.state, &visitor).boards;
        if seen.is_empty() {
            return String::new();
        }
        let home = self.request.home();
        format!("{home}/picture.png?after={}", self.view.last_number)
    }

    pub fn is_show(&self) -> bool {
        self.request.access.projector.is_some()
    }

    pub fn base(&self) -> &'a str {
        &self.request.base
    }

    pub fn is_control_panel(&self) -> bool {
        self.request.is_control_panel
    }

    /// The address of the page with `more` in its query; an empty value removes a parameter.
    pub fn address(&self, more: &[(&str, &str)]) -> String {
        let query = self.query(more);
        if self.request.is_page && !query.is_empty() {
            query
        } else {
            self.path() + &query
        }
    }

    pub fn take(&self) -> &'a str {
        if self.view.rights.command && self.at.is_none() {
            self.fields.get("take")
        } else {
            ""
        }
    }

    /// The parameters for the piece that is taken, and for the rule that is edited.
    fn unfinished(&self) -> Vec<(&str, &str)> {
        let mut unfinished = vec![("take", self.take())];
        unfinished.extend(rulebook::fields::edited(self.fields));
        unfinished
    }

    /// The address of the page after a form. What is not finished stands in it, so that its parts can be fetched again.
    pub fn here(&self) -> String {
        self.address(&self.unfinished())
    }

    /// The address of a link that shows more of the page, and leaves what is not finished there as it is.
    pub fn address_beside(&self, more: &[(&str, &str)]) -> String {
        let mut all = self.unfinished();
        all.extend(more);
        self.address(&all)
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates have references"
    )]
    pub fn select(&self, board: &BoardNo) -> String {
        if self.request.is_control_panel {
            return format!("{}?board={board}", self.request.home());
        }
        let board = board.to_string();
        self.address(&[("board", &board), ("take", self.take())])
    }

    pub fn path(&self) -> String {
        match self.at {
            Some(at) => format!("{}/at/{at}", self.base()),
            None => self.base().to_owned(),
        }
    }

    /// The address of a form, with the query that the page keeps: `turn/3`.
    pub fn act(&self, what: &str) -> String {
        format!("{}/{what}{}", self.base(), self.query(&[]))
    }

    /// The address of a form that has nothing to do with what is not finished on the page, and leaves it as it is: a
    /// message, a card that is put away.
    pub fn act_beside(&self, what: &str) -> String {
        format!("{}/{what}{}", self.base(), self.query(&self.unfinished()))
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates have references"
    )]
    pub fn act_on(&self, what: &str, board: &BoardNo) -> String {
        self.act(&format!("{what}/{board}"))
    }

    pub fn kept(&self) -> Vec<(&'static str, String)> {
        STICKY_PARAMS
            .iter()
            .map(|name| (*name, self.fields.get(name).to_owned()))
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    pub fn query(&self, more: &[(&str, &str)]) -> String {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for name in STICKY_PARAMS {
            if !more.iter().any(|(known, _)| *known == name) {
                pairs.push((name, self.fields.get(name)));
            }
        }
        pairs.extend(more);
        texts::query(pairs.into_iter().filter(|(_, value)| !value.is_empty()))
    }
}

/// The address of the match after an event, or of its present state if that is the last.
pub fn address_at(context: TeamContext, whole: &TeamView, number: i32) -> String {
    let base = context.base();
    let query = context.query(&[]);
    if number == whole.last_number {
        format!("{base}{query}")
    } else {
        format!("{base}/at/{number}{query}")
    }
}

/// The board in the address.
pub struct AskedBoard(pub BoardNo);

impl FromRequest for AskedBoard {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(http: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(read_board(http).map(Self))
    }
}

pub fn read_board(http: &HttpRequest) -> Result<BoardNo, Failure> {
    let number = http.match_info().get("board").and_then(|n| n.parse().ok());
    number.map(BoardNo).ok_or_else(|| AppError::NotFound.into())
}
