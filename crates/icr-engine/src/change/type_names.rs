//! Names in signatures that stand for other types after a change, because their files import them from elsewhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icr_db::module_name;
use icr_impact::FileStatus;
use icr_impact::contract::{
    ImportedNames, SwappedName, TypeAlias, TypeNames, first_name, may_be_one_outside, named_paths,
};
use icr_impact::symbols::{FileSides, SymbolChange, definition_rules};
use icr_model::{ExportAlias, Facts, ImportKind, RepoPath, Symbol, SymbolKind};

use crate::Error;
use crate::change::sides::ViewChange;

/// Most names of one file whose meaning without an import of their own is looked up: each takes a look at what the file
/// sees.
const NAMES: usize = 100;

/// What one statement imports: a specifier, and a name from there with its alias.
type ImportedPart<'f> = (&'f str, Option<(&'f str, Option<&'f str>)>);

/// A definition: its file and its name there.
type Place = (RepoPath, String);

/// For each of `files`, what the names in its signatures stand for on both sides, where it has both. `symbols` are the
/// definitions of the change, which tell what only moved.
///
/// Cost: for each name that the sides import from different places, what their imports lead to; for names in signatures
/// that differ, where they are defined, and a parse of those files that define one as a name of another type.
pub(crate) fn type_names(
    change: &ViewChange<'_>,
    files: &[FileSides<'_>],
    symbols: &[SymbolChange],
) -> Result<Vec<Option<TypeNames>>, Error> {
    let moves = Moves::of(change, symbols);
    let names = |file: &FileSides<'_>| match (file.old, file.new) {
        (Some(old), Some(new)) if old.facts.language == new.facts.language && !change.is_whole_files => {
            let mut names =
                TypeNames { old: imported_names(old.facts), new: imported_names(new.facts), ..TypeNames::default() };
            if imports(old.facts) != imports(new.facts) {
                moves.add_swapped(&mut names, file)?;
            }
            moves.add_aliases(&mut names, file, symbols)?;
            Ok(Some(names))
        }
        _ => Ok(None),
    };
    files.iter().map(names).collect()
}

/// What a file imports, without the lines of the statements.
fn imports(facts: &Facts) -> BTreeSet<ImportedPart<'_>> {
    let mut all = BTreeSet::new();
    for import in &facts.imports {
        let names = import.names.iter().map(|name| (name.name.as_str(), name.alias.as_deref()));
        all.extend(names.map(Some).chain([None]).map(|name| (import.specifier.as_str(), name)));
    }
    all
}

/// The names that the imports of a file bind, with the paths that they write.
fn imported_names(facts: &Facts) -> ImportedNames {
    let mut names = ImportedNames::default();
    let rules = definition_rules(&facts.language);
    let separator = rules.import_joint;
    for import in facts.imports.iter().filter(|import| import.kind == ImportKind::Import) {
        let specifier = import.specifier.as_str();
        if import.names.is_empty() {
            names.add(module_name(import, &facts.language), specifier.to_owned());
        }
        for name in &import.names {
            let joined = if specifier.ends_with('.') { "" } else { separator };
            match (name.name.as_str(), name.alias.as_ref()) {
                ("*", None) => {}
                ("*", Some(alias)) => names.add(alias.clone(), specifier.to_owned()),
                // The module itself, among the names that are taken from it.
                ("self", alias) if rules.imports_self => {
                    let last = specifier.rsplit(separator).next().unwrap_or_default();
                    names.add(alias.map_or(last, String::as_str).to_owned(), specifier.to_owned());
                }
                (taken, alias) => {
                    let local = alias.map_or(taken, String::as_str).to_owned();
                    names.add(local, format!("{specifier}{joined}{taken}"));
                }
            }
        }
    }
    names
}

/// Files and definitions that a change moved or renamed.
struct Moves<'a> {
    change: &'a ViewChange<'a>,
    files: HashMap<&'a RepoPath, Option<&'a RepoPath>>,
    definitions: BTreeMap<(&'a RepoPath, &'a str), (&'a RepoPath, &'a str)>,
}

impl<'a> Moves<'a> {
    fn of(change: &'a ViewChange<'a>, symbols: &'a [SymbolChange]) -> Self {
        let files = change.files.iter().filter(|file| file.status != FileStatus::Copied);
        let files = files.filter_map(|file| Some((file.old.as_ref()?, file.new.as_ref()))).collect();
        let both = symbols.iter().filter_map(|symbol| Some((symbol.old.as_ref()?, symbol.new.as_ref()?)));
        let definitions = both
            .filter(|(old, new)| old.path != new.path || old.name != new.name)
            .map(|(old, new)| ((&old.path, old.name.as_str()), (&new.path, new.name.as_str())))
            .collect();
        Self { change, files, definitions }
    }

    /// Notes in `names` which names stand for something else.
    fn add_swapped(&self, names: &mut TypeNames, file: &FileSides<'_>) -> Result<(), Error> {
        let (Some(old), Some(new)) = (file.old, file.new) else { return Ok(()) };
        let language = new.facts.language.as_str();
        let paths_in = |shapes: &[icr_model::Shape]| -> BTreeSet<String> {
            let paths = shapes.iter().flat_map(|shape| named_paths(language, shape));
            paths.map(|path| first_name(&path).to_owned()).collect()
        };
        let named: BTreeSet<String> = paths_in(old.shapes).intersection(&paths_in(new.shapes)).cloned().collect();
        let differing: Vec<String> = names.old.differing(&names.new, language).map(str::to_owned).collect();
        for name in differing.into_iter().filter(|name| named.contains(name)) {
            let (Some(was), Some(is)) = (names.old.path_of(&name), names.new.path_of(&name)) else { continue };
            let olds = self.change.old.graph()?.import_origins(old.path, &name)?;
            let news = self.change.new.graph()?.import_origins(new.path, &name)?;
            // Where it is not known what defines it, a package may offer it in both places.
            let is_known = self.are_defined(&olds, false)? && self.are_defined(&news, true)?;
            if !is_known && may_be_one_outside(language, was, is) || self.meet(&olds, &news)? {
                continue;
            }
            let is_module = is_module(file, &name) && !definition_rules(language).imports_name_definitions;
            let kept = self.moved_along(&olds, &news);
            if !is_module && kept.contains(last_segment(was)) {
                continue;
            }
            let swapped = SwappedName { old: was.to_owned(), new: is.to_owned(), is_module, kept };
            names.swapped.insert(name, swapped);
        }
        if !definition_rules(language).sees_unnamed {
            return Ok(());
        }
        let is_bound_twice = |name: &&str| names.old.path_of(name).is_some() && names.new.path_of(name).is_some();
        let seen: Vec<&str> =
            named.iter().map(String::as_str).filter(|name| !is_bound_twice(name)).take(NAMES).collect();
        let (olds, news) =
            (self.places(false, old.path, &seen, &names.old)?, self.places(true, new.path, &seen, &names.new)?);
        for (name, (olds, news)) in seen.iter().zip(olds.into_iter().zip(news)) {
            if olds.is_empty() || news.is_empty() || self.meet(&olds, &news)? {
                continue;
            }
            let written = |names: &ImportedNames, (path, there): &Place| {
                names.path_of(name).map_or_else(|| format!("{path}:{there}"), str::to_owned)
            };
            if self.moved_along(&olds, &news).contains(*name) {
                continue;
            }
            let swapped = SwappedName {
                old: written(&names.old, &olds[0]),
                new: written(&names.new, &news[0]),
                ..SwappedName::default()
            };
            names.swapped.insert((*name).to_owned(), swapped);
        }
        Ok(())
    }

    /// Notes in `names` which names in signatures that differ are names of other types.
    fn add_aliases(&self, names: &mut TypeNames, file: &FileSides<'_>, symbols: &[SymbolChange]) -> Result<(), Error> {
        let (Some(old), Some(new)) = (file.old, file.new) else { return Ok(()) };
        let language = new.facts.language.as_str();
        if !definition_rules(language).sees_unnamed {
            return Ok(());
        }
        let (mut olds, mut news) = (BTreeSet::new(), BTreeSet::new());
        for symbol in symbols {
            let (Some(was), Some(is)) = (&symbol.old, &symbol.new) else { continue };
            let shapes = (old.shapes.get(was.symbol as usize), new.shapes.get(is.symbol as usize));
            if let (Some(before), Some(after)) = shapes
                && (&was.path, &is.path) == (old.path, new.path)
                && before != after
            {
                olds.extend(named_paths(language, before));
                news.extend(named_paths(language, after));
            }
        }
        let is_name = |path: &&String| first_name(path) == path.as_str();
        for (is_new, named) in [(false, olds), (true, news)] {
            for name in named.iter().filter(is_name).take(NAMES) {
                if let Some(alias) = self.alias(is_new, (old.path, new.path), name, names)? {
                    names.aliases[usize::from(is_new)].insert(name.clone(), alias);
                }
            }
        }
        Ok(())
    }

    /// The type that `name` is another name of in one file on a side. `None` if it is none, or if a name in that type means
    /// something else in the file on the other side.
    fn alias(
        &self,
        is_new: bool,
        (path_before, path): (&RepoPath, &RepoPath),
        name: &str,
        names: &TypeNames,
    ) -> Result<Option<TypeAlias>, Error> {
        let (here, elsewhere) = if is_new { (path, path_before) } else { (path_before, path) };
        let (bound, bound_elsewhere) = if is_new { (&names.new, &names.old) } else { (&names.old, &names.new) };
        let places = self.places(is_new, here, &[name], bound)?.pop().unwrap_or_default();
        let [(definer, own_name)] = places.as_slice() else { return Ok(None) };
        let view = if is_new { &self.change.new } else { &self.change.old };
        let Some(row) = view.view.file(definer)? else { return Ok(None) };
        let facts = view.facts(row.row.blob_no)?;
        let is_alias = |symbol: &Symbol| symbol.name == *own_name && symbol.kind == SymbolKind::Type;
        let mut found =
            facts.symbols.iter().enumerate().filter(|(_, symbol)| is_alias(symbol) && symbol.parent.is_none());
        let (Some((at, _)), None) = (found.next(), found.next()) else { return Ok(None) };
        let Some(text) = view.view.text_at(definer)? else { return Ok(None) };
        let shapes = icr_lang::shapes(&facts.language, &text, &facts);
        let Some(shape) = shapes.get(at) else { return Ok(None) };
        let Some(ty) = shape.ty.clone() else { return Ok(None) };
        let bound_there = imported_names(&facts);
        let is_parameter = |name: &str| {
            shape.type_parameters.iter().any(|it| it.split([':', '=']).next().is_some_and(|own| own.trim() == name))
        };
        let inside = named_paths(&facts.language, shape);
        let inside: BTreeSet<&str> = inside.iter().map(|path| first_name(path)).collect();
        for inner in inside.into_iter().filter(|inner| !is_parameter(inner)) {
            let there = self.places(is_new, definer, &[inner], &bound_there)?.pop().unwrap_or_default();
            let other = self.places(!is_new, elsewhere, &[inner], bound_elsewhere)?.pop().unwrap_or_default();
            let is_same = match there.is_empty() && other.is_empty() {
                true => bound_there.path_of(inner) == bound_elsewhere.path_of(inner),
                false if is_new => self.meet(&other, &there)?,
                false => self.meet(&there, &other)?,
            };
            if !is_same {
                return Ok(None);
            }
        }
        Ok(Some(TypeAlias { parameters: shape.type_parameters.clone(), ty }))
    }

    /// What each of `names` means in the file at `path` on a side, where `bound` are those that imports bind; empty where
    /// that is not known.
    fn places(
        &self,
        is_new: bool,
        path: &RepoPath,
        names: &[&str],
        bound: &ImportedNames,
    ) -> Result<Vec<Vec<Place>>, Error> {
        let graph = if is_new { self.change.new.graph()? } else { self.change.old.graph()? };
        let definers = if names.is_empty() { Vec::new() } else { graph.type_definers(path, names)? };
        let place = |(name, definers): (&&str, Vec<RepoPath>)| {
            if bound.path_of(name).is_none() {
                return Ok(definers.into_iter().map(|path| (path, (*name).to_owned())).collect());
            }
            let origins = graph.import_origins(path, name)?;
            Ok(if self.are_defined(&origins, is_new)? { origins } else { Vec::new() })
        };
        names.iter().zip(definers).map(place).collect()
    }

    /// Whether there are places, and each is a module or has a definition of its name.
    fn are_defined(&self, places: &[Place], is_new: bool) -> Result<bool, Error> {
        let graph = if is_new { self.change.new.graph()? } else { self.change.old.graph()? };
        for (path, name) in places {
            if name != ExportAlias::MODULE && graph.definers(path, name)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(!places.is_empty())
    }

    /// Whether one of `olds` is one of `news`: the same place, where the change moved it, what its old place passes on now,
    /// or the only place that has it now.
    fn meet(&self, olds: &[Place], news: &[Place]) -> Result<bool, Error> {
        for (path, name) in olds {
            let Some((path, name)) = self.after(path, name) else { continue };
            // What takes a whole file and what takes its definition by name may be one.
            let is_whole = |name: &str| name == ExportAlias::MODULE;
            let is_name = |other: &str| other == name || is_whole(other) || is_whole(name);
            let is_there = |other: &Place| other.0 == *path && is_name(&other.1);
            if news.iter().any(is_there) {
                return Ok(true);
            }
            let passed_on = self.change.new.graph()?.definers(path, name)?;
            if passed_on.iter().any(|place| news.contains(place)) {
                return Ok(true);
            }
        }
        // What is gone from one place and new in another was moved, however much of it changed.
        Ok(!olds.is_empty() && !news.is_empty() && self.lacks(olds, true)? && self.lacks(news, false)?)
    }

    /// Whether a side has nothing at `places`.
    fn lacks(&self, places: &[Place], is_new: bool) -> Result<bool, Error> {
        let view = if is_new { &self.change.new } else { &self.change.old };
        for (path, name) in places {
            let is_there = match name.as_str() {
                ExportAlias::MODULE => view.view.file(path)?.is_some(),
                name => !view.graph()?.definers(path, name)?.is_empty(),
            };
            if is_there {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The place after the change of what was at another; `None` for a file that is deleted.
    fn after<'p>(&'p self, path: &'p RepoPath, name: &'p str) -> Option<(&'p RepoPath, &'p str)> {
        if let Some(moved) = self.definitions.get(&(path, name)) {
            return Some(*moved);
        }
        let path = self.files.get(path).copied().unwrap_or(Some(path))?;
        Some((path, name))
    }

    /// Names of definitions that the change moved from the files of `olds` to those of `news`.
    fn moved_along(&self, olds: &[Place], news: &[Place]) -> BTreeSet<String> {
        let is_in = |places: &[Place], path: &RepoPath| places.iter().any(|(other, _)| other == path);
        let moved = self.definitions.iter().filter(|((from, _), (to, _))| is_in(olds, from) && is_in(news, to));
        moved.map(|((_, name), _)| (*name).to_owned()).collect()
    }
}

/// Whether `name` is that of a module or a package on both sides, not of something in one.
fn is_module(file: &FileSides<'_>, name: &str) -> bool {
    let is_taken = |facts: &Facts| {
        let mut taken = facts.imports.iter().flat_map(|import| &import.names).filter(|taken| taken.name != "*");
        taken.any(|taken| taken.alias.as_deref().unwrap_or(&taken.name) == name)
    };
    file.old.iter().chain(&file.new).all(|side| !is_taken(side.facts))
}

fn last_segment(path: &str) -> &str {
    path.rsplit(['.', ':', '\\', '/']).next().unwrap_or_default()
}
