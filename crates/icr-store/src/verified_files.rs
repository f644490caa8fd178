//! Remembers which files were verified, so that each is verified once and not by every process.
//!
//! The reader of a file checks its checksum; this module records which files passed, and in which state. If the list is
//! lost or cannot be written, the files are verified again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use icr_model::even_after_panic;

use crate::StorePlace;
use crate::file_state::FileState;
use crate::small_file::{read_small_file, replace_small_file};

/// Most bytes of a list that are read: some hundred segments have seven files each, with a line of a hundred bytes for
/// each file.
const LIST_BYTES: u64 = 1 << 20;

/// Lists of this process that cannot be written to disk, or must not be.
static UNWRITTEN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

impl StorePlace {
    /// Calls `check` for each of `files` (below the directory) that is not known to be sound in its present state.
    /// Records those that pass under the name `kind`.
    ///
    /// Cost: reads one small file and the metadata of each of `files`.
    ///
    /// # Errors
    ///
    /// The first error of `check`; files that passed before it are checked again next time.
    pub fn check_files<E>(
        &self,
        kind: &str,
        files: &[impl AsRef<Path>],
        mut check: impl FnMut(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let list = self.directory().join(format!("verified-{kind}"));
        let unwritten = || even_after_panic(UNWRITTEN.lock());
        let written = read_small_file(&list, LIST_BYTES).ok().and_then(|list| String::from_utf8(list).ok());
        let known = written.unwrap_or_default() + unwritten().get(&list).map_or("", String::as_str);
        let mut lines = Vec::new();
        let mut is_new = false;
        for file in files {
            // The state is taken before the bytes are read, so that a write in between changes the state.
            let Some(state) = FileState::of(&self.directory().join(file)) else { continue };
            let line = format!("{state} {}", file.as_ref().display());
            if !known.lines().any(|known| known == line) {
                check(file.as_ref())?;
                is_new = true;
            }
            lines.push(line);
        }
        if is_new {
            lines.push(String::new());
            let lines = lines.join("\n");
            if !self.is_noted() || replace_small_file(&list, lines.as_bytes()).is_err() {
                unwritten().insert(list, lines);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::store;

    #[test]
    fn a_file_is_checked_once_and_again_when_it_changes() {
        let (_home, place) = store();
        let write = |name: &str, text: &str| fs::write(place.directory().join(name), text).unwrap();
        write("one", "1");
        write("two", "2");
        let checked = |place: &StorePlace, fails: &str| {
            let mut checked = Vec::new();
            let result = place.check_files("numbers", &["one", "two", "none"], |file| {
                checked.push(file.display().to_string());
                if file == Path::new(fails) { Err(()) } else { Ok(()) }
            });
            (checked.join(" "), result.is_ok())
        };
        assert_eq!(checked(&place, "two"), ("one two".to_owned(), false), "nothing was written down");
        assert_eq!(checked(&place, ""), ("one two".to_owned(), true));
        assert_eq!(checked(&place, ""), (String::new(), true));
        write("two", "3 ");
        assert_eq!(checked(&place, ""), ("two".to_owned(), true));
        let silent = place.clone().with_notes(false);
        fs::remove_file(place.directory().join("one")).unwrap();
        write("one", "one");
        let list = || fs::read_to_string(place.directory().join("verified-numbers")).unwrap();
        let written = list();
        assert_eq!(checked(&silent, ""), ("one".to_owned(), true), "another file of the same name");
        assert_eq!(checked(&silent, ""), (String::new(), true), "this process remembers");
        assert_eq!(list(), written);
    }
}
