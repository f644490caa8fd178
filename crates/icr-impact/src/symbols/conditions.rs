//! Under which conditions of a build a definition is there: `#[cfg(…)]` before it, `#if` around it.
//!
//! A definition may have several variants, each for other builds. Who removes one of them takes the name only from those
//! builds that no other variant is for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use icr_model::{ImportKind, ImportName, LineIndex, Symbol};

use super::FileSide;
use super::language::ConditionSyntax;
use super::side::{AnalyzedSide, parent_of};
use super::tokens::SourceToken;

/// Most conditions inside each other that are read; the ones further inside count as one.
const DEPTH_MOST: usize = 16;

/// Most branches of one `#if` and most attributes around one definition that are told apart.
const BRANCHES_MOST: usize = 16;

/// Longest condition that is taken apart, in tokens of an attribute or in bytes of a directive. A longer one counts as one
/// switch.
const LENGTH_MOST: usize = 256;

/// Most branches that are read for all directives of a file; of files with more nothing is known.
const BRANCHES_OF_FILE_MOST: usize = 50_000;

/// Most different switches of a build for which all combinations are tried. With more, conditions are compared as they
/// are.
const SWITCHES_MOST: usize = 10;

/// Switches of which a build has one value at most.
const ONE_VALUE: [&str; 6] =
    ["panic", "target_arch", "target_endian", "target_env", "target_os", "target_pointer_width"];

/// When something is compiled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Condition {
    /// A switch of the build is on, or something holds that is not understood.
    Switch(String),
    Not(Box<Condition>),
    /// All of these hold. Without any, always.
    All(Vec<Condition>),
    /// One of these holds. Without any, never.
    Any(Vec<Condition>),
}

impl Condition {
    pub(crate) const ALWAYS: Self = Self::All(Vec::new());

    /// All of `list` at once.
    fn all(list: Vec<Self>) -> Self {
        let mut parts: Vec<Self> = Vec::new();
        for condition in list {
            match condition {
                Self::All(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        if parts.len() == 1 { parts.remove(0) } else { Self::All(parts) }
    }

    fn any(mut list: Vec<Self>) -> Self {
        list.sort_unstable();
        list.dedup();
        if list.len() == 1 { list.remove(0) } else { Self::Any(list) }
    }

    fn not(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    pub(crate) fn is_always(&self) -> bool {
        *self == Self::ALWAYS
    }

    /// Whether in every build where this holds, one of `others` does. False where there are too many switches to try all
    /// builds.
    pub(crate) fn is_covered_by(&self, others: &[&Self]) -> bool {
        if others.iter().any(|other| *other == self || other.is_always()) {
            return true;
        }
        let mut switches = BTreeSet::new();
        others.iter().chain([&self]).for_each(|condition| condition.add_switches(&mut switches));
        let switches: Vec<&str> = switches.into_iter().collect();
        if switches.len() > SWITCHES_MOST {
            return false;
        }
        (0..1_u32 << switches.len()).all(|build| {
            let on = |switch: &str| {
                switches.iter().position(|known| *known == switch).is_some_and(|at| build >> at & 1 == 1)
            };
            !is_build(&switches, &on) || !self.holds(&on) || others.iter().any(|other| other.holds(&on))
        })
    }

    fn holds(&self, on: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Switch(name) => on(name),
            Self::Not(inner) => !inner.holds(on),
            Self::All(list) => list.iter().all(|condition| condition.holds(on)),
            Self::Any(list) => list.iter().any(|condition| condition.holds(on)),
        }
    }

    fn add_switches<'c>(&'c self, switches: &mut BTreeSet<&'c str>) {
        match self {
            Self::Switch(name) => drop(switches.insert(name)),
            Self::Not(inner) => inner.add_switches(switches),
            Self::All(list) | Self::Any(list) => list.iter().for_each(|condition| condition.add_switches(switches)),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |formatter: &mut fmt::Formatter<'_>, list: &[Self], word: &str| {
            for (number, condition) in list.iter().enumerate() {
                if number > 0 {
                    write!(formatter, " {word} ")?;
                }
                match condition {
                    Self::All(_) | Self::Any(_) => write!(formatter, "({condition})")?,
                    Self::Switch(_) | Self::Not(_) => write!(formatter, "{condition}")?,
                }
            }
            Ok(())
        };
        match self {
            Self::Switch(name) => formatter.write_str(name),
            Self::Not(inner) if matches!(**inner, Self::Switch(_)) => write!(formatter, "not {inner}"),
            Self::Not(inner) => write!(formatter, "not ({inner})"),
            Self::All(list) if list.is_empty() => formatter.write_str("always"),
            Self::Any(list) if list.is_empty() => formatter.write_str("never"),
            Self::All(list) => joined(formatter, list, "and"),
            Self::Any(list) => joined(formatter, list, "or"),
        }
    }
}

/// Whether a build may have these switches on and the others off.
fn is_build(switches: &[&str], on: &dyn Fn(&str) -> bool) -> bool {
    if on("unix") && on("windows") {
        return false;
    }
    let key = |switch: &str| switch.split_once(" = ").map(|(key, _)| key.to_owned());
    let valued = switches.iter().filter(|switch| on(switch)).filter_map(|switch| key(switch));
    let mut keys: Vec<String> = valued.filter(|key| ONE_VALUE.contains(&key.as_str())).collect();
    let total = keys.len();
    keys.sort_unstable();
    keys.dedup();
    keys.len() == total
}

/// When each symbol of a side is there; empty if that is always so for all of them. Linear in the text.
pub(crate) fn conditions(side: &AnalyzedSide<'_>) -> Vec<Condition> {
    let has = |sign: &[u8]| side.side.text.windows(sign.len()).any(|part| part == sign);
    match side.row.conditions {
        ConditionSyntax::Attributes if has(b"cfg") => of_attributes(side),
        ConditionSyntax::Directives if has(b"#") => of_directives(side),
        _ => Vec::new(),
    }
}

fn of_attributes(side: &AnalyzedSide<'_>) -> Vec<Condition> {
    let text = side.side.text;
    let of_file = attributes(text, side.tokens(), true);
    let symbols = &side.side.facts.symbols;
    let own =
        |symbol: &Symbol| Condition::all(attributes(text, side.tokens_in(side.span_before_signature(symbol)), false));
    let mut conditions: Vec<Condition> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        // Parents stand before their members, except those that are written apart, which have no conditions in common.
        let around = parent_of(symbols, symbol).filter(|parent| symbols[*parent].span.contains(symbol.span));
        let around = around.and_then(|parent| conditions.get(parent)).cloned();
        let around = around.unwrap_or_else(|| Condition::all(of_file.clone()));
        let is_long = matches!(&around, Condition::All(list) if list.len() > BRANCHES_MOST);
        conditions.push(if is_long { around } else { Condition::all(vec![around, own(symbol)]) });
    }
    conditions
}

/// The conditions of the `#[cfg(…)]` among `tokens`, or of the `#![cfg(…)]` before everything else.
fn attributes(text: &[u8], tokens: &[SourceToken], is_inner: bool) -> Vec<Condition> {
    let mut found = Vec::new();
    let mut words = Words { text, tokens, at: 0 };
    let opening: &[&[u8]] = if is_inner { &[b"#", b"!", b"["] } else { &[b"#", b"["] };
    while words.at < tokens.len() {
        if !opening.iter().all(|sign| words.take(sign)) {
            if is_inner {
                break;
            }
            words.at += 1;
            continue;
        }
        let start = words.at;
        words.skip_group();
        let end = std::mem::replace(&mut words.at, start);
        if words.take(b"cfg") && words.take(b"(") && found.len() < BRANCHES_MOST {
            let is_long = end - start > LENGTH_MOST;
            found.push(if is_long { words.one_switch(end) } else { words.predicate(0) });
        }
        words.at = end;
    }
    found
}

/// Tokens that are read one by one.
struct Words<'a> {
    text: &'a [u8],
    tokens: &'a [SourceToken],
    at: usize,
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.tokens.get(self.at).map(|token| token.of(self.text))
    }

    fn text_of(&self, at: usize) -> &'a [u8] {
        self.tokens[at].of(self.text)
    }

    fn take(&mut self, sign: &[u8]) -> bool {
        let is_next = self.peek() == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    /// Goes behind the bracket that closes the one before.
    fn skip_group(&mut self) {
        let mut depth = 1_usize;
        while let Some(token) = self.peek().filter(|_| depth > 0) {
            match token {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The tokens up to `end` as one switch.
    fn one_switch(&self, end: usize) -> Condition {
        let tokens = self.tokens[self.at..end].iter().take(LENGTH_MOST);
        Condition::Switch(tokens.map(|token| String::from_utf8_lossy(token.of(self.text))).collect())
    }

    /// What stands in the parentheses of `cfg`.
    fn predicate(&mut self, depth: usize) -> Condition {
        let Some(name) = self.peek() else { return Condition::ALWAYS };
        let name = String::from_utf8_lossy(name).into_owned();
        self.at += 1;
        if self.take(b"(") {
            if depth >= DEPTH_MOST || !matches!(name.as_str(), "all" | "any" | "not") {
                let start = self.at;
                self.skip_group();
                let inside =
                    self.tokens[start..self.at].iter().map(|token| String::from_utf8_lossy(token.of(self.text)));
                return Condition::Switch(format!("{name}({}", inside.collect::<String>()));
            }
            let mut list = Vec::new();
            while self.peek().is_some_and(|token| token != b")") {
                let before = self.at;
                list.push(self.predicate(depth + 1));
                self.take(b",");
                // Whatever is no predicate is left out.
                self.at = self.at.max(before + 1);
            }
            self.take(b")");
            return match name.as_str() {
                "all" => Condition::all(list),
                "any" => Condition::any(list),
                _ => Condition::all(list).not(),
            };
        }
        if self.take(b"=") {
            let value = self.peek().map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default();
            self.at += 1;
            return match (name.as_str(), value.trim_matches('"')) {
                ("target_family", family @ ("unix" | "windows")) => Condition::Switch(family.to_owned()),
                _ => Condition::Switch(format!("{name} = {value}")),
            };
        }
        match name.as_str() {
            "true" => Condition::ALWAYS,
            "false" => Condition::Any(Vec::new()),
            _ => Condition::Switch(name),
        }
    }
}

/// A name that a file offers to fewer builds than before: a public module, or one that is passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatedExport {
    /// The name in this file.
    pub name: String,
    /// Whether it is a module that has a file of its own.
    pub is_module: bool,
    /// Line of the statement after the change.
    pub line: u32,
    /// The builds that still have it, in words.
    pub condition: String,
}

/// What `new` offers to fewer builds than `old` did, two sides of one file, in the order of the statements. Empty for
/// languages that have no attributes for builds. Costs one pass over the tokens of each side.
pub fn gated_exports(old: FileSide<'_>, new: FileSide<'_>) -> Vec<GatedExport> {
    let (old, new) = (AnalyzedSide::new(old), AnalyzedSide::new(new));
    let is_read = |side: &AnalyzedSide<'_>| side.row.conditions == ConditionSyntax::Attributes;
    if !is_read(&old) || !is_read(&new) {
        return Vec::new();
    }
    let (olds, news) = (offered_names(&old), offered_names(&new));
    let mut found = Vec::new();
    for (at, (export, line, condition)) in news.iter().enumerate() {
        let is_first = !news[..at].iter().any(|(other, ..)| other == export);
        let is_all: Vec<&Condition> =
            news.iter().filter(|(other, ..)| other == export).map(|(.., condition)| condition).collect();
        let mut before = olds.iter().filter(|(other, ..)| other == export);
        if is_first && before.any(|(.., was)| !was.is_covered_by(&is_all)) {
            let (name, is_module) = (export.local().to_owned(), export.name.is_none());
            found.push(GatedExport { name, is_module, line: *line, condition: condition.to_string() });
        }
    }
    found
}

/// What a statement offers: a module, or a name of one.
#[derive(Debug, PartialEq, Eq)]
struct OfferedName<'a> {
    specifier: &'a str,
    name: Option<&'a ImportName>,
}

impl OfferedName<'_> {
    fn local(&self) -> &str {
        self.name.map_or(self.specifier, |name| name.alias.as_deref().unwrap_or(&name.name))
    }
}

/// What the public statements of a side offer, with the line of each and when it is there.
fn offered_names<'a>(side: &AnalyzedSide<'a>) -> Vec<(OfferedName<'a>, u32, Condition)> {
    let (text, tokens, lines) = (side.side.text, side.tokens(), LineIndex::new(side.side.text));
    let imports = &side.side.facts.imports;
    if imports.is_empty() {
        return Vec::new();
    }
    let of_file = attributes(text, tokens, true);
    let mut by_line: BTreeMap<u32, Vec<Condition>> = BTreeMap::new();
    let mut words = Words { text, tokens, at: 0 };
    let mut first = None;
    while words.at < tokens.len() {
        let start = words.at;
        if words.take(b"#") && words.take(b"[") {
            words.skip_group();
            first.get_or_insert(start);
            continue;
        }
        words.at = start + 1;
        let from = first.take().unwrap_or(start);
        if words.text_of(start) == b"pub" {
            by_line.insert(lines.line_of(tokens[start].start), attributes(text, &tokens[from..start], false));
        }
    }
    let mut offered = Vec::new();
    for import in imports.iter().filter(|import| import.reexport || import.kind == ImportKind::Module) {
        let Some(own) = by_line.get(&import.line) else { continue };
        let condition = Condition::all(of_file.iter().chain(own).cloned().collect());
        let names = import.names.iter().map(Some).chain(import.names.is_empty().then_some(None));
        offered.extend(
            names.map(|name| (OfferedName { specifier: &import.specifier, name }, import.line, condition.clone())),
        );
    }
    offered
}

/// An `#if` that is open.
struct OpenIf {
    /// Conditions of the branches before the current one.
    before: Vec<Condition>,
    current: Condition,
}

impl OpenIf {
    /// When the current branch is compiled.
    fn condition(&self) -> Condition {
        let others = self.before.iter().cloned().map(Condition::not);
        Condition::all(others.chain([self.current.clone()]).collect())
    }

    /// Goes on with the next branch.
    fn turn(&mut self, condition: Condition) {
        let before = std::mem::replace(&mut self.current, condition);
        if self.before.len() < BRANCHES_MOST {
            self.before.push(before);
        }
    }
}

fn of_directives(side: &AnalyzedSide<'_>) -> Vec<Condition> {
    let places = places(side.side.text);
    if places.is_empty() {
        return Vec::new();
    }
    let at = |symbol: &Symbol| {
        let before = places.partition_point(|(start, _)| *start <= symbol.name_start);
        before.checked_sub(1).map_or(Condition::ALWAYS, |place| places[place].1.clone())
    };
    side.side.facts.symbols.iter().map(at).collect()
}

/// From which byte on which condition holds, up to the next entry.
fn places(text: &[u8]) -> Vec<(u32, Condition)> {
    let mut places = Vec::new();
    let mut open: Vec<OpenIf> = Vec::new();
    // How many `#if` are open besides those in `open`.
    let mut deeper = 0_usize;
    let mut end = 0_usize;
    let mut branches = 0_usize;
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        end += line.len();
        let Some((word, rest)) = directive(line) else { continue };
        let mut condition = String::from_utf8_lossy(rest).into_owned();
        while condition.trim_end().ends_with('\\') && condition.len() <= LENGTH_MOST {
            condition.truncate(condition.trim_end().len() - 1);
            let Some(line) = lines.next() else { break };
            end += line.len();
            condition.push_str(&String::from_utf8_lossy(line));
        }
        match word {
            b"if" | b"ifdef" | b"ifndef" if open.len() >= DEPTH_MOST => deeper += 1,
            b"endif" if deeper > 0 => deeper -= 1,
            b"if" | b"ifdef" | b"ifndef" => {
                // The guard of a header against being included twice.
                let next = if word == b"ifndef" { lines.clone().find_map(directive) } else { None };
                let is_guard =
                    next.is_some_and(|(next, name)| next == b"define" && first_word(name) == condition.trim());
                let current = if is_guard { Condition::ALWAYS } else { expression(word, &condition) };
                open.push(OpenIf { before: Vec::new(), current });
            }
            b"elif" | b"elifdef" | b"elifndef" | b"else" if deeper == 0 => {
                let Some(last) = open.last_mut() else { return Vec::new() };
                last.turn(if word == b"else" { Condition::ALWAYS } else { expression(&word[2..], &condition) });
            }
            b"endif" => drop(open.pop()),
            _ => continue,
        }
        branches += open.iter().map(|open| open.before.len() + 1).sum::<usize>();
        if branches > BRANCHES_OF_FILE_MOST {
            return Vec::new();
        }
        places.push((end as u32, Condition::all(open.iter().map(OpenIf::condition).collect())));
    }
    // Of directives that do not match nothing is known.
    if open.is_empty() { places } else { Vec::new() }
}

/// The word of a directive, and what follows it.
fn directive(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.trim_ascii().strip_prefix(b"#")?.trim_ascii_start();
    let end = rest.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

fn first_word(text: &[u8]) -> &str {
    let text = text.trim_ascii();
    let end = text.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).unwrap_or_default()
}

/// The condition of `#if`, `#ifdef` and `#ifndef`.
fn expression(word: &[u8], text: &str) -> Condition {
    let text = without_comments(text);
    let defined = || Condition::Switch(format!("defined({})", text.trim()));
    match word {
        b"ifdef" => defined(),
        b"ifndef" => defined().not(),
        _ if text.len() > LENGTH_MOST => Condition::Switch(text.chars().take(LENGTH_MOST).collect()),
        _ => Expression { rest: text.trim() }.either(0),
    }
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text.split("//").next().unwrap_or_default();
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind);
    }
    kept + rest
}

/// An expression of the preprocessor that is read from its start.
struct Expression<'a> {
    rest: &'a str,
}

impl<'a> Expression<'a> {
    fn take(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let behind = self.rest.strip_prefix(sign);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn either(&mut self, depth: usize) -> Condition {
        let mut list = vec![self.conjunction(depth)];
        while self.take("||") {
            list.push(self.conjunction(depth));
        }
        Condition::any(list)
    }

    fn conjunction(&mut self, depth: usize) -> Condition {
        let mut list = vec![self.operand(depth)];
        while self.take("&&") {
            list.push(self.operand(depth));
        }
        Condition::all(list)
    }

    fn operand(&mut self, depth: usize) -> Condition {
        self.rest = self.rest.trim_start();
        if depth < DEPTH_MOST && self.rest.starts_with('!') && !self.rest.starts_with("!=") {
            self.rest = &self.rest[1..];
            return self.operand(depth + 1).not();
        }
        let whole = self.whole_operand();
        self.rest = &self.rest[whole.len()..];
        let whole = whole.trim();
        let inner = whole.strip_prefix('(').and_then(|inside| inside.strip_suffix(')'));
        if let Some(inner) = inner.filter(|inner| depth < DEPTH_MOST && is_balanced(inner)) {
            let mut inside = Expression { rest: inner };
            let condition = inside.either(depth + 1);
            if inside.rest.trim().is_empty() {
                return condition;
            }
        }
        let name = whole.strip_prefix("defined").map(|name| name.trim().trim_matches(['(', ')']).trim());
        match (whole, name) {
            ("0" | "false", _) => Condition::Any(Vec::new()),
            ("1" | "true", _) => Condition::ALWAYS,
            (_, Some(name)) if whole[7..].starts_with([' ', '\t', '(']) => {
                Condition::Switch(format!("defined({name})"))
            }
            _ => Condition::Switch(whole.split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }

    /// The text up to the next sign that joins operands.
    fn whole_operand(&self) -> &'a str {
        let mut depth = 0_i32;
        for (at, sign) in self.rest.char_indices() {
            let behind = &self.rest[at..];
            match sign {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ if depth <= 0 && (behind.starts_with("&&") || behind.starts_with("||")) => return &self.rest[..at],
                _ => {}
            }
        }
        self.rest
    }
}

/// Whether every parenthesis closes one that the text opens.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|sign| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth >= 0
    }) && depth == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tokens::{RUST_SIGNS, tokens};
    use super::*;

    fn attribute(text: &str) -> Condition {
        Condition::all(attributes(text.as_bytes(), &tokens(text.as_bytes(), &RUST_SIGNS), false))
    }

    #[test]
    fn attributes_say_for_which_builds_a_definition_is() {
        let check = |text: &str, expected: &str| assert_eq!(attribute(text).to_string(), expected, "{text}");
        check("#[inline]\n#[cfg(feature = \"a\")]", "feature = \"a\"");
        check("#[cfg(unix)] #[cfg(not(feature = \"a\"))]", "unix and not feature = \"a\"");
        check("#[cfg(any(all(unix, test), target_family = \"windows\"))]", "windows or (test and unix)");
        check("#[cfg(not(any(unix, windows)))]", "not (unix or windows)");
        check("#[cfg_attr(a, cfg(b))] #[doc(cfg(c))]", "always");
        check("#[cfg(version(\"1.0\"))]", "version(\"1.0\")");
        check("#[cfg(", "always");
    }

    #[test]
    fn directives_say_for_which_builds_a_definition_is() {
        let check = |text: &str, expected: &str| {
            let at = text.find("here").unwrap() as u32;
            let places = places(text.as_bytes());
            let found = places.iter().rfind(|(start, _)| *start <= at).map_or(Condition::ALWAYS, |(_, it)| it.clone());
            assert_eq!(found.to_string(), expected, "{text}");
        };
        check("#ifdef A\nhere\n#endif\n", "defined(A)");
        check("#ifdef A\n#else\nhere\n#endif\n", "not defined(A)");
        check(
            "#if defined(A) && !B // why\n#elif defined C || (D > 3 && !defined E)\nhere\n#endif\n",
            "not (defined(A) and not B) and (defined(C) or (D > 3 and not defined(E)))",
        );
        check("#ifndef A_H\n#define A_H\nhere\n#endif\n", "always");
        check("#if A\n#endif\nhere\n", "always");
        check("#if A \\\n  && B\nhere\n#endif\n", "A and B");
        check("#if 0\nhere\n#endif\n", "never");
        check("#if A\nhere\n", "always");
    }

    #[test]
    fn a_condition_is_covered_by_others_that_leave_out_no_build() {
        let check = |text: &str, others: &[&str], expected: bool| {
            let others: Vec<Condition> = others.iter().map(|other| attribute(other)).collect();
            let covered = attribute(text).is_covered_by(&others.iter().collect::<Vec<_>>());
            assert_eq!(covered, expected, "{text} by {others:?}");
        };
        check("#[cfg(a)]", &[""], true);
        check("#[cfg(a)]", &[], false);
        check("", &["#[cfg(a)]"], false);
        check("", &["#[cfg(a)]", "#[cfg(not(a))]"], true);
        check("#[cfg(all(a, b))]", &["#[cfg(b)]"], true);
        check("#[cfg(a)]", &["#[cfg(all(a, b))]", "#[cfg(all(a, not(b)))]"], true);
        check("#[cfg(unix)]", &["#[cfg(not(windows))]"], true);
        check("#[cfg(target_os = \"linux\")]", &["#[cfg(not(target_os = \"macos\"))]"], true);
        check("#[cfg(feature = \"a\")]", &["#[cfg(not(feature = \"b\"))]"], false);
        let many: String = (0..40).map(|number| format!("#[cfg(a{number})]")).collect();
        check(&many, &["#[cfg(a0)]"], false);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "[#!\\[\\](),a-z=\"\n &|<\\\\]{0,120}", words in "(#(if|elif|else|endif|ifdef|ifndef|define) ?[a(!&|)]{0,6}\n){0,20}") {
            attribute(&text);
            places(words.as_bytes());
            places(text.as_bytes());
            expression(b"if", &text);
        }
    }
}
