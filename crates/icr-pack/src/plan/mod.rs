//! Asking in other words: sub-queries, the steps of a plan, and what is known after each.

mod entities;
mod expansion;
mod steps;
mod sub_queries;

pub use entities::named_in;
pub use expansion::{Expanded, Expansion, ExpansionLimits, Found, Fused, StopReason, SubQueryBonus};
pub use steps::{Plan, PlanBudget, PlanRequest, PlanStep, Scope, plan};
pub use sub_queries::{SubQuery, TEMPLATES, Template, decompose};
