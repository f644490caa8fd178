//! Notes what shapes facts, so that a process need not digest it at every start: which packages the grammars come from,
//! and digests of the query texts and of the code that extracts.

#![expect(clippy::print_stdout, reason = "speaks to cargo")]

mod locked;

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Sources that shape no fact, as the begin of their paths: rows and texts of the table are digested one by one, the recipe
/// only digests, the support only says what a language has, and shapes are read when asked and kept nowhere.
const NOT_EXTRACTION: [&str; 5] = ["lib.rs", "recipe.rs", "shapes/", "support.rs", "table/"];

/// Query texts that shape no fact, as the end of their paths.
const NOT_EXTRACTING: &str = "shapes.scm";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo names the folder of the crate")?);
    let lock = folder.ancestors().map(|above| above.join("Cargo.lock")).find(|file| file.is_file());
    let lock = lock.ok_or("no `Cargo.lock` above the crate says which grammars are built")?;
    let (queries, code) = (folder.join("queries"), folder.join("src"));
    for watched in [&lock, &queries, &code] {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    let mut text = "Inputs {\n    packages: &[\n".to_owned();
    for (name, identity) in locked::packages(&std::fs::read_to_string(&lock)?, "tree-sitter") {
        writeln!(text, "        ({name:?}, {identity:?}),")?;
    }
    text += "    ],\n    texts: &[\n";
    for (name, content) in files(&queries, "scm")?.iter().filter(|(name, _)| !name.ends_with(NOT_EXTRACTING)) {
        writeln!(text, "        ({name:?}, \"{}\"),", hex(content))?;
    }
    text += "    ],\n    code: &[\n";
    for (name, content) in files(&code, "rs")? {
        if !NOT_EXTRACTION.iter().any(|other| name.starts_with(other)) {
            writeln!(text, "        ({name:?}, \"{}\"),", hex(&content))?;
        }
    }
    text += "    ],\n}\n";
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names a folder for what is generated")?;
    Ok(std::fs::write(Path::new(&out).join("inputs.rs"), text)?)
}

/// Files below `folder` that end in `.extension`: path with `/` from `folder` on, and content. Sorted by path.
fn files(folder: &Path, extension: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = files(&path, extension)?;
            found.extend(inner.into_iter().map(|(below, content)| (format!("{name}/{below}"), content)));
        } else if path.extension().is_some_and(|word| word == extension) {
            found.push((name, std::fs::read(&path)?));
        }
    }
    found.sort();
    Ok(found)
}

fn hex(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}
