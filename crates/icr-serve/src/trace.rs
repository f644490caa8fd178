//! Reads from the JSON of an answer what it showed, for the trace of the call.

use icr_model::Gap;
use icr_tokens::model_tokens;
use icr_traces::{ImpactAnswer, LIST_MOST, ReturnedSpan};
use serde_json::{Map, Value};

/// Fields of a place that hold its text.
const TEXTS: [&str; 5] = ["content", "content_preview", "preview", "signature", "text"];

/// Fields of an impact that list affected files.
const AFFECTED: [&str; 5] = ["direct_dependents", "transitive_dependents", "expected", "tests", "suggested_review"];

/// Most levels that are searched: answers are flat.
const DEPTH_MOST: usize = 6;

/// Arguments that show the intent of a call, the most telling first.
const TASKS: [&str; 7] = ["task", "goal", "prompt", "query", "symbol", "path", "range"];

/// The names of an answer's gaps.
pub fn gap_names(gaps: &[Gap]) -> Vec<String> {
    let name = |gap: &Gap| serde_json::to_value(gap).ok()?.get("gap")?.as_str().map(str::to_owned);
    gaps.iter().filter_map(name).collect()
}

/// The intent of a call, taken from its arguments.
pub fn task_of(arguments: &Map<String, Value>) -> Option<String> {
    TASKS.iter().find_map(|name| arguments.get(*name)?.as_str()).map(str::to_owned)
}

/// What an answer showed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShownPlaces {
    /// Lines of files that it showed.
    pub returned: Vec<ReturnedSpan>,
    /// The files that an impact named.
    pub impact: Option<ImpactAnswer>,
}

impl ShownPlaces {
    /// The places in an answer: objects with a `path`, a `start_line` and an `end_line`, and the files that an impact
    /// is about or names. At most [`LIST_MOST`] of each.
    pub fn of(answer: &Value) -> Self {
        answer.as_object().map_or_else(Self::default, |fields| Self::of_fields(fields, model_tokens))
    }

    /// As [`ShownPlaces::of`], of the fields of an answer; `tokens` counts those of a text.
    pub fn of_fields(answer: &Map<String, Value>, tokens: fn(&[u8]) -> u32) -> Self {
        let mut shown = Self { returned: Vec::new(), impact: impact_of(answer) };
        if let Some(sources) = of_pack(answer) {
            shown.returned = sources;
        } else if shown.impact.is_none() {
            // An impact shows only names of files.
            answer.values().for_each(|field| collect(field, tokens, DEPTH_MOST, &mut shown.returned));
        }
        shown
    }

    /// Adds lines of a file, whose shown text is `text`.
    pub fn and(mut self, path: &str, start_line: u32, end_line: u32, text: &str) -> Self {
        self.returned.push(span(path, start_line, end_line, model_tokens(text.as_bytes()), None));
        self
    }
}

/// The sources of a pack. Each gets a share of the pack's reported tokens, in proportion to its lines. `None` if the
/// answer is not a pack.
fn of_pack(answer: &Map<String, Value>) -> Option<Vec<ReturnedSpan>> {
    let all = answer.get("metadata")?.get("tokens_used")?.as_u64()?;
    let mut sources = Vec::new();
    collect(answer.get("sources")?, |_| 0, DEPTH_MOST, &mut sources);
    let lines = |span: &ReturnedSpan| u64::from(span.end_line.saturating_sub(span.start_line)) + 1;
    let lines_total = sources.iter().map(lines).sum::<u64>().max(1);
    for span in &mut sources {
        span.tokens = u32::try_from(all * lines(span) / lines_total).unwrap_or(u32::MAX);
    }
    Some(sources)
}

fn collect(value: &Value, tokens: fn(&[u8]) -> u32, depth: usize, spans: &mut Vec<ReturnedSpan>) {
    if depth == 0 || spans.len() >= LIST_MOST {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, tokens, depth - 1, spans)),
        Value::Object(fields) => match place_of(fields, tokens) {
            Some(place) => spans.push(place),
            None => fields.values().for_each(|field| collect(field, tokens, depth - 1, spans)),
        },
        _ => {}
    }
}

fn place_of(fields: &Map<String, Value>, tokens: fn(&[u8]) -> u32) -> Option<ReturnedSpan> {
    let line = |name: &str| fields.get(name)?.as_u64().and_then(|line| u32::try_from(line).ok());
    let path = fields.get("path")?.as_str()?;
    let (start, end) = (line("start_line")?, line("end_line")?);
    let counted = fields.get("tokens").and_then(Value::as_u64).and_then(|tokens| u32::try_from(tokens).ok());
    let shown = counted.unwrap_or_else(|| {
        let texts = TEXTS.iter().filter_map(|name| fields.get(*name)?.as_str());
        texts.map(|text| tokens(text.as_bytes())).sum::<u32>() + tokens(path.as_bytes())
    });
    let kind = ["type", "kind", "symbol_type"].iter().find_map(|name| fields.get(*name)?.as_str());
    Some(span(path, start, end, shown, kind))
}

fn span(path: &str, start_line: u32, end_line: u32, tokens: u32, kind: Option<&str>) -> ReturnedSpan {
    ReturnedSpan { path: path.to_owned(), start_line, end_line, tokens, symbol_kind: kind.map(str::to_owned) }
}

fn impact_of(answer: &Map<String, Value>) -> Option<ImpactAnswer> {
    let paths = |name: &str| -> Vec<String> {
        let items = answer.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| Some(item.get("path")?.as_str()?.to_owned())).collect()
    };
    if !(answer.contains_key("verdict") && answer.contains_key("changed")) {
        return None;
    }
    let mut predicted: Vec<String> = Vec::new();
    for path in AFFECTED.iter().flat_map(|name| paths(name)) {
        if predicted.len() < LIST_MOST && !predicted.contains(&path) {
            predicted.push(path);
        }
    }
    Some(ImpactAnswer { asked: paths("changed"), predicted })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_found_wherever_an_answer_has_them() {
        let answer = json!({
            "results": [
                {"path": "a.rs", "start_line": 1, "end_line": 9, "preview": "fn a() {}", "spans": [{"start_line": 2, "end_line": 3}]},
                {"path": "b.rs", "start_line": 4, "end_line": 4, "tokens": 7, "type": "function"},
                {"path": "no lines"},
            ],
            "definitions": {"one": {"path": "c.rs", "start_line": 5, "end_line": 6}},
            "total_count": 3,
        });
        let shown = ShownPlaces::of(&answer);
        let spans: Vec<String> = shown
            .returned
            .iter()
            .map(|span| format!("{}:{}-{} {:?}", span.path, span.start_line, span.end_line, span.symbol_kind))
            .collect();
        assert_eq!(spans, ["a.rs:1-9 None", "b.rs:4-4 Some(\"function\")", "c.rs:5-6 None"]);
        assert_eq!(shown.returned[1].tokens, 7);
        assert!(shown.returned[0].tokens > shown.returned[2].tokens);
        assert_eq!(shown.impact, None);
    }

    #[test]
    fn the_text_of_a_pack_is_what_its_sources_show() {
        let answer = json!({
            "metadata": {"tokens_used": 200},
            "sources": [{"path": "a.rs", "start_line": 1, "end_line": 30}, {"path": "b.rs", "start_line": 4, "end_line": 13}],
            "citations": [{"path": "a.rs", "start_line": 1, "end_line": 30}],
            "omitted": [{"path": "c.rs", "start_line": 1, "end_line": 9}],
        });
        let shown = ShownPlaces::of(&answer).returned;
        let paths: Vec<(&str, u32)> = shown.iter().map(|span| (span.path.as_str(), span.tokens)).collect();
        assert_eq!(paths, [("a.rs", 150), ("b.rs", 50)]);
    }

    #[test]
    fn an_impact_names_files_and_shows_no_lines() {
        let answer = json!({
            "verdict": "breaking", "changed": [{"path": "a.rs"}],
            "direct_dependents": [{"path": "b.rs", "start_line": 1, "end_line": 2}], "expected": [{"path": "b.rs"}, {"path": "c.rs"}],
        });
        let shown = ShownPlaces::of(&answer);
        let impact = shown.impact.expect("an impact");
        assert_eq!(
            (impact.asked, impact.predicted),
            (vec!["a.rs".to_owned()], vec!["b.rs".to_owned(), "c.rs".to_owned()])
        );
        assert!(shown.returned.is_empty());
    }
}
