//! How modifiers of a definition, such as `static`, affect its users.

use super::{ContractChangeClass, Findings};

/// What users notice of a modifier; `None` for nothing.
struct ModifierRow {
    /// Its first word.
    word: &'static str,
    added: Option<ContractChangeClass>,
    removed: Option<ContractChangeClass>,
}

/// Both ways users have to change.
const TELLS: (Option<ContractChangeClass>, Option<ContractChangeClass>) =
    (Some(ContractChangeClass::MODIFIER_ADDED), Some(ContractChangeClass::MODIFIER_REMOVED));
/// With it less is allowed.
const BINDS: (Option<ContractChangeClass>, Option<ContractChangeClass>) =
    (Some(ContractChangeClass::MODIFIER_ADDED), Some(ContractChangeClass::MODIFIER_RELAXED));
/// With it more is allowed.
const FREES: (Option<ContractChangeClass>, Option<ContractChangeClass>) =
    (Some(ContractChangeClass::MODIFIER_RELAXED), Some(ContractChangeClass::MODIFIER_REMOVED));
/// It depends on the user, or on what is not known.
const DEPENDS: (Option<ContractChangeClass>, Option<ContractChangeClass>) =
    (Some(ContractChangeClass::MODIFIER_CHANGED), Some(ContractChangeClass::MODIFIER_CHANGED));
/// Users do not notice it, or another finding reports it.
const SILENT: (Option<ContractChangeClass>, Option<ContractChangeClass>) = (None, None);

const fn row(
    word: &'static str,
    (added, removed): (Option<ContractChangeClass>, Option<ContractChangeClass>),
) -> ModifierRow {
    ModifierRow { word, added, removed }
}

const MODIFIERS: &[ModifierRow] = &[
    // tidy: sorted
    row("abstract", BINDS),
    row("abstractmethod", BINDS),
    row("async", TELLS),
    row("classmethod", DEPENDS),
    row("const", FREES),
    row("constexpr", FREES),
    row("data", FREES),
    row("default", SILENT),
    row("explicit", BINDS),
    row("export", SILENT),
    row("extern", SILENT),
    row("fileprivate", SILENT),
    row("final", BINDS),
    row("infix", FREES),
    row("inline", SILENT),
    row("internal", SILENT),
    row("lateinit", SILENT),
    row("mutating", BINDS),
    row("native", SILENT),
    row("noexcept", FREES),
    row("open", FREES),
    row("operator", FREES),
    row("optional", SILENT),
    row("override", SILENT),
    row("private", SILENT),
    row("property", TELLS),
    row("protected", SILENT),
    row("pub", SILENT),
    row("public", SILENT),
    row("readonly", BINDS),
    row("required", BINDS),
    row("sealed", BINDS),
    row("static", TELLS),
    row("staticmethod", DEPENDS),
    row("strictfp", SILENT),
    row("suspend", TELLS),
    row("synchronized", SILENT),
    row("tailrec", SILENT),
    row("throws", BINDS),
    row("transient", SILENT),
    row("unsafe", BINDS),
    row("virtual", FREES),
    row("volatile", SILENT),
    // tidy: end
];

/// Compares the sorted modifiers of both sides.
pub(super) fn compare(old: &[String], new: &[String], findings: &mut Findings) {
    for modifier in new.iter().filter(|modifier| !old.contains(modifier)) {
        if let Some(class) = effect(modifier).0 {
            findings.add(class, format!("it became `{modifier}`"));
        }
    }
    for modifier in old.iter().filter(|modifier| !new.contains(modifier)) {
        if let Some(class) = effect(modifier).1 {
            findings.add(class, format!("it is no longer `{modifier}`"));
        }
    }
}

/// What users notice when a modifier is added, and when it is removed; an unknown one may matter.
fn effect(modifier: &str) -> (Option<ContractChangeClass>, Option<ContractChangeClass>) {
    let word = modifier.split(|sign: char| !sign.is_alphanumeric() && sign != '_').find(|word| !word.is_empty());
    let word = word.unwrap_or(modifier);
    let found = MODIFIERS.binary_search_by(|row| row.word.cmp(word));
    found.map_or(DEPENDS, |index| (MODIFIERS[index].added, MODIFIERS[index].removed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_speak_both_ways_or_not_at_all() {
        assert!(MODIFIERS.is_sorted_by(|one, next| one.word < next.word));
        assert!(MODIFIERS.iter().all(|row| row.added.is_some() == row.removed.is_some()));
    }

    #[test]
    fn a_modifier_is_known_by_its_first_word() {
        assert_eq!(effect("throws IOException"), BINDS);
        assert_eq!(effect("@staticmethod"), DEPENDS);
        assert_eq!(effect("whatever"), DEPENDS);
    }
}
