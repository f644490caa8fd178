//! Learns whether context shown before prompts helps in a repository, and adjusts the threshold for the next prompts.

use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::session::open_ordinary_file;

/// Longest file that is read, in bytes; two numbers take less.
const BYTES_MOST: u64 = 4_096;

/// Prior count of helpful turns, and of unhelpful ones, before any was seen. With 2, three turns whose answers did not
/// name what was shown removed a third of the answers in a repository. With 20, ten such turns add 0.4 and forty add
/// 1.1.
const BELIEF: f64 = 20.0;

/// Sum of the counts at which both are halved, so that old turns lose weight.
const COUNTS_MOST: f64 = 100.0;

/// Factor on the counts for each turn that was shown nothing: they halve after 35 turns.
const FADING: f64 = 0.98;

/// Most that unhelpful turns add to the threshold of a prompt, in logits.
const ADDED_MOST: f64 = 2.0;

/// Beta prior of "the shown context helped", learned from the turns of one repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prior {
    /// Weighted number of turns in which a shown file was read, changed or named.
    pub helped: f64,
    /// Weighted number of turns in which no shown file was.
    pub ignored: f64,
}

impl Prior {
    /// Reads the prior from the file at `path`; the initial prior if the file is missing or unreadable.
    pub fn read(path: &Path) -> Self {
        let file = open_ordinary_file(std::fs::File::options().read(true), path).ok();
        let read: Option<Self> = file.and_then(|file| serde_json::from_reader(file.take(BYTES_MOST)).ok());
        let is_sound =
            |prior: &Self| [prior.helped, prior.ignored].iter().all(|count| count.is_finite() && *count >= 0.0);
        read.filter(is_sound).unwrap_or_default()
    }

    /// The prior after a turn.
    #[must_use]
    pub fn after(self, helped: bool) -> Self {
        let Self { mut helped, mut ignored } = match helped {
            true => Self { helped: self.helped + 1.0, ..self },
            false => Self { ignored: self.ignored + 1.0, ..self },
        };
        if helped + ignored > COUNTS_MOST {
            (helped, ignored) = (helped / 2.0, ignored / 2.0);
        }
        Self { helped, ignored }
    }

    /// The prior after a turn that was shown nothing. The counts fade, so that a repository where nothing helped for a
    /// while gets another chance.
    #[must_use]
    pub fn faded(self) -> Self {
        Self { helped: self.helped * FADING, ignored: self.ignored * FADING }
    }

    /// Writes the prior to `path` atomically.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn write(self, path: &Path) -> io::Result<()> {
        let directory = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer(&mut file, &self)?;
        file.persist(path)?;
        Ok(())
    }

    /// Removes the file at `path`. Returns whether it existed.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn clear(path: &Path) -> io::Result<bool> {
        match std::fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Amount that is added to the threshold of a prompt, in logits: 0 while context helps in at least every second
    /// turn. If it never helps, the hundred turns that are remembered add 1.8; never more than 2.
    pub fn added_logit(self) -> f64 {
        let (helped, ignored) = (self.helped + BELIEF, self.ignored + BELIEF);
        (ignored / helped).ln().clamp(0.0, ADDED_MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(turns: &[(bool, usize)]) -> Prior {
        let all = turns.iter().flat_map(|(helped, count)| std::iter::repeat_n(*helped, *count));
        all.fold(Prior::default(), Prior::after)
    }

    #[test]
    fn context_that_is_ignored_takes_more() {
        assert_eq!(Prior::default().added_logit(), 0.0);
        assert_eq!(after(&[(true, 10), (false, 10)]).added_logit(), 0.0);
        assert!(after(&[(false, 4)]).added_logit() < 0.2, "a few turns say nothing");
        assert!(after(&[(false, 90)]).added_logit() > 1.5);
    }

    #[test]
    fn old_turns_fade() {
        assert_eq!(after(&[(false, 90), (true, 400)]).added_logit(), 0.0);
    }

    #[test]
    fn turns_that_are_shown_nothing_forgive() {
        let silent = (0..150).fold(after(&[(false, 90)]), |prior, _| prior.faded());
        assert!(silent.added_logit() < 0.3, "{}", silent.added_logit());
    }

    #[test]
    fn a_file_that_says_nonsense_says_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("prior.json");
        assert_eq!(Prior::read(&path), Prior::default());
        after(&[(true, 3)]).write(&path).unwrap();
        assert_eq!(Prior::read(&path), after(&[(true, 3)]));
        assert_eq!([Prior::clear(&path).unwrap(), Prior::clear(&path).unwrap()], [true, false]);
        for text in ["", "[]", "{\"helped\":-1}", "{\"helped\":1e999}"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(Prior::read(&path), Prior::default(), "{text}");
        }
    }
}
