//! Which files a file refers to: identifiers it mentions, led to the files that define them and that it can see.
//!
//! There is no type checker here. A name that an import brings, or that the file's package defines, is led where the
//! import leads, through re-exports. A member (a method, a field) is led to the definitions of that name in files that
//! the file can have values from: those it reaches by a few imports. Several such definitions share the reference.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icr_model::Role;

use crate::exports::{Taken, closure, definers, exports, taken};
use crate::graph::{Db, PathInput};
use crate::resolve::resolved;
use crate::schemes::scheme_of;
use crate::statements::Definitions;
use crate::view::{View, file_name};

/// Imports between a file and the definitions of members that it can have values of. In public repositories 99 of 100
/// references to other files stay within three.
const STEPS: u32 = 3;

/// Most files that a file is taken to see.
const SEEN: usize = 4_000;

/// Most files that may share a reference to a member; above, the name says nothing.
const SHARED: usize = 4;

/// Most files looked at that define one name.
const DEFINING: usize = 400;

/// Languages whose bare names may be members: of the object at hand, or because the syntax does not tell.
const BARE_MEMBERS: [&str; 10] = ["cpp", "csharp", "dart", "java", "kotlin", "php", "ruby", "rust", "scala", "swift"];

/// What an everyday name counts for beside the definitions of it.
const EVERYDAY: usize = 3;

/// Members that strings, collections, streams, promises and loggers of the languages' own libraries have: what is called so
/// is more often one of theirs than one of the repository's. Sorted.
const EVERYDAY_NAMES: [&str; 145] = [
    "add",
    "all",
    "any",
    "append",
    "apply",
    "as_ref",
    "assert",
    "bind",
    "call",
    "catch",
    "clear",
    "clone",
    "close",
    "collect",
    "concat",
    "contains",
    "copy",
    "count",
    "decode",
    "delete",
    "dump",
    "dumps",
    "each",
    "emit",
    "encode",
    "end",
    "endswith",
    "entries",
    "equals",
    "error",
    "exec",
    "exists",
    "exit",
    "extend",
    "fetch",
    "fill",
    "filter",
    "find",
    "finish",
    "first",
    "flush",
    "fmt",
    "forEach",
    "format",
    "from",
    "get",
    "getvalue",
    "group",
    "has",
    "hash",
    "includes",
    "indexOf",
    "info",
    "init",
    "insert",
    "into",
    "into_iter",
    "invoke",
    "isEmpty",
    "is_empty",
    "is_none",
    "is_some",
    "items",
    "iter",
    "join",
    "keys",
    "last",
    "len",
    "length",
    "list",
    "load",
    "log",
    "lower",
    "lstrip",
    "map",
    "match",
    "max",
    "min",
    "mkdir",
    "next",
    "now",
    "ok",
    "on",
    "open",
    "parse",
    "path",
    "pop",
    "pop_front",
    "pow",
    "print",
    "push",
    "put",
    "range",
    "read",
    "read_text",
    "readline",
    "readlines",
    "reduce",
    "reject",
    "remove",
    "replace",
    "reset",
    "resolve",
    "reverse",
    "rstrip",
    "run",
    "save",
    "search",
    "seek",
    "send",
    "set",
    "shift",
    "size",
    "sleep",
    "slice",
    "sort",
    "splice",
    "split",
    "start",
    "startswith",
    "status",
    "stop",
    "stringify",
    "strip",
    "sub",
    "substring",
    "sum",
    "tell",
    "test",
    "then",
    "toString",
    "to_owned",
    "to_string",
    "trim",
    "type",
    "unwrap",
    "update",
    "upper",
    "value",
    "values",
    "wait",
    "warn",
    "write",
    "write_text",
    "writelines",
];

fn is_everyday(name: &str) -> bool {
    EVERYDAY_NAMES.binary_search(&name).is_ok()
}

/// What a file can see, and how.
pub(crate) struct Scope {
    path: String,
    /// Names that imports bring, with the files asked for them and their names there.
    bound: HashMap<String, BTreeSet<(String, String)>>,
    /// Files all of whose names are in reach: of its package, included, imported as a whole.
    open: BTreeSet<String>,
    /// Names that the open files offer and others define.
    offered: HashMap<String, BTreeSet<(String, String)>>,
    /// Whether the language lets members be named bare.
    bare_members: bool,
    /// Files reached by imports, with the number of steps; itself at 0.
    seen: HashMap<String, u32>,
}

/// Files that a name in a file may mean, with the share that each has of it; shares add up to at most 1.
pub(crate) type Meant = BTreeMap<String, f64>;

impl Scope {
    /// What the file at `path` sees.
    pub(crate) fn of(view: View<'_>, path: &str) -> Self {
        let db = view.db();
        let input = view.input(path);
        let statements = view.statements(path);
        let mut bound: HashMap<String, BTreeSet<(String, String)>> = HashMap::new();
        let mut whole: BTreeSet<String> = BTreeSet::new();
        for (import, outcome) in statements.imports.iter().zip(&resolved(db, input).outcomes) {
            for target in outcome.targets() {
                match taken(import, target.name) {
                    Taken::Whole | Taken::Module => drop(whole.insert(target.path.clone())),
                    Taken::Names(names) => {
                        for (local, original) in names {
                            bound
                                .entry(local.to_owned())
                                .or_default()
                                .insert((target.path.clone(), original.to_owned()));
                        }
                    }
                }
            }
        }
        if let Some(scheme) = scheme_of(&statements.language) {
            whole.extend((scheme.siblings)(view, path));
        }
        let open = closure(view, whole, SEEN);
        let mut offered: HashMap<String, BTreeSet<(String, String)>> = HashMap::new();
        for path in &open {
            for (name, targets) in &exports(db, view.input(path)).named {
                offered.entry(name.clone()).or_default().extend(targets.iter().cloned());
            }
        }
        let seen = seen(view, path, &open);
        let bare_members = BARE_MEMBERS.contains(&statements.language.as_str());
        Self { path: path.to_owned(), bound, open, offered, bare_members, seen }
    }

    /// Whether an import names `name`, under this name or another. Other words of an import are parts of a path.
    fn imports(&self, name: &str) -> bool {
        self.bound.contains_key(name)
    }

    /// What the file calls the thing that others call `name`.
    fn names_for<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let aliases = self
            .bound
            .iter()
            .filter(move |(local, asked)| local.as_str() != name && asked.iter().any(|(_, original)| original == name));
        std::iter::once(name).chain(aliases.map(|(local, _)| local.as_str()))
    }

    /// Files that `name` means where the file mentions it in `role`, besides itself.
    pub(crate) fn meant(&self, view: View<'_>, name: &str, role: Role) -> Meant {
        let is_member = role == Role::Member;
        if !is_member && let Some(asked) = self.bound.get(name) {
            return shared(self.followed(view, asked), 0);
        }
        let own = view.definitions(&self.path);
        if !is_member && own.offers(name) {
            return Meant::new();
        }
        if let Some(asked) = self.offered.get(name) {
            let followed = self.followed(view, asked);
            if !followed.is_empty() {
                return shared(followed, 0);
            }
        }
        let defining = view.defining(name);
        if defining.len() > DEFINING {
            return Meant::new();
        }
        let defining: Vec<(&str, &Definitions)> =
            defining.iter().filter_map(|path| path.as_str()).map(|path| (path, view.definitions(path))).collect();
        let top: BTreeSet<String> = defining
            .iter()
            .filter(|(path, definitions)| self.open.contains(*path) && definitions.offers(name))
            .map(|(path, _)| (*path).to_owned())
            .collect();
        if !top.is_empty() {
            return shared(top, 0);
        }
        if !is_member && !self.bare_members {
            return Meant::new();
        }
        let mut seen = BTreeSet::new();
        let mut others = usize::from(is_everyday(name)) * EVERYDAY;
        for (path, _) in &defining {
            match self.seen.get(*path) {
                Some(0) => others += 1,
                Some(_) => drop(seen.insert((*path).to_owned())),
                None => {}
            }
        }
        if seen.len() + others > SHARED {
            return Meant::new();
        }
        shared(seen, others)
    }

    /// The files that define what was asked for, through re-exports; the files asked where nobody is found to.
    fn followed(&self, view: View<'_>, asked: &BTreeSet<(String, String)>) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        for (path, name) in asked {
            let found = definers(view, path, name);
            if found.is_empty() {
                files.insert(path.clone());
            }
            files.extend(found.into_iter().map(|(path, _)| path));
        }
        files.remove(&self.path);
        files
    }
}

/// An equal share for each, and for each of `others`.
fn shared(files: BTreeSet<String>, others: usize) -> Meant {
    let share = 1.0 / (files.len() + others).max(1) as f64;
    files.into_iter().map(|path| (path, share)).collect()
}

/// Files within [`STEPS`] imports of `path`; those of `open` are one step away however they are reached.
fn seen(view: View<'_>, path: &str, open: &BTreeSet<String>) -> HashMap<String, u32> {
    let mut seen = HashMap::from([(path.to_owned(), 0)]);
    let mut level: Vec<String> = open.iter().cloned().collect();
    level.extend(targets(view, path));
    for steps in 1..=STEPS {
        let mut next = Vec::new();
        for path in level {
            if seen.len() >= SEEN {
                return seen;
            }
            if seen.contains_key(&path) {
                continue;
            }
            if steps < STEPS {
                next.extend(targets(view, &path));
            }
            seen.insert(path, steps);
        }
        level = next;
    }
    seen
}

/// Files that the imports of `path` name.
fn targets(view: View<'_>, path: &str) -> Vec<String> {
    let resolved = resolved(view.db(), view.input(path));
    let mut targets: Vec<String> =
        resolved.outcomes.iter().flat_map(|outcome| outcome.targets()).map(|target| target.path.clone()).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// A file that another one refers to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Referred {
    /// Occurrences led to it, with the shares of those that several files share.
    pub(crate) weight: f64,
    /// Occurrences led to it, shared or not.
    pub(crate) count: u32,
}

/// Files that the file at `path` refers to.
pub(crate) fn references(view: View<'_>, path: &str) -> BTreeMap<String, Referred> {
    let scope = Scope::of(view, path);
    let mut referred: BTreeMap<String, Referred> = BTreeMap::new();
    // An import refers to the module that it names, whatever it takes from it.
    for outcome in &resolved(view.db(), view.input(path)).outcomes {
        // Where it names several files, or the file that stands for a package, it names none of them.
        if let [target] = outcome.targets()
            && target.path != path
            && file_name(&target.path) != "__init__.py"
        {
            let entry = referred.entry(target.path.clone()).or_insert(Referred { weight: 0.0, count: 0 });
            entry.weight += 1.0;
            entry.count += 1;
        }
    }
    for group in &view.mentions(path).groups {
        if group.role == Role::Import && !scope.imports(&group.name) {
            continue;
        }
        let meant = scope.meant(view, &group.name, group.role);
        let count = group.lines.len() as u32;
        for (path, share) in &meant {
            let entry = referred.entry(path.clone()).or_insert(Referred { weight: 0.0, count: 0 });
            entry.weight += share * f64::from(count);
            entry.count += count;
        }
    }
    referred
}

/// Where a file refers to a definition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: String,
    /// Lines, ascending; one stands as often as the name does on it.
    pub(crate) lines: Vec<u32>,
    /// Share that the definition has of each; 1 when nothing else can be meant.
    pub(crate) share: f64,
}

/// Files that refer to what the file `definer` defines as `name`, in order of their paths, itself included.
pub(crate) fn referring(view: View<'_>, definer: &str, name: &str) -> Vec<Place> {
    let mentioning = view.mentioning(name);
    let candidates = mentioning.iter().filter_map(|path| path.as_str());
    candidates.filter_map(|candidate| places(view, candidate, &[(definer, name)]).pop()?).collect()
}

/// What a file sees, kept for the next definition that it may refer to.
#[salsa::tracked(returns(ref), no_eq)]
fn scope(db: &dyn Db, input: PathInput) -> Scope {
    Scope::of(View::new(db), input.path(db).as_str().unwrap_or_default())
}

/// Where the file `candidate` refers to each of `definitions`, given as the file that defines and the name, in their order.
/// What the file sees is worked out once for all of them.
pub(crate) fn places(view: View<'_>, candidate: &str, definitions: &[(&str, &str)]) -> Vec<Option<Place>> {
    let mentions = view.mentions(candidate);
    let place_of = |&(definer, name): &(&str, &str)| {
        mentions.named(name).next()?;
        let mut place = Place { path: candidate.to_owned(), lines: Vec::new(), share: 0.0 };
        if candidate == definer {
            place.share = 1.0;
            place.lines.extend(mentions.named(name).flat_map(|group| &group.lines));
        } else {
            let scope = scope(view.db(), view.input(candidate));
            for local in scope.names_for(name) {
                for group in mentions.named(local) {
                    if group.role == Role::Import && !scope.imports(&group.name) {
                        continue;
                    }
                    let Some(share) = scope.meant(view, local, group.role).get(definer).copied() else { continue };
                    place.share = place.share.max(share);
                    place.lines.extend(&group.lines);
                }
            }
        }
        place.lines.sort_unstable();
        (!place.lines.is_empty()).then_some(place)
    };
    definitions.iter().map(place_of).collect()
}
