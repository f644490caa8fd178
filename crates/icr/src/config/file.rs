//! Reading of configuration files.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Largest configuration file that is read, in bytes. While a value is resolved, it takes about fifty times its size in
/// memory. A file with all keys and their explanations has 30 kB.
const BYTES_MOST: u64 = 1 << 20;

/// The text of the configuration file at `path`.
///
/// # Errors
///
/// Errors of the system; a file that is not UTF-8 or is too large.
pub(crate) fn read(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(BYTES_MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MOST {
        return Err(Error::other(format!("it has more than {} KiB", BYTES_MOST >> 10)));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_any_length_is_read_to_its_bound() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        for (bytes, is_read) in [(0, true), (BYTES_MOST, true), (BYTES_MOST + 1, false)] {
            std::fs::write(&path, vec![b'#'; usize::try_from(bytes).unwrap()]).unwrap();
            assert_eq!(read(&path).is_ok(), is_read, "{bytes} bytes");
        }
        insta::assert_snapshot!(read(&path).unwrap_err(), @"it has more than 1024 KiB");
        // A device without an end.
        assert!(read(Path::new("/dev/zero")).is_err());
    }
}
