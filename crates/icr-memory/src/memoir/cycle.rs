//! Finds cycles of hierarchical links.

use std::collections::{HashMap, HashSet, VecDeque};

use rusqlite::Connection;

use super::Relation;
use crate::{Error, RecordId};

/// Most concepts that an error message names.
const SHOWN_MOST: usize = 8;

/// The shortest path from the concept `from` to the concept `to` along links of one relation, as ids, both ends
/// included; `None` if there is no path. Reads the links of each concept that it reaches.
pub(super) fn path(
    connection: &Connection,
    relation: Relation,
    from: &RecordId,
    to: &RecordId,
) -> Result<Option<Vec<String>>, Error> {
    let sql = "SELECT target_id FROM links WHERE source_id = ?1 AND relation = ?2 ORDER BY no";
    let mut targets = connection.prepare_cached(sql)?;
    let mut before: HashMap<String, String> = HashMap::new();
    let mut seen: HashSet<String> = HashSet::from([from.to_string()]);
    let mut queue = VecDeque::from([from.to_string()]);
    while let Some(concept) = queue.pop_front() {
        if concept == to.as_str() {
            let mut path: Vec<String> = vec![concept];
            while let Some(previous) = path.last().and_then(|last| before.get(last)) {
                path.push(previous.clone());
            }
            path.reverse();
            return Ok(Some(path));
        }
        let rows = targets.query_map([concept.as_str(), relation.name()], |row| row.get::<_, String>(0))?;
        for target in rows {
            let target = target?;
            if seen.insert(target.clone()) {
                before.insert(target.clone(), concept.clone());
                queue.push_back(target);
            }
        }
    }
    Ok(None)
}

/// `a` part_of `b` part_of `c`, with names for the ids. The middle of a long path is left out.
pub(super) fn sentence(connection: &Connection, relation: Relation, ids: &[String]) -> Result<String, Error> {
    let mut name = connection.prepare_cached("SELECT name FROM concepts WHERE id = ?1")?;
    let mut names = Vec::with_capacity(ids.len().min(SHOWN_MOST + 1));
    for (at, id) in ids.iter().enumerate() {
        if ids.len() <= SHOWN_MOST || at < SHOWN_MOST / 2 || at >= ids.len() - SHOWN_MOST / 2 {
            names.push(format!("`{}`", name.query_row([id], |row| row.get::<_, String>(0))?));
        } else if at == SHOWN_MOST / 2 {
            names.push(format!("({} more)", ids.len() - SHOWN_MOST));
        }
    }
    Ok(names.join(&format!(" {} ", relation.name())))
}
