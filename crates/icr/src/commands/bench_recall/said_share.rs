//! Which share of the evidence an answer contains.

use super::bm25::words;

/// Stop words: words without meaning of their own, sorted.
const EMPTY_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "how", "i", "if", "in", "into", "is",
    "it", "its", "me", "more", "my", "no", "not", "of", "on", "one", "or", "our", "out", "over", "she", "should", "so",
    "than", "that", "the", "their", "them", "then", "there", "they", "this", "to", "up", "us", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// The words of the evidence that count in an answer: without stop words and without words of the question. Lower case,
/// sorted, each once.
pub(crate) fn content_words<S: AsRef<str>>(evidence: impl IntoIterator<Item = S>, question: &str) -> Vec<String> {
    let asked = words(question);
    let mut content: Vec<String> = evidence.into_iter().flat_map(|turn| words(turn.as_ref())).collect();
    content.retain(|word| EMPTY_WORDS.binary_search(&word.as_str()).is_err() && !asked.contains(word));
    content.sort_unstable();
    content.dedup();
    content
}

/// The share of `content` that an answer says, in `0.0..=1.0`.
pub(crate) fn said_share(content: &[String], answer: &str) -> f64 {
    let said = words(answer);
    let count = content.iter().filter(|word| said.contains(word)).count();
    count as f64 / content.len().max(1) as f64
}

/// Whether an answer contains all words of `fact` in sequence.
pub(crate) fn says(fact: &str, answer: &str) -> bool {
    let (fact, said) = (words(fact), words(answer));
    !fact.is_empty() && said.windows(fact.len()).any(|part| part == fact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_question_says_earns_nothing() {
        let content = content_words(["The lock was held for 1.8 seconds."], "How long was the lock held?");
        assert_eq!(content, ["1", "8", "seconds"]);
        assert_eq!(said_share(&content, "The lock was held."), 0.0);
        assert_eq!(said_share(&content, "1.8 s"), 2.0 / 3.0);
        assert_eq!(said_share(&[], "anything"), 0.0);
    }

    #[test]
    fn a_fact_is_said_word_by_word_whatever_stands_between_the_words() {
        assert!(says("port 7411", "It is `Port: 7411`."));
        assert!(!says("port 7411", "port 8000, not 7411"));
        assert!(!says("741", "7411"));
        assert!(!says("", "anything"));
    }

    #[test]
    fn empty_words_are_sorted() {
        assert!(EMPTY_WORDS.is_sorted());
    }
}
