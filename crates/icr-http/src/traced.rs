//! The trace of a question: the question, the answer, the time.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header;
use icr_serve::schema::JsonObject;
use icr_serve::{CallFailure, Code, ShownPlaces, task_of};
use icr_traces::{CallInput, CallKind, CallOutcome, CallRecord, Door};
use serde_json::Value;

use crate::answer::estimated_tokens;
use crate::questions::{QuestionEndpoint, ServerState, Verb};

/// Most characters kept of a client's name: browsers send very long ones.
const CLIENT_CHARACTERS_MOST: usize = 60;

/// Name that the client gave itself.
pub(crate) fn client_of(request: &Request) -> Option<String> {
    let name = request.headers().get(header::USER_AGENT)?.to_str().ok()?;
    Some(name.chars().take(CLIENT_CHARACTERS_MOST).collect())
}

/// A running question. Dropping it before it ends records it as cancelled.
pub(crate) struct QuestionTrace {
    begun: Option<(CallRecord, Instant)>,
    server: Arc<ServerState>,
    /// The argument that names the repository.
    named: Option<String>,
}

impl QuestionTrace {
    pub(crate) fn begin(
        server: &Arc<ServerState>,
        question: &QuestionEndpoint,
        client: Option<String>,
        arguments: &JsonObject,
    ) -> Self {
        let settings = &server.settings;
        // The page polls these questions.
        let is_told = question.kind != CallKind::Other || question.verb != Verb::Get;
        let begun = (is_told && settings.recorder.is_on()).then(|| {
            let mut call = CallRecord::new(Door::Http, question.kind, question.path, (settings.clock)());
            call.task = task_of(arguments);
            call.client = client;
            call.input = CallInput::new(&Value::Object(arguments.clone()));
            (call, Instant::now())
        });
        let named = arguments.get("repo").and_then(Value::as_str).map(str::to_owned);
        Self { begun, server: Arc::clone(server), named }
    }

    /// Records `call`. If there is no answer, the repository is the one that is open already; nothing is opened or
    /// written to find it.
    fn record(&self, mut call: CallRecord) {
        let settings = &self.server.settings;
        if call.repo_id.is_none() {
            let place = self.named.as_deref().map(|named| self.server.directory_of(named)).transpose();
            let open = place.ok().and_then(|place| settings.workshop.repositories().find_open(place.as_deref()));
            call.repo_id = open.map(|repository| repository.engine().repo_id().to_owned());
        }
        settings.recorder.record(call);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.begun.is_some()
    }

    /// Records an answer.
    pub(crate) fn end(mut self, shown: Option<(ShownPlaces, Vec<String>, Option<String>)>, text: &str) {
        let Some((mut call, began)) = self.begun.take() else { return };
        call.duration = began.elapsed();
        if let Some((shown, gaps, repo_id)) = shown {
            (call.returned, call.impact, call.gaps, call.repo_id) = (shown.returned, shown.impact, gaps, repo_id);
        }
        call.output_bytes = text.len() as u64;
        call.output_tokens = u64::from(estimated_tokens(text.as_bytes()));
        call.outcome = if call.gaps.is_empty() { CallOutcome::Ok } else { CallOutcome::Gap };
        self.record(call);
    }

    /// Records that the question got no answer.
    pub(crate) fn fail(mut self, failure: &CallFailure) {
        let Some((mut call, began)) = self.begun.take() else { return };
        call.duration = began.elapsed();
        call.outcome = match failure.code {
            Code::Timeout => CallOutcome::Timeout,
            code => CallOutcome::Error(code.name().to_owned()),
        };
        self.record(call);
    }
}

impl Drop for QuestionTrace {
    fn drop(&mut self) {
        if let Some((mut call, began)) = self.begun.take() {
            call.duration = began.elapsed();
            call.outcome = CallOutcome::Cancelled;
            self.record(call);
        }
    }
}
