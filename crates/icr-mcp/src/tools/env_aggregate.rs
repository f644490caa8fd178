//! `env_aggregate`

use std::time::Instant;

use icr_engine::{AggregateRequest, Aggregated};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::reply::Reply;
use icr_serve::Failure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    op: Op,
    #[schemars(length(min = 1, max = 200))]
    inputs: Vec<String>,
    /// Of the op: pattern, key, reverse, k
    #[serde(default)]
    params: Map<String, Value>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 200))]
    limit: u32,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Op {
    ExtractRegex,
    Unique,
    Sort,
    GroupBy,
    Count,
    TopK,
    JoinOn,
    DiffSets,
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Self::ExtractRegex => "extract_regex",
            Self::Unique => "unique",
            Self::Sort => "sort",
            Self::GroupBy => "group_by",
            Self::Count => "count",
            Self::TopK => "top_k",
            Self::JoinOn => "join_on",
            Self::DiffSets => "diff_sets",
        }
    }
}

fn limit() -> u32 {
    100
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let request = AggregateRequest {
        op: input.op.name(),
        inputs: &input.inputs,
        params: &input.params,
        limit: input.limit as usize,
        until: call.deadline.left().and_then(|left| Instant::now().checked_add(left)),
    };
    let found: Aggregated = icr_engine::aggregate(&request).map_err(icr_engine::Error::from)?;
    Reply::of(&found)
}
