//! What a name that somebody wrote can mean: a definition, a member that a type inherits, or, if nothing has the name,
//! similar names. All questions about names use these rules, so that they offer the same names for one mistake.

use std::collections::BTreeSet;
use std::fmt;

use icr_db::has_members;
use icr_lexical::DefinitionPattern;
use icr_model::{BlobNo, Facts, RepoPath, SymbolKind, name_distance, similar_names};
use rustc_hash::FxHashSet;

use crate::references::holder_of;
use crate::symbols::{full_names, name_parts};
use crate::{Error, Snapshot};

/// Most similar names that are offered.
pub(crate) const SIMILAR: usize = 5;

/// Most definitions named that have the name of a member and belong to something else.
const ELSEWHERE: usize = 3;

/// Most files examined that define a type of the name in front of a member.
const TYPE_FILES: usize = 64;

/// Most blobs examined that define a name.
const BLOBS: usize = 4_000;

/// Most names of the index examined for one pattern.
const NAMES: usize = 2_000;

/// Names in a path that no qualified name has: directories of sources, and files that stand for their directory.
const UNNAMED_IN_PATHS: [&str; 6] = ["src", "lib", "mod", "main", "index", "__init__"];

/// Beginnings of a path of modules that lead to no directory of a certain name.
const ROOTS: [&str; 2] = ["crate", "super"];

/// How the names that were written before the last one fit what is around a definition. The best is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OuterFit {
    /// They are the names around it, as written.
    Written,
    /// They are, if the names of its file and directories stand in front.
    WithPath,
    /// They are, if the case of letters is ignored in the names of the definitions around it.
    InAnyCase,
    /// All but the first are names of its directories and file, from the root on: the first may be that of the package.
    BelowRoot,
}

impl OuterFit {
    /// How `outer` fits the definition `qualified_name` of the file at `path` with `facts`; `None` if it does not.
    pub(crate) fn of(facts: &Facts, path: &RepoPath, qualified_name: &str, outer: &[&str]) -> Option<Self> {
        let same = |name: &str, wanted: &str| name == wanted;
        if outer.is_empty() || full_names(facts, qualified_name).any(|full| ends_with(names_around(&full), outer, same))
        {
            return Some(Self::Written);
        }
        let with_path = fit_with_path(path, names_around(qualified_name), outer);
        if with_path == Some(Self::WithPath) {
            return with_path;
        }
        // A package differs from a type whose name differs from it only in case, so this holds for definitions only.
        let definitions_around = qualified_name.matches('.').count();
        let is_same_in_any_case = |full: String| {
            let mut names = names_around(&full).rsplit('.').enumerate();
            outer.iter().rev().all(|wanted| {
                names.next().is_some_and(|(level, name)| match level < definitions_around {
                    true => name.eq_ignore_ascii_case(wanted),
                    false => name == *wanted,
                })
            })
        };
        let in_any_case = full_names(facts, qualified_name).any(is_same_in_any_case);
        if in_any_case { Some(Self::InAnyCase) } else { with_path }
    }
}

/// The names around a definition, joined by dots.
fn names_around(qualified_name: &str) -> &str {
    qualified_name.rsplit_once('.').map_or("", |(around, _)| around)
}

/// Whether the last of the `names`, which dots join, are `outer`.
fn ends_with(names: &str, outer: &[&str], same: impl Fn(&str, &str) -> bool) -> bool {
    let mut names = names.rsplit('.').filter(|name| !name.is_empty());
    outer.iter().rev().all(|wanted| names.next().is_some_and(|name| same(name, wanted)))
}

/// How `outer` fits the names around a definition if those of the directories of `path` stand in front, with or without
/// that of the file: `click.core.Context` in `src/click/core.py`, `client.Client` in `pkg/client/conn.go`.
fn fit_with_path(path: &RepoPath, around: &str, outer: &[&str]) -> Option<OuterFit> {
    let path = path.as_str()?;
    let outer: Vec<&str> =
        outer.iter().copied().filter(|name| !ROOTS.contains(name) && !UNNAMED_IN_PATHS.contains(name)).collect();
    let inside = around.split('.').filter(|name| !name.is_empty());
    // Otherwise no part of the path was written.
    let inside_total = inside.clone().count();
    if outer.len() <= inside_total {
        return None;
    }
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let file = file.split('.').next().unwrap_or_default();
    let is_named = |name: &&str| !name.is_empty() && !UNNAMED_IN_PATHS.contains(name);
    let fits = [Some(file), None].into_iter().filter_map(|file| {
        let modules = directory.split('/').chain(file).filter(is_named);
        let modules = modules.map(|name| name.replace('-', "_"));
        let names: Vec<String> = modules.chain(inside.clone().map(str::to_owned)).collect();
        let is_same = names.iter().rev().zip(outer.iter().rev()).all(|(name, wanted)| name == wanted);
        let is_below_root = names.len() + 1 == outer.len() && names.len() > inside_total;
        match (is_same, names.len() >= outer.len()) {
            (true, true) => Some(OuterFit::WithPath),
            (true, false) => is_below_root.then_some(OuterFit::BelowRoot),
            (false, _) => None,
        }
    });
    fits.min()
}

/// A definition of the view, by its number in the facts of its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DefinitionNumber {
    pub(crate) path: RepoPath,
    pub(crate) at: u32,
}

/// The types that have the name in front of a member, and what they have of the name of the member.
#[derive(Debug, Clone)]
pub(crate) struct TypeLookup {
    /// Qualified name of the first type.
    pub(crate) type_name: String,
    types: Vec<DefinitionNumber>,
    /// The members, which the types inherit where they have none of their own.
    pub(crate) members: Vec<DefinitionNumber>,
    /// Whether the types may have others, because a base is not in the view.
    is_open: bool,
    /// Whether all of them are modules, to which other files may add.
    pub(crate) has_only_modules: bool,
}

/// Looks for the member `name` of the types called `outer`, in the file at `only` or in all files; `None` if there is no
/// such type. Cost: the facts of the files that define the types, and of those of their bases.
///
/// # Errors
///
/// Those of reading the store.
pub(crate) fn look_up_member(
    snapshot: &Snapshot,
    outer: &[&str],
    name: &str,
    only: Option<&RepoPath>,
) -> Result<Option<TypeLookup>, Error> {
    let Some((type_name, around)) = outer.split_last() else { return Ok(None) };
    let graph = snapshot.graph()?;
    let files = match only {
        Some(path) => vec![path.clone()],
        None => graph.defining(type_name)?,
    };
    let mut lookup = TypeLookup {
        type_name: String::new(),
        types: Vec::new(),
        members: Vec::new(),
        is_open: false,
        has_only_modules: true,
    };
    for path in files.into_iter().take(TYPE_FILES) {
        let Some(file) = snapshot.view.file(&path)? else { continue };
        let facts = snapshot.facts(file.row.blob_no)?;
        for (at, symbol) in (0..).zip(&facts.symbols) {
            if symbol.name != *type_name || !has_members(symbol.kind) {
                continue;
            }
            let qualified_name = facts.qualified_name(at);
            let fit = OuterFit::of(&facts, &path, &qualified_name, around);
            if !matches!(fit, Some(OuterFit::Written | OuterFit::WithPath)) {
                continue;
            }
            let found = graph.members_of_type(&path, at, name)?;
            lookup.members.extend(found.found.into_iter().map(|(path, at)| DefinitionNumber { path, at }));
            lookup.is_open |= found.is_open;
            lookup.has_only_modules &= symbol.kind == SymbolKind::Module;
            if lookup.types.is_empty() {
                lookup.type_name = qualified_name;
            }
            lookup.types.push(DefinitionNumber { path: path.clone(), at });
        }
    }
    lookup.members.sort_unstable();
    lookup.members.dedup();
    Ok(Some(lookup).filter(|lookup| !lookup.types.is_empty()))
}

impl TypeLookup {
    /// Names of the other types that define the members, in order, each once; empty if the members are own ones.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub(crate) fn heritage(&self, snapshot: &Snapshot) -> Result<Vec<String>, Error> {
        let mut definers: Vec<String> = Vec::new();
        for DefinitionNumber { path, at } in &self.members {
            let Some(file) = snapshot.view.file(path)? else { continue };
            let qualified_name = snapshot.facts(file.row.blob_no)?.qualified_name(*at);
            let definer = names_around(&qualified_name).to_owned();
            // A type may have members in several files.
            let is_own = last_of(&definer) == last_of(&self.type_name);
            if !is_own && !definers.contains(&definer) {
                definers.push(definer);
            }
        }
        Ok(definers)
    }

    /// Qualified names of the own members of the types, sorted.
    fn own_members(&self, snapshot: &Snapshot) -> Result<BTreeSet<String>, Error> {
        let mut members = BTreeSet::new();
        for DefinitionNumber { path, at } in &self.types {
            let Some(file) = snapshot.view.file(path)? else { continue };
            let facts = snapshot.facts(file.row.blob_no)?;
            let type_name = &facts.symbols[*at as usize].name;
            for (at, symbol) in (0..).zip(&facts.symbols) {
                if holder_of(&facts, symbol) == type_name {
                    members.insert(facts.qualified_name(at));
                }
            }
        }
        Ok(members)
    }

    /// Qualified names of own members whose names are similar to `name`, nearest first.
    fn similar_members(&self, snapshot: &Snapshot, name: &str) -> Result<Vec<String>, Error> {
        Ok(similar_among(&self.own_members(snapshot)?, name))
    }

    /// What to say if the types have no member called `name`.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub(crate) fn missing_member(&self, snapshot: &Snapshot, name: &str) -> Result<MissingMember, Error> {
        let own = self.own_members(snapshot)?;
        let similar = similar_among(&own, name);
        let mut elsewhere = definitions_called(snapshot, name)?;
        elsewhere.retain(|place| !own.contains(&place.qualified_name));
        let mut elsewhere = in_order_of_use(elsewhere, &format!("{}.{name}", self.type_name));
        // What is inside of the type comes first.
        let inside = format!("{}.", self.type_name);
        elsewhere.sort_by_key(|place| !place.qualified_name.starts_with(&inside));
        let total = elsewhere.len();
        let elsewhere = elsewhere.into_iter().take(ELSEWHERE);
        let elsewhere = elsewhere.map(|place| format!("`{}` (`{}`)", place.qualified_name, place.path)).collect();
        let (type_name, member) = (self.type_name.clone(), name.to_owned());
        Ok(MissingMember { type_name, member, is_open: self.is_open, similar, elsewhere, elsewhere_total: total })
    }
}

/// Those of the qualified names `members` whose last names are similar to `name`, nearest first.
fn similar_among(members: &BTreeSet<String>, name: &str) -> Vec<String> {
    let last_names: BTreeSet<&str> = members.iter().map(|member| last_of(member)).collect();
    let near = similar_names(name, last_names, SIMILAR);
    let similar = near.iter().flat_map(|near| members.iter().filter(move |member| last_of(member) == *near));
    similar.take(SIMILAR).cloned().collect()
}

fn last_of(qualified_name: &str) -> &str {
    qualified_name.rsplit('.').next().unwrap_or(qualified_name)
}

/// A member that a type does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingMember {
    /// Qualified name of the type.
    type_name: String,
    /// Name of the member.
    member: String,
    /// Whether a base that is not in the view may have it.
    is_open: bool,
    /// Qualified names of similar members of the type, nearest first.
    similar: Vec<String>,
    /// The first definitions of the name elsewhere, each with its path.
    elsewhere: Vec<String>,
    /// Number of these definitions.
    elsewhere_total: usize,
}

impl fmt::Display for MissingMember {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` has no member `{}`", self.type_name, self.member)?;
        if self.is_open { formatter.write_str(" in this repository") } else { Ok(()) }
    }
}

impl MissingMember {
    /// What may be meant instead, a sentence each.
    pub(crate) fn hints(&self) -> Vec<String> {
        let mut hints: Vec<String> = did_you_mean(&self.similar).into_iter().collect();
        if !self.elsewhere.is_empty() {
            let more = self.elsewhere_total.saturating_sub(self.elsewhere.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            hints.push(format!("`{}` is defined as {}{more}", self.member, self.elsewhere.join(", ")));
        }
        if self.is_open {
            hints.push(format!("a base of `{}` that is not in this repository may have it", self.type_name));
        }
        hints
    }

    /// Error and hints in one line.
    pub fn note(&self) -> String {
        std::iter::once(self.to_string()).chain(self.hints()).collect::<Vec<_>>().join("; ")
    }
}

/// The question whether one of the `names` is meant; `None` without any.
pub(crate) fn did_you_mean(names: &[String]) -> Option<String> {
    or_listed(names).map(|names| format!("did you mean {names}?"))
}

/// The `names` in quotes, with `or` before the last; `None` without any.
pub(crate) fn or_listed(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = quoted.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
}

/// A definition, with its place.
pub(crate) struct DefinitionWithPath {
    pub(crate) qualified_name: String,
    pub(crate) path: RepoPath,
    /// Whether it is in a test, an example or what is vendored, or only a heading or a key.
    pub(crate) is_aside: bool,
    /// Whether the name is the same in case too.
    pub(crate) has_same_case: bool,
    /// How the names that were written in front fit.
    pub(crate) fit: Option<OuterFit>,
}

/// Definitions called `name`, in any case. Cost: the facts of the files that define it.
fn definitions_called(snapshot: &Snapshot, name: &str) -> Result<Vec<DefinitionWithPath>, Error> {
    definitions_of(snapshot, &[name])
}

/// Definitions called as the last of `parts`, in any case, with how the others fit.
///
/// # Errors
///
/// Those of reading the store.
pub(crate) fn definitions_of(snapshot: &Snapshot, parts: &[&str]) -> Result<Vec<DefinitionWithPath>, Error> {
    let Some((name, outer)) = parts.split_last() else { return Ok(Vec::new()) };
    let named = snapshot.view.live_chunks()?.definitions(&DefinitionPattern::Exact(name), NAMES)?;
    let chunks = named.into_iter().flat_map(|definition| definition.chunks);
    let blobs: FxHashSet<BlobNo> = chunks.map(|chunk| chunk.blob_no).take(BLOBS).collect();
    let mut found = Vec::new();
    for (blob_no, _, place) in snapshot.view.paths_of(&blobs)? {
        let facts = snapshot.facts(blob_no)?;
        for (at, symbol) in (0..).zip(&facts.symbols) {
            if !symbol.name.eq_ignore_ascii_case(name) {
                continue;
            }
            let qualified_name = facts.qualified_name(at);
            found.push(DefinitionWithPath {
                fit: OuterFit::of(&facts, &place.path, &qualified_name, outer),
                qualified_name,
                path: place.path.clone(),
                is_aside: place.kind().is_some() || matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key),
                has_same_case: symbol.name == *name,
            });
        }
    }
    Ok(found)
}

/// The definitions, those that are likelier meant by `written` first: the project's own before tests and examples, then
/// those of a nearer name. One for each name and file.
fn in_order_of_use(mut places: Vec<DefinitionWithPath>, written: &str) -> Vec<DefinitionWithPath> {
    places.sort_by_cached_key(|place| {
        let distance = name_distance(&place.qualified_name, written);
        (place.is_aside, distance, place.qualified_name.clone(), place.path.clone())
    });
    places.dedup_by(|one, other| (&one.qualified_name, &one.path) == (&other.qualified_name, &other.path));
    places
}

/// Names that the name in `parts` may mean, which nothing has, nearest first: of the file at `only` if that has similar
/// ones, else of all files. For a qualified name, the names of definitions that are called as its last part come first.
/// Cost: the facts of the files that define the last part, and all names.
///
/// # Errors
///
/// Those of reading the store.
pub(crate) fn suggestions(snapshot: &Snapshot, parts: &[&str], only: Option<&RepoPath>) -> Result<Vec<String>, Error> {
    let Some((name, outer)) = parts.split_last() else { return Ok(Vec::new()) };
    if let Some(file) = only.map(|path| snapshot.view.file(path)).transpose()?.flatten() {
        let facts = snapshot.facts(file.row.blob_no)?;
        let names: Vec<String> = (0..).zip(&facts.symbols).map(|(at, _)| facts.qualified_name(at)).collect();
        let similar = similar_qualified(parts, &names);
        if !similar.is_empty() {
            return Ok(similar);
        }
    }
    if let Some((type_name, _)) = outer.split_last() {
        let named = definitions_called(snapshot, name)?;
        let names: BTreeSet<&str> = named.iter().map(|place| place.qualified_name.as_str()).collect();
        let similar = similar_names(&parts.join("."), names, SIMILAR);
        if !similar.is_empty() {
            return Ok(similar.into_iter().map(str::to_owned).collect());
        }
        // Both may be mistyped.
        for type_name in snapshot.view.live_chunks()?.similar_definitions(type_name, SIMILAR)? {
            let Some(types) = look_up_member(snapshot, &[&type_name], name, None)? else { continue };
            let similar = types.similar_members(snapshot, name)?;
            if !similar.is_empty() {
                return Ok(similar);
            }
        }
        let others = in_order_of_use(named, &parts.join("."));
        if !others.is_empty() {
            return Ok(first_names(others));
        }
    }
    let chunks = snapshot.view.live_chunks()?;
    let similar = chunks.similar_definitions(name, SIMILAR)?;
    if !similar.is_empty() {
        return Ok(similar);
    }
    // No name is near, so the name may be a part of the right one.
    let holding = chunks.definitions(&DefinitionPattern::Substring(name), NAMES)?;
    let mut holding: Vec<String> = holding.into_iter().map(|definition| definition.name).collect();
    holding.sort_by_cached_key(|other| name_distance(other, name));
    holding.dedup();
    holding.retain(|other| !other.eq_ignore_ascii_case(name));
    holding.truncate(SIMILAR);
    Ok(holding)
}

/// The first of the qualified names, each once.
fn first_names(places: Vec<DefinitionWithPath>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for DefinitionWithPath { qualified_name, .. } in places {
        if names.len() < SIMILAR && !names.contains(&qualified_name) {
            names.push(qualified_name);
        }
    }
    names
}

/// Those of the qualified `names` that the name in `parts` may mean, nearest first: by the whole name, else by the last
/// part, else those that have it as a part of theirs.
fn similar_qualified(parts: &[&str], names: &[String]) -> Vec<String> {
    let name = parts.last().copied().unwrap_or_default();
    let unique: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let mut similar: Vec<&str> = match parts {
        [_] => Vec::new(),
        _ => similar_names(&parts.join("."), unique.iter().copied(), SIMILAR),
    };
    let lasts: BTreeSet<&str> = unique.iter().map(|name| last_of(name)).collect();
    let near = similar_names(name, lasts.iter().copied(), SIMILAR);
    similar.extend(near.iter().flat_map(|near| unique.iter().filter(move |name| last_of(name) == *near)));
    if similar.is_empty() {
        let lower = name.to_lowercase();
        similar = unique.iter().copied().filter(|other| last_of(other).to_lowercase().contains(&lower)).collect();
        similar.sort_by_cached_key(|other| name_distance(last_of(other), name));
    }
    let mut seen = BTreeSet::new();
    similar.retain(|name| seen.insert(*name));
    similar.into_iter().take(SIMILAR).map(str::to_owned).collect()
}

/// Similar names for an error that is certain without them; none if they cannot be read.
pub(crate) fn suggestions_or_none(snapshot: &Snapshot, symbol: &str, only: Option<&RepoPath>) -> Vec<String> {
    suggestions(snapshot, &name_parts(symbol), only).unwrap_or_default()
}

/// Paths of the files that define exactly `symbol`, those of tests, examples and headings only if there are no others; none
/// if they cannot be read.
pub(crate) fn files_defining(snapshot: &Snapshot, symbol: &str) -> Vec<String> {
    let mut places = definitions_of(snapshot, &name_parts(symbol)).unwrap_or_default();
    places.retain(|place| place.has_same_case && place.fit == Some(OuterFit::Written));
    let has_own = places.iter().any(|place| !place.is_aside);
    places.retain(|place| !(has_own && place.is_aside));
    places.sort_by(|one, other| one.path.cmp(&other.path));
    let mut paths: Vec<String> = places.into_iter().map(|place| place.path.to_string()).collect();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(provides: &str, path: &str, (qualified_name, outer): (&str, &str), expected: Option<OuterFit>) {
        let facts = Facts { provides: vec![provides.to_owned()], ..Facts::default() };
        let outer = name_parts(outer);
        assert_eq!(OuterFit::of(&facts, &path.into(), qualified_name, &outer), expected, "{outer:?}");
    }

    #[test]
    fn the_names_around_are_those_that_were_written() {
        let client = |outer, expected| check("GuzzleHttp\\Handler", "a.php", ("Client.send", outer), expected);
        for outer in ["", "Client", "GuzzleHttp\\Handler\\Client", "Handler.Client"] {
            client(outer, Some(OuterFit::Written));
        }
        for outer in ["Client.Handler", "Other.Client", "Handler", "GuzzleHttp.Client", "handler.Client"] {
            client(outer, None);
        }
        client("client", Some(OuterFit::InAnyCase));
        client("Handler.client", Some(OuterFit::InAnyCase));
        let inner = |outer, expected| check("", "a.kt", ("Manager.Inner.rollback", outer), expected);
        inner("Inner", Some(OuterFit::Written));
        inner("Manager", None);
    }

    #[test]
    fn a_package_is_no_type_whose_name_differs_only_in_case() {
        check("org.ship.transaction", "a.kt", ("Manager.commit", "Transaction"), None);
        check("org.ship.transaction", "a.kt", ("commit", "Transaction"), None);
        check("org.ship.transaction", "a.kt", ("commit", "transaction"), Some(OuterFit::Written));
    }

    #[test]
    fn directories_and_the_file_may_stand_in_front() {
        let context = |outer, expected| check("", "src/click/core.py", ("Context.invoke", outer), expected);
        for outer in ["click.core.Context", "core.Context", "click.Context", "src.click.Context"] {
            context(outer, Some(OuterFit::WithPath));
        }
        for outer in ["flask.core.Context", "click.core", "core"] {
            context(outer, None);
        }
        let run = |outer, expected| check("", "crates/icr-engine/src/files/mod.rs", ("read", outer), expected);
        for outer in ["icr_engine::files", "crate::files", "files"] {
            run(outer, Some(OuterFit::WithPath));
        }
        run("crate", None);
        run("engine", None);
        let config = |outer, expected| check("", "src/config.rs", ("Config.theme", outer), expected);
        config("bat::config::Config", Some(OuterFit::BelowRoot));
        config("bat::Config", None);
        config("a::bat::config::Config", None);
    }

    #[test]
    fn a_question_names_all_that_may_be_meant() {
        let names = |names: &[&str]| did_you_mean(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&[]), None);
        assert_eq!(names(&["a"]).as_deref(), Some("did you mean `a`?"));
        assert_eq!(names(&["a", "b", "c"]).as_deref(), Some("did you mean `a`, `b` or `c`?"));
    }

    #[test]
    fn of_the_names_of_a_file_the_nearest_are_offered() {
        let names = ["Server", "Server.handle", "Client.handles", "reopen_all_handles"].map(str::to_owned);
        assert_eq!(similar_qualified(&["Server", "handel"], &names), ["Server.handle", "Client.handles"]);
        assert_eq!(similar_qualified(&["hendle"], &names), ["Server.handle", "Client.handles"]);
        assert_eq!(similar_qualified(&["open"], &names), ["reopen_all_handles"]);
        assert!(similar_qualified(&["zeppelin"], &names).is_empty());
    }
}
