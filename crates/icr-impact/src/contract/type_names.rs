//! Which types the names in signatures stand for, as the imports of their files say.

use std::collections::{BTreeMap, BTreeSet};

use icr_model::Shape;

use super::spellings::error_of_result;
use super::type_tokens::{is_same_type, paths};
use super::types::split;
use crate::symbols::language::{ContractRules, Types, contract_rules};

/// The names that the imports of one side of a file bind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedNames {
    by_local: BTreeMap<String, BTreeSet<String>>,
}

impl ImportedNames {
    /// Notes that an import binds `local` to what `path` leads to. A name may be bound several times, in blocks or for
    /// several targets.
    pub fn add(&mut self, local: String, path: String) {
        self.by_local.entry(local).or_default().insert(path);
    }

    /// A path that `local` is bound to, the first in order; `None` for a name that no import binds.
    pub fn path_of(&self, local: &str) -> Option<&str> {
        self.by_local.get(local)?.first().map(String::as_str)
    }

    /// Names that both sides bind, but to nothing that is the same by its text.
    pub fn differing<'a>(&'a self, new: &'a Self, language: &str) -> impl Iterator<Item = &'a str> {
        let row = contract_rules(language);
        let is_one = move |was: &BTreeSet<String>, is: &BTreeSet<String>| {
            was.iter().any(|was| is.iter().any(|is| is_one_path(row, was, is)))
        };
        let both = self.by_local.iter().filter_map(|(local, was)| Some((local, was, new.by_local.get(local)?)));
        both.filter(move |(_, was, is)| !is_one(was, is)).map(|(local, ..)| local.as_str())
    }

    /// `path` with what its first name is bound to in its place; `path` itself where that is not one path.
    fn full_path(&self, path: &str) -> String {
        let (first, rest) = path.split_at(first_name(path).len());
        let bound = self.by_local.get(first).filter(|bound| bound.len() == 1).and_then(|bound| bound.first());
        format!("{}{rest}", bound.map_or(first, String::as_str))
    }
}

/// A name that stands for another type than before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SwappedName {
    /// What it stood for, as the import says.
    pub old: String,
    /// What it stands for now.
    pub new: String,
    /// Whether it is a module, so that only its members are types.
    pub is_module: bool,
    /// Members of the module that the change moved along, so that they are what they were.
    pub kept: BTreeSet<String>,
}

/// A name that the repository gives to another type: `type Result<T> = std::result::Result<T, Error>`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypeAlias {
    /// Its type parameters, with their defaults.
    pub parameters: Vec<String>,
    /// The type that it stands for.
    pub ty: String,
}

/// Longest type with names of other types written out, in bytes. A longer one stays as it is written.
const TYPE_BYTES_MOST: usize = 4096;

/// Most names of other types inside each other's arguments that are written out.
const ALIASES_DEEP: usize = 4;

impl TypeAlias {
    /// The type that the name stands for with `arguments`; `None` if these do not fit.
    fn with_arguments(&self, row: &ContractRules, arguments: &[String]) -> Option<String> {
        if arguments.len() > self.parameters.len() {
            return None;
        }
        let mut given = BTreeMap::new();
        for (place, parameter) in self.parameters.iter().enumerate() {
            let (declared, default) = parameter
                .split_once('=')
                .map_or((parameter.as_str(), None), |(declared, default)| (declared, Some(default.trim().to_owned())));
            let name = declared.split(':').next().unwrap_or_default().trim();
            // Lifetimes are often left out, so that arguments cannot be counted.
            if name.starts_with('\'') {
                return None;
            }
            given.insert(name, arguments.get(place).cloned().or(default)?);
        }
        Some(with_other_paths(row, &self.ty, &|path| given.get(path).cloned()))
    }
}

/// What the names in the signatures of one file stand for, before a change and after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypeNames {
    /// Before the change.
    pub old: ImportedNames,
    /// After it.
    pub new: ImportedNames,
    /// Names of both sides that stand for different types.
    pub swapped: BTreeMap<String, SwappedName>,
    /// Names of other types, before the change and after it.
    pub aliases: [BTreeMap<String, TypeAlias>; 2],
}

impl TypeNames {
    /// Whether a signature names a type that is another one under the same name. Linear in the text of its types.
    pub fn retypes(&self, language: &str, shape: &Shape) -> bool {
        let (row, own) = (contract_rules(language), own_names(shape));
        let is_swapped = |path: &String| self.swapped_in(row, path, &own).is_some();
        !self.swapped.is_empty() && named_paths(language, shape).iter().any(is_swapped)
    }

    /// The contracts of both sides of a definition, such that equal texts mean equal types as far as imports tell: a
    /// name that stands for another type is written as its path, and a type that both sides write in other words is
    /// written alike. Linear in the text of their types, times the number of paths in them.
    pub fn spelled_out(&self, language: &str, old: &Shape, new: &Shape) -> (Shape, Shape) {
        let row = contract_rules(language);
        let own: BTreeSet<String> = own_names(old).union(&own_names(new)).cloned().collect();
        let (olds, news) = (named_paths(language, old), named_paths(language, new));
        let other_words =
            |path: &str, names: &ImportedNames, others: &BTreeSet<String>, other_names: &ImportedNames| {
                let is_own = own.contains(first_name(path)) || others.contains(path);
                let full = names.full_path(path);
                let others = others.iter().filter(move |_| !is_own).filter(move |other| *other != path);
                let others = others.map(|other| (other.clone(), other_names.full_path(other)));
                (full, others.collect::<Vec<_>>())
            };
        let old_path = |path: &str| {
            let swapped = self.swapped_in(row, path, &own)?;
            Some(format!("{}{}", swapped.old, &path[first_name(path).len()..]))
        };
        let new_path = |path: &str| {
            let swapped = self.swapped_in(row, path, &own)?;
            Some(format!("{}{}", swapped.new, &path[first_name(path).len()..]))
        };
        // A short name that an import binds is no end of just any longer path.
        let is_end_of_another = |path: &str, others: &[(String, String)]| {
            others.iter().any(|(other, _)| other.ends_with(path) || path.ends_with(other.as_str()))
        };
        // Under the name of a `Result` with a certain error, one may be meant that is written with it.
        let is_result = |full: &str| error_of_result(row, full).is_some();
        let was = |path: &str| {
            if let Some(swapped) = old_path(path) {
                return Some(swapped);
            }
            let (full, others) = other_words(path, &self.old, &news, &self.new);
            if let Some((other, _)) = others.iter().find(|(_, is)| is_one_path(row, &full, is)) {
                return new_path(other);
            }
            let is_bound = self.old.path_of(first_name(path)).is_some();
            (is_bound && (is_result(&full) || is_end_of_another(path, &others))).then_some(full)
        };
        let is = |path: &str| {
            if let Some(swapped) = new_path(path) {
                return Some(swapped);
            }
            let (full, others) = other_words(path, &self.new, &olds, &self.old);
            if let Some((other, _)) = others.iter().find(|(_, was)| is_one_path(row, was, &full)) {
                return Some(old_path(other).unwrap_or_else(|| other.clone()));
            }
            let is_bound = self.new.path_of(first_name(path)).is_some();
            (is_bound && (is_result(&full) || is_end_of_another(path, &others))).then_some(full)
        };
        let (mut was, is) = (with_paths(row, old, &was), with_paths(row, new, &is));
        self.write_aliased_alike(row, &mut was, &is);
        (was, is)
    }

    /// Writes types of `was` as `is` does where they are the same with the names of other types written out.
    fn write_aliased_alike(&self, row: &ContractRules, was: &mut Shape, is: &Shape) {
        let [olds, news] = &self.aliases;
        if olds.is_empty() && news.is_empty() {
            return;
        }
        let write = |was: &mut Option<String>, is: &Option<String>| {
            let (Some(old), Some(new)) = (was.as_mut(), is) else { return };
            let is_same =
                || is_same_type(row, &without_aliases(row, old, olds, 0), &without_aliases(row, new, news, 0));
            if old != new && is_same() {
                old.clone_from(new);
            }
        };
        write(&mut was.returns, &is.returns);
        write(&mut was.ty, &is.ty);
        for parameter in &mut was.parameters {
            if let Some(same) = is.parameters.iter().find(|other| other.name == parameter.name) {
                write(&mut parameter.ty, &same.ty);
            }
        }
    }

    fn swapped_in(&self, row: &ContractRules, path: &str, own: &BTreeSet<String>) -> Option<&SwappedName> {
        let first = first_name(path);
        let swapped = self.swapped.get(first).filter(|_| !own.contains(first))?;
        let member = segments(row, &path[first.len()..]).next();
        let is_type = !swapped.is_module || member.is_some();
        (is_type && member.is_none_or(|member| !swapped.kept.contains(member))).then_some(swapped)
    }
}

/// The paths that the types of a contract name, each once.
pub fn named_paths(language: &str, shape: &Shape) -> BTreeSet<String> {
    let row = contract_rules(language);
    let all = types(shape).flat_map(|ty| paths(row, ty)).map(|(_, path)| path.to_owned());
    all.collect()
}

/// The first name of a path.
pub fn first_name(path: &str) -> &str {
    path.split(['.', ':', '\\']).next().unwrap_or_default()
}

/// Whether two paths to something outside of the repository may lead to the same, because a package offers most of what
/// its modules define at shorter paths, too.
pub fn may_be_one_outside(language: &str, old: &str, new: &str) -> bool {
    let row = contract_rules(language);
    let (old, new): (Vec<&str>, Vec<&str>) = (segments(row, old).collect(), segments(row, new).collect());
    let (short, long) = if old.len() < new.len() { (old, new) } else { (new, old) };
    short.first() == long.first() && short.last() == long.last() && is_part_of(&short, &long)
}

/// Whether the paths are one by their texts, apart from where they start, or lead into libraries that offer the same.
fn is_one_path(row: &ContractRules, old: &str, new: &str) -> bool {
    let (old, new) = (without_start(row, old), without_start(row, new));
    if old == new {
        return true;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (segments(row, old).collect(), segments(row, new).collect());
    let is_library = |path: &[&str]| path.first().is_some_and(|root| row.library_roots.contains(root));
    if !is_library(&old) || !is_library(&new) {
        return false;
    }
    let (short, long) = if old.len() < new.len() { (&old, &new) } else { (&new, &old) };
    short.last() == long.last() && (row.types == Types::Unchecked || is_part_of(&short[1..], &long[1..]))
}

/// Whether all of `short` are in `long`, in that order.
fn is_part_of(short: &[&str], long: &[&str]) -> bool {
    let mut long = long.iter();
    short.iter().all(|part| long.any(|other| other == part))
}

fn segments<'p>(row: &ContractRules, path: &'p str) -> impl Iterator<Item = &'p str> {
    // Modules of other languages are paths of files.
    let signs = if row.path_separators == ["::"] { [':'; 4] } else { ['.', '\\', '/', ':'] };
    path.split(signs).filter(|part| !part.is_empty())
}

/// A path without the segments that say from where it leads.
fn without_start<'p>(row: &ContractRules, path: &'p str) -> &'p str {
    let Some(separator) = row.path_separators.first() else { return path };
    let mut path = path;
    while let Some((_, rest)) = path.split_once(separator).filter(|(first, _)| row.path_starts.contains(first)) {
        path = rest;
    }
    path
}

/// Names of type parameters, which stand for no import.
fn own_names(shape: &Shape) -> BTreeSet<String> {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let name =
        |parameter: &String| parameter.split(|sign| !is_name(sign)).find(|name| !name.is_empty()).map(str::to_owned);
    shape.type_parameters.iter().filter_map(name).collect()
}

/// All types of a contract.
fn types(shape: &Shape) -> impl Iterator<Item = &str> {
    let parameters = shape.parameters.iter().filter_map(|parameter| parameter.ty.as_deref());
    let whole = shape.returns.as_deref().into_iter().chain(shape.ty.as_deref());
    let lists = shape.bases.iter().chain(&shape.type_parameters).map(String::as_str);
    parameters.chain(whole).chain(lists)
}

/// The contract with `name`, that of the type that it is a member of, for the word of the language for that type.
pub(super) fn with_own_type(row: &ContractRules, shape: &Shape, name: &str) -> Shape {
    with_paths(row, shape, &|path| (Some(path) == row.own_type).then(|| name.to_owned()))
}

/// The type with those of `aliases` written out.
fn without_aliases(row: &ContractRules, ty: &str, aliases: &BTreeMap<String, TypeAlias>, depth: usize) -> String {
    let mut written = String::new();
    let mut end = 0;
    for (at, path) in paths(row, ty).into_iter().filter(|_| depth < ALIASES_DEEP) {
        let Some(alias) = aliases.get(path).filter(|_| at >= end) else { continue };
        let (arguments, length) = type_arguments(&ty[at + path.len()..]);
        let arguments: Vec<String> =
            arguments.into_iter().map(|argument| without_aliases(row, argument.trim(), aliases, depth + 1)).collect();
        let Some(meant) = alias.with_arguments(row, &arguments) else { continue };
        written.push_str(&ty[end..at]);
        written.push_str(&meant);
        end = at + path.len() + length;
        if written.len() > TYPE_BYTES_MOST {
            return ty.to_owned();
        }
    }
    written.push_str(&ty[end..]);
    written
}

/// The type arguments at the start of `text`, and how many bytes they are with their brackets.
fn type_arguments(text: &str) -> (Vec<&str>, usize) {
    let open = text.len() - text.trim_start().len();
    if !text[open..].starts_with('<') {
        return (Vec::new(), 0);
    }
    let (mut depth, mut before) = (0_usize, ' ');
    for (at, sign) in text.char_indices() {
        match sign {
            '<' => depth += 1,
            // `->` closes nothing.
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && sign == '>' && before != '-' {
            return (split(&text[open + 1..at], ','), at + 1);
        }
        before = sign;
    }
    (Vec::new(), 0)
}

/// The contract with other texts for the paths in its types, where `other` has one.
fn with_paths(row: &ContractRules, shape: &Shape, other: &dyn Fn(&str) -> Option<String>) -> Shape {
    let mut shape = shape.clone();
    let parameters = shape.parameters.iter_mut().filter_map(|parameter| parameter.ty.as_mut());
    let whole = shape.returns.iter_mut().chain(&mut shape.ty);
    for ty in parameters.chain(whole).chain(&mut shape.bases).chain(&mut shape.type_parameters) {
        *ty = with_other_paths(row, ty, other);
    }
    shape
}

/// The type with other texts for its paths, where `other` has one.
fn with_other_paths(row: &ContractRules, ty: &str, other: &dyn Fn(&str) -> Option<String>) -> String {
    let mut written = String::new();
    let mut end = 0;
    for (at, path) in paths(row, ty) {
        if let Some(text) = other(path) {
            written.push_str(&ty[end..at]);
            written.push_str(&text);
            end = at + path.len();
        }
    }
    written.push_str(&ty[end..]);
    written
}

#[cfg(test)]
mod tests {
    use icr_model::Parameter;

    use super::*;

    /// A function with parameters of these types.
    fn function(types: &[&str]) -> Shape {
        let parameter = |ty: &&str| Parameter { ty: Some((*ty).to_owned()), ..Parameter::default() };
        Shape { parameters: types.iter().map(parameter).collect(), ..Shape::default() }
    }

    fn imports_of(names: &[(&str, &str)]) -> ImportedNames {
        let mut imported = ImportedNames::default();
        names.iter().for_each(|(local, path)| imported.add((*local).to_owned(), (*path).to_owned()));
        imported
    }

    fn types_of(shape: &Shape) -> Vec<&str> {
        shape.parameters.iter().filter_map(|parameter| parameter.ty.as_deref()).collect()
    }

    /// One type before and after, with what imports bind on both sides, and how both are spelled out.
    #[track_caller]
    fn check(language: &str, old: (&str, &[(&str, &str)]), new: (&str, &[(&str, &str)]), expected: (&str, &str)) {
        let names = TypeNames { old: imports_of(old.1), new: imports_of(new.1), ..TypeNames::default() };
        let (was, is) = names.spelled_out(language, &function(&[old.0]), &function(&[new.0]));
        assert_eq!((types_of(&was), types_of(&is)), (vec![expected.0], vec![expected.1]), "{language}");
    }

    #[test]
    fn a_name_for_another_type_is_that_type() {
        let alias = |parameters: &[&str], ty: &str| TypeAlias {
            parameters: parameters.iter().map(|parameter| (*parameter).to_owned()).collect(),
            ty: ty.to_owned(),
        };
        let aliases = BTreeMap::from([
            ("Result".to_owned(), alias(&["T", "E = Error"], "std::result::Result<T, E>")),
            ("Names".to_owned(), alias(&[], "Vec<String>")),
            ("Held".to_owned(), alias(&["'a", "T"], "Cow<'a, T>")),
        ]);
        let check = |old: &str, new: &str, expected: bool| {
            let names = TypeNames { aliases: [aliases.clone(), BTreeMap::new()], ..TypeNames::default() };
            let mut was = Shape { returns: Some(old.to_owned()), ..Shape::default() };
            let is = Shape { returns: Some(new.to_owned()), ..Shape::default() };
            names.write_aliased_alike(contract_rules("rust"), &mut was, &is);
            assert_eq!(was == is, expected, "{old} -> {new}");
        };
        check("Result<u8>", "Result<u8, Error>", true);
        check("Result<Result<Names>, X>", "Result<Result<Vec<String>, Error>, X>", true);
        check("Option<Result<fn(u8) -> u8>>", "Option<Result<fn(u8) -> u8, Error>>", true);
        check("Result<u8>", "Result<u16, Error>", false);
        check("Result<u8, X, Y>", "Result<u8, X>", false);
        check("Held<u8>", "Cow<u8>", false);
        check("Result<u8", "Result<u8, Error>", false);
    }

    #[test]
    fn a_name_for_results_with_one_error_is_written_as_its_path() {
        let own: &[(&str, &str)] = &[("Result", "std::io::Result")];
        check(
            "rust",
            ("Result<u8>", own),
            ("Result<u8, io::Error>", &[]),
            ("std::io::Result<u8>", "Result<u8, io::Error>"),
        );
        let other: &[(&str, &str)] = &[("Result", "crate::Result")];
        check("rust", ("Result<u8>", other), ("Result<u8, io::Error>", &[]), ("Result<u8>", "Result<u8, io::Error>"));
    }

    #[test]
    fn a_swapped_name_is_written_as_its_path() {
        let swapped = |old: &str, new: &str, is_module| SwappedName {
            old: old.to_owned(),
            new: new.to_owned(),
            is_module,
            ..SwappedName::default()
        };
        let mut names = TypeNames::default();
        names.swapped.insert("X".to_owned(), swapped("a::X", "b::X", false));
        let shape = function(&["&'X Vec<X>", "other::X", "MyX", "X::Y"]);
        let (was, is) = names.spelled_out("rust", &shape, &shape);
        assert_eq!(types_of(&was), ["&'X Vec<a::X>", "other::X", "MyX", "a::X::Y"]);
        assert_eq!(types_of(&is), ["&'X Vec<b::X>", "other::X", "MyX", "b::X::Y"]);
        let generic = Shape { type_parameters: vec!["X: Copy".to_owned()], ..function(&["X"]) };
        assert!(names.retypes("rust", &shape) && !names.retypes("rust", &generic));

        let mut names = TypeNames::default();
        let package = SwappedName { kept: BTreeSet::from(["Kept".to_owned()]), ..swapped("p/a", "p/b", true) };
        names.swapped.insert("x".to_owned(), package);
        let shape = function(&["map[string]x.T", "x", "x.Kept", "...x.T"]);
        let (was, is) = names.spelled_out("go", &shape, &shape);
        assert_eq!(types_of(&was), ["map[string]p/a.T", "x", "x.Kept", "...p/a.T"]);
        assert_eq!(types_of(&is), ["map[string]p/b.T", "x", "x.Kept", "...p/b.T"]);
    }

    #[test]
    fn a_swapped_name_and_its_path_are_one_type() {
        let (old, new) = (imports_of(&[("X", "crate::a::X")]), imports_of(&[("X", "crate::b::X")]));
        let swapped =
            SwappedName { old: "crate::a::X".to_owned(), new: "crate::b::X".to_owned(), ..Default::default() };
        let swapped = BTreeMap::from([("X".to_owned(), swapped)]);
        let names = TypeNames { old, new, swapped, ..TypeNames::default() };
        let spelled_out = |old: &str, new: &str| {
            let (was, is) = names.spelled_out("rust", &function(&[old]), &function(&[new]));
            (types_of(&was).concat(), types_of(&is).concat())
        };
        let both = |path: &str| (path.to_owned(), path.to_owned());
        assert_eq!(spelled_out("X", "crate::a::X"), both("crate::a::X"));
        assert_eq!(spelled_out("crate::b::X", "X"), both("crate::b::X"));
        assert_eq!(spelled_out("X", "crate::b::X"), ("crate::a::X".to_owned(), "crate::b::X".to_owned()));
    }

    #[test]
    fn names_of_parameters_in_function_types_are_no_types() {
        let mut names = TypeNames::default();
        names.swapped.insert("X".to_owned(), SwappedName { old: "./a.X".to_owned(), ..SwappedName::default() });
        assert!(!names.retypes("typescript", &function(&["(X: string, ...X: Y[]) => void", "{ X?: string }"])));
        assert!(names.retypes("typescript", &function(&["(x: X) => void"])));
    }

    #[test]
    fn one_type_in_other_words_is_written_alike() {
        check("rust", ("X", &[("X", "crate::a::X")]), ("crate::a::X", &[]), ("X", "X"));
        check("rust", ("X", &[("X", "crate::a::X")]), ("a::X", &[("a", "crate::a")]), ("X", "X"));
        check("rust", ("Vec<a::X>", &[]), ("Vec<X>", &[("X", "a::X")]), ("Vec<a::X>", "Vec<a::X>"));
        check(
            "python",
            ("t.Mapping", &[("t", "typing")]),
            ("Mapping", &[("Mapping", "collections.abc.Mapping")]),
            ("t.Mapping", "t.Mapping"),
        );
        check("java", ("a.b.X", &[]), ("X", &[("X", "a.b.X")]), ("a.b.X", "a.b.X"));
    }

    #[test]
    fn a_short_name_that_is_imported_from_elsewhere_is_another_type() {
        check("rust", ("X", &[("X", "b::X")]), ("a::X", &[]), ("b::X", "a::X"));
        let library = ("std::fmt::Result", &[][..]);
        check("rust", ("Result", &[("Result", "crate::Result")]), library, ("crate::Result", "std::fmt::Result"));
        check("rust", library, ("Result", &[("Result", "crate::Result")]), ("std::fmt::Result", "crate::Result"));
        check("rust", ("Result", &[]), library, ("Result", "std::fmt::Result"));
    }

    #[test]
    fn names_differ_by_what_imports_bind_them_to() {
        let differing = |language: &str, old: &str, new: &str| {
            let (old, new) = (imports_of(&[("X", old)]), imports_of(&[("X", new)]));
            old.differing(&new, language).count() > 0
        };
        assert!(differing("rust", "a::X", "b::X"));
        assert!(!differing("rust", "crate::a::X", "self::a::X"));
        assert!(!differing("rust", "std::fmt::X", "core::fmt::X"));
        assert!(differing("rust", "std::fmt::X", "std::io::X"));
        assert!(!differing("rust", "std::collections::hash_map::X", "std::collections::X"));
        assert!(!differing("python", "typing.X", "collections.abc.X"));
        assert!(differing("java", "java.util.X", "java.awt.X"));
        assert!(differing("go", "p/a", "p/b"));
        assert!(differing("typescript", "./a.X", "./b.X"));
        let (both, one) = (imports_of(&[("X", "a.X"), ("X", "b.X")]), imports_of(&[("X", "b.X")]));
        assert_eq!(both.differing(&one, "python").count(), 0, "one of two is left");
    }

    #[test]
    fn packages_offer_names_at_shorter_paths() {
        assert!(may_be_one_outside("python", "werkzeug.wrappers.Response", "werkzeug.Response"));
        assert!(may_be_one_outside("typescript", "pkg.X", "pkg/lib.X"));
        assert!(!may_be_one_outside("rust", "serde::X", "other::X"));
        assert!(!may_be_one_outside("go", "p/a", "p/b"));
    }
}
