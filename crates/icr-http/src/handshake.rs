//! The handshake that newer revisions of the protocol no longer have, and that is still there for older ones.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::{Value, json};

use crate::answer::json_response;

/// The first revision without a handshake. Revisions are dates, whose order is that of texts.
const FIRST_WITHOUT: &str = "2026-07-28";

/// What JSON-RPC 2.0 calls "method not found".
const METHOD_NOT_FOUND: i64 = -32601;

/// Most bytes that are read of a request that is refused, for its id.
const BYTES_READ: usize = 64 << 10;

/// Passes requests on, but for the handshake of a client that says it speaks a revision that has none: that revision asks for 404
/// ("Streamable HTTP", methods that are not implemented).
pub(crate) async fn refuse_handshake(request: Request, next: Next) -> Response {
    if !is_of_newer_client(request.headers()) {
        return next.run(request).await;
    }
    let body = to_bytes(request.into_body(), BYTES_READ).await.unwrap_or_default();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let error = json!({ "code": METHOD_NOT_FOUND, "message": "this revision of the protocol has no `initialize`" });
    let refusal = json!({ "jsonrpc": "2.0", "id": message.get("id"), "error": error });
    json_response(StatusCode::NOT_FOUND, refusal.to_string())
}

/// Whether the method is `initialize` in a revision without.
fn is_of_newer_client(headers: &HeaderMap) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    header("mcp-method") == Some("initialize")
        && header("mcp-protocol-version").is_some_and(|revision| revision >= FIRST_WITHOUT)
}
