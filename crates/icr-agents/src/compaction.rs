//! The note of what must be kept when a conversation is replaced by its summary.

use icr_tokens::model_tokens;

use crate::ledger::LedgerKind;
use crate::session::SessionState;

/// Most items under one heading; the oldest are left out.
const ITEMS_MOST: usize = 12;

/// Longest line of items, in characters; further items go on another line with the same heading.
const LINE_CHARACTERS: usize = 1_500;

/// Most pins that are listed; more than a page of them would not help as a reminder.
const PINS_MOST: usize = 30;

/// What must be kept of a session, for the summary and for a session that continues it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompactionNote {
    /// Pinned files of the clone: path and label, most important first.
    pub pins: Vec<(String, Option<String>)>,
    /// What has to stay true.
    pub invariants: Vec<String>,
    /// The session in a line.
    pub summary: String,
    /// What is left to do.
    pub todos: Vec<String>,
    /// What was decided.
    pub decisions: Vec<String>,
    /// What is true and worth knowing.
    pub facts: Vec<String>,
    /// What is not known yet.
    pub questions: Vec<String>,
    /// Files that were changed.
    pub files: Vec<String>,
    /// Definitions that were asked about.
    pub symbols: Vec<String>,
}

/// A part of a note that may have to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotePart {
    Todos,
    Decisions,
    Facts,
    Questions,
    Files,
    Symbols,
}

impl CompactionNote {
    /// The note for a session in `state`, with the `pins` of the clone.
    pub fn new(state: &SessionState, pins: Vec<(String, Option<String>)>) -> Self {
        let of = |kind: LedgerKind| -> Vec<String> {
            state.ledger.iter().filter(|item| item.kind == kind).map(|item| item.text.clone()).collect()
        };
        let mut files = state.changed_files.clone();
        files.extend(of(LedgerKind::File).into_iter().filter(|file| !state.changed_files.contains(file)));
        let changed = match state.changed_files.len() {
            0 => String::new(),
            1 => ", 1 file changed".to_owned(),
            count => format!(", {count} files changed"),
        };
        let summary = match state.prompts {
            0 => String::new(),
            1 => format!("1 prompt{changed}"),
            count => format!("{count} prompts{changed}"),
        };
        Self {
            pins,
            invariants: of(LedgerKind::Invariant),
            summary,
            todos: of(LedgerKind::Todo),
            decisions: of(LedgerKind::Decision),
            facts: of(LedgerKind::Fact),
            questions: of(LedgerKind::Question),
            files,
            symbols: state.symbols.clone(),
        }
    }

    /// Whether `text` is one of the items that were stated.
    pub fn has(&self, text: &str) -> bool {
        let lists = [&self.invariants, &self.todos, &self.decisions, &self.facts, &self.questions];
        lists.into_iter().flatten().any(|item| item == text)
    }

    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        let Self { pins, invariants, summary: _, todos, decisions, facts, questions, files, symbols } = self;
        let parts = [invariants, todos, decisions, facts, questions, files, symbols];
        pins.is_empty() && parts.iter().all(|part| part.is_empty())
    }

    /// The note as text; empty if there is nothing to keep. If it has more than `budget_tokens` model tokens, symbols
    /// are dropped first, then files, questions, facts, decisions, todos and the summary; within each, the oldest items
    /// go first. The first 30 pins and all invariants stay, however long they are.
    pub fn text(&self, budget_tokens: u32) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut note = self.clone();
        let parts = [
            NotePart::Symbols,
            NotePart::Files,
            NotePart::Questions,
            NotePart::Facts,
            NotePart::Decisions,
            NotePart::Todos,
        ];
        let mut left_out = [0_usize; 6];
        for (part, left_out) in parts.into_iter().zip(&mut left_out) {
            let items = note.items(part);
            *left_out = items.len().saturating_sub(ITEMS_MOST);
            items.drain(..*left_out);
        }
        for (part, left_out) in parts.into_iter().zip(&mut left_out) {
            while model_tokens(note.laid_out().as_bytes()) > budget_tokens && !note.items(part).is_empty() {
                note.items(part).remove(0);
                *left_out += 1;
            }
        }
        if model_tokens(note.laid_out().as_bytes()) > budget_tokens {
            note.summary.clear();
        }
        for (part, left_out) in parts.into_iter().zip(left_out) {
            // An incomplete list of todos must not be taken for the complete one, so the number of omitted items is
            // always given.
            if left_out > 0 && (part == NotePart::Todos || !note.items(part).is_empty()) {
                note.items(part).insert(0, format!("{left_out} older"));
            }
        }
        note.laid_out()
    }

    fn items(&mut self, part: NotePart) -> &mut Vec<String> {
        match part {
            NotePart::Todos => &mut self.todos,
            NotePart::Decisions => &mut self.decisions,
            NotePart::Facts => &mut self.facts,
            NotePart::Questions => &mut self.questions,
            NotePart::Files => &mut self.files,
            NotePart::Symbols => &mut self.symbols,
        }
    }

    fn laid_out(&self) -> String {
        let pin = |(path, label): &(String, Option<String>)| match label {
            Some(label) => format!("{path} ({label})"),
            None => path.clone(),
        };
        let mut pins: Vec<String> = self.pins.iter().take(PINS_MOST).map(pin).collect();
        if self.pins.len() > PINS_MOST {
            pins.push(format!("and {} more", self.pins.len() - PINS_MOST));
        }
        let mut text = String::from("Keep through the summary, as recorded by icr:\n");
        let mut line = |heading: &str, items: &[String], separator: &str| {
            let mut rest = items;
            while !rest.is_empty() {
                // At least one item, even if it is longer than a line.
                let mut characters = 0;
                let fits = |item: &&String| {
                    characters += item.chars().count() + separator.len();
                    characters <= LINE_CHARACTERS
                };
                let count = rest.iter().take_while(fits).count().max(1);
                text.push_str(&format!("{heading}: {}\n", rest[..count].join(separator)));
                rest = &rest[count..];
            }
        };
        line("Pinned files", &pins, ", ");
        line("Invariants", &self.invariants, "; ");
        line("Session", if self.summary.is_empty() { &[] } else { std::slice::from_ref(&self.summary) }, "");
        line("To do", &self.todos, "; ");
        line("Decided", &self.decisions, "; ");
        line("Known", &self.facts, "; ");
        line("Open questions", &self.questions, "; ");
        line("Files changed", &self.files, ", ");
        line("Definitions looked at", &self.symbols, ", ");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note() -> CompactionNote {
        let many = |word: &str| (0..5).map(|number| format!("{word} {number}")).collect::<Vec<_>>();
        CompactionNote {
            pins: vec![("docs/rules.md".to_owned(), Some("rules".to_owned()))],
            invariants: vec!["ids are never reused".to_owned()],
            summary: "3 prompts".to_owned(),
            todos: many("todo"),
            decisions: many("decision"),
            facts: many("fact"),
            questions: many("question"),
            files: many("file"),
            symbols: many("symbol"),
        }
    }

    #[test]
    fn all_stands_where_there_is_room() {
        insta::assert_snapshot!(note().text(1_000), @r"
        Keep through the summary, as recorded by icr:
        Pinned files: docs/rules.md (rules)
        Invariants: ids are never reused
        Session: 3 prompts
        To do: todo 0; todo 1; todo 2; todo 3; todo 4
        Decided: decision 0; decision 1; decision 2; decision 3; decision 4
        Known: fact 0; fact 1; fact 2; fact 3; fact 4
        Open questions: question 0; question 1; question 2; question 3; question 4
        Files changed: file 0, file 1, file 2, file 3, file 4
        Definitions looked at: symbol 0, symbol 1, symbol 2, symbol 3, symbol 4
        ");
    }

    #[test]
    fn what_matters_least_goes_first_and_invariants_stay() {
        let whole = model_tokens(note().text(1_000).as_bytes());
        let mut lost: Vec<&str> = Vec::new();
        for budget in (0..whole).rev() {
            let text = note().text(budget);
            assert!(text.contains("ids are never reused") && text.contains("docs/rules.md"), "{budget}");
            for heading in ["Definitions", "Files", "Open", "Known", "Decided", "To do", "Session"] {
                let is_there = text.contains(heading) && !text.contains(&format!("{heading}: 5 older"));
                if !is_there && !lost.contains(&heading) {
                    lost.push(heading);
                }
            }
        }
        assert_eq!(lost, ["Definitions", "Files", "Open", "Known", "Decided", "To do", "Session"]);
    }

    #[test]
    fn of_many_pins_the_first_are_named() {
        let pins = |count: usize| (0..count).map(|number| (format!("p{number}"), None)).collect();
        let text = |count| CompactionNote { pins: pins(count), ..CompactionNote::default() }.text(10);
        assert!(text(30).ends_with(", p28, p29\n"), "{}", text(30));
        assert!(text(32).ends_with(", p28, p29, and 2 more\n"), "{}", text(32));
    }

    #[test]
    fn of_many_items_the_newest_are_named_and_the_others_counted() {
        let todos = (0..40).map(|number| format!("t{number}")).collect();
        let text = CompactionNote { todos, ..CompactionNote::default() }.text(1_000);
        assert!(text.contains("To do: 28 older; t28; ") && text.ends_with("; t39\n"), "{text}");
    }

    #[test]
    fn many_invariants_stand_on_several_lines_and_what_is_left_out_is_counted() {
        let invariants = (0..20).map(|number| format!("{number:0>165}")).collect();
        let note = CompactionNote { invariants, todos: vec!["a".to_owned(); 3], ..CompactionNote::default() };
        let text = note.text(100);
        assert!(text.lines().all(|line| line.chars().count() < 1_600), "{text}");
        assert!(text.contains("19\n") && text.ends_with("To do: 3 older\n"), "{text}");
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert_eq!(CompactionNote { summary: "9 prompts".to_owned(), ..CompactionNote::default() }.text(100), "");
    }
}
