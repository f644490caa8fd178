//! A view that answers the query graph until an answer is no longer wanted.

use std::sync::Arc;

use icr_db::{SourceError, ViewBlob, ViewSource};
use icr_model::{Facts, RepoPath, Statements};
use icr_view::View;

use crate::Deadline;

/// A view with a deadline: every later look-up fails, which ends a walk over many files.
pub(crate) struct TimedView {
    pub(crate) view: Arc<View>,
    pub(crate) deadline: Deadline,
}

impl TimedView {
    fn in_time(&self) -> Result<&View, SourceError> {
        self.deadline.check()?;
        Ok(&self.view)
    }
}

impl ViewSource for TimedView {
    fn content(&self, path: &RepoPath) -> Result<Option<ViewBlob>, SourceError> {
        self.in_time()?.content(path)
    }

    fn facts(&self, content: ViewBlob) -> Result<Arc<Facts>, SourceError> {
        ViewSource::facts(self.in_time()?, content)
    }

    fn statements(&self, content: ViewBlob) -> Result<Statements, SourceError> {
        self.in_time()?.statements(content)
    }

    fn text(&self, content: ViewBlob) -> Result<Option<Arc<[u8]>>, SourceError> {
        self.in_time()?.text(content)
    }

    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.in_time()?.files_in(directory)
    }

    fn files_ending(&self, suffix: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.in_time()?.files_ending(suffix)
    }

    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.in_time()?.providing(name)
    }

    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.in_time()?.requiring(key)
    }

    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.in_time()?.requiring_below(key, directory)
    }

    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.in_time()?.defining(name)
    }

    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.in_time()?.mentioning(name)
    }
}
