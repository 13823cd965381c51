//! The settings, from the environment and a file.

use crate::test_app::{has, lacks};
use perplex::config::Config;

fn with(values: &[(&str, &str)]) -> Result<Config, String> {
    Config::load(|name| {
        values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| (*value).to_owned())
    })
    .map_err(|error| error.to_string())
}

#[test]
fn nothing_has_to_be_set() {
    let config = with(&[]).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.database.to_string(), "sqlite:data/perplex.sqlite");
    assert_eq!(config.smtp, None);
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
