//! Parses what a memory tells beyond its words: who said it and when, whether it is a question, and whether it is part
//! of a conversation.

/// Longest stamp at the beginning of a text, in bytes.
const STAMP_BYTES_MOST: usize = 40;

/// Longest name of a speaker, in bytes, and most words of it.
const SPEAKER_BYTES_MOST: usize = 30;
const SPEAKER_WORDS_MOST: usize = 2;

/// Words that people use when they talk to each other; notes about code hardly contain them.
const PERSONAL: &[&str] = &["hey", "i", "me", "my", "thanks", "wow", "yeah", "you", "your"];

/// A text of the form `[when] Who: what`, where when and who may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Utterance<'a> {
    /// When it was said, as written.
    pub(crate) stamp: &'a str,
    /// Who said it.
    pub(crate) speaker: &'a str,
    /// What was said.
    pub(crate) body: &'a str,
}

impl<'a> Utterance<'a> {
    /// Parses a text.
    pub(crate) fn of(text: &'a str) -> Self {
        let (stamp, rest) = stamped(text).unwrap_or(("", text));
        let (speaker, body) = rest.split_once(": ").filter(|(name, _)| is_name(name)).unwrap_or(("", rest));
        Self { stamp, speaker, body }
    }

    /// Whether it is a question. The answer to a question is usually in the next utterance.
    pub(crate) fn is_question(&self) -> bool {
        let body = self.body.trim_end();
        // Text in brackets at the end is a comment on the utterance.
        let said = match body.strip_suffix(']').and_then(|body| body.rsplit_once('[')) {
            Some((said, _)) if !said.trim_end().is_empty() => said.trim_end(),
            _ => body,
        };
        said.ends_with('?') || said.ends_with('？')
    }

    /// Whether one person says it to another.
    pub(crate) fn is_personal(&self) -> bool {
        let mut words = self.body.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() <= 6);
        words.any(|word| PERSONAL.iter().any(|personal| personal.eq_ignore_ascii_case(word)))
    }
}

fn stamped(text: &str) -> Option<(&str, &str)> {
    let (stamp, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_stamp = stamp.len() <= STAMP_BYTES_MOST && stamp.bytes().any(|byte| byte.is_ascii_digit());
    is_stamp.then(|| (stamp, rest.trim_start()))
}

fn is_name(text: &str) -> bool {
    let is_name_word = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_alphabetic)
    };
    text.len() <= SPEAKER_BYTES_MOST
        && text.split(' ').count() <= SPEAKER_WORDS_MOST
        && text.split(' ').all(is_name_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, stamp: &str, speaker: &str, body: &str) {
        assert_eq!(Utterance::of(text), Utterance { stamp, speaker, body });
    }

    #[test]
    fn when_and_who_are_read_where_they_stand() {
        check(
            "[9:05 am on 4 March, 2024] Developer: It fell over.",
            "9:05 am on 4 March, 2024",
            "Developer",
            "It fell over.",
        );
        check("Developer: It fell over.", "", "Developer", "It fell over.");
        check("[2024-03-04] It fell over.", "2024-03-04", "", "It fell over.");
        check("We use WAL: readers never wait.", "", "", "We use WAL: readers never wait.");
        check("Note that Error: is no name", "", "", "Note that Error: is no name");
        check("[x] y", "", "", "[x] y");
        check("[1", "", "", "[1");
        check("", "", "", "");
        check("Élodie: ça va", "", "Élodie", "ça va");
    }

    #[test]
    fn questions_and_talk_are_told() {
        for (text, is_question) in [
            ("Which one?", true),
            ("Which one? [shared a photo: two dogs]", true),
            ("That one. [what?]", false),
            ("[?]", false),
            ("哪一个？", true),
            ("", false),
        ] {
            assert_eq!(Utterance::of(text).is_question(), is_question, "{text}");
        }
        assert!(Utterance::of("Thanks, that helps").is_personal());
        assert!(!Utterance::of("The parser keeps its own table of names").is_personal());
    }
}
