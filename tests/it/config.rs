//! The settings, from the environment and a file.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::golden;
use crate::support::Folder;
use crate::test_app::{has, lacks};
use perplex::config::{Config, NAMES};
use perplex::site::SignUpMode;

fn with(values: &[(&str, &str)]) -> Result<Config, String> {
    let bytes = values
        .iter()
        .map(|(name, value)| (*name, value.as_bytes()))
        .collect::<Vec<_>>();
    with_bytes(&bytes)
}

fn with_bytes(values: &[(&str, &[u8])]) -> Result<Config, String> {
    Config::load(|name| {
        let value = values.iter().find(|(known, _)| *known == name);
        value.map(|(_, value)| OsStr::from_bytes(value).to_owned())
    })
    .map_err(|error| error.to_string())
}

/// Values as they come out of files, secrets and other programs' examples.
const MALFORMED: &[(&str, &[u8])] = &[
    ("PERPLEX_CONFIG", b" \n"),
    ("PERPLEX_CONFIG", b"/nowhere.toml\n"),
    ("PERPLEX_CONFIG", b"~/perplex.toml"),
    ("PERPLEX_DATA", b"/var/lib/perplex\n"),
    ("PERPLEX_DATA", b"/var/lib/perplex\r\n"),
    ("PERPLEX_DATA", b"\xef\xbb\xbf/var/lib/my data/ "),
    ("PERPLEX_DATA", b"\n"),
    ("PERPLEX_DATA", b"\"/var/lib/perplex\""),
    ("PERPLEX_DATA", b"'/var/lib/perplex"),
    ("PERPLEX_DATA", b"/var/lib\n/perplex"),
    ("PERPLEX_DATA", b"~/perplex"),
    ("PERPLEX_DATA", b"$HOME/perplex"),
    ("PERPLEX_DATA", b"/home/${USER}/perplex"),
    ("PERPLEX_DATA", b"file:///var/lib/perplex"),
    ("PERPLEX_DATA", b"/var/lib/\xff"),
    ("PERPLEX_LISTEN", b" 0.0.0.0:8080\n"),
    ("PERPLEX_LISTEN", b"[::]:80"),
    ("PERPLEX_LISTEN", b"localhost:8080"),
    ("PERPLEX_LISTEN", b":8080"),
    ("PERPLEX_LISTEN", b"http://0.0.0.0:8080"),
    ("PERPLEX_URL", b"https://perplex.example.org\n"),
    ("PERPLEX_URL", b"\xef\xbb\xbfhttps://perplex.example.org/"),
    ("PERPLEX_URL", b"HTTPS://Perplex.Example.ORG"),
    ("PERPLEX_URL", b"https://perplex.example.org:443"),
    ("PERPLEX_URL", b"http://perplex.example.org:80/"),
    ("PERPLEX_URL", b"https://perplex.example.org:8443"),
    ("PERPLEX_URL", b"https://perplex.example.org."),
    ("PERPLEX_URL", b"https:\\\\perplex.example.org"),
    ("PERPLEX_URL", b"https:perplex.example.org"),
    ("PERPLEX_URL", "https://schäch.example".as_bytes()),
    ("PERPLEX_URL", b"http://[2001:DB8::0:1]:8080/"),
    ("PERPLEX_URL", b"http://127.1"),
    ("PERPLEX_URL", b"perplex.example.org"),
    ("PERPLEX_URL", b"perplex.example.org:8080"),
    ("PERPLEX_URL", b"ftp://perplex.example.org"),
    ("PERPLEX_URL", b"https://"),
    ("PERPLEX_URL", b"https://perplex.\nexample.org"),
    ("PERPLEX_URL", b"https://perplex.example.org/chess"),
    ("PERPLEX_URL", b"https://perplex.example.org/?a=b"),
    ("PERPLEX_URL", b"https://perplex.example.org#top"),
    ("PERPLEX_URL", b"https://me:secret@perplex.example.org"),
    ("PERPLEX_URL", b"https://a.example,https://b.example"),
    ("PERPLEX_URL", b"https://*.example.org"),
    ("PERPLEX_URL", b"https://perplex..example.org"),
    ("PERPLEX_URL", b"https://perplex.example.org:0"),
    ("PERPLEX_URL", b"'https://perplex.example.org'"),
    ("PERPLEX_PROXIES", b"1\n"),
    ("PERPLEX_PROXIES", b"many"),
    ("PERPLEX_PROXIES", b"11"),
    ("DATABASE_URL", b"sqlite:/var/lib/perplex/x.db\n"),
    ("DATABASE_URL", b"SQLite:///var/lib/perplex/x.db"),
    ("DATABASE_URL", b"sqlite: x.db"),
    ("DATABASE_URL", b"sqlite:~/x.db"),
    ("DATABASE_URL", b"sqlite:x.db?mode=ro"),
    ("DATABASE_URL", b"x.db"),
    ("DATABASE_URL", b"POSTGRES://me:secret@here/perplex\n"),
    ("DATABASE_URL", b"postgres://me:se@cret@here/perplex"),
    ("DATABASE_URL", b"mysql://me:secret@here/perplex"),
    ("PERPLEX_SIGN_UP", b"invite\n"),
    ("PERPLEX_SIGN_UP", b"no"),
    ("PERPLEX_CONTACT", b"ann@example.org\n"),
    ("PERPLEX_CONTACT", b"HTTPS://Example.org/contact"),
    ("PERPLEX_CONTACT", b"javascript:1"),
    ("PERPLEX_SOURCE", b"https:\\\\example.org\\perplex\n"),
    ("PERPLEX_SOURCE", b"https://me:secret@example.org/perplex"),
    ("PERPLEX_SOURCE", b"here"),
    ("SMTP_URL", b"smtp://mail.example.org\n"),
    (
        "SMTP_URL",
        b"SMTPS://me%40example.org:secret%2F%3F%23@mail.example.org",
    ),
    ("SMTP_URL", b"smtp://me:secret@[::1]"),
    ("SMTP_URL", b"smtp://me:secret@mail.example.org"),
    ("SMTP_URL", b"smtps://me:secret/@mail.example.org"),
    ("SMTP_URL", b"smtps://me:secret?@mail.example.org"),
    ("SMTP_URL", b"smtps://me:secret#@mail.example.org"),
    ("SMTP_URL", b"smtps://me:secret%@mail.example.org"),
    ("SMTP_URL", b"smtps://me@mail.example.org"),
    ("SMTP_URL", b"smtp://mail.example.org?tls=yes"),
    ("SMTP_URL", b"mail.example.org"),
    ("MAIL_FROM", b" Perplex <perplex@example.org>\n"),
    ("MAIL_FROM", b"\"Perplex, the club\" <perplex@example.org>"),
    ("MAIL_FROM", b"Perplex, the club <perplex@example.org>"),
    ("MAIL_FROM", b"one@example.org, two@example.org"),
    (
        "MAIL_FROM",
        b"Perplex <perplex@example.org>, Other <other@example.org>",
    ),
    ("MAIL_FROM", "schüler@example.org".as_bytes()),
    ("MAIL_FROM", b"Perplex perplex@example.org"),
    ("MAIL_FROM", b"nobody"),
    ("MAIL_PAUSE", b"10\n"),
    ("MAIL_PAUSE", b"soon"),
];

/// What became of the setting.
fn kept(config: &Config, name: &str) -> String {
    let site = &config.site;
    match name {
        "PERPLEX_CONFIG" => String::new(),
        "PERPLEX_DATA" => config.data.display().to_string(),
        "PERPLEX_LISTEN" => config.listen.to_string(),
        "PERPLEX_URL" => config.origin(),
        "PERPLEX_PROXIES" => config.proxies.to_string(),
        "DATABASE_URL" => config.database.to_string(),
        "PERPLEX_SIGN_UP" => match site.sign_up {
            SignUpMode::Open => "open",
            SignUpMode::Invite => "invite",
            SignUpMode::Closed => "closed",
        }
        .to_owned(),
        "PERPLEX_CONTACT" => site.contact.clone().unwrap_or_default(),
        "PERPLEX_SOURCE" => site.source.clone().unwrap_or_default(),
        "SMTP_URL" => config
            .smtp
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        "MAIL_FROM" => config.mail_from.clone(),
        "MAIL_PAUSE" => format!("{:?}", site.mail_pause),
        other => panic!("{other} is new: what becomes of it?"),
    }
}

#[test]
fn the_page_about_settings_says_what_becomes_of_malformed_ones() {
    let page = fs::read_to_string("docs/settings.md").expect("the page");
    let heading = "| setting | value | what becomes of it |\n|---|---|---|\n";
    let (intro, _) = page.split_once(heading).expect("its table");
    let mut found = format!("{intro}{heading}");
    for name in NAMES {
        let of_it = MALFORMED.iter().filter(|(known, _)| known == name);
        assert!(of_it.clone().count() > 1, "{name}");
        for (name, value) in of_it {
            // Quotation marks need no escape in a table.
            let typed = str::from_utf8(value).map_or_else(
                |_| value.escape_ascii().to_string(),
                |text| text.escape_debug().to_string(),
            );
            let typed = typed.replace("\\\"", "\"").replace("\\'", "'");
            let became = match with_bytes(&[(*name, *value)]) {
                Ok(config) => format!("`{}`", kept(&config, name)).replace("``", "not set"),
                Err(error) => {
                    let start = format!("the setting {name} (in the environment) is not right: ");
                    format!(
                        "refused: {}",
                        error.strip_prefix(&start).expect("its error")
                    )
                }
            };
            // Neither a value nor an error tells a password.
            lacks(&became, "secret");
            lacks(&became, "cret@");
            let row = format!("| `{name}` | `{typed}` | {became} |\n");
            found.push_str(&row);
        }
    }
    golden::compare("../../docs/settings.md", &found);
}

#[test]
fn a_file_says_the_same_as_the_environment() {
    let folder = Folder::new("config");
    let file = folder.0.join("perplex.toml");
    let name = file.to_str().expect("a path");
    fs::write(
        &file,
        "\u{feff}url = \"https://Perplex.example.org:443/\\n\"\r\ndata = \"\"\r\nproxies = \" 1 \"\r\n",
    )
    .expect("a file");
    let config = with(&[("PERPLEX_CONFIG", name), ("PERPLEX_PROXIES", "\n")]).expect("settings");
    assert_eq!(config.url.as_deref(), Some("https://perplex.example.org"));
    assert_eq!(config.data.to_str(), Some("data"));
    assert_eq!(config.proxies, 1);

    fs::write(&file, "url = \"https://perplex\\n.example.org\"").expect("a file");
    let error = with(&[("PERPLEX_CONFIG", name)]).unwrap_err();
    has(&error, &format!("the setting url (in {name})"));
    has(&error, "line end");
}

#[test]
fn links_follow_from_where_it_listens() {
    for (listen, origin) in [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("0.0.0.0:80", "http://0.0.0.0"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("[fe80::1%3]:8080", "http://[fe80::1]:8080"),
    ] {
        let config = with(&[("PERPLEX_LISTEN", listen)]).expect("settings");
        assert_eq!(config.origin(), origin);
    }
}

#[test]
fn nothing_has_to_be_set() {
    let config = with(&[]).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.database.to_string(), "sqlite:data/perplex.sqlite");
    assert!(config.smtp.is_none());
}

#[test]
fn errors_name_the_setting_its_place_and_what_is_allowed() {
    let error = with(&[("PERPLEX_LISTEN", "8080")]).unwrap_err();
    assert_eq!(
        error,
        "the setting PERPLEX_LISTEN (in the environment) is not right: \"8080\" is not an \
         address and port, such as 127.0.0.1:8080 or [::]:80"
    );
    for (name, value, part) in [
        (
            "DATABASE_URL",
            "postgre://me:secret@here/db",
            "\"postgre\" is no kind of database",
        ),
        (
            "DATABASE_URL",
            "perplex.db",
            "allowed are sqlite:PATH and postgres://",
        ),
        ("DATABASE_URL", "sqlite:", "the path of the file is missing"),
        (
            "PERPLEX_URL",
            "perplex.example.org",
            "https://perplex.example.org",
        ),
        ("PERPLEX_PROXIES", "many", "0 to 10"),
        ("MAIL_PAUSE", "soon", "0 to 60"),
        ("PERPLEX_SIGN_UP", "no", "none of open, invite and closed"),
        ("PERPLEX_CONTACT", "javascript:1", "ann@example.org"),
        ("PERPLEX_SOURCE", "here", "https://example.org/perplex"),
        ("SMTP_URL", "mail.example.org", "smtp://"),
        ("MAIL_FROM", "nobody", "Perplex <perplex@example.org>"),
        (
            "PERPLEX_CONFIG",
            "/nowhere.toml",
            "/nowhere.toml cannot be read",
        ),
    ] {
        let error = with(&[(name, value)]).unwrap_err();
        has(&error, part);
        has(&error, name);
        lacks(&error, "secret");
    }
}

#[test]
fn the_environment_goes_before_the_file() {
    let file = std::env::temp_dir().join(format!("perplex-{}.toml", std::process::id()));
    let name = file.to_str().unwrap();
    std::fs::write(
        &file,
        "listen = \"[::1]:1\"\nurl = \"https://a.example/\"\n",
    )
    .unwrap();
    let config = with(&[("PERPLEX_CONFIG", name), ("PERPLEX_LISTEN", "[::1]:2")]).unwrap();
    assert_eq!(config.listen.port(), 2);
    assert_eq!(config.url.as_deref(), Some("https://a.example"));

    std::fs::write(&file, "listen = \"nowhere\"").unwrap();
    let error = with(&[("PERPLEX_CONFIG", name)]).unwrap_err();
    has(&error, &format!("the setting listen (in {name})"));

    std::fs::write(&file, "lisen = \"[::1]:1\"").unwrap();
    let error = with(&[("PERPLEX_CONFIG", name)]).unwrap_err();
    has(&error, "lisen");
    has(&error, "listen");
    std::fs::remove_file(&file).unwrap();
}
