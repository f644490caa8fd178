//! The text of an installed hook: it is generated from a template, and recognised later.

use std::path::{Path, PathBuf};

use icr_model::Digest64;

use crate::HookEvent;

/// Start of the second line of every script of icr, of any version.
const MARKER: &[u8] = b"# icr-hook ";

/// Placeholder in a template for the digest of the installed text.
const NO_DIGEST: &[u8] = b"0000000000000000";

/// Placeholder line in a template for the path of icr.
const NO_ICR: &[u8] = b"\nicr=icr\n";

/// Kinds of files where git looks for a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookFileKind {
    /// An unmodified script of icr, of this or another version.
    Ours {
        /// The icr binary that it falls back to.
        icr: PathBuf,
        /// Whether this version would write the same text.
        is_current: bool,
    },
    /// A script of icr that somebody edited.
    Edited,
    /// Not a script of icr.
    Foreign,
}

/// The script for `event`, which runs the icr in `PATH`, otherwise the one at `icr`. It ends with a newline and
/// contains a digest of itself.
pub(crate) fn render(event: &HookEvent, icr: &Path) -> Vec<u8> {
    let line = [b"\nicr=".as_slice(), &quoted(icr.as_os_str().as_encoded_bytes()), b"\n"].concat();
    let text = replaced_once(event.script, NO_ICR, &line);
    let digest = format!("{:016x}", Digest64::default().with(&text).finish());
    replaced_once(&text, NO_DIGEST, digest.as_bytes())
}

/// The kind of the hook with this `text`.
pub(crate) fn recognise(event: &HookEvent, text: &[u8]) -> HookFileKind {
    let Some(start) = text.iter().position(|byte| *byte == b'\n').map(|end| end + 1) else {
        return HookFileKind::Foreign;
    };
    let Some(rest) = text[start..].strip_prefix(MARKER) else { return HookFileKind::Foreign };
    let Some(digest) = rest.get(..NO_DIGEST.len()) else { return HookFileKind::Edited };
    let at = start + MARKER.len();
    let without = [&text[..at], NO_DIGEST, &text[at + digest.len()..]].concat();
    if format!("{:016x}", Digest64::default().with(&without).finish()).as_bytes() != digest {
        return HookFileKind::Edited;
    }
    let icr = icr_of(&without).unwrap_or_default();
    HookFileKind::Ours { is_current: render(event, &icr) == text, icr }
}

/// The path in single quotes behind `icr=`.
fn icr_of(text: &[u8]) -> Option<PathBuf> {
    const START: &[u8] = b"\nicr='";
    let start = find(text, START)? + START.len();
    let end = start + find(&text[start..], b"'\n")?;
    let mut path = Vec::new();
    let mut rest = &text[start..end];
    while let Some(at) = find(rest, QUOTE) {
        path.extend_from_slice(&rest[..at]);
        path.push(b'\'');
        rest = &rest[at + QUOTE.len()..];
    }
    path.extend_from_slice(rest);
    path_from_bytes(path)
}

/// A single quote, as written within single quotes in a shell.
const QUOTE: &[u8] = br"'\''";

/// `text` quoted as one shell word.
fn quoted(text: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in text {
        match byte {
            b'\'' => word.extend_from_slice(QUOTE),
            byte => word.push(*byte),
        }
    }
    word.push(b'\'');
    word
}

fn replaced_once(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = find(text, from).expect("every template has the places that are filled in");
    [&text[..at], to, &text[at + from.len()..]].concat()
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(unix)]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EVENTS;

    #[test]
    fn every_script_is_recognised_with_its_icr_and_without_any_byte_it_is_not() {
        for event in EVENTS {
            for icr in ["/usr/bin/icr", "/a b/it's \"icr\" $(x)", "/'", "/two\nlines"] {
                let text = render(event, Path::new(icr));
                let expected = HookFileKind::Ours { icr: icr.into(), is_current: true };
                assert_eq!(recognise(event, &text), expected, "{}", event.name);
                assert_eq!(recognise(event, &[&text[..], b"echo more\n"].concat()), HookFileKind::Edited);
                assert_eq!(recognise(event, &text[..text.len() - 1]), HookFileKind::Edited);
            }
        }
    }

    #[test]
    fn a_script_of_another_version_is_ours_and_not_current() {
        let event = &EVENTS[0];
        let other = HookEvent {
            name: "post-other",
            doc: "",
            script: b"#!/bin/sh\n# icr-hook 0000000000000000: older\nicr=icr\nexit 0\n",
        };
        let text = render(&other, Path::new("/icr"));
        assert_eq!(recognise(event, &text), HookFileKind::Ours { icr: "/icr".into(), is_current: false });
    }

    #[test]
    fn anything_else_is_foreign() {
        for text in ["", "\n", "#!/bin/sh", "#!/bin/sh\n", "#!/bin/sh\nicr hook git post-commit\n", "\u{7f}ELF\n# icr"]
        {
            assert_eq!(recognise(&EVENTS[0], text.as_bytes()), HookFileKind::Foreign, "{text:?}");
        }
        assert_eq!(recognise(&EVENTS[0], b"#!/bin/sh\n# icr-hook 00"), HookFileKind::Edited);
    }

    #[test]
    fn every_script_runs_the_hook_before_it_in_the_same_way() {
        let function = |event: &HookEvent| {
            let text = std::str::from_utf8(event.script).unwrap();
            let (start, end) = (text.find("before() {").unwrap(), text.find("\n}\n").unwrap());
            text[start..end].to_owned()
        };
        for event in EVENTS {
            assert_eq!(function(event), function(&EVENTS[0]), "{}", event.name);
        }
    }

    #[test]
    fn scripts_differ_in_what_they_ask_and_in_their_event_only() {
        // git waits for pre-push, which is another script.
        let events = EVENTS.iter().filter(|event| event.name != "pre-push");
        let skeleton = |event: &HookEvent| {
            let text = std::str::from_utf8(event.script).unwrap().replace(event.name, "EVENT");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let asks = lines.iter().position(|line| line.starts_with("if ")).expect("a script asks something");
            assert!(lines[2].starts_with("# ") && lines[asks].ends_with("; then"), "{text}");
            lines[2].clear();
            lines[asks].clear();
            // What starts a rebase waits for icr, and nothing else does.
            lines.retain(|line| event.name != "post-checkout" || !line.ends_with("|| wait"));
            lines
        };
        for event in events {
            assert_eq!(skeleton(event), skeleton(&EVENTS[0]), "{}", event.name);
        }
    }
}
