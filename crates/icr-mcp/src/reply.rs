//! What a tool answers, and the envelope that clients get it in.

use std::time::Duration;

use icr_engine::Provenance;
use icr_model::model_tokens;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::{Code, Failure};
use crate::quirks::Quirks;
use crate::settings::Settings;
use crate::size::{Cut, cut_lines, shrink, tokens_of};

/// Model tokens kept for what stands around the data: the envelope, and what it says was cut.
const FRAME_TOKENS: u32 = 400;

/// What a tool answers.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// What was asked for; in a reply with a text, what is known about that.
    data: JsonObject,
    /// Markdown, for tools that show code: no client has to read code through the escapes of JSON.
    text: Option<String>,
    /// What the answer cost besides time and tokens.
    metadata: JsonObject,
    provenance: Option<Provenance>,
    /// What was left out and how to get it, and what else is to be known, a sentence each.
    notices: Vec<String>,
    /// Something was left out.
    is_cut: bool,
    /// Model tokens that were asked for, where somebody did.
    budget: Option<u32>,
}

impl Reply {
    /// An answer that is a list or a record.
    pub(crate) fn of(data: &impl Serialize) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::new(Code::InternalError, format!("the answer cannot be written: {what}"));
        match serde_json::to_value(data) {
            Ok(Value::Object(data)) => Ok(Self::of_object(data)),
            Ok(other) => Err(wrong(format!("{other} is no object"))),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// As [`Reply::of`], of what is JSON already.
    pub(crate) fn of_object(data: JsonObject) -> Self {
        Self { data, ..Self::default() }
    }

    /// With one more field of the data.
    pub(crate) fn and(mut self, name: &str, value: Value) -> Self {
        self.data.insert(name.to_owned(), value);
        self
    }

    /// An answer that is text, with what is known about it.
    pub(crate) fn text(text: String, data: &impl Serialize) -> Result<Self, Failure> {
        Ok(Self { text: Some(text), ..Self::of(data)? })
    }

    /// With where it comes from.
    pub(crate) fn from(self, provenance: Provenance) -> Self {
        Self { provenance: Some(provenance), ..self }
    }

    /// With something about how it came about.
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

    /// With sentences about what is to be known besides.
    pub(crate) fn noting(mut self, notices: impl IntoIterator<Item = String>) -> Self {
        self.notices.extend(notices);
        self
    }

    /// Within a budget that the caller named, whatever is usual.
    pub(crate) fn within(self, tokens: u32) -> Self {
        Self { budget: Some(tokens), ..self }
    }

    /// As clients get it. Never more than the hard limit of model tokens.
    pub(crate) fn render(mut self, settings: &Settings, quirks: Quirks, elapsed: Duration) -> CallToolResult {
        let limits = &settings.limits;
        let soft = self.budget.unwrap_or(limits.soft_tokens).min(limits.hard_tokens);
        match self.text.take() {
            Some(text) => {
                let text = self.markdown(&text, soft, limits.hard_tokens);
                let envelope = self.envelope(settings, model_tokens(text.as_bytes()), elapsed);
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = quirks.shows_text.then_some(envelope);
                result
            }
            None => {
                let mut data = Value::Object(std::mem::take(&mut self.data));
                let cuts = shrink(&mut data, soft.saturating_sub(FRAME_TOKENS));
                self = self.cutting(cuts.iter().map(Cut::text));
                let tokens = tokens_of(&data);
                if let Value::Object(data) = data {
                    self.data = data;
                }
                let mut envelope = self.envelope(settings, tokens, elapsed);
                // What tells of gaps may be long itself.
                shrink(&mut envelope, limits.hard_tokens);
                structured(envelope, false)
            }
        }
    }

    fn envelope(self, settings: &Settings, tokens: u32, elapsed: Duration) -> Value {
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
        let mut envelope = json!({ "success": true, "data": self.data, "metadata": metadata });
        if let Some(provenance) = self.provenance {
            envelope["provenance"] = match settings.compact {
                true => json!({ "tree": provenance.tree, "dirty": provenance.dirty, "gaps": provenance.gaps }),
                false => json!(provenance),
            };
        }
        envelope
    }

    /// The text within its bounds, with a last line that says what it lacks.
    fn markdown(&mut self, text: &str, soft: u32, hard: u32) -> String {
        let (cut, shown, total) = cut_lines(text, soft);
        if cut.len() < text.len() {
            self.is_cut = true;
            self.notices.push(format!("cut after {shown} of {total} lines; ask for fewer lines at once"));
        }
        let gaps = self.provenance.iter().flat_map(|provenance| &provenance.gaps).map(ToString::to_string);
        let lacking: Vec<String> = self.notices.iter().cloned().chain(gaps).collect();
        let fence = open_fence(cut).map(|fence| format!("{}{fence}\n", line_end(cut))).unwrap_or_default();
        let mut whole = format!("{cut}{fence}");
        if !lacking.is_empty() {
            whole = format!("{whole}{}\n> note: {}\n", line_end(&whole), lacking.join("; "));
        }
        if model_tokens(whole.as_bytes()) > hard {
            let (shorter, ..) = cut_lines(&whole, hard);
            return shorter.to_owned();
        }
        whole
    }
}

/// What a call gets that was not answered.
pub(crate) fn failed(failure: &Failure, settings: &Settings) -> CallToolResult {
    let mut envelope = failure.envelope();
    shrink(&mut envelope, settings.limits.hard_tokens);
    structured(envelope, true)
}

/// The same as structure and as text, for clients that know only one of them.
fn structured(envelope: Value, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(envelope.to_string())];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(envelope);
    result
}

/// A block of code: its place, and its lines between fences that it does not hold itself.
pub(crate) fn fenced(path: &str, start_line: u32, end_line: u32, language: &str, code: &str) -> String {
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{path}:{start_line}-{end_line}\n{fence}{language}\n{code}{}{fence}\n", line_end(code))
}

fn line_end(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') { "" } else { "\n" }
}

/// The fence that a text leaves open.
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
