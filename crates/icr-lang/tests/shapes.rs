//! Shapes and digests of texts: what a formatter may do changes nothing, and no text is too odd to be read.

use icr_lang::{ChunkLimits, Extractor, TEXT, compared_text, languages, shapes, syntax_errors, token_digest};
use icr_model::{Facts, ParameterKind, Shape};
use proptest::prelude::*;

fn facts(language: &str, text: &str) -> Facts {
    Extractor::new(ChunkLimits::default()).extract(language, text.as_bytes()).facts
}

fn shapes_of(language: &str, text: &str) -> Vec<Shape> {
    shapes(language, text.as_bytes(), &facts(language, text))
}

/// Asserts that two layouts of one text have the same shapes, and that these say something.
#[track_caller]
fn same(language: &str, one: &str, other: &str) {
    let shapes = shapes_of(language, one);
    assert!(shapes.iter().any(|shape| *shape != Shape::default()), "{language}: {one}");
    assert_eq!(shapes, shapes_of(language, other), "{language}: {one}");
}

#[test]
fn layout_and_comments_change_no_shape() {
    same(
        "python",
        "def f( a:int=1,b = {'k':1 , 'l':[1,2]} ,*,c : \"T\"=x [ 1 ] ,d=not  a)->Dict[ str,int ] : pass\nX=[1,\n2]\n",
        "def f(\n    a: int = 1,\n    b={\"k\": 1, \"l\": [1, 2]},\n    *,  # By name.\n    c: \"T\" = x[1],\n    d=not a,\n) -> Dict[str, int]:\n    pass\nX = [\n    1,\n    2,\n]\n",
    );
    same(
        "typescript",
        "export function f<T>( a:T , {b,c}:{b:'x'|\"y\",c?:number[ ]}={b:'x'} ,...d:T[]):Promise<T|null>{}\ntype U='a'|{b:1}\nconst x:Map<string,number>=new Map([ ['a',1] ])\n",
        "export function f<T>(\n  a: T,\n  { b, c }: { b: \"x\" | \"y\"; c?: number[] } = { b: \"x\" },\n  ...d: T[]\n): Promise<T | null> {}\ntype U =\n  // One.\n  | \"a\"\n  | { b: 1 };\nconst x: Map<string, number> = new Map([[\"a\", 1]]);\n",
    );
    same(
        "rust",
        "pub fn f<'a,T:Clone+'a>(&'a self,b:&[u8;3],c:impl Fn(u8)->u8)->Result<Vec<T>,E> where T:Send{}\npub const X:&[u8]=&[1,2];\nenum E{A(u8,Vec<u8>)}\n",
        "pub fn f<'a, T: Clone + 'a>(\n    &'a self,\n    b: &[u8; 3],\n    c: impl Fn(u8) -> u8, // Called.\n) -> Result<Vec<T>, E>\nwhere\n    T: Send,\n{\n}\npub const X: &[u8] = &[\n    1,\n    2,\n];\nenum E {\n    A(\n        u8,\n        Vec<u8>,\n    ),\n}\n",
    );
    same(
        "go",
        "package p\nfunc (s  *S) F(a,b int,c map[string] []int,d func(int) (int,error)) (int,error) {}\ntype T struct { A,B  int }\n",
        "package p\n\nfunc (s *S) F(\n\ta, b int,\n\tc map[string] []int, // Counts.\n\td func(int) (int, error),\n) (int, error) {\n}\n\ntype T struct {\n\tA, B int\n}\n",
    );
    same(
        "java",
        "class A<T extends B&C> extends D<T>{ int f( final int a,String ...b )throws E,F{return 1;} static final int[] X={1,2}; }\n",
        "class A<T extends B & C>\n    extends D<T> {\n  int f(\n      final int a, // One.\n      String... b)\n      throws E, F {\n    return 1;\n  }\n\n  static final int[] X = {\n    1, 2,\n  };\n}\n",
    );
    same(
        "kotlin",
        "class A( val x:Int=1,y:List<Int?> ):B<Int>( x ),C{\n fun f( a:(Int)->Unit={} ):Map<String,Int> = m()\n}\n",
        "class A(\n    val x: Int = 1,\n    y: List<Int?>, // Why.\n) : B<Int>(x),\n    C {\n    fun f(\n        a: (Int) -> Unit = {},\n    ): Map<String, Int> = m()\n}\n",
    );
    same(
        "c",
        "static const char*f(const char*a[],int(*b)(int,void*),unsigned n){return 0;}\nstruct s{int*a;char b[ 3 ];};\n",
        "static const char *f(\n    const char *a[],\n    int (*b)(int, void *), /* Called. */\n    unsigned n)\n{\n    return 0;\n}\nstruct s {\n    int *a;\n    char b[3];\n};\n",
    );
    same(
        "cpp",
        "template<typename T,int N=3>class A:public B<T>{ public:virtual int f(const std::string&a=\"x\",T&&b={})const=0; };\n",
        "template <typename T, int N = 3>\nclass A : public B<T> {\npublic:\n  virtual int f(const std::string &a = \"x\",\n                T &&b = {}) const = 0; // Pure.\n};\n",
    );
    same(
        "csharp",
        "class A<T>:B<T>,C where T:class{ public int? F( int a=1,params string[] b ){return 1;} }\n",
        "class A<T>\n    : B<T>, C\n    where T : class\n{\n    public int? F(\n        int a = 1, // One.\n        params string[] b)\n    {\n        return 1;\n    }\n}\n",
    );
    same(
        "swift",
        "func f( a b:Int=1,_ c:[String:Int]?,d:@escaping (Int)->Void )throws->String{}\n",
        "func f(\n    a b: Int = 1,\n    _ c: [String: Int]?, // Map.\n    d: @escaping (Int) -> Void\n) throws -> String {\n}\n",
    );
    same(
        "php",
        "<?php function f(int|string $a,?B &$b=null,array $c=[1,2]):?int{}\n",
        "<?php\nfunction f(\n    int | string $a, // Either.\n    ?B &$b = null,\n    array $c = [\n        1,\n        2,\n    ],\n): ?int {\n}\n",
    );
}

#[test]
fn a_comment_in_a_list_of_parameters_hides_none() {
    same(
        "python",
        "class A:\n  def f(self, a: int, /, b=1, *, c): pass\n",
        "class A:\n  def f(  # type: ignore\n    # One.\n    self, a: int, /,  # Two.\n    b=1, *,\n    # Three.\n    c): pass\n",
    );
    for (language, before, inside, behind) in [
        ("c", "int f", "int a, char *b", ";\n"),
        ("cpp", "void f", "const A &a, int b = 1", ";\n"),
        ("csharp", "class A { void F", "this int a, string b = null", " {} }\n"),
        ("dart", "void f", "int a, {required int b}", " {}\n"),
        ("go", "package p\nfunc F", "a, b int, c ...string", " {}\n"),
        ("java", "class A { A", "final int a, String... b", " {} }\n"),
        ("javascript", "function f", "a, b = 1, ...c", " {}\n"),
        ("kotlin", "fun f", "a: Int, vararg b: String", " {}\n"),
        ("php", "<?php function f", "int $a, ?B $b = null", " {}\n"),
        ("rust", "impl A { fn f", "&mut self, a: u8", " {} }\n"),
        ("scala", "def f", "a: Int, b: String = \"\"", " = 1\n"),
        ("swift", "func f", "a b: Int, _ c: String", " {}\n"),
        ("typescript", "class A { f", "this: A, a?: number, ...b: string[]", " {} }\n"),
    ] {
        let commented = inside.replace(", ", ", /* B. */ ");
        let (plain, commented) = (format!("({inside})"), format!("( /* A. */ {commented} /* C. */ )"));
        same(language, &format!("{before}{plain}{behind}"), &format!("{before}{commented}{behind}"));
    }
}

#[test]
fn what_formatters_add_and_take_changes_no_shape() {
    same(
        "python",
        "A = '\\n'\nB: 'C' = (1)\ndef f(a: (int | None) = (b or c)): pass\n",
        "A = \"\\n\"\nB: \"C\" = 1\ndef f(a: int | None = b or c): pass\n",
    );
    same("typescript", "const a = f(b => b, function () {})\n", "const a = f((b) => b, function () {});\n");
    same("typescript", "type A = B<{\n  c: number\n  d(): void\n}>\n", "type A = B<{ c: number; d(): void }>;\n");
    same("typescript", "type A = & B & C\n", "type A = B & C;\n");
    same("javascript", "const a = { b: c => c, 'd': 1, }\n", "const a = { b: (c) => c, \"d\": 1 };\n");
}

#[test]
fn what_is_promised_changes_the_shape() {
    for (language, one, other) in [
        ("python", "def f(a, b): pass", "def f(a, *, b): pass"),
        ("python", "def f(a=(1,)): pass", "def f(a=(1)): pass"),
        ("python", "X = 'a b'", "X = 'a  b'"),
        ("python", "class A:\n  def f(self): pass", "class A:\n  @property\n  def f(self): pass"),
        ("typescript", "function f(a: T) {}", "function f(a?: T) {}"),
        ("typescript", "type A = 'a' | 'b'", "type A = 'a'"),
        ("rust", "fn f(&self) {}", "fn f(&mut self) {}"),
        ("rust", "#[derive(Clone)]\nstruct A;", "struct A;"),
        ("go", "package p\nfunc f(a, b int) {}", "package p\nfunc f(a string, b int) {}"),
        ("java", "class A { void f() throws E {} }", "class A { void f() {} }"),
        ("c", "int f(char *a);", "int f(char a);"),
        ("cpp", "struct A { constexpr A(int a); };", "struct A { A(int a); };"),
        ("dart", "void f({required int a}) {}", "void f({int? a}) {}"),
    ] {
        assert_ne!(shapes_of(language, one), shapes_of(language, other), "{language}: {one}");
    }
}

#[test]
fn what_is_known_when_compiled_is_no_part_of_a_type() {
    for text in ["struct A { constexpr A(int a) {} };", "struct A { constexpr A(int a); };", "struct A { A(int a); };"]
    {
        let shapes = shapes_of("cpp", text);
        assert_eq!(shapes.last().and_then(|shape| shape.returns.as_deref()), None, "{text}: {shapes:?}");
    }
}

#[test]
fn a_function_in_a_default_has_parameters_of_its_own() {
    for (language, text) in [
        ("python", "def f(a=lambda x, y=1: x): pass"),
        ("javascript", "function f(a = (x, y) => x) {}"),
        ("typescript", "function f(a = function (x: number, y?: number) {}) {}"),
        ("kotlin", "fun f(a: (Int) -> Int = fun(x: Int): Int { return x }) {}"),
        ("ruby", "def f(a = ->(x, y) { x }); end"),
        ("php", "<?php function f($a = fn($x) => $x) {}"),
        ("r", "f <- function(a = function(x, y) x) a"),
        ("cpp", "void f(int a = [](int x, int y) { return x; }(1, 2)) {}"),
    ] {
        let shape = &shapes_of(language, text)[0];
        let names: Vec<&str> = shape.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, ["a"], "{language}");
        assert!(shape.parameters[0].optional, "{language}");
    }
}

#[test]
fn definitions_that_the_tree_does_not_show_have_shapes() {
    let text =
        "cfg! {\n    pub fn outer(a: u8) -> u8 { 1 }\n    deep! { impl T for S { fn inner(&self, b: u8) {} } }\n}\n";
    let facts = facts("rust", text);
    let shapes = shapes("rust", text.as_bytes(), &facts);
    let of = |name: &str| &shapes[facts.symbols.iter().position(|symbol| symbol.name == name).unwrap()];
    assert_eq!(of("outer").returns.as_deref(), Some("u8"));
    assert_eq!(of("inner").parameters[0].kind, ParameterKind::Receiver);
    assert_eq!(of("S").bases, ["T"]);
}

#[test]
fn long_values_are_told_in_part_and_differ_in_full() {
    let table = |last: u32| {
        let entries: String = (0..5_000).map(|number| format!("{number}, ")).collect();
        shapes_of("python", &format!("TABLE = [\n{}{last}]\n", entries.replace("0, ", "0,\n")))[0]
            .value
            .clone()
            .unwrap()
    };
    assert!(table(1).len() < 2_100, "{}", table(1).len());
    assert_eq!(table(1), table(1));
    assert_ne!(table(1), table(2));
}

#[test]
fn thousands_of_parameters_are_all_told() {
    let names =
        |before: &str, behind: &str| -> String { (0..20_000).map(|n| format!("{before}{n}{behind},\n")).collect() };
    for (language, text) in [
        ("python", format!("def f(\n{}): pass\n", names("p", "=1"))),
        ("go", format!("package p\nfunc f(\n{}q int) {{}}\n", names("p", ""))),
        ("typescript", format!("function f(\n{}) {{}}\n", names("p", "?: number"))),
        ("rust", format!("fn f(\n{}) {{}}\n", names("p", ": u8"))),
        ("c", format!("void f(\n{}int q) {{}}\n", names("int p", ""))),
    ] {
        let told = shapes_of(language, &text)[0].parameters.len();
        assert!(told == 20_000 || told == 20_001, "{language}: {told}");
    }
}

#[test]
fn texts_that_no_grammar_reads_have_empty_shapes() {
    let facts = facts("rust", "pub fn f(a: u8) {}\n");
    assert_eq!(shapes("yaml", b"a: 1\n", &facts), [Shape::default()]);
    assert_eq!(shapes(TEXT, b"text", &facts), [Shape::default()]);
    assert_eq!(shapes("rust", b"\0", &facts), [Shape::default()]);
    assert_eq!(shapes("rust", b"", &facts), [Shape::default()]);
    assert_eq!(shapes("rust", b"fn other() {}", &Facts::default()), []);
}

#[test]
fn a_first_line_says_the_language_of_text() {
    let text = "#!/usr/bin/env python3\ndef run(a): pass\n";
    assert_eq!(shapes_of(TEXT, text), shapes_of("python", text));
    assert_eq!(shapes_of(TEXT, text)[0].parameters.len(), 1);
    assert_eq!(token_digest(TEXT, text.as_bytes()), token_digest("python", text.as_bytes()));
}

/// Asserts that two texts say the same besides comments and layout, or not.
#[track_caller]
fn digests(language: &str, one: &str, other: &str, equal: bool) {
    let digest = |text: &str| token_digest(language, text.as_bytes()).expect("a text that parses");
    assert_eq!(digest(one) == digest(other), equal, "{language}\n{one}\n{other}");
}

#[test]
fn comments_and_layout_change_no_digest() {
    digests("rust", "fn a() { b(1) }\n", "// A.\nfn a()\n{\n    b( 1 ) /* one */\n}\n\n\n", true);
    digests("python", "def a():\n    b()\n", "# A.\n\ndef a( ):\n  b()  # B.\n\n\n", true);
    digests(
        "python",
        "'''File.'''\ndef a():\n  '''One.'''\n  b()\n",
        "\"\"\"Other.\"\"\"\ndef a():\n  '''Two.'''\n  b()\n",
        true,
    );
    digests("javascript", "a(1); // One\n", "/* A. */\na(\n  1\n);\n", true);
    digests("c", "int a = 1 + 2;\n", "int a = 1 + \\\n  2; // Sum.\n", true);
    digests("yaml", "a:\n  b: 1\n", "# A.\na:\n    b: 1 # One.\n", true);
    digests("haskell", "a = b where\n  b = 1\n", "-- A.\na = b where\n        b = 1\n", true);
}

#[test]
fn comments_that_are_obeyed_change_the_digest() {
    let mut equal = String::new();
    for (language, before, behind) in [
        ("dart", "// @dart=2.", "\nvar a = 1;\n"),
        ("dockerfile", "# escape=", "\nFROM a\n"),
        ("dockerfile", "# syntax=docker/dockerfile:", "\nFROM a\n"),
        ("go", "//go:build go1.2", "\n\npackage p\n"),
        ("go", "// +build go1.2", "\n\npackage p\n"),
        ("go", "package p\n\n//go:embed a", ".txt\nvar a string\n"),
        ("go", "package p\n\n//export A", "\nfunc A() {}\n"),
        ("go", "package p\n\n/*\n#include <a", ".h>\n*/\nimport \"C\"\n"),
        ("go", "package p\n\n// #include <a", ".h>\n// #include <b.h>\nimport \"C\"\n"),
        ("go", "package p\n\nimport (\n\t\"fmt\"\n\t// #include <a", ".h>\n\t\"C\"\n)\n"),
        ("haskell", "{-# LANGUAGE A", " #-}\nmodule M where\na = 1\n"),
        ("haskell", "module M where\n{-# INLINE a", " #-}\na = 1\n"),
        ("javascript", "// @ts-check", "\na();\n"),
        ("javascript", "/** @jsx h", " */\na();\n"),
        ("javascript", "/* @jsxImportSource a", " */\na();\n"),
        ("python", "# -*- coding: utf-", " -*-\na()\n"),
        ("python", "#!/usr/bin/env python3\n# vim: set fileencoding=utf-", " :\na()\n"),
        ("ruby", "# frozen_string_literal: ", "\na()\n"),
        ("ruby", "# A.\n# -*- encoding: a", " -*-\na()\n"),
        ("scala", "//> using scala 3.", "\nval a = 1\n"),
        ("sql", "SELECT /*+ A", " */ b FROM c;\n"),
        ("swift", "// swift-tools-version:5.", "\nlet a = 1\n"),
        ("tsx", "/** @jsxRuntime a", " */\na();\n"),
        ("typescript", "/// <reference path=\"a", ".ts\" />\na();\n"),
        ("typescript", "a();\n// @ts-expect-error", "\nb();\n"),
    ] {
        let text = |inside: &str| token_digest(language, format!("{before}{inside}{behind}").as_bytes());
        let without = token_digest(language, behind.trim_start().as_bytes());
        if text("") == text(" 2") || text(" 2") == without {
            equal.push_str(&format!("{language}: {before}|{behind}"));
        }
    }
    for (language, shebang, rest) in [
        ("bash", "#!/bin/sh", "a\n"),
        ("javascript", "#!/usr/bin/env node", "a()\n"),
        ("lua", "#!/usr/bin/lua", "a()\n"),
        ("php", "#!/usr/bin/env php", "<?php a();\n"),
        ("python", "#!/usr/bin/env python3", "a()\n"),
        ("r", "#!/usr/bin/env Rscript", "a()\n"),
        ("ruby", "#!/usr/bin/env ruby", "a()\n"),
    ] {
        let text = |first: &str| token_digest(language, format!("{first}\n{rest}").as_bytes());
        if text(shebang) == text(&format!("{shebang} -x")) || text(shebang) == text("") {
            equal.push_str(&format!("{language}: {shebang}"));
        }
    }
    assert!(equal.is_empty(), "{equal}");
}

#[test]
fn comments_that_nothing_obeys_change_no_digest() {
    digests("go", "package p\n\n// go:embed a.txt\nvar a string\n", "package p\n\nvar a string\n", true);
    digests("go", "package p\n\n// A.\n\nimport \"C\"\n", "package p\n\n// B.\n\nimport \"C\"\n", true);
    digests("go", "package p\n\n// A.\nimport \"fmt\"\n", "package p\n\n// B.\nimport \"fmt\"\n", true);
    digests("python", "a()\n# -*- coding: utf-8 -*-\n", "a()\n# -*- coding: ascii -*-\n", true);
    digests("ruby", "a()\n# encoding: a\n", "a()\n# encoding: b\n", true);
    digests("javascript", "// jsx\na();\n", "// @tsx\na();\n", true);
    digests("bash", "a\n#!/bin/sh\n", "a\n#!/bin/bash\n", true);
}

#[test]
fn layout_that_means_something_changes_the_digest() {
    digests("python", "if a:\n  b()\n  c()\n", "if a:\n  b()\nc()\n", false);
    digests("python", "def f():\n  return a\n", "def f():\n  return\n  a\n", false);
    digests("javascript", "function f() { return a }\n", "function f() { return\na }\n", false);
    digests("yaml", "a:\n  b: 1\nc: 2\n", "a:\n  b: 1\n  c: 2\n", false);
    digests("haskell", "a = b where\n  b = c\n  d = 1\n", "a = b where\n  b = c\nd = 1\n", false);
    digests("markdown", "# A\n\nB\n", "A\n\nB\n", false);
    digests("make", "a:\n\tb\nc:\n\td\n", "a:\n\tb\n\tc:\n\td\n", false);
}

#[test]
fn white_space_in_a_text_changes_the_digest() {
    let mut equal = String::new();
    for (language, before, behind) in [
        ("bash", "a=\"", "\"\n"),
        ("bash", "a=\"$b", "$c\"\n"),
        ("bash", "a <<E\nb", "$c\nE\n"),
        ("c", "char *a = \"", "\";\n"),
        ("cpp", "auto a = \"", "\";\n"),
        ("csharp", "class A { string a = \"", "\"; }\n"),
        ("csharp", "class A { string a = $\"{b}", "{c}\"; }\n"),
        ("css", "a { content: \"", "\"; }\n"),
        ("dart", "var a = '", "';\n"),
        ("dart", "var a = '$b", "$c';\n"),
        ("dockerfile", "FROM a\nENV b=\"$c", "$d\"\n"),
        ("dockerfile", "FROM a\nRUN b '", "'\n"),
        ("elixir", "a = \"", "\"\n"),
        ("elixir", "a = \"#{b}", "#{c}\"\n"),
        ("go", "package p\nvar a = \"", "\"\n"),
        ("go", "package p\nvar a = `", "`\n"),
        ("graphql", "type A { b(c: String = \"", "\"): D }\n"),
        ("haskell", "a = \"", "\"\n"),
        ("hcl", "a = \"", "\"\n"),
        ("hcl", "a = \"${b}", "${c}\"\n"),
        ("html", "<a b=\"", "\"></a>\n"),
        ("java", "class A { String a = \"", "\"; }\n"),
        ("javascript", "a = \"", "\"\n"),
        ("javascript", "a = `${b}", "${c}`\n"),
        ("json", "{\"a\": \"", "\"}\n"),
        ("kotlin", "val a = \"", "\"\n"),
        ("kotlin", "val a = \"${b}", "${c}\"\n"),
        ("lua", "a = \"", "\"\n"),
        ("make", "a:\n\techo '$(b)", "'\n"),
        ("ocaml", "let a = \"", "\"\n"),
        ("php", "<?php $a = '", "';\n"),
        ("php", "<?php $a = \"{$b}", "{$c}\";\n"),
        ("protobuf", "syntax = \"proto3\";\noption a = \"", "\";\n"),
        ("python", "a = '", "'\n"),
        ("python", "a = \"\"\"b\n", "\"\"\"\n"),
        ("python", "a = f'{b}", "{c}'\n"),
        ("r", "a <- \"", "\"\n"),
        ("ruby", "a = '", "'\n"),
        ("ruby", "a = <<~E\n  #{b}", "#{c}\nE\n"),
        ("ruby", "a = \"#{b}", "#{c}\"\n"),
        ("rust", "const A: &str = \"", "\";\n"),
        ("scala", "val a = \"", "\"\n"),
        ("scala", "val a = s\"${b}", "${c}\"\n"),
        ("sql", "SELECT '", "';\n"),
        ("swift", "let a = \"", "\"\n"),
        ("swift", "let a = \"\\(b)", "\\(c)\"\n"),
        ("toml", "a = \"", "\"\n"),
        ("tsx", "const a = <b c=\"", "\" />;\n"),
        ("typescript", "a = `${b}", "${c}`\n"),
        ("yaml", "a: \"", "\"\n"),
        ("zig", "const a = \"", "\";\n"),
    ] {
        let text = |inside: &str| token_digest(language, format!("{before}{inside}{behind}").as_bytes());
        for (one, other) in [("x y", "x  y"), (" ", "  "), (" ", "")] {
            if text(one) == text(other) {
                equal.push_str(&format!("{language}: {before}|{behind}"));
            }
        }
    }
    assert!(equal.is_empty(), "{equal}");
}

#[test]
fn names_and_signs_change_the_digest() {
    digests("rust", "fn a() {}\n", "fn b() {}\n", false);
    digests("python", "a(1)\n", "a(1,)\n", false);
    digests("rust", "cfg! { fn a() {} }\n", "cfg! { fn b() {} }\n", false);
}

#[test]
fn what_is_no_text_of_a_language_has_no_digest() {
    assert_eq!(token_digest("rust", b"fn a() {}\0"), None);
    assert_eq!(token_digest(TEXT, b"text\n"), None);
    assert_eq!(token_digest("json", b") ( } { = = ; ;\n"), None);
    assert_eq!(token_digest("javascript", &b"var a=function(b){return b+1};".repeat(2_000)), None);
}

/// Pieces of source in several languages, whole and broken.
fn snippet() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("/// Doc.\npub fn f<'a, T>(&'a self, b: T) -> u8 where T: X { b() }\n".to_owned()),
        Just("#[derive(A, B)]\nenum E<T> { A(u8), B { c: T }, D = 1 }\n".to_owned()),
        Just("cfg! { impl T for S { fn inner(a: u8) {} } }\n".to_owned()),
        Just("class C(B, metaclass=M):\n    x: int = 1\n    @property\n    def m(self, *a, b=lambda c: 1, **d) -> E:\n        pass\n".to_owned()),
        Just("export const f = async ({ a, b = 1 }: T, ...c: U[]): Promise<V> => d;\n".to_owned()),
        Just("class K extends B<T> implements I { static x? = 'y'; m(a, b = 1) {} }\n".to_owned()),
        Just("type A = | 'a' | { b: [c: d] };\n".to_owned()),
        Just("func (r *R) M(a, b int, c ...string) (int, error) { return 1, nil }\n".to_owned()),
        Just("package p\ntype T struct { A; b, c int `d` }\nconst (\nE = iota\nF\n)\n".to_owned()),
        Just("public abstract class J<T> extends K implements L { int f(int a, T... b) throws E; }\n".to_owned()),
        Just("static const char *g(int (*a)(void), char b[3], ...) { return 0; }\n".to_owned()),
        Just("template <typename T> struct S : B { T f(const T& a = {}) const; };\n".to_owned()),
        Just("fun <T> A.f(x: Int = 1, vararg y: T): B? where T : C = d\n".to_owned()),
        Just("func f(_ a: Int = 1, b c: inout [D]...) throws -> E where F: G {}\n".to_owned()),
        Just("def f(a, b = 1, *c, d:, e: 2, **g, &h)\nend\n".to_owned()),
        Just("def f(a \\\\ 1, %{b: c}) when d, do: e\n".to_owned()),
        Just("f :: forall a. A a => a -> B\nf x = x\n".to_owned()),
        Just("message M { map<string, a.B> c = 1 [d = true]; }\n".to_owned()),
        Just("{ ( [ \" ' ` \\ \n".to_owned()),
        Just("} ) ] ; , \r\n".to_owned()),
        Just("\u{feff}größe 日本 😀 ".to_owned()),
        "[ -~]{0,40}\n?",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_a_shape_for_each_definition(
        snippets in prop::collection::vec(snippet(), 0..12),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let whole = snippets.concat().into_bytes();
        let mut text = whole.clone();
        if !text.is_empty() {
            for (at, byte) in changes {
                let at = at.index(text.len());
                text[at] = byte;
            }
        }
        let mut extractor = Extractor::new(ChunkLimits::default());
        for language in languages().chain([TEXT]) {
            let facts = extractor.extract(language, &text).facts;
            prop_assert_eq!(shapes(language, &text, &facts).len(), facts.symbols.len());
            // Facts of another text than the one that is read.
            prop_assert_eq!(shapes(language, &whole, &facts).len(), facts.symbols.len());
            // One parse tells what three do.
            let compared = compared_text(language, &text, &facts);
            prop_assert_eq!(compared.shapes, shapes(language, &text, &facts));
            prop_assert_eq!(compared.token_digest, token_digest(language, &text));
            prop_assert!(!compared.is_sound || syntax_errors(language, &text).is_empty());
        }
    }
}
