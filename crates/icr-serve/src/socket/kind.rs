//! The table of request kinds.

use std::sync::Arc;

use icr_engine::Deadline;
use serde_json::{Value, json};

use super::{Program, RequestError};
use crate::ServedRepository;

/// Answers requests of a kind about a repository, from the body of the request, until the deadline.
pub type KindAnswer = Arc<dyn Fn(&ServedRepository, &Deadline, Value) -> Result<Value, RequestError> + Send + Sync>;

/// A kind of request.
#[derive(Clone)]
pub struct RequestKind {
    /// Its name in requests.
    pub name: &'static str,
    /// Whether a repository without an index gets [`RequestError::NOT_INDEXED`] without calling `answer`.
    pub needs_index: bool,
    /// Answers it.
    pub answer: KindAnswer,
}

impl std::fmt::Debug for RequestKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kind").field("name", &self.name).field("needs_index", &self.needs_index).finish_non_exhaustive()
    }
}

/// The kinds that every socket has, before those of the program.
pub(super) fn own_kinds(program: &Program) -> Vec<RequestKind> {
    vec![RequestKind { name: "status", needs_index: false, answer: status(program.clone()) }]
}

/// Who listens: `pid`, `version` and `since` (seconds since 1970), and whether the repository is `indexed`.
fn status(program: Program) -> KindAnswer {
    let since = program.since.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
    Arc::new(move |repository, _, _| {
        Ok(json!({
            "pid": std::process::id(),
            "version": program.version,
            "since": since,
            "indexed": repository.is_indexed(),
        }))
    })
}
