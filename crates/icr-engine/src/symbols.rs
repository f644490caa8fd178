//! Search by name: definitions of the view whose name matches.

use crate::files::check_part;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use icr_lexical::{ChunkRef, DefinitionPattern};
use icr_model::{BlobNo, Contract, Facts, Gap, LineIndex, Symbol, SymbolKind, Visibility, name_distance};
use rustc_hash::FxHashSet;
use serde::Serialize;

use icr_view::PathFacts;

use crate::files::PathScope;
use crate::search::{UnreadBlobs, cut, known_language};
use crate::written_names::{DefinitionNumber, MissingMember, OuterFit, did_you_mean, look_up_member, suggestions};
use crate::{Error, Snapshot};

/// Names examined for each kind of match; further ones are longer, and so match less well.
const NAMES: usize = 2_000;

/// Most blobs whose definitions are examined; a name that is in more of them is in the first ones too.
const BLOBS: usize = 4_000;

/// Most requested kinds that a note names.
const KINDS_NAMED: usize = 3;

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
    /// Names that may be meant where no definition has the name or a part of it, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<String>,
    /// What may be meant instead, where a type has no member of the name; in JSON as a sentence.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_note")]
    #[schemars(with = "Option<String>")]
    pub missing_member: Option<MissingMember>,
    /// Types that the requested type inherits the results from; empty if they are its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inherited_from: Vec<String>,
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

    /// What an answer to people says besides the results: that they do not have the name that was asked for, and which
    /// names may be meant; `None` if there is nothing to say.
    pub fn note(&self) -> Option<String> {
        if let Some(missing) = &self.missing_member {
            return Some(missing.note());
        }
        if !self.inherited_from.is_empty() {
            let definers: Vec<String> = self.inherited_from.iter().map(|definer| format!("`{definer}`")).collect();
            return Some(format!("inherited from {}", definers.join(" and ")));
        }
        let question = did_you_mean(&self.similar);
        let said = match (self.symbols.is_empty(), self.has_only_letters()) {
            (true, _) => "nothing found",
            (false, true) => "no definition has this name; these names contain its letters",
            (false, false) => return None,
        };
        match question {
            Some(question) => Some(format!("{said}; {question}")),
            None => (!self.symbols.is_empty()).then(|| said.to_owned()),
        }
    }
}

/// Writes a missing member as a sentence.
fn serialize_note<S: serde::Serializer>(missing: &Option<MissingMember>, serializer: S) -> Result<S::Ok, S::Error> {
    missing.as_ref().map(MissingMember::note).serialize(serializer)
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
    let mut found: BTreeMap<Order, (OuterFit, SymbolHit)> = BTreeMap::new();
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
                let Some(fit) = OuterFit::of(&facts, path, &qualified_name, outer) else { continue };
                if !wanted {
                    other_kinds.insert(symbol.kind);
                    continue;
                }
                let order = order(score, distance_of(score, symbol, name), symbol, &place, at as u32);
                found.entry(order).or_insert_with(|| (fit, hit(symbol, qualified_name, path.to_string(), score)));
            }
        }
    }
    let is_it = |(fit, hit): &(OuterFit, SymbolHit)| *fit == OuterFit::Written && hit.score >= f64::from(SAME) / 100.0;
    let has_name = found.values().any(is_it);
    let types = if has_name { None } else { look_up_member(snapshot, outer, name, None)? };
    let mut inherited_from = Vec::new();
    if let Some(types) = &types {
        // What merely looks like it belongs to something else, unless it is in a file of the module.
        found.retain(|_, (fit, _)| *fit == OuterFit::Written || types.has_only_modules);
        for DefinitionNumber { path, at } in &types.members {
            let Some(file) = snapshot.view.file(path)? else { continue };
            let facts = snapshot.facts(file.row.blob_no)?;
            let symbol = &facts.symbols[*at as usize];
            let is_spoken = languages.is_empty() || languages.contains(&Some(facts.language.as_str()));
            if !is_spoken || !part.holds(path) || !request.kinds.is_empty() && !request.kinds.contains(&symbol.kind) {
                continue;
            }
            let score = match_of(&symbol.name, name).unwrap_or(SAME);
            let order = order(score, 0, symbol, &PathFacts::new(path.clone()), *at);
            found.insert(order, (OuterFit::Written, hit(symbol, facts.qualified_name(*at), path.to_string(), score)));
            inherited_from = types.heritage(snapshot)?;
        }
    }
    // What stands in front as it was written is meant, not what merely fits.
    let best = found.values().map(|(fit, _)| *fit).min();
    found.retain(|_, (fit, _)| Some(*fit) == best);
    if found.is_empty() {
        check_part(snapshot, &part)?;
    }
    let total_count = found.len() as u64;
    let mut symbols: Vec<SymbolHit> = found.into_values().map(|(_, hit)| hit).take(request.limit).collect();
    let gaps = add_texts(snapshot, &mut symbols)?.gaps();
    let has_name = symbols.first().is_some_and(|best| best.score >= f64::from(SAME) / 100.0);
    let is_other = !has_name && !other_kinds.is_empty();
    let other_kinds_note = is_other.then(|| note_of_other_kinds(request, &other_kinds));
    let has_nothing = symbols.is_empty() && !is_other;
    let missing_member = match types.filter(|types| has_nothing && types.members.is_empty()) {
        Some(types) => Some(types.missing_member(snapshot, name)?),
        None => None,
    };
    let mut results = SymbolResults {
        symbols,
        total_count,
        similar: Vec::new(),
        missing_member,
        inherited_from,
        other_kinds_note,
        gaps,
    };
    if has_nothing && results.missing_member.is_none() || results.has_only_letters() {
        results.similar = suggestions(snapshot, &parts, None)?;
        // They are among the results.
        results.similar.retain(|similar| results.symbols.first().is_none_or(|best| best.name != *similar));
    }
    Ok(results)
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

/// The parts of a qualified name, whatever joins them: `Type.method`, `module::name`, `Namespace\Class`, `Type#method`. The
/// brackets of a call, `Type.method()`, are no part.
pub(crate) fn name_parts(name: &str) -> Vec<&str> {
    let name = name.trim();
    let called = name.strip_suffix("()").filter(|called| !called.ends_with("operator"));
    called.unwrap_or(name).split(['.', ':', '#', '/', '\\']).filter(|part| !part.is_empty()).collect()
}

/// The names of a definition of the file with `facts`: its qualified name, alone and after each namespace, package or
/// module that the file declares.
pub(crate) fn full_names(facts: &Facts, qualified_name: &str) -> impl Iterator<Item = String> {
    let named = facts.provides.iter().filter(|namespace| !namespace.starts_with(Facts::GLOBAL_NAMESPACE));
    let declared = named.map(|namespace| name_parts(namespace).join("."));
    std::iter::once(qualified_name.to_owned()).chain(declared.map(move |outer| format!("{outer}.{qualified_name}")))
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
        assert!(found.has_only_letters() && found.similar.is_empty(), "the first of them is the nearest");
        assert_eq!(found.note().as_deref(), Some("no definition has this name; these names contain its letters"));
    }

    #[test]
    fn names_that_have_the_letters_by_chance_do_not_hide_the_nearest() {
        let fixture = "//- src/a.rs\nfn open_store_from_a_path_of_a_file() {}\nfn open_strore() {}\n";
        let found = found_in(fixture, "openstorf");
        assert!(found.has_only_letters());
        assert_eq!(found.similar, ["open_strore"]);
        let note = "no definition has this name; these names contain its letters; did you mean `open_strore`?";
        assert_eq!(found.note().as_deref(), Some(note));
    }

    #[test]
    fn a_member_is_one_of_the_type_in_front_or_of_its_bases() {
        let fixture = "//- a.py\nclass Base:\n    def close(self): pass\nclass Derived(Base):\n    def open(self): pass\n\
                       class Other:\n    def halt(self): pass\n";
        let names = |query: &str| {
            let found = found_in(fixture, query);
            let names: Vec<String> = found.symbols.iter().map(|symbol| symbol.qualified_name.clone()).collect();
            (names.join(" "), found.note())
        };
        assert_eq!(names("Derived.open"), ("Derived.open".to_owned(), None));
        assert_eq!(names("Derived.close"), ("Base.close".to_owned(), Some("inherited from `Base`".to_owned())));
        let missing = "`Derived` has no member `halt`; `halt` is defined as `Other.halt` (`a.py`)";
        assert_eq!(names("Derived.halt"), (String::new(), Some(missing.to_owned())));
        let similar = "`Derived` has no member `opne`; did you mean `Derived.open`?";
        assert_eq!(names("Derived.opne"), (String::new(), Some(similar.to_owned())));
    }

    #[test]
    fn what_is_not_found_has_similar_names() {
        let fixture = "//- src/a.rs\npub struct Command;\nimpl Command {\n    pub fn run(&self) {}\n}\n\
                       pub struct Other;\nimpl Other {\n    pub fn run(&self) {}\n}\npub fn help_printer() {}\n";
        let similar = |query: &str| found_in(fixture, query).similar;
        assert_eq!(similar("help_printerr"), ["help_printer"]);
        assert_eq!(similar("Comand.run"), ["Command.run"]);
        assert_eq!(similar("zeppelin"), Vec::<String>::new());
        let note = found_in(fixture, "Comand.run").note();
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
    fn the_parts_of_a_name_are_found_whatever_joins_them() {
        assert_eq!(name_parts(" \\GuzzleHttp\\Client::send"), ["GuzzleHttp", "Client", "send"]);
        assert_eq!(name_parts("Server.handle()"), ["Server", "handle"]);
        assert_eq!(name_parts("Less::operator()"), ["Less", "operator()"]);
        assert!(name_parts("()").is_empty());
    }

    #[test]
    fn doc_comments_lose_their_signs() {
        assert_eq!(first_paragraph(b"/// Opens a file.\n/// Slowly.\n///\n/// More."), "Opens a file. Slowly.");
        assert_eq!(first_paragraph(b"\"\"\"\n    Opens.\n    \"\"\""), "Opens.");
        assert_eq!(first_paragraph(b"/**\n * Opens.\n */"), "Opens.");
    }
}
