//! Unsafe code: its place, its amount and its purpose. The compiler guarantees the rest of the workspace.

use std::collections::BTreeMap;

use super::rust_code::{code_of, identifiers_of};
use super::{TidyFinding, Tree};

/// Files with unsafe code: how often the keyword occurs in each, and why it is needed.
const FILES: &[(&str, usize, &str)] = &[
    // tidy: sorted
    ("crates/icr-embed/src/onnx/runtime.rs", 9, "loads the library that runs models, and asks it which version it is"),
    ("crates/icr-embed/src/static_embedder.rs", 1, "adds rows with instructions of the processor, where it has them"),
    ("crates/icr-lang/src/allocations.rs", 14, "is the allocator of tree-sitter, which is C"),
    ("crates/icr-lang/src/scanner.rs", 7, "writes the state of scanners, which are C, where there is room for it"),
    ("crates/icr-memory/src/vectors.rs", 1, "multiplies vectors with instructions of the processor, where it has them"),
    ("crates/icr-run/src/linux/attempt.rs", 2, "makes the process that sets a sandbox up, with system calls only"),
    ("crates/icr-run/src/linux/supervisor.rs", 1, "makes the process of a command inside of its sandbox"),
    ("crates/icr-run/src/linux/sys.rs", 34, "is the system calls that a sandbox is made of"),
    ("crates/icr-run/src/linux/sys/mounts.rs", 8, "is the system calls that a view of the file system is made of"),
    ("crates/icr-run/src/linux/sys/rights.rs", 7, "is the system calls that give rights up"),
    ("crates/icr-serve/src/memory.rs", 1, "asks the allocator to give back what was freed"),
    (
        "crates/icr-store/src/page_checksums.rs",
        21,
        "is a file system of SQLite, which is C, that keeps a sum for each page",
    ),
    ("crates/icr-vector/src/environment.rs", 3, "maps a file that only icr writes, under a lock"),
    ("crates/icr-vector/src/kernel.rs", 7, "multiplies vectors with instructions of the processor, where it has them"),
    ("crates/icr-vector/src/row.rs", 1, "turns vectors with instructions of the processor, where it has them"),
    ("crates/icr-vector/tests/vectors/damage.rs", 1, "damages a file that is mapped"),
    (
        "crates/icr/src/crash_restart/linux.rs",
        25,
        "executes the program anew in a signal handler, where a grammar ended it",
    ),
    ("crates/icr/tests/cli/crash_restart.rs", 1, "sends a signal to one thread of a program"),
    ("xtask/src/train_static/kernels.rs", 1, "multiplies with instructions of the processor, where it has them"),
    // tidy: end
];

/// Unsafe code occurs only in [`FILES`].
pub(crate) fn unsafe_code(tree: &Tree) -> Vec<TidyFinding> {
    let mut counts = counts(tree);
    let mut findings = Vec::new();
    for (path, agreed, _) in FILES {
        let found = counts.remove(path).unwrap_or_default();
        if found != *agreed {
            findings.push(TidyFinding::new(
                *path,
                format!("`unsafe` stands {found} times here and {agreed} in the table of tidy"),
            ));
        }
    }
    findings.extend(counts.into_iter().map(|(path, found)| {
        TidyFinding::new(
            path,
            format!("`unsafe` stands {found} times here: do without, or add a row to the table of tidy"),
        )
    }));
    findings
}

/// For each file with unsafe code, how often the keyword occurs.
fn counts(tree: &Tree) -> BTreeMap<&str, usize> {
    let count = |text: &str| identifiers_of(&code_of(text)).filter(|word| *word == "unsafe").count();
    let sources = tree.texts().filter(|(path, _)| path.ends_with(".rs"));
    sources.map(|(path, text)| (path, count(text))).filter(|(_, count)| *count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_block_is_found() {
        let tree = Tree::of_texts(&[
            ("a.rs", "// unsafe\nfn f() { unsafe { g(\"unsafe\") } }"),
            ("b.rs", "fn unsafe_name() {}"),
            ("crates/icr-vector/src/environment.rs", "unsafe { unsafe { unsafe {} } }"),
        ]);
        let findings = unsafe_code(&tree);
        assert_eq!(findings.len(), FILES.len(), "{findings:?}");
        let right = "`unsafe` stands 1 times here: do without, or add a row to the table of tidy";
        assert!(findings.contains(&TidyFinding::new("a.rs", right)), "{findings:?}");
    }
}
