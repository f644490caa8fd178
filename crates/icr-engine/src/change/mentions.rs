//! What a line says about a name that it mentions: the object that the name is a member of, and whether the line binds
//! the name.

use std::collections::BTreeSet;

use icr_impact::symbols::DefinitionSide;
use icr_model::Role;

/// Keywords after which a name is bound on its line.
const BINDERS: [&str; 19] = [
    "as",
    "catch",
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "for",
    "fun",
    "func",
    "function",
    "interface",
    "let",
    "mut",
    "struct",
    "trait",
    "type",
    "val",
    "var",
];

/// The object in front of a mentioned name, such as `a` in `a.name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// None: the name stands alone.
    None,
    /// `self`, `this` and the like.
    Itself,
    /// The type or module that contains the definition.
    Holder,
    /// The module of the definition, by the name of its file or directory.
    Module,
    /// Any other value.
    Value,
    /// A type or a module unrelated to the definition.
    Another,
}

/// Names of a definition's containers and of its file and directory.
pub(crate) struct SurroundingNames<'a> {
    holder: Option<&'a str>,
    around: BTreeSet<&'a str>,
}

impl<'a> SurroundingNames<'a> {
    /// Name of the innermost container of the definition.
    pub(crate) fn holder(&self) -> Option<&'a str> {
        self.holder
    }

    pub(crate) fn of(definition: &'a DefinitionSide) -> Self {
        let path = definition.path.as_str().unwrap_or_default();
        let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split('.').next().unwrap_or_default();
        let holders = definition.qualified_name.split('.').rev().skip(1);
        let near = [stem, directory.rsplit('/').next().unwrap_or_default(), "crate", "super"];
        let around = holders.clone().chain(near).filter(|word| !word.is_empty()).collect();
        Self { holder: holders.clone().next(), around }
    }

    /// The object in front of the first mention of `name` on `line`.
    pub(crate) fn object(&self, line: &str, name: &str) -> Object {
        let Some(at) = whole_words(line, name).next() else { return Object::None };
        let before = line[..at].trim_end();
        let before = before.strip_suffix(['$', '@']).unwrap_or(before);
        let paths = ["::", "\\"];
        let values = ["?.", "->", "."];
        let of = |signs: &[&str]| signs.iter().find_map(|sign| before.strip_suffix(sign));
        let (object, is_path) = match (of(&paths), of(&values)) {
            (Some(object), _) => (object, true),
            (None, Some(object)) => (object, false),
            (None, None) => return Object::None,
        };
        let word = object.rsplit(|character: char| !is_word(character)).next().unwrap_or_default();
        match word {
            "self" | "Self" | "this" | "cls" => Object::Itself,
            _ if self.holder == Some(word) => Object::Holder,
            _ if self.around.contains(word) => Object::Module,
            _ if is_path || word.starts_with(char::is_uppercase) => Object::Another,
            _ => Object::Value,
        }
    }
}

/// Whether a mention of `name`, which nothing defines any more, meant the deleted definition. `names_holder` says
/// whether the mentioning file also names the definition's container.
pub(crate) fn is_named(
    object: Object,
    role: Role,
    is_member: bool,
    is_own: bool,
    names_holder: bool,
    name: &str,
) -> bool {
    let is_bare = matches!(role, Role::Call | Role::Type);
    match (object, is_member) {
        (Object::Another, _) => false,
        (Object::Holder | Object::Module, _) => true,
        // A member can be named without its object only inside its own type.
        (Object::None, true) => is_bare && is_own || is_telling(name),
        (Object::None, false) => is_bare || is_telling(name),
        (Object::Itself, true) => is_own || is_telling(name),
        // The type of the value is unknown, and libraries have members of many names.
        (Object::Value, true) => !is_own && names_holder && is_telling(name),
        (Object::Itself | Object::Value, false) => false,
    }
}

/// Whether a name is specific enough to identify a definition: of several words, and long enough not to match by
/// chance.
pub(crate) fn is_telling(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let has_hump =
        inner.chars().zip(inner.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    inner.len() >= 6 && (inner.contains('_') || has_hump)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Positions of `name` on `line` as a whole word.
fn whole_words<'l>(line: &'l str, name: &'l str) -> impl Iterator<Item = usize> + 'l {
    line.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |at| !line[..*at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word))
}

/// Whether `line` may bind `name`.
pub(crate) fn binds(line: &str, name: &str) -> bool {
    whole_words(line, name).any(|at| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let (before, after) = (before.trim_end(), after.trim_start());
        let last = before.rsplit(|character: char| !is_word(character)).next().unwrap_or_default();
        let is_assigned = after.starts_with('=') && !after.starts_with("==") || after.starts_with(":=");
        let opens = ["def ", "fn ", "func ", "fun ", "function", "=>", "lambda", "|"]
            .iter()
            .any(|opener| line.contains(opener));
        let is_parameter = opens && (before.ends_with(['(', ',', '|', '*', '&']) || last == "lambda");
        !before.ends_with('.') && (BINDERS.contains(&last) || is_assigned || is_parameter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_binds(line: &str, expected: bool) {
        assert_eq!(binds(line, "send"), expected, "{line}");
    }

    #[test]
    fn a_name_is_bound_by_words_assignments_and_parameters() {
        for line in [
            "let send = 1",
            "for send in all:",
            "send = made()",
            "send := made()",
            "def f(a, send):",
            "x.map(|send| 1)",
        ] {
            check_binds(line, true);
        }
        for line in ["send(1)", "if send == 1:", "self.send = 1", "resend = 1", "return send"] {
            check_binds(line, false);
        }
    }

    #[test]
    fn names_of_several_words_tell_what_they_name() {
        assert!(is_telling("raw_sequence") && is_telling("BAT_THEME_DARK") && is_telling("getInternalState"));
        assert!(!is_telling("kind") && !is_telling("a_b") && !is_telling("__init__"));
    }
}
