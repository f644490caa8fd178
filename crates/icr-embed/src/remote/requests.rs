//! Sends one request to a service and retries it if that may help.

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, Response, StatusCode, header};

use super::answer::{error_message, looks_like_a_page, terminal_excerpt};
use super::connection::{reason_of, settings};
use super::{Address, Clock, Secret};
use crate::Error;

/// Pause before the second attempt; it doubles with each further attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// Longest pause between attempts, unless the service asks for more.
const PAUSE_MAX: Duration = Duration::from_secs(8);

/// Longest pause that a service may ask for; limits per minute end within it.
const ASKED_PAUSE_MAX: Duration = Duration::from_secs(60);

/// Most bytes read of an answer: four times the size of 128 vectors of 4,096 numbers with 30 characters each.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// Most bytes read of an error answer.
const REFUSAL_BYTES_MAX: u64 = 64 << 10;

/// Time limit of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// All attempts with the pauses between them: someone is waiting.
    Whole(Duration),
    /// For each attempt.
    EachAttempt(Duration),
}

/// Sends requests to one address.
pub(super) struct Requests {
    agent: Agent,
    address: Address,
    key: Option<Secret>,
    retries: u32,
    clock: Arc<dyn Clock>,
}

/// Why an attempt failed.
struct RequestFailure {
    reason: String,
    /// Least pause before a retry; `None` if a retry never helps.
    again_after: Option<Duration>,
}

impl Requests {
    pub(super) fn new(address: Address, key: Option<Secret>, retries: u32, clock: Arc<dyn Clock>) -> Self {
        // Redirects are not followed, so that the key goes to the configured address only.
        let settings = settings(&address).max_redirects(0).max_redirects_will_error(false);
        Self { agent: settings.build().new_agent(), address, key, retries, clock }
    }

    /// Sends `body`, which is JSON, and returns the body of the answer.
    ///
    /// # Errors
    ///
    /// [`Error::Remote`] if no attempt succeeded within `limit`.
    pub(super) fn post(&self, body: &[u8], limit: Limit) -> Result<Vec<u8>, Error> {
        let begin = self.clock.now();
        let mut attempts = 0;
        loop {
            let spent = self.clock.now().saturating_sub(begin);
            let left = match limit {
                Limit::Whole(limit) => limit.saturating_sub(spent),
                Limit::EachAttempt(limit) => limit,
            };
            let failure = match self.attempt(body, left) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let Some(asked) = failure.again_after else { return Err(self.error(&failure.reason)) };
            attempts += 1;
            if attempts > self.retries {
                return Err(self.error(&format!("{} (asked {attempts} times)", failure.reason)));
            }
            let pause = asked.max(pause_after(attempts));
            if asked > ASKED_PAUSE_MAX {
                return Err(self.error(&format!("{}; it asks to wait for {} s", failure.reason, asked.as_secs())));
            }
            let spent = self.clock.now().saturating_sub(begin);
            if let Limit::Whole(limit) = limit
                && spent + pause >= limit
            {
                let seconds = limit.as_secs_f32();
                return Err(self.error(&format!("{}; {seconds} s leave no time to ask again", failure.reason)));
            }
            self.clock.pause(pause);
        }
    }

    /// An error about the address. The key is removed from it, since services repeat what they were sent.
    pub(super) fn error(&self, reason: &str) -> Error {
        let reason = self.key.as_ref().map_or_else(|| reason.to_owned(), |key| key.taken_out_of(reason));
        Error::Remote { address: self.address.to_string(), reason }
    }

    fn attempt(&self, body: &[u8], limit: Duration) -> Result<Vec<u8>, RequestFailure> {
        // Zero would mean no limit.
        let limit = limit.max(Duration::from_millis(1));
        let mut request = self.agent.post(self.address.uri()).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", key.reveal()));
        }
        let sent = request.config().timeout_global(Some(limit)).build().send(body);
        let failed = |error: ureq::Error| {
            let (reason, is_passing) = match error {
                ureq::Error::Timeout(_) => (format!("it did not answer within {} s", limit.as_secs_f32()), false),
                error => reason_of(&error, &self.agent, &self.address),
            };
            RequestFailure { reason, again_after: is_passing.then_some(Duration::ZERO) }
        };
        let mut response = sent.map_err(failed)?;
        let status = response.status();
        if !status.is_success() {
            let body = response.body_mut().with_config().limit(REFUSAL_BYTES_MAX).read_to_vec().unwrap_or_default();
            return Err(refusal(&response, &body));
        }
        response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec().map_err(failed)
    }
}

/// Pause after `attempts` failed attempts (1 or more), if the service asks for none.
fn pause_after(attempts: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << attempts.saturating_sub(1).min(8)).min(PAUSE_MAX)
}

/// What an HTTP error status means for the user.
fn refusal<T>(response: &Response<T>, body: &[u8]) -> RequestFailure {
    let (status, headers) = (response.status(), response.headers());
    let words = match serde_json::from_slice(body) {
        Ok(answer) => error_message(&answer),
        Err(_) if looks_like_a_page(body) => Some("a page of HTML".to_owned()),
        Err(_) => Some(terminal_excerpt(&String::from_utf8_lossy(body))).filter(|words| !words.is_empty()),
    };
    let words = words.map(|words| format!(", `{words}`")).unwrap_or_default();
    let advice = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "; is the API key set, and is it one of this service?",
        StatusCode::NOT_FOUND => "; are the address and the name of the model right?",
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::PAYLOAD_TOO_LARGE => {
            "; does the model read windows and batches of the configured size?"
        }
        _ => "",
    };
    let moved = headers.get(header::LOCATION).filter(|_| status.is_redirection());
    let reason = match moved.and_then(|to| to.to_str().ok()) {
        Some(to) => {
            let to = Address::parse(to).map_or_else(|_| "another place".to_owned(), |to| to.to_string());
            format!(
                "it answered {status} and leads to {to}, where nothing was sent; set the address to that if it is right"
            )
        }
        None => format!("it answered {status}{words}{advice}"),
    };
    let may_pass = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    RequestFailure { reason, again_after: may_pass.then(|| asked_pause(headers)) }
}

/// The seconds of `Retry-After`. Its other form, a date, is ignored.
fn asked_pause(headers: &HeaderMap) -> Duration {
    let seconds = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    seconds.map(Duration::from_secs).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit() {
        let pauses: Vec<u128> = (1..=7).map(|attempts| pause_after(attempts).as_millis()).collect();
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
        assert_eq!(pause_after(u32::MAX), PAUSE_MAX);
    }
}
