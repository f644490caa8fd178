//! Finds out whether two near duplicates could state two different facts.
//!
//! In doubt the answer is "yes": two memories that say nearly the same cost a reader one line, but one memory that
//! mixes two facts loses the facts. So two texts state the same only if one of them says all that the other says, in
//! the same order, and its additional words are a reason, a manner or a further sentence.

use std::collections::{HashMap, HashSet};

use super::inflection::stem;
use super::sentences::code_spans;
use super::words::{AnalysedWord, Opening, words};
use super::{has_meant_blanks, normalised, single_spaced};

/// Words that do not change a statement, sorted.
const EMPTY_WORDS: &[&str] = &[
    "a",
    "actually",
    "also",
    "am",
    "an",
    "are",
    "be",
    "been",
    "being",
    "currently",
    "do",
    "does",
    "has",
    "have",
    "having",
    "is",
    "it",
    "its",
    "just",
    "my",
    "now",
    "our",
    "ours",
    "please",
    "really",
    "simply",
    "that",
    "the",
    "then",
    "there",
    "these",
    "this",
    "those",
    "us",
    "very",
    "we",
];

/// Words that negate, limit or date a statement, sorted; they stand for all of their forms. Texts with different
/// turning words state different facts.
const TURNING_WORDS: &[&str] = &[
    "after",
    "almost",
    "always",
    "avoid",
    "barely",
    "before",
    "but",
    "can",
    "consider",
    "could",
    "deprecate",
    "else",
    "except",
    "fail",
    "false",
    "fewer",
    "forbid",
    "formerly",
    "had",
    "hardly",
    "if",
    "incorrect",
    "instead",
    "later",
    "least",
    "less",
    "may",
    "maybe",
    "might",
    "more",
    "most",
    "must",
    "neither",
    "never",
    "no",
    "nobody",
    "none",
    "nor",
    "not",
    "nothing",
    "obsolete",
    "old",
    "once",
    "only",
    "otherwise",
    "perhaps",
    "plan",
    "prevent",
    "previously",
    "probably",
    "rarely",
    "rather",
    "refuse",
    "reject",
    "revert",
    "seldom",
    "should",
    "sometimes",
    "stop",
    "than",
    "todo",
    "unless",
    "unlike",
    "until",
    "was",
    "were",
    "when",
    "while",
    "will",
    "without",
    "would",
    "wrong",
    "yet",
];

/// Contracted and joined negations, with apostrophes straight, sorted.
const JOINED_NEGATIONS: &[&str] = &["cannot", "dont", "wont"];

/// Days, months and other words for times, and words for numbers, sorted. (May, March and second also have other
/// meanings. As names of times they are capitalised, and so are recognised without this table.)
const TIMES_AND_NUMBERS: &[&str] = &[
    "april",
    "august",
    "billion",
    "december",
    "double",
    "eight",
    "eleven",
    "february",
    "fifth",
    "first",
    "five",
    "four",
    "fourth",
    "friday",
    "half",
    "hundred",
    "january",
    "july",
    "june",
    "million",
    "monday",
    "nine",
    "november",
    "october",
    "one",
    "quarter",
    "saturday",
    "september",
    "seven",
    "six",
    "sunday",
    "ten",
    "third",
    "thousand",
    "three",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "triple",
    "tuesday",
    "twelve",
    "twenty",
    "twice",
    "two",
    "wednesday",
    "yesterday",
    "zero",
];

/// Words that introduce a reason, sorted. A reason does not change the rest of the statement.
const REASON_WORDS: &[&str] = &["because", "due", "since", "so", "thanks", "which"];

/// Words that introduce a manner, sorted.
const MANNER_WORDS: &[&str] = &["through", "thru", "using", "via", "with"];

/// Words that introduce a statement ("We decided to"), sorted, as stems.
const INTRODUCING_WORDS: &[&str] = &[
    "agree",
    "choose",
    "conclude",
    "conclusion",
    "decide",
    "decision",
    "fact",
    "found",
    "learn",
    "note",
    "remember",
    "reminder",
    "settle",
    "team",
    "to",
];

/// Words that begin a phrase which may be in front of a statement or behind it, sorted.
const PHRASE_WORDS: &[&str] = &["at", "during", "for", "in", "inside", "on", "within"];

/// Longest text, in words, for which another order of phrases is tried. Longer texts rarely differ only in order.
const REORDERED_WORDS: usize = 64;

/// Whether `a` and `b` could state two different facts, so that they must not become one memory.
///
/// They could if they differ in numbers, identifiers, names, dates, negations or conditions, if each has a word that
/// the other lacks, if words change places, or if one of them adds more than a reason, a manner or another sentence.
/// They could not if they differ only in inflection and empty words, in an introduction ("We decided to"), or in the
/// position of a phrase. The order of the arguments does not matter. Cost grows with the words of both, up to 64 times
/// that for texts of at most 64 words.
pub fn conflict(a: &str, b: &str) -> bool {
    if normalised(a) == normalised(b) {
        return false;
    }
    let (one, other) = (Statement::of(a), Statement::of(b));
    if one.has_other_case(&other) || differ_in_meant_blanks(a, b) {
        return true;
    }
    if one.turns != other.turns || one.questions != other.questions {
        return true;
    }
    let (less, more) = if one.content.len() <= other.content.len() {
        (&one.content, &other.content)
    } else {
        (&other.content, &one.content)
    };
    if less.is_empty() || !says_all_of(more, less) {
        return true;
    }
    // An addition may contain marks. The marks of the shared part must be equal.
    let (less, more) = if one.content.len() <= other.content.len() { (a, b) } else { (b, a) };
    let (less, more) = (marks(less), marks(more));
    if one.content.len() == other.content.len() { less != more } else { !is_part_of(&less, &more) }
}

/// Whether two texts have the same turning words: the words that negate, limit and date a statement.
pub(crate) fn turn_alike(a: &str, b: &str) -> bool {
    Statement::of(a).turns == Statement::of(b).turns
}

/// Whether two texts differ only in blanks, and blanks can have a meaning in them.
fn differ_in_meant_blanks(a: &str, b: &str) -> bool {
    (has_meant_blanks(a) || has_meant_blanks(b)) && single_spaced(a) == single_spaced(b)
}

/// The operators and brackets of `text` in order; in code, all characters except letters, digits and blanks. Marks of
/// prose, of lists and of emphasis are left out.
fn marks(text: &str) -> Vec<char> {
    let codes = code_spans(text);
    let mut codes = codes.iter().peekable();
    let mut marks = Vec::new();
    let mut line_begins = true;
    let mut stands_alone = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        while codes.peek().is_some_and(|code| code.end <= at) {
            codes.next();
        }
        let is_code = codes.peek().is_some_and(|code| code.contains(&at));
        let next = characters.peek().map(|(_, next)| *next);
        let is_spaced = next.is_none_or(char::is_whitespace);
        let is_mark = match character {
            _ if character.is_alphanumeric() || character.is_whitespace() => false,
            '`' => false,
            _ if is_code => true,
            '*' | '_' if next == Some(character) => {
                characters.next();
                false
            }
            '-' | '*' | '+' | '#' | '>' if line_begins => false,
            '.' => stands_alone || at == 0 || text[..at].ends_with(char::is_whitespace),
            ',' | ';' => next.is_some_and(char::is_alphabetic),
            '!' | '?' | ':' => !is_spaced && next.is_some_and(|next| !next.is_alphanumeric()),
            _ => matches!(
                character,
                '+' | '-'
                    | '*'
                    | '/'
                    | '%'
                    | '&'
                    | '|'
                    | '^'
                    | '~'
                    | '<'
                    | '>'
                    | '='
                    | '\\'
                    | '@'
                    | '$'
                    | '#'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '≠'
                    | '≤'
                    | '≥'
                    | '×'
                    | '÷'
                    | '±'
                    | '→'
                    | '←'
                    | '⇒'
            ),
        };
        if is_mark {
            marks.push(character);
        }
        stands_alone = is_mark && character == '.';
        line_begins = character == '\n' || (line_begins && character.is_whitespace());
    }
    marks
}

/// Whether `part` is a subsequence of `whole`.
fn is_part_of(part: &[char], whole: &[char]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|mark| whole.any(|other| other == mark))
}

/// The parts of a text that its statement depends on.
struct Statement {
    /// The words without the empty ones.
    content: Vec<ContentWord>,
    /// The turning words, sorted, with repetitions.
    turns: Vec<String>,
    questions: usize,
    /// For each folded word, the ways in which it is written.
    forms: HashMap<String, HashSet<String>>,
}

/// A word with a meaning of its own.
struct ContentWord {
    stem: String,
    folded: String,
    /// Whether it is a number, an identifier, a name or a time.
    is_hard: bool,
    /// Whether it begins a sentence, an item, or a clause behind a colon or in brackets.
    begins_clause: bool,
    /// Whether it is behind a comma or a stronger mark.
    is_set_off: bool,
}

impl ContentWord {
    /// Whether both words mean the same: forms of one word, or equal names or numbers.
    fn is_same(&self, other: &Self) -> bool {
        self.stem == other.stem && (!(self.is_hard && other.is_hard) || self.folded == other.folded)
    }
}

impl Statement {
    fn of(text: &str) -> Self {
        let words = words(text);
        let mut statement = Self { content: Vec::new(), turns: Vec::new(), questions: 0, forms: HashMap::new() };
        let mut opening = Opening::Word;
        for (at, word) in words.iter().enumerate() {
            opening = opening.max(word.opening);
            statement.questions += usize::from(word.is_asked);
            let kind = kind_of(word, words.get(at + 1));
            if kind == WordKind::Soft && EMPTY_WORDS.binary_search(&word.folded.as_str()).is_ok() {
                continue;
            }
            statement.forms.entry(word.folded.clone()).or_default().insert(word.case_form().into_owned());
            let stem = if kind == WordKind::Identifier { word.folded.clone() } else { soft_stem(&word.folded) };
            let turning =
                [&stem, &word.folded].into_iter().find(|form| TURNING_WORDS.binary_search(&form.as_str()).is_ok());
            if let (WordKind::Soft, Some(turning)) = (kind, turning) {
                statement.turns.push(turning.clone());
            }
            if let (WordKind::Soft, Some(negated)) = (kind, negated_word(&word.folded)) {
                statement.turns.push(negated.to_owned());
            }
            statement.content.push(ContentWord {
                stem,
                folded: word.folded.clone(),
                is_hard: kind != WordKind::Soft,
                begins_clause: opening >= Opening::Clause,
                is_set_off: opening >= Opening::Comma,
            });
            opening = Opening::Word;
        }
        statement.turns.sort_unstable();
        statement
    }

    /// Whether the two texts write a shared word differently, as `userId` and `userID`.
    fn has_other_case(&self, other: &Self) -> bool {
        self.forms.iter().any(|(folded, forms)| other.forms.get(folded).is_some_and(|others| others != forms))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordKind {
    /// An identifier, a path, a version, a flag.
    Identifier,
    /// A number, a name or a time.
    Hard,
    /// Any other word.
    Soft,
}

fn kind_of(word: &AnalysedWord<'_>, next: Option<&AnalysedWord<'_>>) -> WordKind {
    let written = word.written;
    let is_inner_capital = written.chars().skip(1).any(char::is_uppercase);
    let is_plain =
        written.chars().all(|character| character.is_alphanumeric() || matches!(character, '-' | '\'' | '’'));
    if word.is_code || !is_plain || written.starts_with('-') || is_inner_capital {
        return WordKind::Identifier;
    }
    let begins_capital = written.starts_with(char::is_uppercase);
    let is_hard = written.contains(char::is_numeric)
        // The first word of a sentence is always capitalised.
        || (begins_capital && word.opening != Opening::Sentence)
        // A single letter is a name, such as a variable or the B of "service B". But "a" before a longer word is an
        // article.
        || (written.chars().count() == 1 && !(written.eq_ignore_ascii_case("a") && next.is_some_and(is_longer)))
        || TIMES_AND_NUMBERS.binary_search(&word.folded.as_str()).is_ok();
    if is_hard { WordKind::Hard } else { WordKind::Soft }
}

fn is_longer(word: &AnalysedWord<'_>) -> bool {
    word.written.chars().count() > 1 && word.written.starts_with(char::is_alphabetic) && word.opening == Opening::Word
}

/// The common stem of all forms of a word; "not" for all contracted negations.
fn soft_stem(folded: &str) -> String {
    let is_negation =
        folded.ends_with("n't") || folded.ends_with("n’t") || JOINED_NEGATIONS.binary_search(&folded).is_ok();
    if is_negation { "not".to_owned() } else { stem(folded) }
}

/// The verb in a contracted negation, if it is a turning word: `won't` differs from `didn't`.
fn negated_word(folded: &str) -> Option<&str> {
    let negated = match folded {
        "cannot" => "can",
        "wont" => "will",
        _ => folded.strip_suffix("n't").or_else(|| folded.strip_suffix("n’t"))?,
    };
    let negated = match negated {
        "wo" => "will",
        "ca" => "can",
        other => other,
    };
    TURNING_WORDS.binary_search(&negated).is_ok().then_some(negated)
}

/// Whether `more` says all that `less` says, and its other words do not change that statement.
fn says_all_of(more: &[ContentWord], less: &[ContentWord]) -> bool {
    if follows(more, less.iter()) {
        return true;
    }
    // A phrase may be in front or behind: "for orders we use it", "we use it for orders". With two phrases or two
    // statements, the phrase could belong to either of them.
    let phrases: Vec<usize> = (0..less.len()).filter(|at| is_one_of(&less[*at], PHRASE_WORDS)).collect();
    let &[phrase] = phrases.as_slice() else { return false };
    let has_parts = phrase > 0 && less.iter().skip(1).any(|word| word.is_set_off);
    if has_parts || less.len() > REORDERED_WORDS || less.iter().any(|word| matches!(word.stem.as_str(), "and" | "or")) {
        return false;
    }
    let turned = |at: usize| less[at..].iter().chain(&less[..at]);
    if phrase > 0 { follows(more, turned(phrase)) } else { (2..less.len()).any(|end| follows(more, turned(end))) }
}

/// Whether `more` has the words of `less` in that order, and the words between them do not change the statement.
fn follows<'a>(more: &[ContentWord], less: impl Iterator<Item = &'a ContentWord>) -> bool {
    let mut at = 0;
    for word in less {
        let Some(next) = (at..more.len()).find(|next| more[*next].is_same(word)) else { return false };
        if !is_addition(more, at, next) {
            return false;
        }
        at = next + 1;
    }
    is_addition(more, at, more.len())
}

/// Whether the words from `start` to `end`, which the other text lacks, only add something to the statement.
fn is_addition(words: &[ContentWord], start: usize, end: usize) -> bool {
    let added = &words[start..end];
    let Some(first) = added.first() else { return true };
    let is_introduction =
        start == 0 && end < words.len() && added.iter().all(|word| is_one_of(word, INTRODUCING_WORDS));
    if is_introduction {
        return true;
    }
    // An addition must reach to the end or to the next mark. Otherwise it could change the meaning of the words behind
    // it.
    if start == 0 || !words.get(end).is_none_or(|next| next.is_set_off) {
        return false;
    }
    let is_date = first.stem == "since" && added.get(1).is_some_and(|next| next.is_hard);
    let is_reason = is_one_of(first, REASON_WORDS) && !is_date;
    let is_manner = is_one_of(first, MANNER_WORDS) && !added.iter().any(|word| word.is_hard);
    is_reason || is_manner || first.begins_clause
}

fn is_one_of(word: &ContentWord, words: &[&str]) -> bool {
    !word.is_hard && words.binary_search(&word.stem.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        let tables = [
            EMPTY_WORDS,
            TURNING_WORDS,
            JOINED_NEGATIONS,
            TIMES_AND_NUMBERS,
            REASON_WORDS,
            MANNER_WORDS,
            INTRODUCING_WORDS,
            PHRASE_WORDS,
        ];
        for table in tables {
            let unsorted = table.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(unsorted, None);
        }
    }
}
