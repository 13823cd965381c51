//! What proxies and browsers send that no page of ours asked for.

use super::*;

/// A request with these headers besides.
fn with(request: Vec<u8>, headers: &[&[u8]]) -> Vec<u8> {
    let line = request.windows(2).position(|two| two == b"\r\n");
    let (first, rest) = request.split_at(line.expect("a line") + 2);
    let mut all = first.to_vec();
    for header in headers {
        all.extend([*header, b"\r\n"].concat());
    }
    all.extend(rest);
    all
}

/// A visitor who has opened a page with a form.
pub async fn visitor(server: SocketAddr, headers: &[&[u8]]) -> Client {
    let mut visitor = Client::new(server);
    let page = with(visitor.request_for("/sign-in"), headers);
    assert_eq!(visitor.send(&page).await.expect("an answer"), 200);
    visitor.keep_proof().expect("a form");
    visitor
}

/// Sends a form with the right proof; gives the status.
pub async fn send(
    visitor: &mut Client,
    path: &str,
    fields: &[(&str, &str)],
    headers: &[&[u8]],
) -> u16 {
    let form = with(visitor.request_with(path, fields), headers);
    visitor.send(&form).await.expect("an answer")
}

/// Waits until the log, which is written beside all else, has this.
pub fn logs(folder: &Folder, part: &str) {
    let start = Instant::now();
    while !log_of(&folder.0).contains(part) {
        assert!(
            start.elapsed() < PATIENCE,
            "no {part:?} in {}",
            log_of(&folder.0)
        );
        std::thread::sleep(AGAIN);
    }
}

const GUEST: [(&str, &str); 2] = [("game", "quixo"), ("level", "easy")];

#[test]
fn visitors_are_told_apart_whatever_a_proxy_sends() {
    let folder = Folder::new("proxy");
    let server = Server::start(&folder.0, &[("PERPLEX_PROXIES", "1".to_owned())]);
    threads().block_on(async {
        for (headers, from) in [
            (
                &[&b"X-Forwarded-For: 198.51.100.9, 192.0.2.1"[..]][..],
                "192.0.2.1",
            ),
            (&[b"X-Forwarded-For: \xff, 192.0.2.2"], "192.0.2.2"),
            (&[b"X-Forwarded-For: \xff\xfe,,192.0.2.3 ,"], "192.0.2.3"),
            (
                &[b"X-Forwarded-For: \xff", b"X-Forwarded-For: 192.0.2.4:5555"],
                "192.0.2.4",
            ),
            (&[b"X-Forwarded-For: [2001:db8::5%eth0]:443"], "2001:db8::5"),
            (&[b"X-Forwarded-For: ::ffff:192.0.2.6"], "192.0.2.6"),
        ] {
            let mut visitor = visitor(server.address, headers).await;
            let form = [("email", "nobody@example.org")];
            send(&mut visitor, "/reset", &form, headers).await;
            logs(&folder, &format!("from=\"{from}\""));
        }
        lacks(&log_of(&folder.0), "X-Forwarded-For");

        // A proxy that does not tell the address: its visitors do not share what a network may do.
        for headers in [
            &[&b"X-Forwarded-For: unknown"[..]][..],
            &[b"X-Forwarded-For: 192.0.2.7, _hidden"],
            &[b"X-Forwarded-For: \xff"],
            &[],
        ] {
            let mut first = visitor(server.address, headers).await;
            let mut tries = 0;
            while send(&mut first, "/play", &GUEST, headers).await != 429 {
                tries += 1;
                assert!(tries < 100, "there is no limit");
                // A new guest each time, in the same browser.
                first.forget("guest");
            }
            let mut second = visitor(server.address, headers).await;
            let status = send(&mut second, "/play", &GUEST, headers).await;
            assert_eq!(status, 303, "{}", second.text());
        }
    });
    assert_eq!(server.stop().code(), Some(0));
    let log = log_of(&folder.0);
    let count = |part: &str| log.matches(part).count();
    assert_eq!(count("what is no address"), 1, "it is logged once");
    assert_eq!(count("found=\"unknown\""), 1);
    assert_eq!(count("fewer addresses"), 1, "it is logged once");
}

#[test]
fn a_proxy_that_is_not_in_the_settings_is_logged_once() {
    let folder = Folder::new("no-proxy");
    let server = Server::start(&folder.0, &[]);
    threads().block_on(async {
        for _ in 0..3 {
            visitor(server.address, &[b"X-Forwarded-For: 192.0.2.7"]).await;
        }
    });
    assert_eq!(server.stop().code(), Some(0));
    let log = log_of(&folder.0);
    assert_eq!(log.matches("set PERPLEX_PROXIES=1, or all").count(), 1);
}

#[test]
fn a_refused_form_says_what_did_not_match_and_what_to_do() {
    let folder = Folder::new("refused");
    let own = "https://perplex.example";
    let server = Server::start(&folder.0, &[("PERPLEX_URL", own.to_owned())]);
    threads().block_on(async {
        let mut sender = visitor(server.address, &[]).await;
        // A proxy in front adds `Referrer-Policy: no-referrer`: the browser tells no origin, but that it is the same.
        for headers in [
            &[&b"Origin: null"[..], b"Sec-Fetch-Site: same-origin"][..],
            &[
                b"Origin: https://perplex.example",
                b"Sec-Fetch-Site: same-origin",
            ],
            &[b"Origin: https://perplex.example:443"],
            &[],
        ] {
            let status = send(&mut sender, "/sign-in", &[], headers).await;
            assert_eq!(status, 422, "{}", sender.text());
        }
        for headers in [
            &[&b"Origin: null"[..]][..],
            &[b"Origin: null", b"Sec-Fetch-Site: cross-site"],
            &[b"Origin: null", b"Sec-Fetch-Site: same-site"],
            &[b"Origin: null", b"Sec-Fetch-Site: none"],
            &[
                b"Origin: https://evil.example",
                b"Sec-Fetch-Site: same-origin",
            ],
            &[b"Origin: https://perplex.example\xff"],
            &[b"Sec-Fetch-Site: same-site"],
        ] {
            let status = send(&mut sender, "/sign-in", &[], headers).await;
            assert_eq!(status, 403, "{headers:?}");
            let page = sender.text();
            has(&page, &format!("its own address only, which is {own}"));
            has(&page, "PERPLEX_URL");
        }
        logs(&folder, "its origin does not match");
        logs(&folder, "origin=Some(\"https://evil.example\")");
        logs(&folder, &format!("expected={own}"));

        // Cookies that do not come back: they are off, or the page was opened by http.
        for headers in [
            &[][..],
            &[&b"Origin: https://perplex.example"[..]],
            &[b"Origin: http://perplex.example"],
        ] {
            let mut forgetful = visitor(server.address, &[]).await;
            forgetful.forget("__Host-visitor");
            let status = send(&mut forgetful, "/sign-in", &[], headers).await;
            assert_eq!(status, 403, "{headers:?}");
            has(&forgetful.text(), "allow cookies");
            has(&forgetful.text(), &format!("begins with http:, open {own}"));
        }
        logs(&folder, "its cookie does not match");

        // The proof of another session.
        let mut other = visitor(server.address, &[]).await.another();
        other.forget("__Host-visitor");
        other.get("/sign-in").await.expect("a page");
        assert_eq!(send(&mut other, "/sign-in", &[], &[]).await, 403);
        has(&other.text(), "no longer current");
        logs(&folder, "its proof does not match");
    });
}
