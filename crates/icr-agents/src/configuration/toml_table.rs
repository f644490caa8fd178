//! TOML: a table at the end of the file.

use toml::{Table, Value};

use super::lines::{TextLine, appended, lines, reversed, with_line_ends, without};
use super::refusal::{Position, Refusal};
use super::splice::{Splice, line_end_of};

/// The table that `text` holds.
pub(crate) fn parse(text: &str) -> Result<Table, Refusal> {
    let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
    toml::from_str(text.get(skipped..).unwrap_or_default()).map_err(|error| Refusal::Syntax {
        position: Position::of(text, skipped + error.span().map_or(0, |span| span.start)),
        expected: format!("TOML ({})", error.message().lines().next().unwrap_or_default()),
    })
}

/// The table at `path`.
pub(crate) fn table_at(text: &str, path: &[String]) -> Result<Option<Value>, Refusal> {
    let mut value = Value::Table(parse(text)?);
    for (depth, key) in path.iter().enumerate() {
        let Value::Table(mut table) = value else {
            let key = path.get(..depth).unwrap_or_default().join(".");
            return Err(Refusal::WrongType { key: format!("`{key}`"), found: "no table", expected: "a table" });
        };
        match table.remove(key) {
            Some(inner) => value = inner,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// Puts a table with the lines `content` in at `path`, in the place of the one that is there.
pub(crate) fn insert(text: &str, path: &[String], content: &str) -> Result<Splice, Refusal> {
    let before = parse(text)?;
    let addition = format!("[{}]\n{content}", path.join("."));
    let splice = match (table_at(text, path)?, section(text, path)) {
        (None, _) => appended(text, &addition),
        (Some(_), Some((start, end))) => Splice::at(text, start..end, with_line_ends(&addition, line_end_of(text))),
        (Some(_), None) => return Err(structure(&addition)),
    };
    let after = splice.apply(text);
    let is_exact = parse(&after).is_ok_and(|after| {
        remove_at_path(after.clone(), path) == remove_at_path(before, path) && has_content(&after, path, content)
    });
    if is_exact { Ok(splice) } else { Err(structure(&addition)) }
}

/// Removes the table at `path`: by the text that was inserted, else by its section. `None` if there is no such table.
pub(crate) fn remove(text: &str, path: &[String], inserted: &str, replaced: &str) -> Result<Option<String>, Refusal> {
    if table_at(text, path)?.is_none() {
        return Ok(None);
    }
    let wanted = remove_at_path(parse(text)?, path);
    let cut = section(text, path).map(|(start, end)| match replaced {
        "" => without(text, start, end),
        _ => Splice::at(text, start..end, replaced.to_owned()).apply(text),
    });
    let candidates = reversed(text, inserted, replaced).into_iter().chain(cut);
    let is_exact = |candidate: &String| {
        parse(candidate).is_ok_and(|table| {
            (replaced.is_empty() == table_at(candidate, path).is_ok_and(|found| found.is_none()))
                && remove_at_path(table, path) == wanted
        })
    };
    candidates.into_iter().find(is_exact).map(Some).ok_or(Refusal::Inexact)
}

fn structure(lines: &str) -> Refusal {
    Refusal::Structure { reason: "the table is written inline, which icr does not edit", lines: lines.to_owned() }
}

/// Whether the table at `path` has the keys and values of `content`, and no others.
fn has_content(table: &Table, path: &[String], content: &str) -> bool {
    let mut at = Some(Value::Table(table.clone()));
    for key in path {
        at = at.and_then(|value| value.get(key).cloned());
    }
    toml::from_str::<Table>(content).is_ok_and(|content| at == Some(Value::Table(content)))
}

/// `table` as text without what is at `path`, and without tables that are then empty.
fn remove_at_path(mut table: Table, path: &[String]) -> String {
    fn take(table: &mut Table, path: &[String]) {
        let Some((key, rest)) = path.split_first() else { return };
        let is_empty = match table.get_mut(key) {
            Some(Value::Table(inner)) if !rest.is_empty() => {
                take(inner, rest);
                inner.is_empty()
            }
            _ => rest.is_empty(),
        };
        if is_empty {
            table.remove(key);
        }
    }
    take(&mut table, path);
    format!("{table:?}")
}

/// Byte range of the section of the table at `path`, including its inner tables: from its header to the blank lines and
/// comments before the next one.
fn section(text: &str, path: &[String]) -> Option<(usize, usize)> {
    let all = lines(text);
    let heads = |line: &TextLine<'_>| head(line.text).is_some_and(|head| head == path);
    let first = all.iter().position(heads)?;
    let is_inner =
        |line: &TextLine<'_>| head(line.text).is_some_and(|head| head.len() > path.len() && head.starts_with(path));
    let rest = all.get(first + 1..)?;
    let length = rest.iter().position(|line| line.text.trim_start().starts_with('[') && !is_inner(line));
    let body = rest.get(..length.unwrap_or(rest.len()))?;
    let last = body.iter().rposition(|line| !line.is_silent());
    let end = last.and_then(|last| body.get(last)).map_or(all[first].end, |line| line.end);
    Some((all[first].start, end))
}

/// The keys of a table's head.
fn head(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start();
    if !line.starts_with('[') || line.starts_with("[[") {
        return None;
    }
    let mut table: Table = toml::from_str(line).ok()?;
    let mut keys = Vec::new();
    while let Some(key) = table.keys().next().cloned() {
        let Some(Value::Table(inner)) = table.remove(&key) else { return None };
        keys.push(key);
        table = inner;
    }
    Some(keys)
}
