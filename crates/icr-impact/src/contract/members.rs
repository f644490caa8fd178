//! What it means for users that a definition was removed, or that a type got a new member.

use icr_model::{Contract, Shape, SymbolKind};

use super::parameters::clipped;
use super::{ContractChangeClass, ContractFinding, Findings};
use crate::symbols::language::{ContractRules, Matching, contract_rules};
use crate::symbols::{DefinitionSide, Holder, SymbolChange};

/// Findings about a removed definition. Empty if its file re-exports it from elsewhere.
pub(super) fn removal_findings(change: &SymbolChange) -> Vec<ContractFinding> {
    let mut findings = Findings::default();
    let Some(was) = change.old.as_ref().filter(|_| !change.same_address) else { return findings.0 };
    // A variant of it for other builds is left.
    if let Some(builds) = &change.builds {
        let detail =
            format!("{} `{}` was removed where `{}`", was.kind.name(), was.qualified_name, clipped(&builds.condition));
        findings.add(ContractChangeClass::VISIBILITY_REDUCED, detail);
        return findings.0;
    }
    let class = match was.kind {
        SymbolKind::Variant => ContractChangeClass::VARIANT_REMOVED,
        SymbolKind::Field => ContractChangeClass::FIELD_REMOVED,
        _ => ContractChangeClass::REMOVED,
    };
    findings.add(class, format!("{} `{}` was removed", was.kind.name(), was.qualified_name));
    findings.0
}

/// Findings about a new definition inside one that existed before.
pub(super) fn addition_findings(change: &SymbolChange, shape: &Shape) -> Vec<ContractFinding> {
    let mut findings = Findings::default();
    let (Some(is), Some(holder)) = (&change.new, change.holder.filter(|holder| holder.existed)) else {
        return findings.0;
    };
    let row = contract_rules(&is.language);
    let class = match is.kind {
        SymbolKind::Variant => Some(variant_added(row, holder.open)),
        SymbolKind::Field if is_demanded_field(row, is, holder, shape) => Some(ContractChangeClass::FIELD_REQUIRED),
        SymbolKind::Field => Some(ContractChangeClass::FIELD_ADDED),
        _ => is_demanded_member(is, holder, shape).then_some(ContractChangeClass::MEMBER_REQUIRED),
    };
    if let Some(class) = class {
        findings.add(class, format!("{} `{}` was added", is.kind.name(), is.qualified_name));
    }
    findings.0
}

/// The class of one more variant, in an enumeration that is `open` to be matched as a whole.
pub(super) fn variant_added(row: &ContractRules, open: bool) -> ContractChangeClass {
    match row.matching {
        Matching::Refused if open => ContractChangeClass::VARIANT_ADDED_EXHAUSTIVE,
        Matching::Warned if open => ContractChangeClass::VARIANT_ADDED_UNEXPECTED,
        _ => ContractChangeClass::VARIANT_ADDED,
    }
}

/// Whether code that builds the containing type has to give the field, or code that implements it has to write the
/// field.
fn is_demanded_field(row: &ContractRules, field: &DefinitionSide, holder: Holder, shape: &Shape) -> bool {
    let is_whole = row.whole.contains(&holder.kind)
        || holder.contract == Some(Contract::Dataclass)
        || holder.contract == Some(Contract::Schema) && row.whole_schemas;
    let marked =
        field.optional || shape.modifiers.iter().any(|modifier| modifier == "optional" || modifier == "static");
    is_whole && holder.open && !marked && shape.value.is_none()
}

/// Whether those who implement `holder` have to write the member.
pub(super) fn is_demanded_member(member: &DefinitionSide, holder: Holder, shape: &Shape) -> bool {
    use SymbolKind::{Constant, Function, Interface, Method, Trait, Type};
    if member.optional || !matches!(member.kind, Constant | Function | Method | Type) {
        return false;
    }
    let is_abstract = shape.modifiers.iter().any(|modifier| modifier.contains("abstract"));
    match holder.contract {
        Some(Contract::Protocol) if holder.kind == SymbolKind::Class => member.kind == Method,
        Some(Contract::AbstractClass) => {
            let may_have_body = || member.has_body || contract_rules(&member.language).separates_bodies;
            is_abstract || member.kind == Method && !may_have_body()
        }
        _ => matches!(holder.kind, Interface | Trait) && (is_abstract || !member.has_body),
    }
}
