//! Recognises sentences that state no fact: questions, plans, guesses and courtesies.

/// Phrases that make a sentence a plan, a guess or a courtesy where it begins with them, sorted.
const BEGINNINGS: &[&str] = &[
    "after that i",
    "all done",
    "by the way",
    "can i",
    "can we",
    "can you",
    "could we",
    "could you",
    "do you",
    "feel free",
    "finally i",
    "first i",
    "give me",
    "good luck",
    "great",
    "happy to",
    "hello",
    "here are",
    "here is",
    "here's",
    "hey",
    "hi",
    "hmm",
    "how about",
    "i",
    "i'd",
    "i'll",
    "i'm",
    "i've",
    "if you",
    "it could",
    "it looks like",
    "it might",
    "it seems",
    "it would be",
    "let me",
    "let's",
    "maybe",
    "next i",
    "next we",
    "nit",
    "not sure",
    "now i",
    "now let",
    "ok",
    "okay",
    "perhaps",
    "please let",
    "probably",
    "see",
    "shall",
    "should i",
    "should we",
    "sorry",
    "sounds good",
    "starting with",
    "sure",
    "thank you",
    "thanks",
    "that would",
    "then i",
    "this could",
    "this might",
    "to do",
    "todo",
    "want me",
    "we could",
    "we might",
    "what about",
    "what i",
    "would you",
    "you can",
    "you could",
    "you might",
];

/// Phrases that make a sentence a plan, a guess or a courtesy wherever they stand, sorted.
const ANYWHERE: &[&str] = &[
    "feel free",
    "i am going to",
    "i can fix",
    "i could",
    "i guess",
    "i hope",
    "i know",
    "i might",
    "i see",
    "i think",
    "i understand",
    "i will",
    "i would",
    "i'd like",
    "i'll",
    "i'm going to",
    "i'm not sure",
    "if you have",
    "if you like",
    "if you want",
    "let me know",
    "let's",
    "not sure",
    "not sure yet",
    "some day",
    "someday",
    "want me to",
    "we could",
    "we might",
    "would be nice",
    "would like",
];

/// Past-tense verbs that may follow "I" in a fact, sorted. `I fixed it by ...` tells how something was done.
const DEEDS: &[&str] = &[
    "added",
    "changed",
    "chose",
    "configured",
    "decided",
    "disabled",
    "enabled",
    "fixed",
    "lowered",
    "moved",
    "picked",
    "pinned",
    "raised",
    "removed",
    "renamed",
    "replaced",
    "set",
    "switched",
];

/// Whether a sentence is a question, a plan, a guess, a greeting, a cheer or thanks. `words` are its lower-case words.
pub(super) fn is_announcement(sentence: &str, words: &[String]) -> bool {
    let end = sentence.trim_end_matches(['"', ')', '*', '_', ' ']);
    if end.ends_with('?') {
        return true;
    }
    // An exclamation is joy, unless it is a warning.
    let warns = |word: &String| matches!(word.as_str(), "must" | "never" | "not" | "don't");
    if end.ends_with('!') && !words.iter().any(warns) {
        return true;
    }
    if ANYWHERE.iter().any(|phrase| (0..words.len()).any(|at| begins_with(&words[at..], phrase))) {
        return true;
    }
    let deed = match words {
        [first, second, ..] if first == "i" || first == "i've" => Some(second),
        _ => None,
    };
    if deed.is_some_and(|deed| DEEDS.binary_search(&deed.as_str()).is_ok()) {
        return false;
    }
    BEGINNINGS.iter().any(|phrase| begins_with(words, phrase))
}

/// Whether the words begin with the words of `phrase`.
fn begins_with(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|expected| words.next().is_some_and(|word| word == expected))
}

#[cfg(test)]
mod tests {
    use super::super::signals::words;
    use super::*;

    #[track_caller]
    fn check(sentence: &str, expected: bool) {
        assert_eq!(is_announcement(sentence, &words(sentence)), expected, "{sentence}");
    }

    #[test]
    fn questions_plans_guesses_and_courtesies_state_nothing() {
        check("Should I fix the default too?", true);
        check("Let me check the error first.", true);
        check("I'll decide on the design later.", true);
        check("Maybe the configuration is broken.", true);
        check("The cache could be stale, I think.", true);
        check("Thanks for fixing the bug!", true);
        check("The error is fixed!", true);
    }

    #[test]
    fn statements_do() {
        check("I fixed it by taking the lock first.", false);
        check("We decided to use SQLite.", false);
        check("The retry loop swallows errors.", false);
        check("Isolation is required.", false);
        check("Never push to the release branch!", false);
    }

    #[test]
    fn tables_are_sorted() {
        for table in [BEGINNINGS, ANYWHERE, DEEDS] {
            assert!(table.is_sorted());
        }
    }
}
