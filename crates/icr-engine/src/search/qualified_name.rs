//! A query that is the qualified name of a definition, or a short question about one: that definition is ranked first.
//! The section of a document that is named after a version counts as its definition, in a change log before others.

use std::sync::Arc;

use icr_lexical::DefinitionPattern;
use icr_model::{BlobNo, Facts, LineSpan, RepoPath, Symbol, SymbolKind};
use icr_view::PathFacts;
use rustc_hash::FxHashSet;

use crate::files::PathScope;
use crate::lines::{FileText, LONGEST_PLACE, LineQuery, ScoredLines, lines_with_doc, overlap, preview_lines};
use crate::search::{SearchHit, SearchRequest, SearchSpan, UnreadBlobs, chunk_id, known_language};
use crate::symbols::{full_names, name_parts};
use crate::{Error, Snapshot};

/// Most blobs examined that define the last component of a qualified name; with more, the name says little.
const BLOBS: usize = 4_000;

/// Most spellings that the index returns for one name; they differ only in case.
const NAMES: usize = 100;

/// Definitions of one name with at most this many lines between them are shown as one: overloads are adjacent.
const LINES_BETWEEN: u32 = 3;

/// The components of `query` if it is `Type.method`, `module::name`, `Type#method` or the like; at least two. A version
/// is one component, without its `v`.
fn qualified_name(query: &str) -> Option<Vec<&str>> {
    if let Some(version) = version(query.trim()) {
        return Some(vec![version]);
    }
    // Arguments, or the labels of Swift, are no part of the name.
    let query = query.trim().split('(').next().unwrap_or_default();
    let is_of_name = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '$' | '?' | '!' | '.' | ':' | '#' | '\\')
    };
    if !query.chars().all(is_of_name) {
        return None;
    }
    let names: Vec<&str> = name_parts(query);
    (names.len() > 1).then_some(names)
}

/// The version that `word` is, without its `v`.
fn version(word: &str) -> Option<&str> {
    let number = word.trim_start_matches(['v', 'V']);
    (number.contains('.') && has_token(word, number)).then_some(number)
}

/// Whether `token` is one of the tokens of `text`.
fn has_token(text: &str, token: &str) -> bool {
    let mut is_in = false;
    icr_lexical::tokens(text.as_bytes(), &mut |other| is_in |= other == token);
    is_in
}

/// Whether a heading names a version; `1.2` is also that of `1.2.0`.
fn is_named_after(heading: &str, version: &str) -> bool {
    let is_short = version.matches('.').count() == 1;
    has_token(heading, version) || is_short && has_token(heading, &format!("{version}.0"))
}

/// Whether a heading names a version before `version`: `1.2.0-beta.1`, `1.2.0.rc`.
fn is_pre_release(heading: &str, version: &str) -> bool {
    let Some(at) = heading.find(version) else { return false };
    let mut after = heading[at + version.len()..].chars();
    matches!(after.next(), Some('.' | '-' | '_')) && after.next().is_some_and(char::is_alphabetic)
}

/// Most words of a question that is about the one definition that it names: "who calls Type.method", "where is
/// Type.method defined". Longer texts name definitions in passing.
const QUESTION_WORDS: usize = 6;

/// Most files that are read for a name that no definition has.
const WRITTEN_IN: usize = 5;

/// The components of the qualified name that the query consists of, or that a short question names; empty if it names
/// none, or several. A version counts only in a question about changes. A name at the end of a question is given with the sign behind it and without: `Ship.empty?`.
pub(crate) fn definition_asked_for(query: &str) -> Vec<Vec<&str>> {
    if let Some(names) = qualified_name(query) {
        return vec![names];
    }
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.len() > QUESTION_WORDS {
        return Vec::new();
    }
    let asks_for_changes = words.iter().any(|word| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        CHANGE_STEMS.iter().any(|stem| word.starts_with(stem)) || CHANGE_WORDS.contains(&word.as_str())
    });
    let mut named = words.into_iter().map(spellings).filter(|spellings| !spellings.is_empty());
    let (Some(spellings), None) = (named.next(), named.next()) else { return Vec::new() };
    match spellings.iter().flatten().any(|name| version(name).is_some()) {
        true if !asks_for_changes => Vec::new(),
        _ => spellings,
    }
}

/// Beginnings of words in questions about a version of the project itself, not of something that it uses.
const CHANGE_STEMS: [&str; 11] =
    ["add", "break", "broke", "chang", "deprecat", "drop", "fix", "migrat", "releas", "remov", "upgrad"];

/// Such words themselves.
const CHANGE_WORDS: [&str; 4] = ["history", "new", "note", "notes"];

/// The components of a word of a question, if it is a qualified name, with the sign of a question at its end and
/// without.
fn spellings(word: &str) -> Vec<Vec<&str>> {
    let is_quote = |sign: char| matches!(sign, '`' | '"' | '\'' | ',' | ';' | '(' | ')' | '.');
    let without_sign = word.trim_matches(|sign| is_quote(sign) || matches!(sign, '?' | '!'));
    if let Some(version) = version(without_sign) {
        return vec![vec![version]];
    }
    let mut spellings: Vec<Vec<&str>> =
        [word.trim_matches(is_quote), without_sign].into_iter().filter_map(qualified_name).collect();
    spellings.dedup();
    spellings
}

/// Whether one of `paths`, best first, has the qualified name of the query as it is written, in the path or in the text
/// of the file. Without a definition of that name, only such a file answers a query for it.
///
/// Cost: at most [`WRITTEN_IN`] reads of files.
pub(crate) fn is_written_in(snapshot: &Snapshot, query: &str, paths: &[RepoPath]) -> Result<bool, Error> {
    let is_sign = |sign: char| !sign.is_alphanumeric() && sign != '_';
    let names = query.split_whitespace().filter(|word| !spellings(word).is_empty());
    let written = |word: &'_ str| -> Vec<u8> {
        let word = word.trim_matches(is_sign);
        version(word).unwrap_or(word).as_bytes().to_vec()
    };
    let names: Vec<Vec<u8>> = names.map(written).collect();
    for path in paths.iter().take(WRITTEN_IN) {
        let text = snapshot.view.text_at(path)?.unwrap_or_default();
        let is_in = |text: &[u8]| names.iter().any(|name| memchr::memmem::find(text, name).is_some());
        if is_in(path.as_bytes()) || is_in(&text) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The lines of the definition with the components `names`, and the file that has it; `None` if there is none, or its
/// file cannot be read.
///
/// Cost: a look into the index for the last name, or a walk over all names for a version; the facts of the files that
/// define it, and one read of a file.
pub(crate) fn definition_lines(
    snapshot: &Snapshot,
    request: &SearchRequest,
    names: &[&str],
) -> Result<Option<(BlobNo, LineSpan)>, Error> {
    let Some((blob_no, _)) = best_file(snapshot, request, names)? else { return Ok(None) };
    let (row, facts) = (snapshot.view.row(blob_no)?, snapshot.facts(blob_no)?);
    let mut text = Vec::new();
    if !UnreadBlobs::default().read(&mut snapshot.view.texts(), &row, &mut text)? {
        return Ok(None);
    }
    let place = place_of(&facts, &FileText::new(&facts, &text), names);
    Ok(place.map(|place| (blob_no, place.lines)))
}

/// Puts the definition with the components `names` before all other results, and removes results that show it too.
/// Returns whether there is such a definition.
///
/// Cost: a look into the index for the last name, or a walk over all names for a version; the facts of the files that
/// define it, and one read of a file.
pub(super) fn put_first(
    snapshot: &Snapshot,
    request: &SearchRequest,
    names: &[&str],
    asked: &LineQuery<'_>,
    results: &mut Vec<SearchHit>,
) -> Result<bool, Error> {
    let Some((blob_no, path)) = best_file(snapshot, request, names)? else { return Ok(false) };
    let facts = snapshot.facts(blob_no)?;
    let row = snapshot.view.row(blob_no)?;
    let mut text = Vec::new();
    if !UnreadBlobs::default().read(&mut snapshot.view.texts(), &row, &mut text)? {
        return Ok(false);
    }
    snapshot.mask(&mut text);
    let file_text = FileText::new(&facts, &text);
    let Some(place) = place_of(&facts, &file_text, names) else { return Ok(false) };
    let path = path.path.to_string();
    let span = SearchSpan {
        symbol: place.symbol.map(|symbol| facts.qualified_name(symbol)),
        start_line: place.lines.start,
        end_line: place.lines.end,
        score: 1.0,
    };
    let shows_it = |start: u32, end: u32| overlap(place.lines, LineSpan { start, end });
    let of_file = results.iter().find(|hit| hit.path == path).map(|hit| hit.spans.clone()).unwrap_or_default();
    let others = of_file.into_iter().filter(|span| !shows_it(span.start_line, span.end_line));
    let spans = std::iter::once(span.clone()).chain(others).collect();
    results.retain(|hit| hit.path != path || !shows_it(hit.start_line, hit.end_line));
    let chunk = facts.chunks.iter().find(|chunk| chunk.lines.end >= place.lines.start);
    results.insert(
        0,
        SearchHit {
            id: chunk_id(&row.blob_id.to_string(), chunk),
            path,
            symbol: span.symbol,
            start_line: span.start_line,
            end_line: span.end_line,
            score: 1.0,
            match_type: "definition",
            preview: file_text.preview(&place, asked, preview_lines(0)),
            language: facts.language.clone(),
            spans,
            explanation: vec![("exact name".to_owned(), 1.0)],
            commit: None,
            subject: None,
            speaker: None,
            said_at: None,
            scope: None,
        },
    );
    results.truncate(request.limit);
    Ok(true)
}

/// The file with the best definition of that name: one with exactly these components before one with further
/// containers, then the project's own files before tests, examples and vendored code.
fn best_file(
    snapshot: &Snapshot,
    request: &SearchRequest,
    names: &[&str],
) -> Result<Option<(BlobNo, Arc<PathFacts>)>, Error> {
    let Some(last) = names.last() else { return Ok(None) };
    let language = known_language(request.language.as_deref())?;
    let part = PathScope::of(request.path_prefix.as_deref());
    let pattern = match version(last) {
        Some(version) => DefinitionPattern::Substring(version),
        None => DefinitionPattern::Exact(last),
    };
    let definitions = snapshot.view.live_chunks()?.definitions(&pattern, NAMES)?;
    let chunks = definitions.into_iter().flat_map(|definition| definition.chunks);
    let blobs: FxHashSet<BlobNo> = chunks.map(|chunk| chunk.blob_no).take(BLOBS).collect();
    let mut best = None;
    for (blob_no, _, place) in snapshot.view.paths_of(&blobs)? {
        if !part.holds(&place.path) {
            continue;
        }
        let facts = snapshot.facts(blob_no)?;
        if language.is_some_and(|language| language != facts.language) {
            continue;
        }
        // Other documents mention versions in headings too.
        let is_other_document = version(last).is_some() && !icr_history::is_change_log(&place.path);
        let ranks = definitions_named(&facts, names).map(|(at, symbol)| {
            let is_inexact = version(last).is_some_and(|version| !has_token(&symbol.name, version));
            let others_around = facts.qualified_name(at).len();
            let is_minor = is_minor(symbol) || is_inexact;
            (is_other_document, is_minor, place.kind().is_some(), others_around, place.path.to_string())
        });
        let Some(rank) = ranks.min() else { continue };
        if best.as_ref().is_none_or(|(least, _)| rank < *least) {
            best = Some((rank, (blob_no, place)));
        }
    }
    Ok(best.map(|(_, found)| found))
}

/// The definitions of a file whose qualified name ends with `names`; for a version, the sections that are named after
/// it.
fn definitions_named<'f>(facts: &'f Facts, names: &[&str]) -> impl Iterator<Item = (u32, &'f Symbol)> {
    let (name, wanted) = (names.join("."), names.last().map(|last| (*last).to_owned()).unwrap_or_default());
    let is_suffix = move |qualified: &str| {
        qualified.strip_suffix(&name).is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
    };
    let is_version = version(&wanted).is_some();
    (0..).zip(&facts.symbols).filter(move |(at, symbol)| {
        if is_version {
            return symbol.kind == SymbolKind::Section && is_named_after(&symbol.name, &wanted);
        }
        // A module name may contain dots itself.
        (symbol.name == wanted || symbol.name.ends_with(&format!(".{wanted}"))) && {
            let qualified = facts.qualified_name(*at);
            full_names(facts, &qualified).any(|name| is_suffix(&name))
        }
    })
}

/// Whether a definition is a mere part of something else.
fn is_minor(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variant | SymbolKind::Variable | SymbolKind::Key)
}

/// The longest definition of a file that is called `names`, together with adjacent definitions of the same name.
fn place_of(facts: &Facts, text: &FileText<'_>, names: &[&str]) -> Option<ScoredLines> {
    let mut definitions: Vec<(u32, LineSpan)> =
        definitions_named(facts, names).map(|(at, symbol)| (at, lines_with_doc(symbol, text.index()))).collect();
    if let Some(version) = names.last().and_then(|last| version(last)) {
        let rank = |at: u32| {
            let heading = &facts.symbols[at as usize].name;
            (is_pre_release(heading, version), heading.len())
        };
        let first = definitions.iter().map(|(at, _)| rank(*at)).min();
        definitions.retain(|(at, _)| Some(rank(*at)) == first);
    }
    let length = |lines: LineSpan| lines.end - lines.start;
    // A method is preferred to a field of the same name.
    let weight = |(symbol, lines): &&(u32, LineSpan)| (!is_minor(&facts.symbols[*symbol as usize]), length(*lines));
    let (symbol, mut lines) = *definitions.iter().rev().max_by_key(weight)?;
    // Extends the range up and down over adjacent definitions.
    for (_, other) in definitions.iter().rev().chain(&definitions) {
        let is_beside = other.start <= lines.end + LINES_BETWEEN && lines.start <= other.end + LINES_BETWEEN;
        let both = LineSpan { start: lines.start.min(other.start), end: lines.end.max(other.end) };
        if is_beside && length(both) < LONGEST_PLACE {
            lines = both;
        }
    }
    Some(ScoredLines { symbol: Some(symbol), lines, score: 1.0 })
}

#[cfg(test)]
mod tests {
    use icr_lang::{ChunkLimits, Extractor};

    use super::*;

    #[test]
    fn only_a_name_inside_of_another_is_a_qualified_name() {
        for (query, expected) in [
            ("Ship.moor", Some(vec!["Ship", "moor"])),
            ("harbour::Ship::moor()", Some(vec!["harbour", "Ship", "moor"])),
            ("Ship#moor", Some(vec!["Ship", "moor"])),
            ("moor", None),
            ("how does Ship.moor work", None),
            ("src/ship.rs", None),
            ("...", None),
            ("5.0.1", Some(vec!["5.0.1"])),
            ("v5.9", Some(vec!["5.9"])),
        ] {
            assert_eq!(qualified_name(query), expected, "{query}");
        }
        for (query, expected) in [
            ("Ship.moor", vec![vec!["Ship", "moor"]]),
            ("how does Ship.moor work?", vec![vec!["Ship", "moor"]]),
            ("what is Ship.moor.", vec![vec!["Ship", "moor"]]),
            ("who calls `Ship.moor()`?", vec![vec!["Ship", "moor"]]),
            ("who calls Ship.empty?", vec![vec!["Ship", "empty?"], vec!["Ship", "empty"]]),
            ("Ship.moor or Ship.leave", vec![]),
            ("the tests fail since Ship.moor waits for the tide", vec![]),
            ("how do ships moor", vec![]),
            ("what changed in v5.0.1?", vec![vec!["5.0.1"]]),
            ("does it run on python 3.2", vec![]),
            ("what was added in 1.2", vec![vec!["1.2"]]),
        ] {
            assert_eq!(definition_asked_for(query), expected, "{query}");
        }
    }

    #[test]
    fn a_definition_is_found_with_its_overloads() {
        let text = "class Ship:\n    @overload\n    def moor(self): ...\n    @overload\n    def moor(self, at): ...\n    def moor(self, at=None):\n        tie(at)\n\nclass Buoy:\n    def moor(self):\n        pass\n";
        let facts = Extractor::new(ChunkLimits::default()).extract("python", text.as_bytes()).facts;
        let file_text = FileText::new(&facts, text.as_bytes());
        let lines = |names: &[&str]| place_of(&facts, &file_text, names).map(|place| place.lines);
        assert_eq!(lines(&["Ship", "moor"]), Some(LineSpan { start: 2, end: 7 }));
        assert_eq!(lines(&["Buoy", "moor"]), Some(LineSpan { start: 10, end: 11 }));
        assert_eq!(lines(&["Crane", "moor"]), None);
        let text = "struct Opts {\n    /// How deep.\n    /// At least.\n    depth: u32,\n}\n\n\n\n\n\nimpl Opts {\n    fn depth(&self) -> u32 { self.depth }\n}\n";
        let facts = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes()).facts;
        let file_text = FileText::new(&facts, text.as_bytes());
        assert_eq!(
            place_of(&facts, &file_text, &["Opts", "depth"]).map(|place| place.lines),
            Some(LineSpan { start: 12, end: 12 })
        );
    }
}
