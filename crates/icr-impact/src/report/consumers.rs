//! Who uses a definition whose contract changed.

use std::collections::HashMap;

use crate::contract::ContractChangeClass;

use super::words::{format_count, format_name_list};
use crate::{ContractChange, Dependent, Effect, Impact};

/// Files by the definitions that they use, under all names these had.
pub(super) struct Consumers<'a> {
    by_symbol: HashMap<&'a str, Vec<&'a Dependent>>,
}

/// Whether changes of this class leave nothing to import or use under the name.
fn is_gone(class: &str) -> bool {
    let class = ContractChangeClass::of_name(class);
    class.is_some_and(|class| class.takes_the_name() || class == ContractChangeClass::EXPORT_REMOVED)
}

impl<'a> Consumers<'a> {
    /// Those that `impact` names. Cost grows with the references of all dependents.
    pub(super) fn of(impact: &'a Impact) -> Self {
        let mut other_names: HashMap<&str, Vec<&str>> = HashMap::new();
        for symbol in &impact.changed_symbols {
            if let Some(old) = symbol.old_name.as_deref().filter(|old| *old != symbol.qualified_name) {
                other_names.entry(old).or_default().push(&symbol.qualified_name);
                other_names.entry(&symbol.qualified_name).or_default().push(old);
            }
        }
        let mut by_symbol: HashMap<&str, Vec<&Dependent>> = HashMap::new();
        for dependent in &impact.direct_dependents {
            for symbol in dependent.symbols.iter().map(String::as_str) {
                for name in other_names.get(symbol).into_iter().flatten().copied().chain([symbol]) {
                    let users = by_symbol.entry(name).or_default();
                    if users.last().is_none_or(|last| !std::ptr::eq(*last, dependent)) {
                        users.push(dependent);
                    }
                }
            }
        }
        Self { by_symbol }
    }

    /// Users of the definition that the change leaves as they are, best first.
    pub(super) fn untouched_users(&self, change: &ContractChange) -> impl Iterator<Item = &'a Dependent> {
        let users = self.by_symbol.get(change.symbol.as_str()).map_or(&[][..], Vec::as_slice);
        users.iter().copied().filter(|user| !user.in_change)
    }

    /// Users in words, not counting other files of the change: "used by `a.py` and 3 more"; before them, where the
    /// definition is still declared.
    pub(super) fn in_words(&self, change: &ContractChange) -> String {
        if change.class == ContractChangeClass::MEMBER_REQUIRED.name() {
            return subtypes_in_words(change);
        }
        let users = self.users_in_words(change);
        let here = if change.own_references > 0 && change.consumers > 0 { "; also in its own file" } else { "" };
        match &change.declared_at {
            Some(place) => format!("still declared at `{place}`; {users}{here}"),
            None => format!("{users}{here}"),
        }
    }

    fn users_in_words(&self, change: &ContractChange) -> String {
        let untouched = u64::from(change.consumers_untouched);
        match (change.consumers, untouched) {
            (0, 0) if change.own_references > 0 => "used in its own file".to_owned(),
            (0, 0) if change.effect == Effect::MayBreak && !change.exported => {
                "files that name it may use it".to_owned()
            }
            (0, 0) => "nothing here uses it".to_owned(),
            // It may have it under another name all along.
            (_, 0) if is_gone(change.class) && change.effect == Effect::Holds => {
                "no file that uses it says this name any more".to_owned()
            }
            (all, 0) if is_gone(change.class) => format!("used by {}", format_count(u64::from(all), "file")),
            (1, 0) => "the 1 file that uses it changes too".to_owned(),
            (all, 0) => format!("all {all} files that use it change too"),
            (_, untouched) if self.untouched_users(change).next().is_none() => {
                format!("used by {} that this change leaves alone", format_count(untouched, "file"))
            }
            (_, untouched) => {
                let names = self.untouched_users(change).map(|user| user.path.as_str());
                format!("used by {}", format_name_list(names, untouched, 3))
            }
        }
    }
}

/// The types that may lack a member that is required now. Those that surely lack it are listed as broken uses.
fn subtypes_in_words(change: &ContractChange) -> String {
    let places = change.lacked_by.iter().map(String::as_str);
    match change.lacked_by.len() {
        0 if change.effect == Effect::Breaks => "not defined by types that inherit it".to_owned(),
        0 => "no type here is known to lack it".to_owned(),
        all => format!("not defined by what inherits it at {}", format_name_list(places, all as u64, 3)),
    }
}
