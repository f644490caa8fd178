//! What shapes the facts of a language besides the bytes, as one digest.

use std::sync::OnceLock;

use icr_model::{MODEL_TOKEN_COUNTER, Recipe, RecipeBuilder};
use tree_sitter::Language;

use crate::chunk::ChunkLimits;
use crate::table::{LanguageRow, TABLE, row_index};

/// Digest of all that shapes facts of `language`: its grammar, its queries, its row, the limits of chunks, and the code
/// that extracts. For [`crate::TEXT`], and any name without a row, also everything of the languages that a first line
/// may name. The first call for a language costs up to a millisecond, later ones under a microsecond.
pub fn recipe(language: &str, limits: &ChunkLimits) -> Recipe {
    let limits = limits.consistent();
    let fixed = match row_index(language) {
        Some(index) => of_row(index),
        None => of_text(),
    };
    let numbers = [limits.min_tokens, limits.target_tokens, limits.max_tokens, limits.overlap_tokens];
    let numbers = numbers.map(u32::to_be_bytes);
    RecipeBuilder::default().with("fixed", &fixed.to_bytes()).with("limits", numbers.as_flattened()).build()
}

/// Source of the code that extracts, file by file: a change of any re-does the facts.
const CODE: &[&str] = &[
    include_str!("chunk.rs"),
    include_str!("content.rs"),
    include_str!("definitions.rs"),
    include_str!("extract.rs"),
    include_str!("frame.rs"),
    include_str!("grammar.rs"),
    include_str!("imports.rs"),
    include_str!("items.rs"),
    include_str!("occurrences.rs"),
    include_str!("paths.rs"),
    include_str!("symbols.rs"),
    include_str!("token_digests.rs"),
    include_str!("walk.rs"),
    include_str!("window.rs"),
];

const MAX_ROWS: usize = 64;

fn of_row(index: usize) -> Recipe {
    static RECIPES: [OnceLock<Recipe>; MAX_ROWS] = [const { OnceLock::new() }; MAX_ROWS];
    *RECIPES[index].get_or_init(|| row(code(), &TABLE[index]).build())
}

fn of_text() -> Recipe {
    static RECIPE: OnceLock<Recipe> = OnceLock::new();
    let interpreted = || TABLE.iter().filter(|row| !row.interpreters.is_empty());
    *RECIPE.get_or_init(|| interpreted().fold(code(), row).build())
}

fn code() -> RecipeBuilder {
    let builder = RecipeBuilder::default()
        .with("tokens", MODEL_TOKEN_COUNTER.as_bytes())
        .with("runtime", &tree_sitter::LANGUAGE_VERSION.to_be_bytes());
    CODE.iter().fold(builder, |builder, text| builder.with("code", text.as_bytes()))
}

fn row(builder: RecipeBuilder, row: &LanguageRow) -> RecipeBuilder {
    let data = format!(
        "{} {:?} {:?} {:?} {:?}",
        row.name, row.interpreters, row.doc_prefixes, row.import_separator, row.visibility
    );
    let texts = row.queries.iter().chain(row.path_patterns);
    let builder = texts.fold(builder, |builder, text| builder.with("query", text.as_bytes()));
    grammar(builder.with("row", data.as_bytes()), &(row.grammar)())
}

/// Adds what can be seen of a grammar: a change of its rules changes its states, and mostly its kinds.
fn grammar(builder: RecipeBuilder, language: &Language) -> RecipeBuilder {
    let count = |number: usize| (number as u64).to_be_bytes();
    let version = language.metadata();
    let version =
        version.map_or([0; 3], |version| [version.major_version, version.minor_version, version.patch_version]);
    let kinds = (0..language.node_kind_count() as u16).filter_map(|kind| language.node_kind_for_id(kind));
    let fields = (1..=language.field_count() as u16).filter_map(|field| language.field_name_for_id(field));
    let builder = builder
        .with("abi", &count(language.abi_version()))
        .with("states", &count(language.parse_state_count()))
        .with("version", &version);
    let builder = kinds.fold(builder, |builder, kind| builder.with("kind", kind.as_bytes()));
    fields.fold(builder, |builder, field| builder.with("field", field.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::table::{TEXT, languages};

    #[test]
    fn every_language_has_its_own_recipe() {
        let limits = ChunkLimits::default();
        let recipes: HashSet<_> = languages().chain([TEXT]).map(|language| recipe(language, &limits)).collect();
        assert_eq!(recipes.len(), TABLE.len() + 1);
    }

    #[test]
    fn a_recipe_is_the_same_when_asked_again_and_differs_with_the_limits() {
        let limits = ChunkLimits::default();
        assert_eq!(recipe("rust", &limits), recipe("rust", &limits));
        for other in [
            ChunkLimits { min_tokens: 100, ..limits },
            ChunkLimits { target_tokens: 400, ..limits },
            ChunkLimits { max_tokens: 1000, ..limits },
            ChunkLimits { overlap_tokens: 0, ..limits },
        ] {
            assert_ne!(recipe("rust", &limits), recipe("rust", &other), "{other:?}");
        }
    }

    #[test]
    fn all_code_that_extracts_is_digested() {
        // Rows and texts of the table are digested one by one; the recipe itself and what says of a language what it has
        // shape no fact.
        let not_code = ["lib.rs", "recipe.rs", "support.rs", "table.rs"];
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| !not_code.contains(&file.file_name().unwrap().to_str().unwrap()));
        files.sort();
        let texts: Vec<_> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(CODE.len(), texts.len());
        for text in texts {
            assert!(CODE.contains(&text.as_str()), "missing: {}", text.lines().next().unwrap());
        }
    }
}
