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
                || !(out.ends_with(['{', '}', ';', ':', ',', '>', ' '])
                    || matches!(next, '{' | '}' | '>'))
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

/// A script without remarks that stand by themselves, indents, empty lines, and spaces and ends of lines beside what
/// separates words by itself. What is quoted, and what is a pattern, stays as it is.
pub fn script(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut is_remark = false;
    for line in text.lines().map(str::trim) {
        is_remark |= line.starts_with("/*");
        if !is_remark && !line.is_empty() && !line.starts_with("//") {
            lines.push_str(line);
            lines.push('\n');
        }
        is_remark &= !line.ends_with("*/");
    }
    let mut out = String::with_capacity(lines.len());
    let mut rest = lines.as_str();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' | '\'' | '`' => quoted(rest, c),
            '/' if out.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?']) => quoted(rest, c),
            _ => c.len_utf8(),
        };
        let (taken, after) = rest.split_at(length);
        let separates = |c: char| "{}()[]=<>!&|?:,;".contains(c);
        // Neither can a line end there otherwise: nothing is to be completed by a semicolon.
        let goes_on = |c: char| "{([,;=:?&|<>!".contains(c);
        let is_idle = match c {
            ' ' => out.ends_with(separates) || after.starts_with(separates),
            '\n' => out.ends_with(goes_on) || after.starts_with(['}', ')', ']', '.', '?', ':']),
            _ => false,
        };
        if !is_idle {
            out.push_str(taken);
        }
        rest = after;
    }
    out
}

/// How long what stands in quotation marks is, with them.
fn quoted(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let is_end = *c == mark && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, _)| at + mark.len_utf8())
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
            ":root{--dark: ;}.a :is(b,c)>d::after{content:\" a { b \";width:calc(1px + 2vh)}\
             @media (min-width:2rem) and (hover:hover){e{x:y}}"
        );
    }

    #[test]
    fn a_script_does_the_same_when_squeezed() {
        let written = "// What it is for\n\n/** How\n * it does */\nfunction f() {\n  // So\n  return \"//\";\n}\n";
        assert_eq!(script(written), "function f(){return \"//\";}\n");
        // What has no semicolon stays on a line of its own.
        let written =
            "const f = () => {\n  g(\n    a,\n  )\n    .h();\n}\nlet b = 1\nlet c = `\n{\n`;\n";
        let squeezed = "const f=()=>{g(a,).h();}\nlet b=1\nlet c=`\n{\n`;";
        assert_eq!(script(written), squeezed);
        // Quotation marks and patterns are left as they are; a sign that may belong to a number keeps its spaces.
        let written = "const a = { b: \" { c }, \" + `${d} = ( ${e} )`, f: \"\\\" = \" };\n\
                       if (a / b > c && /[\"'] = \\/ ;/.test(d)) return x ? .5 : y - -z;\n";
        assert_eq!(
            script(written),
            "const a={b:\" { c }, \" + `${d} = ( ${e} )`,f:\"\\\" = \"};\
             if(a / b>c&&/[\"'] = \\/ ;/.test(d))return x?.5:y - -z;"
        );
    }
}
