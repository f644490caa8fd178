//! The source files that determine stored facts, by layer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{Error, modules, read, shaping_text};

/// Source files that determine one kind of stored fact.
///
/// A layer has its `files`, and every module of the same crate that one of them names, and so on: code that moves to
/// another module still counts. Only methods are called without naming their module, so that a module with methods of a
/// type that shapes is listed, or stands in a folder that is.
#[derive(Debug, Clone, Copy)]
pub struct RecipeLayer {
    /// Name of the environment variable that a build sets to its digest.
    pub name: &'static str,
    /// Files, and folders with everything below them (these end in `/`), relative to `crates/`.
    pub files: &'static [&'static str],
    /// Path prefixes inside of those folders that do not count, and why. A module below one counts after all if it is
    /// named.
    pub left_out: &'static [(&'static str, &'static str)],
    /// Path prefixes of modules that do not count although they are named, and why.
    pub named: &'static [(&'static str, &'static str)],
}

/// All layers. The grammar and the queries of each language have a separate digest (`icr-lang`).
///
/// Code that only reads the store, such as ranking, is in no layer. The code that makes vectors of texts, the format of
/// vectors, and the pages of the ledger have hand-written versions instead, since some take hours to rebuild. The
/// encoding of rows of commits and views is covered by the schema only.
pub const LAYERS: &[RecipeLayer] = &[
    // tidy: sorted
    RecipeLayer {
        name: "ICR_CALIBRATION_CODE",
        files: &[
            "icr-engine/src/change/calibrate.rs",
            "icr-engine/src/change/candidates.rs",
            "icr-engine/src/change/prior_history.rs",
            "icr-engine/src/change/words.rs",
            "icr-engine/src/history.rs",
            "icr-git/src/line_hunks.rs",
            "icr-history/src/",
            "icr-impact/src/expect/",
            "icr-words/src/tokens.rs",
            "icr-rank/src/test_path.rs",
        ],
        left_out: &[
            ("icr-impact/src/expect/baselines.rs", "compared with in benchmarks"),
            ("icr-impact/src/expect/fit.rs", "fits the weights that icr ships with; these are digested as numbers"),
            ("icr-impact/src/expect/reasons.rs", "sentences about what is expected"),
            ("icr-impact/src/expect/tests.rs", "tests"),
        ],
        named: &[
            ("icr-engine/src/", "reads the store, and shows what is known"),
            ("icr-impact/src/", "reports"),
            ("icr-words/src/stem.rs", "identifiers are compared as they are written"),
        ],
    },
    RecipeLayer { name: "ICR_DOCUMENTS_CODE", files: &["icr-compute/src/documents.rs"], left_out: &[], named: &[] },
    RecipeLayer {
        name: "ICR_EXTRACTION_CODE",
        files: &["icr-lang/src/", "icr-model/src/digest.rs", "icr-model/src/chunk_tokens.rs", "icr-model/src/span.rs"],
        left_out: &[
            ("icr-lang/src/lib.rs", "names modules"),
            ("icr-lang/src/recipe.rs", "digests"),
            ("icr-lang/src/shapes/", "what signatures promise is read when asked and not stored"),
            ("icr-lang/src/support.rs", "says what a language has"),
            ("icr-lang/src/table/", "rows are digested one by one, so that a new one re-does no other language"),
        ],
        named: &[
            ("icr-lang/src/table/compiled.rs", "rows"),
            ("icr-lang/src/table/dynamic.rs", "rows"),
            ("icr-lang/src/table/formats.rs", "rows"),
            ("icr-lang/src/table/reserved_words.rs", "a column of rows"),
        ],
    },
    RecipeLayer {
        name: "ICR_FACTS_ENCODING",
        files: &["icr-model/src/facts.rs", "icr-model/src/statements.rs", "icr-model/src/wire.rs"],
        left_out: &[],
        named: &[("icr-model/src/span.rs", "spans and lines are encoded as numbers, by `wire.rs`")],
    },
    RecipeLayer {
        name: "ICR_GATE_CODE",
        files: &["icr-engine/src/packing/calibration.rs", "icr-engine/src/packing/pack.rs"],
        left_out: &[],
        named: &[("icr-engine/src/", "searches; the version of the program stands for it")],
    },
    RecipeLayer { name: "ICR_LEDGER_SCHEMA", files: &["icr-store/src/schema.sql"], left_out: &[], named: &[] },
    RecipeLayer {
        name: "ICR_POSTINGS_CODE",
        files: &[
            "icr-lexical/src/document.rs",
            "icr-lexical/src/schema.rs",
            "icr-words/src/stem.rs",
            "icr-words/src/tokens.rs",
            "icr-model/src/import_keys.rs",
        ],
        left_out: &[],
        named: &[("icr-model/src/facts.rs", "what a key is made of is decoded facts, whose encoding has a digest")],
    },
    // tidy: end
];

/// A source of a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerSource {
    /// Path relative to `crates/`, with `/`.
    pub path: String,
    /// The relevant text of it, as [`shaping_text`] returns it.
    pub shaping: String,
}

impl RecipeLayer {
    /// The sources of the layer below the folder `crates`, sorted by path.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] and [`Error::Parse`] of a source.
    pub fn sources(&self, crates: &Path) -> Result<Vec<LayerSource>, Error> {
        let mut pending = Vec::new();
        for file in self.files {
            match file.strip_suffix('/') {
                Some(folder) => {
                    pending.extend(files_below(crates, folder)?.into_iter().filter(|path| !self.leaves_out(path)))
                }
                None => pending.push((*file).to_owned()),
            }
        }
        let listed: BTreeSet<String> = pending.iter().cloned().collect();
        let mut sources = BTreeMap::new();
        while let Some(path) = pending.pop() {
            if sources.contains_key(&path) {
                continue;
            }
            let shaping = shaping_text(&path, &read(&crates.join(&path))?)?;
            if path.ends_with(".rs") {
                let named = modules::named_modules(crates, &path, &shaping)?;
                pending.extend(named.into_iter().filter(|path| listed.contains(path) || !is_in(self.named, path)));
            }
            sources.insert(path, shaping);
        }
        Ok(sources.into_iter().map(|(path, shaping)| LayerSource { path, shaping }).collect())
    }

    /// Files and folders whose change may change the layer: its sources, and its folders, which may get new ones.
    pub(crate) fn watched_paths<'a>(&self, sources: &'a [LayerSource]) -> Vec<&'a str> {
        let folders = self.files.iter().copied().filter(|file| file.ends_with('/'));
        folders.chain(sources.iter().map(|source| source.path.as_str())).collect()
    }

    fn leaves_out(&self, path: &str) -> bool {
        is_in(self.left_out, path)
    }
}

/// The digest of a layer's sources, 64 hexadecimal digits. The paths of the sources count too.
pub(crate) fn digest(sources: &[LayerSource]) -> String {
    let mut text = String::new();
    for LayerSource { path, shaping } in sources {
        text += &format!("{path} {}\n{shaping}", shaping.len());
    }
    crate::digest(&text)
}

/// Whether a row is a prefix of `path`.
fn is_in(rows: &[(&str, &str)], path: &str) -> bool {
    rows.iter().any(|(start, _)| path.starts_with(start))
}

/// Rust files in `folder` and below, as paths from `crates` on.
fn files_below(crates: &Path, folder: &str) -> Result<Vec<String>, Error> {
    let path = crates.join(folder);
    let failed = |source| Error::Read { path: path.clone(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let below = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(failed)?.is_dir() {
            files.extend(files_below(crates, &below)?);
        } else if below.ends_with(".rs") {
            files.push(below);
        }
    }
    Ok(files)
}
