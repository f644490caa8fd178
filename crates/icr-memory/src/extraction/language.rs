//! Recognises English sentences.

/// Short function words of English, sorted, without those that a language of the other table also has.
const ENGLISH: &[&str] = &[
    "all", "and", "any", "are", "be", "been", "but", "by", "can", "does", "each", "every", "for", "from", "had", "has",
    "have", "how", "if", "into", "is", "it", "its", "more", "must", "never", "not", "of", "only", "or", "our",
    "should", "so", "than", "that", "the", "their", "then", "there", "they", "this", "to", "two", "was", "we", "were",
    "when", "which", "will", "with", "you",
];

/// Short function words of German, French, Spanish, Portuguese, Italian, Dutch and the Nordic languages, sorted.
const OTHER: &[&str] = &[
    "aber", "af", "al", "as", "att", "auch", "auf", "aus", "av", "avec", "avons", "bei", "che", "como", "con", "da",
    "dans", "das", "dass", "de", "dei", "del", "della", "dem", "den", "der", "des", "det", "di", "die", "dieser", "do",
    "du", "een", "ein", "eine", "einen", "el", "en", "er", "es", "est", "et", "ett", "foi", "fue", "für", "gli",
    "haben", "hat", "hemos", "het", "ich", "il", "im", "ist", "je", "jeg", "kan", "la", "las", "le", "les", "lo",
    "los", "med", "mit", "mucho", "nach", "nicht", "niet", "non", "nous", "não", "och", "oder", "og", "om", "ont",
    "op", "os", "para", "pas", "per", "plus", "por", "porque", "pour", "på", "que", "qui", "se", "sich", "sind", "som",
    "sont", "sur", "são", "til", "um", "una", "und", "une", "uns", "van", "vi", "von", "voor", "vous", "wenn",
    "werden", "wir", "wird", "y", "za", "zu", "zum", "är", "è",
];

/// Whether a sentence is English; `words` are its lower-case words.
///
/// It is English if at most a fifth of its letters are not ASCII, and it has at least as many function words of English
/// as of other languages. A sentence in telegram style has no function words, and counts as English.
pub(super) fn is_english(sentence: &str, words: &[String]) -> bool {
    let letters = sentence.chars().filter(|character| character.is_alphabetic());
    let (ascii, other) =
        letters.fold(
            (0_usize, 0_usize),
            |(ascii, other), letter| {
                if letter.is_ascii() { (ascii + 1, other) } else { (ascii, other + 1) }
            },
        );
    if ascii + other == 0 || other * 5 > ascii + other {
        return false;
    }
    let count = |table: &[&str]| words.iter().filter(|word| table.binary_search(&word.as_str()).is_ok()).count();
    count(ENGLISH) >= count(OTHER)
}

#[cfg(test)]
mod tests {
    use super::super::signals::words;
    use super::*;

    #[track_caller]
    fn check(sentence: &str, expected: bool) {
        assert_eq!(is_english(sentence, &words(sentence)), expected, "{sentence}");
    }

    #[test]
    fn english_and_telegrams_pass() {
        check("We decided to use SQLite for the store.", true);
        check("Fixed flaky login test.", true);
        check("José fixed the naïve café bug.", true);
        check("The doc says de facto standard, and that is it.", true);
    }

    #[test]
    fn other_languages_do_not() {
        check("Wir haben den Bug in der Config gefixt.", false);
        check("Le bug est dans le module de migration.", false);
        check("El error del build fue por el design.", false);
        check("我们决定使用 PostgreSQL 作为默认数据库", false);
        check("Мы решили использовать SQLite", false);
        check("123 + 456", false);
    }

    #[test]
    fn tables_are_sorted_and_apart() {
        assert!(ENGLISH.is_sorted());
        let unsorted = OTHER.windows(2).find(|pair| pair[0] >= pair[1]);
        assert_eq!(unsorted, None);
        let both = ENGLISH.iter().find(|word| OTHER.binary_search(word).is_ok());
        assert_eq!(both, None);
    }
}
