//! Unpacks members of a verified archive and records them in a receipt.

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use icr_model::hexadecimal;
use sha2::{Digest, Sha256};

use super::{ArchiveFormat, Members, PIECE_BYTES, PublishedFile, found_at, wrong};
use crate::Error;

/// Entries that are looked at; the archives of the runtime have about thirty.
const ENTRIES_MAX: usize = 10_000;

/// Most bytes that an archive may unpack to. The largest has debug symbols and unpacks to about 400 MB.
const UNPACKED_BYTES_MAX: u64 = 2 << 30;

/// Extracts `members` of `archive` into the directory of `receipt`. Returns the SHA-256 of each, in the order of
/// `members`.
///
/// # Errors
///
/// [`Error::Model`] if the archive is invalid, lacks a member, holds one twice, holds a path that leads out of the
/// archive or a link in place of a member, or unpacks to more than 2 GB. Also if the place of a member is taken by a
/// file that has other content and is not noted in `receipt`. Nothing is kept then.
pub(super) fn unpack(members: &Members, archive: &Path, receipt: &Receipt) -> Result<Vec<String>, Error> {
    let directory = &receipt.directory;
    let mut taken = ExtractedMembers { members, directory, digests: vec![None; members.rows.len()], bytes: 0 };
    let unpacked = match members.form {
        ArchiveFormat::TarGz => untar(archive, &mut taken),
        ArchiveFormat::Zip => unzip(archive, &mut taken),
    };
    let unpacked = unpacked.and_then(|()| taken.all());
    let published = unpacked
        .map_err(|reason| wrong(archive, format!("{reason}; nothing of it was kept")))
        .and_then(|digests| taken.publish(&digests, receipt).map(|()| digests));
    if published.is_err() {
        taken.remove();
    }
    published
}

/// The receipt of an unpacked archive.
pub(super) struct Receipt {
    path: PathBuf,
    directory: PathBuf,
    /// Digest and name of each file, the archive's first.
    lines: Vec<(String, String)>,
}

impl Receipt {
    /// The receipt in `directory`; an empty one if there is none that can be read.
    pub(super) fn of(directory: &Path, name: &str) -> Self {
        let path = directory.join(name);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.trim_start_matches("# ").split_once("  "));
        let lines = lines.map(|(digest, name)| (digest.to_owned(), name.to_owned())).collect();
        Self { path, directory: directory.to_owned(), lines }
    }

    /// Whether this is the receipt of `source`, and all files that it lists are still there.
    pub(super) fn is_of(&self, source: &PublishedFile, members: &Members) -> Result<bool, Error> {
        if self.digest_of(source.file) != Some(source.sha256) {
            return Ok(false);
        }
        for (_, name) in members.rows {
            let Some(noted) = self.digest_of(name) else { return Ok(false) };
            if found_at(&self.directory.join(name))?.as_deref() != Some(noted) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Notes that `members` of `source` are there with `digests`.
    pub(super) fn write(&self, source: &PublishedFile, members: &Members, digests: &[String]) -> Result<(), Error> {
        let rows = members.rows.iter().zip(digests).map(|((_, name), digest)| format!("{digest}  {name}\n"));
        // The archive itself is not kept. Its line is a comment, so that `sha256sum --check` does not report it as
        // missing.
        let text = format!("# {}  {}\n{}", source.sha256, source.file, rows.collect::<String>());
        fs::write(&self.path, text).map_err(|error| wrong(&self.path, format!("it cannot be written: {error}")))
    }

    fn digest_of(&self, name: &str) -> Option<&str> {
        self.lines.iter().find(|(_, of)| of == name).map(|(digest, _)| digest.as_str())
    }
}

/// Extracted members. They have temporary names until all are there.
struct ExtractedMembers<'a> {
    members: &'a Members,
    directory: &'a Path,
    /// Digest of each member found so far.
    digests: Vec<Option<String>>,
    /// Unpacked so far, over all entries.
    bytes: u64,
}

impl ExtractedMembers<'_> {
    /// The number of the member that is at `path` in the archive.
    ///
    /// # Errors
    ///
    /// When the path leads out of the archive, or the member was found before.
    fn number_of(&self, path: &str) -> Result<Option<usize>, String> {
        let below = below_top(path).ok_or_else(|| format!("it holds `{path:?}`, which leads out of it"))?;
        let number = self.members.rows.iter().position(|(member, _)| *member == below);
        if number.is_some_and(|number| self.digests[number].is_some()) {
            return Err(format!("it holds `{below}` twice"));
        }
        Ok(number)
    }

    /// Writes `content` as member `number`.
    fn take(&mut self, number: usize, content: &mut dyn Read) -> Result<(), String> {
        let path = self.unpublished(number);
        let unwritable = |error| format!("`{}` cannot be written: {error}", path.display());
        let mut file = File::create(&path).map_err(unwritable)?;
        self.digests[number] = Some(String::new());
        let mut digest = Sha256::new();
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let length = content.read(&mut piece).map_err(|error| format!("it cannot be unpacked: {error}"))?;
            if length == 0 {
                break;
            }
            self.count(length as u64)?;
            file.write_all(&piece[..length]).map_err(unwritable)?;
            digest.update(&piece[..length]);
        }
        file.sync_all().map_err(unwritable)?;
        self.digests[number] = Some(hexadecimal(&digest.finalize()));
        Ok(())
    }

    fn count(&mut self, bytes: u64) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > UNPACKED_BYTES_MAX { Err("it unpacks to more than 2 GB".to_owned()) } else { Ok(()) }
    }

    /// The digests of all members.
    fn all(&self) -> Result<Vec<String>, String> {
        let missing = self.digests.iter().position(Option::is_none);
        match missing {
            Some(missing) => Err(format!("it does not hold `{}`", self.members.rows[missing].0)),
            None => Ok(self.digests.iter().flatten().cloned().collect()),
        }
    }

    /// Gives all members their final names, unless another file has one of them.
    fn publish(&self, digests: &[String], receipt: &Receipt) -> Result<(), Error> {
        for ((_, name), digest) in self.members.rows.iter().zip(digests) {
            let path = self.directory.join(name);
            // A run that was killed before it wrote the receipt may have left the same file.
            let found = found_at(&path)?.filter(|found| found != digest && receipt.digest_of(name) != Some(found));
            if found.is_some() {
                let reason = "a file that was not fetched is in the way; remove it, or fetch into another directory";
                return Err(wrong(&path, reason.to_owned()));
            }
        }
        for (number, (_, name)) in self.members.rows.iter().enumerate() {
            let path = self.directory.join(name);
            let renamed = fs::rename(self.unpublished(number), &path);
            renamed.map_err(|error| wrong(&path, format!("it cannot be written: {error}")))?;
        }
        Ok(())
    }

    fn remove(&self) {
        for number in 0..self.digests.len() {
            let _ = fs::remove_file(self.unpublished(number));
        }
    }

    fn unpublished(&self, number: usize) -> PathBuf {
        self.directory.join(format!(".{}.part", self.members.rows[number].1))
    }
}

fn untar(archive: &Path, taken: &mut ExtractedMembers<'_>) -> Result<(), String> {
    let broken = |error| format!("it is no tar archive under gzip that can be read: {error}");
    let file = File::open(archive).map_err(broken)?;
    // The limit applies to skipped entries too, since they are unpacked as well.
    let limited = flate2::read::GzDecoder::new(BufReader::new(file)).take(UNPACKED_BYTES_MAX);
    let mut archive = tar::Archive::new(limited);
    for (number, entry) in archive.entries().map_err(broken)?.enumerate() {
        let mut entry = entry.map_err(broken)?;
        check_count(number)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let is_file = entry.header().entry_type().is_file();
        match taken.number_of(&path)? {
            Some(_) if !is_file => return Err(format!("its `{path}` is not a file")),
            Some(number) => taken.take(number, &mut entry)?,
            None => {}
        }
    }
    Ok(())
}

fn unzip(archive: &Path, taken: &mut ExtractedMembers<'_>) -> Result<(), String> {
    let broken = |error: &dyn std::fmt::Display| format!("it is no zip archive that can be read: {error}");
    let file = File::open(archive).map_err(|error| broken(&error))?;
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    for number in 0..archive.len() {
        check_count(number)?;
        let mut entry = archive.by_index(number).map_err(|error| broken(&error))?;
        let path = entry.name().map_err(|error| broken(&error))?.into_owned();
        let is_file = entry.is_file() && !entry.is_symlink();
        match taken.number_of(&path)? {
            Some(_) if !is_file => return Err(format!("its `{path}` is not a file")),
            Some(number) => taken.take(number, &mut entry)?,
            None => {}
        }
    }
    Ok(())
}

fn check_count(number: usize) -> Result<(), String> {
    if number >= ENTRIES_MAX { Err(format!("it holds more than {ENTRIES_MAX} entries")) } else { Ok(()) }
}

/// `path` without its top directory; `None` if the path leads out of the archive: an absolute path, `..`, or a drive.
/// `\` separates as `/` does, since archives made on Windows may have it.
fn below_top(path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let is_outside =
        has_drive || path.starts_with('/') || path.contains('\0') || path.split('/').any(|part| part == "..");
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    (!is_outside).then(|| parts.skip(1).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_below_the_top_or_lead_out() {
        for (path, below) in [
            ("top/lib/a.so", Some("lib/a.so")),
            ("./top/lib//a.so", Some("lib/a.so")),
            ("top/", Some("")),
            ("a.so", Some("")),
            ("", Some("")),
            ("/top/lib/a.so", None),
            ("top/../../a.so", None),
            ("..", None),
            ("top\\lib\\a.so", Some("lib/a.so")),
            ("top\\..\\a.so", None),
            ("\\top\\a.so", None),
            ("C:/top/a.so", None),
            ("top/a..so", Some("a..so")),
        ] {
            assert_eq!(below_top(path).as_deref(), below, "{path}");
        }
    }
}
