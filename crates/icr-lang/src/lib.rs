//! Computes the facts of a blob from its bytes and its language, with a table of languages and queries.
//!
//! A language is one row of the table (`table`) and one folder of query texts (`queries/`); no function here is
//! specific to one language. [`Extractor::extract`] never fails: bytes that are not text, do not parse, or are too
//! deeply nested or too large still give facts, only fewer. The result depends only on the bytes, the language and the
//! inputs of [`recipe`].

mod access_paths;
mod allocations;
mod annotation_macros;
mod chunk;
mod code_tokens;
mod conditional;
mod content;
mod declaration_macros;
mod definitions;
mod extract;
mod frame;
mod grammar;
mod imports;
mod islands;
mod kotlin_syntax;
mod macro_body_names;
mod macro_definitions;
mod matching;
mod occurrences;
mod parse;
mod paths;
mod patterns;
mod query;
mod recipe;
mod scanner;
mod shapes;
mod shared_names;
mod support;
mod symbols;
mod table;
mod text;
mod thread_readings;
mod token_digests;
mod walk;
mod window;

pub use chunk::ChunkLimits;
pub use content::is_parseable;
pub use extract::{Extraction, Extractor, parse_work};
pub use grammar::literals;
#[doc(hidden)]
pub use parse::Work;
pub use recipe::recipe;
pub use shapes::{ComparedText, compared_text, shapes, syntax_errors, token_digest, unread_branches};
pub use support::Support;
pub use table::{LanguageRow, TEXT, depends_on_text, language_of, language_of_text, language_row, languages, may_hold};
pub use thread_readings::{TextId, ThreadReading, give_up_on, observe_readings, reading_threads, text_of_this_thread};
pub use walk::is_small_name;
