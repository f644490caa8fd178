//! Search by name: definitions of the view whose name matches.

use crate::files::check_part;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use icr_lexical::{ChunkRef, DefinitionPattern};
use icr_model::{
    BlobNo, Contract, Facts, Gap, LineIndex, Symbol, SymbolKind, Visibility, name_distance, similar_names,
};
use rustc_hash::FxHashSet;
use serde::Serialize;

use icr_view::PathFacts;

use crate::files::PathScope;
use crate::references::similar_definitions;
use crate::search::{UnreadBlobs, cut, known_language};
use crate::{Error, Snapshot};

/// Names examined for each kind of match; further ones are longer, and so match less well.
const NAMES: usize = 2_000;

/// Most blobs whose definitions are examined; a name that is in more of them is in the first ones too.
const BLOBS: usize = 4_000;

/// Most requested kinds that a note names.
const KINDS_NAMED: usize = 3;

/// Most similar names that are suggested.
const SIMILAR: usize = 3;

/// Longest signature and docstring shown, in bytes.
const SHOWN_BYTES: usize = 400;

/// Which definitions to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolRequest {
    /// A name, a part of one, or a qualified name (`Server.handle`, `Server::handle`).
    pub query: String,
    /// Only these kinds; all when empty.
    pub kinds: Vec<SymbolKind>,
    /// Only these languages; all when empty.
    pub languages: Vec<String>,
    /// Only files below this path.
    pub path_prefix: Option<String>,
    /// Most definitions in the answer.
    pub limit: usize,
}

/// The answer to a [`SymbolRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SymbolResults {
    /// Definitions, best first.
    pub symbols: Vec<SymbolHit>,
    /// Definitions that match; a lower bound when very many do.
    pub total_count: u64,
    /// Names that may be meant where nothing was found, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<String>,
    /// Says that the name is defined, but not as one of the requested kinds. `None` when it is among the results, or
    /// not defined at all.
    #[serde(skip)]
    pub other_kinds_note: Option<String>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

impl SymbolResults {
    /// Whether no result has the query as its name or a part of it: the names only contain its letters, in order.
    pub fn has_only_letters(&self) -> bool {
        let has_only_letters = |symbol: &SymbolHit| symbol.score <= f64::from(HAS_LETTERS) / 100.0;
        !self.symbols.is_empty() && self.symbols.iter().all(has_only_letters)
    }

    /// The question whether one of the similar names is meant; `None` if there is none.
    pub fn similar_note(&self) -> Option<String> {
        let names: Vec<String> = self.similar.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| format!("nothing found; did you mean {}?", names.join(", ")))
    }
}

/// A definition that was found.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SymbolHit {
    /// Name as written.
    pub name: String,
    /// Name with those of the definitions around it.
    pub qualified_name: String,
    /// Kind in terms shared by all languages.
    #[serde(rename = "type")]
    pub kind: SymbolKind,
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Signature as written, in one line.
    pub signature: String,
    /// First paragraph of the doc comment.
    pub docstring: Option<String>,
    /// Contract label.
    pub contract: Option<Contract>,
    /// Who may use it, as far as the text says.
    pub visibility: Visibility,
    /// How well the name matches, in `0.0..=1.0`.
    pub score: f64,
}

/// Definitions whose name matches, best first: the name itself, then beginnings, parts, and letters in order.
///
/// # Errors
///
/// [`Error::Bounds`] for an empty query or an unknown language; those of reading the store.
pub fn symbols(snapshot: &Snapshot, request: &SymbolRequest) -> Result<SymbolResults, Error> {
    let parts = name_parts(&request.query);
    let Some((name, outer)) = parts.split_last() else {
        return Err(Error::Bounds {
            field: "the symbol query",
            allowed: "a name or a part of one".to_owned(),
            value: request.query.clone(),
        });
    };
    let languages = request.languages.iter().map(|name| known_language(Some(name))).collect::<Result<Vec<_>, _>>()?;
    let part = PathScope::of(request.path_prefix.as_deref());
    let mut found: BTreeMap<Order, SymbolHit> = BTreeMap::new();
    let mut other_kinds: BTreeSet<SymbolKind> = BTreeSet::new();
    for (pattern, least) in [
        (DefinitionPattern::Exact(name), SAME),
        (DefinitionPattern::Prefix(name), BEGINS),
        (DefinitionPattern::Substring(name), HOLDS),
        (DefinitionPattern::Subsequence(name), HAS_LETTERS),
    ] {
        // Each kind of match includes the stricter ones, so that the first kind that fills the answer has the best
        // results. Weaker matches may be in other files, which are only examined for a later kind.
        if found.len() >= request.limit {
            break;
        }
        let definitions = snapshot.view.live_chunks()?.definitions(&pattern, NAMES)?;
        let chunks: Vec<ChunkRef> = definitions.into_iter().flat_map(|definition| definition.chunks).collect();
        let blobs: FxHashSet<BlobNo> = chunks.iter().map(|chunk| chunk.blob_no).take(BLOBS).collect();
        for (blob_no, _, place) in snapshot.view.paths_of(&blobs)? {
            let (facts, path) = (snapshot.facts(blob_no)?, &place.path);
            let spoken = languages.is_empty() || languages.contains(&Some(facts.language.as_str()));
            if !(spoken && part.holds(path)) {
                continue;
            }
            for (at, symbol) in facts.symbols.iter().enumerate() {
                let Some(score) = match_of(&symbol.name, name).filter(|score| *score >= least) else { continue };
                let wanted = request.kinds.is_empty() || request.kinds.contains(&symbol.kind);
                if !wanted && score < SAME {
                    continue;
                }
                let qualified_name = facts.qualified_name(at as u32);
                if !is_named_with(&facts, &qualified_name, outer) {
                    continue;
                }
                if !wanted {
                    other_kinds.insert(symbol.kind);
                    continue;
                }
                let order = order(score, distance_of(score, symbol, name), symbol, &place, at as u32);
                found.entry(order).or_insert_with(|| hit(symbol, qualified_name, path.to_string(), score));
            }
        }
    }
    if found.is_empty() {
        check_part(snapshot, &part)?;
    }
    let total_count = found.len() as u64;
    let mut symbols: Vec<SymbolHit> = found.into_values().take(request.limit).collect();
    let gaps = add_texts(snapshot, &mut symbols)?.gaps();
    let has_name = symbols.first().is_some_and(|best| best.score >= f64::from(SAME) / 100.0);
    let is_other = !has_name && !other_kinds.is_empty();
    let other_kinds_note = is_other.then(|| note_of_other_kinds(request, &other_kinds));
    let similar = match symbols.is_empty() && !is_other {
        true => similar_names_of(snapshot, name, outer)?,
        false => Vec::new(),
    };
    Ok(SymbolResults { symbols, total_count, similar, other_kinds_note, gaps })
}

/// Names that may be meant by `name` after `outer`: for a qualified name those of the definitions that are called `name`,
/// else, or if none is near, names of definitions. Cost: the facts of the files that define `name`, and all names.
fn similar_names_of(snapshot: &Snapshot, name: &str, outer: &[&str]) -> Result<Vec<String>, Error> {
    if !outer.is_empty() {
        let definitions = snapshot.view.live_chunks()?.definitions(&DefinitionPattern::Exact(name), NAMES)?;
        let chunks = definitions.into_iter().flat_map(|definition| definition.chunks);
        let blobs: BTreeSet<BlobNo> = chunks.map(|chunk| chunk.blob_no).take(BLOBS).collect();
        let mut named: BTreeSet<String> = BTreeSet::new();
        for blob_no in blobs {
            let facts = snapshot.facts(blob_no)?;
            let symbols = facts.symbols.iter().enumerate().filter(|(_, symbol)| symbol.name.eq_ignore_ascii_case(name));
            named.extend(symbols.map(|(at, _)| facts.qualified_name(at as u32)));
        }
        let typed = format!("{}.{name}", outer.join("."));
        let similar = similar_names(&typed, named.iter().map(String::as_str), SIMILAR);
        if !similar.is_empty() {
            return Ok(similar.into_iter().map(str::to_owned).collect());
        }
    }
    Ok(similar_definitions(snapshot, name))
}

/// Says that the requested name is defined as `other_kinds` only: "no class is called `Status`; it is a function".
fn note_of_other_kinds(request: &SymbolRequest, other_kinds: &BTreeSet<SymbolKind>) -> String {
    let names: Vec<&str> = request.kinds.iter().map(|kind| kind.name()).collect();
    let wanted = match names.len() <= KINDS_NAMED {
        true => names.join(" or "),
        false => "definition of the requested kinds".to_owned(),
    };
    let article = |kind: &SymbolKind| match kind {
        SymbolKind::Enum | SymbolKind::Interface | SymbolKind::Implementation => "an",
        _ => "a",
    };
    let others: Vec<String> = other_kinds.iter().map(|kind| format!("{} {}", article(kind), kind.name())).collect();
    format!("no {wanted} is called `{}`; it is {}", request.query.trim(), others.join(" and "))
}

/// Fills in signatures and doc comments from the blobs, and returns the gap for blobs that could not be read.
fn add_texts(snapshot: &Snapshot, symbols: &mut [SymbolHit]) -> Result<UnreadBlobs, Error> {
    let mut texts = snapshot.view.texts();
    let mut unread = UnreadBlobs::default();
    let mut text = Vec::new();
    for hit in symbols {
        let Some(file) = snapshot.view.file(&crate::search::path_of(&hit.path))? else { continue };
        if !unread.read(&mut texts, &file.row, &mut text)? {
            continue;
        }
        snapshot.mask(&mut text);
        let facts = snapshot.facts(file.row.blob_no)?;
        let start = LineIndex::new(&text).span_of(icr_model::LineSpan { start: hit.start_line, end: hit.end_line });
        let same = |symbol: &&Symbol| {
            symbol.name == hit.name
                && symbol.kind == hit.kind
                && symbol.lines.start == hit.start_line
                && start.contains_offset(symbol.span.start)
        };
        let Some(symbol) = facts.symbols.iter().find(same) else { continue };
        hit.signature = one_line(symbol.signature.of(&text));
        hit.docstring = symbol.doc.map(|doc| first_paragraph(doc.of(&text))).filter(|doc| !doc.is_empty());
    }
    Ok(unread)
}

/// Better matches first, and of names that only have the letters the nearer ones; then definitions before their members
/// and variables, the project's own files before tests, examples and what is vendored; then by place.
type Order = (Reverse<u32>, usize, bool, bool, String, u32, u32);

fn order(score: u32, distance: usize, symbol: &Symbol, place: &PathFacts, at: u32) -> Order {
    let is_minor =
        matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variant | SymbolKind::Variable | SymbolKind::Key);
    (Reverse(score), distance, is_minor, place.kind().is_some(), place.path.to_string(), symbol.span.start, at)
}

/// How far a name that only has the letters of `name` is from it: such a name may be the one that was mistyped, or a long
/// one that has the letters by chance. 0 for better matches, which have the whole of `name`.
fn distance_of(score: u32, symbol: &Symbol, name: &str) -> usize {
    if score > HAS_LETTERS { 0 } else { name_distance(&symbol.name, name) }
}

fn hit(symbol: &Symbol, qualified_name: String, path: String, score: u32) -> SymbolHit {
    SymbolHit {
        name: symbol.name.clone(),
        qualified_name,
        kind: symbol.kind,
        path,
        start_line: symbol.lines.start,
        end_line: symbol.lines.end,
        signature: String::new(),
        docstring: None,
        contract: symbol.contract,
        visibility: symbol.visibility,
        score: f64::from(score) / 100.0,
    }
}

/// Scores in percent: an equal name except for case, a prefix, a part, letters in order.
const SAME: u32 = 95;
const BEGINS: u32 = 80;
const HOLDS: u32 = 60;
const HAS_LETTERS: u32 = 30;

/// How well `name` matches `query`, in percent; `None` when it does not.
fn match_of(name: &str, query: &str) -> Option<u32> {
    if name == query {
        return Some(100);
    }
    let (name, query) = (name.to_lowercase(), query.to_lowercase());
    if name == query {
        Some(SAME)
    } else if name.starts_with(&query) {
        Some(BEGINS)
    } else if name.contains(&query) {
        Some(HOLDS)
    } else {
        let mut letters = name.chars();
        query.chars().all(|wanted| letters.any(|letter| letter == wanted)).then_some(HAS_LETTERS)
    }
}

/// The parts of a qualified name, whatever joins them: `Type.method`, `module::name`, `Namespace\Class`, `Type#method`.
pub(crate) fn name_parts(name: &str) -> Vec<&str> {
    name.trim().split(['.', ':', '#', '/', '\\']).filter(|part| !part.is_empty()).collect()
}

/// The names of a definition of the file with `facts`: its qualified name, alone and after each namespace, package or
/// module that the file declares.
pub(crate) fn full_names(facts: &Facts, qualified_name: &str) -> impl Iterator<Item = String> {
    let named = facts.provides.iter().filter(|namespace| !namespace.starts_with(Facts::GLOBAL_NAMESPACE));
    let declared = named.map(|namespace| name_parts(namespace).join("."));
    std::iter::once(qualified_name.to_owned()).chain(declared.map(move |outer| format!("{outer}.{qualified_name}")))
}

/// Whether a definition of the file with `facts` can be called by its name after `outer`.
pub(crate) fn is_named_with(facts: &Facts, qualified_name: &str, outer: &[&str]) -> bool {
    full_names(facts, qualified_name).any(|name| is_inside(&name, outer))
}

/// Whether the containers of a definition include `outer`, in order, as whole names.
fn is_inside(qualified_name: &str, outer: &[&str]) -> bool {
    let around = qualified_name.rsplit_once('.').map_or("", |(around, _)| around);
    let mut names = around.split('.');
    outer.iter().all(|wanted| names.any(|name| name.eq_ignore_ascii_case(wanted)))
}

pub(crate) fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), SHOWN_BYTES).to_owned()
}

/// The first paragraph of a doc comment, without comment signs.
pub(crate) fn first_paragraph(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = text.lines().map(without_signs);
    let paragraph: Vec<&str> = plain.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
    cut(&paragraph.join(" "), SHOWN_BYTES).to_owned()
}

/// A line without the attribute and the sigil that begin a documentation text in Elixir.
fn without_attribute(line: &str) -> &str {
    let is_over = |rest: &&str| rest.is_empty() || rest.starts_with([' ', '"', '\'', '~']);
    let attribute = |name| line.strip_prefix(name).filter(is_over);
    let rest = ["@doc", "@moduledoc", "@typedoc"].into_iter().find_map(attribute).unwrap_or(line).trim_start();
    let sigil = |name| rest.strip_prefix(name).filter(|rest: &&str| rest.is_empty() || rest.starts_with(['"', '\'']));
    ["~S", "~s"].into_iter().find_map(sigil).unwrap_or(rest)
}

/// A comment line without its comment signs, including those of doc comments.
pub(crate) fn without_signs(line: &str) -> &str {
    const OPENING: [&str; 4] = ["<!--", "{-", "(*", "--[["];
    const CLOSING: [&str; 7] = ["*/", "\"\"\"", "'''", "-->", "-}", "*)", "]]"];
    let line = line.trim();
    let line = CLOSING.iter().find_map(|sign| line.strip_suffix(sign)).unwrap_or(line);
    let line = without_attribute(line);
    let inner = OPENING.iter().find_map(|sign| line.strip_prefix(sign)).unwrap_or(line);
    let inner = inner.trim_start_matches(['/', '*', '!', '#', '"', '\'', ';', '%']);
    let inner = if inner.starts_with("--") { inner.trim_start_matches('-') } else { inner }.trim();
    // Haskell's doc comments: `|` for the following item, `^` for the preceding one.
    let is_haskell = line.starts_with("--") || line.starts_with("{-");
    inner.strip_prefix(['|', '^']).filter(|_| is_haskell).unwrap_or(inner).trim()
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use super::*;
    use crate::{Engine, OpenOptions, SyncOptions, ViewSelector};

    /// What is found for `query` in the files of `fixture`.
    fn found_in(fixture: &str, query: &str) -> SymbolResults {
        let (fixture, home) = (Fixture::new(fixture), tempfile::tempdir().unwrap());
        let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
        engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
        let request = SymbolRequest { query: query.to_owned(), limit: 10, ..SymbolRequest::default() };
        symbols(&engine.snapshot(&ViewSelector::Head).unwrap(), &request).unwrap()
    }

    #[test]
    fn of_names_with_the_letters_the_nearest_comes_first() {
        let fixture = "//- src/a.rs\nfn help_with_printing_of_trees() {}\n\
                       //- src/z.rs\nfn help_printer() {}\n\
                       //- tests/a.rs\nfn help_printers() {}\n";
        let found = found_in(fixture, "helpprntr");
        let names: Vec<&str> = found.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["help_printer", "help_printers", "help_with_printing_of_trees"]);
        assert!(found.has_only_letters() && found.similar.is_empty());
    }

    #[test]
    fn what_is_not_found_has_similar_names() {
        let fixture = "//- src/a.rs\npub struct Command;\nimpl Command {\n    pub fn run(&self) {}\n}\n\
                       pub struct Other;\nimpl Other {\n    pub fn run(&self) {}\n}\npub fn help_printer() {}\n";
        let similar = |query: &str| found_in(fixture, query).similar;
        assert_eq!(similar("help_printerr"), ["help_printer"]);
        assert_eq!(similar("Comand.run"), ["Command.run"]);
        assert_eq!(similar("zeppelin"), Vec::<String>::new());
        let note = found_in(fixture, "Comand.run").similar_note();
        assert_eq!(note.as_deref(), Some("nothing found; did you mean `Command.run`?"));
    }

    #[test]
    fn a_doc_comment_is_shown_without_signs() {
        for comment in [
            "/// Ties - a ship.",
            "/**\n * Ties - a ship.\n */",
            "/** Ties - a ship. */",
            "\"\"\"Ties - a ship.\n\nMore.\n\"\"\"",
            "#' Ties - a ship.",
            "-- | Ties - a ship.",
            "--- Ties - a ship.",
            "--[[ Ties - a ship. ]]",
            "{- | Ties - a ship. -}",
            "(** Ties - a ship. *)",
            "<!-- Ties - a ship. -->",
            "%% Ties - a ship.",
            ";; Ties - a ship.",
            "@doc ~S\"\"\"\nTies - a ship.\n\"\"\"",
            "@doc \"\"\"\nTies - a ship.\n\"\"\"",
            "~S\"\"\"\nTies - a ship.\n\"\"\"",
        ] {
            assert_eq!(first_paragraph(comment.as_bytes()), "Ties - a ship.", "{comment}");
        }
        assert_eq!(first_paragraph(b"// | a | table |\n// - a list"), "| a | table | - a list");
    }

    #[test]
    fn the_better_the_match_the_higher_the_score() {
        let scores: Vec<_> = ["open", "Open", "openFile", "reopen", "oppen", "close"]
            .iter()
            .map(|name| match_of(name, "open"))
            .collect();
        assert_eq!(scores, [Some(100), Some(95), Some(80), Some(60), Some(30), None]);
    }

    #[test]
    fn of_equal_matches_the_definition_in_the_projects_own_files_comes_first() {
        let symbol = |kind| Symbol {
            name: "open".to_owned(),
            kind,
            span: icr_model::Span::new(0, 9),
            lines: icr_model::LineSpan { start: 1, end: 1 },
            name_start: 0,
            signature: icr_model::Span::new(0, 4),
            doc: None,
            parent: None,
            receiver: None,
            path: None,
            bases: Vec::new(),
            contract: None,
            visibility: Visibility::Unspecified,
            signature_hash: 0,
            body_hash: 0,
        };
        let places = [
            (95, SymbolKind::Function, "a.go"),
            (100, SymbolKind::Field, "a.go"),
            (100, SymbolKind::Function, "vendor/a.go"),
            (100, SymbolKind::Function, "src/b.go"),
        ];
        let mut orders: Vec<Order> = places
            .iter()
            .map(|(score, kind, path)| order(*score, 0, &symbol(*kind), &PathFacts::new((*path).into()), 0))
            .collect();
        orders.sort();
        let paths: Vec<String> = orders.into_iter().map(|order| order.4).collect();
        assert_eq!(paths, ["src/b.go", "vendor/a.go", "a.go", "a.go"]);
    }

    #[test]
    fn outer_names_narrow_the_search() {
        assert!(is_inside("net.Server.handle", &["server"]));
        assert!(is_inside("net.Server.handle", &["net", "Server"]));
        assert!(!is_inside("Server.handle", &["Client"]));
        assert!(!is_inside("handle", &["handle"]));
    }

    #[test]
    fn a_declared_namespace_may_stand_in_front() {
        let facts = Facts { provides: vec!["GuzzleHttp\\Handler".to_owned()], ..Facts::default() };
        for (outer, expected) in [
            (&["Client"][..], true),
            (&["GuzzleHttp", "Handler", "Client"], true),
            (&["Handler", "Client"], true),
            (&["Client", "Handler"], false),
            (&["Other", "Client"], false),
        ] {
            assert_eq!(is_named_with(&facts, "Client.send", outer), expected, "{outer:?}");
        }
        assert_eq!(name_parts(" \\GuzzleHttp\\Client::send"), ["GuzzleHttp", "Client", "send"]);
    }

    #[test]
    fn doc_comments_lose_their_signs() {
        assert_eq!(first_paragraph(b"/// Opens a file.\n/// Slowly.\n///\n/// More."), "Opens a file. Slowly.");
        assert_eq!(first_paragraph(b"\"\"\"\n    Opens.\n    \"\"\""), "Opens.");
        assert_eq!(first_paragraph(b"/**\n * Opens.\n */"), "Opens.");
    }
}
