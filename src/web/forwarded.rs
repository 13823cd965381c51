//! The network address of a visitor, through the proxies that stand before the program.

use std::net::IpAddr;
use std::sync::Once;

use actix_web::HttpRequest;
use actix_web::http::header;

/// Number of proxies before the program, each of which adds to `X-Forwarded-For`.
#[derive(Clone, Copy)]
pub struct Proxies(pub usize);

pub fn is_proxied(http: &HttpRequest) -> bool {
    proxies(http) > 0
}

fn proxies(http: &HttpRequest) -> usize {
    http.app_data::<Proxies>().map_or(0, |proxies| proxies.0)
}

/// The visitor's address, as the outermost of our own proxies saw it; `None` if it does not say. Then each browser counts
/// by itself: the proxy's own address would make all visitors one.
pub fn address(http: &HttpRequest) -> Option<IpAddr> {
    static MISSING: Once = Once::new();
    static UNREADABLE: Once = Once::new();
    static UNEXPECTED: Once = Once::new();

    let proxies = proxies(http);
    let headers = http.headers().get_all(&header::X_FORWARDED_FOR);
    let parts = parts(headers.map(header::HeaderValue::as_bytes));
    if proxies == 0 {
        if !parts.is_empty() {
            UNEXPECTED.call_once(|| {
                tracing::warn!(
                    "a request came with X-Forwarded-For: if a proxy stands in front, set PERPLEX_PROXIES=1, or all \
                     visitors count as one"
                );
            });
        }
        return http.peer_addr().map(|peer| peer.ip().to_canonical());
    }
    if parts.len() < proxies {
        MISSING.call_once(|| {
            tracing::warn!(
                addresses = parts.len(),
                proxies,
                "a request came with fewer addresses in X-Forwarded-For than PERPLEX_PROXIES says: each proxy has to add \
                 one (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for)"
            );
        });
    }
    let part = parts.get(parts.len().saturating_sub(proxies))?;
    let address = parsed(part);
    if address.is_none() {
        UNREADABLE.call_once(|| {
            let found: String = String::from_utf8_lossy(part).chars().take(LONGEST).collect();
            tracing::warn!(
                ?found,
                "a proxy put into X-Forwarded-For what is no address: its visitors are told apart by their browsers only"
            );
        });
    }
    address
}

/// The most characters of what is no address in the log.
const LONGEST: usize = 60;

/// The parts of the headers of one name, as if they were one. Empty ones do not count (RFC 9110, 5.6.1).
fn parts<'a>(headers: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    headers
        .flat_map(|header| header.split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|part| !part.is_empty())
        .collect()
}

/// The address in a part, without the port, the brackets, and the zone that some proxies write with it.
fn parsed(part: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(part).ok()?;
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '"');
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let address = |text: &str| {
        let (address, _zone) = text.split_once('%').unwrap_or((text, ""));
        let address: IpAddr = address.trim().parse().ok()?;
        Some(address.to_canonical()).filter(|address| !address.is_unspecified())
    };
    if let Some(text) = text.strip_prefix('[') {
        let (text, rest) = text.split_once(']')?;
        let has_port = rest.strip_prefix(':').is_some_and(is_port);
        return address(text).filter(|_| rest.is_empty() || has_port);
    }
    let without_port = || text.rsplit_once(':').filter(|(_, port)| is_port(port));
    address(text).or_else(|| address(without_port()?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_however_a_proxy_writes_it() {
        for (part, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("192.0.2.7:50123", "192.0.2.7"),
            ("[192.0.2.7]:50123", "192.0.2.7"),
            ("\t 192.0.2.7 ", "192.0.2.7"),
            ("\"192.0.2.7\"", "192.0.2.7"),
            ("2001:db8::7", "2001:db8::7"),
            ("2001:DB8:0:0:0:0:0:7", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:443", "2001:db8::7"),
            ("\"[2001:db8::7]:443\"", "2001:db8::7"),
            ("2001:db8:1:2:3:4:5:7:443", "2001:db8:1:2:3:4:5:7"),
            ("fe80::7%eth0", "fe80::7"),
            ("[fe80::7%eth0]:443", "fe80::7"),
            ("[fe80::7%25eth0]", "fe80::7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("[::ffff:192.0.2.7]:443", "192.0.2.7"),
            ("::ffff:192.0.2.7:443", "192.0.2.7"),
        ] {
            let address = parsed(part.trim_ascii().as_bytes()).map(|address| address.to_string());
            assert_eq!(address.as_deref(), Some(expected), "{part}");
        }
        for part in [
            &b"unknown"[..],
            b"_hidden",
            b"_hidden:443",
            b"-",
            b"unix:",
            b"192.0.2",
            b"192.0.2.7.8",
            b"192.0.2.7:http",
            b"[2001:db8::7",
            b"[2001:db8::7]x",
            b"192.0.2.7\xff",
            b"0.0.0.0",
            b"::",
            b"client.example",
        ] {
            assert_eq!(parsed(part), None, "{}", part.escape_ascii());
        }
    }

    #[test]
    fn parts_are_counted_over_all_headers() {
        let parts = |headers: &[&'static [u8]]| parts(headers.iter().copied());
        let expected: [&[u8]; 3] = [b"a", b"\xff", b"c d"];
        assert_eq!(parts(&[b" a,\xff", b",c d ,"]), expected);
        assert_eq!(parts(&[b"a , , \xff,\t", b"", b"c d"]), expected);
        assert!(parts(&[b"", b" , "]).is_empty());
    }
}
