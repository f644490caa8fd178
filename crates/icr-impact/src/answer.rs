//! The result of an impact analysis, which all reports and interfaces show.

use std::fmt;

use icr_model::Moment;
use serde::Serialize;

/// What a change touches, what it forgot and what to test. Every list is ordered best first and ties by path, so that equal
/// inputs give equal answers to the last byte.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Impact {
    /// The answer in one word.
    pub verdict: Verdict,
    /// The same in one sentence.
    pub summary: String,
    /// How much the change touches, in `0.0..=1.0`; 0 for a change of comments and layout only.
    pub impact_score: f64,
    /// How much can go wrong.
    pub risk: Risk,
    /// The two sides that were compared.
    pub sides: Sides,
    /// Files of the change, by path.
    pub changed: Vec<ChangedFile>,
    /// Files of the change that were not looked into, or not in full, by path.
    pub incomplete: Vec<Incomplete>,
    /// Definitions of the change, by file and line.
    pub changed_symbols: Vec<ChangedSymbol>,
    /// Files that refer to what changed.
    pub direct_dependents: Vec<Dependent>,
    /// Files that reach it through others.
    pub transitive_dependents: Vec<TransitiveDependent>,
    /// Contracts that changed.
    pub contract_impact: ContractImpact,
    /// Files that are expected to change with this change and do not; at most 100.
    pub expected: Vec<ExpectedFile>,
    /// Files that the change seems to have forgotten, at most as many as requested. Their probability differs from that
    /// of `expected`: it is the probability that a change leaves the file out if nobody knows whether the change is
    /// complete.
    pub missing: Vec<ExpectedFile>,
    /// By which rule `missing` was chosen; `None` when history allows no warning.
    pub warning: Option<WarningRule>,
    /// Files that changed together with the change's files in the past and are not in this change.
    pub cochange: Vec<CochangePartner>,
    /// Test files to run, best first.
    pub tests: Vec<TestChoice>,
    /// How many of `tests` are enough, and how to run these.
    pub test_plan: TestPlan,
    /// What a reviewer should read besides the change; at most 20.
    pub suggested_review: Vec<Review>,
    /// What the user noted about the code of the change: what is about its definitions first, then the newest; at most 5.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<CodeNote>,
    /// The files of the answer and what connects them.
    pub graph: ImpactGraph,
    /// Whether any list was cut.
    pub truncated: bool,
    /// Which lists were cut, and to what.
    pub cuts: Vec<TruncatedList>,
}

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing was changed.
    Empty,
    /// Comments and layout only.
    Cosmetic,
    /// Nothing needs a review besides the change itself.
    Clean,
    /// Code of the change could not be looked into, and what was seen is no more than clean.
    Unknown,
    /// There are dependents to re-check, or files that seem forgotten.
    Review,
    /// A contract changed, and not every use could be checked, or its users cannot be seen.
    MayBreak,
    /// A use is shown that no longer resolves or no longer fits, and that the change did not mend.
    Breaking,
}

impl Verdict {
    /// All verdicts, ascending.
    pub const ALL: [Self; 7] =
        [Self::Empty, Self::Cosmetic, Self::Clean, Self::Unknown, Self::Review, Self::MayBreak, Self::Breaking];

    /// Its name in answers and in conditions: `may_break`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Cosmetic => "cosmetic",
            Self::Clean => "clean",
            Self::Unknown => "unknown",
            Self::Review => "review",
            Self::MayBreak => "may_break",
            Self::Breaking => "breaking",
        }
    }
}

/// How much can go wrong, with its parts.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Risk {
    /// The level.
    pub level: RiskLevel,
    /// Sum of the parts, in `0.0..=1.0`.
    pub score: f64,
    /// Version of the rule that made it; moves when parts or weights do.
    pub version: u32,
    /// What it is made of, heaviest first.
    pub parts: Vec<RiskPart>,
    /// Why the level is not known, where it is not.
    pub unknown: Vec<String>,
}

/// Levels of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RiskLevel {
    /// Nobody is affected.
    None,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// What was changed, or its history, cannot be read: low would be a guess.
    Unknown,
}

/// One part of a [`Risk`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RiskPart {
    /// Name, stable within a version: `contract`, `reach`, `tests`, `history`, `missing`, `size`.
    pub name: &'static str,
    /// What was measured, in `0.0..=1.0`.
    pub value: f64,
    /// Its share of the score.
    pub weight: f64,
    /// In words.
    pub reason: String,
}

/// The two sides that were compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Sides {
    /// What the change was made from, in words: `main`, `HEAD`.
    pub base: String,
    /// Commit of it, where it is one.
    pub base_commit: Option<String>,
    /// What it leads to, in words: `HEAD`, `the worktree`, `the patch`.
    pub head: String,
    /// Commit of it, where it is one.
    pub head_commit: Option<String>,
    /// The commit that the change reverts, where the change is one commit and its message says so in the words of `git revert`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverts: Option<RevertedCommit>,
    /// What a reader should know of how the sides were found: "`main` is no ancestor of `HEAD`; compared from their merge
    /// base".
    pub notes: Vec<String>,
}

/// A commit that a change reverts. Shown as `0123456789 "its subject"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RevertedCommit {
    /// Its id, as many hexadecimal digits of it as the message has.
    pub id: String,
    /// First line of its message.
    pub subject: String,
}

impl fmt::Display for RevertedCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Number of digits that identify a commit in a message for people.
        const DIGITS: usize = 10;
        let id: String = self.id.chars().take(DIGITS).collect();
        write!(f, "{id} \"{}\"", self.subject)
    }
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// It is new.
    Added,
    /// Its content changed.
    Modified,
    /// The file was deleted.
    Deleted,
    /// It has another path.
    Renamed,
    /// Another one with the same content is new.
    Copied,
    /// Only its mode changed: whether it can be executed.
    ModeChanged,
    /// It became a link or a submodule, or ceased to be one.
    TypeChanged,
}

/// A file of the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ChangedFile {
    /// Path after the change; before it for a deletion.
    pub path: String,
    /// What happened to the file.
    pub status: FileStatus,
    /// Path before the change, for a rename or a copy.
    pub old_path: Option<String>,
    /// Its language, by the table of languages; `text` when there is none.
    pub language: String,
    /// Lines added.
    pub lines_added: u32,
    /// Lines removed.
    pub lines_removed: u32,
    /// Whether only comments and layout changed; `false` when the language is not known.
    pub cosmetic: bool,
    /// Why the content was not compared, in words; [`Impact::incomplete`] has the same reason.
    pub opaque: Option<String>,
}

/// A file of the change that was not looked into, or not in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Incomplete {
    /// Path, as in [`ChangedFile::path`]; of a file that could not be read nobody knows whether it changed, and it is no file
    /// of [`Impact::changed`].
    pub path: String,
    /// Why it was not analysed, in words.
    pub reason: String,
    /// Whether it is code, so that the verdict is never better than [`Verdict::Unknown`]; data, prose, lock files and what
    /// programs write are not.
    pub code: bool,
}

/// What happened to a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SymbolChangeKind {
    /// It is new.
    Added,
    /// The definition was removed.
    Removed,
    /// Its name changed, or the name of a definition that contains it.
    Renamed,
    /// Its file changed.
    Moved,
    /// Its signature changed: what it guarantees.
    Signature,
    /// Its body changed: what it does.
    Body,
    /// Its documentation changed.
    Doc,
    /// Comments or layout inside it changed.
    Cosmetic,
}

/// How severe a change is for users of the changed definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nobody notices.
    None,
    /// New things are there to use.
    Additive,
    /// It may behave differently.
    Behaviour,
    /// Some users may have to change.
    Risky,
    /// Users have to change.
    Breaking,
}

/// A definition of the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ChangedSymbol {
    /// File after the change; the file before it for a removed definition.
    pub path: String,
    /// Name.
    pub name: String,
    /// Qualified name: the names of the definitions around it and its own, joined by `.`.
    pub qualified_name: String,
    /// Qualified name before, when it differs.
    pub old_name: Option<String>,
    /// File before, when it differs.
    pub old_path: Option<String>,
    /// Kind, as in `symbols`.
    pub kind: String,
    /// What happened to the definition.
    pub change: SymbolChangeKind,
    /// Severity of that.
    pub severity: Severity,
    /// Whether the language lets others use it.
    pub exported: bool,
    /// First line of the definition, 1-based: after the change, before it for what is gone.
    pub line: u32,
    /// Last line of it.
    pub end_line: u32,
}

/// How much a file is affected: high from a strength of 0.6, medium from 0.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Below 0.3.
    Low,
    /// Below 0.6.
    Medium,
    /// From 0.6.
    High,
}

impl Level {
    /// The level of a strength in `0.0..=1.0`.
    pub fn of(strength: f64) -> Self {
        match strength {
            _ if strength >= 0.6 => Self::High,
            _ if strength >= 0.3 => Self::Medium,
            _ => Self::Low,
        }
    }
}

/// A file that refers to what changed.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Dependent {
    /// Path.
    pub path: String,
    /// References to changed definitions.
    pub references: u32,
    /// Qualified names of these definitions, most referred to first.
    pub symbols: Vec<String>,
    /// Lines of the references, ascending; at most 20.
    pub lines: Vec<u32>,
    /// How strongly the file is affected.
    pub impact_level: Level,
    /// How sure it is that a reader has to look at it, in `0.0..=1.0`.
    pub probability: f64,
    /// Whether it is a test.
    pub test: bool,
    /// Whether the change changes it too.
    pub in_change: bool,
    /// Reasons for the probability.
    pub evidence: Vec<Evidence>,
}

/// A file that reaches what changed through others.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TransitiveDependent {
    /// Path.
    pub path: String,
    /// Steps from the change, 2 or more.
    pub depth: u32,
    /// The files whose code is between, from the change outwards. The first is a changed file if another definition in it
    /// uses what changed.
    pub via: Vec<String>,
    /// How strongly the file is affected.
    pub impact_level: Level,
    /// As in [`Dependent::probability`].
    pub probability: f64,
    /// Whether it is a test.
    pub test: bool,
}

/// Contracts that changed.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ContractImpact {
    /// Qualified names of exported definitions whose contract changed or that are gone, as they were before.
    pub modified_contracts: Vec<String>,
    /// Files that refer to one of them, by path.
    pub affected_files: Vec<String>,
    /// High: one breaks a use that is shown. Medium: one may break uses. Low: only wider, or every use was mended. None: nothing
    /// of the kind.
    pub breaking_change_risk: RiskLevel,
    /// Every single change.
    pub changes: Vec<ContractChange>,
}

/// One change of a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ContractChange {
    /// File of the definition, as in [`ChangedSymbol::path`].
    pub path: String,
    /// Qualified name of the definition.
    pub symbol: String,
    /// Class of the change, as in the table of classes: `parameter_removed`.
    pub class: &'static str,
    /// What changed, in words: "parameter `b` was removed".
    pub detail: String,
    /// How bad it is: a property of the class.
    pub severity: Severity,
    /// Whether the language lets others use the definition.
    pub exported: bool,
    /// First line of the definition, 1-based.
    pub line: u32,
    /// Files that use the definition.
    pub consumers: u32,
    /// Number of these files that the change leaves as they are.
    pub consumers_untouched: u32,
    /// References to the definition in its own file, outside of itself.
    pub own_references: u32,
    /// `path:line` of a declaration that the definition no longer fits: of an interface or a header, or an abstract one.
    pub declared_at: Option<String>,
    /// `path:line` of types that inherit a member that they now have to define, and may lack it; at most
    /// [`ContractChange::LACKED_BY_MOST`]. Types that surely lack it are among `uses`.
    pub lacked_by: Vec<String>,
    /// Effect on the users of the definition.
    pub effect: Effect,
    /// The uses that it breaks, by path and line; at most [`BrokenUse::MOST`]. Empty unless `effect` is [`Effect::Breaks`].
    pub uses: Vec<BrokenUse>,
    /// The reason why somebody accepted the change, in their words. An accepted change does not count in the verdict.
    pub accepted: Option<String>,
}

impl ContractChange {
    /// Most types that are listed as lacking a member.
    pub const LACKED_BY_MOST: usize = 100;
}

/// The effect of a changed contract on code that relies on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nobody has to change any more: it asks nothing of users, or all of them were found and still fit.
    Holds,
    /// Users may have to change: not all of them could be checked, or they cannot be seen.
    MayBreak,
    /// A use is shown that no longer resolves or no longer fits.
    Breaks,
}

/// A use that no longer resolves or no longer fits: the proof of a break.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct BrokenUse {
    /// File after the change.
    pub path: String,
    /// Line of it, 1-based.
    pub line: u32,
    /// The line itself, without the white space around it; at most [`BrokenUse::TEXT`] bytes of it.
    pub text: String,
    /// What no longer holds, in words: "nothing is called `parse` any more".
    pub reason: String,
}

impl BrokenUse {
    /// Most uses that are shown of one change of a contract: the first is the proof, the others are where to go on.
    pub const MOST: usize = 10;
    /// Most bytes of a line that are shown.
    pub const TEXT: usize = 200;
}

/// A reason, in words, and what it weighs.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Evidence {
    /// What kind of reason.
    pub kind: EvidenceKind,
    /// "11 of the 13 commits that touched `a.rs` touched this too, last 9 days ago".
    pub text: String,
    /// What it adds to the log of the odds; 0 where no probability was computed from it.
    pub weight: f64,
}

/// Kinds of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// It changed together with the change's files before.
    History,
    /// It refers to a changed definition.
    Reference,
    /// It imports a changed file, or is imported by one.
    Import,
    /// The name or directory of the file matches a changed file.
    Name,
    /// It tests what changed.
    Test,
    /// It mentions rare words of changed lines.
    Words,
}

/// A file that is expected to change too, or that may have been forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ExpectedFile {
    /// Path.
    pub path: String,
    /// Probability in `0.0..=1.0`, fitted on histories. In [`Impact::expected`] it is the probability that a change
    /// like this one changes the file too. In [`Impact::missing`] it is the probability that a change leaves the file
    /// out if nobody knows whether the change is complete.
    pub probability: f64,
    /// Why, heaviest first.
    pub evidence: Vec<Evidence>,
}

/// How warnings of missing files are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct WarningRule {
    /// Lowest probability with which a file is warned about, as in [`Impact::missing`].
    pub threshold: f64,
    /// Share of the complete past commits that would have been warned about; so few that the share
    /// allowed is probably kept by later ones too.
    pub false_alarms: f64,
    /// Share of the warnings that named the file left out, measured on the same commits with one file left out.
    pub precision: Option<f64>,
    /// Share of files left out that were named.
    pub recall: Option<f64>,
    /// Complete commits that it was measured on; 0 when it is the one that icr ships with.
    pub commits: u32,
    /// Commit up to which history was used; `None` when the threshold is the one that icr ships with.
    pub anchor: Option<String>,
}

/// A file that changed with those of the change before.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CochangePartner {
    /// Path.
    pub path: String,
    /// Share of the commits of the change's files that changed it too, in `0.0..=1.0`.
    pub confidence: f64,
    /// How many times more often than by chance.
    pub lift: f64,
    /// Commits in common.
    pub commits: u32,
    /// Latest author time of these, in seconds since 1970.
    pub last_commit: i64,
}

/// A test file to run.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TestChoice {
    /// Path.
    pub path: String,
    /// Probability that the test runs changed code, in `0.0..=1.0`.
    pub probability: f64,
    /// Why, in words.
    pub reason: String,
    /// Command that runs this file alone; `None` when no runner is known for it.
    pub command: Option<String>,
    /// Whether [`TestPlan`] takes it in.
    pub selected: bool,
}

/// The selected tests and how to run them.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TestPlan {
    /// Tests of the list that are taken in.
    pub selected: u32,
    /// Test files of the view.
    pub total: u32,
    /// Share of what the list would find that the selected ones are expected to find.
    pub expected_recall: f64,
    /// Commands that run the selected ones, one for each runner.
    pub commands: Vec<String>,
}

/// What a reviewer should read.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Review {
    /// Path.
    pub path: String,
    /// The highest probability of its reasons.
    pub probability: f64,
    /// Why.
    pub reasons: Vec<String>,
}

/// A memory about code of the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CodeNote {
    /// Its id.
    pub id: String,
    /// Topic of the memory.
    pub topic: String,
    /// What is remembered, in one line of at most 200 characters.
    pub summary: String,
    /// The file that it is about.
    pub path: String,
    /// Qualified name of the definition that it is about; `None` for the file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// What has happened to that code up to the head side, since the memory was noted; `None` if nobody checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<NotedCode>,
    /// When it was noted.
    pub created_at: Moment,
}

impl CodeNote {
    /// Most that an answer has.
    pub const MOST: usize = 5;
}

/// What has happened to code since a memory about it was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotedCode {
    /// The code is unchanged.
    Same,
    /// The code is unchanged, in another place.
    Moved,
    /// The code changed.
    Changed,
    /// It is not there.
    Absent,
    /// It cannot be told.
    Unknown,
}

/// The files of the answer and what connects them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ImpactGraph {
    /// Files, changed ones first, then by strength.
    pub nodes: Vec<GraphNode>,
    /// What connects them; both ends are nodes.
    pub edges: Vec<GraphEdge>,
}

/// A file of an [`ImpactGraph`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GraphNode {
    /// Path.
    pub path: String,
    /// Shortest ending of the path, in whole components, that no other node has.
    pub label: String,
    /// Why the file is in the graph.
    pub role: GraphRole,
    /// Steps from the change; 0 for files of the change.
    pub depth: u32,
    /// How strongly it is tied to the change, in `0.0..=1.0`; 1 for files of the change.
    pub strength: f64,
}

/// Why a file is in the graph, the first that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphRole {
    /// The change changes it.
    Changed,
    /// It seems forgotten.
    Missing,
    /// The file tests changed code.
    Test,
    /// The file refers to changed definitions.
    Dependent,
    /// The file reaches changed definitions through other files.
    Transitive,
    /// It is expected to change too.
    Expected,
}

/// An edge of an [`ImpactGraph`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GraphEdge {
    /// The file that depends; the changed one for co-change.
    pub from: String,
    /// The file that is depended on.
    pub to: String,
    /// Kind of connection.
    pub kind: GraphEdgeKind,
    /// References, or commits in common; 1 for an import.
    pub count: u32,
    /// In words: names of symbols, "9 of 11 commits".
    pub label: String,
}

/// What connects two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphEdgeKind {
    /// References to changed definitions.
    Reference,
    /// An import.
    Import,
    /// Commits in common.
    Cochange,
    /// A test and what it tests.
    Test,
}

/// A list that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TruncatedList {
    /// Name of the list: `direct_dependents`.
    pub list: &'static str,
    /// Entries shown.
    pub shown: u64,
    /// Entries there are.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_listed_in_their_order_under_the_names_of_answers() {
        assert!(Verdict::ALL.is_sorted());
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.word());
        }
    }

    #[test]
    fn a_reverted_commit_is_shown_by_ten_digits_and_its_subject() {
        let commit = RevertedCommit { id: "0123456789abcdef".to_owned(), subject: "Say \"hello\"".to_owned() };
        assert_eq!(commit.to_string(), "0123456789 \"Say \"hello\"\"");
    }
}
