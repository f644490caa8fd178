//! A view to ask, with the deadline and options for its answers.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use icr_compute::BuiltInSpaces;
use icr_git::Revision;
use icr_model::{BlobNo, ChunkNo, Digest64, Facts, Gap, Moment, Provenance, RepoPath};
use icr_store::BlobRow;
use icr_view::{View, ViewLayers};

use crate::graph::OwnGraph;
use crate::history::History;
use crate::history_search::Messages;
use crate::monitor::CachedOverlay;
use crate::snapshot_context::SnapshotContext;
use crate::{Error, ViewSelector};

/// One view with the deadline and options for its answers. Never changes and never writes.
pub struct Snapshot {
    pub(crate) context: SnapshotContext,
    pub(crate) view: Arc<View>,
    /// The view's overlay, if a monitor can tell whether it is still that of the worktree.
    pub(crate) standing: Option<Arc<CachedOverlay>>,
    pub(crate) graph: OnceCell<OwnGraph>,
    /// Messages of the history of the view's commit.
    pub(crate) messages: OnceCell<Arc<Messages>>,
    /// The changes of its newest commits, as far as they count for files changed together.
    pub(crate) cochange_history: OnceCell<Arc<History>>,
    /// For each search, the files, best first, that the second model should have scored. A question writes nothing: the
    /// engine does so after the answer.
    pub(crate) asked_about: RefCell<Vec<Vec<BlobNo>>>,
    /// When a question read pins of the clone; the engine records an id of the clone after the answer.
    pub(crate) clone_to_settle: Cell<Option<Moment>>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("view", &self.view).finish_non_exhaustive()
    }
}

/// All content of a view in text form, for comparing two stores: equal dumps mean equal answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// A line per file: path, blob id, language, size, and its facts in full.
    pub files: BTreeMap<String, String>,
    /// A line per file: path and digest of the built-in model's vectors of its chunks.
    pub vectors: BTreeMap<String, String>,
    /// The totals and the gaps.
    pub totals: String,
}

impl Snapshot {
    /// Asks `view` with the deadline and options of `context`.
    pub(crate) fn of(context: &SnapshotContext, view: Arc<View>) -> Self {
        Self {
            context: context.clone(),
            view,
            standing: None,
            graph: OnceCell::new(),
            messages: OnceCell::new(),
            cochange_history: OnceCell::new(),
            asked_about: RefCell::default(),
            clone_to_settle: Cell::default(),
        }
    }

    /// Another view of the same store moment.
    pub(crate) fn beside(&self, layers: &ViewLayers<'_>) -> Result<Self, Error> {
        let (foundation, view) = (&self.context.foundation, &self.view);
        let view = View::build(foundation, view.moment(), view.cache(), layers, None, view.budget())?;
        Ok(Self::of(&self.context, Arc::new(view)))
    }

    /// The same snapshot with another view.
    pub(crate) fn with_view(self, view: View) -> Self {
        Self { view: Arc::new(view), ..self }
    }

    /// What answers of this snapshot are computed from, and their gaps.
    pub fn provenance(&self) -> &Provenance {
        self.view.provenance()
    }

    /// Name of the view: `worktree` or the revision as it was given.
    pub fn name(&self) -> &str {
        self.view.name()
    }

    /// Name of the view for errors that say what it does not have: it also says how many uncommitted files it lacks.
    pub(crate) fn name_in_refusals(&self) -> String {
        let left_out = self.provenance().gaps.iter().find_map(|gap| match gap {
            Gap::UncommittedLeftOut { files } => Some(*files),
            _ => None,
        });
        match left_out {
            None => self.name().to_owned(),
            Some(1) => format!("{} (without 1 uncommitted file)", self.name()),
            Some(files) => format!("{} (without {files} uncommitted files)", self.name()),
        }
    }

    /// Number of files in the view.
    pub fn files_total(&self) -> u64 {
        self.view.files_total()
    }

    /// Number of chunks in the view.
    pub fn chunks_total(&self) -> u64 {
        self.view.chunks_total()
    }

    /// The facts of a blob of the view, with a check of the deadline.
    pub(crate) fn facts(&self, blob_no: BlobNo) -> Result<Arc<Facts>, Error> {
        self.context.deadline.check()?;
        Ok(self.view.facts(blob_no)?)
    }

    /// The language of a file of the view: what its path says, or its facts where the path leaves it open (`.h`, a script
    /// without an extension).
    pub(crate) fn language_of(&self, path: &RepoPath, blob_no: BlobNo) -> Result<&'static str, Error> {
        let by_path = icr_lang::language_of(path);
        if !icr_lang::depends_on_text(by_path) {
            return Ok(by_path);
        }
        Ok(icr_lang::language_row(&self.facts(blob_no)?.language).map_or(icr_lang::TEXT, |row| row.name))
    }

    /// Whether a file of the view is in `language`. Reads its facts only if its path leaves that open.
    pub(crate) fn is_in(&self, language: &str, path: &RepoPath, blob_no: BlobNo) -> Result<bool, Error> {
        let may_be = icr_lang::may_hold(icr_lang::language_of(path), language);
        Ok(may_be && self.language_of(path, blob_no)? == language)
    }

    /// Whether the view has a file at `path`, or files below it. Cost: a look-up; if there is no such file, all paths are
    /// read.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn has_path(&self, path: &RepoPath) -> Result<bool, Error> {
        let has_file = self.view.file(path)?.is_some();
        Ok(has_file || self.view.paths()?.iter().any(|other| other.is_below(path.as_bytes())))
    }

    /// Masks credentials in text that is to be shown, unless the user wants them shown; returns whether there were any.
    /// Offsets do not change.
    pub(crate) fn mask(&self, text: &mut [u8]) -> bool {
        self.context.options.mask_credentials && icr_secrets::mask_file(text)
    }

    /// A part of a file that is to be shown, masked as by [`Self::mask`].
    pub(crate) fn masked_part(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        if self.context.options.mask_credentials {
            icr_secrets::mask_part(&mut bytes);
        }
        String::from_utf8(bytes).expect("marks stand in places of ASCII")
    }

    /// Dumps all content of the view. Reads all facts; for comparing stores.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn dump(&self) -> Result<Dump, Error> {
        let (mut files, mut vectors) = (BTreeMap::new(), BTreeMap::new());
        for file in self.view.files()? {
            let facts = self.facts(file.row.blob_no)?;
            vectors.insert(file.path.to_string(), self.vectors_of(&file.row)?);
            let BlobRow { blob_id, bytes_total, chunk_count, tokens, .. } = file.row;
            files.insert(
                file.path.to_string(),
                format!("{blob_id} {bytes_total} bytes, {chunk_count} chunks, tokens {tokens:?}, {facts:?}"),
            );
        }
        let totals =
            format!("{:?} {:?} live chunks {}", self.view.totals(), self.provenance().gaps, self.view.chunks_total());
        Ok(Dump { files, vectors, totals })
    }

    /// A digest of the built-in model's vectors of a blob's chunks, and how many chunks have a vector.
    fn vectors_of(&self, row: &BlobRow) -> Result<String, Error> {
        let Some(BuiltInSpaces { chunks: space, files }) = self.context.models.built_in_spaces() else {
            return Ok("none".to_owned());
        };
        let vectors = self.view.vectors()?;
        let (mut digest, mut covered) = (Digest64::default(), 0);
        // A blob without chunks has no vector, and no chunk number to look one up.
        if row.chunk_count > 0 {
            for component in vectors.windows(files.recipe, row.chunk_first)?.iter().flatten() {
                digest = digest.with(&component.to_le_bytes());
            }
        }
        for ordinal in 0..row.chunk_count {
            let windows = vectors.windows(space.recipe, ChunkNo(row.chunk_first.0 + ordinal))?;
            covered += u32::from(!windows.is_empty());
            for component in windows.iter().flatten() {
                digest = digest.with(&component.to_le_bytes());
            }
        }
        Ok(format!("{covered} of {}, {:016x}", row.chunk_count, digest.finish()))
    }
}

/// What the view at `at` is called; a bare repository has no worktree.
pub(crate) fn view_name(at: &ViewSelector, revision: &Revision, is_bare: bool) -> String {
    let at = if is_bare && *at == ViewSelector::Worktree { &ViewSelector::Head } else { at };
    match (at, &revision.name) {
        (ViewSelector::Revision(name), _) => format!("`{name}`"),
        (ViewSelector::Worktree, Some(branch)) => format!("the worktree on `{branch}`"),
        (ViewSelector::Worktree, None) => "the worktree".to_owned(),
        (ViewSelector::Head, Some(branch)) => format!("`{branch}`"),
        (ViewSelector::Head, None) => "HEAD".to_owned(),
    }
}
