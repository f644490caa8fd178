//! Checks that undoing an operation does not damage memoirs: later additions are not removed, no name exists twice, no
//! cycle is closed.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Relation, cycle};
use crate::{Error, RecordId};

/// Refuses to undo an operation if that would remove a memoir or a concept together with later additions to it. Also
/// refuses to restore a record that has no place any more: its name is used by another record, or a concept lacks its
/// memoir, or a link lacks its concepts.
///
/// Reads the rows that the operation changed; must be called before any of them is restored.
///
/// # Errors
///
/// [`Error::ChangedSince`] for later additions; [`Error::Invalid`] for a record that has no place; errors of reading.
pub(crate) fn check_undo(connection: &Connection, operation: i64) -> Result<(), Error> {
    check_nothing_hangs_on(connection, operation)?;
    let refused = |wrong: String, right: &str| {
        let wrong = format!("{operation} cannot be undone: {wrong}");
        Err(Error::Invalid { field: "operation", wrong, right: right.to_owned() })
    };
    for (names, kind) in [(MEMOIR_NAMES, "memoir"), (CONCEPT_NAMES, "concept")] {
        if let Some(name) = first_text(connection, names, operation)? {
            return refused(format!("another {kind} is called `{name}` now"), "rename that one first");
        }
    }
    if let Some(name) = first_text(connection, CONCEPTS_WITHOUT_MEMOIR, operation)? {
        return refused(format!("the memoir of `{name}` is gone"), "bring the memoir back first");
    }
    if first_text(connection, LINKS_WITHOUT_END, operation)?.is_some() {
        return refused("a concept of a link is gone".to_owned(), "bring the concept back first");
    }
    match first_text(connection, LINKS_ADDED_AGAIN, operation)? {
        Some(relation) => {
            let wrong = format!("the link `{relation}` between the same concepts was added again");
            refused(wrong, "there is nothing left to do")
        }
        None => Ok(()),
    }
}

/// Refuses an undo that restored a link which closes a cycle with later links. `undone_by` is the operation of the
/// undo. Must be called at the end of the undo.
///
/// # Errors
///
/// [`Error::Invalid`], and those of reading.
pub(crate) fn check_links_after_undo(connection: &Connection, undone: i64, undone_by: i64) -> Result<(), Error> {
    let sql = "SELECT source_id, target_id, relation FROM links JOIN changes ON changes.id = links.id \
         WHERE operation = ?1 AND entity = 'link'";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([undone_by])?;
    while let Some(row) = rows.next()? {
        let [source, target, relation] = [row.get::<_, String>(0)?, row.get(1)?, row.get(2)?];
        let relation = Relation::parse(&relation)?;
        let ids = (RecordId::try_from(source), RecordId::try_from(target));
        let (true, (Ok(source), Ok(target))) = (relation.is_hierarchical(), ids) else { continue };
        if let Some(mut cycle) = cycle::path(connection, relation, &target, &source)? {
            cycle.insert(0, source.to_string());
            let sentence = cycle::sentence(connection, relation, &cycle)?;
            let wrong = format!("{undone} cannot be undone: it would close a cycle: {sentence}");
            let right = "remove one of these links first".to_owned();
            return Err(Error::Invalid { field: "operation", wrong, right });
        }
    }
    Ok(())
}

/// Rows that refer to records which the operation added, but that the operation did not add itself.
fn check_nothing_hangs_on(connection: &Connection, operation: i64) -> Result<(), Error> {
    for (entity, sql) in [("memoir", CONCEPTS_OF_ADDED), ("concept", LINKS_OF_ADDED)] {
        let later = connection
            .prepare_cached(sql)?
            .query_row([operation], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
            .optional()?;
        if let Some((id, dependent)) = later {
            let by = "SELECT max(operation) FROM changes WHERE id = ?1 AND operation > ?2";
            let by = connection.prepare_cached(by)?.query_row(params![dependent, operation], |row| row.get(0))?;
            return Err(Error::ChangedSince { operation, entity, id, by });
        }
    }
    Ok(())
}

const CONCEPTS_OF_ADDED: &str = "SELECT memoir_id, concepts.id FROM changes JOIN concepts ON memoir_id = changes.id \
     WHERE operation = ?1 AND entity = 'memoir' AND before IS NULL AND NOT EXISTS (SELECT 1 FROM changes AS own \
     WHERE own.operation = ?1 AND own.entity = 'concept' AND own.id = concepts.id AND own.before IS NULL) LIMIT 1";

const LINKS_OF_ADDED: &str = "SELECT changes.id, links.id FROM changes JOIN links ON changes.id IN (source_id, target_id) \
     WHERE operation = ?1 AND entity = 'concept' AND before IS NULL AND NOT EXISTS (SELECT 1 FROM changes AS own \
     WHERE own.operation = ?1 AND own.entity = 'link' AND own.id = links.id AND own.before IS NULL) LIMIT 1";

/// Names that undoing would restore, and that a row has which the operation did not change.
const MEMOIR_NAMES: &str = "SELECT memoirs.name FROM changes JOIN memoirs ON memoirs.name = before ->> 'name' \
     WHERE operation = ?1 AND entity = 'memoir' AND memoirs.id <> changes.id LIMIT 1";

const CONCEPT_NAMES: &str = "SELECT concepts.name FROM changes JOIN concepts ON concepts.memoir_id = before ->> 'memoir_id' \
     AND concepts.name = before ->> 'name' WHERE operation = ?1 AND entity = 'concept' AND concepts.id <> changes.id LIMIT 1";

const CONCEPTS_WITHOUT_MEMOIR: &str = "SELECT before ->> 'name' FROM changes WHERE operation = ?1 AND entity = 'concept' \
     AND before IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memoirs WHERE memoirs.id = before ->> 'memoir_id') \
     AND NOT EXISTS (SELECT 1 FROM changes AS own WHERE own.operation = ?1 AND own.entity = 'memoir' \
     AND own.id = changes.before ->> 'memoir_id' AND own.before IS NOT NULL) LIMIT 1";

const LINKS_WITHOUT_END: &str = "SELECT changes.id FROM changes, json_each(json_array(before ->> 'source_id', before ->> 'target_id')) AS ends \
     WHERE operation = ?1 AND entity = 'link' AND before IS NOT NULL \
     AND NOT EXISTS (SELECT 1 FROM concepts WHERE concepts.id = ends.value) \
     AND NOT EXISTS (SELECT 1 FROM changes AS own WHERE own.operation = ?1 AND own.entity = 'concept' \
     AND own.id = ends.value AND own.before IS NOT NULL) LIMIT 1";

const LINKS_ADDED_AGAIN: &str = "SELECT links.relation FROM changes JOIN links ON links.source_id = before ->> 'source_id' \
     AND links.target_id = before ->> 'target_id' AND links.relation = before ->> 'relation' \
     WHERE operation = ?1 AND entity = 'link' AND links.id <> changes.id LIMIT 1";

fn first_text(connection: &Connection, sql: &str, operation: i64) -> Result<Option<String>, Error> {
    Ok(connection.prepare_cached(sql)?.query_row([operation], |row| row.get(0)).optional()?)
}
