//! Finds what a change reaches: follows references from definition to definition, file by file.

use std::collections::{BTreeMap, BTreeSet};

use icr_db::{Counterpart, NamedDefinition, Occurrence, largest_share};
use icr_model::RepoPath;

use crate::Error;
use crate::ImpactRules;
use crate::change::callers::{Callers, FILES, FURTHER_FILES, enclosing, symbol_at};
use crate::test_paths::is_run_by_tests;

/// Most definitions that are followed at a further step, the strongest first.
const DEFINITIONS: usize = 150;

/// Least strength that is followed: about four steps by single callers.
const FAINTEST: f64 = 0.02;

/// A share above which a reference means a definition rather than any other.
pub(crate) const HALF: f64 = 0.5;

/// The part of a strength that is left for what a definition overrides or implements: its users may get this one or
/// another.
const OVERRIDDEN: f64 = 0.5;

/// How definitions are followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TraversalOptions {
    /// Most steps.
    pub(crate) depth: u32,
    /// Factor on a strength for each further step.
    pub(crate) further: f64,
}

impl TraversalOptions {
    pub(crate) fn of(rules: &ImpactRules) -> Self {
        Self { depth: rules.depth, further: rules.hop_decay }
    }

    /// To direct users only.
    pub(crate) fn one_step() -> Self {
        Self { depth: 1, ..Self::of(&ImpactRules::default()) }
    }
}

/// A definition that changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seed {
    pub(crate) path: RepoPath,
    pub(crate) name: String,
    pub(crate) qualified_name: String,
    /// First and last line.
    pub(crate) lines: (u32, u32),
    /// Whether every user must change, however many there are.
    pub(crate) breaks: bool,
    /// Whether it is a constructor, and `name` that of its type.
    pub(crate) constructs: bool,
}

/// What was reached.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReachResult {
    /// Reached files. The file of a seed is included if it refers to other seeds.
    pub(crate) files: BTreeMap<RepoPath, ReachedFile>,
    /// For each seed, the files that refer to it, except the one that defines it.
    pub(crate) users: Vec<BTreeSet<RepoPath>>,
    /// For each seed, the number of references in the file that defines it, outside of itself.
    pub(crate) own_references: Vec<u32>,
    /// Who refers to whom, by (from, to): occurrences and names.
    pub(crate) edges: BTreeMap<(RepoPath, RepoPath), (u32, BTreeSet<String>)>,
    /// Whether definitions were left out because there were too many.
    pub(crate) is_cut: bool,
}

/// A file that was reached.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReachedFile {
    /// Fewest steps from a seed; 1 for a file that refers to a seed.
    pub(crate) distance: u32,
    /// Number of references to seeds. A reference that may mean several seeds of one name counts once.
    pub(crate) references: u32,
    /// Qualified names of the seeds that it refers to, with their number of references.
    pub(crate) symbols: BTreeMap<String, u32>,
    /// Number of references that are counted, by name and line.
    pub(crate) counted: BTreeMap<(String, u32), u32>,
    /// The same by qualified name and line.
    pub(crate) counted_by_symbol: BTreeMap<(String, u32), u32>,
    /// Lines of these references.
    pub(crate) lines: BTreeSet<u32>,
    /// How strongly it is tied to the seeds, in `0.0..=1.0`.
    pub(crate) strength: f64,
    /// Files between a seed and this one, on the strongest path. The first is that of the seed if another definition there
    /// is between.
    pub(crate) via: Vec<RepoPath>,
}

/// A definition to follow, and how it was reached.
#[derive(Debug, Clone)]
struct TraversalStep {
    path: RepoPath,
    name: String,
    lines: (u32, u32),
    strength: f64,
    via: Vec<RepoPath>,
    /// Number of the seed, if it is one.
    seed: Option<usize>,
    /// The file of the seed that overrides or implements it, if one does.
    overridden_in: Option<RepoPath>,
}

/// Follows references from `seeds` with `callers` and the options `following`, no further than to tests.
///
/// Cost: for each step, a look at the files that mention the names of its definitions.
pub(crate) fn reach(callers: &Callers<'_>, seeds: &[Seed], following: TraversalOptions) -> Result<ReachResult, Error> {
    let mut reach = ReachResult {
        users: vec![BTreeSet::new(); seeds.len()],
        own_references: vec![0; seeds.len()],
        ..ReachResult::default()
    };
    let mut met: BTreeSet<(RepoPath, String, u32)> = BTreeSet::new();
    let mut level: Vec<TraversalStep> = seeds
        .iter()
        .enumerate()
        .map(|(at, seed)| TraversalStep {
            path: seed.path.clone(),
            name: seed.name.clone(),
            lines: seed.lines,
            strength: 1.0,
            via: Vec::new(),
            seed: Some(at),
            overridden_in: None,
        })
        .collect();
    for distance in 1..=following.depth {
        level.retain(|step| met.insert((step.path.clone(), step.name.clone(), step.lines.0)));
        level.sort_by(|one, other| {
            let stronger = other.strength.total_cmp(&one.strength);
            stronger.then_with(|| (&one.path, &one.name, one.lines).cmp(&(&other.path, &other.name, other.lines)))
        });
        // All seeds are followed, because the caller has already limited them.
        if distance > 1 {
            reach.is_cut |= level.len() > DEFINITIONS;
            level.truncate(DEFINITIONS);
        }
        if level.is_empty() {
            break;
        }
        let named = |step: &TraversalStep| callers.definition_at(&step.path, &step.name, step.lines.0);
        let asked: Vec<NamedDefinition> = level.iter().map(named).collect::<Result<_, _>>()?;
        let files = if distance == 1 { FILES } else { FURTHER_FILES };
        let found = callers.referring(&asked, files)?;
        let mut next: BTreeMap<(RepoPath, String, u32), TraversalStep> = BTreeMap::new();
        if distance == 1 && following.depth > 1 {
            for step in overridden(callers, &level)? {
                next.insert((step.path.clone(), step.name.clone(), step.lines.0), step);
            }
        }
        for (step, referring) in level.iter().zip(&found) {
            let users = referring.files.iter().filter(|file| file.path != step.path).count();
            for file in &referring.files {
                let is_own = file.path == step.path;
                // Code of a file that has an overridden definition may run the seed, too.
                let is_same_file = step.overridden_in.as_ref().map_or(is_own, |seed| file.path == *seed);
                let inside = |line: &u32| (step.lines.0..=step.lines.1).contains(line);
                // Who else overrides it does not run the seed.
                let facts = if step.overridden_in.is_some() { callers.facts(&file.path)? } else { None };
                let is_definition = |line: u32| {
                    let symbols = facts.iter().flat_map(|facts| &facts.symbols);
                    symbols.into_iter().any(|symbol| symbol.name == step.name && symbol.lines.start == line)
                };
                let outside = |found: &&Occurrence| (!is_own || !inside(&found.line)) && !is_definition(found.line);
                let mut outside: Vec<Occurrence> = file.occurrences.iter().filter(outside).copied().collect();
                let seed = step.seed.map(|at| &seeds[at]);
                if seed.is_some_and(|seed| seed.constructs)
                    && let Some(lines) = callers.constructing_lines(&file.path, &step.name)?
                {
                    outside.retain(|found| lines.contains(&found.line));
                }
                if outside.is_empty() {
                    continue;
                }
                let breaks = seed.is_some_and(|seed| seed.breaks);
                let strength_of = |occurrences: &[Occurrence]| {
                    following.strength(step, breaks, largest_share(occurrences), users, distance)
                };
                let strength = strength_of(&outside);
                if let Some(seed) = step.seed.filter(|_| is_own) {
                    reach.own_references[seed] = outside.iter().filter(|found| found.share > HALF).count() as u32;
                }
                if !is_same_file {
                    let lines: Vec<u32> = outside.iter().map(|found| found.line).collect();
                    reach.meet(step, seed, &file.path, &lines, strength, distance);
                }
                if strength < FAINTEST || distance == following.depth {
                    continue;
                }
                if !is_same_file && is_run_by_tests(callers.view.graph()?, &file.path)? {
                    continue;
                }
                let Some(facts) = callers.facts(&file.path)? else { continue };
                for (symbol, occurrences) in enclosing(&facts, &outside) {
                    let (name, lines) = (symbol.name.clone(), (symbol.lines.start, symbol.lines.end));
                    let mut via = step.via.clone();
                    if via.last() != Some(&file.path) {
                        via.push(file.path.clone());
                    }
                    // References between definitions of one file are no step to another file.
                    let strength = if is_same_file { step.strength * 0.9 } else { strength_of(&occurrences) };
                    let key = (file.path.clone(), name.clone(), lines.0);
                    let new = TraversalStep {
                        path: file.path.clone(),
                        name,
                        lines,
                        strength,
                        via,
                        seed: None,
                        overridden_in: None,
                    };
                    let known = next.entry(key).or_insert_with(|| new.clone());
                    if known.strength < new.strength {
                        *known = new;
                    }
                }
            }
        }
        level = next.into_values().collect();
    }
    Ok(reach)
}

/// Steps to what the definitions of `seeds` override or implement: who uses that may run them.
fn overridden(callers: &Callers<'_>, seeds: &[TraversalStep]) -> Result<Vec<TraversalStep>, Error> {
    let mut steps = Vec::new();
    for seed in seeds {
        let Some(facts) = callers.facts(&seed.path)? else { continue };
        let Some(at) = symbol_at(&facts, &seed.name, seed.lines.0) else { continue };
        for Counterpart { path, at, .. } in callers.view.graph()?.overridden(&seed.path, at as u32)? {
            let Some(facts) = callers.facts(&path)? else { continue };
            let Some(symbol) = facts.symbols.get(at as usize) else { continue };
            steps.push(TraversalStep {
                name: symbol.name.clone(),
                lines: (symbol.lines.start, symbol.lines.end),
                strength: seed.strength * OVERRIDDEN,
                // A call of it runs the seed, without code of its file in between.
                via: Vec::new(),
                path,
                seed: None,
                overridden_in: Some(seed.path.clone()),
            });
        }
    }
    Ok(steps)
}

impl TraversalOptions {
    /// The strength of `step` that is left for a file with the share `share` of the references to its definition, as
    /// one of `users`.
    fn strength(&self, step: &TraversalStep, breaks: bool, share: f64, users: usize, distance: u32) -> f64 {
        let further = if distance > 1 { self.further } else { 1.0 };
        // A user of a widely used definition seldom depends on the part that changed; a breaking change affects all
        // users.
        let damped = if breaks { 1.0 } else { 0.9 / (1.0 + 0.25 * (users.max(1) as f64).ln()) };
        step.strength * further * damped * share.sqrt()
    }
}

impl ReachResult {
    fn meet(
        &mut self,
        step: &TraversalStep,
        seed: Option<&Seed>,
        path: &RepoPath,
        lines: &[u32],
        strength: f64,
        distance: u32,
    ) {
        let new = || ReachedFile {
            distance,
            references: 0,
            symbols: BTreeMap::new(),
            counted: BTreeMap::new(),
            counted_by_symbol: BTreeMap::new(),
            lines: BTreeSet::new(),
            strength: 0.0,
            via: step.via.clone(),
        };
        let reached = self.files.entry(path.clone()).or_insert_with(new);
        if reached.distance == distance {
            // Independent causes: the probabilities combine as 1 - (1 - a)(1 - b).
            reached.strength = 1.0 - (1.0 - reached.strength) * (1.0 - strength);
        }
        if let Some(seed) = seed {
            reached.references += uncounted(&mut reached.counted, &seed.name, lines);
            let of_symbol = uncounted(&mut reached.counted_by_symbol, &seed.qualified_name, lines);
            *reached.symbols.entry(seed.qualified_name.clone()).or_default() += of_symbol;
            reached.lines.extend(lines);
            self.users[step.seed.expect("a seed has a number")].insert(path.clone());
        }
        let edge = self.edges.entry((path.clone(), step.path.clone())).or_default();
        edge.0 += lines.len() as u32;
        edge.1.insert(step.name.clone());
    }
}

/// Number of the references to `name` on `lines`, ascending, that are not yet in `counted`; they are added to it.
fn uncounted(counted: &mut BTreeMap<(String, u32), u32>, name: &str, lines: &[u32]) -> u32 {
    let mut new = 0;
    for same in lines.chunk_by(|one, other| one == other) {
        let known = counted.entry((name.to_owned(), same[0])).or_default();
        let count = same.len() as u32;
        new += count.saturating_sub(*known);
        *known = count.max(*known);
    }
    new
}
