//! Who refers to a definition.

use std::collections::{BTreeMap, BTreeSet};

use icr_db::{Counterpart, Occurrence, resolution_rules};
use icr_model::{Facts, Gap, LineIndex, LineSpan, RepoPath, Symbol, SymbolKind};
use serde::Serialize;

use crate::files::{no_such_file, path_for_symbol_error};
use crate::search::{UnreadBlobs, cut, path_of};
use crate::symbols::name_parts;
use crate::written_names::{
    DefinitionNumber, OuterFit, TypeLookup, files_defining, look_up_member, suggestions_or_none,
};
use crate::{Error, Snapshot};

/// Shares that differ by less are equal: they are sums of fractions.
const SHARE_ERROR: f64 = 1e-9;

/// Most files listed because they mention a name and are not known to mean the definition.
const MENTIONED_NAMED: usize = 5;

/// Longest text of a use, in bytes.
const USE_BYTES: usize = 200;

/// Bytes shown before a name that stands beyond [`USE_BYTES`] of its line.
const BYTES_BEFORE_USE: usize = 60;

/// Most files that may define a name whose references are searched, when the request names none of them.
pub(crate) const DEFINERS: usize = 64;

/// Most of these files that an error names if there are more.
const DEFINERS_NAMED: usize = 3;

/// Most defining files for each of which the container of the definition is looked up.
const DEFINERS_LOOKED_AT: usize = 4_000;

/// Which definition is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferencesRequest {
    /// Its name, possibly with dots, or a qualified name (`Server.handle`, `Server::handle`).
    pub symbol: String,
    /// The file that defines it; `None` for all files that do.
    pub path: Option<String>,
    /// A line of the definition, 1-based.
    pub line: Option<u32>,
}

/// The answer to a [`ReferencesRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct References {
    /// The name that was asked for.
    pub symbol: String,
    /// The definitions that the request means, by path and position.
    pub definitions: Vec<DefinitionPlace>,
    /// Files that refer to one of them, by descending share, then by number of lines that have it, and by path.
    pub references: Vec<ReferencePlace>,
    /// Number of files that mention the name and are not known to mean a definition: no followed import leads from them
    /// to it, or another definition may be meant.
    pub mentioned: u64,
    /// Files that contain the name and could not be parsed, so that their references are unknown; the first by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_in: Vec<String>,
    /// Whether the name is so short that only its calls and its uses as a member are known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub calls_only: bool,
    /// Whether no definition has exactly the qualified name that was asked for: those of `definitions` have it if case is
    /// ignored, or if its first name is that of a package.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inexact: bool,
    /// Types that the requested type inherits `definitions` from; empty if they are its own, or if it is no type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inherited_from: Vec<String>,
    /// The first of the files counted in `mentioned`, by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentioned_in: Vec<String>,
}

impl References {
    /// Says that no definition has exactly the name that was asked for, or that the type inherits it; `None` if it is a
    /// definition of that name.
    pub fn inexact_note(&self) -> Option<String> {
        let symbol = self.symbol.trim();
        if !self.inherited_from.is_empty() {
            let definers: Vec<String> = self.inherited_from.iter().map(|definer| format!("`{definer}`")).collect();
            return Some(format!(
                "`{symbol}` is inherited from {}; uses by way of other types that inherit it are listed too",
                definers.join(" and ")
            ));
        }
        let name = name_parts(&self.symbol).last().copied().unwrap_or_default();
        self.inexact.then(|| {
            format!(
                "no definition is called exactly `{symbol}`; the nearest that are called `{name}` are meant instead"
            )
        })
    }
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
    /// Name of the type, or of what else is around it; empty if nothing is.
    #[serde(skip)]
    pub(crate) holder: String,
}

impl DefinitionPlace {
    /// The place of definition number `at` of the file at `path` with `facts`.
    fn of(facts: &Facts, path: &RepoPath, at: u32) -> Self {
        let symbol = &facts.symbols[at as usize];
        Self {
            path: path.to_string(),
            start_line: symbol.lines.start,
            end_line: symbol.lines.end,
            kind: symbol.kind,
            qualified_name: facts.qualified_name(at),
            holder: holder_of(facts, symbol).to_owned(),
        }
    }
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
    /// How sure it is that the surest of them mean the requested definitions, in `0.0..=1.0`: 1 when nothing else can
    /// be meant.
    pub share: f64,
    /// Those of the lines that are less sure than `share`, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub less_sure: Vec<u32>,
    /// What stands on the lines; filled by [`add_uses`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Use>,
}

impl ReferencePlace {
    /// The lines that are as sure as `share` says.
    pub fn surest(&self) -> impl Iterator<Item = u32> {
        self.lines.iter().copied().filter(|line| self.less_sure.binary_search(line).is_err())
    }
}

/// The lines of a file that refer to one of the requested definitions.
#[derive(Debug, Default)]
struct ReferringLines {
    /// Occurrences on them.
    count: u32,
    /// The share of the definitions on each line.
    shares: BTreeMap<u32, f64>,
}

impl ReferringLines {
    /// Adds the references to one more definition. A line that may mean several definitions counts once. With
    /// `is_declared_apart` (C, C++) they may be the declaration and the body of one function, which have the same share.
    fn add(&mut self, occurrences: &[Occurrence], is_declared_apart: bool) {
        for same in occurrences.chunk_by(|one, other| one.line == other.line) {
            let share = same.iter().map(|occurrence| occurrence.share).fold(0.0, f64::max);
            let known = self.shares.entry(same[0].line).or_default();
            *known = if is_declared_apart { known.max(share) } else { (*known + share).min(1.0) };
        }
        self.count = self.count.max(occurrences.len() as u32).max(self.shares.len() as u32);
    }

    fn into_place(self, path: &RepoPath) -> ReferencePlace {
        let share = self.shares.values().copied().fold(0.0, f64::max);
        let less_sure = self.shares.iter().filter(|(_, of_line)| **of_line < share - SHARE_ERROR);
        ReferencePlace {
            path: path.to_string(),
            count: self.count,
            less_sure: less_sure.map(|(line, _)| *line).collect(),
            lines: self.shares.into_keys().collect(),
            share,
            uses: Vec::new(),
        }
    }
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

/// Fills in the text of the lines of `places` that use `symbol`, at most `most` for each file, the surest first. Text that
/// cannot be read stays empty and is reported as a gap.
///
/// Cost: one read of each file.
///
/// # Errors
///
/// Those of reading the store.
pub fn add_uses(
    snapshot: &Snapshot,
    symbol: &str,
    places: &mut [ReferencePlace],
    most: usize,
) -> Result<Vec<Gap>, Error> {
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
            use_excerpt(whole.trim(), symbol)
        };
        // Members come after their containers.
        let around = |line: u32| {
            // A variable or field that is defined on the line is not the context of the line.
            let is_value = |symbol: &Symbol| {
                use SymbolKind::{Constant, Field, Key, Variable, Variant};
                matches!(symbol.kind, Constant | Field | Key | Variable | Variant)
            };
            let holds = |symbol: &&Symbol| (symbol.lines.start..=symbol.lines.end).contains(&line) && !is_value(symbol);
            let innermost = facts.symbols.iter().rposition(|symbol| holds(&symbol))?;
            Some(facts.qualified_name(innermost as u32))
        };
        let mut lines: Vec<u32> = place.surest().chain(place.less_sure.iter().copied()).take(most).collect();
        lines.sort_unstable();
        place.uses = lines.into_iter().map(|line| Use { line, within: around(line), text: shown(line) }).collect();
    }
    Ok(unread.gaps())
}

/// The text of a line; of a long one, a part that shows the last name of `symbol`, if the line has it.
fn use_excerpt(line: &str, symbol: &str) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = symbol.rsplit(|c| !is_of_name(c)).find(|name| !name.is_empty()).unwrap_or(symbol);
    let is_whole = |at: &usize| !line[..*at].ends_with(is_of_name) && !line[*at + name.len()..].starts_with(is_of_name);
    let found = line.match_indices(name).map(|(at, _)| at).find(is_whole).filter(|_| !name.is_empty());
    let from = found.filter(|at| at + name.len() > USE_BYTES);
    let from = from.map_or(0, |at| line.floor_char_boundary(at.saturating_sub(BYTES_BEFORE_USE)));
    let part = cut(&line[from..], USE_BYTES);
    let (before, after) = (if from > 0 { "…" } else { "" }, if from + part.len() < line.len() { "…" } else { "" });
    format!("{before}{part}{after}")
}

/// Files whose lines are shown by [`references_with_uses`].
const FILES_SHOWN: usize = 10;

/// Lines that [`references_with_uses`] shows of a file.
const LINES_SHOWN: usize = 3;

/// As [`references`], with the text of up to three lines in each of the first ten files, for people to read.
///
/// # Errors
///
/// As [`references`].
pub fn references_with_uses(snapshot: &Snapshot, request: &ReferencesRequest) -> Result<(References, Vec<Gap>), Error> {
    let mut found = references(snapshot, request)?;
    let shown = found.references.len().min(FILES_SHOWN);
    let gaps = add_uses(snapshot, &found.symbol, &mut found.references[..shown], LINES_SHOWN)?;
    Ok((found, gaps))
}

/// Files that refer to a definition and can see it.
///
/// # Errors
///
/// [`Error::Bounds`] for an empty name; [`Error::NoSuchFile`] for an unknown path; [`Error::NoSuchSymbol`] and
/// [`Error::NoDefinition`] when the file, or the whole view, defines nothing of that name; [`Error::NoSuchMember`] when a
/// type of the name in front has no such member; [`Error::PathForSymbol`] for a path instead of a name;
/// [`Error::TooManyDefiners`] when very many files define it and none is named; those of reading the store.
pub fn references(snapshot: &Snapshot, request: &ReferencesRequest) -> Result<References, Error> {
    let parts = name_parts(&request.symbol);
    if parts.is_empty() {
        return Err(Error::Bounds {
            field: "the symbol",
            allowed: "a name or a qualified name".to_owned(),
            value: request.symbol.clone(),
        });
    }
    let RequestedDefinitions { name, definitions, inexact, inherited_from } =
        requested_definitions(snapshot, request, &parts)?;
    let mut places: BTreeMap<RepoPath, ReferringLines> = BTreeMap::new();
    // If the request names a file or a type, only the definitions that were found are meant; otherwise all definitions
    // of that name in each file.
    let is_narrow = request.path.is_some() || parts.len() > 1;
    let mut definers: BTreeSet<(RepoPath, Option<String>)> = BTreeSet::new();
    for definition in &definitions {
        let path = path_of(&definition.path);
        let holder = is_narrow.then(|| definition.holder.clone());
        if is_narrow {
            definers.extend(declared_at(snapshot, definition)?.into_iter().map(|path| (path, holder.clone())));
        }
        definers.insert((path, holder));
    }
    for (definer, holder) in definers {
        let is_declared_apart = resolution_rules(icr_lang::language_of(&definer)).declares_apart;
        for found in snapshot.graph()?.referring(&definer, name, holder.as_deref())? {
            places.entry(found.path).or_default().add(&found.occurrences, is_declared_apart);
        }
    }
    place_at_names(snapshot, name, &mut places)?;
    take_out_definitions(snapshot, &definitions, name, &mut places)?;
    let mut references: Vec<ReferencePlace> = places.into_iter().map(|(path, lines)| lines.into_place(&path)).collect();
    references.sort_by(|a, b| {
        let surest = |place: &ReferencePlace| place.lines.len() - place.less_sure.len();
        let surer = b.share.total_cmp(&a.share).then(surest(b).cmp(&surest(a)));
        surer.then(b.count.cmp(&a.count)).then_with(|| a.path.cmp(&b.path))
    });
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
        inexact,
        inherited_from,
        mentioned_in,
    })
}

/// The definitions that a request means.
struct RequestedDefinitions<'r> {
    /// Their name, without what stands in front.
    name: &'r str,
    definitions: Vec<DefinitionPlace>,
    /// As [`References::inexact`].
    inexact: bool,
    /// As [`References::inherited_from`].
    inherited_from: Vec<String>,
}

/// The definitions that have the name in `parts`. For a qualified name, the first of these that exist: definitions inside of
/// what stands in front; what a type of that name inherits; definitions in a file or directory of that name; and if there is
/// no such type, those inside of what differs only in case, or behind the name of a package.
fn requested_definitions<'r>(
    snapshot: &Snapshot,
    request: &'r ReferencesRequest,
    parts: &[&'r str],
) -> Result<RequestedDefinitions<'r>, Error> {
    let (name, outer) = parts.split_last().map_or(("", parts), |(name, outer)| (*name, outer));
    let defined = |name: &str, outer: &[&str]| match &request.path {
        Some(path) => definitions_in(snapshot, path, name, outer, request.line),
        None => definitions_of(snapshot, request, name, outer),
    };
    let plain = |definitions: Vec<DefinitionPlace>| RequestedDefinitions {
        name,
        definitions,
        inexact: false,
        inherited_from: Vec::new(),
    };
    let mut found = defined(name, outer)?;
    let written = take_fitting(&mut found, OuterFit::Written);
    if !written.is_empty() {
        return within_limit(request, written).map(plain);
    }
    let path = request.path.as_deref().map(path_of);
    let types = look_up_member(snapshot, outer, name, path.as_ref())?;
    if let Some(types) = types.as_ref().filter(|types| !types.members.is_empty()) {
        let definitions = places_of(snapshot, &types.members)?;
        return Ok(RequestedDefinitions { inherited_from: types.heritage(snapshot)?, ..plain(definitions) });
    }
    if types.as_ref().is_none_or(|types| types.has_only_modules) {
        let in_modules = take_fitting(&mut found, OuterFit::WithPath);
        if !in_modules.is_empty() {
            return within_limit(request, in_modules).map(plain);
        }
    }
    let mut nearest = if types.is_none() { take_fitting(&mut found, OuterFit::InAnyCase) } else { Vec::new() };
    if nearest.is_empty() && types.as_ref().is_none_or(|types| types.has_only_modules) {
        nearest = take_fitting(&mut found, OuterFit::BelowRoot);
    }
    if !nearest.is_empty() {
        return within_limit(request, nearest)
            .map(|definitions| RequestedDefinitions { inexact: true, ..plain(definitions) });
    }
    let whole = request.symbol.trim();
    if !outer.is_empty() {
        // Names of modules and headings may contain dots.
        let definitions = take_fitting(&mut defined(whole, &[])?, OuterFit::Written);
        if !definitions.is_empty() {
            return within_limit(request, definitions)
                .map(|found| RequestedDefinitions { name: whole, ..plain(found) });
        }
    }
    Err(undefined_symbol_error(snapshot, request, types.as_ref(), name))
}

/// Takes the definitions that fit as `fit` says.
fn take_fitting(found: &mut Vec<(OuterFit, DefinitionPlace)>, fit: OuterFit) -> Vec<DefinitionPlace> {
    found.extract_if(.., |(of_place, _)| *of_place == fit).map(|(_, place)| place).collect()
}

/// The definitions, if few enough files have them.
fn within_limit(request: &ReferencesRequest, definitions: Vec<DefinitionPlace>) -> Result<Vec<DefinitionPlace>, Error> {
    let mut files: Vec<String> = definitions.iter().map(|definition| definition.path.clone()).collect();
    files.dedup();
    if files.len() > DEFINERS { Err(too_many_definers(request, &files)) } else { Ok(definitions) }
}

fn too_many_definers(request: &ReferencesRequest, files: &[String]) -> Error {
    Error::TooManyDefiners {
        symbol: request.symbol.clone(),
        files: files.len(),
        some: files.iter().take(DEFINERS_NAMED).cloned().collect(),
    }
}

/// Definitions by their numbers.
fn places_of(snapshot: &Snapshot, numbers: &[DefinitionNumber]) -> Result<Vec<DefinitionPlace>, Error> {
    let mut places = Vec::new();
    for DefinitionNumber { path, at } in numbers {
        let Some(file) = snapshot.view.file(path)? else { continue };
        places.push(DefinitionPlace::of(&*snapshot.facts(file.row.blob_no)?, path, *at));
    }
    Ok(places)
}

/// Name of the type that has a definition as a member, or of what else is around it; empty if nothing is.
pub(crate) fn holder_of<'f>(facts: &'f Facts, symbol: &'f Symbol) -> &'f str {
    let parent = symbol.parent.map(|parent| facts.symbols[parent as usize].name.as_str());
    symbol.receiver.as_deref().or(parent).unwrap_or_default()
}

/// Files that declare a definition apart from its body: its users refer to the declaration.
fn declared_at(snapshot: &Snapshot, definition: &DefinitionPlace) -> Result<Vec<RepoPath>, Error> {
    let path = path_of(&definition.path);
    let Some(file) = snapshot.view.file(&path)? else { return Ok(Vec::new()) };
    let facts = snapshot.facts(file.row.blob_no)?;
    if !resolution_rules(&facts.language).declares_apart {
        return Ok(Vec::new());
    }
    let mut declared = Vec::new();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        if symbol.lines.start != definition.start_line || facts.qualified_name(at as u32) != definition.qualified_name {
            continue;
        }
        for Counterpart { path, at: other, .. } in snapshot.graph()?.overridden(&path, at as u32)? {
            let Some(file) = snapshot.view.file(&path)? else { continue };
            // What it overrides belongs to another type.
            let facts = snapshot.facts(file.row.blob_no)?;
            if holder_of(&facts, &facts.symbols[other as usize]) == definition.holder {
                declared.push(path);
            }
        }
    }
    Ok(declared)
}

/// Files that mention `name`, without those that define it or are known to refer to it; and the first files that
/// contain it and could not be parsed.
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
    // For the known files, the graph has already done this.
    for path in snapshot.graph()?.mentioning(name)? {
        let shown = path.to_string();
        let Some(file) = snapshot.view.file(&path)?.filter(|_| !known.contains(shown.as_str())) else { continue };
        let facts = snapshot.facts(file.row.blob_no)?;
        // The index ignores case; the facts do not.
        if facts.references.iter().any(|group| group.name == name) {
            naming.insert(shown);
        } else if facts.language != icr_lang::TEXT && facts.error_bytes > facts.bytes_total / 2 {
            unread.insert(shown);
        }
    }
    Ok((naming, unread.into_iter().take(MENTIONED_NAMED).collect()))
}

/// Moves lines in `places` that are the start of a definition of the name to the line of the name. Definitions start
/// with their annotations.
fn place_at_names(
    snapshot: &Snapshot,
    name: &str,
    places: &mut BTreeMap<RepoPath, ReferringLines>,
) -> Result<(), Error> {
    let mut texts = snapshot.view.texts();
    let mut text = Vec::new();
    for (path, place) in places {
        let Some(file) = snapshot.view.file(path)? else { continue };
        let facts = snapshot.facts(file.row.blob_no)?;
        let is_listed = |symbol: &&Symbol| symbol.name == name && place.shares.contains_key(&symbol.lines.start);
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
            if let Some(share) = place.shares.remove(&begin) {
                let known = place.shares.entry(index.line_of(name_start)).or_default();
                *known = known.max(share);
            }
        }
    }
    Ok(())
}

/// Removes the lines from `places` on which `definitions` define the name, because a definition is not a use.
fn take_out_definitions(
    snapshot: &Snapshot,
    definitions: &[DefinitionPlace],
    name: &str,
    places: &mut BTreeMap<RepoPath, ReferringLines>,
) -> Result<(), Error> {
    let mut texts = snapshot.view.texts();
    let mut text = Vec::new();
    let paths: BTreeSet<&str> = definitions.iter().map(|definition| definition.path.as_str()).collect();
    for shown in paths {
        let path = path_of(shown);
        let (Some(place), Some(file)) = (places.get_mut(&path), snapshot.view.file(&path)?) else { continue };
        if !UnreadBlobs::default().read(&mut texts, &file.row, &mut text)? {
            continue;
        }
        let (facts, index) = (snapshot.facts(file.row.blob_no)?, LineIndex::new(&text));
        let is_asked = |symbol: &&Symbol| {
            let starts_there = |definition: &DefinitionPlace| definition.start_line == symbol.lines.start;
            symbol.name == name
                && definitions.iter().any(|definition| definition.path == shown && starts_there(definition))
        };
        let named: Vec<u32> =
            facts.symbols.iter().filter(is_asked).map(|symbol| index.line_of(symbol.name_start)).collect();
        let before = place.shares.len();
        place.shares.retain(|line, _| !named.contains(line));
        place.count = place.count.saturating_sub((before - place.shares.len()) as u32);
    }
    places.retain(|_, place| !place.shares.is_empty());
    Ok(())
}

/// The error for a name that is not defined where it was searched: what is wrong with it, and what may be meant instead.
fn undefined_symbol_error(
    snapshot: &Snapshot,
    request: &ReferencesRequest,
    types: Option<&TypeLookup>,
    name: &str,
) -> Error {
    let symbol = request.symbol.clone();
    if let Some(types) = types {
        return match types.missing_member(snapshot, name) {
            Ok(missing) => Error::NoSuchMember(Box::new(missing)),
            Err(error) => error,
        };
    }
    if let Some(error) = path_for_symbol_error(snapshot, &symbol) {
        return error;
    }
    let path = request.path.as_deref().map(path_of);
    let similar = suggestions_or_none(snapshot, &symbol, path.as_ref());
    match path {
        Some(path) => Error::NoSuchSymbol {
            path: path.to_string(),
            defined_in: files_defining(snapshot, &symbol),
            symbol,
            similar,
        },
        None => Error::NoDefinition { symbol, view: snapshot.name_in_refusals(), similar },
    }
}

/// Definitions named `name` in one file, with how `outer` fits; with a line, only the innermost ones that contain it.
fn definitions_in(
    snapshot: &Snapshot,
    path: &str,
    name: &str,
    outer: &[&str],
    line: Option<u32>,
) -> Result<Vec<(OuterFit, DefinitionPlace)>, Error> {
    let path = path_of(path);
    let file = snapshot.view.file(&path)?.ok_or_else(|| no_such_file(snapshot, &path))?;
    let facts = snapshot.facts(file.row.blob_no)?;
    let mut named: Vec<(OuterFit, u32, &Symbol)> = (0..)
        .zip(&facts.symbols)
        .filter(|(_, symbol)| symbol.name == name)
        .filter_map(|(at, symbol)| Some((OuterFit::of(&facts, &path, &facts.qualified_name(at), outer)?, at, symbol)))
        .collect();
    if let Some(line) = line {
        let distance = |symbol: &Symbol| match (symbol.lines.start..=symbol.lines.end).contains(&line) {
            true => line - symbol.lines.start,
            false => symbol.lines.start.abs_diff(line).saturating_add(u32::MAX / 2),
        };
        let nearest = named.iter().map(|(_, _, symbol)| distance(symbol)).min();
        named.retain(|(_, _, symbol)| Some(distance(symbol)) == nearest);
    }
    Ok(named.into_iter().map(|(fit, at, _)| (fit, DefinitionPlace::of(&facts, &path, at))).collect())
}

/// Definitions called `name` in all files, with how `outer` fits.
fn definitions_of(
    snapshot: &Snapshot,
    request: &ReferencesRequest,
    name: &str,
    outer: &[&str],
) -> Result<Vec<(OuterFit, DefinitionPlace)>, Error> {
    let definers: Vec<String> = snapshot.graph()?.defining(name)?.iter().map(ToString::to_string).collect();
    // The container of a definition is only known from the facts of its file.
    let looked_at = if outer.is_empty() { DEFINERS } else { DEFINERS_LOOKED_AT };
    if definers.len() > looked_at {
        return Err(too_many_definers(request, &definers));
    }
    let mut definitions = Vec::new();
    for path in &definers {
        definitions.extend(definitions_in(snapshot, path, name, outer, None)?);
    }
    Ok(definitions)
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use super::*;
    use crate::{Engine, OpenOptions, SyncOptions, ViewSelector};

    const FILES: &str = "\
//- Manager.kt
package org.ship.transaction

class Manager {
    class Inner {
        fun rollback() {}
    }
}
//- Other.kt
package org.ship

class Other {
    fun save() {}
}
";

    /// What `symbol` means in `files`: the definitions and the note, or the error with its hints.
    fn answer(files: &str, symbol: &str, path: Option<&str>) -> String {
        let (fixture, home) = (Fixture::new(files), tempfile::tempdir().unwrap());
        let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
        engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
        let path = path.map(str::to_owned);
        let request = ReferencesRequest { symbol: symbol.to_owned(), path, ..ReferencesRequest::default() };
        match references(&engine.snapshot(&ViewSelector::Head).unwrap(), &request) {
            Ok(found) => {
                let names = found.definitions.iter().map(|place| format!("{} {}", place.path, place.qualified_name));
                names.chain(found.inexact_note()).collect::<Vec<_>>().join("\n")
            }
            Err(Error::NoDefinition { symbol, similar, .. }) => format!("`{symbol}`: {similar:?}"),
            Err(error) => {
                std::iter::once(error.to_string()).chain(error.command_line_hints()).collect::<Vec<_>>().join("\n")
            }
        }
    }

    #[track_caller]
    fn check(symbol: &str, expected: &[&str]) {
        assert_eq!(answer(FILES, symbol, None), expected.join("\n"), "{symbol}");
    }

    #[test]
    fn a_qualified_name_means_what_is_inside_of_what_it_names() {
        let inner = "Manager.kt Manager.Inner.rollback";
        for symbol in ["rollback", "Inner.rollback", "Manager.Inner.rollback", "transaction.Manager.Inner.rollback"] {
            check(symbol, &[inner]);
        }
        check("org.ship.Other.save", &["Other.kt Other.save"]);
        check("Other::save", &["Other.kt Other.save"]);
        let note = "no definition is called exactly `inner.rollback`; the nearest that are called `rollback` are meant instead";
        check("inner.rollback", &[inner, note]);
    }

    #[test]
    fn a_member_of_another_type_or_of_a_package_is_only_suggested() {
        check(
            "Manager.rollback",
            &["`Manager` has no member `rollback`", "`rollback` is defined as `Manager.Inner.rollback` (`Manager.kt`)"],
        );
        check(
            "Other.rollback",
            &["`Other` has no member `rollback`", "`rollback` is defined as `Manager.Inner.rollback` (`Manager.kt`)"],
        );
        check("Other.sav", &["`Other` has no member `sav`", "did you mean `Other.save`?"]);
        check("Transaction.rollback", &[r#"`Transaction.rollback`: ["Manager.Inner.rollback"]"#]);
        check("Othr.sav", &[r#"`Othr.sav`: ["Other.save"]"#]);
    }

    const DERIVED: &str = "\
//- base.py
class Base:
    def close(self): pass
    def open(self): pass
//- derived.py
from base import Base
import socket
class Derived(Base):
    def open(self): pass
class Outside(socket.socket):
    pass
class Other:
    def close(self): pass
";

    #[test]
    fn what_a_type_inherits_is_its_own_and_the_answer_says_so() {
        let note =
            "`Derived.close` is inherited from `Base`; uses by way of other types that inherit it are listed too";
        let inherited = format!("base.py Base.close\n{note}");
        assert_eq!(answer(DERIVED, "Derived.close", None), inherited);
        assert_eq!(answer(DERIVED, "Derived.close", Some("derived.py")), inherited);
        assert_eq!(answer(DERIVED, "Derived.open", None), "derived.py Derived.open");
        let missing = "`Outside` has no member `close` in this repository\n\
                       `close` is defined as `Base.close` (`base.py`), `Other.close` (`derived.py`)\n\
                       a base of `Outside` that is not in this repository may have it";
        assert_eq!(answer(DERIVED, "Outside.close", None), missing);
    }

    #[test]
    fn directories_and_modules_may_stand_in_front() {
        let files = "//- src/ship/hold.py\ndef load(): pass\n//- src/dock/hold.py\ndef load(): pass\n";
        assert_eq!(answer(files, "ship.hold.load", None), "src/ship/hold.py load");
        assert_eq!(answer(files, "dock.load", None), "src/dock/hold.py load");
    }

    #[test]
    fn a_path_is_no_name_and_a_name_no_path() {
        let path = "`derived.py` is a file, not a definition\nname one of its definitions, such as `Derived`, `Derived.open` or `Outside`";
        assert_eq!(answer(DERIVED, "derived.py", None), path);
        assert_eq!(answer(DERIVED, "./derived.py", Some("derived.py")), path);
        let name = "`Derived.open` is a definition, not a file\nit is in `derived.py`";
        assert_eq!(answer(DERIVED, "Derived.open", Some("Derived.open")), name);
        let elsewhere = "`base.py` defines no `Derived`\n`Derived` is defined in `derived.py`";
        assert_eq!(answer(DERIVED, "Derived", Some("base.py")), elsewhere);
    }

    #[test]
    fn a_long_line_is_shown_where_it_uses_the_name() {
        let line = |before: usize| format!("{}moorings(); moor(1); {}", "é".repeat(before), "c".repeat(300));
        assert_eq!(use_excerpt("moor(1)", "Ship.moor"), "moor(1)");
        let shown = use_excerpt(&line(10), "Ship.moor");
        assert!(shown.starts_with('é') && shown.contains("; moor(1)") && shown.ends_with("c…"), "{shown}");
        let shown = use_excerpt(&line(200), "Ship::moor");
        assert!(shown.starts_with("…éé") && shown.contains("; moor(1)") && shown.ends_with("c…"), "{shown}");
        assert!(use_excerpt(&line(200), "absent").starts_with("éé"));
    }
}
