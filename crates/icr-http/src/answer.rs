//! Answers in JSON: data with its provenance, or why there is no answer.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use icr_model::{Gap, Provenance};
use icr_serve::{CallFailure, Code, InterfaceWords, ShownPlaces, gap_names};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Seconds after which a refused caller may retry.
const RETRY_AFTER_SECONDS: &str = "2";

/// Words of requests in failures.
const WORDS_OF_REQUESTS: InterfaceWords = InterfaceWords {
    repository: "repo",
    permission: "with `POST /api/repos`",
    index_first: "`POST /api/index` indexes it",
    list_files: "`/api/map` lists what is there",
    list_pins: "a person can list them with `icr pins`",
    take_pins_away: "a person can take some away with `icr unpin`",
    messages: &[("the commands of the project (`icr commands`)", "the commands of the project")],
};

/// The answer to a question.
#[derive(Debug, Default)]
pub(crate) struct JsonAnswer {
    fields: Map<String, Value>,
    provenance: Option<Provenance>,
    /// Credentials are not masked: the caller asked for a file as it is.
    is_exact: bool,
}

impl JsonAnswer {
    /// An answer from a value that serialises to a JSON object.
    ///
    /// # Errors
    ///
    /// If it is not an object, which is a bug.
    pub(crate) fn of(data: &impl Serialize) -> Result<Self, CallFailure> {
        match serde_json::to_value(data) {
            Ok(Value::Object(fields)) => Ok(Self { fields, ..Self::default() }),
            other => Err(CallFailure::new(Code::InternalError, format!("the answer is not an object: {other:?}"))),
        }
    }

    /// Adds the provenance and further gaps.
    pub(crate) fn from(self, provenance: &Provenance, gaps: &[Gap]) -> Self {
        Self { provenance: Some(provenance.with_gaps(gaps)), ..self }
    }

    /// Turns off the masking of credentials.
    pub(crate) fn exact(self) -> Self {
        Self { is_exact: true, ..self }
    }

    /// The part of the trace that concerns the answer: the lines that it shows, the names of its gaps, and the
    /// repository.
    pub(crate) fn trace_part(&self) -> (ShownPlaces, Vec<String>, Option<String>) {
        let gaps = self.provenance.as_ref().map(|provenance| gap_names(&provenance.gaps)).unwrap_or_default();
        let repo_id = self.provenance.as_ref().map(|provenance| provenance.repo_id.clone());
        (ShownPlaces::of_fields(&self.fields, estimated_tokens), gaps, repo_id)
    }

    /// The answer as JSON text; credentials are masked if `masks`.
    pub(crate) fn into_json(mut self, masks: bool) -> String {
        let mut value = Value::Object(std::mem::take(&mut self.fields));
        let credentials = if masks && !self.is_exact { icr_secrets::mask_texts(&mut value) } else { 0 };
        if let (Value::Object(fields), Some(mut provenance)) = (&mut value, self.provenance) {
            provenance.gaps.extend((credentials > 0).then_some(Gap::Masked { credentials }));
            fields.insert("provenance".to_owned(), json!(provenance));
        }
        value.to_string()
    }
}

/// A failure as JSON: `{"code", "message", "hints", …}`.
pub(crate) fn failure_json(failure: CallFailure) -> Value {
    let CallFailure { code, message, mut details, .. } = failure.in_words(&WORDS_OF_REQUESTS);
    let engine_code = details.shift_remove("engine_code");
    let mut error = Map::new();
    error.insert("code".to_owned(), engine_code.unwrap_or_else(|| json!(code.name())));
    error.insert("message".to_owned(), json!(message));
    error.insert("hints".to_owned(), details.shift_remove("hints").unwrap_or_else(|| json!([])));
    error.extend(details);
    let mut error = Value::Object(error);
    // A name that may be meant is a name of the repository.
    icr_secrets::mask_texts(&mut error);
    error
}

/// A failure as `{"error": …}`, as [`failure_json`] writes it, with the matching HTTP status.
pub(crate) fn failed(failure: CallFailure) -> Response {
    let (code, status) = (failure.code, status_of(failure.code));
    let mut response = json_response(status, json!({ "error": failure_json(failure) }).to_string());
    if matches!(code, Code::RateLimited | Code::ServiceUnavailable) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
    }
    response
}

/// A refusal before the request is handled.
pub(crate) fn refusal_response(status: StatusCode, code: &str, message: &str, hint: &str) -> Response {
    json_response(status, json!({ "error": { "code": code, "message": message, "hints": [hint] } }).to_string())
}

/// Estimated model tokens of `text`: code has about four bytes a token. An exact count takes a millisecond for an
/// answer, and the users of this interface do not pay by tokens; agents use another one.
pub(crate) fn estimated_tokens(text: &[u8]) -> u32 {
    u32::try_from(text.len().div_ceil(4)).unwrap_or(u32::MAX)
}

/// JSON as a response.
pub(crate) fn json_response(status: StatusCode, text: String) -> Response {
    let kind: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, text).into_response()
}

fn status_of(code: Code) -> StatusCode {
    match code {
        Code::ValidationError => StatusCode::BAD_REQUEST,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Timeout => StatusCode::GATEWAY_TIMEOUT,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        Code::ServiceUnavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_speak_of_requests_and_not_of_command_lines() {
        for error in icr_engine::errors_naming_commands() {
            let failure = CallFailure::from(error).in_words(&WORDS_OF_REQUESTS);
            assert_eq!(failure.command_line_words(), Vec::<String>::new());
        }
        let said = |error: icr_engine::Error| failure_json(CallFailure::from(error)).to_string();
        assert!(!said(icr_engine::Error::NoVectors).contains("--"));
    }
}
