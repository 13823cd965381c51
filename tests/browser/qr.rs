//! QR codes as a camera sees them: read from a screenshot.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::Cursor;

use serde_json::json;

use super::person::Person;
use super::site::TestSite;

impl Person {
    /// The texts of the QR codes visible on the screen.
    pub async fn reads_codes(&self) -> Vec<String> {
        let picture = self.client.screenshot().await.expect("a picture");
        let mut reader = png::Decoder::new(Cursor::new(picture))
            .read_info()
            .expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let frame = reader.next_frame(&mut pixels).expect("pixels");
        let (width, height) = (frame.width as usize, frame.height as usize);
        let samples = frame.color_type.samples();
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| {
            pixels[(y * width + x) * samples]
        });
        let grids = image.detect_grids();
        grids
            .iter()
            // A code may be cut off by the edge of the screen.
            .filter_map(|grid| Some(grid.decode().ok()?.1))
            .collect()
    }

    /// The texts of the codes on printed cards, at least `count` of them, sorted: a printer is finer than a screen.
    pub async fn reads_cards(&self, count: usize) -> Vec<String> {
        let tries = Cell::new(0);
        let found = RefCell::new(BTreeSet::new());
        self.patiently("codes on the cards", async || {
            // The codes' patterns are random: one that the reader misses at some scales it finds at another.
            let scale = [3.0, 4.0, 2.0, 2.5, 3.5, 1.75][tries.get() % 6];
            tries.set(tries.get() + 1);
            let paper = json!({
                "width": 1000, "height": 1200, "deviceScaleFactor": scale, "mobile": false
            });
            self.tools("Emulation.setDeviceMetricsOverride", paper)
                .await;
            let cards = self.reads_codes().await;
            let mut found = found.borrow_mut();
            found.extend(cards);
            if found.len() < count {
                return Err(format!("only {found:?}"));
            }
            Ok(())
        })
        .await;
        self.tools("Emulation.clearDeviceMetricsOverride", json!({}))
            .await;
        found.into_inner().into_iter().collect()
    }

    /// Checks that the one code on the screen leads to the page where names are picked, at the site's own address.
    pub async fn shows_the_way_in(&self, site: &TestSite, code: &str) {
        let way = format!("{}/join/{code}", site.url);
        self.patiently("a code on the screen", async || {
            let codes = self.reads_codes().await;
            if codes == [way.as_str()] {
                Ok(())
            } else {
                Err(format!("{codes:?}, not {way}"))
            }
        })
        .await;
    }
}
