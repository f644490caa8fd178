//! The parts of a change that were not examined, and whether they are code.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use icr_git::{Membership, Policy, UnreadReason};
use icr_history::unauthored;
use icr_impact::Incomplete;
use icr_model::{Facts, LineIndex, RepoPath, Span, SymbolKind};

use crate::Snapshot;

/// File name extensions of code for which icr has no grammar. Any other extension counts as data or prose: its change
/// is reported but does not make the verdict unknown.
const CODE_WITHOUT_GRAMMAR: [&str; 76] = [
    // tidy: sorted
    "ada",
    "adb",
    "ads",
    "applescript",
    "as",
    "asm",
    "astro",
    "awk",
    "bas",
    "bat",
    "bicep",
    "cbl",
    "cl",
    "clj",
    "cljc",
    "cljs",
    "cmake",
    "cmd",
    "cob",
    "coffee",
    "cr",
    "csh",
    "cu",
    "cuh",
    "d",
    "ejs",
    "el",
    "elm",
    "erb",
    "erl",
    "f",
    "f03",
    "f90",
    "f95",
    "fish",
    "for",
    "fs",
    "fsx",
    "gd",
    "glsl",
    "groovy",
    "hlsl",
    "hrl",
    "hx",
    "jl",
    "jsp",
    "ksh",
    "lisp",
    "m",
    "metal",
    "mm",
    "nim",
    "nix",
    "pas",
    "pl",
    "pm",
    "ps1",
    "psm1",
    "purs",
    "rkt",
    "s",
    "scm",
    "sol",
    "sv",
    "svelte",
    "t",
    "tcl",
    "thrift",
    "v",
    "vb",
    "vhd",
    "vhdl",
    "vim",
    "vue",
    "wat",
    "zsh",
    // tidy: end
];

/// Why a file was not examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opaque {
    /// It is beyond the number of files of a change that are compared.
    BeyondFirst(usize),
    /// It is beyond the size of a change that is compared.
    BeyondSize {
        definitions: usize,
        bytes: usize,
    },
    Binary,
    Conflicted,
    ExternalFilter,
    /// Left out by an ignore rule or the list of extensions.
    LeftOut,
    /// Left out by an ignore rule that did not exist before the change.
    LeftOutByChange,
    /// Renamed to a path that is left out or secret.
    MovedOut,
    /// A member of the view that is not indexed: not yet, or its object is missing from this clone.
    NotIndexed,
    NoGrammar,
    /// Code that no grammar could parse: its lines or the file are too long, or it crashed a parser process.
    NotParsed,
    Oversize,
    Secret,
    Submodule,
    Symlink,
    Unreadable,
}

impl Opaque {
    /// The reason, as the end of a sentence about the file.
    pub(crate) fn words(self) -> String {
        match self {
            Self::BeyondFirst(files) => format!("only the first {files} files of a change are compared"),
            Self::BeyondSize { definitions, bytes } => {
                format!("only the first {definitions} definitions, or {} MiB, of a change are compared", bytes >> 20)
            }
            Self::Binary => "binary".to_owned(),
            Self::Conflicted => "a merge in progress left several versions of it".to_owned(),
            Self::ExternalFilter => "its attributes name an external filter, and icr runs none".to_owned(),
            Self::LeftOut => "left out of the index by an ignore rule or the list of extensions".to_owned(),
            Self::LeftOutByChange => "left out of the index by a rule that the change may have added".to_owned(),
            Self::MovedOut => "renamed to a path that is left out of the index or secret".to_owned(),
            Self::NotIndexed => "it is not indexed yet, or its object is not in this clone".to_owned(),
            Self::NoGrammar => "icr has no grammar for it".to_owned(),
            Self::NotParsed => {
                "it is too long, or its lines are, for its definitions to be read, or reading it ended icr".to_owned()
            }
            Self::Oversize => "too large for `watcher.max_file_size_kb`".to_owned(),
            Self::Secret => "on the list of secret files".to_owned(),
            Self::Submodule => "a submodule".to_owned(),
            Self::Symlink => "a symbolic link".to_owned(),
            Self::Unreadable => "it could not be read".to_owned(),
        }
    }

    /// The row of the answer. A file that the user left out does not count as code, whatever it is; a submodule counts
    /// as code.
    pub(crate) fn row(self, path: &RepoPath) -> Incomplete {
        let code = match self {
            Self::LeftOut => false,
            Self::Submodule => true,
            _ => is_code(path),
        };
        Incomplete { path: path.to_string(), reason: self.words(), code }
    }
}

impl From<UnreadReason> for Opaque {
    fn from(reason: UnreadReason) -> Self {
        match reason {
            UnreadReason::Oversize => Self::Oversize,
            UnreadReason::ExternalFilter => Self::ExternalFilter,
            UnreadReason::Unreadable => Self::Unreadable,
            UnreadReason::NoTime => Self::NotIndexed,
            UnreadReason::Conflicted => Self::Conflicted,
        }
    }
}

/// Whether the file at `path` is code written by people: not data, prose, a lock file, or generated.
fn is_code(path: &RepoPath) -> bool {
    if unauthored(path).is_some() {
        return false;
    }
    match icr_lang::language_row(icr_lang::language_of(path)) {
        Some(row) => row.is_code(),
        None => path.extension().is_some_and(|extension| {
            CODE_WITHOUT_GRAMMAR.iter().any(|row| row.as_bytes().eq_ignore_ascii_case(extension))
        }),
    }
}

/// The row for a text without a language; it counts as code if its first line names an interpreter.
pub(crate) fn without_grammar(path: &RepoPath, text: &[u8]) -> Incomplete {
    let row = Opaque::NoGrammar.row(path);
    Incomplete { code: row.code || text.starts_with(b"#!"), ..row }
}

/// One side of a changed file, and what icr could not read of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParsedSide<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) text: &'a [u8],
    /// As [`icr_lang::ComparedText::is_sound`].
    pub(crate) is_sound: bool,
    /// As [`icr_lang::ComparedText::lost_definitions`].
    pub(crate) lost_definitions: &'a [Span],
}

/// The row for a file that changed where icr could not read it: code there was not compared, and definitions there may wrongly
/// seem to be gone, or be gone without a finding. A part with unchanged text hides no change. `None` for a side that is not
/// there.
pub(crate) fn unparsed(
    path: &RepoPath,
    old: Option<ParsedSide<'_>>,
    new: Option<ParsedSide<'_>>,
) -> Option<Incomplete> {
    let changed = |new| unread_after(old, new).or_else(|| lost_in_one(new, old, false));
    let removed = |old| lost_in_one(old, new, true).or_else(|| unread_before(old, new));
    let reason = new.and_then(changed).or_else(|| old.and_then(removed))?;
    Some(Incomplete { path: path.to_string(), reason, code: is_code(path) })
}

/// What is said of the first syntax error, or else of the first unread branch of an `#if`, in `new` and not in `old`.
fn unread_after(old: Option<ParsedSide<'_>>, new: ParsedSide<'_>) -> Option<String> {
    if new.is_sound {
        return None;
    }
    let first_new = |unread: fn(&str, &[u8]) -> Vec<Span>| {
        let before = old.map(|old| unread(&old.facts.language, old.text)).unwrap_or_default();
        let old = old.map_or(b"".as_slice(), |old| old.text);
        let mut known: Vec<&[u8]> = before.iter().map(|span| span.of(old)).collect();
        unread(&new.facts.language, new.text).into_iter().find(|span| {
            match known.iter().position(|part| *part == span.of(new.text)) {
                Some(at) => {
                    known.swap_remove(at);
                    false
                }
                None => true,
            }
        })
    };
    let (what, first) = match first_new(icr_lang::syntax_errors) {
        Some(error) => ("syntax error at line", error),
        None => ("a branch of an `#if` that is not read, at line", first_new(icr_lang::unread_branches)?),
    };
    Some(format!("{what} {}: what stands there was not compared", line_of(new.text, first)))
}

/// What is said of the first definition that is lost on `side` and whose head the `other` side does not have as often, unless
/// the other side has the definition in its facts.
fn lost_in_one(side: ParsedSide<'_>, other: Option<ParsedSide<'_>>, is_before: bool) -> Option<String> {
    /// Most heads that are looked for in all of the other text, so that the cost stays linear. A file of which more were lost
    /// is one that icr could not read.
    const SEARCHED: usize = 64;
    let text = other.map_or(b"".as_slice(), |other| other.text);
    let mut lost_there: HashMap<&[u8], usize> = HashMap::new();
    for head in other.into_iter().flat_map(|other| other.lost_definitions) {
        *lost_there.entry(head.of(text).trim_ascii()).or_default() += 1;
    }
    let mut only_here = side.lost_definitions.iter().filter(|head| {
        let there = lost_there.get_mut(head.of(side.text).trim_ascii()).filter(|there| **there > 0);
        there.map(|there| *there -= 1).is_none()
    });
    let is_lost = |head: &[u8]| {
        let symbols = other.into_iter().flat_map(|other| &other.facts.symbols);
        let has_name = |name: &str| words(head).any(|word| word == name.as_bytes());
        let mut readable = symbols.filter(|symbol| has_name(&symbol.name) && !defines(side.facts, &symbol.name));
        occurrences(text, head) < occurrences(side.text, head) && !(is_before && readable.next().is_some())
    };
    let searched = only_here.by_ref().take(SEARCHED).find(|head| is_lost(head.of(side.text).trim_ascii()));
    let first = searched.or_else(|| only_here.next())?;
    let when = if is_before { " before the change" } else { "" };
    let line = line_of(side.text, *first);
    Some(format!("the definition at line {line}{when} could not be read, so it was not compared"))
}

/// What is said of the first syntax error outside of functions that `old` had and `new` has not, if it has what may be the name
/// of a function, which is not in the facts and stands in `new` less often: the function may be gone.
fn unread_before(old: ParsedSide<'_>, new: Option<ParsedSide<'_>>) -> Option<String> {
    if old.is_sound {
        return None;
    }
    let errors = |side: ParsedSide<'_>| icr_lang::syntax_errors(&side.facts.language, side.text);
    let still_there = new.filter(|new| !new.is_sound).map(errors).unwrap_or_default();
    let text = new.map_or(b"".as_slice(), |new| new.text);
    let still_there: HashSet<&[u8]> = still_there.iter().map(|error| error.of(text)).collect();
    let (before, after) = (word_counts(old.text), word_counts(text));
    let known: HashSet<&[u8]> = old.facts.symbols.iter().map(|symbol| symbol.name.as_bytes()).collect();
    let may_be_gone = |name: &[u8]| !known.contains(name) && after.get(name) < before.get(name);
    let bodies = function_bodies(old.facts);
    let first = errors(old).into_iter().find(|error| {
        let part = error.of(old.text);
        !still_there.contains(part) && called_words(part).any(may_be_gone) && !is_in_body(&bodies, part, *error)
    })?;
    let line = line_of(old.text, first);
    Some(format!("syntax error at line {line} before the change: what stood there was not compared"))
}

/// The bodies of functions, in order, without those inside another.
fn function_bodies(facts: &Facts) -> Vec<Span> {
    let functions = facts.symbols.iter().filter(|symbol| {
        matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method) && symbol.signature.end <= symbol.span.end
    });
    let mut bodies: Vec<Span> = functions.map(|symbol| Span::new(symbol.signature.end, symbol.span.end)).collect();
    bodies.sort_unstable_by_key(|body| (body.start, Reverse(body.end)));
    let mut end = 0;
    bodies.retain(|body| {
        let is_outside = body.start >= end;
        end = end.max(body.end);
        is_outside
    });
    bodies
}

/// Whether the error with the text `part` is in one of `bodies`, and neither begins nor ends a block there.
fn is_in_body(bodies: &[Span], part: &[u8], error: Span) -> bool {
    let count = |brace| part.iter().filter(|byte| **byte == brace).count();
    let behind = bodies.partition_point(|body| body.start <= error.start);
    count(b'{') == count(b'}') && bodies[..behind].last().is_some_and(|body| body.contains(error))
}

/// How often each word stands in `text`.
fn word_counts(text: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for word in words(text) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

fn line_of(text: &[u8], span: Span) -> u32 {
    LineIndex::new(text).line_of(span.start)
}

fn defines(facts: &Facts, name: &str) -> bool {
    facts.symbols.iter().any(|symbol| symbol.name == name)
}

fn occurrences(text: &[u8], part: &[u8]) -> usize {
    memchr::memmem::find_iter(text, part).count()
}

/// The words of ASCII letters, digits and `_` in `text`.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_of_word(*byte)).filter(|word| !word.is_empty())
}

/// The words directly before a round bracket.
fn called_words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let before = text.split(|byte| *byte == b'(').map(<[u8]>::trim_ascii_end);
    let words = before.map(|before| {
        let length = before.iter().rev().take_while(|byte| is_of_word(**byte)).count();
        &before[before.len() - length..]
    });
    words.filter(|word| !word.is_empty())
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Why `view` has no text for the file at `path` of the change.
pub(crate) fn absence(view: &Snapshot, path: &RepoPath) -> Opaque {
    outside(view.context.foundation.shape.policy(), path).unwrap_or(Opaque::NotIndexed)
}

/// Why `path` is not a member of a view; `None` for a member.
pub(crate) fn outside(policy: &Policy, path: &RepoPath) -> Option<Opaque> {
    match policy.decide(path) {
        Membership::Member => None,
        Membership::Ignored => Some(Opaque::LeftOut),
        Membership::Secret => Some(Opaque::Secret),
    }
}

#[cfg(test)]
mod tests {
    use icr_lang::{ChunkLimits, ComparedText, Extractor};

    use super::*;

    #[test]
    fn names_say_what_is_code() {
        for (path, expected) in [
            ("src/a.rs", true),
            ("a.PL", true),
            ("Dockerfile", true),
            ("src/a.css", true),
            ("README.md", false),
            ("data/a.json", false),
            ("a.csv", false),
            ("logo.png", false),
            ("LICENSE", false),
            ("Cargo.lock", false),
            ("api/a.pb.go", false),
            ("app.min.js", false),
        ] {
            assert_eq!(is_code(&path.into()), expected, "{path}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_names_nothing_with_a_grammar() {
        assert!(CODE_WITHOUT_GRAMMAR.is_sorted_by(|one, other| one < other));
        for extension in CODE_WITHOUT_GRAMMAR {
            let path = RepoPath::from(format!("a.{extension}").as_str());
            assert_eq!(icr_lang::language_of(&path), icr_lang::TEXT, "{extension}");
        }
    }

    /// Why the file `a` of `language` was not compared, if it was not.
    fn reason(language: &str, old: Option<&str>, new: Option<&str>) -> Option<String> {
        let mut extractor = Extractor::new(ChunkLimits::default());
        let mut read = |text: &str| {
            let facts = extractor.extract(language, text.as_bytes()).facts;
            let compared = icr_lang::compared_text(language, text.as_bytes(), &facts);
            (facts, compared)
        };
        let (before, after) = (old.map(&mut read), new.map(&mut read));
        let before = before.as_ref().zip(old).map(|(read, text)| parsed_side(read, text));
        let after = after.as_ref().zip(new).map(|(read, text)| parsed_side(read, text));
        unparsed(&"a.py".into(), before, after).filter(|row| row.code).map(|row| row.reason)
    }

    fn parsed_side<'a>((facts, compared): &'a (Facts, ComparedText), text: &'a str) -> ParsedSide<'a> {
        let ComparedText { is_sound, lost_definitions, .. } = compared;
        ParsedSide { facts, text: text.as_bytes(), is_sound: *is_sound, lost_definitions }
    }

    #[test]
    fn an_error_from_before_covers_nothing_that_changed() {
        let broken = "def a(:\n    return 1\n\ndef b():\n    return 2\n";
        let elsewhere = broken.replace("return 2", "return 3");
        let row = |old: Option<&str>, new: &str| reason("python", old, Some(new)).is_some();
        assert!(!row(Some(broken), &elsewhere));
        assert!(row(None, broken));
        assert!(row(Some("def a():\n    return 1\n"), broken));
        assert!(!row(Some(broken), "def a():\n    return 1\n"));
    }

    #[test]
    fn a_definition_that_was_never_read_is_not_removed_silently() {
        let unread = "class A {\n  fun a() {\n    when (x) { is A if -> 1 }\n  }\n  fun b() = 1 +\n}\n\nclass C {\n  fun d()\n}\n";
        let kept = "class A {\n  fun a() {\n  }\n}\n\nclass C {\n  fun d()\n}\n";
        let lost = "the definition at line 5 before the change could not be read, so it was not compared";
        assert_eq!(reason("kotlin", Some(unread), Some(kept)).as_deref(), Some(lost));
        let elsewhere = unread.replace("fun d()", "fun d(e: Int)");
        assert_eq!(reason("kotlin", Some(unread), Some(&elsewhere)), None);
        let lost = "the definition at line 1 before the change could not be read, so it was not compared";
        assert_eq!(reason("kotlin", Some(unread), None).as_deref(), Some(lost));
        let declaration = "int a(void);\n: foo(int c) := 1;\nint d(void);\n";
        let lost = "syntax error at line 2 before the change: what stood there was not compared";
        assert_eq!(reason("c", Some(declaration), Some("int a(void);\nint d(void);\n")).as_deref(), Some(lost));
    }

    #[test]
    fn an_error_in_a_function_hides_no_definition_that_goes() {
        let broken = "int a(void) {\n  return b(1, );\n}\n";
        assert_eq!(reason("c", Some(broken), Some("int a(void) {\n  return 1;\n}\n")), None);
    }
}
