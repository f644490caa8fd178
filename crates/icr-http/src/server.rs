//! Listens and routes requests.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_service::Service;

use crate::answer::refusal_response;
use crate::credentials::Credentials;
use crate::guard::{Guard, guard};
use crate::questions::{self, ServerState};
use crate::settings::Settings;
use crate::token_file::{TokenError, token_of, token_path};
use crate::{connections, index_events, openapi, page, protocol};

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not one of this machine's own.
    #[error("`{0}` can be reached from other machines; icr listens on 127.0.0.1 and [::1] only")]
    NotLoopback(SocketAddr),
    /// Another process already listens there.
    #[error("something else listens on {0} already")]
    Taken(SocketAddr),
    /// Listening on the address failed.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The system gives no random bytes.
    #[error("no secret can be made: {0}")]
    Random(#[source] io::Error),
}

/// A server that listens and does not answer yet.
#[derive(Debug)]
pub struct Server {
    settings: Settings,
    listener: TcpListener,
    address: SocketAddr,
    credentials: Arc<Credentials>,
}

impl Server {
    /// Listens on the address of `settings`. Reads the token, or makes one.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn bind(settings: Settings) -> Result<Self, Error> {
        let address = settings.address;
        if !address.ip().is_loopback() {
            return Err(Error::NotLoopback(address));
        }
        let listener = TcpListener::bind(address).map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => Error::Taken(address),
            _ => Error::Listen { address, source },
        })?;
        let failed = |source| Error::Listen { address, source };
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let credentials = Arc::new(Credentials::new(&token_of(&settings.home)?));
        Ok(Self { settings, listener, address, credentials })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Path of the token file.
    pub fn token_path(&self) -> std::path::PathBuf {
        token_path(&self.settings.home)
    }

    /// A link to the page, which works once, within five minutes.
    ///
    /// # Errors
    ///
    /// [`Error::Random`].
    pub fn link(&self) -> Result<String, Error> {
        let code = self.credentials.new_code().map_err(Error::Random)?;
        Ok(format!("http://{}/?code={code}", self.address))
    }

    /// Answers until `stop`, with `mcp` at `/mcp`; then ends within 3 s.
    ///
    /// Needs a tokio runtime with time and the system's events, whose threads for blocking work have
    /// [`icr_serve::STACK_BYTES`] of stack.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`].
    pub async fn serve<M>(self, mcp: M, stop: impl Future<Output = ()>) -> Result<(), Error>
    where
        M: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        M::Response: IntoResponse,
        M::Future: Send + 'static,
    {
        let address = self.address;
        let listener =
            tokio::net::TcpListener::from_std(self.listener).map_err(|source| Error::Listen { address, source })?;
        let watching = Arc::new(Guard::new(address, Arc::clone(&self.credentials)));
        let refusal_of = self.settings.refusal_of;
        let server = Arc::new(ServerState::new(self.settings, address, self.credentials));
        let checked = axum::middleware::from_fn_with_state(refusal_of, protocol::check);
        let router = Router::new()
            .merge(page::routes(Arc::clone(&watching), Arc::clone(&server)))
            .route("/api/openapi.json", get(openapi::describe))
            .merge(questions::routes(Arc::clone(&server)))
            .merge(index_events::routes(server))
            .merge(Router::new().route_service("/mcp", mcp).layer(checked))
            .fallback(nothing_here)
            .method_not_allowed_fallback(other_method)
            .layer(axum::middleware::from_fn_with_state(watching, guard));
        connections::serve(listener, router, stop).await;
        Ok(())
    }
}

async fn nothing_here(request: Request<Body>) -> Response {
    let path: String = request.uri().path().chars().take(100).collect();
    let hint = "`/api/openapi.json` describes what can be asked";
    refusal_response(StatusCode::NOT_FOUND, "NOT_FOUND", &format!("there is nothing at `{path}`"), hint)
}

async fn other_method(request: Request<Body>) -> Response {
    let message = format!("`{}` is not allowed here", request.method());
    refusal_response(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        &message,
        "`/api/openapi.json` says what can",
    )
}
