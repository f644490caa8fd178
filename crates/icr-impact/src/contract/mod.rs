//! What a changed definition breaks.

mod class;
mod members;
mod modifiers;
mod parameters;
mod shapes;
mod types;

#[cfg(test)]
mod tests;

use icr_model::{Shape, SymbolKind};

use crate::symbols::language::language_row;
use crate::symbols::{Reach, SymbolChange};
use crate::{Change, Severity};

pub use class::Class;

/// One change of a promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractFinding {
    /// What kind of change.
    pub class: Class,
    /// In words: "parameter `b` was removed".
    pub detail: String,
}

/// What `change` breaks or adds, whether others may use the definition or not: what happened to it as a whole first, then
/// its parts in the order in which they are written. `old` and `new` are what its sides promise; [`Shape::default`] for a
/// side that is not there or not known. Sections and keys promise nothing; nor does what is new, unless its holder was
/// there and users have to know.
pub fn contract_changes(change: &SymbolChange, old: &Shape, new: &Shape) -> Vec<ContractFinding> {
    if matches!(change.shown().kind, SymbolKind::Section | SymbolKind::Key) {
        return Vec::new();
    }
    match (&change.old, &change.new) {
        (Some(_), None) => members::removed(change),
        (None, Some(_)) => members::added(change, new),
        _ => stayed(change, old, new),
    }
}

/// How bad `change` is for those who use the definition: the worst of `findings`, or what follows from the change itself.
pub fn severity(change: &SymbolChange, findings: &[ContractFinding]) -> Severity {
    let of_facet = |facet: &Change| match facet {
        Change::Added => Severity::Additive,
        Change::Body => Severity::Behaviour,
        // Each has findings unless it does not reach anybody.
        Change::Removed | Change::Renamed | Change::Moved | Change::Signature => Severity::None,
        Change::Doc | Change::Cosmetic => Severity::None,
    };
    let of_findings = findings.iter().map(|finding| finding.class.severity());
    change.facets.iter().map(of_facet).chain(of_findings).max().unwrap_or(Severity::None)
}

/// Findings while they are made.
#[derive(Debug, Default)]
struct Findings(Vec<ContractFinding>);

impl Findings {
    fn add(&mut self, class: Class, detail: impl Into<String>) {
        self.0.push(ContractFinding { class, detail: detail.into() });
    }
}

fn stayed(change: &SymbolChange, old: &Shape, new: &Shape) -> Vec<ContractFinding> {
    let (Some(was), Some(is)) = (&change.old, &change.new) else { return Vec::new() };
    let mut findings = Findings::default();
    // Who follows is named by what it stands in, of which that is told.
    if was.name != is.name || was.qualified_name != is.qualified_name && !change.follows {
        findings.add(Class::RENAMED, format!("`{}` is now `{}`", was.qualified_name, is.qualified_name));
    } else if was.path != is.path && !change.same_address && !(change.follows && change.holder.is_some()) {
        let path = |path: &icr_model::RepoPath| String::from_utf8_lossy(path.as_bytes()).into_owned();
        findings.add(Class::MOVED, format!("it moved from `{}` to `{}`", path(&was.path), path(&is.path)));
    }
    match change.reach {
        Some(Reach::Reduced) => findings.add(Class::VISIBILITY_REDUCED, "fewer may use it than before"),
        Some(Reach::Widened) => findings.add(Class::VISIBILITY_WIDENED, "more may use it than before"),
        None => {}
    }
    if was.kind != is.kind && was.qualified_name == is.qualified_name {
        let (was, is) = (was.kind.name(), is.kind.name());
        findings.add(Class::KIND_CHANGED, format!("it was a {was} and is a {is}"));
        return findings.0;
    }
    let known = findings.0.len();
    let sides = shapes::Sides { row: language_row(&is.language), change, was, is, old, new };
    sides.compare(&mut findings);
    let unexplained = findings.0.len() == known && old == new && change.reach.is_none();
    if unexplained && change.facets.contains(&Change::Signature) {
        findings.add(Class::SIGNATURE_CHANGED, "its signature changed");
    }
    findings.0
}
