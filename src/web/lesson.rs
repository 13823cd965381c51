use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Path;
use askama::Template;

use crate::app::listed::ListedMatch;
use crate::app::team::TeamFault;
use crate::app::team::door::{DoorOutcome, JoinOutcome, Joiner, Waiting};
use crate::app::team::lessons::LessonByCode;
use crate::app::team::progress::Progress;
use crate::app::{AppError, Phase, Viewer, invalid};
use crate::texts;
use crate::web::answer::{Answer, Failure, see};
use crate::web::beside::beside;
use crate::web::fields::Fields;
use crate::web::once::making;
use crate::web::problems::{NONE, Problems};
use crate::web::request::RequestContext;
use crate::web::submission::Submission;
use crate::web::table;
use perplex_matches::classroom::words::read_code;
use perplex_matches::id::{AccountId, ClassId, MatchId};

#[derive(Template)]
#[template(path = "lesson/code.html")]
struct CodePage<'a> {
    request: &'a RequestContext,
    fields: &'a Fields,
    problems: &'a Problems,
    /// Why the visitor is asked.
    done: Option<&'static str>,
}

/// The form for the code. A code in the query leads on: so the landing page can have such a field, too.
async fn code_form(request: RequestContext, fields: Fields) -> Answer {
    let typed = fields.get("code");
    if let Some(code) = read_code(typed) {
        return Ok(see(&format!("/join/{code}")));
    }
    let problems = if typed.trim().is_empty() {
        Problems::default()
    } else {
        Problems::of(invalid("code", TeamFault::CodeForm))?
    };
    let page = CodePage {
        request: &request,
        fields: &fields,
        problems: &problems,
        done: texts::done(fields.get("done")),
    };
    problems.page(&request, &page)
}

#[derive(Template)]
#[template(path = "lesson/join.html")]
struct JoinPage<'a> {
    request: &'a RequestContext,
    problems: &'a Problems,
    code: &'a str,
    lesson: &'a LessonByCode,
    you: Option<&'a Viewer>,
}

/// The address with a code as it is written, for one with a code as it was typed.
fn in_order(place: &str, typed: &str) -> Option<HttpResponse> {
    let code = read_code(typed).filter(|code| code != typed)?;
    Some(see(&format!("/{place}/{code}")))
}

async fn names(request: RequestContext, path: Path<String>) -> Answer {
    let code = path.into_inner();
    if let Some(answer) = in_order("join", &code) {
        return Ok(answer);
    }
    match request.app.lesson_by_code(&code, &request.from).await {
        Ok(lesson) => {
            let page = join_page(&request, &code, &lesson, &NONE);
            request.page(&page)
        }
        Err(error) => {
            let mut page = no_lesson(&request, &code, error)?;
            // A visitor who has to wait for others of the school tries again without a click.
            if let Some(seconds) = page.headers().get(header::RETRY_AFTER).cloned() {
                page.headers_mut().insert(header::REFRESH, seconds);
            }
            Ok(page)
        }
    }
}

fn join_page<'a>(
    request: &'a RequestContext,
    code: &'a str,
    lesson: &'a LessonByCode,
    problems: &'a Problems,
) -> JoinPage<'a> {
    let of_class = |viewer: &&Viewer| viewer.class.as_ref() == Some(&lesson.class);
    JoinPage {
        request,
        problems,
        code,
        lesson,
        you: request.viewer.as_ref().filter(of_class),
    }
}

fn no_lesson(request: &RequestContext, code: &str, error: AppError) -> Answer {
    let problems = Problems::of(error)?;
    let fields = Fields::default().with("code", code);
    let page = CodePage {
        request,
        fields: &fields,
        problems: &problems,
        done: None,
    };
    problems.page(request, &page)
}

/// Joins a lesson: as the signed-in pupil (`me`), with a new nickname (`new`), or by the picked name.
async fn join(post: Submission, path: Path<String>) -> Answer {
    let code = path.into_inner();
    let Submission { request, fields } = post;
    let app = &request.app;
    let viewer = request.viewer.as_ref();
    let comer = match (fields.get("pupil"), viewer) {
        ("me", Some(viewer)) => Joiner::Pupil(viewer.id.clone()),
        ("new", _) => Joiner::New,
        (picked, _) => Joiner::Pupil(AccountId(picked.to_owned())),
    };
    let phrase = fields.get("phrase");
    let arrival = app
        .join_lesson(&code, &comer, phrase, viewer, &request.from)
        .await;
    let error = match arrival {
        Ok(JoinOutcome::In(id, Some(token))) => {
            return request.begin_session(&token, &format!("/team/{id}")).await;
        }
        Ok(JoinOutcome::In(id, None)) => return Ok(see(&format!("/team/{id}"))),
        Ok(JoinOutcome::Waits) => return Ok(see(&at_door(&code))),
        Err(error) => error,
    };
    let is_about = |name: &str| matches!(&error, AppError::Invalid(wrong) if wrong.iter().any(|(field, _)| *field == name));
    if is_about("code") {
        return no_lesson(&request, &code, error);
    }
    let problems = Problems::of(error)?;
    if let (false, DoorOutcome::Waits(waiting)) =
        (phrase.is_empty(), app.at_door(&code, &request.from).await?)
    {
        return wait_page(&request, &code, &waiting, &problems);
    }
    let lesson = app.lesson_by_code(&code, &request.from).await?;
    let page = join_page(&request, &code, &lesson, &problems);
    problems.page(&request, &page)
}

fn at_door(code: &str) -> String {
    format!("/wait/{code}")
}

#[derive(Template)]
#[template(path = "lesson/wait.html")]
struct WaitPage<'a> {
    request: &'a RequestContext,
    problems: &'a Problems,
    code: &'a str,
    waiting: &'a Waiting,
}

fn wait_page(
    request: &RequestContext,
    code: &str,
    waiting: &Waiting,
    problems: &Problems,
) -> Answer {
    let page = WaitPage {
        request,
        problems,
        code,
        waiting,
    };
    problems.page(request, &page)
}

/// The page of a device that waits to join a lesson. Once the teacher approves, it leads in: the request to join came
/// from a form of this very browser.
async fn wait(request: RequestContext, path: Path<String>) -> Answer {
    let code = path.into_inner();
    if let Some(answer) = in_order("wait", &code) {
        return Ok(answer);
    }
    match request.app.at_door(&code, &request.from).await {
        Ok(DoorOutcome::Waits(waiting)) => wait_page(&request, &code, &waiting, &NONE),
        Ok(DoorOutcome::In(id, token)) => {
            request.begin_session(&token, &format!("/team/{id}")).await
        }
        Ok(DoorOutcome::NotWaiting) => Ok(see(&format!("/join/{code}"))),
        Err(error) => no_lesson(&request, &code, error),
    }
}

async fn leave_door(post: Submission, path: Path<String>) -> Answer {
    let code = path.into_inner();
    let request = post.request;
    request.app.leave_door(&code, &request.from).await?;
    Ok(see(&format!("/join/{code}")))
}

async fn start(post: Submission, path: Path<String>) -> Answer {
    let class = ClassId(path.into_inner());
    let id = post
        .request
        .app
        .start_lesson(post.request.viewer()?, &class)
        .await?;
    Ok(see(&format!("/team/{id}")))
}

struct Row {
    id: MatchId,
    title: String,
    when: String,
    begun: bool,
    open: bool,
}

#[derive(Template)]
#[template(path = "class/lessons.html")]
struct Lessons<'a> {
    request: &'a RequestContext,
    class: &'a ClassId,
    archived: bool,
    unfinished: Vec<Row>,
    finished: Vec<Row>,
}

pub async fn of_class(
    request: &RequestContext,
    class: &ClassId,
    archived: bool,
) -> Result<String, Failure> {
    let lessons = request.app.lessons(request.viewer()?, class).await?;
    let (finished, unfinished): (Vec<ListedMatch>, Vec<ListedMatch>) = lessons
        .into_iter()
        .partition(|lesson| lesson.phase == Phase::Over);
    let row = |lesson: ListedMatch| Row {
        when: request.when(&lesson.updated),
        id: lesson.id,
        title: lesson.title,
        begun: lesson.phase != Phase::Gathering,
        open: lesson.has_code,
    };
    let part = Lessons {
        request,
        class,
        archived,
        unfinished: unfinished.into_iter().map(row).collect(),
        finished: finished.into_iter().map(row).collect(),
    };
    Ok(part.render()?)
}

#[derive(Template)]
#[template(path = "class/progress.html")]
struct ProgressPage<'a> {
    request: &'a RequestContext,
    class: &'a ClassId,
    name: String,
    lines: Vec<Progress>,
}

async fn progress(request: RequestContext, path: Path<String>) -> Answer {
    let class = ClassId(path.into_inner());
    let name = request
        .app
        .class(request.viewer()?, &class)
        .await?
        .class
        .name;
    let page = ProgressPage {
        request: &request,
        class: &class,
        name,
        lines: request.app.progress(request.viewer()?, &class).await?,
    };
    request.page(&page)
}

async fn progress_csv(request: RequestContext, path: Path<String>) -> Answer {
    let class = ClassId(path.into_inner());
    let head = format!("{}\r\n", texts::tables::PROGRESS);
    let progress = request.app.progress(request.viewer()?, &class).await?;
    let lines = progress.iter().map(|one| {
        let (past, total) = (one.past, &one.total);
        table::line(&[
            &one.name,
            &past.lessons(),
            &past.strategist,
            &past.boardman,
            &past.agent,
            &total.turns,
            &total.captures,
            &total.changes,
            &total.transfers,
            &total.votes,
            &total.offers,
            &total.messages,
            &total.minutes(),
        ])
    });
    let lines = std::iter::once(head).chain(lines);
    Ok(table::file("progress.csv", lines))
}

pub fn routes(cfg: &mut actix_web::web::ServiceConfig) {
    use actix_web::web::{get, post};
    cfg.route("/join", get().to(code_form))
        .route("/join/{code}", get().to(names))
        .route("/join/{code}", post().to(join))
        .route("/wait/{code}", get().to(wait))
        .route("/wait/{code}", post().to(leave_door))
        .route("/class/{class}/lesson", making(post().to(start)))
        .route("/class/{class}/progress", get().to(beside(progress)))
        .route(
            "/class/{class}/progress.csv",
            get().to(beside(progress_csv)),
        );
}
