//! From a file to the files whose imports name it, backward.
//!
//! No graph is stored: the postings say which files have an import with one of the names that lead here, and each of those
//! is resolved forward. So the answer is right at every revision, and a view that moves has nothing to maintain.

use std::collections::BTreeSet;
use std::sync::Arc;

use icr_model::RepoPath;

use crate::graph::{Db, PathInput};
use crate::resolve::resolved;
use crate::schemes::SCHEMES;
use crate::view::View;

/// Files with an import that names the file at a path, in order of their paths; without itself.
#[salsa::tracked(returns(ref))]
pub(crate) fn importers(db: &dyn Db, input: PathInput) -> Arc<[RepoPath]> {
    if input.content(db).is_none() {
        return Arc::default();
    }
    let Some(path) = input.path(db).as_str() else { return Arc::default() };
    let view = View::new(db);
    let mut candidates = BTreeSet::new();
    // Languages name each other's files: a script loads a data file, a header is included from C++ and from C.
    for scheme in SCHEMES {
        for key in (scheme.keys)(view, path) {
            candidates.extend(view.requiring(&key).iter().cloned());
        }
    }
    candidates.remove(input.path(db));
    candidates.retain(|candidate| {
        let resolved = resolved(db, db.path_input(candidate));
        resolved.outcomes.iter().any(|outcome| outcome.targets().iter().any(|target| target.path == path))
    });
    candidates.into_iter().collect()
}
