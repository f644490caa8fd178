//! The packages that the table is trained on, and how to get exactly these.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Error;

/// A line for each package: kind of registry, name, version, licences, and directories that are left out.
const LIST: &str = include_str!("../../../crates/icr-embed/assets/SOURCES");

/// Where archives and what is half unpacked lie meanwhile.
const SCRATCH: &str = ".fetched";

/// Source packages asked for at once, so that one that is gone does not stop the others.
const AT_ONCE: usize = 20;

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    registry: Registry,
    name: &'static str,
    version: &'static str,
    /// Directories at the top of the package that are left out.
    without: Vec<&'static str>,
}

/// Which client gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registry {
    /// A crate, by cargo.
    Crate,
    /// A source package of Debian, by apt, whose lists must name the suites that have it.
    Debian,
}

impl Source {
    /// Its directory below that of all. Two registries can have a package of one name.
    fn place(&self, directory: &Path) -> PathBuf {
        let registry = match self.registry {
            Registry::Crate => "crate",
            Registry::Debian => "debian",
        };
        directory.join(format!("{registry}-{}", self.name))
    }
}

/// Gets what is not in `directory` yet, a directory for each package of the list, and names what could not be had.
pub(crate) fn fetch(directory: &Path, say: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let scratch = directory.join(SCRATCH);
    let io = |doing| {
        let path = scratch.clone();
        move |source| Error::Io { doing, path, source }
    };
    fs::create_dir_all(&scratch).map_err(io("making"))?;
    let sources = list()?;
    let absent: Vec<&Source> = sources.iter().filter(|source| !source.place(directory).exists()).collect();
    crates(directory, &scratch, &absent)?;
    let of_debian: Vec<&Source> = absent.iter().copied().filter(|source| source.registry == Registry::Debian).collect();
    for some in of_debian.chunks(AT_ONCE) {
        let names = some.iter().map(|source| format!("{}={}", source.name, source.version));
        let mut apt = Command::new("apt-get");
        apt.args(["source", "--download-only", "--quiet"]).args(names).current_dir(&scratch);
        // It fails when one of them is gone; the others are there all the same.
        let _ = apt.status().map_err(|_| failed(&apt, "it comes with Debian and its descendants"))?;
        for source in some {
            unpack(&scratch, directory, source)?;
        }
    }
    for source in sources.iter().filter(|source| !source.place(directory).exists()) {
        say(&format!("absent: {} {}\n", source.name, source.version));
    }
    fs::remove_dir_all(&scratch).map_err(io("removing"))
}

/// The crates among `sources`, as cargo unpacks them for a package that depends on all.
fn crates(directory: &Path, scratch: &Path, sources: &[&Source]) -> Result<(), Error> {
    let sources: Vec<&&Source> = sources.iter().filter(|source| source.registry == Registry::Crate).collect();
    if sources.is_empty() {
        return Ok(());
    }
    let dependencies: String =
        sources.iter().map(|source| format!("\"{}\" = \"={}\"\n", source.name, source.version)).collect();
    let manifest = format!(
        "[package]\nname = \"sources\"\nversion = \"0.0.0\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n{dependencies}"
    );
    for (name, text) in [("Cargo.toml", manifest.as_str()), ("lib.rs", "")] {
        let path = scratch.join(name);
        fs::write(&path, text).map_err(|source| Error::Io { doing: "writing", path, source })?;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["vendor", "--versioned-dirs", "--quiet", "crates"]).current_dir(scratch);
    if !cargo.output().is_ok_and(|output| output.status.success()) {
        return Err(failed(&cargo, "it asks the registry for the versions of the list"));
    }
    for source in sources {
        let from = scratch.join("crates").join(format!("{}-{}", source.name, source.version));
        let to = source.place(directory);
        fs::rename(&from, to).map_err(|source| Error::Io { doing: "moving", path: from, source })?;
    }
    Ok(())
}

/// Unpacks what upstream published of `source`, if it was got; not what Debian added.
fn unpack(scratch: &Path, directory: &Path, source: &Source) -> Result<(), Error> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Io { doing: "reading", path, source }
    };
    let mut archives: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(scratch).map_err(io(scratch))? {
        let path = entry.map_err(io(scratch))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_upstream =
            name.starts_with(&format!("{}_", source.name)) && name.contains(".orig") && !name.ends_with(".asc");
        archives.extend(is_upstream.then_some(path));
    }
    archives.sort();
    if archives.is_empty() {
        return Ok(());
    }
    let part = scratch.join("part");
    fs::create_dir_all(&part).map_err(io(&part))?;
    for archive in &archives {
        let mut tar = Command::new("tar");
        tar.arg("--extract").arg("--file").arg(archive).arg("--directory").arg(&part).arg("--strip-components=1");
        if !tar.status().is_ok_and(|status| status.success()) {
            return Err(failed(&tar, "remove the archive to get it again"));
        }
        fs::remove_file(archive).map_err(io(archive))?;
    }
    for name in &source.without {
        let path = part.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(io(&path))?;
        }
    }
    fs::rename(&part, source.place(directory)).map_err(io(&part))
}

fn failed(command: &Command, right: &'static str) -> Error {
    Error::Command { command: command.get_program().to_string_lossy().into_owned(), right }
}

/// The packages of the list.
fn list() -> Result<Vec<Source>, Error> {
    let mut sources = Vec::new();
    for (line, text) in (1..).zip(LIST.lines()) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = |reason: &str| Error::Sources { line, reason: reason.to_owned() };
        let (text, without) = text.split_once(" without ").unwrap_or((text, ""));
        let mut words = text.split_whitespace();
        let registry = match words.next() {
            Some("crate") => Registry::Crate,
            Some("debian") => Registry::Debian,
            _ => return Err(wrong("it begins with `crate` or `debian`")),
        };
        let (Some(name), Some(version), Some(_)) = (words.next(), words.next(), words.next()) else {
            return Err(wrong("after the registry come name, version and licences"));
        };
        sources.push(Source { registry, name, version, without: without.split_whitespace().collect() });
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that licences which ask for no more than a notice are called by.
    const PERMISSIVE: &[&str] = &[
        // tidy: sorted
        "0BSD",
        "AFL-2.1",
        "Apache",
        "Artistic",
        "BSD",
        "BSL",
        "CC0",
        "Expat",
        "ISC",
        "MIT",
        "PSF",
        "Python",
        "Unicode",
        "Unlicense",
        "WTFPL",
        "Zlib",
        "public-domain",
        // tidy: end
    ];

    #[test]
    fn every_line_is_a_package_with_a_licence_that_permits() {
        let sources = list().unwrap();
        assert!(sources.len() > 100, "{}", sources.len());
        let is_sorted = sources
            .windows(2)
            .all(|pair| (pair[0].registry as u8, pair[0].name) < (pair[1].registry as u8, pair[1].name));
        assert!(is_sorted, "by registry, then by name");
        for line in LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let licences = line.split_whitespace().nth(3).unwrap();
            for licence in licences.split('/') {
                assert!(PERMISSIVE.iter().any(|word| licence.starts_with(word)), "{line}");
            }
        }
    }
}
