//! The class of a request, and the parts that the pages of a class share.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::app::classes::ClassView;
use crate::web::answer::Failure;
use crate::web::request::RequestContext;
use perplex_matches::id::{AccountId, ClassId};

pub struct Place {
    pub class: ClassId,
    pub pupil: AccountId,
}

impl FromRequest for Place {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(http: &HttpRequest, _: &mut Payload) -> Self::Future {
        let part = |name: &str| http.match_info().get(name).unwrap_or_default().to_owned();
        let place = Self {
            class: ClassId(part("class")),
            pupil: AccountId(part("pupil")),
        };
        Box::pin(std::future::ready(Ok(place)))
    }
}

pub async fn view(request: &RequestContext, class: &ClassId) -> Result<ClassView, Failure> {
    Ok(request.app.class(request.viewer()?, class).await?)
}
