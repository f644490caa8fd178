//! Questions from documentation: a sentence about a definition, asked of a tree from which the sentence was removed.

use std::collections::BTreeMap;
use std::path::Path;

use icr_lang::{ChunkLimits, Extraction, Extractor};

use super::questions::{QuestionSet, RankingQuestion};
use crate::git::{Git, GitError};
use crate::train_static::{PASSED_OVER, Prose, digest, language_of, without_name};

/// Most sentences of a repository, and of a file: large files are not asked for more.
const OF_REPOSITORY: usize = 160;
const OF_FILE: usize = 2;

/// Files that are read for them, of those that may have some.
const FILES: usize = 600;

/// Larger files are generated, or tables.
const MAX_FILE_BYTES: usize = 200 << 10;

/// Words of a sentence that makes a question. Fewer are just a name; nobody asks with more.
const WORDS: std::ops::RangeInclusive<usize> = 3..=16;

/// Questions with answers in the tree of `commit`, from which the comments that say the same are taken away.
pub(super) fn documented(git: &Git<'_>, commit: &str, scratch: &Path) -> Result<QuestionSet, GitError> {
    let mut found: Vec<(u64, DocumentedDefinition)> = Vec::new();
    let mut extractor = Extractor::new(ChunkLimits::default());
    for (mode, path) in files(git, commit)? {
        let Some(language) = language_of(&path) else { continue };
        // A partial clone may lack large blobs.
        let Ok(blob) = git.output(&["cat-file", "blob", &format!("{commit}:{path}")]) else { continue };
        if blob.len() <= MAX_FILE_BYTES {
            let extraction = extractor.extract(language, &blob);
            found.extend(
                of_file(&mode, &path, &blob, &extraction).into_iter().map(|said| (digest(&said.sentence), said)),
            );
        }
    }
    // A sentence that occurs twice has two answers, and one of them would still contain it.
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    found.iter().for_each(|(_, said)| *times.entry(said.sentence.clone()).or_default() += 1);
    found.retain(|(_, said)| times[&said.sentence] == 1);
    found.sort_by(|one, other| (one.0, &one.1.sentence).cmp(&(other.0, &other.1.sentence)));
    let mut by_file: BTreeMap<String, Vec<DocumentedDefinition>> = BTreeMap::new();
    let mut questions = Vec::new();
    for (_, said) in found {
        let of_file = by_file.entry(said.path.clone()).or_default();
        if of_file.len() < OF_FILE {
            let (query, files) = (said.sentence.clone(), vec![said.path.clone()]);
            questions.push(RankingQuestion { query, files, category: "documented" });
            of_file.push(said);
        }
        if questions.len() == OF_REPOSITORY {
            break;
        }
    }
    let revision = without(git, commit, &by_file, scratch)?;
    Ok(QuestionSet { revision, questions })
}

/// A sentence about a definition, and where it stands.
struct DocumentedDefinition {
    /// File mode as git writes it.
    mode: String,
    path: String,
    sentence: String,
    doc: std::ops::Range<usize>,
}

/// Hand-written code files with their modes, in an order that does not depend on their directories.
fn files(git: &Git<'_>, commit: &str) -> Result<Vec<(String, String)>, GitError> {
    let listed = git.output(&["ls-tree", "-r", "-z", commit])?;
    let listed = String::from_utf8_lossy(&listed);
    let is_written = |path: &str| {
        let directories = path.rsplit_once('/').map_or("", |(directories, _)| directories);
        let passed_over = directories.split('/').any(|name| PASSED_OVER.contains(&name.to_lowercase().as_str()));
        !passed_over && !icr_rank::is_test_path(&path.into()) && language_of(path).is_some()
    };
    let entry = |entry: &str| {
        let (facts, path) = entry.split_once('\t')?;
        let mode = facts.split(' ').next().filter(|mode| mode.starts_with("100"))?;
        is_written(path).then(|| (mode.to_owned(), path.to_owned()))
    };
    let mut files: Vec<(String, String)> = listed.split('\0').filter_map(entry).collect();
    files.sort_by_cached_key(|(_, path)| digest(path));
    files.truncate(FILES);
    Ok(files)
}

fn of_file(mode: &str, path: &str, blob: &[u8], extraction: &Extraction) -> Vec<DocumentedDefinition> {
    let mut found = Vec::new();
    for symbol in &extraction.facts.symbols {
        let Some(doc) = symbol.doc else { continue };
        let Some(prose) = Prose::of(&String::from_utf8_lossy(doc.of(blob))) else { continue };
        let sentence = without_name(&prose.sentence, &symbol.name).trim().to_owned();
        if WORDS.contains(&sentence.split_whitespace().count()) {
            let (mode, path) = (mode.to_owned(), path.to_owned());
            found.push(DocumentedDefinition { mode, path, sentence, doc: doc.start as usize..doc.end as usize });
        }
    }
    found
}

/// `blob` with the sentences replaced by blanks, so that line numbers stay the same.
fn blanked<'s>(mut blob: Vec<u8>, said: impl IntoIterator<Item = &'s DocumentedDefinition>) -> Vec<u8> {
    for byte in said.into_iter().flat_map(|said| said.doc.clone()) {
        if let Some(byte) = blob.get_mut(byte).filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    blob
}

/// A commit above `commit` whose files lack those comments.
fn without(
    git: &Git<'_>,
    commit: &str,
    said: &BTreeMap<String, Vec<DocumentedDefinition>>,
    scratch: &Path,
) -> Result<String, GitError> {
    let index = scratch.join("index");
    let git = git.with_index(&index);
    git.output(&["read-tree", commit])?;
    let mut changed = String::new();
    for (path, said) in said {
        let blob = blanked(git.output(&["cat-file", "blob", &format!("{commit}:{path}")])?, said);
        let id = git.line(&["hash-object", "-w", "--stdin"], &blob)?;
        changed.push_str(&format!("{} {id}\t{path}\0", said[0].mode));
    }
    git.output_with_input(&["update-index", "-z", "--index-info"], changed.as_bytes())?;
    let tree = git.line(&["write-tree"], &[])?;
    git.line(&["commit-tree", &tree, "-p", commit, "-m", "without what is asked"], &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_gone_from_the_text() {
        let text = "/// Opens the file for reading.\n/// Fails without it.\nfn open() {}\n\n/// Short.\nfn shut() {}\n";
        let extraction = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes());
        let said = of_file("100644", "a.rs", text.as_bytes(), &extraction);
        let sentences: Vec<&str> = said.iter().map(|said| said.sentence.as_str()).collect();
        assert_eq!(sentences, ["Opens the file for reading"]);
        let blanked = String::from_utf8(blanked(text.into(), &said)).unwrap();
        let lines: Vec<&str> = blanked.lines().map(str::trim).collect();
        assert_eq!(lines, ["", "", "fn open() {}", "", "/// Short.", "fn shut() {}"]);
    }
}
