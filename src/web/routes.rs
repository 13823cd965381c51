use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};

use crate::web::beside::beside;
use crate::web::once::making;
use crate::web::{
    account, admin, analysis, assets, class, games, home, learn, lesson, live, lobby,
    mail_settings, matches, middleware, own_cards, packed, pictures, player, prove, pupil,
    rulebook, second_factor, sign, streams, team,
};

pub fn configure(cfg: &mut ServiceConfig) {
    // The first layer is the innermost.
    let all = web::scope("")
        .app_data(web::FormConfig::default().limit(64 * 1024))
        .configure(routes)
        .default_service(web::to(home::nothing))
        .wrap(from_fn(middleware::links_of_mails))
        .wrap(from_fn(middleware::acceptable))
        .wrap(from_fn(middleware::pages))
        .wrap(from_fn(middleware::headers))
        .wrap(from_fn(packed::texts))
        .wrap(from_fn(middleware::log))
        .wrap(from_fn(middleware::answer_head));
    cfg.service(all);
}

/// The routes of the site. A secret in a path is called `token`: then it is not logged.
fn routes(cfg: &mut ServiceConfig) {
    use web::{get, post};
    // Routes are tried in this order: the most frequent come first.
    cfg.route("/match/{id}", get().to(matches::page::now))
        .route("/", get().to(home::landing))
        .route("/scene/{hash}", get().to(team::scene::moments))
        .route("/healthz", get().to(home::health))
        .route("/readyz", get().to(home::ready))
        .route("/privacy", get().to(home::privacy))
        .route("/robots.txt", get().to(home::robots))
        .route("/theme", post().to(home::theme))
        .route("/squares", post().to(home::squares))
        .route("/signs", post().to(home::signs))
        .route("/static/{hash}/{name}", get().to(assets::serve))
        .route("/icon/{size}.png", get().to(pictures::icon))
        .route("/manifest.webmanifest", get().to(pictures::manifest))
        .route("/games/{key}/picture.png", get().to(pictures::of_game))
        .route(
            "/games/{key}/moving.svg",
            get().to(pictures::moving_of_game),
        )
        .route("/match/{id}/picture.png", get().to(pictures::of_match))
        .route("/team/{id}/picture.png", get().to(pictures::of_team_match))
        .route(
            "/match/{id}/game.svg",
            get().to(beside(pictures::moving_of_match)),
        )
        // Games
        .route("/games", get().to(beside(games::list)))
        .route("/learn/{key}/{step}", get().to(beside(learn::step)))
        .route("/try", get().to(beside(analysis::list)))
        .route("/try", post().to(beside(analysis::open)))
        .route("/try/{key}", get().to(beside(analysis::start)))
        .route("/try/{key}/{game:.+}", get().to(beside(analysis::kept)))
        // Matches
        .route("/play", post().to(lobby::play))
        .route("/lobby", get().to(beside(lobby::lobby)))
        .route("/matches", get().to(beside(lobby::mine)))
        .route("/matches", making(post().to(lobby::create)))
        .route("/match/{id}/at/{ply}", get().to(beside(matches::page::at)))
        .route(
            "/match/{id}/record.{form:txt|json|pgn|pijersi.txt}",
            get().to(beside(matches::record::record)),
        )
        .route(
            "/match/{id}/changes",
            get().to(beside(matches::record::changes)),
        )
        .route("/match/{id}/invite", post().to(matches::commands::invite))
        .route("/match/{id}/turn", post().to(matches::commands::turn))
        .route("/match/{id}/hand", post().to(matches::commands::hand))
        .route("/match/{id}/talk", get().to(beside(matches::record::talk)))
        .route("/match/{id}/talk", post().to(matches::commands::talk))
        .route("/match/{id}/draw", post().to(matches::commands::draw))
        .route("/match/{id}/resign", post().to(matches::commands::resign))
        .route("/match/{id}/join", post().to(matches::commands::join))
        .route("/match/{id}/refuse", post().to(matches::commands::refuse))
        .route(
            "/match/{id}/withdraw",
            post().to(matches::commands::withdraw),
        )
        .route("/live", get().to(streams::stream))
        .route("/match/{id}/live", get().to(live::stream))
        .route("/match/{id}/heads", get().to(live::heads))
        .route(
            "/join/{id}/{token}",
            get().to(matches::invitation::invitation),
        )
        .route(
            "/join/{id}/{token}",
            post().to(matches::invitation::join_by_link),
        )
        .route(
            "/join/{id}/{token}/decline",
            post().to(matches::invitation::decline),
        )
        .route("/match/{id}/address", post().to(matches::commands::address))
        .route("/player/{name}", get().to(beside(player::player)))
        // Signing in and out
        .route("/sign-in", get().to(sign::sign_in_form))
        .route("/sign-in", post().to(sign::sign_in))
        .route("/sign-in/code", get().to(sign::code_form))
        .route("/sign-in/code", post().to(sign::code))
        .route("/prove", post().to(prove::prove))
        .route("/sign-up", get().to(sign::sign_up_form))
        .route("/sign-up", post().to(sign::sign_up))
        .route("/sign-up/again", post().to(sign::sign_up_again))
        .route("/sign-up/{token:.+}", get().to(sign::sign_up_by_link_form))
        .route("/sign-up/{token:.+}", post().to(sign::sign_up_by_link))
        .route("/sign-out", post().to(sign::sign_out))
        .route("/reset", get().to(sign::ask_reset_form))
        .route("/reset", post().to(sign::ask_reset))
        // The links in mails. A token may contain slashes.
        .route("/reset/{token:.+}", get().to(sign::reset_form))
        .route("/reset/{token:.+}", post().to(sign::reset))
        .route("/verify/{token:.+}", get().to(sign::verify_form))
        .route("/verify/{token:.+}", post().to(sign::verify))
        .route("/email/{token:.+}", get().to(sign::confirm_email_form))
        .route("/email/{token:.+}", post().to(sign::confirm_email))
        .route("/old-address/{token:.+}", get().to(sign::undo_email_form))
        .route("/old-address/{token:.+}", post().to(sign::undo_email))
        .route("/mail/off/{token:.+}", get().to(sign::mail_off_form))
        .route("/mail/off/{token:.+}", post().to(sign::mail_off))
        .route("/mail/match/{id}", get().to(mail_settings::about))
        .route("/mail/match/{id}", post().to(mail_settings::set_about))
        .route("/mail/settings/{token:.+}", get().to(mail_settings::form))
        .route("/mail/settings/{token:.+}", post().to(mail_settings::save))
        // The account
        .route("/account", get().to(account::account))
        .route("/account/name", post().to(account::name))
        .route("/account/password", post().to(account::password))
        .route("/account/email", post().to(account::email))
        .route("/account/preferences", post().to(account::preferences))
        .route("/account/mail", post().to(account::mail))
        .route("/account/sessions", post().to(account::sessions))
        .route("/account/second-factor", get().to(second_factor::page))
        .route("/account/second-factor/on", post().to(second_factor::on))
        .route(
            "/account/second-factor/codes",
            post().to(second_factor::codes),
        )
        .route("/account/second-factor/off", post().to(second_factor::off))
        .route("/account/delete", post().to(account::delete))
        // Administration
        .route("/admin", get().to(admin::status))
        .route("/admin/mail", get().to(admin::outbox))
        .route("/admin/mail/retry", post().to(admin::retry))
        .route("/admin/mail/remove", post().to(admin::remove_mail))
        .route("/admin/users", get().to(admin::users))
        .route(
            "/admin/users/second-factor",
            post().to(admin::remove_second_factor),
        )
        .route("/admin/users/invite", making(post().to(admin::invite)))
        .route("/admin/files", get().to(admin::files))
        .route("/admin/files/{name}", get().to(admin::file));
    class::routes(cfg);
    own_cards::routes(cfg);
    pupil::routes(cfg);
    team::routes::routes(cfg);
    lesson::routes(cfg);
    // After the games that have pages of their own.
    cfg.route(
        "/games/flexichess/cards",
        get().to(beside(rulebook::deck::page)),
    )
    .route("/games/{key}", get().to(beside(games::rules)));
}
