//! What the text of a Rust file says about its tests: those in it, those in its documentation, and the features that
//! they need. Texts are read line by line, as rustfmt lays them out, and not parsed.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Most bytes of the attributes of one item. Whatever looks like more is no attribute.
const ATTRIBUTES: usize = 4096;

/// Words after the three backticks of a code block that rustdoc compiles. From its documentation.
const DOC_TEST_WORDS: [&str; 6] = [
    // tidy: sorted
    "compile_fail",
    "no_run",
    "rust",
    "should_panic",
    "standalone_crate",
    "test_harness",
    // tidy: end
];

/// A code block of a doc comment that rustdoc compiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocTest {
    /// Lines from its first one to that of the documented item, 1-based. For a comment about the file or module that
    /// it is in, the block alone.
    pub lines: RangeInclusive<u32>,
    /// Its code, without the white space around each line.
    pub code: String,
}

/// The doc tests of a file, in order. Only comments of whole lines (`///`, `//!`) are looked into, and only blocks in
/// fences.
pub fn doc_tests(text: &str) -> Vec<DocTest> {
    let mut found: Vec<DocTest> = Vec::new();
    // Doc tests whose item is still to come.
    let mut unplaced = 0;
    let mut block: Option<DocBlock<'_>> = None;
    let mut attributes = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let Some((is_outer, content)) = doc_content(line) else {
            // rustdoc ends a block with its comment.
            let open = block.take();
            unplaced += usize::from(open.as_ref().is_some_and(|block| block.is_run && block.is_outer));
            found.extend(open.and_then(DocBlock::into_test));
            if add_attribute_line(&mut attributes, line) || line.is_empty() || line.starts_with("//") {
                continue;
            }
            attributes.clear();
            let first = found.len() - unplaced;
            found[first..].iter_mut().for_each(|test| test.lines = *test.lines.start()..=number);
            unplaced = 0;
            continue;
        };
        match &mut block {
            Some(open) if open.is_closed_by(content) => {
                let open = block.take();
                unplaced += usize::from(open.as_ref().is_some_and(|block| block.is_run && block.is_outer));
                found.extend(open.and_then(DocBlock::into_test));
            }
            Some(open) => open.code.push(content),
            None => block = DocBlock::opened_by(content, number, is_outer),
        }
    }
    found.extend(block.and_then(DocBlock::into_test));
    found
}

/// A code block that is being read.
struct DocBlock<'t> {
    fence: &'t str,
    is_run: bool,
    is_outer: bool,
    line: u32,
    code: Vec<&'t str>,
}

impl<'t> DocBlock<'t> {
    fn opened_by(content: &'t str, line: u32, is_outer: bool) -> Option<Self> {
        let sign = content.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let words = content.trim_start_matches(sign);
        let fence = &content[..content.len() - words.len()];
        let mut words = words.split([',', ' ', '\t']).filter(|word| !word.is_empty());
        let is_run = words.all(|word| {
            let error = word.strip_prefix('E').filter(|code| code.len() == 4);
            DOC_TEST_WORDS.contains(&word)
                || word.starts_with("edition20")
                || error.is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_digit()))
        });
        let is_fence = fence.len() >= 3 && !content[fence.len()..].contains('`');
        is_fence.then_some(Self { fence, is_run, is_outer, line, code: Vec::new() })
    }

    fn is_closed_by(&self, content: &str) -> bool {
        content.strip_prefix(self.fence).is_some_and(|rest| rest.trim_start_matches(&self.fence[..1]).is_empty())
    }

    fn into_test(self) -> Option<DocTest> {
        self.is_run.then(|| DocTest { lines: self.line..=self.line, code: self.code.join("\n") })
    }
}

/// Whether a line is a doc comment of the item after it (and not of what it is in), and what it says.
fn doc_content(line: &str) -> Option<(bool, &str)> {
    let outer = line.strip_prefix("///").filter(|rest| !rest.starts_with('/')).map(|rest| (true, rest.trim()));
    outer.or_else(|| line.strip_prefix("//!").map(|rest| (false, rest.trim())))
}

/// The tests among the code of a file, each by the lines from its first attribute to its first own line, 1-based. A
/// module with `#[cfg(test)]` counts as one, unless it is in a file of its own.
pub fn inline_tests(text: &str) -> Vec<RangeInclusive<u32>> {
    let is_test = |item: &AttributedItem<'_>| {
        let attributes = item.attributes.as_str();
        let is_function = ["#[test]", "::test]", "::test(", "#[rstest", "#[test_case", "#[quickcheck]"]
            .iter()
            .any(|sign| attributes.contains(sign));
        let is_module = attributes.contains("#[cfg(test") || attributes.contains("#[cfg(all(test");
        is_function || is_module && item.head.contains("mod ") && !item.head.ends_with(';')
    };
    items(text).into_iter().filter(is_test).map(|item| item.lines).collect()
}

/// The features that a file says it needs in whole: `#![cfg(feature = "a")]`.
pub fn features_of_file(text: &str) -> BTreeSet<String> {
    required_features(text, "#![cfg(")
}

/// The features that the statement `mod name;` of a file needs. `None` if the file has no such statement.
pub fn features_of_module(text: &str, name: &str) -> Option<BTreeSet<String>> {
    let declared = items(text).into_iter().find(|item| declared_module(item.head) == Some(name))?;
    Some(required_features(&declared.attributes, "#[cfg("))
}

/// The module that a line declares to be in another file.
fn declared_module(head: &str) -> Option<&str> {
    let head = head.split("//").next()?.trim_end().strip_suffix(';')?;
    let (before, name) = head.rsplit_once("mod ")?;
    let before = before.trim_end();
    (before.is_empty() || before == "pub" || before.starts_with("pub(") && before.ends_with(')')).then_some(name.trim())
}

/// An item with attributes, or a module.
struct AttributedItem<'t> {
    /// From its first attribute to its first own line.
    lines: RangeInclusive<u32>,
    attributes: String,
    /// Its first own line.
    head: &'t str,
}

fn items(text: &str) -> Vec<AttributedItem<'_>> {
    let mut items = Vec::new();
    let mut attributes = String::new();
    let mut first = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if add_attribute_line(&mut attributes, line) {
            let first = *first.get_or_insert(number);
            // An attribute may be followed by its item: `#[test] fn works() {`.
            let item = line.rsplit_once("] ").map_or("", |(_, item)| item);
            if item.is_empty() || item.starts_with("//") || item.starts_with("#[") || is_open(&attributes) {
                continue;
            }
            items.push(AttributedItem { lines: first..=number, attributes: attributes.clone(), head: item });
        } else if line.is_empty() || line.starts_with("//") {
            continue;
        } else if !attributes.is_empty() || line.contains("mod ") {
            let first = first.unwrap_or(number);
            items.push(AttributedItem { lines: first..=number, attributes: attributes.clone(), head: line });
        }
        attributes.clear();
        first = None;
    }
    items
}

/// Adds the line to `attributes` if it begins an attribute or continues the last one. Whether it does.
fn add_attribute_line(attributes: &mut String, line: &str) -> bool {
    if attributes.len() > ATTRIBUTES {
        attributes.clear();
    }
    let belongs = line.starts_with("#[") || is_open(attributes);
    if belongs {
        attributes.push_str(line);
    }
    belongs
}

fn is_open(attributes: &str) -> bool {
    let count = |sign: char| attributes.matches(sign).count();
    count('[') > count(']')
}

/// The features that the conditions of `text` after each `opening` need in any case. Of `any`, `not` and conditions
/// about the platform nothing is known.
fn required_features(text: &str, opening: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(opening) {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        if !before.trim_start().is_empty() && !before.ends_with(']') {
            continue;
        }
        let rest = &text[at + opening.len()..];
        add_features(rest.get(..end_of_parenthesis(rest)).unwrap_or_default(), &mut found);
    }
    found
}

/// Where the parenthesis ends in which `text` begins.
fn end_of_parenthesis(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn add_features(condition: &str, found: &mut BTreeSet<String>) {
    let condition = condition.trim();
    if let Some(rest) = condition.strip_prefix("feature") {
        let name = rest.trim_start().strip_prefix('=').map(|name| name.trim().trim_matches('"'));
        found.extend(name.filter(|name| !name.is_empty() && !name.contains(['"', ' ', ','])).map(str::to_owned));
        return;
    }
    // `all` inside of `all` is not looked into: nobody writes it, and this way the depth is bounded.
    let Some(rest) = condition.strip_prefix("all").and_then(|rest| rest.trim_start().strip_prefix('(')) else { return };
    let inside = rest.get(..end_of_parenthesis(rest)).unwrap_or_default();
    let (mut depth, mut from) = (0_i32, 0);
    for (at, sign) in inside.char_indices().chain([(inside.len(), ',')]) {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                let part = &inside[from.min(at)..at];
                from = at + 1;
                if !part.trim_start().starts_with("all") {
                    add_features(part, found);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn joined_by_comma(features: &BTreeSet<String>) -> String {
        features.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn features_are_those_that_are_needed_in_any_case() {
        for (text, expected) in [
            ("#![cfg(feature = \"dynamic\")]\nuse a;\n", "dynamic"),
            ("//! Tests.\n#![cfg(all(unix, feature = \"a\", feature=\"b-c\"))]\n", "a,b-c"),
            ("#![cfg(all(\n    feature = \"a\",\n    not(feature = \"b\"),\n))]\n", "a"),
            ("#![cfg(any(feature = \"a\", feature = \"b\"))]\n", ""),
            ("#![cfg(not(feature = \"a\"))]\n", ""),
            ("#![cfg(unix)]\n#![cfg(feature = \"a\")]\n", "a"),
            ("// As in `#![cfg(feature = \"a\")]`.\n", ""),
            ("#[cfg(feature = \"a\")]\nfn f() {}\n", ""),
        ] {
            assert_eq!(joined_by_comma(&features_of_file(text)), expected, "{text}");
        }
    }

    #[test]
    fn features_of_a_module_are_those_of_its_statement() {
        let text = "mod plain;\n#[cfg(feature = \"a\")]\nmod one; // One.\n\n#[doc(hidden)]\n#[cfg(feature = \"b\")]\n\
                    /// Two.\npub(crate) mod two;\n#[cfg(feature = \"c\")] pub mod three;\n#[cfg(feature = \"d\")]\nmod inside {\n}\n";
        for (name, expected) in [
            ("plain", Some("")),
            ("one", Some("a")),
            ("two", Some("b")),
            ("three", Some("c")),
            ("inside", None),
            ("absent", None),
        ] {
            assert_eq!(
                features_of_module(text, name).map(|features| joined_by_comma(&features)).as_deref(),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn tests_among_code_are_found_by_their_attributes() {
        let text = "fn code() {}\n#[cfg(test)]\nuse a;\n#[cfg(test)]\nmod elsewhere;\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n\n\
                    \x20   #[tokio::test]\n    #[ignore]\n    async fn two() {}\n    #[test] fn three() {}\n    fn helper() {}\n}\n";
        assert_eq!(inline_tests(text), [6..=7, 8..=9, 11..=13, 14..=14]);
        assert!(inline_tests("#[inline]\nfn a() {}\n").is_empty());
    }

    #[test]
    fn doc_tests_are_the_blocks_that_rustdoc_compiles() {
        let text = "//! ```\n//! use a;\n//! ```\n\n/// Adds.\n///\n/// ```no_run, edition2021\n/// assert_eq!(1, 1);\n/// ```\n///\n\
                    /// ```text\n/// drawing\n/// ```\n///\n/// ~~~ignore\n/// no\n/// ~~~\n#[inline]\npub fn add() {}\n\n    /// ```\n    /// b();\npub fn b() {}\n";
        let found: Vec<_> = doc_tests(text).into_iter().map(|test| (test.lines, test.code)).collect();
        let expected = [(1..=1, "use a;"), (7..=19, "assert_eq!(1, 1);"), (21..=23, "b();")];
        assert_eq!(found, expected.map(|(lines, code)| (lines, code.to_owned())));
        assert!(doc_tests("// ```\n// a\n// ```\n//// ```\n").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "[/!`~#\\[\\](),a-z=\"\n m;{}ü]{0,120}") {
            doc_tests(&text);
            inline_tests(&text);
            features_of_file(&text);
            features_of_module(&text, "a");
        }
    }
}
