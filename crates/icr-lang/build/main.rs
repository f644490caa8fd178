//! Records everything that determines facts, so that a process need not compute digests at every start: the packages
//! of the grammars, and digests of the query texts and of the code that extracts.

#![expect(clippy::print_stdout, reason = "speaks to cargo")]

mod locked;

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Query texts that do not affect facts, given as the end of their paths.
const NOT_EXTRACTING: &str = "shapes.scm";

#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by variables")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo names the folder of the crate")?);
    let lock = folder.ancestors().map(|above| above.join("Cargo.lock")).find(|file| file.is_file());
    let lock = lock.ok_or("no `Cargo.lock` above the crate says which grammars are built")?;
    let queries = folder.join("queries");
    for watched in [&lock, &queries] {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    let mut text = "Inputs {\n    packages: &[\n".to_owned();
    for (name, identity) in locked::packages(&std::fs::read_to_string(&lock)?, "tree-sitter") {
        writeln!(text, "        ({name:?}, {identity:?}),")?;
    }
    text += "    ],\n    texts: &[\n";
    for (name, content) in query_texts(&queries)?.iter().filter(|(name, _)| !name.ends_with(NOT_EXTRACTING)) {
        writeln!(text, "        ({name:?}, {:?}),", icr_recipe::digest(&icr_recipe::shaping_text(name, content)?))?;
    }
    text += "    ],\n    code: &[\n";
    for source in icr_recipe::sources("ICR_EXTRACTION_CODE")? {
        writeln!(text, "        ({:?}, {:?}),", source.path, icr_recipe::digest(&source.shaping))?;
    }
    text += "    ],\n}\n";
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names a folder for what is generated")?;
    Ok(std::fs::write(Path::new(&out).join("inputs.rs"), text)?)
}

/// Query texts below `folder`: the path relative to `folder`, with `/`, and the content. Sorted by path.
fn query_texts(folder: &Path) -> std::io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = query_texts(&path)?;
            found.extend(inner.into_iter().map(|(below, content)| (format!("{name}/{below}"), content)));
        } else if path.extension().is_some_and(|word| word == "scm") {
            found.push((name, std::fs::read_to_string(&path)?));
        }
    }
    found.sort();
    Ok(found)
}
