//! Recognises prompts that continue the work of an earlier session.

/// Phrases that ask to continue, as sequences of words. The first word must begin the prompt or a sentence of it.
const GOING_ON: [&[&str]; 7] = [
    &["continue"],
    &["carry", "on"],
    &["keep", "going"],
    &["resume"],
    &["pick", "up", "where"],
    &["pick", "this", "up"],
    &["back", "to", "work"],
];

/// Phrases that ask about the results of an earlier session.
const LOOKING_BACK: [&[&str]; 10] = [
    &["where", "were", "we"],
    &["where", "did", "we", "leave", "off"],
    &["what", "were", "we"],
    &["what", "was", "i"],
    &["what", "did", "we", "do", "last"],
    &["what", "did", "we", "decide"],
    &["what", "are", "the", "open", "questions"],
    &["what", "is", "left"],
    &["what", "are", "the", "todos"],
    &["what", "are", "the", "open", "todos"],
];

/// Longest prompt that counts as a continuation, in words; a longer one describes its own task.
const WORDS_MOST: usize = 15;

/// Most words after the phrase that do not count, as in `where we left off yesterday`.
const REST_MOST: usize = 5;

/// Whether `prompt` asks to continue, or asks about the results of an earlier session, and says little else.
pub fn is_continuation(prompt: &str) -> bool {
    looks_back(prompt) || asks(prompt, &GOING_ON)
}

/// Whether `prompt` asks about the results of an earlier session, and says little else.
pub fn looks_back(prompt: &str) -> bool {
    asks(prompt, &LOOKING_BACK)
}

fn asks(prompt: &str, phrases: &[&[&str]]) -> bool {
    let words: Vec<&str> = prompt.split_whitespace().take(WORDS_MOST + 1).collect();
    if words.len() > WORDS_MOST {
        return false;
    }
    let plain = |word: &str| {
        let word = word.to_lowercase().replace('\u{2019}', "'");
        let word = word.trim_matches(|character: char| !character.is_alphanumeric()).to_owned();
        match word.as_str() {
            "what's" => vec!["what".to_owned(), "is".to_owned()],
            _ => vec![word],
        }
    };
    let ends_sentence = |word: &str| word.ends_with(['.', ',', '!', '?', ';', ':']);
    let mut begins = true;
    let mut all: Vec<(String, bool)> = Vec::new();
    for word in words {
        for part in plain(word).into_iter().filter(|part| !part.is_empty()) {
            // Polite or introductory words may come before the phrase.
            let is_polite =
                ["please", "ok", "okay", "so", "hi", "hey", "hello", "now", "let's", "and"].contains(&part.as_str());
            all.push((part, begins));
            begins = begins && is_polite;
        }
        begins = begins || ends_sentence(word);
    }
    let matches = |at: usize, phrase: &[&str]| {
        all[at].1
            && phrase
                .iter()
                .enumerate()
                .all(|(offset, word)| all.get(at + offset).is_some_and(|(said, _)| said == word))
    };
    let is_last = |at: usize, phrase: &[&str]| all.len() - at <= phrase.len() + REST_MOST;
    (0..all.len()).any(|at| phrases.iter().any(|phrase| matches(at, phrase) && is_last(at, phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_to_go_on_is_understood() {
        for prompt in [
            "continue",
            "Continue.",
            "ok, please continue",
            "Please keep going!",
            "Hi. Where were we?",
            "what's left to do?",
            "what was I working on?",
            "what did we do last time",
            "what are the open todos?",
            "Pick up where we left off yesterday",
            "let's resume",
        ] {
            assert!(is_continuation(prompt), "{prompt}");
        }
    }

    #[test]
    fn who_says_what_it_is_about_is_not() {
        for prompt in [
            "",
            "why does the loop continue after a break?",
            "add a resume button",
            "Resume of uploads after a lost connection is broken",
            "continue with the refactoring of the parser module so that errors carry spans and all of the tests pass again",
            "what is left-pad?",
        ] {
            assert!(!is_continuation(prompt), "{prompt}");
        }
    }
}
