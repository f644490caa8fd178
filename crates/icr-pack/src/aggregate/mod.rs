//! Combines outputs of tools without a model: eight operations over strings.

mod keys;
mod ops;
mod params;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Error, in_bounds};

pub use ops::{AGGREGATE_OPS, AggregateOp};
use params::Params;
pub use params::{AGGREGATE_PARAMS, ParamKind, ParamRow};

/// Most inputs of one call.
const INPUTS_MOST: usize = 200;

/// Most bytes of all inputs of one call. Answers of tools have a hundredth of that.
const INPUT_BYTES_MOST: usize = 8 << 20;

/// Most results of one call.
const RESULTS_MOST: usize = 200;

/// Most matches of a pattern in one call. A pattern with more matches is a mistake.
const MATCHES_MOST: usize = 100_000;

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct AggregateRequest<'a> {
    /// Name of a row of [`AGGREGATE_OPS`].
    pub op: &'a str,
    /// 1 to 200 strings, each plain text or a JSON object.
    pub inputs: &'a [String],
    /// Parameters that the row names, and no others.
    pub params: &'a Map<String, Value>,
    /// Most results, 1 to 200; callers who say nothing get 100.
    pub limit: usize,
}

/// Its answer.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AggregateAnswer {
    /// The operation that was done.
    pub operation: &'static str,
    /// Strings, or objects where the operation says so.
    pub results: Vec<Value>,
    /// Results shown.
    pub count: usize,
    /// Results there are.
    pub total_count: usize,
    /// Whether `limit` left some out.
    pub truncated: bool,
}

/// Runs the operation of `request`. Stops when `is_over` says that nobody waits for the answer any more; a single
/// search for a match is not interrupted.
///
/// The meaning of a key (`params.key`) depends on the input. For a JSON object it is the name of a field; `a.b` reaches
/// into nested objects. For any other input it is a regular expression: the key of the input is the first group of the
/// match, or the whole match if there is no group. Without `params.key`, the key is the whole input. A search for a
/// match takes time linear in the input. The same request has the same answer.
///
/// # Errors
///
/// [`Error::Invalid`] with the name of the field for an unknown operation or parameter, a parameter that is missing or of
/// another type, a pattern that does not compile, is too large or matches more than 100,000 times, inputs of more than 8 MiB, and numbers out of
/// bounds; [`Error::OutOfTime`].
pub fn aggregate(request: &AggregateRequest<'_>, is_over: &dyn Fn() -> bool) -> Result<AggregateAnswer, Error> {
    let Some(row) = AGGREGATE_OPS.iter().find(|row| row.name == request.op) else {
        let names: Vec<&str> = AGGREGATE_OPS.iter().map(|row| row.name).collect();
        return Err(Error::invalid("op", names.join(", "), format!("`{}`", request.op)));
    };
    in_bounds("inputs", "strings", request.inputs.len(), 1, INPUTS_MOST)?;
    in_bounds("limit", "", request.limit, 1, RESULTS_MOST)?;
    let bytes = request.inputs.iter().map(String::len).sum();
    in_bounds("inputs", "bytes", bytes, 0, INPUT_BYTES_MOST)?;
    let params = Params { is_over: Some(is_over), ..params::read(row, request.params)? };
    let mut results = row.run(request.inputs, &params)?;
    let total_count = results.len();
    results.truncate(request.limit);
    Ok(AggregateAnswer {
        operation: row.name,
        count: results.len(),
        total_count,
        truncated: results.len() < total_count,
        results,
    })
}

#[cfg(test)]
mod tests;
