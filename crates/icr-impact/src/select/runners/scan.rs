//! A few keys of TOML and XML, looked for line by line: enough for names of packages and lists of members, and no parser.

/// The string at `key` in the first table `section` of a TOML text. `None` also when it is no plain string on one line.
pub(super) fn toml_string<'a>(text: &'a str, section: &str, key: &str) -> Option<&'a str> {
    toml_tables(text, section).find_map(|lines| string_at(lines, key))
}

/// The bodies of the tables called `section` of a TOML text, `[section]` and `[[section]]` alike.
pub(super) fn toml_tables<'a>(text: &'a str, section: &str) -> impl Iterator<Item = &'a str> {
    let is_header =
        |line: &str| line.trim_start().starts_with('[') && line.trim_end().ends_with(']') && !line.contains(['"', ',']);
    let mut bodies = Vec::new();
    let mut start: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        if is_header(code) {
            bodies.extend(start.take().map(|start| &text[start..at]));
            let name = code.trim().trim_matches(['[', ']']).trim();
            start = (name == section).then_some(at + line.len());
        }
        at += line.len();
    }
    bodies.extend(start.map(|start| &text[start..]));
    bodies.into_iter()
}

/// The string at `key` in the body of a TOML table.
pub(super) fn string_at<'a>(body: &'a str, key: &str) -> Option<&'a str> {
    body.lines().find_map(|line| strings(value_of(line, key)?).next())
}

/// The strings of the list at `key` in the first table `section` of a TOML text.
pub(super) fn toml_list<'a>(text: &'a str, section: &str, key: &str) -> Vec<&'a str> {
    toml_tables(text, section).next().map(|body| list_at(body, key)).unwrap_or_default()
}

/// The strings of the list at `key` in the body of a TOML table.
pub(super) fn list_at<'a>(body: &'a str, key: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut lines = body.lines();
    let Some(mut rest) = lines.find_map(|line| value_of(line, key)) else { return found };
    loop {
        let code = rest.split('#').next().unwrap_or_default();
        found.extend(strings(code));
        if code.contains(']') {
            return found;
        }
        let Some(next) = lines.next() else { return found };
        rest = next;
    }
}

/// What stands right of `key =` in the body of a TOML table, up to the end of that line.
pub(super) fn value_at<'a>(body: &'a str, key: &str) -> Option<&'a str> {
    body.lines().find_map(|line| value_of(line, key))
}

/// Whether a TOML text has the table, or one below it.
pub(super) fn has_toml_table(text: &str, section: &str) -> bool {
    text.lines().any(|line| {
        let name = line.trim().strip_prefix('[').map(|rest| rest.trim_start_matches('['));
        name.and_then(|name| name.strip_prefix(section)).is_some_and(|rest| rest.starts_with([']', '.']))
    })
}

/// Contents of the elements called `name` of an XML text that hold text only, comments left out.
pub(super) fn xml_texts<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            let Some(end) = comment.find("-->") else { break };
            rest = &comment[end..];
        } else if let Some(content) = rest.strip_prefix(open.as_str()) {
            let Some(end) = content.find('<') else { break };
            if content[end..].starts_with(close.as_str()) {
                found.push(content[..end].trim());
            }
            rest = &content[end..];
        } else {
            rest = &rest[1..];
        }
    }
    found
}

/// What stands right of `key =` in a line of TOML.
fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.trim_start().strip_prefix(key)?.trim_start().strip_prefix('=')
}

/// The quoted strings of a line, without those with escapes.
fn strings(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\''])?;
        let quote = rest[start..].chars().next()?;
        let inside = &rest[start + 1..];
        let end = inside.find(quote)?;
        rest = &inside[end + 1..];
        Some(&inside[..end])
    })
    .filter(|text| !text.contains('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &str = "[package]\nname = \"a\" # not \"b\"\n[workspace]\nmembers = [\n  \"crates/*\", # all\n  'tools/x',\n]\n\
                         [[test]]\nname = \"one\"\npath = \"tests/lib.rs\"\n[[test]]\nname = \"two\"\n[tool.pytest.ini_options]\n";

    #[test]
    fn keys_of_toml_are_found_in_their_table() {
        assert_eq!(toml_string(CARGO, "package", "name"), Some("a"));
        assert_eq!(toml_string(CARGO, "workspace", "name"), None);
        assert_eq!(toml_list(CARGO, "workspace", "members"), ["crates/*", "tools/x"]);
        let tests: Vec<_> = toml_tables(CARGO, "test").map(|body| string_at(body, "name")).collect();
        assert_eq!(tests, [Some("one"), Some("two")]);
        assert!(has_toml_table(CARGO, "tool.pytest"));
        assert!(!has_toml_table(CARGO, "tool.py"));
    }

    #[test]
    fn texts_of_xml_are_found_outside_of_comments() {
        let pom = "<modules><!-- <module>old</module> --><module>a</module><module> b/c </module></modules>";
        assert_eq!(xml_texts(pom, "module"), ["a", "b/c"]);
        assert_eq!(xml_texts("<module>a", "module"), Vec::<&str>::new());
    }

    #[test]
    fn broken_texts_have_no_keys() {
        assert_eq!(toml_list("[workspace]\nmembers = [\"a\"", "workspace", "members"), ["a"]);
        assert_eq!(toml_string("[package]\nname = \"a", "package", "name"), None);
        assert_eq!(toml_string("", "package", "name"), None);
    }
}
