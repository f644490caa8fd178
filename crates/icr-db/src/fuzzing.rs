//! The body of a fuzz target, which tests call as well: properties that must hold for all bytes that are read as
//! manifests.

use std::collections::BTreeSet;
use std::sync::Arc;

use icr_model::{BlobId, Facts, Import, ImportKind, RepoPath};

use crate::{MemoryFile, MemorySource, QueryGraph, ViewBlob};

/// Most imports that are made from one input.
const MOST_IMPORTS: usize = 16;

/// The imports of the files, when the input names none.
const SPECIFIERS: &[u8] = b"b\n./b\n@/b\napp/b\n#b\nApp\\B\nb.h\npackage:app/b.dart";

/// Every kind of manifest.
const MANIFESTS: [&str; 13] = [
    // tidy: sorted
    "Cargo.toml",
    "Package.swift",
    "compile_commands.json",
    "composer.json",
    "go.mod",
    "go.work",
    "lerna.json",
    "package.json",
    "pnpm-workspace.yaml",
    "pubspec.yaml",
    "pyproject.toml",
    "rush.json",
    "tsconfig.json",
    // tidy: end
];

/// Languages that have manifests: a file that imports, and another file.
const SOURCES: [(&str, &str, &str); 9] = [
    // tidy: sorted
    ("c", "src/a.c", "src/b.h"),
    ("dart", "lib/a.dart", "lib/b.dart"),
    ("go", "src/a.go", "b/b.go"),
    ("javascript", "src/a.js", "src/b.js"),
    ("php", "src/A.php", "src/B.php"),
    ("python", "src/a.py", "src/b.py"),
    ("rust", "src/lib.rs", "src/b.rs"),
    ("swift", "src/a.swift", "b/b.swift"),
    ("typescript", "src/a.ts", "src/b.ts"),
    // tidy: end
];

/// Resolves imports in a view where every kind of manifest has the content `bytes`.
///
/// The lines after the first NUL of `bytes` are the imported modules.
///
/// # Panics
///
/// When an import leads out of the view, or when backward look-up finds other edges than forward resolution.
pub fn check_manifests(bytes: &[u8]) {
    let (manifest, specifiers) = match bytes.iter().position(|byte| *byte == 0) {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, SPECIFIERS),
    };
    let specifiers = specifiers.split(|byte| *byte == b'\n').take(MOST_IMPORTS);
    let specifiers: Vec<_> = specifiers.map(|specifier| String::from_utf8_lossy(specifier).into_owned()).collect();
    let manifest = MemoryFile { content: content(0, "text"), text: manifest.into(), facts: Arc::default() };
    let manifests = MANIFESTS.iter().map(|path| (RepoPath::from(*path), manifest.clone()));
    let sources = (1..).step_by(2).zip(SOURCES).flat_map(|(number, (language, importing, other))| {
        let imports = specifiers.iter().flat_map(|specifier| KINDS.map(|kind| import(specifier, kind))).collect();
        [(number, language, importing, imports), (number + 1, language, other, Vec::new())]
    });
    let sources = sources.map(|(number, language, path, imports)| {
        let facts = Arc::new(Facts { language: language.to_owned(), imports, ..Facts::default() });
        (RepoPath::from(path), MemoryFile { content: content(number, language), text: Arc::default(), facts })
    });
    check_imports(&Arc::new(MemorySource::new(manifests.chain(sources))));
}

const KINDS: [ImportKind; 2] = [ImportKind::Import, ImportKind::Include];

fn content(number: u8, language: &'static str) -> ViewBlob {
    ViewBlob { blob_id: BlobId::from_bytes(&[number; 20]).expect("twenty bytes are an id"), language }
}

fn import(specifier: &str, kind: ImportKind) -> Import {
    let specifier = specifier.to_owned();
    Import { specifier, names: Vec::new(), kind, type_only: false, reexport: false, line: 1 }
}

/// Asserts that edges lead to other files of the view, that problems are in files of the view, and that backward
/// look-up finds the same edges.
#[track_caller]
pub(crate) fn check_imports(source: &Arc<MemorySource>) {
    let paths: BTreeSet<RepoPath> = source.paths().into_iter().collect();
    let graph = QueryGraph::new(source.clone());
    let mut forward = BTreeSet::new();
    for from in &paths {
        let imports = graph.imports(from).unwrap();
        for problem in imports.problems {
            assert!(paths.contains(&problem.path.as_str().into()), "{from} blames {}", problem.path);
        }
        for edge in imports.edges {
            assert!(paths.contains(&edge.to) && edge.to != *from, "{from} leads to {}", edge.to);
            forward.insert((from.clone(), edge.to));
        }
    }
    let graph = QueryGraph::new(source.clone());
    let importers = |to: &RepoPath| graph.importers(to).unwrap().into_iter().map(|from| (from, to.clone())).collect();
    let backward: BTreeSet<_> = paths.iter().flat_map(|to| -> Vec<_> { importers(to) }).collect();
    assert_eq!(forward.difference(&backward).collect::<Vec<_>>(), Vec::<&_>::new(), "looking back misses these");
    assert_eq!(backward.difference(&forward).collect::<Vec<_>>(), Vec::<&_>::new(), "looking back invents these");
}
