//! Which tests run what changed.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use icr_db::{NamedDefinition, Occurrence, largest_share};
use icr_history::BestFile;
use icr_impact::select::{
    Caller, MEMBER, ProjectManifest, Referrer, SourceName, SymbolName, TestEvidence, TestName, TestReach,
    manifest_names, reach, test_rows,
};
use icr_impact::symbols::DefinitionSide;
use icr_impact::{GraphEdge, GraphEdgeKind, SymbolChangeKind as Kind, TestChoice, TestPlan};
use icr_model::{RepoPath, SymbolKind};

use crate::Error;
use crate::change::callers::{Callers, FURTHER_FILES, enclosing, symbol_at};
use crate::change::comparison::ChangeComparison;
use crate::change::rust_tests::RustTests;
use crate::change::sides::ViewChange;
use crate::test_paths::is_run_by_tests;

/// Most tests whose imports are followed, the most promising first; following all tests would visit the whole program.
const FOLLOWED: usize = 20;

/// If a file has more importers, its top level says nothing about which tests run it.
const LOADERS: usize = 100;

/// Most files that are visited from one test.
const LOADS: usize = 150;

/// Strength with which loading a file that imports a changed one runs its top level in a way that a test would notice.
const LOADED: f64 = 0.1;

/// Names of functions that the language calls itself, when a value of their type is made or used by syntax. From the
/// language references: Python's `__init__` and other names of that form, JavaScript's `constructor` and PHP's
/// `__construct`, Ruby's `initialize`, Swift's `init`.
const BY_SYNTAX: [&str; 3] = ["constructor", "init", "initialize"];

/// Most tests that are drawn with what they test.
const DRAWN: usize = 30;

/// Which tests run what changed, and how.
pub(crate) struct Tests {
    pub(crate) choices: Vec<TestChoice>,
    pub(crate) plan: TestPlan,
    pub(crate) edges: Vec<GraphEdge>,
}

impl Tests {
    /// The result for a change that no test can notice.
    pub(crate) fn none() -> Self {
        let plan = TestPlan { selected: 0, total: 0, expected_recall: 1.0, commands: Vec::new() };
        Self { choices: Vec::new(), plan, edges: Vec::new() }
    }
}

/// A definition of the view after the change; without a name, the top level of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct DefinitionNode {
    path: RepoPath,
    name: String,
    lines: (u32, u32),
}

/// Ranks the tests of the view after the change. `paths` are all its files; `best` gives for a file the changed file
/// with which the history links it most.
pub(crate) fn tests(
    change: &ViewChange<'_>,
    compared: &ChangeComparison,
    callers: &Callers<'_>,
    paths: &[RepoPath],
    best: &HashMap<RepoPath, BestFile>,
) -> Result<Tests, Error> {
    let graph = callers.view.graph()?;
    let mut all: BTreeSet<&RepoPath> = BTreeSet::new();
    for path in paths {
        if is_run_by_tests(graph, path)? {
            all.insert(path);
        }
    }
    let changed: Vec<&RepoPath> = change.files.iter().map(|file| file.path()).collect();
    let changed_tests: Vec<bool> = changed.iter().map(|path| is_run_by_tests(graph, path)).collect::<Result<_, _>>()?;
    let symbols: Vec<DefinitionNode> = changed_definitions(compared);
    let sources: Vec<(&RepoPath, SourceName)> = changed
        .iter()
        .zip(changed_tests)
        .filter(|(_, is_test)| !is_test)
        .map(|(path, _)| (*path, SourceName::of(path)))
        .collect();
    let names: BTreeSet<&str> = symbols.iter().map(|definition| definition.name.as_str()).collect();
    let names: Vec<(&str, SymbolName)> = names.into_iter().map(|name| (name, SymbolName::of(name))).collect();
    let rust = RustTests::new(callers.view, paths, all.clone())?;
    let reached = follow(callers, &rust, &symbols)?;
    let mut modules: BTreeMap<RepoPath, &RepoPath> = BTreeMap::new();
    for path in &changed {
        if let Some(target) = rust.target_of_leading_module(path) {
            modules.entry(target).or_insert(path);
        }
    }
    let mut evidence: Vec<TestEvidence> = Vec::new();
    for test in &all {
        let mut known = TestEvidence::of((*test).clone());
        if let Some(reach) = reached.get(*test) {
            known = known.with_reach(reach, shown_name);
        }
        known.in_change = changed.contains(test);
        known.changed_module = modules.get(*test).map(ToString::to_string);
        let name = TestName::of(test);
        for (source, named) in &sources {
            let strength = name.pair_strength(named);
            if strength > known.pair {
                (known.pair, known.paired_file) = (strength, Some(source.to_string()));
            }
        }
        for (symbol, named) in &names {
            let strength = name.symbol_strength(named);
            if strength > known.symbol_pair {
                (known.symbol_pair, known.paired_symbol) = (strength, Some((*symbol).to_owned()));
            }
        }
        let share = |best: &BestFile| f64::from(best.shared) / f64::from(best.commits.max(1));
        known.cochange_confidence = best.get(*test).map_or(0.0, share);
        evidence.push(known);
    }
    follow_imports(callers, &changed, paths, &mut evidence)?;
    let among_code = rust.among_code(change, compared, &reached, shown_name)?;
    // Tests among code are counted where the change leads to them: to find the others, every file would have to be read.
    let total = all.len() + among_code.len();
    evidence.extend(among_code);
    rust.retain_affected(&changed_on_both_sides(change), &mut evidence);
    rust.add_features(&changed, &mut evidence)?;
    let manifests = manifests(callers, paths, &evidence)?;
    let (choices, plan) = test_rows(&evidence, total as u32, &manifests);
    let edges = choices.iter().filter(|choice| choice.selected).take(DRAWN).filter_map(|choice| {
        let reach = reached.get(&RepoPath::from(choice.path.as_str()))?;
        let target = reach.through.last()?;
        Some(GraphEdge {
            from: choice.path.clone(),
            to: target.path.to_string(),
            kind: GraphEdgeKind::Test,
            count: reach.direct.iter().map(|(_, count)| *count).sum::<u32>().max(1),
            label: shown_name(target),
        })
    });
    let edges = edges.collect();
    Ok(Tests { choices, plan, edges })
}

/// The paths of the files of a change, before and after it.
fn changed_on_both_sides<'c>(change: &'c ViewChange<'_>) -> Vec<&'c RepoPath> {
    change.files.iter().flat_map(|file| [&file.old, &file.new]).flatten().collect()
}

fn shown_name(definition: &DefinitionNode) -> String {
    if definition.name.is_empty() { definition.path.to_string() } else { definition.name.clone() }
}

/// What changed in a way that running it may show.
fn changed_definitions(compared: &ChangeComparison) -> Vec<DefinitionNode> {
    let is_run = |kind| !matches!(kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Module);
    let mut definitions: Vec<DefinitionNode> = compared
        .symbols
        .iter()
        .filter(|symbol| !matches!(symbol.change.change, Kind::Doc | Kind::Cosmetic))
        .filter_map(|symbol| symbol.change.new.as_ref())
        .filter(|definition| is_run(definition.kind))
        .map(|definition| DefinitionNode {
            path: definition.path.clone(),
            name: definition.name.clone(),
            lines: (definition.lines.start, definition.lines.end),
        })
        .collect();
    let loaded = compared.residues.iter().filter(|residue| residue.changed && !residue.only_imports);
    definitions.extend(loaded.map(|residue| top_level(&residue.path)));
    definitions.sort();
    definitions.dedup();
    definitions
}

fn top_level(path: &RepoPath) -> DefinitionNode {
    DefinitionNode { path: path.clone(), name: String::new(), lines: (0, 0) }
}

/// The tests that reach one of `changed`.
fn follow(
    callers: &Callers<'_>,
    rust: &RustTests<'_>,
    changed: &[DefinitionNode],
) -> Result<BTreeMap<RepoPath, TestReach<DefinitionNode>>, Error> {
    reach(changed, |level: &[DefinitionNode]| {
        let named = level.iter().filter(|definition| !definition.name.is_empty());
        let named =
            named.map(|definition| callers.definition_at(&definition.path, &definition.name, definition.lines.0));
        let named: Vec<NamedDefinition> = named.collect::<Result<_, _>>()?;
        // All names of a level are looked up together, so that each file is examined once for all of them.
        callers.referring(&named, FURTHER_FILES)?;
        level.iter().map(|definition| callers_of(callers, rust, definition)).collect()
    })
}

/// Definitions that may run `definition`.
fn callers_of(
    callers: &Callers<'_>,
    rust: &RustTests<'_>,
    definition: &DefinitionNode,
) -> Result<Vec<Caller<DefinitionNode>>, Error> {
    let mut found = Vec::new();
    let graph = callers.view.graph()?;
    if definition.name.is_empty() {
        if graph.import_candidates(&definition.path)?.len() <= LOADERS {
            for path in graph.importers(&definition.path)? {
                let by = match is_run_by_tests(graph, &path)? {
                    true => Referrer::Test(path),
                    false => Referrer::Definition(top_level(&path)),
                };
                found.push(Caller { by, weight: LOADED, references: 1 });
            }
        }
        return Ok(found);
    }
    let outer = outer(callers, definition)?;
    let mut names = vec![(definition.name.clone(), definition.lines)];
    if let Some((holder, is_function)) = outer {
        // Code that makes a value of a type runs its constructor, and refers to it by the name of the type.
        if !is_function && is_run_by_syntax(&definition.name) {
            names.push((holder.name, holder.lines));
        } else {
            let weight = if is_function { 1.0 } else { MEMBER };
            found.push(Caller { by: Referrer::Definition(holder), weight, references: 1 });
        }
    }
    for (name, own_lines) in names {
        let named = callers.definition_at(&definition.path, &name, own_lines.0)?;
        let referring = callers.referring(&[named], FURTHER_FILES)?;
        for file in &referring[0].files {
            let is_own = file.path == definition.path;
            let inside = |line: &u32| (own_lines.0..=own_lines.1).contains(line);
            let outside = |found: &&Occurrence| !is_own || !inside(&found.line);
            let outside: Vec<Occurrence> = file.occurrences.iter().filter(outside).copied().collect();
            if outside.is_empty() {
                continue;
            }
            if is_run_by_tests(graph, &file.path)? {
                let by = Referrer::Test(file.path.clone());
                found.push(Caller { by, weight: largest_share(&outside), references: outside.len() as u32 });
                continue;
            }
            if let Some(target) = rust.target_of_leading_module(&file.path) {
                let by = Referrer::Test(target);
                found.push(Caller { by, weight: largest_share(&outside), references: outside.len() as u32 });
                continue;
            }
            let Some(facts) = callers.facts(&file.path)? else { continue };
            // Code outside of all definitions runs when the file is loaded, whatever the test does.
            for (symbol, occurrences) in enclosing(&facts, &outside) {
                let by = match rust.is_inline_test(&file.path, &facts, symbol)? {
                    true => Referrer::Test(file.path.clone()),
                    false => Referrer::Definition(DefinitionNode {
                        path: file.path.clone(),
                        name: symbol.name.clone(),
                        lines: (symbol.lines.start, symbol.lines.end),
                    }),
                };
                found.push(Caller { by, weight: largest_share(&occurrences), references: occurrences.len() as u32 });
            }
        }
    }
    Ok(found)
}

/// The container of a definition, and whether that is a function.
fn outer(callers: &Callers<'_>, definition: &DefinitionNode) -> Result<Option<(DefinitionNode, bool)>, Error> {
    let Some(facts) = callers.facts(&definition.path)? else { return Ok(None) };
    let own = symbol_at(&facts, &definition.name, definition.lines.0);
    let parent = own.and_then(|own| facts.symbols[own].parent);
    Ok(parent.map(|parent| &facts.symbols[parent as usize]).map(|outer| {
        let holder = DefinitionNode {
            path: definition.path.clone(),
            name: outer.name.clone(),
            lines: (outer.lines.start, outer.lines.end),
        };
        (holder, matches!(outer.kind, SymbolKind::Function | SymbolKind::Method))
    }))
}

/// Whether a method makes the value of its type, so that the code that runs it names the type.
pub(crate) fn is_constructor(name: &str) -> bool {
    BY_SYNTAX.contains(&name) || matches!(name, "__construct" | "__init__" | "__new__")
}

/// The name under which other code uses a definition: for a constructor, that of its type.
pub(crate) fn used_name(definition: &DefinitionSide) -> &str {
    let of_type = definition.qualified_name.rsplit('.').nth(1).filter(|_| is_constructor(&definition.name));
    of_type.unwrap_or(&definition.name)
}

/// Whether a definition is a constructor, whose users mention its type.
pub(crate) fn constructs_type(definition: &DefinitionSide) -> bool {
    used_name(definition) != definition.name
        || definition.qualified_name.rsplit('.').nth(1) == Some(definition.name.as_str())
}

fn is_run_by_syntax(name: &str) -> bool {
    BY_SYNTAX.contains(&name) || (name.starts_with("__") && name.len() > 2)
}

/// For each test, the distance from the change by imports, and how much of the repository it loads.
fn follow_imports(
    callers: &Callers<'_>,
    changed: &[&RepoPath],
    paths: &[RepoPath],
    evidence: &mut [TestEvidence],
) -> Result<(), Error> {
    let mut order: Vec<usize> = (0..evidence.len()).collect();
    order.sort_by(|one, other| {
        let promise = |at: &usize| {
            let test: &TestEvidence = &evidence[*at];
            test.reach + test.pair + test.cochange_confidence
        };
        promise(other).total_cmp(&promise(one)).then(one.cmp(other))
    });
    let sources =
        paths.iter().filter(|path| icr_lang::language_row(icr_lang::language_of(path)).is_some()).count().max(1);
    let mut targets: HashMap<RepoPath, Vec<RepoPath>> = HashMap::new();
    for at in order.into_iter().take(FOLLOWED) {
        let test = &mut evidence[at];
        let mut seen: BTreeSet<RepoPath> = BTreeSet::from([test.path.clone()]);
        let mut queue: VecDeque<(RepoPath, u32)> = VecDeque::from([(test.path.clone(), 0)]);
        while let Some((path, distance)) = queue.pop_front() {
            if distance > 0 && changed.contains(&&path) && test.import_distance.is_none() {
                test.import_distance = Some(distance);
            }
            if seen.len() >= LOADS {
                break;
            }
            if !targets.contains_key(&path) {
                let edges = callers.view.graph()?.imports(&path)?.edges;
                targets.insert(path.clone(), edges.into_iter().map(|edge| edge.to).collect());
            }
            for target in &targets[&path] {
                if seen.insert(target.clone()) {
                    queue.push_back((target.clone(), distance + 1));
                }
            }
        }
        test.broad = (seen.len() - 1) as f64 / sources as f64;
    }
    Ok(())
}

/// The manifests in the directories of the tests and above, which say how to run them.
fn manifests(
    callers: &Callers<'_>,
    paths: &[RepoPath],
    evidence: &[TestEvidence],
) -> Result<Vec<ProjectManifest>, Error> {
    let mut above: BTreeSet<RepoPath> = BTreeSet::from([RepoPath::from("")]);
    for test in evidence {
        let mut directory = test.path.directory();
        while !directory.as_bytes().is_empty() && above.insert(directory.clone()) {
            directory = directory.directory();
        }
    }
    let names = manifest_names();
    let is_manifest = |path: &RepoPath| {
        let (path, name) = (path.as_bytes(), path.file_name());
        names.iter().any(|pattern| match pattern.strip_prefix('*') {
            Some(end) => name.ends_with(end.as_bytes()),
            None => {
                path.strip_suffix(pattern.as_bytes()).is_some_and(|above| above.is_empty() || above.ends_with(b"/"))
            }
        })
    };
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| above.contains(&path.directory()) && is_manifest(path)) {
        if let Some(text) = callers.view.view.text_at(path)? {
            found.push(ProjectManifest { path: path.clone(), text: String::from_utf8_lossy(&text).into_owned() });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}
