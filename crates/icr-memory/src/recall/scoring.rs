//! Scores the best candidates by their own words and by the rows around them.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use icr_model::UnixMillis;
use icr_rank::Strength;
use rusqlite::{Connection, OptionalExtension};

use super::candidates::{Candidates, NEIGHBOURS};
use super::{RecallRequest, Utterance};
use crate::Error;
use crate::listing::IS_RECALLED;
use crate::near_duplicates::normalised;
use crate::terms::is_keyword_term;

/// BM25's saturation of repeated words (k1); the same value as in the code index.
const SATURATION: f64 = 1.2;

/// BM25's length normalisation (b). It is low because memories are short, and the additional words of a longer one are
/// mostly useful.
const LENGTH_SHARE: f64 = 0.3;

/// Number of words of a passage. A longer text is also scored as its best passage, as if that were the whole text:
/// otherwise its length outweighs even a word that no other text has. Chosen on three long dialogues: with every other
/// session stored as one memory, 92 % of the sessions that answer are among the first five (76 % without passages).
/// With 48 to 96 words they are as many, and recall of single turns is the same with any number from 64.
const PASSAGE_WORDS: usize = 64;

/// Factor for a row that is a question itself: its answer is in the next rows.
const ASKING: f64 = 0.8;

/// Factor for rows of the speaker whom the question names, if it names only one.
const NAMED_SPEAKER: f64 = 1.5;

/// Factor for a row whose text equals the question. It puts this row first whatever its weight, before rows that differ
/// in a word of little weight.
const EXACT: f64 = 2.0;

/// Neighbouring rows of a conversation are stored at most this long apart.
const PAUSE_MOST: Duration = Duration::from_secs(10 * 60);

/// Equal texts differ in length by at most this many bytes: a full stop and blanks.
const LENGTH_APART: usize = 8;

/// Number of rows that are read in one batch.
const BATCH: usize = 256;

/// Thresholds on the covered share of the question, with each word weighed by its inverse document frequency: at or
/// above the first an answer is strong, below the second there is none. Without vectors one row must cover the words.
/// With vectors a row and its neighbours count, and the cosine of the row is added. Chosen on three dialogues and sixty
/// notes: 95 % of questions about other things are below the first threshold; 3 % of direct questions, and 5 to 10 % of
/// questions in other words, are below the second.
const STRONG_WORDS: f64 = 0.40;
const WEAK_WORDS: f64 = 0.10;
const STRONG_BOTH: f64 = 0.70;
const WEAK_BOTH: f64 = 0.25;

/// The rows that answer best.
pub(crate) struct BestRows {
    /// Row numbers and scores, best first. Up to twice the limit of the request, so that weights can still reorder
    /// them.
    pub(crate) rows: Vec<(i64, f64)>,
    /// How sure it is that the rows are about the question.
    pub(crate) strength: Strength,
}

/// Reads candidates and scores them.
pub(crate) struct Scoring<'a> {
    connection: &'a Connection,
    candidates: &'a Candidates,
    request: &'a RecallRequest,
    now: UnixMillis,
    bits: HashMap<&'a str, usize>,
    rows: HashMap<i64, Option<Rc<ReadRow>>>,
}

/// The fields of a row that scoring needs.
struct ReadRow {
    project: String,
    topic: String,
    created_at: UnixMillis,
    is_recalled: bool,
    stamp: String,
    speaker: String,
    is_exact: bool,
    is_question: bool,
    is_personal: bool,
    counts: Vec<TermCount>,
    length: f64,
}

/// A word of the question that a row contains.
struct TermCount {
    /// Index of the word.
    bit: usize,
    /// Number of its occurrences.
    count: f64,
    /// Those of them that are in the best passage.
    in_passage: f64,
}

/// A candidate with the parts of its score.
struct ScoredRow {
    no: i64,
    words: f64,
    nearness: f64,
    factor: f64,
    speaker: String,
    own_coverage: f64,
    coverage: f64,
}

impl<'a> Scoring<'a> {
    pub(crate) fn new(
        connection: &'a Connection,
        candidates: &'a Candidates,
        request: &'a RecallRequest,
        now: UnixMillis,
    ) -> Self {
        let bits = candidates.terms.iter().enumerate().map(|(bit, term)| (term.as_str(), bit)).collect();
        Self { connection, candidates, request, now, bits, rows: HashMap::new() }
    }

    pub(crate) fn best(mut self) -> Result<BestRows, Error> {
        let wanted = self.request.limit * 2;
        let batch = BATCH.max(wanted * 2);
        let mut scored: Vec<ScoredRow> = Vec::new();
        let mut average = None;
        for numbers in self.candidates.order.chunks(batch) {
            for no in numbers {
                self.read(*no)?;
            }
            let average = *average.get_or_insert_with(|| self.average_length());
            for no in numbers {
                if let Some(row) = self.scored(*no, average)? {
                    scored.push(row);
                }
            }
            if scored.len() >= wanted {
                break;
            }
        }
        let strength = self.strength(&scored);
        self.favour_named_speaker(&mut scored);
        let most = |value: fn(&ScoredRow) -> f64| scored.iter().map(value).fold(f64::MIN_POSITIVE, f64::max);
        let (most_words, most_near) = (most(|row| row.words), most(|row| row.nearness));
        let meaning = self.candidates.meaning;
        let score = |row: &ScoredRow| {
            (row.words / most_words * (1.0 - meaning) + row.nearness / most_near * meaning) * row.factor
        };
        let mut rows: Vec<(i64, f64)> = scored.iter().map(|row| (row.no, score(row))).collect();
        rows.retain(|(_, score)| *score > 0.0);
        rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        rows.truncate(wanted);
        Ok(BestRows { rows, strength })
    }

    /// Mean length of the rows that were read, in words. A long row counts as one passage.
    fn average_length(&self) -> f64 {
        let rows = || self.rows.values().flatten();
        let count = rows().count().max(1) as f64;
        (rows().map(|row| row.length.min(PASSAGE_WORDS as f64)).sum::<f64>() / count).max(1.0)
    }

    fn scored(&mut self, no: i64, average: f64) -> Result<Option<ScoredRow>, Error> {
        let Some(row) = self.row(no)?.filter(|row| row.is_recalled) else { return Ok(None) };
        let factor = match (row.is_exact, row.is_question) {
            (true, _) => EXACT,
            (false, true) => ASKING,
            (false, false) => 1.0,
        };
        let speaker = row.speaker.clone();
        let terms = self.candidates.terms.len();
        let mut words = vec![0.0; terms];
        let mut said = vec![0.0; terms];
        for term in &row.counts {
            words[term.bit] = self.term_score(term, row.length, average);
            said[term.bit] = 1.0;
        }
        let own_coverage = self.weighted_coverage(&said);
        let mut nearness = self.candidates.cosine_of(no);
        for (offset, share) in NEIGHBOURS {
            let beside = no + offset;
            let says_more = self.candidates.said_by(beside) != 0;
            let is_nearer = self.candidates.cosine_of(beside) * share > nearness;
            if !(says_more || is_nearer) || !self.is_one_conversation(no, beside)? {
                continue;
            }
            nearness = nearness.max(self.candidates.cosine_of(beside) * share);
            let Some(neighbour) = self.row(beside)? else { continue };
            for term in &neighbour.counts {
                let score = share * self.term_score(term, neighbour.length, average);
                words[term.bit] = words[term.bit].max(score);
                said[term.bit] = said[term.bit].max(share);
            }
        }
        let coverage = self.weighted_coverage(&said);
        Ok(Some(ScoredRow { no, words: words.iter().sum(), nearness, factor, speaker, own_coverage, coverage }))
    }

    /// BM25 of one word in a row of `length` words, or in the best passage of the row if that is more. `average` is the
    /// mean length.
    fn term_score(&self, term: &TermCount, length: f64, average: f64) -> f64 {
        let score = |count: f64, length: f64| {
            let norm = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length / average);
            count * (SATURATION + 1.0) / (count + norm)
        };
        let best = score(term.count, length).max(score(term.in_passage, length.min(PASSAGE_WORDS as f64)));
        self.candidates.weights[term.bit] * best
    }

    /// The covered share of the question, with each word weighed by its inverse document frequency.
    fn weighted_coverage(&self, said: &[f64]) -> f64 {
        let total: f64 = self.candidates.weights.iter().sum();
        let covered: f64 = said.iter().zip(&self.candidates.weights).map(|(said, weight)| said * weight).sum();
        if total > 0.0 { covered / total } else { 0.0 }
    }

    /// Whether two rows belong to one conversation: same project, topic and stamp, stored soon after each other, and
    /// most rows around them are personal. Notes form no conversation, because each can be understood alone.
    fn is_one_conversation(&mut self, one: i64, other: i64) -> Result<bool, Error> {
        for no in one.min(other) - 2..=one.max(other) + 2 {
            self.read(no)?;
        }
        let rows = || (one.min(other) - 2..=one.max(other) + 2).filter_map(|no| self.rows.get(&no)?.as_ref());
        let (Some(Some(one)), Some(Some(other))) = (self.rows.get(&one), self.rows.get(&other)) else {
            return Ok(false);
        };
        let belong = (&one.project, &one.topic, &one.stamp) == (&other.project, &other.topic, &other.stamp)
            && other.is_recalled
            && one.created_at.abs_diff(other.created_at) <= PAUSE_MOST;
        Ok(belong && rows().filter(|row| row.is_personal).count() * 2 >= rows().count())
    }

    fn strength(&self, scored: &[ScoredRow]) -> Strength {
        let most = |value: fn(&ScoredRow) -> f64| scored.iter().map(value).fold(0.0, f64::max);
        let (found, strong, weak) = match self.candidates.meaning > 0.0 {
            true => (most(|row| row.coverage + row.nearness), STRONG_BOTH, WEAK_BOTH),
            false => (most(|row| row.own_coverage), STRONG_WORDS, WEAK_WORDS),
        };
        match found {
            _ if found >= strong => Strength::Strong,
            _ if found >= weak => Strength::Weak,
            _ => Strength::None,
        }
    }

    /// Raises the scores of rows of the speaker whom the question names.
    fn favour_named_speaker(&self, scored: &mut [ScoredRow]) {
        let query = self.request.query.to_lowercase();
        let words: Vec<&str> = query.split(|letter: char| !letter.is_alphanumeric()).collect();
        let mut named: Vec<&str> = scored.iter().map(|row| row.speaker.as_str()).collect();
        named.sort_unstable();
        named.dedup();
        named.retain(|speaker| !speaker.is_empty() && words.contains(&speaker.to_lowercase().as_str()));
        let [named] = named[..] else { return };
        let named = named.to_owned();
        for row in scored.iter_mut().filter(|row| row.speaker == named) {
            row.factor *= NAMED_SPEAKER;
        }
    }

    /// Whether a text equals the question. Only texts of similar length are normalised and compared.
    fn is_query(&self, text: &str) -> bool {
        text.len().abs_diff(self.request.query.len()) <= LENGTH_APART
            && normalised(text) == normalised(&self.request.query)
    }

    fn row(&mut self, no: i64) -> Result<Option<Rc<ReadRow>>, Error> {
        self.read(no)?;
        Ok(self.rows.get(&no).cloned().flatten())
    }

    fn read(&mut self, no: i64) -> Result<(), Error> {
        let sql =
            format!("SELECT project, topic, created_at, {IS_RECALLED}, summary, terms FROM memories WHERE no = ?2");
        if self.rows.contains_key(&no) {
            return Ok(());
        }
        let says_something = self.candidates.said_by(no) != 0;
        let mut statement = self.connection.prepare_cached(&sql)?;
        let read = statement.query_row([self.now.0, no], |row| {
            let summary = row.get_ref(4)?.as_str().unwrap_or_default();
            let terms = row.get_ref(5)?.as_str().unwrap_or_default();
            let utterance = Utterance::of(summary);
            let mut length = 0;
            let mut hits: Vec<(usize, usize)> = Vec::new();
            for term in terms.split(' ').filter(|term| !is_keyword_term(term)) {
                let bit = if says_something { self.bits.get(term) } else { None };
                hits.extend(bit.map(|bit| (length, *bit)));
                length += 1;
            }
            Ok(Rc::new(ReadRow {
                project: row.get_ref(0)?.as_str().unwrap_or_default().to_owned(),
                topic: row.get_ref(1)?.as_str().unwrap_or_default().to_owned(),
                created_at: UnixMillis(row.get_ref(2)?.as_i64().unwrap_or_default()),
                is_recalled: row.get(3)?,
                stamp: utterance.stamp.to_owned(),
                speaker: utterance.speaker.to_owned(),
                is_exact: self.is_query(summary),
                is_question: utterance.is_question(),
                is_personal: utterance.is_personal(),
                counts: counts(&hits, &self.candidates.weights),
                length: length as f64,
            }))
        });
        let read = read.optional()?;
        self.rows.insert(no, read);
        Ok(())
    }
}

/// How often each word of the question is in a row, and in its best passage: the one whose distinct words weigh most,
/// and of several the one with most occurrences. `hits` are the occurrences in order, as place in the row and index of
/// the word; `weights` are the weights of the words.
fn counts(hits: &[(usize, usize)], weights: &[f64]) -> Vec<TermCount> {
    let mut counts: Vec<TermCount> = Vec::new();
    for (_, bit) in hits {
        match counts.iter_mut().find(|term| term.bit == *bit) {
            Some(term) => term.count += 1.0,
            None => counts.push(TermCount { bit: *bit, count: 1.0, in_passage: 0.0 }),
        }
    }
    let mut inside = vec![0_usize; weights.len()];
    let (mut start, mut weight) = (0, 0.0);
    let mut best = (0.0, 0, 0..0);
    for (end, (place, bit)) in hits.iter().enumerate() {
        while hits[start].0 + PASSAGE_WORDS <= *place {
            let left = hits[start].1;
            inside[left] -= 1;
            weight -= if inside[left] == 0 { weights[left] } else { 0.0 };
            start += 1;
        }
        weight += if inside[*bit] == 0 { weights[*bit] } else { 0.0 };
        inside[*bit] += 1;
        if (weight, end - start) > (best.0, best.1) {
            best = (weight, end - start, start..end + 1);
        }
    }
    for (_, bit) in &hits[best.2] {
        counts.iter_mut().filter(|term| term.bit == *bit).for_each(|term| term.in_passage += 1.0);
    }
    counts
}
