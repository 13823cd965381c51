use actix_web::web::{ServiceConfig, get, post};

use crate::web::team::commands::{self, command, lesson, talk};
use crate::web::team::{fragments, live, pages};

/// A secret in a path is called `token`: then it is not logged.
pub fn routes(cfg: &mut ServiceConfig) {
    cfg.route("/teams", get().to(pages::list::list))
        .route("/teams", post().to(pages::list::create))
        .route("/games/perplexichess", get().to(pages::rules::page))
        .route("/games/perplexichess/card", get().to(pages::rules::card))
        // Pages
        .route("/team/{id}", get().to(pages::play::now))
        .route("/team/{id}/at/{event}", get().to(pages::play::at))
        .route("/team/{id}/control", get().to(pages::control::page))
        .route("/team/{id}/show/{token}", get().to(pages::projector::page))
        .route("/team/{id}/lesson", get().to(pages::lesson::page))
        .route("/team/{id}/moves", get().to(pages::moves::page))
        .route("/team/{id}/record", get().to(pages::record::page))
        .route(
            "/team/{id}/record.{form:txt|json}",
            get().to(pages::record::file),
        )
        .route("/team/{id}/report", get().to(pages::report::page))
        .route("/team/{id}/report.csv", get().to(pages::report::csv))
        .route(
            "/team/{id}/join/{token}",
            get().to(pages::gathering::invitation),
        )
        .route(
            "/team/{id}/talk/{channel}/{message}/link/{number}",
            get().to(pages::link::link),
        )
        .route(
            "/team/{id}/control/talk/{channel}/{message}/link/{number}",
            get().to(pages::link::link),
        )
        // Parts that live pages fetch again
        .route("/team/{id}/live", get().to(live::stream))
        .route("/team/{id}/heads", get().to(live::heads))
        .route("/team/{id}/board/{board}", get().to(fragments::board))
        .route("/team/{id}/log", get().to(fragments::log))
        .route("/team/{id}/transfer", get().to(fragments::transfer))
        .route("/team/{id}/receivers", get().to(fragments::receivers))
        .route("/team/{id}/people", get().to(fragments::people))
        .route("/team/{id}/talk", get().to(fragments::talk))
        .route("/team/{id}/gather", get().to(fragments::gathering))
        .route("/team/{id}/result", get().to(fragments::result))
        .route("/team/{id}/control/live", get().to(live::stream))
        .route("/team/{id}/control/heads", get().to(live::heads))
        .route(
            "/team/{id}/control/board/{board}",
            get().to(fragments::control_board),
        )
        .route("/team/{id}/control/log", get().to(fragments::control_bar))
        .route(
            "/team/{id}/control/members",
            get().to(fragments::control_people),
        )
        .route("/team/{id}/control/talk", get().to(fragments::control_talk))
        .route("/team/{id}/show/{token}/live", get().to(live::stream))
        .route("/team/{id}/show/{token}/heads", get().to(live::heads))
        .route(
            "/team/{id}/show/{token}/board/{board}",
            get().to(fragments::board),
        )
        .route(
            "/team/{id}/show/{token}/log",
            get().to(fragments::projector_bar),
        )
        .route(
            "/team/{id}/show/{token}/lobby",
            get().to(fragments::projector_lobby),
        )
        .route(
            "/team/{id}/show/{token}/ended",
            get().to(fragments::projector_result),
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
        .route("/team/{id}/news", post().to(commands::news_seen))
        .route("/team/{id}/talk", post().to(talk::open_channel))
        .route("/team/{id}/talk/{channel}", post().to(talk::say))
        .route("/team/{id}/remove-message", post().to(talk::remove_message))
        // Acts of the host at the control panel
        .route("/team/{id}/control/lead", post().to(command))
        .route("/team/{id}/control/team", post().to(command))
        .route("/team/{id}/control/leave", post().to(commands::leave))
        .route("/team/{id}/control/rename", post().to(commands::rename))
        .route("/team/{id}/control/add", post().to(lesson::add))
        .route("/team/{id}/control/news", post().to(commands::news_seen))
        .route("/team/{id}/control/talk", post().to(talk::open_channel))
        .route("/team/{id}/control/talk/{channel}", post().to(talk::say))
        .route(
            "/team/{id}/control/remove-message",
            post().to(talk::remove_message),
        )
        // Lessons
        .route("/team/{id}/terms", post().to(lesson::settle))
        .route("/team/{id}/size", post().to(lesson::resize))
        .route("/team/{id}/seat", post().to(lesson::seat))
        .route("/team/{id}/place", post().to(command))
        .route("/team/{id}/add", post().to(lesson::add))
        .route("/team/{id}/door", get().to(fragments::door))
        .route("/team/{id}/door", post().to(lesson::door))
        .route("/team/{id}/control/door", get().to(fragments::door))
        .route("/team/{id}/control/door", post().to(lesson::door))
        .route("/team/{id}/not-me", post().to(lesson::release_name))
        .route("/team/{id}/stand-in", post().to(lesson::stand_in))
        .route("/team/{id}/open", post().to(lesson::open_lesson))
        .route("/team/{id}/close", post().to(lesson::close_lesson))
        .route("/team/{id}/go-on", post().to(lesson::go_on));
}
