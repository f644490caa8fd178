//! Checks of requests to `/mcp` before the MCP service reads them.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use icr_model::too_many_json_values;
use serde_json::{Value, json};

use crate::answer::{json_response, refusal_response};

/// The answer, with status 400, to a body that is not an MCP message.
pub(crate) type RefusalOf = fn(&[u8]) -> Option<String>;

/// The first revision without a handshake. Revisions are dates, so comparing them as texts is right.
const FIRST_WITHOUT_HANDSHAKE: &str = "2026-07-28";

/// What JSON-RPC 2.0 calls "method not found".
const METHOD_NOT_FOUND: i64 = -32601;

/// Longest message, in bytes, as on pipes.
const BODY_BYTES_MOST: usize = 16 << 20;

/// Time limit for receiving a message.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// Passes messages on, with two exceptions. An unreadable body is answered with a JSON-RPC error and only costs its
/// scan. A handshake from a client that names a revision without one gets status 404, as that revision demands
/// ("Streamable HTTP", methods that are not implemented).
pub(crate) async fn check(State(refusal_of): State<RefusalOf>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let reading = tokio::time::timeout(BODY_WITHIN, to_bytes(body, BODY_BYTES_MOST));
    let Ok(Ok(bytes)) = reading.await else {
        let message = format!("a message has at most {BODY_BYTES_MOST} bytes, and is there within {BODY_WITHIN:?}");
        return refusal_response(StatusCode::PAYLOAD_TOO_LARGE, "VALIDATION_ERROR", &message, "send less at once");
    };
    if let Some(id) = handshake_of_newer_client(&parts.headers, &bytes) {
        let error = json!({ "code": METHOD_NOT_FOUND, "message": "this revision of the protocol has no `initialize`" });
        let refusal = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        return json_response(StatusCode::NOT_FOUND, refusal.to_string());
    }
    if let Some(refusal) = refusal_of(&bytes) {
        return json_response(StatusCode::BAD_REQUEST, refusal);
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

/// The id of a request for `initialize` although its revision has no handshake.
fn handshake_of_newer_client(headers: &HeaderMap, body: &[u8]) -> Option<Value> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_newer = header("mcp-method") == Some("initialize")
        && header("mcp-protocol-version").is_some_and(|revision| revision >= FIRST_WITHOUT_HANDSHAKE);
    if !is_newer || too_many_json_values(body).is_some() {
        return None;
    }
    let message: Value = serde_json::from_slice(body).ok()?;
    let id = message.get("id").filter(|id| id.is_string() || id.is_number())?;
    (message.get("method")? == "initialize").then(|| id.clone())
}
