//! Handlers that replay, draw or read much: they run beside the threads that answer, in the queue of pages, where each
//! visitor has a share. So the pages of one visitor, however large, keep nobody else waiting.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use actix_web::body::to_bytes;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::web::Bytes;
use actix_web::{Handler, HttpResponse};
use tokio::runtime::Handle;

use crate::app::AppError;
use crate::app::queue::Party;
use crate::web::answer::{Answer, Failure};
use crate::web::request::RequestContext;
use crate::web::submission::Submission;

/// What a handler gets first: it says who asks.
pub trait Asked {
    fn asked(&self) -> &RequestContext;
}

impl Asked for RequestContext {
    fn asked(&self) -> &RequestContext {
        self
    }
}

impl Asked for Submission {
    fn asked(&self) -> &RequestContext {
        &self.request
    }
}

/// A handler whose work is done in the queue.
#[derive(Clone, Debug)]
pub struct Beside<H>(H);

pub const fn beside<H>(handler: H) -> Beside<H> {
    Beside(handler)
}

/// Handlers with so many arguments.
macro_rules! handlers {
    ($($first:ident $($more:ident)*;)*) => {$(
        #[allow(non_snake_case, reason = "an argument is called as its type")]
        impl<H, $first, $($more),*> Handler<($first, $($more),*)> for Beside<H>
        where
            H: Handler<($first, $($more),*), Output = Answer> + Send,
            $first: Asked + Send + 'static,
            $($more: Send + 'static),*
        {
            type Output = Answer;
            type Future = Pin<Box<dyn Future<Output = Answer>>>;

            fn call(&self, ($first, $($more),*): ($first, $($more),*)) -> Self::Future {
                let handler = self.0.clone();
                let request = $first.asked().clone();
                Box::pin(run(request, move || handler.call(($first, $($more),*))))
            }
        }
    )*};
}

handlers! {
    A;
    A B;
    A B C;
}

/// An answer that another thread has made.
struct Made {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

thread_local! {
    /// True on a thread of the queue.
    static IS_BESIDE: Cell<bool> = const { Cell::new(false) };
}

/// Does this work in the queue, for whoever sent the request; at once if that is where it comes from.
pub async fn run<F>(request: RequestContext, begin: impl FnOnce() -> F + Send + 'static) -> Answer
where
    F: Future<Output = Answer>,
{
    // It would wait for itself.
    if IS_BESIDE.get() {
        return begin().await;
    }
    let network = request.from.network();
    let party = match request.account() {
        Some(viewer) => Party::Account(&viewer.id),
        None => Party::Network(&network),
    };
    let runtime = Handle::current();
    let work = move || {
        IS_BESIDE.set(true);
        let made = runtime.block_on(async { whole(begin().await?).await });
        IS_BESIDE.set(false);
        made
    };
    let made = request.app.limits.drawing.run(party, work).await??;
    let mut response = HttpResponse::build(made.status).body(made.body);
    *response.headers_mut() = made.headers;
    Ok(response)
}

async fn whole(response: HttpResponse) -> Result<Made, Failure> {
    let (mut head, body) = response.into_parts();
    let body = to_bytes(body).await;
    let body = body.map_err(|error| AppError::Internal(error.to_string()))?;
    let headers = std::mem::replace(head.headers_mut(), HeaderMap::new());
    let status = head.status();
    Ok(Made {
        status,
        headers,
        body,
    })
}
