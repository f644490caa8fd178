//! Errors whose words name commands or flags, for tests of those who show errors in other words.

use icr_memory::DatabaseKind;
use icr_model::RepoPath;

use crate::{Error, Hint};

/// One error of each kind whose message or hint names a command or flag of icr. For tests: an interface that is no command
/// line must say all of them in its own words.
#[doc(hidden)]
pub fn errors_naming_commands() -> Vec<Error> {
    let path = || "/ship/store".into();
    let name = || "lantern".to_owned();
    vec![
        Error::NoVectors,
        Error::NoSuchPin { source_id: name(), similar: Vec::new() },
        Error::NoSuchFile { path: name(), view: "`main`".to_owned(), similar: Vec::new() },
        Error::OutsideRoot { path: name() },
        Error::TooManyDefiners { symbol: name(), files: 65, some: vec!["a.py".to_owned()] },
        Error::Patch { reason: "no file".to_owned(), hint: Hint::PassPatch },
        Error::Patch { reason: "no file".to_owned(), hint: Hint::NameCommits },
        Error::Patch { reason: "no file".to_owned(), hint: Hint::PassPatchFromRoot("ship".to_owned()) },
        Error::NoBase {
            reason: "unrelated".to_owned(),
            hint: Hint::ComparePatch { base: "old".to_owned(), head: "new".to_owned() },
        },
        Error::Store(icr_store::Error::Absent { path: path() }),
        Error::Store(icr_store::Error::Damaged { path: path(), reason: name() }),
        Error::Store(icr_store::Error::NumbersExhausted),
        Error::Memory(icr_memory::Error::Damaged { kind: DatabaseKind::Memory, path: path(), reason: name() }),
        Error::Memory(icr_memory::Error::Older { kind: DatabaseKind::Memory, path: path(), found: 1, known: 2 }),
        Error::Memory(icr_memory::Error::CutOff { kind: DatabaseKind::Memory, path: path() }),
        Error::Memory(icr_memory::Error::TooMany { most: 1 }),
        Error::Git(icr_git::Error::NotARepository { path: path() }),
        Error::Git(icr_git::Error::NotACommit { revision: "main:a.rs".to_owned(), object: "file" }),
        Error::Git(icr_git::Error::GitDirectoryAmongFiles { git_dir: path(), worktree: path() }),
        Error::Git(icr_git::Error::Index { path: path(), source: "torn".into() }),
        Error::Git(icr_git::Error::ExternalFilter { path: RepoPath::from("a.bin"), driver: name() }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_of_them_names_a_command_or_a_flag() {
        for error in errors_naming_commands() {
            let said = format!("{error} {}", error.command_line_hints().join(" "));
            let names_one = ["`icr ", "`--", " --at ", "| icr "].iter().any(|words| said.contains(words));
            assert!(names_one, "{said}");
        }
    }
}
