//! Options for opening a repository.

use std::path::PathBuf;

use icr_git::PolicyOptions;
use icr_lang::ChunkLimits;
use icr_model::TreeId;
use icr_store::StorePlace;

use crate::models::EmbeddingOptions;
use crate::{HistoryOptions, MemoryPlace, RankingOptions};

/// How to open a repository.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// A directory in the repository; the search goes upwards.
    pub start: PathBuf,
    /// Home of icr.
    pub home: PathBuf,
    /// Id of the store to use instead of the repository's own: 16 hexadecimal digits.
    pub repo_id: Option<String>,
    /// Never write the store.
    pub read_only: bool,
    /// Patterns of paths to leave out, as in `.gitignore`.
    pub ignore_patterns: Vec<String>,
    /// Leave out what git ignores.
    pub respect_gitignore: bool,
    /// Leave out what `.icrignore` and `.icr/ignore` name.
    pub respect_icrignore: bool,
    /// The change whose old ignore files count; `None` for those of the worktree.
    pub rules_before: Option<RulesBefore>,
    /// Larger files are counted but not read, in bytes.
    pub max_file_bytes: u64,
    /// Patterns of secret files in addition to the built-in ones, as in `.gitignore`; no ignore file can revoke one.
    pub secret_patterns: Vec<String>,
    /// The same from a file of the clone; it cannot revoke secrets.
    pub clone_secret_patterns: Vec<String>,
    /// When not empty, only files with these extensions.
    pub extensions: Vec<String>,
    /// Sizes of chunks.
    pub chunk_limits: ChunkLimits,
    /// Which models compute vectors.
    pub embedding: EmbeddingOptions,
    /// Weights of a search.
    pub ranking: RankingOptions,
    /// Which history counts, and how.
    pub history: HistoryOptions,
    /// Largest page cache of a ledger connection, in MB.
    pub cache_mb: u32,
    /// Mask private keys and tokens of services in shown text, except in a file that is requested itself.
    pub mask_credentials: bool,
    /// The user's memories, which answers about code may quote; `None` for answers without. Only read, never created.
    pub memory: Option<MemoryPlace>,
}

/// A change that is judged by the rules from before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RulesBefore {
    /// The tree that the change was made on.
    pub base: TreeId,
    /// The tree that it leads to.
    pub head: TreeId,
}

impl OpenOptions {
    /// The built-in configuration for the repository around `start`, with `home` as the home of icr.
    pub fn new(start: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        let policy = PolicyOptions::default();
        let home = home.into();
        Self {
            start: start.into(),
            embedding: EmbeddingOptions::new(&home),
            home,
            repo_id: None,
            read_only: false,
            ignore_patterns: policy.ignore_patterns,
            respect_gitignore: policy.respect_gitignore,
            respect_icrignore: policy.respect_icrignore,
            rules_before: None,
            max_file_bytes: policy.max_file_bytes,
            secret_patterns: policy.secret_patterns,
            clone_secret_patterns: policy.clone_secret_patterns,
            extensions: policy.extensions,
            chunk_limits: ChunkLimits::default(),
            ranking: RankingOptions::default(),
            history: HistoryOptions::default(),
            cache_mb: StorePlace::CACHE_MB,
            mask_credentials: true,
            memory: None,
        }
    }
}
