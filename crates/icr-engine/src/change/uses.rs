//! Uses that a change of a promise breaks: the proof that a verdict rests on.
//!
//! A use is broken when it stands in the view after the change and what it says can no longer be meant there: its import takes a name that
//! is gone, nothing in reach is called so any more, or a call does not fit the parameters. Whatever cannot be told apart from here is no
//! proof, and makes a change one that may break.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use icr_db::{Meaning, NameUse};
use icr_impact::calls::{self, Arguments};
use icr_impact::contract::{Class, ContractFinding};
use icr_impact::symbols::Definition;
use icr_impact::{BrokenUse, Effect, Severity, Status};
use icr_model::{Facts, Import, Parameter, RepoPath, Role, SymbolKind};

use crate::Error;
use crate::change::bases::Bases;
use crate::change::callers::{Callers, FILES};
use crate::change::compared::{Compared, ComparedSymbol};
use crate::change::dependents::lost_imports;
use crate::change::mentions::{Object, Words, binds, is_named, is_telling};
use crate::change::sides::Change;

/// Least share that a definition has of a reference for nothing else to be meant.
const SURE: f64 = 0.99;

/// Longest file that is read to show a line of it, in bytes: a longer one is written by a program.
pub(crate) const LONGEST: usize = 4 << 20;

/// What a change of a promise does to its users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Consequence {
    pub(crate) effect: Effect,
    pub(crate) uses: Vec<BrokenUse>,
}

/// Who is known to use what changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Users<'a> {
    /// Files after the change, without the one that defines it.
    pub(crate) files: &'a BTreeSet<RepoPath>,
    /// How many of them the change leaves as they are.
    pub(crate) untouched: usize,
    /// Whether others than those of the repository may use it.
    pub(crate) is_public: bool,
}

/// Looks for uses in the view after a change.
pub(crate) struct UseFinder<'a> {
    change: &'a Change<'a>,
    compared: &'a Compared,
    old: &'a Callers<'a>,
    new: &'a Callers<'a>,
    /// Paths after the change by those before; what was copied is still where it was.
    moved: HashMap<&'a RepoPath, Option<&'a RepoPath>>,
    /// Paths before the change by those after.
    before: HashMap<&'a RepoPath, Option<&'a RepoPath>>,
    texts: RefCell<HashMap<RepoPath, Option<Rc<UseText>>>>,
    bases: Bases<'a>,
}

/// A file after the change, and the lines that it had before where it is one of the change.
struct UseText {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
    facts: Arc<Facts>,
    /// Lines of the file before the change, without the white space around them; `None` for a file that did not change.
    before: Option<BTreeSet<String>>,
}

/// What was seen at the users of a definition.
#[derive(Debug, Default)]
struct UseEvidence {
    broken: BTreeSet<BrokenUse>,
    /// Whether a use was left of which nobody can tell.
    is_unsure: bool,
}

impl<'a> UseFinder<'a> {
    pub(crate) fn new(
        change: &'a Change<'a>,
        compared: &'a Compared,
        old: &'a Callers<'a>,
        new: &'a Callers<'a>,
    ) -> Self {
        let moved = change.files.iter().filter(|file| file.status != Status::Copied);
        let moved = moved.filter_map(|file| Some((file.old.as_ref()?, file.new.as_ref()))).collect();
        let before = change.files.iter().filter_map(|file| Some((file.new.as_ref()?, file.old.as_ref()))).collect();
        Self {
            change,
            compared,
            old,
            new,
            moved,
            before,
            texts: RefCell::default(),
            bases: Bases::new(&change.old, old),
        }
    }

    /// What `finding` about `symbol` does to `users`.
    ///
    /// Cost: the lines of its users are read, and what its name means in each is worked out.
    pub(crate) fn check(
        &self,
        symbol: &ComparedSymbol,
        finding: &ContractFinding,
        users: Users<'_>,
    ) -> Result<Consequence, Error> {
        if finding.class.severity() < Severity::Breaking {
            return Ok(Consequence { effect: Effect::Holds, uses: Vec::new() });
        }
        let seen = match (&symbol.change.old, &symbol.change.new) {
            // What was not read in full may still define it.
            (Some(old), _) if takes_the_name(finding.class) && self.is_unread(&old.path) => None,
            (Some(old), _) if takes_the_name(finding.class) => Some(self.names(symbol, old, users)?),
            (Some(old), Some(new)) if takes_arguments(finding.class) => {
                Some(self.calls(symbol, finding, old, new, users)?)
            }
            _ => None,
        };
        // A public item whose users are all here and were all seen breaks none of them; without any, they are elsewhere.
        let is_unseen = users.is_public && users.files.is_empty();
        let (uses, is_unsure) = match seen {
            Some(seen) => (seen.broken, seen.is_unsure),
            None => (BTreeSet::new(), users.untouched > 0),
        };
        let effect = match () {
            () if !uses.is_empty() => Effect::Breaks,
            () if is_unsure || is_unseen => Effect::MayBreak,
            () => Effect::Holds,
        };
        Ok(Consequence { effect, uses: uses.into_iter().take(BrokenUse::MOST).collect() })
    }

    /// Uses of a name that is gone from where it was.
    fn names(&self, symbol: &ComparedSymbol, old: &Definition, users: Users<'_>) -> Result<UseEvidence, Error> {
        let mut seen = UseEvidence::default();
        let name = &old.name;
        let asked = [(old.path.clone(), name.clone())];
        let referring = self.old.referring(&asked, FILES)?.remove(0);
        let shares: HashMap<RepoPath, f64> =
            referring.files.iter().filter_map(|file| Some((self.after(&file.path)?, file.share))).collect();
        let is_left = !self.change.new.graph()?.defining_itself(name)?.is_empty();
        let is_member = symbol.change.holder.is_some_and(|holder| holder.kind != SymbolKind::Module);
        let may_inherit = is_member && self.bases.may_bring(old)?;
        let own = self.after(&old.path);
        // Whoever drops the import and keeps the name has it from elsewhere: the language, or something that is not followed.
        let is_given = self.some_dropped_only_the_import(users.files, name)?;
        let words = Words::of(old);
        let text_of_own = own.as_ref().map(|own| self.text(own)).transpose()?.flatten();
        for path in users.files.iter().chain(&own) {
            let Some(text) = self.text(path)? else { continue };
            let is_own = own.as_ref() == Some(path);
            let share = if is_own { 1.0 } else { shares.get(path).copied().unwrap_or(0.0) };
            let lost = if is_own { Vec::new() } else { self.lost_imports(path, &old.path, name)? };
            for line in lost {
                let reason = "what it imports is gone from there".to_owned();
                seen.broken.extend(text.shown(path, line, reason));
            }
            let is_reached = share > 0.0 && !is_given && !(is_member && may_inherit);
            let binds = OnceCell::new();
            let is_sure = is_reached && share >= SURE && !(is_member && is_left && !is_telling(name));
            for NameUse { role, lines, meaning } in self.change.new.graph()?.meanings(path, name)? {
                let is_other_member = is_member && is_left && role == Role::Member;
                for line in lines.into_iter().filter(|line| text.stood_before(*line)) {
                    let object = words.object(text.line(line).unwrap_or_default(), name);
                    let is_proof = match meaning {
                        Meaning::Lost => true,
                        // The type is still there and says itself that it has nothing of that name.
                        _ if object == Object::Holder && is_member => {
                            is_reached && !is_still_in(text_of_own.as_deref(), old)
                        }
                        Meaning::Outside => continue,
                        Meaning::Known if !is_other_member => continue,
                        Meaning::Known => false,
                        Meaning::Nothing => {
                            let is_bound = object == Object::None && *binds.get_or_init(|| text.binds(name));
                            is_sure && !is_bound && is_named(object, role, is_member, is_own, name)
                        }
                    };
                    match is_proof {
                        true => seen.broken.extend(text.shown(path, line, lost_reason(meaning, name))),
                        false => seen.is_unsure |= !is_own,
                    }
                }
            }
        }
        seen.is_unsure |= referring.is_partial;
        Ok(seen)
    }

    /// Whether one of `files` took `name` by an import before the change, takes it no more and still mentions it.
    fn some_dropped_only_the_import(&self, files: &BTreeSet<RepoPath>, name: &str) -> Result<bool, Error> {
        let takes = |facts: &Facts| {
            let mut names = facts.imports.iter().flat_map(|import| &import.names);
            names.any(|taken| taken.alias.as_deref().unwrap_or(&taken.name) == name)
        };
        for path in files.iter().filter(|path| self.before.contains_key(*path)) {
            let (was, is) = (self.old.facts(&self.before(path))?, self.new.facts(path)?);
            let (Some(was), Some(is)) = (was, is) else { continue };
            if takes(&was) && !takes(&is) && is.references.iter().any(|group| group.name == name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls that the parameters no longer take.
    fn calls(
        &self,
        symbol: &ComparedSymbol,
        finding: &ContractFinding,
        old: &Definition,
        new: &Definition,
        users: Users<'_>,
    ) -> Result<UseEvidence, Error> {
        let mut seen = UseEvidence::default();
        let shape = |side: &Definition, is_old| self.compared.texts.shape(side.file, is_old, side.symbol).parameters;
        let (before, now) = (shape(old, true), shape(new, false));
        // Building something is a call of the type.
        let built =
            new.qualified_name.rsplit('.').nth(1).filter(|_| new.language == "python" && new.name == "__init__");
        let name = built.map_or_else(|| new.name.clone(), str::to_owned);
        let asked = [(new.path.clone(), name.clone())];
        let referring = self.new.referring(&asked, FILES)?.remove(0);
        let definers = self.change.new.graph()?.defining_itself(&name)?;
        let is_member = symbol.change.holder.is_some_and(|holder| holder.kind != SymbolKind::Module);
        let words = Words::of(new);
        for file in &referring.files {
            let is_own = file.path == new.path;
            let Some(text) = self.text(&file.path)? else { continue };
            let namesakes = text.facts.symbols.iter().filter(|other| other.name == name).count();
            let is_sure = match is_own {
                true => namesakes <= 1,
                false => file.share >= SURE && namesakes == 0 && definers.len() <= 1,
            };
            let mut lines = file.lines.clone();
            lines.dedup();
            for line in lines {
                if is_own && built.is_none() && line == new.lines.start || text.imports_on(line) {
                    continue;
                }
                for call in calls::calls(&new.language, text.text_from(line).unwrap_or_default(), &name) {
                    let is_its = !is_own
                        || !is_member
                        || built.is_some()
                        || matches!(
                            words.object(text.line(line).unwrap_or_default(), &name),
                            Object::None | Object::Itself
                        );
                    match is_sure.then(|| fitness(&new.language, &before, &now, call.as_ref())).flatten() {
                        Some(true) => {}
                        Some(false) if is_its => {
                            let reason = format!("this call does not fit: {}", finding.detail);
                            seen.broken.extend(text.shown(&file.path, line, reason));
                        }
                        Some(false) | None => seen.is_unsure |= !is_own && users.untouched > 0,
                    }
                }
            }
        }
        seen.is_unsure |= referring.is_partial;
        Ok(seen)
    }

    /// Lines of `path` that took `name` from `old`, the file that defined it, and lead nowhere now.
    fn lost_imports(&self, path: &RepoPath, old: &RepoPath, name: &str) -> Result<Vec<u32>, Error> {
        if self.after(old).as_ref() == Some(old) {
            return Ok(Vec::new());
        }
        let takes = |import: &Import| {
            import.names.is_empty() || import.names.iter().any(|taken| taken.name == name || taken.name == "*")
        };
        let lost = lost_imports(self.change, &self.before(path), path, old)?;
        Ok(lost.iter().filter(|import| takes(import)).map(|import| import.line).collect())
    }

    /// Whether the file that was at `path` is one that was not read in full after the change.
    fn is_unread(&self, path: &RepoPath) -> bool {
        let after = self.after(path).map(|after| after.to_string());
        self.compared.texts.incomplete.iter().any(|row| row.code && Some(&row.path) == after.as_ref())
    }

    /// What the file at `path` before the change is called after it; `None` when it is gone.
    fn after(&self, path: &RepoPath) -> Option<RepoPath> {
        match self.moved.get(path) {
            Some(new) => new.cloned(),
            None => Some(path.clone()),
        }
    }

    /// What the file at `path` after the change was called before it.
    fn before(&self, path: &RepoPath) -> RepoPath {
        self.before.get(path).copied().flatten().unwrap_or(path).clone()
    }

    fn text(&self, path: &RepoPath) -> Result<Option<Rc<UseText>>, Error> {
        if let Some(known) = self.texts.borrow().get(path) {
            return Ok(known.clone());
        }
        let read = self.read(path)?.map(Rc::new);
        self.texts.borrow_mut().insert(path.clone(), read.clone());
        Ok(read)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<UseText>, Error> {
        let text = self.change.new.view.text_at(path)?.filter(|text| text.len() <= LONGEST);
        let (Some(text), Some(facts)) = (text, self.new.facts(path)?) else { return Ok(None) };
        let before = match self.before.contains_key(path) {
            true => {
                let text = self.change.old.view.text_at(&self.before(path))?.unwrap_or_default();
                let lines = String::from_utf8_lossy(&text).lines().map(|line| line.trim().to_owned()).collect();
                Some(lines)
            }
            false => None,
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Ok(Some(UseText { text, starts, facts, before }))
    }
}

impl UseText {
    fn line(&self, line: u32) -> Option<&str> {
        self.text_from(line)?.lines().next().map(str::trim)
    }

    /// The text from the begin of a line on.
    fn text_from(&self, line: u32) -> Option<&str> {
        self.text.get(*self.starts.get(line.checked_sub(1)? as usize)?..)
    }

    fn shown(&self, path: &RepoPath, line: u32, reason: String) -> Option<BrokenUse> {
        let text = self.line(line)?;
        let text = text[..text.floor_char_boundary(BrokenUse::TEXT)].to_owned();
        Some(BrokenUse { path: path.to_string(), line, text, reason })
    }

    /// Whether a line was there before the change: one that it wrote knows what it did.
    fn stood_before(&self, line: u32) -> bool {
        let Some(before) = &self.before else { return true };
        self.line(line).is_some_and(|line| before.contains(line))
    }

    fn imports_on(&self, line: u32) -> bool {
        self.facts.imports.iter().any(|import| import.line == line)
    }

    /// Whether the file may bind `name` to something of its own: a parameter, a variable, a loop.
    fn binds(&self, name: &str) -> bool {
        self.text.lines().any(|line| binds(line, name))
    }
}

/// Whether a call that fitted before fits now; `None` for what did not fit before, or of which nobody can tell.
fn fitness(language: &str, before: &[Parameter], now: &[Parameter], call: Option<&Arguments>) -> Option<bool> {
    let call = call?;
    let fits_now = calls::fits(language, now, call)?;
    (fits_now || calls::fits(language, before, call)?).then_some(fits_now)
}

fn lost_reason(meaning: Meaning, name: &str) -> String {
    match meaning {
        Meaning::Lost => format!("`{name}` is gone from where this takes it"),
        _ => format!("nothing in reach is called `{name}` any more"),
    }
}

/// Whether the file that defined `old` still defines something of its full name: an overload, the other half of a property.
fn is_still_in(own: Option<&UseText>, old: &Definition) -> bool {
    let facts = own.map(|text| &text.facts);
    facts.is_some_and(|facts| {
        let mut named = (0..facts.symbols.len() as u32).filter(|at| facts.symbols[*at as usize].name == old.name);
        named.any(|at| facts.qualified_name(at) == old.qualified_name)
    })
}

/// Whether a change of this class takes the name from where users find it.
fn takes_the_name(class: Class) -> bool {
    [Class::FIELD_REMOVED, Class::MOVED, Class::REMOVED, Class::RENAMED, Class::VARIANT_REMOVED].contains(&class)
}

/// Whether a change of this class is one that a call can be held against.
fn takes_arguments(class: Class) -> bool {
    [
        Class::PARAMETER_ADDED_REQUIRED,
        Class::PARAMETER_KIND_CHANGED,
        Class::PARAMETER_MADE_REQUIRED,
        Class::PARAMETER_REMOVED,
        Class::PARAMETER_RENAMED,
    ]
    .contains(&class)
}
