//! What all views of a repository share.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use icr_compute::{BuiltInSpaces, Shape};
use icr_embed::StaticEmbedder;
use icr_git::Repository;
use icr_lexical::LexicalReader;
use icr_model::{TreeId, even_after_panic};
use icr_store::{Ledger, StorePlace, ViewKey};

/// A repository seen from one worktree, with its membership rules and the place of its store.
#[derive(Debug, Clone)]
pub struct Foundation {
    /// Commits, trees and blobs, and the files of the worktree.
    pub repository: Repository,
    /// Which files belong to a view, and how they are indexed.
    pub shape: Shape,
    /// Where the store is; used in error messages about damage.
    pub place: StorePlace,
    /// Id of the store.
    pub repo_id: String,
    /// The built-in model, which embeds what is indexed in memory; `None` when vectors are switched off.
    pub embedder: Option<&'static StaticEmbedder>,
}

impl Foundation {
    /// Root of the worktree, or the directory of a bare repository.
    pub fn root(&self) -> &Path {
        self.repository.worktree_root().unwrap_or_else(|| self.repository.git_dir())
    }

    /// Under which key the view of `tree` is published.
    pub fn view_key(&self, tree: TreeId) -> ViewKey {
        ViewKey { tree, shape: self.shape.digest() }
    }

    /// The vector spaces of the built-in model; `None` when vectors are switched off.
    pub fn built_in_spaces(&self) -> Option<BuiltInSpaces> {
        self.embedder.map(BuiltInSpaces::of)
    }
}

/// A store as it was at one moment, for any number of views of that moment. A clone shares everything.
#[derive(Clone)]
pub struct StoreMoment {
    ledger: Arc<Mutex<Ledger>>,
    generation: u32,
    postings: LexicalReader,
    vectors: Option<icr_vector::VectorReader>,
}

impl StoreMoment {
    /// A store at the moment of `ledger`, which must have begun a snapshot; `postings` and `vectors` must hold
    /// everything that it lists.
    pub fn new(
        ledger: Ledger,
        generation: u32,
        postings: LexicalReader,
        vectors: Option<icr_vector::VectorReader>,
    ) -> Self {
        Self { ledger: Arc::new(Mutex::new(ledger)), generation, postings, vectors }
    }

    /// The ledger. A lock poisoned by a panic is safe to use, because reading leaves nothing half done.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        even_after_panic(self.ledger.lock())
    }

    /// Whether the store is read without locks, because it cannot be locked.
    pub fn is_unlocked(&self) -> bool {
        self.ledger().is_unlocked()
    }

    /// The generation of the store: a garbage collection or a rebuild starts a new one, in which numbers mean other
    /// things.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// The postings of all that the ledger lists.
    pub fn postings(&self) -> &LexicalReader {
        &self.postings
    }

    /// The vectors of the store; `None` where none were ever made, and while they are closed.
    pub fn vectors(&self) -> Option<&icr_vector::VectorReader> {
        self.vectors.as_ref()
    }

    /// The same moment with other vectors. `None` closes the vectors: they must not be open anywhere when deleted
    /// vectors are made again or their file grows.
    #[must_use]
    pub fn with_vectors(&self, vectors: Option<icr_vector::VectorReader>) -> Self {
        Self { vectors, ..self.clone() }
    }
}
