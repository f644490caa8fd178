//! Lists memoirs with counts, and reads whole memoirs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use icr_model::{Moment, UnixMillis};
use rusqlite::Connection;
use serde::Serialize;

use super::concept::as_moment;
use super::lookup::{CONCEPT_COLUMNS, MEMOIR_COLUMNS, ask, concept_row, link_row, memoir_named, memoir_row, rows_of};
use super::{Concept, ConceptLink, Label, Memoir, Relation};
use crate::{Error, MemoryDatabase};

/// A memoir with its counts, for a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MemoirOverview {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Number of its concepts.
    pub concepts: u64,
    /// Number of its links.
    pub links: u64,
    /// When it was made.
    pub created_at: Moment,
    /// When it or one of its concepts was last changed.
    pub updated_at: Moment,
}

/// Statistics of one memoir.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MemoirStatistics {
    /// The memoir with the counts that lists show.
    #[serde(flatten)]
    pub overview: MemoirOverview,
    /// Mean confidence of its concepts; 0 if it has none.
    pub average_confidence: f64,
    /// Whether it has more concepts than its threshold for consolidation.
    pub needs_consolidation: bool,
    /// Its labels, the most frequent first, equally frequent ones by name.
    pub labels: Vec<LabelCount>,
    /// The relations of its links, the most frequent first.
    pub relations: Vec<RelationCount>,
}

/// How many concepts have a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LabelCount {
    /// The label.
    pub label: Label,
    /// Number of concepts with this label.
    pub count: u64,
}

/// How many links have a relation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RelationCount {
    /// The relation.
    pub relation: Relation,
    /// Number of links with this relation.
    pub count: u64,
}

/// A link, given by the names of its concepts.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NamedLink {
    /// Name of the concept where the link starts.
    pub from: String,
    /// The relation between the two concepts.
    pub relation: Relation,
    /// Name of the concept that the link leads to.
    pub to: String,
    /// Strength of the link.
    pub weight: f64,
    /// When it was made, in milliseconds since 1970.
    #[serde(serialize_with = "as_moment")]
    #[schemars(with = "icr_model::Moment")]
    pub created_at: UnixMillis,
}

/// A memoir with all of its concepts and links.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoirGraph {
    /// The memoir.
    pub memoir: Memoir,
    /// Its concepts, by name.
    pub concepts: Vec<Concept>,
    /// Its links, by the names of their concepts, then by relation. Both ends of each link are among the concepts.
    pub links: Vec<NamedLink>,
}

/// All memoirs, by name.
///
/// # Errors
///
/// Those of reading.
pub fn list(database: &MemoryDatabase) -> Result<Vec<MemoirOverview>, Error> {
    ask(database, "listing memoirs", |connection| {
        let sql = format!("SELECT {MEMOIR_COLUMNS} FROM memoirs ORDER BY name");
        let memoirs = rows_of(connection, &sql, [], memoir_row)?;
        memoirs.into_iter().map(|memoir| overview(connection, memoir)).collect()
    })
}

/// The statistics of a memoir.
///
/// # Errors
///
/// [`Error::NotFound`], and those of reading.
pub fn show(database: &MemoryDatabase, memoir: &str) -> Result<MemoirStatistics, Error> {
    let graph = graph(database, memoir)?;
    let mut labels: BTreeMap<&Label, u64> = BTreeMap::new();
    for label in graph.concepts.iter().flat_map(|concept| &concept.labels) {
        *labels.entry(label).or_default() += 1;
    }
    let mut relations: BTreeMap<Relation, u64> = BTreeMap::new();
    for link in &graph.links {
        *relations.entry(link.relation).or_default() += 1;
    }
    let mut labels: Vec<_> =
        labels.into_iter().map(|(label, count)| LabelCount { label: label.clone(), count }).collect();
    labels.sort_by_key(|label| Reverse(label.count));
    let mut relations: Vec<_> =
        relations.into_iter().map(|(relation, count)| RelationCount { relation, count }).collect();
    relations.sort_by_key(|relation| Reverse(relation.count));
    let confidence: f64 = graph.concepts.iter().map(|concept| concept.confidence).sum();
    let updated_at =
        graph.concepts.iter().map(|concept| concept.updated_at).fold(graph.memoir.updated_at, UnixMillis::max);
    Ok(MemoirStatistics {
        average_confidence: if graph.concepts.is_empty() { 0.0 } else { confidence / graph.concepts.len() as f64 },
        needs_consolidation: graph.concepts.len() as u64 > u64::from(graph.memoir.consolidation_threshold),
        overview: MemoirOverview {
            concepts: graph.concepts.len() as u64,
            links: graph.links.len() as u64,
            created_at: graph.memoir.created_at.to_moment(),
            updated_at: updated_at.to_moment(),
            name: graph.memoir.name,
            description: graph.memoir.description,
        },
        labels,
        relations,
    })
}

/// A memoir with all of its concepts and links, read in one transaction.
///
/// # Errors
///
/// [`Error::NotFound`], and those of reading.
pub fn graph(database: &MemoryDatabase, memoir: &str) -> Result<MemoirGraph, Error> {
    ask(database, "reading a memoir", |connection| {
        let memoir = memoir_named(connection, memoir)?;
        let sql = format!("SELECT {CONCEPT_COLUMNS} FROM concepts WHERE memoir_id = ?1 ORDER BY name");
        let concepts = rows_of(connection, &sql, [memoir.id.as_str()], concept_row)?;
        const LINKS: &str = "SELECT links.id, source_id, target_id, relation, weight, links.created_at FROM links \
             JOIN concepts ON concepts.id = source_id WHERE memoir_id = ?1 ORDER BY links.no";
        let links = rows_of(connection, LINKS, [memoir.id.as_str()], |row| link_row(row, 0))?;
        let links = to_named_links(&concepts, links);
        Ok(MemoirGraph { memoir, concepts, links })
    })
}

/// The links with names for ids, in the order of answers. Links with an end that is not among `concepts` are left out.
pub(super) fn to_named_links(concepts: &[Concept], links: Vec<ConceptLink>) -> Vec<NamedLink> {
    let names: HashMap<&str, &str> =
        concepts.iter().map(|concept| (concept.id.as_str(), concept.name.as_str())).collect();
    let by_name = |link: ConceptLink| {
        Some(NamedLink {
            from: (*names.get(link.source_id.as_str())?).to_owned(),
            to: (*names.get(link.target_id.as_str())?).to_owned(),
            relation: link.relation,
            weight: link.weight,
            created_at: link.created_at,
        })
    };
    let mut links: Vec<NamedLink> = links.into_iter().filter_map(by_name).collect();
    links.sort_by(|a, b| (&a.from, &a.to, a.relation).cmp(&(&b.from, &b.to, b.relation)));
    links
}

fn overview(connection: &Connection, memoir: Memoir) -> Result<MemoirOverview, Error> {
    const NUMBERS: &str = "SELECT count(*), coalesce(max(updated_at), 0), (SELECT count(*) FROM links JOIN concepts \
         ON concepts.id = source_id WHERE memoir_id = ?1) FROM concepts WHERE memoir_id = ?1";
    let (concepts, changed, links): (u64, UnixMillis, u64) = connection
        .prepare_cached(NUMBERS)?
        .query_row([memoir.id.as_str()], |row| Ok((row.get(0)?, UnixMillis(row.get(1)?), row.get(2)?)))?;
    Ok(MemoirOverview {
        name: memoir.name,
        description: memoir.description,
        concepts,
        links,
        created_at: memoir.created_at.to_moment(),
        updated_at: memoir.updated_at.max(changed).to_moment(),
    })
}
