//! The packages that the table is trained on, and how to get exactly these.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Error;

/// A line for each package: kind of registry, name, version, licences, and directories that are left out.
const LIST: &str = include_str!("../../../crates/icr-embed/assets/SOURCES");

/// Directory of downloaded archives and of incomplete unpacking.
const SCRATCH: &str = ".fetched";

/// Source packages asked for at once, so that one that is gone does not stop the others.
const AT_ONCE: usize = 20;

/// Python version for which wheels are requested, so that every machine gets the same ones.
const PYTHON: &str = "3.12";

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SourcePackage {
    registry: Registry,
    name: &'static str,
    version: &'static str,
    /// Directories at the top of the package that are left out.
    without: Vec<&'static str>,
}

/// The client that downloads a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registry {
    /// A crate, by cargo.
    Crate,
    /// A Debian source package, by apt. Apt's lists must contain the suites that have it.
    Debian,
    /// By npm.
    Npm,
    /// A wheel, by pip.
    Python,
}

impl SourcePackage {
    /// Directory of the package below the common one. Two registries may have packages of the same name.
    fn place(&self, directory: &Path) -> PathBuf {
        let registry = match self.registry {
            Registry::Crate => "crate",
            Registry::Debian => "debian",
            Registry::Npm => "npm",
            Registry::Python => "python",
        };
        // A scoped name loses its `@` and its `/`, so that it is one directory name.
        directory.join(format!("{registry}-{}", self.name.trim_start_matches('@').replace('/', "-")))
    }
}

/// Gets what is not in `directory` yet, a directory for each package of the list, and names what could not be had.
pub(crate) fn fetch(directory: &Path, say: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let scratch = directory.join(SCRATCH);
    fs::create_dir_all(&scratch).map_err(io("making", &scratch))?;
    let sources = list()?;
    let absent = |registry: Registry| {
        let is_absent = move |source: &&SourcePackage| source.registry == registry && !source.place(directory).exists();
        sources.iter().filter(is_absent).collect::<Vec<_>>()
    };
    crates(directory, &scratch, &absent(Registry::Crate))?;
    for some in absent(Registry::Debian).chunks(AT_ONCE) {
        let names = some.iter().map(|source| format!("{}={}", source.name, source.version));
        run(Command::new("apt-get").args(["source", "--download-only", "--quiet"]).args(names).current_dir(&scratch))?;
        for source in some {
            let prefix = format!("{}_", source.name);
            unpack(&scratch, directory, source, |name| name.starts_with(&prefix) && name.contains(".orig"))?;
        }
    }
    for source in absent(Registry::Npm) {
        let package = format!("{}@{}", source.name, source.version);
        run(Command::new("npm").args(["pack", "--silent", &package]).current_dir(&scratch))?;
        unpack(&scratch, directory, source, |name| name.ends_with(".tgz"))?;
    }
    for source in absent(Registry::Python) {
        let package = format!("{}=={}", source.name, source.version);
        let options =
            ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--python-version", PYTHON];
        run(Command::new("python3").args(options).arg(&package).current_dir(&scratch))?;
        unpack(&scratch, directory, source, |name| name.ends_with(".whl"))?;
    }
    for source in sources.iter().filter(|source| !source.place(directory).exists()) {
        say(&format!("absent: {} {}\n", source.name, source.version));
    }
    fs::remove_dir_all(&scratch).map_err(io("removing", &scratch))
}

/// Runs a client. Its exit status is not enough: some clients download the other packages when one is missing. So
/// success is judged by the files afterwards.
fn run(command: &mut Command) -> Result<(), Error> {
    let done = command.status().map(|_| ());
    done.map_err(|_| failed(command, "it is the client of the registry that has some of the sources"))
}

/// The crates among `sources`, as cargo unpacks them for a package that depends on all.
fn crates(directory: &Path, scratch: &Path, sources: &[&SourcePackage]) -> Result<(), Error> {
    if sources.is_empty() {
        return Ok(());
    }
    let dependencies: String =
        sources.iter().map(|source| format!("\"{}\" = \"={}\"\n", source.name, source.version)).collect();
    let package = "[package]\nname = \"sources\"\nversion = \"0.0.0\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n";
    for (name, text) in [("Cargo.toml", format!("{package}[dependencies]\n{dependencies}")), ("lib.rs", String::new())]
    {
        let path = scratch.join(name);
        fs::write(&path, text).map_err(io("writing", &path))?;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["vendor", "--versioned-dirs", "--quiet", "crates"]).current_dir(scratch);
    if !cargo.output().is_ok_and(|output| output.status.success()) {
        return Err(failed(&cargo, "it asks the registry for the versions of the list"));
    }
    for source in sources {
        let from = scratch.join("crates").join(format!("{}-{}", source.name, source.version));
        fs::rename(&from, source.place(directory)).map_err(io("moving", &from))?;
    }
    Ok(())
}

/// Unpacks the archives in `scratch` whose names are those of `source`, if it was got.
fn unpack(
    scratch: &Path,
    directory: &Path,
    source: &SourcePackage,
    is_of_source: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    let mut archives: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(scratch).map_err(io("reading", scratch))? {
        let path = entry.map_err(io("reading", scratch))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        archives.extend((is_of_source(&name) && !name.ends_with(".asc")).then_some(path));
    }
    archives.sort();
    if archives.is_empty() {
        return Ok(());
    }
    let part = scratch.join("part");
    fs::create_dir_all(&part).map_err(io("making", &part))?;
    for archive in &archives {
        let mut command = if archive.extension().is_some_and(|extension| extension == "whl") {
            let mut python = Command::new("python3");
            python.args(["-m", "zipfile", "--extract"]).arg(archive).arg(&part);
            python
        } else {
            let mut tar = Command::new("tar");
            tar.arg("--extract").arg("--file").arg(archive).arg("--directory").arg(&part).arg("--strip-components=1");
            tar
        };
        if !command.status().is_ok_and(|status| status.success()) {
            return Err(failed(&command, "remove the archive to get it again"));
        }
        fs::remove_file(archive).map_err(io("removing", archive))?;
    }
    for path in source.without.iter().map(|name| part.join(name)).filter(|path| path.exists()) {
        fs::remove_dir_all(&path).map_err(io("removing", &path))?;
    }
    fs::rename(&part, source.place(directory)).map_err(io("moving", &part))
}

fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { doing, path, source }
}

fn failed(command: &Command, right: &'static str) -> Error {
    Error::Command { command: command.get_program().to_string_lossy().into_owned(), right }
}

/// The packages of the list.
fn list() -> Result<Vec<SourcePackage>, Error> {
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
            Some("npm") => Registry::Npm,
            Some("python") => Registry::Python,
            _ => return Err(wrong("it begins with `crate`, `debian`, `npm` or `python`")),
        };
        let (Some(name), Some(version), Some(_)) = (words.next(), words.next(), words.next()) else {
            return Err(wrong("after the registry come name, version and licences"));
        };
        sources.push(SourcePackage { registry, name, version, without: without.split_whitespace().collect() });
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of licences that only demand a notice.
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
