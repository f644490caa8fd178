//! Downloads published files. Nothing is downloaded unless [`fetch`] is called.
//!
//! The SHA-256 of every file is known beforehand, so any mirror can serve it.

mod download;
mod source;
mod unpack;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use icr_model::hexadecimal;
use sha2::{Digest, Sha256};

pub use source::{ArchiveFormat, ExtractionMode, Members, Platform, Product, PublishedFile, SOURCES};

use crate::Error;
use crate::remote::{Address, Clock, SystemClock};
use download::Download;

/// Bytes that are read at once, from the network and from files.
const PIECE_BYTES: usize = 64 << 10;

/// How files are fetched.
#[derive(Clone)]
pub struct FetchOptions {
    /// A mirror: host and path that replace the host in each publisher's address.
    pub mirror: Option<Address>,
    /// The clock for pauses between attempts.
    pub clock: Arc<dyn Clock>,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self { mirror: None, clock: Arc::new(SystemClock::default()) }
    }
}

/// Result of [`fetch`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchReport {
    /// The directory with the files of the model.
    pub model: Option<PathBuf>,
    /// The library that runs models.
    pub runtime: Option<PathBuf>,
    /// Files that were downloaded.
    pub fetched: usize,
    /// Files that were already there with the right digest.
    pub present: usize,
}

/// Fetches `sources` into `directory`, which is made if it is missing. Valid files are left alone. An interrupted
/// download continues where it stopped if the server supports it.
///
/// `progress` is told bytes that are there and bytes in all, over all sources. Takes as long as the network does; needs
/// little memory. Nothing appears under its final name before its digest is checked.
///
/// # Errors
///
/// [`Error::Remote`] if an address gives nothing. [`Error::Digest`] if it gives another file than was published.
/// [`Error::Model`] if a file cannot be written, or if another file is in its place.
pub fn fetch(
    sources: &[PublishedFile],
    directory: &Path,
    options: &FetchOptions,
    progress: &dyn Fn(u64, u64),
) -> Result<FetchReport, Error> {
    let total = sources.iter().map(|source| source.bytes).sum();
    let mut done = 0;
    let mut report = FetchReport::default();
    progress(done, total);
    for source in sources {
        let kept_in = directory.join(source.directory);
        let is_new = match source.kept {
            ExtractionMode::Whole => fetch_file(source, &kept_in, options, &|bytes| progress(done + bytes, total))?,
            ExtractionMode::Members(members) => {
                fetch_archive(source, members, &kept_in, options, &|bytes| progress(done + bytes, total))?
            }
        };
        *(if is_new { &mut report.fetched } else { &mut report.present }) += 1;
        match (source.product, source.kept) {
            (Product::Model, _) => report.model = Some(kept_in),
            (Product::Runtime, ExtractionMode::Members(members)) => {
                report.runtime = members.rows.first().map(|(_, name)| kept_in.join(name));
            }
            (Product::Runtime, ExtractionMode::Whole) => report.runtime = Some(kept_in.join(source.file)),
        }
        done += source.bytes;
        progress(done, total);
    }
    Ok(report)
}

/// Returns whether the file had to be downloaded.
fn fetch_file(
    source: &PublishedFile,
    kept_in: &Path,
    options: &FetchOptions,
    progress: &dyn Fn(u64),
) -> Result<bool, Error> {
    let target = kept_in.join(source.file);
    match found_at(&target)? {
        Some(found) if found == source.sha256 => return Ok(false),
        Some(found) => {
            let right = "remove it, or fetch into another directory";
            let reason =
                format!("another file is in the way, its SHA-256 is {found} and not {}; {right}", source.sha256);
            return Err(wrong(&target, reason));
        }
        None => {}
    }
    make_directory(target.parent().unwrap_or(kept_in))?;
    let part = Download::new(source, &target, options)?.run(progress)?;
    fs::rename(&part, &target).map_err(|error| wrong(&target, format!("it cannot be written: {error}")))?;
    Ok(true)
}

/// Returns whether the archive had to be downloaded.
fn fetch_archive(
    source: &PublishedFile,
    members: &Members,
    kept_in: &Path,
    options: &FetchOptions,
    progress: &dyn Fn(u64),
) -> Result<bool, Error> {
    let receipt = unpack::Receipt::of(kept_in, members.receipt);
    if receipt.is_of(source, members)? {
        return Ok(false);
    }
    make_directory(kept_in)?;
    let archive = Download::new(source, &kept_in.join(source.file), options)?.run(progress)?;
    let unpacked = unpack::unpack(members, &archive, &receipt);
    // The archive is no longer needed, whether it was unpacked or cannot be.
    let _ = fs::remove_file(&archive);
    receipt.write(source, members, &unpacked?)?;
    Ok(true)
}

/// The SHA-256 of the file at `path`; `None` if there is no file.
fn found_at(path: &Path) -> Result<Option<String>, Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => digest_of(path).map(Some),
        Ok(_) => Err(wrong(path, "a directory is in the way; remove it, or fetch into another directory".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(path, format!("it cannot be looked at: {error}"))),
    }
}

fn digest_of(path: &Path) -> Result<String, Error> {
    let unreadable = |error| wrong(path, format!("it cannot be read: {error}"));
    let mut file = fs::File::open(path).map_err(unreadable)?;
    let mut digest = Sha256::new();
    digest_all(&mut file, &mut digest).map_err(unreadable)?;
    Ok(hexadecimal(&digest.finalize()))
}

/// Adds the rest of `content` to `digest`. Returns its length in bytes.
fn digest_all(content: &mut impl Read, digest: &mut Sha256) -> std::io::Result<u64> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut bytes = 0;
    loop {
        match content.read(&mut piece)? {
            0 => return Ok(bytes),
            length => {
                digest.update(&piece[..length]);
                bytes += length as u64;
            }
        }
    }
}

fn make_directory(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|error| wrong(directory, format!("this directory cannot be made: {error}")))
}

fn wrong(path: &Path, reason: String) -> Error {
    Error::Model { path: path.to_owned(), reason }
}
