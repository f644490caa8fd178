//! How other machines are reached: settings that every request has.

use std::sync::Arc;
use std::time::Duration;

use ureq::config::ConfigBuilder;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::{Agent, Proxy, Timeout};

use super::Address;

/// Time for a connection to be made; what takes longer is not there.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Settings for requests to `address`: certificates are judged as this machine's own programs judge them, proxies are those
/// of the environment (`ALL_PROXY`, `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) except to this machine itself, and a status
/// that tells of an error is an answer like others.
pub(crate) fn settings(address: &Address) -> ConfigBuilder<AgentScope> {
    let cryptography = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
    let proxy = if address.is_loopback() { None } else { Proxy::try_from_env() };
    Agent::config_builder()
        .tls_config(tls.unversioned_rustls_crypto_provider(cryptography).build())
        .proxy(proxy)
        .https_only(!address.is_plain())
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT_LIMIT))
        .user_agent(concat!("icr/", env!("CARGO_PKG_VERSION")))
}

/// Why no answer came, in words that hold no address, since one may hold a key; and whether asking again may help.
pub(crate) fn reason_of(error: &ureq::Error) -> (String, bool) {
    use std::io::ErrorKind::{ConnectionRefused, UnexpectedEof};
    match error {
        ureq::Error::Io(error) if error.kind() == ConnectionRefused => ("nothing answers there".to_owned(), true),
        ureq::Error::Io(error) if error.kind() == UnexpectedEof => {
            ("the connection ended before the answer did".to_owned(), true)
        }
        ureq::Error::Io(error) => (format!("the connection failed: {error}"), true),
        ureq::Error::Protocol(error) => (format!("it does not speak HTTP as it should: {error}"), true),
        ureq::Error::Timeout(Timeout::Connect) => ("no connection was made in time".to_owned(), false),
        ureq::Error::Timeout(_) => ("it did not answer in time".to_owned(), false),
        ureq::Error::HostNotFound => ("its name is not known; is the network there?".to_owned(), false),
        ureq::Error::Rustls(error) => (format!("its certificate or encryption was refused: {error}"), false),
        ureq::Error::Tls(error) => (format!("its certificate or encryption was refused: {error}"), false),
        ureq::Error::TooManyRedirects => ("it leads in circles".to_owned(), false),
        ureq::Error::RequireHttpsOnly(_) => ("it leads to a place without encryption".to_owned(), false),
        ureq::Error::ConnectProxyFailed(_) => {
            ("the proxy that the environment names gave no way there".to_owned(), false)
        }
        ureq::Error::BodyExceedsLimit(bytes) => (format!("its answer is longer than {bytes} bytes"), false),
        _ => ("it could not be asked".to_owned(), false),
    }
}
