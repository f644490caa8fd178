//! Access control. Every request is checked before it is handled.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::Credentials;
use crate::answer::refusal_response;
use crate::connections::Trust;

/// Header of the page's requests that change something. A page of another origin cannot send it without a CORS
/// preflight, which is refused.
const OWN_REQUEST: HeaderName = HeaderName::from_static("x-icr");

/// Content security policy: pages of this server may only load their own files and send requests to their own server.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every response.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// The rules that requests are checked by.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Valid values of `Host`.
    hosts: Vec<String>,
    /// Valid values of `Origin`.
    origins: Vec<String>,
    cookie: String,
    credentials: Arc<Credentials>,
}

/// The credential of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Credential {
    Token,
    Session,
    Nothing,
}

impl Guard {
    /// For a server that listens on `address`.
    pub(crate) fn new(address: SocketAddr, credentials: Arc<Credentials>) -> Self {
        let port = address.port();
        let names = [address.ip().to_string(), "localhost".to_owned()].map(|name| match name.contains(':') {
            true => format!("[{name}]:{port}"),
            false => format!("{name}:{port}"),
        });
        let mut hosts: Vec<String> = names.to_vec();
        // Browsers omit port 80.
        if port == 80 {
            hosts.extend(names.iter().map(|name| name.trim_end_matches(":80").to_owned()));
        }
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        // Cookies are shared between ports, so each server needs its own cookie name.
        Self { hosts, origins, cookie: format!("icr-{port}"), credentials }
    }

    /// The session cookie.
    pub(crate) fn cookie_of(&self, session: &str) -> String {
        format!("{}={session}; Path=/; HttpOnly; SameSite=Strict", self.cookie)
    }

    /// # Errors
    ///
    /// The response to a request that is refused.
    #[expect(clippy::result_large_err, reason = "the response is sent as it is")]
    fn check(&self, request: &Request) -> Result<Credential, Response> {
        let headers = request.headers();
        self.check_host(headers)?;
        self.check_origin(headers)?;
        let path = request.uri().path();
        let shown = self.presented_credential(headers);
        if is_public(path) {
            return Ok(shown);
        }
        match shown {
            Credential::Token => Ok(shown),
            Credential::Session if path.starts_with("/mcp") => Err(unauthorized("an agent's client shows the token")),
            Credential::Session => {
                let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
                match changes && !headers.contains_key(OWN_REQUEST) {
                    true => Err(refusal_response(
                        StatusCode::FORBIDDEN,
                        "NOT_FROM_THE_PAGE",
                        "a request that changes something has to say that it comes from the page",
                        "the page sends the header `X-Icr: 1`; programs show the token instead",
                    )),
                    false => Ok(shown),
                }
            }
            Credential::Nothing => Err(unauthorized("the request has neither the token nor a session")),
        }
    }

    /// Refuses other host names: a hostile site can point its own name to this machine (DNS rebinding).
    #[expect(clippy::result_large_err, reason = "the response is sent as it is")]
    fn check_host(&self, headers: &HeaderMap) -> Result<(), Response> {
        let mut given = headers.get_all(header::HOST).iter();
        let (host, more) = (given.next().and_then(|host| host.to_str().ok()), given.next());
        let is_own = host.is_some_and(|host| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)));
        if is_own && more.is_none() {
            return Ok(());
        }
        Err(refusal_response(
            StatusCode::FORBIDDEN,
            "WRONG_HOST",
            "the request is for another host",
            &format!("ask `http://{}`", self.hosts[0]),
        ))
    }

    /// Refuses requests from pages of other sites, also of other servers on this machine.
    #[expect(clippy::result_large_err, reason = "the response is sent as it is")]
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Response> {
        let origins_are_own = headers.get_all(header::ORIGIN).iter().all(|origin| {
            let origin = origin.to_str().unwrap_or_default();
            self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin))
        });
        // Requests from the address bar or a bookmark have `none`.
        let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
        let site_is_own = matches!(site, None | Some(b"same-origin" | b"none"));
        if origins_are_own && site_is_own {
            return Ok(());
        }
        Err(refusal_response(
            StatusCode::FORBIDDEN,
            "WRONG_ORIGIN",
            "the request comes from a page of another site",
            "open the page of this server itself",
        ))
    }

    fn presented_credential(&self, headers: &HeaderMap) -> Credential {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if let Some(value) = bearer {
            // A wrong token is refused even if there is a valid cookie.
            let token = value.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            let is_token = token.is_some_and(|(_, token)| self.credentials.is_token(token.trim()));
            return if is_token { Credential::Token } else { Credential::Nothing };
        }
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        match pairs.any(|(name, value)| name == self.cookie && self.credentials.is_session(value)) {
            true => Credential::Session,
            false => Credential::Nothing,
        }
    }
}

/// Checks a request and handles or refuses it. Adds the common headers to the response.
pub(crate) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let trust = request.extensions().get::<Trust>().cloned();
    let mut response = match guard.check(&request) {
        Ok(shown) => {
            if let (Some(trust), true) = (trust, shown != Credential::Nothing) {
                trust.earn();
            }
            next.run(request).await
        }
        Err(refusal) => refusal,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether the path is public on this machine: the files of the page, which contain nothing about repositories, and the
/// health check.
fn is_public(path: &str) -> bool {
    !(path.starts_with("/api/") || path.starts_with("/mcp")) || path == "/api/health"
}

fn unauthorized(message: &str) -> Response {
    let hint = "programs send `Authorization: Bearer TOKEN`, with what the file `http-token` in the home of icr holds; \
                people open the link that `icr serve --http` prints, which works once";
    let mut response = refusal_response(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message, hint);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}
