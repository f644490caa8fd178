//! Ids, spans and facts: the plain values that every other crate of icr exchanges, and their byte encodings.
//!
//! Nothing here reads a file, a clock or a setting, and nothing here depends on another crate of the workspace.

mod answer;
mod chunk_tokens;
mod commit_changes;
mod digest;
mod facts;
mod field_counts;
#[doc(hidden)]
pub mod fuzzing;
mod hexadecimal;
mod id;
mod import_keys;
mod json_values;
mod live_set;
mod moment;
mod path;
mod poisoned_lock;
mod shape;
mod similar_names;
mod span;
mod statements;
mod wire;

pub use answer::{Gap, Provenance};
pub use chunk_tokens::{CHUNK_TOKEN_COUNTER, chunk_tokens};
pub use commit_changes::{FileChange, FileChangeKind};
pub use digest::{Digest64, Recipe, RecipeBuilder};
pub use facts::{
    Chunk, ChunkKind, ContentKind, Contract, DecodeError, ExportAlias, FACTS_ENCODING, Facts, Import, ImportKind,
    ImportName, ReferenceGroup, Role, Symbol, SymbolKind, Visibility,
};
pub use field_counts::FieldCounts;
pub use hexadecimal::{from_hexadecimal, hexadecimal, is_hexadecimal, is_lower_hexadecimal};
pub use id::{BlobId, BlobNo, ChunkNo, CommitId, IdError, PathNo, TreeId};
pub use import_keys::{CHILD_MODULE_KEY, CHILD_MODULE_PATH_KEY, MANY_NAMES_KEY, import_keys, specifier_keys};
pub use json_values::{JSON_VALUES_MOST, json_values, too_many_json_values};
pub use live_set::LiveSet;
pub use moment::{Moment, UnixMillis};
pub use path::RepoPath;
pub use poisoned_lock::even_after_panic;
pub use shape::{Parameter, ParameterKind, Shape};
pub use similar_names::{name_distance, similar_names};
pub use span::{LineIndex, LineSpan, Span};
pub use statements::Statements;
