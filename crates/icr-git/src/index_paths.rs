//! Limits the total length of the paths in git's index. Version 4 of its format stores for each path only the part
//! after the prefix that it shares with the previous path, so a file of a megabyte can expand to gigabytes of paths.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::Error;

/// Most bytes of all paths together: a fixed allowance for small indexes, and for each entry more than the length of a
/// path that people make.
const FEW_PATHS_BYTES: u64 = 64 << 20;
const PATH_BYTES: u64 = 128;

/// Bytes of an entry before its id: the stat data of the file (gitformat-index(5)).
const STAT_BYTES: usize = 40;

/// Flag of an entry that has extended flags.
const EXTENDED: u16 = 0x4000;

/// Refuses the index at `path` if its paths are too long in total. An index that cannot be read is left to the code
/// that reads it. `id_bytes` is the length of an id.
///
/// Cost: for version 4 one pass over the file, for other versions a look at its header.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_paths(path: &Path, id_bytes: usize) -> Result<(), Error> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    match are_too_long(BufReader::with_capacity(64 << 10, file), id_bytes) {
        Ok(true) => Err(Error::GitFile { path: path.to_owned(), reason: "has paths that are longer than any".into() }),
        Ok(false) | Err(_) => Ok(()),
    }
}

fn are_too_long(mut index: impl BufRead, id_bytes: usize) -> std::io::Result<bool> {
    let mut number = [0; 4];
    let mut read_number = |index: &mut dyn Read| index.read_exact(&mut number).map(|()| u32::from_be_bytes(number));
    let (signature, version) = (read_number(&mut index)?, read_number(&mut index)?);
    if signature.to_be_bytes() != *b"DIRC" || version != 4 {
        return Ok(false);
    }
    let entries = u64::from(read_number(&mut index)?);
    let (mut entry, mut name) = (vec![0; STAT_BYTES + id_bytes + 2], Vec::new());
    let (mut length, mut total) = (0_u64, 0_u64);
    for _ in 0..entries {
        index.read_exact(&mut entry)?;
        let flags = u16::from_be_bytes([entry[entry.len() - 2], entry[entry.len() - 1]]);
        if flags & EXTENDED != 0 {
            index.read_exact(&mut [0; 2])?;
        }
        let dropped = offset(&mut index)?;
        name.clear();
        (&mut index).take(FEW_PATHS_BYTES).read_until(0, &mut name)?;
        length = length.saturating_sub(dropped) + name.len().saturating_sub(1) as u64;
        total = total.saturating_add(length);
        if total > FEW_PATHS_BYTES + PATH_BYTES * entries {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A number in the variable-length encoding of pack offsets: seven bits a byte, highest bits first, and one is added at
/// each byte but the last.
fn offset(index: &mut impl Read) -> std::io::Result<u64> {
    let mut byte = [0];
    index.read_exact(&mut byte)?;
    let mut value = u64::from(byte[0] & 0x7f);
    while byte[0] & 0x80 != 0 {
        index.read_exact(&mut byte)?;
        value = (value.saturating_add(1) << 7) | u64::from(byte[0] & 0x7f);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of `entries` paths, each of which adds `added` letters to what it keeps of the one before: all but
    /// `dropped`.
    fn index(version: u32, entries: u32, dropped: u8, added: usize) -> Vec<u8> {
        let mut bytes = [&b"DIRC"[..], &version.to_be_bytes(), &entries.to_be_bytes()].concat();
        for _ in 0..entries {
            bytes.extend([0; STAT_BYTES + 20 + 2]);
            bytes.push(dropped);
            bytes.extend(std::iter::repeat_n(b'a', added));
            bytes.push(0);
        }
        bytes
    }

    #[test]
    fn paths_that_grow_with_each_entry_are_too_long() {
        let is_too_long = |index: &[u8]| are_too_long(index, 20).unwrap();
        assert!(is_too_long(&index(4, 60_000, 0, 1)), "1.8 GB of paths");
        assert!(!is_too_long(&index(4, 60_000, 100, 100)));
        assert!(!is_too_long(&index(4, 1_000, 0, 1)));
        assert!(!is_too_long(&index(2, 60_000, 0, 1)), "it writes paths whole");
        assert!(are_too_long(&index(4, 9, 0, 1)[..300], 20).is_err());
        assert!(!is_too_long(b"NONE\0\0\0\x04\xff\xff\xff\xff"));
    }

    #[test]
    fn distances_are_read_as_git_writes_them() {
        for (bytes, value) in
            [(&[0x7f][..], 127), (&[0x80, 0x00], 128), (&[0xff, 0x7f], 16_511), (&[0x80, 0x80, 0x00], 16_512)]
        {
            assert_eq!(offset(&mut &bytes[..]).unwrap(), value);
        }
    }
}
