//! JSON with comments: adds and removes members and items without changing anything else.

mod layout;
mod tree;

use serde_json::Value;

use self::layout::JsonLayout;
use self::tree::{Child, JsonNode, JsonNodeKind, parse, slice};
use super::entry::EntryState;
use super::refusal::Refusal;
use super::splice::Splice;

pub(crate) use tree::quoted;

/// A place in a file: a member at a path of keys, or an item of the array at that path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonPlace<'a> {
    pub(crate) path: &'a [String],
    /// For an item: words that its strings, joined by spaces, contain.
    pub(crate) marker: Option<&'a str>,
}

/// The canonical form of a value, without layout.
pub(crate) fn canonical(value: &Value) -> String {
    let text = value.to_string();
    parse(&text).ok().flatten().map(|node| node.canonical(&text)).unwrap_or_default()
}

/// What is at `place`, compared with `value`.
pub(crate) fn state_of(text: &str, place: JsonPlace<'_>, value: &Value) -> Result<EntryState, Refusal> {
    let Some(root) = parse(text)? else { return Ok(EntryState::Absent) };
    let Some((_, child)) = find(text, &root, place)? else { return Ok(EntryState::Absent) };
    let found = child.value.canonical(text);
    if found == canonical(value) {
        return Ok(EntryState::Equal);
    }
    let mut texts = Vec::new();
    child.value.texts(&mut texts);
    Ok(EntryState::Other { texts: texts.into_iter().map(str::to_owned).collect(), canonical: found })
}

/// Puts `value` at `place`, replacing a value that is there. Returns the change, and the number of containers that are
/// created for it.
pub(crate) fn insert(text: &str, place: JsonPlace<'_>, value: &Value) -> Result<(Splice, usize), Refusal> {
    let layout = JsonLayout::of(text);
    let Some(root) = parse(text)? else {
        let whole = nested(&keys(place), place.marker.is_some(), value);
        let created = place.path.len() + usize::from(place.marker.is_some());
        return Ok((layout.document(text, &whole), created));
    };
    if let Some((container, child)) = find(text, &root, place)? {
        return Ok((layout.replacement(text, container, child, value), 0));
    }
    let (container, inline, missing) = deepest(text, &root, place)?;
    let is_item = place.marker.is_some();
    let (key, value) = match missing.split_first() {
        Some((first, rest)) => (Some(first.as_str()), nested(rest, is_item, value)),
        None => (None, value.clone()),
    };
    let created = match missing.len() {
        0 => 0,
        missing => missing - 1 + usize::from(is_item),
    };
    Ok((layout.insertion(text, container, inline, key, &value), created))
}

/// Removes what is at `place`, and up to `created` enclosing containers that become empty; `None` if nothing is there.
/// With `before`, puts back that text, which was there before.
pub(crate) fn remove(
    text: &str,
    place: JsonPlace<'_>,
    created: usize,
    before: Option<&str>,
) -> Result<Option<String>, Refusal> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let Some((container, child)) = find(text, &root, place)? else { return Ok(None) };
    if let Some(before) = before {
        let span = child.start..child.value.span.end;
        return Ok(Some(Splice::at(text, span, before.to_owned()).apply(text)));
    }
    // Only icr's handler is removed from a group to which others have added handlers.
    if let Some(inner) = place.marker.and_then(|marker| inner_of_many(text, &child.value, marker)) {
        let (list, handler) = inner;
        return Ok(Some(layout::without(text, list, handler)));
    }
    let mut left = layout::without(text, container, child);
    let mut path = place.path;
    if place.marker.is_none() {
        path = path.split_last().map_or(path, |(_, above)| above);
    }
    for _ in 0..created {
        let Some(root) = parse(&left)? else { break };
        let Some((key, above)) = path.split_last() else {
            if is_bare(&left, &root) {
                left = layout::without_document(&left, &root);
            }
            break;
        };
        let here = JsonPlace { path, marker: None };
        match find(&left, &root, here)? {
            Some((container, child)) if child.key.as_ref() == Some(key) && is_bare(&left, &child.value) => {
                left = layout::without(&left, container, child);
            }
            _ => break,
        }
        path = above;
    }
    Ok(Some(left))
}

/// The canonical form of the file's value, without layout; empty for an empty file.
pub(crate) fn canonical_text(text: &str) -> Result<String, Refusal> {
    Ok(parse(text)?.map(|root| root.canonical(text)).unwrap_or_default())
}

/// Whether the file says nothing: no value, or an object without members and comments.
pub(crate) fn is_vacuous(text: &str) -> bool {
    match parse(text) {
        Ok(Some(root)) => is_bare(text, &root) && slice(text, &(0..root.span.start)).trim().is_empty(),
        Ok(None) => text.trim_start_matches('\u{feff}').trim().is_empty(),
        Err(_) => false,
    }
}

/// The keys of the members of the object under `key` whose value is not `false`.
pub(crate) fn members(text: &str, key: &str) -> Result<Vec<String>, Refusal> {
    let Some(root) = parse(text)? else { return Ok(Vec::new()) };
    let children = member(text, &root, key)?.map(|child| child.value.children()).unwrap_or_default();
    let is_on = |child: &&Child| slice(text, &child.value.span) != "false";
    Ok(children.iter().filter(is_on).filter_map(|child| child.key.clone()).collect())
}

fn is_bare(text: &str, node: &JsonNode) -> bool {
    let inner = slice(text, &(node.span.start + 1..node.span.end.saturating_sub(1)));
    node.children().is_empty()
        && matches!(node.kind, JsonNodeKind::Object(_) | JsonNodeKind::Array(_))
        && inner.trim().is_empty()
}

fn keys(place: JsonPlace<'_>) -> Vec<String> {
    place.path.to_vec()
}

/// `value` nested in objects for `keys`; an item is put into an array.
fn nested(keys: &[String], is_item: bool, value: &Value) -> Value {
    let innermost = if is_item { Value::Array(vec![value.clone()]) } else { value.clone() };
    keys.iter().rev().fold(innermost, |value, key| Value::Object([(key.clone(), value)].into_iter().collect()))
}

/// The member `key` of an object.
fn member<'a>(text: &str, object: &'a JsonNode, key: &str) -> Result<Option<&'a Child>, Refusal> {
    let mut members = object.children().iter().filter(|child| child.key.as_deref() == Some(key));
    let first = members.next();
    match members.next() {
        Some(second) => {
            Err(Refusal::DoubleKey { key: key.to_owned(), position: super::refusal::Position::of(text, second.start) })
        }
        None => Ok(first),
    }
}

fn wrong_type(text: &str, node: &JsonNode, path: &[String], expected: &'static str) -> Refusal {
    Refusal::WrongType {
        key: if path.is_empty() { "the file".to_owned() } else { format!("`{}`", path.join(".")) },
        found: node.kind_name(text),
        expected,
    }
}

/// The container and the child at `place`.
fn find<'a>(
    text: &str,
    root: &'a JsonNode,
    place: JsonPlace<'_>,
) -> Result<Option<(&'a JsonNode, &'a Child)>, Refusal> {
    let (container, _, missing) = deepest(text, root, place)?;
    let Some(marker) = place.marker else {
        let [key] = missing.as_slice() else { return Ok(None) };
        return Ok(member(text, container, key)?.map(|child| (container, child)));
    };
    if !missing.is_empty() {
        return Ok(None);
    }
    Ok(container.children().iter().find(|child| has_marker(&child.value, marker)).map(|child| (container, child)))
}

fn has_marker(node: &JsonNode, marker: &str) -> bool {
    let mut texts = Vec::new();
    node.texts(&mut texts);
    let joined = texts.join(" ");
    joined.match_indices(marker).any(|(at, _)| {
        let next = joined.get(at + marker.len()..).unwrap_or_default().chars().next();
        next.is_none_or(char::is_whitespace)
    })
}

/// icr's handler in a group that has several handlers.
fn inner_of_many<'a>(text: &str, group: &'a JsonNode, marker: &str) -> Option<(&'a JsonNode, &'a Child)> {
    let list = &member(text, group, "hooks").ok()??.value;
    let ours = list.children().iter().find(|child| has_marker(&child.value, marker))?;
    (list.children().len() > 1).then_some((list, ours))
}

/// The innermost existing container on the path to `place`, whether it is written on one line, and the keys below it.
/// For a member, these always include the last key.
fn deepest<'a>(
    text: &str,
    root: &'a JsonNode,
    place: JsonPlace<'_>,
) -> Result<(&'a JsonNode, bool, Vec<String>), Refusal> {
    let is_item = place.marker.is_some();
    let containers = if is_item { place.path.len() } else { place.path.len().saturating_sub(1) };
    let mut node = root;
    let mut inline = is_inline(text, root, false);
    for (depth, key) in place.path.iter().enumerate() {
        if !matches!(node.kind, JsonNodeKind::Object(_)) {
            return Err(wrong_type(text, node, place.path.get(..depth).unwrap_or_default(), "an object"));
        }
        if depth == containers {
            break;
        }
        let Some(child) = member(text, node, key)? else {
            return Ok((node, inline, place.path.get(depth..).unwrap_or_default().to_vec()));
        };
        node = &child.value;
        inline = is_inline(text, node, inline);
    }
    let missing = place.path.get(containers..).unwrap_or_default().to_vec();
    match (&node.kind, is_item) {
        (JsonNodeKind::Array(_), true) | (JsonNodeKind::Object(_), false) => Ok((node, inline, missing)),
        (_, true) => Err(wrong_type(text, node, place.path, "an array")),
        (_, false) => Err(wrong_type(text, node, place.path.get(..containers).unwrap_or_default(), "an object")),
    }
}

/// Whether a container is written on one line; an empty one is if its parent is.
fn is_inline(text: &str, node: &JsonNode, around: bool) -> bool {
    match node.children().is_empty() {
        true => around,
        false => !slice(text, &node.span).contains('\n'),
    }
}

#[cfg(test)]
mod tests;
