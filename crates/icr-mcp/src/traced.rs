//! The trace of a call: the question, the answer, the time.

use std::time::{Duration, Instant};

use icr_serve::{Code, Repositories, ShownPlaces, task_of};
use icr_tokens::model_tokens;
use icr_traces::{CallInput, CallOutcome, CallRecord};
use rmcp::model::CallToolResult;
use serde_json::Value;

use crate::reply::Reply;
use crate::settings::Settings;
use crate::work::ToolCall;

/// An answer with the data for its trace.
pub(crate) struct TracedReply {
    pub(crate) result: CallToolResult,
    pub(crate) traced: Option<TracedAnswer>,
}

/// Data about the answer for the trace of the call.
pub(crate) struct TracedAnswer {
    shown: ShownPlaces,
    gaps: Vec<String>,
    repo_id: Option<String>,
}

impl TracedReply {
    /// The result for clients.
    pub(crate) fn of(reply: Reply, settings: &Settings, elapsed: Duration) -> Self {
        let traced = settings.tracing.recorder.is_on().then(|| {
            let (shown, gaps) = reply.trace_part();
            TracedAnswer { shown, gaps, repo_id: reply.repo_id().map(str::to_owned) }
        });
        Self { result: reply.render(settings, elapsed), traced }
    }

    /// An answer that shows nothing.
    pub(crate) fn without_trace(result: CallToolResult) -> Self {
        Self { result, traced: None }
    }
}

/// A running call. Dropping it before it ends records it as cancelled.
pub(crate) struct CallTrace<'a> {
    begun: Option<(CallRecord, Instant)>,
    settings: &'a Settings,
    repositories: &'a Repositories,
    /// The argument that names the repository.
    named: Option<String>,
}

impl<'a> CallTrace<'a> {
    pub(crate) fn begin(settings: &'a Settings, repositories: &'a Repositories, asked: &ToolCall) -> Self {
        let tracing = &settings.tracing;
        let begun = tracing.recorder.is_on().then(|| {
            let mut call = CallRecord::new(tracing.door, asked.tool.call_kind(), asked.tool.name, (settings.clock)());
            call.task = task_of(&asked.arguments);
            call.client.clone_from(&asked.client);
            call.session = match &asked.connection {
                Some(connection) => Some(format!("{}-{connection}", tracing.session)),
                None => Some(tracing.session.clone()).filter(|session| !session.is_empty()),
            };
            call.input = CallInput::new(&Value::Object(asked.arguments.clone()));
            (call, Instant::now())
        });
        let named = asked.arguments.get("repo_root").and_then(Value::as_str).map(str::to_owned);
        Self { begun, settings, repositories, named }
    }

    /// Records `call`. If there is no answer, the repository is the one that is open already; nothing is opened or
    /// written to find it.
    fn record(&self, mut call: CallRecord) {
        if call.repo_id.is_none() {
            let open = self.repositories.find_open(self.named.as_deref());
            call.repo_id = open.map(|repository| repository.engine().repo_id().to_owned());
        }
        self.settings.tracing.recorder.record(call);
    }

    /// Records the call. `failure` is set if it was not answered.
    pub(crate) fn end(mut self, failure: Option<Code>, result: &CallToolResult, answer: Option<TracedAnswer>) {
        let Some((mut call, began)) = self.begun.take() else { return };
        call.duration = began.elapsed();
        let texts = result.content.iter().filter_map(|content| content.as_text());
        for text in texts {
            call.output_bytes += text.text.len() as u64;
            call.output_tokens += u64::from(model_tokens(text.text.as_bytes()));
        }
        if let Some(answer) = answer {
            (call.returned, call.impact) = (answer.shown.returned, answer.shown.impact);
            (call.gaps, call.repo_id) = (answer.gaps, answer.repo_id);
        }
        call.outcome = match failure {
            Some(Code::Timeout) => CallOutcome::Timeout,
            Some(code) => CallOutcome::Error(code.name().to_owned()),
            None if call.gaps.is_empty() => CallOutcome::Ok,
            None => CallOutcome::Gap,
        };
        self.record(call);
    }
}

impl Drop for CallTrace<'_> {
    fn drop(&mut self) {
        if let Some((mut call, began)) = self.begun.take() {
            call.duration = began.elapsed();
            call.outcome = CallOutcome::Cancelled;
            self.record(call);
        }
    }
}
