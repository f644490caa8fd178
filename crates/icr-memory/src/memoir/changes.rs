//! Changes to memoirs. Each public function is one operation of the log.

use icr_model::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;

use super::concept::{FIRST_CONFIDENCE, checked_definition, checked_name, raise_confidence};
use super::label::{check_count, distinct};
use super::lookup::{concept_if_any, concept_named, link_row, memoir_named, new_id, rows_of};
use super::{Concept, ConceptLink, Label, Memoir, Relation, cycle};
use crate::memory::check_length;
use crate::operations::{Entity, LogEntry};
use crate::store::time_of_change;
use crate::{Author, Error, MemoryDatabase, ProjectKey, RecordId, TEXT_BYTES_MOST};

/// A concept to add.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewConcept {
    /// Its name, 1 to 255 bytes in one line.
    pub name: String,
    /// The definition; 1 byte to 64 KiB.
    pub definition: String,
    /// The labels that it is filed under; at most 50.
    pub labels: Vec<Label>,
    /// Ids of the memories that it was made from.
    pub sources: Vec<RecordId>,
}

/// A better definition of a concept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConceptRefinement {
    /// The new definition; 1 byte to 64 KiB.
    pub definition: String,
    /// Labels to add to those that the concept has.
    pub labels: Vec<Label>,
    /// Memories to add to the sources of the concept.
    pub sources: Vec<RecordId>,
}

/// A link, given by the names of its concepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkEnds {
    /// Name of the concept where the link starts.
    pub from: String,
    /// Name of the concept that the link leads to.
    pub to: String,
    /// The relation between the two concepts.
    pub relation: Relation,
}

/// The result of linking.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LinkOutcome {
    /// The new or existing link.
    pub link: ConceptLink,
    /// Whether the link is new.
    pub is_new: bool,
}

/// What the deletion of a memoir removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MemoirRemoval {
    /// The deleted memoir.
    pub memoir: Memoir,
    /// Number of its concepts.
    pub concepts: u64,
    /// Number of its links.
    pub links: u64,
}

/// Creates a memoir without concepts. `description` has at most 64 KiB and may be empty.
///
/// # Errors
///
/// [`Error::Invalid`] for an invalid name, and for the name of another memoir; errors of writing.
pub fn create(
    database: &mut MemoryDatabase,
    name: &str,
    description: &str,
    author: Author,
    now: UnixMillis,
) -> Result<Memoir, Error> {
    let name = checked_name("name", name)?;
    check_length("description", description, TEXT_BYTES_MOST)?;
    database.write("making a memoir", |transaction, _| {
        let log = entry(transaction, "memoir-create", author, now);
        insert_memoir(transaction, &log, name, description.trim(), now)
    })
}

/// Deletes a memoir with all of its concepts and links. The log keeps them, so that [`undo`](crate::undo) restores all
/// of them.
///
/// # Errors
///
/// [`Error::NotFound`], and those of writing.
pub fn delete(
    database: &mut MemoryDatabase,
    memoir: &str,
    author: Author,
    now: UnixMillis,
) -> Result<MemoirRemoval, Error> {
    database.write("deleting a memoir", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        let log = entry(transaction, "memoir-delete", author, now);
        const LINKS: &str = "SELECT links.id FROM links JOIN concepts ON concepts.id = source_id WHERE memoir_id = ?1";
        const CONCEPTS: &str = "SELECT id FROM concepts WHERE memoir_id = ?1";
        let links: Vec<String> = rows_of(transaction, LINKS, [memoir.id.as_str()], |row| row.get(0))?;
        let concepts: Vec<String> = rows_of(transaction, CONCEPTS, [memoir.id.as_str()], |row| row.get(0))?;
        for link in &links {
            log.removing(Entity::Link, link)?;
        }
        for concept in &concepts {
            log.removing(Entity::Concept, concept)?;
        }
        log.removing(Entity::Memoir, memoir.id.as_str())?;
        transaction.prepare_cached("DELETE FROM memoirs WHERE id = ?1")?.execute([memoir.id.as_str()])?;
        Ok(MemoirRemoval { memoir, concepts: concepts.len() as u64, links: links.len() as u64 })
    })
}

/// Renames a memoir.
///
/// # Errors
///
/// [`Error::NotFound`]; [`Error::Invalid`] for an invalid name, and for the name of another memoir; errors of writing.
pub fn rename(
    database: &mut MemoryDatabase,
    memoir: &str,
    name: &str,
    author: Author,
    now: UnixMillis,
) -> Result<Memoir, Error> {
    let name = checked_name("name", name)?;
    database.write("renaming a memoir", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        if memoir.name == name {
            return Ok(memoir);
        }
        check_memoir_is_new(transaction, name)?;
        let log = entry(transaction, "memoir-rename", author, now);
        log.changing(Entity::Memoir, memoir.id.as_str())?;
        let updated_at = time_of_change(memoir.updated_at, now);
        let sql = "UPDATE memoirs SET name = ?2, updated_at = ?3, version = version + 1 WHERE id = ?1";
        transaction.prepare_cached(sql)?.execute(params![memoir.id.as_str(), name, updated_at.0])?;
        Ok(Memoir { name: name.to_owned(), updated_at, ..memoir })
    })
}

/// Adds a concept with revision 1 and confidence 0.5.
///
/// # Errors
///
/// [`Error::NotFound`] for the memoir; [`Error::Invalid`] for an invalid concept, and if the memoir already has a
/// concept of this name ([`refine`] improves that one); errors of writing.
pub fn add_concept(
    database: &mut MemoryDatabase,
    memoir: &str,
    concept: &NewConcept,
    author: Author,
    now: UnixMillis,
) -> Result<Concept, Error> {
    let new = validate_concept(concept)?;
    database.write("adding a concept", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        check_concept_is_new(transaction, &memoir, &new.name)?;
        let log = entry(transaction, "concept-add", author, now);
        insert_concept(transaction, &log, &memoir, new, now)
    })
}

/// Gives a concept a better definition. Its revision grows by 1 and its confidence by 0.1, up to 1. Its labels and
/// sources stay, and new ones are added. The log keeps the previous version.
///
/// # Errors
///
/// [`Error::NotFound`]; [`Error::Invalid`] for an invalid definition or label; errors of writing.
pub fn refine(
    database: &mut MemoryDatabase,
    memoir: &str,
    name: &str,
    refinement: &ConceptRefinement,
    author: Author,
    now: UnixMillis,
) -> Result<Concept, Error> {
    let refinement =
        ConceptRefinement { definition: checked_definition(&refinement.definition)?.to_owned(), ..refinement.clone() };
    database.write("refining a concept", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        let concept = concept_named(transaction, &memoir, name)?;
        let log = entry(transaction, "concept-refine", author, now);
        refine_concept(transaction, &log, concept, &refinement, now)
    })
}

/// Renames a concept. Its links stay.
///
/// # Errors
///
/// [`Error::NotFound`]; [`Error::Invalid`] for an invalid name, and for the name of another concept; errors of writing.
pub fn rename_concept(
    database: &mut MemoryDatabase,
    memoir: &str,
    name: &str,
    new_name: &str,
    author: Author,
    now: UnixMillis,
) -> Result<Concept, Error> {
    let new_name = checked_name("name", new_name)?;
    database.write("renaming a concept", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        let concept = concept_named(transaction, &memoir, name)?;
        if concept.name == new_name {
            return Ok(concept);
        }
        check_concept_is_new(transaction, &memoir, new_name)?;
        let log = entry(transaction, "concept-rename", author, now);
        let updated_at = time_of_change(concept.updated_at, now);
        let concept = Concept { name: new_name.to_owned(), updated_at, ..concept };
        rewrite_concept(transaction, &log, &concept)?;
        Ok(concept)
    })
}

/// Removes a concept with the links that begin or end at it, and returns it.
///
/// # Errors
///
/// [`Error::NotFound`], and those of writing.
pub fn remove_concept(
    database: &mut MemoryDatabase,
    memoir: &str,
    name: &str,
    author: Author,
    now: UnixMillis,
) -> Result<Concept, Error> {
    database.write("removing a concept", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        let concept = concept_named(transaction, &memoir, name)?;
        let log = entry(transaction, "concept-remove", author, now);
        let sql = "SELECT id FROM links WHERE source_id = ?1 OR target_id = ?1";
        for link in rows_of(transaction, sql, [concept.id.as_str()], |row| row.get::<_, String>(0))? {
            log.removing(Entity::Link, &link)?;
        }
        log.removing(Entity::Concept, concept.id.as_str())?;
        transaction.prepare_cached("DELETE FROM concepts WHERE id = ?1")?.execute([concept.id.as_str()])?;
        Ok(concept)
    })
}

/// Links two concepts of a memoir. If the link exists already, nothing changes and the existing link is returned. There
/// may be links in both directions.
///
/// # Errors
///
/// [`Error::NotFound`]; [`Error::Invalid`] for a link of a concept to itself, and for a link that closes a cycle of
/// `part_of`, `refines`, `instance_of` or `superseded_by`, with the cycle in the message; errors of writing.
pub fn link(
    database: &mut MemoryDatabase,
    memoir: &str,
    ends: &LinkEnds,
    author: Author,
    now: UnixMillis,
) -> Result<LinkOutcome, Error> {
    database.write("linking two concepts", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        let from = concept_named(transaction, &memoir, &ends.from)?;
        let to = concept_named(transaction, &memoir, &ends.to)?;
        if from.id == to.id {
            let wrong = format!("is `{}` itself", to.name);
            return Err(Error::Invalid { field: "to", wrong, right: "link it to another concept".to_owned() });
        }
        if let Some(link) = link_between(transaction, &from, &to, ends.relation)? {
            return Ok(LinkOutcome { link, is_new: false });
        }
        check_no_cycle(transaction, &from, &to, ends.relation)?;
        let log = entry(transaction, "concept-link", author, now);
        let link = ConceptLink {
            id: new_id(transaction, "links", now)?,
            source_id: from.id,
            target_id: to.id,
            relation: ends.relation,
            weight: 1.0,
            created_at: now,
        };
        insert_link(transaction, &log, &link)?;
        Ok(LinkOutcome { link, is_new: true })
    })
}

/// Removes a link and returns it.
///
/// # Errors
///
/// [`Error::NotFound`] for the memoir, a concept, or the link; those of writing.
pub fn unlink(
    database: &mut MemoryDatabase,
    memoir: &str,
    ends: &LinkEnds,
    author: Author,
    now: UnixMillis,
) -> Result<ConceptLink, Error> {
    database.write("removing a link", |transaction, _| {
        let memoir = memoir_named(transaction, memoir)?;
        let from = concept_named(transaction, &memoir, &ends.from)?;
        let to = concept_named(transaction, &memoir, &ends.to)?;
        let Some(link) = link_between(transaction, &from, &to, ends.relation)? else {
            let name = format!("{} {} {}", from.name, ends.relation.name(), to.name);
            return Err(Error::NotFound { entity: "link", name, similar: Vec::new() });
        };
        let log = entry(transaction, "concept-unlink", author, now);
        log.removing(Entity::Link, link.id.as_str())?;
        transaction.prepare_cached("DELETE FROM links WHERE id = ?1")?.execute([link.id.as_str()])?;
        Ok(link)
    })
}

/// Starts an operation of the log. Memoirs belong to no project.
pub(super) fn entry<'a>(
    transaction: &'a Transaction<'a>,
    kind: &'static str,
    author: Author,
    now: UnixMillis,
) -> LogEntry<'a> {
    static NO_PROJECT: ProjectKey = ProjectKey::NONE;
    LogEntry::new(transaction, (kind, author), &NO_PROJECT, now)
}

/// Inserts a memoir; its name must be new.
pub(super) fn insert_memoir(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    name: &str,
    description: &str,
    now: UnixMillis,
) -> Result<Memoir, Error> {
    check_memoir_is_new(transaction, name)?;
    let id = new_id(transaction, "memoirs", now)?;
    let sql =
        "INSERT INTO memoirs (id, name, description, created_at, updated_at, version) VALUES (?1, ?2, ?3, ?4, ?4, 1)";
    transaction.prepare_cached(sql)?.execute(params![id.as_str(), name, description, now.0])?;
    log.record_insertion(Entity::Memoir, id.as_str())?;
    memoir_named(transaction, name)
}

/// Inserts a valid concept; its name must be new in the memoir.
pub(super) fn insert_concept(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    memoir: &Memoir,
    new: NewConcept,
    now: UnixMillis,
) -> Result<Concept, Error> {
    let concept = Concept {
        id: new_id(transaction, "concepts", now)?,
        name: new.name,
        definition: new.definition,
        labels: new.labels,
        confidence: FIRST_CONFIDENCE,
        revision: 1,
        sources: new.sources,
        created_at: now,
        updated_at: now,
    };
    const INSERT: &str = "INSERT INTO concepts (id, memoir_id, name, definition, labels, confidence, revision, sources, created_at, \
         updated_at, version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1)";
    transaction.prepare_cached(INSERT)?.execute(params![
        concept.id.as_str(),
        memoir.id.as_str(),
        concept.name,
        concept.definition,
        json_of(&concept.labels),
        concept.confidence,
        concept.revision,
        json_of(&concept.sources),
        concept.created_at.0,
        concept.updated_at.0,
    ])?;
    log.record_insertion(Entity::Concept, concept.id.as_str())?;
    Ok(concept)
}

/// Writes a concept with a valid better definition.
pub(super) fn refine_concept(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    concept: Concept,
    refinement: &ConceptRefinement,
    now: UnixMillis,
) -> Result<Concept, Error> {
    let labels = distinct(concept.labels.iter().chain(&refinement.labels).cloned().collect());
    check_count(&labels)?;
    let concept = Concept {
        definition: refinement.definition.clone(),
        labels,
        confidence: raise_confidence(concept.confidence),
        revision: concept.revision.saturating_add(1),
        sources: union_of_ids(concept.sources, &refinement.sources),
        updated_at: time_of_change(concept.updated_at, now),
        ..concept
    };
    rewrite_concept(transaction, log, &concept)?;
    Ok(concept)
}

/// The concept in the form in which it is stored: name and definition without white space around them, each label and
/// source once.
pub(super) fn validate_concept(concept: &NewConcept) -> Result<NewConcept, Error> {
    let labels = distinct(concept.labels.clone());
    check_count(&labels)?;
    Ok(NewConcept {
        name: checked_name("name", &concept.name)?.to_owned(),
        definition: checked_definition(&concept.definition)?.to_owned(),
        labels,
        sources: union_of_ids(Vec::new(), &concept.sources),
    })
}

fn rewrite_concept(transaction: &Transaction<'_>, log: &LogEntry<'_>, concept: &Concept) -> Result<(), Error> {
    log.changing(Entity::Concept, concept.id.as_str())?;
    const UPDATE: &str = "UPDATE concepts SET name = ?2, definition = ?3, labels = ?4, confidence = ?5, revision = ?6, sources = ?7, \
         updated_at = ?8, version = version + 1 WHERE id = ?1";
    transaction.prepare_cached(UPDATE)?.execute(params![
        concept.id.as_str(),
        concept.name,
        concept.definition,
        json_of(&concept.labels),
        concept.confidence,
        concept.revision,
        json_of(&concept.sources),
        concept.updated_at.0,
    ])?;
    Ok(())
}

fn insert_link(transaction: &Transaction<'_>, log: &LogEntry<'_>, link: &ConceptLink) -> Result<(), Error> {
    const INSERT: &str = "INSERT INTO links (id, source_id, target_id, relation, weight, created_at, version) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1)";
    let (source, target) = (link.source_id.as_str(), link.target_id.as_str());
    let values = params![link.id.as_str(), source, target, link.relation.name(), link.weight, link.created_at.0];
    transaction.prepare_cached(INSERT)?.execute(values)?;
    Ok(log.record_insertion(Entity::Link, link.id.as_str())?)
}

fn link_between(
    connection: &Connection,
    from: &Concept,
    to: &Concept,
    relation: Relation,
) -> Result<Option<ConceptLink>, Error> {
    let sql = "SELECT id, source_id, target_id, relation, weight, created_at FROM links \
         WHERE source_id = ?1 AND target_id = ?2 AND relation = ?3";
    let ends = [from.id.as_str(), to.id.as_str(), relation.name()];
    Ok(connection.prepare_cached(sql)?.query_row(ends, |row| link_row(row, 0)).optional()?)
}

fn check_no_cycle(connection: &Connection, from: &Concept, to: &Concept, relation: Relation) -> Result<(), Error> {
    if !relation.is_hierarchical() {
        return Ok(());
    }
    let Some(mut cycle) = cycle::path(connection, relation, &to.id, &from.id)? else { return Ok(()) };
    cycle.insert(0, from.id.to_string());
    let wrong = format!("would close a cycle: {}", cycle::sentence(connection, relation, &cycle)?);
    let right = "remove one of these links first, or use `related_to`".to_owned();
    Err(Error::Invalid { field: "relation", wrong, right })
}

fn check_memoir_is_new(connection: &Connection, name: &str) -> Result<(), Error> {
    let sql = "SELECT count(*) FROM memoirs WHERE name = ?1";
    match connection.prepare_cached(sql)?.query_row([name], |row| row.get::<_, i64>(0))? {
        0 => Ok(()),
        _ => {
            let wrong = format!("is `{name}`, which another memoir has");
            Err(Error::Invalid { field: "name", wrong, right: "use that memoir, or choose another name".to_owned() })
        }
    }
}

fn check_concept_is_new(connection: &Connection, memoir: &Memoir, name: &str) -> Result<(), Error> {
    if concept_if_any(connection, memoir, name)?.is_none() {
        return Ok(());
    }
    let wrong = format!("is `{name}`, which `{}` has a concept for", memoir.name);
    Err(Error::Invalid { field: "name", wrong, right: "refine that concept, or choose another name".to_owned() })
}

/// The ids of both lists, each once.
fn union_of_ids(mut ids: Vec<RecordId>, more: &[RecordId]) -> Vec<RecordId> {
    for id in more {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

/// The list as JSON, which cannot fail for words and ids.
fn json_of(list: &impl Serialize) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}
