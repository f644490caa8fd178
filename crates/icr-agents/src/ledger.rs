//! Parses the ledger of an answer: statements to be kept, in a format that cannot be mistaken for anything else.
//!
//! A block that begins with a line `Ledger:` has lists under headings:
//!
//! ```text
//! Ledger:
//! - Decisions: [retry three times, then give up; the cache stays]
//! - Todos:
//!   - write the migration
//! - Open Questions: [does the cache survive a restart?]
//! - Files touched: [src/retry.rs, src/cache.rs]
//! ```
//!
//! Items are separated by `;`; files may also be separated by commas. A list of JSON strings is accepted too. A ticked
//! box `- [x] …` says that the todo with that text is done ([`done_in`]). The headings are Invariants, Decisions,
//! Facts, Todos, Open Questions and Files touched. In addition, lines `INVARIANT: …`, `DECISION: …`, `TODO: …` and
//! `QUESTION: …` and open boxes `- [ ] …` are accepted anywhere. A line continues an item if it is indented more than
//! the item, or if it begins in lower case below it. Code fences, HTML comments and quotations are ignored, and so is
//! everything else.

use serde::{Deserialize, Serialize};

use crate::transcript::mask_credentials;

/// Most items taken from one answer; a longer list is not a ledger but a document.
const ITEMS_MOST: usize = 50;

/// Longest item, in characters.
const CHARACTERS_MOST: usize = 500;

/// Kinds of statements in a ledger.
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
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Invariant, Self::Decision, Self::Fact, Self::Todo, Self::Question, Self::File];

    /// Name of the kind.
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
        match heading.to_lowercase().as_str() {
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

/// One statement of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerItem {
    /// Kind of the statement.
    pub kind: LedgerKind,
    /// Text on one line.
    pub text: String,
    /// Confidence that the item was meant as one: 1 in a block, 0.95 after a word in capitals, 0.9 for an open box.
    pub confidence: f64,
}

impl LedgerItem {
    /// Whether `other` makes the same statement, ignoring formatting.
    pub fn states_same(&self, other: &Self) -> bool {
        (self.kind, &self.text) == (other.kind, &other.text)
    }
}

/// The ledger items of `answer`, in order, each once; at most 50. Cost: one pass.
pub fn ledger_of(answer: &str) -> Vec<LedgerItem> {
    let reader = LedgerReader::of(answer);
    let mut kept: Vec<LedgerItem> = Vec::new();
    for item in reader.items {
        let is_known = kept.iter().any(|known| known.states_same(&item));
        let is_done = item.kind == LedgerKind::Todo && reader.done.iter().any(|done| is_same_text(done, &item.text));
        if !is_filler(&item.text) && !is_known && !is_done && kept.len() < ITEMS_MOST {
            kept.push(item);
        }
    }
    kept
}

/// The todos that `answer` ticks off with `- [x] …`, in order; at most 50. Cost: one pass.
pub fn done_in(answer: &str) -> Vec<String> {
    LedgerReader::of(answer).done.into_iter().take(ITEMS_MOST).collect()
}

/// Whether two texts are equal apart from case, marks of emphasis and code, and a final full stop, which models do not
/// repeat faithfully.
pub fn is_same_text(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        let kept = text.chars().filter(|character| !matches!(character, '*' | '`' | '_'));
        let kept: String = kept.flat_map(char::to_lowercase).collect();
        kept.trim_end_matches(['.', '!', ' ']).to_owned()
    };
    plain(one) == plain(other)
}

/// A line of an answer, split into its markers and its text.
#[derive(Debug, Clone, Copy)]
struct AnswerLine<'a> {
    /// Width of the leading white space, in columns.
    indent: usize,
    /// Whether it begins with the sign of a list.
    is_bullet: bool,
    /// Whether its box is ticked; `None` if it has no box.
    tick: Option<bool>,
    /// The text after all markers.
    text: &'a str,
}

impl<'a> AnswerLine<'a> {
    fn of(line: &'a str) -> Self {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let bullet =
            text.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.starts_with([' ', '\t'])).or_else(|| {
                let digits = text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len();
                let rest = text[digits..].strip_prefix(['.', ')']).filter(|rest| rest.starts_with(' '))?;
                (1..=3).contains(&digits).then_some(rest)
            });
        let said = bullet.map_or(text, str::trim_start);
        let boxed = boxed(said).filter(|_| bullet.is_some());
        let (tick, text) = boxed.map_or((None, said), |(tick, text)| (Some(tick), text));
        Self { indent, is_bullet: bullet.is_some(), tick, text }
    }
}

/// Whether the box at the start of `text` is ticked, and the text after it. A following word like `TODO` adds nothing
/// to an open box and is removed.
fn boxed(text: &str) -> Option<(bool, &str)> {
    let boxes = [("[ ] ", false), ("[x] ", true), ("[X] ", true)];
    let (text, tick) = boxes.into_iter().find_map(|(sign, tick)| Some((text.strip_prefix(sign)?.trim(), tick)))?;
    Some((tick, text.strip_prefix("TODO:").map_or(text, str::trim)))
}

/// The lines of `answer` without code fences and HTML comments; a quoted line counts as empty.
fn own_lines(answer: &str) -> impl Iterator<Item = AnswerLine<'_>> {
    let (mut is_fenced, mut is_comment) = (false, false);
    answer.lines().filter_map(move |line| {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
            return Some(AnswerLine::of(""));
        }
        if !is_fenced && (is_comment || trimmed.starts_with("<!--")) {
            is_comment = !trimmed.contains("-->");
            return None;
        }
        let is_own = !is_fenced && !line.starts_with('>');
        is_own.then(|| AnswerLine::of(line)).or_else(|| (!is_fenced).then(|| AnswerLine::of("")))
    })
}

/// Reads an answer line by line.
#[derive(Debug, Default)]
struct LedgerReader {
    items: Vec<LedgerItem>,
    /// Whether the last item is a bracketed list of items or the beginning of one.
    is_list: bool,
    /// Texts of ticked boxes.
    done: Vec<String>,
    position: LedgerPosition,
    /// Text that the next line may continue.
    open: Option<OpenText>,
}

/// The last item or done todo, which the next line may continue.
#[derive(Debug, Clone, Copy)]
struct OpenText {
    /// Its indentation; a continuation line is indented more.
    indent: usize,
    is_done: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LedgerPosition {
    #[default]
    Text,
    /// In a block, under a heading of that kind, which may itself be an item of a list.
    Block { kind: Option<LedgerKind>, is_bullet: bool },
}

impl LedgerReader {
    fn of(answer: &str) -> Self {
        let mut reader = Self::default();
        own_lines(answer).for_each(|line| reader.take(&line));
        reader.end_list();
        for text in reader.items.iter_mut().map(|item| &mut item.text).chain(&mut reader.done) {
            // Credentials in an answer must not be stored.
            *text = one_line(&mask_credentials(text));
        }
        reader
    }

    /// Replaces the last item, if it is a list, by the items of the list.
    fn end_list(&mut self) {
        if !std::mem::take(&mut self.is_list) {
            return;
        }
        let Some(LedgerItem { kind, text, confidence }) = self.items.pop() else { return };
        for text in parse_items(&text, kind) {
            match boxed(&text) {
                Some((true, text)) => self.done.push(text.to_owned()),
                Some((false, text)) => {
                    self.items.push(LedgerItem { kind: LedgerKind::Todo, text: text.to_owned(), confidence })
                }
                None => self.items.push(LedgerItem { kind, text, confidence }),
            }
        }
    }

    fn take(&mut self, line: &AnswerLine<'_>) {
        let open = self.open.take();
        if line.text.is_empty() {
            return;
        }
        if line.indent == 0 && is_block_start(line.text) && !line.is_bullet {
            self.position = LedgerPosition::Block { kind: None, is_bullet: false };
            return;
        }
        let stated = ledger_line(line.text);
        let open = open.filter(|open| !line.is_bullet && stated.is_none() && goes_on(line, open.indent));
        if let Some(open) = open {
            let text = match open.is_done {
                true => self.done.last_mut(),
                false => self.items.last_mut().map(|item| &mut item.text),
            };
            if let Some(text) = text {
                text.push(' ');
                text.push_str(line.text);
            }
            self.open = Some(open);
            return;
        }
        let is_in_block = self.position != LedgerPosition::Text;
        // Four columns of indentation make a Markdown code block.
        let is_code = !is_in_block && !line.is_bullet && line.indent >= CODE_INDENT;
        match (line.tick, stated) {
            (Some(true), _) => {
                self.done.push(line.text.to_owned());
                self.open = Some(OpenText { indent: line.indent, is_done: true });
            }
            (Some(false), _) => {
                self.push(LedgerKind::Todo, line.text, if is_in_block { 1.0 } else { 0.9 }, line.indent)
            }
            (None, Some(LedgerLine::Alone(kind, text))) if !is_code && (is_in_block || kind != LedgerKind::Fact) => {
                if line.indent == 0 && is_in_block {
                    self.position = LedgerPosition::Block { kind: None, is_bullet: line.is_bullet };
                }
                self.push(kind, text, if is_in_block { 1.0 } else { 0.95 }, line.indent);
            }
            (None, Some(LedgerLine::Heading(kind, rest))) if is_in_block => self.heading(line, kind, rest),
            _ => self.plain(line),
        }
    }

    fn push(&mut self, kind: LedgerKind, text: &str, confidence: f64, indent: usize) {
        self.end_list();
        // A bracketed text is a list of items.
        self.is_list = text.starts_with('[');
        self.items.push(LedgerItem { kind, text: text.to_owned(), confidence });
        self.open = Some(OpenText { indent, is_done: false });
    }

    fn heading(&mut self, line: &AnswerLine<'_>, kind: LedgerKind, rest: &str) {
        self.position = LedgerPosition::Block { kind: Some(kind), is_bullet: line.is_bullet };
        if rest.is_empty() {
            return;
        }
        self.push(kind, rest, 1.0, line.indent);
        self.is_list = true;
        if rest.ends_with(']') || boxed(rest).is_some() {
            self.open = None;
        }
    }

    /// Handles a line that is neither a statement nor a heading.
    fn plain(&mut self, line: &AnswerLine<'_>) {
        let LedgerPosition::Block { kind, is_bullet } = self.position else { return };
        match kind {
            Some(kind) if line.is_bullet && (line.indent > 0 || !is_bullet) => {
                self.push(kind, line.text, 1.0, line.indent);
            }
            // An unknown heading: the items below it do not belong to the ledger.
            _ if line.is_bullet && line.indent == 0 => self.position = LedgerPosition::Block { kind: None, is_bullet },
            _ if line.is_bullet => {}
            _ => self.position = LedgerPosition::Text,
        }
    }
}

/// Indentation from which a line outside lists is code, in columns.
const CODE_INDENT: usize = 4;

/// Whether `line` continues an item with indentation `indent`: it is indented more, or begins in the middle of a
/// sentence.
fn goes_on(line: &AnswerLine<'_>, indent: usize) -> bool {
    line.indent > indent || (line.indent == indent && line.text.starts_with(char::is_lowercase))
}

fn is_block_start(text: &str) -> bool {
    text.trim_matches(['#', '*', '_', ' ']).trim_end_matches(':').trim_end_matches('*').eq_ignore_ascii_case("ledger")
        && text.contains(':') | text.starts_with('#')
}

/// The part of a line before a colon, if it is a keyword or heading.
enum LedgerLine<'a> {
    /// `TODO: …`: one item.
    Alone(LedgerKind, &'a str),
    /// `Todos: …`: the items on the line, and those below it.
    Heading(LedgerKind, &'a str),
}

/// What `text` states or announces, if it has the form of a line of a ledger.
fn ledger_line(text: &str) -> Option<LedgerLine<'_>> {
    let (name, rest) = text.split_once(':')?;
    let rest = rest.trim_matches(['*', ' ']);
    // `__TODO: x__`
    let rest = if name.starts_with("__") { rest.trim_end_matches('_') } else { rest };
    let name = name.trim_matches(['*', '_', '#', ' ']);
    let is_marker = ["DECISION", "FACT", "INVARIANT", "QUESTION", "TODO"].contains(&name);
    let kind = LedgerKind::of_heading(name)?;
    Some(if is_marker && !rest.is_empty() { LedgerLine::Alone(kind, rest) } else { LedgerLine::Heading(kind, rest) })
}

/// The items of `[a; b]` or `a; b`; any other text is one item. Only file names are split at commas, because sentences
/// contain commas.
fn parse_items(text: &str, kind: LedgerKind) -> Vec<String> {
    let text = text.trim();
    if let Ok(items) = serde_json::from_str::<Vec<String>>(text) {
        return items;
    }
    if let Some((tick, text)) = boxed(text) {
        return vec![format!("[{}] {text}", if tick { 'x' } else { ' ' })];
    }
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let is_quoted = |quote: char| inner.starts_with(quote) && inner.ends_with(quote) && inner.len() > 1;
    let parts: Vec<&str> = match kind {
        _ if is_quoted('\'') => inner.split("', '").collect(),
        LedgerKind::File if !inner.contains(';') => inner.split(',').collect(),
        _ => split_outside(inner, ';'),
    };
    let plain = |part: &str| part.trim().trim_matches(|quote| matches!(quote, '"' | '\'')).to_owned();
    parts.into_iter().map(plain).filter(|part| !part.is_empty()).collect()
}

/// The parts of `text` between separators that stand in no brackets, quotes or code.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quote) = (Vec::new(), 0, 0_u32, None);
    for (at, character) in text.char_indices() {
        match character {
            '`' | '"' if quote == Some(character) => quote = None,
            '`' | '"' if quote.is_none() => quote = Some(character),
            '(' | '[' | '{' if quote.is_none() => depth += 1,
            ')' | ']' | '}' if quote.is_none() => depth = depth.saturating_sub(1),
            _ if character == separator && quote.is_none() && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Placeholder texts for "nothing to state".
const FILLERS: [&str; 16] = [
    // tidy: sorted
    "",
    "all done",
    "done",
    "n/a",
    "na",
    "no",
    "no changes",
    "none",
    "none at this time",
    "none for now",
    "none left",
    "none yet",
    "nothing",
    "nothing left",
    "nothing more",
    "tbd",
    // tidy: end
];

fn is_filler(text: &str) -> bool {
    let plain = text.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
    let is_template = text.starts_with('<') && text.ends_with('>');
    is_template || FILLERS.contains(&plain.as_str())
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let visible = line.chars().filter(|character| !character.is_control());
    let mut text: String = visible.take(CHARACTERS_MOST + 1).collect();
    if let Some((at, _)) = text.char_indices().nth(CHARACTERS_MOST) {
        text.truncate(at);
        text.push('…');
    }
    text
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
            "1 decision: retry three times, then give up\n1 todo: write the migration\n1 todo: tell ops\n\
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
    fn a_sentence_keeps_its_commas() {
        check(
            "Ledger:\n- Decisions: [use a trie, because scans are slow; keep the cache]\n- Facts: ['one, two', 'three']\n- Files: [a.rs, b.rs]",
            "1 decision: use a trie, because scans are slow\n1 decision: keep the cache\n1 fact: one, two\n1 fact: three\n1 file: a.rs\n\
             1 file: b.rs",
        );
        check("Ledger:\n- Todos: none left\n- Decisions: [none for now]", "");
    }

    #[test]
    fn boxes_and_words_in_capitals_have_their_own_kind_in_a_block() {
        check(
            "Ledger:\n- DECISION: ship `for (;;)` as it is; really\n- [x] ship the parser\n- [ ] test the parser\n- plain\n+ TODO: docs\n2. FACT: port is 80",
            "1 decision: ship `for (;;)` as it is; really\n1 todo: test the parser\n1 todo: docs\n1 fact: port is 80",
        );
        check("Ledger:\n- Facts: [`a; b`; f(c; d)]", "1 fact: `a; b`\n1 fact: f(c; d)");
    }

    #[test]
    fn a_line_that_goes_on_belongs_to_its_item() {
        check(
            "Ledger:\n- INVARIANT: never delete a row\n  unless it is archived\nDone.",
            "1 invariant: never delete a row unless it is archived",
        );
        check(
            "INVARIANT: never delete a row\nunless it is archived\nThat is all.",
            "0.95 invariant: never delete a row unless it is archived",
        );
        check(
            "Ledger:\n- Todos:\n  - write the\n    migration\n  - tell ops",
            "1 todo: write the migration\n1 todo: tell ops",
        );
    }

    #[test]
    fn what_somebody_else_says_is_not_kept() {
        check(
            "> TODO: quoted\n    TODO: code\n<!-- TODO: hidden\nTODO: too -->\n**TODO**: mine\nDECISION: <what was decided>",
            "0.95 todo: mine",
        );
    }

    #[test]
    fn a_long_item_shows_that_it_was_cut() {
        let text = &ledger_of(&format!("TODO: {}", "é".repeat(600)))[0].text;
        assert_eq!((text.chars().count(), text.ends_with('…')), (501, true));
    }

    #[test]
    fn ticked_boxes_are_done() {
        assert_eq!(
            done_in("- [x] measure it\n- [ ] not yet\n```\n- [x] code\n```\n  * [X] tell ops"),
            ["measure it", "tell ops"]
        );
    }

    #[test]
    fn lists_may_go_over_lines_and_boxes_stand_in_them() {
        check(
            "Ledger:\n- Decisions: [use sqlite;\n  drop redis;\n  keep kafka]\n- Todos: [[x] a; [ ] b; c]",
            "1 decision: use sqlite\n1 decision: drop redis\n1 decision: keep kafka\n1 todo: b\n1 todo: c",
        );
        check("TODO: [a; b]\n- TODO: [x] c\n- [ ] TODO: d", "0.95 todo: a\n0.95 todo: b\n0.9 todo: d");
        check("TODO: a\nmore\n\n- [x] a more", "");
        check("`TODO: code`\n__QUESTION: who?__\n-\tTODO: tab", "0.95 question: who?\n0.95 todo: tab");
        assert!(is_same_text("**Write** the `docs`.", "write the docs") && !is_same_text("a b", "ab"));
    }

    #[test]
    fn a_wrapped_box_is_ticked_as_it_was_stated() {
        let (open, done) = ("- [ ] write the\n  migration\n", "- [x] write the\n  migration\n\nDone.");
        assert_eq!(done_in(done), [ledger_of(open)[0].text.as_str()]);
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
        check("Ledger:\n- Todos:\n  - a\n\n- changed the lexer", "1 todo: a");
        check("Ledger:\n\nTodos:\n- a: b\n- c", "1 todo: a: b\n1 todo: c");
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
