use crate::web::fields::Fields;

/// The turn in a form of the rulebook; `None` if the fields are not from one.
pub fn turn(fields: &Fields) -> Option<String> {
    let number = fields.get("under");
    if !number.is_empty() {
        let turn = format!("under {number} {}", fields.get("deeds"));
        return Some(turn.trim().to_owned());
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
    Some(format!("rule {rule} {effect} \"{}\"", fields.get("words")))
}

pub fn field(fields: &Fields) -> Option<&'static str> {
    if fields.has("under") {
        Some("deeds")
    } else {
        fields.has("rule").then_some("words")
    }
}
