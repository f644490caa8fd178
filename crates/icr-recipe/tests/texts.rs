//! What of a text shapes facts, and what does not.

use icr_recipe::shaping_text;

#[track_caller]
fn same(path: &str, one: &str, other: &str) {
    let of = |text| shaping_text(path, text).expect("the text parses");
    assert_eq!(of(one), of(other), "{one}\n---\n{other}");
}

#[track_caller]
fn differ(path: &str, one: &str, other: &str) {
    let of = |text| shaping_text(path, text).expect("the text parses");
    assert_ne!(of(one), of(other), "{one}\n---\n{other}");
}

const FUNCTION: &str = "fn f(a: u8) -> u8 { a + 1 }";

#[test]
fn comments_and_documentation_of_rust_do_not_count() {
    for other in [
        "// Adds.\nfn f(a: u8 /* any */) -> u8 { a + 1 } // up",
        "//! Sums.\n\n/// Adds.\n/** One. */\nfn f(a: u8) -> u8 { /*! Inside. */ a + 1 }",
        "#![doc = \"Sums.\"]\n#[doc(hidden)] fn f(a: u8) -> u8 { a + 1 }",
    ] {
        same("a.rs", FUNCTION, other);
    }
    same("a.rs", "struct S { a: u8 }", "struct S {\n    /// Its number.\n    a: u8,\n}");
    same("a.rs", "ids! { A }", "ids! {\n    /// The first.\n    A\n}");
    same("a.rs", "enum E { A, B }", "enum E {\n    /// The first.\n    A,\n    // The last.\n    B,\n}");
}

#[test]
fn tests_do_not_count() {
    for other in [
        "fn f(a: u8) -> u8 { a + 1 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n}\n",
        "#[cfg(test)]\nuse a::b;\nfn f(a: u8) -> u8 { a + 1 }\n#[cfg(test)]\nmod tests;",
        "fn f(a: u8) -> u8 { #[cfg(test)] count(); a + 1 }\n#[test]\nfn g() {}",
        "/// For tests.\n#[cfg(test)]\nconst A: u8 = 1;\nfn f(a: u8) -> u8 { a + 1 }",
    ] {
        same("a.rs", FUNCTION, other);
    }
    same("a.rs", "impl A {}", "impl A { #[cfg(test)] fn f() {} }");
    differ("a.rs", FUNCTION, "#[cfg(unix)]\nfn f(a: u8) -> u8 { a + 1 }");
    differ("a.rs", "#[cfg(not(test))] fn f() {}", "");
}

#[test]
fn attributes_for_linters_do_not_count() {
    for other in [
        "#![warn(missing_docs)]\n#[must_use]\n#[allow(unused)] fn f(a: u8) -> u8 { a + 1 }",
        "#[expect(unused, reason = \"later\")]\n#[rustfmt::skip]\nfn f(#[allow(b)] a: u8) -> u8 { a + 1 }",
    ] {
        same("a.rs", FUNCTION, other);
    }
    differ("a.rs", "#[derive(Debug)] struct S;", "#[derive(Debug, Clone)] struct S;");
    differ("a.rs", "#[serde(skip)] struct S;", "struct S;");
}

#[test]
fn layout_of_rust_does_not_count() {
    for other in
        ["fn f(\n    a: u8,\n) -> u8 {\n    a + 1\n}\n", "fn f(a:u8)->u8{a+1}", "fn  f ( a : u8 , ) -> u8 { a\r\n+ 1 }"]
    {
        same("a.rs", FUNCTION, other);
    }
    for (one, other) in [
        ("fn f<A, B>() where A: C {}", "fn f<\n    A,\n    B,\n>()\nwhere\n    A: C,\n{\n}"),
        ("fn f() { g(a, b); h(a).i(b)?; j!(a) }", "fn f() { g(a, b,); h(a,).i(b,)?; j!(a,) }"),
        ("fn f() { match a { 1 => b, _ => c } }", "fn f() { match a { 1 => { b } _ => { c }, } }"),
        ("fn f() { match a { 1 => b!(), _ => {} } }", "fn f() { match a { 1 => { b!() } _ => {}, } }"),
        ("fn f() { if a { return b } loop { break } }", "fn f() { if a { return b; } loop { break; } }"),
        ("fn f() { match a { 1 => return, _ => c } }", "fn f() { match a { 1 => { return; } _ => c } }"),
        ("fn f() { a.map(|b| c(b)) }", "fn f() { a.map(|b| {\n    c(b)\n}) }"),
        ("fn f() { a!(-1, &&b, &c) }", "fn f() { a!(- 1,&& b,& c) }"),
        ("const A: &str = \"a b\";", "const A: &str = \"a \\\n    b\";"),
        ("const A: &str = \"a\\\"b\";", "const A: &str = r#\"a\"b\"#;"),
        ("use a::b;\nuse a::c as d;\nuse e::*;", "use e::*;\nuse a::{c as d, b};"),
        ("fn f() { use a::{b, c}; d() }", "fn f() { use a::c; use a::b; d() }"),
    ] {
        same("a.rs", one, other);
    }
}

#[test]
fn what_rust_does_counts() {
    for other in [
        "fn f(a: u8) -> u8 { a + 2 }",
        "fn f(a: u8) -> u8 { a - 1 }",
        "fn g(a: u8) -> u8 { a + 1 }",
        "fn f(a: u16) -> u8 { a + 1 }",
        "fn f(a: u8) -> u8 { a + 1; }",
        "pub fn f(a: u8) -> u8 { a + 1 }",
        "fn f(a: u8) -> u8 { a + 1 }\nconst A: u8 = 1;",
    ] {
        differ("a.rs", FUNCTION, other);
    }
    for (one, other) in [
        ("const A: &str = \"a b\";", "const A: &str = \"a  b\";"),
        ("const A: &str = \"// a\";", "const A: &str = \"// b\";"),
        ("const A: &[u8] = b\"a\";", "const A: &str = \"a\";"),
        ("fn f() { match a { 1 => b, _ => c } }", "fn f() { match a { 1 | 2 => b, _ => c } }"),
        ("fn f() { match a { 1 => b, _ => c } }", "fn f() { match a { _ => c, 1 => b } }"),
        ("fn f() { (a,) }", "fn f() { (a) }"),
        ("fn f() { g((a,)) }", "fn f() { g((a)) }"),
        ("fn f() { return (a,); }", "fn f() { return (a); }"),
        ("type A = (u8,);", "type A = (u8);"),
        ("fn f() { a && b }", "fn f() { a & &b }"),
        ("fn f() { g!(a && b) }", "fn f() { g!(a & &b) }"),
        ("fn f() { 'a: loop {} }", "fn f() { 'b: loop {} }"),
        ("fn f() { a.map(|b| { c(b) }) }", "fn f() { a.map(|b| { c(b); }) }"),
        ("fn f() { match a { _ => unsafe { b() } } }", "fn f() { match a { _ => b() } }"),
        ("use a::b;", "use a::b as c;"),
        ("use a::b;", "pub use a::b;"),
        ("macro_rules! m { ($($a:expr),*) => {}; }", "macro_rules! m { ($($a:expr),+) => {}; }"),
    ] {
        differ("a.rs", one, other);
    }
}

#[test]
fn what_does_not_parse_has_no_digest() {
    let error = shaping_text("a/b.rs", "fn f( {}").expect_err("that is no Rust");
    assert!(error.to_string().starts_with("`a/b.rs`: "), "{error}");
}

const QUERY: &str = "((call name: (_) @name)? @x (#match? @name \"^; a b\\\"$\"))";

#[test]
fn comments_and_layout_of_queries_do_not_count() {
    for other in [
        "; Calls.\n((call name: (_) @name)? @x (#match? @name \"^; a b\\\"$\")) ; all",
        "(\n  (call\n    name:(_)@name)?@x\n  (#match? @name\n    \"^; a b\\\"$\"))\n; no end",
    ] {
        same("a.scm", QUERY, other);
    }
}

#[test]
fn patterns_of_queries_count() {
    for (now, other) in [
        ("call", "calls"),
        ("@name)", "@names)"),
        ("; a b", "; a  b"),
        ("; a", ": a"),
        (")?", ")*"),
        ("name:", ""),
        ("match", "eq"),
    ] {
        differ("a.scm", QUERY, &QUERY.replacen(now, other, 1));
    }
    differ("a.scm", "(a) . (b)", "(a) (b)");
    differ("a.scm", "[(a) (b)]", "(a) (b)");
}

const TABLE: &str = "CREATE TABLE a (b BLOB PRIMARY KEY, c TEXT DEFAULT '-- ''d') WITHOUT ROWID;";

#[test]
fn comments_and_layout_of_sql_do_not_count() {
    for other in [
        "-- Rows.\nCREATE TABLE a (\n    b BLOB PRIMARY KEY, -- the key\n    c TEXT DEFAULT '-- ''d'\n) WITHOUT ROWID;\n",
        "/* Rows\n-- of */ CREATE TABLE a(b BLOB PRIMARY KEY,c TEXT DEFAULT '-- ''d')WITHOUT ROWID; -- no end",
    ] {
        same("a.sql", TABLE, other);
    }
}

#[test]
fn columns_of_sql_count() {
    for (now, other) in
        [("b BLOB", "b TEXT"), ("-- ''d", "-- d"), ("a (", "aa ("), (" PRIMARY KEY", ""), (" WITHOUT ROWID", "")]
    {
        differ("a.sql", TABLE, &TABLE.replacen(now, other, 1));
    }
}
