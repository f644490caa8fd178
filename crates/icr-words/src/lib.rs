//! Splits code and prose into words, for indexes and for queries. Code and memories use the same words.

mod stem;
mod tokens;

pub use stem::stemmed;
pub use tokens::{cut, identifiers, lower_case, query_terms, question_words, tokens};
