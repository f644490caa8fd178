//! Words of code and prose: what indexes hold of a text, and what questions ask for. Code and memories are searched by the same words.

mod stem;
mod tokens;

pub use stem::stemmed;
pub use tokens::{cut, identifiers, lower_case, query_terms, tokens};
