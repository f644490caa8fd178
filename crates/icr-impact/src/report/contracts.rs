//! Changes of contracts, one group for each definition.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::consumers::Consumers;
use crate::{BrokenUse, ContractChange, Effect, FileStatus, Impact, Severity, SymbolChangeKind};

/// What changed in the contract of one definition.
pub(super) struct Group<'a> {
    /// The worst change, the first of equals.
    pub(super) worst: &'a ContractChange,
    /// All of them, in the order of the answer.
    pub(super) changes: Vec<&'a ContractChange>,
    /// The same in words.
    pub(super) details: Vec<String>,
    /// The uses that they break, by path and line.
    pub(super) uses: Vec<&'a BrokenUse>,
    /// Lines of the definition; `None` when it is gone.
    pub(super) lines: Option<(u32, u32)>,
    /// Whether its file is gone too.
    pub(super) is_file_gone: bool,
    /// Whether the only change is a move to another file.
    pub(super) is_move: bool,
}

/// Groups whose worst change is at least `least`, or may break a use. Groups that break users come first, then worse
/// ones, then those whose users are not in the change, then the order of the answer. Accepted groups come last.
pub(super) fn groups(impact: &Impact, least: Severity) -> Vec<Group<'_>> {
    let places = HeadLocations::of(impact);
    let mut index: HashMap<(&str, &str, u32), usize> = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for change in &impact.contract_impact.changes {
        let at = *index.entry((&change.path, &change.symbol, change.line)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group {
                worst: change,
                changes: Vec::new(),
                details: Vec::new(),
                uses: Vec::new(),
                lines: places.lines(change),
                is_file_gone: places.is_deleted(&change.path),
                is_move: true,
            });
        }
        let group = &mut groups[at];
        group.changes.push(change);
        group.details.push(detail_of(change));
        group.uses.extend(&change.uses);
        group.is_move &= change.class == MOVED;
        if rank(change) > rank(group.worst) {
            group.worst = change;
        }
    }
    for group in &mut groups {
        group.uses.sort_unstable();
        group.uses.dedup();
    }
    groups.retain(|group| group.worst.severity >= least || group.worst.effect > Effect::Holds);
    groups.sort_by_key(|group| Reverse((rank(group.worst), group.worst.consumers_untouched > 0)));
    groups
}

/// Class of a definition that stands in another file now.
const MOVED: &str = "moved";

/// Order of changes: not accepted before accepted, then by effect on users, then by severity.
fn rank(change: &ContractChange) -> (bool, Effect, Severity) {
    (change.accepted.is_none(), change.effect, change.severity)
}

/// "parameter `a` was removed (accepted: nobody gives it)".
fn detail_of(change: &ContractChange) -> String {
    match &change.accepted {
        Some(reason) => format!("{} (accepted: {reason})", change.detail),
        None => change.detail.clone(),
    }
}

impl Group<'_> {
    /// The users of the definition, in words; `None` if nobody has to change, so that users do not matter.
    pub(super) fn users(&self, consumers: &Consumers<'_>) -> Option<String> {
        (self.worst.severity > Severity::Additive).then(|| consumers.in_words(self.worst))
    }
}

/// Where changed definitions stand on the head side.
pub(super) struct HeadLocations<'a> {
    /// Last line of a definition, `None` when it is gone, by path, qualified name and first line.
    symbols: HashMap<(&'a str, &'a str, u32), Option<u32>>,
    /// Files that are gone.
    deleted: Vec<&'a str>,
}

impl<'a> HeadLocations<'a> {
    /// The positions that `impact` gives.
    pub(super) fn of(impact: &'a Impact) -> Self {
        let symbols = impact.changed_symbols.iter().map(|symbol| {
            let end = (symbol.change != SymbolChangeKind::Removed).then_some(symbol.end_line);
            ((symbol.path.as_str(), symbol.qualified_name.as_str(), symbol.line), end)
        });
        let deleted = impact.changed.iter().filter(|file| file.status == FileStatus::Deleted);
        let mut deleted: Vec<&str> = deleted.map(|file| file.path.as_str()).collect();
        deleted.sort_unstable();
        Self { symbols: symbols.collect(), deleted }
    }

    /// First and last line of the definition; `None` when it is gone, as its line is one of the old file.
    pub(super) fn lines(&self, change: &ContractChange) -> Option<(u32, u32)> {
        let known = self.symbols.get(&(change.path.as_str(), change.symbol.as_str(), change.line));
        if known == Some(&None) || change.line == 0 || self.is_deleted(&change.path) {
            return None;
        }
        let end = known.copied().flatten().unwrap_or(change.line);
        Some((change.line, end.max(change.line)))
    }

    fn is_deleted(&self, path: &str) -> bool {
        self.deleted.binary_search(&path).is_ok()
    }
}
