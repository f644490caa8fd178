//! The protocol over HTTP: the endpoint that a door for HTTP mounts.

use std::sync::Arc;
use std::time::Duration;

use icr_serve::{SharedMemory, Workshop};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::message::message_of;
use crate::server::Server;
use crate::settings::Settings;

/// How long a session of an older revision may be idle: a person who reads an answer over lunch goes on in the same one.
const SESSION_IDLE: Duration = Duration::from_secs(60 * 60);

/// Longest body of a request, in bytes: as much as a line may have on standard input.
const BODY_BYTES_MOST: usize = crate::lines::LINE_BYTES_MOST;

/// The endpoint of the protocol over HTTP ("streamable HTTP"), in all of its revisions; a `tower` service that is cheap to clone.
pub type Endpoint = StreamableHttpService<Server, LocalSessionManager>;

/// An endpoint that answers with the tools that [`crate::serve`] has. Calls work in `workshop` and ask `memory`, which other doors share.
///
/// Whoever mounts it checks who asks, from which host and from which origin. Sessions end with `until`, or after an idle hour.
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

/// What to answer, as JSON, to a body that is no message that can be read, with 400; `None` for one that is, or that `rmcp` refuses by itself. As on
/// pipes, how many values it has is counted before it is read.
pub fn refusal_of(body: &[u8]) -> Option<String> {
    message_of(body).err().map(|refusal| refusal.message())
}
