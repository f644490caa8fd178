//! Finds the known names that a mistyped name may mean.

/// Most letters of a name that is looked up: the most that the id of a pin may have. Comparing two names costs the
/// product of their lengths.
const LONGEST: usize = 256;

/// Fewest letters for which a name counts as similar because it begins with them; fewer letters begin too many names.
const SHORTEST_START: usize = 3;

/// At most `limit` of the `names` that `typed` may mean, nearest first. A name is similar if its distance is at most a
/// third of the letters of `typed`, or if it begins with `typed`. Case is ignored. Names that are equally near keep
/// their order.
///
/// The distance counts letters that are missing, added or replaced, and neighbouring letters that are swapped.
pub fn similar_names<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    if length == 0 || length > LONGEST {
        return Vec::new();
    }
    let farthest = (length / 3).max(1);
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let is_start = length >= SHORTEST_START && name.starts_with(&typed);
        let difference = name.chars().count().abs_diff(length);
        // A name that begins with `typed` differs by added letters only, and no distance is less than the difference
        // in length.
        match difference > farthest {
            true => is_start.then_some(difference),
            false => Some(strsim::osa_distance(&typed, &name)).filter(|distance| is_start || *distance <= farthest),
        }
    };
    let mut similar: Vec<(usize, &str)> = names.into_iter().filter_map(|name| Some((distance(name)?, name))).collect();
    similar.sort_by_key(|(distance, _)| *distance);
    similar.into_iter().take(limit).map(|(_, name)| name).collect()
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
