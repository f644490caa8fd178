//! Light stemming of English words inside identifiers: plurals, `-ing` and `-ed`.

/// Fewest letters of a word that is stemmed.
const SHORTEST: usize = 4;

/// Fewest letters of a stem.
const SHORTEST_STEM: usize = 3;

/// Stems `word`, of ASCII lower-case letters, in place and returns the stem's length, which is never above the word's.
///
/// Joins forms of one word (`queries` and `query`; `parsed`, `parsing` and `parse`). It does not find dictionary forms.
/// A wrong stem costs little, because the index also holds the word itself.
pub(crate) fn stem(word: &mut [u8]) -> usize {
    let singular = without_plural(word);
    without_inflection(&mut word[..singular])
}

/// The stem of `word`, of ASCII lower-case letters; any other text is its own stem.
pub fn stemmed(word: &str) -> String {
    let mut bytes = word.as_bytes().to_vec();
    if !bytes.iter().all(u8::is_ascii_lowercase) {
        return word.to_owned();
    }
    let len = stem(&mut bytes);
    bytes.truncate(len);
    String::from_utf8(bytes).expect("ASCII letters alone")
}

fn without_plural(word: &mut [u8]) -> usize {
    let len = word.len();
    if len < SHORTEST || word[len - 1] != b's' {
        return len;
    }
    let ends = |ending: &str| word.ends_with(ending.as_bytes());
    if ends("ies") {
        if len == SHORTEST || ends("ookies") {
            return len - 1;
        }
        word[len - 3] = b'y';
        return len - 2;
    }
    if ends("ss") || ends("us") || ends("is") {
        return len;
    }
    let takes_es = ends("sses") || ends("xes") || ends("shes") || (ends("ches") && !ends("caches")) || ends("oes");
    if takes_es && len - 2 >= SHORTEST_STEM { len - 2 } else { len - 1 }
}

fn without_inflection(word: &mut [u8]) -> usize {
    let len = word.len();
    if word.ends_with(b"ied") && len > SHORTEST {
        word[len - 3] = b'y';
        return len - 2;
    }
    let ending = match word {
        [.., b'i', b'n', b'g'] => 3,
        [.., b'e', b'e', b'd'] => 0,
        [.., b'e', b'd'] => 2,
        _ => 0,
    };
    let stem = len - ending;
    if ending == 0 || stem < SHORTEST_STEM || !word[..stem].iter().any(|letter| is_vowel(*letter) || *letter == b'y') {
        return len;
    }
    let last = word[stem - 1];
    // `mapping` doubles a letter that `map` has once, but `call`, `pass` and `fuzz` themselves end in two.
    if stem > SHORTEST_STEM && word[stem - 2] == last && !is_vowel(last) && !matches!(last, b'l' | b's' | b'z') {
        return stem - 1;
    }
    if lost_e(&word[..stem]) {
        word[stem] = b'e';
        return stem + 1;
    }
    stem
}

/// Whether `stem`, left over from `-ing` or `-ed`, lost a final `e`: `pars` did, `return` did not.
fn lost_e(stem: &[u8]) -> bool {
    let [.., first, second, last] = *stem else { return false };
    let ends = |ending: &str| stem.ends_with(ending.as_bytes());
    // A single vowel before the last consonant: `nam`, but not `claim`.
    let short = is_vowel(second) && !is_vowel(first);
    match (second, last) {
        (b'n', b'c') => first != b'y',
        (_, b'v' | b'c' | b'u') => true,
        (_, b'z') => second != b'z',
        (b'u', b's') => is_vowel(first),
        (_, b's') => second != b's',
        (b'r' | b'd' | b'a', b'g') => true,
        (b'n', b'g') => first == b'a',
        (b'i' | b'u', b'l') => short,
        (b'a', b'l') => ends("scal"),
        (_, b'l') => !is_vowel(second) && !matches!(second, b'l' | b'r' | b'w'),
        (b'a', b't') => short || ends("creat"),
        (b'u', b't') => first != b'o' || ends("rout"),
        (b'e', b't') => ends("let"),
        (b'i', b't') => ends("writ") || ends("invit"),
        (b'u' | b'i', b'r') => short || first == b'u',
        (b'a', b'r') => short,
        (b'o', b'r') => ends("stor") || ends("gnor") || ends("plor") || ends("scor"),
        (b'a' | b'i' | b'o' | b'u', b'd') => short,
        (b'i' | b'u', b'n') => short,
        (b'a' | b'i' | b'o', b'k') => short,
        (b'a' | b'i' | b'u', b'm' | b'b') => short,
        (b'a' | b'i', b'p') => short,
        (b'y', b'p') => true,
        (b'o', b'p') => ends("scop"),
        (b'c', b'h') => ends("cach"),
        _ => false,
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}
