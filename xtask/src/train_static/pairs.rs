//! Training data: sentences about definitions, and the definitions.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use icr_lang::{ChunkLimits, Extraction, Extractor, TEXT, language_row, languages};

use super::Error;
use super::prose::Prose;
use super::seed::digest;

/// A definition and its documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The package, or a directory of a large one. Held-out data is chosen by it.
    pub(crate) package: String,
    pub(crate) language: &'static str,
    /// Relative to the package.
    pub(crate) path: String,
    /// First sentence of the doc comment.
    pub(crate) sentence: String,
    /// The whole doc comment, as far as it is prose.
    pub(crate) doc: String,
    /// Code of the definition, without comments and doc comment.
    pub(crate) code: String,
}

/// Directories of third-party code, generated code, and tests, whose comments say little.
pub(crate) const PASSED_OVER: &[&str] = &[
    // tidy: sorted
    ".git",
    "bower_components",
    "bundled",
    "debian",
    "deps",
    "dist",
    "external",
    "node_modules",
    "spec",
    "test",
    "testdata",
    "tests",
    "third-party",
    "third_party",
    "thirdparty",
    "validation-test",
    "vendor",
    "vendored",
    // tidy: end
];

/// Kinds of definitions that are asked for by what they do.
const KINDS: &[&str] = &[
    // tidy: sorted
    "class",
    "enum",
    "function",
    "implementation",
    "interface",
    "macro",
    "method",
    "module",
    "struct",
    "trait",
    "type",
    // tidy: end
];

/// Larger files are generated, or tables.
const MAX_FILE_BYTES: u64 = 200 << 10;

/// Most lines read of a definition.
const MAX_LINES: usize = 70;

/// Bytes of a definition without its comments. Shorter ones are only a name, longer ones are data.
const CODE_BYTES: std::ops::Range<usize> = 24..6_000;

/// Most pairs of a language, the same share of each of its packages, so that frequent languages do not dominate.
const MAX_OF_LANGUAGE: usize = 24_000;

/// Largest share of its language's pairs that a package may have. In a larger package, each directory counts as a
/// package; otherwise a language that is mostly one package could not be held out.
const MAX_SHARE: f32 = 0.2;

/// Percentage of sentences that lose a leading name of their definition. With it, the definition would be found by the
/// name alone.
const NAMES_STRIPPED_PERCENT: u64 = 80;

/// Where the pairs are kept below the sources, so that a second run reads no package; remove it when sources change.
const KEPT: &str = ".pairs.jsonl";

/// The pairs of the packages below `sources`, of each language no more than it needs. All pairs are kept there for the
/// next run.
pub(crate) fn of_sources(sources: &Path, threads: usize) -> Result<Vec<Pair>, Error> {
    all(sources, threads).map(balanced)
}

fn all(sources: &Path, threads: usize) -> Result<Vec<Pair>, Error> {
    let path = sources.join(KEPT);
    if path.exists() {
        let text =
            fs::read_to_string(&path).map_err(|source| Error::Io { doing: "reading", path: path.clone(), source })?;
        let pairs: Option<Vec<Pair>> = text.lines().map(Pair::from_line).collect();
        return pairs.ok_or(Error::Kept(path));
    }
    let pairs = collect(sources, threads)?;
    let lines: String = pairs.iter().map(Pair::to_line).collect();
    fs::write(&path, lines).map_err(|source| Error::Io { doing: "writing", path, source })?;
    Ok(pairs)
}

impl Pair {
    fn to_line(&self) -> String {
        let fields = [&self.package, self.language, &self.path, &self.sentence, &self.doc, &self.code];
        format!("{}\n", serde_json::json!(fields))
    }

    fn from_line(line: &str) -> Option<Self> {
        let [package, language, path, sentence, doc, code]: [String; 6] = serde_json::from_str(line).ok()?;
        let language = language_row(&language)?.name;
        Some(Self { package, language, path, sentence, doc, code })
    }
}

/// The pairs of the packages below `sources`, one directory each, sorted by name. No sentence and no definition occurs
/// twice.
fn collect(sources: &Path, threads: usize) -> Result<Vec<Pair>, Error> {
    let packages = directories(sources)?;
    let next = AtomicUsize::new(0);
    let mut found: Vec<(usize, Vec<Pair>)> = std::thread::scope(|scope| {
        let work = || {
            let mut extractor = Extractor::new(ChunkLimits::default());
            let mut found = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(package) = packages.get(at) else { return found };
                found.push((at, of_package(package, &mut extractor)));
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("extraction does not panic")).collect()
    });
    found.sort_by_key(|(at, _)| *at);
    let mut seen = HashSet::new();
    let mut pairs = Vec::new();
    for (_, mut package) in found {
        package.retain(|pair| seen.insert(digest(&pair.code)) && seen.insert(digest(&pair.sentence)));
        pairs.extend(package);
    }
    Ok(pairs)
}

fn directories(sources: &Path) -> Result<Vec<PathBuf>, Error> {
    let io = |source| Error::Io { doing: "reading", path: sources.to_owned(), source };
    let mut directories = Vec::new();
    for entry in fs::read_dir(sources).map_err(io)? {
        let entry = entry.map_err(io)?;
        if entry.file_type().map_err(io)?.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
            directories.push(entry.path());
        }
    }
    directories.sort();
    Ok(directories)
}

/// At most [`MAX_OF_LANGUAGE`] pairs of each language, and no package that dominates its language.
fn balanced(mut pairs: Vec<Pair>) -> Vec<Pair> {
    let mut of_language: BTreeMap<&str, usize> = BTreeMap::new();
    let mut of_package: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for pair in &pairs {
        *of_language.entry(pair.language).or_default() += 1;
        *of_package.entry((pair.language, pair.package.clone())).or_default() += 1;
    }
    for pair in &mut pairs {
        let total = of_language[pair.language];
        if of_package[&(pair.language, pair.package.clone())] as f32 > MAX_SHARE * total as f32 {
            let parts: Vec<&str> = pair.path.split('/').collect();
            let above = &parts[..parts.len().saturating_sub(1).min(3)];
            pair.package = format!("{}/{}", pair.package, above.join("/"));
        }
    }
    pairs.retain(|pair| (digest(&pair.code) % of_language[pair.language] as u64) < MAX_OF_LANGUAGE as u64);
    pairs
}

fn of_package(package: &Path, extractor: &mut Extractor) -> Vec<Pair> {
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    let mut files = Vec::new();
    files_below(package, &mut files);
    files.sort_by_cached_key(|file| (is_declaration(file), file.clone()));
    let mut pairs = Vec::new();
    for file in files {
        let path = file.strip_prefix(package).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let Some(language) = language_of(&path) else { continue };
        let Ok(blob) = fs::read(&file) else { continue };
        let extraction = extractor.extract(language, &blob);
        pairs.extend(of_file(&name, &path, language, &blob, &extraction));
    }
    pairs
}

/// Hand-written code files below `directory`. Unreadable ones are skipped: one package more or less does not matter.
fn files_below(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        let name = name.to_string_lossy();
        if kind.is_dir() && !PASSED_OVER.contains(&name.to_lowercase().as_str()) {
            files_below(&entry.path(), files);
        }
        let is_written = !name.contains(".min.") && !name.contains(".generated.") && !name.contains(".pb.");
        let is_small = || entry.metadata().is_ok_and(|metadata| metadata.len() <= MAX_FILE_BYTES);
        if kind.is_file() && is_written && is_small() {
            files.push(entry.path());
        }
    }
}

/// Whether `file` only declares what others define. Of a sentence that stands in both the definition is taken.
fn is_declaration(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    [".d.ts", ".d.mts", ".d.cts", ".h", ".hh", ".hpp", ".mli", ".pyi"].iter().any(|ending| name.ends_with(ending))
}

/// The language of code by the last part of `path`.
pub(crate) fn language_of(path: &str) -> Option<&'static str> {
    let file = path.rsplit('/').next()?;
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    languages().filter(|name| *name != TEXT).find(|name| {
        language_row(name).is_some_and(|row| {
            let by_extension = extension.as_deref().is_some_and(|extension| row.extensions.contains(&extension));
            row.is_code() && (by_extension || row.file_names.contains(&file))
        })
    })
}

fn of_file(package: &str, path: &str, language: &'static str, blob: &[u8], extraction: &Extraction) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for symbol in extraction.facts.symbols.iter().filter(|symbol| KINDS.contains(&symbol.kind.name())) {
        let Some(doc) = symbol.doc else { continue };
        let Some(prose) = Prose::of(&String::from_utf8_lossy(doc.of(blob))) else { continue };
        let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
        let mut code = Vec::with_capacity(end.saturating_sub(start));
        let mut at = start;
        let comments = extraction.comments.iter().copied().chain([doc]).filter(|span| span.start as usize >= start);
        let mut comments: Vec<_> = comments.map(|span| (span.start as usize, span.end as usize)).collect();
        comments.sort_unstable();
        for (from, to) in comments.into_iter().take_while(|(from, _)| *from < end) {
            code.extend_from_slice(blob.get(at..from.max(at)).unwrap_or_default());
            at = at.max(to);
        }
        code.extend_from_slice(blob.get(at..end).unwrap_or_default());
        let code = String::from_utf8_lossy(&code);
        let lines = code.lines().filter(|line| !line.trim().is_empty()).take(MAX_LINES);
        let code = lines.fold(String::new(), |code, line| code + line + "\n");
        let sentence = without_name(&prose.sentence, &symbol.name);
        let is_sentence = (3..=40).contains(&sentence.split_whitespace().count());
        if is_sentence && CODE_BYTES.contains(&code.len()) {
            let (package, path) = (package.to_owned(), path.to_owned());
            let (sentence, doc) = (sentence.to_owned(), prose.whole);
            pairs.push(Pair { package, language, path, sentence, doc, code });
        }
    }
    pairs
}

/// Removes the leading name from most `sentence`s.
pub(crate) fn without_name<'a>(sentence: &'a str, name: &str) -> &'a str {
    let rest = sentence.strip_prefix(name).filter(|rest| rest.starts_with([' ', ':', '(', '-']));
    match rest {
        Some(rest) if digest(sentence) % 100 < NAMES_STRIPPED_PERCENT => {
            rest.trim_start_matches([' ', ':', '(', ')', '-'])
        }
        _ => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[(&str, &str)]) {
        let language = language_of(path).expect("a path of code");
        let extraction = Extractor::new(ChunkLimits::default()).extract(language, text.as_bytes());
        let pairs = of_file("a", path, language, text.as_bytes(), &extraction);
        let found: Vec<(&str, &str)> = pairs.iter().map(|pair| (&*pair.sentence, &*pair.code)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_definition_goes_with_the_first_sentence_about_it() {
        check(
            "src/a.rs",
            "/// Opens the file for reading. Fails without it.\n/// # Errors\nfn open(path: &Path) {\n    // Why.\n    read(path);\n}\nfn undocumented() {}\n",
            &[("Opens the file for reading", "fn open(path: &Path) {\n    read(path);\n}\n")],
        );
    }

    #[test]
    fn a_docstring_is_no_part_of_the_definition() {
        check(
            "a.py",
            "def open(path):\n    \"\"\"Open the file for reading.\n\n    Args:\n        path: where\n    \"\"\"\n    return read(path)\n",
            &[("Open the file for reading", "def open(path):\n    return read(path)\n")],
        );
    }

    #[test]
    fn pairs_that_were_kept_come_back() {
        let [package, path, sentence, doc, code] =
            ["p", "a.rs", "Opens \"it\".", "Opens.\nTwice.", "fn a() {\n}"].map(str::to_owned);
        let pair = Pair { package, language: "rust", path, sentence, doc, code };
        assert_eq!(Pair::from_line(&pair.to_line()), Some(pair));
        assert_eq!(Pair::from_line("[]"), None);
    }

    #[test]
    fn names_at_the_start_are_mostly_stripped() {
        let sentences: Vec<String> = (0..200).map(|at| format!("open returns thing {at}")).collect();
        let stripped =
            sentences.iter().filter(|sentence| without_name(sentence, "open").starts_with("returns")).count();
        assert!((130..190).contains(&stripped), "{stripped} of 200");
        assert_eq!(without_name("opens the file", "open"), "opens the file");
    }

    #[test]
    fn only_code_is_read() {
        assert_eq!(language_of("a/b.RS"), Some("rust"));
        assert_eq!(language_of("Makefile"), Some("make"));
        assert_eq!(language_of("a.md"), None);
        assert_eq!(language_of("a"), None);
    }
}
