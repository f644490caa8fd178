//! Reading of configuration files.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Largest configuration file that is read, in bytes. While a value is resolved, it takes about fifty times its size in
/// memory. A file with all keys and their explanations has 30 kB.
const BYTES_MOST: u64 = 1 << 20;

/// The text of the configuration file at `path`. It never waits: a pipe or a terminal may have nothing to read yet, and
/// one command reads the file several times. A device that ends, such as `/dev/null`, is read.
///
/// # Errors
///
/// Errors of the system; `InvalidInput` for a directory, a pipe, a socket, and a device that would have to be waited
/// for; a file that is not UTF-8 or is too large.
pub(crate) fn read(path: &Path) -> std::io::Result<String> {
    let refused = |what: &str| Err(Error::new(ErrorKind::InvalidInput, format!("it is {what}; {NAME_A_FILE}")));
    let mut options = File::options();
    options.read(true);
    // Opening a pipe would wait for a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = match options.open(path) {
        Ok(file) => file,
        // A socket cannot be opened.
        Err(error) => return kind_without_text(std::fs::metadata(path)).map_or(Err(error), refused),
    };
    if let Some(what) = kind_without_text(file.metadata()) {
        return refused(what);
    }
    let mut bytes = Vec::new();
    match file.take(BYTES_MOST + 1).read_to_end(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => return refused("a device that has nothing to read yet"),
        read => read?,
    };
    if bytes.len() as u64 > BYTES_MOST {
        return Err(Error::other(format!("it has more than {} KiB", BYTES_MOST >> 10)));
    }
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not text in UTF-8"))
}

/// What to do about a path that is not read.
const NAME_A_FILE: &str = "a configuration must be an ordinary file, which can be read several times";

/// What a path is, in words, if it is not read.
fn kind_without_text(metadata: std::io::Result<Metadata>) -> Option<&'static str> {
    let kind = metadata.ok()?.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    kind.is_dir().then_some("a directory")
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
    #[cfg(unix)]
    #[test]
    fn what_would_have_to_be_waited_for_is_named() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let directory = tempfile::tempdir().unwrap();
        let [pipe, socket] = ["pipe", "socket"].map(|name| directory.path().join(name));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, what) in
            [(directory.path(), "a directory"), (pipe.as_path(), "a pipe"), (socket.as_path(), "a socket")]
        {
            let error = read(path).unwrap_err().to_string();
            assert_eq!(error, format!("it is {what}; {NAME_A_FILE}"));
        }
        assert_eq!(read(Path::new("/dev/null")).unwrap(), "");
    }
}
