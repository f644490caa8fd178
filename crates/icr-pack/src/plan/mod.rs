//! Asking in other words: sub-queries, the steps of a plan, and what is known after each.

mod entities;
mod expansion;
mod steps;
mod sub_queries;

pub use entities::named_in;
pub use expansion::{Expansion, ExpansionLimits, FusedHit, StopReason, SubQueryBonus, SubQueryExpansion, SubQueryHit};
pub use steps::{PlanBudget, PlanRequest, PlanScope, PlanStep, SearchPlan, plan};
pub use sub_queries::{SubQuery, TEMPLATES, Template, decompose};
