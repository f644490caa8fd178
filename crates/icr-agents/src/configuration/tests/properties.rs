//! Whatever a file looks like and whatever its user edits meanwhile: what is icr's goes, and the rest stays.

use proptest::prelude::*;

use super::super::entry::{ConfigurationEntry, EntryLocation, Insertion};
use super::super::init::without_all;
use super::super::json;
use crate::configuration::entry::EntryState;

/// A JSON value that can be written in many ways.
#[derive(Debug, Clone)]
enum Tree {
    Scalar(&'static str),
    Array(Vec<Tree>),
    Object(Vec<(&'static str, Tree)>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = prop::sample::select(vec!["1", "-0.5", "null", "true", "\"\"", "\"a // b\"", "\"{\\\"\"", "\"ä\\n\""]);
    scalar.prop_map(Tree::Scalar).prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::Array),
            object(inner).prop_map(Tree::Object),
        ]
    })
}

fn object(inner: impl Strategy<Value = Tree>) -> impl Strategy<Value = Vec<(&'static str, Tree)>> {
    let key = prop::sample::select(vec!["a", "b", "c d", "\\u0065", "//"]);
    prop::collection::vec((key, inner), 0..4).prop_map(|members| {
        let mut keys = std::collections::HashSet::new();
        members.into_iter().filter(|(key, _)| keys.insert(*key)).collect()
    })
}

/// The outermost object, perhaps with servers and hooks.
fn root() -> impl Strategy<Value = Tree> {
    let servers = prop::option::of(object(tree()));
    let hooks = prop::option::of(prop::option::of(prop::collection::vec(tree(), 0..3)));
    (object(tree()), servers, hooks, any::<prop::sample::Index>()).prop_map(|(mut members, servers, hooks, at)| {
        if let Some(servers) = servers {
            members.insert(at.index(members.len() + 1), ("mcpServers", Tree::Object(servers)));
        }
        if let Some(hooks) = hooks {
            let stop = hooks.map(|hooks| ("Stop", Tree::Array(hooks)));
            members.insert(at.index(members.len() + 1), ("hooks", Tree::Object(stop.into_iter().collect())));
        }
        Tree::Object(members)
    })
}

/// Space and comments between tokens, chosen by numbers that come in turn.
struct Writer<'a> {
    choices: &'a [u8],
    at: usize,
    line_end: &'static str,
    has_comments: bool,
    out: String,
}

impl Writer<'_> {
    fn choice(&mut self) -> u8 {
        self.at += 1;
        self.choices.get(self.at % self.choices.len().max(1)).copied().unwrap_or_default()
    }

    fn trivia(&mut self) {
        let end = self.line_end;
        let trivia = match self.choice() % if self.has_comments { 9 } else { 6 } {
            0..=2 => String::new(),
            3 => " ".to_owned(),
            4 => format!("{end}  "),
            5 => format!("{end}\t\t"),
            6 => format!(" // {{ \"x\": [{end}"),
            7 => "/* } */".to_owned(),
            _ => format!("{end}{end} "),
        };
        self.out.push_str(&trivia);
    }

    fn value(&mut self, tree: &Tree) {
        let (open, close, count) = match tree {
            Tree::Scalar(scalar) => return self.out.push_str(scalar),
            Tree::Array(items) => ('[', ']', items.len()),
            Tree::Object(members) => ('{', '}', members.len()),
        };
        self.out.push(open);
        for at in 0..count {
            self.trivia();
            match tree {
                Tree::Object(members) => {
                    self.out.push_str(&format!("\"{}\"", members[at].0));
                    self.trivia();
                    self.out.push(':');
                    self.trivia();
                    self.value(&members[at].1);
                }
                Tree::Array(items) => self.value(&items[at]),
                Tree::Scalar(_) => {}
            }
            self.trivia();
            if at + 1 < count || self.choice().is_multiple_of(2) {
                self.out.push(',');
            }
        }
        self.trivia();
        self.out.push(close);
    }
}

fn written(tree: &Tree, choices: &[u8], crlf: bool) -> String {
    laid_out(tree, choices, if crlf { "\r\n" } else { "\n" }, true)
}

fn laid_out(tree: &Tree, choices: &[u8], line_end: &'static str, has_comments: bool) -> String {
    let mut writer = Writer { choices, at: 0, line_end, has_comments, out: String::new() };
    writer.trivia();
    writer.value(tree);
    writer.trivia();
    writer.out
}

fn entries() -> Vec<ConfigurationEntry> {
    let path = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    let hook = |event: &str| ConfigurationEntry {
        place: EntryLocation::JsonItem { path: path(&["hooks", event]), marker: format!("hook {event} --host x") },
        content: format!("{{\"hooks\": [{{\"command\": \"icr hook {event} --host x\", \"timeout\": 5}}]}}"),
    };
    let server = ConfigurationEntry {
        place: EntryLocation::JsonMember { path: path(&["mcpServers", "icr"]) },
        content: "{\"command\": \"icr\", \"args\": [\"mcp\"], \"env\": {}}".to_owned(),
    };
    vec![server, hook("Stop"), hook("Start")]
}

fn filled(text: &str) -> (String, Vec<Insertion>) {
    let mut after = text.to_owned();
    let mut insertions = Vec::new();
    for entry in entries() {
        let (text, insertion) = entry.insert(&after).expect("there is a place for it");
        after = text;
        insertions.push(insertion);
    }
    (after, insertions)
}

/// What a user does to a file elsewhere than at icr's entries.
fn edited(text: &str, edit: u8) -> String {
    match edit % 5 {
        0 => format!("// mine\n{text}"),
        1 => format!("{text}\n// mine"),
        2 => text.replacen('{', "{ \"mine\": [1, 2],", 1),
        3 => text.replace("\"a\"", "\"renamed\""),
        _ => text.replace("null", "false"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_file_is_the_same_to_the_byte_afterwards(tree in root(), choices in prop::collection::vec(any::<u8>(), 1..40), crlf: bool) {
        let text = written(&tree, &choices, crlf);
        let (after, insertions) = filled(&text);
        for entry in entries() {
            prop_assert_eq!(entry.state_in(&after).expect("it parses"), EntryState::Equal);
        }
        prop_assert_eq!(without_all(&after, &insertions, false).expect("it parses"), Some(text));
    }

    #[test]
    fn edits_elsewhere_stay_to_the_byte(tree in root(), choices in prop::collection::vec(any::<u8>(), 1..40), edits in prop::collection::vec(any::<u8>(), 1..4)) {
        let text = written(&tree, &choices, false);
        let (after, insertions) = filled(&text);
        let edit = |text: &str| edits.iter().fold(text.to_owned(), |text, how| edited(&text, *how));
        // A key that is there twice by now is none that icr is told from.
        prop_assume!(!edit(&after).contains("\"mine\": [1, 2],{ \"mine\""));
        prop_assert_eq!(without_all(&edit(&after), &insertions, false).expect("it parses"), Some(edit(&text)));
    }

    #[test]
    fn a_file_that_was_laid_out_anew_loses_what_is_icrs(tree in root(), choices in prop::collection::vec(any::<u8>(), 1..40), again in prop::collection::vec(any::<u8>(), 1..40)) {
        let text = written(&tree, &choices, false);
        let (after, insertions) = filled(&text);
        let whole = json::canonical_text(&after).expect("it parses");
        let value = parsed(&whole);
        let anew = laid_out(&value, &again, "\n", false);
        let left = without_all(&anew, &insertions, false).expect("it parses").unwrap_or_default();
        // Containers that came in with icr stay only where somebody wrote a comment into them.
        without_all(&written(&value, &again, false), &insertions, false).expect("it parses");
        prop_assert_eq!(json::canonical_text(&left).expect("it parses"), json::canonical_text(&text).expect("it parses"));
    }

    #[test]
    fn servers_that_came_in_beside_stay(tree in root(), choices in prop::collection::vec(any::<u8>(), 1..40), is_behind: bool) {
        let text = written(&tree, &choices, false);
        let (after, insertions) = filled(&text);
        let other = ConfigurationEntry { place: EntryLocation::JsonMember { path: vec!["mcpServers".to_owned(), "other".to_owned()] }, content: "{\"command\": \"x\"}".to_owned() };
        let edited = if is_behind {
            other.insert(&after).expect("there is a place for it").0
        } else {
            after.replacen("\"icr\":", "\"other\": {\"command\": \"x\"}, /* mine */ \"icr\":", 1)
        };
        let left = without_all(&edited, &insertions, true).expect("it parses").unwrap_or_default();
        prop_assert_eq!(other.state_in(&left).expect("it parses"), EntryState::Equal);
        prop_assert!(!left.contains("\"icr\""));
        let (wanted, _) = other.insert(&text).expect("there is a place for it");
        prop_assert_eq!(json::canonical_text(&left).expect("it parses"), json::canonical_text(&wanted).expect("it parses"));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:/* a\n1\\\\\u{feff}é-]{0,40}") {
        for entry in entries() {
            let _ = entry.insert(&text);
        }
        for place in [EntryLocation::TomlTable { path: vec!["a".to_owned(), "icr".to_owned()] }, EntryLocation::Block, EntryLocation::YamlItem { key: "a".to_owned(), name: None }, EntryLocation::YamlMember { key: "a".to_owned(), name: "icr".to_owned() }] {
            let _ = ConfigurationEntry { place, content: "- b\n".to_owned() }.insert(&text);
        }
    }
}

/// The tree of a text without layout; strings and keys are given up for static ones that stay the same.
fn parsed(text: &str) -> Tree {
    fn tree(value: &serde_json::Value) -> Tree {
        match value {
            serde_json::Value::Array(items) => Tree::Array(items.iter().map(tree).collect()),
            serde_json::Value::Object(members) => {
                let key = |key: &str| -> &'static str {
                    let quoted = json::quoted(key);
                    quoted[1..quoted.len() - 1].to_owned().leak()
                };
                Tree::Object(members.iter().map(|(name, value)| (key(name), tree(value))).collect())
            }
            scalar => Tree::Scalar(scalar.to_string().leak()),
        }
    }
    // The text has commas behind the last ones.
    let strict = text.replace(",}", "}").replace(",]", "]");
    tree(&serde_json::from_str(&strict).expect("it is JSON"))
}
