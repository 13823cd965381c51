mod cards;
mod list;
mod page;
mod place;
mod settings;

use actix_web::web::{ServiceConfig, get, post};

use crate::web::beside::beside;
use crate::web::once::making;

pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/classroom", get().to(list::teach))
        .route("/classroom/lesson", get().to(list::how))
        .route("/classroom/pupils", get().to(list::kept))
        .route("/classes", get().to(beside(list::list)))
        .route("/classes", making(post().to(beside(list::create))))
        .route("/class/{class}", get().to(beside(page::page)))
        .route(
            "/class/{class}/pupils",
            making(post().to(beside(page::add))),
        )
        .route("/class/{class}/pupil/{pupil}/name", post().to(page::rename))
        .route(
            "/class/{class}/pupil/{pupil}/phrase",
            post().to(page::phrase),
        )
        .route("/class/{class}/pupil/{pupil}/leave", post().to(page::leave))
        .route(
            "/class/{class}/pupil/{pupil}/return",
            post().to(page::come_back),
        )
        .route("/class/{class}/cards", get().to(beside(cards::page)))
        .route("/class/{class}/settings", get().to(settings::page))
        .route("/class/{class}/name", post().to(settings::name))
        .route("/class/{class}/keep", post().to(settings::keep))
        .route("/class/{class}/archive", post().to(settings::archive))
        .route("/class/{class}/share", post().to(settings::share))
        .route("/class/{class}/unshare", post().to(settings::unshare))
        .route("/class/{class}/hand-over", post().to(settings::hand_over))
        .route("/class/{class}/take-back", post().to(settings::take_back))
        .route("/class/{class}/accept", post().to(list::accept))
        .route("/class/{class}/decline", post().to(list::decline))
        .route("/class/{class}/remove", post().to(settings::remove))
        .route(
            "/class/{class}/export.{form:json|csv}",
            get().to(beside(settings::export)),
        );
}
