use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::preamble::{PreambleItem, PreambleLimits, preamble};

fn facts(text: &str) -> Vec<String> {
    extract(text, &ExtractionRules::default()).into_iter().map(|fact| fact.text).collect()
}

/// A text without the marks of its facts, and the facts.
fn marked(text: &str) -> (String, Vec<String>) {
    let facts = text.split('⟦').skip(1).filter_map(|rest| rest.split('⟧').next()).map(prose::plain).collect();
    (text.replace(['⟦', '⟧'], ""), facts)
}

/// Facts that were expected, that were given, and that were both.
#[derive(Default)]
struct Comparison {
    expected: usize,
    given: usize,
    right: usize,
    differences: String,
}

impl Comparison {
    fn precision(&self) -> f64 {
        self.right as f64 / self.given as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / self.expected as f64
    }
}

/// What is extracted from the texts of a folder of `fixtures/memory/extraction`, compared with what is marked there.
fn compare(folder: &str) -> Comparison {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/memory/extraction").join(folder);
    let entries = fs::read_dir(&folder).expect("the fixtures are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("the fixtures can be listed").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut all = Comparison::default();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (text, mut expected) = marked(&fs::read_to_string(&path).expect("a fixture is text"));
        all.expected += expected.len();
        for fact in facts(&text) {
            all.given += 1;
            // A label that the mark begins behind belongs to the sentence, too.
            let same = |expected: &String| {
                let (fact, expected) = (token_set(&fact), token_set(expected));
                jaccard(&fact, &expected) >= 0.7
            };
            match expected.iter().position(same) {
                Some(at) => {
                    expected.remove(at);
                    all.right += 1;
                }
                None => all.differences += &format!("{name} + {fact}\n"),
            }
        }
        for fact in expected {
            all.differences += &format!("{name} - {fact}\n");
        }
    }
    all
}

#[test]
fn precision_and_recall_are_high_where_the_rules_were_tuned() {
    let all = compare("");
    assert!(
        all.precision() >= 0.94 && all.recall() >= 0.96,
        "{} {}\n{}",
        all.precision(),
        all.recall(),
        all.differences
    );
}

#[test]
fn precision_and_recall_are_fair_on_other_texts() {
    let all = compare("held_out");
    assert!(all.precision() >= 0.84 && all.recall() >= 0.74, "{} {}", all.precision(), all.recall());
}

#[test]
fn a_fact_has_a_score_signals_and_an_importance() {
    let text = "The `domain` layer depends on no other one.\n\nWe decided to fix the default timeout at 5 s.\n";
    let found = extract(text, &ExtractionRules::default());
    insta::assert_debug_snapshot!(found, @r#"
    [
        ExtractedFact {
            text: "The `domain` layer depends on no other one.",
            score: 3.0,
            signals: [
                Architecture,
            ],
            importance: Medium,
        },
        ExtractedFact {
            text: "We decided to fix the default timeout at 5 s.",
            score: 9.0,
            signals: [
                Config,
                Decision,
                Error,
            ],
            importance: High,
        },
    ]
    "#);
}

#[test]
fn config_or_development_alone_is_no_fact_and_both_are() {
    assert_eq!(facts("The timeout of the proxy is five minutes."), [""; 0]);
    assert_eq!(facts("The migration was merged and deployed."), [""; 0]);
    assert_eq!(
        facts("The migration sets the timeout to five minutes."),
        ["The migration sets the timeout to five minutes."]
    );
}

#[test]
fn facts_are_in_the_order_of_the_text_and_the_best_ones_are_kept() {
    let text = "The parser failed on empty input.\n\n\
        We decided to fix the error in the default configuration.\n\n\
        The lexer crashed on tabs and blanks.\n\n\
        We chose to reject broken tokens.\n";
    let rules = ExtractionRules { max_kept: 2, ..ExtractionRules::default() };
    let kept: Vec<String> = extract(text, &rules).into_iter().map(|fact| fact.text).collect();
    assert_eq!(
        kept,
        ["We decided to fix the error in the default configuration.", "We chose to reject broken tokens."]
    );
    let rules = ExtractionRules { max_scored: 1, ..ExtractionRules::default() };
    assert_eq!(extract(text, &rules).len(), 1);
    let rules = ExtractionRules { max_kept: 0, ..ExtractionRules::default() };
    assert_eq!(extract(text, &rules), []);
}

#[test]
fn sentences_that_share_most_words_are_one() {
    let text = "We decided to use SQLite for the store. In the end we decided to use SQLite for the store.";
    assert_eq!(facts(text), ["We decided to use SQLite for the store."]);
    // The better one is kept, wherever it stands.
    let text = "The parser of the tool failed at night.\n\nThe parser of the tool failed at night by default config.";
    assert_eq!(facts(text), ["The parser of the tool failed at night by default config."]);
}

#[test]
fn lines_of_one_form_with_other_numbers_stay_apart() {
    let text = "- Port 8080 must be open for the proxy.\n- Port 8443 must be open for the proxy.\n";
    assert_eq!(facts(text).len(), 2);
}

#[test]
fn the_length_of_a_sentence_has_bounds() {
    assert_eq!(facts("We fixed the bug."), [""; 0]);
    let rules = ExtractionRules { min_sentence_chars: 5, max_sentence_chars: 17, ..ExtractionRules::default() };
    assert_eq!(extract("We fixed the bug.", &rules).len(), 1);
    assert_eq!(extract("We fixed the bugs.", &rules).len(), 0);
    assert_eq!(facts(&format!("We fixed the bug {}.", "again and ".repeat(60))), [""; 0]);
}

#[test]
fn wrapped_lines_items_and_bold_labels_are_read() {
    let text = "We decided to use SQLite\nfor the store.\n\n\
        * ✅ **Fixed:** the race in `a ** b`\n  of the worker.\n\
        3) [x] **Decision:** `main.rs` must never log. And e.g. v1.2 hangs on it.\n\
        ## Root cause: the lock is never released\n\n\
        ## Fixed errors of the default configuration\n";
    assert_eq!(
        facts(text),
        [
            "We decided to use SQLite for the store.",
            "Fixed: the race in `a ** b` of the worker.",
            "Decision: `main.rs` must never log.",
            "And e.g. v1.2 hangs on it.",
            "Root cause: the lock is never released",
        ]
    );
}

#[test]
fn fences_hide_what_is_in_them() {
    let fact = "We decided to fix the default error.";
    for (open, close) in
        [("```rust", "```"), ("~~~~", "~~~~"), ("````md\n```", "```\n````"), ("- ```", "```"), ("> ```", "```")]
    {
        assert_eq!(facts(&format!("{open}\n{fact}\n{close}\n\n{fact}\n")), [fact], "{open}");
    }
    assert_eq!(facts(&format!("```\n{fact}\n~~~\n{fact}\n")), [""; 0]);
    assert_eq!(facts(&format!("Run ```a``` first. {fact}\n")), [fact]);
}

#[test]
fn indented_code_is_hidden_and_indented_items_are_not() {
    let fact = "We decided to fix the default error.";
    assert_eq!(facts(&format!("Like this:\n\n    {fact}\n\n\t{fact}\n")), [""; 0]);
    assert_eq!(facts(&format!("- one\n    - {fact}\n")), [fact]);
    assert_eq!(facts(&format!("- one:\n\n    {fact}\n")), [fact]);
}

/// Sentences of all kinds that are facts by themselves.
const FACTS: &[&str] = &[
    "We decided to use SQLite for the store.",
    "The bug was caused by the default configuration.",
    "Never deploy on Friday, because the release fails.\nFixed: the error in the parser.",
    "## Decision: the schema must be versioned",
    "**Root cause:** the lock is never released. It was fixed in v1.2.",
    "- [x] Fixed the crash of the worker.",
];

fn recalled(texts: &[&str], topic: &str, limits: &PreambleLimits) -> String {
    let items: Vec<PreambleItem<'_>> = texts
        .iter()
        .map(|text| PreambleItem { topic, text, importance: "high", id: "01JD".to_owned(), ..PreambleItem::default() })
        .collect();
    preamble(&items, limits)
}

#[test]
fn a_preamble_that_is_fed_back_gives_no_fact() {
    for topic in ["decisions", ""] {
        let text = recalled(FACTS, topic, &PreambleLimits::default());
        assert!(text.lines().count() == FACTS.len() + 2);
        assert_eq!(facts(&text), [""; 0]);
        // Quoted, indented, and without its first and last line.
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(facts(&lines.iter().map(|line| format!("> {line}\n")).collect::<String>()), [""; 0]);
        assert_eq!(facts(&lines.iter().map(|line| format!("  {line}\n")).collect::<String>()), [""; 0]);
        assert_eq!(facts(&lines[1..lines.len() - 1].join("\n")), [""; 0]);
        // What follows is read, also when the last line was cut off.
        let fact = "We decided to fix the default error.";
        assert_eq!(facts(&format!("{text}\n{fact}\n")), [fact]);
        assert_eq!(facts(&format!("{}\n{fact}\n", lines[..3].join("\n"))), [fact]);
    }
}

#[test]
fn hostile_texts_are_read_to_their_end() {
    let million = 1 << 20;
    for text in [
        "We decided to fix it ".repeat(million / 21),
        "a. ".repeat(million / 3),
        "`".repeat(500_000),
        "a `".repeat(300_000),
        (1..1_000).map(|length| "`".repeat(length) + " ").collect(),
        "```\n````\n".repeat(100_000),
        "> ".repeat(million / 2),
        "(".repeat(million),
        "**".repeat(million / 2),
        "We fix. ".repeat(million / 8),
        "\n".repeat(million),
        "- ".repeat(million / 2),
        "<icr-memory>\n".repeat(80_000),
    ] {
        extract(&text, &ExtractionRules::default());
    }
}

proptest! {
    #[test]
    fn any_text_gives_facts_within_the_rules(text in any::<String>(), max_kept in 0_usize..5) {
        let rules = ExtractionRules { max_kept, threshold: 0.0, min_sentence_chars: 1, ..ExtractionRules::default() };
        prop_assert!(extract(&text, &rules).len() <= max_kept);
    }

    #[test]
    fn facts_of_any_lines_are_single_lines(
        text in "(We decided to fix|the default|error|`|```\n|\n|\n- |\n    |\\. |\\*\\*|> |# |\\||<icr-memory>\n|é|数| ){0,40}",
    ) {
        let rules = ExtractionRules { min_sentence_chars: 1, ..ExtractionRules::default() };
        for fact in extract(&text, &rules) {
            prop_assert!(!fact.text.contains('\n') && fact.text.trim() == fact.text);
            prop_assert!(fact.score >= rules.threshold && !fact.signals.is_empty());
        }
    }

    #[test]
    fn no_preamble_gives_facts(
        texts in prop::collection::vec(prop::sample::select(FACTS), 1..12),
        topic in "[a-z]{0,5}(\\]|\n|: )?[a-z]{0,5}",
        max_item_chars in 40_usize..500,
        max_total_chars in 200_usize..2_000,
    ) {
        let text = recalled(&texts, &topic, &PreambleLimits { max_item_chars, max_total_chars });
        prop_assert_eq!(facts(&text), Vec::<String>::new());
    }
}

#[test]
fn two_decisions_of_one_form_are_two_facts() {
    for text in [
        "We decided to use Redis here. We decided to use Postgres here.",
        "Always call exit here. Never call exit here.",
    ] {
        let facts = extract(text, &ExtractionRules { threshold: 0.1, ..ExtractionRules::default() });
        assert_eq!(facts.len(), 2, "{text}: {facts:?}");
    }
}
