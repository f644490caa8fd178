//! Memories formatted for people.

use icr_memory::{MemoryItem, PlaceItem, PlaceState};
use icr_model::{Moment, UnixMillis};

use crate::columns::{LINE_COLUMNS, wrapped, wrapped_ranges};
use crate::output::{Output, Style, count_text};

/// How much of a memory is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Detail {
    /// Also show weight, accesses, source and related memories.
    pub(super) all: bool,
}

/// Writes memories with an empty line between them; with `all`, also weight, accesses, source and related memories.
pub(crate) fn write_items(
    output: &mut Output,
    items: &[MemoryItem],
    now: UnixMillis,
    all: bool,
) -> std::io::Result<()> {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            output.line("")?;
        }
        write_item(output, item, now, Detail { all })?;
    }
    Ok(())
}

/// What is wrong with the stored row of a memory, and what can be done about it.
fn senseless_note(item: &MemoryItem) -> Option<String> {
    let fields = item.senseless.join("`, `");
    (!fields.is_empty())
        .then(|| format!("its stored `{fields}` makes no sense and is left out; `icr update` writes it anew"))
}

/// Writes a memory: a line about it, and its text below.
pub(super) fn write_item(
    output: &mut Output,
    item: &MemoryItem,
    now: UnixMillis,
    detail: Detail,
) -> std::io::Result<()> {
    let mut about = vec![item.importance.name().to_owned(), age(item.created_at, now)];
    if item.superseded_by.is_some() {
        about.push("archived".to_owned());
    }
    if item.expires_at.is_some_and(|moment| moment <= now.to_moment()) {
        about.push("expired".to_owned());
    }
    if detail.all {
        about.push(format!("weight {:.2}", item.weight));
        about.push(match item.access_count {
            1 => "recalled once".to_owned(),
            count => format!("recalled {count} times"),
        });
        about.push(format!("by {} ({})", item.author.name(), item.source));
    }
    about.extend(senseless_note(item));
    let topic = output.styled(Style::Name, &item.topic);
    let about = output.styled(Style::Faint, format_args!("{}  {}", about.join(", "), item.id));
    output.line(format_args!("{topic}  {about}"))?;
    for line in item.summary.lines() {
        for part in wrapped(line, LINE_COLUMNS - 2) {
            output.line(format_args!("  {part}"))?;
        }
    }
    item.code.iter().try_for_each(|place| write_place(output, place))?;
    if !item.keywords.is_empty() {
        write_faint(output, "  ", &format!("keywords: {}", item.keywords.join(", ")))?;
    }
    if detail.all && !item.related.is_empty() {
        let related: Vec<&str> = item.related.iter().map(icr_memory::RecordId::as_str).collect();
        write_faint(output, "  ", &format!("related: {}", related.join(", ")))?;
    }
    if let (true, Some(excerpt)) = (detail.all, &item.raw_excerpt) {
        excerpt.lines().try_for_each(|line| write_faint(output, "  | ", line))?;
    }
    Ok(())
}

/// Writes a less important line in a faint style, wrapped if it is too long, each part after `indent`.
pub(super) fn write_faint(output: &mut Output, indent: &str, line: &str) -> std::io::Result<()> {
    let parts = wrapped(line, LINE_COLUMNS - indent.len());
    parts.iter().try_for_each(|part| output.line(output.styled(Style::Faint, format_args!("{indent}{part}"))))
}

/// Writes the code that a memory is about; a change since it was stored is highlighted.
fn write_place(output: &mut Output, place: &PlaceItem) -> std::io::Result<()> {
    let (place, state, now) = place_parts(place);
    let line = format_place_parts(&place, state, &now);
    let warning = line.len() - state.len() - now.len()..line.len() - now.len();
    for part in wrapped_ranges(&line, LINE_COLUMNS - 2) {
        let within = |at: usize| at.clamp(part.start, part.end);
        let (from, to) = (within(warning.start), within(warning.end));
        let styled = |style, range: std::ops::Range<usize>| match &line[range] {
            "" => String::new(),
            text => output.styled(style, text),
        };
        let (before, after) = (styled(Style::Faint, part.start..from), styled(Style::Faint, to..part.end));
        let warning = styled(Style::Warning, from..to);
        output.line(format_args!("  {before}{warning}{after}"))?;
    }
    Ok(())
}

/// Note on the number of hidden memories, worded for whether others were shown; `None` if none are hidden.
pub(super) fn absent_code_note(hidden: usize, is_known: bool) -> Option<String> {
    let shows = format!("`--set recall.cross_branch=true` shows {}", if hidden == 1 { "it" } else { "them" });
    let count = count_text(hidden as u64, "memory", "memories");
    let note = match (hidden, is_known) {
        (0, _) => return None,
        (_, false) => format!("what is remembered about this is about code that this branch lacks: {count}; {shows}"),
        (1, true) => format!("{count} is about code that this branch lacks; {shows}"),
        (_, true) => format!("{count} are about code that this branch lacks; {shows}"),
    };
    Some(note)
}

/// Memories as TOON: a header with the columns, and a row for each memory. If the code of one is no longer as it was, there
/// is a column for what has become of it.
pub(super) fn toon(items: &[MemoryItem]) -> String {
    let has_scores = !items.is_empty() && items.iter().all(|item| item.score.is_some());
    let has_altered = items.iter().any(|item| altered_place(item).is_some());
    let columns = if has_scores { "score,id" } else { "id" };
    let code = if has_altered { ",code" } else { "" };
    let mut text = format!("memories[{}]{{{columns},topic,importance,weight{code},summary}}:\n", items.len());
    for item in items {
        let score = item.score.filter(|_| has_scores).map(|score| format!("{score:.3},")).unwrap_or_default();
        let (topic, summary) = (cell(&item.topic), cell(&item.summary));
        let code = altered_place(item).map(place_line).unwrap_or_default();
        let code = if has_altered { format!(",{}", cell(&code)) } else { String::new() };
        text.push_str(&format!(
            "  {score}{},{topic},{},{:.3}{code},{summary}\n",
            item.id,
            item.importance.name(),
            item.weight
        ));
    }
    text
}

/// A value in a row, quoted if it could be taken for several values.
fn cell(value: &str) -> String {
    let is_plain = |letter: char| !matches!(letter, ',' | '"' | ':' | '\\') && !letter.is_control();
    match !value.is_empty() && value.trim() == value && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => serde_json::Value::from(value).to_string(),
    }
}

/// Memories as TOML, a table each.
pub(super) fn toml(items: &[MemoryItem]) -> anyhow::Result<String> {
    #[derive(serde::Serialize)]
    struct Document<'a> {
        memories: &'a [MemoryItem],
    }
    Ok(toml::to_string(&Document { memories: items })?)
}

/// The code of the memory that is no longer as it was: what is gone before what has changed, and that before what has only
/// moved.
pub(super) fn altered_place(item: &MemoryItem) -> Option<&PlaceItem> {
    let in_state = |state| item.code.iter().find(move |place| place.state.as_ref() == Some(&state));
    [PlaceState::Absent, PlaceState::Changed, PlaceState::Moved].into_iter().find_map(in_state)
}

/// The code that a memory is about, and what has become of it.
pub(super) fn place_line(place: &PlaceItem) -> String {
    let (place, state, now) = place_parts(place);
    format_place_parts(&place, state, &now)
}

fn format_place_parts(place: &str, state: &str, now: &str) -> String {
    if state.is_empty() { place.to_owned() } else { format!("{place}  {state}{now}") }
}

/// Three texts: the place; how it differs from when it was stored, empty if it does not or that is unknown; and what it
/// is now.
fn place_parts(place: &PlaceItem) -> (String, &'static str, String) {
    let name = place.symbol.as_ref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
    let state = match place.state {
        Some(PlaceState::Moved) => "moved",
        Some(PlaceState::Changed) => "changed since",
        Some(PlaceState::Absent) => "not in this view",
        Some(PlaceState::Same | PlaceState::Unknown) | None => "",
    };
    let now = place.now.as_ref().filter(|_| matches!(place.state, Some(PlaceState::Moved | PlaceState::Changed)));
    let now = now.map(|now| format!(", now {now}")).unwrap_or_default();
    (format!("about {}{name}", place.path), state, now)
}

/// How long ago the time `at` was, in words.
pub(super) fn age(at: Moment, now: UnixMillis) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let seconds = now.to_moment().0.saturating_sub(at.0);
    let ago = |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match seconds {
        ..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => ago(seconds / MINUTE, "minute"),
        HOUR..DAY => ago(seconds / HOUR, "hour"),
        _ => ago(seconds / DAY, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_whole_unit() {
        for (seconds, text) in
            [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7_200, "2 hours ago"), (86_400, "1 day ago")]
        {
            assert_eq!(age(Moment(0), UnixMillis(seconds * 1_000)), text);
        }
    }

    #[test]
    fn a_value_of_a_row_stays_in_its_row() {
        for (value, text) in
            [("plain words", "plain words"), ("a, b", "\"a, b\""), ("two\nlines", "\"two\\nlines\""), ("", "\"\"")]
        {
            assert_eq!(cell(value), text);
        }
    }
}
