use perplex_matches::names::shown;

use crate::web::fields::Fields;

/// The turn in a form of the rulebook; `None` if the fields are not from one. A rule is what is read in it, so nothing is
/// hidden there.
pub fn turn(fields: &Fields) -> Option<String> {
    let number = fields.get("under");
    if !number.is_empty() {
        let turn = format!("under {number} {}", fields.get("deeds"));
        return Some(shown(turn.trim()));
    }
    let rule = fields.get("rule");
    if rule.is_empty() {
        return None;
    }
    let effect = match fields.get("form") {
        "promote" => format!("={}", fields.all("to").collect::<String>()),
        "written" => "written".to_owned(),
        _ => fields.get("betza").trim().to_owned(),
    };
    let words = fields.get("words");
    Some(shown(&format!("rule {rule} {effect} \"{words}\"")))
}

/// The turn in a form of the rulebook, or as it was written in the field for turns.
pub fn written_turn(fields: &Fields) -> String {
    turn(fields).unwrap_or_else(|| shown(fields.get("turn")))
}

/// True if a form changes a rule.
pub fn changes_rule(fields: &Fields) -> bool {
    let turn = written_turn(fields);
    let word = turn.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("rule")
}

/// The fields of the editor if it is open, for the address of a page on which it stays open.
pub fn edited(fields: &Fields) -> Vec<(&str, &str)> {
    const EDITED: [&str; 16] = [
        "turn", "rule", "form", "betza", "way", "for", "mirror", "to", "set", "click", "words",
        "under", "deeds", "lift", "card", "edit",
    ];
    if !changes_rule(fields) && !fields.has("card") && !fields.has("under") {
        return Vec::new();
    }
    let all = fields.iter().map(|(name, value)| (&**name, &**value));
    all.filter(|(name, _)| EDITED.contains(name)).collect()
}

pub fn field(fields: &Fields) -> Option<&'static str> {
    if fields.has("under") {
        Some("deeds")
    } else {
        fields.has("rule").then_some("words")
    }
}
