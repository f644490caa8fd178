//! What files with very many imports, and files with very many importers, ask of the source.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use icr_model::{Facts, RepoPath};

use crate::source::{SourceError, ViewBlob, ViewSource};
use crate::testing::view_of;
use crate::{MemorySource, QueryGraph};

/// A source that counts what is asked of it, one for each look-up and one for each path of an answer.
struct Counting {
    inner: MemorySource,
    work: AtomicU64,
}

impl Counting {
    fn counted<T>(&self, answer: Result<Vec<T>, SourceError>) -> Result<Vec<T>, SourceError> {
        let paths = answer.as_ref().map_or(0, Vec::len);
        self.work.fetch_add(1 + paths as u64, Ordering::Relaxed);
        answer
    }

    fn count<T>(&self, answer: Result<T, SourceError>) -> Result<T, SourceError> {
        self.work.fetch_add(1, Ordering::Relaxed);
        answer
    }
}

impl ViewSource for Counting {
    fn content(&self, path: &RepoPath) -> Result<Option<ViewBlob>, SourceError> {
        self.count(self.inner.content(path))
    }

    fn facts(&self, content: ViewBlob) -> Result<Arc<Facts>, SourceError> {
        self.count(self.inner.facts(content))
    }

    fn text(&self, content: ViewBlob) -> Result<Option<Arc<[u8]>>, SourceError> {
        self.count(self.inner.text(content))
    }

    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.counted(self.inner.files_in(directory))
    }

    fn files_ending(&self, suffix: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.counted(self.inner.files_ending(suffix))
    }

    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.counted(self.inner.providing(name))
    }

    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.counted(self.inner.requiring(key))
    }

    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.counted(self.inner.requiring_below(key, directory))
    }

    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.counted(self.inner.defining(name))
    }

    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.counted(self.inner.mentioning(name))
    }
}

/// A file of `total` imports, each written by `statement`, beside `others`; what resolving them asked of the source.
fn asked_by(path: &str, others: &str, total: usize, statement: impl Fn(usize) -> String) -> u64 {
    let mut text = format!("{others}//- {path}\n");
    for number in 0..total {
        writeln!(text, "{}", statement(number)).unwrap();
    }
    let source = Arc::new(Counting { inner: view_of(&text), work: AtomicU64::new(0) });
    let imports = QueryGraph::new(source.clone()).imports(&path.into()).unwrap();
    let told = imports.edges.len() + imports.external.len() + imports.unresolved.len();
    assert!(told >= total, "{path}: {told} of {total} imports are told of");
    source.work.load(Ordering::Relaxed)
}

#[test]
fn fifty_thousand_imports_in_one_file_ask_in_proportion() {
    const FEW: usize = 500;
    type Statement = fn(usize) -> String;
    let languages: [(&str, &str, Statement); 8] = [
        ("a/b/main.py", "//- a/__init__.py\n", |number| format!("from ..pkg.m{number} import x")),
        ("a/b/main.ts", "//- package.json\n{\"name\": \"a\"}\n", |number| format!("import './m{number}';")),
        ("a/b/main.c", "//- a/x.h\n", |number| format!("#include \"m{number}.h\"")),
        ("a/main.go", "//- go.mod\nmodule a.org/a\n", |number| format!("import \"a.org/a/m{number}\"")),
        ("src/main.rs", "//- Cargo.toml\n[package]\nname = 'a'\n", |number| format!("use crate::m{number}::x;")),
        ("a/Main.java", "//- a/B.java\npackage a;\n", |number| format!("import a.M{number};")),
        ("a/main.rb", "//- a/x.rb\n", |number| format!("require_relative 'm{number}'")),
        ("a/main.php", "//- a/x.php\n", |number| format!("<?php use A\\M{number}; ?>")),
    ];
    for (at, (path, others, statement)) in languages.into_iter().enumerate() {
        // Most of the time goes into reading the text; one language shows that there is no step far out.
        let times = if at == 0 { 100 } else { 8 };
        let few = asked_by(path, others, FEW, statement);
        let many = asked_by(path, others, times * FEW, statement);
        assert!(many <= few * times as u64, "{path}: {FEW} ask {few}, {times} times as many ask {many}");
    }
}

#[test]
fn candidates_elsewhere_are_not_read() {
    let mut text = "//- pkg/a.py\n//- pkg/b.py\nfrom . import a\n//- pkg/deep/c.py\nfrom .. import a\n".to_owned();
    for number in 0..1_000 {
        writeln!(text, "//- other{number}/b.py\nfrom . import a\nfrom .. import z").unwrap();
    }
    let graph = QueryGraph::new(Arc::new(view_of(&text)));
    assert_eq!(graph.importers(&"pkg/a.py".into()).unwrap().len(), 2);
    assert_eq!(graph.take_executed()["statements"], 2);
}

#[test]
fn a_file_with_many_importers_asks_in_proportion() {
    let asked = |importers: usize| {
        let mut text = "//- hub/__init__.py\n//- hub/core.py\n".to_owned();
        for number in 0..importers {
            writeln!(text, "//- g{}/m{number}.py\nfrom hub import core", number / 50).unwrap();
        }
        let source = Arc::new(Counting { inner: view_of(&text), work: AtomicU64::new(0) });
        assert_eq!(QueryGraph::new(source.clone()).importers(&"hub/core.py".into()).unwrap().len(), importers);
        source.work.load(Ordering::Relaxed)
    };
    let (few, many) = (asked(200), asked(4_000));
    assert!(many <= 20 * few, "200 importers ask {few}, 4,000 ask {many}");
}
