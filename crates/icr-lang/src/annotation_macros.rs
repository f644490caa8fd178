//! Macros of C and C++ that annotate a declaration where the grammar expects nothing: `class EXPORT Name {`,
//! `int n GUARDED_BY(lock);`, and a line `TEMPLATE_OF_NODE` above `class Node {`. With them, a class is read as a function
//! or as an error, and an annotation as a function of its own.

use std::sync::LazyLock;

use icr_model::Span;
use regex::bytes::Regex;

use crate::table::{Preprocessor, language_row};

/// Each expression has the macro as its first group.
static EXPRESSIONS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    // Two names before the body of a type: the first is a macro. Only capitals count, because `struct point p {1, 2};`
    // is a variable.
    let before_name = concat!(
        r"(?-u)\b(?:class|struct|union)\s+([A-Z][A-Z0-9_]+(?:\([^()\n]*\))?)",
        r"\s+[A-Za-z_]\w*(?:::\w+)*\s*(?:final\s*)?(?:\{|:[^:])"
    );
    // The macros that Clang's documentation proposes for its thread safety analysis, with those that it used before.
    let after_declarator = concat!(
        r"(?-u)[\w)\]]\s+((?:ABSL_)?(?:PT_)?(?:ACQUIRED_AFTER|ACQUIRED_BEFORE|ACQUIRE|ACQUIRE_SHARED|ASSERT_CAPABILITY",
        r"|ASSERT_EXCLUSIVE_LOCK|ASSERT_SHARED_LOCK|EXCLUDES|EXCLUSIVE_LOCKS_REQUIRED|EXCLUSIVE_LOCK_FUNCTION",
        r"|EXCLUSIVE_TRYLOCK_FUNCTION|GUARDED_BY|LOCKS_EXCLUDED|LOCK_RETURNED|RELEASE|RELEASE_GENERIC|RELEASE_SHARED",
        r"|REQUIRES|REQUIRES_SHARED|RETURN_CAPABILITY|SHARED_LOCKS_REQUIRED|SHARED_LOCK_FUNCTION",
        r"|SHARED_TRYLOCK_FUNCTION|TRY_ACQUIRE|TRY_ACQUIRE_SHARED|UNLOCK_FUNCTION)",
        r"\s*\((?:[^()\n]|\([^()\n]*\))*\)|NO_THREAD_SAFETY_ANALYSIS\b)"
    );
    [before_name, after_declarator]
        .map(|expression| Regex::new(expression).expect("a test reads texts with both expressions"))
});

/// Words that begin a declaration, sorted. Not `operator`, which may follow a type alone on its line, and not `register`,
/// which begins parameters in old C.
const BEGINNINGS: [&[u8]; 35] = [
    // tidy: sorted
    b"auto",
    b"bool",
    b"char",
    b"class",
    b"concept",
    b"const",
    b"consteval",
    b"constexpr",
    b"constinit",
    b"double",
    b"enum",
    b"explicit",
    b"export",
    b"extern",
    b"float",
    b"friend",
    b"inline",
    b"int",
    b"long",
    b"module",
    b"mutable",
    b"namespace",
    b"short",
    b"signed",
    b"static",
    b"struct",
    b"template",
    b"thread_local",
    b"typedef",
    b"typename",
    b"union",
    b"unsigned",
    b"using",
    b"virtual",
    b"void",
    // tidy: end
];

/// The macros in `text` that annotate a declaration, in order, none inside another. Costs a few looks at each byte.
pub(crate) fn annotation_macros(language: &str, text: &[u8]) -> Vec<Span> {
    if language_row(language).is_none_or(|row| row.preprocessor != Preprocessor::ConditionsAndMacros) {
        return Vec::new();
    }
    let all = EXPRESSIONS.iter().flat_map(|expression| expression.captures_iter(text));
    let spans = all.filter_map(|found| found.get(1)).map(|group| Span::new(group.start() as u32, group.end() as u32));
    let mut spans: Vec<Span> = spans.chain(macros_above(text)).collect();
    spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    spans.retain(|span| {
        let is_outside = span.start >= end;
        end = end.max(span.end);
        is_outside
    });
    spans
}

/// What a line does for a declaration below it.
enum Line {
    /// Holds only a macro, from the first to the second byte of the line.
    Macro(usize, usize),
    BeginsDeclaration,
    /// White space or a comment.
    Nothing,
    /// The code before the next line is complete, or not.
    Code {
        ends: bool,
    },
}

/// Macros that stand alone on their line, with only such lines, comments and blank lines between them and the beginning
/// of a declaration. The rest of a declaration or expression that began before is none, such as the second line of a
/// function `ALL` whose first line is its type and whose third line declares a parameter.
fn macros_above(text: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut above: Vec<Span> = Vec::new();
    let (mut in_comment, mut ends) = (false, true);
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line_kind(line, &mut in_comment) {
            Line::Macro(from, to) if ends => above.push(Span::new((start + from) as u32, (start + to) as u32)),
            Line::BeginsDeclaration => {
                found.append(&mut above);
                ends = ends_code(line);
            }
            Line::Nothing => {}
            Line::Macro(..) => above.clear(),
            Line::Code { ends: complete } => {
                above.clear();
                ends = complete;
            }
        }
        start += line.len();
    }
    found
}

fn line_kind(line: &[u8], in_comment: &mut bool) -> Line {
    let mut code = line.trim_ascii();
    while *in_comment || code.starts_with(b"/*") {
        code = if *in_comment { code } else { &code[2..] };
        let end = memchr::memmem::find(code, b"*/");
        *in_comment = end.is_none();
        let Some(end) = end else { return Line::Nothing };
        code = code[end + 2..].trim_ascii_start();
    }
    if code.is_empty() || code.starts_with(b"//") {
        return Line::Nothing;
    }
    if let Some(length) = macro_alone(code) {
        let from = line.trim_ascii_end().len() - code.len();
        return Line::Macro(from, from + length);
    }
    // A comment that begins behind code.
    *in_comment = memchr::memmem::rfind(code, b"/*").is_some_and(|begin| {
        memchr::memmem::find(&code[begin..], b"*/").is_none() && memchr::memmem::find(&code[..begin], b"//").is_none()
    });
    let word = code.iter().take_while(|byte| is_of_name(**byte)).count();
    let begins = BEGINNINGS.binary_search(&&code[..word]).is_ok() || code.starts_with(b"[[");
    if begins { Line::BeginsDeclaration } else { Line::Code { ends: ends_code(code) } }
}

/// The length of the macro with its arguments, if `code` begins with one and nothing but a comment follows.
fn macro_alone(code: &[u8]) -> Option<usize> {
    let name =
        code.iter().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_').count();
    if name < 2 || code[0].is_ascii_digit() || !code[..name].iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    let behind = |end: usize| code[end..].trim_ascii_start();
    let length = match behind(name) {
        arguments if arguments.starts_with(b"(") => code.len() - arguments.len() + end_of_brackets(arguments)?,
        _ => name,
    };
    (behind(length).is_empty() || behind(length).starts_with(b"//")).then_some(length)
}

/// The length of the brackets that `text` begins with; `None` if they do not close.
fn end_of_brackets(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quote, mut at) = (0_u32, None, 0);
    while let Some(&byte) = text.get(at) {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            (None, _) => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether the code of a line ends a declaration, a statement, or what stands before a declaration.
fn ends_code(line: &[u8]) -> bool {
    let code = memchr::memmem::find(line, b"//").map_or(line, |comment| &line[..comment]).trim_ascii_end();
    let is_directive = code.trim_ascii_start().starts_with(b"#") && !code.ends_with(b"\\");
    is_directive
        || code.ends_with(b"*/")
        || matches!(code.last(), None | Some(b';' | b'{' | b'}' | b':' | b'>' | b')' | b']'))
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let macros = annotation_macros("cpp", text.as_bytes());
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
        check("NAMESPACE_BEGIN\nnamespace detail\n{\nNAMESPACE_END", &["NAMESPACE_BEGIN"]);
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
            "MAX\nstructure a;",
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
        assert_eq!(annotation_macros("java", b"class A B {"), []);
    }

    #[test]
    fn annotations_of_threads_are_found() {
        check("MemTable* imm_ GUARDED_BY(mutex_);", &["GUARDED_BY(mutex_)"]);
        check("void Lock() EXCLUSIVE_LOCK_FUNCTION() {}", &["EXCLUSIVE_LOCK_FUNCTION()"]);
        check("void Run(int n)\n    EXCLUSIVE_LOCKS_REQUIRED(mutex(a));", &["EXCLUSIVE_LOCKS_REQUIRED(mutex(a))"]);
        check("void f() NO_THREAD_SAFETY_ANALYSIS;", &["NO_THREAD_SAFETY_ANALYSIS"]);
    }
}
