//! What a prompt to an agent asks about, and whether to show the agent an answer although it did not ask icr.

use crate::strength::{AnswerEvidence, StrengthBasis};

/// What a prompt asks about: its words in order, without URLs and without words that only ask for work (`please fix`,
/// `can you explain how`). Empty if nothing is left: `yes, go ahead`.
///
/// A word with a character other than a letter is kept: `test_path`, `add()`. Cost: one pass.
pub fn question_of_prompt(prompt: &str) -> String {
    let mut question = String::new();
    for word in prompt.split_whitespace().map(without_url).filter(|word| !asks_for_work(word)) {
        if !question.is_empty() {
            question.push(' ');
        }
        question.push_str(word);
    }
    question
}

/// `prompt` without URLs, as [`question_of_prompt`] leaves them out. Cost: one pass.
pub fn without_urls(prompt: &str) -> String {
    let words = prompt.split_inclusive(char::is_whitespace);
    words
        .map(|word| (word, word.trim_end()))
        .flat_map(|(word, bare)| [without_url(bare), &word[bare.len()..]])
        .collect()
}

/// The part of `word` before a URL in it; the URL ends with the word: `[guide](` of
/// `[guide](https://example.com/guide)`. Parts of a URL name pages, and name code only by chance.
fn without_url(word: &str) -> &str {
    let scheme_end = word.find("://").filter(|end| word[..*end].ends_with(|last: char| last.is_ascii_alphanumeric()));
    let start_of_scheme = |end: usize| {
        let is_of_scheme = |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
        word[..end].trim_end_matches(is_of_scheme).len()
    };
    let start = scheme_end.map(start_of_scheme).or_else(|| {
        let start = word.find("www.")?;
        (!word[..start].ends_with(char::is_alphanumeric)).then_some(start)
    });
    &word[..start.unwrap_or(word.len())]
}

/// Whether a word says nothing about the subject of the work.
fn asks_for_work(word: &str) -> bool {
    let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
    let lower = bare.to_lowercase();
    // `what's`, `don't`, `I've`
    let stem = lower.split(['\'', '\u{2019}']).next().unwrap_or_default();
    if bare.is_empty() {
        return true;
    }
    // A word between punctuation marks is a name: `.add()` is not `add`.
    let signs = word.len() - bare.len();
    let is_plain = word.chars().all(|character| character.is_alphabetic() || PUNCTUATION.contains(&character));
    signs <= 3 && is_plain && WORK_WORDS.binary_search(&stem).is_ok()
}

/// Punctuation of sentences, which does not make a word a name.
const PUNCTUATION: [char; 12] = ['.', ',', ';', ':', '!', '?', '"', '\'', '\u{2019}', '(', ')', '…'];

/// Words that ask for work or speak of the conversation, whatever its subject is.
#[rustfmt::skip]
static WORK_WORDS: [&str; 253] = [
    // tidy: sorted
    "a", "able", "about", "actually", "add", "again", "ahead", "all", "already", "alright", "also", "always", "am",
    "an", "and", "another", "any", "anyone", "anything", "appreciate", "are", "as", "ask", "at", "be", "because",
    "been", "before", "begin", "best", "better", "both", "break", "briefly", "bug", "but", "by", "can", "change",
    "check", "clean", "code", "codebase", "come", "commit", "complete", "continue", "correct", "could", "create",
    "currently", "debug", "describe", "did", "do", "does", "doing", "don", "done", "each", "edit", "else", "ensure",
    "even", "ever", "every", "explain", "file", "files", "find", "first", "fix", "for", "from", "function", "get",
    "give", "go", "goes", "going", "good", "great", "had", "handle", "happen", "happens", "has", "have", "hello",
    "help", "hey", "hi", "how", "i", "idea", "if", "implement", "implementation", "implemented", "in", "instead",
    "into", "investigate", "is", "issue", "it", "its", "just", "keep", "know", "let", "like", "line", "lines",
    "little", "ll", "look", "looking", "looks", "lot", "made", "make", "makes", "may", "maybe", "me", "mean",
    "might", "more", "much", "must", "my", "need", "needs", "never", "new", "next", "nice", "no", "not", "nothing",
    "now", "of", "off", "ok", "okay", "on", "one", "only", "or", "our", "out", "over", "place", "please", "problem",
    "properly", "question", "quick", "quickly", "ready", "refactor", "remove", "repo", "repository", "review",
    "rewrite", "right", "run", "same", "say", "see", "set", "should", "show", "simple", "simply", "so", "some",
    "somehow", "something", "sorry", "start", "still", "stop", "such", "sure", "take", "tell", "test", "tests",
    "than", "thank", "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "things",
    "think", "this", "those", "to", "today", "together", "too", "tried", "try", "trying", "understand", "undo",
    "up", "update", "us", "use", "used", "using", "ve", "very", "want", "wanted", "was", "way", "we", "well",
    "were", "what", "when", "where", "whether", "which", "while", "who", "why", "will", "with", "without", "won",
    "work", "working", "works", "would", "write", "wrong", "yes", "yet", "you", "your",
    // tidy: end
];

/// Evidence that decides whether the agent is shown an answer to its prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PromptEvidence {
    /// Evidence for the answer, from all candidates.
    pub answer: AnswerEvidence,
    /// Difference between the scores of the first and the fifth file of the search, or the last one if there are fewer;
    /// in `0.0..=1.0`.
    pub lead: f64,
    /// Whether the question names a definition or file of the view by a name that is no plain word.
    pub names_identifier: bool,
}

/// Added to the logit if the question names something that exists. Whoever writes `parse_config` where one is defined
/// means it, whatever the rest of the prompt says. Among 60 prompts about other subjects, none contained such a name of
/// any of eight repositories.
const OF_NAME: f64 = 8.0;

impl PromptEvidence {
    /// Logit from which an answer is shown, as long as nothing is known of earlier prompts. Compared with a threshold
    /// of 0, it lets through the same share of prompts about other subjects (.004), and .87 instead of .82 of the
    /// prompts about the repository.
    pub const LEAST_LOGIT: f64 = -0.5;

    /// Logit of the probability that the prompt is about the repository of the view. Above 0, that is more likely than
    /// not.
    ///
    /// The weights come from a logistic regression over 162 public questions about eight repositories (Python, Rust,
    /// Go, Java, PHP, Elixir, C), written as prompts, against 480 questions about other repositories and 60 prompts
    /// about other subjects, asked of each repository. The logit is above 0 for .82 of the first, .05 of the second and
    /// .004 of the third; for a repository that was left out of the fit, for .75, .05 and .002. Of the answers with a
    /// logit above 0, .97 have the right file among the first five. Without vectors, the shares are .77, .07 and .02.
    pub fn logit(&self) -> f64 {
        let AnswerEvidence { basis, best_coverage, best_rare_coverage, best_cosine, words, chunks_total, .. } =
            self.answer;
        let of_words = (words.max(1) as f64).log2();
        let of_chunks = (chunks_total.max(1) as f64 / 500.0).log10();
        let said = match basis {
            StrengthBasis::Both => {
                let of_texts = 3.15 * best_coverage + 3.25 * best_rare_coverage + 5.63 * best_cosine;
                of_texts + 0.97 * of_words - 0.71 * of_chunks + 3.84 * self.lead - 10.36
            }
            StrengthBasis::Words | StrengthBasis::Vectors => {
                let of_texts = 3.99 * best_coverage + 4.32 * best_rare_coverage;
                of_texts + 1.29 * of_words - 0.51 * of_chunks + 5.18 * self.lead - 10.35
            }
        };
        said + if self.names_identifier { OF_NAME } else { 0.0 }
    }
}

/// Whether `word` is a name that sentences do not contain by chance: `parse_config`, `HttpClient`, `src/cli.rs`,
/// `Vec::push`.
pub fn is_name(word: &str) -> bool {
    let bare = word.trim_matches(|character: char| !character.is_alphanumeric() && character != '_');
    let has_letter = bare.chars().any(char::is_alphabetic);
    let has_sign = bare.chars().any(|character| matches!(character, '_' | '.' | ':' | '/'));
    let mut letters = bare.chars().zip(bare.chars().skip(1));
    has_letter && (has_sign || letters.any(|(one, next)| one.is_lowercase() && next.is_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompt: &str, expected: &str) {
        assert_eq!(question_of_prompt(prompt), expected, "{prompt}");
    }

    #[test]
    fn what_asks_for_work_is_no_part_of_the_question() {
        check("Can you explain how cookie persistence works?", "cookie persistence");
        check("There is a bug in redirect handling, please fix it and add a test.", "redirect handling,");
        check("yes, go ahead", "");
        check("  \n\t", "");
        check("what's wrong with the retry-budget", "retry-budget");
    }

    #[test]
    fn a_url_is_no_part_of_the_question() {
        check("https://example.com/foo/bar?x=1", "");
        check("fix <https://example.com/foo/bar>, please", "");
        check("why are cookies lost, see (http://example.com/cookies#lost) or www.example.com/jar", "cookies lost,");
        check("the [retry guide](https://example.com/budget) and git+ssh://git@example.com/a.git", "[retry guide](");
        check("how does `a://` parse www_form?", "parse www_form?");
        assert_eq!(without_urls("see\n\thttp://example.com/a now\n"), "see\n\t now\n");
    }

    #[test]
    fn names_stay_whatever_they_are_made_of() {
        check("fix `add()` in src/set.rs", "`add()` src/set.rs");
        check("fix self.add in test_set", "self.add test_set");
        check("C++ and x86", "C++ x86");
    }

    #[test]
    fn names_are_told_from_words() {
        let names = ["parse_config", "HttpClient", "src/cli.rs", "Vec::push", "`_private`", "sha2.rs,"];
        assert!(names.into_iter().all(is_name));
        let words = ["fail?", "Flask", "HTTP", "read-only", "1.5", "", "_", "that."];
        assert!(words.into_iter().all(|word| !is_name(word)));
    }

    fn evidence(answer: AnswerEvidence) -> PromptEvidence {
        PromptEvidence { answer, lead: 0.2, names_identifier: false }
    }

    const USUAL: AnswerEvidence = AnswerEvidence {
        basis: StrengthBasis::Both,
        best_sum: 1.4,
        best_coverage: 0.9,
        best_rare_coverage: 0.9,
        best_cosine: 0.5,
        words: 5,
        chunks_total: 500,
        is_named: false,
        is_any_word_said: true,
        lacks_identifiers: false,
    };

    #[test]
    fn what_one_text_says_whole_is_worth_telling() {
        assert!(evidence(USUAL).logit() > 0.0);
        assert!(evidence(AnswerEvidence { basis: StrengthBasis::Words, best_cosine: 0.0, ..USUAL }).logit() > 0.0);
    }

    #[test]
    fn common_words_alone_are_not() {
        let common = AnswerEvidence { best_rare_coverage: 0.3, best_coverage: 0.6, best_cosine: 0.3, ..USUAL };
        assert!(evidence(common).logit() < 0.0);
        assert!(evidence(AnswerEvidence { words: 1, chunks_total: 20_000, best_cosine: 0.3, ..USUAL }).logit() < 0.0);
        assert!(PromptEvidence { names_identifier: true, ..evidence(common) }.logit() > evidence(common).logit());
    }
}
