//! Paths in URIs.

use std::fmt::Write;

/// A path as a relative URI: what is neither unreserved nor a slash is percent-encoded (RFC 3986, 2.3), so that no part
/// of a name reads as a scheme, a query or a fragment, nor ends a link in Markdown.
pub(super) fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("a string takes any text");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slashes_and_unreserved_characters_stay() {
        assert_eq!(encoded("src/a-b_c.~d"), "src/a-b_c.~d");
        assert_eq!(encoded("c:/a b?#%[é]\n(1)"), "c%3A/a%20b%3F%23%25%5B%C3%A9%5D%0A%281%29");
    }
}
