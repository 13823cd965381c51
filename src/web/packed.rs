//! Packing with gzip. `Compress` of Actix packs in a hurry: its pages are a fifth larger than they need to be. So pages
//! and files are packed here, and it sees to the rest.

use std::io::Write as _;

use actix_web::HttpRequest;
use actix_web::http::header::{AcceptEncoding, Encoding, Header as _};
use flate2::Compression;
use flate2::write::GzEncoder;

/// How hard to try: from there on pages hardly get smaller, only later.
pub const PAGES: u32 = 6;
/// Files are packed once.
pub const FILES: u32 = 9;
/// Less than this does not get smaller.
pub const LEAST: usize = 1024;

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
