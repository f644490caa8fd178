//! The page: files that are part of the binary.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::header::{self, HeaderMap};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::answer::refusal_response;
use crate::guard::Guard;
use crate::questions::ServerState;

/// A file of the page.
struct PageFile {
    path: &'static str,
    kind: &'static str,
    content: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// Query parameters of the page.
#[derive(Debug, Deserialize)]
struct PageQuery {
    code: Option<String>,
}

type PageState = (Arc<Guard>, Arc<ServerState>);

/// Routes of the page's files, and of the link that starts a session.
pub(crate) fn routes(guard: Arc<Guard>, server: Arc<ServerState>) -> Router {
    let mut router = Router::new().route("/", get(enter).with_state((guard, server)));
    for file in FILES.iter().filter(|file| file.path != "/index.html") {
        router = router.route(file.path, get(send));
    }
    router
}

/// The page. With a valid code it first starts a session.
async fn enter(
    State((guard, server)): State<PageState>,
    Query(entry): Query<PageQuery>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    // Link previews and prefetching must not use up the code.
    let looks = method == Method::HEAD || headers.contains_key("sec-purpose");
    let Some(code) = entry.code.filter(|_| !looks) else { return page_file("/index.html", &headers) };
    match server.credentials.exchange(&code) {
        // Redirects, so that the code stays neither in the address bar nor in the history.
        Ok(Some(session)) => {
            let headers = [(header::SET_COOKIE, guard.cookie_of(&session)), (header::LOCATION, "/".to_owned())];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        // A used link leads to the page, which checks whether its session is still valid.
        Ok(None) => (StatusCode::SEE_OTHER, [(header::LOCATION, "/?link=used")]).into_response(),
        Err(error) => {
            tracing::warn!(%error, "no session can be made");
            refusal_response(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR", "no session can be made", "try again")
        }
    }
}

async fn send(uri: Uri, headers: HeaderMap) -> Response {
    page_file(uri.path(), &headers)
}

fn page_file(path: &str, headers: &HeaderMap) -> Response {
    let Some(file) = FILES.iter().find(|file| file.path == path) else {
        return refusal_response(StatusCode::NOT_FOUND, "NOT_FOUND", "there is no such file of the page", "open `/`");
    };
    let tag = tag_of(file.content);
    let fresh = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let about = [(header::ETAG, tag), (header::CACHE_CONTROL, "no-cache".to_owned())];
    match fresh {
        true => (StatusCode::NOT_MODIFIED, about).into_response(),
        false => (about, [(header::CONTENT_TYPE, file.kind)], file.content).into_response(),
    }
}

/// An entity tag, which changes with the content.
fn tag_of(content: &str) -> String {
    let digest = Sha256::digest(content.as_bytes());
    format!("\"{}\"", digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect::<String>())
}
