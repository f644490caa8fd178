//! Who refers to a definition.

use crate::files::no_such_file;
use crate::symbols::symbols;
use std::collections::{BTreeMap, BTreeSet};

use icr_model::{Gap, LineIndex, LineSpan, RepoPath, Symbol, SymbolKind};
use serde::Serialize;

use crate::search::{UnreadBlobs, cut, path_of};
use crate::{Error, Snapshot, SymbolRequest, SymbolResults};

/// Names that are told where none was found.
const SIMILAR: usize = 3;

/// Files that are named because they mention a name, and are not known to mean it.
const MENTIONED_NAMED: usize = 5;

/// Longest text of a use, in bytes.
const USE_BYTES: usize = 200;

/// Most files that define a name whose references are looked for, when none of them is named.
pub(crate) const DEFINERS: usize = 64;

/// Most files that define a name of which each is asked what it stands in.
const DEFINERS_LOOKED_AT: usize = 4_000;

/// Which definition is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferencesRequest {
    /// Its name, one with dots too, or a qualified one (`Server.handle`, `Server::handle`).
    pub symbol: String,
    /// The file that defines it; every file that does when not given.
    pub path: Option<String>,
    /// A line of the definition, 1-based.
    pub line: Option<u32>,
}

/// The answer to a [`ReferencesRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct References {
    /// The name that was asked for.
    pub symbol: String,
    /// The definitions that are meant, by path and place.
    pub definitions: Vec<DefinitionPlace>,
    /// Files that refer to one of them: the surest first, then by count and path.
    pub references: Vec<ReferencePlace>,
    /// Files that name it and are not known to mean it: they see it in no way that is followed, or it may be another of that name.
    pub mentioned: u64,
    /// Files that hold the name and that no grammar could read, so that nothing is known of them; the first by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_in: Vec<String>,
    /// Whether the name is so short that only what calls it, or names it as a member, is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub calls_only: bool,
    /// The first of the files that name it too, by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentioned_in: Vec<String>,
}

/// Where something is defined.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DefinitionPlace {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// What it is.
    pub kind: SymbolKind,
    /// Name with those of the definitions around it.
    pub qualified_name: String,
}

/// A file that refers to a definition.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ReferencePlace {
    /// Path relative to the root.
    pub path: String,
    /// Occurrences.
    pub count: u32,
    /// Their lines, ascending, each once.
    pub lines: Vec<u32>,
    /// Share that the definitions asked for have of them, in `0.0..=1.0`: 1 when nothing else can be meant.
    pub share: f64,
    /// What stands on the lines; filled by [`add_uses`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Use>,
}

/// A line that refers to a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Use {
    /// Its number, 1-based.
    pub line: u32,
    /// Qualified name of the innermost definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The line without blanks around it, cut where it is long.
    pub text: String,
}

/// Fills in what stands on the lines of `places`, of each at most `most`. What cannot be read stays empty; the gaps say so.
///
/// Cost: one read of each file.
///
/// # Errors
///
/// Those of reading the store.
pub fn add_uses(snapshot: &Snapshot, places: &mut [ReferencePlace], most: usize) -> Result<Vec<Gap>, Error> {
    let mut texts = snapshot.view.texts();
    let mut unread = UnreadBlobs::default();
    let mut text = Vec::new();
    for place in places {
        let Some(file) = snapshot.view.file(&path_of(&place.path))? else { continue };
        if !unread.read(&mut texts, &file.row, &mut text)? {
            continue;
        }
        snapshot.mask(&mut text);
        let facts = snapshot.facts(file.row.blob_no)?;
        let index = LineIndex::new(&text);
        let shown = |line: u32| {
            let bytes = index.span_of(LineSpan { start: line, end: line }).of(&text);
            let whole = String::from_utf8_lossy(bytes);
            let whole = whole.trim();
            let part = cut(whole, USE_BYTES);
            if part.len() < whole.len() { format!("{part}…") } else { part.to_owned() }
        };
        // Members come after what holds them.
        let around = |line: u32| {
            // A value that is made there is not what the line stands in.
            let is_value = |symbol: &Symbol| {
                use SymbolKind::{Constant, Field, Key, Variable, Variant};
                matches!(symbol.kind, Constant | Field | Key | Variable | Variant)
            };
            let holds = |symbol: &&Symbol| (symbol.lines.start..=symbol.lines.end).contains(&line) && !is_value(symbol);
            let innermost = facts.symbols.iter().rposition(|symbol| holds(&symbol))?;
            Some(facts.qualified_name(innermost as u32))
        };
        let lines = place.lines.iter().take(most);
        place.uses = lines.map(|line| Use { line: *line, within: around(*line), text: shown(*line) }).collect();
    }
    Ok(unread.gaps())
}

/// Files that refer to a definition and can see it.
///
/// # Errors
///
/// [`Error::Bounds`] for an empty name; [`Error::NoSuchFile`] for an unknown path; [`Error::NoSuchSymbol`] when the file,
/// or the whole view, defines nothing of that name; [`Error::TooManyDefiners`] when very many files do and none is named; those of reading
/// the store.
pub fn references(snapshot: &Snapshot, request: &ReferencesRequest) -> Result<References, Error> {
    let parts: Vec<&str> = request.symbol.trim().split(['.', ':', '#', '/']).filter(|part| !part.is_empty()).collect();
    let Some((name, outer)) = parts.split_last() else {
        return Err(Error::Bounds {
            field: "the symbol",
            allowed: "a name or a qualified name".to_owned(),
            value: request.symbol.clone(),
        });
    };
    let defined = |name: &str, outer: &[&str]| match &request.path {
        Some(path) => definitions_in(snapshot, path, name, outer, request.line),
        None => definitions_of(snapshot, request, name, outer),
    };
    let mut name = *name;
    let mut definitions = defined(name, outer)?;
    if definitions.is_empty() && !outer.is_empty() {
        // Modules and headings have names with dots.
        name = request.symbol.trim();
        definitions = defined(name, &[])?;
    }
    if definitions.is_empty() {
        return Err(undefined_symbol_error(snapshot, request, name));
    }
    let mut places: BTreeMap<RepoPath, ReferencePlace> = BTreeMap::new();
    // Of a file that is named, those definitions are meant that were found; else whatever it calls so.
    let holder_of = |definition: &DefinitionPlace| {
        let outer = definition.qualified_name.rsplit_once('.').map_or("", |(outer, _)| outer);
        let holder = outer.rsplit('.').next().unwrap_or_default().to_owned();
        request.path.as_ref().map(|_| holder)
    };
    let mut definers: Vec<(&str, Option<String>)> =
        definitions.iter().map(|definition| (definition.path.as_str(), holder_of(definition))).collect();
    definers.sort();
    definers.dedup();
    for (definer, holder) in definers {
        for found in snapshot.graph()?.referring(&path_of(definer), name, holder.as_deref())? {
            let place = places.entry(found.path.clone()).or_insert_with(|| ReferencePlace {
                path: found.path.to_string(),
                count: 0,
                lines: Vec::new(),
                share: 0.0,
                uses: Vec::new(),
            });
            // What several of the definitions may be meant by stands there once.
            let lines: BTreeSet<u32> = place.lines.iter().chain(&found.lines).copied().collect();
            place.count = place.count.max(found.lines.len() as u32).max(lines.len() as u32);
            place.lines = lines.into_iter().collect();
            place.share = (place.share + found.share).min(1.0);
        }
    }
    place_at_names(snapshot, name, &mut places)?;
    take_out_definitions(snapshot, &definitions, name, &mut places)?;
    let mut references: Vec<ReferencePlace> = places.into_values().collect();
    references.sort_by(|a, b| b.share.total_cmp(&a.share).then(b.count.cmp(&a.count)).then(a.path.cmp(&b.path)));
    let (elsewhere, unread_in) = elsewhere(snapshot, name, &definitions, &references)?;
    let mentioned = elsewhere.len() as u64;
    let mentioned_in = elsewhere.into_iter().take(MENTIONED_NAMED).collect();
    let calls_only = icr_lang::is_small_name(name);
    Ok(References {
        symbol: request.symbol.clone(),
        definitions,
        references,
        mentioned,
        unread_in,
        calls_only,
        mentioned_in,
    })
}

/// Files that name `name` besides those that define it or are known to refer to it; and the first of those that hold it and do not parse.
fn elsewhere(
    snapshot: &Snapshot,
    name: &str,
    definitions: &[DefinitionPlace],
    references: &[ReferencePlace],
) -> Result<(BTreeSet<String>, Vec<String>), Error> {
    let known: BTreeSet<&str> = definitions
        .iter()
        .map(|definition| definition.path.as_str())
        .chain(references.iter().map(|place| place.path.as_str()))
        .collect();
    let (mut naming, mut unread) = (BTreeSet::new(), BTreeSet::new());
    // The graph has gone through the same files for those that are known.
    for path in snapshot.graph()?.mentioning(name)? {
        let shown = path.to_string();
        let Some(file) = snapshot.view.file(&path)?.filter(|_| !known.contains(shown.as_str())) else { continue };
        let facts = snapshot.facts(file.row.blob_no)?;
        // The index knows no case, and the facts do.
        if facts.references.iter().any(|group| group.name == name) {
            naming.insert(shown);
        } else if facts.language != icr_lang::TEXT && facts.error_bytes > facts.bytes_total / 2 {
            unread.insert(shown);
        }
    }
    Ok((naming, unread.into_iter().take(MENTIONED_NAMED).collect()))
}

/// Moves what `places` say of definitions of the name, which begin with their annotations, to the lines on which they have it.
fn place_at_names(
    snapshot: &Snapshot,
    name: &str,
    places: &mut BTreeMap<RepoPath, ReferencePlace>,
) -> Result<(), Error> {
    let mut texts = snapshot.view.texts();
    let mut text = Vec::new();
    for (path, place) in places {
        let Some(file) = snapshot.view.file(path)? else { continue };
        let facts = snapshot.facts(file.row.blob_no)?;
        let is_listed = |symbol: &&Symbol| symbol.name == name && place.lines.contains(&symbol.lines.start);
        let is_mentioned = |line: &u32| {
            let mut groups = facts.references.iter().filter(|group| group.name == name);
            groups.any(|group| group.lines.contains(line))
        };
        let begins: Vec<(u32, u32)> = facts
            .symbols
            .iter()
            .filter(is_listed)
            .map(|symbol| (symbol.lines.start, symbol.name_start))
            .filter(|(line, _)| !is_mentioned(line))
            .collect();
        if begins.is_empty() || !UnreadBlobs::default().read(&mut texts, &file.row, &mut text)? {
            continue;
        }
        let index = LineIndex::new(&text);
        for (begin, name_start) in begins {
            place.lines.retain(|line| *line != begin);
            place.lines.push(index.line_of(name_start));
        }
        place.lines.sort_unstable();
        place.lines.dedup();
    }
    Ok(())
}

/// Takes out of `places` the lines on which `definitions` have their own name: to define something is not to use it.
fn take_out_definitions(
    snapshot: &Snapshot,
    definitions: &[DefinitionPlace],
    name: &str,
    places: &mut BTreeMap<RepoPath, ReferencePlace>,
) -> Result<(), Error> {
    let mut texts = snapshot.view.texts();
    let mut text = Vec::new();
    let paths: BTreeSet<&str> = definitions.iter().map(|definition| definition.path.as_str()).collect();
    for path in paths.into_iter().map(path_of) {
        let (Some(place), Some(file)) = (places.get_mut(&path), snapshot.view.file(&path)?) else { continue };
        if !UnreadBlobs::default().read(&mut texts, &file.row, &mut text)? {
            continue;
        }
        let (facts, index) = (snapshot.facts(file.row.blob_no)?, LineIndex::new(&text));
        let is_asked = |symbol: &&Symbol| {
            let starts_there = |definition: &DefinitionPlace| definition.start_line == symbol.lines.start;
            symbol.name == name
                && definitions.iter().any(|definition| definition.path == place.path && starts_there(definition))
        };
        let named: Vec<u32> =
            facts.symbols.iter().filter(is_asked).map(|symbol| index.line_of(symbol.name_start)).collect();
        let before = place.lines.len();
        place.lines.retain(|line| !named.contains(line));
        place.count = place.count.saturating_sub((before - place.lines.len()) as u32);
    }
    places.retain(|_, place| !place.lines.is_empty());
    Ok(())
}

/// That nothing of the name is defined where it was looked for, with names that are like it.
fn undefined_symbol_error(snapshot: &Snapshot, request: &ReferencesRequest, name: &str) -> Error {
    let alike = SymbolRequest {
        query: name.to_owned(),
        path_prefix: request.path.clone(),
        limit: 3,
        ..SymbolRequest::default()
    };
    // A name that is nearly the same is meant rather than one that only holds its letters.
    let mut similar = if request.path.is_none() { similar_definitions(snapshot, name) } else { Vec::new() };
    if similar.is_empty() {
        similar = symbols(snapshot, &alike).map(|found| names_of(&found)).unwrap_or_default();
    }
    if similar.is_empty() && request.path.is_some() {
        similar = similar_definitions(snapshot, name);
    }
    let symbol = request.symbol.clone();
    match &request.path {
        Some(path) => Error::NoSuchSymbol { path: path.clone(), symbol, similar },
        None => Error::NoDefinition { symbol, view: snapshot.name().to_owned(), similar },
    }
}

/// Names of definitions that `typed` seems to mean; none where they cannot be read.
pub fn similar_definitions(snapshot: &Snapshot, typed: &str) -> Vec<String> {
    let chunks = snapshot.view.live_chunks().ok();
    chunks.and_then(|chunks| chunks.similar_definitions(typed, SIMILAR).ok()).unwrap_or_default()
}

/// Definitions called `name` in one file; with a line those that hold it, the innermost.
fn definitions_in(
    snapshot: &Snapshot,
    path: &str,
    name: &str,
    outer: &[&str],
    line: Option<u32>,
) -> Result<Vec<DefinitionPlace>, Error> {
    let path = path_of(path);
    let file = snapshot.view.file(&path)?.ok_or_else(|| no_such_file(snapshot, &path))?;
    let facts = snapshot.facts(file.row.blob_no)?;
    let mut named: Vec<(usize, &Symbol)> =
        facts.symbols.iter().enumerate().filter(|(_, symbol)| symbol.name == name).collect();
    if !outer.is_empty() {
        named.retain(|(at, _)| crate::symbols::is_inside(&facts.qualified_name(*at as u32), outer));
    }
    if let Some(line) = line {
        let distance = |symbol: &Symbol| match (symbol.lines.start..=symbol.lines.end).contains(&line) {
            true => line - symbol.lines.start,
            false => symbol.lines.start.abs_diff(line).saturating_add(u32::MAX / 2),
        };
        let nearest = named.iter().map(|(_, symbol)| distance(symbol)).min();
        named.retain(|(_, symbol)| Some(distance(symbol)) == nearest);
    }
    let place = |(at, symbol): (usize, &Symbol)| DefinitionPlace {
        path: path.to_string(),
        start_line: symbol.lines.start,
        end_line: symbol.lines.end,
        kind: symbol.kind,
        qualified_name: facts.qualified_name(at as u32),
    };
    Ok(named.into_iter().map(place).collect())
}

/// Definitions called `name` in all files.
fn definitions_of(
    snapshot: &Snapshot,
    request: &ReferencesRequest,
    name: &str,
    outer: &[&str],
) -> Result<Vec<DefinitionPlace>, Error> {
    let too_many = |files: &[String]| Error::TooManyDefiners {
        symbol: request.symbol.clone(),
        files: files.len(),
        some: files.iter().take(SIMILAR).cloned().collect(),
    };
    let definers: Vec<String> = snapshot.graph()?.defining(name)?.iter().map(ToString::to_string).collect();
    // What is around a name is known once its file was looked at.
    let looked_at = if outer.is_empty() { DEFINERS } else { DEFINERS_LOOKED_AT };
    if definers.len() > looked_at {
        return Err(too_many(&definers));
    }
    let mut definitions = Vec::new();
    for path in &definers {
        definitions.extend(definitions_in(snapshot, path, name, outer, None)?);
    }
    let mut files: Vec<String> = definitions.iter().map(|definition| definition.path.clone()).collect();
    files.dedup();
    if files.len() > DEFINERS { Err(too_many(&files)) } else { Ok(definitions) }
}

fn names_of(found: &SymbolResults) -> Vec<String> {
    let mut names: Vec<String> = found.symbols.iter().map(|symbol| symbol.qualified_name.clone()).collect();
    names.dedup();
    names
}
