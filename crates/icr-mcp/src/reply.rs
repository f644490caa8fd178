//! What a tool answers, and how clients get it: a record in an envelope, or code as text.

use std::borrow::Cow;
use std::time::Duration;

use icr_engine::{Gap, Provenance};
use icr_serve::{ShownPlaces, gap_names};
use icr_tokens::model_tokens;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde_json::{Value, json};

use crate::settings::Settings;
use crate::truncation::{AnswerTruncation, cut_lines, shrink, tokens_of};
use icr_serve::{CallFailure, Code, InterfaceWords};

/// Model tokens reserved for the envelope around the data, and for its notices of cuts.
const FRAME_TOKENS: u32 = 400;

/// Model tokens reserved for the end of a fence, and for the extra tokens of two texts that are joined.
const FENCE_TOKENS: u32 = 10;

/// Model tokens by which the last line may grow when the text above it is made shorter.
const LAST_LINE_SPARE: u32 = 12;

/// Attempts to get an answer within a budget. The second attempt was over the budget for one budget in a few hundred,
/// the third for none.
const ANSWERS_TRIED: u32 = 4;

/// Digits shown of a tree or commit id; git shows as many in a large repository.
pub(crate) const ID_DIGITS: usize = 12;

/// Words of tool calls in failures.
pub(crate) const WORDS_OF_TOOLS: InterfaceWords = InterfaceWords {
    repository: "repo_root",
    permission: "with `icr mcp --root`",
    index_first: "a person can run `icr index` there",
    list_files: "project_map lists what is there",
    list_pins: "memory_list lists them",
    take_pins_away: "memory_unpin takes some away; memory_list with `filter_type` `stale` lists those out of date",
    messages: &[("(`icr commands`)", "(project_commands)")],
};

/// The format of a tool's answer; it is the same for every client.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReplyFormat {
    /// Markdown only, with a last line about the answer. Used for code: no model has to read it through JSON escapes.
    /// Some clients pass structured content to their model instead of the text, so there is none.
    Text,
    /// An envelope, as structured content and the same as text; with the schema of its data if clients get one.
    Record(Option<fn() -> JsonObject>),
}

/// The reply of a tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    /// The data.
    body: Body,
    /// Metadata about the effort, besides time and tokens.
    metadata: JsonObject,
    provenance: Option<Provenance>,
    /// Notices, one sentence each: what was left out and how to get it, and other remarks.
    notices: Vec<String>,
    /// Whether something was left out.
    is_cut: bool,
    /// Budget of model tokens, if the caller gave one.
    budget: Option<u32>,
    /// Credentials are not masked: the caller asked for a file as it is.
    is_exact: bool,
    /// Lines of files that a text shows.
    shown: ShownPlaces,
}

/// The data.
#[derive(Debug, Clone)]
enum Body {
    Record(JsonObject),
    /// Markdown, and facts about it in a few words: `9 lines`, `mode pack`.
    Text {
        text: String,
        facts: Vec<String>,
    },
}

impl Default for Body {
    fn default() -> Self {
        Self::Record(JsonObject::new())
    }
}

impl Reply {
    /// An answer that is a list or a record.
    pub(crate) fn of(data: &impl Serialize) -> Result<Self, CallFailure> {
        let wrong =
            |what: String| CallFailure::new(Code::InternalError, format!("the answer cannot be written: {what}"));
        match serde_json::to_value(data) {
            Ok(Value::Object(data)) => Ok(Self::of_object(data)),
            Ok(other) => Err(wrong(format!("{other} is not an object"))),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// As [`Reply::of`], for data that is already JSON.
    pub(crate) fn of_object(data: JsonObject) -> Self {
        Self { body: Body::Record(data), ..Self::default() }
    }

    /// Adds a field to the data.
    pub(crate) fn and(mut self, name: &str, value: Value) -> Self {
        if let Body::Record(data) = &mut self.body {
            data.insert(name.to_owned(), value);
        }
        self
    }

    /// A reply that is text.
    pub(crate) fn text(text: String) -> Self {
        Self { body: Body::Text { text, facts: Vec::new() }, ..Self::default() }
    }

    /// Adds a fact about the text, in a few words.
    pub(crate) fn fact(mut self, fact: impl Into<String>) -> Self {
        if let Body::Text { facts, .. } = &mut self.body {
            facts.push(fact.into());
        }
        self
    }

    /// Adds the lines of files that the text shows. A record reply lists them itself.
    pub(crate) fn showing(self, shown: ShownPlaces) -> Self {
        Self { shown, ..self }
    }

    /// The part of the trace that concerns the reply: the lines that it shows, and the names of its gaps.
    pub(crate) fn trace_part(&self) -> (ShownPlaces, Vec<String>) {
        let shown = match &self.body {
            Body::Record(data) => ShownPlaces::of_fields(data, model_tokens),
            Body::Text { .. } => self.shown.clone(),
        };
        let gaps = self.provenance.as_ref().map(|provenance| gap_names(&provenance.gaps));
        (shown, gaps.unwrap_or_default())
    }

    /// Id of the repository that it is about.
    pub(crate) fn repo_id(&self) -> Option<&str> {
        self.provenance.as_ref().map(|provenance| provenance.repo_id.as_str())
    }

    /// Adds the provenance.
    pub(crate) fn from(self, provenance: Provenance) -> Self {
        Self { provenance: Some(provenance), ..self }
    }

    /// Adds a metadata field.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.to_owned(), value.into());
        self
    }

    /// With a sentence about each thing that is left out.
    pub(crate) fn cutting(mut self, cuts: impl IntoIterator<Item = String>) -> Self {
        let told = self.notices.len();
        self.notices.extend(cuts);
        self.is_cut |= self.notices.len() > told;
        self
    }

    /// Adds other notices.
    pub(crate) fn noting(mut self, notices: impl IntoIterator<Item = String>) -> Self {
        self.notices.extend(notices);
        self
    }

    /// Sets a budget that the caller gave; it replaces the usual one.
    pub(crate) fn with_budget(self, tokens: u32) -> Self {
        Self { budget: Some(tokens), ..self }
    }

    /// Turns off the masking of credentials.
    pub(crate) fn exact(self) -> Self {
        Self { is_exact: true, ..self }
    }

    /// Masks credentials, unless that is turned off, and notes how many there were. Masks from an earlier call are not
    /// masked again.
    pub(crate) fn masked(mut self, settings: &Settings) -> Self {
        if !settings.mask_credentials || self.is_exact {
            return self;
        }
        // A notice may name what may be meant, which is a name of the repository.
        for notice in &mut self.notices {
            let masked = icr_secrets::mask_tokens(notice);
            if let Cow::Owned(shown) = masked.text {
                *notice = shown;
            }
        }
        let credentials = match &mut self.body {
            Body::Record(data) => data.values_mut().map(icr_secrets::mask_texts).sum(),
            Body::Text { text, .. } => {
                let masked = icr_secrets::mask_tokens(text);
                let credentials = masked.credentials;
                if let Cow::Owned(shown) = masked.text {
                    *text = shown;
                }
                credentials
            }
        };
        if credentials > 0 {
            let gap = Gap::Masked { credentials };
            match &mut self.provenance {
                Some(provenance) => provenance.gaps.push(gap),
                None => self.notices.push(gap.to_string()),
            }
        }
        self
    }

    /// Model tokens of a text with its last line, before anything is cut.
    pub(crate) fn tokens(&self, settings: &Settings) -> u32 {
        let Body::Text { text, facts } = &self.body else { return 0 };
        let facts = if settings.compact { &[][..] } else { facts };
        model_tokens(finish_cut_text(text, &self.last_line(facts, None)).as_bytes())
    }

    /// The text that `answer` gives under `budget` tokens, or under as many less as its last line costs, so that both are within
    /// the budget.
    ///
    /// # Errors
    ///
    /// The errors of `answer`.
    pub(crate) fn within_budget(
        settings: &Settings,
        budget: u32,
        mut answer: impl FnMut(u32) -> Result<Self, CallFailure>,
    ) -> Result<Self, CallFailure> {
        let mut given = budget;
        let mut reply = answer(given)?.masked(settings);
        for _ in 1..ANSWERS_TRIED {
            let over = reply.tokens(settings).saturating_sub(budget);
            if over == 0 {
                break;
            }
            // The last line of a smaller answer may be a little longer. It never takes more than half of the budget.
            given = given.saturating_sub(over + LAST_LINE_SPARE).max(budget / 2);
            reply = answer(given)?.masked(settings);
        }
        Ok(reply)
    }

    /// The result for clients. It never exceeds the hard limit of model tokens.
    pub(crate) fn render(mut self, settings: &Settings, elapsed: Duration) -> CallToolResult {
        let limits = &settings.limits;
        let soft = self.budget.unwrap_or(limits.soft_tokens).min(limits.hard_tokens);
        match std::mem::take(&mut self.body) {
            Body::Text { text, facts } => {
                let facts = if settings.compact { Vec::new() } else { facts };
                CallToolResult::success(vec![ContentBlock::text(self.markdown(
                    &text,
                    &facts,
                    soft,
                    limits.hard_tokens,
                ))])
            }
            Body::Record(data) => {
                let mut data = Value::Object(data);
                round_numbers(&mut data);
                let cuts = shrink(&mut data, soft.saturating_sub(FRAME_TOKENS));
                self = self.cutting(cuts.iter().map(AnswerTruncation::text));
                let tokens = tokens_of(&data);
                let mut envelope = self.envelope(data, settings, tokens, elapsed);
                // What tells of gaps may be long itself.
                shrink(&mut envelope, limits.hard_tokens);
                record(envelope, false)
            }
        }
    }

    fn envelope(self, data: Value, settings: &Settings, tokens: u32, elapsed: Duration) -> Value {
        let mut metadata = JsonObject::new();
        metadata.insert("duration_ms".to_owned(), json!(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)));
        metadata.insert("tokens_used".to_owned(), json!(tokens));
        if !settings.compact {
            metadata.extend(self.metadata);
        }
        if self.is_cut {
            metadata.insert("truncated".to_owned(), json!(true));
        }
        if !self.notices.is_empty() {
            metadata.insert("notices".to_owned(), json!(self.notices));
        }
        let mut envelope = json!({ "success": true, "data": data, "metadata": metadata });
        if let Some(mut provenance) = self.provenance {
            for id in [&mut provenance.tree, &mut provenance.commit].into_iter().flatten() {
                id.truncate(ID_DIGITS);
            }
            envelope["provenance"] = match settings.compact {
                true => json!({ "tree": provenance.tree, "dirty": provenance.dirty, "gaps": provenance.gaps }),
                false => json!(provenance),
            };
        }
        envelope
    }

    /// The text within its bounds, with a last line about it.
    fn markdown(&self, text: &str, facts: &[String], soft: u32, hard: u32) -> String {
        let (shown, lines, total) = cut_lines(text, soft);
        let last = self.last_line(facts, (lines < total).then_some((lines, total)));
        let whole = finish_cut_text(shown, &last);
        if model_tokens(whole.as_bytes()) <= hard {
            return whole;
        }
        // At the hard limit the text is cut, but not the line about it.
        let last = self.last_line(facts, Some((total, total)));
        let room = hard.saturating_sub(model_tokens(last.as_bytes()) + FENCE_TOKENS);
        let (shown, lines, total) = cut_lines(text, room);
        let whole = finish_cut_text(shown, &self.last_line(facts, Some((lines, total))));
        cut_lines(&whole, hard).0.to_owned()
    }

    /// The last line of a text: provenance, facts, what was left out, and gaps. Empty if there is nothing to say.
    fn last_line(&self, facts: &[String], cut: Option<(usize, usize)>) -> String {
        let tree = self.provenance.iter().map(|provenance| {
            let id = provenance.tree.as_deref().map(|tree| tree.get(..ID_DIGITS).unwrap_or(tree));
            let tree = id.map_or_else(|| "no commit".to_owned(), |id| format!("tree {id}"));
            match provenance.dirty {
                0 => tree,
                dirty => format!("{tree} with {}", format_count(dirty, "uncommitted file")),
            }
        });
        let cut = cut.map(|(shown, total)| format!("cut after {shown} of {total} lines; ask for fewer lines at once"));
        let gaps = self.provenance.iter().flat_map(|provenance| &provenance.gaps).map(ToString::to_string);
        let lacking: Vec<String> = self.notices.iter().cloned().chain(cut).chain(gaps).collect();
        let lacking = (!lacking.is_empty()).then(|| format!("note: {}", lacking.join("; ")));
        let parts: Vec<String> = tree.chain(facts.iter().cloned()).chain(lacking).collect();
        if parts.is_empty() { String::new() } else { format!("> {}\n", parts.join("; ")) }
    }
}

/// A text that was cut at any place: closes its fence and adds a last line.
fn finish_cut_text(text: &str, last: &str) -> String {
    let fence = open_fence(text).map(|fence| format!("{}{fence}\n", line_end(text))).unwrap_or_default();
    let text = format!("{text}{fence}");
    if last.is_empty() { text } else { format!("{text}{}\n{last}", line_end(&text)) }
}

/// Rounds every number with a fraction to three digits: more mean nothing and cost tokens.
fn round_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().and_then(|number| format!("{number:.2e}").parse::<f64>().ok());
            if let Some(rounded) = rounded.and_then(serde_json::Number::from_f64) {
                *number = rounded;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round_numbers),
        Value::Object(fields) => fields.values_mut().for_each(round_numbers),
        _ => {}
    }
}

/// The result of a failed call, in the format of its tool.
pub(crate) fn failed(failure: CallFailure, form: ReplyFormat, settings: &Settings) -> CallToolResult {
    let CallFailure { code, message, details, .. } = failure.in_words(&WORDS_OF_TOOLS);
    let error = json!({ "code": code.name(), "message": message, "details": details });
    let mut envelope = json!({ "success": false, "error": error });
    if settings.mask_credentials {
        // A name that may be meant is a name of the repository.
        icr_secrets::mask_texts(&mut envelope);
    }
    shrink(&mut envelope, settings.limits.hard_tokens);
    match form {
        ReplyFormat::Text => CallToolResult::error(vec![ContentBlock::text(envelope.to_string())]),
        ReplyFormat::Record(_) => record(envelope, true),
    }
}

/// The same as structure and as text, for clients that know only one of them.
fn record(envelope: Value, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(envelope.to_string())];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(envelope);
    result
}

/// Name of an enum value in answers.
pub(crate) fn word(value: &impl Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}

/// `1 line`, `9 lines`.
pub(crate) fn format_count(count: impl Into<u64>, noun: &str) -> String {
    let count: u64 = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A code block: its path and lines, then the code in a fence that does not occur in it. An empty file has no line
/// numbers.
pub(crate) fn fenced(path: &str, start_line: u32, end_line: u32, language: &str, code: &str) -> String {
    let lines = if end_line == 0 { String::new() } else { format!(":{start_line}-{end_line}") };
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{path}{lines}\n{fence}{language}\n{code}{}{fence}\n", line_end(code))
}

fn line_end(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') { "" } else { "\n" }
}

/// The fence that is still open at the end of a text.
fn open_fence(text: &str) -> Option<&str> {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            None if ticks.len() >= 3 => open = Some(ticks),
            Some(fence) if ticks == fence && line == fence => open = None,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_fraction_have_three_digits() {
        let mut value =
            json!({"a": [0.4303820741520194, 5.169230769, 1.0, 0.000123456, 123456.7], "b": 123456, "c": -0.55555});
        round_numbers(&mut value);
        assert_eq!(value, json!({"a": [0.43, 5.17, 1.0, 0.000123, 123000.0], "b": 123456, "c": -0.556}));
    }

    #[test]
    fn a_block_names_its_lines_where_it_has_any() {
        assert_eq!(fenced("a.rs", 1, 2, "rust", "a\nb"), "a.rs:1-2\n```rust\na\nb\n```\n");
        assert_eq!(fenced("a.rs", 1, 1, "rust", "```"), "a.rs:1-1\n````rust\n```\n````\n");
        assert_eq!(fenced("empty.rs", 0, 0, "rust", ""), "empty.rs\n```rust\n```\n");
    }

    #[test]
    fn failures_speak_of_tools_and_not_of_command_lines() {
        for error in icr_engine::errors_naming_commands() {
            let failure = CallFailure::from(error).in_words(&WORDS_OF_TOOLS);
            assert_eq!(failure.command_line_words(), Vec::<String>::new());
        }
    }
}
