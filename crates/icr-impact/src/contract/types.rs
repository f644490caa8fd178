//! How two types relate, by their texts.

use std::collections::BTreeSet;

use super::type_tokens::{TypeTokens, is_same_type};
use crate::symbols::language::ContractRules;

/// How a type relates to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Same,
    /// It takes all that the other took, and more.
    Widened,
    /// It takes less.
    Narrowed,
    Other,
}

/// Names of types that take anything.
const EVERYTHING: [&str; 6] = ["Any", "any", "interface{}", "mixed", "object", "unknown"];

/// Types that say that there is no value.
const NOTHING: [&str; 5] = ["None", "null", "undefined", "nil", "Null"];

/// The relation of `new` to `old`.
pub(super) fn relation(row: &ContractRules, old: &str, new: &str) -> Relation {
    if is_same_type(row, old, new) {
        return Relation::Same;
    }
    let (long_before, long_after) = (without_static(row, old), without_static(row, new));
    match (long_before, long_after) {
        // What lives forever is taken wherever less is asked.
        (Some(before), _) if is_same_type(row, &before, new) => return Relation::Widened,
        (_, Some(after)) if is_same_type(row, old, &after) => return Relation::Narrowed,
        _ => {}
    }
    let (before, after) = (TypeSet::of(row, alternatives(old)), TypeSet::of(row, alternatives(new)));
    let everything = TypeSet::of(row, BTreeSet::from(EVERYTHING));
    let is_everything =
        |alternatives: &TypeSet<'_>| alternatives.missing_from(&everything).count() < alternatives.len();
    match (before.is_subset(&after), after.is_subset(&before)) {
        (true, true) => Relation::Same,
        (true, false) => Relation::Widened,
        (false, true) => Relation::Narrowed,
        (false, false) if is_everything(&after) && !is_everything(&before) => Relation::Widened,
        (false, false) if is_everything(&before) && !is_everything(&after) => Relation::Narrowed,
        (false, false) if is_everything(&before) => Relation::Same,
        (false, false) => Relation::Other,
    }
}

/// A type without `'static` behind `&`; `None` where there is none, or where the type may be one that does not take a
/// longer life for a shorter one, as behind `&mut`, in a function type or in a type of another name.
fn without_static(row: &ContractRules, ty: &str) -> Option<String> {
    /// Types of the standard library that are as wide as what they hold.
    const COVARIANT: [&str; 6] = ["Box", "Cow", "Option", "Rc", "Result", "Vec"];
    if !row.spellings.has_bounds || !ty.contains("&'static ") || ty.contains("&mut") || ty.contains("&'static mut") {
        return None;
    }
    let is_word = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ':');
    let mut rest = ty;
    while let Some(at) = rest.find('<') {
        let start = rest[..at].rfind(|sign| !is_word(sign)).map_or(0, |end| end + 1);
        let name = rest[start..at].rsplit(':').next().unwrap_or_default();
        if !COVARIANT.contains(&name) {
            return None;
        }
        rest = &rest[at + 1..];
    }
    let is_function = ty.split(|sign| !is_word(sign)).any(|word| matches!(word, "fn" | "Fn" | "FnMut" | "FnOnce"));
    (!is_function).then(|| ty.replace("&'static ", "&"))
}

/// Types of which any may be meant.
pub(super) struct TypeSet<'a>(Vec<(&'a str, TypeTokens<'a>)>);

impl<'a> TypeSet<'a> {
    pub(super) fn of(row: &ContractRules, types: BTreeSet<&'a str>) -> Self {
        Self(types.into_iter().map(|ty| (ty, TypeTokens::of(row, ty))).collect())
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// Those that `other` does not have.
    pub(super) fn missing_from(&self, other: &Self) -> impl Iterator<Item = &'a str> {
        let has = |tokens: &TypeTokens<'_>| other.0.iter().any(|(_, known)| known.is_same(tokens));
        self.0.iter().filter(move |(_, tokens)| !has(tokens)).map(|(ty, _)| *ty)
    }

    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.missing_from(other).next().is_none()
    }
}

/// The type without its optional marks, and whether it had any.
pub(super) fn without_nothing(ty: &str) -> (BTreeSet<&str>, bool) {
    let inner = generic(ty, "Option", '<', '>');
    let mut alternatives = alternatives(inner.unwrap_or(ty));
    let total = alternatives.len();
    alternatives.retain(|one| !NOTHING.contains(one));
    let optional = inner.is_some() || alternatives.len() < total;
    (alternatives, optional)
}

/// The alternatives of a type: the types joined by `|`, and "no value" if the type is marked as optional.
pub(super) fn alternatives(ty: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![ty];
    while let Some(ty) = waiting.pop() {
        let ty = ty.trim();
        let parts = split(ty, '|');
        let optional = generic(ty, "Optional", '[', ']');
        let union = generic(ty, "Union", '[', ']');
        if parts.len() > 1 {
            waiting.extend(parts);
        } else if let Some(inner) = optional {
            found.insert("None");
            waiting.push(inner);
        } else if let Some(inner) = union {
            waiting.extend(split(inner, ','));
        } else if let Some(inner) = ty.strip_suffix('?').or_else(|| ty.strip_prefix('?')) {
            found.insert("null");
            waiting.push(inner);
        } else if !ty.is_empty() {
            found.insert(ty);
        }
    }
    found
}

/// `X` of `name<X>`, where the name may have a path before it.
fn generic<'a>(ty: &'a str, name: &str, open: char, close: char) -> Option<&'a str> {
    let (path, inside) = ty.split_once(open)?;
    let inside = inside.strip_suffix(close)?;
    let before = path.strip_suffix(name)?;
    let is_path = before.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '.' | ':'));
    if !is_path || !before.is_empty() && !before.ends_with(['.', ':']) {
        return None;
    }
    // `A<B> | C<D>` does not end where it began.
    let mut depth = 0_i32;
    let balanced = inside.chars().all(|sign| {
        depth += i32::from(sign == open) - i32::from(sign == close);
        depth >= 0
    });
    balanced.then_some(inside)
}

/// The parts of `ty` between `sign`, which counts outside of brackets and strings only.
pub(super) fn split(ty: &str, sign: char) -> Vec<&str> {
    let (mut depth, mut quote, mut start, mut before) = (0_i32, None, 0, ' ');
    let mut parts = Vec::new();
    for (index, character) in ty.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            // `->` and `=>` close nothing.
            (None, '>') if matches!(before, '-' | '=') => {}
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, _) if character == sign && depth == 0 => {
                parts.push(&ty[start..index]);
                start = index + character.len_utf8();
            }
            (None, _) => {}
        }
        before = character;
    }
    parts.push(&ty[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::language::contract_rules;

    #[track_caller]
    fn check(old: &str, new: &str, expected: Relation) {
        assert_eq!(relation(contract_rules("python"), old, new), expected, "{old} -> {new}");
    }

    #[test]
    fn a_union_with_more_parts_is_wider() {
        check("int", "int | None", Relation::Widened);
        check("int", "Optional[int]", Relation::Widened);
        check("Optional[int]", "int | None", Relation::Same);
        check("Union[int, str]", "str | int", Relation::Same);
        check("int | str", "int", Relation::Narrowed);
        check("String", "String?", Relation::Widened);
        check("int", "str", Relation::Other);
        check("int", "Any", Relation::Widened);
        check("any", "string", Relation::Narrowed);
        check("interface{}", "any", Relation::Same);
        check("int", "t.Optional[a.b.C | int]", Relation::Widened);
        check("typing.Optional[collections.abc.Sized]", "Sized | None", Relation::Same);
        check("typing.Optional[a.C]", "C | None", Relation::Other);
        check("int", "typing.Any", Relation::Widened);
        check("a.C | int", "b.C | int", Relation::Other);
    }

    #[test]
    fn a_reference_that_lives_forever_is_one_that_lives_shorter() {
        let check = |old: &str, new: &str, expected: Relation| {
            assert_eq!(relation(contract_rules("rust"), old, new), expected, "{old} -> {new}");
        };
        check("Option<&str>", "Option<&'static str>", Relation::Narrowed);
        check("&'static [u8]", "&[u8]", Relation::Widened);
        check("&'static str", "&[u8]", Relation::Other);
        check("Cell<&'static str>", "Cell<&str>", Relation::Other);
        check("&mut &'static str", "&mut &str", Relation::Other);
        check("fn(&'static str)", "fn(&str)", Relation::Other);
    }

    #[test]
    fn signs_inside_of_brackets_and_strings_divide_nothing() {
        check("dict[str, int | str]", "dict[str, int]", Relation::Other);
        check("'a|b'", "'a|b' | 'c'", Relation::Widened);
        check("(a: A) => B | C", "(a: A) => B", Relation::Narrowed);
        check("Optional[int] | Optional[str]", "int | str | None", Relation::Same);
    }

    #[test]
    fn what_may_be_absent_is_told_apart() {
        assert_eq!(without_nothing("Option<u8>"), (BTreeSet::from(["u8"]), true));
        assert_eq!(without_nothing("string | undefined"), (BTreeSet::from(["string"]), true));
        assert_eq!(without_nothing("u8"), (BTreeSet::from(["u8"]), false));
    }
}
