//! The exchange format of databases: records by id, which two sides can join without asking each other.
//!
//! Joining is commutative, associative and idempotent, so it does not matter who merges what first, or twice. It drops
//! nothing. What cannot exist together in a database (a record that was forgotten, two memoirs of one name) is resolved
//! afterwards by [`settle`](super::settlement::settle).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

use icr_model::UnixMillis;

use crate::store::united_excerpt;
use crate::{Author, CodeBinding, DAY_MS, Entity, Importance, MemoryKind, MemoryOrigin, ProjectKey, RecordId};

/// Joins a value with the other side's value.
pub(crate) trait Join {
    /// Merges `other` into `self`.
    fn join(&mut self, other: Self);
}

/// All records, by kind and id.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Archive {
    /// Shared by `Arc` between an archive and the archives joined and settled from it, so an import holds its memories
    /// once.
    pub(crate) memories: BTreeMap<RecordId, Arc<MemoryRecord>>,
    pub(crate) memoirs: BTreeMap<RecordId, MemoirRecord>,
    pub(crate) concepts: BTreeMap<RecordId, ConceptRecord>,
    pub(crate) links: BTreeMap<RecordId, LinkRecord>,
    pub(crate) tombstones: BTreeMap<(Entity, RecordId), Tombstone>,
}

impl Join for Archive {
    fn join(&mut self, other: Self) {
        self.memories.join(other.memories);
        self.memoirs.join(other.memoirs);
        self.concepts.join(other.concepts);
        self.links.join(other.links);
        self.tombstones.join(other.tombstones);
    }
}

/// A memory with all of its known texts, past and present.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemoryRecord {
    /// The earliest known time.
    pub(crate) created_at: UnixMillis,
    /// The details of each text, by text; never empty. The latest one is the current text.
    pub(crate) texts: BTreeMap<String, Arc<MemoryText>>,
    /// Ids of memories with a similar meaning.
    pub(crate) related: OrderedWords,
    /// How the memory was used; `None` if that is unknown.
    pub(crate) usage: Option<Usage>,
}

impl MemoryRecord {
    /// The current text and its details.
    pub(crate) fn latest(&self) -> (&String, &MemoryText) {
        latest(&self.texts, |text| text.updated_at)
    }

    /// Merges another memory with the same text. As when a text is stored again, keywords and excerpts are united, the
    /// higher importance is kept, and the memory expires only if both do, at the later time.
    pub(crate) fn unite(&mut self, other: Self) {
        let [mut keywords, theirs] = [&*self, &other].map(|memory| memory.latest().1.keywords.clone());
        keywords.join(theirs);
        let texts = [self.latest().1, other.latest().1];
        let importance = texts.map(|text| text.importance).into_iter().max().unwrap_or_default();
        let [one, another] = texts.map(|text| text.expires_at);
        let expires_at = one.zip(another).map(|(one, another)| one.max(another));
        let mut excerpts = texts.map(|text| text.raw_excerpt.as_deref());
        // The longer one first, on every machine.
        excerpts.sort_unstable_by_key(|excerpt| excerpt.map(|text| (text.len(), text)));
        let raw_excerpt = united_excerpt(excerpts[1], excerpts[0]);
        self.join(other);
        let summary = self.latest().0.clone();
        if let Some(text) = self.texts.get_mut(&summary).map(Arc::make_mut) {
            (text.keywords, text.importance) = (keywords, importance);
            (text.raw_excerpt, text.expires_at) = (raw_excerpt, expires_at);
        }
    }
}

impl Join for MemoryRecord {
    fn join(&mut self, other: Self) {
        self.created_at = self.created_at.min(other.created_at);
        self.texts.join(other.texts);
        self.related.join(other.related);
        match (&mut self.usage, other.usage) {
            (Some(usage), Some(other)) => usage.join(other),
            (usage @ None, other) => *usage = other,
            (Some(_), None) => {}
        }
    }
}

/// The details of one text of a memory. If two sides have the same text, the later details win as a whole; if both are
/// equally old, each field is united.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemoryText {
    pub(crate) updated_at: UnixMillis,
    pub(crate) project: ProjectKey,
    pub(crate) topic: String,
    pub(crate) raw_excerpt: Option<String>,
    pub(crate) keywords: OrderedWords,
    pub(crate) importance: Importance,
    pub(crate) source: MemoryOrigin,
    pub(crate) author: Author,
    pub(crate) kind: MemoryKind,
    pub(crate) expires_at: Option<UnixMillis>,
    /// The memory that replaced it, or `None`, as each side says.
    pub(crate) superseded_by: BTreeSet<Option<RecordId>>,
    pub(crate) code: Option<CodeBinding>,
}

impl Join for MemoryText {
    fn join(&mut self, other: Self) {
        match self.updated_at.cmp(&other.updated_at) {
            Ordering::Less => *self = other,
            Ordering::Greater => {}
            Ordering::Equal => {
                greater(&mut self.project, other.project);
                greater(&mut self.topic, other.topic);
                greater(&mut self.raw_excerpt, other.raw_excerpt);
                self.keywords.join(other.keywords);
                greater(&mut self.importance, other.importance);
                greater_by(&mut self.source, other.source, |source| source.0.clone());
                greater_by(&mut self.author, other.author, |author| *author as u8);
                greater_by(&mut self.kind, other.kind, |kind| *kind as u8);
                greater(&mut self.expires_at, other.expires_at);
                self.superseded_by.extend(other.superseded_by);
                greater_by(&mut self.code, other.code, |code| code.as_ref().map(crate::store::json_of));
            }
        }
    }
}

/// How often and when a memory was recalled, and its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Usage {
    pub(crate) access_count: u32,
    pub(crate) accessed_at: UnixMillis,
    pub(crate) weight: f64,
    /// The time at which the memory had this `weight`.
    pub(crate) weight_at: UnixMillis,
}

/// Share of its weight that a medium memory loses in a day. Weights at different times are compared by it, whatever the
/// settings of either side, so that both sides get the same result.
const DECAY_PER_DAY: f64 = 0.05;

impl Usage {
    /// The logarithm of the weight that a medium memory would have needed in 1970 to have this weight at `weight_at`.
    fn heaviness(&self) -> f64 {
        self.weight.ln() - (1.0 - DECAY_PER_DAY).ln() * (self.weight_at.0 as f64 / DAY_MS as f64)
    }

    fn by_weight(&self, other: &Self) -> Ordering {
        let order = self.heaviness().total_cmp(&other.heaviness());
        order.then(self.weight_at.cmp(&other.weight_at)).then(self.weight.total_cmp(&other.weight))
    }
}

impl Join for Usage {
    fn join(&mut self, other: Self) {
        if self.by_weight(&other).is_lt() {
            (self.weight, self.weight_at) = (other.weight, other.weight_at);
        }
        greater(&mut self.access_count, other.access_count);
        greater(&mut self.accessed_at, other.accessed_at);
    }
}

/// A memoir.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemoirRecord {
    pub(crate) created_at: UnixMillis,
    pub(crate) updated_at: UnixMillis,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) consolidation_threshold: u32,
}

impl Join for MemoirRecord {
    fn join(&mut self, mut other: Self) {
        let created_at = self.created_at.min(other.created_at);
        match self.updated_at.cmp(&other.updated_at) {
            Ordering::Less => mem::swap(self, &mut other),
            Ordering::Greater => {}
            Ordering::Equal => {
                greater(&mut self.name, other.name);
                greater(&mut self.description, other.description);
                greater(&mut self.consolidation_threshold, other.consolidation_threshold);
            }
        }
        self.created_at = created_at;
    }
}

/// A concept with all of its known definitions, past and present.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConceptRecord {
    pub(crate) created_at: UnixMillis,
    /// The details of each definition, by definition; never empty. The latest one is the current definition.
    pub(crate) texts: BTreeMap<String, Arc<ConceptText>>,
    /// Ids of the memories that it was made from.
    pub(crate) sources: OrderedWords,
}

impl ConceptRecord {
    /// The current definition and its details.
    pub(crate) fn latest(&self) -> (&String, &ConceptText) {
        latest(&self.texts, |text| text.updated_at)
    }
}

impl Join for ConceptRecord {
    fn join(&mut self, other: Self) {
        self.created_at = self.created_at.min(other.created_at);
        self.texts.join(other.texts);
        self.sources.join(other.sources);
    }
}

/// The details of one definition of a concept; see [`MemoryText`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConceptText {
    pub(crate) updated_at: UnixMillis,
    pub(crate) memoir_id: RecordId,
    pub(crate) name: String,
    pub(crate) labels: OrderedWords,
    pub(crate) confidence: f64,
    pub(crate) revision: u32,
}

impl Join for ConceptText {
    fn join(&mut self, other: Self) {
        match self.updated_at.cmp(&other.updated_at) {
            Ordering::Less => *self = other,
            Ordering::Greater => {}
            Ordering::Equal => {
                greater(&mut self.memoir_id, other.memoir_id);
                greater(&mut self.name, other.name);
                self.labels.join(other.labels);
                self.confidence = self.confidence.max(other.confidence);
                greater(&mut self.revision, other.revision);
            }
        }
    }
}

/// A link between two concepts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinkRecord {
    pub(crate) created_at: UnixMillis,
    pub(crate) ends: LinkEnds,
    pub(crate) weight: f64,
}

/// The ends and the relation of a link, which are unique in a memoir.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkEnds {
    pub(crate) source_id: RecordId,
    pub(crate) target_id: RecordId,
    pub(crate) relation: String,
}

impl Join for LinkRecord {
    fn join(&mut self, other: Self) {
        self.created_at = self.created_at.min(other.created_at);
        greater(&mut self.ends, other.ends);
        self.weight = self.weight.max(other.weight);
    }
}

/// Records that a record was forgotten, or that this was revoked. The later tombstone wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tombstone {
    pub(crate) at: UnixMillis,
    pub(crate) revoked: bool,
    /// The record's last change that was known when it was forgotten. Later changes elsewhere were not meant to be
    /// forgotten. `None` if that is unknown.
    pub(crate) seen: Option<UnixMillis>,
}

impl Join for Tombstone {
    fn join(&mut self, other: Self) {
        greater(self, other);
    }
}

/// Words in order. If both sides are equal, or one is empty, the order stays. Otherwise all words are sorted
/// alphabetically, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OrderedWords(pub(crate) Vec<String>);

impl OrderedWords {
    pub(crate) fn of_ids(ids: &[RecordId]) -> Self {
        Self(ids.iter().map(RecordId::to_string).collect())
    }

    /// The words that are valid ids.
    pub(crate) fn ids(&self) -> Vec<RecordId> {
        self.0.iter().filter_map(|word| RecordId::try_from(word.as_str()).ok()).collect()
    }
}

impl Join for OrderedWords {
    fn join(&mut self, other: Self) {
        if self.0.is_empty() {
            *self = other;
        } else if !other.0.is_empty() && *self != other {
            let all: BTreeSet<String> = mem::take(&mut self.0).into_iter().chain(other.0).collect();
            self.0 = all.into_iter().collect();
        }
    }
}

impl<T: Join + Clone> Join for Arc<T> {
    fn join(&mut self, other: Self) {
        if !Arc::ptr_eq(self, &other) {
            Arc::make_mut(self).join(Arc::unwrap_or_clone(other));
        }
    }
}

impl<K: Ord, V: Join> Join for BTreeMap<K, V> {
    fn join(&mut self, other: Self) {
        for (key, value) in other {
            match self.get_mut(&key) {
                Some(mine) => mine.join(value),
                None => drop(self.insert(key, value)),
            }
        }
    }
}

/// The latest of the texts; of equally late ones, the last in the alphabet.
fn latest<T>(texts: &BTreeMap<String, Arc<T>>, updated_at: impl Fn(&T) -> UnixMillis) -> (&String, &T) {
    let latest = texts.iter().max_by_key(|(_, text)| updated_at(text));
    let (text, details) = latest.expect("a record is made with a text, and none is ever taken away");
    (text, details)
}

fn greater<T: Ord>(mine: &mut T, other: T) {
    if *mine < other {
        *mine = other;
    }
}

fn greater_by<T, K: Ord>(mine: &mut T, other: T, key: impl Fn(&T) -> K) {
    if key(mine) < key(&other) {
        *mine = other;
    }
}

#[cfg(test)]
mod tests;
