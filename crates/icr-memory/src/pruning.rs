//! Removes memories of low weight, and lowers weights.

use icr_model::UnixMillis;
use rusqlite::Connection;
use serde::Serialize;

use crate::listing::{ListRequest, ListScope, memories_of};
use crate::operations::LogEntry;
use crate::store::remove;
use crate::weight::believed_time;
use crate::{Author, DAY_MS, Error, Memory, MemoryDatabase, ProjectKey, effective_weight};

/// The result of pruning, or its preview.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Pruning {
    /// The pruned memories with their weights, lightest first.
    #[serde(skip)]
    pub memories: Vec<(Memory, f64)>,
    /// Number of pruned memories.
    pub count: usize,
    /// The weight below which memories are pruned.
    pub threshold: f64,
    /// Whether this is only a preview and nothing was removed.
    pub dry_run: bool,
    /// Number of the operation, for undoing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<i64>,
}

/// Removes memories of medium and low importance whose weight as of `now` is below `threshold`; with `dry_run`, nothing
/// is removed. More important memories and archived memories are never removed. [`undo`](crate::undo) restores them.
///
/// # Errors
///
/// [`Error::Invalid`] for a threshold outside of 0 to 1; errors of reading and writing.
pub fn prune(
    database: &mut MemoryDatabase,
    scope: &ListScope,
    threshold: f64,
    dry_run: bool,
    author: Author,
    now: UnixMillis,
) -> Result<Pruning, Error> {
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::Invalid {
            field: "threshold",
            wrong: format!("is {threshold}"),
            right: "a weight is between 0 and 1".to_owned(),
        });
    }
    let project = match scope {
        ListScope::All => ProjectKey::NONE,
        ListScope::Project(project) => project.clone(),
    };
    let request = ListRequest { scope: scope.clone(), ..ListRequest::default() };
    let light = |connection: &Connection, rules: &crate::MemoryRules| {
        let memories = memories_of(connection, &request, now)?.into_iter();
        let weighed = memories.map(|memory| {
            let weight = memory.weight_now(rules, now);
            (memory, weight)
        });
        let mut light: Vec<(Memory, f64)> =
            weighed.filter(|(memory, weight)| memory.importance.may_be_pruned() && *weight < threshold).collect();
        light.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.id.cmp(&b.0.id)));
        Ok(light)
    };
    let (memories, operation) = if dry_run {
        (database.read("looking for light memories", |connection| light(connection, database.rules()))?, None)
    } else {
        database.write("pruning memories", |transaction, options| {
            let memories = light(transaction, &options.rules)?;
            let log = LogEntry::new(transaction, ("prune", author), &project, now);
            for (memory, _) in &memories {
                remove(transaction, &log, &memory.id)?;
            }
            Ok((memories, log.number()))
        })?
    };
    Ok(Pruning { count: memories.len(), memories, threshold, dry_run, operation })
}

/// Stores the weights of all recalled memories of `scope` as of `now`. If `factor` is given, it also lowers each weight: an
/// explicit decay besides the one by time. `factor` is the share that remains of the weight of a medium memory (0.95
/// takes 5 %); for other importances it is adapted as in the daily decay. Returns the number of changed weights. This
/// is no operation of the log, because weights are not content.
///
/// # Errors
///
/// [`Error::Invalid`] for a factor outside of 0 to 1; errors of writing.
pub fn decay(
    database: &mut MemoryDatabase,
    scope: &ListScope,
    factor: Option<f64>,
    now: UnixMillis,
) -> Result<u64, Error> {
    if let Some(factor) = factor.filter(|factor| !(0.0..=1.0).contains(factor)) {
        return Err(Error::Invalid {
            field: "factor",
            wrong: format!("is {factor}"),
            right: "between 0 and 1, such as 0.95".to_owned(),
        });
    }
    database.write("writing weights", |transaction, options| {
        let request = ListRequest { scope: scope.clone(), ..ListRequest::default() };
        let memories = memories_of(transaction, &request, now)?;
        let mut changed = 0;
        let sql = "UPDATE memories SET weight = ?2, weight_at = ?3 WHERE id = ?1 AND weight <> ?2";
        let mut statement = transaction.prepare_cached(sql)?;
        for memory in &memories {
            let (importance, accesses) = (memory.importance, memory.access_count);
            let weight = memory.weight_now(&options.rules, now);
            let weight = factor.map_or(weight, |factor| {
                let rules = crate::MemoryRules { decay_per_day: 1.0 - factor, ..options.rules.clone() };
                effective_weight((weight, UnixMillis(0)), importance, accesses, &rules, UnixMillis(DAY_MS))
            });
            let weight_at = believed_time(memory.weight_at, memory.created_at, now).max(now);
            changed += statement.execute(rusqlite::params![memory.id.as_str(), weight, weight_at.0])? as u64;
        }
        Ok(changed)
    })
}

#[cfg(test)]
mod tests;
