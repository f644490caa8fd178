//! Classes of changes of a contract.

use Category::{Api, File, Wire};

use crate::Severity::{self, Additive, Behaviour, Breaking, Risky};

/// The class of a contract change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContractChangeClass(usize);

/// Everything about one class.
#[derive(Debug, Clone, Copy)]
struct ClassRow {
    name: &'static str,
    severity: Severity,
    category: Category,
    /// What users have to do.
    advice: &'static str,
}

impl ContractChangeClass {
    /// All classes, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CLASSES.len()).map(Self)
    }

    /// The class with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        CLASSES.binary_search_by(|row| row.name.cmp(name)).ok().map(Self)
    }

    /// The name in answers: `parameter_removed`.
    pub fn name(self) -> &'static str {
        CLASSES[self.0].name
    }

    /// Severity of such a change for users of the definition.
    pub fn severity(self) -> Severity {
        CLASSES[self.0].severity
    }

    /// Who is affected by such a change.
    pub fn category(self) -> Category {
        CLASSES[self.0].category
    }

    /// What these have to do, in one sentence.
    pub fn advice(self) -> &'static str {
        CLASSES[self.0].advice
    }

    /// Whether such a change removes the name from where users find it.
    pub fn takes_the_name(self) -> bool {
        [Self::FIELD_REMOVED, Self::MOVED, Self::REMOVED, Self::RENAMED, Self::VARIANT_REMOVED].contains(&self)
    }
}

/// Who is affected by a change of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Code that uses the definition.
    Api,
    /// Only the place that the definition is imported from.
    File,
    /// What was stored or is sent: numbers of fields, values of variants.
    Wire,
}

impl Category {
    /// All categories, by name.
    pub const ALL: [Self; 3] = [Self::Api, Self::File, Self::Wire];

    /// The category with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }

    /// The name in options and in the configuration: `api`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::File => "file",
            Self::Wire => "wire",
        }
    }

    /// Description of the category, for help.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Api => "code that uses the definition has to change",
            Self::File => "only the place that it is imported from changed",
            Self::Wire => "what was stored or is sent may be misread",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Some of the categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Categories(u8);

impl Categories {
    /// The set of all categories.
    pub const ALL: Self = Self(Category::Api.bit() | Category::File.bit() | Category::Wire.bit());

    /// Whether `category` is one of them.
    pub const fn has(self, category: Category) -> bool {
        self.0 & category.bit() != 0
    }
}

impl Default for Categories {
    /// The set of all categories.
    fn default() -> Self {
        Self::ALL
    }
}

impl FromIterator<Category> for Categories {
    fn from_iter<I: IntoIterator<Item = Category>>(categories: I) -> Self {
        Self(categories.into_iter().fold(0, |bits, category| bits | category.bit()))
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
    ($($constant:ident $name:literal $severity:ident $category:ident $advice:literal;)*) => {
        impl ContractChangeClass {
            $(#[doc = $advice] pub const $constant: Self = Self(place($name));)*
        }

        const CLASSES: &[ClassRow] =
            &[$(ClassRow { name: $name, severity: $severity, category: $category, advice: $advice }),*];
    };
}

classes! {
    // tidy: sorted
    BASE_ADDED "base_added" Additive Api "Nothing: it can be used in more places.";
    BASE_CHANGED "base_changed" Risky Api "Check what relies on the arguments of the base.";
    BASE_REMOVED "base_removed" Breaking Api "Stop using it as the base it no longer has, and members that came from there.";
    BASE_REQUIRED "base_required" Breaking Api "Implement the new base wherever this is implemented.";
    EXPORT_REMOVED "export_removed" Breaking Api "Import it by a name that is still offered.";
    FIELD_ADDED "field_added" Additive Api "Nothing: there is one more field to use.";
    FIELD_MADE_OPTIONAL "field_made_optional" Risky Api "Handle the field being absent wherever it is read.";
    FIELD_MADE_REQUIRED "field_made_required" Breaking Api "Give the field wherever one is built.";
    FIELD_REANNOTATED "field_reannotated" Risky Api "Check that what is stored in the field and read from it still fits.";
    FIELD_REMOVED "field_removed" Breaking Api "Stop reading and giving the field.";
    FIELD_RENUMBERED "field_renumbered" Breaking Wire "Rebuild both ends of the wire together: old messages are misread.";
    FIELD_REQUIRED "field_required" Breaking Api "Give the new field wherever one is built or implemented.";
    FIELD_RETYPED "field_retyped" Breaking Api "Adapt what is stored in the field and read from it.";
    KIND_ADJUSTED "kind_adjusted" Risky Api "Check uses that only the old kind allows.";
    KIND_CHANGED "kind_changed" Breaking Api "Use it as what it is now.";
    MEMBER_REQUIRED "member_required" Breaking Api "Implement the new member wherever this is implemented.";
    MODIFIER_ADDED "modifier_added" Breaking Api "Adapt calls and heirs to the modifier.";
    MODIFIER_CHANGED "modifier_changed" Risky Api "Check calls and heirs against the modifier.";
    MODIFIER_RELAXED "modifier_relaxed" Additive Api "Nothing: more is allowed.";
    MODIFIER_REMOVED "modifier_removed" Breaking Api "Adapt calls and heirs to the lack of the modifier.";
    MOVED "moved" Breaking File "Import it from where it is now.";
    PARAMETER_ABSORBED "parameter_absorbed" Behaviour Api "Check calls that give the argument: it is taken together with others now.";
    PARAMETER_ADDED_OPTIONAL "parameter_added_optional" Additive Api "Nothing: there is one more argument to give.";
    PARAMETER_ADDED_REQUIRED "parameter_added_required" Breaking Api "Give the new argument in every call.";
    PARAMETER_DEFAULT_CHANGED "parameter_default_changed" Behaviour Api "Check calls that leave the argument out.";
    PARAMETER_KIND_CHANGED "parameter_kind_changed" Breaking Api "Give the argument by place or by name, as it is now taken.";
    PARAMETER_KIND_WIDENED "parameter_kind_widened" Additive Api "Nothing: the argument can be given in more ways.";
    PARAMETER_MADE_OPTIONAL "parameter_made_optional" Additive Api "Nothing: the argument may be left out.";
    PARAMETER_MADE_REQUIRED "parameter_made_required" Breaking Api "Give the argument in calls that left it out.";
    PARAMETER_MOVED "parameter_moved" Breaking Api "Reorder arguments that are given by place.";
    PARAMETER_REANNOTATED "parameter_reannotated" Risky Api "Check that what is given still fits.";
    PARAMETER_REMOVED "parameter_removed" Breaking Api "Stop giving the argument.";
    PARAMETER_RENAMED "parameter_renamed" Breaking Api "Give the argument by its new name.";
    PARAMETER_RETYPED "parameter_retyped" Breaking Api "Give an argument of the new type.";
    PARAMETER_WIDENED "parameter_widened" Additive Api "Nothing: more types are taken.";
    RECEIVER_CHANGED "receiver_changed" Risky Api "Check on what it is called.";
    REMOVED "removed" Breaking Api "Stop using it.";
    RENAMED "renamed" Breaking Api "Use it by its new name.";
    RETURN_CHANGED "return_changed" Breaking Api "Adapt what is done with the result.";
    RETURN_NARROWED "return_narrowed" Additive Api "Nothing: fewer types are returned.";
    RETURN_REANNOTATED "return_reannotated" Risky Api "Check what is done with the result.";
    SIGNATURE_CHANGED "signature_changed" Risky Api "Compare the two signatures.";
    TYPE_CHANGED "type_changed" Risky Api "Check what is done with values of the type.";
    TYPE_PARAMETER_CHANGED "type_parameter_changed" Risky Api "Check the type arguments that are given.";
    TYPE_WRITTEN "type_written" Additive Api "Nothing: what was unsaid is said.";
    VALUE_CHANGED "value_changed" Behaviour Api "Check what relies on the value.";
    VARIANT_ADDED "variant_added" Additive Api "Nothing: there is one more variant to use.";
    VARIANT_ADDED_EXHAUSTIVE "variant_added_exhaustive" Breaking Api "Handle the new variant wherever all are listed.";
    VARIANT_ADDED_UNEXPECTED "variant_added_unexpected" Risky Api "Handle the new variant where others are told apart.";
    VARIANT_REMOVED "variant_removed" Breaking Api "Stop using the variant.";
    VARIANT_RETYPED "variant_retyped" Breaking Api "Adapt what the variant is built from and taken apart into.";
    VARIANT_VALUE_CHANGED "variant_value_changed" Risky Wire "Check values that were stored or sent.";
    VISIBILITY_REDUCED "visibility_reduced" Breaking Api "Stop using it from where it can no longer be seen.";
    VISIBILITY_WIDENED "visibility_widened" Additive Api "Nothing: more may use it.";
    // tidy: end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_constants_stand_for_them() {
        assert!(CLASSES.is_sorted_by(|one, next| one.name < next.name));
        assert_eq!(ContractChangeClass::BASE_ADDED.name(), "base_added");
        assert_eq!(ContractChangeClass::PARAMETER_MOVED.name(), "parameter_moved");
        assert_eq!(ContractChangeClass::VISIBILITY_WIDENED.name(), "visibility_widened");
    }

    #[test]
    fn classes_are_found_by_their_names() {
        assert!(ContractChangeClass::all().all(|class| ContractChangeClass::of_name(class.name()) == Some(class)));
        assert_eq!(ContractChangeClass::of_name("renamde"), None);
    }

    #[test]
    fn classes_of_files_and_of_wires_are_few_and_all_others_are_of_code() {
        let names = |category| -> Vec<&str> {
            ContractChangeClass::all()
                .filter(|class| class.category() == category)
                .map(ContractChangeClass::name)
                .collect()
        };
        assert_eq!(names(File), ["moved"]);
        assert_eq!(names(Wire), ["field_renumbered", "variant_value_changed"]);
        assert_eq!(names(Api).len(), CLASSES.len() - 3);
    }

    #[test]
    fn categories_are_sets_of_named_ones() {
        let api_and_wire: Categories = ["api", "wire"].into_iter().filter_map(Category::of_name).collect();
        assert_eq!(Category::ALL.map(|category| api_and_wire.has(category)), [true, false, true]);
        assert_eq!(Category::ALL.into_iter().collect::<Categories>(), Categories::default());
        assert_eq!(Category::of_name("API"), None);
    }

    #[test]
    fn every_class_says_what_to_do_in_one_sentence() {
        for class in ContractChangeClass::all() {
            assert!(class.advice().ends_with('.') && class.advice().matches(". ").count() == 0, "{}", class.name());
            assert!(class.severity() > Severity::None, "{}", class.name());
        }
    }
}
