//! For build scripts: digests of the parts of icr's source that determine a fact.
//!
//! A recipe consists of such digests. When the code changes, facts are made again; while it is the same, nothing is
//! analysed twice. Comments, documentation, tests, lint attributes and layout do not count. [`LAYERS`] lists the
//! sources of each digest.

mod layers;
mod modules;
mod rust_source;
mod words;

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use layers::{LAYERS, LayerSource, RecipeLayer};

/// Why there is no digest.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A source that a layer lists or names cannot be read.
    #[error("`{}` cannot be read", .path.display())]
    Read {
        /// Where it should be.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A source is not Rust.
    #[error("`{path}`: {reason}")]
    Parse {
        /// The source.
        path: String,
        /// What it has that Rust does not.
        reason: String,
    },
    /// No row of [`LAYERS`] has that name.
    #[error("there is no layer `{0}`")]
    Layer(String),
    /// A build script runs without cargo.
    #[error("cargo does not say which crate is built")]
    Cargo,
}

/// The parts of the source `text` that determine facts, one word a line: tokens of Rust, words of queries (`.scm`) and
/// of SQL (`.sql`), depending on the extension of `path`. Sources that differ only in comments, documentation, tests
/// and layout give the same result. With any other extension the text is returned unchanged.
///
/// # Errors
///
/// [`Error::Parse`] for a `.rs` that does not parse.
pub fn shaping_text(path: &str, text: &str) -> Result<String, Error> {
    match path.rsplit('.').next() {
        Some("rs") => {
            rust_source::tokens(text).map_err(|error| Error::Parse { path: path.to_owned(), reason: error.to_string() })
        }
        Some("scm") => Ok(words::words(text, &words::QUERY)),
        Some("sql") => Ok(words::words(text, &words::SQL)),
        _ => Ok(text.to_owned()),
    }
}

/// Digest of a text: SHA-256, 64 hexadecimal digits.
pub fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// For a build script: sets the environment variable `name` of the crate that is built to the digest of that layer, and
/// has cargo run the script again when a source of it changes. Parses these sources, some milliseconds each.
///
/// # Errors
///
/// [`Error`], when the digest cannot be made.
#[expect(clippy::print_stdout, reason = "speaks to cargo")]
pub fn set_digest(name: &str) -> Result<(), Error> {
    let sources = sources(name)?;
    println!("cargo::rustc-env={name}={}", layers::digest(&sources));
    Ok(())
}

/// For a build script: the sources of the layer `name`. Has cargo run the script again when one of them changes.
///
/// # Errors
///
/// As for [`set_digest`].
#[expect(clippy::print_stdout, reason = "speaks to cargo")]
#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by variables")]
pub fn sources(name: &str) -> Result<Vec<LayerSource>, Error> {
    let layer = LAYERS.iter().find(|layer| layer.name == name).ok_or_else(|| Error::Layer(name.to_owned()))?;
    let built = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).ok_or(Error::Cargo)?;
    let crates = built.parent().ok_or(Error::Cargo)?;
    let sources = layer.sources(crates)?;
    for watched in layer.watched_paths(&sources) {
        println!("cargo::rerun-if-changed={}", crates.join(watched).display());
    }
    Ok(sources)
}

/// The text of a file.
fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}
