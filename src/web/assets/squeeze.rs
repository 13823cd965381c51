//! Taking out of style sheets and scripts what only those who write them need: remarks, indents, spaces.

/// A style sheet without remarks and without spaces that mean nothing.
pub fn style(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        if let Some(remark) = rest.strip_prefix("/*") {
            rest = remark.split_once("*/").map_or("", |(_, after)| after);
        } else if c == '"' {
            // What is said is said as it stands.
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if c.is_whitespace() {
            rest = rest.trim_start();
            let next = rest.chars().next().unwrap_or('}');
            // Nothing before a semicolon is a value of its own.
            let is_value = out.ends_with(':') && next == ';';
            if is_value
                || !(out.ends_with(['{', '}', ';', ':', ',', ' ']) || matches!(next, '{' | '}'))
            {
                out.push(' ');
            }
        } else {
            if c == '}' && out.ends_with(';') && !out.ends_with(" ;") {
                out.pop();
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out.trim_start().to_owned()
}

/// A script without remarks that stand by themselves, indents and empty lines. Its lines stay lines.
pub fn script(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_remark = false;
    for line in text.lines().map(str::trim) {
        is_remark |= line.starts_with("/*");
        if !is_remark && !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
        is_remark &= !line.ends_with("*/");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_means_the_same_when_squeezed() {
        let written = "/* Colours */\n:root { --dark: ; }\n\n.a :is(b, c) > d::after {\n  content: \" a { b \";\n  \
                       width: calc(1px + 2vh);\n}\n@media (min-width: 2rem) and (hover: hover) { e { x: y; } }\n";
        assert_eq!(
            style(written),
            ":root{--dark: ;}.a :is(b,c) > d::after{content:\" a { b \";width:calc(1px + 2vh)}\
             @media (min-width:2rem) and (hover:hover){e{x:y}}"
        );
    }

    #[test]
    fn a_script_keeps_its_lines() {
        let written = "// What it is for\n\n/** How\n * it does */\nfunction f() {\n  // So\n  return \"//\";\n}\n";
        assert_eq!(script(written), "function f() {\nreturn \"//\";\n}\n");
    }
}
