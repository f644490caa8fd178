//! Bytes that no person wrote as source: every one gives facts, in bounded work, that keep what facts promise.

mod fuzzing;
#[path = "../../../fuzz/inputs.rs"]
mod inputs;

use icr_lang::{ChunkLimits, Extraction, Extractor, TEXT, languages};
use icr_model::{ChunkKind, ContentKind};
use proptest::prelude::*;

use fuzzing::{check, check_extraction};

const TARGET: &str = "extraction";

fn extract(language: &str, blob: &[u8]) -> Extraction {
    Extractor::new(ChunkLimits::default()).extract(language, blob)
}

/// Checks `blob` in every language, and that an extractor that has seen other blobs says the same as a fresh one.
#[track_caller]
fn check_all(blob: &[u8]) {
    let limits = ChunkLimits::default();
    let mut used = Extractor::new(limits);
    for language in languages().chain([TEXT]) {
        let extraction = used.extract(language, blob);
        check(blob, &extraction, &limits);
        assert_eq!(extraction, extract(language, blob), "{language}");
    }
}

#[test]
fn odd_encodings_are_text() {
    check_all(b"");
    check_all(b"\n\n \t\r\n");
    check_all(b"// caf\xe9 \xff\xfe\nfn caf\xe9() {}\n");
    check_all(b"\xef\xbb\xbffn main() {}\n");
    check_all(b"fn main() {\r\n    call();\r\n}\r\nclass A:\r\n    pass\r\n");
    check_all("fn größe() { let 日本 = \"😀\"; }".as_bytes());
    check_all(b"no line end");
}

#[test]
fn line_ends_and_a_byte_order_mark_change_no_symbol() {
    let lf = "/// One.\n#[a]\npub fn f(\n    n: u32,\n) {\n    call(n);\n}\n\nuse a::{\n    b,\n    c,\n};\n";
    let symbols = |text: &str| {
        let facts = extract("rust", text.as_bytes()).facts;
        let symbol = &facts.symbols[0];
        (symbol.lines, symbol.signature_hash, symbol.body_hash, symbol.doc.is_some(), facts.imports, facts.references)
    };
    assert_eq!(symbols(&lf.replace('\n', "\r\n")), symbols(lf));
    assert_eq!(symbols(&format!("\u{feff}{lf}")), symbols(lf));
}

#[test]
fn thousands_of_names_in_one_statement_are_all_listed() {
    let names = |prefix: &str, separator: &str| -> String {
        (0..20_000).map(|number| format!("{prefix}{number}")).collect::<Vec<_>>().join(separator)
    };
    for (language, blob, symbols, imported) in [
        ("go", format!("package p\nvar (\n{} int\n)\n", names("v", ",\n")), 20_000, 0),
        ("c", format!("int {};\n", names("*v", ",\n")), 20_000, 0),
        ("javascript", format!("const {} = 1;\n", names("v", " = 1,\n")), 20_000, 0),
        ("javascript", format!("const {{ {} }} = require(\"a\");\n", names("v", ",\n")), 0, 20_000),
        ("python", format!("from a import (\n{})\n", names("v", ",\n")), 0, 20_000),
        ("python", format!("{}class A: pass\n", "@a\n".repeat(20_000)), 1, 0),
        ("rust", format!("use a::{{\n{}}};\n", names("v", ",\n")), 0, 20_000),
    ] {
        let facts = extract(language, blob.as_bytes()).facts;
        let names: usize = facts.imports.iter().map(|import| import.names.len()).sum();
        assert_eq!((facts.symbols.len(), names), (symbols, imported), "{language}");
    }
}

#[test]
fn files_of_data_have_few_symbols_and_are_cut_by_their_members() {
    let packages = |package: &dyn Fn(usize) -> String| -> String { (0..5_000).map(package).collect() };
    let json = packages(&|number| format!("    \"p{number}\": {{ \"version\": \"{number}\", \"dev\": true }},\n"));
    let yaml = packages(&|number| format!("  p{number}:\n    version: {number}\n    dev: true\n"));
    let toml = packages(&|number| format!("[[package]]\nname = \"p{number}\"\nversion = \"1\"\n\n"));
    for (language, blob, symbols) in [
        ("json", format!("{{\n  \"name\": \"a\",\n  \"packages\": {{\n{json}    \"last\": 1\n  }}\n}}\n"), 2),
        ("yaml", format!("name: a\npackages:\n{yaml}"), 2),
        ("toml", format!("version = 4\n\n{toml}"), 0),
    ] {
        let extraction = extract(language, blob.as_bytes());
        check(blob.as_bytes(), &extraction, &ChunkLimits::default());
        let facts = extraction.facts;
        assert_eq!((facts.symbols.len(), facts.references.len(), facts.error_bytes), (symbols, 0, 0), "{language}");
        assert!(facts.chunks.len() > 50, "{language}: {}", facts.chunks.len());
        assert!(facts.chunks.iter().all(|chunk| chunk.kind != ChunkKind::Window), "{language}");
    }
}

#[test]
fn comments_are_no_members_of_what_holds_data() {
    let comments = "# a line of a comment\n".repeat(300);
    for (language, blob) in [
        ("yaml", format!("first: 1\n{comments}second: 2\n")),
        ("json", format!("{{\n\"first\": 1,\n{}\"second\": 2\n}}\n", comments.replace('#', "//"))),
    ] {
        let facts = extract(language, blob.as_bytes()).facts;
        let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["first", "second"], "{language}");
    }
}

#[test]
fn an_extractor_can_move_to_another_thread() {
    fn check<T: Send>(_: &T) {}
    check(&Extractor::new(ChunkLimits::default()));
}

#[test]
fn a_nul_near_the_start_is_binary_and_a_later_one_is_text_of_a_language() {
    let binary = extract("rust", b"fn a() {}\0");
    assert_eq!((binary.facts.content, binary.facts.chunks.len()), (ContentKind::Binary, 0));
    let mut late = b"fn a() {}\n".repeat(900);
    late.extend(b"fn b() {}\0 fn c() {}\n");
    let text = extract("rust", &late);
    assert_eq!(text.facts.content, ContentKind::Text);
    assert_eq!(text.facts.symbols.len(), 902);
    check(&late, &text, &ChunkLimits::default());
    assert_eq!(extract(TEXT, &late).facts.content, ContentKind::Binary);
}

#[test]
fn pointers_to_content_elsewhere_are_binary() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    assert_eq!(extract(TEXT, pointer).facts.content, ContentKind::Binary);
    assert_eq!(extract("python", b"\xff\xfea\x00").facts.content, ContentKind::Binary);
}

#[test]
fn a_first_line_says_the_language_of_text() {
    let facts = extract(TEXT, b"#!/usr/bin/env python3\ndef run(): pass\n").facts;
    assert_eq!((facts.language.as_str(), facts.symbols.len()), ("python", 1));
    assert_eq!(extract(TEXT, b"def run(): pass\n").facts.language, TEXT);
    assert_eq!(extract("no such language", b"text\n").facts.language, TEXT);
}

#[test]
fn only_comments_are_one_gap() {
    for (language, blob) in [("rust", "// a\n// b\n"), ("python", "# a\n"), ("c", "/* a */\n")] {
        let extraction = extract(language, blob.as_bytes());
        assert_eq!(extraction.facts.chunks[0].kind, ChunkKind::Gap, "{language}");
        assert_eq!(extraction.facts.symbols.len(), 0);
        assert!(!extraction.comments.is_empty());
    }
}

#[test]
fn minified_and_endless_lines_are_cut_by_size_without_a_parse() {
    let line = b"var a=function(b){return b+1};".repeat(170_000);
    assert!(line.len() > 5_000_000);
    for language in ["javascript", TEXT] {
        let extraction = extract(language, &line);
        check(&line, &extraction, &ChunkLimits::default());
        assert!(extraction.facts.chunks.iter().all(|chunk| chunk.kind == ChunkKind::Window));
        assert!(extraction.facts.symbols.is_empty());
    }
}

#[test]
fn unterminated_strings_and_comments_keep_what_comes_before() {
    for (language, blob, name) in [
        ("rust", "fn a() {}\nfn b() { \"", "a"),
        ("python", "def a(): pass\nx = '''", "a"),
        ("go", "package p\nfunc a() {}\nvar x = `", "a"),
        ("java", "class A {}\n/* ", "A"),
        ("c", "int a(void) { return 0; }\n/* ", "a"),
        ("typescript", "function a() {}\nconst x = `${", "a"),
    ] {
        let extraction = extract(language, blob.as_bytes());
        check(blob.as_bytes(), &extraction, &ChunkLimits::default());
        assert!(extraction.facts.symbols.iter().any(|symbol| symbol.name == name), "{language}");
    }
}

#[test]
fn deep_nesting_ends() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("fn f() {", "}"), ("a(", ")"), ("mod a { x! {", "}}")] {
        let blob = [open.repeat(50_000 / open.len()), close.repeat(50_000 / open.len())].concat().replace("}}", "}}\n");
        let blob = blob.replace("x! {", "x! {\n").replace("((((", "((((\n").replace("))))", "))))\n");
        for language in ["rust", "python", "javascript", "c", "css", "hcl", "html", "json", "markdown", "toml", "yaml"]
        {
            let extraction = extract(language, blob.as_bytes());
            check(blob.as_bytes(), &extraction, &ChunkLimits::default());
        }
    }
    let blob = ["(\n".repeat(200_000), ")\n".repeat(200_000)].concat();
    check(blob.as_bytes(), &extract("javascript", blob.as_bytes()), &ChunkLimits::default());
}

#[test]
fn definitions_behind_what_does_not_parse_are_listed_once() {
    for (language, broken, behind) in [
        (
            "typescript",
            "interface A {\n  <P>(\n    p: P,\n  ): B<P>\n  <P>(\n    p: P,\n  ): C<P>\n}\n",
            "interface Z { z: 1 }\n",
        ),
        ("bash", "case \"$1\" in\n  a) b ;; ;;\n\n", "z() { b; }\n"),
        ("c", "#ifdef A\nint a(void) {\n#else\nint b(void) {\n#endif\n}\n", "int z(void) {\n    return 1;\n}\n"),
        ("python", "def a(:\n    x = = 1\n", "class z:\n    pass\n"),
        ("rust", "fn a( { ;\n\n", "fn z() {}\n"),
    ] {
        for times in [1, 40] {
            let blob = [broken, behind].concat().repeat(times);
            let extraction = extract(language, blob.as_bytes());
            check(blob.as_bytes(), &extraction, &ChunkLimits::default());
            let named = extraction.facts.symbols.iter().filter(|symbol| symbol.name.eq_ignore_ascii_case("z"));
            let mut starts: Vec<_> =
                named.filter(|symbol| symbol.parent.is_none()).map(|symbol| symbol.name_start).collect();
            assert_eq!(starts.len(), times, "{language}");
            starts.dedup();
            assert_eq!(starts.len(), times, "{language}");
            assert!(extraction.facts.error_bytes < blob.len() as u32, "{language}");
        }
    }
}

/// Each ended the process once: by a look outside of a table, a length that does not fit its byte, a full buffer.
#[test]
fn no_text_ends_the_process_in_a_scanner() {
    let planes = (1..=16_u32).map(|plane| char::from_u32(plane << 16 | 0xdc56).unwrap());
    let shells =
        planes.map(|character| ("bash", format!("echo {{{character},b}} {{1..{character}}}\n{{{character}\n")));
    let long = "a b ".repeat(80);
    let words =
        ["<<A", "<<\"", "<<~'", "<<-`"].map(|open| ("ruby", format!("out {open}{}\"'`\n", long.replace(' ', "_"))));
    let level = |level: usize| format!("{}a:\n", " ".repeat(level));
    let levels = [(0..300).map(level).collect(), "- ".repeat(600), format!("{}{}", " ".repeat(150), "? ".repeat(150))];
    let texts = [("ruby", format!("out <<\"{long}\"\n")), ("ruby", format!("out <<'{long}"))];
    let nested = (0..250).map(|level| format!("<<AB{level} + \"#{{\n")).collect();
    let indented = (0..400).map(|level| format!("{}'\"a'\"a\n", " ".repeat(level))).collect();
    let states = [("ruby", nested), ("python", indented)];
    for (language, blob) in shells.chain(words).chain(texts).chain(states).chain(levels.map(|levels| ("yaml", levels)))
    {
        check(blob.as_bytes(), &extract(language, blob.as_bytes()), &ChunkLimits::default());
    }
}

#[test]
fn what_stands_beside_text_that_takes_too_long_is_read_alone() {
    let hostile = "if \\\n".repeat(20_000);
    let before = "one :: Int -> Int\none n = two n\n\n";
    let facts = extract("haskell", format!("{before}{hostile}").as_bytes()).facts;
    assert!(facts.symbols.iter().any(|symbol| symbol.name == "one"), "{:?}", facts.symbols);
    assert!(facts.error_bytes >= hostile.len() as u32);
    let facts = extract("lua", format!("{}\nfunction one() end\n", "((((\n".repeat(20_000)).as_bytes()).facts;
    assert!(facts.symbols.iter().any(|symbol| symbol.name == "one"), "{:?}", facts.symbols);
    // Without anything to read the whole is windows.
    let facts = extract("haskell", hostile.as_bytes()).facts;
    assert_eq!((facts.symbols.len(), facts.error_bytes as usize), (0, hostile.len()));
    assert!(facts.chunks.iter().all(|chunk| chunk.kind == ChunkKind::Window) && !facts.chunks.is_empty());
}

#[test]
fn blank_lines_under_an_error_are_passed_once() {
    let blob = format!("fn a( {{ ;\n{}fn z() {{}}\n", "\n".repeat(400_000));
    let facts = extract("rust", blob.as_bytes()).facts;
    assert!(facts.symbols.iter().any(|symbol| symbol.name == "z"));
}

#[test]
fn what_is_defined_together_is_cut_once() {
    let targets = format!("{}\nzafter:\n\techo\n", format!("{}\n", "* ".repeat(10)).repeat(4_000));
    let facts = extract("make", targets.as_bytes()).facts;
    assert!(facts.symbols.len() > 40_000 && facts.symbols.iter().any(|symbol| symbol.name == "zafter"));
    check(targets.as_bytes(), &extract("make", targets.as_bytes()), &ChunkLimits::default());
}

#[test]
fn deep_definitions_are_listed_to_a_bound() {
    let blob: String = (0..500).map(|level| format!("{}def f{level}():\n", " ".repeat(level))).collect();
    let blob = format!("{blob}{}pass\n", " ".repeat(500));
    let facts = extract("python", blob.as_bytes()).facts;
    assert_eq!(facts.symbols.len(), 65);
}

#[test]
fn hashes_ignore_layout_comments_and_the_own_name() {
    let hashes = |language: &str, text: &str| {
        let facts = extract(language, text.as_bytes()).facts;
        let symbol = &facts.symbols[0];
        (symbol.signature_hash, symbol.body_hash)
    };
    let rust = hashes("rust", "fn walk(n: u32) -> u32 { if n == 0 { 0 } else { walk(n - 1) } }");
    let same = "/// Doc.\nfn walk( n: u32 )\n -> u32 { // no\n if n == 0 { 0 }\n /* x */ else { walk(n-1) } }";
    assert_eq!(hashes("rust", same), rust);
    let renamed = hashes("rust", "fn stroll(n: u32) -> u32 { if n == 0 { 0 } else { stroll(n - 1) } }");
    assert_eq!(renamed.1, rust.1);
    assert_ne!(renamed.0, rust.0);
    let changed = hashes("rust", "fn walk(n: u32) -> u32 { if n == 1 { 0 } else { walk(n - 1) } }");
    assert_eq!(changed.0, rust.0);
    assert_ne!(changed.1, rust.1);
    let python = hashes("python", "def f(a):\n    \"\"\"One.\"\"\"\n    return a\n");
    assert_eq!(hashes("python", "def f(a):\n    '''Two.'''\n    # c\n    return a\n"), python);
    assert_ne!(hashes("python", "def f(a):\n    return a, 'x'\n"), python);
    assert_ne!(hashes("make", "a:\n\techo $@ one\n").1, hashes("make", "a:\n\techo $@ two\n").1);
    assert_ne!(hashes("markdown", "# A\n\n*one* b\n").1, hashes("markdown", "# A\n\n*two* b\n").1);
    assert_ne!(hashes("toml", "[a]\nb = 'one'\n").1, hashes("toml", "[a]\nb = 'two'\n").1);
    assert_eq!(hashes("c", "int f() { return 1 + \\\n 2; }").1, hashes("c", "int f() { return 1 + 2; }").1);
    assert_ne!(hashes("python", "@cached\ndef f(a):\n    return a\n").1, python.1);
}

/// Pieces of source in several languages, whole and broken.
fn snippet() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("fn a() { b(); }\n".to_owned()),
        Just("/// Doc.\n#[x]\npub struct S { a: u32 }\n".to_owned()),
        Just("impl T for S {\n    fn m(&self) {\n        loop {}\n    }\n}\n".to_owned()),
        Just("cfg! { fn inner() {} mod m { fn deep() {} } }\n".to_owned()),
        Just("class C:\n    \"\"\"Doc.\"\"\"\n    def m(self):\n        pass\n".to_owned()),
        Just("@d\ndef f(a, b=1): return a\n".to_owned()),
        Just("export class K { m() { return 1 } }\n".to_owned()),
        Just("const {a, b: c} = require('x'); module.exports = {a};\n".to_owned()),
        Just("import { x as y } from \"z\";\n".to_owned()),
        Just("func (r *R) M() (int, error) { return 1, nil }\n".to_owned()),
        Just("package p\nimport ( a \"b\" )\ntype T struct { A, b int }\n".to_owned()),
        Just("public class J { @O int f(int a) { return a; } }\n".to_owned()),
        Just("typedef struct n { int a; } N, *P;\nstatic int g(void) { return 0; }\n".to_owned()),
        Just("#ifdef A\n#include <b.h>\n#endif\n".to_owned()),
        Just("use a::{b::{c, d as e}, f::*};\nmod x;\n".to_owned()),
        Just("{\"a\": [1, {\"b\": {\"c\": null}}], \"d\": {}}\n".to_owned()),
        Just("# One\n\ntext `code`\n\nTwo\n---\n- item\n\n```sh\nls\n```\n".to_owned()),
        Just("a:\n  b: &x\n    - c: |\n        d\n---\n\"e\": {f: *x}\n".to_owned()),
        Just("[t.\"u\"]\nk = \"\"\"v\"\"\" # w\n# x\n[[y]]\n".to_owned()),
        Just("<h1 id=a>A <b>b</b></h1><p id='c'>d<br></p>\n".to_owned()),
        Just(".a, #b > c { --d: 1px; &:e { f: g } }\n@import 'h';\n".to_owned()),
        Just("ifdef A\nall: b | c ## D.\n\t$(CC) -o $@ e\nendif\nF = g\n".to_owned()),
        Just("FROM a AS b\nRUN c \\\n  # d\n  e\nRUN <<F\ng\nF\n".to_owned()),
        Just("resource \"a\" \"b\" {\n  c = d.e[f(\"${g}\")]\n}\n".to_owned()),
        Just("message M { repeated a.B c = 1; oneof d { int32 e = 2; } }\n".to_owned()),
        Just("\"A.\" type A @b { \"c\" d(e: F = 1): [G!]! }\nquery { h }\n".to_owned()),
        Just("CREATE TABLE a.`b` (c int, d text);\nSELECT e(f) FROM g AS h;\n".to_owned()),
        Just("// comment\n\n\n/* other */ ".to_owned()),
        Just("{ ( [ \" ' ` \\ \n".to_owned()),
        Just("} ) ] ; , \r\n".to_owned()),
        Just("\u{feff}größe 日本 😀 ".to_owned()),
        (1..60_usize).prop_map(|times| "call_me(alpha, 1);\n".repeat(times)),
        (1..400_usize).prop_map(|times| "x = 1; ".repeat(times)),
        "[ -~]{0,40}\n?",
    ]
}

fn limits() -> impl Strategy<Value = ChunkLimits> {
    let small = (1..30_u32, 1..60_u32, 16..120_u32, 0..20_u32);
    let small = small.prop_map(|(min_tokens, target_tokens, max_tokens, overlap_tokens)| ChunkLimits {
        min_tokens,
        target_tokens,
        max_tokens,
        overlap_tokens,
    });
    prop_oneof![Just(ChunkLimits::default()), small]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn snippets_and_garbage_keep_what_facts_promise(
        snippets in prop::collection::vec(snippet(), 0..30),
        limits in limits(),
    ) {
        let blob = snippets.concat();
        let mut extractor = Extractor::new(limits);
        for language in languages().chain([TEXT]) {
            check(blob.as_bytes(), &extractor.extract(language, blob.as_bytes()), &limits);
        }
    }

    #[test]
    fn any_bytes_keep_what_facts_promise(blob in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut extractor = Extractor::new(ChunkLimits::default());
        // Without NUL, which would make it binary.
        let blob: Vec<u8> = blob.into_iter().filter(|byte| *byte != 0).collect();
        for language in languages().chain([TEXT]) {
            check(&blob, &extractor.extract(language, &blob), &ChunkLimits::default());
        }
    }

    #[test]
    fn text_with_any_bytes_replaced_keeps_what_facts_promise(
        snippets in prop::collection::vec(snippet(), 1..12),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..8),
    ) {
        let mut blob = snippets.concat().into_bytes();
        if !blob.is_empty() {
            for (at, byte) in changes {
                let at = at.index(blob.len());
                blob[at] = byte;
            }
        }
        let mut extractor = Extractor::new(ChunkLimits::default());
        for language in languages().chain([TEXT]) {
            check(&blob, &extractor.extract(language, &blob), &ChunkLimits::default());
        }
    }

    #[test]
    fn any_input_keeps_what_facts_promise(input in inputs::any_input(TARGET)) {
        check_extraction(&input);
    }
}

#[test]
fn stored_inputs_keep_what_facts_promise() {
    inputs::stored_inputs(TARGET).iter().for_each(|input| check_extraction(input));
}
