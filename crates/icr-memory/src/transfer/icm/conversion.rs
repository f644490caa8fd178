//! Converts rows of ICM to records of icr. A value that icr does not accept becomes the nearest valid one, and is
//! counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use icr_model::UnixMillis;
use serde_json::Value;

use super::salvage::IcmRow;
use crate::memoir::Label;
use crate::memory::{check_keywords, check_topic};
use crate::store::distinct;
use crate::transfer::TransferNote;
use crate::transfer::archive::{
    Archive, ConceptRecord, ConceptText, Join, LinkEnds, LinkRecord, MemoirRecord, MemoryRecord, MemoryText,
    OrderedWords, Usage,
};
use crate::transfer::relations::relation_of;
use crate::{Author, Importance, MemoryKind, MemoryOrigin, ProjectKey, RecordId, TEXT_BYTES_MOST, TOPIC_BYTES_MOST};

/// Smallest weight, because weights must be above 0.
const WEIGHT_LEAST: f64 = 1e-9;

/// Longest name and longest topic that still leave room for an ellipsis, in bytes.
const NAME_BYTES: usize = TOPIC_BYTES_MOST - "…".len();

/// Converts the rows of ICM's tables one by one.
pub(super) struct IcmConversion<'a> {
    projects: &'a [(String, ProjectKey)],
    /// Earliest time at which the weights can hold, if it is known.
    decayed_at: Option<UnixMillis>,
    now: UnixMillis,
    archive: Archive,
    adjusted: BTreeMap<String, u64>,
    notes: Vec<TransferNote>,
}

impl<'a> IcmConversion<'a> {
    pub(super) fn new(projects: &'a [(String, ProjectKey)], last_decay: Option<String>, now: UnixMillis) -> Self {
        let decayed_at = last_decay.as_deref().and_then(time_of);
        Self { projects, decayed_at, now, archive: Archive::default(), adjusted: BTreeMap::new(), notes: Vec::new() }
    }

    pub(super) fn take_memory(&mut self, mut row: IcmRow) {
        self.count_foreign_bytes(&row);
        let id = self.id("memory", &mut row);
        let Some(summary) = row.text("summary").filter(|text| !text.trim().is_empty()) else {
            return self.skip("memory", &id, "it has no text");
        };
        let (summary, rest) = self.fitting_text(summary);
        let topic = row.text("topic").unwrap_or_default();
        let topic = self.one_line(topic, "icm");
        let raw_excerpt = row.text("raw_excerpt").filter(|text| !text.is_empty());
        let raw_excerpt = match (raw_excerpt, rest) {
            (Some(excerpt), _) => Some(self.fitting_text(excerpt).0),
            (None, rest) => rest.map(|rest| self.fitting_text(rest).0),
        };
        let accessed_at = row.text("last_accessed").as_deref().and_then(time_of);
        let (created_at, updated_at) = self.times(&mut row, &id, accessed_at);
        let accessed_at = accessed_at.unwrap_or(updated_at).max(created_at);
        let (source, author) = self.source(&mut row);
        let text = MemoryText {
            updated_at,
            project: project_of(&topic, self.projects),
            topic,
            raw_excerpt,
            keywords: self.words(&mut row, "keywords"),
            importance: self.importance(&mut row),
            source,
            author,
            kind: MemoryKind::Episodic,
            expires_at: None,
            superseded_by: [None].into(),
            code: None,
        };
        let usage = Usage {
            access_count: row.number("access_count").unwrap_or_default().clamp(0.0, f64::from(u32::MAX)) as u32,
            accessed_at,
            weight: self.weight(&row),
            // ICM lowers the weights of all memories at once. A memory that was changed later has its weight from that
            // change.
            weight_at: self.decayed_at.unwrap_or(accessed_at).max(updated_at).min(self.now),
        };
        let related = self.ids(&mut row, "related_ids");
        let record = MemoryRecord {
            created_at,
            texts: BTreeMap::from([(summary, Arc::new(text))]),
            related,
            usage: Some(usage),
        };
        self.archive.memories.join(BTreeMap::from([(id, Arc::new(record))]));
    }

    pub(super) fn take_memoir(&mut self, mut row: IcmRow) {
        self.count_foreign_bytes(&row);
        let id = self.id("memoir", &mut row);
        let name = row.text("name").unwrap_or_default();
        let name = self.one_line(name, id.as_str());
        let description = row.text("description").unwrap_or_default();
        let (created_at, updated_at) = self.times(&mut row, &id, None);
        let threshold = row.number("consolidation_threshold").filter(|number| *number >= 0.0).unwrap_or(50.0);
        let memoir = MemoirRecord {
            created_at,
            updated_at,
            name,
            description: self.fitting_text(description).0,
            consolidation_threshold: threshold as u32,
        };
        self.archive.memoirs.join(BTreeMap::from([(id, memoir)]));
    }

    pub(super) fn take_concept(&mut self, mut row: IcmRow) {
        self.count_foreign_bytes(&row);
        let id = self.id("concept", &mut row);
        let Some(memoir_id) = row.text("memoir_id").and_then(|memoir| RecordId::try_from(memoir).ok()) else {
            return self.skip("concept", &id, "it belongs to no memoir");
        };
        let name = row.text("name").unwrap_or_default();
        let name = self.one_line(name, id.as_str());
        let definition = row.text("definition").filter(|text| !text.trim().is_empty()).unwrap_or_else(|| name.clone());
        let (created_at, updated_at) = self.times(&mut row, &id, None);
        let confidence = row.number("confidence").unwrap_or(0.5);
        let text = ConceptText {
            updated_at,
            memoir_id,
            name,
            labels: self.labels(&mut row),
            confidence: if confidence.is_finite() { confidence.clamp(0.0, 1.0) } else { 0.5 },
            revision: row.number("revision").unwrap_or(1.0).clamp(1.0, f64::from(u32::MAX)) as u32,
        };
        let definition = self.fitting_text(definition).0;
        let sources = self.ids(&mut row, "source_memory_ids");
        let concept = ConceptRecord { created_at, texts: BTreeMap::from([(definition, Arc::new(text))]), sources };
        self.archive.concepts.join(BTreeMap::from([(id, concept)]));
    }

    pub(super) fn take_link(&mut self, mut row: IcmRow) {
        let id = self.id("link", &mut row);
        let mut end = |column: &str| row.text(column).and_then(|end| RecordId::try_from(end).ok());
        let (Some(source_id), Some(target_id)) = (end("source_id"), end("target_id")) else {
            return self.skip("link", &id, "it lacks one of its ends");
        };
        if source_id == target_id {
            return self.skip("link", &id, "it links a concept to itself");
        }
        let relation = row.text("relation").unwrap_or_default();
        let relation = relation_of(&relation).unwrap_or_else(|| {
            self.adjust("relations that are not known became `related_to`");
            "related_to"
        });
        let weight = row.number("weight").filter(|weight| weight.is_finite()).unwrap_or(1.0);
        let created_at = self.times(&mut row, &id, None).0;
        let ends = LinkEnds { source_id, target_id, relation: relation.to_owned() };
        self.archive.links.join(BTreeMap::from([(id, LinkRecord { created_at, ends, weight })]));
    }

    /// The archive, the counts of adjustments, and notes about single rows.
    pub(super) fn finish(mut self) -> (Archive, BTreeMap<String, u64>, Vec<TransferNote>) {
        self.drop_lost_references();
        (self.archive, self.adjusted, self.notes)
    }

    /// Removes references to memories that ICM deleted when it consolidated them.
    fn drop_lost_references(&mut self) {
        let ids: std::collections::BTreeSet<String> = self.archive.memories.keys().map(RecordId::to_string).collect();
        let mut lost = 0;
        let mut known = |words: &mut OrderedWords| {
            let before = words.0.len();
            words.0.retain(|id| ids.contains(id));
            lost += (before - words.0.len()) as u64;
        };
        self.archive.memories.values_mut().for_each(|memory| known(&mut Arc::make_mut(memory).related));
        self.archive.concepts.values_mut().for_each(|concept| known(&mut concept.sources));
        if lost > 0 {
            self.adjusted.insert("references to memories that are not there any more were left out".to_owned(), lost);
        }
    }

    fn skip(&mut self, record: &str, id: &RecordId, reason: &str) {
        self.notes.push(TransferNote { record: record.to_owned(), id: id.to_string(), reason: reason.to_owned() });
    }

    fn adjust(&mut self, what: &str) {
        *self.adjusted.entry(what.to_owned()).or_default() += 1;
    }

    fn count_foreign_bytes(&mut self, row: &IcmRow) {
        if row.has_foreign_bytes {
            self.adjust("rows with bytes that are no UTF-8 have a mark in place of these");
        }
    }

    /// The id of the row, or an id made from its number, so that every import gives the same one.
    fn id(&mut self, record: &str, row: &mut IcmRow) -> RecordId {
        if let Some(id) = row.text("id").and_then(|id| RecordId::try_from(id).ok()) {
            return id;
        }
        self.adjust("rows without an id got one of their number");
        let number = row.number.unsigned_abs();
        RecordId::try_from(format!("icm-{record}-{number}")).expect("words and digits are an id")
    }

    /// When a row was created and last changed. An unreadable time is replaced by another known time, or by 1970 if
    /// there is none. The result is the same each time, so importing again changes nothing.
    fn times(&mut self, row: &mut IcmRow, id: &RecordId, accessed_at: Option<UnixMillis>) -> (UnixMillis, UnixMillis) {
        let (created, updated) = (row.text("created_at"), row.text("updated_at").filter(|text| !text.is_empty()));
        let created_at = created.as_deref().and_then(time_of);
        let updated_at = updated.as_deref().and_then(time_of);
        if created_at.is_none() || updated.is_some() && updated_at.is_none() {
            self.adjust("times that cannot be read are another time of the row, or that of its id");
        }
        let known = created_at.or_else(|| time_of_ulid(id)).or(updated_at).or(accessed_at).or(self.decayed_at);
        let created_at = known.unwrap_or(UnixMillis(0));
        (created_at, updated_at.unwrap_or(created_at).max(created_at))
    }

    fn weight(&mut self, row: &IcmRow) -> f64 {
        match row.number("weight") {
            Some(weight) if weight > 0.0 && weight <= 1.0 => weight,
            weight => {
                self.adjust("weights outside of 0 to 1 are the nearest one inside");
                weight.filter(|weight| weight.is_finite()).unwrap_or(1.0).clamp(WEIGHT_LEAST, 1.0)
            }
        }
    }

    fn importance(&mut self, row: &mut IcmRow) -> Importance {
        let word = row.text("importance").unwrap_or_default();
        Importance::from_name(word.trim()).unwrap_or_else(|| {
            self.adjust("importances that are not known became `medium`");
            Importance::Medium
        })
    }

    /// The origin and the author of a memory.
    fn source(&mut self, row: &mut IcmRow) -> (MemoryOrigin, Author) {
        let kind = row.text("source_type").unwrap_or_default();
        let details: Value =
            row.text("source_data").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let detail = |name: &str| details.get(name).and_then(Value::as_str).unwrap_or_default();
        let (name, detail, author) = match kind.as_str() {
            "manual" | "" => ("manual", "", Author::Person),
            "claude_code" => ("claude-code", detail("session_id"), Author::Agent),
            "conversation" => ("conversation", detail("thread_id"), Author::Agent),
            other => (other, "", Author::Agent),
        };
        let source = if detail.is_empty() { name.to_owned() } else { format!("{name}:{detail}") };
        (MemoryOrigin(self.one_line(source, "icm")), author)
    }

    /// A list of words in JSON; nulls and empty words are left out.
    fn words(&mut self, row: &mut IcmRow, column: &str) -> OrderedWords {
        let list = self.list(row, column);
        let words = list.into_iter().filter_map(|value| value.as_str().map(str::to_owned)).collect();
        self.fitting_words(words)
    }

    fn labels(&mut self, row: &mut IcmRow) -> OrderedWords {
        let label = |value: &Value| {
            let part = |name: &str| value.get(name).and_then(Value::as_str);
            match (value.as_str(), part("namespace"), part("value")) {
                (Some(label), ..) | (None, Some("tag" | ""), Some(label)) => Some(label.to_owned()),
                (None, Some(namespace), Some(label)) => Some(format!("{namespace}:{label}")),
                _ => None,
            }
        };
        // In icr a comma separates labels, and no label has a line break.
        let is_kept = |letter: char| letter != ',' && !letter.is_control();
        let fitting = |label: String| label.chars().map(|letter| if is_kept(letter) { letter } else { ' ' }).collect();
        let parsed = |label: String| Some(Label::parse(&label).ok()?.as_str().to_owned());
        let labels = self.list(row, "labels").iter().filter_map(label).map(fitting).filter_map(parsed).collect();
        self.fitting_words(labels)
    }

    fn ids(&mut self, row: &mut IcmRow, column: &str) -> OrderedWords {
        let list = self.list(row, column);
        let ids = list.into_iter().filter_map(|value| RecordId::try_from(value.as_str()?).ok());
        OrderedWords::of_ids(&ids.collect::<Vec<_>>())
    }

    fn list(&mut self, row: &mut IcmRow, column: &str) -> Vec<Value> {
        let Some(text) = row.text(column).filter(|text| !text.is_empty()) else { return Vec::new() };
        match serde_json::from_str(&text) {
            Ok(Value::Array(values)) => values,
            Ok(Value::Null) => Vec::new(),
            _ => {
                self.adjust("lists that cannot be read were left out");
                Vec::new()
            }
        }
    }

    fn fitting_words(&mut self, words: Vec<String>) -> OrderedWords {
        let mut words = distinct(words);
        if check_keywords(&words).is_err() {
            self.adjust("keywords that are too many or too long were left out");
            words.retain(|word| check_keywords(std::slice::from_ref(word)).is_ok());
            while check_keywords(&words).is_err() {
                words.pop();
            }
        }
        OrderedWords(words)
    }

    /// The text cut to the longest allowed length, and the rest.
    fn fitting_text(&mut self, text: String) -> (String, Option<String>) {
        if text.len() <= TEXT_BYTES_MOST {
            return (text, None);
        }
        self.adjust("texts of more than 64 KiB go on in the excerpt, or were cut");
        let (head, rest) = text.split_at(text.floor_char_boundary(TEXT_BYTES_MOST));
        (head.to_owned(), Some(rest.to_owned()))
    }

    /// The name as one line; `otherwise` if it is empty.
    fn one_line(&mut self, name: String, otherwise: &str) -> String {
        if check_topic(&name).is_ok() {
            return name;
        }
        self.adjust("topics and names that are empty, too long or of several lines were made one short line");
        let letters = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        let line = letters.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
        match line.len() {
            0 => otherwise.to_owned(),
            1..=TOPIC_BYTES_MOST => line,
            _ => format!("{}…", line.split_at(line.floor_char_boundary(NAME_BYTES)).0),
        }
    }
}

/// The project whose name is part of the topic. If several match, the name with the most parts wins, then the first in
/// the alphabet. No project for topics about the user, which apply in all projects.
fn project_of(topic: &str, projects: &[(String, ProjectKey)]) -> ProjectKey {
    let topic = parts_of(topic);
    let is_of_user = topic.iter().any(|part| part.contains("preference") || part == "identity");
    let names = projects.iter().filter(|(name, _)| {
        let parts = parts_of(name);
        !parts.is_empty() && parts.iter().all(|part| topic.contains(part))
    });
    let longest = names.max_by(|(a, _), (b, _)| parts_of(a).len().cmp(&parts_of(b).len()).then_with(|| b.cmp(a)));
    match longest {
        Some((_, project)) if !is_of_user => project.clone(),
        _ => ProjectKey::NONE,
    }
}

fn parts_of(name: &str) -> Vec<String> {
    let parts = name.split(['-', '.', '_', '/', ':', ' ']).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// The time of an RFC 3339 text; without a time zone it is in UTC.
fn time_of(text: &str) -> Option<UnixMillis> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(UnixMillis(moment.as_millisecond()));
    }
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    let since = civil.duration_since(jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0));
    i64::try_from(since.as_millis()).ok().map(UnixMillis)
}

/// The time in a ULID: its first ten letters are milliseconds since 1970 in Crockford's base 32.
fn time_of_ulid(id: &RecordId) -> Option<UnixMillis> {
    const LETTERS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    const ULID_CHARS: usize = 26;
    let id = id.as_str();
    if id.len() != ULID_CHARS {
        return None;
    }
    let digits = id.chars().map(|letter| LETTERS.find(letter.to_ascii_uppercase()).map(|digit| digit as i64));
    let digits = digits.collect::<Option<Vec<i64>>>()?;
    Some(UnixMillis(digits[..10].iter().fold(0, |time, digit| time << 5 | digit)))
}
