//! Perplex behind nginx, with the settings that `docs/nginx.conf` gives. Left out where nginx is not installed.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::outside::{logs, send, visitor};
use super::*;

struct Nginx {
    child: Child,
    address: SocketAddr,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Nginx {
    /// Starts it before `server`, with these lines besides; `None` if there is none.
    fn start(folder: &Path, server: SocketAddr, besides: &str) -> Option<Self> {
        let Ok(port) = std::net::TcpListener::bind("127.0.0.1:0") else {
            panic!("no port")
        };
        let address = port.local_addr().expect("an address");
        drop(port);
        let settings = fs::read_to_string("docs/nginx.conf").expect("the settings");
        // The server of https, but without certificates.
        let (_, site) = settings.rsplit_once("\nserver {").expect("two servers");
        let lines = site.lines().filter(|line| !line.contains("ssl_"));
        let site: Vec<&str> = lines.collect();
        let site = site
            .join("\n")
            .replace(
                "listen 443 ssl http2;",
                &format!("listen {address}; {besides}"),
            )
            .replace("127.0.0.1:8080", &server.to_string());
        let at = folder.display();
        let places: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {at}/{name};\n"))
            .concat();
        let whole = format!(
            "daemon off; master_process off; pid {at}/nginx.pid; error_log {at}/nginx.log;\nevents {{}}\n\
             http {{\naccess_log off;\n{places}server {{{site}}}\n"
        );
        fs::write(folder.join("nginx.conf"), whole).expect("written");
        let child = Command::new("nginx")
            .arg("-e")
            .arg(folder.join("nginx.log"))
            .arg("-c")
            .arg(folder.join("nginx.conf"))
            .env("PATH", format!("{}:/usr/sbin", env!("PATH")))
            .spawn();
        let Ok(child) = child else {
            eprintln!("left out: nginx is not installed");
            return None;
        };
        let mut nginx = Self { child, address };
        let start = Instant::now();
        while std::net::TcpStream::connect(address).is_err() {
            let ended = nginx.child.try_wait().expect("its state");
            let log = || fs::read_to_string(folder.join("nginx.log"));
            assert!(ended.is_none() && start.elapsed() < PATIENCE, "{:?}", log());
            std::thread::sleep(AGAIN);
        }
        Some(nginx)
    }
}

/// With a header that makes browsers tell no origin, as some settings for safety have it.
#[test]
fn behind_nginx_forms_streams_and_visitors_are_as_ever() {
    let folder = Folder::new("nginx");
    let own = "https://perplex.example";
    let settings = [
        ("PERPLEX_URL", own.to_owned()),
        ("PERPLEX_PROXIES", "1".to_owned()),
    ];
    let server = Server::start(&folder.0, &settings);
    let besides = "add_header Referrer-Policy no-referrer always;";
    let Some(nginx) = Nginx::start(&folder.0, server.address, besides) else {
        return;
    };
    threads().block_on(async {
        // Whatever the visitor says of the address, nginx adds the right one behind it.
        for said in [
            &b"X-Forwarded-For: 192.0.2.1"[..],
            b"X-Forwarded-For: \xff",
            b"X-Forwarded-For: ,",
        ] {
            let mut visitor = visitor(nginx.address, &[said]).await;
            let headers = [said, &b"Origin: null"[..], b"Sec-Fetch-Site: same-origin"];
            let form = [("login", "nobody"), ("password", "a guess")];
            assert_eq!(send(&mut visitor, "/sign-in", &form, &headers).await, 422);
            let strange = [said, &b"Origin: https://evil.example"[..]];
            assert_eq!(send(&mut visitor, "/sign-in", &form, &strange).await, 403);
            has(&visitor.text(), own);
            let form = [("email", "nobody@example.org")];
            send(&mut visitor, "/reset", &form, &headers).await;
        }
        logs(&folder, "from=\"127.0.0.1\"");
        for lie in ["192.0.2.1", "what is no address", "fewer addresses"] {
            lacks(&log_of(&folder.0), lie);
        }
        // A stream comes through at once.
        let mut guest = visitor(nginx.address, &[]).await;
        let form = [("game", "quixo"), ("level", "easy")];
        assert_eq!(send(&mut guest, "/play", &form, &[]).await, 303);
        let head = String::from_utf8_lossy(guest.head()).to_ascii_lowercase();
        let path = head
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        let path = path.expect("where to").trim_start_matches(own).to_owned();
        let mut stream = TcpStream::connect(nginx.address).await.expect("nginx");
        let asks = guest.request_for(&format!("{path}/live"));
        stream.write_all(&asks).await.expect("sent");
        let mut got = Vec::new();
        while !got.windows(6).any(|part| part == b"data: ") {
            let read = tokio::time::timeout(PATIENCE, stream.read_buf(&mut got)).await;
            assert!(read.expect("in time").expect("a stream") > 0, "it ended");
        }
    });
}
