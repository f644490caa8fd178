//! From a diff and evidence to a ranked, explained impact, and its reports.
//!
//! Pure: whoever asks brings both sides of every changed file, the references, the history and the tests of the view.

mod answer;
mod assemble;
pub mod calls;
pub mod contract;
pub mod expect;
#[doc(hidden)]
pub mod fuzzing;
mod network;
pub mod patch;
pub mod report;
mod review;
mod risk;
pub mod select;
pub mod symbols;

pub use answer::{
    BrokenUse, ChangedFile, ChangedSymbol, CochangePartner, CodeNote, ContractChange, ContractImpact, Dependent,
    Effect, Evidence, EvidenceKind, ExpectedFile, FileStatus, GraphEdge, GraphEdgeKind, GraphNode, GraphRole, Impact,
    ImpactGraph, Incomplete, Level, NotedCode, RevertedCommit, Review, Risk, RiskLevel, RiskPart, Severity, Sides,
    SymbolChangeKind, TestChoice, TestPlan, TransitiveDependent, TruncatedList, Verdict, WarningRule,
};
pub use assemble::{AnswerLimits, Findings, assemble};
pub use risk::VERSION as RISK_VERSION;
