//! Answers packed with gzip. Actix's `Compress` uses the fastest level; these are a fifth smaller.

use std::io::Write as _;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    self, AcceptEncoding, ContentEncoding, Encoding, Header as _, HeaderValue,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpRequest};
use flate2::Compression;
use flate2::write::GzEncoder;

/// The level of packing: at higher ones pages hardly get smaller, only later.
const PAGES: u32 = 6;
/// Files are packed once.
pub const FILES: u32 = 9;
/// Less than this does not get smaller.
const LEAST: u64 = 1024;

/// True if the browser unpacks gzip.
pub fn takes_gzip(http: &HttpRequest) -> bool {
    AcceptEncoding::parse(http)
        .is_ok_and(|wishes| wishes.negotiate([Encoding::gzip()].iter()) == Some(Encoding::gzip()))
}

pub fn pack(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::new(level));
    // Writing to memory does not fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}

/// True for text that is not packed already, and is there as a whole.
fn can_pack(response: &ServiceResponse<impl MessageBody>) -> bool {
    let is_long =
        matches!(response.response().body().size(), BodySize::Sized(size) if size >= LEAST);
    let headers = response.headers();
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let is_text = kind.is_some_and(|kind| {
        let texts = ["text/", "application/json", "image/svg"];
        texts.iter().any(|text| kind.starts_with(text))
    });
    is_long && is_text && !headers.contains_key(header::CONTENT_ENCODING)
}

/// The layer that packs the texts of answers.
pub async fn texts(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let takes_gzip = takes_gzip(request.request());
    let mut response = next.call(request).await?;
    if !can_pack(&response) {
        return Ok(response.map_into_boxed_body());
    }
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !takes_gzip {
        return Ok(response.map_into_boxed_body());
    }
    let (http, response) = response.into_parts();
    let (mut response, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Ok(text) => {
            let encoding = ContentEncoding::Gzip.to_header_value();
            response
                .headers_mut()
                .insert(header::CONTENT_ENCODING, encoding);
            BoxBody::new(pack(&text, PAGES))
        }
        Err(body) => BoxBody::new(body),
    };
    Ok(ServiceResponse::new(http, response.set_body(body)))
}
