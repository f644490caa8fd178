//! Reduces an [`Archive`] to what a database can hold: no forgotten record, one memory of each text, one memoir of each
//! name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use icr_model::UnixMillis;

use super::archive::{Archive, ConceptRecord, Join, LinkEnds, MemoirRecord, MemoryRecord, MemoryText, OrderedWords};
use crate::near_duplicates::{EXACT_KEY_BYTES, exact_key};
use crate::{Entity, ProjectKey, RecordId};

/// An archive that a database can hold, and what happened to the other records. Settling it again changes nothing.
#[derive(Debug, Default)]
pub(crate) struct Settlement {
    pub(crate) archive: Archive,
    /// Records that were forgotten after their last change, and so removed.
    pub(crate) forgotten: BTreeSet<(Entity, RecordId)>,
    /// Records that were united with another record of the same content, each with the id of that one.
    pub(crate) same: BTreeMap<(Entity, RecordId), RecordId>,
    /// Records that lack the record that they belong to, each with a sentence about what is missing.
    pub(crate) incomplete: BTreeMap<(Entity, RecordId), String>,
}

/// Settles an archive. The order in which its records arrived does not matter.
pub(crate) fn settle(archive: Archive) -> Settlement {
    let mut settlement = Settlement { archive, ..Settlement::default() };
    settlement.bury();
    settlement.settle_successors();
    while settlement.unite_memories() {
        settlement.settle_successors();
    }
    settlement.unite_memoirs();
    settlement.unite_concepts();
    settlement.unite_links();
    settlement.follow();
    settlement
}

impl Settlement {
    /// Removes records that were forgotten after the last change that the forgetting side knew. A change of a concept
    /// also counts as a change of its memoir.
    fn bury(&mut self) {
        let Archive { memories, memoirs, concepts, links, tombstones } = &mut self.archive;
        let forgotten = &mut self.forgotten;
        let mut is_buried = |entity: Entity, id: &RecordId, changed_at: UnixMillis| {
            let tombstone = tombstones.get(&(entity, id.clone()));
            let is_buried = tombstone
                .is_some_and(|tombstone| !tombstone.revoked && tombstone.seen.unwrap_or(tombstone.at) >= changed_at);
            if is_buried {
                forgotten.insert((entity, id.clone()));
            }
            is_buried
        };
        memories.retain(|id, memory| !is_buried(Entity::Memory, id, memory.latest().1.updated_at));
        concepts.retain(|id, concept| !is_buried(Entity::Concept, id, concept.latest().1.updated_at));
        links.retain(|id, link| !is_buried(Entity::Link, id, link.created_at));
        let mut changed_at: BTreeMap<&RecordId, UnixMillis> = BTreeMap::new();
        for concept in concepts.values() {
            let (_, text) = concept.latest();
            let latest = changed_at.entry(&text.memoir_id).or_insert(text.updated_at);
            *latest = text.updated_at.max(*latest);
        }
        memoirs.retain(|id, memoir| {
            let changed_at = changed_at.get(id).copied().unwrap_or(UnixMillis(i64::MIN)).max(memoir.updated_at);
            !is_buried(Entity::Memoir, id, changed_at)
        });
        let without_memoir = |concept: &ConceptRecord| {
            let memoir = &concept.latest().1.memoir_id;
            forgotten.contains(&(Entity::Memoir, memoir.clone()))
        };
        let orphans: Vec<RecordId> =
            concepts.iter().filter(|(_, concept)| without_memoir(concept)).map(|(id, _)| id.clone()).collect();
        for id in orphans {
            concepts.remove(&id);
            forgotten.insert((Entity::Concept, id));
        }
        let orphans: Vec<RecordId> = links
            .iter()
            .filter(|(_, link)| {
                [&link.ends.source_id, &link.ends.target_id]
                    .into_iter()
                    .any(|concept| forgotten.contains(&(Entity::Concept, concept.clone())))
            })
            .map(|(id, _)| id.clone())
            .collect();
        for id in orphans {
            links.remove(&id);
            forgotten.insert((Entity::Link, id));
        }
    }

    /// Chooses the successor of a memory among those that the sides name: the one that exists. If none exists and one
    /// side names no successor, the consolidation was undone on that side. Only the current text can have a successor;
    /// earlier texts get none.
    fn settle_successors(&mut self) {
        let present: BTreeSet<RecordId> = self.archive.memories.keys().cloned().collect();
        for memory in self.archive.memories.values_mut() {
            let latest = memory.latest().0.clone();
            let is_settled = |(text, details): (&String, &Arc<MemoryText>)| {
                details.superseded_by.len() <= 1 && (*text == latest || details.superseded_by.contains(&None))
            };
            // Shared memories are copied only if they change.
            if memory.texts.iter().all(is_settled) {
                continue;
            }
            let memory = Arc::make_mut(memory);
            for (_, text) in memory.texts.iter_mut().filter(|(text, _)| **text != latest) {
                Arc::make_mut(text).superseded_by = [None].into();
            }
            for text in memory.texts.values_mut().filter(|text| text.superseded_by.len() > 1) {
                let text = Arc::make_mut(text);
                let successors = text.superseded_by.iter();
                text.superseded_by = successors
                    .map(|id| id.as_ref().map(|id| representative_of(&self.same, Entity::Memory, id)))
                    .collect();
                let there = text.superseded_by.iter().flatten().rfind(|id| present.contains(*id)).cloned();
                let successor = match there {
                    Some(id) => Some(id),
                    None if text.superseded_by.contains(&None) => None,
                    None => text.superseded_by.last().cloned().flatten(),
                };
                text.superseded_by = [successor].into();
            }
        }
    }

    /// Unites memories with the same project, topic, kind and text, as storing does; the one with the lowest id, which
    /// was stored first, gets the details of the others. Returns whether any were united.
    fn unite_memories(&mut self) -> bool {
        type SameText = (ProjectKey, u8, [u8; EXACT_KEY_BYTES], Option<RecordId>);
        let mut groups: BTreeMap<SameText, Vec<RecordId>> = BTreeMap::new();
        for (id, memory) in &self.archive.memories {
            let (summary, text) = memory.latest();
            let successor = text.superseded_by.last().cloned().flatten();
            let successor = successor
                .map(|id| representative_of(&self.same, Entity::Memory, &id))
                .filter(|successor| successor != id);
            groups
                .entry((text.project.clone(), text.kind as u8, exact_key(&text.topic, summary), successor))
                .or_default()
                .push(id.clone());
        }
        let mut any = false;
        for ids in groups.into_values().filter(|ids| ids.len() > 1) {
            any = true;
            for (first, id, memory) in others(&mut self.archive.memories, ids) {
                Arc::make_mut(first_of(&mut self.archive.memories, &first)).unite(Arc::unwrap_or_clone(memory));
                self.same.insert((Entity::Memory, id), first);
            }
        }
        any
    }

    fn unite_memoirs(&mut self) {
        let names = |memoir: &MemoirRecord| memoir.name.clone();
        for ids in same(&self.archive.memoirs, names) {
            for (first, id, memoir) in others(&mut self.archive.memoirs, ids) {
                first_of(&mut self.archive.memoirs, &first).join(memoir);
                self.same.insert((Entity::Memoir, id), first);
            }
        }
    }

    fn unite_concepts(&mut self) {
        let memoirs: BTreeSet<RecordId> = self.archive.memoirs.keys().cloned().collect();
        let ids: Vec<RecordId> = self.archive.concepts.keys().cloned().collect();
        for id in ids {
            let Some(concept) = self.archive.concepts.get(&id) else { continue };
            let memoir = representative_of(&self.same, Entity::Memoir, &concept.latest().1.memoir_id);
            if !memoirs.contains(&memoir) {
                self.incomplete.insert((Entity::Concept, id.clone()), format!("there is no memoir `{memoir}`"));
                self.archive.concepts.remove(&id);
                continue;
            }
            self.archive.concepts.entry(id).and_modify(|concept| {
                for text in concept.texts.values_mut().filter(|text| text.memoir_id != memoir) {
                    Arc::make_mut(text).memoir_id = memoir.clone();
                }
            });
        }
        let names = |concept: &ConceptRecord| {
            let (_, text) = concept.latest();
            (text.memoir_id.clone(), text.name.clone())
        };
        for ids in same(&self.archive.concepts, names) {
            for (first, id, concept) in others(&mut self.archive.concepts, ids) {
                first_of(&mut self.archive.concepts, &first).join(concept);
                self.same.insert((Entity::Concept, id), first);
            }
        }
    }

    fn unite_links(&mut self) {
        let ids: Vec<RecordId> = self.archive.links.keys().cloned().collect();
        for id in ids {
            let Some(link) = self.archive.links.get(&id) else { continue };
            let ends = LinkEnds {
                source_id: representative_of(&self.same, Entity::Concept, &link.ends.source_id),
                target_id: representative_of(&self.same, Entity::Concept, &link.ends.target_id),
                relation: link.ends.relation.clone(),
            };
            let absent =
                [&ends.source_id, &ends.target_id].into_iter().find(|id| !self.archive.concepts.contains_key(*id));
            let wrong = match absent {
                Some(absent) => Some(format!("there is no concept `{absent}`")),
                None => (ends.source_id == ends.target_id).then(|| "both of its ends are one concept now".to_owned()),
            };
            match wrong {
                Some(wrong) => {
                    self.archive.links.remove(&id);
                    self.incomplete.insert((Entity::Link, id), wrong);
                }
                None => drop(self.archive.links.entry(id).and_modify(|link| link.ends = ends)),
            }
        }
        for ids in same(&self.archive.links, |link| link.ends.clone()) {
            for (first, id, link) in others(&mut self.archive.links, ids) {
                first_of(&mut self.archive.links, &first).join(link);
                self.same.insert((Entity::Link, id), first);
            }
        }
    }

    /// Redirects references to united records, and removes references of a record to itself.
    fn follow(&mut self) {
        let refers_to_itself = |(id, memory): (&RecordId, &Arc<MemoryRecord>)| {
            let own = Some(id.clone());
            memory.related.0.iter().any(|related| related == id.as_str())
                || memory.texts.values().any(|text| text.superseded_by.contains(&own))
        };
        if self.same.keys().all(|(entity, _)| *entity != Entity::Memory)
            && !self.archive.memories.iter().any(refers_to_itself)
        {
            return;
        }
        let known = |words: &OrderedWords, own: Option<&RecordId>| {
            let mut ids: Vec<RecordId> = Vec::with_capacity(words.0.len());
            let mut is_replaced = false;
            for before in words.ids() {
                let id = representative_of(&self.same, Entity::Memory, &before);
                is_replaced |= id != before;
                if Some(&id) != own && !ids.contains(&id) {
                    ids.push(id);
                }
            }
            // Sorting gives the same order on both sides, whichever of them replaced an id first.
            if is_replaced {
                ids.sort_unstable();
            }
            OrderedWords::of_ids(&ids)
        };
        let mut memories = self.archive.memories.clone();
        for (id, memory) in &mut memories {
            let related = known(&memory.related, Some(id));
            let successors = |text: &MemoryText| -> BTreeSet<Option<RecordId>> {
                let successors = text.superseded_by.iter().map(Option::as_ref);
                let successors =
                    successors.map(|successor| successor.map(|id| representative_of(&self.same, Entity::Memory, id)));
                successors.map(|successor| successor.filter(|successor| successor != id)).collect()
            };
            // Unchanged memories stay shared.
            if related == memory.related && memory.texts.values().all(|text| successors(text) == text.superseded_by) {
                continue;
            }
            let memory = Arc::make_mut(memory);
            memory.related = related;
            for text in memory.texts.values_mut() {
                let successors = successors(text);
                Arc::make_mut(text).superseded_by = successors;
            }
        }
        let mut concepts = self.archive.concepts.clone();
        for concept in concepts.values_mut() {
            concept.sources = known(&concept.sources, None);
        }
        (self.archive.memories, self.archive.concepts) = (memories, concepts);
    }
}

/// The record that `id` was united with; `id` itself if there is none.
fn representative_of(same: &BTreeMap<(Entity, RecordId), RecordId>, entity: Entity, id: &RecordId) -> RecordId {
    let mut id = id;
    // Each step leads to a smaller id, so the loop ends.
    while let Some(first) = same.get(&(entity, id.clone())) {
        id = first;
    }
    id.clone()
}

/// Groups of two or more records with the same key, each in order of ids.
fn same<T, K: Ord>(records: &BTreeMap<RecordId, T>, key: impl Fn(&T) -> K) -> Vec<Vec<RecordId>> {
    let mut groups: BTreeMap<K, Vec<RecordId>> = BTreeMap::new();
    for (id, record) in records {
        groups.entry(key(record)).or_default().push(id.clone());
    }
    groups.into_values().filter(|ids| ids.len() > 1).collect()
}

/// Removes all but the first of `ids`; returns the first id, the removed id and the removed record for each.
fn others<T>(records: &mut BTreeMap<RecordId, T>, ids: Vec<RecordId>) -> Vec<(RecordId, RecordId, T)> {
    let mut ids = ids.into_iter();
    let Some(first) = ids.next() else { return Vec::new() };
    let others = ids.filter_map(|id| records.remove(&id).map(|record| (first.clone(), id, record)));
    others.collect()
}

fn first_of<'a, T>(records: &'a mut BTreeMap<RecordId, T>, first: &RecordId) -> &'a mut T {
    records.get_mut(first).expect("the first of a group stays where it is")
}

#[cfg(test)]
mod tests;
