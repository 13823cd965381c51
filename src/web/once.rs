//! Forms with a number that is good once, see [`crate::app::once`].

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::ErrorInternalServerError;
use actix_web::middleware::{Next, from_fn};
use actix_web::web::Data;
use actix_web::{Error, HttpMessage as _, HttpRequest, Route};

use crate::app::App;
use crate::web::answer::seen;

/// The key under which the form of a request is the first of its number.
pub struct First(pub String);

/// Said of a request whose form makes something.
struct Makes;

/// The route of a form that makes something.
pub fn making(route: Route) -> Route {
    route.wrap(from_fn(seen_to))
}

/// True if the form of a request makes something.
pub fn makes(http: &HttpRequest) -> bool {
    http.extensions().contains::<Makes>()
}

/// Sees to a form that has come in, also if nobody waits for the answer any more: a browser whose reader presses the button
/// again drops the first request. Notes where it leads.
async fn seen_to<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    request.extensions_mut().insert(Makes);
    let done = actix_web::rt::spawn(async move {
        let response = next.call(request).await?.map_into_boxed_body();
        let http = response.request();
        let first = http.extensions_mut().remove::<First>();
        if let (Some(First(key)), Some(app)) = (first, http.app_data::<Data<App>>())
            && let Err(error) = app.end_once(key, seen(response.response())).await
        {
            tracing::error!(%error, "what a form has made could not be noted");
        }
        Ok(response)
    });
    done.await.map_err(ErrorInternalServerError)?
}
