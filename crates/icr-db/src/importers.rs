//! From a file to the files whose imports name it, backward.
//!
//! No graph is stored: the postings say which files have an import with one of the names that lead here, and each of those
//! is resolved forward. So the answer is right at every revision, and a view that moves has nothing to maintain.

use std::collections::BTreeSet;
use std::sync::Arc;

use icr_model::RepoPath;

use crate::graph::{Db, PathInput};
use crate::resolve::resolved_imports;
use crate::schemes::{SCHEMES, Scheme, scheme_of};
use crate::view::GraphView;

/// Files with an import that names the file at a path, in order of their paths; without itself.
#[salsa::tracked(returns(ref))]
pub(crate) fn importers(db: &dyn Db, input: PathInput) -> Arc<[RepoPath]> {
    let names_it = |candidate: &&RepoPath| {
        let resolved = resolved_imports(db, db.path_input(candidate));
        resolved.outcomes.iter().any(|outcome| outcome.targets().iter().any(|target| target.file == input))
    };
    candidates(db, input).iter().filter(names_it).cloned().collect()
}

/// Files that have an import which may name the file at a path, by its keys and where it stands: those that looking back
/// resolves.
#[salsa::tracked(returns(ref))]
pub(crate) fn candidates(db: &dyn Db, input: PathInput) -> Arc<[RepoPath]> {
    if input.content(db).is_none() {
        return Arc::default();
    }
    let Some(path) = input.path(db).as_str() else { return Arc::default() };
    let view = GraphView::new(db);
    let mut candidates = BTreeSet::new();
    // Languages name each other's files: a script loads a data file, a header is included from C++ and from C.
    for scheme in SCHEMES {
        for key in (scheme.keys)(view, path) {
            let standing = view.files_with_key(&key).into_iter();
            candidates.extend(standing.filter(|file| follows(view, scheme, file)));
        }
    }
    candidates.remove(input.path(db));
    candidates.into_iter().collect()
}

/// Whether statements of the file may follow the scheme. What a path does not tell, the first line of a file may.
fn follows(view: GraphView<'_>, scheme: &Scheme, file: &RepoPath) -> bool {
    let language = file.as_str().and_then(|path| view.language(path));
    language.is_some_and(|language| scheme.languages.contains(&language) || scheme_of(language).is_none())
}
