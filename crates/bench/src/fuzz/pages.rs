//! Hostile requests to a running server: every form and link that its pages show to a teacher, players, a pupil and a
//! stranger, filled in and changed at random, and the bytes of requests themselves.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::io::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perplex::app::App;
use perplex::app::correspondence::{NewMatch, Opponent};
use perplex_games::perplexichess::Size;
use perplex_matches::correspondence::event::Terms;
use perplex_matches::team::event::Terms as TeamTerms;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::changed;
use crate::client::Client;
use crate::http::{Folder, PASSWORD, Running, account, told};

/// The requests to one server; then a new one is made, because by then they have ended its matches.
const OF_ONE_HOUSE: usize = 4_000;
/// The most pages on which each visitor looks for forms.
const LOOKED_AT: usize = 120;
/// The time to wait for an answer to half a request.
const HALF: Duration = Duration::from_millis(100);

/// A form of a page, or a link, which is one without fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    post: bool,
    action: String,
    fields: Vec<(String, String)>,
}

/// The value in quotes after `name=` in a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let value = rest.split('"').next()?;
    let plain = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    Some(plain.iter().fold(value.to_owned(), |text, (code, sign)| {
        text.replace(code, sign)
    }))
}

/// The forms and links of a page, in this site.
fn forms(page: &str) -> Vec<Form> {
    let mut found: Vec<Form> = Vec::new();
    let mut open: Option<Form> = None;
    for tag in page
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
    {
        let word = tag
            .split(|c: char| c.is_whitespace())
            .next()
            .unwrap_or_default();
        match word {
            "form" => {
                open = attribute(tag, "action").map(|action| Form {
                    post: tag.contains("\"post\""),
                    action,
                    fields: Vec::new(),
                });
            }
            "/form" => found.extend(open.take()),
            "input" | "textarea" | "select" | "button" => {
                if let (Some(form), Some(name)) = (&mut open, attribute(tag, "name"))
                    && name != "csrf"
                {
                    form.fields
                        .push((name, attribute(tag, "value").unwrap_or_default()));
                }
            }
            "a" => found.extend(attribute(tag, "href").map(|action| Form {
                post: false,
                action,
                fields: Vec::new(),
            })),
            _ => {}
        }
    }
    found.retain(|form| {
        form.action.starts_with('/')
            && !form.action.starts_with("//")
            && !form.action.contains("/live")
    });
    found
}

/// All forms and links that a visitor finds by following links.
async fn look_around(client: &mut Client, starts: &[String]) -> Result<Vec<Form>, String> {
    let mut queue: VecDeque<String> = starts.iter().cloned().collect();
    let (mut seen, mut all) = (BTreeSet::new(), BTreeSet::new());
    while let Some(path) = queue.pop_front() {
        if seen.len() >= LOOKED_AT || !seen.insert(path.clone()) {
            continue;
        }
        let status = client.get(&path).await.map_err(told(&path))?;
        if status >= 500 {
            return Err(format!("{path} was answered with {status}"));
        }
        for form in forms(&client.text()) {
            let path = form.action.split('#').next().unwrap_or_default();
            if !form.post && form.fields.is_empty() && !path.starts_with("/static") {
                queue.push_back(path.to_owned());
            }
            all.insert(form);
        }
    }
    // A visitor who has left or signed out sees nothing more.
    let ends = ["sign-out", "delete", "sessions", "/archive", "/remove"];
    let goes_on = |form: &Form| !ends.iter().any(|end| form.action.contains(end));
    Ok(all.into_iter().filter(goes_on).collect())
}

/// A visitor, with the forms that they found.
struct Visitor {
    client: Client,
    forms: Vec<Form>,
}

/// A running server with people, a class and matches in it.
struct House {
    _program: Running,
    _folder: Folder,
    address: SocketAddr,
    visitors: Vec<Visitor>,
    runtime: tokio::runtime::Runtime,
}

struct Made {
    /// Names and passwords.
    people: Vec<(String, String)>,
    paths: Vec<String>,
}

async fn furnish(app: &App) -> Result<Made, String> {
    let (ann, bob) = (account(app, "ann").await?, account(app, "bob").await?);
    let mut paths = Vec::new();
    for (game, opponent) in [("flexichess", "bob"), ("quixo", "bob"), ("pijersi", "bob")] {
        let wanted = NewMatch {
            terms: Terms::of(game),
            wish: Some("first".to_owned()),
            opponent: Opponent::Named(opponent.to_owned()),
        };
        let id = app.create(&ann, wanted).await.map_err(told("a match"))?;
        paths.push(format!("/match/{id}"));
    }
    let terms = TeamTerms::of(Size::Small);
    let team = app
        .create_team(&ann, "Club", terms)
        .await
        .map_err(told("a match"))?;
    paths.push(format!("/team/{team}"));
    let class = app
        .create_class(&ann, "7b", true, "Mia\nBen\nCem\nDora")
        .await;
    let class = class.map_err(told("a class"))?;
    let lesson = app
        .start_lesson(&ann, &class)
        .await
        .map_err(told("a lesson"))?;
    paths.extend([
        format!("/team/{lesson}"),
        format!("/team/{lesson}/control"),
        format!("/class/{class}"),
    ]);
    let pupils = app
        .class(&ann, &class)
        .await
        .map_err(told("a class"))?
        .pupils;
    let mut people = vec![
        (ann.name, PASSWORD.to_owned()),
        (bob.name, PASSWORD.to_owned()),
    ];
    people.extend(
        pupils
            .into_iter()
            .take(1)
            .map(|pupil| (pupil.user, pupil.phrase)),
    );
    Ok(Made { people, paths })
}

impl House {
    fn open() -> Result<Self, String> {
        let (folder, runtime, app) =
            Folder::open(&std::env::temp_dir(), None, perplex::process::clock())?;
        let made = runtime.block_on(furnish(&app))?;
        drop(app);
        let program = Running::start(&["serve"], &folder.0)?;
        let address = program.address;
        let visitors = runtime.block_on(async {
            let starts = [
                "/",
                "/games",
                "/lobby",
                "/try/flexichess",
                "/account",
                "/matches",
                "/classes",
                "/sign-up",
                "/join",
            ];
            let mut starts: Vec<String> = starts.map(str::to_owned).into();
            starts.extend(made.paths.iter().cloned());
            let mut visitors = Vec::new();
            for person in made.people.iter().map(Some).chain([None]) {
                let mut client = Client::new(address);
                if let Some((name, password)) = person {
                    client
                        .sign_in(name, password)
                        .await
                        .map_err(told("sign-in"))?;
                } else {
                    client.get("/sign-in").await.map_err(told("a page"))?;
                    client.keep_proof().map_err(told("a page"))?;
                }
                let forms = look_around(&mut client, &starts).await?;
                visitors.push(Visitor { client, forms });
            }
            Ok::<_, String>(visitors)
        })?;
        Ok(Self {
            _program: program,
            _folder: folder,
            address,
            visitors,
            runtime,
        })
    }
}

/// A form, filled in as hostile people do.
fn filled(rng: &mut StdRng, form: &Form, values: &[String]) -> Form {
    let mut form = form.clone();
    for (name, value) in &mut form.fields {
        match rng.random_range(0..4) {
            0 => *value = changed(rng, std::slice::from_ref(value)),
            1 => *value = changed(rng, values),
            2 => *name = changed(rng, std::slice::from_ref(name)),
            _ => {}
        }
    }
    if rng.random_range(0..4) == 0 {
        form.action = encoded(&changed(rng, &[form.action.clone()]));
    }
    if rng.random_range(0..6) == 0 {
        let again = form.fields.clone();
        form.fields.extend(again);
    }
    form
}

/// The path in characters that may stand in the first line of a request.
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            0x21..=0x7e => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

fn is_fault(status: u16) -> bool {
    // The HTTP library refuses unknown methods and versions with these.
    status >= 500 && ![501, 505].contains(&status)
}

async fn send(client: &mut Client, form: &Form) -> Result<(), String> {
    let fields: Vec<(&str, &str)> = form
        .fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let answered = if form.post {
        client.post(&form.action, &fields).await
    } else {
        client.get(&form.action).await
    };
    match answered {
        Ok(status) if is_fault(status) => Err(format!("answered with {status}")),
        // The server closes the connection on an invalid request, and a stream has no end.
        _ => Ok(()),
    }
}

/// Sends a request with changed bytes.
async fn send_bytes(
    rng: &mut StdRng,
    address: SocketAddr,
    client: &Client,
    form: &Form,
) -> Result<(), String> {
    let fields: Vec<(&str, &str)> = form
        .fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let request = if form.post {
        client.request_with(&form.action, &fields)
    } else {
        client.request_for(&form.action)
    };
    let request = changed(rng, &[String::from_utf8_lossy(&request).into_owned()]);
    let answer = timeout(HALF, async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    });
    let Ok(Ok(answer)) = answer.await else {
        return Ok(());
    };
    let status = std::str::from_utf8(&answer[9..])
        .ok()
        .and_then(|status| status.parse().ok());
    match status {
        Some(status) if !is_fault(status) => Ok(()),
        _ => Err(format!(
            "answered with {:?} to {request:?}",
            String::from_utf8_lossy(&answer)
        )),
    }
}

/// Sends hostile requests for this time.
pub(super) fn run(output: &mut dyn Write, seed: u64, time: Duration) -> Result<(), String> {
    let mut rng = StdRng::seed_from_u64(seed);
    let begun = Instant::now();
    let (mut forms_sent, mut bytes_sent, mut shown) = (0_u64, 0_u64, BTreeSet::new());
    while begun.elapsed() < time {
        let mut house = House::open()?;
        let values: Vec<String> = house
            .visitors
            .iter()
            .flat_map(|visitor| visitor.forms.iter().flat_map(|form| &form.fields))
            .map(|(_, value)| value.clone())
            .chain(
                [
                    "e2e4",
                    "1 e4",
                    "w e4 1>3",
                    "rule N NW \"slippers\"",
                    "a@b.example",
                    "Mia\nBen",
                    "7",
                ]
                .map(str::to_owned),
            )
            .collect();
        for visitor in &house.visitors {
            shown.extend(
                visitor
                    .forms
                    .iter()
                    .filter(|form| form.post)
                    .map(|form| form.action.clone()),
            );
        }
        for number in 0..OF_ONE_HOUSE {
            if begun.elapsed() >= time {
                break;
            }
            let at = rng.random_range(0..house.visitors.len());
            let Visitor { client, forms } = &mut house.visitors[at];
            let Some(form) = forms.choose(&mut rng) else {
                continue;
            };
            let form = filled(&mut rng, form, &values);
            let sent = if number % 5 == 0 {
                bytes_sent += 1;
                house
                    .runtime
                    .block_on(send_bytes(&mut rng, house.address, client, &form))
            } else {
                forms_sent += 1;
                house.runtime.block_on(send(client, &form))
            };
            sent.map_err(|why| format!("visitor {at}: {why}\n{form:?}"))?;
        }
        let mut visitor = Client::new(house.address);
        let alive = house
            .runtime
            .block_on(visitor.get("/healthz"))
            .map_err(told("the server is gone"))?;
        if alive != 200 {
            return Err(format!("the server says {alive}"));
        }
    }
    let told = told("the table");
    writeln!(
        output,
        "{forms_sent:>12}  links and forms, {} forms of pages among them",
        shown.len()
    )
    .map_err(&told)?;
    writeln!(output, "{bytes_sent:>12}  requests with changed bytes").map_err(&told)
}
