//! Words that several reports use.

use icr_model::similar_names;

use crate::{Change, Impact, Incomplete, Level, RiskLevel, Severity, Verdict};

/// The answer, as a title.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Empty => "Empty",
        Verdict::Cosmetic => "Cosmetic",
        Verdict::Clean => "Clean",
        Verdict::Unknown => "Unknown",
        Verdict::Review => "Review",
        Verdict::Breaking => "Breaking",
    }
}

/// Whether there is nothing that anybody has to look at.
pub(super) fn is_quiet(impact: &Impact) -> bool {
    impact.verdict <= Verdict::Clean
}

/// "`a.py`: too large", a sentence for each file that was not looked into, code first and then by path; at most `limit`, and how many
/// more there are.
pub(super) fn not_looked_into(impact: &Impact, limit: usize) -> Vec<String> {
    let of = |code: bool| impact.incomplete.iter().filter(move |file| file.code == code);
    let row = |file: &Incomplete| format!("`{}`: {}", file.path, file.reason);
    let mut rows: Vec<String> = of(true).chain(of(false)).take(limit).map(row).collect();
    let more = impact.incomplete.len() - rows.len();
    if more > 0 {
        rows.push(format!("{more} more"));
    }
    rows
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::None => "none",
        Severity::Additive => "additive",
        Severity::Behaviour => "behaviour",
        Severity::Risky => "risky",
        Severity::Breaking => "breaking",
    }
}

pub(super) fn risk_level(level: RiskLevel) -> &'static str {
    match level {
        RiskLevel::None => "none",
        RiskLevel::Low => "low",
        RiskLevel::Medium => "medium",
        RiskLevel::High => "high",
        RiskLevel::Unknown => "unknown",
    }
}

pub(super) fn level(level: Level) -> &'static str {
    match level {
        Level::Low => "low",
        Level::Medium => "medium",
        Level::High => "high",
    }
}

pub(super) fn change(change: Change) -> &'static str {
    match change {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Renamed => "renamed",
        Change::Moved => "moved",
        Change::Signature => "signature",
        Change::Body => "body",
        Change::Doc => "doc",
        Change::Cosmetic => "cosmetic",
    }
}

/// "high (0.72)"; the score of an unknown risk would look like knowledge.
pub(super) fn risk(impact: &Impact) -> String {
    match impact.risk.level {
        RiskLevel::Unknown => "unknown".to_owned(),
        level => format!("{} ({:.2})", risk_level(level), impact.risk.score),
    }
}

/// "main (0123456) → HEAD (89abcde)".
pub(super) fn sides(impact: &Impact) -> String {
    let side = |name: &str, commit: &Option<String>| match commit {
        Some(commit) if commit != name => format!("{name} ({})", commit.chars().take(10).collect::<String>()),
        _ => name.to_owned(),
    };
    let sides = &impact.sides;
    format!("{} → {}", side(&sides.base, &sides.base_commit), side(&sides.head, &sides.head_commit))
}

/// "3 files, +10 −4".
pub(super) fn size_of_change(impact: &Impact) -> String {
    let sum =
        |lines: fn(&crate::ChangedFile) -> u32| impact.changed.iter().map(|file| u64::from(lines(file))).sum::<u64>();
    let files = counted(total(impact, "changed", impact.changed.len()), "file");
    format!("{files}, +{} −{}", sum(|file| file.lines_added), sum(|file| file.lines_removed))
}

/// Entries that a list of the answer had before it was cut.
pub(super) fn total(impact: &Impact, list: &str, shown: usize) -> u64 {
    let cut = impact.cuts.iter().find(|cut| cut.list == list).map_or(0, |cut| cut.total);
    cut.max(shown as u64)
}

/// "1 file", "3 files".
pub(super) fn counted(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// A sentence with its full stop, which not all have.
pub(super) fn ended(sentence: &str) -> String {
    if sentence.ends_with(['.', '!', '?', '…']) { sentence.to_owned() } else { format!("{sentence}.") }
}

/// "82%"; what is not sure is neither 0 nor 100.
pub(super) fn percent(share: f64) -> String {
    let percent = match share {
        _ if share >= 1.0 => 100.0,
        _ if share > 0.0 => (share * 100.0).round().clamp(1.0, 99.0),
        _ => 0.0,
    };
    format!("{percent}%")
}

/// "`a`, `b` and 3 more": at most `limit` of the names, of `total` that there are.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>, total: u64, limit: usize) -> String {
    let mut shown: Vec<String> = names.take(limit).map(|name| format!("`{name}`")).collect();
    let more = total.saturating_sub(shown.len() as u64);
    let last = if more > 0 { Some(format!("{more} more")) } else { shown.pop() };
    let Some(last) = last else { return String::new() };
    if shown.is_empty() { last } else { format!("{} and {last}", shown.join(", ")) }
}

/// "`a`, `b` or `c`".
pub(super) fn or_listed(names: &[&str]) -> String {
    let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let Some(last) = names.pop() else { return String::new() };
    if names.is_empty() { last } else { format!("{} or {last}", names.join(", ")) }
}

/// Lines in words: "line 3", "lines 3, 9 and 4 more".
pub(super) fn lines(lines: &[u32], total: u64, limit: usize) -> Option<String> {
    let shown: Vec<String> = lines.iter().take(limit).map(u32::to_string).collect();
    let more = total.saturating_sub(shown.len() as u64);
    match (shown.as_slice(), more) {
        ([], _) => None,
        ([line], 0) => Some(format!("line {line}")),
        (shown, 0) => Some(format!("lines {}", shown.join(", "))),
        (shown, more) => Some(format!("lines {} and {more} more", shown.join(", "))),
    }
}

/// At most three of the `names` that `word` seems to mean.
pub(super) fn suggestions<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    similar_names(word, names, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_say_how_much_they_leave_out() {
        let check = |total, limit, expected: &str| {
            assert_eq!(listed(["a", "b", "c"].into_iter(), total, limit), expected);
        };
        check(3, 3, "`a`, `b` and `c`");
        check(3, 2, "`a`, `b` and 1 more");
        check(9, 3, "`a`, `b`, `c` and 6 more");
        check(1, 1, "`a`");
        check(4, 0, "4 more");
        assert_eq!(lines(&[3, 9], 2, 5).as_deref(), Some("lines 3, 9"));
        assert_eq!(lines(&[3, 9], 4, 1).as_deref(), Some("lines 3 and 3 more"));
        assert_eq!(lines(&[3], 1, 5).as_deref(), Some("line 3"));
        assert_eq!(lines(&[], 0, 5), None);
    }

    #[test]
    fn what_is_not_sure_is_neither_0_nor_100() {
        let shares = [0.0, 0.001, 0.5, 0.825, 0.999, 1.0, f64::NAN];
        assert_eq!(shares.map(percent), ["0%", "1%", "50%", "83%", "99%", "100%", "0%"]);
    }
}
