//! The way in which a page is asked for: by its reader, or by itself.

use actix_web::HttpRequest;

/// The way in which a page is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// Its reader opens it, and has it in front.
    ByReader,
    /// It loads itself anew, or the browser fetches it beforehand: perhaps nobody sees it.
    ByItself,
    /// A script fetches it, or a browser that does not say.
    Unknown,
}

pub fn opening(http: &HttpRequest) -> Opening {
    let said = |name: &str| {
        let value = http.headers().get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or("")
    };
    if said("Sec-Fetch-Mode") != "navigate" {
        return Opening::Unknown;
    }
    let by_page = said("Sec-Fetch-Site") == "same-origin" && said("Sec-Fetch-User").is_empty();
    if by_page || said("Sec-Purpose").contains("prefetch") {
        Opening::ByItself
    } else {
        Opening::ByReader
    }
}
