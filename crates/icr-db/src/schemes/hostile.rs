//! Hostile repositories: whatever manifests and statements contain, every answer consists of files of the view, and
//! backward look-up finds the same edges as forward resolution.

use std::fmt::Write;
use std::sync::Arc;

use icr_lang::{ChunkLimits, Extractor, language_of};
use icr_model::{BlobId, Import, ImportKind, ImportName, RepoPath};
use proptest::prelude::*;

use super::SCHEMES;
use crate::fuzzing::check_imports;
use crate::memory::{MemoryFile, MemorySource};
use crate::source::ViewBlob;
use crate::testing::{view_of, view_of_files};
use crate::{FileImports, QueryGraph};

/// The imports of the file at `path`: `->` before files, `outside` and `missing` before specifiers, and problems.
#[track_caller]
fn check(files: &str, path: &str, expected: &str) {
    check_source(view_of(files), path, expected);
}

#[track_caller]
fn check_source(source: MemorySource, path: &str, expected: &str) {
    let source = Arc::new(source);
    check_imports(&source);
    let imports = QueryGraph::new(source).imports(&path.into()).unwrap();
    assert_eq!(format_imports(&imports), expected);
}

fn format_imports(imports: &FileImports) -> String {
    let mut text = String::new();
    for edge in &imports.edges {
        writeln!(text, "{} -> {}", edge.line, edge.to).unwrap();
    }
    for import in &imports.external {
        writeln!(text, "{} outside {}", import.line, import.specifier).unwrap();
    }
    for import in &imports.unresolved {
        writeln!(text, "{} missing {}", import.line, import.specifier).unwrap();
    }
    for problem in &imports.problems {
        writeln!(text, "problem in {}", problem.path).unwrap();
    }
    text
}

#[test]
fn circles_of_exports_end() {
    check(
        "//- a/__init__.py\nfrom .b import *\nfrom b import *\n//- a/b.py\nfrom . import *\nfrom a import nothing\n\
         //- b.py\nfrom a import *\n//- main.py\nfrom a import nothing\nfrom b import nothing\n",
        "main.py",
        "1 -> a/__init__.py\n2 -> b.py\n",
    );
    check(
        "//- a.ts\nexport * from './b';\n//- b.ts\nexport * from './c';\nexport * from './b';\n\
         //- c.ts\nexport * from './a';\n//- main.ts\nimport { nothing } from './a';\n",
        "main.ts",
        "1 -> a.ts\n",
    );
    check(
        "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\nmod a;\nmod b;\npub use a::*;\n\
         //- src/a.rs\npub use crate::b::*;\npub use super::*;\npub use crate::b::nothing;\n\
         //- src/b.rs\npub use crate::a::*;\npub use crate::a::nothing;\n",
        "src/b.rs",
        "1 -> src/a.rs\n",
    );
    check("//- a.dart\nexport 'b.dart';\n//- b.dart\nexport 'a.dart';\nexport 'b.dart';\n", "b.dart", "1 -> a.dart\n");
}

#[test]
fn configurations_that_extend_each_other_end() {
    check(
        "//- tsconfig.json\n{ \"extends\": \"./tsconfig.json\", \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }\n\
         //- src/a.ts\nimport '@/b';\n//- src/b.ts\n",
        "src/a.ts",
        "1 -> src/b.ts\n",
    );
    check(
        "//- tsconfig.json\n{ \"extends\": [\"./x/tsconfig.a.json\", \"./tsconfig.json\"], \"references\": [{ \"path\": \".\" }] }\n\
         //- x/tsconfig.a.json\n{ \"extends\": \"../tsconfig.json\", \"compilerOptions\": { \"baseUrl\": \"../..\" } }\n\
         //- a.ts\nimport 'b';\nimport './b';\n//- b.ts\n",
        "a.ts",
        "2 -> b.ts\n1 outside b\n",
    );
}

#[test]
fn maps_that_leave_the_repository_lead_nowhere() {
    check(
        "//- tsconfig.json\n{ \"compilerOptions\": { \"baseUrl\": \"../../..\", \"rootDirs\": [\"..\", \"../../src\"],\n\
         \"paths\": { \"out/*\": [\"../../*\"], \"etc\": [\"/etc/passwd\"], \"star/*\": [\"*/../../../b\"] } } }\n\
         //- a.ts\nimport 'out/b';\nimport 'etc';\nimport 'star/..';\nimport './b';\n//- b.ts\n",
        "a.ts",
        "4 -> b.ts\n1 outside out/b\n2 outside etc\n3 missing star/..\n",
    );
    check(
        "//- packages/p/package.json\n{ \"name\": \"p\", \"main\": \"../../../x.js\", \"exports\": { \".\": \"./../../x.js\",\n\
         \"./a\": \"../../x.js\", \"./b\": \"/x.js\", \"./c\": \"./x.js\", \"./*\": \"./../*.js\", \"./d\": [\"../q\", null, 1] },\n\
         \"imports\": { \"#x\": \"../../x.js\", \"#y\": \"./../../../y\" } }\n\
         //- packages/p/x.js\nimport '#x';\nimport '#y';\n//- x.js\n//- package.json\n{ \"workspaces\": [\"packages/*\", \"../*\", \"/\"] }\n\
         //- main.js\nimport 'p';\nimport 'p/a';\nimport 'p/b';\nimport 'p/c';\nimport 'p/d';\nimport 'p/x';\n",
        "main.js",
        "4 -> packages/p/x.js\n1 missing p\n2 missing p/a\n3 missing p/b\n5 missing p/d\n",
    );
    check(
        "//- a/Cargo.toml\n[package]\nname = \"a\"\n[workspace]\nmembers = [\"../..\", \"../../*\", \"/\", \"\", 1]\n\
         [lib]\npath = \"../../../lib.rs\"\n[dependencies]\nb = { path = \"../../../b\" }\nc = { path = \"\" }\n\
         //- a/src/lib.rs\nuse b::x;\nuse c::x;\n#[path = \"../../../../x.rs\"]\nmod x;\n//- lib.rs\n//- x.rs\n",
        "a/src/lib.rs",
        "1 outside b\n2 missing c\n3 missing ../../../../x.rs\n4 missing x\n",
    );
    check(
        "//- composer.json\n{ \"autoload\": { \"psr-4\": { \"App\\\\\": \"../src\", \"\": \"../..\", \"B\\\\\": [\"/b\", \"../b\"] },\n\
         \"files\": [\"../x.php\"], \"classmap\": [\"..\"] } }\n//- src/X.php\n<?php namespace App; class X {}\n\
         //- a.php\n<?php\nuse App\\X;\nuse B\\Y;\nrequire '../../../x.php';\n",
        "a.php",
        "2 -> src/X.php\n4 outside ../../../x.php\n3 missing B\\Y\n",
    );
    check(
        "//- go.mod\nmodule example.org/a\nreplace example.org/b => ../../b\nreplace example.org/c => /c\n\
         //- a.go\npackage a\nimport \"example.org/a/../../b\"\nimport \"example.org/b\"\nimport \"example.org/a/gone\"\nimport \"../../b\"\n\
         //- b/b.go\npackage b\n",
        "a.go",
        "3 outside example.org/b\n2 missing example.org/a/../../b\n4 missing example.org/a/gone\n5 missing ../../b\n",
    );
    check(
        "//- compile_commands.json\n[{ \"directory\": \"/\", \"file\": \"../../a.c\", \"arguments\": [\"cc\", \"-I\", \"../../..\", \"-I/\", \"-I\"] },\n\
         { \"directory\": \"..\", \"file\": \"a.c\", \"command\": \"cc -I'../.. -isystem\" }]\n\
         //- a.c\n#include \"b.h\"\n#include <../../../etc/passwd>\n//- x/b.h\n",
        "a.c",
        "1 -> x/b.h\n2 outside ../../../etc/passwd\n",
    );
    check(
        "//- Package.swift\nlet p = Package(targets: [.target(name: \"Out\", path: \"../..\"), .target(name: \"\", path: \"\"), .target(name:\n\
         //- a.swift\nimport Out\n//- b.swift\npublic class B {}\n",
        "a.swift",
        "1 outside Out\n",
    );
}

#[test]
fn manifests_of_the_wrong_shape_are_problems_or_say_nothing() {
    for wrong in ["", "[]", "1", "null", "\"x\"", "{", "\u{0}", "{\"a\":", "[[[[[[[[[["] {
        for (manifest, code, statement) in [
            ("tsconfig.json", "src/a.ts", "import './b'"),
            ("package.json", "src/a.js", "import './b'"),
            ("composer.json", "src/a.php", "<?php use A\\B;"),
            ("compile_commands.json", "src/a.c", "#include \"b.h\""),
            ("Cargo.toml", "src/lib.rs", "use b::c;"),
            ("go.mod", "src/a.go", "package a\nimport \"b\""),
            ("go.work", "src/a.go", "package a\nimport \"b\""),
            ("pyproject.toml", "src/a.py", "import b"),
            ("pubspec.yaml", "src/a.dart", "import 'b.dart';"),
            ("pnpm-workspace.yaml", "src/a.ts", "import './b'"),
            ("Package.swift", "src/a.swift", "import B"),
        ] {
            let files = [(manifest, wrong), (code, statement)];
            check_imports(&Arc::new(view_of_files(files.map(|(path, text)| (path.into(), text.to_owned())))));
        }
    }
    let composer = "{ \"autoload\": { \"psr-4\": [\"src\"], \"psr-0\": 1, \"files\": { \"a\": [] }, \"classmap\": \"x\" }, \"autoload-dev\": [] }";
    check(
        &format!("//- composer.json\n{composer}\n//- a.php\n<?php\nuse App\\X;\nrequire 'b.php';\n//- b.php\n"),
        "a.php",
        "3 -> b.php\n2 outside App\\X\nproblem in composer.json\n",
    );
    check(
        "//- tsconfig.json\n{ \"extends\": 1, \"include\": {}, \"files\": [1], \"references\": [\"x\", 1], \"compilerOptions\": { \"paths\": [], \"baseUrl\": [] } }\n\
         //- a.ts\nimport './b';\n//- b.ts\n",
        "a.ts",
        "1 -> b.ts\n",
    );
    check(
        "//- go.mod\nmodule (\n)\nreplace => =>\nrequire (\n//- a.go\npackage a\nimport \"example.org/a/b\"\n//- b/b.go\npackage b\n",
        "a.go",
        "2 outside example.org/a/b\nproblem in go.mod\n",
    );
    check(
        "//- compile_commands.json\n[1, {}, { \"file\": 1 }, { \"file\": \"a.c\", \"command\": \"\\\"\" }]\n//- a.c\n#include \"b.h\"\n//- b.h\n",
        "a.c",
        "1 -> b.h\nproblem in compile_commands.json\n",
    );
}

#[test]
fn marks_of_byte_order_and_windows_ends_of_lines_are_no_part_of_a_manifest() {
    for (manifest, text, others, from, statement) in [
        (
            "tsconfig.json",
            "{\n\"compilerOptions\": {\n\"paths\": { \"@/*\": [\"./lib/*\"] } }\n}\n",
            "lib/b.ts",
            "a.ts",
            "import '@/b';\n",
        ),
        ("package.json", "{\n\"name\": \"own\",\n\"exports\": \"./b.js\"\n}\n", "b.js", "a.js", "import 'own';\n"),
        (
            "composer.json",
            "{\n\"autoload\": {\n\"psr-4\": { \"App\\\\\": \"src/\" } }\n}\n",
            "src/B.php",
            "a.php",
            "<?php\nuse App\\B;\n",
        ),
        ("go.mod", "module example.org/a\n\ngo 1.22\n", "b/b.go", "a.go", "package a\nimport \"example.org/a/b\"\n"),
        ("Cargo.toml", "[package]\nname = \"a\"\n\n[lib]\npath = \"b.rs\"\n", "b.rs", "src/bin/main.rs", "use a::x;\n"),
        (
            "compile_commands.json",
            "[\n{ \"directory\": \".\", \"file\": \"a.c\", \"arguments\": [\"cc\", \"-Ideep/er\"] }\n]\n",
            "deep/er/b.h",
            "a.c",
            "#include <b.h>\n",
        ),
        ("pubspec.yaml", "name: own\nversion: 1\n", "lib/b.dart", "a.dart", "import 'package:own/b.dart';\n"),
    ] {
        let others_text =
            if others.ends_with(".php") { "<?php\nnamespace App;\nclass B {}\n" } else { "pub fn x() {}\n" };
        for mark in ["", "\u{feff}"] {
            for end in ["\n", "\r\n"] {
                let files = [
                    (manifest, format!("{mark}{}", text.replace('\n', end))),
                    (from, statement.replace('\n', end)),
                    (others, others_text.replace('\n', end)),
                ];
                let source = Arc::new(view_of_files(files.map(|(path, text)| (path.into(), text))));
                check_imports(&source);
                let imports = QueryGraph::new(source).imports(&from.into()).unwrap();
                let edges: Vec<String> = imports.edges.iter().map(|edge| edge.to.to_string()).collect();
                assert_eq!(edges, [others], "{manifest} {mark:?} {end:?}: {}", format_imports(&imports));
            }
        }
    }
}

#[test]
fn names_that_differ_in_case_are_different_files() {
    check(
        "//- A.ts\n//- a.ts\nimport './A';\nimport './a';\n//- B.ts\nimport './A';\nimport './a';\n",
        "a.ts",
        "1 -> A.ts\n",
    );
    check("//- A.h\n//- a.h\n//- x/A.H\n//- a.c\n#include \"A.h\"\n#include \"a.h\"\n", "a.c", "1 -> A.h\n2 -> a.h\n");
    check("//- M.py\n//- m.py\n//- a.py\nimport M\nimport m\n", "a.py", "1 -> M.py\n2 -> m.py\n");
    check("//- A.mk\n//- a.mk\n//- Makefile\ninclude A.mk a.mk\n", "Makefile", "1 -> A.mk\n1 -> a.mk\n");
    check(
        "//- A/x.proto\n//- a/x.proto\n//- b.proto\nimport \"a/x.proto\";\nimport \"A/X.proto\";\n",
        "b.proto",
        "1 -> a/x.proto\n2 missing A/X.proto\n",
    );
}

#[test]
fn a_name_means_nothing_in_another_language() {
    check("//- a.java\nimport X;\n//- x.py\nclass X: pass\n", "a.java", "1 outside X\n");
    check("//- a.php\n<?php\nuse X;\n//- x.rs\npub struct X;\n", "a.php", "2 outside X\n");
    check(
        "//- a.kt\npackage a\nimport b.X\nimport b.*\nval x: X\n//- X.cs\nnamespace b { public class X {} }\n",
        "a.kt",
        "2 outside b.X\n3 outside b\n",
    );
    check("//- a.ex\ndefmodule A do\n  alias B.C\nend\n//- C.hs\nmodule B.C where\n", "a.ex", "2 outside B.C\n");
    // What is read by its path is meant in any language.
    check(
        "//- a.php\n<?php\ninclude 'page.html';\nrequire 'data.json';\n//- page.html\n<p>\n//- data.json\n{}\n",
        "a.php",
        "3 -> data.json\n2 -> page.html\n",
    );
}

/// A view of one statement for each specifier in a file of `language`, beside a few files that it might mean.
fn stating(language: &'static str, specifiers: &[&str], kind: ImportKind) -> MemorySource {
    let own = format!("a/b/main.{}", extension_of(language));
    let others = ["a/b/x", "a/x", "x", "passwd"].map(|stem| format!("{stem}.{}", extension_of(language)));
    let imports = specifiers.iter().map(|specifier| import(specifier, kind)).collect();
    let mut files = vec![(own, imports)];
    files.extend(others.into_iter().map(|path| (path, Vec::new())));
    source_of(files)
}

fn import(specifier: &str, kind: ImportKind) -> Import {
    let specifier = specifier.to_owned();
    Import { specifier, names: Vec::new(), kind, type_only: false, reexport: false, line: 1 }
}

/// Views whose files state what is listed, besides what a little code of their language says.
fn source_of(files: Vec<(String, Vec<Import>)>) -> MemorySource {
    let mut extractor = Extractor::new(ChunkLimits::default());
    let file = |(at, (path, imports)): (usize, (String, Vec<Import>))| {
        let path = RepoPath::new(path.as_bytes());
        let language = language_of(&path);
        let text = code_of(language);
        let mut facts = extractor.extract(language, text.as_bytes()).facts;
        facts.language = language.to_owned();
        facts.imports = imports;
        let blob_id = BlobId::from_bytes(&[at as u8; 20]).expect("twenty bytes are an id");
        let content = ViewBlob { blob_id, language };
        (path, MemoryFile { content, text: Arc::from(text.as_bytes()), facts: Arc::new(facts) })
    };
    MemorySource::new(files.into_iter().enumerate().map(file).collect::<Vec<_>>())
}

/// Code that declares and defines what the specifiers of the tests are made of.
fn code_of(language: &str) -> &'static str {
    match language {
        "csharp" => "namespace a.b { public class x { public class y {} } }",
        "elixir" => "defmodule A.B do\n  defmodule X do\n  end\nend\n",
        "go" => "package b\nfunc X() {}\n",
        "haskell" => "module A.B where\nx = 1\n",
        "java" | "kotlin" => "package a.b;\nclass x { class y {} }\n",
        "ocaml" => "module X = struct let a = 1 end\n",
        "php" => "<?php\nnamespace a\\b;\nclass x {}\nfunction y() {}\n",
        "python" => "def x(): pass\nclass y: pass\n",
        "ruby" => "module A\n  class X\n  end\nend\n",
        "rust" => "pub mod x { pub fn y() {} }\npub use x::*;\nmod a;\nmod b;\n",
        "scala" => "package a\npackage b\nobject x { class y }\n",
        "swift" => "public class X {}\npublic func a(x: X) {}\n",
        _ => "x\n",
    }
}

/// An extension of a language with a scheme.
fn extension_of(language: &str) -> &'static str {
    const EXTENSIONS: &str = "bash sh, c h, cpp hpp, csharp cs, css css, dart dart, elixir ex, go go, haskell hs, hcl tf, html html, \
        java java, javascript js, json json, kotlin kt, less less, lua lua, make mk, ocaml ml, ocaml_interface mli, php php, \
        protobuf proto, python py, r R, ruby rb, rust rs, scala scala, scss scss, swift swift, text txt, tsx tsx, typescript ts, \
        zig zig";
    let mut rows = EXTENSIONS.split(", ").filter_map(|row| row.split_once(' '));
    let row = rows.find(|(name, _)| *name == language);
    row.unwrap_or_else(|| panic!("`{language}` has no extension here")).1
}

fn languages() -> impl Iterator<Item = &'static str> {
    SCHEMES.iter().flat_map(|scheme| scheme.languages.iter().copied())
}

const KINDS: [ImportKind; 4] = [ImportKind::Import, ImportKind::Include, ImportKind::SystemInclude, ImportKind::Module];

#[test]
fn no_specifier_leads_out_of_the_repository() {
    let long = "x/".repeat(5_000) + "y";
    let dots = "../".repeat(200) + "passwd";
    let up = "super::".repeat(500) + "x";
    let specifiers = [
        "",
        " ",
        ".",
        "..",
        "...",
        "/",
        "//",
        "\\",
        "::",
        ":",
        "*",
        "?",
        "#",
        "!",
        "@",
        "~",
        "-",
        "$",
        "\"",
        "'",
        "`",
        "{",
        "${",
        "$(",
        "*.",
        "*/",
        "*.*",
        "\0",
        "a\0b",
        "./\0",
        "\u{feff}./x",
        "é/ü",
        "./é.js",
        "日本/語",
        "\u{202e}x",
        "..\\..\\x",
        "a\\..\\x",
        "C:\\x",
        "file:///etc/passwd",
        "/etc/passwd",
        "../../../../etc/passwd",
        "./../../../../../x",
        "package:",
        "package:/",
        "package:x",
        "package:../x.dart",
        "__MODULE__",
        "__MODULE__.",
        "crate",
        "crate::",
        "self::super::self",
        "a..b",
        ".a.",
        "a.",
        "a::::b",
        "A.B.",
        "@/",
        "@/../../x",
        "~/../x",
        "#/..",
        "x?y?z",
        "?x",
        "x!",
        "!x!y",
        "x.*",
        "./x/",
        "./x/.",
        "./x/..",
        "x/../../../x",
        &long,
        &dots,
        &up,
    ];
    for language in languages() {
        for kind in KINDS {
            check_imports(&Arc::new(stating(language, &specifiers, kind)));
        }
    }
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b", "x", "y", "A", "B", "X", "main", "index", "mod", "init", "lib", "src", "é", "a.b",
    ])
}

/// A path of a file in a small tree, of any language.
fn path() -> impl Strategy<Value = String> {
    let extension = prop::sample::select(languages().chain(["text", "json"]).map(extension_of).collect::<Vec<_>>());
    let plain = (prop::collection::vec(word(), 1..4), extension)
        .prop_map(|(words, extension)| format!("{}.{extension}", words.join("/")));
    let special = prop::sample::select(vec![
        "a/__init__.py",
        "a/b/__init__.py",
        "a/__init__.R",
        "Makefile",
        "a/Makefile",
        "src/lib.rs",
        "a/mod.rs",
        "index.d.ts",
        "a/b.in",
        "x",
        "a/x",
        "_x.scss",
        "a/b/x_test.go",
        "lib/a.rb",
        "lua/a/init.lua",
        "Sources/A/x.swift",
        "a/x.mli",
        "a/x.tf.json",
    ]);
    prop_oneof![4 => plain, 1 => special.prop_map(str::to_owned)]
}

/// A specifier made of what specifiers of all languages are made of.
fn specifier() -> impl Strategy<Value = String> {
    let marks = vec![
        "/",
        "./",
        "../",
        ".",
        "..",
        "::",
        ":",
        "\\",
        "*",
        "?",
        "#",
        "!",
        "@",
        "~",
        "$",
        "$A/",
        "${A}",
        "$(dirname $0)/",
        "\"",
        "'",
        "\0",
        " ",
        "crate::",
        "self::",
        "super::",
        "package:",
        "__MODULE__.",
        "Elixir.",
        "_root_.",
        "é",
        ".js",
        ".h",
        ".proto",
        ".sh",
        ".mk",
        "?raw",
    ];
    let part =
        prop_oneof![3 => word().prop_map(str::to_owned), 2 => prop::sample::select(marks).prop_map(str::to_owned)];
    let mixed = prop::collection::vec(part, 0..7).prop_map(|parts| parts.concat());
    let separator = prop::sample::select(vec!["/", ".", "::", "\\"]);
    let start = prop::sample::select(vec!["", "./", "../", "../../", ".", "..", "crate::", "super::"]);
    let end = prop::sample::select(
        languages()
            .map(|language| format!(".{}", extension_of(language)))
            .chain(["".to_owned(), "/".to_owned()])
            .collect::<Vec<_>>(),
    );
    let plain = (start, prop::collection::vec(word(), 0..4), separator, end)
        .prop_map(|(start, words, separator, end)| format!("{start}{}{end}", words.join(separator)));
    prop_oneof![mixed, plain]
}

fn statement() -> impl Strategy<Value = Import> {
    let names = prop_oneof![Just("*"), word()].prop_map(|name| ImportName { name: name.to_owned(), alias: None });
    (specifier(), prop::collection::vec(names, 0..3), prop::sample::select(KINDS.to_vec()), any::<bool>()).prop_map(
        |(specifier, names, kind, reexport)| Import { specifier, names, kind, type_only: false, reexport, line: 1 },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Statements of all languages in any small tree.
    #[test]
    fn looking_back_is_looking_forward_turned_around(
        files in prop::collection::btree_map(path(), prop::collection::vec(statement(), 0..4), 1..10)
    ) {
        check_imports(&Arc::new(source_of(files.into_iter().collect())));
    }

    /// The same, more often hit: files of one language and statements that name them by their own paths.
    #[test]
    fn paths_written_in_other_words_lead_back_too(
        language in prop::sample::select(languages().collect::<Vec<_>>()),
        stems in prop::collection::btree_set(prop::collection::vec(word(), 1..4), 2..7),
        choices in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize, prop::sample::select(KINDS.to_vec()), word()), 1..12),
    ) {
        let paths: Vec<String> = stems.iter().map(|words| format!("{}.{}", words.join("/"), extension_of(language))).collect();
        let mut files: Vec<(String, Vec<Import>)> = paths.iter().map(|path| (path.clone(), Vec::new())).collect();
        for (at, (index, way, kind, name)) in choices.iter().enumerate() {
            let mut import = import(&spell_path(index.get(paths.as_slice()).as_str(), *way), *kind);
            if at % 3 == 0 {
                import.names.push(ImportName { name: (*name).to_owned(), alias: None });
            }
            let from = at % files.len();
            files[from].1.push(import);
        }
        check_imports(&Arc::new(source_of(files)));
    }
}

/// One of the ways to write a path.
fn spell_path(path: &str, way: usize) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    match way {
        0 => path.to_owned(),
        1 => format!("./{path}"),
        2 => format!("../{path}"),
        3 => stem.replace('/', "."),
        4 => stem.replace('/', "::"),
        5 => stem.rsplit('/').next().unwrap_or(stem).to_owned(),
        6 => format!("./{}", path.rsplit('/').next().unwrap_or(path)),
        _ => stem.rsplit_once('/').map_or(String::new(), |(directory, _)| format!("../{directory}")),
    }
}
