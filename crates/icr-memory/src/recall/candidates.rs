//! Selects the rows that may answer a question, best first, without reading the rows themselves.

use rusqlite::{Connection, ToSql, params_from_iter};

use super::RecallRequest;
use crate::listing::NUMBER_MOST;
use crate::terms::{is_version_term, keyword_term, question_terms};
use crate::{Error, ListScope, MemoryDatabase, MemoryRules};

/// In a conversation, a row also gets credit for words that rows next to it say. Each entry is the offset of the
/// neighbour and its share: one row before, one after, two before, two after. Rows before count more, because an answer
/// mostly follows what it answers. The shares were chosen on three long dialogues between people with 383 questions.
pub(crate) const NEIGHBOURS: [(i64, f64); 4] = [(-1, 0.8), (1, 0.4), (-2, 0.4), (2, 0.2)];

/// Most candidates that are sorted; further ones are never read.
const ORDERED_MOST: usize = 4_096;

/// The rows that may answer a question.
pub(crate) struct Candidates {
    /// The words of the question.
    pub(crate) terms: Vec<String>,
    /// The weight of each term: its inverse document frequency, `ln(1 + (N - n + 0.5) / (n + 0.5))`.
    pub(crate) weights: Vec<f64>,
    /// Share of the vector similarity in the score, in `0.0..=1.0`.
    pub(crate) meaning: f64,
    /// Row numbers, best first.
    pub(crate) order: Vec<i64>,
    /// For each row number, the terms that the row contains, one bit each.
    said: Vec<u64>,
    /// For each row number, the cosine with the question; empty without vectors.
    cosines: Vec<f32>,
}

impl Candidates {
    pub(crate) fn of(
        database: &MemoryDatabase,
        connection: &Connection,
        request: &RecallRequest,
    ) -> Result<Self, Error> {
        let rows: i64 = connection.prepare_cached("SELECT count(*) FROM memories")?.query_row([], |row| row.get(0))?;
        let last = "SELECT max(no) FROM memories WHERE no <= ?1";
        let last: Option<i64> = connection.prepare_cached(last)?.query_row([NUMBER_MOST], |row| row.get(0))?;
        let length = usize::try_from(last.unwrap_or_default()).unwrap_or_default() + 1;
        let terms = question_terms(&request.query);
        let mut said = vec![0_u64; length];
        let mut weights = Vec::with_capacity(terms.len());
        for (bit, term) in terms.iter().enumerate() {
            let mut with_term = 0_u32;
            each_with_term(connection, term, |no| {
                if let Some(bits) = said.get_mut(no) {
                    *bits |= 1 << bit;
                    with_term += 1;
                }
            })?;
            let with_term = f64::from(with_term);
            weights.push((1.0 + (rows as f64 - with_term + 0.5).max(0.5) / (with_term + 0.5)).ln());
        }
        let (cosines, meaning) = match database.embedder() {
            Some(embedder) => {
                let mut cosines = database.vectors.cosines(connection, embedder, &request.query)?;
                cosines.resize(if cosines.is_empty() { 0 } else { length }, 0.0);
                let configured = database.rules().embedding_share;
                let meaning = configured.or_else(|| embedder.weight()).unwrap_or(MemoryRules::EMBEDDING_SHARE);
                (cosines, meaning)
            }
            None => (Vec::new(), 0.0),
        };
        let meaning = if cosines.is_empty() { 0.0 } else { meaning.clamp(0.0, 1.0) };
        let mut candidates = Self { terms, weights, meaning, order: Vec::new(), said, cosines };
        candidates.order = candidates.ordered(eligible_rows(connection, request, length)?.as_deref());
        Ok(candidates)
    }

    /// The terms that a row contains, one bit each.
    pub(crate) fn said_by(&self, no: i64) -> u64 {
        usize::try_from(no).ok().and_then(|at| self.said.get(at)).copied().unwrap_or_default()
    }

    /// The cosine of a row with the question, at least 0.
    pub(crate) fn cosine_of(&self, no: i64) -> f64 {
        let cosine = usize::try_from(no).ok().and_then(|at| self.cosines.get(at)).copied().unwrap_or_default();
        f64::from(cosine.max(0.0))
    }

    /// The allowed rows, best first. Here all neighbouring rows count as one conversation.
    fn ordered(&self, allowed: Option<&[bool]>) -> Vec<i64> {
        let mut scored: Vec<(f32, f32, i64)> = Vec::new();
        let (mut most_words, mut most_near) = (f32::MIN_POSITIVE, f32::MIN_POSITIVE);
        for at in 0..self.said.len() {
            if allowed.is_some_and(|allowed| !allowed[at]) {
                continue;
            }
            let no = at as i64;
            let (words, near) = (self.words_around(no), self.nearness_around(no));
            if words > 0.0 || near > 0.0 {
                most_words = most_words.max(words);
                most_near = most_near.max(near);
                scored.push((words, near, no));
            }
        }
        let meaning = self.meaning as f32;
        let score =
            |(words, near, _): &(f32, f32, i64)| words / most_words * (1.0 - meaning) + near / most_near * meaning;
        let better = |a: &(f32, f32, i64), b: &(f32, f32, i64)| score(b).total_cmp(&score(a)).then(a.2.cmp(&b.2));
        if scored.len() > ORDERED_MOST {
            scored.select_nth_unstable_by(ORDERED_MOST, better);
            scored.truncate(ORDERED_MOST);
        }
        scored.sort_unstable_by(better);
        scored.into_iter().map(|(_, _, no)| no).collect()
    }

    /// Sum of the weights of all terms in a row and its neighbours. Each term counts once, with its largest share.
    fn words_around(&self, no: i64) -> f32 {
        let own = self.said_by(no);
        let mut left = own;
        let mut sum = self.weight_of(own);
        // The shares are in descending order, so the largest share of a term is found first.
        for (offset, share) in NEIGHBOURS {
            let more = self.said_by(no + offset) & !left;
            if more != 0 {
                sum += share * self.weight_of(more);
                left |= more;
            }
        }
        sum as f32
    }

    fn nearness_around(&self, no: i64) -> f32 {
        if self.cosines.is_empty() {
            return 0.0;
        }
        let own = self.cosine_of(no);
        NEIGHBOURS.iter().fold(own, |most, (offset, share)| most.max(share * self.cosine_of(no + offset))) as f32
    }

    fn weight_of(&self, mut bits: u64) -> f64 {
        let mut sum = 0.0;
        while bits != 0 {
            sum += self.weights[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        sum
    }
}

/// The rows that the request allows, by row number; `None` if it allows all. Archived and expired rows are filtered
/// later, when the rows are read.
fn eligible_rows(connection: &Connection, request: &RecallRequest, length: usize) -> Result<Option<Vec<bool>>, Error> {
    let mut allowed: Option<Vec<bool>> = None;
    if request.topic.is_some() || matches!(request.scope, ListScope::Project(_)) {
        let (in_scope, project) = request.scope.condition();
        let mut sql = format!("SELECT no FROM memories WHERE true{in_scope}");
        let mut values: Vec<Box<dyn ToSql>> = project.into_iter().map(|project| Box::new(project) as _).collect();
        if let Some(topic) = &request.topic {
            sql.push_str(" AND topic = ?");
            values.push(Box::new(topic.clone()));
        }
        let mut rows = vec![false; length];
        let mut statement = connection.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        while let Some(row) = found.next()? {
            mark(&mut rows, usize::try_from(row.get::<_, i64>(0)?).unwrap_or_default());
        }
        allowed = Some(rows);
    }
    if let Some(keyword) = &request.keyword {
        let mut rows = vec![false; length];
        each_with_term(connection, &keyword_term(keyword), |no| mark(&mut rows, no))?;
        if let Some(before) = allowed {
            rows.iter_mut().zip(before).for_each(|(row, before)| *row &= before);
        }
        allowed = Some(rows);
    }
    Ok(allowed)
}

fn mark(rows: &mut [bool], no: usize) {
    if let Some(row) = rows.get_mut(no) {
        *row = true;
    }
}

/// The numbers of all rows with a term.
fn each_with_term(connection: &Connection, term: &str, mut each: impl FnMut(usize)) -> Result<(), Error> {
    let with_words = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?1";
    let mut statement;
    let mut rows = if is_version_term(term) {
        // The index has the numbers of a version as separate words, so that rows with all of them are read.
        let numbers: Vec<String> = term.split('.').map(|number| format!("\"{number}\"")).collect();
        let sql = format!(
            "SELECT no FROM memories WHERE no IN ({with_words}) AND instr(' ' || terms || ' ', ' ' || ?2 || ' ') > 0"
        );
        statement = connection.prepare_cached(&sql)?;
        statement.query([&numbers.join(" AND "), term])?
    } else {
        statement = connection.prepare_cached(with_words)?;
        statement.query([format!("\"{term}\"")])?
    };
    while let Some(row) = rows.next()? {
        each(usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX));
    }
    Ok(())
}
