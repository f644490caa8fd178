//! Connections to remote services: the settings of every request.

use std::sync::Arc;
use std::time::Duration;

use ureq::config::ConfigBuilder;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::{Agent, Proxy, Timeout};

use super::Address;

/// Longest wait for a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Settings for requests to `address`. Certificates are verified as the system's own programs do. Proxies come from the
/// environment (`ALL_PROXY`, `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`), except for addresses of this machine. An HTTP
/// error status is returned as an answer.
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

/// Why `agent` got no answer from `address`, and whether a retry may help. The text holds no address, since an address
/// may hold a key.
pub(crate) fn reason_of(error: &ureq::Error, agent: &Agent, address: &Address) -> (String, bool) {
    let (reason, may_pass) = reason_alone(error);
    let proxy = agent.config().proxy().filter(|proxy| !proxy.is_no_proxy(address.uri()));
    let through = if proxy.is_some() { ", through the proxy that the environment names" } else { "" };
    (format!("{reason}{through}"), may_pass)
}

fn reason_alone(error: &ureq::Error) -> (String, bool) {
    use std::io::ErrorKind::{ConnectionRefused, UnexpectedEof};
    let refused = |error: &rustls::Error| (format!("its certificate or encryption is not accepted: {error}"), false);
    match error {
        ureq::Error::Io(error) if error.kind() == ConnectionRefused => ("nothing answers there".to_owned(), true),
        ureq::Error::Io(error) if error.kind() == UnexpectedEof => {
            ("the connection ended before the answer did".to_owned(), true)
        }
        ureq::Error::Io(error) => match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(error) => refused(error),
            None => (format!("the connection failed: {error}"), true),
        },
        ureq::Error::Protocol(error) => (format!("it does not speak HTTP as it should: {error}"), true),
        ureq::Error::Timeout(Timeout::Connect) => ("no connection was made in time".to_owned(), false),
        ureq::Error::Timeout(_) => ("it did not answer in time".to_owned(), false),
        ureq::Error::HostNotFound => ("its name is not known; is the network there?".to_owned(), false),
        ureq::Error::Rustls(error) => refused(error),
        ureq::Error::TooManyRedirects => ("it leads in circles".to_owned(), false),
        ureq::Error::RequireHttpsOnly(_) => ("it leads to a place without encryption".to_owned(), false),
        ureq::Error::ConnectProxyFailed(_) => ("no connection was made".to_owned(), false),
        ureq::Error::BodyExceedsLimit(bytes) => (format!("its answer is longer than {bytes} bytes"), false),
        _ => ("it could not be asked".to_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: ureq::Error, expected: &str, may_pass: bool) {
        let address = Address::parse("https://models.example").expect("an address");
        let agent = settings(&address).proxy(None).build().new_agent();
        assert_eq!(reason_of(&error, &agent, &address), (expected.to_owned(), may_pass));
        let proxy = Proxy::new("http://ada:pass@proxy.example:8080").expect("a proxy");
        let agent = settings(&address).proxy(Some(proxy)).build().new_agent();
        let expected = format!("{expected}, through the proxy that the environment names");
        assert_eq!(reason_of(&error, &agent, &address), (expected, may_pass));
    }

    #[test]
    fn reasons_name_no_address() {
        let io = |kind, text: &str| ureq::Error::Io(std::io::Error::new(kind, text.to_owned()));
        use std::io::ErrorKind::{ConnectionRefused, ConnectionReset, InvalidData, UnexpectedEof};
        check(io(ConnectionRefused, "x"), "nothing answers there", true);
        check(io(ConnectionReset, "reset"), "the connection failed: reset", true);
        check(io(UnexpectedEof, "x"), "the connection ended before the answer did", true);
        let expired = rustls::Error::InvalidCertificate(rustls::CertificateError::Expired);
        let refused = "its certificate or encryption is not accepted: invalid peer certificate: Expired";
        check(ureq::Error::Io(std::io::Error::new(InvalidData, expired.clone())), refused, false);
        check(ureq::Error::Rustls(expired), refused, false);
        check(ureq::Error::HostNotFound, "its name is not known; is the network there?", false);
        check(ureq::Error::Timeout(Timeout::Connect), "no connection was made in time", false);
        check(ureq::Error::Timeout(Timeout::PerRead), "it did not answer in time", false);
        let secret = || "http://ada:pass@a.example?key=k".to_owned();
        check(ureq::Error::RequireHttpsOnly(secret()), "it leads to a place without encryption", false);
        check(ureq::Error::ConnectProxyFailed(secret()), "no connection was made", false);
        check(ureq::Error::BadUri(secret()), "it could not be asked", false);
        check(ureq::Error::TooManyRedirects, "it leads in circles", false);
    }
}
