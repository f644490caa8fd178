//! Languages by path, for those who only have the path as answers give it.

/// Name of the language of a file, by the path that an answer gave; `text` when it has no grammar.
pub fn language_of(path: &str) -> &'static str {
    icr_lang::language_of(&crate::search::path_of(path))
}
