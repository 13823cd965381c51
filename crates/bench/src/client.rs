//! A small HTTP/1.1 client over one kept connection: cookies, forms with their proof, nothing
//! else. Tests use it, too.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Error, ErrorKind};
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A visitor: one connection, opened when it is needed, and its cookies.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    /// The answer to the last request.
    answer: Vec<u8>,
    /// The place where its body begins.
    body: usize,
    cookies: BTreeMap<String, String>,
    /// The proof that the last page with a form wants to see with it.
    csrf: String,
}

impl Client {
    /// A new visitor of the site at `address`.
    #[must_use]
    pub const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            stream: None,
            answer: Vec::new(),
            body: 0,
            cookies: BTreeMap::new(),
            csrf: String::new(),
        }
    }

    /// The same visitor in another window: signed in alike, with a connection of its own.
    #[must_use]
    pub fn another(&self) -> Self {
        self.another_at(self.address)
    }

    /// The same visitor in another window, but at the site at `address`.
    #[must_use]
    pub fn another_at(&self, address: SocketAddr) -> Self {
        Self {
            cookies: self.cookies.clone(),
            csrf: self.csrf.clone(),
            ..Self::new(address)
        }
    }

    /// Loses a cookie.
    pub fn forget(&mut self, cookie: &str) {
        self.cookies.remove(cookie);
    }

    /// Requests a page; returns the status.
    ///
    /// # Errors
    /// A failed connection, or an invalid answer.
    pub async fn get(&mut self, path: &str) -> io::Result<u16> {
        let request = self.request_for(path);
        self.send(&request).await
    }

    /// Sends a form, with the proof that it came from one of the site's pages; returns the status.
    ///
    /// # Errors
    /// A failed connection, or an invalid answer.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> io::Result<u16> {
        let request = self.request_with(path, fields);
        self.send(&request).await
    }

    /// The request that [`get`](Self::get) sends.
    #[must_use]
    pub fn request_for(&self, path: &str) -> Vec<u8> {
        format!("GET {path} HTTP/1.1\r\n{}\r\n", self.headers()).into_bytes()
    }

    /// The request that [`post`](Self::post) sends.
    #[must_use]
    pub fn request_with(&self, path: &str, fields: &[(&str, &str)]) -> Vec<u8> {
        let mut form = format!("csrf={}", self.csrf);
        for (name, value) in fields {
            let _ = write!(form, "&{name}=");
            for byte in value.bytes() {
                if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
                    form.push(char::from(byte));
                } else {
                    let _ = write!(form, "%{byte:02X}");
                }
            }
        }
        format!(
            "POST {path} HTTP/1.1\r\n{}Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{form}",
            self.headers(),
            form.len()
        )
        .into_bytes()
    }

    fn headers(&self) -> String {
        let mut headers = format!("Host: {}\r\n", self.address);
        if !self.cookies.is_empty() {
            let cookies = self.cookies.iter();
            let cookies: Vec<String> = cookies
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let _ = write!(headers, "Cookie: {}\r\n", cookies.join("; "));
        }
        headers
    }

    /// Sends a request as it is and reads the answer; returns the status.
    ///
    /// # Errors
    /// A failed connection, or an invalid answer.
    pub async fn send(&mut self, request: &[u8]) -> io::Result<u16> {
        if let Some(stream) = self.stream.take() {
            let kept = self.exchange(stream, request).await;
            // The server closes idle connections; browsers connect again, too.
            if kept.is_ok() || !self.answer.is_empty() {
                return kept;
            }
        }
        let stream = TcpStream::connect(self.address).await?;
        self.exchange(stream, request).await
    }

    async fn exchange(&mut self, mut stream: TcpStream, request: &[u8]) -> io::Result<u16> {
        self.answer.clear();
        stream.set_nodelay(true)?;
        stream.write_all(request).await?;
        let status = self.read(&mut stream).await?;
        // If anything failed the connection is not kept.
        self.stream = Some(stream);
        Ok(status)
    }

    async fn read(&mut self, stream: &mut TcpStream) -> io::Result<u16> {
        let bad = |why: &str| Error::new(ErrorKind::InvalidData, why.to_owned());
        let mut looked = 0;
        self.body = loop {
            if stream.read_buf(&mut self.answer).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let from = usize::saturating_sub(looked, 3);
            let end = self.answer[from..]
                .windows(4)
                .position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                break from + end + 4;
            }
            looked = self.answer.len();
        };
        let head = std::str::from_utf8(&self.answer[..self.body]).map_err(|_| bad("no text"))?;
        let mut lines = head.lines();
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1)?.parse().ok())
            .ok_or_else(|| bad("no status"))?;
        let mut length = 0;
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            match &*name.to_ascii_lowercase() {
                "content-length" => length = value.parse().map_err(|_| bad("no length"))?,
                "transfer-encoding" => return Err(bad("an answer in chunks")),
                "set-cookie" => {
                    let cookie = value.split(';').next().unwrap_or_default();
                    if let Some((name, value)) = cookie.split_once('=') {
                        if value.is_empty() {
                            self.cookies.remove(name);
                        } else {
                            self.cookies.insert(name.to_owned(), value.to_owned());
                        }
                    }
                }
                _ => {}
            }
        }
        while self.answer.len() < self.body + length {
            if stream.read_buf(&mut self.answer).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(status)
    }

    /// The lines of the last answer before its body.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.answer[..self.body]
    }

    /// The body of the last answer.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.answer[self.body..]
    }

    /// The body of the last answer as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.body()).into_owned()
    }

    /// Keeps the proof from the forms of the last page.
    ///
    /// # Errors
    /// The page has no form.
    pub fn keep_proof(&mut self) -> io::Result<()> {
        let text = self.text();
        let csrf = text
            .split_once("name=\"csrf\" value=\"")
            .and_then(|(_, rest)| rest.split('"').next());
        let csrf =
            csrf.ok_or_else(|| Error::new(ErrorKind::InvalidData, "a page without forms"))?;
        csrf.clone_into(&mut self.csrf);
        Ok(())
    }

    /// Signs in, and gets ready to send forms.
    ///
    /// # Errors
    /// A failed connection, or a refusal by the site.
    pub async fn sign_in(&mut self, login: &str, password: &str) -> io::Result<()> {
        self.get("/sign-in").await?;
        self.keep_proof()?;
        let status = self
            .post("/sign-in", &[("login", login), ("password", password)])
            .await?;
        if status != 303 {
            return Err(Error::other(format!("{login} is not signed in: {status}")));
        }
        self.get("/matches").await?;
        self.keep_proof()
    }
}
