//! Classes: names read from pasted lists, names and phrases that are made.

use perplex_matches::classroom::roster::{ListFault, WrongName, looked_at, name, names, order};
use perplex_matches::classroom::words::{
    code, is_user_name, nickname, phrase, read_code, same_phrase, user_name,
};
use perplex_matches::names::NameError;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found = names(text, &[]).expect("names");
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn names_are_read_out_of_lists() {
    let same = ["Anna", "Ben Ali", "Zoë", "李雷", "محمد"];
    for text in [
        "Anna\nBen Ali\nZoë\n李雷\nمحمد",
        "\u{FEFF}Anna,  Ben   Ali ,Zoë;李雷\tمحمد\r\n\r\n",
        "Anna, Ben Ali,\nZoë, 李雷,\nمحمد",
        "Anna, Ben Ali\nZoë, 李雷, محمد",
        "\"Anna\";\"Ben Ali\";\"Zoë\";;\"李雷\"; محمد ;",
        "\"Anna\"\r\n\"Ben Ali\"\r\nZoë\r\n\"李雷\"\r\nمحمد\r\n",
    ] {
        check(text, &same);
    }
    assert_eq!(names(" \n,;\n", &[]), Ok(Vec::new()));
}

#[test]
fn names_are_listed_as_people_look_for_them() {
    let listed = [
        "1. Zoe", "2. Ben", "10. Anna", "Ana", "Äpfel", "Élan", "elli", "Özlem", "Team 2",
        "Team 10",
    ];
    let mut names = listed;
    names.reverse();
    names.sort_by_cached_key(|name| order(name));
    assert_eq!(names, listed);
}

#[test]
fn numbers_marks_and_ages_are_no_part_of_a_name() {
    let three = ["Anna Muster", "Ben", "Cem Öz"];
    check("1. Anna Muster\n2. Ben\n3. Cem Öz", &three);
    check("1) Anna Muster\n2) Ben\n10) Cem Öz", &three);
    check("1 Anna Muster\n2 Ben\n3 Cem Öz", &three);
    check("- Anna Muster\n• Ben\n* Cem Öz", &three);
    check("Anna Muster, 11\nBen, 12\nCem Öz, 7b", &three);
    check("1. Muster, Anna\n2. Ben, 11\n3. Öz, Cem", &three);
    check("1\tAnna\tMuster\t11\n2\tBen\t\t12\n3\tCem\tÖz\t11", &three);
    check("11, Anna Muster\n12, Ben", &["Anna Muster", "Ben"]);
    // Both orders, mixed.
    check(
        "Muster, Anna\nBen Ro\nÖz, Cem",
        &["Anna Muster", "Ben Ro", "Cem Öz"],
    );
    // A list that goes over several lines stays one.
    check("Anna, Ben\nCem", &["Anna", "Ben", "Cem"]);
    // A name may begin with a mark.
    check("-Anna\n2Pac", &["-Anna", "2Pac"]);
}

#[test]
fn a_row_of_a_table_is_one_pupil() {
    let same = ["Anna Muster", "Ben Ali Öz", "Zoë"];
    for text in [
        // From a spreadsheet, with and without other columns.
        "Anna\tMuster\nBen Ali\tÖz\nZoë",
        "Anna\tMuster\t\r\nBen Ali\tÖz\t\r\nZoë\t\t\r\n",
        "1\tAnna\tMuster\t12.3.2014\tanna@example.org\n2\tBen Ali\tÖz\t1.4.2014\tben@example.org\n3\tZoë\t\t\t",
        "Anna;Muster;7b\nBen Ali;Öz;7b\n\nZoë;;",
        "\"Anna\";\"Muster\"\r\n\"Ben Ali\";\"Öz\"\r\n\"Zoë\";\r\n",
    ] {
        check(text, &same);
    }
    // Surnames first.
    for text in [
        "Muster, Anna\nÖz, Ben Ali",
        "Muster,Anna\r\n\r\nÖz,Ben Ali\r\n",
    ] {
        check(text, &same[..2]);
    }
    // A comma within quotation marks is part of the cell.
    check("\"Muster, Anna\";7b\nÖz;7b", &["Muster, Anna", "Öz"]);
    let again = names("Anna\tMuster\nBen\tÖz\nanna\tMUSTER", &[]);
    assert_eq!(
        again,
        Err(vec![wrong(3, "anna MUSTER", ListFault::Again(1))])
    );
}

fn wrong(line: usize, name: &str, fault: ListFault) -> WrongName {
    let name = name.to_owned();
    WrongName { line, name, fault }
}

#[test]
fn wrong_names_have_their_lines() {
    let check = |text: &str, expected: Vec<WrongName>| {
        assert_eq!(names(text, &["Kim".to_owned()]), Err(expected), "{text}");
    };
    check(
        "Anna\nBen\nanna, KIM",
        vec![
            wrong(3, "anna", ListFault::Again(1)),
            wrong(3, "KIM", ListFault::Known),
        ],
    );
    let long = "y".repeat(41);
    let too_long = ListFault::Name(NameError::TooLong(41));
    check(
        &format!("{}\n{long}", "x".repeat(40)),
        vec![wrong(2, &long, too_long)],
    );
    let box_of = "Ann\u{e000}a";
    check(
        box_of,
        vec![wrong(1, box_of, ListFault::Name(NameError::Unseen))],
    );
    // What cannot be seen in a list is no reason to send it back, nor hides who is known.
    let pasted = names("\u{feff}1. Anna\u{ad}\r\n\u{200b}\r\n\u{200e}2. Ben\n", &[]);
    assert_eq!(pasted, Ok(vec!["Anna".to_owned(), "Ben".to_owned()]));
    check("Ki\u{200b}m", vec![wrong(1, "Kim", ListFault::Known)]);
    check("Ｋｉｍ", vec![wrong(1, "Ｋｉｍ", ListFault::Known)]);
    assert_eq!(name("  "), Err(NameError::Empty));
    // Characters that join letters in some scripts are part of a name.
    assert!(name("نی\u{200C}لوفر").is_ok());
}

#[test]
fn what_is_made_is_read_again() {
    let mut rng = rand::rng();
    for _ in 0..200 {
        for long in [false, true] {
            let name = user_name(&mut rng, long);
            assert!(
                is_user_name(&name) && is_user_name(&name.to_uppercase()),
                "{name}"
            );
        }
        let code = code(&mut rng);
        let typed = format!(" {}-{}", code[..3].to_lowercase(), &code[3..]);
        assert_eq!(read_code(&typed), Some(code.clone()));
        for between in ["\u{2013}", "\u{2011}", "/", "_", ".", "\u{a0}", "\u{200b}"] {
            let typed = format!("{between}{}{between}{}{between}", &code[..3], &code[3..]);
            assert_eq!(read_code(&typed), Some(code.clone()), "{typed:?}");
        }
        assert_eq!(
            read_code(&code[1..]),
            Some(code[1..].to_owned()),
            "of a lesson that was begun before"
        );
        let phrase = phrase(&mut rng);
        let words: Vec<&str> = phrase.split(' ').collect();
        assert_eq!(words.len(), 3, "{phrase}");
        assert!(words[0] != words[1] && words[1] != words[2] && words[0] != words[2]);
        assert!(same_phrase(
            &phrase,
            &phrase.replace(' ', "-").to_uppercase()
        ));
        assert!(same_phrase(
            &phrase,
            &format!(" {}", phrase.replace(' ', ""))
        ));
        assert!(!same_phrase(&phrase, &phrase[1..]) && !same_phrase(&phrase, ""));
    }
    for none in [
        "",
        "anna12",
        "otter",
        "otter4",
        "otter4711",
        "47",
        "otter47x",
    ] {
        assert!(!is_user_name(none), "{none}");
    }
    for none in ["", "H7T4N", "H7T4NXXX", "H7T4NA", "H7T4N0", "H7T4NÄ"] {
        assert_eq!(read_code(none), None, "{none}");
    }
}

#[test]
fn nicknames_differ_within_a_class() {
    let mut rng = rand::rng();
    let mut taken = Vec::new();
    for _ in 0..100 {
        let name = nickname(&mut rng, &taken);
        assert!(!taken.contains(&name), "{name}");
        taken.push(name);
    }
}

/// What a teacher has looked at is a pupil a line, whatever stands in it.
#[test]
fn a_list_that_was_looked_at_is_read_no_other_way() {
    let shown = "van der Berg\nSophie\nAnna\nBen";
    let made = |text: &str| names(&looked_at(text, shown).expect("a pupil a line"), &[]);
    for (text, pupils) in [
        ("van der Berg, Sophie", &["van der Berg, Sophie"][..]),
        (
            "Anna\n\nvan der Berg, Sophie\nBen",
            &["Anna", "van der Berg, Sophie", "Ben"],
        ),
        ("7 Zwerge\n- Ben", &["7 Zwerge", "- Ben"]),
        ("Anna \"Ann\" Berg", &["Anna \"Ann\" Berg"]),
        ("Cem\nDora", &["Cem", "Dora"]),
    ] {
        assert_eq!(
            made(text),
            Ok(pupils.iter().map(ToString::to_string).collect()),
            "{text}"
        );
    }
    // Another list was pasted over it.
    for text in [
        "Anna, Ben, Sophie",
        "Anna\tBen",
        "Anna; Ben",
        "Dora, Emil",
        "Müller, Tom\nBerg, Sophie",
    ] {
        assert_eq!(looked_at(text, shown), None, "{text}");
    }
    // What is wrong is told by its line.
    let wrong = made("Anna\nAnna").expect_err("twice");
    assert_eq!((wrong[0].line, wrong[0].name.as_str()), (2, "Anna"));
}
