//! Finds uses that a contract change breaks: the proof for a verdict.
//!
//! A use is broken when it exists in the view after the change and cannot mean the same definition any more: its import
//! takes a name that is gone, nothing in scope has that name, or a call does not fit the parameters. A use that cannot
//! be decided here is no proof; the change then only may break it.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use icr_db::{
    Counterpart, ExtensionMembers, NameMeaning, NameUse, NamedDefinition, Referring, may_be_given, resolution_rules,
};
use icr_impact::calls::{self, Arguments, Misfit};
use icr_impact::contract::{ContractChangeClass, ContractFinding};
use icr_impact::symbols::{DefinitionSide, definition_rules};
use icr_impact::{BrokenUse, ContractChange, Effect, FileStatus, Severity};
use icr_model::{Facts, Import, Parameter, ReferenceGroup, RepoPath, Role, Symbol, SymbolKind, Visibility};

use crate::Error;
use crate::change::bases::Bases;
use crate::change::callers::{Callers, FILES};
use crate::change::comparison::{ChangeComparison, ComparedSymbol};
use crate::change::declarations::{incomplete_types, unfit_declaration};
use crate::change::dependents::lost_imports;
use crate::change::mentions::{Object, SurroundingNames, is_named, is_telling};
use crate::change::published::is_published;
use crate::change::reach::HALF;
use crate::change::sides::ViewChange;
use crate::change::testing::{self, constructs_type, used_name};
use crate::change::use_text::{LineShares, UseText};

/// Least share of a reference that a definition must have, for the reference to mean only that definition.
const SURE: f64 = 0.99;

/// Most definitions of the name of a deleted member that are examined in one file.
const NAMESAKES: usize = 64;

/// Longest file that is read to show one of its lines, in bytes: a longer one is generated.
pub(crate) const TEXT_BYTES_MOST: usize = 4 << 20;

/// The effect of a contract change on its users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Consequence {
    pub(crate) effect: Effect,
    pub(crate) uses: Vec<BrokenUse>,
    /// Whether code was found that breaks or may break; without such code, users are only not known.
    pub(crate) has_grounds: bool,
    /// Number of the uses that are in the defining file.
    pub(crate) uses_here: u32,
    /// `path:line` of a declaration that the definition no longer fits.
    pub(crate) declared_at: Option<String>,
    /// `path:line` of types that inherit a required member and may lack it.
    pub(crate) lacked_by: Vec<String>,
}

impl Consequence {
    /// That of a change that asks nothing of users.
    pub(crate) fn none() -> Self {
        Self {
            effect: Effect::Holds,
            uses: Vec::new(),
            has_grounds: false,
            uses_here: 0,
            declared_at: None,
            lacked_by: Vec::new(),
        }
    }
}

/// The known users of a changed definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Users<'a> {
    /// Files that use it, by their paths after the change, without the defining file.
    pub(crate) files: &'a BTreeSet<RepoPath>,
    /// For a name that is gone, how many of the files still mention it; for other changes, how many the change leaves
    /// unmodified.
    pub(crate) untouched: usize,
    /// Whether code outside of the repository may use it.
    pub(crate) is_public: bool,
}

/// Searches uses in the view after a change.
pub(crate) struct UseFinder<'a> {
    change: &'a ViewChange<'a>,
    compared: &'a ChangeComparison,
    old: &'a Callers<'a>,
    new: &'a Callers<'a>,
    /// Paths after the change by paths before it; a copied file keeps its old path.
    moved: HashMap<&'a RepoPath, Option<&'a RepoPath>>,
    /// Paths before the change by those after.
    before: HashMap<&'a RepoPath, Option<&'a RepoPath>>,
    texts: RefCell<HashMap<RepoPath, Option<Rc<UseText>>>>,
    bases: Bases<'a>,
    lost_imports: RefCell<LostImports>,
    mentions: OnceCell<HashMap<String, Vec<usize>>>,
}

/// Imports that the change left without a target, by importer and imported file.
type LostImports = HashMap<(RepoPath, RepoPath), Rc<Vec<Import>>>;

/// What was found at the users of a definition.
#[derive(Debug, Default)]
struct UseEvidence {
    broken: BTreeSet<BrokenUse>,
    /// Whether some use in another file could not be decided.
    is_unsure: bool,
    /// The same for the defining file.
    is_unsure_here: bool,
}

/// A call that no longer fits the parameters, and why.
#[derive(Debug)]
struct UnfitCall {
    place: BrokenUse,
    misfits: Vec<Misfit>,
}

/// What was found at the calls of a definition.
#[derive(Debug, Default)]
struct CallEvidence {
    unfit: Vec<UnfitCall>,
    /// Whether some call in another file could not be decided.
    is_unsure: bool,
    /// Whether the defining file overrides the definition and was not adapted.
    is_unsure_here: bool,
    /// Whether the defining file still calls the definition as before, in a way that could not be held against the
    /// parameters.
    has_unread_call_here: bool,
}

/// The uses of one definition, searched once for all its findings.
pub(crate) struct SymbolUses<'f> {
    finder: &'f UseFinder<'f>,
    symbol: &'f ComparedSymbol,
    users: Users<'f>,
    names: OnceCell<UseEvidence>,
    calls: OnceCell<CallEvidence>,
    taken_elsewhere: OnceCell<bool>,
    is_published: OnceCell<bool>,
    unfit: OnceCell<Option<UnfitDefinition>>,
}

/// A definition that no longer fits a declaration.
#[derive(Debug, Clone)]
struct UnfitDefinition {
    /// `path:line` of the declaration.
    declared_at: String,
    /// The type that has to define it and does not, where that is sure.
    lacking_type: Option<BrokenUse>,
}

/// What is known about a deleted or moved name, for all its users.
struct GoneName<'n> {
    name: &'n str,
    is_member: bool,
    /// Whether something else has the name after the change.
    is_left: bool,
    /// Whether a member of that name may be inherited from a base outside of the repository.
    may_inherit: bool,
    /// Whether users may get the name from elsewhere: the language, or an import that is not followed.
    is_given: bool,
    /// Whether the defining file still defines something with the same qualified name.
    is_still_there: bool,
    /// Whether that file still defines the container.
    has_holder: bool,
    /// Whether the name is a field, which cannot be imported.
    is_field: bool,
}

/// What is known about one line that mentions the name.
struct Mentioning {
    /// Whether it is in the defining file.
    is_own: bool,
    /// The share that the definition had of it before the change; 1 in the defining file.
    share: f64,
    /// Whether it meant the definition before the change rather than anything else.
    was_meant: bool,
    /// Whether its file names the container of the definition.
    names_holder: bool,
}

/// The verdict on a mention of a deleted or moved name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MentionVerdict {
    /// The use is broken.
    Broken,
    /// The use cannot be decided.
    Doubtful,
    /// The mention means something else.
    Other,
}

impl GoneName<'_> {
    /// The verdict on a mention in the role `role` with the object `object` in front. The name means `meaning` after
    /// the change; `binds` tells whether the file may bind the name itself.
    fn mention(
        &self,
        line: &Mentioning,
        meaning: NameMeaning,
        role: Role,
        object: Object,
        binds: impl FnOnce() -> bool,
    ) -> MentionVerdict {
        let is_reached = line.share > 0.0 && !self.is_given && !self.may_inherit;
        let told = |is_broken| if is_broken { MentionVerdict::Broken } else { MentionVerdict::Doubtful };
        match meaning {
            NameMeaning::Lost if self.is_field => MentionVerdict::Doubtful,
            NameMeaning::Lost => MentionVerdict::Broken,
            // The text around it tells the type, which no longer has the member. If it had none before either, it gets
            // it in a way that the text does not show.
            NameMeaning::Missing => told(is_reached && line.share >= SURE && line.was_meant && !self.is_still_there),
            // The type still exists, and its definition shows that it has no such member.
            _ if object == Object::Holder && self.is_member => {
                told(is_reached && !self.is_still_there && (self.has_holder || !self.is_left))
            }
            NameMeaning::Outside => MentionVerdict::Other,
            NameMeaning::MayBeMadeUp => MentionVerdict::Doubtful,
            NameMeaning::MayBeKnown if line.was_meant => MentionVerdict::Doubtful,
            NameMeaning::MayBeKnown => MentionVerdict::Other,
            // Of several members with one name, any may be meant.
            NameMeaning::Known if self.is_left && role == Role::Member && (self.is_member || line.was_meant) => {
                MentionVerdict::Doubtful
            }
            NameMeaning::Known => MentionVerdict::Other,
            NameMeaning::MayBeOutside => MentionVerdict::Doubtful,
            NameMeaning::Nothing => {
                let is_sure = line.share >= SURE && !(self.is_member && self.is_left && !is_telling(self.name));
                let is_named = || is_named(object, role, self.is_member, line.is_own, line.names_holder, self.name);
                told(is_reached && is_sure && !(object == Object::None && binds()) && is_named())
            }
        }
    }
}

impl<'a> UseFinder<'a> {
    pub(crate) fn new(
        change: &'a ViewChange<'a>,
        compared: &'a ChangeComparison,
        old: &'a Callers<'a>,
        new: &'a Callers<'a>,
    ) -> Self {
        let moved = change.files.iter().filter(|file| file.status != FileStatus::Copied);
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
            lost_imports: RefCell::default(),
            mentions: OnceCell::new(),
        }
    }

    /// The uses of `symbol` at `users`.
    pub(crate) fn of(&'a self, symbol: &'a ComparedSymbol, users: Users<'a>) -> SymbolUses<'a> {
        SymbolUses {
            finder: self,
            symbol,
            users,
            names: OnceCell::new(),
            calls: OnceCell::new(),
            taken_elsewhere: OnceCell::new(),
            is_published: OnceCell::new(),
            unfit: OnceCell::new(),
        }
    }

    /// Uses of a name that is deleted or moved.
    fn names(&self, symbol: &ComparedSymbol, old: &DefinitionSide, users: Users<'_>) -> Result<UseEvidence, Error> {
        let name = &old.name;
        let named = self.old.definition_at(&old.path, name, old.lines.start)?;
        let referring = self.old.referring(&[named], FILES)?.remove(0);
        let referring_at: HashMap<RepoPath, &Referring> =
            referring.files.iter().filter_map(|file| Some((self.after(&file.path)?, file))).collect();
        let own = self.after(&old.path);
        let text_of_own = own.as_ref().map(|own| self.text(own)).transpose()?.flatten();
        let is_member = symbol.change.holder.is_some_and(|holder| holder.kind != SymbolKind::Module);
        let words = SurroundingNames::of(old);
        let is_extension = is_extension(old);
        let gone = GoneName {
            name,
            is_member,
            is_left: !self.change.new.graph()?.defining_itself(name)?.is_empty(),
            // Private members are not inherited, if a modifier and not only the name makes them private.
            may_inherit: is_member && !is_private(old) && self.bases.may_inherit(old)?,
            is_given: is_given_by_language(old)
                || is_member && may_be_given(&old.language, name)
                || self.some_dropped_only_the_import(users.files, name)?,
            is_still_there: is_still_in(text_of_own.as_deref(), old),
            has_holder: text_of_own.as_ref().is_some_and(|text| {
                text.facts.symbols.iter().any(|symbol| Some(symbol.name.as_str()) == words.holder())
            }),
            is_field: old.kind == SymbolKind::Field,
        };
        let mut seen = UseEvidence { is_unsure: referring.is_partial, ..UseEvidence::default() };
        let mut others = self.mentioned_by_the_change(name)?;
        if users.is_public && own.as_ref() != Some(&old.path) {
            others.extend(self.importers(&old.path)?);
        }
        for path in users.files.iter().chain(&own).chain(others.difference(users.files)) {
            let Some(text) = self.text(path)? else { continue };
            let is_own = own.as_ref() == Some(path);
            // Java code reaches definitions of other JVM languages by names that their compilers generate.
            let is_elsewhere = gone.is_left && definition_rules(&text.facts.language).is_of_java_machine;
            if !is_own && !is_elsewhere {
                for line in self.lost_imports(path, &old.path, name)? {
                    let reason = "what it imports is gone from there".to_owned();
                    seen.broken.extend(text.broken_use_at(path, line).map(|place| BrokenUse { reason, ..place }));
                }
            }
            let shares = LineShares::of(&text, referring_at.get(path).copied());
            let names_holder =
                words.holder().is_some_and(|holder| text.facts.references.iter().any(|group| group.name == holder));
            let binds = OnceCell::new();
            let uses = self.change.new.graph()?.meanings(path, name)?;
            for NameUse { role, lines, meaning } in uses {
                let meaning = match meaning {
                    // A type from outside has no such member either: it got it from the extension.
                    NameMeaning::Outside if is_extension && role == Role::Member && gone.is_left => NameMeaning::Known,
                    NameMeaning::Outside if is_extension && role == Role::Member => NameMeaning::Nothing,
                    meaning => meaning,
                };
                // In lines that the change wrote, only an import without a target is proof: any other use may mean
                // something else.
                let is_judged = |line: &u32| meaning == NameMeaning::Lost || text.stood_before(*line);
                for line in lines.into_iter().filter(is_judged) {
                    let object = words.object(text.line(line).unwrap_or_default(), name);
                    let binds = || *binds.get_or_init(|| text.binds(name));
                    let share = shares.at(line);
                    let was_meant = share > HALF;
                    let mentioning =
                        Mentioning { is_own, share: if is_own { 1.0 } else { share }, was_meant, names_holder };
                    match gone.mention(&mentioning, meaning, role, object, binds) {
                        MentionVerdict::Broken => {
                            let reason = lost_reason(meaning, name, is_member);
                            seen.broken
                                .extend(text.broken_use_at(path, line).map(|place| BrokenUse { reason, ..place }));
                        }
                        MentionVerdict::Doubtful if is_own => seen.is_unsure_here |= was_meant,
                        MentionVerdict::Doubtful => seen.is_unsure = true,
                        MentionVerdict::Other => {}
                    }
                }
            }
            let (broken, is_doubtful) = self.without_base(&gone, old, path, &shares)?;
            seen.broken.extend(broken);
            seen.is_unsure |= is_doubtful && !is_own;
            seen.is_unsure_here |= is_doubtful && is_own;
        }
        Ok(seen)
    }

    /// Definitions in the file at `path` that overrode the deleted member or were its body, and now override nothing or
    /// define nothing that is declared; and whether there are some of which this is not sure.
    fn without_base(
        &self,
        gone: &GoneName<'_>,
        old: &DefinitionSide,
        path: &RepoPath,
        shares: &LineShares<'_>,
    ) -> Result<(Vec<BrokenUse>, bool), Error> {
        let (mut broken, mut is_doubtful) = (Vec::new(), false);
        let text = shares.text;
        let is_bound = definition_rules(&old.language).override_mark.is_some();
        let namesakes = (0..).zip(&text.facts.symbols).filter(|(_, symbol)| symbol.name == gone.name);
        let mut examined = 0;
        for (at, symbol) in namesakes {
            let line = text.line_of(symbol.name_start);
            let share = shares.at(symbol.lines.start).max(shares.at(line));
            if share == 0.0 || !text.stood_before(line) {
                continue;
            }
            examined += 1;
            if examined > NAMESAKES {
                is_doubtful = true;
                break;
            }
            if !is_bound {
                // What it called there is gone, or is something further up.
                is_doubtful |= text.calls_base(symbol);
                continue;
            }
            if !self.change.new.graph()?.overridden(path, at)?.is_empty() {
                continue;
            }
            let is_sure = share >= SURE && !gone.is_given && !gone.may_inherit && gone.has_holder;
            match is_sure && text.is_bound_to_base(symbol) {
                true => {
                    let reason = format!("`{}`, which it overrides or defines, is gone", old.qualified_name);
                    broken.extend(text.broken_use_at(path, line).map(|place| BrokenUse { reason, ..place }));
                }
                false => is_doubtful = true,
            }
        }
        Ok((broken, is_doubtful))
    }

    /// Files of the change that mention `name` after it and are not users of the definition: new files, and files that
    /// started to mention it.
    fn mentioned_by_the_change(&self, name: &str) -> Result<BTreeSet<RepoPath>, Error> {
        let mentions = once(&self.mentions, || self.mentions_of_the_change())?;
        let files = mentions.get(name).into_iter().flatten();
        Ok(files.filter_map(|at| self.change.files[*at].new.clone()).collect())
    }

    /// Changed files by the names that they mention after the change. Built once, since it is needed for each deleted
    /// definition.
    fn mentions_of_the_change(&self) -> Result<HashMap<String, Vec<usize>>, Error> {
        let mut mentions: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, file) in self.change.files.iter().enumerate() {
            let facts = file.new.as_ref().map(|path| self.new.facts(path)).transpose()?.flatten();
            for group in facts.iter().flat_map(|facts| &facts.references) {
                match mentions.get_mut(&group.name) {
                    Some(files) => files.push(at),
                    None => drop(mentions.insert(group.name.clone(), vec![at])),
                }
            }
        }
        Ok(mentions)
    }

    /// Whether one of `files` imported `name` before the change, does not import it any more and still mentions it.
    fn some_dropped_only_the_import(&self, files: &BTreeSet<RepoPath>, name: &str) -> Result<bool, Error> {
        let takes = |facts: &Facts| {
            let mut names = facts.imports.iter().flat_map(|import| &import.names);
            names.any(|taken| taken.alias.as_deref().unwrap_or(&taken.name) == name)
        };
        for path in files.iter().filter(|path| self.before.contains_key(*path)) {
            let (was, is) = (self.old.facts(&self.path_before(path))?, self.new.facts(path)?);
            let (Some(was), Some(is)) = (was, is) else { continue };
            if takes(&was) && !takes(&is) && is.references.iter().any(|group| group.name == name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls that no longer fit the parameters.
    fn calls(
        &self,
        symbol: &ComparedSymbol,
        old: &DefinitionSide,
        new: &DefinitionSide,
        users: Users<'_>,
    ) -> Result<CallEvidence, Error> {
        let shape =
            |side: &DefinitionSide, is_old| self.compared.texts.shape(side.file, is_old, side.symbol).parameters;
        let (before, now) = (shape(old, true), shape(new, false));
        // Constructing a value is a call of its type.
        let is_constructor = definition_rules(&new.language).constructor == Some(new.name.as_str());
        let name = if is_constructor { used_name(new) } else { &new.name }.to_owned();
        let called = match resolution_rules(&new.language).constructing_member {
            Some(member) if is_constructor => format!("{name}.{member}"),
            _ => name.clone(),
        };
        // By its own name, not that of its type, only the method of this type is meant.
        let named = match is_constructor || constructs_type(new) {
            true => NamedDefinition { path: new.path.clone(), name: name.clone(), holder: None },
            false => self.new.definition_at(&new.path, &name, new.lines.start)?,
        };
        let referring = self.new.referring(&[named], FILES)?.remove(0);
        let definers = self.change.new.graph()?.defining_itself(&name)?;
        let is_method = !is_constructor && symbol.change.holder.is_some_and(|holder| holder.kind != SymbolKind::Module);
        let words = SurroundingNames::of(new);
        // A declaration in a header and its definition in a source file count as one.
        let declares_apart = resolution_rules(&new.language).declares_apart;
        let definers = definers.iter().filter(|path| !(declares_apart && is_header(path))).count();
        // For overloads, the text of a call does not tell which one is meant.
        let is_overloaded = !is_constructor
            && self.new.facts(&new.path)?.is_some_and(|facts| {
                let named = (0..facts.symbols.len() as u32).filter(|at| facts.symbols[*at as usize].name == name);
                named.filter(|at| facts.qualified_name(*at) == new.qualified_name).count() > 1
            });
        // A type that takes parameters itself may have more constructors.
        let has_more_constructors = self.new.facts(&new.path)?.is_some_and(|facts| {
            let mut members = facts.symbols.iter().filter(|member| member.parent == Some(new.symbol));
            members.any(|member| testing::is_constructor(&member.name))
        });
        let mut seen = CallEvidence { is_unsure: referring.is_partial, ..CallEvidence::default() };
        for file in &referring.files {
            let is_own = file.path == new.path;
            let Some(text) = self.text(&file.path)? else { continue };
            // A type has the name of its constructor.
            let is_type = |kind| matches!(kind, SymbolKind::Class | SymbolKind::Enum | SymbolKind::Struct);
            let namesakes =
                text.facts.symbols.iter().filter(|other| other.name == name && !is_type(other.kind)).count();
            // Of several definitions with the name, an import may say which one the bare name is.
            let is_imported = !is_own && definers > 1 && self.imports_only(&file.path, &name, &new.path)?;
            let is_only_one = match is_own {
                true => namesakes <= 1 && !has_more_constructors,
                false => namesakes == 0 && !has_more_constructors && (definers <= 1 || is_imported) && !is_overloaded,
            };
            let constructing = match constructs_type(new) {
                true => self.new.constructing_lines(&file.path, &name)?,
                false => None,
            };
            for occurrences in file.occurrences.chunk_by(|one, other| one.line == other.line) {
                let line = occurrences[0].line;
                let is_definition = is_own && !is_constructor && line == new.lines.start;
                let is_other = constructing.as_ref().is_some_and(|lines| !lines.contains(&line));
                if is_definition || is_other || text.imports_on(line) {
                    continue;
                }
                let defines = |other: &Symbol| other.name == name && other.lines.start == line;
                if text.facts.symbols.iter().any(defines) {
                    // What overrides it may have to change with it.
                    let stood = text.stood_before(line);
                    seen.is_unsure |= !is_own && stood;
                    seen.is_unsure_here |= is_own && stood;
                    continue;
                }
                // A call under another name is not checked.
                let written = text.line(line).unwrap_or_default();
                if !written.contains(&called) {
                    seen.is_unsure |= !is_own && users.untouched > 0;
                    continue;
                }
                let object = words.object(written, &name);
                let has_whole_share = occurrences.iter().any(|found| found.share >= SURE);
                let calls = calls::calls(&new.language, text.text_from(line).unwrap_or_default(), &called);
                // A call that names the type means its method, whatever else has the name.
                let names_holder = is_method && object == Object::Holder && has_whole_share && calls.len() == 1;
                let is_sure = is_only_one && (is_own || has_whole_share) || names_holder && !is_overloaded;
                let is_its = match is_own {
                    true => !is_method || is_own_member(object, has_whole_share, &name),
                    false => !is_imported || object == Object::None || names_holder,
                };
                let is_left_call = || is_its && text.stood_before(line) && text.calls_on(line, &name);
                for call in calls {
                    // Another overload is meant.
                    let is_for_another = || {
                        let misfits = call.as_ref().and_then(|call| calls::misfits(&new.language, &before, call));
                        misfits.is_some_and(|misfits| !misfits.is_empty())
                    };
                    let misfits = call.as_ref().and_then(|call| misfits(&new.language, &before, &now, call));
                    let fits = misfits.as_ref().is_some_and(Vec::is_empty);
                    match (misfits.filter(|_| is_sure), text.broken_use_at(&file.path, line)) {
                        (Some(misfits), _) if misfits.is_empty() => {}
                        (Some(misfits), Some(place)) if is_its => seen.unfit.push(UnfitCall { place, misfits }),
                        _ if is_own => seen.has_unread_call_here |= !fits && is_left_call() && !is_for_another(),
                        _ => seen.is_unsure |= users.untouched > 0,
                    }
                }
            }
        }
        Ok(seen)
    }

    /// Whether all that the imports of the file at `path` bring as `name` after the change is of the file at `definer`.
    fn imports_only(&self, path: &RepoPath, name: &str, definer: &RepoPath) -> Result<bool, Error> {
        let origins = self.change.new.graph()?.import_origins(path, name)?;
        Ok(!origins.is_empty() && origins.iter().all(|(origin, there)| origin == definer && there == name))
    }

    /// Importers of the file that was at `path`, by their paths after the change; only some if there are many.
    fn importers(&self, path: &RepoPath) -> Result<Vec<RepoPath>, Error> {
        let importers = self.change.old.graph()?.importers(path)?;
        Ok(importers.iter().take(FILES).filter_map(|importer| self.after(importer)).collect())
    }

    /// Lines of `path` that imported `name` from `old`, its defining file, and have no target now.
    fn lost_imports(&self, path: &RepoPath, old: &RepoPath, name: &str) -> Result<Vec<u32>, Error> {
        // If the defining file still exists, only an import that names the definition itself loses its target.
        let is_there = self.after(old).as_ref() == Some(old);
        let takes = |import: &Import| match import.names.as_slice() {
            [] if is_there => import.specifier.rsplit(['.', ':', '\\']).next() == Some(name),
            [] => true,
            names => names.iter().any(|taken| taken.name == name || taken.name == "*" && !is_there),
        };
        let key = (path.clone(), old.clone());
        let known = self.lost_imports.borrow().get(&key).cloned();
        let lost = match known {
            Some(known) => known,
            None => {
                let found = Rc::new(lost_imports(self.change, &self.path_before(path), path, old)?);
                self.lost_imports.borrow_mut().insert(key, Rc::clone(&found));
                found
            }
        };
        Ok(lost.iter().filter(|import| takes(import)).map(|import| import.line).collect())
    }

    /// Whether the file that was at `path` could not be read in full after the change.
    pub(crate) fn is_unread(&self, path: &RepoPath) -> bool {
        let after = self.after(path).map(|after| after.to_string());
        self.compared.texts.incomplete.iter().any(|row| row.code && Some(&row.path) == after.as_ref())
    }

    /// The path after the change of the file that was at `path`; `None` if it is deleted.
    pub(crate) fn after(&self, path: &RepoPath) -> Option<RepoPath> {
        match self.moved.get(path) {
            Some(new) => new.cloned(),
            None => Some(path.clone()),
        }
    }

    /// The path before the change of the file that is at `path` now.
    fn path_before(&self, path: &RepoPath) -> RepoPath {
        self.before.get(path).copied().flatten().unwrap_or(path).clone()
    }

    /// The use on a line of the file at `path`; its reason is still empty.
    pub(crate) fn broken_use_at(&self, path: &RepoPath, line: u32) -> Result<Option<BrokenUse>, Error> {
        Ok(self.text(path)?.and_then(|text| text.broken_use_at(path, line)))
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
        let text = self.change.new.view.text_at(path)?.filter(|text| text.len() <= TEXT_BYTES_MOST);
        let (Some(text), Some(facts)) = (text, self.new.facts(path)?) else { return Ok(None) };
        let masked = |mut text: Vec<u8>| {
            self.change.new.mask(&mut text);
            text
        };
        // Answers show the beginning of lines, in which a part of a credential would not be recognised.
        let text = masked(text);
        let before = match self.before.contains_key(path) {
            true => Some(masked(self.change.old.view.text_at(&self.path_before(path))?.unwrap_or_default())),
            false => None,
        };
        Ok(Some(UseText::new(&text, facts, before.as_deref())))
    }
}

impl SymbolUses<'_> {
    /// Whether a broken use of `old` by its name can be proved. It cannot for an implementation block, which has the
    /// name of its type, nor if the defining file was not read in full and may still define the name.
    fn is_provable(&self, old: &DefinitionSide) -> bool {
        old.kind != SymbolKind::Implementation && !self.finder.is_unread(&old.path)
    }

    /// Whether a file that the change leaves alone takes the member from its type (`Type.member`), although no file is
    /// known to refer to it. Asked only about names that no other file defines, of the member and of its type.
    ///
    /// Cost: once for all findings, the facts of the files that may mention the member.
    pub(crate) fn is_taken_elsewhere(&self) -> Result<bool, Error> {
        once(&self.taken_elsewhere, || self.find_taken_elsewhere()).copied()
    }

    fn find_taken_elsewhere(&self) -> Result<bool, Error> {
        let Some(old) = self.symbol.change.old.as_ref().filter(|_| self.symbol.change.holder.is_some()) else {
            return Ok(false);
        };
        let Some(holder) = SurroundingNames::of(old).holder() else { return Ok(false) };
        let change = self.finder.change;
        let graph = change.old.graph()?;
        for name in [old.name.as_str(), holder] {
            if graph.defining_itself(name)?.iter().any(|definer| *definer != old.path) {
                return Ok(false);
            }
        }
        let mentioning = change.new.graph()?.mentioning(&old.name)?;
        // Of a name that so many files may mention, it is not known who uses it.
        if mentioning.len() > FILES {
            return Ok(true);
        }
        let is_of_change = |path: &RepoPath| change.files.iter().any(|file| file.new.as_ref() == Some(path));
        for path in mentioning.iter().filter(|path| !is_of_change(path)) {
            let Some(facts) = self.finder.new.facts(path)? else { continue };
            let takes = |group: &ReferenceGroup| group.name == old.name && group.receiver.as_deref() == Some(holder);
            if facts.language == old.language && facts.references.iter().any(takes) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The effect of `finding` about the definition on its users.
    ///
    /// Cost: the lines of its users are read, and the meaning of the name in each of them is resolved, once for all
    /// findings; if no use breaks, that of [`unfit_declaration`]; for a member without users, that of
    /// [`Self::is_taken_elsewhere`].
    pub(crate) fn consequence(&self, finding: &ContractFinding) -> Result<Consequence, Error> {
        if finding.class.severity() < Severity::Breaking {
            return Ok(Consequence::none());
        }
        let (old, new) = (self.symbol.change.old.as_ref(), self.symbol.change.new.as_ref());
        if let Some(new) = new.filter(|_| finding.class == ContractChangeClass::MEMBER_REQUIRED) {
            return self.consequence_for_subtypes(new);
        }
        let (uses, is_unsure, is_unsure_here) = match (old, new) {
            // Users mention the type, which may have other constructors.
            (Some(old), _) if finding.class.takes_the_name() && constructs_type(old) => {
                (BTreeSet::new(), self.users.untouched > 0, false)
            }
            (Some(old), _) if finding.class.takes_the_name() && self.is_provable(old) => {
                let seen = once(&self.names, || self.finder.names(self.symbol, old, self.users))?;
                (seen.broken.clone(), seen.is_unsure, seen.is_unsure_here)
            }
            (Some(old), Some(new)) if takes_arguments(finding.class) => {
                let seen = once(&self.calls, || self.finder.calls(self.symbol, old, new, self.users))?;
                let reason = format!("this call does not fit: {}", finding.detail);
                let explained = seen.unfit.iter().filter(|call| call.misfits.iter().any(|why| explains(finding, why)));
                let uses = explained.map(|call| BrokenUse { reason: reason.clone(), ..call.place.clone() });
                // A call by place does not notice another name.
                let has_unread_call =
                    seen.has_unread_call_here && finding.class != ContractChangeClass::PARAMETER_RENAMED;
                (uses.collect(), seen.is_unsure, seen.is_unsure_here || has_unread_call)
            }
            _ => (BTreeSet::new(), self.users.untouched > 0, false),
        };
        let own = match (old, new) {
            (_, Some(new)) => Some(new.path.to_string()),
            (Some(old), None) => self.finder.after(&old.path).map(|path| path.to_string()),
            (None, None) => None,
        };
        let uses_here = uses.iter().filter(|used| Some(&used.path) == own.as_ref()).count() as u32;
        let language = old.or(new).map_or("", |side| side.language.as_str());
        let unfit = match uses.is_empty() && leaves_declaration(finding.class, language) {
            true => self.unfit_definition()?.clone(),
            false => None,
        };
        let declared_at = unfit.as_ref().map(|unfit| unfit.declared_at.clone());
        let uses: BTreeSet<BrokenUse> = uses.into_iter().chain(unfit.and_then(|unfit| unfit.lacking_type)).collect();
        // If a public definition has users here and all of them were checked, nothing here breaks; without any, its
        // users are elsewhere. A library may have others there, too.
        let mut has_grounds = !uses.is_empty() || is_unsure_here || declared_at.is_some();
        if self.users.files.is_empty() && !is_unsure && !has_grounds {
            has_grounds = self.is_taken_elsewhere()?;
        }
        let is_unseen = uses.is_empty()
            && self.users.is_public
            && (self.users.files.is_empty() || self.is_missed_elsewhere(finding.class)?)
            && !self.follows_declaration(finding.class)?;
        let effect = match () {
            () if !uses.is_empty() => Effect::Breaks,
            () if is_unsure || has_grounds || is_unseen => Effect::MayBreak,
            () => Effect::Holds,
        };
        let uses = uses.into_iter().take(BrokenUse::MOST).collect();
        Ok(Consequence { effect, uses, uses_here, has_grounds, declared_at, lacked_by: Vec::new() })
    }

    /// Whether the definition implements a declaration that the change changed alike, which has its users.
    fn follows_declaration(&self, class: ContractChangeClass) -> Result<bool, Error> {
        let change = &self.symbol.change;
        let (graph, side) = match (&change.old, &change.new) {
            (_, Some(new)) => (self.finder.change.new.graph()?, new),
            (Some(old), None) => (self.finder.change.old.graph()?, old),
            (None, None) => return Ok(false),
        };
        let declarations = graph.overridden(&side.path, side.symbol)?;
        let is_changed_alike = |declaration: &Counterpart| {
            self.finder.compared.symbols.iter().any(|other| {
                let of_other = match change.new {
                    Some(_) => other.change.new.as_ref(),
                    None => other.change.old.as_ref(),
                };
                of_other.is_some_and(|of| of.path == declaration.path && of.symbol == declaration.at)
                    && other.findings.iter().any(|finding| finding.class == class)
            })
        };
        Ok(declarations.iter().any(is_changed_alike))
    }

    /// Whether code outside of the repository may have used what a change of the class takes from it.
    fn is_missed_elsewhere(&self, class: ContractChangeClass) -> Result<bool, Error> {
        match self.symbol.change.old.as_ref() {
            // What is left of it is not there for those who are shut out.
            Some(old) if class == ContractChangeClass::VISIBILITY_REDUCED => is_published(self.finder.old, old),
            _ => Ok(is_gone_outside(class) && self.is_published()?),
        }
    }

    /// Whether a library offered the definition to code outside of the repository, and nothing of its name is left there.
    fn is_published(&self) -> Result<bool, Error> {
        once(&self.is_published, || {
            let Some(old) = self.symbol.change.old.as_ref() else { return Ok(false) };
            let finder = self.finder;
            let own = finder.after(&old.path).map(|own| finder.text(&own)).transpose()?.flatten();
            let is_member = self.symbol.change.holder.is_some_and(|holder| holder.kind != SymbolKind::Module);
            let is_left = is_still_in(own.as_deref(), old)
                || !is_member && !finder.change.new.graph()?.defining_itself(&old.name)?.is_empty();
            if is_left { Ok(false) } else { is_published(finder.old, old) }
        })
        .copied()
    }

    /// The effect of `member` on its subtypes, which have to define it from now on. Its callers need no change.
    fn consequence_for_subtypes(&self, member: &DefinitionSide) -> Result<Consequence, Error> {
        let (finder, declared_at) = (self.finder, format!("{}:{}", member.path, member.lines.start));
        let incomplete = incomplete_types(finder.change, finder.new, member)?;
        let mut uses = BTreeSet::new();
        for (path, line) in &incomplete.refused {
            let reason = format!("it has to define `{}` as declared at `{declared_at}`", member.name);
            uses.extend(finder.broken_use_at(path, *line)?.map(|ty| BrokenUse { reason, ..ty }));
        }
        let own = member.path.to_string();
        let uses_here = uses.iter().filter(|used| used.path == own).count() as u32;
        let is_doubtful = !incomplete.doubtful.is_empty();
        let effect = match () {
            () if !uses.is_empty() => Effect::Breaks,
            () if is_doubtful || self.users.is_public => Effect::MayBreak,
            () => Effect::Holds,
        };
        let lacked_by = incomplete.doubtful.iter().map(|(path, line)| format!("{path}:{line}"));
        Ok(Consequence {
            effect,
            has_grounds: !uses.is_empty() || is_doubtful,
            uses: uses.into_iter().take(BrokenUse::MOST).collect(),
            uses_here,
            declared_at: None,
            lacked_by: lacked_by.take(ContractChange::LACKED_BY_MOST).collect(),
        })
    }

    /// What the change leaves of a declaration that the definition fitted.
    fn unfit_definition(&self) -> Result<&Option<UnfitDefinition>, Error> {
        let (finder, change) = (self.finder, &self.symbol.change);
        once(&self.unfit, || {
            let Some(old) = change.old.as_ref() else { return Ok(None) };
            let left =
                unfit_declaration(finder.change, (finder.old, finder.new), &finder.bases, old, change.new.as_ref())?;
            let Some(left) = left else { return Ok(None) };
            let declared_at = format!("{}:{}", left.path, left.line);
            let lacking_type = match left.lacking_type {
                Some((path, line)) => finder.broken_use_at(&path, line)?.map(|ty| {
                    let reason = format!("it has to define `{}` as declared at `{declared_at}`", old.name);
                    BrokenUse { reason, ..ty }
                }),
                None => None,
            };
            Ok(Some(UnfitDefinition { declared_at, lacking_type }))
        })
    }
}

/// The value of `cell`, computed on first use.
pub(crate) fn once<T>(cell: &OnceCell<T>, find: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    match cell.get() {
        Some(known) => Ok(known),
        None => {
            let found = find()?;
            Ok(cell.get_or_init(|| found))
        }
    }
}

/// Why a call that fitted before no longer fits, or gives something else than before; empty if neither. `None` if it did
/// not fit before, or if that cannot be decided.
fn misfits(language: &str, before: &[Parameter], now: &[Parameter], call: &Arguments) -> Option<Vec<Misfit>> {
    let misfits = calls::misfits(language, now, call)?;
    let has_fitted = calls::misfits(language, before, call)?.is_empty();
    match misfits.is_empty() {
        true if has_fitted => Some(calls::taken_for_others(language, before, now, call)),
        true => Some(misfits),
        false => has_fitted.then_some(misfits),
    }
}

/// Whether a member called `name` of the file itself is meant behind `object`; `has_whole_share` says whether nothing else
/// may be meant. Values of other types have members of common names, too.
fn is_own_member(object: Object, has_whole_share: bool, name: &str) -> bool {
    match object {
        Object::None | Object::Itself | Object::Holder => true,
        Object::Module => has_whole_share,
        Object::Value => has_whole_share && is_telling(name),
        Object::Another => false,
    }
}

/// Whether `finding` can be the reason that a call does not fit.
fn explains(finding: &ContractFinding, misfit: &Misfit) -> bool {
    match (finding.class, misfit) {
        (ContractChangeClass::PARAMETER_REMOVED, Misfit::TakenForAnother(name)) => {
            finding.detail.contains(&format!("`{name}`"))
        }
        (_, Misfit::TakenForAnother(_)) => false,
        (ContractChangeClass::PARAMETER_KIND_CHANGED, _) => true,
        (
            ContractChangeClass::PARAMETER_ADDED_REQUIRED | ContractChangeClass::PARAMETER_MADE_REQUIRED,
            Misfit::Missing | Misfit::GivenTwice,
        ) => true,
        (ContractChangeClass::PARAMETER_REMOVED, Misfit::TooMany) => true,
        (
            ContractChangeClass::PARAMETER_REMOVED | ContractChangeClass::PARAMETER_RENAMED,
            Misfit::UnknownName(name),
        ) => finding.detail.contains(&format!("`{name}`")),
        _ => false,
    }
}

/// Whether a method extends other types, as the name of its class says by convention.
fn is_extension(definition: &DefinitionSide) -> bool {
    let holder = definition.qualified_name.rsplit('.').nth(1).unwrap_or_default();
    let extensions = resolution_rules(&definition.language).extensions;
    extensions == ExtensionMembers::ByNameOfClass && holder.ends_with("Extensions")
}

/// Whether the language itself has a constant of that name, which the definition only stood in for.
fn is_given_by_language(definition: &DefinitionSide) -> bool {
    let name = definition.name.as_str();
    let is_it = |given: &&str| name == *given || given.ends_with('_') && name.starts_with(given);
    definition_rules(&definition.language).given_constants.iter().any(is_it)
}

fn lost_reason(meaning: NameMeaning, name: &str, is_member: bool) -> String {
    match meaning {
        NameMeaning::Missing if is_member => format!("its type has nothing called `{name}` any more"),
        NameMeaning::Lost | NameMeaning::Missing => format!("`{name}` is gone from where this takes it"),
        _ => format!("nothing in reach is called `{name}` any more"),
    }
}

/// Whether the language restricts the definition to its own surroundings.
pub(crate) fn is_private(definition: &DefinitionSide) -> bool {
    definition.visibility == Visibility::Private && !definition_rules(&definition.language).private_is_advice
}

/// Whether the file is a header of C or C++.
fn is_header(path: &RepoPath) -> bool {
    path.as_str().is_some_and(|path| path.rsplit('.').next().is_some_and(|end| end.starts_with('h')))
}

/// Whether the file that defined `old` still defines something with its qualified name: an overload, the other accessor
/// of a property.
fn is_still_in(own: Option<&UseText>, old: &DefinitionSide) -> bool {
    let facts = own.map(|text| &text.facts);
    facts.is_some_and(|facts| {
        let mut named = (0..facts.symbols.len() as u32).filter(|at| facts.symbols[*at as usize].name == old.name);
        named.any(|at| facts.qualified_name(at) == old.qualified_name)
    })
}

/// Whether changes of this class leave nothing of the name for code outside of the repository.
fn is_gone_outside(class: ContractChangeClass) -> bool {
    class.takes_the_name() && class != ContractChangeClass::MOVED
}

/// Whether changes of this class separate a definition of the language from its declaration.
fn leaves_declaration(class: ContractChangeClass, language: &str) -> bool {
    let of_parameters = [ContractChangeClass::PARAMETER_ADDED_REQUIRED, ContractChangeClass::PARAMETER_REMOVED];
    class.takes_the_name() || of_parameters.contains(&class) && definition_rules(language).fixes_parameters
}

/// Whether calls can be checked against changes of this class.
fn takes_arguments(class: ContractChangeClass) -> bool {
    [
        ContractChangeClass::PARAMETER_ADDED_REQUIRED,
        ContractChangeClass::PARAMETER_KIND_CHANGED,
        ContractChangeClass::PARAMETER_MADE_REQUIRED,
        ContractChangeClass::PARAMETER_REMOVED,
        ContractChangeClass::PARAMETER_RENAMED,
    ]
    .contains(&class)
}
