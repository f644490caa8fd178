//! How well the best candidates answer, by what they say and what is said around them.

use std::collections::HashMap;
use std::rc::Rc;

use icr_rank::Strength;
use rusqlite::{Connection, OptionalExtension};

use super::candidates::{Candidates, NEIGHBOURS};
use super::{RecallRequest, Utterance};
use crate::Error;
use crate::listing::IS_RECALLED;
use crate::near_duplicates::normalised;
use crate::terms::is_keyword_term;

/// BM25's saturation of repeated words; that of the index of code.
const SATURATION: f64 = 1.2;

/// How much of its length counts against a row: memories are short, and what a longer one says more is mostly of use.
const LENGTH_SHARE: f64 = 0.3;

/// Factor of a row that asks: the answer is what was said next.
const ASKING: f64 = 0.8;

/// Factor of rows of the one speaker whom the question names.
const NAMED_SPEAKER: f64 = 1.5;

/// Factor of a row that is the very text of the question: it comes first, whatever its weight, and not one that differs in a word that says little.
const EXACT: f64 = 2.0;

/// Neighbours of a conversation are stored within this time of each other, in milliseconds.
const PAUSE_MOST: i64 = 10 * 60 * 1_000;

/// Bytes by which texts that are the same may differ in length: a full stop and blanks.
const LENGTH_APART: usize = 8;

/// Rows that are read at a time.
const BATCH: usize = 256;

/// Share of the question's words, weighed by how much each says, above which an answer is strong and below which it is none: without vectors by
/// what one row says; with them by what is said around a row, and the cosine of the row. Read off three dialogues and sixty notes:
/// 95 % of questions about other things are below the first; below the second are 3 % of direct questions, and 5 to 10 % of those in other words.
const STRONG_WORDS: f64 = 0.40;
const WEAK_WORDS: f64 = 0.10;
const STRONG_BOTH: f64 = 0.70;
const WEAK_BOTH: f64 = 0.25;

/// The rows that answer best.
pub(crate) struct BestRows {
    /// Their numbers and scores, best first; up to twice as many as were asked for, so that weights can reorder them.
    pub(crate) rows: Vec<(i64, f64)>,
    /// How sure it is that they are about the question.
    pub(crate) strength: Strength,
}

/// Reads candidates and scores them.
pub(crate) struct Scoring<'a> {
    connection: &'a Connection,
    candidates: &'a Candidates,
    request: &'a RecallRequest,
    now: i64,
    bits: HashMap<&'a str, usize>,
    rows: HashMap<i64, Option<Rc<ReadRow>>>,
}

/// What is looked at of a row.
struct ReadRow {
    project: String,
    topic: String,
    created_at: i64,
    is_recalled: bool,
    stamp: String,
    speaker: String,
    is_exact: bool,
    is_question: bool,
    is_personal: bool,
    /// How often the row says each word of the question that it says.
    counts: Vec<(usize, f64)>,
    length: f64,
}

/// A candidate that was read.
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
        now: i64,
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

    /// Mean length of the rows that were read, in words.
    fn average_length(&self) -> f64 {
        let rows = || self.rows.values().flatten();
        let count = rows().count().max(1) as f64;
        (rows().map(|row| row.length).sum::<f64>() / count).max(1.0)
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
        for (bit, count) in &row.counts {
            words[*bit] = self.term_score(*bit, *count, row.length / average);
            said[*bit] = 1.0;
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
            for (bit, count) in &neighbour.counts {
                let score = share * self.term_score(*bit, *count, neighbour.length / average);
                words[*bit] = words[*bit].max(score);
                said[*bit] = said[*bit].max(share);
            }
        }
        let coverage = self.weighted_coverage(&said);
        Ok(Some(ScoredRow { no, words: words.iter().sum(), nearness, factor, speaker, own_coverage, coverage }))
    }

    /// BM25 of one word of a row whose length is given beside the mean.
    fn term_score(&self, bit: usize, count: f64, length: f64) -> f64 {
        let norm = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length);
        self.candidates.weights[bit] * count * (SATURATION + 1.0) / (count + norm)
    }

    /// The share of the question, each word weighed by how much it says.
    fn weighted_coverage(&self, said: &[f64]) -> f64 {
        let total: f64 = self.candidates.weights.iter().sum();
        let covered: f64 = said.iter().zip(&self.candidates.weights).map(|(said, weight)| said * weight).sum();
        if total > 0.0 { covered / total } else { 0.0 }
    }

    /// Whether two rows are parts of one conversation: of one project and topic, with one stamp, stored soon after each other, where people talk. Notes
    /// are none: each says for itself what it is about.
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
            && one.created_at.abs_diff(other.created_at) <= PAUSE_MOST as u64;
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

    /// What the one says whom the question names counts for more.
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

    /// Whether a text is that of the question. Only texts of about its length are looked at closely.
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
        let read = statement.query_row([self.now, no], |row| {
            let summary = row.get_ref(4)?.as_str().unwrap_or_default();
            let terms = row.get_ref(5)?.as_str().unwrap_or_default();
            let utterance = Utterance::of(summary);
            let mut length = 0.0;
            let mut counts: Vec<(usize, f64)> = Vec::new();
            for term in terms.split(' ').filter(|term| !is_keyword_term(term)) {
                length += 1.0;
                let bit = if says_something { self.bits.get(term) } else { None };
                if let Some(bit) = bit {
                    match counts.iter_mut().find(|(known, _)| known == bit) {
                        Some((_, count)) => *count += 1.0,
                        None => counts.push((*bit, 1.0)),
                    }
                }
            }
            Ok(Rc::new(ReadRow {
                project: row.get(0)?,
                topic: row.get(1)?,
                created_at: row.get(2)?,
                is_recalled: row.get(3)?,
                stamp: utterance.stamp.to_owned(),
                speaker: utterance.speaker.to_owned(),
                is_exact: self.is_query(summary),
                is_question: utterance.is_question(),
                is_personal: utterance.is_personal(),
                counts,
                length,
            }))
        });
        let read = read.optional()?;
        self.rows.insert(no, read);
        Ok(())
    }
}
