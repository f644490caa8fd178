//! The differences between two shapes, except parameters.

use std::collections::BTreeSet;

use icr_model::{Contract, Parameter, ParameterKind, Shape, SymbolKind};

use super::parameters::{self, clipped};
use super::type_names::first_name;
use super::type_tokens::{is_same_type, paths};
use super::types::{Relation, TypeSet, alternatives, relation, without_nothing};
use super::{ContractChangeClass, Findings, members, modifiers};
use crate::symbols::language::{ContractRules, Types};
use crate::symbols::{DefinitionSide, SymbolChange};

/// The contract with `impl A` in place of each type parameter `T: A` that is the type of one parameter and stands nowhere
/// else; `None` if it has none.
fn without_single_type_parameters(row: &ContractRules, shape: &Shape) -> Option<Shape> {
    if !row.has_anonymous_parameters || shape.type_parameters.is_empty() {
        return None;
    }
    let texts = |shape: &Shape| -> Vec<String> {
        let types = shape.parameters.iter().filter_map(|parameter| parameter.ty.clone());
        types.chain(shape.returns.clone()).chain(shape.type_parameters.clone()).chain(shape.bases.clone()).collect()
    };
    let all = texts(shape);
    let uses =
        |name: &str| all.iter().flat_map(|ty| paths(row, ty)).filter(|(_, path)| first_name(path) == name).count();
    let mut found = None;
    for written in &shape.type_parameters {
        let Some((name, bounds)) = written.split_once(':').map(|(name, bounds)| (name.trim(), bounds.trim())) else {
            continue;
        };
        // What declares it is no use.
        if bounds.is_empty() || name.starts_with('\'') || uses(name) != 1 {
            continue;
        }
        let unnamed: &mut Shape = found.get_or_insert_with(|| shape.clone());
        for ty in unnamed.parameters.iter_mut().filter_map(|parameter| parameter.ty.as_mut()) {
            let place = paths(row, ty).into_iter().find(|(_, path)| *path == name).map(|(at, _)| at);
            if let Some(at) = place {
                let (before, behind) = (&ty[..at], &ty[at + name.len()..]);
                let is_loose = bounds.contains('+') && before.trim_end().ends_with('&');
                let bounds = if is_loose { format!("(impl {bounds})") } else { format!("impl {bounds}") };
                *ty = format!("{before}{bounds}{behind}");
            }
        }
    }
    found
}

/// Both sides of a definition that stayed.
pub(super) struct Sides<'a> {
    pub(super) row: &'static ContractRules,
    pub(super) change: &'a SymbolChange,
    pub(super) was: &'a DefinitionSide,
    pub(super) is: &'a DefinitionSide,
    pub(super) old: &'a Shape,
    pub(super) new: &'a Shape,
}

/// The contract without lifetimes that only one parameter names, which may be left out; `None` if it has none.
fn with_elided_lifetimes(shape: &Shape) -> Option<Shape> {
    let mut found: Option<Shape> = None;
    for lifetime in shape.type_parameters.iter().filter(|parameter| parameter.starts_with('\'')) {
        let written = found.as_ref().unwrap_or(shape);
        let uses = |ty: &String| with_anonymous_lifetime(ty, lifetime).1;
        let is_receiver = |parameter: &&Parameter| parameter.kind == ParameterKind::Receiver;
        let uses_of = |parameter: &Parameter| parameter.ty.as_ref().map_or(0, uses);
        let receiver = written.parameters.iter().find(is_receiver);
        let in_parameters: usize = written.parameters.iter().map(uses_of).sum();
        let in_result = written.returns.as_ref().map_or(0, uses);
        let in_others: usize = written.bases.iter().chain(&written.type_parameters).map(uses).sum();
        // A result without a lifetime has that of the receiver, if there is one.
        let is_result_of_another = in_result > 0 && receiver.is_some_and(|receiver| uses_of(receiver) == 0);
        if in_parameters != 1 || in_others != 1 || is_result_of_another {
            continue;
        }
        let mut elided = written.clone();
        let types = elided.parameters.iter_mut().filter_map(|parameter| parameter.ty.as_mut());
        for ty in types.chain(&mut elided.returns) {
            *ty = with_anonymous_lifetime(ty, lifetime).0;
        }
        elided.type_parameters.retain(|parameter| parameter != lifetime);
        found = Some(elided);
    }
    found
}

/// The type with `'_` for a lifetime, and how often the lifetime is named.
fn with_anonymous_lifetime(ty: &str, lifetime: &str) -> (String, usize) {
    let (mut written, mut uses, mut rest) = (String::new(), 0, ty);
    while let Some(at) = rest.find(lifetime) {
        let behind = &rest[at + lifetime.len()..];
        let is_whole = !behind.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        written.push_str(&rest[..at]);
        written.push_str(if is_whole { "'_" } else { lifetime });
        uses += usize::from(is_whole);
        rest = behind;
    }
    (written + rest, uses)
}

impl Sides<'_> {
    /// Adds what differs.
    pub(super) fn compare(&self, findings: &mut Findings) {
        let may_differ = self.row.has_anonymous_parameters && self.old.type_parameters != self.new.type_parameters;
        let elided = |shape| if may_differ { with_elided_lifetimes(shape) } else { None };
        let (old, new) = (elided(self.old), elided(self.new));
        let (old, new) = (old.as_ref().unwrap_or(self.old), new.as_ref().unwrap_or(self.new));
        Sides { old, new, ..*self }.compare_written(findings);
    }

    fn compare_written(&self, findings: &mut Findings) {
        let is_demanded =
            |side, shape| self.change.holder.is_some_and(|holder| members::is_demanded_member(side, holder, shape));
        // What is demanded is abstract, whether or not it says so.
        let says_abstract = |modifier: &&String| modifier.contains("abstract");
        let became_demanded = !is_demanded(self.was, self.old) && is_demanded(self.is, self.new);
        if became_demanded {
            findings.add(ContractChangeClass::MEMBER_REQUIRED, "it has no body of its own any more");
        }
        let new_modifiers: Vec<String> =
            self.new.modifiers.iter().filter(|it| !became_demanded || !says_abstract(it)).cloned().collect();
        modifiers::compare(&self.old.modifiers, &new_modifiers, findings);
        self.type_parameters(findings);
        // Who calls it notices nothing of the name of a type parameter.
        let unnamed = |shape| without_single_type_parameters(self.row, shape);
        let (old, new) = match self.old.type_parameters == self.new.type_parameters {
            true => (None, None),
            false => (unnamed(self.old), unnamed(self.new)),
        };
        let (old, new) = (old.as_ref().unwrap_or(self.old), new.as_ref().unwrap_or(self.new));
        parameters::compare(self.row, &old.parameters, &new.parameters, findings);
        self.returns(findings);
        self.bases(findings);
        match self.is.kind {
            SymbolKind::Field => self.field(findings),
            SymbolKind::Variant => self.variant(findings),
            SymbolKind::Type => self.alias(findings),
            _ => self.value(findings),
        }
    }

    fn type_parameters(&self, findings: &mut Findings) {
        let (was, is) = (&self.old.type_parameters, &self.new.type_parameters);
        let same = |(was, is): (&String, &String)| is_same_type(self.row, was, is);
        if was.len() != is.len() || !was.iter().zip(is).all(same) {
            let text = |list: &[String]| match list {
                [] => "none".to_owned(),
                _ => format!("`{}`", clipped(&list.join(", "))),
            };
            let detail = format!("type parameters changed from {} to {}", text(was), text(is));
            findings.add(ContractChangeClass::TYPE_PARAMETER_CHANGED, detail);
        }
    }

    fn returns(&self, findings: &mut Findings) {
        let differing = if self.row.types == Types::Unchecked {
            ContractChangeClass::RETURN_REANNOTATED
        } else {
            ContractChangeClass::RETURN_CHANGED
        };
        match (&self.old.returns, &self.new.returns) {
            (Some(was), Some(is)) if !is_same_type(self.row, was, is) => {
                let class = match relation(self.row, was, is) {
                    Relation::Narrowed => ContractChangeClass::RETURN_NARROWED,
                    Relation::Same => ContractChangeClass::TYPE_WRITTEN,
                    Relation::Widened | Relation::Other => differing,
                };
                findings.add(class, format!("return type changed from `{}` to `{}`", clipped(was), clipped(is)));
            }
            (None, Some(is)) => {
                let class = if self.row.types == Types::Checked {
                    ContractChangeClass::RETURN_CHANGED
                } else {
                    ContractChangeClass::TYPE_WRITTEN
                };
                findings.add(class, format!("it has the return type `{}` now", clipped(is)));
            }
            (Some(was), None) => {
                let class = match self.row.types {
                    Types::Checked => ContractChangeClass::RETURN_CHANGED,
                    Types::Inferred | Types::Unchecked => ContractChangeClass::RETURN_REANNOTATED,
                };
                findings.add(class, format!("it no longer has the return type `{}`", clipped(was)));
            }
            _ => {}
        }
    }

    fn bases(&self, findings: &mut Findings) {
        let head = |base: &str| base.split(['<', '[', '(']).next().unwrap_or_default().trim().to_owned();
        let missing = |from: &[String], other: &[String]| -> Vec<String> {
            let has = |base: &String| other.iter().any(|other| is_same_type(self.row, base, other));
            from.iter().filter(|base| !has(base)).cloned().collect()
        };
        let (gone, mut there) = (missing(&self.old.bases, &self.new.bases), missing(&self.new.bases, &self.old.bases));
        for was in gone {
            match there.iter().position(|is| is_same_type(self.row, &head(is), &head(&was))) {
                Some(place) => {
                    let is = there.remove(place);
                    let detail = format!("base changed from `{}` to `{}`", clipped(&was), clipped(&is));
                    findings.add(ContractChangeClass::BASE_CHANGED, detail);
                }
                None => {
                    findings.add(ContractChangeClass::BASE_REMOVED, format!("base `{}` was removed", clipped(&was)))
                }
            }
        }
        let implemented = matches!(self.is.kind, SymbolKind::Interface | SymbolKind::Trait);
        let class = if implemented { ContractChangeClass::BASE_REQUIRED } else { ContractChangeClass::BASE_ADDED };
        for is in there {
            findings.add(class, format!("base `{}` was added", clipped(&is)));
        }
    }

    fn field(&self, findings: &mut Findings) {
        let is_filled = self.change.holder.and_then(|holder| holder.contract);
        let is_filled = matches!(is_filled, Some(Contract::Dataclass | Contract::Schema));
        let by_value = |shape: &Shape| is_filled && shape.value.is_some();
        let word = |shape: &Shape| shape.modifiers.iter().any(|modifier| modifier == "optional");
        let none = (Default::default(), false);
        let before = self.old.ty.as_deref().map_or_else(|| none.clone(), without_nothing);
        // In other words, what says that it may be absent is not always told apart.
        let is_same = matches!((&self.old.ty, &self.new.ty), (Some(was), Some(is)) if is_same_type(self.row, was, is));
        let after = match is_same {
            true => before.clone(),
            false => self.new.ty.as_deref().map_or(none, without_nothing),
        };
        let was_optional = before.1 || self.was.optional || by_value(self.old) || word(self.old);
        let is_optional = after.1 || self.is.optional || by_value(self.new) || word(self.new);
        match (was_optional, is_optional) {
            (false, true) => findings.add(ContractChangeClass::FIELD_MADE_OPTIONAL, "it may be absent now"),
            (true, false) => findings.add(ContractChangeClass::FIELD_MADE_REQUIRED, "it may no longer be absent"),
            _ => {}
        }
        let differing = if self.row.types == Types::Unchecked {
            ContractChangeClass::FIELD_REANNOTATED
        } else {
            ContractChangeClass::FIELD_RETYPED
        };
        match (&self.old.ty, &self.new.ty) {
            (Some(was), Some(is)) if !self.are_same(&before.0, &after.0) => {
                findings.add(differing, format!("type changed from `{}` to `{}`", clipped(was), clipped(is)));
            }
            // `int?` and `int | None` are one type; the mark on the name may have gone to the type.
            (Some(_), Some(_)) => {}
            _ => self.written(ContractChangeClass::FIELD_REANNOTATED, findings),
        }
        let class = if self.row.numbers_fields {
            ContractChangeClass::FIELD_RENUMBERED
        } else {
            ContractChangeClass::VALUE_CHANGED
        };
        let told = by_value(self.old) != by_value(self.new);
        if !told {
            self.values(class, findings);
        }
    }

    /// Whether two sets of alternatives are the same types.
    fn are_same(&self, before: &BTreeSet<&str>, after: &BTreeSet<&str>) -> bool {
        let (before, after) = (TypeSet::of(self.row, before.clone()), TypeSet::of(self.row, after.clone()));
        before.is_subset(&after) && after.is_subset(&before)
    }

    fn variant(&self, findings: &mut Findings) {
        let same = matches!((&self.old.ty, &self.new.ty), (Some(was), Some(is)) if is_same_type(self.row, was, is));
        if self.old.ty != self.new.ty && !same {
            let detail = match (&self.old.ty, &self.new.ty) {
                (Some(was), Some(is)) => format!("content changed from `{}` to `{}`", clipped(was), clipped(is)),
                (None, Some(is)) => format!("it holds `{}` now", clipped(is)),
                (Some(was), None) => format!("it no longer holds `{}`", clipped(was)),
                (None, None) => return,
            };
            findings.add(ContractChangeClass::VARIANT_RETYPED, detail);
        }
        self.values(ContractChangeClass::VARIANT_VALUE_CHANGED, findings);
    }

    /// A union is its parts; any other alias is one type.
    fn alias(&self, findings: &mut Findings) {
        if let (Some(was), Some(is)) = (&self.old.ty, &self.new.ty)
            && was != is
            && alternatives(was).len() > 1
            && alternatives(is).len() > 1
        {
            let (before, after) = (TypeSet::of(self.row, alternatives(was)), TypeSet::of(self.row, alternatives(is)));
            for gone in before.missing_from(&after) {
                findings.add(
                    ContractChangeClass::VARIANT_REMOVED,
                    format!("`{}` was removed from the union", clipped(gone)),
                );
            }
            for there in after.missing_from(&before) {
                let class = super::members::variant_added(self.row, true);
                findings.add(class, format!("`{}` was added to the union", clipped(there)));
            }
            return;
        }
        self.value(findings);
    }

    fn value(&self, findings: &mut Findings) {
        match (&self.old.ty, &self.new.ty) {
            (Some(was), Some(is)) if relation(self.row, was, is) != Relation::Same => {
                let detail = format!("type changed from `{}` to `{}`", clipped(was), clipped(is));
                findings.add(ContractChangeClass::TYPE_CHANGED, detail);
            }
            _ => self.written(ContractChangeClass::TYPE_CHANGED, findings),
        }
        self.values(ContractChangeClass::VALUE_CHANGED, findings);
    }

    /// A type that is written on one side only.
    fn written(&self, dropped: ContractChangeClass, findings: &mut Findings) {
        match (&self.old.ty, &self.new.ty) {
            (None, Some(is)) => {
                findings.add(ContractChangeClass::TYPE_WRITTEN, format!("it has the type `{}` now", clipped(is)))
            }
            (Some(was), None) => findings.add(dropped, format!("it no longer has the type `{}`", clipped(was))),
            _ => {}
        }
    }

    fn values(&self, class: ContractChangeClass, findings: &mut Findings) {
        match (&self.old.value, &self.new.value) {
            (Some(was), Some(is)) if was != is => {
                findings.add(class, format!("value changed from `{}` to `{}`", clipped(was), clipped(is)));
            }
            (None, Some(is)) => findings.add(class, format!("it has the value `{}` now", clipped(is))),
            (Some(was), None) => findings.add(class, format!("it no longer has the value `{}`", clipped(was))),
            _ => {}
        }
    }
}
