//! Classes of changes of a promise.

use crate::Severity::{self, Additive, Behaviour, Breaking, Risky};

/// What kind of change of a promise it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(usize);

/// Everything about one class.
#[derive(Debug, Clone, Copy)]
struct ClassRow {
    name: &'static str,
    severity: Severity,
    /// What users have to do.
    advice: &'static str,
}

impl Class {
    /// All classes, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CLASSES.len()).map(Self)
    }

    /// The name in answers: `parameter_removed`.
    pub fn name(self) -> &'static str {
        CLASSES[self.0].name
    }

    /// How bad such a change is for those who use what changed.
    pub fn severity(self) -> Severity {
        CLASSES[self.0].severity
    }

    /// What these have to do, in one sentence.
    pub fn advice(self) -> &'static str {
        CLASSES[self.0].advice
    }
}

/// The place of a name in the table.
const fn place(name: &str) -> usize {
    let mut index = 0;
    while !is_equal(CLASSES[index].name.as_bytes(), name.as_bytes()) {
        index += 1;
    }
    index
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

macro_rules! classes {
    ($($constant:ident $name:literal $severity:ident $advice:literal;)*) => {
        impl Class {
            $(#[doc = $advice] pub const $constant: Self = Self(place($name));)*
        }

        const CLASSES: &[ClassRow] =
            &[$(ClassRow { name: $name, severity: $severity, advice: $advice }),*];
    };
}

classes! {
    // tidy: sorted
    BASE_ADDED "base_added" Additive "Nothing: it can be used in more places.";
    BASE_CHANGED "base_changed" Risky "Check what relies on the arguments of the base.";
    BASE_REMOVED "base_removed" Breaking "Stop using it as the base it no longer has, and members that came from there.";
    BASE_REQUIRED "base_required" Breaking "Implement the new base wherever this is implemented.";
    FIELD_ADDED "field_added" Additive "Nothing: there is one more field to use.";
    FIELD_MADE_OPTIONAL "field_made_optional" Risky "Handle the field being absent wherever it is read.";
    FIELD_MADE_REQUIRED "field_made_required" Breaking "Give the field wherever one is built.";
    FIELD_REANNOTATED "field_reannotated" Risky "Check that what is stored in the field and read from it still fits.";
    FIELD_REMOVED "field_removed" Breaking "Stop reading and giving the field.";
    FIELD_RENUMBERED "field_renumbered" Breaking "Rebuild both ends of the wire together: old messages are misread.";
    FIELD_REQUIRED "field_required" Breaking "Give the new field wherever one is built or implemented.";
    FIELD_RETYPED "field_retyped" Breaking "Adapt what is stored in the field and read from it.";
    KIND_ADJUSTED "kind_adjusted" Risky "Check uses that only the old kind allows.";
    KIND_CHANGED "kind_changed" Breaking "Use it as what it is now.";
    MEMBER_REQUIRED "member_required" Breaking "Implement the new member wherever this is implemented.";
    MODIFIER_ADDED "modifier_added" Breaking "Adapt calls and heirs to the modifier.";
    MODIFIER_CHANGED "modifier_changed" Risky "Check calls and heirs against the modifier.";
    MODIFIER_RELAXED "modifier_relaxed" Additive "Nothing: more is allowed.";
    MODIFIER_REMOVED "modifier_removed" Breaking "Adapt calls and heirs to the lack of the modifier.";
    MOVED "moved" Breaking "Import it from where it is now.";
    PARAMETER_ABSORBED "parameter_absorbed" Behaviour "Check calls that give the argument: it is taken together with others now.";
    PARAMETER_ADDED_OPTIONAL "parameter_added_optional" Additive "Nothing: there is one more argument to give.";
    PARAMETER_ADDED_REQUIRED "parameter_added_required" Breaking "Give the new argument in every call.";
    PARAMETER_DEFAULT_CHANGED "parameter_default_changed" Behaviour "Check calls that leave the argument out.";
    PARAMETER_KIND_CHANGED "parameter_kind_changed" Breaking "Give the argument by place or by name, as it is now taken.";
    PARAMETER_KIND_WIDENED "parameter_kind_widened" Additive "Nothing: the argument can be given in more ways.";
    PARAMETER_MADE_OPTIONAL "parameter_made_optional" Additive "Nothing: the argument may be left out.";
    PARAMETER_MADE_REQUIRED "parameter_made_required" Breaking "Give the argument in calls that left it out.";
    PARAMETER_MOVED "parameter_moved" Breaking "Reorder arguments that are given by place.";
    PARAMETER_REANNOTATED "parameter_reannotated" Risky "Check that what is given still fits.";
    PARAMETER_REMOVED "parameter_removed" Breaking "Stop giving the argument.";
    PARAMETER_RENAMED "parameter_renamed" Breaking "Give the argument by its new name.";
    PARAMETER_RETYPED "parameter_retyped" Breaking "Give an argument of the new type.";
    PARAMETER_WIDENED "parameter_widened" Additive "Nothing: more types are taken.";
    RECEIVER_CHANGED "receiver_changed" Risky "Check on what it is called.";
    REMOVED "removed" Breaking "Stop using it.";
    RENAMED "renamed" Breaking "Use it by its new name.";
    RETURN_CHANGED "return_changed" Breaking "Adapt what is done with the result.";
    RETURN_NARROWED "return_narrowed" Additive "Nothing: fewer types are returned.";
    RETURN_REANNOTATED "return_reannotated" Risky "Check what is done with the result.";
    SIGNATURE_CHANGED "signature_changed" Risky "Compare the two signatures.";
    TYPE_CHANGED "type_changed" Risky "Check what is done with values of the type.";
    TYPE_PARAMETER_CHANGED "type_parameter_changed" Risky "Check the type arguments that are given.";
    TYPE_WRITTEN "type_written" Additive "Nothing: what was unsaid is said.";
    VALUE_CHANGED "value_changed" Behaviour "Check what relies on the value.";
    VARIANT_ADDED "variant_added" Additive "Nothing: there is one more variant to use.";
    VARIANT_ADDED_EXHAUSTIVE "variant_added_exhaustive" Breaking "Handle the new variant wherever all are listed.";
    VARIANT_ADDED_UNEXPECTED "variant_added_unexpected" Risky "Handle the new variant where others are told apart.";
    VARIANT_REMOVED "variant_removed" Breaking "Stop using the variant.";
    VARIANT_RETYPED "variant_retyped" Breaking "Adapt what the variant is built from and taken apart into.";
    VARIANT_VALUE_CHANGED "variant_value_changed" Risky "Check values that were stored or sent.";
    VISIBILITY_REDUCED "visibility_reduced" Breaking "Stop using it from where it can no longer be seen.";
    VISIBILITY_WIDENED "visibility_widened" Additive "Nothing: more may use it.";
    // tidy: end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_constants_stand_for_them() {
        assert!(CLASSES.is_sorted_by(|one, next| one.name < next.name));
        assert_eq!(Class::BASE_ADDED.name(), "base_added");
        assert_eq!(Class::PARAMETER_MOVED.name(), "parameter_moved");
        assert_eq!(Class::VISIBILITY_WIDENED.name(), "visibility_widened");
    }

    #[test]
    fn every_class_says_what_to_do_in_one_sentence() {
        for class in Class::all() {
            assert!(class.advice().ends_with('.') && class.advice().matches(". ").count() == 0, "{}", class.name());
            assert!(class.severity() > Severity::None, "{}", class.name());
        }
    }
}
