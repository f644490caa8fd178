//! What an answer states to be kept, in a form that cannot be taken for anything else.
//!
//! A block that begins with a line `Ledger:` has lists under headings:
//!
//! ```text
//! Ledger:
//! - Decisions: [retry three times, then give up]
//! - Todos:
//!   - write the migration
//! - Open Questions: [does the cache survive a restart?]
//! - Files touched: [src/retry.rs]
//! ```
//!
//! Besides, lines `DECISION: …`, `TODO: …` and `QUESTION: …`, and open boxes `- [ ] …`, are taken. Nothing else is, and nothing inside a fence of code
//! nothing that is quoted.

use serde::{Deserialize, Serialize};

use crate::transcript::mask_credentials;

/// Items taken from one answer: more are no ledger but a text.
const ITEMS_MOST: usize = 50;

/// Longest item, in characters.
const CHARACTERS_MOST: usize = 500;

/// What kind of thing a ledger states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LedgerKind {
    /// What has to stay true.
    Invariant,
    /// What was decided.
    Decision,
    /// What is true and worth knowing.
    Fact,
    /// What is left to do.
    Todo,
    /// What is not known yet.
    Question,
    /// A file that was changed.
    File,
}

impl LedgerKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invariant => "invariant",
            Self::Decision => "decision",
            Self::Fact => "fact",
            Self::Todo => "todo",
            Self::Question => "question",
            Self::File => "file",
        }
    }

    /// The kind that a heading of a block announces.
    fn of_heading(heading: &str) -> Option<Self> {
        match heading.trim_matches(['*', '_', '`', ' ']).to_lowercase().as_str() {
            "invariants" | "invariant" | "constraints" => Some(Self::Invariant),
            "decisions" | "decision" => Some(Self::Decision),
            "key facts" | "facts" | "fact" | "learned" => Some(Self::Fact),
            "todos" | "todo" | "next steps" => Some(Self::Todo),
            "open questions" | "questions" | "question" => Some(Self::Question),
            "files touched" | "files" | "touched files" => Some(Self::File),
            _ => None,
        }
    }
}

/// One thing that a ledger states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerItem {
    /// What kind of thing.
    pub kind: LedgerKind,
    /// What it says, on one line.
    pub text: String,
    /// How sure it is that it was meant so: 1 in a block, .95 after a word in capitals, .9 at an open box.
    pub confidence: f64,
}

/// What `answer` states to be kept, in order, each once; at most 50 items. Cost: one pass.
pub fn ledger_of(answer: &str) -> Vec<LedgerItem> {
    let mut items: Vec<LedgerItem> = Vec::new();
    let mut place = Place::Text;
    let mut is_fenced = false;
    for line in answer.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
            place = Place::Text;
            continue;
        }
        // What is indented or quoted is somebody else's.
        let is_own = !line.starts_with([' ', '\t', '>']);
        let begins_block = is_own && is_block_start(trimmed) && !is_fenced;
        if begins_block {
            place = Place::Block(None);
            continue;
        }
        if is_fenced {
            continue;
        }
        if let Place::Block(heading) = place {
            match block_line(line, heading) {
                BlockLine::Heading(kind, rest) => {
                    items.extend(listed(rest).into_iter().map(|text| LedgerItem { kind, text, confidence: 1.0 }));
                    place = Place::Block(Some(kind));
                    continue;
                }
                BlockLine::Item(kind, text) => {
                    items.push(LedgerItem { kind, text, confidence: 1.0 });
                    continue;
                }
                BlockLine::Skipped => continue,
                BlockLine::End => place = Place::Text,
            }
        }
        items.extend(announced(trimmed));
    }
    let mut kept: Vec<LedgerItem> = Vec::new();
    for mut item in items {
        // A credential in an answer is none to keep.
        item.text = one_line(&mask_credentials(&item.text));
        if is_filler(&item.text) {
            continue;
        }
        let is_known = kept.iter().any(|known| known.kind == item.kind && known.text == item.text);
        if !item.text.is_empty() && !is_known && kept.len() < ITEMS_MOST {
            kept.push(item);
        }
    }
    kept
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    /// In a block, under a heading.
    Block(Option<LedgerKind>),
}

enum BlockLine<'l> {
    Heading(LedgerKind, &'l str),
    Item(LedgerKind, String),
    Skipped,
    End,
}

fn is_block_start(line: &str) -> bool {
    line.trim_matches(['#', '*', '_', ' ']).trim_end_matches(':').trim_end_matches('*').eq_ignore_ascii_case("ledger")
        && line.contains(':') | line.starts_with('#')
}

fn block_line(line: &str, heading: Option<LedgerKind>) -> BlockLine<'_> {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return BlockLine::Skipped;
    }
    let bullet = trimmed.strip_prefix(['-', '*', '•']).map(str::trim_start);
    let said = bullet.unwrap_or(trimmed);
    if let Some((name, rest)) = said.split_once(':')
        && let Some(kind) = LedgerKind::of_heading(name)
    {
        return BlockLine::Heading(kind, rest.trim_matches(['*', ' ']));
    }
    let is_indented = line.starts_with([' ', '\t']);
    match (bullet, heading) {
        (Some(said), Some(kind)) if is_indented => BlockLine::Item(kind, unboxed(said).to_owned()),
        // A heading of another name: what stands below it is not for the ledger.
        (Some(said), _) if !is_indented && said.contains(':') => BlockLine::Skipped,
        (Some(said), Some(kind)) => BlockLine::Item(kind, unboxed(said).to_owned()),
        _ => BlockLine::End,
    }
}

/// Without a box before it.
fn unboxed(text: &str) -> &str {
    let boxes = ["[ ]", "[x]", "[X]"];
    boxes.into_iter().find_map(|sign| text.strip_prefix(sign)).map_or(text, str::trim_start)
}

/// The items of `[a, b]`, of `a; b`, or the one that the text is.
fn listed(text: &str) -> Vec<String> {
    let text = text.trim();
    let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return text.split("; ").map(str::to_owned).collect();
    };
    if let Ok(items) = serde_json::from_str::<Vec<String>>(text) {
        return items;
    }
    let separator = if inner.contains("; ") { "; " } else { ", " };
    inner.split(separator).map(|item| item.trim_matches(['"', '\'', ' ']).to_owned()).collect()
}

/// What a line outside of a block announces.
fn announced(line: &str) -> Option<LedgerItem> {
    if let Some(text) = ["- [ ] ", "* [ ] "].into_iter().find_map(|sign| line.strip_prefix(sign)) {
        return Some(LedgerItem { kind: LedgerKind::Todo, text: text.to_owned(), confidence: 0.9 });
    }
    let said = line.trim_start_matches(['-', '*', ' ']);
    let words = [
        ("DECISION:", LedgerKind::Decision),
        ("INVARIANT:", LedgerKind::Invariant),
        ("QUESTION:", LedgerKind::Question),
        ("TODO:", LedgerKind::Todo),
    ];
    let (text, kind) = words.into_iter().find_map(|(word, kind)| Some((said.strip_prefix(word)?, kind)))?;
    Some(LedgerItem { kind, text: text.trim_matches(['*', ' ']).to_owned(), confidence: 0.95 })
}

/// Whether a text stands where there is nothing to state.
fn is_filler(text: &str) -> bool {
    let plain = text.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
    ["", "n/a", "na", "no", "none", "nothing", "none yet", "no changes", "tbd"].contains(&plain.as_str())
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let visible = line.chars().filter(|character| !character.is_control());
    visible.take(CHARACTERS_MOST).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(answer: &str, expected: &str) {
        let items = ledger_of(answer);
        let shown: Vec<String> =
            items.iter().map(|item| format!("{} {}: {}", item.confidence, item.kind.name(), item.text)).collect();
        assert_eq!(shown.join("\n"), expected, "{answer}");
    }

    #[test]
    fn a_block_has_lists_in_brackets_and_below_their_headings() {
        check(
            "Done.\n\nLedger:\n- Decisions: [retry three times, then give up]\n- Todos:\n  - write the migration\n  - [ ] tell ops\n\
             - Open Questions: none\n- Files touched: [\"src/a, b.rs\"]\n- Invariants: ids are never reused\n\nThat is all: bye.",
            "1 decision: retry three times\n1 decision: then give up\n1 todo: write the migration\n1 todo: tell ops\n\
             1 file: src/a, b.rs\n1 invariant: ids are never reused",
        );
    }

    #[test]
    fn words_in_capitals_and_open_boxes_stand_for_themselves() {
        check(
            "DECISION: use WAL\n- TODO: vacuum\n- [ ] measure it\n- [x] done already\nA TODO: in a sentence\nquestion: lower case",
            "0.95 decision: use WAL\n0.95 todo: vacuum\n0.9 todo: measure it",
        );
    }

    #[test]
    fn code_is_not_a_ledger() {
        check("```rust\n// TODO: later\nTODO: x\nLedger:\n- Todos: [a]\n```\nTODO: y", "0.95 todo: y");
        check("```\nLedger:\n- Todos: [a]\n```\n", "");
    }

    #[test]
    fn a_block_ends_where_text_goes_on() {
        check("**Ledger:**\n- Decisions: a; b\nAnd so on.\n- c", "1 decision: a\n1 decision: b");
        check("The ledger: it is kept\n- Decisions: [a]", "");
        check("## Ledger\n- Mood: fine\n- Facts: [x]", "1 fact: x");
    }

    #[test]
    fn the_same_is_stated_once() {
        check("TODO: a\nTODO:  a\nDECISION: a", "0.95 todo: a\n0.95 decision: a");
    }

    proptest! {
        #[test]
        fn any_text_has_a_bounded_ledger(text in "(?s)(Ledger:\n|- |TODO: |\\[|\\]|```\n|[a-zé:;,\n\t ]){0,60}") {
            let items = ledger_of(&text);
            prop_assert!(items.len() <= ITEMS_MOST);
            for item in items {
                prop_assert!(!item.text.is_empty() && !item.text.contains('\n'));
            }
        }
    }
}
