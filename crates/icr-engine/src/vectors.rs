//! The vectors of a store: opening, deleting, statistics and tree indexes; with those of a view that are only in
//! memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;

use icr_compute::BuiltInSpaces;
use icr_embed::Descriptor;
use icr_model::Recipe;
use icr_store::StorePlace;
use icr_vector::{IndexUse, SpaceStatus, VectorReader, Vectors};
use serde::Serialize;

use crate::models::Models;
use crate::snapshot_context::SnapshotContext;
use crate::{Error, Snapshot};

/// Share of a space that its trees may leave out: those chunks are scanned, and a fifth of the chunks costs a fifth of
/// a full scan.
const UNKNOWN_TO_TREES: f64 = 0.2;

/// The vectors of one model, and how much of a view they cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct VectorSpace {
    /// Digest of everything that determines the vectors, in hexadecimal.
    pub space: String,
    /// Name of the model; `None` for one that is no longer on this machine.
    pub model: Option<String>,
    /// Components of a vector.
    pub dims: u16,
    /// Whether the present configuration uses it.
    pub in_use: bool,
    /// Chunks of the view that have vectors.
    pub chunks_covered: u64,
    /// Chunks of the view.
    pub chunks_total: u64,
    /// Chunks with vectors, of all views.
    pub chunks_stored: u64,
    /// Chunks in the trees; `None` without trees.
    pub chunks_indexed: Option<u64>,
    /// Bytes of the vectors, without trees.
    pub bytes: u64,
    /// When it was last noted to be in use, in seconds since 1970; at most once a day.
    pub last_used_s: Option<u64>,
}

/// The vectors of a store, for writing.
#[derive(Clone, Copy)]
pub(crate) struct StoreVectors<'a> {
    place: &'a StorePlace,
    options: icr_vector::Options,
    models: &'a Models,
}

impl<'a> StoreVectors<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        let SnapshotContext { foundation, options, models, .. } = context;
        Self { place: &foundation.place, options: options.embedding.index, models }
    }

    /// The vectors, created if there are none; `None` when vectors are switched off.
    pub(crate) fn writable(&self) -> Result<Option<Vectors>, Error> {
        if self.models.built_in_model().is_none() {
            return Ok(None);
        }
        self.open().map(Some)
    }

    /// The vectors, created if there are none, even when vectors are switched off.
    pub(crate) fn open(&self) -> Result<Vectors, Error> {
        self.place.check_entries("vectors.lmdb")?;
        Ok(Vectors::open(self.place.vectors(), self.options)?)
    }

    /// Deletes all vectors. If the file is intact, new chunk numbers continue above the old ones, and processes that
    /// have the vectors open can go on reading. The caller must hold the lock.
    pub(crate) fn clear(&self, are_damaged: bool) -> Result<(), Error> {
        if !are_damaged && self.empty().is_ok() {
            return Ok(());
        }
        let path = self.place.vectors();
        let removed = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&path),
            Ok(_) => fs::remove_file(&path),
            Err(error) => Err(error),
        };
        match removed {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(Error::Io { doing: "deleting the vectors", path, source })
            }
            _ => Ok(()),
        }
    }

    fn empty(&self) -> Result<(), Error> {
        if !self.place.vectors().exists() {
            return Ok(());
        }
        let vectors = self.open()?;
        let mut writer = vectors.writer()?;
        vectors.reader(None)?.spaces()?.iter().for_each(|status| writer.drop_space(status.space.recipe));
        writer.commit(vectors.mark()?)?;
        Ok(())
    }

    /// Whether there are any vectors to build trees over, and the options allow trees.
    pub(crate) fn may_have_trees(&self) -> bool {
        self.options.index != IndexUse::Scan && self.place.vectors().is_dir()
    }

    /// Builds tree indexes over vector spaces in use whose trees contain too few of the chunks, if the `live` chunks of
    /// HEAD are many enough; returns the number of indexed vectors. The caller must hold the lock.
    pub(crate) fn build_trees(&self, live: impl FnOnce() -> Result<u64, Error>) -> Result<u64, Error> {
        let Some(vectors) = self.writable()? else { return Ok(0) };
        let is_large = match self.options.index {
            IndexUse::Arroy => true,
            IndexUse::Scan => false,
            IndexUse::Auto => live()? >= self.options.crossover,
        };
        if !is_large {
            return Ok(0);
        }
        let in_use: BTreeSet<Recipe> = self.models.in_use().iter().map(Descriptor::space).collect();
        let lacks_trees = |status: &&SpaceStatus| {
            let unknown = status.chunks.saturating_sub(status.chunks_indexed.unwrap_or_default());
            in_use.contains(&status.space.recipe) && unknown as f64 > status.chunks as f64 * UNKNOWN_TO_TREES
        };
        let mut writer = vectors.writer()?;
        let spaces = vectors.reader(None)?.spaces()?;
        spaces.iter().filter(lacks_trees).for_each(|status| writer.build_index(status.space.recipe));
        Ok(writer.commit(vectors.mark()?)?.rows_indexed)
    }
}

/// The vector spaces of the store, those in use first and then by name, with how much of this view they cover. Blobs
/// only in memory are embedded by the built-in model alone.
///
/// Reads 6 bytes a vector.
///
/// # Errors
///
/// Those of reading the vectors.
pub fn vector_spaces(snapshot: &Snapshot) -> Result<Vec<VectorSpace>, Error> {
    let known = snapshot.context.models.by_space();
    let in_use = snapshot.context.models.in_use();
    let reader = snapshot.view.vectors()?;
    let mut statuses: BTreeMap<Recipe, Option<SpaceStatus>> =
        in_use.iter().map(|descriptor| (descriptor.space(), None)).collect();
    statuses.extend(reader.spaces()?.into_iter().map(|status| (status.space.recipe, Some(status))));
    // Vectors of whole files belong to those of their chunks.
    let built_in = BuiltInSpaces::of(icr_embed::StaticEmbedder::built_in());
    let of_files = statuses.remove(&built_in.files.recipe).flatten().map_or(0, |status| status.bytes);
    let mut spaces = Vec::with_capacity(statuses.len());
    for (recipe, status) in statuses {
        let descriptor = known.get(&recipe);
        let dims = status.map(|status| status.space.dims).or(descriptor.map(|descriptor| descriptor.dims));
        spaces.push(VectorSpace {
            space: recipe.to_string(),
            model: descriptor.map(|descriptor| descriptor.name.clone()),
            dims: dims.unwrap_or_default(),
            in_use: in_use.iter().any(|descriptor| descriptor.space() == recipe),
            chunks_covered: reader.count_covered(recipe, &snapshot.view.contents().live_chunks)?,
            chunks_total: snapshot.chunks_total(),
            chunks_stored: status.map_or(0, |status| status.chunks),
            chunks_indexed: status.and_then(|status| status.chunks_indexed),
            bytes: status.map_or(0, |status| status.bytes)
                + if recipe == built_in.chunks.recipe { of_files } else { 0 },
            last_used_s: status.and_then(|status| status.last_used_s),
        });
    }
    spaces.sort_by(|a, b| b.in_use.cmp(&a.in_use).then_with(|| (&a.model, &a.space).cmp(&(&b.model, &b.space))));
    Ok(spaces)
}

/// The vectors of the store as they are now; `None` if none were ever made. The vectors of the built-in model, which
/// every question reads, are verified once for each state of their file; others are verified when they are read.
pub(crate) fn vectors_now(place: &StorePlace, options: icr_vector::Options) -> Result<Option<VectorReader>, Error> {
    open_to_read(place, options)?.map(|vectors| reader_of(place, &vectors)).transpose()
}

/// As [`vectors_now`], for a process that asks repeatedly: the files stay open, which saves mapping and checking them
/// each time.
pub(crate) fn vectors_again(place: &StorePlace, options: icr_vector::Options) -> Result<Option<VectorReader>, Error> {
    let Some(vectors) = open_to_read(place, options)? else { return Ok(None) };
    vectors.keep_open();
    reader_of(place, &vectors).map(Some)
}

fn reader_of(place: &StorePlace, vectors: &Vectors) -> Result<VectorReader, Error> {
    Ok(BuiltInSpaces::of(icr_embed::StaticEmbedder::built_in()).reader(place, vectors)?)
}

/// Closes the vectors that answers about warm views left open, for all repositories of this process.
pub fn close_vectors() {
    icr_vector::close_kept();
}

/// The vectors of a store for reading; `None` if none were ever made.
///
/// Opened for writing as well, if the file system allows it: a process has one map of the file, and another thread may
/// sync during a question, even for an engine that only reads.
pub(crate) fn open_to_read(place: &StorePlace, options: icr_vector::Options) -> Result<Option<Vectors>, Error> {
    place.check_entries("vectors.lmdb")?;
    let path = place.vectors();
    if path.join("data.mdb").exists() {
        match Vectors::open(&path, options) {
            // The file system is read-only, or the directory belongs to another user.
            Err(icr_vector::Error::Internal { .. }) => {}
            other => return Ok(Some(other?)),
        }
    }
    match Vectors::open_read_only(&path, options) {
        Ok(vectors) => Ok(Some(vectors)),
        Err(icr_vector::Error::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
