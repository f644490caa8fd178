//! Checks git's packed-refs file. gix ignores lines that it cannot read; the history of an ignored ref would not be
//! kept.

use std::path::Path;

use crate::Error;

/// Refuses a `packed-refs` file with an invalid line, as git does. Its ids must be of `hash`, the hash function of the
/// repository.
///
/// # Errors
///
/// [`Error::PackedRefs`]; [`Error::Io`] when the file exists but cannot be read.
pub(crate) fn check_packed_refs(common_dir: &Path, hash: gix::hash::Kind) -> Result<(), Error> {
    let path = common_dir.join("packed-refs");
    let text = match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        text => text.map_err(|source| Error::Io { path: path.clone(), source })?,
    };
    match first_bad_line(&text, hash) {
        None => Ok(()),
        Some(line) => Err(Error::PackedRefs { path, line }),
    }
}

/// The number, from 1, of the first line that is neither a ref, nor the peeled id of a tag, nor a comment.
fn first_bad_line(text: &[u8], hash: gix::hash::Kind) -> Option<usize> {
    let is_id = |text: &[u8]| gix::ObjectId::from_hex(text).is_ok_and(|id| id.kind() == hash);
    let lines = text.split_inclusive(|byte| *byte == b'\n').zip(1..);
    let mut after_ref = false;
    for (line, number) in lines {
        let is_sound = match line.strip_suffix(b"\n") {
            None => false,
            Some([b'#', ..]) => continue,
            Some([b'^', id @ ..]) => std::mem::replace(&mut after_ref, false) && is_id(id),
            Some(line) => {
                after_ref = true;
                let space = line.iter().position(|byte| *byte == b' ');
                space.is_some_and(|at| is_id(&line[..at]) && line.len() > at + 1)
            }
        };
        if !is_sound {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, bad: Option<usize>) {
        let text = text.replace("ID", &"1".repeat(40));
        assert_eq!(first_bad_line(text.as_bytes(), gix::hash::Kind::Sha1), bad, "{text:?}");
    }

    #[test]
    fn lines_are_refs_peeled_tags_and_comments() {
        check("", None);
        check("# pack-refs with: peeled fully-peeled sorted \nID refs/heads/a\nID refs/tags/t\n^ID\n", None);
        check("ID refs/heads/a\n\n", Some(2));
        check("garbage\n", Some(1));
        check("ID refs/heads/a\nzzzz refs/heads/b\n", Some(2));
        check("ID refs/heads/a\n^ID\n^ID\n", Some(3));
        check("^ID\n", Some(1));
        check("ID \n", Some(1));
        check("ID refs/heads/a\nID refs/heads/b", Some(2));
    }

    #[test]
    fn ids_are_those_of_the_hash_function() {
        let line = |digits: usize| format!("{} refs/heads/a\n", "1".repeat(digits)).into_bytes();
        for (hash, digits, other) in [(gix::hash::Kind::Sha1, 40, 64), (gix::hash::Kind::Sha256, 64, 40)] {
            assert_eq!(first_bad_line(&line(digits), hash), None);
            assert_eq!(first_bad_line(&line(other), hash), Some(1));
        }
    }
}
