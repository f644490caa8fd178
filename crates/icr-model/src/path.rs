//! Paths inside a repository.

use std::fmt;
use std::sync::Arc;

/// Path of a file relative to the repository root: bytes as git stores them, `/` between components, not always UTF-8.
///
/// Paths are ordered by bytes, as in git's index. A clone shares the bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl RepoPath {
    /// The path held by `bytes`, unchecked, because a git tree may contain any name.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The path that [`fmt::Display`] shows as `text`.
    pub fn from_display(text: &str) -> Self {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some((first, tail)) = rest.split_first() {
            match (first, octal_byte(tail)) {
                (b'\\', Some(byte)) => {
                    bytes.push(byte);
                    rest = &tail[3..];
                }
                _ => {
                    bytes.push(*first);
                    rest = tail;
                }
            }
        }
        Self::new(bytes)
    }

    /// The bytes, as git stores them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text where it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The last component.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// The part before the last `/`; the empty path, which is the root, when there is none.
    #[must_use]
    pub fn directory(&self) -> Self {
        let end = self.0.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        Self::new(&self.0[..end])
    }

    /// The part of the file name after its last dot; `None` without a dot or when the only dot is the first byte.
    pub fn extension(&self) -> Option<&[u8]> {
        let name = self.file_name();
        let dot = name.iter().rposition(|byte| *byte == b'.')?;
        (dot > 0).then(|| &name[dot + 1..])
    }

    /// Whether the path is `prefix` or is below it, compared by whole components. Every path is below the empty
    /// prefix.
    pub fn is_below(&self, prefix: &[u8]) -> bool {
        let prefix = prefix.strip_suffix(b"/").unwrap_or(prefix);
        prefix.is_empty() || self.0.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    }
}

/// The byte that the first three octal digits of `text` stand for.
fn octal_byte(text: &[u8]) -> Option<u8> {
    let digits = text.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)))?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

/// Text for people and JSON: the path itself if it is UTF-8 without control characters. Otherwise each control
/// character and each byte that is not UTF-8 is written as `\` and three octal digits, as `git` prints it. So is a `\`
/// in front of three such digits, so that two paths never look the same.
impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.utf8_chunks() {
            for (at, character) in part.valid().char_indices() {
                match character {
                    '\0'..='\x1f' | '\x7f' => write!(f, "\\{:03o}", character as u32)?,
                    '\\' if octal_byte(&part.valid().as_bytes()[at + 1..]).is_some() => f.write_str("\\134")?,
                    _ => fmt::Write::write_char(f, character)?,
                }
            }
            part.invalid().iter().try_for_each(|byte| write!(f, "\\{byte:03o}"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RepoPath({self})")
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_print_as_git_prints_them() {
        assert_eq!(RepoPath::new(*b"a/\xffb\n.rs").to_string(), "a/\\377b\\012.rs");
        assert_eq!(RepoPath::from("größe.rs").to_string(), "größe.rs");
        assert_eq!(RepoPath::from("a\\b\\101\\12\\777").to_string(), "a\\b\\134101\\12\\777");
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_names_the_path_again(bytes in proptest::collection::vec(
            proptest::prop_oneof![proptest::prelude::any::<u8>(), proptest::sample::select(b"\\0137/a\n".to_vec())],
            0..24,
        )) {
            let path = RepoPath::new(bytes);
            proptest::prop_assert_eq!(RepoPath::from_display(&path.to_string()), path);
        }
    }

    #[test]
    fn prefixes_match_whole_components() {
        let path = RepoPath::from("src/main.rs");
        for (prefix, below) in [("", true), ("src", true), ("src/", true), ("sr", false), ("src/main.rs", true)] {
            assert_eq!(path.is_below(prefix.as_bytes()), below, "{prefix}");
        }
    }

    #[test]
    fn a_leading_dot_is_no_extension() {
        assert_eq!(RepoPath::from("a/.bashrc").extension(), None);
        assert_eq!(RepoPath::from("a/b.tar.gz").extension(), Some(&b"gz"[..]));
        assert_eq!(RepoPath::from("a.d/b").extension(), None);
    }
}
