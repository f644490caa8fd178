//! Languages that share file names: `.h` is C in one repository and C++ in the next, so the text decides.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::table::{LanguageRow, language_row};

/// A language whose files may have the names of another language.
struct SharedNames {
    /// The language that the path gives.
    by_path: &'static str,
    /// The language of the text if a line begins as `expression` says, after blanks.
    by_text: &'static str,
    /// What is written in `by_text` and, outside of comments, is not valid in `by_path`.
    expression: LazyLock<Regex>,
}

/// Signs of C++: those by which GitHub Linguist tells `.h` files apart (`heuristics.yml`), but for `try`, `catch` and
/// `constexpr`, which C has as names or as keywords (C23), and with more of what follows each word, because words such as
/// `class` also begin lines of comments.
const SIGNS_OF_CPP: &[&str] = &[
    r"template\s*<",
    r"(?:inline\s+)?namespace(?:\s+[A-Za-z_][\w:]*)?\s*\{",
    r"using\s+namespace\s+[A-Za-z_]",
    r"using\s+[A-Za-z_]\w*\s*=",
    r"using\s+(?:::)?[A-Za-z_]\w*::",
    r"(?:public|protected|private)[ \t]*:[ \t]*(?:/[/*].*)?\r?$",
    r"(?:enum\s+)?class\s+(?:[A-Za-z_]\w*(?:\([^()\n]*\))?\s+)*[A-Za-z_]\w*\s*(?:final\s*)?(?:[;{]|:[^:])",
    r#"[^\n"'/*]*\bstd::[A-Za-z_]"#,
    // Headers of the standard library that C has not.
    concat!(
        r"#[ \t]*include[ \t]*<(?:algorithm|array|atomic|bitset|chrono|condition_variable|deque|exception|filesystem",
        r"|forward_list|fstream|functional|future|initializer_list|iomanip|iosfwd|iostream|istream|iterator|limits|list|map",
        r"|memory|mutex|numeric|optional|ostream|queue|random|set|span|sstream|stack|stdexcept|streambuf|string",
        r"|string_view|system_error|thread|tuple|type_traits|unordered_map|unordered_set|utility|variant|vector)>"
    ),
];

/// All languages that share file names.
static SHARED: [SharedNames; 1] =
    [SharedNames { by_path: "c", by_text: "cpp", expression: LazyLock::new(|| expression(SIGNS_OF_CPP)) }];

fn expression(signs: &[&str]) -> Regex {
    let any = format!(r"(?m-u)^[ \t]*(?:{})", signs.join("|"));
    Regex::new(&any).expect("a test reads texts with every expression of this list")
}

/// The row that reads `text`, a text whose path gives `row`.
pub(crate) fn row_by_text(row: &'static LanguageRow, text: &[u8]) -> &'static LanguageRow {
    let other = SHARED.iter().find(|shared| shared.by_path == row.name && shared.expression.is_match(text));
    other.and_then(|shared| language_row(shared.by_text)).unwrap_or(row)
}

/// The languages other than `language` that a text may have whose path gives `language`.
pub(crate) fn others_by_text(language: &str) -> impl Iterator<Item = &'static str> {
    SHARED.iter().filter(move |shared| shared.by_path == language).map(|shared| shared.by_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(text: &str) -> &'static str {
        row_by_text(language_row("c").unwrap(), text.as_bytes()).name
    }

    #[test]
    fn a_header_with_a_sign_of_cpp_is_read_as_cpp() {
        for text in [
            "#pragma once\n#include <string_view>\n",
            "#  include <ostream>\n",
            "int a;\r\nnamespace fmt {\r\n",
            "namespace fmt\n{\n",
            "inline namespace v1 {",
            "namespace {\n",
            "  template <typename T>\nT max(T a, T b);\n",
            "class Cursor;\n",
            "class LEVELDB_EXPORT Cursor : public Base {",
            "class EXPORT(1) Cursor final\n{",
            "enum class Colour : int {",
            "struct A {\n public:\n  int a;\n};",
            "struct A {\nprivate: // its own\n",
            "using Names = int;",
            "using namespace std;",
            "using std::swap;",
            "void run(const std::string& name);",
        ] {
            assert_eq!(read_as(text), "cpp", "{text:?}");
        }
    }

    #[test]
    fn a_header_of_c_stays_c() {
        for text in [
            "",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint add(int, int);\n",
            "#include <string.h>\n#include <limits.h>\n#include \"vector\"\n",
            "/* This\nclass of functions is old.\nusing it is fine\nnamespace pollution\n*/",
            "int class, new, template, namespace;\n",
            "int template[3];\nstruct list *class;\n",
            "switch (a) {\ncase public: break; }",
            "// like std::string\n/* std::vector */\nchar *a = \"std::string\";\n",
            "int constexpr;\n  try();\n",
        ] {
            assert_eq!(read_as(text), "c", "{text:?}");
        }
    }

    #[test]
    fn other_languages_do_not_depend_on_the_text() {
        let rust = language_row("rust").unwrap();
        assert_eq!(row_by_text(rust, b"template <class T>").name, "rust");
        assert_eq!(others_by_text("rust").count(), 0);
        assert_eq!(others_by_text("c").collect::<Vec<_>>(), ["cpp"]);
    }
}
