//! From a diff and evidence to a ranked, explained impact, and its reports.
//!
//! Pure: whoever asks brings both sides of every changed file, the references, the history and the tests of the view.

mod answer;
pub mod contract;
pub mod expect;
pub mod patch;
pub mod report;
pub mod select;
pub mod symbols;

pub use answer::{
    Change, ChangedFile, ChangedSymbol, CochangePartner, ContractChange, ContractImpact, Cut, Dependent, Evidence,
    EvidenceKind, Expected, GraphEdge, GraphEdgeKind, GraphNode, GraphRole, Impact, ImpactGraph, Level, Reached,
    Review, Risk, RiskLevel, RiskPart, Severity, Sides, Status, TestChoice, TestPlan, Verdict, WarningRule,
};
