//! The known name that somebody may have meant.

/// The one of `names` that is nearest to `word`, when at most a third of it differs; of equally near ones the first.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // What is longer than any name is none, and not worth comparing.
    if word.len() > 64 {
        return None;
    }
    let within = |name: &str| word.chars().count().max(name.chars().count()) / 3;
    names
        .map(|name| (strsim::osa_distance(&word.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= within(name).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(nearest(word, ["env_search", "env_slice", "env_peek"].into_iter()), expected, "{word}");
    }

    #[test]
    fn near_names_are_meant_and_others_are_not() {
        check("env_serch", Some("env_search"));
        check("Env_Peek", Some("env_peek"));
        check("search", None);
        check("", None);
        check(&"e".repeat(100_000), None);
    }
}
