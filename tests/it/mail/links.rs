//! Nothing that other people typed is a link in our mail.

use super::*;

/// What mail programs make links of, with the part of each that must not stand in a mail.
const EVIL: &[(&str, &str)] = &[
    ("Win: https://evil.example/x?y=1", "https://"),
    ("HTTPS://EVIL.EXAMPLE", "HTTPS://"),
    ("http://localhost/x", "http://"),
    ("http:\\\\evil", "http:\\"),
    ("ftp：//evil", "ftp：/"),
    ("see evil.example now", "evil.example"),
    ("www.evil", "www.evil"),
    ("evil.xn--p1ai", "evil.xn"),
    ("i❤.ws", "❤.ws"),
    ("evil.рф", "evil.рф"),
    ("evil。com", "evil。com"),
    ("evil．com", "evil．com"),
    ("evil｡com", "evil｡com"),
    ("evil․com", "evil․com"),
    ("evil﹒com", "evil﹒com"),
    ("evil.\u{200d}com", "evil.\u{200d}com"),
    ("write to eve@evil", "eve@evil"),
    ("eve＠evil", "eve＠evil"),
    ("(evil.example)", "evil.example"),
    ("a.evil.example/7b", "evil.example"),
    ("192.168.7.9/x", "192.168"),
    ("7b.io", "7b.io"),
];

fn announced(news: &mut [Announcement], evil: &str) {
    for one in news {
        one.headline = format!("Eve says: {evil}");
        one.detail = format!("{evil}\n{evil}");
    }
}

fn waits(waits: &mut Waits, evil: &str) {
    waits.title = Line::name(evil);
}

/// The mail as if others had typed this wherever they can.
fn typed(about: &mut About, evil: &str) {
    match about {
        About::Account(AccountText::OldAddress { new, .. }) => *new = Line::new(evil, 254),
        About::Account(AccountText::ClassOffer { from, class, .. }) => {
            (*from, *class) = (Line::name(evil), Line::name(evil));
        }
        About::Account(AccountText::Notice { browser, .. }) => evil.clone_into(browser),
        About::Account(_) => {}
        About::Invitation(invitation) => invitation.from = Line::name(evil),
        About::Match(news) => {
            for name in news.0.names.values_mut() {
                evil.clone_into(name);
            }
            for (_, text) in news.0.said.iter_mut().chain(news.0.notes.values_mut()) {
                *text = Some(evil.to_owned());
            }
            evil.clone_into(&mut news.0.address);
        }
        About::Team(TeamText::Invitation { from, title, .. }) => {
            (*from, *title) = (Line::name(evil), Line::name(evil));
        }
        About::Team(TeamText::Declined { who, title, .. }) => {
            (*who, *title) = (Line::name(evil), Line::name(evil));
        }
        About::Team(TeamText::Waiting { matches }) => {
            for one in matches {
                waits(one, evil);
            }
        }
        About::Team(TeamText::Turn {
            waits: one,
            news,
            boards,
            pictures,
            points_out,
        }) => {
            waits(one, evil);
            announced(news, evil);
            for told in boards {
                told.turn = format!("In force: “{evil}”");
                evil.clone_into(&mut told.note);
            }
            for board in pictures {
                evil.clone_into(&mut board.alt);
                board.notes.push(evil.to_owned());
                board.text.push_str(evil);
            }
            evil.clone_into(points_out);
        }
        About::Team(TeamText::News { waits: one, news } | TeamText::Talk { waits: one, news }) => {
            waits(one, evil);
            announced(news, evil);
        }
        About::Together(all) => {
            for about in all {
                typed(about, evil);
            }
        }
    }
}

#[test]
fn nothing_that_others_typed_is_a_link() {
    let mut all = letters();
    let offer = About::Account(AccountText::ClassOffer {
        from: Line::name("Otto"),
        class: Line::name("7b"),
        owner: false,
    });
    all.push(("class-offer", plain_letter("class-offer", offer)));
    for (evil, part) in EVIL {
        for (name, letter) in &mut all {
            typed(&mut letter.about, evil);
            let mail = read(letter);
            let subject = mail.header("Subject").unwrap_or_default();
            for text in [&mail.text, &mail.html, &subject] {
                let text = text.replace("https://perplex.example", "");
                assert!(!text.contains(part), "{name}: {part} in {text}");
            }
        }
    }
}

#[test]
fn rules_in_words_are_no_links() {
    let mut story = Story::new("Ada", "Ben");
    let terms = Terms {
        game: "flexichess".to_owned(),
        variant: String::new(),
        days: 3,
        open: true,
    };
    let wish = Some("first".to_owned());
    story.events = create(&account("a1"), terms, wish, None, START).expect("terms");
    story.join("b2");
    story.play(
        "a1",
        "rule * written \"See evil.example, or https://evil.example.\"",
        "",
    );
    let waits = read(&story.letter("b2", MatchMail::YourTurn));
    story.play("b2", "accept", "");
    let in_force = read(&story.letter("a1", MatchMail::YourTurn));
    for mail in [waits, in_force] {
        assert!(mail.text.contains("evil. example"), "{}", mail.text);
        for text in [&mail.text, &mail.html] {
            assert!(!text.contains("evil.example"), "{text}");
        }
    }
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in [
        "Ada played c1-a1. Ben accepted it.",
        "Dr. Weber, 24 November 2026, 09:30 (UTC).",
        "“Touch, and it moves.” … Well...",
        "Version 2.0, at 9.30, in 7.5 minutes; on 24.12.",
        "1. e4 e5 2. Nf3",
        "b6-b7=d6!",
        ". . r . k .",
        "Score 3:2 / 4:1",
    ] {
        assert_eq!(text::unlinked(text), text);
        assert!(!text::leads_away(text), "{text}");
    }
    for (evil, _) in EVIL {
        let parted = text::unlinked(evil);
        assert_ne!(&parted, evil);
        assert_eq!(text::unlinked(&parted), parted);
    }
}
