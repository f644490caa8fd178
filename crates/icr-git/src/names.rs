//! Names that are written alike.

/// The names nearest to `wanted`, best first, at most `limit`. Names with more than a third of their letters different
/// are not alike. Equal distances are ordered by name.
pub fn similar(wanted: &str, names: impl IntoIterator<Item = String>, limit: usize) -> Vec<String> {
    let farthest = (wanted.chars().count() / 3).max(1);
    let mut found: Vec<(usize, String)> = names
        .into_iter()
        .map(|name| (distance(&wanted.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= farthest)
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// Letters to insert, delete, replace or swap with their neighbour to turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
