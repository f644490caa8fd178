//! Memories as people read them.

use icr_memory::{MemoryItem, PlaceItem, PlaceState};

use crate::output::{Output, Style};

/// Width that lines are broken at.
const WIDTH: usize = 80;

/// How much of a memory is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Detail {
    /// Also weight, accesses, source and what it is related to.
    pub(super) all: bool,
}

/// Writes a memory: a line about it, and its text below.
pub(super) fn write_item(output: &mut Output, item: &MemoryItem, now: i64, detail: Detail) -> std::io::Result<()> {
    let mut about = vec![item.importance.name().to_owned(), age(item.created_at.0, now)];
    if item.superseded_by.is_some() {
        about.push("archived".to_owned());
    }
    if detail.all {
        about.push(format!("weight {:.2}", item.weight));
        about.push(format!("recalled {} times", item.access_count));
        about.push(format!("by {} ({})", item.author.name(), item.source));
    }
    let topic = output.styled(Style::Name, &item.topic);
    let about = output.styled(Style::Faint, format_args!("{}  {}", about.join(", "), item.id));
    output.line(format_args!("{topic}  {about}"))?;
    for line in item.summary.lines() {
        for part in wrapped(line, WIDTH - 2) {
            output.line(format_args!("  {part}"))?;
        }
    }
    for place in &item.code {
        output.line(output.styled(Style::Faint, format_args!("  {}", place_line(place))))?;
    }
    if !item.keywords.is_empty() {
        output.line(output.styled(Style::Faint, format_args!("  keywords: {}", item.keywords.join(", "))))?;
    }
    if detail.all && !item.related.is_empty() {
        let related: Vec<&str> = item.related.iter().map(icr_memory::RecordId::as_str).collect();
        output.line(output.styled(Style::Faint, format_args!("  related: {}", related.join(", "))))?;
    }
    if let (true, Some(excerpt)) = (detail.all, &item.raw_excerpt) {
        for part in excerpt.lines().flat_map(|line| wrapped(line, WIDTH - 4)) {
            output.line(output.styled(Style::Faint, format_args!("  | {part}")))?;
        }
    }
    Ok(())
}

/// Memories as TOON: what the columns are, and a row each.
pub(super) fn toon(items: &[MemoryItem]) -> String {
    let has_scores = !items.is_empty() && items.iter().all(|item| item.score.is_some());
    let columns = if has_scores { "score,id" } else { "id" };
    let mut text = format!("memories[{}]{{{columns},topic,importance,weight,summary}}:\n", items.len());
    for item in items {
        let score = item.score.filter(|_| has_scores).map(|score| format!("{score:.3},")).unwrap_or_default();
        let (topic, summary) = (cell(&item.topic), cell(&item.summary));
        text.push_str(&format!(
            "  {score}{},{topic},{},{:.3},{summary}\n",
            item.id,
            item.importance.name(),
            item.weight
        ));
    }
    text
}

/// A value of a row, in quotes where it could be taken for more than one.
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

/// What a memory is about in code, and what has become of it.
pub(super) fn place_line(place: &PlaceItem) -> String {
    let name = place.symbol.as_ref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
    let state = match place.state {
        Some(PlaceState::Moved) => "  moved",
        Some(PlaceState::Changed) => "  changed since",
        Some(PlaceState::Absent) => "  not in this view",
        Some(PlaceState::Same | PlaceState::Unknown) | None => "",
    };
    let now = place.now.as_ref().filter(|_| matches!(place.state, Some(PlaceState::Moved | PlaceState::Changed)));
    let now = now.map(|now| format!(", now {now}")).unwrap_or_default();
    format!("about {}{name}{state}{now}", place.path)
}

/// How long ago a moment in seconds was, in words.
pub(super) fn age(at: i64, now_ms: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let seconds = now_ms.div_euclid(1_000).saturating_sub(at);
    let ago = |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match seconds {
        ..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => ago(seconds / MINUTE, "minute"),
        HOUR..DAY => ago(seconds / HOUR, "hour"),
        _ => ago(seconds / DAY, "day"),
    }
}

/// A line in parts of at most `width` characters, broken at spaces; a longer word stands alone.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut length = 0;
    for word in line.split(' ') {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > width {
            parts.push(String::new());
            length = 0;
        }
        let part = parts.last_mut().expect("there is always one");
        if length > 0 {
            part.push(' ');
            length += 1;
        }
        part.push_str(word);
        length += letters;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_whole_unit() {
        for (seconds, text) in
            [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7_200, "2 hours ago"), (86_400, "1 day ago")]
        {
            assert_eq!(age(0, seconds * 1_000), text);
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

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrapped("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrapped("abcdefgh ij", 5), ["abcdefgh", "ij"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("漢字 漢字", 4), ["漢字", "漢字"]);
    }
}
