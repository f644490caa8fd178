//! The operations.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

use crate::error::Error;

use super::MATCHES_MOST;
use super::keys::{KeyOrder, KeyedInput, captured, keyed, plain};
use super::params::Params;

/// An operation.
#[derive(Debug)]
pub struct AggregateOp {
    /// Name, as callers write it.
    pub name: &'static str,
    /// What it does, for help.
    pub about: &'static str,
    /// Parameters it must have; names of rows of [`super::AGGREGATE_PARAMS`].
    pub required: &'static [&'static str],
    /// Parameters it may have.
    pub optional: &'static [&'static str],
    run: fn(&[String], &Params<'_>) -> Result<Vec<Value>, Error>,
}

/// All operations.
pub const AGGREGATE_OPS: &[AggregateOp] = &[
    // tidy: sorted
    AggregateOp {
        name: "count",
        about: "how often each input occurs, most frequent first: {value, count}",
        required: &[],
        optional: &[],
        run: count,
    },
    AggregateOp {
        name: "diff_sets",
        about: "the inputs that are not in `b`, or not among those from `split_at` on; without either, what the first input has and no \
                other: inputs are then JSON arrays, or texts whose lines are members",
        required: &[],
        optional: &["b", "split_at"],
        run: diff_sets,
    },
    AggregateOp {
        name: "extract_regex",
        about: "every match of a pattern: its first group if it has one, else all of it",
        required: &["pattern"],
        optional: &[],
        run: extract_regex,
    },
    AggregateOp {
        name: "group_by",
        about: "inputs with the same key, largest group first: {key, count, items}",
        required: &["key"],
        optional: &[],
        run: group_by,
    },
    AggregateOp {
        name: "join_on",
        about: "inputs that share a key with another, objects merged: {key, count, items, joined}",
        required: &["key"],
        optional: &[],
        run: join_on,
    },
    AggregateOp {
        name: "sort",
        about: "inputs by key: by value where all keys are numbers, else as text; without a key at the end",
        required: &[],
        optional: &["key", "reverse"],
        run: sort,
    },
    AggregateOp {
        name: "top_k",
        about: "the inputs with the greatest keys, greatest first",
        required: &["k"],
        optional: &["key"],
        run: top_k,
    },
    AggregateOp {
        name: "unique",
        about: "each input once, in order of first appearance",
        required: &[],
        optional: &[],
        run: unique,
    },
    // tidy: end
];

impl AggregateOp {
    pub(super) fn run(&self, inputs: &[String], params: &Params<'_>) -> Result<Vec<Value>, Error> {
        (self.run)(inputs, params)
    }
}

fn count(inputs: &[String], _: &Params<'_>) -> Result<Vec<Value>, Error> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for input in inputs {
        *counts.entry(input).or_default() += 1;
    }
    let mut rows: Vec<(&str, usize)> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Ok(rows.into_iter().map(|(value, count)| json!({"value": value, "count": count})).collect())
}

fn diff_sets(inputs: &[String], params: &Params<'_>) -> Result<Vec<Value>, Error> {
    let taken = match (&params.b, params.split_at) {
        (None, None) => return Ok(diff_of_inputs(inputs)),
        (Some(_), Some(_)) => return Err(Error::invalid("params.split_at", "`b` or `split_at`", "both")),
        (Some(b), None) => Some((inputs, b.iter().map(plain).collect::<HashSet<String>>())),
        (None, Some(at)) => inputs.split_at_checked(at).map(|(first, rest)| (first, rest.iter().cloned().collect())),
    };
    let Some((kept, mut seen)) = taken else {
        let most = format!("at most {}, the number of inputs", inputs.len());
        return Err(Error::invalid("params.split_at", most, params.split_at.unwrap_or_default()));
    };
    Ok(kept.iter().filter(|input| seen.insert((*input).clone())).map(|input| Value::from(input.as_str())).collect())
}

/// What the first of `inputs` has and no other.
fn diff_of_inputs(inputs: &[String]) -> Vec<Value> {
    let Some((first, others)) = inputs.split_first() else { return Vec::new() };
    let mut seen: HashSet<String> =
        others.iter().flat_map(|input| members(input)).map(|member| plain(&member)).collect();
    members(first).into_iter().filter(|member| seen.insert(plain(member))).collect()
}

fn extract_regex(inputs: &[String], params: &Params<'_>) -> Result<Vec<Value>, Error> {
    let Some(pattern) = &params.pattern else { return Ok(Vec::new()) };
    let mut matches = Vec::new();
    for found in inputs.iter().flat_map(|input| captured(pattern, input)) {
        if params.is_over.is_some_and(|is_over| is_over()) {
            return Err(Error::OutOfTime);
        }
        if matches.len() == MATCHES_MOST {
            return Err(Error::invalid(
                "params.pattern",
                format!("one that matches at most {MATCHES_MOST} times"),
                pattern,
            ));
        }
        matches.push(Value::from(found));
    }
    Ok(matches)
}

fn group_by(inputs: &[String], params: &Params<'_>) -> Result<Vec<Value>, Error> {
    let rows = keyed(inputs, params.key.as_deref())?;
    let group = |(key, rows): (Option<Value>, Vec<&KeyedInput<'_>>)| {
        let items: Vec<&str> = rows.iter().map(|row| row.input).collect();
        json!({"key": key, "count": items.len(), "items": items})
    };
    Ok(groups(&rows).into_iter().map(group).collect())
}

fn join_on(inputs: &[String], params: &Params<'_>) -> Result<Vec<Value>, Error> {
    let rows = keyed(inputs, params.key.as_deref())?;
    let shared = groups(&rows).into_iter().filter(|(key, rows)| key.is_some() && rows.len() > 1);
    let join = |(key, rows): (Option<Value>, Vec<&KeyedInput<'_>>)| {
        let items: Vec<&str> = rows.iter().map(|row| row.input).collect();
        let objects: Option<Vec<&Map<String, Value>>> = rows.iter().map(|row| row.object.as_ref()).collect();
        json!({"key": key, "count": items.len(), "items": items, "joined": objects.map(|objects| merged(&objects))})
    };
    Ok(shared.map(join).collect())
}

fn sort(inputs: &[String], params: &Params<'_>) -> Result<Vec<Value>, Error> {
    sorted(inputs, params.key.as_deref(), params.reverse)
}

fn top_k(inputs: &[String], params: &Params<'_>) -> Result<Vec<Value>, Error> {
    let mut results = sorted(inputs, params.key.as_deref(), true)?;
    results.truncate(params.k);
    Ok(results)
}

fn unique(inputs: &[String], _: &Params<'_>) -> Result<Vec<Value>, Error> {
    let mut seen = HashSet::new();
    Ok(inputs.iter().filter(|input| seen.insert(input.as_str())).map(|input| Value::from(input.as_str())).collect())
}

/// Inputs with equal keys keep their order in either direction.
fn sorted(inputs: &[String], key: Option<&str>, reverse: bool) -> Result<Vec<Value>, Error> {
    let mut rows = keyed(inputs, key)?;
    let order = KeyOrder::of(&rows);
    rows.sort_by(|a, b| order.compare(a, b, reverse));
    Ok(rows.into_iter().map(|row| Value::from(row.input)).collect())
}

/// Inputs by key: largest group first, then by key; inputs without one last.
fn groups<'a, 'b>(rows: &'b [KeyedInput<'a>]) -> Vec<(Option<Value>, Vec<&'b KeyedInput<'a>>)> {
    let mut by_key: BTreeMap<Option<String>, Vec<&KeyedInput<'a>>> = BTreeMap::new();
    for row in rows {
        by_key.entry(row.key.as_ref().map(plain)).or_default().push(row);
    }
    let mut groups: Vec<_> = by_key.into_values().map(|rows| (rows[0].key.clone(), rows)).collect();
    groups.sort_by_key(|(key, rows)| (key.is_none(), std::cmp::Reverse(rows.len())));
    groups
}

/// All fields of all objects; a field that differs is the list of its values, in order.
fn merged(objects: &[&Map<String, Value>]) -> Map<String, Value> {
    let mut values: Map<String, Value> = Map::new();
    let mut names: Vec<&String> = Vec::new();
    for name in objects.iter().flat_map(|object| object.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let mut different: Vec<&Value> = Vec::new();
        for value in objects.iter().filter_map(|object| object.get(name)) {
            if !different.contains(&value) {
                different.push(value);
            }
        }
        let value = if different.len() == 1 { different[0].clone() } else { json!(different) };
        values.insert(name.clone(), value);
    }
    values
}

/// Members of a set: elements of a JSON array, else lines that are not blank, without white space around them.
fn members(input: &str) -> Vec<Value> {
    if input.trim_start().starts_with('[')
        && let Ok(Value::Array(members)) = serde_json::from_str(input)
    {
        return members;
    }
    input.lines().map(str::trim).filter(|line| !line.is_empty()).map(Value::from).collect()
}
