//! What a changed definition breaks.

mod class;
mod members;
mod modifiers;
mod parameters;
mod shapes;
mod spellings;
mod type_names;
mod type_tokens;
mod types;

#[cfg(test)]
mod tests;

use icr_model::{Shape, SymbolKind};

use crate::symbols::language::contract_rules;
use crate::symbols::{DefinitionSide, Holder, SymbolChange, VisibilityChange};
use crate::{Severity, SymbolChangeKind};

pub(crate) use spellings::Spellings;

pub use class::{Categories, Category, ContractChangeClass};
use type_names::with_own_type;

pub use type_names::{ImportedNames, SwappedName, TypeAlias, TypeNames, first_name, may_be_one_outside, named_paths};

/// One change of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractFinding {
    /// Class of the change.
    pub class: ContractChangeClass,
    /// In words: "parameter `b` was removed".
    pub detail: String,
}

/// What `change` breaks or adds, whether or not other code may use the definition. First comes what happened to the
/// whole definition, then its parts in the order of the source. `old` and `new` are the shapes of both sides; use
/// [`Shape::default`] for a side that does not exist or is unknown. `names` says what the names in both stand for, where
/// that is known. Sections and keys guarantee nothing. A new definition
/// guarantees nothing either, unless its holder existed before and users have to know about it.
pub fn contract_changes(
    change: &SymbolChange,
    old: &Shape,
    new: &Shape,
    names: Option<&TypeNames>,
) -> Vec<ContractFinding> {
    if matches!(change.display_side().kind, SymbolKind::Section | SymbolKind::Key) {
        return Vec::new();
    }
    match (&change.old, &change.new) {
        (Some(_), None) => members::removal_findings(change),
        (None, Some(_)) => members::addition_findings(change, new),
        _ => {
            let is_written_otherwise = old != new;
            let spelled_out = names.map(|names| names.spelled_out(&change.display_side().language, old, new));
            let (old, new) = spelled_out.as_ref().map_or((old, new), |(old, new)| (old, new));
            let named = with_name_of_holder(change, old, new);
            let (old, new) = named.as_ref().map_or((old, new), |(old, new)| (old, new));
            modification_findings(change, old, new, is_written_otherwise)
        }
    }
}

/// Both contracts with the name of the type that the definition is a member of, where one of them has another word for
/// it. `None` if none has, or if that may be another type: in a trait, or in a block for a generic type.
fn with_name_of_holder(change: &SymbolChange, old: &Shape, new: &Shape) -> Option<(Shape, Shape)> {
    use SymbolKind::{Class, Enum, Implementation, Struct};
    let is_type = |holder: Holder| matches!(holder.kind, Class | Enum | Implementation | Struct);
    change.holder.filter(|holder| is_type(*holder) && old != new)?;
    let (was, is) = (change.old.as_ref()?, change.new.as_ref()?);
    let row = contract_rules(&is.language);
    let name = |side: &DefinitionSide| side.qualified_name.rsplit('.').nth(1).map(str::to_owned);
    let word = row.own_type?;
    let says = |shape: &Shape| named_paths(&is.language, shape).contains(word);
    if !says(old) && !says(new) {
        return None;
    }
    Some((with_own_type(row, old, &name(was)?), with_own_type(row, new, &name(is)?)))
}

/// Severity of `change` for users of the definition: the worst of `findings`, or the severity of the kind of change.
pub fn severity(change: &SymbolChange, findings: &[ContractFinding]) -> Severity {
    let of_facet = |facet: &SymbolChangeKind| match facet {
        SymbolChangeKind::Added => Severity::Additive,
        SymbolChangeKind::Body => Severity::Behaviour,
        // Each has findings unless it does not reach anybody.
        SymbolChangeKind::Removed
        | SymbolChangeKind::Renamed
        | SymbolChangeKind::Moved
        | SymbolChangeKind::Signature => Severity::None,
        SymbolChangeKind::Doc | SymbolChangeKind::Cosmetic => Severity::None,
    };
    let of_findings = findings.iter().map(|finding| finding.class.severity());
    // Builds that got it had another variant before, or did without.
    let of_builds = change.builds.iter().map(|_| Severity::Behaviour);
    change.facets.iter().map(of_facet).chain(of_findings).chain(of_builds).max().unwrap_or(Severity::None)
}

/// Findings while they are made.
#[derive(Debug, Default)]
struct Findings(Vec<ContractFinding>);

impl Findings {
    fn add(&mut self, class: ContractChangeClass, detail: impl Into<String>) {
        self.0.push(ContractFinding { class, detail: detail.into() });
    }
}

/// Findings about a definition that stayed. `is_written_otherwise` says whether the texts of both contracts differ, even
/// if `old` and `new`, with equal words for equal types, do not.
fn modification_findings(
    change: &SymbolChange,
    old: &Shape,
    new: &Shape,
    is_written_otherwise: bool,
) -> Vec<ContractFinding> {
    let (Some(was), Some(is)) = (&change.old, &change.new) else { return Vec::new() };
    let mut findings = Findings::default();
    // A definition that only follows its holder is not reported as renamed, because the holder is.
    if was.name != is.name || was.qualified_name != is.qualified_name && !change.follows {
        findings.add(ContractChangeClass::RENAMED, format!("`{}` is now `{}`", was.qualified_name, is.qualified_name));
    } else if was.path != is.path && !change.same_address && !(change.follows && change.holder.is_some()) {
        findings.add(ContractChangeClass::MOVED, format!("it moved from `{}` to `{}`", was.path, is.path));
    }
    match change.reach {
        Some(VisibilityChange::Reduced) => {
            findings.add(ContractChangeClass::VISIBILITY_REDUCED, "fewer may use it than before")
        }
        Some(VisibilityChange::Widened) => {
            findings.add(ContractChangeClass::VISIBILITY_WIDENED, "more may use it than before")
        }
        None => {}
    }
    match &change.builds {
        Some(builds) if builds.reach == VisibilityChange::Reduced => {
            let detail = format!("it is there only where `{}` now", parameters::clipped(&builds.condition));
            findings.add(ContractChangeClass::VISIBILITY_REDUCED, detail);
        }
        Some(_) => findings.add(ContractChangeClass::VISIBILITY_WIDENED, "more builds have it than before"),
        None => {}
    }
    if was.kind != is.kind && was.qualified_name == is.qualified_name {
        let alike = is_alike(was.kind, is.kind);
        let class = if alike { ContractChangeClass::KIND_ADJUSTED } else { ContractChangeClass::KIND_CHANGED };
        findings.add(class, format!("it was {} and is {}", article(was.kind), article(is.kind)));
        if !alike {
            return findings.0;
        }
    }
    let known = findings.0.len();
    // Even if each part stayed, it may name a type that was renamed.
    if change.facets.iter().any(|facet| matches!(facet, SymbolChangeKind::Signature | SymbolChangeKind::Body)) {
        shapes::Sides { row: contract_rules(&is.language), change, was, is, old, new }.compare(&mut findings);
    }
    let is_seen_by_others = change.reach.is_some() || change.builds.is_some();
    let explained = is_seen_by_others || was.kind != is.kind || is_written_otherwise;
    let unexplained = findings.0.len() == known && !explained;
    if unexplained && change.facets.contains(&SymbolChangeKind::Signature) {
        findings.add(ContractChangeClass::SIGNATURE_CHANGED, "its signature changed");
    }
    findings.0
}

/// Whether most uses of one kind are uses of the other.
fn is_alike(one: SymbolKind, other: SymbolKind) -> bool {
    use SymbolKind::{Constant, Interface, Type, Variable};
    matches!((one, other), (Constant, Variable) | (Variable, Constant) | (Interface, Type) | (Type, Interface))
}

/// A kind with its article.
fn article(kind: SymbolKind) -> String {
    let name = kind.name();
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}
