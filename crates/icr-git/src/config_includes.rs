//! Limits on what the configuration of a repository includes. Git allows a chain of ten includes; if each file includes
//! the next one ten times, a million files would be read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::bstr::BString;
use gix::config::File;
use gix::config::file::Metadata;
use gix::config::path::interpolate;

use crate::Error;
use crate::git_files::{CONFIGURATION_BYTES, read_ordinary};

/// Most files that a configuration includes, directly or through other files; a file counts each time it is named.
/// People write some dozens, for the directories that they work in.
const MOST_INCLUDED: usize = 1_000;

/// Most bytes of these files together; a file counts each time it is named. They take as much memory as one file of
/// that length.
const MOST_BYTES: u64 = CONFIGURATION_BYTES;

/// Longest chain of files that include each other, as in git (MAX_INCLUDE_DEPTH of its config.c).
const DEEPEST: usize = 10;

/// Refuses a configuration that includes more than anybody writes, before gix reads it. `includeIf` conditions are not
/// evaluated: their files always count.
///
/// Cost: each file is read once.
///
/// # Errors
///
/// [`Error::GitFile`].
pub(crate) fn check_includes(config: &Path) -> Result<(), Error> {
    let refused = |reason: &'static str| Err(Error::GitFile { path: config.to_owned(), reason: reason.into() });
    let mut read: HashMap<PathBuf, Rc<Includes>> = HashMap::new();
    let mut pending = vec![(config.to_owned(), 0)];
    let (mut files, mut bytes) = (0, 0);
    while let Some((path, depth)) = pending.pop() {
        let includes = match read.get(&path) {
            Some(includes) => Rc::clone(includes),
            None => {
                let includes = Rc::new(Includes::of(&path)?);
                read.insert(path, Rc::clone(&includes));
                includes
            }
        };
        files += includes.paths.len();
        bytes += if depth > 0 { includes.bytes } else { 0 };
        if files > MOST_INCLUDED {
            return refused("includes more than 1,000 files, with those that these include");
        }
        if bytes > MOST_BYTES {
            return refused("includes files of more than 1 MiB together");
        }
        // gix refuses a longer chain when it reads the configuration.
        if depth < DEEPEST {
            pending.extend(includes.paths.iter().map(|path| (path.clone(), depth + 1)));
        }
    }
    Ok(())
}

/// The includes of one file.
#[derive(Default)]
struct Includes {
    paths: Vec<PathBuf>,
    /// Size of the file itself, in bytes.
    bytes: u64,
}

impl Includes {
    /// A path that is no file, or no configuration, includes nothing.
    fn of(path: &Path) -> Result<Self, Error> {
        if !path.is_file() {
            return Ok(Self::default());
        }
        let text = read_ordinary(path, CONFIGURATION_BYTES)?.unwrap_or_default();
        let bytes = text.len() as u64;
        let Ok(file) = File::from_bytes_no_includes(&text, Metadata::api(), Default::default()) else {
            return Ok(Self { paths: Vec::new(), bytes });
        };
        let sections = ["include", "includeIf"].into_iter().filter_map(|name| file.sections_by_name(name)).flatten();
        let values = sections.flat_map(|section| section.values("path"));
        Ok(Self { paths: values.filter_map(|value| place(value, path)).collect(), bytes })
    }
}

/// The path of the file that `value` names; `value` stands in the file `from`.
fn place(value: BString, from: &Path) -> Option<PathBuf> {
    let (program, home) = (std::env::current_exe().ok(), gix::path::env::home_dir());
    let context = interpolate::Context {
        // As in gix, which does not run git to ask.
        git_install_dir: program.as_deref().and_then(Path::parent),
        home_dir: home.as_deref(),
        home_for_user: Some(interpolate::home_for_user),
    };
    let named = gix::config::Path::from(value).interpolate(context).ok()?;
    Some(from.parent()?.join(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a configuration after `write` has put files, which may name `$ROOT`, beside it.
    #[track_caller]
    fn check(write: impl FnOnce(&dyn Fn(&str, &str)), expected: &str) {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let root = directory.path();
        write(&|name, text| {
            std::fs::write(root.join(name), text.replace("$ROOT", root.to_str().unwrap())).unwrap();
        });
        let said = check_includes(&root.join("config")).err().map(|error| error.to_string());
        assert_eq!(said.unwrap_or_default().replace(root.to_str().unwrap(), "$ROOT"), expected);
    }

    fn including(path: &str, times: usize) -> String {
        format!("[include]\n{}", format!("\tpath = {path}\n").repeat(times))
    }

    const TOO_MANY: &str = "`$ROOT/config` includes more than 1,000 files, with those that these include";

    #[test]
    fn what_people_write_passes() {
        check(|_| (), "");
        check(|write| write("config", "[core]\n\tbare = false\n"), "");
        check(|write| write("config", "[include\n"), "");
        check(
            |write| {
                write("config", "[include]\n\tpath = a\n[includeIf \"gitdir:/projects/\"]\n\tpath = ~/absent\n");
                write("a", "[user]\n\tname = a\n");
            },
            "",
        );
        check(|write| write("config", &including("absent", 1_000)), "");
    }

    #[test]
    fn files_count_as_often_as_they_are_named() {
        check(|write| write("config", &including("absent", 1_001)), TOO_MANY);
        for path in ["next", "$ROOT/next"] {
            check(
                |write| {
                    write("config", &including(&path.replace("next", "0"), 10));
                    for level in 0..5 {
                        write(&level.to_string(), &including(&path.replace("next", &(level + 1).to_string()), 10));
                    }
                },
                TOO_MANY,
            );
        }
        check(|write| write("config", &including("config", 2)), TOO_MANY);
    }

    #[test]
    fn a_chain_without_end_is_left_to_whoever_reads_it() {
        check(|write| write("config", &including("config", 1)), "");
    }

    #[test]
    fn an_included_file_is_as_small_as_the_configuration() {
        check(
            |write| {
                write("config", &including("large", 1));
                write("large", &("[a]\n".to_owned() + &"b=c\n".repeat(1 << 18)));
            },
            "`$ROOT/large` has 1048580 bytes, and icr reads such a file only up to 1 MiB",
        );
    }

    #[test]
    fn bytes_count_as_often_as_they_are_named() {
        check(
            |write| {
                write("config", &including("large", 20));
                write("large", &"# a comment\n".repeat(10_000));
            },
            "`$ROOT/config` includes files of more than 1 MiB together",
        );
    }
}
