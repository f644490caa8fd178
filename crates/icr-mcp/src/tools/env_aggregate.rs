//! `env_aggregate`: counts, sorts, groups, joins or compares lines.

use icr_engine::{AggregateAnswer, AggregateRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EnvAggregateInput {
    op: Op,
    #[schemars(length(min = 1, max = 200))]
    inputs: Vec<String>,
    /// For the op: pattern, key, reverse, k
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

pub(crate) fn run(call: &CallContext<'_>, input: EnvAggregateInput) -> Result<Reply, CallFailure> {
    let request = AggregateRequest {
        op: input.op.name(),
        inputs: &input.inputs,
        params: &input.params,
        limit: input.limit as usize,
    };
    let found: AggregateAnswer =
        icr_engine::aggregate(&request, &|| call.deadline.is_over()).map_err(icr_engine::Error::from)?;
    Reply::of(&found)
}
