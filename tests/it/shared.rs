//! Pictures of boards for links that are shared, and the icons of home screens.

use actix_web::http::StatusCode;
use perplex::app::correspondence::Opponent;
use perplex_games::perplexichess::Size;
use perplex_games::registry::GAMES;
use perplex_matches::correspondence::Command;
use perplex_matches::team::event::{Sight, Terms};

use crate::teams::people::{Browser, between, servers};
use crate::test_app::{done, has, lacks, play, quixo_with, sign_up_form};

#[test]
fn a_link_shows_the_board() {
    servers(|server| async move {
        let ada = server.sign_up(sign_up_form("Ada")).await;
        let mut visitor = Browser::on(&server).await;
        let page = visitor.page("/").await;
        has(&page, "property=\"og:title\" content=\"Perplex\"");
        for entry in GAMES {
            let path = format!("/games/{}", entry.card.key);
            let page = visitor.page(&path).await;
            let picture = between(&page, "og:image\" content=\"", "\"").to_owned();
            has(&picture, "http");
            let picture = picture
                .strip_prefix(&*server.app.url)
                .expect("of this site");
            let got = visitor.get(picture).await;
            assert!(got.is_picture && got.bytes > 1_000, "{path}: {}", got.bytes);
        }
        // Another address after each turn, so that no old board is kept.
        let id = done(server.app.create(&ada, quixo_with(Opponent::ByLink))).await;
        let path = format!("/match/{id}");
        visitor
            .gets(&format!("{path}/picture.png"), StatusCode::NOT_FOUND)
            .await;
        let ben = server.sign_up(sign_up_form("Ben")).await;
        let link = server.app.join_link(&id);
        let link = link.rsplit('/').next();
        done(server.app.act(&ben, &id, link, crate::test_app::join(), "")).await;
        let page = visitor.page(&path).await;
        has(&page, &format!("{path}/picture.png?after=0"));
        done(server.app.act(&ada, &id, None, play(0, "c1-a1"), "")).await;
        let page = visitor.page(&path).await;
        lacks(&page, "picture.png?after=0");
        let got = visitor.get(&format!("{path}/picture.png?after=1")).await;
        assert!(got.is_picture && got.bytes > 1_000);
        visitor
            .gets("/match/nowhere/picture.png", StatusCode::NOT_FOUND)
            .await;

        // A match that is over can be taken along.
        let moving = format!("{path}/game.svg");
        visitor.gets(&moving, StatusCode::NOT_FOUND).await;
        lacks(&visitor.page(&path).await, &moving);
        let resign = Command::Resign;
        done(server.app.act(&ben, &id, None, resign, "")).await;
        has(&visitor.page(&path).await, &moving);
        let got = visitor.get(&moving).await;
        has(&got.text, "A game of Quixo, 1 turn\"");
        has(&got.text, "@keyframes for-1{");
        lacks(&got.text, "light-dark");
    });
}

/// Of a match that everyone may watch; and no more of it than a visitor may see.
#[test]
fn a_link_to_a_team_match_shows_its_boards() {
    servers(|server| async move {
        let host = server.visit("Hanna").await;
        let account = host.account.clone().expect("signed in");
        let mut visitor = Browser::on(&server).await;
        for (size, listed, sight, is_shown) in [
            (Size::Small, true, Sight::Open, true),
            (Size::Large, true, Sight::Open, true),
            (Size::Small, true, Sight::Rooms, false),
            (Size::Small, false, Sight::Open, false),
        ] {
            let terms = Terms {
                listed,
                sight,
                ..Terms::of(size)
            };
            let id = done(server.app.create_team(&account, "Monday", terms)).await;
            let home = format!("/team/{id}");
            let picture = format!("{home}/picture.png");
            if is_shown {
                let page = visitor.page(&home).await;
                has(&page, "og:title\" content=\"Monday\"");
                has(
                    &page,
                    "A team match of Perplexichess. The match has not begun.",
                );
                let address = between(&page, "og:image\" content=\"", "\"");
                has(address, &picture);
                let got = visitor.get(&picture).await;
                assert!(got.is_picture && got.bytes > 10_000, "{}", got.bytes);
                assert!(got.bytes < 150_000, "{}", got.bytes);
                continue;
            }
            visitor.gets(&picture, StatusCode::NOT_FOUND).await;
            // Whoever has the link may join, but their rights do not count for a picture that others fetch.
            let view = server.view(&host, &id).await;
            let link = view.join_link.expect("a link");
            let mut invited = Browser::on(&server).await;
            let page = invited.page(&link).await;
            invited.gets(&picture, StatusCode::NOT_FOUND).await;
            lacks(&page, "og:image");
            if listed {
                has(&page, "og:title\" content=\"Monday\"");
            } else {
                lacks(&page, "og:title");
            }
        }
    });
}

#[test]
fn the_landing_page_shows_games_that_play() {
    servers(|server| async move {
        let mut visitor = Browser::on(&server).await;
        let page = visitor.page("/").await;
        for entry in GAMES {
            let picture = format!("/games/{}/moving.svg", entry.card.key);
            // Without scripts it stands still.
            has(&page, &format!("src=\"{picture}#still\""));
            let got = visitor.get(&picture).await;
            has(
                &got.text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"still\"",
            );
            has(&got.text, ":target .part{animation:none!important}");
        }
    });
}

#[test]
fn a_home_screen_gets_its_icons() {
    servers(|server| async move {
        let mut visitor = Browser::on(&server).await;
        let manifest = visitor.page("/manifest.webmanifest").await;
        for icon in ["/icon/192.png", "/icon/512.png"] {
            has(&manifest, icon);
            assert!(visitor.get(icon).await.is_picture);
        }
        has(&visitor.page("/").await, "href=\"/icon/180.png\"");
        assert!(visitor.get("/icon/180.png").await.is_picture);
        visitor.gets("/icon/20000.png", StatusCode::NOT_FOUND).await;
    });
}
