//! `env_slice`: the text of one definition.

use icr_engine::{ReadRequest, SliceRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::paths::relative;
use crate::reply::{Reply, fenced, format_count, word};
use crate::truncation::cut_lines;
use icr_serve::{CallFailure, ShownPlaces, Violation};

/// Most model tokens of a slice: a long function. For more, a caller asks for lines.
const SLICE_TOKENS: u32 = 1_200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EnvSliceInput {
    path: String,
    /// `name` or `Class.name`
    #[schemars(length(max = 256))]
    symbol: Option<String>,
    #[schemars(range(min = 1))]
    start_line: Option<u64>,
    #[schemars(range(min = 1))]
    end_line: Option<u64>,
    #[serde(default = "context_lines")]
    #[schemars(range(min = 0, max = 20))]
    context_lines: u32,
}

fn context_lines() -> u32 {
    3
}

pub(crate) fn run(call: &CallContext<'_>, input: EnvSliceInput) -> Result<Reply, CallFailure> {
    let symbol = input.symbol.as_deref().filter(|symbol| !symbol.trim().is_empty());
    match (symbol, input.start_line) {
        (Some(symbol), _) => definition(call, &input, symbol),
        (None, Some(start_line)) => lines(call, &input, line(start_line)),
        (None, None) => Err(CallFailure::validation(Violation {
            field: "symbol",
            constraint: "symbol_or_lines",
            value: &Value::Null,
            allowed: json!("the name of a definition; or `start_line`, and `end_line` where it is more than one line"),
            problem: "is missing, and so is `start_line`: one of them says what to show".to_owned(),
        })),
    }
}

fn definition(call: &CallContext<'_>, input: &EnvSliceInput, symbol: &str) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let path = relative(repository.root(), "path", &input.path)?;
    let request = SliceRequest { path, symbol: symbol.to_owned(), context_lines: input.context_lines };
    let (slice, provenance) = call.ask(&repository, |snapshot| icr_engine::slice(snapshot, &request))?;
    let shown = SliceExcerpt { before: &slice.context_before, content: &slice.content, after: &slice.context_after };
    let (text, end_line) = shown.text(&slice.path, slice.start_line);
    let also: Vec<String> = slice.also_at.iter().map(|lines| format!("{}-{}", lines.start, lines.end)).collect();
    let definition =
        format!("{} {} at lines {}-{}", word(&slice.symbol_type), slice.symbol, slice.start_line, slice.end_line);
    let also = (!also.is_empty()).then(|| format!("`{}` is also defined at lines {}", slice.symbol, also.join(", ")));
    let ignored = input.start_line.is_some() || input.end_line.is_some();
    let ignored = ignored.then(|| "a symbol was named, so `start_line` and `end_line` were not used".to_owned());
    let cut = cut_note(end_line, slice.end_line);
    let places = ShownPlaces::default().and(&slice.path, slice.start_line, end_line, &slice.content);
    let reply = Reply::text(text).exact().fact(definition).from(provenance).showing(places);
    Ok(reply.cutting(cut).noting(slice.inherited_note().into_iter().chain(also).chain(ignored)))
}

/// A line number; one above `u32::MAX` is beyond the end of any file.
fn line(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn lines(call: &CallContext<'_>, input: &EnvSliceInput, start_line: u32) -> Result<Reply, CallFailure> {
    let end_line = input.end_line.map_or(start_line, line);
    if end_line < start_line {
        return Err(CallFailure::ends_before(start_line, end_line));
    }
    let repository = call.repository()?;
    let path = relative(repository.root(), "path", &input.path)?;
    let context = input.context_lines;
    let part = |start_line: u32, end_line: u32| ReadRequest {
        path: path.clone(),
        start_line: Some(start_line),
        end_line: Some(end_line),
        max_lines: u32::MAX,
    };
    let ((excerpt, before, after), provenance) = call.ask(&repository, |snapshot| {
        let excerpt = icr_engine::read(snapshot, &part(start_line, end_line))?;
        let first = start_line.saturating_sub(context).max(1);
        let before = if first < start_line {
            icr_engine::read(snapshot, &part(first, start_line - 1))?.content
        } else {
            String::new()
        };
        let has_after = context > 0 && excerpt.end_line < excerpt.total_file_lines;
        let last = excerpt.end_line.saturating_add(context);
        let after = if has_after {
            icr_engine::read(snapshot, &part(excerpt.end_line + 1, last))?.content
        } else {
            String::new()
        };
        Ok((excerpt, before, after))
    })?;
    let shown = SliceExcerpt { before: &before, content: &excerpt.content, after: &after };
    let (text, shown_end) = shown.text(&excerpt.path, excerpt.start_line);
    let lines = format!("{} in the file", format_count(excerpt.total_file_lines, "line"));
    let places = ShownPlaces::default().and(&excerpt.path, excerpt.start_line, shown_end, &excerpt.content);
    let reply = Reply::text(text).exact().fact(lines).from(provenance).showing(places);
    Ok(reply.cutting(cut_note(shown_end, excerpt.end_line)))
}

/// What is shown of a file.
struct SliceExcerpt<'a> {
    before: &'a str,
    content: &'a str,
    after: &'a str,
}

impl SliceExcerpt<'_> {
    /// The fenced lines, and the number of the last line of the content that is in them.
    fn text(&self, path: &str, start_line: u32) -> (String, u32) {
        let (content, lines, total) = cut_lines(self.content, SLICE_TOKENS);
        let count = |text: &str| u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let is_whole = lines == total;
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        let content_end = (start_line + lines).saturating_sub(1);
        let after = if is_whole { self.after } else { "" };
        let first = start_line.saturating_sub(count(self.before));
        let last = content_end + count(after);
        let code = format!("{}{content}{after}", self.before);
        (fenced(path, first, last, icr_engine::language_of(path), &code), content_end)
    }
}

fn cut_note(shown_end: u32, end_line: u32) -> Option<String> {
    (shown_end < end_line).then(|| {
        format!(
            "cut at {SLICE_TOKENS} tokens; env_peek shows the rest from `start_line` {} to {end_line}",
            shown_end + 1
        )
    })
}
