//! MCP over HTTP: the endpoint that an HTTP server mounts.

use std::sync::Arc;
use std::time::Duration;

use icr_serve::{SharedMemory, Workshop};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::message::message_of;
use crate::server::Server;
use crate::settings::Settings;

/// Idle time after which a session of an older revision ends: a user who reads an answer over lunch can continue in the
/// same one.
const SESSION_IDLE: Duration = Duration::from_secs(60 * 60);

/// Largest request body, in bytes: the same as the longest line on standard input.
const BODY_BYTES_MOST: usize = crate::lines::LINE_BYTES_MOST;

/// The endpoint of the protocol over HTTP ("streamable HTTP"), in all of its revisions; a `tower` service that is cheap
/// to clone.
pub type Endpoint = StreamableHttpService<Server, LocalSessionManager>;

/// An endpoint with the same tools as [`crate::serve`]. It runs calls in `workshop` and uses `memory`; other interfaces
/// may share both.
///
/// The server that mounts it must check the caller, the host and the origin. Sessions end with `until`, or after an
/// idle hour.
pub fn endpoint(settings: Settings, workshop: Arc<Workshop>, memory: Arc<SharedMemory>) -> Endpoint {
    let server = Server::sharing(settings, workshop, memory);
    let mut sessions = LocalSessionManager::default();
    let mut session_config = SessionConfig::default();
    session_config.keep_alive = Some(SESSION_IDLE);
    sessions.session_config = session_config;
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(BODY_BYTES_MOST);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config)
}

/// The JSON to answer with status 400 if a body is not a readable message. `None` if it is one, or if `rmcp` refuses it
/// itself. As on pipes, the number of JSON values in the body is checked before it is parsed.
pub fn refusal_of(body: &[u8]) -> Option<String> {
    message_of(body).err().map(|refusal| refusal.message())
}
