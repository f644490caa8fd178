//! Finds the places in code that the words of a memory are about.

use std::collections::BTreeSet;

use icr_git::Membership;
use icr_lexical::DefinitionPattern;
use icr_memory::{CodeBinding, CodePlace};
use icr_model::{RepoPath, SymbolKind, similar_names};
use icr_view::ViewFile;

use crate::files::no_such_file;
use crate::memory::code::definition::{CodeFile, NameMeaning, NamedDefinition, files_ending, meanings_of, most_likely};
use crate::memory::code::mention::{MentionedName, MentionedPath, mentions};
use crate::search::path_of;
use crate::symbols::{SymbolRequest, symbols};
use crate::{Error, Snapshot};

/// Most places of one memory: a memory about more of them is too unspecific.
const PLACES_MOST: usize = 20;

/// Most places that one name may mean; a name with more places identifies none.
const MEANINGS_MOST: usize = 3;

/// Similar names that an error lists for an unknown one.
const SIMILAR: usize = 3;

/// Least number of trailing path components that must match for an absolute path from elsewhere to mean a file of the
/// repository.
const PARTS_IN_COMMON: usize = 2;

/// Names that a mistyped name is compared with.
const NAMES_COMPARED: usize = 5_000;

/// What a memory says about code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BindRequest {
    /// Its text, which may mention files and definitions.
    pub text: String,
    /// Files that it is about, relative to the root; `src/a.rs:12` for the definition at a line. An ending that only one file has will do.
    pub paths: Vec<String>,
    /// Definitions that it is about: names or qualified names (`Store::open`).
    pub symbols: Vec<String>,
}

/// The places in code that a memory is about, as they are in this view: explicit places first, then places found in the
/// text; at most 20.
///
/// A word of the text is a file if the view has exactly one file of that path or path ending. It is a definition if it
/// is qualified, looks like code or is marked as code, and the view defines it in at most three places. The line of an
/// import defines nothing: what it leads to is meant, or the file where that has no name there. Other words are ignored.
/// A secret file is never a place. Names are looked up in the index; nothing is parsed.
///
/// # Errors
///
/// For explicit places: [`Error::NoSuchFile`], [`Error::Secret`], [`Error::NoDefinition`], and [`Error::Bounds`] for a
/// name with too many definitions and for more than 20 places. Those of reading the store.
pub fn bind_code(snapshot: &Snapshot, request: &BindRequest) -> Result<CodeBinding, Error> {
    let mut places = PlaceCollector { snapshot, places: Vec::new(), is_in_text: false };
    let files = places.add_paths(&request.paths)?;
    places.add_symbols(&request.symbols, &files)?;
    if places.places.len() > PLACES_MOST {
        return Err(Error::Bounds {
            field: "the paths and symbols of a memory",
            allowed: format!("at most {PLACES_MOST}"),
            value: places.places.len().to_string(),
        });
    }
    places.is_in_text = true;
    places.add_mentions(&request.text, &files)?;
    let revision = snapshot.view.revision();
    Ok(CodeBinding {
        commit: revision.commit.map(|commit| commit.to_string()),
        tree: Some(revision.tree.to_string()),
        places: places.places,
    })
}

/// A name in a text that too many definitions have for it to name a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousName {
    /// The name as a path of names, with `.` between them.
    pub name: String,
    /// Number of the definitions; `None` if there are too many to count.
    pub definitions: Option<usize>,
}

/// The words of a text that look like definitions, of which there are too many for [`bind_code`] to take one, in the order
/// of the text; at most three. Cost: as for [`bind_code`].
///
/// # Errors
///
/// Those of reading the store.
pub fn ambiguous_names(snapshot: &Snapshot, text: &str) -> Result<Vec<AmbiguousName>, Error> {
    let binding = bind_code(snapshot, &BindRequest { text: text.to_owned(), ..BindRequest::default() })?;
    let is_bound = |name: &str| {
        let last = |symbol: &String| symbol.rsplit('.').next() == Some(name);
        binding.places.iter().any(|place| place.symbol.as_ref().is_some_and(last))
    };
    let mut found: Vec<AmbiguousName> = Vec::new();
    for name in mentions(text).into_iter().filter_map(|mention| mention.name).filter(|name| !is_bound(&name.name)) {
        let definitions = meanings_of(snapshot, &name)?.map(|meanings| meanings.len());
        if definitions.is_none_or(|definitions| definitions > MEANINGS_MOST) {
            let name = [&name.outer[..], &[name.name]].concat().join(".");
            found.push(AmbiguousName { name, definitions });
        }
        if found.len() == AMBIGUOUS_MOST {
            break;
        }
    }
    Ok(found)
}

/// Whether a text has words that may be files or definitions.
#[must_use]
pub fn may_name_code(text: &str) -> bool {
    !mentions(text).is_empty()
}

impl AmbiguousName {
    /// What it means for the memory whose text has these names, as one sentence: "`a` has 5 definitions and `b` more than
    /// can be read, so …". `None` without names.
    pub fn notice(names: &[Self]) -> Option<String> {
        let name = |it: &Self| match it.definitions {
            Some(count) => format!("`{}` has {count} definitions here", it.name),
            None => format!("`{}` has very many definitions here", it.name),
        };
        let names: Vec<String> = names.iter().map(name).collect();
        let all = names.join(" and ");
        let which = if names.len() == 1 { "it" } else { "them" };
        (!names.is_empty())
            .then(|| format!("{all}, so that changes of {which} are not noticed; name the file or the type as well"))
    }
}

/// Most names that are listed as ambiguous.
const AMBIGUOUS_MOST: usize = 3;

/// The places of a memory while they are collected.
struct PlaceCollector<'a> {
    snapshot: &'a Snapshot,
    places: Vec<CodePlace>,
    is_in_text: bool,
}

impl PlaceCollector<'_> {
    /// Adds the files, or the definitions at their lines; returns the files.
    fn add_paths(&mut self, paths: &[String]) -> Result<Vec<CodeFile>, Error> {
        let mut files = Vec::new();
        for text in paths {
            let file = named_file(self.snapshot, text)?;
            self.add_file(&file, MentionedPath::of(text).line);
            files.push(file);
        }
        Ok(files)
    }

    /// Adds the definitions of each of `names`: in `files` if they define it, else anywhere in the view.
    fn add_symbols(&mut self, names: &[String], files: &[CodeFile]) -> Result<(), Error> {
        for text in names {
            let Some(name) = MentionedName::of(text) else {
                return Err(undefined_name_error(self.snapshot, text, files));
            };
            let meanings = match self.meanings_in(files, &name)? {
                meanings if meanings.is_empty() => meanings_of(self.snapshot, &name)?,
                meanings => Some(meanings),
            };
            match meanings {
                Some(meanings) if meanings.is_empty() => {
                    return Err(undefined_name_error(self.snapshot, text, files));
                }
                Some(meanings) if meanings.len() <= MEANINGS_MOST => {
                    meanings.iter().for_each(|meaning| self.add_meaning(meaning));
                }
                meanings => return Err(ambiguous(text, &meanings.unwrap_or_default())),
            }
        }
        Ok(())
    }

    /// Adds what the text mentions: files first, because they tell which definition of a common name is meant.
    fn add_mentions(&mut self, text: &str, explicit: &[CodeFile]) -> Result<(), Error> {
        let mut files = explicit.to_vec();
        let mut names = Vec::new();
        for mention in mentions(text) {
            let file = mention.path.as_ref().map(|path| mentioned_file(self.snapshot, path)).transpose()?.flatten();
            match (file, mention.path, mention.name) {
                (Some(file), Some(path), _) => {
                    self.add_file(&file, path.line);
                    files.push(file);
                }
                (_, _, Some(name)) => names.push(name),
                _ => {}
            }
        }
        for name in names {
            if self.places.len() >= PLACES_MOST {
                break;
            }
            self.add_mentioned(&name, &files)?;
        }
        self.places.truncate(PLACES_MOST);
        Ok(())
    }

    fn add_mentioned(&mut self, name: &MentionedName, files: &[CodeFile]) -> Result<(), Error> {
        let is_few = |meanings: &Vec<NameMeaning>| (1..=MEANINGS_MOST).contains(&meanings.len());
        // A file mentioned in the same text tells which definition is meant.
        let meanings = match Some(self.meanings_in(files, name)?).filter(is_few) {
            Some(meanings) => meanings,
            None => meanings_of(self.snapshot, name)?.filter(is_few).unwrap_or_default(),
        };
        // A heading consists of words, not of names of code.
        let is_heading = |one: &NamedDefinition| one.symbol().kind == SymbolKind::Section;
        let named = meanings.iter().filter(|meaning| !meaning.definition().is_some_and(is_heading));
        named.for_each(|meaning| self.add_meaning(meaning));
        Ok(())
    }

    /// The most likely meanings of a name in `files`.
    fn meanings_in(&self, files: &[CodeFile], name: &MentionedName) -> Result<Vec<NameMeaning>, Error> {
        let mut meanings = Vec::new();
        for file in files {
            meanings.extend(file.meanings(self.snapshot, name)?);
        }
        Ok(most_likely(meanings))
    }

    fn add_meaning(&mut self, meaning: &NameMeaning) {
        match meaning {
            NameMeaning::Definition(definition) => self.add_definition(definition),
            NameMeaning::File(file) => self.add_file(file, None),
        }
    }

    /// Adds a file, or the definition at a line of it.
    fn add_file(&mut self, file: &CodeFile, line: Option<u32>) {
        if let Some(definition) = line.and_then(|line| file.enclosing(line)) {
            return self.add_definition(&definition);
        }
        let path = file.path().to_string();
        if self.places.iter().all(|place| place.path != path) || !self.is_in_text {
            self.add(CodePlace {
                path,
                symbol: None,
                blob: Some(file.file.row.blob_id.to_string()),
                definition: None,
                found_in_text: self.is_in_text,
            });
        }
    }

    fn add_definition(&mut self, definition: &NamedDefinition) {
        let path = definition.code.path().to_string();
        // If the text also mentions a definition of the file, the file only says where that is.
        self.places.retain(|place| !(place.found_in_text && place.symbol.is_none() && place.path == path));
        self.add(CodePlace {
            path,
            symbol: Some(definition.qualified_name.clone()),
            blob: Some(definition.code.file.row.blob_id.to_string()),
            definition: definition.digest(self.snapshot),
            found_in_text: self.is_in_text,
        });
    }

    fn add(&mut self, place: CodePlace) {
        let is_same = |other: &CodePlace| other.path == place.path && other.symbol == place.symbol;
        if !self.places.iter().any(is_same) {
            self.places.push(place);
        }
    }
}

/// The file that an explicit path means: the file at that path, or the only one with that path ending.
fn named_file(snapshot: &Snapshot, text: &str) -> Result<CodeFile, Error> {
    let mentioned = MentionedPath::of(text);
    let path = path_of(&mentioned.path);
    if snapshot.context.foundation.shape.policy().decide(&path) == Membership::Secret {
        return Err(Error::Secret { path: mentioned.path });
    }
    if let Some(file) = CodeFile::at(snapshot, &path)? {
        return Ok(file);
    }
    match mentioned_file(snapshot, &mentioned)? {
        Some(file) => Ok(file),
        None => Err(with_similar(snapshot, no_such_file(snapshot, &path))),
    }
}

/// The file of the view that `text` means: a path, an unambiguous path ending, or an absolute path. `None` for no file
/// and for several.
///
/// # Errors
///
/// Those of reading the store.
pub(crate) fn file_called(snapshot: &Snapshot, text: &str) -> Result<Option<ViewFile>, Error> {
    Ok(mentioned_file(snapshot, &MentionedPath::of(text))?.map(|code| code.file))
}

/// The file of the view that a word means; `None` for none and for several.
fn mentioned_file(snapshot: &Snapshot, mentioned: &MentionedPath) -> Result<Option<CodeFile>, Error> {
    let path = mentioned.path.trim_end_matches('/');
    if path.is_empty() {
        return Ok(None);
    }
    if mentioned.is_absolute() {
        return outside_file(snapshot, path);
    }
    if let Some(file) = CodeFile::at(snapshot, &path.into())? {
        return Ok(Some(file));
    }
    match files_ending(snapshot, path)?.as_slice() {
        [only] => CodeFile::at(snapshot, only),
        _ => Ok(None),
    }
}

/// The file of the view that an absolute path means: the one in this worktree, or the one with the longest matching
/// ending of at least two components.
fn outside_file(snapshot: &Snapshot, path: &str) -> Result<Option<CodeFile>, Error> {
    let root = snapshot.context.foundation.root().to_string_lossy();
    if let Some(inside) = path.strip_prefix(&*root).and_then(|inside| inside.strip_prefix('/')) {
        return CodeFile::at(snapshot, &inside.into());
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    for start in 0..parts.len().saturating_sub(PARTS_IN_COMMON - 1) {
        if let Some(file) = CodeFile::at(snapshot, &parts[start..].join("/").as_str().into())? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Adds similar paths to an error about an unknown path.
fn with_similar(snapshot: &Snapshot, error: Error) -> Error {
    let Error::NoSuchFile { path, view, similar } = error else { return error };
    if !similar.is_empty() {
        return Error::NoSuchFile { path, view, similar };
    }
    let mut paths: Vec<String> = snapshot.view.paths().unwrap_or_default().iter().map(RepoPath::to_string).collect();
    paths.sort_unstable();
    let similar = similar_names(&path, paths.iter().map(String::as_str), SIMILAR);
    Error::NoSuchFile { similar: similar.into_iter().map(str::to_owned).collect(), path, view }
}

/// The error for a name that nothing defines, with similar names.
fn undefined_name_error(snapshot: &Snapshot, text: &str, files: &[CodeFile]) -> Error {
    let name = MentionedName::of(text).map_or_else(|| text.to_owned(), |name| name.name);
    let request = SymbolRequest { query: name.clone(), limit: SIMILAR, ..SymbolRequest::default() };
    let mut similar: BTreeSet<String> = BTreeSet::new();
    let in_files = files.iter().flat_map(|file| &file.facts.symbols).map(|symbol| symbol.name.as_str());
    similar.extend(similar_names(&name, in_files, SIMILAR).into_iter().map(str::to_owned));
    if similar.is_empty() {
        let first = name.chars().next().map(String::from).unwrap_or_default();
        let chunks = snapshot.view.live_chunks().ok();
        let names =
            chunks.and_then(|chunks| chunks.definitions(&DefinitionPattern::Prefix(&first), NAMES_COMPARED).ok());
        let names: Vec<String> = names.unwrap_or_default().into_iter().map(|definition| definition.name).collect();
        let names = similar_names(&name, names.iter().map(String::as_str), SIMILAR);
        similar.extend(names.into_iter().map(str::to_owned));
    }
    if similar.is_empty() {
        let found = symbols(snapshot, &request).map(|found| found.symbols).unwrap_or_default();
        similar.extend(found.into_iter().map(|hit| hit.qualified_name));
    }
    Error::NoDefinition {
        symbol: text.to_owned(),
        view: snapshot.name().to_owned(),
        // Files may import something of that name from outside.
        similar: similar.into_iter().filter(|similar| *similar != name).take(SIMILAR).collect(),
    }
}

/// The error for a name with too many definitions.
fn ambiguous(text: &str, meanings: &[NameMeaning]) -> Error {
    let shown = |meaning: &NameMeaning| match meaning {
        NameMeaning::Definition(definition) => {
            format!("`{}` in `{}`", definition.qualified_name, definition.code.path())
        }
        NameMeaning::File(file) => format!("`{}`", file.path()),
    };
    let places: Vec<String> = meanings.iter().take(SIMILAR).map(shown).collect();
    let example = if places.is_empty() { String::new() } else { format!(", such as {}", places.join(", ")) };
    Error::Bounds {
        field: "the symbol of a memory",
        allowed: format!(
            "one of at most {MEANINGS_MOST} definitions: name its file too, or what is around it{example}"
        ),
        value: text.to_owned(),
    }
}
