//! Finds the matches of a query: all ways in which the patterns that begin at a node match it.
//!
//! If two ways differ only in whether an optional child was found, the one with the child counts. A child without
//! captures is matched only once.

use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};

use crate::query::{ChildPattern, ChildQuantifier, KindPattern, NodePattern, Query};

/// One way in which a pattern matches.
#[derive(Debug)]
pub(crate) struct Match<'t> {
    /// Number of the pattern.
    pub(crate) pattern: usize,
    /// Captures and their nodes, from the outside in.
    pub(crate) captures: Vec<(u16, Node<'t>)>,
}

/// Most children looked at for a pattern, per byte of the node where it begins. A pattern that captures two of many
/// siblings has as many matches as there are pairs; hand-written code never comes near the limit.
const LOOKS_PER_BYTE: usize = 64;

/// Children looked at for a pattern at any node, in addition.
const LOOKS_MIN: usize = 4096;

/// All matches of the patterns of `query` that begin at `node`, by pattern.
pub(crate) fn matches<'t>(query: &Query, node: Node<'t>, blob: &[u8]) -> Vec<Match<'t>> {
    let mut search = PatternSearch {
        cursor: node.walk(),
        passed_over: &query.passed_over,
        children: Vec::new(),
        known: HashMap::new(),
        captured: Vec::new(),
        found: Vec::new(),
        looks_left: 0,
    };
    let mut matches = Vec::new();
    for &number in query.beginning_at(node.kind_id()) {
        let pattern = &query.patterns[usize::from(number)];
        search.looks_left = LOOKS_MIN + LOOKS_PER_BYTE * node.byte_range().len();
        search.node(&pattern.root, node, &MatchContinuation::Found);
        let of = |captures: &[(u16, Node<'t>)]| {
            pattern.predicates.iter().all(|predicate| {
                predicate.holds(|wanted| {
                    let nodes = captures.iter().filter(move |(capture, _)| *capture == wanted);
                    nodes.map(|(_, node)| blob.get(node.byte_range()).unwrap_or_default())
                })
            })
        };
        search.found.dedup();
        let found = search.found.drain(..).filter(|captures| of(captures));
        matches.extend(found.map(|captures| Match { pattern: usize::from(number), captures }));
    }
    matches
}

struct PatternSearch<'q, 't> {
    cursor: TreeCursor<'t>,
    /// As [`Query::passed_over`].
    passed_over: &'q [u16],
    /// Children of the nodes seen so far, without those that are passed over.
    children: Vec<Child<'t>>,
    /// The range in `children` of a node's children, by node identity.
    known: HashMap<usize, (usize, usize)>,
    /// Captures of the current attempt.
    captured: Vec<(u16, Node<'t>)>,
    found: Vec<Vec<(u16, Node<'t>)>>,
    looks_left: usize,
}

#[derive(Clone, Copy)]
struct Child<'t> {
    node: Node<'t>,
    field: u16,
    named: bool,
    /// A named node follows.
    named_behind: bool,
}

/// What has to match after a node has matched.
enum MatchContinuation<'a> {
    /// Nothing: the match is complete.
    Found,
    /// Nothing, and one match is enough.
    Exists,
    Siblings(&'a Siblings<'a>),
}

/// The patterns that still have to match among the children of a node.
#[derive(Clone, Copy)]
struct Siblings<'a> {
    patterns: &'a [ChildPattern],
    /// Index of the next child, and the end of the children.
    from: usize,
    end: usize,
    /// Whether nothing was matched or skipped before.
    first: bool,
    reach: SiblingDistance,
    then: &'a MatchContinuation<'a>,
}

/// How far the next child may be from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SiblingDistance {
    /// As [`ChildPattern::adjacent`] says.
    Written,
    /// At the next named node or before it.
    Adjacent,
    /// Directly after it.
    Next,
    /// Anywhere, because the pattern between was left out.
    Anywhere,
}

impl<'t> PatternSearch<'_, 't> {
    /// Tries `pattern` on `node`, then `then`. Returns whether one match was found and is enough.
    fn node(&mut self, pattern: &NodePattern, node: Node<'t>, then: &MatchContinuation<'_>) -> bool {
        if !fits(pattern, node) {
            return false;
        }
        let captures = self.captured.len();
        self.captured.extend(pattern.captures.iter().map(|capture| (*capture, node)));
        let enough = if pattern.children.is_empty() {
            self.continue_match(then)
        } else {
            let (from, end) = self.children_of(node);
            let patterns = &pattern.children;
            self.siblings(&Siblings { patterns, from, end, first: true, reach: SiblingDistance::Written, then })
        };
        self.captured.truncate(captures);
        enough
    }

    fn continue_match(&mut self, then: &MatchContinuation<'_>) -> bool {
        match then {
            MatchContinuation::Found => {
                self.found.push(self.captured.clone());
                false
            }
            MatchContinuation::Exists => true,
            MatchContinuation::Siblings(siblings) => self.siblings(siblings),
        }
    }

    fn siblings(&mut self, at: &Siblings<'_>) -> bool {
        let Some(pattern) = at.patterns.first() else {
            return self.continue_match(at.then);
        };
        let others = &at.patterns[1..];
        if pattern.often == ChildQuantifier::Repeated {
            let captures = self.captured.len();
            let from = self.behind_all(pattern, at);
            let reach = if from == at.from && at.first { SiblingDistance::Adjacent } else { SiblingDistance::Written };
            let enough = self.siblings(&Siblings { patterns: others, from, first: false, reach, ..*at });
            self.captured.truncate(captures);
            return enough;
        }
        let before = self.found.len();
        if self.look(pattern, at) {
            return true;
        }
        if pattern.often == ChildQuantifier::Once {
            return false;
        }
        let ends = at.from.checked_sub(1).filter(|_| !at.first).is_none_or(|last| !self.children[last].named_behind);
        if pattern.last && !ends {
            return false;
        }
        let with = self.found.len();
        // The pattern for the first child was left out, so the next pattern is now the first.
        let reach = match (pattern.adjacent, at.first) {
            (true, true) => SiblingDistance::Adjacent,
            (true, false) => SiblingDistance::Written,
            (false, _) => SiblingDistance::Anywhere,
        };
        let enough = self.siblings(&Siblings { patterns: others, reach, ..*at });
        let mut without = self.found.split_off(with);
        without.retain(|less| !self.found[before..].iter().any(|more| less.iter().all(|one| more.contains(one))));
        self.found.append(&mut without);
        enough
    }

    /// After the children that match the nodes of `pattern` repeatedly, finds the place of the next child. Captures
    /// the children.
    fn behind_all(&mut self, pattern: &ChildPattern, at: &Siblings<'_>) -> usize {
        let mut from = at.from;
        while from + pattern.nodes.len() <= at.end {
            let run = &self.children[from..from + pattern.nodes.len()];
            let mut pairs = pattern.nodes.iter().zip(run);
            if !pairs.all(|(node, child)| has_field(node, *child) && fits(node, child.node)) {
                break;
            }
            for (node, child) in pattern.nodes.iter().zip(run) {
                self.captured.extend(node.captures.iter().map(|capture| (*capture, child.node)));
            }
            from += run.len();
        }
        from
    }

    /// Looks for a child that matches the first of the patterns, and tries the rest after each such child.
    fn look(&mut self, pattern: &ChildPattern, at: &Siblings<'_>) -> bool {
        let others = &at.patterns[1..];
        let adjacent = match at.reach {
            SiblingDistance::Written => pattern.adjacent,
            SiblingDistance::Adjacent | SiblingDistance::Next => true,
            SiblingDistance::Anywhere => false,
        };
        let next_adjacent = others.first().is_some_and(|next| next.adjacent);
        for index in at.from..at.end {
            if self.looks_left == 0 {
                return false;
            }
            self.looks_left -= 1;
            let child = self.children[index];
            let mut fitted = false;
            if !(pattern.last && child.named_behind) {
                for node in pattern.nodes.iter().filter(|node| has_field(node, child)) {
                    // An unnamed node may be between the children.
                    let any = next_adjacent && node.kind == KindPattern::Any;
                    let reach = if any { SiblingDistance::Next } else { SiblingDistance::Written };
                    let rest = Siblings { patterns: others, from: index + 1, first: false, reach, ..*at };
                    if node.says {
                        if self.node(node, child.node, &MatchContinuation::Siblings(&rest)) {
                            return true;
                        }
                    } else if self.node(node, child.node, &MatchContinuation::Exists) {
                        fitted = true;
                        if self.siblings(&rest) {
                            return true;
                        }
                        break;
                    }
                }
            }
            // A later child without captures would give the others the same matches again.
            let enough = fitted && !pattern.says && !next_adjacent;
            if at.reach == SiblingDistance::Next || adjacent && child.named || enough {
                break;
            }
        }
        false
    }

    /// The range of the children of `node`.
    fn children_of(&mut self, node: Node<'t>) -> (usize, usize) {
        if let Some(known) = self.known.get(&node.id()) {
            return *known;
        }
        let from = self.children.len();
        self.cursor.reset(node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let node = self.cursor.node();
            let field = self.cursor.field_id().map_or(0, |field| field.get());
            if self.passed_over.binary_search(&node.kind_id()).is_err() {
                self.children.push(Child { node, field, named: node.is_named(), named_behind: false });
            }
            more = self.cursor.goto_next_sibling();
        }
        let mut named_behind = false;
        for child in self.children[from..].iter_mut().rev() {
            child.named_behind = named_behind;
            named_behind |= child.named;
        }
        let place = (from, self.children.len());
        self.known.insert(node.id(), place);
        place
    }
}

fn has_field(pattern: &NodePattern, child: Child<'_>) -> bool {
    pattern.field == 0 || pattern.field == child.field
}

/// Whether `node` itself matches the pattern; its children are not checked.
fn fits(pattern: &NodePattern, node: Node<'_>) -> bool {
    let kind = match pattern.kind {
        KindPattern::Is(kind) => node.kind_id() == kind,
        KindPattern::AnyNamed => node.is_named() && !node.is_error(),
        KindPattern::Any => !node.is_error(),
    };
    kind && pattern.without.iter().all(|field| node.child_by_field_id(*field).is_none())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use tree_sitter::{Language, Parser, QueryCursor, StreamingIterator};

    use super::*;
    use crate::allocations::count_allocations;
    use crate::table::TABLE;

    /// A case in which tree-sitter's engine loses a match: nothing follows the first child, and the last child of the
    /// pattern is optional.
    const LOST: [&str; 2] = ["task :migrate => [:load]", "task seed: :migrate"];

    /// Of a match: its pattern, and the bytes of each capture.
    type Seen = (usize, Vec<(String, usize, usize)>);

    /// What the patterns find at `node`.
    fn match_captures(query: &Query, node: Node<'_>, blob: &[u8]) -> BTreeSet<Seen> {
        let name = |capture: u16| query.capture_names[usize::from(capture)].clone();
        let seen = |found: Match<'_>| {
            let captures =
                found.captures.iter().map(|(capture, node)| (name(*capture), node.start_byte(), node.end_byte()));
            (found.pattern, captures.collect())
        };
        matches(query, node, blob).into_iter().map(seen).collect()
    }

    /// What tree-sitter's engine finds there.
    fn expected(query: &tree_sitter::Query, cursor: &mut QueryCursor, node: Node<'_>, blob: &[u8]) -> BTreeSet<Seen> {
        cursor.set_max_start_depth(Some(0));
        let mut seen = BTreeSet::new();
        let mut matches = cursor.matches(query, node, blob);
        while let Some(found) = matches.next() {
            let name = |index: u32| query.capture_names()[index as usize].to_owned();
            let captures = found.captures().iter();
            let captures =
                captures.map(|capture| (name(capture.index), capture.node.start_byte(), capture.node.end_byte()));
            seen.insert((found.pattern_index, captures.collect()));
        }
        seen
    }

    fn parser(language: &Language) -> Parser {
        count_allocations();
        let mut parser = Parser::new();
        parser.set_language(language).unwrap();
        parser
    }

    /// All nodes of a tree.
    fn nodes(root: Node<'_>) -> Vec<Node<'_>> {
        let mut nodes = vec![root];
        let mut at = 0;
        while let Some(node) = nodes.get(at).copied() {
            nodes.extend(node.children(&mut node.walk()));
            at += 1;
        }
        nodes
    }

    /// The sources of the cases of a fixture.
    fn sources(file: &str) -> impl Iterator<Item = &str> {
        let cases = file.split("=== ").skip(1).filter_map(|case| case.split_once('\n'));
        cases.map(|(_, rest)| rest.split("\n--- ").next().unwrap_or_default())
    }

    #[track_caller]
    fn check(query: &str, source: &str, expected: &[&str]) {
        let language = tree_sitter_javascript::LANGUAGE.into();
        let query = Query::read(query, &language).unwrap();
        let mut parser = parser(&language);
        let tree = parser.parse(source, None).unwrap();
        let all = nodes(tree.root_node());
        let found = all.into_iter().flat_map(|node| matches(&query, node, source.as_bytes()));
        let texts = found.map(|found| {
            let texts = found.captures.iter().map(|(_, node)| &source[node.byte_range()]);
            texts.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(texts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_way_to_fit_is_a_match() {
        check("(arguments (identifier) @one (identifier) @two)", "f(a, b, c)", &["a b", "a c", "b c"]);
        check("(arguments [(identifier) (number)] @any)", "f(a, 1, 's')", &["a", "1"]);
        check("(arguments (identifier) (number) @number)", "f(a, b, 1)", &["1"]);
    }

    #[test]
    fn an_optional_child_is_found_where_it_is() {
        check("(arguments (identifier) @name (number)? @number)", "f(a, 1); g(b)", &["a 1", "b"]);
        check("(arguments . (string)? . (identifier) @name)", "f('s', a); f(c); f(1, d)", &["a", "c"]);
    }

    #[test]
    fn anchors_mean_that_no_named_node_stands_between() {
        check("(formal_parameters . (identifier) @first)", "function f(a, b) {} function g({}, c) {}", &["a"]);
        check("(arguments (identifier) @last .)", "f(a, b); f(c, 1)", &["b"]);
        check("(arguments (identifier) @one . (identifier) @two)", "f(a, b, 1, c)", &["a b"]);
    }

    #[test]
    fn what_is_repeated_is_taken_as_often_as_it_is_there() {
        let query = "(arguments . (identifier) @name . (\",\" . (identifier) @name)* . \",\" . (number) @number)";
        check(query, "f(a, b, c, 1); f(a, 1); f(a, 's', 1)", &["a b c 1", "a 1"]);
    }

    #[test]
    fn fields_and_predicates_narrow_what_fits() {
        check("(call_expression function: (identifier) @name)", "f(g)", &["f"]);
        check("(variable_declarator !value name: (_) @name)", "let a = 1, b", &["b"]);
        let query = "((call_expression function: (_) @name) (#any-of? @name \"f\" \"h\") (#not-match? @name \"^h\"))";
        check(query, "f(); g(); h()", &["f"]);
    }

    #[test]
    fn pairs_of_many_siblings_end() {
        let source = format!("f({})", "a,".repeat(20_000));
        let language = tree_sitter_javascript::LANGUAGE.into();
        let query = Query::read("(arguments (identifier) @one (identifier) @two)", &language).unwrap();
        let mut parser = parser(&language);
        let tree = parser.parse(&source, None).unwrap();
        let found: usize =
            nodes(tree.root_node()).into_iter().map(|node| matches(&query, node, source.as_bytes()).len()).sum();
        assert!((1..=LOOKS_MIN + LOOKS_PER_BYTE * source.len()).contains(&found), "{found}");
    }

    #[test]
    fn patterns_match_where_those_of_the_engine_do() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/lang");
        for row in TABLE {
            let language = (row.grammar.language)();
            let text: String = row.queries.iter().map(|file| format!("{}\n", file.text)).collect();
            let query = Query::read(&text, &language).unwrap();
            let mut parser = parser(&language);
            let engine = tree_sitter::Query::new(&language, &text).unwrap();
            let mut cursor = QueryCursor::new();
            let mut compared = 0;
            for entry in std::fs::read_dir(fixtures.join(row.name)).unwrap() {
                let file = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                // The whole file too: with the expectations it is no text of the language, and full of errors.
                for blob in sources(&file).chain([file.as_str()]) {
                    let tree = parser.parse(blob, None).unwrap();
                    let roots = |node: &Node<'_>| !query.beginning_at(node.kind_id()).is_empty();
                    for node in nodes(tree.root_node()).into_iter().filter(roots) {
                        let ours = match_captures(&query, node, blob.as_bytes());
                        let theirs = expected(&engine, &mut cursor, node, blob.as_bytes());
                        if ours == theirs || LOST.contains(&&blob[node.byte_range()]) {
                            compared += ours.len();
                            continue;
                        }
                        panic!("{}: {}\n{ours:?}\n{theirs:?}", row.name, &blob[node.byte_range()]);
                    }
                }
            }
            assert!(compared > 0, "{}", row.name);
        }
    }
}
