//! Reads the view: its tree, lines of its files, the text of one definition.

use std::collections::{BTreeMap, BTreeSet};

use icr_git::UnreadReason;
use icr_model::{ContentKind, Gap, LineIndex, LineSpan, Provenance, RepoPath, Span, SymbolKind};
use serde::Serialize;

use crate::change::Opaque;
use crate::globs::Globs;
use crate::search::path_of;
use crate::symbols::{full_names, name_parts};
use crate::written_names::{DefinitionNumber, files_defining, look_up_member, suggestions_or_none};
use crate::{Error, Snapshot};
use icr_view::ViewFile;

/// Most similar names that an error lists.
const SIMILAR: usize = 3;

/// Which part of the tree to draw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapRequest {
    /// Levels below the root.
    pub depth: usize,
    /// Only below this path.
    pub path_prefix: Option<String>,
    /// Only files whose path from the root one of these globs matches; all when empty. A glob without `/` matches names, and one
    /// that matches a directory all below it.
    pub include: Vec<String>,
    /// Without the files that one of these globs matches.
    pub exclude: Vec<String>,
}

/// A directory or file of the view.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MapNode {
    /// Last component of the path.
    pub name: String,
    /// `directory` or `file`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Files in it, at any depth; 1 for a file.
    pub files: u64,
    /// Bytes of these files.
    pub size_bytes: u64,
    /// Lines of the files with text.
    pub lines: u64,
    /// Language of a file; of a directory, the language of code with most bytes in it at any depth, if any.
    pub language: Option<String>,
    /// Children, directories first, then by name; empty below the requested depth.
    pub children: Vec<MapNode>,
}

/// Totals of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MapSummary {
    /// Files.
    pub total_files: u64,
    /// Directories.
    pub total_directories: u64,
    /// Files by language.
    pub languages: BTreeMap<String, u64>,
}

/// Which lines to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: Option<u32>,
    /// Last line.
    pub end_line: Option<u32>,
    /// Most lines returned.
    pub max_lines: u32,
}

/// The part of the view that a question is about: all of it, or what is below a path.
#[derive(Debug)]
pub(crate) struct PathScope(RepoPath);

impl PathScope {
    /// The part below a path as a user typed it.
    pub(crate) fn of(prefix: Option<&str>) -> Self {
        match prefix.unwrap_or_default().trim_matches('/') {
            "." => Self("".into()),
            path => Self(path_of(path)),
        }
    }

    pub(crate) fn holds(&self, path: &RepoPath) -> bool {
        self.is_all() || path.is_below(self.0.as_bytes())
    }

    pub(crate) fn is_all(&self) -> bool {
        self.0.as_bytes().is_empty()
    }
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Excerpt {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based; 0 for an empty file.
    pub start_line: u32,
    /// Last line returned.
    pub end_line: u32,
    /// Whether requested lines are missing at the end.
    pub truncated: bool,
    /// Lines of the file.
    pub total_file_lines: u32,
    /// The text; bytes that are no UTF-8 are replaced.
    pub content: String,
}

/// Which definition to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceRequest {
    /// Path relative to the root.
    pub path: String,
    /// Name or qualified name.
    pub symbol: String,
    /// Lines shown before and after.
    pub context_lines: u32,
}

/// The text of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Slice {
    /// Path relative to the root.
    pub path: String,
    /// Qualified name.
    pub symbol: String,
    /// Kind.
    pub symbol_type: SymbolKind,
    /// First line, that of its doc comment if it has one.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// The text.
    pub content: String,
    /// Lines before.
    pub context_before: String,
    /// Lines after.
    pub context_after: String,
    /// Lines of further definitions of that name in the file.
    pub also_at: Vec<LineSpan>,
    /// The type that was asked about, if it inherits the definition from another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherited_by: Option<String>,
}

impl Slice {
    /// Says that the type that was asked about inherits the definition; `None` if it is its own.
    pub fn inherited_note(&self) -> Option<String> {
        self.inherited_by
            .as_ref()
            .map(|heir| format!("`{heir}` inherits it: this is `{}` in `{}`", self.symbol, self.path))
    }
}

/// The tree of the view, to a depth.
///
/// # Errors
///
/// [`Error::NoSuchFile`] when nothing is below the path asked for; [`Error::Bounds`] for a glob that is none; those of reading
/// the store.
pub fn map(snapshot: &Snapshot, request: &MapRequest) -> Result<(MapNode, MapSummary), Error> {
    let PathScope(prefix) = PathScope::of(request.path_prefix.as_deref());
    let (include, exclude) = (Globs::of(&request.include)?, Globs::of(&request.exclude)?);
    let mut files: Vec<ViewFile> =
        snapshot.view.files()?.into_iter().filter(|file| file.path.is_below(prefix.as_bytes())).collect();
    if files.is_empty() && !prefix.as_bytes().is_empty() {
        return Err(no_such_file(snapshot, &prefix));
    }
    files.retain(|file| (include.is_empty() || include.matches(&file.path)) && !exclude.matches(&file.path));
    let skipped = if prefix.as_bytes().is_empty() { 0 } else { prefix.as_bytes().len() + 1 };
    let mut tree = DirectoryNode::default();
    let mut languages: BTreeMap<String, u64> = BTreeMap::new();
    for file in &files {
        let language = label(snapshot, file)?;
        *languages.entry(language.to_owned()).or_default() += 1;
        let inside = file.path.as_bytes().get(skipped..).filter(|inside| !inside.is_empty());
        tree.add(inside.unwrap_or_else(|| file.path.file_name()), (file, language));
    }
    let name = if prefix.as_bytes().is_empty() { ".".to_owned() } else { prefix.to_string() };
    let summary =
        MapSummary { total_files: files.len() as u64, total_directories: tree.directories_total(), languages };
    let (root, _) = tree.into_node(name, request.depth);
    Ok((root, summary))
}

/// Lines of a file of the view.
///
/// # Errors
///
/// [`Error::NoSuchFile`], [`Error::Object`], [`Error::Secret`], [`Error::NotText`], [`Error::NoSuchLines`].
pub fn read(snapshot: &Snapshot, request: &ReadRequest) -> Result<Excerpt, Error> {
    let (file, text) = text_of(snapshot, &request.path)?;
    let index = LineIndex::new(&text);
    let total = index.lines_total();
    let start = request.start_line.unwrap_or(1);
    let end = request.end_line.unwrap_or(u32::MAX);
    if start == 0 || end < start || (start > total && total > 0) {
        let path = file.path.to_string();
        return Err(Error::NoSuchLines { path, start, end, lines_total: total });
    }
    let end = end.min(total);
    let last = end.min(start.saturating_add(request.max_lines.max(1) - 1));
    let span = index.span_of(LineSpan { start, end: last });
    Ok(Excerpt {
        path: file.path.to_string(),
        start_line: if total == 0 { 0 } else { start },
        end_line: last,
        truncated: last < end,
        total_file_lines: total,
        content: String::from_utf8_lossy(span.of(&text)).into_owned(),
    })
}

/// The text of a definition with its doc comment. Of several with that name, the first.
///
/// # Errors
///
/// As [`crate::read`]; [`Error::NoSuchSymbol`] and [`Error::NoSuchMember`] for a name that the file does not define;
/// [`Error::PathForSymbol`] for a path instead of a name.
pub fn slice(snapshot: &Snapshot, request: &SliceRequest) -> Result<Slice, Error> {
    let (file, text) = text_of(snapshot, &request.path)?;
    let facts = snapshot.facts(file.row.blob_no)?;
    let wanted = request.symbol.replace("::", ".").replace('#', ".");
    // As a name with a namespace that the file declares, if it is none of the file itself.
    let in_namespace = name_parts(&request.symbol).join(".");
    let names: Vec<String> = (0..facts.symbols.len()).map(|at| facts.qualified_name(at as u32)).collect();
    let is_wanted = |name: &str| name == wanted || name.strip_suffix(&wanted).is_some_and(|outer| outer.ends_with('.'));
    // The definition of a type itself comes before blocks that add members to it.
    let order = |at: &usize| (names[*at] != wanted, facts.symbols[*at].kind == SymbolKind::Implementation, *at);
    let mut matching: Vec<usize> = (0..names.len()).filter(|at| is_wanted(&names[*at])).collect();
    if matching.is_empty() {
        let is_named = |at: &usize| {
            full_names(&facts, &names[*at]).any(|name| {
                name.strip_suffix(&in_namespace).is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
            })
        };
        matching = (0..names.len()).filter(is_named).collect();
    }
    matching.sort_by_key(order);
    let Some((first, others)) = matching.split_first() else {
        return inherited_slice(snapshot, request, &file.path);
    };
    let symbol = &facts.symbols[*first];
    let start = symbol.doc.map_or(symbol.span.start, |doc| doc.start.min(symbol.span.start));
    let index = LineIndex::new(&text);
    let lines = index.lines_of(Span::new(start, symbol.span.end));
    let before = LineSpan { start: lines.start.saturating_sub(request.context_lines).max(1), end: lines.start - 1 };
    let after = LineSpan { start: lines.end + 1, end: lines.end.saturating_add(request.context_lines) };
    let shown = |lines: LineSpan| match lines.start <= lines.end {
        true => String::from_utf8_lossy(index.span_of(lines).of(&text)).into_owned(),
        false => String::new(),
    };
    Ok(Slice {
        path: file.path.to_string(),
        symbol: names[*first].clone(),
        symbol_type: symbol.kind,
        start_line: lines.start,
        end_line: lines.end,
        content: shown(lines),
        context_before: shown(before),
        context_after: shown(after),
        also_at: others.iter().map(|at| facts.symbols[*at].lines).collect(),
        inherited_by: None,
    })
}

/// The text of a member that a type of the file at `path` inherits; or the error for a name that the file does not define.
fn inherited_slice(snapshot: &Snapshot, request: &SliceRequest, path: &RepoPath) -> Result<Slice, Error> {
    let parts = name_parts(&request.symbol);
    let (name, outer) = parts.split_last().map_or(("", parts.as_slice()), |(name, outer)| (*name, outer));
    if let Some(types) = look_up_member(snapshot, outer, name, Some(path))? {
        let Some(DefinitionNumber { path, at }) = types.members.first() else {
            return Err(Error::NoSuchMember(Box::new(types.missing_member(snapshot, name)?)));
        };
        let file = snapshot.view.file(path)?.ok_or_else(|| no_such_file(snapshot, path))?;
        let symbol = snapshot.facts(file.row.blob_no)?.qualified_name(*at);
        let inherited = SliceRequest { path: path.to_string(), symbol: symbol.clone(), ..request.clone() };
        let is_itself = *path == path_of(&request.path) && symbol == request.symbol;
        if !is_itself {
            let is_inherited = !types.heritage(snapshot)?.is_empty();
            let inherited_by = is_inherited.then(|| types.type_name.clone());
            return Ok(Slice { inherited_by, ..slice(snapshot, &inherited)? });
        }
    }
    if let Some(error) = path_for_symbol_error(snapshot, &request.symbol) {
        return Err(error);
    }
    Err(Error::NoSuchSymbol {
        path: path.to_string(),
        symbol: request.symbol.clone(),
        similar: suggestions_or_none(snapshot, &request.symbol, Some(path)),
        defined_in: files_defining(snapshot, &request.symbol),
    })
}

/// The error for a path where the name of a definition belongs; `None` if the view has no such file.
pub(crate) fn path_for_symbol_error(snapshot: &Snapshot, symbol: &str) -> Option<Error> {
    let path = path_of(symbol.trim());
    let file = snapshot.view.file(&path).ok().flatten()?;
    let facts = snapshot.facts(file.row.blob_no).ok()?;
    let names = (0..).zip(&facts.symbols).map(|(at, _)| facts.qualified_name(at));
    Some(Error::PathForSymbol { path: path.to_string(), definitions: names.take(SIMILAR).collect() })
}

/// The first `most` files of the view above the size limit whose path is that of code, which may refer to definitions;
/// questions see only their names. Cost: the rows of all files.
///
/// # Errors
///
/// Those of reading the store.
pub fn oversize_code(snapshot: &Snapshot, most: usize) -> Result<Vec<String>, Error> {
    let files = snapshot.view.files()?;
    let oversize = files.iter().filter(|file| file.row.content == ContentKind::Oversize && is_code(&file.path));
    Ok(oversize.take(most).map(|file| file.path.to_string()).collect())
}

/// Which of the files above the size limit an answer can lack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OversizeScope {
    /// Every file: the answer is about the index itself.
    #[default]
    Every,
    /// Those that may have text: the answer is a search.
    Text,
    /// Those of code: the answer is about definitions.
    Code,
    /// None: the answer shows no texts but those that were asked for.
    Nothing,
}

/// Extensions of formats that are no text, of which files above the size limit are not opened to see that.
const EXTENSIONS_WITHOUT_TEXT: [&str; 62] = [
    "7z", "a", "apk", "avi", "bin", "bmp", "bz2", "class", "db", "dll", "dmg", "doc", "docx", "dylib", "eot", "exe",
    "flac", "gif", "gz", "ico", "icns", "iso", "jar", "jpeg", "jpg", "lib", "m4a", "mkv", "mov", "mp3", "mp4", "npy",
    "npz", "o", "obj", "ogg", "onnx", "otf", "parquet", "pb", "pdf", "pkl", "png", "ppt", "pptx", "psd", "pyc", "rar",
    "so", "sqlite", "tar", "tgz", "tif", "tiff", "ttf", "wasm", "wav", "webm", "webp", "woff", "woff2", "zip",
];

/// The provenance of the snapshot for an answer that can lack the files of `scope`: files above the size limit are a gap only
/// if the answer could have shown something of them. Cost: the rows of all files, if there are such files.
///
/// # Errors
///
/// Those of reading the store.
pub fn provenance_within(snapshot: &Snapshot, scope: OversizeScope) -> Result<Provenance, Error> {
    let mut provenance = snapshot.provenance().clone();
    let is_oversize = |gap: &Gap| matches!(gap, Gap::Oversize { .. });
    let Some(at) = provenance.gaps.iter().position(is_oversize).filter(|_| scope != OversizeScope::Every) else {
        return Ok(provenance);
    };
    let files = match scope {
        OversizeScope::Every | OversizeScope::Nothing => 0,
        OversizeScope::Text | OversizeScope::Code => {
            let paths = oversize_paths(snapshot)?;
            paths
                .iter()
                .filter(|path| if scope == OversizeScope::Code { is_code(path) } else { may_have_text(path) })
                .count()
        }
    };
    match files {
        0 => drop(provenance.gaps.remove(at)),
        files => provenance.gaps[at] = Gap::Oversize { files: files as u64 },
    }
    Ok(provenance)
}

/// Paths of the files above the size limit, committed or not.
fn oversize_paths(snapshot: &Snapshot) -> Result<BTreeSet<RepoPath>, Error> {
    let files = snapshot.view.files()?;
    let committed = files.iter().filter(|file| file.row.content == ContentKind::Oversize).map(|file| file.path.clone());
    let unread = snapshot.view.overlay().unread.iter().filter(|file| file.reason == UnreadReason::Oversize);
    Ok(committed.chain(unread.map(|file| file.path.clone())).collect())
}

fn is_code(path: &RepoPath) -> bool {
    icr_lang::language_row(icr_lang::language_of(path)).is_some_and(icr_lang::LanguageRow::is_code)
}

/// Whether the name of a file says that it has a grammar, or at least does not say that it has no text.
fn may_have_text(path: &RepoPath) -> bool {
    let has_grammar = icr_lang::language_of(path) != icr_lang::TEXT;
    let shown = path.to_string();
    let name = shown.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    has_grammar || extension.is_none_or(|extension| !EXTENSIONS_WITHOUT_TEXT.contains(&extension.as_str()))
}

/// Returns an error if a question about `part` found nothing because that part does not exist.
///
/// # Errors
///
/// [`Error::NoSuchFile`] where the view has no file there; those of reading the store.
///
/// Cost: all paths of the view.
pub(crate) fn check_part(snapshot: &Snapshot, part: &PathScope) -> Result<(), Error> {
    match part.is_all() || snapshot.view.paths()?.iter().any(|path| part.holds(path)) {
        true => Ok(()),
        false => Err(no_such_file(snapshot, &part.0)),
    }
}

/// A file of the view and its text.
pub(crate) fn text_of(snapshot: &Snapshot, path: &str) -> Result<(ViewFile, Vec<u8>), Error> {
    let wanted = path_of(path);
    if snapshot.context.foundation.shape.policy().decide(&wanted) == icr_git::Membership::Secret {
        return Err(Error::Secret { path: path.to_owned() });
    }
    let Some(file) = snapshot.view.file(&wanted)? else { return Err(no_such_file(snapshot, &wanted)) };
    check_text(&file)?;
    let mut text = Vec::new();
    match snapshot.view.texts().read(&file.row, &mut text).map_err(Error::from) {
        Err(Error::Git(source)) if is_of_object(&source) => Err(Error::Object { path: file.path.to_string(), source }),
        read => read.map(|()| (file, text)),
    }
}

/// Why the view has no file at `path`: its object cannot be read, or it is in no tree that the view is made of.
pub(crate) fn no_such_file(snapshot: &Snapshot, path: &RepoPath) -> Error {
    if let Some(unread) = snapshot.view.overlay().unread.iter().find(|unread| unread.path == *path) {
        return Error::NotText { path: path.to_string(), why: Opaque::from(unread.reason).words() };
    }
    if let Some(source) = unreadable_object(snapshot, path) {
        return Error::Object { path: path.to_string(), source };
    }
    let below = files_below(snapshot, path);
    if !below.is_empty() {
        return Error::NotAFile { path: path.to_string(), files: below };
    }
    let symbol = path.to_string();
    let defined_in = if symbol.contains('/') { Vec::new() } else { files_defining(snapshot, &symbol) };
    if !defined_in.is_empty() {
        return Error::SymbolForPath { symbol, defined_in };
    }
    let name = path.file_name();
    let same_name = |file: &ViewFile| file.path.file_name().eq_ignore_ascii_case(name);
    let files = snapshot.view.files().unwrap_or_default();
    let mut similar: Vec<String> =
        files.iter().filter(|file| same_name(file)).take(SIMILAR).map(|file| file.path.to_string()).collect();
    if similar.is_empty() {
        similar = similar_paths(&files, &path.to_string());
    }
    Error::NoSuchFile { path: path.to_string(), view: snapshot.name_in_refusals(), similar }
}

/// The first files below a directory; empty if the view has no such directory.
fn files_below(snapshot: &Snapshot, path: &RepoPath) -> Vec<String> {
    let typed = path.to_string();
    let directory = typed.trim_end_matches('/');
    let prefix = if matches!(directory, "" | ".") { String::new() } else { format!("{directory}/") };
    let files = snapshot.view.files().unwrap_or_default();
    let paths = files.iter().map(|file| file.path.to_string());
    paths.filter(|path| path.starts_with(&prefix)).take(SIMILAR).collect()
}

/// Files and directories similar to `typed`: by the whole path, else by the last component.
fn similar_paths(files: &[ViewFile], typed: &str) -> Vec<String> {
    let paths: Vec<String> = files.iter().map(|file| file.path.to_string()).collect();
    let mut places: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    for path in &paths {
        places.extend(path.match_indices('/').map(|(at, _)| &path[..at]));
    }
    let typed = typed.trim_end_matches('/');
    // Long paths in the same directory share most of their letters.
    let near = icr_model::similar_names(typed, places.iter().copied(), 1);
    if !near.is_empty() {
        return near.into_iter().map(str::to_owned).collect();
    }
    fn last(path: &str) -> &str {
        path.rsplit('/').next().unwrap_or(path)
    }
    let names: BTreeSet<&str> = places.iter().map(|place| last(place)).collect();
    let near = icr_model::similar_names(last(typed), names.iter().copied(), SIMILAR);
    let named = near.iter().flat_map(|name| places.iter().filter(move |place| last(place) == *name));
    named.take(SIMILAR).map(|place| (*place).to_owned()).collect()
}

/// What is wrong with the object that the view's tree has at `path`; `None` if it is intact or the view does not use
/// it.
fn unreadable_object(snapshot: &Snapshot, path: &RepoPath) -> Option<icr_git::Error> {
    let policy = snapshot.context.foundation.shape.policy();
    if snapshot.view.overlay().entry(path).is_some() || policy.decide(path) != icr_git::Membership::Member {
        return None;
    }
    let repository = &snapshot.context.foundation.repository;
    let (blob, _) = repository.file_at(snapshot.view.revision().tree, path).ok()?.filter(|(_, kind)| kind.is_file())?;
    let reader = repository.reader();
    let read = reader.size(blob).and_then(|size| match size <= policy.max_file_bytes() {
        true => reader.read(blob, &mut Vec::new()),
        false => Ok(()),
    });
    read.err().filter(is_of_object)
}

/// Checks that a file has text to show.
///
/// # Errors
///
/// [`Error::NotText`]
pub(crate) fn check_text(file: &ViewFile) -> Result<(), Error> {
    let why = match file.row.content {
        ContentKind::Text => return Ok(()),
        ContentKind::Binary => "its content is binary, or a pointer to content elsewhere".to_owned(),
        ContentKind::Oversize => Opaque::Oversize.words(),
    };
    Err(Error::NotText { path: file.path.to_string(), why })
}

/// Whether an error concerns a single object that is missing or corrupt in the repository.
fn is_of_object(error: &icr_git::Error) -> bool {
    matches!(error, icr_git::Error::MissingObject { .. } | icr_git::Error::CorruptObject { .. })
}

/// The language under which a file counts in totals.
fn label(snapshot: &Snapshot, file: &ViewFile) -> Result<&'static str, Error> {
    match file.row.content {
        ContentKind::Text => snapshot.language_of(&file.path, file.row.blob_no),
        ContentKind::Binary => Ok("binary"),
        ContentKind::Oversize => Ok("oversize"),
    }
}

/// A file with the language under which it counts.
type LabelledFile<'a> = (&'a ViewFile, &'static str);

#[derive(Default)]
struct DirectoryNode<'a> {
    directories: BTreeMap<&'a [u8], DirectoryNode<'a>>,
    files: BTreeMap<&'a [u8], LabelledFile<'a>>,
}

impl<'a> DirectoryNode<'a> {
    fn add(&mut self, path: &'a [u8], file: LabelledFile<'a>) {
        match path.iter().position(|byte| *byte == b'/') {
            Some(slash) => self.directories.entry(&path[..slash]).or_default().add(&path[slash + 1..], file),
            None => drop(self.files.insert(path, file)),
        }
    }

    fn directories_total(&self) -> u64 {
        self.directories.values().map(|directory| 1 + directory.directories_total()).sum()
    }

    /// The node and the bytes of code below it by language, at any depth.
    fn into_node(self, name: String, depth: usize) -> (MapNode, BTreeMap<&'static str, u64>) {
        let text = |name: &[u8]| RepoPath::new(name).to_string();
        let mut code_bytes: BTreeMap<&'static str, u64> = BTreeMap::new();
        let mut children = Vec::with_capacity(self.directories.len() + self.files.len());
        for (name, directory) in self.directories {
            let (child, bytes_below) = directory.into_node(text(name), depth.saturating_sub(1));
            bytes_below.into_iter().for_each(|(language, bytes)| *code_bytes.entry(language).or_default() += bytes);
            children.push(child);
        }
        for (name, (file, language)) in self.files {
            if icr_lang::language_row(language).is_some_and(icr_lang::LanguageRow::is_code) {
                *code_bytes.entry(language).or_default() += file.row.bytes_total;
            }
            children.push(MapNode {
                name: text(name),
                kind: "file",
                files: 1,
                size_bytes: file.row.bytes_total,
                lines: u64::from(file.row.lines_total),
                language: Some(language.to_owned()),
                children: Vec::new(),
            });
        }
        let most = code_bytes.iter().rev().max_by_key(|(_, bytes)| **bytes);
        let node = MapNode {
            name,
            kind: "directory",
            files: children.iter().map(|child| child.files).sum(),
            size_bytes: children.iter().map(|child| child.size_bytes).sum(),
            lines: children.iter().map(|child| child.lines).sum(),
            language: most.map(|(language, _)| (*language).to_owned()),
            children: if depth == 0 { Vec::new() } else { children },
        };
        (node, code_bytes)
    }
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use super::*;
    use crate::{Engine, OpenOptions, SyncOptions, ViewSelector};

    #[test]
    fn a_slice_of_an_inherited_member_is_that_of_the_base() {
        let text = "//- base.py\nclass Base:\n    def close(self): pass\n\
                    //- derived.py\nfrom base import Base\nclass Derived(Base):\n    def open(self): pass\n";
        let (fixture, home) = (Fixture::new(text), tempfile::tempdir().unwrap());
        let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
        engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
        let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
        let slice_of = |path: &str, symbol: &str| {
            let request = SliceRequest { path: path.to_owned(), symbol: symbol.to_owned(), context_lines: 0 };
            match slice(&snapshot, &request) {
                Ok(found) => [Some(found.symbol.clone()), found.inherited_note()].into_iter().flatten().collect(),
                Err(error) => [vec![error.to_string()], error.command_line_hints()].concat(),
            }
        };
        assert_eq!(slice_of("derived.py", "Derived.open"), ["Derived.open"]);
        let inherited = ["Base.close", "`Derived` inherits it: this is `Base.close` in `base.py`"];
        assert_eq!(slice_of("derived.py", "Derived.close"), inherited);
        let similar = ["`Derived` has no member `opne`", "did you mean `Derived.open`?"];
        assert_eq!(slice_of("derived.py", "Derived.opne"), similar);
        assert_eq!(
            slice_of("derived.py", "Base"),
            ["`derived.py` defines no `Base`", "`Base` is defined in `base.py`"]
        );
        let reverse = ["`Derived` is a definition, not a file", "it is in `derived.py`"];
        assert_eq!(slice_of("Derived", "derived.py"), reverse);
    }

    #[test]
    fn of_files_above_the_size_limit_only_code_is_listed() {
        let text: String = ["logo.png", "data.json", "notes.md", "src/big.rs", "src/small.rs"]
            .map(|path| format!("//- {path}\n// {path}{}\n", " x".repeat(if path.contains("small") { 1 } else { 600 })))
            .concat();
        let (fixture, home) = (Fixture::new(&text), tempfile::tempdir().unwrap());
        let options = OpenOptions { max_file_bytes: 1_000, ..OpenOptions::new(fixture.root(), home.path()) };
        let engine = Engine::open(options).unwrap();
        engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
        let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
        assert_eq!(oversize_code(&snapshot, 5).unwrap(), ["src/big.rs"]);
        assert!(oversize_code(&snapshot, 0).unwrap().is_empty());
        let gap = |scope| {
            let gaps = provenance_within(&snapshot, scope).unwrap().gaps;
            gaps.iter().find_map(|gap| if let Gap::Oversize { files } = gap { Some(*files) } else { None })
        };
        assert_eq!(gap(OversizeScope::Every), Some(4));
        assert_eq!(gap(OversizeScope::Text), Some(3), "all but the picture");
        assert_eq!(gap(OversizeScope::Code), Some(1));
        assert_eq!(gap(OversizeScope::Nothing), None);
    }
}
