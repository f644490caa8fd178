//! Archives and databases for tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use icr_model::UnixMillis;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::archive::{
    Archive, ConceptRecord, ConceptText, LinkEnds, LinkRecord, MemoirRecord, MemoryRecord, MemoryText, OrderedWords,
    Tombstone, Usage,
};
use super::{ExportRequest, ImportRequest, export, import, merge::merge_archive};
use crate::{
    Author, CodeBinding, Entity, Importance, MemoryDatabase, MemoryKind, MemoryOptions, MemoryOrigin, ProjectKey,
    RecordId,
};

/// A time after all other times in tests.
pub(crate) const LATER: UnixMillis = UnixMillis(1_000);

pub(crate) fn database() -> MemoryDatabase {
    MemoryDatabase::in_memory(MemoryOptions::default()).unwrap()
}

/// A database that has merged `archive`.
pub(crate) fn database_of(archive: Archive) -> MemoryDatabase {
    let mut database = database();
    merge_archive(&mut database, archive, &ImportRequest::default(), LATER).unwrap();
    database
}

/// The complete export of a database.
pub(crate) fn text_of(database: &MemoryDatabase) -> String {
    let mut output = Vec::new();
    export(database, &ExportRequest::of_all_records(), &mut output, LATER).unwrap();
    String::from_utf8(output).unwrap()
}

pub(crate) fn import_text(database: &mut MemoryDatabase, text: &str) -> super::TransferReport {
    import(database, &mut text.as_bytes(), &ImportRequest::default(), LATER).unwrap()
}

pub(crate) fn id(text: &str) -> RecordId {
    RecordId::try_from(text).unwrap()
}

/// Archives with few different ids, texts and times, so that these often coincide.
pub(crate) fn archives() -> impl Strategy<Value = Archive> {
    let memories = btree_map(ids("m", 4), memories().prop_map(Arc::new), 0..4);
    let memoirs = btree_map(ids("r", 3), memoirs(), 0..3);
    let concepts = btree_map(ids("c", 4), concepts(), 0..4);
    let links = btree_map(ids("l", 4), links(), 0..4);
    let key = prop_oneof![
        ids("m", 4).prop_map(|id| (Entity::Memory, id)),
        ids("r", 3).prop_map(|id| (Entity::Memoir, id)),
        ids("c", 4).prop_map(|id| (Entity::Concept, id)),
        ids("l", 4).prop_map(|id| (Entity::Link, id)),
    ];
    let tombstone = (times(), any::<bool>(), prop::option::of(times())).prop_map(|(at, revoked, seen)| Tombstone {
        at,
        revoked,
        // Revoked tombstones are stored without `seen`.
        seen: seen.filter(|_| !revoked),
    });
    let tombstones = btree_map(key, tombstone, 0..3);
    (memories, memoirs, concepts, links, tombstones).prop_map(|(memories, memoirs, concepts, links, tombstones)| {
        Archive { memories, memoirs, concepts, links, tombstones }
    })
}

/// Archives that a database can hold as they are: no text and no name has two ids, and nothing was forgotten.
/// (Conflicts are settled before the next archive is merged, so the order in which archives arrive would matter.)
pub(crate) fn compatible_archives() -> impl Strategy<Value = Archive> {
    archives().prop_map(|mut archive| {
        archive.tombstones.clear();
        archive.links.clear();
        for (id, memory) in &mut archive.memories {
            let memory = Arc::make_mut(memory);
            let texts = std::mem::take(&mut memory.texts);
            memory.texts = texts.into_iter().map(|(text, details)| (format!("{id} {text}"), details)).collect();
            memory.texts.values_mut().for_each(|text| Arc::make_mut(text).superseded_by = [None].into());
        }
        for id in ["r0", "r1", "r2"].map(id) {
            let mut memoir = archive.memoirs.remove(&id).unwrap_or_else(|| MemoirRecord {
                created_at: UnixMillis(5),
                updated_at: UnixMillis(0),
                name: String::new(),
                description: String::new(),
                consolidation_threshold: 0,
            });
            memoir.name = id.to_string();
            archive.memoirs.insert(id, memoir);
        }
        for (id, concept) in &mut archive.concepts {
            concept.texts.values_mut().for_each(|text| Arc::make_mut(text).name = id.to_string());
        }
        archive
    })
}

fn ids(kind: &'static str, count: usize) -> impl Strategy<Value = RecordId> {
    (0..count).prop_map(move |number| id(&format!("{kind}{number}")))
}

fn times() -> impl Strategy<Value = UnixMillis> {
    (0_i64..6).prop_map(UnixMillis)
}

fn word_lists() -> impl Strategy<Value = OrderedWords> {
    vec(select(vec!["x", "y", "z"]), 0..3)
        .prop_map(|words| OrderedWords(crate::store::distinct(words.into_iter().map(str::to_owned).collect())))
}

fn memories() -> impl Strategy<Value = MemoryRecord> {
    let texts =
        btree_map(select(vec!["a", "b", "B ", "c"]).prop_map(str::to_owned), memory_texts().prop_map(Arc::new), 1..3);
    let related = vec(ids("m", 4), 0..3).prop_map(|mut ids| {
        ids.dedup();
        OrderedWords::of_ids(&ids)
    });
    (times(), texts, related, option::of(usages())).prop_map(|(created_at, texts, related, usage)| MemoryRecord {
        created_at,
        texts,
        related,
        usage,
    })
}

fn memory_texts() -> impl Strategy<Value = MemoryText> {
    let words =
        (word_lists(), select(vec!["t", "T", "u"]), select(vec!["", "repository"]), option::of(select(vec!["e", "f"])));
    let choices = (
        select(&Importance::ALL[..]),
        select(&Author::ALL[..]),
        select(&MemoryKind::ALL[..]),
        select(vec!["manual", "s"]),
    );
    let references = (option::of(ids("m", 4)), option::of(Just(UnixMillis(9))), option::of(select(vec!["c0", "c1"])));
    (times(), words, choices, references).prop_map(
        |(
            updated_at,
            (keywords, topic, project, raw_excerpt),
            (importance, author, kind, source),
            (superseded_by, expires_at, commit),
        )| MemoryText {
            updated_at,
            project: ProjectKey::of_repository(project),
            topic: topic.to_owned(),
            raw_excerpt: raw_excerpt.map(str::to_owned),
            keywords,
            importance,
            source: MemoryOrigin(source.to_owned()),
            author,
            kind,
            expires_at,
            superseded_by: [superseded_by].into(),
            code: commit.map(|commit| CodeBinding { commit: Some(commit.to_owned()), ..CodeBinding::default() }),
        },
    )
}

fn usages() -> impl Strategy<Value = Usage> {
    (0_u32..5, times(), 0.001..=1.0_f64, times()).prop_map(|(access_count, accessed_at, weight, weight_at)| Usage {
        access_count,
        accessed_at,
        weight,
        weight_at,
    })
}

fn memoirs() -> impl Strategy<Value = MemoirRecord> {
    (times(), times(), select(vec!["n", "o"]), select(vec!["", "d", "e"]), 0_u32..3).prop_map(
        |(created_at, updated_at, name, description, consolidation_threshold)| MemoirRecord {
            created_at,
            updated_at,
            name: name.to_owned(),
            description: description.to_owned(),
            consolidation_threshold,
        },
    )
}

fn concepts() -> impl Strategy<Value = ConceptRecord> {
    let text = (times(), ids("r", 3), select(vec!["p", "q"]), word_lists(), 0.0..=1.0_f64, 1_u32..4).prop_map(
        |(updated_at, memoir_id, name, labels, confidence, revision)| ConceptText {
            updated_at,
            memoir_id,
            name: name.to_owned(),
            labels,
            confidence,
            revision,
        },
    );
    let texts = btree_map(select(vec!["d", "e", "f"]).prop_map(str::to_owned), text.prop_map(Arc::new), 1..3);
    let sources = vec(ids("m", 4), 0..2).prop_map(|ids| OrderedWords::of_ids(&ids));
    (times(), texts, sources).prop_map(|(created_at, texts, sources)| ConceptRecord { created_at, texts, sources })
}

fn links() -> impl Strategy<Value = LinkRecord> {
    let ends = (ids("c", 4), ids("c", 4), select(vec!["part_of", "refines"]));
    let ends = ends.prop_filter("a concept is not linked to itself", |(source, target, _)| source != target);
    (times(), ends, 0.1..=1.0_f64).prop_map(|(created_at, (source_id, target_id, relation), weight)| LinkRecord {
        created_at,
        ends: LinkEnds { source_id, target_id, relation: relation.to_owned() },
        weight,
    })
}

/// A memory with one text and nothing else.
pub(crate) fn plain_memory(text: &str, updated_at: i64) -> MemoryRecord {
    let updated_at = UnixMillis(updated_at);
    let details = MemoryText {
        updated_at,
        project: ProjectKey::NONE,
        topic: "t".to_owned(),
        raw_excerpt: None,
        keywords: OrderedWords::default(),
        importance: Importance::Medium,
        source: MemoryOrigin::default(),
        author: Author::Person,
        kind: MemoryKind::Episodic,
        expires_at: None,
        superseded_by: [None].into(),
        code: None,
    };
    MemoryRecord {
        created_at: updated_at,
        texts: BTreeMap::from([(text.to_owned(), Arc::new(details))]),
        related: OrderedWords::default(),
        usage: None,
    }
}
