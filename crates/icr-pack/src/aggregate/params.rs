//! The parameters of the operations, and how they are read.

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};

use crate::error::Error;

use super::AggregateOp;

/// Largest compiled pattern, in bytes: what the longest sensible alternation of names needs, many times over.
const PATTERN_BYTES_MOST: usize = 1 << 20;

/// Longest pattern as written, in characters.
const PATTERN_CHARACTERS_MOST: usize = 1_000;

/// Largest `k`: the most results of one call.
const K_MOST: u64 = 200;

/// A parameter.
#[derive(Debug)]
pub struct ParamRow {
    /// Name, as callers write it.
    pub name: &'static str,
    /// What the parameter does, for help.
    pub about: &'static str,
    /// The values that it takes.
    pub kind: ParamKind,
}

/// The values that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// `true` or `false`.
    Boolean,
    /// A whole number from 1 to 200.
    Count,
    /// The name of a field, or a regular expression.
    Key,
    /// A list.
    Members,
    /// A regular expression.
    Pattern,
    /// A whole number from 0.
    Position,
}

/// All parameters.
pub const AGGREGATE_PARAMS: &[ParamRow] = &[
    // tidy: sorted
    ParamRow { name: "b", about: "members to take away", kind: ParamKind::Members },
    ParamRow { name: "k", about: "how many", kind: ParamKind::Count },
    ParamRow {
        name: "key",
        about: "field of JSON objects, or regular expression for other text",
        kind: ParamKind::Key,
    },
    ParamRow { name: "pattern", about: "regular expression; its first group, or all of it", kind: ParamKind::Pattern },
    ParamRow { name: "reverse", about: "greatest first", kind: ParamKind::Boolean },
    ParamRow { name: "split_at", about: "inputs before those to take away", kind: ParamKind::Position },
    // tidy: end
];

/// Parameters as read; those that were not given are `None` or false.
#[derive(Default)]
pub(super) struct Params<'a> {
    pub(super) b: Option<Vec<Value>>,
    pub(super) split_at: Option<usize>,
    pub(super) k: usize,
    pub(super) key: Option<String>,
    pub(super) pattern: Option<Regex>,
    pub(super) reverse: bool,
    /// Whether the answer is no longer wanted.
    pub(super) is_over: Option<&'a dyn Fn() -> bool>,
}

/// Reads what `row` may have and must have.
pub(super) fn read(row: &AggregateOp, given: &Map<String, Value>) -> Result<Params<'static>, Error> {
    for name in given.keys() {
        if !row.required.contains(&name.as_str()) && !row.optional.contains(&name.as_str()) {
            let names: Vec<&str> = row.required.iter().chain(row.optional).copied().collect();
            let allowed = if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") };
            return Err(Error::invalid(
                format!("params.{name}"),
                format!("{allowed} (of `{}`)", row.name),
                "not known",
            ));
        }
    }
    let mut params = Params::default();
    for param in AGGREGATE_PARAMS {
        match given.get(param.name) {
            Some(value) if !value.is_null() => read_one(&mut params, param, value)?,
            _ if row.required.contains(&param.name) => {
                return Err(Error::invalid(format!("params.{}", param.name), allowed_values(param.kind), "missing"));
            }
            _ => {}
        }
    }
    Ok(params)
}

/// Compiles `pattern`, which the field `field` has.
pub(super) fn compile(field: &str, pattern: &str) -> Result<Regex, Error> {
    if pattern.chars().count() > PATTERN_CHARACTERS_MOST {
        let value = format!("{} characters", pattern.chars().count());
        return Err(Error::invalid(field, format!("at most {PATTERN_CHARACTERS_MOST} characters"), value));
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(PATTERN_BYTES_MOST).dfa_size_limit(PATTERN_BYTES_MOST);
    builder.build().map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Error::invalid(field, format!("a regular expression ({reason})"), format!("`{pattern}`"))
    })
}

fn read_one(params: &mut Params<'_>, param: &ParamRow, value: &Value) -> Result<(), Error> {
    let field = format!("params.{}", param.name);
    let wrong = || Error::invalid(&field, allowed_values(param.kind), value);
    match param.kind {
        ParamKind::Boolean => params.reverse = value.as_bool().ok_or_else(wrong)?,
        ParamKind::Count => {
            let count = value.as_u64().filter(|count| (1..=K_MOST).contains(count)).ok_or_else(wrong)?;
            params.k = usize::try_from(count).map_err(|_| wrong())?;
        }
        ParamKind::Key => {
            let key = value.as_str().filter(|key| !key.is_empty()).ok_or_else(wrong)?;
            params.key = Some(key.to_owned());
        }
        ParamKind::Members => params.b = Some(value.as_array().ok_or_else(wrong)?.clone()),
        ParamKind::Position => {
            let position = value.as_u64().and_then(|position| usize::try_from(position).ok());
            params.split_at = Some(position.ok_or_else(wrong)?);
        }
        ParamKind::Pattern => params.pattern = Some(compile(&field, value.as_str().ok_or_else(wrong)?)?),
    }
    Ok(())
}

fn allowed_values(kind: ParamKind) -> String {
    match kind {
        ParamKind::Boolean => "true or false".to_owned(),
        ParamKind::Count => format!("a whole number from 1 to {K_MOST}"),
        ParamKind::Key => "the name of a field, or a regular expression".to_owned(),
        ParamKind::Members => "a list".to_owned(),
        ParamKind::Pattern => "a regular expression".to_owned(),
        ParamKind::Position => "a whole number from 0".to_owned(),
    }
}
