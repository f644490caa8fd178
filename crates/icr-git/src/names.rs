//! Names that are written alike.

/// The names nearest to `wanted`, best first, at most `limit`. Names with more than a third of their letters different
/// are not alike. Equal distances are ordered by name.
pub fn similar(wanted: &str, names: impl IntoIterator<Item = String>, limit: usize) -> Vec<String> {
    let farthest = (wanted.chars().count() / 3).max(1);
    let mut found: Vec<(usize, String)> = names
        .into_iter()
        .map(|name| (strsim::osa_distance(&wanted.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= farthest)
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(limit).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_best_first() {
        let names = ["topic", "topics", "main", "tpoic", "v1.0"].map(str::to_owned);
        assert_eq!(similar("topik", names.clone(), 3), ["topic"]);
        assert_eq!(similar("topci", names.clone(), 3), ["topic"]);
        assert_eq!(similar("TOPICS", names.clone(), 3), ["topics", "topic", "tpoic"]);
        assert_eq!(similar("TOPICS", names.clone(), 1), ["topics"]);
        assert!(similar("zzzz", names, 3).is_empty());
    }
}
