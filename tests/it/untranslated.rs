//! What a browser's translator leaves alone, on the pages of a school at play.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use crate::support::Database;
use crate::teams::people::{Browser, between};
use crate::test_app::{START, TestApp, done, here, runtime};
use perplex::demo;
use perplex::secret::KeyRing;
use perplex_matches::id::ClassId;

/// Elements without a text that people read on the page, and elements that have no end.
const UNREAD: [&str; 5] = ["script", "style", "title", "textarea", "defs"];
const WITHOUT_END: [&str; 8] = ["meta", "link", "input", "br", "img", "hr", "wbr", "col"];

/// The pieces of text of a page that a translator would translate.
fn translated(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The elements around, and whether what is in them is translated.
    let mut around: Vec<(String, bool)> = Vec::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        let is_read = around.last().is_none_or(|(_, is_read)| *is_read);
        if is_read && !text.trim().is_empty() {
            found.push(text.trim().to_owned());
        }
        let (tag, next) = after.split_once('>').expect("the end of a tag");
        rest = next;
        let word = tag.split([' ', '/', '\n']).find(|word| !word.is_empty());
        let word = word.unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            let begun = around.iter().rposition(|(open, _)| open == name);
            around.truncate(begun.unwrap_or_else(|| panic!("</{name}> without a beginning")));
        } else if !tag.ends_with('/') && !tag.starts_with('!') && !WITHOUT_END.contains(&word) {
            let is_kept = tag.contains("translate=\"no\"") || UNREAD.contains(&word);
            let is_read = !is_kept && (is_read || tag.contains("translate=\"yes\""));
            around.push((word.to_owned(), is_read));
            if word == "script" {
                rest = rest.find("</script>").map_or(rest, |end| &rest[end..]);
            }
        }
    }
    found
}

/// True for a word that is a turn or a square, as the games write them.
fn is_turn(word: &str) -> bool {
    let bytes = word.as_bytes();
    let has_square = bytes
        .windows(2)
        .any(|pair| matches!(pair[0], b'a'..=b'h') && pair[1].is_ascii_digit());
    has_square && !word.starts_with("http")
}

#[test]
fn names_codes_phrases_and_turns_are_not_translated() {
    let database = Database::sqlite("untranslated");
    let time = Arc::new(AtomicI64::new(START));
    let server = TestApp::with(database.open(), KeyRing::fresh(), &time);
    runtime().block_on(async {
        let demo = done(Box::pin(demo::fill(&server.app))).await;
        let told = |after: &str| {
            let (_, rest) = demo.told.split_once(after).expect("told");
            rest.lines().next().expect("a line").to_owned()
        };
        let password = told("with the password: ");
        let phrase = told("with the pass phrase: ");
        let (_, pupil) = demo.told.split_once("A pupil, ").expect("told");
        let user = between(pupil, "signs in as ", " ").to_owned();
        let team = format!("/team/{}", told("/team/"));

        let mut teacher = Browser::on(&server).await;
        let form = [("login", "Teacher"), ("password", password.as_str())];
        teacher.done("/sign-in", "/sign-in", &form).await;
        let mut pupil = Browser::on(&server).await;
        let form = [("login", user.as_str()), ("password", phrase.as_str())];
        pupil.done("/sign-in", "/sign-in", &form).await;
        let mut guest = Browser::on(&server).await;

        let page = teacher.page("/classes").await;
        let class = format!("/class/{}", between(&page, "href=\"/class/", "\""));
        let gathering = teacher.done(&class, "lesson", &[]).await;
        let page = teacher.page(&gathering).await;
        let projector = between(&page, "class=\"button\" href=\"", "\"").to_owned();
        let digits = between(&page, "<p class=\"code\"><span>", "</p>");
        let (first, second) = digits.split_once("</span> <span>").expect("two halves");
        let code = format!("{first}{}", second.replace("</span>", ""));
        let page = teacher.page("/matches").await;
        let matches = page.split("href=\"/match/").skip(1);
        let matches: Vec<String> = matches
            .filter_map(|rest| rest.split('"').next())
            .map(|id| format!("/match/{id}"))
            .collect();
        assert!(matches.len() > 3, "{page}");
        let say = "Anna? Hana, watch 2:f7 and Nf3!";
        pupil.done(&team, "talk/0", &[("text", say)]).await;

        let device = here();
        let token = done(server.app.sign_in("Teacher", &password, &device)).await;
        let account = server.signed_in(&token).await;
        let id = ClassId(class.replace("/class/", ""));
        let join = format!("/join/{code}");
        pupil.done(&join, &join, &[("pupil", "me")]).await;
        let list = server.app.class(&account, &id);
        let mut kept = vec![user.clone(), phrase.clone(), code.clone(), first.to_owned()];
        for pupil in done(list).await.pupils {
            kept.extend([pupil.name, pupil.user, pupil.phrase]);
        }

        let of = |home: &str, parts: &[&str]| -> Vec<String> {
            parts.iter().map(|part| format!("{home}{part}")).collect()
        };
        let at_team = [
            "",
            "?board=0",
            "?log=all",
            "?log=news",
            "?channel=0",
            "/at/20",
        ];
        let led = [
            "?log=people",
            "/control",
            "/control?mate=2",
            "/report",
            "/record",
            "/lesson",
        ];
        let of_class = ["", "/cards", "/progress", "/settings"];
        let others = [
            "/account",
            "/admin/users",
            "/lobby",
            "/teams",
            "/matches",
            "/player/Teacher",
        ];
        let mut wrong = Vec::new();
        let teachers = [
            of(&team, &at_team),
            of(&team, &led),
            of(&class, &of_class),
            of("", &others),
            of(&gathering, &[""]),
            matches,
        ]
        .concat();
        for (browser, paths) in [
            (&mut teacher, teachers),
            (
                &mut pupil,
                [of(&team, &at_team), of("", &["/me", &gathering])].concat(),
            ),
            (&mut guest, vec![format!("/join/{code}"), projector]),
        ] {
            for path in paths {
                let got = browser.get(&path).await;
                assert!(
                    got.status.is_success() && !got.html.is_empty(),
                    "{path}: {}",
                    got.status
                );
                for text in translated(&got.html) {
                    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '-');
                    let names = kept.iter().any(|one| {
                        words().any(|word| word == one) || one.contains(' ') && text.contains(one)
                    });
                    if names || words().any(is_turn) {
                        wrong.push(format!("{path}: {text}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "translated:\n{}", wrong.join("\n"));
    });
}
