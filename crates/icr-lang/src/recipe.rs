//! One digest of everything that determines the facts of a language besides the bytes.

use std::sync::OnceLock;

use icr_model::{CHUNK_TOKEN_COUNTER, Recipe, RecipeBuilder};

use crate::chunk::ChunkLimits;
use crate::shared_names::others_by_text;
use crate::table::{LanguageRow, TABLE, language_row, row_index};

#[cfg(test)]
#[path = "../build/locked.rs"]
mod locked;

/// Digest of everything that determines facts of `language`: its grammar, its queries, its row, the limits of chunks,
/// and the code that extracts. It also covers the languages that a text of `language` may turn out to be: for
/// [`crate::TEXT`] and names without a row, those that a first line may name. Costs microseconds, because the identities of
/// grammars, queries and code were computed when this crate was built.
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

/// Sources recorded by the build: names with identities, sorted by name.
#[derive(Debug, Clone, Copy)]
struct Inputs<'a> {
    /// The crates of the parser and the grammars: version, source and checksum from the workspace's lock file.
    packages: &'a [(&'a str, &'a str)],
    /// Files of `queries/`: SHA-256 of their words, without comments and layout.
    texts: &'a [(&'a str, &'a str)],
    /// Source files that extract, with the name of their crate: SHA-256 of the code that determines facts
    /// (`icr-recipe`).
    code: &'a [(&'a str, &'a str)],
}

/// The inputs of this build.
static BUILT: Inputs<'static> = include!(concat!(env!("OUT_DIR"), "/inputs.rs"));

const MAX_ROWS: usize = 64;

fn of_row(index: usize) -> Recipe {
    static RECIPES: [OnceLock<Recipe>; MAX_ROWS] = [const { OnceLock::new() }; MAX_ROWS];
    *RECIPES[index].get_or_init(|| BUILT.language(&TABLE[index]))
}

fn of_text() -> Recipe {
    static RECIPE: OnceLock<Recipe> = OnceLock::new();
    *RECIPE.get_or_init(|| BUILT.text())
}

impl Inputs<'_> {
    /// What facts without a grammar depend on: the code, and the rows that a first line may name.
    fn text(&self) -> Recipe {
        let interpreted = TABLE.iter().filter(|row| !row.interpreters.is_empty());
        interpreted.fold(self.code(), |builder, row| self.row(builder, row)).build()
    }

    /// What facts of texts depend on whose path gives `row`: that row, and those that the text may give.
    fn language(&self, row: &LanguageRow) -> Recipe {
        let others = others_by_text(row.name).filter_map(language_row);
        others.fold(self.row(self.code(), row), |builder, other| self.row(builder, other)).build()
    }

    /// What the facts of all languages depend on.
    fn code(&self) -> RecipeBuilder {
        let builder = RecipeBuilder::default()
            .with("tokens", CHUNK_TOKEN_COUNTER.as_bytes())
            .with("runtime", identity_of(self.packages, "tree_sitter").as_bytes());
        self.code.iter().fold(builder, |builder, (file, digest)| builder.with(file, digest.as_bytes()))
    }

    /// Adds everything that only the facts of `row` depend on.
    fn row(&self, builder: RecipeBuilder, row: &LanguageRow) -> RecipeBuilder {
        let data = format!(
            "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            row.name,
            row.interpreters,
            row.reserved_words,
            row.doc_prefixes,
            row.import_separator,
            row.preprocessor,
            row.respelling.is_some(),
            row.visibility,
            row.grammar.must_not_see
        );
        let builder = builder
            .with("row", data.as_bytes())
            .with("grammar", row.grammar.name.as_bytes())
            .with("language", row.grammar.constant.as_bytes())
            .with("package", identity_of(self.packages, row.grammar.name).as_bytes());
        let texts = row.queries.iter().chain(row.path_patterns);
        texts.fold(builder, |builder, text| builder.with("query", identity_of(self.texts, text.path).as_bytes()))
    }
}

/// The identity of `name` in a list sorted by name.
fn identity_of<'a>(list: &[(&'a str, &'a str)], name: &str) -> &'a str {
    let index = list.binary_search_by(|(known, _)| (*known).cmp(name));
    list[index.expect("the build notes every grammar's crate and every query file")].1
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::table::{GrammarCrate, TEXT, languages};

    /// The languages whose recipes differ between this build and one of `inputs`.
    fn redone(inputs: &Inputs<'_>) -> Vec<&'static str> {
        let rows = TABLE.iter().filter(|row| inputs.language(row) != BUILT.language(row)).map(|row| row.name);
        rows.chain((inputs.text() != BUILT.text()).then_some(TEXT)).collect()
    }

    /// `list` with `name` changed.
    fn with_other<'a>(list: &[(&'a str, &'a str)], name: &str) -> Vec<(&'a str, &'a str)> {
        assert!(list.iter().any(|(known, _)| *known == name), "{name}");
        list.iter().map(|(known, same)| (*known, if *known == name { "other" } else { same })).collect()
    }

    #[test]
    fn a_query_file_re_does_the_languages_that_read_it() {
        for (file, languages) in [
            ("c/tags.scm", vec!["c"]),
            ("cpp/tags.scm", vec!["c", "cpp"]),
            ("java/tags.scm", vec!["java"]),
            ("tsx/references.scm", vec!["javascript", "tsx", TEXT]),
            ("python/chunks.scm", vec!["python", TEXT]),
        ] {
            let texts = with_other(BUILT.texts, file);
            assert_eq!(redone(&Inputs { texts: &texts, ..BUILT }), languages, "{file}");
        }
    }

    #[test]
    fn another_version_of_a_grammar_re_does_the_languages_that_it_parses() {
        for (package, languages) in [
            ("tree_sitter_go", vec!["go"]),
            ("tree_sitter_rust", vec!["rust", TEXT]),
            ("tree_sitter_typescript", vec!["tsx", "typescript", TEXT]),
        ] {
            let packages = with_other(BUILT.packages, package);
            assert_eq!(redone(&Inputs { packages: &packages, ..BUILT }), languages, "{package}");
        }
    }

    #[test]
    fn another_grammar_of_the_same_crate_is_another_recipe() {
        let row = &TABLE[row_index("typescript").unwrap()];
        let other = LanguageRow { grammar: GrammarCrate { constant: "LANGUAGE_TSX", ..row.grammar }, ..*row };
        assert_ne!(BUILT.language(&other), BUILT.language(row));
    }

    #[test]
    fn other_code_or_another_parser_re_does_everything() {
        let packages = with_other(BUILT.packages, "tree_sitter");
        assert_eq!(redone(&Inputs { packages: &packages, ..BUILT }).len(), TABLE.len() + 1);
        for (file, _) in BUILT.code {
            let code = with_other(BUILT.code, file);
            assert_eq!(redone(&Inputs { code: &code, ..BUILT }).len(), TABLE.len() + 1, "{file}");
        }
    }

    #[test]
    fn the_build_notes_what_there_is() {
        let texts: HashSet<_> =
            TABLE.iter().flat_map(|row| row.queries.iter().chain(row.path_patterns)).map(|file| file.path).collect();
        let noted: HashSet<_> = BUILT.texts.iter().map(|(path, _)| *path).collect();
        assert_eq!(noted, texts);
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let name_of = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(name_of).collect();
        files.retain(|file| !["lib.rs", "recipe.rs", "shapes", "support.rs", "table"].contains(&file.as_str()));
        // This file decides which row a first line names.
        files.push("table/mod.rs".to_owned());
        files.sort();
        let files = files.iter().map(|file| format!("icr-lang/src/{file}"));
        let of_model = ["chunk_tokens", "digest", "span"].map(|module| format!("icr-model/src/{module}.rs"));
        assert_eq!(
            BUILT.code.iter().map(|(file, _)| *file).collect::<Vec<_>>(),
            files.chain(of_model).collect::<Vec<_>>()
        );
        for (_, digest) in BUILT.texts.iter().chain(BUILT.code) {
            assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
        }
    }

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
}
