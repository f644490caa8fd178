//! Macros of C and C++ that annotate a declaration where the grammar expects nothing: `class EXPORT Name {`,
//! `int n GUARDED_BY(lock);`, and those of [`declaration_macros`]. With them, a class is read as a function or as an error,
//! and an annotation as a function of its own.

use std::sync::LazyLock;

use icr_model::Span;
use regex::bytes::Regex;

use crate::declaration_macros::declaration_macros;
use crate::table::{LanguageRow, Preprocessor};

/// Annotations behind a declarator; the first group is the macro.
static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    // The macros that Clang's documentation proposes for its thread safety analysis, with those that it used before.
    let after_declarator = concat!(
        r"(?-u)[\w)\]]\s+((?:ABSL_)?(?:PT_)?(?:ACQUIRED_AFTER|ACQUIRED_BEFORE|ACQUIRE|ACQUIRE_SHARED|ASSERT_CAPABILITY",
        r"|ASSERT_EXCLUSIVE_LOCK|ASSERT_SHARED_LOCK|EXCLUDES|EXCLUSIVE_LOCKS_REQUIRED|EXCLUSIVE_LOCK_FUNCTION",
        r"|EXCLUSIVE_TRYLOCK_FUNCTION|GUARDED_BY|LOCKS_EXCLUDED|LOCK_RETURNED|RELEASE|RELEASE_GENERIC|RELEASE_SHARED",
        r"|REQUIRES|REQUIRES_SHARED|RETURN_CAPABILITY|SHARED_LOCKS_REQUIRED|SHARED_LOCK_FUNCTION",
        r"|SHARED_TRYLOCK_FUNCTION|TRY_ACQUIRE|TRY_ACQUIRE_SHARED|UNLOCK_FUNCTION)",
        r"\s*\((?:[^()\n]|\([^()\n]*\))*\)|NO_THREAD_SAFETY_ANALYSIS\b)"
    );
    Regex::new(after_declarator).expect("a test reads texts with this expression")
});

/// The macros in `text` that annotate a declaration, in order, none inside another. Costs a few looks at each byte.
pub(crate) fn annotation_macros(row: &LanguageRow, text: &[u8]) -> Vec<Span> {
    let Preprocessor::ConditionsAndMacros(places) = row.preprocessor else { return Vec::new() };
    let spans = EXPRESSION
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .map(|group| Span::new(group.start() as u32, group.end() as u32));
    let mut spans: Vec<Span> = spans.chain(declaration_macros(places, text)).collect();
    spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    spans.retain(|span| {
        let is_outside = span.start >= end;
        end = end.max(span.end);
        is_outside
    });
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::language_row;
    use crate::{ChunkLimits, Extractor, syntax_errors};

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let macros = annotation_macros(language_row("cpp").unwrap(), text.as_bytes());
        let shown: Vec<&str> = macros.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn a_macro_between_class_and_name_is_found() {
        check("class LEVELDB_EXPORT Status {", &["LEVELDB_EXPORT"]);
        check("class CAPABILITY(\"mutex\") Mutex\n{", &["CAPABILITY(\"mutex\")"]);
        check("class SPDLOG_API logger final : public base {", &["SPDLOG_API"]);
        check("struct PACKED WriteBatch::Handler : Base {", &["PACKED"]);
    }

    #[test]
    fn a_macro_on_a_line_above_a_declaration_is_found() {
        check("TPL\nclass tree : public base<int> {", &["TPL"]);
        check("}\n\n  _API_2 // why\n\n/* what\n   it is */\n// and how\nstruct a;", &["_API_2"]);
        check("#if X\nNOT_NULL(1, of(\")\"))\nUNUSED\nstatic int a();", &["NOT_NULL(1, of(\")\"))", "UNUSED"]);
        check("template <class T>\nAPI\n[[nodiscard]] T a();\nAPI\nvoid b();\n", &["API", "API"]);
        check("NAMESPACE_BEGIN\nnamespace detail\n{\nNAMESPACE_END", &["NAMESPACE_BEGIN", "NAMESPACE_END"]);
        check("BEGIN\nclass EXPORT Name {\n/* one\n*/\nTWO\nint a;", &["BEGIN", "EXPORT", "TWO"]);
    }

    #[test]
    fn what_is_no_macro_above_a_declaration_stays() {
        for text in [
            "void\nALL(a)\nint a;\n{",
            "#define ALL \\\n  FIRST\nclass A {",
            "enum {\n  ONE,\n  TWO\n};",
            "x = ONE +\n  TWO\nint a;",
            "TEST(a, b)\n{",
            "RUN(a);\nint a;",
            "RUN(a\nint b;",
            "Mixed\nint a;",
            "A\nint a;",
            "BOOL\noperator==(int a);",
            "MAX\nfirst();\nint a;",
            "MAX\n#endif\nint a;",
            "/*\nMAX\nint a;\n*/",
            "a(); /* as in\nMAX\nint a; */",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_is_no_annotation_stays() {
        for text in [
            "class Status {",
            "class DB;",
            "class DB : public Base {",
            "struct point p {1, 2};",
            "struct POINT p;",
            "struct POINT move(struct POINT p) {",
            "GUARDED_BY(x);",
            "x = REQUIRES(y);",
            "class A::B {",
        ] {
            check(text, &[]);
        }
        assert_eq!(annotation_macros(language_row("java").unwrap(), b"class A B {"), []);
    }

    /// Checks the names of the definitions in `text`, which has no syntax error.
    #[track_caller]
    fn check_names(language: &str, text: &str, expected: &[&str]) {
        assert_eq!(syntax_errors(language, text.as_bytes()), [], "{text}");
        let facts = Extractor::new(ChunkLimits::default()).extract(language, text.as_bytes()).facts;
        let names: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, expected, "{text}");
    }

    #[test]
    fn macros_hide_no_definition_and_are_none() {
        check_names(
            "cpp",
            "class EXPORT(x) Name FINAL : Base {\n public:\n  int a();\n  struct Inner { int b; };\n};\n\
             class EXPORT Other FINAL {\n public:\n  API Other(int c) : c_(c) {}\n  int c_;\n};\n",
            &["Name", "a", "Inner", "b", "Other", "Other", "c_"],
        );
        check_names(
            "cpp",
            "EXPORT template <typename T> class List {\n public:\n  template <typename U> struct need_copy {\n\
             \x20   static constexpr int mapped_type = 1;\n    enum { value = 2 };\n  };\n\
             \x20 template <typename V> void push(const V& a) {\n    if CONSTEXPR20 (need_copy<V>::value)\n      b(a);\n\
             \x20   else\n      c(a);\n    if CONSTEXPR20 (d()) {\n      e();\n    }\n  }\n  void clear() {}\n};\n",
            &["List", "need_copy", "mapped_type", "value", "push", "clear"],
        );
        check_names(
            "c",
            "struct PACKED name { int a; };\nEXPORT struct EXPORT(1) other FINAL { int b; };\n\
             int f(int c) {\n  if LIKELY (c) {\n    return 1;\n  }\n  return 2;\n}\n",
            &["name", "a", "other", "b", "f"],
        );
    }

    #[test]
    fn annotations_of_threads_are_found() {
        check("MemTable* imm_ GUARDED_BY(mutex_);", &["GUARDED_BY(mutex_)"]);
        check("void Lock() EXCLUSIVE_LOCK_FUNCTION() {}", &["EXCLUSIVE_LOCK_FUNCTION()"]);
        check("void Run(int n)\n    EXCLUSIVE_LOCKS_REQUIRED(mutex(a));", &["EXCLUSIVE_LOCKS_REQUIRED(mutex(a))"]);
        check("void f() NO_THREAD_SAFETY_ANALYSIS;", &["NO_THREAD_SAFETY_ANALYSIS"]);
    }
}
