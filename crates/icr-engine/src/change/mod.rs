//! The impact of a change: what it touches, what it forgot, which tests to run.

mod accepted;
mod applied_patch;
mod bases;
mod calibrate;
mod callers;
mod candidates;
mod code_memories;
mod comparison;
mod declarations;
mod dependents;
mod derived_traits;
mod exports_gone;
mod impact_cache;
mod imports_gone;
mod incomplete;
mod mentions;
mod prior_history;
mod published;
mod push_base;
mod reach;
mod replay;
mod rules;
mod rust_tests;
mod sides;
mod testing;
mod texts;
mod type_names;
mod use_text;
mod uses;
mod words;

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use icr_history::{BestFile, unauthored};
use icr_impact::contract::Categories;
use icr_impact::expect::{Diff, DiffCandidate, FileNameIndex, Ranking, SHIPPED_WARNING};
use icr_impact::{AnswerLimits, ExpectedFile, Findings, GraphEdge, GraphEdgeKind, Impact, assemble};
use icr_model::{Gap, Provenance, RepoPath};

use crate::change::callers::Callers;
use crate::change::candidates::{candidates, partners};
use crate::change::comparison::ChangeComparison;
use crate::change::dependents::dependents;
use crate::change::prior_history::{Judgement, PriorHistory};
use crate::change::reach::TraversalOptions;
use crate::change::sides::ChangePlan;
use crate::change::testing::Tests;
use crate::snapshot_context::SnapshotContext;
use crate::test_paths::is_test;
use crate::{Error, Snapshot};
use icr_impact::Dependent;

pub use accepted::{AcceptProblem, accept_list_problems};
pub(crate) use calibrate::calibrate;
pub(crate) use impact_cache::{AnsweredImpact, ImpactQuestion, KeptImpact, impact_to_keep};
pub(crate) use incomplete::{Opaque, outside};
pub use push_base::PushBase;
pub(crate) use replay::is_code;
pub use replay::{
    CalibratedBin, CalibrationReport, MethodScores, Replay, ReplayRequest, ReplayRow, Task, TaskScores, WarningScores,
    replay,
};
pub use rules::RuleFiles;
pub(crate) use rules::rule_file;
pub use sides::ChangeSource;
pub(crate) use sides::{ChangePlanner, DEEPEN, FilePair, ViewChange};

/// Most files that are drawn only because they are expected to change, each with its partner in the change.
const DRAWN: usize = 10;

/// A change to look into.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactRequest {
    /// The change.
    pub source: ChangeSource,
    /// How far the change is followed, and how much is reported.
    pub rules: ImpactRules,
}

impl ImpactRequest {
    /// The request with the usual rules.
    pub fn new(source: ChangeSource) -> Self {
        Self { source, rules: ImpactRules::default() }
    }
}

/// How far a change is followed, and how much is reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactRules {
    /// Steps from the change along references, in [`ImpactRules::DEPTH`].
    pub depth: u32,
    /// Factor on a strength for each further step, in `0.0..=1.0`.
    pub hop_decay: f64,
    /// Sizes of the answer, each within the range of the constant of that name.
    pub most: AnswerLimits,
    /// Which contract changes count in the verdict.
    pub categories: Categories,
}

impl Default for ImpactRules {
    /// Two steps, each of which halves a strength; all contract changes count.
    fn default() -> Self {
        Self { depth: 2, hop_decay: 0.5, most: AnswerLimits::default(), categories: Categories::ALL }
    }
}

impl ImpactRules {
    /// Range of steps: after five, everything is reached.
    pub const DEPTH: RangeInclusive<u32> = 1..=5;
    /// Range of the number of files in lists and graph.
    pub const NODES: RangeInclusive<u32> = 10..=500;
    /// Range of the number of edges in the graph.
    pub const EDGES: RangeInclusive<u32> = 10..=2_000;
    /// Range of the number of files expected to change.
    pub const EXPECTED: RangeInclusive<u32> = 1..=1_000;
    /// Range of the number of warnings.
    pub const MISSING: RangeInclusive<u32> = 0..=20;
    /// Range of the number of files to read.
    pub const REVIEW: RangeInclusive<u32> = 1..=200;

    /// The same rules with the steps, files and edges that a user asked for.
    #[must_use]
    pub fn with_requested_limits(self, depth: Option<u32>, nodes: Option<u32>, edges: Option<u32>) -> Self {
        let nodes = nodes.map_or(self.most.nodes, |nodes| nodes as usize);
        let edges = edges.map_or(self.most.edges, |edges| edges as usize);
        Self { depth: depth.unwrap_or(self.depth), most: AnswerLimits { nodes, edges, ..self.most }, ..self }
    }

    fn check(&self) -> Result<(), Error> {
        let AnswerLimits { nodes, edges, expected, missing, review } = self.most;
        let bounds = [
            ("depth", self.depth as usize, Self::DEPTH),
            ("max_nodes", nodes, Self::NODES),
            ("max_edges", edges, Self::EDGES),
            ("max_expected", expected, Self::EXPECTED),
            ("max_missing", missing, Self::MISSING),
            ("max_review", review, Self::REVIEW),
        ];
        for (field, value, range) in bounds {
            let (least, most) = (*range.start(), *range.end());
            if !(least as usize..=most as usize).contains(&value) {
                return Err(Error::Bounds { field, allowed: format!("{least} to {most}"), value: value.to_string() });
            }
        }
        if !(0.0..=1.0).contains(&self.hop_decay) {
            let (allowed, value) = ("0 to 1".to_owned(), self.hop_decay.to_string());
            return Err(Error::Bounds { field: "hop_decay", allowed, value });
        }
        Ok(())
    }
}

/// Which views a request is about; an error if the request cannot be answered.
pub(crate) fn plan_impact(context: &SnapshotContext, request: &ImpactRequest) -> Result<ChangePlan, Error> {
    request.rules.check()?;
    ChangePlanner::of(context).plan(&request.source)
}

/// As [`crate::Engine::impact`], from what the store has; uncommitted files are those of this view.
///
/// # Errors
///
/// Those of [`crate::Engine::impact`].
pub fn impact(snapshot: &Snapshot, request: &ImpactRequest) -> Result<(Impact, Provenance), Error> {
    let change = plan_impact(&snapshot.context, request)?.change(&request.source, snapshot)?;
    impact_of(&change, &request.rules)
}

/// Qualified names of the contracts in the files of a change, except tests: a request for whole files may change all of
/// them.
fn declared_contracts(change: &ViewChange<'_>) -> Result<BTreeSet<String>, Error> {
    let mut declared = BTreeSet::new();
    for path in change.files.iter().filter_map(|file| file.new.as_ref()) {
        if is_test(change.new.graph()?, path)? {
            continue;
        }
        let Some(file) = change.new.view.file(path)? else { continue };
        let facts = change.new.facts(file.row.blob_no)?;
        let contracts = (0..).zip(&facts.symbols).filter(|(_, symbol)| symbol.contract.is_some());
        declared.extend(contracts.map(|(at, _)| facts.qualified_name(at)));
    }
    Ok(declared)
}

pub(crate) fn impact_of(change: &ViewChange<'_>, rules: &ImpactRules) -> Result<(Impact, Provenance), Error> {
    let compared = ChangeComparison::of(change)?;
    let (old_callers, new_callers) = (Callers::new(&change.old), Callers::new(&change.new));
    let found = compared.seeds.reach(change, &old_callers, &new_callers, TraversalOptions::of(rules))?;
    let callers = (&old_callers, &new_callers);
    let (mut contracts, mut affected_files) = compared.contracts(change, &found, callers, rules.categories)?;
    let mut sides = change.sides.clone();
    sides.notes.extend(accepted::accept(change, &mut contracts)?);
    let dependents = dependents(change, &compared, &found)?;
    let mut modified_contracts = compared.modified_contracts();
    if change.is_whole_files {
        let declared = declared_contracts(change)?;
        let uses = |dependent: &&Dependent| dependent.symbols.iter().any(|symbol| declared.contains(symbol));
        affected_files.extend(dependents.direct.iter().filter(uses).map(|dependent| dependent.path.clone()));
        modified_contracts = declared;
    }
    // The search for tests runs later, follows further, and may add gaps.
    let partial = new_callers.partial();
    let past = PriorHistory::read(&change.old, change.made_on)?;
    let places = places(&change.old)?;
    let words = words::changed_words(&compared.texts);
    let (diff, candidates) = candidates(&change.old, &change.new, &change.files, &past, &places, &found, &words)?;
    let judgement = Judgement::read(&change.old, change.made_on)?;
    let best = best_files(&candidates);
    let ranking = Ranking::new(&diff, candidates, &places);
    let expected = ranking.best(&judgement.weights, rules.most.expected);
    // A generated or otherwise unauthored file cannot be forgotten.
    let is_authored = |path: &RepoPath| unauthored(path).is_none();
    let forgotten = ranking.best_of(is_authored, &SHIPPED_WARNING, rules.most.missing);
    let mut edges = dependents.edges;
    edges.extend(cochange_edges(&diff, &expected, &best));
    let changed = compared.texts.rows(&change.files, change.is_whole_files);
    let tests = match changed.iter().all(|file| file.cosmetic) {
        true => Tests::none(),
        false => testing::tests(change, &compared, &new_callers, &change.new.view.paths()?, &best)?,
    };
    edges.extend(tests.edges);
    let history_unknown = past.unknown();
    let answer = assemble(Findings {
        sides,
        changed,
        incomplete: compared.texts.incomplete.clone(),
        symbols: compared.rows(),
        contracts,
        modified_contracts,
        affected_files,
        direct: dependents.direct,
        transitive: dependents.transitive,
        expected,
        forgotten,
        warning: judgement.warning.filter(|_| past.warns() && !change.files.is_empty()),
        cochange: partners(&change.old, &change.files, &past)?,
        tests: tests.choices,
        test_plan: tests.plan,
        edges,
        history_unknown,
        most: rules.most,
    });
    let answer = Impact { memories: code_memories::memories_about_change(change, &answer), ..answer };
    let mut gaps: BTreeSet<Gap> = change.new.provenance().gaps.iter().cloned().collect();
    // A gap of both sides that counts something is reported once, with its value after the change.
    let told: Vec<_> = gaps.iter().map(std::mem::discriminant).collect();
    let old_gaps = change.old.provenance().gaps.iter().filter(|gap| !told.contains(&std::mem::discriminant(*gap)));
    gaps.extend(old_gaps.cloned());
    gaps.extend(past.gaps().iter().cloned());
    if judgement.is_uncalibrated && !change.files.is_empty() {
        gaps.insert(Gap::Uncalibrated);
    }
    let partial: BTreeSet<String> = old_callers.partial().into_iter().chain(partial).collect();
    if compared.seeds.is_cut || found.is_cut || !partial.is_empty() {
        gaps.insert(Gap::StoppedReferences { names: partial.into_iter().collect() });
    }
    Ok((answer, Provenance { gaps: gaps.into_iter().collect(), ..change.new.provenance().clone() }))
}

/// For each candidate, the file of the change with the strongest tie in the history.
fn best_files(candidates: &[DiffCandidate]) -> HashMap<RepoPath, BestFile> {
    let best = |candidate: &DiffCandidate| Some((candidate.path.clone(), candidate.history?.best?));
    candidates.iter().filter_map(best).collect()
}

/// The edges between the files most expected to change and those of the change.
fn cochange_edges(diff: &Diff, expected: &[ExpectedFile], best: &HashMap<RepoPath, BestFile>) -> Vec<GraphEdge> {
    let edge = |file: &ExpectedFile| {
        let best = best.get(&RepoPath::from_display(&file.path))?;
        Some(GraphEdge {
            from: diff.files[best.file].path.to_string(),
            to: file.path.clone(),
            kind: GraphEdgeKind::Cochange,
            count: best.shared,
            label: format!("{} of {} commits", best.shared, best.commits),
        })
    };
    expected.iter().filter_map(edge).take(DRAWN).collect()
}

/// An index of the view's files by names and places.
pub(crate) fn places(snapshot: &Snapshot) -> Result<FileNameIndex, Error> {
    let paths: Vec<RepoPath> = snapshot.view.paths()?;
    Ok(FileNameIndex::new(&paths))
}
