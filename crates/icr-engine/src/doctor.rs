//! Checks that the store is consistent.

use std::collections::{BTreeMap, HashSet};

use icr_compute::{BuiltInSpaces, ObjectSource};
use icr_model::{ChunkNo, ContentKind, LiveSet};
use icr_store::{Access, Ledger, WriterLock};
use icr_view::Foundation;
use serde::Serialize;

use crate::memory::ClonePins;
use crate::models::Models;
use crate::snapshot_context::SnapshotContext;
use crate::{Engine, Error, vectors};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Everything is in order.
    Good,
    /// Works, but something is worth knowing.
    Note,
    /// Answers may be wrong or incomplete.
    Bad,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DoctorFinding {
    /// How bad it is.
    pub severity: Severity,
    /// What was checked.
    pub subject: &'static str,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Tolerance for the squared length of a vector, which should be 1: somewhat more than float16 rounding of 4,096
/// components can cause.
const UNIT_WITHIN: f64 = 0.01;

/// Most blobs whose facts are recomputed: a second of work.
const SAMPLES: usize = 200;

/// The subject of a check, and a function that returns what was found or what is wrong.
type Check<'a> = (&'static str, &'a dyn Fn(&Ledger) -> Result<String, Error>);

/// Checks the repository and everything in its store. Reads all of it and writes nothing.
pub fn examine(engine: &Engine) -> Vec<DoctorFinding> {
    let SnapshotContext { foundation, models, options, .. } = engine.context();
    let pins = engine.pins();
    Examination { foundation, models, index: options.embedding.index, pins }.findings()
}

/// An examination of a repository and its store.
struct Examination<'a> {
    foundation: &'a Foundation,
    models: &'a Models,
    index: icr_vector::Options,
    pins: ClonePins<'a>,
}

impl Examination<'_> {
    fn findings(&self) -> Vec<DoctorFinding> {
        let mut findings = vec![good("repository", self.foundation.root().display().to_string())];
        if self.foundation.repository.is_shallow() {
            findings.push(DoctorFinding {
                severity: Severity::Note,
                subject: "history",
                found: "the clone is shallow: history is cut off".to_owned(),
                hint: Some("`git fetch --unshallow` gets the rest".to_owned()),
            });
        }
        findings.push(self.lock_finding());
        findings.push(self.pins_finding());
        let ledger = match Ledger::open(&self.foundation.place, Access::Read) {
            Ok(ledger) => ledger,
            Err(error) => {
                findings.push(bad("ledger", error.into()));
                return findings;
            }
        };
        match ledger.check() {
            Ok(lines) if lines.is_empty() => findings.push(good("ledger", "every page is sound".to_owned())),
            Ok(lines) => findings.push(rebuild("ledger", lines.join("; "))),
            Err(error) => findings.push(bad("ledger", error.into())),
        }
        let checks: [Check<'_>; 4] = [
            ("postings", &|ledger| self.check_postings(ledger)),
            ("facts", &|ledger| self.check_facts(ledger)),
            ("vectors", &|_| self.check_vectors()),
            ("views", &|ledger| self.check_views(ledger)),
        ];
        for (subject, check) in checks {
            findings.push(match check(&ledger) {
                Ok(found) => good(subject, found),
                Err(error) if error.is_damage() => rebuild(subject, error.to_string()),
                Err(error) => bad(subject, error),
            });
        }
        findings.extend(self.unread_finding(&ledger).unwrap_or_else(|error| Some(bad("vectors", error))));
        findings
    }

    /// Listed chunks that the built-in model has not embedded.
    fn unread_finding(&self, ledger: &Ledger) -> Result<Option<DoctorFinding>, Error> {
        let Some(BuiltInSpaces { chunks: space, .. }) = self.models.built_in_spaces() else { return Ok(None) };
        let mut listed = LiveSet::default();
        ledger.blob_rows(|row| listed.insert_run(row.chunk_first.0, row.chunk_count))?;
        let unread = match vectors::open_to_read(&self.foundation.place, self.index) {
            Ok(Some(vectors)) => vectors.reader(None)?.missing(space.recipe, &listed)?.len(),
            Ok(None) => listed.len(),
            // Already reported.
            Err(_) => 0,
        };
        Ok((unread > 0).then(|| DoctorFinding {
            severity: Severity::Note,
            subject: "vectors",
            found: format!("{unread} of {} chunks have none", listed.len()),
            hint: Some("`icr index` makes those of HEAD; others are made when they are asked for".to_owned()),
        }))
    }

    fn lock_finding(&self) -> DoctorFinding {
        match self
            .foundation
            .place
            .directory()
            .exists()
            .then(|| WriterLock::try_acquire(self.foundation.place.directory()))
        {
            Some(Err(icr_store::Error::Busy)) => DoctorFinding {
                severity: Severity::Note,
                subject: "writer",
                found: "another process is writing the store".to_owned(),
                hint: None,
            },
            Some(Err(icr_store::Error::ReadOnly { .. })) => DoctorFinding {
                severity: Severity::Note,
                subject: "writer",
                found: "this user cannot write the store: questions are answered, and what is new is not kept"
                    .to_owned(),
                hint: Some("set ICR_HOME to a directory that you can write for a store of your own".to_owned()),
            },
            Some(Err(error)) => bad("writer", error.into()),
            _ => good("writer", "nobody is writing the store".to_owned()),
        }
    }

    /// Checks every page of the pin database, and reads every pin of this clone, including expired ones.
    fn pins_finding(&self) -> DoctorFinding {
        match self.pins.count_readable() {
            Ok(0) => good("pins", "there are none".to_owned()),
            Ok(pins) => good("pins", format!("{pins} of this clone can be read")),
            // The next command that may write repairs it.
            Err(error @ (icr_memory::Error::Older { .. } | icr_memory::Error::CutOff { .. })) => {
                DoctorFinding { severity: Severity::Note, ..bad("pins", error.into()) }
            }
            Err(error) => bad("pins", error.into()),
        }
    }

    /// Checks that all facts decode, and recomputes some from their blobs: those of the smallest ids, which are a
    /// random sample and the same in every run. Blobs that only other clones have are skipped.
    fn check_facts(&self, ledger: &Ledger) -> Result<String, Error> {
        let mut recipes = BTreeMap::new();
        for made in self.foundation.shape.all_recipes() {
            let row = icr_lang::language_row(&made.language);
            recipes.extend(ledger.recipe_no(made)?.zip(row).map(|(recipe_no, row)| (recipe_no, row.name)));
        }
        let mut rows = Vec::new();
        ledger.blob_rows(|row| rows.push(row))?;
        for row in &rows {
            let facts = ledger.facts(row.blob_no)?;
            if facts.is_none_or(|facts| facts.chunks.len() != row.chunk_count as usize) {
                let reason = format!("the facts of blob number {} are not those of its row", row.blob_no.0);
                return Err(self.foundation.place.damage_error(reason).into());
            }
        }
        rows.sort_by_key(|row| row.blob_id);
        let reader = self.foundation.repository.reader();
        let sampled =
            rows.iter().filter(|row| row.content != ContentKind::Oversize && reader.size(row.blob_id).is_ok());
        let sampled = sampled.filter_map(|row| Some((row, *recipes.get(&row.recipe_no)?))).take(SAMPLES);
        let (sampled, wanted): (Vec<_>, Vec<_>) =
            sampled.map(|(row, language)| (row, icr_compute::WantedBlob { blob_id: row.blob_id, language })).unzip();
        let mut same = 0;
        for (row, made) in sampled.iter().zip(icr_compute::compute(
            &wanted,
            &ObjectSource(&self.foundation.repository),
            &self.foundation.shape,
        )?) {
            // This clone may have a damaged object under the id; the facts came from another clone then.
            let Some(made) = made.extraction else { continue };
            // It may have been indexed under another size limit.
            if made.facts.content == ContentKind::Oversize || row.content == ContentKind::Oversize {
                continue;
            }
            if ledger.facts(row.blob_no)?.is_none_or(|facts| facts != made.facts) {
                let reason = format!("the facts of blob {} are not what is made of it", row.blob_id);
                return Err(self.foundation.place.damage_error(reason).into());
            }
            same += 1;
        }
        Ok(format!("those of {} blobs decode; those of {same} were made again and are the same", rows.len()))
    }

    fn check_postings(&self, ledger: &Ledger) -> Result<String, Error> {
        let lexical = icr_ingest::open_lexical(&self.foundation.place, ledger)?;
        let damaged = lexical.damaged_files()?;
        if damaged.is_empty() {
            return Ok("every file has the bytes that were written".to_owned());
        }
        let names: Vec<String> = damaged.iter().map(|file| format!("`{}`", file.display())).collect();
        Err(self.foundation.place.damage_error(format!("changed since they were written: {}", names.join(", "))).into())
    }

    /// Checks that every vector has the dimensions of its space's model, and the length 1 or 0.
    fn check_vectors(&self) -> Result<String, Error> {
        let Some(vectors) = vectors::open_to_read(&self.foundation.place, self.index)? else {
            return Ok("there are none".to_owned());
        };
        let reader = vectors.reader(None)?;
        let known = self.models.by_space();
        let mut found = Vec::new();
        // Vectors of whole files are checked with those of their chunks.
        let of_files = BuiltInSpaces::of(icr_embed::StaticEmbedder::built_in()).files.recipe;
        for status in reader.spaces()? {
            let (recipe, dims) = (status.space.recipe, status.space.dims);
            let name = known.get(&recipe).map_or("a model that is gone", |model| model.name.as_str());
            if let Some(model) = known.get(&recipe).filter(|model| model.dims != dims) {
                let reason = format!("those of `{name}` have {dims} components; the model gives {}", model.dims);
                return Err(self.foundation.place.damage_error(reason).into());
            }
            for chunk in 0..reader.mark()? {
                for window in reader.windows(recipe, ChunkNo(chunk))? {
                    let squares: f64 = window.iter().map(|component| f64::from(*component).powi(2)).sum();
                    if window.len() != usize::from(dims) || !(squares == 0.0 || (squares - 1.0).abs() < UNIT_WITHIN) {
                        let reason =
                            format!("a vector of chunk {chunk} by `{name}` has the length {:.3}", squares.sqrt());
                        return Err(self.foundation.place.damage_error(reason).into());
                    }
                }
            }
            if recipe == of_files {
                continue;
            }
            found.push(format!("{} chunks by {name}", status.chunks));
        }
        Ok(if found.is_empty() { "there are none".to_owned() } else { found.join(", ") })
    }

    /// Checks that everything in a view is listed, with the right reference count.
    fn check_views(&self, ledger: &Ledger) -> Result<String, Error> {
        let mut listed = HashSet::new();
        ledger.blob_rows(|row| {
            listed.insert(row.blob_no);
        })?;
        let mut paths = HashSet::new();
        ledger.paths(|path_no, _| {
            paths.insert(path_no);
        })?;
        let lexical = icr_ingest::open_lexical(&self.foundation.place, ledger)?;
        let reader = lexical.reader(None)?;
        let views = ledger.views()?;
        for summary in &views {
            let Some(view) = ledger.view(&summary.key)? else { continue };
            for entry in view.manifest.entries() {
                if !listed.contains(&entry.blob_no) || !paths.contains(&entry.path_no) {
                    return Err(self
                        .foundation
                        .place
                        .damage_error(format!("the view of tree {} holds what is not listed", summary.key.tree))
                        .into());
                }
            }
            let statistics = icr_lexical::Statistics { documents: view.live_chunks.len(), tokens: view.totals.tokens };
            let posted = reader.live_chunks(&view.live_chunks, statistics)?.documents_total();
            if posted != view.live_chunks.len() {
                let live = view.live_chunks.len();
                return Err(self
                    .foundation
                    .place
                    .damage_error(format!("of {live} chunks of tree {} {posted} are posted", summary.key.tree))
                    .into());
            }
        }
        Ok(format!("{} published, each complete", views.len()))
    }
}

fn good(subject: &'static str, found: String) -> DoctorFinding {
    DoctorFinding { severity: Severity::Good, subject, found, hint: None }
}

fn bad(subject: &'static str, error: Error) -> DoctorFinding {
    let hint = error.command_line_hints().into_iter().next();
    DoctorFinding { severity: Severity::Bad, subject, found: error.to_string(), hint }
}

fn rebuild(subject: &'static str, found: String) -> DoctorFinding {
    let hint = "`icr index --rebuild` derives the store again; what you asked icr to keep is not touched";
    DoctorFinding { severity: Severity::Bad, subject, found, hint: Some(hint.to_owned()) }
}
