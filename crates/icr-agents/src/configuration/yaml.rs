//! YAML: items of block lists and members of block mappings, as lines.

use yaml_rust2::parser::Parser;
use yaml_rust2::{Event, Yaml, YamlLoader};

use super::lines::{TextLine, appended, insert_after_line, lines, reversed, without};
use super::refusal::{Position, Refusal};
use super::splice::Splice;

/// A list or a mapping below a top-level key, and an entry in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct YamlPlace<'a> {
    /// The key.
    pub(crate) key: &'a str,
    /// Whether its value is a list.
    pub(crate) is_list: bool,
    /// Name of the member or item; `None` for an item that is a plain text.
    pub(crate) name: Option<&'a str>,
}

/// Parses `text`, which must be a single document; `Null` if there is none.
pub(crate) fn parse(text: &str) -> Result<Yaml, Refusal> {
    let text = text.trim_start_matches('\u{feff}');
    if aliases(text) > ALIASES_MOST {
        return Err(Refusal::WrongType {
            key: "the file".to_owned(),
            found: "more aliases than a configuration has",
            expected: "at most 20",
        });
    }
    let documents = YamlLoader::load_from_str(text).map_err(|error| {
        let position = Position { line: error.marker().line(), column: error.marker().col() + 1 };
        Refusal::Syntax { position, expected: format!("YAML ({})", error.info()) }
    })?;
    match documents.len() {
        0 => Ok(Yaml::Null),
        1 => Ok(documents.into_iter().next().unwrap_or(Yaml::Null)),
        _ => Err(Refusal::WrongType { key: "the file".to_owned(), found: "several documents", expected: "one" }),
    }
}

/// Most aliases in a file that is read. An alias may stand for a text with further aliases, so a few lines could expand
/// to gigabytes. Twenty aliases expand to some thousand values at most.
const ALIASES_MOST: usize = 20;

/// Number of aliases in `text`, as far as it can be parsed.
fn aliases(text: &str) -> usize {
    let mut parser = Parser::new_from_str(text);
    let events = std::iter::from_fn(|| match parser.next_token() {
        Ok((Event::StreamEnd, _)) | Err(_) => None,
        Ok((event, _)) => Some(event),
    });
    events.filter(|event| matches!(event, Event::Alias(_))).take(ALIASES_MOST + 1).count()
}

/// The value at `place`; an item without a name is found by its lines `content`.
pub(crate) fn entry_at(text: &str, place: YamlPlace<'_>, content: &str) -> Result<Option<Yaml>, Refusal> {
    let root = parse(text)?;
    let Some(value) = value_at(&root, place.key)? else { return Ok(None) };
    match (value, place.is_list) {
        (Yaml::Null, _) => Ok(None),
        (Yaml::Array(items), true) => Ok(items.iter().find(|item| is_item(item, place, content)).cloned()),
        (Yaml::Hash(members), false) => {
            Ok(place.name.and_then(|name| members.get(&Yaml::String(name.to_owned()))).cloned())
        }
        (_, is_list) => Err(Refusal::WrongType {
            key: format!("`{}`", place.key),
            found: if is_list { "no list" } else { "no mapping" },
            expected: if is_list { "a list" } else { "a mapping" },
        }),
    }
}

/// The value that `content` stands for.
pub(crate) fn value_of(place: YamlPlace<'_>, content: &str) -> Option<Yaml> {
    match parse(content).ok()? {
        Yaml::Array(items) if place.is_list => items.into_iter().next(),
        Yaml::Hash(members) if !place.is_list => members.into_iter().next().map(|(_, value)| value),
        _ => None,
    }
}

/// Puts the lines `content` at `place`, replacing what is there. Returns also whether the key was created.
pub(crate) fn insert(text: &str, place: YamlPlace<'_>, content: &str) -> Result<(Splice, usize), Refusal> {
    let root = parse(text)?;
    let present = entry_at(text, place, content)?;
    let with_key = format!("{}:\n{}", place.key, indented(content, 2));
    let refuse = |reason| Refusal::Structure { reason, lines: with_key.clone() };
    let all = lines(text);
    let (splice, created) = match (key_line(&all, place.key), &present) {
        (None, _) => {
            let first = all.iter().find(|line| !line.is_silent() && line.text.trim_end() != "---");
            if first.is_some_and(|line| line.text.starts_with(['{', ' ', '\t', '&', '!'])) {
                return Err(refuse("the file is in flow style, or has an anchor or a tag at its beginning"));
            }
            (appended(text, &with_key), 1)
        }
        (Some(key), None) => {
            let Some(block) = block(&all, key, place.is_list) else {
                return Err(refuse("the value is in flow style, or has an anchor or a tag"));
            };
            (insert_after_line(text, block.end, &indented(content, block.indent)), 0)
        }
        (Some(key), Some(_)) => {
            let part = part(&all, key, place, content).ok_or_else(|| refuse("its lines cannot be told apart"))?;
            let lines = indented(content, part.indent);
            let lines = super::lines::with_line_ends(&lines, super::splice::line_end_of(text));
            (Splice::at(text, part.start..part.end, lines), 0)
        }
    };
    let after = splice.apply(text);
    let wanted = value_of(place, content);
    let is_exact = parse(&after).is_ok_and(|after_root| {
        entry_at(&after, place, content).is_ok_and(|now| now == wanted)
            && remove_at_place(after_root, place, content) == remove_at_place(root, place, content)
    });
    if is_exact { Ok((splice, created)) } else { Err(refuse("the structure is unusual")) }
}

/// Removes what is at `place`, and the key too if it was created with the entry. `None` if nothing is there.
pub(crate) fn remove(
    text: &str,
    place: YamlPlace<'_>,
    content: &str,
    created: usize,
    exact: (&str, &str),
) -> Result<Option<String>, Refusal> {
    if entry_at(text, place, content)?.is_none() {
        return Ok(None);
    }
    let wanted = remove_at_place(parse(text)?, place, content);
    let (insertion, replaced) = exact;
    let mut candidates: Vec<String> = reversed(text, insertion, replaced).into_iter().collect();
    let all = lines(text);
    if let Some((key, part)) = key_line(&all, place.key).and_then(|key| Some((key, part(&all, key, place, content)?))) {
        if replaced.is_empty() {
            let alone = block(&all, key, place.is_list)
                .is_some_and(|block| block.end == part.end && all[key].end == part.start);
            if alone && created > 0 {
                candidates.push(without(text, all[key].start, part.end));
            }
            candidates.push(super::splice::Splice::at(text, part.start..part.end, String::new()).apply(text));
        } else {
            candidates.push(Splice::at(text, part.start..part.end, replaced.to_owned()).apply(text));
        }
    }
    let is_exact = |candidate: &String| {
        parse(candidate).is_ok_and(|root| {
            let is_out = entry_at(candidate, place, content).is_ok_and(|found| found.is_none());
            is_out == replaced.is_empty() && remove_at_place(root, place, content) == wanted
        })
    };
    candidates.into_iter().find(is_exact).map(Some).ok_or(Refusal::Inexact)
}

/// A scalar such as `name` or `command` in YAML: plain if that is safe, else in double quotes.
pub(crate) fn scalar(text: &str) -> String {
    let is_plain =
        text.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '/' | '.' | '_' | '-'))
            && text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    if is_plain { text.to_owned() } else { super::json::quoted(text) }
}

fn value_at<'a>(root: &'a Yaml, key: &str) -> Result<Option<&'a Yaml>, Refusal> {
    match root {
        Yaml::Null | Yaml::BadValue => Ok(None),
        Yaml::Hash(members) => Ok(members.get(&Yaml::String(key.to_owned()))),
        _ => Err(Refusal::WrongType { key: "the file".to_owned(), found: "no mapping", expected: "a mapping" }),
    }
}

fn is_item(item: &Yaml, place: YamlPlace<'_>, content: &str) -> bool {
    match place.name {
        Some(name) => item["name"].as_str() == Some(name),
        None => value_of(place, content).as_ref() == Some(item),
    }
}

/// `root` without what is at `place`; a list or mapping that becomes empty is removed too.
fn remove_at_place(root: Yaml, place: YamlPlace<'_>, content: &str) -> Yaml {
    let Yaml::Hash(mut members) = root else { return Yaml::Null };
    let key = Yaml::String(place.key.to_owned());
    let left = match members.remove(&key) {
        Some(Yaml::Array(mut items)) if place.is_list => {
            items.retain(|item| !is_item(item, place, content));
            (!items.is_empty()).then_some(Yaml::Array(items))
        }
        Some(Yaml::Hash(mut inner)) if !place.is_list => {
            if let Some(name) = place.name {
                inner.remove(&Yaml::String(name.to_owned()));
            }
            (!inner.is_empty()).then_some(Yaml::Hash(inner))
        }
        Some(Yaml::Null) | None => None,
        other => other,
    };
    if let Some(left) = left {
        members.insert(key, left);
    }
    // The order of keys does not matter.
    let mut members: Vec<_> = members.into_iter().collect();
    members.sort();
    if members.is_empty() { Yaml::Null } else { Yaml::Hash(members.into_iter().collect()) }
}

fn indented(content: &str, indent: usize) -> String {
    let spaces = " ".repeat(indent);
    content.split_inclusive('\n').map(|line| format!("{spaces}{line}")).collect()
}

/// Index of the line with a top-level key.
fn key_line(all: &[TextLine<'_>], key: &str) -> Option<usize> {
    let names = |line: &TextLine<'_>| {
        [key.to_owned(), format!("\"{key}\""), format!("'{key}'")].iter().any(|key| {
            line.text.strip_prefix(key.as_str()).is_some_and(|rest| rest.trim_start_matches(' ').starts_with(':'))
        })
    };
    all.iter().position(names)
}

/// Lines below a key.
struct YamlBlock {
    start: usize,
    end: usize,
    indent: usize,
}

/// The block below the key on line `key`, without trailing blank lines and unindented comments. `None` if its value is
/// not a block.
fn block(all: &[TextLine<'_>], key: usize, is_list: bool) -> Option<YamlBlock> {
    let head = all.get(key)?;
    let value = head.text.split_once(':')?.1.trim();
    if !value.is_empty() && !value.starts_with('#') {
        return None;
    }
    let is_in = |line: &&TextLine<'_>| {
        line.is_blank() || line.text.starts_with(['#', ' ', '\t']) || (is_list && is_list_item(line.text))
    };
    let body: Vec<&TextLine<'_>> = all.get(key + 1..)?.iter().take_while(is_in).collect();
    let Some(first) = body.iter().find(|line| !line.is_silent()) else {
        return Some(YamlBlock { start: head.end, end: head.end, indent: 2 });
    };
    let last = body.iter().rfind(|line| !line.is_blank() && !line.text.starts_with('#'))?;
    let is_right = if is_list { is_list_item(first.text.trim_start()) } else { first.indent() > 0 };
    is_right.then_some(YamlBlock { start: head.end, end: last.end, indent: first.indent() })
}

fn is_list_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The lines of what is at `place`.
fn part(all: &[TextLine<'_>], key: usize, place: YamlPlace<'_>, content: &str) -> Option<YamlBlock> {
    let block = block(all, key, place.is_list)?;
    let body: Vec<&TextLine<'_>> =
        all.iter().filter(|line| line.start >= block.start && line.end <= block.end).collect();
    let heads: Vec<usize> =
        (0..body.len()).filter(|at| body[*at].indent() == block.indent && !body[*at].is_silent()).collect();
    for (nth, head) in heads.iter().enumerate() {
        let until = heads.get(nth + 1).copied().unwrap_or(body.len());
        let own = body.get(*head..until)?;
        let last = own.iter().rfind(|line| !line.is_silent())?;
        let said: String =
            own.iter().map(|line| format!("{}\n", line.text.get(block.indent..).unwrap_or_default())).collect();
        let is_it = match (parse(&said).ok()?, place.is_list) {
            (Yaml::Array(items), true) => items.first().is_some_and(|item| is_item(item, place, content)),
            (Yaml::Hash(members), false) => members.keys().next().and_then(Yaml::as_str) == place.name,
            _ => false,
        };
        if is_it {
            return Some(YamlBlock { start: own.first()?.start, end: last.end, indent: block.indent });
        }
    }
    None
}
