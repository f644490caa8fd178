//! Finds the known names that a mistyped name may mean.

/// Most letters of a name that is looked up: the most that the id of a pin may have. Comparing two names costs the
/// product of their lengths.
const LONGEST: usize = 256;

/// Fewest letters for which a name counts as similar because it begins with them; fewer letters begin too many names.
const SHORTEST_START: usize = 3;

/// Fewest words that two names must have in common to be similar without being near: one word, such as `get`, is in too
/// many names.
const FEWEST_WORDS: usize = 2;

/// How far a name is from the one that was typed; the nearest is the least.
///
/// The distance comes first: what was mistyped differs in few letters. Of names that are equally far, one with the same
/// words is likelier meant than one that has about the same letters in other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Farness {
    distance: usize,
    /// Words of the typed name that the other one lacks.
    words_missing: usize,
}

/// At most `limit` of the `names` that `typed` may mean, nearest first. A name is similar if its distance is at most a
/// third of the letters of `typed`, if it begins with `typed`, or if it has all of its words, at least two of them, in any
/// order and among others. Case is ignored. Names that are equally near keep their order.
///
/// The distance counts letters that are missing, added or replaced, and neighbouring letters that are swapped.
pub fn similar_names<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let typed_words = words_of(typed);
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    if length == 0 || length > LONGEST {
        return Vec::new();
    }
    let farthest = (length / 3).max(1);
    let farness = |written: &str| {
        let name = written.to_lowercase();
        let is_start = length >= SHORTEST_START && name.starts_with(&typed);
        let difference = name.chars().count().abs_diff(length);
        // A name that begins with `typed` differs by added letters only, and no distance is less than the difference
        // in length.
        let distance = match difference > farthest {
            true => is_start.then_some(difference),
            false => Some(strsim::osa_distance(&typed, &name)).filter(|distance| is_start || *distance <= farthest),
        };
        let has_typed_words = || {
            // To look for letters takes less time than to split a name.
            let may_have = typed_words.iter().all(|word| name.contains(word.as_str()));
            may_have && typed_words.len() >= FEWEST_WORDS && missing_words(&typed_words, written) == 0
        };
        let distance = match distance {
            Some(distance) => distance,
            None if has_typed_words() => name_distance(&typed, &name),
            None => return None,
        };
        Some(Farness { distance, words_missing: missing_words(&typed_words, written) })
    };
    let mut similar: Vec<(Farness, &str)> = names.into_iter().filter_map(|name| Some((farness(name)?, name))).collect();
    similar.sort_by_key(|(farness, _)| *farness);
    similar.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// How many of `words` are no words of `name`.
fn missing_words(words: &[String], name: &str) -> usize {
    let own = words_of(name);
    words.iter().filter(|word| !own.contains(word)).count()
}

/// The words of a name in lower case: what stands between signs, and in `camelCase` between changes of case.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() {
            let is_followed_by_lower_case = letters.peek().is_some_and(|next| next.is_lowercase());
            let is_start = match before {
                Some(before) if before.is_alphanumeric() => {
                    letter.is_uppercase() && (!before.is_uppercase() || is_followed_by_lower_case)
                }
                _ => true,
            };
            if is_start {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
        }
        before = Some(letter);
    }
    words
}

/// Number of letters that are missing, added or replaced between two names, and of neighbouring letters that are swapped.
/// Case is ignored. Of longer names only the first 256 letters count. Cost: the product of the lengths.
pub fn name_distance(one: &str, other: &str) -> usize {
    let letters = |name: &str| name.to_lowercase().chars().take(LONGEST).collect::<String>();
    strsim::osa_distance(&letters(one), &letters(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: &[&str]) {
        let names = ["topic", "topics", "main", "tpoic", "debounce_ms", "env_search", "env_slice", "Grün", "v1.0"];
        assert_eq!(similar_names(typed, names, 3), expected, "{typed}");
    }

    #[test]
    fn near_names_come_nearest_first_and_equally_near_ones_in_order() {
        check("topik", &["topic"]);
        check("topci", &["topic"]);
        check("topics", &["topics", "topic", "tpoic"]);
        check("debouncems", &["debounce_ms"]);
        check("env_serch", &["env_search", "env_slice"]);
        assert_eq!(similar_names("topics", ["tpoic", "topic"], 1), ["topic"]);
        assert_eq!(similar_names("aa", ["ac", "ab"], 2), ["ac", "ab"]);
    }

    #[test]
    fn of_equally_near_names_the_one_with_the_same_words_comes_first() {
        assert_eq!(similar_names("read_item", ["real_item", "readItem", "read_iten"], 1), ["readItem"]);
        assert_eq!(similar_names("user_name", ["use_rname", "get_user_name"], 2), ["use_rname", "get_user_name"]);
    }

    #[test]
    fn a_name_of_the_same_words_is_similar_however_long() {
        assert_eq!(similar_names("slice_env", ["env_slice", "env_search"], 3), ["env_slice"]);
        assert_eq!(similar_names("configFile", ["readTheConfigurationFile", "FileOfConfig"], 3), ["FileOfConfig"]);
        assert_eq!(similar_names("slice", ["env_slice_of_lines"], 3), Vec::<&str>::new());
    }

    #[test]
    fn words_end_at_signs_and_changes_of_case() {
        assert_eq!(words_of("HTTPServer.handle_2nd-time"), ["http", "server", "handle", "2nd", "time"]);
        assert_eq!(words_of("__init__"), ["init"]);
        assert_eq!(words_of("ÄußereÖffnung"), ["äußere", "öffnung"]);
        assert!(words_of("..").is_empty());
    }

    /// `name` with the letter at `at` changed, dropped, doubled or swapped with the next one.
    fn with_mistake(name: &str, at: usize, mistake: u8) -> String {
        let mut letters: Vec<char> = name.chars().collect();
        let at = at % letters.len();
        match mistake {
            0 => letters[at] = 'q',
            1 => drop(letters.remove(at)),
            2 => letters.insert(at, letters[at]),
            _ if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ => letters.push('q'),
        }
        letters.into_iter().collect()
    }

    proptest::proptest! {
        #[test]
        fn a_mistyped_name_is_offered_first_if_no_other_is_as_near(
            name in "[a-z]{2,9}(_[a-z]{1,9}){0,2}",
            others in proptest::collection::vec("[a-z]{1,9}(_[a-z]{1,9}){0,3}", 0..20),
            at in 0..30_usize,
            mistake in 0..4_u8,
        ) {
            let typed = with_mistake(&name, at, mistake);
            let mut names: Vec<&str> = others.iter().map(String::as_str).collect();
            // Names that have the letters of the typed one in order, far apart.
            let scattered: String = typed.chars().flat_map(|letter| [letter, 'x', 'y']).collect();
            names.push(&scattered);
            let own = name_distance(&name, &typed);
            let is_as_near = |other: &&str| name_distance(other, &typed) <= own;
            proptest::prop_assume!(!names.iter().any(is_as_near));
            names.push(&name);
            let similar = similar_names(&typed, names, 5);
            proptest::prop_assert_eq!(similar.first(), Some(&name.as_str()), "{}", typed);
        }
    }

    #[test]
    fn the_case_of_letters_does_not_count() {
        check("TOPICS", &["topics", "topic", "tpoic"]);
        check("GRÜN", &["Grün"]);
    }

    #[test]
    fn the_beginning_of_a_name_is_like_it() {
        check("env_", &["env_slice", "env_search"]);
        check("en", &[]);
    }

    #[test]
    fn other_names_are_not_meant() {
        check("zzzz", &[]);
        check("search", &[]);
        check("", &[]);
        check(&"t".repeat(100_000), &[]);
    }
}
