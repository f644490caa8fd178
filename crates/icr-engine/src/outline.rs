//! What a file defines, in order.

use std::collections::BTreeSet;

use icr_model::{Contract, Facts, Gap, Role, Symbol, SymbolKind, Visibility};
use icr_view::ViewFile;
use serde::Serialize;

use crate::files::{PathScope, no_such_file, text_of};
use crate::search::{UnreadBlobs, path_of};
use crate::symbols::one_line;
use crate::{Error, Snapshot};

/// Most types that are listed as dependencies of a contract.
const DEPENDENCIES: usize = 20;

/// Which outline to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineRequest {
    /// A file, or a directory for all of its files; empty for the root.
    pub path: String,
    /// Levels of definitions: 1 for top-level ones only.
    pub depth: u32,
    /// Files of a directory to skip at the beginning.
    pub offset: usize,
    /// Most files.
    pub limit: usize,
}

/// The answer to an [`OutlineRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Outlines {
    /// Files in order of their paths: the requested one, or those of a directory that define something.
    pub files: Vec<FileOutline>,
    /// Files that define something, however many are shown.
    pub total_count: u64,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// What a file defines, as a tree.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FileOutline {
    /// Path relative to the root.
    pub path: String,
    /// The language that the file is read as.
    pub language: String,
    /// Lines of the file.
    pub lines: u32,
    /// Its definitions, in the order of the file.
    pub symbols: Vec<OutlineNode>,
    /// Its contracts: definitions that other code is written against.
    pub contracts: Vec<OutlineContract>,
}

/// A definition, with those inside of it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct OutlineNode {
    /// Name as written.
    pub name: String,
    /// Kind in terms shared by all languages.
    #[serde(rename = "type")]
    pub kind: SymbolKind,
    /// First line, 1-based.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Signature as written, on one line; empty if it only repeats the name.
    pub signature: String,
    /// Definitions inside of it.
    pub children: Vec<OutlineNode>,
}

/// A definition that others are written against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct OutlineContract {
    /// Name with those of the definitions around it.
    pub name: String,
    /// Why it counts as a contract.
    pub contract_type: Contract,
    /// First line, 1-based.
    pub line: u32,
    /// Signature as written, in one line.
    pub signature: String,
    /// Other types that it mentions, sorted by name.
    pub dependencies: Vec<String>,
}

/// What a file defines, or each file of a directory. In directories, files without definitions are left out, and so are headings and keys
/// of data.
///
/// Cost: one read of each file that is shown; their facts are in the store.
///
/// # Errors
///
/// [`Error::NoSuchFile`] where there is neither a file nor a directory; as [`outline`] for a file; those of reading the store.
pub fn outlines(snapshot: &Snapshot, request: &OutlineRequest) -> Result<Outlines, Error> {
    let part = PathScope::of(Some(&request.path));
    if !part.is_all() && snapshot.view.file(&path_of(request.path.trim_end_matches('/')))?.is_some() {
        let (file, mut text) = text_of(snapshot, request.path.trim_end_matches('/'))?;
        snapshot.mask(&mut text);
        let facts = snapshot.facts(file.row.blob_no)?;
        let outline = file_outline(&file, &facts, &text, request.depth, |_| true);
        return Ok(Outlines { files: vec![outline], total_count: 1, gaps: Vec::new() });
    }
    let is_code = |symbol: &Symbol| !matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key);
    let mut unread = UnreadBlobs::default();
    let mut texts = snapshot.view.texts();
    let mut text = Vec::new();
    let (mut files, mut total_count, mut is_there) = (Vec::new(), 0, false);
    for file in snapshot.view.files()?.into_iter().filter(|file| part.holds(&file.path)) {
        is_there = true;
        if file.row.content != icr_model::ContentKind::Text {
            continue;
        }
        let facts = snapshot.facts(file.row.blob_no)?;
        if !facts.symbols.iter().any(is_code) {
            continue;
        }
        total_count += 1;
        let is_wanted = total_count > request.offset as u64 && files.len() < request.limit;
        if is_wanted && unread.read(&mut texts, &file.row, &mut text)? {
            snapshot.mask(&mut text);
            files.push(file_outline(&file, &facts, &text, request.depth, is_code));
        }
    }
    if !is_there {
        return Err(no_such_file(snapshot, &path_of(&request.path)));
    }
    Ok(Outlines { files, total_count, gaps: unread.gaps() })
}

fn file_outline(
    file: &ViewFile,
    facts: &Facts,
    text: &[u8],
    depth: u32,
    is_wanted: impl Fn(&Symbol) -> bool,
) -> FileOutline {
    // Members of each definition, 0 for the file.
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); facts.symbols.len() + 1];
    for (at, symbol) in (0..).zip(&facts.symbols) {
        if is_wanted(symbol) {
            members[symbol.parent.map_or(0, |parent| parent as usize + 1)].push(at);
        }
    }
    let contracts = (0..).zip(&facts.symbols).filter_map(|(at, symbol)| {
        Some(OutlineContract {
            name: facts.qualified_name(at),
            contract_type: symbol.contract?,
            line: symbol.lines.start,
            signature: one_line(symbol.signature.of(text)),
            dependencies: dependencies(facts, symbol),
        })
    });
    FileOutline {
        path: file.path.to_string(),
        language: facts.language.clone(),
        lines: facts.lines_total,
        symbols: nodes(facts, text, &members, 0, depth),
        contracts: contracts.collect(),
    }
}

fn nodes(facts: &Facts, text: &[u8], members: &[Vec<u32>], of: usize, depth: u32) -> Vec<OutlineNode> {
    if depth == 0 {
        return Vec::new();
    }
    let node = |at: &u32| {
        let symbol = &facts.symbols[*at as usize];
        let signature = one_line(symbol.signature.of(text));
        OutlineNode {
            name: symbol.name.clone(),
            kind: symbol.kind,
            line_start: symbol.lines.start,
            line_end: symbol.lines.end,
            signature: if signature == symbol.name { String::new() } else { signature },
            children: nodes(facts, text, members, *at as usize + 1, depth - 1),
        }
    };
    members[of].iter().map(node).collect()
}

/// The types that a definition mentions, except itself and what it defines.
fn dependencies(facts: &Facts, symbol: &Symbol) -> Vec<String> {
    let is_inside = |line: &u32| (symbol.lines.start..=symbol.lines.end).contains(line);
    let own: BTreeSet<&str> = facts
        .symbols
        .iter()
        .filter(|inner| is_inside(&inner.lines.start) && inner.lines.end <= symbol.lines.end)
        .map(|inner| inner.name.as_str())
        .collect();
    let types = facts.references.iter().filter(|group| group.role == Role::Type && group.lines.iter().any(is_inside));
    let names: BTreeSet<&str> = types.map(|group| group.name.as_str()).filter(|name| !own.contains(name)).collect();
    names.into_iter().take(DEPENDENCIES).map(str::to_owned).collect()
}

/// The definitions of a file.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Outline {
    /// Path relative to the root.
    pub path: String,
    /// The language that the file is read as.
    pub language: String,
    /// Lines of the file.
    pub lines: u32,
    /// Definitions, in the order of the file; one that holds others comes before them.
    pub symbols: Vec<OutlineSymbol>,
}

/// A definition of a file.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct OutlineSymbol {
    /// Name as written.
    pub name: String,
    /// Kind in terms shared by all languages.
    pub kind: SymbolKind,
    /// Position in the list of the definition that holds this one.
    pub parent: Option<u32>,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Signature as written, in one line.
    pub signature: String,
    /// Visibility, as far as the text shows.
    pub visibility: Visibility,
}

/// What the file at `path` defines. Cost: one read of the file; its facts are in the store.
///
/// # Errors
///
/// [`Error::NoSuchFile`]; what is no text or a secret; those of reading the store.
pub fn outline(snapshot: &Snapshot, path: &str) -> Result<Outline, Error> {
    let (file, mut text) = text_of(snapshot, path)?;
    snapshot.mask(&mut text);
    let facts = snapshot.facts(file.row.blob_no)?;
    let symbol = |symbol: &Symbol| OutlineSymbol {
        name: symbol.name.clone(),
        kind: symbol.kind,
        parent: symbol.parent,
        start_line: symbol.lines.start,
        end_line: symbol.lines.end,
        signature: one_line(symbol.signature.of(&text)),
        visibility: symbol.visibility,
    };
    let symbols = facts.symbols.iter().map(symbol).collect();
    let lines = u32::try_from(String::from_utf8_lossy(&text).lines().count()).unwrap_or(u32::MAX);
    let language = facts.language.clone();
    Ok(Outline { path: file.path.to_string(), language, lines, symbols })
}
