//! The address of this installation, as `PERPLEX_URL` gives it: what leads here, and which pages are ours.

use url::{Host, Url};

use super::App;

impl App {
    /// True if the address that pages show leads only to this computer: then no pupil can join from another device.
    pub fn is_only_here(&self) -> bool {
        parsed(&self.url).is_some_and(|url| is_here(&url))
    }

    pub fn is_https(&self) -> bool {
        self.url.starts_with("https:")
    }

    pub fn port(&self) -> u16 {
        parsed(&self.url).map_or(80, |url| port(&url))
    }

    /// The address of the site as people type it: without `https://`, and in the letters of its name.
    pub fn typed_address(&self) -> String {
        typed(&self.url)
    }

    /// True if a page of this origin, as browsers send it, is one of ours; `listening` is the port that it came in at.
    pub fn is_own_origin(&self, origin: &str, listening: u16) -> bool {
        is_own(&self.url, origin, listening)
    }

    /// True if the site has https, and a page of this origin is ours, but opened by http.
    pub fn is_own_by_http(&self, origin: &str) -> bool {
        let secure = origin
            .strip_prefix("http://")
            .map(|host| format!("https://{host}"));
        self.is_https() && secure.is_some_and(|secure| is_own(&self.url, &secure, 0))
    }
}

fn typed(url: &str) -> String {
    let place = url.split_once("://").map_or(url, |(_, place)| place);
    match parsed(url).as_ref().and_then(Url::domain) {
        Some(name) => place.replacen(name, &idna::domain_to_unicode(name).0, 1),
        None => place.to_owned(),
    }
}

fn parsed(url: &str) -> Option<Url> {
    Url::parse(url).ok()
}

fn port(url: &Url) -> u16 {
    url.port_or_known_default().unwrap_or(80)
}

/// True if the address leads to the computer that opens it.
fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => false,
    }
}

/// The address of the site decides, and nothing that the request says of itself: a proxy may pass on another host.
/// Without HTTPS, whoever sits at the computer may have opened its own address.
fn is_own(own: &str, origin: &str, listening: u16) -> bool {
    let (Some(own), Some(origin)) = (parsed(own), parsed(origin)) else {
        return false;
    };
    let is_plain = |url: &Url| url.scheme() == "http";
    own.origin() == origin.origin()
        || (is_plain(&own)
            && is_plain(&origin)
            && is_here(&origin)
            && [port(&own), listening].contains(&port(&origin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_port() {
        for (url, expected) in [
            ("http://127.0.0.1:8391", 8391),
            ("http://[::1]:8080", 8080),
            ("http://[::1]", 80),
            ("http://localhost", 80),
            ("https://localhost", 443),
        ] {
            assert_eq!(parsed(url).as_ref().map(port), Some(expected), "{url}");
        }
    }

    #[test]
    fn people_type_letters() {
        for (url, expected) in [
            ("https://xn--schch-ira.example", "schäch.example"),
            ("http://perplex.example:8080", "perplex.example:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(typed(url), expected);
        }
    }

    #[test]
    fn an_address_leads_others_here_or_not() {
        let is_only_here = |url| parsed(url).is_some_and(|url| is_here(&url));
        for url in [
            "http://127.0.0.1:8080",
            "http://127.1.2.3",
            "http://0.0.0.0:8080",
            "http://[::1]:8080",
            "http://[::]",
            "https://localhost:8443",
            "http://Perplex.localhost",
        ] {
            assert!(is_only_here(url), "{url}");
        }
        for url in [
            "http://192.168.1.20:8080",
            "http://[fd00::20]:8080",
            "http://[2001:db8::1]",
            "https://perplex.example.org",
            "http://teacher-laptop.local:8080",
            "http://localhost.example.org",
        ] {
            assert!(!is_only_here(url), "{url}");
        }
    }

    #[test]
    fn the_site_s_address_says_which_pages_are_ours() {
        let secure = "https://Perplex.example.org:443";
        let plain = "http://192.168.1.20:8080";
        for (own, origin) in [
            (secure, "https://perplex.example.org"),
            (plain, "http://192.168.1.20:8080"),
            (plain, "http://localhost:8080"),
            (plain, "http://127.0.0.1:8080"),
            (plain, "http://[::1]:8080"),
            // In a container, its own port is another.
            (plain, "http://localhost:9000"),
        ] {
            assert!(is_own(own, origin, 9_000), "{own} {origin}");
        }
        for (own, origin) in [
            (secure, "http://perplex.example.org"),
            (secure, "https://perplex.example.org:8443"),
            (secure, "https://evil.perplex.example.org"),
            (secure, "https://perplex.example.org.evil.example"),
            (secure, "http://localhost:9000"),
            (secure, "https://localhost"),
            (plain, "https://192.168.1.20:8080"),
            (plain, "http://192.168.1.20"),
            (plain, "http://192.168.1.21:8080"),
            (plain, "https://localhost:8080"),
            (plain, "http://localhost:3000"),
            (plain, "http://localhost.example.org:8080"),
            (plain, "null"),
            (plain, ""),
            (plain, "file:///etc/passwd"),
        ] {
            assert!(!is_own(own, origin, 9_000), "{own} {origin}");
        }
    }
}
