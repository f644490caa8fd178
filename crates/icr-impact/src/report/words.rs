//! Words that several reports use.

use icr_model::similar_names;

use crate::{
    BrokenUse, CodeNote, ContractChange, Effect, Impact, Incomplete, Level, NotedCode, RiskLevel, Severity,
    SymbolChangeKind, TransitiveDependent, Verdict,
};

/// The answer, as a title.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Empty => "Empty",
        Verdict::Cosmetic => "Cosmetic",
        Verdict::Clean => "Clean",
        Verdict::Unknown => "Unknown",
        Verdict::Review => "Review",
        Verdict::MayBreak => "May break",
        Verdict::Breaking => "Breaking",
    }
}

/// Whether nothing needs a review.
pub(super) fn is_quiet(impact: &Impact) -> bool {
    impact.verdict <= Verdict::Clean
}

/// Title of what the user noted about the code of a change.
pub(super) const NOTED: &str = "Memories about this code";

/// What has become of code since something was noted about it, in a word.
pub(super) fn noted_code(state: NotedCode) -> &'static str {
    match state {
        NotedCode::Same => "same",
        NotedCode::Moved => "moved",
        NotedCode::Changed => "changed",
        NotedCode::Absent => "absent",
        NotedCode::Unknown => "unknown",
    }
}

/// The code that a memory is about: `src/a.rs open`.
pub(super) fn noted_place(memory: &CodeNote) -> String {
    match &memory.symbol {
        Some(symbol) => format!("{} {symbol}", memory.path),
        None => memory.path.clone(),
    }
}

/// Rows of a table that are told; nobody reads more of them one by one.
pub(super) const MAX_ROWS: usize = 20;

/// Lowest probability of a row that is shown.
const LEAST_LIKELY: f64 = 0.03;

/// Broken uses that are told of one definition.
pub(super) const MAX_USES: usize = 3;

/// The rows of a list that are likely enough to be told.
pub(super) fn likely<T>(rows: &[T], probability: impl Fn(&T) -> f64) -> impl Iterator<Item = &T> {
    rows.iter().filter(move |row| probability(row) >= LEAST_LIKELY)
}

/// What a change of a contract does, in a word or two.
pub(super) fn contract_change_label(change: &ContractChange) -> &'static str {
    match (&change.accepted, change.effect) {
        (Some(_), _) => "accepted",
        (None, Effect::Breaks) => "breaking",
        (None, Effect::MayBreak) => "may break",
        (None, Effect::Holds) if change.severity >= Severity::Risky => "holds",
        (None, Effect::Holds) => severity(change.severity),
    }
}

/// "breaks `a.py:3` (`area(1)`); `b.py:9` (`area(2)`): nothing is called `area` any more; and 2 more", nothing where no use is
/// broken.
pub(super) fn broken_uses(uses: &[&BrokenUse]) -> String {
    let told = broken_uses_with(
        uses,
        |used| {
            let place = format!("`{}:{}`", used.path, used.line);
            if used.text.is_empty() { place } else { format!("{place} (`{}`)", used.text) }
        },
        str::to_owned,
    );
    if told.is_empty() { told } else { format!("breaks {told}") }
}

/// The first uses in words, formatted with `place` and `reason`, and the number of further uses. Each reason appears
/// once, after the last use that has it.
pub(super) fn broken_uses_with(
    uses: &[&BrokenUse],
    place: impl Fn(&BrokenUse) -> String,
    reason: impl Fn(&str) -> String,
) -> String {
    let told = &uses[..uses.len().min(MAX_USES)];
    let mut parts: Vec<String> = Vec::new();
    for (at, used) in told.iter().enumerate() {
        let is_said_next = told.get(at + 1).is_some_and(|next| next.reason == used.reason);
        let why = if is_said_next { String::new() } else { format!(": {}", reason(&used.reason)) };
        parts.push(format!("{}{why}", place(used)));
    }
    if uses.len() > told.len() {
        parts.push(format!("and {} more", uses.len() - told.len()));
    }
    parts.join("; ")
}

/// "2 steps, through `a.py` and `b.py`", as far as these are known.
pub(super) fn way(file: &TransitiveDependent) -> String {
    let steps = format_count(u64::from(file.depth), "step");
    match file.via.as_slice() {
        [] => steps,
        via => format!("{steps}, through {}", format_name_list(via.iter().map(String::as_str), via.len() as u64, 3)),
    }
}

/// Why the risk is not known, without what the list of files that were not looked into says.
pub(super) fn unknown(impact: &Impact) -> impl Iterator<Item = &str> {
    let is_listed = move |reason: &str| {
        let mut files = impact.incomplete.iter().filter(|file| reason.ends_with(&file.reason));
        files.any(|file| reason.starts_with(&format!("`{}` was not looked into", file.path)))
    };
    impact.risk.unknown.iter().map(String::as_str).filter(move |reason| !is_listed(reason))
}

/// "`Cart.add`: parameter `a` was removed (accepted: nobody gives it)" for at most `limit` changes that somebody accepted.
pub(super) fn accepted(impact: &Impact, limit: usize) -> Vec<String> {
    let changes = impact.contract_impact.changes.iter();
    let rows = changes.filter_map(|change| {
        let reason = change.accepted.as_ref()?;
        Some(format!("`{}`: {} (accepted: {reason})", change.symbol, change.detail))
    });
    rows.take(limit).collect()
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

pub(super) fn change(change: SymbolChangeKind) -> &'static str {
    match change {
        SymbolChangeKind::Added => "added",
        SymbolChangeKind::Removed => "removed",
        SymbolChangeKind::Renamed => "renamed",
        SymbolChangeKind::Moved => "moved",
        SymbolChangeKind::Signature => "signature",
        SymbolChangeKind::Body => "body",
        SymbolChangeKind::Doc => "doc",
        SymbolChangeKind::Cosmetic => "cosmetic",
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
    let files = format_count(total(impact, "changed", impact.changed.len()), "file");
    format!("{files}, +{} −{}", sum(|file| file.lines_added), sum(|file| file.lines_removed))
}

/// Entries that a list of the answer had before it was cut.
pub(super) fn total(impact: &Impact, list: &str, shown: usize) -> u64 {
    let cut = impact.cuts.iter().find(|cut| cut.list == list).map_or(0, |cut| cut.total);
    cut.max(shown as u64)
}

/// "1 file", "3 files".
pub(super) fn format_count(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// A sentence with its full stop, which not all have.
pub(super) fn with_full_stop(sentence: &str) -> String {
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
pub(super) fn format_name_list<'a>(names: impl Iterator<Item = &'a str>, total: u64, limit: usize) -> String {
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
            assert_eq!(format_name_list(["a", "b", "c"].into_iter(), total, limit), expected);
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
    fn a_reason_stands_once_behind_the_uses_that_it_is_told_of() {
        let used = |line: u32, reason: &str| BrokenUse {
            path: "a.py".to_owned(),
            line,
            text: "f(1)".to_owned(),
            reason: reason.to_owned(),
        };
        let uses = [used(1, "gone"), used(2, "gone"), used(3, "narrower"), used(4, "gone")];
        let told = |uses: &[BrokenUse]| broken_uses(&uses.iter().collect::<Vec<_>>());
        assert_eq!(told(&[]), "");
        assert_eq!(told(&uses[..1]), "breaks `a.py:1` (`f(1)`): gone");
        assert_eq!(
            told(&uses),
            "breaks `a.py:1` (`f(1)`); `a.py:2` (`f(1)`): gone; `a.py:3` (`f(1)`): narrower; and 1 more"
        );
    }

    #[test]
    fn a_way_without_files_between_has_only_its_length() {
        let file = |via: &[&str]| TransitiveDependent {
            path: "c".to_owned(),
            depth: 2,
            via: via.iter().map(|&path| path.to_owned()).collect(),
            impact_level: Level::Low,
            probability: 0.2,
            test: false,
        };
        assert_eq!(way(&file(&[])), "2 steps");
        assert_eq!(way(&file(&["a"])), "2 steps, through `a`");
    }

    #[test]
    fn what_is_not_sure_is_neither_0_nor_100() {
        let shares = [0.0, 0.001, 0.5, 0.825, 0.999, 1.0, f64::NAN];
        assert_eq!(shares.map(percent), ["0%", "1%", "50%", "83%", "99%", "100%", "0%"]);
    }
}
