//! Addresses of remote services, and how they are displayed.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;
use ureq::http::uri::{PathAndQuery, Scheme};

use crate::Error;

/// Address of a remote service: `http` or `https`, a host, and optionally a port, a path and a query.
///
/// It has no user name and no password. What shows it shows no query either, since services take keys there.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(Uri);

impl Address {
    /// Reads an address such as `https://models.example/v1`.
    ///
    /// # Errors
    ///
    /// [`Error::Remote`] for what is no such address, and for one with a user name or a password in it.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |reason: &str| Error::Remote { address: redacted(text), reason: reason.to_owned() };
        let uri: Uri =
            text.parse().map_err(|_| wrong("this is no address; one is like `https://models.example/v1`"))?;
        if !uri.scheme().is_some_and(|scheme| [Scheme::HTTP, Scheme::HTTPS].contains(scheme)) {
            return Err(wrong("this has no `https://` or `http://` in front"));
        }
        // An `@` in the path is refused as well: a password that contains a `/` looks like that.
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) || uri.path().contains('@') {
            return Err(wrong("an address with a user name or password in it is not used; set the API key instead"));
        }
        if uri.host().is_none_or(str::is_empty) {
            return Err(wrong("this names no host"));
        }
        Ok(Self(uri))
    }

    /// Whether it is this machine by its name: `localhost`, names below it, and the loopback addresses.
    pub fn is_loopback(&self) -> bool {
        let host = self.0.host().unwrap_or_default();
        let ip: Option<IpAddr> = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
        match ip {
            Some(ip) => ip.is_loopback(),
            None => host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost"),
        }
    }

    /// Whether the connection is unencrypted, so that others can read what is sent.
    pub fn is_plain(&self) -> bool {
        self.0.scheme() == Some(&Scheme::HTTP)
    }

    /// The same with `path`, which begins with `/`, behind its own path and before its query.
    pub(crate) fn join(&self, path: &str) -> Self {
        let query = self.0.query().map(|query| format!("?{query}")).unwrap_or_default();
        let whole = format!("{}{path}{query}", self.0.path().trim_end_matches('/'));
        let mut parts = self.0.clone().into_parts();
        parts.path_and_query =
            Some(PathAndQuery::try_from(whole).expect("a path behind a path because both were read"));
        Self(Uri::from_parts(parts).expect("an address because only its path is another"))
    }

    /// Its path, beginning with `/`.
    pub(crate) fn path(&self) -> &str {
        self.0.path()
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query = if self.0.query().is_some() { "?…" } else { "" };
        let (scheme, authority) = (self.0.scheme_str(), self.0.authority());
        let authority = authority.map(|authority| authority.as_str()).unwrap_or_default();
        write!(f, "{}://{authority}{}{query}", scheme.unwrap_or_default(), self.0.path())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// `address` without everything before an `@`, and with a query or fragment shown as `?…` or `#…`. Takes any text,
/// since an invalid address may hold a key as well.
fn redacted(address: &str) -> String {
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    // Up to the last `@` of all: in a broken address a password may itself hold a `/` or a `?`.
    let (scheme, rest) = match address.rsplit_once('@') {
        Some((before, after)) if before.contains("://") => (scheme, after),
        Some((_, after)) => (String::new(), after),
        None => (scheme, rest),
    };
    let end = rest.find(['?', '#']);
    let more = end.map(|end| format!("{}…", &rest[end..=end])).unwrap_or_default();
    let shown: String = rest[..end.unwrap_or(rest.len())].chars().filter(|character| !character.is_control()).collect();
    format!("{scheme}{shown}{more}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match Address::parse(text) {
            Ok(address) => format!("{address} loopback={} plain={}", address.is_loopback(), address.is_plain()),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn addresses_show_no_query() {
        check("https://a.example/v1", "https://a.example/v1 loopback=false plain=false");
        check("http://a.example:8080/v1?key=k", "http://a.example:8080/v1?… loopback=false plain=true");
    }

    #[test]
    fn loopback_is_known_by_name_and_number() {
        check("http://localhost:1", "http://localhost:1/ loopback=true plain=true");
        check("http://a.LOCALHOST/", "http://a.LOCALHOST/ loopback=true plain=true");
        check("http://127.8.9.1/", "http://127.8.9.1/ loopback=true plain=true");
        check("http://[::1]:8080/x", "http://[::1]:8080/x loopback=true plain=true");
        check("http://localhost.example/", "http://localhost.example/ loopback=false plain=true");
        check("http://128.0.0.1/", "http://128.0.0.1/ loopback=false plain=true");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        check("", ": this is no address; one is like `https://models.example/v1`");
        check("a b", "a b: this is no address; one is like `https://models.example/v1`");
        check("models.example/v1", "models.example/v1: this is no address; one is like `https://models.example/v1`");
        check("localhost:8080", "localhost:8080: this has no `https://` or `http://` in front");
        check("ftp://a.example/", "ftp://a.example/: this has no `https://` or `http://` in front");
        check(
            "https://ada:pass@a.example/v1",
            "https://a.example/v1: an address with a user name or password in it is not used; set the API key instead",
        );
    }

    #[test]
    fn a_path_goes_behind_the_path_and_before_the_query() {
        for (base, joined) in [
            ("https://a.example", "https://a.example/embeddings"),
            ("https://a.example/v1/", "https://a.example/v1/embeddings"),
            ("https://a.example/v1?version=2", "https://a.example/v1/embeddings?version=2"),
        ] {
            let address = Address::parse(base).expect("an address").join("/embeddings");
            assert_eq!(address.uri().to_string(), joined);
        }
    }

    proptest! {
        #[test]
        fn a_secret_is_never_shown(
            scheme in "(https?://)?",
            host in "[a-z]{1,8}(\\.[a-z]{1,8}){0,2}(:[0-9]{1,5})?",
            place in 0..4_usize,
            around in "[!-~]{0,8}",
        ) {
            let secret = format!("{around}SECRET{around}");
            let text = match place {
                0 => format!("{scheme}{secret}@{host}/v1"),
                1 => format!("{scheme}user:{secret}@{host}/v1?x=1"),
                2 => format!("{scheme}{host}/v1?key={secret}"),
                _ => format!("{scheme}{host}/v1#{secret}"),
            };
            let shown = match Address::parse(&text) {
                Ok(address) => format!("{address} {address:?}"),
                Err(error) => error.to_string(),
            };
            prop_assert!(!shown.contains("SECRET"), "{text} is shown as {shown}");
        }
    }
}
