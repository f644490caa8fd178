//! A concept and its neighbourhood.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use serde::Serialize;

use super::lookup::{CONCEPT_COLUMNS, ask, concept_named, concept_row, link_row, memoir_named, rows_of};
use super::overview::to_named_links;
use super::{Concept, ConceptLink, NamedLink, Relation};
use crate::{Error, MemoryDatabase};

/// Largest depth of a neighbourhood, in links.
pub const DEPTH_MOST: u32 = 5;

/// Most concepts of a neighbourhood, including the one in the middle: as many as a reader can survey.
pub const NEIGHBOURHOOD_MOST: usize = 200;

/// The reach of a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeighbourhoodReach {
    /// Depth in links, in both directions; 1 to [`DEPTH_MOST`].
    pub depth: u32,
    /// Follow only links of this relation; `None` for all.
    pub relation: Option<Relation>,
}

impl Default for NeighbourhoodReach {
    fn default() -> Self {
        Self { depth: 1, relation: None }
    }
}

/// A concept and its neighbourhood.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Neighbourhood {
    /// Name of the memoir.
    pub memoir: String,
    /// The concept in the middle.
    pub concept: Concept,
    /// The concepts around it, nearest first, and by name if equally near.
    pub neighbours: Vec<Neighbour>,
    /// The links between all of these concepts, by name.
    pub links: Vec<NamedLink>,
    /// Number of concepts within reach that are left out because there are more than [`NEIGHBOURHOOD_MOST`].
    pub left_out: u64,
}

/// A concept near another one.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Neighbour {
    /// Number of links on the shortest path from the middle.
    pub distance: u32,
    /// The neighbouring concept.
    #[serde(flatten)]
    pub concept: Concept,
}

impl Neighbourhood {
    /// A sentence about what the neighbourhood leaves out; `None` if it is complete.
    pub fn note(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            let shown = self.neighbours.len() + 1;
            format!("{} more concepts are within reach and left out; the {shown} nearest are shown.", self.left_out)
        })
    }
}

/// A concept and the concepts that links connect it with, up to some depth. Also returns all links between them, each
/// once.
///
/// # Errors
///
/// [`Error::NotFound`]; [`Error::Invalid`] for an invalid depth; errors of reading.
pub fn inspect(
    database: &MemoryDatabase,
    memoir: &str,
    name: &str,
    reach: NeighbourhoodReach,
) -> Result<Neighbourhood, Error> {
    if !(1..=DEPTH_MOST).contains(&reach.depth) {
        let wrong = format!("is {}", reach.depth);
        return Err(Error::Invalid { field: "depth", wrong, right: format!("between 1 and {DEPTH_MOST}") });
    }
    ask(database, "looking around a concept", |connection| {
        let memoir = memoir_named(connection, memoir)?;
        let concept = concept_named(connection, &memoir, name)?;
        let mut reached = reachable_concepts(connection, &concept, reach)?;
        let left_out = reached.len().saturating_sub(NEIGHBOURHOOD_MOST - 1);
        reached.truncate(NEIGHBOURHOOD_MOST - 1);
        let neighbours = reached.into_iter().map(|(distance, _, id)| neighbour(connection, distance, &id));
        let neighbours: Vec<Neighbour> = neighbours.collect::<Result<_, Error>>()?;
        let mut concepts: Vec<Concept> = neighbours.iter().map(|neighbour| neighbour.concept.clone()).collect();
        concepts.push(concept.clone());
        let links = to_named_links(&concepts, links_from(connection, &concepts, reach.relation)?);
        Ok(Neighbourhood { memoir: memoir.name, concept, neighbours, links, left_out: left_out as u64 })
    })
}

/// Distance, name and id of all concepts within reach, nearest first, then by name.
fn reachable_concepts(
    connection: &Connection,
    concept: &Concept,
    reach: NeighbourhoodReach,
) -> Result<Vec<(u32, String, String)>, Error> {
    const NEXT: &str = "SELECT concepts.name, concepts.id FROM links JOIN concepts ON concepts.id = target_id \
         WHERE source_id = ?1 AND (?2 IS NULL OR relation = ?2) UNION SELECT concepts.name, concepts.id FROM links \
         JOIN concepts ON concepts.id = source_id WHERE target_id = ?1 AND (?2 IS NULL OR relation = ?2)";
    let relation = reach.relation.map(Relation::name);
    let mut seen: HashSet<String> = HashSet::from([concept.id.to_string()]);
    let mut reached = Vec::new();
    let mut last: Vec<String> = vec![concept.id.to_string()];
    for distance in 1..=reach.depth {
        let mut next: Vec<(u32, String, String)> = Vec::new();
        for id in &last {
            for (name, id) in rows_of(connection, NEXT, params![id, relation], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })? {
                if seen.insert(id.clone()) {
                    next.push((distance, name, id));
                }
            }
        }
        next.sort();
        last = next.iter().map(|(_, _, id)| id.clone()).collect();
        reached.extend(next);
    }
    Ok(reached)
}

fn neighbour(connection: &Connection, distance: u32, id: &str) -> Result<Neighbour, Error> {
    let sql = format!("SELECT {CONCEPT_COLUMNS} FROM concepts WHERE id = ?1");
    let concept = connection.prepare_cached(&sql)?.query_row([id], concept_row)?;
    Ok(Neighbour { distance, concept })
}

/// Links that begin at one of the concepts.
fn links_from(
    connection: &Connection,
    concepts: &[Concept],
    relation: Option<Relation>,
) -> Result<Vec<ConceptLink>, Error> {
    const FROM: &str = "SELECT id, source_id, target_id, relation, weight, created_at FROM links \
         WHERE source_id = ?1 AND (?2 IS NULL OR relation = ?2) ORDER BY no";
    let mut links = Vec::new();
    for concept in concepts {
        let values = params![concept.id.as_str(), relation.map(Relation::name)];
        links.extend(rows_of(connection, FROM, values, |row| link_row(row, 0))?);
    }
    Ok(links)
}
