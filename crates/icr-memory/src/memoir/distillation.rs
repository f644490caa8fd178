//! Distills the memories of a topic into concepts.

use std::collections::{HashMap, HashSet};

use icr_model::UnixMillis;
use rusqlite::Connection;
use serde::Serialize;

use super::changes::{entry, insert_concept, insert_memoir, refine_concept, validate_concept};
use super::concept::{checked_definition, checked_name};
use super::key_phrase::{Note, key_phrases, phrase_key};
use super::lookup::{CONCEPT_COLUMNS, ask, concept_row, memoir_named, rows_of};
use super::{Concept, ConceptRefinement, Label, Memoir, NewConcept};
use crate::listing::{is_recalled, memory_row, select_memories};
use crate::{Author, Error, Memory, MemoryDatabase, ProjectKey, RecordId, TEXT_BYTES_MOST};

/// The topic to distill, and the memoir that gets the concepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DistillationRequest {
    /// The project of the memories.
    pub project: ProjectKey,
    /// The topic of the memories.
    pub topic: String,
    /// The name of the memoir.
    pub memoir: String,
    /// Whether to create the memoir if there is none.
    pub create: bool,
}

/// How the memories of a concept were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DistillationAction {
    /// They became a new concept.
    Added,
    /// They were added to an existing concept.
    Refined,
}

/// A concept that distilling creates or refines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DistilledConcept {
    /// Its name.
    pub name: String,
    /// Whether the concept is created or refined.
    pub action: DistillationAction,
    /// Its new definition.
    pub definition: String,
    /// The memories that are added to its sources.
    pub sources: Vec<RecordId>,
}

/// The result of distilling, or its preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Distillation {
    /// Name of the memoir.
    pub memoir: String,
    /// The created and refined concepts, in the order of their memories.
    pub concepts: Vec<DistilledConcept>,
    /// Number of memories of the topic that were already sources in the memoir.
    pub known: u64,
    /// Number of the operation, for undoing it; `None` if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<i64>,
}

/// Creates concepts from the memories of a topic: one for each key phrase, whose definition is the texts of the
/// memories, one line each. Existing concepts keep their definition and get only the new texts. Memories that are
/// already sources in the memoir are skipped, so that distilling again only adds what is new. This is one operation of
/// the log.
///
/// # Errors
///
/// [`Error::NotFound`] for a topic without memories, and for the memoir unless it may be created; [`Error::Invalid`]
/// for an invalid name of a memoir; errors of writing.
pub fn distill(
    database: &mut MemoryDatabase,
    request: &DistillationRequest,
    author: Author,
    now: UnixMillis,
) -> Result<Distillation, Error> {
    database.write("distilling a topic", |transaction, _| {
        let (memoir, plan) = plan(transaction, request, now)?;
        let log = entry(transaction, "memoir-distill", author, now);
        let memoir = match memoir {
            Some(memoir) => memoir,
            None => insert_memoir(transaction, &log, checked_name("memoir", &request.memoir)?, "", now)?,
        };
        for planned in &plan.concepts {
            match planned.clone() {
                PlannedConcept::New(concept) => insert_concept(transaction, &log, &memoir, concept, now)?,
                PlannedConcept::Better(concept, refinement) => {
                    refine_concept(transaction, &log, concept, &refinement, now)?
                }
            };
        }
        Ok(plan.distillation(memoir.name, log.number()))
    })
}

/// A preview of [`distill`]. Nothing changes.
///
/// # Errors
///
/// As [`distill`], and those of reading.
pub fn distill_preview(
    database: &MemoryDatabase,
    request: &DistillationRequest,
    now: UnixMillis,
) -> Result<Distillation, Error> {
    ask(database, "distilling a topic", |connection| {
        let (memoir, plan) = plan(connection, request, now)?;
        let name = match memoir {
            Some(memoir) => memoir.name,
            None => checked_name("memoir", &request.memoir)?.to_owned(),
        };
        Ok(plan.distillation(name, None))
    })
}

/// The concepts to write.
struct DistillationPlan {
    concepts: Vec<PlannedConcept>,
    known: u64,
}

#[derive(Clone)]
enum PlannedConcept {
    New(NewConcept),
    Better(Concept, ConceptRefinement),
}

impl DistillationPlan {
    fn distillation(self, memoir: String, operation: Option<i64>) -> Distillation {
        let concepts = self.concepts.into_iter().map(|planned| match planned {
            PlannedConcept::New(concept) => DistilledConcept {
                name: concept.name,
                action: DistillationAction::Added,
                definition: concept.definition,
                sources: concept.sources,
            },
            PlannedConcept::Better(concept, refinement) => DistilledConcept {
                name: concept.name,
                action: DistillationAction::Refined,
                definition: refinement.definition,
                sources: refinement.sources,
            },
        });
        Distillation { memoir, concepts: concepts.collect(), known: self.known, operation }
    }
}

fn plan(
    connection: &Connection,
    request: &DistillationRequest,
    now: UnixMillis,
) -> Result<(Option<Memoir>, DistillationPlan), Error> {
    let memories = memories_of(connection, request, now)?;
    let memoir = match memoir_named(connection, &request.memoir) {
        Ok(memoir) => Some(memoir),
        Err(Error::NotFound { .. }) if request.create => None,
        Err(error) => return Err(error),
    };
    let concepts = match &memoir {
        Some(memoir) => {
            let sql = format!("SELECT {CONCEPT_COLUMNS} FROM concepts WHERE memoir_id = ?1 ORDER BY name");
            rows_of(connection, &sql, [memoir.id.as_str()], concept_row)?
        }
        None => Vec::new(),
    };
    let known: HashSet<&RecordId> = concepts.iter().flat_map(|concept| &concept.sources).collect();
    let (old, new): (Vec<Memory>, Vec<Memory>) = memories.into_iter().partition(|memory| known.contains(&memory.id));
    let label = Label::parse(&format!("topic:{}", request.topic.trim())).ok();
    let names: Vec<&str> = concepts.iter().map(|concept| concept.name.as_str()).collect();
    let planned = groups(&new, &names).into_iter().filter_map(|(name, memories)| {
        let key = phrase_key(&name);
        let is_same = |concept: &&Concept| !key.is_empty() && phrase_key(&concept.name) == key;
        let exact = concepts.iter().find(|concept| concept.name == name);
        match exact.or_else(|| concepts.iter().find(is_same)) {
            Some(concept) => better(concept, &memories),
            None => Some(PlannedConcept::New(new_concept(name, &memories, label.clone()))),
        }
    });
    Ok((memoir, DistillationPlan { concepts: planned.collect(), known: old.len() as u64 }))
}

/// The memories of the topic that are recalled, oldest first.
fn memories_of(connection: &Connection, request: &DistillationRequest, now: UnixMillis) -> Result<Vec<Memory>, Error> {
    let sql = select_memories("WHERE project = ?1 AND topic = ?2 ORDER BY no");
    let memories = rows_of(connection, &sql, [request.project.as_str(), &request.topic], memory_row)?;
    let memories: Vec<Memory> = memories.into_iter().filter(|memory| is_recalled(memory, now)).collect();
    if !memories.is_empty() {
        return Ok(memories);
    }
    let sql = "SELECT DISTINCT topic FROM memories WHERE project = ?1 AND superseded_by IS NULL ORDER BY topic";
    let topics: Vec<String> = rows_of(connection, sql, [request.project.as_str()], |row| row.get(0))?;
    let similar = icr_model::similar_names(&request.topic, topics.iter().map(String::as_str), 3);
    let similar = similar.into_iter().map(str::to_owned).collect();
    Err(Error::NotFound { entity: "topic", name: request.topic.clone(), similar })
}

/// Memories with one key phrase and its name, ordered by the first memory of each. `known` are the names of existing
/// concepts.
fn groups<'a>(memories: &'a [Memory], known: &[&str]) -> Vec<(String, Vec<&'a Memory>)> {
    let notes: Vec<Note<'_>> =
        memories.iter().map(|memory| Note { text: &memory.summary, keywords: &memory.keywords }).collect();
    let mut groups: Vec<(String, Vec<&Memory>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (memory, phrase) in memories.iter().zip(key_phrases(&notes, known)) {
        // Control characters are removed. If the phrase is no valid name, the memory's id is used instead.
        let phrase: String = phrase.chars().filter(|character| !character.is_control()).collect();
        let name = checked_name("name", &phrase).map_or_else(|_| memory.id.to_string(), str::to_owned);
        let key = match phrase_key(&name) {
            key if key.is_empty() => name.clone(),
            key => key,
        };
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, group)) => group.push(memory),
            None => groups.push((name, vec![memory])),
        }
    }
    groups
}

fn new_concept(name: String, memories: &[&Memory], label: Option<Label>) -> NewConcept {
    let concept = NewConcept {
        name,
        definition: with_lines(String::new(), memories),
        labels: label.into_iter().collect(),
        sources: memories.iter().map(|memory| memory.id.clone()).collect(),
    };
    validate_concept(&concept).unwrap_or(concept)
}

/// The concept with the new texts; `None` if it cannot be refined.
fn better(concept: &Concept, memories: &[&Memory]) -> Option<PlannedConcept> {
    let definition = with_lines(concept.definition.clone(), memories);
    let refinement = ConceptRefinement {
        definition: checked_definition(&definition).ok()?.to_owned(),
        labels: Vec::new(),
        sources: memories.iter().map(|memory| memory.id.clone()).collect(),
    };
    Some(PlannedConcept::Better(concept.clone(), refinement))
}

/// `definition` with the texts of the memories, one line each. Texts that it already contains are left out, and those
/// that do not fit.
fn with_lines(definition: String, memories: &[&Memory]) -> String {
    let mut text = definition;
    for memory in memories {
        let line = memory.summary.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.lines().any(|known| known.trim() == line) || text.len() + line.len() + 1 > TEXT_BYTES_MOST {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    }
    text
}
