//! Live pages: they hear news and fetch them, as browsers do.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::*;

/// The content of a live page.
#[derive(Default)]
pub struct Page {
    /// The numbers of the last fetch.
    pub numbers: String,
    /// The boards of the last fetch.
    pub boards: BTreeMap<String, String>,
}

fn value<'a>(numbers: &'a str, name: &str) -> Option<&'a str> {
    numbers
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}

/// A live page: hears news and fetches them, and reconnects when it is cut off.
pub async fn follow(scene: Arc<Scene>, number: usize, client: Client, page: Arc<Mutex<Page>>) {
    let (tell, told) = watch::channel(String::new());
    let hears = async {
        let mut tries = number;
        loop {
            let address = scene.server(tries);
            tries += 1;
            let _ = hear(&scene, &client.another_at(address), address, &tell).await;
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::join!(hears, fetch(&scene, number, client.another(), told, &page));
}

/// Listens to a stream until it ends, and passes on the latest numbers.
async fn hear(
    scene: &Scene,
    client: &Client,
    address: SocketAddr,
    tell: &watch::Sender<String>,
) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let path = format!("/team/{}/live", scene.id);
    stream.write_all(&client.request_for(&path)).await?;
    let mut buffer = Vec::new();
    loop {
        if stream.read_buf(&mut buffer).await? == 0 {
            return Ok(());
        }
        while let Some(end) = buffer.windows(2).position(|two| two == b"\n\n") {
            let text = String::from_utf8_lossy(&buffer[..end]).into_owned();
            buffer.drain(..end + 2);
            let Some(numbers) = text.lines().find_map(|line| line.strip_prefix("data: ")) else {
                continue;
            };
            // The first numbers of a stream are not news.
            let is_news = !tell.borrow().is_empty();
            if let Some(event) = value(numbers, "event").and_then(|n| n.parse().ok())
                && is_news
            {
                let now = clock().now();
                let mut delays = scene.delays.lock().unwrap_or_else(PoisonError::into_inner);
                delays.push((event, now));
            }
            tell.send_replace(numbers.to_owned());
        }
    }
}

/// Fetches old parts, as pages do: news that come meanwhile are fetched together.
async fn fetch(
    scene: &Scene,
    number: usize,
    mut client: Client,
    mut told: watch::Receiver<String>,
    page: &Mutex<Page>,
) {
    let mut tries = number;
    while told.changed().await.is_ok() {
        let numbers = told.borrow_and_update().clone();
        for board in 1..=7 {
            let name = format!("b{board}");
            let is_old = {
                let known = page.lock().unwrap_or_else(PoisonError::into_inner);
                value(&numbers, &name) != value(&known.numbers, &name)
            };
            if !is_old {
                continue;
            }
            let path = format!("/team/{}/board/{board}", scene.id);
            let status = loop {
                if let Ok(status) = client.get(&path).await {
                    break status;
                }
                // Its server is gone.
                tries += 1;
                client = client.another_at(scene.server(tries));
                tokio::time::sleep(AGAIN).await;
            };
            assert_eq!(status, 200, "board {board}: {}", client.text());
            let text = client.text();
            let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
            page.boards.insert(name, text);
        }
        page.lock().unwrap_or_else(PoisonError::into_inner).numbers = numbers;
    }
}
