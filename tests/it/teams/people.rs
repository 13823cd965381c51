//! Around the boards: pages of making, gathering, people and talk as a browser gets them, records, invitations, mails
//! about waiting tasks, and accounts that are renamed or deleted.

use std::future::Future;
use std::io::Read as _;
use std::pin::Pin;
use std::rc::Rc;

use actix_web::App as Site;
use actix_web::cookie::{Cookie, CookieJar, Key};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_ENCODING, CLEAR_SITE_DATA, CONTENT_ENCODING, CONTENT_TYPE, LOCATION,
};
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::web::{Bytes, Data};
use flate2::read::GzDecoder;
use perplex::mail::About;
use perplex::mail::team::TeamText;
use perplex::store::outbox::{MailRow, OutboxState};
use perplex::texts::person;
use perplex::texts::rulebook::LIMITS;
use perplex::web::configure;
use perplex_games::referee;
use perplex_games::rules::flexichess::CARDS;
use perplex_matches::team::event::Deck;
use perplex_matches::time::{days, hours};

use super::*;
use crate::support::unmarked;
use crate::test_app::{done, forbidden, invalid, mails_without, not_found, proof_of};

/// Runs `story` on every database, with one process that has keys of its own.
pub fn servers<F: Future<Output = ()>>(story: impl Fn(TestApp) -> F) {
    let open = |database: &Database| {
        let time = Arc::new(AtomicI64::new(START));
        TestApp::with(database.open(), KeyRing::fresh(), &time)
    };
    everywhere_with("people", open, async |server| story(server.clone()).await);
}

/// The site's answer: with its redirect, its cookies, and its text.
type Answers = Pin<Box<dyn Future<Output = (Got, Vec<Cookie<'static>>)>>>;

/// A request in a table of rights: an address, and the form sent there; `None` for a page.
pub type Deed = (
    &'static str,
    Option<&'static [(&'static str, &'static str)]>,
);

pub struct Browser {
    site: Box<dyn Fn(TestRequest) -> Answers>,
    cookies: Vec<Cookie<'static>>,
    /// The proof for forms, and the cookies with which it was fetched.
    proof: Option<(Vec<Cookie<'static>>, String)>,
}

/// The answer that a browser got.
pub struct Got {
    pub status: StatusCode,
    /// The address of the redirect.
    pub to: String,
    /// The page as it came.
    pub html: String,
    /// The page without the marks for translators.
    pub text: String,
    /// Number of bytes that came over the wire.
    pub bytes: usize,
    pub is_picture: bool,
    /// True if the browser must clear its storage for the site.
    pub clears: bool,
}

impl Browser {
    /// A browser without a session, on the site of `server`.
    pub async fn on(server: &TestApp) -> Self {
        let site = Site::new()
            .app_data(Data::from(Arc::clone(&server.app)))
            .configure(configure);
        let site = Rc::new(init_service(site).await);
        Self {
            site: Box::new(move |request| {
                let site = Rc::clone(&site);
                Box::pin(async move {
                    let response = call_service(&*site, request.to_request()).await;
                    let cookies = response.response().cookies();
                    let cookies = cookies.map(Cookie::into_owned).collect();
                    let to = response.headers().get(LOCATION);
                    let to = to.map_or("", |to| to.to_str().expect("ASCII")).to_owned();
                    let status = response.status();
                    let path = response.request().path().to_owned();
                    let clears = response.headers().contains_key(CLEAR_SITE_DATA);
                    let packed = response.headers().get(CONTENT_ENCODING);
                    let packed = packed.is_some_and(|coding| coding == "gzip");
                    let kind = response.headers().get(CONTENT_TYPE);
                    // A stream of events goes on for ever.
                    let has_end = kind.is_none_or(|kind| kind != "text/event-stream");
                    let is_picture = kind.is_some_and(|kind| kind == "image/png");
                    let body = if has_end {
                        read_body(response).await
                    } else {
                        Bytes::new()
                    };
                    let mut text = String::new();
                    let read = if is_picture {
                        Ok(0)
                    } else if packed && has_end {
                        GzDecoder::new(&*body).read_to_string(&mut text)
                    } else {
                        (&*body).read_to_string(&mut text)
                    };
                    read.unwrap_or_else(|error| panic!("{path}: {error}"));
                    let got = Got {
                        status,
                        to,
                        text: unmarked(&text),
                        html: text,
                        bytes: body.len(),
                        is_picture,
                        clears,
                    };
                    (got, cookies)
                })
            }),
            cookies: Vec::new(),
            proof: None,
        }
    }

    /// Puts the value of one cookie into another, as any user of the browser can.
    pub fn renames_cookie(&mut self, from: &str, to: &str) {
        let value = self.cookies.iter().find(|cookie| cookie.name() == from);
        let value = value.expect("a cookie").value().to_owned();
        self.cookies.retain(|cookie| cookie.name() != to);
        self.cookies.push(Cookie::new(to.to_owned(), value));
    }

    pub fn loses_cookie(&mut self, name: &str) {
        self.cookies.retain(|cookie| cookie.name() != name);
    }

    /// Asks for a page as a new visitor, beside whatever else is asked.
    pub fn asks_beside(&self, path: &str) -> impl Future<Output = StatusCode> {
        let answer = (self.site)(TestRequest::get().uri(path));
        async { answer.await.0.status }
    }

    /// Puts a value that the site signed in earlier versions, without its name, into a cookie.
    pub fn shows_old_cookie(&mut self, server: &TestApp, name: &str, value: &str) {
        let mut jar = CookieJar::new();
        let key = Key::from(&server.app.key.good()[0]);
        jar.signed_mut(&key)
            .add(Cookie::new(name.to_owned(), value.to_owned()));
        let signed = jar.get(name).expect("a cookie").clone();
        self.cookies.retain(|cookie| cookie.name() != name);
        self.cookies.push(signed);
    }

    /// The browser of a visitor who plays the computer, and shows that cookie as the one of a session.
    pub async fn posing(server: &TestApp) -> Self {
        done(server.app.make_computers()).await;
        let mut browser = Self::on(server).await;
        let form = [("game", "quixo"), ("level", "easy")];
        browser.done("/games/quixo", "/play", &form).await;
        browser.renames_cookie("__Host-guest", "__Host-session");
        browser.loses_cookie("__Host-guest");
        browser
    }

    pub async fn of(server: &TestApp, name: &str) -> Self {
        let mut browser = Self::on(server).await;
        browser.sign_in(name).await;
        browser
    }

    /// Browsers of these people, one for each.
    pub async fn all<const N: usize>(server: &TestApp, names: [&str; N]) -> [Self; N] {
        let signed_in = names.map(|name| Self::of(server, name));
        let browsers = futures_util::future::join_all(signed_in).await;
        browsers.try_into().ok().expect("as many")
    }

    async fn ask(&mut self, request: TestRequest) -> Got {
        let request = self
            .cookies
            .iter()
            .fold(request, |request, cookie| request.cookie(cookie.clone()));
        let (got, cookies) = (self.site)(request).await;
        for cookie in cookies {
            self.cookies.retain(|known| known.name() != cookie.name());
            if !cookie.value().is_empty() {
                self.cookies.push(cookie);
            }
        }
        got
    }

    pub async fn get(&mut self, path: &str) -> Got {
        self.ask(TestRequest::get().uri(path)).await
    }

    /// Opens an address, and goes wherever it leads; gives the last address and its page.
    pub async fn follows(&mut self, path: &str) -> (String, String) {
        let mut path = path.to_owned();
        for _ in 0..5 {
            let got = self.get(&path).await;
            if got.to.is_empty() {
                return (path, got.text);
            }
            path = got.to;
        }
        panic!("{path} leads round and round");
    }

    /// Opens a page in front, as a browser says: what [`get`](Self::get) fetches may be fetched by a script.
    pub async fn opens(&mut self, path: &str) -> Got {
        self.opens_with(path, &[]).await
    }

    /// The same, with more headers.
    pub async fn opens_with(&mut self, path: &str, headers: &[(&str, &str)]) -> Got {
        let request = TestRequest::get().uri(path);
        let request = request.insert_header(("Sec-Fetch-Mode", "navigate"));
        let request = headers
            .iter()
            .fold(request, |request, header| request.insert_header(*header));
        self.ask(request).await
    }

    /// As [`get`](Self::get), but ignores new cookies.
    pub async fn glance(&mut self, path: &str) -> Got {
        let cookies = self.cookies.clone();
        let got = self.get(path).await;
        self.cookies = cookies;
        got
    }

    /// A page that exists, compressed as a browser wants it: the number of bytes, and the text.
    pub async fn weigh(&mut self, path: &str) -> (usize, String) {
        let request = TestRequest::get().uri(path);
        let got = self
            .ask(request.insert_header((ACCEPT_ENCODING, "gzip")))
            .await;
        assert_eq!(got.status, StatusCode::OK, "{path}: {}", got.text);
        (got.bytes, got.text)
    }

    /// The text of a page that exists.
    pub async fn page(&mut self, path: &str) -> String {
        let got = self.get(path).await;
        assert_eq!(got.status, StatusCode::OK, "{path}: {}", got.text);
        got.text
    }

    /// Checks that `part` is on a page.
    pub async fn sees(&mut self, path: &str, part: &str) {
        let page = self.page(path).await;
        assert!(page.contains(part), "{path}: no {part:?} in {page}");
    }

    /// Checks that `part` is not on a page, which exists.
    pub async fn lacks(&mut self, path: &str, part: &str) {
        let page = self.page(path).await;
        assert!(!page.contains(part), "{path}: {part:?} in {page}");
    }

    /// Checks the status of the answer at an address.
    pub async fn gets(&mut self, path: &str, status: StatusCode) {
        let got = self.get(path).await;
        assert_eq!(got.status, status, "{path}: {}", got.text);
    }

    /// Sends a form of the page at `from` to an address, or to a part of that page's own: `leave`.
    pub async fn send(&mut self, from: &str, to: &str, fields: &[(&str, &str)]) -> Got {
        let own = format!("{from}/{to}");
        let to = if to.starts_with('/') { to } else { &own };
        let page = self.page(from).await;
        let proof = between(&page, "name=\"csrf\" value=\"", "\"").to_owned();
        let mut form: Vec<(&str, &str)> = vec![("csrf", &proof)];
        form.extend(fields);
        self.ask(TestRequest::post().uri(to).set_form(form)).await
    }

    /// Sends a form that nothing is wrong with, with these headers of the request.
    pub async fn sends_with(&mut self, to: &str, headers: &[(&str, &str)]) -> Got {
        let page = self.page("/sign-in").await;
        let proof = between(&page, "name=\"csrf\" value=\"", "\"").to_owned();
        let request = TestRequest::post().uri(to).set_form([("csrf", proof)]);
        let request = headers
            .iter()
            .fold(request, |request, header| request.insert_header(*header));
        self.ask(request).await
    }

    /// Sends the form of a page that was opened before, as a browser does.
    pub async fn sends_old(&mut self, page: &str, to: &str, fields: &[(&str, &str)]) -> Got {
        let proof = between(page, "name=\"csrf\" value=\"", "\"").to_owned();
        let mut form = vec![("csrf", &*proof)];
        form.extend(fields);
        let request = TestRequest::post().uri(to).set_form(form);
        self.ask(request.insert_header(("Sec-Fetch-Site", "same-origin")))
            .await
    }

    /// Sends a form that no page of ours has made, with these headers of the request.
    pub async fn sends_forged(
        &mut self,
        to: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Got {
        let request = TestRequest::post().uri(to).set_form(fields);
        let request = headers
            .iter()
            .fold(request, |request, header| request.insert_header(*header));
        self.ask(request).await
    }

    /// Sends an empty form. The proof is good as long as its session.
    async fn sends_nothing(&mut self, to: &str) -> Got {
        if self
            .proof
            .as_ref()
            .is_none_or(|(of, _)| *of != self.cookies)
        {
            let page = self.page("/classroom").await;
            let proof = between(&page, "name=\"csrf\" value=\"", "\"").to_owned();
            self.proof = Some((self.cookies.clone(), proof));
        }
        let proof = self.proof.as_ref().map(|(_, proof)| proof.clone());
        let form = [("csrf", proof.unwrap_or_default())];
        self.ask(TestRequest::post().uri(to).set_form(form)).await
    }

    /// Sends a request of a table of rights: with `form`, or for the page. Gives the answer, and its wording in the
    /// table.
    pub async fn ask_for(&mut self, path: &str, form: Option<&[(&str, &str)]>) -> (Got, String) {
        let got = match form {
            Some([]) => self.sends_nothing(path).await,
            Some(fields) => self.send("/classroom", path, fields).await,
            None => self.get(path).await,
        };
        let status = if got.to.starts_with("/sign-in") {
            "sign in".to_owned()
        } else {
            got.status.as_u16().to_string()
        };
        (got, status)
    }

    /// Sends a form that is accepted; gives the address that it leads to.
    pub async fn done(&mut self, from: &str, to: &str, fields: &[(&str, &str)]) -> String {
        let got = self.send(from, to, fields).await;
        assert_eq!(
            got.status,
            StatusCode::SEE_OTHER,
            "{to} {fields:?}: {}",
            got.text
        );
        got.to
    }

    /// Sends a form, and checks the status of the answer; gives its text.
    pub async fn sends(
        &mut self,
        from: &str,
        to: &str,
        fields: &[(&str, &str)],
        status: StatusCode,
    ) -> String {
        let got = self.send(from, to, fields).await;
        assert_eq!(got.status, status, "{to} {fields:?}: {}", got.text);
        got.text
    }

    /// Sends a form that is refused, with an explanation; gives the text of the answer.
    pub async fn refused(&mut self, from: &str, to: &str, fields: &[(&str, &str)]) -> String {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        self.sends(from, to, fields, status).await
    }

    pub async fn sign_in(&mut self, name: &str) {
        let fields = [("login", name), ("password", "a long password")];
        self.done("/sign-in", "/sign-in", &fields).await;
    }
}

pub fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).expect("its end").0
}

#[test]
fn a_match_is_made_and_people_come_by_its_link() {
    servers(|server| async move {
        for name in ["Hanna", "Ada", "Bo"] {
            server.visit(name).await;
        }
        let [mut hanna, mut ada, mut bo] = Browser::all(&server, ["Hanna", "Ada", "Bo"]).await;
        let mut guest = Browser::on(&server).await;

        // A refused form comes back with the typed values.
        let form = |minutes: &'static str| {
            [
                ("title", "Class 7b"),
                ("size", "small"),
                ("limit", "minutes"),
                ("minutes", minutes),
                ("supervised", "yes"),
                ("reveal", "no"),
            ]
        };
        let wrong = hanna.refused("/teams", "/teams", &form("an hour")).await;
        has(&wrong, "number of minutes");
        has(&wrong, "value=\"Class 7b\"");
        let home = hanna.done("/teams", "/teams", &form("60")).await;
        let page = hanna.page(&home).await;
        let join = between(
            &page,
            "id=\"join-link\" class=\"large\" readonly value=\"https://perplex.example",
            "\"",
        )
        .to_owned();
        // Without the link it is not found; with it all are told the terms before joining.
        assert_eq!(guest.get(&home).await.status, StatusCode::NOT_FOUND);
        let page = guest.page(&join).await;
        for told in [
            "3 boards",
            "60 minutes",
            "Everybody sees every board",
            "supervised",
            "stays secret",
        ] {
            assert!(page.contains(told), "{told}");
        }
        let back = between(&page, "href=\"/sign-up?next=", "\"");
        assert_eq!(back.replace("%2F", "/"), join);
        // Two join, one by the buttons of each team.
        assert_eq!(ada.done(&join, &join, &[("side", "white")]).await, home);
        assert_eq!(
            bo.done(&join, &format!("{home}/join"), &[("side", "")])
                .await,
            home
        );
        // Bo has no team, and may arrange no duties; Ada arranges only in her own team.
        bo.refused(&home, "arrange", &[("side", "white"), ("do", "1:1")])
            .await;
        ada.done(
            &home,
            "arrange",
            &[("side", "white"), ("do", "strategist:1")],
        )
        .await;
        bo.done(&home, "team", &[("member", "2"), ("side", "black")])
            .await;
        let page = bo.page(&home).await;
        has(&page, "Still needed: a grand strategist");
        // Only the host starts; not before the teams are complete, or short-handed.
        let start = format!("{home}/start");
        ada.refused(&home, &start, &[("short", "yes")]).await;
        let refused = hanna.send(&home, &start, &[]).await;
        has(&refused.text, "You can start short-handed");
        hanna.done(&home, &start, &[("short", "yes")]).await;
        ada.sees(&home, "This match is supervised").await;
        // A visitor who comes by the link now is told that it has begun.
        let page = guest.page(&join).await;
        assert!(page.contains("You need") || page.contains("For this you need an account"));
        // Ada leaves, and is told so: only the host lets people in again.
        assert_eq!(ada.done(&home, "leave", &[("member", "1")]).await, home);
        let mut stranger = Browser::on(&server).await;
        stranger.cookies.extend(
            ada.cookies
                .iter()
                .filter(|c| c.name() == "__Host-session")
                .cloned(),
        );
        assert_eq!(stranger.get(&home).await.status, StatusCode::FORBIDDEN);
    });
}

/// The match of [`Team`], in browsers.
async fn begun(server: &TestApp, terms: Terms) -> (Team, String) {
    let team = Team::new(server.clone(), terms).await;
    let home = format!("/team/{}", team.id);
    (team, home)
}

#[test]
fn duties_are_given_as_they_were_confirmed() {
    servers(|server| async move {
        let (team, home) = begun(&server, terms()).await;
        let mut ada = Browser::of(&server, "Ada").await;
        let ask = format!("{home}?side=white&duty=1&to=5");
        let page = ada.page(&ask).await;
        has(&page, "Eve takes board 1, Bo becomes agent.");
        let after = between(&page, "name=\"after\" value=\"", "\"").to_owned();
        assert_eq!(after, "1 5 3 4");
        // Another member was quicker: the change would be another one now.
        let give = Command::Give(Side::First, Duty::Board(BoardNo(1)), MemberId(3));
        team.act(1, give).await;
        let fields = [
            ("side", "white"),
            ("duty", "1"),
            ("to", "5"),
            ("after", after.as_str()),
        ];
        let late = ada.refused(&home, "give", &fields).await;
        has(&late, "Eve takes board 1, Cy becomes agent.");
        let after = between(&late, "name=\"after\" value=\"", "\"").to_owned();
        let fields = [
            ("side", "white"),
            ("duty", "1"),
            ("to", "5"),
            ("after", after.as_str()),
        ];
        ada.done(&home, "give", &fields).await;
        let view = team.view(1).await;
        assert_eq!(view.state.team(Side::First).duties.to_string(), "1 5 2 4");
        // Bo is not asked, and may not do it.
        let mut bo = Browser::of(&server, "Bo").await;
        bo.lacks(&ask, "name=\"after\"").await;
        bo.refused(
            &home,
            "give",
            &[
                ("side", "white"),
                ("duty", "2"),
                ("to", "5"),
                ("after", "1 2 5 4"),
            ],
        )
        .await;
    });
}

#[test]
fn a_vote_is_seen_by_its_voter_only() {
    servers(|server| async move {
        let (team, home) = begun(&server, terms()).await;
        let vote = format!("{home}/vote");
        let [mut bo, mut cy, mut gus] = Browser::all(&server, ["Bo", "Cy", "Gus"]).await;

        let before = cy.page(&home).await;
        bo.done(&home, &vote, &[("vote", "5")]).await;
        bo.sees(&home, "Your vote is for <strong>Eve</strong>")
            .await;
        // Not even the numbers of the page reveal a vote.
        assert_eq!(
            between(&before, "data-heads=\"", "\""),
            between(&cy.page(&home).await, "data-heads=\"", "\"")
        );
        cy.lacks(&home, "Your vote is for").await;
        bo.done(&home, &vote, &[("vote", "-")]).await;
        bo.sees(&home, "You have not voted").await;
        for name in ["Bo", "Cy", "Eve"] {
            let mut voter = Browser::of(&server, name).await;
            voter.done(&home, &vote, &[("vote", "5")]).await;
        }
        let view = team.view(5).await;
        assert!(view.state.is_strategist(MemberId(5)));
        // The other team sees who plays which board, but not who leads.
        let page = gus.page(&home).await;
        lacks(&page, "elected");
        lacks(between(&page, "id=\"people\"", "</section>"), "Eve");
    });
}

#[test]
fn talk_points_at_squares_and_asks_before_it_leads_away() {
    servers(|server| async move {
        let (_, home) = begun(&server, terms()).await;
        let [mut bo, mut cy, mut gus] = Browser::all(&server, ["Bo", "Cy", "Gus"]).await;

        let text = "Look at 3:e4 <b>now</b>: https://a.example/?x=1&y=2";
        bo.done(&home, "talk/1", &[("text", text)]).await;
        let page = cy.page(&format!("{home}?channel=0")).await;
        has(&page, "1<span class=\"vh\"> unread</span>");
        // Messages that may be out of sight are not read yet.
        for path in [home.clone(), format!("{home}/talk?channel=1&unseen=1")] {
            let page = cy.page(&path).await;
            assert!(
                page.contains("1<span class=\"vh\"> unread</span>"),
                "{path}"
            );
        }
        let page = cy.page(&format!("{home}?channel=1")).await;
        has(&page, "data-board=\"3\" data-square=\"e4\">3:e4</a>");
        has(&page, "&#60;b&#62;now");
        lacks(&page, "<b>now");
        assert!(!page.contains("href=\"https://a.example"));
        // They count as read once they were seen.
        cy.lacks(&format!("{home}?channel=0"), " unread</span>")
            .await;
        let away = format!("{home}/talk/1/1/link/0");
        assert!(page.contains(&away));
        assert!(
            cy.page(&away)
                .await
                .contains("href=\"https://a.example/?x=1&#38;y=2\" rel=\"noreferrer")
        );
        // The other team finds neither the talk nor the targets of its links, whatever it tries.
        assert_eq!(gus.get(&away).await.status, StatusCode::NOT_FOUND);
        gus.sends(&home, "talk/1", &[("text", "x")], StatusCode::NOT_FOUND)
            .await;
        for path in [
            "",
            "?channel=1",
            "/talk?channel=1",
            "/people",
            "/record",
            "/record.txt",
            "/record.json",
        ] {
            let page = gus.page(&format!("{home}{path}")).await;
            assert!(
                !page.contains("a.example") && !page.contains("White’s team"),
                "{path}"
            );
        }
        assert!(!between(&gus.page(&home).await, "data-heads=\"", "\"").contains("1.1"));
        // A text that is too long comes back.
        let long = "y".repeat(5_000);
        let got = bo.refused(&home, "talk/1", &[("text", &long)]).await;
        assert!(got.contains(&long));
        // Only its members find a secret channel.
        let to = bo.done(&home, "talk", &[("with", "3")]).await;
        let (_, channel) = to.split_once("channel=").expect("the new channel");
        let say = format!("{home}/talk/{channel}");
        bo.done(&home, &say, &[("text", "psst")]).await;
        cy.sees(&to, "psst").await;
        let mut ada = Browser::of(&server, "Ada").await;
        ada.lacks(&to, "psst").await;
        ada.sends(&home, &say, &[("text", "x")], StatusCode::NOT_FOUND)
            .await;
        bo.refused(&home, "talk", &[("with", "7")]).await;
    });
}

/// The program cannot judge a rule in words: its limits stand beside the field, beside the answer, and before the host.
#[test]
fn the_limits_of_rules_in_words_are_told_to_whoever_judges() {
    servers(|server| async move {
        let (team, home) = begun(&server, terms()).await;
        let mut browsers = Browser::all(&server, ["Hanna", "Bo", "Gus"]).await;
        let [hanna, bo, gus] = &mut browsers;
        let panel = format!("{home}/control");
        let field = format!("{home}?board=1&rule=N&form=written");
        bo.sees(&field, LIMITS).await;
        for page in [&home, &panel] {
            hanna.lacks(page, LIMITS).await;
        }
        let rule = "rule N written \"A knight may pass.\"";
        team.act(2, play(1, 0, rule)).await;
        gus.sees(&format!("{home}?board=1"), LIMITS).await;
        team.act(7, Command::Dispute(BoardNo(1))).await;
        hanna.sees(&panel, LIMITS).await;
    });
}

/// A rule in words that names what its limits keep out comes back to its writer once, and says so to those who judge it.
#[test]
fn what_rules_in_words_name_is_pointed_out_before_they_are_sent_and_answered() {
    servers(|server| async move {
        let (team, home) = begun(&server, terms()).await;
        let mut browsers = Browser::all(&server, ["Hanna", "Bo", "Gus", "Fay"]).await;
        let [hanna, bo, gus, fay] = &mut browsers;
        let (panel, board) = (format!("{home}/control"), format!("{home}?board=1"));
        let says = "This rule names White and the king.";
        let text = "White’s knights jump over the king.";
        let rule = [("rule", "N"), ("form", "written"), ("ply", "0")];
        let form = |more: &[(&'static str, &'static str)]| [&rule[..], more].concat();
        let last = |view: TeamView| view.last_number;
        let before = last(team.view(2).await);

        // Its writer gets it back with the text, and nothing was sent.
        let page = bo.refused(&home, "turn/1", &form(&[("words", text)])).await;
        has(&page, says);
        has(&page, "so the other side may dispute it.");
        has(&page, "aria-describedby=\"rule-hint\"");
        has(
            &page,
            &format!("required aria-describedby=\"rule-hint\">{text}</textarea>"),
        );
        has(&page, "Propose it all the same");
        lacks(&page, "Propose the rule");
        lacks(&page, "id=\"problems\"");
        // Parts that are fetched again have the text, too.
        let here = between(&page, "data-here=\"", "\"").replace("&#38;", "&");
        bo.sees(&here, says).await;
        bo.sees(&here, text).await;
        // A text that was changed since is looked at again.
        let other = form(&[("words", "Black’s knights rest."), ("told", text)]);
        let page = bo.refused(&home, "turn/1", &other).await;
        has(
            &page,
            "This rule names Black. A rule holds for both colours alike,",
        );
        lacks(&page, says);
        // So is one that is written as a turn.
        let turn = [
            ("ply", "0"),
            ("turn", "rule * written \"Pawns and rooks rest.\""),
        ];
        let page = bo.refused(&home, "turn/1", &turn).await;
        has(
            &page,
            "This rule names pawns and rooks. A rule is about one kind of piece only,",
        );
        has(&page, "Play anyway</button>");
        has(&page, "Pawns and rooks rest.");
        // Others get no further than with any other turn.
        let sent = form(&[("words", text)]);
        has(&gus.refused(&home, "turn/1", &sent).await, "turn");
        lacks(&fay.refused(&home, "turn/1", &sent).await, says);
        // What cannot be played is refused at once.
        let late = [
            ("rule", "N"),
            ("form", "written"),
            ("words", text),
            ("ply", "9"),
        ];
        let page = bo.sends(&home, "turn/1", &late, StatusCode::CONFLICT).await;
        has(&page, "id=\"problems\"");
        assert_eq!(last(team.view(2).await), before);

        // It is sent all the same, and pointed out to those who answer and decide.
        gus.lacks(&board, says).await;
        bo.done(&home, "turn/1", &form(&[("words", text), ("told", text)]))
            .await;
        gus.sees(&board, "This rule names White and the king. A rule holds for both colours alike and leaves the king as it is.").await;
        for page in [&panel, &home] {
            hanna.lacks(page, says).await;
        }
        team.act(7, Command::Dispute(BoardNo(1))).await;
        for page in [&panel, &home] {
            hanna.sees(page, says).await;
        }
        hanna.done(&panel, "lead", &[("do", "falls:1")]).await;
        hanna.lacks(&panel, says).await;

        // A rule that names nothing of that is sent at once.
        let plain = [
            ("rule", "N"),
            ("form", "written"),
            ("words", "A knight may pass."),
        ];
        let seen = team
            .view(2)
            .await
            .state
            .boards
            .board(BoardNo(1))
            .expect("there")
            .version()
            .to_string();
        let plain = [&plain[..], &[("ply", &*seen)]].concat();
        bo.done(&home, "turn/1", &plain).await;
        gus.sees(&board, LIMITS).await;
        gus.lacks(&board, "This rule names").await;
    });
}

#[test]
fn the_terms_say_which_cards_are_offered() {
    for (deck, cards, says) in [
        (Deck::All, CARDS.len(), ""),
        (Deck::Starter, 8, "those for beginners"),
        (Deck::None, 0, "offered no rule cards"),
    ] {
        servers(move |server| async move {
            let (team, home) = begun(&server, Terms { deck, ..terms() }).await;
            let mut bo = Browser::of(&server, "Bo").await;
            let page = bo.page(&home).await;
            assert_eq!(page.matches("<li><a class=\"rule-card").count(), cards);
            has(&bo.page(&format!("{home}/record")).await, says);
            // Whatever is offered: a card is a change like any other.
            team.act(2, play(1, 0, "card lazy rook")).await;
            let mut gus = Browser::of(&server, "Gus").await;
            gus.sees(&home, "Rule card on board 1: Lazy rook").await;
        });
    }
}

/// A host makes rule cards, which the players of the matches that they make are offered.
#[test]
fn a_host_has_cards_of_their_own() {
    servers(|server| async move {
        let deck = Deck::Own;
        let (team, home) = begun(&server, Terms { deck, ..terms() }).await;
        let mut browsers = Browser::all(&server, ["Hanna", "Bo", "Gus"]).await;
        let [hanna, bo, gus] = &mut browsers;
        let cards = "/rule-cards";
        let card = |name, words| {
            [
                ("rule", "N"),
                ("form", "move"),
                ("betza", "NW"),
                ("words", words),
                ("card-name", name),
            ]
        };
        let words = "Knights also step straight.";
        for browser in [&mut *hanna, &mut *bo] {
            browser.sees("/teams", "href=\"/rule-cards\"").await;
        }
        hanna.sees(cards, "Make rule cards of your own here").await;
        hanna.done(cards, cards, &card("Club horse", words)).await;
        hanna.sees(cards, "Players are offered these cards").await;
        hanna.sees(cards, ">Club horse<").await;
        // Each host has cards of their own.
        bo.done(cards, cards, &card("Bo’s horse", "x")).await;
        hanna.lacks(cards, "Bo’s horse").await;
        let page = bo.page(cards).await;
        let edits = between(&page, "edit=", "&").to_owned();
        let fields = [&card("Stolen horse", "x")[..], &[("edit", edits.as_str())]].concat();
        hanna
            .sends(cards, cards, &fields, StatusCode::NOT_FOUND)
            .await;
        let remove = [("card", edits.as_str())];
        hanna.done(cards, "/rule-cards/remove", &remove).await;
        bo.sees(cards, "Bo’s horse").await;
        // Whoever plays in a match of Hanna's is offered hers.
        let page = bo.page(&home).await;
        assert_eq!(page.matches("<li><a class=\"rule-card").count(), 1);
        has(&page, "Club horse");
        has(
            &gus.page(&format!("{home}/record")).await,
            "those that the host made",
        );
        let rule = format!("rule N NW \"{words}\"");
        team.act(2, play(1, 0, &rule)).await;
        gus.sees(&home, "Rule card on board 1: Club horse").await;
    });
}

#[test]
fn records_are_what_the_referee_reads() {
    servers(|server| async move {
        let (team, home) = begun(&server, rooms()).await;
        let rule = "rule N NW \"Knights also step one square.\"";
        team.act(2, play(1, 0, rule)).await;
        team.act(7, play(1, 1, "e7e5")).await;
        // A rule card is kept as the change that it stands for.
        team.act(3, play(2, 0, "Card lazy rook")).await;
        team.act(4, play(3, 0, "e2e4")).await;
        let pawn = transfer(Side::First, ('e', '4'), 3, 1, Kind::Pawn);
        team.act(1, pawn).await;
        let [mut ada, mut bo, mut hanna] = Browser::all(&server, ["Ada", "Bo", "Hanna"]).await;

        // A member who sees all boards reads who plays which for the other team, but not who leads it.
        let mut fay = Browser::of(&server, "Fay").await;
        for form in ["", ".txt", ".json"] {
            let theirs = fay.page(&format!("{home}/record{form}")).await;
            let own = ada.page(&format!("{home}/record{form}")).await;
            let leads = |page: &str, name: &str| {
                let mut after = page.split(name).skip(1);
                after.any(|rest| {
                    let near: String = rest.chars().take(60).collect();
                    let near = near
                        .split([',', '\n'])
                        .next()
                        .unwrap_or_default()
                        .to_owned();
                    near.contains("grand strategist")
                })
            };
            assert!(leads(&own, "Ada") && !leads(&own, "Fay"), "{form}: {own}");
            assert!(
                leads(&theirs, "Fay") && !leads(&theirs, "Ada"),
                "{form}: {theirs}"
            );
            lacks(&theirs, "duties white 1 ");
        }
        // Bo sees board 1 only, and so no record before the end.
        for form in ["", ".txt", ".json"] {
            bo.gets(&format!("{home}/record{form}"), StatusCode::FORBIDDEN)
                .await;
        }
        let fields = [("do", "stop")];
        ada.refused(&home, "lead", &fields).await;
        hanna.done(&home, "lead", &fields).await;
        let page = bo.page(&home).await;
        has(&page, "Black won by the count of pieces");
        has(&page, "White 15, Black 16");
        let text = bo.page(&format!("{home}/record.txt")).await;
        let (headers, lines) = text.split_once("\n\n").expect("an empty line");
        assert!(
            headers.starts_with("Game: perplexichess\nVariant: small\n"),
            "{headers}"
        );
        has(headers, "White: Ada (grand strategist), Bo (board 1)");
        has(headers, "Result: draw\nReason: time\nScore: 1:1");
        let turns: Vec<&str> = lines.lines().collect();
        assert_eq!(
            turns,
            [
                format!("1 {rule}").as_str(),
                "1 e7e5",
                "2 rule R R3 \"Rooks go three squares at most.\"",
                "3 e2e4",
                "w e4 3>1",
                "time"
            ]
        );
        let question =
            serde_json::json!({"game": "perplexichess", "variant": "small", "turns": turns});
        let json = bo.page(&format!("{home}/record.json")).await;
        for question in [question.to_string(), json] {
            let answer: serde_json::Value =
                serde_json::from_str(&referee::answer(&question)).expect("JSON");
            assert_eq!(answer["ok"], true, "{answer}");
            assert_eq!(answer["result"], "draw", "{answer}");
            assert_eq!(answer["score"]["drawn"], 1, "{answer}");
        }
        let page = bo.page(&format!("{home}/record")).await;
        has(&page, "Knights also step one square.");
        has(&page, "Ada moved the pawn on e4");
    });
}

#[test]
fn people_are_invited_by_name_and_by_mail() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let (ada, bo) = (server.visit("Ada").await, server.visit("Bo").await);
        let id = server.team_match(&hanna, terms()).await;
        server.letters().await;
        let invite = |visit: &TeamAccess, to: &str| {
            let (visit, to, server, id) =
                (visit.clone(), to.to_owned(), server.clone(), id.clone());
            async move { server.app.invite_to_team(&visit, &id, &to).await }
        };
        invite(&hanna, "ada").await.expect("invited");
        invite(&hanna, "new@example.org").await.expect("invited");
        for wrong in ["nobody", "not@", "ada"] {
            assert!(
                matches!(invite(&hanna, wrong).await, Err(AppError::Invalid(_))),
                "{wrong}"
            );
        }
        // A player who may not see the match cannot invite to it.
        not_found(invite(&bo, "ada").await);
        let letters = server.letters().await;
        let mut told: Vec<(String, bool)> = letters
            .into_iter()
            .map(|(row, about)| match about {
                Some(About::Team(TeamText::Invitation {
                    path, known, from, ..
                })) => {
                    assert_eq!(from.as_str(), "Hanna");
                    // The link in a mail to an address is that of the invitation.
                    assert_eq!(path == server.app.team_join_link(&id, 0), known, "{path}");
                    (row.address, known)
                }
                other => panic!("{other:?}"),
            })
            .collect();
        told.sort();
        assert_eq!(
            told,
            [
                ("Ada@example.org".to_owned(), true),
                ("new@example.org".to_owned(), false)
            ]
        );
        let lists = server.app.teams(ada.account.as_ref()).await.expect("lists");
        assert_eq!(lists.invited.len(), 1);
        assert!(lists.own.is_empty() && lists.open.is_empty());
        let link = lists.invited[0].link.clone().expect("a link");
        let invited = server.view(&hanna, &id).await.invited;
        assert_eq!(invited.iter().map(person).collect::<Vec<_>>(), ["Ada"]);
        let by_link = TeamAccess {
            link: proof_of(&link),
            ..ada.clone()
        };
        server
            .act(&by_link, &id, Command::Join(MemberId(0), None))
            .await;
        let lists = server.app.teams(ada.account.as_ref()).await.expect("lists");
        assert_eq!((lists.invited.len(), lists.own.len()), (0, 1));
        assert!(server.view(&hanna, &id).await.invited.is_empty());
        invalid(invite(&hanna, "ada").await);
    });
}

/// The mails about declined invitations since the last look: whose they were, and where the mail goes.
async fn declined(server: &TestApp) -> Vec<String> {
    let letters = server.letters().await.into_iter();
    let told = letters.map(|(row, about)| match about {
        Some(About::Team(TeamText::Declined { who, .. })) => {
            format!("{} to {}", who.as_str(), row.address)
        }
        other => panic!("{other:?}"),
    });
    told.collect()
}

/// A player who was invited by name declines by name.
#[test]
fn a_declined_invitation_is_told_to_the_host() {
    servers(|server| async move {
        let (hanna, ada) = (server.visit("Hanna").await, server.visit("Ada").await);
        let id = server.team_match(&hanna, terms()).await;
        let app = &server.app;
        done(app.decline_team(&ada, &id)).await;
        assert!(declined(&server).await.is_empty());
        done(app.invite_to_team(&hanna, &id, "Ada")).await;
        server.letters().await;
        done(app.decline_team(&ada, &id)).await;
        done(app.decline_team(&ada, &id)).await;
        assert_eq!(declined(&server).await, ["Ada to Hanna@example.org"]);
        // By name also if the address was invited, too.
        for to in ["Ada", "ada@example.org"] {
            done(app.invite_to_team(&hanna, &id, to)).await;
        }
        server.letters().await;
        done(app.decline_team(&ada, &id)).await;
        assert_eq!(declined(&server).await, ["Ada to Hanna@example.org"]);
    });
}

/// An address that was invited finds the match in its list, once it has an account; the host sees who was asked.
#[test]
fn an_invited_address_waits_for_its_account() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let id = server.team_match(&hanna, terms()).await;
        let app = &server.app;
        let asked = async || {
            let view = server.view(&hanna, &id).await;
            let asked = view.addresses.into_iter();
            asked
                .map(|one| (one.email, one.declined))
                .collect::<Vec<_>>()
        };
        for address in ["NEW@example.org", "Old@example.org"] {
            done(app.invite_to_team(&hanna, &id, address)).await;
        }
        assert_eq!(asked().await.len(), 2);
        let (new, old) = (server.visit("New").await, server.visit("Old").await);
        let mut links = Vec::new();
        for visit in [&new, &old] {
            let lists = done(app.teams(visit.account.as_ref())).await;
            assert_eq!(lists.invited.len(), 1);
            links.push(lists.invited[0].link.clone().expect("a link"));
        }
        let [new_link, old_link] = links.try_into().expect("two links");
        // One declines, and stands so at the host's; asked again, they find it again.
        server.letters().await;
        done(app.decline_team(&old, &id)).await;
        done(app.decline_team(&old, &id)).await;
        assert_eq!(
            declined(&server).await,
            ["Old@example.org to Hanna@example.org"]
        );
        let old_declines = ("Old@example.org".to_owned(), true);
        assert!(asked().await.contains(&old_declines));
        let lists = done(app.teams(old.account.as_ref())).await;
        assert!(lists.invited.is_empty());
        // Their link is no longer good, nor was it that of the match.
        let declined_link = TeamAccess {
            link: proof_of(&old_link),
            ..old.clone()
        };
        not_found(app.load_team_match(&declined_link, &id, None).await);
        done(app.invite_to_team(&hanna, &id, "old@example.org")).await;
        let lists = done(app.teams(old.account.as_ref())).await;
        assert_eq!(lists.invited.len(), 1);
        // The other joins, and is no longer asked.
        let by_link = TeamAccess {
            link: proof_of(&new_link),
            ..new.clone()
        };
        server
            .act(&by_link, &id, Command::Join(MemberId(0), None))
            .await;
        assert_eq!(asked().await, [("old@example.org".to_owned(), false)]);
        let lists = done(app.teams(new.account.as_ref())).await;
        assert_eq!((lists.invited.len(), lists.own.len()), (0, 1));
        // Only the host withdraws.
        forbidden(
            app.withdraw_team_address(&by_link, &id, "old@example.org")
                .await,
        );
        // The link of who joined brings nobody else; that of who was withdrawn brings nobody.
        let other = TeamAccess {
            link: by_link.link.clone(),
            ..server.visit("Other").await
        };
        not_found(app.load_team_match(&other, &id, None).await);
        assert!(app.load_team_match(&declined_link, &id, None).await.is_ok());
        done(app.withdraw_team_address(&hanna, &id, "old@example.org")).await;
        assert!(asked().await.is_empty());
        let lists = done(app.teams(old.account.as_ref())).await;
        assert!(lists.invited.is_empty());
        not_found(app.load_team_match(&declined_link, &id, None).await);
        done(app.invite_to_team(&hanna, &id, "old@example.org")).await;
        assert!(app.load_team_match(&declined_link, &id, None).await.is_ok());
        // New links end those in the mails, too.
        done(app.renew_team_links(&hanna, &id)).await;
        not_found(app.load_team_match(&declined_link, &id, None).await);
    });
}

#[test]
fn what_waits_is_told_once_a_day_at_most() {
    servers(|server| async move {
        let (team, _) = begun(&server, over_days()).await;
        // Only Cy wants mails at once.
        for (number, person) in (1..).zip(&team.people) {
            let account = person.account.clone().expect("signed in");
            let off = &["team-news", "team-turn"][..if number == 3 { 1 } else { 2 }];
            done(server.app.set_mail(&account, mails_without(off))).await;
        }
        server.letters().await;
        team.act(2, play(1, 0, "e2e4")).await;
        team.act(3, play(2, 0, "e2e4")).await;
        team.act(8, play(2, 1, "e7e5")).await;
        let at_once = server.letters().await;
        let [(row, Some(About::Team(TeamText::Turn { waits, .. })))] = &at_once[..] else {
            panic!("{at_once:?}");
        };
        assert_eq!(
            (row.address.as_str(), &waits.what[..]),
            (
                "Cy@example.org",
                &["it is your turn on board 2".to_owned()][..]
            )
        );
        // An hour later all with a waiting task get a mail; then none before a day has passed. Cy knows, and is
        // reminded after a day.
        let told = |letters: Vec<(MailRow, Option<About>)>| -> Vec<String> {
            let mut names: Vec<String> = letters
                .into_iter()
                .map(|(row, about)| {
                    assert!(
                        matches!(about, Some(About::Team(TeamText::Waiting { .. }))),
                        "{about:?}"
                    );
                    row.address.split('@').next().unwrap_or_default().to_owned()
                })
                .collect();
            names.sort();
            names
        };
        server.app.tick().await.expect("a tick");
        assert!(server.letters().await.is_empty());
        server.wait(Duration::from_mins(61));
        server.app.tick().await.expect("a tick");
        assert_eq!(told(server.letters().await), ["Dee", "Gus"]);
        team.act(7, play(1, 1, "e7e5")).await;
        for _ in 0..22 {
            server.wait(Duration::from_mins(61));
            server.app.tick().await.expect("a tick");
        }
        // Only Bo's task began after that mail.
        assert_eq!(told(server.letters().await), ["Bo"]);
        server.wait(days(1));
        server.app.tick().await.expect("a tick");
        assert_eq!(told(server.letters().await), ["Bo", "Cy", "Dee"]);
        // A task that no longer waits when the mail is composed is left out.
        server.wait(days(1) + Duration::from_mins(61));
        server.app.tick().await.expect("a tick");
        team.lead(Command::Stop).await;
        assert!(
            server
                .letters()
                .await
                .iter()
                .all(|(_, about)| about.is_none())
        );
        server.wait(days(2));
        server.app.tick().await.expect("a tick");
        assert!(server.letters().await.is_empty());
    });
}

/// The mail has the board as its reader sees it, and a rule in force once.
#[test]
fn a_turn_is_mailed_with_its_board() {
    servers(|server| async move {
        let (team, _) = begun(&server, over_days()).await;
        server.letters().await;
        let mailed = async || {
            let letters = server.letters().await;
            let mut turns = letters.into_iter().filter_map(|(_, about)| match about {
                Some(About::Team(text @ TeamText::Turn { .. })) => Some(text),
                _ => None,
            });
            let (Some(text), None) = (turns.next(), turns.next()) else {
                panic!("one mail about a turn");
            };
            text
        };
        let check = |text: &TeamText, note: &str, lines: &str| {
            let told = text.lines();
            let told: Vec<&str> = told.iter().map(|line| line.note.as_str()).collect();
            assert_eq!(told, [note]);
            let TeamText::Turn { pictures, .. } = text else {
                panic!("{text:?}");
            };
            let [board] = &pictures[..] else {
                panic!("{pictures:?}");
            };
            assert!(board.text.starts_with(lines), "{}", board.text);
        };
        team.act(2, play(1, 0, "rule N NW \"Knights also step.\""))
            .await;
        check(
            &mailed().await,
            "",
            "1 R N B K Q B N R\n2 P P P P P P P P\n",
        );
        server.wait(hours(1));
        team.act(7, play(1, 1, "e7e5")).await;
        let note = "In force on board 1: “Knights also step.”";
        check(
            &mailed().await,
            note,
            "8 r n b q k b n r\n7 p p p p . p p p\n",
        );
    });
}

/// A turn that follows while a mail waits for one that was answered on the site is told with that mail.
#[test]
fn the_next_turn_is_not_lost_with_a_mail_that_waits() {
    servers(|server| async move {
        let (team, _) = begun(&server, over_days()).await;
        let gus = team.of(7).account.clone().expect("signed in").id;
        server.letters().await;
        let waiting = async || {
            let mut rows = server.rows(OutboxState::Waiting).await;
            rows.retain(|row| row.account_id.as_ref() == Some(&gus) && row.kind == "team-turn");
            rows
        };
        server.wait(Duration::from_secs(1));
        team.act(2, play(1, 0, "e2e4")).await;
        let first = waiting().await;
        assert_eq!(first.len(), 1);
        assert!(server.is_wanted(&first[0]).await);
        // Gus answers at once, and Bo too.
        server.wait(Duration::from_mins(1));
        team.act(7, play(1, 1, "e7e5")).await;
        server.app.tick().await.expect("a tick");
        assert!(!server.is_wanted(&first[0]).await, "he has played");
        server.wait(Duration::from_mins(1));
        team.act(2, play(1, 2, "d2d4")).await;
        assert_eq!(waiting().await, first, "it joins the one that waits");
        assert!(server.is_wanted(&first[0]).await);
        // He looks, and then it is needless.
        server.wait(Duration::from_mins(1));
        team.view(7).await;
        server.app.tick().await.expect("a tick");
        assert!(!server.is_wanted(&first[0]).await);
    });
}

#[test]
fn an_invitation_keeps_no_account_from_being_deleted() {
    servers(|server| async move {
        let hanna = server.visit("Hanna").await;
        let terms = Terms {
            listed: false,
            ..terms()
        };
        let id = server.team_match(&hanna, terms).await;
        let ada = server.visit("Ada").await;
        done(server.app.invite_to_team(&hanna, &id, "Ada")).await;
        let account = ada.account.clone().expect("signed in");
        done(server.app.delete_account(&account, "a long password")).await;
        let view = server.view(&hanna, &id).await;
        assert!(view.invited.is_empty(), "{:?}", view.invited);
    });
}

#[test]
fn names_follow_their_accounts_and_deleted_ones_leave() {
    servers(|server| async move {
        let (team, _) = begun(&server, terms()).await;
        let account = |visit: &TeamAccess| visit.account.clone().expect("signed in");
        done(server.app.set_name(&account(team.of(2)), "Robert")).await;
        assert_eq!(team.view(1).await.name(MemberId(2)), "Robert");
        done(
            server
                .app
                .delete_account(&account(team.of(2)), "a long password"),
        )
        .await;
        let view = team.view(1).await;
        assert_eq!(view.name(MemberId(2)), "deleted player");
        assert_eq!(view.state.team(Side::First).duties.to_string(), "1 5 3 4");
        assert_eq!(view.state.phase, Phase::Playing);
        // When the host deletes their account, the match ends.
        done(
            server
                .app
                .delete_account(&account(&team.host), "a long password"),
        )
        .await;
        assert_eq!(team.view(1).await.state.phase, Phase::Over);
    });
}
