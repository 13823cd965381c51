//! The pupils' pages of the site, and the cards with which they sign in.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::web::{Path, ServiceConfig, get, post};
use askama::Template;

use crate::app::classes::{CardOwner, PupilHome, Running};
use crate::app::live::Listening;
use crate::app::snapshots::TeamSnapshot;
use crate::app::team::{Leader, LessonAsks};
use crate::app::{App, AppError, Phase};
use crate::texts::pages::NO_CARD;
use crate::texts::team;
use crate::web::answer::{Answer, Failure, see};
use crate::web::games::{self, Listing};
use crate::web::live::{self, Numbers};
use crate::web::message::Message;
use crate::web::places::PUPIL_HOME;
use crate::web::problems::{NONE, Problems};
use crate::web::request::{Other, RequestContext};
use crate::web::submission::Submission;
use perplex_matches::id::MatchId;

/// The page for an account that has just signed in with this token and wanted to go on to `next`: a pupil who did not
/// come for a lesson goes to the running one, if there is one.
pub async fn landing(app: &App, token: &str, next: &str) -> Result<String, Failure> {
    let Some(viewer) = app
        .viewer(token)
        .await?
        .filter(|viewer| viewer.class.is_some())
    else {
        return Ok(next.to_owned());
    };
    if next.starts_with("/join/") || next.starts_with("/team/") {
        return Ok(next.to_owned());
    }
    let home = app.pupil_home(&viewer).await?;
    Ok(home
        .now
        .map_or_else(|| PUPIL_HOME.to_owned(), |lesson| lesson.path()))
}

#[derive(Template)]
#[template(path = "pupil/home.html")]
struct HomePage<'a> {
    request: &'a RequestContext,
    home: PupilHome,
    games: Vec<Listing>,
}

async fn home(request: RequestContext) -> Answer {
    let home = request.app.pupil_home(request.viewer()?).await?;
    request.page(&HomePage {
        request: &request,
        home,
        games: games::listings(),
    })
}

async fn preferences(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let viewer = request.viewer()?;
    // Other accounts have another page for that.
    if viewer.class.is_none() {
        return Err(AppError::NotFound.into());
    }
    let preferences = crate::app::accounts::Preferences {
        confirm_turns: fields.has("confirm"),
        coordinates: fields.has("coordinates"),
        numbered: fields.has("numbered"),
        official_signs: fields.has("signs"),
        chimes: fields.has("chimes"),
        ..viewer.preferences.clone()
    };
    request.app.set_preferences(viewer, preferences).await?;
    Ok(see(PUPIL_HOME))
}

/// What the lesson asks of a pupil who practises on another page.
struct Asked {
    request: RequestContext,
    lesson: MatchId,
}

impl Asked {
    /// What it asks for, its page, and what a notice says, in lines.
    async fn told(&self) -> Result<String, Failure> {
        let pupil = self.request.viewer()?;
        let asks = match self.request.app.lesson_asks(pupil, &self.lesson).await? {
            LessonAsks::Nothing => "nothing",
            LessonAsks::Wait => "gathers",
            LessonAsks::Play => "plays",
            LessonAsks::EyesUp => "eyes",
        };
        let says = team::stopped(team::leader(Leader::Teacher));
        Ok(format!(
            "{asks}\n/team/{}\n{}\n{says}",
            self.lesson,
            team::EYES_UP
        ))
    }
}

impl Numbers for Asked {
    type Snapshot = TeamSnapshot;

    fn request(&self) -> &RequestContext {
        &self.request
    }

    async fn now(&self) -> Result<String, Failure> {
        self.told().await
    }

    async fn heard(&self, _: &mut Listening<TeamSnapshot>) -> Result<String, Failure> {
        self.told().await
    }

    async fn touched(&self, _: &str, _: &str) {}
}

/// Tells the page of a pupil beside the lesson what that asks for; empty without a lesson.
async fn called(request: RequestContext, http: HttpRequest) -> Answer {
    let app = request.app.clone();
    let home = app.pupil_home(request.viewer()?).await?;
    let Some(Running::Mine(lesson)) = home.now else {
        return Ok(live::told(String::new()));
    };
    let listen = || app.teams.live.listen(&lesson);
    let asked = Asked {
        request,
        lesson: lesson.clone(),
    };
    live::once(&asked, listen, &http).await
}

#[derive(Template)]
#[template(path = "pupil/card.html")]
struct CardPage<'a> {
    request: &'a RequestContext,
    owner: &'a CardOwner,
    problems: &'a Problems,
}

impl CardPage<'_> {
    /// True if the card alone is not enough.
    fn asks_for_words(&self) -> bool {
        self.request.from.left.contains(&self.owner.id)
    }
}

fn card_page(request: &RequestContext, owner: &CardOwner, problems: &Problems) -> Answer {
    let page = CardPage {
        request,
        owner,
        problems,
    };
    problems.page(request, &page)
}

fn no_card(request: &RequestContext) -> Answer {
    request.page_as(StatusCode::NOT_FOUND, &Message::of(request, &NO_CARD))
}

async fn card(request: RequestContext, path: Path<(String, String)>) -> Answer {
    let (user, proof) = path.into_inner();
    match request.app.card_owner(&user, &proof).await {
        Ok(owner) => card_page(&request, &owner, &NONE),
        Err(AppError::NotFound) => no_card(&request),
        Err(error) => Err(error.into()),
    }
}

async fn sign_in_by_card(post: Submission, path: Path<(String, String)>) -> Answer {
    let Submission { request, fields } = post;
    let app = &request.app;
    let (user, proof) = path.into_inner();
    let owner = match app.card_owner(&user, &proof).await {
        Ok(owner) => owner,
        Err(AppError::NotFound) => return no_card(&request),
        Err(error) => return Err(error.into()),
    };
    if request.from.left.contains(&owner.id) {
        let phrase = fields.get("phrase");
        let checked = app.check_phrase(&owner.id, &owner.name, phrase, &request.from);
        if let Err(error) = checked.await {
            return card_page(&request, &owner, &Problems::of(error)?);
        }
    }
    let token = app.sign_in_by_card(&owner, &request.from).await?;
    let next = landing(app, &token, PUPIL_HOME).await?;
    request.begin_session(&token, &next).await
}

#[derive(Template)]
#[template(path = "pupil/switch.html")]
struct SwitchPage<'a> {
    request: &'a RequestContext,
    other: &'a Other,
    problems: &'a Problems,
}

/// Goes on as another pupil of this device: freely within a team, with the three words across teams.
async fn switch(post: Submission) -> Answer {
    let Submission { request, fields } = post;
    let app = &request.app;
    let session = fields.get("session");
    let other = request.others.iter().find(|other| other.session == session);
    // The other pupil is gone meanwhile.
    let Some(other) = other else {
        return Ok(see(PUPIL_HOME));
    };
    let asks = app.asks_for_words(&other.account, &request.from).await?;
    if asks {
        let page = |problems: &Problems| {
            let page = SwitchPage {
                request: &request,
                other,
                problems,
            };
            problems.page(&request, &page)
        };
        if !fields.has("phrase") {
            return page(&NONE);
        }
        let phrase = fields.get("phrase");
        let checked = app.check_phrase(&other.account, &other.name, phrase, &request.from);
        if let Err(error) = checked.await {
            return page(&Problems::of(error)?);
        }
    }
    let next = landing(app, &other.token, PUPIL_HOME).await?;
    request.begin_session(&other.token, &next).await
}

pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/me", get().to(home))
        .route("/me/called", get().to(called))
        .route("/me/looks", post().to(preferences))
        .route("/switch", post().to(switch))
        .route("/card/{user}/{token}", get().to(card))
        .route("/card/{user}/{token}", post().to(sign_in_by_card));
}
