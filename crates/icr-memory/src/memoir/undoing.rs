//! What an undoing may not do to memoirs: take away what was added later, give a name twice, close a cycle.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Relation, cycle};
use crate::{Error, RecordId};

/// Refuses an undoing of the operation that would remove a memoir or a concept together with what was added to it later, or put back what has
/// no place any more: a name that something else has, a concept without its memoir, a link without its concepts.
///
/// Reads the rows of the operation; to be called before any of them is changed.
///
/// # Errors
///
/// [`Error::ChangedSince`] for what was added to later; [`Error::Invalid`] for what has no place; those of reading.
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

/// Refuses an undoing that put back a link which closes a cycle with links that were added later. `undone_by` is the operation that the
/// undoing is; to be called at its end.
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

/// Rows that refer to what the operation added and that it did not add itself.
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

/// Names that the operation would put back and that a row has which it does not touch.
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
