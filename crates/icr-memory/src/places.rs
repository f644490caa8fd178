//! Finds memories by the code that they are about.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use icr_model::UnixMillis;
use rusqlite::{Connection, params};

use crate::listing::{memory_row, select_memories};
use crate::{CodeBinding, Error, Memory, MemoryDatabase, ProjectKey};

/// The order of memories about files; those about a symbol always come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceOrder {
    /// The newest first.
    Newest,
    /// In the order in which the places are named in the request.
    AsNamed,
}

/// The memories of `project` that are about one of `paths` or `symbols`: those about a symbol first, then by `order`,
/// then the newest. Archived and expired memories are left out.
///
/// A path matches memories about its file and about any definition in it. A symbol is a path and the qualified name of
/// a definition in it. Cost: an index look-up for each path and each symbol.
///
/// # Errors
///
/// Those of reading.
pub fn memories_at(
    database: &MemoryDatabase,
    project: &ProjectKey,
    paths: &[&str],
    symbols: &[(&str, &str)],
    (order, limit): (PlaceOrder, usize),
    now: UnixMillis,
) -> Result<Vec<Memory>, Error> {
    database.read("reading what is noted about code", |connection| {
        let lookup = Lookup { connection, project, limit, now };
        let mut ranks = BTreeMap::new();
        let place = |at: usize| if order == PlaceOrder::AsNamed { at } else { 0 };
        for (at, path) in paths.iter().enumerate() {
            lookup.add(&mut ranks, place(at), path, None)?;
        }
        for (at, (path, symbol)) in symbols.iter().enumerate() {
            lookup.add(&mut ranks, place(at), path, Some(symbol))?;
        }
        let mut best: Vec<(Rank, i64)> = ranks.into_iter().map(|(no, rank)| (rank, no)).collect();
        best.sort_unstable_by_key(|(rank, no)| (*rank, Reverse(*no)));
        best.truncate(limit);
        let mut statement = connection.prepare_cached(&select_memories("WHERE no = ?1"))?;
        best.into_iter().map(|(_, no)| statement.query_row([no], memory_row)).collect()
    })
}

/// The sort key of a memory; the smallest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_of_file: bool,
    place: usize,
    created_at: Reverse<UnixMillis>,
}

/// The parameters of the look-ups.
struct Lookup<'a> {
    connection: &'a Connection,
    project: &'a ProjectKey,
    limit: usize,
    now: UnixMillis,
}

impl Lookup<'_> {
    /// Adds the newest memories about a file or a definition to `ranks`, keyed by row number.
    fn add(
        &self,
        ranks: &mut BTreeMap<i64, Rank>,
        place: usize,
        path: &str,
        symbol: Option<&str>,
    ) -> rusqlite::Result<()> {
        // A cross join makes SQLite read the places first: a path has few of them, but a project may have many
        // memories.
        const SELECT: &str = "SELECT DISTINCT memories.no, created_at FROM places CROSS JOIN memories ON memories.no = places.no \
             WHERE path = ?1 AND (?2 IS NULL OR symbol = ?2) AND project = ?3 AND superseded_by IS NULL \
             AND (expires_at IS NULL OR expires_at > ?4) ORDER BY created_at DESC, memories.no DESC LIMIT ?5";
        let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
        let values = params![path, symbol, self.project.as_str(), self.now.0, limit];
        let mut statement = self.connection.prepare_cached(SELECT)?;
        let mut rows = statement.query(values)?;
        while let Some(row) = rows.next()? {
            let rank = Rank { is_of_file: symbol.is_none(), place, created_at: Reverse(UnixMillis(row.get(1)?)) };
            let best = ranks.entry(row.get(0)?).or_insert(rank);
            *best = rank.min(*best);
        }
        Ok(())
    }
}

/// Replaces the indexed places of a row with those in its column `code`. If it cannot be read, the row gets none.
pub(crate) fn write_places(connection: &Connection, no: i64, code: Option<&str>) -> rusqlite::Result<()> {
    drop_places(connection, no)?;
    let binding: Option<CodeBinding> = code.and_then(|code| serde_json::from_str(code).ok());
    let mut add = connection.prepare_cached("INSERT OR IGNORE INTO places (path, symbol, no) VALUES (?1, ?2, ?3)")?;
    for place in binding.iter().flat_map(|binding| &binding.places) {
        add.execute(params![place.path, place.symbol.as_deref().unwrap_or_default(), no])?;
    }
    Ok(())
}

/// Removes the places of a row from the index.
pub(crate) fn drop_places(connection: &Connection, no: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM places WHERE no = ?1")?.execute([no]).map(drop)
}

#[cfg(test)]
mod tests;
