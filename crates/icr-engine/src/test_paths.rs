//! Which files are tests, by their paths and by who imports them.

use icr_db::QueryGraph;
use icr_model::RepoPath;

use crate::Error;

/// Whether the file at `path` is a test or what tests use: by its path, unless [`is_code`] says otherwise.
pub(crate) fn is_test(graph: &QueryGraph, path: &RepoPath) -> Result<bool, Error> {
    Ok(icr_rank::is_test_path(path) && !is_code(graph, path)?)
}

/// Whether a test runner runs the file at `path`: by its path, unless [`is_code`] says otherwise.
pub(crate) fn is_run_by_tests(graph: &QueryGraph, path: &RepoPath) -> Result<bool, Error> {
    Ok(icr_impact::select::is_test_file(path, icr_lang::language_of(path)) && !is_code(graph, path)?)
}

/// Whether a file with the bare name of a test is production code, because a file that is no test imports it.
///
/// Cost: for files with such a name, a look at their importers.
fn is_code(graph: &QueryGraph, path: &RepoPath) -> Result<bool, Error> {
    if !icr_impact::select::may_be_code(path, icr_lang::language_of(path)) {
        return Ok(false);
    }
    Ok(graph.importers(path)?.iter().any(|importer| !icr_rank::is_test_path(importer)))
}
