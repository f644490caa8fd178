//! What to do about an error, as data: each interface says it in its own words.

use std::path::PathBuf;

/// What to do about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// A sentence that names no part of an interface.
    Sentence(String),
    /// Ask for the committed version; the sentence before it, if any.
    AskCommitted {
        /// What comes first, up to "can be asked for".
        subject: &'static str,
    },
    /// Ask about the worktree at this path.
    AskWorktree(PathBuf),
    /// Ask once in a way that may write, so that a database is brought to the present format.
    AskWriting,
    /// Compare the trees of two commits by a patch.
    ComparePatch {
        /// The older one.
        base: String,
        /// The newer one.
        head: String,
    },
    /// Derive the store again.
    DeriveAgain,
    /// Index the repository first.
    IndexFirst,
    /// List the files that are there.
    ListFiles,
    /// List the pins.
    ListPins,
    /// Name the commits of a change, or check out what its patch was made on.
    NameCommits,
    /// Name one of the files that define a name.
    NameDefiningFile(Vec<String>),
    /// Name the git directory, for somebody who trusts it.
    NameGitDirectory(PathBuf),
    /// Name a repository.
    NameRepository,
    /// Give a patch.
    PassPatch,
    /// Give a patch with paths from the root of the repository; now they are relative to this directory.
    PassPatchFromRoot(String),
    /// Read a file of a commit.
    ReadFileAt {
        /// The file.
        path: String,
        /// The commit.
        commit: String,
    },
    /// Save what can be read of a damaged database.
    SaveMemories,
    /// Switch vectors on.
    SwitchVectorsOn,
    /// Take pins away.
    TakePinsAway,
}

impl Hint {
    /// In the words of the command line.
    pub fn on_command_line(&self) -> String {
        let words = match self {
            Self::Sentence(sentence) => sentence,
            Self::AskCommitted { subject } => return format!("{subject} can be asked for with `--at HEAD`"),
            Self::AskWorktree(path) => return format!("`--repo '{}'` asks about the worktree", path.display()),
            Self::AskWriting => "ask once without `--read-only`",
            Self::ComparePatch { base, head } => {
                return format!("`git diff {base} {head} | icr impact -` compares them as they are");
            }
            Self::DeriveAgain => "`icr index --rebuild` derives it again; what you asked icr to keep is not touched",
            Self::IndexFirst => "run `icr index` first",
            Self::ListFiles => "`icr map` lists what is there",
            Self::ListPins => "`icr pins` lists them",
            Self::NameCommits => "check out what it was made on, or name the commits instead: `icr impact BASE..HEAD`",
            Self::NameDefiningFile(files) => {
                return format!("name the file that is meant with `--path`, for example {}", Self::alternatives(files));
            }
            Self::NameGitDirectory(path) => {
                let path = path.display();
                return format!("if you know who made it and mean it, name it: `--repo '{path}'`, or GIT_DIR");
            }
            Self::NameRepository => "run icr inside a repository, or name one with `--repo`",
            Self::PassPatch => "`git diff | icr impact -` gives one",
            Self::PassPatchFromRoot(directory) => {
                return format!("{}: `git diff --no-relative | icr impact -`", Self::paths_from_root(directory));
            }
            Self::ReadFileAt { path, commit } => {
                return format!("name the commit and the file: `icr read '{path}' --at '{commit}'`");
            }
            Self::SaveMemories => {
                "icr never deletes it: `icr export FILE` saves what can be read; then move it away and `icr import FILE`"
            }
            Self::SwitchVectorsOn => "leave out `--no-embeddings`, or set `embedding.backend` to `static`",
            Self::TakePinsAway => "`icr unpin` takes some away; `icr pins --filter stale` lists those out of date",
        };
        words.to_owned()
    }

    /// "`a` or `b`".
    pub fn alternatives(names: &[String]) -> String {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
    }

    /// What is wrong with the paths of a patch that is relative to `directory`.
    pub fn paths_from_root(directory: &str) -> String {
        format!("with `{directory}/` before it every path is in this repository; paths are relative to the root")
    }
}

impl From<String> for Hint {
    fn from(sentence: String) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<&str> for Hint {
    fn from(sentence: &str) -> Self {
        Self::Sentence(sentence.to_owned())
    }
}
