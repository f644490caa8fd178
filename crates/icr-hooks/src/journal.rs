//! The log of hooks, which cannot show messages to a user.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use icr_model::Moment;

/// Size in bytes at which the log is rotated: some thousand lines. With the old log it takes twice that on disk.
const MOST_BYTES: u64 = 256 << 10;

/// Longest line, in bytes: a message with the paths in it.
const MOST_OF_A_LINE: usize = 2 << 10;

/// `logs/hooks.log` below the home of icr: one line for each failure, to find out why hooks have no effect.
#[derive(Debug, Clone)]
pub struct Journal {
    path: PathBuf,
}

impl Journal {
    /// The log below `home`. Does not access the file system.
    pub fn new(home: &Path) -> Self {
        Self { path: home.join("logs").join("hooks.log") }
    }

    /// Path of the log; it may not exist.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `time event message` as one line to the log, which only its owner can read. Above 256 KiB the log is
    /// renamed to `hooks.log.1` and a new one begins. Errors are ignored, since there is nobody to report them to.
    pub fn note(&self, now: SystemTime, event: &str, message: &str) {
        // There is nobody to report an error of the journal to.
        let _ = self.append(&line(now, event, message));
    }

    fn append(&self, line: &str) -> io::Result<()> {
        if let Some(directory) = self.path.parent() {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(directory)?;
            // A link could lead out of the home.
            if !fs::symlink_metadata(directory)?.is_dir() {
                return Err(io::Error::other("the directory of the log is a link"));
            }
        }
        let mut file = self.open()?;
        if file.metadata()?.len() >= MOST_BYTES && file.try_lock().is_ok() {
            // Another process may have rotated it between opening and locking.
            if fs::metadata(&self.path).is_ok_and(|file| file.len() >= MOST_BYTES) {
                fs::rename(&self.path, self.path.with_extension("log.1"))?;
            }
            file = self.open()?;
        }
        file.write_all(line.as_bytes())
    }

    fn open(&self) -> io::Result<File> {
        let mut options = File::options();
        options.create(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // A link could lead elsewhere, and a pipe would block until it is read.
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            options.mode(0o600).custom_flags(flags.bits().cast_signed());
        }
        options.open(&self.path)
    }
}

/// The line `2024-01-01T00:00:00Z post-commit message`; control characters become spaces, and the length is limited.
fn line(now: SystemTime, event: &str, message: &str) -> String {
    let mut line =
        format!("{} {event} {message}", Moment::of(now)).replace(|character: char| character.is_control(), " ");
    if line.len() > MOST_OF_A_LINE {
        let end = (0..=MOST_OF_A_LINE).rev().find(|end| line.is_char_boundary(*end)).unwrap_or_default();
        line.truncate(end);
        line.push('…');
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_failure_is_one_line_whatever_it_says() {
        assert_eq!(line(at(0), "post-commit", "a\nb\u{1b}[0m"), "1970-01-01T00:00:00Z post-commit a b [0m\n");
        let long = line(at(0), "e", &"é".repeat(5_000));
        assert!(long.len() <= MOST_OF_A_LINE + 4 && long.ends_with("…\n"), "{}", long.len());
    }

    #[test]
    fn the_log_is_bounded_and_its_owners() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::new(home.path());
        for _ in 0..400 {
            journal.note(at(0), "post-commit", &"x".repeat(1_500));
        }
        let size = |path: &Path| fs::metadata(path).unwrap().len();
        let aside = journal.path().with_extension("log.1");
        assert!(size(journal.path()) <= MOST_BYTES + 2_000 && size(&aside) <= MOST_BYTES + 2_000);
        #[cfg(unix)]
        for path in [journal.path(), &aside] {
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_home_that_cannot_be_written_is_no_failure() {
        let home = tempfile::NamedTempFile::new().unwrap();
        Journal::new(home.path()).note(at(0), "post-commit", "lost");
        assert_eq!(fs::read(home.path()).unwrap(), b"");
    }
}
