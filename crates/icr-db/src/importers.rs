//! Importers of a file: the backward direction of import resolution.
//!
//! Reverse edges are not stored. The posting lists give the files that have an import with one of the names that can
//! lead to this file, and each of these files is resolved forward. So the answer is right at every revision, and
//! nothing has to be updated when the view moves.

use std::collections::BTreeSet;
use std::sync::Arc;

use icr_model::RepoPath;

use crate::graph::{Db, PathInput};
use crate::resolve::resolved_imports;
use crate::schemes::{SCHEMES, Scheme, scheme_of};
use crate::view::GraphView;

/// Files with an import that names the file at a path, in order of their paths, without the file itself.
#[salsa::tracked(returns(ref))]
pub(crate) fn importers(db: &dyn Db, input: PathInput) -> Arc<[RepoPath]> {
    let names_it = |candidate: &&RepoPath| {
        let resolved = resolved_imports(db, db.path_input(candidate));
        resolved.outcomes.iter().any(|outcome| outcome.targets().iter().any(|target| target.file == input))
    };
    candidates(db, input).iter().filter(names_it).cloned().collect()
}

/// Candidates: files that have an import which may name the file at a path, by its keys and the place of the importing
/// file. Backward look-up resolves these files.
#[salsa::tracked(returns(ref))]
pub(crate) fn candidates(db: &dyn Db, input: PathInput) -> Arc<[RepoPath]> {
    if input.content(db).is_none() {
        return Arc::default();
    }
    let Some(path) = input.path(db).as_str() else { return Arc::default() };
    let view = GraphView::new(db);
    let mut candidates = BTreeSet::new();
    // Languages can import files of other languages: a script loads a data file, a C and a C++ file include the same
    // header.
    for scheme in SCHEMES {
        for key in (scheme.keys)(view, path) {
            let standing = view.files_with_key(&key).into_iter();
            candidates.extend(standing.filter(|file| follows(view, scheme, file)));
        }
    }
    candidates.remove(input.path(db));
    candidates.into_iter().collect()
}

/// Whether statements of the file may follow the scheme. The language of a file without a known extension may come
/// from its first line.
fn follows(view: GraphView<'_>, scheme: &Scheme, file: &RepoPath) -> bool {
    let language = file.as_str().and_then(|path| view.language(path));
    language.is_some_and(|language| scheme.languages.contains(&language) || scheme_of(language).is_none())
}
