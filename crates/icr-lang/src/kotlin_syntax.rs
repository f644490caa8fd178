//! Syntax of Kotlin that its grammar does not know or takes for something else. One such place can put a whole file
//! under an error, or a class under an expression. The grammar sees other text of the same length there: `is String if a`
//! as `is String ,  a`.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use icr_model::Span;
use regex::bytes::Regex;
use tree_sitter::Tree;

use crate::table::{RespelledText, Respelling};

/// Most bytes that are looked at from one place on, so that the cost stays bounded. Conditions and the arguments of
/// annotations are shorter.
const LONGEST: usize = 500;

/// Strings, characters, names in backticks and comments. An open one ends with its line, or with the text.
static OPAQUE: LazyLock<Regex> = LazyLock::new(|| {
    expression(concat!(
        r#"(?s-u)""".*?(?:"{3,}|\z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])+'"#,
        r"|`[^`\n]*`|//[^\n]*|/\*.*?(?:\*/|\z)"
    ))
});

/// Words that are keywords only in some places, and whose first group is a name here.
static NAMES: LazyLock<[Regex; 6]> = LazyLock::new(|| {
    // Behind a modifier stands a word, an annotation or a line end.
    const MODIFIERS: &str = concat!(
        r"\b(abstract|actual|annotation|companion|const|crossinline|data|enum|expect|external|final|infix|inline|inner",
        r"|internal|lateinit|noinline|open|operator|out|override|private|protected|public|reified|sealed|tailrec|value",
        r"|vararg|where"
    );
    [
        format!(r"(?-u){MODIFIERS}|suspend)[ \t]*[=.?!),;+\-*&|}}{{\[\]]"),
        format!(r"(?-u){MODIFIERS})[(]"),
        r"(?-u)\b(by)(?:\??\.|[ \t]*=)".to_owned(),
        // A getter has no argument, and a setter one.
        r#"(?-u)\b(get|set)[ \t]+[\w"]"#.to_owned(),
        r"(?-u)\b(get)[ \t]*\([^)\s]".to_owned(),
        r"(?-u)\b(set)\([^(),:{}\n]*,".to_owned(),
    ]
    .map(|text| expression(&text))
});

/// The start of a getter or a setter.
static ACCESSOR: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?-u)\b(?:get\(\)|set\([\w \t]*(?::[^()\n]*)?\)[ \t]*[={])"));

static CONSTRUCTOR: LazyLock<Regex> = LazyLock::new(|| expression(r"(?-u)\bconstructor[ \t]*[(]"));

/// A line that ends with the name of a class.
static CLASS_NAME: LazyLock<Regex> = LazyLock::new(|| expression(r"(?-u)\bclass[ \t]+\w+[ \t]*(?:<[^\n]*>)?\z"));

/// Context parameters, from what stands before them; the first group is their keyword.
static CONTEXT: LazyLock<Regex> = LazyLock::new(|| expression(r"(?-u)(?:\A|[\n{:,(<])[ \t]*(context)[(]"));

/// What follows the context parameters of a declaration, and those of a type.
static DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
    expression(concat!(
        r"(?-u)\A\s*(?:@|(?:abstract|actual|class|expect|final|fun|infix|inline|interface|internal|object|open|operator",
        r"|override|private|protected|public|suspend|tailrec|val|var)\b)"
    ))
});
static FUNCTION_TYPE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?-u)\A[ \t]*[A-Za-z(]"));

/// An `if` behind an operand, perhaps on the next line; the first group is the keyword.
static IF: LazyLock<Regex> = LazyLock::new(|| expression(r#"(?-u)[\w)>\]?"}][ \t\r\n]+(if)\b"#));

static TYPE_KEYWORD: LazyLock<Regex> = LazyLock::new(|| expression(r"(?-u)\b(?:class|interface|object)\b"));

/// Modifiers of types, accessors and constructors.
const MODIFIERS: &[&[u8]] = &[
    b"abstract",
    b"actual",
    b"annotation",
    b"companion",
    b"data",
    b"enum",
    b"expect",
    b"external",
    b"final",
    b"fun",
    b"inline",
    b"inner",
    b"internal",
    b"open",
    b"override",
    b"private",
    b"protected",
    b"public",
    b"sealed",
    b"value",
];

/// For the row of Kotlin. What is left out are annotations and context parameters.
pub(crate) const KOTLIN_RESPELLING: Respelling = Respelling { misread_parts: misread_annotations, respelled: reworded };

/// The annotations of types that `tree` takes for an expression: `@A annotation class B` for a call of a function `class`
/// between two values. Without its annotations, such a type is read as one. Costs a look at each byte, and a walk over the
/// tree if a type has annotations.
fn misread_annotations(text: &[u8], tree: &Tree) -> Vec<Range<usize>> {
    if !text.contains(&b'@') {
        return Vec::new();
    }
    let code = code_of(text);
    let keywords = TYPE_KEYWORD.find_iter(&code).map(|keyword| keyword.start());
    let annotated = keywords.map(|keyword| (keyword, annotations_before(&code, keyword)));
    let annotated: Vec<_> = annotated.filter(|(_, annotations)| !annotations.is_empty()).collect();
    let mut misread = Vec::new();
    if annotated.is_empty() {
        return misread;
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if cursor.goto_first_child() {
            continue;
        }
        if node.kind() == "identifier"
            && let Ok(at) = annotated.binary_search_by_key(&node.start_byte(), |(keyword, _)| *keyword)
        {
            misread.extend(annotated[at].1.iter().cloned());
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return misread;
            }
        }
    }
}

/// `text` with blanks for the annotations `misread`, and in syntax that the grammar knows if `has_errors`. `None` if
/// nothing in it is to be replaced. Looks only at words and brackets, so the result is a guess that a parse must confirm.
/// Costs a few looks at each byte.
fn reworded(text: &[u8], has_errors: bool, misread: &[Range<usize>]) -> Option<RespelledText> {
    if !has_errors && misread.is_empty() {
        return None;
    }
    let mut seen = text.to_vec();
    let mut blanked = misread.to_vec();
    if has_errors {
        show_known_syntax(&mut seen, text, &mut blanked);
    }
    blanked.sort_unstable_by_key(|range| (range.start, Reverse(range.end)));
    let mut end = 0;
    blanked.retain(|range| {
        let is_outside = range.start >= end;
        end = end.max(range.end);
        is_outside
    });
    for range in &blanked {
        fill(&mut seen[range.clone()], b' ');
    }
    let blanked = blanked.into_iter().map(|range| Span::new(range.start as u32, range.end as u32)).collect();
    (seen != text).then_some(RespelledText { text: seen, blanked })
}

/// Replaces what the grammar does not know of `text` in `seen`, and adds what it must not see at all to `blanked`.
fn show_known_syntax(seen: &mut [u8], text: &[u8], blanked: &mut Vec<Range<usize>>) {
    let code = code_of(text);
    for literal in OPAQUE.find_iter(text).filter(|literal| literal.as_bytes().starts_with(b"\"")) {
        show_dollars(seen, literal.range());
    }
    for name in NAMES.iter().flat_map(|expression| groups(expression, &code)) {
        fill(&mut seen[name], b'x');
    }
    for (word, brackets) in contexts(&code) {
        fill(&mut seen[word], b' ');
        blanked.push(brackets);
    }
    for accessor in ACCESSOR.find_iter(&code) {
        if code[accessor.range()].starts_with(b"get") {
            join_lines(seen, modifiers_before(&code, accessor.start()), accessor.start());
        } else {
            blanked.extend(annotations_before(&code, accessor.start()));
        }
    }
    for constructor in CONSTRUCTOR.find_iter(&code) {
        let first = modifiers_before(&code, constructor.start());
        if is_behind_class_name(&code, first) {
            join_lines(seen, first, constructor.start());
        }
    }
    for end in ends_of_last_members(&code) {
        if matches!(text[end], b' ' | b'\t') {
            seen[end] = b';';
        }
    }
    for word in groups(&IF, &code).filter(|word| is_guard(&code, word.end)) {
        show_guard(seen, &code, word);
    }
}

/// `text` with blanks for comments, and signs of the same length for the other [`OPAQUE`] parts.
fn code_of(text: &[u8]) -> Vec<u8> {
    let mut code = text.to_vec();
    for part in OPAQUE.find_iter(text) {
        let stand_in = match text[part.start()] {
            b'/' => b' ',
            b'`' => b'a',
            _ => b'"',
        };
        fill(&mut code[part.range()], stand_in);
    }
    code
}

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("a test reads texts with every expression")
}

/// The first group of each match. Matches may overlap, but their first groups do not.
fn groups<'a>(expression: &'a Regex, text: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let group = expression.captures_at(text, from)?.get(1)?.range();
        from = group.end;
        Some(group)
    })
}

/// Line ends stay, because they end statements.
fn fill(text: &mut [u8], with: u8) {
    text.iter_mut().filter(|byte| !matches!(byte, b'\r' | b'\n')).for_each(|byte| *byte = with);
}

/// Shows a string with several `$` before its quotes as one without them: fewer `$` inside are text, and as many begin
/// an expression.
fn show_dollars(seen: &mut [u8], literal: Range<usize>) {
    let before = seen[..literal.start].iter().rev().take_while(|byte| **byte == b'$').count();
    if before < 2 {
        return;
    }
    seen[literal.start - before..literal.start].fill(b' ');
    for run in seen[literal].chunk_by_mut(|one, next| *one == b'$' && *next == b'$') {
        let hidden = if run.len() < before { run.len() } else { run.len() - 1 };
        if run.first() == Some(&b'$') {
            run[..hidden].fill(b'x');
        }
    }
}

/// The context parameters of declarations and of function types: their keyword and their brackets.
fn contexts(code: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    for word in groups(&CONTEXT, code) {
        let Some(end) = end_of_brackets(code, word.end) else { continue };
        let before = code[..word.start].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        let follows = match before {
            None | Some(b'\n' | b'{') => &DECLARATION,
            Some(_) => &FUNCTION_TYPE,
        };
        if follows.is_match(&code[end..]) {
            found.push((word.clone(), word.end..end));
        }
    }
    found
}

/// The end of the brackets that open at `open`.
fn end_of_brackets(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.iter().enumerate().skip(open).take(LONGEST) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The start of the brackets that close at the end of `code`.
fn start_of_brackets(code: &[u8]) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.iter().enumerate().rev().take(LONGEST) {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 1 => return Some(at),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Where the modifiers and annotations directly before `at` begin; `at` if there are none.
fn modifiers_before(code: &[u8], at: usize) -> usize {
    let mut first = at;
    while let Some(earlier) = last_modifier(code[..first].trim_ascii_end()) {
        first = earlier;
    }
    first
}

/// The annotations among the modifiers directly before `at`, last first.
fn annotations_before(code: &[u8], at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut before = code[..at].trim_ascii_end();
    while let Some(start) = last_modifier(before) {
        if before[start] == b'@' {
            found.push(start..before.len());
        }
        before = code[..start].trim_ascii_end();
    }
    found
}

/// The start of the modifier or annotation at the end of `code`.
fn last_modifier(code: &[u8]) -> Option<usize> {
    let has_arguments = code.last() == Some(&b')');
    let named = if has_arguments { &code[..start_of_brackets(code)?] } else { code };
    let is_part = |byte: &&u8| is_word(**byte) || matches!(byte, b'.' | b':');
    let start = named.len() - named.iter().rev().take_while(is_part).count();
    if start < named.len() && named[..start].ends_with(b"@") {
        return Some(start - 1);
    }
    (!has_arguments && MODIFIERS.contains(&&named[start..])).then_some(start)
}

/// Whether the line before the one of `first` ends with the name of a class.
fn is_behind_class_name(code: &[u8], first: usize) -> bool {
    let before = code[..first].trim_ascii_end();
    let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    CLASS_NAME.is_match(&before[line..])
}

/// Moves modifiers from `first` to `end`, if there are any, to the line before: the grammar reads those of a getter or a
/// constructor only there.
fn join_lines(seen: &mut [u8], first: usize, end: usize) {
    let space = seen[..first].len() - seen[..first].trim_ascii_end().len();
    if first < end {
        seen[first - space..first].fill(b' ');
    }
}

/// Where the last member of each type ends whose brace closes on the line of that member. The grammar wants a sign there that
/// ends the member.
fn ends_of_last_members(code: &[u8]) -> Vec<usize> {
    /// What is open around a place.
    enum Open {
        /// Round brackets, and whether they are in the head of a type.
        Brackets { in_head: bool },
        /// Braces, and whether they hold the members of a type.
        Braces { of_type: bool },
    }
    let (mut ends, mut open, mut in_head, mut at) = (Vec::new(), Vec::new(), false, 0);
    for part in code.chunk_by(|one, next| is_word(*one) && is_word(*next)) {
        match part {
            b"class" | b"interface" | b"object" => in_head = !code[..at].ends_with(b":") && !code[..at].ends_with(b"."),
            b"fun" | b"typealias" | b"val" | b"var" | b";" => in_head = false,
            [b'('] => {
                open.push(Open::Brackets { in_head });
                in_head = false;
            }
            b")" => {
                if let Some(Open::Brackets { in_head: outer }) =
                    open.pop_if(|open| matches!(open, Open::Brackets { .. }))
                {
                    in_head = outer;
                }
            }
            b"{" => {
                open.push(Open::Braces { of_type: in_head });
                in_head = false;
            }
            b"}" => {
                while open.pop_if(|open| matches!(open, Open::Brackets { .. })).is_some() {}
                let of_type = matches!(open.pop(), Some(Open::Braces { of_type: true }));
                let last = code[..at].trim_ascii_end();
                let is_ended = last.ends_with(b"{") || last.ends_with(b";") || code[last.len()..at].contains(&b'\n');
                if of_type && !is_ended && last.len() < at {
                    ends.push(last.len());
                }
                in_head = false;
            }
            _ => {}
        }
        at += part.len();
    }
    ends
}

/// Shows the guard that begins with the `if` at `word` as one more condition of its branch, and that of an `else` as the
/// only one.
fn show_guard(seen: &mut [u8], code: &[u8], word: Range<usize>) {
    let before = code[..word.start].trim_ascii_end();
    let start = before.len() - before.iter().rev().take_while(|byte| is_word(**byte)).count();
    match &before[start..] {
        b"else" => fill(&mut seen[start..word.end], b' '),
        b"as" | b"do" | b"in" | b"is" | b"return" | b"throw" | b"try" => {}
        _ => {
            // The grammar wants the sign on the line of the condition before it.
            if code[before.len()..word.start].contains(&b'\n') {
                seen[before.len()..word.start].fill(b' ');
            }
            seen[word].copy_from_slice(b", ");
        }
    }
}

/// Whether the text behind an `if` is a condition, followed by the arrow of a branch.
fn is_guard(code: &[u8], from: usize) -> bool {
    let code = &code[from..code.len().min(from + LONGEST)];
    let (mut at, mut depth) = (0, 0_u32);
    while let Some(byte) = code.get(at) {
        let word = code[at..].iter().take_while(|byte| is_word(**byte)).count();
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return false,
            b')' | b']' | b'}' => depth -= 1,
            _ if depth > 0 => {}
            b'-' if code[at..].starts_with(b"->") => return true,
            b'\n' if !goes_on(&code[..at], &code[at..]) => return false,
            b';' => return false,
            _ if matches!(&code[at..at + word], b"else" | b"if" | b"return" | b"throw" | b"val" | b"var" | b"when") => {
                return false;
            }
            _ => {}
        }
        at += word.max(1);
    }
    false
}

/// Whether a condition goes on between the lines that end `before` and begin `behind`.
fn goes_on(before: &[u8], behind: &[u8]) -> bool {
    let (before, behind) = (before.trim_ascii_end(), behind.trim_ascii_start());
    let joins = |sign: &&[u8]| before.ends_with(sign) || behind.starts_with(sign);
    [b"&&".as_slice(), b"||"].iter().any(joins) || behind.starts_with(b"->")
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ChunkLimits, Extractor, syntax_errors};

    /// Checks what the grammar sees of `text`.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let seen = reworded(text.as_bytes(), true, &[]).map(|reworded| reworded.text);
        assert_eq!(String::from_utf8(seen.unwrap_or(text.as_bytes().to_vec())).unwrap(), expected);
    }

    #[test]
    fn a_guard_is_one_more_condition() {
        check("is String if v.isEmpty() -> 0\n", "is String ,  v.isEmpty() -> 0\n");
        check("is A<*> if (a ||\n  b) -> 0\n", "is A<*> ,  (a ||\n  b) -> 0\n");
        check("is A if a &&\n  b is B<*, *> -> 0\n", "is A ,  a &&\n  b is B<*, *> -> 0\n");
        check("\"a\" if x.any { y -> y } -> 0\n", "\"a\" ,  x.any { y -> y } -> 0\n");
        check("is A\n  if a -> 0\n", "is A   ,  a -> 0\n");
        check("  else if a > 1 -> 0\n", "          a > 1 -> 0\n");
    }

    #[test]
    fn an_if_without_an_arrow_stays() {
        for text in [
            "a to if (b) c else d\n",
            "is A -> if (b) c else d\n",
            "for (a in b) if (a) c()\nd -> e",
            "} else if (a) {\n b -> c }\n",
            "{ a ->\n  b\n  if (a) { c }\n  d { e -> f }\n}\n",
            "when (a) { 1 -> if (b) c; else -> d }",
            "/* is A if b -> c */ \"is A if b -> c\"",
        ] {
            check(text, text);
        }
        assert_eq!(reworded(b"is A if b -> c", false, &[]), None);
    }

    #[test]
    fn a_soft_keyword_that_is_a_name_is_shown_as_one() {
        check("where?.let { data = open(1) }\n", "xxxxx?.let { xxxx = xxxx(1) }\n");
        check("suspend { a }\nby.write()\n", "xxxxxxx { a }\nxx.write()\n");
        check("val a = b {} get c\nget(d)\nset(a, b)\n", "val a = b {} xxx c\nxxx(d)\nxxx(a, b)\n");
        for text in [
            "class A<T> where T : B {\n  private\n  data class C(val a: suspend () -> Unit)\n}\n",
            "var a: Int by b\n  get() = 1\n  private set(new) { field = 2 }\n",
            "internal constructor(a: Int)\n@get:A val b = \"open.a\" // open.a\n",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn modifiers_of_getters_and_constructors_move_up() {
        check("val a\n  @A(B::class) inline\n  get() = 1\n", "val a   @A(B::class) inline\n  get() = 1\n");
        check("class A<T>\n@B internal constructor(\n", "class A<T> @B internal constructor(\n");
        check("class A {\n  private constructor(\n", "class A {\n  private constructor(\n");
        check("val a: Int // why\n  @A get() = 1\n", "val a: Int // why   @A get() = 1\n");
    }

    #[test]
    fn annotations_of_setters_and_contexts_are_blanked() {
        let blanked = |text: &str| {
            let spans = reworded(text.as_bytes(), true, &[]).into_iter().flat_map(|reworded| reworded.blanked);
            spans.map(|span| text[span.start as usize..span.end as usize].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(blanked("get() = 1\n @A(\"(\") private\n set(v) { }\n"), ["@A(\"(\")"]);
        assert_eq!(blanked("context(a: A, _: () -> B)\nfun c() {}\n"), ["(a: A, _: () -> B)"]);
        assert_eq!(blanked("fun a(b: context(A) B.() -> C) {}\n"), ["(A)"]);
        assert_eq!(blanked("{\n  context(a)\n  call()\n  b(context(a))\n}\n"), Vec::<String>::new());
    }

    #[test]
    fn a_member_that_ends_with_its_type_gets_a_sign() {
        check("fun interface A { fun b() }\n", "fun interface A { fun b();}\n");
        check("class A { class B { fun c() } }\n", "class A { class B { fun c();};}\n");
        check("object : A(b { c }) { val d = e { f } }\n", "object : A(b { c }) { val d = e { f };}\n");
        check("interface A { val b: C /* d */ }\n", "interface A { val b: C;/* d */ }\n");
        for text in [
            "class A { }\nclass B {\n  fun c()\n}\nclass C { fun d(); }\n",
            "fun a() { b { c } }\nval d = A::class { e }\n",
            "interface A { fun b()}\n",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn dollars_before_a_string_are_those_of_its_expressions() {
        check("a($$\"{\\\"$b\\\": $$c}\")\n", "a(  \"{\\\"xb\\\": x$c}\")\n");
        check("$$\"\"\"${a}\n$$${b}\"\"\"\n", "  \"\"\"x{a}\nxx${b}\"\"\"\n");
        check("\"$a ${b}\"\n", "\"$a ${b}\"\n");
    }

    /// The names of the definitions in `text`, which has no syntax error.
    #[track_caller]
    fn names(text: &str) -> Vec<String> {
        assert_eq!(syntax_errors("kotlin", text.as_bytes()), [], "{text}");
        let facts = Extractor::new(ChunkLimits::default()).extract("kotlin", text.as_bytes()).facts;
        assert_eq!(facts.error_bytes, 0, "{text}");
        facts.symbols.into_iter().map(|symbol| symbol.name).collect()
    }

    #[test]
    fn what_the_grammar_does_not_know_hides_no_definition() {
        let guards = "class A {\n  fun a(v: Any) = when (v) {\n    is String if v.isEmpty() -> 0\n    \
            else if v == 1 -> 1\n    else -> 2\n  }\n}\n\nclass B\n";
        assert_eq!(names(guards), ["A", "a", "B"]);
        let getter = "class A {\n  val a\n    @OptIn(B::class)\n    get() = n\n}\n\nclass C\n";
        assert_eq!(names(getter), ["A", "a", "C"]);
        let constructor = "class A\ninternal actual constructor(\n  val a: Int,\n) : B {\n  fun c() {}\n}\n";
        assert_eq!(names(constructor), ["A", "a", "c"]);
        let call = "class A {\n  fun a() {\n    b()\n    where?.let { c() }\n  }\n}\n";
        assert_eq!(names(call), ["A", "a"]);
        let infix = "class A {\n  fun a() {\n    b {\n      val c = d.insert {} get E.id\n    }\n  }\n}\n";
        assert!(names(infix).starts_with(&["A".to_owned(), "a".to_owned()]));
        let context = "context(_: A)\nfun b() {}\n\nclass C\n";
        assert_eq!(names(context), ["b", "C"]);
        let dollars = "class A {\n  @Value($$\"${a.b-c:}#{d}\")\n  private lateinit var e: String\n}\n";
        assert_eq!(names(dollars), ["A", "e"]);
    }

    #[test]
    fn any_number_of_guards_hides_no_definition() {
        let forms: [fn(usize) -> String; 3] = [
            |n| format!("    is A{n} if v.b{n}() -> {n}\n"),
            |n| format!("    is A{n} if v.b{n}() && c > {n} -> {{ d({n}) }}\n"),
            |n| format!("    is A{n}\n      if v.any {{ it > 1 }} -> return {n}\n"),
        ];
        for (form, guards) in forms.into_iter().flat_map(|form| [1, 100, 2_000].map(|guards| (form, guards))) {
            let branches: String = (0..guards).map(form).collect();
            let text = format!(
                "class A {{\n  fun a(v: Any) = when (v) {{\n{branches}    else -> 0\n  }}\n\n  fun b() = 1\n}}\n\nclass C\n"
            );
            assert_eq!(names(&text), ["A", "a", "b", "C"]);
        }
    }

    proptest! {
        #[test]
        fn types_on_one_line_are_all_found(types in proptest::collection::vec((0..5_usize, 0..7_usize), 1..60)) {
            let heads = ["fun interface", "interface", "open class", "object", "private sealed interface"];
            let members = [
                "", "fun a()", "val b: Int", "fun a(): Int = 1", "fun a() { b { c } }", "class D { val e = 1 }",
                "companion object { fun f() }",
            ];
            let line = |(n, (head, member)): (usize, &(usize, usize))| {
                format!("{} X{n} {{ {} }}\n", heads[*head], members[*member])
            };
            let text: String = types.iter().enumerate().map(line).collect();
            let found: Vec<String> = names(&text).into_iter().filter(|name| name.starts_with('X')).collect();
            let expected: Vec<String> = (0..types.len()).map(|n| format!("X{n}")).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_type_with_annotations_is_no_expression() {
        for (text, expected) in [
            ("@A(\"x\")\n@B\nannotation class C\n", vec!["C"]),
            ("fun a() {}\n@A\ndata class B\n", vec!["a", "B"]),
            ("@A(B::class)\nactual class C {\n  private var d = 1\n\n  actual fun e() {}\n}\n", vec!["C", "d", "e"]),
            ("@A\nannotation class B\n\nclass C {\n  val d\n    @E get() = n\n}\n", vec!["B", "C", "d"]),
        ] {
            assert_eq!(names(text), expected);
        }
        let text = "@A(B::class)\nannotation class C\n";
        let facts = Extractor::new(ChunkLimits::default()).extract("kotlin", text.as_bytes()).facts;
        assert_eq!(facts.symbols[0].contract, Some(icr_model::Contract::Interface));
        assert!(facts.references.iter().any(|group| group.name == "B"), "{:?}", facts.references);
    }

    #[test]
    fn replaced_words_count_as_written() {
        let digest = |text: &str| crate::token_digest("kotlin", text.as_bytes());
        let guard = "fun a(v: Any) = when (v) {\n  is A if b(v) -> 0\n  else -> 1\n}\n";
        assert!(digest(guard).is_some());
        assert_ne!(digest(guard), digest(&guard.replace("if", ", ")));
        assert_ne!(digest(guard), digest(&guard.replace("b(v)", "c(v)")));
        let context = "context(a: A)\nfun b() {}\n";
        assert_ne!(digest(context), digest(&context.replace("A", "C")));
    }

    #[test]
    fn names_in_what_is_replaced_are_references() {
        let text = "context(_: Scope)\nfun a(v: Any) = when (v) {\n  is A if isReady(v) -> where?.finish()\n}\n";
        let facts = Extractor::new(ChunkLimits::default()).extract("kotlin", text.as_bytes()).facts;
        let referred: Vec<&str> = facts.references.iter().map(|group| group.name.as_str()).collect();
        for name in ["Scope", "A", "isReady", "finish"] {
            assert!(referred.contains(&name), "{name}: {referred:?}");
        }
    }
}
