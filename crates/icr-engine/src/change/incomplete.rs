//! The parts of a change that were not examined, and whether they are code.

use icr_git::{Membership, Policy, UnreadReason};
use icr_history::unauthored;
use icr_impact::Incomplete;
use icr_lang::TEXT;
use icr_model::{LineIndex, RepoPath, Span};

use crate::Snapshot;

/// File name extensions of code for which icr has no grammar. Any other extension counts as data or prose: its change
/// is reported but does not make the verdict unknown.
const CODE_WITHOUT_GRAMMAR: [&str; 76] = [
    // tidy: sorted
    "ada",
    "adb",
    "ads",
    "applescript",
    "as",
    "asm",
    "astro",
    "awk",
    "bas",
    "bat",
    "bicep",
    "cbl",
    "cl",
    "clj",
    "cljc",
    "cljs",
    "cmake",
    "cmd",
    "cob",
    "coffee",
    "cr",
    "csh",
    "cu",
    "cuh",
    "d",
    "ejs",
    "el",
    "elm",
    "erb",
    "erl",
    "f",
    "f03",
    "f90",
    "f95",
    "fish",
    "for",
    "fs",
    "fsx",
    "gd",
    "glsl",
    "groovy",
    "hlsl",
    "hrl",
    "hx",
    "jl",
    "jsp",
    "ksh",
    "lisp",
    "m",
    "metal",
    "mm",
    "nim",
    "nix",
    "pas",
    "pl",
    "pm",
    "ps1",
    "psm1",
    "purs",
    "rkt",
    "s",
    "scm",
    "sol",
    "sv",
    "svelte",
    "t",
    "tcl",
    "thrift",
    "v",
    "vb",
    "vhd",
    "vhdl",
    "vim",
    "vue",
    "wat",
    "zsh",
    // tidy: end
];

/// Why a file was not examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opaque {
    /// It is beyond the number of files of a change that are compared.
    BeyondFirst(usize),
    /// It is beyond the size of a change that is compared.
    BeyondSize {
        definitions: usize,
        bytes: usize,
    },
    Binary,
    Conflicted,
    ExternalFilter,
    /// Left out by an ignore rule or the list of extensions.
    LeftOut,
    /// Left out by an ignore rule that did not exist before the change.
    LeftOutByChange,
    /// Renamed to a path that is left out or secret.
    MovedOut,
    /// A member of the view that is not indexed: not yet, or its object is missing from this clone.
    NotIndexed,
    NoGrammar,
    /// Code that no grammar could parse: its lines or the file are too long, or it crashed a parser process.
    NotParsed,
    Oversize,
    Secret,
    Submodule,
    Symlink,
    Unreadable,
}

impl Opaque {
    /// The reason, as the end of a sentence about the file.
    pub(crate) fn words(self) -> String {
        match self {
            Self::BeyondFirst(files) => format!("only the first {files} files of a change are compared"),
            Self::BeyondSize { definitions, bytes } => {
                format!("only the first {definitions} definitions, or {} MiB, of a change are compared", bytes >> 20)
            }
            Self::Binary => "binary".to_owned(),
            Self::Conflicted => "a merge in progress left several versions of it".to_owned(),
            Self::ExternalFilter => "its attributes name an external filter, and icr runs none".to_owned(),
            Self::LeftOut => "left out of the index by an ignore rule or the list of extensions".to_owned(),
            Self::LeftOutByChange => "left out of the index by a rule that the change may have added".to_owned(),
            Self::MovedOut => "renamed to a path that is left out of the index or secret".to_owned(),
            Self::NotIndexed => "it is not indexed yet, or its object is not in this clone".to_owned(),
            Self::NoGrammar => "icr has no grammar for it".to_owned(),
            Self::NotParsed => {
                "it is too long, or its lines are, for its definitions to be read, or reading it ended icr".to_owned()
            }
            Self::Oversize => "too large for `watcher.max_file_size_kb`".to_owned(),
            Self::Secret => "on the list of secret files".to_owned(),
            Self::Submodule => "a submodule".to_owned(),
            Self::Symlink => "a symbolic link".to_owned(),
            Self::Unreadable => "it could not be read".to_owned(),
        }
    }

    /// The row of the answer. A file that the user left out does not count as code, whatever it is; a submodule counts
    /// as code.
    pub(crate) fn row(self, path: &RepoPath) -> Incomplete {
        let code = match self {
            Self::LeftOut => false,
            Self::Submodule => true,
            _ => is_code(path),
        };
        Incomplete { path: path.to_string(), reason: self.words(), code }
    }
}

impl From<UnreadReason> for Opaque {
    fn from(reason: UnreadReason) -> Self {
        match reason {
            UnreadReason::Oversize => Self::Oversize,
            UnreadReason::ExternalFilter => Self::ExternalFilter,
            UnreadReason::Unreadable => Self::Unreadable,
            UnreadReason::NoTime => Self::NotIndexed,
            UnreadReason::Conflicted => Self::Conflicted,
        }
    }
}

/// Whether the file at `path` is code written by people: not data, prose, a lock file, or generated.
fn is_code(path: &RepoPath) -> bool {
    if unauthored(path).is_some() {
        return false;
    }
    match icr_lang::language_row(icr_lang::language_of(path)) {
        Some(row) => row.is_code(),
        None => path.extension().is_some_and(|extension| {
            CODE_WITHOUT_GRAMMAR.iter().any(|row| row.as_bytes().eq_ignore_ascii_case(extension))
        }),
    }
}

/// The row for a text without a language; it counts as code if its first line names an interpreter.
pub(crate) fn without_grammar(path: &RepoPath, text: &[u8]) -> Incomplete {
    let row = Opaque::NoGrammar.row(path);
    Incomplete { code: row.code || text.starts_with(b"#!"), ..row }
}

/// The row for a file of which `new` has syntax errors or unread branches of an `#if` that `old` does not have: code in
/// them was not compared, and definitions in them may wrongly seem to be gone. A part with unchanged text hides no change.
pub(crate) fn unparsed(path: &RepoPath, language: &str, old: Option<&[u8]>, new: &[u8]) -> Option<Incomplete> {
    if language == TEXT {
        return None;
    }
    let old = old.unwrap_or_default();
    let first_new = |unread: fn(&str, &[u8]) -> Vec<Span>| {
        let mut known: Vec<&[u8]> = unread(language, old).iter().map(|span| span.of(old)).collect();
        unread(language, new).into_iter().find(|span| match known.iter().position(|part| *part == span.of(new)) {
            Some(at) => {
                known.swap_remove(at);
                false
            }
            None => true,
        })
    };
    let (what, first) = match first_new(icr_lang::syntax_errors) {
        Some(error) => ("syntax error at line", error),
        None => ("a branch of an `#if` that is not read, at line", first_new(icr_lang::unread_branches)?),
    };
    let line = LineIndex::new(new).line_of(first.start);
    Some(Incomplete {
        path: path.to_string(),
        reason: format!("{what} {line}: what stands there was not compared"),
        code: is_code(path),
    })
}

/// Why `view` has no text for the file at `path` of the change.
pub(crate) fn absence(view: &Snapshot, path: &RepoPath) -> Opaque {
    outside(view.context.foundation.shape.policy(), path).unwrap_or(Opaque::NotIndexed)
}

/// Why `path` is not a member of a view; `None` for a member.
pub(crate) fn outside(policy: &Policy, path: &RepoPath) -> Option<Opaque> {
    match policy.decide(path) {
        Membership::Member => None,
        Membership::Ignored => Some(Opaque::LeftOut),
        Membership::Secret => Some(Opaque::Secret),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_code() {
        for (path, expected) in [
            ("src/a.rs", true),
            ("a.PL", true),
            ("Dockerfile", true),
            ("src/a.css", true),
            ("README.md", false),
            ("data/a.json", false),
            ("a.csv", false),
            ("logo.png", false),
            ("LICENSE", false),
            ("Cargo.lock", false),
            ("api/a.pb.go", false),
            ("app.min.js", false),
        ] {
            assert_eq!(is_code(&path.into()), expected, "{path}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_names_nothing_with_a_grammar() {
        assert!(CODE_WITHOUT_GRAMMAR.is_sorted_by(|one, other| one < other));
        for extension in CODE_WITHOUT_GRAMMAR {
            let path = RepoPath::from(format!("a.{extension}").as_str());
            assert_eq!(icr_lang::language_of(&path), TEXT, "{extension}");
        }
    }

    #[test]
    fn an_error_from_before_covers_nothing_that_changed() {
        let broken = "def a(:\n    return 1\n\ndef b():\n    return 2\n";
        let elsewhere = broken.replace("return 2", "return 3");
        let row = |old: Option<&str>, new: &str| {
            unparsed(&"a.py".into(), "python", old.map(str::as_bytes), new.as_bytes()).map(|row| row.code)
        };
        assert_eq!(row(Some(broken), &elsewhere), None);
        assert_eq!(row(None, broken), Some(true));
        assert_eq!(row(Some("def a():\n    return 1\n"), broken), Some(true));
        assert_eq!(row(Some(broken), "def a():\n    return 1\n"), None);
    }
}
