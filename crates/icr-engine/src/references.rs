//! Who refers to a definition.

use crate::files::no_such_file;
use crate::symbols::symbols;
use std::collections::{BTreeMap, BTreeSet};

use icr_model::{RepoPath, Symbol, SymbolKind};
use serde::Serialize;

use crate::search::path_of;
use crate::{Error, Snapshot, SymbolRequest, SymbolResults};

/// Most definitions of one name whose references are looked for, when no file is named.
const DEFINITIONS: usize = 64;

/// Which definition is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferencesRequest {
    /// Its name, or a qualified one (`Server.handle`, `Server::handle`).
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
}

/// Files that refer to a definition and can see it.
///
/// # Errors
///
/// [`Error::Bounds`] for an empty name; [`Error::NoSuchFile`] for an unknown path; [`Error::NoSuchSymbol`] when the file,
/// or the whole view, defines nothing of that name; those of reading the store.
pub fn references(snapshot: &Snapshot, request: &ReferencesRequest) -> Result<References, Error> {
    let parts: Vec<&str> = request.symbol.trim().split(['.', ':', '#', '/']).filter(|part| !part.is_empty()).collect();
    let Some((name, outer)) = parts.split_last() else {
        return Err(Error::Bounds {
            field: "the symbol",
            allowed: "a name or a qualified name".to_owned(),
            value: request.symbol.clone(),
        });
    };
    let definitions = match &request.path {
        Some(path) => definitions_in(snapshot, path, name, outer, request.line)?,
        None => definitions_of(snapshot, name, outer)?,
    };
    if definitions.is_empty() {
        return Err(undefined(snapshot, request, name));
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
            });
            // What several of the definitions may be meant by stands there once.
            let lines: BTreeSet<u32> = place.lines.iter().chain(&found.lines).copied().collect();
            place.count = place.count.max(found.lines.len() as u32).max(lines.len() as u32);
            place.lines = lines.into_iter().collect();
            place.share = (place.share + found.share).min(1.0);
        }
    }
    let mut references: Vec<ReferencePlace> = places.into_values().collect();
    references.sort_by(|a, b| b.share.total_cmp(&a.share).then(b.count.cmp(&a.count)).then(a.path.cmp(&b.path)));
    Ok(References { symbol: request.symbol.clone(), definitions, references })
}

/// That nothing of the name is defined where it was looked for, with names that are like it.
fn undefined(snapshot: &Snapshot, request: &ReferencesRequest, name: &str) -> Error {
    let alike = SymbolRequest {
        query: name.to_owned(),
        path_prefix: request.path.clone(),
        limit: 3,
        ..SymbolRequest::default()
    };
    let similar = symbols(snapshot, &alike).map(|found| names_of(&found)).unwrap_or_default();
    let symbol = request.symbol.clone();
    match &request.path {
        Some(path) => Error::NoSuchSymbol { path: path.clone(), symbol, similar },
        None => Error::NoDefinition { symbol, view: snapshot.name().to_owned(), similar },
    }
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
fn definitions_of(snapshot: &Snapshot, name: &str, outer: &[&str]) -> Result<Vec<DefinitionPlace>, Error> {
    let mut definitions = Vec::new();
    for path in snapshot.graph()?.defining(name)?.into_iter().take(DEFINITIONS) {
        definitions.extend(definitions_in(snapshot, &path.to_string(), name, outer, None)?);
    }
    Ok(definitions)
}

fn names_of(found: &SymbolResults) -> Vec<String> {
    let mut names: Vec<String> = found.symbols.iter().map(|symbol| symbol.qualified_name.clone()).collect();
    names.dedup();
    names
}
