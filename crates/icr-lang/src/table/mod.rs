//! The language table: one row per language, sorted by name. Adding a language is a row in the file of its family, a
//! folder of queries and fixtures.

use std::ops::Range;

use icr_model::{RepoPath, Span, Visibility};
use tree_sitter::{Language, Tree};

use crate::shared_names::{others_by_text, row_by_text};

macro_rules! texts {
    ($($file:literal),*) => {
        &[$($crate::table::QueryText { path: $file, text: include_str!(concat!("../../queries/", $file)) }),*]
    };
}

macro_rules! grammar {
    ($name:ident::$language:ident) => {
        grammar!($name::$language, must_not_see: None)
    };
    ($name:ident::$language:ident, must_not_see: $must_not_see:expr) => {
        $crate::table::GrammarCrate {
            name: stringify!($name),
            constant: stringify!($language),
            language: || $name::$language.into(),
            must_not_see: $must_not_see,
        }
    };
}

mod compiled;
mod dynamic;
mod formats;
mod reserved_words;

pub(crate) use reserved_words::RESERVED_IN_CPP;

/// Language name of text without a grammar. A first line that names an interpreter may still change it.
pub const TEXT: &str = "text";

/// Everything about one language.
#[derive(Debug, Clone, Copy)]
pub struct LanguageRow {
    /// Name used in answers and filters.
    pub name: &'static str,
    /// File name extensions: the part after the last dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    /// Interpreters in a first line `#!…`, without digits and dots at the end.
    pub interpreters: &'static [&'static str],
    /// Words that are never the name of a definition, sorted; a text where one seems to be is misread. May be empty, as where
    /// a member may be called by any word.
    pub(crate) reserved_words: &'static [&'static str],
    /// Words that begin a definition with a name; they do not affect facts.
    pub(crate) defining_words: DefiningWords,
    pub(crate) grammar: GrammarCrate,
    /// Texts of patterns for definitions and imports, which are run at nodes.
    pub(crate) queries: &'static [QueryText],
    /// Texts of path patterns: places where a definition may be cut, and roles of identifiers.
    pub(crate) path_patterns: &'static [QueryText],
    /// Texts of patterns for the parts of signatures; they do not affect facts.
    pub(crate) shapes: &'static [QueryText],
    /// First characters of a comment that documents the definition after it.
    pub(crate) doc_prefixes: &'static [&'static str],
    /// Comments that a compiler or interpreter obeys; they do not affect facts.
    pub(crate) directives: DirectiveComments,
    /// Separator of the parts of an import that is written as a tree, and of nested names.
    pub(crate) import_separator: &'static str,
    /// What changes the text before the compiler reads it.
    pub(crate) preprocessor: Preprocessor,
    /// How syntax that the grammar does not know or takes for something else is shown to it.
    pub(crate) respelling: Option<Respelling>,
    pub(crate) visibility: VisibilityRule,
}

/// Where a grammar comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GrammarCrate {
    /// Name of the crate as written in code.
    pub(crate) name: &'static str,
    /// Name of the constant in the crate, because some crates have several grammars.
    pub(crate) constant: &'static str,
    pub(crate) language: fn() -> Language,
    /// A regular expression over bytes. The grammar must not see the text of its first group, because that text would
    /// end the process or be misread; the parser gets letters instead.
    pub(crate) must_not_see: Option<&'static str>,
}

/// A file of `queries/`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueryText {
    /// Path in `queries/`.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

/// Which comments a compiler or interpreter obeys, so that they count as code. The first line of a script (`#!…`) does in
/// every language. The expressions are over the bytes of one comment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectiveComments {
    /// Matches those that are obeyed wherever they are.
    pub(crate) anywhere: Option<&'static str>,
    /// Matches those that are obeyed before any code.
    pub(crate) leading: Option<&'static str>,
    /// Lines that are code. The comments directly before one are obeyed.
    pub(crate) before: &'static [&'static str],
}

/// For languages in which no comment is obeyed.
const NO_DIRECTIVES: DirectiveComments = DirectiveComments { anywhere: None, leading: None, before: &[] };

/// Words that begin a definition with a name, wherever they stand outside of comments and texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DefiningWords {
    /// Sorted. Empty if no word shows a definition.
    words: &'static [&'static str],
    /// Whether what follows such a word is a definition only if it has a body in braces: `struct point p;` declares a variable.
    pub(crate) need_body: bool,
}

/// For languages in which no word shows a definition.
const NO_DEFINING_WORDS: DefiningWords = DefiningWords::without_body(&[]);

impl DefiningWords {
    /// Words behind which a name is enough.
    const fn without_body(words: &'static [&'static str]) -> Self {
        Self { words, need_body: false }
    }

    /// Words behind which a definition has a body in braces.
    const fn with_body(words: &'static [&'static str]) -> Self {
        Self { words, need_body: true }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn contain(&self, word: &[u8]) -> bool {
        self.words.binary_search_by(|known| known.as_bytes().cmp(word)).is_ok()
    }
}

/// What changes the text before the compiler reads it, which a grammar cannot see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preprocessor {
    /// Nothing.
    Absent,
    /// `#if`, `#else` and `#endif` leave lines out.
    Conditions,
    /// The same, and macros stand for any text: also for annotations where the grammar expects nothing.
    ConditionsAndMacros(MacroPlaces),
}

/// Where macros may stand that a grammar misreads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MacroPlaces {
    /// In and around declarations that have a type.
    OutsideOfClasses,
    /// Also among the members of classes: in place of `public:`, and above constructors, which have no type.
    InClassesToo,
}

/// Functions that show a text to the grammar in syntax that the grammar knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Respelling {
    /// The parts of a text that its tree takes for something else, and that can be left out.
    pub(crate) misread_parts: fn(&[u8], &Tree) -> Vec<Range<usize>>,
    /// The text without these parts, and in syntax that the grammar knows if the text has errors; `None` if nothing in it is
    /// to be replaced.
    pub(crate) respelled: RespellText,
}

/// Takes a text, whether its tree has errors, and the parts of it to leave out.
pub(crate) type RespellText = fn(&[u8], bool, &[Range<usize>]) -> Option<RespelledText>;

/// A text as the grammar can read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RespelledText {
    /// As long as the original.
    pub(crate) text: Vec<u8>,
    /// What is blank in it, in order, none inside another.
    pub(crate) blanked: Vec<Span>,
}

/// How a language expresses who may use a definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisibilityRule {
    /// Words of a modifier with their meaning; the first match counts. A word that ends in `(` or `[` matches as a
    /// prefix.
    pub(crate) words: &'static [(&'static str, Visibility)],
    /// The visibility that the name itself gives.
    pub(crate) names: NameRule,
    /// The default at file level, when neither a modifier nor the name gives a visibility.
    pub(crate) unmarked: DefaultVisibility,
}

/// How a name gives its visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// It does not.
    Silent,
    /// Public if it begins with a capital letter, else visible in its package.
    Capitalised,
    /// Private if it begins with `_`, except between double underscores; else public.
    Underscore,
    /// Private if it begins with `#`.
    Hash,
}

/// The visibility of a definition without any mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultVisibility {
    /// Always the same.
    Is(Visibility),
    /// Private in a blob that exports something. A blob without exports is a script, in which visibility is unknown.
    PrivateAmongExports,
}

/// The row of `name`; `None` for [`TEXT`] and unknown names.
pub fn language_row(name: &str) -> Option<&'static LanguageRow> {
    row_index(name).map(|index| &TABLE[index])
}

/// Names of all languages with a grammar, sorted.
pub fn languages() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

/// The language that the path alone gives: the row that lists its file name, else its extension in any case. [`TEXT`]
/// when no row does; then [`crate::Extractor::extract`] looks for an interpreter in the first line. The text may also give
/// another language than the path ([`depends_on_text`]); [`icr_model::Facts::language`] has the last word.
pub fn language_of(path: &RepoPath) -> &'static str {
    let lists = |list: &[&str], word: &[u8]| list.iter().any(|listed| listed.as_bytes().eq_ignore_ascii_case(word));
    let by_name = || TABLE.iter().find(|row| row.file_names.iter().any(|name| name.as_bytes() == path.file_name()));
    let by_extension = || TABLE.iter().find(|row| path.extension().is_some_and(|word| lists(row.extensions, word)));
    by_name().or_else(by_extension).map_or(TEXT, |row| row.name)
}

/// Whether the text of a file may be in another language than its path gives ([`language_of`]): a script without an
/// extension names its interpreter, and a `.h` file may hold C++.
pub fn depends_on_text(by_path: &str) -> bool {
    by_path == TEXT || others_by_text(by_path).next().is_some()
}

/// Whether the text of a file may be in `language` if its path gives `by_path`.
pub fn may_hold(by_path: &str, language: &str) -> bool {
    let has_interpreters = || language_row(language).is_some_and(|row| !row.interpreters.is_empty());
    by_path == language
        || by_path == TEXT && has_interpreters()
        || others_by_text(by_path).any(|other| other == language)
}

/// The language of `text`, if the path of its file gives `by_path`.
pub fn language_of_text(by_path: &str, text: &[u8]) -> &'static str {
    row_of_text(by_path, text).map_or(TEXT, |row| row.name)
}

/// The row of `text`, if the path of its file gives `by_path`.
pub(crate) fn row_of_text(by_path: &str, text: &[u8]) -> Option<&'static LanguageRow> {
    language_row(by_path).map(|row| row_by_text(row, text)).or_else(|| row_of_shebang(text))
}

pub(crate) fn row_index(name: &str) -> Option<usize> {
    TABLE.binary_search_by(|row| row.name.cmp(name)).ok()
}

/// The row whose interpreter is named in the first line of `blob`: `#!/usr/bin/env -S python3.11 -u` names `python`.
fn row_of_shebang(blob: &[u8]) -> Option<&'static LanguageRow> {
    /// Longest first line that is accepted, in bytes; Linux reads 256 bytes (`BINPRM_BUF_SIZE`).
    const LONGEST: usize = 256;
    let line = blob.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(LONGEST)];
    let line = std::str::from_utf8(line.split(|byte| *byte == b'\n').next()?).ok()?;
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('-') && !word.contains('='));
    let program = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut name = program(words.next()?);
    if name == "env" {
        name = program(words.next()?);
    }
    let name = name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    TABLE.iter().find(|row| row.interpreters.contains(&name))
}

/// For languages in which everything is visible.
const NO_VISIBILITY: VisibilityRule =
    VisibilityRule { words: &[], names: NameRule::Silent, unmarked: DefaultVisibility::Is(Visibility::Unspecified) };

const ROWS_TOTAL: usize = compiled::ROWS.len() + dynamic::ROWS.len() + formats::ROWS.len();

/// All rows, sorted by name.
pub(crate) static TABLE: &[LanguageRow] = &sorted([compiled::ROWS, dynamic::ROWS, formats::ROWS]);

/// The rows of all `families`, sorted by name.
const fn sorted(families: [&[LanguageRow]; 3]) -> [LanguageRow; ROWS_TOTAL] {
    let mut rows = [families[0][0]; ROWS_TOTAL];
    let mut len = 0;
    let mut family = 0;
    while family < families.len() {
        let mut index = 0;
        while index < families[family].len() {
            let row = families[family][index];
            let mut place = len;
            while place > 0 && is_before(row.name.as_bytes(), rows[place - 1].name.as_bytes()) {
                rows[place] = rows[place - 1];
                place -= 1;
            }
            rows[place] = row;
            len += 1;
            index += 1;
        }
        family += 1;
    }
    rows
}

const fn is_before(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() {
        if one[index] != other[index] {
            return one[index] < other[index];
        }
        index += 1;
    }
    one.len() < other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defining_words_are_sorted() {
        for row in TABLE {
            assert!(row.defining_words.words.is_sorted_by(|one, next| one < next), "{}", row.name);
        }
    }

    #[test]
    fn rows_are_sorted_by_name() {
        assert!(TABLE.is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn reserved_words_are_sorted() {
        for row in TABLE {
            assert!(row.reserved_words.is_sorted_by(|one, next| one < next), "{}", row.name);
        }
    }

    #[test]
    fn an_extension_a_file_name_and_an_interpreter_belong_to_one_row() {
        for list in [
            |row: &LanguageRow| row.extensions,
            |row: &LanguageRow| row.file_names,
            |row: &LanguageRow| row.interpreters,
        ] {
            let mut words: Vec<_> = TABLE.iter().flat_map(list).collect();
            words.sort();
            let total = words.len();
            words.dedup();
            assert_eq!(words.len(), total, "{words:?}");
        }
    }

    #[test]
    fn a_path_names_its_language() {
        for (path, language) in [
            ("src/main.rs", "rust"),
            ("a.tar/B.JAVA", "java"),
            ("SConstruct", "python"),
            ("sconstruct", "text"),
            ("include/x.h", "c"),
            ("include/x.hpp", "cpp"),
            ("a.cs", "csharp"),
            ("analysis.R", "r"),
            ("a.ml", "ocaml"),
            ("a.mli", "ocaml_interface"),
            ("build.sbt", "scala"),
            ("a.test.tsx", "tsx"),
            (".rs", "text"),
            ("README.txt", "text"),
            ("README.md", "markdown"),
            ("docker/Dockerfile", "dockerfile"),
            ("Cargo.lock", "toml"),
            ("GNUmakefile", "make"),
            ("", "text"),
        ] {
            assert_eq!(language_of(&RepoPath::from(path)), language, "{path}");
        }
    }

    #[test]
    fn a_first_line_names_its_language() {
        for (line, language) in [
            ("#!/usr/bin/python\n", Some("python")),
            ("#!/usr/bin/env -S python3.11 -u\r\nprint()", Some("python")),
            ("#! /usr/bin/env FOO=1 node\n", Some("javascript")),
            ("#!/bin/sh\n", Some("bash")),
            ("#!/usr/bin/env Rscript --vanilla\n", Some("r")),
            ("#!/usr/bin/lua5.4\n", Some("lua")),
            ("#!/bin/awk -f\n", None),
            ("#!", None),
            ("#!/usr/bin/env", None),
            (" #!/usr/bin/python", None),
        ] {
            assert_eq!(row_of_shebang(line.as_bytes()).map(|row| row.name), language, "{line:?}");
        }
        assert!(row_of_shebang(b"#!\xff\n").is_none());
    }
}
