use actix_web::web::{ServiceConfig, get, post};

use crate::web::beside::beside;
use crate::web::once::making;
use crate::web::team::commands::{self, command, lesson, talk};
use crate::web::team::{fragments, live, pages};

/// A secret in a path is called `token`: then it is not logged.
pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/teams", get().to(beside(pages::list::list)))
        .route("/teams", making(post().to(pages::list::create)))
        .route("/games/perplexichess", get().to(beside(pages::rules::page)))
        .route(
            "/games/perplexichess/card",
            get().to(beside(pages::rules::card)),
        )
        // Pages
        .route("/team/{id}", get().to(beside(pages::play::now)))
        .route("/team/{id}/at/{event}", get().to(beside(pages::play::at)))
        .route("/team/{id}/control", get().to(beside(pages::control::page)))
        .route(
            "/team/{id}/show/{token}",
            get().to(beside(pages::projector::page)),
        )
        .route("/team/{id}/lesson", get().to(beside(pages::lesson::page)))
        .route("/team/{id}/moves", get().to(beside(pages::moves::page)))
        .route("/team/{id}/record", get().to(beside(pages::record::page)))
        .route(
            "/team/{id}/record.{form:txt|json}",
            get().to(beside(pages::record::file)),
        )
        .route("/team/{id}/report", get().to(beside(pages::report::page)))
        .route(
            "/team/{id}/report.csv",
            get().to(beside(pages::report::csv)),
        )
        .route(
            "/team/{id}/join/{token}",
            get().to(beside(pages::gathering::invitation)),
        )
        .route(
            "/team/{id}/talk/{channel}/{message}/link/{number}",
            get().to(beside(pages::link::link)),
        )
        .route(
            "/team/{id}/control/talk/{channel}/{message}/link/{number}",
            get().to(beside(pages::link::link)),
        )
        // Parts that live pages fetch again
        .route("/team/{id}/live", get().to(live::stream))
        .route("/team/{id}/heads", get().to(live::heads))
        .route(
            "/team/{id}/board/{board}",
            get().to(beside(fragments::board)),
        )
        .route("/team/{id}/log", get().to(beside(fragments::log)))
        .route("/team/{id}/transfer", get().to(beside(fragments::transfer)))
        .route(
            "/team/{id}/receivers",
            get().to(beside(fragments::receivers)),
        )
        .route("/team/{id}/people", get().to(beside(fragments::people)))
        .route("/team/{id}/talk", get().to(beside(fragments::talk)))
        .route("/team/{id}/gather", get().to(beside(fragments::gathering)))
        .route("/team/{id}/result", get().to(beside(fragments::result)))
        .route("/team/{id}/control/live", get().to(live::stream))
        .route("/team/{id}/control/heads", get().to(live::heads))
        .route(
            "/team/{id}/control/board/{board}",
            get().to(beside(fragments::control_board)),
        )
        .route(
            "/team/{id}/control/log",
            get().to(beside(fragments::control_bar)),
        )
        .route(
            "/team/{id}/control/members",
            get().to(beside(fragments::control_people)),
        )
        .route(
            "/team/{id}/control/talk",
            get().to(beside(fragments::control_talk)),
        )
        .route("/team/{id}/show/{token}/live", get().to(live::stream))
        .route("/team/{id}/show/{token}/heads", get().to(live::heads))
        .route(
            "/team/{id}/show/{token}/board/{board}",
            get().to(beside(fragments::board)),
        )
        .route(
            "/team/{id}/show/{token}/log",
            get().to(beside(fragments::projector_bar)),
        )
        .route(
            "/team/{id}/show/{token}/said",
            get().to(beside(fragments::projector_talk)),
        )
        .route(
            "/team/{id}/show/{token}/lobby",
            get().to(beside(fragments::projector_lobby)),
        )
        .route(
            "/team/{id}/show/{token}/ended",
            get().to(beside(fragments::projector_result)),
        )
        // Acts in a match
        .route("/team/{id}/turn/{board}", post().to(commands::play))
        .route("/team/{id}/hand", post().to(commands::hand))
        .route("/team/{id}/draw/{board}", post().to(command))
        .route("/team/{id}/resign/{board}", post().to(command))
        .route("/team/{id}/transfer", post().to(command))
        .route("/team/{id}/join/{token}", post().to(commands::join))
        .route("/team/{id}/join", post().to(commands::join))
        .route("/team/{id}/decline", post().to(pages::list::decline))
        .route("/team/{id}/team", post().to(command))
        .route("/team/{id}/arrange", post().to(command))
        .route("/team/{id}/emblem", post().to(command))
        .route("/team/{id}/deal", post().to(command))
        .route("/team/{id}/start", post().to(commands::start))
        .route("/team/{id}/invite", post().to(commands::invite))
        .route("/team/{id}/address", post().to(commands::address))
        .route("/team/{id}/links", post().to(commands::links))
        .route("/team/{id}/leave", post().to(commands::leave))
        .route("/team/{id}/give", post().to(command))
        .route("/team/{id}/vote", post().to(command))
        .route("/team/{id}/lead", post().to(command))
        .route("/team/{id}/rename", post().to(commands::rename))
        .route("/team/{id}/help", post().to(commands::help_seen))
        .route("/team/{id}/raise", post().to(lesson::raise))
        .route("/team/{id}/news", post().to(beside(commands::news_seen)))
        .route("/team/{id}/talk", post().to(talk::open_channel))
        .route("/team/{id}/talk/{channel}", post().to(talk::say))
        .route("/team/{id}/remove-message", post().to(talk::remove_message))
        // Acts of the host at the control panel
        .route("/team/{id}/control/lead", post().to(command))
        .route("/team/{id}/control/team", post().to(command))
        .route("/team/{id}/control/leave", post().to(commands::leave))
        .route("/team/{id}/control/rename", post().to(commands::rename))
        .route("/team/{id}/control/add", post().to(lesson::add))
        .route(
            "/team/{id}/control/news",
            post().to(beside(commands::news_seen)),
        )
        .route("/team/{id}/control/talk", post().to(talk::open_channel))
        .route("/team/{id}/control/talk/{channel}", post().to(talk::say))
        .route(
            "/team/{id}/control/remove-message",
            post().to(talk::remove_message),
        )
        // Lessons
        .route("/team/{id}/terms", post().to(beside(lesson::settle)))
        .route("/team/{id}/size", post().to(beside(lesson::resize)))
        .route("/team/{id}/seat", post().to(beside(lesson::seat)))
        .route("/team/{id}/place", post().to(command))
        .route("/team/{id}/add", post().to(lesson::add))
        .route("/team/{id}/door", get().to(beside(fragments::door)))
        .route("/team/{id}/door", post().to(lesson::door))
        .route("/team/{id}/control/door", get().to(beside(fragments::door)))
        .route("/team/{id}/control/door", post().to(lesson::door))
        .route("/team/{id}/not-me", post().to(lesson::release_name))
        .route("/team/{id}/stand-in", post().to(lesson::stand_in))
        .route("/team/{id}/open", post().to(lesson::open_lesson))
        .route("/team/{id}/close", post().to(lesson::close_lesson))
        .route("/team/{id}/go-on", post().to(lesson::go_on));
}
