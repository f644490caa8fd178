//! What the layers have, and that each of their sources counts as it should.

#![expect(clippy::disallowed_methods, reason = "rustfmt lays sources out in another way")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use icr_recipe::{LAYERS, RecipeLayer, shaping_text};

/// The folder of the crates.
fn crates() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate stands in a folder")
}

/// Every source of every layer: path and text.
fn sources() -> Vec<(String, String)> {
    let of_layer = |layer: &RecipeLayer| layer.sources(crates()).expect("the sources of the workspace parse");
    let mut paths: Vec<String> = LAYERS.iter().flat_map(of_layer).map(|source| source.path).collect();
    paths.sort();
    paths.dedup();
    let text_of = |path: String| {
        let text = std::fs::read_to_string(crates().join(&path)).expect("the source was read before");
        (path, text)
    };
    paths.into_iter().map(text_of).collect()
}

fn shaping(path: &str, text: &str) -> String {
    shaping_text(path, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// That the texts are equal in what shapes; says where they begin to differ.
#[track_caller]
fn assert_same(path: &str, one: &str, other: &str) {
    let (one, other) = (shaping(path, one), shaping(path, other));
    let equal = one.lines().zip(other.lines()).take_while(|(token, other)| token == other).count();
    let around = |text: &str| text.lines().skip(equal.saturating_sub(8)).take(16).collect::<Vec<_>>().join(" ");
    assert!(one == other, "{path}\none: {}\nother: {}", around(&one), around(&other));
}

/// How a comment begins in the language of `path`.
fn comment_sign(path: &str) -> &'static str {
    if path.ends_with(".sql") { "--" } else { "//" }
}

/// A text up to the tests at its end.
fn without_tests(text: &str) -> &str {
    text.find("\n#[cfg(test)]\nmod tests {").map_or(text, |end| &text[..end])
}

#[test]
fn every_row_says_what_there_is() {
    for layer in LAYERS {
        let sources = layer.sources(crates()).unwrap();
        assert!(!sources.is_empty(), "{}", layer.name);
        for (start, reason) in layer.left_out.iter().chain(layer.named) {
            assert!(crates().join(start).exists() && !reason.is_empty(), "{}: {start}", layer.name);
        }
    }
}

#[test]
fn comments_documentation_tests_and_space_in_any_source_do_not_count() {
    for (path, text) in sources() {
        let sign = comment_sign(&path);
        let mut other = format!("{sign} Another comment.\n\n");
        for line in without_tests(&text).lines() {
            let content = line.trim_start();
            let indent = " ".repeat(2 * (line.len() - content.len()));
            match content.split_whitespace().next() {
                Some(mark @ ("//" | "///" | "//!" | "--")) => other += &format!("{indent}{mark} Other words.\n"),
                _ => other += &format!("{indent}{content}  \n"),
            }
        }
        if path.ends_with(".rs") {
            other += "/// More.\n#[cfg(test)]\nmod more_tests {\n    #[test]\n    fn more() {}\n}\n";
        }
        assert_same(&path, &other, &text);
    }
}

#[test]
fn another_width_of_lines_does_not_count() {
    let mut changed = 0;
    for (path, text) in sources().iter().filter(|(path, _)| path.ends_with(".rs")) {
        for config in
            ["max_width=60", "max_width=200,use_small_heuristics=Max", "max_width=80,use_small_heuristics=Off"]
        {
            let Some(other) = formatted(text, config) else {
                return icr_fixture::skip("another_width_of_lines_does_not_count", "there is no rustfmt");
            };
            changed += usize::from(&other != text);
            assert_same(path, &other, text);
        }
    }
    assert!(changed > sources().len(), "rustfmt changed {changed} texts");
}

/// `text` as rustfmt lays it out; `None` where there is no rustfmt.
fn formatted(text: &str, config: &str) -> Option<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--quiet", "--config", config])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = rustfmt.stdin.take().expect("it was piped");
    let text = text.to_owned();
    let writing = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = rustfmt.wait_with_output().ok()?;
    writing.join().expect("writing does not panic").ok()?;
    String::from_utf8(output.stdout).ok().filter(|_| output.status.success())
}

#[test]
fn a_constant_an_arm_a_string_and_a_name_in_any_source_count() {
    /// A value, an arm of a match, a string, the name of a function or an import, the type of a column.
    const CHANGES: [(&str, &str); 6] = [
        (" = ", " = 1 + "),
        (" => ", " if false => "),
        ("(\"", "(\"x"),
        ("fn ", "fn x_"),
        ("::{", "::{x_"),
        (" BLOB", " TEXT"),
    ];
    /// Places of a source that each change is tried at.
    const PLACES: usize = 3;
    for (path, text) in sources() {
        let (now, lines) = (shaping(&path, &text), shaping_lines(&path, &text));
        let mut counted = 0;
        for (before, after) in CHANGES {
            let places = lines.iter().filter_map(|at| Some(at + text[*at..].lines().next()?.find(before)?));
            for at in places.take(PLACES) {
                let other = [&text[..at], after, &text[at + before.len()..]].concat();
                // What no longer parses is no program.
                if let Ok(other) = shaping_text(&path, &other) {
                    let line = text[..at].lines().count();
                    assert!(other != now, "{path}:{line}: `{before}` became `{after}`");
                    counted += 1;
                }
            }
        }
        assert!(counted > 0, "{path}");
    }
}

/// Where the lines of a text begin that are neither comments nor attributes nor tests, in bytes.
fn shaping_lines(path: &str, text: &str) -> Vec<usize> {
    let (mut starts, mut at) = (Vec::new(), 0);
    let mut indent_of_test = None;
    for line in without_tests(text).split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if content == "#[cfg(test)]" {
            indent_of_test = Some(indent);
        } else if indent_of_test.is_none() && !content.starts_with(comment_sign(path)) && !content.starts_with('#') {
            starts.push(at);
        } else if indent_of_test == Some(indent) && content.ends_with(['}', ';']) {
            indent_of_test = None;
        }
        at += line.len();
    }
    starts
}

#[test]
fn modules_that_are_named_belong_to_the_layer() {
    let home = tempfile::tempdir().unwrap();
    let source = home.path().join("a/src");
    std::fs::create_dir_all(source.join("inner")).unwrap();
    for (path, text) in [
        ("lib.rs", "mod deep;\nmod helper;\nmod inner;\nmod listed;\nmod other;\npub use deep::Item;\n"),
        ("listed.rs", "use crate::{Item, helper::help};\nfn f() { m!(crate::inner::child::g()) }\n"),
        (
            "helper.rs",
            "/// See [`crate::other`].\npub(crate) fn help() { super::inner::h() }\n#[cfg(test)]\nuse crate::other;\n",
        ),
        ("deep.rs", "pub struct Item;\n"),
        ("inner/mod.rs", "mod child;\nmod row;\nfn h() { row::r() }\n"),
        ("inner/child.rs", "pub(super) fn g() {}\n"),
        ("inner/row.rs", "fn r() {}\n"),
        ("other.rs", "fn o() {}\n"),
    ] {
        std::fs::write(source.join(path), text).unwrap();
    }
    let files = |layer: &RecipeLayer| -> Vec<String> {
        let sources = layer.sources(home.path()).unwrap().into_iter();
        sources.map(|source| source.path["a/src/".len()..].to_owned()).collect()
    };
    let layer = RecipeLayer { name: "A", files: &["a/src/listed.rs"], left_out: &[], named: &[] };
    assert_eq!(files(&layer), ["deep.rs", "helper.rs", "inner/child.rs", "inner/mod.rs", "inner/row.rs", "listed.rs"]);
    let without_rows = RecipeLayer { named: &[("a/src/inner/row.rs", "rows")], ..layer };
    assert_eq!(files(&without_rows), ["deep.rs", "helper.rs", "inner/child.rs", "inner/mod.rs", "listed.rs"]);
    let folder = RecipeLayer { files: &["a/src/inner/"], left_out: &[("a/src/inner/child.rs", "no use")], ..layer };
    assert_eq!(files(&folder), ["inner/mod.rs", "inner/row.rs"]);
}
